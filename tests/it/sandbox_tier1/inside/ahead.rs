//! Rooms that are there before their command: when there is one, what it knows by then, and what becomes of it unused.
//!
//! That a command in one is held, begins and ends as in any other is shown by all else in `inside`, which runs once more with
//! rooms of this kind. The surprise: what tells the two apart is how the first process inside was started.

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use clawd::os::process::{Children, Spawn};
use clawd::sandbox::{FAILED, Network, Profile, Sandbox, Tier};
use rustix::net::{AddressFamily, RecvFlags, SocketFlags, SocketType, recv, socketpair};

use super::super::HELPER;
use super::{Rooms, World, told, world};
use crate::in_view::make_ready;

/// Only for what would hang.
const LONG: Duration = Duration::from_mins(1);

/// Says which room this is.
const WHICH: &str = "tr '\\0' '\\n' < /proc/1/cmdline | sed -n 2p";
const MADE_THEN: &str = "--held-command\n";
const MADE_AHEAD: &str = "--room-for-a-command\n";

fn world_with(rooms: Rooms) -> Option<World> {
    world().filter(|world| world.rooms == rooms && !world.is_bwrap())
}

impl World {
    fn is_bwrap(&self) -> bool {
        self.sandbox.tier() != Tier::Namespaces
    }

    fn ready(&self) {
        make_ready(&self.children, &self.sandbox.hold(self.spawn("true"), &self.profile).unwrap());
    }

    /// In whatever room is there.
    async fn run_as_it_is(&self, spawn: Spawn, profile: &Profile) -> String {
        let held = self.sandbox.hold(spawn, profile).unwrap();
        told(&mut self.children.start(held).unwrap()).await.said
    }
}

#[tokio::test]
async fn the_first_command_has_its_room_made_then_and_the_next_after_a_rest_finds_one() {
    let Some(world) = world_with(Rooms::Then) else { return };
    let _expecting = world.children.expect();
    let which = async || world.run_as_it_is(world.spawn(WHICH), &world.profile).await;
    assert!(!world.children.are_ahead());
    assert_eq!(which().await, MADE_THEN);
    let begun = Instant::now();
    while !world.children.are_ahead() {
        assert!(begun.elapsed() < LONG);
        tokio::task::yield_now().await;
    }
    assert_eq!(fs::read_dir(world.at("workspace")).unwrap().count(), 0, "nothing of it is on the disk");
    assert_eq!(which().await, MADE_AHEAD);
    assert_eq!(which().await, MADE_THEN, "each is used once");
    world.children.end().await;
    assert!(!world.children.are_ahead());
    world.children.go_ahead(&world.sandbox.hold(world.spawn(""), &world.profile).unwrap().within.unwrap());
    assert!(!world.children.are_ahead(), "none is made once all is ended");
}

#[tokio::test]
async fn what_has_changed_since_it_was_made_is_seen() {
    let Some(world) = world_with(Rooms::Ahead) else { return };
    for (change, attempt) in [
        ("mkdir -p .git/hooks && echo ref: refs/heads/main > .git/HEAD", "echo x > .git/hooks/pre-commit"),
        ("mv .git was && cp -r was .git", "echo x > .git/hooks/pre-commit || echo x > .git/config"),
        ("mv .git gone && ln -s gone .git", "rm .git"),
        ("rm -r .git gone was; mkdir -p .git tools; ln -s ../tools .git/hooks", "echo x > tools/x"),
        ("mkdir -p .clawd", "echo x > .clawd/x"),
        ("echo {} > .mcp.json", "echo x > .mcp.json"),
        ("rm -rf ~/.netrc; echo new > ~/.netrc", "grep . ~/.netrc"),
        ("mv ~/.ssh ~/older; mkdir ~/.ssh; echo new > ~/.ssh/id", "cat ~/.ssh/id"),
        ("mkdir -p $OUT/dir; rm -rf dir; ln -s $OUT/dir dir", "echo x > dir/x"),
    ] {
        world.ready();
        world.prepare(change);
        let script = format!("{attempt} && echo happened; {WHICH}");
        let said = world.run_as_it_is(world.spawn(&script), &world.profile).await;
        assert!(said.ends_with(MADE_AHEAD) || said.starts_with(FAILED), "{change}: {said}");
        assert!(!said.contains("happened"), "{change}: {said}");
    }
}

