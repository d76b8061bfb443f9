//! A conversation for other eyes: as Markdown, as one HTML page, as JSON.
//!
//! Pure: a history in, a text out; whoever calls knows the file, and takes keys out of the text before it is written. What counts
//! now is told, behind the summary where there was a compaction; what was rewound is not. What the program said to the model in
//! the user's place (reminders, nudges) is left out of the readable forms and stands in the JSON.

mod html;
mod json;
mod markdown;
mod parts;

use crate::protocol::History;

/// The form of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Headings, fenced output.
    Markdown,
    /// One page that needs nothing else.
    Html,
    /// The messages as the session's file has them, in one object.
    Json,
}

impl Form {
    /// The form that the ending of a file's name asks for; none where there is no such form.
    #[must_use]
    pub fn of_ending(ending: &str) -> Option<Self> {
        match ending.to_ascii_lowercase().as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// The conversation in this form, with a newline at its end.
#[must_use]
pub fn render(history: &History, form: Form) -> String {
    match form {
        Form::Markdown => markdown::render(history),
        Form::Html => html::render(history),
        Form::Json => json::render(history),
    }
}

#[cfg(test)]
mod tests;
