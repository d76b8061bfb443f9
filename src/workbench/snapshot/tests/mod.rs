//! Commands in small trees: what is told of each puts back what was there, and nothing else.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use self::world::{World, wait_until_old};
use super::cover::{Copied, MOST_FILE, Next};
use super::tree::{Cover, Known, Why};
use super::{Moment, Reason, Runs};
use crate::protocol::SavedFile;

mod random;
mod repositories;
mod world;

const TREE: &str = "mkdir -p src/deep; echo one > src/a; echo two > src/deep/b; printf '\\0\\377' > binary; : > empty; \
                    printf '#!/bin/sh\\n' > run; chmod 755 run; ln -s src/a link; ln -s nowhere dangling";

/// Each undone by what is told of it.
const COMMANDS: &[&str] = &[
    "echo new > made; mkdir x; echo new > x/made",
    "rm src/a src/deep/b",
    "rm -r src",
    "mv src/a src/c",
    "mv src moved",
    "mv src/a src/deep/b",
    "echo longer > src/a",
    "printf 'eno\\n' > src/a",
    "echo more >> binary",
    "printf '\\1\\376' > binary",
    "echo full > empty",
    ": > src/a",
    "chmod 600 src/a; chmod 644 run; chmod 4711 src/deep/b",
    "ln -sf src/deep/b link",
    "rm dangling; ln -s src directory",
    "rm link; echo file > link",
    "rm src/a; ln -s ../run src/a",
    "rm run; mkdir run; echo x > run/inside",
    "rm -r src; echo file > src",
    "rm -r src; mkdir src; echo one > src/a; echo 2 > src/new",
    "echo x > src/a; rm src/a; echo y > src/a",
    "rm src/a; mkfifo src/a",
    "mkfifo pipe; echo x > with; rm with",
    "echo 'a name' > 'src/a name with spaces'; rm binary",
    "sed -i s/one/two/ src/a; cp src/a src/deep/b",
    "mv src/a t; mv src/deep/b src/a; mv t src/deep/b",
    "mv src a; mv a/deep src; ln -s a d",
    "mv src d2; ln -s d2 src",
    "mv src d2; mkdir src; echo new > src/a; rm d2/a",
    "mv -f run binary",
    "mv src/a x; echo more >> x",
    "mv src x; echo more >> x/a; rm x/deep/b; echo y > x/new",
    "mkdir -p n/m; mv src n/m/s; mv run n",
    "mv src s; mv s/deep d; mv d/b b; rmdir d",
    "rm -r src; mv binary src",
    "rm binary; mv src binary",
    "chmod 400 src/a",
    "chmod 000 src/a",
    "echo other > src/a; chmod 000 src/a",
    "mkdir -p new/deep/empty closed; chmod 700 closed src",
    "rm -r src/deep; mkdir -m 700 src/deep",
    "ln -f src/a run; ln src/a hard; ln src/deep/b hard2; rm src/deep/b",
];

#[test]
fn what_a_command_changes_can_be_put_back() {
    for script in COMMANDS {
        World::plain(TREE).check(script);
        World::git(TREE).check(script);
    }
}

