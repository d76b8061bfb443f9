//! The tests proper. Where `TIER` is not set, in an ordinary run of the suite, there is nothing to do.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use clawd::os::process::{Children, Exit, Running, Spawn};
use clawd::sandbox::{FAILED, FAILED_CODE, Network, Profile, Sandbox, Tier};
use tempfile::TempDir;

use super::{HELPER, PLACE, TIER, bwrap};

/// A workspace, what lies around it, and who holds commands.
struct World {
    root: PathBuf,
    profile: Profile,
    sandbox: Sandbox,
    children: Children,
    _directory: TempDir,
}

/// How a command ended.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    exit: Exit,
    said: String,
}

/// `None` where these tests are not to run.
fn world() -> Option<World> {
    let tier = match std::env::var(TIER).ok()?.as_str() {
        "namespaces" => Tier::Namespaces,
        "bwrap" => Tier::Bubblewrap,
        _ => return None,
    };
    let directory = tempfile::tempdir_in(std::env::var_os(PLACE)?).unwrap();
    let root = directory.path().canonicalize().unwrap();
    for name in ["workspace", "outside", "home/.ssh", "home/.cargo", "scratch", "state"] {
        fs::create_dir_all(root.join(name)).unwrap();
    }
    for name in
        ["outside/file", "home/.ssh/id", "home/.netrc", "home/.cargo/old", "home/.cargo/token", "state/key"]
    {
        fs::write(root.join(name), "old\n").unwrap();
    }
    fs::set_permissions(root.join("scratch"), Permissions::from_mode(0o700)).unwrap();
    let at = |name: &str| root.join(name);
    let profile = Profile {
        masked: ["home/.ssh", "home/.netrc", "home/.cargo/token", "state"].map(at).into(),
        caches: vec![at("home/.cargo")],
        scratch: Some(at("scratch")),
        ..Profile::writing([at("workspace")])
    };
    let sandbox = Sandbox::with(tier).helped_by(HELPER).wrapped_by(bwrap());
    Some(World { root, profile, sandbox, children: Children::new(), _directory: directory })
}

