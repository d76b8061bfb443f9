//! What an `@path` of the user's brings: the call that reads it.
//!
//! A file is read by Read itself, so that it counts as read and is cut, decoded and shown as ever; a directory is shown as a
//! tree. Whether it may be read is judged where every call is judged.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::Tool;
use super::read::Read;
use super::target::Target;
use super::tree::Tree;
use crate::os::paths::hex;
use crate::protocol::{Content, Part};
use crate::text::mention::Mention;
use crate::workbench::files::hash_of;
use crate::workbench::{Stamp, Workbench};

/// What a mention leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mentioned {
    /// Where it lies, links followed.
    pub path: PathBuf,
    /// As the user would name it.
    pub shown: String,
    /// First and last line, where only a part is wanted.
    pub lines: Option<(u32, u32)>,
    /// What it is.
    pub kind: Kind,
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Anything that is no directory.
    File,
    /// A directory.
    Directory,
}

/// What a mention leads to, taken from `cwd`; `None` where nothing is there.
#[must_use]
pub fn find(mention: &Mention, cwd: &Path) -> Option<Mentioned> {
    mention.readings().into_iter().find_map(|reading| {
        let target = Target::new(&reading.path, cwd);
        let kind = match target.resolved.metadata() {
            Ok(meta) if meta.is_dir() => Kind::Directory,
            Ok(_) => Kind::File,
            Err(_) => return None,
        };
        let lines = reading.lines.filter(|_| kind == Kind::File);
        Some(Mentioned { path: target.resolved, shown: target.shown, lines, kind })
    })
}

impl Mentioned {
    /// The tool that reads it, and what it is told.
    #[must_use]
    pub fn call(&self) -> (&'static dyn Tool, Map<String, Value>) {
        let mut arguments = Map::new();
        arguments.insert("file_path".to_owned(), json!(self.path.to_string_lossy()));
        if let Some((first, last)) = self.lines {
            arguments.insert("offset".to_owned(), json!(first));
            arguments.insert("limit".to_owned(), json!(u64::from(last - first) + 1));
        }
        match self.kind {
            Kind::File => (&Read, arguments),
            Kind::Directory => (&Tree, arguments),
        }
    }

    /// The hash of what was read: of the file's bytes where they are known, else of the text that is sent.
    #[must_use]
    pub fn hash(&self, bench: &Workbench, content: &Content) -> String {
        match bench.files().stamp(&self.path).filter(|_| self.kind == Kind::File) {
            Some(Stamp::Content(hash)) => hex(&hash),
            Some(Stamp::Outside { .. }) | None => hex(&hash_of(content.to_text().as_bytes())),
        }
    }
}

/// Whether an image is among it.
#[must_use]
pub fn has_image(content: &Content) -> bool {
    content.0.iter().any(|part| matches!(part, Part::Image { .. }))
}

#[cfg(test)]
mod tests {
    use super::super::testing::Session;
    use super::*;
    use crate::text::mention::mentions;

    /// `name`, `name 3-4` or `name/`.
    fn found(session: &Session, text: &str) -> Option<String> {
        let mention = mentions(text).remove(0);
        let found = find(&mention, &session.root)?;
        let lines = found.lines.map(|(first, last)| format!(" {first}-{last}")).unwrap_or_default();
        let slash = if found.kind == Kind::Directory { "/" } else { "" };
        Some(format!("{}{slash}{lines}", found.shown))
    }

    #[test]
    fn the_longest_reading_that_is_there_is_meant() {
        let session = Session::with(&[("a.rs", ""), ("b:1", ""), ("sub/c.rs", ""), ("d e.rs", "")]);
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(found(&session, text).as_deref(), expected, "{text}");
        };
        check("see @a.rs.", Some("a.rs"));
        check("@a.rs:3-4,", Some("a.rs 3-4"));
        check("@b:1", Some("b:1"));
        check("@\"d e.rs\":2", Some("d e.rs 2-2"));
        check("@sub/:3", Some("sub/"));
        check("@nowhere.rs", None);
    }
}
