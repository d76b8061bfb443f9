//! What a repository is for works, and what of it runs later stays as it is.

use std::fs;
use std::os::unix::fs::symlink;

use clawd::os::process::Exit;
use clawd::sandbox::Tier;

use super::{World, succeeds, world};

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

/// Each script tries to change what git obeys there, and fails.
async fn none_succeeds(world: &World, scripts: &[&str]) {
    for script in scripts {
        let told = world.run(script).await;
        assert!(!told.exit.is_success(), "{script}: {told:?}");
    }
}

const EVIL: &str = "printf '[core]\\n\\tworktree = .\\n\\tfsmonitor = \"touch pwned; false\"\\n'";

#[tokio::test]
async fn a_work_tree_does_not_become_a_repository_of_its_own() {
    let Some(world) = world() else { return };
    world.prepare("git init -q && echo a > a && git add a && git commit -qm a");
    let told = world.run("mkdir objects refs; cp .git/HEAD .; rm x").await;
    assert!(told.said.contains("clawd: moved HEAD to ") && told.exit == Exit::Code(1), "{told:?}");
    world.prepare("rm -r objects refs HEAD*");
    let layouts = [
        "mkdir objects refs; echo 'ref: refs/heads/main' > HEAD; $EVIL > config",
        "mkdir -p c/objects c/refs; echo c > commondir; echo 'ref: refs/heads/main' > HEAD; $EVIL > c/config; $EVIL > config",
        "mkdir objects refs; ln -s refs/heads/main HEAD; $EVIL > config",
    ];
    for layout in layouts {
        for end in ["", "; (sleep 100 < /dev/null > /dev/null 2>&1 &)"] {
            let layout = layout.replace("$EVIL", EVIL);
            let script = format!("cp .git/HEAD saved; rm .git/HEAD; {layout}{end}");
            let told = world.run(&script).await;
            // the helper of the job before may have been the one to move it
            assert!(world.at("workspace/HEAD").symlink_metadata().is_err(), "{script}: {told:?}");
            // as the user runs it, outside
            world.prepare("git status > /dev/null 2>&1; mv saved .git/HEAD; git status > /dev/null");
            assert!(!world.at("workspace/pwned").exists(), "{script}");
            world.prepare("rm -rf objects refs config commondir c HEAD*");
        }
    }
    succeeds("diff", &world.run("git diff --quiet HEAD && git log -1 HEAD && git status").await);
}

#[tokio::test]
async fn what_git_obeys_is_protected_wherever_it_lies() {
    let Some(world) = world() else { return };
    world.prepare("git init -q --separate-git-dir ./store && git commit -q --allow-empty -m x");
    let scripts =
        ["echo x >> store/config", "echo x > store/hooks/x", "mv store s", "echo x > store/commondir"];
    none_succeeds(&world, &scripts).await;
    succeeds("commit", &world.run("echo a > a && git add a && git commit -qm a").await);
    world.prepare("rm .git && ln -s store .git");
    none_succeeds(&world, &scripts).await;
    none_succeeds(&world, &["rm .git", "echo x >> .git/config", "ln -sfn /tmp .git"]).await;
    succeeds("commit", &world.run("echo b > b && git add b && git commit -qm b").await);
    world.prepare("rm .git && mv store .git && mkdir tools && touch more && git config core.hooksPath tools");
    world.prepare("git config include.path ../more");
    none_succeeds(&world, &["echo x > tools/pre-commit", "echo x > more", "mv tools x", "rm more"]).await;
    world.prepare("git config --unset core.hooksPath && git config extensions.worktreeConfig true");
    world.prepare("git worktree add -q ../outside/wt");
    none_succeeds(&world, &["echo x > .git/worktrees/wt/config.worktree", "echo x > .git/config.worktree"])
        .await;
}

#[tokio::test]
async fn what_git_obeys_is_protected_in_a_bare_repository_and_a_worktree_with_its_own_configuration() {
    let Some(world) = world() else { return };
    world.prepare("git init -q --bare .");
    none_succeeds(&world, &["echo x >> config", "echo x > hooks/x", "echo x > commondir", "mv hooks x"])
        .await;
    world.prepare("rm -rf ./* && git init -q ../outside/main && cd ../outside/main && rmdir ../../workspace");
    world.prepare_in(
        "outside/main",
        "git commit -q --allow-empty -m x && git config extensions.worktreeConfig true",
    );
    world.prepare_in("outside/main", "git worktree add -q ../../workspace");
    none_succeeds(&world, &["echo x > $OUT/main/.git/worktrees/workspace/config.worktree"]).await;
    succeeds("commit", &world.run("echo a > a && git add a && git commit -qm a").await);
}

#[tokio::test]
async fn what_the_index_names_as_a_submodule_runs_nothing() {
    let Some(world) = world() else { return };
    world.prepare("git init -q && echo a > a && git add a && git commit -qm a");
    let make = "git init -q sub && git -C sub commit -q --allow-empty -m x";
    let name = "git update-index --add --cacheinfo 160000,$(git -C sub rev-parse HEAD),sub";
    let evil = "git -C sub config core.fsmonitor 'touch pwned; touch ../pwned; false'";
    let hook = "printf '#!/bin/sh\\ntouch pwned ../pwned\\n' > sub/.git/hooks/post-index-change && chmod +x sub/.git/hooks/post-index-change";
    let deeper = "mkdir in && mv sub in/sub && git init -q in && git -C in update-index --add --cacheinfo \
                  160000,$(git -C in/sub rev-parse HEAD),sub && git -C in commit -qm x && git update-index --add \
                  --cacheinfo 160000,$(git -C in rev-parse HEAD),in";
    let ways: [&[&str]; 6] = [
        &[make, evil, name],
        &[make, name, evil],
        &[make, name, hook],
        &[make, evil, deeper],
        &[make, evil, "mv sub/.git store && echo gitdir: ../store > sub/.git", name],
        &[make, evil, "git update-index --index-version 4", name],
    ];
    for way in ways {
        for script in way {
            succeeds(script, &world.run(script).await);
        }
        // as the user runs it, outside
        world.prepare("git status > /dev/null");
        assert!(!world.at("workspace/pwned").exists(), "{way:?}");
        assert!(
            !world.at("workspace/sub/pwned").exists() && !world.at("workspace/in/sub/pwned").exists(),
            "{way:?}"
        );
        world.prepare(
            "rm -rf sub in store pwned && git update-index --index-version 2 && git reset -q --hard",
        );
    }
    for script in [make, name] {
        succeeds(script, &world.run(script).await);
    }
    assert!(world.at("workspace/sub/.git/config").exists(), "an honest one stays");
}
