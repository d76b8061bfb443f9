//! Preformatted text: kept as it is, without the tags that colour it.

use super::pieces::Tag;
use super::tags::{Meaning, Words};
use super::{Writer, escape};

/// Preformatted text, as it comes.
#[derive(Debug, Default)]
pub(super) struct CodeBlock {
    language: Option<String>,
    text: String,
}

impl Writer {
    pub(super) fn start_code(&mut self, tag: &Tag<'_>) {
        if self.stands_apart() {
            self.code = Some(CodeBlock { language: language(tag), text: String::new() });
        }
    }

    pub(super) fn end_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        self.apart = true;
        let text =
            code.text.strip_prefix("\r\n").or_else(|| code.text.strip_prefix('\n')).unwrap_or(&code.text);
        if text.trim().is_empty() {
            return;
        }
        self.out.push_str("<pre><code");
        if let Some(language) = code.language {
            self.out.push_str(" class=\"language-");
            self.out.push_str(&language);
            self.out.push('"');
        }
        self.out.push('>');
        escape(text, &mut self.out);
        self.out.push_str("</code></pre>");
    }
}

impl CodeBlock {
    /// A tag inside preformatted text, which may tell its language.
    pub(super) fn take(&mut self, meaning: Meaning, tag: &Tag<'_>) {
        let is_within_a_line = !self.text.is_empty() && !self.text.ends_with('\n');
        // some pages make a block of each line
        if meaning == Meaning::Break || (meaning == Meaning::Block && is_within_a_line) {
            self.text.push('\n');
        }
        if meaning == Meaning::Words(Words::Code) && self.language.is_none() {
            self.language = language(tag);
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }
}

/// The language that a class names, as `language-rust` or `lang-rust`.
fn language(tag: &Tag<'_>) -> Option<String> {
    let class = tag.attribute("class")?;
    let names = class.split_ascii_whitespace();
    let mut found =
        names.filter_map(|name| name.strip_prefix("language-").or_else(|| name.strip_prefix("lang-")));
    let is_name = |name: &&str| {
        (1..=20).contains(&name.len())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "+#-_".contains(c))
    };
    found.find(is_name).map(str::to_owned)
}
