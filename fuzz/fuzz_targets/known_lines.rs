//! Lines of random pieces: whatever comes, nothing panics, and a line that is let through is written anew in words that
//! no shell expands.
//!
//! What a shell makes of a line is not asked here; the test `differential` of the room `permission` asks bash itself. Run
//! it as `fuzz/README.md` says.

#![no_main]

use std::path::{Path, PathBuf};

use clawd::permission::{Scope, Sight, Table, harmless};
use libfuzzer_sys::fuzz_target;

/// Pieces of which lines are made, beside bytes as they are.
const PIECES: &str = "ls¦cat¦echo¦grep¦git¦find¦sed¦cd src && ¦ -n¦ -la¦ --¦ -exec¦ *¦ *.rs¦ [ab]¦ ?¦ src/¦ ../¦ /etc¦ 'a b'¦ \"a b\"¦'¦\"¦\\¦\\\\¦$¦\
    `¦$(¦)¦{¦}¦~¦#¦!¦&&¦||¦|¦&¦;¦\n¦\r¦\t¦ 2>&1¦ 2>/dev/null¦>¦<¦@{1}¦^¦é¦\u{200b}¦ log¦ diff¦ status¦ HEAD¦:¦=¦,";

fuzz_target!(|data: &[u8]| {
    let pieces: Vec<&str> = PIECES.split('¦').collect();
    let piece = |byte: &u8| match pieces.get(*byte as usize) {
        Some(piece) => (*piece).to_owned(),
        None => char::from(*byte).to_string(),
    };
    let line: String = data.iter().map(piece).collect();
    let scope = Scope { workspace: vec![PathBuf::from("/w")], ..Scope::default() };
    let sight = Sight {
        program: |name, path| Some(path.first()?.join(name)),
        names: |_| Some(["a", "b.rs", "src/", ".x", "it's"].map(Into::into).to_vec()),
        git_config: |_| Some(String::new()),
        path: vec![PathBuf::from("/usr/bin")],
        ..Sight::default()
    };
    for table in [Table::Full, Table::Bare] {
        let Some(known) = harmless(&line, Path::new("/w"), &scope, &sight, table) else { continue };
        assert!(is_plain(&known.text), "{line:?} became {:?}", known.text);
        assert!(known.reads.iter().all(|path| path.is_absolute()));
    }
});

/// Whether a text has, outside of single quotes, nothing but plain words, joints, redirections to nowhere and the braces
/// behind a `cd`.
fn is_plain(text: &str) -> bool {
    let text = text.replace("'\\''", "");
    let bare = text.split('\'').step_by(2).collect::<Vec<_>>().join("Q");
    let signs = ["&&", "||", "|", ";", "{", "}", "2>&1", ">&2", "2>/dev/null", ">/dev/null", "</dev/null"];
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    let mut words = bare.split_whitespace().map(|word| word.strip_suffix(';').unwrap_or(word));
    text.matches('\'').count() % 2 == 0 && words.all(|word| signs.contains(&word) || word.chars().all(is_word))
}
