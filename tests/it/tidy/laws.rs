//! The laws, a function each: a tree in, every place that breaks it out, as `path:line: what and why`.

use super::plan::{EXAMPLE_HOMES, FORBIDDEN, LONGEST, OWNERS, PURE, ROOMS, SCREEN, WORLD};
use super::reader::{File, Named, Tree, code};

/// The plans name only what stands earlier in them; `lib.rs` declares the rooms in the plan's order, and each is in it.
pub(super) fn order(tree: &Tree) -> Vec<String> {
    let place = |name: &str| ROOMS.iter().position(|(room, _)| *room == name);
    let code = code(tree.text("src/lib.rs"));
    let declared = |line: &str| Some(line.trim().split_once("mod ")?.1.strip_suffix(';')?.to_owned());
    let declared: Vec<String> = code.lines().filter_map(declared).collect();
    let mut broken = [upwards(ROOMS), upwards(SCREEN)].concat();
    if !declared.iter().map(|name| place(name)).is_sorted() {
        broken.push(format!("src/lib.rs: not in reading order: {}", declared.join(", ")));
    }
    for file in tree.rust("src/") {
        let room = file.module().into_iter().next();
        if let Some(room) = room.filter(|room| place(room).is_none()) {
            broken.push(format!("{}: `{room}` is no room of the plan", file.path));
        }
    }
    broken
}

/// Imports of a plan that point upwards.
pub(super) fn upwards(plan: &[(&str, &[&str])]) -> Vec<String> {
    let mut broken = Vec::new();
    for (at, (room, may)) in plan.iter().enumerate() {
        let earlier =
            |import: &str| plan[..at].iter().any(|(name, _)| Some(*name) == import.split("::").next());
        let wrong = may.iter().filter(|import| !earlier(import));
        broken.extend(wrong.map(|import| format!("plan: `{import}` does not stand before `{room}`")));
    }
    broken
}

/// A room imports only what the plan allows it.
pub(super) fn rooms(tree: &Tree) -> Vec<String> {
    walls(tree, ROOMS, &[])
}

/// The same inside the screen, for all but its `mod.rs`.
pub(super) fn screen(tree: &Tree) -> Vec<String> {
    walls(tree, SCREEN, &["tui".to_owned()])
}

/// Holds what stands under the module `house` against `plan`.
fn walls(tree: &Tree, plan: &[(&str, &[&str])], house: &[String]) -> Vec<String> {
    let root = [&["crate".to_owned()], house].concat();
    let mut broken = Vec::new();
    for file in tree.shipped() {
        let module = file.module();
        let Some(room) = module.strip_prefix(house).and_then(<[String]>::first) else { continue };
        let Some((_, may)) = plan.iter().find(|(name, _)| name == room) else {
            broken.push(format!("{}: `{room}` is not in the plan", file.path));
            continue;
        };
        for named in file.names().iter().filter(|named| named.is_within(&root)) {
            let Some(target) = named.segments.get(root.len()) else { continue };
            if target != room && !may.iter().any(|import| named.is_within(&within(&root, import))) {
                broken.push(at(
                    file,
                    named,
                    &format!("`{room}` may not import `{}`", named.segments.join("::")),
                ));
            }
        }
    }
    broken
}

/// Pure files name nothing of the world; nobody but the painter's side names the terminal's crates ([`OWNERS`]).
pub(super) fn purity(tree: &Tree) -> Vec<String> {
    let mut broken = Vec::new();
    for file in tree.shipped().into_iter().filter(|file| PURE.iter().any(|pure| file.path.starts_with(pure)))
    {
        for named in file.names() {
            let word = WORLD.iter().find(|word| named.holds(word));
            broken.extend(word.map(|word| at(file, &named, &format!("pure code names `{word}`"))));
        }
    }
    let is_there = |path: &str| tree.0.iter().any(|file| file.path.starts_with(path));
    let stale = PURE.iter().filter(|path| !is_there(path));
    broken.extend(stale.map(|path| format!("plan: `{path}` is said to be pure, and is not there")));
    broken
}

/// What the program is made of on Linux alone.
const LINUX: &str = r#"target.'cfg(target_os = "linux")'.dependencies"#;

