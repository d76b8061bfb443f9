//! The helper: our own program, started again in the place of a command to make the view in which that runs.
//!
//! It has one thread and has opened nothing, so it may do what the program itself must not. Three processes come of it.
//! This one stays outside: it makes what must be made on the host's disk (`stubs`, `scratch`), waits, and ends exactly as
//! the command ended. The second is the first process of the new namespaces (`init`): it makes the view (`mounts`),
//! gives up every privilege (`seal`), starts the command as the third, and lives until nothing in there is left.
//!
//! The surprise: this process ends when the command has ended, though what it left in the background lives on; a program
//! that waits for its command must not wait for that. Where something on the host's disk is still in use then, one more
//! process is left to put it away.

pub(super) mod bare;
mod bwrap;
mod init;
mod kernel;
mod links;
mod mounts;
mod network;
mod report;
mod scratch;
mod seal;
mod stubs;

use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::ExitCode;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Gid, Pid, PidfdFlags, Resource, Uid, WaitOptions, WaitStatus};

use self::kernel::{Alone, Side, Waiting};
use self::report::{Ended, Report};
use self::scratch::Scratch;
use self::stubs::Stubs;
use super::plan::{Network, Profile};
use super::steps::{self, Kind, View};
use super::words::{HELD, HELPER, INSIDE, Maker, Order, Purpose, RESTRICTED};
use super::{FAILED, FAILED_CODE, landlock_tier};

/// How much sooner than others a command is ended when memory runs out; see `os/restrain.rs`, which says it of the process that it
/// started, and that is not the one that uses the memory.
const SOONER: i32 = 300;

/// Why the command could not be held: what was to be done, and what the system said.
#[derive(Debug, thiserror::Error)]
#[error("{what}: {source}")]
pub(super) struct Failure {
    what: String,
    source: io::Error,
}

/// Gives an error the name of what failed.
pub(super) trait Named<T> {
    fn named(self, what: impl Display) -> Result<T, Failure>;
}

impl<T, E: Into<io::Error>> Named<T> for Result<T, E> {
    fn named(self, what: impl Display) -> Result<T, Failure> {
        self.map_err(|error| Failure { what: what.to_string(), source: error.into() })
    }
}

/// Puts away what was left on the host's disk by helpers that were killed.
pub(super) fn tidy_up(profile: &Profile) {
    // what is there is taken part in, and what nobody else relies on goes
    if let Ok(stubs) = Stubs::make(profile) {
        stubs.put_away();
    }
}

/// Removes a session's scratch directory.
pub(super) fn remove_scratch(root: &Path) -> io::Result<()> {
    scratch::remove(root)
}

/// Whether a stub stands at this path.
pub(super) fn is_placeholder(path: &Path) -> bool {
    stubs::is_one(path)
}

/// Runs the helper if these are the arguments of one; asked before anything else is done.
pub(super) fn dispatch(arguments: &[OsString]) -> Option<ExitCode> {
    let mut arguments = arguments.iter().skip(1).cloned();
    let first = arguments.next()?;
    if first == HELPER {
        Some(Order::of(arguments).map_or_else(not_understood, |order| told(outside(&order))))
    } else if first == RESTRICTED {
        Some(Order::of(arguments).map_or_else(not_understood, |order| told(restricted(&order))))
    } else if first == INSIDE {
        Some(bwrap::inside(arguments))
    } else {
        None
    }
}

fn not_understood() -> ExitCode {
    told(Err(Failure { what: "the helper".into(), source: io::ErrorKind::InvalidInput.into() }))
}

/// Says on standard error what failed, if something did.
#[expect(clippy::print_stderr, reason = "the helper runs instead of the command and has no other output")]
fn told(done: Result<ExitCode, Failure>) -> ExitCode {
    done.unwrap_or_else(|failure| {
        eprintln!("{FAILED}: {failure}");
        ExitCode::from(FAILED_CODE)
    })
}

/// What the host's disk and the order come to, before anything is made.
struct Plan<'a> {
    order: &'a Order,
    view: View,
    scratch: Option<Scratch>,
    /// The user and the group, who have no number in a new namespace until they are given one.
    who: (Uid, Gid),
    /// The signals that did not reach us, and are not to reach the command either.
    deaf_to: Waiting,
}

/// The process that stays outside.
fn outside(order: &Order) -> Result<ExitCode, Failure> {
    alone_in_its_group(order).named("open files")?;
    let scratch = Scratch::prepare(&order.profile)?;
    let stubs = Stubs::make(&order.profile)?;
    let plan = Plan {
        order,
        view: steps::view(&order.profile, &kind_of),
        scratch,
        who: (rustix::process::geteuid(), rustix::process::getegid()),
        deaf_to: kernel::let_signals_wait(),
    };
    let begun = begin(&plan);
    drop(plan);
    match begun {
        Ok(Begun::Inside(code)) => Ok(code),
        Ok(Begun::Outside(init, reading)) => Ok(wait(init, reading, stubs)),
        Err(failure) => {
            stubs.put_away();
            Err(failure)
        }
    }
}

