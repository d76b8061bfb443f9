//! What there is to know of a language: how comments and strings begin and end, and which words are kept.
//!
//! Not a grammar: one value of plain data each. The values are in [`super::table`].

use super::Token;
use super::table::TABLE;

/// One language. Lists of words are apart by single spaces.
#[derive(Debug)]
pub(super) struct Syntax {
    /// Names after a fence, names of files and their endings, in lower case.
    pub(super) names: &'static str,
    /// What the text is like.
    pub(super) form: Form,
    /// What begins a comment that ends with its line.
    pub(super) comments: &'static str,
    /// What begins and ends a comment of any length.
    pub(super) block: Option<(&'static str, &'static str)>,
    /// Whether such comments stand within each other.
    pub(super) nesting: Nesting,
    /// Strings; what begins like another one stands before it.
    pub(super) quotes: &'static [Quote],
    /// Characters that make the name behind them something.
    pub(super) sigils: &'static [(char, Token)],
    /// What names consist of besides letters, digits and `_`.
    pub(super) joints: &'static str,
    /// Words of the language.
    pub(super) keywords: &'static str,
    /// Types of the language, and its constants.
    pub(super) types: &'static str,
    /// What capitals mean.
    pub(super) case: Case,
}

/// What a text is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Words, marks, strings.
    Code,
    /// The same, and `name: value`.
    Style,
    /// Keys and values with this sign between them.
    Data(char),
    /// Text with tags.
    Markup,
    /// Lines, each with its sign.
    Diff,
}

/// Whether comments stand within each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nesting {
    /// The first end ends all.
    Flat,
    /// Each has its own end.
    Nested,
}

/// What capitals mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// A name that begins with one is a type.
    Camel,
    /// Nothing.
    Kept,
    /// Nothing, and words are the same with and without them.
    Ignored,
}

/// One kind of strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quote {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    pub(super) escape: Escape,
    pub(super) reach: Reach,
}

/// Whether a backslash takes the meaning of what follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    /// It does.
    Backslash,
    /// Nothing does.
    None,
}

/// How far a string goes that is not closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// It is none: only one character, closed, is.
    Character,
    /// To the end of the line.
    Line,
    /// On.
    Lines,
}

/// The language of that name, whatever its capitals.
pub(super) fn named(name: &str) -> Option<&'static Syntax> {
    let is = |syntax: &&Syntax| syntax.names.split(' ').any(|known| known.eq_ignore_ascii_case(name));
    TABLE.iter().find(is).filter(|_| !name.is_empty())
}
