//! The signs of one word: quotes, escapes, and what a `$` stands for.
//!
//! A variable that nothing has set is empty, as in the shell: `rm -rf "$DIR/"*` without a `DIR` is a delete of everything.
//! That is known only where the whole environment was handed in and the line itself does nothing that could set it.

use std::path::Path;

use super::fields::Sign;
use super::{Reader, State, UNKNOWN, Value, run};

/// Variables that the shell itself sets.
const OF_THE_SHELL: [&str; 14] = [
    "BASH", "DIRSTACK", "EUID", "FUNCNAME", "GROUPS", "HOSTNAME", "HOSTTYPE", "LINENO", "MACHTYPE", "OLDPWD",
    "OSTYPE", "PPID", "RANDOM", "UID",
];

impl Reader<'_, '_> {
    /// The word at which the reading stands, to its end.
    pub(super) fn signs(&mut self) -> Vec<Sign> {
        let mut signs = Vec::new();
        while let Some(next) = self.rest.peek().copied() {
            match next {
                '<' | '>' if signs.is_empty() => {
                    self.rest.next();
                    self.substitution(&mut signs);
                }
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                _ => {
                    self.rest.next();
                    self.sign(next, &mut signs);
                }
            }
        }
        signs
    }

    fn sign(&mut self, first: char, signs: &mut Vec<Sign>) {
        match first {
            '\\' => signs.extend(self.rest.next().map(Sign::Quoted)),
            '\'' => {
                signs.push(Sign::Nothing);
                while let Some(c) = self.rest.next().filter(|c| *c != '\'') {
                    signs.push(Sign::Quoted(c));
                }
            }
            '"' => self.quoted(signs),
            '`' => self.backticks(signs),
            '$' => self.dollar(Parting::AtSpaces, signs),
            c => signs.push(Sign::Bare(c)),
        }
    }

    fn quoted(&mut self, signs: &mut Vec<Sign>) {
        signs.push(Sign::Nothing);
        while let Some(c) = self.rest.next().filter(|c| *c != '"') {
            match c {
                '\\' => match self.rest.next() {
                    Some(c @ ('$' | '`' | '"' | '\\')) => signs.push(Sign::Quoted(c)),
                    other => signs.extend(std::iter::once('\\').chain(other).map(Sign::Quoted)),
                },
                '`' => self.backticks(signs),
                '$' => self.dollar(Parting::Nowhere, signs),
                c => signs.push(Sign::Quoted(c)),
            }
        }
    }

    /// `<(…)` and `>(…)`; any other `<` or `>` is left out.
    fn substitution(&mut self, signs: &mut Vec<Sign>) {
        if self.rest.next_if_eq(&'(').is_some() {
            let text = self.balanced(')');
            self.nested(&text);
            signs.push(Sign::Quoted(UNKNOWN));
        }
    }

    fn backticks(&mut self, signs: &mut Vec<Sign>) {
        let mut text = String::new();
        while let Some(c) = self.rest.next().filter(|c| *c != '`') {
            let escaped = self.rest.next_if(|next| c == '\\' && "$`\\".contains(*next));
            text.push(escaped.unwrap_or(c));
        }
        let output = self.output_of(&text);
        put(&output, Parting::AtSpaces, signs);
    }

    fn dollar(&mut self, parting: Parting, signs: &mut Vec<Sign>) {
        let of_name = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
        match self.rest.peek().copied() {
            Some('(') => {
                self.rest.next();
                let text = self.balanced(')');
                let output = if text.starts_with('(') { UNKNOWN.to_string() } else { self.output_of(&text) };
                put(&output, parting, signs);
            }
            Some('{') => {
                self.rest.next();
                let text = self.balanced('}');
                self.braces(&text, parting, signs);
            }
            Some('\'') if parting == Parting::AtSpaces => {
                self.rest.next();
                self.escaped(signs);
            }
            Some('"') if parting == Parting::AtSpaces => {
                self.rest.next();
                self.quoted(signs);
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let mut name = String::new();
                while let Some(c) = self.rest.next_if(of_name) {
                    name.push(c);
                }
                self.variable(&name, parting, signs);
            }
            Some(c) if c.is_ascii_digit() || "?#$@*!-".contains(c) => {
                self.rest.next();
                self.variable(&c.to_string(), parting, signs);
            }
            Some(_) | None => signs.push(Sign::Quoted('$')),
        }
    }

    /// `$'…'`, with C's escapes.
    fn escaped(&mut self, signs: &mut Vec<Sign>) {
        signs.push(Sign::Nothing);
        while let Some(c) = self.rest.next().filter(|c| *c != '\'') {
            let meant = if c == '\\' { self.escape() } else { Some(c) };
            signs.extend(meant.map(Sign::Quoted));
        }
    }

