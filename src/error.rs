//! The roof: every error that ends the program, with its exit code.
//!
//! Rooms have errors of their own; `app`, the front ends and `cli` turn them into this one, where the name of the thing
//! is known. Not for what goes wrong inside a run: that is a [`RunEnd`], whose exit code is told here too.

use std::fmt;

use crate::config::ConfigError;
use crate::protocol::{LoopErrorType, RunEnd};

/// Why the program ends.
#[derive(Debug)]
pub struct Error {
    /// What to do about it.
    pub kind: Kind,
    /// What went wrong and why: one line, lower case, no full stop.
    pub message: String,
    /// How to mend it, as in `try --model NAME`.
    pub hint: Option<String>,
}

/// Errors by what their exit code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The command line makes no sense.
    Usage,
    /// The configuration, the session or the directory does not allow a start.
    Config,
    /// A run failed.
    Run,
    /// The program itself failed: the terminal, the disk.
    Internal,
}

/// How the program ends, as its caller sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done, or left by the user.
    Done,
    /// A run failed.
    Failed,
    /// A usage or configuration error; nothing was sent.
    Usage,
    /// A limit of turns, budget or time was reached.
    Limit,
    /// Ended by SIGHUP.
    HungUp,
    /// Stopped by Ctrl+C or SIGINT.
    Aborted,
    /// Standard output was closed early.
    ClosedOutput,
    /// Ended by SIGTERM.
    Terminated,
}

impl Error {
    /// An error without a hint.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: one_line(&message.into()), hint: None }
    }

    /// An error on the command line.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    /// The terminal could not be taken, or is gone.
    pub fn terminal(error: &std::io::Error) -> Self {
        Self::new(Kind::Internal, format!("cannot use the terminal: {error}"))
    }

    /// Standard output takes nothing, though somebody may read it: the disk behind it is full.
    pub fn output(error: &std::io::Error) -> Self {
        let why = error.to_string();
        let why = why.split(" (os error").next().unwrap_or_default();
        Self::new(Kind::Internal, format!("cannot write to standard output: {why}"))
    }

    /// The same error with a way to mend it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(one_line(&hint.into()));
        self
    }

    /// How the program ends with it.
    pub fn exit(&self) -> Exit {
        match self.kind {
            Kind::Usage | Kind::Config => Exit::Usage,
            Kind::Run | Kind::Internal => Exit::Failed,
        }
    }
}

impl Exit {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Limit => 3,
            Self::HungUp => 129,
            Self::Aborted => 130,
            Self::ClosedOutput => 141,
            Self::Terminated => 143,
        }
    }

    /// How a program ends whose only run ended so.
    pub fn after(end: &RunEnd) -> Self {
        match end {
            RunEnd::Done => Self::Done,
            RunEnd::TurnLimit { .. } | RunEnd::Looping { .. } | RunEnd::OverBudget { .. } => Self::Limit,
            RunEnd::Aborted => Self::Aborted,
            RunEnd::Refused => Self::Failed,
            RunEnd::Failed(error) => match error.kind {
                LoopErrorType::InitializationFailed => Self::Usage,
                LoopErrorType::Aborted => Self::Aborted,
                LoopErrorType::MaxTurnsExceeded | LoopErrorType::Timeout => Self::Limit,
                LoopErrorType::ChatDisabled | LoopErrorType::LlmError | LoopErrorType::ToolError => {
                    Self::Failed
                }
            },
        }
    }
}

/// `what: why (how to mend it)`, on one line.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.hint.iter().try_for_each(|hint| write!(f, " ({hint})"))
    }
}

impl std::error::Error for Error {}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        Self::new(Kind::Config, error.to_string())
    }
}

/// Messages from below (of the parser, of the system) may have several lines.
fn one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::LoopError;

    #[test]
    fn an_error_is_one_line_with_its_remedy() {
        let error = Error::usage("`-c` and `-r`\n\n  both name a session").hint("try one of them");
        assert_eq!(error.to_string(), "`-c` and `-r`; both name a session (try one of them)");
        assert_eq!(error.exit().code(), 2);
        assert_eq!(Error::new(Kind::Internal, "no terminal").to_string(), "no terminal");
    }

    #[test]
    fn every_end_of_a_run_has_its_exit_code() {
        let failed = |kind| RunEnd::Failed(LoopError { kind, message: String::new() });
        let check = |end: RunEnd, code: u8| assert_eq!(Exit::after(&end).code(), code, "{end:?}");
        check(RunEnd::Done, 0);
        check(failed(LoopErrorType::LlmError), 1);
        check(failed(LoopErrorType::ChatDisabled), 1);
        check(failed(LoopErrorType::InitializationFailed), 2);
        check(failed(LoopErrorType::Timeout), 3);
        check(RunEnd::TurnLimit { turns: 2 }, 3);
        check(RunEnd::Aborted, 130);
        check(RunEnd::Refused, 1);
    }
}
