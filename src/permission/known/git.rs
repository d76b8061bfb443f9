//! What git is asked without changing anything: a list of its verbs, each with its options.
//!
//! A repository can say what git runs (hooks, monitors, filters, drivers, pagers), and whoever wrote the repository may
//! be nobody's friend. So each command goes through a guard: options that take those away, and a look at the
//! repository's configuration (`git_config`) for what no option takes away. What shows contents is told to pass over
//! secrets, and nothing is listed that names the objects in which they lie. The surprise: options are taken as git's own
//! parser takes them, for one that swallows the next word where another does not would open the list.

use std::path::PathBuf;

use super::git_config::is_calm;
use super::git_options::{
    BLAME, BRANCH, DESCRIBE, DIFF, EACH_REF, GREP, LOG, LS_FILES, LS_TREE, REV_LIST, REV_PARSE, SHORTLOG,
    STATUS, TAG,
};
use super::options::{Command, Kind, Operands, Opt, Parsed, Style, parse};
use super::revisions::of_commits;
use super::{Judged, Place, secrets};

/// What stands before every verb: no pager, no lock, no monitor, no hook, no repository that only looks like one.
const GUARD: [&str; 8] = [
    "--no-pager",
    "--no-optional-locks",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "safe.bareRepository=explicit",
];

/// What stands behind a verb that compares: no program of the repository, and nothing inside of submodules, which
/// have a configuration of their own.
const COMPARES: &[&str] =
    &["--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty", "--submodule=short"];

/// The family.
pub(super) const COMMANDS: &[Command] = &[Command::new("git", &[], Operands::Words(git))];

/// What git is asked.
struct Verb {
    name: &'static str,
    options: &'static [&'static [Opt]],
    guard: &'static [&'static str],
    judge: fn(Parsed, &Place<'_>) -> Option<Judged>,
}

const VERBS: &[Verb] = &[
    Verb::new("status", &[STATUS], names).guarded(&["--ignore-submodules=dirty"]),
    Verb::new("diff", &[DIFF, &[Opt::Longs("cached staged merge-base")]], compares).guarded(COMPARES),
    Verb::new("log", &[LOG, DIFF], log).guarded(COMPARES),
    Verb::new("show", &[LOG, DIFF], shows).guarded(COMPARES),
    Verb::new("branch", &[BRANCH], listing),
    Verb::new("tag", &[TAG], listing),
    Verb::new("rev-parse", &[REV_PARSE], names),
    Verb::new("ls-files", &[LS_FILES], names),
    Verb::new("ls-tree", &[LS_TREE], ls_tree),
    Verb::new("blame", &[BLAME], names).guarded(&["--no-textconv"]),
    Verb::new("grep", &[GREP], grep).guarded(&["--no-textconv"]),
    Verb::new("remote", &[&[Opt::Flags("v"), Opt::Longs("verbose")]], remote),
    Verb::new("stash", &[&[Opt::Longs("stat")]], stash),
    Verb::new("describe", &[DESCRIBE], names),
    Verb::new("shortlog", &[SHORTLOG], names),
    Verb::new("rev-list", &[REV_LIST], names),
    Verb::new("merge-base", &[&[Opt::Flags("a"), Opt::Longs("all is-ancestor")]], names),
    Verb::new("for-each-ref", &[EACH_REF], names),
    Verb::new("cat-file", &[&[Opt::Flags("tse")]], cat_file),
    Verb::new("check-ignore", &[&[Opt::Flags("vnq"), Opt::Longs("verbose quiet")]], names),
    Verb::new("config", &[&[Opt::Longs("get get-all local")]], config),
    Verb::new(
        "show-ref",
        &[&[Opt::Flags("dq"), Opt::Longs("heads branches tags head dereference verify")]],
        names,
    ),
    Verb::new("reflog", &[&[Opt::Count, Opt::Value("-n", Kind::Number)]], reflog),
    Verb::new("worktree", &[&[Opt::Longs("porcelain")]], worktree),
    Verb::new("count-objects", &[&[Opt::Flags("vH")]], names),
];

impl Verb {
    const fn new(
        name: &'static str,
        options: &'static [&'static [Opt]],
        judge: fn(Parsed, &Place<'_>) -> Option<Judged>,
    ) -> Self {
        Self { name, options, guard: &[], judge }
    }

    const fn guarded(self, guard: &'static [&'static str]) -> Self {
        Self { guard, ..self }
    }
}

