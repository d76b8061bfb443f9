//! The one place that changes the user's files.
//!
//! A tool says what a file shall hold; here its present bytes are kept first, then a checkpoint that names them is
//! written into the session, and only then the file. So whatever a tool has changed can be put back. The surprise: an
//! image that cannot be kept (the disk of the sessions is full) does not stop the change, it is told.

use std::os::unix::fs::PermissionsExt;

use super::target::Target;
use super::{Scene, ToolResult, changing};
use crate::os::file::{self, open_regular};
use crate::protocol::{FileChange, SavedFile};
use crate::workbench::{Stamp, Workbench};

/// A file that shall hold something else.
pub(super) struct Change {
    /// Which.
    pub(super) target: Target,
    /// What it holds.
    pub(super) before: Before,
    /// What it shall hold.
    pub(super) after: Vec<u8>,
}

impl Change {
    /// As a person sees it.
    pub(super) fn shown(self) -> FileChange {
        let before = match self.before {
            Before::Nothing => None,
            Before::Bytes(bytes) => Some(text(bytes)),
            Before::Large => Some(String::new()),
        };
        FileChange { path: self.target.shown, before, after: Some(text(self.after)) }
    }
}

/// As text, without a copy of what is UTF-8.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// What a file holds.
pub(super) enum Before {
    /// There is no file.
    Nothing,
    /// These bytes.
    Bytes(Vec<u8>),
    /// More than is read into memory.
    Large,
}

/// Changes that were carried out.
pub(super) struct Done {
    /// As they were given.
    pub(super) changes: Vec<Change>,
    /// What the model and the user are to know of it.
    pub(super) note: Option<String>,
}

/// Keeps what the files hold, notes it in the session, and changes them.
pub(super) async fn carry_out(scene: &Scene, changes: Vec<Change>) -> Result<Done, ToolResult> {
    let bench = scene.bench.clone();
    let (changes, saved, note) = changing(&scene.cancel, move || {
        let (saved, note) = keep(&bench, &changes);
        Ok((changes, saved, note))
    })
    .await?;
    if !saved.is_empty() {
        scene.host.checkpoint(saved).await;
    }
    let bench = scene.bench.clone();
    let changes = changing(&scene.cancel, move || {
        for change in &changes {
            write(&bench, change)?;
        }
        Ok(changes)
    })
    .await?;
    Ok(Done { changes, note })
}

fn keep(bench: &Workbench, changes: &[Change]) -> (Vec<SavedFile>, Option<String>) {
    let mut saved = Vec::new();
    let mut note = None;
    for change in changes {
        match keep_one(bench, change) {
            Ok(file) => saved.push(file),
            Err(error) => {
                let shown = &change.target.shown;
                note = Some(format!("[{shown} as it was could not be kept for a rewind: {error}]"));
            }
        }
    }
    (saved, note)
}

fn keep_one(bench: &Workbench, change: &Change) -> Result<SavedFile, String> {
    let path = &change.target.resolved;
    let before = match &change.before {
        Before::Nothing => None,
        Before::Bytes(bytes) => {
            let hash = Stamp::hash_of(bytes);
            Some(bench.blobs().keep(bytes, hash).map_err(|error| error.to_string())?)
        }
        Before::Large => {
            let (file, _) = open_regular(path).map_err(|error| error.to_string())?;
            Some(bench.blobs().keep_file(file).map_err(|error| error.to_string())?)
        }
    };
    let mode = path.metadata().map_or(0, |meta| meta.permissions().mode() & 0o7777);
    Ok(SavedFile { path: path.display().to_string(), before, mode })
}

fn write(bench: &Workbench, change: &Change) -> Result<(), String> {
    let path = change.target.judged()?;
    let written = match change.before {
        Before::Nothing => file::create_parents(path).and_then(|()| file::create(path, &change.after)),
        Before::Bytes(_) | Before::Large => file::replace(path, &change.after),
    };
    written.map_err(|error| format!("Error: {error}"))?;
    bench.files().note(&change.target.resolved, Stamp::of(&change.after));
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::edit::Edit;
    use super::super::read::Read;
    use super::super::testing::Session;
    use super::super::write::Write;

    #[tokio::test]
    async fn what_a_file_held_is_kept_and_noted_before_it_changes() {
        let session = Session::with(&[("f", "one\n")]);
        session.told(&Read, json!({"file_path": "f"})).await;
        session.told(&Edit, json!({"file_path": "f", "old_string": "one", "new_string": "two"})).await;
        session.told(&Write, json!({"file_path": "g", "content": "new\n"})).await;
        let [edited, made] = &session.checkpoints()[..] else { panic!("two checkpoints") };
        assert_eq!(edited.path, session.path("f").display().to_string());
        let image = session.bench.blobs().path(edited.before.as_deref().unwrap()).unwrap();
        assert_eq!(std::fs::read(image).unwrap(), b"one\n");
        assert_eq!((made.path.as_str(), &made.before), (session.path("g").to_str().unwrap(), &None));
    }

    #[tokio::test]
    async fn an_image_that_cannot_be_kept_is_told_and_stops_nothing() {
        let session = Session::with(&[("f", "one\n")]);
        session.told(&Read, json!({"file_path": "f"})).await;
        // a file where the directory of the images would be
        let directory = session.bench.blobs().path("x").unwrap();
        std::fs::write(directory.parent().unwrap(), "").unwrap();
        let told =
            session.told(&Edit, json!({"file_path": "f", "old_string": "one", "new_string": "2"})).await;
        assert!(told.contains("[f as it was could not be kept for a rewind: "), "{told}");
        assert_eq!((session.text("f").as_str(), session.checkpoints().len()), ("2\n", 0));
    }
}
