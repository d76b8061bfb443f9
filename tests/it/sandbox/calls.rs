//! What a shell cannot try: calls of the kernel, made by this very binary, started once more inside what holds it.
//!
//! A call that gets as far as to be told that its arguments are wrong was not held; that is how the dangerous ones are tried
//! without danger. The surprise: some are told that there is no such file or process. In a room that is how it is held.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener, UnixStream};
use std::ptr;

use libc::{c_int, c_long, c_void};
use rustix::fs::{Mode, RenameFlags, XattrFlags};

/// Names the call, in the process that makes it.
pub(super) const CALL: &str = "CLAWD_TEST_CALL";

/// Said when it was not held.
pub(super) const HAPPENED: &str = "the call was not held";

type Call = fn() -> io::Result<()>;

const CALLS: &[(&str, Call)] = &[
    ("nothing", || Ok(())),
    ("truncate", || raw(libc::SYS_truncate, [text(&out("file")).as_ptr() as c_long, 3, 0, 0, 0]).map(drop)),
    ("exchange", exchange),
    ("set an attribute", set_attribute),
    ("bind a local socket", || UnixListener::bind(out("new")).map(drop)),
    ("connect to a path", || UnixStream::connect(out("socket")).map(drop)),
    ("connect to a name", connect_to_a_name),
    ("send to a path", || UnixDatagram::unbound()?.send_to(b"x", out("datagrams")).map(drop)),
    ("send from a pair", || UnixDatagram::pair()?.0.send_to(b"x", out("datagrams")).map(drop)),
    ("own loopback", own_loopback),
    ("own local socket", own_local_socket),
    ("own pair", own_pair),
    ("packet socket", || socket(libc::AF_PACKET, libc::SOCK_RAW)),
    ("raw socket", || socket(libc::AF_INET, libc::SOCK_RAW)),
    ("vsock", || socket(libc::AF_VSOCK, libc::SOCK_STREAM)),
    ("alg socket", || socket(libc::AF_ALG, libc::SOCK_SEQPACKET)),
    // linux/ptrace.h: seize
    ("ptrace", || raw(libc::SYS_ptrace, [0x4206, stranger(), 0, 0, 0]).map(drop)),
    ("process_vm_readv", read_memory),
    ("pidfd_getfd", take_file),
    ("prlimit", || limit_another()),
    ("setpriority", || raw(libc::SYS_setpriority, [0, stranger(), 5, 0, 0]).map(drop)),
    ("mount", mount),
    ("open_tree", || raw(libc::SYS_open_tree, [AT_CWD, text(".").as_ptr() as c_long, 1, 0, 0]).map(drop)),
    ("fsopen", || raw(libc::SYS_fsopen, [text("tmpfs").as_ptr() as c_long, 0, 0, 0, 0]).map(drop)),
    ("chroot", || raw(libc::SYS_chroot, [text(".").as_ptr() as c_long, 0, 0, 0, 0]).map(drop)),
    ("unshare", || raw(libc::SYS_unshare, [NEW_USER, 0, 0, 0, 0]).map(drop)),
    ("clone", || child(libc::SYS_clone, [NEW_USER | c_long::from(libc::SIGCHLD), 0, 0, 0, 0])),
    ("clone3", clone3),
    ("open_by_handle_at", || raw(libc::SYS_open_by_handle_at, [AT_CWD, 0, 0, 0, 0]).map(drop)),
    ("mknod", make_device),
    ("open setuid", || make_program(0o4755)),
    ("open setgid", || make_program(0o2755)),
    ("mknod setuid", || {
        raw(libc::SYS_mknodat, [AT_CWD, text("node").as_ptr() as c_long, 0o104_755, 0, 0]).map(drop)
    }),
    // struct open_how: flags, mode, no restriction
    ("openat2", || {
        let how: [u64; 3] = [libc::O_CREAT as u64 | 1, 0o4755, 0];
        raw(libc::SYS_openat2, [AT_CWD, text("by2").as_ptr() as c_long, how.as_ptr() as c_long, 24, 0])
            .map(drop)
    }),
    // linux/keyctl.h: the number of the session's keyring
    ("keyctl", || raw(libc::SYS_keyctl, [0, -3, 0, 0, 0]).map(drop)),
    ("add_key", add_key),
    ("io_uring", || raw(libc::SYS_io_uring_setup, [1, [0_u8; 120].as_ptr() as c_long, 0, 0, 0]).map(drop)),
    // a program to load, at no address
    ("bpf", || raw(libc::SYS_bpf, [5, 0, 128, 0, 0]).map(drop)),
    ("userfaultfd", || raw(libc::SYS_userfaultfd, [0; 5]).map(drop)),
    ("perf_event_open", || raw(libc::SYS_perf_event_open, [0, 0, -1, -1, 0]).map(drop)),
    // the size of the log
    ("syslog", || raw(libc::SYS_syslog, [10, 0, 0, 0, 0]).map(drop)),
    ("TIOCSTI", || {
        raw(libc::SYS_ioctl, [c_long::from(File::open("/dev/null")?.as_raw_fd()), 0x5412, 0, 0, 0]).map(drop)
    }),
    ("kexec_load", || raw(libc::SYS_kexec_load, [0, 1, 1, 0, 0]).map(drop)),
    // not the numbers that it asks for
    ("reboot", || raw(libc::SYS_reboot, [1, 1, 0, 0, 0]).map(drop)),
    ("init_module", || raw(libc::SYS_init_module, [1, 1, 1, 0, 0]).map(drop)),
    ("x32", || raw(0x4000_0000 | libc::SYS_getppid, [0; 5]).map(drop)),
    ("32 bits", thirty_two_bits),
];

