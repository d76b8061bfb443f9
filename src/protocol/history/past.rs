//! What a list of changes, oldest first, says of the time before the first of them.
//!
//! Each change names a path as it was in that moment, and a file may have been moved since, alone or with its directory. So files
//! are followed through their moves: what is known of one is said of the path that it had before all of them. The
//! surprise: a file that did not exist has no such path; it is told by the one that it was made under.

use std::collections::BTreeMap;
use std::path::Path;

use crate::protocol::entry::{SavedFile, SavedKind, Was};

/// A file as it was before the changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Former {
    /// As it was, under its path then.
    pub file: SavedFile,
    /// Its path now; none where another file has it, or the file is known to be gone.
    pub now: Option<String>,
    /// Its newest change, which tells what it should be now.
    pub last: SavedFile,
}

/// One step of the way back: what is at one path goes to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Back {
    /// Its path when the steps before it are done.
    pub at: String,
    /// The path that it gets.
    pub to: String,
    /// Whether it is a directory.
    pub kind: SavedKind,
}

/// What was before a list of changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past {
    /// The files that they changed or moved, by path.
    pub files: Vec<Former>,
    /// What has to be moved back, in this order.
    pub moves: Vec<Back>,
}

impl Past {
    /// What was before these changes.
    pub fn before<'a>(changes: impl IntoIterator<Item = &'a SavedFile>) -> Self {
        let mut walk = Walk::default();
        for change in changes {
            match change.was() {
                Was::Moved(from) => walk.moved(change, from),
                Was::Nothing | Was::Bytes(_) | Was::Unsaved(_) => walk.changed(change),
            }
        }
        walk.end()
    }
}

/// The changes so far.
#[derive(Default)]
struct Walk {
    files: Vec<Former>,
    /// Which of them has this path now.
    at: BTreeMap<String, usize>,
    /// Those that have none, by the path that they had before.
    gone: BTreeMap<String, usize>,
    /// Each move, with the file that it moved.
    moves: Vec<(usize, Back)>,
}

impl Walk {
    fn changed(&mut self, change: &SavedFile) {
        if change.kind() == SavedKind::Directory && self.was_made(&change.path) {
            return;
        }
        if let Some(index) = self.at.get(&change.path).copied()
            && let Some(known) = self.files.get_mut(index)
        {
            let is_moved = matches!(known.file.was(), Was::Moved(_));
            if !(is_moved && change.was() == Was::Nothing) {
                if is_moved {
                    known.file = SavedFile { path: known.file.path.clone(), ..change.clone() };
                }
                known.last = change.clone();
                return;
            }
            // what was moved here has gone without a trace, and this is another file
            known.now = None;
        }
        if change.was() == Was::Nothing
            && let Some(index) = self.gone.remove(&change.path)
        {
            // it is made again where it was
            self.put(index, change.path.clone());
            if let Some(known) = self.files.get_mut(index) {
                known.last = change.clone();
            }
            return;
        }
        let path = match change.was() {
            Was::Nothing => change.path.clone(),
            Was::Bytes(_) | Was::Unsaved(_) | Was::Moved(_) => self.then(&change.path),
        };
        self.add(SavedFile { path, ..change.clone() }, change);
    }

    /// Whether a directory was made for a file that was not there.
    fn was_made(&self, directory: &str) -> bool {
        let is_made_for = |file: &SavedFile| {
            let mut made = Path::new(&file.path).ancestors().skip(1).take(file.above);
            file.was() == Was::Nothing && made.any(|above| above == Path::new(directory))
        };
        self.files.iter().any(|known| is_made_for(&known.file))
    }

    fn moved(&mut self, change: &SavedFile, from: &str) {
        let to = &change.path;
        let over: Vec<usize> =
            self.at.remove(to).into_iter().chain(self.take_below(to).into_values()).collect();
        for index in over {
            let Some(known) = self.files.get_mut(index) else { continue };
            known.now = None;
            if matches!(known.file.was(), Was::Bytes(_)) {
                self.gone.insert(known.file.path.clone(), index);
            }
        }
        let index = match self.at.remove(from) {
            Some(index) => index,
            None => self.add(SavedFile { path: self.then(from), ..change.clone() }, change),
        };
        let step = Back { at: to.clone(), to: from.to_owned(), kind: change.kind() };
        self.moves.push((index, step));
        self.put(index, to.clone());
        for (path, index) in self.take_below(from) {
            if let Some(rest) = path.strip_prefix(from) {
                self.put(index, format!("{to}{rest}"));
            }
        }
    }

    /// Takes out what is below a directory.
    fn take_below(&mut self, directory: &str) -> BTreeMap<String, usize> {
        let inside = format!("{directory}/");
        self.at.extract_if(inside.clone().., |path, _| path.starts_with(&inside)).collect()
    }

