//! The two lines that tell how things stand: what a run waits for, and the facts at the bottom.
//!
//! A run never just spins: the line always says what is being waited for, and since when.

use std::time::Duration;

use ratatui::text::{Line, Span};

use super::brush::{Brush, Fact, INDENT, elapsed, one_line};
use super::theme::Role;
use crate::protocol::Waiting;
use crate::text::units;
use crate::tui::model::moment::Moment;
use crate::tui::model::run::{RunView, Stopping};
use crate::tui::model::{Model, Stage};

/// One step of the spinner lasts so long, in milliseconds: quick enough to look alive, slow enough to cost nothing.
pub const SPINNER_STEP: u64 = 120;

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// How long a second Ctrl+C leaves (the outside contract).
const LEAVE: Duration = Duration::from_secs(2);

/// What the run waits for, if there is one.
pub(super) fn waiting(model: &Model, now: Moment, brush: Brush) -> Vec<Line<'static>> {
    let Some(run) = &model.run else { return Vec::new() };
    let plain = |text: String| Fact::new(brush.span(text, Role::Plain));
    let dim = |text: String| Fact::new(brush.span(text, Role::Dim));
    let (what, since, esc) = match (&model.stage, run.stopping) {
        (_, Stopping::Yes) => ("stopping".to_owned(), None, None),
        // nothing moves here: it is the user's turn
        (Stage::Asking(_) | Stage::AtLimit(_), Stopping::No) => {
            return vec![brush.line("waiting for your answer", Role::Dim)];
        }
        (
            Stage::Opening | Stage::Trusting(_) | Stage::Choosing(_) | Stage::Idle | Stage::Running,
            Stopping::No,
        ) => {
            let (what, since) = waited_for(run, &model.facts.host, now);
            (what, since, Some("esc to interrupt"))
        }
    };
    let mut facts = vec![Fact::new(spinner(now, brush)), plain(what).after(" ")];
    facts.extend(since.map(|time| plain(time).after(" ")));
    if run.turns > 0 {
        facts.push(dim(units::counted(run.turns.into(), "turn", "turns")).rank(1));
    }
    let esc = esc.map(|words| dim(words.to_owned()));
    let line = brush.facts(facts.iter().cloned().chain(esc.clone()).collect());
    if line.width() <= brush.columns {
        return vec![line];
    }
    let below = esc.map(|_| brush.line(format!("{INDENT}esc to interrupt"), Role::Dim));
    std::iter::once(brush.facts(facts)).chain(below).collect()
}

fn spinner(now: Moment, brush: Brush) -> Span<'static> {
    let step = usize::try_from(now.0 / SPINNER_STEP).unwrap_or(0) % SPINNER.len();
    brush.span(SPINNER.get(step).copied().unwrap_or_default(), Role::Accent)
}

/// What is waited for, and for how long already.
fn waited_for(run: &RunView, host: &str, now: Moment) -> (String, Option<String>) {
    let since = |moment| elapsed(now.since(moment));
    match &run.waiting {
        Waiting::Connecting if host.is_empty() => ("connecting".to_owned(), since(run.waiting_since)),
        Waiting::Connecting => (format!("connecting to {}", one_line(host)), since(run.waiting_since)),
        Waiting::FirstByte => ("waiting for the first byte".to_owned(), since(run.waiting_since)),
        Waiting::Answer if !run.thoughts.is_empty() => ("thinking".to_owned(), since(run.thinking_since)),
        Waiting::Answer => ("answering".to_owned(), since(run.waiting_since)),
        Waiting::Retry { attempt, of, delay } => {
            let left = delay.saturating_sub(now.since(run.waiting_since));
            let left = Duration::from_millis(
                u64::try_from(left.as_millis()).unwrap_or(u64::MAX).saturating_add(999),
            );
            let when = elapsed(left).map_or_else(|| "now".to_owned(), |time| format!("in {time}"));
            (format!("retry {attempt} of {of} {when}"), None)
        }
        Waiting::Tools => {
            let first = run.calls.iter().map(|call| call.since).min();
            (tools(run), since(first.unwrap_or(run.waiting_since)))
        }
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
            other => format!("running {}", one_line(other)),
        },
        calls => format!("running {} calls", calls.len()),
    }
}

