//! What an endpoint has shown in this process: one value for all services that ask it.
//!
//! Tables say what is known of a host and of a model's family before the first request; here stands what came to light
//! since: a field that was refused, the first answer, the first call. It outlives switches of key, model and session, and dies
//! with the process: a server that was set right should not be remembered as it was. The surprising decision: it is asked
//! anew for each request, so that what one request teaches holds for the next one, whoever sends it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::dialect::{Dialect, Quirk};
use super::estimate::{self, Estimate, Measured, Verdict};
use crate::chat::answer::accumulate::{Opening, TextCalls};
use crate::protocol::{ModelId, Usage};

/// Of requests in a row that look cut, this one is told of: the first may have an explanation.
const TELLING: u32 = 2;

/// What is known of one endpoint.
#[derive(Debug)]
pub struct EndpointMemory {
    host: String,
    /// Lines that an answer has left open and no request has taken since. One that was closed meanwhile is counted too.
    open_lines: AtomicUsize,
    shown: Mutex<Shown>,
}

/// What it has shown.
#[derive(Debug, Default)]
struct Shown {
    /// Whether an answer came with calls that were sent as calls.
    native_calls: bool,
    /// How the last answer came.
    arrival: Option<Arrival>,
    models: HashMap<ModelId, OfModel>,
}

/// What it has shown of one model.
#[derive(Debug, Default)]
struct OfModel {
    /// What its refusals have taught, oldest first, each once.
    lessons: Vec<Quirk>,
    /// What its answers begin with.
    opening: Opening,
    counts: Counts,
    cut: Cut,
    probe: Probe,
}

/// Whether it was asked in one piece what a stream without a byte hides.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Probe {
    #[default]
    Left,
    Taken,
}

/// Whether it counts tokens where it is not asked to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Counts {
    #[default]
    Unknown,
    /// It does not, and the user knows.
    Missing,
}

/// Whether it sees all that is sent.
#[derive(Debug, Default)]
enum Cut {
    /// As far as one can see.
    #[default]
    Unseen,
    /// So many requests in a row looked cut; and what was counted when all was well.
    Watched { in_a_row: u32, well: Measured },
    /// Its counts cannot tell.
    Untold,
    /// It does not, and the user knows.
    Told,
}

/// The line that a request goes out on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Line {
    /// A new one.
    Fresh,
    /// One that an answer has left open, as far as is known.
    Used,
}

/// How an answer comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Arrival {
    /// In events, as it is made.
    Streamed,
    /// In one piece.
    Whole,
}

impl EndpointMemory {
    /// An endpoint at `host` (with or without a port) that has shown nothing yet.
    #[must_use]
    pub fn of_host(host: &str) -> Self {
        Self { host: host.to_owned(), open_lines: AtomicUsize::new(0), shown: Mutex::default() }
    }

    /// How to write to it for `model`.
    #[must_use]
    pub fn dialect(&self, model: &ModelId) -> Dialect {
        self.lessons(model).into_iter().fold(self.known(model), Dialect::with)
    }

    /// The same but for what it has shown.
    #[must_use]
    pub fn known(&self, model: &ModelId) -> Dialect {
        Dialect::of(&self.host, model.as_str())
    }

    /// What its refusals for `model` have taught, oldest first.
    #[must_use]
    pub fn lessons(&self, model: &ModelId) -> Vec<Quirk> {
        self.shown().models.get(model).map(|shown| shown.lessons.clone()).unwrap_or_default()
    }

    /// A refusal has taught `quirk`. Whether that is new: a lesson is learnt once, and what it did not mend it never will.
    #[must_use]
    pub fn learn(&self, model: &ModelId, quirk: Quirk) -> bool {
        let mut shown = self.shown();
        let lessons = &mut shown.of(model).lessons;
        let is_new = !lessons.contains(&quirk);
        if is_new {
            lessons.push(quirk);
        }
        is_new
    }

    /// Which texts count as calls where `wanted` do: none once it has sent a call as a call.
    #[must_use]
    pub fn text_calls(&self, wanted: TextCalls) -> TextCalls {
        if self.shown().native_calls { TextCalls::Off } else { wanted }
    }

    /// What answers of `model` begin with.
    #[must_use]
    pub fn opening(&self, model: &ModelId) -> Opening {
        self.shown().models.get(model).map(|shown| shown.opening).unwrap_or_default()
    }

    /// An answer of `model` began so.
    pub fn note_opening(&self, model: &ModelId, opening: Opening) {
        self.shown().of(model).opening = opening;
    }

    /// An answer came with calls that were sent as calls.
    pub fn note_native_calls(&self) {
        self.shown().native_calls = true;
    }

    /// How its last answer came; none where none has come.
    #[must_use]
    pub fn arrival(&self) -> Option<Arrival> {
        self.shown().arrival
    }

    /// An answer came so.
    pub fn note_arrival(&self, arrival: Arrival) {
        self.shown().arrival = Some(arrival);
    }

    /// A stream of `model` came without a byte. Whether to ask in one piece what is wrong: once.
    #[must_use]
    pub fn take_probe(&self, model: &ModelId) -> bool {
        std::mem::replace(&mut self.shown().of(model).probe, Probe::Taken) == Probe::Left
    }

    /// An answer has ended, and its line stays open for the next request.
    pub fn note_line(&self) {
        self.open_lines.fetch_add(1, Ordering::Relaxed);
    }

