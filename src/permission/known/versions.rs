//! Programs that are asked for their version and for nothing else.
//!
//! Each has its own way to be asked, for what is a question to one is a script to another: `go version`, but
//! `node version` runs a file, and `ruby -v` what comes through the pipe. Some of them are only doors: which program stands
//! behind is told by a file in the project, and that may name a program of the project's own. Where there is one, here or
//! above, nothing is known. Left out on purpose: `yarn`, `pnpm` and `npx`, which run what a project's files say even then.

use super::options::{Command, Operands, Opt, Parsed};
use super::{Judged, Place};

/// Files that say which program stands behind a name.
const PINS: [&str; 3] = [".tool-versions", "mise.toml", ".mise.toml"];
/// The same for version managers that put a script (a shim) in the place of each program.
pub(super) const SHIM_PINS: [&str; 9] = [
    ".tool-versions",
    ".python-version",
    ".ruby-version",
    ".node-version",
    ".nodejs-version",
    ".nvmrc",
    ".go-version",
    ".perl-version",
    ".rbenv-vars",
];
/// The same for Rust's programs.
const RUST_PINS: [&str; 2] = ["rust-toolchain", "rust-toolchain.toml"];

const LONG: &[Opt] = &[Opt::Longs("version")];
const LONG_OR_GREAT: &[Opt] = &[Opt::Longs("version"), Opt::Flags("V")];
const LONG_OR_SMALL: &[Opt] = &[Opt::Longs("version"), Opt::Flags("v")];

/// The family.
pub(super) const COMMANDS: &[Command] = &[
    Command::new("node", LONG_OR_SMALL, Operands::Own(version)).shimmed(),
    Command::new("npm", LONG_OR_SMALL, Operands::Own(npm)).shimmed(),
    Command::new("python", LONG_OR_GREAT, Operands::Own(version)).shimmed(),
    Command::new("python3", LONG_OR_GREAT, Operands::Own(version)).shimmed(),
    Command::new("ruby", LONG, Operands::Own(version)).shimmed(),
    Command::new("perl", LONG_OR_SMALL, Operands::Own(version)).shimmed(),
    Command::new("php", LONG_OR_SMALL, Operands::Own(version)),
    Command::new("go", &[], Operands::Words(go)).shimmed(),
    Command::new("rustc", LONG_OR_GREAT, Operands::Own(rust)),
    Command::new("cargo", LONG_OR_GREAT, Operands::Own(rust)),
    Command::new("rustfmt", LONG_OR_GREAT, Operands::Own(rust)),
    Command::new("java", &[], Operands::Words(java)),
    Command::new("javac", &[], Operands::Words(java)),
    Command::new("gcc", LONG, Operands::Own(version)),
    Command::new("g++", LONG, Operands::Own(version)),
    Command::new("cc", LONG, Operands::Own(version)),
    Command::new("clang", LONG, Operands::Own(version)),
    Command::new("cmake", LONG, Operands::Own(version)),
    Command::new("make", LONG_OR_SMALL, Operands::Own(version)),
    Command::new("ninja", LONG, Operands::Own(version)),
    Command::new("bash", LONG, Operands::Own(version)),
    Command::new("tmux", &[Opt::Flags("V")], Operands::Own(version)),
    Command::new("sqlite3", LONG, Operands::Own(version)),
    Command::new("docker", LONG_OR_SMALL, Operands::Own(version)),
];

fn version(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let asks = parsed.options.len() == 1 && parsed.operands.is_empty();
    let is_letter_or_word = parsed.options.iter().all(|word| word.len() == 2 || word == "--version");
    (asks && is_letter_or_word && !is_pinned(place, &PINS))
        .then(|| Judged { words: parsed.into_words(), reads: Vec::new() })
}

fn rust(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    version(parsed, place).filter(|_| !is_pinned(place, &RUST_PINS))
}

/// A script that looks for `node` again.
fn npm(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    place.program("node")?;
    version(parsed, place)
}

fn go(words: &[String], place: &Place<'_>) -> Option<Judged> {
    (words == ["version"] && !is_pinned(place, &PINS)).then(|| Judged::of(words))
}

fn java(words: &[String], place: &Place<'_>) -> Option<Judged> {
    let asks = matches!(words, [word] if ["-version", "--version"].contains(&word.as_str()));
    (asks && !is_pinned(place, &PINS)).then(|| Judged::of(words))
}

pub(super) fn is_pinned(place: &Place<'_>, pins: &[&str]) -> bool {
    place.cwd.ancestors().any(|directory| {
        let names = (place.sight.names)(directory);
        names.is_none_or(|names| names.iter().any(|name| pins.iter().any(|pin| name == pin)))
    })
}
