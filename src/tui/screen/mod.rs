//! The inline screen: history in the terminal's own scrollback, a small live region below it.
//!
//! An encoder, pure: a [`Frame`] goes in, bytes come out, and whoever calls writes them with one write. It owns no
//! terminal (that is [`super::terminal`]), decides no moment (that is [`super::frames`]) and lays nothing out (that is
//! the view). History is printed once, as logical lines which the terminal wraps, and is never touched again.
//!
//! What surprises: nothing above the live region is ever counted or asked for. While frames flow the hidden cursor
//! rests on the live region's first cell, and its rows are drawn with autowrap off, so that `n` rows stay `n` rows
//! whatever the width has become in the meantime. A terminal that rewraps moves that cell and the cursor together;
//! so the next frame erases from the cursor down and is right, even where the size was stale. There is no absolute
//! position, no scroll region, no saved cursor and no query in here: each of these loses lines while a window is
//! dragged.
//!
//! Where no history is new, the rows that stand stay: rows are put in and taken out between them (`shift`), and of a row
//! only what differs is written. New history means the erase and all of the live region again, so that whatever a width
//! not yet known has done to the rows is gone with the next line.

mod canvas;
pub mod link;
mod pen;
mod plan;
mod rewrap;
mod row;
mod shift;

use ratatui::layout::Size;
use ratatui::text::Line;

pub use canvas::Canvas;
pub use rewrap::Rewrap;

use link::Links;
use plan::Plan;
use row::{Erased, Row};
use shift::Shift;

const SYNC_BEGIN: &[u8] = b"\x1b[?2026h";
const SYNC_END: &[u8] = b"\x1b[?2026l";
const WRAP_OFF: &[u8] = b"\x1b[?7l";
const WRAP_ON: &[u8] = b"\x1b[?7h";
const CURSOR_HIDE: &[u8] = b"\x1b[?25l";
const CURSOR_SHOW: &[u8] = b"\x1b[?25h";
const ERASE_RIGHT: &[u8] = b"\x1b[K";
const NEW_LINE: &[u8] = b"\r\n";

/// Erases from the cursor's row to the end of the screen and leaves the cursor in column 0.
///
/// Never erase-below in column 0: at the top left corner tmux takes that for a cleared screen and pushes all of it,
/// live rows included, into its history.
pub(crate) const SAFE_ERASE: &[u8] = b"\r\x1b[C\x1b[J\r\x1b[K";

/// The column after a text was written: none that a cursor is ever sent to, so that the next move is not left out.
const AFTER_TEXT: u16 = u16::MAX;

/// A cell of the live region, from its upper left corner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spot {
    /// Rows down.
    pub row: u16,
    /// Columns right.
    pub col: u16,
}

/// Whether more frames are to be expected at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Frames flow: the cursor is a painted cell, and the real one waits, hidden, where a resize cannot hurt.
    Busy,
    /// Nothing flows, or the user types: the real cursor stands in the composer, where input methods need it.
    Rest,
}

/// Where the terminal's cursor stands when the program starts or comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartAt {
    /// In the first column, as a shell leaves it.
    FirstColumn,
    /// Not known: a new line is begun.
    Unknown,
}

/// What is to be on the screen from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// New logical lines for the scrollback, of any width; they are printed once and for ever.
    pub history: Vec<Line<'static>>,
    /// The whole live region, each row fitted to the width (what is wider is cut).
    pub live: Vec<Line<'static>>,
    /// The cell of the text cursor in `live`, where there is one.
    pub cursor: Option<Spot>,
    /// Whether the real cursor goes there.
    pub pace: Pace,
    /// The terminal's size, as last heard of.
    pub size: Size,
    /// How much of the screen the live region may take.
    pub reach: Reach,
}

/// How much of the screen the live region may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reach {
    /// Half of it.
    #[default]
    Half,
    /// All of it, for the moment in which history is shown that cannot be printed yet.
    Whole,
}

