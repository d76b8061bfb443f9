//! Keys while a question of the model waits.
//!
//! A number takes an option at once; what else is typed begins an answer in own words, since nothing that one types could mean
//! anything else. Esc leaves the question unanswered and Ctrl+C ends the run, which alone is possible at any moment. Under a plan
//! both end the run, and words are a no.

use super::{input, reports};
use crate::protocol::Answer;
use crate::tui::effect::Effect;
use crate::tui::key::{Key, KeyCode};
use crate::tui::keymap::{self, Action, Focus};
use crate::tui::model::answering::Answering;
use crate::tui::model::draft::Draft;
use crate::tui::model::moment::Moment;
use crate::tui::model::question::Step;
use crate::tui::model::{Model, Stage};

/// What a key means for a question.
enum Pressed {
    /// Nothing, or something on the way to an answer.
    Nothing,
    /// A character of an answer in own words.
    Typed,
    /// This is the answer.
    Chosen(String),
    /// So are these own words.
    Said(String),
    /// No answer, and the run goes on.
    Unanswered,
    /// End the run.
    Abort,
    /// For the program as a whole.
    Elsewhere(Effect),
    /// The whole transcript, with the question in full.
    Page,
}

/// A key while a question of the model waits.
pub(super) fn press(model: &mut Model, now: Moment, key: Key) -> Vec<Effect> {
    let Stage::Answering(answering) = &mut model.stage else { return Vec::new() };
    let stops = keymap::action(Focus::Choice, key) == Some(Action::Abort);
    if !stops && !model.recent.is_meant_for(&answering.guard, now) {
        if input::type_ahead(model, now, key)
            && let Stage::Answering(answering) = &mut model.stage
        {
            answering.guard.typed(now);
        }
        return Vec::new();
    }
    let is_plan = answering.is_plan();
    let pressed =
        if answering.in_words() { press_in_words(answering, key) } else { press_in_rows(answering, key) };
    match pressed {
        Pressed::Nothing => Vec::new(),
        Pressed::Typed => {
            model.recent.printable = Some(now);
            Vec::new()
        }
        Pressed::Said(words) if is_plan => answer(model, Answer::Deny { words: Some(words) }),
        Pressed::Chosen(words) | Pressed::Said(words) => answer(model, Answer::Chosen(words)),
        Pressed::Unanswered if is_plan => input::stop(model),
        Pressed::Unanswered => answer(model, Answer::Deny { words: None }),
        Pressed::Abort => input::stop(model),
        // its rows choose the mode; without plan mode there would be nothing to approve
        Pressed::Elsewhere(Effect::NextMode) if is_plan => Vec::new(),
        Pressed::Elsewhere(effect) => vec![effect],
        Pressed::Page => reports::open_transcript(model),
    }
}

/// A paste into the own words. Says whether they are being typed.
pub(super) fn paste(answering: &mut Answering, now: Moment, text: &str) -> bool {
    let takes = answering.in_words() && answering.guard.takes_keys(now);
    if takes {
        answering.words.insert(Draft::plain(text));
    }
    takes
}

fn press_in_rows(answering: &mut Answering, key: Key) -> Pressed {
    match keymap::action(Focus::Choice, key) {
        Some(Action::Answer(number)) => take(answering, usize::from(number)),
        Some(Action::Type(c)) => {
            if let Some(number) = c.to_digit(10).and_then(|digit| usize::try_from(digit).ok()) {
                return take(answering, number);
            }
            answering.go_to_words();
            type_in(answering, c)
        }
        Some(Action::Enter) => take(answering, answering.focus + 1),
        other => elsewhere(answering, other),
    }
}

/// The option with this number, from 1; the number behind them goes to the own words.
fn take(answering: &mut Answering, number: usize) -> Pressed {
    let options = &answering.choice.options;
    if let Some(option) = number.checked_sub(1).and_then(|index| options.get(index)) {
        return Pressed::Chosen(option.clone());
    }
    if number == options.len() + 1 {
        answering.go_to_words();
    }
    Pressed::Nothing
}