/// Every crate of `Cargo.toml` is used, and is named only by its owners.
pub(super) fn crates(tree: &Tree) -> Vec<String> {
    let manifest = tree.text("Cargo.toml");
    let (everywhere, dev) = (section(manifest, "dependencies"), section(manifest, "dev-dependencies"));
    let normal = [everywhere, section(manifest, LINUX)].concat();
    let mut broken = Vec::new();
    for name in normal.iter().filter(|name| !OWNERS.iter().any(|(owned, _)| owned == *name)) {
        broken.push(format!("plan: the crate `{name}` has no owner"));
    }
    let shipped = named(tree.shipped(), File::names);
    for (name, homes) in OWNERS {
        let uses: Vec<&(&File, Named)> = shipped.iter().filter(|(_, named)| is_of(named, name)).collect();
        if uses.is_empty() || !normal.iter().any(|known| known == name) {
            broken.push(format!("Cargo.toml: the program does not depend on `{name}` or does not use it"));
        }
        for (file, named) in
            uses.iter().filter(|(file, _)| !homes.iter().any(|home| file.path.starts_with(home)))
        {
            broken.push(at(file, named, &format!("`{name}` has another home: {}", homes.join(", "))));
        }
    }
    let anywhere = tree.rust("src/").chain(tree.rust("tests/")).chain(tree.rust("benches/"));
    let anywhere = named(anywhere, File::all_names);
    let unused = dev.iter().filter(|name| !anywhere.iter().any(|(_, named)| is_of(named, name)));
    broken.extend(unused.map(|name| format!("Cargo.toml: no test and no measurement uses `{name}`")));
    broken
}

/// Every file opens with what it is.
pub(super) fn heads(tree: &Tree) -> Vec<String> {
    let rust = tree.rust("src/").chain(tree.rust("tests/")).chain(tree.rust("benches/"));
    let headless = rust.filter(|file| !file.text.starts_with("//! "));
    headless
        .map(|file| format!("{}:1: does not open with `//!`: what it is, what it is not", file.path))
        .collect()
}

/// No file is longer than one can keep in mind.
pub(super) fn lengths(tree: &Tree) -> Vec<String> {
    let shipped = tree.shipped();
    let lines = |file: &&File| (file.path.clone(), file.before_tests().lines().count());
    let others = tree.rust("tests/").chain(tree.rust("benches/"));
    let all = shipped.iter().map(lines).chain(others.map(|file| lines(&file)));
    let long = all.filter(|(_, lines)| *lines > LONGEST);
    long.map(|(path, lines)| format!("{path}: {lines} lines before its tests, {LONGEST} at most")).collect()
}

/// Nothing in the project speaks of a machine, a registry or unfinished work.
pub(super) fn words(tree: &Tree) -> Vec<String> {
    let mut broken = Vec::new();
    for file in &tree.0 {
        for (number, line) in file.text.lines().enumerate() {
            let found = FORBIDDEN.iter().filter(|(word, _)| has_word(line, word));
            broken
                .extend(found.map(|(word, why)| format!("{}:{}: `{word}` is {why}", file.path, number + 1)));
            if let Some(name) = someones_home(line) {
                broken.push(format!(
                    "{}:{}: the home of `{name}` is a path of one machine",
                    file.path,
                    number + 1
                ));
            }
        }
    }
    broken
}

fn at(file: &File, named: &Named, what: &str) -> String {
    format!("{}:{}: {what}", file.path, named.line)
}

fn within(root: &[String], import: &str) -> Vec<String> {
    root.iter().cloned().chain(import.split("::").map(str::to_owned)).collect()
}

/// What each file names, in one list.
fn named<'a>(
    files: impl IntoIterator<Item = &'a File>,
    names: fn(&File) -> Vec<Named>,
) -> Vec<(&'a File, Named)> {
    files.into_iter().flat_map(|file| names(file).into_iter().map(move |named| (file, named))).collect()
}

fn is_of(named: &Named, name: &str) -> bool {
    named.segments.first().is_some_and(|segment| *segment == name.replace('-', "_"))
}

/// The keys of a section of a manifest.
fn section(manifest: &str, name: &str) -> Vec<String> {
    let lines = manifest.lines().skip_while(|line| *line != format!("[{name}]")).skip(1);
    let entries = lines.take_while(|line| !line.starts_with('['));
    entries.filter_map(|line| Some(line.split_once(" = ")?.0.to_owned())).collect()
}

/// Whether `word` stands in `line` and is no part of a longer word.
fn has_word(line: &str, word: &str) -> bool {
    let is_inner = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let ends_in_letter = word.ends_with(char::is_alphabetic);
    line.match_indices(word).any(|(start, _)| {
        let (before, found) = line.split_at(start);
        let after = found.chars().nth(word.chars().count());
        !(is_inner(before.chars().next_back()) || ends_in_letter && is_inner(after))
    })
}

/// The name of a home directory where it is no example's.
fn someones_home(line: &str) -> Option<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let names =
        line.split("/home/").skip(1).map(|rest| rest.split(|c| !is_name(c)).next().unwrap_or_default());
    names.into_iter().find(|name| !name.is_empty() && !EXAMPLE_HOMES.contains(name))
}
