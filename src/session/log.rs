//! The one writer of a session file.
//!
//! It appends, and nothing else. The file comes into being with its first entry, so a program that was only looked at leaves
//! nothing behind. If a write fails the line waits in memory and goes first the next time, so the order never changes; a line
//! that went out half is cut off again before anything follows it. One process holds the file: the lock goes with the handle.

use std::collections::VecDeque;
use std::fs::{File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use super::SessionError;
use super::ending;
use super::entry::{self, Line};
use super::load::{Loaded, Writable};
use super::shelf::{Lost, Places};
use crate::os::paths::{Open, private_dir, private_file};
use crate::protocol::{Entry, EntryBody, History, ModelId, SessionHead, SessionId, Text};

/// A title is said again behind so many bytes: whoever lists sessions reads a little more than this of a file's end.
const TITLE_EVERY: u64 = 32 * 1024;

/// A session file that is being written.
#[derive(Debug)]
pub struct SessionLog {
    path: PathBuf,
    id: SessionId,
    state: State,
    /// Where the last whole line ends, in bytes.
    good_bytes: u64,
    /// Lines that could not be written yet, oldest first.
    waiting: VecDeque<String>,
    title: Option<Titled>,
    /// Whether what was left in the file could not be read.
    lost: Lost,
    places: Places,
}

/// What the session is called, and how many bytes were written since that was said.
#[derive(Debug)]
struct Titled {
    text: String,
    since: u64,
}

#[derive(Debug)]
enum State {
    /// Nothing was said yet: the head waits for the first entry.
    Unborn(Box<Entry>),
    /// The file is open and locked.
    Open(File),
}

/// A session's file that is open and ours, and was not read yet.
#[derive(Debug)]
pub(super) struct Held {
    path: PathBuf,
    id: SessionId,
    file: File,
}

/// Whether an entry reached the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Saved {
    /// It did, and all before it.
    Yes,
    /// It waits; why.
    NotYet(String),
}

impl Held {
    /// Opens the file and takes the lock.
    pub(super) fn take(path: &Path, id: SessionId) -> Result<Self, SessionError> {
        // a directory that cannot be closed to others is no reason to lose a session
        path.parent().map_or(Ok(()), closed).ok();
        let file = private_file(path, Open::Append)
            .map_err(|source| SessionError::Open { path: path.to_owned(), source })?;
        lock(&file, &id, path)?;
        Ok(Self { path: path.to_owned(), id, file })
    }

    /// Its end, see [`ending`].
    pub(super) fn ending(&self, is_enough: impl Fn(&History) -> bool) -> Option<History> {
        ending::ending(&self.file, is_enough)
    }

    /// Reads it, and cuts off a torn end.
    pub(super) fn read(self) -> Result<(SessionLog, Loaded), SessionError> {
        let Self { path, id, file } = self;
        let mut loaded = Loaded::default();
        let mut read = loaded.read(&path, &file, |_, _| {});
        if loaded.writable == Writable::Yes {
            read = read.and_then(|()| file.set_len(loaded.good_bytes));
        }
        match read {
            Ok(()) => Ok((SessionLog::open(path, id, file, &loaded), loaded)),
            Err(source) => Err(SessionError::Open { path, source }),
        }
    }
}

impl SessionLog {
    /// A new session in `directory` (the project's own); the file comes with its first entry.
    #[must_use]
    pub fn create(directory: &Path, head: SessionHead, timestamp: u64) -> Self {
        Self {
            path: file_of(directory, &head.id),
            id: head.id.clone(),
            state: State::Unborn(Box::new(Entry { timestamp, body: EntryBody::Session(head) })),
            good_bytes: 0,
            waiting: VecDeque::new(),
            title: None,
            lost: Lost::default(),
            places: Places::default(),
        }
    }

    /// Opens the session of `path` to go on with it; `load` reads it under the lock. A torn end is cut off, but not from a
    /// file that this version must not write.
    ///
    /// # Errors
    /// Where it cannot be opened, or another process writes it.
    pub fn resume(path: &Path, id: SessionId) -> Result<(Self, Loaded), SessionError> {
        Held::take(path, id)?.read()
    }

