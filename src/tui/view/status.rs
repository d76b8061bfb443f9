//! The two lines that tell how things stand: what a run waits for, and the facts at the bottom.
//!
//! A run never just spins: the line always says what is being waited for, and since when.

use std::time::Duration;

use ratatui::text::{Line, Span};

use super::brush::{Brush, DOT, Fact, INDENT, elapsed, one_line};
use super::theme::Role;
use super::wrap::{fit, width};
use crate::app::Motion;
use crate::protocol::Waiting;
use crate::text::units;
use crate::tui::model::facts::Facts;
use crate::tui::model::moment::Moment;
use crate::tui::model::run::{RunView, Stopping};
use crate::tui::model::vim::Mode;
use crate::tui::model::{Model, Stage};

/// One step of the spinner lasts so long, in milliseconds: quick enough to look alive, slow enough to cost nothing.
pub const SPINNER_STEP: u64 = 120;

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// How long a second Ctrl+C leaves (the outside contract), and a second Esc goes back.
const LEAVE: Duration = Duration::from_secs(2);

/// From here on a wait is told in words (the outside contract).
const LONG: Duration = Duration::from_secs(10);

/// Columns of a cause: in fewer nobody finds one.
const CAUSE: usize = 12;

const ESC: &str = "esc to interrupt";
const BACKGROUND: &str = "ctrl+b to background";

/// A retry counts as lasting so long: it is told at once, and how long it is waited for stands in it.
const RETRY: Duration = Duration::from_secs(1);

/// A command that runs longer may be one to be moved to the background.
const LASTS: Duration = Duration::from_secs(2);

/// What is waited for, in the parts of its line.
#[derive(Default)]
struct Wait {
    what: String,
    since: Option<String>,
    more: More,
}

/// What else there is to know of a wait.
#[derive(Default)]
enum More {
    #[default]
    Nothing,
    /// Left away where it does not fit.
    Limit(String),
    /// Foreign words, cut to the room there is.
    Cause(String),
    /// Another key, behind that which ends the run; the first to be left away.
    Key(&'static str),
}

/// What the run waits for, if there is one.
pub(super) fn waiting(model: &Model, now: Moment, brush: Brush) -> Vec<Line<'static>> {
    let Some(run) = &model.run else { return Vec::new() };
    let (wait, esc) = match (&model.stage, run.stopping) {
        (_, Stopping::Yes) => (Wait { what: "stopping".to_owned(), ..Wait::default() }, None),
        // nothing moves here: it is the user's turn
        (Stage::Asking(_) | Stage::Answering(_) | Stage::AtLimit(_), Stopping::No) => {
            return vec![brush.line("waiting for your answer", Role::Dim)];
        }
        (
            Stage::Opening | Stage::Trusting(_) | Stage::Choosing(_) | Stage::Idle | Stage::Running,
            Stopping::No,
        ) => (waited_for(run, &model.facts, now), Some(ESC)),
    };
    let turns = (run.turns > 0).then(|| units::counted(run.turns.into(), "turn", "turns"));
    let line = |wait: &Wait, esc| wait.line(spinner(now, brush), turns.clone(), esc, brush);
    let whole = line(&wait, esc);
    let cause = match &wait.more {
        More::Cause(text) if wait.room(spinner(now, brush), esc, brush) < CAUSE.min(width(text)) => {
            Some(text.clone())
        }
        More::Cause(_) | More::Nothing | More::Limit(_) | More::Key(_) => None,
    };
    if whole.width() <= brush.columns && cause.is_none() {
        return vec![whole];
    }
    // whatever is foreign or long, the key is not what gives way; beside it there may be room for what went wrong
    let below = esc.map(|words| {
        let words = format!("{INDENT}{words}");
        let room = brush.columns.saturating_sub(width(&words) + width(DOT));
        let cause = cause.as_ref().filter(|_| room >= CAUSE);
        let cause = cause.map(|text| format!("{DOT}{}", fit(&Line::raw(text.clone()), room)));
        brush.line(words + &cause.unwrap_or_default(), Role::Dim)
    });
    let more = if cause.is_some() { More::Nothing } else { wait.more };
    std::iter::once(line(&Wait { more, ..wait }, None)).chain(below).collect()
}

