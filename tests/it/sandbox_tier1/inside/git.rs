//! What a repository is for works, and what of it runs later stays as it is.

use std::fs;
use std::os::unix::fs::symlink;

use clawd::sandbox::Tier;

use super::{succeeds, world};

#[tokio::test]
async fn git_works_and_its_hooks_and_configuration_stay() {
    let Some(world) = world() else { return };
    world.prepare("git init -q && echo a > a && git add a && git commit -qm a");
    for script in [
        "echo b > b && git add -A && git commit -qm b && git status --porcelain | wc -c | grep -qx 0",
        "git branch other && git checkout -q other && echo c > c && git add c && git commit -qm c",
        "git checkout -q main && git merge -q other && git rebase -q other && git tag t && git log -1",
        "echo d >> a && git stash -q && git stash pop -q && git checkout a",
        "git worktree add -q wt && cd wt && echo e > e && git add e && git commit -qm e",
        "git worktree remove wt && git gc -q && git fsck",
        "git init -q --template= nested && cd nested && git config a.b c && git commit -q --allow-empty -m x",
        "rm -rf nested && git status --porcelain | wc -c | grep -qx 0",
    ] {
        succeeds(script, &world.run(script).await);
    }
    let protected =
        || (world.all_of("workspace/.git/hooks"), fs::read(world.at("workspace/.git/config")).unwrap());
    let (before, names) = (protected(), world.all_of("workspace").into_keys().collect::<Vec<_>>());
    for script in [
        "git config core.pager evil",
        "git remote add origin x",
        "echo evil >> .git/config",
        "echo evil > .git/hooks/pre-commit",
        "chmod 777 .git/hooks",
        "mv .git .git2",
        "mv .git/hooks .git/old",
        "mv .git/config .git/old",
        "rm -rf .git/hooks/* .git/hooks",
        "echo evil > new && mv new .git/config",
        "rm -f new; mkdir e; ln -sfn e .git/hooks || rm -r e; exit 1",
        "rm -rf e; echo ../evil > .git/commondir",
        "mkdir .clawd/commands",
        "touch .clawd/x",
        "rmdir .clawd",
        "echo {} > .mcp.json",
        "rmdir .mcp.json",
        "mv .mcp.json x",
    ] {
        let told = world.run(script).await;
        assert!(!told.exit.is_success(), "{script}: {told:?}");
        assert_eq!(protected(), before, "{script}");
    }
    assert_eq!(world.all_of("workspace").into_keys().collect::<Vec<_>>(), names, "nothing is left of it");
}

#[tokio::test]
async fn what_is_protected_may_be_a_link() {
    let Some(world) = world() else { return };
    if world.sandbox.tier() == Tier::Bubblewrap {
        return;
    }
    world.prepare("git init -q && rm -rf .git/hooks && mkdir -p tools && touch tools/pre-commit");
    symlink("../tools", world.at("workspace/.git/hooks")).unwrap();
    for script in [
        "rm .git/hooks",
        "mv .git/hooks x",
        "ln -sfn /tmp .git/hooks",
        "echo evil > .git/hooks/pre-commit",
        "echo evil > tools/pre-commit",
        "mv tools x",
    ] {
        let told = world.run(script).await;
        assert!(!told.exit.is_success(), "{script}: {told:?}");
    }
    succeeds("ls", &world.run("ls .git/hooks/pre-commit && git commit -q --allow-empty -m x").await);
}

#[tokio::test]
async fn a_linked_worktree_can_be_committed_in() {
    let Some(world) = world() else { return };
    world.prepare("git init -q ../outside/main && cd ../outside/main && git commit -q --allow-empty -m x");
    world.prepare("rmdir ../workspace && cd ../outside/main && git worktree add -q ../../workspace");
    let script = "echo a > a && git add a && git commit -qm a && git log --oneline | wc -l | grep -qx 2";
    succeeds(script, &world.run(script).await);
    for script in [
        "git config a.b c",
        "echo evil > $OUT/main/.git/hooks/x",
        "echo evil > $OUT/main/.git/worktrees/workspace/commondir",
        "rm .git && echo gitdir: /x > .git",
        "touch $OUT/main/x",
    ] {
        let told = world.run(script).await;
        assert!(!told.exit.is_success(), "{script}: {told:?}");
    }
}
