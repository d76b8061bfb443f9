//! A command line as words and what stands between them: the part of the shell's grammar that leaves no doubt.
//!
//! Not the reading of `shell`, which serves rules that a user has written and passes over what only the shell can know.
//! Here nobody has said yes, so what is not listed has no reading: no variable, no substitution, no brace list but of plain
//! words, no assignment, no comment, no redirection but to nowhere. The surprise: quotes and backslashes are taken away in
//! earnest. What was hidden by them (`-ex\ec`, `"-"delete`) stands bare before whoever looks at the words, and what
//! runs is written anew from them.

/// Words that one with brace lists may become.
const MOST: usize = 64;

/// Longer lines are programs; nobody reads them at a glance.
const LONGEST: usize = 16_384;

/// A simple command as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    /// What stands before it.
    pub(super) joint: Joint,
    /// At least one.
    pub(super) words: Vec<Word>,
    /// Where its output goes, in order.
    pub(super) redirections: Vec<Redirection>,
}

/// What stands between two commands.
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

/// A redirection that reads and writes no file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
}

/// A word without its quotes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Word(pub(super) Vec<Letter>);

/// A character of a word.
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

/// The redirections, in every way to write them.
const REDIRECTIONS: [(&str, Redirection); 13] = [
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
    /// As every shell reads it.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::ErrorsToOutput => "2>&1",
            Self::OutputToErrors => ">&2",
            Self::NoErrors => "2>/dev/null",
            Self::NoOutput => ">/dev/null",
            Self::Silent => ">/dev/null 2>&1",
            Self::NoInput => "</dev/null",
        }
    }
}

impl Word {
    /// The word, where no part of it is a pattern.
    pub(super) fn literal(&self) -> Option<String> {
        let text = |letter: &Letter| match letter {
            Letter::Text(c) => Some(*c),
            Letter::One | Letter::Many | Letter::Of(_) => None,
        };
        self.0.iter().map(text).collect()
    }

    fn push(&mut self, text: &str) {
        self.0.extend(text.chars().map(Letter::Text));
    }

    /// Whether the last character is a plain letter or digit, after which `~` and `#` mean nothing.
    fn is_in_name(&self) -> bool {
        matches!(self.0.last(), Some(Letter::Text(c)) if c.is_ascii_alphanumeric() || *c == '~')
    }
}

/// All commands of the line; `None` where a shell might see another line.
pub(super) fn read(line: &str) -> Option<Vec<Written>> {
    let mut reader = Reader { rest: Some(line).filter(|line| line.len() <= LONGEST)? };
    let mut commands: Vec<Written> = Vec::new();
    let mut joint = Joint::Next;
    loop {
        let may_be_nothing = joint == Joint::Next;
        let command = reader.command(joint)?;
        let is_nothing = command.words.is_empty();
        if is_nothing && !may_be_nothing {
            return None;
        }
        commands.extend((!is_nothing).then_some(command));
        match reader.end()? {
            End::Line if reader.rest.is_empty() => break,
            End::Line => joint = Joint::Next,
            End::Joint(_) if is_nothing => return None,
            End::Joint(next) => joint = next,
        }
        if joint != Joint::Next {
            reader.skip(" \n");
        }
    }
    (!commands.is_empty()).then_some(commands)
}

/// Whether a character may stand in quotes. Letters of any script may: no name of a command and no option has one.
pub(super) fn is_text(c: char) -> bool {
    matches!(c, ' '..='~') || (!c.is_ascii() && c.is_alphanumeric())
}

/// How a command ends.
enum End {
    /// With its line or the text.
    Line,
    /// Before another command.
    Joint(Joint),
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut rest = self.rest.chars();
        let next = rest.next();
        self.rest = rest.as_str();
        next
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn skip(&mut self, letters: &str) {
        self.rest = self.rest.trim_start_matches(|c: char| letters.contains(c));
    }

    fn at_end_of_word(&self) -> bool {
        self.peek().is_none_or(|next| " \n;&|".contains(next))
    }

