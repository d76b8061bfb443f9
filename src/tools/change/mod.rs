//! The one place that changes the user's files.
//!
//! A tool says what shall become of which file; here their present bytes are kept first, while the new ones are made ready
//! beside the files; then a checkpoint that names all of them is written into the session, and only then do the files change.
//! So whatever a tool has changed can be put back. Several files change together or not at all. The surprise: an image that
//! cannot be kept (the disk of the sessions is full) does not stop the change, it is told.

mod commit;

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tokio::sync::OwnedMutexGuard;

use super::edit::view::text_of;
use super::target::Target;
use super::{Scene, ToolResult, changing};
use crate::os::paths::hex;
use crate::os::put::missing_above;
use crate::protocol::{After, ChangedBy, FileChange, SavedFile};
use crate::workbench::files::{Hash, hash_of};
use crate::workbench::{Image, Stamp, Workbench};

/// From as many bytes on hashing takes longer than starting a thread that does it.
const MANY_BYTES: usize = 1024 * 1024;

/// A file that shall hold something else.
pub(super) struct Change {
    /// Which.
    pub(super) target: Target,
    /// What it holds.
    pub(super) before: Before,
    /// What it shall hold.
    pub(super) after: Vec<u8>,
}

/// What shall become of a file.
pub(super) enum Step {
    /// It is made, or holds something else.
    Write(Change),
    /// It goes.
    Remove(Target, Before),
    /// It gets another name, and what `after` says where that is something else. The change is of the old name.
    Move(Change, Target),
}

impl Change {
    /// As a person sees it.
    pub(super) fn shown(self) -> FileChange {
        FileChange { path: self.target.shown, before: self.before.shown(), after: Some(text_of(self.after)) }
    }
}

impl Step {
    /// As a person sees it.
    pub(super) fn shown(self) -> FileChange {
        match self {
            Self::Write(change) => change.shown(),
            Self::Remove(target, before) => {
                FileChange { path: target.shown, before: before.shown(), after: None }
            }
            Self::Move(change, to) => {
                let path = format!("{} → {}", change.target.shown, to.shown);
                FileChange { path, ..change.shown() }
            }
        }
    }

    /// The file that is there then, under its new name where it gets one, and what it holds; none where it goes.
    fn left(&self) -> Option<(&Path, &[u8])> {
        match self {
            Self::Write(change) => Some((&change.target.resolved, &change.after)),
            Self::Move(change, to) => Some((&to.resolved, &change.after)),
            Self::Remove(..) => None,
        }
    }

    /// The file as it is now.
    fn before(&self) -> (&Target, &Before) {
        match self {
            Self::Write(change) | Self::Move(change, _) => (&change.target, &change.before),
            Self::Remove(target, before) => (target, before),
        }
    }
}

/// What a file holds.
pub(super) enum Before {
    /// There is no file.
    Nothing,
    /// This.
    Bytes(Image),
    /// More than is read into memory.
    Large(Stamp),
}

impl Before {
    fn shown(self) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Bytes(image) => Some(text_of(image.into_bytes())),
            Self::Large(_) => Some(String::new()),
        }
    }
}

/// Changes that were carried out.
pub(super) struct Done {
    /// As they were given.
    pub(super) changes: Vec<Change>,
    /// What the model and the user are to know of it.
    pub(super) note: Option<String>,
}

/// The files that are to be changed, kept from everybody else.
pub(super) type Locks = Vec<OwnedMutexGuard<()>>;

/// Whether `text` may stand in a file that holds `before`: not where it holds what only stands for a hidden secret, for
/// that would take the secret's place.
pub(super) fn is_real(bench: &Workbench, target: &Target, text: &str, before: &[u8]) -> Result<(), String> {
    let Some(placeholder) = bench.redactor().placeholder(text, before) else { return Ok(()) };
    Err(format!(
        "Error: cannot write {}: the text contains {placeholder}, which represents a secret that is hidden from you (leave \
         that line as it is, or have the program read the secret from its environment)",
        target.shown
    ))
}

/// Keeps what the files hold, notes it in the session, and changes them: all or none.
pub(super) async fn carry_out(scene: &Scene, locks: Locks, changes: Vec<Change>) -> Result<Done, ToolResult> {
    let steps = changes.into_iter().map(Step::Write).collect();
    let (steps, note) = carry_out_steps(scene, locks, steps).await?;
    let changes = steps.into_iter().filter_map(|step| match step {
        Step::Write(change) => Some(change),
        Step::Remove(..) | Step::Move(..) => None,
    });
    Ok(Done { changes: changes.collect(), note })
}

