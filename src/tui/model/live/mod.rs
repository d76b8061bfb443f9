//! The arriving answer: which part of the Markdown received so far is final, and which may still change.
//!
//! Not a Markdown parser: it only knows, line by line, where at the outermost level one block is certainly over. Each
//! finished [`Block`] can be drawn without the others, because what it would need of them (is there a gap before it,
//! what number has this list item) goes with it. The surprise: a finished answer takes the same way, cut into the
//! same blocks; so what was streamed into the scrollback and what is drawn again later cannot differ, and a reference
//! defined further down is resolved in neither.
//!
//! The work is linear: every byte is looked at once as it comes and once as its line is complete.

mod draft;
mod leaf;
mod line;

use crate::text::highlight::Highlighter;
use crate::text::sanitize::sanitize;

use self::leaf::{Html, Inside, Text, starts_anything};
use self::line::{Fence, Line, Marker};

/// A finished piece of Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Clean Markdown; of fenced code the bare lines.
    pub source: String,
    /// What stands before it.
    pub gap: Gap,
    /// How to read the source.
    pub kind: Kind,
}

/// Whether a block is set off from what is above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap {
    /// It follows directly.
    None,
    /// An empty line stands between.
    Line,
}

/// How to read a block's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Any Markdown.
    Text,
    /// One item of a list; the number counts on from the items before it, whatever is written there.
    Item {
        /// `None` for a bullet.
        number: Option<u64>,
    },
    /// Some lines of fenced code.
    Code {
        /// The first word after the fence, perhaps empty.
        language: String,
        /// How to read the first of these lines, if the language is known: what the lines above have left open.
        reading: Option<Highlighter>,
    },
}

/// An answer as it arrives.
#[derive(Debug, Clone, Default)]
pub struct Live {
    /// The line that has no end yet, as received.
    partial: String,
    /// Complete lines of the block that is not finished, clean.
    chunk: String,
    open: Open,
    /// The gap above that block; `None` as long as nothing has been seen.
    gap: Option<Gap>,
    /// Whether the line before the present one was empty.
    after_blank: bool,
    done: Vec<Block>,
    #[cfg(test)]
    work: usize,
}

/// What kind of block is open.
#[derive(Debug, Clone, Default)]
enum Open {
    #[default]
    Nothing,
    Text(Text),
    Indented,
    Item(Item),
    Code(Code),
}

/// Fenced code at the outermost level.
#[derive(Debug, Clone)]
struct Code {
    fence: Fence,
    language: String,
    /// How to read the next line.
    reading: Option<Highlighter>,
}

/// One item of a list at the outermost level, or a footnote.
#[derive(Debug, Clone)]
struct Item {
    marker: Marker,
    number: u64,
    /// An item whose first line is empty ends with an empty second one.
    bare: bool,
    inside: Inside,
}

impl Live {
    /// Takes what has arrived and gives back the blocks that have become final.
    pub fn push(&mut self, delta: &str) -> Vec<Block> {
        for piece in delta.split_inclusive('\n') {
            self.partial.push_str(piece);
            self.count(piece.len());
            if piece.ends_with('\n') {
                self.complete();
            }
        }
        std::mem::take(&mut self.done)
    }

    /// Nothing more will come: gives back all that is left.
    pub fn finish(mut self) -> Vec<Block> {
        self.complete();
        self.close();
        self.done
    }

    /// Whether anything has arrived at all, finished or not.
    pub fn has_begun(&self) -> bool {
        self.gap.is_some() || !self.partial.is_empty()
    }

    /// Cleans the partial line and takes it in. A lone carriage return ends a line as well.
    fn complete(&mut self) {
        let partial = std::mem::take(&mut self.partial);
        self.count(partial.len());
        for line in sanitize(&partial).split_inclusive('\n') {
            let line = Line::new(line.strip_suffix('\n').unwrap_or(line));
            self.line(&line);
            self.after_blank = line.is_blank();
        }
    }

    fn line(&mut self, line: &Line<'_>) {
        match std::mem::take(&mut self.open) {
            Open::Nothing => self.begin(line),
            Open::Text(text) => self.in_text(text, line),
            Open::Indented => self.in_indented(line),
            Open::Item(item) => self.in_item(item, line),
            Open::Code(code) => self.in_code(code, line),
        }
    }