/// What a run waits for, in words that stay as long as it does, and for how long already.
pub(super) fn words(run: &RunView, facts: &Facts, now: Moment) -> Option<(String, Duration)> {
    let since = |since| now.since(since);
    match &run.waiting {
        Waiting::Answer | Waiting::Call if now.since(run.heard) >= LONG => {
            Some(("no data".to_owned(), since(run.heard)))
        }
        // the answer itself is heard
        Waiting::Answer if run.thoughts.is_empty() => None,
        Waiting::Retry { attempt, of, delay, error } => {
            let cause = cause(error, &facts.host);
            let told = format!("retry {attempt} of {of} in {}{DOT}{cause}", units::duration(*delay));
            // news at once, and it goes by itself
            Some((told, RETRY))
        }
        Waiting::Connecting
        | Waiting::FirstByte
        | Waiting::Answer
        | Waiting::Call
        | Waiting::Tools
        | Waiting::Summary => {
            let wait = waited_for(run, facts, now);
            Some((wait.what, since(run.waiting_since)))
        }
    }
}

/// What a second Ctrl+C or Esc does, as long as it does it.
pub(super) fn leaves(model: &Model, now: Moment) -> Option<&'static str> {
    let is_soon = |pressed: &Moment| now.since(*pressed) < LEAVE;
    let leaves = model.recent.leave.filter(is_soon).map(|_| "Press Ctrl+C again to exit");
    leaves.or_else(|| model.recent.back.filter(is_soon).map(|_| "Press Esc again to rewind"))
}

/// What helps with a long wait, in at most one row.
pub(super) fn advice(model: &Model, now: Moment, brush: Brush) -> Option<Line<'static>> {
    let rows = advised(model, now)?.map(|words| format!("{INDENT}{words}"));
    let row = rows.into_iter().find(|row| width(row) <= brush.columns)?;
    Some(brush.line(row, Role::Dim))
}

/// The same, whatever the width.
pub(super) fn advice_words(model: &Model, now: Moment) -> Option<&'static str> {
    advised(model, now).map(|[whole, _short]| whole)
}

/// In many words and in few.
fn advised(model: &Model, now: Moment) -> Option<[&'static str; 2]> {
    let run = model.run.as_ref().filter(|run| run.stopping == Stopping::No)?;
    let is_long = matches!(model.stage, Stage::Running) && now.since(run.waiting_since) >= LONG;
    let words = match &run.waiting {
        Waiting::Connecting => {
            ["no connection yet: the server may be down, busy or unreachable", "no connection yet"]
        }
        Waiting::FirstByte => {
            ["a local model may take minutes to process a long prompt", "a local model may take minutes"]
        }
        Waiting::Answer | Waiting::Call | Waiting::Retry { .. } | Waiting::Tools | Waiting::Summary => {
            return None;
        }
    };
    is_long.then_some(words)
}

impl Wait {
    /// In one line, the keys behind it. A second key goes first where it is narrow, then the turns, then the limit.
    fn line(
        &self,
        spinner: Option<Span<'static>>,
        turns: Option<String>,
        esc: Option<&str>,
        brush: Brush,
    ) -> Line<'static> {
        let dim = |text: String| Fact::new(brush.span(text, Role::Dim));
        let room = self.room(spinner.clone(), esc, brush);
        let esc = esc.map(|words| dim(words.to_owned()));
        let mut facts = self.first(spinner, brush);
        facts.extend(match &self.more {
            More::Nothing | More::Key(_) => None,
            More::Limit(text) => Some(dim(text.clone()).rank(1)),
            More::Cause(text) if room < CAUSE.min(width(text)) => None,
            More::Cause(text) => Some(dim(fit(&Line::raw(text.clone()), room).to_string())),
        });
        facts.extend(turns.map(|turns| dim(turns).rank(2)));
        let key = match (&self.more, &esc) {
            (More::Key(words), Some(_)) => Some(dim((*words).to_owned()).rank(3)),
            (More::Key(_) | More::Nothing | More::Limit(_) | More::Cause(_), _) => None,
        };
        brush.facts(facts.into_iter().chain(esc).chain(key).collect())
    }
}

