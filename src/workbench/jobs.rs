//! What runs beside the conversation: commands that were started there, moved there, or left something running.
//!
//! Not the starting and ending of processes, that is `os`; here they have a name, are listed, and what they print is
//! given out piece by piece. They belong to the session: the end of a run leaves them alone, the end of the session
//! does not. The surprise: nothing here is a task that must be looked after. Each job's own supervisor reads on, in
//! bounded memory, whether anybody asks or not.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::os::capture::{Mark, Output};
use crate::os::process::{Exit, Running, Stage};
use crate::protocol::{JobId, JobState, JobView, Why};

/// More than a screen holds.
const LAST_PRINTED: usize = 16 * 1024;
/// How many ended jobs are remembered, the eldest go first.
const ENDED: usize = 20;

/// The jobs of a session.
#[derive(Debug)]
pub struct Jobs {
    list: Arc<Mutex<List>>,
    /// Counts beginnings and ends.
    changed: watch::Sender<u64>,
    foreground: Arc<Mutex<Fronts>>,
}

#[derive(Debug, Default)]
struct List {
    begun: u64,
    jobs: VecDeque<Job>,
}

#[derive(Debug)]
struct Job {
    id: JobId,
    command: String,
    why: Why,
    running: Running,
    /// How far its output has been given out.
    given: Mark,
    told: Told,
    wish: Wish,
}

/// What is wished of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Run,
    End,
}

/// Whether the end of a job was given out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Told {
    No,
    Yes,
}

/// What is new of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// Where it stands.
    pub view: JobView,
    /// How its shell has exited, if it has, though something that it started may still run.
    pub exit: Option<Exit>,
    /// What it printed since it was asked last.
    pub output: Output,
    /// Whether its end was given out before, so that there can be nothing new.
    pub is_old: bool,
}

/// The names that there are, where one was asked for that is not among them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no background command has the ID `{wanted}` ({})", known(.ids))]
pub struct UnknownJob {
    wanted: String,
    ids: Vec<JobId>,
}

/// A command that runs in the foreground; dropped, it does not any more.
#[derive(Debug)]
pub struct Foreground {
    number: u64,
    moved: CancellationToken,
    all: Arc<Mutex<Fronts>>,
}

/// The commands in the foreground, by number; those that were told to move are not among them.
#[derive(Debug, Default)]
struct Fronts {
    begun: u64,
    waiting: Vec<(u64, CancellationToken)>,
}

impl Default for Jobs {
    fn default() -> Self {
        Self { list: Arc::default(), changed: watch::Sender::new(0), foreground: Arc::default() }
    }
}

impl Jobs {
    /// Takes a command in. What it printed up to `told` is known; nothing limits its time any more unless it was
    /// asked for. Must be called inside a runtime.
    pub fn adopt(&self, command: String, running: Running, why: Why, told: Mark) -> JobId {
        match why {
            Why::Moved | Why::LeftBehind => running.lift_limit(),
            Why::Asked | Why::AtOnce => {}
        }
        let is_told = if why == Why::AtOnce { Told::Yes } else { Told::No };
        let (over, all, changed) = (running.over(), Arc::downgrade(&self.list), self.changed.clone());
        let mut list = self.locked();
        list.begun += 1;
        let id = JobId::from(format!("bash_{}", list.begun));
        list.jobs.push_back(Job {
            id: id.clone(),
            command,
            why,
            running,
            given: told,
            told: is_told,
            wish: Wish::Run,
        });
        drop(list);
        changed.send_modify(|count| *count += 1);
        // it lasts as long as the command's own supervisor, which whoever drops the job ends
        tokio::spawn(async move {
            over.await;
            if let Some(list) = all.upgrade() {
                lock(&list).forget_ended();
            }
            changed.send_modify(|count| *count += 1);
        });
        id
    }

    /// Those that run, and those whose end was not told yet, oldest first.
    pub fn list(&self) -> Vec<JobView> {
        self.locked().jobs.iter().filter(|job| job.told == Told::No).map(Job::view).collect()
    }

    /// All that are remembered, also those whose end was told, oldest first.
    pub fn all(&self) -> Vec<JobView> {
        self.locked().jobs.iter().map(Job::view).collect()
    }

    /// The end of what a job printed, given out or not, at most 16 KiB of it; nothing where it is not known.
    pub fn last_printed(&self, id: &JobId) -> Option<String> {
        let output = self.locked().jobs.iter().find(|job| job.id == *id)?.running.so_far();
        let end = if output.tail.is_empty() { output.head } else { output.tail };
        let last = end.get(end.len().saturating_sub(LAST_PRINTED)..).unwrap_or_default();
        Some(String::from_utf8_lossy(last).into_owned())
    }