/// What was drawn last and where the cursor was left: all there is to know for the next frame.
#[derive(Debug)]
pub struct Screen {
    rewrap: Rewrap,
    drawn: Vec<Row>,
    at: Spot,
    cursor: Cursor,
    size: Size,
    trust: Trust,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cursor {
    Shown,
    Hidden,
}

/// How much of what was drawn is still believed to stand there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// Nothing of ours is on the screen; the cursor's row is the first that may be used.
    Blank,
    /// Our rows stand there, but perhaps damaged.
    Place,
    /// Our rows stand there as drawn.
    Rows,
}

impl Screen {
    /// A screen on which nothing stands yet.
    #[must_use]
    pub fn new(rewrap: Rewrap) -> Self {
        let size = Size::new(80, 24);
        Self {
            rewrap,
            drawn: Vec::new(),
            at: Spot::default(),
            cursor: Cursor::Shown,
            size,
            trust: Trust::Blank,
        }
    }

    /// Takes the terminal, at the start or after [`Self::leave`]; nothing is assumed about older rows.
    pub fn start(&mut self, at: StartAt, out: &mut Vec<u8>) {
        *self = Self::new(self.rewrap);
        match at {
            StartAt::FirstColumn => {}
            StartAt::Unknown => out.extend_from_slice(NEW_LINE),
        }
    }

    /// Appends to `out` the bytes that bring the terminal from the last frame to this one: none if nothing changed.
    pub fn frame(&mut self, frame: &Frame, out: &mut Vec<u8>) {
        let size = Size::new(frame.size.width.max(1), frame.size.height.max(1));
        let plan = Plan::of(frame, size, self.rewrap);
        let shift = if self.may_stay(frame, size) { Shift::between(&self.drawn, &plan.rows) } else { None };
        let nothing = out.len();
        out.extend_from_slice(SYNC_BEGIN);
        let begun = out.len();
        if let Some(shift) = shift {
            self.make_room(shift, out);
            self.amend(plan.rows, shift, out);
        } else {
            self.go_home(size.width, out);
            self.redraw(&frame.history, plan.rows, out);
        }
        self.size = size;
        if out.len() == begun {
            // a cursor alone needs no frame around it
            out.truncate(nothing);
            self.place_cursor(plan.rest, plan.cursor, out);
            return;
        }
        self.place_cursor(plan.rest, plan.cursor, out);
        out.extend_from_slice(SYNC_END);
    }

    /// Draws all of the live region again with the next frame, as Ctrl+L asks.
    pub fn distrust(&mut self) {
        if self.trust == Trust::Rows {
            self.trust = Trust::Place;
        }
    }

    /// Takes the live region off the screen and leaves the cursor where it began, shown, with autowrap on: for the
    /// end, for Ctrl+Z, for an editor, for the alternate screen.
    pub fn leave(&mut self, out: &mut Vec<u8>) {
        if self.trust != Trust::Blank {
            self.go_home(self.size.width, out);
            out.extend_from_slice(SAFE_ERASE);
        }
        out.extend_from_slice(WRAP_ON);
        out.extend_from_slice(CURSOR_SHOW);
        *self = Self::new(self.rewrap);
    }

    /// How many rows above the cursor the live region begins, for whoever must restore the terminal without us.
    #[must_use]
    pub fn rows_above(&self) -> u16 {
        self.at.row
    }

    /// Whether the rows that stand are to be trusted and nothing is to be printed above them.
    fn may_stay(&self, frame: &Frame, size: Size) -> bool {
        self.trust == Trust::Rows && size == self.size && frame.history.is_empty()
    }