#[tokio::test]
async fn it_fits_another_profile_directory_and_environment_and_no_other_network() {
    let Some(world) = world_with(Rooms::Ahead) else { return };
    fs::create_dir(world.at("other")).unwrap();
    let other = Profile { writable: vec![world.at("other")], ..world.profile.clone() };
    let script = format!("touch made; touch $OUT/x ../workspace/x; pwd; env | grep -c .; echo $ODD; {WHICH}");
    let spawn = || {
        let env =
            [("PATH", "/usr/bin:/bin"), ("ODD", "a\n'b")].map(|(name, value)| (name.into(), value.into()));
        let argv = ["bash", "--noprofile", "--norc", "-c", script.as_str()];
        Spawn { env: env.into(), ..Spawn::new(argv, world.at("other")) }
    };
    let then = Children::new();
    let held = world.sandbox.hold(spawn(), &other).unwrap();
    let expected = told(&mut then.start(held).unwrap()).await.said.replace(MADE_THEN, MADE_AHEAD);
    fs::remove_file(world.at("other/made")).unwrap();
    world.ready();
    assert_eq!(world.run_as_it_is(spawn(), &other).await, expected);
    assert!(world.at("other/made").exists() && !world.at("workspace/x").exists());
    world.ready();
    let connected = Profile { network: Network::On, ..world.profile.clone() };
    assert_eq!(world.run_as_it_is(world.spawn(WHICH), &connected).await, MADE_THEN);
    let many = many_secrets(&world);
    world.ready();
    let script = "cat ../many/*/secret; touch here && echo done";
    let said = world.run_as_it_is(world.spawn(script), &many).await;
    assert!(
        said.ends_with("done\n") && !said.contains("SECRET"),
        "more than can be told inside at once: {said}"
    );
    world.ready();
    let nowhere = Spawn { cwd: world.at("nowhere"), ..world.spawn(WHICH) };
    let held = world.sandbox.hold(nowhere, &world.profile).unwrap();
    let error = world.children.start(held).unwrap_err().to_string();
    assert!(error.contains("does not exist") && world.children.are_ahead(), "{error}");
    let spawn = world.spawn(WHICH);
    let long = [("A", 100), ("B", 100)].map(|(name, size)| (name.into(), "x".repeat(size * 1024).into()));
    let spawn = Spawn { env: spawn.env.into_iter().chain(long).collect(), ..world.spawn(WHICH) };
    assert_eq!(world.run_as_it_is(spawn, &world.profile).await, MADE_THEN, "more than can be told at once");
}

/// So many paths that what the program tells fits into one message, and the view beside it does not.
fn many_secrets(world: &World) -> Profile {
    let name = |number: usize| world.at("many").join(format!("{number:0>120}"));
    let all: Vec<_> = (0..).map(name).take(100 * 1024 / name(0).as_os_str().len()).collect();
    for directory in &all {
        fs::create_dir_all(directory).unwrap();
        fs::write(directory.join("secret"), "SECRET").unwrap();
    }
    Profile { masked: all, ..world.profile.clone() }
}

#[tokio::test]
async fn where_something_was_mounted_since_the_command_has_another_room() {
    let Some(world) = world_with(Rooms::Ahead) else { return };
    world.ready();
    let mount = "mount -t tmpfs none $OUT && echo mounted > $OUT/new";
    let unmount = "umount $OUT";
    if !world.bare(mount).await.exit.is_success() {
        return; // who may mount is the superuser, and not everywhere
    }
    let script = format!("cat $OUT/new; echo $ODD; {WHICH}");
    let mut spawn = world.spawn(&script);
    spawn.env.push(("ODD".into(), "odd".into()));
    let said = world.run_as_it_is(spawn, &world.profile).await;
    world.prepare(unmount);
    assert!(said.starts_with("mounted\nodd\n"), "{said}");
}

