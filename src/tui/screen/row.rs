//! One row of styled text: cut to a width by cells, compared with the row before it, written as bytes.
//!
//! The last guard of the screen is here: whatever a span holds, no control character of it reaches the terminal; each
//! becomes U+FFFD. Nothing else is judged here, since texts come sanitised.

use std::borrow::Cow;

use ratatui::text::Line;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::link::Links;
use super::pen::Pen;

/// A live row as it stands on the screen: no control characters, no wider than the screen, no blanks at its end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Row {
    runs: Vec<Run>,
    width: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    pen: Pen,
    text: String,
}

impl Row {
    /// The line cut to `width` cells, with the cell at column `cursor` painted as the cursor.
    pub(super) fn fit(line: &Line<'_>, width: u16, cursor: Option<u16>) -> Self {
        let mut row = Self::default();
        'line: for (pen, text) in spans(line) {
            for glyph in text.graphemes(true) {
                let end = row.width.saturating_add(cells(glyph));
                if end > width {
                    break 'line;
                }
                let under_cursor = cursor.is_some_and(|col| (row.width..end).contains(&col));
                row.push(if under_cursor { pen.inverted() } else { pen }, glyph);
            }
        }
        match cursor.filter(|col| (row.width..width).contains(col)) {
            Some(col) => {
                (row.width..col).for_each(|_| row.push(Pen::default(), " "));
                row.push(Pen::default().inverted(), " ");
            }
            None => row.drop_blank_end(),
        }
        row
    }

    /// Cells taken.
    pub(super) fn width(&self) -> u16 {
        self.width
    }

    /// How many columns at the start need not be written again where `old` stands. Glyphs of several characters
    /// (flags, joined emoji) end it, because terminals disagree on their width.
    pub(super) fn same_start(&self, old: &Self) -> u16 {
        (self.glyphs().zip(old.glyphs()))
            .take_while(|(new, old)| new == old && new.1.chars().nth(1).is_none())
            .map(|((_, glyph), _)| cells(glyph))
            .sum()
    }

    /// Writes what stands from column `from` on, and leaves the plain style behind.
    pub(super) fn write_from(&self, from: u16, out: &mut Vec<u8>) {
        let mut col = 0;
        let rest = self.glyphs().skip_while(|(_, glyph)| {
            let before = col < from;
            col += cells(glyph);
            before
        });
        write(rest, out);
    }

    /// How often a terminal of `width` columns breaks this row before or at the cell in column `col`; past the
    /// row's end, in all.
    pub(super) fn breaks(&self, width: u16, col: u16) -> u16 {
        let (mut breaks, mut filled, mut passed) = (0, 0, 0_u16);
        for glyph in self.glyphs().map(|(_, glyph)| cells(glyph)) {
            if filled > 0 && filled + glyph > width {
                breaks += 1;
                filled = 0;
            }
            filled += glyph;
            passed += glyph;
            if passed > col {
                break;
            }
        }
        breaks
    }

    fn glyphs(&self) -> impl Iterator<Item = (Pen, &str)> {
        self.runs.iter().flat_map(|run| run.text.graphemes(true).map(|glyph| (run.pen, glyph)))
    }

    fn push(&mut self, pen: Pen, glyph: &str) {
        self.width += cells(glyph);
        match self.runs.last_mut() {
            Some(run) if run.pen == pen => run.text.push_str(glyph),
            Some(_) | None => self.runs.push(Run { pen, text: glyph.to_owned() }),
        }
    }

    /// Blanks that cannot be seen need no bytes, and would make the row break earlier than its text does.
    fn drop_blank_end(&mut self) {
        while let Some(run) = self.runs.last_mut().filter(|run| !run.pen.marks_blanks()) {
            let text = run.text.trim_end_matches(' ').len();
            self.width -= u16::try_from(run.text.len() - text).unwrap_or(self.width);
            run.text.truncate(text);
            if text > 0 {
                break;
            }
            self.runs.pop();
        }
    }
}

/// Writes a line whole, of whatever width and with its links, and leaves the plain style behind.
pub(super) fn write_whole(line: &Line<'_>, links: &Links, out: &mut Vec<u8>) {
    let (mut pen, mut link) = (Pen::default(), None);
    for span in &line.spans {
        let style = line.style.patch(span.style);
        let next = (Pen::of(style), links.of(style));
        pen.change_to(next.0, out);
        links.change(link, next.1, out);
        out.extend_from_slice(guarded(&span.content).as_bytes());
        (pen, link) = next;
    }
    links.change(link, None, out);
    pen.change_to(Pen::default(), out);
}

fn write<'a>(texts: impl Iterator<Item = (Pen, &'a str)>, out: &mut Vec<u8>) {
    let mut last = Pen::default();
    for (pen, text) in texts {
        last.change_to(pen, out);
        out.extend_from_slice(text.as_bytes());
        last = pen;
    }
    last.change_to(Pen::default(), out);
}

fn spans<'a>(line: &'a Line<'_>) -> impl Iterator<Item = (Pen, Cow<'a, str>)> {
    let style = line.style;
    line.spans.iter().map(move |span| (Pen::of(style.patch(span.style)), guarded(&span.content)))
}

fn guarded(text: &str) -> Cow<'_, str> {
    if text.contains(char::is_control) {
        Cow::Owned(text.replace(char::is_control, "\u{fffd}"))
    } else {
        Cow::Borrowed(text)
    }
}

fn cells(glyph: &str) -> u16 {
    u16::try_from(glyph.width()).unwrap_or(u16::MAX)
}
