//! Keys in the input line, at rest and while a run goes on.

use std::time::Duration;

use super::{reports, rewind, scroll, slash};
use crate::tui::effect::{Effect, ImageWish};
use crate::tui::key::{Key, KeyCode, Mods};
use crate::tui::keymap::{self, Action, Focus};
use crate::tui::model::Model;
use crate::tui::model::buffer::{Edit, Motion, Went};
use crate::tui::model::composer::{Cleared, Escaped, Submission};
use crate::tui::model::draft::{Draft, InputMode};
use crate::tui::model::history;
use crate::tui::model::moment::Moment;
use crate::tui::model::overlay::{Overlay, Page, PageOf};
use crate::tui::model::queue::Queued;
use crate::tui::model::run::Stopping;
use crate::tui::model::transcript::Cell;
use crate::tui::model::vim::Mode;

/// How soon a second Ctrl+C on an empty input leaves (the outside contract), and a second Esc goes back.
const LEAVE_WITHIN: Duration = Duration::from_secs(2);

/// A key in the input line.
pub(super) fn press(model: &mut Model, now: Moment, key: Key, focus: Focus) -> Vec<Effect> {
    let mut effects = act(model, now, key, focus);
    effects.extend(wish(model));
    effects
}

/// Paths are looked for elsewhere: the key that asks for them has long been shown when they come.
pub(super) fn wish(model: &mut Model) -> Option<Effect> {
    model.composer.take_wish().map(Effect::FindFiles)
}

/// Whether vi's keys have taken it; what they leave means what it means without them.
fn is_vims(model: &mut Model, now: Moment, key: Key, focus: Focus) -> bool {
    let columns = usize::from(model.size.columns);
    match (model.composer.vim_mode(), key.code) {
        // with nothing written there is nothing to leave: Esc ends the run
        (Some(Mode::Insert), KeyCode::Esc) if focus == Focus::Running && model.composer.is_empty() => false,
        (Some(_), KeyCode::Esc) => model.composer.escape_vim() == Escaped::Closed,
        (Some(Mode::Normal), KeyCode::Char('?')) if model.composer.is_empty() => false,
        (Some(Mode::Normal), KeyCode::Char(c)) if key.mods == Mods::NONE => {
            model.recent.printable = Some(now);
            model.composer.press_vim(c, columns);
            true
        }
        (Some(Mode::Normal), KeyCode::Char('r')) if key.mods == Mods::CTRL => {
            model.composer.edit(Edit::Redo);
            true
        }
        (Some(Mode::Normal), KeyCode::Backspace) => {
            model.composer.press_vim('h', columns);
            true
        }
        (Some(Mode::Insert | Mode::Normal) | None, _) => false,
    }
}

fn act(model: &mut Model, now: Moment, key: Key, focus: Focus) -> Vec<Effect> {
    if is_vims(model, now, key, focus) {
        (model.recent.leave, model.recent.back) = (None, None);
        return Vec::new();
    }
    let Some(action) = keymap::action(focus, key) else { return Vec::new() };
    let (leave_armed, back_armed) = (model.recent.leave.take(), model.recent.back.take());
    match action {
        Action::Type(c) => {
            model.recent.printable = Some(now);
            model.composer.type_in(c);
        }
        Action::Edit(edit) => model.composer.edit(edit),
        Action::NewLine => model.composer.new_line(),
        Action::Complete => model.composer.complete(),
        Action::SearchHistory => model.composer.search(),
        Action::Up => return up(model),
        Action::Down => {
            model.composer.down(usize::from(model.size.columns));
        }
        Action::Enter => return enter(model, focus),
        Action::Help if model.composer.is_empty() => open(model, PageOf::Help),
        Action::Help => model.composer.type_in('?'),
        Action::Transcript => return reports::open_transcript(model),
        Action::Close => return close(model, now, back_armed),
        Action::Abort => return abort(model),
        Action::ClearOrLeave => return clear_or_leave(model, now, leave_armed),
        Action::DeleteOrLeave if model.composer.is_empty() => return vec![Effect::Quit],
        Action::DeleteOrLeave => model.composer.edit(Edit::Delete(Motion::Right)),
        Action::Todos if model.aside.todos.list.is_empty() => remark(model, "no todo list yet"),
        Action::Todos => model.aside.todos.toggle(),
        Action::PasteImage => return vec![Effect::Image(ImageWish::Paste)],
        Action::Background => return vec![Effect::MoveForeground],
        Action::EditOutside => return vec![Effect::EditOutside(model.composer.written().text().to_owned())],
        Action::NextMode => return vec![Effect::NextMode],
        Action::Suspend => return vec![Effect::Suspend],
        Action::Redraw => return vec![Effect::Redraw],
        Action::Find
        | Action::Older
        | Action::Newer
        | Action::PageUp
        | Action::PageDown
        | Action::Top
        | Action::Bottom
        | Action::Answer(_)
        | Action::EndTask
        | Action::Remove
        | Action::Yes
        | Action::No => {}
    }
    Vec::new()
}

