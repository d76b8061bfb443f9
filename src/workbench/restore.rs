//! Files put back as a session knows that they were: exact bytes, mode and kind, or gone where there were none.
//!
//! Three steps, with whoever keeps the session between them. [`differences`] looks which files are not as they shall be.
//! [`keep`] takes images of those as they are now and says what to write down, so that nothing is lost that cannot be had back;
//! only once that is written, [`put_back`] touches them. One that cannot be put back is named with why, and the others go on.
//!
//! No link is followed, neither above a file nor in its place. The surprise: what goes goes first, and the directories that were
//! made for it with it, since what comes back may need their names.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::Blobs;
use super::files::{Hasher, Image, MOST_HASHED, hash_of};
use crate::os::file::FileError;
use crate::os::hands::side_by_side;
use crate::os::paths::hex;
use crate::os::pinned::{Pinned, remove_empty};
use crate::os::put::{There, clear_rest, missing_above, put_file, put_link, put_mode, put_nothing, there};
use crate::protocol::history::Former;
use crate::protocol::{After, SavedFile};

/// So many files are put back side by side: nearly all of the time is waiting for the disk, which takes many writes that are waited
/// for at once for one (5,000 small files on ext4: 850 ms with 8, 500 ms with 32).
const HANDS: usize = 32;
/// From as many files on it is worth a thread.
const MANY: usize = 8;
/// The mode of a file of which none was kept.
const USUAL_MODE: u32 = 0o644;

/// A file that is not as it shall be.
#[derive(Debug, Clone)]
pub struct Difference {
    /// Which.
    pub path: PathBuf,
    /// What it shall be.
    pub wanted: SavedFile,
    /// What it is.
    pub present: Present,
    /// Whether it is as the session's last change of it left it, as far as that is known.
    pub hand: Hand,
}

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Present {
    /// Nothing.
    Nothing,
    /// A file.
    File {
        /// The hash of what it holds, in hex.
        hash: String,
        /// Its mode bits.
        mode: u32,
        /// By which it is known again.
        mark: Mark,
    },
    /// A link that holds this path.
    Link(Vec<u8>),
    /// A directory.
    Directory,
    /// It cannot be told: why.
    Untold(String),
}

/// What changes whenever a file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

/// Who has changed a file last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hand {
    /// The session, as far as is known.
    Session,
    /// Somebody else.
    Other,
}

/// Files that can be put back, as they are now.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    /// They.
    pub differences: Vec<Difference>,
    /// What to write down before they are touched, one for each.
    pub saved: Vec<SavedFile>,
    /// Those that cannot be put back: which, and why, a line each.
    pub failed: Vec<String>,
}

/// Which of these files are not as they were. Reads all of them.
pub fn differences<'a>(formers: impl IntoIterator<Item = Former<'a>>) -> Vec<Difference> {
    let formers: Vec<Former<'a>> = formers.into_iter().collect();
    each(&formers, |former| difference(former)).into_iter().flatten().collect()
}

/// Takes images of files as they are now. One of which there can be none will not be touched.
pub fn keep(blobs: Blobs<'_>, differences: Vec<Difference>) -> Kept {
    let saved = each(&differences, |difference| keep_one(blobs, difference));
    let mut kept = Kept::default();
    for (difference, saved) in differences.into_iter().zip(saved) {
        match saved {
            Ok(saved) => {
                kept.differences.push(difference);
                kept.saved.push(saved);
            }
            Err(why) => kept.failed.push(why),
        }
    }
    kept
}

/// Puts files back; those that cannot be, and why, a line each.
pub fn put_back(blobs: Blobs<'_>, kept: &Kept) -> Vec<String> {
    let (gone, there): (Vec<&Difference>, Vec<&Difference>) =
        kept.differences.iter().partition(|difference| difference.wanted.before.is_none());
    let mut failed = each(&gone, |difference| take_away(difference));
    remove_empty(&directories_of(&gone));
    failed.extend(each(&there, |difference| bring_back(blobs, difference)));
    failed.into_iter().filter_map(Result::err).collect()
}

/// Removes the directories that were made for files which were not there, as far as they are empty: also where such a file has not
/// come about, for one who was killed in between has made the directories alone.
pub fn remove_left_over<'a>(formers: impl IntoIterator<Item = Former<'a>>) {
    let gone = formers.into_iter().map(|former| former.file).filter(|file| file.before.is_none());
    let mut made: Vec<PathBuf> = gone.flat_map(|file| above(Path::new(&file.path), file.above)).collect();
    made.sort();
    made.dedup();
    remove_empty(&made);
}

/// Of files that were to be put back, by a program that may have been killed meanwhile: how many are as they were before that.
/// Takes away what it has left lying beside them. Reads all of them.
pub fn untouched(saved: &[SavedFile]) -> usize {
    let is_untouched = |file: &SavedFile| {
        let path = Path::new(&file.path);
        if let Ok(place) = Pinned::new(path) {
            clear_rest(&place);
        }
        Present::at(path).is(file)
    };
    each(saved, is_untouched).into_iter().filter(|is_untouched| *is_untouched).count()
}

