//! The table of slash commands: one row each, from which the completion and the help are made.
//!
//! What a command does stands in `update/slash.rs`; here is only what it is called and when it may run.

use crate::text::nearest::nearest;

/// A command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slash {
    /// Keys and commands.
    Help,
    /// A new session.
    Clear,
    /// Another model.
    Model,
    /// Another session of this directory.
    Resume,
    /// The conversation goes on under a new ID.
    Fork,
    /// Back to an earlier message.
    Rewind,
    /// Where the last rewind came from.
    Redo,
    /// What the session is called.
    Rename,
    /// One more directory of the workspace.
    AddDir,
    /// What tools have changed.
    Diff,
    /// What works and what does not.
    Doctor,
    /// The model's list of steps.
    Todos,
    /// The background commands.
    Tasks,
    /// The rules in force.
    Permissions,
    /// Turns vi key bindings on or off.
    Vim,
    /// Other colours.
    Theme,
    /// What is in force.
    Status,
    /// A summary in the place of the past.
    Compact,
    /// What fills the window.
    Context,
    /// What was used.
    Cost,
    /// The settings, each with where it comes from.
    Config,
    /// The instruction files in force.
    Memory,
    /// Plan mode, and back.
    Plan,
    /// Has the project's instructions written.
    Init,
    /// Has changes looked through.
    Review,
    /// The last answer, or a block of its code, to the clipboard.
    Copy,
    /// The conversation as a file.
    Export,
    /// Leave.
    Exit,
}

/// When a command may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// At once: it only looks.
    AtOnce,
    /// Not while a run goes on.
    AtRest,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// The command.
    pub command: Slash,
    /// Its name, without the slash.
    pub name: &'static str,
    /// Its usual second names.
    pub aliases: &'static [&'static str],
    /// What may follow it.
    pub argument: &'static str,
    /// What it does.
    pub text: &'static str,
    /// When it may run.
    pub when: When,
}

/// All commands, in the order in which they are shown.
pub const TABLE: &[Row] = &[
    Row {
        command: Slash::Help,
        name: "help",
        aliases: &["h"],
        argument: "",
        text: "show keys and commands",
        when: When::AtOnce,
    },
    Row {
        command: Slash::Clear,
        name: "clear",
        aliases: &["new", "reset"],
        argument: "",
        text: "start a new session (/resume returns to this one)",
        when: When::AtRest,
    },
    Row {
        command: Slash::Model,
        name: "model",
        aliases: &["models"],
        argument: "[NAME]",
        text: "choose the model, from a list or by name",
        when: When::AtRest,
    },
    Row {
        command: Slash::Todos,
        name: "todos",
        aliases: &["todo"],
        argument: "",
        text: "show the todo list",
        when: When::AtOnce,
    },
    Row {
        command: Slash::Tasks,
        name: "tasks",
        aliases: &["jobs", "bashes"],
        argument: "",
        text: "list background commands; show output or stop them",
        when: When::AtOnce,
    },
    Row {
        command: Slash::Permissions,
        name: "permissions",
        aliases: &["approvals", "allowed-tools"],
        argument: "",
        text: "show rules; revoke saved ones",
        when: When::AtOnce,
    },
    Row {
        command: Slash::Vim,
        name: "vim",
        aliases: &["vi"],
        argument: "",
        text: "turn vi key bindings on or off",
        when: When::AtOnce,
    },
    Row {
        command: Slash::Theme,
        name: "theme",
        aliases: &["themes", "color"],
        argument: "[NAME]",
        text: "choose a colour theme, from a list or by name",
        when: When::AtOnce,
    },
    Row {
        command: Slash::Status,
        name: "status",
        aliases: &[],
        argument: "",
        text: "show session, model, endpoint and permissions",
        when: When::AtOnce,
    },
    Row {
        command: Slash::Context,
        name: "context",
        aliases: &["tokens"],
        argument: "",
        text: "show what uses the context window",
        when: When::AtOnce,
    },
    Row {
        command: Slash::Compact,
        name: "compact",
        aliases: &["summarize", "compress"],
        argument: "[INSTRUCTIONS]",
        text: "summarize the conversation to free context",
        when: When::AtRest,
    },
    Row {
        command: Slash::Resume,
        name: "resume",
        aliases: &["continue", "sessions"],
        argument: "[ID]",
        text: "resume a session, from a list or by ID",
        when: When::AtRest,
    },
    Row {
        command: Slash::Fork,
        name: "fork",
        aliases: &["branch"],
        argument: "",
        text: "fork this session: continue in a copy",
        when: When::AtRest,
    },
    Row {
        command: Slash::Rewind,
        name: "rewind",
        aliases: &["undo", "restore"],
        argument: "",
        text: "go back to an earlier message, with or without files",
        when: When::AtRest,
    },
    Row {
        command: Slash::Redo,
        name: "redo",
        aliases: &[],
        argument: "",
        text: "undo the last rewind",
        when: When::AtRest,
    },
    Row {
        command: Slash::Rename,
        name: "rename",
        aliases: &["title"],
        argument: "TITLE",
        text: "change the title of this session",
        when: When::AtRest,
    },
    Row {
        command: Slash::AddDir,
        name: "add-dir",
        aliases: &[],
        argument: "[DIR]",
        text: "also allow reading and editing DIR",
        when: When::AtRest,
    },
    Row {
        command: Slash::Diff,
        name: "diff",
        aliases: &["changes"],
        argument: "",
        text: "show the files changed in this session",
        when: When::AtOnce,
    },
    Row {
        command: Slash::Doctor,
        name: "doctor",
        aliases: &[],
        argument: "",
        text: "check configuration, terminal and endpoint",
        when: When::AtOnce,
    },
    Row {
        command: Slash::Cost,
        name: "cost",
        aliases: &["usage", "stats"],
        argument: "",
        text: "show token usage and cost by model",
        when: When::AtOnce,
    },
    Row {
        command: Slash::Copy,
        name: "copy",
        aliases: &[],
        argument: "[N]",
        text: "copy the last answer, or its code block N",
        when: When::AtOnce,
    },
    Row {
        command: Slash::Export,
        name: "export",
        aliases: &[],
        argument: "[FILE]",
        text: "export the conversation as .md, .html or .json",
        when: When::AtOnce,
    },
    Row {
        command: Slash::Plan,
        name: "plan",
        aliases: &[],
        argument: "",
        text: "turn plan mode on or off",
        when: When::AtOnce,
    },
    Row {
        command: Slash::Init,
        name: "init",
        aliases: &[],
        argument: "",
        text: "ask the model to write AGENTS.md for this project",
        when: When::AtRest,
    },
    Row {
        command: Slash::Review,
        name: "review",
        aliases: &[],
        argument: "[WHAT]",
        text: "ask the model to review uncommitted changes, or WHAT",
        when: When::AtRest,
    },
    Row {
        command: Slash::Memory,
        name: "memory",
        aliases: &[],
        argument: "",
        text: "show the instruction files in use",
        when: When::AtOnce,
    },
    Row {
        command: Slash::Config,
        name: "config",
        aliases: &["settings"],
        argument: "",
        text: "show every setting and where it comes from",
        when: When::AtOnce,
    },
    Row {
        command: Slash::Exit,
        name: "exit",
        aliases: &["quit", "q"],
        argument: "",
        text: "exit clawd",
        when: When::AtOnce,
    },
];