/// The bottom line: model, mode, how full the window is, what was spent.
pub(super) fn line(model: &Model, now: Moment, brush: Brush) -> Line<'static> {
    if model.recent.leave.is_some_and(|pressed| now.since(pressed) < LEAVE) {
        return brush.line(format!("{INDENT}Ctrl+C again leaves"), Role::Warn);
    }
    let (facts, meter) = (&model.facts, &model.meter);
    let fact = |text: String, role| Fact::new(brush.span(text, role));
    let mut told = Vec::new();
    if !facts.model.is_empty() {
        told.push(fact(one_line(&facts.model), Role::Dim).rank(1));
    }
    if !facts.mode.is_empty() {
        let role = match facts.mode.as_str() {
            "bypass" => Role::Warn,
            "plan" => Role::Accent,
            _ => Role::Dim,
        };
        told.push(fact(one_line(&facts.mode), role));
    }
    if meter.unsaved {
        told.push(fact("not saved".to_owned(), Role::Warn));
    }
    let context = match facts.window {
        Some(window) => {
            Some(format!("{} of {}", units::percent(meter.context, window), units::tokens(window)))
        }
        None => (meter.context > 0).then(|| format!("{} in context", units::tokens(meter.context))),
    };
    told.extend(context.map(|context| fact(context, Role::Dim).rank(2)));
    if meter.total > 0 {
        told.push(fact(format!("{} tokens", units::tokens(meter.total)), Role::Dim).rank(3));
    }
    let mut line = Line::from(Span::raw(INDENT));
    let room = brush.columns.saturating_sub(INDENT.len());
    line.extend(Brush { columns: room, ..brush }.facts(told).spans);
    line
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, BRUSH, model, text};
    use super::*;
    use crate::protocol::{CallId, Tail};
    use crate::tui::model::AtLimit;
    use crate::tui::model::call::{Kind, Label, RunningCall};
    use crate::tui::model::question::Guard;

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
            kind: Kind::Acts,
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
            "⠇ waiting for the first byte 1 m 1 s · 2 turns · esc to interrupt",
        );
        check(&running(Waiting::Answer), (3_000, 80), "⠴ answering 3 s · 2 turns · esc to interrupt");
        check(
            &with(|run| run.thoughts.push('x'), Waiting::Answer),
            (3_000, 80),
            "⠴ thinking 3 s · 2 turns · esc to interrupt",
        );
        check(
            &with(|run| run.calls = vec![call("run")], Waiting::Tools),
            (6_000, 80),
            "⠋ running a command 6 s · 2 turns · esc to interrupt",
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
        asked.stage = Stage::AtLimit(AtLimit { turns: 1, calls: 1, took: Duration::ZERO, guard });
        check(&asked, (6_000, 80), "waiting for your answer");
        check(&model(80, 24), (0, 80), "");
    }

    #[test]
    fn a_retry_is_counted_down() {
        let retry = running(Waiting::Retry { attempt: 2, of: 5, delay: Duration::from_secs(4) });
        check(&retry, (0, 80), "⠋ retry 2 of 5 in 4 s · 2 turns · esc to interrupt");
        check(&retry, (3_001, 80), "⠴ retry 2 of 5 in 1 s · 2 turns · esc to interrupt");
        check(&retry, (4_000, 80), "⠸ retry 2 of 5 now · 2 turns · esc to interrupt");
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
        testing::check(&shown(&model, 80), "  Ctrl+C again leaves");
        model.recent.leave = Some(Moment(7_000));
        assert!(shown(&model, 80).contains("default"));
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