#[test]
fn directories_in_each_others_places_come_back_and_go_forward_again() {
    for (setup, script) in [
        ("mkdir c", "mkdir x; mv c x/y; chmod 700 x/y"),
        ("ln -s c b; mkdir d; ln -s b d/a", "mv b c; mv d b"),
        ("mkdir -p d/e", "mv d/e a; mkdir d/e"),
        ("mkdir -p d/e", "mv d a; mkdir -p d/e; ln -s x d/e/a"),
        ("mkdir d; echo x > x", "mv d e; mkdir -m 700 e/new; mv x e/new/x"),
        ("mkdir -p d/e; : > a; : > d/b; ln -s b b", "mv b a; mv d b; mkdir c d"),
        ("mkdir d; echo 1 > d/a; ln -s b d/b", "rm -r d; ln -s d/a d"),
        ("echo 1 > a", "mv a z; mkdir k; mv z k/z"),
        ("mkdir d; echo 1 > d/a", "mv d/a t; rmdir d; mv t d"),
        ("echo 1 > d", "mv d t; mkdir d; mv t d/x"),
        ("mkdir -p d e; mkfifo -m 600 e/p", "mv e/p x; mv d e"),
        ("mkdir -p d e; echo 1 > e/f", "mv e/f x; mv d e"),
        ("mkdir -p d/e x; echo 1 > d/e/f", "mv d/e k; rmdir d; mv x d"),
        ("mkdir d q; echo 1 > d/f; echo 2 > q/f", "mkdir -p n/m; mv d n/m/s; mkdir d; mv q d/k"),
        ("mkdir d; ln -s b d/e", "rm d/e; mkdir d/e; echo x > d/e/a"),
        ("true", "mkdir -m 700 d; echo x > d/a"),
        ("mkdir d; echo x > d/a", "mv d c; mkdir -p d/a"),
        ("mkdir -p d/e; echo 1 > d/e/a", "rm -r d/e; ln -s d/a d/e; mv d a; mkdir d; echo 5 > d/a"),
    ] {
        let world = World::plain(setup);
        wait_until_old();
        let before = world.picture();
        let saved = world.command(|| world.sh(script));
        let after = world.picture();
        let (failed, replaced) = world.rewind(&saved);
        assert_eq!((failed, world.picture()), (Vec::new(), before), "{script}\n{saved:#?}");
        let (failed, _) = world.redo(&replaced);
        assert_eq!((failed, world.picture()), (Vec::new(), after), "{script}\n{replaced:#?}");
    }
}

#[test]
fn an_old_file_in_the_place_of_a_directory_a_link_or_a_pipe_is_moved_aside() {
    for setup in ["mkdir x", "ln -s nowhere x", "mkfifo x"] {
        let world = World::plain(&format!("{setup}; echo old > ../o"));
        wait_until_old();
        let before = world.picture();
        let saved = world.command(|| world.sh("rm -r x; mv ../o x"));
        let (failed, _) = world.rewind(&saved);
        assert_eq!(fs::read(world.root.join("x.left")).unwrap(), b"old\n", "{setup} {failed:?}");
        assert!(failed[0].contains("x.left: a command moved it to"), "{failed:?}");
        fs::remove_file(world.root.join("x.left")).unwrap();
        assert_eq!(world.picture(), before, "{setup}");
    }
}

#[test]
fn a_directory_that_is_not_empty_in_the_place_of_something_is_moved_aside() {
    for setup in ["ln -s nowhere x", "echo 1 > x", "mkfifo x"] {
        let world = World::plain(&format!("{setup}; echo old > ../o; echo ignored > .gitignore"));
        wait_until_old();
        let before = world.picture();
        for script in
            ["mv ../o x/o", "echo new > x/ignored; mv ../o x/o", "mkdir x/e; echo new > x/e/ignored"]
        {
            let saved = world.command(|| world.sh(&format!("mv x y; mkdir x; echo new > x/a; {script}")));
            let after = world.picture();
            let (failed, replaced) = world.rewind(&saved);
            assert!(failed.iter().any(|line| line.contains("x.left: moved aside from")), "{failed:?}");
            let mut now = world.picture();
            now.retain(|path, _| !path.starts_with(world.root.join("x.left")));
            assert_eq!(now, before, "{setup} {script} {saved:#?}");
            let (failed, _) = world.redo(&replaced);
            assert_eq!((failed, world.picture()), (Vec::new(), after), "{setup} {script}");
            world.sh("rm -rf x.left; [ ! -f x/o ] || mv x/o ../o; rm -r x; mv y x");
        }
    }
}

