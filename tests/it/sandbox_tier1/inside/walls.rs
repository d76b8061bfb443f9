//! What does not get out, and what is not seen from within.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use clawd::os::process::Exit;
use clawd::sandbox::{FAILED, FAILED_CODE, Network, Tier};

use super::{succeeds, told, world};

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
        "cp /proc/sys/kernel/core_pattern as-it-is && cat as-it-is > /proc/sys/kernel/core_pattern",
        ": >> /proc/sysrq-trigger",
        "cat /dev/vda /dev/sda /dev/kmsg /dev/mem",
    ] {
        let told = world.run(script).await;
        assert!(!told.exit.is_success(), "{script}: {told:?}");
        assert_eq!(world.all_of("outside"), before, "{script}");
    }
    if world.sandbox.tier() == Tier::Namespaces {
        assert!(!world.run("unshare -U true").await.exit.is_success(), "there are no rooms in rooms");
    }
}

#[tokio::test]
async fn what_is_masked_is_not_to_be_read() {
    let Some(world) = world() else { return };
    let scripts = [
        "cat ~/.ssh/id",
        "cat ~/.netrc",
        "cat ~/.cargo/token",
        "cat $ROOT/state/key",
        "cat $ROOT/state/*/../key",
    ];
    for script in scripts {
        let told = world.run(script).await;
        assert!(!told.said.contains("old\n"), "{script}: {told:?}");
    }
    let script = "ls $ROOT/state && echo new > $ROOT/state/open/new && ! touch $ROOT/state/new";
    assert!(world.run(script).await.said.starts_with("open\n"), "but what is shown in there is");
    assert_eq!(fs::read_to_string(world.at("state/open/new")).unwrap(), "new\n");
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
    let held = world.sandbox.hold(spawn, &world.profile);
    let told = told(&mut world.children.start(&held).unwrap()).await;
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
async fn what_cannot_be_held_is_not_started_and_says_why() {
    let Some(mut world) = world() else { return };
    let script = "touch started";
    symlink(world.at("outside"), world.at("link")).unwrap();
    world.profile.writable.push(world.at("link/deep"));
    fs::create_dir(world.at("outside/deep")).unwrap();
    if world.sandbox.tier() == Tier::Namespaces {
        let told = world.run(script).await;
        assert_eq!(told.exit, Exit::Code(FAILED_CODE.into()), "{told:?}");
        assert!(told.said.starts_with(FAILED) && told.said.lines().count() == 1, "{told:?}");
    }
    world.profile.writable.pop();
    let mut spawn = world.spawn(script);
    spawn.cwd = world.at("state");
    let held = world.sandbox.hold(spawn, &world.profile);
    let told = told(&mut world.children.start(&held).unwrap()).await;
    assert!(told.exit == Exit::Code(FAILED_CODE.into()) || !world.at("state/started").exists(), "{told:?}");
    assert!(!world.at("workspace/started").exists());
    assert_eq!(fs::read_dir(world.at("workspace")).unwrap().count(), 0, "nothing is left of it");
}
