//! Keys before there is anybody to talk to: the trust question and the first-run screen.

use crate::app::judge_address;
use crate::tui::effect::{Effect, EndpointChoice, TrustAnswer};
use crate::tui::key::Key;
use crate::tui::keymap::{self, Action, Focus};
use crate::tui::model::buffer::Buffer;
use crate::tui::model::draft::Draft;
use crate::tui::model::moment::Moment;
use crate::tui::model::overlay::{Overlay, Page, PageOf};
use crate::tui::model::setup::{Choosing, Row, Step};
use crate::tui::model::transcript::{Cell, Transcript};
use crate::tui::model::{Model, Stage};

/// The rows of the trust question.
const TRUST: u8 = 1;
const LOOK_ONLY: u8 = 2;
const LEAVE: u8 = 3;

/// A key while the trust question waits.
pub(super) fn press_trust(model: &mut Model, now: Moment, key: Key) -> Vec<Effect> {
    let Stage::Trusting(trusting) = &mut model.stage else { return Vec::new() };
    if !model.recent.is_meant_for(&trusting.guard, now) {
        if super::input::type_ahead(model, now, key)
            && let Stage::Trusting(trusting) = &mut model.stage
        {
            trusting.guard.typed(now);
        }
        return Vec::new();
    }
    let row = match keymap::action(Focus::Question, key) {
        Some(Action::Answer(number)) => number,
        Some(Action::Enter) => trusting.focus,
        Some(Action::Up) => {
            trusting.focus = trusting.focus.saturating_sub(1).max(TRUST);
            return Vec::new();
        }
        Some(Action::Down) => {
            trusting.focus = (trusting.focus + 1).min(LEAVE);
            return Vec::new();
        }
        Some(Action::Abort) => LEAVE,
        Some(Action::Suspend) => return vec![Effect::Suspend],
        Some(Action::Redraw) => return vec![Effect::Redraw],
        Some(Action::Transcript) => {
            model.overlay = Some(Overlay::Page(Page::open(PageOf::Transcript)));
            return Vec::new();
        }
        _ if keymap::action(Focus::Input, key) == Some(Action::DeleteOrLeave) => LEAVE,
        _ => return Vec::new(),
    };
    let effect = match row {
        TRUST => Effect::Trust(TrustAnswer::Trust),
        LOOK_ONLY => Effect::Trust(TrustAnswer::LookOnly),
        LEAVE => Effect::Quit,
        _ => return Vec::new(),
    };
    model.stage = Stage::Opening;
    vec![effect]
}

/// A key in the first-run screen.
pub(super) fn press(model: &mut Model, key: Key) -> Vec<Effect> {
    let Stage::Choosing(choosing) = &mut model.stage else { return Vec::new() };
    if choosing.is_empty() && keymap::action(Focus::Input, key) == Some(Action::DeleteOrLeave) {
        return vec![Effect::Quit];
    }
    match keymap::action(Focus::Picker, key) {
        Some(Action::Suspend) => return vec![Effect::Suspend],
        Some(Action::Redraw) => return vec![Effect::Redraw],
        _ => {}
    }
    let (step, effects) = match std::mem::replace(&mut choosing.step, Step::Rows) {
        Step::Rows => in_rows(choosing, key),
        Step::Url(url) => (in_url(url, key, &mut model.transcript), Vec::new()),
        Step::Key { url, key: typed } => in_key(url, typed, key),
        Step::Opening => (Step::Opening, Vec::new()),
    };
    choosing.step = step;
    effects
}

/// A paste into what is being typed. The first-run screen has no draft behind it.
pub(super) fn paste(choosing: &mut Choosing, text: &str) -> bool {
    match &mut choosing.step {
        Step::Url(buffer) | Step::Key { key: buffer, .. } => buffer.insert(Draft::plain(text.trim())),
        Step::Rows | Step::Opening => {}
    }
    true
}

