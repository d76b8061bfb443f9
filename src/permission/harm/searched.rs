//! The directories whose files a command would read with all below them: `grep -r`, `rg`, `find -exec cat`.
//!
//! For deny and ask rules about reads. A search that leaves the file out by name (`--include`, `--exclude-dir`, `find -name`) does not
//! read it, so that the names are handed out with the place; whoever asks knows which file is meant.

use std::path::{Path, PathBuf};

use super::args::Args;
use crate::permission::scope::{Found, Scope};
use crate::permission::script::{self, BELOW, Command};
use crate::protocol::ExecAccess;
use crate::text::glob::GitGlob;

/// Commands that read nothing of the files that `find` and `xargs` hand to them.
const READ_NOTHING: [&str; 19] = [
    "[", "basename", "chgrp", "chmod", "chown", "dirname", "du", "echo", "ls", "mkdir", "printf", "readlink",
    "realpath", "rm", "rmdir", "stat", "test", "touch", "unlink",
];

/// Commands that read the files that `xargs` hands to them.
const READERS: [&str; 22] = [
    "awk", "base64", "bat", "cat", "cp", "cut", "diff", "egrep", "fgrep", "grep", "head", "jq", "less",
    "more", "nl", "od", "rg", "sed", "sort", "strings", "tail", "xxd",
];

/// Long options of both `grep` and `rg` whose value may be the next word.
const LONG: [&str; 6] = ["regexp", "file", "max-count", "context", "after-context", "before-context"];

/// A directory that is searched, or a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::permission) struct Searched {
    /// Where the search begins, absolute.
    pub(in crate::permission) start: PathBuf,
    names: Names,
}

/// Which names are looked at below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Names {
    /// Files of these alone, where there are any.
    only: Vec<String>,
    /// Neither files nor directories of these.
    without: Vec<String>,
    /// Nothing whose name begins with a dot.
    without_hidden: bool,
}

impl Searched {
    /// Whether it reads this path below it, which is a file where `is_file` says so.
    pub(in crate::permission) fn reads(&self, path: &Path, is_file: bool) -> bool {
        let Ok(below) = path.strip_prefix(&self.start) else { return true };
        let meets = |pattern: &String, name: &std::ffi::OsStr| {
            GitGlob::new(pattern).is_ok_and(|glob| glob.matches_itself(name, false))
        };
        let is_left_out = |name: &std::ffi::OsStr| {
            let is_hidden = name.as_encoded_bytes().starts_with(b".");
            (self.names.without_hidden && is_hidden)
                || self.names.without.iter().any(|pattern| meets(pattern, name))
        };
        let name = below.file_name().filter(|_| is_file && !self.names.only.is_empty());
        let is_of_others =
            name.is_some_and(|name| !self.names.only.iter().any(|pattern| meets(pattern, name)));
        !is_of_others && !below.iter().any(is_left_out)
    }
}

/// All of them.
pub(in crate::permission) fn searched(exec: &ExecAccess, scope: &Scope) -> Vec<Searched> {
    let of = |command: &Command| {
        let cwd = command.cwd.as_deref().unwrap_or(&exec.cwd);
        let (starts, names) = search(command, &|word| {
            scope.path_of(cwd, word).is_some_and(|path| scope.exists.at(&path) != Found::Nothing)
        });
        let paths = starts.into_iter().filter_map(|start| scope.path_of(cwd, &start));
        let ways = paths.flat_map(|path| [scope.links.follow(&path), path]);
        ways.map(|start| Searched { start, names: names.clone() }).collect::<Vec<_>>()
    };
    script::read(exec, scope).iter().flat_map(of).collect()
}

/// Where a command searches, and which names.
fn search(command: &Command, is_there: &dyn Fn(&str) -> bool) -> (Vec<String>, Names) {
    let program = script::program(&command.words);
    let rest = command.words.get(1..).unwrap_or_default();
    match program {
        "grep" | "egrep" | "fgrep" | "zgrep" => by_grep(rest),
        "rg" | "ag" | "ack" | "ugrep" => by_ripgrep(rest),
        "git" if rest.iter().any(|word| word == "grep") => {
            let after: Vec<String> =
                rest.iter().skip_while(|word| *word != "grep").skip(1).cloned().collect();
            let places = behind_pattern(&Args::read(&after, "A:B:C:e:f:m:O::", &["max-depth", "threads"]));
            // what is not there is a revision
            (or_here(places.into_iter().filter(|place| is_there(place)).collect()), Names::default())
        }
        "diff" => {
            let args = Args::read(rest, "I:U:C:W:x:X:", &["exclude", "exclude-from", "label"]);
            let places = if args.has('r', "recursive") { args.operands } else { Vec::new() };
            (places, Names::default())
        }
        _ => by_find(command, program, is_there),
    }
}

fn or_here(places: Vec<String>) -> Vec<String> {
    if places.is_empty() { vec![".".to_owned()] } else { places }
}

/// The operands after the pattern.
fn behind_pattern(args: &Args) -> Vec<String> {
    let is_given = args.has('e', "regexp") || args.has('f', "file");
    or_here(args.operands.iter().skip(usize::from(!is_given)).cloned().collect())
}

