//! What there is to be shown: every variant of everything that a scene can be made of.
//!
//! Each table is a match without a wildcard, so a new variant does not compile before it stands here; and the names of the tables
//! are what the test looks for in the scenes, so that standing here is not enough.

use std::collections::BTreeSet;

use crate::protocol::{
    Access, Display, Hold, JobState, Network, Occasion, Preview, TodoStatus, ToolStatus, Waiting, Writes,
};
use crate::tui::model::draft::AtomKind;
use crate::tui::model::live::Kind as BlockKind;
use crate::tui::model::overlay::{Overlay, Page, PageOf, Search};
use crate::tui::model::question::{Asking, Row};
use crate::tui::model::queue::Queued;
use crate::tui::model::run::{RunView, Stopping};
use crate::tui::model::setup::{Looking, Step};
use crate::tui::model::todos::Extent;
use crate::tui::model::transcript::{Cell, Place};
use crate::tui::model::vim::Mode;
use crate::tui::model::{Limit, Model, Stage};

/// The names of the variants of a type, and which of them a value is.
struct Kinds<T: 'static> {
    all: &'static [&'static str],
    of: fn(&T) -> &'static str,
}

macro_rules! kinds {
    ($type:ty: $($variant:pat),+ $(,)?) => {
        Kinds::<$type> {
            all: &[$(stringify!($variant)),+],
            of: |value| match value { $($variant => stringify!($variant)),+ },
        }
    };
}

const CELL: Kinds<Cell> = kinds!(Cell:
    Cell::Head(_), Cell::User(_), Cell::Answer(_), Cell::Thought { .. }, Cell::Explored(_), Cell::Call(_),
    Cell::Todos(_), Cell::Remark(_), Cell::Error(_), Cell::Interrupted { .. }, Cell::Void(_),
    Cell::Compacted { .. }, Cell::Summary { .. }, Cell::Lines(_),
);

const BLOCK: Kinds<BlockKind> = kinds!(BlockKind:
    BlockKind::Text, BlockKind::Item { number: None }, BlockKind::Item { number: Some(_) },
    BlockKind::Code { reading: None, .. }, BlockKind::Code { reading: Some(_), .. },
);

const DISPLAY: Kinds<Display> = kinds!(Display:
    Display::Line(_), Display::Text(_), Display::Output { ended: None, .. },
    Display::Output { ended: Some(_), .. }, Display::Changes(_), Display::Todos(_),
);

const STATUS: Kinds<ToolStatus> = kinds!(ToolStatus:
    ToolStatus::Success, ToolStatus::Failed, ToolStatus::Denied, ToolStatus::Interrupted,
);

const STAGE: Kinds<Stage> = kinds!(Stage:
    Stage::Opening, Stage::Trusting(_), Stage::Choosing(_), Stage::Idle, Stage::Running, Stage::Asking(_),
    Stage::Answering(_), Stage::AtLimit(_),
);

const STEP: Kinds<Step> = kinds!(Step: Step::Rows, Step::Url(_), Step::Key { .. }, Step::Opening);

const LOOKING: Kinds<Looking> = kinds!(Looking: Looking::Yes, Looking::No);

const LIMIT: Kinds<Limit> = kinds!(Limit: Limit::Turns { .. }, Limit::Repeats { .. }, Limit::Budget { .. });

const OVERLAY: Kinds<Overlay> = kinds!(Overlay:
    Overlay::Page(_), Overlay::Sessions(_), Overlay::Models(_), Overlay::Tasks(_), Overlay::Permissions(_),
    Overlay::Themes(_), Overlay::Rewind(_),
);

const PAGE: Kinds<PageOf> =
    kinds!(PageOf: PageOf::Transcript, PageOf::Help, PageOf::Report, PageOf::Question(_));

const SEARCH: Kinds<Search> = kinds!(Search: Search::Nothing, Search::Typing(_), Search::For(_));

const WAITING: Kinds<Waiting> = kinds!(Waiting:
    Waiting::Connecting, Waiting::FirstByte, Waiting::Answer, Waiting::Call, Waiting::Retry { .. },
    Waiting::Tools, Waiting::Summary,
);

const STOPPING: Kinds<Stopping> = kinds!(Stopping: Stopping::No, Stopping::Yes);

const QUEUED: Kinds<Queued> = kinds!(Queued: Queued::Message(_), Queued::Command(_), Queued::Later(_));

const ATOM: Kinds<AtomKind> =
    kinds!(AtomKind: AtomKind::Pasted { .. }, AtomKind::Image { .. }, AtomKind::Sign);

const VI: Kinds<Mode> = kinds!(Mode: Mode::Insert, Mode::Normal);

const EXTENT: Kinds<Extent> = kinds!(Extent: Extent::Folded, Extent::Unfolded);

const MARK: Kinds<TodoStatus> =
    kinds!(TodoStatus: TodoStatus::Pending, TodoStatus::InProgress, TodoStatus::Completed);

