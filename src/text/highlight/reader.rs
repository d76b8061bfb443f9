//! One line of code, read from left to right.
//!
//! It looks a few characters ahead and never back, but for one: what stands before a quote or a `#`. Each step takes at
//! least one character, and each character is looked at a bounded number of times.

use super::Token;
use super::language::{Case, Escape, Form, Nesting, Quote, Reach, Syntax};

/// Bytes within which a character literal closes: `'\u{10ffff}'`.
const CHARACTER: usize = 12;

/// What the line before leaves to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum State {
    /// Nothing is open.
    #[default]
    Code,
    /// So many comments within each other.
    Comment(u8),
    /// The string that the quote of this number opens.
    Quoted(u8),
    /// Within the angle brackets of a tag.
    Tag,
}

/// Whether anybody looks at the pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// They are drawn.
    Show,
    /// Only what is open at the end of the line is wanted: no word is looked up.
    Pass,
}

/// A line that is being read.
pub(super) struct Reader<'a> {
    syntax: &'static Syntax,
    state: State,
    purpose: Purpose,
    rest: &'a str,
    /// The character before `rest`.
    before: Option<char>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(syntax: &'static Syntax, state: State, purpose: Purpose) -> Self {
        Self { syntax, state, purpose, rest: "", before: None }
    }

    /// Tells each piece with its length in bytes, and gives back what is open at the end.
    pub(super) fn line(mut self, line: &'a str, tell: &mut impl FnMut(Token, usize)) -> State {
        if let Some(token) = whole_line(self.syntax, self.state, line).filter(|_| !line.is_empty()) {
            tell(token, line.len());
            return self.state;
        }
        self.rest = line;
        while let Some(c) = self.rest.chars().next() {
            let (token, length) = match self.state {
                State::Code => self.code(c),
                State::Comment(depth) => self.comment(depth),
                State::Quoted(quote) => self.quoted(quote),
                State::Tag => self.tag(c),
            };
            let length = length.max(c.len_utf8());
            // a wrong length costs a colour and never a letter
            let (piece, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
            tell(token, piece.len());
            self.before = piece.chars().next_back();
            self.rest = rest;
        }
        match self.state {
            State::Quoted(quote) if self.reach(quote) != Reach::Lines => self.outside(),
            open => open,
        }
    }

    fn code(&mut self, c: char) -> (Token, usize) {
        if c.is_whitespace() {
            return (Token::Plain, run(self.rest, char::is_whitespace));
        }
        if self.syntax.form == Form::Markup {
            return self.markup();
        }
        if let Some(comment) = self.begin_comment(c).or_else(|| self.begin_quote()) {
            return comment;
        }
        if let Some((_, token)) = self.syntax.sigils.iter().find(|(sigil, _)| *sigil == c) {
            let name = self.name(self.rest.get(c.len_utf8()..).unwrap_or_default());
            if name > 0 {
                return (*token, c.len_utf8() + name);
            }
        }
        if begins_name(c) {
            let length = self.name(self.rest);
            return self.word(length);
        }
        if c.is_ascii_digit() {
            return (Token::Number, number(self.rest));
        }
        (Token::Plain, c.len_utf8())
    }

    /// A comment, if one begins here.
    fn begin_comment(&mut self, c: char) -> Option<(Token, usize)> {
        if let Some((open, _)) = self.syntax.block.filter(|(open, _)| self.rest.starts_with(open)) {
            self.state = State::Comment(1);
            return Some((Token::Comment, open.len()));
        }
        let apart = match c {
            // in a shell and elsewhere a `#` within a word is a part of it
            '#' => self.before.is_none_or(|c| c.is_whitespace() || matches!(c, ';' | ')' | '}' | ']' | ',')),
            '/' => self.before != Some(':'),
            _ => true,
        };
        let mut openings = self.syntax.comments.split(' ').filter(|open| !open.is_empty());
        let begins = apart && openings.any(|open| self.rest.starts_with(open));
        begins.then_some((Token::Comment, self.rest.len()))
    }

    /// A string, or all of a quoted key, if one begins here.
    fn begin_quote(&mut self) -> Option<(Token, usize)> {
        let (number, quote) = (0_u8..).zip(self.syntax.quotes).find(|(_, quote)| self.opens(quote))?;
        if let Form::Data(sign) = self.syntax.form
            && let Some(inside) = self.rest.get(quote.open.len()..)
            && let Some(end) = closing(inside, quote)
            && inside.get(end..).is_some_and(|after| after.trim_start_matches(' ').starts_with(sign))
        {
            return Some((Token::Name, quote.open.len() + end));
        }
        self.state = State::Quoted(number);
        Some((Token::Text, quote.open.len()))
    }

    fn opens(&self, quote: &Quote) -> bool {
        let Some(inside) = self.rest.strip_prefix(quote.open) else { return false };
        match quote.reach {
            Reach::Character => is_character(inside),
            // "it's" in a text without quotes
            Reach::Line | Reach::Lines => {
                !matches!(self.syntax.form, Form::Data(_)) || self.before.is_none_or(|c| !c.is_alphanumeric())
            }
        }
    }

    fn comment(&mut self, depth: u8) -> (Token, usize) {
        let Some((open, close)) = self.syntax.block else { return (Token::Comment, self.rest.len()) };
        let nested = self.syntax.nesting == Nesting::Nested;
        let marks = self.rest.char_indices().filter_map(|(at, _)| Some((at, self.rest.get(at..)?)));
        for (at, rest) in marks {
            if rest.starts_with(close) {
                let left = depth.saturating_sub(1);
                self.state = if left > 0 { State::Comment(left) } else { State::Code };
                return (Token::Comment, at + close.len());
            }
            if nested && rest.starts_with(open) {
                self.state = State::Comment(depth.saturating_add(1));
                return (Token::Comment, at + open.len());
            }
        }
        (Token::Comment, self.rest.len())
    }

    fn quoted(&mut self, number: u8) -> (Token, usize) {
        let end = self.quote(number).and_then(|quote| closing(self.rest, quote));
        if let Some(end) = end {
            self.state = self.outside();
            return (Token::Text, end);
        }
        (Token::Text, self.rest.len())
    }

    /// Where a string that has ended stood.
    fn outside(&self) -> State {
        match self.syntax.form {
            Form::Markup => State::Tag,
            Form::Code | Form::Style | Form::Data(_) | Form::Diff => State::Code,
        }
    }

    fn quote(&self, number: u8) -> Option<&'static Quote> {
        self.syntax.quotes.get(usize::from(number))
    }

    fn reach(&self, number: u8) -> Reach {
        self.quote(number).map_or(Reach::Line, |quote| quote.reach)
    }

    /// Text between tags.
    fn markup(&mut self) -> (Token, usize) {
        if let Some(comment) = self.begin_comment('<') {
            return comment;
        }
        let Some(inside) = self.rest.strip_prefix('<') else {
            return (Token::Plain, self.rest.find('<').unwrap_or(self.rest.len()));
        };
        let sign = usize::from(inside.starts_with(['/', '!', '?']));
        let name = self.name(inside.get(sign..).unwrap_or_default());
        if name == 0 && !inside.starts_with('>') {
            return (Token::Plain, 1);
        }
        self.state = State::Tag;
        (Token::Keyword, 1 + sign + name)
    }

    fn tag(&mut self, c: char) -> (Token, usize) {
        match c {
            '>' => {
                self.state = State::Code;
                (Token::Keyword, 1)
            }
            '/' | '?' if self.rest.get(1..).is_some_and(|rest| rest.starts_with('>')) => {
                self.state = State::Code;
                (Token::Keyword, 2)
            }
            '"' | '\'' => self.begin_quote().unwrap_or((Token::Plain, 1)),
            _ if begins_name(c) || c == '@' || c == ':' => {
                (Token::Name, c.len_utf8() + self.name(self.rest.get(c.len_utf8()..).unwrap_or_default()))
            }
            _ => (Token::Plain, c.len_utf8()),
        }
    }

    /// The bytes of the name at the beginning of a text.
    fn name(&self, text: &str) -> usize {
        run(text, |c| c.is_alphanumeric() || c == '_' || self.syntax.joints.contains(c))
    }

    /// What a word is, by itself and by what follows.
    fn word(&self, length: usize) -> (Token, usize) {
        if self.purpose == Purpose::Pass {
            return (Token::Plain, length);
        }
        let (word, after) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        let is_key = match self.syntax.form {
            Form::Data(sign) => is_key_before(after, sign),
            Form::Style => after.starts_with(": "),
            Form::Code | Form::Markup | Form::Diff => false,
        };
        let is_macro = after.strip_prefix('!').is_some_and(|rest| rest.starts_with(['(', '[', '{']));
        if is_key {
            (Token::Name, length)
        } else if self.is_in(self.syntax.keywords, word) {
            (Token::Keyword, length)
        } else if self.is_in(self.syntax.types, word) {
            (Token::Type, length)
        } else if is_macro {
            (Token::Name, length + 1)
        } else if after.starts_with('(') {
            (Token::Name, length)
        } else if self.syntax.case == Case::Camel && is_camel(word) {
            (Token::Type, length)
        } else {
            (Token::Plain, length)
        }
    }

    fn is_in(&self, list: &str, word: &str) -> bool {
        let mut words = list.as_bytes().split(|byte| *byte == b' ');
        match self.syntax.case {
            Case::Ignored => words.any(|known| known.eq_ignore_ascii_case(word.as_bytes())),
            // most words are in no list, not even as a part of one, which is quicker to see
            Case::Camel | Case::Kept => list.contains(word) && words.any(|known| known == word.as_bytes()),
        }
    }
}

