//! All the processes that one command has started, to see whether some are left and to end them.
//!
//! A process group holds most of them, but `setsid` and double forks leave it. On Linux the program adopts
//! such orphans ([`adopt_orphans`]) and finds them in `/proc` by parent, session, group, or by a variable
//! that every command is started with. Elsewhere the group is all there is.
//!
//! The surprise: adopted orphans must be waited for, and `waitpid(-1)` would take the exit codes of other
//! children with them. Hence `roots`, the list of those that somebody else waits for: a static, as the
//! children of a process are one set whoever started them. And an orphan may bear no mark any more (`env -i`,
//! or a daemon that wrote its title over its environment): it is that command's whose group or session it is in, and if
//! nobody's, the youngest's that began before it did, of those that let anything leave their group.

use std::collections::HashSet;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpgid, waitpid};

use super::table::{self, Moment, Process, State};

/// The variable that marks everything a command starts, whatever it does to leave its group.
pub(super) const MARK: &str = "CLAWD_COMMAND_ID";
/// How long a killed process takes to be gone.
const DYING: Duration = Duration::from_millis(5);

static ROOTS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// The commands of which something may be left: each with the moment in which it began, if that tells anything of orphans.
static LIVING: Mutex<Vec<(Pid, Option<Moment>)>> = Mutex::new(Vec::new());

/// Makes this process the parent of what its commands leave behind; `main` calls it once, at the start.
///
/// Without it, and on systems that cannot do it, orphans go to the system's first process.
pub fn adopt_orphans() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(())
}

/// Ends everything that this process has adopted, whoever started it; `main` calls it last.
///
/// For what no family can claim: `env -i setsid server` has left its group, its session and its mark.
pub async fn end_orphans() {
    // a killed orphan leaves orphans of its own; twenty generations are enough for anyone
    for _ in 0..20 {
        let all = table::processes();
        reap(&all);
        let orphans: Vec<&Process> = orphans(&all).filter(|orphan| orphan.state == State::Alive).collect();
        if orphans.is_empty() {
            return;
        }
        for orphan in orphans {
            kill_process(orphan.pid, Signal::KILL).ok();
        }
        tokio::time::sleep(DYING).await;
    }
}

/// The direct children that are being waited for by number.
///
/// Starting a child and noting it happen under this lock, so that no reaper comes between.
pub(super) fn roots() -> MutexGuard<'static, Vec<Pid>> {
    ROOTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One command's processes.
#[derive(Debug)]
pub(super) struct Family {
    root: Pid,
    mark: String,
    /// None of one that leaves no orphans but in its group.
    began: Option<Moment>,
    /// Those of the last look: a dying process cannot be asked for its mark any more.
    known: HashSet<Pid>,
    root_is: Root,
    /// Whether a process may be in the root's group, or in its session: once there is none, the number may come to
    /// mean others.
    leads: Leads,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    /// Nobody else can have its number.
    OurChild,
    Reaped,
}

#[derive(Clone, Copy, Debug)]
struct Leads {
    group: bool,
    session: bool,
}

impl Family {
    /// `root` leads a process group of its own and was started with [`MARK`] set to `mark`.
    pub(super) fn new(root: Pid, mark: String) -> Self {
        Self::that_began(Some(table::began(root)), root, mark)
    }

    /// The same of a root that holds its command: what loses its parent in there finds one in there, so no orphan is its own
    /// but in its group.
    pub(super) fn of_a_group(root: Pid, mark: String) -> Self {
        Self::that_began(None, root, mark)
    }

    fn that_began(began: Option<Moment>, root: Pid, mark: String) -> Self {
        living().push((root, began));
        let leads = Leads { group: true, session: true };
        Self { root, mark, began, known: HashSet::new(), root_is: Root::OurChild, leads }
    }

    /// The root has been waited for; its number may be used again.
    pub(super) fn root_is_reaped(&mut self) {
        self.root_is = Root::Reaped;
        roots().retain(|root| *root != self.root);
    }

    /// Whether any process of the command still runs. Adopted ones that have ended are waited for.
    pub(super) fn is_alive(&mut self) -> bool {
        if nobody_adopted() && !self.has_group() {
            return false;
        }
        if self.root_is == Root::Reaped && self.has_living_group() {
            return true;
        }
        let all = table::processes();
        reap(&all);
        if all.is_empty() { self.has_group() } else { !self.members(&all).is_empty() }
    }

    /// Sends the signal to the group and to everyone who left it.
    ///
    /// A stopped process is woken to hear it.
    pub(super) fn signal(&mut self, signal: Signal) {
        // all at once first: what forks without end must not be chased one by one
        if self.leads.group {
            // gone or not ours: nothing to be done about either
            kill_process_group(self.root, signal).ok();
            kill_process_group(self.root, Signal::CONT).ok();
        }
        for member in self.members(&table::processes()) {
            kill_process(member.pid, signal).ok();
            kill_process(member.pid, Signal::CONT).ok();
        }
    }