/// Keys that came while a question does not take any yet: what is typed goes on into the draft, the rest is dropped.
pub(super) fn type_ahead(model: &mut Model, now: Moment, key: Key) -> bool {
    if model.recent.unsure.is_some() {
        return false;
    }
    match keymap::action(Focus::Running, key) {
        Some(Action::Type(c)) => {
            model.recent.printable = Some(now);
            model.composer.type_in(c);
            true
        }
        Some(Action::Help) => {
            model.composer.type_in('?');
            true
        }
        Some(Action::Edit(edit)) => {
            model.composer.edit(edit);
            false
        }
        _ => false,
    }
}

fn open(model: &mut Model, of: PageOf) {
    model.overlay = Some(Overlay::Page(Page::open(of)));
}

/// Up on an empty input takes back what waits in the queue before it goes into the history.
fn up(model: &mut Model) -> Vec<Effect> {
    match model.queue.last().filter(|_| model.composer.is_empty()) {
        Some(Queued::Message(_)) if model.takes_messages() => return vec![Effect::TakeBack],
        Some(Queued::Message(_) | Queued::Command(_) | Queued::Later(_)) => {
            if let Some(queued) = model.queue.take_last() {
                model.composer.restore(as_draft(&queued));
            }
        }
        None => {
            let _went: Went = model.composer.up(usize::from(model.size.columns));
        }
    }
    Vec::new()
}

fn enter(model: &mut Model, focus: Focus) -> Vec<Effect> {
    // before there is a conversation, or while another one is opened, what is sent waits as during a run
    let focus = if model.takes_messages() { focus } else { Focus::Running };
    if focus == Focus::Input && model.composer.is_empty() {
        scroll::follow(model);
        return vec![Effect::Again];
    }
    match model.composer.enter() {
        Some(submission) => submit(model, &submission, focus),
        None => Vec::new(),
    }
}

fn submit(model: &mut Model, submission: &Submission, focus: Focus) -> Vec<Effect> {
    // who has sent something is not typing any more, and wants to see what comes of it
    model.recent.printable = None;
    scroll::follow(model);
    let mut effects = vec![Effect::KeepInput(history::to_line(&submission.draft, 0))];
    let text = submission.text();
    match submission.mode {
        InputMode::Command | InputMode::Shell | InputMode::Note => {
            effects.extend(obey(model, submission.mode, text, focus));
        }
        InputMode::Prompt => effects.extend(say(model, text, focus)),
    }
    effects
}

/// A line with its sign. What is not to be done while a run goes on waits for its end.
fn obey(model: &mut Model, mode: InputMode, line: &str, focus: Focus) -> Vec<Effect> {
    let body = line.get(1..).unwrap_or_default().trim();
    match mode {
        InputMode::Command => slash::run(model, line, focus),
        InputMode::Shell | InputMode::Note if focus == Focus::Running => {
            model.queue.push(Queued::Command(line.to_owned()));
            Vec::new()
        }
        InputMode::Shell => vec![Effect::RunOwn(body.to_owned())],
        InputMode::Note => vec![Effect::Note(body.to_owned())],
        InputMode::Prompt => say(model, line, focus),
    }
}

