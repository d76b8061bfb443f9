//! What commands leave running, in every way there is to get out of a shell's hands: the call returns when the shell
//! exits, what was left is listed, and ending it leaves nobody behind.
//!
//! Each tree carries a number that nobody else has in its arguments; the process table is searched for it while the
//! program still runs, for at its own end it would sweep up what was overlooked.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::process::Pid;
use serde_json::json;

use crate::endpoint::{Call, Gate, call, calls, text};
use crate::harness::Running;
use crate::pty::{Pty, Size};
use crate::watched::DEADLINE;
use crate::workshop::Workshop;

/// From the shell's exit to the next request.
const AT_ONCE: Duration = Duration::from_millis(300);

/// A busy machine may hold up one try, hardly three; what waits for the wrong thing fails all.
const TRIES: usize = 3;

/// Name and script; `MARK` is the number, `UP` a file that says that all stands.
const TREES: [(&str, &str); 19] = [
    ("a child in the background", "sleep MARK & touch UP"),
    ("one that has no output", "sleep MARK >/dev/null 2>&1 & touch UP"),
    ("a session of its own", "setsid bash -c 'touch UP; exec sleep MARK' &"),
    ("a double fork", "(setsid bash -c '(touch UP; exec sleep MARK) & exit' &)"),
    ("nohup", "nohup sleep MARK >/dev/null 2>&1 & touch UP"),
    ("disown", "sleep MARK & disown -a; touch UP"),
    ("TERM ignored", "(trap '' TERM; sleep MARK; sleep MARK) & touch UP"),
    ("all of them ignored", "trap '' TERM HUP INT; sleep MARK & touch UP"),
    (
        "stopped",
        "bash -c 'touch UP; kill -STOP $$; sleep MARK' & until [[ $(< /proc/$!/stat) == *') T '* ]]; do :; done",
    ),
    ("a flood that nobody stops", "yes MARK & touch UP"),
    ("one line a moment", "bash -c 'touch UP; while :; do echo MARK; sleep 0.01; done' &"),
    ("dead children that nobody waits for", "bash -c ': & : & : & touch UP; exec sleep MARK' &"),
    ("every descriptor closed", "bash -c 'touch UP; exec 0<&- 1>&- 2>&-; exec sleep MARK' &"),
    ("no environment", "env -i /bin/bash -c ': > UP; exec sleep MARK' &"),
    (
        "a daemon that hides",
        "(setsid env -i /bin/bash -c 'exec 0<&- 1>&- 2>&-; : > UP; exec -a \"[kworker/0:1]\" sleep MARK' &)",
    ),
    (
        "a daemon of a daemon that hides",
        "(setsid env -i /bin/bash -c '(exec 0<&- 1>&- 2>&-; : > UP; exec setsid sleep MARK) & exit' &)",
    ),
    ("a coprocess", "coproc sleep MARK; touch UP"),
    ("a substituted input", "exec 3< <(sleep MARK); touch UP"),
    ("a substituted output", "exec 3> >(sleep MARK); touch UP"),
];

/// A number for `sleep` that is in no other process's arguments: a hundred seconds and a little.
fn mark() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("100.{}{:04}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The processes with the mark in their arguments.
fn marked(mark: &str) -> Vec<Pid> {
    let has_mark = |pid: &Pid| {
        let arguments = std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).unwrap_or_default();
        let name =
            std::fs::read_to_string(format!("/proc/{}/comm", pid.as_raw_nonzero())).unwrap_or_default();
        String::from_utf8_lossy(&arguments).contains(mark) && !name.starts_with("clawd")
    };
    processes().filter(has_mark).collect()
}

fn processes() -> impl Iterator<Item = Pid> {
    let number = |entry: std::io::Result<std::fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse().ok();
    std::fs::read_dir("/proc").unwrap().filter_map(number).filter_map(Pid::from_raw)
}

/// Children of the program that have ended and that it has not waited for.
fn zombies(program: Pid) -> usize {
    let is_one = |pid: &Pid| {
        let stat =
            std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
        let fields = stat.rsplit_once(") ").map(|(_, rest)| rest.to_owned()).unwrap_or_default();
        fields.starts_with(&format!("Z {} ", program.as_raw_nonzero()))
    };
    processes().filter(is_one).count()
}