    /// Changes whenever a job begins or ends.
    pub fn changed(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// What a job printed since this was last asked, and how it stands; its end is told with it, if it has ended.
    pub fn take_new(&self, id: &JobId) -> Result<News, UnknownJob> {
        let mut list = self.locked();
        let Some(job) = list.jobs.iter_mut().find(|job| job.id == *id) else { return Err(list.unknown(id)) };
        // in this order: what was printed before the end is then part of the output
        let stage = job.running.stage();
        let view = job.view_at(stage);
        let output = job.running.output_since(job.given);
        job.given.bytes += output.bytes;
        job.given.lines += output.lines;
        let is_old = job.told == Told::Yes;
        let exit = match stage {
            Stage::Running => None,
            Stage::Lingering(exit) => Some(exit),
            Stage::Over(exit) => {
                job.told = Told::Yes;
                Some(exit)
            }
        };
        Ok(News { view, exit, output, is_old })
    }

    /// Ends a job and all that it started, and waits until it is done: 300 ms, or longer where the system lets
    /// nothing go. Does nothing to one that has ended.
    pub async fn kill(&self, id: &JobId) -> Result<(), UnknownJob> {
        let over = {
            let mut list = self.locked();
            let Some(job) = list.jobs.iter_mut().find(|job| job.id == *id) else {
                return Err(list.unknown(id));
            };
            if !job.has_ended() {
                job.wish = Wish::End;
            }
            job.running.stop();
            job.running.over()
        };
        over.await;
        Ok(())
    }

    /// Says that a command runs in the foreground, where the user can move it out of.
    pub fn foreground(&self) -> Foreground {
        let moved = CancellationToken::new();
        let mut fronts = lock(&self.foreground);
        fronts.begun += 1;
        let number = fronts.begun;
        fronts.waiting.push((number, moved.clone()));
        Foreground { number, moved, all: Arc::clone(&self.foreground) }
    }

    /// Tells what runs in the foreground to go on in the background; how many were told.
    pub fn move_foreground(&self) -> usize {
        let told = std::mem::take(&mut lock(&self.foreground).waiting);
        for (_, moved) in &told {
            moved.cancel();
        }
        told.len()
    }

    /// Forgets all; what still runs is ended.
    pub(super) fn clear(&self) {
        let jobs = std::mem::take(&mut self.locked().jobs);
        drop(jobs);
        self.changed.send_modify(|count| *count += 1);
    }

    fn locked(&self) -> MutexGuard<'_, List> {
        lock(&self.list)
    }
}

impl Foreground {
    /// Waits until the user moves it to the background.
    pub async fn moved(&self) {
        self.moved.cancelled().await;
    }
}

impl Drop for Foreground {
    fn drop(&mut self) {
        lock(&self.all).waiting.retain(|(number, _)| *number != self.number);
    }
}

impl List {
    /// Those whose end was told go first.
    fn forget_ended(&mut self) {
        let mut too_many = self.jobs.iter().filter(|job| job.has_ended()).count().saturating_sub(ENDED);
        for told in [Told::Yes, Told::No] {
            self.jobs.retain(|job| {
                let goes = too_many > 0 && job.told == told && job.has_ended();
                too_many -= usize::from(goes);
                !goes
            });
        }
    }

    fn unknown(&self, wanted: &JobId) -> UnknownJob {
        let ids = self.jobs.iter().filter(|job| job.told == Told::No).map(|job| job.id.clone()).collect();
        UnknownJob { wanted: wanted.to_string(), ids }
    }
}

impl Job {
    fn view(&self) -> JobView {
        self.view_at(self.running.stage())
    }

    fn view_at(&self, stage: Stage) -> JobView {
        let state = match stage {
            Stage::Running | Stage::Lingering(_) => JobState::Running,
            Stage::Over(exit) => JobState::Ended { how: self.how(exit) },
        };
        let (id, command) = (self.id.clone(), self.command.clone());
        let (pid, bytes) = (self.running.pid(), self.running.printed().bytes);
        JobView { id, command, pid, why: self.why, state, since: self.running.elapsed(), bytes }
    }

    /// How it ended. Of what a shell left behind the shell's own exit says nothing.
    fn how(&self, exit: Exit) -> String {
        match (self.why, self.wish) {
            (Why::LeftBehind, Wish::Run) => "all its processes have exited".to_owned(),
            (Why::LeftBehind, Wish::End) => Exit::Aborted.to_string(),
            (Why::Asked | Why::AtOnce | Why::Moved, _) => exit.to_string(),
        }
    }

    fn has_ended(&self) -> bool {
        matches!(self.running.stage(), Stage::Over(_))
    }
}

