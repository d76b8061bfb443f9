//! What the screen looks like: the model in, lines out. Pure: no terminal, no clock, no file.
//!
//! - [`picture`]: what goes into the scrollback, and the live region below it
//! - [`full`]: the same on a screen of its own, which it scrolls itself; `reel` has its rows
//! - [`page`]: the whole screen, for what lies on the alternate screen; [`sheet`] has its rows, `find` what is searched for in them
//! - `cell`, `tool`, `diff`, [`markdown`], `highlight`: what was said and done
//! - [`composer`], `question`, `answering`, `setup`, `sessions`, `rewind`, `tasks`, `permissions`: what has the keys
//! - `arrival`: what arrives and what runs
//! - `todos`: the model's list of steps; [`preview`]: what a question is about, kept as long as it is asked
//! - `status`: how things stand
//! - [`plain`], `plain_lists`: all of it in words, line by line; [`letters`]: what a terminal without Unicode is shown
//! - [`mod@wrap`], [`theme`], `brush`: columns, colours, and both in one hand; [`looks`], [`palette`]: which colours
//!
//! The live region is at most half the screen, and what gives way is decided here and nowhere else: parts are drawn in
//! full and then cut in a fixed order (`Class::ORDER`). The input, the answers to a question and what is waited for are last.

mod answering;
mod arrival;
pub mod brush;
pub mod cell;
pub mod composer;
mod diff;
mod find;
pub mod full;
#[cfg(test)]
mod gallery;
mod highlight;
pub mod letters;
pub mod looks;
pub mod markdown;
pub mod page;
pub mod palette;
mod permissions;
pub mod plain;
mod plain_lists;
pub mod preview;
mod question;
pub mod reel;
mod rewind;
mod sessions;
mod setup;
pub mod sheet;
pub mod status;
mod tasks;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub mod theme;
mod todos;
pub mod tool;
mod trust;
pub mod wrap;

use ratatui::text::Line;

use self::arrival::{arriving, arriving_answer};
use self::brush::{Brush, INDENT, Look, Mode, Pane, one_line};
use self::composer::ComposerStyles;
use self::preview::Kept;
use self::theme::Role;
use self::todos::Going;
use self::wrap::fit;
use super::model::moment::Moment;
use super::model::overlay::Overlay;
use super::model::queue::Queued;
use super::model::transcript::Cell;
use super::model::{Model, Stage};
use super::screen::{Pace, Spot};

/// The live region has at least so many rows, if the screen has: input, status, and what is waited for.
const LEAST: usize = 3;
/// A question wants more rows than this, with some of what it is about.
const SMALL: usize = 8;

/// What is to be on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Lines for the scrollback, of any width.
    pub history: Vec<Line<'static>>,
    /// The live region; no row is wider than the screen.
    pub live: Vec<Line<'static>>,
    /// Where the cursor stands in `live`, if something is typed there.
    pub cursor: Option<Spot>,
    /// Whether frames are to be expected.
    pub pace: Pace,
}

/// Draws the model as it is at the moment `now`.
pub fn picture(model: &Model, look: impl Into<Look>, now: Moment) -> Picture {
    draw(&mut Kept::default(), model, look.into(), now)
}

/// The same, frame after frame, with what is kept from one to the next.
pub fn draw(kept: &mut Kept, model: &Model, look: Look, now: Moment) -> Picture {
    let brush = look.brush(usize::from(model.size.columns));
    let (live, cursor) = live(model, now, kept, brush);
    let pace = match (&model.run, &model.stage) {
        (Some(_), Stage::Running) => Pace::Busy,
        (Some(_) | None, _) => Pace::Rest,
    };
    Picture { history: history(model, brush), live, cursor, pace }
}

/// The cells that are not printed yet.
fn history(model: &Model, brush: Brush) -> Vec<Line<'static>> {
    folded(model.transcript.waiting(), brush)
}

