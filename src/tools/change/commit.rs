//! Files are changed: all that a call names, or none of them.
//!
//! First everything is made ready beside the files ([`ready`]), where a full disk or a closed directory shows; then the
//! changes come into force one after another ([`commit`]), each only if its file is still what was planned on. If one
//! fails, those before it are put back. The surprise: between the two, the session notes what is about to change, so a change
//! that could never have come is noted nowhere.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Before, Change, Step};
use crate::os::file::FileError;
use crate::os::pinned::{Pinned, remove_empty};
use crate::os::stage::Staged;
use crate::tools::target::Target;
use crate::workbench::{Stamp, Workbench};

/// What a call changes, ready and not in force. Dropped before [`commit`] it has never been.
pub(super) struct Ready {
    staged: Vec<Staged>,
    /// Last: what lies in them goes first.
    _made: Made,
}

/// Directories that were made for new files; those in which nothing came to lie go again.
#[derive(Default)]
struct Made(Vec<PathBuf>);

impl Drop for Made {
    fn drop(&mut self) {
        remove_empty(&self.0);
    }
}

/// Makes all of it ready; after an error nothing is left of it.
pub(super) fn ready(steps: &[Step]) -> Result<Ready, String> {
    let mut made = Made::default();
    let staged: Result<Vec<Staged>, String> = steps.iter().map(|step| stage(step, &mut made.0)).collect();
    let staged = staged.map_err(|error| format!("{error}{}", or_none(steps)))?;
    Ok(Ready { staged, _made: made })
}

/// Brings the steps into force. After an error the files are as they were; where even that failed, the error says which is
/// not.
pub(super) fn commit(bench: &Workbench, steps: &[Step], mut ready: Ready) -> Result<(), String> {
    let still = |number: usize| steps.get(number).map_or(Ok(()), is_as_planned);
    commit_all(&mut ready.staged, still).map_err(|Failed { error, stuck }| {
        if stuck.is_empty() {
            return format!("{error}{}", or_none(steps));
        }
        let stuck = stuck.iter().filter_map(|(number, why)| Some(state(bench, steps.get(*number)?, why)));
        format!("{error}; not all earlier changes could be undone: {}", list(stuck))
    })?;
    bench.snapshots().changed_by_us(steps.iter().flat_map(touched));
    Ok(())
}

/// Of several changes, that none of them came.
fn or_none(steps: &[Step]) -> &'static str {
    if steps.len() > 1 { "; nothing was changed" } else { "" }
}

/// The files that a step makes, changes or removes.
fn touched(step: &Step) -> impl Iterator<Item = &Path> {
    let (one, other) = match step {
        Step::Write(change) => (&change.target, None),
        Step::Remove(target, _) => (target, None),
        Step::Move(change, to) => (&change.target, Some(to)),
    };
    std::iter::once(one).chain(other).map(|target| target.resolved.as_path())
}

fn list(of: impl Iterator<Item = String>) -> String {
    of.collect::<Vec<_>>().join("; ")
}

/// In which state a file was left.
fn state(bench: &Workbench, step: &Step, why: &str) -> String {
    let (target, before) = step.before();
    let is = match step {
        Step::Write(Change { before: Before::Nothing, .. }) => "was made".to_owned(),
        Step::Write(_) => "has its new content".to_owned(),
        Step::Remove(..) => "was removed".to_owned(),
        Step::Move(_, to) => format!("was moved to {}", to.shown),
    };
    let image = match before {
        Before::Bytes(image) => bench.blobs().keep(image).ok(),
        Before::Nothing | Before::Large(_) => None,
    };
    let image = image.and_then(|hash| bench.blobs().path(&hash).ok());
    let kept = image.map(|path| format!(", its former content is in {}", path.display())).unwrap_or_default();
    format!("{} {is} ({why}){kept}", target.shown)
}

fn stage(step: &Step, made: &mut Vec<PathBuf>) -> Result<Staged, String> {
    stage_at(step, made).map_err(|error| told(&error))
}

fn stage_at(step: &Step, made: &mut Vec<PathBuf>) -> Result<Staged, FileError> {
    match step {
        Step::Write(change) => match change.before {
            Before::Nothing => Staged::create(&Pinned::making(&change.target.resolved, made)?, &change.after),
            Before::Bytes(_) | Before::Large(_) => Staged::replace(&change.target.pinned()?, &change.after),
        },
        Step::Remove(target, _) => Staged::remove(&target.pinned()?),
        Step::Move(change, to) => {
            let is_same = matches!(&change.before, Before::Bytes(image) if image.bytes() == change.after);
            let bytes = (!is_same).then_some(change.after.as_slice());
            Staged::rename(&change.target.pinned()?, &Pinned::making(&to.resolved, made)?, bytes)
        }
    }
}

/// Why a change did not come about.
struct Failed {
    error: String,
    /// Numbers of the changes that could not be put back, and why.
    stuck: Vec<(usize, String)>,
}

