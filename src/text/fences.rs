//! Fenced code in Markdown: the blocks, byte for byte.
//!
//! Not a Markdown parser: it looks at the lines that open and close a fence and at nothing else, so a block inside a quote is not
//! found. What a block holds is what a person would copy: the indentation of its fence (as in a list) is taken off its lines, all
//! else stays as it came, and a block that never ended goes to the end.

/// One fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fenced {
    /// The first word after the fence, perhaps empty.
    pub language: String,
    /// The lines between the fences, each with its end.
    pub text: String,
}

/// The line that opened a block.
struct Fence {
    indent: usize,
    sign: char,
    length: usize,
}

/// All fenced blocks, in order.
#[must_use]
pub fn blocks(markdown: &str) -> Vec<Fenced> {
    let mut blocks: Vec<Fenced> = Vec::new();
    let mut open: Option<Fence> = None;
    for line in markdown.split_inclusive('\n') {
        match (&open, blocks.last_mut()) {
            (Some(fence), Some(block)) if !fence.is_closed_by(line) => {
                block.text.push_str(unindented(line, fence.indent));
            }
            (Some(_), _) => open = None,
            (None, _) => {
                if let Some((fence, language)) = Fence::open(line) {
                    blocks.push(Fenced { language, text: String::new() });
                    open = Some(fence);
                }
            }
        }
    }
    blocks
}

/// A fence that no line of `text` closes.
#[must_use]
pub fn fence_around(text: &str) -> String {
    let runs = text.lines().filter_map(Fence::open).filter(|(fence, _)| fence.sign == '`');
    let longest = runs.map(|(fence, _)| fence.length).max().unwrap_or(2);
    "`".repeat(longest.max(2) + 1)
}

impl Fence {
    fn open(line: &str) -> Option<(Self, String)> {
        let body = line.trim_start_matches(' ');
        let sign = body.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
        let info = body.trim_start_matches(sign);
        let length = body.len() - info.len();
        // `code` within a sentence may begin with three backticks too
        if length < 3 || (sign == '`' && info.contains('`')) {
            return None;
        }
        let language = info.split_whitespace().next().unwrap_or_default().to_owned();
        Some((Self { indent: line.len() - body.len(), sign, length }, language))
    }

    fn is_closed_by(&self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.length && line.chars().all(|c| c == self.sign)
    }
}

fn unindented(line: &str, indent: usize) -> &str {
    let spaces = line.len() - line.trim_start_matches(' ').len();
    line.get(spaces.min(indent)..).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(markdown: &str) -> Vec<String> {
        blocks(markdown).into_iter().map(|block| format!("{}:{}", block.language, block.text)).collect()
    }

    #[test]
    fn blocks_are_found_with_their_exact_lines() {
        let table: &[(&str, &[&str])] = &[
            ("no code, ``` inline ```\n", &[]),
            ("```rust\nfn a() {}\n\n\tb\r\n```\nand\n~~~\nx\n~~~\n", &["rust:fn a() {}\n\n\tb\r\n", ":x\n"]),
            ("````md\n```\nin\n```\n````\n", &["md:```\nin\n```\n"]),
            ("- item\n  ```sh title\n  ls\n    -l\n  ```\n", &["sh:ls\n  -l\n"]),
            ("```\nnever ended", &[":never ended"]),
            ("```\n~~~\n```\n", &[":~~~\n"]),
            ("```\n```\n", &[":"]),
        ];
        for (markdown, expected) in table {
            assert_eq!(texts(markdown), *expected, "{markdown}");
        }
    }

    #[test]
    fn nothing_closes_the_fence_around_a_text() {
        for text in ["", "plain", "```\nx\n```\n", "  `````md\n", "a ``` b", "~~~~~~"] {
            let fence = fence_around(text);
            let [block] = blocks(&format!("{fence}\n{text}\n{fence}\n")).try_into().unwrap();
            assert_eq!(block.text, format!("{text}\n"));
        }
        assert_eq!(fence_around("````"), "`````");
    }
}