#[test]
fn what_stays_in_a_directory_that_is_moved_back_is_named_by_its_path_then() {
    for (setup, script, name) in [
        ("mkdir d", "mv ../o d/o; mv d e", "d/o: not changed"),
        ("mkdir d; echo 1 > d/o", "mv ../o d/o; mv d e", "d/o.left: a command"),
        ("mkdir d; ln -s c d/a; echo 1 > b", "mv d/a b; mv ../o d/a", "d/a.left: a command"),
    ] {
        let world = World::plain(&format!("{setup}; echo old > ../o"));
        wait_until_old();
        let before = world.picture();
        let saved = world.command(|| world.sh(script));
        let after = world.picture();
        let (failed, replaced) = world.rewind(&saved);
        assert!(failed.len() == 1 && failed[0].contains(&format!("/w/{name}")), "{failed:?}");
        let named = world.root.join(name.split_once(':').unwrap().0);
        assert_eq!(fs::read(&named).unwrap(), b"old\n");
        let mut rewound = world.picture();
        rewound.remove(&named);
        assert_eq!(rewound, before, "{script}");
        let (failed, _) = world.redo(&replaced);
        assert_eq!((failed, world.picture()), (Vec::new(), after), "{script}");
    }
}

#[test]
fn a_hard_link_that_is_not_restored_is_named() {
    for (setup, script, back, forth) in [
        ("echo 1 > a; ln a b", "sed -i s/1/2/ a", &["a"][..], &[][..]),
        ("echo 1 > a; ln a b", "rm a b", &["a", "b"], &[]),
        ("echo 1 > a; ln a b", "echo 2 > a; chmod 600 b", &[], &[]),
        ("echo 1 > a; echo 2 > b", "ln -f a b; ln a c", &[], &["b", "c"]),
    ] {
        let world = World::plain(setup);
        wait_until_old();
        let before = world.picture();
        let saved = world.command(|| world.sh(script));
        let after = world.picture();
        let told = |names: &[&str]| -> Vec<String> {
            let line = "restored as a separate file: its hard link is not restored";
            names.iter().map(|name| format!("{}: {line}", world.root.join(name).display())).collect()
        };
        let (failed, replaced) = world.rewind(&saved);
        assert_eq!((failed, world.picture()), (told(back), before), "{script}");
        let (failed, _) = world.redo(&replaced);
        assert_eq!((failed, world.picture()), (told(forth), after), "{script}");
    }
}

#[test]
fn what_a_command_leaves_as_it_was_is_not_told() {
    for world in [World::plain(TREE), World::git(TREE)] {
        for script in
            ["true", "touch src/a run", "cp src/a x; mv x src/a; chmod 644 src/a", "echo x > y; rm y"]
        {
            world.sh("chmod 644 src/a");
            assert_eq!(world.told(script), [""; 0], "{script}");
        }
        assert_eq!(world.told("echo x > made; rm src/a"), ["+made", "src/a"]);
    }
}

#[test]
fn one_command_after_another_is_told_from_where_the_last_one_ended() {
    let world = World::plain(TREE);
    let first = world.picture();
    let one = world.command(|| world.sh("echo x > src/a; echo y > made"));
    let second = world.picture();
    let two = world.command(|| world.sh("echo z > made; rm src/a binary"));
    world.restore(&two);
    assert_eq!(world.picture(), second);
    world.restore(&one);
    assert_eq!(world.picture(), first);
}

#[test]
fn what_somebody_else_changed_before_a_command_is_not_the_commands() {
    let world = World::plain(TREE);
    assert_eq!(world.told("true"), [""; 0]);
    world.sh("echo by hand > src/a; echo by hand > new; rm run");
    let before = world.picture();
    let saved = world.command(|| world.sh("echo x > src/a; rm new"));
    assert_eq!(saved.len(), 2);
    world.restore(&saved);
    assert_eq!(world.picture(), before);
}