fn make_program(mode: c_long) -> io::Result<()> {
    let flags = c_long::from(libc::O_CREAT | libc::O_WRONLY);
    raw(libc::SYS_openat, [AT_CWD, text("program").as_ptr() as c_long, flags, mode, 0]).map(drop)
}

const AT_CWD: c_long = libc::AT_FDCWD as c_long;
const NEW_USER: c_long = libc::CLONE_NEWUSER as c_long;

/// Makes the call that the environment names, and says whether it was held.
#[expect(clippy::print_stdout, reason = "that is how who started this hears of it")]
pub(super) fn make() {
    let Ok(name) = std::env::var(CALL) else { return };
    let Some((_, call)) = CALLS.iter().find(|(known, _)| *known == name) else { panic!("no call `{name}`") };
    match call() {
        Err(error) if is_held(&error) => println!("{name}: {error}"),
        Err(error) => println!("{name}: {HAPPENED}: {error}"),
        Ok(()) => println!("{name}: {HAPPENED}"),
    }
}

fn is_held(error: &io::Error) -> bool {
    let number = error.raw_os_error().unwrap_or_default();
    matches!(
        number,
        libc::ENOSYS | libc::ESRCH | libc::EROFS | libc::EXDEV | libc::EAFNOSUPPORT | libc::ECONNREFUSED
    ) || matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::NotFound)
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap()
}

fn out(name: &str) -> String {
    format!("{}/{name}", env("OUT"))
}

fn text(text: &str) -> CString {
    CString::new(text).unwrap()
}

fn stranger() -> c_long {
    env("STRANGER").parse().unwrap()
}

