//! A command line read as a shell would run it, as far as that can be told without running it.
//!
//! Not the reading by which a command is let through: that is `shell`, which has no reading for what it does not fully
//! understand. This one never gives up. It is there to hold back: variables that are known are put in, quotes and escapes are
//! taken off, and what runs other commands (`env`, `xargs`, `bash -c`, `find -exec`, here-documents) is looked into. What only
//! the shell can know is [`UNKNOWN`], a character that no command line can have. A script's file is not opened, and a
//! program in another language is not read.

mod builtin;
mod fields;
mod inner;
mod redirect;
mod signs;

use std::collections::HashMap;
use std::iter::Peekable;
use std::path::PathBuf;
use std::str::Chars;

use self::fields::Sign;
pub(super) use self::inner::starts;
use super::scope::Scope;
use super::words::name;
use crate::protocol::ExecAccess;

/// What stands in a word for a part of it that only the shell knows.
pub(super) const UNKNOWN: char = '\0';

/// What stands behind a directory for anything that a search has found below it.
pub(super) const BELOW: &str = "/\0\0";

/// Readings within readings; nobody writes more.
const DEEPEST: u8 = 8;
/// Ways in which the words of one command may come.
const WAYS: usize = 16;
/// Commands of one line; what stands beyond is not looked at.
const MOST: usize = 512;

/// A command that the line would run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// The program and its arguments.
    pub(super) words: Vec<String>,
    /// Where it would run, where that is known.
    pub(super) cwd: Option<PathBuf>,
    /// The files that it would empty: `> file`.
    pub(super) empties: Vec<String>,
    /// The files that it would write into without emptying them: `>> file`, `<> file`.
    pub(super) grows: Vec<String>,
    /// Other files that it would open: `< file`.
    pub(super) opens: Vec<String>,
    /// What comes into it, where that is text of the line itself.
    stdin: Option<String>,
    /// The words of the command whose output comes into it.
    pub(super) source: Option<Vec<String>>,
}

/// Every command of the line, each before those that it would run itself.
pub(super) fn read(exec: &ExecAccess, scope: &Scope) -> Vec<Command> {
    let mut found = Vec::new();
    let state = State { cwd: Some(exec.cwd.clone()), variables: HashMap::new() };
    run(&exec.command, state, &mut Scene { scope, line: &exec.command, found: &mut found, depth: 0 });
    found
}

/// What the reading of a text hangs on.
struct Scene<'a> {
    scope: &'a Scope,
    /// All of the line, for whoever wants to know whether something stands in it.
    line: &'a str,
    found: &'a mut Vec<Command>,
    depth: u8,
}

/// What changes from command to command.
#[derive(Debug, Clone)]
struct State {
    cwd: Option<PathBuf>,
    variables: HashMap<String, Value>,
}

/// What a variable holds.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Known(String),
    /// One of these: a loop's variable.
    OneOf(Vec<String>),
    Unknown,
}

/// Reads `text`; returns what has changed by it.
fn run(text: &str, state: State, scene: &mut Scene<'_>) -> State {
    if scene.depth == DEEPEST {
        return state;
    }
    scene.depth += 1;
    let text = text.replace("\\\n", "");
    let mut reader = Reader {
        rest: text.chars().peekable(),
        scene,
        state,
        outer: Vec::new(),
        draft: Command::default(),
        ways: Vec::new(),
        last: None,
        pipe: None,
        documents: Vec::new(),
    };
    reader.list();
    let state = reader.state;
    scene.depth -= 1;
    state
}

/// A reader of one text.
struct Reader<'a, 'b> {
    rest: Peekable<Chars<'a>>,
    scene: &'a mut Scene<'b>,
    state: State,
    /// The states to come back to at `)`.
    outer: Vec<State>,
    /// The command that is being read.
    draft: Command,
    /// Its words, in every way in which they may come, where that is more than one: the first are those of the draft.
    ways: Vec<Vec<String>>,
    /// What the command before it puts out.
    last: Option<Feed>,
    /// What comes into it.
    pipe: Option<Feed>,
    /// Here-documents whose text begins on the next line: how each ends.
    documents: Vec<String>,
}

