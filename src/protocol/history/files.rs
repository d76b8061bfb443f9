//! What files held when a message was said, as far as the session knows.
//!
//! Every change of files that the program saw is one checkpoint of the session's file: a tool's, a command's, a rewind's and a
//! redo's alike, each with its files as they were just before. So files have one timeline, and it only grows; nothing in
//! it is ever undone. What a file held when a message was said is what the first change behind that message found there,
//! and a file without such a change is as it was. That is the whole model: a rewind of files looks it up
//! ([`History::files_at`]), and what it replaces is one more checkpoint, so that a rewind to a point before or behind an earlier
//! rewind needs to know nothing of it.
//!
//! What stands behind a message is told by positions: a call's checkpoint has that of the message which made the call, a
//! rewind's and a redo's that of the last message there is. So whatever is said afterwards stands behind them.
//!
//! A redo does not look into the timeline: it puts back what the checkpoint of the last rewind holds. The surprise is the order
//! in the file. A rewind comes first, then its checkpoint, then files are touched; a redo's checkpoint comes first, then files are
//! touched, then comes the redo. Killed anywhere between, there is one rewind that a redo can still take back whole.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::History;
use super::past::Past;
use crate::protocol::{SavedFile, SavedKind};

/// All checkpoints, oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Saves(Vec<Save>);

#[derive(Debug, Clone)]
struct Save {
    /// The position that it has.
    message: usize,
    files: Arc<[SavedFile]>,
}

/// A rewind that can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redoable<'a> {
    /// How many messages it took away.
    pub messages: usize,
    /// Files as they were before it.
    pub files: &'a [SavedFile],
}

impl Saves {
    pub(super) fn push(&mut self, message: usize, files: Arc<[SavedFile]>) {
        self.0.push(Save { message, files });
    }

    fn files(&self) -> impl Iterator<Item = (usize, &SavedFile)> {
        self.0.iter().flat_map(|save| save.files.iter().map(|file| (save.message, file)))
    }
}

impl History {
    /// What was when the message at `position` was said, of each file that is known to have changed or moved since.
    #[must_use]
    pub fn files_at(&self, position: usize) -> Past {
        let since = self.saves.files().filter(|(message, _)| *message >= position);
        Past::before(since.map(|(_, file)| file))
    }

    /// How many files are known to have changed since each of these positions.
    #[must_use]
    pub fn changed_since(&self, positions: &[usize]) -> Vec<usize> {
        let mut newest: BTreeMap<&str, usize> = BTreeMap::new();
        for (message, file) in self.saves.files() {
            if file.kind() == SavedKind::Directory {
                continue;
            }
            let known = newest.entry(&file.path).or_default();
            *known = message.max(*known);
        }
        let mut newest: Vec<usize> = newest.into_values().collect();
        newest.sort_unstable();
        positions.iter().map(|at| newest.len() - newest.partition_point(|message| message < at)).collect()
    }

    /// Each file that is known to have changed, as it was before its first change; a rewind forgets none.
    pub fn changed_files(&self) -> impl Iterator<Item = &SavedFile> {
        let mut known = HashSet::new();
        let files = self.saves.files().map(|(_, file)| file);
        let files = files.filter(|file| file.kind() != SavedKind::Directory);
        files.filter(move |file| known.insert(file.path.as_str()))
    }

    /// What a redo would undo.
    #[must_use]
    pub fn redoable(&self) -> Option<Redoable<'_>> {
        let undone = self.undone.last()?;
        Some(Redoable { messages: undone.items.len(), files: &undone.files })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::{ChangedBy, Entry, EntryBody, Message};

    /// What each of a few files holds; none where there is no file.
    type Tree = BTreeMap<String, Option<String>>;

