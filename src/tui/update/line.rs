//! A whole line, from a terminal that edits lines itself: the same as the keys that would have said it.
//!
//! Nothing is decided here twice: a line becomes keys, and they go where keys go. The surprise is what an empty line does not do:
//! where Enter alone would take the row that has the focus, it takes nothing, since here nobody sees a focus. And words that
//! answer no question are not lost: they wait in the draft.

use super::update;
use crate::tui::effect::Effect;
use crate::tui::key::{Key, KeyCode};
use crate::tui::keymap::{self, Action, Focus};
use crate::tui::model::choice::Choice;
use crate::tui::model::draft::Draft;
use crate::tui::model::moment::Moment;
use crate::tui::model::overlay::Overlay;
use crate::tui::model::rewind::{Rewind, Step};
use crate::tui::model::setup;
use crate::tui::model::{Model, Stage};
use crate::tui::msg::Msg;

const ENTER: Key = Key::plain(KeyCode::Enter);
const DOWN: Key = Key::plain(KeyCode::Down);
const UP: Key = Key::plain(KeyCode::Up);

/// Takes a line.
pub(super) fn take(model: &mut Model, now: Moment, line: &str) -> Vec<Effect> {
    let words = line.trim();
    match (&model.overlay, &model.stage) {
        (Some(Overlay::Page(_)), _) => Vec::new(),
        // without a model there is nobody to talk to, and to leave the list is to leave
        (Some(Overlay::Models(_)), Stage::Opening) if words.is_empty() => Vec::new(),
        (Some(Overlay::Models(picker)), _) => {
            let keys = pick(picker.choice(), words);
            press(model, now, keys)
        }
        (Some(Overlay::Sessions(open)), _) if open.is_opening() => say(model, now, line),
        (Some(Overlay::Sessions(open)), _) => {
            let keys = pick(open.picker.choice(), words);
            press(model, now, keys)
        }
        (Some(Overlay::Rewind(open)), _) => {
            let keys = go_back(open, words);
            press(model, now, keys)
        }
        (Some(Overlay::Themes(themes)), _) => {
            let keys = pick(themes.picker.choice(), words);
            press(model, now, keys)
        }
        (Some(Overlay::Tasks(tasks)), _) => {
            let keys = row_and_key(tasks.focus, words, ('x', ENTER));
            press(model, now, keys)
        }
        (Some(Overlay::Permissions(open)), _) => {
            let keys = row_and_key(open.focus, words, ('d', Key::char('d')));
            press(model, now, keys)
        }
        (None, Stage::Opening | Stage::Idle | Stage::Running) => say(model, now, line),
        (None, Stage::Asking(asking)) => {
            let is_early = !asking.guard.takes_keys(now);
            if is_early { keep(model, line) } else { answer(model, now, line) }
        }
        (None, Stage::Answering(answering)) => {
            let is_early = !answering.guard.takes_keys(now);
            if is_early { keep(model, line) } else { choose(model, now, words) }
        }
        (None, Stage::AtLimit(limit)) => {
            let is_early = !limit.guard.takes_keys(now);
            let key = if words.is_empty() { Some(ENTER) } else { bound(Focus::Limit, words) };
            match key {
                Some(key) if !is_early => press(model, now, vec![key]),
                Some(_) | None => keep(model, line),
            }
        }
        (None, Stage::Trusting(trusting)) => {
            let is_early = !trusting.guard.takes_keys(now);
            match bound(Focus::Question, words) {
                Some(key) if !is_early => press(model, now, vec![key]),
                Some(_) | None => keep(model, line),
            }
        }
        (None, Stage::Choosing(_)) => set_up(model, now, words),
    }
}

/// Types a line into the input and sends it.
fn say(model: &mut Model, now: Moment, line: &str) -> Vec<Effect> {
    if line.trim() == "?" && model.composer.is_empty() {
        return press(model, now, vec![Key::char('?')]);
    }
    if !line.is_empty() {
        write(model, line);
    }
    press(model, now, vec![ENTER])
}

/// Words that are no answer wait for somebody to talk to.
fn keep(model: &mut Model, line: &str) -> Vec<Effect> {
    if !line.trim().is_empty() {
        write(model, line);
    }
    Vec::new()
}

/// Types a line into the input, behind what is there; nothing of it is completed.
fn write(model: &mut Model, line: &str) {
    let composer = &mut model.composer;
    if !composer.is_empty() && !composer.written().text().ends_with('\n') {
        composer.new_line();
    }
    let mut rest = line.chars();
    if composer.is_empty() {
        rest.next().into_iter().for_each(|first| composer.type_in(first));
    }
    composer.paste(rest.as_str());
    composer.escape();
    composer.take_wish();
}

