//! Keys while a question waits: a permission, or the turn limit.

use super::{input, reports};
use crate::conversation::GoOn;
use crate::protocol::{Answer, Occasion};
use crate::text::units;
use crate::tui::effect::Effect;
use crate::tui::key::{Key, KeyCode};
use crate::tui::keymap::{self, Action, Focus};
use crate::tui::model::buffer::Buffer;
use crate::tui::model::draft::Draft;
use crate::tui::model::moment::Moment;
use crate::tui::model::overlay::{Overlay, Page, PageOf};
use crate::tui::model::question::{Asking, Row, Shown, Step};
use crate::tui::model::{Limit, Model, Stage};

/// What a key means for a question.
enum Pressed {
    /// Nothing, or something on the way to an answer.
    Nothing,
    /// This is the answer.
    Row(Row),
    /// No, with these words; without any where they are blank.
    No(String),
    /// From the words back to the rows.
    Back,
    /// End the run.
    Abort,
    /// For the program as a whole.
    Elsewhere(Effect),
    /// The whole transcript, with the question's preview in full.
    Page,
}

/// A key while a permission question waits.
pub(super) fn press(model: &mut Model, now: Moment, key: Key) -> Vec<Effect> {
    let Stage::Asking(asking) = &mut model.stage else { return Vec::new() };
    let stops = keymap::action(Focus::Question, key) == Some(Action::Abort);
    if !stops && !model.recent.is_meant_for(&asking.guard, now) {
        if input::type_ahead(model, now, key)
            && let Stage::Asking(asking) = &mut model.stage
        {
            asking.guard.typed(now);
        }
        return Vec::new();
    }
    let pressed = match &mut asking.words {
        Some(words) => press_in_words(words, key),
        None => press_in_rows(asking, key),
    };
    match pressed {
        Pressed::Nothing => Vec::new(),
        Pressed::Row(row) => choose(model, row),
        Pressed::No(words) => {
            let words = Some(words.trim().to_owned()).filter(|words| !words.is_empty());
            answer(model, Answer::Deny { words })
        }
        Pressed::Back => {
            asking.words = None;
            Vec::new()
        }
        Pressed::Abort => input::stop(model),
        Pressed::Elsewhere(effect) => vec![effect],
        Pressed::Page => reports::open_transcript(model),
    }
}

/// Opens the question on a page of its own, at its beginning. It has been seen when the end of the page is reached.
fn show_whole(model: &mut Model) -> Vec<Effect> {
    if let Stage::Asking(asking) = &model.stage {
        model.overlay = Some(Overlay::Page(Page::open(PageOf::Question(asking.id))));
    }
    Vec::new()
}

/// A paste into the words of a refusal. Says whether words are being typed.
pub(super) fn paste(asking: &mut Asking, text: &str) -> bool {
    match &mut asking.words {
        Some(words) => {
            words.insert(Draft::plain(text));
            true
        }
        None => false,
    }
}

fn press_in_rows(asking: &mut Asking, key: Key) -> Pressed {
    match keymap::action(Focus::Question, key) {
        Some(Action::Answer(number)) => {
            let row = asking.rows().find(|(its, _)| *its == number);
            row.map_or(Pressed::Nothing, |(_, row)| Pressed::Row(row))
        }
        Some(Action::Enter) => Pressed::Row(asking.focus),
        Some(Action::Yes) => Pressed::Row(Row::Yes),
        Some(Action::No) => Pressed::No(String::new()),
        Some(Action::Up) => {
            asking.step(Step::Up);
            Pressed::Nothing
        }
        Some(Action::Down) => {
            asking.step(Step::Down);
            Pressed::Nothing
        }
        Some(Action::Abort) => Pressed::Abort,
        Some(Action::NextMode) => Pressed::Elsewhere(Effect::NextMode),
        Some(Action::Suspend) => Pressed::Elsewhere(Effect::Suspend),
        Some(Action::Redraw) => Pressed::Elsewhere(Effect::Redraw),
        Some(Action::Transcript) => Pressed::Page,
        _ => Pressed::Nothing,
    }
}

