//! What a held command can do and what it cannot: the same attempts in every tier, as the superuser and as nobody.
//!
//! A table (`files`, `others`) says of each attempt what becomes of it in each tier: held, or not, and then whether that is
//! meant or a gap that is told to users. A gap that closes is as red as one that opens. The column without a tier is the
//! control: what does not happen there proves nothing anywhere.
//!
//! Here, unlike elsewhere, the library is called by name, for the program takes the firmest tier and these tests want each.
//! A table runs in a process of its own: this binary once more, started by the test, as nobody too where the test is the
//! superuser. What a shell cannot try, such a process tries itself, inside (`calls`).

mod calls;
mod files;
mod others;
mod world;

use std::process::{Command, Output};

use clawd::sandbox::files::{NEEDED, abi as interface};
use clawd::sandbox::{Sandbox, Tier};

use crate::in_view::place;
use rustix::process::{Gid, Uid};
use tempfile::TempDir;
use world::{PLACE, World};

/// Names the tier of a table, in the process that runs it.
const TABLE: &str = "CLAWD_TEST_PROBES";

/// Names what must be there, separated by commas.
const REQUIRE: &str = "CLAWD_TEST_REQUIRE";

/// Somebody without any rights.
const AS_NOBODY: [&str; 4] = ["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"];
const NOBODY: u32 = 65534;

/// What the profile says.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// The workspace may be written, nothing be reached.
    Usual,
    /// Nothing may be written either.
    ReadOnly,
    /// The same as the usual one, with the network.
    Connected,
}