fn git(words: &[String], place: &Place<'_>) -> Option<Judged> {
    if words == ["--version"] {
        return Some(Judged::of(words));
    }
    let words = words.strip_prefix(&["--no-pager".to_owned()]).unwrap_or(words);
    let (directory, words) = match words {
        [option, directory, rest @ ..] if option == "-C" => (Some(directory), rest),
        _ => (None, words),
    };
    let (name, words) = words.split_first()?;
    let verb = VERBS.iter().find(|verb| verb.name == name)?;
    let directory = directory.map(|directory| (place.sight.follow)(&place.cwd.join(directory)));
    let place = Place { cwd: directory.as_deref().unwrap_or(place.cwd), ..*place };
    (place.sight.git_config)(place.cwd).filter(|config| is_calm(config))?;
    let parsed = parse(words, verb.options, Style::First).filter(asks_no_signature)?;
    let judged = (verb.judge)(parsed, &place)?;
    let mut all: Vec<String> = GUARD.map(str::to_owned).to_vec();
    if let Some(directory) = &directory {
        all.extend(["-C".to_owned(), directory.to_str()?.to_owned()]);
    }
    all.push(name.clone());
    all.extend(verb.guard.iter().map(|&word| word.to_owned()));
    all.extend(judged.words);
    let mut reads = judged.reads;
    reads.extend(place.reads(&[".".to_owned()]));
    Some(Judged { words: all, reads })
}

/// A format can ask who signed, and a program is started to find out: `%G?`, with a sign between as well.
fn asks_no_signature(parsed: &Parsed) -> bool {
    let mut formats = parsed.values_of(&["--format", "--pretty", "--sort", "--group"]);
    let signs = |field: &str| field.trim_start_matches(['+', '-', ' ']).starts_with('G');
    !formats.any(|format| format.split('%').skip(1).any(signs) || format.contains("signature"))
}

/// Revisions and paths, of which no contents are shown but those of files that are named.
fn names(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let reads = reads(&parsed, place)?;
    Some(Judged { words: words(parsed, [].into_iter()), reads })
}

/// Contents are shown.
fn shows(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let in_commits = parsed.operands.iter().filter(|word| in_commit(word).is_some()).count();
    match in_commits {
        0 => compares(parsed, place),
        // files of commits, `HEAD:src/main.rs`, are named one by one
        all if all == parsed.operands.len() => names(of_commits(parsed, 0, place)?, place),
        _ => None,
    }
}

/// Contents of several files are shown. Two directories of commits (`HEAD~1:src HEAD:src`) could not be told to pass anything
/// over.
fn compares(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    if parsed.operands.iter().any(|word| in_commit(word).is_some()) {
        return None;
    }
    let reads = reads(&parsed, place)?;
    let parsed = of_commits(parsed, 0, place)?;
    Some(Judged { words: words(parsed, secrets::for_git()), reads })
}

fn log(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let patches = [
        "-p",
        "-u",
        "--patch",
        "-U",
        "--unified",
        "-W",
        "--function-context",
        "--word-diff",
        "--word-diff-regex",
        "--patch-with-stat",
        "--check",
    ];
    // `-L` shows the lines of one file and takes no paths, `--follow` takes one
    if parsed.has(&["-L"]) {
        names(of_commits(parsed, 0, place)?, place)
    } else if !parsed.has(&patches) {
        names(parsed, place)
    } else if parsed.has(&["--follow"]) {
        let [file] = parsed.operands.as_slice() else { return None };
        let is_file = (place.sight.names)(&place.cwd.join(file)).is_some_and(|names| names.is_empty());
        is_file.then(|| names(parsed, place)).flatten()
    } else {
        compares(parsed, place)
    }
}

/// Where names would be made of operands, they are patterns only if a list is asked for.
fn listing(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let lists = parsed.operands.is_empty() || parsed.has(&["-l", "--list"]);
    lists.then(|| names(parsed, place)).flatten()
}

fn ls_tree(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    parsed.has(&["--name-only"]).then(|| names(parsed, place)).flatten()
}

fn cat_file(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let asks = parsed.has(&["-t", "-s", "-e"]) && parsed.operands.len() == 1;
    asks.then(|| names(parsed, place)).flatten()
}

fn grep(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let patterns = usize::from(!parsed.has(&["-e"]));
    let is_pattern_plain = parsed.dashes.is_none_or(|before| before >= patterns);
    let places = parsed.operands.get(patterns..).filter(|_| is_pattern_plain)?;
    let reads: Option<Vec<_>> = places.iter().map(|word| reads_of(word, place)).collect();
    let reads = reads?.concat();
    let parsed = of_commits(parsed, patterns, place)?;
    Some(Judged { words: words(parsed, secrets::for_git()), reads })
}