/// A number, `y`, or `n`, and what is to be done instead behind a no.
fn answer(model: &mut Model, now: Moment, line: &str) -> Vec<Effect> {
    let Stage::Asking(asking) = &mut model.stage else { return Vec::new() };
    if let Some(words) = &mut asking.words {
        words.insert(Draft::plain(line.trim()));
        return press(model, now, vec![ENTER]);
    }
    let (first, rest) = line.trim().split_once([' ', ',']).unwrap_or((line.trim(), ""));
    let Some(key) = bound(Focus::Question, first) else { return keep(model, line) };
    let no = asking.rows().any(|(number, row)| {
        row == crate::tui::model::question::Row::No && key == Key::char(char::from(b'0' + number))
    });
    match (rest.trim(), no) {
        ("", _) => press(model, now, vec![key]),
        (_, false) if key != Key::char('n') => keep(model, line),
        (words, _) => {
            let words = words.to_owned();
            let mut effects = press(model, now, vec![Key::char('3')]);
            if let Stage::Asking(asking) = &mut model.stage
                && let Some(typed) = &mut asking.words
            {
                typed.insert(Draft::plain(words));
                effects.extend(press(model, now, vec![ENTER]));
            }
            effects
        }
    }
}

/// An option by its number, or an answer in own words.
fn choose(model: &mut Model, now: Moment, words: &str) -> Vec<Effect> {
    let Stage::Answering(answering) = &mut model.stage else { return Vec::new() };
    // behind the number of the no stands what to change; alone it says nothing yet
    let words = if answering.is_plan() { behind_the_no(words) } else { words };
    match words.parse::<usize>() {
        _ if words.is_empty() => return Vec::new(),
        Ok(number) if !answering.in_words() && (1..=answering.choice.options.len()).contains(&number) => {
            answering.focus = number - 1;
        }
        Ok(_) | Err(_) => {
            answering.go_to_words();
            answering.words.insert(Draft::plain(words));
        }
    }
    press(model, now, vec![ENTER])
}

/// What to change, of `3 tests first`; nothing, of a 3 alone.
fn behind_the_no(words: &str) -> &str {
    let rest = words.strip_prefix('3').map(|rest| rest.strip_prefix('.').unwrap_or(rest));
    rest.filter(|rest| rest.is_empty() || rest.starts_with(' ')).map_or(words, str::trim)
}

/// A row by its number; an address or a key as it stands.
fn set_up(model: &mut Model, now: Moment, words: &str) -> Vec<Effect> {
    let Stage::Choosing(choosing) = &mut model.stage else { return Vec::new() };
    match &choosing.step {
        setup::Step::Opening => return keep(model, words),
        setup::Step::Url(_) | setup::Step::Key { .. } => {
            let mut effects = update(model, now, Msg::Paste(words.to_owned()));
            effects.extend(press(model, now, vec![ENTER]));
            return effects;
        }
        setup::Step::Rows => {}
    }
    match number(words).filter(|row| *row < choosing.rows().len()) {
        Some(row) => {
            choosing.focus = row;
            press(model, now, vec![ENTER])
        }
        None => Vec::new(),
    }
}

/// The keys that take the item of this number, narrow the list by words, or, with nothing said, leave it.
fn pick(choice: &Choice, words: &str) -> Vec<Key> {
    match number(words).filter(|row| *row < choice.matching()) {
        Some(row) => to_row(choice.chosen_row(usize::MAX), row).chain([ENTER]).collect(),
        None if words.is_empty() => vec![Key::plain(KeyCode::Esc)],
        None => std::iter::once(Key::ctrl('u')).chain(words.chars().map(Key::char)).collect(),
    }
}

/// The keys that pick a message, or say how far the way back goes; nothing said leads a step back.
fn go_back(open: &Rewind, words: &str) -> Vec<Key> {
    match open.step {
        Step::Picking => pick(open.picker.choice(), words),
        Step::Looking(_) | Step::Choosing(_) | Step::Going if words.is_empty() => {
            vec![Key::plain(KeyCode::Esc)]
        }
        Step::Looking(_) | Step::Choosing(_) | Step::Going => {
            bound(Focus::Rewind, words).into_iter().collect()
        }
    }
}

/// A number takes a row, a sign before it does that to the row, nothing leaves.
fn row_and_key(focus: usize, words: &str, (sign, key): (char, Key)) -> Vec<Key> {
    let (key, row) = match words.strip_prefix(sign) {
        Some(row) => (Key::char(sign), number(row.trim())),
        None => (key, number(words)),
    };
    match row {
        Some(row) => to_row(focus, row).chain([key]).collect(),
        None if words.is_empty() => vec![Key::plain(KeyCode::Esc)],
        None => Vec::new(),
    }
}

