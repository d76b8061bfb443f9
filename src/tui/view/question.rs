//! Questions in the place of the input: may this call run, does the run go on.
//!
//! A question never hides what a yes would mean: the preview shows invisible characters by number, and where there is no
//! room for all of it, it says how much is missing and where to see it. The answers themselves are the last to go.

use ratatui::text::{Line, Span};

use super::brush::{Brush, DOT, Echo, INDENT, Keep, Pane, SIGN, one_line, reveal, typed};
use super::theme::Role;
use super::wrap::{fit, width};
use super::{diff, tool};
use crate::protocol::{Access, Approval, ExecAccess, Preview};
use crate::text::units;
use crate::tui::model::AtLimit;
use crate::tui::model::buffer::Buffer;
use crate::tui::model::question::{Asking, Row};

/// From so many columns on, words may be spent.
const ROOMY: usize = 60;
/// With fewer columns than this, what is typed needs all of them.
const NARROW: usize = 20;

/// Something to choose, with what one must know before.
pub(super) struct Sheet<'a> {
    /// What is asked.
    pub(super) title: Line<'static>,
    /// What it is about, broken to the width.
    pub(super) body: Vec<Line<'static>>,
    /// How many of its lines are worth more than answers in full.
    pub(super) least: usize,
    /// Where the rest of a cut body can be seen.
    pub(super) hint: &'a str,
    /// What else matters.
    pub(super) note: Vec<Line<'static>>,
    /// The answers, without their sign.
    pub(super) rows: Vec<Line<'static>>,
    /// Which answer has the focus.
    pub(super) focus: usize,
}

/// A permission question in at most `room` rows.
pub(super) fn permission(asking: &Asking, room: usize, brush: Brush) -> Pane {
    let rows: Vec<_> = asking.rows().collect();
    let focus = rows.iter().position(|(_, row)| *row == asking.focus).unwrap_or(0);
    let typed = asking.words.as_ref().map(|words| instead(words, brush));
    let (words, column) = typed.unzip();
    let row = |(number, row): (u8, Row)| match (&words, row) {
        (Some(words), Row::No) => words.clone(),
        (Some(_), Row::Yes | Row::Always) | (None, _) => answer(&asking.approval, number, row, brush),
    };
    let sheet = Sheet {
        title: brush.line(title(&asking.approval), Role::Warn),
        body: preview(&asking.approval.preview, brush),
        // a rule that would be saved is better seen whole
        least: 1,
        hint: " (Ctrl+O shows all)",
        note: note(&asking.approval, brush),
        rows: rows.into_iter().map(row).collect(),
        focus,
    };
    sheet.draw(room, column, brush)
}

/// All of a question for the page that shows everything.
pub(super) fn whole(asking: &Asking, brush: Brush) -> Vec<Line<'static>> {
    let title = brush.line(title(&asking.approval), Role::Warn);
    let body = preview(&asking.approval.preview, brush);
    std::iter::once(title).chain([Line::default()]).chain(body).chain(note(&asking.approval, brush)).collect()
}

/// The turn-limit question.
pub(super) fn limit(limit: &AtLimit, brush: Brush) -> Pane {
    let counts = format!(
        " {}, {}, {}. Go on? ",
        units::counted(limit.turns.into(), "turn", "turns"),
        units::counted(limit.calls.into(), "call", "calls"),
        units::duration(limit.took),
    );
    let line = Line::from(vec![
        brush.span("Turn limit reached:", Role::Warn),
        brush.span(counts, Role::Plain),
        brush.span("y yes · n stop", Role::Accent),
    ]);
    Pane { lines: brush.paragraph(&line, Span::raw(""), ""), cursor: None }
}

