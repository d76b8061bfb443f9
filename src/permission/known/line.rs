//! A command line read into a tree: the part of the shell's grammar that leaves no doubt.
//!
//! Not the reading of `shell`, which serves rules that a user has written and passes over what only the shell can know.
//! Here the user has not been asked, so what is not listed has no reading: no brace list but of plain words, no assignment, no
//! comment, no redirection to a file. The surprise: quotes and backslashes are removed. What was hidden by them
//! (`-ex\ec`, `"-"delete`) is plain for whoever looks at the words, and what runs is written again from them.

use super::tree::{Group, Joint, Letter, Part, REDIRECTIONS, Redirection, Set, What, Word};

/// Words that one with brace lists may become.
const MOST: usize = 64;

/// Longer lines are programs; nobody reads them at a glance.
const LONGEST: usize = 16_384;

/// Lists within lists.
const DEEPEST: u8 = 8;

/// All commands of the line; `None` where a shell might see another line.
pub(super) fn read(line: &str) -> Option<Vec<Part>> {
    let mut reader = Reader { rest: Some(line).filter(|line| line.len() <= LONGEST)?, depth: 0 };
    reader.list(Close::Text)
}

/// Whether a character may be in quotes. Letters of any script may: no name of a command and no option has one.
pub(super) fn is_text(c: char) -> bool {
    matches!(c, ' '..='~') || (!c.is_ascii() && c.is_alphanumeric())
}

/// What ends a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Close {
    /// The end of the text.
    Text,
    /// `)`
    Parenthesis,
    /// `}`
    Brace,
    /// `done`
    Done,
}

/// How a command ends.
enum End {
    /// With its line or the text.
    Line,
    /// Before another command.
    Joint(Joint),
    /// Before the `)` that closes its list.
    Close,
}

