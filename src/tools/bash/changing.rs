//! What a command changes: the files that a rewind puts back, and those that run later.
//!
//! Both are looked at before the command runs and when it is over; neither holds it. The files are noted in the session before the
//! command's result is.

use super::noted;
use crate::protocol::{ChangedBy, Display, SavedFile};
use crate::text::sanitize::sanitize_line;
use crate::tools::{Scene, ToolResult};
use crate::workbench::{Moment, Watch};

/// Files that are named; more would be a list.
const MOST_NAMES: usize = 5;

/// Files of one entry: a session's line stays shorter than most long results.
const MOST_FILES: usize = 1_000;

/// A command that may change files.
pub(super) struct Changing {
    watch: Option<Watch>,
}

impl Changing {
    /// Looks at what is there.
    pub(super) async fn begin(scene: &Scene) -> Self {
        let (watch, saved) = tokio::join!(Watch::of(scene.bench.root()), scene.bench.look(Moment::Before));
        note(scene, saved).await;
        // what a job has changed is not this command's
        scene.bench.snapshots().changed_again();
        Self { watch }
    }

    /// The command is over: notes what it changed, and gives its result with the files that run later.
    pub(super) async fn end(changing: Option<Self>, scene: &Scene, result: ToolResult) -> ToolResult {
        let Some(Self { watch }) = changing else { return result };
        let changed = async {
            match watch {
                Some(watch) => watch.changed().await,
                None => Vec::new(),
            }
        };
        let (changed, saved) = tokio::join!(changed, scene.bench.look(Moment::After));
        note(scene, saved).await;
        if scene.bench.snapshots().changed_again() {
            scene.host.note_change();
        }
        told_later(result, &changed)
    }

    /// The command goes on: notes what it has changed so far.
    pub(super) async fn look(changing: Option<&Self>, scene: &Scene) {
        if changing.is_some() {
            note(scene, scene.bench.look(Moment::After).await).await;
        }
    }
}

async fn note(scene: &Scene, mut saved: Vec<SavedFile>) {
    while !saved.is_empty() {
        let rest = saved.split_off(saved.len().min(MOST_FILES));
        scene.host.checkpoint(ChangedBy::Command, saved).await;
        saved = rest;
    }
}

/// The result, and which files the command changed that run later.
fn told_later(mut result: ToolResult, changed: &[String]) -> ToolResult {
    if changed.is_empty() {
        return result;
    }
    let shown: Vec<&str> = changed.iter().take(MOST_NAMES).map(String::as_str).collect();
    let more = match changed.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let note = format!("[changed files that are run later: {}{more}]", sanitize_line(&shown.join(", ")));
    if let Display::Output { text, .. } = &mut result.display {
        text.push('\n');
        text.push_str(&note);
    }
    noted(result, &note)
}
