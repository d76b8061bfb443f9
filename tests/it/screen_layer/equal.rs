//! Frames that build on each other show what each of them shows by itself.
//!
//! Two terminals see the same frames: one as the screen sends them, one with all of the live region drawn anew each time. Whatever
//! rows were moved or left standing, both must be the same in every cell, in history and on the screen.

use clawd::tui::screen::{Frame, Pace, Reach, Rewrap, Screen, Spot};
use proptest::prelude::*;
use ratatui::layout::Size;
use ratatui::style::{Color, Style, Stylize};
use ratatui::text::{Line, Span};

use super::emulators::{Alacritty, Emulator};

const WORDS: [&str; 8] = [
    "a few plain words",
    "日本語の文章",
    "rocket 🚀🦀 ",
    "ünïcödé – “quoted”",
    "   ",
    "x",
    "tail ",
    "👩‍👩‍👧 joined",
];

/// What happens between two frames.
#[derive(Debug, Clone)]
enum Step {
    /// The last row that arrives grows.
    Say(usize, usize),
    /// A new one begins.
    Row(usize),
    /// So many of the first become history.
    Commit(usize),
    /// A line that no row can hold becomes history.
    Long(usize),
    /// So many of the last are gone.
    Drop(usize),
    /// Another sign of life.
    Wait(usize),
    /// The draft has so many rows.
    Draft(usize),
    Pace(Pace),
}

/// What is to be seen.
struct Sight {
    tail: Vec<Line<'static>>,
    wait: usize,
    draft: usize,
    pace: Pace,
    size: Size,
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_left_standing_is_what_would_be_drawn(
        steps in prop::collection::vec(step(), 1..60),
        rewrap in prop::sample::select(vec![Rewrap::Unknown, Rewrap::Follows, Rewrap::Drifts]),
        (width, height) in (20..130_u16, 1..40_u16),
    ) {
        let size = Size::new(width, height);
        let mut terminals = [Alacritty::new(size), Alacritty::new(size)];
        let mut screens = [Screen::new(rewrap), Screen::new(rewrap)];
        let mut sight = Sight { tail: Vec::new(), wait: 0, draft: 1, pace: Pace::Busy, size };
        for (number, step) in steps.iter().enumerate() {
            let history = sight.take(step);
            let frame = sight.frame(history);
            screens[1].distrust();
            for (screen, terminal) in screens.iter_mut().zip(&mut terminals) {
                let mut bytes = Vec::new();
                screen.frame(&frame, &mut bytes);
                terminal.feed(&bytes);
            }
            let [built, anew] = &terminals;
            prop_assert_eq!(built.cells(), anew.cells(), "after step {} of {:?}", number, steps);
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..WORDS.len(), 0..4_usize).prop_map(|(word, style)| Step::Say(word, style)),
        4 => (0..WORDS.len()).prop_map(Step::Row),
        4 => (1..5_usize).prop_map(Step::Commit),
        1 => (0..WORDS.len()).prop_map(Step::Long),
        2 => (1..4_usize).prop_map(Step::Drop),
        3 => (0..20_usize).prop_map(Step::Wait),
        1 => (1..4_usize).prop_map(Step::Draft),
        1 => prop::sample::select(vec![Pace::Busy, Pace::Rest]).prop_map(Step::Pace),
    ]
}

impl Sight {
    /// Takes a step; gives what becomes history.
    fn take(&mut self, step: &Step) -> Vec<Line<'static>> {
        match step {
            Step::Say(word, style) => {
                if self.tail.is_empty() {
                    self.tail.push(Line::default());
                }
                let span = Span::styled(WORDS[*word], inked(*style));
                self.tail.last_mut().unwrap().push_span(span);
            }
            Step::Row(word) => self.tail.push(Line::raw(WORDS[*word])),
            Step::Commit(rows) => return self.tail.drain(..(*rows).min(self.tail.len())).collect(),
            Step::Long(word) => return vec![Line::raw(WORDS[*word].repeat(30)).red()],
            Step::Drop(rows) => self.tail.truncate(self.tail.len().saturating_sub(*rows)),
            Step::Wait(wait) => self.wait = *wait,
            Step::Draft(rows) => self.draft = *rows,
            Step::Pace(pace) => self.pace = *pace,
        }
        Vec::new()
    }

    fn frame(&self, history: Vec<Line<'static>>) -> Frame {
        let mut live = vec![Line::default()];
        live.extend(self.tail.iter().cloned());
        live.push(Line::default());
        let sign = Span::styled(["⠋", "⠙", "⠹", "⠸"][self.wait % 4], Style::new().cyan().bold());
        live.push(Line::from(vec![sign, Span::raw(format!(" waiting {} s", self.wait)), " · esc".dim()]));
        live.extend((0..self.draft).map(|row| Line::raw(format!("❯ draft {row}"))));
        let cursor = Some(Spot { row: u16::try_from(live.len() - 1).unwrap(), col: 9 });
        live.push(Line::raw("  status").dim());
        Frame { history, live, cursor, pace: self.pace, size: self.size, reach: Reach::Half }
    }
}

fn inked(style: usize) -> Style {
    match style {
        0 => Style::new(),
        1 => Style::new().fg(Color::Rgb(135, 215, 135)),
        2 => Style::new().bold().underlined(),
        _ => Style::new().on_blue(),
    }
}