    /// The anchor erase, the new history, the live region: right whatever was on the screen below the anchor.
    fn redraw(&mut self, history: &[Line<'_>], rows: Vec<Row>, out: &mut Vec<u8>) {
        out.extend_from_slice(SAFE_ERASE);
        let links = Links::within(history);
        for line in history {
            row::write_whole(line, &links, out);
            out.extend_from_slice(NEW_LINE);
        }
        out.extend_from_slice(WRAP_OFF);
        for (row, index) in rows.iter().zip(0_u16..) {
            if index > 0 {
                out.extend_from_slice(NEW_LINE);
            }
            row.write(&Links::default(), out);
            self.at.row = index;
        }
        out.extend_from_slice(WRAP_ON);
        self.at.col = AFTER_TEXT;
        self.drawn = rows;
        self.trust = Trust::Rows;
    }

    /// Takes out the rows that nobody needs and puts in empty ones. Below the region there is nothing of ours, but perhaps
    /// the end of the screen: line feeds make room there, as for any text, before a row is pushed down.
    fn make_room(&mut self, shift: Shift, out: &mut Vec<u8>) {
        let cells = |count| u16::try_from(count).unwrap_or(u16::MAX);
        if shift.growth() > 0 {
            self.go(Spot { row: cells(self.drawn.len() + shift.growth()).saturating_sub(1), col: 0 }, out);
        }
        if shift.removed + shift.inserted > 0 {
            self.go(Spot { row: cells(shift.from), col: 0 }, out);
            by(cells(shift.removed), 'M', out);
            by(cells(shift.inserted), 'L', out);
        }
    }

    /// Only what differs, row by row.
    fn amend(&mut self, rows: Vec<Row>, shift: Shift, out: &mut Vec<u8>) {
        let old = std::mem::take(&mut self.drawn);
        let before = out.len();
        out.extend_from_slice(WRAP_OFF);
        let nothing = out.len();
        for (new, row) in rows.iter().zip(0_u16..) {
            match shift.standing(usize::from(row)).and_then(|index| old.get(index)) {
                Some(old) if old == new => {}
                Some(old) => {
                    let change = new.change_of(old);
                    self.go(Spot { row, col: change.from }, out);
                    if change.erased == Erased::Yes {
                        out.extend_from_slice(ERASE_RIGHT);
                    }
                    new.write_part(change, &Links::default(), out);
                    self.at.col = AFTER_TEXT;
                }
                None if *new == Row::default() => {}
                None => {
                    self.go(Spot { row, col: 0 }, out);
                    new.write(&Links::default(), out);
                    self.at.col = AFTER_TEXT;
                }
            }
        }
        if out.len() == nothing {
            out.truncate(before);
        } else {
            out.extend_from_slice(WRAP_ON);
        }
        self.drawn = rows;
    }

    fn place_cursor(&mut self, spot: Spot, cursor: Cursor, out: &mut Vec<u8>) {
        if self.cursor != cursor && cursor == Cursor::Hidden {
            out.extend_from_slice(CURSOR_HIDE);
        }
        self.go(spot, out);
        if self.cursor != cursor && cursor == Cursor::Shown {
            out.extend_from_slice(CURSOR_SHOW);
        }
        self.cursor = cursor;
    }

    /// Moves within the live region, as it was drawn. Down goes by line feeds: a window made lower in the meantime
    /// has cut rows off below, and "cursor down" would stop at its edge, so that the way back up led into history.
    fn go(&mut self, to: Spot, out: &mut Vec<u8>) {
        if self.at == to {
            return;
        }
        by(self.at.row.saturating_sub(to.row), 'A', out);
        out.extend((self.at.row..to.row).map(|_| b'\n'));
        if self.at.col != 0 {
            out.push(b'\r');
        }
        by(to.col, 'C', out);
        self.at = to;
    }

    /// Moves to the first column of the live region's first row, at a width that may be new.
    fn go_home(&mut self, width: u16, out: &mut Vec<u8>) {
        by(self.wrapped_rows_above(width), 'A', out);
        out.push(b'\r');
        self.at = Spot::default();
    }

    /// What is known of how the terminal wraps.
    #[must_use]
    pub fn rewrap(&self) -> Rewrap {
        self.rewrap
    }

    /// How many rows above the cursor the region begins once the terminal has wrapped it to `width`. Too few leaves
    /// a stale row and too many erases history, so where it is not known the smaller number is taken.
    fn wrapped_rows_above(&self, width: u16) -> u16 {
        match self.rewrap {
            Rewrap::Unknown => self.at.row,
            Rewrap::Follows | Rewrap::Drifts => {
                let above = self.drawn.iter().take(usize::from(self.at.row));
                let own =
                    self.drawn.get(usize::from(self.at.row)).map_or(0, |row| row.breaks(width, self.at.col));
                above.map(|row| row.breaks(width, u16::MAX) + 1).sum::<u16>() + own
            }
        }
    }
}

/// The sequence that does something `count` times: moves up or to the right, takes rows out, puts rows in.
fn by(count: u16, what: char, out: &mut Vec<u8>) {
    match count {
        0 => {}
        1 => out.extend_from_slice(format!("\x1b[{what}").as_bytes()),
        _ => out.extend_from_slice(format!("\x1b[{count}{what}").as_bytes()),
    }
}

// The bytes themselves, where they matter; that they are right in a terminal is shown by `tests/it/screen_layer`.
#[cfg(test)]
mod tests {
    use ratatui::style::Stylize;