/// The image of a file as it shall be, checked.
pub fn image(blobs: Blobs<'_>, hash: &str) -> Result<Vec<u8>, &'static str> {
    let path = blobs.find(hash).ok_or(GONE)?;
    let bytes = std::fs::read(path).map_err(|_gone| GONE)?;
    if hex(&hash_of(&bytes)) == hash { Ok(bytes) } else { Err("what was kept of it is damaged") }
}

/// Why a file cannot be put back whose image is not there.
const GONE: &str = "what was kept of it is gone";

impl Present {
    /// What stands at `path`.
    pub fn at(path: &Path) -> Self {
        let place = match Pinned::new(path) {
            Ok(place) => place,
            Err(error) if is_nowhere(&error) => return Self::Nothing,
            Err(error) => return Self::Untold(error.to_string()),
        };
        match there(&place) {
            Ok(There::Nothing) => Self::Nothing,
            Ok(There::Link(path)) => Self::Link(path),
            Ok(There::Other(crate::os::file::Kind::Directory)) => Self::Directory,
            Ok(There::File(_) | There::Other(_)) => {
                Self::of_file(&place).unwrap_or_else(|error| Self::Untold(error.to_string()))
            }
            Err(error) => Self::Untold(error.to_string()),
        }
    }

    fn of_file(place: &Pinned) -> Result<Self, FileError> {
        let (file, meta) = place.open()?;
        let failed = |source| FileError::Io { verb: "read", path: place.path().to_owned(), source };
        let hash = hash_file(file).map_err(failed)?;
        Ok(Self::File { hash, mode: meta.permissions().mode() & 0o7777, mark: Mark::of(&meta) })
    }

    /// The hash of what stands there, if anything does.
    fn hash(&self) -> Option<String> {
        match self {
            Self::File { hash, .. } => Some(hash.clone()),
            Self::Link(path) => Some(hex(&hash_of(path))),
            Self::Nothing | Self::Directory | Self::Untold(_) => None,
        }
    }

    fn is(&self, wanted: &SavedFile) -> bool {
        match (self, &wanted.before) {
            (Self::Nothing, None) => true,
            (Self::Link(_), Some(before)) => {
                wanted.mode == SavedFile::LINK && self.hash().as_ref() == Some(before)
            }
            (Self::File { hash, mode, .. }, Some(before)) => {
                hash == before && (*mode == wanted.mode || wanted.mode == 0)
            }
            _ => false,
        }
    }

    /// Whether `last`, the newest change that is known, has left it so, or has not come about.
    fn hand(&self, last: &SavedFile) -> Hand {
        let after = match &last.after {
            After::Unknown => return Hand::Session,
            After::Nothing => None,
            After::Bytes(hash) => Some(hash),
        };
        let stands = match self {
            Self::Nothing | Self::File { .. } | Self::Link(_) => self.hash(),
            Self::Directory | Self::Untold(_) => return Hand::Other,
        };
        if stands.as_ref() == after || stands == last.before { Hand::Session } else { Hand::Other }
    }
}

impl Mark {
    fn of(meta: &Metadata) -> Self {
        Self { inode: meta.ino(), size: meta.len(), changed: (meta.ctime(), meta.ctime_nsec()) }
    }
}

fn difference(former: &Former<'_>) -> Option<Difference> {
    let path = PathBuf::from(&former.file.path);
    let present = Present::at(&path);
    if present.is(former.file) {
        return None;
    }
    let hand = present.hand(former.last);
    Some(Difference { path, wanted: former.file.clone(), present, hand })
}

fn keep_one(blobs: Blobs<'_>, difference: &Difference) -> Result<SavedFile, String> {
    let Difference { path, wanted, present, .. } = difference;
    if let Some(hash) = &wanted.before {
        blobs.find(hash).ok_or_else(|| format!("{}: {GONE}", path.display()))?;
    }
    let told = |error: &dyn std::fmt::Display| {
        format!("{}: as it is now it cannot be kept: {error}", path.display())
    };
    let (before, mode) = match present {
        Present::Untold(why) => return Err(why.clone()),
        Present::Nothing | Present::Directory => (None, 0),
        Present::Link(to) => {
            (Some(blobs.keep(&Image::of(to.clone())).map_err(|error| told(&error))?), SavedFile::LINK)
        }
        Present::File { mode, .. } => (Some(keep_file(blobs, path).map_err(|error| told(&error))?), *mode),
    };
    let after = wanted.before.clone().map_or(After::Nothing, After::Bytes);
    let above = if *present == Present::Nothing { missing_above(path) } else { 0 };
    Ok(SavedFile { path: wanted.path.clone(), before, mode, after, above })
}

fn keep_file(blobs: Blobs<'_>, path: &Path) -> io::Result<String> {
    let (file, meta) = Pinned::new(path).and_then(|place| place.open()).map_err(io::Error::other)?;
    if meta.len() > MOST_HASHED {
        return blobs.keep_file(file);
    }
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut { file }, &mut bytes)?;
    blobs.keep(&Image::of(bytes))
}

