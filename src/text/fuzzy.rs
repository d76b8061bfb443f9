//! Paths by a few letters: how well a path matches what is typed, and the best of many.
//!
//! Not a spelling aid: all letters must be there, in order. The last name of a path counts most, so that `mod` finds `src/mod.rs`
//! before `models/a/b.rs`; of equals the shorter comes first, then the one that stands earlier in the list. Case counts only
//! where a capital is typed. Most paths are passed over by one comparison of two sets of letters, so that a hundred thousand
//! of them take a few milliseconds.

use memchr::memchr;
use memchr::memmem::Finder;

/// A path that can be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    path: Box<str>,
    /// The path in small letters, where it has capitals.
    small: Option<Box<[u8]>>,
    letters: Letters,
    /// Where its last name begins; a directory ends with `/`.
    name: usize,
}

/// What is looked for.
#[derive(Debug, Clone)]
pub struct Query {
    wanted: Vec<u8>,
    finder: Finder<'static>,
    case: Case,
    letters: Letters,
}

/// The best of many, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Best {
    /// The best first.
    pub paths: Vec<String>,
    /// How many match.
    pub total: usize,
}

/// Which letters occur: one bit for each, shared by some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Letters(u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Ignored,
    Counts,
}

/// How well a path matches; less is better. What comes first is in the upper bits: how, how far apart, how long, where it stands.
type Rank = u64;

const UNASKED: Rank = 0;
const NAME: Rank = 1;
const NAME_PREFIX: Rank = 2;
const NAME_WORD: Rank = 3;
const PATH_PREFIX: Rank = 4;
const WITHIN_NAME: Rank = 5;
const WITHIN_PATH: Rank = 6;
const SCATTERED_IN_NAME: Rank = 7;
const SCATTERED_IN_PATH: Rank = 8;

impl Entry {
    /// A path with `/` between its names, and behind them where it is a directory.
    #[must_use]
    pub fn new(path: impl Into<Box<str>>) -> Self {
        let path = path.into();
        let name = path.trim_end_matches('/').rfind('/').map_or(0, |slash| slash + 1);
        let has_capital = path.bytes().any(|c| c.is_ascii_uppercase());
        let small = has_capital.then(|| path.as_bytes().to_ascii_lowercase().into_boxed_slice());
        Self { letters: Letters::of(path.as_bytes()), small, name, path }
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// How it matches, and by how much less well.
    fn rank(&self, query: &Query) -> Option<(Rank, usize)> {
        if query.wanted.is_empty() {
            return Some((UNASKED, 0));
        }
        if !self.letters.contain(query.letters) {
            return None;
        }
        let path = match (query.case, &self.small) {
            (Case::Ignored, Some(small)) => small,
            (Case::Ignored, None) | (Case::Counts, _) => self.path.as_bytes(),
        };
        let name = path.get(self.name..).unwrap_or_default();
        let Some(in_path) = query.finder.find(path) else { return self.scattered(query, path) };
        let rank = match query.finder.find(name) {
            Some(0) if is_whole(name, query.wanted.len()) => NAME,
            Some(0) => NAME_PREFIX,
            Some(at) if self.begins_word(self.name + at) => NAME_WORD,
            Some(_) | None if in_path == 0 => PATH_PREFIX,
            Some(_) => WITHIN_NAME,
            None => WITHIN_PATH,
        };
        Some((rank, 0))
    }

    /// How far apart its letters stand, where they all come in order: of the last name alone, if they do there.
    fn scattered(&self, query: &Query, path: &[u8]) -> Option<(Rank, usize)> {
        query.stretch(path)?;
        let name = path.get(self.name..).unwrap_or_default();
        let of_name = self.apart(query, name, self.name).map(|apart| (SCATTERED_IN_NAME, apart));
        of_name.or_else(|| self.apart(query, path, 0).map(|apart| (SCATTERED_IN_PATH, apart)))
    }

    /// The letters between the first and the last, less for each that begins a word. `text` begins at `offset` of the path.
    fn apart(&self, query: &Query, text: &[u8], offset: usize) -> Option<usize> {
        let end = query.stretch(text)?;
        let mut stretch = text.get(..end)?;
        let (mut start, mut words) = (end, 0);
        for wanted in query.wanted.iter().rev() {
            start = stretch.iter().rposition(|there| there == wanted)?;
            words += usize::from(self.begins_word(offset + start));
            stretch = stretch.get(..start)?;
        }
        let between = (end - start).saturating_sub(query.wanted.len());
        Some((between + 2 * query.wanted.len()).saturating_sub(2 * words))
    }

    fn begins_word(&self, at: usize) -> bool {
        let path = self.path.as_bytes();
        let before = at.checked_sub(1).and_then(|before| path.get(before));
        let is_capital = path.get(at).is_some_and(u8::is_ascii_uppercase);
        before.is_none_or(|c| c.is_ascii() && !c.is_ascii_alphanumeric())
            || (is_capital && before.is_some_and(u8::is_ascii_lowercase))
    }
}

impl Query {
    /// What was typed.
    #[must_use]
    pub fn new(typed: &str) -> Self {
        let wanted = typed.as_bytes().to_vec();
        let has_capital = wanted.iter().any(u8::is_ascii_uppercase);
        let case = if has_capital { Case::Counts } else { Case::Ignored };
        Self { letters: Letters::of(&wanted), finder: Finder::new(&wanted).into_owned(), wanted, case }
    }