fn by_grep(words: &[String]) -> (Vec<String>, Names) {
    let own = ["directories", "devices", "include", "exclude", "exclude-dir", "exclude-from", "label"];
    let args = Args::read(words, "A:B:C:D:d:e:f:m:", &[LONG.as_slice(), &own].concat());
    let is_recursive = args.has('r', "recursive")
        || args.has('R', "dereference-recursive")
        || args.values('d', "directories").any(|what| what == "recurse");
    if !is_recursive {
        return (Vec::new(), Names::default());
    }
    let without = args.values('\n', "exclude").chain(args.values('\n', "exclude-dir"));
    let names = Names {
        only: args.values('\n', "include").cloned().collect(),
        without: without.map(|name| name.trim_end_matches('/').to_owned()).collect(),
        without_hidden: false,
    };
    (behind_pattern(&args), names)
}

fn by_ripgrep(words: &[String]) -> (Vec<String>, Names) {
    let own = [
        "glob",
        "iglob",
        "type",
        "type-not",
        "max-depth",
        "replace",
        "threads",
        "sort",
        "max-columns",
        "max-filesize",
        "ignore-file",
        "pre",
    ];
    let args = Args::read(words, "A:B:C:E:M:T:d:e:f:g:j:m:r:t:", &[LONG.as_slice(), &own].concat());
    let globs: Vec<&String> = args.values('g', "glob").chain(args.values('\n', "iglob")).collect();
    let (without, only): (Vec<&String>, Vec<&String>) = globs.iter().partition(|glob| glob.starts_with('!'));
    // a glob with a slash is not for names alone
    let is_name = |glob: &&&String| !glob.contains('/');
    let shows_hidden = args.has('.', "hidden") || args.has('u', "unrestricted") || args.has('a', "all-types");
    let names = Names {
        only: if only.iter().all(|glob| is_name(&glob)) {
            only.into_iter().cloned().collect()
        } else {
            Vec::new()
        },
        without: without.iter().filter(is_name).map(|glob| glob.trim_start_matches('!').to_owned()).collect(),
        without_hidden: !shows_hidden,
    };
    (behind_pattern(&args), names)
}

/// What `find`, `fd` and `xargs` hand to a command that may read it.
fn by_find(command: &Command, program: &str, is_there: &dyn Fn(&str) -> bool) -> (Vec<String>, Names) {
    if program == "xargs" {
        return handed(command, is_there);
    }
    let Some(search) = command.source.as_deref().filter(|_| !READ_NOTHING.contains(&program)) else {
        return (Vec::new(), Names::default());
    };
    let starts =
        command.words.iter().filter_map(|word| word.strip_suffix(BELOW)).map(str::to_owned).collect();
    (starts, listed_names(search))
}

/// What `xargs` hands on: the files that a list names, of which nothing is known where it is no search.
fn handed(command: &Command, is_there: &dyn Fn(&str) -> bool) -> (Vec<String>, Names) {
    let words = command.words.get(1..).unwrap_or_default();
    let args = Args::read(words, "E:I:L:P:a:d:n:s:", &["arg-file", "max-args", "max-procs", "replace"]);
    let program = args.operands.first().map_or("echo", |word| script::name_of(word));
    let source = command.source.clone().unwrap_or_default();
    match script::program(&source) {
        _ if READ_NOTHING.contains(&program) => (Vec::new(), Names::default()),
        "find" | "fd" | "fdfind" => (script::starts(&source), listed_names(&source)),
        "ls" => (vec![".".to_owned()], listed_names(&source)),
        "git" if source.iter().any(|word| word == "ls-files") => (vec![".".to_owned()], Names::default()),
        // the words are looked at as they are
        "echo" | "printf" => (Vec::new(), Names::default()),
        _ if !READERS.contains(&program) => (Vec::new(), Names::default()),
        _ => {
            let mut list = command.clone();
            list.words = source;
            let (starts, names) = search(&list, is_there);
            (or_here(starts), names)
        }
    }
}

/// Which names a search lists.
fn listed_names(search: &[String]) -> Names {
    let has = |letters: &[char]| search.iter().any(|word| word.starts_with('-') && word.contains(letters));
    let without_hidden = match script::program(search) {
        "ls" => !has(&['a', 'A', 'f']),
        "fd" | "fdfind" => !has(&['H', 'u']),
        _ => false,
    };
    Names { without_hidden, ..found_names(search) }
}

/// The names that `find` looks for, where it looks for nothing else.
fn found_names(search: &[String]) -> Names {
    let befores = std::iter::once("").chain(search.iter().map(String::as_str));
    let names = befores.zip(search).zip(search.iter().skip(1)).filter(|((before, option), _)| {
        matches!(option.as_str(), "-name" | "-iname") && !matches!(*before, "!" | "-not")
    });
    let only: Vec<String> = names.map(|(_, value)| value.clone()).collect();
    let others = search.iter().filter(|word| matches!(word.as_str(), "-o" | "-or")).count();
    Names { only: if only.len() > others { only } else { Vec::new() }, ..Names::default() }
}