impl Wait {
    /// What is waited for, and since when.
    fn first(&self, spinner: Option<Span<'static>>, brush: Brush) -> Vec<Fact> {
        let plain = |text: &String| Fact::new(brush.span(text.clone(), Role::Plain)).after(" ");
        let mut facts: Vec<Fact> = spinner.into_iter().map(Fact::new).collect();
        facts.push(plain(&self.what));
        facts.extend(self.since.as_ref().map(plain));
        facts
    }

    /// The columns that this and the key leave for something else.
    fn room(&self, spinner: Option<Span<'static>>, esc: Option<&str>, brush: Brush) -> usize {
        let esc = esc.map(|words| Fact::new(Span::raw(words.to_owned())));
        let taken = self.first(spinner, brush).into_iter().chain(esc).collect();
        brush.columns.saturating_sub(brush.facts(taken).width() + width(DOT))
    }
}

/// A sign of life, where one may move.
fn spinner(now: Moment, brush: Brush) -> Option<Span<'static>> {
    let step = usize::try_from(now.0 / SPINNER_STEP).unwrap_or(0) % SPINNER.len();
    match brush.manner.motion {
        Motion::Full => Some(brush.span(SPINNER.get(step).copied().unwrap_or_default(), Role::Accent)),
        Motion::Reduced => None,
    }
}

/// What is waited for, and for how long already.
fn waited_for(run: &RunView, facts: &Facts, now: Moment) -> Wait {
    let wait = |what: &str, since| Wait {
        what: what.to_owned(),
        since: elapsed(now.since(since)),
        more: More::Nothing,
    };
    match &run.waiting {
        Waiting::Connecting if facts.host.is_empty() => wait("connecting", run.waiting_since),
        Waiting::Connecting => wait(&format!("connecting to {}", one_line(&facts.host)), run.waiting_since),
        Waiting::FirstByte => wait("waiting for a response", run.waiting_since),
        Waiting::Answer | Waiting::Call if now.since(run.heard) >= LONG => {
            silence(now.since(run.heard), facts)
        }
        Waiting::Answer if !run.thoughts.is_empty() => wait("thinking", run.thinking_since),
        Waiting::Answer => wait("answering", run.waiting_since),
        Waiting::Call => wait("writing a tool call", run.waiting_since),
        Waiting::Retry { attempt, of, delay, error } => {
            let left = delay.saturating_sub(now.since(run.waiting_since));
            let left = Duration::from_millis(
                u64::try_from(left.as_millis()).unwrap_or(u64::MAX).saturating_add(999),
            );
            let when = elapsed(left).map_or_else(|| "now".to_owned(), |time| format!("in {time}"));
            let what = format!("retry {attempt} of {of} {when}");
            Wait { what, since: None, more: More::Cause(cause(error, &facts.host)) }
        }
        Waiting::Summary => wait("summarizing the conversation", run.waiting_since),
        Waiting::Tools => {
            let first = run.calls.iter().map(|call| call.since).min();
            let since = first.unwrap_or(run.waiting_since);
            let command = run.calls.iter().any(|call| call.label.verb == "run");
            let more =
                if command && now.since(since) >= LASTS { More::Key(BACKGROUND) } else { More::Nothing };
            Wait { more, ..wait(&tools(run), since) }
        }
    }
}

/// What went wrong, in short: it always went wrong at the host that the head names.
fn cause(error: &str, host: &str) -> String {
    let error = one_line(error);
    error.strip_prefix(&one_line(host)).map_or(error.as_str(), str::trim_start).to_owned()
}

