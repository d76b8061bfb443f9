//! Tool calls: a sign, what was done to what, what became of it, and what there is to see.
//!
//! The head of a call is one line that always fits; its output is not: it stands flush left in the lines and colours in
//! which it was printed, and the terminal breaks them, so that a copy is exact.

use ratatui::text::{Line, Span};

use super::brush::{Brush, DOT, INDENT, Keep, Mode, Signs, elapsed, one_line, push_fitting};
use super::theme::Role;
use super::wrap::{fit, spans_width, trim_end, width};
use super::{diff, highlight, todos};
use crate::protocol::{Display, FileChange, Results, Tail, ToolStatus};
use crate::text::sanitize::{fold_progress, sanitize};
use crate::text::sgr::styled;
use crate::text::units;
use crate::tui::model::call::{DoneCall, Label, RunningCall};
use crate::tui::model::moment::Moment;

/// Rows that one line of output may fill in the scrollback; minified files have lines of a megabyte.
const ROWS: usize = 8;
/// Lines of a running command's output.
const TAIL: usize = 5;
/// An object is not cut below this to make room for the outcome.
const OBJECT: usize = 24;

/// A call that is over.
pub fn done(call: &DoneCall, mode: Mode, brush: Brush) -> Vec<Line<'static>> {
    let extent = match mode {
        Mode::Folded => diff::Extent::Cut(usize::from(brush.manner.diff_lines) + 1),
        Mode::Whole => diff::Extent::Whole,
    };
    let drawn = match &call.display {
        Display::Changes(files) => files.iter().map(|file| (file, diff::draw(file, extent, brush))).collect(),
        Display::Line(_) | Display::Text(_) | Display::Output { .. } | Display::Todos(_) => Vec::new(),
    };
    let mut label = call.label.clone();
    if let [(file, _)] = drawn.as_slice() {
        label.object.clone_from(&file.path);
    }
    let outcome = outcome(call, &drawn, brush);
    let mut lines = head(sign(call.status, brush), &label, outcome, mode, brush);
    lines.extend(match &call.display {
        Display::Line(_) => Vec::new(),
        Display::Text(text) => folded_output(text, Keep::Head, mode, brush),
        Display::Output { text, .. } => match highlight::printed_file(&call.label, text) {
            Some(reading) => {
                let lines = highlight::code(sanitize(text).trim_end(), Some(reading), brush.theme);
                folded(lines, Keep::Tail, mode, brush)
            }
            None => folded_output(text, Keep::Tail, mode, brush),
        },
        Display::Changes(_) => changes(drawn, mode, brush),
        Display::Todos(list) => todos::rows(list, brush),
    });
    lines
}

/// A call that is over, and below it all that it has given where only a line of that was kept.
pub fn whole(call: &DoneCall, results: &Results, brush: Brush) -> Vec<Line<'static>> {
    let mut lines = done(call, Mode::Whole, brush);
    if let Display::Line(told) = &call.display
        // the answer of a user is told already
        && call.label.verb != "ask"
        && let Some(text) = results.text(&call.id).filter(|text| text.trim() != told.trim())
    {
        lines.extend(output(&text, brush));
    }
    lines
}

/// The head of a call that runs.
pub(super) fn running(call: &RunningCall, now: Moment, brush: Brush) -> Line<'static> {
    let since = elapsed(now.since(call.since));
    let told: Vec<String> = printed(&call.tail).into_iter().chain(since).collect();
    // where it is narrow the time is told last of all: bytes go first, then lines
    let heads = (0..told.len().max(1)).map(|from| {
        let told = told.get(from..).unwrap_or_default().join(DOT);
        let told = (!told.is_empty()).then(|| brush.span(told, Role::Dim)).into_iter().collect();
        head(brush.span("○ ", Role::Plain), &call.label, told, Mode::Folded, brush)
    });
    let mut heads: Vec<_> = heads.collect();
    let fitting = heads.iter().position(|head| head.len() == 1).unwrap_or(0);
    heads.swap_remove(fitting).into_iter().next().unwrap_or_default()
}

/// How much it has printed, where that is more than is shown.
fn printed(tail: &Tail) -> Vec<String> {
    if usize::try_from(tail.count).is_ok_and(|count| count <= TAIL) {
        return Vec::new();
    }
    vec![units::bytes(tail.bytes), units::counted(tail.count, "line", "lines")]
}