fn remote(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let operands: Vec<&str> = parsed.operands.iter().map(String::as_str).collect();
    let asks = matches!(operands.as_slice(), [] | ["get-url", _]);
    asks.then(|| names(parsed, place)).flatten()
}

fn stash(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let operands: Vec<&str> = parsed.operands.iter().map(String::as_str).collect();
    let asks = match operands.as_slice() {
        ["list"] => parsed.options.is_empty(),
        // without it the user's settings may ask for contents
        ["show"] | ["show", _] => parsed.has(&["--stat"]),
        _ => false,
    };
    let in_order = |mut judged: Judged| {
        judged.words = parsed_in_order(&judged.words);
        judged
    };
    asks.then(|| names(parsed, place)).flatten().map(in_order)
}

/// `stash` wants its own verb before its options.
fn parsed_in_order(words: &[String]) -> Vec<String> {
    let is_option = |word: &&String| word.starts_with('-');
    let (options, operands): (Vec<&String>, Vec<&String>) = words.iter().partition(is_option);
    let mut operands = operands.into_iter().cloned();
    operands.next().into_iter().chain(options.into_iter().cloned()).chain(operands).collect()
}

/// `reflog` alone shows one as well, and wants that word before its options.
fn reflog(mut parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    if parsed.operands.first().is_some_and(|word| word == "show") {
        parsed.operands.remove(0);
    }
    parsed.operands.is_empty().then(|| names(parsed, place)).flatten()
}

/// The value of one key that is no login: `git config --get user.name`, and the same without `--get`.
fn config(parsed: Parsed, _place: &Place<'_>) -> Option<Judged> {
    const SECTIONS: [&str; 11] =
        ["alias", "branch", "color", "commit", "core", "diff", "init", "merge", "pull", "push", "user"];
    let [key] = parsed.operands.as_slice() else { return None };
    let is_plain = key.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    let (section, rest) = key.split_once('.')?;
    let is_url = section == "remote" && rest.rsplit_once('.').is_some_and(|(_, key)| key == "url");
    let is_known = SECTIONS.contains(&section.to_ascii_lowercase().as_str()) || is_url;
    (is_plain && is_known).then(|| Judged { words: words(parsed, [].into_iter()), reads: Vec::new() })
}

fn worktree(parsed: Parsed, _place: &Place<'_>) -> Option<Judged> {
    let lists = parsed.operands == ["list"];
    let words = |parsed: Parsed| parsed.operands.into_iter().chain(parsed.options).collect();
    lists.then(|| Judged { words: words(parsed), reads: Vec::new() })
}

/// The words in order, with more paths at the end.
fn words(parsed: Parsed, more: impl Iterator<Item = String>) -> Vec<String> {
    let Parsed { mut options, mut operands, dashes, .. } = parsed;
    let behind = dashes.map(|before| operands.split_off(before.min(operands.len())));
    options.append(&mut operands);
    if let Some(behind) = behind {
        options.push("--".to_owned());
        options.extend(behind);
    }
    options.extend(more);
    options
}

fn reads(parsed: &Parsed, place: &Place<'_>) -> Option<Vec<PathBuf>> {
    // `-L 1,5:src/main.rs`; without a file in `blame`
    let of_lines = parsed.values_of(&["-L"]).filter_map(|lines| lines.rsplit_once(':')).map(|(_, path)| path);
    let mut reads = place.reads(&of_lines.map(str::to_owned).collect::<Vec<_>>());
    reads.extend(place.reads(&parsed.paths));
    for word in &parsed.operands {
        reads.extend(reads_of(word, place)?);
    }
    Some(reads)
}

/// What an operand may name: git itself looks whether it is a revision or a path.
fn reads_of(word: &str, place: &Place<'_>) -> Option<Vec<PathBuf>> {
    match word.strip_prefix(':') {
        Some(rest) => rest.starts_with(['!', '^']).then(Vec::new),
        None => Some(place.reads(&[in_commit(word).unwrap_or(word).to_owned()])),
    }
}

/// The path of a file in a commit: what stands behind the first colon that is in no braces, as in `HEAD^{/fix: it}:src/main.rs`.
pub(super) fn in_commit(word: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let at = word.find(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ':' && depth == 0
    })?;
    (at > 0).then(|| word.get(at + 1..)).flatten()
}
