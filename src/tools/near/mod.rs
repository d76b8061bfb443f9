//! What the model is told where nothing is: what it may have meant.
//!
//! The likeliest first: the same path written properly, a name in the same directory that reads alike or is a slip away,
//! a file of this name elsewhere in the workspace. Nothing is looked at but the workspace and the directory that the call
//! named, and nothing is named that the rules hide.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use self::same::{is_same, unseen};
use super::target::{Target, shown_from};
use crate::text::nearest::nearest;
use crate::workbench::Workbench;

mod elsewhere;
mod mend;
mod same;

/// More names are not looked through for one that is like a wrong one.
const MOST_NAMES: usize = 10_000;
/// Names that are offered.
const MOST_OFFERED: usize = 3;

/// The error for `target`, where nothing is. Without a bench the workspace is not searched.
pub(super) fn missing(target: &Target, bench: Option<&Workbench>) -> String {
    let shown = one_line(&target.shown);
    if let Ok(to) = fs::read_link(&target.path) {
        return format!(
            "Error: {shown} is a link to {}, which does not exist",
            one_line(&to.display().to_string())
        );
    }
    if bench.is_some_and(|bench| bench.is_in_own_tmp(&target.path)) {
        return format!(
            "Error: {shown} is in the /tmp of the sandbox, which only commands can see. Read it with Bash, or write it into the workspace"
        );
    }
    match (Look { target, bench }).guess() {
        Guess::Like(paths) => {
            format!("Error: {shown} does not exist. Did you mean {}?", offered(target, &paths))
        }
        Guess::NotUtf8 => format!(
            "Error: {shown} cannot be named here: its name is not UTF-8. Use Bash with a pattern instead of the other bytes"
        ),
        Guess::NoDirectory(directory) => {
            format!("Error: {shown} does not exist: there is no directory {}", one_line(&directory))
        }
        Guess::Nothing => format!("Error: {shown} does not exist"),
    }
}

enum Guess {
    Like(Vec<PathBuf>),
    /// It is there under a name that no call can give.
    NotUtf8,
    NoDirectory(String),
    Nothing,
}

struct Look<'a> {
    target: &'a Target,
    bench: Option<&'a Workbench>,
}

impl Look<'_> {
    fn guess(&self) -> Guess {
        let mended = mend::mended(&self.target.path, &self.target.cwd);
        if let Some(path) = mended.into_iter().find(|path| path.exists() && !self.is_hidden(path)) {
            return Guess::Like(vec![path]);
        }
        let Some(wanted) = self.target.path.file_name().and_then(|name| name.to_str()) else {
            return Guess::Nothing;
        };
        let Some(names) = self.names_beside() else { return self.without_directory() };
        let twin = |name: &OsString| name.to_str().is_none() && name.to_string_lossy() == wanted;
        if names.iter().any(twin) {
            return Guess::NotUtf8;
        }
        let names: Vec<&str> = names.iter().filter_map(|name| name.to_str()).collect();
        let beside = |name: &str| self.target.path.with_file_name(name);
        if let Some(name) = names.iter().find(|name| is_same(name, wanted)) {
            return Guess::Like(vec![beside(name)]);
        }
        let mut paths: Vec<PathBuf> = slips(wanted, &names).into_iter().map(beside).collect();
        paths.extend(self.elsewhere());
        paths.dedup();
        paths.truncate(MOST_OFFERED);
        if paths.is_empty() { Guess::Nothing } else { Guess::Like(paths) }
    }

    /// The names in the directory of the path; none where there is no such directory.
    fn names_beside(&self) -> Option<Vec<OsString>> {
        // where the links lead, as the rules know it
        let directory = self.target.resolved.parent()?;
        let entries = fs::read_dir(directory).ok()?.take(MOST_NAMES).flatten();
        Some(
            entries
                .map(|entry| entry.file_name())
                .filter(|name| !self.is_hidden(&directory.join(name)))
                .collect(),
        )
    }

    fn without_directory(&self) -> Guess {
        let elsewhere: Vec<PathBuf> = self.elsewhere().into_iter().take(MOST_OFFERED).collect();
        match self.target.path.parent() {
            _ if !elsewhere.is_empty() => Guess::Like(elsewhere),
            Some(directory) if !directory.exists() => {
                Guess::NoDirectory(shown_from(&self.target.cwd, directory))
            }
            Some(_) | None => Guess::Nothing,
        }
    }

    fn elsewhere(&self) -> Vec<PathBuf> {
        let Some(bench) = self.bench else { return Vec::new() };
        let mut found = elsewhere::named_alike(&self.target.path, bench.root());
        found.retain(|path| !self.is_hidden(path));
        found
    }

    /// `path` is taken as it stands: a link to what is hidden may be named.
    fn is_hidden(&self, path: &Path) -> bool {
        self.bench.is_some_and(|bench| bench.is_veiled(path))
    }
}

/// Names that are a slip away, then those that differ in what follows the dot.
fn slips<'a>(wanted: &str, names: &[&'a str]) -> Vec<&'a str> {
    let length = |name: &str| name.chars().count();
    let wanted_length = length(wanted);
    // of names that are longer or shorter by more than a third none is near
    let alike = names.iter().copied().filter(|name| {
        let length = length(name);
        length.abs_diff(wanted_length) * 3 <= length.max(wanted_length)
    });
    let mut slips: Vec<&str> = nearest(wanted, alike).into_iter().collect();
    let mut same_stem: Vec<&str> = names.iter().copied().filter(|name| has_stem_of(name, wanted)).collect();
    same_stem.sort_unstable();
    same_stem.retain(|name| !slips.contains(name));
    slips.extend(same_stem);
    slips
}