impl Sheet<'_> {
    /// The sheet in at most `room` rows; `column` is where the cursor stands in the row that has the focus.
    pub(super) fn draw(self, room: usize, column: Option<usize>, brush: Brush) -> Pane {
        let room = room.max(1);
        let title = brush.paragraph(&self.title, Span::raw(""), "");
        let enough = title.len() + self.body.len().min(self.least);
        let (mut rows, mut focus) = answers(&self.rows, self.focus, Rows::Wrapped, brush);
        if rows.len() + enough > room {
            (rows, focus) = answers(&self.rows, self.focus, Rows::Cut, brush);
        }
        if rows.len() > room {
            let top = (focus + 1).saturating_sub(room);
            rows = rows.into_iter().skip(top).take(room).collect();
            focus -= top;
        }
        let mut left = room - rows.len();
        let mut above: Vec<_> = title.into_iter().take(left).collect();
        left -= above.len();
        let note = if self.note.len() + self.body.len().min(1) <= left { self.note } else { Vec::new() };
        left -= note.len();
        let blanks = usize::from(!self.body.is_empty()) + 1;
        let spread = self.body.len() + blanks <= left;
        let gap = || spread.then(Line::default);
        if !self.body.is_empty() && left > 0 {
            above.extend(gap());
            above.extend(brush.fold_with(self.body, left, (Keep::Head, self.hint)));
        }
        above.extend(gap());
        above.extend(note);
        let cursor = column.map(|column| (above.len() + focus, column));
        above.extend(rows);
        Pane { lines: above, cursor }
    }
}

/// How the answers are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// In as many rows as they take.
    Wrapped,
    /// In one row each.
    Cut,
}

/// The answers with their sign, and the first row of the one that has the focus.
fn answers(rows: &[Line<'static>], focus: usize, how: Rows, brush: Brush) -> (Vec<Line<'static>>, usize) {
    let (mut lines, mut at) = (Vec::new(), 0);
    for (index, row) in rows.iter().enumerate() {
        let sign = if index == focus { brush.span(SIGN, Role::Accent) } else { Span::raw(INDENT) };
        let mut row = row.clone();
        if index == focus {
            at = lines.len();
            row.spans
                .iter_mut()
                .for_each(|span| span.style = brush.theme.style(Role::Accent).patch(span.style));
        }
        match how {
            Rows::Wrapped => lines.extend(brush.paragraph(&row, sign, "     ")),
            Rows::Cut => {
                row.spans.insert(0, sign);
                lines.push(fit(&row, brush.columns));
            }
        }
    }
    (lines, at)
}

fn title(approval: &Approval) -> String {
    match &approval.access {
        Access::Exec(_) => "Allow this command?".to_owned(),
        Access::Write(_) => "Allow this edit?".to_owned(),
        Access::Read(_) if approval.reason.as_deref() == Some("outside the workspace") => {
            "Allow reading outside the workspace?".to_owned()
        }
        Access::Read(_) => "Allow reading this?".to_owned(),
        Access::Fetch { .. } => "Allow this request?".to_owned(),
        Access::Nothing => format!("Allow this call of {}?", one_line(approval.tool.as_str())),
    }
}

/// What would happen, with nothing hidden.
fn preview(preview: &Preview, brush: Brush) -> Vec<Line<'static>> {
    let text = |text: &str| {
        let text = reveal(text.trim_end_matches('\n'));
        let line = |line: &str| brush.paragraph(&Line::raw(line.to_owned()), Span::raw(INDENT), INDENT);
        text.split('\n').flat_map(line).collect()
    };
    match preview {
        Preview::Command(exec) => text(&exec.command),
        Preview::Text(words) => text(words),
        Preview::Changes(files) => {
            let one = |file| {
                let drawn = diff::draw(file, brush);
                std::iter::once(tool::file_head(file, drawn.counts, brush)).chain(drawn.lines)
            };
            files.iter().flat_map(one).collect()
        }
    }
}

/// Where a command would run, and why it is asked.
fn note(approval: &Approval, brush: Brush) -> Vec<Line<'static>> {
    let mut line = Line::default();
    if let Preview::Command(ExecAccess { cwd, .. }) = &approval.preview {
        line.push_span(brush.span(format!("in {}", one_line(&cwd.to_string_lossy())), Role::Dim));
    }
    if let Some(reason) = &approval.reason {
        let dot = if line.spans.is_empty() { "" } else { DOT };
        let role = if approval.careful { Role::Warn } else { Role::Dim };
        line.push_span(brush.span(dot, Role::Dim));
        line.push_span(brush.span(one_line(reason), role));
    }
    if line.spans.is_empty() {
        return Vec::new();
    }
    brush.paragraph(&line, Span::raw(INDENT), INDENT)
}

