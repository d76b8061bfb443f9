//! From the model to a terminal that is told everything line by line: the painter where nothing is drawn.
//!
//! It remembers what it has said and says what is new. What was said stays: no line is ever taken back, and the cursor goes on
//! and never anywhere else. The surprise is that a page is no state here: it is read out once, and closed.

use std::collections::HashSet;
use std::time::Duration;

use super::model::moment::Moment;
use super::model::overlay::Overlay;
use super::model::{Model, Size, Stage};
use super::view::brush::Look;
use super::view::letters::Letters;
use super::view::plain::{self, Awaits, Heard, STOPS, Told};

/// More rows than any screen has: what is told is never cut to fit.
pub(super) const ROWS: u16 = u16::MAX;

/// How long nothing was said when the sign of the input line comes: what belongs together comes together, and a line that
/// begins a run has begun it.
const CALM: Duration = Duration::from_millis(80);

/// The sign of the input line.
const SIGN: &str = "❯ ";

/// Says what is new.
#[derive(Debug)]
pub(super) struct Speaker {
    look: Look,
    letters: Letters,
    states: Vec<String>,
    /// What was asked last, as long as it is asked.
    asked: Option<String>,
    heard: Heard,
    /// Whether its answers are to be told again.
    repeat: Repeat,
    place: Place,
    /// What was typed behind the sign of the input line.
    typed: Option<String>,
    /// When something was said or typed last.
    stirred: Moment,
    /// Whether the sign of the input line is still to come.
    owes: Owes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owes {
    Nothing,
    Sign,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeat {
    No,
    Yes,
}

/// Where the cursor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the beginning of a line.
    Start,
    /// Behind the sign of the input line.
    Prompt,
    /// Somewhere in a line: the terminal itself has written there.
    Within,
}

impl Speaker {
    /// A speaker that has said nothing yet.
    pub(super) fn new(look: Look, letters: Letters) -> Self {
        Self {
            look,
            letters,
            states: Vec::new(),
            asked: None,
            heard: Heard::default(),
            repeat: Repeat::No,
            place: Place::Start,
            typed: None,
            stirred: Moment::default(),
            owes: Owes::Nothing,
        }
    }

    /// Whether something is to be said soon that is known already.
    pub(super) fn is_behind(&self) -> bool {
        self.owes == Owes::Sign
    }

    /// A line was typed, and the terminal has shown it. Where it has not, the cursor is still behind the sign.
    pub(super) fn heard(&mut self, line: &str, seen: Awaits) {
        self.repeat = Repeat::Yes;
        if seen == Awaits::Secret {
            self.place = Place::Within;
            return;
        }
        if self.place == Place::Prompt {
            self.typed = Some(line.to_owned());
        }
        self.place = Place::Start;
    }

    /// Something has written into the line: a key that ended what was typed, or another program.
    pub(super) fn disturbed(&mut self) {
        self.place = Place::Within;
    }

    /// What is to be said now, and what is awaited then.
    pub(super) fn speak(&mut self, model: &mut Model, now: Moment, columns: u16) -> (String, Awaits) {
        model.size = Size { columns, rows: ROWS };
        let told = plain::tell(model, self.look, now, self.typed.as_deref(), &mut self.heard);
        if model.transcript.is_waiting() {
            self.typed = None;
        }
        model.transcript.mark_printed();
        if self.repeat == Repeat::Yes {
            self.stirred = now;
        }
        let mut lines = self.news(&told);
        // what is said cannot grow: a page that is still put together waits
        if let Some(Overlay::Page(page)) = &model.overlay
            && page.report.awaited.is_none()
        {
            lines.extend(plain::page(page, model, self.look, now));
            let of = page.of;
            model.overlay = None;
            if let Stage::Asking(asking) = &mut model.stage {
                asking.read_to_end(of);
            }
        }
        let awaits = plain::awaits(model);
        (self.say(lines, awaits, now), awaits)
    }

    /// The last line is ended.
    pub(super) fn leave(&mut self) -> &'static str {
        match std::mem::replace(&mut self.place, Place::Start) {
            Place::Start => "",
            Place::Prompt | Place::Within => "\n",
        }
    }

    fn news(&mut self, told: &Told) -> Vec<String> {
        let said: HashSet<&String> = self.states.iter().collect();
        let new = told.states.iter().filter(|state| !said.contains(state)).cloned();
        let (mut lines, states): (Vec<String>, Vec<String>) = new.partition(|state| state == STOPS);
        lines.extend(told.lines.iter().cloned());
        lines.extend(states);
        self.states.clone_from(&told.states);
        let before = self.asked.take();
        if let Some(asked) = &told.asked {
            if before.as_ref() != Some(&asked.key) {
                // it stands apart from what was said before it
                let is_apart = lines.last().is_none_or(|line| !line.is_empty());
                lines.extend((is_apart && !asked.about.is_empty()).then(String::new));
                lines.extend(asked.about.iter().chain(&asked.rows).cloned());
            } else if self.repeat == Repeat::Yes {
                lines.extend(asked.rows.iter().cloned());
            }
            self.asked = Some(asked.key.clone());
        }
        self.repeat = Repeat::No;
        lines
    }