    fn command(&mut self, joint: Joint) -> Option<Written> {
        let mut command = Written { joint, words: Vec::new(), redirections: Vec::new() };
        loop {
            self.skip(" ");
            if let Some(redirection) = self.redirection() {
                // a redirection before the name is nothing that anybody writes
                (!command.words.is_empty() && self.at_end_of_word()).then_some(())?;
                command.redirections.push(redirection);
            } else if self.at_end_of_word() {
                return Some(command);
            } else {
                let words = self.words()?;
                // of several the first would be the command
                (words.len() == 1 || !command.words.is_empty()).then_some(())?;
                command.words.extend(words);
            }
        }
    }

    fn redirection(&mut self) -> Option<Redirection> {
        let (text, redirection) = REDIRECTIONS.iter().find(|(text, _)| self.rest.starts_with(text))?;
        self.eat(text);
        Some(*redirection)
    }

    fn end(&mut self) -> Option<End> {
        match self.peek() {
            None => Some(End::Line),
            Some('\n') => self.next().map(|_| End::Line),
            Some(_) if self.eat("&&") => Some(End::Joint(Joint::And)),
            Some(_) if self.eat("||") => Some(End::Joint(Joint::Or)),
            Some(_) if self.rest.starts_with("|&") || self.rest.starts_with(";;") => None,
            Some(_) if self.eat("|") => Some(End::Joint(Joint::Pipe)),
            Some(_) if self.eat(";") => Some(End::Joint(Joint::Next)),
            Some(_) => None,
        }
    }

    /// A word, or those that its brace lists make of it.
    fn words(&mut self) -> Option<Vec<Word>> {
        let mut words = vec![self.word()?];
        while let Some(items) = self.list() {
            let after = if self.at_end_of_word() { Word::default() } else { self.word()? };
            let joined = |word: &Word, item: &str| {
                let mut joined = word.clone();
                joined.push(item);
                joined.0.extend_from_slice(&after.0);
                joined
            };
            words = words.iter().flat_map(|word| items.iter().map(|item| joined(word, item))).collect();
            (words.len() <= MOST).then_some(())?;
        }
        Some(words)
    }

    /// `{a,b.rs}`: plain words, none of which is empty.
    fn list(&mut self) -> Option<Vec<String>> {
        let (inner, rest) = self.rest.strip_prefix('{')?.split_once('}')?;
        let items: Vec<String> = inner.split(',').map(str::to_owned).collect();
        let is_plain = |item: &String| {
            !item.is_empty() && item.chars().all(|c| c.is_ascii_alphanumeric() || "_./-".contains(c))
        };
        (items.len() > 1 && items.iter().all(is_plain)).then_some(())?;
        self.rest = rest;
        Some(items)
    }

    /// A word up to its end or a brace list.
    fn word(&mut self) -> Option<Word> {
        let mut word = Word::default();
        for alone in ["!", "[", "]"] {
            let after = self.rest.strip_prefix(alone).map(|rest| Reader { rest });
            if after.is_some_and(|after| after.at_end_of_word()) {
                self.eat(alone);
                word.push(alone);
                return Some(word);
            }
        }
        while !self.at_end_of_word() && !self.at_list() {
            match self.next()? {
                '\'' => self.single_quoted(&mut word)?,
                '"' => self.double_quoted(&mut word)?,
                '\\' => {
                    let c = self.next().filter(|c| c.is_ascii_punctuation() || *c == ' ')?;
                    word.0.push(Letter::Text(c));
                }
                '*' => word.0.push(Letter::Many),
                '?' => word.0.push(Letter::One),
                '[' => word.0.push(Letter::Of(self.set()?)),
                '{' => self.braces(&mut word)?,
                // a home directory or a comment, but for those in `HEAD~1` and `a#b`
                '~' | '#' if !word.is_in_name() => return None,
                c if c.is_ascii_alphanumeric() || "_@%+=:,./-~^#".contains(c) => word.0.push(Letter::Text(c)),
                _ => return None,
            }
        }
        Some(word)
    }

    fn at_list(&self) -> bool {
        Reader { rest: self.rest }.list().is_some()
    }

    fn single_quoted(&mut self, word: &mut Word) -> Option<()> {
        loop {
            match self.next()? {
                '\'' => return Some(()),
                c if is_text(c) => word.0.push(Letter::Text(c)),
                _ => return None,
            }
        }
    }

