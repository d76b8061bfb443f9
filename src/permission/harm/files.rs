//! What commands do to files: what they delete, and what they overwrite.
//!
//! By the words of a command alone; where a path leads, and whether that is harm, is judged elsewhere.

use super::git;
use crate::permission::script::{self, BELOW, Command, UNKNOWN};

/// What a command would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Deed {
    /// Takes this away, with all that is below it.
    Tree(String),
    /// Takes files away that are found below this by their names.
    Below(String, Kind),
    /// Takes this file away.
    File(String),
    /// Puts something else in the place of what is there.
    Overwrite(String),
    /// Does something else that cannot be undone: the end of a sentence that begins with "it".
    Other(&'static str),
}

/// What is looked for below a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// What a build leaves behind.
    Litter,
    /// Anything.
    Any,
}

/// Names of files and directories that come back with the next build.
const LITTER: [&str; 26] = [
    "__pycache__",
    "node_modules",
    "target",
    "dist",
    "build",
    "out",
    "coverage",
    ".cache",
    ".coverage",
    ".eggs",
    ".gradle",
    ".mypy_cache",
    ".next",
    ".nox",
    ".nuxt",
    ".parcel-cache",
    ".pytest_cache",
    ".ruff_cache",
    ".svelte-kit",
    ".tox",
    ".turbo",
    ".vite",
    ".DS_Store",
    "nohup.out",
    "htmlcov",
    "cmake-build-debug",
];

/// Ends of such names.
const LITTER_ENDS: [&str; 12] =
    ["pyc", "pyo", "o", "obj", "class", "log", "tmp", "swp", "gcda", "gcno", "rlib", "tsbuildinfo"];

/// Whether a name is that of something which comes back with the next build.
pub(super) fn is_litter(name: &str) -> bool {
    let end = name.rsplit_once('.').map(|(_, end)| end);
    LITTER.contains(&name) || end.is_some_and(|end| LITTER_ENDS.contains(&end)) || name.ends_with(".egg-info")
}

/// Everything that the command would do.
pub(super) fn deeds(command: &Command) -> Vec<Deed> {
    let mut deeds: Vec<Deed> = command.empties.iter().cloned().map(Deed::Overwrite).collect();
    let rest = command.words.get(1..).unwrap_or_default();
    match script::program(&command.words) {
        "rm" | "unlink" => deeds.extend(removed(command)),
        "shred" | "sponge" => deeds.extend(operands(rest).map(Deed::Overwrite)),
        "find" => deeds.extend(found(command)),
        "git" => deeds.extend(git::deeds(rest)),
        "rsync" => deeds.extend(synced(rest)),
        "truncate" => deeds.extend(truncated(rest)),
        "dd" => {
            let file = rest.iter().find_map(|word| word.strip_prefix("of="));
            deeds.extend(file.map(|file| Deed::Overwrite(file.to_owned())));
        }
        "tee" if !has(rest, 'a', "--append") => deeds.extend(operands(rest).map(Deed::Overwrite)),
        "mv" | "cp" | "install" if !has(rest, 'n', "--no-clobber") => deeds.extend(moved(rest)),
        "ln" if has(rest, 'f', "--force") => deeds.extend(moved(rest)),
        "wipefs" | "fdisk" | "parted" | "mkswap" => deeds.push(Deed::Other("changes a disk")),
        mkfs if mkfs == "mkfs" || mkfs.starts_with("mkfs.") => deeds.push(Deed::Other("formats a disk")),
        _ => {}
    }
    deeds
}

/// What is no option, and no option's letter.
pub(super) fn operands(words: &[String]) -> impl Iterator<Item = String> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let is_operand = move |(at, word): &(usize, &String)| {
        *at > end || (*at < end && (!word.starts_with('-') || word.len() == 1)) && !word.is_empty()
    };
    words.iter().enumerate().filter(is_operand).map(|(_, word)| word.clone())
}

