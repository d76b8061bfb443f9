//! What a permission question is about, drawn once for a width and kept as long as it is asked.
//!
//! The question is drawn again at every key, but what it is about stays as it is, and may be a file of a thousand lines. A drawing
//! belongs to a question by the comparison that came with it: no two questions share one, so nobody is ever shown what was asked
//! before.

use std::sync::Arc;

use ratatui::text::{Line, Span};

use super::brush::{Brush, INDENT, reveal};
use super::diff::{self, Extent};
use super::tool;
use crate::protocol::Preview;
use crate::tui::model::question::{Asking, Compared, Shown};
use crate::tui::model::{Model, Stage};

/// The drawing of what is asked about now.
#[derive(Debug, Default)]
pub struct Kept {
    made: Option<Made>,
    /// How much of it was on the screen.
    pub(super) shown: Shown,
    #[cfg(test)]
    pub(super) drawings: usize,
}

#[derive(Debug)]
struct Made {
    of: Arc<Compared>,
    so: (Extent, Brush),
    lines: Vec<Line<'static>>,
}

impl Kept {
    /// What is asked about, in lines; drawn only where it is not known how that looks.
    pub(super) fn preview(&mut self, asking: &Asking, extent: Extent, brush: Brush) -> &[Line<'static>] {
        let is_known = |made: &Made| Arc::ptr_eq(&made.of, &asking.compared) && made.so == (extent, brush);
        if !self.made.as_ref().is_some_and(is_known) {
            let lines = draw(asking, extent, brush);
            self.made = Some(Made { of: Arc::clone(&asking.compared), so: (extent, brush), lines });
            self.count();
        }
        self.made.as_ref().map_or(&[], |made| made.lines.as_slice())
    }

    /// How much of the question the last drawing showed.
    #[must_use]
    pub fn shown(&self) -> Shown {
        self.shown
    }

    /// Forgets what is no longer asked about.
    pub(super) fn look_at(&mut self, model: &Model) {
        if !matches!(model.stage, Stage::Asking(_)) {
            self.made = None;
        }
    }

    #[cfg(test)]
    fn count(&mut self) {
        self.drawings += 1;
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, reason = "only tests count the work")]
    fn count(&mut self) {}
}

/// What would happen, with nothing hidden.
fn draw(asking: &Asking, extent: Extent, brush: Brush) -> Vec<Line<'static>> {
    let text = |text: &str| {
        let text = reveal(text.trim_end_matches('\n'));
        let line = |line: &str| brush.paragraph(&Line::raw(line.to_owned()), Span::raw(INDENT), INDENT);
        text.split('\n').flat_map(line).collect()
    };
    match &asking.approval.preview {
        Preview::Command(exec) => text(&exec.command),
        Preview::Text(words) => text(words),
        Preview::Changes(files) => {
            let one = |(file, compared)| {
                let drawn = diff::draw_compared(file, compared, extent, brush);
                std::iter::once(tool::file_head(file, drawn.counts, brush)).chain(drawn.lines)
            };
            files.iter().zip(&asking.compared.0).flat_map(one).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{BRUSH, numbered};
    use super::*;
    use crate::protocol::{
        Access, Approval, CallForm, CallId, FileChange, Hold, Occasion, QuestionId, ToolName,
    };
    use crate::tui::model::moment::Moment;
    use crate::tui::model::question::{COMPARISONS, Guard};
    use crate::tui::view::theme::Theme;
    use crate::tui::view::{self, testing};

    /// The same question each time, but for what is in the file.
    fn asking(word: &str) -> Asking {
        let after = Some(numbered(2_000).replace("line", word));
        let file = FileChange { path: "src/cart.rs".to_owned(), before: Some(numbered(2_000)), after };
        let approval = Approval {
            call: CallId::from("1"),
            tool: ToolName::from("Edit"),
            access: Access::Nothing,
            form: CallForm::Native,
            preview: Preview::Changes(vec![file]),
            reason: None,
            remember: Vec::new(),
            careful: false,
            hold: Hold::Free,
            occasion: Occasion::Before,
        };
        Asking::new(QuestionId(1), approval, Guard::new(Moment(0), None))
    }

    fn asked(word: &str) -> Model {
        let mut model = testing::model(80, 24);
        model.stage = Stage::Asking(Box::new(asking(word)));
        model
    }

    #[test]
    fn a_question_is_compared_once_and_drawn_once_for_a_width() {
        let before = COMPARISONS.get();
        let (mut model, mut kept) = (asked("row"), Kept::default());
        let mut frames = |model: &Model, count: u64| {
            (0..count).for_each(|now| drop(view::draw(&mut kept, model, Theme::Colour.into(), Moment(now))));
            kept.drawings
        };
        assert_eq!(frames(&model, 50), 1);
        model.size.columns = 60;
        assert_eq!(frames(&model, 50), 2);
        model.stage = Stage::Idle;
        assert_eq!(frames(&model, 5), 2);
        assert_eq!(COMPARISONS.get() - before, 1);
    }

    #[test]
    fn another_question_is_never_shown_as_the_one_before() {
        let mut kept = Kept::default();
        let mut seen = |asking: &Asking| {
            let lines = kept.preview(asking, Extent::Whole, BRUSH).iter().map(Line::to_string);
            lines.collect::<String>()
        };
        // of the same number, in the place of the other, and of the one that was dropped
        assert!(seen(&asking("row")).contains("row 1"));
        assert!(!seen(&asking("entry")).contains("row 1"));
        assert!(seen(&asking("row")).contains("row 1"));
    }
}