/// The same for whatever shall become of files, each of which is named once. Returns the steps as they were given, and
/// what is to be told of it. The locks are held by the work itself: after an abort nobody may wait for it any more, and
/// still nobody else may change the files before it is done.
pub(super) async fn carry_out_steps(
    scene: &Scene,
    locks: Locks,
    steps: Vec<Step>,
) -> Result<(Vec<Step>, Option<String>), ToolResult> {
    let bench = scene.bench.clone();
    let (steps, ready, kept) = changing(&scene.cancel, move || {
        let above: Vec<usize> = steps.iter().map(above).collect();
        let (ready, kept) =
            beside(left_bytes(&steps), || commit::ready(&steps), || keep(&bench, &steps, &above));
        Ok((steps, ready?, kept))
    })
    .await?;
    let Kept { saved, lost, left } = kept;
    if !saved.is_empty() {
        scene.host.checkpoint(ChangedBy::Tool, saved).await;
    }
    let bench = scene.bench.clone();
    let steps = changing(&scene.cancel, move || {
        let done = commit::commit(&bench, &steps, ready).map(|()| {
            for (path, hash) in left {
                bench.files().note(&path, Stamp::Content(hash));
            }
        });
        drop(locks);
        done.map(|()| steps)
    })
    .await?;
    Ok((steps, (!lost.is_empty()).then(|| lost.join("\n"))))
}

/// Both answers; those about large files are made side by side.
pub(super) fn beside<A: Send, B>(
    bytes: usize,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B,
) -> (A, B) {
    if bytes < MANY_BYTES {
        return (a(), b());
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(a);
        let b = b();
        // what has begun to change something is not done twice
        (other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), b)
    })
}

/// What is known of the files before they change.
#[derive(Default)]
struct Kept {
    /// For the checkpoint.
    saved: Vec<SavedFile>,
    /// What could not be kept, for the model and the user.
    lost: Vec<String>,
    /// The files that will be there then, each with the hash of what it will hold.
    left: Vec<(PathBuf, Hash)>,
}

fn keep(bench: &Workbench, steps: &[Step], above: &[usize]) -> Kept {
    let mut kept = Kept::default();
    for (step, above) in steps.iter().zip(above) {
        let (target, before) = step.before();
        let after = match step.left() {
            Some((path, bytes)) => {
                let hash = hash_of(bytes);
                kept.left.push((path.to_owned(), hash));
                After::Bytes(hex(&hash))
            }
            None => After::Nothing,
        };
        let own = if let Step::Move(..) = step { After::Nothing } else { after.clone() };
        match keep_one(bench, target, before) {
            Ok(file) => {
                let above = if file.before.is_none() { *above } else { 0 };
                kept.saved.push(SavedFile { after: own, above, ..file });
            }
            Err(error) => {
                let shown = &target.shown;
                kept.lost.push(format!("[{shown} could not be saved for a rewind: {error}]"));
            }
        }
        if let Step::Move(_, to) = step {
            let made = SavedFile::new(to.resolved.display().to_string(), None, 0);
            kept.saved.push(SavedFile { after, above: *above, ..made });
        }
    }
    kept
}

/// How many directories are missing above the file that a step makes.
fn above(step: &Step) -> usize {
    match step {
        Step::Write(Change { target, before: Before::Nothing, .. }) | Step::Move(_, target) => {
            missing_above(&target.resolved)
        }
        Step::Write(_) | Step::Remove(..) => 0,
    }
}

/// How much the steps write, in bytes.
fn left_bytes(steps: &[Step]) -> usize {
    steps.iter().filter_map(Step::left).map(|(_, bytes)| bytes.len()).sum()
}

