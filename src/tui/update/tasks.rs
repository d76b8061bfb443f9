//! The background commands: what becomes of them, and the keys of their list.
//!
//! While the list is open it is looked at anew with every key and every tick; closed, only the number of commands is kept.

use super::input::remark;
use crate::conversation::JobNews;
use crate::protocol::{JobId, JobState, JobView};
use crate::text::sanitize::sanitize_line;
use crate::text::units;
use crate::tui::effect::Effect;
use crate::tui::key::Key;
use crate::tui::keymap::{self, Action, Focus};
use crate::tui::model::Model;
use crate::tui::model::moment::Moment;
use crate::tui::model::overlay::Overlay;
use crate::tui::model::question::Step;
use crate::tui::model::tasks::{Shown, Tasks};

/// Characters of a command that has ended: enough to know it again.
const COMMAND: usize = 60;

/// Opens the list.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    model.overlay = Some(Overlay::Tasks(Tasks::default()));
    vec![Effect::ListTasks]
}

/// A command began or ended. The end of one is told in a line.
pub(super) fn news(model: &mut Model, now: Moment, news: JobNews) {
    for job in &news.ended {
        remark(model, told(job));
    }
    model.aside.look(news.all, now);
}

/// They are so now. A list in which nothing stands is no list.
pub(super) fn listed(model: &mut Model, now: Moment, jobs: Vec<JobView>) {
    model.aside.look(jobs, now);
    if model.aside.jobs.is_empty() && matches!(model.overlay, Some(Overlay::Tasks(_))) {
        model.overlay = None;
        remark(model, "no background commands");
    }
}

/// What a command has printed last.
pub(super) fn printed(model: &mut Model, id: JobId, text: String) {
    if let Some(Overlay::Tasks(tasks)) = &mut model.overlay {
        tasks.shown = Some(Shown { id, text });
    }
}

/// Looks again, where the list is open.
pub(super) fn refresh(model: &Model) -> Vec<Effect> {
    match &model.overlay {
        Some(Overlay::Tasks(tasks)) => looked_at(tasks),
        Some(
            Overlay::Page(_)
            | Overlay::Models(_)
            | Overlay::Sessions(_)
            | Overlay::Rewind(_)
            | Overlay::Permissions(_)
            | Overlay::Themes(_),
        )
        | None => Vec::new(),
    }
}

/// A key while the list is open.
pub(super) fn press(model: &mut Model, mut tasks: Tasks, key: Key) -> Vec<Effect> {
    let chosen = tasks.chosen(&model.aside).cloned();
    let mut effects = Vec::new();
    match keymap::action(Focus::Tasks, key) {
        Some(Action::Up) => tasks.step(Step::Up, &model.aside),
        Some(Action::Down) => tasks.step(Step::Down, &model.aside),
        Some(Action::Enter | Action::Close) if tasks.shown.is_some() => tasks.shown = None,
        Some(Action::Enter) => effects.extend(chosen.map(|job| Effect::ShowTask(job.id))),
        Some(Action::EndTask) => {
            let running = chosen.filter(|job| job.state == JobState::Running);
            effects.extend(running.map(|job| Effect::EndTask(job.id)));
        }
        Some(Action::Suspend) => effects.push(Effect::Suspend),
        Some(Action::Redraw) => effects.push(Effect::Redraw),
        Some(Action::Close) => return Vec::new(),
        _ => {}
    }
    effects.extend(looked_at(&tasks));
    model.overlay = Some(Overlay::Tasks(tasks));
    effects
}

fn looked_at(tasks: &Tasks) -> Vec<Effect> {
    let shown = tasks.shown.iter().map(|shown| Effect::ShowTask(shown.id.clone()));
    std::iter::once(Effect::ListTasks).chain(shown).collect()
}

