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
    ink: Ink,
    text: String,
}

/// What a text is written with, and the link that it is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Ink {
    pen: Pen,
    link: Option<u32>,
}

impl Ink {
    fn inverted(self) -> Self {
        Self { pen: self.pen.inverted(), ..self }
    }

    /// Writes what leads from this ink to `next`.
    fn change_to(self, next: Self, links: &Links, out: &mut Vec<u8>) {
        self.pen.change_to(next.pen, out);
        links.change(self.link, next.link, out);
    }
}

impl Row {
    /// The line cut to `width` cells, with the cell at column `cursor` painted as the cursor; of its links those in `links`.
    pub(super) fn fit(line: &Line<'_>, width: u16, cursor: Option<u16>, links: &Links) -> Self {
        let mut row = Self::default();
        'line: for (ink, text) in spans(line, links) {
            for glyph in text.graphemes(true) {
                let end = row.width.saturating_add(cells(glyph));
                if end > width {
                    break 'line;
                }
                let under_cursor = cursor.is_some_and(|col| (row.width..end).contains(&col));
                row.push(if under_cursor { ink.inverted() } else { ink }, glyph);
            }
        }
        match cursor.filter(|col| (row.width..width).contains(col)) {
            Some(col) => {
                (row.width..col).for_each(|_| row.push(Ink::default(), " "));
                row.push(Ink::default().inverted(), " ");
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
    pub(super) fn write_from(&self, from: u16, links: &Links, out: &mut Vec<u8>) {
        let mut col = 0;
        let rest = self.glyphs().skip_while(|(_, glyph)| {
            let before = col < from;
            col += cells(glyph);
            before
        });
        write(rest, links, out);
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

    fn glyphs(&self) -> impl Iterator<Item = (Ink, &str)> {
        self.runs.iter().flat_map(|run| run.text.graphemes(true).map(|glyph| (run.ink, glyph)))
    }

    fn push(&mut self, ink: Ink, glyph: &str) {
        self.width += cells(glyph);
        match self.runs.last_mut() {
            Some(run) if run.ink == ink => run.text.push_str(glyph),
            Some(_) | None => self.runs.push(Run { ink, text: glyph.to_owned() }),
        }
    }

    /// Blanks that cannot be seen need no bytes, and would make the row break earlier than its text does.
    fn drop_blank_end(&mut self) {
        while let Some(run) = self.runs.last_mut().filter(|run| !run.ink.pen.marks_blanks()) {
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
    write(spans(line, links), links, out);
}

fn write<T: AsRef<str>>(texts: impl Iterator<Item = (Ink, T)>, links: &Links, out: &mut Vec<u8>) {
    let mut last = Ink::default();
    for (ink, text) in texts {
        last.change_to(ink, links, out);
        out.extend_from_slice(text.as_ref().as_bytes());
        last = ink;
    }
    links.change(last.link, None, out);
    last.pen.change_to(Pen::default(), out);
}

fn spans<'a>(line: &'a Line<'_>, links: &Links) -> impl Iterator<Item = (Ink, Cow<'a, str>)> {
    let style = line.style;
    line.spans.iter().map(move |span| {
        let style = style.patch(span.style);
        (Ink { pen: Pen::of(style), link: links.of(style) }, guarded(&span.content))
    })
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
