//! A workspace, commands in it, and a small restorer that knows nothing but what the session is told.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::super::Moment;
use super::super::tree::{Cover, Known};
use crate::os::clock::{Clock, SystemClock};
use crate::os::feed::feed;
use crate::protocol::history::Past;
use crate::protocol::{SavedFile, Was};
use crate::workbench::{Setup, Workbench, restore};

/// Mode and content of every file, directory, pipe and link; a link's is where it leads.
pub(super) type Picture = BTreeMap<PathBuf, (u32, Vec<u8>)>;

pub(super) struct World {
    _dir: tempfile::TempDir,
    home: PathBuf,
    pub(super) root: PathBuf,
    pub(super) bench: Arc<Workbench>,
    /// When the last command began, in milliseconds since 1970.
    since: Cell<u64>,
}

impl World {
    /// Without git.
    pub(super) fn plain(script: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        let root = home.join("w");
        fs::create_dir(&root).unwrap();
        let environment = vec![
            ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
            ("HOME".into(), home.clone().into()),
        ];
        let bench = Workbench::new(Setup { root: root.clone(), environment, ..Setup::default() }).unwrap();
        let world = Self { _dir: dir, home, root, bench: Arc::new(bench), since: Cell::new(0) };
        world.sh(script);
        world
    }

    /// In a repository: what the script makes is committed, and old enough to be believed.
    pub(super) fn git(script: &str) -> Self {
        let world = Self::plain("git init -q .");
        world.sh(script);
        world.commit();
        world
    }

    /// Commits everything, with old times.
    pub(super) fn commit(&self) {
        self.sh("find . -path ./.git -prune -o -type f -exec touch -d 2020-01-01 {} + ; git add -A; git commit -q --allow-empty -m x");
        wait_until_old();
    }

    pub(super) fn sh(&self, script: &str) {
        let env = [
            ("PATH", OsString::from("/usr/local/bin:/usr/bin:/bin")),
            ("HOME", self.home.clone().into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_AUTHOR_NAME", "a".into()),
            ("GIT_AUTHOR_EMAIL", "a@example.com".into()),
            ("GIT_COMMITTER_NAME", "a".into()),
            ("GIT_COMMITTER_EMAIL", "a@example.com".into()),
        ];
        let script = format!("cd '{}' || exit 1\n{script}", self.root.display());
        let shell = Path::new("/bin/sh");
        feed(shell, &["-ec".as_ref(), script.as_ref()], &env, Vec::new(), Duration::from_mins(2)).unwrap();
    }

    /// Looks, and takes what is owed.
    pub(super) fn look(&self, moment: Moment) -> Vec<SavedFile> {
        self.bench.look_now(moment);
        std::mem::take(&mut self.bench.snapshots.locked().owed)
    }

    /// What a command has changed; each is a message of its own.
    pub(super) fn command(&self, run: impl FnOnce()) -> Vec<SavedFile> {
        self.bench.snapshots.begin_message();
        self.since.set(SystemClock.now_ms());
        assert_eq!(self.look(Moment::Before), []);
        run();
        self.look(Moment::After)
    }

    /// The same of a script, as names from the root on: made, or changed.
    pub(super) fn told(&self, script: &str) -> Vec<String> {
        let saved = self.command(|| self.sh(script));
        let name = |file: &SavedFile| {
            let name = |path: &str| Path::new(path).strip_prefix(&self.root).unwrap().display().to_string();
            let path = name(&file.path);
            match file.was() {
                Was::Nothing => format!("+{path}"),
                Was::Bytes(_) => path,
                Was::Moved(from) => format!("{}>{path}", name(from)),
                Was::Unsaved(why) => format!("{path}: {why}"),
            }
        };
        saved.iter().map(name).collect()
    }

    /// A command's changes are undone by what was told of it, and nothing else is.
    pub(super) fn check(&self, script: &str) -> Vec<SavedFile> {
        let before = self.picture();
        let saved = self.command(|| self.sh(script));
        self.restore(&saved);
        assert_eq!(self.picture(), before, "{script}\n{saved:#?}");
        saved
    }

    /// Puts back what was told, by the restorer that a rewind uses; what it could not put back, and what it wrote down before.
    pub(super) fn rewind(&self, saved: &[SavedFile]) -> (Vec<String>, Vec<SavedFile>) {
        self.go(saved, self.since.get())
    }

    /// Brings forward again what a rewind has written down.
    pub(super) fn redo(&self, saved: &[SavedFile]) -> (Vec<String>, Vec<SavedFile>) {
        self.go(saved, 0)
    }

    fn go(&self, saved: &[SavedFile], since: u64) -> (Vec<String>, Vec<SavedFile>) {
        let past = Past::before(saved);
        let kept = restore::keep(self.bench.blobs(), restore::plan(&past, since));
        let failed = restore::put_back(self.bench.blobs(), &kept);
        restore::remove_left_over(&past);
        let files = kept.saved.iter().flat_map(|file| [Some(&file.path), file.from.as_ref()]);
        self.bench.snapshots.changed_by_us(files.flatten().map(Path::new));
        self.bench.snapshots.begin_message();
        ([kept.failed, failed].concat(), kept.saved)
    }

    pub(super) fn restore(&self, saved: &[SavedFile]) {
        let (failed, _) = self.rewind(saved);
        assert_eq!(failed, [""; 0], "{saved:#?}");
    }

    /// All but what git keeps.
    pub(super) fn picture(&self) -> Picture {
        let mut picture = Picture::new();
        draw(&self.root, &mut picture);
        picture
    }

    /// How the bytes of a file could be had back.
    pub(super) fn cover(&self, name: &str) -> Cover {
        match self.bench.snapshots.locked().tree.known(&self.root.join(name)) {
            Some(Known::File(_, cover)) => *cover,
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// What was changed until now did not change just now.
pub(super) fn wait_until_old() {
    let now = SystemTime::now();
    while now.elapsed().unwrap_or_default() < Duration::from_millis(60) {
        std::thread::yield_now();
    }
}

fn draw(directory: &Path, picture: &mut Picture) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let meta = path.symlink_metadata().unwrap();
        if meta.is_symlink() {
            let target = fs::read_link(&path).unwrap();
            picture.insert(path, (SavedFile::LINK, target.as_os_str().as_bytes().to_vec()));
        } else if meta.is_dir() && !path.ends_with(".git") {
            draw(&path, picture);
            picture.insert(path, (meta.mode(), Vec::new()));
        } else if meta.file_type().is_fifo() {
            picture.insert(path, (meta.mode(), Vec::new()));
        } else if meta.is_file() {
            let content = fs::read(&path).unwrap_or_else(|_| b"unreadable".to_vec());
            picture.insert(path, (meta.mode() & 0o7777, content));
        }
    }
}
