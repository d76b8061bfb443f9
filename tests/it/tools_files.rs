//! Read and Write: what the model is told of files, and what becomes of them on the disk.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::endpoint::call;
use crate::workshop::{Workshop, lines_of};

fn read(path: &str) -> Value {
    json!({"file_path": path})
}

#[test]
fn the_model_is_offered_the_six_tools_with_their_parameters() {
    let shop = Workshop::new();
    shop.tell("Glob", json!({"pattern": "*"}));
    let requests = shop.endpoint().requests();
    let tools = requests[0].body["tools"].as_array().unwrap();
    let offered: Vec<(String, String, String)> = tools
        .iter()
        .map(|tool| {
            let function = &tool["function"];
            let parameters = function["parameters"]["properties"].as_object().unwrap();
            let names: Vec<&str> = parameters.keys().map(String::as_str).collect();
            let required = function["parameters"]["required"].to_string();
            (function["name"].as_str().unwrap().to_owned(), names.join(" "), required)
        })
        .collect();
    let check = |name: &str, parameters: &str, required: Value| {
        let found =
            offered.iter().find(|(tool, ..)| tool == name).unwrap_or_else(|| panic!("{name}: {offered:?}"));
        let mut names: Vec<&str> = found.1.split(' ').collect();
        let mut expected: Vec<&str> = parameters.split(' ').collect();
        names.sort_unstable();
        expected.sort_unstable();
        assert_eq!((names, &found.2), (expected, &required.to_string()), "{name}");
    };
    check("Read", "file_path offset limit", json!(["file_path"]));
    check("Write", "file_path content", json!(["file_path", "content"]));
    check(
        "Edit",
        "file_path old_string new_string replace_all",
        json!(["file_path", "old_string", "new_string"]),
    );
    check("Glob", "pattern path", json!(["pattern"]));
    let grep = "pattern path glob type output_mode case_insensitive before after multiline head_limit";
    check("Grep", grep, json!(["pattern"]));
    let bash = offered.iter().find(|(name, ..)| name == "Bash").unwrap();
    assert!(["command", "timeout", "description"].iter().all(|name| bash.1.contains(name)), "{bash:?}");
    assert_eq!(bash.2, json!(["command"]).to_string());
}

#[test]
fn a_file_is_read_as_numbered_lines() {
    let shop = Workshop::new().file("a.txt", "one\n\ttwo\n\nfour");
    assert_eq!(shop.tell("Read", read("a.txt")), "1\tone\n2\t\ttwo\n3\t\n4\tfour");
    assert_eq!(shop.tell("Read", read(&shop.at("a.txt"))), "1\tone\n2\t\ttwo\n3\t\n4\tfour");
}

#[test]
fn a_window_is_read_and_says_how_to_go_on() {
    let lines = lines_of(1..=100, |number| format!("line {number}"));
    let shop = Workshop::new().file("a.txt", lines);
    let told = shop.tell("Read", json!({"file_path": "a.txt", "offset": 10, "limit": 3}));
    assert!(told.starts_with("10\tline 10\n11\tline 11\n12\tline 12"), "{told}");
    assert!(told.contains("offset=13") && told.contains("100") && !told.contains("line 13"), "{told}");
    let last = shop.tell("Read", json!({"file_path": "a.txt", "offset": 99}));
    assert_eq!(last, "99\tline 99\n100\tline 100");
}

#[test]
fn a_file_over_the_limit_is_cut_at_2000_lines_and_a_long_line_is_cut() {
    let lines = lines_of(1..=2500, |number| format!("{number}"));
    let shop = Workshop::new().file("many", lines).file("wide", format!("{}\nend\n", "x".repeat(300_000)));
    let told = shop.tell("Read", read("many"));
    assert!(
        told.contains("2000\t2000") && !told.contains("2001\t2001") && told.contains("offset=2001"),
        "{told}"
    );
    let wide = shop.tell("Read", read("wide"));
    assert!(wide.len() < 10_000 && wide.contains("line cut") && wide.contains("2\tend"), "{}", wide.len());
}

