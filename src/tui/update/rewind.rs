//! Keys on the way back to an earlier message: pick one, see what would change, say how far.
//!
//! Enter picks a message and nothing else: how far it goes is said by a digit alone, so that no habit of the fingers puts files
//! back. As long as they are put back, no key does anything.

use super::input::remark;
use super::overlay::press_picker;
use crate::app::{Arrived, Point, Preview, Reach, Way};
use crate::text::units;
use crate::tui::effect::{Effect, RewindWish};
use crate::tui::key::Key;
use crate::tui::keymap::{self, Action, Focus};
use crate::tui::model::Model;
use crate::tui::model::draft::Draft;
use crate::tui::model::overlay::Overlay;
use crate::tui::model::picker::Picked;
use crate::tui::model::rewind::{Rewind, Step};
use crate::tui::model::transcript::Cell;
use crate::tui::msg::RewindReply;

/// `/rewind`, and Esc twice: the list is looked for.
pub(super) fn open(model: &mut Model) -> Vec<Effect> {
    model.overlay = Some(Overlay::Rewind(Box::new(Rewind::awaiting())));
    wish(RewindWish::List)
}

/// `/redo`.
pub(super) fn redo(model: &mut Model) -> Vec<Effect> {
    model.overlay = Some(Overlay::Rewind(Box::new(Rewind::going())));
    wish(RewindWish::Go(Way::Forth))
}

/// A key while the list, or what comes after it, is open.
pub(super) fn press(model: &mut Model, mut open: Box<Rewind>, key: Key) -> Vec<Effect> {
    let mut effects = Vec::new();
    match &open.step {
        Step::Picking => match press_picker(&mut open.picker, key) {
            Picked::Left => return effects,
            Picked::Open => {}
            Picked::Item(_) => {
                if let Some(to) = open.chosen() {
                    open.step = Step::Looking(to);
                    effects = wish(RewindWish::Look(to));
                }
            }
        },
        Step::Looking(_) | Step::Choosing(_) | Step::Going => effects = choose(&mut open, key),
    }
    model.overlay = Some(Overlay::Rewind(open));
    effects
}

fn choose(open: &mut Rewind, key: Key) -> Vec<Effect> {
    match (keymap::action(Focus::Rewind, key), &open.step) {
        (Some(Action::Suspend), _) => vec![Effect::Suspend],
        (Some(Action::Redraw), _) => vec![Effect::Redraw],
        (Some(Action::Close), Step::Looking(_) | Step::Choosing(_)) => {
            open.step = Step::Picking;
            Vec::new()
        }
        (Some(Action::Answer(number)), Step::Choosing(preview)) => {
            let Some(reach) = reach(number) else { return Vec::new() };
            let way = Way::Back(preview.to, reach);
            open.step = Step::Going;
            wish(RewindWish::Go(way))
        }
        _ => Vec::new(),
    }
}

fn reach(number: u8) -> Option<Reach> {
    match number {
        1 => Some(Reach::Both),
        2 => Some(Reach::Conversation),
        3 => Some(Reach::Files),
        _ => None,
    }
}

/// What came of it. It does not open a list that was closed meanwhile.
pub(super) fn take(model: &mut Model, reply: RewindReply) {
    match reply {
        RewindReply::Points(points) => listed(model, points),
        RewindReply::Looked(preview) => looked(model, preview),
        RewindReply::Refused(why) => {
            close(model);
            remark(model, why);
        }
        RewindReply::Arrived(arrived) => {
            close(model);
            arrive(model, *arrived);
        }
    }
}

fn listed(model: &mut Model, points: Vec<Point>) {
    let Some(Overlay::Rewind(open)) = &mut model.overlay else { return };
    if points.is_empty() {
        close(model);
        return remark(model, "no messages yet, nothing to rewind");
    }
    open.fill(points);
}

fn looked(model: &mut Model, preview: Box<Preview>) {
    if let Some(Overlay::Rewind(open)) = &mut model.overlay
        && open.step == Step::Looking(preview.to)
    {
        open.step = Step::Choosing(preview);
    }
}