/// What is tried.
#[derive(Clone, Copy)]
enum Attempt {
    /// A script, in the workspace. It finds in its environment what `World` puts there.
    Bash(&'static str),
    /// One of `calls`.
    Call(&'static str),
}

/// How it shows that it happened.
#[derive(Clone, Copy)]
enum Proof {
    /// It says so: the script by its exit code.
    Told,
    /// Something outside the workspace has changed.
    Outside,
    /// Its output has this in it.
    Says(&'static str),
    /// This file has this in it, seen from outside.
    Holds(&'static str, &'static str),
    /// Somebody outside was spoken to.
    Heard,
    /// Something runs on when all has been ended.
    Outlives,
}

/// What becomes of an attempt in a tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Held,
    /// It happens, which is told to users.
    Gap,
    /// The same on kernels whose Landlock is older than this; held on others.
    GapBefore(u32),
    /// The same for an ordinary user; the superuser's rights are gone, and were needed.
    GapOfUsers,
    /// It happens, as it should.
    Meant,
    /// That is another kernel's or another machine's affair.
    Depends,
}

/// What becomes of it without a tier, for the superuser and for others, and in each tier.
#[derive(Clone, Copy)]
struct Expected {
    bare: [Fate; 2],
    landlock: Fate,
    room: Fate,
}

impl Expected {
    /// Without a tier the superuser alone can do it.
    const fn of_root(self) -> Self {
        Self { bare: [Fate::Meant, Fate::Held], ..self }
    }

    /// Without a tier the superuser can do it on some machines.
    const fn of_some_root(self) -> Self {
        Self { bare: [Fate::Depends, Fate::Held], ..self }
    }

    /// Without a tier it can be done on some machines.
    const fn of_some(self) -> Self {
        Self { bare: [Fate::Depends; 2], ..self }
    }
}

const fn expected(landlock: Fate, room: Fate) -> Expected {
    Expected { bare: [Fate::Meant; 2], landlock, room }
}

/// Held in both tiers.
const HELD: Expected = expected(Fate::Held, Fate::Held);
/// Held in a room alone.
const GAP_WITHOUT_ROOM: Expected = expected(Fate::Gap, Fate::Held);
/// Held nowhere.
const GAP: Expected = expected(Fate::Gap, Fate::Gap);
/// What commands are for.
const MEANT: Expected = expected(Fate::Meant, Fate::Meant);
/// What only a room can offer.
const MEANT_IN_ROOM: Expected = expected(Fate::Held, Fate::Meant);

/// A row: what is tried, how, how it shows, what becomes of it.
type Row = (&'static str, Attempt, Proof, Expected);

#[test]
fn without_a_tier_all_of_it_happens() {
    check(Tier::Nothing);
}

#[test]
fn a_thread_without_rights_holds_what_it_promises() {
    if interface() < NEEDED {
        return left_out("a kernel with Landlock");
    }
    check(Tier::Landlock);
}

#[test]
fn a_room_holds_what_it_promises() {
    let found = Sandbox::with(Tier::Nothing).helped_by(env!("CARGO_BIN_EXE_clawd")).or_firmer();
    if found.tier() != Tier::Namespaces {
        return left_out("a system that lets namespaces be made");
    }
    check(Tier::Namespaces);
}

/// Not a test of its own: a table, in its own process. Elsewhere there is nothing to do.
#[test]
fn table() {
    let Ok(name) = std::env::var(TABLE) else { return };
    let tier = [Tier::Nothing, Tier::Landlock, Tier::Namespaces].into_iter().find(|tier| word(*tier) == name);
    let tier = tier.expect("a tier");
    let world = World::runner(tier);
    let tables = [
        (Kind::Usual, files::ROWS),
        (Kind::Usual, others::ROWS),
        (Kind::ReadOnly, files::READ_ONLY),
        (Kind::Connected, others::CONNECTED),
    ];
    let rows = tables.iter().flat_map(|(kind, rows)| rows.iter().map(|row| (*kind, row)));
    let wrong: Vec<String> = rows.filter_map(|(kind, row)| judge(&world, kind, row)).collect();
    assert!(wrong.is_empty(), "{} are not as promised:\n{}", wrong.len(), wrong.join("\n"));
}

/// Not a test of its own: one call, inside what holds it. Elsewhere there is nothing to do.
#[test]
fn call_from_inside() {
    calls::make();
}

fn judge(runner: &world::Runner, kind: Kind, (name, attempt, proof, expected): &Row) -> Option<String> {
    let expected = match runner.tier {
        Tier::Nothing => expected.bare[usize::from(!rustix::process::geteuid().is_root())],
        Tier::Landlock => expected.landlock,
        Tier::Namespaces | Tier::Bubblewrap => expected.room,
    };
    let (happened, said) = runner.run(kind, attempt, proof);
    let right = match expected {
        Fate::Held => !happened,
        Fate::Gap | Fate::Meant => happened,
        Fate::GapOfUsers => happened != rustix::process::geteuid().is_root(),
        Fate::GapBefore(abi) => happened == (interface() < abi),
        Fate::Depends => true,
    };
    let became = if happened { "it happens" } else { "it is held" };
    (!right).then(|| format!("  {name} ({kind:?}): {became}, expected {expected:?}: {said}"))
}

/// Runs the table, and as nobody once more where that is somebody else.
#[track_caller]
fn check(tier: Tier) {
    let this = std::env::current_exe().unwrap();
    let Some(own) = place("clawd-it-") else { return left_out("a place to build on") };
    passes(&run(Command::new(&this), tier, &own), "as oneself");
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let can = Command::new("setpriv").args(AS_NOBODY).arg("test").arg("-x").arg(&this).status();
    if !can.is_ok_and(|status| status.success()) {
        return left_out("a way to be nobody");
    }
    let mut as_nobody = Command::new("setpriv");
    as_nobody.args(AS_NOBODY).arg(&this);
    rustix::fs::chown(own.path(), Some(Uid::from_raw(NOBODY)), Some(Gid::from_raw(NOBODY))).unwrap();
    passes(&run(as_nobody, tier, &own), "as nobody");
}

fn run(mut command: Command, tier: Tier, place: &TempDir) -> Output {
    command
        .args(["--exact", "sandbox::table", "--nocapture"])
        .env(TABLE, word(tier))
        .env(PLACE, place.path());
    command.output().unwrap()
}

#[track_caller]
fn passes(output: &Output, who: &str) {
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{who}: {said}");
}

fn word(tier: Tier) -> &'static str {
    match tier {
        Tier::Namespaces => "namespaces",
        Tier::Bubblewrap => "bubblewrap",
        Tier::Landlock => "landlock",
        Tier::Nothing => "nothing",
    }
}

/// What cannot be tested here is said; it is an error where the sandbox is required.
#[expect(clippy::print_stdout, reason = "what was not run is said, never passed over")]
fn left_out(what: &str) {
    let required = std::env::var(REQUIRE).unwrap_or_default();
    assert!(!required.split(',').any(|name| name == "sandbox"), "{what} is required and not to be had");
    println!("left out: there is not {what} here");
}
