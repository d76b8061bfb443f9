//! The fault matrix: what can go wrong between here and a model, row by row, against a server on a bare socket.
//!
//! Driven is the whole stack as the program builds it, `Fallback(Retry(OpenAiChatService))`, with real connections. A row is
//! a kind of fault, a case is data: answers as bytes, and what must come of them. Common to all of them: no panic, no hang,
//! one line for a person without control characters and without a key, an answer that can be kept and read back. Pauses are
//! told but not waited for; patience is short where a case is about silence.

mod answer;
mod run;
mod server;

mod broken;
mod busy;
mod calls;
mod cancel;
mod flood;
mod odd;
mod reach;
mod refused;
mod stream;
mod window;

use std::collections::BTreeMap;
use std::time::Duration;

use answer::Answer;
use run::check_all;

use super::Remedy;
use crate::protocol::{NoticeKind, StopReason};

/// One case of a row.
#[derive(Debug, Clone)]
pub(super) struct Case {
    row: &'static str,
    name: String,
    answers: Vec<Answer>,
    setup: Setup,
    expect: Expect,
}

/// How the stack stands there.
#[derive(Debug, Clone)]
struct Setup {
    place: Place,
    keys: usize,
    models: Vec<&'static str>,
    max_retries: u32,
    /// For the first byte, and for each one after it.
    patience: (Duration, Duration),
    /// Whether the request is a large one, of some megabytes.
    large: bool,
    /// Asked before, so that the case is not the process's first answer.
    warm: bool,
}

/// Where the endpoint seems to be.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    /// At the server.
    Here,
    /// At the server, without `/v1`.
    Bare,
    /// At the server, over TLS.
    Secure,
    /// At the port where it was before it ended.
    Gone,
    /// At a host without a name.
    Nowhere,
    /// At another host, and the server is the proxy; over TLS or not.
    BehindProxy { secure: bool },
    /// At another host, behind a proxy that is not there.
    BehindGoneProxy,
}

#[derive(Debug, Clone)]
struct Expect {
    outcome: Outcome,
    /// As in `1/5` and `1/2!`; not looked at where nothing is said.
    retries: Option<Vec<&'static str>>,
    /// In milliseconds.
    delays: Option<Vec<u64>>,
    notices: Vec<(NoticeKind, &'static str)>,
}

#[derive(Debug, Clone)]
enum Outcome {
    /// An answer of this text.
    Says { text: String, stop: StopReason, cut: bool, usage: Counts },
    /// An answer of these calls, each `id|name|arguments`.
    Calls(Vec<String>),
    /// So many calls.
    CallCount(usize),
    /// An error with these words.
    Fails { remedy: Kind, status: Option<u16>, words: Vec<String> },
    /// Dropped there; then the next request gets its answer.
    Dropped { at: Point },
}

/// Where an answer is dropped by its caller.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Point {
    /// After so many events.
    Events(usize),
    /// After so many bytes of text, in however many events they come.
    Text(usize),
}

/// What is expected of the counts of an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Counts {
    Any,
    Unknown,
    /// Of the prompt and of the answer.
    Are(u64, u64),
}

/// A remedy without its pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Retry,
    NextKey,
    NextModel,
    Compact,
    GiveUp,
}

/// A case that still wants its end to be told.
fn case(row: &'static str, name: impl Into<String>, answers: impl IntoIterator<Item = Answer>) -> Case {
    let says =
        Outcome::Says { text: "Hello".to_owned(), stop: StopReason::EndTurn, cut: false, usage: Counts::Any };
    Case {
        row,
        name: name.into(),
        answers: answers.into_iter().collect(),
        setup: Setup {
            place: Place::Here,
            keys: 1,
            models: Vec::new(),
            max_retries: 5,
            patience: (Duration::from_secs(10), Duration::from_secs(10)),
            large: false,
            warm: false,
        },
        expect: Expect { outcome: says, retries: None, delays: None, notices: Vec::new() },
    }
}

impl Case {
    fn says(mut self, expected: &str) -> Self {
        if let Outcome::Says { text, .. } = &mut self.expect.outcome {
            expected.clone_into(text);
        }
        self
    }

