//! A list to choose from: what matches, in which order, and which one is chosen.
//!
//! The common half of completion popups and pickers. It asks nobody and shows nothing: who fills it says what a choice
//! means. The window of rows is computed from the chosen one and never kept, so it cannot be scrolled out of sight.

use std::ops::Range;
use std::sync::Arc;

/// Rows of a list on the screen: what one takes in at a glance, in a third of a small terminal.
pub const WINDOW: usize = 10;

/// One thing to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Its name: what is matched.
    pub label: String,
    /// A few words about it.
    pub detail: String,
    /// Other names, which find it too and are not shown.
    pub also: Vec<String>,
}

/// A way through the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Go {
    /// To the one above; from the first to the last.
    Up,
    /// To the one below; from the last to the first.
    Down,
    /// A window up, and no further than the first.
    PageUp,
    /// A window down, and no further than the last.
    PageDown,
}

/// The list, filtered, with one chosen as long as there is any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    items: Arc<[Item]>,
    /// Indices of the items that match, best first.
    matches: Vec<usize>,
    /// Index into `matches`.
    chosen: usize,
    matching: Matching,
}

/// What counts as a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Matching {
    /// The letters in their order, whatever stands between them: for short names that one knows.
    Letters,
    /// Each word somewhere: for long lists of long names.
    Words,
}

/// How well a label matches; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Unasked,
    Same,
    Prefix,
    WordPrefix,
    Within,
    /// All letters in order, with so many others between the first and the last.
    Scattered(usize),
}

/// By which of its names an item was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    First,
    Other,
}

impl Item {
    /// An item by its two texts.
    #[must_use]
    pub fn new(label: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { label: label.into(), detail: detail.into(), also: Vec::new() }
    }

    /// The same item, found by these names as well.
    #[must_use]
    pub fn also<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.also.extend(names.into_iter().map(Into::into));
        self
    }

    /// Whether `name` is one of its names, letter by letter.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        self.label == name || self.also.iter().any(|also| also == name)
    }

    /// How well the best of its names matches a `query` in lower case; the first name before the others.
    fn rank(&self, query: &str, matching: Matching) -> Option<(Rank, Name)> {
        let others = self.also.iter().map(|name| (name, Name::Other));
        let rank = match matching {
            Matching::Letters => rank,
            Matching::Words => rank_words,
        };
        let names = std::iter::once((&self.label, Name::First)).chain(others);
        names.filter_map(|(name, which)| Some((rank(query, name)?, which))).min()
    }
}

impl Choice {
    /// All items, the first chosen.
    #[must_use]
    pub fn new(items: Arc<[Item]>) -> Self {
        let matches = (0..items.len()).collect();
        Self { items, matches, chosen: 0, matching: Matching::Letters }
    }

    /// The same, of which those match that have each word of a query somewhere.
    #[must_use]
    pub fn by_words(items: Arc<[Item]>) -> Self {
        Self { matching: Matching::Words, ..Self::new(items) }
    }

    /// Chooses the item at this place of the list as given, where it matches.
    pub fn choose(&mut self, index: usize) {
        self.chosen = self.matches.iter().position(|at| *at == index).unwrap_or(self.chosen);
    }

    /// Keeps what matches `query`, best first and otherwise in the order given; chooses the first. Case does not count.
    pub fn filter(&mut self, query: &str) {
        let query = query.to_lowercase();
        let ranked =
            |(index, item): (usize, &Item)| item.rank(&query, self.matching).map(|rank| (rank, index));
        let mut ranks: Vec<_> = self.items.iter().enumerate().filter_map(ranked).collect();
        ranks.sort();
        self.matches = ranks.into_iter().map(|(_, index)| index).collect();
        self.chosen = 0;
    }

