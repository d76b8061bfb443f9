//! Everything that can stand on the screen, on pages of text that are to be looked at.
//!
//! Not a test of what happens but of what is seen. A scene is a model; `120x40.txt`, `80x24.txt` and `40x12.txt` show every scene at
//! that size, `plain.txt` tells them as plain mode does, and all four are compared letter by letter. A change that is meant is
//! written with `CLAWD_GALLERY=write cargo test --lib gallery`, and the pages' difference is read before it is kept. Nothing can be
//! forgotten: a new kind of cell, overlay or state does not compile before it stands in `kinds`, and is missed there until some
//! scene shows it.
//!
//! On the pages a `|` stands before each row, so that empty rows are seen, and another where the cursor is. A row that is longer than the
//! screen is one of those that the terminal breaks itself (code, output, the answers to commands).

mod answers;
mod calls;
mod cells;
mod kinds;
mod overlays;
mod questions;
mod states;

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::brush::{Manner, Signs};
use super::letters::Letters;
use super::reel::Reel;
use super::testing::{text, text_with_cursor};
use super::theme::Theme;
use super::wrap::width;
use super::*;
use crate::tui::model::overlay::Page;
use crate::tui::model::scroll::Scroll;
use crate::tui::model::transcript::Place;

/// The sizes of the pages.
const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (40, 12)];

/// Nothing is drawn by a wall clock: most scenes are looked at six seconds after they began.
const USUAL: Moment = Moment(6_000);

/// One thing to be seen.
struct Scene {
    name: &'static str,
    made: Box<dyn Fn(Model) -> Model>,
    now: Moment,
    what: What,
}

/// What of a model is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// Its cells as they go into the scrollback and, where that is more, as the whole transcript has them.
    Cells,
    /// The screen.
    Screen,
}

impl Scene {
    /// Cells, one below the other.
    fn cells(name: &'static str, cells: impl Fn() -> Vec<Cell> + 'static) -> Self {
        let made = move |mut model: Model| {
            for cell in cells() {
                model.transcript.push(cell);
            }
            model
        };
        Self { name, made: Box::new(made), now: USUAL, what: What::Cells }
    }

    /// A screen.
    fn screen(name: &'static str, made: impl Fn(Model) -> Model + 'static) -> Self {
        Self { name, made: Box::new(made), now: USUAL, what: What::Screen }
    }

    /// The same, so many milliseconds after its beginning.
    fn at(self, milliseconds: u64) -> Self {
        Self { now: Moment(milliseconds), ..self }
    }

    fn model(&self, (columns, rows): (u16, u16)) -> Model {
        (self.made)(testing::model(columns, rows))
    }

    /// As it is seen at this size.
    fn drawn(&self, size: (u16, u16)) -> String {
        let model = self.model(size);
        match (self.what, &model.overlay, model.transcript.place) {
            (What::Cells, ..) => drawn_cells(&model),
            (What::Screen, Some(Overlay::Page(_)), _) => text(&page::page(&model, Theme::Colour, self.now)),
            (What::Screen, _, Place::Fullscreen(scroll)) => drawn_full(&model, scroll, self.now),
            (What::Screen, _, Place::Scrollback) => {
                let picture = picture(&model, Theme::Colour, self.now);
                let cursor = picture.cursor.map(|spot| (usize::from(spot.row), usize::from(spot.col)));
                let live = text_with_cursor(&picture.live, cursor);
                let history = picture.history.iter().map(|line| line.to_string() + "\n");
                history.collect::<String>() + &live
            }
        }
    }

    /// As it is told.
    fn told(&self) -> String {
        let model = self.model((80, u16::MAX));
        let look = Look { theme: Theme::Colour, manner: Manner { signs: Signs::Words, ..Manner::USUAL } };
        let told = plain::tell(&model, look, self.now, None, &mut plain::Heard::default());
        let mut lines = told.lines;
        if self.what == What::Screen {
            lines.extend(told.states);
            lines.extend(told.asked.iter().flat_map(|asked| asked.about.iter().chain(&asked.rows)).cloned());
        }
        match &model.overlay {
            // it is read out from its beginning to its end, wherever one would stand in it
            Some(Overlay::Page(page)) if page.up == Page::open(page.of).up => {
                lines.extend(plain::page(page, &model, look, self.now));
            }
            Some(Overlay::Page(_)) => lines.push("(as above)".to_owned()),
            Some(_) | None => {}
        }
        lines.join("\n")
    }
}

fn drawn_cells(model: &Model) -> String {
    let brush = Brush { columns: usize::from(model.size.columns), ..testing::BRUSH };
    let folded = text(&history(model, brush));
    let cells = model.transcript.cells();
    let before = std::iter::once(None).chain(cells.iter().map(Some));
    let whole = before.zip(cells).flat_map(|(before, cell)| {
        let gap = cell::apart(before, cell).then(Line::default);
        gap.into_iter().chain(cell::render(cell, Mode::Whole, brush))
    });
    let whole = text(&sheet::broken(&whole.collect::<Vec<_>>(), brush));
    // a wide screen shows nothing of it that the others do not
    if brush.columns > 80 {
        return folded;
    }
    if unbroken(&whole) == unbroken(&folded) { folded } else { format!("{folded}\n\u{0}Ctrl+O\n{whole}") }
}

