//! What is refused of the head of a request: its fields beside the conversation, and the tools.
//!
//! Each rule stands for one field; none looks at what was said in the conversation. Values that are out of range are the
//! user's to mend and teach nothing.

use super::super::complaint::Complaint;
use super::super::dialect::{
    AskUsage, Effort, Level, OfferTools, OutputLimit, Quirk, Streaming, Temperature,
};
use super::super::wire::{self, Delivery};
use super::Case;

/// By which an answer in one piece is refused.
pub(in crate::chat) const WANTS_STREAM: [&str; 5] =
    ["only support stream", "only supports stream", "enable the stream", "must be true", "requires stream"];

/// `OpenAI` from GPT-5.6 on, whether an effort is set or not: "To use function tools, use /v1/responses or set
/// `reasoning_effort` to 'none'"; before that the same without the way out.
pub(super) fn no_thinking_beside_tools(case: &Case<'_>) -> Vec<Quirk> {
    if !case.says(&["function tools with reasoning_effort"]) {
        return Vec::new();
    }
    let way_out = case.says(&["set reasoning_effort to none"]);
    vec![Quirk::Effort(if way_out { Effort::Fixed(Level::None) } else { Effort::LeftOut })]
}

/// Whatever is said of a field that is always sent alike is that it should not be sent.
pub(super) fn counts(case: &Case<'_>) -> Vec<Quirk> {
    let is_sent = wire::wanted(case.sent.request, case.sent.options, case.sent.dialect) == Delivery::Streamed;
    let is_meant = ["stream_options", "include_usage"].iter().any(|field| case.complaint.refuses(field))
        || case.complaint.says_of("stream_options", &["only allowed", "only be", "invalid", "not valid"]);
    if is_sent && is_meant { vec![Quirk::Usage(AskUsage::No)] } else { Vec::new() }
}

pub(super) fn output_limit(case: &Case<'_>) -> Vec<Quirk> {
    let field =
        wire::limit_field(case.sent.dialect).filter(|_| case.sent.options.max_output_tokens.is_some());
    if !field.is_some_and(|field| case.complaint.refuses(field)) {
        return Vec::new();
    }
    [OutputLimit::MaxCompletionTokens, OutputLimit::MaxTokens, OutputLimit::LeftOut]
        .map(Quirk::OutputLimit)
        .to_vec()
}

/// "Only the default (1) value is supported", "only 1 is allowed for this model". A value out of range is the user's.
pub(super) fn temperature(case: &Case<'_>) -> Vec<Quirk> {
    let is_sent = case.sent.options.temperature.is_some();
    let pinned = ["only the default", "is allowed for this model", "must be 1", "is fixed"];
    let is_meant = case.complaint.refuses("temperature") || case.complaint.says_of("temperature", &pinned);
    if is_sent && is_meant { vec![Quirk::Temperature(Temperature::LeftOut)] } else { Vec::new() }
}

/// Whoever cannot do both, streaming and tools, had better not stream.
pub(super) fn streaming(case: &Case<'_>) -> Vec<Quirk> {
    let is_sent = wire::wanted(case.sent.request, case.sent.options, case.sent.dialect) == Delivery::Streamed;
    if !is_sent || case.says(&WANTS_STREAM) {
        return Vec::new();
    }
    let said = [
        "verified to stream",
        "tools with stream",
        "streaming is not",
        "streaming not supported",
        "streaming with tools",
        "stream is not supported",
        "stream not supported",
        "stream does not support",
        "unsupported parameter: stream",
        "stream must be false",
        "set stream to false",
        "stream=true is not",
        "stream: true is not",
    ];
    let is_said = case.says(&said) || case.complaint.lacks(&["stream", "streaming"]);
    let is_named = case.complaint.is_only("stream") && case.complaint.refuses("stream");
    let beside_tools = refuses_tools(case) && case.says(&["stream", "streaming"]);
    if !is_said && !is_named && !beside_tools {
        return Vec::new();
    }
    let with_tools = case.has_tools() && case.says(&["tool", "tools", "function"]);
    let off = Quirk::Streaming(Streaming::Off);
    if with_tools { vec![Quirk::Streaming(Streaming::WithoutTools), off] } else { vec![off] }
}

pub(super) fn tools(case: &Case<'_>) -> Vec<Quirk> {
    if refuses_tools(case) { vec![Quirk::Tools(OfferTools::LeftOut)] } else { Vec::new() }
}

fn refuses_tools(case: &Case<'_>) -> bool {
    let things = [
        "tools",
        "tool use",
        "tool calls",
        "tool calling",
        "function calling",
        "function calls",
        "functions",
    ];
    let said = [
        "tool calling is not",
        "tool calls are not supported",
        "tool use is not",
        "tools is not supported",
        "tools are not supported",
        "tools not supported",
        "tools is unsupported",
        "tools: extra inputs",
        "function calling is not",
        "function calls are not supported",
        "tools param requires",
        "requires --enable-auto-tool-choice",
        "unsupported param: tools",
        "unsupported parameter: tools",
        "unknown parameter: tools",
        "argument supplied: tools",
        "unknown name tools:",
        "unknown field tools",
        "does not support parameters: [tools",
        "body, tools)",
    ];
    let is_said = case.complaint.lacks(&things) || case.says(&said);
    let is_named = case.complaint.is_only("tools") && case.complaint.refuses("tools");
    (is_said || is_named) && case.has_tools()
}

/// Where the levels that are taken are named, the nearest below the one that is set; where there is none, the lowest. What
/// ends all thought is no level of it.
pub(super) fn effort(case: &Case<'_>) -> Vec<Quirk> {
    let Some(sent) = wire::effort(case.sent.options, case.sent.dialect) else { return Vec::new() };
    let complaint = &case.complaint;
    let choice =
        ["must be", "supported values", "allowed values", "valid values", "one of", "invalid", "is not"];
    let fields = ["reasoning_effort", "reasoning.effort", "reasoningeffort", "effort"];
    let of_field = |field: &&str| complaint.refuses(field) || complaint.says_of(field, &choice);
    let said =
        ["think value", "invalid reasoning value", "thinking is not supported", "reasoning is not supported"];
    let offered = offered(complaint, sent);
    let by_value = offered.len() > 1 && complaint.refuses(&sent.to_lowercase());
    let by_name = complaint.lacks(&["thinking", "reasoning"]) || case.says(&said);
    if !fields.iter().any(of_field) && !by_value && !by_name {
        return Vec::new();
    }
    let lower = Level::named(sent).and_then(|level| nearest(level, &offered));
    vec![Quirk::Effort(lower.map_or(Effort::LeftOut, Effort::Fixed)), Quirk::Effort(Effort::LeftOut)]
}

/// The levels that the refusal of `sent` says are taken.
fn offered(complaint: &Complaint, sent: &str) -> Vec<Level> {
    let lists = [
        "supported values are",
        "supported values",
        "allowed values",
        "valid values",
        "must be one of",
        "one of",
        "must be",
        "expected",
    ];
    let list = complaint.behind(&lists).unwrap_or_default();
    let words = list.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.eq_ignore_ascii_case(sent));
    words.filter_map(Level::named).collect()
}

fn nearest(sent: Level, offered: &[Level]) -> Option<Level> {
    let thinking = || offered.iter().copied().filter(|level| *level != Level::None);
    thinking().filter(|level| *level < sent).max().or_else(|| thinking().min())
}