#[test]
fn a_result_of_many_wide_lines_stays_within_50_kilobytes_and_reads_on_without_a_gap() {
    let lines = lines_of(1..=400, |number| format!("{number:04}{}", "y".repeat(1000)));
    let shop = Workshop::new().file("a", lines);
    let told = shop.tell("Read", read("a"));
    assert!(told.len() <= 50 * 1024 + 512, "{}", told.len());
    let next: usize = told.rsplit_once("offset=").unwrap().1.split(' ').next().unwrap().parse().unwrap();
    assert!(told.contains(&format!("{}\t{:04}y", next - 1, next - 1)), "what comes before was shown");
    let more = shop.tell("Read", json!({"file_path": "a", "offset": next}));
    assert!(more.starts_with(&format!("{next}\t{next:04}y")));
}

#[test]
fn an_empty_file_and_a_place_beyond_the_end_are_told() {
    let shop = Workshop::new().file("empty", "").file("two", "1\n2\n");
    let told = shop.tell("Read", read("empty"));
    assert!(told.contains("empty") && !told.starts_with("Error"), "{told}");
    let told = shop.tell("Read", json!({"file_path": "two", "offset": 9}));
    assert!(told.starts_with("Error: ") && told.contains("2 lines"), "{told}");
}

#[test]
fn what_is_no_regular_file_is_refused_at_once() {
    let shop = Workshop::new().file("sub/x", "").file("nul", b"a\0b\0c");
    rustix::fs::mkfifoat(rustix::fs::CWD, shop.path("fifo"), rustix::fs::Mode::RWXU).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(shop.path("socket")).unwrap();
    let cases = [
        ("sub", "directory"),
        ("fifo", "pipe"),
        ("socket", "socket"),
        ("/dev/zero", "device"),
        ("nul", "binary"),
    ];
    let run = shop.run(cases.map(|(path, _)| [call("Read", read(path))]));
    for ((path, expected), told) in cases.iter().zip(&run.told) {
        assert!(told.starts_with("Error: ") && told.contains(expected), "{path}: {told}");
    }
    for result in run.output.events_of("tool_result") {
        assert!(result["success"] == false && result["duration_ms"].as_u64().unwrap() < 2000, "{result}");
    }
}

#[test]
fn a_kernel_view_that_holds_the_keys_is_not_read() {
    let shop = Workshop::new();
    let told = shop.tell("Read", read("/proc/self/environ"));
    assert!(told.starts_with("Error: ") && !told.contains("test-key"), "{told}");
}

#[test]
fn a_missing_file_is_told_with_the_name_that_is_near() {
    let shop = Workshop::new().file("src/main.rs", "");
    let told = shop.tell("Read", read("src/mian.rs"));
    assert_eq!(told, "Error: src/mian.rs does not exist. Did you mean src/main.rs?");
}

#[test]
fn bytes_that_are_no_text_are_shown_with_a_note() {
    let shop = Workshop::new().file("latin", b"caf\xe9\n");
    let told = shop.tell("Read", read("latin"));
    assert!(told.starts_with("1\tcaf\u{fffd}") && told.contains("UTF-8"), "{told}");
}

#[test]
fn the_first_lines_of_a_huge_sparse_file_come_at_once() {
    let lines = lines_of(1..=2000, |number| format!("line {number}"));
    let shop = Workshop::new().file("huge", lines).file("short", "first\nsecond\n");
    for name in ["huge", "short"] {
        File::options().write(true).open(shop.path(name)).unwrap().set_len(5 << 30).unwrap();
    }
    let began = Instant::now();
    let told = shop.tell("Read", json!({"file_path": "huge", "limit": 2}));
    assert!(told.starts_with("1\tline 1\n2\tline 2") && told.contains("offset=3"), "{told}");
    let told = shop.tell("Read", json!({"file_path": "short", "limit": 2}));
    assert!(told.starts_with("1\tfirst\n2\tsecond") && told.contains("offset=3"), "{told}");
    assert!(shop.tell("Read", read("short")).contains("binary"), "all of it is no text");
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
}

