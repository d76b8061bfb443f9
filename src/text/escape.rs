//! Finds the terminal's control sequences in a text, so that [`super::sanitize`] and [`super::sgr`] can leave
//! them out.
//!
//! Not an emulator: it knows where a sequence ends, and of their meanings only that `CSI … m` is colour. The
//! surprise: a line end closes every sequence. A terminal would go on swallowing, and a hostile text could so hide
//! any number of lines from the reader; and as no sequence reaches over a line end, lines can be cleaned one by one.

/// What a text is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    /// A run without the beginning of any sequence (other control characters may be in it).
    Text(&'a str),
    /// The parameters of one `CSI … m`.
    Sgr(&'a str),
}

/// The pieces of a text in order; sequences other than colours are left out.
#[derive(Debug, Clone)]
pub struct Pieces<'a> {
    rest: &'a str,
}

/// Takes `text` apart.
pub fn pieces(text: &str) -> Pieces<'_> {
    Pieces { rest: text }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        while let Some(first) = self.rest.chars().next() {
            if !begins_sequence(first) {
                let end = self.rest.find(begins_sequence).unwrap_or(self.rest.len());
                let (text, rest) = self.rest.split_at(end);
                self.rest = rest;
                return Some(Piece::Text(text));
            }
            let (colours, rest) = sequence(self.rest);
            self.rest = rest;
            if let Some(parameters) = colours {
                return Some(Piece::Sgr(parameters));
            }
        }
        None
    }
}

/// Escape, or one of its one-character forms of old (C1): CSI, OSC, DCS, SOS, PM, APC.
fn begins_sequence(c: char) -> bool {
    matches!(c, '\u{1b}' | '\u{9b}' | '\u{9d}' | '\u{90}' | '\u{98}' | '\u{9e}' | '\u{9f}')
}

/// Takes one sequence off the front: its parameters if it is a colour, and what follows it.
fn sequence(text: &str) -> (Option<&str>, &str) {
    let mut chars = text.chars();
    match chars.next() {
        Some('\u{1b}') => escaped(chars.as_str()),
        Some('\u{9b}') => control(chars.as_str()),
        _ => (None, after_string(chars.as_str())),
    }
}

/// What follows an Escape.
fn escaped(body: &str) -> (Option<&str>, &str) {
    let mut chars = body.chars();
    match chars.next() {
        Some('[') => control(chars.as_str()),
        Some(']' | 'P' | 'X' | '^' | '_') => (None, after_string(chars.as_str())),
        Some(' '..='/') => {
            let rest = body.trim_start_matches(|c| matches!(c, ' '..='/'));
            (None, strip_one(rest, |c| matches!(c, '0'..='~')))
        }
        Some('0'..='~') => (None, chars.as_str()),
        _ => (None, body),
    }
}

/// What follows a CSI: parameters, intermediates, one final character. A foreign character ends it unconsumed.
fn control(body: &str) -> (Option<&str>, &str) {
    let after = body.trim_start_matches(|c| matches!(c, '0'..='?'));
    let parameters = body.strip_suffix(after).unwrap_or_default();
    if let Some(rest) = after.strip_prefix('m') {
        let private = parameters.starts_with(['<', '=', '>', '?']);
        return ((!private).then_some(parameters), rest);
    }
    let rest = after.trim_start_matches(|c| matches!(c, ' '..='/'));
    (None, strip_one(rest, |c| matches!(c, '@'..='~')))
}

/// What follows a control string: it ends with ST, BEL, CAN or SUB, before any other Escape, and before a line end.
fn after_string(body: &str) -> &str {
    let ends = |c| matches!(c, '\u{1b}' | '\u{9c}' | '\u{7}' | '\u{18}' | '\u{1a}' | '\n' | '\r');
    let rest = body.find(ends).and_then(|at| body.get(at..)).unwrap_or_default();
    if rest.starts_with(['\n', '\r']) {
        return rest;
    }
    if rest.starts_with('\u{1b}') {
        return rest.strip_prefix("\u{1b}\\").unwrap_or(rest);
    }
    strip_one(rest, |_| true)
}

fn strip_one(text: &str, wanted: impl Fn(char) -> bool) -> &str {
    let mut chars = text.chars();
    match chars.next() {
        Some(c) if wanted(c) => chars.as_str(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::Piece::{Sgr, Text};
    use super::*;

    #[test]
    fn sequences_end_where_a_terminal_ends_them_or_at_the_line() {
        let check = |input: &str, expected: &[Piece<'_>]| {
            assert_eq!(pieces(input).collect::<Vec<_>>(), expected, "{input:?}");
        };
        check("plain", &[Text("plain")]);
        check("\x1b[1;31mred\x1b[m", &[Sgr("1;31"), Text("red"), Sgr("")]);
        check("\u{9b}32mgreen", &[Sgr("32"), Text("green")]);
        check("\x1b[?25lx\x1b[2Jy\x1b[1 qz", &[Text("x"), Text("y"), Text("z")]);
        check("\x1b[>4;2mx", &[Text("x")]);
        check("\x1b[31", &[]);
        check("\x1b[31日", &[Text("日")]);
        check("\x1b[3\n1m", &[Text("\n1m")]);
        check("\x1b]0;title\x07x", &[Text("x")]);
        check("\x1b]8;;http://a\x1b\\x", &[Text("x")]);
        check("\x1b]52;c;AAAA\u{9c}x", &[Text("x")]);
        check("\u{9d}0;title\x07x", &[Text("x")]);
        check("\x1bPq#0\x1b\\x\x1b_G\x1b\\y\x1b^p\x1b\\z\x1bXs\x1b\\", &[Text("x"), Text("y"), Text("z")]);
        check("\x1b]0;never ends", &[]);
        check("\x1b]0;never ends\nnext", &[Text("\nnext")]);
        check("\x1b]0;broken\x1b[1mx", &[Sgr("1"), Text("x")]);
        check("\x1bPgiven up\x18x", &[Text("x")]);
        check("\x1b(Bx\x1bcy\x1b7z", &[Text("x"), Text("y"), Text("z")]);
        check("\x1b\x1b[1mx\x1b", &[Sgr("1"), Text("x")]);
        check("\x1b\nx", &[Text("\nx")]);
    }
}
