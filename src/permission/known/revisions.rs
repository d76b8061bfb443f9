//! Revisions in the operands of git, written so that they can name commits alone.
//!
//! Any object has a name, also the contents of a file that was once staged, and that name says nothing of the file's. So what may
//! be a revision gets `^{commit}` at its end, and git refuses what is none. What is known to be a commit, or a path, stays.

use std::path::Path;

use super::Place;
use super::options::Parsed;

/// What makes git take a name for a commit or fail.
const COMMIT: &str = "^{commit}";

/// The same call with revisions that are commits; operands before `from` are none. `None` where it is not clear what is a path.
pub(super) fn of_commits(mut parsed: Parsed, from: usize, place: &Place<'_>) -> Option<Parsed> {
    let end = parsed.dashes.unwrap_or(parsed.operands.len());
    let has_dashes = parsed.dashes.is_some();
    for word in parsed.operands.iter_mut().take(end).skip(from) {
        if has_dashes || !is_path(word, place)? {
            *word = peeled(word);
        }
    }
    Some(parsed)
}

/// Whether git can only take the word for a path: it is there, or it is a pattern.
fn is_path(word: &str, place: &Place<'_>) -> Option<bool> {
    if word.starts_with(':') || word.contains(['*', '?', '[']) {
        return Some(true);
    }
    let path = place.cwd.join(word);
    let Some((parent, name)) = path.parent().zip(path.file_name()).filter(|_| !word.contains(':')) else {
        return Some(Path::new(word).components().next().is_some() && !word.contains(':'));
    };
    let names = (place.sight.names)(parent)?;
    Some(names.iter().any(|found| Path::new(found).as_os_str() == name || is_directory(found, name)))
}

fn is_directory(found: &std::ffi::OsStr, name: &std::ffi::OsStr) -> bool {
    found.as_encoded_bytes().strip_suffix(b"/") == Some(name.as_encoded_bytes())
}

/// `REV`, `REV:path`, `A..B`, `^A`, with each revision as a commit.
fn peeled(word: &str) -> String {
    if let Some(path) = super::git::in_commit(word) {
        let revision = word.strip_suffix(path).and_then(|rest| rest.strip_suffix(':')).unwrap_or(word);
        return format!("{}:{path}", commit(revision));
    }
    for sign in ["...", ".."] {
        if let Some((one, other)) = word.split_once(sign) {
            return format!("{}{sign}{}", commit(one), commit(other));
        }
    }
    word.strip_prefix('^').map_or_else(|| commit(word), |other| format!("^{}", commit(other)))
}

fn commit(revision: &str) -> String {
    // a parent, an ancestor: what has one is a commit
    let suffix = revision.rsplit_once(['^', '~']).map(|(_, suffix)| suffix);
    let is_commit =
        suffix.is_some_and(|suffix| suffix.chars().all(|c| c.is_ascii_digit() || "!@-".contains(c)));
    if is_commit || matches!(revision, "" | "HEAD" | "@") {
        return revision.to_owned();
    }
    format!("{revision}{COMMIT}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_any_object_is_asked_for_as_a_commit() {
        let check = |word: &str, expected: &str| assert_eq!(peeled(word), expected, "{word}");
        check("abc1234", "abc1234^{commit}");
        check("main", "main^{commit}");
        check("v1.0^{}", "v1.0^{}^{commit}");
        check("abc^{blob}", "abc^{blob}^{commit}");
        check("stash@{0}", "stash@{0}^{commit}");
        check("main..abc", "main^{commit}..abc^{commit}");
        check("main...HEAD", "main^{commit}...HEAD");
        check("..abc", "..abc^{commit}");
        check("^abc", "^abc^{commit}");
        check("abc:a.rs", "abc^{commit}:a.rs");
        check("HEAD^{/feat: add}:src/a.rs", "HEAD^{/feat: add}^{commit}:src/a.rs");
        for commit in
            ["HEAD", "@", "HEAD~1", "main^", "main^2", "main~", "abc^!", "abc^@", "HEAD:a.rs", "HEAD..@"]
        {
            check(commit, commit);
        }
    }
}
