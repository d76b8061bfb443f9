//! What the evidence means, and what the program will do about it. Pure: a row of the page each, in a table.
//!
//! Every sentence says what is so and what follows from it, for a sign alone helps nobody. What could not be found out has no
//! row: it would only look like a fault.

use super::evidence::Evidence;
use super::page::Finding;
use super::probes::{Probe, is_sound};
use crate::app::known;
use crate::chat::discover::ModelList;
use crate::chat::request::models::{self, Ability};
use crate::chat::{Arrival, ChatError, Remedy, Stage};
use crate::protocol::CallForm;
use crate::text::nearest::nearest;
use crate::text::units;

/// Names of a list that are told.
const TOLD: usize = 5;

/// The rows behind the first, in the order of the page.
const ROWS: [fn(&Evidence) -> Option<Finding>; 11] =
    [key, model, answer, streaming, tools, parallel, results, counts, thoughts, window, images];

/// The page's last word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Chat works.
    Works,
    /// Chat works, tools do not.
    OnlyTalks,
    /// Chat does not work.
    Fails,
}

/// All findings.
pub(super) fn findings(evidence: &Evidence) -> Vec<Finding> {
    let noticed = evidence.noticed.iter().map(|line| Finding::note("noticed", line.as_str()));
    let rows = ROWS.iter().filter_map(|row| row(evidence));
    std::iter::once(reachable(evidence)).chain(rows).chain(noticed).collect()
}

/// The last word.
pub(super) fn verdict(evidence: &Evidence) -> Verdict {
    if !evidence.speaks() {
        return Verdict::Fails;
    }
    let forced = evidence.answer(Probe::Forced).is_some_and(|answer| !answer.message.tool_calls.is_empty());
    if evidence.calls().is_empty() && !forced { Verdict::OnlyTalks } else { Verdict::Works }
}

impl Verdict {
    /// In words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Works => "Chat works.",
            Self::OnlyTalks => "Chat works, but tool calls do not: the model cannot read or change files.",
            Self::Fails => "Chat does not work: see the lines marked ✗.",
        }
    }
}

fn reachable(evidence: &Evidence) -> Finding {
    let refusals = [evidence.list.as_ref().err(), evidence.refusal(Probe::Word)];
    if let Some(error) = refusals.into_iter().flatten().find(|error| error.stage == Stage::Connect) {
        return Finding::bad("reachable", error.message.as_str());
    }
    let after = evidence.after.map(|after| format!(" after {}", units::duration(after)));
    Finding::good("reachable", format!("{} responds{}", evidence.host, after.unwrap_or_default()))
}

fn key(evidence: &Evidence) -> Option<Finding> {
    if let Some(error) = evidence.refusal(Probe::Word).filter(|error| error.remedy == Remedy::NextKey) {
        return Some(Finding::bad("key", error.message.as_str()));
    }
    if !evidence.speaks() {
        return None;
    }
    Some(match (&evidence.key, &evidence.list) {
        (Some(name), Err(error)) if error.remedy == Remedy::NextKey => {
            Finding::note("key", format!("accepted for chat, but not for listing models (from {name})"))
        }
        (Some(name), _) => Finding::good("key", format!("accepted (from {name})")),
        (None, _) => Finding::good("key", "none sent, none required"),
    })
}

fn model(evidence: &Evidence) -> Option<Finding> {
    let name = &evidence.model;
    let list = evidence.list.as_ref().ok().filter(|list| !list.models.is_empty());
    let is_listed = list.map(|list| list.get(name.as_str()).is_some());
    if let Some(error) = evidence.refusal(Probe::Word).filter(|error| error.remedy == Remedy::NextModel) {
        let others =
            list.map(|list| format!("; available: {}", names(list, name.as_str()))).unwrap_or_default();
        return Some(Finding::bad("model", format!("{}{others}", error.message)));
    }
    let count = list.map_or(0, |list| list.models.len());
    match (is_listed, evidence.speaks()) {
        (Some(true), _) => Some(Finding::good("model", format!("{name} is listed ({})", one_of(count)))),
        (Some(false), true) => {
            let of = units::counted(count as u64, "listed model", "listed models");
            Some(Finding::note("model", format!("{name} works, but is not among the {of}")))
        }
        (None, true) => {
            Some(Finding::good("model", format!("{name} works; the endpoint does not list models")))
        }
        (Some(false) | None, false) => None,
    }
}

fn answer(evidence: &Evidence) -> Option<Finding> {
    let heard = evidence.heard(Probe::Word)?;
    match &heard.answer {
        Err(error) if is_told_elsewhere(error) => None,
        Err(error) => Some(Finding::bad("answer", error.message.as_str())),
        Ok(_) if !evidence.speaks() => {
            Some(Finding::bad("answer", "empty: no text and no reasoning (try another model)"))
        }
        Ok(_) => {
            let took = units::duration(heard.took);
            let first = heard.first.filter(|first| *first < heard.took);
            let first = first.map(|first| format!(", first token after {}", units::duration(first)));
            Some(Finding::good("answer", format!("received after {took}{}", first.unwrap_or_default())))
        }
    }
}

/// Errors that a row of their own tells.
fn is_told_elsewhere(error: &ChatError) -> bool {
    error.stage == Stage::Connect || matches!(error.remedy, Remedy::NextKey | Remedy::NextModel)
}

