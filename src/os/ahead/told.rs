//! A command in one message, for a helper that was started before there was one.
//!
//! Texts that end with a zero byte: the directory, the environment, an empty one, the helper's words. The surprise: what cannot be
//! said like this (more than fits, a zero byte, a variable without a name) is no error; the command is started as ever.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// The most that is told at once, in bytes; what a system takes as one argument.
pub const MOST: usize = 128 * 1024;

/// The command, as the helper is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub cwd: PathBuf,
    /// All of its environment.
    pub env: Vec<(OsString, OsString)>,
    /// What the helper's arguments would be, had it been started for this command.
    pub words: Vec<OsString>,
}

impl Told {
    /// In one message; `None` if it cannot be said in one.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut say = |text: &[u8]| {
            bytes.extend_from_slice(text);
            bytes.push(0);
            !text.contains(&0)
        };
        let mut is_said = say(self.cwd.as_os_str().as_bytes());
        for (name, value) in &self.env {
            is_said &= !name.is_empty() && !name.as_bytes().contains(&b'=');
            is_said &= say(&[name.as_bytes(), b"=", value.as_bytes()].concat());
        }
        is_said &= say(b"");
        for word in &self.words {
            is_said &= say(word.as_bytes());
        }
        (is_said && bytes.len() <= MOST).then_some(bytes)
    }

    /// What such a message says; `None` if it is none.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        let mut all = bytes.strip_suffix(&[0])?.split(|byte| *byte == 0);
        let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        let cwd = text(all.next()?).into();
        let mut env = Vec::new();
        loop {
            match all.next()? {
                [] => break,
                entry => {
                    let at = entry.iter().position(|byte| *byte == b'=')?;
                    env.push((text(entry.get(..at)?), text(entry.get(at + 1..)?)));
                }
            }
        }
        Some(Self { cwd, env, words: all.map(text).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_heard() {
        let odd = || OsString::from_vec(b"odd \xff\n".to_vec());
        let told = Told {
            cwd: "/w d".into(),
            env: vec![("A".into(), odd()), ("B".into(), "a=b".into()), ("C".into(), "".into())],
            words: vec![odd(), "".into(), "x".into(), "".into()],
        };
        assert_eq!(Told::of(&told.bytes().unwrap()), Some(told.clone()));
        let least = Told { cwd: "/".into(), env: Vec::new(), words: Vec::new() };
        assert_eq!(Told::of(&least.bytes().unwrap()), Some(least));
        for name in ["", "A=B"] {
            let env = vec![(name.into(), "x".into())];
            assert_eq!(Told { env, ..told.clone() }.bytes(), None, "{name}");
        }
        for word in ["a\0b".to_owned(), "x".repeat(MOST)] {
            assert_eq!(Told { words: vec![word.into()], ..told.clone() }.bytes(), None);
        }
        for bytes in [&b""[..], b"/", b"/\0A=B\0", b"/\0AB\0\0"] {
            assert_eq!(Told::of(bytes), None, "{bytes:?}");
        }
    }
}
