//! What is known between two looks, and what is still to be done.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::change::{Change, News, Seen};
use super::compare::{Compare, Told};
use super::cover::{self, Apart, Budget, Copied, Next, Queue, sort_out};
use super::git::{Git, Repo};
use super::moved;
use super::pack::Pack;
use super::scan::{self, Extent, MOST_NAMES, Young};
use super::tree::{Cover, Folder, Known, Tree, Why};
use super::{Moment, Workbench};
use crate::os::clock::{Clock, SystemClock};
use crate::os::file::read_regular;
use crate::os::stir::Stirs;
use crate::protocol::SavedFile;

/// Copied before a command has to wait no longer: some 50 ms.
const BEFORE: Budget = Budget { files: 1_000, bytes: 16 * 1024 * 1024 };

/// More that had just changed are not looked at twice.
const MOST_YOUNG: usize = 1_000;
const MOST_ATTRIBUTES: u64 = 1024 * 1024;

/// What is known of the workspace.
#[derive(Debug, Default)]
pub(super) struct State {
    stage: Stage,
    pub(super) tree: Tree,
    pack: Option<Pack>,
    git: Option<Git>,
    queue: Queue,
    copying: Copying,
    /// Files that had just changed when they were looked at.
    young: Vec<PathBuf>,
    /// Files that the program changed since the last look.
    pub(super) ours: HashSet<PathBuf>,
    /// Files whose first change since the last message is recorded.
    pub(super) recorded: HashSet<PathBuf>,
    /// Whether one of them has changed again since this was last asked.
    pub(super) changed_again: bool,
    /// What nobody has fetched yet.
    pub(super) owed: Vec<SavedFile>,
    /// Whose work it is that has changed since the last look.
    pub(super) runs: Runs,
    lost: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Stage {
    #[default]
    New,
    Looked,
    /// The workspace is too large.
    Off,
}

/// What may be changing files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Runs {
    #[default]
    Nothing,
    /// Something that was left running.
    Beside,
    /// A command, from the look before it on.
    Command,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Copying {
    #[default]
    Idle,
    Goes,
}

impl State {
    /// Looks at the workspace, and owes what a command has changed. What is new is copied, as far as there is time.
    pub(super) fn look(&mut self, bench: &Workbench, apart: &Apart, moment: Moment) {
        if self.stage == Stage::Off {
            return;
        }
        if self.stage == Stage::Looked && !self.tree.is_there() {
            self.begin_again();
        }
        if self.stage == Stage::New {
            self.git = bench.git();
            self.pack = bench.outputs().nameless().ok().map(Pack::new);
            self.tree.stirs = Stirs::new();
        }
        for repo in &self.tree.repos {
            repo.refresh();
        }
        // what a command has done is not left to what the kernel tells; what somebody has done before it, is
        let extent = match (moment, self.runs) {
            (Moment::Before, Runs::Nothing) => Extent::Stirred,
            (Moment::Before, Runs::Beside | Runs::Command) | (Moment::After, _) => Extent::Whole,
        };
        let young = Young { now: i64::try_from(SystemClock.now_ms()).unwrap_or(0).saturating_mul(1_000_000) };
        let (seen, Some(mut pack)) =
            (scan::look(&mut self.tree, &bench.shell().roots(), young, extent), self.pack.take())
        else {
            return self.give_up();
        };
        let Ok(mut seen) = seen else { return self.give_up() };
        self.stage = Stage::Looked;
        seen.changes.append(&mut self.changed_unseen());
        self.judge(&mut seen, moment);
        let files: Vec<PathBuf> = seen.changes.iter().map(|change| change.path.clone()).collect();
        self.heed_attributes(&files);
        let mut waiting = sort_out(&mut self.tree, &files, self.git.as_ref(), apart, young);
        let gone: Vec<Arc<Repo>> = self.tree.repos.iter().filter(|repo| repo.has_gone()).cloned().collect();
        waiting.extend(self.uncover(&gone));
        let moves = moved::take_moves(&mut seen, &self.tree);
        if moment == Moment::After || self.runs != Runs::Nothing {
            let is_lost = |repo: &&Arc<Repo>| !moves.iter().any(|step| repo.top().starts_with(&step.from));
            let lost = gone.iter().filter(is_lost).filter_map(|repo| repo.directory().to_str());
            self.owed.extend(lost.map(|path| SavedFile::unsaved(path, "contents of .git are not backed up")));
        }
        let compare = Compare {
            tree: &mut self.tree,
            pack: &mut pack,
            blobs: bench.blobs(),
            git: self.git.as_ref(),
            recorded: &mut self.recorded,
            changed_again: &mut self.changed_again,
        };
        let Told { saved, lost } = compare.tell(&moves, seen);
        self.owed.extend(saved);
        self.lost += lost;
        self.queue.add(waiting);
        if moment == Moment::Before {
            cover::copy(&mut self.queue, &mut self.tree, &mut pack, BEFORE);
        }
        self.pack = Some(pack);
        self.remember_young(files, young);
    }

