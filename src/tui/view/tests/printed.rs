//! What leaves for the scrollback.

use super::*;
use crate::tui::view::testing::numbered;

#[test]
fn what_waits_is_printed_once_and_set_apart_by_empty_lines() {
    let mut model = model(80, 24);
    model.transcript.push(Cell::Head(Box::new(facts())));
    model.transcript.push(Cell::User("fix it".to_owned()));
    let history = |model: &Model| picture(model, Theme::Colour, Moment(0)).history;
    check(
        &text(&history(&model)),
        "clawd 0.1.0 · qwen3-coder at 127.0.0.1:11434 · ~/src/shop (main)
AGENTS.md · ? for keys, / for commands

❯ fix it",
    );
    model.transcript.mark_printed();
    assert_eq!(history(&model), []);
    let line = |text: &str| Display::Line(text.to_owned());
    let look = call("read", "src/cart.rs", ToolStatus::Success, line("42 lines"));
    model.transcript.push(Cell::Explored(vec![look]));
    model.transcript.push(Cell::Call(Box::new(call("run", "true", ToolStatus::Success, line("")))));
    model.transcript.push(Cell::Interrupted { what: None, given_back: 0 });
    check(
        &text(&history(&model)),
        "
● explored  Read src/cart.rs
● run  true  2 s

⊘ Interrupted",
    );
}

#[test]
fn the_scrollback_has_no_tabs_and_no_control_characters() {
    let hostile = "a\tb\x1b[2J\x07\u{9b}c";
    let mut model = model(80, 24);
    let display = Display::Output { text: hostile.to_owned(), ended: Some(hostile.to_owned()) };
    let done = call(hostile, hostile, ToolStatus::Failed, display);
    model.transcript.push(Cell::Explored(vec![done.clone()]));
    model.transcript.push(Cell::Call(Box::new(done)));
    model.transcript.push(Cell::Interrupted { what: Some(hostile.to_owned()), given_back: 0 });
    model.transcript.push(Cell::Lines(vec![hostile.to_owned()]));
    let step = Todo { content: hostile.to_owned(), status: TodoStatus::Pending };
    let change = TodoChange { before: Vec::new(), after: vec![step] };
    model.transcript.push(Cell::Todos(Box::new(change)));
    for cell in [Cell::User, Cell::Remark, Cell::Error, Cell::Void] {
        model.transcript.push(cell(hostile.to_owned()));
    }
    for line in picture(&model, Theme::Colour, Moment(0)).history {
        assert!(!line.to_string().contains(char::is_control), "{line:?}");
    }
}

#[test]
fn what_is_shown_ahead_stands_above_the_input_as_it_will_be_printed_and_is_not_printed_yet() {
    let mut model = model(80, 12);
    model.transcript.push(Cell::Remark("certain".to_owned()));
    let from = model.transcript.cells().len();
    model.transcript.push(Cell::User("one".to_owned()));
    model.transcript.push(Cell::Lines(numbered(4).lines().map(str::to_owned).collect()));
    let certain = picture(&model, Theme::Colour, Moment(0));
    model.transcript.mark_ahead(from);
    model.stage = Stage::Opening;
    let ahead = picture(&model, Theme::Colour, Moment(0));
    assert_eq!(text(&ahead.history), "certain");
    let both = [text(&ahead.history), text(&ahead.live)].join("\n");
    assert_eq!(both, [text(&certain.history), text(&certain.live)].join("\n"));
    let above = u16::try_from(ahead.live.len() - certain.live.len()).unwrap();
    assert_eq!(ahead.cursor.unwrap().row, certain.cursor.unwrap().row + above);
    model.transcript.push(Cell::Lines(numbered(30).lines().map(str::to_owned).collect()));
    let ahead = picture(&model, Theme::Colour, Moment(0));
    assert_eq!(ahead.live.len(), 12, "the end of it, as much as there is room for");
    assert!(text(&ahead.live).starts_with("line 2"), "{}", text(&ahead.live));
}
