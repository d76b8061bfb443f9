//! Keys while a page or a list lies over everything.

use super::{permissions, rewind, sessions, tasks, themes};
use crate::tui::effect::{Effect, ReportWish};
use crate::tui::key::{Key, KeyCode};
use crate::tui::keymap::{self, Action, Focus};
use crate::tui::model::choice::Go;
use crate::tui::model::draft::Draft;
use crate::tui::model::overlay::{Overlay, Page, PageOf, Search, Seek};
use crate::tui::model::picker::{Picked, Picker, Press};
use crate::tui::model::{Model, Stage};

/// A key while an overlay is open.
pub(super) fn press(model: &mut Model, key: Key) -> Vec<Effect> {
    let (overlay, effects) = match model.overlay.take() {
        Some(Overlay::Page(page)) => {
            if page.up == 0
                && let Stage::Asking(asking) = &mut model.stage
            {
                asking.read_to_end(page.of);
            }
            turn(page, key, model.size.rows)
        }
        Some(Overlay::Models(picker)) => pick_model(*picker, key, &model.stage),
        Some(Overlay::Sessions(open)) => return sessions::press(model, open, key),
        Some(Overlay::Rewind(open)) => return rewind::press(model, open, key),
        Some(Overlay::Themes(open)) => themes::pick(open, key),
        Some(Overlay::Tasks(tasks)) => return tasks::press(model, tasks, key),
        Some(Overlay::Permissions(open)) => return permissions::press(model, *open, key),
        None => (None, Vec::new()),
    };
    model.overlay = overlay;
    effects
}

fn turn(mut page: Page, key: Key, rows: u16) -> (Option<Overlay>, Vec<Effect>) {
    let effects = match &page.search {
        Search::Typing(_) => {
            type_search(&mut page, key);
            Vec::new()
        }
        Search::Nothing | Search::For(_) => match read(&mut page, key, rows) {
            Turned::Open(effects) => effects,
            Turned::Closed => {
                let stop = page.report.awaited.as_ref().map(|_| Effect::Report(ReportWish::Stop));
                return (None, stop.into_iter().collect());
            }
        },
    };
    (Some(Overlay::Page(page)), effects)
}

/// What a key has made of a page.
enum Turned {
    Open(Vec<Effect>),
    Closed,
}

fn read(page: &mut Page, key: Key, rows: u16) -> Turned {
    let focus = match page.of {
        PageOf::Transcript | PageOf::Report | PageOf::Question(_) => Focus::Pager,
        PageOf::Help => Focus::Help,
    };
    // One row stays in sight from screen to screen, one is the line of keys.
    let screen = usize::from(rows).saturating_sub(2).max(1);
    match keymap::action(focus, key) {
        // Esc ends the search first
        Some(Action::Close) if key.code == KeyCode::Esc && page.search.sought().is_some() => {
            (page.search, page.found) = (Search::Nothing, None);
        }
        Some(Action::Close) => return Turned::Closed,
        Some(Action::Up) => page.up = page.up.saturating_add(1),
        Some(Action::Down) => page.up = page.up.saturating_sub(1),
        Some(Action::PageUp) => page.up = page.up.saturating_add(screen),
        Some(Action::PageDown) => page.up = page.up.saturating_sub(screen),
        Some(Action::Top) => page.up = Page::TOP,
        Some(Action::Bottom) => page.up = 0,
        Some(Action::Find) => page.search = Search::Typing(Box::default()),
        Some(Action::Older) => page.seek = Some(Seek::Older),
        Some(Action::Newer) => page.seek = Some(Seek::Newer),
        Some(Action::Suspend) => return Turned::Open(vec![Effect::Suspend]),
        Some(Action::Redraw) => return Turned::Open(vec![Effect::Redraw]),
        _ => {}
    }
    Turned::Open(Vec::new())
}

/// A key while it is typed what to search for. Nothing typed is no search.
fn type_search(page: &mut Page, key: Key) {
    let Search::Typing(typed) = &mut page.search else { return };
    match keymap::action(Focus::Search, key) {
        Some(Action::Type(c)) => typed.type_in(Draft::plain(c)),
        Some(Action::Edit(edit)) => typed.edit(edit),
        Some(Action::Enter) if !typed.is_empty() => {
            page.search = Search::For(typed.draft().text().to_owned());
            (page.seek, page.found) = (Some(Seek::Newest), None);
        }
        Some(Action::Enter | Action::Close) => (page.search, page.found) = (Search::Nothing, None),
        _ => {}
    }
}

/// Without a model there is nothing to do: whoever leaves the list then leaves the program.
fn pick_model(mut picker: Picker, key: Key, stage: &Stage) -> (Option<Overlay>, Vec<Effect>) {
    match press_picker(&mut picker, key) {
        Picked::Open => (Some(Overlay::Models(Box::new(picker))), Vec::new()),
        Picked::Left if picker.awaited().is_some() => (None, vec![Effect::StopListing]),
        Picked::Left if stage.has_conversation() => (None, Vec::new()),
        Picked::Left => (None, vec![Effect::Quit]),
        Picked::Item(_) => (None, chosen(&picker).map(Effect::SwitchModel).into_iter().collect()),
    }
}

fn chosen(picker: &Picker) -> Option<String> {
    picker.choice().chosen().map(|(_, item)| item.label.clone())
}

pub(super) fn press_picker(picker: &mut Picker, key: Key) -> Picked {
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
            Some(
                Overlay::Models(_)
                | Overlay::Sessions(_)
                | Overlay::Rewind(_)
                | Overlay::Tasks(_)
                | Overlay::Permissions(_)
                | Overlay::Themes(_),
            )
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

    fn page(model: &Model) -> &Page {
        match &model.overlay {
            Some(Overlay::Page(page)) => page,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_search_is_typed_found_walked_and_left() {
        let mut model = idle();
        press(&mut model, 0, "<c-o>/qxN<c-u>nq<enter>");
        assert_eq!((page(&model).search.sought(), page(&model).seek), (Some("nq"), Some(Seek::Newest)));
        press(&mut model, 0, "n");
        assert_eq!(page(&model).seek, Some(Seek::Older));
        press(&mut model, 0, "N");
        assert_eq!(page(&model).seek, Some(Seek::Newer));
        press(&mut model, 0, "<esc>");
        assert_eq!(page(&model).search.sought(), None, "Esc leaves the search");
        press(&mut model, 0, "/<enter>");
        assert!(matches!(page(&model).search, Search::Nothing), "nothing is no search");
        press(&mut model, 0, "/ab<esc>g");
        assert_eq!((page(&model).search.sought(), page(&model).up), (None, Page::TOP));
        press(&mut model, 0, "<esc>");
        assert!(model.overlay.is_none());
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
