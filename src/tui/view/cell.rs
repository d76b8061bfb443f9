//! The cells of the transcript as lines: for the scrollback, and unfolded for the page that shows all of it.
//!
//! What is read is broken to the width here. Code, command output and the answers to commands stay in lines as they are,
//! of any width: the terminal breaks them, and so does the page.

use ratatui::text::{Line, Span};

use super::brush::{Brush, DOT, Fact, INDENT, Keep, Mode, SIGN, elapsed, one_line};
use super::markdown::{self, Printed};
use super::theme::Role;
use super::todos;
use super::tool;
use super::wrap::{fit, width};
use crate::protocol::Results;
use crate::text::sanitize::sanitize;
use crate::text::units;
use crate::tui::model::facts::Facts;
use crate::tui::model::live::{Block, Gap};
use crate::tui::model::transcript::Cell;

/// Columns of a command that was ended: enough to know it again.
const WHAT: usize = 40;

/// What is to be known of a model that is in the program itself.
const NOWHERE: &str = "no endpoint, nothing is sent";
/// How to find out the rest.
const KEYS: &str = "? for keys, / for commands";

/// A cell in its lines, without what sets it apart from the one before it.
pub fn render(cell: &Cell, mode: Mode, brush: Brush) -> Vec<Line<'static>> {
    match cell {
        Cell::Head(facts) => head(facts, brush),
        Cell::User(text) => user(text, brush),
        Cell::Answer(block) => answer(block, brush),
        Cell::Thought { text, took } => thought(text, elapsed(*took), mode, brush),
        Cell::Explored(calls) => tool::explored(calls, mode, brush),
        Cell::Call(call) => tool::done(call, mode, brush),
        Cell::Todos(change) => todos::change(change, mode, brush),
        Cell::Remark(text) => remark(text, brush),
        Cell::Error(text) => error(text, brush),
        Cell::Interrupted { what, given_back } => interrupted(what.as_deref(), *given_back, brush),
        Cell::Void(text) => signed("⊘ ", text, brush),
        Cell::Compacted { before, after } => {
            let (before, after) = (units::tokens(*before), units::tokens(*after));
            signed("≡ ", &format!("conversation summarized: {before} → {after} tokens"), brush)
        }
        Cell::Summary { turns, calls, took, tokens } => {
            let counts = [("turn", "turns", *turns), ("call", "calls", *calls)];
            let counts = counts.into_iter().filter(|(_, _, count)| *count > 0);
            let mut told: Vec<_> =
                counts.map(|(one, many, count)| units::counted(count.into(), one, many)).collect();
            told.push(units::duration(*took));
            told.extend((*tokens > 0).then(|| format!("{} tokens", units::tokens(*tokens))));
            brush.paragraph(&brush.line(told.join(DOT), Role::Dim), Span::raw(""), INDENT)
        }
        Cell::Lines(lines) => lines.iter().flat_map(|line| plain(line)).collect(),
    }
}

/// A cell with nothing folded, also what its calls have given, where the results have it.
pub fn whole(cell: &Cell, results: &Results, brush: Brush) -> Vec<Line<'static>> {
    if let Cell::Explored(calls) = cell {
        return calls.iter().flat_map(|call| tool::whole(call, results, brush)).collect();
    }
    if let Cell::Call(call) = cell {
        return tool::whole(call, results, brush);
    }
    render(cell, Mode::Whole, brush)
}

/// Whether an empty line stands between two cells.
pub fn apart(before: Option<&Cell>, cell: &Cell) -> bool {
    match (before, cell) {
        (None, _) => false,
        (Some(Cell::Answer(_)), Cell::Answer(block)) => block.gap == Gap::Line,
        (Some(before), _) => match (group(before), group(cell)) {
            (Some(before), Some(group)) => before != group,
            (Some(_) | None, _) => true,
        },
    }
}

/// Cells that stand together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    Work,
    Notes,
}

