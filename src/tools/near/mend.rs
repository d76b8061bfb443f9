//! What a path may have been before it was written down wrongly: with quotes, with a line number, from another root.
//!
//! By words alone; whether anything is there is for others to see.

use std::path::{Component, Path, PathBuf};

/// Paths that `path` may have meant, the likeliest first; absolute, all of them in `root` or below.
pub(super) fn mended(path: &Path, root: &Path) -> Vec<PathBuf> {
    let below = path.strip_prefix(root).unwrap_or(path);
    let names: Vec<String> = below.components().filter_map(name).map(|name| plain(&name)).collect();
    let words = names.join("/");
    let without_line = without_line(&words);
    let mut all = Vec::new();
    for words in [words.as_str(), without_line] {
        all.extend([
            root.join(words),
            root.join(words.replace('\\', "/")),
            root.join(words.replace("%20", " ")),
        ]);
    }
    // the working directory twice, a directory above it, a root that is not there: less and less of the beginning
    let names: Vec<&str> = without_line.split('/').collect();
    let ends = (1..names.len()).filter_map(|from| names.get(from..));
    all.extend(ends.map(|names| root.join(names.join("/"))));
    all.retain(|mended| mended != path && mended != root && mended.starts_with(root));
    all.dedup();
    all
}

fn name(component: Component<'_>) -> Option<String> {
    match component {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        Component::RootDir | Component::CurDir | Component::ParentDir | Component::Prefix(_) => None,
    }
}

/// Without blanks, quotes and marks of a mention around it.
fn plain(name: &str) -> String {
    let around = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>');
    name.trim_matches(around).trim_start_matches('@').trim_end_matches(',').to_owned()
}

/// Without `:12`, `:12:5`, `:12-15` or `#L12` at its end.
fn without_line(words: &str) -> &str {
    let bare = words.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, ':' | '-' | '#' | 'L'));
    match words.get(bare.len()..) {
        Some(end) if end.starts_with(':') || end.starts_with("#L") => bare,
        Some(_) | None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_was_written_wrongly_can_be_mended() {
        #[track_caller]
        fn check(path: &str, expected: &str) {
            let all = mended(Path::new(path), Path::new("/w/d"));
            assert!(all.contains(&PathBuf::from(expected)), "{path}: {all:?}");
        }
        check("/w/d/ a.rs ", "/w/d/a.rs");
        check("/w/d/src /a.rs", "/w/d/src/a.rs");
        check("/w/d/`a.rs`", "/w/d/a.rs");
        check("/w/d/@src/a.rs", "/w/d/src/a.rs");
        check("/w/d/src/a.rs:12", "/w/d/src/a.rs");
        check("/w/d/src/a.rs:12:5", "/w/d/src/a.rs");
        check("/w/d/src/a.rs#L12-L20", "/w/d/src/a.rs");
        check("/w/d/src\\a.rs", "/w/d/src/a.rs");
        check("/w/d/my%20file", "/w/d/my file");
        check("/w/d/w/d/src/a.rs", "/w/d/src/a.rs");
        check("/w/d/d/src/a.rs:3", "/w/d/src/a.rs");
        check("/w/d/a/src/a.rs", "/w/d/src/a.rs");
        check("/src/a.rs", "/w/d/src/a.rs");
        check("/repo/src/a.rs", "/w/d/src/a.rs");
        check("/w/d/file:/w/d/a.rs", "/w/d/a.rs");
    }

    #[test]
    fn nothing_outside_is_meant_and_nothing_that_was_said() {
        for path in ["/w/d/a.rs", "/etc/passwd", "/w/d/..", "/"] {
            for mended in mended(Path::new(path), Path::new("/w/d")) {
                assert!(mended.starts_with("/w/d") && mended != Path::new(path), "{path}: {mended:?}");
            }
        }
    }
}