/// What a command puts out, as far as it matters to the next one.
#[derive(Debug, Clone)]
struct Feed {
    /// The command that it comes from.
    words: Vec<String>,
    /// The text, where it stands in the line.
    text: Option<String>,
}

/// Programs that pass on what comes in.
const FILTERS: [&str; 10] = ["awk", "cat", "cut", "grep", "head", "sed", "sort", "tail", "tr", "uniq"];

/// Words of the grammar that stand before a command and say nothing about it.
const GRAMMAR: [&str; 14] =
    ["if", "then", "elif", "else", "fi", "while", "until", "do", "done", "{", "}", "!", "time", "coproc"];

impl Reader<'_, '_> {
    fn list(&mut self) {
        while let Some(next) = self.rest.peek().copied() {
            match next {
                ' ' | '\t' | '\r' => {
                    self.rest.next();
                }
                '\n' => {
                    self.rest.next();
                    self.documents();
                    self.end();
                }
                '#' => while self.rest.next_if(|c| *c != '\n').is_some() {},
                '|' => self.bar(),
                ';' | '&' | '(' | ')' => self.joint(next),
                '<' | '>' if self.draft.words.first().is_some_and(|word| word == "[[") => {
                    self.rest.next();
                }
                '<' | '>' if self.substitutes() => self.word(),
                '<' | '>' => self.redirection(),
                _ => self.word(),
            }
        }
        self.end();
    }

    /// Whether `<(` or `>(` stands here.
    fn substitutes(&self) -> bool {
        self.rest.clone().nth(1) == Some('(')
    }

    fn bar(&mut self) {
        self.rest.next();
        let is_pipe = self.rest.next_if_eq(&'|').is_none();
        self.rest.next_if_eq(&'&');
        self.end();
        self.pipe = self.last.take().filter(|_| is_pipe);
    }

    fn joint(&mut self, joint: char) {
        self.rest.next();
        match joint {
            '&' if self.rest.peek() == Some(&'>') => self.redirection(),
            '(' if self.draft.words.is_empty() && self.rest.next_if_eq(&'(').is_some() => {
                // arithmetic
                self.balanced(')');
                self.rest.next_if_eq(&')');
            }
            '(' if self.draft.words.is_empty() => self.outer.push(self.state.clone()),
            ')' => {
                self.end();
                if let Some(state) = self.outer.pop() {
                    self.state = state;
                }
            }
            _ => self.end(),
        }
    }

    /// The word at which the reading stands, with what it becomes.
    fn word(&mut self) {
        let signs = self.signs();
        if self.draft.words.is_empty() && self.keyword(&signs) {
            return;
        }
        if self.draft.words.is_empty()
            && let Some((name, value)) = assignment(&signs)
        {
            let values = match self.rest.peek() {
                Some('(') if value.is_empty() => self.array(),
                _ => fields::each(&value, self.home()),
            };
            self.assign(&name, values);
            return;
        }
        if signs == [Sign::Bare('{')] && program(&self.draft.words) == "function" {
            return self.end();
        }
        let is_descriptor = signs.iter().all(|sign| matches!(sign, Sign::Bare(c) if c.is_ascii_digit()));
        if is_descriptor && matches!(self.rest.peek(), Some('<' | '>')) {
            return self.redirection();
        }
        self.add(&fields::split(&signs, self.home()));
    }

    /// The words of `(…)` behind the sign of an assignment.
    fn array(&mut self) -> Vec<String> {
        self.rest.next();
        let mut words = Vec::new();
        while let Some(next) = self.rest.peek().copied() {
            match next {
                ')' => {
                    self.rest.next();
                    break;
                }
                ' ' | '\t' | '\n' | '\r' => drop(self.rest.next()),
                '<' | '>' | '|' | ';' | '&' | '(' => break,
                _ => {
                    let signs = self.signs();
                    words.extend(fields::split(&signs, self.home()).concat());
                }
            }
        }
        words
    }

