//! Read beyond plain text: images as the endpoint gets them, notebooks, names that were meant, and what large files cost.

use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use crate::endpoint::{Gate, Request, call, calls, status, text};
use crate::harness::Running;
use crate::workshop::{Workshop, lines_of};

fn read(path: &str) -> Value {
    json!({"file_path": path})
}

/// A PNG of 9 by 7 points whose data, which nobody looks at, is so many bytes of all values.
pub(crate) fn png(length: usize) -> Vec<u8> {
    let chunk = |name: &[u8], data: &[u8]| {
        [&u32::try_from(data.len()).unwrap().to_be_bytes(), name, data, &[0; 4]].concat()
    };
    let data: Vec<u8> = (0..=255).cycle().take(length).collect();
    let header = chunk(b"IHDR", &[0, 0, 0, 9, 0, 0, 0, 7, 8, 0, 0, 0, 0]);
    [b"\x89PNG\r\n\x1a\n".to_vec(), header, chunk(b"IDAT", &data), chunk(b"IEND", b"")].concat()
}

/// The images of a request, as bytes, each with its type.
fn images(request: &Request) -> Vec<(String, Vec<u8>)> {
    let users = request.messages().iter().filter(|message| message["role"] == "user");
    let parts = users.filter_map(|message| message["content"].as_array()).flatten();
    let urls = parts.filter_map(|part| part["image_url"]["url"].as_str());
    urls.map(|url| {
        let (mime, data) = url.strip_prefix("data:").unwrap().split_once(";base64,").unwrap();
        (mime.to_owned(), BASE64.decode(data).unwrap())
    })
    .collect()
}

/// The copies of images that the program keeps.
fn copies(shop: &Workshop) -> Vec<PathBuf> {
    let sessions = shop.clawd().clawd_home().join("sessions");
    let below =
        |directory: PathBuf| fs::read_dir(directory).into_iter().flatten().map(|entry| entry.unwrap().path());
    let kept = below(sessions).flat_map(below).filter(|path| path.is_dir()).flat_map(below);
    kept.filter(|path| path.file_name().unwrap().as_bytes().starts_with(b"image-")).collect()
}

#[test]
fn an_image_arrives_byte_for_byte_and_again_after_a_resume() {
    let image = png(300_000);
    let shop = Workshop::new().file("shot.png", &image).file("a.txt", "one\n");
    // two calls side by side: the answers of tools stand together, the images behind them
    let run = shop.run([[call("Read", read("shot.png")), call("Read", read("a.txt"))]]);
    assert_eq!(run.told, ["shot.png: PNG image, 9\u{d7}7 pixels, 293 KB", "1\tone"]);
    let requests = shop.endpoint().requests();
    assert_eq!(requests[1].roles(), "system user assistant tool tool user");
    assert!(requests[1].messages()[3]["content"].is_string(), "no endpoint refuses a text");
    assert_eq!(images(&requests[1]), [("image/png".to_owned(), image.clone())]);
    let result = &run.output.events_of("tool_result")[0];
    assert_eq!(result["display"], "PNG image, 9\u{d7}7 pixels, 293 KB");

    // what it was when it was read, whatever became of the file
    shop.write("shot.png", "no image any more");
    let shop = shop.options(["-c"]);
    shop.run([[call("Read", read("a.txt"))]]);
    let requests = shop.endpoint().requests();
    assert_eq!(images(requests.last().unwrap()), [("image/png".to_owned(), image)]);

    let copies = copies(&shop);
    assert_eq!(copies.len(), 1, "{copies:?}");
    fs::remove_file(&copies[0]).unwrap();
    shop.endpoint().allow_break();
    let run = shop.run([[call("Read", read("a.txt"))]]);
    assert_eq!(run.output.result()["success"], true);
    let last = shop.endpoint().requests().last().unwrap().clone();
    assert!(images(&last).is_empty());
    assert!(String::from_utf8_lossy(&last.raw).contains(" no longer exists]"), "{}", last.roles());
}

