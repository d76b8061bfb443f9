//! How a command's shell says in which directory it ended, without disturbing the command.
//!
//! The command's text is left as it is: what was approved is what runs, and its line numbers are right. Instead bash
//! reads a start-up file of two lines (`BASH_ENV`) that sets an EXIT trap. The surprise: that file is the answer too.
//! At its exit the shell writes its directory over it. A command that sets an EXIT trap of its own or ends by `exec`
//! does not say where it was; then the shell's directory stays.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::workbench::Workbench;

/// Words without which no command changes its directory. The trap costs a fork, so others go without.
const MOVERS: [&str; 7] = ["cd", "pushd", "popd", "chdir", "source", ".", "eval"];

/// The file that a shell reads at its start and writes at its end; removed when dropped.
#[derive(Debug)]
pub(super) struct Directory {
    file: NamedTempFile,
}

impl Directory {
    /// Ready for a command that may change its directory; none for others, or where no file can be made.
    pub(super) fn of(command: &str, bench: &Workbench) -> Option<Self> {
        if !may_move(command) {
            return None;
        }
        let mut file = NamedTempFile::with_prefix_in("shell-", bench.outputs().scratch().ok()?).ok()?;
        let script = script(file.path().as_os_str());
        file.write_all(&script).ok()?;
        Some(Self { file })
    }

    /// What the shell reads and writes.
    pub(super) fn file(&self) -> &Path {
        self.file.path()
    }

    /// What the shell's environment must hold.
    pub(super) fn variable(&self) -> (OsString, OsString) {
        ("BASH_ENV".into(), self.file.path().into())
    }

    /// Where the shell ended, if it said so, and where it was before.
    pub(super) fn read(self) -> Option<(PathBuf, Option<PathBuf>)> {
        let said = fs::read(self.file.path()).ok()?;
        let path =
            |bytes: &[u8]| bytes.starts_with(b"/").then(|| PathBuf::from(OsString::from_vec(bytes.to_vec())));
        let mut parts = said.split(|byte| *byte == 0);
        let (previous, now) = (parts.next()?, parts.next()?.strip_suffix(b"\n")?);
        Some((path(now)?, path(previous)))
    }
}

fn may_move(command: &str) -> bool {
    command
        .split(|letter: char| !(letter.is_alphanumeric() || "._-/".contains(letter)))
        .any(|word| MOVERS.contains(&word))
}

/// The directory before this one and a NUL, this one with a line end and a NUL.
const TRAP: &[u8] =
    br#"{ set +x; } 2>/dev/null; { builtin printf '%s\0' "${OLDPWD-}"; builtin pwd -P; builtin printf '\0'; } 2>/dev/null >|"#;

/// `set +x`, so that a traced command does not show the trap; `>|` writes under `noclobber` too.
fn script(file: &OsStr) -> Vec<u8> {
    let trap = [TRAP, quoted(file.as_bytes()).as_slice()].concat();
    [b"unset BASH_ENV\ntrap ", quoted(&trap).as_slice(), b" EXIT\n"].concat()
}

/// As one word of a shell.
fn quoted(text: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    for &byte in text {
        match byte {
            b'\'' => out.extend_from_slice(br"'\''"),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_that_may_move_are_asked() {
        for command in
            ["cd x", "a && cd x", "(cd x)", "x;cd", "pushd x", ". ./env", "source env", "eval \"$x\""]
        {
            assert!(may_move(command), "{command}");
        }
        for command in ["ls", "echo abcd", "cargo build", "./cd-rom", "git log --oneline", "cat a.b"] {
            assert!(!may_move(command), "{command}");
        }
    }

    #[test]
    fn a_name_with_quotes_stays_one_word() {
        assert_eq!(quoted(b"it's"), br"'it'\''s'");
    }
}
