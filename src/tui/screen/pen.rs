//! A style as the terminal's own colour sequence (SGR).
//!
//! Only what the program uses: colours and attributes, no underline colours, which older terminals misread. A change
//! from one style to another goes through the plain one, because "bold off" and "dim off" are the same sequence.

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
        let mut codes: Vec<String> = Vec::new();
        if self != Self::default() && next != Self::default() {
            codes.push("0".to_owned());
        }
        codes.extend(
            ATTRIBUTES.iter().filter(|(a, _)| next.attributes.contains(*a)).map(|(_, c)| (*c).to_owned()),
        );
        codes.extend(color(next.fg, 30));
        codes.extend(color(next.bg, 40));
        out.extend_from_slice(format!("\x1b[{}m", codes.join(";")).as_bytes());
    }
}

/// The code of a colour, from the base of its ground: 30 before, 40 behind.
fn color(color: Color, base: u8) -> Option<String> {
    let bright = base + 60;
    Some(match color {
        Color::Reset => return None,
        Color::Black => base.to_string(),
        Color::Red => (base + 1).to_string(),
        Color::Green => (base + 2).to_string(),
        Color::Yellow => (base + 3).to_string(),
        Color::Blue => (base + 4).to_string(),
        Color::Magenta => (base + 5).to_string(),
        Color::Cyan => (base + 6).to_string(),
        Color::Gray => (base + 7).to_string(),
        Color::DarkGray => bright.to_string(),
        Color::LightRed => (bright + 1).to_string(),
        Color::LightGreen => (bright + 2).to_string(),
        Color::LightYellow => (bright + 3).to_string(),
        Color::LightBlue => (bright + 4).to_string(),
        Color::LightMagenta => (bright + 5).to_string(),
        Color::LightCyan => (bright + 6).to_string(),
        Color::White => (bright + 7).to_string(),
        Color::Indexed(index) => format!("{};5;{index}", base + 8),
        Color::Rgb(r, g, b) => format!("{};2;{r};{g};{b}", base + 8),
    })
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
        check(plain, plain.dark_gray().on_light_blue(), "\x1b[90;104m");
        check(plain, plain.fg(Color::Indexed(208)).bg(Color::Rgb(1, 2, 3)), "\x1b[38;5;208;48;2;1;2;3m");
        check(plain, plain.bold().not_bold().italic(), "\x1b[3m");
    }
}
