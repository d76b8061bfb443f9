//! A list to pick from: a title, a filter that is typed, ten rows.
//!
//! It says which item was picked, not what that means. The filter is a whole input line with readline's verbs, because a
//! second, poorer one would be noticed at the first Ctrl+W.

use super::buffer::{Buffer, Edit};
use super::choice::{Choice, Go, Item};
use super::draft::Draft;

/// An open picker.
#[derive(Debug, Clone)]
pub struct Picker {
    title: String,
    filter: Buffer,
    choice: Choice,
    /// What is waited for before there is a list.
    awaited: Option<String>,
}

/// What a key asks of a picker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Press {
    /// Moves the choice.
    Go(Go),
    /// Types into the filter.
    Type(char),
    /// Edits the filter.
    Edit(Edit),
    /// Takes the chosen one.
    Enter,
    /// Leaves.
    Esc,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Picked {
    /// It is still open.
    Open,
    /// This one was taken: its index in the list as given.
    Item(usize),
    /// It was left without a choice.
    Left,
}

impl Picker {
    /// A picker over `items`, the first chosen.
    #[must_use]
    pub fn new(title: impl Into<String>, items: Vec<Item>) -> Self {
        let choice = Choice::by_words(items.into());
        Self { title: title.into(), filter: Buffer::default(), choice, awaited: None }
    }

    /// A picker that is still waiting for its list: for `what`, in a line. One can type into its filter already.
    #[must_use]
    pub fn awaiting(title: impl Into<String>, what: impl Into<String>) -> Self {
        Self { awaited: Some(what.into()), ..Self::new(title, Vec::new()) }
    }

    /// The list is there; the item at `chosen` is chosen, unless something is typed that it does not match best.
    pub fn fill(&mut self, items: Vec<Item>, chosen: usize) {
        self.awaited = None;
        self.choice = Choice::by_words(items.into());
        if self.filter.is_empty() {
            self.choice.choose(chosen);
        } else {
            self.choice.filter(self.filter.draft().text());
        }
    }

    /// What is waited for, where there is no list yet.
    #[must_use]
    pub fn awaited(&self) -> Option<&str> {
        self.awaited.as_deref()
    }

    /// Does what a key asks. Enter on an empty list is no choice and leaves it open.
    pub fn press(&mut self, press: Press) -> Picked {
        match press {
            Press::Go(go) => self.choice.go(go),
            Press::Type(c) => self.change(|filter| filter.type_in(Draft::plain(c))),
            Press::Edit(edit) => self.change(|filter| filter.edit(edit)),
            Press::Enter => {
                return self.choice.chosen().map_or(Picked::Open, |(index, _)| Picked::Item(index));
            }
            Press::Esc => return Picked::Left,
        }
        Picked::Open
    }

    /// The first line.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.title
    }

    /// What is typed to filter by.
    #[must_use]
    pub fn filter(&self) -> &Buffer {
        &self.filter
    }

    /// The list as it is shown.
    #[must_use]
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    fn change(&mut self, change: impl FnOnce(&mut Buffer)) {
        let before = self.filter.draft().clone();
        change(&mut self.filter);
        if *self.filter.draft() != before {
            self.choice.filter(self.filter.draft().text());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::model::buffer::Motion;

    fn picker() -> Picker {
        let names = ["qwen3-coder", "qwen2.5", "llama3.3", "gpt-oss"];
        Picker::new("Model", names.iter().map(|name| Item::new(*name, "128k")).collect())
    }

    fn press(picker: &mut Picker, typed: &str) {
        for c in typed.chars() {
            assert_eq!(picker.press(Press::Type(c)), Picked::Open);
        }
    }

    #[test]
    fn what_is_taken_is_told_by_its_place_in_the_list_as_given() {
        let mut picker = picker();
        press(&mut picker, "3");
        assert_eq!(picker.choice().matching(), 2);
        picker.press(Press::Go(Go::Down));
        assert_eq!(picker.press(Press::Enter), Picked::Item(2));
    }

    #[test]
    fn what_is_typed_before_the_list_is_there_filters_it() {
        let items = || ["a1", "b1", "b2"].map(|name| Item::new(name, "")).to_vec();
        let mut picker = Picker::awaiting("Model", "asking");
        assert_eq!(picker.press(Press::Enter), Picked::Open);
        assert_eq!(picker.awaited(), Some("asking"));
        picker.fill(items(), 2);
        assert_eq!(picker.press(Press::Enter), Picked::Item(2));
        assert_eq!(picker.awaited(), None);
        let mut picker = Picker::awaiting("Model", "asking");
        press(&mut picker, "1");
        picker.fill(items(), 2);
        assert_eq!((picker.choice().matching(), picker.press(Press::Enter)), (2, Picked::Item(0)));
    }

    #[test]
    fn moving_in_the_filter_keeps_the_choice() {
        let mut picker = picker();
        press(&mut picker, "q");
        picker.press(Press::Go(Go::Down));
        picker.press(Press::Edit(Edit::Move(Motion::Left)));
        assert_eq!(picker.press(Press::Enter), Picked::Item(1));
    }

    #[test]
    fn an_empty_list_takes_nothing_and_opens_again_as_the_filter_is_deleted() {
        let mut picker = picker();
        press(&mut picker, "no such model");
        assert_eq!(picker.press(Press::Enter), Picked::Open);
        picker.press(Press::Edit(Edit::Kill(Motion::LineStart)));
        assert_eq!(picker.press(Press::Enter), Picked::Item(0));
        assert_eq!(picker.press(Press::Esc), Picked::Left);
    }
}