    /// A root has been replaced, with all that it held.
    fn begin_again(&mut self) {
        let lost = self.lost
            + self.tree.all().filter(|known| matches!(known, Known::File(..) | Known::Link(..))).count();
        let (owed, recorded) = (std::mem::take(&mut self.owed), std::mem::take(&mut self.recorded));
        *self = Self { copying: self.copying, owed, recorded, lost, ..Self::default() };
    }

    /// The workspace is too large, or there is no room for copies.
    fn give_up(&mut self) {
        let (owed, copying) = (std::mem::take(&mut self.owed), self.copying);
        *self = Self { stage: Stage::Off, copying, owed, ..Self::default() };
    }

    /// What only the program, or the user, has changed is only learnt.
    fn judge(&mut self, seen: &mut Seen, moment: Moment) {
        let ours = std::mem::take(&mut self.ours);
        let is_told = moment == Moment::After || self.runs != Runs::Nothing;
        // a directory stands for what is in it: the program moved it
        let is_ours = |path: &Path| !ours.is_empty() && path.ancestors().any(|above| ours.contains(above));
        for change in &mut seen.changes {
            if !is_told || is_ours(&change.path) {
                change.news = News::Learnt;
            }
        }
        for change in &mut seen.folders {
            if !is_told || is_ours(&change.path) {
                change.news = News::Learnt;
            }
        }
    }

    /// Files that look as they did, and have changed: in the moment in which they were looked at.
    fn changed_unseen(&mut self) -> Vec<Change> {
        let mut changes = Vec::new();
        for path in self.young.clone() {
            let Some((place, known)) = self.tree.known_mut(&path) else { continue };
            let (Known::File(look, Cover::Copied(piece)), Some(name)) = (&*known, path.file_name()) else {
                continue;
            };
            let (place, look, piece, name) = (Arc::clone(place), *look, *piece, name.to_owned());
            let next = Next { path, place: Arc::clone(&place), look };
            if let Copied::Whole(image) = next.read()
                && *image.hash() != piece.hash
            {
                let was = Some(std::mem::replace(known, Known::File(look, Cover::None(Why::Waiting))));
                let (path, repo) = (place.path.join(name), place.repo.clone());
                changes.push(Change { path, repo, was, news: News::Changed });
            }
        }
        changes
    }

    fn remember_young(&mut self, files: Vec<PathBuf>, young: Young) {
        let is_young = |path: &PathBuf| match self.tree.known(path) {
            Some(Known::File(look, _)) => young.is(look),
            Some(
                Known::Link(..)
                | Known::Folder
                | Known::LeftOut
                | Known::Unseen
                | Known::Pipe(_)
                | Known::Other,
            )
            | None => false,
        };
        let known = std::mem::take(&mut self.young);
        let young: BTreeSet<PathBuf> =
            files.into_iter().chain(known).filter(is_young).take(MOST_YOUNG).collect();
        self.young = young.into_iter().collect();
    }