    /// A file that is open and ours, and holds what was loaded.
    fn open(path: PathBuf, id: SessionId, file: File, loaded: &Loaded) -> Self {
        let title = loaded.history.title();
        let places = Places::behind(&path, &file, loaded.history.positions());
        Self {
            path,
            id,
            state: State::Open(file),
            good_bytes: loaded.good_bytes,
            waiting: VecDeque::new(),
            title: title.map(|text| Titled { text: text.to_owned(), since: loaded.good_bytes }),
            lost: loaded.lost.clone(),
            places,
        }
    }

    /// A copy of the session at `parent` under a new head; the copy is written at once.
    ///
    /// # Errors
    /// Where the parent cannot be read, a newer version wrote it, or the copy cannot be written.
    pub fn fork(
        parent: &Path,
        directory: &Path,
        head: SessionHead,
        at: u64,
    ) -> Result<(Self, Loaded), SessionError> {
        let id = head.id.clone();
        let head = Entry { timestamp: at, body: EntryBody::Session(head) };
        let mut copy = (entry::to_line(&head) + "\n").into_bytes();
        let mut loaded = Loaded::default();
        loaded.take(Line::Entry(Box::new(head)));
        let keep = |line: &[u8], read: &Line| {
            if !is_head(read) {
                copy.extend_from_slice(line);
            }
        };
        let read = private_file(parent, Open::Read).and_then(|file| loaded.read(parent, &file, keep));
        read.map_err(|source| SessionError::Open { path: parent.to_owned(), source })?;
        if loaded.writable == Writable::NewerFormat {
            return Err(SessionError::Newer { path: parent.to_owned() });
        }
        loaded.good_bytes = copy.len() as u64;
        let path = file_of(directory, &id);
        link_beside(parent, &path);
        let open_error = |source| SessionError::Open { path: path.clone(), source };
        let file = closed(directory).and_then(|()| private_file(&path, Open::Append)).map_err(open_error)?;
        lock(&file, &id, &path)?;
        (&file).write_all(&copy).map_err(open_error)?;
        Ok((Self::open(path, id, file, &loaded), loaded))
    }

    /// The model with which the session begins, as long as nothing was said.
    pub fn name_model(&mut self, model: &ModelId) {
        if let State::Unborn(head) = &mut self.state
            && let EntryBody::Session(head) = &mut head.body
        {
            head.model.clone_from(model);
        }
    }

    /// Which session.
    #[must_use]
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// Where its file is, or will be.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends an entry, behind whatever still waits. A title that would be far from the end is said again.
    pub fn append(&mut self, entry: &Entry) -> Saved {
        self.queue(entry);
        if let Some(title) = self.title.as_ref().filter(|title| title.since > TITLE_EVERY) {
            let body = EntryBody::Title(title.text.clone());
            self.queue(&Entry { timestamp: entry.timestamp, body });
        }
        self.flush()
    }

    fn queue(&mut self, entry: &Entry) {
        let mut line = entry::to_line(entry);
        line.push('\n');
        if let EntryBody::Title(text) = &entry.body {
            self.title = Some(Titled { text: text.clone(), since: 0 });
        } else if let Some(title) = &mut self.title {
            title.since += line.len() as u64;
        }
        self.waiting.push_back(line);
    }

    /// Tries again to write what waits.
    pub fn flush(&mut self) -> Saved {
        match self.write_waiting() {
            Ok(()) => Saved::Yes,
            Err(error) => Saved::NotYet(error.to_string()),
        }
    }

    /// Whether something that was said could not be read from the file since this was asked last.
    pub(super) fn has_lost(&self) -> bool {
        self.lost.take() | self.places.take_lost()
    }

    /// The result at this position of the file, to be read from it when somebody looks; none where it was not written here.
    pub(super) fn result(&self, position: usize) -> Option<Text> {
        self.places.result(position)
    }

    /// Has the disk confirm what was written: before tools run, and at the end of a run.
    pub fn sync(&self) {
        if let State::Open(file) = &self.state
            && let Err(error) = file.sync_data()
        {
            tracing::warn!(%error, "cannot sync the session file to disk");
        }
    }

    fn write_waiting(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.be_born()?;
        let State::Open(file) = &mut self.state else { return Ok(()) };
        while let Some(line) = self.waiting.front() {
            if let Err(error) = file.write_all(line.as_bytes()) {
                // Half a line may stand there now. Where even this fails, the next attempt comes by here first.
                file.set_len(self.good_bytes)?;
                return Err(error);
            }
            self.places.note(self.good_bytes, line);
            self.good_bytes += line.len() as u64;
            self.waiting.pop_front();
        }
        Ok(())
    }