    use super::*;

    const SIZE: Size = Size::new(40, 20);

    fn frame(live: &[&str], pace: Pace) -> Frame {
        let live: Vec<Line<'static>> = live.iter().map(|row| Line::raw((*row).to_owned())).collect();
        Frame { history: Vec::new(), live, cursor: None, pace, size: SIZE, reach: Reach::Half }
    }

    fn draft(text: &str) -> Frame {
        let cursor = Some(Spot { row: 1, col: u16::try_from(text.chars().count()).unwrap() });
        Frame { cursor, ..frame(&["a row", text, "status"], Pace::Rest) }
    }

    fn draw(screen: &mut Screen, frame: &Frame) -> String {
        let mut out = Vec::new();
        screen.frame(frame, &mut out);
        String::from_utf8(out).unwrap()
    }

    /// The bytes of the last of these frames.
    fn check(rewrap: Rewrap, frames: &[Frame], expected: &str) {
        let mut screen = Screen::new(rewrap);
        let bytes = frames.iter().map(|frame| draw(&mut screen, frame)).last().unwrap();
        assert_eq!(bytes.escape_debug().to_string(), expected.escape_debug().to_string());
    }

    #[test]
    fn a_frame_commits_history_and_draws_the_live_region_below_it() {
        let commit = Frame {
            history: vec![Line::raw("done"), "ok".green().into()],
            ..frame(&["one", "two"], Pace::Busy)
        };
        let expected = "\x1b[?2026h\r\r\x1b[C\x1b[J\r\x1b[Kdone\r\n\x1b[32mok\x1b[m\r\n\
                        \x1b[?7lone\r\ntwo\x1b[?7h\x1b[?25l\x1b[A\r\x1b[?2026l";
        check(Rewrap::Unknown, &[commit], expected);
    }

    #[test]
    fn a_frame_that_changes_nothing_is_no_byte() {
        check(Rewrap::Unknown, &[draft("❯ hello"), draft("❯ hello")], "");
        let busy = Frame { pace: Pace::Busy, ..draft("❯ hello") };
        check(Rewrap::Unknown, &[busy.clone(), busy], "");
    }

    #[test]
    fn a_letter_typed_at_rest_is_some_tens_of_bytes() {
        let expected = "\x1b[?2026h\x1b[?7ls\x1b[?7h\r\x1b[8C\x1b[?2026l";
        assert!(expected.len() < 40);
        check(Rewrap::Unknown, &[draft("❯ hello"), draft("❯ hellos")], expected);
    }

    #[test]
    fn a_cursor_that_moves_is_a_move_alone() {
        let moved = Frame { cursor: Some(Spot { row: 1, col: 2 }), ..draft("❯ hello") };
        check(Rewrap::Unknown, &[draft("❯ hello"), moved], "\r\x1b[2C");
    }

    #[test]
    fn rows_below_are_reached_by_line_feeds() {
        let (before, after) = (frame(&["a", "b", "c"], Pace::Busy), frame(&["a", "b", "d"], Pace::Busy));
        check(Rewrap::Unknown, &[before, after], "\x1b[?2026h\x1b[?7l\n\nd\x1b[?7h\x1b[2A\r\x1b[?2026l");
    }

    #[test]
    fn a_row_more_is_put_in_where_room_was_made_for_it() {
        let (before, after) =
            (frame(&["one", "status"], Pace::Busy), frame(&["one more", "two", "status"], Pace::Busy));
        let room = "\x1b[?2026h\n\n\x1b[A\x1b[L";
        let text = "\x1b[?7l\x1b[A\x1b[3C more\n\rtwo\x1b[?7h\x1b[A\r\x1b[?2026l";
        check(Rewrap::Unknown, &[before, after], &[room, text].concat());
    }