/// In the middle of an answer. Signs of life keep a try going beyond its limit; then the limit says nothing any more.
fn silence(time: Duration, facts: &Facts) -> Wait {
    let limit = facts.silence.filter(|limit| time < *limit);
    let told = |limit| format!("gives up after {}", units::duration(limit));
    Wait {
        what: format!("no data for {}", units::duration(time)),
        since: None,
        more: limit.map_or(More::Nothing, |limit| More::Limit(told(limit))),
    }
}

fn tools(run: &RunView) -> String {
    match run.calls.as_slice() {
        [] => "running tools".to_owned(),
        [call] => match call.label.verb.as_str() {
            "run" => "running a command".to_owned(),
            "read" => "reading a file".to_owned(),
            "write" => "writing a file".to_owned(),
            "edit" => "editing a file".to_owned(),
            "glob" | "grep" => "searching".to_owned(),
            "fetch" => "fetching a page".to_owned(),
            other => format!("running {}", one_line(other)),
        },
        calls => format!("running {} calls", calls.len()),
    }
}

/// The bottom line: model, mode, how full the window is, what was spent.
pub(super) fn line(model: &Model, now: Moment, brush: Brush) -> Line<'static> {
    if let Some(words) = leaves(model, now) {
        return brush.line(format!("{INDENT}{words}"), Role::Warn);
    }
    let (facts, meter) = (&model.facts, &model.meter);
    let fact = |text: String, role| Fact::new(brush.span(text, role));
    let mut told = Vec::new();
    let vim = model.composer.vim_mode().map(|mode| match mode {
        Mode::Insert => "INSERT",
        Mode::Normal => "NORMAL",
    });
    if model.tells_of_reading_at().is_some_and(|at| at <= now) {
        told.push(fact("loading the session".to_owned(), Role::Warn));
    }
    told.extend(vim.map(|word| fact(word.to_owned(), Role::Accent)));
    if !facts.model.is_empty() {
        told.push(fact(one_line(&facts.model), Role::Dim).rank(2));
    }
    if !facts.mode.is_empty() {
        let role = match facts.mode.as_str() {
            "bypass" => Role::Warn,
            "plan" => Role::Accent,
            _ => Role::Dim,
        };
        told.push(fact(one_line(&facts.mode), role));
    }
    if let Some(word) = &facts.sandbox {
        let role = if word.starts_with("sandbox") { Role::Dim } else { Role::Warn };
        told.push(fact(one_line(word), role).rank(1));
    }
    match model.aside.running() {
        0 => {}
        tasks => {
            let tasks = u64::try_from(tasks).unwrap_or(u64::MAX);
            told.push(fact(units::counted(tasks, "task", "tasks"), Role::Accent).rank(1));
        }
    }
    if meter.unsaved {
        told.push(fact("not saved".to_owned(), Role::Warn));
    }
    let context = match facts.window {
        // nothing was asked, or nobody counts: no share is better than a wrong one
        Some(window) if meter.context == 0 => Some(format!("{} context", units::tokens(window))),
        Some(window) => {
            Some(format!("{} of {}", units::percent(meter.context, window), units::tokens(window)))
        }
        None => (meter.context > 0).then(|| format!("{} in context", units::tokens(meter.context))),
    };
    told.extend(context.map(|context| fact(context, Role::Dim).rank(3)));
    if meter.total > 0 {
        told.push(fact(format!("{} tokens", units::tokens(meter.total)), Role::Dim).rank(4));
    }
    let mut line = Line::from(Span::raw(INDENT));
    let room = brush.columns.saturating_sub(INDENT.len());
    line.extend(Brush { columns: room, ..brush }.facts(told).spans);
    line
}

