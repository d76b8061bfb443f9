//! One thing that a call touches.
//!
//! An [`Access`] may name many paths; each is judged by itself, and the strictest judgement counts. What is reached through a
//! link has two names: by the one it is judged, by the other it may be held back as well.

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
    /// Calls this tool of this MCP server.
    Mcp(&'a str, &'a str),
}

/// All that a call touches; never empty.
pub(super) fn touches(access: &Access) -> Vec<Touch<'_>> {
    let all: Vec<Touch<'_>> = match access {
        Access::Nothing => Vec::new(),
        Access::Read(files) => files.iter().map(|file| Touch::Read(&file.path)).collect(),
        Access::Write(files) => files.iter().map(|file| Touch::Write(&file.path)).collect(),
        Access::Exec(exec) => vec![Touch::Exec(exec)],
        Access::Fetch { url } => vec![Touch::Fetch(url)],
        Access::Mcp { server, tool } => vec![Touch::Mcp(server, tool)],
    };
    if all.is_empty() { vec![Touch::Nothing] } else { all }
}

/// The same by the names of links, where a call names things so.
pub(super) fn by_links(access: &Access) -> Vec<Touch<'_>> {
    match access {
        Access::Read(files) => {
            files.iter().filter_map(|file| Some(Touch::Read(file.named.as_ref()?))).collect()
        }
        Access::Write(files) => {
            files.iter().filter_map(|file| Some(Touch::Write(file.named.as_ref()?))).collect()
        }
        Access::Nothing | Access::Exec(_) | Access::Fetch { .. } | Access::Mcp { .. } => Vec::new(),
    }
}
