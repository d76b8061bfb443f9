//! System calls that a held command may not make, whichever file or address they are about.
//!
//! A list of what is refused and not of what is allowed: compilers, browsers and test runners are to work, and Landlock or the
//! namespaces hold the rest. Refused is what would look into or change other processes, what would build a new world
//! (mounts, namespaces), what reaches past the other walls (`io_uring`, handles, keys), what only the superuser needs, and
//! sockets, see `sockets`.
//!
//! The surprise: `clone3` does not exist here. Its flags stand in memory, where a filter cannot read them; told that the
//! kernel has no such call, every C library takes `clone`, whose flags can be read.

use std::io;

use seccompiler::apply_filter;

use super::Tier;
use super::filter::{Is, Rule, Test, Verdict, program};
use super::plan::Network;

const REFUSED: Verdict = Verdict::Fail(libc::EPERM);
const ABSENT: Verdict = Verdict::Fail(libc::ENOSYS);

/// Refused with any argument.
const NEVER: [libc::c_long; 41] = [
    // other processes
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    // the view of the files
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    // keys of the user's, which know no namespaces
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // into the kernel
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    // the machine
    libc::SYS_reboot,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_kexec_file_load,
];

/// The same for what only this architecture has.
#[cfg(target_arch = "x86_64")]
const NEVER_HERE: [libc::c_long; 2] = [libc::SYS_iopl, libc::SYS_ioperm];
#[cfg(not(target_arch = "x86_64"))]
const NEVER_HERE: [libc::c_long; 0] = [];

/// Said not to exist: programs that know them know what to do without.
/// The flags and the mode of `openat2` stand in memory, as those of `clone3` do.
const NOWHERE: [libc::c_long; 5] = [
    libc::SYS_clone3,
    libc::SYS_openat2,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

// the same numbers on every architecture; not yet in the crate for all of them
const FCHMODAT2: libc::c_long = 452;
const OPEN_TREE_ATTR: libc::c_long = 467;

/// linux/sched.h: a namespace of its own for mounts, control groups, names, IPC, users, processes, the network.
const NEW_WORLDS: u32 = 0x7e02_0000;
/// The same for time; in `clone` the bit belongs to a signal's number.
const NEW_TIME: u32 = 0x80;

/// asm-generic/ioctls.h: types on somebody's terminal; linux/tiocl.h: pastes on the console.
const TYPE_FOR_THE_USER: [u32; 2] = [0x5412, 0x541c];

/// A program that anyone may run with the rights of its owner. Calls that make files take it too, with their mode.
const SET_USER: u32 = 0o4000;
/// The same with the rights of its group. Directories have it for another reason, and git sets it in a shared repository, so
/// it is refused only where a file is made.
const SET_GROUP: u32 = 0o2000;
/// Without one of these nothing is made by opening, and what stands in the place of the mode means nothing.
const MAKES: u32 = (libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY)).cast_unsigned();

/// Restricts the calling thread, and what it starts, for good. It may then gain no privileges either.
pub fn restrict(network: Network, tier: Tier) -> io::Result<()> {
    let rules = match tier {
        Tier::Namespaces | Tier::Bubblewrap | Tier::Landlock => rules(network, tier),
        Tier::Nothing => return Ok(()),
    };
    let program = program(rules)
        .ok_or_else(|| io::Error::other("no system call filter is available for this CPU architecture"))?;
    apply_filter(&program).map_err(io::Error::other)
}

fn rules(network: Network, tier: Tier) -> Vec<Rule> {
    let never =
        NEVER.into_iter().chain(NEVER_HERE).chain([OPEN_TREE_ATTR]).map(|call| rule(call, [], REFUSED));
    let nowhere = NOWHERE.into_iter().map(|call| rule(call, [], ABSENT));
    let named = never.chain(nowhere).chain(with_arguments()).chain(sockets(network, tier));
    named.collect()
}

