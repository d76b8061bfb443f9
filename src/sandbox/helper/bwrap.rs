//! The same view, made by `bwrap`: for systems that refuse namespaces to all programs but the ones they know.
//!
//! Only the namespaces and the mounts are its affair. The first process inside is our helper again, so the command is
//! started, waited for and reported as without it. What it cannot do: caches stay read-only, as overlays came to it later
//! than to most systems, and a pinned directory is shown by its path, links followed.
//!
//! The surprise: our own file is handed in open, as a number, for its path may be hidden inside.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::getcwd;

use super::super::plan::Network;
use super::super::steps::{Base, Kind, Step};
use super::super::words::{INSIDE, Order};
use super::{Failure, Named, Plan, init, kernel, not_understood, told};

/// Becomes `bwrap`; returns if that fails.
#[expect(clippy::disallowed_methods, reason = "it starts nothing: this process becomes the other program")]
pub(super) fn start(program: &Path, plan: &Plan<'_>, writing: &OwnedFd) -> Result<ExitCode, Failure> {
    let ourselves =
        openat(CWD, "/proc/self/exe", OFlags::PATH, Mode::empty()).named("the helper's executable")?;
    fcntl_setfd(writing, FdFlags::empty()).named("a pipe")?;
    kernel::let_signals_come(plan.deaf_to);
    let mut command = Command::new(program);
    command.args(shape(plan)?).arg("--");
    command.arg(format!("/proc/self/fd/{}", ourselves.as_raw_fd()));
    command.arg(INSIDE).arg(writing.as_raw_fd().to_string());
    command.args(plan.order.words()).args(&plan.order.command);
    Err(Failure { what: program.display().to_string(), source: command.exec() })
}

/// Inside: what is left to do. The first word is the number of the pipe.
pub(super) fn inside(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let pipe = words.next().and_then(|word| word.into_string().ok());
    let (Some(pipe), Some(order)) = (pipe, Order::of(words)) else { return not_understood() };
    let begun = || {
        kernel::close_on_start()?;
        Ok::<_, io::Error>(File::options().write(true).open(format!("/proc/self/fd/{pipe}"))?.into())
    };
    match begun().named("the helper's pipe") {
        Ok(writing) => init::run_in_view(&order, writing),
        Err(failure) => told(Err(failure)),
    }
}

fn shape(plan: &Plan<'_>) -> Result<Vec<OsString>, Failure> {
    let cwd = getcwd(Vec::new()).named("the directory")?;
    let cwd = OsString::from_vec(cwd.into_bytes());
    let profile = &plan.order.profile;
    let mut shape = Shape(Vec::new());
    shape.add("--unshare-user", &[]);
    shape.add("--unshare-pid", &[]);
    shape.add("--unshare-ipc", &[]);
    match profile.network {
        Network::Off => shape.add("--unshare-net", &[]),
        Network::On => {}
    }
    let root = Path::new("/");
    match plan.view.base {
        Base::ReadOnly => shape.add("--ro-bind", &[root, root]),
        Base::Writable => shape.add("--bind", &[root, root]),
    }
    for step in &plan.view.steps {
        shape.step(step, plan);
    }
    for step in &plan.view.steps {
        if let Step::Thinned(at) = step {
            shape.add("--remount-ro", &[at]);
        }
    }
    shape.add("--proc", &[Path::new("/proc")]);
    if plan.who.0.is_root() {
        // the superuser's number alone may change the system through some of its files
        shape.add("--remount-ro", &[Path::new("/proc")]);
    }
    shape.add("--chdir", &[Path::new(&cwd)]);
    shape.add("--as-pid-1", &[]);
    Ok(shape.0)
}

/// The words for `bwrap`.
struct Shape(Vec<OsString>);

impl Shape {
    fn add(&mut self, option: &str, paths: &[&Path]) {
        self.0.push(option.into());
        self.0.extend(paths.iter().map(|path| path.as_os_str().to_owned()));
    }

    fn step(&mut self, step: &Step, plan: &Plan<'_>) {
        match step {
            Step::Devices => self.add("--dev", &[Path::new("/dev")]),
            Step::Open(at) => self.add("--bind", &[at, at]),
            Step::Closed(at) => self.add("--ro-bind", &[at, at]),
            Step::Hidden(at, Kind::Directory) => {
                self.add("--tmpfs", &[at]);
                self.add("--remount-ro", &[at]);
            }
            // a device where devices mean nothing: it cannot be opened
            Step::Hidden(at, Kind::File | Kind::Link | Kind::Absent) => {
                self.add("--ro-bind", &[Path::new("/dev/null"), at]);
            }
            Step::Thinned(at) => self.add("--tmpfs", &[at]),
            Step::Temporary(at) => match &plan.scratch {
                Some(scratch) if plan.order.profile.writable.is_empty() => {
                    self.add("--ro-bind", &[&scratch.tmp, at]);
                }
                Some(scratch) => self.add("--bind", &[&scratch.tmp, at]),
                None => self.add("--tmpfs", &[at]),
            },
            Step::Cache(_) => {}
        }
    }
}
