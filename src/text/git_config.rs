//! The format of git's configuration files, read as git reads it.
//!
//! Text alone: which files count is asked elsewhere, and what a key means too. What is no line of the format is passed over;
//! git itself would refuse the file. The surprise: a reading says whether all of it was written in the usual way, each head
//! and each key on a line of its own. Who lets something through by what stands in such a file takes no other, for an odd
//! spelling is what two readers read in two ways.

use std::iter::Peekable;
use std::str::Chars;

/// Keys of `[core]` that start no program and name no other file. `git init` writes most of them.
pub const PLAIN_CORE_KEYS: [&str; 9] = [
    "repositoryformatversion",
    "filemode",
    "bare",
    "logallrefupdates",
    "ignorecase",
    "precomposeunicode",
    "symlinks",
    "autocrlf",
    "eol",
];

/// What a file says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GitConfig {
    /// Its keys, in order.
    pub entries: Vec<Entry>,
    /// How it is written.
    pub form: Form,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// As git itself writes it.
    #[default]
    Usual,
    /// With something that git does not write, or does not even read.
    Odd,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The section's name, in lower case; empty before the first head.
    pub section: String,
    /// What stands in quotes behind that name.
    pub of: Option<String>,
    /// The key, in lower case.
    pub key: String,
    /// The value without its quotes; a key alone means `true`.
    pub value: String,
}

impl Entry {
    /// As git names it: `core.pager`, `remote.origin.url`.
    pub fn name(&self) -> String {
        let Self { section, of, key, value: _ } = self;
        match of {
            Some(of) if !of.is_empty() => format!("{section}.{of}.{key}"),
            Some(_) | None => format!("{section}.{key}"),
        }
    }
}

impl GitConfig {
    /// Reads a file's text.
    pub fn read(text: &str) -> Self {
        let mut reader = Reader { rest: text.chars().peekable(), form: Form::Usual };
        if reader.rest.next_if_eq(&'\u{feff}').is_some() {
            reader.form = Form::Odd;
        }
        let (mut section, mut of, mut entries) = (String::new(), None, Vec::new());
        while let Some(&first) = reader.rest.peek() {
            match first {
                '#' | ';' => reader.skip_line(),
                '[' => (section, of) = reader.head(),
                letter if letter.is_ascii_alphabetic() => {
                    let (key, value) = reader.entry();
                    entries.push(Entry { section: section.clone(), of: of.clone(), key, value });
                }
                other => {
                    reader.rest.next();
                    reader.usual_if(matches!(other, '\n' | '\r' | ' ' | '\t'));
                }
            }
        }
        Self { entries, form: reader.form }
    }

    /// The value of a key that stands in a section without a further name; the last one counts.
    pub fn value(&self, section: &str, key: &str) -> Option<&str> {
        let is_it = |entry: &&Entry| entry.section == section && entry.of.is_none() && entry.key == key;
        self.entries.iter().rfind(is_it).map(|entry| entry.value.as_str())
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    form: Form,
}

impl Reader<'_> {
    fn usual_if(&mut self, is_usual: bool) {
        if !is_usual {
            self.form = Form::Odd;
        }
    }

    /// `[name]`, `[name "of"]`, or in an older form `[name.of]`.
    fn head(&mut self) -> (String, Option<String>) {
        self.rest.next();
        let name = self.word();
        let has_of = self.rest.next_if_eq(&' ').is_some();
        let opens = self.rest.peek() == Some(&if has_of { '"' } else { ']' });
        self.usual_if(opens && !name.is_empty() && !name.contains('.'));
        let (quoted, is_closed) = self.until_bracket();
        self.usual_if(is_closed);
        self.end_of_line();
        match name.split_once('.') {
            Some((name, older)) => (name.to_owned(), Some(older.to_owned())),
            None => (name, quoted),
        }
    }

    /// What stands in quotes before the closing bracket, and whether that came.
    fn until_bracket(&mut self) -> (Option<String>, bool) {
        let (mut of, mut quotes) = (None::<String>, 0);
        while let Some(c) = self.rest.next_if(|c| *c != '\n') {
            let is_quoted = quotes % 2 == 1;
            match c {
                ']' if !is_quoted => return (of, true),
                '"' => {
                    quotes += 1;
                    of.get_or_insert_default();
                    // behind the closing quote nothing but the bracket
                    let closes = self.rest.peek() == Some(&']');
                    self.usual_if(quotes < 2 || closes);
                }
                '\\' => {
                    self.form = Form::Odd;
                    let next = self.rest.next_if(|c| *c != '\n');
                    of.get_or_insert_default().extend(next);
                }
                c if is_quoted => of.get_or_insert_default().push(c),
                c => self.usual_if(matches!(c, ' ' | '\t')),
            }
        }
        (of, false)
    }