/// Cells, each with the one before it, as they are printed.
fn folded<'a>(cells: impl Iterator<Item = (Option<&'a Cell>, &'a Cell)>, brush: Brush) -> Vec<Line<'static>> {
    let lines = cells.flat_map(|(before, cell)| {
        let gap = cell::apart(before, cell).then(Line::default);
        gap.into_iter().chain(cell::render(cell, Mode::Folded, brush))
    });
    // of any width, but without tabs: what a tab is depends on where it stands
    lines.map(|line| fit(&line, usize::MAX)).collect()
}

/// A part of the live region.
struct Part {
    class: Class,
    lines: Vec<Line<'static>>,
}

/// What a part is, in the order in which parts give way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// The answer or the thoughts that arrive; their end is kept.
    Answer,
    /// The output of a running call; its end is kept.
    Output,
    /// The list of steps.
    Steps,
    /// What waits in the queue.
    Queued,
    /// What the input can be completed to.
    Completion,
    /// What helps with a long wait.
    Advice,
    /// An empty line.
    Gap,
    /// Calls that run, or that only looked.
    Call,
    /// The bottom line.
    Status,
    /// What is waited for.
    Waiting,
    /// What has the keys. Drawn into the room that there is, never cut.
    Input,
}

impl Class {
    /// All but the input.
    const ORDER: [Self; 10] = [
        Self::Answer,
        Self::Output,
        Self::Steps,
        Self::Queued,
        Self::Completion,
        Self::Advice,
        Self::Gap,
        Self::Call,
        Self::Status,
        Self::Waiting,
    ];
}

impl Part {
    fn new(class: Class, lines: Vec<Line<'static>>) -> Self {
        Self { class, lines }
    }

    fn gap() -> Self {
        Self::new(Class::Gap, vec![Line::default()])
    }

    /// Takes `rows` away, at the end that matters less.
    fn cut(&mut self, rows: usize) {
        match self.class {
            Class::Answer | Class::Output => drop(self.lines.drain(..rows)),
            Class::Steps
            | Class::Queued
            | Class::Completion
            | Class::Advice
            | Class::Gap
            | Class::Call
            | Class::Status
            | Class::Waiting
            | Class::Input => self.lines.truncate(self.lines.len() - rows),
        }
    }
}

fn live(model: &Model, now: Moment, kept: &mut Kept, brush: Brush) -> (Vec<Line<'static>>, Option<Spot>) {
    let bound = bound(model);
    let parts = arriving(model, now, bound, brush);
    let is_first = parts.is_empty() && model.transcript.cells().is_empty();
    let gap = (!is_first).then(Part::gap);
    let (lines, cursor) = region(model, (now, bound), (parts, gap), kept, brush);
    below_what_is_ahead(model, (lines, cursor), brush)
}