impl World {
    fn at(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn spawn(&self, script: &str) -> Spawn {
        let at = |name: &str| self.at(name).into_os_string();
        let env: [(&str, OsString); 6] = [
            ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
            ("HOME", at("home")),
            ("OUT", at("outside")),
            ("ROOT", at("")),
            ("GIT_CONFIG_GLOBAL", "/dev/null".into()),
            ("GIT_CONFIG_PARAMETERS", "'user.name=u' 'user.email=u@x' 'init.defaultBranch=main'".into()),
        ];
        let env = env.into_iter().map(|(name, value)| (name.into(), value)).collect();
        let argv = ["bash", "--noprofile", "--norc", "-c", script];
        Spawn { env, ..Spawn::new(argv, self.at("workspace")) }
    }

    fn start(&self, script: &str) -> Running {
        self.children.start(self.sandbox.hold(self.spawn(script), &self.profile).unwrap()).unwrap()
    }

    async fn run(&self, script: &str) -> Told {
        told(&mut self.start(script)).await
    }

    /// Without anybody to hold it.
    async fn bare(&self, script: &str) -> Told {
        told(&mut self.children.start(self.spawn(script)).unwrap()).await
    }

    #[track_caller]
    fn prepare(&self, script: &str) {
        let spawn = self.spawn(script);
        let mut command = Command::new("bash");
        command.args(&spawn.argv[1..]).envs(spawn.env).current_dir(spawn.cwd);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{script}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// All that lies below a directory, with what can be changed of it.
    fn all_of(&self, name: &str) -> BTreeMap<PathBuf, (u32, i64, Vec<u8>)> {
        let mut found = BTreeMap::new();
        let mut left = vec![self.at(name)];
        while let Some(path) = left.pop() {
            let meta = path.symlink_metadata().unwrap();
            if meta.is_dir() {
                left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            let bytes = if meta.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            let time = if meta.is_file() { meta.mtime() } else { 0 };
            found.insert(path, (meta.mode(), time, bytes));
        }
        found
    }
}

async fn told(running: &mut Running) -> Told {
    let finished = running.wait().await;
    let said = String::from_utf8_lossy(&finished.output.whole().unwrap()).into_owned();
    Told { exit: finished.exit, said }
}

/// Each script succeeds, one after the other.
#[track_caller]
fn succeeds(script: &str, told: &Told) {
    assert!(told.exit.is_success(), "{script}: {told:?}");
}

#[test]
fn what_was_refused_is_told() {
    if std::env::var(TIER).as_deref() != Ok("refused") {
        return;
    }
    let sandbox = Sandbox::with(Tier::Nothing).helped_by(HELPER).wrapped_by("/nowhere/bwrap").or_firmer();
    let told = sandbox.refused();
    assert!(!matches!(sandbox.tier(), Tier::Namespaces | Tier::Bubblewrap), "{told:?}");
    assert!(told[0].contains("namespaces") && told[1].contains("/nowhere/bwrap"), "{told:?}");
}

#[tokio::test]
async fn a_held_command_ends_as_it_does_without() {
    let Some(world) = world() else { return };
    for script in [
        "exit 0",
        "exit 3",
        "exit 125",
        "exit 255",
        "no_such_command_anywhere 2>/dev/null",
        "kill -TERM $$",
        "kill -KILL $$",
        "ulimit -c 0; kill -SEGV $$",
        "kill -PIPE $$",
        "kill -INT $$",
        "kill -HUP $$",
        "kill -RTMIN $$",
        "trap 'exit 7' TERM; kill -TERM $$; exit 8",
        "kill -TERM 0",
        "set -o pipefail; yes | head -1 >/dev/null",
        "exec true",
    ] {
        assert_eq!(world.run(script).await, world.bare(script).await, "{script}");
    }
}

#[tokio::test]
async fn a_held_command_finds_itself_as_it_does_without() {
    let Some(world) = world() else { return };
    for script in [
        "echo $0 $#; pwd; pwd -P; umask; cat; echo end",
        "env -u CLAWD_COMMAND_ID -u _ | sort",
        "cd /; ls /proc/self/fd",
        "grep -E '^(SigBlk|SigIgn|SigCgt)' /proc/self/status",
        "bash -c 'grep SigIgn /proc/$$/status'; ulimit -a | grep -v 'user proc'",
        "id -u; id -g; echo out; echo err >&2",
        "nosuch; (exit 4); echo $?",
    ] {
        let (held, bare) = (world.run(script).await, world.bare(script).await);
        assert_eq!(held, bare, "{script}");
    }
}

#[tokio::test]
async fn nothing_outside_is_changed() {
    let Some(world) = world() else { return };
    let before = world.all_of("outside");
    for script in [
        "echo new > $OUT/file",
        "echo new > $OUT/other",
        "rm $OUT/file",
        "mv $OUT/file here",
        "chmod 777 $OUT/file",
        "touch -d 2001-01-01 $OUT/file",
        "mkdir $OUT/dir",
        "ln $OUT/file here && echo new > here",
        "ln -s $OUT/file link; echo new > link",
        "cd /proc/1/root && echo new > .$OUT/file",
        "truncate -s 0 $OUT/file",
        "touch /etc/x || touch /usr/x || touch /x",
        "mount -o remount,rw / || mount --bind /tmp $OUT || umount -l /proc",
        "unshare -Urm mount -o remount,rw,bind / && unshare -Urm touch $OUT/x",
        "unshare -Urm sh -c 'umount -l /run || mount -o remount,rw /'",
        "echo x > /proc/sys/kernel/core_pattern",
        "echo h > /proc/sysrq-trigger",
        "cat /dev/vda /dev/sda /dev/kmsg /dev/mem",
    ] {
        let told = world.run(script).await;
        assert!(!told.exit.is_success(), "{script}: {told:?}");
        assert_eq!(world.all_of("outside"), before, "{script}");
    }
}

#[tokio::test]
async fn git_works_and_its_hooks_and_configuration_stay() {
    let Some(world) = world() else { return };
    world.prepare("git init -q && echo a > a && git add a && git commit -qm a");
    for script in [
        "echo b > b && git add -A && git commit -qm b && git status --porcelain | wc -c | grep -qx 0",
        "git branch other && git checkout -q other && echo c > c && git add c && git commit -qm c",
        "git checkout -q main && git merge -q other && git rebase -q other && git tag t && git log -1",
        "echo d >> a && git stash -q && git stash pop -q && git checkout a",
        "git worktree add -q wt && cd wt && echo e > e && git add e && git commit -qm e",
        "git worktree remove wt && git gc -q && git fsck",
        "git init -q --template= nested && cd nested && git config a.b c && git commit -q --allow-empty -m x",
        "rm -rf nested && git status --porcelain | wc -c | grep -qx 0",
    ] {
        succeeds(script, &world.run(script).await);
    }
    let protected =
        || (world.all_of("workspace/.git/hooks"), fs::read(world.at("workspace/.git/config")).unwrap());
    let (before, names) = (protected(), world.all_of("workspace").into_keys().collect::<Vec<_>>());
    for script in [
        "git config core.pager evil",
        "git remote add origin x",
        "echo evil >> .git/config",
        "echo evil > .git/hooks/pre-commit",
        "chmod 777 .git/hooks",
        "mv .git .git2",
        "mv .git/hooks .git/old",
        "mv .git/config .git/old",
        "rm -rf .git/hooks/* .git/hooks",
        "echo evil > new && mv new .git/config",
        "rm -f new; mkdir e; ln -sfn e .git/hooks || rm -r e; exit 1",
        "rm -rf e; echo ../evil > .git/commondir",
        "mkdir .clawd/commands",
        "touch .clawd/x",
        "rmdir .clawd",
        "echo {} > .mcp.json",
        "rmdir .mcp.json",
        "mv .mcp.json x",
    ] {
        let told = world.run(script).await;
        assert!(!told.exit.is_success(), "{script}: {told:?}");
        assert_eq!(protected(), before, "{script}");
    }
    assert_eq!(world.all_of("workspace").into_keys().collect::<Vec<_>>(), names, "nothing is left of it");
}

#[tokio::test]
async fn what_is_protected_may_be_a_link() {
    let Some(world) = world() else { return };
    if world.sandbox.tier() == Tier::Bubblewrap {
        return;
    }
    world.prepare("git init -q && rm -rf .git/hooks && mkdir -p tools && touch tools/pre-commit");
    symlink("../tools", world.at("workspace/.git/hooks")).unwrap();
    for script in [
        "rm .git/hooks",
        "mv .git/hooks x",
        "ln -sfn /tmp .git/hooks",
        "echo evil > .git/hooks/pre-commit",
        "echo evil > tools/pre-commit",
        "mv tools x",
    ] {
        let told = world.run(script).await;
        assert!(!told.exit.is_success(), "{script}: {told:?}");
    }
    succeeds("ls", &world.run("ls .git/hooks/pre-commit && git commit -q --allow-empty -m x").await);
}

#[tokio::test]
async fn a_linked_worktree_can_be_committed_in() {
    let Some(world) = world() else { return };
    world.prepare("git init -q ../outside/main && cd ../outside/main && git commit -q --allow-empty -m x");
    world.prepare("rmdir ../workspace && cd ../outside/main && git worktree add -q ../../workspace");
    let script = "echo a > a && git add a && git commit -qm a && git log --oneline | wc -l | grep -qx 2";
    succeeds(script, &world.run(script).await);
    for script in [
        "git config a.b c",
        "echo evil > $OUT/main/.git/hooks/x",
        "echo evil > $OUT/main/.git/worktrees/workspace/commondir",
        "rm .git && echo gitdir: /x > .git",
        "touch $OUT/main/x",
    ] {
        let told = world.run(script).await;
        assert!(!told.exit.is_success(), "{script}: {told:?}");
    }
}

#[tokio::test]
async fn the_temporary_directory_is_private_and_lasts() {
    let Some(world) = world() else { return };
    let mark = world.root.file_name().unwrap().to_str().unwrap().to_owned();
    let name = format!("clawd-room-{mark}");
    succeeds("write", &world.run(&format!("echo kept > /tmp/{name} && echo s > /dev/shm/{name}")).await);
    for script in [format!("cat /tmp/{name}"), format!("cat /var/tmp/{name}")] {
        assert_eq!(world.run(&script).await.said, "kept\n");
    }
    assert!(!world.run(&format!("cat /dev/shm/{name}")).await.exit.is_success());
    for place in ["/tmp", "/var/tmp", "/dev/shm"] {
        assert!(!Path::new(place).join(&name).exists(), "{place}");
    }
    let mut spawn = world.spawn("mktemp");
    spawn.env.push(("TMPDIR".into(), world.at("outside").into()));
    let held = world.sandbox.hold(spawn, &world.profile).unwrap();
    let said = told(&mut world.children.start(held).unwrap()).await.said;
    assert!(said.starts_with("/tmp/tmp."), "{said}");
}

#[tokio::test]
async fn a_command_that_may_write_nothing_reads_what_others_left() {
    let Some(mut world) = world() else { return };
    succeeds("write", &world.run("echo kept > /tmp/kept").await);
    world.profile = Profile { writable: Vec::new(), protected: Vec::new(), ..world.profile.clone() };
    assert_eq!(world.run("cat /tmp/kept").await.said, "kept\n");
    assert!(!world.run("touch x").await.exit.is_success());
    world.run("echo changed > /tmp/kept; rm /tmp/kept").await;
    assert_eq!(world.run("cat /tmp/kept").await.said, "kept\n");
    assert_eq!(fs::read_dir(world.at("workspace")).unwrap().count(), 0, "not even for a moment");
}

#[tokio::test]
async fn caches_can_be_written_and_stay_as_they_are() {
    let Some(world) = world() else { return };
    if world.sandbox.tier() == Tier::Bubblewrap {
        assert!(!world.run("touch ~/.cargo/new").await.exit.is_success(), "it has no overlays");
        return;
    }
    let before = world.all_of("home");
    let script = "cd ~/.cargo && cat old && echo new > new && echo more >> old && mkdir d && mv new d && ls";
    assert_eq!(world.run(script).await.said, "old\nd\nold\ntoken\n");
    assert_eq!(world.run("cat ~/.cargo/d/new ~/.cargo/old ~/.cargo/token").await.said, "new\nold\nmore\n");
    assert_eq!(world.all_of("home"), before);
    assert!(!world.run("touch ~/x || touch ~/.cargo/../x").await.exit.is_success());
    let script = "flock ~/.cargo/lock -c 'rm -r ~/.cargo/d' && test ! -e ~/.cargo/d";
    succeeds(script, &world.run(script).await);
}

#[tokio::test]
async fn two_commands_at_once_have_caches_of_their_own() {
    let Some(world) = world() else { return };
    if world.sandbox.tier() == Tier::Bubblewrap {
        return;
    }
    let mut first = world.start("echo first > ~/.cargo/who; echo there; sleep 60 & wait");
    first.tail().wait_for(|tail| tail.lines > 0).await.unwrap();
    let second = world.run("cat ~/.cargo/who; echo second > ~/.cargo/who; cat ~/.cargo/who").await;
    assert!(second.said.ends_with("second\n") && !second.said.contains("first"), "{second:?}");
    drop(first.abort().await);
    first.over().await;
    assert_eq!(world.run("cat ~/.cargo/who").await.said, "first\n");
}

#[tokio::test]
async fn what_is_masked_is_not_to_be_read() {
    let Some(world) = world() else { return };
    let script = "cat ~/.ssh/id ~/.netrc ~/.cargo/token $ROOT/state/key $ROOT/scratch/tmp/../../state/key";
    for name in ["cat ~/.ssh/id", "cat ~/.netrc", "cat ~/.cargo/token", "cat $ROOT/state/key", script] {
        let told = world.run(name).await;
        assert!(!told.said.contains("old\n"), "{name}: {told:?}");
    }
    for script in ["echo x > ~/.netrc", "touch ~/.ssh/x", "rm ~/.netrc", "mv ~/.ssh x", "umount ~/.ssh"] {
        assert!(!world.run(script).await.exit.is_success(), "{script}");
    }
}

#[tokio::test]
async fn services_of_the_host_are_not_there() {
    let Some(world) = world() else { return };
    let socket = world.at("outside/agent");
    let listener = UnixListener::bind(&socket).unwrap();
    listener.set_nonblocking(true).unwrap();
    let connect = "perl -MIO::Socket::UNIX -e 'exit !IO::Socket::UNIX->new($ENV{SSH_AUTH_SOCK})'";
    let mut spawn = world.spawn(connect);
    spawn.env.push(("SSH_AUTH_SOCK".into(), socket.into()));
    let held = world.sandbox.hold(spawn, &world.profile).unwrap();
    let told = told(&mut world.children.start(held).unwrap()).await;
    assert_eq!(told.exit, Exit::Code(1), "{told:?}");
    assert!(listener.accept().is_err());
    assert_eq!(world.run("ls -A /run | grep -v -e current-system -e opengl -e media").await.said, "");
}

#[tokio::test]
async fn only_its_own_loopback_is_reached() {
    let Some(mut world) = world() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
    assert!(!world.run(&connect).await.exit.is_success());
    let server = "perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 1, LocalAddr => \"127.0.0.1\") or die; \
                  system(\"bash\", \"-c\", \"exec 3<>/dev/tcp/127.0.0.1/\" . $s->sockport) and die; $s->accept or die'";
    succeeds(server, &world.run(server).await);
    assert_eq!(world.run("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '").await.said, "lo\n");
    world.profile.network = Network::On;
    succeeds(&connect, &world.run(&connect).await);
}

#[tokio::test]
async fn only_its_own_processes_are_there() {
    let Some(world) = world() else { return };
    let said = world.run("ls /proc | grep -c '^[0-9]'").await.said;
    assert!(said.trim().parse::<u32>().unwrap() <= 4, "{said}");
    let ours = std::process::id();
    for script in
        [format!("kill -0 {ours}"), format!("cat /proc/{ours}/environ"), "cat /proc/1/environ".into()]
    {
        assert!(!world.run(&script).await.exit.is_success(), "{script}");
    }
    let rights = world.run("grep -E '^(Cap|NoNewPrivs)' /proc/self/status | cut -f2 | sort -u").await.said;
    assert_eq!(rights, "0000000000000000\n1\n");
}

#[tokio::test]
async fn what_is_left_in_the_background_lives_on_and_ends_when_told() {
    let Some(world) = world() else { return };
    for script in [
        "sleep 60 & echo started",
        "sleep 60 >/dev/null 2>&1 & echo started",
        "setsid sleep 60 & echo started",
    ] {
        let mut running = world.start(script);
        let finished = running.wait().await;
        assert_eq!((finished.exit, finished.lingering), (Exit::Code(0), true), "{script}");
        assert!(!running.abort().await.exit.is_success() || running.exit() == Some(Exit::Code(0)));
        running.over().await;
        assert_eq!(
            fs::read_dir(world.at("workspace")).unwrap().count(),
            0,
            "{script}: nothing is left of it"
        );
    }
}

#[tokio::test]
async fn what_is_left_in_the_background_ends_the_room_when_it_ends() {
    let Some(world) = world() else { return };
    let mut running = world.start("mkfifo go; { read < go; echo late; } & echo early");
    let finished = running.wait().await;
    assert_eq!((finished.exit, finished.lingering), (Exit::Code(0), true));
    assert!(world.at("workspace/.mcp.json").exists(), "still held");
    fs::write(world.at("workspace/go"), "\n").unwrap();
    running.over().await;
    assert_eq!(running.so_far().whole().unwrap(), b"early\nlate\n");
    assert!(!world.at("workspace/.mcp.json").exists());
}

#[tokio::test]
async fn a_command_hears_that_it_is_to_end() {
    let Some(world) = world() else { return };
    let running = world.start("trap 'echo heard; exit 7' TERM; echo there; while :; do sleep 0.01; done");
    running.tail().wait_for(|tail| tail.lines > 0).await.unwrap();
    running.stop();
    running.over().await;
    let said = running.so_far().whole().unwrap();
    assert!(said.starts_with(b"there\nheard\n"), "{}", String::from_utf8_lossy(&said));
    let deaf = world.start("trap '' TERM; setsid bash -c 'trap \"\" TERM; sleep 60' & echo there; wait");
    deaf.tail().wait_for(|tail| tail.lines > 0).await.unwrap();
    deaf.stop();
    deaf.over().await;
}

#[tokio::test]
async fn what_cannot_be_held_is_not_started_and_says_why() {
    let Some(mut world) = world() else { return };
    let script = "touch started";
    symlink(world.at("outside"), world.at("workspace/link")).unwrap();
    world.profile.writable.push(world.at("workspace/link/deep"));
    fs::create_dir(world.at("outside/deep")).unwrap();
    if world.sandbox.tier() == Tier::Namespaces {
        let told = world.run(script).await;
        assert_eq!(told.exit, Exit::Code(FAILED_CODE.into()), "{told:?}");
        assert!(told.said.starts_with(FAILED) && told.said.lines().count() == 1, "{told:?}");
    }
    world.profile.writable.pop();
    let mut spawn = world.spawn(script);
    spawn.cwd = world.at("state");
    let held = world.sandbox.hold(spawn, &world.profile).unwrap();
    let told = told(&mut world.children.start(held).unwrap()).await;
    assert!(told.exit == Exit::Code(FAILED_CODE.into()) || !world.at("state/started").exists(), "{told:?}");
    assert!(!world.at("workspace/started").exists());
    let names: Vec<_> =
        fs::read_dir(world.at("workspace")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["link"], "nothing is left of it");
}

#[tokio::test]
async fn many_commands_at_once_do_not_disturb_each_other() {
    let Some(world) = world() else { return };
    let mut all: Vec<Running> =
        (0..8).map(|number| world.start(&format!("! echo x > .mcp.json; exit {number}"))).collect();
    for (number, running) in (0..).zip(&mut all) {
        let told = told(running).await;
        assert_eq!(told.exit, Exit::Code(number), "{told:?}");
        assert!(told.said.contains(".mcp.json"), "{told:?}");
    }
    assert_eq!(fs::read_dir(world.at("workspace")).unwrap().count(), 0);
}
