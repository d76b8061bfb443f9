//! A page on the alternate screen: the whole transcript with nothing folded, or the help.
//!
//! It has no scroll position of its own: the model counts rows from the end, so that new output moves nothing that is being
//! read further up, and a page that is shorter than the screen begins at its top. What the model could not know (how far up there
//! is anything, where the next match stands) is settled here, as the page is drawn.

use std::sync::Arc;

use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use super::brush::{Brush, Fact, INDENT, Look, one_line};
use super::find::Needle;
use super::preview::Kept;
use super::sheet::{Sheet, Since, Source, broken};
use super::theme::Role;
use super::wrap::{Prefix, fit, width, wrap};
use super::{answering, arriving_answer, cell, question, tool, trust};
use crate::protocol::ToolKind;
use crate::protocol::{QuestionId, Results};
use crate::tui::keymap::{HelpRow, help_rows};
use crate::tui::model::moment::Moment;
use crate::tui::model::overlay::{Found, Overlay, Page, PageOf, Report, Search, Seek};
use crate::tui::model::transcript::Cell;
use crate::tui::model::{Model, Stage};
use crate::tui::slash;

/// The columns for keys and commands on the help page: the longest but for a few.
const KEYS: usize = 26;

/// The page that lies over the screen (the transcript, if there is none), in as many lines as the screen has rows.
pub fn page(model: &Model, look: impl Into<Look>, now: Moment) -> Vec<Line<'static>> {
    draw(&mut Sheet::default(), &mut shown(model), model, (look.into(), now))
}

/// The same, on a sheet that keeps what was made; settles where the page stands.
pub fn draw(
    sheet: &mut Sheet,
    page: &mut Page,
    model: &Model,
    (look, now): (Look, Moment),
) -> Vec<Line<'static>> {
    let brush = look.brush(usize::from(model.size.columns));
    let body = body(model);
    let (results, report) = (page.results.clone(), Arc::clone(&page.report));
    let (cells, tail) = match page.of {
        PageOf::Transcript => {
            (model.transcript.cells(), going_on((model, &results), now, &mut sheet.kept, brush))
        }
        PageOf::Help => (&[][..], help(brush)),
        PageOf::Question(id) => (&[][..], asked(id, model, &mut sheet.kept, brush)),
        PageOf::Report => (report.cells.as_slice(), awaited(&report, brush)),
    };
    let cells = Source { cells, results: &results };
    match sheet.take((page.of, brush), cells, broken(&tail, brush)) {
        Since::Arrived(rows) => page.moved_by(rows),
        Since::Anew(from_top) => {
            page.seek = page.seek.or(page.found.map(|_| Seek::Same));
            let from_top = from_top.filter(|_| page.up > 0);
            page.up = from_top.map_or(page.up, |rows| rows.saturating_sub(body));
        }
    }
    let needle = page.search.sought().and_then(Needle::new);
    if let (Some(seek), Some(needle)) = (page.seek.take(), &needle) {
        sheet.reach(usize::MAX, cells);
        find(sheet, page, (seek, needle), body);
    }
    sheet.reach(page.up.saturating_add(body), cells);
    page.up = page.up.min(sheet.len().saturating_sub(body));
    sheet.reach_on(cells);
    let end = sheet.len() - page.up;
    let start = end.saturating_sub(body);
    let mut rows = sheet.window(start, end - start);
    if let Some(needle) = &needle {
        rows = rows.into_iter().map(|row| needle.shown_in(row)).collect();
    }
    rows.resize(body, Line::default());
    if model.size.rows > 0 {
        let place = if sheet.is_whole() { Place::Of(end, sheet.len()) } else { Place::Up(page.up) };
        rows.push(bottom(page, place, brush));
    }
    rows
}