    fn add(&mut self, file: SavedFile, change: &SavedFile) -> usize {
        let index = self.files.len();
        self.files.push(Former { file, now: None, last: change.clone() });
        self.put(index, change.path.clone());
        index
    }

    fn put(&mut self, index: usize, path: String) {
        if let Some(file) = self.files.get_mut(index) {
            file.now = Some(path.clone());
            self.at.insert(path, index);
        }
    }

    /// The path that something had which no change has named, and is at `path` now: it may have come with a directory.
    fn then(&self, path: &str) -> String {
        let mut above = path;
        while let Some((directory, _)) = above.rsplit_once('/') {
            above = directory;
            let Some(known) = self.at.get(directory).and_then(|index| self.files.get(*index)) else {
                continue;
            };
            let is_moved = known.file.kind() == SavedKind::Directory && known.file.was() != Was::Nothing;
            if let Some(rest) = path.strip_prefix(directory).filter(|_| is_moved) {
                return format!("{}{rest}", known.file.path);
            }
        }
        path.to_owned()
    }

    fn end(self) -> Past {
        let Self { mut files, moves, at: _, gone: _ } = self;
        let is_old = |index: usize| {
            files.get(index).is_some_and(|known| match known.file.was() {
                Was::Nothing => known.file.kind() == SavedKind::Directory,
                Was::Bytes(_) | Was::Unsaved(_) | Was::Moved(_) => true,
            })
        };
        let moves =
            moves.into_iter().rev().filter(|(index, _)| is_old(*index)).map(|(_, step)| step).collect();
        files.sort_by(|one, other| one.file.path.cmp(&other.file.path));
        Past { files, moves }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a=1` held 1 before, `+a` was not there, `a>b` was moved, `a>>b` is a directory that was.
    fn change(word: &str) -> SavedFile {
        if let Some((from, to)) = word.split_once(">>") {
            return SavedFile::moved(to, from, SavedFile::DIRECTORY | 0o755);
        }
        if let Some((from, to)) = word.split_once('>') {
            return SavedFile::moved(to, from, 0o644);
        }
        match (word.strip_prefix('+'), word.split_once('=')) {
            (Some(made), _) => SavedFile::new(made, None, 0),
            (None, Some((path, hash))) => SavedFile::new(path, Some(hash.to_owned()), 0o644),
            (None, None) => SavedFile::unsaved(word, "why"),
        }
    }

    fn words(past: &Past) -> (String, String) {
        let file = |former: &Former| {
            let was = match former.file.was() {
                Was::Nothing => "+".to_owned(),
                Was::Bytes(hash) => format!("={hash}"),
                Was::Moved(_) => String::new(),
                Was::Unsaved(_) => "?".to_owned(),
            };
            format!("{}{was}@{}", former.file.path, former.now.as_deref().unwrap_or("-"))
        };
        let step = |step: &Back| format!("{}>{}", step.at, step.to);
        let join = |words: Vec<String>| words.join(" ");
        (join(past.files.iter().map(file).collect()), join(past.moves.iter().map(step).collect()))
    }

    #[test]
    fn a_file_is_followed_through_its_moves() {
        let check = |changes: &str, files: &str, moves: &str| {
            let changes: Vec<SavedFile> = changes.split_whitespace().map(change).collect();
            let (found, steps) = words(&Past::before(&changes));
            assert_eq!((found.as_str(), steps.as_str()), (files, moves), "{changes:?}");
        };
        check("a=1 a=2 +b", "a=1@a b+@b", "");
        check("a>b b>c", "a@c", "c>b b>a");
        check("a>b b=1", "a=1@b", "b>a");
        check("a=1 a>b b=2", "a=1@b", "b>a");
        check("a>b +a", "a@b a+@a", "b>a");
        check("+a a>b", "a+@b", "");
        check("b=1 a>b", "a@b b=1@-", "b>a");
        check("a>b b>a", "a@a", "a>b b>a");
        check("d>>e e/x=1 +e/n", "d@e d/x=1@e/x e/n+@e/n", "e>d");
        check("d/x=1 d>>e e/x=2 e/y=3", "d@e d/x=1@e/x d/y=3@e/y", "e>d");
        check("d/x>f d>>c c/y=1", "d@c d/x@f d/y=1@c/y", "c>d f>d/x");
        check("d>>e +d d>f", "d@e d+@f", "e>d");
        check("d>>e e/s>>f f/x=1", "d@e d/s@f d/s/x=1@f/x", "f>e/s e>d");
        check("d/x=1 d=2 c>>d", "c@d d=2@- d/x=1@-", "d>c");
        check("a>b +b", "a@- b+@b", "b>a");
        check("a b>a", "a?@- b@a", "a>b");
        check("x=1 y>x x>y +x", "x=1@x y@y", "y>x x>y");
    }
}
