//! The list of steps that the model keeps: values only.
//!
//! It is the model's list, not the user's: it is replaced as a whole by each call that changes it. Marks are plain ASCII here,
//! for this text goes back to the model; the screen has signs of its own.

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Todo {
    /// What is to be done, in one line.
    pub content: String,
    /// Where it stands.
    pub status: TodoStatus,
}

/// Where a step stands; the names are the contract's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TodoStatus {
    /// Not begun.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
}

impl TodoStatus {
    /// The outside names.
    pub const NAMES: [&str; 3] = ["pending", "in_progress", "completed"];

    fn mark(self) -> &'static str {
        match self {
            Self::Pending => "[ ]",
            Self::InProgress => "[>]",
            Self::Completed => "[x]",
        }
    }
}

/// How many of the steps are done.
#[must_use]
pub fn completed(todos: &[Todo]) -> usize {
    todos.iter().filter(|todo| todo.status == TodoStatus::Completed).count()
}

/// The list in words: a count, then a line a step.
#[must_use]
pub fn to_text(todos: &[Todo]) -> String {
    if todos.is_empty() {
        return "the list is empty".to_owned();
    }
    let head = format!("{} of {} done", completed(todos), todos.len());
    let rows = todos.iter().map(|todo| format!("{} {}", todo.status.mark(), todo.content));
    std::iter::once(head).chain(rows).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_told_with_its_count_and_a_line_a_step() {
        let todo = |content: &str, status| Todo { content: content.to_owned(), status };
        assert_eq!(to_text(&[]), "the list is empty");
        let list = [
            todo("look", TodoStatus::Completed),
            todo("mend", TodoStatus::InProgress),
            todo("test", TodoStatus::Pending),
        ];
        assert_eq!(to_text(&list), "1 of 3 done\n[x] look\n[>] mend\n[ ] test");
    }
}
