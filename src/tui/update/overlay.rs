//! Keys while a page or a list lies over everything.

use super::{permissions, tasks};
use crate::tui::effect::Effect;
use crate::tui::key::Key;
use crate::tui::keymap::{self, Action, Focus};
use crate::tui::model::choice::Go;
use crate::tui::model::overlay::{Overlay, Page, PageOf};
use crate::tui::model::picker::{Picked, Picker, Press};
use crate::tui::model::{Model, Stage};

/// A key while an overlay is open.
pub(super) fn press(model: &mut Model, key: Key) -> Vec<Effect> {
    let (overlay, effects) = match model.overlay.take() {
        Some(Overlay::Page(page)) => turn(page, key, model.size.rows),
        Some(Overlay::Models(picker)) => pick_model(*picker, key, &model.stage),
        Some(Overlay::Sessions(picker)) => pick_session(*picker, key),
        Some(Overlay::Tasks(tasks)) => return tasks::press(model, tasks, key),
        Some(Overlay::Permissions(open)) => return permissions::press(model, *open, key),
        None => (None, Vec::new()),
    };
    model.overlay = overlay;
    effects
}

fn turn(mut page: Page, key: Key, rows: u16) -> (Option<Overlay>, Vec<Effect>) {
    let focus = match page.of {
        PageOf::Transcript => Focus::Pager,
        PageOf::Help => Focus::Help,
    };
    // One row stays in sight from screen to screen, one is the line of keys.
    let screen = usize::from(rows).saturating_sub(2).max(1);
    match keymap::action(focus, key) {
        Some(Action::Close) => return (None, Vec::new()),
        Some(Action::Up) => page.up += 1,
        Some(Action::Down) => page.up = page.up.saturating_sub(1),
        Some(Action::PageUp) => page.up += screen,
        Some(Action::PageDown) => page.up = page.up.saturating_sub(screen),
        Some(Action::Top) => page.up = Page::TOP,
        Some(Action::Bottom) => page.up = 0,
        Some(Action::Suspend) => return (Some(Overlay::Page(page)), vec![Effect::Suspend]),
        Some(Action::Redraw) => return (Some(Overlay::Page(page)), vec![Effect::Redraw]),
        _ => {}
    }
    (Some(Overlay::Page(page)), Vec::new())
}

/// Without a model there is nothing to do: whoever leaves the list then leaves the program.
fn pick_model(mut picker: Picker, key: Key, stage: &Stage) -> (Option<Overlay>, Vec<Effect>) {
    match press_picker(&mut picker, key) {
        Picked::Open => (Some(Overlay::Models(Box::new(picker))), Vec::new()),
        Picked::Left if picker.awaited().is_some() => (None, vec![Effect::StopListing]),
        Picked::Left if stage.has_conversation() => (None, Vec::new()),
        Picked::Left => (None, vec![Effect::Quit]),
        Picked::Item(_) => {
            (None, chosen(&picker).map(|(name, _)| Effect::SwitchModel(name)).into_iter().collect())
        }
    }
}

/// Whoever leaves the list begins a new session.
fn pick_session(mut picker: Picker, key: Key) -> (Option<Overlay>, Vec<Effect>) {
    match press_picker(&mut picker, key) {
        Picked::Open => (Some(Overlay::Sessions(Box::new(picker))), Vec::new()),
        Picked::Left => (None, vec![Effect::Resume(None)]),
        Picked::Item(_) => (None, vec![Effect::Resume(chosen(&picker).map(|(_, id)| id))]),
    }
}

fn chosen(picker: &Picker) -> Option<(String, String)> {
    picker.choice().chosen().map(|(_, item)| (item.label.clone(), item.detail.clone()))
}

fn press_picker(picker: &mut Picker, key: Key) -> Picked {
    let press = match keymap::action(Focus::Picker, key) {
        Some(Action::Type(c)) => Press::Type(c),
        Some(Action::Edit(edit)) => Press::Edit(edit),
        Some(Action::Up) => Press::Go(Go::Up),
        Some(Action::Down) => Press::Go(Go::Down),
        Some(Action::PageUp) => Press::Go(Go::PageUp),
        Some(Action::PageDown) => Press::Go(Go::PageDown),
        Some(Action::Enter) => Press::Enter,
        Some(Action::Close) => Press::Esc,
        _ => return Picked::Open,
    };
    picker.press(press)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{draft, idle, press};
    use super::*;

    fn up(model: &Model) -> Option<usize> {
        match &model.overlay {
            Some(Overlay::Page(page)) => Some(page.up),
            Some(Overlay::Models(_) | Overlay::Sessions(_) | Overlay::Tasks(_) | Overlay::Permissions(_))
            | None => None,
        }
    }

    #[test]
    fn a_page_is_turned_and_closed_and_takes_all_keys() {
        let mut model = idle();
        press(&mut model, 0, "<c-o>");
        assert_eq!(up(&model), Some(0), "the transcript opens at its end");
        press(&mut model, 0, "<up><up><down>xyz");
        assert_eq!((up(&model), draft(&model)), (Some(1), ""));
        press(&mut model, 0, "<home>");
        assert_eq!(up(&model), Some(Page::TOP));
        for close in ["q", "<esc>", "<c-c>", "<c-o>"] {
            press(&mut model, 0, "<c-o>");
            assert_eq!(press(&mut model, 0, close), [], "{close}");
            assert_eq!(up(&model), None, "{close}");
        }
    }

    #[test]
    fn the_help_opens_at_its_beginning() {
        let mut model = idle();
        press(&mut model, 0, "?");
        assert_eq!(up(&model), Some(Page::TOP));
        press(&mut model, 0, "?");
        assert_eq!(up(&model), None);
    }

    #[test]
    fn the_terminal_can_be_lent_and_drawn_anew_from_a_page() {
        let mut model = idle();
        press(&mut model, 0, "<c-o>");
        assert_eq!(press(&mut model, 0, "<c-z><c-l>"), [Effect::Suspend, Effect::Redraw]);
        assert_eq!(up(&model), Some(0));
    }
}
