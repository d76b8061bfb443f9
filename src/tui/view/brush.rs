//! What every part of the picture is drawn with: theme and width in one value, and the few strokes that all share.
//!
//! It knows nothing of the model. All foreign text goes through `one_line`, `reveal` or the sanitiser itself before
//! it becomes a span.

use std::borrow::Cow;
use std::time::Duration;

use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

use super::theme::{Role, Theme};
use super::wrap::{Prefix, fit, spans_width, width, wrap};
use crate::app::{Motion, TuiConfig};
use crate::text::sanitize::{sanitize, sanitize_line};
use crate::text::units;
use crate::tui::model::buffer::Buffer;
use crate::tui::model::layout::{clip, printable};

/// Before what has the focus, and before what the user said.
pub(super) const SIGN: &str = "❯ ";
/// Before what belongs to the line above.
pub(super) const INDENT: &str = "  ";
/// Where what is left out can be seen.
const HINT: &str = " (Ctrl+O to expand)";
/// Between facts in one line.
pub(super) const DOT: &str = " · ";

/// How a part is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brush {
    /// The looks.
    pub theme: Theme,
    /// Columns there are.
    pub columns: usize,
    /// What the user wants.
    pub manner: Manner,
}

/// What the user wants of everything that is drawn, colours aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    /// Whether anything moves by itself.
    pub motion: Motion,
    /// Lines of a command's output in the scrollback.
    pub output_lines: u16,
    /// Rows of a change in the scrollback.
    pub diff_lines: u16,
    /// Rows of the model's reasoning in the scrollback.
    pub reasoning_lines: u16,
    /// What stands for an outcome.
    pub signs: Signs,
}

/// What stands for an outcome, and before a line that was added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signs {
    /// A sign.
    Signs,
    /// A word, for whoever does not see the sign.
    Words,
}

impl Manner {
    /// Where nobody wants anything else: of output a failing test's last words.
    pub const USUAL: Self = Self {
        motion: Motion::Full,
        output_lines: 8,
        diff_lines: 40,
        reasoning_lines: 0,
        signs: Signs::Signs,
    };
}

impl From<&TuiConfig> for Manner {
    fn from(wanted: &TuiConfig) -> Self {
        let TuiConfig { motion, output_lines, diff_lines, reasoning_lines, .. } = *wanted;
        Self { motion, output_lines, diff_lines, reasoning_lines, signs: Signs::Signs }
    }
}

/// How everything is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The colours.
    pub theme: Theme,
    /// All else.
    pub manner: Manner,
}

impl Look {
    /// What draws so in so many columns.
    #[must_use]
    pub fn brush(self, columns: usize) -> Brush {
        Brush { theme: self.theme, columns, manner: self.manner }
    }
}

impl From<Theme> for Look {
    fn from(theme: Theme) -> Self {
        Self { theme, manner: Manner::USUAL }
    }
}

/// How much of a long text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// As it goes into the scrollback: the part that matters.
    Folded,
    /// All of it.
    Whole,
}

/// Which part of a long text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// Its beginning.
    Head,
    /// Its end.
    Tail,
    /// Both, the beginning first.
    Ends,
}

/// One of the facts of a line.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    /// What stands between it and the one before it.
    before: &'static str,
    span: Span<'static>,
    rank: u8,
}

/// What stands in the place of the input: the input itself, a question, a list.
#[derive(Debug, Clone, Default)]
pub(super) struct Pane {
    /// Its rows.
    pub(super) lines: Vec<Line<'static>>,
    /// Row and column of the cursor, where something is typed.
    pub(super) cursor: Option<(usize, usize)>,
}

/// How a typed text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Echo {
    /// As it is.
    Text,
    /// A `•` for each character.
    Dots,
}

impl Brush {
    /// Clean text in a role.
    pub(super) fn span(self, text: impl Into<Cow<'static, str>>, role: Role) -> Span<'static> {
        Span::styled(text, self.theme.style(role))
    }

    /// A line of clean text in a role.
    pub(super) fn line(self, text: impl Into<Cow<'static, str>>, role: Role) -> Line<'static> {
        Line::from(self.span(text, role))
    }

    /// A paragraph broken to the width; all but its first line are indented by `rest`.
    pub(super) fn paragraph(
        self,
        line: &Line<'_>,
        first: Span<'static>,
        rest: &'static str,
    ) -> Vec<Line<'static>> {
        let lead = |span: Span<'static>| if span.content.is_empty() { Vec::new() } else { vec![span] };
        wrap(line, self.columns, &Prefix { first: lead(first), rest: lead(Span::raw(rest)) })
    }

    /// Foreign text, paragraph by paragraph, in one role and indented.
    pub(super) fn prose(self, text: &str, role: Role) -> Vec<Line<'static>> {
        let text = sanitize(text.trim_end());
        let line = |line: &str| self.paragraph(&self.line(line.to_owned(), role), Span::raw(INDENT), INDENT);
        text.lines().flat_map(line).collect()
    }