#[test]
fn names_and_values_are_taken_as_models_write_them() {
    let shop = Workshop::new().file("a.txt", "one\ntwo\nthree\n");
    let told = shop.tell_all([
        call("Read", json!({"path": "a.txt", "offset": "2", "limit": 1.0})),
        call("Read", json!({"filePath": "a.txt", "offset": null, "limit": ""})),
        call("Write", json!({"path": "b.txt", "contents": "b"})),
        call("Edit", json!({"file_path": "b.txt", "oldText": "b", "newText": "c", "replaceAll": "true"})),
        call("Bash", json!({"cmd": "echo yes", "timeout": "5000"})),
        call("Read", json!({"file_path": "a.txt", "offset": "soon"})),
        call("Read", json!({})),
    ]);
    assert!(told[0].starts_with("2\ttwo\n"), "{}", told[0]);
    assert_eq!(told[1], "1\tone\n2\ttwo\n3\tthree");
    assert_eq!((shop.text("b.txt").as_str(), told[4].as_str()), ("c", "yes"));
    assert!(told[5].starts_with("Error: `offset` must be a whole number"), "{}", told[5]);
    assert!(told[6].starts_with("Error: `file_path`") && told[6].contains("missing"), "{}", told[6]);
}

#[test]
fn write_creates_a_file_and_its_parents_byte_for_byte() {
    let shop = Workshop::new();
    let told = shop.tell("Write", json!({"file_path": "a/b/c.txt", "content": "x\r\ny\u{e4}"}));
    assert!(!told.starts_with("Error"), "{told}");
    assert_eq!(shop.bytes("a/b/c.txt"), "x\r\ny\u{e4}".as_bytes());
    shop.tell("Write", json!({"file_path": "empty", "content": ""}));
    assert_eq!(shop.bytes("empty"), b"");
}

#[test]
fn write_leaves_a_file_alone_that_holds_it_already() {
    let shop = Workshop::new().file("a.txt", "same\n");
    let long_ago = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1);
    File::options().write(true).open(shop.path("a.txt")).unwrap().set_modified(long_ago).unwrap();
    let told = shop.tell_all([
        call("Write", json!({"file_path": "a.txt", "content": "same\n"})),
        call("Read", read("a.txt")),
        call("Write", json!({"file_path": "a.txt", "content": "same\n"})),
    ]);
    assert!(told[0].starts_with("Error: ") && told[0].contains("has not been read"), "{}", told[0]);
    assert!(told[2].contains("unchanged"), "{}", told[2]);
    assert_eq!(shop.path("a.txt").metadata().unwrap().modified().unwrap(), long_ago);
}

#[test]
fn a_write_that_fails_takes_the_directories_with_it_that_it_made() {
    let shop = Workshop::new().file("kept/x", "x");
    let name = "n".repeat(300);
    let told = shop.tell_all([
        call("Write", json!({"file_path": format!("new/deep/{name}"), "content": "x"})),
        call("Write", json!({"file_path": format!("kept/deep/{name}"), "content": "x"})),
    ]);
    assert!(told.iter().all(|told| told.starts_with("Error: ") && told.contains("too long")), "{told:?}");
    assert!(!shop.path("new").exists() && !shop.path("kept/deep").exists() && shop.path("kept/x").exists());
}

