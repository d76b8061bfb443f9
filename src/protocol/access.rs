//! What a call will touch, before it touches it.
//!
//! A tool says it from the words of its arguments alone; `permission` judges it without knowing any tool, and the
//! screen draws a question from it without knowing one either.

use std::path::PathBuf;

/// What a prepared call will touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// Nothing outside the program.
    Nothing,
    /// Reads at or below these.
    Read(Vec<FileAccess>),
    /// Changes, creates or removes these.
    Write(Vec<FileAccess>),
    /// Runs a command.
    Exec(ExecAccess),
    /// Asks a host on the network.
    Fetch {
        /// The address as it will be asked: `http` or `https`, in ASCII, without a login.
        url: String,
    },
    /// Calls a tool of an MCP server.
    Mcp {
        /// Name of the server in the configuration.
        server: String,
        /// Name of the tool, as the server gives it.
        tool: String,
    },
}

/// A file or directory that would be touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAccess {
    /// Where it is: absolute, every link followed.
    pub path: PathBuf,
    /// The absolute name by which it was asked for, where links lead from there to the path.
    pub named: Option<PathBuf>,
    /// Whether the file has other names, hard links, under which a change would show as well.
    pub is_shared: bool,
}

/// Of a path without links.
impl<P: Into<PathBuf>> From<P> for FileAccess {
    fn from(path: P) -> Self {
        Self { path: path.into(), named: None, is_shared: false }
    }
}

/// A command that would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecAccess {
    /// The shell text, exactly as it would run.
    pub command: String,
    /// Where it would run.
    pub cwd: PathBuf,
}

/// What a person is shown before saying yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preview {
    /// Files and how they would change.
    Changes(Vec<FileChange>),
    /// A command, exactly as it would run.
    Command(ExecAccess),
    /// Anything else, in words.
    Text(String),
}

/// One file's change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Which file, as the user would name it (relative to the working directory where it lies below).
    pub path: String,
    /// Its text before; none where it is new.
    pub before: Option<String>,
    /// Its text after; none where it goes.
    pub after: Option<String>,
}
