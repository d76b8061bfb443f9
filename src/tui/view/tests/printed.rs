//! What leaves for the scrollback.

use super::*;

#[test]
fn what_waits_is_printed_once_and_set_apart_by_empty_lines() {
    let mut model = model(80, 24);
    model.transcript.push(Cell::Head(Box::new(facts())));
    model.transcript.push(Cell::User("fix it".to_owned()));
    let history = |model: &Model| picture(model, Theme::Colour, Moment(0)).history;
    check(
        &text(&history(&model)),
        "clawd 0.1.0 · qwen3-coder at 127.0.0.1:11434 · ~/src/shop (main)
AGENTS.md · ? keys, / commands

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