/// The world as it is where `change` has been done to a copy of the mounts, `$1` being a directory to mount in.
fn with_mounts(world: &World, change: &str) -> Sandbox {
    let (script, place) = (world.at("helper"), world.at("outside"));
    let within = format!("{change}; shift; exec {HELPER} \"$@\"");
    let text = format!(
        "#!/bin/sh\nPATH=/usr/sbin:/usr/bin:/sbin:/bin\nexec unshare --user --map-root-user --mount -- \
         /bin/sh -ec '{within}' sh {} \"$@\"\n",
        place.display()
    );
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    Sandbox::with(Tier::Namespaces).helped_by(script)
}

const READ_ONLY: &str = "mount --rbind /dev /dev; mount -o remount,bind,ro /dev; ! touch /dev/x 2>&- ";
const ONLY_NULL: &str = "mount -t tmpfs none \"$1\"; touch \"$1/null\"; mount --bind /dev/null \"$1/null\"; mount --rbind \"$1\" /dev";
const NO_DEVICES: &str = "mount -t tmpfs none /dev";

#[tokio::test]
async fn where_devices_are_read_only_or_missing_there_is_a_room_with_those_that_are_there() {
    let Some(mut world) = world().filter(|world| !world.is_bwrap()) else { return };
    let which = if world.rooms == Rooms::Ahead { MADE_AHEAD } else { MADE_THEN };
    let script = format!("echo x > /dev/null; [ -c /dev/zero ] && echo zero; {WHICH}");
    for (change, expected) in [(READ_ONLY, "zero\n"), (ONLY_NULL, "")] {
        world.sandbox = with_mounts(&world, change);
        let told = world.run(&script).await;
        assert_eq!(told.said, format!("{expected}{which}"), "{change}");
    }
    world.sandbox = with_mounts(&world, NO_DEVICES);
    let spawn = world.spawn(&format!("[ -e /dev/null ] || echo none; {WHICH}"));
    let held = world.sandbox.hold(spawn, &world.profile).unwrap();
    world.children.go_ahead(held.within.as_ref().unwrap());
    let mut running = world.children.start(held).unwrap();
    assert_eq!(told(&mut running).await.said, format!("none\n{MADE_THEN}"), "none is made ahead there");
    world.children.end().await;
}

/// A helper that waits, its line, and the first process inside.
fn waiting() -> (Child, OwnedFd, String) {
    let (line, theirs) =
        socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
    let mut command = Command::new(HELPER);
    command.args(["--room-for-a-command", concat!("r", env!("CARGO_PKG_VERSION"))]).env_clear();
    let child = command.stdin(Stdio::from(theirs)).spawn().unwrap();
    drop(command);
    assert_eq!(recv(&line, &mut [0; 1], RecvFlags::empty()).unwrap().0, 1, "it is ready");
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", child.id())).unwrap();
    (child, line, children.trim().to_owned())
}

/// Until a process is no more, or only waits for somebody to ask how it ended.
fn ends(pid: &str) {
    let begun = Instant::now();
    let runs = || {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
    };
    while runs() {
        assert!(begun.elapsed() < LONG, "{pid} runs on");
        std::thread::yield_now();
    }
}

#[test]
fn one_that_waits_ends_with_whoever_had_it_made() {
    if world_with(Rooms::Ahead).is_none() {
        return;
    }
    let (mut child, line, inside) = waiting();
    drop(line);
    assert_eq!(child.wait().unwrap().code(), Some(125), "nobody may take it for a command that went well");
    ends(&inside);
    let (mut child, _line, inside) = waiting();
    child.kill().unwrap();
    child.wait().unwrap();
    ends(&inside);
}
