//! What git throws away.
//!
//! What is committed can be found again, so only what is not, and what makes commits hard to find, counts. The surprise:
//! `git checkout NAME` may be a branch or a file; it counts where there is such a file.

use super::files::{Deed, Kind, has};

/// Options of git itself that take a value.
const WITH_VALUE: [&str; 5] = ["-C", "-c", "--git-dir", "--work-tree", "--namespace"];

const CHANGES: &str = "throws away changes that are not committed";

/// Everything that `git` with these words would do.
pub(super) fn deeds(words: &[String]) -> Vec<Deed> {
    let (place, words) = own_options(words);
    let Some((verb, rest)) = words.split_first() else { return Vec::new() };
    let says = |wanted: &[&str]| rest.iter().any(|word| wanted.contains(&word.as_str()));
    let first = rest.iter().find(|word| !word.starts_with('-')).map(String::as_str);
    let other = |is: bool, what: &'static str| if is { vec![Deed::Other(what)] } else { Vec::new() };
    match verb.as_str() {
        "clean" if has(rest, 'n', "--dry-run") || !has(rest, 'f', "--force") => Vec::new(),
        "clean" if place.is_some() => vec![Deed::Below(place.unwrap_or_default(), Kind::Any)],
        "clean" => other(true, "deletes files that git does not know"),
        "reset" => other(says(&["--hard", "--merge", "--keep"]), CHANGES),
        "restore" => other(!has(rest, 'S', "--staged") || has(rest, 'W', "--worktree"), CHANGES),
        "checkout" => checkout(rest),
        "switch" => other(has(rest, 'f', "--force") || says(&["--discard-changes"]), CHANGES),
        "stash" => other(matches!(first, Some("drop" | "clear")), "throws away what was stashed"),
        "branch" => {
            let forced = has(rest, 'd', "--delete") && has(rest, 'f', "--force");
            other(has(rest, 'D', "-D") || forced, "deletes branches that may not be merged")
        }
        "worktree" => other(first == Some("remove") && has(rest, 'f', "--force"), CHANGES),
        "rm" => other(has(rest, 'f', "--force"), CHANGES),
        "reflog" => other(matches!(first, Some("expire" | "delete")), "deletes the way back to old commits"),
        "gc" => other(rest.iter().any(|word| word.starts_with("--prune")), "deletes old commits"),
        "prune" => other(true, "deletes old commits"),
        "update-ref" => other(has(rest, 'd', "-d"), "deletes branches that may not be merged"),
        "filter-branch" | "filter-repo" => other(true, "writes history anew"),
        "push" => {
            let forced =
                has(rest, 'f', "--force") || says(&["--mirror", "--prune"]) || has(rest, 'd', "--delete");
            let by_name =
                rest.iter().any(|word| word.starts_with(['+', ':']) || word.starts_with("--force-with"));
            other(forced || by_name, "overwrites or deletes what others have")
        }
        _ => Vec::new(),
    }
}

fn checkout(rest: &[String]) -> Vec<Deed> {
    let is_new_branch =
        has(rest, 'b', "-b") || has(rest, 'B', "-B") || rest.iter().any(|word| word == "--orphan");
    let names_files =
        rest.iter().any(|word| word == "--") || rest.iter().any(|word| word == "." || word == "./");
    if names_files || has(rest, 'f', "--force") || rest.iter().any(|word| word.starts_with("--pathspec")) {
        return vec![Deed::Other(CHANGES)];
    }
    let operands: Vec<&String> = rest.iter().filter(|word| !word.starts_with('-')).collect();
    if is_new_branch { Vec::new() } else { operands.into_iter().cloned().map(Deed::Overwrite).collect() }
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