    /// The line for a request: nothing tells which one it gets, but one that was left open is taken before a new one is made.
    #[must_use]
    pub fn take_line(&self) -> Line {
        let less = |lines: usize| lines.checked_sub(1);
        match self.open_lines.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            Ok(_) => Line::Used,
            Err(_) => Line::Fresh,
        }
    }

    /// An answer of `model` came without counts. Whether the user is to be told: once.
    #[must_use]
    pub fn note_no_counts(&self, model: &ModelId) -> bool {
        std::mem::replace(&mut self.shown().of(model).counts, Counts::Missing) == Counts::Unknown
    }

    /// It counted `usage` for what `estimate` says was sent to `model`. Whether the user is to be told that it does not
    /// see all of that: once, and not of a single odd count where that has another explanation.
    #[must_use]
    pub(in crate::chat) fn note_count(&self, model: &ModelId, estimate: &Estimate, usage: Usage) -> bool {
        let mut shown = self.shown();
        let cut = &mut shown.of(model).cut;
        let (in_a_row, well) = match cut {
            Cut::Untold | Cut::Told => return false,
            Cut::Unseen => (0, None),
            Cut::Watched { in_a_row, well } => (*in_a_row, Some(&*well)),
        };
        let (is_told, next) = match estimate::judge(estimate, usage, well) {
            Verdict::Unknown => return false,
            Verdict::CountsOnlyNew => (false, Cut::Untold),
            Verdict::Whole => (false, Cut::Watched { in_a_row: 0, well: estimate.measured(usage) }),
            Verdict::Cut if in_a_row + 1 < TELLING => {
                let well = well.cloned().unwrap_or_else(|| estimate.measured(usage));
                (false, Cut::Watched { in_a_row: in_a_row + 1, well })
            }
            Verdict::Cut | Verdict::CutForSure => (true, Cut::Told),
        };
        *cut = next;
        is_told
    }

    /// What has come to light, in words: a line for each thing that is different from what was known before.
    #[must_use]
    pub fn learned(&self) -> Vec<String> {
        let shown = self.shown();
        let mut lines: Vec<String> = shown
            .models
            .iter()
            .filter_map(|(model, shown)| {
                let words = shown.words();
                (!words.is_empty()).then(|| format!("{model}: {}", words.join("; ")))
            })
            .collect();
        lines.sort();
        lines
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shown {
    fn of(&mut self, model: &ModelId) -> &mut OfModel {
        self.models.entry(model.clone()).or_default()
    }
}

impl OfModel {
    fn words(&self) -> Vec<String> {
        let lessons = self.lessons.iter().map(|quirk| quirk.words().into_owned());
        let opening = match self.opening {
            Opening::Text => None,
            Opening::Thoughts => Some("answers begin with reasoning"),
        };
        let cut = match self.cut {
            Cut::Unseen | Cut::Watched { .. } | Cut::Untold => None,
            Cut::Told => Some("the server truncates long conversations"),
        };
        let counts = match self.counts {
            Counts::Unknown => None,
            Counts::Missing => Some("token usage is not reported"),
        };
        let others = [opening, cut, counts].into_iter().flatten().map(str::to_owned);
        lessons.chain(others).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::dialect::{AskUsage, Effort, Images, Level, OfferTools};
    use super::*;

    const NO_USAGE: Quirk = Quirk::Usage(AskUsage::No);

    fn memory() -> EndpointMemory {
        EndpointMemory::of_host("127.0.0.1:11434")
    }

    #[test]
    fn a_lesson_holds_for_its_model_and_is_learnt_once() {
        let (memory, model) = (memory(), ModelId::from("a"));
        assert!(memory.learn(&model, NO_USAGE));
        assert!(!memory.learn(&model, NO_USAGE));
        assert_eq!(memory.lessons(&model), [NO_USAGE]);
        assert_eq!(memory.dialect(&model).usage, AskUsage::No);
        assert_eq!(memory.dialect(&"b".into()).usage, AskUsage::Yes);
    }

    #[test]
    fn the_last_lesson_wins_over_the_tables() {
        let (memory, model) = (EndpointMemory::of_host("api.mistral.ai"), ModelId::from("a"));
        assert_eq!(memory.dialect(&model).usage, AskUsage::No);
        assert!(memory.learn(&model, Quirk::Usage(AskUsage::Yes)));
        assert_eq!(memory.dialect(&model).usage, AskUsage::Yes);
    }

    #[test]
    fn what_has_been_shown_is_remembered() {
        let (memory, model) = (memory(), ModelId::from("a"));
        assert_eq!(memory.text_calls(TextCalls::Tags), TextCalls::Tags);
        memory.note_native_calls();
        assert_eq!(memory.text_calls(TextCalls::Tags), TextCalls::Off);
        memory.note_opening(&model, Opening::Thoughts);
        assert_eq!(memory.opening(&model), Opening::Thoughts);
        assert_eq!(memory.opening(&"b".into()), Opening::Text);
        assert!(memory.note_no_counts(&model) && !memory.note_no_counts(&model));
    }

    #[test]
    fn a_line_that_was_left_open_is_taken_once() {
        let memory = memory();
        memory.note_line();
        assert_eq!([memory.take_line(), memory.take_line()], [Line::Used, Line::Fresh]);
    }

    #[test]
    fn what_came_to_light_can_be_said() {
        let memory = memory();
        assert_eq!(memory.learned(), [""; 0]);
        let low = Quirk::Effort(Effort::Fixed(Level::Low));
        for (model, quirk) in [("b", Quirk::Tools(OfferTools::LeftOut)), ("b", low), ("a", NO_USAGE)] {
            assert!(memory.learn(&model.into(), quirk));
        }
        assert!(memory.learn(&"a".into(), Quirk::Images(Images::Told)));
        memory.note_opening(&"a".into(), Opening::Thoughts);
        assert_eq!(
            memory.learned(),
            [
                "a: token usage is not requested; images are not sent; answers begin with reasoning",
                "b: tools are not sent; reasoning_effort is low",
            ]
        );
    }
}