/// What is shown ahead of its time stands above the live region, where it will stand when it is printed: its last rows, as
/// many as the screen has.
fn below_what_is_ahead(
    model: &Model,
    (live, cursor): (Vec<Line<'static>>, Option<Spot>),
    brush: Brush,
) -> (Vec<Line<'static>>, Option<Spot>) {
    if !model.transcript.is_ahead() {
        return (live, cursor);
    }
    let room = usize::from(model.size.rows).saturating_sub(live.len());
    let mut rows = sheet::broken(&folded(model.transcript.uncertain(), brush), brush);
    rows.drain(..rows.len().saturating_sub(room));
    let cursor = cursor.map(|at| spot(usize::from(at.row) + rows.len(), usize::from(at.col)));
    rows.extend(live);
    (rows, cursor)
}

/// The most rows of the live region.
fn bound(model: &Model) -> usize {
    let rows = usize::from(model.size.rows);
    LEAST.max(rows / 2).min(rows).max(1)
}

/// What stands below the transcript, below `parts` and their gap: in at most `bound` rows all of them together.
fn region(
    model: &Model,
    (now, bound): (Moment, usize),
    (mut parts, gap): (Vec<Part>, Option<Part>),
    kept: &mut Kept,
    brush: Brush,
) -> (Vec<Line<'static>>, Option<Spot>) {
    let mut waiting = status::waiting(model, now, brush);
    kept.look_at(model);
    let pane = pane(model, (now, bound), waiting.len(), kept, brush);
    // two gaps, this line, the bottom line; without room for all of them the question says itself what is waited for
    if is_asked(model) && rows_of(&parts) + pane.lines.len() + 4 > bound {
        waiting.clear();
    }
    parts.extend(gap);
    let for_completion = bound.saturating_sub(waiting.len() + pane.lines.len() + 1);
    let set_apart = is_asked(model) && !waiting.is_empty();
    parts.push(Part::new(Class::Waiting, waiting));
    parts.push(Part::new(Class::Advice, status::advice(model, now, brush).into_iter().collect()));
    parts.extend(set_apart.then(Part::gap));
    parts.push(Part::new(Class::Steps, steps(model, bound, pane.lines.len(), brush)));
    parts.push(Part::new(Class::Queued, queued(model, bound, brush)));
    let above = parts.len();
    parts.push(Part::new(Class::Input, pane.lines));
    parts.push(Part::new(Class::Completion, completion(model, for_completion, brush)));
    parts.push(Part::new(Class::Status, vec![status::line(model, now, brush)]));
    squeeze(&mut parts, bound);
    let above = rows_of(parts.get(..above).unwrap_or_default());
    let cursor =
        pane.cursor.map(|(row, column)| spot(above + row, column.min(brush.columns.saturating_sub(1))));
    let lines = parts.into_iter().flat_map(|part| part.lines);
    (lines.map(|line| fit(&line, brush.columns)).collect(), cursor)
}

/// Cuts the parts in their order until all of them together have at most `bound` rows.
fn squeeze(parts: &mut [Part], bound: usize) {
    let mut over = rows_of(parts).saturating_sub(bound);
    for class in Class::ORDER {
        for part in parts.iter_mut().filter(|part| part.class == class) {
            let rows = over.min(part.lines.len());
            part.cut(rows);
            over -= rows;
        }
    }
}

fn rows_of(parts: &[Part]) -> usize {
    parts.iter().map(|part| part.lines.len()).sum()
}

fn spot(row: usize, column: usize) -> Spot {
    let cells = |count| u16::try_from(count).unwrap_or(u16::MAX);
    Spot { row: cells(row), col: cells(column) }
}

fn is_asked(model: &Model) -> bool {
    match model.stage {
        Stage::Asking(_) | Stage::Answering(_) | Stage::AtLimit(_) => true,
        Stage::Opening | Stage::Trusting(_) | Stage::Choosing(_) | Stage::Idle | Stage::Running => false,
    }
}

/// What has the keys, in at most `bound` rows: `waiting` of them are left to what is waited for, if it is not a question.
fn pane(model: &Model, (now, bound): (Moment, usize), waiting: usize, kept: &mut Kept, brush: Brush) -> Pane {
    // of a small screen a question may take all; on others it leaves the bottom line
    let room = if bound < SMALL { bound } else { bound - 1 };
    let mut pane = match (&model.overlay, &model.stage) {
        (Some(Overlay::Sessions(open)), _) => sessions::pane(open, room, &styles(brush), brush),
        (Some(Overlay::Rewind(open)), _) => rewind::pane(open, room, &styles(brush), brush),
        (Some(Overlay::Models(picker)), _) => {
            let (lines, cursor) = composer::render_picker(picker, brush.columns, room, &styles(brush));
            Pane { lines, cursor: Some(cursor) }
        }
        (Some(Overlay::Themes(themes)), _) => {
            let (lines, cursor) =
                composer::render_picker(&themes.picker, brush.columns, room, &styles(brush));
            Pane { lines, cursor: Some(cursor) }
        }
        (Some(Overlay::Tasks(tasks)), _) => tasks::pane(tasks, &model.aside, (now, room), brush),
        (Some(Overlay::Permissions(open)), _) => permissions::pane(open, room, brush),
        (_, Stage::Trusting(trusting)) => trust::pane(trusting, room, brush),
        (_, Stage::Choosing(choosing)) => setup::choose(choosing, room, brush),
        (_, Stage::Asking(asking)) => question::permission(asking, room, kept, brush),
        (_, Stage::Answering(answering)) => answering::pane(answering, room, brush),
        (_, Stage::AtLimit(limit)) => question::limit(limit, brush),
        (_, Stage::Opening | Stage::Idle | Stage::Running) => {
            let room = bound.saturating_sub(1 + waiting);
            let (lines, cursor) = composer::render(&model.composer, brush.columns, room, &styles(brush));
            Pane { lines, cursor: Some(cursor) }
        }
    };
    let over = pane.lines.len().saturating_sub(bound);
    pane.lines.drain(..over);
    pane.cursor = pane.cursor.map(|(row, column)| (row.saturating_sub(over), column));
    pane
}

/// Whether a list lies over the input.
fn is_covered(model: &Model) -> bool {
    match &model.overlay {
        None | Some(Overlay::Page(_)) => false,
        Some(
            Overlay::Models(_)
            | Overlay::Sessions(_)
            | Overlay::Rewind(_)
            | Overlay::Tasks(_)
            | Overlay::Permissions(_)
            | Overlay::Themes(_),
        ) => true,
    }
}

/// What the input can be completed to, in at most `room` rows, so that the chosen one is among them.
fn completion(model: &Model, room: usize, brush: Brush) -> Vec<Line<'static>> {
    match &model.stage {
        Stage::Opening | Stage::Idle | Stage::Running if !is_covered(model) => {}
        Stage::Opening
        | Stage::Idle
        | Stage::Running
        | Stage::Trusting(_)
        | Stage::Choosing(_)
        | Stage::Asking(_)
        | Stage::Answering(_)
        | Stage::AtLimit(_) => return Vec::new(),
    }
    let completion = model.composer.completion().filter(|_| room > 0);
    let draw = |completion| composer::render_completion(completion, brush.columns, room, &styles(brush));
    completion.map(draw).unwrap_or_default()
}

