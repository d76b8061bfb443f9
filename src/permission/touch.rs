//! One thing that a call touches.
//!
//! An [`Access`] may name many paths; each is judged by itself, and the strictest judgement counts.

use std::path::Path;

use crate::protocol::{Access, ExecAccess};

/// One thing that a call touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch<'a> {
    /// Nothing outside the program.
    Nothing,
    /// Reads at or below a path.
    Read(&'a Path),
    /// Changes a file.
    Write(&'a Path),
    /// Runs a command.
    Exec(&'a ExecAccess),
    /// Asks an address.
    Fetch(&'a str),
}

/// All that a call touches; never empty.
pub(super) fn touches(access: &Access) -> Vec<Touch<'_>> {
    let all: Vec<Touch<'_>> = match access {
        Access::Nothing => Vec::new(),
        Access::Read(paths) => paths.iter().map(|path| Touch::Read(path)).collect(),
        Access::Write(paths) => paths.iter().map(|path| Touch::Write(path)).collect(),
        Access::Exec(exec) => vec![Touch::Exec(exec)],
        Access::Fetch { url } => vec![Touch::Fetch(url)],
    };
    if all.is_empty() { vec![Touch::Nothing] } else { all }
}
