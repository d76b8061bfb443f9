//! What an effect gave.

use super::input::{give_back, remark};
use super::slash::PICK_MODEL;
use super::{offered, permissions, reports, rewind, sessions, tasks, themes};
use crate::app::ModelRow;
use crate::protocol::{Message, QuestionId, ToolCall};
use crate::tui::effect::Effect;
use crate::tui::model::aside::Aside;
use crate::tui::model::choice::Item;
use crate::tui::model::draft::Draft;
use crate::tui::model::facts::{Facts, Meter, Resumed};
use crate::tui::model::history;
use crate::tui::model::moment::Moment;
use crate::tui::model::overlay::Overlay;
use crate::tui::model::picker::Picker;
use crate::tui::model::question::Guard;
use crate::tui::model::setup::{Choosing, FirstRun, Trusting};
use crate::tui::model::transcript::Cell;
use crate::tui::model::{Model, Stage};
use crate::tui::msg::Reply;

/// Takes what an effect gave.
pub(super) fn take(model: &mut Model, now: Moment, reply: Reply) -> Vec<Effect> {
    match reply {
        Reply::Ready(facts) => return ready(model, *facts),
        Reply::AskTrust(question) => {
            let guard = Guard::new(now, model.recent.printable);
            model.stage = Stage::Trusting(Trusting { question: *question, focus: 2, guard });
        }
        Reply::Session(reply) => return sessions::take(model, reply),
        Reply::Rewind(reply) => rewind::take(model, reply),
        Reply::Report(reply) => reports::take(model, reply),
        Reply::AskEndpoint(offer) => ask_endpoint(model, offer),
        Reply::LocalServers(servers) => {
            if let Stage::Choosing(choosing) = &mut model.stage {
                choosing.found(servers);
            }
        }
        Reply::RunBegins if model.run.is_none() => super::run::begin(model, now),
        Reply::RunBegins => {}
        Reply::TakenBack(text) => {
            model.queue.drop_last_message();
            model.composer.restore(Draft::read_back(text));
        }
        Reply::GivenBack(texts) => give_back(model, texts),
        Reply::Mode(name) => model.facts.mode = name,
        Reply::Sandbox(word) => model.facts.sandbox = Some(word),
        Reply::Answered(ids) => answered(model, &ids),
        Reply::Models(rows) => show_models(model, rows),
        Reply::Unlisted(text) => {
            if take_awaiting(model).is_some() {
                remark(model, text);
            }
        }
        Reply::Switched(switched) => {
            model.facts = switched.facts;
            remark(model, switched.said);
        }
        Reply::Insight(insight) => {
            model.facts.window = insight.window;
            if let Some(text) = insight.remark {
                remark(model, text);
            }
        }
        Reply::Todos(list) => model.aside.todos.list = list,
        Reply::Rules(in_force) => permissions::listed(model, *in_force),
        Reply::Themes(list) => themes::listed(model, list),
        Reply::Said(text) => remark(model, text),
        Reply::Tasks(jobs) => tasks::listed(model, now, jobs),
        Reply::TaskOutput { id, text } => tasks::printed(model, id, text),
        Reply::NothingMoved => remark(model, "no running command to move to the background"),
        Reply::Copied { text, said } => return vec![Effect::Clipboard { text, said }],
        Reply::Cleared => cleared(model),
        Reply::Lines(lines) => model.transcript.push(Cell::Lines(lines)),
        Reply::Failed(text) => failed(model, text),
        Reply::Input(reply) => return offered::take(model, reply),
        Reply::InputHistory(lines) => {
            model.composer.load_history(lines.iter().filter_map(|line| history::from_line(line)));
        }
    }
    Vec::new()
}

fn cleared(model: &mut Model) {
    model.meter = Meter::default();
    model.aside = Aside::default();
    remark(model, "started a new session (/resume returns to the previous one)");
}

/// The list that was asked for. One that nobody waits for any more is not shown, unless there is nobody to talk to without it.
fn show_models(model: &mut Model, rows: Vec<ModelRow>) {
    let current = rows.iter().position(|row| row.current).unwrap_or(0);
    let items = rows.into_iter().map(|row| Item::new(row.name, row.about)).collect();
    let picker = match take_awaiting(model) {
        Some(picker) => Some(picker),
        None if model.stage.has_conversation() => None,
        None => Some(Box::new(Picker::new(PICK_MODEL, Vec::new()))),
    };
    if let Some(mut picker) = picker {
        picker.fill(items, current);
        model.overlay = Some(Overlay::Models(picker));
    }
}