/// Calls of which only some are refused.
fn with_arguments() -> Vec<Rule> {
    let worlds = Test(0, Is::AnyOf(NEW_WORLDS), REFUSED);
    let time = Test(0, Is::AnyOf(NEW_TIME), REFUSED);
    let typing = TYPE_FOR_THE_USER.map(|request| Test(1, Is::Equal(request), REFUSED));
    let set_user = |argument| [Test(argument, Is::AnyOf(SET_USER), REFUSED)];
    let makes = |flags: u32| {
        [
            Test(flags, Is::Masked(MAKES, 0), Verdict::Allow),
            Test(flags + 1, Is::AnyOf(SET_USER | SET_GROUP), REFUSED),
        ]
    };
    vec![
        rule(libc::SYS_clone, [worlds], Verdict::Allow),
        rule(libc::SYS_unshare, [worlds, time], Verdict::Allow),
        rule(libc::SYS_ioctl, typing, Verdict::Allow),
        #[cfg(target_arch = "x86_64")]
        rule(libc::SYS_chmod, set_user(1), Verdict::Allow),
        rule(libc::SYS_fchmod, set_user(1), Verdict::Allow),
        rule(libc::SYS_fchmodat, set_user(2), Verdict::Allow),
        rule(FCHMODAT2, set_user(2), Verdict::Allow),
        #[cfg(target_arch = "x86_64")]
        rule(libc::SYS_open, makes(1), Verdict::Allow),
        #[cfg(target_arch = "x86_64")]
        rule(libc::SYS_creat, [Test(1, Is::AnyOf(SET_USER | SET_GROUP), REFUSED)], Verdict::Allow),
        #[cfg(target_arch = "x86_64")]
        rule(libc::SYS_mknod, [Test(1, Is::AnyOf(SET_USER | SET_GROUP), REFUSED)], Verdict::Allow),
        rule(libc::SYS_openat, makes(2), Verdict::Allow),
        rule(libc::SYS_mknodat, [Test(2, Is::AnyOf(SET_USER | SET_GROUP), REFUSED)], Verdict::Allow),
        // one's own limits alone: with others' a command could starve the program, which Landlock does not see
        rule(libc::SYS_prlimit64, [Test(0, Is::Equal(0), Verdict::Allow)], REFUSED),
    ]
}

/// Of addresses there are those that the network's namespace holds, and in it all may be talked to; families that know no
/// namespace (machines to their host, devices) are refused everywhere.
///
/// Where there is no namespace, addresses are there only with the network, and local sockets never: Landlock does not see
/// them, and behind one may sit a daemon that does what it is told, with the rights of its own. A connected pair is no way
/// out, unless of the kind that can send to others besides.
fn sockets(network: Network, tier: Tier) -> Vec<Rule> {
    let family = |family: libc::c_int, verdict| Test(0, Is::Equal(family.cast_unsigned()), verdict);
    let open = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK].map(|open| family(open, Verdict::Allow));
    let local = family(libc::AF_UNIX, Verdict::Allow);
    let kind = |kind: libc::c_int| Test(1, Is::Masked(0xf, kind.cast_unsigned()), REFUSED);
    match (tier, network) {
        (Tier::Namespaces | Tier::Bubblewrap, Network::On | Network::Off) => {
            vec![rule(libc::SYS_socket, open.into_iter().chain([local]), REFUSED)]
        }
        (Tier::Landlock | Tier::Nothing, network) => {
            let open = match network {
                Network::On => open.to_vec(),
                Network::Off => Vec::new(),
            };
            // of local sockets the kernel takes the raw kind for datagrams
            let pair = [kind(libc::SOCK_DGRAM), kind(libc::SOCK_RAW), local];
            vec![rule(libc::SYS_socket, open, REFUSED), rule(libc::SYS_socketpair, pair, REFUSED)]
        }
    }
}

fn rule(call: libc::c_long, tests: impl IntoIterator<Item = Test>, otherwise: Verdict) -> Rule {
    // a number of this architecture is small and not negative
    let call = u32::try_from(call).unwrap_or(u32::MAX);
    Rule { call, tests: tests.into_iter().collect(), otherwise }
}

#[cfg(test)]
mod tests {
    use super::super::filter::machine::verdict;
    use super::*;

    const OK: Verdict = Verdict::Allow;
    const NO: Verdict = REFUSED;

    fn check<const N: usize>(network: Network, tier: Tier, cases: &[(libc::c_long, [u32; N], Verdict)]) {
        let program = program(rules(network, tier)).unwrap();
        for (call, arguments, expected) in cases {
            let got = verdict(&program, u32::try_from(*call).unwrap(), arguments);
            assert_eq!(got, *expected, "{call} {arguments:x?}, {network:?}, {tier:?}");
        }
    }

