//! Names in the guide: those of the program's own code exist in the sources, and no event of headless runs is missing.

use super::{markdown, project, read};

#[test]
fn every_name_that_the_guide_gives_for_clawd_exists() {
    let mut sources = String::new();
    gather(&project("src"), &mut sources);
    let page = "docs/src/development/coming-from.md";
    let mut missing = Vec::new();
    for row in markdown::rows(&read(page)) {
        let Some(ours) = row.get(1) else { continue };
        for span in markdown::code(ours) {
            let is_path = span.contains(".rs") || span.ends_with('/');
            let is_there =
                if is_path { project("src").join(span).exists() } else { has_name(&sources, span) };
            if !is_there {
                missing.push(span.to_owned());
            }
        }
    }
    assert!(missing.is_empty(), "{page} names what is not in the sources: {missing:?}");
}

#[test]
fn every_event_of_a_headless_run_is_in_the_guide() {
    let page = read("docs/src/automation/output-formats.md");
    let rows = markdown::rows(&page);
    let listed: Vec<&str> = rows.iter().flat_map(|row| markdown::code(&row[0])).collect();
    let source = read("src/headless/stream_json.rs");
    let types = source.split("\"type\": \"").skip(1).filter_map(|rest| rest.split('"').next());
    // the type of a call within a message
    let missing: Vec<&str> = types.filter(|name| *name != "function" && !listed.contains(name)).collect();
    assert!(missing.is_empty(), "docs/src/automation/output-formats.md does not have {missing:?}");
}

/// Whether the last part of `Type::method` is a whole word of the sources.
fn has_name(sources: &str, name: &str) -> bool {
    let last = name.rsplit("::").next().unwrap_or(name).trim_end_matches("()");
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let ends: Vec<(Option<char>, Option<char>)> =
        sources.split(last).map(|piece| (piece.chars().next(), piece.chars().next_back())).collect();
    ends.windows(2).any(|pair| !pair[0].1.is_some_and(is_part) && !pair[1].0.is_some_and(is_part))
}

fn gather(directory: &std::path::Path, into: &mut String) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            gather(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}
