//! `ApplyPatch`: who is offered it, what each construct does to the disk, and that it is all or nothing.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use serde_json::{Value, json};

use crate::endpoint::{Call, call};
use crate::harness::Clawd;
use crate::sessions::session_file;
use crate::workshop::{Workshop, lines_of};

/// A project whose model is offered `ApplyPatch`.
pub(crate) fn shop() -> Workshop {
    Workshop::new().with(patching)
}

fn patching(clawd: Clawd) -> Clawd {
    clawd.home_file("config.toml", "edit_tool = \"patch\"\n")
}

pub(crate) fn read(path: &str) -> Call {
    call("Read", json!({"file_path": path}))
}

pub(crate) fn patch(body: &str) -> Call {
    call("ApplyPatch", json!({"patch": format!("*** Begin Patch\n{body}\n*** End Patch\n")}))
}

/// All files of the project, each with what it holds.
pub(crate) fn held(shop: &Workshop) -> Vec<(String, String)> {
    fn below(root: &Path, directory: &Path, out: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                below(root, &path, out);
            } else {
                let text = fs::read(&path).unwrap_or_default().escape_ascii().to_string();
                out.push((path.strip_prefix(root).unwrap().to_str().unwrap().to_owned(), text));
            }
        }
    }
    let root = shop.path("");
    let mut out = Vec::new();
    below(&root, &root, &mut out);
    out.sort();
    out
}

pub(crate) fn pairs(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().escape_ascii().to_string())).collect()
}

/// Reads the files and applies the patch, as it stands; what it is told, and the project then.
fn applied(files: &[(&str, &str)], patch: &str) -> (String, Vec<(String, String)>) {
    let shop = files.iter().fold(shop(), |shop, (name, text)| shop.file(name, text));
    let reads: Vec<Call> = files.iter().map(|(name, _)| read(name)).collect();
    let run = shop.run([reads, vec![call("ApplyPatch", json!({"patch": patch}))]]);
    (run.told.last().unwrap().clone(), held(&shop))
}

#[track_caller]
fn check(files: &[(&str, &str)], body: &str, expected: &[(&str, &str)]) {
    let (told, found) = applied(files, &format!("*** Begin Patch\n{body}\n*** End Patch"));
    assert_eq!(found, pairs(expected), "{body}: {told}");
    assert!(!told.starts_with("Error"), "{told}");
}

#[track_caller]
fn refused(files: &[(&str, &str)], patch: &str, why: &str) {
    let (told, found) = applied(files, patch);
    assert!(told.starts_with("Error: ") && told.contains(why), "{patch}: {told}");
    assert_eq!(found, pairs(files), "nothing changed: {patch}");
}

#[track_caller]
fn refused_body(files: &[(&str, &str)], body: &str, why: &str) {
    refused(files, &format!("*** Begin Patch\n{body}\n*** End Patch"), why);
}

#[test]
fn the_tool_to_edit_with_follows_the_setting_and_else_the_model() {
    let offered = |config: &str, model: &str, options: &[&str]| {
        let shop = Workshop::new()
            .with(|clawd| clawd.home_file("config.toml", config).env("CLAWD_MODEL", model))
            .options(options.iter().copied());
        shop.tell("Glob", json!({"pattern": "*"}));
        let requests = shop.endpoint().requests();
        let names = requests[0].tool_names();
        let editors: Vec<&str> =
            names.iter().copied().filter(|name| ["Edit", "ApplyPatch"].contains(name)).collect();
        editors.join(" ")
    };
    assert_eq!(offered("", "mock-1", &[]), "Edit");
    assert_eq!(offered("", "openai/gpt-5-mini", &[]), "ApplyPatch");
    assert_eq!(offered("edit_tool = \"auto\"\n", "gpt-4.1", &[]), "ApplyPatch");
    assert_eq!(offered("edit_tool = \"edit\"\n", "gpt-5", &[]), "Edit");
    assert_eq!(offered("edit_tool = \"patch\"\n", "mock-1", &[]), "ApplyPatch");
    assert_eq!(offered("edit_tool = \"patch\"\n", "mock-1", &["--disallowed-tools", "ApplyPatch"]), "");
    assert_eq!(offered("edit_tool = \"patch\"\n", "mock-1", &["--disallowed-tools", "Edit"]), "");
    assert_eq!(offered("", "mock-1", &["--disallowed-tools", "ApplyPatch"]), "Edit");
}

