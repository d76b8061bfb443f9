//! Puts files back as a session knows that they were: exact bytes, mode, kind and path, or removed where there were none.
//!
//! Three steps, with the owner of the session between them. [`plan()`] finds which files are not as they should be.
//! [`keep`] saves images of those as they are now and says what to write down, so that nothing is lost that cannot be restored;
//! only once that is written, [`put_back`] touches them. One that cannot be put back is named with why, and the others go on.
//!
//! One rule is above all: no byte that is older than the changes is lost. So a file is removed or replaced only if it was made
//! since, is the file that was saved, or its bytes come back under another name; else it stays and is named. No link is
//! followed, neither above a file nor in its place. The surprise: what is removed is removed first, and the directories that were made
//! for it with it, then files are moved back, then bytes are written, since each may need the names that the one before it frees.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use self::plan::move_aside;
use self::steps::{
    above, after, before, bring_back, directories_of, is_removed, move_back, not_moved, put_folders, steps,
    take_away,
};
use super::Blobs;
use super::files::{Image, MOST_HASHED, hash_of};
use crate::os::hands::side_by_side;
use crate::os::paths::hex;
use crate::os::pinned::{Pinned, remove_empty};
use crate::os::put::{clear_rest, missing_above, open_own};
use crate::protocol::history::{Back, Past};
use crate::protocol::{After, SavedFile, SavedKind, Was};

pub use plan::{Difference, Hand, Plan, STAYS, plan};
pub use present::{Mark, Present};

mod plan;
mod present;
mod steps;

/// So many files are put back side by side: nearly all of the time is waiting for the disk, which takes many writes that are waited
/// for at once for one (5,000 small files on ext4: 850 ms with 8, 500 ms with 32).
const HANDS: usize = 32;
/// From as many files on it is worth a thread.
const MANY: usize = 8;
/// Files that can be put back, as they are now.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    /// They.
    pub differences: Vec<Difference>,
    /// What to write down before they are touched.
    pub saved: Vec<SavedFile>,
    /// Those that cannot be put back: which, and why, a line each.
    pub failed: Vec<String>,
    moves: Vec<Back>,
}

impl Kept {
    /// How many files there are; directories do not count.
    #[must_use]
    pub fn files(&self) -> usize {
        self.differences.iter().filter(|difference| difference.wanted.kind() != SavedKind::Directory).count()
    }
}

/// Saves images of files as they are now. One of which there can be none will not be touched.
pub fn keep(blobs: Blobs<'_>, mut plan: Plan) -> Kept {
    let aside = move_aside(&mut plan);
    let moves = steps(&plan.moves);
    let saved = each(&plan.differences, |difference| keep_one(blobs, difference, &moves));
    let lost = plan.lost.iter().map(|(path, why)| format!("{}: {why}", path.display()));
    let mut kept = Kept { failed: lost.chain(aside).collect(), ..Kept::default() };
    let mut back = Vec::new();
    for (difference, saved) in plan.differences.into_iter().zip(saved) {
        match saved {
            Ok(saved) => {
                if difference.loses_links() {
                    kept.failed.push(format!("{}: {SEPARATE}", difference.path.display()));
                }
                let is_away = difference.goes() || difference.is_made_folder();
                kept.differences.push(difference);
                match saved {
                    Some(saved) if is_away => kept.saved.push(saved),
                    saved => back.extend(saved),
                }
            }
            Err(why) => kept.failed.push(why),
        }
    }
    kept.saved.extend(modes_of_made(&kept.differences));
    kept.saved.extend(moves.iter().map(|step| {
        let bits = if step.kind == SavedKind::Directory { SavedFile::DIRECTORY } else { 0 };
        SavedFile::moved(&step.to, &step.at, bits)
    }));
    kept.moves = moves;
    kept.saved.append(&mut back);
    kept
}