/// Whether an option is there, in its short or its long form.
pub(super) fn has(words: &[String], short: char, long: &str) -> bool {
    words.iter().take_while(|word| *word != "--").any(|word| {
        let name = word.split('=').next().unwrap_or(word);
        match name.strip_prefix("--") {
            Some(rest) => !rest.is_empty() && long.starts_with(name),
            None => name.starts_with('-') && name.contains(short),
        }
    })
}

fn removed(command: &Command) -> Vec<Deed> {
    let rest = command.words.get(1..).unwrap_or_default();
    let is_recursive = has(rest, 'r', "--recursive") || has(rest, 'R', "--recursive");
    let one = |word: String| match word.strip_suffix(BELOW) {
        Some(start) => Deed::Below(start.to_owned(), command.source.as_deref().map_or(Kind::Any, looked_for)),
        None if is_recursive => Deed::Tree(word),
        None => Deed::File(word),
    };
    operands(rest).map(one).collect()
}

/// `find` with `-delete`, or with something that deletes what it finds.
fn found(command: &Command) -> Vec<Deed> {
    let words = &command.words;
    let is_rm = |word: &String| matches!(script::name_of(word), "rm" | "unlink" | "shred");
    let runs = words.iter().position(|word| matches!(word.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir"));
    let removes =
        words.iter().any(|word| word == "-delete") || runs.is_some_and(|at| words.iter().skip(at).any(is_rm));
    if !removes {
        return Vec::new();
    }
    let kind = looked_for(words);
    script::starts(words).into_iter().map(|start| Deed::Below(start, kind)).collect()
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

fn synced(rest: &[String]) -> Vec<Deed> {
    let says = |option: &str| rest.iter().any(|word| word.starts_with(option));
    if has(rest, 'n', "--dry-run") {
        return Vec::new();
    }
    let to = operands(rest).last().filter(|_| says("--del"));
    let from = operands(rest).next().filter(|_| says("--remove-source"));
    let local = to.into_iter().chain(from).map(|path| {
        if path.contains(':') { Deed::Other("deletes on another machine") } else { Deed::Tree(path) }
    });
    local.collect()
}

/// `truncate -s +N` only makes a file longer.
fn truncated(rest: &[String]) -> Vec<Deed> {
    let takes_value = |word: &&String| matches!(word.as_str(), "-s" | "-r" | "--size" | "--reference");
    let grows =
        |word: &String| word.starts_with('+') || word.starts_with("-s+") || word.starts_with("--size=+");
    if rest.iter().any(grows) {
        return Vec::new();
    }
    let values = rest.iter().zip(rest.iter().skip(1)).filter(|(option, _)| takes_value(option));
    let values: Vec<&String> = values.map(|(_, value)| value).collect();
    operands(rest).filter(|word| !values.contains(&word)).map(Deed::Overwrite).collect()
}

/// What lies where files go to. A directory is asked about with each name that goes into it.
pub(super) fn moved(rest: &[String]) -> Vec<Deed> {
    let short = rest.iter().zip(rest.iter().skip(1)).find(|(option, _)| *option == "-t");
    let long = || rest.iter().find_map(|word| word.strip_prefix("--target-directory="));
    let directory = short.map(|(_, to)| to.clone()).or_else(|| long().map(str::to_owned));
    let mut paths: Vec<String> = operands(rest).filter(|path| Some(path) != directory.as_ref()).collect();
    let last = if directory.is_none() && paths.len() > 1 { paths.pop() } else { None };
    let Some(to) = directory.clone().or(last) else { return Vec::new() };
    let is_directory = directory.is_some() || paths.len() > 1 || to.ends_with('/');
    let named = paths.iter().map(|path| {
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
        let name = if name.contains(['*', '?', UNKNOWN]) { UNKNOWN.to_string() } else { name.to_owned() };
        format!("{}/{name}", to.trim_end_matches('/'))
    });
    let itself = (!is_directory).then(|| to.clone());
    itself.into_iter().chain(named).map(Deed::Overwrite).collect()
}