    /// As many of the facts as fit into one line. Those of the highest rank go first, of one rank the last; those of rank 0 stay.
    pub(super) fn facts(self, mut facts: Vec<Fact>) -> Line<'static> {
        while facts_width(&facts) > self.columns {
            let Some(rank) = facts.iter().map(|fact| fact.rank).max().filter(|rank| *rank > 0) else { break };
            let Some(last) = facts.iter().rposition(|fact| fact.rank == rank) else { break };
            facts.remove(last);
        }
        self.joined(facts)
    }

    fn joined(self, facts: Vec<Fact>) -> Line<'static> {
        let mut line = Line::default();
        for (index, fact) in facts.into_iter().enumerate() {
            if index > 0 {
                line.push_span(self.span(fact.before, Role::Dim));
            }
            line.push_span(fact.span);
        }
        line
    }

    /// At most `most` of the lines, at least one; if some are left out, one line says so.
    pub(super) fn fold(self, lines: Vec<Line<'static>>, most: usize, keep: Keep) -> Vec<Line<'static>> {
        self.fold_with(lines, most, (keep, "", HINT))
    }

    /// The same of lines that are indented.
    pub(super) fn fold_indented(
        self,
        lines: Vec<Line<'static>>,
        most: usize,
        keep: Keep,
    ) -> Vec<Line<'static>> {
        self.fold_with(lines, most, (keep, INDENT, HINT))
    }

    /// The same, with these words before and behind the number of what is left out.
    pub(super) fn fold_with(
        self,
        mut lines: Vec<Line<'static>>,
        most: usize,
        (keep, lead, hint): (Keep, &str, &str),
    ) -> Vec<Line<'static>> {
        if lines.len() <= most.max(1) {
            return lines;
        }
        let hidden = lines.len() - most.max(1) + 1;
        let count = units::counted(u64::try_from(hidden).unwrap_or(u64::MAX), "more line", "more lines");
        let note = fit(&self.line(format!("{lead}… {count}{hint}"), Role::Dim), self.columns);
        let shown = lines.len() - hidden;
        let first = match keep {
            Keep::Head => shown,
            Keep::Tail => 0,
            Keep::Ends => shown.div_ceil(2),
        };
        lines.splice(first..first + hidden, [note]);
        lines
    }
}

impl Fact {
    /// A fact that stays whatever the width.
    pub(super) fn new(span: Span<'static>) -> Self {
        Self { before: DOT, span, rank: 0 }
    }

    /// The same, to be left out where it is narrow; the higher the rank, the sooner.
    pub(super) fn rank(self, rank: u8) -> Self {
        Self { rank, ..self }
    }

    /// The same, after something else than a dot.
    pub(super) fn after(self, before: &'static str) -> Self {
        Self { before, ..self }
    }
}

fn facts_width(facts: &[Fact]) -> usize {
    let gaps: usize = facts.iter().skip(1).map(|fact| width(fact.before)).sum();
    gaps + facts.iter().map(|fact| width(&fact.span.content)).sum::<usize>()
}

/// Foreign text in one line.
pub(super) fn one_line(text: &str) -> String {
    sanitize_line(text.trim_end()).into_owned()
}

/// Text that a person is to judge before saying yes: control characters, which are dropped elsewhere, are shown by their
/// numbers as well.
pub(super) fn reveal(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && !matches!(c, '\n' | '\t') {
            let number = format!("‹U+{:04X}›", u32::from(c));
            shown.push_str(&number);
        } else {
            shown.push(c);
        }
    }
    sanitize(&shown).into_owned()
}

/// A time that is worth telling: whole seconds, none below one.
pub(super) fn elapsed(span: Duration) -> Option<String> {
    (span.as_secs() > 0).then(|| units::duration(span))
}

