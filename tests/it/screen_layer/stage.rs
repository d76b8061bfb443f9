//! How a story is told: the same telling for every terminal, each of which is a stage.

use std::collections::VecDeque;

use clawd::tui::screen::{Pace, Rewrap, Screen, StartAt};
use ratatui::layout::Size;

use super::emulators::Emulator;
use super::story::{DELTAS_PER_FRAME, SHELL, START, Script, Story};

/// A terminal with a clock.
pub(crate) trait Stage {
    /// The time of one delta passes.
    fn pass(&mut self);
    /// The window is resized; nobody waits for it.
    fn resize(&mut self, size: Size);
    /// Waits until the last resize has been told to the program.
    fn settle(&mut self);
    /// The size as the program knows it.
    fn size(&self) -> Size;
    fn write(&mut self, bytes: Vec<u8>);
}

/// Tells the story while the script goes on; frames flow all the time.
pub(crate) fn tell(stage: &mut impl Stage, rewrap: Rewrap, script: &Script, lines: usize) {
    let mut story = Story::of(lines);
    let mut screen = Screen::new(rewrap);
    let mut steps = script.steps.iter().peekable();
    for now in 0.. {
        while let Some((_, size)) = steps.next_if(|(at, _)| *at <= now) {
            stage.resize(*size);
        }
        let more = story.advance();
        if now % DELTAS_PER_FRAME == 0 || !more {
            draw(stage, &mut screen, &mut story, Pace::Busy);
        }
        if !more {
            break;
        }
        stage.pass();
    }
    assert!(steps.next().is_none(), "the story ended before the script");
    leave(stage, &mut screen);
}

/// Tells the story with pauses, in which the cursor stands in the composer; the window is only resized then.
pub(crate) fn tell_with_pauses(stage: &mut impl Stage, rewrap: Rewrap, script: &Script, lines: usize) {
    let mut story = Story::of(lines);
    let mut screen = Screen::new(rewrap);
    screen.start(StartAt::FirstColumn, &mut Vec::new());
    let pause = lines / (script.steps.len() + 2);
    for (step, (_, size)) in (1..).zip(&script.steps) {
        stream_until(stage, &mut screen, &mut story, step * pause);
        draw(stage, &mut screen, &mut story, Pace::Rest);
        stage.resize(*size);
        stage.settle();
        if step % 3 != 0 {
            draw(stage, &mut screen, &mut story, Pace::Rest);
        }
    }
    stream_until(stage, &mut screen, &mut story, lines);
    leave(stage, &mut screen);
}

fn stream_until(stage: &mut impl Stage, screen: &mut Screen, story: &mut Story, line: usize) {
    while story.told() < line {
        story.advance();
        draw(stage, screen, story, Pace::Busy);
        stage.pass();
    }
}

fn draw(stage: &mut impl Stage, screen: &mut Screen, story: &mut Story, pace: Pace) {
    let mut bytes = Vec::new();
    screen.frame(&story.frame(stage.size(), pace), &mut bytes);
    stage.write(bytes);
}

fn leave(stage: &mut impl Stage, screen: &mut Screen) {
    stage.settle();
    let mut bytes = Vec::new();
    screen.leave(&mut bytes);
    stage.write(bytes);
    stage.settle();
}

/// What stands above the program when it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ground {
    /// The shell's lines: the live region begins below them.
    Shell,
    /// A screen just cleared: it begins in the upper left corner.
    Cleared,
}

impl Ground {
    pub(crate) fn text(self) -> String {
        let shell = SHELL.map(|line| line.to_owned() + "\r\n").concat();
        match self {
            Self::Shell => shell,
            Self::Cleared => shell + "\x1b[2J\x1b[H",
        }
    }
}

/// An emulator in this process that reads what is written to it some deltas late, though it is resized at once.
pub(crate) struct Late<E> {
    terminal: E,
    lag: usize,
    now: usize,
    size: Size,
    on_the_way: VecDeque<(usize, Vec<u8>)>,
}

impl<E: Emulator> Late<E> {
    pub(crate) fn new(mut terminal: E, lag: usize, ground: Ground) -> Self {
        terminal.feed(ground.text().as_bytes());
        Self { terminal, lag, now: 0, size: START, on_the_way: VecDeque::new() }
    }

    pub(crate) fn text(&mut self) -> Vec<String> {
        self.terminal.text()
    }

    fn deliver(&mut self, until: usize) {
        while let Some((_, bytes)) = self.on_the_way.pop_front_if(|(due, _)| *due <= until) {
            self.terminal.feed(&bytes);
        }
    }
}

impl<E: Emulator> Stage for Late<E> {
    fn pass(&mut self) {
        self.now += 1;
        self.deliver(self.now);
    }

    fn resize(&mut self, size: Size) {
        self.size = size;
        self.terminal.resize(size);
    }

    fn settle(&mut self) {
        self.deliver(usize::MAX);
    }

    fn size(&self) -> Size {
        self.size
    }

    fn write(&mut self, bytes: Vec<u8>) {
        self.on_the_way.push_back((self.now + self.lag, bytes));
        self.deliver(self.now);
    }
}