    #[test]
    fn a_spinner_and_a_clock_are_a_letter_each() {
        let waiting = |text: &str| frame(&[text, "status"], Pace::Busy);
        let turned = "\x1b[?2026h\x1b[?7l⠙\x1b[?7h\r\x1b[?2026l";
        check(Rewrap::Unknown, &[waiting("⠋ for 1 s · esc"), waiting("⠙ for 1 s · esc")], turned);
        let later = "\x1b[?2026h\x1b[?7l\x1b[6C2\x1b[?7h\r\x1b[?2026l";
        check(Rewrap::Unknown, &[waiting("⠋ for 1 s · esc"), waiting("⠋ for 2 s · esc")], later);
    }

    #[test]
    fn what_may_be_wider_than_thought_is_erased_before_something_else_takes_its_place() {
        let turned = |from: &str, to: &str| {
            let mut screen = Screen::new(Rewrap::Unknown);
            drop(draw(&mut screen, &frame(&[from], Pace::Busy)));
            draw(&mut screen, &frame(&[to], Pace::Busy)).contains("\x1b[K")
        };
        assert!(turned("👩‍👩‍👧 a", "plain words") && turned("“x”", "other words") && turned("shorter", "short"));
        assert!(!turned("short", "another word") && !turned("“x”", "“x” and more"));
    }

    #[test]
    fn from_rest_the_anchor_is_found_by_what_the_terminal_did_to_the_rows() {
        let wide = "x".repeat(40);
        let rest = |width| Frame { size: Size::new(width, 20), ..draft(&wide) };
        let rest = |width, row| Frame {
            cursor: Some(Spot { row, col: 39 }),
            live: vec![wide.clone().into(); 3],
            ..rest(width)
        };
        // 40 columns wrap into 10: four rows each, and the cursor in the last of its own four
        check_start(Rewrap::Follows, &[rest(40, 2), rest(10, 2)], "\x1b[?2026h\x1b[11A\r");
        check_start(Rewrap::Unknown, &[rest(40, 2), rest(10, 2)], "\x1b[?2026h\x1b[2A\r");
        check_start(Rewrap::Follows, &[rest(40, 0), rest(60, 0)], "\x1b[?2026h\r");
    }

    fn check_start(rewrap: Rewrap, frames: &[Frame], expected: &str) {
        let mut screen = Screen::new(rewrap);
        let bytes = frames.iter().map(|frame| draw(&mut screen, frame)).last().unwrap();
        assert!(bytes.starts_with(expected), "{rewrap:?}: {}", bytes.escape_debug());
    }

    #[test]
    fn a_terminal_that_drifts_has_its_cursor_at_the_end_of_a_short_last_row() {
        let short = frame(&["a long row of text, much longer than twenty", "esc"], Pace::Busy);
        check_end(&short, "\r\nesc\x1b[?7h\x1b[?25l\r\x1b[3C\x1b[?2026l");
        let long = frame(&["a status row that is no short one"], Pace::Busy);
        check_end(&long, "no short one\r\n\x1b[?7h\x1b[?25l\r\x1b[?2026l");
    }

    fn check_end(frame: &Frame, expected: &str) {
        let bytes = draw(&mut Screen::new(Rewrap::Drifts), frame);
        assert!(bytes.ends_with(expected), "{}", bytes.escape_debug());
    }

    #[test]
    fn too_high_a_live_region_is_cut_from_its_top() {
        let rows: Vec<String> = (0..30).map(|row| format!("row{row}")).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        for (height, expected) in [(20, 10), (4, 3), (2, 2), (1, 1), (0, 1)] {
            let bytes = draw(
                &mut Screen::new(Rewrap::Unknown),
                &Frame { size: Size::new(40, height), ..frame(&rows, Pace::Busy) },
            );
            assert_eq!(bytes.matches("row").count(), expected, "height {height}");
            assert!(bytes.contains("row29"));
        }
    }

