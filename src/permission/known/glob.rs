//! What a pattern stands for, told from the names in its directories as bash tells it.
//!
//! Not the globs of rules and of `.gitignore` (`text::glob`). The line that runs holds the names that were judged and no
//! pattern any more, so that a file that comes in between is not read. As in bash a name that begins with a dot is met
//! by a dot alone, and a pattern that meets nothing stays as it is. The surprise: what cannot be shown to be the same
//! in every bash (`.*`, names in no readable script) is not spread but given up.

use std::path::Path;

use super::super::scope::clean;
use super::Sight;
use super::line::is_text;
use super::tree::{Letter, Set, Word};

/// Words that a pattern may become, and directories that are looked at for it.
const MOST: usize = 1000;

/// The words that a word becomes in `cwd`; `None` where that cannot be told.
pub(super) fn spread(word: &Word, cwd: &Path, sight: &Sight) -> Option<Vec<String>> {
    if let Some(literal) = word.literal() {
        return Some(vec![literal]);
    }
    let parts: Vec<&[Letter]> = word.0.split(|letter| *letter == Letter::Text('/')).collect();
    let mut search = Search { cwd, sight, found: vec![String::new()], has_met: false };
    for (at, part) in parts.iter().enumerate() {
        let is_last = at + 1 == parts.len();
        match text_of(part) {
            Some(name) if search.has_met => search.keep(&name, is_last)?,
            Some(name) => search.append(&name, is_last),
            None => search.meet(part, is_last)?,
        }
    }
    let mut found = search.found;
    if found.is_empty() {
        return Some(vec![written(word)]);
    }
    found.sort_unstable();
    found.iter().all(|name| name.chars().all(is_text)).then_some(found)
}

struct Search<'a> {
    cwd: &'a Path,
    sight: &'a Sight,
    /// The beginnings that were found, as they are written, up to and with the last slash.
    found: Vec<String>,
    /// Whether a pattern stands before.
    has_met: bool,
}

impl Search<'_> {
    /// A plain name before any pattern.
    fn append(&mut self, name: &str, is_last: bool) {
        for found in &mut self.found {
            found.push_str(name);
            found.push_str(slash(is_last));
        }
    }

    /// A plain name after a pattern must be there.
    fn keep(&mut self, name: &str, is_last: bool) -> Option<()> {
        // `*/` is for directories, and that is what stands there already
        if name.is_empty() && is_last {
            return Some(());
        }
        (!matches!(name, "" | "." | "..")).then_some(())?;
        self.step(is_last, |other| other == name)
    }

    fn meet(&mut self, part: &[Letter], is_last: bool) -> Option<()> {
        self.has_met = true;
        let begins_with_dot = part.first() == Some(&Letter::Text('.'));
        // whether `.*` and `..*` are for `.` and `..` too depends on the shell's age
        if begins_with_dot && !matches!(part.get(1), Some(Letter::Text(c)) if *c != '.') {
            return None;
        }
        self.step(is_last, |name| (begins_with_dot || !name.starts_with('.')) && meets(part, name))
    }

    /// Goes on with the names that are wanted; not to the last part: with directories alone.
    fn step(&mut self, is_last: bool, wanted: impl Fn(&str) -> bool) -> Option<()> {
        let mut next = Vec::new();
        let looked_at = self.found.len();
        for before in &self.found {
            let directory = self.cwd.join(before);
            if self.depends_on_who_looks(&directory) {
                return None;
            }
            for name in (self.sight.names)(&directory)? {
                let name = name.to_str()?;
                let plain = name.strip_suffix('/');
                if (is_last || plain.is_some()) && wanted(plain.unwrap_or(name)) {
                    next.push(format!("{before}{}{}", plain.unwrap_or(name), slash(is_last)));
                }
            }
        }
        self.found = next;
        (looked_at.max(self.found.len()) <= MOST).then_some(())
    }

    /// `/proc/self` and `/dev/fd` are others for us than for the shell, and processes come and go.
    fn depends_on_who_looks(&self, directory: &Path) -> bool {
        [clean(directory), (self.sight.follow)(directory)].iter().any(|path| path.starts_with("/proc"))
    }
}

fn slash(is_last: bool) -> &'static str {
    if is_last { "" } else { "/" }
}

fn text_of(part: &[Letter]) -> Option<String> {
    Word(part.to_vec()).literal()
}

