//! Links of the manual: every relative one leads to a file of the project, every anchor to a heading.

use std::collections::BTreeSet;

use super::{markdown, pages, project, read};

#[test]
fn every_relative_link_and_anchor_resolves() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = read(&page);
        for (number, line) in markdown::prose(&text) {
            let targets = markdown::targets(line);
            let wrong = targets.iter().filter_map(|target| fault(&page, target));
            broken.extend(wrong.map(|fault| format!("{page}:{number}: {fault}")));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_picture_is_used() {
    let used: BTreeSet<String> = pages()
        .iter()
        .flat_map(|page| read(page).lines().flat_map(markdown::targets).collect::<Vec<_>>())
        .collect();
    for picture in std::fs::read_dir(project("docs/images")).unwrap() {
        let name = picture.unwrap().file_name().into_string().unwrap();
        assert!(
            used.iter().any(|target| target.ends_with(&format!("images/{name}"))),
            "{name} is in no page"
        );
    }
}

fn fault(page: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let file = if path.is_empty() { page.to_owned() } else { beside(page, path) };
    if !project(&file).exists() {
        return Some(format!("`{target}` leads to no file"));
    }
    let anchor = anchor?;
    let is_there = markdown::anchors(&read(&file)).iter().any(|there| there == anchor);
    (!is_there).then(|| format!("`{target}` leads to no heading"))
}

/// The file that `path` names in `page`.
fn beside(page: &str, path: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
