//! A developer's day: builds, tests and versions of eight trades, as commands that are held.
//!
//! Each row of a table says what lies there, what is run, how it shows that it worked, and what becomes of it in the first
//! tier and in the second. What is said to fail has to fail, and its reason has to stand in the documentation: a gap that
//! closes is as red as one that opens (in the second tier only where `CLAWD_TEST_REQUIRE` asks for it, else it is told).
//! There is no network, so nothing is fetched. Not what a command may *not* do: that is `sandbox`.
//!
//! Like `sandbox`, this calls the library by name, for the program takes the firmest tier and here each is wanted; one row
//! of every trade goes through the program itself. The surprise: a table runs in a process of its own, this binary once
//! more, because who waits for commands takes whatever child has ended. It runs as whoever started the tests. A tool that is
//! not here leaves its rows out, and says so; where it is required it fails.

mod c;
mod git;
mod go;
mod java;
mod node;
mod python;
mod row;
mod rust;
mod servers;
mod world;

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use clawd::sandbox::files::{NEEDED, abi as interface};
use clawd::sandbox::{Sandbox, Tier};
use rustix::io::Errno;
use serde_json::json;

use crate::endpoint::call;
use crate::workshop::Workshop;
use row::{Fate, Proof, Row};
use world::World;

/// Names the tier of a table, in the process that runs it.
const TABLE: &str = "CLAWD_TEST_EVERYDAY";

/// Names what must be there, separated by commas.
const REQUIRE: &str = "CLAWD_TEST_REQUIRE";

/// That the second tier is as it was said to be. There commands see the system's own places, so what becomes of other makers'
/// tools hangs on a machine more than on us: it is told, and red only for who asks.
const SECOND: &str = "everyday-landlock";

/// What `everyday` requires: the tools that are installed where the gates run.
const REQUIRED: [&str; 7] = ["cargo", "node", "python3", "go", "gcc", "make", "git"];

/// Stands before the rows that are not as they were said to be.
const WRONG: &str = "these rows are not as expected:";

const HELPER: &str = env!("CARGO_BIN_EXE_clawd");

/// The essay of the sandbox, where users' questions are answered from.
const DOCUMENTATION: &str = include_str!("../../../src/sandbox/mod.rs");

/// The trades: a name, the tools that all of its rows need, the rows.
const TRADES: [(&str, &[&str], &[Row]); 8] = [
    ("rust", &["cargo"], rust::ROWS),
    ("node", &["node"], node::ROWS),
    ("python", &["python3"], python::ROWS),
    ("go", &["go"], go::ROWS),
    ("java", &["javac"], java::ROWS),
    ("c", &["make", "gcc"], c::ROWS),
    ("git", &["git"], git::ROWS),
    ("servers", &[], servers::ROWS),
];

#[test]
fn a_day_in_a_room() {
    let found = Sandbox::with(Tier::Nothing).helped_by(HELPER).or_firmer();
    if found.tier() != Tier::Namespaces {
        return left_out("sandbox", &found.refused().join("; "));
    }
    check(Tier::Namespaces);
}

#[test]
fn a_day_held_by_landlock() {
    if interface() < NEEDED {
        return left_out("sandbox", "a kernel with Landlock");
    }
    check(Tier::Landlock);
}

#[test]
fn what_fails_in_a_room_works_held_by_nobody() {
    check(Tier::Nothing);
}

