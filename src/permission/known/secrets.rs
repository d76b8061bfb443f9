//! How programs that look through directories are told to pass over what holds secrets.
//!
//! The names are those of `secret`; here they are written as each program wants them. What is passed over is a little
//! more than what is a secret: `hosts.yml` is passed over everywhere, and `.env.local.example` with `.env.local`.

use super::super::secret::{hidden_directories, hidden_files};

/// For `grep -r`, which compares names letter for letter.
pub(super) fn for_grep() -> impl Iterator<Item = String> {
    let files = hidden_files().map(|pattern| format!("--exclude={}", in_any_case(&pattern)));
    let directories = hidden_directories().map(|name| format!("--exclude-dir={}", in_any_case(name)));
    files.chain(directories)
}

/// For ripgrep.
pub(super) fn for_ripgrep() -> impl Iterator<Item = String> {
    let names = hidden_files().chain(hidden_directories().map(str::to_owned));
    names.map(|pattern| format!("--iglob=!{pattern}"))
}

/// For `find`, before what it does with a file: neither secrets nor links, which may lead to one.
pub(super) fn for_find() -> impl Iterator<Item = String> {
    let files = hidden_files().map(|pattern| ["!".to_owned(), "-iname".to_owned(), pattern]);
    let below = hidden_directories().map(|name| ["!".to_owned(), "-ipath".to_owned(), format!("*/{name}/*")]);
    ["-type", "f"].map(str::to_owned).into_iter().chain(files.chain(below).flatten())
}

/// For git, as pathspecs from the top of the repository.
pub(super) fn for_git() -> impl Iterator<Item = String> {
    let below = hidden_directories().map(|name| format!("{name}/**"));
    hidden_files().chain(below).map(|pattern| format!(":(top,exclude,icase,glob)**/{pattern}"))
}

/// Whether the words of a command are told to pass them over.
pub(super) fn are_passed_over(words: &[String]) -> bool {
    let last = [for_grep().last(), for_ripgrep().last(), for_git().last(), for_find().last()];
    last.iter().flatten().any(|last| words.contains(last))
}

fn in_any_case(pattern: &str) -> String {
    let mut in_brackets = false;
    let either = |c: char| {
        in_brackets = if in_brackets { c != ']' } else { c == '[' };
        match (c.is_ascii_lowercase(), in_brackets) {
            (true, true) => format!("{c}{}", c.to_ascii_uppercase()),
            (true, false) => format!("[{c}{}]", c.to_ascii_uppercase()),
            (false, _) => c.to_string(),
        }
    };
    pattern.chars().map(either).collect()
}