/// What a line is as a whole, where the language goes by lines.
fn whole_line(syntax: &Syntax, state: State, line: &str) -> Option<Token> {
    match (syntax.form, state) {
        (Form::Diff, _) => Some(match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'd', b'i', b'f', b'f', ..] => Token::Keyword,
            [b'+' | b'>', ..] => Token::Added,
            [b'-' | b'<', ..] => Token::Removed,
            [b'@', b'@', ..] => Token::Name,
            _ => Token::Plain,
        }),
        (Form::Data('='), State::Code) => is_section(line).then_some(Token::Type),
        (Form::Code | Form::Style | Form::Markup | Form::Data(_), _) => None,
    }
}

/// `[section]`.
fn is_section(line: &str) -> bool {
    let name = line.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    name.is_some_and(|name| {
        let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        !name.is_empty()
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | ' '))
    })
}

/// Where a string ends: the bytes up to and with its closing quote.
fn closing(inside: &str, quote: &Quote) -> Option<usize> {
    if quote.escape == Escape::None {
        return inside.find(quote.close).map(|at| at + quote.close.len());
    }
    let first = quote.close.as_bytes().first()?;
    let bytes = inside.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'\\' {
            at += 2;
        } else if byte == first && inside.get(at..).is_some_and(|rest| rest.starts_with(quote.close)) {
            return Some(at + quote.close.len());
        } else {
            at += 1;
        }
    }
    None
}

