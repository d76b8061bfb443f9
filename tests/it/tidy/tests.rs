//! Every law is shown a tree that breaks it: a law that cannot be broken guards nothing.

use super::reader::{Tree, code};
use super::{laws, plan};

/// Holds `law` against a tree of (path, text) pairs: it is broken once for each of `expected`, which stands in the report.
fn check(law: fn(&Tree) -> Vec<String>, files: &[(&str, &str)], expected: &[&str]) {
    let broken = law(&Tree::planted(files));
    let is_expected = |report: &String| expected.iter().any(|part| report.contains(part));
    assert!(
        expected.iter().all(|part| broken.iter().any(|report| report.contains(part))),
        "{expected:?}: {broken:#?}"
    );
    assert!(broken.iter().all(is_expected), "{expected:?}: {broken:#?}");
}

#[test]
fn an_import_from_above_is_found_however_it_is_written() {
    let expected = ["`text` may not import `crate::tui"];
    check(laws::rooms, &[("src/text/clip.rs", "use crate::tui::key::Key;")], &expected);
    check(laws::rooms, &[("src/text/clip.rs", "fn f() { crate::tui::run() }")], &expected);
    check(
        laws::rooms,
        &[("src/text/clip.rs", "use crate::{\n    text::glob,\n    tui::{key, msg},\n};")],
        &expected,
    );
    check(laws::rooms, &[("src/text/clip.rs", "use super::super::tui::key;")], &expected);
    check(laws::rooms, &[("src/text/mod.rs", "use super::tui::key;")], &expected);
    check(
        laws::rooms,
        &[("src/text/clip.rs", "fn f<'a>(x: &'a str) { '\"'; crate::tui::g(x) } // \"")],
        &expected,
    );
}

#[test]
fn what_is_no_import_is_no_offence() {
    let check = |text| check(laws::rooms, &[("src/text/clip.rs", text)], &[]);
    check("//! See [`crate::tui`].\n/* crate::tui /* nested */ crate::tui */");
    check(
        "const A: &str = \"crate::tui::x\"; const B: &str = r#\"a \" crate::tui::x\"#; const C: char = '\\'';",
    );
    check("use crate::text::glob::matches;\nuse super::clip;");
    check("fn f() {}\n\n#[cfg(test)]\nmod tests {\n    use crate::tui::key;\n}");
    check("fn f() {}\n\n#[cfg(test)]\npub(crate) mod tests {\n    use crate::tui::key;\n}");
}

#[test]
fn a_module_for_tests_alone_may_import_what_it_likes() {
    let files = [
        ("src/text/mod.rs", "#[cfg(test)]\nmod testing;\nmod clip;"),
        ("src/text/testing.rs", "use crate::tui::key;"),
        ("src/text/clip.rs", "use crate::tui::key;"),
    ];
    check(laws::rooms, &files, &["src/text/clip.rs:1: "]);
}

#[test]
fn one_thing_of_a_room_is_not_the_room() {
    check(laws::rooms, &[("src/agent/mod.rs", "use crate::os::{clock, process};")], &["crate::os::process"]);
    check(
        laws::rooms,
        &[("src/session/recorder.rs", "use crate::agent::{Agent, Sink};")],
        &["crate::agent::Agent"],
    );
    check(laws::rooms, &[("src/headless/mod.rs", "use crate::os::{signals, file};")], &["crate::os::file"]);
    check(laws::rooms, &[("src/error.rs", "use crate::app::App;")], &["`error` may not import"]);
}

#[test]
fn front_ends_know_neither_each_other_nor_the_loop() {
    for above in ["headless", "chat", "tools", "agent", "session"] {
        let text = format!("use crate::{above}::Thing;");
        check(
            laws::rooms,
            &[("src/tui/runner/mod.rs", &text)],
            &[&format!("`tui` may not import `crate::{above}")],
        );
    }
    check(laws::rooms, &[("src/headless/mod.rs", "use crate::tui::run;")], &["`headless` may not import"]);
}

#[test]
fn rooms_stand_in_reading_order_and_in_the_plan() {
    check(
        laws::order,
        &[("src/lib.rs", "pub mod protocol;\npub mod text;\n// pub mod extra;\npub mod tui;")],
        &[],
    );
    check(
        laws::order,
        &[("src/lib.rs", "pub mod text;\npub mod protocol;")],
        &["not in reading order: text, protocol"],
    );
    check(laws::order, &[("src/lib.rs", "pub mod tui;\npub mod cellar;")], &["not in reading order"]);
    check(laws::order, &[("src/cellar/mod.rs", "")], &["`cellar` is no room"]);
}

#[test]
fn a_plan_that_points_upwards_is_found() {
    assert!(laws::upwards(&[("a", &[]), ("b", &["a::Thing"])]).is_empty());
    assert_eq!(laws::upwards(&[("a", &["b"]), ("b", &["b"])]).len(), 2);
}

#[test]
fn the_screen_has_inner_walls() {
    check(
        laws::screen,
        &[("src/tui/view/cell.rs", "use crate::tui::update::input;")],
        &["`view` may not import"],
    );
    check(
        laws::screen,
        &[("src/tui/view/mod.rs", "use super::{model::Model, msg::Msg};")],
        &["crate::tui::msg::Msg"],
    );
    check(laws::screen, &[("src/tui/model/run.rs", "use super::super::slash;")], &["`model` may not import"]);
    check(laws::screen, &[("src/tui/runner/mod.rs", "use crate::tui::view;")], &["`runner` may not import"]);
    check(laws::screen, &[("src/tui/gadget.rs", "")], &["`gadget` is not in the plan"]);
    check(laws::screen, &[("src/tui/mod.rs", "use view::draw;\nuse self::update::update;")], &[]);
    check(laws::screen, &[("src/headless/mod.rs", "use super::conversation;")], &[]);
}