    fn escape(&mut self) -> Option<char> {
        let number = |reader: &mut Self, base: u32, most: usize, first: Option<char>| {
            let mut digits: String = first.into_iter().collect();
            while digits.len() < most
                && let Some(c) = reader.rest.next_if(|c| c.is_digit(base))
            {
                digits.push(c);
            }
            u32::from_str_radix(&digits, base).ok().and_then(char::from_u32)
        };
        match self.rest.next()? {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            'e' | 'E' => Some('\u{1b}'),
            'x' => number(self, 16, 2, None),
            'u' => number(self, 16, 4, None),
            'U' => number(self, 16, 8, None),
            c @ '0'..='7' => number(self, 8, 3, Some(c)),
            c => Some(c),
        }
    }

    /// What stands between `${` and `}`: a name, and perhaps what is to be made of it.
    fn braces(&mut self, text: &str, parting: Parting, signs: &mut Vec<Sign>) {
        let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
        let (name, operator) = text.split_at(end);
        let default = [":-", ":=", "-", "="].iter().find_map(|sign| operator.strip_prefix(sign));
        let value = self.value(name);
        match (operator, value, default) {
            _ if name.is_empty() => signs.push(Sign::Quoted(UNKNOWN)),
            // of an array each may be meant
            ("" | "[@]" | "[*]" | "[0]", _, _) => self.variable(name, parting, signs),
            (_, Value::Known(value), Some(default)) if value.is_empty() => {
                let words = self.text_of(default);
                put(&words, parting, signs);
            }
            (_, Value::Known(value), Some(_)) => put(&value, parting, signs),
            // it may be set or not
            (_, Value::Unknown | Value::OneOf(_), Some(default)) => {
                let words = self.text_of(default);
                signs.push(Sign::OneOf(vec![UNKNOWN.to_string(), words]));
            }
            ("%/", Value::Known(value), _) => {
                put(value.strip_suffix('/').unwrap_or(&value), parting, signs);
            }
            (operator, Value::Known(value), _)
                if operator.trim_start_matches(':').starts_with('?') && !value.is_empty() =>
            {
                put(&value, parting, signs);
            }
            _ => signs.push(Sign::Quoted(UNKNOWN)),
        }
    }

    /// A text as it would be in double quotes.
    fn text_of(&mut self, text: &str) -> String {
        let mut reader = Reader {
            rest: text.chars().peekable(),
            scene: &mut *self.scene,
            state: self.state.clone(),
            outer: Vec::new(),
            draft: super::Command::default(),
            ways: Vec::new(),
            last: None,
            pipe: None,
            documents: Vec::new(),
        };
        let mut signs = Vec::new();
        while let Some(c) = reader.rest.next() {
            reader.sign(c, &mut signs);
        }
        let home = reader.home().to_owned();
        super::fields::one(&signs, &home)
    }

    fn variable(&mut self, name: &str, parting: Parting, signs: &mut Vec<Sign>) {
        match self.value(name) {
            Value::Known(value) => put(&value, parting, signs),
            Value::OneOf(values) => signs.push(Sign::OneOf(values)),
            Value::Unknown => signs.push(Sign::Quoted(UNKNOWN)),
        }
    }