/// Says `text`: a new run, or one more in the queue. Without a conversation it only waits: it is sent once there is one, and would
/// be sent twice otherwise. After a command that waits it waits for that: the command may begin another session.
pub(super) fn say(model: &mut Model, text: &str, focus: Focus) -> Vec<Effect> {
    if focus == Focus::Running {
        if model.takes_messages() && model.queue.has_command() {
            model.queue.push(Queued::Later(text.to_owned()));
            return Vec::new();
        }
        model.queue.push(Queued::Message(text.to_owned()));
    }
    if model.takes_messages() { vec![Effect::Submit(text.to_owned())] } else { Vec::new() }
}

fn abort(model: &mut Model) -> Vec<Effect> {
    if model.composer.escape() == Escaped::Closed {
        return Vec::new();
    }
    stop(model)
}

/// Tells the run to stop.
pub(super) fn stop(model: &mut Model) -> Vec<Effect> {
    if let Some(run) = &mut model.run {
        run.stopping = Stopping::Yes;
    }
    vec![Effect::Abort]
}

/// Esc closes what lies over the input; twice on an empty one it goes back to an earlier message.
fn close(model: &mut Model, now: Moment, armed: Option<Moment>) -> Vec<Effect> {
    let is_free = model.composer.escape() == Escaped::Nothing && model.composer.is_empty();
    if !is_free || !model.stage.has_conversation() {
        return Vec::new();
    }
    if armed.is_some_and(|at| now.since(at) < LEAVE_WITHIN) {
        return rewind::open(model);
    }
    model.recent.back = Some(now);
    Vec::new()
}

fn clear_or_leave(model: &mut Model, now: Moment, armed: Option<Moment>) -> Vec<Effect> {
    if model.composer.escape() == Escaped::Closed {
        return Vec::new();
    }
    match model.composer.clear() {
        Cleared::Kept(draft) => vec![Effect::KeepInput(history::to_line(&draft, 0))],
        Cleared::Blank => Vec::new(),
        Cleared::WasEmpty if armed.is_some_and(|at| now.since(at) < LEAVE_WITHIN) => vec![Effect::Quit],
        Cleared::WasEmpty => {
            model.recent.leave = Some(now);
            Vec::new()
        }
    }
}

/// Puts messages back into the input, the first of them first, and the commands that waited behind them.
pub(super) fn give_back(model: &mut Model, messages: Vec<String>) {
    let commands = model.queue.take_commands();
    let all: Vec<Queued> = messages.into_iter().map(Queued::Message).chain(commands).collect();
    for queued in all.iter().rev() {
        model.composer.restore(as_draft(queued));
    }
}

fn as_draft(queued: &Queued) -> Draft {
    match queued {
        Queued::Message(text) | Queued::Later(text) => Draft::read_back(text),
        Queued::Command(line) => Draft::read_back(line).signed(),
    }
}

/// Runs the queued commands after `effects`, as far as none of them begins a run or opens a list: the rest waits for its end.
pub(super) fn run_queued(model: &mut Model, mut effects: Vec<Effect>) -> Vec<Effect> {
    while model.runs_commands() && !effects.iter().any(Effect::defers_commands) {
        let Some(queued) = model.queue.take_first_command() else { break };
        let mode = match &queued {
            Queued::Command(line) => Draft::plain(line.as_str()).signed().mode(),
            Queued::Message(_) | Queued::Later(_) => InputMode::Prompt,
        };
        effects.extend(obey(model, mode, queued.text(), Focus::Input));
    }
    effects
}

