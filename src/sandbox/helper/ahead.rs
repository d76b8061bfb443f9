//! A room that is begun before there is a command for it: the namespaces are there, and nobody has looked at the disk.
//!
//! The process outside waits at its standard input for the command, and the first process inside waits for it, with the
//! devices that every room has. What is asked of the disk (stubs, the view, the session's own directory) is asked when the
//! command is known, so nothing in here can be of yesterday but one: the table of mounts, of which the room has a copy. Where
//! that has changed, or the room is gone or will not do, it is given up and the command gets one that is made now; nobody
//! hears of it.
//!
//! A room that waits has read nothing that anybody wrote, holds no directory but `/`, and leaves nothing on the disk. The
//! surprise: it has not given up its privileges, for it needs them to make the view. They are worth nothing outside of it, and
//! nobody but the program can tell it anything.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::process::ExitCode;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, fcntl_dupfd_cloexec};
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, Shutdown, SocketFlags, SocketType, recv, send, shutdown, socketpair,
};
use rustix::process::{Gid, Pid, Uid, WaitOptions, chdir, waitpid};
use rustix::stdio::{dup2_stdin, stdin};

use super::super::plan::{Network, Profile};
use super::super::steps::{self, View};
use super::super::words::{HELPER, Maker, Order, view_of, words_of_view};
use super::init::{self, Environment};
use super::kernel::{self, Alone, Side, Waiting};
use super::mounts;
use super::report;
use super::scratch::Scratch;
use super::stubs::Stubs;
use super::{FAILED_CODE, Failure, Named, Plan, apart, end_sooner, held, kind_of, wait};
use crate::os::ahead::told::{MOST, Told};

/// What the process outside tells the one inside: the command, and the view before it.
const MOST_INSIDE: usize = MOST + 64 * 1024;
const READY: &[u8] = b"r";
const NOW: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// What both processes of a room know from the beginning.
#[derive(Clone, Copy)]
struct Ground {
    who: (Uid, Gid),
    deaf_to: Waiting,
}

/// Both processes, from their beginning.
pub(super) fn begin() -> Result<ExitCode, Failure> {
    kernel::close_on_start().named("open files")?;
    apart();
    end_sooner();
    let program = take_stdin().named("the socket to clawd")?;
    let mounts = File::open("/proc/self/mountinfo").named("the mount table")?;
    let who = (rustix::process::geteuid(), rustix::process::getegid());
    let ground = Ground { who, deaf_to: kernel::let_signals_wait() };
    let (reading, writing) = report::channel().named("a pipe")?;
    let (inside, outside) = pair().named("a socket")?;
    match kernel::double_apart(Alone::All).named("namespaces, which this system may not allow")? {
        Side::Child => {
            drop((reading, inside, mounts));
            Ok(wait_inside(ground, program, &outside, writing))
        }
        Side::Parent(init) => {
            drop((writing, outside));
            Room { ground, program, inside, mounts, init, reading }.wait_outside()
        }
    }
}

/// The standard input becomes empty, as a command's is.
fn take_stdin() -> io::Result<OwnedFd> {
    let line = fcntl_dupfd_cloexec(stdin(), 3)?;
    dup2_stdin(File::open("/dev/null")?)?;
    Ok(line)
}

fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// The room, seen from outside.
struct Room {
    ground: Ground,
    program: OwnedFd,
    inside: OwnedFd,
    /// Says when it has changed.
    mounts: File,
    init: Pid,
    reading: OwnedFd,
}

/// Whether the room can still be used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Fits,
    Stale,
}

impl Room {
    fn wait_outside(self) -> Result<ExitCode, Failure> {
        let Some((message, fit)) = self.hear().named("the socket to clawd")? else {
            self.give_up().named("the sandbox")?;
            // nobody asks how it ended; whoever does must not take it for a command that went well
            return Ok(ExitCode::from(FAILED_CODE));
        };
        let Some((order, told)) = understood(&message) else { return Ok(super::not_understood()) };
        if fit == Fit::Stale || !is_for(&order, &told) {
            return self.made_anew(&order, &told);
        }
        match self.furnish(&order, &message) {
            Ok(Some(stubs)) => Ok(wait(self.init, self.reading, stubs)),
            Ok(None) => self.made_anew(&order, &told),
            Err(failure) => {
                self.give_up().named("the sandbox")?;
                Err(failure)
            }
        }
    }

    /// Makes what must be made outside, and tells the process inside; `None` if that cannot be told, or not at once.
    fn furnish(&self, order: &Order, message: &[u8]) -> Result<Option<Stubs>, Failure> {
        let stubs = Stubs::make(&order.profile)?;
        let message = message_inside(&steps::view(&order.profile, &kind_of), message);
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        if message.len() <= MOST_INSIDE && send(&self.inside, &message, flags) == Ok(message.len()) {
            return Ok(Some(stubs));
        }
        stubs.put_away();
        Ok(None)
    }

    /// Waits for the command; `None` if there will be none.
    fn hear(&self) -> io::Result<Option<(Vec<u8>, Fit)>> {
        let (heard, fit) = self.look(None)?;
        if fit == Fit::Stale {
            // from here on nothing more can be said; what was said before is still to be heard
            shutdown(&self.program, Shutdown::Read)?;
        } else if !heard {
            return Ok(None);
        }
        let Some(message) = receive(&self.program, MOST)? else { return Ok(None) };
        // the two may have come together
        let fit = if fit == Fit::Stale { fit } else { self.look(Some(&NOW))?.1 };
        Ok(Some((message, fit)))
    }

