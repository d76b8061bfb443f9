//! What the tests of this room share: lines as text, small builders, and the three sizes of every picture.

use std::time::Duration;

use ratatui::text::Line;

use super::brush::{Brush, Manner};
use super::theme::Theme;
use super::wrap::width;
use crate::protocol::{
    AssistantMessage, Content, Display, Entry, History, Message, Results, StopReason, ToolCall, ToolMessage,
    ToolStatus,
};
use crate::tui::model::call::{DoneCall, Label};
use crate::tui::model::composer::Composer;
use crate::tui::model::facts::Facts;
use crate::tui::model::moment::Moment;
use crate::tui::model::{Model, Size, Stage};
use crate::tui::slash;

/// Eighty columns.
pub(super) const BRUSH: Brush = Brush { theme: Theme::Colour, columns: 80, manner: Manner::USUAL };

/// The text of lines, without spaces at their ends.
pub(super) fn text(lines: &[Line<'_>]) -> String {
    lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// The same, with `|` at the cursor.
pub(super) fn text_with_cursor(lines: &[Line<'_>], cursor: Option<(usize, usize)>) -> String {
    let mut rows: Vec<String> = lines.iter().map(Line::to_string).collect();
    if let Some((row, column)) = cursor {
        let row = &mut rows[row];
        *row += &" ".repeat(column.saturating_sub(width(row)));
        let at = (0..=row.len()).find(|at| row.get(..*at).is_some_and(|text| width(text) == column));
        row.insert(at.unwrap(), '|');
    }
    rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>().join("\n")
}

/// So many lines: `line 1`, `line 2`, …
pub(super) fn numbered(lines: usize) -> String {
    (1..=lines).fold(String::new(), |text, n| text + "line " + &n.to_string() + "\n")
}

/// Compares a picture with what it should be.
#[track_caller]
pub(super) fn check(actual: &str, expected: &str) {
    assert_eq!(actual, expected, "\n{actual}\n");
}

/// A call that is over.
pub(super) fn call(verb: &str, object: &str, status: ToolStatus, display: Display) -> DoneCall {
    let label = Label { verb: verb.to_owned(), object: object.to_owned() };
    DoneCall { id: "c".into(), label, status, display, duration: Duration::from_millis(2_300) }
}

/// The facts of an ordinary session.
pub(super) fn facts() -> Facts {
    Facts {
        model: "qwen3-coder".to_owned(),
        host: "127.0.0.1:11434".to_owned(),
        cwd: "~/src/shop".to_owned(),
        branch: Some("main".to_owned()),
        mode: "default".to_owned(),
        instructions: vec!["AGENTS.md".to_owned()],
        window: Some(128_000),
        silence: Some(Duration::from_mins(2)),
        ..Facts::default()
    }
}

/// A session at rest.
pub(super) fn model(columns: u16, rows: u16) -> Model {
    let commands = slash::TABLE.iter().map(|row| crate::tui::model::choice::Item::new(row.name, row.text));
    let mut model = Model::new(Size { columns, rows }, Composer::new(commands.collect()));
    model.facts = facts();
    model.stage = Stage::Idle;
    model
}

/// The live region as text, with `|` at the cursor.
pub(super) fn live(model: &Model, now: u64) -> String {
    let picture = super::picture(model, Theme::Colour, Moment(now));
    let cursor = picture.cursor.map(|spot| (usize::from(spot.row), usize::from(spot.col)));
    text_with_cursor(&picture.live, cursor)
}

/// What a call of this number has given.
pub(super) fn results(call: &str, text: &str) -> Results {
    let said = AssistantMessage {
        text: String::new(),
        tool_calls: vec![ToolCall::new(call, "Read", "{}")],
        reasoning: None,
        extra: serde_json::Map::default(),
        model: "m".into(),
        usage: None,
        stop_reason: StopReason::ToolUse,
    };
    let (name, content, status) = ("Read".into(), Content::text(text), ToolStatus::Success);
    let answer = ToolMessage { call_id: call.into(), name, content, status };
    let mut history = History::new();
    for message in [Message::user("go"), Message::Assistant(said), Message::Tool(answer)] {
        history.apply(&Entry::message(1, message));
    }
    Results::of(&history)
}
