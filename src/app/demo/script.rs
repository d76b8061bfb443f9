//! What the script says to a conversation: the part of the tour that comes next, and a word on what happened. Pure.
//!
//! It understands nothing and says so. Of what the user writes it knows [`PROMPT`] and the word `again`; of a refusal it
//! reads what a model would read.

use super::tour::{Act, Played, Step, Tour, asks_again};
use super::words::{
    AGAIN, CHECK, CHECK_UNMENDED, FAILS, FAILS_STILL, GIVE_UP, MEND, NEXT, NOT_RUN, OFFER, ONLY_ONE, OPENING,
    PASSES, PASSES_STILL, PROMPT, PUT_BACK, STOPPED, THOUGHT,
};
use crate::chat::scripted::Answer;
use crate::protocol::{Message, ToolStatus};
use crate::text::sanitize::sanitize_line;

/// What the loop writes before the reason of a refusal, and before the user's own words in it.
const REFUSED: &str = "Error: not run: ";
const BY_USER: &str = "denied by the user";
/// Characters of the user's words, or of a reason, that are said again.
const QUOTED: usize = 200;

/// The answer to the conversation, oldest message first.
pub(super) fn answer<'a>(messages: impl Iterator<Item = &'a Message>) -> Answer {
    let tour = Tour::read(messages);
    let step = tour.next();
    let mut text = remark(&tour, step);
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(&part(&tour, step));
    let thinking = match step {
        Step::Mend => Answer::new().think(THOUGHT),
        Step::Look | Step::GiveUp | Step::PutBack | Step::Check | Step::Close | Step::Offer => Answer::new(),
    };
    calls(step).iter().fold(thinking.say(text), |answer, act| {
        let (tool, arguments) = act.call();
        answer.call(tool, arguments.to_string())
    })
}

/// What happened since the script spoke last, in a sentence; empty where all went as written.
fn remark(tour: &Tour, step: Step) -> String {
    let news = tour.news();
    if let Some(refused) = news.iter().find(|played| played.status == ToolStatus::Denied) {
        return refusal(refused);
    }
    if tour.was_stopped() {
        return STOPPED.to_owned();
    }
    if let Some(failed) =
        news.iter().find(|played| played.status == ToolStatus::Failed && played.act != Act::Check)
    {
        return format!(
            "That failed: {}.",
            quoted(failed.text.strip_prefix("Error: ").unwrap_or(&failed.text))
        );
    }
    match tour.said.as_deref().map(str::trim) {
        Some(said) if step != Step::Offer && said != PROMPT && !asks_again(said) => ONLY_ONE.to_owned(),
        Some(_) | None => String::new(),
    }
}

fn refusal(refused: &Played) -> String {
    let reason = refused.text.strip_prefix(REFUSED).unwrap_or(&refused.text);
    match reason.strip_prefix(BY_USER) {
        Some("") => {
            "You answered No without a reason, so the run ended and the call was not made.".to_owned()
        }
        Some(words) => format!(
            "You answered No: “{}”. A model would do that now; as a script I continue with the demo.",
            quoted(words.trim_start_matches(": "))
        ),
        None => format!("That call was denied: {}.", quoted(reason)),
    }
}

fn part(tour: &Tour, step: Step) -> String {
    let is_again = tour.said.as_deref().is_some_and(asks_again);
    match step {
        Step::Look if is_again => AGAIN.to_owned(),
        Step::Look => OPENING.to_owned(),
        Step::GiveUp => GIVE_UP.to_owned(),
        Step::PutBack => PUT_BACK.to_owned(),
        Step::Mend => MEND.to_owned(),
        Step::Check if tour.succeeded(Act::Mend) => CHECK.to_owned(),
        Step::Check => CHECK_UNMENDED.to_owned(),
        Step::Close => format!("{}\n\n{NEXT}", outcome(tour)),
        Step::Offer => OFFER.to_owned(),
    }
}

fn outcome(tour: &Tour) -> &'static str {
    let check = tour.settled(Act::Check).map(|played| played.status);
    match (check, tour.succeeded(Act::Mend)) {
        (Some(ToolStatus::Success), true) => PASSES,
        (Some(ToolStatus::Success), false) => PASSES_STILL,
        (Some(ToolStatus::Failed), true) => FAILS,
        (Some(ToolStatus::Failed), false) => FAILS_STILL,
        (Some(ToolStatus::Denied | ToolStatus::Interrupted) | None, _) => NOT_RUN,
    }
}

fn calls(step: Step) -> &'static [Act] {
    match step {
        Step::Look => &[Act::ReadCart, Act::ReadCheck, Act::Search],
        Step::PutBack => &[Act::PutBack],
        Step::Mend => &[Act::Mend],
        Step::Check => &[Act::Check],
        Step::GiveUp | Step::Close | Step::Offer => &[],
    }
}

/// Somebody's words within a sentence: one line, not too long, without a full stop.
fn quoted(text: &str) -> String {
    let line: String = sanitize_line(text).chars().take(QUOTED).collect();
    line.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::words;
    use crate::agent::intent::detect_incomplete_intent;

    #[test]
    fn no_last_word_sounds_like_an_announcement() {
        for text in [words::NEXT, words::OFFER, words::GIVE_UP] {
            assert!(!detect_incomplete_intent(text), "{text}");
        }
    }
}
