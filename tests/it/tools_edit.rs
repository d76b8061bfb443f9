//! Edit: nothing but what was meant changes, and what cannot be meant is refused with the way to mend it.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use serde_json::{Value, json};

use crate::endpoint::{Call, call};
use crate::workshop::{Workshop, lines_of};
use cases::{BLANKS, Case, ENCODINGS, End, LINE_ENDS, PLAIN, TYPOGRAPHY};

#[path = "../../src/tools/edit/matcher/tests/cases.rs"]
mod cases;

fn read(path: &str) -> Call {
    call("Read", json!({"file_path": path}))
}

fn edit(path: &str, old: &str, new: &str) -> Call {
    call("Edit", json!({"file_path": path, "old_string": old, "new_string": new}))
}

/// Reads and edits a file that holds these bytes; what the edit is told, and the bytes then.
fn edited(bytes: &[u8], old: &str, new: &str) -> (String, Vec<u8>) {
    let shop = Workshop::new().file("f", bytes);
    let told = shop.tell_all([read("f"), edit("f", old, new)]).remove(1);
    (told, shop.bytes("f"))
}

#[track_caller]
fn check(bytes: &[u8], old: &str, new: &str, expected: &[u8]) {
    let (told, found) = edited(bytes, old, new);
    assert_eq!(found.escape_ascii().to_string(), expected.escape_ascii().to_string(), "{told}");
}

/// What an edit is told that must change nothing.
fn refused(text: &str, old: &str, new: &str) -> String {
    let (told, bytes) = edited(text.as_bytes(), old, new);
    assert!(told.starts_with("Error: "), "{told}");
    assert_eq!(bytes, text.as_bytes(), "nothing changed");
    told
}

#[test]
fn an_edit_tells_its_diff() {
    let (told, bytes) = edited(b"one\ntwo\nthree\n", "two", "zwei");
    assert_eq!(bytes, b"one\nzwei\nthree\n");
    assert!(told.contains("-two") && told.contains("+zwei") && told.contains(" one"), "{told}");
}

#[test]
fn line_ends_and_a_byte_order_mark_are_kept() {
    check(b"one\r\ntwo\r\nthree\r\n", "one\ntwo", "1\n2\n2b", b"1\r\n2\r\n2b\r\nthree\r\n");
    check(b"a\r\nb\nc\r\nd\n", "c\n", "C\n", b"a\r\nb\nC\r\nd\n");
    check(b"\xef\xbb\xbffirst\nlast", "first", "1st", b"\xef\xbb\xbf1st\nlast");
    check(b"one\ntwo", "two", "2", b"one\n2");
    check(b"one\ntwo\n", "two\n", "2\n", b"one\n2\n");
}

#[test]
fn bytes_elsewhere_that_are_no_text_stay_as_they_are() {
    check(b"caf\xe9 \xff\nport = 1\n\x80\n", "port = 1", "port = 2", b"caf\xe9 \xff\nport = 2\n\x80\n");
}

#[test]
fn the_new_text_is_taken_literally() {
    check(b"x = a;\n", "a", "$&$$1\\1${x}", b"x = $&$$1\\1${x};\n");
    check(b"a.b\naxb\n", "a.b", "c", b"c\naxb\n");
}

#[test]
fn all_places_are_replaced_where_that_is_asked_for() {
    let shop = Workshop::new().file("f", "a b a b a");
    let all =
        call("Edit", json!({"file_path": "f", "old_string": "a", "new_string": "aa", "replace_all": true}));
    let told = shop.tell_all([read("f"), all]).remove(1);
    assert_eq!(shop.text("f"), "aa b aa b aa");
    assert!(told.contains("3 places"), "{told}");
}

#[test]
fn several_places_are_refused_with_their_lines() {
    let told = refused("x = 1\ny = 2\nx = 1\n", "x = 1", "x = 2");
    assert!(told.contains("2 times") && told.contains("1, 3") && told.contains("replace_all"), "{told}");
    let told = refused("aaa\n", "aa", "b");
    assert!(told.contains("2 times"), "overlapping ones are several: {told}");
}

#[test]
fn a_text_that_is_nowhere_is_refused_with_the_nearest_lines() {
    let told = refused("fn main() {\n    let total = 1;\n}\n", "    let totl = 1;\n    x", "y");
    assert!(told.contains("let") && told.contains("total") && told.contains('2'), "{told}");
    let told = refused("alpha\n", "something else entirely", "y");
    assert!(told.contains("not in f"), "{told}");
}

#[test]
fn an_empty_and_an_identical_text_are_refused() {
    assert!(refused("a\n", "", "b").contains("empty"));
    assert!(refused("a\n", "a", "a").contains("same"));
}

#[test]
fn an_edit_wants_the_file_read() {
    let shop = Workshop::new().file("f", "a\n");
    let told = shop.tell_all([edit("f", "a", "b"), edit("missing", "a", "b")]);
    assert!(told[0].starts_with("Error: ") && told[0].contains("try Read first"), "{}", told[0]);
    assert!(told[1].starts_with("Error: missing does not exist"), "{}", told[1]);
    assert_eq!(shop.text("f"), "a\n");
}

#[test]
fn any_part_that_was_read_will_do() {
    let lines = lines_of(1..=50, |number| format!("line {number}"));
    let shop = Workshop::new().file("f", lines);
    let part = call("Read", json!({"file_path": "f", "offset": 40, "limit": 1}));
    shop.tell_all([part, edit("f", "line 3\n", "line three\n")]);
    assert!(shop.text("f").contains("line three\n"));
}