fn in_rows(choosing: &mut Choosing, key: Key) -> (Step, Vec<Effect>) {
    let rows = choosing.rows();
    let chosen = match keymap::action(Focus::Picker, key) {
        Some(Action::Up) => {
            choosing.focus = choosing.focus.saturating_sub(1);
            None
        }
        Some(Action::Down) => {
            choosing.focus = (choosing.focus + 1).min(rows.len().saturating_sub(1));
            None
        }
        Some(Action::Type(digit)) => {
            digit.to_digit(10).and_then(|number| rows.get(usize::try_from(number).ok()?.checked_sub(1)?))
        }
        Some(Action::Enter) => rows.get(choosing.focus),
        Some(Action::Close) => return (Step::Rows, vec![Effect::Quit]),
        _ => None,
    };
    match chosen {
        None => (Step::Rows, Vec::new()),
        Some(Row::Url) => (Step::Url(Buffer::default()), Vec::new()),
        Some(Row::Demo) => (Step::Opening, vec![Effect::Endpoint(EndpointChoice::Demo)]),
        Some(Row::Server(url)) => {
            let choice = EndpointChoice::Url { url: url.clone(), key: None };
            (Step::Opening, vec![Effect::Endpoint(choice)])
        }
    }
}

/// An address that makes no sense is said, and stays to be corrected: nobody types a key for it.
fn in_url(mut url: Buffer, key: Key, transcript: &mut Transcript) -> Step {
    match keymap::action(Focus::Picker, key) {
        Some(Action::Enter) if !url.draft().text().trim().is_empty() => {
            let given = url.draft().text().trim().to_owned();
            match judge_address(&given) {
                Ok(()) => return Step::Key { url: given, key: Buffer::default() },
                Err(error) => transcript.push(Cell::Error(error.to_string())),
            }
        }
        Some(Action::Close) => return Step::Rows,
        action => type_into(&mut url, action),
    }
    Step::Url(url)
}

fn in_key(url: String, mut typed: Buffer, key: Key) -> (Step, Vec<Effect>) {
    match keymap::action(Focus::Picker, key) {
        Some(Action::Enter) => {
            let key = Some(typed.draft().text().trim().to_owned()).filter(|key| !key.is_empty());
            return (Step::Opening, vec![Effect::Endpoint(EndpointChoice::Url { url, key })]);
        }
        Some(Action::Close) => {
            let mut back = Buffer::default();
            back.set(Draft::plain(url));
            return (Step::Url(back), Vec::new());
        }
        action => type_into(&mut typed, action),
    }
    (Step::Key { url, key: typed }, Vec::new())
}