fn press_in_words(words: &mut Buffer, key: Key) -> Pressed {
    match keymap::action(Focus::Running, key) {
        Some(Action::Type(c)) => words.type_in(Draft::plain(c)),
        Some(Action::Help) => words.type_in(Draft::plain('?')),
        Some(Action::Edit(edit)) => words.edit(edit),
        Some(Action::NewLine) => words.type_in(Draft::plain(' ')),
        Some(Action::Enter) => return Pressed::No(words.draft().text().to_owned()),
        Some(Action::Abort) if key.code == KeyCode::Esc => return Pressed::Back,
        Some(Action::Abort) => return Pressed::Abort,
        Some(Action::Suspend) => return Pressed::Elsewhere(Effect::Suspend),
        Some(Action::Redraw) => return Pressed::Elsewhere(Effect::Redraw),
        _ => {}
    }
    Pressed::Nothing
}

fn choose(model: &mut Model, row: Row) -> Vec<Effect> {
    let size = model.size;
    let Stage::Asking(asking) = &mut model.stage else { return Vec::new() };
    asking.focus = row;
    match row {
        Row::Yes | Row::Network | Row::Always
            if asking.shown == Shown::Part && asking.is_seen_before_yes() =>
        {
            show_whole(model)
        }
        Row::Yes => answer(model, Answer::Allow),
        Row::Network => answer(model, Answer::AllowWithNetwork),
        // what is saved is seen first
        Row::Always if !asking.shows_rules(size) => show_whole(model),
        Row::Always => {
            let mut effects = vec![Effect::Remember(asking.approval.remember.clone())];
            effects.extend(answer(model, Answer::AllowAlways));
            effects
        }
        // nobody waits for words: the model gets the failure
        Row::No if asking.approval.occasion == Occasion::Stopped => {
            answer(model, Answer::Deny { words: None })
        }
        Row::No => {
            asking.words = Some(Buffer::default());
            Vec::new()
        }
    }
}

fn answer(model: &mut Model, answer: Answer) -> Vec<Effect> {
    match std::mem::replace(&mut model.stage, Stage::Running) {
        Stage::Asking(asking) => vec![Effect::Answer(asking.id, answer)],
        other => {
            model.stage = other;
            Vec::new()
        }
    }
}

/// A key while the turn-limit question waits.
pub(super) fn press_at_limit(model: &mut Model, now: Moment, key: Key) -> Vec<Effect> {
    let Stage::AtLimit(limit) = &mut model.stage else { return Vec::new() };
    if !model.recent.is_meant_for(&limit.guard, now) {
        if input::type_ahead(model, now, key)
            && let Stage::AtLimit(limit) = &mut model.stage
        {
            limit.guard.typed(now);
        }
        return Vec::new();
    }
    match keymap::action(Focus::Limit, key) {
        Some(Action::Yes) => {
            super::run::begin(model, now);
            vec![Effect::GoOn(GoOn::Yes)]
        }
        Some(Action::No) => {
            let told = stopped(&limit.limit);
            model.stage = Stage::Idle;
            model.queue.drop_messages();
            input::remark(model, told);
            vec![Effect::GoOn(GoOn::Stop)]
        }
        Some(Action::Suspend) => vec![Effect::Suspend],
        Some(Action::Redraw) => vec![Effect::Redraw],
        _ => Vec::new(),
    }
}

