//! A command line as the simple commands that it is made of.
//!
//! Not a shell, but the part of its grammar that means one thing to every reader: words, quotes, lists, pipes, `$(…)`,
//! and redirections that go nowhere. Everything else has no reading here, and what has none is asked for. The
//! surprise: a word that only the shell can know (a variable, a glob) is no obstacle, as long as it is an argument.

use std::iter::Peekable;
use std::str::Chars;

/// Substitutions within substitutions; nobody writes more.
const DEEPEST: u8 = 8;

/// Words that begin something else than a simple command.
const RESERVED: [&str; 21] = [
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "select",
    "function", "time", "coproc", "in", "!", "[[", "{", "}",
];

/// A command with its arguments. The first word is always known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) words: Vec<Word>,
    /// Whether its standard input is a pipe of the line: then its words are not all that it goes by.
    pub(super) is_fed: bool,
}

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    /// Without its quotes.
    Known(String),
    /// What the shell makes of it is known to the shell alone; it may become several words, or none.
    Open,
}

impl Simple {
    /// Whether the command begins with these words.
    pub(super) fn begins_with(&self, words: &[String]) -> bool {
        let same = |(word, wanted): (&Word, &String)| matches!(word, Word::Known(known) if known == wanted);
        self.words.len() >= words.len() && self.words.iter().zip(words).all(same)
    }
}

/// All commands that the line runs, those in substitutions too; `None` where it cannot be told.
pub(super) fn parse(line: &str) -> Option<Vec<Simple>> {
    let mut parser = Parser { rest: line.chars().peekable(), commands: Vec::new(), depth: 0, is_fed: false };
    parser.list()?;
    (parser.rest.next().is_none() && !parser.commands.is_empty()).then_some(parser.commands)
}

/// A part of a word.
enum Piece {
    Text(String),
    Open,
}

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
    commands: Vec<Simple>,
    depth: u8,
    /// Whether the command that is being read, and what it substitutes, reads a pipe.
    is_fed: bool,
}

/// What stands between two commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joint {
    /// `&&`, `||`: a command must follow, on the next line perhaps.
    Open,
    /// `|`, likewise.
    Pipe,
    /// `;`
    Semicolon,
    /// A line's end; there may be nothing before it.
    Line,
    /// The end of the list.
    End,
}

