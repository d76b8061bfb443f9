//! Attempts on everything that is no file: processes, addresses, the kernel; and what goes on there in honest work.

use super::Attempt::{Bash, Call};
use super::Proof::{Heard, Outlives, Outside, Says, Told};
use super::{Expected, Fate, GAP_WITHOUT_ROOM, HELD, MEANT, MEANT_IN_ROOM, Row, expected};

const KNOWN: &str = "what-nobody-may-know";

/// Landlock knows signals since its sixth version.
const SIGNAL: Expected = expected(Fate::GapBefore(6), Fate::Held);
/// Capabilities are asked for where the other has some.
const PRIORITY: Expected = expected(Fate::GapOfUsers, Fate::Held);
/// Whoever started a command is in its room too, with as little power.
const PARENT: Expected = expected(Fate::GapBefore(6), Fate::Depends);
/// Whatever is started is ended, held or not.
const ENDED: Expected = Expected { bare: [Fate::Held; 2], ..HELD };

/// In every way that there is to get out of a shell's hands.
const OUTLIVE: &str = "
    (setsid env -i /bin/bash -c \"(exec 0<&- 1>&- 2>&-; exec setsid sleep $MARK) & exit\" &)
    (trap '' TERM; sleep $MARK; sleep $MARK) & disown -a
    nohup sleep $MARK >/dev/null 2>&1 &
    true";

const CONTROL_GROUP: &str = "
    for f in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs; do exec 3>>$f && exit 0; done
    exit 1";

pub(super) const ROWS: &[Row] = &[
    // other processes
    ("read another's environment", Bash("cat /proc/$STRANGER/environ"), Says(KNOWN), HELD),
    ("read another's arguments", Bash("cat /proc/$STRANGER/cmdline"), Says("sleep"), GAP_WITHOUT_ROOM),
    ("open another's memory", Bash("exec 3<>/proc/$STRANGER/mem"), Told, HELD),
    ("end another", Bash("kill -TERM $STRANGER"), Told, SIGNAL),
    ("look whether another is there", Bash("kill -0 $STRANGER"), Told, SIGNAL),
    ("signal the one that started it", Bash("kill -0 $PPID"), Told, PARENT),
    ("see what another has mapped", Bash("ls /proc/$STRANGER/map_files"), Told, HELD.of_some()),
    ("trace another", Call("ptrace"), Told, HELD.of_some()),
    ("read another's memory", Call("process_vm_readv"), Told, HELD.of_some()),
    ("take another's file", Call("pidfd_getfd"), Told, HELD.of_some()),
    ("starve another", Call("prlimit"), Told, HELD),
    ("slow another down", Call("setpriority"), Told, PRIORITY),
    ("outlive the end", Bash(OUTLIVE), Outlives, ENDED),
    ("end one's own child", Bash("sleep 100 & kill $! && ! wait $!"), Told, MEANT),
    ("see one's own limits", Bash("ulimit -a && ulimit -n 64"), Told, MEANT),
    // addresses
    ("connect to an address", Bash("exec 3<>/dev/tcp/127.0.0.1/$TCP"), Heard, HELD),
    ("send to an address", Bash("echo x >/dev/udp/127.0.0.1/$UDP"), Heard, HELD),
    ("connect to a local socket", Call("connect to a path"), Heard, HELD),
    ("connect to a socket without a path", Call("connect to a name"), Heard, HELD),
    ("send to a local socket", Call("send to a path"), Heard, HELD),
    ("send to a local socket from a pair", Call("send from a pair"), Heard, HELD),
    ("listen to all that passes", Call("packet socket"), Told, HELD.of_root()),
    ("make packets", Call("raw socket"), Told, HELD.of_root()),
    ("talk to the machine's host", Call("vsock"), Told, HELD.of_some()),
    ("talk to the kernel's ciphers", Call("alg socket"), Told, HELD.of_some()),
    ("talk to oneself by an address", Call("own loopback"), Told, MEANT_IN_ROOM),
    ("talk to oneself by a local socket", Call("own local socket"), Told, MEANT_IN_ROOM),
    ("talk to oneself by a pair", Call("own pair"), Told, MEANT),
    // the view
    ("mount", Call("mount"), Told, HELD.of_root()),
    ("take a mount apart", Call("open_tree"), Told, HELD.of_root()),
    ("begin a file system", Call("fsopen"), Told, HELD.of_root()),
    ("change the root", Call("chroot"), Told, HELD.of_root()),
    ("be the superuser of a new world", Call("unshare"), Told, HELD.of_some()),
    ("start a child in a new world", Call("clone"), Told, HELD.of_some()),
    ("start one by the newer call", Call("clone3"), Told, HELD.of_some()),
    ("open a file by its number", Call("open_by_handle_at"), Told, HELD),
    ("make a device", Call("mknod"), Told, HELD.of_root()),
    // privileges
    ("have capabilities", Bash("grep -q 'CapPrm:.*[1-9a-f]' /proc/self/status"), Told, HELD.of_root()),
    ("be able to gain privileges", Bash("grep -q 'NoNewPrivs:.*0' /proc/self/status"), Told, HELD.of_some()),
    ("leave a program with one's rights to all", Bash("chmod u+s mine"), Told, HELD),
    ("make such a program", Call("open setuid"), Told, HELD),
    ("make such a node", Call("mknod setuid"), Told, HELD),
    ("make such a program by the newer call", Call("openat2"), Told, HELD),
    ("make a program with one's group's rights", Call("open setgid"), Told, HELD),
    ("share a directory with one's group", Bash("mkdir shared && chmod g+s shared"), Told, MEANT),
    // the kernel and the machine
    ("reach for keys", Call("keyctl"), Told, HELD),
    ("keep a key", Call("add_key"), Told, HELD),
    ("make calls past the filter", Call("io_uring"), Told, HELD.of_some()),
    ("run a program in the kernel", Call("bpf"), Told, HELD.of_some()),
    ("serve one's own page faults", Call("userfaultfd"), Told, HELD.of_some()),
    ("measure the machine", Call("perf_event_open"), Told, HELD.of_some()),
    ("read the kernel's log", Call("syslog"), Told, HELD.of_some()),
    ("type for the user", Call("TIOCSTI"), Told, HELD),
    ("write on the user's terminal", Bash("echo x >$TERMINAL"), Told, HELD),
    ("listen at the user's terminal", Bash("exec 3<$TERMINAL"), Told, HELD),
    ("load another kernel", Call("kexec_load"), Told, HELD.of_some_root()),
    ("restart the machine", Call("reboot"), Told, HELD.of_root()),
    ("load a module", Call("init_module"), Told, HELD.of_some_root()),
    ("make a 32-bit call", Call("32 bits"), Told, HELD.of_some()),
    ("make a call with short pointers", Call("x32"), Told, HELD.of_some()),
    ("choose who gets crashed programs", Bash("exec 3<>/proc/sys/kernel/core_pattern"), Told, HELD.of_root()),
    ("press the emergency keys", Bash("exec 3>>/proc/sysrq-trigger"), Told, HELD.of_some_root()),
    ("set the kernel's values", Bash("exec 3<>/sys/class/net/lo/mtu"), Told, HELD.of_some_root()),
    ("leave a control group", Bash(CONTROL_GROUP), Told, HELD.of_some_root()),
    ("write to the kernel's log", Bash("exec 3>>/dev/kmsg"), Told, HELD.of_some_root()),
    ("read the machine's memory", Bash("exec 3</dev/mem"), Told, HELD.of_some_root()),
    ("read a disk", Bash("exec 3<$(find /dev -maxdepth 1 -type b | head -n 1)"), Told, HELD.of_some_root()),
    // what all the attempts from inside rest on
    ("call at all", Call("nothing"), Told, MEANT),
];

/// With a profile that has the network. In a room it is the host's own then, and so are its sockets without a path.
pub(super) const CONNECTED: &[Row] = &[
    ("connect to an address", Bash("exec 3<>/dev/tcp/127.0.0.1/$TCP"), Heard, MEANT),
    ("send to an address", Bash("echo x >/dev/udp/127.0.0.1/$UDP"), Heard, MEANT),
    ("talk to oneself by an address", Call("own loopback"), Told, MEANT),
    ("connect to a local socket", Call("connect to a path"), Heard, HELD),
    ("connect to a socket without a path", Call("connect to a name"), Heard, HELD),
    ("send to a local socket from a pair", Call("send from a pair"), Heard, HELD),
    ("listen to all that passes", Call("packet socket"), Told, HELD.of_root()),
    ("talk to the machine's host", Call("vsock"), Told, HELD.of_some()),
    ("make a socket", Call("bind a local socket"), Outside, HELD),
];