/// Brings the changes into force one after another, each if `still` has nothing against it; if one fails, it and those
/// before it are put back, the last first.
fn commit_all(staged: &mut [Staged], still: impl Fn(usize) -> Result<(), String>) -> Result<(), Failed> {
    for number in 0..staged.len() {
        let done = still(number).and_then(|()| {
            staged.get_mut(number).map_or(Ok(()), |staged| staged.commit().map_err(|error| told(&error)))
        });
        if let Err(error) = done {
            let begun = staged.iter_mut().enumerate().take(number + 1).rev();
            let stuck =
                begun.filter_map(|(number, staged)| Some((number, staged.put_back().err()?.to_string())));
            return Err(Failed { error, stuck: stuck.collect() });
        }
    }
    Ok(())
}

fn is_as_planned(step: &Step) -> Result<(), String> {
    let (target, before) = step.before();
    match before {
        Before::Nothing => is_free(target)?,
        Before::Bytes(_) | Before::Large(_) => {
            let place = target.pinned().map_err(|error| told(&error))?;
            is_still(target, &place, before)?;
        }
    }
    match step {
        Step::Move(_, to) => to.pinned().map(drop).map_err(|error| told(&error)),
        Step::Write(_) | Step::Remove(..) => Ok(()),
    }
}

/// Whether there is no file still.
fn is_free(target: &Target) -> Result<(), String> {
    match fs::symlink_metadata(&target.resolved) {
        Ok(_) => Err(format!("Error: {} was created by another process meanwhile", target.shown)),
        Err(_) => Ok(()),
    }
}

/// Whether the file is what it was when the change was planned.
fn is_still(target: &Target, place: &Pinned, before: &Before) -> Result<(), String> {
    let is_same = match before {
        Before::Nothing => return is_free(target),
        Before::Bytes(image) => place.holds(image.bytes()).map_err(|error| told(&error))?,
        Before::Large(was) => stamp(place).map_err(|error| told(&error))? == *was,
    };
    if is_same {
        return Ok(());
    }
    Err(format!("Error: {} was changed by another process meanwhile: Read it again", target.shown))
}

fn stamp(place: &Pinned) -> Result<Stamp, FileError> {
    let (file, meta) = place.open()?;
    let failed = |source: io::Error| FileError::Io { verb: "read", path: place.path().to_owned(), source };
    Stamp::of_file(file, &meta).map_err(failed)
}

