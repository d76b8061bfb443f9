//! Colours of command output, parsed into values.
//!
//! Not a style of the screen: what a colour looks like, and whether it is used at all, is the theme's affair. The
//! text passes the same gate as [`super::sanitize`]; of all control sequences only `CSI … m` has a meaning here.

use super::escape::{Piece, pieces};
use super::sanitize::Cleaner;

/// A piece of a line in one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StyledRun {
    /// Clean text without a line end.
    pub text: String,
    /// How the command wanted it to look.
    pub style: Sgr,
}

/// What `CSI … m` can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sgr {
    /// Colour of the letters; `None`: the terminal's own.
    pub fg: Option<Colour>,
    /// Colour behind them; `None`: the terminal's own.
    pub bg: Option<Colour>,
    /// Bold and the like.
    pub attrs: Attrs,
}

/// A colour as a command names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// One of the terminal's 256: 0 to 7 the plain ones, 8 to 15 the bright ones.
    Indexed(u8),
    /// Red, green, blue.
    Rgb(u8, u8, u8),
}

/// A set of attributes. Blinking and concealed text is not among them: nothing here flickers or hides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attrs(u8);

impl Attrs {
    /// None.
    pub const NONE: Self = Self(0);
    /// Bold.
    pub const BOLD: Self = Self(1);
    /// Dim.
    pub const DIM: Self = Self(2);
    /// Italic.
    pub const ITALIC: Self = Self(4);
    /// Underlined, in whatever form.
    pub const UNDERLINE: Self = Self(8);
    /// Letters and background swapped.
    pub const REVERSE: Self = Self(16);
    /// Struck through.
    pub const STRIKE: Self = Self(32);

    /// Both sets together.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// This set without `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all of `other` is in this set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The lines of a command's output in runs of one style. A final line end begins no further line.
pub fn styled(text: &str) -> Vec<Vec<StyledRun>> {
    let mut lines = Lines::default();
    for piece in pieces(text) {
        match piece {
            Piece::Text(run) => lines.text(run),
            Piece::Sgr(parameters) => lines.style = lines.style.after(parameters),
        }
    }
    lines.done()
}

/// Lines under construction.
#[derive(Default)]
struct Lines {
    done: Vec<Vec<StyledRun>>,
    open: Vec<StyledRun>,
    style: Sgr,
    cleaner: Cleaner,
}

impl Lines {
    fn text(&mut self, run: &str) {
        let mut clean = String::with_capacity(run.len());
        self.cleaner.clean(run, &mut clean);
        for line in clean.split_inclusive('\n') {
            let text = line.strip_suffix('\n');
            self.push(text.unwrap_or(line));
            if text.is_some() {
                self.done.push(std::mem::take(&mut self.open));
            }
        }
    }

    fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.open.last_mut() {
            Some(last) if last.style == self.style => last.text.push_str(text),
            _ => self.open.push(StyledRun { text: text.to_owned(), style: self.style }),
        }
    }

    fn done(mut self) -> Vec<Vec<StyledRun>> {
        if !self.open.is_empty() {
            self.done.push(self.open);
        }
        self.done
    }
}

impl Sgr {
    /// The style after one `CSI parameters m`. What is unknown changes nothing.
    #[must_use]
    fn after(mut self, parameters: &str) -> Self {
        let mut codes = parameters.split(';');
        while let Some(code) = codes.next() {
            let (main, details) =
                code.split_once(':').map_or((code, None), |(main, rest)| (main, Some(rest)));
            match (number(main), details) {
                (Some(38), Some(details)) => self.fg = colour_in(details).or(self.fg),
                (Some(48), Some(details)) => self.bg = colour_in(details).or(self.bg),
                (Some(38), None) => self.fg = colour(&mut codes).or(self.fg),
                (Some(48), None) => self.bg = colour(&mut codes).or(self.bg),
                // The colour of an underline: read, so that its numbers are not taken for codes.
                (Some(58), None) => drop(colour(&mut codes)),
                (Some(4), Some("0")) => self.attrs = self.attrs.without(Attrs::UNDERLINE),
                (Some(4), _) => self.attrs = self.attrs.with(Attrs::UNDERLINE),
                (Some(code), None) => self.simple(code),
                (Some(_), Some(_)) | (None, _) => {}
            }
        }
        self
    }

