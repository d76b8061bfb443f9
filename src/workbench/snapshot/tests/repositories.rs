//! The same in repositories: what git has, what it has otherwise, and what it would have run.

use super::super::tree::{Cover, Why};
use super::world::{World, wait_until_old};

fn is_stored(world: &World, name: &str) -> bool {
    matches!(world.cover(name), Cover::Stored(_))
}

#[test]
fn only_what_git_does_not_have_is_copied() {
    let world = World::git("echo clean > clean; echo dirty > dirty; echo staged > staged; echo both > both");
    world.sh("echo changed > dirty; echo more > staged; git add staged; echo one > both; git add both; echo two > both; echo new > new");
    wait_until_old();
    world.check("rm clean dirty staged both new");
    assert_eq!(world.told("true"), [""; 0]);
    let world = World::git("echo clean > clean; echo dirty > dirty");
    world.sh("echo changed > dirty; echo new > new");
    wait_until_old();
    assert_eq!(world.told("true"), [""; 0]);
    assert!(is_stored(&world, "clean"));
    assert!(["dirty", "new"].iter().all(|name| matches!(world.cover(name), Cover::Copied(_))));
}

#[test]
fn whatever_git_itself_does_can_be_put_back() {
    for script in [
        "git rm -q a",
        "git reset -q --hard",
        "git checkout -q other",
        "git stash -q",
        "git checkout -q -- dirty",
        "git clean -fdq",
        "git mv a z; git commit -qam moved",
        "echo x > a; git commit -qam x; echo y > a",
    ] {
        let world = World::git(
            "mkdir d; echo a > a; echo b > d/b; echo c > dirty; git add -A; git commit -qm 0; git branch other; echo 2 > d/b; echo n > n",
        );
        world.sh("git checkout -q other; echo more > d/b; git commit -qam 1; git checkout -q -; echo dirty > dirty; git stash -q; git stash apply -q; git stash drop -q");
        world.sh("echo untracked > u; git update-index -q --refresh || true");
        wait_until_old();
        world.check(script);
    }
}

#[test]
fn every_version_of_an_index_is_understood_and_none_is_written() {
    for (how, more) in [
        ("git init -q .", ""),
        ("git init -q .", "git update-index --index-version 4"),
        ("git init -q .", "echo x > later; git add -N later"),
        ("git init -q --object-format=sha256 .", ""),
        ("git init -q --object-format=sha256 .", "git update-index --index-version 4"),
    ] {
        let world = World::plain(how);
        world.sh("mkdir -p long/directory; for i in 1 22 333 4444; do echo $i > long/directory/$i; echo $i > $i; done");
        world.commit();
        world.sh(more);
        wait_until_old();
        let index = || std::fs::read(world.root.join(".git/index")).unwrap();
        let before = index();
        assert_eq!(world.told("true"), [""; 0], "{how} {more}");
        for name in ["1", "22", "333", "4444", "long/directory/333"] {
            assert!(is_stored(&world, name), "{name}: {how}; {more}");
        }
        world.check("rm -r long 1; echo x > 22");
        assert_eq!(index(), before);
    }
}

#[test]
fn what_git_stores_otherwise_than_it_is_there_is_copied() {
    for setup in [
        "git config core.autocrlf true; printf 'a\\r\\nb\\r\\n' > f",
        "echo '* text=auto' > .gitattributes; printf 'a\\r\\n' > f",
        "echo '* text eol=crlf' > .gitattributes; printf 'a\\r\\n' > f",
        "echo 'f ident' > .gitattributes; printf '$Id: 0123 $\\n' > f",
        "echo 'f filter=up' > .gitattributes; git config filter.up.clean 'tr a-z A-Z'; echo text > f",
        "mkdir -p .git/info; echo 'f filter=up' > .git/info/attributes; git config filter.up.clean 'tr a-z A-Z'; echo text > f",
        "echo 'f filter=lfs' > .gitattributes; git config filter.lfs.clean 'echo pointer; cat > /dev/null'; echo text > f",
    ] {
        let world = World::git(setup);
        assert_eq!(world.told("true"), [""; 0], "{setup}");
        assert!(!is_stored(&world, "f"), "{setup}");
        world.check("rm f");
    }
}

#[test]
fn what_a_repository_would_have_run_is_not_run() {
    let world = World::git("echo a > a; echo b > b");
    world.sh(
        "touch=\"touch $PWD/../ran\"; for key in core.fsmonitor core.pager core.sshCommand pager.cat-file core.hooksPath; do \
         git config $key \"$touch\"; done; git config alias.cat-file \"!$touch\"; git config filter.x.smudge \"$touch\"; \
         git config uploadpack.packObjectsHook \"$touch\"; git config core.alternateRefsCommand \"$touch\"",
    );
    let before = world.told("true");
    std::fs::remove_file(world.root.join("a")).unwrap();
    assert_eq!(before, [""; 0]);
    assert_eq!(world.look(super::Moment::After).len(), 1);
    assert!(!world.root.with_file_name("ran").exists());
}