fn streaming(evidence: &Evidence) -> Option<Finding> {
    if !evidence.speaks() {
        return None;
    }
    Some(match evidence.arrival? {
        Arrival::Streamed => Finding::good("streaming", "answers are shown as they arrive"),
        Arrival::Whole => Finding::note(
            "streaming",
            "no: each answer arrives in one piece and is shown when it is complete",
        ),
    })
}

fn tools(evidence: &Evidence) -> Option<Finding> {
    let heard = evidence.heard(Probe::Calls)?;
    let only_talks = |why: &str| {
        let what = match evidence.known.server(&evidence.model) {
            Some(server) => server.for_tools(),
            None => "try another model, or a server that supports tool calls",
        };
        Finding::bad("tools", format!("not supported: {why}; the model can only chat ({what})"))
    };
    let forced = evidence.answer(Probe::Forced).map_or(&[][..], |answer| &answer.message.tool_calls);
    let completion = match &heard.answer {
        Err(error) if forced.is_empty() => return Some(only_talks(&error.message)),
        Err(error) => {
            let text =
                format!("only with forced tool choice; without it the request failed: {}", error.message);
            return Some(Finding::note("tools", text));
        }
        Ok(completion) => completion,
    };
    let calls = &completion.message.tool_calls;
    Some(match (calls.is_empty(), forced.is_empty()) {
        (false, _) if !calls.iter().all(is_sound) => Finding::note(
            "tools",
            "works, but arguments are not valid JSON: clawd reports this to the model, which retries",
        ),
        (false, _) if completion.form == CallForm::Text => Finding::note(
            "tools",
            "calls are written as text: clawd parses them, and each one requires approval",
        ),
        (false, _) => Finding::good("tools", "the model calls tools"),
        (true, false) => {
            Finding::note("tools", "only with forced tool choice; clawd will remind the model to act")
        }
        (true, true) => only_talks("the model makes no calls"),
    })
}

fn parallel(evidence: &Evidence) -> Option<Finding> {
    match evidence.calls().len() {
        0 => None,
        1 => Some(Finding::note("parallel", "one tool call per answer: works, but is slower")),
        _ => {
            Some(Finding::good("parallel", "several tool calls per answer: read-only calls run in parallel"))
        }
    }
}

fn results(evidence: &Evidence) -> Option<Finding> {
    Some(match &evidence.heard(Probe::After)?.answer {
        Ok(_) => Finding::good("results", "the model accepts tool results"),
        Err(error) => {
            let text = format!(
                "rejected: {}; every run fails at its first tool call (try another model)",
                error.message
            );
            Finding::bad("results", text)
        }
    })
}

fn counts(evidence: &Evidence) -> Option<Finding> {
    let mut answers = evidence.heard.iter().filter_map(|heard| heard.answer.as_ref().ok());
    if !evidence.speaks() {
        return None;
    }
    Some(if answers.any(|answer| answer.message.usage.is_some()) {
        Finding::good("usage", "the endpoint reports token usage")
    } else {
        Finding::note("usage", "not reported: token usage is shown as unknown")
    })
}

fn thoughts(evidence: &Evidence) -> Option<Finding> {
    if !evidence.speaks() {
        return None;
    }
    let mut answers = evidence.heard.iter().filter_map(|heard| heard.answer.as_ref().ok());
    let field = answers.find_map(|answer| answer.message.reasoning.as_ref());
    Some(match field {
        Some(reasoning) => {
            Finding::good("reasoning", format!("separate from the answer, in `{}`", reasoning.field))
        }
        None => Finding::good("reasoning", "none sent"),
    })
}

fn window(evidence: &Evidence) -> Option<Finding> {
    if !evidence.speaks() {
        return None;
    }
    let Some((window, source)) = evidence.known.window(&evidence.model, evidence.window) else {
        let text = "size unknown (try `context_window` in config.toml)";
        return Some(Finding::note("context", text));
    };
    let text = format!("{} ({})", known::in_words(window), source.said());
    if known::is_small(window) {
        let server = evidence.known.server(&evidence.model);
        let larger = known::larger_window(server);
        return Some(Finding::note("context", format!("{text}: too small for tools ({larger})")));
    }
    Some(Finding::good("context", text))
}

fn images(evidence: &Evidence) -> Option<Finding> {
    if !evidence.speaks() {
        return None;
    }
    let family = models::family(evidence.model.as_str());
    let images = evidence.known.told(&evidence.model).images;
    match images.or(family.map(|family| family.images).unwrap_or_default()) {
        Ability::Yes => Some(Finding::good("images", "supported")),
        Ability::No => Some(Finding::note("images", "not supported")),
        Ability::Unknown => None,
    }
}

/// Some names of a list, that which is most like `wanted` first.
fn names(list: &ModelList, wanted: &str) -> String {
    let all = || list.models.iter().map(|model| model.id.as_str());
    let near = nearest(wanted, all());
    let told: Vec<&str> =
        near.into_iter().chain(all().filter(|name| Some(*name) != near)).take(TOLD).collect();
    match list.models.len() - told.len() {
        0 => told.join(", "),
        more => format!("{} and {more} more", told.join(", ")),
    }
}

fn one_of(count: usize) -> String {
    if count == 1 { "the only one".to_owned() } else { format!("one of {count}") }
}