struct Reader<'a> {
    rest: &'a str,
    depth: u8,
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

    /// The same for a word that only counts with nothing attached to it.
    fn eat_word(&mut self, word: &str, ends: &str) -> bool {
        let rest = self
            .rest
            .strip_prefix(word)
            .filter(|rest| rest.is_empty() || rest.starts_with(|c| ends.contains(c)));
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn skip(&mut self, letters: &str) {
        self.rest = self.rest.trim_start_matches(|c: char| letters.contains(c));
    }

    fn at_end_of_word(&self) -> bool {
        self.peek().is_none_or(|next| " \n;&|)".contains(next))
    }

    /// Commands up to what closes the list, which is taken as well.
    fn list(&mut self, close: Close) -> Option<Vec<Part>> {
        self.depth += 1;
        (self.depth <= DEEPEST).then_some(())?;
        let mut parts: Vec<Part> = Vec::new();
        let mut joint = Joint::Next;
        loop {
            self.skip(" ");
            let may_be_nothing = joint == Joint::Next;
            if may_be_nothing && !parts.is_empty() && self.closes(close) {
                break;
            }
            let before = parts.len();
            self.part(joint, &mut parts)?;
            let is_nothing = parts.len() == before;
            if is_nothing && !may_be_nothing {
                return None;
            }
            match self.end()? {
                End::Line if self.rest.is_empty() && close == Close::Text => break,
                End::Line if self.rest.is_empty() => return None,
                End::Line => joint = Joint::Next,
                End::Close if close == Close::Parenthesis => break,
                End::Joint(next) if !is_nothing => joint = next,
                End::Close | End::Joint(_) => return None,
            }
            if joint != Joint::Next {
                self.skip(" \n");
            }
        }
        self.depth -= 1;
        (!parts.is_empty()).then_some(parts)
    }

    /// Takes the word that closes a list; it means that only where a command may begin.
    fn closes(&mut self, close: Close) -> bool {
        match close {
            Close::Text | Close::Parenthesis => false,
            Close::Brace => self.eat_word("}", " \n;&|)"),
            Close::Done => self.eat_word("done", " \n;&|)"),
        }
    }

    /// A command and its redirections, or nothing.
    fn part(&mut self, joint: Joint, parts: &mut Vec<Part>) -> Option<()> {
        let group = if self.rest.starts_with("((") {
            return None;
        } else if self.eat("(") {
            Some(What::Group(Group::Subshell, self.list(Close::Parenthesis)?))
        } else if self.eat_word("{", " \n") {
            Some(What::Group(Group::Braces, self.list(Close::Brace)?))
        } else if self.eat_word("for", " ") {
            Some(self.for_loop()?)
        } else {
            None
        };
        let (mut words, mut redirections) = (Vec::new(), Vec::new());
        loop {
            self.skip(" ");
            if let Some(redirection) = self.redirection() {
                // a redirection before the name is nothing that anybody writes
                (group.is_some() || !words.is_empty()).then_some(())?;
                self.at_end_of_word().then_some(())?;
                redirections.push(redirection);
            } else if self.at_end_of_word() {
                break;
            } else {
                let more = self.words()?;
                // of several the first would be the command
                (group.is_none() && (more.len() == 1 || !words.is_empty())).then_some(())?;
                words.extend(more);
            }
        }
        let what = group.or_else(|| (!words.is_empty()).then_some(What::Command(words)));
        parts.extend(what.map(|what| Part { joint, what, redirections }));
        Some(())
    }

    /// What follows `for`.
    fn for_loop(&mut self) -> Option<What> {
        self.skip(" ");
        let name = self.name()?;
        self.skip(" ");
        self.eat_word("in", " ").then_some(())?;
        let mut over = Vec::new();
        self.skip(" ");
        while !self.at_end_of_word() {
            over.extend(self.words()?);
            self.skip(" ");
        }
        (!over.is_empty() && matches!(self.next()?, ';' | '\n')).then_some(())?;
        self.skip(" \n");
        self.eat_word("do", " \n").then_some(())?;
        Some(What::Loop { name, over, body: self.list(Close::Done)? })
    }

    /// The name of a variable.
    fn name(&mut self) -> Option<String> {
        let end =
            self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at_checked(end)?;
        self.rest = rest;
        name.starts_with(|c: char| c.is_ascii_alphabetic()).then(|| name.to_owned())
    }

    fn redirection(&mut self) -> Option<Redirection> {
        if let Some((text, redirection)) = REDIRECTIONS.iter().find(|(text, _)| self.rest.starts_with(text)) {
            self.eat(text);
            return Some(redirection.clone());
        }
        let mut after = Reader { rest: self.rest.strip_prefix('<')?, depth: self.depth };
        after.skip(" ");
        let mut words = after.words().filter(|words| words.len() == 1)?;
        let word = words.pop().filter(|word| !word.0.is_empty())?;
        self.rest = after.rest;
        Some(Redirection::From(word))
    }

    fn end(&mut self) -> Option<End> {
        match self.peek() {
            None => Some(End::Line),
            Some('\n') => self.next().map(|_| End::Line),
            Some(')') => self.next().map(|_| End::Close),
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
        while let Some(items) = self.braced() {
            // the name of a variable would go on with each of them: `$a{b,c}` is `$ab $ac`
            let ends_in_variable = |word: &Word| matches!(word.0.last(), Some(Letter::Variable { .. }));
            (!words.iter().any(ends_in_variable)).then_some(())?;
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
    fn braced(&mut self) -> Option<Vec<String>> {
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
            let after = self.rest.strip_prefix(alone).map(|rest| Reader { rest, depth: 0 });
            if after.is_some_and(|after| after.at_end_of_word()) {
                self.eat(alone);
                word.push(alone);
                return Some(word);
            }
        }
        let mut has_empty_quotes = false;
        while !self.at_end_of_word() && !self.at_list() {
            has_empty_quotes |= self.rest.starts_with("''") || self.rest.starts_with("\"\"");
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
                // where `find` and `xargs` put names in
                '{' if self.rest.starts_with('}') => {
                    let before = word.literal().filter(|before| before.is_empty() || before == "-I");
                    (before.is_some() && self.eat("}") && self.at_end_of_word()).then_some(())?;
                    word.push("{}");
                }
                '{' => self.braces(&mut word)?,
                '$' => word.0.push(self.dollar(false)?),
                // a home directory or a comment, but for those in `HEAD~1` and `a#b`
                '~' | '#' if !word.is_in_name() => return None,
                c if c.is_ascii_alphanumeric() || "_@%+=:,./-~^#".contains(c) => word.0.push(Letter::Text(c)),
                _ => return None,
            }
        }
        // with them `$(a)''` is a word even where `a` puts out nothing
        let is_output = |letter: &Letter| matches!(letter, Letter::Output { is_quoted: false, .. });
        (!has_empty_quotes || !word.0.iter().any(is_output)).then_some(word)
    }

    fn at_list(&self) -> bool {
        Reader { rest: self.rest, depth: 0 }.braced().is_some()
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
                '$' if !self.peek().is_some_and(|next| "\" |)\\".contains(next)) => {
                    word.0.push(self.dollar(true)?);
                }
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

    /// What follows `$`: a name, a name in braces, `?` or a list in parentheses.
    fn dollar(&mut self, is_quoted: bool) -> Option<Letter> {
        let name = if self.eat("?") {
            "?".to_owned()
        } else if self.rest.starts_with("((") {
            return None;
        } else if self.eat("(") {
            return Some(Letter::Output { parts: self.list(Close::Parenthesis)?, is_quoted });
        } else if self.eat("{") {
            let name = self.name()?;
            self.eat("}").then_some(name)?
        } else {
            self.name()?
        };
        Some(Letter::Variable { name, is_quoted })
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

    /// The commands: words parted by bars, commands by their joints; patterns and what is put in as they are written, in angles.
    fn shown(line: &str) -> Option<String> {
        read(line).map(|parts| list(&parts))
    }

    fn list(parts: &[Part]) -> String {
        parts.iter().map(command).collect::<Vec<_>>().join(" ")
    }

    fn command(part: &Part) -> String {
        let words = |words: &[Word]| words.iter().map(word).collect::<Vec<_>>().join("¦");
        let what = match &part.what {
            What::Command(all) => words(all),
            What::Group(Group::Subshell, parts) => format!("({})", list(parts)),
            What::Group(Group::Braces, parts) => format!("{{{}}}", list(parts)),
            What::Loop { name, over, body } => format!("{name} in {}: {}.", words(over), list(body)),
        };
        let to = |to: &Redirection| match to {
            Redirection::From(file) => format!(" {{< {}}}", word(file)),
            other => format!(" {{{}}}", other.text()),
        };
        let to: Vec<String> = part.redirections.iter().map(to).collect();
        format!("{:?} {what}{}", part.joint, to.concat())
    }

    fn word(word: &Word) -> String {
        let letter = |letter: &Letter| match letter {
            Letter::Text(c) => c.to_string(),
            Letter::One => "<?>".to_owned(),
            Letter::Many => "<*>".to_owned(),
            Letter::Of(set) => format!("<{}>", set.text),
            Letter::Variable { name, is_quoted: false } => format!("<${name}>"),
            Letter::Variable { name, is_quoted: true } => format!("<\"${name}\">"),
            Letter::Output { parts, is_quoted: false } => format!("<$({})>", list(parts)),
            Letter::Output { parts, is_quoted: true } => format!("<\"$({})\">", list(parts)),
        };
        word.0.iter().map(letter).collect()
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
        check("(a; b)|c && { d; } 2>&1 ;", "Next (Next a Next b) Pipe c And {Next d} {2>&1}");
        check("a < b <c 2>&1 < 'd e'", "Next a {< b} {< c} {2>&1} {< d e}");
        check(
            "for f in a *; do b $f;c \"x${f}y\"\ndone < d",
            "Next f in a¦<*>: Next b¦<$f> Next c¦x<\"$f\">y. {< d}",
        );
        check("for f in a\n\ndo\nfor g in b; do c; done; done", "Next f in a: Next g in b: Next c..");
        check(
            "a $? \"$?b\" $(b | c) \"$(d \"$e\")\"",
            "Next a¦<$?>¦<\"$?\">b¦<$(Next b Pipe c)>¦<\"$(Next d¦<\"$e\">)\">",
        );
        check("a {} -I{} done do", "Next a¦{}¦-I{}¦done¦do");
        check("cat src/{main,lib}.rs", "Next cat¦src/main.rs¦src/lib.rs");
        check("ls *.{js,ts} {a,b}{c,d}x", "Next ls¦<*>.js¦<*>.ts¦acx¦adx¦bcx¦bdx");
        check(
            "grep x --include=*.{c,h} \"a b\"{1..2,c}'d'",
            "Next grep¦x¦--include=<*>.c¦--include=<*>.h¦a b1..2d¦a bcd",
        );
    }

    #[test]
    fn what_a_shell_might_see_otherwise_has_no_reading() {
        let lists = "¦ ¦\n¦;¦a;;b¦a ; ; b¦&& a¦a &&¦a |¦a\n| b¦a &¦a & b¦a |& b¦a)¦a\n; b¦a;& b¦()¦((a))¦(a¦(a))¦(a;;)¦(a) b¦(a)b¦{a; }¦{ a }¦{ }¦{ a; } b¦{ a;}b¦\
            for f in a; do done¦for f in; do b; done¦for f; do b; done¦for f in a do b; done¦for f in a; do b done¦for f in a; b; done¦\
            for 1 in a; do b; done¦for f in a; do b; donec¦for f in a; do b; done c¦for f in a;; do b; done¦for f in a && do b; done¦\
            a $(b¦a $(b)''¦a \"\"$(b)¦a $()¦a $(b))¦a \"$(b\")¦a ${b¦a ${}¦a ${b:-c}¦a ${#b}¦a ${!b}¦a $1¦a $@¦a $$¦a $!¦a $-¦a b() { c; }¦a () { b; }¦}¦( ( ( ( ( ( ( ( ( a ) ) ) ) ) ) ) ) )";
        let redirections = "a > b¦a >> b¦a < ¦a <¦< b a¦a <&b¦a<b¦a < {b,c}¦(a) > b¦a <<E\nE¦a <<< b¦a <(b)¦a >| b¦a <> b¦a &> b¦a >&2b¦a > /dev/null2¦\
            a 2>&¦a b2>&1¦2>&1 a¦>/dev/null a¦a 3>&1¦a 2>&3¦a >/dev/null/x¦a>b¦a 'b'>/dev/null¦a 2>>/dev/null";
        let expansions = "`a`¦a \"`b`\"¦a $'b'¦a $\"b\"¦a $¦a \"$'\"¦{a,b} c¦a{b,c}¦a {b}¦a {b,}¦a {,b}¦a {b,c¦a {b,{c,d}}¦a {b,*}¦a {b,~}¦a {b,'c'}¦a {b,$c}¦a {b,c}~¦a {b,c}#¦a b{1..2}¦a b{}¦a {}b¦\
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
