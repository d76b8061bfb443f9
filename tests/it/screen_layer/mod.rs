//! The bar of the inline screen: a long answer is streamed through the real encoder while the window is resized.
//!
//! Afterwards each line must stand in the terminal's history once, whole and in place, nothing of the live region may
//! be left, and what the shell had printed must be untouched.

mod bytes;
mod emulators;
mod equal;
mod guard;
mod judge;
mod stage;
mod story;
pub(crate) mod tmux;

use clawd::tui::screen::Rewrap;
use emulators::{Alacritty, Vt100};
use judge::{Verdict, judge_lines, judge_rows};
use stage::{Ground, Late, tell, tell_with_pauses};
use story::{START, lines, scripts};

const LINES: usize = 500;
const LINES_WITH_PAUSES: usize = 120;

/// 50 and 200 ms; one delta is 2 ms.
const LAGS_IN_DELTAS: [usize; 2] = [25, 100];

#[test]
fn a_terminal_that_rewraps_shows_every_line_once_at_any_lag() {
    all_right([0].iter().chain(&LAGS_IN_DELTAS).flat_map(|lag| {
        scripts().into_iter().map(move |script| {
            let mut terminal = Late::new(Alacritty::new(START), *lag, Ground::Shell);
            tell(&mut terminal, Rewrap::Follows, &script, LINES);
            (format!("{}, lag {lag}", script.name), judge_lines(&terminal.text(), &lines(LINES)))
        })
    }));
}

#[test]
fn a_terminal_that_rewraps_shows_every_line_once_from_a_cleared_screen() {
    all_right(scripts().into_iter().map(|script| {
        let mut terminal = Late::new(Alacritty::new(START), 0, Ground::Cleared);
        tell(&mut terminal, Rewrap::Follows, &script, LINES);
        (script.name.to_owned(), judge_lines(&terminal.text(), &lines(LINES)))
    }));
}

#[test]
fn a_terminal_that_rewraps_shows_every_line_once_when_resized_at_rest() {
    all_right(scripts().into_iter().map(|script| {
        let mut terminal = Late::new(Alacritty::new(START), 0, Ground::Shell);
        tell_with_pauses(&mut terminal, Rewrap::Follows, &script, LINES_WITH_PAUSES);
        (script.name.to_owned(), judge_lines(&terminal.text(), &lines(LINES_WITH_PAUSES)))
    }));
}

#[test]
fn a_terminal_that_does_not_rewrap_loses_no_line() {
    all_right(scripts().into_iter().map(|script| {
        let mut terminal = Late::new(Vt100::new(START), 0, Ground::Shell);
        tell(&mut terminal, Rewrap::Unknown, &script, LINES);
        (script.name.to_owned(), judge_rows(&terminal.text(), &lines(LINES)))
    }));
}

#[test]
fn a_late_terminal_that_does_not_rewrap_loses_no_line() {
    all_right(LAGS_IN_DELTAS.iter().flat_map(|lag| {
        scripts().into_iter().map(move |script| {
            let mut terminal = Late::new(Vt100::new(START), *lag, Ground::Shell);
            tell(&mut terminal, Rewrap::Unknown, &script, LINES);
            let verdict = judge_rows(&terminal.text(), &lines(LINES)).but_for_stale_rows();
            (format!("{}, lag {lag}", script.name), verdict)
        })
    }));
}

#[test]
fn a_terminal_that_does_not_rewrap_loses_no_line_when_resized_at_rest() {
    all_right(scripts().into_iter().map(|script| {
        let mut terminal = Late::new(Vt100::new(START), 0, Ground::Shell);
        tell_with_pauses(&mut terminal, Rewrap::Unknown, &script, LINES_WITH_PAUSES);
        let verdict = judge_rows(&terminal.text(), &lines(LINES_WITH_PAUSES)).but_for_stale_rows();
        (script.name.to_owned(), verdict)
    }));
}

fn all_right(verdicts: impl Iterator<Item = (String, Verdict)>) {
    let wrong: Vec<String> = verdicts
        .filter(|(_, verdict)| *verdict != Verdict::default())
        .map(|(name, verdict)| format!("{name}: {verdict:?}"))
        .collect();
    assert!(wrong.is_empty(), "not every line stands there once:\n{}", wrong.join("\n"));
}

#[expect(clippy::disallowed_methods, reason = "the test binary talks to itself by the environment")]
fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