    #[test]
    fn in_every_tier_the_same_calls_are_refused_for_what_they_ask() {
        let cases = [
            (libc::SYS_ptrace, [0, 0, 0], NO),
            (libc::SYS_mount, [0, 0, 0], NO),
            (OPEN_TREE_ATTR, [0, 0, 0], NO),
            (libc::SYS_clone3, [0, 0, 0], ABSENT),
            (libc::SYS_io_uring_setup, [8, 0, 0], ABSENT),
            (libc::SYS_clone, [0x003d_0f00, 0, 0], OK),
            (libc::SYS_clone, [0x4111, 0, 0], OK),
            (libc::SYS_clone, [0x91, 0, 0], OK),
            (libc::SYS_clone, [0x1000_0011, 0, 0], NO),
            (libc::SYS_clone, [0x0002_0011, 0, 0], NO),
            (libc::SYS_clone, [0x0200_0000, 0, 0], NO),
            (libc::SYS_clone, [0x4000_0000, 0, 0], NO),
            (libc::SYS_unshare, [0x400, 0, 0], OK),
            (libc::SYS_unshare, [0x80, 0, 0], NO),
            (libc::SYS_unshare, [0x1000_0000, 0, 0], NO),
            (libc::SYS_ioctl, [0, 0x5401, 0], OK),
            (libc::SYS_ioctl, [0, 0x5412, 0], NO),
            (libc::SYS_ioctl, [0, 0x541c, 0], NO),
            (libc::SYS_fchmod, [3, 0o100_755, 0], OK),
            (libc::SYS_fchmod, [3, 0o2775, 0], OK),
            (libc::SYS_fchmod, [3, 0o4755, 0], NO),
            (libc::SYS_fchmodat, [3, 0o4000, 0o755], OK),
            (libc::SYS_fchmodat, [3, 0, 0o6755], NO),
            (FCHMODAT2, [3, 0, 0o4755], NO),
            (libc::SYS_prlimit64, [0, 7, 0], OK),
            (libc::SYS_prlimit64, [1, 7, 0], NO),
            (libc::SYS_read, [0, 0, 0], OK),
            (libc::SYS_execve, [0, 0, 0], OK),
            (libc::SYS_openat, [0, 0, 0], OK),
            (libc::SYS_connect, [0, 0, 0], OK),
        ];
        for tier in [Tier::Namespaces, Tier::Bubblewrap, Tier::Landlock] {
            for network in [Network::Off, Network::On] {
                check(network, tier, &cases);
            }
        }
    }

    #[test]
    fn no_file_is_made_that_lends_the_rights_of_its_owner_or_group() {
        let (makes, nameless) = (libc::O_CREAT.cast_unsigned(), libc::O_TMPFILE.cast_unsigned());
        let cases = [
            (libc::SYS_openat, [0, 0, makes | 1, 0o644], OK),
            (libc::SYS_openat, [0, 0, makes | 1, 0o4755], NO),
            (libc::SYS_openat, [0, 0, makes | 1, 0o2755], NO),
            (libc::SYS_openat, [0, 0, nameless | 1, 0o4755], NO),
            (libc::SYS_openat, [0, 0, libc::O_DIRECTORY.cast_unsigned(), 0o7777], OK),
            (libc::SYS_openat, [0, 0, 0, 0o7777], OK),
            (libc::SYS_mknodat, [0, 0, 0o104_755, 0], NO),
            (libc::SYS_mknodat, [0, 0, 0o010_644, 0], OK),
            (libc::SYS_openat2, [0, 0, 0, 0], ABSENT),
        ];
        for tier in [Tier::Namespaces, Tier::Bubblewrap, Tier::Landlock] {
            check(Network::Off, tier, &cases);
        }
    }

    #[test]
    fn sockets_are_those_that_the_tier_can_answer_for() {
        const UNIX: u32 = 1;
        const INET: u32 = 2;
        const INET6: u32 = 10;
        const NETLINK: u32 = 16;
        const PACKET: u32 = 17;
        const VSOCK: u32 = 40;
        let room = [(UNIX, OK), (INET, OK), (INET6, OK), (NETLINK, OK), (PACKET, NO), (VSOCK, NO), (38, NO)];
        let alone = [(UNIX, NO), (INET, NO), (INET6, NO), (NETLINK, NO), (PACKET, NO), (VSOCK, NO), (38, NO)];
        let connected =
            [(UNIX, NO), (INET, OK), (INET6, OK), (NETLINK, OK), (PACKET, NO), (VSOCK, NO), (38, NO)];
        for (network, tier, families) in [
            (Network::Off, Tier::Namespaces, room),
            (Network::On, Tier::Bubblewrap, room),
            (Network::Off, Tier::Landlock, alone),
            (Network::On, Tier::Landlock, connected),
        ] {
            let cases = families.map(|(family, expected)| (libc::SYS_socket, [family, 1, 0], expected));
            check(network, tier, &cases);
        }
    }

    #[test]
    fn without_a_namespace_a_pair_of_sockets_can_send_to_nobody_else() {
        // linux/net.h: stream, datagram, raw, packets in order; with the flags of a descriptor
        let kinds = [(1, OK), (0o2_000_001, OK), (5, OK), (2, NO), (0o2_004_002, NO), (3, NO)];
        let cases = kinds.map(|(kind, expected)| (libc::SYS_socketpair, [1, kind, 0], expected));
        check(Network::Off, Tier::Landlock, &cases);
        check(Network::Off, Tier::Landlock, &[(libc::SYS_socketpair, [30, 1, 0], NO)]);
        let in_a_room = kinds.map(|(kind, _)| (libc::SYS_socketpair, [1, kind, 0], OK));
        check(Network::Off, Tier::Namespaces, &in_a_room);
    }
}