    /// The best of `entries`, at most `most` of them.
    #[must_use]
    pub fn best(&self, entries: &[Entry], most: usize) -> Best {
        let ranked = entries.iter().enumerate().filter_map(|(index, entry)| {
            let (rank, apart) = entry.rank(self)?;
            let length = if rank == UNASKED { 0 } else { entry.path.len() };
            let bits = |number: usize, most: u64| u64::try_from(number).unwrap_or(most).min(most);
            Some(rank << 56 | bits(apart, 0xffff) << 40 | bits(length, 0xffff) << 24 | bits(index, INDEX))
        });
        let mut ranks: Vec<Rank> = ranked.collect();
        let total = ranks.len();
        if total > most {
            ranks.select_nth_unstable(most);
            ranks.truncate(most);
        }
        ranks.sort_unstable();
        let path = |rank: Rank| {
            let index = usize::try_from(rank & INDEX).ok()?;
            entries.get(index).map(|entry| entry.path.to_string())
        };
        Best { paths: ranks.into_iter().filter_map(path).collect(), total }
    }

    /// Where its letters end that come first, all in order.
    fn stretch(&self, text: &[u8]) -> Option<usize> {
        let mut end = 0;
        for wanted in &self.wanted {
            end += memchr(*wanted, text.get(end..)?)? + 1;
        }
        Some(end)
    }
}

/// The bits of a rank that say where an entry stands: far more than there ever are.
const INDEX: u64 = 0xff_ffff;

impl Letters {
    fn of(bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(0, |set, byte| set | 1 << (byte.to_ascii_lowercase() % 64)))
    }

    const fn contain(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Whether `length` is all of a name, its ending or its slash not counted.
fn is_whole(name: &[u8], length: usize) -> bool {
    matches!(name.get(length), None | Some(b'.' | b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, paths: &[&str], expected: &[&str]) {
        let entries: Vec<Entry> = paths.iter().map(|path| Entry::new(*path)).collect();
        assert_eq!(Query::new(typed).best(&entries, 10).paths, expected, "{typed}");
    }

    #[test]
    fn the_last_name_counts_before_the_path_and_the_short_before_the_long() {
        check(
            "mod",
            &["models/a.rs", "src/mod.rs", "mod.rs", "a/comodo"],
            &["mod.rs", "src/mod.rs", "models/a.rs", "a/comodo"],
        );
        check(
            "view",
            &["src/tui/view/wrap.rs", "src/review.rs", "src/tui/view/"],
            &["src/tui/view/", "src/review.rs", "src/tui/view/wrap.rs"],
        );
        check("tui/v", &["src/tui/view.rs", "src/tui/model.rs"], &["src/tui/view.rs"]);
    }

    #[test]
    fn letters_in_order_find_a_path_and_beginnings_of_words_come_first() {
        check(
            "ufr",
            &["src/buffer.rs", "src/update/first_run.rs"],
            &["src/buffer.rs", "src/update/first_run.rs"],
        );
        check("fr", &["src/afore.rs", "src/first_run.rs"], &["src/first_run.rs", "src/afore.rs"]);
        check("xyz", &["src/a.rs"], &[]);
        check("aa", &["a"], &[]);
    }

    #[test]
    fn a_capital_counts_and_small_letters_find_both() {
        check("readme", &["README.md", "readme"], &["readme", "README.md"]);
        check("READ", &["README.md", "readme"], &["README.md"]);
    }

    #[test]
    fn nothing_typed_keeps_the_order_and_names_in_other_letters_are_found() {
        check("", &["long/path/b", "a"], &["long/path/b", "a"]);
        check("日本", &["src/日本.rs", "src/本.rs"], &["src/日本.rs"]);
        let entries: Vec<Entry> = (0..50).map(|n| Entry::new(format!("f{n}"))).collect();
        let best = Query::new("f").best(&entries, 3);
        assert_eq!((best.paths, best.total), (["f0", "f1", "f2"].map(str::to_owned).to_vec(), 50));
    }
}
