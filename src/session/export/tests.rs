//! One small conversation in each form, and what none of them may let through.

use serde_json::{Map, Value};

use super::*;
use crate::protocol::{
    AssistantMessage, Entry, Message, ModelId, Origin, Reasoning, StopReason, ToolCall, ToolStatus,
    UserMessage,
};

fn said(text: &str, thoughts: Option<&str>, tool_calls: Vec<ToolCall>) -> Message {
    Message::Assistant(AssistantMessage {
        text: text.to_owned(),
        tool_calls,
        reasoning: thoughts.map(|text| Reasoning { field: "reasoning".to_owned(), text: text.to_owned() }),
        extra: Map::new(),
        model: ModelId::from("m"),
        usage: None,
        stop_reason: StopReason::EndTurn,
    })
}

fn history() -> History {
    let call = ToolCall::new("1", "Bash", r#"{"command":"cat a.md"}"#);
    let messages = [
        Message::user("what is <b>in</b> a.md?"),
        Message::User(UserMessage::new(Origin::Nudge, "do it")),
        said("", Some("I look."), vec![call.clone()]),
        Message::tool(&call, ToolStatus::Failed, "```\nx & y\n```\n"),
        said("It has *code*.", None, Vec::new()),
    ];
    let mut history = History::new();
    for message in messages {
        history.apply(&Entry::message(7, message));
    }
    history
}

#[test]
fn markdown_keeps_the_words_and_fences_what_was_printed() {
    let expected = "# what is <b>in</b> a.md?

## You

what is <b>in</b> a.md?

### Reasoning

```text
I look.
```

### Bash `cat a.md` (failed)

````text
```
x & y
```
````

## Answer

It has *code*.
";
    assert_eq!(render(&history(), Form::Markdown), expected);
}

#[test]
fn a_page_escapes_every_text_and_runs_nothing() {
    let page = render(&history(), Form::Html);
    assert!(page.contains("<title>what is &lt;b&gt;in&lt;/b&gt; a.md?</title>"), "{page}");
    assert!(page.contains("Bash · cat a.md · failed"), "{page}");
    assert!(page.contains("x &amp; y") && page.contains("It has *code*."), "{page}");
    for never in ["<b>", "<script", "do it"] {
        assert!(!page.contains(never), "{never}\n{page}");
    }
    let mut control = History::new();
    control.apply(&Entry::message(0, Message::user("a\u{1b}]52;c;eA==\u{7}b")));
    assert!(!render(&control, Form::Html).contains('\u{1b}'));
}

#[test]
fn json_has_every_message_as_the_file_has_it() {
    let whole: Value = serde_json::from_str(&render(&history(), Form::Json)).unwrap();
    let messages = whole["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 5);
    for (value, (slot, _)) in messages.iter().zip(history().view()) {
        let line = crate::session::entry::from_line(value.to_string().as_bytes());
        let entry = Entry::message(slot.timestamp, slot.message.clone());
        assert_eq!(line, crate::session::entry::Line::Entry(Box::new(entry)));
    }
}

#[test]
fn the_ending_names_the_form() {
    let table = [
        ("md", Some(Form::Markdown)),
        ("MD", Some(Form::Markdown)),
        ("html", Some(Form::Html)),
        ("json", Some(Form::Json)),
        ("pdf", None),
        ("", None),
    ];
    for (ending, form) in table {
        assert_eq!(Form::of_ending(ending), form, "{ending}");
    }
}
