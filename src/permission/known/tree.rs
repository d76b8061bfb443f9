//! A command line as a tree: its commands, what is between them, and their words.
//!
//! Values only. `line` reads them from text, `judge` decides which may run.

/// A command of a list, with what is around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// What precedes it.
    pub(super) joint: Joint,
    pub(super) what: What,
    /// In order.
    pub(super) redirections: Vec<Redirection>,
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// A simple one: at least one word.
    Command(Vec<Word>),
    /// A list as one command.
    Group(Group, Vec<Part>),
    /// `for NAME in WORDS; do LIST; done`
    Loop { name: String, over: Vec<Word>, body: Vec<Part> },
}

/// How a list becomes one command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// `( … )`
    Subshell,
    /// `{ …; }`
    Braces,
}

/// What is between two commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// `;`, a line's end, or nothing before the first.
    Next,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|`
    Pipe,
}

/// A redirection that writes no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Redirection {
    /// `2>&1`
    ErrorsToOutput,
    /// `>&2`
    OutputToErrors,
    /// `2>/dev/null`
    NoErrors,
    /// `>/dev/null`
    NoOutput,
    /// `&>/dev/null`
    Silent,
    /// `</dev/null`
    NoInput,
    /// `< FILE`
    From(Word),
}

/// A word without its quotes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Word(pub(super) Vec<Letter>);

/// A character of a word, or what the shell would put in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Letter {
    /// Itself.
    Text(char),
    /// `?`
    One,
    /// `*`
    Many,
    /// `[a-z_]`
    Of(Set),
    /// `$NAME`, `${NAME}`, `$?`
    Variable { name: String, is_quoted: bool },
    /// `$(LIST)`
    Output { parts: Vec<Part>, is_quoted: bool },
}

/// Characters of which a file's name may have one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Set {
    /// Whether the name must have any other character.
    pub(super) is_negated: bool,
    /// From and to, both belong to it.
    pub(super) ranges: Vec<(char, char)>,
    /// As it is written.
    pub(super) text: String,
}

/// The redirections to and from nothing, in every way to write them.
pub(super) const REDIRECTIONS: [(&str, Redirection); 13] = [
    ("2>&1", Redirection::ErrorsToOutput),
    ("2>/dev/null", Redirection::NoErrors),
    ("2> /dev/null", Redirection::NoErrors),
    ("1>&2", Redirection::OutputToErrors),
    (">&2", Redirection::OutputToErrors),
    ("1>/dev/null", Redirection::NoOutput),
    ("1> /dev/null", Redirection::NoOutput),
    (">/dev/null", Redirection::NoOutput),
    ("> /dev/null", Redirection::NoOutput),
    ("&>/dev/null", Redirection::Silent),
    ("&> /dev/null", Redirection::Silent),
    ("</dev/null", Redirection::NoInput),
    ("< /dev/null", Redirection::NoInput),
];

impl Joint {
    /// As it is written between two commands.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Next => "; ",
            Self::And => " && ",
            Self::Or => " || ",
            Self::Pipe => " | ",
        }
    }
}

impl Redirection {
    /// As every shell reads it, where it names no file of its own.
    pub(super) fn text(&self) -> &'static str {
        match self {
            Self::ErrorsToOutput => "2>&1",
            Self::OutputToErrors => ">&2",
            Self::NoErrors => "2>/dev/null",
            Self::NoOutput => ">/dev/null",
            Self::Silent => ">/dev/null 2>&1",
            Self::NoInput => "</dev/null",
            Self::From(_) => "<",
        }
    }
}

impl Word {
    /// The word, where the shell puts nothing else in the place of any part of it.
    pub(super) fn literal(&self) -> Option<String> {
        let text = |letter: &Letter| match letter {
            Letter::Text(c) => Some(*c),
            Letter::One | Letter::Many | Letter::Of(_) | Letter::Variable { .. } | Letter::Output { .. } => {
                None
            }
        };
        self.0.iter().map(text).collect()
    }

    pub(super) fn push(&mut self, text: &str) {
        self.0.extend(text.chars().map(Letter::Text));
    }

    /// Whether the last character is a plain letter or digit, after which `~` and `#` mean nothing.
    pub(super) fn is_in_name(&self) -> bool {
        matches!(self.0.last(), Some(Letter::Text(c)) if c.is_ascii_alphanumeric() || *c == '~')
    }
}
