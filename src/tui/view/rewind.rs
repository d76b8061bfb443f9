//! The way back to an earlier message in the place of the input: the list, then what each of three ways would change.
//!
//! The three are always there and always have the same digits. Files give way to them where there is little room; those that are
//! no longer what the session left are the last to do so.

use ratatui::text::Line;

use super::brush::{Brush, DOT, INDENT, Pane, one_line, push_fitting, reveal};
use super::composer::{self, ComposerStyles};
use super::theme::Role;
use super::wrap::fit;
use crate::app::{FileRow, Preview};
use crate::text::units;
use crate::tui::model::rewind::{Rewind, Step};

/// What the keys do where it is chosen how far it goes.
const KEYS: &str = "Press 1, 2 or 3 · Esc to go back";

/// The open list, or what comes after it, in at most `room` rows.
pub(super) fn pane(open: &Rewind, room: usize, styles: &ComposerStyles, brush: Brush) -> Pane {
    let lines = match &open.step {
        Step::Picking => {
            let (lines, cursor) = composer::render_picker(&open.picker, brush.columns, room, styles);
            return Pane { lines, cursor: Some(cursor) };
        }
        Step::Looking(_) => waiting("checking what would change", brush),
        Step::Going => waiting("rewinding", brush),
        Step::Choosing(preview) => choosing(preview, room, brush),
    };
    Pane { lines: lines.iter().map(|line| fit(line, brush.columns)).collect(), cursor: None }
}

fn waiting(what: &'static str, brush: Brush) -> Vec<Line<'static>> {
    vec![brush.line("Rewind", Role::Plain), brush.line(format!("{INDENT}{what}"), Role::Dim)]
}

fn choosing(preview: &Preview, room: usize, brush: Brush) -> Vec<Line<'static>> {
    let mut lines = vec![brush.line(title(preview), Role::Plain)];
    lines.extend(ways(preview).map(|way| brush.line(format!("{INDENT}{way}"), Role::Plain)));
    let beyond: Vec<_> = preview
        .beyond
        .iter()
        .map(|line| brush.line(format!("{INDENT}{}", one_line(line)), Role::Warn))
        .collect();
    let left = room.saturating_sub(lines.len() + beyond.len() + 1);
    let files = if preview.files.len() <= left { preview.files.len() } else { left.saturating_sub(1) };
    lines.extend(preview.files.iter().take(files).map(|file| row(file, brush)));
    let more = preview.files.len() - files;
    if more > 0 && left > 0 {
        lines.push(brush.line(
            format!("     … and {}", units::counted(more as u64, "more file", "more files")),
            Role::Dim,
        ));
    }
    lines.extend(beyond);
    lines.truncate(room.saturating_sub(1).max(1));
    lines.push(brush.line(format!("{INDENT}{KEYS}"), Role::Dim));
    lines
}

/// All of it in words: what it is about, and the rows to choose from.
pub(super) fn told(preview: &Preview) -> (Vec<String>, Vec<String>) {
    let mut about = vec![title(preview)];
    about.extend(preview.files.iter().map(|file| {
        let [path, what, foreign] = words(file);
        format!("{INDENT}{path}, {what}{}{foreign}", if foreign.is_empty() { "" } else { ", " })
    }));
    about.extend(preview.beyond.iter().map(|line| one_line(line)));
    (about, ways(preview).map(|way| format!("{INDENT}{way}")).to_vec())
}

fn title(preview: &Preview) -> String {
    format!("Rewind to before “{}”", one_line(&reveal(&preview.words)))
}

fn ways(preview: &Preview) -> [String; 3] {
    let messages = units::counted(preview.messages as u64, "message", "messages");
    let files = match preview.files.len() {
        0 => "no known changes".to_owned(),
        count => format!("restore {}", units::counted(count as u64, "file", "files")),
    };
    [
        "1. both".to_owned(),
        format!("2. conversation: remove {messages}; this prompt returns to the input"),
        format!("3. files: {files}"),
    ]
}

fn row(file: &FileRow, brush: Brush) -> Line<'static> {
    let [path, what, foreign] = words(file);
    let mut line = Line::from(brush.span(format!("     {path}"), Role::Plain));
    push_fitting(&mut line, brush.span(format!("  {what}"), Role::Dim), brush.columns);
    if !foreign.is_empty() {
        push_fitting(&mut line, brush.span(format!("{DOT}{foreign}"), Role::Warn), brush.columns);
    }
    line
}