fn group(cell: &Cell) -> Option<Group> {
    match cell {
        Cell::Explored(_) | Cell::Call(_) | Cell::Todos(_) => Some(Group::Work),
        Cell::Remark(_)
        | Cell::Error(_)
        | Cell::Interrupted { .. }
        | Cell::Void(_)
        | Cell::Compacted { .. }
        | Cell::Summary { .. } => Some(Group::Notes),
        Cell::Head(_) | Cell::User(_) | Cell::Answer(_) | Cell::Thought { .. } | Cell::Lines(_) => None,
    }
}

/// Which program, which model, where; then what it was told.
fn head(facts: &Facts, brush: Brush) -> Vec<Line<'static>> {
    let span = |text: &str, role| Fact::new(brush.span(one_line(text), role));
    let mut first = vec![span(concat!("clawd ", env!("CARGO_PKG_VERSION")), Role::Strong)];
    if !facts.model.is_empty() {
        first.push(span(&facts.model, Role::Plain));
    }
    match (facts.host.as_str(), facts.model.is_empty()) {
        ("", _) => {}
        (host, _) => first.push(span(host, Role::Plain).after(" at ").rank(1)),
    }
    if !facts.cwd.is_empty() {
        first.push(span(&facts.cwd, Role::Plain));
    }
    if let Some(branch) = &facts.branch {
        first.push(span(&format!("({branch})"), Role::Dim).after(" ").rank(2));
    }
    let files: Vec<_> = facts.instructions.iter().map(|file| one_line(file)).collect();
    let mut lines = brush.paragraph(&brush.facts(first), Span::raw(""), INDENT);
    let mut dim =
        |text: String| lines.extend(brush.paragraph(&brush.line(text, Role::Dim), Span::raw(""), INDENT));
    let nowhere = (facts.host.is_empty() && !facts.model.is_empty()).then(|| NOWHERE.to_owned());
    let told = nowhere.into_iter().chain((!files.is_empty()).then(|| files.join(", ")));
    let told = told.collect::<Vec<_>>().join(DOT);
    if told.is_empty() {
        dim(KEYS.to_owned());
    } else if width(&told) + width(DOT) + width(KEYS) <= brush.columns {
        dim([&told, DOT, KEYS].concat());
    } else {
        dim(told);
        dim(KEYS.to_owned());
    }
    lines
}

/// What the user said, behind the sign of the input line.
fn user(text: &str, brush: Brush) -> Vec<Line<'static>> {
    let text = sanitize(text.trim_end());
    let mut lines = Vec::new();
    for line in text.lines() {
        let lead = if lines.is_empty() { brush.span(SIGN, Role::Accent) } else { Span::raw(INDENT) };
        lines.extend(brush.paragraph(&Line::raw(line), lead, INDENT));
    }
    lines
}

fn answer(block: &Block, brush: Brush) -> Vec<Line<'static>> {
    let block = Block { gap: Gap::None, ..block.clone() };
    let printed = markdown::render_block(&block, brush.columns, brush.theme);
    printed.into_iter().map(|Printed { line, .. }| line).collect()
}

fn thought(text: &str, took: Option<String>, mode: Mode, brush: Brush) -> Vec<Line<'static>> {
    let took = took.map_or_else(|| "thought".to_owned(), |took| format!("thought for {took}"));
    let mut lines = vec![brush.line(took, Role::Dim)];
    let shown = usize::from(brush.manner.reasoning_lines);
    lines.extend(match mode {
        Mode::Whole => brush.prose(text, Role::Dim),
        Mode::Folded if shown == 0 => Vec::new(),
        // one more line than asked for stands in for a single hidden one
        Mode::Folded => brush.fold_indented(brush.prose(text, Role::Dim), shown + 1, Keep::Head),
    });
    lines
}

fn remark(text: &str, brush: Brush) -> Vec<Line<'static>> {
    let text = sanitize(text.trim_end());
    let line = |line: &str| brush.paragraph(&brush.line(line.to_owned(), Role::Dim), Span::raw(""), INDENT);
    text.lines().flat_map(line).collect()
}