    fn value(&self, name: &str) -> Value {
        if let Some(value) = self.state.variables.get(name) {
            return value.clone();
        }
        let path =
            |path: Option<&Path>| path.and_then(Path::to_str).map(|text| Value::Known(text.to_owned()));
        let scope = self.scene.scope;
        let known = match name {
            "HOME" => path(scope.home.as_deref()),
            "PWD" => Some(path(self.state.cwd.as_deref()).unwrap_or(Value::Unknown)),
            "TMPDIR" if scope.variables.get(name).is_none() => {
                path(scope.temporary.first().map(AsRef::as_ref))
            }
            "IFS" => Some(Value::Known(" ".to_owned())),
            // nothing is handed to a line, unless it does so itself
            "@" | "*" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" => {
                let is_set =
                    ["set ", "()", "shift", "function "].iter().any(|word| self.scene.line.contains(word));
                Some(if is_set { Value::Unknown } else { Value::Known(String::new()) })
            }
            _ => None,
        };
        known.unwrap_or_else(|| self.of_environment(name))
    }

    fn of_environment(&self, name: &str) -> Value {
        let variables = &self.scene.scope.variables;
        if let Some(value) = variables.get(name) {
            return Value::Known(value.to_owned());
        }
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let is_unset =
            variables.are_all() && is_name && !name.starts_with("BASH") && !OF_THE_SHELL.contains(&name);
        if is_unset && !may_be_set(name, self.scene.line) {
            Value::Known(String::new())
        } else {
            Value::Unknown
        }
    }

    /// What a substitution puts in; its commands are read with the others.
    fn output_of(&mut self, text: &str) -> String {
        let before = self.scene.found.len();
        self.nested(text);
        let commands: Vec<Vec<String>> =
            self.scene.found.iter().skip(before).map(|command| command.words.clone()).collect();
        let scope = self.scene.scope;
        let known = |path: Option<&Path>| path.and_then(Path::to_str).map(str::to_owned);
        let output = match commands.as_slice() {
            [walks @ .., last] if !walks.is_empty() => {
                let is_cd = |words: &Vec<String>| words.first().is_some_and(|word| word == "cd");
                let at = self.scene.found.last().and_then(|command| command.cwd.as_deref());
                known(at.filter(|_| last == &["pwd"] && walks.iter().all(is_cd)))
            }
            [only] => match only.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
                ["pwd"] => known(self.state.cwd.as_deref()),
                ["git", "rev-parse", "--show-toplevel"] => known(Some(&scope.project)),
                ["dirname", path] => known(Path::new(path).parent()),
                ["mktemp", ..] => {
                    known(scope.temporary.first().map(AsRef::as_ref)).map(|path| path + "/mktemp")
                }
                ["printf", text] if !text.contains(['%', '\\']) => Some((*text).to_owned()),
                ["printf", "%s" | "%s\\n", words @ ..] => Some(words.join(" ")),
                ["echo", words @ ..] if !words.first().is_some_and(|word| word.starts_with('-')) => {
                    Some(words.join(" "))
                }
                _ => None,
            },
            _ => None,
        };
        let output = output.or_else(|| self.listing(before));
        output.unwrap_or_else(|| UNKNOWN.to_string())
    }

    /// The files that the commands from this one on list, perhaps through filters.
    fn listing(&self, from: usize) -> Option<String> {
        let last = self.scene.found.get(from..)?.last()?;
        let is_filter = super::FILTERS.contains(&super::program(&last.words));
        let words = last.source.as_ref().filter(|_| is_filter).unwrap_or(&last.words);
        super::inner::listed(words).map(|places| places.join(" "))
    }

    /// Reads commands that change nothing here.
    pub(super) fn nested(&mut self, text: &str) {
        let state: State = self.state.clone();
        run(text, state, self.scene);
    }

    /// The text up to the sign that closes, which is left out.
    pub(super) fn balanced(&mut self, close: char) -> String {
        let open = if close == ')' { '(' } else { '{' };
        let (mut text, mut depth) = (String::new(), 0_usize);
        let mut documents = Vec::new();
        while let Some(c) = self.rest.next() {
            match c {
                '<' if close == ')' && depth == 0 && self.rest.peek() == Some(&'<') => {
                    text.push(c);
                    documents.extend(self.marker(&mut text));
                    continue;
                }
                '\n' if !documents.is_empty() => {
                    text.push(c);
                    documents.drain(..).for_each(|end| self.copy_document(&end, &mut text));
                    continue;
                }
                _ if c == close && depth == 0 => break,
                _ if c == close => depth -= 1,
                _ if c == open => depth += 1,
                '\\' => {
                    text.push(c);
                    text.extend(self.rest.next());
                    continue;
                }
                '\'' | '"' => {
                    text.push(c);
                    self.copy_quoted(c, &mut text);
                    continue;
                }
                _ => {}
            }
            text.push(c);
        }
        text
    }

    fn copy_quoted(&mut self, quote: char, text: &mut String) {
        while let Some(c) = self.rest.next() {
            text.push(c);
            if c == '\\' && quote == '"' {
                text.extend(self.rest.next());
            } else if c == quote {
                return;
            }
        }
    }
}

/// Whether a word ends where a variable brings a space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parting {
    AtSpaces,
    Nowhere,
}

fn put(text: &str, parting: Parting, signs: &mut Vec<Sign>) {
    signs.extend(text.chars().map(|c| match parting {
        Parting::AtSpaces if c.is_whitespace() => Sign::Split,
        Parting::AtSpaces | Parting::Nowhere => Sign::Quoted(c),
    }));
}

/// Whether something in the line may set this variable: its name stands there without a `$`, or a file is read in.
fn may_be_set(name: &str, line: &str) -> bool {
    let of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let reads_in = ["source ", ". ", "eval ", "read ", "set -a"].iter().any(|word| line.contains(word));
    reads_in
        || line.match_indices(name).any(|(at, _)| {
            let (before, from) = line.split_at(at);
            let after = from.strip_prefix(name).unwrap_or_default();
            let is_whole = !before.ends_with(of_name) && !after.starts_with(of_name);
            is_whole && !before.ends_with('$') && !before.ends_with("${")
        })
}