/// The list of models that is waited for, taken off the screen.
fn take_awaiting(model: &mut Model) -> Option<Box<Picker>> {
    match model.overlay.take() {
        Some(Overlay::Models(picker)) if picker.awaited().is_some() => Some(picker),
        other => {
            model.overlay = other;
            None
        }
    }
}

/// There is somebody to talk to now. What was shown ahead gives way to what is certain.
fn ready(model: &mut Model, facts: Facts) -> Vec<Effect> {
    let behind = model.transcript.take_ahead();
    model.stage = Stage::Idle;
    model.opens_session = false;
    // of another session nothing counts any more
    (model.meter, model.aside) = (Meter::default(), Aside::default());
    if let Some(Overlay::Sessions(_)) = model.overlay {
        model.overlay = None;
    }
    introduce(model, facts);
    model.transcript.extend(behind);
    begin_what_waits(model)
}

/// Shows ahead where a session will probably go on. There is nobody to talk to yet.
pub(super) fn ahead(model: &mut Model, facts: Facts) {
    let from = model.transcript.cells().len();
    introduce(model, facts);
    model.transcript.mark_ahead(from);
}

/// The head of a conversation, the last that was said in it, and remarks.
fn introduce(model: &mut Model, mut facts: Facts) {
    let resumed = facts.resumed.take();
    let remarks = std::mem::take(&mut facts.remarks);
    model.facts = facts;
    let head = Facts { resumed: None, ..model.facts.clone() };
    model.transcript.push(Cell::Head(Box::new(head)));
    if let Some(resumed) = resumed {
        show_again(model, &resumed);
    }
    for text in remarks {
        remark(model, text);
    }
}

/// The first message starts a run, the others wait for its next request; commands wait for its end.
fn begin_what_waits(model: &mut Model) -> Vec<Effect> {
    let first = model.first_prompt.take();
    let said = first.is_some();
    let messages: Vec<String> = first.into_iter().chain(model.queue.messages().map(str::to_owned)).collect();
    if !said {
        model.queue.drop_first_message();
    }
    messages.into_iter().map(Effect::Submit).collect()
}

/// The session that was to be opened is not: what was sent for it returns to the input instead of going to the present one.
pub(super) fn stays(model: &mut Model) {
    model.opens_session = false;
    if matches!(model.stage, Stage::Idle) {
        let messages = model.queue.messages().map(str::to_owned).collect();
        give_back(model, messages);
    }
}

/// What to do where an earlier process ended without an answer.
const UNANSWERED: &str = "Your last message has no answer: press Enter on an empty input to retry.";

fn show_again(model: &mut Model, resumed: &Resumed) {
    match resumed.before {
        Some(0) => {}
        Some(1) => remark(model, "1 earlier message not shown"),
        Some(n) => remark(model, format!("{n} earlier messages not shown")),
        None => remark(model, "earlier messages not shown"),
    }
    let mut calls = Vec::new();
    for message in &resumed.messages {
        match message {
            Message::Tool(answer) => {
                if let Some(call) = calls.iter().find(|call: &&ToolCall| call.id == answer.call_id) {
                    super::run::show_call(model, call, answer);
                }
            }
            Message::Assistant(said) => {
                super::run::show_message(model, message);
                calls.extend(said.tool_calls.iter().cloned());
                if let Some(usage) = said.usage {
                    model.meter.context = usage.prompt_tokens.saturating_add(usage.completion_tokens);
                }
            }
            Message::User(_) => super::run::show_message(model, message),
        }
    }
    if resumed.is_unanswered {
        remark(model, UNANSWERED);
    }
}

/// The first-run screen may be shown already, and a choice may have failed: then the rows come back.
fn ask_endpoint(model: &mut Model, offer: FirstRun) {
    // what was shown ahead has not come about
    let behind = model.transcript.take_ahead();
    model.transcript.extend(behind);
    model.stage = Stage::Choosing(Choosing::new(offer));
}

fn answered(model: &mut Model, ids: &[u64]) {
    if let Stage::Asking(asking) = &model.stage {
        let QuestionId(id) = asking.id;
        if ids.contains(&id) {
            model.stage = Stage::Running;
        }
    }
}