/// The model's list of steps, unless something else has the keys; two thirds of what is left of the region at most.
fn steps(model: &Model, bound: usize, input: usize, brush: Brush) -> Vec<Line<'static>> {
    let going = match &model.stage {
        Stage::Running if !is_covered(model) => Going::On,
        Stage::Idle if !is_covered(model) => Going::Rest,
        Stage::Running
        | Stage::Idle
        | Stage::Opening
        | Stage::Trusting(_)
        | Stage::Choosing(_)
        | Stage::Asking(_)
        | Stage::Answering(_)
        | Stage::AtLimit(_) => return Vec::new(),
    };
    // the bottom line, what is waited for, and a gap
    let left = bound.saturating_sub(input + 3);
    todos::live(&model.aside.todos, going, left, brush)
}

/// What waits in the queue; in a third of the region at most, with a word about what has no room.
fn queued(model: &Model, bound: usize, brush: Brush) -> Vec<Line<'static>> {
    let row = |queued: &Queued| brush.line(format!("{INDENT}queued: {}", one_line(queued.text())), Role::Dim);
    let (all, most) = (model.queue.iter().count(), (bound / 3).max(1));
    let shown = if all > most { most - 1 } else { all };
    let mut rows: Vec<_> = model.queue.iter().take(shown).map(row).collect();
    if shown < all {
        let more = if shown == 0 { "" } else { " more" };
        rows.push(brush.line(format!("{INDENT}… {}{more} queued", all - shown), Role::Dim));
    }
    rows
}

fn styles(brush: Brush) -> ComposerStyles {
    let style = |role| brush.theme.style(role);
    ComposerStyles { accent: style(Role::Accent), dim: style(Role::Dim), plain: style(Role::Plain) }
}