#[cfg(test)]
mod tests {
    use super::super::brush::Manner;
    use super::super::testing::{self, BRUSH, model, text};
    use super::*;
    use crate::protocol::ToolKind;
    use crate::protocol::{CallId, Tail};
    use crate::tui::model::call::{Label, RunningCall};
    use crate::tui::model::question::Guard;
    use crate::tui::model::{AtLimit, Limit};

    fn running(wait: Waiting) -> Model {
        let mut model = model(80, 24);
        model.stage = Stage::Running;
        model.run = Some(RunView { turns: 2, waiting: wait, ..RunView::begin(Moment(0)) });
        model
    }

    fn with(change: impl FnOnce(&mut RunView), wait: Waiting) -> Model {
        let mut model = running(wait);
        change(model.run.as_mut().unwrap());
        model
    }

    fn call(verb: &str) -> RunningCall {
        let label = Label { verb: verb.to_owned(), object: String::new() };
        RunningCall {
            id: CallId::from("1"),
            label,
            since: Moment(0),
            tail: Tail::default(),
            kind: ToolKind::Act,
        }
    }

    #[track_caller]
    fn check(model: &Model, (now, columns): (u64, usize), expected: &str) {
        testing::check(&text(&waiting(model, Moment(now), Brush { columns, ..BRUSH })), expected);
    }

    #[test]
    fn a_run_always_says_what_it_waits_for() {
        check(
            &running(Waiting::Connecting),
            (500, 80),
            "⠼ connecting to 127.0.0.1:11434 · 2 turns · esc to interrupt",
        );
        check(
            &running(Waiting::FirstByte),
            (61_000, 80),
            "⠇ waiting for a response 1 m 1 s · 2 turns · esc to interrupt",
        );
        check(&running(Waiting::Answer), (3_000, 80), "⠴ answering 3 s · 2 turns · esc to interrupt");
        check(&running(Waiting::Call), (3_000, 80), "⠴ writing a tool call 3 s · 2 turns · esc to interrupt");
        check(
            &running(Waiting::Summary),
            (3_000, 80),
            "⠴ summarizing the conversation 3 s · 2 turns · esc to interrupt",
        );
        check(
            &with(|run| run.thoughts.push('x'), Waiting::Answer),
            (3_000, 80),
            "⠴ thinking 3 s · 2 turns · esc to interrupt",
        );
        check(
            &with(|run| run.calls = vec![call("run")], Waiting::Tools),
            (6_000, 80),
            "⠋ running a command 6 s · 2 turns · esc to interrupt · ctrl+b to background",
        );
        check(
            &with(|run| run.calls = vec![call("run")], Waiting::Tools),
            (1_999, 80),
            "⠦ running a command 1 s · 2 turns · esc to interrupt",
        );
        check(
            &with(|run| run.calls = vec![call("a"), call("b")], Waiting::Tools),
            (6_000, 80),
            "⠋ running 2 calls 6 s · 2 turns · esc to interrupt",
        );
        check(&with(|run| run.stopping = Stopping::Yes, Waiting::Tools), (6_000, 80), "⠋ stopping · 2 turns");
        let second = RunningCall { since: Moment(4_000), ..call("run") };
        let told =
            text(&waiting(&with(|run| run.calls = vec![second], Waiting::Tools), Moment(6_000), BRUSH));
        assert!(told.contains("running a command 2 s"), "{told}");
        let mut asked = running(Waiting::Tools);
        let guard = Guard::new(Moment(0), None);
        asked.stage = Stage::AtLimit(AtLimit {
            limit: Limit::Turns { turns: 1 },
            calls: 1,
            took: Duration::ZERO,
            guard,
        });
        check(&asked, (6_000, 80), "waiting for your answer");
        check(&model(80, 24), (0, 80), "");
    }

    #[test]
    fn without_motion_only_words_change() {
        let still = Brush { manner: Manner { motion: Motion::Reduced, ..Manner::USUAL }, ..BRUSH };
        let told = |now| text(&waiting(&running(Waiting::Answer), Moment(now), still));
        assert_eq!(told(3_000), "answering 3 s · 2 turns · esc to interrupt");
        assert_eq!(told(3_000), told(3_999));
        assert_eq!(told(4_000), "answering 4 s · 2 turns · esc to interrupt");
    }

