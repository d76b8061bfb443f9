//! What is streamed, and what happens to the window meanwhile: the same for every terminal.
//!
//! Time is counted in deltas of 20 bytes, of which a quick model sends one every 2 ms.

use clawd::tui::screen::{Frame, Pace, Reach, Spot};
use ratatui::layout::Size;
use ratatui::style::Style;
use ratatui::text::Line;
use unicode_width::UnicodeWidthStr;

/// Begins every live row, and is found nowhere else.
pub(crate) const LIVE_MARK: &str = "▌";

/// Stands above the program, as the shell left it.
pub(crate) const SHELL: [&str; 3] = ["shell: first command", "shell: 第二個命令", "shell: the last line"];

/// The window when the program starts.
pub(crate) const START: Size = Size::new(100, 30);

/// Frames are at least 16 ms apart.
pub(crate) const DELTAS_PER_FRAME: usize = 8;

const DELTA: usize = 20;

/// A window being resized: the size it gets, and after how many deltas.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) name: &'static str,
    pub(crate) steps: Vec<(usize, Size)>,
}

/// The scripts of the bar, one without a resize, and one that cuts rows off below, again and again.
pub(crate) fn scripts() -> Vec<Script> {
    // a second apart, so that each size is streamed into for a while
    let slow = |name, sizes: &[(u16, u16)]| script(name, 500, sizes);
    // 50 ms apart, as a hand drags a corner
    let drag = |name, sizes: &[(u16, u16)]| script(name, 25, sizes);
    let there: Vec<(u16, u16)> = (1..=12).map(|i| (100 - 5 * i, 30 - i)).collect();
    let there_and_back: Vec<(u16, u16)> = there.iter().chain(there.iter().rev()).copied().collect();
    let narrower: Vec<(u16, u16)> = there.iter().map(|(width, _)| (*width, 30)).collect();
    let lower: Vec<(u16, u16)> = (1..=24).map(|i| (100, if i % 2 == 0 { 30 } else { 12 + i % 5 })).collect();
    vec![
        slow("none", &[]),
        slow("height", &[(100, 20), (100, 40), (100, 12), (100, 30)]),
        slow("to 60", &[(60, 30)]),
        slow("to 140", &[(140, 30)]),
        slow("to 25", &[(25, 30)]),
        slow("mixed", &[(60, 30), (140, 40), (80, 15), (100, 30)]),
        drag("drag", &narrower),
        drag("drag2", &there_and_back),
        drag("height, there and back", &lower),
    ]
}

fn script(name: &'static str, apart: usize, sizes: &[(u16, u16)]) -> Script {
    let steps = sizes.iter().enumerate().map(|(i, (w, h))| (700 + i * apart, Size::new(*w, *h)));
    Script { name, steps: steps.collect() }
}

/// A model's answer as it arrives, with a live region below it that changes its height all the time.
#[derive(Debug)]
pub(crate) struct Story {
    lines: Vec<String>,
    next: usize,
    shown: usize,
    finished: Vec<Line<'static>>,
    frames: usize,
}

impl Story {
    pub(crate) fn of(count: usize) -> Self {
        Self { lines: lines(count), next: 0, shown: 0, finished: Vec::new(), frames: 0 }
    }

    /// One delta arrives; false after the last.
    pub(crate) fn advance(&mut self) -> bool {
        self.shown += DELTA;
        while let Some(line) = self.lines.get(self.next) {
            if self.shown < line.len() {
                return true;
            }
            self.shown -= line.len();
            self.finished.push(Line::styled(line.clone(), Style::new().green()));
            self.next += 1;
        }
        false
    }

    /// Lines finished so far.
    pub(crate) fn told(&self) -> usize {
        self.next
    }

    /// What is to be seen now; the finished lines are handed over.
    pub(crate) fn frame(&mut self, size: Size, pace: Pace) -> Frame {
        self.frames += 1;
        let room = usize::from((size.height / 2).max(3));
        let height = (4 + self.frames / 3 % 7).min(room);
        let width = usize::from(size.width);
        let arriving = self.lines.get(self.next).map_or("", String::as_str);
        let tail: String = arriving.chars().take(self.shown / 4).collect();
        let mut live = vec![Line::raw(format!("{LIVE_MARK} {tail}")), Line::raw(LIVE_MARK.repeat(width))];
        while live.len() + 2 < height {
            live.push(Line::raw(format!("{LIVE_MARK} output {} 出力 🦀 of a command", self.frames)));
        }
        live.truncate(height - 2);
        let draft =
            format!("{LIVE_MARK}❯ a draft that is long enough to wrap in a narrow window {}", self.frames);
        let cursor =
            Spot { row: u16::try_from(live.len()).unwrap(), col: u16::try_from(draft.width()).unwrap() };
        live.push(Line::raw(draft));
        live.push(Line::styled(format!("{LIVE_MARK} esc to interrupt"), Style::new().dim()));
        Frame {
            history: std::mem::take(&mut self.finished),
            live,
            cursor: Some(cursor),
            pace,
            size,
            reach: Reach::Half,
        }
    }
}

/// Numbered lines of 24 to 245 columns; some end exactly at a margin that the scripts come by.
pub(crate) fn lines(count: usize) -> Vec<String> {
    let margins = [25, 60, 80, 100, 140, 40, 50, 120, 200];
    (0..count)
        .map(|i| {
            let width = if i % 3 == 0 { margins[i / 3 % margins.len()] } else { 24 + (i * 7919) % 222 };
            let words = ["plain words ", "日本語の文章 ", "rocket 🚀🦀 ", "ünïcödé – “quoted” ", "漢字"];
            let mut line = format!("L{i:03} ");
            for k in 0.. {
                let word = if i % 4 == 0 { words[0] } else { words[(i + k) % words.len()] };
                if line.width() + word.width() > width {
                    break;
                }
                line.push_str(word);
            }
            line.truncate(line.trim_end().len());
            line.extend(std::iter::repeat_n('.', width - line.width()));
            line
        })
        .collect()
}
