//! What the pieces of a line of code are: words of the language, strings, comments, numbers.
//!
//! Not a grammar, and not exact: a table of some forty languages and one reader that knows how comments, strings and
//! names begin and end. Where it is wrong a word has the wrong colour, never another text: the pieces of a line are the
//! line. The surprise is that nothing is loaded, compiled or kept: a general highlighter reads regular expressions for
//! each language before its first line and then some hundred kilobytes a second, so that it has to stand aside from the
//! drawing, and code that arrives before it is ready stays plain for ever. This one is a pass over the bytes, as
//! cleaning them is, so it is done where a line is drawn, and a line looks the same arriving and arrived.
//!
//! A [`Highlighter`] is what one line leaves to the next, a few plain values: a block of code can be drawn from the middle
//! by whoever kept the one that stood there.

mod language;
mod reader;
mod table;
#[cfg(test)]
mod tests;

use language::Syntax;
use reader::{Purpose, Reader, State};

/// Bytes of one text that are looked at; what follows is plain. Nobody reads more than this for its colours.
const MOST_BYTES: usize = 512 * 1024;

/// Lines of one text that are looked at.
const MOST_LINES: usize = 10_000;

/// A longer line is data or was made by a program: it stays plain, and changes nothing for the next one.
const LONGEST_LINE: usize = 8 * 1024;

/// What a piece of code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Token {
    /// Anything else.
    Plain,
    /// A word that the language keeps for itself; the name of a tag.
    Keyword,
    /// A string or a character.
    Text,
    /// A comment.
    Comment,
    /// A number.
    Number,
    /// The name of a type, or of a variable where these carry a sign.
    Type,
    /// What is called; the key of a value.
    Name,
    /// A line of a diff that came.
    Added,
    /// A line of a diff that went.
    Removed,
}

/// How to read the next line of a text in one language.
#[derive(Clone, Copy)]
pub struct Highlighter {
    syntax: &'static Syntax,
    state: State,
    bytes: usize,
    lines: usize,
}

impl Highlighter {
    /// For code after a fence with this word, such as `rust` or `src/main.rs`; `None` for a language that is not known.
    #[must_use]
    pub fn of_fence(word: &str) -> Option<Self> {
        let word = word.trim_matches(['{', '}', '.']);
        let word = word.split_once(':').map_or(word, |(name, _)| name);
        Self::named(word).or_else(|| Self::of_path(word))
    }

    /// For the content of the file at `path`, by its name alone.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        Self::named(name).or_else(|| Self::named(name.rsplit_once('.')?.1))
    }

    fn named(name: &str) -> Option<Self> {
        Some(Self { syntax: language::named(name)?, state: State::default(), bytes: 0, lines: 0 })
    }

    /// The pieces of the next line, which has no line end; put together they are the line.
    pub fn line<'a>(&mut self, line: &'a str) -> Vec<(Token, &'a str)> {
        let mut pieces: Vec<(Token, usize, usize)> = Vec::new();
        if self.take(line.len()) {
            let mut at = 0;
            self.state =
                Reader::new(self.syntax, self.state, Purpose::Show).line(line, &mut |token, length| {
                    match pieces.last_mut() {
                        Some((last, _, end)) if *last == token => *end += length,
                        _ => pieces.push((token, at, at + length)),
                    }
                    at += length;
                });
        } else if !line.is_empty() {
            pieces.push((Token::Plain, 0, line.len()));
        }
        let piece = |(token, start, end)| (token, line.get(start..end).unwrap_or_default());
        pieces.into_iter().map(piece).collect()
    }

    /// Passes over a line that is not shown.
    pub fn pass(&mut self, line: &str) {
        if self.take(line.len()) {
            self.state = Reader::new(self.syntax, self.state, Purpose::Pass).line(line, &mut |_, _| {});
        }
    }

    /// Counts a line; whether it is to be looked at.
    fn take(&mut self, bytes: usize) -> bool {
        self.bytes = self.bytes.saturating_add(bytes);
        self.lines = self.lines.saturating_add(1);
        self.bytes <= MOST_BYTES && self.lines <= MOST_LINES && bytes <= LONGEST_LINE
    }
}

impl PartialEq for Highlighter {
    fn eq(&self, other: &Self) -> bool {
        let counts = |all: &Self| (all.state, all.bytes, all.lines);
        std::ptr::eq(self.syntax, other.syntax) && counts(self) == counts(other)
    }
}

impl Eq for Highlighter {}

impl std::fmt::Debug for Highlighter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.syntax.names.split(' ').next().unwrap_or_default();
        write!(f, "Highlighter({name}, {:?}, {} bytes, {} lines)", self.state, self.bytes, self.lines)
    }
}
