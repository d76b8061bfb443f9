//! The lists over the screen in words: what is picked from by typing its number. Pure.
//!
//! Not `plain` itself, which knows when such a thing is told; and not the lists as they are drawn.

use super::brush::{Brush, INDENT, one_line, reveal};
use super::plain::{Asked, short, texts};
use super::{rewind as view_rewind, tool};
use crate::app::RuleRow;
use crate::protocol::{JobState, JobView};
use crate::tui::model::Model;
use crate::tui::model::choice::{Choice, Item};
use crate::tui::model::overlay::Overlay;
use crate::tui::model::permissions::Permissions;
use crate::tui::model::picker::Picker;
use crate::tui::model::rewind::{self, Rewind};
use crate::tui::model::sessions::Sessions;
use crate::tui::model::tasks::Tasks;

/// What lies over the screen; a page is read and asks nothing.
pub(super) fn told(overlay: &Overlay, model: &Model, brush: Brush) -> Option<Asked> {
    match overlay {
        Overlay::Page(_) => None,
        Overlay::Models(picker) => Some(picked(picker)),
        Overlay::Sessions(open) => Some(resumed(open)),
        Overlay::Rewind(open) => Some(rewound(open)),
        Overlay::Themes(themes) => Some(picked(&themes.picker)),
        Overlay::Tasks(tasks) => tasks_told(tasks, model, brush),
        Overlay::Permissions(open) => rules_told(open),
    }
}

fn picked(picker: &Picker) -> Asked {
    let title = one_line(picker.title());
    if let Some(awaited) = picker.awaited() {
        let about = vec![format!("{title}: {}", one_line(awaited))];
        return Asked { key: format!("awaited {title}"), about, rows: Vec::new() };
    }
    let choice = picker.choice();
    let filter = one_line(picker.filter().draft().text());
    let narrowed = if filter.is_empty() { String::new() } else { format!(", matching {filter}") };
    let about = vec![format!("{title}: {} of {}{narrowed}", choice.matching(), choice.total())];
    let mut rows = items(choice);
    rows.push("type a number, or text to filter; Enter alone to cancel".to_owned());
    Asked { key: format!("{title} {filter} {}", choice.total()), about, rows }
}

/// The list of sessions, and what to know of the chosen one.
fn resumed(open: &Sessions) -> Asked {
    let mut asked = picked(&open.picker);
    if open.is_held() {
        asked.key.push_str(" held");
        asked.about.push("open in another clawd: type the same number again to fork it".to_owned());
    }
    asked
}

/// The way back to an earlier message.
fn rewound(open: &Rewind) -> Asked {
    let waits = |what: &str| Asked { key: what.to_owned(), about: vec![what.to_owned()], rows: Vec::new() };
    match &open.step {
        rewind::Step::Picking => picked(&open.picker),
        rewind::Step::Looking(_) => waits("checking what would change"),
        rewind::Step::Going => waits("rewinding"),
        rewind::Step::Choosing(preview) => {
            let (about, mut rows) = view_rewind::told(preview);
            rows.push("type 1, 2 or 3; Enter alone to go back".to_owned());
            Asked { key: format!("{about:?}"), about, rows }
        }
    }
}

fn items(choice: &Choice) -> Vec<String> {
    let row = |(number, item): (usize, &Item)| {
        let detail = one_line(&item.detail);
        let gap = if detail.is_empty() { "" } else { ", " };
        let chosen = if number == choice.chosen_row(usize::MAX) + 1 { " (chosen)" } else { "" };
        format!("{INDENT}{number}. {}{gap}{detail}{chosen}", one_line(&item.label))
    };
    (1..).zip(choice.window(usize::MAX)).map(row).collect()
}

/// The rules in force, each whole.
fn rules_told(open: &Permissions) -> Option<Asked> {
    let in_force = open.in_force.as_ref()?;
    let mut about = vec![format!("Permissions: {}, {}", in_force.mode, in_force.hold)];
    about.extend(open.said.as_deref().map(|said| one_line(&reveal(said))));
    let row = |(number, row): (usize, &RuleRow)| {
        format!("{INDENT}{number}. {} {}, {}", row.kind, one_line(&reveal(&row.rule)), one_line(&row.place))
    };
    let mut rows: Vec<String> = (1..).zip(open.rules()).map(row).collect();
    let key = format!("{about:?} {rows:?}");
    if rows.is_empty() {
        rows.push(format!("{INDENT}no rules; the permission mode applies"));
    }
    rows.push("d and a number to revoke a saved rule; Enter alone to close".to_owned());
    Some(Asked { key, about, rows })
}

fn tasks_told(tasks: &Tasks, model: &Model, brush: Brush) -> Option<Asked> {
    if let Some(shown) = &tasks.shown {
        let about = texts(&tool::output(&shown.text, brush));
        let about = if about.is_empty() { vec!["no output yet".to_owned()] } else { about };
        let rows = vec!["Enter alone to go back".to_owned()];
        return Some(Asked { key: format!("output {}", shown.id), about, rows });
    }
    let jobs = &model.aside.jobs;
    let row = |(number, job): (usize, &JobView)| {
        let how = match &job.state {
            JobState::Running => "running".to_owned(),
            JobState::Ended { how } => one_line(how),
        };
        format!("{INDENT}{number}. {}, {how}: {}", one_line(job.id.as_str()), short(&reveal(&job.command)))
    };
    let mut rows: Vec<String> = (1..).zip(jobs).map(row).collect();
    let key = format!("tasks {rows:?}");
    rows.push("a number to show its output, x and a number to stop it; Enter alone to close".to_owned());
    (!jobs.is_empty()).then(|| Asked { key, about: vec!["Background commands:".to_owned()], rows })
}
