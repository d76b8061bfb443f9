//! The first process inside: makes the view, gives up every privilege, starts the command, and waits for all of it.
//!
//! It takes in whatever loses its parent in there, as every first process must, and ends when it is the last; then the
//! namespaces end with it. If it is killed, all of them are. The surprise: it gives up its privileges before it starts
//! the command, as it needs none to wait, so nothing in there is worth attacking.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::fs::Mode;
use rustix::process::{
    DumpableBehavior, Gid, Pid, Uid, WaitOptions, chdir, getcwd, set_dumpable_behavior, umask, wait,
};

use super::super::plan::Network;
use super::super::words::{HELD, Order, Purpose};
use super::kernel::{Side, Waiting, double, let_signals_come, let_signals_wait};
use super::report::{Ended, Report, close_standard_streams};
use super::{Failure, Named, Plan, mounts, network, seal, told};

/// All of it, in namespaces that were just made.
pub(super) fn run(plan: &Plan<'_>, writing: OwnedFd) -> ExitCode {
    let found = found(plan.who, plan.order.profile.network);
    let inside = found.and_then(|()| furnish(plan)).and_then(|()| sealed(plan.order));
    go_on(inside, plan.order, plan.deaf_to, writing)
}

/// What is left to do where the view has been made by somebody else.
pub(super) fn run_in_view(order: &Order, writing: OwnedFd) -> ExitCode {
    go_on(sealed(order), order, let_signals_wait(), writing)
}

fn go_on(inside: Result<(), Failure>, order: &Order, deaf_to: Waiting, writing: OwnedFd) -> ExitCode {
    match inside {
        Ok(()) => hold(order, deaf_to, writing),
        Err(failure) => failed(failure, writing),
    }
}

/// Says it, and that there will be no command.
fn failed(failure: Failure, writing: OwnedFd) -> ExitCode {
    let code = told(Err(failure));
    Report::Failed.write(writing);
    code
}

/// Makes new namespaces one's own.
fn found(who: (Uid, Gid), network: Network) -> Result<(), Failure> {
    be_oneself(who).named("the user ID")?;
    // nobody in here needs more of them, and much of the kernel can be reached through them alone
    fs::write("/proc/sys/user/max_user_namespaces", "0").named("nested namespaces")?;
    match network {
        Network::Off => network::raise_loopback().named("the loopback"),
        Network::On => Ok(()),
    }
}

fn furnish(plan: &Plan<'_>) -> Result<(), Failure> {
    let cwd = getcwd(Vec::new()).named("the directory")?;
    // with the modes that are named, whatever the user's mask is
    let usual = umask(Mode::empty());
    let made = mounts::make(plan);
    umask(usual);
    made?;
    // the same directory again: where we stood is below what has been laid over it
    chdir(&cwd).named(format_args!("the directory {}", cwd.to_string_lossy()))
}

/// The user and the group keep their numbers; nobody else has one in here.
fn be_oneself(who: (Uid, Gid)) -> io::Result<()> {
    let (user, group) = (who.0.as_raw(), who.1.as_raw());
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

fn sealed(order: &Order) -> Result<(), Failure> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable).named("the helper's memory")?;
    seal::seal(&order.profile).named("privileges")
}

/// Starts the command and stays until nothing of it is left.
fn hold(order: &Order, deaf_to: Waiting, writing: OwnedFd) -> ExitCode {
    if order.purpose == Purpose::Trial {
        Report::Over(Ended::Code(HELD)).write(writing);
        return ExitCode::SUCCESS;
    }
    match double() {
        Ok(Side::Child) => {
            let_signals_come(deaf_to);
            told(Err(start(order)))
        }
        Ok(Side::Parent(command)) => {
            // whoever reads what the command says must not wait for us
            close_standard_streams();
            stay(command, writing)
        }
        Err(error) => failed(Failure { what: "another process".into(), source: error }, writing),
    }
}

/// Becomes the command; returns if that fails.
#[expect(clippy::disallowed_methods, reason = "it starts nothing: this process becomes the command")]
pub(super) fn start(order: &Order) -> Failure {
    let file = order.command.first().map_or(OsStr::new(""), |file| file);
    let mut command = Command::new(file);
    command.arg0(&order.name).args(order.command.iter().skip(1));
    // it gives SIGPIPE its usual meaning again, which every Rust program takes away from itself
    let source = command.exec();
    Failure { what: format!("{} cannot be started in the sandbox", file.to_string_lossy()), source }
}

fn stay(command: Pid, writing: OwnedFd) -> ExitCode {
    let ended = loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == command => break Ended::of(status),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => break Ended::Code(u8::MAX),
        }
    };
    if is_alone() {
        Report::Over(ended).write(writing);
        return ExitCode::SUCCESS;
    }
    Report::Lingering(ended).write(writing);
    while !matches!(wait(WaitOptions::empty()), Err(error) if error != rustix::io::Errno::INTR) {}
    ExitCode::SUCCESS
}

/// Takes in what has ended by now, and tells whether anything is left.
fn is_alone() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) => {}
            Ok(None) => return false,
            Err(_) => return true,
        }
    }
}
