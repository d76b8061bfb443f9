//! As Markdown: what the model wrote stays as it wrote it, everything else stands in fences that nothing in it can close.

use super::parts::{Head, Part, head, parts};
use crate::protocol::History;
use crate::text::fences::fence_around;

pub(super) fn render(history: &History) -> String {
    let Head { title, facts } = head(history);
    let mut sections = vec![format!("# {}", title.trim_start_matches('#').trim())];
    let facts: Vec<String> = facts.iter().map(|(name, fact)| format!("- {name}: {fact}")).collect();
    if !facts.is_empty() {
        sections.push(facts.join("\n"));
    }
    sections.extend(parts(history).iter().map(section));
    sections.join("\n\n") + "\n"
}

fn section(part: &Part) -> String {
    match part {
        Part::Summary(text) => format!("## Summary\n\n{}", text.trim_end()),
        Part::User(text) => format!("## You\n\n{}", text.trim_end()),
        Part::Answer(text) => format!("## Answer\n\n{}", text.trim_end()),
        Part::Thoughts(text) => format!("### Reasoning\n\n{}", fenced(text)),
        Part::Call { tool, object, outcome, output } => {
            let outcome = if outcome.is_empty() { String::new() } else { format!(" ({outcome})") };
            let head = match object.lines().collect::<Vec<_>>().as_slice() {
                [] => format!("### {tool}{outcome}"),
                [one] if !one.contains('`') => format!("### {tool} `{one}`{outcome}"),
                _ => format!("### {tool}{outcome}\n\n{}", fenced(object)),
            };
            if output.trim().is_empty() { head } else { format!("{head}\n\n{}", fenced(output)) }
        }
    }
}

fn fenced(text: &str) -> String {
    let fence = fence_around(text);
    format!("{fence}text\n{}\n{fence}", text.trim_end_matches('\n'))
}
