//! The rules in force: their list, and the one thing that can be done there.

use crate::app::{InForce, Removal};
use crate::tui::effect::Effect;
use crate::tui::key::Key;
use crate::tui::keymap::{self, Action, Focus};
use crate::tui::model::Model;
use crate::tui::model::overlay::Overlay;
use crate::tui::model::permissions::Permissions;
use crate::tui::model::question::Step;

/// Opens the list.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    model.overlay = Some(Overlay::Permissions(Box::default()));
    vec![Effect::ListRules]
}

/// They are so now.
pub(super) fn listed(model: &mut Model, in_force: InForce) {
    if let Some(Overlay::Permissions(open)) = &mut model.overlay {
        open.fill(in_force);
    }
}

/// A key while the list is open.
pub(super) fn press(model: &mut Model, mut open: Permissions, key: Key) -> Vec<Effect> {
    let mut effects = Vec::new();
    match keymap::action(Focus::Permissions, key) {
        Some(Action::Up) => step(&mut open, Step::Up),
        Some(Action::Down) => step(&mut open, Step::Down),
        Some(Action::Remove) => effects.extend(remove(&mut open)),
        Some(Action::Suspend) => effects.push(Effect::Suspend),
        Some(Action::Redraw) => effects.push(Effect::Redraw),
        Some(Action::Close) => return Vec::new(),
        _ => {}
    }
    model.overlay = Some(Overlay::Permissions(Box::new(open)));
    effects
}

fn step(open: &mut Permissions, step: Step) {
    open.step(step);
    open.said = None;
}

/// Nothing is asked: a rule that is gone only leads to a question.
fn remove(open: &mut Permissions) -> Option<Effect> {
    let row = open.chosen()?;
    let (said, effect) = match row.removal {
        Removal::Possible => (format!("revoked: {}", row.rule), Some(Effect::Forget(row.rule.clone()))),
        Removal::Elsewhere => {
            (format!("only saved rules can be revoked here; this one is set in {}", row.place), None)
        }
    };
    open.said = Some(said);
    effect
}

#[cfg(test)]
mod tests {
    use super::super::testing::{idle, press, reply, running};
    use super::*;
    use crate::app::RuleRow;
    use crate::tui::msg::Reply;

    fn row(kind: &'static str, rule: &str, removal: Removal) -> RuleRow {
        RuleRow { kind, rule: rule.to_owned(), place: "there".to_owned(), removal }
    }

    fn in_force(rules: &[&str]) -> Reply {
        let mut rows = vec![row("deny", "WebFetch", Removal::Elsewhere)];
        rows.extend(rules.iter().map(|rule| row("allow", rule, Removal::Possible)));
        Reply::Rules(Box::new(InForce { rules: rows, ..InForce::default() }))
    }

    fn list(model: &Model) -> &Permissions {
        match &model.overlay {
            Some(Overlay::Permissions(open)) => open,
            other => panic!("no list: {other:?}"),
        }
    }

    #[test]
    fn a_grant_is_taken_back_at_once_and_other_rules_say_where_they_stand() {
        for mut model in [idle(), running()] {
            assert_eq!(press(&mut model, 0, "/permissions<enter>").last(), Some(&Effect::ListRules));
            assert_eq!(press(&mut model, 0, "d<down>d"), [], "nothing is listed yet");
            reply(&mut model, in_force(&["Bash(a)", "Bash(b)"]));
            assert_eq!(press(&mut model, 0, "d"), []);
            assert!(list(&model).said.as_ref().is_some_and(|said| said.ends_with("is set in there")));
            assert_eq!(press(&mut model, 0, "<down><down><down>d"), [Effect::Forget("Bash(b)".to_owned())]);
            assert_eq!(list(&model).said.as_deref(), Some("revoked: Bash(b)"));
            reply(&mut model, in_force(&["Bash(a)"]));
            assert_eq!(list(&model).focus, 1, "on the last that is left");
            assert_eq!(press(&mut model, 0, "<delete>"), [Effect::Forget("Bash(a)".to_owned())]);
            assert_eq!(press(&mut model, 0, "<up>"), []);
            assert_eq!((list(&model).focus, list(&model).said.as_deref()), (0, None));
            assert_eq!(press(&mut model, 0, "<c-z>"), [Effect::Suspend]);
            assert_eq!(press(&mut model, 0, "q"), []);
            assert!(model.overlay.is_none());
            reply(&mut model, in_force(&["Bash(late)"]));
            assert!(model.overlay.is_none());
        }
    }
}
