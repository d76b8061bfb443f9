//! The real program on systems that lack parts of a sandbox: the tests take them away with a filter of system calls.
//!
//! The filter is one thread's, and of what that starts; the thread runs the program. The surprise: `clone3` is refused as if
//! the kernel had none, so every C library takes `clone`, and there the user namespace is refused by its flag.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};
use serde_json::json;

use crate::endpoint::call;
use crate::workshop::Workshop;

/// What the system lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lacks {
    /// User namespaces: commands get the second tier, where there is Landlock.
    Namespaces,
    /// Landlock too: there is no sandbox.
    Everything,
}

/// What a test does on such a system.
pub(crate) fn without<T: Send>(lacks: Lacks, test: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = scope.spawn(move || {
            apply_filter(&filter(lacks)).unwrap();
            test()
        });
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn filter(lacks: Lacks) -> BpfProgram {
    let new_user = u64::from(libc::CLONE_NEWUSER.cast_unsigned());
    let asks = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(new_user), new_user);
    let asks = vec![SeccompRule::new(vec![asks.unwrap()]).unwrap()];
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    rules.insert(libc::SYS_clone3, Vec::new());
    rules.insert(libc::SYS_clone, asks.clone());
    rules.insert(libc::SYS_unshare, asks);
    if lacks == Lacks::Everything {
        rules.insert(libc::SYS_landlock_create_ruleset, Vec::new());
    }
    let refused = SeccompAction::Errno(libc::ENOSYS.cast_unsigned());
    let here = std::env::consts::ARCH.try_into().unwrap();
    SeccompFilter::new(rules, SeccompAction::Allow, refused, here).unwrap().try_into().unwrap()
}

const ASKED_FOR: [(&[&str], &str); 3] = [
    (&["--sandbox", "workspace-write"], ""),
    (&["--sandbox", "read-only", "--yolo"], ""),
    (&[], "[sandbox]\nmode = \"workspace-write\"\n"),
];

#[test]
fn a_sandbox_that_was_asked_for_and_cannot_be_had_is_an_error() {
    for (options, config) in ASKED_FOR {
        let shop = Workshop::new().with(|clawd| clawd.home_file("config.toml", config));
        let clawd = shop.clawd().again().args(["-p", "--output-format", "stream-json"]);
        let output = without(Lacks::Everything, || clawd.args(options.iter().copied()).arg("go").run());
        let output = output.expect_code(2);
        let line = output.stderr.trim_end();
        assert!(line.starts_with("Error: cannot provide the sandbox `"), "{line}");
        assert!(line.ends_with("(try `clawd doctor`, or --sandbox off)") && !line.contains('\n'), "{line}");
        assert_eq!(output.result()["error"]["type"], "initialization_failed");
        assert!(shop.endpoint().requests().is_empty());
    }
}

#[test]
fn a_system_without_a_sandbox_is_named_once_where_none_was_asked_for() {
    let rule = ["--allowed-tools", "Bash(touch:*)"];
    for (mode, expected) in [("default", 1), ("bypass", 0)] {
        let shop = Workshop::in_mode(mode).options(rule);
        let touch = |name: &str| call("Bash", json!({"command": format!("touch {name}")}));
        let run = without(Lacks::Everything, || shop.run([[touch("a")], [touch("b")]]));
        assert!(shop.path("a").exists() && shop.path("b").exists(), "{mode}");
        let notices = run.output.events_of("notice");
        let named = |notice: &&serde_json::Value| {
            notice["text"].as_str().unwrap().starts_with("no sandbox on this system: ")
        };
        assert_eq!(notices.iter().filter(named).count(), expected, "{mode}: {notices:?}");
    }
}

/// The second tier, as a system has it that refuses namespaces.
#[test]
fn the_second_tier_is_taken_where_there_are_no_namespaces() {
    if clawd::sandbox::files::abi() < clawd::sandbox::files::NEEDED {
        return;
    }
    let shop =
        Workshop::in_mode("default").options(["--allowed-tools", "Bash", "--sandbox", "workspace-write"]);
    let outside = shop.clawd().home().join("outside");
    let command = format!("echo in > made; echo out > {}", outside.display());
    without(Lacks::Namespaces, || shop.run([[call("Bash", json!({"command": command}))]]));
    assert!(shop.path("made").exists() && !outside.exists());
}