#[test]
fn a_stale_file_is_refused_with_its_present_lines_and_the_next_edit_works() {
    let shop = Workshop::new().file("f", "one\ntwo\nthree\n");
    let told = shop.tell_all([
        read("f"),
        call("Bash", json!({"command": "printf 'one\\ntwo and more\\nthree\\n' > f"})),
        edit("f", "two", "2"),
        edit("f", "two and more", "2"),
    ]);
    assert!(told[2].starts_with("Error: ") && told[2].contains("changed"), "{}", told[2]);
    assert!(told[2].contains("two and more") || told[2].contains("two·and·more"), "{}", told[2]);
    assert_eq!(shop.text("f"), "one\n2\nthree\n", "{}", told[3]);
}

#[test]
fn mode_bits_links_and_names_are_kept() {
    let shop =
        Workshop::new().file("run.sh", "echo old\n").file("twin", "twin old\n").file("real", "real old\n");
    fs::set_permissions(shop.path("run.sh"), fs::Permissions::from_mode(0o750)).unwrap();
    fs::hard_link(shop.path("twin"), shop.path("other")).unwrap();
    symlink("real", shop.path("link")).unwrap();
    let inode = shop.path("twin").metadata().unwrap().ino();
    let names = ["run.sh", "twin", "link"];
    let calls: Vec<Call> = names.iter().flat_map(|name| [read(name), edit(name, "old", "new")]).collect();
    let told = shop.tell_all(calls);
    assert_eq!((shop.text("run.sh").as_str(), shop.bits("run.sh")), ("echo new\n", 0o750), "{told:?}");
    assert_eq!(
        (shop.text("other").as_str(), shop.path("other").metadata().unwrap().ino()),
        ("twin new\n", inode)
    );
    assert!(shop.path("link").symlink_metadata().unwrap().is_symlink());
    assert_eq!(shop.text("real"), "real new\n");
    let left: Vec<_> = fs::read_dir(shop.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 5, "nothing else is left: {left:?}");
}

#[test]
fn a_file_read_under_one_name_is_known_under_the_other() {
    let shop = Workshop::new().file("real", "old\n");
    symlink("real", shop.path("link")).unwrap();
    shop.tell_all([read("link"), edit("./real", "old", "new")]);
    assert_eq!(shop.text("real"), "new\n");
}

#[test]
fn files_that_are_no_text_are_refused_and_kept() {
    let shop = Workshop::new().file("wide", b"\xff\xfea\0\n").file("nul", b"a\0b");
    let write = json!({"command": "printf 'a\\0b' > nul"});
    let told =
        shop.tell_all([read("wide"), edit("wide", "a", "b"), call("Bash", write), edit("nul", "a", "b")]);
    assert!(told[1].starts_with("Error: ") && told[1].contains("UTF-16"), "{}", told[1]);
    assert!(told[3].starts_with("Error: "), "{}", told[3]);
    assert_eq!(
        (shop.bytes("wide").as_slice(), shop.bytes("nul").as_slice()),
        (&b"\xff\xfea\0\n"[..], &b"a\0b"[..])
    );
}

#[test]
fn calls_of_one_answer_see_each_others_edits() {
    let shop = Workshop::new().file("f", "a\n");
    let told =
        shop.run([vec![read("f"), edit("f", "a", "b"), edit("f", "b", "c"), edit("f", "c", "d")]]).told;
    assert_eq!(shop.text("f"), "d\n", "{told:?}");
}

#[test]
fn an_edit_of_a_large_file_tells_a_short_diff() {
    let lines = lines_of(0..200_000, |number| format!("value {number}"));
    let shop = Workshop::new().file("f", &lines);
    let all: Value =
        json!({"file_path": "f", "old_string": "value", "new_string": "number", "replace_all": true});
    let told = shop.tell_all([read("f"), call("Edit", all)]).remove(1);
    assert!(told.len() <= 50 * 1024 && told.contains("200000 places"), "{} {told:.200}", told.len());
    assert_eq!(shop.text("f"), lines.replace("value", "number"));
}

/// What a case has on disk: as it is, or in UTF-16.
fn on_disk(case: &Case, bytes: &[u8]) -> Vec<u8> {
    if !case.wide {
        return bytes.to_vec();
    }
    let text = format!("\u{feff}{}", str::from_utf8(bytes).unwrap());
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn hard_edits_end_as_they_must_or_change_nothing() {
    let cases: Vec<&Case> = [PLAIN, LINE_ENDS, BLANKS, TYPOGRAPHY, ENCODINGS].into_iter().flatten().collect();
    let shop = Workshop::new();
    let mut calls = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let path = format!("case{number}");
        shop.write(&path, on_disk(case, case.file));
        let edit = json!({"file_path": path, "old_string": case.old, "new_string": case.new, "replace_all": case.all});
        calls.push([read(&path), call("Edit", edit)]);
    }
    // an answer may have 64 calls
    let told = shop.run(calls.chunks(32).map(<[[Call; 2]]>::concat)).told;
    assert_eq!(told.len(), 2 * cases.len());
    for (number, (case, told)) in cases.iter().zip(told.chunks(2)).enumerate() {
        let (expected, words) = match case.end {
            End::Holds(bytes) => (bytes, None),
            End::Refused(words) => (case.file, Some(words)),
        };
        let found = shop.bytes(&format!("case{number}"));
        let (found, expected) =
            (found.escape_ascii().to_string(), on_disk(case, expected).escape_ascii().to_string());
        assert_eq!(found, expected, "{}: {}", case.name, told[1]);
        assert_eq!(told[1].starts_with("Error: "), words.is_some(), "{}: {}", case.name, told[1]);
        // what Read cannot show is not known
        let words = words.unwrap_or_default().iter().filter(|_| !told[1].contains("has not been read"));
        for word in words {
            let word = word.replace("in f", &format!("in case{number}"));
            assert!(told[1].contains(&word), "{}: no `{word}` in: {}", case.name, told[1]);
        }
    }
}
