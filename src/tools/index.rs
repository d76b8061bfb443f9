//! The names of a project's files, for who types an `@path`.
//!
//! What Glob would find, without what is hidden, but for the hidden names that people write about (`.github`, `.gitignore`). The
//! newest come first: whoever names a file has mostly just had to do with it. A name that cannot be typed in one line is left
//! out.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use tokio_util::sync::CancellationToken;

use super::walk::{Ignored, Seen, Shown, Walk, searching};
use crate::text::fuzzy::Entry;

/// Files that are listed; of more, those found first.
const MOST: usize = 200_000;
/// What hidden names begin with that are listed all the same.
const NAMED: [&str; 8] =
    [".git", ".cargo", ".circleci", ".config", ".clawd", ".docker", ".editorconfig", ".vscode"];

/// The files and directories below `root`. Ends by itself when nobody waits any more.
pub async fn list(root: PathBuf) -> Vec<Entry> {
    let never = CancellationToken::new();
    let listed = searching(&never, move |until| {
        let (ignored, shown) = (Ignored::LeftOut, Shown::Files);
        let walk = Walk { root: &root, workspace: &root, ignored, shown, depth: usize::MAX, until };
        Ok(newest_first(files(&walk)))
    });
    listed.await.unwrap_or_default()
}

fn files(walk: &Walk<'_>) -> Vec<(SystemTime, String)> {
    let found = Mutex::new(Vec::new());
    let visit = |seen: Seen<'_>| {
        let Some(name) = seen.relative.to_str().filter(|name| is_listed(name)) else {
            return ControlFlow::Continue(());
        };
        let written = seen.metadata().ok().and_then(|meta| meta.modified().ok());
        let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
        found.push((written.unwrap_or(SystemTime::UNIX_EPOCH), name.to_owned()));
        if found.len() < MOST { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    walk.each(|| visit);
    found.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// With the directories that they lie in, each as new as the newest file in it.
fn newest_first(mut all: Vec<(SystemTime, String)>) -> Vec<Entry> {
    let mut directories: HashMap<String, SystemTime> = HashMap::new();
    for (written, name) in &all {
        for above in Path::new(name).ancestors().skip(1).filter_map(Path::to_str).filter(|at| !at.is_empty())
        {
            if let Some(newest) = directories.get_mut(above) {
                *newest = (*newest).max(*written);
            } else {
                directories.insert(above.to_owned(), *written);
            }
        }
    }
    all.extend(directories.into_iter().map(|(name, newest)| (newest, name + "/")));
    all.sort_unstable_by(|(one, a), (other, b)| other.cmp(one).then_with(|| a.cmp(b)));
    all.into_iter().map(|(_, name)| Entry::new(name)).collect()
}

fn is_listed(name: &str) -> bool {
    let is_shown = |part: &str| !part.starts_with('.') || NAMED.iter().any(|named| part.starts_with(named));
    name.split('/').all(is_shown) && !name.contains(|c: char| c.is_control() || c == '"')
}

#[cfg(test)]
mod tests {
    use super::super::testing::Session;
    use super::*;

    #[tokio::test]
    async fn what_is_ignored_or_hidden_is_left_out_and_directories_end_with_a_slash() {
        let session = Session::with(&[
            (".gitignore", "target\n"),
            ("target/x", ""),
            ("src/a.rs", ""),
            ("src/deep/b.rs", ""),
            (".venv/lib.py", ""),
            (".github/ci.yml", ""),
            ("od\nd", ""),
            (".env", ""),
        ]);
        let mut paths: Vec<String> =
            list(session.root.clone()).await.iter().map(|entry| entry.path().to_owned()).collect();
        paths.sort();
        assert_eq!(
            paths,
            [".github/", ".github/ci.yml", ".gitignore", "src/", "src/a.rs", "src/deep/", "src/deep/b.rs"]
        );
    }

    #[test]
    fn the_newest_come_first_and_a_directory_is_as_new_as_its_newest_file() {
        let at = |seconds| SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        let all = [(1, "old/a"), (3, "new/b"), (2, "c"), (1, "new/d")];
        let all = all.map(|(seconds, name)| (at(seconds), name.to_owned())).to_vec();
        let entries = newest_first(all);
        let paths: Vec<&str> = entries.iter().map(Entry::path).collect();
        assert_eq!(paths, ["new/", "new/b", "c", "new/d", "old/", "old/a"]);
    }
}