fn take_away(difference: &Difference) -> Result<(), String> {
    let place = match Pinned::new(&difference.path) {
        Err(error) if is_nowhere(&error) => return Ok(()),
        place => place.map_err(|error| error.to_string())?,
    };
    is_still(difference, &place)?;
    put_nothing(&place).map_err(|error| error.to_string())
}

fn bring_back(blobs: Blobs<'_>, difference: &Difference) -> Result<(), String> {
    let Difference { path, wanted, present, .. } = difference;
    let Some(hash) = &wanted.before else { return Ok(()) };
    let bytes = image(blobs, hash).map_err(|why| format!("{}: {why}", path.display()))?;
    let mut made = Vec::new();
    let done = Pinned::making(path, &mut made).map_err(|error| error.to_string()).and_then(|place| {
        is_still(difference, &place)?;
        let put = match (present, wanted.mode) {
            (_, SavedFile::LINK) => put_link(&place, &bytes),
            (Present::File { hash: now, .. }, mode) if now == hash => {
                put_mode(&place, mode).or_else(|_| put_file(&place, &bytes, mode))
            }
            (Present::File { mode, .. }, 0) => put_file(&place, &bytes, *mode),
            (_, 0) => put_file(&place, &bytes, USUAL_MODE),
            (_, mode) => put_file(&place, &bytes, mode),
        };
        put.map_err(|error| error.to_string())
    });
    if done.is_err() {
        remove_empty(&made);
    }
    done
}

/// Whether there still stands what was kept.
fn is_still(difference: &Difference, place: &Pinned) -> Result<(), String> {
    let now = there(place).map_err(|error| error.to_string())?;
    let is_same = match (&difference.present, now) {
        // a directory may have gone with what was made in it; if it has not, nothing takes its place
        (Present::Nothing | Present::Directory, There::Nothing) | (Present::Directory, There::Other(_)) => {
            true
        }
        (Present::Link(kept), There::Link(now)) => *kept == now,
        (Present::File { mark, .. }, There::File(meta)) => *mark == Mark::of(&meta),
        _ => false,
    };
    let shown = difference.path.display();
    if is_same { Ok(()) } else { Err(format!("{shown}: it has just been changed by somebody else")) }
}

/// The directories that were made for files which go, the outer ones first.
fn directories_of(gone: &[&Difference]) -> Vec<PathBuf> {
    let made = gone.iter().flat_map(|difference| above(&difference.path, difference.wanted.above));
    let mut all: Vec<PathBuf> = made.collect();
    all.sort();
    all.dedup();
    all
}

/// So many of the directories above a file, the innermost first.
fn above(path: &Path, count: usize) -> impl Iterator<Item = PathBuf> {
    path.ancestors().skip(1).take(count).map(Path::to_owned)
}

fn is_nowhere(error: &FileError) -> bool {
    matches!(error.io_kind(), Some(io::ErrorKind::NotFound | io::ErrorKind::NotADirectory))
}

fn hash_file(mut file: File) -> io::Result<String> {
    let mut hasher = Hasher::default();
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let count = io::Read::read(&mut file, &mut buffer)?;
        match buffer.get(..count) {
            Some(read) if !read.is_empty() => hasher.update(read),
            _ => return Ok(hex(&hasher.hash())),
        }
    }
}

/// What `work` gives for each, in their order.
fn each<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    side_by_side(all, if all.len() < MANY { 1 } else { HANDS }, 1, work)
}

#[cfg(test)]
mod tests {
    use std::fs;

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
            SavedFile { path: path.to_str().unwrap().to_owned(), before, mode, after, above }
        }

        /// Puts all of these back; what was replaced, and what could not be.
        fn restore(&self, saved: &[SavedFile]) -> (Vec<SavedFile>, Vec<String>) {
            let differences = differences(saved.iter().map(|file| Former { file, last: file }));
            let kept = keep(self.blobs(), differences);
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
            let found = differences([Former { file: &saved, last: &saved }]);
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
        let kept = keep(world.blobs(), differences(saved.iter().map(|file| Former { file, last: file })));
        world.write("a", "in this moment");
        let failed = put_back(world.blobs(), &kept);
        assert_eq!(failed.len(), 1);
        assert!(failed[0].ends_with("a: it has just been changed by somebody else"), "{failed:?}");
        assert_eq!(
            (world.text("a").as_deref(), world.text("b").as_deref()),
            (Some("in this moment"), Some("before"))
        );
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
        assert!(failed[0].ends_with("a: what was kept of it is damaged"), "{failed:?}");
        assert_eq!(world.text("a").as_deref(), Some("after"));
    }
}
