//! Keys while the list of sessions is open: the last words of whatever is chosen are fetched, and Enter goes over to it.
//!
//! One that another process has is said so and stays in the list; a second Enter goes on with a copy of it.

use super::input::remark;
use super::overlay::press_picker;
use super::reply;
use crate::app::Pick;
use crate::tui::effect::{Effect, Onto, SessionWish};
use crate::tui::key::Key;
use crate::tui::keymap::{self, Action, Focus};
use crate::tui::model::Model;
use crate::tui::model::overlay::Overlay;
use crate::tui::model::picker::Picked;
use crate::tui::model::sessions::Sessions;
use crate::tui::msg::SessionReply;

/// `/resume`, and `-r` without an ID: the list is looked for.
pub(super) fn open(model: &mut Model, argument: &str) -> Vec<Effect> {
    if !argument.is_empty() {
        return vec![Effect::Session(SessionWish::GoOn(Onto::Session(argument.to_owned())))];
    }
    model.overlay = Some(Overlay::Sessions(Box::new(Sessions::awaiting())));
    vec![Effect::Session(SessionWish::List)]
}

/// `/rename`.
pub(super) fn rename(model: &mut Model, title: &str) -> Vec<Effect> {
    if title.is_empty() {
        remark(model, "usage: /rename TITLE");
        return Vec::new();
    }
    vec![Effect::Session(SessionWish::Rename(title.to_owned()))]
}

/// What was found out about sessions. It does not open a list that was closed meanwhile.
pub(super) fn take(model: &mut Model, reply: SessionReply) -> Vec<Effect> {
    match reply {
        SessionReply::Wanted => open(model, ""),
        SessionReply::Held(id) => held(model, id),
        SessionReply::Ahead(facts) => {
            reply::ahead(model, *facts);
            Vec::new()
        }
        SessionReply::Unread => vec![Effect::Quit],
        SessionReply::Stays => {
            reply::stays(model);
            Vec::new()
        }
        SessionReply::Listed(picks) => listed(model, picks),
        SessionReply::Preview { id, lines } => {
            if let Some(Overlay::Sessions(open)) = &mut model.overlay {
                open.read(id, lines);
            }
            Vec::new()
        }
    }
}

fn listed(model: &mut Model, picks: Vec<Pick>) -> Vec<Effect> {
    match &mut model.overlay {
        Some(Overlay::Sessions(_)) if picks.is_empty() => none(model),
        Some(Overlay::Sessions(open)) => {
            open.fill(picks);
            look(open)
        }
        _ => Vec::new(),
    }
}

/// Without a conversation a new one begins.
fn none(model: &mut Model) -> Vec<Effect> {
    model.overlay = None;
    remark(model, "no other sessions in this directory (try `clawd sessions list --all`)");
    if model.stage.has_conversation() { Vec::new() } else { go_on(Onto::New) }
}

/// A session that was named has no list open.
fn held(model: &mut Model, id: String) -> Vec<Effect> {
    if let Some(Overlay::Sessions(open)) = &mut model.overlay {
        open.hold(id);
    } else {
        remark(model, format!("{id} is open in another clawd (use /resume to fork it)"));
    }
    Vec::new()
}

/// Whether a key is meant for the session that is being opened, and not for the list that lies over it until then: all but
/// those that leave the list.
pub(super) fn is_past_list(model: &Model, key: Key) -> bool {
    let Some(Overlay::Sessions(open)) = &model.overlay else { return false };
    open.is_opening() && keymap::action(Focus::Picker, key) != Some(Action::Close)
}

/// A key while the list is open.
pub(super) fn press(model: &mut Model, mut open: Box<Sessions>, key: Key) -> Vec<Effect> {
    match press_picker(&mut open.picker, key) {
        Picked::Left if model.stage.has_conversation() => vec![Effect::Session(SessionWish::Stay)],
        Picked::Left => go_on(Onto::New),
        Picked::Open => {
            let effects = look(&open);
            model.overlay = Some(Overlay::Sessions(open));
            effects
        }
        Picked::Item(_) => {
            let id = open.chosen().map(str::to_owned).unwrap_or_default();
            let onto = if open.is_held() { Onto::ForkOf(id) } else { Onto::Session(id) };
            open.begin_opening();
            // it stays until the session is there: another may have to be chosen
            model.overlay = Some(Overlay::Sessions(open));
            go_on(onto)
        }
    }
}

/// Whether it opens another session, which takes its time.
pub(super) fn opens_one(effect: &Effect) -> bool {
    matches!(effect, Effect::Session(SessionWish::GoOn(Onto::Session(_) | Onto::ForkOf(_))))
}

fn go_on(onto: Onto) -> Vec<Effect> {
    vec![Effect::Session(SessionWish::GoOn(onto))]
}

