//! What each slash command does, and which of them have to wait.

use super::input::{remark, say};
use super::{permissions, prompts, reports, rewind, sessions, tasks, themes};
use crate::tui::effect::{Effect, ReportWish, SessionWish, Tell};
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
            remark(model, format!("unknown command {word}{hint} (/help lists all commands)"));
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
        Slash::Resume => sessions::open(model, argument),
        Slash::Fork => vec![Effect::Session(SessionWish::Fork)],
        Slash::Rewind => rewind::open(model),
        Slash::Redo => rewind::redo(model),
        Slash::AddDir => vec![Effect::Session(SessionWish::AddDirectory(argument.to_owned()))],
        Slash::Diff => vec![Effect::Report(ReportWish::Changes)],
        Slash::Doctor => reports::examine(model),
        Slash::Rename => sessions::rename(model, argument),
        Slash::Model if argument.is_empty() => {
            let asking = format!("loading the models of {}", model.facts.host);
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
        Slash::Vim => {
            model.composer.toggle_vim();
            let is_on = model.composer.vim_mode().is_some();
            remark(
                model,
                if is_on { "vi key bindings on (Esc: normal mode)" } else { "vi key bindings off" },
            );
            Vec::new()
        }
        Slash::Theme => themes::command(argument),
        Slash::Status => vec![Effect::Status],
        Slash::Compact => {
            let wish = (!argument.is_empty()).then(|| argument.to_owned());
            vec![Effect::Compact(wish)]
        }
        Slash::Context => vec![Effect::Tell(Tell::Context)],
        Slash::Cost => vec![Effect::Tell(Tell::Cost)],
        Slash::Config => vec![Effect::Tell(Tell::Config)],
        Slash::Memory => vec![Effect::Tell(Tell::Memory)],
        Slash::Plan => vec![Effect::PlanMode],
        Slash::Init => say(model, prompts::INIT, Focus::Input),
        Slash::Review => say(model, &prompts::review(argument), Focus::Input),
        Slash::Copy => copy(model, argument),
        Slash::Export => vec![Effect::Export(argument.to_owned())],
        Slash::Exit => vec![Effect::Quit],
    }
}