    /// The living processes of this command.
    fn members(&mut self, all: &[Process]) -> Vec<Process> {
        let me = rustix::process::getpid();
        self.look_who_is_led(all);
        let mut found: HashSet<Pid> = HashSet::new();
        loop {
            let before = found.len();
            for process in all.iter().filter(|process| process.pid != me) {
                let born_here = process.parent.is_some_and(|parent| found.contains(&parent));
                if !found.contains(&process.pid) && (born_here || self.claims(process, me)) {
                    found.insert(process.pid);
                }
            }
            if found.len() == before {
                break;
            }
        }
        self.known = found;
        let alive = |process: &&Process| process.state == State::Alive && self.known.contains(&process.pid);
        all.iter().filter(alive).copied().collect()
    }

    fn look_who_is_led(&mut self, all: &[Process]) {
        if self.root_is == Root::Reaped && !all.is_empty() {
            self.leads.group &= all.iter().any(|process| process.group == Some(self.root));
            self.leads.session &= all.iter().any(|process| process.session == Some(self.root));
        }
    }

    /// Two system calls in the place of a walk through `/proc`, each second for each job.
    fn has_living_group(&self) -> bool {
        // of what ended in it we wait for what is ours; the root, which is somebody else's, has been waited for
        while self.leads.group && matches!(waitpgid(self.root, WaitOptions::NOHANG), Ok(Some(_))) {}
        self.has_group()
    }

    fn has_group(&self) -> bool {
        self.leads.group && rustix::process::test_kill_process_group(self.root).is_ok()
    }

    fn claims(&self, process: &Process, me: Pid) -> bool {
        let is_root = self.root_is == Root::OurChild && process.pid == self.root;
        let is_led = self.leads.group && process.group == Some(self.root)
            || self.leads.session && process.session == Some(self.root);
        // the root itself too: it may be on its way into its own session
        if is_root || is_led || self.known.contains(&process.pid) {
            return true;
        }
        // reading environments is dear: only of orphans
        let adopted = process.parent == Some(me);
        let orphan = adopted || process.parent.is_none_or(Pid::is_init);
        if !orphan || roots().contains(&process.pid) {
            return false;
        }
        if let Some(mark) = table::mark_of(process.pid) {
            return mark == self.mark;
        }
        let is_ours = process.group == Some(rustix::process::getpgrp());
        // when it began is asked last, and only of one that nobody leads
        adopted && !is_ours && !is_led_by_a_root(process) && self.is_nearest(process.began)
    }

    /// Whether of all commands this was the last to begin before `moment`.
    fn is_nearest(&self, moment: Moment) -> bool {
        let living = living();
        let earlier = living.iter().filter_map(|(root, began)| Some((*root, (*began)?)));
        let nearest = earlier.filter(|(_, began)| *began <= moment).max_by_key(|(_, began)| *began);
        nearest.is_some_and(|(root, began)| (root, Some(began)) == (self.root, self.began))
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        living().retain(|one| *one != (self.root, self.began));
    }
}

/// Whether it is in the group or the session of a living command, whose it is then, whenever that began.
fn is_led_by_a_root(process: &Process) -> bool {
    living().iter().any(|(root, _)| [process.group, process.session].contains(&Some(*root)))
}

fn living() -> MutexGuard<'static, Vec<(Pid, Option<Moment>)>> {
    LIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for orphans that have ended.
fn reap(all: &[Process]) {
    for orphan in orphans(all).filter(|orphan| orphan.state == State::Ended) {
        let roots = roots();
        if !roots.contains(&orphan.pid) {
            waitpid(Some(orphan.pid), WaitOptions::NOHANG).ok();
        }
    }
}

/// Children that nobody waits for. Those in our own group were started by somebody else.
fn orphans(all: &[Process]) -> impl Iterator<Item = &Process> {
    let (me, my_group) = (Some(rustix::process::getpid()), Some(rustix::process::getpgrp()));
    let known = roots().clone();
    all.iter().filter(move |process| {
        process.parent == me && process.group != my_group && !known.contains(&process.pid)
    })
}

