//! `/diff`: what tools and commands have changed since the session began, a file each: as it was before the first change, and as
//! it is now.
//!
//! Not `git diff`: what stood in the tree before the session is no change of it, and a file that is back as it was is none
//! either. What a command may have changed without anybody seeing it is named.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{App, shown};
use crate::conversation::Conversation;
use crate::os::env::Env;
use crate::os::file::read_regular;
use crate::protocol::{FileChange, SavedFile, SavedKind, Was};
use crate::text::redact::{Hide, Redactor};
use crate::tools::text_of;
use crate::workbench::Workbench;

/// A larger file is told of and not shown: nobody reads its diff.
const MOST: u64 = 4 * 1024 * 1024;

/// What has changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Files of text, in the order of their paths.
    pub files: Vec<FileChange>,
    /// What cannot be shown as text, a line each.
    pub others: Vec<String>,
    /// What commands may have changed besides, a few words each.
    pub untold: Vec<String>,
}

/// A look at the files, to be taken beside everything else.
pub struct ChangedFiles {
    /// Each with where it lies as it was before; none where it was not there.
    files: Vec<(SavedFile, Option<PathBuf>)>,
    bench: Option<Arc<Workbench>>,
    cwd: PathBuf,
    env: Env,
    redactor: Arc<Redactor>,
}

/// One side of a change.
enum Side {
    Absent,
    Text(Vec<u8>),
    /// Why it cannot be shown.
    Untold(String),
}

impl App {
    /// What has to be looked at.
    #[must_use]
    pub fn changed_files(&self, conversation: &Conversation) -> ChangedFiles {
        let image = |hash: &String| conversation.bench().blobs().find(hash);
        let files = conversation.history().changed_files();
        ChangedFiles {
            files: files.map(|file| (file.clone(), file.before.as_ref().and_then(image))).collect(),
            bench: Some(Arc::clone(conversation.bench())),
            cwd: self.place.cwd.clone(),
            env: self.place.env.clone(),
            redactor: Arc::clone(&self.place.redactor),
        }
    }
}

impl ChangedFiles {
    /// Looks. Reads files.
    #[must_use]
    pub fn look(mut self) -> Changes {
        self.files.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        let untold = self.bench.as_ref().map(|bench| bench.snapshots().uncovered()).unwrap_or_default();
        let mut changes = Changes { untold, ..Changes::default() };
        for (file, image) in &self.files {
            let name = || self.name(Path::new(&file.path));
            match file.was() {
                Was::Moved(from) => {
                    if Path::new(&file.path).symlink_metadata().is_ok() {
                        changes.others.push(format!("{}: moved from {}", name(), self.name(Path::new(from))));
                    }
                    continue;
                }
                Was::Unsaved(why) => {
                    changes.others.push(format!("{}: {why}", name()));
                    continue;
                }
                Was::Bytes(_) if file.kind() == SavedKind::Pipe => continue,
                Was::Nothing | Was::Bytes(_) => {}
            }
            let before = match (&file.before, image) {
                (None, _) => Side::Absent,
                (Some(_), None) => Side::Untold("the previous content is no longer available".to_owned()),
                (Some(_), Some(image)) => match side(image) {
                    Side::Absent => Side::Untold("the previous content is no longer available".to_owned()),
                    there => there,
                },
            };
            match file.mode {
                SavedFile::LINK => self.compare_link(file, before, &mut changes),
                _ => self.compare(file, before, &mut changes),
            }
        }
        changes
    }

    /// A link that is another, or none any more.
    fn compare_link(&self, file: &SavedFile, before: Side, changes: &mut Changes) {
        let path = Path::new(&file.path);
        let now = std::fs::read_link(path).map(|target| target.as_os_str().as_bytes().to_vec());
        let is_same = matches!((before, now), (Side::Text(before), Ok(now)) if before == now);
        if !is_same {
            changes.others.push(format!("{}: the symlink has changed", self.name(path)));
        }
    }

    fn name(&self, path: &Path) -> String {
        match path.strip_prefix(&self.cwd) {
            Ok(below) => below.display().to_string(),
            Err(_) => shown(&self.env, path),
        }
    }