#[test]
fn another_model_brings_another_tool_and_what_was_edited_stays_known() {
    let shop = Workshop::new().file("f", "one\n");
    shop.run([
        [read("f")],
        [call("Edit", json!({"file_path": "f", "old_string": "one", "new_string": "two"}))],
    ]);
    let shop = shop.options(["-c", "-m", "gpt-5"]);
    shop.run([[patch("*** Update File: f\n@@\n-two\n+three")]]);
    assert_eq!(shop.text("f"), "three\n", "{:?}", shop.told());
    let shop = shop.options(["-c", "-m", "mock-1"]);
    shop.run([
        [call("Edit", json!({"file_path": "f", "old_string": "three", "new_string": "four"}))],
        [patch("*** Delete File: f")],
    ]);
    assert_eq!(shop.text("f"), "four\n", "{:?}", shop.told());
    let told = shop.told();
    assert!(told.last().unwrap().starts_with("Error: unknown tool \"ApplyPatch\""), "{told:?}");
}

#[test]
fn every_construct_does_what_it_says() {
    let abc = ("f", "a\nb\nc\n");
    check(&[], "*** Add File: d/new.txt\n+one\n+\n+  two", &[("d/new.txt", "one\n\n  two\n")]);
    check(&[], "*** Add File: empty", &[("empty", "")]);
    check(&[abc], "*** Update File: f\n@@\n a\n-b\n+B\n c", &[("f", "a\nB\nc\n")]);
    check(&[abc], "*** Update File: f\n@@ a\n+x", &[("f", "a\nx\nb\nc\n")]);
    check(&[abc], "*** Update File: f\n@@\n-a\n+A\n@@\n-c\n+C", &[("f", "A\nb\nC\n")]);
    check(&[abc], "*** Update File: f\n@@\n c\n+d\n*** End of File", &[("f", "a\nb\nc\nd\n")]);
    check(&[abc], "*** Delete File: f", &[]);
    check(&[abc], "*** Update File: f\n*** Move to: d/g", &[("d/g", "a\nb\nc\n")]);
    check(&[abc], "*** Update File: f\n*** Move to: g\n@@\n-b", &[("g", "a\nc\n")]);
    check(&[abc], "*** Delete File: f\n*** Add File: f\n+x", &[("f", "x\n")]);
    check(&[abc], "*** Update File: f\n@@\n-c\n+C\n*** Update File: f\n@@\n-a\n+A", &[("f", "A\nb\nC\n")]);
    check(&[abc, ("a b", "x\n")], "*** Update File: a b\n@@\n-x\n+y\n*** Delete File: f", &[("a b", "y\n")]);
    check(&[("f", "a\r\nb\r\n")], "*** Update File: f\n@@\n a\n+x\n b", &[("f", "a\r\nx\r\nb\r\n")]);
    check(&[("f", "\u{feff}a\nb")], "*** Update File: f\n@@\n-a\n+A\n b\n+c", &[("f", "\u{feff}A\nb\nc")]);
    check(
        &[("f", "\tif a {\n\t\tb\n")],
        "*** Update File: f\n@@\n     if a {\n-        b\n+        c",
        &[("f", "\tif a {\n\t\tc\n")],
    );
    let two = "class A:\n    def f():\n        x\nclass B:\n    def f():\n        x\n";
    check(
        &[("f", two)],
        "*** Update File: f\n@@ class B:\n@@     def f():\n-        x\n+        y",
        &[("f", "class A:\n    def f():\n        x\nclass B:\n    def f():\n        y\n")],
    );
}