fn told(error: &FileError) -> String {
    format!("Error: {error}")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;
    use crate::tools::testing::Session;
    use crate::workbench::Image;

    fn target(session: &Session, name: &str) -> Target {
        Target::new(name, &session.root)
    }

    fn write(session: &Session, name: &str, before: Option<&str>, after: &str) -> Step {
        let before = before.map_or(Before::Nothing, |text| Before::Bytes(Image::of(text.into())));
        Step::Write(Change { target: target(session, name), before, after: after.into() })
    }

    fn carry_out(bench: &Workbench, steps: &[Step]) -> Result<(), String> {
        ready(steps).and_then(|ready| commit(bench, steps, ready))
    }

    /// One step of every kind.
    fn every_kind(session: &Session) -> Vec<Step> {
        let before = || Before::Bytes(Image::of("old".into()));
        let moved = |from: &str, after: &str| Change {
            target: target(session, from),
            before: before(),
            after: after.into(),
        };
        vec![
            write(session, "new/deep/file", None, "new"),
            write(session, "changed", Some("old"), "new"),
            write(session, "linked", Some("old"), "new and longer"),
            Step::Remove(target(session, "removed"), before()),
            Step::Move(moved("moved", "old"), target(session, "to/moved")),
            Step::Move(moved("edited", "new"), target(session, "to/edited")),
            write(session, "last", Some("old"), "new"),
        ]
    }

    const FILES: [&str; 6] = ["changed", "edited", "last", "linked", "moved", "removed"];

    fn stage_for_all() -> Session {
        let session = Session::with(&FILES.map(|name| (name, "old")));
        fs::hard_link(session.path("linked"), session.path("other")).unwrap();
        session
    }

    /// Every file with its number and what it holds, and every directory.
    fn world(session: &Session) -> Vec<(String, u64, String)> {
        let mut out = Vec::new();
        let mut left = vec![session.root.clone()];
        while let Some(directory) = left.pop() {
            for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
                let (path, meta) = (entry.path(), entry.metadata().unwrap());
                let name = path.strip_prefix(&session.root).unwrap().display().to_string();
                let text = fs::read_to_string(&path).unwrap_or_default();
                out.push((name, meta.ino(), text));
                left.extend(meta.is_dir().then_some(path));
            }
        }
        out.sort();
        out
    }

    #[test]
    fn whichever_step_fails_everything_is_as_it_was() {
        let count = every_kind(&Session::new()).len();
        for failing in 0..count {
            let session = stage_for_all();
            let before = world(&session);
            let steps = every_kind(&session);
            let mut made = Vec::new();
            let mut staged: Vec<Staged> = steps.iter().map(|step| stage(step, &mut made).unwrap()).collect();
            let fails = |number: usize| if number == failing { Err("no".to_owned()) } else { Ok(()) };
            let failed = commit_all(&mut staged, fails).unwrap_err();
            assert!(failed.stuck.is_empty() && failed.error == "no");
            drop(staged);
            remove_empty(&made);
            assert_eq!(world(&session), before, "the step of number {failing} failed");
        }
    }

    #[test]
    fn whichever_file_changes_meanwhile_nothing_else_does() {
        for name in FILES {
            let session = stage_for_all();
            let steps = every_kind(&session);
            session.write(name, "theirs");
            let before = world(&session);
            let error = carry_out(&session.bench, &steps).unwrap_err();
            assert!(error.contains(&format!("{name} was changed by another process")), "{error}");
            assert!(error.ends_with("; nothing was changed"), "{error}");
            assert_eq!(world(&session), before, "{name}");
        }
    }

    #[test]
    fn whichever_name_is_taken_meanwhile_nothing_is_written_over_it() {
        for name in ["new/deep/file", "to/moved", "to/edited"] {
            let session = stage_for_all();
            let steps = every_kind(&session);
            session.write(name, "theirs");
            let before = world(&session);
            let error = carry_out(&session.bench, &steps).unwrap_err();
            assert!(error.ends_with("; nothing was changed"), "{error}");
            assert_eq!(world(&session), before, "{name}");
        }
    }

    #[test]
    fn a_move_that_fails_half_way_is_taken_back_too() {
        let session = stage_for_all();
        let before = world(&session);
        let steps = every_kind(&session);
        let mut made = Vec::new();
        let mut staged: Vec<Staged> = steps.iter().map(|step| stage(step, &mut made).unwrap()).collect();
        // the new bytes of the moved file are lost, so that it can be renamed and not filled
        let failed = commit_all(&mut staged, |number| {
            let temps = fs::read_dir(session.path("to")).unwrap().map(|entry| entry.unwrap().path());
            for temp in temps.filter(|path| number == 5 && path.to_string_lossy().contains("/.clawd-")) {
                fs::remove_file(temp).unwrap();
            }
            Ok(())
        })
        .unwrap_err();
        assert!(
            failed.error.starts_with("Error: cannot move ") && failed.stuck.is_empty(),
            "{}",
            failed.error
        );
        drop(staged);
        remove_empty(&made);
        assert_eq!(world(&session), before);
    }

    #[test]
    fn whichever_file_goes_meanwhile_nothing_else_does() {
        for name in FILES {
            let session = stage_for_all();
            let steps = every_kind(&session);
            fs::remove_file(session.path(name)).unwrap();
            let before = world(&session);
            carry_out(&session.bench, &steps).unwrap_err();
            assert_eq!(world(&session), before, "{name}");
        }
    }

    #[test]
    fn what_was_only_made_ready_has_never_been() {
        let session = stage_for_all();
        let before = world(&session);
        drop(ready(&every_kind(&session)).unwrap());
        assert_eq!(world(&session), before);
    }

    #[test]
    fn all_steps_stand_in_the_end_and_nothing_else() {
        let session = stage_for_all();
        carry_out(&session.bench, &every_kind(&session)).unwrap();
        let files: Vec<(String, String)> = world(&session)
            .into_iter()
            .filter(|(_, _, text)| !text.is_empty())
            .map(|(name, _, text)| (name, text))
            .collect();
        let expected = [
            ("changed", "new"),
            ("last", "new"),
            ("linked", "new and longer"),
            ("new/deep/file", "new"),
            ("other", "new and longer"),
            ("to/edited", "new"),
            ("to/moved", "old"),
        ];
        assert_eq!(files, expected.map(|(name, text)| (name.to_owned(), text.to_owned())));
    }

    #[test]
    fn what_cannot_be_put_back_is_named_with_where_its_old_content_is() {
        let session = Session::with(&[("a", "old a"), ("b", "old b")]);
        let steps = [
            Step::Remove(target(&session, "a"), Before::Bytes(Image::of("old a".into()))),
            write(&session, "b", Some("old b"), "new"),
        ];
        let mut staged: Vec<Staged> =
            steps.iter().map(|step| stage(step, &mut Vec::new()).unwrap()).collect();
        let root = session.root.clone();
        let failed = commit_all(&mut staged, |number| {
            if number == 1 {
                fs::create_dir(root.join("a")).unwrap();
                return Err("no".to_owned());
            }
            Ok(())
        })
        .unwrap_err();
        let [(0, why)] = failed.stuck.as_slice() else { panic!("the first is stuck") };
        let told = state(&session.bench, &steps[0], why);
        assert!(
            told.starts_with("a was removed (cannot restore ")
                && told.contains(", its former content is in "),
            "{told}"
        );
        let kept = told.rsplit(" is in ").next().unwrap();
        assert_eq!(fs::read_to_string(kept).unwrap(), "old a");
        assert_eq!(session.text("b"), "old b");
    }

    #[test]
    fn a_write_that_fails_takes_its_directories_with_it() {
        let session = Session::new();
        let name = format!("a/b/{}", "n".repeat(300));
        carry_out(&session.bench, &[write(&session, &name, None, "x")]).unwrap_err();
        assert_eq!(world(&session), []);
    }
}
