//! What the sandbox stopped, read from how a command ended.
//!
//! The kernel tells the command, and the command tells us in its own words, so this can only be a guess: it decides whether
//! the user is asked once more, and nothing else. The surprise: "permission denied" counts although every system says it of
//! its own accord; a question too many is answered with No, and a command that silently cannot work is worse.

use crate::os::process::Exit;
use crate::protocol::{Hold, Network, Writes};

/// What a held command could not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    /// Write outside of what it may.
    Writing,
    /// Reach anybody.
    Reaching,
}

/// How programs say that there is no network: bash and curl, git, npm, Go, Rust, Python, Java.
const REACHING: [&str; 12] = [
    "could not resolve host",
    "couldn't resolve host",
    "name resolution",
    "name or service not known",
    "network is unreachable",
    "no such host",
    "failed to lookup address",
    "getaddrinfo",
    "enotfound",
    "eai_again",
    "enetunreach",
    "unknownhostexception",
];

/// How they say that they may not write.
const WRITING: [&str; 6] =
    ["read-only file system", "erofs", "permission denied", "operation not permitted", "eacces", "eperm"];

/// A program's file that cannot be run is denied too, and by nobody but its own mode.
const NOT_RUN: i32 = 126;

impl Stopped {
    /// What stopped a command that was held so, ended so and said this.
    pub(super) fn of(hold: Hold, exit: Exit, said: &str) -> Option<Self> {
        let Hold::Held { writes: _, network } = hold else { return None };
        match exit {
            Exit::Code(0 | NOT_RUN) | Exit::Signal(_) | Exit::TimedOut | Exit::Aborted => return None,
            Exit::Code(_) => {}
        }
        let said = said.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|words| said.contains(words));
        if network == Network::Off && says(&REACHING) {
            return Some(Self::Reaching);
        }
        says(&WRITING).then_some(Self::Writing)
    }

    /// How it would have to be held.
    pub(super) fn wider(self, hold: Hold) -> Hold {
        match self {
            Self::Writing => Hold::Free,
            Self::Reaching => hold.with_network(),
        }
    }

    /// Why the user is asked.
    pub(super) fn why(self, hold: Hold) -> String {
        match (self, hold) {
            (Self::Reaching, _) => "it failed without the network".to_owned(),
            (Self::Writing, Hold::Held { writes: Writes::Nothing, .. }) => {
                "it failed in the sandbox, where nothing is writable".to_owned()
            }
            (Self::Writing, _) => "it failed in the sandbox, where only the workspace is writable".to_owned(),
        }
    }

    /// What the model is told, so that it does not try the same again.
    pub(super) fn told(self, hold: Hold) -> String {
        match (self, hold) {
            (Self::Reaching, _) => "[sandboxed: no network]".to_owned(),
            (Self::Writing, Hold::Held { writes: Writes::Nothing, .. }) => {
                "[sandboxed: nothing is writable]".to_owned()
            }
            (Self::Writing, _) => "[sandboxed: only the workspace and $TMPDIR are writable]".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITES: Hold = Hold::Held { writes: Writes::Workspace, network: Network::Off };

    #[test]
    fn what_stopped_a_command_is_read_from_its_last_words() {
        let check = |said: &str, expected: Option<Stopped>| {
            assert_eq!(Stopped::of(WRITES, Exit::Code(1), said), expected, "{said}");
        };
        check("touch: cannot touch '/etc/x': Read-only file system", Some(Stopped::Writing));
        check("error: could not lock config file .git/config: Permission denied", Some(Stopped::Writing));
        check("curl: (6) Could not resolve host: example.com", Some(Stopped::Reaching));
        check(
            "ssh: Could not resolve hostname x: Temporary failure in name resolution",
            Some(Stopped::Reaching),
        );
        check("npm error code EAI_AGAIN", Some(Stopped::Reaching));
        check("dial tcp: lookup proxy.example on 8.8.8.8:53: no such host", Some(Stopped::Reaching));
        check("assertion failed: left == right", None);
    }

    #[test]
    fn only_a_held_command_that_failed_by_itself_was_stopped() {
        let said = "Permission denied; Network is unreachable";
        let check = |hold: Hold, exit: Exit, expected: Option<Stopped>| {
            assert_eq!(Stopped::of(hold, exit, said), expected, "{hold:?} {exit:?}");
        };
        check(WRITES, Exit::Code(1), Some(Stopped::Reaching));
        check(WRITES.with_network(), Exit::Code(1), Some(Stopped::Writing));
        check(Hold::Free, Exit::Code(1), None);
        for exit in [Exit::Code(0), Exit::Code(126), Exit::Signal(9), Exit::TimedOut, Exit::Aborted] {
            check(WRITES, exit, None);
        }
    }

    #[test]
    fn it_is_offered_no_more_than_it_lacked() {
        assert_eq!(Stopped::Reaching.wider(WRITES), WRITES.with_network());
        assert_eq!(Stopped::Writing.wider(WRITES), Hold::Free);
    }
}