fn words(file: &FileRow) -> [String; 3] {
    let foreign = if file.is_foreign { "changed outside clawd" } else { "" };
    [one_line(&reveal(&file.path)), one_line(&file.what), foreign.to_owned()]
}

#[cfg(test)]
mod tests {
    use super::super::styles;
    use super::super::testing::{self, BRUSH, text_with_cursor};
    use super::*;
    use crate::app::Point;

    fn file(path: &str, what: &str, is_foreign: bool) -> FileRow {
        FileRow { path: path.to_owned(), what: what.to_owned(), is_foreign }
    }

    fn preview() -> Preview {
        Preview {
            to: 4,
            words: "the total is wrong when the cart is empty".to_owned(),
            messages: 6,
            files: vec![
                file("src/cart.rs", "+3 -12", true),
                file("notes/税金.md", "created since, will be deleted", false),
                file("src/tax.rs", "+1 -0", false),
            ],
            beyond: vec!["2 commands ran since: what they changed stays as it is".to_owned()],
        }
    }

    fn chosen(preview: Preview) -> Rewind {
        let mut open = Rewind::awaiting();
        open.step = Step::Choosing(Box::new(preview));
        open
    }

    #[track_caller]
    fn check(open: &Rewind, (columns, room): (usize, usize), expected: &str) {
        let brush = Brush { columns, ..BRUSH };
        let pane = pane(open, room, &styles(brush), brush);
        assert!(pane.lines.len() <= room, "{} rows", pane.lines.len());
        assert!(pane.lines.iter().all(|line| line.width() <= columns));
        testing::check(&text_with_cursor(&pane.lines, pane.cursor), expected);
    }

    #[test]
    fn the_messages_stand_newest_first_with_what_changed_since() {
        let mut open = Rewind::awaiting();
        let point = |words: &str, about: &str| Point {
            position: 0,
            words: words.to_owned(),
            about: about.to_owned(),
        };
        open.fill(vec![point("and in France?", "now"), point("what is the tax?", "3 h ago · 2 files")]);
        check(
            &open,
            (80, 12),
            "Rewind
  |type to filter
❯ and in France?    now
  what is the tax?  3 h ago · 2 files
  Enter to select · Esc to cancel · 2 in all",
        );
    }

    #[test]
    fn what_each_way_would_change_is_told_before_it_is_gone() {
        check(
            &chosen(preview()),
            (100, 12),
            "Rewind to before “the total is wrong when the cart is empty”
  1. both
  2. conversation: remove 6 messages; this prompt returns to the input
  3. files: restore 3 files
     src/cart.rs  +3 -12 · changed outside clawd
     notes/税金.md  created since, will be deleted
     src/tax.rs  +1 -0
  2 commands ran since: what they changed stays as it is
  Press 1, 2 or 3 · Esc to go back",
        );
        check(
            &chosen(Preview { files: Vec::new(), beyond: Vec::new(), messages: 1, ..preview() }),
            (80, 12),
            "Rewind to before “the total is wrong when the cart is empty”
  1. both
  2. conversation: remove 1 message; this prompt returns to the input
  3. files: no known changes
  Press 1, 2 or 3 · Esc to go back",
        );
    }

    #[test]
    fn where_there_is_little_room_files_give_way_and_are_counted() {
        check(
            &chosen(preview()),
            (40, 8),
            "Rewind to before “the total is wrong wh…
  1. both
  2. conversation: remove 6 messages; t…
  3. files: restore 3 files
     src/cart.rs  +3 -12 · changed outs…
     … and 2 more files
  2 commands ran since: what they chang…
  Press 1, 2 or 3 · Esc to go back",
        );
        check(
            &chosen(preview()),
            (40, 5),
            "Rewind to before “the total is wrong wh…
  1. both
  2. conversation: remove 6 messages; t…
  3. files: restore 3 files
  Press 1, 2 or 3 · Esc to go back",
        );
    }

    #[test]
    fn while_it_looks_and_goes_it_says_so() {
        let mut looking = Rewind::awaiting();
        looking.step = Step::Looking(1);
        check(&looking, (80, 12), "Rewind\n  checking what would change");
        check(&Rewind::going(), (80, 12), "Rewind\n  rewinding");
    }
}
