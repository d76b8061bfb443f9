//! What runs unasked, on trial: a corpus of lines with their verdicts, everyday lines that should not ask, laws that hold
//! for any line, and bash itself as the judge of what a line means (`differential`).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::*;
use crate::permission::is_secret;
use crate::permission::scope::clean;

use super::judge::judged;
use super::runs::{Does, Inserted, Runs, number_of, text_of};
use super::tree::{Joint, Part, What, Word};

mod corpus;
mod differential;
mod laws;

/// What lies in the directories of the little world; `>` leads elsewhere.
const WORLD: [(&str, &str); 10] = [
    ("/", "w/ etc/ home/ usr/"),
    (
        "/w",
        "a.rs b.rs package.json Cargo.toml .env .env.example .git/ .ssh/ src/ docs/ target/ key.pem credentials.json \
            link/ many/ pinned/ wild/ unread/",
    ),
    ("/w/src", "main.rs lib.rs deep/"),
    ("/w/docs", "main.md"),
    ("/w/link", "main.rs lib.rs deep/"),
    ("/w/pinned", ".tool-versions rust-toolchain.toml"),
    ("/w/shimmed", ".ruby-version"),
    ("/w/src/deep", "x.rs"),
    ("/etc", "passwd shadow"),
    ("/home", "u/"),
];

/// Links, and where they lead.
const LINKS: [(&str, &str); 3] = [("/w/link", "/w/src"), ("/w/out", "/etc"), ("/w/hidden", "/w/.env")];

fn follow(path: &Path) -> PathBuf {
    let mut real = PathBuf::new();
    for part in path.components() {
        real = clean(&real.join(part));
        real =
            LINKS.iter().find(|(link, _)| Path::new(link) == real).map_or(real, |(_, to)| PathBuf::from(to));
    }
    real
}

fn names(path: &Path) -> Option<Vec<OsString>> {
    let path = clean(path);
    let names =
        WORLD.iter().find(|(directory, _)| Path::new(directory) == path).map_or("", |(_, names)| names);
    (path != Path::new("/w/many")).then(|| names.split_whitespace().map(OsString::from).collect())
}

fn git_config(path: &Path) -> Option<String> {
    let filter = if path.starts_with("/w/wild") { "[filter \"x\"]\nclean = ./evil\n" } else { "" };
    (!path.starts_with("/w/unread")).then(|| format!("[core]\n\tbare = false\n{filter}"))
}

/// `ninja` is the workspace's own, `rustfmt` nobody knows whose, `ruby` a shim.
fn program(name: &str, path: &[PathBuf]) -> Option<PathBuf> {
    match name {
        "ninja" => Some(PathBuf::from("/w/bin/ninja")),
        "rustfmt" | "ruby" => None,
        name => path.first().map(|directory| directory.join(name)),
    }
}

fn shim(name: &str, _path: &[PathBuf]) -> Option<PathBuf> {
    (name == "ruby").then(|| PathBuf::from("/home/u/.rbenv/shims/ruby"))
}

fn sight() -> Sight {
    Sight { follow, program, shim, names, git_config, path: vec![PathBuf::from("/usr/bin")] }
}

fn scope() -> Scope {
    Scope {
        project: PathBuf::from("/w"),
        workspace: vec![PathBuf::from("/w")],
        temporary: vec![PathBuf::from("/tmp")],
        home: Some(PathBuf::from("/home/u")),
        ..Scope::default()
    }
}

fn here<'a>(scope: &'a Scope, sight: &'a Sight) -> Place<'a> {
    Place { cwd: Path::new("/w"), scope, sight, table: Table::Full }
}

fn known(line: &str, table: Table) -> Option<Known> {
    harmless(line, Path::new("/w"), &scope(), &sight(), table)
}

/// Whether the line runs unasked: it is known, and what it reads may be read.
fn runs_unasked(line: &str, table: Table) -> bool {
    let may_read = |path: &PathBuf| scope().inside(path).is_some() && !is_secret(path);
    known(line, table).is_some_and(|known| known.reads.iter().all(may_read))
}

#[test]
fn a_program_that_a_command_may_have_put_there_is_not_known() {
    let check = |writable: &str, expected: bool| {
        let scope = Scope { writable: vec![PathBuf::from(writable)], ..scope() };
        let known = harmless("ls", Path::new("/w"), &scope, &sight(), Table::Full);
        assert_eq!(known.is_some(), expected, "{writable}");
    };
    check("/opt", true);
    check("/us", true);
    check("/usr/bin", false);
    check("/usr", false);
    let opt = |path: &Path| Path::new("/opt/bin").join(path.file_name().unwrap_or_default());
    let linked = Sight { follow: opt, ..sight() };
    assert!(harmless("ls", Path::new("/w"), &scope(), &linked, Table::Full).is_some());
    let scope = Scope { writable: vec![PathBuf::from("/opt")], ..scope() };
    assert_eq!(harmless("ls", Path::new("/w"), &scope, &linked, Table::Full), None);
}
