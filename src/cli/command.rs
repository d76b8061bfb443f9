//! Whether a line begins with a command, or with a sentence that only looks like one.
//!
//! A command is known by the first word. The surprise: a second word alone decides too, for who mistypes a command wants no
//! model to be asked about it; only what goes on as a sentence is a prompt.

use std::ffi::OsString;

use clap::{CommandFactory, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::typed::{Command, ConfigWord, SessionsWord, Typed};
use crate::error::Error;
use crate::text::nearest::nearest;

/// Words that are kept for commands which this version does not have.
const RESERVED: [&str; 2] = ["mcp", "acp"];
/// What will follow the first of them.
const OF_SERVERS: [&str; 4] = ["list", "add", "get", "remove"];

/// How a line begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beginning {
    /// With a command.
    Command,
    /// With anything else.
    Text,
}

/// How the line begins. Most have no word of a command anywhere, and cost nothing more.
///
/// # Errors
/// Where it is a command that is not there.
pub(super) fn beginning(arguments: &[OsString]) -> Result<Beginning, Error> {
    let is_name = |name: &str| Command::has_subcommand(name) || RESERVED.contains(&name);
    if !arguments.iter().skip(1).filter_map(|argument| argument.to_str()).any(is_name) {
        return Ok(Beginning::Text);
    }
    match words(arguments).as_slice() {
        ["mcp"] | ["mcp", _] => Err(absent("mcp")),
        ["mcp", verb, ..] if OF_SERVERS.contains(verb) => Err(absent("mcp")),
        ["acp"] | ["acp", _] => Err(absent("acp")),
        ["doctor" | "demo", ..] | ["man" | "sessions" | "config" | "completions"] | ["man", _] => {
            Ok(Beginning::Command)
        }
        ["sessions", verb, rest @ ..] => of_sessions(verb, rest),
        ["config", verb] if ConfigWord::has_subcommand(verb) => Ok(Beginning::Command),
        ["config", verb] => Err(no_such(&format!("`config {verb}`"), "show or path")),
        ["completions", shell] if Shell::from_str(shell, true).is_ok() => Ok(Beginning::Command),
        ["completions", shell] => {
            let shells = "bash, elvish, fish, powershell or zsh";
            Err(no_such(&format!("completion for `{shell}`"), shells))
        }
        _ => Ok(Beginning::Text),
    }
}

fn of_sessions(verb: &str, rest: &[&str]) -> Result<Beginning, Error> {
    const VERBS: [&str; 4] = ["list", "show", "export", "delete"];
    // what follows a slip of the fingers is an ID, and no word of a sentence
    let is_slip = match rest {
        [] => true,
        [id] => nearest(verb, VERBS).is_some() && looks_like_an_id(id),
        _ => false,
    };
    match is_slip {
        _ if SessionsWord::has_subcommand(verb) => Ok(Beginning::Command),
        true => Err(no_such(&format!("`sessions {verb}`"), "list, show, export or delete")),
        false => Ok(Beginning::Text),
    }
}

fn looks_like_an_id(word: &str) -> bool {
    word.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

fn absent(word: &str) -> Error {
    Error::usage(format!("this version has no command `{word}`"))
        .hint("try `clawd --help`, or put `--` before the text to send it")
}

fn no_such(what: &str, known: &str) -> Error {
    Error::usage(format!("there is no {what}"))
        .hint(format!("try {known}, or put `--` before the text to send it"))
}

/// The words of the line that are neither options nor values of options, up to `--`.
fn words(arguments: &[OsString]) -> Vec<&str> {
    let command = Typed::command();
    let mut words = Vec::new();
    let mut rest = arguments.iter().skip(1).filter_map(|argument| argument.to_str()).peekable();
    while let Some(argument) = rest.next() {
        match argument.strip_prefix('-') {
            Some("-") => break,
            Some(option) if !option.is_empty() => match value_of(&command, option) {
                Value::Needed => drop(rest.next()),
                Value::Possible => drop(rest.next_if(|next| !next.starts_with('-'))),
                Value::None => {}
            },
            _ => words.push(argument),
        }
    }
    words
}

/// Whether the next argument is an option's.
enum Value {
    None,
    Possible,
    Needed,
}

/// Of an option without its first dash: a long one, or a row of short ones.
fn value_of(command: &clap::Command, option: &str) -> Value {
    let of = |is_it: &dyn Fn(&clap::Arg) -> bool| match command.get_arguments().find(|arg| is_it(arg)) {
        Some(arg) if arg.get_num_args().is_some_and(|count| count.min_values() == 0) => Value::Possible,
        Some(arg) if arg.get_action().takes_values() => Value::Needed,
        _ => Value::None,
    };
    match option.strip_prefix('-') {
        // of commands alone, and the only one of them that takes a value
        Some("format") => return Value::Needed,
        Some(long) => return of(&|arg| arg.get_long() == Some(long)),
        None => {}
    }
    let mut letters = option.chars();
    while let Some(letter) = letters.next() {
        match (of(&|arg| arg.get_short() == Some(letter)), letters.as_str()) {
            (Value::None, _) => {}
            (value, "") => return value,
            // what follows is the value
            _ => return Value::None,
        }
    }
    Value::None
}