fn copy(model: &mut Model, argument: &str) -> Vec<Effect> {
    if argument.is_empty() {
        return vec![Effect::Copy(None)];
    }
    match argument.parse() {
        Ok(number) if number > 0 => vec![Effect::Copy(Some(number))],
        Ok(_) | Err(_) => {
            remark(model, format!("/copy {argument}: not a code block number (try /copy or /copy 1)"));
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{end, idle, last, press, queued, reply, running, wishes};
    use super::*;
    use crate::conversation::Followed;
    use crate::protocol::RunEnd;
    use crate::tui::model::moment::Moment;
    use crate::tui::msg::{Msg, Reply, RewindReply};
    use crate::tui::slash::TABLE;
    use crate::tui::update::update;

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
        check("/compact", &[Effect::Compact(None)]);
        check("/compact  the names ", &[Effect::Compact(Some("the names".to_owned()))]);
        check("/context", &[Effect::Tell(Tell::Context)]);
        check("/usage", &[Effect::Tell(Tell::Cost)]);
        check("/settings", &[Effect::Tell(Tell::Config)]);
        check("/memory", &[Effect::Tell(Tell::Memory)]);
        check("/plan", &[Effect::PlanMode]);
        let add = |typed: &str| Effect::Session(SessionWish::AddDirectory(typed.to_owned()));
        check("/add-dir", &[add("")]);
        check("/add-dir ../a b", &[add("../a b")]);
        check("/fork", &[Effect::Session(SessionWish::Fork)]);
        check("/copy", &[Effect::Copy(None)]);
        check("/copy 2", &[Effect::Copy(Some(2))]);
        check("/copy 0", &[]);
        check("/copy all", &[]);
        check("/export", &[Effect::Export(String::new())]);
        check("/export a b.html", &[Effect::Export("a b.html".to_owned())]);
        check("/init", &[Effect::Submit(prompts::INIT.to_owned())]);
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
    fn a_review_is_of_the_working_tree_or_of_what_is_named() {
        let sent = |line: &str| match wishes(&mut idle(), 0, line).as_slice() {
            [Effect::Submit(text)] => text.clone(),
            other => panic!("{other:?}"),
        };
        assert!(sent("/review<enter>").contains("git diff HEAD"));
        let named = sent("/review the last commit<enter>");
        assert!(named.contains("the last commit") && !named.contains("git diff HEAD"), "{named}");
    }

    #[test]
    fn what_is_copied_is_handed_on_and_nothing_is_said_before() {
        let mut model = idle();
        let (text, said) = ("a\tb".to_owned(), "copied it".to_owned());
        let copied = Reply::Copied { text: text.clone(), said: said.clone() };
        assert_eq!(reply(&mut model, copied), [Effect::Clipboard { text, said }]);
        assert!(model.transcript.cells().is_empty());
    }

    /// Carries out effects as the runner does, as far as runs and sessions are concerned, and notes what reaches the conversation.
    #[derive(Default)]
    struct World {
        /// Effects that came while a run or an opening session did not allow them.
        refused: Vec<Effect>,
        carried_out: Vec<Effect>,
        is_running: bool,
        opens: bool,
    }

    impl World {
        fn carry_out(&mut self, model: &mut Model, effects: Vec<Effect>) {
            let mut replies = Vec::new();
            for effect in effects {
                let needs_rest = !matches!(
                    &effect,
                    Effect::Tell(_)
                        | Effect::KeepInput(_)
                        | Effect::ListModels
                        | Effect::Session(SessionWish::List)
                );
                if needs_rest && (self.is_running || self.opens) {
                    self.refused.push(effect);
                    continue;
                }
                match &effect {
                    Effect::Submit(_) | Effect::RunOwn(_) | Effect::Compact(_) => {
                        self.is_running = true;
                        replies.push(Reply::RunBegins);
                    }
                    Effect::Session(SessionWish::GoOn(_)) => self.opens = true,
                    Effect::Clear => replies.push(Reply::Cleared),
                    Effect::Rewind(_) => replies.push(Reply::Rewind(RewindReply::Refused("no".to_owned()))),
                    _ => replies.push(Reply::Said("done".to_owned())),
                }
                self.carried_out.push(effect);
            }
            for reply in replies {
                let effects = update(model, Moment(0), Msg::Reply(reply));
                self.carry_out(model, effects);
            }
        }

        /// Ends whatever is going on; says whether anything was.
        fn settle(&mut self, model: &mut Model) -> bool {
            let effects = if std::mem::take(&mut self.is_running) {
                end(model, RunEnd::Done, &[], Followed::ByNothing)
            } else if std::mem::take(&mut self.opens) {
                update(model, Moment(0), Msg::Reply(Reply::Ready(Box::default())))
            } else if model.overlay.is_some() {
                press(model, 0, "<esc>")
            } else {
                return false;
            };
            self.carry_out(model, effects);
            true
        }
    }

    #[test]
    fn of_two_commands_queued_in_a_run_each_runs_once_and_never_while_the_other_does() {
        let waiting = TABLE.iter().filter(|row| row.when == When::AtRest);
        let named = waiting.flat_map(|row| [format!("/{}", row.name), format!("/{} x", row.name)]);
        let lines: Vec<String> = named.chain(["!ls".to_owned(), "#note".to_owned()]).collect();
        let alone = |line: &str| {
            let (mut model, mut world) = (running(), World { is_running: true, ..World::default() });
            wishes(&mut model, 0, &format!("{line}<enter>"));
            while world.settle(&mut model) {}
            world.carried_out
        };
        for (first, second) in lines.iter().flat_map(|first| lines.iter().map(move |second| (first, second)))
        {
            let (mut model, mut world) = (running(), World { is_running: true, ..World::default() });
            assert_eq!(wishes(&mut model, 0, &format!("{first}<enter>{second}<enter>")), []);
            assert_eq!(queued(&model), [first, second]);
            while world.settle(&mut model) {}
            assert_eq!(world.refused, [], "{first} {second}");
            assert_eq!(queued(&model).len(), 0, "{first} {second}");
            assert_eq!(world.carried_out, [alone(first), alone(second)].concat(), "{first} {second}");
        }
    }

    #[test]
    fn in_a_run_one_that_only_looks_runs_and_another_waits() {
        let mut model = running();
        assert_eq!(wishes(&mut model, 0, "/status<enter>/clear<enter>"), [Effect::Status]);
        assert_eq!(queued(&model), ["/clear"]);
        assert_eq!(wishes(&mut model, 0, "/exit<enter>"), [Effect::Quit]);
    }
}