#[expect(
    unsafe_code,
    reason = "what no library offers is what is to be tried; every pointer lives until the call is over"
)]
fn raw(number: c_long, of: [c_long; 5]) -> io::Result<c_long> {
    let result = unsafe { libc::syscall(number, of[0], of[1], of[2], of[3], of[4], 0) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// A call that returns twice; the child is gone at once.
#[expect(unsafe_code, reason = "nothing runs in the child but its end")]
fn child(number: c_long, arguments: [c_long; 5]) -> io::Result<()> {
    let pid = raw(number, arguments)?;
    if pid == 0 {
        unsafe { libc::_exit(0) };
    }
    raw(libc::SYS_wait4, [pid, 0, 0, 0, 0]).map(drop)
}

fn clone3() -> io::Result<()> {
    // linux/sched.h, `struct clone_args`: flags first, the signal at the end fifth
    let mut arguments = [0_u64; 8];
    arguments[0] = NEW_USER.cast_unsigned();
    arguments[4] = 17;
    child(
        libc::SYS_clone3,
        [arguments.as_ptr() as c_long, c_long::try_from(size_of_val(&arguments)).unwrap(), 0, 0, 0],
    )
}

fn socket(family: c_int, kind: c_int) -> io::Result<()> {
    let protocol = if kind == libc::SOCK_RAW { libc::IPPROTO_ICMP } else { 0 };
    raw(libc::SYS_socket, [family.into(), kind.into(), protocol.into(), 0, 0]).map(drop)
}

fn exchange() -> io::Result<()> {
    let (cwd, flags) = (rustix::fs::CWD, RenameFlags::EXCHANGE);
    Ok(rustix::fs::renameat_with(cwd, "mine", cwd, out("file"), flags)?)
}

fn set_attribute() -> io::Result<()> {
    Ok(rustix::fs::setxattr(out("file"), "user.probe", b"x", XattrFlags::empty())?)
}

fn connect_to_a_name() -> io::Result<()> {
    UnixStream::connect_addr(&SocketAddr::from_abstract_name(env("MARK"))?).map(drop)
}

fn own_loopback() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut one = TcpStream::connect(listener.local_addr()?)?;
    talk(&mut one, &mut listener.accept()?.0)
}

fn own_local_socket() -> io::Result<()> {
    let listener = UnixListener::bind("own-socket")?;
    let mut one = UnixStream::connect("own-socket")?;
    talk(&mut one, &mut listener.accept()?.0)
}

fn own_pair() -> io::Result<()> {
    let (mut one, mut other) = UnixStream::pair()?;
    talk(&mut one, &mut other)
}

fn talk(one: &mut impl Write, other: &mut impl Read) -> io::Result<()> {
    one.write_all(b"x")?;
    other.read_exact(&mut [0])
}

/// From an address where nothing is: who may read is told so.
fn read_memory() -> io::Result<()> {
    let mut byte = 0_u8;
    let here = libc::iovec { iov_base: ptr::from_mut(&mut byte).cast::<c_void>(), iov_len: 1 };
    let there = libc::iovec { iov_base: ptr::without_provenance_mut(4096), iov_len: 1 };
    let (here, there) = (ptr::from_ref(&here) as c_long, ptr::from_ref(&there) as c_long);
    raw(libc::SYS_process_vm_readv, [stranger(), here, 1, there, 1]).map(drop)
}

fn take_file() -> io::Result<()> {
    let process = raw(libc::SYS_pidfd_open, [stranger(), 0, 0, 0, 0])?;
    raw(libc::SYS_pidfd_getfd, [process, 0, 0, 0, 0]).map(drop)
}

fn limit_another() -> io::Result<()> {
    let none = libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
    let none = ptr::from_ref(&none) as c_long;
    raw(libc::SYS_prlimit64, [stranger(), c_long::from(libc::RLIMIT_FSIZE), none, 0, 0]).map(drop)
}

fn mount() -> io::Result<()> {
    let (what, place) = (text("tmpfs"), text("a"));
    let (what, place) = (what.as_ptr() as c_long, place.as_ptr() as c_long);
    raw(libc::SYS_mount, [what, place, what, 0, 0])?;
    raw(libc::SYS_umount2, [place, 0, 0, 0, 0]).map(drop)
}

fn make_device() -> io::Result<()> {
    let (kind, mode) = (rustix::fs::FileType::CharacterDevice, Mode::from_raw_mode(0o666));
    Ok(rustix::fs::mknodat(rustix::fs::CWD, "device", kind, mode, rustix::fs::makedev(1, 3))?)
}

fn add_key() -> io::Result<()> {
    let (kind, name) = (text("user"), text("probe"));
    // into the process's own keyring, which goes with it
    raw(libc::SYS_add_key, [kind.as_ptr() as c_long, name.as_ptr() as c_long, name.as_ptr() as c_long, 5, -2])
        .map(drop)
}

/// The number of this process, by the entry of another time.
#[cfg(target_arch = "x86_64")]
#[expect(unsafe_code, reason = "there is no other way in; only the result's register is changed")]
fn thirty_two_bits() -> io::Result<()> {
    let mut number: i32 = 20;
    unsafe { std::arch::asm!("int 0x80", inout("eax") number, options(nostack)) };
    if number > 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(-number)) }
}

#[cfg(not(target_arch = "x86_64"))]
fn thirty_two_bits() -> io::Result<()> {
    Err(ErrorKind::PermissionDenied.into())
}
