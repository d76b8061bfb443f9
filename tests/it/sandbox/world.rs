//! The places and the people of one attempt: a workspace, all that lies around it, and a process that is none of its business.
//!
//! Not in a temporary directory, for a room has its own: what is not there is not held, only absent. So it is built among the
//! compiler's results, by the superuser for nobody too. Every attempt has a world of its own, so that none sees what another
//! left.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use clawd::os::process::{Children, Spawn, adopt_orphans};
use clawd::sandbox::{Network, Profile, Sandbox, Tier};
use portable_pty::{NativePtySystem, PtyPair, PtySize, PtySystem};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::calls::{CALL, HAPPENED};
use super::{Attempt, Kind, Proof};
use crate::in_view::program;

/// Where the worlds are built, for a table that cannot make the place itself.
pub(super) const PLACE: &str = "CLAWD_TEST_PLACE";

/// In every secret; in no script.
const SECRET: &str = "what-nobody-may-know";

/// Tries things in one tier.
pub(super) struct Runner {
    pub(super) tier: Tier,
    runtime: Runtime,
}

/// One attempt's world.
pub(super) struct World {
    root: PathBuf,
    /// A number that no other process has in its arguments.
    mark: String,
    /// A process of the same user's that the command has nothing to do with.
    stranger: Child,
    tcp: TcpListener,
    udp: UdpSocket,
    local: UnixListener,
    unnamed: UnixListener,
    datagrams: UnixDatagram,
    terminal: PtyPair,
    // held for its drop
    _directory: TempDir,
}

impl Runner {
    /// Whether it happened, and what the command said.
    pub(super) fn run(&self, kind: Kind, attempt: &Attempt, proof: &Proof) -> (bool, String) {
        let world = World::new();
        let before = world.outside();
        let (told, said) = self.runtime.block_on(self.start(&world, kind, attempt));
        let happened = match *proof {
            Proof::Told => told,
            Proof::Outside => world.outside() != before,
            Proof::Says(word) => said.contains(word),
            Proof::Holds(file, word) => {
                fs::read_to_string(world.root.join(file)).is_ok_and(|text| text.contains(word))
            }
            Proof::Heard => world.has_heard(),
            Proof::Outlives => world.is_marked(),
        };
        (happened, said)
    }

    async fn start(&self, world: &World, kind: Kind, attempt: &Attempt) -> (bool, String) {
        let argv: Vec<OsString> = match attempt {
            Attempt::Bash(script) => {
                ["bash", "--noprofile", "--norc", "-c", script].map(OsString::from).into()
            }
            Attempt::Call(_) => {
                let place = std::env::var_os(PLACE).unwrap();
                let this = program(&std::env::current_exe().unwrap(), Path::new(&place));
                let rest = ["--exact", "sandbox::call_from_inside", "--nocapture", "--test-threads=1"];
                std::iter::once(this.into()).chain(rest.map(OsString::from)).collect()
            }
        };
        let mut spawn = Spawn::new(argv, world.root.join("workspace"));
        spawn.env = world.environment(attempt);
        let sandbox = Sandbox::with(self.tier).helped_by(env!("CARGO_BIN_EXE_clawd"));
        let spawn = sandbox.hold(spawn, &world.profile(kind));
        let children = Children::new();
        let finished = children.start(&spawn).unwrap().wait().await;
        children.end().await;
        let said = String::from_utf8_lossy(&finished.output.whole().unwrap_or_default()).into_owned();
        let told = match attempt {
            Attempt::Bash(_) => finished.exit.is_success(),
            Attempt::Call(_) => said.contains(HAPPENED),
        };
        (told, format!("{:?} {said}", finished.exit))
    }
}

impl World {
    pub(super) fn runner(tier: Tier) -> Runner {
        adopt_orphans().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Runner { tier, runtime }
    }

    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let mark = format!("100.{}{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let directory =
            tempfile::Builder::new().prefix("world-").tempdir_in(std::env::var_os(PLACE).unwrap()).unwrap();
        let root = directory.path().canonicalize().unwrap();
        furnish(&root);
        fs::write(format!("/dev/shm/{mark}"), "shared\n").unwrap();
        let file = OpenOptions::new().read(true).append(true).open(root.join("outside/file")).unwrap();
        let address = SocketAddr::from_abstract_name(&mark).unwrap();
        let size = PtySize { rows: 24, cols: 80, ..PtySize::default() };
        let world = Self {
            stranger: stranger(&root, &mark, file),
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            local: UnixListener::bind(root.join("outside/socket")).unwrap(),
            unnamed: UnixListener::bind_addr(&address).unwrap(),
            datagrams: UnixDatagram::bind(root.join("outside/datagrams")).unwrap(),
            terminal: NativePtySystem::default().openpty(size).unwrap(),
            mark,
            root,
            _directory: directory,
        };
        world.tcp.set_nonblocking(true).unwrap();
        world.udp.set_nonblocking(true).unwrap();
        world.local.set_nonblocking(true).unwrap();
        world.unnamed.set_nonblocking(true).unwrap();
        world.datagrams.set_nonblocking(true).unwrap();
        world
    }

