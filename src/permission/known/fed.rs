//! Commands that are given the names of files by another one: `find … -exec`, `… | xargs`, `$(…)`.
//!
//! Which names those are is not known before they run. `find` gives what it found itself, so it can be told to give no links
//! and no secrets, and the command may show contents. `xargs` and `$(…)` give what comes in: only commands that show
//! nothing of a file's contents take names from there, and only from lists of files, which are parted at lines and never taken
//! for options. The surprise: the names of a hostile directory with a line's end in them are still parted; what can be
//! learned that way is the size of a file.

use std::path::PathBuf;

use super::judge::program;
use super::options::{Kind, Opt, Style, parse};
use super::runs::{Does, Runs};
use super::tree::Joint;
use super::{Judged, Place, secrets, table};

/// What tells something about files and shows nothing of their contents.
const TELLS: [&str; 9] = ["basename", "dirname", "du", "file", "ls", "readlink", "realpath", "stat", "wc"];
/// What shows contents.
const SHOWS: [&str; 11] =
    ["cat", "cksum", "egrep", "fgrep", "grep", "head", "md5sum", "nl", "sed", "sha256sum", "tail"];

const XARGS: &[Opt] = &[
    Opt::Flags("0rt"),
    Opt::Longs("null no-run-if-empty verbose"),
    Opt::Value("-n --max-args -P --max-procs -L --max-lines", Kind::Number),
    Opt::Value("-I -d --delimiter", Kind::Text),
];
/// Those of them whose value is the next word where it is not attached.
const WITH_VALUE: [&str; 9] =
    ["-n", "--max-args", "-P", "--max-procs", "-L", "--max-lines", "-I", "-d", "--delimiter"];

/// Where the names go.
const NAMES: &str = "{}";

/// A command that is given names as its last words, up to them, with its program.
fn given(words: &[String], programs: &[&str], place: &Place<'_>) -> Option<Judged> {
    let (name, rest) = words.split_first()?;
    let (last, before) = rest.split_last()?;
    let is_last = last == NAMES && !before.iter().any(|word| word.contains(NAMES) || word == "--");
    // `ls` looks into directories to which links lead, but for these
    let shows_links = || before.iter().any(|word| word.contains(['l', 'd']));
    let is_plain = name != "ls" || (before.iter().all(|word| is_of(word, "1aAdhilrsSt")) && shows_links());
    (is_last && is_plain && programs.contains(&name.as_str())).then_some(())?;
    let command = table::find(name, place.table)?;
    let mut judged = command.judge(rest, place)?;
    judged.words.pop().filter(|word| word == NAMES)?;
    judged.words.insert(0, program(command, place)?);
    Some(judged)
}

/// `-exec COMMAND {}` as `find` runs it, in parentheses and with what it passes over.
pub(super) fn executed(words: &[String], end: &str, place: &Place<'_>) -> Option<Judged> {
    let shows = words.first().is_some_and(|name| name == "wc" || SHOWS.contains(&name.as_str()));
    let judged = given(words, &[&TELLS[..], &SHOWS[..]].concat(), place)?;
    let passed_over = secrets::for_find().filter(|_| shows);
    let opens = ["(".to_owned()].into_iter().chain(passed_over).chain(["-exec".to_owned()]);
    let closes = [NAMES, end, ")"].map(str::to_owned);
    Some(Judged { words: opens.chain(judged.words).chain(closes).collect(), reads: judged.reads })
}

/// `xargs` with a command that tells something about the files.
pub(super) fn xargs(words: &[String], place: &Place<'_>) -> Option<Judged> {
    let mut at = 0;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        at += if WITH_VALUE.contains(&word.as_str()) { 2 } else { 1 };
    }
    let (options, inner) = words.split_at_checked(at)?;
    let parsed = parse(options, &[XARGS], Style::Joined)?;
    let is_known = parsed.operands.is_empty()
        && parsed.dashes.is_none()
        && parsed.values_of(&["-I"]).all(|value| value == NAMES)
        && parsed.values_of(&["-d", "--delimiter"]).all(|value| value == "\\n");
    is_known.then_some(())?;
    let mut inner = inner.to_vec();
    let is_replaced = parsed.has(&["-I"]);
    inner.extend((!is_replaced).then(|| NAMES.to_owned()));
    let parts_at_lines = parsed.has(&["-0", "--null", "-d", "--delimiter"]);
    let judged = given(&inner, &TELLS, place)?;
    let mut all = parsed.into_words();
    if !parts_at_lines {
        all.extend(["-d", "\\n"].map(str::to_owned));
    }
    all.extend(judged.words);
    all.push("--".to_owned());
    all.extend(is_replaced.then(|| NAMES.to_owned()));
    Some(Judged { words: all, reads: with_here(judged.reads, place) })
}