fn told(job: &JobView) -> String {
    let how = match &job.state {
        JobState::Running => "running",
        JobState::Ended { how } => how.as_str(),
    };
    let how = how.replace("exit code ", "exit ");
    let command = sanitize_line(job.command.trim());
    let shown: String = match command.char_indices().nth(COMMAND) {
        Some((end, _)) => command.get(..end).unwrap_or_default().to_owned() + "…",
        None => command.into_owned(),
    };
    format!("task {} ended: {how} ({}) {shown}", job.id, units::duration(job.since))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::testing::{happen, idle, last, press, reply, running};
    use super::*;
    use crate::conversation::Happening;
    use crate::protocol::Why;
    use crate::tui::model::Stage;
    use crate::tui::model::transcript::Cell;
    use crate::tui::msg::{Msg, Reply};
    use crate::tui::update::update;

    fn job(id: &str, how: Option<&str>) -> JobView {
        JobView {
            id: id.into(),
            command: "npm run dev".to_owned(),
            pid: 1,
            why: Why::Asked,
            state: how.map_or(JobState::Running, |how| JobState::Ended { how: how.to_owned() }),
            since: Duration::from_secs(12),
            bytes: 0,
        }
    }

    fn tasks(model: &Model) -> &Tasks {
        match &model.overlay {
            Some(Overlay::Tasks(tasks)) => tasks,
            other => panic!("no list: {other:?}"),
        }
    }

    /// The list of a command that runs and one that has ended.
    fn listing() -> Model {
        let mut model = idle();
        press(&mut model, 0, "/tasks<enter>");
        reply(&mut model, Reply::Tasks(vec![job("bash_1", None), job("bash_2", Some("exit code 1"))]));
        model
    }

    #[test]
    fn the_end_of_a_command_is_told_in_one_line_and_begins_no_run() {
        let mut model = idle();
        let ended = job("bash_1", Some("exit code 0"));
        let news = JobNews { all: vec![ended.clone(), job("bash_2", None)], ended: vec![ended] };
        happen(&mut model, Happening::Jobs(news));
        let line = "task bash_1 ended: exit 0 (12 s) npm run dev";
        assert_eq!(*last(&model), Cell::Remark(line.to_owned()));
        assert_eq!((model.aside.running(), model.run.is_none()), (1, true));
        assert!(matches!(model.stage, Stage::Idle));
    }

    #[test]
    fn what_a_command_was_cannot_act_on_the_terminal_nor_fill_it() {
        let view =
            JobView { command: format!("a\n\x1b[2J{}", "b".repeat(99)), ..job("bash_1", Some("killed")) };
        assert_eq!(told(&view), format!("task bash_1 ended: killed (12 s) a⏎{}…", "b".repeat(58)));
    }

    #[test]
    fn the_list_opens_at_once_in_a_run_too() {
        for mut model in [idle(), running()] {
            let effects = press(&mut model, 0, "/tasks<enter>");
            assert_eq!(effects.last(), Some(&Effect::ListTasks));
            assert_eq!(tasks(&model), &Tasks::default());
            reply(&mut model, Reply::Tasks(Vec::new()));
            assert!(model.overlay.is_none());
            assert!(matches!(last(&model), Cell::Remark(text) if text.contains("no background commands")));
        }
    }

    #[test]
    fn the_keys_of_the_list() {
        let show = |id: &str| Effect::ShowTask(id.into());
        let mut model = listing();
        assert_eq!(press(&mut model, 0, "<enter>"), [show("bash_1"), Effect::ListTasks]);
        reply(&mut model, Reply::TaskOutput { id: "bash_1".into(), text: "out".to_owned() });
        assert!(tasks(&model).shown.is_some());
        assert_eq!(update(&mut model, Moment(0), Msg::Tick), [Effect::ListTasks, show("bash_1")]);
        press(&mut model, 0, "<esc>");
        assert_eq!(tasks(&model).shown, None, "back in the list");
        assert_eq!(press(&mut model, 0, "x"), [Effect::EndTask("bash_1".into()), Effect::ListTasks]);
        assert_eq!(press(&mut model, 0, "<down><down>x"), vec![Effect::ListTasks; 3], "it has ended");
        assert_eq!(tasks(&model).focus, 1);
        assert_eq!(press(&mut model, 0, "<esc>"), []);
        assert!(model.overlay.is_none());
        reply(&mut model, Reply::TaskOutput { id: "bash_1".into(), text: "late".to_owned() });
        assert!(model.overlay.is_none());
        assert_eq!(update(&mut model, Moment(0), Msg::Tick), []);
    }
}