/// Whether one of the names is the other with another ending, or without any.
fn has_stem_of(name: &str, wanted: &str) -> bool {
    let (name, wanted) = (Path::new(name), Path::new(wanted));
    name.file_stem() == wanted.file_stem() || name.file_stem() == wanted.file_name()
}

fn offered(target: &Target, paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| offer(target, path)).collect();
    match names.as_slice() {
        [all @ .., last] if !all.is_empty() => format!("{} or {last}", all.join(", ")),
        names => names.concat(),
    }
}

/// The name, and what in it cannot be seen.
fn offer(target: &Target, path: &Path) -> String {
    let name = shown_from(&target.cwd, path);
    let unseen = unseen(&name, &target.shown);
    if unseen.is_empty() {
        one_line(&name)
    } else {
        format!("{} (its name has {})", one_line(&name), unseen.join(", "))
    }
}

/// A name may hold anything but a slash; an error is one line.
fn one_line(name: &str) -> String {
    let escaped = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    name.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    use std::sync::Arc;

    use super::super::testing::Session;
    use super::*;

    #[track_caller]
    fn check(session: &Session, given: &str, expected: &str) {
        let error = Target::new(given, &session.root).missing_in(&session.bench);
        let expected = expected.replace("ROOT", session.root.to_str().unwrap());
        assert_eq!(error, format!("Error: {expected}"));
    }

    #[test]
    fn a_slip_in_a_name_is_seen() {
        let session = Session::with(&[("src/main.rs", ""), ("src/view.tsx", ""), ("src/view.css", "")]);
        check(&session, "src/mian.rs", "src/mian.rs does not exist. Did you mean src/main.rs?");
        check(&session, "src/MAIN.rs", "src/MAIN.rs does not exist. Did you mean src/main.rs?");
        check(&session, "src/main", "src/main does not exist. Did you mean src/main.rs?");
        check(
            &session,
            "src/view.jsx",
            "src/view.jsx does not exist. Did you mean src/view.tsx or src/view.css?",
        );
        check(&session, "other.txt", "other.txt does not exist");
        check(&session, "lib/a/x.rs", "lib/a/x.rs does not exist: there is no directory lib/a");
        assert_eq!(
            Target::new("src/mian.rs", &session.root).missing(),
            "Error: src/mian.rs does not exist. Did you mean src/main.rs?"
        );
    }

    #[test]
    fn the_same_name_elsewhere_is_offered() {
        let session = Session::with(&[("app/src/util.rs", ""), ("lib/util.rs", ""), ("app/main.rs", "")]);
        check(
            &session,
            "src/util.rs",
            "src/util.rs does not exist. Did you mean app/src/util.rs or lib/util.rs?",
        );
        check(&session, "util.rs", "util.rs does not exist. Did you mean lib/util.rs or app/src/util.rs?");
        assert_eq!(
            Target::new("src/util.rs", &session.root).missing(),
            "Error: src/util.rs does not exist: there is no directory src"
        );
    }

    #[test]
    fn a_path_that_was_written_wrongly_is_offered_properly() {
        let session = Session::with(&[("src/main.rs", ""), ("my file", "")]);
        let root = session.root.display().to_string();
        for given in [
            "src/main.rs ",
            "`src/main.rs`",
            "src/main.rs:12",
            "/src/main.rs",
            "/elsewhere/src/main.rs",
            &format!("{root}{root}/src/main.rs"),
            &format!("{}/src/main.rs", root.trim_start_matches('/')),
        ] {
            let error = Target::new(given, &session.root).missing_in(&session.bench);
            assert!(error.ends_with(" does not exist. Did you mean src/main.rs?"), "{given}: {error}");
        }
        check(&session, "my%20file", "my%20file does not exist. Did you mean my file?");
    }

    #[test]
    fn a_name_that_only_reads_alike_says_what_is_in_it() {
        let session = Session::with(&[("Shot at 9.41\u{202f}PM.png", ""), ("cafe\u{301}.txt", "")]);
        check(
            &session,
            "Shot at 9.41 PM.png",
            "Shot at 9.41 PM.png does not exist. Did you mean Shot at 9.41\u{202f}PM.png (its name has U+202F)?",
        );
        check(
            &session,
            "caf\u{e9}.txt",
            "caf\u{e9}.txt does not exist. Did you mean cafe\u{301}.txt (its name has U+0301)?",
        );
        let raw = session.root.join(std::ffi::OsStr::from_bytes(b"caf\xe9.csv"));
        if fs::write(raw, "").is_ok() {
            check(
                &session,
                "caf\u{fffd}.csv",
                "caf\u{fffd}.csv cannot be named here: its name is not UTF-8. Use Bash with a pattern instead of the \
                 other bytes",
            );
        }
    }

    #[test]
    fn a_link_that_leads_nowhere_says_where_it_leads() {
        let session = Session::new();
        symlink("gone.txt", session.path("link")).unwrap();
        check(&session, "link", "link is a link to gone.txt, which does not exist");
    }

    #[test]
    fn an_error_is_one_line_whatever_a_name_holds() {
        let session = Session::with(&[("a\nb.txt", "")]);
        check(&session, "a\nc.txt", "a\\nc.txt does not exist. Did you mean a\\nb.txt?");
    }

    #[test]
    fn what_the_rules_hide_is_not_named() {
        let session = Session::with(&[("secret.txt", ""), ("sub/secrets.txt", "")]);
        session.bench.set_veils(Arc::new(|| Arc::new(|path| path.to_string_lossy().contains("secret"))));
        for given in ["secert.txt", "secrets.txt", "`secret.txt`", "lib/secret.txt"] {
            let error = Target::new(given, &session.root).missing_in(&session.bench);
            assert!(!error.contains("mean"), "{error}");
        }
    }
}