fn close(model: &mut Model) {
    if let Some(Overlay::Rewind(_)) = model.overlay {
        model.overlay = None;
    }
}

fn arrive(model: &mut Model, arrived: Arrived) {
    let Arrived { said, void, failed, words, todos, context } = arrived;
    model.transcript.extend(void.map(Cell::Void));
    remark(model, said);
    if !failed.is_empty() {
        let files = units::counted(failed.len() as u64, "file was", "files were");
        let text = format!("{files} not restored:\n{}", failed.join("\n"));
        model.transcript.push(Cell::Error(text));
    }
    if let Some(words) = words {
        model.composer.restore(Draft::read_back(&words));
    }
    model.aside.todos.list = todos;
    model.meter.context = context.unwrap_or(model.meter.context);
}

fn wish(wish: RewindWish) -> Vec<Effect> {
    vec![Effect::Rewind(wish)]
}

#[cfg(test)]
mod tests {
    use super::super::testing::{draft, idle, last, press, queued, reply, running, wishes};
    use super::*;
    use crate::tui::model::Stage;
    use crate::tui::msg::Reply;

    fn points() -> Vec<Point> {
        let point = |(position, words): (usize, &str)| Point {
            position,
            words: words.to_owned(),
            about: "5 m ago".to_owned(),
        };
        [(8, "and the cart"), (4, "fix the tax"), (0, "hello")].map(point).to_vec()
    }

    fn preview(to: usize) -> RewindReply {
        let (words, files, beyond) = ("fix the tax".to_owned(), Vec::new(), Vec::new());
        RewindReply::Looked(Box::new(Preview { to, words, messages: 2, files, beyond }))
    }

    fn tell(model: &mut Model, told: RewindReply) {
        assert_eq!(reply(model, Reply::Rewind(told)), []);
    }

    fn step(model: &Model) -> Option<&Step> {
        match &model.overlay {
            Some(Overlay::Rewind(open)) => Some(&open.step),
            _ => None,
        }
    }

    /// At rest, with the list open.
    fn listing() -> Model {
        let mut model = idle();
        assert_eq!(press(&mut model, 0, "<esc><esc>"), wish(RewindWish::List));
        tell(&mut model, RewindReply::Points(points()));
        model
    }

    /// The same, with a message picked and looked at.
    fn choosing() -> Model {
        let mut model = listing();
        assert_eq!(press(&mut model, 0, "<down><enter>"), wish(RewindWish::Look(4)));
        tell(&mut model, preview(4));
        model
    }

    #[test]
    fn esc_twice_on_an_empty_input_opens_the_list_and_a_draft_is_left_alone() {
        let list = wish(RewindWish::List);
        let mut model = idle();
        assert_eq!(press(&mut model, 0, "<esc>"), []);
        assert_eq!(press(&mut model, 1_999, "<esc>"), list);
        let mut model = idle();
        press(&mut model, 0, "<esc>");
        assert_eq!(press(&mut model, 2_000, "<esc>"), [], "too late");
        assert_eq!(press(&mut model, 2_100, "<esc>"), list, "it was the first of two");
        let mut model = idle();
        assert_eq!(press(&mut model, 0, "<esc>x<c-u><esc>"), [], "a key between them");
        let mut model = idle();
        assert_eq!((press(&mut model, 0, "half<esc><esc>"), draft(&model)), (Vec::new(), "half"));
        let mut model = idle();
        assert_eq!(press(&mut model, 0, "/he<esc><c-u><esc>"), [], "the first one has closed a list");
        let mut model = idle();
        model.stage = Stage::Opening;
        assert_eq!(press(&mut model, 0, "<esc><esc>"), [], "there is nobody to talk to");
        for line in ["/rewind<enter>", "/undo<enter>"] {
            assert_eq!(wishes(&mut idle(), 0, line), list, "{line}");
        }
        let mut model = running();
        assert_eq!(wishes(&mut model, 0, "/rewind<enter>/redo<enter>"), []);
        assert_eq!(queued(&model), ["/rewind", "/redo"]);
    }