/// The third answer while what to do instead is typed behind it, and the column of the cursor.
fn instead(words: &Buffer, brush: Brush) -> (Line<'static>, usize) {
    let lead = if brush.columns < NARROW { "" } else { "3. No, " };
    let taken = width(SIGN) + width(lead);
    let (text, column) = typed(words, brush.columns.saturating_sub(taken), Echo::Text);
    let mut line = Line::from(vec![brush.span(lead, Role::Accent), brush.span(text, Role::Plain)]);
    if words.is_empty() {
        line.push_span(brush.span("and say what to do instead", Role::Dim));
    }
    (line, taken + column)
}

fn answer(approval: &Approval, number: u8, row: Row, brush: Brush) -> Line<'static> {
    let words = match (row, &approval.remember) {
        (Row::Yes, _) => "Yes".to_owned(),
        (Row::Always, Some(rule)) => {
            let place = if brush.columns < ROOMY { "" } else { " in this project" };
            format!("Yes, and don't ask again for {}{place}", one_line(&reveal(rule)))
        }
        (Row::Always, None) => "Yes, and don't ask again in this project".to_owned(),
        (Row::No, _) => "No, and say what to do instead".to_owned(),
    };
    brush.line(format!("{number}. {words}"), Role::Plain)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::testing::{self, BRUSH, numbered, text, text_with_cursor};
    use super::*;
    use crate::protocol::{CallForm, CallId, FileChange, Hold, QuestionId, ToolName};
    use crate::tui::model::draft::Draft;
    use crate::tui::model::moment::Moment;
    use crate::tui::model::question::Guard;

    fn asking(access: Access, preview: Preview, reason: Option<&str>, remember: Option<&str>) -> Asking {
        let approval = Approval {
            call: CallId::from("1"),
            tool: ToolName::from("Bash"),
            access,
            form: CallForm::Native,
            preview,
            reason: reason.map(str::to_owned),
            remember: remember.map(str::to_owned),
            careful: false,
            hold: Hold::Free,
        };
        Asking::new(QuestionId(1), approval, Guard::new(Moment(0), None))
    }

    fn command(command: &str) -> Asking {
        let exec = ExecAccess { command: command.to_owned(), cwd: "/home/me/src/shop".into() };
        asking(Access::Exec(exec.clone()), Preview::Command(exec), None, Some("Bash(cargo publish *)"))
    }

    fn edit(lines: usize) -> Asking {
        let after = Some(numbered(lines));
        let file = FileChange { path: "src/cart.rs".to_owned(), before: None, after };
        let preview = Preview::Changes(vec![file]);
        asking(Access::Write(vec!["/x/src/cart.rs".into()]), preview, None, Some("Edit(src/**)"))
    }

    #[track_caller]
    fn check(asking: &Asking, (columns, room): (usize, usize), expected: &str) {
        let pane = permission(asking, room, Brush { columns, ..BRUSH });
        assert!(pane.lines.len() <= room);
        testing::check(&text_with_cursor(&pane.lines, pane.cursor), expected);
    }

    #[test]
    fn a_command_is_asked_for_with_all_of_its_text() {
        let mut asking = command("cargo publish --dry-run");
        asking.approval.careful = true;
        asking.approval.reason = Some("publishes".to_owned());
        asking.focus = Row::No;
        check(
            &asking,
            (80, 11),
            "Allow this command?

  cargo publish --dry-run

  in /home/me/src/shop · publishes
  1. Yes
  2. Yes, and don't ask again for Bash(cargo publish *) in this project
❯ 3. No, and say what to do instead",
        );
        check(
            &asking,
            (40, 8),
            "Allow this command?
  cargo publish --dry-run
  in /home/me/src/shop · publishes
  1. Yes
  2. Yes, and don't ask again for
     Bash(cargo publish *)
❯ 3. No, and say what to do instead",
        );
        check(
            &asking,
            (40, 5),
            "Allow this command?
  cargo publish --dry-run
  1. Yes
  2. Yes, and don't ask again for Bash(…
❯ 3. No, and say what to do instead",
        );
        check(
            &asking,
            (40, 3),
            "  1. Yes
  2. Yes, and don't ask again for Bash(…
❯ 3. No, and say what to do instead",
        );
        check(&asking, (40, 1), "❯ 3. No, and say what to do instead");
    }

    #[test]
    fn a_command_hides_nothing() {
        let mut asking = command("ls\x1b[2K\r\u{202e}\n\trm -rf ~\n");
        asking.approval.remember = None;
        check(
            &asking,
            (80, 20),
            "Allow this command?

  ls‹U+001B›[2K‹U+000D›‹U+202E›
          rm -rf ~

  in /home/me/src/shop
❯ 1. Yes
  3. No, and say what to do instead",
        );
    }

    #[test]
    fn an_edit_is_clipped_to_the_room_and_says_so() {
        check(
            &edit(2),
            (80, 11),
            "Allow this edit?

  src/cart.rs  new +2
    1 + line 1
    2 + line 2

❯ 1. Yes
  2. Yes, and don't ask again for Edit(src/**) in this project
  3. No, and say what to do instead",
        );
        check(
            &edit(50),
            (80, 11),
            "Allow this edit?
  src/cart.rs  new +50
    1 + line 1
    2 + line 2
    3 + line 3
    4 + line 4
    5 + line 5
… 45 more lines (Ctrl+O shows all)
❯ 1. Yes
  2. Yes, and don't ask again for Edit(src/**) in this project
  3. No, and say what to do instead",
        );
        check(
            &edit(50),
            (40, 5),
            "Allow this edit?
… 51 more lines (Ctrl+O shows all)
❯ 1. Yes
  2. Yes, and don't ask again for Edit(…
  3. No, and say what to do instead",
        );
        assert_eq!(whole(&edit(50), BRUSH).len(), 2 + 51);
    }

    #[test]
    fn every_kind_has_its_words() {
        let title = |access, reason| {
            let asking = asking(access, Preview::Text("words".to_owned()), reason, None);
            permission(&asking, 20, BRUSH).lines[0].to_string()
        };
        assert_eq!(
            title(Access::Read(vec![]), Some("outside the workspace")),
            "Allow reading outside the workspace?"
        );
        assert_eq!(title(Access::Read(vec![]), Some("a secret")), "Allow reading this?");
        assert_eq!(title(Access::Fetch { url: String::new() }, None), "Allow this request?");
        assert_eq!(title(Access::Nothing, None), "Allow this call of Bash?");
    }

    #[test]
    fn what_to_do_instead_is_typed_on_the_third_row() {
        let mut asking = command("cargo publish");
        asking.focus = Row::No;
        let mut words = Buffer::default();
        asking.words = Some(words.clone());
        check(
            &asking,
            (80, 11),
            "Allow this command?

  cargo publish

  in /home/me/src/shop
  1. Yes
  2. Yes, and don't ask again for Bash(cargo publish *) in this project
❯ 3. No, |and say what to do instead",
        );
        words.type_in(Draft::plain(
            "use --dry-run first, and tell me what it says about the licence of the package",
        ));
        asking.words = Some(words);
        check(
            &asking,
            (80, 4),
            "Allow this command?
  1. Yes
  2. Yes, and don't ask again for Bash(cargo publish *) in this project
❯ 3. No, y-run first, and tell me what it says about the licence of the package|",
        );
        check(
            &asking,
            (16, 3),
            "  1. Yes
  2. Yes, and d…
❯ f the package|",
        );
    }

    #[test]
    fn the_limit_is_one_line() {
        let at = AtLimit {
            turns: 100,
            calls: 212,
            took: Duration::from_mins(14),
            guard: Guard::new(Moment(0), None),
        };
        let shown = |columns| text(&limit(&at, Brush { columns, ..BRUSH }).lines);
        assert_eq!(shown(80), "Turn limit reached: 100 turns, 212 calls, 14 m. Go on? y yes · n stop");
        testing::check(
            &shown(40),
            "Turn limit reached: 100 turns, 212
calls, 14 m. Go on? y yes · n stop",
        );
    }
}