fn look(open: &Sessions) -> Vec<Effect> {
    open.unread().map(|id| Effect::Session(SessionWish::Preview(id))).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{draft, idle, last, press, queued, reply, running, wishes};
    use super::*;
    use crate::tui::model::Stage;
    use crate::tui::model::transcript::Cell;
    use crate::tui::msg::Reply;

    fn wish(wish: SessionWish) -> [Effect; 1] {
        [Effect::Session(wish)]
    }

    fn preview(id: &str) -> [Effect; 1] {
        wish(SessionWish::Preview(id.to_owned()))
    }

    fn picks() -> Vec<Pick> {
        let pick = |(id, title): (&str, &str)| Pick {
            id: id.to_owned(),
            title: title.to_owned(),
            about: "3 h ago · 2 messages".to_owned(),
        };
        [("a1", "the tax"), ("b2", "the cart"), ("c3", "tax again")].map(pick).to_vec()
    }

    fn tell(model: &mut Model, told: SessionReply) -> Vec<Effect> {
        reply(model, Reply::Session(told))
    }

    /// At rest, with the list open.
    fn listing() -> Model {
        let mut model = idle();
        assert_eq!(wishes(&mut model, 0, "/resume<enter>"), wish(SessionWish::List));
        assert_eq!(tell(&mut model, SessionReply::Listed(picks())), preview("a1"));
        model
    }

    fn open(model: &Model) -> &Sessions {
        match &model.overlay {
            Some(Overlay::Sessions(open)) => open,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_last_words_of_the_chosen_one_are_fetched_once() {
        let mut model = listing();
        let lines = vec!["❯ hi".to_owned()];
        tell(&mut model, SessionReply::Preview { id: "a1".to_owned(), lines: lines.clone() });
        assert_eq!(open(&model).preview(), lines);
        assert_eq!(press(&mut model, 0, "<up><down>"), [preview("c3"), preview("a1")].concat()[..1]);
        let asked = press(&mut model, 0, "again");
        assert!(
            asked.iter().all(|wished| [wished.clone()] == preview("c3")) && !asked.is_empty(),
            "{asked:?}"
        );
        assert_eq!(open(&model).preview(), [""; 0], "the words of another one are not its own");
    }

    #[test]
    fn enter_goes_over_to_it_and_esc_stays() {
        let mut model = listing();
        let expected = wish(SessionWish::GoOn(Onto::Session("b2".to_owned())));
        assert_eq!(press(&mut model, 0, "<down><enter>")[1..], expected);
        assert_eq!(press(&mut model, 0, "<esc>"), wish(SessionWish::Stay), "also where it is being opened");
        assert!(model.overlay.is_none());
        let named = wish(SessionWish::GoOn(Onto::Session("b2".to_owned())));
        assert_eq!(wishes(&mut idle(), 0, "/resume b2<enter>"), named);
    }

    #[test]
    fn what_is_typed_while_it_opens_is_meant_for_it() {
        let mut model = listing();
        press(&mut model, 0, "<enter>");
        assert_eq!(press(&mut model, 0, "hi<down>"), []);
        assert_eq!((draft(&model), open(&model).chosen()), ("hi", Some("a1")));
        assert_eq!(wishes(&mut model, 0, "<enter>!ls<enter>/clear<enter>"), []);
        assert_eq!(queued(&model), ["hi", "!ls", "/clear"]);
        let mut opened = model;
        assert_eq!(reply(&mut opened, Reply::Ready(Box::default())), [Effect::Submit("hi".to_owned())]);
        assert_eq!(queued(&opened), ["!ls", "/clear"], "they wait for the end of that run");
        let mut model = listing();
        press(&mut model, 0, "<enter>");
        press(&mut model, 0, "hi<enter>!ls<enter>");
        assert_eq!(press(&mut model, 0, "<esc>"), wish(SessionWish::Stay), "but Esc stays");
        tell(&mut model, SessionReply::Stays);
        assert_eq!(
            (draft(&model), queued(&model).len()),
            ("hi\n!ls", 0),
            "nothing goes into the present one"
        );
        for told in [Reply::Failed("no".to_owned()), Reply::Session(SessionReply::Held("a1".to_owned()))] {
            let mut model = listing();
            press(&mut model, 0, "<enter>");
            reply(&mut model, told);
            press(&mut model, 0, "tax");
            assert_eq!(draft(&model), "", "another one is looked for");
        }
    }

    #[test]
    fn one_that_another_process_has_can_be_forked() {
        let mut model = listing();
        press(&mut model, 0, "<enter>");
        tell(&mut model, SessionReply::Held("a1".to_owned()));
        assert!(open(&model).is_held());
        press(&mut model, 0, "<down>");
        assert!(!open(&model).is_held(), "the next one is another");
        let forked = wish(SessionWish::GoOn(Onto::ForkOf("a1".to_owned())));
        press(&mut model, 0, "<up>");
        assert_eq!(press(&mut model, 0, "<enter>"), forked);
        let mut model = idle();
        tell(&mut model, SessionReply::Held("a1".to_owned()));
        assert!(matches!(last(&model), Cell::Remark(text) if text.contains("is open in another clawd")));
    }

    #[test]
    fn before_there_is_anybody_to_talk_to_esc_begins_anew() {
        for keys in [None, Some("<esc>")] {
            let mut model = idle();
            model.stage = Stage::Opening;
            assert_eq!(tell(&mut model, SessionReply::Wanted), wish(SessionWish::List));
            let begun = match keys {
                None => tell(&mut model, SessionReply::Listed(Vec::new())),
                Some(keys) => press(&mut model, 0, keys),
            };
            assert_eq!(begun, wish(SessionWish::GoOn(Onto::New)), "{keys:?}");
        }
    }

    #[test]
    fn a_list_that_comes_late_opens_nothing() {
        let mut model = idle();
        assert_eq!(tell(&mut model, SessionReply::Listed(picks())), []);
        assert!(model.overlay.is_none());
        assert_eq!(wishes(&mut model, 0, "/resume<enter>").len(), 1);
        assert_eq!(tell(&mut model, SessionReply::Listed(Vec::new())), []);
        assert!(matches!(last(&model), Cell::Remark(text) if text.contains("no other session")));
    }

    #[test]
    fn in_a_run_it_waits_and_a_name_must_be_one() {
        let mut model = running();
        assert_eq!(wishes(&mut model, 0, "/resume<enter>/fork<enter>"), []);
        assert_eq!(queued(&model), ["/resume", "/fork"]);
        let named = wish(SessionWish::Rename("the tax".to_owned()));
        assert_eq!(wishes(&mut idle(), 0, "/rename the tax<enter>"), named);
        assert_eq!(wishes(&mut idle(), 0, "/rename<enter>"), []);
    }
}