    /// The lines as text, behind what stands there and before the sign that something is awaited.
    fn say(&mut self, lines: Vec<String>, awaits: Awaits, now: Moment) -> String {
        let mut text = String::new();
        if !lines.is_empty() {
            text.push_str(self.leave());
            self.stirred = now;
        }
        for line in lines {
            // nothing of ours is a control character, and nothing foreign is passed on
            text.extend(self.letters.text(&line).chars().filter(|c| !c.is_control()));
            text.push('\n');
        }
        self.owes = match (awaits, self.place) {
            (Awaits::Nothing, _) | (_, Place::Prompt) => Owes::Nothing,
            (Awaits::Line | Awaits::Secret, Place::Start | Place::Within) => Owes::Sign,
        };
        if self.owes == Owes::Sign && now.since(self.stirred) >= CALM {
            text.push_str(self.leave());
            text.push_str(&self.letters.text(SIGN));
            (self.place, self.owes) = (Place::Prompt, Owes::Nothing);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::model::composer::Composer;
    use crate::tui::model::overlay::{Page, PageOf};
    use crate::tui::model::transcript::Cell;
    use crate::tui::view::brush::{Manner, Signs};
    use crate::tui::view::theme::Theme;

    fn model() -> Model {
        let mut model = Model::new(Size { columns: 80, rows: ROWS }, Composer::new(Vec::new()));
        model.stage = Stage::Idle;
        "default".clone_into(&mut model.facts.mode);
        model
    }

    fn speaker(letters: Letters) -> Speaker {
        let manner = Manner { signs: Signs::Words, ..Manner::USUAL };
        Speaker::new(Look { theme: Theme::Colour, manner }, letters)
    }

    #[test]
    fn what_is_new_is_said_once_and_the_sign_comes_when_it_is_calm() {
        let (mut model, mut speaker) = (model(), speaker(Letters::Unicode));
        let mut at = |model: &mut Model, now| speaker.speak(model, Moment(now), 80).0;
        assert_eq!(at(&mut model, 0), "mode: default\n");
        assert_eq!(at(&mut model, 79), "");
        assert_eq!(at(&mut model, 80), "❯ ");
        assert_eq!(at(&mut model, 10_000), "", "nothing is said at rest");
        model.transcript.push(Cell::Remark("a task ended".to_owned()));
        assert_eq!(at(&mut model, 20_000), "\na task ended\n");
        assert_eq!(at(&mut model, 20_080), "❯ ");
        "plan".clone_into(&mut model.facts.mode);
        assert_eq!(at(&mut model, 30_000), "\nmode: plan\n");
    }

    #[test]
    fn how_a_run_is_ended_is_said_before_what_it_has_said_already() {
        let mut speaker = speaker(Letters::Unicode);
        let states = ["mode: default", STOPS].map(str::to_owned).to_vec();
        let told = Told { lines: vec!["All good.".to_owned()], states, asked: None };
        assert_eq!(speaker.news(&told), [STOPS, "All good.", "mode: default"]);
        assert_eq!(speaker.news(&Told { lines: Vec::new(), ..told }), [""; 0]);
    }

    #[test]
    fn a_typed_line_ends_itself_and_an_interrupt_does_not() {
        let (mut model, mut speaker) = (model(), speaker(Letters::Unicode));
        speaker.speak(&mut model, Moment(0), 80);
        speaker.speak(&mut model, Moment(80), 80);
        speaker.heard("go", Awaits::Line);
        model.transcript.push(Cell::User("go".to_owned()));
        model.transcript.push(Cell::Remark("so".to_owned()));
        assert_eq!(speaker.speak(&mut model, Moment(100), 80).0, "\nso\n");
        assert_eq!(speaker.speak(&mut model, Moment(200), 80).0, "❯ ");
        speaker.disturbed();
        assert_eq!(speaker.speak(&mut model, Moment(300), 80).0, "\n❯ ");
        assert_eq!(speaker.leave(), "\n");
    }

    #[test]
    fn a_page_is_read_out_and_closed() {
        let (mut model, mut speaker) = (model(), speaker(Letters::Ascii));
        model.overlay = Some(Overlay::Page(Page::open(PageOf::Help)));
        let (text, awaits) = speaker.speak(&mut model, Moment(0), 80);
        assert!(text.is_ascii() && text.contains("end of help"), "{text}");
        assert_eq!((model.overlay.is_none(), awaits), (true, Awaits::Line));
    }

    #[test]
    fn no_control_character_is_said() {
        let (mut model, mut speaker) = (model(), speaker(Letters::Unicode));
        model.transcript.push(Cell::Error("\x1b[2Ja\x07b\u{9b}c\rd".to_owned()));
        let text = speaker.speak(&mut model, Moment(0), 80).0;
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    }
}