#[test]
fn every_reason_stands_in_the_documentation() {
    let mut wrong = Vec::new();
    for (trade, _, row) in all() {
        for (fate, tier) in [(row.room, "first"), (row.landlock, "second")] {
            let Fate::Fails(_, why) = fate else { continue };
            let title = format!("# What does not work in the {tier} tier");
            let section = DOCUMENTATION.split_once(&title).map_or("", |(_, rest)| rest);
            let section = section.split("//! #").next().unwrap_or_default();
            if !section.lines().any(|line| line.to_lowercase().starts_with(&format!("//! - {why}"))) {
                wrong.push(format!("{trade}, {}: no line of `{title}` begins with `{why}`", row.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_of_each_trade_works_through_the_program() {
    for name in [
        "cargo test",
        "npm test",
        "venv without pip",
        "go build",
        "javac, jar, java -jar",
        "make",
        "git rebase",
        "a server's unittest",
    ] {
        let (trade, tools, row) = all().find(|(_, _, row)| row.name == name).expect("a row of this name");
        if let Some(why) = missing(tools, &row) {
            left_out_of_everyday(trade, &row, &why);
            continue;
        }
        through_the_program(trade, &row);
    }
}

/// Not a test of its own: a table, in its own process. Elsewhere there is nothing to do.
#[test]
fn table() {
    let Ok(name) = std::env::var(TABLE) else { return };
    let tier = [Tier::Nothing, Tier::Landlock, Tier::Namespaces].into_iter().find(|tier| tier.name() == name);
    let tier = tier.expect("a tier");
    let world = World::new(tier);
    let mut wrong = Vec::new();
    for (trade, tools, row) in all().filter(|(_, _, row)| tier != Tier::Nothing || row.room != Fate::Works) {
        if let Some(why) = missing(tools, &row) {
            left_out_of_everyday(trade, &row, &why);
            continue;
        }
        let (mut came, mut took) = world.run(&row);
        let mut problem = judge(tier, &row, &came);
        // the tools are not ours, and some have hours of their own: what comes right in the same place once can come right
        if let Some(problem) = problem.take_if(|_| tier != Tier::Nothing) {
            say(&format!("once more: {trade}, {}: {problem}", row.name));
            (came, took) = world.run(&row);
        }
        let problem = problem.or_else(|| judge(tier, &row, &came));
        let became = if came.worked() { "works" } else { "fails" };
        say(&format!("{trade}, {}: {became} in {} ms", row.name, took.as_millis()));
        wrong.extend(problem.map(|problem| format!("{trade}, {}: {problem}", row.name)));
    }
    assert!(wrong.is_empty(), "{WRONG}\n{}", wrong.join("\n"));
}

fn all() -> impl Iterator<Item = (&'static str, &'static [&'static str], Row)> {
    TRADES.into_iter().flat_map(|(trade, tools, rows)| rows.iter().map(move |row| (trade, tools, *row)))
}

/// What is not as it was said.
fn judge(tier: Tier, row: &Row, came: &world::Came) -> Option<String> {
    let fate = match tier {
        Tier::Namespaces | Tier::Bubblewrap => row.room,
        Tier::Landlock => row.landlock,
        Tier::Nothing => Fate::Works,
    };
    match fate {
        Fate::Works if came.worked() => None,
        Fate::Works => Some(format!("is to work: {came:?}")),
        Fate::Fails(says, _) if !came.exit.is_success() && came.said.contains(says) => None,
        Fate::Fails(says, _) => Some(format!("is to fail and say `{says}`: {came:?}")),
    }
}

fn through_the_program(trade: &str, row: &Row) {
    let options = ["--allowed-tools", "Bash"];
    let mut shop = Workshop::in_mode("default").options(options);
    let home = shop.clawd().home();
    for (name, value) in world::environment(&home) {
        shop = shop.with(|clawd| clawd.env(&name, value.to_str().unwrap()));
    }
    for (path, text) in row.files {
        shop.write(path, text);
    }
    world::furnish(&home, row.home);
    world::prepare(row, &shop.path(""), &world::environment(&home));
    let told = shop.run([[call("Bash", json!({"command": row.command}))]]).told.remove(0);
    let shows = match row.proof {
        Proof::Says(text) => told.contains(text),
        Proof::Makes(path) => shop.path(path).metadata().is_ok_and(|meta| meta.len() > 0),
    };
    assert!(!told.starts_with("Error:") && shows, "{trade}, {}: {told}", row.name);
}

#[track_caller]
fn check(tier: Tier) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "everyday::table", "--nocapture"])
        .env(TABLE, tier.name())
        .env("RUST_BACKTRACE", "0");
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    // what is right need not be read where something is not
    let wrong = said.split_once(WRONG).map_or(&*said, |(_, wrong)| wrong);
    let is_right = output.status.success() && said.contains("1 passed");
    if !is_right && tier == Tier::Landlock && !is_wanted(SECOND) {
        return say(&format!("not as expected in the second tier:\n{wrong}"));
    }
    assert!(is_right, "{wrong}");
    for line in said.lines().filter(|line| line.starts_with("left out: ") || line.starts_with("once more: "))
    {
        say(line);
    }
}

/// Which tool is not here, and whether it is closed to this user.
fn missing(tools: &[&'static str], row: &Row) -> Option<(&'static str, Absence)> {
    tools.iter().chain(row.needs).find_map(|tool| Some((*tool, absence(tool)?)))
}

/// Why a tool cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Absence {
    NotHere,
    /// It may be in a directory that this user cannot look into.
    Closed,
}

/// A tool of several words is a question to a shell.
fn absence(tool: &str) -> Option<Absence> {
    if tool.contains(' ') {
        let output = Command::new("sh").args(["-c", tool]).output().unwrap();
        return (!output.status.success()).then_some(Absence::NotHere);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut absence = Absence::NotHere;
    for directory in std::env::split_paths(&path) {
        match directory.join(tool).metadata() {
            Ok(meta) if meta.is_file() && meta.permissions().mode() & 0o111 != 0 => return None,
            Err(error) if error.raw_os_error() == Some(Errno::ACCESS.raw_os_error()) => {
                absence = Absence::Closed;
            }
            Ok(_) | Err(_) => {}
        }
    }
    Some(absence)
}

#[track_caller]
fn left_out_of_everyday(trade: &str, row: &Row, (tool, why): &(&str, Absence)) {
    let is_required = REQUIRED.contains(tool) && *why == Absence::NotHere;
    let why = match why {
        Absence::NotHere => "is not here",
        Absence::Closed => "is not here, or is closed to this user",
    };
    let text = format!("{trade}, {}: `{tool}` {why}", row.name);
    assert!(!(is_required && is_wanted("everyday")), "required and not to be had: {text}");
    say(&format!("left out: {text}"));
}

#[track_caller]
fn left_out(what: &str, why: &str) {
    assert!(!is_wanted(what), "{what} is required and not to be had: {why}");
    say(&format!("left out: no {what} here: {why}"));
}

fn is_wanted(what: &str) -> bool {
    std::env::var(REQUIRE).unwrap_or_default().split(',').any(|name| name == what)
}

/// What cannot be tested here is said, never passed over, also by a test that passes; and who runs one table by hand sees its
/// rows.
fn say(line: &str) {
    // a macro would be caught, and shown of a test that fails alone
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}
