//! Commands in a room of their own: what of a developer's day works in there, what does not get out, and how it ends.
//!
//! Like `sandbox`, and unlike the rest, this calls the library by name, for the program takes the firmest tier and here each
//! is wanted. The tests proper are in `inside`, and run in a process of their own: what waits for commands there takes
//! whatever child has ended, and must not take another test's. That process is this binary, started once for each tier
//! that makes a room, and once more as nobody where it was started by the superuser.

mod inside;

use std::path::PathBuf;
use std::process::{Command, Output};

use crate::in_view::place;
use clawd::sandbox::{Sandbox, Tier};
use rustix::process::{Gid, Uid};

/// Names the tier, in the process that runs the tests proper.
const TIER: &str = "CLAWD_TEST_ROOM";
/// Where they may build their worlds: not in a temporary directory, for a room has its own.
const PLACE: &str = "CLAWD_TEST_PLACE";
/// Another `bwrap` than the system's.
const BWRAP: &str = "CLAWD_TEST_BWRAP";
/// Names what must be there, separated by commas.
const REQUIRE: &str = "CLAWD_TEST_REQUIRE";

const HELPER: &str = env!("CARGO_BIN_EXE_clawd");
/// Somebody without any rights.
const AS_NOBODY: [&str; 4] = ["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"];
const NOBODY: u32 = 65534;

#[test]
fn a_room_of_our_own_making() {
    let sandbox = Sandbox::with(Tier::Nothing).helped_by(HELPER).or_firmer();
    if sandbox.tier() != Tier::Namespaces {
        return left_out("sandbox", &sandbox.refused().join("; "));
    }
    check("namespaces");
}

#[test]
fn a_room_made_by_bwrap() {
    if !bwrap().exists() {
        return left_out("bwrap", "it is not installed");
    }
    check("bwrap");
}

/// The kernel's own switch, turned where it concerns nobody else.
#[test]
fn where_namespaces_are_refused_another_tier_is_found_and_the_refusal_told() {
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" --exact \
                  sandbox_tier1::inside::what_was_refused_is_told --nocapture";
    let this = std::env::current_exe().unwrap();
    let place = place("room-").unwrap_or_else(|| tempfile::tempdir().unwrap());
    let mut command = Command::new("unshare");
    command.args(["-Ur", "sh", "-c", script]).arg(this).env(TIER, "refused").env(PLACE, place.path());
    let output = command.output().unwrap();
    let said = said(&output);
    if !output.status.success() && said.contains("unshare failed") {
        return left_out("sandbox", &said);
    }
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

fn bwrap() -> PathBuf {
    std::env::var_os(BWRAP).unwrap_or_else(|| "/usr/bin/bwrap".into()).into()
}

#[track_caller]
fn check(tier: &str) {
    let this = std::env::current_exe().unwrap();
    passes(&run(Command::new(&this), tier, None), "as oneself");
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let can = Command::new("setpriv").args(AS_NOBODY).arg("test").arg("-x").arg(&this).status();
    if !can.is_ok_and(|status| status.success()) {
        return left_out("sandbox", "nobody can run this");
    }
    let mut as_nobody = Command::new("setpriv");
    as_nobody.args(AS_NOBODY).arg(&this);
    passes(&run(as_nobody, tier, Some(NOBODY)), "as nobody");
}

fn run(mut command: Command, tier: &str, owner: Option<u32>) -> Output {
    let place = place("room-").unwrap_or_else(|| tempfile::tempdir().unwrap());
    rustix::fs::chown(place.path(), owner.map(Uid::from_raw), owner.map(Gid::from_raw)).unwrap();
    command.args(["sandbox_tier1::inside::", "--nocapture"]).env(TIER, tier).env(PLACE, place.path());
    command.output().unwrap()
}

#[track_caller]
fn passes(output: &Output, who: &str) {
    let said = said(output);
    assert!(output.status.success() && !said.contains(" 0 passed"), "{who}: {said}");
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// What cannot be tested here is said; it is an error where it is required.
#[expect(clippy::print_stdout, reason = "what was not run is said, never passed over")]
fn left_out(what: &str, why: &str) {
    let required = std::env::var(REQUIRE).unwrap_or_default();
    assert!(!required.split(',').any(|name| name == what), "{what} is required and not to be had: {why}");
    println!("left out: no {what} here: {why}");
}