    /// Waits for whatever comes first: whether something was said, and how the room is.
    fn look(&self, at_most: Option<&Timespec>) -> io::Result<(bool, Fit)> {
        let mut all = [
            PollFd::new(&self.program, PollFlags::IN),
            PollFd::new(&self.inside, PollFlags::IN),
            PollFd::new(&self.mounts, PollFlags::PRI),
        ];
        while let Err(error) = poll(&mut all, at_most) {
            if error != Errno::INTR {
                return Err(error.into());
            }
        }
        let [program, inside, mounts] = all.map(|polled| !polled.revents().is_empty());
        Ok((program, if inside || mounts { Fit::Stale } else { Fit::Fits }))
    }

    /// Ends it, and waits for that.
    fn give_up(self) -> io::Result<()> {
        let Self { program, inside, init, .. } = self;
        drop((program, inside));
        Ok(waitpid(Some(init), WaitOptions::empty()).map(drop)?)
    }

    /// Another room for the command, after this one has ended.
    fn made_anew(self, order: &Order, told: &Told) -> Result<ExitCode, Failure> {
        let deaf_to = self.ground.deaf_to;
        self.give_up().named("the sandbox")?;
        // as they were, for what is made now makes them wait again
        kernel::let_signals_come(deaf_to);
        chdir(&told.cwd).named(told.cwd.display())?;
        held(order, Environment::Told(&told.env))
    }
}

/// Whether such a room will do for the command.
fn is_for(order: &Order, told: &Told) -> bool {
    let is_of_our_making = order.maker == Maker::Ourselves && order.profile.network == Network::Off;
    is_of_our_making && !names_what_is_covered(&order.profile, told)
}

/// Whether something would have to be taken hold of where the room has its own already: a workspace in shared memory.
fn names_what_is_covered(profile: &Profile, told: &Told) -> bool {
    let Profile { writable, protected, own, masked, caches, scratch, shown, network: _ } = profile;
    let all = [writable, protected, own, masked, caches, shown].into_iter().flatten();
    all.chain(scratch).chain([&told.cwd]).any(|path| mounts::is_covered(path))
}

/// The first process inside.
fn wait_inside(ground: Ground, program: OwnedFd, outside: &OwnedFd, writing: OwnedFd) -> ExitCode {
    let Ground { who, deaf_to } = ground;
    let ready = || {
        init::begin(who)?;
        send(&program, READY, SendFlags::NOSIGNAL).named("the socket to clawd")
    };
    if let Err(failure) = ready() {
        return init::failed(failure, writing);
    }
    drop(program);
    let message = match receive(outside, MOST_INSIDE).named("the sandbox") {
        Ok(Some(message)) => message,
        // whoever is gone needs no room
        Ok(None) => return ExitCode::SUCCESS,
        Err(failure) => return init::failed(failure, writing),
    };
    let Some((view, (order, heard))) = understood_inside(&message) else { return super::not_understood() };
    let plan = || {
        chdir(&heard.cwd).named(format_args!("the directory {}", heard.cwd.display()))?;
        let scratch = Scratch::prepare(&order.profile)?;
        Ok(Plan { order: &order, environment: Environment::Told(&heard.env), view, scratch, who, deaf_to })
    };
    match plan() {
        Ok(plan) => init::run_begun(&plan, writing),
        Err(failure) => init::failed(failure, writing),
    }
}

/// One message; `None` at the end of the line.
fn receive(line: &OwnedFd, most: usize) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let mut flags = RecvFlags::PEEK | RecvFlags::TRUNC;
    loop {
        match recv(line, bytes.as_mut_slice(), flags) {
            Ok((_, 0)) => return Ok(None),
            Ok((_, length)) if length > most => return Err(io::ErrorKind::InvalidData.into()),
            // seen, and read now that there is room for it
            Ok((_, length)) if length > bytes.len() => {
                bytes.resize(length, 0);
                flags = RecvFlags::empty();
            }
            Ok(_) => return Ok(Some(bytes)),
            // torn by whoever had it made and did not hear that it was ready: the end comes next
            Err(Errno::INTR | Errno::CONNRESET) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// The order and all else that a message says.
fn understood(message: &[u8]) -> Option<(Order, Told)> {
    let mut told = Told::of(message)?;
    let mut words = std::mem::take(&mut told.words).into_iter();
    words.next().filter(|first| first == HELPER)?;
    Some((Order::of(words)?, told))
}

/// The words of the view, an empty one, and the message.
fn message_inside(view: &View, message: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for word in words_of_view(view) {
        bytes.extend_from_slice(word.as_encoded_bytes());
        bytes.push(0);
    }
    bytes.push(0);
    bytes.extend_from_slice(message);
    bytes
}

fn understood_inside(bytes: &[u8]) -> Option<(View, (Order, Told))> {
    let end = bytes.windows(2).position(|pair| pair == [0, 0])?;
    let (words, message) = bytes.split_at_checked(end + 2)?;
    let word = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    let words = words.strip_suffix(&[0, 0])?.split(|byte| *byte == 0).map(word);
    Some((view_of(words)?, understood(message)?))
}
