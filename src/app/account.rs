//! `/context` and `/cost`: what fills the model's window, and what was used.
//!
//! The endpoint counts a request as a whole and says nothing of its parts. So the parts are weighed as the loop weighs them, and
//! scaled until they add up to what the loop goes by; before anybody has counted it says so. A cost is told where a price is
//! configured or listed by the model's maker; else it is said to be unknown, and none is made up.

use super::App;
use crate::agent::budget::dollars;
use crate::agent::{Agent, PriceList, instructions_told};
use crate::context::size::{self, Parts, Scale, Size, Source};
use crate::conversation::Conversation;
use crate::protocol::{History, ModelId, Usage};
use crate::text::units::{counted, percent, tokens};

/// Signs of a bar: with its name and number it fits into 40 columns.
const BAR: u64 = 16;

/// The parts of a request, in the order in which they are sent.
const PARTS: [&str; 5] = ["system prompt", "instructions", "tools", "messages", "tool results"];

impl App {
    /// What fills the window, a line each.
    #[must_use]
    pub fn context(&self, conversation: &Conversation) -> Vec<String> {
        let instructions = self.told.instructions().iter().map(|file| size::text(&file.text)).sum();
        let agent = conversation.agent();
        let size = measured(agent, conversation.history());
        context_lines(&size, instructions, self.learnt.window(agent.model()).tokens(), agent.model())
    }

    /// What was used, a line each.
    #[must_use]
    pub fn cost(&self, conversation: &Conversation) -> Vec<String> {
        let mut used: Vec<(ModelId, u64, Usage)> = Vec::new();
        for (model, usage) in conversation.history().answers() {
            let usage = usage.unwrap_or_default();
            match used.iter_mut().find(|(known, ..)| known == model) {
                Some((_, answers, sum)) => {
                    *answers += 1;
                    sum.add(usage);
                }
                None => used.push((model.clone(), 1, usage)),
            }
        }
        cost_lines(&used, &*self.prices())
    }

    /// The instruction files in force, a line each.
    #[must_use]
    pub fn memory(&self, conversation: &Conversation) -> Vec<String> {
        let (files, below) = (self.told.instructions(), instructions_told(conversation.history()));
        if files.is_empty() && below.is_empty() {
            return vec!["no instruction files (/init creates AGENTS.md)".to_owned()];
        }
        let width = files.iter().map(|file| file.path.chars().count()).max().unwrap_or_default();
        let line = |path: &str, text: &str| {
            let lines = counted(u64::try_from(text.lines().count()).unwrap_or(u64::MAX), "line", "lines");
            let count = Scale::default().tokens(size::text(text)).max(1);
            let tokens = if count == 1 { "1 token".to_owned() } else { format!("{} tokens", tokens(count)) };
            format!("{path:width$}  {lines}, about {tokens}")
        };
        let mut lines: Vec<String> = files.iter().map(|file| line(&file.path, &file.text)).collect();
        lines.extend(
            below.into_iter().map(|name| format!("{name}  loaded when a file in its directory was read")),
        );
        lines.push("loaded at the start; changes take effect in the next session".to_owned());
        lines
    }
}

fn measured(agent: &Agent, history: &History) -> Size {
    let fixed = Parts::of_prompt(&agent.prompt(agent.model().clone()));
    size::measure(history, fixed, Scale::default())
}

fn context_lines(size: &Size, instructions: u64, window: Option<u64>, model: &ModelId) -> Vec<String> {
    let Parts { system, tools, messages, results } = size.parts;
    let instructions = instructions.min(system);
    let weight = size.parts.whole().max(1);
    let scaled = |part: u64| {
        let scaled = u128::from(part) * u128::from(size.tokens) / u128::from(weight);
        u64::try_from(scaled).unwrap_or(u64::MAX)
    };
    let parts = [system - instructions, instructions, tools, messages, results].map(scaled);
    let all = size.tokens;
    let of_window = window.map(|window| format!(" of {} tokens, {}", tokens(window), percent(all, window)));
    let whole = window.unwrap_or(all).max(all).max(1);
    let mut lines = vec![format!("{}{}", tokens(all), of_window.unwrap_or_else(|| " tokens".to_owned()))];
    let rows = PARTS.iter().copied().zip(parts).chain(window.map(|_| ("free", whole - all)));
    lines.extend(rows.map(|(name, part)| format!("{name:13}  {:>6}  {}", tokens(part), bar(part, whole))));
    lines.push(match (size.source, window) {
        (Source::Counted, Some(_)) => {
            format!("{model}; total reported by the endpoint, parts estimated")
        }
        (Source::Counted, None) => {
            format!("{model}; context window unknown (set `context_window` in config.toml)")
        }
        (Source::Estimated, _) => format!("{model}; estimated, because no token usage has been reported yet"),
    });
    lines
}

/// At least one sign for what is there at all.
fn bar(part: u64, whole: u64) -> String {
    let filled = u128::from(part) * u128::from(BAR) / u128::from(whole.max(1));
    let filled = usize::try_from(filled.min(BAR.into())).unwrap_or_default().max(usize::from(part > 0));
    let rest = usize::try_from(BAR).unwrap_or_default().saturating_sub(filled);
    "■".repeat(filled) + &"·".repeat(rest)
}