    /// Makes the file, if it is not there yet; else sees to it that it ends with a whole line.
    fn be_born(&mut self) -> io::Result<()> {
        match &mut self.state {
            State::Unborn(head) => {
                if let Some(directory) = self.path.parent() {
                    closed(directory)?;
                }
                let file = private_file(&self.path, Open::Append)?;
                file.try_lock().map_err(io::Error::from)?;
                let mut line = entry::to_line(head);
                line.push('\n');
                self.waiting.push_front(line);
                self.places = Places::behind(&self.path, &file, 0);
                self.state = State::Open(file);
                Ok(())
            }
            State::Open(file) => {
                if file.seek(SeekFrom::End(0))? > self.good_bytes {
                    file.set_len(self.good_bytes)?;
                }
                Ok(())
            }
        }
    }
}

/// Makes the directory of a project's sessions, for the user alone, and closes that of all projects too: whoever may write
/// there could put another in its place.
fn closed(directory: &Path) -> io::Result<()> {
    if let Some(all) = directory.parent().filter(|all| all.ends_with("sessions")) {
        private_dir(all)?;
    }
    private_dir(directory)
}

/// What the lines of the parent only name counts for the copy too: files as they were before a change are looked for beside
/// it. Such files never change, so both may have the same one. What cannot be had is missed only by a rewind.
fn link_beside(parent: &Path, child: &Path) {
    if let Err(error) = link_all(&parent.with_extension(""), &child.with_extension("")) {
        tracing::warn!(%error, "cannot copy all stored files of the session");
    }
}

fn link_all(from: &Path, to: &Path) -> io::Result<()> {
    let entries = match std::fs::read_dir(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    private_dir(to)?;
    for entry in entries {
        let entry = entry?;
        let (kind, there) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            link_all(&entry.path(), &there)?;
        } else if kind.is_file() && std::fs::hard_link(entry.path(), &there).is_err() {
            std::fs::copy(entry.path(), &there)?;
        }
    }
    Ok(())
}

fn file_of(directory: &Path, id: &SessionId) -> PathBuf {
    directory.join(format!("{id}.jsonl"))
}

/// Tried for up to a second: when clawd is killed while it starts a process, that process holds a copy of the lock
/// until its `execve` closes it, and the user's next `clawd -c` comes before that on a busy machine.
#[expect(clippy::disallowed_methods, reason = "nothing tells a waiting process that a lock can be taken")]
fn lock(file: &File, id: &SessionId, path: &Path) -> Result<(), SessionError> {
    for _ in 0..40 {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(25)),
            Err(TryLockError::Error(source)) => {
                return Err(SessionError::Open { path: path.to_owned(), source });
            }
        }
    }
    Err(SessionError::InUse { id: id.to_string() })
}