/// Looks until it is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < DEADLINE, "waited for {what}");
        std::thread::yield_now();
    }
}

fn bash(command: &str) -> Call {
    call("Bash", json!({"command": command}))
}

/// The tree, and a shell that exits once it stands and says when.
fn command(shop: &Workshop, tree: &str, mark: &str, number: usize) -> String {
    let up = shop.at(&format!("up-{number}"));
    let tree = tree.replace("MARK", mark).replace("UP", &up);
    let tree = if tree.ends_with('&') { tree } else { format!("{tree};") };
    format!("{tree} until [ -e {up} ]; do sleep 0.01; done; date +%s%N >exited-{number}")
}

/// How long ago the shell said that it exits.
fn since_exit(shop: &Workshop, number: usize) -> Duration {
    let said: u64 = shop.text(&format!("exited-{number}")).trim().parse().unwrap();
    SystemTime::now().duration_since(UNIX_EPOCH + Duration::from_nanos(said)).unwrap_or_default()
}

/// Runs the tree, and while the next answer waits: it came at once, it is listed, it runs; then it is ended, and while
/// the last answer waits: nothing of it is left.
fn leave_and_end(name: &str, tree: &str, number: usize) -> Duration {
    let shop = Workshop::new();
    let mark = mark();
    let (left, ended) = (Gate::new(), Gate::new());
    shop.endpoint().push(calls([bash(&command(&shop, tree, &mark, number))]));
    shop.endpoint().push(text("so").hold(&left).calls([call("KillShell", json!({"id": "bash_1"}))]));
    shop.endpoint().push(text("so").hold(&ended).text("done"));
    let running = shop.start();
    left.wait_reached();
    let took = since_exit(&shop, number);
    assert!(shop.told()[0].contains("[still running: bash_1;"), "{name}: {:?}", shop.told());
    assert!(!marked(&mark).is_empty(), "{name}: it runs");
    left.open();
    ended.wait_reached();
    assert!(shop.told()[1].contains("[bash_1: ended, "), "{name}: {:?}", shop.told());
    assert_eq!(marked(&mark), [], "{name}: somebody is left");
    assert_eq!(zombies(running.pid()), 0, "{name}: somebody waits for nobody");
    ended.open();
    running.wait().expect_code(0);
    took
}

fn check(trees: &[(&str, &str)]) {
    for (number, (name, tree)) in trees.iter().enumerate() {
        let mut tries = (0..TRIES).map(|_| leave_and_end(name, tree, number));
        assert!(tries.any(|took| took < AT_ONCE), "{name}: the call waited longer than {AT_ONCE:?}");
    }
}

// in three parts, so that they run side by side

#[test]
fn what_is_left_running_is_listed_and_ended() {
    check(&TREES[..7]);
}

#[test]
fn what_will_not_end_is_ended() {
    check(&TREES[7..13]);
}

#[test]
fn what_hides_is_found() {
    check(&TREES[13..]);
}

/// All trees at once as one background command, and the command itself replaced by something else.
#[test]
fn a_background_command_ends_with_all_its_trees() {
    let shop = Workshop::new();
    let mark = mark();
    let all: Vec<String> = TREES
        .iter()
        .enumerate()
        // these change the shell itself, or fill the output
        .filter(|(_, (name, _))| !name.contains("flood"))
        .map(|(number, (_, tree))| format!("({})", command(&shop, tree, &mark, number)))
        .collect();
    let (up, ended) = (Gate::new(), Gate::new());
    let command = format!("{}; touch all-up; exec sleep {mark}", all.join("; "));
    shop.endpoint().push(calls([call("Bash", json!({"command": command, "run_in_background": true}))]));
    shop.endpoint().push(text("so").hold(&up).calls([call("KillShell", json!({"id": "bash_1"}))]));
    shop.endpoint().push(text("so").hold(&ended).text("done"));
    let running = shop.start();
    up.wait_reached();
    until("all trees", || shop.path("all-up").exists());
    assert!(marked(&mark).len() >= TREES.len(), "{:?}", marked(&mark));
    up.open();
    ended.wait_reached();
    assert_eq!(marked(&mark), []);
    assert_eq!(zombies(running.pid()), 0);
    ended.open();
    running.wait().expect_code(0);
}

