//! The model's list of steps as a person sees it: folded to the one that is being done, or all of them.
//!
//! A list of which all is done is kept until there is another, but it does not stay in the way: the end of the run folds it,
//! and folded it is shown only while there is something to do.

use std::ops::Range;

use crate::protocol::todo::completed;
use crate::protocol::{Todo, TodoStatus};

/// The list and how much of it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Todos {
    /// The steps.
    pub list: Vec<Todo>,
    /// How much is shown.
    pub extent: Extent,
}

/// How much of the list is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    /// The step that is being done, while a run goes on.
    #[default]
    Folded,
    /// All of them, at rest too.
    Unfolded,
}

/// How a list changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TodoChange {
    /// What it was.
    pub before: Vec<Todo>,
    /// What it is.
    pub after: Vec<Todo>,
}

impl Todos {
    /// Unfolds it, or folds it again.
    pub fn toggle(&mut self) {
        self.extent = match self.extent {
            Extent::Folded => Extent::Unfolded,
            Extent::Unfolded => Extent::Folded,
        };
    }

    /// It is this one from now on; returns how it changed.
    pub fn replace(&mut self, list: Vec<Todo>) -> TodoChange {
        let before = std::mem::replace(&mut self.list, list);
        TodoChange { before, after: self.list.clone() }
    }

    /// The run is over: what is all done goes out of the way.
    pub fn settle(&mut self) {
        if completed(&self.list) == self.list.len() {
            self.extent = Extent::Folded;
        }
    }

    /// The step that is being done, or the next one; none where all is done.
    #[must_use]
    pub fn current(&self) -> Option<&Todo> {
        let first = |status| self.list.iter().find(move |todo| todo.status == status);
        first(TodoStatus::InProgress).or_else(|| first(TodoStatus::Pending))
    }

    /// At most `most` of the steps, with the one that is being done among them.
    #[must_use]
    pub fn window(&self, most: usize) -> Range<usize> {
        let at = self.current().and_then(|current| self.list.iter().position(|todo| todo == current));
        let end = self.list.len();
        let start = at.unwrap_or(0).saturating_sub(most / 3).min(end.saturating_sub(most));
        start..end.min(start + most)
    }

    /// The whole list in lines.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        if self.list.is_empty() {
            return vec!["no todo list yet".to_owned()];
        }
        let rows = self.list.iter().map(|todo| format!("{}{}", sign(todo.status), todo.content));
        std::iter::once(counted(&self.list)).chain(rows).collect()
    }
}

impl TodoChange {
    /// The steps that are new, or stand elsewhere than before.
    #[must_use]
    pub fn changed(&self) -> Vec<&Todo> {
        self.after.iter().filter(|todo| !self.before.contains(todo)).collect()
    }

    /// How many steps are no longer there.
    #[must_use]
    pub fn dropped(&self) -> usize {
        let is_there = |todo: &Todo| self.after.iter().any(|after| after.content == todo.content);
        self.before.iter().filter(|todo| !is_there(todo)).count()
    }
}

/// How many are done, in words.
#[must_use]
pub fn counted(list: &[Todo]) -> String {
    format!("{} of {} done", completed(list), list.len())
}

/// Before a step.
#[must_use]
pub fn sign(status: TodoStatus) -> &'static str {
    match status {
        TodoStatus::Pending => "☐ ",
        TodoStatus::InProgress => "▸ ",
        TodoStatus::Completed => "✓ ",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `x` done, `>` being done, anything else to be done; the letters are the contents.
    fn list(text: &str) -> Vec<Todo> {
        let todo = |word: &str| {
            let status = match word.chars().next() {
                Some('x') => TodoStatus::Completed,
                Some('>') => TodoStatus::InProgress,
                _ => TodoStatus::Pending,
            };
            Todo { content: word.trim_start_matches(['x', '>']).to_owned(), status }
        };
        text.split_whitespace().map(todo).collect()
    }

    fn todos(text: &str) -> Todos {
        Todos { list: list(text), extent: Extent::Unfolded }
    }

    #[test]
    fn the_current_step_is_the_one_being_done_else_the_next() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(todos(text).current().map(|todo| todo.content.as_str()), expected, "{text}");
        };
        check("xa b >c", Some("c"));
        check("xa b c", Some("b"));
        check("xa xb", None);
        check("", None);
    }

    #[test]
    fn the_window_holds_the_current_step() {
        let check = |text: &str, most: usize, expected: Range<usize>| {
            assert_eq!(todos(text).window(most), expected, "{text}");
        };
        check("xa >b c", 10, 0..3);
        check("xa xb xc xd xe >f g h", 3, 4..7);
        check("xa xb xc xd xe xf xg >h", 3, 5..8);
        check("xa xb xc xd", 3, 0..3);
        check("", 3, 0..0);
    }

    #[test]
    fn a_change_is_what_is_new_and_what_is_gone() {
        let check = |before: &str, after: &str, expected: &str, dropped: usize| {
            let mut todos = todos(before);
            let change = todos.replace(list(after));
            let changed: Vec<&str> = change.changed().iter().map(|todo| todo.content.as_str()).collect();
            assert_eq!((changed.join(" ").as_str(), change.dropped()), (expected, dropped), "{after}");
        };
        check("", ">a b", "a b", 0);
        check(">a b c", "xa >b c", "a b", 0);
        check("xa >b c", "xa >b d", "d", 1);
        check("xa", "xa", "", 0);
    }

    #[test]
    fn what_is_all_done_folds_at_the_end_of_the_run() {
        let check = |text: &str, expected: Extent| {
            let mut todos = todos(text);
            todos.settle();
            assert_eq!(todos.extent, expected, "{text}");
        };
        check("xa >b", Extent::Unfolded);
        check("xa xb", Extent::Folded);
    }

    #[test]
    fn the_list_in_lines() {
        assert_eq!(todos("xa >b c").lines(), ["1 of 3 done", "✓ a", "▸ b", "☐ c"]);
        assert_eq!(todos("").lines(), ["no todo list yet"]);
    }
}
