//! Pages that are put together when somebody asks for them: the examination, the changes of the session, and what calls gave
//! for the whole transcript.

use super::input::remark;
use crate::app::Changes;
use crate::protocol::{CallId, Display, FileChange, ToolStatus};
use crate::text::units;
use crate::tui::effect::{Effect, ReportWish};
use crate::tui::model::Model;
use crate::tui::model::call::{DoneCall, Label};
use crate::tui::model::overlay::{Overlay, Page, PageOf, Report};
use crate::tui::model::transcript::Cell;
use crate::tui::msg::ReportReply;

/// What stands below the page as long as the endpoint is asked.
const ASKING: &str = "testing the endpoint, one request at a time · q to stop";

/// `/doctor`: the page opens with what needs no question.
pub(super) fn examine(model: &mut Model) -> Vec<Effect> {
    remark(model, "checking configuration, terminal and files …");
    vec![Effect::Report(ReportWish::Examine)]
}

/// The whole transcript, and what its calls have given.
pub(super) fn open_transcript(model: &mut Model) -> Vec<Effect> {
    model.overlay = Some(Overlay::Page(Page::open(PageOf::Transcript)));
    vec![Effect::Report(ReportWish::Results)]
}

/// A call has been answered: whoever reads the transcript can see what it gave.
pub(super) fn refresh(model: &Model) -> Vec<Effect> {
    match &model.overlay {
        Some(Overlay::Page(page)) if page.of == PageOf::Transcript => {
            vec![Effect::Report(ReportWish::Results)]
        }
        _ => Vec::new(),
    }
}

/// What was found out. It covers nothing that has been opened since.
pub(super) fn take(model: &mut Model, reply: ReportReply) {
    match reply {
        ReportReply::None(text) => remark(model, text),
        ReportReply::Begun { text } => {
            show(model, Report { cells: vec![lines(&text)], awaited: Some(ASKING.to_owned()) });
        }
        ReportReply::More { text } => {
            if let Some(report) = open_report(model) {
                report.awaited = None;
                report.cells.push(lines(&text));
            }
        }
        ReportReply::Changes(changes) => changed(model, changes),
        ReportReply::Results(results) => {
            if let Some(Overlay::Page(page)) = &mut model.overlay {
                page.results = results;
            }
        }
    }
}

fn show(model: &mut Model, report: Report) {
    if model.overlay.is_none() {
        model.overlay = Some(Overlay::Page(Page::report(report)));
    }
}

fn open_report(model: &mut Model) -> Option<&mut Report> {
    match &mut model.overlay {
        Some(Overlay::Page(page)) if page.of == PageOf::Report => {
            Some(std::sync::Arc::make_mut(&mut page.report))
        }
        _ => None,
    }
}

fn changed(model: &mut Model, changes: Changes) {
    let count = changes.files.len() + changes.others.len();
    let untold = match changes.untold.as_slice() {
        [] => String::new(),
        untold => format!(". Not tracked for commands: {}", untold.join(", ")),
    };
    if count == 0 {
        return remark(model, format!("no tool or command changed a file in this session{untold}"));
    }
    let files = units::counted(count as u64, "file", "files");
    let told = format!("{files} changed in this session{untold}");
    let mut cells = vec![Cell::Lines(vec![told])];
    cells.extend(changes.files.into_iter().map(cell));
    cells.extend((!changes.others.is_empty()).then(|| Cell::Lines(changes.others)));
    show(model, Report { cells, awaited: None });
}

fn cell(change: FileChange) -> Cell {
    let label = Label { verb: "changed".to_owned(), object: change.path.clone() };
    Cell::Call(Box::new(DoneCall {
        id: CallId::from(""),
        label,
        status: ToolStatus::Success,
        display: Display::Changes(vec![change]),
        duration: std::time::Duration::ZERO,
    }))
}

fn lines(text: &str) -> Cell {
    Cell::Lines(text.trim_end().lines().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{idle, last, press, reply, wishes};
    use super::*;
    use crate::protocol::Results;
    use crate::tui::msg::Reply;

    fn tell(model: &mut Model, told: ReportReply) {
        assert_eq!(reply(model, Reply::Report(told)), []);
    }

    fn begun() -> ReportReply {
        ReportReply::Begun { text: "Configuration\n".to_owned() }
    }

    #[test]
    fn an_examination_is_a_page_that_grows_and_ends_with_it() {
        let mut model = idle();
        assert_eq!(wishes(&mut model, 0, "/doctor<enter>"), [Effect::Report(ReportWish::Examine)]);
        assert!(model.overlay.is_none(), "there is nothing to read yet");
        tell(&mut model, begun());
        let report = open_report(&mut model).unwrap();
        assert_eq!((report.cells.len(), report.awaited.is_some()), (1, true));
        tell(&mut model, ReportReply::More { text: "Endpoint\n".to_owned() });
        let report = open_report(&mut model).unwrap();
        assert_eq!((report.cells.len(), report.awaited.is_some()), (2, false));
        assert_eq!(press(&mut model, 0, "q"), []);
        tell(&mut model, begun());
        assert_eq!(press(&mut model, 0, "q"), [Effect::Report(ReportWish::Stop)], "nobody waits for it");
        tell(&mut model, ReportReply::More { text: "late".to_owned() });
        assert!(model.overlay.is_none());
    }

    #[test]
    fn changes_are_a_page_or_a_line_where_there_are_none() {
        let mut model = idle();
        assert_eq!(wishes(&mut model, 0, "/diff<enter>"), [Effect::Report(ReportWish::Changes)]);
        tell(&mut model, ReportReply::Changes(Changes::default()));
        assert!(matches!(last(&model), Cell::Remark(text) if text.contains("no tool or command changed")));
        let file = FileChange { path: "a".to_owned(), before: None, after: Some("x\n".to_owned()) };
        let changes = Changes {
            files: vec![file],
            others: vec!["b: no text".to_owned()],
            untold: vec!["ignored files".to_owned(), "1 file over 32 MB".to_owned()],
        };
        tell(&mut model, ReportReply::Changes(changes));
        let report = open_report(&mut model).unwrap();
        let told = "2 files changed in this session. Not tracked for commands: ignored files, 1 file \
                    over 32 MB";
        assert!(matches!(&report.cells[0], Cell::Lines(lines) if lines[0] == told));
        assert_eq!(report.cells.len(), 3);
    }

    #[test]
    fn the_transcript_asks_for_what_its_calls_gave() {
        let mut model = idle();
        let asked = [Effect::Report(ReportWish::Results)];
        assert_eq!(press(&mut model, 0, "<c-o>"), asked);
        let results = Results::default();
        tell(&mut model, ReportReply::Results(results.clone()));
        assert!(matches!(&model.overlay, Some(Overlay::Page(page)) if page.results == results));
        assert_eq!(refresh(&model), asked);
        press(&mut model, 0, "q");
        assert_eq!(refresh(&model), []);
    }
}
