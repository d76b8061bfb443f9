//! Keys while the list of themes is open: whatever is chosen is shown at once, on everything that is drawn from then on.

use super::overlay::press_picker;
use crate::app::ThemeList;
use crate::tui::effect::Effect;
use crate::tui::key::Key;
use crate::tui::model::Model;
use crate::tui::model::overlay::Overlay;
use crate::tui::model::picker::Picked;
use crate::tui::model::themes::Themes;

/// `/theme`.
pub(super) fn command(argument: &str) -> Vec<Effect> {
    vec![if argument.is_empty() { Effect::ListThemes } else { Effect::KeepTheme(argument.to_owned()) }]
}

/// The list is there. It does not cover what has been opened since.
pub(super) fn listed(model: &mut Model, ThemeList { own, current }: ThemeList) {
    if model.overlay.is_none() {
        model.overlay = Some(Overlay::Themes(Box::new(Themes::open(own, current))));
    }
}

/// A key while the list is open.
pub(super) fn pick(mut themes: Box<Themes>, key: Key) -> (Option<Overlay>, Vec<Effect>) {
    let shown = themes.chosen();
    match press_picker(&mut themes.picker, key) {
        Picked::Open => {
            let preview = themes.chosen().filter(|chosen| shown.as_ref() != Some(chosen));
            (Some(Overlay::Themes(themes)), preview.map(Effect::ShowTheme).into_iter().collect())
        }
        Picked::Left => (None, vec![Effect::ShowTheme(themes.before)]),
        Picked::Item(_) => (None, themes.chosen().map(Effect::KeepTheme).into_iter().collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{idle, press, wishes};
    use super::*;

    fn open() -> Model {
        let mut model = idle();
        listed(&mut model, ThemeList { own: vec!["mine".to_owned()], current: "dark".to_owned() });
        model
    }

    fn show(name: &str) -> Effect {
        Effect::ShowTheme(name.to_owned())
    }

    #[test]
    fn a_name_is_taken_at_once_and_without_one_there_is_a_list() {
        assert_eq!(wishes(&mut idle(), 0, "/theme<enter>"), [Effect::ListThemes]);
        assert_eq!(wishes(&mut idle(), 0, "/theme light<enter>"), [Effect::KeepTheme("light".to_owned())]);
    }

    #[test]
    fn what_is_chosen_is_shown_and_esc_goes_back() {
        let mut model = open();
        assert_eq!(press(&mut model, 0, "<down><up><up>"), [show("light"), show("dark"), show("auto")]);
        assert_eq!(press(&mut model, 0, "<esc>"), [show("dark")]);
        assert!(model.overlay.is_none());
        let mut model = open();
        assert_eq!(press(&mut model, 0, "mi"), [show("mine")]);
        assert_eq!(press(&mut model, 0, "<enter>"), [Effect::KeepTheme("mine".to_owned())]);
    }

    #[test]
    fn a_list_that_comes_late_covers_nothing() {
        let mut model = idle();
        press(&mut model, 0, "<c-o>");
        listed(&mut model, ThemeList { own: Vec::new(), current: "auto".to_owned() });
        assert!(matches!(model.overlay, Some(Overlay::Page(_))));
    }
}