fn press_in_words(answering: &mut Answering, key: Key) -> Pressed {
    match keymap::action(Focus::Running, key) {
        Some(Action::Type(c)) => type_in(answering, c),
        Some(Action::Help) => type_in(answering, '?'),
        Some(Action::NewLine) => type_in(answering, '\n'),
        Some(Action::Edit(edit)) => {
            answering.words.edit(edit);
            Pressed::Nothing
        }
        Some(Action::Enter) => {
            let words = answering.words.draft().text().trim();
            if words.is_empty() { Pressed::Nothing } else { Pressed::Said(words.to_owned()) }
        }
        // out of the words first, where there is something else to choose
        Some(Action::Abort) if key.code == KeyCode::Esc && !answering.choice.options.is_empty() => {
            answering.focus = 0;
            Pressed::Nothing
        }
        Some(Action::Abort) if key.code == KeyCode::Esc => Pressed::Unanswered,
        other => elsewhere(answering, other),
    }
}

fn type_in(answering: &mut Answering, c: char) -> Pressed {
    answering.words.type_in(Draft::plain(c));
    Pressed::Typed
}

/// What means the same in the rows and in the words.
fn elsewhere(answering: &mut Answering, action: Option<Action>) -> Pressed {
    match action {
        Some(Action::Up) => answering.step(Step::Up),
        Some(Action::Down) => answering.step(Step::Down),
        Some(Action::Close) => return Pressed::Unanswered,
        Some(Action::Abort) => return Pressed::Abort,
        Some(Action::NextMode) => return Pressed::Elsewhere(Effect::NextMode),
        Some(Action::Suspend) => return Pressed::Elsewhere(Effect::Suspend),
        Some(Action::Redraw) => return Pressed::Elsewhere(Effect::Redraw),
        Some(Action::Transcript) => return Pressed::Page,
        _ => {}
    }
    Pressed::Nothing
}