    #[test]
    fn while_busy_the_cursor_is_a_painted_cell() {
        let busy = |col| Frame { cursor: Some(Spot { row: 0, col }), ..frame(&["abc"], Pace::Busy) };
        let mut screen = Screen::new(Rewrap::Unknown);
        assert!(draw(&mut screen, &busy(1)).contains("\x1b[?7la\x1b[7mb\x1b[mc\x1b[?7h"));
        assert!(draw(&mut screen, &busy(5)).contains("bc  \x1b[7m \x1b[m\x1b[?7h"));
    }

    #[test]
    fn no_control_character_leaves_a_span() {
        let nasty: String = (0..0xa0_u8).map(char::from).chain("\u{2028}".chars()).collect();
        let text = |frame: &Frame| draw(&mut Screen::new(Rewrap::Unknown), frame);
        let plain = |text: &str| text.replace("\r\n", "").matches(char::is_control).count();
        let empty = plain(&text(&Frame { history: vec![Line::raw("")], ..frame(&[""], Pace::Busy) }));
        let shown = text(&Frame { history: vec![Line::raw(nasty.clone())], ..frame(&[&nasty], Pace::Busy) });
        assert_eq!(plain(&shown), empty);
        assert!(shown.contains('\u{fffd}'));
    }

    #[test]
    fn what_is_wider_than_the_screen_is_cut_by_cells() {
        let narrow = |text: &str| {
            let size = Size::new(5, 20);
            draw(&mut Screen::new(Rewrap::Unknown), &Frame { size, ..frame(&[text], Pace::Busy) })
        };
        for (text, expected) in [
            ("abcdefgh", "abcde"),
            ("日本語", "日本"),
            ("a日本語", "a日本"),
            ("🦀🦀🦀", "🦀🦀"),
            ("cafe\u{301}s", "cafe\u{301}s"),
            ("trailing", "trail"),
            ("ab   ", "ab"),
        ] {
            assert!(
                narrow(text).contains(&format!("\x1b[?7l{expected}\x1b[?7h")),
                "{text}: {}",
                narrow(text).escape_debug()
            );
        }
    }

    #[test]
    fn leaving_takes_the_live_region_off_and_the_next_frame_begins_anew() {
        let mut screen = Screen::new(Rewrap::Unknown);
        let first = draw(&mut screen, &draft("❯ hello"));
        let mut out = Vec::new();
        screen.leave(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), "\x1b[A\r\r\x1b[C\x1b[J\r\x1b[K\x1b[?7h\x1b[?25h");
        assert_eq!(draw(&mut screen, &draft("❯ hello")), first);
    }

    #[test]
    fn nothing_that_loses_lines_is_ever_sent() {
        let mut screen = Screen::new(Rewrap::Follows);
        let mut bytes = Vec::new();
        for step in 0..200_u16 {
            let pace = if step % 5 == 0 { Pace::Rest } else { Pace::Busy };
            let rows: Vec<String> =
                (0..=step % 7).map(|row| format!("{row} {}", "w".repeat(usize::from(step)))).collect();
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            let history = if step % 3 == 0 { vec![Line::raw("done")] } else { Vec::new() };
            let size = Size::new(30 + step % 40, 10 + step / 10);
            let cursor = Some(Spot { row: step % 7, col: step });
            screen.frame(&Frame { history, cursor, size, ..frame(&rows, pace) }, &mut bytes);
        }
        screen.leave(&mut bytes);
        let sent = String::from_utf8(bytes).unwrap();
        let codes: std::collections::BTreeSet<String> = (sent.split("\x1b[").skip(1))
            .map(|code| {
                let end = code.find(|c: char| c.is_ascii_alphabetic()).unwrap();
                let (parameters, rest) = code.split_at(end);
                let private = if parameters.starts_with('?') { parameters } else { "" };
                format!("{private}{}", rest.chars().next().unwrap())
            })
            .collect();
        let allowed = ["?2026h", "?2026l", "?25h", "?25l", "?7h", "?7l", "A", "C", "J", "K", "L", "M", "m"];
        assert!(codes.iter().all(|code| allowed.contains(&code.as_str())), "{codes:?}");
        assert!(!sent.contains("\r\x1b[J") && !sent.contains("\x1b[2J") && !sent.contains("\x1b[3J"));
        assert_eq!(sent.matches('\x1b').count(), sent.matches("\x1b[").count(), "only control sequences");
    }
}
