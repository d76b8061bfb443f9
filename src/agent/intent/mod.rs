//! Does an answer only announce an action?
//!
//! Some models end with "Let me check the file." and no call. Such an answer is followed by a nudge. A false alarm annoys
//! and costs a turn, so all of this must hold: the answer is short and ends in words (`ending`); its last sentence
//! announces, with a verb that a tool carries out (`english`, `chinese`), or breaks off in a colon or in dots; and the next move
//! is not the user's. Where it is doubtful nothing is announced. Whether a nudge is given at all (tools offered, none refused, not
//! twice already) is the loop's business.

#[cfg(test)]
mod cases;
mod chinese;
mod ending;
mod english;

use std::sync::LazyLock;

use regex::{Captures, Regex};

use ending::{End, Ending, Place, Sentence};

/// Announcements of an action in the sentence that ends an answer, English ones first. Compiled when first asked.
pub static INCOMPLETE_INTENT_PATTERNS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| [english::announcements(), chinese::announcements()].concat());

/// What an English speaker's model is told.
const NUDGE: &str = "Carry out the action you announced; do not only describe it.";
/// What a Chinese speaker's model is told: the words of the source design.
const NUDGE_CHINESE: &str = "请执行你提到的操作，不要只是描述。";

/// So many sentences before the last one may hold the question that the user is to answer first.
const LOOKED_BACK: usize = 3;

/// Whether `text` announces an action without doing it. Its time is linear in the text.
#[must_use]
pub fn detect_incomplete_intent(text: &str) -> bool {
    let Some(ending) = Ending::of(text) else { return false };
    may_announce(&ending) && judge(&ending)
}

/// Whether any of the words stands there without which nothing is announced. Most answers end here: the patterns take
/// 20 ms to compile, as long as several turns of ours, so they are left alone until they are needed.
fn may_announce(ending: &Ending) -> bool {
    ending.sentences.iter().any(|sentence| {
        let text = sentence.text.as_str();
        match sentence.end {
            End::Colon | End::Dots => true,
            End::Stop | End::Question => {
                english::CUES.iter().any(|cue| text.contains(cue)) || text.chars().any(is_chinese)
            }
        }
    })
}

fn judge(ending: &Ending) -> bool {
    let mut backwards = ending.sentences.iter().rev().skip_while(|sentence| is_filler(sentence));
    let Some(last) = backwards.next() else {
        // "One moment..." and nothing else
        return ending.sentences.last().is_some_and(|sentence| sentence.end == End::Dots);
    };
    let mut before = backwards.take(LOOKED_BACK).peekable();
    let answers_itself =
        before.peek().is_none_or(|sentence| sentence.end != End::Question) || looks_itself(last);
    if last.end == End::Question || !answers_itself || before.any(gives_the_user_the_move) {
        return false;
    }
    announces(last) || (ending.place == Place::Words && breaks_off(last))
}

/// The nudge in the language of the user's last message.
#[must_use]
pub fn nudge_for(last_user_text: &str) -> &'static str {
    if last_user_text.chars().any(is_chinese) { NUDGE_CHINESE } else { NUDGE }
}

/// An announcement and the sentence around it.
struct Said<'a> {
    sentence: &'a str,
    before: &'a str,
    words: &'a str,
    /// From its verb on to the end of the sentence.
    action: &'a str,
    after: &'a str,
}

impl<'a> Said<'a> {
    /// What was found in `sentence`; the group of a pattern is its verb.
    fn new(sentence: &'a str, found: &Captures<'a>) -> Option<Self> {
        let whole = found.get(0)?;
        let verb = found.iter().skip(1).flatten().next()?;
        Some(Self {
            sentence,
            before: sentence.get(..whole.start())?,
            words: whole.as_str(),
            action: sentence.get(verb.start()..)?,
            after: sentence.get(whole.end()..)?,
        })
    }
}

fn announces(sentence: &Sentence) -> bool {
    let text = english::settled(&sentence.text);
    let is_meant = |said: Said<'_>| {
        let chinese = said.words.chars().any(is_chinese);
        if chinese { chinese::is_meant(&said) } else { english::is_meant(&said) }
    };
    let announced = |pattern: &Regex| {
        pattern.captures_iter(&text).filter_map(|found| Said::new(&text, &found)).any(is_meant)
    };
    INCOMPLETE_INTENT_PATTERNS.iter().any(announced) || english::is_under_way(sentence)
}

/// "One moment please.", "This will take a while." behind an announcement.
fn is_filler(sentence: &Sentence) -> bool {
    match sentence.end {
        End::Question | End::Colon => false,
        End::Stop | End::Dots => {
            any(&english::FILLERS, &sentence.text) || any(&chinese::FILLERS, &sentence.text)
        }
    }
}

/// "Why? Let me check.": who asks so asks itself; "What is its name? I'll add it." waits for an answer.
fn looks_itself(sentence: &Sentence) -> bool {
    ["let me", "let's", "让我", "讓我"].iter().any(|words| sentence.text.contains(words))
}