#[test]
fn what_is_around_a_patch_does_not_matter() {
    let bare = "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch";
    for wrapped in [
        format!("apply_patch <<'EOF'\n{bare}\nEOF"),
        format!("```patch\n{bare}\n```\n"),
        format!("\n\n{bare}\n\n"),
        bare.replace('\n', "\r\n"),
        lines_of(bare.lines(), |line| format!("    {line}")),
        bare.replace("@@", "@@ -1,1 +1,1 @@"),
    ] {
        let (told, found) = applied(&[("f", "a\n")], &wrapped);
        assert_eq!(found, pairs(&[("f", "b\n")]), "{wrapped}: {told}");
    }
}

#[test]
fn what_is_no_patch_is_refused_with_the_line() {
    let files = &[("f", "a\n")];
    refused(files, "hello", "line 1 of the patch");
    refused(files, "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b", "cut off");
    refused_body(files, "*** Update File: f\n@@\n-a\nb", "line 5 of the patch: expected");
    refused_body(files, "*** Add File: g\nx", "line 3 of the patch: expected `+`");
    refused_body(files, "*** Update File: f\nold mode 100644\nnew mode 100755", "line 3");
    refused_body(files, "*** Update File: f\n@@\n a", "changes nothing");
}

#[test]
fn of_a_patch_with_one_part_that_does_not_fit_nothing_is_done() {
    let files = &[("f", "a\nb\na\n"), ("g", "x\n")];
    let good = "*** Update File: g\n@@\n-x\n+y\n*** Add File: new/file\n+z\n";
    for (bad, why) in [
        ("*** Update File: f\n@@\n-nothing\n+y", "is not in f"),
        ("*** Update File: f\n@@\n-a\n+A", "fits f 2 times, at lines 1, 3"),
        ("*** Add File: f\n+x", "f exists already"),
        ("*** Update File: f\n*** Move to: g", "g exists already"),
        ("*** Update File: absent\n@@\n-x\n+y", "absent does not exist"),
        ("*** Delete File: ..", "directory"),
    ] {
        refused_body(files, &format!("{good}{bad}"), why);
    }
}

#[test]
fn files_must_have_been_read_and_be_unchanged() {
    let shop = shop().file("f", "one\n").file("g", "one\n");
    let both = || patch("*** Update File: f\n@@\n-one\n+two\n*** Delete File: g");
    let told = shop.tell_all([
        both(),
        read("f"),
        read("g"),
        call("Bash", json!({"command": "printf 'zero\\none\\n' > f"})),
        both(),
        both(),
    ]);
    assert!(told[0].contains("cannot edit f, g: they have not been read"), "{}", told[0]);
    assert!(told[4].contains("f has changed since it was read") && told[4].contains("2\tone"), "{}", told[4]);
    assert_eq!(held(&shop), pairs(&[("f", "zero\ntwo\n")]), "{}", told[5]);
}

#[test]
fn what_a_late_patch_was_shown_counts_after_a_resume() {
    let shop = shop().file("f", "one\n");
    let change = || patch("*** Update File: f\n@@\n-one\n+two");
    shop.tell_all([read("f"), call("Bash", json!({"command": "printf 'zero\\none\\n' > f"})), change()]);
    let shop = shop.options(["-c"]);
    shop.run([[change()]]);
    assert_eq!(shop.text("f"), "zero\ntwo\n", "{:?}", shop.told());
}