    fn simple(&mut self, code: u8) {
        let set = |attrs: Attrs, more| attrs.with(more);
        match code {
            0 => *self = Self::default(),
            1 => self.attrs = set(self.attrs, Attrs::BOLD),
            2 => self.attrs = set(self.attrs, Attrs::DIM),
            3 => self.attrs = set(self.attrs, Attrs::ITALIC),
            7 => self.attrs = set(self.attrs, Attrs::REVERSE),
            9 => self.attrs = set(self.attrs, Attrs::STRIKE),
            21 => self.attrs = set(self.attrs, Attrs::UNDERLINE),
            22 => self.attrs = self.attrs.without(Attrs::BOLD.with(Attrs::DIM)),
            23 => self.attrs = self.attrs.without(Attrs::ITALIC),
            24 => self.attrs = self.attrs.without(Attrs::UNDERLINE),
            27 => self.attrs = self.attrs.without(Attrs::REVERSE),
            29 => self.attrs = self.attrs.without(Attrs::STRIKE),
            30..=37 => self.fg = Some(Colour::Indexed(code - 30)),
            39 => self.fg = None,
            40..=47 => self.bg = Some(Colour::Indexed(code - 40)),
            49 => self.bg = None,
            90..=97 => self.fg = Some(Colour::Indexed(code - 90 + 8)),
            100..=107 => self.bg = Some(Colour::Indexed(code - 100 + 8)),
            _ => {}
        }
    }
}

/// `5;n` or `2;r;g;b`, taken from the codes that follow.
fn colour<'a>(codes: &mut impl Iterator<Item = &'a str>) -> Option<Colour> {
    match number(codes.next()?)? {
        5 => number(codes.next()?).map(Colour::Indexed),
        2 => Some(Colour::Rgb(number(codes.next()?)?, number(codes.next()?)?, number(codes.next()?)?)),
        _ => None,
    }
}

/// The same with colons, `5:n`, `2:r:g:b`, and as the standard has it with a colour space: `2:space:r:g:b`.
fn colour_in(details: &str) -> Option<Colour> {
    let parts: Vec<_> = details.split(':').collect();
    match parts.as_slice() {
        ["2", _, r, g, b, ..] | ["2", r, g, b] => Some(Colour::Rgb(number(r)?, number(g)?, number(b)?)),
        ["5", index, ..] => number(index).map(Colour::Indexed),
        _ => None,
    }
}

/// A parameter; left out it means 0.
fn number(text: &str) -> Option<u8> {
    if text.is_empty() { Some(0) } else { text.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines in a small notation: `[31b]text` for letters in colour 31, bold.
    fn drawn(text: &str) -> String {
        let name = |colour: Option<Colour>, sign: char| match colour {
            None => String::new(),
            Some(Colour::Indexed(n)) => format!("{sign}{n}"),
            Some(Colour::Rgb(r, g, b)) => format!("{sign}{r}.{g}.{b}"),
        };
        let run = |run: &StyledRun| {
            let style = run.style;
            let names = [
                (Attrs::BOLD, 'b'),
                (Attrs::DIM, 'd'),
                (Attrs::ITALIC, 'i'),
                (Attrs::UNDERLINE, 'u'),
                (Attrs::REVERSE, 'r'),
                (Attrs::STRIKE, 's'),
            ];
            let attrs: String =
                names.iter().filter(|(a, _)| style.attrs.contains(*a)).map(|(_, c)| *c).collect();
            format!("[{}{}{attrs}]{}", name(style.fg, '+'), name(style.bg, '-'), run.text)
        };
        styled(text).iter().map(|line| line.iter().map(run).collect::<String>()).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn colours_become_values() {
        let check = |input: &str, expected: &str| assert_eq!(drawn(input), expected, "{input:?}");
        check("", "");
        check("plain\n", "[]plain");
        check("a\n\nb", "[]a||[]b");
        check("\x1b[1;31mred\x1b[0m plain", "[+1b]red[] plain");
        check("\x1b[1m\x1b[32mok\x1b[m", "[+2b]ok");
        check("\x1b[91;104mx\x1b[39my\x1b[49mz", "[+9-12]x[-12]y[]z");
        check("\x1b[38;5;208mx\x1b[48;2;1;2;3my", "[+208]x[+208-1.2.3]y");
        check("\x1b[38:5:9mx\x1b[38:2::4:5:6my\x1b[38:2:7:8:9mz", "[+9]x[+4.5.6]y[+7.8.9]z");
        check("\x1b[3;4;7;9mx\x1b[23;24;27;29my", "[iurs]x[]y");
        check("\x1b[4:3mx\x1b[4:0my", "[u]x[]y");
        check("\x1b[58;5;1mx", "[]x");
        check("\x1b[1;2mx\x1b[22my", "[bd]x[]y");
        check("\x1b[38;5;999;1mx\x1b[5mx\x1b[8mx", "[b]xxx");
        check("\x1b[31mover\nlines", "[+1]over|[+1]lines");
    }

    #[test]
    fn nothing_but_colours_comes_through() {
        assert_eq!(drawn("a\x1b]0;t\x07\x1b[2Jb\u{202e}\r\nc\x08"), "[]ab‹U+202E›|[]c");
    }

    #[test]
    fn runs_of_one_style_are_one() {
        assert_eq!(drawn("a\x1b[1mb\x1b[1mc\x1b[22md"), "[]a[b]bc[]d");
    }
}