/// "Shall I?", "Once you confirm, …": what is said behind it waits for the user.
fn gives_the_user_the_move(sentence: &Sentence) -> bool {
    let asks = sentence.end == End::Question
        && (any(&english::ASKING, &sentence.text) || any(&chinese::ASKING, &sentence.text));
    asks || any(&english::LEAVING, &sentence.text) || any(&chinese::LEAVING, &sentence.text)
}

/// Something is to follow, and it is not the user who says it.
fn breaks_off(sentence: &Sentence) -> bool {
    match sentence.end {
        End::Colon => !introduces_a_choice(sentence),
        End::Dots => !introduces_a_choice(sentence) && !english::trails_off(&sentence.text),
        End::Stop | End::Question => false,
    }
}

/// "Which do you prefer:", "Please choose:": a colon behind which the user speaks.
fn introduces_a_choice(sentence: &Sentence) -> bool {
    any(&english::CHOICE, &sentence.text) || any(&chinese::CHOICE, &sentence.text)
}

fn is_chinese(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}')
}

/// A table of words, compiled when first asked.
type Patterns = LazyLock<Vec<Regex>>;

fn any(patterns: &[Regex], text: &str) -> bool {
    patterns.iter().any(|pattern| pattern.is_match(text))
}

/// Any of these words.
fn anywhere(words: &[&str]) -> Vec<Regex> {
    pattern(&format!(r"\b(?:{})\b", words.join("|")))
}

/// Any of these words at the beginning.
fn at_start(words: &[&str]) -> Vec<Regex> {
    pattern(&format!(r"^(?:{})\b", words.join("|")))
}

/// Any of these words at the end.
fn at_end(words: &[&str]) -> Vec<Regex> {
    pattern(&format!(r"\b(?:{})$", words.join("|")))
}

/// Any of these words and nothing else.
fn whole(words: &[&str]) -> Vec<Regex> {
    pattern(&format!("^(?:{})$", words.join("|")))
}

/// Compiles a pattern; a broken one would never match, and the tests look that none is. The ends of English words need no
/// Unicode, which would take most of the time.
fn pattern(source: &str) -> Vec<Regex> {
    let compiled = Regex::new(&source.replace(r"\b", r"(?-u:\b)"));
    #[cfg(test)]
    assert!(compiled.is_ok(), "{compiled:?}");
    compiled.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::cases::{ANNOUNCEMENTS, ANSWERS, MORE_ANNOUNCEMENTS, MORE_ANSWERS};
    use super::*;

    #[track_caller]
    fn check(texts: &[&str], expected: bool) {
        let wrong: Vec<&&str> =
            texts.iter().filter(|text| detect_incomplete_intent(text) != expected).collect();
        assert!(wrong.is_empty(), "{} of {} should be {expected}: {wrong:#?}", wrong.len(), texts.len());
    }

    #[test]
    fn announcements_are_recognised() {
        check(ANNOUNCEMENTS, true);
        check(MORE_ANNOUNCEMENTS, true);
    }

    #[test]
    fn answers_are_left_alone() {
        check(ANSWERS, false);
        check(MORE_ANSWERS, false);
    }

    #[test]
    fn a_long_report_that_ends_so_is_an_answer() {
        let line = "The parser now reads every line once and keeps what it has read.\n";
        let report = |lines| line.repeat(lines) + "\nLet me check the file.";
        assert!(detect_incomplete_intent(&report(20)));
        assert!(!detect_incomplete_intent(&report(30)));
        let code = format!("```\n{}```\nLet me check the file.", line.repeat(1_000));
        assert!(detect_incomplete_intent(&code), "what is not said does not count");
    }

    #[test]
    fn a_hundred_kilobytes_take_no_time() {
        // were it quadratic, these would be minutes
        let parts = [
            "let me ",
            "Let me check.\n",
            "```\n",
            "`",
            "\"",
            "> ",
            "1. ",
            "<!--",
            "\u{200b}",
            "我来",
            "我先把",
        ];
        for part in parts {
            let (all, screenful) = (part.repeat(100 * 1024 / part.len()), part.repeat(1_900 / part.len()));
            let said = [all.clone(), format!("```\n{all}\n```\n{screenful}")];
            assert!(said.iter().filter(|text| detect_incomplete_intent(text)).count() < 2, "{part:?}");
        }
    }

    #[test]
    fn the_quick_look_lets_every_announcement_through() {
        for text in [ANNOUNCEMENTS, MORE_ANNOUNCEMENTS, ANSWERS, MORE_ANSWERS].concat() {
            let Some(ending) = Ending::of(text) else { continue };
            assert!(may_announce(&ending) || !judge(&ending), "{text:?}");
        }
        for text in ["Done.", "The tests pass.", "I fixed the bug in cart.sh:7.", "It prints two, as asked."]
        {
            assert!(!may_announce(&Ending::of(text).unwrap()), "{text:?}");
        }
    }

    #[test]
    fn the_nudge_speaks_the_users_language() {
        assert_eq!(nudge_for("修一下"), NUDGE_CHINESE);
        assert_eq!(nudge_for("fix it"), NUDGE);
    }
}