impl Parser<'_> {
    /// Reads commands to the end of the text, or to the `)` that closes a substitution.
    fn list(&mut self) -> Option<()> {
        let mut must_follow = false;
        let outer = self.is_fed;
        loop {
            let words = self.words()?;
            let is_nothing = words.is_empty();
            match words.first() {
                None if must_follow => return None,
                None => {}
                Some(Word::Known(first)) if names_a_command(first) => {
                    self.commands.push(Simple { words, is_fed: self.is_fed });
                }
                Some(Word::Known(_) | Word::Open) => return None,
            }
            let joint = self.joint()?;
            // commands in a substitution share the input of the command around it
            self.is_fed = outer || joint == Joint::Pipe;
            match joint {
                Joint::End => return Some(()),
                Joint::Open | Joint::Pipe | Joint::Semicolon if is_nothing => return None,
                Joint::Open | Joint::Pipe => while self.rest.next_if(|c| " \t\n".contains(*c)).is_some() {},
                Joint::Semicolon | Joint::Line => {}
            }
            must_follow = matches!(joint, Joint::Open | Joint::Pipe);
        }
    }

    fn joint(&mut self) -> Option<Joint> {
        match self.rest.peek() {
            None => return Some(Joint::End),
            Some(')') if self.depth > 0 => return Some(Joint::End),
            Some(_) => {}
        }
        match (self.rest.next()?, self.rest.peek()) {
            ('\n', _) => Some(Joint::Line),
            (';', next) if next != Some(&';') => Some(Joint::Semicolon),
            ('&', Some('&')) | ('|', Some('|')) => self.rest.next().map(|_| Joint::Open),
            ('|', next) if next != Some(&'&') => Some(Joint::Pipe),
            _ => None,
        }
    }

    /// The words up to the next joint; redirections that go nowhere are left out.
    fn words(&mut self) -> Option<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            match self.rest.peek().copied() {
                Some(' ' | '\t') => {
                    self.rest.next();
                }
                None | Some('\n' | ';' | '&' | '|' | ')') => return Some(words),
                Some('#') => return None,
                Some(_) if self.at_redirection() => self.redirection()?,
                Some(_) => words.push(self.word()?),
            }
        }
    }

    fn at_redirection(&self) -> bool {
        let mut ahead = self.rest.clone().skip_while(char::is_ascii_digit);
        matches!(ahead.next(), Some('<' | '>'))
    }

    /// `2>&1`, `>/dev/null`, `>>/dev/null`, `</dev/null`, with or without a descriptor's number.
    fn redirection(&mut self) -> Option<()> {
        while self.rest.next_if(char::is_ascii_digit).is_some() {}
        let to = self.rest.next()? == '>';
        if to && self.rest.next_if_eq(&'&').is_some() {
            self.rest.next_if(char::is_ascii_digit)?;
            return self.rest.peek().is_none_or(|next| " \t\n;|&)".contains(*next)).then_some(());
        }
        if to {
            self.rest.next_if_eq(&'>');
        }
        while self.rest.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
        self.rest.peek()?;
        (self.word()? == Word::Known("/dev/null".to_owned())).then_some(())
    }

    fn word(&mut self) -> Option<Word> {
        let mut word: Option<Word> = None;
        while let Some(next) = self.rest.next_if(|c| !" \t\n;&|<>)".contains(*c)) {
            let in_a_word = matches!(&word, Some(Word::Known(text)) if text.ends_with(|c: char| c.is_ascii_alphanumeric()));
            let piece = match next {
                '\'' => self.single_quoted()?,
                '"' => self.double_quoted()?,
                '$' => self.dollar()?,
                '\\' => Piece::Text(self.rest.next_if(|c| c.is_ascii_graphic() || *c == ' ')?.to_string()),
                '*' | '?' | '[' | ']' | '{' | '}' => Piece::Open,
                // a home directory, but for the one in `HEAD~1`
                '~' if !in_a_word => Piece::Open,
                c if c.is_ascii_alphanumeric() || "_@%+=:,./-~^!#".contains(c) => Piece::Text(c.to_string()),
                _ => return None,
            };
            word = Some(joined(word, piece));
        }
        word
    }

    fn single_quoted(&mut self) -> Option<Piece> {
        let mut text = String::new();
        loop {
            match self.rest.next()? {
                '\'' => return Some(Piece::Text(text)),
                c => text.push(c),
            }
        }
    }

    fn double_quoted(&mut self) -> Option<Piece> {
        let mut word = Word::Known(String::new());
        loop {
            let piece = match self.rest.next()? {
                '"' => break,
                '`' => return None,
                '$' => self.dollar()?,
                '\\' => match self.rest.next()? {
                    '\n' => return None,
                    c @ ('$' | '`' | '"' | '\\') => Piece::Text(c.to_string()),
                    c => Piece::Text(format!("\\{c}")),
                },
                c => Piece::Text(c.to_string()),
            };
            word = joined(Some(word), piece);
        }
        Some(match word {
            Word::Known(text) => Piece::Text(text),
            Word::Open => Piece::Open,
        })
    }

    /// What follows a `$`: `NAME`, `{NAME}`, `(commands)`, or one of the shell's own variables.
    fn dollar(&mut self) -> Option<Piece> {
        let of_name = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
        match self.rest.next()? {
            '(' => self.substitution()?,
            '{' => {
                self.rest.next_if(|c| of_name(c) && !c.is_ascii_digit())?;
                while self.rest.next_if(of_name).is_some() {}
                self.rest.next_if_eq(&'}')?;
            }
            c if c.is_ascii_alphabetic() || c == '_' => while self.rest.next_if(of_name).is_some() {},
            c => (c.is_ascii_digit() || "?#$@*".contains(c)).then_some(())?,
        }
        Some(Piece::Open)
    }

    fn substitution(&mut self) -> Option<()> {
        // `$((` is arithmetic
        if self.rest.peek() == Some(&'(') || self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let is_fed = self.is_fed;
        self.list()?;
        self.is_fed = is_fed;
        self.depth -= 1;
        self.rest.next_if_eq(&')').map(|_| ())
    }
}

fn joined(word: Option<Word>, piece: Piece) -> Word {
    match (word, piece) {
        (None, Piece::Text(text)) => Word::Known(text),
        (Some(Word::Known(word)), Piece::Text(text)) => Word::Known(word + &text),
        (_, Piece::Open) | (Some(Word::Open), Piece::Text(_)) => Word::Open,
    }
}

