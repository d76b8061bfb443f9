//! What each slash command does, and which of them have to wait.

use super::input::{remark, say};
use super::{permissions, tasks};
use crate::tui::effect::Effect;
use crate::tui::keymap::Focus;
use crate::tui::model::Model;
use crate::tui::model::overlay::{Overlay, Page, PageOf};
use crate::tui::model::picker::Picker;
use crate::tui::model::queue::Queued;
use crate::tui::model::transcript::Cell;
use crate::tui::slash::{Parsed, Slash, When, parse};

/// The title of the list of models.
pub(super) const PICK_MODEL: &str = "Model";

/// Runs a line that begins with `/`. What may not run while a run goes on waits for its end.
pub(super) fn run(model: &mut Model, line: &str, focus: Focus) -> Vec<Effect> {
    match parse(line) {
        Parsed::Text => say(model, line, focus),
        Parsed::Unknown(near) => {
            let word = line.split_whitespace().next().unwrap_or(line);
            let hint = near.map(|near| format!("; did you mean /{near}?")).unwrap_or_default();
            remark(model, format!("there is no command {word}{hint} (/help lists them)"));
            Vec::new()
        }
        Parsed::Command(_, When::AtRest, _) if focus == Focus::Running => {
            model.queue.push(Queued::Command(line.to_owned()));
            Vec::new()
        }
        Parsed::Command(command, _, argument) => execute(model, command, argument),
    }
}

fn execute(model: &mut Model, command: Slash, argument: &str) -> Vec<Effect> {
    match command {
        Slash::Help => {
            model.overlay = Some(Overlay::Page(Page::open(PageOf::Help)));
            Vec::new()
        }
        Slash::Clear => vec![Effect::Clear],
        Slash::Model if argument.is_empty() => {
            let asking = format!("asking {} for its models", model.facts.host);
            model.overlay = Some(Overlay::Models(Box::new(Picker::awaiting(PICK_MODEL, asking))));
            vec![Effect::ListModels]
        }
        Slash::Model => vec![Effect::SwitchModel(argument.to_owned())],
        Slash::Todos => {
            model.transcript.push(Cell::Lines(model.aside.todos.lines()));
            Vec::new()
        }
        Slash::Tasks => tasks::open(model),
        Slash::Permissions => permissions::open(model),
        Slash::Status => vec![Effect::Status],
        Slash::Exit => vec![Effect::Quit],
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{idle, last, queued, running, wishes};
    use super::*;

    #[test]
    fn each_command_wants_its_own() {
        let check = |line: &str, expected: &[Effect]| {
            assert_eq!(wishes(&mut idle(), 0, &format!("{line}<enter>")), expected, "{line}");
        };
        check("/clear", &[Effect::Clear]);
        check("/new", &[Effect::Clear]);
        check("/model", &[Effect::ListModels]);
        check("/model  a b ", &[Effect::SwitchModel("a b".to_owned())]);
        check("/permissions", &[Effect::ListRules]);
        check("/approvals", &[Effect::ListRules]);
        check("/status", &[Effect::Status]);
        check("/exit", &[Effect::Quit]);
        check("/usr/bin is what?", &[Effect::Submit("/usr/bin is what?".to_owned())]);
    }

    #[test]
    fn one_that_nobody_knows_is_said_and_not_sent() {
        let mut model = idle();
        assert_eq!(wishes(&mut model, 0, "/modle x<enter>"), []);
        assert!(
            matches!(last(&model), Cell::Remark(text) if text.contains("/modle") && text.contains("/model?"))
        );
    }

    #[test]
    fn in_a_run_one_that_only_looks_runs_and_another_waits() {
        let mut model = running();
        assert_eq!(wishes(&mut model, 0, "/status<enter>/clear<enter>"), [Effect::Status]);
        assert_eq!(queued(&model), ["/clear"]);
        assert_eq!(wishes(&mut model, 0, "/exit<enter>"), [Effect::Quit]);
    }
}
