//! Questions in the place of the input: may this call run, does the run go on.
//!
//! A question never hides what a yes would mean: the preview shows invisible characters by number, and where there is no
//! room for all of it, it says how much is missing and where to see it. The answers themselves are the last to go.

use ratatui::text::{Line, Span};

use super::brush::{Brush, DOT, Echo, INDENT, Keep, Pane, SIGN, one_line, reveal, typed};
use super::diff::Extent;
use super::preview::Kept;
use super::theme::Role;
use super::wrap::{fit, width};
use crate::protocol::{Access, Approval, ExecAccess, Hold, Occasion, Preview};
use crate::text::units;
use crate::tui::model::buffer::Buffer;
use crate::tui::model::question::{Asking, Row, Shown};
use crate::tui::model::{AtLimit, Limit};

/// Columns of a beginning that says something.
const ONE_ROW: usize = 16;
/// From so many columns on, words may be spent.
const ROOMY: usize = 60;
/// With fewer columns than this, what is typed needs all of them.
const NARROW: usize = 20;

/// The reason that a title of its own tells.
const OUTSIDE: &str = "outside the workspace";

/// Something to choose, with what one must know before.
pub(super) struct Sheet<'a> {
    /// What is asked.
    pub(super) title: Line<'static>,
    /// What it is about, broken to the width.
    pub(super) body: Vec<Line<'static>>,
    /// How many of its lines are worth more than answers in full.
    pub(super) least: usize,
    /// Which part of a long body is shown.
    pub(super) keep: Keep,
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
pub(super) fn permission(asking: &Asking, room: usize, kept: &mut Kept, brush: Brush) -> Pane {
    let rows: Vec<_> = asking.rows().collect();
    let focus = rows.iter().position(|(_, row)| *row == asking.focus).unwrap_or(0);
    let typed = asking.words.as_ref().map(|words| instead(words, brush));
    let (words, column) = typed.unzip();
    let row = |(number, row): (u8, Row)| match (&words, row) {
        (Some(words), Row::No) => words.clone(),
        (Some(_), Row::Yes | Row::Always | Row::Network) | (None, _) => answer(asking, number, row, brush),
    };
    let sheet = Sheet {
        title: brush.line(title(&asking.approval), Role::Warn),
        body: kept.preview(asking, Extent::Ends(room), brush).to_vec(),
        // a rule that would be saved is better seen whole
        least: 1,
        // what a script ends with matters as much as its beginning
        keep: Keep::Ends,
        hint: if asking.is_seen_before_yes() { " (Yes expands it first)" } else { " (Ctrl+O to expand)" },
        note: note(&asking.approval, brush),
        rows: rows.into_iter().map(row).collect(),
        focus,
    };
    let (pane, extent) = sheet.lay_out(room, column, brush);
    kept.shown = extent;
    pane
}

/// All of a question for the page that shows everything.
pub(super) fn whole(asking: &Asking, kept: &mut Kept, brush: Brush) -> Vec<Line<'static>> {
    let title = brush.line(title(&asking.approval), Role::Warn);
    let body = kept.preview(asking, Extent::Whole, brush).to_vec();
    let rules = asking.rows().filter(|(_, row)| *row == Row::Always);
    let rules = rules.flat_map(|(number, row)| {
        brush.paragraph(&answer(asking, number, row, brush), Span::raw(INDENT), "     ")
    });
    let rest: Vec<_> = note(&asking.approval, brush).into_iter().chain(rules).collect();
    let gap = (!rest.is_empty()).then(Line::default);
    [title, Line::default()].into_iter().chain(body).chain(gap).chain(rest).collect()
}

