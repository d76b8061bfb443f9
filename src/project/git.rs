//! Keys of git's configuration that make git run something, or go elsewhere.
//!
//! They are listed and nothing else: it is git that obeys them, as soon as anybody calls it here. The files are read as text,
//! for asking git would run what is being looked for. Only a person who is asked about the
//! directory waits for this.

use std::path::{Path, PathBuf};

use super::branch::linked;
use crate::os::file::read_regular;
use crate::os::paths::resolve;
use crate::text::git_config::{Entry, GitConfig};
use crate::text::url::without_userinfo;

/// A repository's configuration has a few hundred bytes.
const MAX_BYTES: u64 = 64 * 1024;
/// Odd keys that are listed.
const LISTED: usize = 50;

/// Which values of a key are odd; an empty one never is, for it takes back what was set elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Odd {
    /// All.
    Any,
    /// Those that are neither yes nor no.
    Program,
    /// Those that begin with `!`: a command for the shell.
    Shell,
    /// Those that name a helper as transport: `ext::sh -c …`.
    Transport,
}

/// Sections and keys in lower case; `*` is any key.
const TABLE: &[(&str, &str, Odd)] = &[
    ("include", "path", Odd::Any),
    ("includeif", "path", Odd::Any),
    ("core", "fsmonitor", Odd::Program),
    ("core", "hookspath", Odd::Any),
    ("core", "sshcommand", Odd::Any),
    ("core", "gitproxy", Odd::Any),
    ("core", "pager", Odd::Any),
    ("core", "editor", Odd::Any),
    ("core", "askpass", Odd::Any),
    ("core", "alternaterefscommand", Odd::Any),
    ("core", "worktree", Odd::Any),
    ("core", "attributesfile", Odd::Any),
    ("sequence", "editor", Odd::Any),
    ("pager", "*", Odd::Program),
    ("alias", "*", Odd::Shell),
    ("diff", "external", Odd::Any),
    ("diff", "command", Odd::Any),
    ("diff", "textconv", Odd::Any),
    ("difftool", "cmd", Odd::Any),
    ("difftool", "path", Odd::Any),
    ("merge", "driver", Odd::Any),
    ("mergetool", "cmd", Odd::Any),
    ("mergetool", "path", Odd::Any),
    ("interactive", "difffilter", Odd::Any),
    ("filter", "clean", Odd::Any),
    ("filter", "smudge", Odd::Any),
    ("filter", "process", Odd::Any),
    ("hook", "command", Odd::Any),
    ("credential", "helper", Odd::Any),
    ("gpg", "program", Odd::Any),
    ("gpg", "defaultkeycommand", Odd::Any),
    ("browser", "cmd", Odd::Any),
    ("browser", "path", Odd::Any),
    ("man", "cmd", Odd::Any),
    ("man", "path", Odd::Any),
    ("guitool", "cmd", Odd::Any),
    ("trailer", "cmd", Odd::Any),
    ("trailer", "command", Odd::Any),
    ("imap", "tunnel", Odd::Any),
    ("sendemail", "sendmailcmd", Odd::Any),
    ("submodule", "update", Odd::Shell),
    ("remote", "uploadpack", Odd::Any),
    ("remote", "receivepack", Odd::Any),
    ("remote", "vcs", Odd::Any),
    ("remote", "url", Odd::Transport),
    ("remote", "pushurl", Odd::Transport),
    ("url", "insteadof", Odd::Any),
    ("url", "pushinsteadof", Odd::Any),
    ("protocol", "allow", Odd::Any),
];

/// What git would run, or where it would go, because the repository at `root` says so; a line each.
#[must_use]
pub fn odd_git_keys(root: &Path) -> Vec<String> {
    let git = root.join(".git");
    let Some(places) = places(root, &git) else { return Vec::new() };
    let target = resolve(&places.own).unwrap_or_else(|_| places.own.clone());
    let outside = (!target.starts_with(root)).then(|| format!(".git points to {}", target.display()));
    let files = [places.common.join("config"), places.own.join("config.worktree")];
    let texts = files.iter().filter_map(|path| read_regular(path, MAX_BYTES).ok());
    let entries = texts.flat_map(|bytes| GitConfig::read(&String::from_utf8_lossy(&bytes)).entries);
    let line = |entry: Entry| format!("{} = {}", entry.name(), entry.value);
    // on a screen for everybody to see, and a token in an address is no part of what git would do
    let odd = entries.filter(is_odd).map(|entry| without_userinfo(&line(entry)).into_owned());
    outside.into_iter().chain(odd).take(LISTED).collect()
}

/// Where the files of a repository are.
struct Places {
    /// Those of this checkout.
    own: PathBuf,
    /// Those of all its checkouts.
    common: PathBuf,
}

fn places(root: &Path, git: &Path) -> Option<Places> {
    let own = if git.is_dir() { git.to_owned() } else { linked(root, git)? };
    let common = read_regular(&own.join("commondir"), MAX_BYTES).ok();
    let common = common.and_then(|bytes| String::from_utf8(bytes).ok()).map(|text| own.join(text.trim()));
    Some(Places { common: common.unwrap_or_else(|| own.clone()), own })
}