/// Spares the walk through `/proc` after most commands: what is left of one whose root has ended was adopted by us.
fn nobody_adopted() -> bool {
    match table::own_children() {
        Some(children) => {
            let roots = roots();
            children.iter().all(|child| roots.contains(child))
        }
        None => false,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    fn pid(raw: i32) -> Option<Pid> {
        Pid::from_raw(raw)
    }

    #[test]
    fn a_family_is_told_by_group_by_session_and_by_birth() {
        let mut family = Family::new(pid(1_000_010).unwrap(), "no such mark".into());
        let process = |number, parent, group, session, state| Process {
            pid: pid(number).unwrap(),
            parent: pid(parent),
            group: pid(group),
            session: pid(session),
            state,
            began: 0,
        };
        let all = [
            process(1_000_014, 1_000_013, 1_000_014, 1_000_014, State::Alive),
            process(1_000_013, 1_000_011, 1_000_013, 1_000_013, State::Ended),
            process(1_000_011, 1_000_010, 1_000_010, 5, State::Alive),
            process(1_000_012, 1, 1_000_012, 1_000_010, State::Alive),
            process(1_000_020, 1, 1_000_020, 5, State::Alive),
        ];
        let mut numbers: Vec<i32> =
            family.members(&all).iter().map(|member| member.pid.as_raw_nonzero().get()).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [1_000_011, 1_000_012, 1_000_014]);
    }

    #[test]
    fn an_orphan_that_hides_its_mark_is_of_the_command_whose_group_or_session_it_is_in() {
        let orphan = |group, session| Process {
            pid: pid(1_000_092).unwrap(),
            parent: Some(rustix::process::getpid()),
            group: pid(group),
            session: pid(session),
            state: State::Alive,
            began: Moment::MAX,
        };
        let mut older = Family::that_began(Some(Moment::MAX - 1), pid(1_000_080).unwrap(), "older".into());
        let mut in_a_room = Family::of_a_group(pid(1_000_090).unwrap(), "room".into());
        for led in [orphan(1_000_090, 5), orphan(1_000_092, 1_000_090)] {
            assert!(older.members(&[led]).is_empty(), "it is the other's");
            assert_eq!(in_a_room.members(&[led]).len(), 1);
            in_a_room.known.clear();
        }
        let in_nobodys = orphan(1_000_092, 1_000_092);
        assert!(in_a_room.members(&[in_nobodys]).is_empty(), "none but in its group is of a room");
        assert_eq!(older.members(&[in_nobodys]).len(), 1, "one in nobody's group is of the nearest");
    }

    #[test]
    fn a_number_that_is_free_again_means_nothing() {
        let mut family = Family::new(pid(1_000_040).unwrap(), "no such mark".into());
        let process = |number, group| Process {
            pid: pid(number).unwrap(),
            parent: pid(1),
            group: pid(group),
            session: pid(1_000_040),
            state: State::Alive,
            began: 0,
        };
        family.root_is_reaped();
        assert_eq!(family.members(&[process(1_000_041, 1_000_040)]).len(), 1);
        let elsewhere = Process { session: pid(5), ..process(1_000_050, 1_000_050) };
        assert!(family.members(&[elsewhere]).is_empty());
        let stranger = process(1_000_040, 1_000_040);
        assert!(family.members(&[stranger]).is_empty(), "the number is another's now");
        assert!(!family.has_group());
    }

    #[test]
    fn who_was_seen_once_stays_known() {
        let mut family = Family::new(pid(1_000_070).unwrap(), "no such mark".into());
        let process = |parent| Process {
            pid: pid(1_000_071).unwrap(),
            parent: pid(parent),
            group: pid(1_000_071),
            session: pid(1_000_071),
            state: State::Alive,
            began: 0,
        };
        assert_eq!(family.members(&[process(1)]), [], "a stranger");
        let root = Process { pid: pid(1_000_070).unwrap(), ..process(5) };
        assert_eq!(family.members(&[root, process(1_000_070)]).len(), 2, "its child");
        assert_eq!(family.members(&[process(1)]).len(), 1, "its child, with another parent now");
    }

    #[test]
    fn without_a_mark_the_command_that_began_last_before_it_counts() {
        let family = |number, began| {
            let mut family = Family::new(pid(number).unwrap(), String::new());
            living().retain(|(root, _)| Some(*root) != pid(number));
            living().push((pid(number).unwrap(), Some(began)));
            family.began = Some(began);
            family
        };
        // far in the future, where no real command is
        let far = Moment::MAX - 200;
        let (older, younger) = (family(1_000_060, far), family(1_000_061, far + 10));
        let check = |moment, expected: [bool; 2]| {
            assert_eq!([older.is_nearest(moment), younger.is_nearest(moment)], expected, "{moment}");
        };
        check(far - 1, [false, false]);
        check(far, [true, false]);
        check(far + 10, [false, true]);
        check(far + 20, [false, true]);
        drop(younger);
        assert!(older.is_nearest(far + 20));
    }

    #[test]
    fn an_orphan_is_a_child_that_nobody_waits_for() {
        let (me, my_group) = (rustix::process::getpid(), rustix::process::getpgrp());
        let child = |number, group| Process {
            pid: pid(number).unwrap(),
            parent: Some(me),
            group: Some(group),
            session: None,
            state: State::Alive,
            began: 0,
        };
        let somewhere = pid(1_000_030).unwrap();
        let of_another = Process { parent: pid(1), ..child(1_000_031, somewhere) };
        roots().push(pid(1_000_032).unwrap());
        let all = [
            child(1_000_033, my_group),
            of_another,
            child(1_000_032, somewhere),
            child(1_000_034, somewhere),
        ];
        let found: Vec<i32> = orphans(&all).map(|orphan| orphan.pid.as_raw_nonzero().get()).collect();
        roots().retain(|root| root.as_raw_nonzero().get() != 1_000_032);
        assert_eq!(found, [1_000_034]);
    }
}
