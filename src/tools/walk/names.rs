//! How files below a searched directory are named in an answer.

use std::io;
use std::path::{Path, PathBuf};

use super::super::target::Target;

/// How the user names files below a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tools) struct Names {
    root: PathBuf,
    prefix: PathBuf,
}

impl Names {
    pub(in crate::tools) fn below(target: &Target) -> Self {
        let prefix = if target.shown == "." { PathBuf::new() } else { PathBuf::from(&target.shown) };
        Self { root: target.resolved.clone(), prefix }
    }

    /// The path from the directory on.
    pub(in crate::tools) fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.root).unwrap_or(path)
    }

    /// The path from the working directory on, where the directory lies below that and is not the same.
    pub(in crate::tools) fn seen_from_above(&self, path: &Path) -> Option<PathBuf> {
        let is_below = !self.prefix.as_os_str().is_empty() && self.prefix.is_relative();
        is_below.then(|| self.prefix.join(self.relative(path)))
    }

    /// The path from the working directory on, where it lies below. One that would not be a line of its own, or is no
    /// UTF-8, stands in quotes with escapes.
    pub(in crate::tools) fn shown(&self, path: &Path) -> String {
        let relative = self.relative(path);
        match relative.to_str() {
            Some(plain) if !plain.contains(char::is_control) => self.prefix.join(plain).display().to_string(),
            Some(_) | None => quoted(&self.prefix.join(relative)),
        }
    }
}

/// In quotes: control characters and bytes that are no UTF-8 as escapes.
fn quoted(path: &Path) -> String {
    let mut text = String::from("\"");
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        text.extend(chunk.valid().escape_debug());
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02X}")));
    }
    text.push('"');
    text
}

/// What stands in the way of a search in `target`, if anything.
pub(in crate::tools) fn unsearchable(target: &Target) -> Option<String> {
    match target.resolved.metadata() {
        Ok(_) => None,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(target.missing()),
        Err(error) => Some(format!("Error: cannot read {}: {error}", target.shown)),
    }
}
