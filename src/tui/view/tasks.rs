//! The list of background commands, or what one of them printed last, in the place of the input.

use ratatui::text::Line;

use super::brush::{Brush, DOT, Fact, INDENT, Pane, SIGN, one_line, push_fitting};
use super::theme::Role;
use super::tool;
use super::wrap::{fit, width};
use crate::protocol::{JobState, JobView};
use crate::text::units;
use crate::tui::model::aside::Aside;
use crate::tui::model::moment::Moment;
use crate::tui::model::tasks::{Shown, Tasks};

/// Rows of the list.
const MOST: usize = 10;
/// From so many columns on, the list has columns of its own.
const ROOMY: usize = 60;

/// The open list in at most `room` rows.
pub(super) fn pane(tasks: &Tasks, aside: &Aside, (now, room): (Moment, usize), brush: Brush) -> Pane {
    let lines = match &tasks.shown {
        Some(shown) => output(shown, aside, room, brush),
        None => list(tasks, aside, (now, room), brush),
    };
    Pane { lines, cursor: None }
}

fn list(tasks: &Tasks, aside: &Aside, (now, room): (Moment, usize), brush: Brush) -> Vec<Line<'static>> {
    let most = room.saturating_sub(2).clamp(1, MOST);
    let focus = tasks.focus.min(aside.jobs.len().saturating_sub(1));
    let top = (focus + 1).saturating_sub(most);
    let mut lines = vec![brush.line("Background commands", Role::Plain)];
    let told = aside.jobs.iter().map(|job| (one_line(job.id.as_str()), facts(job, (aside, now), brush)));
    let told: Vec<_> = told.enumerate().skip(top).take(most).collect();
    // in columns, where those cost no more than they are worth
    let widest = |of: fn(&(String, String)) -> &str| {
        let widest = told.iter().map(|(_, told)| width(of(told))).max().unwrap_or(0);
        if brush.columns < ROOMY { 0 } else { widest }
    };
    let columns = (widest(|(id, _)| id), widest(|(_, facts)| facts));
    for ((index, told), job) in told.iter().zip(aside.jobs.iter().skip(top)) {
        lines.push(row(told, job, index == &focus, columns, brush));
    }
    let left = aside.jobs.len().saturating_sub(most);
    let fact = |words: String| Fact::new(brush.span(words, Role::Dim));
    let mut keys = vec![
        fact(format!("{INDENT}Enter: output")),
        fact("x: stop".to_owned()),
        fact("Esc: close".to_owned()),
    ];
    keys.extend((left > 0).then(|| fact(format!("{left} more")).rank(1)));
    lines.push(fit(&brush.facts(keys), brush.columns));
    lines
}

/// How it stands with a command, for how long, and, where there is room for it, how much it has printed.
fn facts(job: &JobView, (aside, now): (&Aside, Moment), brush: Brush) -> String {
    let how = match &job.state {
        JobState::Running => format!("running {}", units::duration(job.since + now.since(aside.looked))),
        JobState::Ended { how } => format!("{} after {}", one_line(how), units::duration(job.since)),
    };
    if brush.columns < ROOMY { how } else { format!("{how}{DOT}{}", units::bytes(job.bytes)) }
}

fn row(
    (id, facts): &(String, String),
    job: &JobView,
    has_focus: bool,
    (ids, all_facts): (usize, usize),
    brush: Brush,
) -> Line<'static> {
    let (sign, role) = if has_focus { (SIGN, Role::Accent) } else { (INDENT, Role::Plain) };
    let pad = |text: &str, columns: usize| " ".repeat(columns.saturating_sub(width(text)));
    let mut line = Line::from(vec![
        brush.span(sign, Role::Accent),
        brush.span(id.clone(), role),
        brush.span(format!("{}{INDENT}{facts}{}{INDENT}", pad(id, ids), pad(facts, all_facts)), Role::Dim),
    ]);
    push_fitting(&mut line, brush.span(one_line(job.command.trim()), role), brush.columns);
    fit(&line, brush.columns)
}

/// The last lines, in the colours in which they were printed.
fn output(shown: &Shown, aside: &Aside, room: usize, brush: Brush) -> Vec<Line<'static>> {
    let mut title = Line::from(brush.span(one_line(shown.id.as_str()), Role::Strong));
    let command = aside.jobs.iter().find(|job| job.id == shown.id).map(|job| one_line(job.command.trim()));
    title.push_span(brush.span(format!("{INDENT}{}", command.unwrap_or_default()), Role::Plain));
    let mut printed = tool::output(&shown.text, brush);
    if printed.is_empty() {
        printed.push(brush.line(format!("{INDENT}no output yet"), Role::Dim));
    }
    printed.drain(..printed.len().saturating_sub(room.saturating_sub(2).max(1)));
    let mut lines = vec![fit(&title, brush.columns)];
    lines.extend(printed.iter().map(|line| fit(line, brush.columns)));
    lines.push(hint("Esc: back to the list", brush));
    lines
}

fn hint(words: &str, brush: Brush) -> Line<'static> {
    fit(&brush.line(format!("{INDENT}{words}"), Role::Dim), brush.columns)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::testing::{self, BRUSH, numbered, text};
    use super::*;
    use crate::protocol::Why;

    fn job(number: usize, how: Option<&str>, command: &str) -> JobView {
        JobView {
            id: format!("bash_{number}").into(),
            command: command.to_owned(),
            pid: 1,
            why: Why::Asked,
            state: how.map_or(JobState::Running, |how| JobState::Ended { how: how.to_owned() }),
            since: Duration::from_secs(12),
            bytes: 1_300_000,
        }
    }

    fn aside(jobs: Vec<JobView>) -> Aside {
        Aside { jobs, looked: Moment(1_000), ..Aside::default() }
    }

    fn shown(tasks: &Tasks, aside: &Aside, (columns, room): (usize, usize)) -> String {
        let pane = pane(tasks, aside, (Moment(4_000), room), Brush { columns, ..BRUSH });
        assert!(pane.lines.len() <= room);
        text(&pane.lines)
    }

    #[test]
    fn each_command_has_its_state_and_time() {
        let aside = aside(vec![
            job(1, None, "npm run dev\n--port 80"),
            job(2, Some("exit code 1"), "cargo\x1b[2J b"),
        ]);
        testing::check(
            &shown(&Tasks::default(), &aside, (80, 10)),
            "Background commands
❯ bash_1  running 15 s · 1.2 MB            npm run dev⏎--port 80
  bash_2  exit code 1 after 12 s · 1.2 MB  cargo b
  Enter: output · x: stop · Esc: close",
        );
        let second = Tasks { focus: 7, shown: None };
        testing::check(
            &shown(&second, &aside, (40, 3)),
            "Background commands
❯ bash_2  exit code 1 after 12 s  cargo…
  Enter: output · x: stop · Esc: close",
        );
    }

    #[test]
    fn the_output_of_one_takes_the_place_of_the_list() {
        let aside = aside(vec![job(1, None, "seq 9")]);
        let of = |text: &str| Tasks {
            focus: 0,
            shown: Some(Shown { id: "bash_1".into(), text: text.to_owned() }),
        };
        testing::check(
            &shown(&of(&numbered(9)), &aside, (80, 4)),
            "bash_1  seq 9
line 8
line 9
  Esc: back to the list",
        );
        testing::check(
            &shown(&of("\n"), &aside, (80, 9)),
            "bash_1  seq 9
  no output yet
  Esc: back to the list",
        );
    }
}