fn cost_lines(used: &[(ModelId, u64, Usage)], prices: &PriceList) -> Vec<String> {
    if used.is_empty() {
        return vec!["no tokens used yet".to_owned()];
    }
    let told = |name: &str, answers: u64, usage: &Usage| {
        let cached = match usage.cached_tokens {
            0 => String::new(),
            cached => format!(" ({} cached)", tokens(cached)),
        };
        let answers = counted(answers, "answer", "answers");
        if usage.prompt_tokens == 0 && usage.completion_tokens == 0 {
            return format!("{name}: {answers}, token usage not reported");
        }
        let (sent, got) = (tokens(usage.prompt_tokens), tokens(usage.completion_tokens));
        format!("{name}: {answers}, {sent} input tokens{cached}, {got} output tokens")
    };
    let costs: Vec<Option<f64>> =
        used.iter().map(|(model, _, usage)| prices(model).map(|price| price.of(*usage))).collect();
    let rows = used.iter().zip(&costs);
    let rows = rows.map(|((model, answers, usage), cost)| {
        let cost = cost.map_or_else(|| "cost unknown".to_owned(), dollars);
        format!("{}, {cost}", told(model.as_str(), *answers, usage))
    });
    let mut lines: Vec<String> = rows.collect();
    if used.len() > 1 {
        let mut sum = Usage::default();
        for (_, _, usage) in used {
            sum.add(*usage);
        }
        let all = told("total", used.iter().map(|(_, answers, _)| answers).sum(), &sum);
        let known: f64 = costs.iter().flatten().sum();
        lines.push(match costs.iter().flatten().count() {
            0 => format!("{all}, cost unknown"),
            priced if priced == costs.len() => format!("{all}, {}", dollars(known)),
            _ => format!("{all}, {} plus unknown costs", dollars(known)),
        });
    }
    if costs.contains(&None) {
        lines.push(
            "to set prices: [prices.MODEL] in config.toml, input and output in dollars per million tokens"
                .to_owned(),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Price;

    fn shown(parts: [u64; 5], tokens: u64, source: Source, window: Option<u64>) -> String {
        let [system, instructions, tools, messages, results] = parts;
        let parts = Parts { system: system + instructions, tools, messages, results };
        let size = Size { parts, tokens, scale: Scale::default(), source };
        context_lines(&size, instructions, window, &ModelId::from("m")).join("\n")
    }

    #[test]
    fn the_parts_add_up_to_what_the_endpoint_counted() {
        let parts = [4_000, 0, 8_000, 2_000, 26_000];
        let expected = "20k of 100k tokens, 20 %
system prompt      2k  ■···············
instructions        0  ················
tools              4k  ■···············
messages           1k  ■···············
tool results      13k  ■■··············
free              80k  ■■■■■■■■■■■■····
m; total reported by the endpoint, parts estimated";
        assert_eq!(shown(parts, 20_000, Source::Counted, Some(100_000)), expected);
    }

    #[test]
    fn without_a_count_or_a_window_it_says_so() {
        let parts = [4_000, 400, 0, 0, 0];
        let estimated = shown(parts, 1_257, Source::Estimated, Some(8_000));
        assert!(estimated.starts_with("1.2k of 8k tokens, 15 %"), "{estimated}");
        assert!(
            estimated.ends_with("m; estimated, because no token usage has been reported yet"),
            "{estimated}"
        );
        let unknown = shown(parts, 1_000, Source::Counted, None);
        assert!(unknown.contains("context window unknown") && !unknown.contains("free"), "{unknown}");
    }

    #[test]
    fn more_than_the_window_fills_it_and_nothing_is_divided_by_nothing() {
        let full = shown([400, 0, 0, 0, 0], 114, Source::Estimated, Some(50));
        assert!(full.contains("free                0  ················"), "{full}");
        assert!(shown([0; 5], 0, Source::Counted, Some(0)).starts_with('0'));
    }

    #[test]
    fn each_model_is_told_with_its_cost_and_then_the_sum() {
        let usage = |prompt_tokens, completion_tokens, cached_tokens| Usage {
            prompt_tokens,
            completion_tokens,
            total_tokens: 0,
            cached_tokens,
        };
        let price = |model: &ModelId| {
            (model.as_str() == "a").then_some(Price { input: 10.0, output: 100.0, cached: 1.0 })
        };
        let one = (ModelId::from("a"), 2, usage(18_200, 900, 12_000));
        let counts = "a: 2 answers, 18.2k input tokens (12k cached), 900 output tokens";
        assert_eq!(cost_lines(std::slice::from_ref(&one), &price), [format!("{counts}, $0.16")]);
        let both = cost_lines(&[one.clone(), (ModelId::from("b"), 1, Usage::default())], &price);
        assert_eq!(
            both[..3],
            [
                format!("{counts}, $0.16"),
                "b: 1 answer, token usage not reported, cost unknown".to_owned(),
                "total: 3 answers, 18.2k input tokens (12k cached), 900 output tokens, $0.16 plus unknown \
                 costs"
                    .to_owned()
            ]
        );
        assert!(both[3].starts_with("to set prices: [prices.MODEL]"), "{both:?}");
        assert_eq!(cost_lines(&[one], &|_: &ModelId| None)[0], format!("{counts}, cost unknown"));
        assert_eq!(cost_lines(&[], &price), ["no tokens used yet"]);
    }
}