    /// The first line of a block, if it is not empty.
    fn begin(&mut self, line: &Line<'_>) {
        if line.is_blank() {
            return;
        }
        self.gap = Some(self.next_gap(line));
        if let Some(fence) = line.fence() {
            let language = line.language().to_owned();
            let reading = Highlighter::of_fence(&language);
            self.open = Open::Code(Code { fence, language, reading });
            return;
        }
        self.keep(line);
        if line.is_indented() {
            self.open = Open::Indented;
        } else if line.is_heading() || line.is_rule() {
            self.close();
        } else if let Some(marker) = line.marker().or(line.footnote()) {
            self.item(marker, marker.number, line);
        } else {
            let mut text = Text::default();
            text.follow(line);
            self.open = Open::Text(text);
        }
    }

    /// Blocks are apart; a list or a footnote stands as near to what is above it as it was written.
    fn next_gap(&self, line: &Line<'_>) -> Gap {
        let list = line.marker().or(line.footnote()).is_some() && !line.is_rule();
        match self.gap {
            None => Gap::None,
            Some(_) if list && !self.after_blank => Gap::None,
            Some(_) => Gap::Line,
        }
    }

    fn in_text(&mut self, mut text: Text, line: &Line<'_>) {
        if let Html::Until(end) = text.html {
            self.keep(line);
            if line.ends_html(end) {
                text.html = Html::Perhaps;
            }
            self.open = Open::Text(text);
            return;
        }
        if line.is_blank() {
            return self.close();
        }
        if text.html == Html::No && text.is_interrupted_by(line) {
            self.close();
            return self.begin(line);
        }
        self.keep(line);
        if text.html == Html::No && line.is_underline(text.is_quoted()) {
            return self.close();
        }
        text.follow(line);
        self.open = Open::Text(text);
    }

    fn in_indented(&mut self, line: &Line<'_>) {
        if line.is_indented() || line.is_blank() {
            self.keep(line);
            self.open = Open::Indented;
        } else {
            self.close();
            self.begin(line);
        }
    }

    fn in_code(&mut self, mut code: Code, line: &Line<'_>) {
        if code.fence.is_closed_by(line) {
            return;
        }
        let content = code.fence.content(line.text);
        let gap = self.gap.replace(Gap::None).unwrap_or(Gap::None);
        match self.done.last_mut() {
            Some(Block { source, kind: Kind::Code { .. }, .. }) if gap == Gap::None => {
                source.push_str(content);
                source.push('\n');
            }
            _ => self.done.push(Block { source: [content, "\n"].concat(), gap, kind: code.kind() }),
        }
        if let Some(reading) = &mut code.reading {
            reading.pass(content);
        }
        self.open = Open::Code(code);
    }

    fn in_item(&mut self, mut item: Item, line: &Line<'_>) {
        let over = item.bare && self.after_blank;
        if line.is_blank() || (line.indent >= item.marker.content && !over) {
            item.bare &= line.is_blank();
            item.inside = item.inside.after(line.dedented(item.marker.content));
            self.keep(line);
            self.open = Open::Item(item);
            return;
        }
        let next =
            line.marker().or(line.footnote()).filter(|next| next.continues(item.marker) && !line.is_rule());
        let lazy = !self.after_blank && item.inside == Inside::Words && !starts_anything(line);
        if let Some(marker) = next {
            let gap = if self.after_blank { Gap::Line } else { Gap::None };
            self.finish_item(&item);
            self.gap = Some(gap);
            self.keep(line);
            self.item(marker, item.number.saturating_add(1), line);
        } else if lazy {
            self.keep(line);
            self.open = Open::Item(item);
        } else {
            self.finish_item(&item);
            self.begin(line);
        }
    }

    fn item(&mut self, marker: Marker, number: u64, line: &Line<'_>) {
        let content = Line::new(line.after_marker(marker));
        let inside = Inside::Other.after(content.dedented(1));
        let bare = content.is_blank() && !marker.is_footnote();
        self.open = Open::Item(Item { marker, number, bare, inside });
    }

    fn keep(&mut self, line: &Line<'_>) {
        self.chunk.push_str(line.text);
        self.chunk.push('\n');
    }

    /// The open block is final.
    fn close(&mut self) {
        match std::mem::take(&mut self.open) {
            Open::Item(item) => self.finish_item(&item),
            Open::Nothing | Open::Text(_) | Open::Indented | Open::Code(_) => self.emit(Kind::Text),
        }
    }

    fn finish_item(&mut self, item: &Item) {
        self.emit(item.kind());
    }

    fn emit(&mut self, kind: Kind) {
        let source = std::mem::take(&mut self.chunk);
        if !source.is_empty() {
            self.done.push(Block { source, gap: self.gap.unwrap_or(Gap::None), kind });
        }
    }

    #[cfg(test)]
    fn count(&mut self, bytes: usize) {
        self.work += bytes;
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "only tests count the work")]
    fn count(&mut self, _: usize) {}
}