fn keep_one(bench: &Workbench, target: &Target, before: &Before) -> Result<SavedFile, String> {
    let place = target.pinned().map_err(|error| error.to_string());
    let before = match before {
        Before::Nothing => None,
        Before::Bytes(image) => Some(bench.blobs().keep(image).map_err(|error| error.to_string())?),
        Before::Large(_) => {
            let (file, _) = place.clone()?.open().map_err(|error| error.to_string())?;
            Some(bench.blobs().keep_file(file).map_err(|error| error.to_string())?)
        }
    };
    let meta = place.ok().and_then(|place| place.metadata().ok());
    let mode = meta.as_ref().map_or(0, |meta| SavedFile::file_mode(meta.permissions().mode() & 0o7777));
    let (inode, linked) = (meta.as_ref().map(MetadataExt::ino), meta.is_some_and(|meta| meta.nlink() > 1));
    let saved = SavedFile::new(target.resolved.display().to_string(), before, mode);
    Ok(SavedFile { inode, linked, ..saved })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use futures_util::FutureExt;
    use serde_json::{Value, json};
    use tokio::runtime::Builder;

    use super::super::Tool;
    use super::super::edit::Edit;
    use super::super::patch::ApplyPatch;
    use super::super::read::Read;
    use super::super::testing::Session;
    use super::super::write::Write;
    use super::*;

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
    async fn what_stands_for_a_secret_is_written_nowhere() {
        let placeholder = "token = [secret: HIDDEN_TOKEN]\n";
        let session = Session::with(&[("f", "token = hidden-0123456789\nb\n"), ("literal", placeholder)]);
        session.told(&Read, json!({"file_path": "f"})).await;
        session.told(&Read, json!({"file_path": "literal"})).await;
        let patch = |body: &str| json!({"patch": format!("*** Begin Patch\n{body}\n*** End Patch")});
        let calls: [(&dyn Tool, Value); 6] = [
            (&Write, json!({"file_path": "f", "content": placeholder})),
            (&Write, json!({"file_path": "new", "content": placeholder})),
            (&Edit, json!({"file_path": "f", "old_string": "b", "new_string": placeholder})),
            (&Edit, json!({"file_path": "f", "old_string": placeholder, "new_string": "c"})),
            (&ApplyPatch, patch("*** Update File: f\n@@\n-b\n+token = [secret: HIDDEN_TOKEN]")),
            (&ApplyPatch, patch("*** Add File: new\n+token = [secret: HIDDEN_TOKEN]")),
        ];
        for (tool, arguments) in calls {
            let preview = session.prepare(tool, &arguments).preview(&session.bench).await;
            assert!(preview.is_err_and(|error| error.contains("represents a secret")), "{arguments}");
            let error = session.error(tool, arguments).await;
            assert!(error.contains("the text contains [secret: HIDDEN_TOKEN]"), "{error}");
        }
        assert_eq!(session.text("f"), "token = hidden-0123456789\nb\n");
        assert!(!session.path("new").exists() && session.checkpoints().is_empty());
        // where it stands as it is, it is no placeholder
        let edit = json!({"file_path": "literal", "old_string": "token =", "new_string": "# [secret: HIDDEN_TOKEN]"});
        session.told(&Edit, edit).await;
    }

    #[test]
    fn a_change_that_nobody_waits_for_any_more_keeps_its_lock_to_its_end() {
        // one thread for what blocks: behind the checkpoint something else has it
        let runtime = Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        runtime.block_on(async {
            let session = Session::with(&[("f", "old")]);
            let (scene, path) = (session.scene(), session.path("f"));
            let lock = session.bench.files().lock(&path).await;
            let (target, before) =
                (Target::new("f", &session.root), Before::Bytes(Image::of(b"old".to_vec())));
            let change = Change { target, before, after: b"new".to_vec() };
            let (gate, opened) = channel::<()>();
            let mut carried = Box::pin(carry_out(&scene, vec![lock], vec![change]));
            assert!(carried.as_mut().now_or_never().is_none());
            // queued behind the images, before the change
            let taken = tokio::task::spawn_blocking(move || opened.recv());
            while session.checkpoints().is_empty() {
                tokio::task::yield_now().await;
                assert!(carried.as_mut().now_or_never().is_none());
            }
            drop(carried);
            assert!(session.bench.files().lock(&path).now_or_never().is_none());
            assert_eq!(session.text("f"), "old");
            drop(gate);
            taken.await.unwrap().unwrap_err();
            let _lock = session.bench.files().lock(&path).await;
            assert_eq!(session.text("f"), "new");
        });
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
        assert!(told.contains("[f could not be saved for a rewind: "), "{told}");
        assert_eq!((session.text("f").as_str(), session.checkpoints().len()), ("2\n", 0));
    }
}