#[test]
fn a_change_that_hides_from_length_and_time_is_seen() {
    let world = World::git(TREE);
    let script = "touch -r src/a ../then; printf 'eno\\n' > src/a; touch -r ../then src/a";
    assert_eq!(world.check(script).len(), 1);
}

#[test]
fn a_change_in_the_moment_of_the_look_is_seen() {
    let world = World::plain("");
    let file = world.root.join("f");
    for round in 0..50 {
        world.bench.snapshots.begin_message();
        fs::write(&file, format!("{round:03} before")).unwrap();
        assert_eq!(world.look(Moment::Before), []);
        fs::write(&file, format!("{round:03} after!")).unwrap();
        let [saved] = world.look(Moment::After).try_into().unwrap();
        let kept = fs::read(world.bench.blobs().path(&saved.before.unwrap()).unwrap()).unwrap();
        assert_eq!(kept, format!("{round:03} before").into_bytes());
    }
}

#[test]
fn ignored_files_are_named_and_never_told() {
    let world = World::plain(
        "printf 'out/\\n*.log\\n' > .gitignore; mkdir out; echo x > out/x; echo x > a.log; echo x > f",
    );
    assert_eq!(world.told("rm -r out; echo y > a.log; echo y > b.log; rm f"), ["f"]);
    assert!(world.bench.snapshots.uncovered().contains(&"ignored files".to_owned()));
}

#[test]
fn what_is_no_longer_ignored_was_not_made() {
    let world = World::plain("echo out > .gitignore; mkdir out; echo x > out/x");
    assert_eq!(world.told("echo nothing > .gitignore; echo y > new"), [".gitignore", "+new"]);
    // now it is known
    assert_eq!(world.told("echo y > out/x"), ["out/x"]);
}

#[test]
fn what_a_command_makes_and_ignores_is_not_told() {
    for sub in ["", "sub/"] {
        let world = World::plain("mkdir sub; echo x > sub/f");
        let script = format!("echo out > .gitignore; mkdir {sub}out; echo x > {sub}out/x");
        assert_eq!(world.told(&script), ["+.gitignore"]);
    }
}

#[test]
fn directories_that_a_command_makes_for_a_file_are_counted() {
    for world in [World::plain(TREE), World::git(TREE)] {
        let script = "mkdir -p new/deep src/deep/in; touch new/deep/f src/deep/in/f src/deep/f; rm run; mkdir run; touch run/f";
        let saved = world.command(|| world.sh(script));
        let above = |file: &SavedFile| (file.path.rsplit_once("/w/").unwrap().1.to_owned(), file.above);
        let made: Vec<(String, usize)> =
            saved.iter().filter(|file| file.before.is_none()).map(above).collect();
        let expected = [("new/deep/f", 2), ("run/f", 1), ("src/deep/f", 0), ("src/deep/in/f", 1)];
        assert_eq!(made, expected.map(|(name, above)| (name.to_owned(), above)));
    }
}

#[test]
fn what_somebody_changed_in_a_directory_that_took_the_place_of_another_is_not_the_commands() {
    let world = World::plain("mkdir -p d/e; echo one > d/a; echo one > d/e/a");
    assert_eq!(world.told("true"), [""; 0]);
    for by_hand in
        ["mv d c; mkdir -p d/e; echo two > d/a; echo two > d/e/a", "echo three > d/a; echo three > d/e/a"]
    {
        world.sh(by_hand);
        assert_eq!(world.told("true"), [""; 0], "{by_hand}");
    }
    world.sh("ln d/a d/e/linked");
    assert_eq!(world.told("true"), [""; 0]);
    world.sh("echo by the other name > d/e/linked");
    assert_eq!(world.told("true"), [""; 0]);
}