#[test]
fn pure_code_cannot_reach_the_world() {
    let all_there: Vec<(&str, &str)> = plan::PURE.iter().map(|path| (*path, "")).collect();
    let check = |path, text, expected: &[&str]| {
        check(laws::purity, &[&all_there[..], &[(path, text)]].concat(), expected);
    };
    check("src/text/clip.rs", "use std::fs::File;", &["src/text/clip.rs:1: pure code names `std::fs`"]);
    check("src/text/clip.rs", "use std::{fmt, fs};", &["`std::fs`"]);
    check("src/context/mod.rs", "fn f() {\n    std::time::Instant::now();\n}", &["src/context/mod.rs:2: "]);
    check("src/tui/update/run.rs", "use std::time::SystemTime;", &["`SystemTime`"]);
    check("src/tui/view/cell.rs", "use ratatui::crossterm::style;", &["`crossterm`"]);
    check("src/permission/mod.rs", "fn f() { tokio::spawn(g()) }", &["`tokio`"]);
    check("src/permission/mod.rs", "/// Not by tokio::sync.\nuse std::time::{Duration, Instant};", &[]);
    check("src/os/file.rs", "use std::fs;", &[]);
}

#[test]
fn a_pure_place_that_is_gone_is_struck_from_the_plan() {
    assert!(
        laws::purity(&Tree::planted(&[]))
            .iter()
            .any(|report| report.contains("`src/text/` is said to be pure"))
    );
}

#[test]
fn a_crate_stays_at_home() {
    let found = |files: &[(&str, &str)]| laws::crates(&Tree::planted(files)).join("\n");
    assert!(
        found(&[("src/tools/fetch.rs", "use reqwest::Client;")])
            .contains("src/tools/fetch.rs:1: `reqwest` has")
    );
    assert!(!found(&[("src/os/http/mod.rs", "use reqwest::Client;")]).contains("`reqwest` has"));
    assert!(
        found(&[("src/agent/mod.rs", "fn f() -> async_openai::Client {}")]).contains("`async-openai` has")
    );
}

#[test]
fn a_crate_that_nobody_uses_is_found() {
    let manifest = "[dependencies]\ntoml = \"1\"\nleftpad = \"1\"\n\n[dev-dependencies]\nvt100 = \"1\"\n";
    let found = |files: &[(&str, &str)]| laws::crates(&Tree::planted(files)).join("\n");
    let unused = found(&[("Cargo.toml", manifest)]);
    assert!(
        unused.contains("does not use it") && unused.contains("no test and no measurement uses `vt100`"),
        "{unused}"
    );
    assert!(unused.contains("`leftpad` has no owner"), "{unused}");
    let used =
        ("src/config/file.rs", "use toml::Table;\n\n#[cfg(test)]\nmod tests {\n    use vt100::Parser;\n}");
    let used = found(&[("Cargo.toml", manifest), used]);
    assert!(!used.contains("`toml`") && !used.contains("`vt100`"), "{used}");
}

#[test]
fn a_file_without_a_head_or_an_end_is_found() {
    check(laws::heads, &[("src/a.rs", "use b;"), ("tests/it/b.rs", "//! A test.")], &["src/a.rs:1: "]);
    let lines = "fn f() {}\n".repeat(plan::LONGEST);
    let tests = format!("{lines}#[cfg(test)]\nmod tests {{\n{lines}}}\n");
    check(laws::lengths, &[("src/a.rs", &tests), ("src/b.rs", &lines)], &[]);
    check(
        laws::lengths,
        &[("src/a.rs", &format!("\n{tests}")), ("tests/it/b.rs", &lines)],
        &["src/a.rs: 401 lines"],
    );
}

#[test]
fn a_word_about_a_machine_or_unfinished_work_is_found() {
    for (word, _) in plan::FORBIDDEN {
        check(laws::words, &[("README.md", &format!("a\nb {word} c"))], &["README.md:2: "]);
    }
    check(
        laws::words,
        &[("a.rs", concat!("\"/ho", "me/jane/x\" and /home/user/x"))],
        &["the home of `jane`"],
    );
    let fine = format!(
        "{}S, u{}X, /home/u, frame{}, Todo",
        concat!("TO", "DO"),
        concat!("XX", "X"),
        concat!("/wo", "rk/")
    );
    check(laws::words, &[("a.rs", &fine)], &[]);
}

#[test]
fn what_is_blanked_keeps_its_lines() {
    let check = |text: &str, expected: &str| assert_eq!(code(text), expected);
    check("a // b\nc", "a     \nc");
    check("a /* b\n */ c", "a     \n    c");
    check("x(\"a\\\"b\\\\\") y", "x(        ) y");
    check("r#\"\"a\"# b", "        b");
    check("for'\"'x", "for   x");
    check("&'a str, 'b'", "&'a str,    ");
}

#[test]
fn a_second_maker_of_trust_is_found() {
    let check = |path, text, expected: &[&str]| check(laws::trust, &[(path, text)], expected);
    check("src/app/told.rs", "struct Any;\nimpl Yes for Any {}", &["src/app/told.rs"]);
    check("src/app/told.rs", "impl crate::project::Yes for Any {}", &["src/app/told.rs"]);
    check("src/app/told.rs", "// no Yes for nobody\nfn f(yes: &impl Yes) {}", &[]);
    check("src/trust/mod.rs", "impl Yes for Trusted {}", &[]);
}
