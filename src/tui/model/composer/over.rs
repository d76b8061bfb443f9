//! What lies over the input: the popup that completes, and the search.

use std::sync::Arc;

use super::{Completion, Composer, Escaped, InputMode, Over, Search};
use crate::text::fuzzy::Best;
use crate::text::mention;
use crate::tui::model::complete::Completed;
use crate::tui::model::draft::Draft;

/// Bytes before the cursor in which a path begins that is being typed.
const LONGEST_WORD: usize = 512;

impl Composer {
    /// Tab: takes the completion or the match, or opens the popup again.
    pub fn complete(&mut self) {
        match &self.over {
            Over::Completion(completion) => {
                if let Some(Completed { range, text }) = completion.accept(self.buffer.draft()) {
                    let is_spaced = completion.sign() == '@' && text.ends_with(' ');
                    self.buffer.replace(range, Draft::plain(text));
                    let (draft, cursor) = (self.buffer.draft(), self.buffer.cursor());
                    let is_last = !draft.slice(cursor..draft.len()).starts_with(|c: char| !c.is_whitespace());
                    self.spaced = (is_spaced && is_last).then(|| (self.buffer.version(), cursor));
                }
                self.refresh();
            }
            Over::Search(_) => self.take_match(),
            Over::Nothing | Over::Dismissed => {
                self.over = Over::Nothing;
                self.refresh();
            }
        }
    }

    /// What paths are to be looked for; asked once for each change of what is typed.
    pub fn take_wish(&mut self) -> Option<String> {
        self.wish.take()
    }

    /// Paths for an `@path`, if that is still what is typed.
    pub fn offer_paths(&mut self, typed: &str, best: Best) {
        if let Over::Completion(completion) = &mut self.over {
            completion.offer(typed, best);
        }
    }

    /// Ctrl+R: begins a search, or goes to the next older match.
    pub fn search(&mut self) {
        match &mut self.over {
            Over::Search(search) => search.older(&self.history),
            Over::Nothing | Over::Completion(_) | Over::Dismissed => {
                self.over = Over::Search(Search::default());
            }
        }
    }

    /// Esc: closes what lies over the input and leaves the input as it was.
    pub fn escape(&mut self) -> Escaped {
        match &self.over {
            Over::Completion(completion) if completion.is_shown() => {}
            Over::Search(_) => {}
            Over::Nothing | Over::Completion(_) | Over::Dismissed => return Escaped::Nothing,
        }
        self.over = Over::Dismissed;
        Escaped::Closed
    }

    /// The popup, if one is shown.
    #[must_use]
    pub fn completion(&self) -> Option<&Completion> {
        match &self.over {
            Over::Completion(completion) => Some(completion).filter(|completion| completion.is_shown()),
            Over::Nothing | Over::Dismissed | Over::Search(_) => None,
        }
    }

    /// The search, if one goes on.
    #[must_use]
    pub fn searching(&self) -> Option<&Search> {
        match &self.over {
            Over::Search(search) => Some(search),
            Over::Nothing | Over::Dismissed | Over::Completion(_) => None,
        }
    }

    /// Ends a search by taking its match into the input.
    pub(super) fn take_match(&mut self) {
        let Over::Search(search) = &self.over else { return };
        if let Some(found) = search.found(&self.history).cloned() {
            self.buffer.set(found);
            self.settle();
        }
        self.over = Over::Dismissed;
    }

    /// Opens, narrows or closes the popup after a change.
    pub(super) fn refresh(&mut self) {
        let Some((sign, start, query)) = self.word() else {
            self.over = Over::Nothing;
            return;
        };
        let is_new = match &mut self.over {
            Over::Completion(completion) if completion.is_of(sign, start) => completion.filter(&query),
            Over::Completion(_) | Over::Nothing => {
                let items = if sign == '/' { Arc::clone(&self.commands) } else { Arc::default() };
                self.over = Over::Completion(Completion::new(sign, start, &query, items));
                true
            }
            Over::Dismissed | Over::Search(_) => false,
        };
        if is_new && sign == '@' {
            self.wish = Some(query);
        }
    }

    /// The word at the cursor that can be completed: its sign, where it begins behind that, and what is written of it.
    fn word(&self) -> Option<(char, usize, String)> {
        if let Some(query) = self.command_word() {
            return Some(('/', 1, query.to_owned()));
        }
        match self.mode() {
            InputMode::Prompt | InputMode::Command => {}
            InputMode::Shell | InputMode::Note => return None,
        }
        let (from, before) = self.buffer.draft().before(self.buffer.cursor(), LONGEST_WORD);
        let open = mention::open(before)?;
        Some(('@', from + open.start + 1, open.query.to_owned()))
    }

    /// The part before the cursor of a command's name, while the cursor is in it.
    fn command_word(&self) -> Option<&str> {
        let draft = self.buffer.draft();
        let behind_sign = draft.mode() == InputMode::Command && self.buffer.cursor() > 0;
        let word = behind_sign.then(|| draft.slice(1..self.buffer.cursor()))?;
        (!word.contains(char::is_whitespace)).then_some(word)
    }
}