    fn profile(&self, kind: Kind) -> Profile {
        let masked = ["home/.ssh", "home/.netrc", "state"].map(|name| self.root.join(name)).to_vec();
        let scratch = Some(self.root.join("scratch"));
        let usual = Profile { masked, scratch, ..Profile::writing([self.root.join("workspace")]) };
        match kind {
            Kind::Usual => usual,
            Kind::ReadOnly => Profile { writable: Vec::new(), protected: Vec::new(), ..usual },
            Kind::Connected => Profile { network: Network::On, ..usual },
        }
    }

    fn environment(&self, attempt: &Attempt) -> Vec<(OsString, OsString)> {
        let at = |name: &str| self.root.join(name).display().to_string();
        let call = match attempt {
            Attempt::Bash(_) => "",
            Attempt::Call(name) => name,
        };
        let values = [
            ("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("HOME", at("home")),
            ("OUT", at("outside")),
            ("STATE", at("state")),
            ("STRANGER", self.stranger.id().to_string()),
            ("TCP", self.tcp.local_addr().unwrap().port().to_string()),
            ("UDP", self.udp.local_addr().unwrap().port().to_string()),
            ("TERMINAL", self.terminal.master.tty_name().unwrap().display().to_string()),
            ("MARK", self.mark.clone()),
            (CALL, call.to_owned()),
        ];
        values.map(|(name, value)| (name.into(), value.into())).into()
    }

    /// All that lies outside the workspace, with what can be changed of it.
    fn outside(&self) -> BTreeMap<PathBuf, (Vec<i64>, Vec<u8>)> {
        let mut found = BTreeMap::new();
        let places = ["outside", "home", "state"].map(|name| self.root.join(name));
        let mut left: Vec<PathBuf> = places.into();
        left.extend([PathBuf::from(format!("/dev/shm/{}", self.mark)), self.in_tmp()]);
        while let Some(path) = left.pop() {
            let Ok(meta) = path.symlink_metadata() else { continue };
            if meta.is_dir() {
                left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            let content = if meta.is_file() { fs::read(&path).unwrap_or_default() } else { Vec::new() };
            let times = [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()];
            let rest = [i64::from(meta.mode()), i64::from(meta.uid()), meta.nlink().cast_signed()];
            found.insert(path, (times.into_iter().chain(rest).collect(), content));
        }
        found
    }

    fn in_tmp(&self) -> PathBuf {
        Path::new("/tmp").join(&self.mark)
    }

    /// What was sent before the command ended is there by now: on one machine nothing is under way.
    fn has_heard(&self) -> bool {
        let nothing = |error: &std::io::Error| error.kind() == ErrorKind::WouldBlock;
        let mut byte = [0];
        self.tcp.accept().is_ok()
            || self.local.accept().is_ok()
            || self.unnamed.accept().is_ok()
            || !self.udp.recv(&mut byte).as_ref().is_err_and(nothing)
            || !self.datagrams.recv(&mut byte).as_ref().is_err_and(nothing)
    }

    /// Whether a process with the mark in its arguments runs, that is not the stranger.
    fn is_marked(&self) -> bool {
        let entries = fs::read_dir("/proc").unwrap().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let arguments = |number: u32| fs::read(format!("/proc/{number}/cmdline")).unwrap_or_default();
        let others = numbers.filter(|number| *number != self.stranger.id());
        others.map(arguments).any(|line| String::from_utf8_lossy(&line).contains(&self.mark))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.stranger.kill().ok();
        self.stranger.wait().ok();
        fs::remove_file(format!("/dev/shm/{}", self.mark)).ok();
        fs::remove_file(self.in_tmp()).ok();
        // what was taken away is given back, so that it can be removed
        fs::set_permissions(self.root.join("outside"), PermissionsExt::from_mode(0o700)).ok();
    }
}

fn furnish(root: &Path) {
    for directory in ["outside/empty", "scratch", "workspace/a", "workspace/b", "workspace/.git/hooks"]
        .into_iter()
        .chain(["workspace/.git/objects", "workspace/.git/refs/heads"])
    {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    for (file, text) in [
        ("outside/file", "untouched\n"),
        ("outside/linked", "untouched\n"),
        ("home/.bashrc", "# shell\n"),
        ("home/.gitconfig", "# neighbour\n"),
        ("home/.netrc", SECRET),
        ("home/.ssh/id_key", SECRET),
        ("state/credentials.toml", SECRET),
        ("state/sessions/one.jsonl", "{}\n"),
        ("workspace/mine", "mine\n"),
        ("workspace/.git/HEAD", "ref: refs/heads/main\n"),
        ("workspace/.git/config", "[core]\n\trepositoryformatversion = 0\n"),
    ] {
        fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        fs::write(root.join(file), text).unwrap();
    }
    std::os::unix::fs::symlink(root.join("outside"), root.join("workspace/way")).unwrap();
    fs::hard_link(root.join("outside/linked"), root.join("workspace/linked")).unwrap();
}

/// Stands outside, has a file open and a secret in its environment.
fn stranger(root: &Path, mark: &str, file: File) -> Child {
    let mut command = Command::new("/bin/sleep");
    command.arg(mark).env_clear().env("STRANGERS_KEY", SECRET).current_dir(root.join("outside"));
    command.stdin(file).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}
