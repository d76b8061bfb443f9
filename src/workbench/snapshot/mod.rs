//! What commands change, so that a rewind can put it back: a look at the workspace before a command and one after it.
//!
//! A tool names the files that it changes; a command does not. So what stood in the workspace is known beforehand: files that
//! are as git stored them are had back from git (`git`), all others are copied (`cover`), and a look tells what
//! differs (`scan`) and what of it the command changed (`compare`). Not covered: what ignore files name, what is kept
//! apart, very large files, what nobody has come to yet, and all that lies outside the workspace; [`Snapshots::uncovered`]
//! names it. The surprise: a command that runs on has no end here. What it changes is told with the next look, and so is
//! what a look found that nobody waited for; what the user changes meanwhile is then told as well.
//!
//! A look at everything asks the system after each file, twice for each command. So the one before a command goes only where the
//! kernel says that something has happened since the last one. That may miss what is changed in odd ways (`os/stir.rs` names
//! them), and then the user's change is taken for the command's; so the look after it, which tells what a command did, leaves
//! nothing out.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use self::git::Git;
use self::state::{Runs, State};
use super::Workbench;
use crate::os::programs;
use crate::protocol::{JobState, SavedFile};

pub use cover::{Apart, Reason};
pub use git::has_changed_files;

mod change;
mod compare;
mod cover;
mod git;
mod moved;
mod pack;
mod scan;
mod sight;
mod state;
mod store;
mod tree;

/// When the workspace is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// A command is about to run: what has changed since the last look was somebody else.
    Before,
    /// A command has run.
    After,
}

/// What is known of the workspace.
pub struct Snapshots {
    state: Arc<Mutex<State>>,
    apart: Mutex<Arc<Apart>>,
    /// Ends the copying.
    stop: Arc<AtomicBool>,
    /// Whether somebody has seen to old images.
    limited: AtomicBool,
    /// Whether a message has begun since the last look.
    is_message_new: AtomicBool,
}

impl Default for Snapshots {
    fn default() -> Self {
        let apart: Arc<Apart> = Arc::new(|_| None);
        Self {
            state: Arc::default(),
            apart: Mutex::new(apart),
            stop: Arc::default(),
            limited: AtomicBool::new(false),
            is_message_new: AtomicBool::new(false),
        }
    }
}

impl Snapshots {
    /// Of which files nothing is copied: those that may hold a secret, and the program's own.
    pub fn set_apart(&self, apart: Arc<Apart>) {
        *self.apart.lock().unwrap_or_else(PoisonError::into_inner) = apart;
    }

    /// These files (absolute, without links; a directory stands for all in it) were changed by the program itself, which saves them
    /// by itself.
    pub fn changed_by_us<'a>(&self, files: impl IntoIterator<Item = &'a Path>) {
        let mut state = self.locked();
        for file in files {
            state.recorded.remove(file);
            state.ours.insert(file.to_owned());
        }
    }

    /// Something is said from which on a rewind may put files back: the next change of each is recorded again.
    pub fn begin_message(&self) {
        self.is_message_new.store(true, Ordering::Relaxed);
    }

    /// Whether a command has changed a file again whose first change since the message is recorded, since this was last asked.
    pub fn changed_again(&self) -> bool {
        std::mem::take(&mut self.locked().changed_again)
    }

    /// What a rewind could not put back if a command changed it: a short line each. Empty where nobody has looked yet. Waits
    /// for a look that goes on.
    pub fn uncovered(&self) -> Vec<String> {
        self.locked().uncovered()
    }

    /// Ends the copying; what waits is copied no more.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    fn apart(&self) -> Arc<Apart> {
        Arc::clone(&self.apart.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Copies what waits, in the background, until that is done or the session is over.
    fn copy_on(&self) {
        let (state, stop) = (Arc::clone(&self.state), Arc::clone(&self.stop));
        if !lock(&state).begin_copying() {
            return;
        }
        tokio::task::spawn_blocking(move || {
            while !stop.load(Ordering::Relaxed) {
                let next = lock(&state).next();
                let Some(next) = next else { break };
                let copied = next.read();
                lock(&state).keep(&next, &copied);
            }
            lock(&state).end_copying();
        });
    }
}

impl Drop for Snapshots {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for Snapshots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshots").finish_non_exhaustive()
    }
}

impl Workbench {
    /// Looks at the workspace, and gives what commands have changed since the last look: each file as it was then, kept
    /// among the images. After a first look that is nothing. Whoever stops waiting loses nothing: the next look gives it.
    pub async fn look(self: &Arc<Self>, moment: Moment) -> Vec<SavedFile> {
        let bench = Arc::clone(self);
        let looked = tokio::task::spawn_blocking(move || bench.look_now(moment)).await;
        if looked.is_err() {
            return Vec::new();
        }
        let owed = std::mem::take(&mut self.snapshots.locked().owed);
        if moment == Moment::After {
            self.snapshots.copy_on();
        }
        if !owed.is_empty() {
            self.limit_images();
        }
        owed
    }

    /// What has changed since the last look that something left running may have done, and what nobody has fetched yet. Looks on
    /// this thread.
    pub fn look_beside(&self) -> Vec<SavedFile> {
        if self.snapshots.locked().runs != Runs::Nothing {
            self.look_now(Moment::After);
        }
        std::mem::take(&mut self.snapshots.locked().owed)
    }

    /// The same, on this thread; what is found is owed.
    fn look_now(&self, moment: Moment) {
        let apart = self.snapshots.apart();
        let mut state = self.snapshots.locked();
        if self.snapshots.is_message_new.swap(false, Ordering::Relaxed) {
            state.recorded.clear();
        }
        state.look(self, &*apart, moment);
        state.runs = match moment {
            Moment::Before => Runs::Command,
            Moment::After => self.runs_beside(),
        };
    }

    /// After a look before a command: it could not begin.
    pub fn nothing_ran(&self) {
        self.snapshots.locked().runs = self.runs_beside();
    }

    fn runs_beside(&self) -> Runs {
        let runs = self.jobs.list().iter().any(|job| match job.state {
            JobState::Running => true,
            JobState::Ended { .. } => false,
        });
        if runs { Runs::Beside } else { Runs::Nothing }
    }

    /// Images of all sessions are kept for some time and up to some size. Seen to once, beside everything else.
    fn limit_images(&self) {
        if let Some(all) = self.outputs.all_sessions()
            && !self.snapshots.limited.swap(true, Ordering::Relaxed)
        {
            tokio::task::spawn_blocking(move || store::limit(&all, SystemTime::now()));
        }
    }

    /// The program that reads what git has stored; none where nobody but the user and the system could have put it there.
    fn git(&self) -> Option<Git> {
        let path = self.environment.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value)?;
        let directories: Vec<PathBuf> = std::env::split_paths(path).collect();
        let program = programs::program("git", &directories)?;
        let is_ours = self.shell.roots().iter().any(|root| program.starts_with(root));
        (!is_ours).then(|| Git::new(program, &self.environment))
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
