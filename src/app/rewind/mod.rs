//! `/rewind` and `/redo`: the conversation, the files or both as they were when an earlier message was said, and back again.
//!
//! A way back (or forth) goes in steps, since files take their time and the conversation is written by one hand: what there is
//! to do is taken from the history ([`App::going`]), images of the files as they are now are kept ([`Going::keep`]), what is to
//! happen is written down ([`App::set_out`]), the files are put back ([`Going::put_back`]), and what the model knows of files
//! follows ([`App::arrive`]). The steps that read and write files need nobody, and run beside everything else.
//!
//! The surprise: a redo leaves a file alone that somebody else has changed since the rewind, and names it. A rewind does not:
//! it was shown before, and what it replaces can be had back.

mod preview;

use std::path::Path;
use std::sync::Arc;

use super::sessions::age;
use super::{App, shown};
use crate::conversation::Conversation;
use crate::os::env::Env;
use crate::protocol::history::Past;
use crate::protocol::{ChangedBy, History, Message, Origin, Todo};
use crate::text::units;
use crate::workbench::Workbench;
use crate::workbench::restore::{self, Hand, Kept};

pub use preview::{FileRow, Preview};

/// Files that were not put back which are named.
const MOST_FAILED: usize = 40;
/// Characters of a message by which it is told.
const TITLE: usize = 200;

/// A message that one can go back to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// Its position.
    pub position: usize,
    /// What was said.
    pub words: String,
    /// When, and how many files have changed since.
    pub about: String,
}

/// How far a rewind reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The conversation and the files.
    Both,
    /// What was said.
    Conversation,
    /// The files.
    Files,
}

/// Which way it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Back to before the message at this position.
    Back(usize, Reach),
    /// Where the last rewind came from.
    Forth,
}

/// A way that is gone.
pub struct Going {
    way: Way,
    /// The words of the message that it goes back to.
    taken: String,
    /// The same in a line.
    words: String,
    /// How many messages it takes away or gives back.
    messages: usize,
    /// Files as they should be.
    past: Past,
    /// When they were so, in milliseconds since 1970.
    since: u64,
    kept: Kept,
    /// Files that are left alone.
    left: Vec<String>,
    bench: Arc<Workbench>,
    place: Place,
}

/// How a path is told.
struct Place {
    cwd: std::path::PathBuf,
    env: Env,
}

/// What has become of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrived {
    /// What was done, in a line.
    pub said: String,
    /// What no longer counts of what stands on the screen, where anything does.
    pub void: Option<String>,
    /// What could not be put back: which and why, a line each.
    pub failed: Vec<String>,
    /// The words that were taken back.
    pub words: Option<String>,
    /// The model's list of steps, as it is now.
    pub todos: Vec<Todo>,
    /// Tokens of the last request that still counts, where that is another one now; 0 where none does.
    pub context: Option<u64>,
}

impl App {
    /// The messages that one can go back to, newest first.
    #[must_use]
    pub fn points(&self, conversation: &Conversation) -> Vec<Point> {
        let history = conversation.history();
        let said: Vec<_> = history.all().rev().filter(|slot| is_point(&slot.message)).collect();
        let positions: Vec<usize> = said.iter().map(|slot| slot.position).collect();
        let now = self.clock.now_ms();
        let point = |(slot, files): (&&Arc<crate::protocol::Slot>, usize)| {
            let mut about = age(now.saturating_sub(slot.timestamp));
            if files > 0 {
                about = format!("{about} · {}", units::counted(files as u64, "file", "files"));
            }
            Point { position: slot.position, words: in_a_line(&words_of(&slot.message)), about }
        };
        said.iter().zip(history.changed_since(&positions)).map(point).collect()
    }

