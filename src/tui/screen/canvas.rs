//! The alternate screen: as many rows as it has, each at its own place, nothing scrolled.
//!
//! Only the alternate screen is ever drawn like this; on the user's own one there is no absolute position. A row that stands there
//! already is not written again, so that a key costs its letter. The surprise: no row is believed after a change of
//! size, since terminals do with this screen as they like.

use ratatui::layout::Size;
use ratatui::text::Line;

use super::link::Links;
use super::row::{Erased, Row};
use super::{CURSOR_HIDE, CURSOR_SHOW, ERASE_RIGHT, SYNC_BEGIN, SYNC_END, Spot, WRAP_OFF, WRAP_ON};

/// What stands on the alternate screen.
#[derive(Debug, Default)]
pub struct Canvas {
    drawn: Vec<Row>,
    /// Of the screen that these rows fill; none where nothing is believed.
    size: Option<Size>,
    cursor: Option<Spot>,
}

impl Canvas {
    /// Appends to `out` what makes the screen show `rows` from the top, and the cursor where it is to be, if anywhere. What is
    /// too wide or too many is cut.
    pub fn draw(&mut self, rows: &[Line<'_>], cursor: Option<Spot>, size: Size, out: &mut Vec<u8>) {
        let links = Links::within(rows);
        let row = |index| rows.get(usize::from(index)).map(|row| Row::fit(row, size.width, None, &links));
        let new: Vec<Row> = (0..size.height).map(|index| row(index).unwrap_or_default()).collect();
        let cursor = cursor.filter(|spot| spot.row < size.height);
        let is_known = self.size == Some(size);
        if is_known && new == self.drawn && cursor == self.cursor {
            return;
        }
        out.extend_from_slice(SYNC_BEGIN);
        if !is_known || new != self.drawn {
            out.extend_from_slice(CURSOR_HIDE);
            out.extend_from_slice(WRAP_OFF);
            self.write((&new, &links), is_known, out);
            out.extend_from_slice(WRAP_ON);
        }
        match cursor {
            Some(spot) => {
                go(Spot { col: spot.col.min(size.width.saturating_sub(1)), ..spot }, out);
                out.extend_from_slice(CURSOR_SHOW);
            }
            None => out.extend_from_slice(CURSOR_HIDE),
        }
        out.extend_from_slice(SYNC_END);
        *self = Self { drawn: new, size: Some(size), cursor };
    }

    /// Draws all of it again with the next frame.
    pub fn distrust(&mut self) {
        self.size = None;
    }

    fn write(&self, (rows, links): (&[Row], &Links), is_known: bool, out: &mut Vec<u8>) {
        for (index, new) in (0_u16..).zip(rows) {
            let old = self.drawn.get(usize::from(index)).filter(|_| is_known);
            if old == Some(new) {
                continue;
            }
            let change = old.map(|old| new.change_of(old));
            go(Spot { row: index, col: change.map_or(0, |change| change.from) }, out);
            // before, not after: behind a full row the cursor still stands on its last cell
            if change.is_none_or(|change| change.erased == Erased::Yes) {
                out.extend_from_slice(ERASE_RIGHT);
            }
            match change {
                Some(change) => new.write_part(change, links, out),
                None => new.write(links, out),
            }
        }
    }
}

fn go(to: Spot, out: &mut Vec<u8>) {
    out.extend_from_slice(
        format!("\x1b[{};{}H", to.row.saturating_add(1), to.col.saturating_add(1)).as_bytes(),
    );
}

#[cfg(test)]
mod tests {
    use ratatui::style::Style;
    use ratatui::text::Span;

    use super::super::link::{Part, mark};
    use super::*;

    const SIZE: Size = Size::new(10, 3);

    fn draw(canvas: &mut Canvas, rows: &[&str], cursor: Option<Spot>, size: Size) -> String {
        let rows: Vec<Line<'_>> = rows.iter().map(|row| Line::raw(*row)).collect();
        let mut out = Vec::new();
        canvas.draw(&rows, cursor, size, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn framed(bytes: &str) -> String {
        format!("\x1b[?2026h{bytes}\x1b[?2026l")
    }

    #[test]
    fn a_first_frame_writes_every_row_and_erases_what_is_behind_it() {
        let rows = ["one", "", "a row that is too wide"];
        let expected =
            "\x1b[?25l\x1b[?7l\x1b[1;1H\x1b[Kone\x1b[2;1H\x1b[K\x1b[3;1H\x1b[Ka row that\x1b[?7h\x1b[?25l";
        assert_eq!(draw(&mut Canvas::default(), &rows, None, SIZE), framed(expected));
    }

    #[test]
    fn a_key_costs_its_letter_and_what_stands_costs_nothing() {
        let mut canvas = Canvas::default();
        let at = |col| Some(Spot { row: 1, col });
        draw(&mut canvas, &["one", "two", "six"], at(3), SIZE);
        assert_eq!(draw(&mut canvas, &["one", "two", "six"], at(3), SIZE), "");
        let letter = "\x1b[?25l\x1b[?7l\x1b[2;4Hs\x1b[?7h\x1b[2;5H\x1b[?25h";
        assert_eq!(draw(&mut canvas, &["one", "twos", "six"], at(4), SIZE), framed(letter));
        let moved = "\x1b[2;1H\x1b[?25h";
        assert_eq!(draw(&mut canvas, &["one", "twos", "six"], at(0), SIZE), framed(moved));
    }

    #[test]
    fn after_a_change_of_size_and_of_trust_everything_is_drawn() {
        let mut canvas = Canvas::default();
        draw(&mut canvas, &["one", "two"], None, SIZE);
        let larger = draw(&mut canvas, &["one", "two"], None, Size::new(12, 3));
        assert!(larger.contains("one") && larger.contains("two"), "{larger:?}");
        canvas.distrust();
        assert_eq!(draw(&mut canvas, &["one", "two"], None, Size::new(12, 3)), larger);
    }

    /// A row whose words lead to an address.
    fn leading(words: &str) -> Line<'static> {
        Line::from(Span::styled(words.to_owned(), mark(Style::new(), Part::Words, HERE)))
    }

    const HERE: &str = "http://a.b";

    #[test]
    fn words_lead_to_an_address_as_long_as_it_is_seen() {
        let size = Size::new(20, 3);
        let address = || Line::from(Span::styled(HERE, mark(Style::new(), Part::Address, HERE)));
        let draw = |canvas: &mut Canvas, rows: &[Line<'_>]| {
            let mut out = Vec::new();
            canvas.draw(rows, None, size, &mut out);
            String::from_utf8(out).unwrap()
        };
        let mut canvas = Canvas::default();
        let both = draw(&mut canvas, &[leading("here"), address()]);
        assert_eq!(both.matches(&format!(";{HERE}\x1b\\")).count(), 2, "{both:?}");
        assert_eq!(both.matches("\x1b]8;;\x1b\\").count(), 2, "each is closed: {both:?}");
        assert_eq!(draw(&mut canvas, &[leading("here"), address()]), "");
        let alone = draw(&mut canvas, &[leading("here")]);
        assert!(alone.contains("here") && !alone.contains("\x1b]8;"), "{alone:?}");
    }

    #[test]
    fn every_size_is_survived() {
        for size in [(0, 0), (1, 1), (1, 0), (0, 1), (500, 200)] {
            let cursor = Some(Spot { row: 7, col: 9 });
            draw(&mut Canvas::default(), &["日本語"; 9], cursor, Size::new(size.0, size.1));
        }
    }
}