/// Goes to a match. The sheet is whole.
fn find(sheet: &mut Sheet, page: &mut Page, (seek, needle): (Seek, &Needle), body: usize) {
    let len = sheet.len();
    let hits = sheet.hits(needle);
    let last_seen = len.saturating_sub(page.up.min(len) + 1);
    let at = page.found.map(|found| len.saturating_sub(found.up + 1));
    let older = |than: usize| hits.iter().rposition(|hit| *hit < than);
    let newer = |than: usize| hits.iter().position(|hit| *hit > than);
    let found = match (seek, at) {
        (Seek::Older, Some(at)) => older(at).or(hits.len().checked_sub(1)),
        (Seek::Newer, Some(at)) => newer(at).or(Some(0)),
        (Seek::Same, _) => page.found.map(|found| found.number.min(hits.len()).saturating_sub(1)),
        (Seek::Newest, _) | (Seek::Older | Seek::Newer, None) => {
            older(last_seen.saturating_add(1)).or_else(|| newer(last_seen))
        }
    };
    let found = found.and_then(|number| Some((number, *hits.get(number)?)));
    page.found = found.map(|(number, row)| Found { up: len - 1 - row, number: number + 1, of: hits.len() });
    if let Some((_, row)) = found.filter(|_| seek != Seek::Same) {
        let end = len - page.up.min(len);
        if !(end.saturating_sub(body)..end).contains(&row) {
            // a third of a screen stands above it
            page.up = len.saturating_sub(row + body - body / 3);
        }
    }
}

fn shown(model: &Model) -> Page {
    match &model.overlay {
        Some(Overlay::Page(page)) => page.clone(),
        Some(
            Overlay::Models(_)
            | Overlay::Sessions(_)
            | Overlay::Rewind(_)
            | Overlay::Tasks(_)
            | Overlay::Permissions(_)
            | Overlay::Themes(_),
        )
        | None => Page { up: 0, ..Page::open(PageOf::Transcript) },
    }
}

/// The rows above the line of keys.
fn body(model: &Model) -> usize {
    usize::from(model.size.rows.saturating_sub(1))
}

/// Where in the page one is.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// The last row of the screen, and of all.
    Of(usize, usize),
    /// Rows above the end, as long as it is not known how many there are.
    Up(usize),
}

/// What the keys do, what is searched for, and where one is.
fn bottom(page: &Page, place: Place, brush: Brush) -> Line<'static> {
    if let Search::Typing(typed) = &page.search {
        let typed = one_line(typed.draft().text());
        let mut line = brush.line(format!("/{typed}"), Role::Plain);
        line.push_span(Span::raw(" ").patch_style(Modifier::REVERSED));
        return fit(&line, brush.columns);
    }
    let fact = |text: String| Fact::new(brush.span(text, Role::Dim));
    let mut facts = match (&page.search, page.found) {
        (Search::For(sought), None) => {
            vec![Fact::new(brush.span(format!("{INDENT}no match for {}", one_line(sought)), Role::Warn))]
        }
        (Search::For(_), Some(found)) => vec![
            fact(format!("{INDENT}match {} of {}", found.number, found.of)),
            fact("n: older · N: newer".to_owned()).rank(1),
        ],
        (Search::Nothing | Search::Typing(_), _) => vec![
            fact(format!("{INDENT}q: close")),
            fact("/: search".to_owned()).rank(3),
            fact("Up, Down, PgUp, PgDn, Home, End: scroll".to_owned()).rank(2),
        ],
    };
    let place = match place {
        Place::Of(end, total) => format!("{end} of {total}"),
        Place::Up(up) => format!("{up} above the end"),
    };
    facts.push(fact(place).rank(1));
    fit(&brush.facts(facts), brush.columns)
}

/// All of a page, in lines of any width.
pub(super) fn whole(page: &Page, model: &Model, now: Moment, brush: Brush) -> Vec<Line<'static>> {
    let results = &page.results;
    let (cells, tail) = match page.of {
        PageOf::Help => return help(brush),
        PageOf::Question(id) => return asked(id, model, &mut Kept::default(), brush),
        PageOf::Transcript => {
            (model.transcript.cells(), going_on((model, results), now, &mut Kept::default(), brush))
        }
        PageOf::Report => (page.report.cells.as_slice(), awaited(&page.report, brush)),
    };
    let before = std::iter::once(None).chain(cells.iter().map(Some));
    let told = before.zip(cells).flat_map(|(before, cell)| {
        let gap = cell::apart(before, cell).then(Line::default);
        gap.into_iter().chain(cell::whole(cell, results, brush))
    });
    told.chain(tail).collect()
}

/// All of a question, as long as it waits for an answer.
fn asked(id: QuestionId, model: &Model, kept: &mut Kept, brush: Brush) -> Vec<Line<'static>> {
    match &model.stage {
        Stage::Asking(asking) if asking.id == id => question::whole(asking, kept, brush),
        _ => Vec::new(),
    }
}