/// What is typed, in one row of at most `room` columns, and the column of the cursor in it.
pub(super) fn typed(buffer: &Buffer, room: usize, echo: Echo) -> (String, usize) {
    let (draft, cursor) = (buffer.draft(), buffer.cursor());
    let show = |text: &str| match echo {
        Echo::Text => printable(&text.replace('\n', "⏎")),
        Echo::Dots => "•".repeat(text.graphemes(true).count()),
    };
    let before = show(draft.slice(0..cursor));
    let room_before = room.saturating_sub(1);
    let before = match last_columns(&before, room_before) {
        all if all.len() == before.len() || room_before == 0 => all.to_owned(),
        _ => format!("…{}", last_columns(&before, room_before - 1)),
    };
    let column = width(&before);
    let after = clip(&show(draft.slice(cursor..draft.len())), room.saturating_sub(column));
    (format!("{before}{after}"), column)
}

/// The end of a text in at most `room` columns.
fn last_columns(text: &str, room: usize) -> &str {
    let mut rest = text.graphemes(true);
    while width(rest.as_str()) > room {
        rest.next();
    }
    rest.as_str()
}

/// Adds a span, cut to what is left of `columns`.
pub(super) fn push_fitting(line: &mut Line<'static>, span: Span<'static>, columns: usize) {
    let room = columns.saturating_sub(spans_width(&line.spans));
    line.spans.extend(fit(&Line::from(span), room).spans);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::model::buffer::{Edit, Motion};
    use crate::tui::model::draft::Draft;

    const BRUSH: Brush = Brush { theme: Theme::Colour, columns: 20, manner: Manner::USUAL };

    #[test]
    fn what_a_person_judges_hides_nothing() {
        let check = |text: &str, expected: &str| assert_eq!(reveal(text), expected, "{text:?}");
        check("ls\n\tx", "ls\n\tx");
        check("rm x\r\x1b[2Kls", "rm x‹U+000D›‹U+001B›[2Kls");
        check("a\u{202e}b\u{200b}\u{9b}1m", "a‹U+202E›b‹U+200B›‹U+009B›1m");
    }

    #[test]
    fn facts_go_by_rank_until_the_rest_fits() {
        let facts = |columns: usize| {
            let fact = |text: &'static str, rank| Fact::new(Span::raw(text)).rank(rank);
            let facts = vec![fact("one", 0), fact("two", 2).after(" at "), fact("three", 1), fact("x", 2)];
            Brush { columns, ..BRUSH }.facts(facts).to_string()
        };
        assert_eq!(facts(22), "one at two · three · x");
        assert_eq!(facts(21), "one at two · three");
        assert_eq!(facts(17), "one · three");
        assert_eq!(facts(10), "one");
        assert_eq!(facts(1), "one");
    }

    #[test]
    fn a_fold_says_how_much_it_hides() {
        let fold = |most, keep| {
            let lines = ["1", "2", "3", "4"].map(Line::raw).to_vec();
            let lines = Brush { columns: 40, ..BRUSH }.fold(lines, most, keep);
            lines.iter().map(Line::to_string).collect::<Vec<_>>().join("|")
        };
        assert_eq!(fold(4, Keep::Tail), "1|2|3|4");
        assert_eq!(fold(3, Keep::Tail), "… 2 more lines (Ctrl+O to expand)|3|4");
        assert_eq!(fold(3, Keep::Head), "1|2|… 2 more lines (Ctrl+O to expand)");
        assert_eq!(fold(0, Keep::Head), "… 4 more lines (Ctrl+O to expand)");
    }

    #[test]
    fn what_is_typed_stays_around_the_cursor() {
        let mut buffer = Buffer::default();
        buffer.type_in(Draft::plain("0123456789\n"));
        assert_eq!(typed(&buffer, 20, Echo::Text), ("0123456789⏎".to_owned(), 11));
        assert_eq!(typed(&buffer, 6, Echo::Text), ("…789⏎".to_owned(), 5));
        assert_eq!(typed(&buffer, 20, Echo::Dots), ("•".repeat(11), 11));
        assert_eq!(typed(&buffer, 0, Echo::Text), (String::new(), 0));
        buffer.edit(Edit::Move(Motion::LineStart));
        buffer.edit(Edit::Move(Motion::Left));
        assert_eq!(typed(&buffer, 6, Echo::Text).1, 5);
    }
}
