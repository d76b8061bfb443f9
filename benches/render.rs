//! How fast an answer is drawn: Markdown, line breaks, diffs, colours of code, and whole frames, on one core.
//!
//! Not the terminal. What to look for is that the cost of an answer of n KB grows with n: the figure is bytes of source, and it
//! should be the same for 1, 10, 100 and 1,000 KB. That the work is linear is also a test (`the_work_of_an_answer_is_linear`);
//! how much work a byte is can only be seen here.

use std::time::Duration;

use clawd::protocol::{Display, FileChange, ToolStatus};
use clawd::text::highlight::Highlighter;
use clawd::tui::model::call::{DoneCall, Label};
use clawd::tui::model::composer::Composer;
use clawd::tui::model::live::Live;
use clawd::tui::model::moment::Moment;
use clawd::tui::model::run::RunView;
use clawd::tui::model::transcript::Cell;
use clawd::tui::model::{Model, Size, Stage};
use clawd::tui::screen::{Frame, Pace, Reach, Rewrap, Screen};
use clawd::tui::view::brush::{Brush, Manner, Mode};
use clawd::tui::view::markdown::{render, render_block};
use clawd::tui::view::theme::Theme;
use clawd::tui::view::wrap::{Prefix, wrap};
use clawd::tui::view::{picture, tool};
use divan::counter::{BytesCount, ItemsCount};
use divan::{AllocProfiler, Bencher, black_box};
use ratatui::text::Line;

#[global_allocator]
static ALLOCATIONS: AllocProfiler = AllocProfiler::system();

/// Kilobytes of an answer.
const SIZES: [usize; 4] = [1, 10, 100, 1_000];

/// What a delta brings.
const DELTA: usize = 20;

/// Deltas that arrive between two frames.
const FRAME: usize = 8;

const BRUSH: Brush = Brush { theme: Theme::Colour, columns: 80, manner: Manner::USUAL };

const CODE: &str = "/// The sum of all items; zero where there are none.\npub fn total(&self) -> Money {\n    \
                    self.items.iter().map(|item| item.price * 2).fold(Money::ZERO, Money::add) // \"all\"\n}\n";

fn main() {
    divan::main();
}

/// An answer with everything in it, of about so many kilobytes.
fn answer(kilobytes: usize) -> String {
    let mut text = String::new();
    let mut number = 0;
    while text.len() < kilobytes * 1_000 {
        number += 1;
        let page = format!(
            "## Step {number}\n\nThe *total* is **wrong** when `cart` is empty, see [the docs](https://example.org/{number}) \
             for why, and 日本語 too.\n\n- one\n  - two\n- [x] three\n\n| file | lines |\n|---|--:|\n| src/cart.rs | {number} |\n\n\
             ```rust\n{CODE}```\n\n> Quoted.\n\n"
        );
        text.push_str(&page);
    }
    text
}

/// A finished answer, drawn at once.
#[divan::bench(args = SIZES)]
fn markdown(bencher: Bencher<'_, '_>, kilobytes: usize) {
    let text = answer(kilobytes);
    bencher.counter(BytesCount::of_str(&text)).bench(|| render(black_box(&text), 80, Theme::Colour));
}

/// An answer that arrives, its finished blocks drawn once and its unfinished one with every frame.
#[divan::bench(args = SIZES)]
fn markdown_arriving(bencher: Bencher<'_, '_>, kilobytes: usize) {
    let text = answer(kilobytes);
    bencher.counter(BytesCount::of_str(&text)).bench(|| {
        let mut live = Live::default();
        let mut lines = 0;
        let (mut rest, mut deltas) = (text.as_str(), 0);
        while !rest.is_empty() {
            let (delta, after) = rest.split_at(rest.ceil_char_boundary(DELTA));
            rest = after;
            deltas += 1;
            let done = live.push(delta);
            lines += done.iter().map(|block| render_block(block, 80, Theme::Colour).len()).sum::<usize>();
            if deltas % FRAME == 0 {
                let draft = live.draft(12 * 80 * 4);
                lines += draft.map_or(0, |block| render_block(&block, 80, Theme::Colour).len());
            }
        }
        lines
    });
}

/// Prose in one logical line.
#[divan::bench(args = SIZES)]
fn lines_broken(bencher: Bencher<'_, '_>, kilobytes: usize) {
    let text = "Some words of an answer, 日本語の文章, and so on. ".repeat(kilobytes * 18);
    let line = Line::raw(text.as_str());
    bencher.counter(BytesCount::of_str(&text)).bench(|| wrap(black_box(&line), 80, &Prefix::default()));
}

/// Code in its colours.
#[divan::bench(args = SIZES)]
fn highlight(bencher: Bencher<'_, '_>, kilobytes: usize) {
    let text = CODE.repeat((kilobytes * 1_000).div_ceil(CODE.len()));
    bencher.counter(BytesCount::of_str(&text)).bench(|| pieces("rust", &text));
}