/// What is not a cell yet: the run, and what is asked.
fn going_on(
    (model, results): (&Model, &Results),
    now: Moment,
    kept: &mut Kept,
    brush: Brush,
) -> Vec<Line<'static>> {
    let cells = model.transcript.cells();
    let mut lines = Vec::new();
    if let Some(run) = &model.run {
        if let Some((cell, arrived)) = arriving_answer(run, usize::MAX, brush) {
            lines.extend(cell::apart(cells.last(), &cell).then(Line::default));
            lines.extend(arrived);
        }
        let mut work: Vec<_> =
            run.explored.iter().flat_map(|call| tool::whole(call, results, brush)).collect();
        for call in run.calls.iter().filter(|call| call.kind != ToolKind::Interact) {
            work.push(tool::running(call, now, brush));
            work.extend(tool::running_output(call, brush));
        }
        let is_apart = !lines.is_empty() || cell::apart(cells.last(), &Cell::Explored(Vec::new()));
        lines.extend((is_apart && !work.is_empty()).then(Line::default));
        lines.extend(work);
    }
    lines.extend(match &model.stage {
        Stage::Asking(asking) => [vec![Line::default()], question::whole(asking, kept, brush)].concat(),
        Stage::Answering(answering) => [vec![Line::default()], answering::whole(answering, brush)].concat(),
        Stage::Trusting(trusting) => [vec![Line::default()], trust::whole(trusting, brush)].concat(),
        Stage::Opening | Stage::Choosing(_) | Stage::Idle | Stage::Running | Stage::AtLimit(_) => Vec::new(),
    });
    lines
}

/// What a report still waits for.
fn awaited(report: &Report, brush: Brush) -> Vec<Line<'static>> {
    let told = report.awaited.iter();
    told.flat_map(|told| [Line::default(), brush.line(format!("{INDENT}{told}"), Role::Dim)]).collect()
}

fn help(brush: Brush) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut section = "";
    for HelpRow { section: title, keys, text } in help_rows() {
        if title != section {
            lines.extend((!lines.is_empty()).then(Line::default));
            lines.push(brush.line(title, Role::Heading));
            section = title;
        }
        lines.extend(entry(&keys, text, brush));
    }
    lines.extend([Line::default(), brush.line("Commands", Role::Heading)]);
    for row in slash::TABLE {
        let name = format!("/{} {}", row.name, row.argument);
        lines.extend(entry(name.trim_end(), row.text, brush));
    }
    lines
}