    fn retry(error: &str) -> Model {
        let (delay, error) = (Duration::from_secs(4), error.to_owned());
        running(Waiting::Retry { attempt: 2, of: 5, delay, error })
    }

    #[test]
    fn a_retry_is_counted_down() {
        let busy = retry("busy");
        check(&busy, (0, 80), "⠋ retry 2 of 5 in 4 s · busy · 2 turns · esc to interrupt");
        check(&busy, (3_001, 80), "⠴ retry 2 of 5 in 1 s · busy · 2 turns · esc to interrupt");
        check(&busy, (4_000, 80), "⠸ retry 2 of 5 now · busy · 2 turns · esc to interrupt");
    }

    #[test]
    fn a_retry_says_why_in_the_room_there_is() {
        let busy = retry("127.0.0.1:11434 cannot answer now (503): the model is being loaded");
        check(
            &busy,
            (0, 110),
            "⠋ retry 2 of 5 in 4 s · cannot answer now (503): the model is being loaded · 2 turns · esc to interrupt",
        );
        check(
            &busy,
            (0, 80),
            "⠋ retry 2 of 5 in 4 s · cannot answer now (503): the model i… · esc to interrupt",
        );
        check(&busy, (0, 60), "⠋ retry 2 of 5 in 4 s · cannot answer no… · esc to interrupt");
        check(
            &busy,
            (0, 45),
            "⠋ retry 2 of 5 in 4 s · 2 turns
  esc to interrupt · cannot answer now (503)…",
        );
        check(
            &busy,
            (0, 38),
            "⠋ retry 2 of 5 in 4 s · 2 turns
  esc to interrupt · cannot answer no…",
        );
        check(
            &retry("broken\n\x1b[2Jhere\tand\u{202e}there"),
            (0, 90),
            "⠋ retry 2 of 5 in 4 s · broken⏎here and‹U+202E›there · 2 turns · esc to interrupt",
        );
        for columns in 1..120 {
            let lines = waiting(&busy, Moment(0), Brush { columns, ..BRUSH });
            assert!(text(&lines).contains(ESC), "{columns}: the key gives way to the cause");
        }
    }

    #[test]
    fn silence_in_the_middle_of_an_answer_is_told_from_ten_seconds_on() {
        let heard = |wait: Waiting| with(|run| run.heard = Moment(5_000), wait);
        for wait in [Waiting::Answer, Waiting::Call] {
            let told = text(&waiting(&heard(wait.clone()), Moment(14_999), BRUSH));
            assert!(!told.contains("no data"), "{told}");
            check(
                &heard(wait),
                (15_000, 80),
                "⠴ no data for 10 s · gives up after 2 m · 2 turns · esc to interrupt",
            );
        }
        let thinking = with(|run| run.thoughts.push('x'), Waiting::Answer);
        check(&thinking, (12_000, 60), "⠋ no data for 12 s · gives up after 2 m · esc to interrupt");
        check(
            &thinking,
            (12_000, 100),
            "⠋ no data for 12 s · gives up after 2 m · 2 turns · esc to interrupt",
        );
        // what keeps it going then is signs of life
        check(&thinking, (120_000, 100), "⠋ no data for 2 m · 2 turns · esc to interrupt");
        let mut demo = running(Waiting::Answer);
        demo.facts.silence = None;
        check(&demo, (12_000, 80), "⠋ no data for 12 s · 2 turns · esc to interrupt");
    }