/// The same text as if it were of other languages: how much one costs beside another.
#[divan::bench(args = ["rust", "python", "typescript", "sh", "json", "html"])]
fn highlight_as(bencher: Bencher<'_, '_>, language: &str) {
    let text = CODE.repeat(500);
    bencher.counter(BytesCount::of_str(&text)).bench(|| pieces(language, &text));
}

fn pieces(language: &str, text: &str) -> Option<usize> {
    let mut reading = Highlighter::of_fence(language)?;
    Some(black_box(text).lines().map(|line| reading.line(line).len()).sum())
}

/// A file of so many lines in which every tenth has changed, drawn for the scrollback.
#[divan::bench(args = [10, 100, 1_000, 10_000])]
fn diff_folded(bencher: Bencher<'_, '_>, lines: usize) {
    let call = edit(lines);
    bencher.counter(ItemsCount::new(lines)).bench(|| tool::done(black_box(&call), Mode::Folded, BRUSH));
}

/// The same with every hunk.
#[divan::bench(args = [10, 100, 1_000, 10_000])]
fn diff_whole(bencher: Bencher<'_, '_>, lines: usize) {
    let call = edit(lines);
    bencher.counter(ItemsCount::new(lines)).bench(|| tool::done(black_box(&call), Mode::Whole, BRUSH));
}

/// An answer that arrives, from its deltas to the bytes of the last of its frames.
#[divan::bench(args = SIZES, sample_count = 10)]
fn answer_to_bytes(bencher: Bencher<'_, '_>, kilobytes: usize) {
    let text = answer(kilobytes);
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        let mut model = Model::new(Size { columns: 80, rows: 24 }, Composer::new(Vec::new()));
        (model.run, model.stage) = (Some(RunView::begin(Moment(0))), Stage::Running);
        let mut screen = Screen::new(Rewrap::Unknown);
        let (mut rest, mut deltas, mut bytes) = (text.as_str(), 0, 0);
        while !rest.is_empty() {
            let (delta, after) = rest.split_at(rest.ceil_char_boundary(DELTA));
            rest = after;
            deltas += 1;
            let blocks = model.run.as_mut().map(|run| run.answer.push(delta)).unwrap_or_default();
            for block in blocks {
                model.transcript.push(Cell::Answer(block));
            }
            if deltas % FRAME == 0 || rest.is_empty() {
                bytes += encode(&mut screen, &model).len();
                model.transcript.mark_printed();
            }
        }
        bytes
    });
}

/// A frame of the live region while an answer arrives, from the model to the bytes.
#[divan::bench]
fn frame(bencher: Bencher<'_, '_>) {
    let model = model();
    bencher.bench_local(|| encode(&mut Screen::new(Rewrap::Unknown), &model));
}

/// The same where nothing has changed since the one before.
#[divan::bench]
fn frame_again(bencher: Bencher<'_, '_>) {
    let model = model();
    let mut screen = Screen::new(Rewrap::Unknown);
    drop(encode(&mut screen, &model));
    bencher.bench_local(|| encode(&mut screen, &model));
}

fn encode(screen: &mut Screen, model: &Model) -> Vec<u8> {
    let picture = picture(black_box(model), Theme::Colour, Moment(1_000));
    let frame = Frame {
        history: picture.history,
        live: picture.live,
        cursor: picture.cursor,
        pace: Pace::Busy,
        size: ratatui::layout::Size::new(80, 24),
        reach: Reach::Half,
    };
    let mut bytes = Vec::new();
    screen.frame(&frame, &mut bytes);
    bytes
}

/// A long session while an answer arrives.
fn model() -> Model {
    let mut model = Model::new(Size { columns: 80, rows: 24 }, Composer::new(Vec::new()));
    for number in 0..10_000 {
        model.transcript.push(Cell::User(format!("question {number}")));
    }
    model.transcript.mark_printed();
    let mut run = RunView::begin(Moment(0));
    drop(run.answer.push(&answer(1)));
    drop(run.answer.push("Some words of an answer that has not ended yet, "));
    model.run = Some(run);
    model.stage = Stage::Running;
    model
}

fn edit(lines: usize) -> DoneCall {
    let line = |number: usize| CODE.lines().nth(number % 4).map(|line| format!("{line} // {number}\n"));
    let before: Vec<String> = (0..lines).filter_map(line).collect();
    let change = |(number, line): (usize, &String)| {
        if number % 10 == 0 { line.replace("total", "sum").replace("items", "parts") } else { line.clone() }
    };
    let after: String = before.iter().enumerate().map(change).collect();
    let change =
        FileChange { path: "src/cart.rs".to_owned(), before: Some(before.concat()), after: Some(after) };
    DoneCall {
        id: "c".into(),
        label: Label { verb: "edit".to_owned(), object: change.path.clone() },
        status: ToolStatus::Success,
        display: Display::Changes(vec![change]),
        duration: Duration::ZERO,
    }
}