#[test]
fn a_moved_file_keeps_its_mode_and_its_number() {
    let shop = shop().file("run.sh", "a\n").file("plain", "b\n");
    fs::set_permissions(shop.path("run.sh"), fs::Permissions::from_mode(0o751)).unwrap();
    let number = shop.path("plain").metadata().unwrap().ino();
    let moves = "*** Update File: run.sh\n*** Move to: bin/run\n@@\n-a\n+A\n*** Update File: plain\n*** Move to: other";
    shop.run([vec![read("run.sh"), read("plain")], vec![patch(moves)]]);
    assert_eq!((shop.bits("bin/run"), shop.text("bin/run").as_str()), (0o751, "A\n"));
    assert_eq!(shop.path("other").metadata().unwrap().ino(), number);
}

#[test]
fn a_rule_for_edit_holds_for_every_file_of_a_patch() {
    let rules = ["--allowed-tools", "Edit(src/**)", "--disallowed-tools", "Edit(src/secret)"];
    let cases = [
        ("*** Add File: src/a\n+x", true),
        ("*** Add File: src/a\n+x\n*** Add File: b\n+x", false),
        ("*** Add File: src/secret\n+x", false),
        ("*** Update File: src/old\n*** Move to: src/new", true),
        ("*** Update File: src/old\n*** Move to: new", false),
        ("*** Update File: src/old\n*** Move to: src/secret", false),
    ];
    for (body, allowed) in cases {
        let shop = Workshop::in_mode("default").with(patching).options(rules).file("src/old", "x\n");
        let run = shop.run([[read("src/old")], [patch(body)]]);
        assert_eq!(
            (run.was_denied(1), held(&shop) == pairs(&[("src/old", "x\n")])),
            (!allowed, !allowed),
            "{body}"
        );
    }
}

#[test]
fn a_link_out_of_the_workspace_is_judged_by_where_it_leads() {
    let shop = Workshop::in_mode("accept-edits").with(patching).file("f", "x\n");
    let outside = shop.clawd().home().join("outside");
    fs::write(&outside, "x\n").unwrap();
    symlink(&outside, shop.path("link")).unwrap();
    symlink(shop.clawd().home(), shop.path("dir")).unwrap();
    let bodies = ["*** Add File: dir/new\n+x", "*** Update File: f\n*** Move to: dir/new"];
    let run = shop.run([vec![read("f")], bodies.map(patch).into()]);
    assert_eq!([1, 2].map(|number| run.was_denied(number)), [true, true], "{:?}", run.told);
    // what is there cannot be read unasked, and so not be changed
    let told = shop.tell_all([read("link"), patch("*** Update File: link\n@@\n-x\n+y")]);
    assert!(told[1].starts_with("Error: "), "{}", told[1]);
    assert_eq!(fs::read_to_string(outside).unwrap(), "x\n");
    assert!(!shop.clawd().home().join("new").exists());
}

#[test]
fn one_checkpoint_names_all_files_of_a_patch_before_they_change() {
    let shop = shop().file("f", "f\n").file("g", "g\n").file("h", "h\n");
    let body = "*** Update File: f\n@@\n-f\n+F\n*** Delete File: g\n*** Update File: h\n*** Move to: i\n*** Add File: j\n+j";
    shop.run([vec![read("f"), read("g"), read("h")], vec![patch(body)]]);
    let session = session_file(shop.clawd());
    let text = fs::read_to_string(&session).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let checkpoints: Vec<&Value> = lines.iter().filter(|line| line["type"] == "checkpoint").collect();
    assert_eq!(checkpoints.len(), 1);
    let images = session.with_extension("").join("before");
    let saved: Vec<(String, Option<String>)> = checkpoints[0]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| {
            let image = file["before"].as_str().map(|hash| fs::read_to_string(images.join(hash)).unwrap());
            (file["path"].as_str().unwrap().to_owned(), image)
        })
        .collect();
    let expected = [("f", Some("f\n")), ("g", Some("g\n")), ("h", Some("h\n")), ("i", None), ("j", None)];
    assert_eq!(saved, expected.map(|(name, image)| (shop.at(name), image.map(str::to_owned))));
}
