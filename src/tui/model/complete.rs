//! The popup that completes the word at the cursor: a `/command` today, an `@path` as well once somebody offers paths.
//!
//! It knows where the word begins and what could stand there. When it opens and closes is the composer's business.

use std::ops::Range;
use std::sync::Arc;

use super::choice::{Choice, Go, Item};
use super::draft::Draft;

/// An open popup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    sign: char,
    /// Byte of the draft where the word begins, behind its sign.
    start: usize,
    query: String,
    choice: Choice,
}

/// What takes the place of the word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completed {
    /// The bytes that it replaces.
    pub range: Range<usize>,
    /// What stands there then, a space included.
    pub text: String,
}

impl Completion {
    /// Opens for the word that begins at `start`, behind `sign`, of which `query` is written.
    #[must_use]
    pub fn new(sign: char, start: usize, query: &str, items: Arc<[Item]>) -> Self {
        let mut choice = Choice::new(items);
        choice.filter(query);
        Self { sign, start, query: query.to_owned(), choice }
    }

    /// Follows what is typed; the choice goes back to the best match where the word has changed.
    pub fn filter(&mut self, query: &str) {
        if query != self.query {
            query.clone_into(&mut self.query);
            self.choice.filter(query);
        }
    }

    /// Moves the choice.
    pub fn go(&mut self, go: Go) {
        self.choice.go(go);
    }

    /// Whether there is anything to show.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.choice.matching() > 0
    }

    /// Whether the chosen one stands there already, by any of its names.
    #[must_use]
    pub fn is_written(&self) -> bool {
        self.choice.chosen().is_some_and(|(_, item)| item.is_named(&self.query))
    }

    /// What the chosen one makes of the draft; `None` where nothing matches.
    #[must_use]
    pub fn accept(&self, draft: &Draft) -> Option<Completed> {
        let (_, item) = self.choice.chosen()?;
        let rest = draft.slice(self.start..draft.len());
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        // the space behind the word is ours where there is one already
        let space = rest.get(word..).is_some_and(|rest| rest.starts_with(' '));
        let range = self.start..self.start + word + usize::from(space);
        Some(Completed { range, text: format!("{} ", item.label) })
    }

    /// What the names are shown with: `/`, or `@`.
    #[must_use]
    pub fn sign(&self) -> char {
        self.sign
    }

    /// The list as it is shown.
    #[must_use]
    pub fn choice(&self) -> &Choice {
        &self.choice
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands() -> Arc<[Item]> {
        ["help", "compact", "context"].iter().map(|name| Item::new(*name, "")).collect()
    }

    #[test]
    fn the_whole_word_is_replaced_and_a_space_follows() {
        let check = |text: &str, query: &str, expected: &str| {
            let completion = Completion::new('/', 1, query, commands());
            let Completed { range, text: name } = completion.accept(&Draft::plain(text)).unwrap();
            let mut after = text.to_owned();
            after.replace_range(range, &name);
            assert_eq!(after, expected);
        };
        check("/", "", "/help ");
        check("/con", "con", "/context ");
        check("/cox rest", "co", "/compact rest");
        check("/co\nrest", "co", "/compact \nrest");
    }

    #[test]
    fn the_choice_stays_while_the_word_stays() {
        let mut completion = Completion::new('/', 1, "co", commands());
        completion.go(Go::Down);
        completion.filter("co");
        assert_eq!(completion.choice().chosen().unwrap().1.label, "context");
        completion.filter("com");
        assert_eq!(completion.choice().chosen().unwrap().1.label, "compact");
        assert!(!completion.is_written());
        completion.filter("compact");
        assert!(completion.is_written());
    }

    #[test]
    fn nothing_that_matches_completes_nothing() {
        let completion = Completion::new('/', 1, "usr/bin", commands());
        assert!(!completion.is_shown());
        assert_eq!(completion.accept(&Draft::plain("/usr/bin")), None);
    }
}
