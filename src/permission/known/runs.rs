//! Commands that may run, and the text that runs for them.
//!
//! What the shell puts into a word is written in quotes even where the line has none, so that none of it becomes a pattern.

use std::path::PathBuf;

use super::line::quoted;
use super::tree::{Group, Joint};

/// The first of the characters that are in a word for what the shell puts in; no line can have one.
pub(super) const FIRST: u32 = 0xe000;

/// A command that may run.
#[derive(Debug)]
pub(super) struct Runs {
    pub(super) joint: Joint,
    pub(super) does: Does,
    pub(super) redirections: Vec<String>,
    pub(super) reads: Vec<PathBuf>,
}

/// What a command does.
#[derive(Debug)]
pub(super) enum Does {
    /// It starts a program or is done by the shell.
    Command {
        /// All its words, as bash would make them of the line.
        meant: Vec<String>,
        /// All its words, as they run.
        words: Vec<String>,
        /// What is put in for the characters that are no text.
        inserted: Vec<Inserted>,
    },
    /// It goes to a directory.
    Move(PathBuf),
    /// It runs others.
    Group(Group, Vec<Runs>),
}

/// What the shell puts into a word.
#[derive(Debug)]
pub(super) enum Inserted {
    /// The value of a variable.
    Variable(String),
    /// What a list puts out, in quotes.
    Output(Vec<Runs>),
    /// The same as names of files: words of their own.
    Names(Vec<Runs>),
}

impl Runs {
    /// Whether its input is a file.
    pub(super) fn opens_file(&self) -> bool {
        self.redirections.iter().any(|redirection| redirection.starts_with("< "))
    }

    /// The words of this command and of all in it.
    pub(super) fn all_words(&self) -> Vec<&[String]> {
        match &self.does {
            Does::Command { words, inserted, .. } => {
                let inner = inserted.iter().flat_map(Inserted::runs).flat_map(Self::all_words);
                [words.as_slice()].into_iter().chain(inner).collect()
            }
            Does::Move(_) => Vec::new(),
            Does::Group(_, runs) => runs.iter().flat_map(Self::all_words).collect(),
        }
    }

    /// Every path that this command and all in it name or look through.
    pub(super) fn all_reads(&self) -> Vec<PathBuf> {
        let inner: Vec<&Self> = match &self.does {
            Does::Command { inserted, .. } => inserted.iter().flat_map(Inserted::runs).collect(),
            Does::Move(_) => Vec::new(),
            Does::Group(_, runs) => runs.iter().collect(),
        };
        self.reads.iter().cloned().chain(inner.into_iter().flat_map(Self::all_reads)).collect()
    }
}

impl Inserted {
    fn runs(&self) -> &[Runs] {
        match self {
            Self::Variable(_) => &[],
            Self::Output(runs) | Self::Names(runs) => runs,
        }
    }

    fn text(&self, which: Words) -> String {
        match self {
            Self::Variable(name) => format!("\"${name}\""),
            Self::Output(runs) => format!("\"$( {} )\"", written(runs, which)),
            Self::Names(runs) => format!("$( {} )", written(runs, which)),
        }
    }
}

/// Whether the shell puts something into the word.
pub(super) fn has_inserted(word: &str) -> bool {
    word.chars().any(|c| number_of(c).is_some())
}

pub(super) fn number_of(c: char) -> Option<usize> {
    let number = u32::from(c).checked_sub(FIRST).filter(|number| *number < 0x1000)?;
    usize::try_from(number).ok()
}

/// Which words of a command are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    /// Those of the line.
    Meant,
    /// Those that run.
    Run,
}

/// The text that runs for these commands.
pub(super) fn text_of(runs: &[Runs]) -> String {
    written(runs, Words::Run)
}

/// A text for these commands that says what the line said, each word of a loop by itself.
pub(super) fn meaning_of(runs: &[Runs]) -> String {
    written(runs, Words::Meant)
}

fn written(runs: &[Runs], which: Words) -> String {
    let mut text = String::new();
    for (at, run) in runs.iter().enumerate() {
        if at > 0 {
            text.push_str(run.joint.text());
        }
        let command = match &run.does {
            Does::Command { meant, words, inserted } => {
                let words = if which == Words::Meant { meant } else { words };
                let words: Vec<String> = words.iter().map(|word| word_of(word, inserted, which)).collect();
                words.join(" ")
            }
            Does::Group(Group::Subshell, runs) => format!("( {} )", written(runs, which)),
            Does::Group(Group::Braces, runs) => format!("{{ {}; }}", written(runs, which)),
            Does::Move(to) => format!("cd {}", quoted(&to.to_string_lossy())),
        };
        text.push_str(&command);
        let rest = runs.get(at + 1..).unwrap_or_default();
        let hangs = rest.iter().all(|run| matches!(run.joint, Joint::And | Joint::Pipe));
        if matches!(run.does, Does::Move(_)) && !hangs {
            // what does not depend on the `cd` by `&&` would run in another directory if that failed
            let rest = format!(" && {{ {}; }}", written(rest, which));
            return text + &rest;
        }
        for redirection in &run.redirections {
            text.push(' ');
            text.push_str(redirection);
        }
    }
    text
}

/// The word as a shell reads it.
fn word_of(word: &str, inserted: &[Inserted], which: Words) -> String {
    let mut text = String::new();
    let mut plain = String::new();
    for c in word.chars() {
        match number_of(c).and_then(|number| inserted.get(number)) {
            Some(insert) => {
                if !plain.is_empty() {
                    text.push_str(&quoted(&std::mem::take(&mut plain)));
                }
                text.push_str(&insert.text(which));
            }
            None => plain.push(c),
        }
    }
    if text.is_empty() || !plain.is_empty() {
        text.push_str(&quoted(&plain));
    }
    text
}
