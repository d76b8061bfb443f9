//! A command's words told apart into options, their values and operands, as getopt does.
//!
//! Options may stand behind operands, short ones in one word, long ones cut short. Nothing is refused: what a program would
//! not take is an option without a value.

/// What follows the name of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Args {
    options: Vec<(Name, Option<String>)>,
    /// What is no option and no option's value; an empty word is none.
    pub(super) operands: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Name {
    Short(char),
    /// As it was written, perhaps cut short.
    Long(String),
}

impl Args {
    /// `short` is in getopt's notation: `o:` takes a value, `i::` only one in the same word, the others need not be named.
    /// `long` are the long options that take a value in the next word, without their dashes.
    pub(super) fn read(words: &[String], short: &str, long: &[&str]) -> Self {
        let mut args = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word == "--" {
                args.operands.extend(words.by_ref().cloned());
            } else if let Some(option) = word.strip_prefix("--") {
                let (name, value) = match option.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_owned())),
                    None if long.iter().any(|known| known.starts_with(option)) => {
                        (option, words.next().cloned())
                    }
                    None => (option, None),
                };
                args.options.push((Name::Long(name.to_owned()), value));
            } else if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
                args.letters(letters, short, &mut words);
            } else {
                args.operands.push(word.clone());
            }
        }
        args.operands.retain(|word| !word.is_empty());
        args
    }

    fn letters<'a>(&mut self, letters: &str, short: &str, words: &mut impl Iterator<Item = &'a String>) {
        for (at, letter) in letters.char_indices() {
            let rest = letters.get(at + letter.len_utf8()..).unwrap_or_default();
            let known = short.split_once(letter).map_or("", |(_, behind)| behind);
            let value = match known.strip_prefix(':') {
                None => None,
                Some(_) if !rest.is_empty() => Some(rest.to_owned()),
                Some(optional) if optional.starts_with(':') => None,
                Some(_) => words.next().cloned(),
            };
            let ends = known.starts_with(':');
            self.options.push((Name::Short(letter), value));
            if ends {
                return;
            }
        }
    }

    /// Whether an option is there, in its short or its long form.
    pub(super) fn has(&self, short: char, long: &str) -> bool {
        self.options.iter().any(|(name, _)| name.is(short, long))
    }

    /// Whether a long option is there that has no short form.
    pub(super) fn has_long(&self, long: &str) -> bool {
        self.options.iter().any(|(name, _)| matches!(name, Name::Long(_)) && name.is(' ', long))
    }

    /// What an option was given, each time.
    pub(super) fn values<'a>(&'a self, short: char, long: &'a str) -> impl Iterator<Item = &'a String> {
        self.options
            .iter()
            .filter(move |(name, _)| name.is(short, long))
            .filter_map(|(_, value)| value.as_ref())
    }
}

impl Name {
    fn is(&self, short: char, long: &str) -> bool {
        match self {
            Self::Short(letter) => *letter == short,
            Self::Long(name) => !name.is_empty() && long.starts_with(name.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Args {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        Args::read(&words, "o:i::k:", &["output", "key"])
    }

    #[test]
    fn a_value_is_found_in_each_form_and_is_no_operand() {
        for words in [
            "-o x a b",
            "-ox a b",
            "a -o x b",
            "-ro x a b",
            "-rox a b",
            "--output x a b",
            "--output=x a b",
            "--out x a b",
            "a b --o=x",
        ] {
            let args = read(words);
            assert_eq!(args.values('o', "output").collect::<Vec<_>>(), ["x"], "{words}");
            assert_eq!(args.operands, ["a", "b"], "{words}");
        }
    }

    #[test]
    fn a_value_that_may_be_left_out_is_none_of_the_next_word() {
        let args = read("-i a -ni.bak b");
        assert_eq!(args.operands, ["a", "b"]);
        assert_eq!(args.values('i', "").collect::<Vec<_>>(), [".bak"]);
        assert!(args.has('n', ""));
        assert!(!args.has('b', ""), "within the value");
    }

    #[test]
    fn behind_two_dashes_nothing_is_an_option() {
        let args = read("-k 1 -- -o x");
        assert_eq!(args.operands, ["-o", "x"]);
        assert!(!args.has('o', "output"));
        assert_eq!(read("a -").operands, ["a", "-"], "a dash alone is a name");
    }
}