    /// What a rewind takes along.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Reach {
        Both,
        Conversation,
        Files,
    }

    #[derive(Debug, Clone)]
    enum Step {
        /// Something is said, and these files are changed then: the number tells what they hold, 0 that they go.
        Say(Vec<(usize, u32)>),
        /// Back to one of the messages that count.
        Rewind(usize, Reach),
        Redo,
        /// The program is killed, and the file is read again.
        Reload,
    }

    /// A session: its history and its files, and whole copies of both for every message and every rewind.
    #[derive(Default)]
    struct World {
        lines: Vec<Entry>,
        history: History,
        tree: Tree,
        /// The tree when the message at this position was said.
        said: BTreeMap<usize, Tree>,
        /// The positions that count, and the tree, before each rewind that can be undone.
        before: Vec<(Vec<usize>, Tree, Reach)>,
    }

    fn path(number: usize) -> String {
        format!("/{number}")
    }

    impl World {
        fn write(&mut self, body: EntryBody) {
            let entry = Entry { timestamp: 1, body };
            self.history.apply(&entry);
            self.lines.push(entry);
        }

        fn counts(&self) -> Vec<usize> {
            self.history.view().map(|(slot, _)| slot.position).collect()
        }

        fn save(&self, path: &str) -> SavedFile {
            SavedFile::new(path, self.tree.get(path).cloned().flatten(), 0)
        }

        /// Makes files hold this, as whoever does it writes it down.
        fn change(&mut self, by: ChangedBy, files: Vec<(String, Option<String>)>) {
            let files: Vec<_> = files
                .into_iter()
                .filter(|(path, to)| self.tree.get(path).cloned().flatten() != *to)
                .collect();
            if files.is_empty() {
                return;
            }
            let saved = files.iter().map(|(path, _)| self.save(path)).collect();
            let message = self.history.positions() - 1;
            self.write(EntryBody::Checkpoint { message, by, files: saved });
            self.tree.extend(files);
        }

        fn rewind(&mut self, to: usize, reach: Reach) {
            self.before.push((self.counts(), self.tree.clone(), reach));
            let wanted: Vec<_> =
                self.history.files_at(to).files.iter().map(|former| was(&former.file)).collect();
            let all = self.history.positions();
            self.write(EntryBody::Rewind { to: if reach == Reach::Files { all } else { to } });
            if reach != Reach::Conversation {
                self.change(ChangedBy::Rewind, wanted);
                assert_eq!(alive(&self.tree), alive(&self.said[&to]), "back to {to}");
            }
        }

        fn redo(&mut self) {
            let Some(files) = self.history.redoable().map(|redoable| redoable.files.to_vec()) else {
                assert!(self.before.is_empty(), "there is something to redo");
                return;
            };
            self.change(ChangedBy::Redo, files.iter().map(was).collect());
            self.write(EntryBody::Redo);
            let (counts, tree, reach) = self.before.pop().unwrap();
            assert_eq!(self.counts(), counts);
            if reach != Reach::Conversation {
                assert_eq!(alive(&self.tree), alive(&tree));
            }
        }

        fn take(&mut self, step: Step) {
            match step {
                Step::Say(changes) => {
                    self.said.insert(self.history.positions(), self.tree.clone());
                    self.write(EntryBody::Message(Message::user("x")));
                    self.before.clear();
                    for (file, holds) in changes {
                        let holds = (holds > 0).then(|| holds.to_string());
                        self.change(ChangedBy::Tool, vec![(path(file), holds)]);
                    }
                }
                Step::Rewind(which, reach) => {
                    let counts = self.counts();
                    if let Some(to) = counts.get(which % counts.len().max(1)) {
                        self.rewind(*to, reach);
                    }
                }
                Step::Redo => self.redo(),
                Step::Reload => {
                    self.history = History::new();
                    self.lines.iter().for_each(|entry| self.history.apply(entry));
                }
            }
        }
    }

    fn was(file: &SavedFile) -> (String, Option<String>) {
        (file.path.clone(), file.before.clone())
    }

    fn alive(tree: &Tree) -> Vec<(&String, &String)> {
        tree.iter().filter_map(|(path, holds)| Some((path, holds.as_ref()?))).collect()
    }

    fn step() -> impl Strategy<Value = Step> {
        let reach = prop_oneof![Just(Reach::Both), Just(Reach::Conversation), Just(Reach::Files)];
        prop_oneof![
            4 => prop::collection::vec((0_usize..4, 0_u32..5), 0..4).prop_map(Step::Say),
            4 => (any::<usize>(), reach).prop_map(|(which, reach)| Step::Rewind(which, reach)),
            3 => Just(Step::Redo),
            1 => Just(Step::Reload),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn whatever_is_rewound_and_redone_files_are_what_copies_of_all_of_them_say(
            steps in prop::collection::vec(step(), 0..24),
        ) {
            let mut world = World::default();
            for step in steps {
                world.take(step);
            }
        }
    }

    fn saved(path: &str, before: &str) -> SavedFile {
        SavedFile::new(path, Some(before.to_owned()), 0)
    }

    fn checkpoint(message: usize, by: ChangedBy, files: &[SavedFile]) -> EntryBody {
        EntryBody::Checkpoint { message, by, files: files.to_vec() }
    }

    fn history(bodies: impl IntoIterator<Item = EntryBody>) -> History {
        let mut history = History::new();
        bodies.into_iter().for_each(|body| history.apply(&Entry { timestamp: 1, body }));
        history
    }

    fn said() -> EntryBody {
        EntryBody::Message(Message::user("x"))
    }

    #[test]
    fn files_are_counted_once_for_each_point() {
        let history = history([
            said(),
            checkpoint(0, ChangedBy::Tool, &[saved("/a", "1"), saved("/b", "1")]),
            said(),
            checkpoint(1, ChangedBy::Command, &[saved("/a", "2"), saved("/c", "1")]),
            said(),
        ]);
        assert_eq!(history.changed_since(&[0, 1, 2, 9]), [3, 2, 0, 0]);
        let first: Vec<_> = history.changed_files().map(was).collect();
        let at = |path: &str| (path.to_owned(), Some("1".to_owned()));
        assert_eq!(first, [at("/a"), at("/b"), at("/c")]);
        let a = &history.files_at(0).files[0];
        assert_eq!((a.file.before.as_deref(), a.last.before.as_deref()), (Some("1"), Some("2")));
    }

    #[test]
    fn a_command_that_ends_late_belongs_to_the_message_that_began_it() {
        let late = checkpoint(0, ChangedBy::Command, &[saved("/a", "1")]);
        let history = history([said(), said(), late]);
        assert_eq!((history.files_at(0).files.len(), history.files_at(1).files.len()), (1, 0));
    }

    #[test]
    fn a_rewind_that_was_killed_before_or_after_its_checkpoint_can_be_undone() {
        let begun =
            [said(), checkpoint(0, ChangedBy::Tool, &[saved("/a", "1")]), EntryBody::Rewind { to: 0 }];
        let before = history(begun.clone());
        assert_eq!(before.redoable(), Some(Redoable { messages: 1, files: &[] }));
        let replaced = [saved("/a", "2")];
        let after = history(begun.into_iter().chain([checkpoint(0, ChangedBy::Rewind, &replaced)]));
        assert_eq!(after.redoable(), Some(Redoable { messages: 1, files: &replaced }));
    }

    #[test]
    fn a_checkpoint_whose_rewind_was_lost_can_be_undone_alone() {
        let lost = history([said(), checkpoint(0, ChangedBy::Rewind, &[saved("/a", "1")])]);
        assert_eq!(lost.redoable(), Some(Redoable { messages: 0, files: &[saved("/a", "1")] }));
    }

    #[test]
    fn what_was_not_answered_and_taken_back_is_no_rewind_to_be_undone() {
        let unsaid = history([said(), EntryBody::Unsaid { to: 0 }]);
        assert_eq!((unsaid.redoable(), unsaid.len()), (None, 0));
        let mut both = history([said(), said(), EntryBody::Rewind { to: 1 }, EntryBody::Unsaid { to: 0 }]);
        both.apply(&Entry { timestamp: 1, body: EntryBody::Redo });
        assert_eq!(both.view().map(|(slot, _)| slot.position).collect::<Vec<_>>(), [1]);
    }
}