    #[test]
    fn enter_takes_a_message_and_a_digit_says_how_far() {
        for (key, reach) in [("1", Reach::Both), ("2", Reach::Conversation), ("3", Reach::Files)] {
            let mut model = choosing();
            assert_eq!(press(&mut model, 0, "<enter>4<enter>"), [], "nothing is done by habit");
            assert_eq!(press(&mut model, 0, key), wish(RewindWish::Go(Way::Back(4, reach))));
            assert_eq!(press(&mut model, 0, "1<esc><c-c>x"), [], "it is on its way");
            assert_eq!((step(&model), draft(&model)), (Some(&Step::Going), ""));
        }
    }

    #[test]
    fn esc_goes_back_one_step_and_what_comes_late_is_not_shown() {
        let mut model = choosing();
        press(&mut model, 0, "<esc>");
        assert_eq!(step(&model), Some(&Step::Picking));
        assert_eq!(press(&mut model, 0, "<enter>"), wish(RewindWish::Look(4)), "the same one is chosen");
        press(&mut model, 0, "<esc>");
        tell(&mut model, preview(4));
        assert_eq!(step(&model), Some(&Step::Picking));
        assert_eq!(press(&mut model, 0, "<up><enter>"), wish(RewindWish::Look(8)));
        tell(&mut model, preview(4));
        assert_eq!(step(&model), Some(&Step::Looking(8)), "that is another one");
        press(&mut model, 0, "<esc><esc>");
        assert!(model.overlay.is_none());
        tell(&mut model, RewindReply::Points(points()));
        assert!(model.overlay.is_none());
    }

    #[test]
    fn the_list_is_filtered_as_one_types() {
        let mut model = listing();
        assert_eq!(press(&mut model, 0, "tax<enter>"), wish(RewindWish::Look(4)));
    }

    fn arrived() -> Arrived {
        Arrived {
            said: "Rewound".to_owned(),
            void: Some("what stands above".to_owned()),
            failed: Vec::new(),
            words: Some("fix the tax".to_owned()),
            todos: Vec::new(),
            context: Some(7),
        }
    }

    #[test]
    fn what_was_said_is_back_in_the_input_and_what_no_longer_counts_is_told() {
        let mut model = choosing();
        model.meter.context = 9;
        press(&mut model, 0, "1");
        tell(&mut model, RewindReply::Arrived(Box::new(arrived())));
        assert!(model.overlay.is_none());
        assert_eq!((draft(&model), model.meter.context), ("fix the tax", 7));
        let told = [Cell::Void("what stands above".to_owned()), Cell::Remark("Rewound".to_owned())];
        assert_eq!(model.transcript.cells(), told);
        let files = Arrived { void: None, words: None, context: None, ..arrived() };
        let failed = vec!["a: why".to_owned(), "b: why".to_owned()];
        tell(&mut model, RewindReply::Arrived(Box::new(Arrived { failed, ..files })));
        assert_eq!((draft(&model), model.meter.context), ("fix the tax", 7));
        assert_eq!(*last(&model), Cell::Error("2 files were not restored:\na: why\nb: why".to_owned()));
    }

    #[test]
    fn a_redo_takes_no_key_until_it_is_done_or_refused() {
        let mut model = idle();
        assert_eq!(wishes(&mut model, 0, "/redo<enter>"), wish(RewindWish::Go(Way::Forth)));
        assert_eq!(press(&mut model, 0, "x<esc>"), []);
        assert_eq!(press(&mut model, 0, "<c-l>"), [Effect::Redraw]);
        tell(&mut model, RewindReply::Refused("nothing to bring back".to_owned()));
        assert!(model.overlay.is_none());
        assert_eq!((last(&model), draft(&model)), (&Cell::Remark("nothing to bring back".to_owned()), ""));
    }

    #[test]
    fn where_nothing_was_said_there_is_no_list() {
        let mut model = idle();
        press(&mut model, 0, "<esc><esc>");
        tell(&mut model, RewindReply::Points(Vec::new()));
        assert!(model.overlay.is_none());
        assert!(matches!(last(&model), Cell::Remark(text) if text.contains("nothing to rewind")));
    }
}