/// Adds a remark to the transcript.
pub(super) fn remark(model: &mut Model, text: impl Into<String>) {
    model.transcript.push(Cell::Remark(text.into()));
}

#[cfg(test)]
mod tests {
    use super::super::testing::{draft, idle, press, queued, running, wishes};
    use super::*;
    use crate::tui::msg::Msg;
    use crate::tui::update::update;

    fn submit(text: &str) -> Effect {
        Effect::Submit(text.to_owned())
    }

    #[test]
    fn enter_says_what_is_written_and_keeps_it() {
        let mut model = idle();
        let effects = press(&mut model, 0, "hello<enter>");
        assert!(
            matches!(effects.as_slice(), [Effect::KeepInput(line), said] if line.contains("hello") && *said == submit("hello"))
        );
        assert_eq!(draft(&model), "");
    }

    #[test]
    fn enter_on_nothing_asks_again_at_rest_and_does_nothing_in_a_run() {
        assert_eq!(press(&mut idle(), 0, "<enter>"), [Effect::Again]);
        assert_eq!(press(&mut running(), 0, "<enter>"), []);
        assert_eq!(press(&mut idle(), 0, "  <enter>"), []);
    }

    #[test]
    fn what_is_said_in_a_run_waits_and_up_takes_the_last_back() {
        let mut model = running();
        assert_eq!(wishes(&mut model, 0, "one<enter>/clear<enter>two<enter>"), [submit("one")]);
        assert_eq!(queued(&model), ["one", "/clear", "two"]);
        assert_eq!(press(&mut model, 0, "<up>"), []);
        assert_eq!((draft(&model), model.composer.mode()), ("two", InputMode::Prompt));
        press(&mut model, 0, "<c-u>");
        assert_eq!(press(&mut model, 0, "<up>"), []);
        assert_eq!((draft(&model), model.composer.mode()), ("/clear", InputMode::Command));
        assert_eq!(queued(&model), ["one"]);
    }

    #[test]
    fn before_there_is_anybody_to_talk_to_words_wait_and_can_be_had_back() {
        let mut model = idle();
        model.stage = crate::tui::model::Stage::Opening;
        press(&mut model, 0, "early<enter>");
        assert_eq!(queued(&model), ["early"]);
        assert_eq!(press(&mut model, 0, "<up>"), []);
        assert_eq!((draft(&model), queued(&model).len()), ("early", 0));
    }

    #[test]
    fn two_ctrl_c_on_an_empty_input_leave_only_if_they_are_close() {
        let check = |between: &str, at: u64, expected: &[Effect]| {
            let mut model = idle();
            assert_eq!(press(&mut model, 0, "<c-c>"), []);
            press(&mut model, 100, between);
            assert_eq!(press(&mut model, at, "<c-c>"), expected, "{between} {at}");
        };
        check("", 1_999, &[Effect::Quit]);
        check("", 2_000, &[]);
        check("<up>", 1_000, &[]);
    }

    #[test]
    fn ctrl_c_clears_a_draft_and_does_not_arm() {
        let mut model = idle();
        assert!(matches!(press(&mut model, 0, "half<c-c>").as_slice(), [Effect::KeepInput(_)]));
        assert_eq!((draft(&model), model.recent.leave), ("", None));
        assert_eq!(press(&mut model, 0, "<up>"), []);
        assert_eq!(draft(&model), "half");
    }

    #[test]
    fn ctrl_d_leaves_only_an_empty_input() {
        assert_eq!(press(&mut idle(), 0, "<c-d>"), [Effect::Quit]);
        let mut model = idle();
        assert_eq!(press(&mut model, 0, "ab<c-a><c-d>"), []);
        assert_eq!(draft(&model), "b");
    }