/// The keys from one row to another.
fn to_row(from: usize, to: usize) -> impl Iterator<Item = Key> {
    let key = if to < from { UP } else { DOWN };
    std::iter::repeat_n(key, to.abs_diff(from))
}

/// The row, from 0, of a number from 1.
fn number(words: &str) -> Option<usize> {
    words.parse::<usize>().ok()?.checked_sub(1)
}

/// The one letter that the words are, where it answers.
fn bound(focus: Focus, words: &str) -> Option<Key> {
    let mut letters = words.chars();
    let key = letters.next().filter(|_| letters.as_str().is_empty()).map(Key::char)?;
    match keymap::action(focus, key)? {
        Action::Answer(_) | Action::Yes | Action::No => Some(key),
        _ => None,
    }
}

fn press(model: &mut Model, now: Moment, keys: Vec<Key>) -> Vec<Effect> {
    let press = |key| {
        // a line has no auto-repeat
        model.recent.pressed = None;
        update(model, now, Msg::Key(key))
    };
    keys.into_iter().flat_map(press).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{asked, consulted, draft, idle, planned, running};
    use super::*;
    use crate::protocol::{Answer, QuestionId};
    use crate::tui::model::question::Guard;

    /// What a line brings at this moment, without what is kept for the input's history.
    fn line(model: &mut Model, at: u64, text: &str) -> Vec<Effect> {
        let mut effects = update(model, Moment(at), Msg::Line(text.to_owned()));
        effects.retain(|effect| !matches!(effect, Effect::KeepInput(_)));
        effects
    }

    fn answer(answer: Answer) -> Vec<Effect> {
        vec![Effect::Answer(QuestionId(7), answer)]
    }

    fn deny(words: Option<&str>) -> Vec<Effect> {
        answer(Answer::Deny { words: words.map(str::to_owned) })
    }

    #[test]
    fn a_line_is_said_with_its_sign_and_nothing_of_it_is_completed() {
        let submit = |text: &str| vec![Effect::Submit(text.to_owned())];
        assert_eq!(line(&mut idle(), 0, "hello"), submit("hello"));
        assert_eq!(line(&mut idle(), 0, "look at @src"), submit("look at @src"));
        assert_eq!(line(&mut idle(), 0, "!ls -l"), [Effect::RunOwn("ls -l".to_owned())]);
        assert_eq!(line(&mut idle(), 0, "/st"), [], "it is no command, and becomes none");
        assert_eq!(line(&mut idle(), 0, "/status"), [Effect::Status]);
        assert_eq!(line(&mut idle(), 0, ""), [Effect::Again]);
        assert_eq!(line(&mut running(), 0, "two"), submit("two"));
        let mut model = idle();
        assert_eq!(line(&mut model, 0, "?"), []);
        assert!(matches!(model.overlay, Some(Overlay::Page(_))));
    }

    #[test]
    fn a_backslash_continues_and_a_draft_comes_first() {
        let mut model = idle();
        assert_eq!(line(&mut model, 0, "one\\"), []);
        assert_eq!(line(&mut model, 0, "two"), [Effect::Submit("one\ntwo".to_owned())]);
        update(&mut model, Moment(0), Msg::Paste("!a\n/b".to_owned()));
        assert_eq!(line(&mut model, 0, ""), [Effect::Submit("!a\n/b".to_owned())]);
    }

    #[test]
    fn a_plan_takes_a_number_and_words_say_what_to_change() {
        let given = |text: &str| line(&mut planned(), 500, text);
        assert_eq!(given("1"), answer(Answer::Chosen("Yes".to_owned())));
        assert_eq!(given("2"), answer(Answer::Chosen("Yes, and accept edits".to_owned())));
        assert_eq!(given("3 tests first"), deny(Some("tests first")));
        assert_eq!(given("3. tests first"), deny(Some("tests first")));
        assert_eq!(given("33 tests"), deny(Some("33 tests")));
        assert_eq!(given("yes"), deny(Some("yes")));
        assert_eq!((given("3"), given("")), (vec![], vec![]));
    }

    #[test]
    fn a_question_takes_what_answers_it_and_nothing_else() {
        let given = |text: &str| line(&mut asked(false), 500, text);
        assert_eq!(given("1"), answer(Answer::Allow));
        assert_eq!(given(" y "), answer(Answer::Allow));
        assert_eq!(given("n"), deny(None));
        assert_eq!(given("3 use b"), deny(Some("use b")));
        assert_eq!(given("n, use b"), deny(Some("use b")));
        for text in ["", "yes", "9", "12", "1 and more", "4"] {
            let mut model = asked(false);
            assert_eq!(line(&mut model, 500, text), [], "{text}");
            assert!(matches!(model.stage, Stage::Asking(_)), "{text}");
        }
        let mut model = asked(false);
        assert_eq!(line(&mut model, 500, "3"), []);
        assert_eq!(line(&mut model, 500, "use c"), deny(Some("use c")));
        let mut model = asked(false);
        assert_eq!(line(&mut model, 500, "yes please"), []);
        assert_eq!(draft(&model), "yes please", "what is no answer is kept");
    }

    #[test]
    fn a_question_takes_no_line_too_early() {
        let mut model = asked(false);
        assert_eq!(line(&mut model, 199, "1"), []);
        assert_eq!(draft(&model), "1");
        assert_eq!(line(&mut model, 200, "1"), answer(Answer::Allow));
    }

    #[test]
    fn a_question_of_the_model_takes_a_number_or_words() {
        let given = |text: &str| line(&mut consulted(&["SQLite", "Postgres"]), 500, text);
        let chosen = |text: &str| answer(Answer::Chosen(text.to_owned()));
        assert_eq!(given("2"), chosen("Postgres"));
        assert_eq!(given("neither"), chosen("neither"));
        assert_eq!(given("7"), chosen("7"));
        assert_eq!(given(""), []);
    }

    #[test]
    fn the_turn_limit_takes_y_n_and_enter() {
        use crate::conversation::GoOn;
        let given = |text: &str| {
            let mut model = running();
            let guard = Guard::new(Moment(0), None);
            let (took, limit) = (std::time::Duration::ZERO, crate::tui::model::Limit::Turns { turns: 1 });
            model.stage = Stage::AtLimit(crate::tui::model::AtLimit { limit, calls: 1, took, guard });
            line(&mut model, 500, text)
        };
        assert_eq!(given("y"), [Effect::GoOn(GoOn::Yes)]);
        assert_eq!(given(""), [Effect::GoOn(GoOn::Yes)]);
        assert_eq!(given("n"), [Effect::GoOn(GoOn::Stop)]);
        assert_eq!(given("what"), []);
    }

    #[test]
    fn the_way_back_takes_a_number_twice_and_is_left_a_step_at_a_time() {
        use crate::app::{Point, Preview, Reach, Way};
        use crate::tui::effect::RewindWish;
        use crate::tui::msg::{Reply, RewindReply};
        let wish = |wish: RewindWish| vec![Effect::Rewind(wish)];
        let mut model = idle();
        assert_eq!(line(&mut model, 0, "/rewind"), wish(RewindWish::List));
        let point = |position, words: &str| Point { position, words: words.to_owned(), about: String::new() };
        let told = RewindReply::Points(vec![point(4, "two"), point(0, "one")]);
        update(&mut model, Moment(0), Msg::Reply(Reply::Rewind(told)));
        assert_eq!(line(&mut model, 0, "2"), wish(RewindWish::Look(0)));
        let preview =
            Preview { to: 0, words: String::new(), messages: 2, files: Vec::new(), beyond: Vec::new() };
        update(&mut model, Moment(0), Msg::Reply(Reply::Rewind(RewindReply::Looked(Box::new(preview)))));
        assert_eq!(line(&mut model, 0, "both"), []);
        assert_eq!(line(&mut model, 0, ""), [], "back to the list");
        assert_eq!(line(&mut model, 0, "2"), wish(RewindWish::Look(0)));
        let preview =
            Preview { to: 0, words: String::new(), messages: 2, files: Vec::new(), beyond: Vec::new() };
        update(&mut model, Moment(0), Msg::Reply(Reply::Rewind(RewindReply::Looked(Box::new(preview)))));
        assert_eq!(line(&mut model, 0, "3"), wish(RewindWish::Go(Way::Back(0, Reach::Files))));
    }

    #[test]
    fn a_list_takes_a_number_narrows_by_words_and_is_left_by_nothing() {
        use crate::tui::model::choice::Item;
        use crate::tui::model::picker::Picker;
        let open = || {
            let mut model = idle();
            let items = ["one", "two", "twelve"].map(|name| Item::new(name, "")).to_vec();
            model.overlay = Some(Overlay::Models(Box::new(Picker::new("Model", items))));
            model
        };
        let switch = |name: &str| vec![Effect::SwitchModel(name.to_owned())];
        assert_eq!(line(&mut open(), 0, "3"), switch("twelve"));
        let mut model = open();
        assert_eq!(line(&mut model, 0, "tw"), []);
        assert_eq!(line(&mut model, 0, "2"), switch("twelve"));
        let mut model = open();
        assert_eq!((line(&mut model, 0, ""), model.overlay.is_none()), (Vec::new(), true));
        let mut model = open();
        model.stage = Stage::Opening;
        assert_eq!((line(&mut model, 0, ""), model.overlay.is_some()), (Vec::new(), true));
    }
}