/// The last lines that a running call has printed.
pub(super) fn running_output(call: &RunningCall, brush: Brush) -> Vec<Line<'static>> {
    let mut lines = output(&call.tail.lines.join("\n"), brush);
    lines.drain(..lines.len().saturating_sub(TAIL));
    lines
}

/// Calls that only looked, together in as few lines as they take.
pub fn explored(calls: &[DoneCall], mode: Mode, brush: Brush) -> Vec<Line<'static>> {
    if mode == Mode::Whole {
        return calls.iter().flat_map(|call| done(call, mode, brush)).collect();
    }
    let went_well = calls.iter().any(|call| call.status == ToolStatus::Success);
    let status = if went_well { ToolStatus::Success } else { ToolStatus::Failed };
    let mut line = Line::from(brush.span("explored  ", Role::Strong));
    for (index, call) in calls.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| calls.get(before));
        explored_one(call, before, &mut line, brush);
    }
    brush.paragraph(&line, sign(status, brush), INDENT)
}

/// A command's output in its own lines and colours, without empty lines at its end.
pub(super) fn output(text: &str, brush: Brush) -> Vec<Line<'static>> {
    let line = |runs: Vec<_>| {
        let span = |run: crate::text::sgr::StyledRun| Span::styled(run.text, brush.theme.foreign(run.style));
        let mut spans: Vec<_> = runs.into_iter().map(span).collect();
        trim_end(&mut spans);
        Line::from(spans)
    };
    let mut lines: Vec<_> = styled(&fold_progress(text)).into_iter().map(line).collect();
    let ink = lines.iter().rposition(|line| !line.spans.is_empty()).map_or(0, |last| last + 1);
    lines.truncate(ink);
    lines
}

fn folded_output(text: &str, keep: Keep, mode: Mode, brush: Brush) -> Vec<Line<'static>> {
    folded(output(text, brush), keep, mode, brush)
}

fn folded(lines: Vec<Line<'static>>, keep: Keep, mode: Mode, brush: Brush) -> Vec<Line<'static>> {
    match mode {
        Mode::Whole => lines,
        Mode::Folded => {
            let longest = brush.columns.saturating_mul(ROWS);
            // one more line than asked for stands in for a single hidden one
            let lines = brush.fold(lines, usize::from(brush.manner.output_lines) + 1, keep);
            lines
                .into_iter()
                .map(|line| if line.width() > longest { fit(&line, longest) } else { line })
                .collect()
        }
    }
}

fn changes(drawn: Vec<(&FileChange, diff::Drawn)>, mode: Mode, brush: Brush) -> Vec<Line<'static>> {
    let several = drawn.len() > 1;
    let lines = drawn.into_iter().flat_map(|(file, drawn)| {
        let head = several.then(|| file_head(file, drawn.counts, brush));
        head.into_iter().chain(drawn.lines)
    });
    match mode {
        Mode::Whole => lines.collect(),
        Mode::Folded => {
            brush.fold_indented(lines.collect(), usize::from(brush.manner.diff_lines) + 1, Keep::Head)
        }
    }
}

/// The line above the hunks of one file.
pub(super) fn file_head(file: &FileChange, counts: Vec<Span<'static>>, brush: Brush) -> Line<'static> {
    let mut line = Line::from(Span::raw(INDENT));
    let room = brush.columns.saturating_sub(spans_width(&counts) + INDENT.len());
    push_fitting(&mut line, brush.span(one_line(&file.path), Role::Strong), room);
    line.push_span(Span::raw(INDENT));
    line.extend(counts);
    line
}

fn sign(status: ToolStatus, brush: Brush) -> Span<'static> {
    match (brush.manner.signs, status) {
        (Signs::Signs, _) => {}
        (Signs::Words, ToolStatus::Success) => return brush.span("done: ", Role::Good),
        (Signs::Words, ToolStatus::Failed) => return brush.span("failed: ", Role::Bad),
        (Signs::Words, ToolStatus::Denied) => return brush.span("denied: ", Role::Warn),
        (Signs::Words, ToolStatus::Interrupted) => return brush.span("interrupted: ", Role::Warn),
    }
    match status {
        ToolStatus::Success => brush.span("● ", Role::Good),
        ToolStatus::Failed => brush.span("✗ ", Role::Bad),
        ToolStatus::Denied | ToolStatus::Interrupted => brush.span("⊘ ", Role::Warn),
    }
}