/// The directories that go with what was made in them, and their modes.
fn modes_of_made(differences: &[Difference]) -> Vec<SavedFile> {
    let known: HashSet<&Path> = differences.iter().map(|difference| difference.now.as_path()).collect();
    let made = directories_of(differences).into_iter().filter(|path| !known.contains(path.as_path()));
    let with_mode = made.filter_map(|path| match Present::at(&path) {
        Present::Directory(mode) => Some((path, SavedFile::DIRECTORY | mode)),
        _ => None,
    });
    let saved = |(path, mode): (PathBuf, u32)| SavedFile {
        after: After::Nothing,
        ..SavedFile::new(path.to_string_lossy(), Some(SavedFile::NO_HASH.to_owned()), mode)
    };
    with_mode.map(saved).collect()
}

/// Puts files back; those that cannot be, and why, a line each.
pub fn put_back(blobs: Blobs<'_>, kept: &Kept) -> Vec<String> {
    let all = &kept.differences;
    let gone: Vec<&Difference> = all.iter().filter(|difference| difference.goes()).collect();
    let mut failed = each(&gone, |difference| take_away(difference, &kept.moves));
    let made = directories_of(all);
    remove_empty(&made);
    // an empty directory that was made since may have been moved, and is gone by now
    failed.extend(move_back(&steps(&kept.moves), &made).into_iter().map(Err));
    remove_empty(&not_moved(made, &kept.moves));
    let is_to_come = |difference: &&Difference| matches!(difference.wanted.was(), Was::Bytes(_));
    let (folders, files): (Vec<&Difference>, Vec<&Difference>) = all
        .iter()
        .filter(is_to_come)
        .partition(|difference| difference.wanted.kind() == SavedKind::Directory);
    let has_links = |difference: &&Difference| difference.mark().is_some_and(|mark| mark.links > 1);
    let (mut linked, single): (Vec<&Difference>, Vec<&Difference>) = files.into_iter().partition(has_links);
    // those last whose file itself is written, which would change under the names that others lose
    linked.sort_by_key(|difference| difference.mark().map(|mark| mark.inode) == difference.wanted.inode);
    failed.extend(each(&single, |difference| bring_back(blobs, difference)));
    // one after the other: several may be names of one file
    failed.extend(linked.into_iter().map(|difference| bring_back(blobs, difference)));
    failed.extend(put_folders(&folders));
    failed.extend(
        all.iter()
            .filter(|difference| difference.is_made_folder())
            .map(|difference| is_removed(difference, &kept.moves)),
    );
    failed.into_iter().filter_map(Result::err).collect()
}

/// Removes the directories that were made for files which were not there, as far as they are empty: also where such a file was never
/// made, for a kill in between leaves the directories alone.
pub fn remove_left_over(past: &Past) {
    let gone = past.files.iter().map(|former| &former.file).filter(|file| file.was() == Was::Nothing);
    let mut made: Vec<PathBuf> = gone.flat_map(|file| above(Path::new(&file.path), file.above)).collect();
    // one that was there before may be empty
    let is_old = |directory: &Path| {
        let is_it = |file: &SavedFile| file.was() != Was::Nothing && Path::new(&file.path) == directory;
        past.files.iter().any(|former| is_it(&former.file))
    };
    made.retain(|directory| !is_old(directory));
    made.sort();
    made.dedup();
    remove_empty(&not_moved(made, &past.moves));
}

/// Of files that were to be put back, by a program that may have been killed meanwhile: how many are as they were before that.
/// Takes away what it has left lying beside them. Reads all of them.
pub fn untouched(saved: &[SavedFile]) -> usize {
    let is_untouched = |file: &SavedFile| {
        let path = Path::new(&file.path);
        if let Ok(place) = Pinned::new(path) {
            clear_rest(&place);
        }
        match file.was() {
            Was::Moved(from) => {
                path.symlink_metadata().is_err() && Path::new(from).symlink_metadata().is_ok()
            }
            Was::Nothing | Was::Bytes(_) | Was::Unsaved(_) => Present::at(path).is(file),
        }
    };
    each(saved, is_untouched).into_iter().filter(|is_untouched| *is_untouched).count()
}

