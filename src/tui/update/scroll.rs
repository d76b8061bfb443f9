//! The keys and the wheel that scroll the transcript, where the program does that itself.
//!
//! The input keeps its keys: Home and End scroll only where nothing is written. What surprises is the wheel: without the mouse being
//! reported a terminal tells of it by arrow keys, several at once, and those are never taken for a walk through the history.

use crate::conversation::Happening;
use crate::protocol::AgentEvent;
use crate::tui::key::{Key, KeyCode, Mods, Wheel};
use crate::tui::keymap::{self, Action, Focus};
use crate::tui::model::Model;
use crate::tui::model::overlay::Overlay;
use crate::tui::model::scroll::Scroll;

/// Rows of a notch, as most terminals have it.
const NOTCH: u8 = 3;

/// Whether the key scrolls; then it has.
pub(super) fn press(model: &mut Model, key: Key) -> bool {
    let (scrolls, by_end) = (model.scrolls(), model.scrolls_by_end());
    let Some(scroll) = model.transcript.scroll().filter(|_| scrolls) else { return false };
    match keymap::action(Focus::Fullscreen, key) {
        Some(Action::PageUp) => scroll.pages(-1),
        Some(Action::PageDown) => scroll.pages(1),
        Some(Action::Top) if by_end => scroll.to_beginning(),
        Some(Action::Bottom) if by_end => scroll.follow(),
        _ => return false,
    }
    true
}

/// Whether a burst of this key is a terminal's word for the wheel: where it would walk through the draft and the history. In a list
/// or a question it stays a key, for there it is seen what it does.
pub(super) fn is_wheel(model: &mut Model, key: Key) -> bool {
    let is_arrow = matches!(key.code, KeyCode::Up | KeyCode::Down) && key.mods == Mods::NONE;
    let is_listed = model.composer.completion().is_some() || model.composer.searching().is_some();
    is_arrow && model.is_written_in() && !is_listed && model.transcript.scroll().is_some()
}

/// Scrolls by so many arrow keys.
pub(super) fn by(model: &mut Model, key: Key, times: u16) {
    let wheel = if key.code == KeyCode::Up { Wheel::Up } else { Wheel::Down };
    if let Some(scroll) = model.transcript.scroll() {
        scroll_by(scroll, wheel, times);
    }
}

/// A notch of the wheel: in a page, else in the transcript. A list has none.
pub(super) fn turn(model: &mut Model, wheel: Wheel) {
    let scrolls = model.scrolls();
    match &mut model.overlay {
        Some(Overlay::Page(page)) => {
            let rows = usize::from(NOTCH);
            page.up = match wheel {
                Wheel::Up => page.up.saturating_add(rows),
                Wheel::Down => page.up.saturating_sub(rows),
            };
        }
        Some(
            Overlay::Models(_)
            | Overlay::Sessions(_)
            | Overlay::Rewind(_)
            | Overlay::Tasks(_)
            | Overlay::Permissions(_)
            | Overlay::Themes(_),
        ) => {}
        None => {
            if let Some(scroll) = model.transcript.scroll().filter(|_| scrolls) {
                scroll_by(scroll, wheel, NOTCH.into());
            }
        }
    }
}

fn scroll_by(scroll: &mut Scroll, wheel: Wheel, rows: u16) {
    let rows = i16::try_from(rows).unwrap_or(i16::MAX);
    scroll.rows(isize::from(match wheel {
        Wheel::Up => -rows,
        Wheel::Down => rows,
    }));
}

/// To the end, and on with what arrives.
pub(super) fn follow(model: &mut Model) {
    if let Some(scroll) = model.transcript.scroll() {
        scroll.follow();
    }
}