/// What became of a call, in a few words, and how long it took.
fn outcome(call: &DoneCall, drawn: &[(&FileChange, diff::Drawn)], brush: Brush) -> Vec<Span<'static>> {
    let role = if call.status == ToolStatus::Failed { Role::Bad } else { Role::Dim };
    let ended = match call.status {
        ToolStatus::Success | ToolStatus::Failed => None,
        ToolStatus::Denied => Some("denied"),
        ToolStatus::Interrupted => Some("interrupted"),
    };
    let words = match &call.display {
        Display::Line(text) if !text.trim().is_empty() => Some(one_line(text)),
        Display::Output { ended: Some(how), .. } => Some(one_line(how)),
        Display::Changes(files) if files.len() > 1 => Some(format!("{} files", files.len())),
        Display::Line(_)
        | Display::Text(_)
        | Display::Output { .. }
        | Display::Changes(_)
        | Display::Todos(_) => None,
    };
    let words = words.or_else(|| ended.map(str::to_owned));
    let mut spans: Vec<_> = words.map(|words| brush.span(words, role)).into_iter().collect();
    if let [(_, drawn)] = drawn {
        spans.extend(drawn.counts.iter().cloned());
    }
    if let Some(time) = elapsed(call.duration) {
        let before = if spans.is_empty() { "" } else { DOT };
        spans.push(brush.span(format!("{before}{time}"), Role::Dim));
    }
    spans
}

/// Sign, verb, object and outcome: in one line, or the outcome below where it is too long for that.
fn head(
    sign: Span<'static>,
    label: &Label,
    outcome: Vec<Span<'static>>,
    mode: Mode,
    brush: Brush,
) -> Vec<Line<'static>> {
    let object = label.object.trim();
    let mut rows = object.lines();
    let first = one_line(rows.next().unwrap_or_default());
    let further: Vec<&str> = rows.collect();
    let lead = vec![sign, brush.span(one_line(&label.verb), Role::Strong)];
    let gap = if object.is_empty() { "" } else { INDENT };
    let taken = spans_width(&lead) + gap.len();
    if mode == Mode::Whole && (!further.is_empty() || taken + width(&first) > brush.columns) {
        return whole_head(lead, &first, &further, outcome, brush);
    }
    let object = if further.is_empty() { first } else { format!("{first} …") };
    let beside = if outcome.is_empty() { 0 } else { spans_width(&outcome) + INDENT.len() };
    let is_beside = taken + width(&object).min(OBJECT) + beside <= brush.columns;
    let room = brush.columns.saturating_sub(if is_beside { beside } else { 0 });
    let mut line = Line::from(lead);
    line.push_span(Span::raw(gap));
    push_fitting(&mut line, brush.span(object, Role::Plain), room);
    if is_beside {
        line.spans.extend((beside > 0).then(|| Span::raw(INDENT)).into_iter().chain(outcome));
        return vec![line];
    }
    let line = fit(&line, brush.columns);
    let below = brush.paragraph(&Line::from(outcome), Span::raw(INDENT), INDENT);
    std::iter::once(line).chain(below).collect()
}

/// All of a long or many-lined object, and the outcome below it.
fn whole_head(
    lead: Vec<Span<'static>>,
    first: &str,
    further: &[&str],
    outcome: Vec<Span<'static>>,
    brush: Brush,
) -> Vec<Line<'static>> {
    let mut line = Line::from(lead);
    line.push_span(Span::raw(INDENT));
    line.push_span(brush.span(first.to_owned(), Role::Plain));
    let mut lines = brush.paragraph(&line, Span::raw(""), INDENT);
    lines.extend(further.iter().flat_map(|line| {
        brush.paragraph(&brush.line(one_line(line), Role::Plain), Span::raw(INDENT), INDENT)
    }));
    if !outcome.is_empty() {
        lines.extend(brush.paragraph(&Line::from(outcome), Span::raw(INDENT), INDENT));
    }
    lines
}