    /// Moves the choice.
    pub fn go(&mut self, go: Go) {
        let Some(last) = self.matches.len().checked_sub(1) else { return };
        self.chosen = match go {
            Go::Up => self.chosen.checked_sub(1).unwrap_or(last),
            Go::Down if self.chosen == last => 0,
            Go::Down => self.chosen + 1,
            Go::PageUp => self.chosen.saturating_sub(WINDOW),
            Go::PageDown => (self.chosen + WINDOW).min(last),
        };
    }

    /// The chosen one: its index in the list as given, and itself.
    #[must_use]
    pub fn chosen(&self) -> Option<(usize, &Item)> {
        let index = *self.matches.get(self.chosen)?;
        Some((index, self.items.get(index)?))
    }

    /// How many match.
    #[must_use]
    pub fn matching(&self) -> usize {
        self.matches.len()
    }

    /// How many there are.
    #[must_use]
    pub fn total(&self) -> usize {
        self.items.len()
    }

    /// At most `rows` matching items around the chosen one.
    pub fn window(&self, rows: usize) -> impl Iterator<Item = &Item> {
        self.matches
            .get(self.range(rows))
            .unwrap_or_default()
            .iter()
            .filter_map(|index| self.items.get(*index))
    }

    /// Where in that window the chosen one stands.
    #[must_use]
    pub fn chosen_row(&self, rows: usize) -> usize {
        self.chosen - self.range(rows).start
    }

    fn range(&self, rows: usize) -> Range<usize> {
        let top = self.chosen.saturating_sub(rows / 2).min(self.matches.len().saturating_sub(rows));
        top..(top + rows).min(self.matches.len())
    }
}

/// How `label` matches a `query` in lower case; `None` where it does not.
fn rank(query: &str, label: &str) -> Option<Rank> {
    if query.is_empty() {
        return Some(Rank::Unasked);
    }
    let label = label.to_lowercase();
    let Some(at) = label.find(query) else {
        return scattered(query, &label).map(Rank::Scattered);
    };
    let before = label.get(..at).unwrap_or_default().chars().next_back();
    Some(match before {
        None if label.len() == query.len() => Rank::Same,
        None => Rank::Prefix,
        Some(c) if !c.is_alphanumeric() => Rank::WordPrefix,
        Some(_) => Rank::Within,
    })
}

/// How well `label` matches each word of a `query` in lower case: as well as the worst of them; `None` where it lacks one.
fn rank_words(query: &str, label: &str) -> Option<Rank> {
    let ranks = query.split_whitespace().map(|word| match rank(word, label)? {
        Rank::Scattered(_) => None,
        rank @ (Rank::Unasked | Rank::Same | Rank::Prefix | Rank::WordPrefix | Rank::Within) => Some(rank),
    });
    ranks.collect::<Option<Vec<_>>>().map(|ranks| ranks.into_iter().max().unwrap_or(Rank::Unasked))
}