fn is_odd(entry: &Entry) -> bool {
    let row = TABLE
        .iter()
        .find(|(section, key, _)| *section == entry.section && (*key == "*" || *key == entry.key));
    let value = entry.value.trim();
    !value.is_empty()
        && row.is_some_and(|(_, _, odd)| match odd {
            Odd::Any => true,
            Odd::Program => !is_yes_or_no(value),
            Odd::Shell => value.starts_with('!'),
            Odd::Transport => value.contains("::"),
        })
}

/// Git's words for yes and no.
fn is_yes_or_no(value: &str) -> bool {
    let word = value.to_ascii_lowercase();
    matches!(word.as_str(), "true" | "yes" | "on" | "false" | "no" | "off") || word.parse::<i64>().is_ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn odd(text: &str) -> Vec<String> {
        let entries = GitConfig::read(text).entries.into_iter().filter(is_odd);
        entries.map(|entry| format!("{} = {}", entry.name(), entry.value)).collect()
    }

    #[test]
    fn what_git_would_run_is_found_however_it_is_written() {
        let check = |text: &str, expected: &[&str]| assert_eq!(odd(text), expected, "{text:?}");
        check("[core]\n\tfsmonitor = ./evil.sh\n", &["core.fsmonitor = ./evil.sh"]);
        check("\u{feff}[CORE] FsMonitor=\"./a b.sh\" # why\n", &["core.fsmonitor = ./a b.sh"]);
        check("[core]\r\n pager = less \\\r\n -R\r\n", &["core.pager = less  -R"]);
        check("[core]\n; pager = x\n#editor = y\n[x]\npager = z\n", &[]);
        check("[core]\nfsmonitor = true\nfsmonitor\neditor =\n", &[]);
        check("[filter \"a\\\"]b\"] clean = sh -c \"x;y\"\n", &["filter.a\"]b.clean = sh -c x;y"]);
        check("[filter.lfs]\nsmudge = git-lfs smudge\n", &["filter.lfs.smudge = git-lfs smudge"]);
        check("[alias]\nst = status\nx = \"!rm -rf ~\"\n", &["alias.x = !rm -rf ~"]);
        check("[url \"ssh://evil/\"]\ninsteadOf = https://h/\n", &["url.ssh://evil/.insteadof = https://h/"]);
        check(
            "[remote \"o\"]\nurl = https://h/r\npushurl = ext::sh -c x\n",
            &["remote.o.pushurl = ext::sh -c x"],
        );
        check(
            "[include]\npath = ../evil\n[includeIf \"gitdir:/\"]\npath = b\n",
            &["include.path = ../evil", "includeif.gitdir:/.path = b"],
        );
        check("[pager]\nlog = false\nshow = ./p\n", &["pager.show = ./p"]);
        check("[credential \"https://h\"]\nhelper = !f\n", &["credential.https://h.helper = !f"]);
        for odd in ["core.hooksPath", "core.sshCommand", "diff.external", "gpg.program", "sequence.editor"] {
            let (section, key) = odd.split_once('.').unwrap();
            check(&format!("[{section}]{key}=x"), &[&format!("{} = x", odd.to_lowercase())]);
        }
        for broken in ["[", "[core", "core\\", "[core]\nx = \"", "=", "[core]\neditor = \\"] {
            check(broken, &[]);
        }
    }

    #[test]
    fn all_files_of_a_checkout_are_read_wherever_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (work, real) = (base.join("work"), base.join("repo/.git/worktrees/work"));
        fs::create_dir(&work).unwrap();
        fs::create_dir_all(&real).unwrap();
        assert_eq!(odd_git_keys(&work), [""; 0]);
        fs::write(work.join(".git"), "gitdir: ../repo/.git/worktrees/work\n").unwrap();
        fs::write(real.join("commondir"), "../..\n").unwrap();
        fs::write(real.join("config.worktree"), "[core]\neditor = e\n").unwrap();
        fs::write(base.join("repo/.git/config"), "[core]\npager = p\n").unwrap();
        let leads = format!(".git points to {}", real.display());
        assert_eq!(odd_git_keys(&work), [leads.as_str(), "core.pager = p", "core.editor = e"]);
        assert_eq!(odd_git_keys(&base.join("repo")), ["core.pager = p"]);
        let login = "[url \"https://me:token@h/\"]\ninsteadOf = https://h/\n";
        fs::write(base.join("repo/.git/config"), login).unwrap();
        assert_eq!(odd_git_keys(&base.join("repo")), ["url.https://***@h/.insteadof = https://h/"]);
    }

    #[test]
    fn no_more_is_listed_than_a_person_could_read() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".git")).unwrap();
        let many: Vec<String> = (0..200).map(|n| format!("a{n} = !x")).collect();
        fs::write(dir.path().join(".git/config"), format!("[alias]\n{}", many.join("\n"))).unwrap();
        assert_eq!(odd_git_keys(&dir.path().canonicalize().unwrap()).len(), LISTED);
        fs::write(dir.path().join(".git/config"), vec![b'x'; 1 << 17]).unwrap();
        assert_eq!(odd_git_keys(&dir.path().canonicalize().unwrap()), [""; 0]);
    }
}
