//! The four permission modes, and the table of what each leans to.
//!
//! Not a judgement: rules, secrets and protected paths come before the table, see [`super::Policy::judge`].

use std::fmt;
use std::str::FromStr;

/// How much is done unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// Reads in the workspace; asks for the rest.
    #[default]
    Default,
    /// Edits in the workspace too.
    AcceptEdits,
    /// Looks, and changes nothing.
    Plan,
    /// Does all that no deny rule forbids.
    Bypass,
}

/// What a call is about to do, as the table's columns have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Reads in the workspace, or touches nothing.
    Read,
    /// Changes files in the workspace.
    Edit,
    /// Runs a command.
    Command,
    /// Reads outside the workspace, or asks the network.
    LookOutside,
    /// Changes files outside the workspace.
    EditOutside,
}

/// What the table says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leaning {
    /// Goes ahead.
    Yes,
    /// A person decides.
    Ask,
    /// Is refused.
    No,
}

/// A name that is none of the modes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a permission mode (try default, accept-edits, plan or bypass)")]
pub struct UnknownMode(String);

impl Mode {
    /// All modes, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::Default, Self::AcceptEdits, Self::Plan, Self::Bypass];

    /// The outside name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "accept-edits",
            Self::Plan => "plan",
            Self::Bypass => "bypass",
        }
    }

    /// The mode that Shift+Tab goes to. Bypass is never reached by a key.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Default => Self::AcceptEdits,
            Self::AcceptEdits => Self::Plan,
            Self::Plan | Self::Bypass => Self::Default,
        }
    }

    /// The table.
    pub fn leans(self, deed: Deed) -> Leaning {
        match (self, deed) {
            (Self::Bypass, _) | (_, Deed::Read) | (Self::AcceptEdits, Deed::Edit) => Leaning::Yes,
            (Self::Plan, Deed::Edit | Deed::Command | Deed::LookOutside | Deed::EditOutside) => Leaning::No,
            (Self::Default, Deed::Edit)
            | (Self::Default | Self::AcceptEdits, Deed::Command | Deed::LookOutside | Deed::EditOutside) => {
                Leaning::Ask
            }
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Self, UnknownMode> {
        match text {
            "default" => Ok(Self::Default),
            "accept-edits" | "autoEdit" => Ok(Self::AcceptEdits),
            "plan" => Ok(Self::Plan),
            "bypass" | "yolo" => Ok(Self::Bypass),
            other => Err(UnknownMode(other.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_second_names_are_read() {
        for mode in Mode::ALL {
            assert_eq!(mode.name().parse(), Ok(mode));
        }
        assert_eq!("autoEdit".parse(), Ok(Mode::AcceptEdits));
        assert_eq!("yolo".parse(), Ok(Mode::Bypass));
        let error = "Plan".parse::<Mode>().unwrap_err().to_string();
        assert_eq!(error, "`Plan` is not a permission mode (try default, accept-edits, plan or bypass)");
    }

    #[test]
    fn the_table_is_that_of_the_manual() {
        use Leaning::{Ask, No, Yes};
        let row = |mode: Mode| {
            [Deed::Read, Deed::Edit, Deed::Command, Deed::LookOutside, Deed::EditOutside]
                .map(|deed| mode.leans(deed))
        };
        assert_eq!(row(Mode::Default), [Yes, Ask, Ask, Ask, Ask]);
        assert_eq!(row(Mode::AcceptEdits), [Yes, Yes, Ask, Ask, Ask]);
        assert_eq!(row(Mode::Plan), [Yes, No, No, No, No]);
        assert_eq!(row(Mode::Bypass), [Yes; 5]);
    }

    #[test]
    fn a_key_goes_round_three_modes_and_never_to_bypass() {
        let mut seen = vec![Mode::Bypass];
        for _ in 0..4 {
            seen.extend(seen.last().map(|mode| mode.next()));
        }
        assert_eq!(seen, [Mode::Bypass, Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::Default]);
    }
}