/// What a line that begins with `/` turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed<'a> {
    /// A command with what follows it.
    Command(Slash, When, &'a str),
    /// No command, but perhaps this one was meant.
    Unknown(Option<&'static str>),
    /// No command at all: a path, say.
    Text,
}

/// Reads a line that begins with `/`.
#[must_use]
pub fn parse(line: &str) -> Parsed<'_> {
    let Some(body) = line.strip_prefix('/') else { return Parsed::Text };
    let (word, argument) = body.split_once(char::is_whitespace).unwrap_or((body, ""));
    if word.is_empty() || word.contains('/') {
        return Parsed::Text;
    }
    match TABLE.iter().find(|row| row.name == word || row.aliases.contains(&word)) {
        Some(row) => Parsed::Command(row.command, row.when, argument.trim()),
        None => Parsed::Unknown(nearest(word, TABLE.iter().map(|row| row.name)).and_then(known)),
    }
}

fn known(name: &str) -> Option<&'static str> {
    TABLE.iter().map(|row| row.name).find(|known| *known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_aliases_and_arguments() {
        assert_eq!(parse("/help"), Parsed::Command(Slash::Help, When::AtOnce, ""));
        assert_eq!(parse("/quit"), Parsed::Command(Slash::Exit, When::AtOnce, ""));
        assert_eq!(parse("/model  gpt x "), Parsed::Command(Slash::Model, When::AtRest, "gpt x"));
    }

    #[test]
    fn a_path_is_no_command_and_a_slip_is_mended() {
        assert_eq!(parse("/usr/bin/env is where?"), Parsed::Text);
        assert_eq!(parse("/ what"), Parsed::Text);
        assert_eq!(parse("/modle"), Parsed::Unknown(Some("model")));
        assert_eq!(parse("/zzzzzzzz"), Parsed::Unknown(None));
    }

    #[test]
    fn no_name_stands_twice() {
        let mut names: Vec<&str> =
            TABLE.iter().flat_map(|row| row.aliases.iter().copied().chain([row.name])).collect();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