fn known(ids: &[JobId]) -> String {
    match ids {
        [] => "none is running".to_owned(),
        ids => {
            let names: Vec<&str> = ids.iter().map(JobId::as_str).collect();
            format!("known: {}", names.join(", "))
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;
    use crate::os::process::{Children, Spawn, adopt_orphans};

    fn start(script: &str) -> Running {
        adopt_orphans().unwrap();
        let env = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
        Children::new().start(&Spawn { env, ..Spawn::new(["bash", "-c", script], "/") }).unwrap()
    }

    fn adopt(jobs: &Jobs, script: &str) -> JobId {
        jobs.adopt(script.to_owned(), start(script), Why::Asked, Mark::default())
    }

    /// Waits until the list is as wanted.
    async fn until(jobs: &Jobs, wanted: impl Fn(&[JobView]) -> bool) {
        let mut changed = jobs.changed();
        while !wanted(&jobs.list()) {
            changed.changed().await.unwrap();
        }
    }

    fn all_ended(list: &[JobView]) -> bool {
        list.iter().all(|view| view.state != JobState::Running)
    }

    #[tokio::test]
    async fn what_a_job_prints_is_given_out_once_and_its_end_with_the_last_of_it() {
        let jobs = Jobs::default();
        let id = adopt(&jobs, "echo one; read < <(sleep 0.2); echo two; exit 3");
        assert_eq!(id.as_str(), "bash_1");
        let mut given = Vec::new();
        let mut changed = jobs.changed();
        changed.mark_unchanged();
        assert_eq!(jobs.list()[0].state, JobState::Running);
        given.extend(jobs.take_new(&id).unwrap().output.whole().unwrap());
        changed.changed().await.unwrap();
        let last = jobs.take_new(&id).unwrap();
        given.extend(last.output.whole().unwrap());
        assert_eq!(String::from_utf8(given).unwrap(), "one\ntwo\n");
        assert_eq!((last.exit, last.is_old), (Some(Exit::Code(3)), false));
        assert_eq!(last.view.state, JobState::Ended { how: "exit code 3".to_owned() });
        assert!(jobs.list().is_empty(), "its end was told");
        assert!(jobs.take_new(&id).unwrap().is_old);
    }

    #[tokio::test]
    async fn an_unknown_id_is_told_which_there_are() {
        let jobs = Jobs::default();
        let error = jobs.take_new(&JobId::from("bash_9")).unwrap_err().to_string();
        assert_eq!(error, "no background command has the ID `bash_9` (none is running)");
        adopt(&jobs, "sleep 60");
        adopt(&jobs, "sleep 60");
        let error = jobs.kill(&JobId::from("x")).await.unwrap_err().to_string();
        assert_eq!(error, "no background command has the ID `x` (known: bash_1, bash_2)");
    }

    #[tokio::test]
    async fn a_kill_ends_one_and_leaves_the_others() {
        let jobs = Jobs::default();
        let (goes, stays) = (adopt(&jobs, "trap '' TERM; sleep 60; sleep 60"), adopt(&jobs, "sleep 60"));
        jobs.kill(&goes).await.unwrap();
        jobs.kill(&goes).await.unwrap();
        let states: Vec<JobState> = jobs.list().into_iter().map(|view| view.state).collect();
        assert_eq!(states, [JobState::Ended { how: "killed".to_owned() }, JobState::Running]);
        assert_eq!(jobs.list()[1].id, stays);
    }

    #[tokio::test]
    async fn of_the_ended_the_eldest_are_forgotten() {
        let jobs = Jobs::default();
        for _ in 0..ENDED {
            adopt(&jobs, "true");
        }
        until(&jobs, all_ended).await;
        jobs.take_new(&JobId::from("bash_7")).unwrap();
        for (gone, stays) in [("bash_7", "bash_1"), ("bash_1", "bash_2")] {
            adopt(&jobs, "true");
            let has = |list: &[JobView], id: &str| list.iter().any(|view| view.id.as_str() == id);
            until(&jobs, |list| all_ended(list) && !has(list, gone)).await;
            assert!(has(&jobs.list(), stays), "{stays}");
        }
        assert_eq!(jobs.list().len(), ENDED);
    }

    #[tokio::test]
    async fn a_move_reaches_what_runs_in_the_foreground_and_only_once() {
        let jobs = Jobs::default();
        assert_eq!(jobs.move_foreground(), 0);
        let (one, two) = (jobs.foreground(), jobs.foreground());
        drop(two);
        assert!(one.moved().now_or_never().is_none());
        assert_eq!((jobs.move_foreground(), jobs.move_foreground()), (1, 0));
        one.moved().await;
        drop(one);
        let next = jobs.foreground();
        assert!(next.moved().now_or_never().is_none());
    }

    #[tokio::test]
    async fn a_moved_command_has_no_time_limit_any_more() {
        let jobs = Jobs::default();
        let env = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
        let script = "read < <(sleep 0.3); echo through";
        let limit = Some(std::time::Duration::from_millis(100));
        let spawn = Spawn { env, limit, ..Spawn::new(["bash", "-c", script], "/") };
        let running = Children::new().start(&spawn).unwrap();
        let id = jobs.adopt(script.to_owned(), running, Why::Moved, Mark::default());
        until(&jobs, all_ended).await;
        let news = jobs.take_new(&id).unwrap();
        assert_eq!(
            (news.exit, news.output.whole().unwrap().as_slice()),
            (Some(Exit::Code(0)), &b"through\n"[..])
        );
    }
}