fn is_head(line: &Line) -> bool {
    matches!(line, Line::Entry(entry) if matches!(entry.body, EntryBody::Session(_)))
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use super::*;
    use crate::protocol::Message;

    fn head(id: &str) -> SessionHead {
        SessionHead {
            version: 1,
            id: id.into(),
            cwd: "/w".to_owned(),
            model: "m".into(),
            clawd_version: "0".to_owned(),
            parent: None,
        }
    }

    fn user(text: &str) -> Entry {
        Entry::message(1, Message::user(text))
    }

    #[test]
    fn the_file_comes_with_the_first_entry_and_is_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let mut log = SessionLog::create(&dir.path().join("p"), head("a"), 1);
        assert!(!log.path().exists());
        assert_eq!(log.append(&user("hi")), Saved::Yes);
        let mode = std::fs::metadata(log.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let loaded = super::super::load::load(log.path()).unwrap();
        assert_eq!(loaded.history.head().unwrap().id.as_str(), "a");
        assert_eq!(loaded.history.len(), 1);
    }

    #[test]
    fn a_session_begins_with_the_model_that_was_named_last() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = SessionLog::create(dir.path(), head("a"), 1);
        log.name_model(&"second".into());
        log.append(&user("hi"));
        log.name_model(&"third".into());
        let loaded = super::super::load::load(log.path()).unwrap();
        assert_eq!(loaded.history.model(), Some(&"second".into()));
    }

    #[test]
    fn a_torn_end_is_cut_off_before_anything_follows() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = SessionLog::create(dir.path(), head("a"), 1);
        log.append(&user("one"));
        let path = log.path().to_owned();
        drop(log);
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"type\":\"mess").unwrap();
        let (mut log, loaded) = SessionLog::resume(&path, "a".into()).unwrap();
        assert_eq!(loaded.history.len(), 1);
        log.append(&user("two"));
        let again = super::super::load::load(&path).unwrap();
        assert_eq!((again.history.len(), again.damaged), (2, 0));
    }

    #[test]
    fn a_title_is_never_far_from_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = SessionLog::create(dir.path(), head("a"), 1);
        let title = Entry { timestamp: 1, body: EntryBody::Title("the tax".to_owned()) };
        log.append(&title);
        let line = entry::to_line(&title) + "\n";
        let said = |log: &SessionLog| {
            let text = std::fs::read_to_string(log.path()).unwrap();
            let last = text.rfind(&line).unwrap();
            (text.matches(&line).count(), text.len() - last - line.len())
        };
        for _ in 0..40 {
            log.append(&user(&"x".repeat(4_000)));
            let behind = said(&log).1 as u64;
            assert!(behind <= TITLE_EVERY, "{behind}");
        }
        assert!((3..10).contains(&said(&log).0), "once and again, not each time: {:?}", said(&log));
        let path = log.path().to_owned();
        drop(log);
        let (mut log, _) = SessionLog::resume(&path, "a".into()).unwrap();
        log.append(&user("more"));
        assert_eq!(said(&log).1, 0, "who goes on with a long one does not know where it was said last");
    }

    #[test]
    fn a_fork_finds_what_lies_beside_its_parent() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = SessionLog::create(dir.path(), head("a"), 1);
        log.append(&user("one"));
        let beside = dir.path().join("a/before");
        std::fs::create_dir_all(&beside).unwrap();
        std::fs::write(beside.join("hash"), "as it was").unwrap();
        let child = SessionHead { parent: Some("a".into()), ..head("b") };
        SessionLog::fork(log.path(), dir.path(), child, 2).unwrap();
        std::fs::remove_dir_all(dir.path().join("a")).unwrap();
        assert_eq!(std::fs::read_to_string(dir.path().join("b/before/hash")).unwrap(), "as it was");
    }

    #[test]
    fn a_second_writer_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = SessionLog::create(dir.path(), head("a"), 1);
        log.append(&user("one"));
        let second = SessionLog::resume(log.path(), "a".into());
        assert!(matches!(second, Err(SessionError::InUse { .. })));
    }

    #[test]
    fn what_could_not_be_written_follows_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let blocked = dir.path().join("p");
        std::fs::write(&blocked, "a file where the directory should be").unwrap();
        let mut log = SessionLog::create(&blocked, head("a"), 1);
        assert!(matches!(log.append(&user("one")), Saved::NotYet(_)));
        assert!(matches!(log.append(&user("two")), Saved::NotYet(_)));
        std::fs::remove_file(&blocked).unwrap();
        assert_eq!(log.append(&user("three")), Saved::Yes);
        let loaded = super::super::load::load(log.path()).unwrap();
        let texts: Vec<String> = loaded
            .history
            .messages()
            .map(|message| match message {
                Message::User(user) => user.content.to_text(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(texts, ["one", "two", "three"]);
    }

    #[test]
    fn a_fork_copies_all_but_the_head() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = SessionLog::create(dir.path(), head("a"), 1);
        log.append(&user("one"));
        let child = SessionHead { parent: Some("a".into()), ..head("b") };
        let (mut fork, loaded) = SessionLog::fork(log.path(), dir.path(), child, 2).unwrap();
        assert_eq!(loaded.history.len(), 1);
        fork.append(&user("two"));
        let loaded = super::super::load::load(fork.path()).unwrap();
        assert_eq!(loaded.history.head().unwrap().parent, Some("a".into()));
        assert_eq!(loaded.history.len(), 2);
        assert_eq!(super::super::load::load(log.path()).unwrap().history.len(), 1);
    }
}
