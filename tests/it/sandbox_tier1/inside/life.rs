//! How a command begins, ends, and lives on in what it leaves.

use std::fs;

use clawd::os::process::{Exit, Running};

use super::{told, world};

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
        "env -u CLAWD_COMMAND_ID -u _ -u GOCACHE -u UV_CACHE_DIR -u CCACHE_DIR -u npm_config_cache \
         -u CARGO_HOME -u GRADLE_USER_HOME -u TMPDIR | sort",
        "grep -E '^(SigBlk|SigIgn|SigCgt)' /proc/self/status",
        "bash -c 'grep SigIgn /proc/$$/status'; ulimit -a | grep -v 'user proc'",
        "id -u; id -g; echo out; echo err >&2",
        "nosuch; (exit 4); echo $?",
    ] {
        let (held, bare) = (world.run(script).await, world.bare(script).await);
        assert_eq!(held, bare, "{script}");
    }
    let temporary = "echo $TMPDIR; touch \"$TMPDIR/a\" && rm \"$TMPDIR/a\" && echo made";
    assert_eq!(world.run(temporary).await.said, "/tmp\nmade\n", "it has a place for temporary files");
    assert_eq!(world.run("ls /proc/self/fd").await.said, "0\n1\n2\n3\n", "and nothing else is open");
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
        // a busy machine may kill the process that cleans up before it is done: the next command does it then
        world.start("true").over().await;
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
    let said = String::from_utf8_lossy(&said);
    assert!(said.ends_with("heard\n"), "{said}");
    let deaf = world.start("trap '' TERM; setsid bash -c 'trap \"\" TERM; sleep 60' & echo there; wait");
    deaf.tail().wait_for(|tail| tail.lines > 0).await.unwrap();
    deaf.stop();
    deaf.over().await;
}

#[tokio::test]
async fn what_was_killed_leaves_no_trace_once_another_has_run() {
    let Some(world) = world() else { return };
    let workspace = || fs::read_dir(world.at("workspace")).unwrap().count();
    for clean in [Some("true"), None] {
        let running = world.start("trap '' TERM; echo there; while :; do sleep 0.01; done");
        running.tail().wait_for(|tail| tail.lines > 0).await.unwrap();
        assert!(workspace() > 0);
        running.stop();
        running.over().await;
        match clean {
            Some(script) => drop(world.run(script).await),
            None => world.sandbox.tidy_up(&world.profile),
        }
        assert_eq!(workspace(), 0);
    }
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