/// A name and what it does, side by side where there is room.
fn entry(name: &str, text: &'static str, brush: Brush) -> Vec<Line<'static>> {
    let column = KEYS.min(brush.columns / 3);
    let name_width = width(name);
    let lead = Span::raw(INDENT);
    if name_width + INDENT.len() > column {
        let name = brush.paragraph(&brush.line(name.to_owned(), Role::Accent), lead, INDENT);
        let text = brush.paragraph(&brush.line(text, Role::Plain), Span::raw("    "), "    ");
        return name.into_iter().chain(text).collect();
    }
    let pad = " ".repeat(column - name_width);
    let first = vec![lead, brush.span(name.to_owned(), Role::Accent), Span::raw(pad)];
    let rest = vec![Span::raw(" ".repeat(column + INDENT.len()))];
    wrap(&brush.line(text, Role::Plain), brush.columns, &Prefix { first, rest })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, call, model, numbered, text};
    use super::super::theme::Theme;
    use super::*;
    use crate::protocol::{Display, ToolStatus};

    fn shown(model: &Model) -> String {
        text(&page(model, Theme::Colour, Moment(0)))
    }

    fn with(of: PageOf, up: usize, (columns, rows): (u16, u16)) -> Model {
        let mut model = model(columns, rows);
        model.overlay = Some(Overlay::Page(Page { up, ..Page::open(of) }));
        model.transcript.push(Cell::User("run it".to_owned()));
        let text = numbered(30);
        let display = Display::Output { text, ended: None };
        model.transcript.push(Cell::Call(Box::new(call("run", "seq 30", ToolStatus::Success, display))));
        model.transcript.mark_printed();
        model
    }

    #[test]
    fn the_transcript_is_whole_and_ends_at_the_bottom() {
        testing::check(
            &shown(&with(PageOf::Transcript, 0, (80, 6))),
            "line 26
line 27
line 28
line 29
line 30
  q: close · /: search · Up, Down, PgUp, PgDn, Home, End: scroll · 33 of 33",
        );
        testing::check(
            &shown(&with(PageOf::Transcript, 29, (40, 6))),
            "❯ run it

● run  seq 30  2 s
line 1
line 2
  q: close · 5 of 33",
        );
        let far = with(PageOf::Transcript, usize::MAX, (80, 24));
        testing::check(shown(&far).lines().next().unwrap(), "❯ run it");
        let Some(Overlay::Page(mut page)) = far.overlay.clone() else { panic!() };
        draw(&mut Sheet::default(), &mut page, &far, (Theme::Colour.into(), Moment(0)));
        assert_eq!(page.up, 33 - 23, "further up there is nothing");
    }

    #[test]
    fn the_help_is_made_from_the_tables() {
        testing::check(
            &shown(&with(PageOf::Help, usize::MAX, (80, 12))),
            r"Input
  Enter                     send
  Shift+Enter, Alt+Enter, Ctrl+J
    new line (also: \ before Enter)
  Tab                       complete a /command or an @path
  Up                        move up; on the first line: older history
  Down                      move down; on the last line: newer history
  Ctrl+R                    search the history; again: next older match
  Esc                       close a list or search; twice on empty input: rewind
  Ctrl+C                    clear the input; twice on empty input: exit
  Ctrl+D                    delete right; on empty input: exit
  q: close · /: search · Up, Down, PgUp, PgDn, Home, End: scroll · 11 of 143",
        );
        testing::check(
            &shown(&with(PageOf::Help, 0, (80, 21))),
            "  /status                   show session, model, endpoint and permissions
  /context                  show what uses the context window
  /compact [INSTRUCTIONS]   summarize the conversation to free context
  /resume [ID]              resume a session, from a list or by ID
  /fork                     fork this session: continue in a copy
  /rewind                   go back to an earlier message, with or without files
  /redo                     undo the last rewind
  /rename TITLE             change the title of this session
  /add-dir [DIR]            also allow reading and editing DIR
  /diff                     show the files changed in this session
  /doctor                   check configuration, terminal and endpoint
  /cost                     show token usage and cost by model
  /copy [N]                 copy the last answer, or its code block N
  /export [FILE]            export the conversation as .md, .html or .json
  /plan                     turn plan mode on or off
  /init                     ask the model to write AGENTS.md for this project
  /review [WHAT]            ask the model to review uncommitted changes, or WHAT
  /memory                   show the instruction files in use
  /config                   show every setting and where it comes from
  /exit                     exit clawd
  q: close · /: search · Up, Down, PgUp, PgDn, Home, End: scroll · 143 of 143",
        );
        testing::check(
            &shown(&with(PageOf::Help, usize::MAX, (40, 12))),
            r"Input
  Enter        send
  Shift+Enter, Alt+Enter, Ctrl+J
    new line (also: \ before Enter)
  Tab          complete a /command or an
               @path
  Up           move up; on the first
               line: older history
  Down         move down; on the last
               line: newer history
  Ctrl+R       search the history;
  q: close · 11 of 223",
        );
    }

    /// Drawn on one sheet, page by page, as the painter does.
    fn drawn(sheet: &mut Sheet, model: &mut Model) -> String {
        let Some(Overlay::Page(mut page)) = model.overlay.take() else { panic!("there is no page") };
        let rows = draw(sheet, &mut page, model, (Theme::Colour.into(), Moment(0)));
        model.overlay = Some(Overlay::Page(page));
        text(&rows)
    }

    fn change(model: &mut Model, change: impl FnOnce(&mut Page)) {
        let Some(Overlay::Page(page)) = &mut model.overlay else { panic!("there is no page") };
        change(page);
    }

    #[test]
    fn a_search_goes_to_the_newest_match_and_walks_to_the_older_ones() {
        let (mut sheet, mut model) = (Sheet::default(), with(PageOf::Transcript, 0, (80, 5)));
        change(&mut model, |page| {
            page.search = Search::For("line 2".to_owned());
            page.seek = Some(Seek::Newest);
        });
        testing::check(
            &drawn(&mut sheet, &mut model),
            "line 27
line 28
line 29
line 30
  match 11 of 11 · n: older · N: newer · 33 of 33",
        );
        change(&mut model, |page| page.seek = Some(Seek::Newer));
        testing::check(
            &drawn(&mut sheet, &mut model),
            "line 1
line 2
line 3
line 4
  match 1 of 11 · n: older · N: newer · 7 of 33",
        );
        change(&mut model, |page| page.seek = Some(Seek::Older));
        testing::check(
            drawn(&mut sheet, &mut model).lines().last().unwrap(),
            "  match 11 of 11 · n: older · N: newer · 33 of 33",
        );
        change(&mut model, |page| {
            page.search = Search::For("Line 2".to_owned());
            (page.seek, page.found) = (Some(Seek::Newest), None);
        });
        assert!(drawn(&mut sheet, &mut model).ends_with("  no match for Line 2 · 33 of 33"));
        change(&mut model, |page| {
            let mut typed = Box::<crate::tui::model::buffer::Buffer>::default();
            typed.type_in(crate::tui::model::draft::Draft::plain("abc"));
            page.search = Search::Typing(typed);
        });
        assert!(drawn(&mut sheet, &mut model).ends_with("\n/abc"));
    }

    #[test]
    fn what_is_read_stays_at_the_top_as_more_arrives_and_as_the_width_changes() {
        let (mut sheet, mut model) = (Sheet::default(), with(PageOf::Transcript, 12, (80, 5)));
        let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        assert_eq!(first(&drawn(&mut sheet, &mut model)), "line 15");
        model.transcript.push(Cell::User("more ".repeat(30)));
        assert_eq!(first(&drawn(&mut sheet, &mut model)), "line 15");
        for columns in [40, 20, 80, 120] {
            model.size.columns = columns;
            assert_eq!(first(&drawn(&mut sheet, &mut model)), "line 15", "{columns}");
        }
    }

    #[test]
    fn a_long_transcript_is_made_as_far_as_it_is_seen_and_then_little_by_little() {
        let (mut sheet, mut model) = (Sheet::default(), with(PageOf::Transcript, 0, (80, 24)));
        for n in 0..10_000 {
            model.transcript.push(Cell::User(format!("message {n}")));
        }
        assert!(drawn(&mut sheet, &mut model).ends_with("0 above the end"));
        assert!(!sheet.is_whole() && sheet.len() < 1_100, "{}", sheet.len());
        let mut frames = 0;
        while !sheet.is_whole() {
            drawn(&mut sheet, &mut model);
            frames += 1;
            assert!(frames < 40, "it never ends");
        }
        assert!(drawn(&mut sheet, &mut model).ends_with("20033 of 20033"));
        change(&mut model, |page| page.up = Page::TOP);
        assert!(drawn(&mut sheet, &mut model).starts_with("❯ run it"));
    }

    #[test]
    fn a_report_is_read_from_its_beginning_and_stays_there_as_it_grows() {
        let mut model = model(40, 6);
        let lines = |text: String| Cell::Lines(text.lines().map(str::to_owned).collect());
        let report = Report { cells: vec![lines(numbered(3))], awaited: Some("asking".to_owned()) };
        model.overlay = Some(Overlay::Page(Page::report(report)));
        let mut sheet = Sheet::default();
        testing::check(
            &drawn(&mut sheet, &mut model),
            "line 1\nline 2\nline 3\n\n  asking\n  q: close · 5 of 5",
        );
        change(&mut model, |page| {
            let report = Arc::make_mut(&mut page.report);
            report.awaited = None;
            report.cells.push(lines(numbered(9)));
        });
        assert!(drawn(&mut sheet, &mut model).starts_with("line 1\nline 2\nline 3\n\nline 1\n"));
    }

    #[test]
    fn what_calls_have_given_is_on_the_page_of_the_transcript_alone() {
        let mut model = with(PageOf::Transcript, 0, (80, 24));
        let read = call("read", "a.rs", ToolStatus::Success, Display::Line("2 lines".to_owned()));
        model.transcript.push(Cell::Explored(vec![read]));
        assert!(!shown(&model).contains("fn main"));
        change(&mut model, |page| page.results = testing::results("c", "1\tfn main() {}\n2\t// end\x1b[2J"));
        let page = shown(&model);
        assert!(page.contains("fn main() {}") && page.contains("// end"), "{page}");
        assert!(!page.contains('\x1b'));
    }

    #[test]
    fn a_page_has_as_many_lines_as_the_screen() {
        for of in [PageOf::Transcript, PageOf::Help] {
            for size in [(1, 1), (1, 2), (2, 1), (10, 3), (40, 12), (200, 60), (0, 0)] {
                for up in [0, 1, 20, usize::MAX] {
                    let page = page(&with(of, up, size), Theme::Mono, Moment(0));
                    assert_eq!(page.len(), usize::from(size.1), "{size:?}");
                    assert!(page.iter().all(|line| line.width() <= usize::from(size.0)), "{size:?}");
                }
            }
        }
    }
}