/// A command whose last word is the names that a list puts out.
pub(super) fn names_inserted(name: &str, words: &[String], place: &Place<'_>) -> Option<Judged> {
    let (last, before) = words.split_last().filter(|(last, _)| last.chars().count() == 1)?;
    let inner: Vec<String> = [name]
        .into_iter()
        .chain(before.iter().map(String::as_str))
        .chain([NAMES])
        .map(str::to_owned)
        .collect();
    let mut judged = given(&inner, &TELLS, place)?;
    judged.words.remove(0);
    judged.words.extend(["--".to_owned(), last.clone()]);
    Some(Judged { words: judged.words, reads: with_here(judged.reads, place) })
}

/// Files of any name may be looked at, so rules about files must not hold any of them back.
fn with_here(mut reads: Vec<PathBuf>, place: &Place<'_>) -> Vec<PathBuf> {
    reads.extend(place.reads(&[".".to_owned()]));
    reads
}

/// Whether the last of these commands, if it takes names, takes them from a list of files.
pub(super) fn takes_names(runs: &[Runs]) -> bool {
    let Some((last, before)) = runs.split_last() else { return true };
    let is_xargs = |run: &Runs| match &run.does {
        // one that a rule allows has no path
        Does::Command { meant, words, .. } => {
            meant.first().is_some_and(|name| name == "xargs") && meant.first() != words.first()
        }
        Does::Move(_) | Does::Group(..) => false,
    };
    if !is_xargs(last) {
        return true;
    }
    let start = before.iter().rposition(|run| run.joint != Joint::Pipe).unwrap_or(0);
    last.joint == Joint::Pipe && !last.opens_file() && before.get(start..).is_some_and(puts_out_names)
}

/// Whether these commands put out the names of files, and nothing else.
pub(super) fn puts_out_names(runs: &[Runs]) -> bool {
    let Some((first, rest)) = runs.split_first() else { return false };
    let is_pipe = rest.iter().all(|run| run.joint == Joint::Pipe);
    let passes_on = |run: &Runs| meant(run).is_some_and(|words| passes_names_on(&words));
    is_pipe
        && !runs.iter().any(Runs::opens_file)
        && meant(first).is_some_and(|words| lists_files(&words))
        && rest.iter().all(passes_on)
}

fn meant(run: &Runs) -> Option<Vec<&str>> {
    match &run.does {
        Does::Command { meant, inserted, .. } if inserted.is_empty() => {
            Some(meant.iter().map(String::as_str).collect())
        }
        Does::Command { .. } | Does::Move(_) | Does::Group(..) => None,
    }
}

fn lists_files(words: &[&str]) -> bool {
    let Some((name, rest)) = words.split_first() else { return false };
    let options =
        |is: fn(&str) -> bool| rest.iter().filter(|word| word.starts_with('-')).all(|word| is(word));
    match (*name, rest.first().copied()) {
        ("find", _) => !rest.iter().any(|word| ["-printf", "-ls", "-exec"].contains(word)),
        ("fd" | "fdfind", _) | ("git", Some("ls-files")) => true,
        ("git", Some("diff")) => {
            rest.contains(&"--name-only")
                && options(|word| ["--name-only", "--cached", "--staged", "--"].contains(&word))
        }
        ("ls", _) => options(|word| is_of(word, "1aAdrtS")),
        ("rg", Some("--files" | "-l")) => {
            options(|word| ["--files", "-l", "-g", "-t", "-i", "-w", "-F", "--hidden"].contains(&word))
        }
        ("grep", Some(first)) => {
            first.contains(['l', 'L'])
                && options(|word| is_of(word, "rRlLiIEFw") || word.starts_with("--include="))
        }
        _ => false,
    }
}

/// Whether what comes in as lines goes out as the same lines, or not at all.
fn passes_names_on(words: &[&str]) -> bool {
    let is_number = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    match words {
        ["head" | "tail" | "uniq" | "sort"] => true,
        ["head" | "tail", "-n", count] => is_number(count),
        ["head" | "tail", option] => {
            option.strip_prefix("-n").or(option.strip_prefix('-')).is_some_and(is_number)
        }
        ["sort", options @ ..] => options.iter().all(|word| is_of(word, "fnruV")),
        ["grep" | "egrep" | "fgrep", options @ .., pattern] => {
            !pattern.starts_with('-') && options.iter().all(|word| is_of(word, "vEFiwx"))
        }
        _ => false,
    }
}

/// Whether the word is a dash and some of these letters.
fn is_of(word: &str, letters: &str) -> bool {
    word.strip_prefix('-')
        .is_some_and(|flags| !flags.is_empty() && flags.chars().all(|c| letters.contains(c)))
}