/// The image of a file as it should be, checked.
pub fn image(blobs: Blobs<'_>, hash: &str) -> Result<Vec<u8>, &'static str> {
    let path = blobs.find(hash).ok_or(GONE)?;
    let bytes = std::fs::read(path).map_err(|_gone| GONE)?;
    if hex(&hash_of(&bytes)) == hash { Ok(bytes) } else { Err("its backup is damaged") }
}

/// Why a file cannot be put back whose image is not there.
const GONE: &str = "its backup is missing";

/// What is reported of a file whose hard link is not restored.
const SEPARATE: &str = "restored as a separate file: its hard link is not restored";

/// What to write down of a file before it is touched; nothing of one that is only moved.
fn keep_one(blobs: Blobs<'_>, difference: &Difference, moves: &[Back]) -> Result<Option<SavedFile>, String> {
    let Difference { path, now, wanted, present, stays, .. } = difference;
    if *stays {
        return Err(format!("{}: {STAYS}", after(now, moves).display()));
    }
    let after = match (wanted.was(), wanted.kind()) {
        (Was::Moved(_) | Was::Unsaved(_), _) => return Ok(None),
        (Was::Nothing, _) => After::Nothing,
        (Was::Bytes(hash), SavedKind::File | SavedKind::Link) => {
            blobs.find(hash).ok_or_else(|| format!("{}: {GONE}", path.display()))?;
            After::Bytes(hash.to_owned())
        }
        (Was::Bytes(_), SavedKind::Directory | SavedKind::Pipe) => {
            After::Bytes(SavedFile::NO_HASH.to_owned())
        }
    };
    let failed = |error| format!("{}: cannot back up its current state: {error}", path.display());
    let none = || Some(SavedFile::NO_HASH.to_owned());
    let (bytes, mode) = match present {
        Present::Untold(why) => return Err(format!("{}: not restored: {why}", path.display())),
        Present::Nothing if wanted.kind() == SavedKind::Directory => (None, SavedFile::DIRECTORY),
        Present::Nothing => (None, 0),
        Present::Directory(mode) => (none(), SavedFile::DIRECTORY | mode),
        Present::Pipe(mode) => (none(), SavedFile::PIPE | mode),
        Present::Link(to) => (Some(blobs.keep(&Image::of(to.clone())).map_err(failed)?), SavedFile::LINK),
        Present::File { mode, .. } => {
            (Some(keep_file(blobs, now).map_err(failed)?), SavedFile::file_mode(*mode))
        }
    };
    let (inode, linked) = match present {
        Present::File { mark, .. } => (Some(mark.inode), mark.links > 1),
        _ => (None, false),
    };
    let above = if *present == Present::Nothing { missing_above(&before(path, moves)) } else { 0 };
    // what goes first is told by its path before anything is moved
    let path = if difference.goes() { now } else { path };
    let path = path.to_string_lossy().into_owned();
    Ok(Some(SavedFile { after, above, inode, linked, ..SavedFile::new(path, bytes, mode) }))
}

fn keep_file(blobs: Blobs<'_>, path: &Path) -> io::Result<String> {
    let (file, meta) = Pinned::new(path).and_then(|place| open_own(&place)).map_err(io::Error::other)?;
    if meta.len() > MOST_HASHED {
        return blobs.keep_file(file);
    }
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut { file }, &mut bytes)?;
    blobs.keep(&Image::of(bytes))
}