/// What arrives and is no cell yet. A cell says so itself.
pub(super) fn note(model: &mut Model, happening: &Happening) {
    match happening {
        Happening::Event(
            AgentEvent::TextDelta(_)
            | AgentEvent::ThinkingDelta(_)
            | AgentEvent::ToolStart { .. }
            | AgentEvent::ToolProgress { .. },
        ) => model.transcript.arrived(),
        Happening::Event(_) | Happening::Asked(_) | Happening::Jobs(_) | Happening::Ended(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{asked, draft, idle, press, running};
    use super::super::update;
    use super::*;
    use crate::tui::model::Size;
    use crate::tui::model::moment::Moment;
    use crate::tui::model::scroll::{Extent, News};
    use crate::tui::model::transcript::{Cell, Place};
    use crate::tui::msg::Msg;

    fn full(mut model: Model) -> Model {
        model.transcript.place = Place::Fullscreen(Scroll::default());
        for n in 0..50 {
            model.transcript.push(Cell::User(format!("message {n}")));
        }
        model
    }

    /// What a frame does: cells of two rows each on a screen of ten. The row at the top.
    fn settled(model: &mut Model) -> usize {
        let cells = model.transcript.cells().len();
        let size = Size { columns: 80, rows: 24 };
        let scroll = model.transcript.scroll().unwrap();
        let top = scroll.settle(Extent { cells, body: 10, size }, &mut |_| 2);
        top.cell * 2 + top.row
    }

    fn paused(model: &mut Model) -> bool {
        settled(model);
        model.transcript.scroll().unwrap().is_paused()
    }

    fn burst(model: &mut Model, code: KeyCode, times: u16) {
        assert_eq!(update(model, Moment(0), Msg::Burst(Key::plain(code), times)), []);
    }

    #[test]
    fn pages_scroll_whatever_is_written_and_ends_only_an_empty_input() {
        let mut model = full(idle());
        press(&mut model, 0, "<pgup>");
        assert_eq!(settled(&mut model), 90 - 9);
        press(&mut model, 0, "<home>");
        assert_eq!(settled(&mut model), 0);
        press(&mut model, 0, "<pgdn>");
        assert_eq!(settled(&mut model), 9);
        press(&mut model, 0, "<end>");
        assert!(!paused(&mut model));
        press(&mut model, 0, "ab<pgup><home>x<end>y");
        assert_eq!((settled(&mut model), draft(&model)), (81, "xaby"));
    }

    #[test]
    fn sending_follows_again_and_so_does_asking_again() {
        for keys in ["go<enter>", "/status<enter>", "<enter>"] {
            let mut model = full(idle());
            press(&mut model, 0, "<pgup>");
            assert!(paused(&mut model));
            press(&mut model, 0, keys);
            assert!(!paused(&mut model), "{keys}");
        }
    }

    #[test]
    fn what_arrives_is_told_while_it_is_not_followed() {
        let mut model = full(running());
        let news = |model: &mut Model| model.transcript.scroll().unwrap().news();
        let delta = || Msg::Happened(Box::new(Happening::Event(AgentEvent::TextDelta("so".to_owned()))));
        update(&mut model, Moment(0), delta());
        settled(&mut model);
        assert_eq!(news(&mut model), News::None, "it is seen");
        press(&mut model, 0, "<pgup>");
        settled(&mut model);
        assert_eq!(news(&mut model), News::None);
        update(&mut model, Moment(0), delta());
        assert_eq!((settled(&mut model), news(&mut model)), (81, News::Below));
    }

    #[test]
    fn arrows_faster_than_any_hand_are_the_wheel_and_leave_history_and_draft_alone() {
        let mut model = full(idle());
        press(&mut model, 0, "earlier<enter>a draft");
        settled(&mut model);
        burst(&mut model, KeyCode::Up, 3);
        assert_eq!((settled(&mut model), draft(&model)), (87, "a draft"));
        burst(&mut model, KeyCode::Down, 2);
        assert_eq!((settled(&mut model), draft(&model)), (89, "a draft"));
        press(&mut model, 0, "<c-u><up>");
        assert_eq!(draft(&model), "earlier", "one arrow is a key");
    }

    #[test]
    fn a_burst_is_keys_in_a_list_in_a_question_and_on_the_inline_screen() {
        let mut model = idle();
        press(&mut model, 0, "one<enter>two<enter>");
        burst(&mut model, KeyCode::Up, 2);
        assert_eq!(draft(&model), "one");
        let mut model = full(idle());
        press(&mut model, 0, "/");
        let chosen = |model: &Model| format!("{:?}", model.composer.completion());
        let before = chosen(&model);
        burst(&mut model, KeyCode::Down, 2);
        assert_ne!(chosen(&model), before);
        assert!(!paused(&mut model));
        let mut model = full(asked(false));
        burst(&mut model, KeyCode::Down, 2);
        assert!(!paused(&mut model));
        let mut model = full(idle());
        press(&mut model, 0, "<c-o>");
        burst(&mut model, KeyCode::Up, 3);
        assert!(matches!(&model.overlay, Some(Overlay::Page(page)) if page.up == 3), "{:?}", model.overlay);
    }

    #[test]
    fn a_notch_scrolls_the_transcript_behind_a_question_too_and_a_page_before_it() {
        for mut model in [full(idle()), full(asked(false))] {
            settled(&mut model);
            update(&mut model, Moment(0), Msg::Wheel(Wheel::Up));
            assert_eq!(settled(&mut model), 87);
            update(&mut model, Moment(0), Msg::Wheel(Wheel::Down));
            assert!(!paused(&mut model));
        }
        let mut model = full(idle());
        press(&mut model, 0, "<c-o>");
        update(&mut model, Moment(0), Msg::Wheel(Wheel::Up));
        assert!(matches!(&model.overlay, Some(Overlay::Page(page)) if page.up == 3), "{:?}", model.overlay);
        assert!(!paused(&mut model));
    }

    #[test]
    fn a_question_leaves_its_keys_and_scrolls_by_pages() {
        let mut model = full(asked(false));
        settled(&mut model);
        press(&mut model, 1_000, "<pgup>");
        assert_eq!(settled(&mut model), 81);
        let mut inline = idle();
        assert!(!super::press(&mut inline, Key::plain(KeyCode::PageUp)), "the terminal scrolls there");
    }
}