/// Adds one call to the line of those that only looked: `Read a, b · Grep "x" 7 matches`.
fn explored_one(call: &DoneCall, before: Option<&DoneCall>, line: &mut Line<'static>, brush: Brush) {
    let verb = one_line(&call.label.verb);
    let same = before.is_some_and(|before| before.label.verb == call.label.verb);
    if same {
        line.push_span(brush.span(", ", Role::Plain));
    } else {
        let dot = before.map(|_| brush.span(DOT, Role::Dim));
        line.spans.extend(dot);
        line.push_span(brush.span(capitalised(&verb) + " ", Role::Plain));
    }
    if call.status != ToolStatus::Success {
        line.push_span(sign(call.status, brush));
    }
    line.push_span(brush.span(one_line(call.label.object.trim()), Role::Plain));
    let told = match &call.display {
        // how long a file was is not worth a word where several are listed
        Display::Line(_) if call.status == ToolStatus::Success && verb == "read" => None,
        Display::Line(text) => Some(one_line(text)),
        Display::Text(_) | Display::Output { .. } | Display::Changes(_) | Display::Todos(_) => None,
    };
    if let Some(told) = told.filter(|told| !told.is_empty()) {
        let (before, role) = match call.status {
            ToolStatus::Success => (" ", Role::Dim),
            ToolStatus::Failed => (": ", Role::Bad),
            ToolStatus::Denied | ToolStatus::Interrupted => (": ", Role::Dim),
        };
        line.push_span(brush.span(format!("{before}{told}"), role));
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(char::to_uppercase).into_iter().flatten().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, BRUSH, numbered, text};
    use super::*;
    use crate::protocol::CallId;
    use crate::protocol::ToolKind;

    #[track_caller]
    fn check(call: &DoneCall, columns: usize, mode: Mode, expected: &str) {
        testing::check(&text(&done(call, mode, Brush { columns, ..BRUSH })), expected);
    }

    fn output(lines: usize, ended: Option<&str>) -> Display {
        Display::Output { text: numbered(lines), ended: ended.map(str::to_owned) }
    }

    fn edit() -> DoneCall {
        let change = FileChange {
            path: "src/cart.rs".to_owned(),
            before: Some("fn total() {\n    reduce()\n}\n".to_owned()),
            after: Some("fn total() {\n    fold()\n}\n".to_owned()),
        };
        testing::call(
            "edit",
            "/home/me/shop/src/cart.rs",
            ToolStatus::Success,
            Display::Changes(vec![change]),
        )
    }

    #[test]
    fn a_command_shows_its_last_lines_flush_left() {
        let call = testing::call("run", "cargo test", ToolStatus::Failed, output(20, Some("exit 101")));
        check(
            &call,
            80,
            Mode::Folded,
            "✗ run  cargo test  exit 101 · 2 s
… 12 more lines (Ctrl+O to expand)
line 13
line 14
line 15
line 16
line 17
line 18
line 19
line 20",
        );
        let call = testing::call("run", "cargo test", ToolStatus::Success, output(9, None));
        assert_eq!(done(&call, Mode::Folded, BRUSH).len(), 10, "no line is spent on hiding a single one");
        assert_eq!(done(&call, Mode::Whole, BRUSH).len(), 10);
    }

    #[test]
    fn output_keeps_its_lines_and_colours_and_nothing_else() {
        let shown = "\x1b[31mred\x1b[0m\t\x1b]0;title\x07x\n10 %\r100 %\n\n";
        let display = Display::Output { text: shown.to_owned(), ended: None };
        let lines = done(&testing::call("run", "x", ToolStatus::Success, display), Mode::Folded, BRUSH);
        assert_eq!(text(&lines[1..]), "red\tx\n100 %");
        assert_eq!(
            lines[1].spans[0].style,
            ratatui::style::Style::new().fg(ratatui::style::Color::Indexed(1))
        );
        let display = Display::Output { text: "x".repeat(10_000), ended: None };
        let long = testing::call("run", "x", ToolStatus::Success, display);
        assert_eq!(done(&long, Mode::Folded, BRUSH)[1].width(), 640);
        assert_eq!(done(&long, Mode::Whole, BRUSH)[1].width(), 10_000);
    }

    #[test]
    fn a_file_that_a_command_prints_has_the_colours_of_its_language() {
        let keyword = BRUSH.theme.style(Role::Keyword);
        let shown = |command: &str, text: &str| {
            let display = Display::Output { text: text.to_owned(), ended: None };
            let lines =
                done(&testing::call("run", command, ToolStatus::Success, display), Mode::Folded, BRUSH);
            lines.iter().skip(1).any(|line| line.spans.iter().any(|span| span.style == keyword))
        };
        let code = "/// A\npub fn a() {}\n";
        for command in ["cat src/a.rs", "head -n 20 src/a.rs", "tail src/a.rs", "sed -n '1,20p' src/a.rs"] {
            assert!(shown(command, code), "{command}");
        }
        for command in ["cat src/a", "cat a.rs | wc", "cat a.rs b.py", "cat a.rs > b.rs", "ls a.rs", "cat"] {
            assert!(!shown(command, code), "{command}");
        }
        assert!(!shown("cat a.rs", "\x1b[31mpub fn\x1b[m"), "it has colours of its own");
    }

    #[test]
    fn the_head_gives_way_in_order() {
        let command = "cargo test --package shop --all-targets -- --nocapture cart\necho done";
        let call = testing::call("run", command, ToolStatus::Failed, output(0, Some("exit 101")));
        check(
            &call,
            80,
            Mode::Folded,
            "✗ run  cargo test --package shop --all-targets -- --nocapture c…  exit 101 · 2 s",
        );
        check(&call, 60, Mode::Folded, "✗ run  cargo test --package shop --all-targ…  exit 101 · 2 s");
        check(
            &call,
            40,
            Mode::Folded,
            "✗ run  cargo test --package shop --all-…
  exit 101 · 2 s",
        );
        check(
            &call,
            40,
            Mode::Whole,
            "✗ run  cargo test --package shop
  --all-targets -- --nocapture cart
  echo done
  exit 101 · 2 s",
        );
        check(
            &call,
            5,
            Mode::Folded,
            "✗ ru…
exit
101 ·
2 s",
        );
    }

    #[test]
    fn a_refusal_and_an_interruption_have_their_sign() {
        let line = |text: &str| Display::Line(text.to_owned());
        let mut call =
            testing::call("run", "cargo publish", ToolStatus::Denied, line("not run: the user said no"));
        call.duration = std::time::Duration::ZERO;
        check(&call, 80, Mode::Folded, "⊘ run  cargo publish  not run: the user said no");
        check(
            &call,
            40,
            Mode::Folded,
            "⊘ run  cargo publish
  not run: the user said no",
        );
        call.display = line("");
        check(&call, 40, Mode::Folded, "⊘ run  cargo publish  denied");
        call = testing::call("run", "cargo test", ToolStatus::Interrupted, output(1, None));
        check(
            &call,
            80,
            Mode::Folded,
            "⊘ run  cargo test  interrupted · 2 s
line 1",
        );
    }

    #[test]
    fn a_failed_edit_says_why() {
        let why = "old_string was not found; the nearest is line 42: `    items.reduce(add)`";
        let call = testing::call("edit", "src/cart.rs", ToolStatus::Failed, Display::Line(why.to_owned()));
        check(
            &call,
            120,
            Mode::Folded,
            "✗ edit  src/cart.rs  old_string was not found; the nearest is line 42: `    items.reduce(add)` · 2 s",
        );
        check(
            &call,
            40,
            Mode::Folded,
            "✗ edit  src/cart.rs
  old_string was not found; the nearest
  is line 42: `    items.reduce(add)` ·
  2 s",
        );
    }

    #[test]
    fn an_edit_shows_its_diff_under_the_short_path() {
        check(
            &edit(),
            80,
            Mode::Folded,
            "● edit  src/cart.rs  +1 -1 · 2 s
    1   fn total() {
    2 -     reduce()
    2 +     fold()
    3   }",
        );
        let long = numbered(99);
        let files = ["a.rs", "b.rs"].map(|path| FileChange {
            path: path.to_owned(),
            before: None,
            after: Some(long.clone()),
        });
        let call = testing::call("patch", "", ToolStatus::Success, Display::Changes(files.to_vec()));
        let lines = done(&call, Mode::Folded, BRUSH);
        testing::check(
            &text(&lines[..3]),
            "● patch  2 files · 2 s
  a.rs  new +99
    1 + line 1",
        );
        testing::check(&text(&lines[41..]), "  … 160 more lines (Ctrl+O to expand)");
        assert_eq!(done(&call, Mode::Whole, BRUSH).len(), 1 + 2 * 100);
    }

    #[test]
    fn what_only_looked_is_told_in_one_line() {
        let line = |text: &str| Display::Line(text.to_owned());
        let calls = [
            testing::call("read", "src/cart.rs", ToolStatus::Success, line("42 lines")),
            testing::call("read", "src/lib.rs", ToolStatus::Success, line("7 lines")),
            testing::call("grep", "\"total\"", ToolStatus::Success, line("7 matches")),
            testing::call("read", "no.rs", ToolStatus::Failed, line("no such file")),
        ];
        let told = |columns, mode| text(&explored(&calls, mode, Brush { columns, ..BRUSH }));
        testing::check(
            &told(120, Mode::Folded),
            r#"● explored  Read src/cart.rs, src/lib.rs · Grep "total" 7 matches · Read ✗ no.rs: no such file"#,
        );
        testing::check(
            &told(40, Mode::Folded),
            r#"● explored  Read src/cart.rs,
  src/lib.rs · Grep "total" 7 matches ·
  Read ✗ no.rs: no such file"#,
        );
        testing::check(
            &told(80, Mode::Whole),
            r#"● read  src/cart.rs  42 lines · 2 s
● read  src/lib.rs  7 lines · 2 s
● grep  "total"  7 matches · 2 s
✗ read  no.rs  no such file · 2 s"#,
        );
    }

    #[test]
    fn signs_and_changed_lines_have_the_colour_of_what_they_mean() {
        let role = |status| {
            done(&testing::call("run", "", status, output(0, None)), Mode::Folded, BRUSH)[0].spans[0].style
        };
        assert_eq!(role(ToolStatus::Success), BRUSH.theme.style(Role::Good));
        assert_eq!(role(ToolStatus::Failed), BRUSH.theme.style(Role::Bad));
        assert_eq!(role(ToolStatus::Denied), role(ToolStatus::Interrupted));
        let lines = done(&edit(), Mode::Folded, BRUSH);
        let last = |row: usize| lines[row].spans.last().unwrap().style;
        assert_eq!((last(2), last(3)), (BRUSH.theme.style(Role::Bad), BRUSH.theme.style(Role::Good)));
    }

    #[test]
    fn of_a_text_the_beginning_is_kept() {
        let call = testing::call("todo", "", ToolStatus::Success, Display::Text(numbered(20)));
        let lines = done(&call, Mode::Folded, BRUSH);
        assert_eq!(text(&lines[1..2]), "line 1");
        assert_eq!(text(&lines[9..]), "… 12 more lines (Ctrl+O to expand)");
    }

    #[test]
    fn a_running_command_shows_its_last_five_lines() {
        let call = RunningCall {
            id: CallId::from("1"),
            label: Label { verb: "run".to_owned(), object: "cargo test cart".to_owned() },
            since: Moment(1_000),
            tail: Tail { lines: (1..=9).map(|n| format!("line {n}\x1b[2K")).collect(), bytes: 99, count: 9 },
            kind: ToolKind::Act,
        };
        let head = |now| running(&call, Moment(now), BRUSH).to_string();
        assert_eq!(head(1_900), "○ run  cargo test cart  99 B · 9 lines");
        assert_eq!(head(7_500), "○ run  cargo test cart  99 B · 9 lines · 6 s");
        let little = RunningCall { tail: Tail { count: 5, ..call.tail.clone() }, ..call.clone() };
        assert_eq!(running(&little, Moment(7_500), BRUSH).to_string(), "○ run  cargo test cart  6 s");
        assert_eq!(text(&running_output(&call, BRUSH)), "line 5\nline 6\nline 7\nline 8\nline 9");
    }

    #[test]
    fn names_cannot_act_on_the_terminal() {
        let call =
            testing::call("run\x1b[2J", "ls \x1b]0;x\x07\u{202e}evil", ToolStatus::Success, output(0, None));
        check(&call, 80, Mode::Folded, "● run  ls ‹U+202E›evil  2 s");
    }
}