/// What `work` gives for each, in their order.
fn each<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    side_by_side(all, if all.len() < MANY { 1 } else { HANDS }, 1, work)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use std::os::unix::fs::MetadataExt;
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use super::super::Outputs;
    use super::*;

    /// A directory of files, and images of them.
    struct World {
        _directory: tempfile::TempDir,
        root: PathBuf,
        outputs: Outputs,
    }

    impl World {
        fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            let root = directory.path().canonicalize().unwrap();
            Self { _directory: directory, root, outputs: Outputs::new(None) }
        }

        fn blobs(&self) -> Blobs<'_> {
            Blobs::new(&self.outputs)
        }

        fn write(&self, name: &str, text: &str) {
            let path = self.root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn text(&self, name: &str) -> Option<String> {
            fs::read_to_string(self.root.join(name)).ok()
        }

        /// As a tool writes down what it is about to change.
        fn saved(&self, name: &str, after: After) -> SavedFile {
            let path = self.root.join(name);
            let before = fs::read(&path).ok().map(|bytes| self.blobs().keep(&Image::of(bytes)).unwrap());
            let above = if before.is_none() { missing_above(&path) } else { 0 };
            let mode = fs::metadata(&path).map_or(0, |meta| meta.mode() & 0o7777);
            SavedFile { after, above, ..SavedFile::new(path.to_str().unwrap(), before, mode) }
        }

        /// Puts all of these back; what was replaced, and what could not be.
        fn restore(&self, saved: &[SavedFile]) -> (Vec<SavedFile>, Vec<String>) {
            let kept = keep(self.blobs(), plan(&Past::before(saved), 0));
            let failed = put_back(self.blobs(), &kept);
            (kept.saved, [kept.failed, failed].concat())
        }
    }

    fn bytes(text: &str) -> After {
        After::Bytes(hex(&hash_of(text.as_bytes())))
    }

    #[test]
    fn five_hundred_files_are_put_back_and_brought_forward_again() {
        let world = World::new();
        let name = |number: usize| format!("{}/{number}", number % 20);
        let text = |number: usize| format!("file {number}\n");
        (0..500).for_each(|number| world.write(&name(number), &text(number)));
        let saved: Vec<SavedFile> =
            (0..500).map(|number| world.saved(&name(number), After::Unknown)).collect();
        (0..500).for_each(|number| match number % 3 {
            0 => world.write(&name(number), "other"),
            1 => fs::remove_file(world.root.join(name(number))).unwrap(),
            _ => {}
        });
        let (replaced, failed) = world.restore(&saved);
        assert_eq!((replaced.len(), failed), (334, Vec::new()));
        assert!((0..500).all(|number| world.text(&name(number)) == Some(text(number))));
        let (_, failed) = world.restore(&replaced);
        assert_eq!(failed, [""; 0]);
        assert!((0..500).all(|number| match number % 3 {
            0 => world.text(&name(number)).as_deref() == Some("other"),
            1 => world.text(&name(number)).is_none(),
            _ => world.text(&name(number)) == Some(text(number)),
        }));
    }

    #[test]
    fn directories_that_were_made_for_a_file_go_with_it_and_no_others() {
        let world = World::new();
        fs::create_dir(world.root.join("empty")).unwrap();
        let names = ["made/deep/a", "empty/a", "shared/a"];
        let saved = names.map(|name| world.saved(name, After::Unknown));
        for name in names {
            world.write(name, "x");
        }
        let late = world.saved("made/deep/b", After::Unknown);
        world.write("made/deep/b", "x");
        world.write("shared/mine", "mine");
        let (replaced, failed) = world.restore(&[saved.to_vec(), vec![late]].concat());
        assert_eq!(failed, [""; 0]);
        assert!(!world.root.join("made").exists() && world.root.join("empty").is_dir());
        assert_eq!((world.text("shared/a"), world.text("shared/mine").as_deref()), (None, Some("mine")));
        world.restore(&replaced);
        assert_eq!(
            (world.text("made/deep/b").as_deref(), world.text("empty/a").as_deref()),
            (Some("x"), Some("x"))
        );
    }

    #[test]
    fn a_file_in_the_place_of_a_directory_and_the_other_way_round() {
        let world = World::new();
        world.write("dir/file", "in it");
        let saved = [world.saved("dir/file", After::Unknown), world.saved("dir", After::Unknown)];
        fs::remove_dir_all(world.root.join("dir")).unwrap();
        world.write("dir", "a file now");
        let saved = [saved[0].clone(), SavedFile { before: None, ..saved[1].clone() }];
        let (replaced, failed) = world.restore(&saved);
        assert_eq!((failed, world.text("dir/file").as_deref()), (Vec::new(), Some("in it")));
        let (_, failed) = world.restore(&replaced);
        assert_eq!((failed, world.text("dir").as_deref()), (Vec::new(), Some("a file now")));
    }

    #[test]
    fn who_has_changed_a_file_last_is_known_where_it_was_written_down() {
        let world = World::new();
        let check = |after: After, now: Option<&str>, expected: Option<Hand>| {
            world.write("f", "before");
            let saved = world.saved("f", after.clone());
            match now {
                Some(text) => world.write("f", text),
                None => fs::remove_file(world.root.join("f")).unwrap(),
            }
            let found = plan(&Past::before([&saved]), 0).differences;
            assert_eq!(found.first().map(|difference| difference.hand), expected, "{after:?} {now:?}");
        };
        check(bytes("after"), Some("after"), Some(Hand::Session));
        check(bytes("after"), Some("theirs"), Some(Hand::Other));
        check(bytes("after"), None, Some(Hand::Other));
        check(After::Nothing, None, Some(Hand::Session));
        check(After::Nothing, Some("theirs"), Some(Hand::Other));
        check(After::Unknown, Some("whose"), Some(Hand::Session));
        check(bytes("after"), Some("before"), None);
    }

    #[test]
    fn a_file_that_is_changed_meanwhile_is_left_and_named() {
        let world = World::new();
        world.write("a", "before");
        world.write("b", "before");
        let saved = ["a", "b"].map(|name| world.saved(name, After::Unknown));
        world.write("a", "after");
        world.write("b", "after");
        let kept = keep(world.blobs(), plan(&Past::before(&saved), 0));
        world.write("a", "in this moment");
        let failed = put_back(world.blobs(), &kept);
        assert_eq!(failed.len(), 1);
        assert!(failed[0].ends_with("a: another program has just changed it"), "{failed:?}");
        assert_eq!(
            (world.text("a").as_deref(), world.text("b").as_deref()),
            (Some("in this moment"), Some("before"))
        );
    }

    #[test]
    fn an_old_file_that_was_given_the_inode_of_the_saved_one_is_moved_aside() {
        let world = World::new();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        world.write("f", "old bytes from elsewhere");
        let path = world.root.join("f");
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_hours(1)).unwrap();
        let before = Some(world.blobs().keep(&Image::of(b"was".to_vec())).unwrap());
        let inode = Some(path.metadata().unwrap().ino());
        let saved = SavedFile { inode, ..SavedFile::new(path.to_str().unwrap(), before, 0o644) };
        let since = u64::try_from(since.as_millis()).unwrap();
        let kept = keep(world.blobs(), plan(&Past::before([&saved]), since));
        assert_eq!(put_back(world.blobs(), &kept), [""; 0]);
        if file.metadata().unwrap().created().is_ok() {
            assert_eq!(world.text("f.left").as_deref(), Some("old bytes from elsewhere"));
            assert!(kept.failed[0].contains("f.left: a command moved it to"), "{:?}", kept.failed);
        }
        assert_eq!(world.text("f").as_deref(), Some("was"));
    }

    #[test]
    fn a_damaged_image_is_not_put_back() {
        let world = World::new();
        world.write("a", "before");
        let saved = world.saved("a", After::Unknown);
        let image = world.blobs().path(saved.before.as_deref().unwrap()).unwrap();
        fs::write(image, "beforf").unwrap();
        world.write("a", "after");
        let (_, failed) = world.restore(&[saved]);
        assert!(failed[0].ends_with("a: its backup is damaged"), "{failed:?}");
        assert_eq!(world.text("a").as_deref(), Some("after"));
    }
}