    /// Files that a repository had which has just gone have to be copied now: those, and when they changed.
    fn uncover(&mut self, gone: &[Arc<Repo>]) -> Vec<(i64, PathBuf)> {
        let mut waiting = Vec::new();
        let is_of = |folder: &&mut Folder| {
            folder.place.repo.as_ref().is_some_and(|repo| gone.iter().any(|gone| Arc::ptr_eq(repo, gone)))
        };
        if gone.is_empty() {
            return waiting;
        }
        for folder in self.tree.folders.values_mut().filter(is_of) {
            for (name, known) in &mut folder.names {
                if let Known::File(look, cover @ Cover::Stored(_)) = known {
                    *cover = Cover::None(Why::Waiting);
                    waiting.push((look.changed, folder.place.path.join(name)));
                }
            }
        }
        waiting
    }

    /// An attributes file may name a filter, by which git has something else than the file holds.
    fn heed_attributes(&self, files: &[PathBuf]) {
        for path in files.iter().filter(|path| path.ends_with(".gitattributes")) {
            let Some(folder) = path.parent().and_then(|parent| self.tree.folders.get(parent)) else {
                continue;
            };
            if let (Some(repo), Ok(bytes)) = (&folder.place.repo, read_regular(path, MOST_ATTRIBUTES)) {
                repo.heeds(&bytes);
            }
        }
    }

    /// Whether somebody is to copy what waits; who is told so says when it is over.
    pub(super) fn begin_copying(&mut self) -> bool {
        let is_wanted = self.copying == Copying::Idle && !self.queue.is_empty();
        if is_wanted {
            self.copying = Copying::Goes;
        }
        is_wanted
    }

    pub(super) fn end_copying(&mut self) {
        self.copying = Copying::Idle;
    }

    /// The next file to be copied.
    pub(super) fn next(&mut self) -> Option<Next> {
        self.queue.next(&mut self.tree)
    }

    /// It was read.
    pub(super) fn keep(&mut self, next: &Next, copied: &Copied) {
        if let Some(pack) = &mut self.pack {
            next.keep(copied, &mut self.tree, pack);
        }
    }

    /// What a rewind could not put back, a line each.
    pub(super) fn uncovered(&self) -> Vec<String> {
        match self.stage {
            Stage::New => return Vec::new(),
            Stage::Off => {
                return vec![format!("files that commands change: more than {} files here", MOST_NAMES)];
            }
            Stage::Looked => {}
        }
        let mut counts = Counts { lost: self.lost, ..Counts::default() };
        for known in self.tree.all() {
            counts.add(known);
        }
        counts.lines()
    }
}

/// How many files are not covered, and why.
#[derive(Debug, Default)]
struct Counts {
    left_out: usize,
    waiting: usize,
    large: usize,
    apart: usize,
    unreadable: usize,
    full: usize,
    lost: usize,
}

impl Counts {
    fn add(&mut self, known: &Known) {
        match known {
            Known::LeftOut => self.left_out += 1,
            Known::File(_, Cover::None(why)) => match why {
                Why::Waiting => self.waiting += 1,
                Why::Large => self.large += 1,
                Why::Secret | Why::Own => self.apart += 1,
                Why::Unreadable => self.unreadable += 1,
                Why::Full => self.full += 1,
            },
            Known::File(_, Cover::Copied(_) | Cover::Stored(_))
            | Known::Link(..)
            | Known::Folder
            | Known::Unseen
            | Known::Pipe(_)
            | Known::Other => {}
        }
    }

    fn lines(&self) -> Vec<String> {
        let ignored = (self.left_out > 0).then(|| "ignored files".to_owned());
        let counted = [
            (self.large, "over 32 MB".to_owned()),
            (self.apart, "excluded (secrets, and clawd's own files)".to_owned()),
            (self.waiting, "not yet backed up".to_owned()),
            (self.unreadable, "unreadable".to_owned()),
            (self.full, "beyond the limit of 1 GB".to_owned()),
            (self.lost, "changed by a command and not backed up".to_owned()),
        ];
        let counted = counted.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| {
            let files = if count == 1 { "file" } else { "files" };
            format!("{count} {files} {what}")
        });
        ignored.into_iter().chain(counted).chain(["files outside the workspace".to_owned()]).collect()
    }
}