#[test]
fn what_may_hold_a_secret_is_not_copied_and_the_programs_own_is_not_told() {
    let world = World::plain("echo key > .env; echo x > f; echo x > own");
    world.bench.snapshots.set_apart(Arc::new(|path| {
        (path.ends_with(".env").then_some(Reason::Secret)).or(path.ends_with("own").then_some(Reason::Own))
    }));
    let why = ".env: it may contain a secret, so it is not backed up";
    let told = world.told("echo other > .env; echo y > f; echo n > sub.env; echo y > own");
    assert_eq!(told, [why, "f", "+sub.env"]);
    assert_eq!(world.cover(".env"), Cover::None(Why::Secret));
    assert_eq!(world.told("rm .env own"), [why]);
    assert_eq!(world.bench.blobs().path("x").unwrap().parent().unwrap().read_dir().unwrap().count(), 1);
}

#[test]
fn what_is_too_large_is_named() {
    let world = World::plain(&format!("truncate -s {} large; echo x > f", MOST_FILE + 1));
    assert_eq!(world.told("true"), [""; 0]);
    assert!(world.bench.snapshots.uncovered().contains(&"1 file over 32 MB".to_owned()));
    let made = format!("truncate -s {} made; rm f", MOST_FILE + 1);
    assert_eq!(world.told(&made), ["f", "+made"]);
    assert_eq!(world.told("rm large"), ["large: it is over 32 MB, too large to back up"]);
}

#[test]
fn what_cannot_be_read_is_named_and_waited_for_by_nobody() {
    let world = World::plain("echo x > f; mkfifo pipe; mkdir closed; echo y > closed/f");
    for name in ["f", "closed"] {
        fs::set_permissions(world.root.join(name), fs::Permissions::from_mode(0o000)).unwrap();
    }
    // root reads everything
    let is_read = fs::read(world.root.join("f")).is_ok();
    let told = world.told("rm -f f; chmod 755 closed; echo z > closed/g");
    // what a closed directory held is not known
    let expected: &[&str] = if is_read { &["closed", "+closed/g", "f"] } else { &["f: it cannot be read"] };
    assert_eq!(told, expected);
    assert_eq!(world.told("echo y2 > closed/f"), ["closed/f"]);
}