fn failed(model: &mut Model, text: String) {
    model.transcript.push(Cell::Error(text));
    if let Some(Overlay::Sessions(open)) = &mut model.overlay {
        open.end_opening();
    }
    if let Stage::Choosing(choosing) = &mut model.stage {
        choosing.step = crate::tui::model::setup::Step::Rows;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{draft, idle, last, press, queued, reply, running, wishes};
    use super::*;
    use crate::app::{Insight, Switched};
    use crate::tui::msg::SessionReply;

    fn opening() -> Model {
        let mut model = idle();
        model.stage = Stage::Opening;
        model
    }

    fn resumed(before: Option<usize>, text: &str) -> Box<Facts> {
        let resumed = Resumed { before, messages: vec![Message::user(text)], is_unanswered: false };
        Box::new(Facts { resumed: Some(resumed), ..Facts::default() })
    }

    fn ahead(model: &mut Model, text: &str) {
        assert_eq!(reply(model, Reply::Session(SessionReply::Ahead(resumed(None, text)))), []);
    }

    #[test]
    fn what_is_shown_ahead_gives_way_to_what_is_certain_and_what_came_since_stays_behind_it() {
        let mut model = opening();
        ahead(&mut model, "probably");
        reply(&mut model, Reply::Said("since".to_owned()));
        assert_eq!(last(&model), &Cell::Remark("since".to_owned()));
        assert!(model.transcript.is_ahead() && !model.transcript.is_waiting(), "nothing of it is printed");
        assert_eq!(model.transcript.uncertain().count(), 4);
        reply(&mut model, Reply::Ready(resumed(Some(9), "certainly")));
        let [Cell::Head(_), Cell::Remark(before), Cell::User(said), Cell::Remark(since)] =
            model.transcript.cells()
        else {
            panic!("{:?}", model.transcript.cells())
        };
        assert_eq!((before.as_str(), said.as_str()), ("9 earlier messages not shown", "certainly"));
        assert_eq!(since, "since");
        assert_eq!((model.transcript.uncertain().count(), model.transcript.waiting().count()), (0, 4));
        assert!(model.transcript.take_replaced() && !model.transcript.take_replaced());
    }

    #[test]
    fn what_is_said_while_a_session_is_read_is_said_in_it() {
        let mut model = opening();
        ahead(&mut model, "earlier");
        assert_eq!(wishes(&mut model, 0, "one<enter>"), []);
        assert_eq!(wishes(&mut model, 0, "/resume<enter>/clear<enter>"), []);
        assert_eq!(press(&mut model, 0, "two"), []);
        assert!(model.overlay.is_none() && matches!(model.stage, Stage::Opening));
        assert_eq!(queued(&model), ["one", "/resume", "/clear"]);
        assert_eq!(
            reply(&mut model, Reply::Ready(resumed(Some(9), "earlier"))),
            [Effect::Submit("one".to_owned())]
        );
        assert_eq!((draft(&model), queued(&model)), ("two", vec!["/resume", "/clear"]));
    }

    #[test]
    fn where_something_has_to_be_asked_first_nothing_is_shown_ahead_any_more() {
        let mut model = opening();
        ahead(&mut model, "earlier");
        reply(&mut model, Reply::Failed("no".to_owned()));
        reply(&mut model, Reply::AskEndpoint(FirstRun::default()));
        assert_eq!(model.transcript.cells(), [Cell::Error("no".to_owned())]);
        assert!(!model.transcript.is_ahead());
        let mut model = opening();
        ahead(&mut model, "earlier");
        assert_eq!(reply(&mut model, Reply::Session(SessionReply::Unread)), [Effect::Quit]);
    }

    /// Two models, the second in use.
    fn models() -> Reply {
        let row = |name: &str, current| ModelRow { name: name.to_owned(), about: String::new(), current };
        Reply::Models(vec![row("a", false), row("b", true)])
    }

    fn ready() -> Reply {
        Reply::Ready(Box::default())
    }

    #[test]
    fn what_is_sent_before_the_first_news_of_a_run_waits_behind_it() {
        let mut model = idle();
        press(&mut model, 0, "one<enter>");
        reply(&mut model, Reply::RunBegins);
        press(&mut model, 0, "two<enter>!ls<enter>");
        assert_eq!(queued(&model), ["two", "!ls"]);
        reply(&mut model, Reply::RunBegins);
        assert_eq!(queued(&model), ["two", "!ls"], "it goes on already");
    }

    #[test]
    fn what_waited_for_the_beginning_is_said_in_order() {
        let submits =
            |texts: &[&str]| texts.iter().map(|text| Effect::Submit((*text).to_owned())).collect::<Vec<_>>();
        let mut model = opening();
        model.first_prompt = Some("given".to_owned());
        press(&mut model, 0, "typed<enter>");
        assert_eq!(reply(&mut model, ready()), submits(&["given", "typed"]));
        assert_eq!(queued(&model), ["typed"], "it waits for the next request");

        let mut model = opening();
        press(&mut model, 0, "one<enter>two<enter>");
        assert_eq!(reply(&mut model, ready()), submits(&["one", "two"]));
        assert_eq!(queued(&model), ["two"]);

        let mut model = opening();
        press(&mut model, 0, "/model x<enter>");
        assert_eq!(reply(&mut model, ready()), [Effect::SwitchModel("x".to_owned())]);
        assert_eq!(queued(&model).len(), 0);
    }

    #[test]
    fn another_model_is_said_and_is_no_other_beginning() {
        let mut model = running();
        let facts = Facts { model: "b".to_owned(), ..Facts::default() };
        let switched = Switched { facts, said: "model: b".to_owned() };
        assert_eq!(reply(&mut model, Reply::Switched(Box::new(switched))), []);
        assert!(matches!(model.stage, Stage::Running));
        assert_eq!((model.facts.model.as_str(), last(&model)), ("b", &Cell::Remark("model: b".to_owned())));
    }

    #[test]
    fn what_is_learnt_of_the_model_reaches_the_gauge() {
        let mut model = running();
        reply(&mut model, Reply::Insight(Insight { window: Some(4_096), remark: None }));
        assert_eq!((model.facts.window, model.transcript.cells().len()), (Some(4_096), 0));
        reply(&mut model, Reply::Insight(Insight { window: None, remark: Some("small".to_owned()) }));
        assert_eq!(*last(&model), Cell::Remark("small".to_owned()));
    }

    #[test]
    fn a_list_that_nobody_waits_for_any_more_is_not_shown() {
        let mut model = idle();
        press(&mut model, 0, "/model<enter>");
        assert_eq!(press(&mut model, 0, "<esc>"), [Effect::StopListing]);
        reply(&mut model, models());
        assert!(model.overlay.is_none());
        reply(&mut model, Reply::Unlisted("no list".to_owned()));
        assert_eq!(model.transcript.cells(), [], "nobody asks any more");
        press(&mut model, 0, "/model<enter>");
        reply(&mut model, Reply::Unlisted("no list".to_owned()));
        assert!(model.overlay.is_none());
        assert_eq!(*last(&model), Cell::Remark("no list".to_owned()));
    }

    #[test]
    fn a_list_opens_on_the_model_in_use_and_takes_what_was_typed_before() {
        let check = |keys: &str, expected: &str| {
            let mut model = idle();
            press(&mut model, 0, "/model<enter>");
            press(&mut model, 0, keys);
            reply(&mut model, models());
            assert_eq!(press(&mut model, 0, "<enter>"), [Effect::SwitchModel(expected.to_owned())], "{keys}");
        };
        check("", "b");
        check("a", "a");
    }

    #[test]
    fn a_message_that_comes_back_goes_before_what_is_written_since() {
        let mut model = running();
        press(&mut model, 0, "one<enter>new");
        reply(&mut model, Reply::TakenBack("one".to_owned()));
        assert_eq!((draft(&model), queued(&model).len()), ("one\nnew", 0));
    }

    #[test]
    fn servers_that_are_found_move_no_row_under_the_fingers() {
        let mut model = opening();
        reply(&mut model, Reply::AskEndpoint(FirstRun::default()));
        press(&mut model, 0, "<down>");
        reply(&mut model, Reply::LocalServers(vec!["a".to_owned(), "b".to_owned()]));
        let Stage::Choosing(choosing) = &model.stage else { panic!("the first-run screen") };
        assert_eq!(choosing.rows()[choosing.focus], crate::tui::model::setup::Row::Demo);
    }

    #[test]
    fn of_several_models_one_must_be_taken_before_anything_else() {
        let mut model = opening();
        reply(&mut model, models());
        assert_eq!(press(&mut model, 0, "<down><enter>"), [Effect::SwitchModel("a".to_owned())]);
        reply(&mut model, models());
        assert_eq!(press(&mut model, 0, "<esc>"), [Effect::Quit]);
        let mut model = idle();
        press(&mut model, 0, "/model<enter>");
        reply(&mut model, models());
        assert_eq!(press(&mut model, 0, "<esc>"), [], "at rest there is a model already");
    }

    #[test]
    fn a_failure_leaves_an_error() {
        let mut model = idle();
        reply(&mut model, Reply::Failed("cannot".to_owned()));
        assert_eq!(*last(&model), Cell::Error("cannot".to_owned()));
    }
}