    /// What there is to do on this way.
    ///
    /// # Errors
    /// Where it leads nowhere, or something else goes on: why.
    pub fn going(&self, conversation: &Conversation, way: Way) -> Result<Going, String> {
        if !conversation.is_at_rest() {
            return Err("not possible during a run (try Esc to stop it)".to_owned());
        }
        let history = conversation.history();
        let (taken, messages, past, since) = match way {
            Way::Back(to, _) => {
                let message = history.all().find(|slot| slot.position == to && is_point(&slot.message));
                let message = message.ok_or("that message is no longer part of the conversation")?;
                let behind = history.all().filter(|slot| slot.position >= to).count();
                (words_of(&message.message), behind, history.files_at(to), message.timestamp)
            }
            Way::Forth => {
                let undone = history
                    .redoable()
                    .ok_or("nothing to redo: /redo undoes a /rewind until you send the next message")?;
                // what is not as the rewind left it stays, so nothing older can be there
                (String::new(), undone.messages, Past::before(undone.files), 0)
            }
        };
        let place = Place { cwd: self.place.cwd.clone(), env: self.place.env.clone() };
        let bench = Arc::clone(conversation.bench());
        let (kept, left) = (Kept::default(), Vec::new());
        let words = in_a_line(&taken);
        Ok(Going { way, taken, words, messages, past, since, kept, left, bench, place })
    }

    /// Writes down what is about to happen. Says no where something has begun meanwhile.
    ///
    /// # Errors
    /// Then nothing is written, and nothing may happen.
    pub fn set_out(&self, conversation: &mut Conversation, going: &Going) -> Result<(), String> {
        if !conversation.is_at_rest() {
            return Err("another run has started meanwhile: nothing was changed".to_owned());
        }
        let by = match going.way {
            Way::Back(_, Reach::Files) if going.kept.saved.is_empty() => return Ok(()),
            Way::Back(_, Reach::Files) => {
                conversation.rewind_files();
                ChangedBy::Rewind
            }
            Way::Back(to, Reach::Both | Reach::Conversation) => {
                conversation.rewind(to);
                ChangedBy::Rewind
            }
            Way::Forth => ChangedBy::Redo,
        };
        conversation.replaces(by, going.kept.saved.clone());
        Ok(())
    }

    /// What follows once the files are put back; `failed` are those that could not be.
    #[must_use]
    pub fn arrive(&self, conversation: &mut Conversation, going: Going, failed: Vec<String>) -> Arrived {
        if going.way == Way::Forth {
            conversation.redo();
        }
        let bench = Arc::clone(conversation.bench());
        bench.files().forget();
        bench.guides().forget();
        self.furnish(&bench, conversation.policy_cell(), conversation.history());
        let files = going.kept.files().saturating_sub(failed.len());
        let failed = shortened([going.kept.failed.clone(), failed].concat());
        let takes_back = matches!(going.way, Way::Back(_, Reach::Both | Reach::Conversation));
        let is_other = takes_back || (going.way == Way::Forth && going.messages > 0);
        Arrived {
            said: going.said(files),
            void: takes_back.then(|| {
                format!(
                    "Everything above from “{}” on is no longer part of the conversation.",
                    short(&going.words)
                )
            }),
            failed,
            words: takes_back.then_some(going.taken),
            todos: bench.todos().list(),
            context: is_other.then(|| context_of(conversation.history())),
        }
    }
}

/// As many of them as somebody reads.
fn shortened(mut failed: Vec<String>) -> Vec<String> {
    let more = failed.len().saturating_sub(MOST_FAILED);
    failed.truncate(MOST_FAILED);
    failed.extend((more > 0).then(|| format!("and {more} more")));
    failed
}

/// What is to be said of a session that goes on where files were put back last: whether all of them were, as far as can be seen.
/// Reads files.
pub(super) fn cut_off(history: &History) -> Option<String> {
    let files = history.redoable()?.files;
    let untouched = restore::untouched(files);
    (untouched > 0).then(|| {
        let all = units::counted(files.len() as u64, "file", "files");
        format!(
            "The last rewind or redo was interrupted: {untouched} of {all} not restored. Run /redo to undo \
             it, then /rewind again."
        )
    })
}

impl Going {
    /// Takes images of the files that are not as they shall be. Reads files.
    #[must_use]
    pub fn keep(mut self) -> Self {
        if self.takes_files() {
            let mut plan = restore::plan(&self.past, self.since);
            if self.way == Way::Forth {
                let foreign = plan.differences.extract_if(.., |difference| difference.hand == Hand::Other);
                self.left = foreign.map(|difference| self.place.name(&difference.path)).collect();
            }
            self.kept = restore::keep(self.bench.blobs(), plan);
        }
        self
    }