/// Esc on the screen: the program goes on, and nothing of the command does.
#[test]
fn an_abort_leaves_nothing_of_the_foreground_command() {
    let shop = Workshop::new();
    let mark = mark();
    let all: Vec<String> = TREES
        .iter()
        .enumerate()
        .map(|(number, (_, tree))| format!("({})", command(&shop, tree, &mark, number)))
        .collect();
    let command = format!("{}; touch all-up; sleep {mark}", all.join("; "));
    shop.endpoint().push(calls([bash(&command)]));
    let pty = Pty::spawn(&shop.clawd().again().args(["--yolo", "go"]), Size::new(80, 24));
    until("all trees", || shop.path("all-up").exists());
    pty.key("esc");
    pty.wait_for("interrupted");
    until("the end of all trees", || marked(&mark).is_empty());
    pty.key("ctrl-d");
    assert_eq!(pty.wait_exit().code, 0);
}

/// All that a command and its trees print is read, and little of it kept.
#[test]
fn a_flood_is_held_in_little_memory() {
    // as many bytes as an unoptimised program counts in a few seconds
    let bytes: u64 = if cfg!(debug_assertions) { 400 << 20 } else { 10 << 30 };
    for flood in [format!("yes | head -c {bytes}"), format!("tr '\\0' x </dev/zero | head -c {bytes}")] {
        let shop = Workshop::new();
        let (before, after) = (Gate::new(), Gate::new());
        shop.endpoint().push(text("so").hold(&before).calls([bash(&format!("{flood}; echo; echo end"))]));
        shop.endpoint().push(text("so").hold(&after).text("done"));
        let running = shop.start();
        before.wait_reached();
        let at_first = peak(&running);
        before.open();
        after.wait_reached();
        let grown = peak(&running) - at_first;
        after.open();
        running.wait().expect_code(0);
        let told = shop.told().remove(0);
        assert!(told.len() <= 50 * 1024 && told.contains("\nend\n"), "{}", told.len());
        assert!(grown <= 16 * 1024, "{grown} KiB more: {flood}");
    }
}

/// The most memory that the program has had, in KiB.
fn peak(running: &Running) -> u64 {
    let status = PathBuf::from(format!("/proc/{}/status", running.pid().as_raw_nonzero()));
    let status = std::fs::read_to_string(status).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// A user's processes are counted, the superuser's are not.
#[test]
fn a_command_cannot_fork_without_end_and_is_ended_before_the_program_when_memory_runs_out() {
    let shop = Workshop::new();
    // the second measure is taken when the shell runs already
    let read = "own=$(</proc/self/oom_score_adj); ours=$(</proc/$PPID/oom_score_adj)";
    let differ = r#"[ "$own" -gt "$ours" ] 2>/dev/null || [ "$own" = 1000 ]"#;
    let command = format!("ulimit -Su; {read}; until {differ}; do {read}; done; echo $own; echo $ours");
    let told = shop.tell("Bash", json!({"command": command}));
    let numbers: Vec<i64> = told.lines().map(|line| line.parse().unwrap_or(i64::MAX)).collect();
    let threads: i64 = {
        let load = std::fs::read_to_string("/proc/loadavg").unwrap();
        load.split(['/', ' ']).nth(4).unwrap().parse().unwrap()
    };
    assert!(numbers[0] <= threads + 4096 + 1000, "{told} with {threads} running");
    assert_eq!(numbers[1], (numbers[2] + 300).min(1000), "{told}");
}

#[test]
fn a_fork_bomb_ends_at_its_time_limit() {
    let shop = Workshop::new();
    let (bombed, ended) = (mark(), Gate::new());
    // a bomb with a fuse: the superuser may have as many processes as there is room for
    let bomb = format!(
        "ulimit -u 300; bomb() {{ [ $1 -gt 8 ] || {{ bomb $(($1 + 1)) & bomb $(($1 + 1)) & }}; exec sleep {bombed}; }}; bomb 0"
    );
    shop.endpoint().push(calls([call("Bash", json!({"command": bomb, "timeout": 1500}))]));
    shop.endpoint().push(text("so").hold(&ended).text("done"));
    let running = shop.start();
    ended.wait_reached();
    assert!(shop.told()[0].starts_with("Error: timed out after 1 s"), "{:?}", shop.told());
    until("the end of the bomb", || marked(&bombed).is_empty() && zombies(running.pid()) == 0);
    ended.open();
    running.wait().expect_code(0);
}