    #[test]
    fn a_long_wait_for_the_first_byte_says_that_it_may_be_one() {
        let check = |wait: Waiting, (now, columns): (u64, usize), expected: &str| {
            let line = advice(&running(wait), Moment(now), Brush { columns, ..BRUSH });
            testing::check(&line.map(|line| line.to_string()).unwrap_or_default(), expected);
        };
        check(Waiting::FirstByte, (9_999, 80), "");
        check(Waiting::FirstByte, (10_000, 80), "  a local model may take minutes to process a long prompt");
        check(Waiting::FirstByte, (10_000, 60), "  a local model may take minutes to process a long prompt");
        check(Waiting::FirstByte, (10_000, 40), "  a local model may take minutes");
        check(Waiting::FirstByte, (10_000, 30), "");
        check(
            Waiting::Connecting,
            (10_000, 80),
            "  no connection yet: the server may be down, busy or unreachable",
        );
        check(Waiting::Connecting, (10_000, 40), "  no connection yet");
        check(Waiting::Tools, (60_000, 80), "");
        check(Waiting::Answer, (60_000, 80), "");
        let stopping = with(|run| run.stopping = Stopping::Yes, Waiting::FirstByte);
        assert_eq!(advice(&stopping, Moment(60_000), BRUSH), None);
    }

    #[test]
    fn narrow_it_is_the_count_that_goes_and_then_the_line_that_breaks() {
        let model = with(|run| run.calls = vec![call("run")], Waiting::Tools);
        check(&model, (6_000, 50), "⠋ running a command 6 s · esc to interrupt");
        check(
            &model,
            (6_000, 40),
            "⠋ running a command 6 s · 2 turns
  esc to interrupt",
        );
        check(
            &model,
            (6_000, 10),
            "⠋ running a command 6 s
  esc to interrupt",
        );
    }

    #[test]
    fn a_reading_that_lasts_is_told_before_everything_else() {
        let mut model = model(80, 24);
        model.transcript.mark_ahead(0);
        let told = |model: &Model, now| line(model, Moment(now), BRUSH).to_string();
        assert!(!told(&model, 399).contains("reading"), "one that is over soon is not told of");
        assert!(
            told(&model, 400).starts_with("  loading the session · qwen3-coder"),
            "{}",
            told(&model, 400)
        );
        drop(model.transcript.take_ahead());
        assert!(!told(&model, 400).contains("reading"));
    }

    #[test]
    fn the_bottom_line_drops_its_parts_from_the_right() {
        let mut model = model(80, 24);
        model.meter.context = 15_500;
        model.meter.total = 18_234;
        let shown =
            |model: &Model, columns| line(model, Moment(9_000), Brush { columns, ..BRUSH }).to_string();
        testing::check(&shown(&model, 80), "  qwen3-coder · default · 12 % of 128k · 18.2k tokens");
        testing::check(&shown(&model, 40), "  qwen3-coder · default · 12 % of 128k");
        testing::check(&shown(&model, 25), "  qwen3-coder · default");
        testing::check(&shown(&model, 12), "  default");
        model.facts.window = None;
        model.meter.unsaved = true;
        testing::check(
            &shown(&model, 80),
            "  qwen3-coder · default · not saved · 15.5k in context · 18.2k tokens",
        );
        model.recent.leave = Some(Moment(8_000));
        testing::check(&shown(&model, 80), "  Press Ctrl+C again to exit");
        model.recent.leave = Some(Moment(7_000));
        assert!(shown(&model, 80).contains("default"));
        model.recent.back = Some(Moment(8_000));
        testing::check(&shown(&model, 80), "  Press Esc again to rewind");
    }

    #[test]
    fn a_mode_that_matters_is_seen() {
        let role = |mode: &str| {
            let mut model = model(80, 24);
            model.facts.mode = mode.to_owned();
            let line = line(&model, Moment(0), BRUSH);
            line.spans.into_iter().find(|span| span.content == mode).unwrap().style
        };
        assert_eq!(role("bypass"), BRUSH.theme.style(Role::Warn));
        assert_eq!(role("plan"), BRUSH.theme.style(Role::Accent));
        assert_eq!(role("default"), BRUSH.theme.style(Role::Dim));
    }
}
