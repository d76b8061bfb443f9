//! As one HTML page: no script, nothing from elsewhere, every text escaped.
//!
//! Markdown stays as it was written, in its own lines: a page that is kept must not depend on how somebody understood it.

use super::parts::{Head, Part, head, parts};
use crate::protocol::History;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;\
color-scheme:light dark}pre,.text{white-space:pre-wrap;overflow-wrap:anywhere}pre{font-size:14px;\
border-left:3px solid #8888;padding-left:1rem}h2{font-size:1rem;margin:2rem 0 .5rem}\
summary{cursor:pointer}dt{float:left;clear:left;width:6rem}footer,dl{opacity:.7}";

pub(super) fn render(history: &History) -> String {
    let Head { title, facts } = head(history);
    let title = escaped(&title);
    let facts: Vec<String> =
        facts.iter().map(|(name, fact)| format!("<dt>{name}</dt><dd>{}</dd>", escaped(fact))).collect();
    let parts: Vec<String> = parts(history).iter().map(section).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<dl>{}</dl>\n{}\n</body>\n</html>\n",
        facts.concat(),
        parts.join("\n")
    )
}

fn section(part: &Part) -> String {
    let spoken = |who: &str, text: &str| {
        format!("<section><h2>{who}</h2><div class=\"text\">{}</div></section>", escaped(text.trim_end()))
    };
    match part {
        Part::Summary(text) => spoken("Summary", text),
        Part::User(text) => spoken("You", text),
        Part::Answer(text) => spoken("Answer", text),
        Part::Thoughts(text) => folded("Reasoning", text),
        Part::Call { tool, object, outcome, output } => {
            let words = [tool.as_str(), object.as_str(), outcome].map(escaped);
            let told: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
            folded(&told.join(" · "), output)
        }
    }
}

/// `summary` is escaped already.
fn folded(summary: &str, text: &str) -> String {
    format!("<details><summary>{summary}</summary><pre>{}</pre></details>", escaped(text.trim_end()))
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // what no page may hold, and what could be an escape sequence for whoever prints it
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
