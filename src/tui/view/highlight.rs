//! Code in colours: what the reader of a language says about a piece, as a role.
//!
//! It reads nothing itself (that is [`crate::text::highlight`]) and breaks nothing. Code in a language that is not known
//! has the one colour of code, so that it can be told from what stands around it.

use ratatui::text::{Line, Span};

use super::theme::{Role, Theme};
use crate::text::highlight::{Highlighter, Token};
use crate::tui::model::call::Label;

/// The role of a piece of code.
pub(super) fn role(token: Token) -> Role {
    match token {
        Token::Plain => Role::Plain,
        Token::Keyword => Role::Keyword,
        Token::Text => Role::Text,
        Token::Comment => Role::Comment,
        Token::Number => Role::Number,
        Token::Type => Role::Type,
        Token::Name => Role::Name,
        Token::Added => Role::Good,
        Token::Removed => Role::Bad,
    }
}

/// How to read the output of a command that only prints one file (`cat`, `head`, `tail`, `sed -n`), if the language of that
/// file is known and the command has put no colours in itself.
pub(super) fn printed_file(label: &Label, output: &str) -> Option<Highlighter> {
    let is_plain =
        |c: char| c.is_alphanumeric() || matches!(c, ' ' | '/' | '.' | '_' | '-' | ',' | '\'' | '+' | '@');
    if label.verb != "run" || !label.object.chars().all(is_plain) || output.contains(is_control) {
        return None;
    }
    let mut words = label.object.split_whitespace();
    let program = words.next()?;
    let is_number = |word: &str| word.trim_matches('\'').chars().all(|c| c.is_ascii_digit() || c == ',');
    let files: Vec<&str> = match program {
        "cat" | "head" | "tail" => words.filter(|word| !word.starts_with('-') && !is_number(word)).collect(),
        "sed" if words.next() == Some("-n") => {
            let lines = words.next()?.trim_matches('\'').strip_suffix('p')?;
            words.filter(|_| is_number(lines)).collect()
        }
        _ => return None,
    };
    match files.as_slice() {
        [file] => Highlighter::of_path(file.trim_matches('\'')),
        _ => None,
    }
}

/// Clean lines of code, from where `reading` stands.
pub(super) fn code(text: &str, mut reading: Option<Highlighter>, theme: Theme) -> Vec<Line<'static>> {
    text.lines().map(|line| one(line, reading.as_mut(), theme)).collect()
}

/// What is more than text in lines.
fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
}

fn one(line: &str, reading: Option<&mut Highlighter>, theme: Theme) -> Line<'static> {
    let Some(reading) = reading else { return Line::styled(line.to_owned(), theme.style(Role::Code)) };
    let piece = |(token, text): (Token, &str)| Span::styled(text.to_owned(), theme.style(role(token)));
    Line::from(reading.line(line).into_iter().map(piece).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_the_colour_of_their_role() {
        let theme = Theme::Colour;
        let lines = code("/* a\n*/ fn", Highlighter::of_fence("rust"), theme);
        let spans = |at: usize| lines[at].spans.clone();
        assert_eq!(spans(0), [Span::styled("/* a", theme.style(Role::Comment))]);
        assert_eq!(spans(1)[2], Span::styled("fn", theme.style(Role::Keyword)));
        assert_eq!(code("fn", None, theme), [Line::styled("fn", theme.style(Role::Code))]);
    }
}