#[test]
fn a_submodule_and_a_linked_work_tree_are_repositories_of_their_own() {
    let world = World::git("echo a > a; git init -q sub; cd sub; echo s > s; git add s; git commit -qm s");
    world.sh("cd sub; touch -d 2020-01-01 s; git update-index -q --refresh");
    world.sh(
        "git worktree add -q tree -b other; cd tree; touch -d 2020-01-01 a; git update-index -q --refresh",
    );
    wait_until_old();
    assert_eq!(world.told("true"), [""; 0]);
    for name in ["a", "tree/a"] {
        assert!(is_stored(&world, name), "{name}");
    }
    // a command may take it with its own `.git`
    assert!(matches!(world.cover("sub/s"), Cover::Copied(_)));
    world.check("rm sub/s");
    world.check("rm a sub/s tree/a; echo x > sub/new");
}

#[test]
fn what_git_tracks_is_covered_though_it_is_ignored() {
    let world = World::git(
        "mkdir -p out/deep; echo x > out/deep/kept; echo x > a.log; git add -f .; printf 'out\\n*.log\\n' > .gitignore",
    );
    world.sh("echo y > out/deep/other");
    let told = world.told("rm a.log out/deep/kept out/deep/other; echo z > b.log");
    assert_eq!(told, ["a.log", "out/deep/kept"]);
}

#[test]
fn a_workspace_below_the_top_of_a_repository_has_its_index() {
    let world = World::plain("");
    world.sh("cd ..; git init -q .; echo w/out > .gitignore; mkdir w/out; echo x > w/out/x; echo f > w/f; touch -d 2020-01-01 w/f; git add w; git commit -qm x");
    wait_until_old();
    assert_eq!(world.told("rm out/x"), [""; 0]);
    assert!(is_stored(&world, "f"));
    world.check("echo x > f");
}

#[test]
fn an_object_that_is_not_there_covers_nothing() {
    let world = World::git("echo a > a; echo b > b");
    world.sh("object=$(git rev-parse :a); rm -f .git/objects/$(echo $object | cut -c1-2)/$(echo $object | cut -c3-)");
    assert_eq!(world.told("true"), [""; 0]);
    assert!(matches!(world.cover("a"), Cover::Copied(_)) && is_stored(&world, "b"));
    assert_ne!(world.cover("a"), Cover::None(Why::Waiting));
}

#[test]
fn files_of_a_clone_in_the_workspace_and_of_a_submodule_come_back_with_all_of_it_gone() {
    let world = World::git("echo a > a");
    world.sh("mkdir vendor; git init -q vendor/lib; cd vendor/lib; echo l > l; git add l; git commit -qm l; cd ../..; \
              git init -q ../other; cd ../other; echo s > s; git add s; git commit -qm s; cd ../w; \
              git -c protocol.file.allow=always submodule -q add ../other sub; git commit -qm sub");
    world.sh("touch -d 2020-01-01 vendor/lib/l sub/s; git -C vendor/lib update-index -q --refresh; git -C sub update-index -q --refresh");
    wait_until_old();
    assert_eq!(world.told("true"), [""; 0]);
    assert!(is_stored(&world, "sub/s"));
    let was = world.picture();
    let saved = world.command(|| world.sh("rm -rf vendor/lib sub"));
    let (failed, _) = world.rewind(&saved);
    let [failed] = &failed[..] else { panic!("{failed:?}") };
    assert!(
        failed.ends_with("vendor/lib/.git: not restored: contents of .git are not backed up"),
        "{failed}"
    );
    assert_eq!(world.picture(), was);
}

#[test]
fn what_git_had_is_copied_once_git_has_it_no_more() {
    let world = World::git("echo a > a; echo b > b");
    assert_eq!(world.told("true"), [""; 0]);
    assert!(is_stored(&world, "a"));
    let told = world.told("rm -rf .git a");
    assert_eq!(told, [".git: contents of .git are not backed up", "a: git no longer has it"]);
    assert_eq!(world.look(super::Moment::Before), []);
    world.check("rm b");
}

#[test]
fn a_filter_of_the_users_own_is_known() {
    let world = World::plain("git init -q .");
    world.sh("git config --global filter.rot.clean 'tr a-z n-za-m'; git config --global filter.rot.smudge 'tr a-z n-za-m'; \
              git config --global core.attributesFile ~/attributes; echo '*.txt filter=rot' > ~/attributes; echo text > f.txt");
    world.commit();
    assert_eq!(world.told("true"), [""; 0]);
    assert!(!is_stored(&world, "f.txt"));
    world.check("rm f.txt");
}
