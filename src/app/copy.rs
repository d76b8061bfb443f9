//! What `/copy` copies: the last answer as it came, or a block of its code.
//!
//! The source and not the picture: no wrapping, no indentation of ours, every byte. Whether it reaches a clipboard is the
//! terminal's business, and what is said here promises no more.

use crate::protocol::{History, Message};
use crate::text::fences;
use crate::text::units::counted;

/// Some terminals take no more than this at once (xterm.js and hterm cut at 75,000 bytes of base64).
const MUCH: usize = 56_000;

/// Something to copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    /// Every byte of it.
    pub text: String,
    /// What it is, in a line.
    pub said: String,
}

/// The last answer, or its block of code with this number, from 1.
///
/// # Errors
/// Where there is no such thing: why, in a line.
pub fn copied(history: &History, block: Option<usize>) -> Result<Copy, String> {
    let answer = history.messages().rev().find_map(|message| match message {
        Message::Assistant(said) if !said.text.trim().is_empty() => Some(said.text.as_str()),
        Message::Assistant(_) | Message::User(_) | Message::Tool(_) => None,
    });
    let answer = answer.ok_or("nothing to copy: no answer yet")?;
    match block {
        None => Ok(copy(answer.to_owned(), "the last answer")),
        Some(number) => code(answer, number),
    }
}

fn code(answer: &str, number: usize) -> Result<Copy, String> {
    let blocks = fences::blocks(answer);
    let there_are = blocks.len();
    let found = number.checked_sub(1).and_then(|index| blocks.into_iter().nth(index));
    let found = found.ok_or_else(|| match there_are {
        0 => "nothing to copy: the last answer has no code block (try /copy for the whole answer)".to_owned(),
        1 => format!("no code block {number}: the last answer has one (try /copy 1)"),
        many => {
            format!("no code block {number}: the last answer has {many} (try /copy 1 to /copy {many})")
        }
    })?;
    let language = if found.language.is_empty() { String::new() } else { format!(" ({})", found.language) };
    Ok(copy(found.text, &format!("code block {number} of {there_are}{language}")))
}

fn copy(text: String, what: &str) -> Copy {
    let size = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let lines = counted(size(text.lines().count()), "line", "lines");
    let characters = counted(size(text.chars().count()), "character", "characters");
    let much = if text.len() > MUCH { "; some terminals reject this size" } else { "" };
    let said = format!("copied {what}: {lines}, {characters}, through the terminal (OSC 52){much}");
    Copy { text, said }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::protocol::{AssistantMessage, Entry, ModelId, StopReason};

    fn history(answers: &[&str]) -> History {
        let mut history = History::new();
        for text in answers {
            let said = AssistantMessage {
                text: (*text).to_owned(),
                tool_calls: Vec::new(),
                reasoning: None,
                extra: Map::new(),
                model: ModelId::from("m"),
                usage: None,
                stop_reason: StopReason::EndTurn,
            };
            history.apply(&Entry::message(0, Message::user("go")));
            history.apply(&Entry::message(0, Message::Assistant(said)));
        }
        history
    }

    fn check(answers: &[&str], block: Option<usize>, expected: Result<(&str, &str), &str>) {
        let found = copied(&history(answers), block);
        let found = found.as_ref().map(|copy| (copy.text.as_str(), copy.said.as_str()));
        assert_eq!(found.map_err(String::as_str), expected, "{answers:?} {block:?}");
    }

    #[test]
    fn the_last_answer_or_a_block_of_it_is_copied_byte_for_byte() {
        let two = "Do:\n```sh\nls -l\n\tx\r\n```\nor\n```\nb\n```\n";
        check(
            &["old", "a *b*\n\n  c\t"],
            None,
            Ok((
                "a *b*\n\n  c\t",
                "copied the last answer: 3 lines, 11 characters, through the terminal (OSC 52)",
            )),
        );
        check(
            &[two],
            Some(1),
            Ok((
                "ls -l\n\tx\r\n",
                "copied code block 1 of 2 (sh): 2 lines, 10 characters, through the terminal (OSC 52)",
            )),
        );
        check(
            &[two],
            Some(2),
            Ok(("b\n", "copied code block 2 of 2: 1 line, 2 characters, through the terminal (OSC 52)")),
        );
        check(&[two], Some(3), Err("no code block 3: the last answer has 2 (try /copy 1 to /copy 2)"));
        check(
            &["x"],
            Some(1),
            Err("nothing to copy: the last answer has no code block (try /copy for the whole answer)"),
        );
        check(&[], None, Err("nothing to copy: no answer yet"));
    }

    #[test]
    fn so_much_that_it_may_be_refused_is_said() {
        let said = |length: usize| copied(&history(&[&"x".repeat(length)]), None).unwrap().said;
        assert!(said(MUCH + 1).contains("reject") && !said(MUCH).contains("reject"));
    }
}
