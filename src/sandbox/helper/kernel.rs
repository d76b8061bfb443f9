//! The few system calls of the helper that no crate gives safely.
//!
//! Not a binding: each function does what the helper needs and no more. What makes them sound is that the helper has one
//! thread, so nobody holds a lock that a copy of the process would wait for, and that none of them is handed memory
//! but the arguments built here.

use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::ptr;

use rustix::process::Pid;

/// Which of the two a process is after it was doubled.
pub(super) enum Side {
    /// The one that was there, and the number of the other.
    Parent(Pid),
    Child,
}

/// What of the machine a new process sees alone, beside users, mounts, processes and what they share.
#[derive(Clone, Copy, Debug)]
pub(super) enum Alone {
    ButNetwork,
    All,
}

/// Doubles the process.
#[expect(unsafe_code, reason = "no crate gives fork safely")]
pub(super) fn double() -> io::Result<Side> {
    // SAFETY: there is one thread, so the copy may do all that this process may.
    side(libc::c_long::from(unsafe { libc::fork() }))
}

/// Doubles the process, and puts the copy into namespaces of its own.
#[expect(unsafe_code, reason = "no crate gives clone3 safely")]
pub(super) fn double_apart(alone: Alone) -> io::Result<Side> {
    let own = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC;
    let flags = match alone {
        Alone::ButNetwork => own,
        Alone::All => own | libc::CLONE_NEWNET,
    };
    let arguments = libc::clone_args {
        flags: u64::from(flags.cast_unsigned()),
        pidfd: 0,
        child_tid: 0,
        parent_tid: 0,
        exit_signal: u64::from(libc::SIGCHLD.cast_unsigned()),
        stack: 0,
        stack_size: 0,
        tls: 0,
        set_tid: 0,
        set_tid_size: 0,
        cgroup: 0,
    };
    // SAFETY: without CLONE_VM the copy has memory of its own; it runs on where this returns, and there is one thread.
    side(unsafe { libc::syscall(libc::SYS_clone3, &raw const arguments, size_of::<libc::clone_args>()) })
}

fn side(number: libc::c_long) -> io::Result<Side> {
    match i32::try_from(number) {
        Ok(0) => Ok(Side::Child),
        Ok(number @ 1..) => Pid::from_raw(number).map(Side::Parent).ok_or_else(failure),
        Ok(_) | Err(_) => Err(failure()),
    }
}

/// Everything but the three standard streams is closed when a program is started.
#[expect(unsafe_code, reason = "no crate gives close_range safely")]
pub(super) fn close_on_start() -> io::Result<()> {
    // SAFETY: nothing is closed now, so no descriptor that somebody owns goes away.
    let done =
        unsafe { libc::syscall(libc::SYS_close_range, 3_u32, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    ended(done)
}

/// What becomes of a mount.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    /// It cannot be written, and nothing that others mount there later appears in it.
    ReadOnly,
    /// Only the latter.
    Private,
}

/// Of which mounts.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reach {
    This,
    /// All below it too.
    Below,
}

/// Changes the mount whose root is open.
#[expect(unsafe_code, reason = "no crate gives mount_setattr safely")]
pub(super) fn change(root: impl AsFd, change: Change, reach: Reach) -> io::Result<()> {
    let attr_set = match change {
        Change::ReadOnly => libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID,
        Change::Private => libc::MOUNT_ATTR_NOSUID,
    };
    let attributes = libc::mount_attr { attr_set, attr_clr: 0, propagation: libc::MS_PRIVATE, userns_fd: 0 };
    let flags = libc::AT_EMPTY_PATH
        | match reach {
            Reach::This => 0,
            Reach::Below => libc::AT_RECURSIVE,
        };
    // SAFETY: the path ends with a zero byte, and the size is that of the attributes.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            root.as_fd().as_raw_fd(),
            c"".as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    ended(done)
}

/// Which signals wait.
#[derive(Clone, Copy)]
pub(super) struct Waiting(libc::sigset_t);

/// From here on signals wait, but for those that nobody can make wait. Gives those that did before.
#[expect(unsafe_code, reason = "no crate gives sigprocmask safely")]
pub(super) fn let_signals_wait() -> Waiting {
    // SAFETY: a set of signals may be all zeroes before it is filled, and both outlive the calls.
    unsafe {
        let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        Waiting(before)
    }
}

/// As it was before.
#[expect(unsafe_code, reason = "no crate gives sigprocmask safely")]
pub(super) fn let_signals_come(before: Waiting) {
    // SAFETY: the set was filled by the system.
    unsafe {
        libc::sigprocmask(libc::SIG_SETMASK, &raw const before.0, ptr::null_mut());
    }
}

/// Ends this process by a signal; returns where the signal ends nobody.
#[expect(unsafe_code, reason = "no crate gives signal and sigprocmask safely")]
pub(super) fn end_by(signal: i32) {
    // SAFETY: no handler of ours is put in place, and the set outlives the calls.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::kill(libc::getpid(), signal);
        let mut one: libc::sigset_t = std::mem::zeroed();
        libc::sigaddset(&raw mut one, signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, &raw const one, ptr::null_mut());
    }
}

fn ended(result: libc::c_long) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(failure()) }
}

fn failure() -> io::Error {
    io::Error::last_os_error()
}