/// Without what only the width has done to it.
fn unbroken(text: &str) -> String {
    text.split_whitespace().collect()
}

fn drawn_full(model: &Model, mut scroll: Scroll, now: Moment) -> String {
    let full = full::draw(
        (&mut Reel::default(), &mut Kept::default()),
        &mut scroll,
        model,
        (Theme::Colour.into(), now),
    );
    text_with_cursor(&full.rows, full.cursor.map(|spot| (usize::from(spot.row), usize::from(spot.col))))
}

/// Every scene, in the order of the pages.
fn scenes() -> Vec<(&'static str, Vec<Scene>)> {
    vec![
        ("What was said", cells::scenes()),
        ("Answers", answers::scenes()),
        ("Calls", calls::scenes()),
        ("How things stand", states::scenes()),
        ("Questions", questions::scenes()),
        ("Overlays and pages", overlays::scenes()),
    ]
}

/// All scenes on one page.
fn page_of(name: &str, shown: impl Fn(&Scene) -> String) -> String {
    let mut page = format!("{name}: every scene of the gallery (see mod.rs beside this page).\n");
    for (section, scenes) in scenes() {
        page.extend(["\n\n# ", section, "\n"]);
        for scene in scenes {
            page.extend(["\n## ", scene.name, "\n"]);
            for row in shown(&scene).split('\n') {
                page.extend(match row.strip_prefix('\0') {
                    Some(mode) => ["├─ ", mode, "\n"],
                    None => ["|", row, "\n"],
                });
            }
        }
    }
    page
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/tui/view/gallery").join(name)
}

#[expect(clippy::disallowed_methods, reason = "a switch of this test and of nothing that is shipped")]
fn is_to_be_written() -> bool {
    std::env::var_os("CLAWD_GALLERY").is_some_and(|wish| wish == "write")
}

/// Compares a page with what it was, or writes it.
#[track_caller]
fn check(name: &str, page: &str) {
    if is_to_be_written() {
        return std::fs::write(path(name), page).unwrap();
    }
    let before = std::fs::read_to_string(path(name)).unwrap_or_default();
    let differing = before.lines().zip(page.lines()).position(|(before, now)| before != now);
    let at = differing.unwrap_or_else(|| before.lines().count().min(page.lines().count()));
    let around = |text: &str| text.lines().skip(at.saturating_sub(8)).take(24).collect::<Vec<_>>().join("\n");
    let scene = page.lines().take(at + 1).filter(|line| line.starts_with("## ")).last().unwrap_or_default();
    assert!(
        before == page,
        "{name} differs from line {} on, in {scene:?}\n--- it was\n{}\n--- it is\n{}\n(CLAWD_GALLERY=write writes it)",
        at + 1,
        around(&before),
        around(page)
    );
}

#[test]
fn every_scene_looks_as_it_did() {
    for (columns, rows) in SIZES {
        let name = format!("{columns}x{rows}");
        check(&format!("{name}.txt"), &page_of(&name, |scene| scene.drawn((columns, rows))));
    }
}

#[test]
fn every_scene_is_told_as_it_was() {
    check("plain.txt", &page_of("plain mode", Scene::told));
}

#[test]
fn every_kind_of_cell_overlay_and_state_is_in_some_scene() {
    let mut seen = BTreeSet::new();
    for scene in scenes().into_iter().flat_map(|(_, scenes)| scenes) {
        kinds::note(&scene.model((80, 24)), &mut seen);
    }
    let missed: Vec<_> = kinds::all().into_iter().filter(|kind| !seen.contains(kind)).collect();
    assert!(missed.is_empty(), "no scene shows {}", missed.join(", "));
}

#[test]
fn scenes_have_names_of_their_own() {
    let mut names = BTreeSet::new();
    for scene in scenes().into_iter().flat_map(|(_, scenes)| scenes) {
        assert!(names.insert(scene.name), "two scenes are called {:?}", scene.name);
    }
}

/// What stands in the live region is never wider than the screen, and a terminal without Unicode is shown ASCII of the same width.
#[test]
fn every_scene_fits_and_can_be_shown_without_unicode() {
    for scene in scenes().into_iter().flat_map(|(_, scenes)| scenes) {
        for size in [(120, 40), (80, 24), (40, 12), (20, 6)] {
            let picture = picture(&scene.model(size), Theme::Colour, scene.now);
            for line in Letters::Ascii.lines(picture.live) {
                let row = line.to_string();
                assert!(width(&row) <= usize::from(size.0), "{}: {row:?}", scene.name);
            }
        }
    }
}