/// Restricts this process and becomes the command.
fn restricted(order: &Order) -> Result<ExitCode, Failure> {
    alone_in_its_group(order).named("open files")?;
    landlock_tier::restrict(&order.profile)
        .map_err(|(what, source)| Failure { what: what.to_owned(), source })?;
    match order.purpose {
        Purpose::Trial => Ok(ExitCode::from(HELD)),
        Purpose::Command => Err(init::start(order)),
    }
}

/// Where a process finds itself once there are two.
enum Begun {
    /// It was the one inside, and has ended like this.
    Inside(ExitCode),
    /// It is the one outside, and can hear from the other.
    Outside(Pid, OwnedFd),
}

fn begin(plan: &Plan<'_>) -> Result<Begun, Failure> {
    let order = plan.order;
    let (reading, writing) = report::channel().named("a pipe")?;
    let made = match &order.maker {
        Maker::Ourselves => kernel::double_apart(alone(order.profile.network)),
        Maker::Bubblewrap(_) => kernel::double(),
    };
    match made.named("namespaces, which this system may not allow")? {
        Side::Parent(init) => Ok(Begun::Outside(init, reading)),
        Side::Child => Ok(Begun::Inside(match &order.maker {
            Maker::Ourselves => init::run(plan, writing),
            Maker::Bubblewrap(program) => told(bwrap::start(program, plan, &writing)),
        })),
    }
}

fn alone(network: Network) -> Alone {
    match network {
        Network::Off => Alone::All,
        Network::On => Alone::ButNetwork,
    }
}

/// What the program asks of every helper before all else.
fn alone_in_its_group(order: &Order) -> io::Result<()> {
    kernel::close_on_start()?;
    if order.purpose == Purpose::Command {
        apart();
        end_sooner();
    }
    Ok(())
}

/// Away from the program's terminal, unless whoever started us has put us into a group of our own already.
fn apart() {
    if rustix::process::getpgrp() != rustix::process::getpid() {
        // refused only to a leader of a group, which this is not
        rustix::process::setsid().ok();
    }
}

/// Inherited by the command; that it cannot be set keeps nobody from running.
fn end_sooner() {
    let file = "/proc/self/oom_score_adj";
    let own = fs::read_to_string(file).ok().and_then(|own| own.trim().parse::<i32>().ok());
    if let Some(own) = own {
        fs::write(file, (own + SOONER).min(1000).to_string()).ok();
    }
}

/// Waits for the command, puts away what was made on the host's disk, and ends as the command did.
fn wait(init: Pid, reading: OwnedFd, stubs: Stubs) -> ExitCode {
    let until_gone = || rustix::process::waitpid(Some(init), WaitOptions::empty()).ok().flatten();
    match Report::read(reading) {
        Some(Report::Lingering(ended)) => left_alone(init, stubs, ended),
        Some(Report::Over(ended)) => {
            // nobody in there relies on them any more, and what is put away meanwhile need not be afterwards
            stubs.put_away();
            until_gone();
            end_as(ended)
        }
        Some(Report::Failed) | None => {
            let status = until_gone();
            stubs.put_away();
            // whoever was killed before it could say anything was killed together with the command
            let killed = status.and_then(|(_, status)| status.terminating_signal()).map(Ended::Signal);
            killed.map_or(ExitCode::from(FAILED_CODE), end_as)
        }
    }
}

/// As long as something lives in there it relies on what was made outside: somebody stays who puts it away.
fn left_alone(init: Pid, stubs: Stubs, ended: Ended) -> ExitCode {
    if stubs.is_empty() {
        return end_as(ended);
    }
    stubs.check_trees();
    let gone = rustix::process::pidfd_open(init, PidfdFlags::empty());
    match (gone, kernel::double()) {
        (Ok(gone), Ok(Side::Child)) => {
            // the output must end with the last that the command left, and not with us
            report::close_standard_streams();
            poll(&mut [PollFd::new(&gone, PollFlags::IN)], None).ok();
            stubs.put_away();
            ExitCode::SUCCESS
        }
        // what cannot be put away now is by the next command
        (Err(_), Ok(Side::Child)) => ExitCode::SUCCESS,
        (_, Ok(Side::Parent(_)) | Err(_)) => end_as(ended),
    }
}

/// Ends this process in the same way.
fn end_as(ended: Ended) -> ExitCode {
    match ended {
        Ended::Code(code) => ExitCode::from(code),
        Ended::Signal(signal) => {
            // the command has left its own memory behind, if anybody wants that
            let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
            rustix::process::setrlimit(Resource::Core, none).ok();
            kernel::end_by(signal);
            ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX))
        }
    }
}

impl Ended {
    fn of(status: WaitStatus) -> Self {
        match status.terminating_signal() {
            Some(signal) => Self::Signal(signal),
            // the system has no codes above 255
            None => {
                Self::Code(status.exit_status().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX))
            }
        }
    }
}

fn kind_of(path: &Path) -> Kind {
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => Kind::Directory,
        Ok(meta) if meta.is_symlink() => Kind::Link,
        Ok(_) => Kind::File,
        Err(_) => Kind::Absent,
    }
}