/// How many letters of `label` stand between those of `query`; `None` where these do not all come in order.
fn scattered(query: &str, label: &str) -> Option<usize> {
    let mut letters = label.chars();
    let mut between = 0;
    for (index, wanted) in query.chars().filter(|c| !c.is_whitespace()).enumerate() {
        let skipped = letters.by_ref().position(|c| c == wanted)?;
        between += if index == 0 { 0 } else { skipped };
    }
    Some(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 6] = ["export", "help", "compact", "context", "cost", "add-dir"];

    fn choice(names: &[&str]) -> Choice {
        Choice::new(names.iter().map(|name| Item::new(*name, "")).collect())
    }

    fn labels(choice: &Choice, rows: usize) -> Vec<&str> {
        choice.window(rows).map(|item| item.label.as_str()).collect()
    }

    #[test]
    fn a_prefix_comes_before_a_word_before_a_part_before_scattered_letters() {
        let check = |query: &str, expected: &[&str]| {
            let mut choice = choice(&NAMES);
            choice.filter(query);
            assert_eq!(labels(&choice, WINDOW), expected, "{query}");
        };
        check("", &NAMES);
        check("co", &["compact", "context", "cost"]);
        check("CO", &["compact", "context", "cost"]);
        check("dir", &["add-dir"]);
        check("xt", &["context", "export"]);
        check("ct", &["compact", "context", "cost"]);
        check("ex", &["export", "context"]);
        check("zz", &[]);
        check("c t", &["context", "cost", "compact"]);
    }

    #[test]
    fn in_a_long_list_each_word_must_stand_somewhere() {
        let names = ["openai/gpt-5", "qwen/Qwen3-Coder-480B", "qwen/qwen3-32b", "x/coder-of-qwen", "mistral"];
        let check = |query: &str, expected: &[usize]| {
            let items = names.iter().map(|name| Item::new(*name, "")).collect();
            let mut choice = Choice::by_words(items);
            choice.filter(query);
            let expected: Vec<&str> = expected.iter().map(|at| names[*at]).collect();
            assert_eq!(labels(&choice, WINDOW), expected, "{query}");
        };
        check("", &[0, 1, 2, 3, 4]);
        check("CODER qwen", &[1, 3]);
        check("qwen  32", &[2]);
        check(" gpt ", &[0]);
        check("gp5", &[]);
        check("qwen gpt", &[]);
    }

    #[test]
    fn the_same_name_comes_before_a_longer_one() {
        let mut choice = choice(&["modeller", "mode", "model"]);
        choice.filter("mode");
        assert_eq!(labels(&choice, WINDOW), ["mode", "modeller", "model"]);
        assert_eq!(choice.chosen().unwrap().0, 1);
    }

    #[test]
    fn a_second_name_finds_an_item_and_stands_back_behind_a_first() {
        let items = [Item::new("renew", ""), Item::new("clear", "").also(["new", "reset"])];
        let items = [&items[..], &[Item::new("resume", "")]].concat();
        let mut choice = Choice::new(items.into());
        for (query, found) in [
            ("new", ["clear", "renew"].as_slice()),
            ("re", &["renew", "resume", "clear"]),
            ("res", &["resume", "clear"]),
            ("rese", &["clear"]),
        ] {
            choice.filter(query);
            assert_eq!(labels(&choice, WINDOW)[..found.len()], *found, "{query}");
        }
    }

    #[test]
    fn up_and_down_go_round_and_pages_stop_at_the_ends() {
        let names: Vec<String> = (0..25).map(|n| format!("n{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let check = |ways: &[Go], expected: usize| {
            let mut choice = choice(&names);
            for way in ways {
                choice.go(*way);
            }
            assert_eq!(choice.chosen().unwrap().0, expected, "{ways:?}");
        };
        check(&[Go::Up], 24);
        check(&[Go::Up, Go::Down], 0);
        check(&[Go::Down, Go::Down], 2);
        check(&[Go::PageDown], 10);
        check(&[Go::PageDown, Go::PageDown, Go::PageDown], 24);
        check(&[Go::Down, Go::PageUp], 0);
    }

    #[test]
    fn the_window_always_shows_the_chosen_one() {
        let names: Vec<String> = (0..25).map(|n| format!("n{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut choice = choice(&names);
        for _ in 0..30 {
            for rows in 1..=WINDOW {
                let chosen = choice.chosen().unwrap().1.label.clone();
                assert_eq!(labels(&choice, rows)[choice.chosen_row(rows)], chosen);
                assert_eq!(labels(&choice, rows).len(), rows);
            }
            choice.go(Go::Down);
        }
    }

    #[test]
    fn nothing_matches_and_nothing_is_chosen() {
        let mut choice = choice(&NAMES);
        choice.filter("qqq");
        choice.go(Go::Down);
        assert_eq!((choice.chosen(), choice.matching(), choice.total()), (None, 0, 6));
        assert_eq!(choice.chosen_row(WINDOW), 0);
    }
}