    fn double_quoted(&mut self, word: &mut Word) -> Option<()> {
        loop {
            match self.next()? {
                '"' => return Some(()),
                '`' => return None,
                // before these it begins nothing: `"^a$"`, `"a$|b"`
                '$' if !self.peek().is_some_and(|next| "\" |)\\".contains(next)) => return None,
                '\\' => {
                    let c = self.next().filter(|c| is_text(*c))?;
                    word.push(if "$`\"\\".contains(c) { "" } else { "\\" });
                    word.0.push(Letter::Text(c));
                }
                c if is_text(c) => word.0.push(Letter::Text(c)),
                _ => return None,
            }
        }
    }

    /// `@{1}`, `^{commit}`: a single word in braces is no list.
    fn braces(&mut self, word: &mut Word) -> Option<()> {
        matches!(word.0.last(), Some(Letter::Text('@' | '^'))).then_some(())?;
        let (inner, rest) = self.rest.split_once('}')?;
        let is_plain = !inner.is_empty() && inner.chars().all(|c| c.is_ascii_alphanumeric());
        is_plain.then_some(())?;
        self.rest = rest;
        word.push(&format!("{{{inner}}}"));
        Some(())
    }

    /// What stands between `[` and `]`: letters, digits, `_`, and ranges of a kind.
    fn set(&mut self) -> Option<Set> {
        let (inner, rest) = self.rest.split_once(']')?;
        self.rest = rest;
        let members = inner.strip_prefix(['!', '^']);
        let mut letters = members.unwrap_or(inner).chars().peekable();
        let mut ranges = Vec::new();
        while let Some(from) = letters.next() {
            let to = if letters.next_if_eq(&'-').is_some() { letters.next()? } else { from };
            let is_range = from.is_ascii_alphanumeric() && is_same_kind(from, to) && from <= to;
            (is_range || (from == '_' && to == '_')).then_some(())?;
            ranges.push((from, to));
        }
        let set = Set { is_negated: members.is_some(), ranges, text: format!("[{inner}]") };
        (!set.ranges.is_empty()).then_some(set)
    }
}

fn is_same_kind(a: char, b: char) -> bool {
    let kind = |c: char| (c.is_ascii_digit(), c.is_ascii_uppercase(), c.is_ascii_lowercase());
    kind(a) == kind(b)
}