/// Whether a character literal goes on like this; a lifetime and an apostrophe do not.
fn is_character(inside: &str) -> bool {
    let mut chars = inside.chars();
    match chars.next() {
        Some('\\') => inside.bytes().take(CHARACTER).skip(2).any(|b| b == b'\''),
        Some('\'') | None => false,
        Some(_) => chars.next() == Some('\''),
    }
}

/// Whether the name before `after` is a key. A colon makes one only before a space: `a: b`, and not `http://b`.
fn is_key_before(after: &str, sign: char) -> bool {
    let after = after.trim_start_matches(' ').strip_prefix(sign);
    after.is_some_and(|after| sign != ':' || after.is_empty() || after.starts_with([' ', '\t']))
}

/// A capital, and not only capitals: a constant is no type.
fn is_camel(word: &str) -> bool {
    word.starts_with(|c: char| c.is_uppercase()) && (word.len() == 1 || word.chars().any(char::is_lowercase))
}

fn begins_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// The bytes of a number: digits of any base, marks between them, an exponent.
fn number(text: &str) -> usize {
    let mut before = '0';
    let end = text.char_indices().find(|(at, c)| {
        let next = text.get(at + 1..).unwrap_or_default();
        let fraction = *c == '.' && next.starts_with(|c: char| c.is_ascii_digit());
        let exponent = matches!(c, '+' | '-') && matches!(before, 'e' | 'E') && !text.starts_with("0x");
        before = *c;
        !(c.is_ascii_alphanumeric() || *c == '_' || fraction || exponent)
    });
    end.map_or(text.len(), |(at, _)| at)
}

/// The bytes at the beginning of a text that are of one sort.
fn run(text: &str, of: impl Fn(char) -> bool) -> usize {
    text.find(|c| !of(c)).unwrap_or(text.len())
}
