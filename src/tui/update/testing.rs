//! What the tests of this room share: a model, keys in a small notation, questions.
//!
//! `<enter>`, `<esc>`, `<up>`, `<down>`, `<c-c>`, `<s-tab>`: keys; everything else is typed. Keys of one text come at one
//! moment.

use std::path::PathBuf;

use super::update;
use crate::conversation::{Again, Ended, Followed, Happening};
use crate::protocol::{
    Access, AgentEvent, Approval, Asked, BEGINS, CallForm, CallId, Carry, Choice, ExecAccess, Hold,
    LoopMetadata, LoopResult, Occasion, Preview, Question, QuestionId, RunEnd, ToolName, Topic,
};
use crate::tui::effect::Effect;
use crate::tui::key::{Key, KeyCode};
use crate::tui::model::choice::Item;
use crate::tui::model::composer::Composer;
use crate::tui::model::moment::Moment;
use crate::tui::model::transcript::Cell;
use crate::tui::model::{Model, Size, Stage};
use crate::tui::msg::{Msg, Reply};

/// At rest, with nothing said.
pub(super) fn idle() -> Model {
    let commands = ["help", "clear", "model", "todos", "tasks", "permissions", "status", "exit"]
        .map(|name| Item::new(name, ""));
    let mut model = Model::new(Size { columns: 80, rows: 24 }, Composer::new(commands.to_vec()));
    model.stage = Stage::Idle;
    model
}

/// In a run that began at 0.
pub(super) fn running() -> Model {
    let mut model = idle();
    super::run::begin(&mut model, Moment(0));
    model
}

/// In a run, with a question that came at 0 for a command that touches a file.
pub(super) fn asked(careful: bool) -> Model {
    let mut model = running();
    let exec = ExecAccess { command: "touch a".to_owned(), cwd: PathBuf::from("/p") };
    let approval = Approval {
        call: CallId::from("1"),
        tool: ToolName::from("Bash"),
        access: Access::Exec(exec.clone()),
        form: CallForm::Native,
        preview: Preview::Command(exec),
        reason: None,
        remember: vec!["Bash(touch a)".to_owned()],
        careful,
        hold: Hold::Free,
        occasion: Occasion::Before,
    };
    let question = Question { id: QuestionId(7), asked: Asked::Approval(approval) };
    happen(&mut model, Happening::Asked(question));
    model
}

/// In a run, with a question of the model that came at 0.
pub(super) fn consulted(options: &[&str]) -> Model {
    let options = options.iter().map(|&option| option.to_owned()).collect();
    chosen_from(options, Topic::Question)
}

/// In a run, with a plan that came at 0.
pub(super) fn planned() -> Model {
    chosen_from(BEGINS.map(|begin| begin.option.to_owned()).to_vec(), Topic::Plan)
}

fn chosen_from(options: Vec<String>, topic: Topic) -> Model {
    let mut model = running();
    let choice = Choice { call: CallId::from("1"), question: "Which database?".to_owned(), options, topic };
    happen(&mut model, Happening::Asked(Question { id: QuestionId(7), asked: Asked::Choice(choice) }));
    model
}

/// Something happens at 0.
pub(super) fn happen(model: &mut Model, happening: Happening) -> Vec<Effect> {
    update(model, Moment(0), Msg::Happened(Box::new(happening)))
}

/// The run reports at 0.
pub(super) fn report(model: &mut Model, event: AgentEvent) {
    report_at(model, 0, event);
}

/// The run reports at `at`.
pub(super) fn report_at(model: &mut Model, at: u64, event: AgentEvent) {
    let happening = Box::new(Happening::Event(event));
    assert_eq!(update(model, Moment(at), Msg::Happened(happening)), []);
}

/// The run ends so, and gives `given_back` back.
pub(super) fn end(model: &mut Model, end: RunEnd, given_back: &[&str], followed: Followed) -> Vec<Effect> {
    let (metadata, carry) = (LoopMetadata::default(), Carry::default());
    let result = LoopResult { end, final_message: String::new(), metadata, carry };
    let given_back = given_back.iter().map(|text| (*text).to_owned()).collect();
    let again = match &result.end {
        RunEnd::Failed(_) => Again::Possible,
        RunEnd::Done
        | RunEnd::TurnLimit { .. }
        | RunEnd::Looping { .. }
        | RunEnd::OverBudget { .. }
        | RunEnd::Aborted
        | RunEnd::Refused => Again::Impossible,
    };
    happen(model, Happening::Ended(Box::new(Ended { result, given_back, followed, again })))
}

/// An effect gives something at 0.
pub(super) fn reply(model: &mut Model, reply: Reply) -> Vec<Effect> {
    update(model, Moment(0), Msg::Reply(reply))
}

/// Presses `keys` at `at` and gives what is wanted of the world.
pub(super) fn press(model: &mut Model, at: u64, keys: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    let mut rest = keys;
    while let Some(first) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
        let (key, after) = match named {
            Some((name, after)) => (named_key(name), after),
            None => (Key::char(first), rest.split_at(first.len_utf8()).1),
        };
        rest = after;
        effects.extend(update(model, Moment(at), Msg::Key(key)));
    }
    effects
}

/// The same without the lines that are kept for the input's history.
pub(super) fn wishes(model: &mut Model, at: u64, keys: &str) -> Vec<Effect> {
    let mut effects = press(model, at, keys);
    effects.retain(|effect| !matches!(effect, Effect::KeepInput(_)));
    effects
}

fn named_key(name: &str) -> Key {
    match name {
        "enter" => Key::plain(KeyCode::Enter),
        "esc" => Key::plain(KeyCode::Esc),
        "up" => Key::plain(KeyCode::Up),
        "down" => Key::plain(KeyCode::Down),
        "home" => Key::plain(KeyCode::Home),
        "end" => Key::plain(KeyCode::End),
        "pgup" => Key::plain(KeyCode::PageUp),
        "pgdn" => Key::plain(KeyCode::PageDown),
        "delete" => Key::plain(KeyCode::Delete),
        "s-tab" => Key { mods: crate::tui::key::Mods::SHIFT, ..Key::plain(KeyCode::BackTab) },
        _ => Key::ctrl(name.strip_prefix("c-").and_then(|c| c.chars().next()).unwrap()),
    }
}

/// What is written in the input.
pub(super) fn draft(model: &Model) -> &str {
    model.composer.draft().text()
}

/// What waits, as it is shown.
pub(super) fn queued(model: &Model) -> Vec<&str> {
    model.queue.iter().map(crate::tui::model::queue::Queued::text).collect()
}

/// The newest cell.
pub(super) fn last(model: &Model) -> &Cell {
    model.transcript.cells().last().unwrap()
}
