//! The manual checked against the program: `README.md`, its translation and the guide in `docs/`.
//!
//! The pages that repeat a table of the program are generated from it ([`tables`]), every example is parsed or run
//! ([`examples`]), every link and anchor resolves ([`links`]), and the pictures are screens of the real program ([`pictures`]).
//! `CLAWD_GALLERY=write cargo test --test it guide::` writes generated pages and pictures instead of comparing them.

mod examples;
mod links;
mod markdown;
mod names;
mod pictures;
mod svg;
mod tables;

use std::path::{Path, PathBuf};

/// A file of the project, by its path from the root.
fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read(path: &str) -> String {
    std::fs::read_to_string(project(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Compares a generated file with the one in the project, or writes it.
#[track_caller]
fn check(path: &str, made: &str) {
    if std::env::var_os("CLAWD_GALLERY").is_some_and(|wish| wish == "write") {
        std::fs::create_dir_all(project(path).parent().unwrap()).unwrap();
        return std::fs::write(project(path), made).unwrap();
    }
    let there = std::fs::read_to_string(project(path)).unwrap_or_default();
    let differing = there.lines().zip(made.lines()).find(|(there, made)| there != made);
    assert!(
        there == made,
        "{path} is out of date; the first difference: {differing:?}\n\
         (CLAWD_GALLERY=write cargo test --test it guide:: writes it)"
    );
}

/// Every page of the manual, in the order of their paths.
fn pages() -> Vec<String> {
    let mut pages =
        ["README.md", "README.zh-CN.md", "CONTRIBUTING.md", "SECURITY.md"].map(str::to_owned).to_vec();
    let mut directories = vec!["docs/src".to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(project(&directory)).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{directory}/{}", entry.file_name().into_string().unwrap());
            if entry.file_type().unwrap().is_dir() {
                directories.push(path);
            } else if Path::new(&path).extension().is_some_and(|extension| extension == "md") {
                pages.push(path);
            }
        }
    }
    pages.sort();
    pages
}

#[test]
fn the_readme_is_short_and_begins_with_the_two_commands() {
    for page in ["README.md", "README.zh-CN.md"] {
        let text = read(page);
        let lines = text.lines().count();
        assert!(lines <= 220, "{page}: {lines} lines, 220 at most");
        let first = markdown::blocks(&text).into_iter().next().unwrap();
        let commands: Vec<&str> =
            first.text.lines().map(|line| line.split('#').next().unwrap().trim()).collect();
        assert_eq!(commands, ["cargo run --release", "cargo test"], "{page}");
    }
}

#[test]
fn every_page_is_in_the_summary_once() {
    let summary = read("docs/src/SUMMARY.md");
    for page in pages() {
        let Some(name) = page.strip_prefix("docs/src/").filter(|name| *name != "SUMMARY.md") else {
            continue;
        };
        assert_eq!(summary.matches(&format!("]({name})")).count(), 1, "{page} in docs/src/SUMMARY.md");
    }
}
