//! What git throws away, and what it changes.
//!
//! What is committed can be found again, so only what is not, and what makes commits hard to find, counts as thrown away. The
//! surprise: `git checkout NAME` may be a branch or a file; it counts where there is such a file.

use super::args::Args;
use super::copied::parted;
use super::deed::{Deed, Kind, What};

/// Options of git itself that take a value.
const WITH_VALUE: [&str; 5] = ["-C", "-c", "--git-dir", "--work-tree", "--namespace"];

const CHANGES: &str = "discards uncommitted changes";

/// Everything that `git` with these words would do.
pub(super) fn deeds(words: &[String]) -> Vec<Deed> {
    let (place, words) = own_options(words);
    let Some((verb, rest)) = words.split_first() else { return Vec::new() };
    let lost = lost(verb, rest);
    let at = |name: String| match &place {
        Some(place) if !name.starts_with('/') => format!("{place}/{name}"),
        _ => name,
    };
    let named = named(verb, rest).into_iter().map(|what| match what {
        What::File(name) => What::File(at(name)),
        What::Tree(name) => What::Tree(at(name)),
        What::Below(name, kind) => What::Below(at(name), kind),
        What::Within(name) => What::Within(at(name)),
    });
    let deletes = verb == "clean" || (verb == "worktree" && lost.is_some());
    let named = named.map(if deletes { Deed::Deletes } else { Deed::Changes });
    let replaced = may_be_files(verb, rest).into_iter().map(|name| Deed::Replaces(What::Tree(at(name))));
    lost.map(Deed::Other).into_iter().chain(replaced).chain(named).collect()
}

/// What git throws away.
fn lost(verb: &str, rest: &[String]) -> Option<&'static str> {
    let says = |wanted: &[&str]| rest.iter().any(|word| wanted.contains(&word.as_str()));
    let args = Args::read(rest, "", &[]);
    let has = |short, long| args.has(short, long);
    let first = args.operands.first().map(String::as_str);
    let (is_lost, what) = match verb {
        "clean" => (has('f', "force") && !has('n', "dry-run"), "deletes untracked files"),
        "reset" => (says(&["--hard", "--merge", "--keep"]), CHANGES),
        "restore" => (!has('S', "staged") || has('W', "worktree"), CHANGES),
        "checkout" => (names_files(rest) || has('f', "force"), CHANGES),
        "switch" => (has('f', "force") || args.has_long("discard-changes"), CHANGES),
        "read-tree" => (args.has_long("reset") || has('u', ""), CHANGES),
        "merge" | "rebase" | "am" | "cherry-pick" | "revert" => (says(&["--abort", "--quit"]), CHANGES),
        "stash" => (matches!(first, Some("drop" | "clear")), "discards stashed changes"),
        "branch" => {
            let forced = has('d', "delete") && has('f', "force");
            (has('D', "") || forced, "deletes branches that may not be merged")
        }
        "worktree" => (first == Some("remove") && has('f', "force"), CHANGES),
        "checkout-index" | "rm" => (has('f', "force"), CHANGES),
        "reflog" => (matches!(first, Some("expire" | "delete")), "deletes reflog entries"),
        "gc" => (rest.iter().any(|word| word.starts_with("--prune")), "deletes unreachable commits"),
        "prune" => (true, "deletes unreachable commits"),
        "update-ref" => (true, "moves or deletes refs"),
        "filter-branch" | "filter-repo" => (true, "rewrites history"),
        "push" => {
            let forced = has('f', "force") || says(&["--mirror", "--prune"]) || has('d', "delete");
            let by_name =
                rest.iter().any(|word| word.starts_with(['+', ':']) || word.starts_with("--force-with"));
            (forced || by_name, "overwrites or deletes refs on the remote")
        }
        _ => (false, ""),
    };
    is_lost.then_some(what)
}

fn names_files(rest: &[String]) -> bool {
    rest.iter().any(|word| matches!(word.as_str(), "--" | "." | "./") || word.starts_with("--pathspec"))
}

