//! What was entered before: walking through it with Up and Down, searching it with Ctrl+R.
//!
//! It reads and writes no file; it only knows how one line of `history.jsonl` looks.
//!
//! A line says its mode where it had one. A pasted `!rm -rf x` was a message, and Up followed by Enter in a later session
//! must not make it a command: so a line without a mode is a message, whatever it begins with.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::draft::{Draft, InputMode};

/// Entries that are kept: months of work, and still searched within a frame.
pub const CAP: usize = 1_000;

/// The entries, oldest first, and where Up has come to.
#[derive(Debug, Clone, Default)]
pub struct History {
    entries: VecDeque<Draft>,
    /// The entry that is shown, and the draft that waits behind it.
    walk: Option<(usize, Draft)>,
}

/// An incremental search backwards.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    query: String,
    found: Option<usize>,
    missed: bool,
}

/// One line of the file, as it is written.
#[derive(Serialize)]
struct Line<'a> {
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    /// Milliseconds since 1970.
    timestamp: u64,
}

/// What is read of a line.
#[derive(Deserialize)]
struct Kept {
    text: String,
    mode: Option<String>,
}

/// The line for a draft that was entered at `timestamp`, in milliseconds since 1970; without its newline.
#[must_use]
pub fn to_line(draft: &Draft, timestamp: u64) -> String {
    let line = Line { text: draft.text(), mode: mode_name(draft.mode()), timestamp };
    serde_json::to_string(&line).unwrap_or_default()
}

/// The draft of a line; `None` where it is none, or an empty one.
#[must_use]
pub fn from_line(line: &str) -> Option<Draft> {
    let kept: Kept = serde_json::from_str(line).ok()?;
    let plain = Draft::read_back(kept.text);
    let signed = plain.clone().signed();
    let draft = if kept.mode.as_deref() == mode_name(signed.mode()) { signed } else { plain };
    Some(draft).filter(|draft| !draft.body().trim().is_empty())
}

const fn mode_name(mode: InputMode) -> Option<&'static str> {
    match mode {
        InputMode::Prompt => None,
        InputMode::Shell => Some("shell"),
        InputMode::Note => Some("note"),
        InputMode::Command => Some("command"),
    }
}

impl History {
    /// Fills in what was kept from earlier sessions, oldest first, before what this one has entered.
    pub fn load(&mut self, earlier: impl IntoIterator<Item = Draft>) {
        let own = std::mem::take(&mut self.entries);
        self.walk = None;
        earlier.into_iter().chain(own).for_each(|draft| self.push(draft));
    }

    /// Adds an entry, unless it is the same as the last, and ends the walk.
    pub fn push(&mut self, draft: Draft) {
        self.walk = None;
        if self.entries.back().is_some_and(|last| last.text() == draft.text() && last.mode() == draft.mode())
        {
            return;
        }
        if self.entries.len() == CAP {
            self.entries.pop_front();
        }
        self.entries.push_back(draft);
    }

    /// The entry before the one shown; `None` at the oldest. The first step keeps `current` as the draft.
    pub fn older(&mut self, current: &Draft) -> Option<Draft> {
        let shown = self.walk.as_ref().map_or(self.entries.len(), |(index, _)| *index);
        let index = shown.checked_sub(1)?;
        let entry = self.entries.get(index)?.clone();
        match &mut self.walk {
            Some((at, _)) => *at = index,
            None => self.walk = Some((index, current.clone())),
        }
        Some(entry)
    }

    /// The entry after the one shown, and behind the newest the draft; `None` where nothing is walked through.
    pub fn newer(&mut self) -> Option<Draft> {
        let (index, draft) = self.walk.take()?;
        let Some(entry) = self.entries.get(index + 1) else { return Some(draft) };
        self.walk = Some((index + 1, draft));
        Some(entry.clone())
    }

    /// Ends the walk: what is shown is the draft now.
    pub fn rest(&mut self) {
        self.walk = None;
    }

    /// The newest entry before `end` that `accepts`.
    fn find(&self, end: usize, accepts: impl Fn(&Draft) -> bool) -> Option<usize> {
        let end = end.min(self.entries.len());
        self.entries.range(..end).rposition(accepts)
    }
}

impl Search {
    /// What is looked for.
    #[must_use]
    pub fn query(&self) -> &str {
        &self.query
    }

    /// Whether the last step found nothing (the match before it stays).
    #[must_use]
    pub fn missed(&self) -> bool {
        self.missed
    }

