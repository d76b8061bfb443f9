//! A file of the same name somewhere else in the workspace.
//!
//! Not a search: it ends after so many entries and so much time, found or not, for it only makes an error more helpful.

use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::super::walk::{Ignored, Shown, Until, Walk};
use super::same::is_same;

/// Entries that are looked at.
const MOST_ENTRIES: usize = 20_000;
/// How long it may take; a reader notices a tenth of a second.
const MOST_TIME: Duration = Duration::from_millis(50);
/// Files of one name (`mod.rs`, `index.ts`) that are compared.
const MOST_FOUND: usize = 50;

/// Files below `root` that are called as `path` is, the most alike path first. What ignore files name is passed over.
pub(super) fn named_alike(path: &Path, root: &Path) -> Vec<PathBuf> {
    let Some(wanted) = path.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let until = Until::within(MOST_TIME);
    let (shown, depth) = (Shown::Files, usize::MAX);
    let walk = Walk { root, workspace: root, ignored: Ignored::LeftOut, shown, depth, until: &until };
    let (entries, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    walk.each(|| {
        |seen| {
            let name = seen.path.file_name().and_then(|name| name.to_str());
            let mut is_enough = entries.fetch_add(1, Ordering::Relaxed) >= MOST_ENTRIES;
            if name.is_some_and(|name| is_same(name, wanted)) {
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                found.push(seen.path.to_owned());
                is_enough |= found.len() >= MOST_FOUND;
            }
            if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_by_cached_key(|found| {
        (Reverse(common_end(found, path)), found.components().count(), found.clone())
    });
    found
}

/// How many names two paths have in common, from their ends on.
fn common_end(one: &Path, other: &Path) -> usize {
    one.components().rev().zip(other.components().rev()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_most_alike_path_comes_first_and_what_is_ignored_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        for path in
            ["b/deep/foo/mod.rs", "a/mod.rs", "c/bar/Mod.rs", "target/mod.rs", ".git/mod.rs", "mod.rs/x"]
        {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), "").unwrap();
        }
        fs::write(root.join(".gitignore"), "target/\n").unwrap();
        let found = named_alike(&root.join("src/foo/mod.rs"), root);
        let names: Vec<&str> =
            found.iter().map(|path| path.strip_prefix(root).unwrap().to_str().unwrap()).collect();
        assert_eq!(names, ["b/deep/foo/mod.rs", "a/mod.rs", "c/bar/Mod.rs"]);
    }
}