fn error(text: &str, brush: Brush) -> Vec<Line<'static>> {
    let text = sanitize(text.trim());
    let text = text.strip_prefix("Error:").unwrap_or(&text).trim_start();
    let mut lines = Vec::new();
    for (index, row) in text.split('\n').enumerate() {
        let mut line = Line::default();
        if index == 0 {
            line.push_span(brush.span("Error:", Role::Error));
            line.push_span(Span::raw(" "));
        }
        line.push_span(brush.span(row.to_owned(), Role::Plain));
        let indent = if index == 0 { "" } else { INDENT };
        lines.extend(brush.paragraph(&line, Span::raw(indent), INDENT));
    }
    lines
}

fn interrupted(what: Option<&str>, given_back: usize, brush: Brush) -> Vec<Line<'static>> {
    let mut told = vec!["Interrupted".to_owned()];
    told.extend(what.and_then(|what| what.trim().lines().next()).map(|what| {
        let what = fit(&Line::raw(one_line(what)), WHAT);
        format!("{what} stopped")
    }));
    told.extend(match given_back {
        0 => None,
        1 => Some("1 queued message returned to the input".to_owned()),
        many => Some(format!("{many} queued messages returned to the input")),
    });
    signed("⊘ ", &told.join(DOT), brush)
}

