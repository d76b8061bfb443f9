//! What `/init` and `/review` say to the model in the user's place.
//!
//! Plain requests, shown as what the user said: nothing is hidden in them, and they hold no rule that the program would enforce.

/// Has the project's instructions written.
pub(super) const INIT: &str = include_str!("init.md").trim_ascii_end();

const REVIEW: &str = include_str!("review.md").trim_ascii_end();

/// What is looked through where nothing is named.
const WORKING_TREE: &str =
    "the changes of the working tree: `git status --short`, `git diff HEAD`, and the untracked files";

/// Has changes looked through: these, or all that are not committed.
pub(super) fn review(what: &str) -> String {
    let what = if what.is_empty() { WORKING_TREE } else { what };
    REVIEW.replace("{what}", what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_named_stands_in_the_request_and_no_gap_is_left() {
        assert!(review("HEAD~2").contains("HEAD~2"));
        for text in [INIT, &review(""), &review("{x}")] {
            assert!(!text.contains("{what}") && !text.ends_with('\n'), "{text}");
        }
    }
}
