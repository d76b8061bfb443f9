//! What commands do to files: what they delete, and what they write.
//!
//! By the words of a command alone; where a path leads, and whether that is harm, is judged elsewhere. What a script or a
//! program writes by itself is not seen.

use super::args::Args;
use super::deed::{Deed, Kind, What, is_litter};
use super::{archives, copied, git, written};
use crate::permission::script::{self, BELOW, Command};

/// Everything that the command would do.
pub(super) fn deeds(command: &Command) -> Vec<Deed> {
    let emptied = command.empties.iter().cloned().map(|name| Deed::Replaces(What::File(name)));
    let grown = command.grows.iter().cloned().map(|name| Deed::Changes(What::File(name)));
    let rest = command.words.get(1..).unwrap_or_default();
    let by_words = match script::program(&command.words) {
        "rm" | "unlink" => removed(command),
        "pytest" | "py.test" => {
            // it empties the directory first
            let args = Args::read(rest, "", &["basetemp"]);
            args.values(' ', "basetemp").cloned().map(What::Tree).map(Deed::Deletes).collect()
        }
        "rimraf" => {
            let operands = Args::read(rest, "", &[]).operands.into_iter();
            operands.map(What::Tree).map(Deed::Deletes).collect()
        }
        "find" => found(command),
        "git" => git::deeds(rest),
        program @ ("cp" | "mv" | "install" | "ln") => copied::deeds(program, rest),
        "rsync" => copied::synced(rest),
        "scp" => copied::fetched(rest),
        program if archives::PROGRAMS.contains(&program) => archives::deeds(program, rest),
        "wipefs" | "fdisk" | "parted" | "mkswap" => vec![Deed::Other("modifies a disk")],
        mkfs if mkfs == "mkfs" || mkfs.starts_with("mkfs.") => vec![Deed::Other("formats a disk")],
        program => written::deeds(program, rest),
    };
    emptied.chain(grown).chain(by_words).collect()
}

fn removed(command: &Command) -> Vec<Deed> {
    let args = Args::read(command.words.get(1..).unwrap_or_default(), "", &[]);
    let is_recursive = args.has('r', "recursive") || args.has('R', "recursive");
    let one = |word: String| match word.strip_suffix(BELOW) {
        Some(start) => What::Below(start.to_owned(), command.source.as_deref().map_or(Kind::Any, looked_for)),
        None if is_recursive => What::Tree(word),
        None => What::File(word),
    };
    args.operands.into_iter().map(one).map(Deed::Deletes).collect()
}

/// `find` with `-delete`, or with something that deletes what it finds.
fn found(command: &Command) -> Vec<Deed> {
    let words = &command.words;
    let is_rm = |word: &String| matches!(script::name_of(word), "rm" | "unlink" | "shred");
    let runs = words.iter().position(|word| matches!(word.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir"));
    let removes =
        words.iter().any(|word| word == "-delete") || runs.is_some_and(|at| words.iter().skip(at).any(is_rm));
    let kind = looked_for(words);
    let starts = script::starts(words).into_iter().filter(|_| removes);
    let removed = starts.map(|start| Deed::Deletes(What::Below(start, kind)));
    removed.chain(listed(words)).collect()
}

/// `-fprint FILE` and its like.
fn listed(words: &[String]) -> impl Iterator<Item = Deed> {
    let into = |word: &String| matches!(word.as_str(), "-fprint" | "-fprint0" | "-fprintf" | "-fls");
    let pairs = words.iter().zip(words.iter().skip(1)).filter(move |(option, _)| into(option));
    pairs.map(|(_, name)| Deed::Replaces(What::File(name.clone())))
}

/// What a search is for.
fn looked_for(words: &[String]) -> Kind {
    let names = words.iter().zip(words.iter().skip(1));
    let names: Vec<&String> = names
        .filter(|(option, _)| matches!(option.as_str(), "-name" | "-iname"))
        .map(|(_, name)| name)
        .collect();
    let is_or = words.iter().any(|word| matches!(word.as_str(), "-o" | "-or" | "!" | "-not" | ","));
    let all = !names.is_empty() && !is_or && names.iter().all(|name| is_litter(name));
    if all { Kind::Litter } else { Kind::Any }
}
