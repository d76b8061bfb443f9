//! For somebody who looks elsewhere: the window's title, and a word when the screen waits for them.
//!
//! Pure: it says what is to be told and when, not how a terminal is told. Nobody is called who is there: a word is given only
//! once the terminal has said that it lost the keyboard, and one that says nothing of the kind never gets one. The
//! surprising part is what it leaves out: nothing of the conversation, since a title and a notification are read by others.

use std::time::Duration;

use super::model::moment::Moment;
use super::model::{Model, Stage};
use crate::app::Notifications;
use crate::text::sanitize::sanitize_line;
use crate::text::units;

/// A run that took less was waited for by whoever began it.
const WORTH_A_WORD: Duration = Duration::from_secs(10);

/// Letters of a title: more than a tab shows.
const LONGEST: usize = 60;

/// Whether the window has the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Presence {
    /// It has, or nobody knows.
    #[default]
    There,
    /// It has not.
    Away,
}

/// How things stand, as far as somebody who looks elsewhere cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Standing {
    /// Nothing goes on.
    #[default]
    Rest,
    /// A run goes on, since then.
    Works(Moment),
    /// A question waits.
    Asks,
}

/// What was told last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Attention {
    standing: Standing,
    /// Whether the window has the keyboard.
    pub presence: Presence,
}

impl Attention {
    /// A word, if it is time for one.
    pub fn look(&mut self, model: &Model, now: Moment, wanted: Notifications) -> Option<String> {
        let before = std::mem::replace(&mut self.standing, standing(model));
        let told = match (before, self.standing) {
            (Standing::Rest | Standing::Works(_), Standing::Asks) => "is waiting for your answer".to_owned(),
            (Standing::Works(since), Standing::Rest) if now.since(since) >= WORTH_A_WORD => {
                format!("finished after {}", units::duration(now.since(since)))
            }
            (Standing::Rest | Standing::Works(_) | Standing::Asks, _) => return None,
        };
        match (self.presence, wanted) {
            (Presence::Away, Notifications::On) => Some(format!("clawd {told}{}", place(model, ": "))),
            (Presence::There, _) | (Presence::Away, Notifications::Off) => None,
        }
    }
}

/// The window's title. What changes stands first: a tab cuts the end off.
#[must_use]
pub fn title(model: &Model) -> String {
    let state = match standing(model) {
        Standing::Rest => "",
        Standing::Works(_) => "working · ",
        Standing::Asks => "waiting · ",
    };
    format!("{state}clawd{}", place(model, " · "))
}

fn standing(model: &Model) -> Standing {
    match (&model.stage, &model.run) {
        (Stage::Asking(_) | Stage::Answering(_) | Stage::AtLimit(_) | Stage::Trusting(_), _) => {
            Standing::Asks
        }
        (Stage::Opening | Stage::Choosing(_) | Stage::Idle | Stage::Running, Some(run)) => {
            Standing::Works(run.since)
        }
        (Stage::Opening | Stage::Choosing(_) | Stage::Idle | Stage::Running, None) => Standing::Rest,
    }
}

/// The directory's name, behind `before`; nothing where it has none.
fn place(model: &Model, before: &str) -> String {
    let name = model.facts.root.rsplit('/').next().unwrap_or_default();
    let clean: String = sanitize_line(name).chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    if clean.is_empty() { clean } else { format!("{before}{clean}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::model::composer::Composer;
    use crate::tui::model::question::Guard;
    use crate::tui::model::run::RunView;
    use crate::tui::model::{AtLimit, Limit, Size};

    fn model(root: &str) -> Model {
        let mut model = Model::new(Size { columns: 80, rows: 24 }, Composer::new(Vec::new()));
        root.clone_into(&mut model.facts.root);
        model.stage = Stage::Idle;
        model
    }

    fn working() -> Model {
        let mut model = model("/home/ann/shop");
        model.stage = Stage::Running;
        model.run = Some(RunView::begin(Moment(1_000)));
        model
    }

    fn asking() -> Model {
        let mut model = working();
        let guard = Guard::new(Moment(0), None);
        model.stage = Stage::AtLimit(AtLimit {
            limit: Limit::Turns { turns: 1 },
            calls: 1,
            took: Duration::ZERO,
            guard,
        });
        model
    }

    /// What is told when these follow each other, each at its time in milliseconds.
    fn told(presence: Presence, wanted: Notifications, seen: [(&Model, u64); 2]) -> Option<String> {
        let mut attention = Attention { presence, ..Attention::default() };
        seen.map(|(model, now)| attention.look(model, Moment(now), wanted)).into_iter().flatten().next()
    }

    #[test]
    fn who_is_away_is_told_of_a_question_and_of_the_end_of_a_long_run() {
        let (rest, works, asks) = (model("/home/ann/shop"), working(), asking());
        let check = |seen, expected: Option<&str>| {
            assert_eq!(told(Presence::Away, Notifications::On, seen).as_deref(), expected, "{seen:?}");
        };
        check([(&works, 1_000), (&asks, 2_000)], Some("clawd is waiting for your answer: shop"));
        check([(&works, 1_000), (&rest, 131_000)], Some("clawd finished after 2 m 10 s: shop"));
        check([(&works, 1_000), (&rest, 10_999)], None);
        check([(&rest, 0), (&works, 60_000)], None);
        check([(&rest, 0), (&rest, 60_000)], None);
    }

    #[test]
    fn a_question_is_told_once() {
        let mut attention = Attention { presence: Presence::Away, ..Attention::default() };
        let asks = asking();
        let times = [0, 1, 60_000].map(|now| attention.look(&asks, Moment(now), Notifications::On).is_some());
        assert_eq!(times, [true, false, false]);
    }

    #[test]
    fn who_is_there_or_wants_no_word_gets_none() {
        let (works, asks) = (working(), asking());
        let seen = [(&works, 1_000), (&asks, 2_000)];
        assert_eq!(told(Presence::There, Notifications::On, seen), None);
        assert_eq!(told(Presence::Away, Notifications::Off, seen), None);
    }

    #[test]
    fn the_title_says_where_and_how_things_stand() {
        let check = |model: &Model, expected: &str| assert_eq!(title(model), expected);
        check(&model(""), "clawd");
        check(&model("/"), "clawd");
        check(&model("/home/ann/shop"), "clawd · shop");
        check(&working(), "working · clawd · shop");
        check(&asking(), "waiting · clawd · shop");
    }

    #[test]
    fn a_directorys_name_ends_no_sequence() {
        let nasty = title(&model("/home/ann/a\x1b\\b\x07c\u{9c}d\ne\x1b]0;f"));
        assert!(!nasty.contains(char::is_control), "{nasty:?}");
        assert!(title(&model(&format!("/{}", "x".repeat(500)))).chars().count() < 80);
    }
}