/// The question at a limit.
pub(super) fn limit(at: &AtLimit, brush: Brush) -> Pane {
    let calls = units::counted(at.calls.into(), "call", "calls");
    let so_far = |turns: u32| {
        let turns = units::counted(turns.into(), "turn", "turns");
        format!("{turns}, {calls}, {}", units::duration(at.took))
    };
    let (title, reached) = match &at.limit {
        Limit::Turns { turns } => ("Turn limit reached:", so_far(*turns)),
        Limit::Repeats { turns } => ("The model repeats itself:", so_far(*turns)),
        Limit::Budget { used } => ("Budget reached:", format!("{used} used. Add the same amount")),
    };
    let asked = match &at.limit {
        Limit::Turns { .. } | Limit::Repeats { .. } => ". Continue? ",
        Limit::Budget { .. } => "? ",
    };
    let line = Line::from(vec![
        brush.span(title, Role::Warn),
        brush.span(format!(" {reached}{asked}"), Role::Plain),
        brush.span("[y] yes  [n] stop", Role::Accent),
    ]);
    Pane { lines: brush.paragraph(&line, Span::raw(""), ""), cursor: None }
}

impl Sheet<'_> {
    /// The sheet in at most `room` rows; `column` is where the cursor stands in the row that has the focus.
    pub(super) fn draw(self, room: usize, column: Option<usize>, brush: Brush) -> Pane {
        self.lay_out(room, column, brush).0
    }

    /// The same, and how much of the body it shows.
    fn lay_out(self, room: usize, column: Option<usize>, brush: Brush) -> (Pane, Shown) {
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
        let most = left - self.body.len().min(left).min(1);
        let is_cut = most < self.note.len();
        let mut note: Vec<_> = self.note.into_iter().take(most).collect();
        if let Some(last) = note.last_mut().filter(|last| is_cut && last.width() + 2 <= brush.columns) {
            last.push_span(brush.span(" …", Role::Dim));
        }
        left -= note.len();
        let blanks = usize::from(!self.body.is_empty()) + 1;
        let spread = self.body.len() + blanks <= left;
        let gap = || spread.then(Line::default);
        let shown = if self.body.len() > left { Shown::Part } else { Shown::All };
        if !self.body.is_empty() && left > 0 {
            above.extend(gap());
            above.extend(match in_one_row(&self.body, self.hint, brush).filter(|_| left == 1) {
                Some(row) => vec![row],
                None => brush.fold_with(self.body, left, (self.keep, INDENT, self.hint)),
            });
        }
        above.extend(gap());
        above.extend(note);
        let cursor = column.map(|column| (above.len() + focus, column));
        above.extend(rows);
        (Pane { lines: above, cursor }, shown)
    }
}