    /// A key, and what follows it up to the line's end.
    fn entry(&mut self) -> (String, String) {
        let key = self.word();
        self.usual_if(!key.contains('.'));
        self.skip_blanks();
        if self.rest.next_if_eq(&'=').is_none() {
            self.end_of_line();
            self.skip_line();
            return (key, "true".to_owned());
        }
        (key, self.value())
    }

    fn value(&mut self) -> String {
        let (mut value, mut is_quoted) = (String::new(), false);
        while let Some(c) = self.rest.next() {
            match c {
                '\n' => break,
                '#' | ';' if !is_quoted => {
                    self.skip_line();
                    break;
                }
                '"' => is_quoted = !is_quoted,
                '\\' => self.escaped(&mut value),
                c => value.push(c),
            }
        }
        self.usual_if(!is_quoted);
        value.trim().to_owned()
    }

    /// What a backslash makes of the next character; the end of a line is taken away.
    fn escaped(&mut self, value: &mut String) {
        let is_plain = self.rest.next_if_eq(&'\r').is_none();
        let next = self.rest.next();
        self.usual_if(is_plain && matches!(next, Some('n' | 't' | 'b' | '\\' | '"')));
        match next {
            Some('n') => value.push('\n'),
            Some('t') => value.push('\t'),
            Some('\n') | None => {}
            Some(c) => value.push(c),
        }
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(c) = self.rest.next_if(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.')) {
            word.push(c.to_ascii_lowercase());
        }
        word
    }

    /// Nothing more is usual on this line.
    fn end_of_line(&mut self) {
        self.skip_blanks();
        let is_end = self.rest.peek().is_none_or(|c| *c == '\n');
        self.usual_if(is_end);
    }

    fn skip_blanks(&mut self) {
        while self.rest.next_if(|c| matches!(c, ' ' | '\t' | '\r')).is_some() {}
    }

    fn skip_line(&mut self) {
        while self.rest.next_if(|c| *c != '\n').is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> (Vec<String>, Form) {
        let config = GitConfig::read(text);
        let lines = config.entries.iter().map(|entry| format!("{} = {}", entry.name(), entry.value));
        (lines.collect(), config.form)
    }

    #[test]
    fn what_git_writes_is_read_as_it_means_it() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(
                told(text),
                (expected.iter().map(ToString::to_string).collect(), Form::Usual),
                "{text:?}"
            );
        };
        check("", &[]);
        check("# a\n; b\n\n", &[]);
        check("[core]\n\tbare = false\n\tPager = less -R\n", &["core.bare = false", "core.pager = less -R"]);
        check("[remote \"Origin\"]\r\n\turl = git@h:a/b.git\r\n", &["remote.Origin.url = git@h:a/b.git"]);
        check("[core]\nfsmonitor\n  editor =\n", &["core.fsmonitor = true", "core.editor = "]);
        check("[a]\nx = \"b # c\" # d\ny = e;f\nz = \\\"g\\\\\n", &["a.x = b # c", "a.y = e", "a.z = \"g\\"]);
        check("[a \"\"]\nx = 1", &["a.x = 1"]);
    }

    #[test]
    fn what_git_does_not_write_is_read_too_and_said_to_be_odd() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(
                told(text),
                (expected.iter().map(ToString::to_string).collect(), Form::Odd),
                "{text:?}"
            );
        };
        check("\u{feff}[a]\nx = 1", &["a.x = 1"]);
        check("[a] x = 1", &["a.x = 1"]);
        check("[a.B]\nx = 1", &["a.b.x = 1"]);
        check("[a \"b\\\"]c\"]\nx = 1", &["a.b\"]c.x = 1"]);
        check("[a  \"b\"]\nx = 1", &["a.b.x = 1"]);
        check("[a\"b\"]\nx = 1", &["a.b.x = 1"]);
        check("[a \"b\"c]\nx = 1", &["a.b.x = 1"]);
        check("[a]\nx = 1 \\\n2\n", &["a.x = 1 2"]);
        check("[a]\nx = 1 \\\r\n2\n", &["a.x = 1 2"]);
        check("[a]\nx = \"1\ny = 2\n", &["a.x = 1", "a.y = 2"]);
        check("[a]\nx y = 1\n", &["a.x = true"]);
        check("[a]\nx # y\n", &["a.x = true"]);
        check("[a]\nx.y = 1\n", &["a.x.y = 1"]);
        check("[a]\nx = \\q\n", &["a.x = q"]);
        check("[a]\n= 1\n", &[]);
        for broken in ["[", "[a", "[a\nx = 1", "[]", "[ a]", "[a ]", "[a\\\n]", "\u{b}", "\"", "1 = 2", "ä"]
        {
            assert_eq!(told(broken).1, Form::Odd, "{broken:?}");
        }
    }

    #[test]
    fn the_last_value_of_a_key_counts() {
        let config = GitConfig::read("[core]\nworktree = a\nWorkTree = b\n[core \"x\"]\nworktree = c\n");
        assert_eq!((config.value("core", "worktree"), config.value("core", "bare")), (Some("b"), None));
    }
}