    /// The entry that was found.
    #[must_use]
    pub fn found<'a>(&self, history: &'a History) -> Option<&'a Draft> {
        history.entries.get(self.found?)
    }

    /// Adds to the query: the match stays where it still matches, else an older one is looked for.
    pub fn type_in(&mut self, typed: &str, history: &History) {
        self.query.push_str(typed);
        let end = self.found.map_or(usize::MAX, |found| found + 1);
        self.look(end, None, history);
    }

    /// Takes the last character off the query and looks again from the newest entry.
    pub fn rub_out(&mut self, history: &History) {
        self.query.pop();
        self.found = None;
        self.missed = false;
        if !self.query.is_empty() {
            self.look(usize::MAX, None, history);
        }
    }

    /// Goes to the next older match that reads differently.
    pub fn older(&mut self, history: &History) {
        let shown = self.found(history).map(Draft::text);
        self.look(self.found.unwrap_or(usize::MAX), shown, history);
    }

    /// Looks before `end`. A query in lower case finds both cases.
    fn look(&mut self, end: usize, shown: Option<&str>, history: &History) {
        if self.query.is_empty() {
            return;
        }
        let exact = self.query.chars().any(char::is_uppercase);
        let found = history.find(end, |entry| {
            let text = entry.text();
            let matches = text.contains(&self.query) || (!exact && text.to_lowercase().contains(&self.query));
            matches && shown != Some(text)
        });
        self.missed = found.is_none();
        self.found = found.or(self.found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(entries: &[&str]) -> History {
        let mut history = History::default();
        history.load(entries.iter().map(|entry| Draft::plain(*entry)));
        history
    }

    fn texts(history: &mut History) -> Vec<String> {
        let mut texts = Vec::new();
        while let Some(entry) = history.older(&Draft::default()) {
            texts.push(entry.text().to_owned());
        }
        texts
    }

    #[test]
    fn the_draft_waits_behind_the_newest_entry() {
        let mut history = history(&["one", "two"]);
        let draft = Draft::pasted(&"line\n".repeat(30));
        assert_eq!(history.newer(), None);
        assert_eq!(history.older(&draft), Some(Draft::plain("two")));
        assert_eq!(history.older(&Draft::plain("two, edited")), Some(Draft::plain("one")));
        assert_eq!(history.older(&Draft::plain("one")), None);
        assert_eq!(history.newer(), Some(Draft::plain("two")));
        assert_eq!(history.newer(), Some(draft));
        assert_eq!(history.newer(), None);
    }

    #[test]
    fn the_same_entry_twice_is_kept_once_unless_another_stands_between() {
        assert_eq!(texts(&mut history(&["a", "a", "b", "a"])), ["a", "b", "a"]);
        let mut modes = history(&["!ls"]);
        modes.push(Draft::plain("!ls").signed());
        assert_eq!(texts(&mut modes), ["!ls", "!ls"]);
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many() {
        let mut history = History::default();
        (0..CAP + 5).for_each(|n| history.push(Draft::plain(n.to_string())));
        let texts = texts(&mut history);
        assert_eq!((texts.len(), texts.last().map(String::as_str)), (CAP, Some("5")));
    }

    #[test]
    fn what_was_kept_comes_before_what_was_entered_while_it_was_read() {
        let mut history = history(&["new"]);
        history.load([Draft::plain("old"), Draft::plain("older sister of new")]);
        assert_eq!(texts(&mut history), ["new", "older sister of new", "old"]);
    }

    #[test]
    fn a_line_brings_back_the_text_and_the_mode() {
        let check = |draft: Draft, expected: &str| {
            let line = to_line(&draft, 1_700_000_000_000);
            assert_eq!(line, expected);
            let back = from_line(&line).unwrap();
            assert_eq!((back.text(), back.mode()), (draft.text(), draft.mode()));
        };
        check(Draft::plain("say \"hi\"\nnow"), r#"{"text":"say \"hi\"\nnow","timestamp":1700000000000}"#);
        check(Draft::plain("!ls").signed(), r#"{"text":"!ls","mode":"shell","timestamp":1700000000000}"#);
        check(
            Draft::plain("/help").signed(),
            r#"{"text":"/help","mode":"command","timestamp":1700000000000}"#,
        );
        // pasted, so it was a message, and must not become a command later
        check(Draft::pasted("!rm -rf x"), r#"{"text":"!rm -rf x","timestamp":1700000000000}"#);
    }

    #[test]
    fn a_damaged_or_empty_line_is_no_entry() {
        for line in
            ["", "{", "[]", r#"{"timestamp":1}"#, r#"{"text":"  "}"#, r#"{"text":"!","mode":"shell"}"#]
        {
            assert_eq!(from_line(line), None, "{line}");
        }
        assert_eq!(from_line(r#"{"text":"a","later":[1]}"#), Some(Draft::plain("a")));
        assert_eq!(from_line(r#"{"text":"a","timestamp":"2026"}"#), Some(Draft::plain("a")));
    }

    #[test]
    fn a_search_narrows_steps_and_keeps_its_match_when_there_is_no_other() {
        let history =
            history(&["cargo test", "git log", "Cargo build", "git status", "git status -s", "git log"]);
        let mut search = Search::default();
        let found = |search: &Search| search.found(&history).map_or("-", Draft::text).to_owned();
        let mut trace = vec![found(&search)];
        search.older(&history);
        trace.push(found(&search));
        for typed in ["g", "it ", "s"] {
            search.type_in(typed, &history);
            trace.push(found(&search));
        }
        for _ in 0..2 {
            search.older(&history);
            trace.push(found(&search));
        }
        let expected =
            ["-", "-", "git log", "git log", "git status -s", "git status", "git status"].map(str::to_owned);
        assert_eq!(trace, expected);
        assert!(search.missed());
        search.rub_out(&history);
        assert_eq!((found(&search).as_str(), search.missed()), ("git log", false));
    }

    #[test]
    fn a_search_in_lower_case_finds_both_cases() {
        let history = history(&["cargo test", "Cargo build"]);
        let check = |query: &str, expected: &[&str]| {
            let mut search = Search::default();
            search.type_in(query, &history);
            let mut found = vec![search.found(&history).unwrap().text()];
            search.older(&history);
            found.extend((!search.missed()).then(|| search.found(&history).unwrap().text()));
            assert_eq!(found, expected);
        };
        check("cargo", &["Cargo build", "cargo test"]);
        check("Cargo", &["Cargo build"]);
    }
}