#[test]
fn an_image_arrives_where_nothing_is_kept() {
    let image = png(10);
    let shop = Workshop::new().file("shot", &image).options(["--no-session"]);
    let told = shop.tell_all([call("Read", read("shot")), call("Read", read("shot"))]);
    assert!(told[0].starts_with("shot: PNG image"), "{told:?}");
    let last = shop.endpoint().requests().last().unwrap().clone();
    let sent = ("image/png".to_owned(), image);
    assert_eq!(images(&last), [sent.clone(), sent]);
    assert!(copies(&shop).is_empty());
}

#[test]
fn a_model_that_takes_no_images_is_told_of_them() {
    let shop = Workshop::new().file("shot.png", png(10));
    let error =
        json!({"error": {"message": "Model does not support images.", "type": "invalid_request_error"}});
    shop.endpoint().push(calls([call("Read", read("shot.png"))]));
    shop.endpoint().push(status(400).body("application/json", &error.to_string()));
    shop.endpoint().push(text("I cannot see it."));
    shop.endpoint().allow_break();
    let output = shop.start().wait().expect_code(0);
    assert_eq!(output.result()["final_message"], "I cannot see it.");
    let requests = shop.endpoint().requests();
    assert_eq!((images(&requests[1]).len(), images(&requests[2]).len()), (1, 0));
    assert_eq!(requests[2].roles(), "system user assistant tool");
    let told = &shop.told()[0];
    assert!(told.contains("9\u{d7}7") && told.contains("does not support images"), "{told}");
}

#[test]
fn what_is_no_image_or_no_text_is_told_apart_by_its_content() {
    let shop = Workshop::new()
        .file("text.png", "only text\n")
        .file("cut.png", &png(1000)[..500])
        .file("large.png", png(6 << 20))
        .file("paper.pdf", "%PDF-1.7\n%\u{e4}\n")
        .file("data.sqlite", b"SQLite format 3\0\x10\0")
        .file(
            "a.ipynb",
            json!({"cells": [{"cell_type": "code", "source": "x = 1", "outputs": []}]}).to_string(),
        );
    let cases = [
        ("text.png", "1\tonly text"),
        ("cut.png", "Error: cut.png begins as a PNG image but is broken"),
        ("large.png", "Error: large.png is a PNG image of 6 MB, over the limit of 5 MB"),
        ("paper.pdf", "Error: paper.pdf is not text but a PDF document"),
        ("data.sqlite", "Error: data.sqlite is not text but an SQLite database (18 B)"),
        ("a.ipynb", "1\t[notebook of 1 cell]\n2\t--- cell 1: code\n3\tx = 1"),
    ];
    let told = shop.tell_all(cases.map(|(path, _)| call("Read", read(path))));
    for ((path, expected), told) in cases.iter().zip(&told) {
        assert!(told.starts_with(expected), "{path}: {told}");
    }
    assert!(told[3].contains("pdftotext") && told[4].contains("sqlite3"), "{told:?}");
}

#[test]
fn the_model_is_warned_of_characters_that_a_person_does_not_see() {
    let shop = Workshop::new().file("a.txt", "plain\u{e0049}\u{e0047}\n").file("b.txt", "plain ❤️\n");
    let calls = [
        call("Read", read("a.txt")),
        call("Grep", json!({"pattern": "plain", "path": "a.txt", "output_mode": "content"})),
        call("Read", read("b.txt")),
    ];
    let told = shop.tell_all(calls);
    for told in &told[..2] {
        assert!(
            told.contains("plain\u{e0049}\u{e0047}"),
            "the text stays as it is, so that Edit finds it: {told}"
        );
        assert!(told.contains("[2 invisible characters, the first of them U+E0049;"), "{told}");
    }
    assert_eq!(told[2], "1\tplain ❤️");
}

