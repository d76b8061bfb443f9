//! Does an answer only announce an action?
//!
//! Some models end with "Let me check the file." and no call. Such an answer is followed by a nudge. A false alarm annoys,
//! so all of this must hold: the last sentence announces, with a verb of doing, or the text ends in a colon or an
//! ellipsis; nothing is asked; the last line is no list, quote or code. Whether a nudge is given at all (tools offered,
//! none refused, not twice already) is the loop's business.

use std::sync::LazyLock;

use regex::Regex;

/// What an English speaker's model is told.
const NUDGE: &str = "Carry out the action you announced; do not only describe it.";
/// What a Chinese speaker's model is told: the words of the source design.
const NUDGE_CHINESE: &str = "请执行你提到的操作，不要只是描述。";

/// Announcements, as they begin a sentence, each with a verb that a tool could carry out.
pub static INCOMPLETE_INTENT_PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    const VERBS: &str = "check|look|read|open|search|run|start|fix|create|update|write|add|examine|inspect|list|find|view|edit|execute|explore|verify|begin|take a look";
    [
        format!(
            r"(?i)^(?:(?:ok|okay|sure|great|alright|now|first|next|then|so)[,.!:]? )*(?:let me|let's|i'll|i will|i am going to|i'm going to|now i will|now i'll)(?: (?:first|now|then|next|just|quickly|start by|begin by|go ahead and|also))* (?:{VERBS})(?:ing)?\b"
        ),
        r"^(?:好的?[，,。]?|首先[，,]?|现在[，,]?|接下来[，,]?|那么[，,]?)*(?:让我|我来|我先|我将|我会)(?:先|来|再|现在|开始|一下)*(?:查看|检查|看|读|打开|搜索|运行|执行|开始|修复|创建|更新|写|添加|分析|查找|列出)".to_owned(),
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// Whether `text` announces an action without doing it.
#[must_use]
pub fn detect_incomplete_intent(text: &str) -> bool {
    let text = text.trim_end();
    let last_line = text.lines().next_back().unwrap_or_default().trim();
    if last_line.is_empty() || ends_in_code(text) || is_list_or_quote(last_line) || asks(last_line) {
        return false;
    }
    let sentence = last_sentence(last_line);
    if waits_for_the_user(sentence) {
        return false;
    }
    let announces = INCOMPLETE_INTENT_PATTERNS.iter().any(|pattern| pattern.is_match(sentence));
    announces || trails_off(sentence)
}

/// The nudge in the language of the user's last message.
#[must_use]
pub fn nudge_for(last_user_text: &str) -> &'static str {
    if last_user_text.chars().any(is_chinese) { NUDGE_CHINESE } else { NUDGE }
}

fn ends_in_code(text: &str) -> bool {
    text.ends_with("```") || text.matches("```").count() % 2 == 1
}

fn is_list_or_quote(line: &str) -> bool {
    let numbered = line.split_once(['.', ')']).is_some_and(|(number, rest)| {
        !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) && rest.starts_with(' ')
    });
    numbered || ["- ", "* ", "+ ", "> ", "| "].iter().any(|mark| line.starts_with(mark))
}

fn asks(line: &str) -> bool {
    line.ends_with(['?', '？'])
}

/// The last sentence of a line: behind the last full stop that is followed by a space.
fn last_sentence(line: &str) -> &str {
    let body = line.trim_end_matches(['.', '。', '!', '！', '…', ':', '：', ' ']);
    let begin = [". ", "! ", "? ", "。", "！", "？", "; ", "；"]
        .iter()
        .filter_map(|end| body.rfind(end).map(|at| at + end.len()))
        .max()
        .unwrap_or(0);
    line.get(begin..).unwrap_or(line).trim()
}

/// "Let me know …", "which do you prefer:", "waiting for you": the next move is the user's.
fn waits_for_the_user(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let words = [
        "let me know",
        "do you",
        "would you",
        "could you",
        "can you",
        "should i",
        "shall i",
        "with you",
        "if you",
        "you prefer",
        "you want",
        "you like",
        "wait for",
        "waiting for",
        "your ",
        "i can't",
        "i cannot",
        "i won't",
        "请告诉我",
        "你想",
        "您想",
        "如果你",
        "如果您",
        "需要我",
    ];
    words.iter().any(|word| lower.contains(word))
}

/// Ends in a colon, or in an ellipsis that does not close a thought ("and that's it...").
fn trails_off(sentence: &str) -> bool {
    if sentence.ends_with([':', '：']) {
        return true;
    }
    let lower = sentence.to_lowercase();
    let ends_in_dots = sentence.ends_with("...") || sentence.ends_with('…');
    let doing =
        ["checking", "reading", "looking", "searching", "running", "opening", "fixing", "updating", "let me"];
    ends_in_dots && doing.iter().any(|word| lower.contains(word))
}

fn is_chinese(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_recognised() {
        for text in [
            "Let me check the file.",
            "The test fails.\n\nLet me look at the code.",
            "I see the problem. Let me fix that now.",
            "I'll read the file first.",
            "Now I will run the tests.",
            "Now let me check the tests",
            "First, let me examine the code:",
            "I'm going to search for it.",
            "Here is the plan:",
            "Reading the file...",
            "让我先查看文件",
            "我来检查一下代码。",
            "好的，让我先查看",
            "下面修改代码：",
        ] {
            assert!(detect_incomplete_intent(text), "{text:?}");
        }
    }

    #[test]
    fn answers_are_left_alone() {
        for text in [
            "",
            "Done.",
            "Let me know if you need anything else.",
            "Which do you prefer:",
            "...and that's it...",
            "总之，我说过让我先查看文件，现在已经完成了。",
            "Let me check with you: should I delete it?",
            "Run it like this:\n```\ncargo test\n```",
            "I will not do that.",
            "The options are:\n- a\n- b:",
            "> Let me check the file.",
            "I said \"let me check\" and I did. All tests pass.",
            "Let me check with you before I delete it.",
            "I'll wait for your answer.",
            "1. Let me look at it.",
        ] {
            assert!(!detect_incomplete_intent(text), "{text:?}");
        }
    }

    #[test]
    fn the_nudge_speaks_the_users_language() {
        assert_eq!(nudge_for("修一下"), NUDGE_CHINESE);
        assert_eq!(nudge_for("fix it"), NUDGE);
    }
}