    fn compare(&self, file: &SavedFile, before: Side, changes: &mut Changes) {
        let path = Path::new(&file.path);
        let name = self.name(path);
        match (before, side(path)) {
            (Side::Absent, Side::Absent) => {}
            (Side::Text(before), Side::Text(after)) if before == after => {}
            (Side::Untold(why), _) | (_, Side::Untold(why)) => changes.others.push(format!("{name}: {why}")),
            (before, after) => match (self.text(before), self.text(after)) {
                (Ok(before), Ok(after)) => changes.files.push(FileChange { path: name, before, after }),
                (Err(Binary), _) | (_, Err(Binary)) => {
                    changes.others.push(format!("{name}: changed (binary file)"));
                }
            },
        }
    }

    fn text(&self, side: Side) -> Result<Option<String>, Binary> {
        match side {
            Side::Absent | Side::Untold(_) => Ok(None),
            Side::Text(bytes) if bytes.contains(&0) => Err(Binary),
            Side::Text(bytes) if std::str::from_utf8(&bytes).is_err() => Err(Binary),
            Side::Text(bytes) => Ok(Some(self.redactor.redact(&text_of(bytes), Hide::Keys).into_owned())),
        }
    }
}

/// It is no text.
struct Binary;

fn side(path: &Path) -> Side {
    match read_regular(path, MOST) {
        Ok(bytes) => Side::Text(bytes),
        Err(error) if error.io_kind() == Some(std::io::ErrorKind::NotFound) => Side::Absent,
        Err(error) => Side::Untold(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    type Bytes = Option<&'static [u8]>;

    #[test]
    fn a_file_is_told_as_it_was_first_and_as_it_is_now() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let at = |name: &str| base.join(name);
        let cases: [(&str, Bytes, Bytes); 6] = [
            ("made", None, Some(b"a\n")),
            ("gone", Some(b"b\n"), None),
            ("changed", Some(b"c\n"), Some(b"d\n")),
            ("back", Some(b"e\n"), Some(b"e\n")),
            ("came and went", None, None),
            ("picture", Some(b"\0x"), Some(b"\0y")),
        ];
        let mut files = Vec::new();
        for (name, before, after) in cases {
            let image = at(&format!("image of {name}"));
            for (place, bytes) in [(&image, before), (&at(name), after)] {
                if let Some(bytes) = bytes {
                    fs::write(place, bytes).unwrap();
                }
            }
            let before = before.map(|_| "hash".to_owned());
            let path = at(name).display().to_string();
            files.push((SavedFile::new(path, before.clone(), 0), before.map(|_| image)));
        }
        let lost = SavedFile::new(at("lost").display().to_string(), Some("h".to_owned()), 0);
        files.push((lost, Some(at("no image"))));
        for (name, target) in [("other link", "x"), ("same link", "changed"), ("no link", "changed")] {
            let image = at(&format!("image of {name}"));
            fs::write(&image, target).unwrap();
            if name != "no link" {
                std::os::unix::fs::symlink("changed", at(name)).unwrap();
            }
            let path = at(name).display().to_string();
            let link = SavedFile::new(path, Some("hash".to_owned()), SavedFile::LINK);
            files.push((link, Some(image)));
        }
        let env = Env::from_pairs([("HOME", "/home/u")]);
        let changes =
            ChangedFiles { files, bench: None, cwd: base.clone(), env, redactor: Arc::default() }.look();
        let told = |file: &FileChange| (file.path.clone(), file.before.clone(), file.after.clone());
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            changes.files.iter().map(told).collect::<Vec<_>>(),
            [
                ("changed".to_owned(), text("c\n"), text("d\n")),
                ("gone".to_owned(), text("b\n"), None),
                ("made".to_owned(), None, text("a\n")),
            ]
        );
        assert_eq!(
            changes.others,
            [
                "lost: the previous content is no longer available",
                "no link: the symlink has changed",
                "other link: the symlink has changed",
                "picture: changed (binary file)",
            ]
        );
    }
}