/// Whether a first word is the name of a command, and not a word of the grammar, an assignment, a job or an option.
fn names_a_command(word: &str) -> bool {
    !word.is_empty() && !RESERVED.contains(&word) && !word.contains('=') && !word.starts_with(['%', '-'])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands, parted by bars; `…` stands for what only the shell knows.
    fn shown(line: &str) -> Option<String> {
        let word = |word: &Word| match word {
            Word::Known(word) => word.clone(),
            Word::Open => "…".to_owned(),
        };
        let commands = parse(line)?;
        let commands: Vec<String> = commands
            .iter()
            .map(|command| command.words.iter().map(word).collect::<Vec<_>>().join(" "))
            .collect();
        Some(commands.join(" | "))
    }

    #[test]
    fn a_line_is_read_as_its_commands() {
        let check = |line: &str, expected: &str| assert_eq!(shown(line).as_deref(), Some(expected), "{line}");
        check("git status -s", "git status -s");
        check(" a  b\t c ", "a b c");
        check("a && b || c; d | e", "a | b | c | d | e");
        check("a\n\nb;\nc &&\n d\n", "a | b | c | d");
        check("echo 'a; b' \"c | d\" e\\ f", "echo a; b c | d e f");
        check("grep \"a\\|b\\\"\" x", "grep a\\|b\" x");
        check("find . -name '*.rs' \\( -type f \\)", "find . -name *.rs ( -type f )");
        check("a 2>&1 | b >/dev/null 2> /dev/null", "a | b");
        check("a >>/dev/null </dev/null x", "a x");
        check("ls *.rs $X ${Y} \"$Z\" ~/a {a,b} $? HEAD~1 a#b", "ls … … … … … … … HEAD~1 a#b");
        check("echo $(git log) \"x $(ls a | wc)\"", "git log | ls a | wc | echo … …");
        check("echo '' \"\"", "echo  ");
    }

    #[test]
    fn a_command_behind_a_pipe_is_fed_and_so_is_what_it_substitutes() {
        let check = |line: &str, expected: &str| {
            let fed = parse(line).unwrap().into_iter().filter(|command| command.is_fed);
            let first = |command: Simple| match command.words.into_iter().next() {
                Some(Word::Known(word)) => word,
                Some(Word::Open) | None => "…".to_owned(),
            };
            assert_eq!(fed.map(first).collect::<Vec<_>>().join(" "), expected, "{line}");
        };
        check("a; b && c || d", "");
        check("a | b", "b");
        check("a | b | c; d", "b c");
        check("a |\n b && c", "b");
        check("a | b $(c; d)", "c d b");
        check("a $(b | c) && d $(e)", "c");
        check("a | b \"$(c $(d))\"; e $(f)", "d c b");
    }

    #[test]
    fn what_could_mean_something_else_has_no_reading() {
        let lists = "¦ ¦;¦a;;b¦a ; ; b¦&& a¦a &&¦a |¦a &¦a & b¦a |& b¦(a)¦a)¦{ a; }";
        let redirections = "a > b¦a >> b¦a < b¦a <<E\nE¦a <<< b¦a <(b)¦a >(b)¦a >| b¦a <> b¦a &> b¦a >&2b¦a > /dev/null2¦a 2>&";
        let expansions =
            "`a`¦a `b`¦a \"`b`\"¦$(a¦$((1))¦a $((x[$(b)]))¦a ${x:=y}¦a ${x¦a ${}¦a $'b'¦a $\"b\"¦a $¦a $-";
        let quotes = "'a¦\"a¦a \\¦a \\\n b¦# a¦a # b¦a\rb¦a\u{a0}b¦a é¦a \u{1}";
        let names = "A=b¦A=b a¦'A=b' a¦if a¦while a¦! a¦[[ a ]]¦time a¦$x a¦*¦~/a¦%1¦-a¦'' a¦a && { b";
        for line in [lists, redirections, expansions, quotes, names].iter().flat_map(|lines| lines.split('¦'))
        {
            assert_eq!(shown(line), None, "{line:?}");
        }
    }

    #[test]
    fn substitutions_end_somewhere() {
        let nested = |depth: usize| format!("a {}b{}", "$(a ".repeat(depth), ")".repeat(depth));
        assert!(parse(&nested(usize::from(DEEPEST))).is_some());
        assert!(parse(&nested(usize::from(DEEPEST) + 1)).is_none());
    }

    proptest::proptest! {
        #[test]
        fn nothing_upsets_the_reading(line in "[ -~\\n]{0,40}") {
            for command in parse(&line).unwrap_or_default() {
                proptest::prop_assert!(matches!(command.words.first(), Some(Word::Known(_))));
            }
        }
    }
}