/// The pattern as it would reach a program that gets it unmet.
fn written(word: &Word) -> String {
    let letter = |letter: &Letter| match letter {
        Letter::Text(c) => c.to_string(),
        Letter::One => "?".to_owned(),
        Letter::Many => "*".to_owned(),
        Letter::Of(set) => set.text.clone(),
        Letter::Variable { .. } | Letter::Output { .. } => String::new(),
    };
    word.0.iter().map(letter).collect()
}

/// Whether a pattern without slashes is for the name. Two places are kept, so that no pattern takes long.
fn meets(pattern: &[Letter], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut reached) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(c) = name.get(reached) {
        match pattern.get(at) {
            Some(Letter::Many) => {
                star = Some((at, reached));
                at += 1;
            }
            Some(letter) if is_for(letter, *c) => (at, reached) = (at + 1, reached + 1),
            Some(_) | None => match star {
                Some((many, from)) => {
                    star = Some((many, from + 1));
                    (at, reached) = (many + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(at).all(|letter| *letter == Letter::Many)
}

fn is_for(letter: &Letter, c: char) -> bool {
    match letter {
        Letter::Text(text) => *text == c,
        Letter::One | Letter::Many => true,
        Letter::Of(Set { is_negated, ranges, .. }) => {
            ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *is_negated
        }
        // they are put in before
        Letter::Variable { .. } | Letter::Output { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::super::line::read;
    use super::super::tree::What;
    use super::*;

    fn sight() -> Sight {
        let names = |path: &Path| {
            let names = match clean(path).to_str()? {
                "/w" => "a.rs b.rs ab .env .git/ src/ docs/ key.pem z~",
                "/w/src" => "main.rs lib.rs deep/",
                "/w/docs" => "main.md größe.md",
                "/w/src/deep" => "x.rs",
                "/w/odd" => "a\u{200b}",
                "/w/many" => return None,
                _ => "",
            };
            Some(names.split_whitespace().map(OsString::from).collect())
        };
        let follow = |path: &Path| {
            let path = clean(path);
            path.strip_prefix("/dev/fd")
                .map_or_else(|_| path.clone(), |below| Path::new("/proc/1/fd").join(below))
        };
        Sight { follow, names, ..Sight::default() }
    }

    /// The second word of a line.
    fn word_of(line: &str) -> Option<Word> {
        match read(line)?.remove(0).what {
            What::Command(mut words) => Some(words.remove(1)),
            What::Group(..) | What::Loop { .. } => None,
        }
    }

    fn spread_of(word: &str) -> Option<String> {
        Some(spread(&word_of(&format!("x {word}"))?, Path::new("/w"), &sight())?.join(" "))
    }

    #[test]
    fn a_pattern_becomes_the_names_that_bash_would_find() {
        let check = |word: &str, expected: &str| {
            assert_eq!(spread_of(word).as_deref(), Some(expected), "{word}");
        };
        check("*.rs", "a.rs b.rs");
        check("'*'.rs", "*.rs");
        check("?.rs", "a.rs b.rs");
        check("[a-a]*", "a.rs ab");
        check("[!a]*.rs", "b.rs");
        check("*", "a.rs ab b.rs docs key.pem src z~");
        check("**", "a.rs ab b.rs docs key.pem src z~");
        check("*/", "docs/ src/");
        check("*/main.*", "docs/main.md src/main.rs");
        check("*/*/*.rs", "src/deep/x.rs");
        check("s*/deep", "src/deep");
        check("s*/none", "s*/none");
        check("./*.rs", "./a.rs ./b.rs");
        check("src//*b.rs", "src//lib.rs");
        check("src/*.md", "src/*.md");
        check(".e*", ".env");
        check("docs/g*", "docs/größe.md");
        check("none/*", "none/*");
    }

    #[test]
    fn what_bash_might_find_otherwise_is_given_up() {
        for word in [
            ".*",
            ".?",
            "..*",
            "*/../x",
            "*//x",
            "*/./x",
            "odd/*",
            "many/*",
            ".[a]*",
            "/proc/*",
            "//proc/self/*/*",
            "../proc/1/fd/?",
            "/dev/fd/*",
        ] {
            assert_eq!(spread_of(word), None, "{word}");
        }
    }

    #[test]
    fn no_pattern_takes_long() {
        let word = word_of(&format!("x {}b", "*a".repeat(200))).unwrap();
        assert!(!meets(&word.0, &"a".repeat(255)));
    }
}