    /// Puts the files back; says which could not be, and why. Writes files.
    #[must_use]
    pub fn put_back(&self) -> Vec<String> {
        let failed = restore::put_back(self.bench.blobs(), &self.kept);
        if self.takes_files() {
            restore::remove_left_over(&self.past);
        }
        // a command that follows has not changed them
        let files = self.kept.saved.iter().flat_map(|file| [Some(&file.path), file.from.as_ref()]);
        self.bench.snapshots().changed_by_us(files.flatten().map(Path::new));
        self.bench.snapshots().begin_message();
        failed
    }

    fn takes_files(&self) -> bool {
        self.way == Way::Forth || matches!(self.way, Way::Back(_, Reach::Both | Reach::Files))
    }

    /// What was done, in a line.
    fn said(&self, files: usize) -> String {
        let mut done = Vec::new();
        if self.takes_files() && (files > 0 || self.way != Way::Forth) {
            done.push(match files {
                0 if !self.kept.failed.is_empty() => "no files restored".to_owned(),
                0 if !self.kept.differences.is_empty() => "directories".to_owned(),
                0 => "no files changed".to_owned(),
                files => units::counted(files as u64, "file", "files"),
            });
        }
        let of_conversation = match self.way {
            Way::Back(_, Reach::Files) => false,
            Way::Back(_, Reach::Both | Reach::Conversation) => true,
            Way::Forth => self.messages > 0,
        };
        if of_conversation {
            let messages = units::counted(self.messages as u64, "message", "messages");
            done.push(format!("conversation ({messages})"));
        }
        let done = done.join(", ");
        match self.way {
            Way::Back(_, Reach::Files) if self.kept.saved.is_empty() && !self.kept.failed.is_empty() => {
                format!("No files were restored, although some have changed since “{}”", short(&self.words))
            }
            Way::Back(_, Reach::Files) if self.kept.saved.is_empty() => {
                format!(
                    "No files have changed since “{}”, as far as clawd knows: nothing to restore",
                    short(&self.words)
                )
            }
            Way::Back(..) => format!("Rewound to “{}”: {done}. /redo undoes this", short(&self.words)),
            Way::Forth if self.left.is_empty() => format!("Redone: {done}"),
            Way::Forth => {
                let left = self.left.join(", ");
                let done = if done.is_empty() { "nothing" } else { &done };
                format!("Redone: {done}. Unchanged, because modified after the rewind: {left}")
            }
        }
    }
}

impl Place {
    /// A path as a person names it.
    fn name(&self, path: &Path) -> String {
        match path.strip_prefix(&self.cwd) {
            Ok(below) => below.display().to_string(),
            Err(_) => shown(&self.env, path),
        }
    }
}

/// Whether one can go back to it: somebody has typed it.
fn is_point(message: &Message) -> bool {
    match message {
        Message::User(user) => match user.origin {
            Origin::User | Origin::Queued | Origin::Command => true,
            Origin::Nudge | Origin::Note | Origin::Reminder | Origin::Hook | Origin::Shell => false,
        },
        Message::Assistant(_) | Message::Tool(_) => false,
    }
}

fn words_of(message: &Message) -> String {
    match message {
        Message::User(user) => user.words(),
        Message::Assistant(_) | Message::Tool(_) => String::new(),
    }
}

/// The beginning of what was said, in a line.
fn in_a_line(words: &str) -> String {
    let words: String = words.chars().take(TITLE).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginning of it.
fn short(words: &str) -> String {
    const MOST: usize = 40;
    match words.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default().trim_end()),
        None => words.to_owned(),
    }
}

/// Tokens of the last request that still counts.
fn context_of(history: &History) -> u64 {
    let usage = history.messages().rev().find_map(|message| match message {
        Message::Assistant(said) => said.usage,
        Message::User(_) | Message::Tool(_) => None,
    });
    usage.map_or(0, |usage| usage.prompt_tokens.saturating_add(usage.completion_tokens))
}