    fn stops(mut self, expected: StopReason) -> Self {
        if let Outcome::Says { stop, .. } = &mut self.expect.outcome {
            *stop = expected;
        }
        self
    }

    fn cut(mut self) -> Self {
        if let Outcome::Says { cut, stop, .. } = &mut self.expect.outcome {
            (*cut, *stop) = (true, StopReason::MaxTokens);
        }
        self
    }

    fn counts(mut self, expected: Counts) -> Self {
        if let Outcome::Says { usage, .. } = &mut self.expect.outcome {
            *usage = expected;
        }
        self
    }

    fn calls<'a>(mut self, calls: impl IntoIterator<Item = &'a str>) -> Self {
        self.expect.outcome = Outcome::Calls(calls.into_iter().map(str::to_owned).collect());
        self
    }

    fn call_count(mut self, count: usize) -> Self {
        self.expect.outcome = Outcome::CallCount(count);
        self
    }

    fn fails(mut self, remedy: Kind, status: impl Into<Option<u16>>, words: &[&str]) -> Self {
        let words = words.iter().map(|&word| word.to_owned()).collect();
        self.expect.outcome = Outcome::Fails { remedy, status: status.into(), words };
        self
    }

    /// Dropped by the caller there.
    fn dropped(mut self, at: Point) -> Self {
        self.expect.outcome = Outcome::Dropped { at };
        self
    }

    fn retries(mut self, retries: &[&'static str]) -> Self {
        self.expect.retries = Some(retries.to_vec());
        self
    }

    fn delays(mut self, milliseconds: &[u64]) -> Self {
        self.expect.delays = Some(milliseconds.to_vec());
        self
    }

    fn notice(mut self, kind: NoticeKind, words: &'static str) -> Self {
        self.expect.notices.push((kind, words));
        self
    }

    fn at(mut self, place: Place) -> Self {
        self.setup.place = place;
        self
    }

    fn keys(mut self, keys: usize) -> Self {
        self.setup.keys = keys;
        self
    }

    fn models(mut self, models: &[&'static str]) -> Self {
        self.setup.models = models.to_vec();
        self
    }

    fn max_retries(mut self, max_retries: u32) -> Self {
        self.setup.max_retries = max_retries;
        self
    }

    fn patience(mut self, first_byte: u64, idle: u64) -> Self {
        self.setup.patience = (Duration::from_millis(first_byte), Duration::from_millis(idle));
        self
    }

    fn large(mut self) -> Self {
        self.setup.large = true;
        self
    }

    fn warm(mut self) -> Self {
        self.setup.warm = true;
        self
    }
}

impl From<&Remedy> for Kind {
    fn from(remedy: &Remedy) -> Self {
        match remedy {
            Remedy::Retry { .. } => Self::Retry,
            Remedy::NextKey => Self::NextKey,
            Remedy::NextModel => Self::NextModel,
            Remedy::Compact => Self::Compact,
            Remedy::GiveUp => Self::GiveUp,
        }
    }
}

fn all() -> Vec<Case> {
    let groups = [
        reach::cases(),
        refused::cases(),
        busy::cases(),
        broken::cases(),
        stream::cases(),
        calls::cases(),
        flood::cases(),
        window::cases(),
        odd::cases(),
        cancel::cases(),
    ];
    groups.concat()
}

/// A row of which a case goes missing is told, and so is a case that stands there twice.
#[test]
fn each_row_has_its_cases() {
    let mut rows = BTreeMap::<&str, usize>::new();
    let mut names = std::collections::BTreeSet::new();
    for case in all() {
        *rows.entry(case.row).or_default() += 1;
        assert!(names.insert((case.row, case.name.clone())), "{} {} stands there twice", case.row, case.name);
    }
    for row in (1..=30).map(|number| format!("L{number:02}")) {
        let count = rows.get(row.as_str()).copied().unwrap_or_default();
        assert!(count >= 3, "{row} has {count} cases: {rows:?}");
    }
    let count: usize = rows.values().sum();
    assert!(count >= 220, "{count} cases: {rows:?}");
}