/// Why the transcript ends here.
fn stopped(limit: &Limit) -> String {
    let counted = |turns: u32| units::counted(turns.into(), "turn", "turns");
    match limit {
        Limit::Turns { turns } => format!("stopped at the turn limit after {}", counted(*turns)),
        Limit::Repeats { turns } => {
            format!("stopped after {}: the model was repeating itself", counted(*turns))
        }
        Limit::Budget { used } => format!("stopped: budget reached ({used} used)"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::testing::{asked, draft, happen, press, reply, running};
    use super::*;
    use crate::protocol::{Asked, Hold, Network, Preview, Question, QuestionId, Writes};
    use crate::tui::effect::ReportWish;
    use crate::tui::model::question::Guard;
    use crate::tui::model::transcript::Cell;
    use crate::tui::model::{AtLimit, Size};
    use crate::tui::msg::{Msg, Reply};
    use crate::tui::update::update;

    fn answered(answer: Answer) -> Vec<Effect> {
        vec![Effect::Answer(QuestionId(7), answer)]
    }

    fn deny(words: Option<&str>) -> Vec<Effect> {
        answered(Answer::Deny { words: words.map(str::to_owned) })
    }

    #[test]
    fn each_key_gives_its_answer() {
        let check = |keys: &str, expected: Vec<Effect>| {
            assert_eq!(press(&mut asked(false), 200, keys), expected, "{keys}");
        };
        for keys in ["1", "y", "<enter>", "<down><up><enter>"] {
            check(keys, answered(Answer::Allow));
        }
        let mut always = vec![Effect::Remember(vec!["Bash(touch a)".to_owned()])];
        always.extend(answered(Answer::AllowAlways));
        check("2", always);
        check("n", deny(None));
        check("3<enter>", deny(None));
        check("3  <enter>", deny(None));
        check("3use b?<enter>", deny(Some("use b?")));
        check("<esc>", vec![Effect::Abort]);
        check("<c-c>", vec![Effect::Abort]);
        check("3no<c-c>", vec![Effect::Abort]);
        check("<s-tab>", vec![Effect::NextMode]);
        for keys in ["4", "x", "<down><down>"] {
            check(keys, vec![]);
        }
    }

    #[test]
    fn where_harm_cannot_be_undone_enter_says_no() {
        let mut model = asked(true);
        assert_eq!(press(&mut model, 200, "<enter>"), []);
        assert_eq!(press(&mut model, 200, "<enter>"), deny(None));
    }

    #[test]
    fn what_comes_too_early_goes_on_into_the_draft() {
        let mut model = asked(false);
        assert_eq!(press(&mut model, 199, "1y?<enter>"), []);
        assert_eq!(draft(&model), "1y?");
        assert_eq!(press(&mut model, 200, "1"), answered(Answer::Allow));
        assert_eq!(draft(&model), "1y?");
    }

    #[test]
    fn who_types_as_it_comes_is_let_finish() {
        let mut model = asked(false);
        let Stage::Asking(asking) = &mut model.stage else { panic!("a question") };
        asking.guard = Guard::new(Moment(1_000), Some(Moment(900)));
        assert_eq!(press(&mut model, 1_250, "y"), []);
        assert_eq!(press(&mut model, 1_649, "<enter>"), []);
        assert_eq!(press(&mut model, 1_650, "1"), answered(Answer::Allow));
        assert_eq!(draft(&model), "y");
    }

    #[test]
    fn the_run_can_be_ended_at_any_moment() {
        assert_eq!(press(&mut asked(false), 0, "<esc>"), [Effect::Abort]);
    }

    #[test]
    fn a_paste_answers_nothing() {
        let mut model = asked(false);
        assert_eq!(update(&mut model, Moment(500), Msg::Paste("1\ny\n".to_owned())), []);
        assert_eq!(draft(&model), "1\ny\n");
        press(&mut model, 500, "3");
        update(&mut model, Moment(500), Msg::Paste("use b".to_owned()));
        assert_eq!(press(&mut model, 500, "<enter>"), deny(Some("use b")));
    }

    #[test]
    fn a_rule_that_cannot_be_shown_whole_is_not_offered() {
        let mut model = asked(false);
        let Stage::Asking(asking) = model.stage else { panic!("a question") };
        let approval =
            crate::protocol::Approval { remember: vec!["Bash(a\nb)".to_owned()], ..asking.approval };
        model.stage = Stage::Running;
        let question = Question { id: QuestionId(7), asked: Asked::Approval(approval) };
        happen(&mut model, crate::conversation::Happening::Asked(question));
        assert_eq!(press(&mut model, 200, "2"), []);
        assert_eq!(press(&mut model, 200, "3no<enter>"), deny(Some("no")));
    }

    /// The question of [`asked`], made another.
    fn asked_so(change: impl FnOnce(&mut Asking)) -> Model {
        let mut model = asked(false);
        if let Stage::Asking(asking) = &mut model.stage {
            change(asking);
        }
        model
    }

    #[test]
    fn four_grants_the_network_where_the_sandbox_has_none() {
        let held = |network| Hold::Held { writes: Writes::Workspace, network };
        let check = |hold: Hold, keys: &str, expected: Vec<Effect>| {
            let mut model = asked_so(|asking| asking.approval.hold = hold);
            assert_eq!(press(&mut model, 200, keys), expected, "{keys} {hold:?}");
        };
        for keys in ["4", "<down><down><down><enter>", "<down><down><down><down><enter>"] {
            check(held(Network::Off), keys, answered(Answer::AllowWithNetwork));
        }
        for hold in [held(Network::On), Hold::Free] {
            check(hold, "4", vec![]);
            check(hold, "<down><down><down><enter><enter>", deny(None));
        }
    }

    #[test]
    fn a_no_to_an_offer_takes_no_words() {
        let offer = || {
            asked_so(|asking| {
                asking.approval.occasion = Occasion::Stopped;
                asking.focus = Row::No;
            })
        };
        for keys in ["3", "n", "<enter>"] {
            assert_eq!(press(&mut offer(), 200, keys), deny(None), "{keys}");
        }
        assert_eq!(press(&mut offer(), 200, "y"), answered(Answer::Allow));
        assert_eq!(press(&mut offer(), 200, "<esc>"), [Effect::Abort]);
    }

    #[test]
    fn a_rule_is_saved_only_once_it_was_seen_whole() {
        let long = format!("Bash(echo {})", "x".repeat(190));
        let saved =
            vec![Effect::Remember(vec![long.clone()]), Effect::Answer(QuestionId(7), Answer::AllowAlways)];
        let check = |(columns, rows), keys: &str, expected: &[Effect]| {
            let mut model = asked_so(|asking| asking.approval.remember = vec![long.clone()]);
            model.size = Size { columns, rows };
            assert_eq!(press(&mut model, 200, keys), expected, "{columns}x{rows} {keys}");
        };
        check((120, 40), "2", &saved);
        check((80, 24), "2", &saved);
        check((40, 12), "2", &[]);
        check((40, 12), "2q2", &[]);
        check((40, 12), "2<end>q2", &saved);
        check((40, 12), "<c-o>q2", &[Effect::Report(ReportWish::Results)]);
        check((40, 12), "2q1", &answered(Answer::Allow));
    }

    #[test]
    fn a_command_that_is_shown_in_part_is_shown_whole_before_a_yes_counts() {
        let cut = |preview: Option<Preview>| {
            asked_so(|asking| {
                asking.shown = Shown::Part;
                asking.approval.preview = preview.unwrap_or_else(|| asking.approval.preview.clone());
            })
        };
        for (key, yes) in [("1", "1"), ("y", "y"), ("<enter>", "<enter>"), ("1", "<enter>")] {
            let mut model = cut(None);
            assert_eq!(press(&mut model, 200, &key.repeat(50)), [], "{key} opens the page and repeats there");
            let Some(Overlay::Page(page)) = &model.overlay else { panic!("a page") };
            assert_eq!((page.of, page.up), (PageOf::Question(QuestionId(7)), Page::TOP));
            assert_eq!(press(&mut model, 200, "q"), []);
            assert_eq!(press(&mut model, 200, key), [], "{key}: the end was not reached");
            assert!(model.overlay.is_some());
            assert_eq!(press(&mut model, 200, "<end>q"), []);
            assert_eq!(press(&mut model, 200, yes), answered(Answer::Allow), "{key} {yes}");
        }
        assert_eq!(press(&mut cut(None), 200, "n"), deny(None));
        assert_eq!(press(&mut cut(None), 200, "<c-o>q1"), [Effect::Report(ReportWish::Results)]);
        assert_eq!(press(&mut cut(Some(Preview::Changes(Vec::new()))), 200, "1"), answered(Answer::Allow));
    }

    #[test]
    fn an_auto_repeated_key_answers_nothing() {
        // the key that sent the message repeats: after a while for the first time, then quickly
        let repeating = |key: &str, first: u64| {
            let mut model = running();
            if first < 50 {
                press(&mut model, first, key);
            }
            let Stage::Asking(asking) = asked(false).stage else { panic!("a question") };
            let question = Question { id: asking.id, asked: Asked::Approval(asking.approval) };
            let happened = crate::conversation::Happening::Asked(question);
            update(&mut model, Moment(50), Msg::Happened(Box::new(happened)));
            if first >= 50 {
                press(&mut model, first, key);
            }
            model
        };
        for key in ["<enter>", "y", "1"] {
            for first in [0, 100] {
                let mut model = repeating(key, first);
                for at in (first + 660..5_000).step_by(40) {
                    assert_eq!(press(&mut model, at, key), [], "{key} {first} at {at}");
                }
                let expected = if key == "<enter>" { 5_400 } else { 5_800 };
                assert_eq!(press(&mut model, expected, key), answered(Answer::Allow), "{key} let go");
            }
        }
        // a second press that is not followed by others counts, as soon as that is known
        for key in ["<enter>", "y"] {
            let mut model = repeating(key, 0);
            assert_eq!(press(&mut model, 500, key), [], "{key}");
            assert_eq!(update(&mut model, Moment(649), Msg::Tick), []);
            assert_eq!(update(&mut model, Moment(650), Msg::Tick), answered(Answer::Allow), "{key}");
        }
        assert_eq!(press(&mut repeating("<enter>", 0), 800, "<enter>"), answered(Answer::Allow));
        // nor are two at once, or another key after it
        for keys in ["<enter><enter>", "<enter>x"] {
            assert_eq!(press(&mut repeating("<enter>", 0), 500, keys), answered(Answer::Allow), "{keys}");
        }
        // nor is another key
        assert_eq!(press(&mut repeating("<enter>", 0), 500, "y"), answered(Answer::Allow));
    }

    #[test]
    fn a_question_that_the_rules_have_answered_goes() {
        let mut model = asked(false);
        reply(&mut model, Reply::Answered(vec![6]));
        assert!(matches!(model.stage, Stage::Asking(_)));
        reply(&mut model, Reply::Answered(vec![6, 7]));
        assert!(matches!(model.stage, Stage::Running));
    }

    #[test]
    fn the_turn_limit_takes_its_keys_after_a_while() {
        let check = |at: u64, keys: &str, expected: &[Effect]| {
            let mut model = running();
            let guard = Guard::new(Moment(0), None);
            model.stage = Stage::AtLimit(AtLimit {
                limit: Limit::Turns { turns: 2 },
                calls: 1,
                took: Duration::ZERO,
                guard,
            });
            assert_eq!(press(&mut model, at, keys), expected, "{keys} at {at}");
        };
        for key in ["y", "<enter>"] {
            check(200, key, &[Effect::GoOn(GoOn::Yes)]);
            check(199, key, &[]);
        }
        for key in ["n", "<esc>", "<c-c>"] {
            check(200, key, &[Effect::GoOn(GoOn::Stop)]);
        }
        check(200, "1", &[]);
    }

    #[test]
    fn who_stops_at_a_limit_reads_later_that_it_was_one() {
        let check = |limit: Limit, keys: &str, expected: &[&str]| {
            let mut model = running();
            let guard = Guard::new(Moment(0), None);
            model.stage = Stage::AtLimit(AtLimit { limit, calls: 1, took: Duration::ZERO, guard });
            press(&mut model, 200, keys);
            let said = model.transcript.cells().iter().map(|cell| match cell {
                Cell::Remark(text) => text.as_str(),
                other => panic!("{other:?}"),
            });
            assert_eq!(said.collect::<Vec<_>>(), expected);
        };
        for key in ["n", "<esc>"] {
            check(Limit::Turns { turns: 100 }, key, &["stopped at the turn limit after 100 turns"]);
            check(Limit::Turns { turns: 1 }, key, &["stopped at the turn limit after 1 turn"]);
            let repeats = ["stopped after 15 turns: the model was repeating itself"];
            check(Limit::Repeats { turns: 15 }, key, &repeats);
            let used = "$5.02 of $5.00".to_owned();
            check(Limit::Budget { used }, key, &["stopped: budget reached ($5.02 of $5.00 used)"]);
        }
        check(Limit::Turns { turns: 100 }, "y", &[]);
    }
}