#[test]
fn write_follows_a_link_inside_the_workspace_and_judges_one_that_leads_out() {
    let shop = Workshop::in_mode("accept-edits").file("real", "old");
    let outside = shop.clawd().home().join("outside");
    fs::write(&outside, "theirs").unwrap();
    symlink("real", shop.path("in")).unwrap();
    symlink(&outside, shop.path("out")).unwrap();
    symlink(shop.clawd().home(), shop.path("dir")).unwrap();
    let write = |path: &str| call("Write", json!({"file_path": path, "content": "new"}));
    let run = shop.run([[call("Read", read("in"))], [write("in")], [write("out")], [write("dir/made")]]);
    assert_eq!([1, 3].map(|number| run.was_denied(number)), [false, true]);
    // what is there cannot be read unasked, and so not be written over
    assert!(run.told[2].starts_with("Error: "), "{}", run.told[2]);
    assert_eq!(
        (shop.text("real").as_str(), fs::read_to_string(&outside).unwrap().as_str()),
        ("new", "theirs")
    );
    assert!(shop.path("in").is_symlink() && !shop.clawd().home().join("made").exists());
}

#[test]
fn write_refuses_a_pipe_at_once() {
    let shop = Workshop::new();
    rustix::fs::mkfifoat(rustix::fs::CWD, shop.path("fifo"), rustix::fs::Mode::RWXU).unwrap();
    let told = shop.tell("Write", json!({"file_path": "fifo", "content": "x"}));
    assert!(told.starts_with("Error: ") && told.contains("named pipe"), "{told}");
}

#[test]
fn write_refuses_a_file_that_was_not_read() {
    let shop = Workshop::new().file("a.txt", "old");
    let write = json!({"file_path": "a.txt", "content": "new"});
    let told = shop.tell("Write", write.clone());
    assert!(told.starts_with("Error: ") && told.contains("read"), "{told}");
    assert_eq!(shop.text("a.txt"), "old");
    let told = shop.tell_all([call("Read", read("a.txt")), call("Write", write)]);
    assert_eq!((shop.text("a.txt").as_str(), told[1].starts_with("Error")), ("new", false), "{}", told[1]);
}

#[test]
fn write_refuses_a_file_that_has_changed_and_takes_it_after_another_read() {
    let shop = Workshop::new().file("a.txt", "old");
    let write = || call("Write", json!({"file_path": "a.txt", "content": "mine"}));
    // as long as before and within the clock's grain: only the content tells
    let told = shop.tell_all([
        call("Read", read("a.txt")),
        call("Bash", json!({"command": "touch -r a.txt t; printf new > a.txt; touch -r t a.txt"})),
        write(),
        call("Read", read("a.txt")),
        write(),
    ]);
    assert!(told[2].starts_with("Error: ") && told[2].contains("changed"), "{}", told[2]);
    assert_eq!(shop.text("a.txt"), "mine", "{}", told[4]);
}

#[test]
fn ones_own_write_counts_as_having_read() {
    let shop = Workshop::new();
    let write = |content: &str| call("Write", json!({"file_path": "a.txt", "content": content}));
    let told = shop.tell_all([
        write("one"),
        write("two"),
        call("Edit", json!({"file_path": "./a.txt", "old_string": "two", "new_string": "three"})),
    ]);
    assert_eq!(shop.text("a.txt"), "three", "{told:?}");
}

#[test]
fn what_was_read_counts_after_a_resume() {
    let shop = Workshop::new().file("a.txt", "old\n");
    shop.tell("Read", read("a.txt"));
    let shop = shop.options(["-c"]);
    shop.run([[call("Edit", json!({"file_path": "a.txt", "old_string": "old", "new_string": "new"}))]]);
    assert_eq!(shop.text("a.txt"), "new\n", "{:?}", shop.told());
}

#[test]
fn a_link_that_leads_nowhere_is_not_written_through() {
    let shop = Workshop::new();
    let outside = shop.clawd().home().join("made");
    symlink(&outside, shop.path("link")).unwrap();
    let told = shop.tell("Write", json!({"file_path": "link", "content": "x"}));
    assert!(told.starts_with("Error: ") && told.contains("link"), "{told}");
    assert!(!outside.exists());
}