impl Item {
    fn kind(&self) -> Kind {
        Kind::Item { number: self.marker.is_ordered().then_some(self.number) }
    }
}

impl Code {
    fn kind(&self) -> Kind {
        Kind::Code { language: self.language.clone(), reading: self.reading }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks in a small notation: `+` for a gap, then what it is, then its source.
    fn drawn(blocks: &[Block]) -> Vec<String> {
        let block = |block: &Block| {
            let gap = if block.gap == Gap::Line { "+" } else { "" };
            let kind = match &block.kind {
                Kind::Text => "text".to_owned(),
                Kind::Item { number } => number.map_or_else(|| "item".to_owned(), |n| format!("item {n}")),
                Kind::Code { language, .. } => format!("code {language}"),
            };
            format!("{gap}{kind}: {}", block.source.escape_debug())
        };
        blocks.iter().map(block).collect()
    }

    /// What each delta makes final, and last what is left.
    fn check(deltas: &[&str], expected: &[&[&str]]) {
        let mut live = Live::default();
        for (delta, expected) in deltas.iter().zip(expected) {
            assert_eq!(drawn(&live.push(delta)), *expected, "after {delta:?}");
        }
        assert_eq!(drawn(&live.finish()), *expected[deltas.len()], "at the end");
    }

    #[test]
    fn a_paragraph_is_final_with_its_empty_line() {
        check(
            &["one ", "two\n", "\n", "three"],
            &[&[], &[], &["text: one two\\n"], &[], &["+text: three\\n"]],
        );
    }

    #[test]
    fn code_is_final_line_by_line() {
        check(
            &["```rs\n", "a\nb", "\n", "``", "`\n", "text"],
            &[&[], &["code rs: a\\n"], &["code rs: b\\n"], &[], &[], &[], &["+text: text\\n"]],
        );
    }

    #[test]
    fn an_item_is_final_when_the_next_begins() {
        check(
            &["1. a\n", "\n   more\n", "1. b\n", "\n", "text\n"],
            &[&[], &[], &["item 1: 1. a\\n\\n   more\\n"], &[], &["item 2: 1. b\\n\\n"], &["+text: text\\n"]],
        );
    }

    #[test]
    fn a_table_is_final_when_it_ends() {
        check(&["|a|\n|-|\n", "|b|\n", "\n"], &[&[], &[], &["text: |a|\\n|-|\\n|b|\\n"], &[]]);
    }

    #[test]
    fn a_heading_needs_no_empty_line() {
        check(&["# a\nb\n## c\n"], &[&["text: # a\\n", "+text: b\\n", "+text: ## c\\n"], &[]]);
    }

    #[test]
    fn a_line_end_in_two_pieces_is_one() {
        check(&["a\r", "\n\r", "\nb\r\n"], &[&[], &[], &["text: a\\n"], &["+text: b\\n"]]);
    }

    #[test]
    fn code_in_pieces_is_read_as_if_it_were_whole() {
        let mut live = Live::default();
        drop(live.push("```rs\n/* a\n"));
        let blocks = live.push("b */ fn\n");
        let mut whole = Highlighter::of_fence("rs").unwrap();
        whole.pass("/* a");
        let kind = Kind::Code { language: "rs".to_owned(), reading: Some(whole) };
        assert_eq!(blocks, [Block { source: "b */ fn\n".to_owned(), gap: Gap::None, kind }]);
    }

    #[test]
    fn the_work_grows_with_the_length_alone() {
        let line = "Some words of an answer, a `span` and so on, until the line is over.";
        let shapes: [&dyn Fn(usize) -> String; 4] = [
            &|_| format!("{line}\n\n"),
            &|_| format!("- {line}\n"),
            &|at| if at == 0 { "```\n".to_owned() } else { format!("{line}\n") },
            &|_| line.to_owned(),
        ];
        for shape in shapes {
            let answer: String = (0..)
                .map(shape)
                .scan(0, |len, piece| {
                    *len += piece.len();
                    (*len < 1_000_000).then_some(piece)
                })
                .collect();
            let mut live = Live::default();
            let mut blocks = 0;
            for delta in answer.as_bytes().chunks(20) {
                blocks += live
                    .push(std::str::from_utf8(delta).unwrap())
                    .iter()
                    .map(|b| b.source.len())
                    .sum::<usize>();
            }
            live.complete();
            assert!(live.work <= 2 * answer.len(), "{} steps for {} bytes", live.work, answer.len());
            assert!(blocks <= answer.len() + answer.len() / 8);
        }
    }
}
