//! What of an unfinished block can be seen already.
//!
//! Not all that has arrived: what will be something else with the next characters is held back, so that nothing flickers. A
//! line that consists of marks alone may be a fence, a rule, the underline of a heading; the head of a table is a line of
//! bars until the line below it is there; and of a table only whole rows are shown, as its columns would jump with every
//! word.

use super::line::Line;
use super::{Block, Gap, Kind, Live, Open};
use crate::text::sanitize::sanitize;

/// What fences, rules, underlines, quotes, lists and the lines of tables consist of.
const MARKS: &[char] = &['`', '~', '-', '=', '*', '_', '#', '>', '+', '|', ':', ' ', '\t'];

impl Live {
    /// The block that is not finished, for the live region: at most about `most` bytes from its end. `None` if there
    /// is nothing to see.
    pub fn draft(&self, most: usize) -> Option<Block> {
        let received = self.partial.trim_end_matches('\r');
        let partial = sanitize(tail(received, most));
        let gap = self.gap.unwrap_or(Gap::None);
        let (gap, kind) = match &self.open {
            Open::Code(code) => {
                let shown = !partial.is_empty() && !code.fence.may_be_closed_by(&partial);
                let source = code.fence.content(&partial).to_owned();
                return shown.then(|| Block { source, gap, kind: code.kind() });
            }
            Open::Item(item) => (gap, item.kind()),
            Open::Nothing => (self.next_gap(&Line::new(&partial)), Kind::Text),
            Open::Text(_) | Open::Indented => (gap, Kind::Text),
        };
        let source = match table(&self.chunk, &partial) {
            Table::No if most < received.len() || self.chunk.len() + partial.len() > most => {
                let above = tail(&self.chunk, most.saturating_sub(partial.len()));
                let source = [above, &partial].concat();
                return (!source.trim_ascii().is_empty()).then_some(Block {
                    source,
                    gap: Gap::None,
                    kind: Kind::Text,
                });
            }
            Table::No if partial.chars().all(|c| MARKS.contains(&c)) => self.chunk.clone(),
            Table::No => [self.chunk.as_str(), &partial].concat(),
            Table::Perhaps => String::new(),
            Table::Yes { head, rows } => [head, tail(rows, most.saturating_sub(head.len()))].concat(),
        };
        (!source.trim_ascii().is_empty()).then_some(Block { source, gap, kind })
    }
}

/// Whether a block is a table.
enum Table<'a> {
    No,
    /// The line that decides it is not complete.
    Perhaps,
    /// Its first two lines, and the rows that are complete.
    Yes {
        head: &'a str,
        rows: &'a str,
    },
}

/// Judges a block by its complete lines and the one that arrives.
fn table<'a>(complete: &'a str, partial: &str) -> Table<'a> {
    let decides = |line: &str| line.contains('-') && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' '));
    let is_head = |line: &str| line.trim_start_matches(' ').starts_with('|');
    let Some((head, below)) = complete.split_once('\n') else {
        return if is_head(partial) { Table::Perhaps } else { Table::No };
    };
    match below.split_once('\n') {
        None if is_head(head) && partial.chars().all(|c| MARKS.contains(&c)) => Table::Perhaps,
        Some((line, rows)) if head.contains('|') && decides(line) => {
            let head = complete.strip_suffix(rows).unwrap_or_default();
            Table::Yes { head, rows }
        }
        None | Some(_) => Table::No,
    }
}

/// The last `most` bytes of a text, from a line or at least a character on.
fn tail(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = text.get(text.ceil_char_boundary(text.len() - most)..).unwrap_or_default();
    end.split_once('\n').map_or(end, |(_, lines)| lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(live: &Live, most: usize) -> Option<String> {
        live.draft(most).map(|block| {
            let gap = if block.gap == Gap::Line { "+" } else { "" };
            let kind = match &block.kind {
                Kind::Text => "text".to_owned(),
                Kind::Item { .. } => "item".to_owned(),
                Kind::Code { language, .. } => format!("code {language}"),
            };
            format!("{gap}{kind}: {}", block.source.escape_debug())
        })
    }

    /// What is seen after each delta.
    #[track_caller]
    fn check(deltas: &[(&str, Option<&str>)]) {
        let mut live = Live::default();
        for (delta, expected) in deltas {
            drop(live.push(delta));
            assert_eq!(draft(&live, 99).as_deref(), *expected, "after {delta:?}");
        }
    }

    #[test]
    fn what_is_not_final_is_shown_from_its_end() {
        let mut live = Live::default();
        assert_eq!(draft(&live, 99), None);
        assert!(!live.has_begun());
        drop(live.push("first\n\n- a"));
        assert_eq!(draft(&live, 99).unwrap(), "+text: - a");
        assert!(live.has_begun());
        drop(live.push("\n  b"));
        assert_eq!(draft(&live, 99).unwrap(), "+item: - a\\n  b");
        drop(live.push("\n\n```sh\nls"));
        assert_eq!(draft(&live, 99).unwrap(), "+code sh: ls");
        drop(live.push("\n``"));
        assert_eq!(draft(&live, 99), None);
        drop(live.push("`\nlong\nlonger line"));
        assert_eq!(draft(&live, 99).unwrap(), "+text: long\\nlonger line");
        assert_eq!(draft(&live, 11).unwrap(), "text: longer line");
        assert_eq!(draft(&live, 4).unwrap(), "text: line");
    }

    #[test]
    fn marks_are_held_back_until_they_mean_something() {
        check(&[("``", None), ("`r", Some("text: ```r")), ("s\n", None), ("x", Some("code rs: x"))]);
        check(&[("a\n", Some("text: a\\n")), ("-", Some("text: a\\n")), ("- b", Some("text: a\\n-- b"))]);
        check(&[("#", None), ("# ", None), ("a", Some("text: ## a"))]);
        check(&[("**", None), ("b", Some("text: **b"))]);
        check(&[
            ("- a\n", Some("item: - a\\n")),
            ("  ``", Some("item: - a\\n")),
            ("x", Some("item: - a\\n  ``x")),
        ]);
    }

    #[test]
    fn a_table_is_shown_when_it_is_one_and_row_by_row() {
        check(&[
            ("| a |", None),
            (" b |\n|-", None),
            ("-|---|\n", Some("text: | a | b |\\n|--|---|\\n")),
            ("| c", Some("text: | a | b |\\n|--|---|\\n")),
            (" | d |\n| e", Some("text: | a | b |\\n|--|---|\\n| c | d |\\n")),
        ]);
        check(&[("| a |\n", None), ("no", Some("text: | a |\\nno"))]);
    }

    #[test]
    fn a_long_table_keeps_its_head() {
        let mut live = Live::default();
        drop(live.push("|a|\n|-|\n|b|\n|c|\n|d|\n|e"));
        assert_eq!(draft(&live, 16).unwrap(), "text: |a|\\n|-|\\n|d|\\n");
    }
}
