//! How many turns a run may take.

use std::str::FromStr;

/// The hard limit: it pauses every run, however large its budget (the source designs' constant).
pub const TURN_LIMIT: u32 = 100;

/// How many turns a run may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TurnLimit {
    /// -1: no limit of its own; the hard limit pauses the run.
    #[default]
    Pause,
    /// 0: nothing is sent.
    Disabled,
    /// At most so many, never over the hard limit.
    AtMost(u32),
}

/// A number that is no limit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a valid number of turns (try 50, or -1 to ask after 100)")]
pub struct BadLimit(String);

impl TurnLimit {
    /// What a number means.
    pub fn new(turns: i64) -> Result<Self, BadLimit> {
        match turns {
            -1 => Ok(Self::Pause),
            0 => Ok(Self::Disabled),
            1.. => Ok(Self::AtMost(u32::try_from(turns).unwrap_or(TURN_LIMIT).min(TURN_LIMIT))),
            i64::MIN..=-2 => Err(BadLimit(turns.to_string())),
        }
    }

    /// The turns until a run ends or pauses; none where nothing may be sent.
    pub fn turns(self) -> Option<u32> {
        match self {
            Self::Pause => Some(TURN_LIMIT),
            Self::Disabled => None,
            Self::AtMost(turns) => Some(turns),
        }
    }
}

impl FromStr for TurnLimit {
    type Err = BadLimit;

    fn from_str(text: &str) -> Result<Self, BadLimit> {
        let bad = |_| BadLimit(text.to_owned());
        let digits = text.strip_prefix('-').unwrap_or(text);
        if !text.starts_with('-') && digits.len() > 18 && digits.bytes().all(|b| b.is_ascii_digit()) {
            return Ok(Self::AtMost(TURN_LIMIT)); // larger than any machine number, but a number
        }
        text.parse().map_err(bad).and_then(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_turns_is_read_as_the_manual_says() {
        let check =
            |text: &str, expected: Option<TurnLimit>| assert_eq!(text.parse().ok(), expected, "{text}");
        check("-1", Some(TurnLimit::Pause));
        check("0", Some(TurnLimit::Disabled));
        check("1", Some(TurnLimit::AtMost(1)));
        check("100", Some(TurnLimit::AtMost(100)));
        check("500", Some(TurnLimit::AtMost(100)));
        check("99999999999999999999", Some(TurnLimit::AtMost(100)));
        for bad in ["-5", "abc", "", "1.5", "-", "--1", "1e3"] {
            check(bad, None);
        }
    }
}
