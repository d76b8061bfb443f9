//! Which options a program may be given: a list of what is known to be harmless, never of what is not.
//!
//! Words are read as the program itself would read them (letters together, values attached or apart, `--`), and one
//! that is not listed ends the reading. Beginnings of long options, which many programs take for the whole, are no
//! options here. The surprise: options come out before all operands, so that what is added to them stands last.

use super::{Judged, Place};

/// A command and what it may be given.
pub(super) struct Command {
    pub(super) name: &'static str,
    /// The program that runs for it; `egrep` is a script that looks `grep` up again.
    pub(super) program: &'static str,
    pub(super) home: Home,
    options: &'static [Opt],
    operands: Operands,
    style: Style,
}

/// How a program reads letters and values that stand in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `-rnA3`: as `getopt` does.
    Joined,
    /// `-sb`, `-n5`: letters that take a value begin a word.
    First,
    /// `-a`, `-L 2`: one option a word, and its value in the next.
    Apart,
}

/// Where a command is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    /// A file.
    Program,
    /// The same, or a version manager's shim for it.
    Shimmed,
    /// A part of every shell.
    Shell,
}

/// An option, or several of a kind.
pub(super) enum Opt {
    /// Letters that take no value.
    Flags(&'static str),
    /// Long options that take none, without their dashes.
    Longs(&'static str),
    /// `-n --lines`: options that must have one, attached or as the next word.
    Value(&'static str, Kind),
    /// Long options that may have one, after `=` alone: `--color[=WHEN]`.
    Maybe(&'static str, Kind),
    /// Long options that must have one, after `=` alone.
    Equal(&'static str, Kind),
    /// Letters that may have one, attached alone: `-M[90%]`.
    Attached(&'static str),
    /// Long options that take the next two words.
    Pair(&'static str),
    /// `-20`
    Count,
}

/// What an option's value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Digits, with a sign and a unit perhaps.
    Number,
    /// Any words.
    Text,
    /// A file that is read.
    Path,
}

/// What stands beside the options.
pub(super) enum Operands {
    /// Words that name nothing: at least, at most.
    Texts(usize, usize),
    /// Files that are read: at least, at most; standard input where there is none.
    Paths(usize, usize),
    /// So many words that name nothing, then files and directories; the working directory where there is none.
    Walked(usize),
    /// Whatever there is, options too.
    Anything,
    /// Told from the options and operands.
    Own(fn(Parsed, &Place<'_>) -> Option<Judged>),
    /// Told from the words; `options` is not looked at.
    Words(fn(&[String], &Place<'_>) -> Option<Judged>),
}

/// What every program in the tables answers to without doing anything.
const ABOUT: [&str; 2] = ["--version", "--help"];

/// As many as there are.
pub(super) const ANY: usize = usize::MAX;

/// The words of a command, sorted.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// Options with their values, as they are written.
    pub(super) options: Vec<String>,
    pub(super) operands: Vec<String>,
    /// How many operands stand before `--`, where that is written.
    pub(super) dashes: Option<usize>,
    /// Values that are paths.
    pub(super) paths: Vec<String>,
    /// Every option that was given, by its name (`-r`, `--recursive`), with the number of its word.
    given: Vec<(String, usize)>,
    /// The values of options, by their names.
    values: Vec<(String, String)>,
}

impl Command {
    /// A program.
    pub(super) const fn new(name: &'static str, options: &'static [Opt], operands: Operands) -> Self {
        Self { name, program: name, home: Home::Program, options, operands, style: Style::Joined }
    }

    /// What a shell does itself.
    pub(super) const fn of_shell(name: &'static str, options: &'static [Opt], operands: Operands) -> Self {
        Self { name, program: name, home: Home::Shell, options, operands, style: Style::Joined }
    }

    /// The same program by another name.
    pub(super) const fn run_by(self, program: &'static str) -> Self {
        Self { program, ..self }
    }

    /// The same where it may be a shim as well.
    pub(super) const fn shimmed(self) -> Self {
        Self { home: Home::Shimmed, ..self }
    }

    /// The same with words read in another way.
    pub(super) const fn styled(self, style: Style) -> Self {
        Self { style, ..self }
    }

    fn is_asked_about(&self, words: &[String]) -> bool {
        let is_about = matches!(words, [word] if ABOUT.contains(&word.as_str()));
        let by_table =
            matches!(self.operands, Operands::Texts(..) | Operands::Paths(..) | Operands::Walked(_));
        self.home != Home::Shell && by_table && is_about
    }

    /// What the words after its name come to.
    pub(super) fn judge(&self, words: &[String], place: &Place<'_>) -> Option<Judged> {
        let parsed = || parse(words, &[self.options], self.style);
        if self.is_asked_about(words) {
            return Some(Judged::of(words));
        }
        match self.operands {
            Operands::Words(judge) => judge(words, place),
            Operands::Own(judge) => judge(parsed()?, place),
            Operands::Texts(least, most) => {
                let parsed = parsed()?;
                let fits = (least..=most).contains(&parsed.operands.len());
                fits.then(|| Judged { reads: place.reads(&parsed.paths), words: parsed.into_words() })
            }
            Operands::Paths(least, most) => {
                let parsed = parsed()?;
                (least..=most).contains(&parsed.operands.len()).then(|| parsed.reading(place))
            }
            Operands::Walked(before) => Some(parsed()?.walking(before, place)),
            Operands::Anything => Some(Judged::of(words)),
        }
    }
}

impl Parsed {
    /// Whether one of these options was given.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.given.iter().any(|(given, _)| names.contains(&given.as_str()))
    }

    /// Puts another option of the same kind in the place of this one.
    pub(super) fn replace(&mut self, name: &str, by: &str) {
        let letter = |name: &str| name.trim_start_matches('-').to_owned();
        for (_, at) in self.given.iter().filter(|(given, _)| given == name) {
            // letters come before any value in their word
            if let Some(word) = self.options.get_mut(*at) {
                *word = word.replacen(&letter(name), &letter(by), 1);
            }
        }
    }

    /// The values that one of these options was given.
    pub(super) fn values_of<'a>(&'a self, names: &'a [&str]) -> impl Iterator<Item = &'a str> {
        let of_these = |(name, _): &&(String, String)| names.contains(&name.as_str());
        self.values.iter().filter(of_these).map(|(_, value)| value.as_str())
    }

    /// The words, options first; `--` only where an operand would be taken for an option.
    pub(super) fn into_words(self) -> Vec<String> {
        let needs_dashes = self.operands.iter().any(|word| word.len() > 1 && word.starts_with('-'));
        let mut words = self.options;
        words.extend(needs_dashes.then(|| "--".to_owned()));
        words.extend(self.operands);
        words
    }

    /// With operands that are files.
    pub(super) fn reading(self, place: &Place<'_>) -> Judged {
        let named: Vec<String> = self.paths.iter().chain(&self.operands).cloned().collect();
        Judged { reads: place.reads(&named), words: self.into_words() }
    }

    /// With operands that are looked through, the working directory else; those `before` name nothing.
    fn walking(self, before: usize, place: &Place<'_>) -> Judged {
        let walked = self.operands.get(before..).filter(|walked| !walked.is_empty());
        let here = [".".to_owned()];
        let reads = [place.reads(walked.unwrap_or(&here)), place.reads(&self.paths)].concat();
        Judged { reads, words: self.into_words() }
    }

    fn option(&mut self, name: &str, words: &[&str]) {
        self.given.push((name.to_owned(), self.options.len()));
        self.options.extend(words.iter().map(|&word| word.to_owned()));
    }

    fn value(&mut self, name: &str, value: &str, kind: Kind) -> Option<()> {
        match kind {
            Kind::Number => is_number(value).then_some(())?,
            Kind::Text => {}
            Kind::Path => self.paths.push(value.to_owned()),
        }
        self.values.push((name.to_owned(), value.to_owned()));
        Some(())
    }
}

/// The words by what they are; `None` where an option is not listed.
pub(super) fn parse(words: &[String], options: &[&[Opt]], style: Style) -> Option<Parsed> {
    let mut parsed = Parsed::default();
    let mut rest = words.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        if word == "--" {
            parsed.dashes = Some(parsed.operands.len());
            parsed.operands.extend(rest.map(str::to_owned));
            break;
        } else if word.starts_with("--") {
            long(&mut parsed, word, &mut rest, (options, style))?;
        } else if word.len() > 1 && word.starts_with('-') {
            short(&mut parsed, word, &mut rest, (options, style))?;
        } else {
            parsed.operands.push(word.to_owned());
        }
    }
    Some(parsed)
}

fn long<'a>(
    parsed: &mut Parsed,
    word: &'a str,
    rest: &mut impl Iterator<Item = &'a str>,
    (options, style): (&[&[Opt]], Style),
) -> Option<()> {
    let (name, attached) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
    let bare = name.strip_prefix("--")?;
    let option = options.iter().copied().flatten().find(|option| match option {
        Opt::Longs(names) => lists(names, bare),
        Opt::Value(names, _) | Opt::Maybe(names, _) | Opt::Equal(names, _) | Opt::Pair(names) => {
            lists(names, name)
        }
        Opt::Flags(_) | Opt::Attached(_) | Opt::Count => false,
    })?;
    match (option, attached) {
        (Opt::Longs(_) | Opt::Maybe(..), None) => parsed.option(name, &[word]),
        (Opt::Value(_, kind) | Opt::Maybe(_, kind) | Opt::Equal(_, kind), Some(value)) => {
            parsed.value(name, value, *kind)?;
            parsed.option(name, &[word]);
        }
        (Opt::Value(_, kind), None) => {
            let value = next_word(rest, style)?;
            parsed.value(name, value, *kind)?;
            parsed.option(name, &[word, value]);
        }
        (Opt::Pair(_), None) => parsed.option(name, &[word, rest.next()?, rest.next()?]),
        (Opt::Longs(_) | Opt::Pair(_), Some(_))
        | (Opt::Equal(..), None)
        | (Opt::Flags(_) | Opt::Attached(_) | Opt::Count, _) => return None,
    }
    Some(())
}

fn short<'a>(
    parsed: &mut Parsed,
    word: &'a str,
    rest: &mut impl Iterator<Item = &'a str>,
    (options, style): (&[&[Opt]], Style),
) -> Option<()> {
    let listed = || options.iter().copied().flatten();
    let mut letters = word.strip_prefix('-')?.chars();
    if letters.clone().all(|c| c.is_ascii_digit()) && listed().any(|it| matches!(it, Opt::Count)) {
        parsed.option("-1", &[word]);
        return Some(());
    }
    if style == Style::Apart && word.chars().nth(2).is_some() {
        return None;
    }
    while let Some(letter) = letters.next() {
        let name = format!("-{letter}");
        let option = listed().find(|option| match option {
            Opt::Flags(flags) | Opt::Attached(flags) => flags.contains(letter),
            Opt::Value(names, _) => lists(names, &name),
            Opt::Longs(_) | Opt::Maybe(..) | Opt::Equal(..) | Opt::Pair(_) | Opt::Count => false,
        })?;
        parsed.given.push((name.clone(), parsed.options.len()));
        match option {
            Opt::Value(_, kind) if style != Style::First || word.starts_with(&name) => {
                return short_value(parsed, word, (&name, letters.as_str(), *kind), rest, style);
            }
            Opt::Value(..) => return None,
            Opt::Attached(_) => break,
            Opt::Flags(_) | Opt::Longs(_) | Opt::Maybe(..) | Opt::Equal(..) | Opt::Pair(_) | Opt::Count => {}
        }
    }
    parsed.options.push(word.to_owned());
    Some(())
}

/// A letter's value: what is left of its word, the next word else.
fn short_value<'a>(
    parsed: &mut Parsed,
    word: &str,
    (name, attached, kind): (&str, &str, Kind),
    rest: &mut impl Iterator<Item = &'a str>,
    style: Style,
) -> Option<()> {
    if !attached.is_empty() {
        parsed.value(name, attached, kind)?;
        parsed.options.push(word.to_owned());
        return Some(());
    }
    let value = next_word(rest, style)?;
    parsed.value(name, value, kind)?;
    parsed.options.extend([word.to_owned(), value.to_owned()]);
    Some(())
}

/// The next word as a value. Where programs differ in what takes one, it does not look like an option.
fn next_word<'a>(rest: &mut impl Iterator<Item = &'a str>, style: Style) -> Option<&'a str> {
    rest.next().filter(|value| style == Style::Joined || !value.starts_with('-'))
}

/// Whether a name is one of these, which are parted by spaces.
pub(super) fn lists(names: &str, name: &str) -> bool {
    names.split(' ').any(|listed| listed == name)
}

fn is_number(value: &str) -> bool {
    let digits = value.strip_prefix(['-', '+']).unwrap_or(value);
    let unit = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    unit.len() < digits.len() && unit.len() < 4 && unit.chars().all(|c| c.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: &[Opt] = &[
        Opt::Flags("arn"),
        Opt::Longs("all recursive"),
        Opt::Value("-A --after", Kind::Number),
        Opt::Value("-f --file", Kind::Path),
        Opt::Value("-e", Kind::Text),
        Opt::Maybe("--color", Kind::Text),
        Opt::Attached("M"),
        Opt::Equal("--format", Kind::Text),
        Opt::Pair("--arg"),
        Opt::Count,
    ];

    fn parsed(line: &str) -> Option<Parsed> {
        styled(line, Style::Joined)
    }

    fn styled(line: &str, style: Style) -> Option<Parsed> {
        parse(&line.split(' ').map(str::to_owned).collect::<Vec<_>>(), &[OPTIONS], style)
    }

    #[test]
    fn listed_options_are_read_as_the_program_reads_them() {
        let check = |line: &str, expected: &str| {
            let words = parsed(line).map(|parsed| parsed.into_words().join(" "));
            assert_eq!(words.as_deref(), Some(expected), "{line}");
        };
        check("x -ar y -n", "-ar -n x y");
        check("-rA3 x", "-rA3 x");
        check("-rA 3 x", "-rA 3 x");
        check("-A -3 --after=4 --after 5k", "-A -3 --after=4 --after 5k");
        check("--color x --color=always", "--color --color=always x");
        check("--arg a b c -20 -M90% -M", "--arg a b -20 -M90% -M c");
        check("-e -x -- -y -z", "-e -x -- -y -z");
        check("-a -- x", "-a x");
        check("- -a", "-a -");
    }

    #[test]
    fn what_is_not_listed_ends_the_reading() {
        for line in [
            "-x",
            "-ax",
            "--al",
            "--al=x",
            "--all=x",
            "--after",
            "--after=x",
            "-A",
            "-A x",
            "--color= --x",
            "--arg a",
            "--arg=a b c",
            "--format x",
            "--format",
            "-2x",
            "--a",
            "-A3x.y",
        ] {
            assert!(parsed(line).is_none(), "{line}");
        }
    }

    #[test]
    fn words_are_joined_only_where_the_program_does_so() {
        for (line, expected) in [
            ("-a -A 3", [true, true, true]),
            ("-ar -A3", [true, true, false]),
            ("-rA 3", [true, false, false]),
            ("-rM90", [true, true, false]),
        ] {
            let accepted =
                [Style::Joined, Style::First, Style::Apart].map(|style| styled(line, style).is_some());
            assert_eq!(accepted, expected, "{line}");
        }
    }

    #[test]
    fn what_was_given_is_known_by_its_name() {
        let parsed = parsed("-af one --file=two --file three -e four -r x").unwrap();
        assert!(parsed.has(&["-a"]) && parsed.has(&["--recursive", "-r"]) && !parsed.has(&["-n"]));
        assert_eq!(parsed.paths, ["one", "two", "three"]);
        assert_eq!(parsed.values_of(&["-e", "-f"]).collect::<Vec<_>>(), ["one", "four"]);
        assert_eq!(parsed.operands, ["x"]);
    }
}
