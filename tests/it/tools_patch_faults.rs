//! `ApplyPatch` where the disk is full or closed, where descriptors run out, and where the program is killed: all or nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::endpoint::{call, calls};
use crate::harness::Signal;
use crate::sessions::session_file;
use crate::tools_patch::{held, pairs, patch, read, shop};
use crate::watched::DEADLINE;
use crate::workshop::{Workshop, lines_of};

/// What cannot be tested here is said; it is an error where `CLAWD_TEST_REQUIRE` names it.
#[expect(clippy::print_stdout, reason = "what was not run is said, never passed over")]
fn left_out(what: &str) {
    let required = std::env::var("CLAWD_TEST_REQUIRE").unwrap_or_default();
    assert!(!required.split(',').any(|name| name == what), "{what} are required and not to be had");
    println!("left out: there are no {what} here");
}

/// The program in a mount namespace of its own, in which `setup` was done; none where the system does not allow that.
fn contained(shop: Workshop, setup: &str) -> Option<Workshop> {
    let can = Command::new("unshare").args(["-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !can.is_ok_and(|done| done.status.success()) {
        left_out("namespaces");
        return None;
    }
    let script = shop.clawd().home().join("contained");
    let program = shop.clawd().parts().0.display().to_string();
    let text =
        format!("#!/bin/sh\nexec unshare -Urm sh -c '{setup} && exec \"$0\" \"$@\"' {program} \"$@\"\n");
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    Some(shop.with(|clawd| clawd.program(script.to_str().unwrap())))
}

const SMALL_DISK: &str = "mount -t tmpfs -o size=256k none disk && cp seed/* disk";

#[test]
fn on_a_full_disk_every_file_of_a_patch_stays_as_it_was() {
    let seeded = shop().file("disk/x", "").file("seed/a", "a\n").file("seed/b", "b\n").file("seed/c", "c\n");
    let Some(shop) = contained(seeded, SMALL_DISK) else { return };
    let much = lines_of(0..40_000, |number| format!("+line {number}"));
    let mut answers = vec![vec![read("disk/a"), read("disk/b"), read("disk/c")]];
    for large in ["a", "b", "c", "new/d"] {
        let part = |name: &str| {
            let lines = if name == large { much.as_str() } else { "+x\n" };
            let head = if name == "new/d" { String::new() } else { format!("@@\n {name}\n") };
            let verb = if name == "new/d" { "Add" } else { "Update" };
            format!("*** {verb} File: disk/{name}\n{head}{lines}")
        };
        let body: String = ["a", "b", "c", "new/d"].map(part).concat();
        // in one piece: in fragments of a few letters half a million bytes take most of a minute
        answers.push(vec![patch(body.trim_end()).whole()]);
        answers.push(vec![call("Bash", json!({"command": "cd disk; ls -A; cat *; cd .."}))]);
    }
    let told = shop.run(answers).told;
    for pair in told[3..].chunks(2) {
        assert!(pair[0].starts_with("Error: ") && pair[0].contains("No space left on device"), "{}", pair[0]);
        assert!(pair[0].ends_with("; nothing was changed"), "{}", pair[0]);
        assert_eq!(pair[1], "a\nb\nc\na\nb\nc");
    }
}

#[test]
fn on_a_disk_with_no_room_at_all_write_and_a_patch_leave_what_is_there() {
    let seeded = shop().file("disk/x", "").file("seed/a", "a\n").file("seed/b", "b\n");
    let setup = format!(
        "{SMALL_DISK} && ln disk/b disk/linked && {{ cat /dev/zero > disk/fill 2>/dev/null; true; }}"
    );
    let Some(shop) = contained(seeded, &setup) else { return };
    let told = shop.tell_all([
        read("disk/a"),
        read("disk/b"),
        call("Write", json!({"file_path": "disk/a", "content": "x".repeat(9000)})),
        call("Write", json!({"file_path": "disk/new/deep", "content": "x"})),
        patch("*** Update File: disk/a\n@@\n-a\n+A\n*** Update File: disk/b\n@@\n-b\n+B"),
        call("Bash", json!({"command": "cat disk/a disk/b; ls -A disk"})),
    ]);
    for told in &told[2..5] {
        assert!(told.starts_with("Error: ") && told.contains("No space left on device"), "{told}");
    }
    assert_eq!(told[5], "a\nb\na\nb\nfill\nlinked");
}

#[test]
fn where_one_directory_cannot_be_written_the_others_are_put_back() {
    let seeded = shop().file("a", "a\n").file("closed/b", "b\n").file("c", "c\n");
    let Some(shop) = contained(seeded, "mount --bind closed closed && mount -o remount,ro,bind closed")
    else {
        return;
    };
    let first = "*** Update File: a\n@@\n-a\n+A\n*** Delete File: c\n*** Add File: new/d\n+d\n";
    // what needs room shows before the first change, what only changes names after it
    for last in [
        "*** Update File: closed/b\n@@\n-b\n+B",
        "*** Add File: closed/e\n+e",
        "*** Delete File: closed/b",
        "*** Update File: closed/b\n*** Move to: e",
    ] {
        let run =
            shop.run([vec![read("a"), read("closed/b"), read("c")], vec![patch(&format!("{first}{last}"))]]);
        let told = run.told.last().unwrap();
        assert!(
            told.starts_with("Error: cannot ") && told.ends_with("; nothing was changed"),
            "{last}: {told}"
        );
        assert!(
            told.contains("Read-only file system") || told.contains("Invalid cross-device link"),
            "{told}"
        );
        assert_eq!(held(&shop), pairs(&[("a", "a\n"), ("c", "c\n"), ("closed/b", "b\n")]), "{last}");
        assert!(!shop.path("new").exists(), "{last}");
    }
}

#[test]
fn a_single_file_that_is_mounted_is_written_in_place() {
    let seeded = shop().file("f", "").file("g", "").file("outside", "one\ntwo\n").file("other", "one\n");
    let Some(shop) = contained(seeded, "mount --bind outside f && mount --bind other g") else { return };
    let told = shop.tell_all([
        read("f"),
        read("g"),
        patch("*** Update File: f\n@@\n-two\n+2"),
        call("Write", json!({"file_path": "f", "content": "one\n2\nthree\n"})),
        patch("*** Update File: f\n@@\n-2\n+two\n*** Update File: g\n@@\n-one\n+1"),
        patch("*** Update File: g\n@@\n-1\n+one\n*** Delete File: f"),
        call("Bash", json!({"command": "cat f g"})),
    ]);
    for told in &told[2..5] {
        assert!(!told.starts_with("Error"), "{told}");
    }
    assert!(told[5].ends_with("; nothing was changed"), "{}", told[5]);
    assert_eq!(told[6], "one\ntwo\nthree\n1");
    assert_eq!((shop.text("outside"), shop.text("other")), ("one\ntwo\nthree\n".into(), "1\n".into()));
    assert!(
        fs::read_dir(shop.path(""))
            .unwrap()
            .all(|entry| !is_temporary(entry.unwrap().file_name().to_str().unwrap()))
    );
}

#[test]
fn a_directory_of_somebody_else_is_told_and_nothing_is_changed() {
    let shop = shop().file("a", "a\n").file("closed/b", "b\n").file("closed/c", "c\n");
    let program = shop.clawd().parts().0.to_owned();
    let shop = if rustix::process::geteuid().is_root() {
        // as nobody, whom a mode can keep out
        let world = shop.path("").parent().unwrap().to_owned();
        let can = Command::new("setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups", "test", "-x"])
            .arg(&program)
            .status();
        if !can.is_ok_and(|status| status.success()) {
            left_out("nobody");
            return;
        }
        Command::new("chown").args(["-R", "65534:65534"]).arg(&world).status().unwrap();
        let script = shop.clawd().home().join("as-nobody");
        let text = format!(
            "#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups {} \"$@\"\n",
            program.display()
        );
        fs::write(&script, text).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        shop.with(|clawd| clawd.program(script.to_str().unwrap()))
    } else {
        shop
    };
    fs::set_permissions(shop.path("closed"), fs::Permissions::from_mode(0o555)).unwrap();
    let first = "*** Update File: a\n@@\n-a\n+A\n*** Add File: new/d\n+d\n";
    for last in [
        "*** Add File: closed/e\n+e",
        "*** Delete File: closed/b",
        "*** Update File: closed/b\n*** Move to: e",
    ] {
        let run = shop.run([vec![read("a"), read("closed/b")], vec![patch(&format!("{first}{last}"))]]);
        let told = run.told.last().unwrap();
        assert!(
            told.contains("Permission denied") && told.ends_with("; nothing was changed"),
            "{last}: {told}"
        );
        assert_eq!(held(&shop), pairs(&[("a", "a\n"), ("closed/b", "b\n"), ("closed/c", "c\n")]), "{last}");
        assert!(!shop.path("new").exists(), "{last}");
    }
    fs::set_permissions(shop.path("closed"), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn with_too_few_descriptors_nothing_is_changed_and_the_run_goes_on() {
    let shop = shop().file("a", "a\n");
    let program = shop.clawd().parts().0.display().to_string();
    let script = shop.clawd().home().join("few");
    fs::write(&script, format!("#!/bin/sh\nulimit -n 64\nexec {program} \"$@\"\n")).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let shop = shop.with(|clawd| clawd.program(script.to_str().unwrap()));
    let many = lines_of(0..100, |number| format!("*** Add File: many/{number}\n+x"));
    let told = shop.tell_all([
        read("a"),
        patch(&format!("{many}*** Update File: a\n@@\n-a\n+A")),
        patch("*** Update File: a\n@@\n-a\n+b"),
    ]);
    assert!(
        told[1].contains("Too many open files") && told[1].ends_with("; nothing was changed"),
        "{}",
        told[1]
    );
    assert_eq!(held(&shop), pairs(&[("a", "b\n")]), "{}", told[2]);
}

#[test]
fn a_kill_while_changes_are_made_ready_leaves_whole_files() {
    kill_in_the_middle(|shop| held(shop).iter().any(|(name, _)| is_temporary(name)));
}

#[test]
fn a_kill_while_changes_come_into_force_leaves_whole_files_and_what_they_held() {
    let shop = kill_in_the_middle(|shop| checkpoint(shop).is_some());
    assert!(checkpoint(&shop).is_some());
}

fn is_temporary(name: &str) -> bool {
    name.starts_with(".clawd-")
}

/// The checkpoint of the session, where it has one by now.
fn checkpoint(shop: &Workshop) -> Option<Value> {
    let projects = fs::read_dir(shop.clawd().clawd_home().join("sessions")).ok()?.flatten();
    let mut files = projects.flat_map(|project| fs::read_dir(project.path())).flatten().flatten();
    let session = files.find(|file| file.path().extension().is_some_and(|ending| ending == "jsonl"))?;
    let text = fs::read_to_string(session.path()).ok()?;
    // a line that is still being written has no end
    let mut whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    serde_json::from_str(whole.find(|line| line.contains("\"checkpoint\""))?).ok()
}

/// A patch of 202 files, killed as soon as the moment has come; returns where.
fn kill_in_the_middle(moment: impl Fn(&Workshop) -> bool) -> Workshop {
    let shop = shop().file("a", "old a\n").file("b", "old b\n");
    let many = lines_of(0..200, |number| format!("*** Add File: n{number}\n+new"));
    let body = format!("*** Update File: a\n@@\n-old a\n+new\n{many}*** Update File: b\n@@\n-old b\n+new");
    shop.endpoint().push(calls([read("a"), read("b")]));
    shop.endpoint().push(calls([patch(&body)]));
    let running = shop.start();
    let began = std::time::Instant::now();
    while !moment(&shop) {
        assert!(began.elapsed() < DEADLINE, "the moment did not come");
        std::thread::sleep(Duration::from_millis(1));
    }
    running.signal(Signal::KILL);
    running.wait();
    for (name, text) in held(&shop).iter().filter(|(name, _)| !is_temporary(name)) {
        assert!(["old a\\n", "old b\\n", "new\\n"].contains(&text.as_str()), "{name}: {text}");
    }
    let is_untouched = held(&shop).iter().all(|(name, text)| is_temporary(name) || text.starts_with("old"));
    // whatever is in force was noted before
    if let Some(checkpoint) = checkpoint(&shop) {
        let files = checkpoint["files"].as_array().unwrap();
        assert_eq!(files.len(), 202);
        let directory = session_file(shop.clawd()).with_extension("").join("before");
        let image = directory.join(files[0]["before"].as_str().unwrap());
        assert_eq!(fs::read_to_string(image).unwrap(), "old a\n");
    } else {
        assert!(is_untouched, "{:?}", held(&shop));
    }
    // again: the rest of the crash goes, if none of the changes was in force by then
    if is_untouched {
        let shop = shop.options(["-c"]);
        shop.run([[patch(&body)]]);
        let after = held(&shop);
        assert!(after.iter().all(|(_, text)| text == "new\\n"), "{:?}", shop.told().last());
        assert_eq!(after.len(), 202, "no temporary file is left");
        return shop;
    }
    shop
}