#[test]
fn a_link_that_goes_round_and_a_name_that_cannot_be_are_errors() {
    let shop = Workshop::new().file("file", "");
    symlink("b", shop.path("a")).unwrap();
    symlink("a", shop.path("b")).unwrap();
    let long = "n".repeat(300);
    let told = shop.tell_all([
        call("Read", read("a")),
        call("Write", json!({"file_path": "a", "content": "x"})),
        call("Write", json!({"file_path": long, "content": "x"})),
        call("Write", json!({"file_path": "file/below", "content": "x"})),
        call("Write", json!({"file_path": "a\0b", "content": "x"})),
        call("Read", read("a\nb")),
    ]);
    for told in told {
        assert!(told.starts_with("Error: "), "{told}");
    }
}

#[test]
fn a_name_with_a_line_feed_and_blanks_can_be_written_and_read() {
    let shop = Workshop::new();
    let name = "a\n b";
    let told = shop
        .tell_all([call("Write", json!({"file_path": name, "content": "x\n"})), call("Read", read(name))]);
    assert_eq!((fs::read(shop.path(name)).unwrap().as_slice(), told[1].as_str()), (&b"x\n"[..], "1\tx"));
}

#[test]
fn a_write_to_a_full_disk_or_a_directory_leaves_everything_as_it_was() {
    let shop = Workshop::new().file("dir/x", "x");
    let told = shop.tell_all([
        call("Write", json!({"file_path": "dir", "content": "x"})),
        call("Write", json!({"file_path": "/dev/full", "content": "x"})),
    ]);
    assert!(told.iter().all(|told| told.starts_with("Error: ")), "{told:?}");
    assert_eq!(shop.text("dir/x"), "x");
}

#[test]
fn results_come_in_call_order_and_each_stage_leaves_its_event() {
    let shop = Workshop::in_mode("default").file("a.txt", "a").file("b.txt", "b");
    let run = shop.run([[
        call("Read", read("a.txt")),
        call("Frobnicate", json!({})),
        call("Bash", json!({"command": "touch made"})),
        call("Read", read("missing.txt")),
        call("Read", read("b.txt")),
        call("Read", json!({"file_path": 1.5, "limit": []})),
    ]]);
    let steps: Vec<(String, String)> = run
        .output
        .events()
        .iter()
        .filter(|event| !event["id"].is_null())
        .map(|event| (event["type"].as_str().unwrap().to_owned(), event["id"].as_str().unwrap().to_owned()))
        .collect();
    let of = |id: &str| -> Vec<&str> {
        steps.iter().filter(|(_, of)| of == id).map(|(kind, _)| kind.as_str()).collect()
    };
    assert_eq!(of("call_1"), ["tool_start", "tool_result"], "discovered, permitted, run");
    assert_eq!(of("call_2"), ["tool_result"], "not discovered");
    assert_eq!(of("call_3"), ["permission_denied", "tool_result"], "not confirmed");
    assert_eq!(of("call_4"), ["tool_start", "tool_result"], "run, and failed");
    assert_eq!(of("call_5"), ["tool_start", "tool_result"]);
    assert_eq!(of("call_6"), ["tool_result"], "not understood");
    let results: Vec<&str> =
        steps.iter().filter(|(kind, _)| kind == "tool_result").map(|(_, id)| id.as_str()).collect();
    assert_eq!(results, ["call_1", "call_2", "call_3", "call_4", "call_5", "call_6"]);
    assert!(run.told[1].contains("Frobnicate") && run.told[1].contains("Read"), "{}", run.told[1]);
    assert!(!shop.path("made").exists());
    for (told, event) in run.told.iter().zip(run.output.events_of("tool_result")) {
        assert_eq!(&event["content"], told, "the event has what the model gets");
        assert_eq!(event["success"], !told.starts_with("Error"), "{told}");
    }
}

#[test]
fn a_tool_that_was_taken_away_is_neither_offered_nor_run() {
    let shop = Workshop::new().options(["--disallowed-tools", "Bash"]);
    let run = shop.run([[call("Bash", json!({"command": "touch made"}))]]);
    assert!(!shop.endpoint().requests()[0].tool_names().contains(&"Bash"));
    assert!(run.told[0].starts_with("Error: ") && !shop.path("made").exists(), "{}", run.told[0]);
}