#[test]
fn a_directory_that_a_command_closes_is_opened_again() {
    for mode in ["000", "300", "400", "700"] {
        let world = World::plain("mkdir -p d/e; echo x > d/f; echo y > d/e/f");
        let before = world.picture();
        let saved = world.command(|| world.sh(&format!("chmod {mode} d")));
        assert_eq!(world.told("true"), [""; 0], "{mode}");
        let (failed, replaced) = world.rewind(&saved);
        assert_eq!((failed, world.picture()), (Vec::new(), before), "{mode} {saved:#?}");
        assert_eq!(world.told("echo z > d/e/f"), ["d/e/f"], "{mode}");
        assert_eq!(world.redo(&replaced).0, [""; 0]);
        let now = fs::metadata(world.root.join("d")).unwrap().permissions().mode() & 0o777;
        assert_eq!(format!("{now:03o}"), mode);
        fs::set_permissions(world.root.join("d"), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn a_file_that_changes_or_goes_before_it_is_copied_is_not_copied() {
    let world = World::plain("echo one > f");
    world.look(Moment::Before);
    let mut state = world.bench.snapshots.locked();
    let path = world.root.join("f");
    let Some((place, Known::File(look, cover))) = state.tree.known_mut(&path) else { panic!("no file") };
    *cover = Cover::None(Why::Waiting);
    let next = Next { path: path.clone(), place: Arc::clone(place), look: *look };
    assert!(matches!(next.read(), Copied::Whole(_)));
    fs::write(&path, "other").unwrap();
    assert!(matches!(next.read(), Copied::Other));
    fs::remove_file(&path).unwrap();
    let copied = next.read();
    assert!(matches!(copied, Copied::Unreadable));
    state.keep(&next, &copied);
    drop(state);
    assert_eq!(world.cover("f"), Cover::None(Why::Unreadable));
}

#[test]
fn what_nobody_waited_for_is_given_with_the_next_look() {
    let world = World::plain("echo one > f");
    assert_eq!(world.look(Moment::Before), []);
    world.sh("echo two > f");
    world.bench.look_now(Moment::After);
    let saved = world.look(Moment::Before);
    assert_eq!(saved.len(), 1, "{saved:?}");
}

#[test]
fn a_command_that_could_not_begin_has_changed_nothing() {
    let world = World::plain("echo one > f");
    assert_eq!(world.look(Moment::Before), []);
    world.bench.nothing_ran();
    world.sh("echo two > f");
    assert_eq!(world.look(Moment::Before), []);
}

#[test]
fn a_workspace_that_was_replaced_is_learnt_anew() {
    let world = World::plain("echo one > f; echo two > g");
    let told = world.told("cd ..; mv w away; mkdir w; echo other > w/f");
    assert_eq!(told, [""; 0]);
    assert_eq!(world.told("echo more > f"), ["f"]);
    let lost = "2 files changed by a command and not backed up".to_owned();
    assert!(world.bench.snapshots.uncovered().contains(&lost), "{:?}", world.bench.snapshots.uncovered());
}

#[test]
fn a_name_that_is_no_text_is_not_told_and_counted() {
    let world = World::plain("printf x > \"$(printf 'odd\\377')\"; echo x > f");
    assert_eq!(world.told("rm odd*; rm f"), ["f"]);
    let lost = "1 file changed by a command and not backed up".to_owned();
    assert!(world.bench.snapshots.uncovered().contains(&lost), "{:?}", world.bench.snapshots.uncovered());
}

#[test]
fn a_command_that_goes_on_is_told_of_at_the_next_look_without_what_tools_did() {
    let world = World::plain("echo one > f; echo one > ours");
    assert_eq!(world.told("true"), [""; 0]);
    world.bench.snapshots.locked().runs = Runs::Beside;
    world.sh("echo two > f; echo two > ours; echo two > made");
    world.bench.snapshots.changed_by_us([world.root.join("ours").as_path()]);
    let saved = world.look(Moment::Before);
    let names: Vec<&str> = saved.iter().map(|file| file.path.rsplit('/').next().unwrap()).collect();
    assert_eq!(names, ["f", "made"]);
}

#[test]
fn links_are_saved_as_links_and_none_is_followed() {
    let world = World::plain("mkdir ../out; echo x > ../out/f; ln -s ../out out; ln -s ../out/f file");
    let saved = world.command(|| world.sh("echo y > out/f; echo y > file; rm out; ln -s . out"));
    let [SavedFile { path, before: Some(before), mode, .. }] = &saved[..] else { panic!("{saved:?}") };
    assert_eq!((Path::new(path), *mode), (world.root.join("out").as_path(), SavedFile::LINK));
    assert_eq!(fs::read(world.bench.blobs().path(before).unwrap()).unwrap(), b"../out");
}

#[test]
fn directories_that_were_added_are_looked_at_too() {
    let world = World::plain("mkdir ../more; echo x > ../more/f");
    world.bench.shell().add(world.root.with_file_name("more"));
    let saved = world.command(|| world.sh("rm ../more/f"));
    assert!(saved[0].path.ends_with("more/f"), "{saved:?}");
}

#[tokio::test]
async fn what_was_not_copied_before_a_command_is_copied_while_nothing_runs() {
    let world = World::plain("for i in $(seq 1200); do echo $i > f$i; done");
    world.bench.look(Moment::Before).await;
    assert!(world.bench.snapshots.uncovered().contains(&"200 files not yet backed up".to_owned()));
    world.bench.look(Moment::After).await;
    while world.bench.snapshots.uncovered().iter().any(|line| line.contains("not yet backed up")) {
        tokio::task::yield_now().await;
    }
    let saved = world.command(|| world.sh("rm f*"));
    assert_eq!(saved.len(), 1200);
}