#[test]
fn a_missing_file_is_answered_with_what_was_meant() {
    let shop = Workshop::new()
        .file("src/deep/parser.rs", "")
        .file("docs/Shot 9.41\u{202f}PM.txt", "x\n")
        .file("target/other.rs", "")
        .file(".gitignore", "target\n");
    let at_root = shop.at("src/deep/parser.rs");
    let cases = [
        ("src/parser.rs", "Did you mean src/deep/parser.rs?"),
        ("src/deep/Parser.rs:12", "Did you mean src/deep/parser.rs?"),
        ("/repo/src/deep/parser.rs", "Did you mean src/deep/parser.rs?"),
        (at_root.trim_start_matches('/'), "Did you mean src/deep/parser.rs?"),
        ("docs/Shot 9.41 PM.txt", "Did you mean docs/Shot 9.41\u{202f}PM.txt (its name has U+202F)?"),
        ("lib/other.rs", "there is no directory lib"),
        ("src", "src is a directory, not a file; it has 1 entry:\ndeep/"),
    ];
    let told = shop.tell_all(cases.map(|(path, _)| call("Read", read(path))));
    for ((path, expected), told) in cases.iter().zip(&told) {
        assert!(told.starts_with("Error: ") && told.ends_with(expected), "{path}: {told}");
    }
    assert_eq!(shop.tell("Read", read("docs/Shot 9.41\u{202f}PM.txt")), "1\tx");
}

#[test]
fn names_of_every_kind_work_or_are_a_clear_error() {
    let longest = "n".repeat(255);
    let shop = Workshop::new().file(&longest, "x\n").file("a\nb", "y\n");
    let too_deep = "d/".repeat(2048) + "f";
    let raw = shop.path("").join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    let takes_raw_names = fs::write(raw, "z\n").is_ok();
    let told =
        shop.tell_all([&longest, "a\nb", &too_deep, "caf\u{fffd}"].map(|path| call("Read", read(path))));
    assert_eq!(told[..2], ["1\tx", "1\ty"]);
    assert!(told[2].starts_with("Error: cannot read "), "{}", told[2]);
    assert!(told[3].contains("not UTF-8") || !takes_raw_names, "{}", told[3]);
}

#[test]
fn a_file_in_utf_16_is_read_in_windows() {
    let lines = lines_of(1..=3000, |number| format!("line {number} \u{e4}\u{1f980}"));
    let bytes: Vec<u8> =
        "\u{feff}".encode_utf16().chain(lines.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let shop = Workshop::new().file("a.txt", bytes);
    let told = shop.tell("Read", json!({"file_path": "a.txt", "offset": 2999}));
    assert!(told.starts_with("2999\tline 2999 \u{e4}\u{1f980}\n3000\tline 3000"), "{told}");
    assert!(told.contains("UTF-16"), "{told}");
}

/// The largest size of a process so far, in KB.
fn peak(running: &Running) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", running.pid().as_raw_nonzero())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn windows_of_large_files_take_no_memory() {
    let shop = Workshop::new()
        .file("a.txt", "one\n")
        .file("wide", "x".repeat(10_000))
        .file("far", "1\n".repeat(9_000));
    for (name, size) in [("wide", 500 << 20), ("far", 5 << 30)] {
        File::options().write(true).open(shop.path(name)).unwrap().set_len(size).unwrap();
    }
    let (before, after) = (Gate::new(), Gate::new());
    let far = json!({"file_path": "far", "offset": 8000, "limit": 500});
    shop.endpoint().push(calls([call("Read", read("a.txt")), call("Read", read("missing"))]));
    shop.endpoint()
        .push(calls([read("wide"), far].map(|arguments| call("Read", arguments))).hold_head(&before));
    shop.endpoint().push(text("done").hold_head(&after));
    let running = shop.start();
    let [before, after] = [before, after].map(|gate| {
        gate.wait_reached();
        let peak = peak(&running);
        gate.open();
        peak
    });
    running.wait().expect_code(0);
    assert!(after <= before + 16 * 1024, "{before} KB, then {after} KB");
    let told = shop.told();
    let [_, _, wide, far] = told.as_slice() else { panic!("{told:?}") };
    assert!(wide.contains("the end of line 1 was not looked for"), "{}", wide.len());
    assert!(far.starts_with("8000\t1\n") && far.contains("offset=8500"), "{}", far.len());
}