fn type_into(buffer: &mut Buffer, action: Option<Action>) {
    match action {
        Some(Action::Type(c)) => buffer.type_in(Draft::plain(c)),
        Some(Action::Edit(edit)) => buffer.edit(edit),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{draft, idle, press, reply};
    use super::*;
    use crate::tui::model::setup::{FirstRun, Looking};
    use crate::tui::msg::Reply;

    fn trusting() -> Model {
        let mut model = idle();
        model.stage = Stage::Opening;
        reply(&mut model, Reply::AskTrust(Box::default()));
        model
    }

    fn choosing(servers: &[&str]) -> Model {
        let mut model = idle();
        model.stage = Stage::Opening;
        let servers = servers.iter().map(|url| (*url).to_owned()).collect();
        reply(&mut model, Reply::AskEndpoint(FirstRun { servers, looking: Looking::No }));
        model
    }

    fn url(url: &str, key: Option<&str>) -> Vec<Effect> {
        let choice = EndpointChoice::Url { url: url.to_owned(), key: key.map(str::to_owned) };
        vec![Effect::Endpoint(choice)]
    }

    #[test]
    fn trust_is_given_by_its_own_key_alone() {
        let check = |keys: &str, expected: &[Effect]| {
            assert_eq!(press(&mut trusting(), 200, keys), expected, "{keys}");
        };
        check("1", &[Effect::Trust(TrustAnswer::Trust)]);
        check("2", &[Effect::Trust(TrustAnswer::LookOnly)]);
        check("<enter>", &[Effect::Trust(TrustAnswer::LookOnly)]);
        check("<up><enter>", &[Effect::Trust(TrustAnswer::Trust)]);
        for keys in ["3", "<esc>", "<c-c>", "<c-d>", "<down><enter>"] {
            check(keys, &[Effect::Quit]);
        }
        for keys in ["y", "n", "4", " "] {
            check(keys, &[]);
        }
    }

    #[test]
    fn what_is_typed_as_the_question_comes_is_no_trust() {
        let mut model = trusting();
        assert_eq!(press(&mut model, 199, "1 thing"), []);
        assert_eq!(draft(&model), "1 thing");
        assert!(matches!(model.stage, Stage::Trusting(_)));
    }

    #[test]
    fn a_paste_is_no_trust() {
        let mut model = trusting();
        let paste = crate::tui::msg::Msg::Paste("1\n".to_owned());
        assert_eq!(crate::tui::update::update(&mut model, Moment(500), paste), []);
        assert_eq!(draft(&model), "1\n");
        assert!(matches!(model.stage, Stage::Trusting(_)));
    }

    #[test]
    fn all_that_it_would_bring_can_be_read_before_the_answer() {
        let mut model = trusting();
        assert_eq!(press(&mut model, 500, "<c-o>"), []);
        assert!(matches!(model.overlay, Some(Overlay::Page(_))));
        assert_eq!(press(&mut model, 500, "q1"), [Effect::Trust(TrustAnswer::Trust)]);
    }

    #[test]
    fn an_address_and_a_key_are_typed_or_pasted() {
        let mut model = choosing(&[]);
        assert_eq!(press(&mut model, 0, "1http://a/v1<enter>sk-1<enter>"), url("http://a/v1", Some("sk-1")));
        let mut model = choosing(&[]);
        press(&mut model, 0, "<enter>");
        crate::tui::update::update(
            &mut model,
            Moment(0),
            crate::tui::msg::Msg::Paste(" http://a/v1\n".to_owned()),
        );
        assert_eq!(press(&mut model, 0, "<enter><enter>"), url("http://a/v1", None));
    }

    #[test]
    fn an_address_that_makes_no_sense_is_said_before_any_key_is_asked_for() {
        let mut model = choosing(&[]);
        assert_eq!(press(&mut model, 0, "1a/v1<enter>"), []);
        assert!(
            matches!(super::super::testing::last(&model), Cell::Error(text) if text.contains("https://a/v1"))
        );
        let keys = "<home>https://<enter><enter>";
        assert_eq!(press(&mut model, 0, keys), url("https://a/v1", None), "it can be corrected");
    }

    #[test]
    fn a_server_that_was_found_needs_no_key() {
        assert_eq!(press(&mut choosing(&["http://b/v1"]), 0, "1"), url("http://b/v1", None));
        assert_eq!(press(&mut choosing(&["http://b/v1"]), 0, "3"), [Effect::Endpoint(EndpointChoice::Demo)]);
    }

    #[test]
    fn esc_goes_a_step_back_and_leaves_at_the_first() {
        let mut model = choosing(&[]);
        assert_eq!(press(&mut model, 0, "1http://a<enter><esc>"), []);
        assert!(
            matches!(&model.stage, Stage::Choosing(Choosing { step: Step::Url(url), .. }) if url.draft().text() == "http://a")
        );
        assert_eq!(press(&mut model, 0, "<esc><esc>"), [Effect::Quit]);
    }

    #[test]
    fn ctrl_d_leaves_where_nothing_is_typed() {
        assert_eq!(press(&mut choosing(&[]), 0, "<c-d>"), [Effect::Quit]);
        assert_eq!(press(&mut choosing(&[]), 0, "1<c-d>"), [Effect::Quit]);
        assert_eq!(press(&mut choosing(&[]), 0, "1http<c-d>"), []);
    }
}