fn answer(model: &mut Model, answer: Answer) -> Vec<Effect> {
    // who has answered is not typing any more
    model.recent.printable = None;
    match std::mem::replace(&mut model.stage, Stage::Running) {
        Stage::Answering(answering) => vec![Effect::Answer(answering.id, answer)],
        other => {
            model.stage = other;
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{consulted, draft, planned, press, reply};
    use super::*;
    use crate::protocol::QuestionId;
    use crate::tui::model::question::Guard;
    use crate::tui::msg::{Msg, Reply};
    use crate::tui::update::update;

    const OPTIONS: &[&str] = &["SQLite", "Postgres"];

    fn chosen(words: &str) -> Vec<Effect> {
        vec![Effect::Answer(QuestionId(7), Answer::Chosen(words.to_owned()))]
    }

    fn unanswered() -> Vec<Effect> {
        vec![Effect::Answer(QuestionId(7), Answer::Deny { words: None })]
    }

    #[test]
    fn each_key_gives_its_answer() {
        let check = |options: &[&str], keys: &str, expected: Vec<Effect>| {
            assert_eq!(press(&mut consulted(options), 200, keys), expected, "{keys}");
        };
        check(OPTIONS, "1", chosen("SQLite"));
        check(OPTIONS, "2", chosen("Postgres"));
        check(OPTIONS, "<enter>", chosen("SQLite"));
        check(OPTIONS, "<down><enter>", chosen("Postgres"));
        check(OPTIONS, "<down><down><down><up><enter>", chosen("Postgres"));
        check(OPTIONS, "3none of 2?<enter>", chosen("none of 2?"));
        check(OPTIONS, "<down><down>12<enter>", chosen("12"));
        check(OPTIONS, "neither<enter>", chosen("neither"));
        check(OPTIONS, "3one<c-j>two<enter>", chosen("one\ntwo"));
        check(OPTIONS, "3 <enter>", vec![]);
        check(OPTIONS, "4", vec![]);
        check(OPTIONS, "0", vec![]);
        check(OPTIONS, "<esc>", unanswered());
        check(OPTIONS, "3x<esc>", vec![]);
        check(OPTIONS, "3x<esc><esc>", unanswered());
        check(OPTIONS, "<c-c>", vec![Effect::Abort]);
        check(OPTIONS, "3x<c-c>", vec![Effect::Abort]);
        check(OPTIONS, "<s-tab>", vec![Effect::NextMode]);
        check(&[], "8080<enter>", chosen("8080"));
        check(&[], "<esc>", unanswered());
        check(&[], "<enter>", vec![]);
    }

    #[test]
    fn under_a_plan_a_row_is_a_yes_and_words_are_none() {
        let check = |keys: &str, expected: Vec<Effect>| {
            assert_eq!(press(&mut planned(), 200, keys), expected, "{keys}");
        };
        let deny =
            |words: &str| vec![Effect::Answer(QuestionId(7), Answer::Deny { words: Some(words.to_owned()) })];
        check("1", chosen("Yes"));
        check("<enter>", chosen("Yes"));
        check("2", chosen("Yes, and accept edits"));
        check("3", vec![]);
        check("3<enter>", vec![]);
        check("3tests first<enter>", deny("tests first"));
        check("Yes<enter>", deny("Yes"));
        check("<esc>", vec![Effect::Abort]);
        check("3x<esc>", vec![]);
        check("3x<esc><esc>", vec![Effect::Abort]);
        check("<s-tab>", vec![]);
        check("3x<s-tab>", vec![]);
    }

    #[test]
    fn what_comes_too_early_goes_on_into_the_draft() {
        let mut model = consulted(OPTIONS);
        assert_eq!(press(&mut model, 199, "1y<enter><esc>"), []);
        assert_eq!(draft(&model), "1y");
        assert_eq!(press(&mut model, 200, "1"), chosen("SQLite"));
        let mut model = consulted(&[]);
        update(&mut model, Moment(199), Msg::Paste("early".to_owned()));
        update(&mut model, Moment(200), Msg::Paste("in time".to_owned()));
        assert_eq!(draft(&model), "early");
        assert_eq!(press(&mut model, 200, "<enter>"), chosen("in time"));
    }

    #[test]
    fn who_types_as_it_comes_is_let_finish() {
        let mut model = consulted(OPTIONS);
        let Stage::Answering(answering) = &mut model.stage else { panic!("a question") };
        answering.guard = Guard::new(Moment(1_000), Some(Moment(900)));
        assert_eq!(press(&mut model, 1_250, "2"), []);
        assert_eq!(press(&mut model, 1_649, "<enter>"), []);
        assert_eq!(press(&mut model, 1_650, "1"), chosen("SQLite"));
        assert_eq!(draft(&model), "2");
    }

    #[test]
    fn the_run_can_be_ended_at_any_moment() {
        assert_eq!(press(&mut consulted(OPTIONS), 0, "<c-c>"), [Effect::Abort]);
    }

    #[test]
    fn a_paste_answers_nothing() {
        let mut model = consulted(OPTIONS);
        assert_eq!(update(&mut model, Moment(500), Msg::Paste("1\n".to_owned())), []);
        assert_eq!(draft(&model), "1\n");
        press(&mut model, 500, "3");
        update(&mut model, Moment(500), Msg::Paste("a\nb".to_owned()));
        assert_eq!(press(&mut model, 500, "<enter>"), chosen("a\nb"));
    }

    #[test]
    fn another_mode_answers_nothing() {
        let mut model = consulted(OPTIONS);
        reply(&mut model, Reply::Mode("plan".to_owned()));
        reply(&mut model, Reply::Answered(vec![]));
        assert!(matches!(model.stage, Stage::Answering(_)));
    }
}