const JOB: Kinds<JobState> = kinds!(JobState: JobState::Running, JobState::Ended { .. });

const PLACE: Kinds<Place> = kinds!(Place: Place::Scrollback, Place::Fullscreen(_));

const PREVIEW: Kinds<Preview> = kinds!(Preview: Preview::Changes(_), Preview::Command(_), Preview::Text(_));

const ACCESS: Kinds<Access> = kinds!(Access:
    Access::Nothing, Access::Read(_), Access::Write(_), Access::Exec(_), Access::Fetch { .. },
    Access::Mcp { .. },
);

const HOLD: Kinds<Hold> = kinds!(Hold:
    Hold::Free, Hold::Held { writes: Writes::Nothing, network: Network::Off },
    Hold::Held { writes: Writes::Nothing, network: Network::On },
    Hold::Held { writes: Writes::Workspace, network: Network::Off },
    Hold::Held { writes: Writes::Workspace, network: Network::On },
);

const OCCASION: Kinds<Occasion> = kinds!(Occasion: Occasion::Before, Occasion::Stopped);

const ROW: Kinds<Row> = kinds!(Row: Row::Yes, Row::Always, Row::No, Row::Network);

/// The names in all tables.
pub(super) fn all() -> Vec<&'static str> {
    [
        CELL.all,
        BLOCK.all,
        DISPLAY.all,
        STATUS.all,
        STAGE.all,
        STEP.all,
        LOOKING.all,
        LIMIT.all,
        OVERLAY.all,
        PAGE.all,
        SEARCH.all,
        WAITING.all,
        STOPPING.all,
        QUEUED.all,
        ATOM.all,
        VI.all,
        EXTENT.all,
        MARK.all,
        JOB.all,
        PLACE.all,
        PREVIEW.all,
        ACCESS.all,
        HOLD.all,
        OCCASION.all,
        ROW.all,
    ]
    .concat()
}

/// The names of what a model shows.
pub(super) fn note(model: &Model, seen: &mut BTreeSet<&'static str>) {
    model.transcript.cells().iter().for_each(|cell| note_cell(cell, seen));
    seen.insert((PLACE.of)(&model.transcript.place));
    note_stage(&model.stage, seen);
    model.overlay.iter().for_each(|overlay| note_overlay(overlay, seen));
    model.run.iter().for_each(|run| note_run(run, seen));
    seen.extend(model.queue.iter().map(QUEUED.of));
    seen.extend(model.composer.vim_mode().as_ref().map(VI.of));
    let draft = model.composer.draft();
    seen.extend((0..draft.len()).filter_map(|at| draft.atom_at(at)).map(|atom| (ATOM.of)(&atom.kind)));
    seen.insert((EXTENT.of)(&model.aside.todos.extent));
    seen.extend(model.aside.todos.list.iter().map(|todo| (MARK.of)(&todo.status)));
    seen.extend(model.aside.jobs.iter().map(|job| (JOB.of)(&job.state)));
}

fn note_cell(cell: &Cell, seen: &mut BTreeSet<&'static str>) {
    seen.insert((CELL.of)(cell));
    match cell {
        Cell::Answer(block) => seen.extend([(BLOCK.of)(&block.kind)]),
        Cell::Call(call) => seen.extend([(DISPLAY.of)(&call.display), (STATUS.of)(&call.status)]),
        _ => {}
    }
}

fn note_stage(stage: &Stage, seen: &mut BTreeSet<&'static str>) {
    seen.insert((STAGE.of)(stage));
    match stage {
        Stage::Choosing(choosing) => {
            seen.extend([(STEP.of)(&choosing.step), (LOOKING.of)(&choosing.offer.looking)]);
        }
        Stage::AtLimit(at) => seen.extend([(LIMIT.of)(&at.limit)]),
        Stage::Asking(asking) => note_asking(asking, seen),
        _ => {}
    }
}

fn note_asking(asking: &Asking, seen: &mut BTreeSet<&'static str>) {
    let approval = &asking.approval;
    seen.extend([(PREVIEW.of)(&approval.preview), (ACCESS.of)(&approval.access)]);
    seen.extend([(HOLD.of)(&approval.hold), (OCCASION.of)(&approval.occasion)]);
    seen.extend(asking.rows().map(|(_, row)| (ROW.of)(&row)));
}

fn note_overlay(overlay: &Overlay, seen: &mut BTreeSet<&'static str>) {
    seen.insert((OVERLAY.of)(overlay));
    if let Overlay::Page(Page { of, search, .. }) = overlay {
        seen.extend([(PAGE.of)(of), (SEARCH.of)(search)]);
    }
}

fn note_run(run: &RunView, seen: &mut BTreeSet<&'static str>) {
    seen.extend([(WAITING.of)(&run.waiting), (STOPPING.of)(&run.stopping)]);
}