/// The first of several lines, and how many more there are: which file, or which command, is never what is left out.
fn in_one_row(body: &[Line<'static>], hint: &str, brush: Brush) -> Option<Line<'static>> {
    let (first, more) = body.split_first().filter(|(_, more)| !more.is_empty())?;
    let key = if hint.is_empty() { "" } else { " (Ctrl+O)" };
    let note = format!(" {} more{key}", more.len());
    let room = brush.columns.checked_sub(width(&note)).filter(|room| *room >= ONE_ROW)?;
    let fits = first.width() + width(" …") <= room;
    // cut, it ends in that sign as well
    let mut line = if fits { first.clone() } else { fit(first, room.min(first.width().saturating_sub(1))) };
    line.push_span(brush.span(if fits { format!(" …{note}") } else { note }, Role::Dim));
    Some(line)
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
    match (approval.occasion, approval.hold) {
        (Occasion::Stopped, Hold::Free) => return "Allow this command outside the sandbox?".to_owned(),
        (Occasion::Stopped, Hold::Held { .. }) => return "Allow network access for this command?".to_owned(),
        (Occasion::Before, _) => {}
    }
    match &approval.access {
        Access::Exec(_) => "Allow this command?".to_owned(),
        Access::Write(_) => "Allow this edit?".to_owned(),
        Access::Read(_) if approval.reason.as_deref() == Some(OUTSIDE) => {
            "Allow reading outside the workspace?".to_owned()
        }
        Access::Read(_) => "Allow reading this?".to_owned(),
        Access::Fetch { .. } => "Allow this request?".to_owned(),
        Access::Mcp { server, tool } => {
            format!("Allow {} of MCP server {}?", one_line(tool), one_line(server))
        }
        Access::Nothing => format!("Allow this {} call?", one_line(approval.tool.as_str())),
    }
}

/// Whether the title says already why it is asked.
fn is_in_title(approval: &Approval, reason: &str) -> bool {
    matches!(approval.access, Access::Read(_)) && reason == OUTSIDE
}

/// How a command would be sandboxed, why approval is required, and where it would run. A small screen cuts off the end, so
/// the reason comes first if a sandboxed command destroys something.
fn note(approval: &Approval, brush: Brush) -> Vec<Line<'static>> {
    let mut parts = Vec::new();
    if let Preview::Command(ExecAccess { cwd, .. }) = &approval.preview {
        parts.push(brush.span(approval.hold.words(), Role::Dim));
        parts.push(brush.span(format!("in {}", one_line(&cwd.to_string_lossy())), Role::Dim));
    }
    if let Some(reason) = approval.reason.as_ref().filter(|reason| !is_in_title(approval, reason)) {
        let role = if approval.careful { Role::Warn } else { Role::Dim };
        let is_first = approval.careful && approval.hold != Hold::Free;
        let place = if is_first { 0 } else { parts.len().min(1) };
        parts.insert(place, brush.span(one_line(reason), role));
    }
    if parts.is_empty() {
        return Vec::new();
    }
    let mut line = Line::default();
    for part in parts {
        if !line.spans.is_empty() {
            line.push_span(brush.span(DOT, Role::Dim));
        }
        line.push_span(part);
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

fn answer(asking: &Asking, number: u8, row: Row, brush: Brush) -> Line<'static> {
    let words = match (row, asking.approval.occasion) {
        (Row::Yes, _) => "Yes".to_owned(),
        (Row::Always, _) => {
            let place = if brush.columns < ROOMY { "" } else { " in this project" };
            format!("Yes, and don't ask again for {}{place}", one_line(&reveal(&asking.rules())))
        }
        (Row::No, Occasion::Before) => "No, and say what to do instead".to_owned(),
        (Row::No, Occasion::Stopped) => "No, report the failure to the model".to_owned(),
        (Row::Network, _) => "Yes, with network".to_owned(),
    };
    brush.line(format!("{number}. {words}"), Role::Plain)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::testing::{self, BRUSH, numbered, text, text_with_cursor};
    use super::*;
    use crate::protocol::{CallForm, CallId, FileChange, Network, QuestionId, ToolName, Writes};
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
            remember: remember.map(str::to_owned).into_iter().collect(),
            careful: false,
            hold: Hold::Free,
            occasion: Occasion::Before,
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
        let pane = permission(asking, room, &mut Kept::default(), Brush { columns, ..BRUSH });
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

  NOT sandboxed: runs with your full permissions · publishes · in
  /home/me/src/shop
  1. Yes
  2. Yes, and don't ask again for Bash(cargo publish *) in this project
❯ 3. No, and say what to do instead",
        );
        check(
            &asking,
            (40, 8),
            "Allow this command?
  cargo publish --dry-run
  NOT sandboxed: runs with your full
  permissions · publishes · in …
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
        asking.approval.remember = Vec::new();
        check(
            &asking,
            (80, 20),
            "Allow this command?

  ls‹U+001B›[2K‹U+000D›‹U+202E›
          rm -rf ~

  NOT sandboxed: runs with your full permissions · in /home/me/src/shop
❯ 1. Yes
  3. No, and say what to do instead",
        );
    }

    const HELD: Hold = Hold::Held { writes: Writes::Workspace, network: Network::Off };

    /// Rooms of screens of 120×40, 80×24 and 40×12, as the live region gives them.
    const ROOMS: [(usize, usize); 3] = [(120, 19), (80, 11), (40, 6)];

    #[track_caller]
    fn pictures(asking: &Asking, expected: [&str; 3]) {
        for (room, expected) in ROOMS.into_iter().zip(expected) {
            check(asking, room, expected);
        }
    }

    #[test]
    fn a_held_command_says_how_and_can_be_given_the_network() {
        let mut asking = command("cargo publish --dry-run");
        asking.approval.hold = HELD;
        asking.approval.remember = vec!["Bash(cd x)".to_owned(), "Bash(cargo test:*)".to_owned()];
        pictures(
            &asking,
            [
                "Allow this command?

  cargo publish --dry-run

  sandboxed: can write to the workspace, no network · in /home/me/src/shop
❯ 1. Yes
  2. Yes, and don't ask again for Bash(cd x), Bash(cargo test:*) in this project
  3. No, and say what to do instead
  4. Yes, with network",
                "Allow this command?

  cargo publish --dry-run

  sandboxed: can write to the workspace, no network · in /home/me/src/shop
❯ 1. Yes
  2. Yes, and don't ask again for Bash(cd x), Bash(cargo test:*) in this project
  3. No, and say what to do instead
  4. Yes, with network",
                "Allow this command?
  cargo publish --dry-run
❯ 1. Yes
  2. Yes, and don't ask again for Bash(…
  3. No, and say what to do instead
  4. Yes, with network",
            ],
        );
    }

    #[test]
    fn an_offer_has_a_title_of_its_own_and_the_focus_on_no() {
        let mut asking = command("docker ps");
        asking.approval.occasion = Occasion::Stopped;
        asking.approval.careful = true;
        asking.approval.reason = Some("the sandbox stopped it: no network".to_owned());
        asking.approval.remember = vec!["Outside(docker:*)".to_owned()];
        asking.focus = Row::No;
        pictures(
            &asking,
            [
                "Allow this command outside the sandbox?

  docker ps

  NOT sandboxed: runs with your full permissions · the sandbox stopped it: no network · in /home/me/src/shop
  1. Yes
  2. Yes, and don't ask again for Outside(docker:*) in this project
❯ 3. No, report the failure to the model",
                "Allow this command outside the sandbox?

  docker ps

  NOT sandboxed: runs with your full permissions · the sandbox stopped it: no
  network · in /home/me/src/shop
  1. Yes
  2. Yes, and don't ask again for Outside(docker:*) in this project
❯ 3. No, report the failure to the model",
                "Allow this command outside the sandbox?
  docker ps
  1. Yes
  2. Yes, and don't ask again for
     Outside(docker:*)
❯ 3. No, report the failure to the model",
            ],
        );
        asking.approval.hold = HELD.with_network();
        assert_eq!(title(&asking.approval), "Allow network access for this command?");
        let rows: Vec<u8> = asking.rows().map(|(number, _)| number).collect();
        assert_eq!(rows, [1, 2, 3], "it has the network already");
    }

    #[test]
    fn a_delete_says_what_goes() {
        let mut asking = command("rm -rf src");
        asking.approval.careful = true;
        asking.approval.hold = HELD;
        asking.approval.reason = Some("recursively deletes `/home/me/src/shop/src`".to_owned());
        asking.approval.remember = Vec::new();
        asking.focus = Row::No;
        pictures(
            &asking,
            [
                "Allow this command?

  rm -rf src

  recursively deletes `/home/me/src/shop/src` · sandboxed: can write to the workspace, no network · in /home/me/src/shop
  1. Yes
❯ 3. No, and say what to do instead
  4. Yes, with network",
                "Allow this command?

  rm -rf src

  recursively deletes `/home/me/src/shop/src` · sandboxed: can write to the
  workspace, no network · in /home/me/src/shop
  1. Yes
❯ 3. No, and say what to do instead
  4. Yes, with network",
                "Allow this command?
  rm -rf src
  recursively deletes …
  1. Yes
❯ 3. No, and say what to do instead
  4. Yes, with network",
            ],
        );
    }

    #[test]
    fn secrets_and_pages_are_asked_for_with_their_reason() {
        let reason = Some("the file may contain secrets");
        let read = Access::Read(vec!["/home/me/src/shop/.env".into()]);
        let mut asking = asking(read, Preview::Text("Read .env".to_owned()), reason, None);
        asking.approval.careful = true;
        asking.focus = Row::No;
        pictures(
            &asking,
            [
                "Allow reading this?

  Read .env

  the file may contain secrets
  1. Yes
❯ 3. No, and say what to do instead",
                "Allow reading this?

  Read .env

  the file may contain secrets
  1. Yes
❯ 3. No, and say what to do instead",
                "Allow reading this?
  Read .env
  the file may contain secrets
  1. Yes
❯ 3. No, and say what to do instead",
            ],
        );
        let url = "https://example.com/page".to_owned();
        let fetch = self::asking(
            Access::Fetch { url: url.clone() },
            Preview::Text(url),
            None,
            Some("WebFetch(domain:example.com)"),
        );
        pictures(
            &fetch,
            [
                "Allow this request?

  https://example.com/page

❯ 1. Yes
  2. Yes, and don't ask again for WebFetch(domain:example.com) in this project
  3. No, and say what to do instead",
                "Allow this request?

  https://example.com/page

❯ 1. Yes
  2. Yes, and don't ask again for WebFetch(domain:example.com) in this project
  3. No, and say what to do instead",
                "Allow this request?
  https://example.com/page
❯ 1. Yes
  2. Yes, and don't ask again for
     WebFetch(domain:example.com)
  3. No, and say what to do instead",
            ],
        );
    }

    #[test]
    fn a_long_rule_stands_whole_where_it_can_be_saved_at_once() {
        let mut asking = command("true");
        let rule = format!("Bash(echo {}end)", "x".repeat(187));
        asking.approval.remember = vec![rule.clone()];
        for (columns, rows) in [(120_u16, 40_u16), (80, 24), (40, 12), (60, 16), (100, 14)] {
            let room = usize::from(rows / 2).saturating_sub(usize::from(rows >= 16));
            let pane =
                permission(&asking, room, &mut Kept::default(), Brush { columns: columns.into(), ..BRUSH });
            let shown: String = text(&pane.lines).lines().map(str::trim).collect();
            let is_whole = shown.replace(' ', "").contains(&rule.replace(' ', ""));
            if asking.shows_rules(crate::tui::model::Size { columns, rows }) {
                assert!(is_whole, "{columns}x{rows}: {shown}");
            }
        }
        let page = text(&whole(&asking, &mut Kept::default(), Brush { columns: 300, ..BRUSH }));
        assert!(page.contains(&rule), "{page}");
    }

    #[test]
    fn invisible_signs_of_a_rule_are_shown_too() {
        let mut asking = command("true");
        asking.approval.remember = vec!["Bash(a\u{200b}b\u{202e}c)".to_owned()];
        let shown = text(&permission(&asking, 11, &mut Kept::default(), BRUSH).lines);
        assert!(shown.contains("Bash(a‹U+200B›b‹U+202E›c)"), "{shown}");
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
  … 45 more lines (Ctrl+O to expand)
   48 + line 48
   49 + line 49
   50 + line 50
❯ 1. Yes
  2. Yes, and don't ask again for Edit(src/**) in this project
  3. No, and say what to do instead",
        );
        check(
            &edit(50),
            (40, 5),
            "Allow this edit?
  src/cart.rs  new +… 50 more (Ctrl+O)
❯ 1. Yes
  2. Yes, and don't ask again for Edit(…
  3. No, and say what to do instead",
        );
        assert_eq!(whole(&edit(50), &mut Kept::default(), BRUSH).len(), 2 + 51 + 1 + 1);
    }

    #[test]
    fn of_what_is_cut_both_ends_are_shown() {
        let mut kept = Kept::default();
        let script = format!("cat <<'E' > notes\n{}E\ntouch pwned", numbered(198));
        let long = format!("echo {} && touch pwned", "x".repeat(3_000));
        for script in [script.as_str(), &long] {
            let pane = permission(&command(script), 11, &mut kept, BRUSH);
            let shown = text(&pane.lines);
            assert!(shown.contains("touch pwned") && shown.contains("(Yes expands it first)"), "{shown}");
            assert_eq!(kept.shown(), Shown::Part);
        }
        permission(&command("cargo test"), 11, &mut kept, BRUSH);
        assert_eq!(kept.shown(), Shown::All);
        let mut two = edit(50);
        let last =
            FileChange { path: "src/last.rs".to_owned(), before: None, after: Some("last\n".to_owned()) };
        if let Preview::Changes(files) = &mut two.approval.preview {
            files.push(last);
        }
        let two = Asking::new(QuestionId(1), two.approval, Guard::new(Moment(0), None));
        check(
            &two,
            (80, 11),
            "Allow this edit?
  src/cart.rs  new +50
    1 + line 1
    2 + line 2
  … 47 more lines (Ctrl+O to expand)
   50 + line 50
  src/last.rs  new +1
    1 + last
❯ 1. Yes
  2. Yes, and don't ask again for Edit(src/**) in this project
  3. No, and say what to do instead",
        );
    }

    #[test]
    fn every_kind_has_its_words() {
        let title = |access, reason| {
            let asking = asking(access, Preview::Text("words".to_owned()), reason, None);
            permission(&asking, 20, &mut Kept::default(), BRUSH).lines[0].to_string()
        };
        assert_eq!(
            title(Access::Read(vec![]), Some("outside the workspace")),
            "Allow reading outside the workspace?"
        );
        assert_eq!(title(Access::Read(vec![]), Some("a secret")), "Allow reading this?");
        assert_eq!(title(Access::Fetch { url: String::new() }, None), "Allow this request?");
        assert_eq!(title(Access::Nothing, None), "Allow this Bash call?");
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

  NOT sandboxed: runs with your full permissions · in /home/me/src/shop
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
❯ 3. No, …-run first, and tell me what it says about the licence of the package|",
        );
        check(
            &asking,
            (16, 3),
            "  1. Yes
  2. Yes, and d…
❯ … the package|",
        );
    }

    #[test]
    fn the_limit_is_one_line() {
        let at = AtLimit {
            limit: Limit::Turns { turns: 100 },
            calls: 212,
            took: Duration::from_mins(14),
            guard: Guard::new(Moment(0), None),
        };
        let shown = |columns| text(&limit(&at, Brush { columns, ..BRUSH }).lines);
        assert_eq!(shown(80), "Turn limit reached: 100 turns, 212 calls, 14 m. Continue? [y] yes  [n] stop");
        testing::check(
            &shown(40),
            "Turn limit reached: 100 turns, 212
calls, 14 m. Continue? [y] yes  [n] stop",
        );
        let repeats = AtLimit { limit: Limit::Repeats { turns: 15 }, ..at.clone() };
        let shown = text(&limit(&repeats, Brush { columns: 80, ..BRUSH }).lines);
        assert_eq!(shown, "The model repeats itself: 15 turns, 212 calls, 14 m. Continue? [y] yes  [n] stop");
        let used = "$5.02 of $5.00".to_owned();
        let at = AtLimit { limit: Limit::Budget { used }, ..at };
        let shown = text(&limit(&at, Brush { columns: 80, ..BRUSH }).lines);
        assert_eq!(shown, "Budget reached: $5.02 of $5.00 used. Add the same amount? [y] yes  [n] stop");
    }
}