    /// One more word, in each of its ways.
    fn add(&mut self, lists: &[Vec<String>]) {
        if let ([], [list]) = (self.ways.as_slice(), lists) {
            self.draft.words.extend_from_slice(list);
            return;
        }
        if self.ways.is_empty() {
            self.ways.push(self.draft.words.clone());
        }
        let longer =
            |way: &Vec<String>| lists.iter().map(|list| [way.as_slice(), list].concat()).collect::<Vec<_>>();
        self.ways = self.ways.iter().flat_map(longer).take(WAYS).collect();
        self.draft.words = self.ways.first().cloned().unwrap_or_default();
    }

    /// Whether it was a word of the grammar, with what belongs to it.
    fn keyword(&mut self, signs: &[Sign]) -> bool {
        let bare = signs.iter().map(|sign| match sign {
            Sign::Bare(c) => Some(*c),
            Sign::Quoted(_) | Sign::Nothing | Sign::Split | Sign::OneOf(_) => None,
        });
        let Some(word) = bare.collect::<Option<String>>() else { return false };
        if word == "for" || word == "select" {
            self.loop_head();
        }
        GRAMMAR.contains(&word.as_str()) || word == "for" || word == "select"
    }

    /// `NAME in WORDS`: in the loop the variable is one of these.
    fn loop_head(&mut self) {
        let mut words = Vec::new();
        loop {
            while self.rest.next_if(|c| " \t".contains(*c)).is_some() {}
            match self.rest.peek() {
                None | Some('\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>') => break,
                Some(_) => {
                    let signs = self.signs();
                    words.extend(fields::split(&signs, self.home()).concat());
                }
            }
        }
        let mut words = words.into_iter();
        if let Some(variable) = words.next() {
            let values: Vec<String> = words.skip_while(|word| word == "in").collect();
            let value = if values.is_empty() { Value::Unknown } else { Value::OneOf(values) };
            self.state.variables.insert(variable, value);
        }
    }

    /// The command is read; what it does to those after it is done.
    fn end(&mut self) {
        let mut command = std::mem::take(&mut self.draft);
        let ways = std::mem::take(&mut self.ways);
        if command == Command::default() {
            return;
        }
        command.cwd.clone_from(&self.state.cwd);
        if let Some(Feed { words, text }) = self.pipe.take() {
            command.source = Some(words);
            command.stdin = command.stdin.or(text);
        }
        let passes_on = FILTERS.contains(&program(&command.words));
        let words = command.source.clone().filter(|_| passes_on).unwrap_or_else(|| command.words.clone());
        self.last = Some(Feed { words, text: command.stdin.clone().filter(|_| passes_on) });
        self.take(&command);
        for words in ways.into_iter().skip(1) {
            let other = Command { words, ..command.clone() };
            self.scene.found.push(other.clone());
            inner::look_into(self, &other);
        }
    }

    /// Puts a command to the others, with all that it would run itself.
    fn take(&mut self, command: &Command) {
        if self.scene.found.len() >= MOST {
            return;
        }
        self.scene.found.push(command.clone());
        self.change(command);
        inner::look_into(self, command);
    }
}

/// `NAME=value`, `NAME+=value`: the name, and the signs of the value.
fn assignment(signs: &[Sign]) -> Option<(String, Vec<Sign>)> {
    let at = signs.iter().position(|sign| *sign == Sign::Bare('='))?;
    let letters = signs.get(..at)?.iter().map(|sign| match sign {
        Sign::Bare(c) => Some(*c),
        Sign::Quoted(_) | Sign::Nothing | Sign::Split | Sign::OneOf(_) => None,
    });
    let name: String = letters.collect::<Option<_>>()?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let plain = name.strip_suffix('+').unwrap_or(&name);
    let begins = plain.chars().next().is_some_and(|c| !c.is_ascii_digit());
    (begins && plain.chars().all(is_name))
        .then(|| (name.clone(), signs.get(at + 1..).unwrap_or_default().to_vec()))
}

/// The name of a program without its path.
pub(super) fn name_of(word: &str) -> &str {
    name(word)
}

/// The program that a command runs, without its path.
pub(super) fn program(words: &[String]) -> &str {
    words.first().map_or("", |word| name(word))
}

#[cfg(test)]
mod tests;