    #[test]
    fn esc_ends_a_run_unless_something_lies_over_the_input() {
        assert_eq!(press(&mut running(), 0, "<esc>"), [Effect::Abort]);
        assert_eq!(press(&mut running(), 0, "<c-c>"), [Effect::Abort]);
        let mut model = running();
        assert_eq!(press(&mut model, 0, "/he<esc>"), []);
        assert_eq!(press(&mut model, 0, "<esc>"), [Effect::Abort]);
        assert_eq!(draft(&model), "/he");
        assert_eq!(model.run.unwrap().stopping, Stopping::Yes);
    }

    #[test]
    fn what_comes_in_one_read_with_esc_is_typed_after_it() {
        let mut model = running();
        assert_eq!(update(&mut model, Moment(0), Msg::Key(Key::alt('x'))), [Effect::Abort]);
        assert_eq!(draft(&model), "x");
        let mut model = idle();
        press(&mut model, 0, "half");
        assert_eq!(update(&mut model, Moment(0), Msg::Key(Key::alt(' '))), []);
        press(&mut model, 0, "a draft");
        assert_eq!(draft(&model), "half a draft");
    }

    #[test]
    fn a_question_mark_is_help_only_on_an_empty_input() {
        let mut model = idle();
        press(&mut model, 0, "why?");
        assert!(model.overlay.is_none() && draft(&model) == "why?");
        let mut model = idle();
        press(&mut model, 0, "?");
        assert!(matches!(model.overlay, Some(Overlay::Page(Page { of: PageOf::Help, .. }))));
    }

    #[test]
    fn who_has_sent_something_is_not_typing() {
        let mut model = idle();
        press(&mut model, 50, "go");
        assert_eq!(model.recent.printable, Some(Moment(50)));
        press(&mut model, 60, "<enter>");
        assert_eq!(model.recent.printable, None);
    }

    #[test]
    fn vis_keys_edit_in_normal_mode_and_esc_keeps_its_meaning() {
        let mut model = idle();
        press(&mut model, 0, "/vim<enter>one two<esc>bdwx");
        assert_eq!((draft(&model), model.composer.vim_mode()), ("one", Some(Mode::Normal)));
        assert_eq!(wishes(&mut model, 0, "iX<enter>"), [submit("onXe")]);
        assert_eq!(model.composer.vim_mode(), Some(Mode::Insert));
        let mut model = running();
        press(&mut model, 0, "/vim<enter>");
        assert_eq!(press(&mut model, 0, "<esc>"), [Effect::Abort], "nothing is written");
        let mut model = running();
        press(&mut model, 0, "/vim<enter>x");
        assert_eq!(press(&mut model, 0, "<esc>"), [], "to normal mode");
        assert_eq!(press(&mut model, 0, "<esc>"), [Effect::Abort]);
        press(&mut model, 0, "/vim<enter>");
    }

    #[test]
    fn a_command_of_the_users_own_runs_at_rest_and_waits_behind_a_run() {
        let mut model = idle();
        assert_eq!(wishes(&mut model, 0, "!ls -l<enter>"), [Effect::RunOwn("ls -l".to_owned())]);
        assert_eq!(wishes(&mut model, 0, "# use tabs<enter>"), [Effect::Note("use tabs".to_owned())]);
        let mut model = running();
        assert_eq!(wishes(&mut model, 0, "#a<enter>!ls<enter>/clear<enter>"), []);
        assert_eq!(queued(&model), ["#a", "!ls", "/clear"]);
        let effects = super::super::testing::end(
            &mut model,
            crate::protocol::RunEnd::Done,
            &[],
            crate::conversation::Followed::ByNothing,
        );
        assert_eq!(effects, [Effect::Note("a".to_owned()), Effect::RunOwn("ls".to_owned())]);
        assert_eq!(queued(&model), ["/clear"], "it waits for the end of that command");
    }

    #[test]
    fn a_path_is_looked_for_as_it_is_typed() {
        let mut model = idle();
        let find = |typed: &str| Effect::FindFiles(typed.to_owned());
        assert_eq!(press(&mut model, 0, "@ab"), [find(""), find("a"), find("ab")]);
        assert_eq!(press(&mut model, 0, " x"), []);
    }
}