/// The word as a shell reads it: as it is where that is safe, in single quotes else.
pub(in crate::permission) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The commands: words parted by bars, commands by their joints; patterns as they are written, in angles.
    fn shown(line: &str) -> Option<String> {
        let letter = |letter: &Letter| match letter {
            Letter::Text(c) => c.to_string(),
            Letter::One => "<?>".to_owned(),
            Letter::Many => "<*>".to_owned(),
            Letter::Of(set) => format!("<{}>", set.text),
        };
        let word = |word: &Word| word.0.iter().map(letter).collect::<String>();
        let command = |command: &Written| {
            let words: Vec<String> = command.words.iter().map(word).collect();
            let to: Vec<String> =
                command.redirections.iter().map(|to| format!(" {{{}}}", to.text())).collect();
            format!("{:?} {}{}", command.joint, words.join("¦"), to.concat())
        };
        Some(read(line)?.iter().map(command).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_line_is_read_as_its_words() {
        let check = |line: &str, expected: &str| assert_eq!(shown(line).as_deref(), Some(expected), "{line}");
        check("ls -la  src", "Next ls¦-la¦src");
        check("a && b || c; d | e", "Next a And b Or c Next d Pipe e");
        check("\n a\n\nb;\nc &&\n d\n", "Next a Next b Next c And d");
        check("ls;", "Next ls");
        check("echo 'a; b' \"c | d\" e\\ f ''", "Next echo¦a; b¦c | d¦e f¦");
        check(r#"grep "a\|b\"\\$" 'x\y'"#, r#"Next grep¦a\|b"\$¦x\y"#);
        check("find . -ex\"\"ec \\( ! -type f \\)", "Next find¦.¦-exec¦(¦!¦-type¦f¦)");
        check("ls 2>&1 >/dev/null x 2> /dev/null|b", "Next ls¦x {2>&1} {>/dev/null} {2>/dev/null} Pipe b");
        check("a &>/dev/null && b >&2", "Next a {>/dev/null 2>&1} And b {>&2}");
        check("ls *.r? [!a-c_]x '*'", "Next ls¦<*>.r<?>¦<[!a-c_]>x¦*");
        check(
            "git show HEAD~1 HEAD^ a~~ stash@{0} x^{commit} a#b",
            "Next git¦show¦HEAD~1¦HEAD^¦a~~¦stash@{0}¦x^{commit}¦a#b",
        );
        check("[ -f x ] && echo ]", "Next [¦-f¦x¦] And echo¦]");
        check("grep '日本' \"größe\"", "Next grep¦日本¦größe");
        check("cat src/{main,lib}.rs", "Next cat¦src/main.rs¦src/lib.rs");
        check("ls *.{js,ts} {a,b}{c,d}x", "Next ls¦<*>.js¦<*>.ts¦acx¦adx¦bcx¦bdx");
        check(
            "grep x --include=*.{c,h} \"a b\"{1..2,c}'d'",
            "Next grep¦x¦--include=<*>.c¦--include=<*>.h¦a b1..2d¦a bcd",
        );
    }

    #[test]
    fn what_a_shell_might_see_otherwise_has_no_reading() {
        let lists = "¦ ¦\n¦;¦a;;b¦a ; ; b¦&& a¦a &&¦a |¦a\n| b¦a &¦a & b¦a |& b¦(a)¦a)¦a\n; b¦a;& b";
        let redirections = "a > b¦a >> b¦a < b¦a <<E\nE¦a <<< b¦a <(b)¦a >| b¦a <> b¦a &> b¦a >&2b¦a > /dev/null2¦\
            a 2>&¦a b2>&1¦2>&1 a¦>/dev/null a¦a 3>&1¦a 2>&3¦a >/dev/null/x¦a>b¦a 'b'>/dev/null¦a 2>>/dev/null";
        let expansions = "`a`¦a \"`b`\"¦a $(b)¦a $b¦a ${b}¦a \"$b\"¦a $'b'¦a $\"b\"¦a $¦a \"$'\"¦{a,b} c¦a{b,c}¦a {b}¦a {b,}¦a {,b}¦a {b,c¦a {b,{c,d}}¦a {b,*}¦a {b,~}¦a {b,'c'}¦a {b,$c}¦a {b,c}~¦a {b,c}#¦a b{1..2}¦a {}¦\
            a ~¦a ~/b¦a =~/b¦a b:~/c¦a @{}¦a *(b)¦a !(b)¦a !b¦a b!c¦a $((1))";
        let quotes = "'a¦\"a¦a \\¦a \\n¦a \\\n b¦a '\n'¦a \"\\\n\"¦# a¦a # b¦a #b¦a ''#¦a\rb¦a\tb¦a '\t'¦a\u{a0}b¦\
            a é¦a \u{1}¦a '\u{200b}'¦a '\u{202e}'¦a '\u{7f}'";
        let sets =
            "a [¦ a [x¦a []¦a []x]¦a [!]¦a [a-]¦a [z-a]¦a [A-z]¦a [/]¦a ['a']¦a [[:alpha:]]¦a [.]¦a x]";
        for line in [lists, redirections, expansions, quotes, sets].iter().flat_map(|lines| lines.split('¦'))
        {
            let of_literal_bracket = line == "a [";
            assert!(shown(line).is_none() || of_literal_bracket, "{line:?}: {:?}", shown(line));
        }
        assert_eq!(shown(&format!("a {}", "b".repeat(LONGEST))), None);
    }

    #[test]
    fn a_word_is_quoted_where_a_shell_would_read_more_in_it() {
        let check = |word: &str, expected: &str| assert_eq!(quoted(word), expected);
        check("src/a-b.rs", "src/a-b.rs");
        check("", "''");
        check("a b", "'a b'");
        check("it's", r"'it'\''s'");
        check("HEAD~1", "'HEAD~1'");
        check("*", "'*'");
    }
}
