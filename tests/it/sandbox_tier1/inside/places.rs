//! Where a command may write though nothing is changed by it: the private `/tmp`, and caches.

use std::fs;
use std::path::Path;

use clawd::sandbox::{Profile, Tier};

use super::{succeeds, told, world};

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
    let held = world.sandbox.hold(spawn, &world.profile);
    let said = told(&mut world.children.start(&held).unwrap()).await.said;
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
    let mut first = world.start("echo the-first > ~/.cargo/who; echo there; sleep 60 & wait");
    first.tail().wait_for(|tail| tail.lines > 0).await.unwrap();
    let second = world.run("cat ~/.cargo/who; echo second > ~/.cargo/who; cat ~/.cargo/who").await;
    assert!(second.said.ends_with("second\n") && !second.said.contains("the-first"), "{second:?}");
    drop(first.abort().await);
    first.over().await;
    assert_eq!(world.run("cat ~/.cargo/who").await.said, "the-first\n");
}
