//! Instructions that lie beside the files that are read: looked for once a directory, told once.
//!
//! Who reads a file says so here, and what is found waits until the loop takes it. Not the looking itself, nor whether such a
//! file counts: that is given at the start of a session, by whoever knows. The workspace's own directory is not looked at,
//! for its instructions stand in the prompt.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::protocol::Guide;

/// Reads what a directory has to say.
pub type Look = dyn Fn(&Path) -> Option<Guide> + Send + Sync;

/// Those of a session.
#[derive(Default)]
pub struct Guides(Mutex<State>);

#[derive(Default)]
struct State {
    look: Option<Arc<Look>>,
    /// Directories that were looked at, each with the name of the instructions found there, or an empty one.
    met: BTreeMap<PathBuf, String>,
    waiting: VecDeque<Guide>,
}

impl Guides {
    /// Says how to look; before nothing is found.
    pub fn set(&self, look: Arc<Look>) {
        self.lock().look = Some(look);
    }

    /// This directory was told in an earlier process.
    pub fn knows(&self, directory: PathBuf) {
        self.lock().met.insert(directory, String::new());
    }

    /// The instructions of this name were taken out of the conversation: they are told again when they are met again.
    pub fn take_back(&self, name: &str) {
        self.lock().met.retain(|_, known| known != name);
    }

    /// All is to be told again when it is met again: what was told is no longer before the model.
    pub fn forget(&self) {
        self.lock().met.clear();
    }

    /// A file was read: looks into the directories between the workspace and it, the outermost first. Both without links.
    pub fn meet(&self, file: &Path, root: &Path) {
        let mut state = self.lock();
        let Some(look) = state.look.clone() else { return };
        let parents = file.ancestors().skip(1);
        let below: Vec<&Path> = parents.take_while(|dir| dir.starts_with(root) && *dir != root).collect();
        for directory in below.into_iter().rev() {
            if !state.met.contains_key(directory) {
                let found = look(directory);
                let name = match &found {
                    Some(Guide::Told { name, .. }) => name.clone(),
                    Some(Guide::LeftOut { .. } | Guide::Unread { .. }) | None => String::new(),
                };
                state.met.insert(directory.to_owned(), name);
                state.waiting.extend(found);
            }
        }
    }

    /// Takes what was found since it was asked last, in the order in which it was.
    pub fn take(&self) -> Vec<Guide> {
        self.lock().waiting.drain(..).collect()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Guides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guides").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(guides: &Guides) -> Vec<String> {
        let name = |guide| match guide {
            Guide::Told { name, .. } | Guide::LeftOut { name } | Guide::Unread { why: name } => name,
        };
        guides.take().into_iter().map(name).collect()
    }

    #[test]
    fn each_directory_on_the_way_down_is_looked_at_once() {
        let guides = Guides::default();
        guides.meet(Path::new("/w/a/b/x"), Path::new("/w"));
        guides
            .set(Arc::new(|dir| Some(Guide::Told { name: dir.display().to_string(), text: String::new() })));
        guides.meet(Path::new("/w/a/b/x"), Path::new("/w"));
        assert_eq!(names(&guides), ["/w/a", "/w/a/b"]);
        for file in ["/w/a/b/y", "/w/x", "/elsewhere/x", "/wide/x"] {
            guides.meet(Path::new(file), Path::new("/w"));
        }
        guides.meet(Path::new("/w/a/c/x"), Path::new("/w"));
        assert_eq!(names(&guides), ["/w/a/c"]);
        guides.knows("/w/d".into());
        guides.meet(Path::new("/w/d/x"), Path::new("/w"));
        assert_eq!(names(&guides), [""; 0]);
        guides.take_back("/w/a/b");
        guides.meet(Path::new("/w/a/b/z"), Path::new("/w"));
        assert_eq!(names(&guides), ["/w/a/b"]);
        guides.forget();
        guides.meet(Path::new("/w/a/x"), Path::new("/w"));
        assert_eq!(names(&guides), ["/w/a"]);
    }
}