fn signed(sign: &'static str, text: &str, brush: Brush) -> Vec<Line<'static>> {
    let line = brush.line(one_line(text), Role::Plain);
    brush.paragraph(&line, brush.span(sign, Role::Warn), INDENT)
}

fn plain(text: &str) -> Vec<Line<'static>> {
    let text = sanitize(text);
    let line = |line: &str| Line::raw(line.to_owned());
    if text.is_empty() { vec![Line::default()] } else { text.lines().map(line).collect() }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::brush::Manner;
    use super::super::testing::{self, BRUSH, facts, text};
    use super::*;
    use crate::tui::model::live::Kind;

    #[track_caller]
    fn check(cell: &Cell, columns: usize, expected: &str) {
        testing::check(&text(&render(cell, Mode::Folded, Brush { columns, ..BRUSH })), expected);
    }

    fn said(text: &str) -> Cell {
        Cell::User(text.to_owned())
    }

    #[test]
    fn the_head_names_program_model_and_place() {
        let cell = Cell::Head(Box::new(facts()));
        check(
            &cell,
            120,
            "clawd 0.1.0 · qwen3-coder at 127.0.0.1:11434 · ~/src/shop (main)
AGENTS.md · ? for keys, / for commands",
        );
        check(
            &cell,
            60,
            "clawd 0.1.0 · qwen3-coder at 127.0.0.1:11434 · ~/src/shop
AGENTS.md · ? for keys, / for commands",
        );
        check(
            &cell,
            40,
            "clawd 0.1.0 · qwen3-coder · ~/src/shop
AGENTS.md · ? for keys, / for commands",
        );
        check(
            &Cell::Head(Box::default()),
            80,
            "clawd 0.1.0
? for keys, / for commands",
        );
        let alone = Facts { model: "demo-script".to_owned(), cwd: "~/demo".to_owned(), ..Facts::default() };
        check(
            &Cell::Head(Box::new(alone)),
            80,
            "clawd 0.1.0 · demo-script · ~/demo
no endpoint, nothing is sent · ? for keys, / for commands",
        );
    }

    #[test]
    fn the_user_speaks_behind_the_sign() {
        check(
            &said("the total is wrong when the cart is empty\n\nand so is the tax\n"),
            40,
            "❯ the total is wrong when the cart is
  empty

  and so is the tax",
        );
        check(&said("\x1b[2Jx\u{202e}"), 40, "❯ x‹U+202E›");
    }

    #[test]
    fn notes_are_one_line_where_there_is_room() {
        let interrupted =
            |what: Option<&str>, given_back| Cell::Interrupted { what: what.map(str::to_owned), given_back };
        check(
            &interrupted(Some("cargo test"), 1),
            120,
            "⊘ Interrupted · cargo test stopped · 1 queued message returned to the input",
        );
        check(
            &interrupted(Some("cargo test"), 2),
            40,
            "⊘ Interrupted · cargo test stopped · 2
  queued messages returned to the input",
        );
        check(&interrupted(None, 0), 80, "⊘ Interrupted");
        let error = "no answer from 127.0.0.1:11434 for 60 s (connected, no byte). The message is kept.";
        check(
            &Cell::Error(error.to_owned()),
            120,
            "Error: no answer from 127.0.0.1:11434 for 60 s (connected, no byte). The message is kept.",
        );
        check(
            &Cell::Error(format!("Error: {error}\nmore")),
            40,
            "Error: no answer from 127.0.0.1:11434
  for 60 s (connected, no byte). The
  message is kept.
  more",
        );
        check(
            &Cell::Void("the answer above broke off: it is asked for again".to_owned()),
            40,
            "⊘ the answer above broke off: it is
  asked for again",
        );
        check(
            &Cell::Compacted { before: 98_234, after: 12_100 },
            80,
            "≡ conversation summarized: 98.2k → 12.1k tokens",
        );
        check(
            &Cell::Remark("the session cannot be written: disk full".to_owned()),
            40,
            "the session cannot be written: disk full",
        );
        let took = Duration::from_millis(41_900);
        check(
            &Cell::Summary { turns: 3, calls: 4, took, tokens: 18_234 },
            80,
            "3 turns · 4 calls · 41 s · 18.2k tokens",
        );
        check(
            &Cell::Summary { turns: 1, calls: 0, took: Duration::from_millis(300), tokens: 0 },
            80,
            "1 turn · 300 ms",
        );
    }

    #[test]
    fn an_error_begins_with_its_word_in_red() {
        let lines = render(&Cell::Error("x".to_owned()), Mode::Folded, BRUSH);
        assert_eq!(lines[0].spans[0], BRUSH.span("Error:", Role::Error));
    }

    #[test]
    fn thoughts_are_folded_and_unfold() {
        let cell = Cell::Thought { text: "First.\nThen.".to_owned(), took: Duration::from_secs(12) };
        check(&cell, 80, "thought for 12 s");
        assert_eq!(text(&render(&cell, Mode::Whole, BRUSH)), "thought for 12 s\n  First.\n  Then.");
        let long = Cell::Thought { text: testing::numbered(9), took: Duration::from_secs(12) };
        let manner = Manner { reasoning_lines: 2, ..Manner::USUAL };
        testing::check(
            &text(&render(&long, Mode::Folded, Brush { manner, ..BRUSH })),
            "thought for 12 s
  line 1
  line 2
  … 7 more lines (Ctrl+O to expand)",
        );
    }

    #[test]
    fn lines_and_code_stay_as_they_are() {
        let long = "x ".repeat(60).trim_end().to_owned();
        check(
            &Cell::Lines(vec![long.clone(), String::new(), "a\x07b".to_owned()]),
            40,
            &format!("{long}\n\nab"),
        );
        let kind = Kind::Code { language: "rust".to_owned(), reading: None };
        check(&Cell::Answer(Block { source: long.clone() + "\n", gap: Gap::Line, kind }), 40, &long);
    }

    #[test]
    fn cells_are_set_apart_but_not_within_a_group() {
        let answer = |gap| Cell::Answer(Block { source: "x".to_owned(), gap, kind: Kind::Text });
        let (calls, error) = (Cell::Explored(Vec::new()), Cell::Error(String::new()));
        let check = |before: Option<&Cell>, cell: &Cell, expected| assert_eq!(apart(before, cell), expected);
        check(None, &error, false);
        check(Some(&said("a")), &said("b"), true);
        check(Some(&said("a")), &answer(Gap::None), true);
        check(Some(&answer(Gap::None)), &answer(Gap::None), false);
        check(Some(&answer(Gap::None)), &answer(Gap::Line), true);
        check(Some(&calls), &calls, false);
        check(Some(&calls), &error, true);
        check(Some(&Cell::Interrupted { what: None, given_back: 0 }), &error, false);
    }
}
