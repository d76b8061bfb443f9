//! A style as the terminal's own colour sequence (SGR).
//!
//! Only what the program uses: colours and attributes, no underline colours, which older terminals misread. A change that
//! takes something away goes through the plain style, because "bold off" and "dim off" are the same sequence.

use std::fmt;
use std::io::Write;

use ratatui::style::{Color, Modifier, Style};

/// What a style comes to on paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Pen {
    fg: Color,
    bg: Color,
    attributes: Modifier,
}

const ATTRIBUTES: [(Modifier, &str); 9] = [
    (Modifier::BOLD, "1"),
    (Modifier::DIM, "2"),
    (Modifier::ITALIC, "3"),
    (Modifier::UNDERLINED, "4"),
    (Modifier::SLOW_BLINK, "5"),
    (Modifier::RAPID_BLINK, "6"),
    (Modifier::REVERSED, "7"),
    (Modifier::HIDDEN, "8"),
    (Modifier::CROSSED_OUT, "9"),
];

impl Pen {
    /// The pen for a style; what a style leaves open is plain.
    pub(super) fn of(style: Style) -> Self {
        Self {
            fg: style.fg.unwrap_or_default(),
            bg: style.bg.unwrap_or_default(),
            attributes: style.add_modifier.difference(style.sub_modifier),
        }
    }

    /// The same pen for the cell of a painted cursor.
    pub(super) fn inverted(self) -> Self {
        Self { attributes: self.attributes.symmetric_difference(Modifier::REVERSED), ..self }
    }

    /// Whether a space drawn with it can be told from a cell never written.
    pub(super) fn marks_blanks(self) -> bool {
        let visible = Modifier::UNDERLINED.union(Modifier::REVERSED).union(Modifier::CROSSED_OUT);
        self.bg != Color::Reset || self.attributes.intersects(visible)
    }

    /// Writes what leads from this pen to `next`; nothing where they are the same.
    pub(super) fn change_to(self, next: Self, out: &mut Vec<u8>) {
        if self == next {
            return;
        }
        out.extend_from_slice(b"\x1b[");
        let first = out.len();
        let from = if self.must_be_laid_down_for(next) {
            // to be plain is to have no code at all
            if next != Self::default() {
                put(format_args!("0"), first, out);
            }
            Self::default()
        } else {
            self
        };
        let added = next.attributes.difference(from.attributes);
        for (_, code) in ATTRIBUTES.iter().filter(|(attribute, _)| added.contains(*attribute)) {
            put(format_args!("{code}"), first, out);
        }
        if next.fg != from.fg {
            color(next.fg, 30, first, out);
        }
        if next.bg != from.bg {
            color(next.bg, 40, first, out);
        }
        out.push(b'm');
    }

    /// Whether something must be taken away: for a single attribute there is no sequence, and for a colour none that is shorter.
    fn must_be_laid_down_for(self, next: Self) -> bool {
        let ends = |from: Color, to: Color| from != Color::Reset && to == Color::Reset;
        !next.attributes.contains(self.attributes) || ends(self.fg, next.fg) || ends(self.bg, next.bg)
    }
}

/// Writes a code of a sequence whose first one is to stand at `first`.
fn put(code: fmt::Arguments<'_>, first: usize, out: &mut Vec<u8>) {
    let before = if out.len() > first { ";" } else { "" };
    // memory takes all that is written
    drop(write!(out, "{before}{code}"));
}

/// Writes the code of a colour, from the base of its ground: 30 before, 40 behind.
fn color(color: Color, base: u8, first: usize, out: &mut Vec<u8>) {
    let named = match color {
        Color::Reset => base + 9,
        Color::Black => base,
        Color::Red => base + 1,
        Color::Green => base + 2,
        Color::Yellow => base + 3,
        Color::Blue => base + 4,
        Color::Magenta => base + 5,
        Color::Cyan => base + 6,
        Color::Gray => base + 7,
        Color::DarkGray => base + 60,
        Color::LightRed => base + 61,
        Color::LightGreen => base + 62,
        Color::LightYellow => base + 63,
        Color::LightBlue => base + 64,
        Color::LightMagenta => base + 65,
        Color::LightCyan => base + 66,
        Color::White => base + 67,
        Color::Indexed(index) => return put(format_args!("{};5;{index}", base + 8), first, out),
        Color::Rgb(r, g, b) => return put(format_args!("{};2;{r};{g};{b}", base + 8), first, out),
    };
    put(format_args!("{named}"), first, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: Style, to: Style, expected: &str) {
        let mut out = Vec::new();
        Pen::of(from).change_to(Pen::of(to), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{from:?} to {to:?}");
    }

    #[test]
    fn a_change_of_style_is_one_sequence() {
        let plain = Style::new();
        check(plain, plain, "");
        check(plain, plain.bold().red(), "\x1b[1;31m");
        check(plain.bold().red(), plain, "\x1b[m");
        check(plain.bold(), plain.dim(), "\x1b[0;2m");
        check(plain.red(), plain.green(), "\x1b[32m");
        check(plain.red(), plain.red().bold(), "\x1b[1m");
        check(plain.bold().red(), plain.bold(), "\x1b[0;1m");
        check(plain.red().on_blue(), plain.red(), "\x1b[0;31m");
        check(plain.red().on_blue(), plain.red().on_green(), "\x1b[42m");
        check(plain.bold().red(), plain.green(), "\x1b[0;32m");
        check(plain, plain.dark_gray().on_light_blue(), "\x1b[90;104m");
        check(plain, plain.fg(Color::Indexed(208)).bg(Color::Rgb(1, 2, 3)), "\x1b[38;5;208;48;2;1;2;3m");
        check(plain, plain.bold().not_bold().italic(), "\x1b[3m");
    }
}
