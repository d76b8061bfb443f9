//! The popup that completes the word at the cursor: a `/command`, or an `@path`.
//!
//! It knows where the word begins and what could stand there. When it opens and closes is the composer's business. All
//! commands are known; paths are offered from outside for what was typed, and until they come, those of before are narrowed.

use std::ops::Range;
use std::sync::Arc;

use super::choice::{Choice, Go, Item};
use super::draft::Draft;
use crate::text::fuzzy::Best;
use crate::text::mention;

/// An open popup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    sign: char,
    /// Byte of the draft where the word begins, behind its sign.
    start: usize,
    query: String,
    choice: Choice,
    /// How many paths match, of which the best are in the list.
    total: usize,
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
        let total = choice.total();
        Self { sign, start, query: query.to_owned(), choice, total }
    }

    /// Follows what is typed; the choice goes back to the best match where the word has changed.
    /// Says whether it has.
    pub fn filter(&mut self, query: &str) -> bool {
        let has_changed = query != self.query;
        if has_changed {
            query.clone_into(&mut self.query);
            self.choice.filter(query);
        }
        has_changed
    }

    /// Whether it is for the word that begins at `start`, behind `sign`.
    #[must_use]
    pub fn is_of(&self, sign: char, start: usize) -> bool {
        (self.sign, self.start) == (sign, start)
    }

    /// Paths for what was typed, the best first; too late ones are dropped.
    pub fn offer(&mut self, typed: &str, best: Best) {
        if self.sign == '@' && self.query == typed {
            self.total = best.total;
            self.choice = Choice::new(best.paths.into_iter().map(|path| Item::new(path, "")).collect());
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
        if self.sign == '@' {
            return Some(self.path(&item.label, draft));
        }
        let rest = draft.slice(self.start..draft.len());
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        // the space behind the word is ours where there is one already
        let space = rest.get(word..).is_some_and(|rest| rest.starts_with(' '));
        let range = self.start..self.start + word + usize::from(space);
        Some(Completed { range, text: format!("{} ", item.label) })
    }

    /// The path in place of what is written of it. Behind a directory one goes on, so its quotes stay open.
    fn path(&self, path: &str, draft: &Draft) -> Completed {
        let at = self.start.saturating_sub(1);
        let end = draft.plain_end(self.start);
        let end = at + mention::word_end(draft.slice(at..end), 0);
        let written = mention::written(path);
        if path.ends_with('/') {
            let open = written.strip_suffix('"').unwrap_or(&written);
            return Completed { range: at..end, text: open.to_owned() };
        }
        let space = draft.slice(end..draft.len()).starts_with(' ');
        Completed { range: at..end + usize::from(space), text: format!("{written} ") }
    }

    /// How many match in all.
    #[must_use]
    pub fn total(&self) -> usize {
        self.total
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
