//! What the user wants of the sandbox, and what becomes of it in a mode.
//!
//! Not the sandbox: whether the system has one is handed in, as no machine is looked at here, and only when a command is
//! judged, since finding out costs a process. The surprise: `bypass` alone turns it off, unless the user chose a sandbox by
//! `--sandbox` or in the configuration.

use std::fmt;
use std::str::FromStr;

use super::mode::Mode;
use crate::protocol::{Hold, Network, Writes};

/// What commands may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SandboxMode {
    /// Whatever the user may.
    Off,
    /// Nothing.
    ReadOnly,
    /// The workspace.
    #[default]
    WorkspaceWrite,
}

impl SandboxMode {
    /// The outside name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
        }
    }
}

impl fmt::Display for SandboxMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is none of them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a sandbox mode (try off, read-only or workspace-write)")]
pub struct UnknownSandbox(String);

impl FromStr for SandboxMode {
    type Err = UnknownSandbox;

    fn from_str(text: &str) -> Result<Self, UnknownSandbox> {
        [Self::Off, Self::ReadOnly, Self::WorkspaceWrite]
            .into_iter()
            .find(|mode| mode.name() == text)
            .ok_or_else(|| UnknownSandbox(text.to_owned()))
    }
}

/// Who chose what commands may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SandboxBy {
    /// The built-in default.
    #[default]
    Default,
    /// The user, on the command line or in the configuration: it applies in every mode, and the program does not start
    /// without it.
    User,
}

/// Tells whether the system has a sandbox, and what it can enforce.
#[derive(Clone, Copy)]
pub struct Enforced {
    any: fn() -> bool,
    protects: fn() -> bool,
}

impl Enforced {
    /// `asked` is called when the first command is judged. The sandbox also protects what runs later.
    pub fn new(asked: fn() -> bool) -> Self {
        Self { any: asked, protects: asked }
    }

    /// The same, where the sandbox protects what runs later (`.git/hooks`, `.mcp.json`) only if `protects` says so.
    #[must_use]
    pub fn protecting(self, protects: fn() -> bool) -> Self {
        Self { protects, ..self }
    }
}

/// By itself it knows of none.
impl Default for Enforced {
    fn default() -> Self {
        Self::new(|| false)
    }
}

/// Two wishes differ by what they hold, not by who carries them out.
impl PartialEq for Enforced {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Enforced {}

impl fmt::Debug for Enforced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Enforced")
    }
}

/// What the user wants of the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sandboxing {
    /// What commands may write.
    pub mode: SandboxMode,
    /// Who says so.
    pub by: SandboxBy,
    /// What they may reach unasked.
    pub network: Network,
    /// Whether they run unasked where they are held.
    pub auto_allow: bool,
    /// Whether the system can.
    pub enforced: Enforced,
}

impl Sandboxing {
    /// Whether commands are to be held in this mode, whatever the system can.
    pub fn is_wanted(self, mode: Mode) -> bool {
        self.mode != SandboxMode::Off && (mode != Mode::Bypass || self.by == SandboxBy::User)
    }

    /// How a command is held that may run in this mode.
    pub(super) fn hold(self, mode: Mode) -> Hold {
        let writes = match self.mode {
            SandboxMode::Off => return Hold::Free,
            SandboxMode::ReadOnly => Writes::Nothing,
            SandboxMode::WorkspaceWrite => Writes::Workspace,
        };
        if !self.is_wanted(mode) || !self.is_enforced() {
            return Hold::Free;
        }
        Hold::Held { writes, network: self.network }
    }

    /// Whether the system can hold a command at all. The first to ask waits for a process.
    pub fn is_enforced(self) -> bool {
        (self.enforced.any)()
    }

    /// Whether sandboxed commands run without asking: the user wants it, and in the workspace they cannot write what runs later.
    pub(super) fn allows(self) -> bool {
        self.auto_allow && (self.enforced.protects)()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(mode: SandboxMode, by: SandboxBy) -> Sandboxing {
        Sandboxing { mode, by, enforced: Enforced::new(|| true), ..Sandboxing::default() }
    }

    #[test]
    fn a_command_is_held_as_the_user_wants_and_in_bypass_only_if_they_say_so() {
        let check = |wish: Sandboxing, mode: Mode, expected: Hold| assert_eq!(wish.hold(mode), expected);
        let writes = Hold::Held { writes: Writes::Workspace, network: Network::Off };
        let (default, user) = (SandboxBy::Default, SandboxBy::User);
        for mode in [Mode::Default, Mode::AcceptEdits, Mode::Plan] {
            check(wish(SandboxMode::WorkspaceWrite, default), mode, writes);
            check(wish(SandboxMode::ReadOnly, user), mode, Hold::LOOKING);
            check(wish(SandboxMode::Off, user), mode, Hold::Free);
        }
        check(wish(SandboxMode::WorkspaceWrite, default), Mode::Bypass, Hold::Free);
        check(wish(SandboxMode::WorkspaceWrite, user), Mode::Bypass, writes);
        let open = Sandboxing { network: Network::On, ..wish(SandboxMode::WorkspaceWrite, default) };
        check(open, Mode::Default, writes.with_network());
        let none = Sandboxing { enforced: Enforced::default(), ..open };
        check(none, Mode::Default, Hold::Free);
    }

    #[test]
    fn names_are_read_and_others_refused() {
        for mode in [SandboxMode::Off, SandboxMode::ReadOnly, SandboxMode::WorkspaceWrite] {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        let error = "on".parse::<SandboxMode>().unwrap_err().to_string();
        assert_eq!(error, "`on` is not a sandbox mode (try off, read-only or workspace-write)");
    }
}