/// The operands of a `checkout`, each of which may be a branch or a file.
fn may_be_files(verb: &str, rest: &[String]) -> Vec<String> {
    let args = Args::read(rest, "", &[]);
    let is_open = verb == "checkout" && !names_files(rest) && !args.has('f', "force") && !makes_branch(&args);
    if is_open { args.operands } else { Vec::new() }
}

fn makes_branch(args: &Args) -> bool {
    args.has('b', "") || args.has('B', "") || args.has_long("orphan")
}

/// What git changes that its words name. What changes with a branch or a commit is not named.
fn named(verb: &str, rest: &[String]) -> Vec<What> {
    let operands = |short: &str, long: &[&str]| Args::read(rest, short, long).operands;
    let trees = |names: Vec<String>| names.into_iter().map(|name| What::Tree(plain(&name))).collect();
    let behind = || rest.iter().skip_while(|word| *word != "--").skip(1).cloned().collect::<Vec<_>>();
    match verb {
        "checkout" => {
            let args = Args::read(rest, "b:B:", &["orphan", "conflict", "pathspec-from-file"]);
            let named = behind();
            let all = if makes_branch(&args) { Vec::new() } else { args.operands };
            trees(if named.is_empty() { all } else { named })
        }
        "restore" => {
            let args = Args::read(rest, "s:U:", &["source", "conflict", "pathspec-from-file"]);
            let is_index_alone = args.has('S', "staged") && !args.has('W', "worktree");
            trees(if is_index_alone { Vec::new() } else { args.operands })
        }
        "rm" => {
            let args = Args::read(rest, "", &["pathspec-from-file"]);
            trees(if args.has_long("cached") || args.has('n', "dry-run") {
                Vec::new()
            } else {
                args.operands
            })
        }
        "mv" => {
            let (from, to) = parted(operands("", &[]), None);
            let to = to.map_or_else(Vec::new, |to| to.names(&from));
            trees(from.into_iter().chain(to).collect())
        }
        "clean" => {
            let args = Args::read(rest, "e:", &["exclude"]);
            let is_done = args.has('f', "force") && !args.has('n', "dry-run");
            let mut places = args.operands;
            if places.is_empty() {
                places.push(".".to_owned());
            }
            places
                .into_iter()
                .filter(|_| is_done)
                .map(|place| What::Below(plain(&place), Kind::Any))
                .collect()
        }
        "worktree" => trees(operands("b:B:", &["reason"]).into_iter().skip(1).take(1).collect()),
        "clone" => operands("b:c:j:o:u:", &["branch", "depth", "origin", "config", "reference"])
            .into_iter()
            .skip(1)
            .map(What::Within)
            .collect(),
        "archive" | "diff" | "log" | "show" => {
            let args = Args::read(rest, if verb == "archive" { "o:" } else { "" }, &["output"]);
            args.values('o', "output").cloned().map(What::File).collect()
        }
        "format-patch" => {
            let args = Args::read(rest, "o:v:", &["output-directory"]);
            args.values('o', "output-directory").cloned().map(What::Within).collect()
        }
        _ => Vec::new(),
    }
}

/// A path without git's own signs before it: `:/src`, `:(top)src`.
fn plain(name: &str) -> String {
    let rest = match name.strip_prefix(":(").and_then(|rest| rest.split_once(')')) {
        Some((_, rest)) => rest,
        None => name.strip_prefix(":/").unwrap_or(name),
    };
    if rest.is_empty() { ".".to_owned() } else { rest.to_owned() }
}

/// Where git is told to be, and what follows its own options.
fn own_options(words: &[String]) -> (Option<String>, &[String]) {
    let (mut place, mut rest) = (None, words);
    while let Some((option, more)) = rest.split_first().filter(|(option, _)| option.starts_with('-')) {
        rest = more;
        if WITH_VALUE.contains(&option.as_str()) {
            let Some((value, more)) = rest.split_first() else { break };
            if option == "-C" || option == "--work-tree" {
                place = Some(value.clone());
            }
            rest = more;
        } else if let Some(value) = option.strip_prefix("--work-tree=") {
            place = Some(value.to_owned());
        }
    }
    (place, rest)
}
