//! Git: what is done in a repository many times a day.

use super::row::Proof::{Makes, Says};
use super::row::{Row, row};

/// Two commits on `main`, one on `other` that touches another file.
const HISTORY: &str = "git init -q && echo a > a && git add a && git commit -qm one && git switch -qc other && echo b > b \
     && git add b && git commit -qm other && git switch -q main && echo c > c && git add c && git commit -qm two";
const HOOKED: &str = "git init -q && printf '#!/bin/sh\\necho checked > checked\\n' > .git/hooks/pre-commit \
     && chmod +x .git/hooks/pre-commit && echo a > a";

pub(super) const ROWS: &[Row] = &[
    row("git init and the first commit", &[("a", "a\n")], "git init -q && git add -A && git commit -qm first && git log --oneline", Says(" first")),
    row("git commit with a hook", &[], "git add a && git commit -qm one && git log --oneline", Makes("checked")).after(HOOKED),
    row("git rebase", &[], "git rebase -q other && git log --format=%s", Says("two\nother\none")).after(HISTORY),
    row(
        "git merge with a conflict, resolved",
        &[],
        "git switch -q other && echo x > c && git add c && git commit -qm x && ! git merge -q main && git checkout -q --theirs c \
         && git add c && git commit -qm merged && git log --merges --format=%s",
        Says("merged"),
    )
    .after(HISTORY),
    row("git stash", &[], "echo d >> a && git stash -q && git status --porcelain && git stash pop && cat a", Says("a\nd")).after(HISTORY),
    row("git worktree", &[], "git worktree add -q wt other && cd wt && echo e > e && git add e && git commit -qm e && git log --format=%s", Says("e\nother"))
        .after(HISTORY),
    row("git cherry-pick, revert, tag", &[], "git cherry-pick other && git revert --no-edit HEAD && git tag -a v1 -m v1 && git describe", Says("v1"))
        .after(HISTORY),
    row(
        "git bisect",
        &[],
        "for n in 1 2 3 4 5; do echo $n > n; git add n; git commit -qm $n; done; git bisect start HEAD HEAD~4 \
         && git bisect run sh -c 'test $(cat n) -lt 3'",
        Says("is the first bad commit"),
    )
    .after("git init -q"),
    row("git clone of a directory", &[], "git clone -q . copy && git -C copy log --format=%s", Says("two\none")).after(HISTORY),
    row("git gc and fsck", &[], "git gc -q && git fsck && ls .git/objects/pack", Says(".idx")).after(HISTORY),
    row("git remote add", &[], "git remote add origin ../x && git remote", Says("origin"))
        .after(HISTORY)
        .not_in_a_room(".git/config", "`.git/config`"),
];
