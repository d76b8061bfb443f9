//! What a directory holds, for a model that wanted to read it.
//!
//! Not a listing to rely on: the first entries by name, and how many there are.

use std::fs;
use std::path::Path;

use crate::text::units;

/// Entries that are looked at; more than these take noticeable time.
const MOST_LOOKED_AT: usize = 10_000;
/// Entries that are named.
const MOST_NAMED: usize = 100;

/// The end of a sentence that says what is a directory. What `is_hidden` is left out.
pub(super) fn listing(directory: &Path, is_hidden: &dyn Fn(&Path) -> bool) -> String {
    let Ok(entries) = fs::read_dir(directory) else {
        return ", not a file: list it with Glob".to_owned();
    };
    let mut names: Vec<String> = entries
        .take(MOST_LOOKED_AT)
        .flatten()
        .filter(|entry| !is_hidden(&entry.path()))
        .map(|entry| {
            let slash = if entry.file_type().is_ok_and(|kind| kind.is_dir()) { "/" } else { "" };
            format!("{}{slash}", entry.file_name().to_string_lossy())
        })
        .collect();
    names.sort_unstable();
    let count = names.len();
    let more = if count < MOST_LOOKED_AT { "" } else { " or more" };
    let entries = format!("{}{more}", units::counted(count as u64, "entry", "entries"));
    names.truncate(MOST_NAMED);
    match (count, count - names.len()) {
        (0, _) => ", and empty".to_owned(),
        (_, 0) => format!(", not a file; it has {entries}:\n{}", names.join("\n")),
        (_, rest) => format!(
            ", not a file; it has {entries}:\n{}\n… {} more: list them with Glob",
            names.join("\n"),
            units::count(rest as u64)
        ),
    }
}
