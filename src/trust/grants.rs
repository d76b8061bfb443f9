//! `grants.toml`: the rules of "don't ask again", kept by project and never in it.
//!
//! Read again right before it is written, so that two programs side by side lose nothing but what they say in the same moment.

use std::path::Path;

use toml::{Table, Value};

use crate::config::{ConfigError, read_guarded_table, write_private};
use crate::permission::{Rule, RuleFrom};

use super::record::key;

/// The rules of "don't ask again" for a project, from `grants.toml`. What is no rule any more is left out.
pub fn grants(path: &Path, project: &Path) -> Result<Vec<Rule>, ConfigError> {
    let table = read_guarded_table(path)?;
    let Some(project) = project.to_str() else { return Ok(Vec::new()) };
    let rules = table.get(project).and_then(Value::as_array).into_iter().flatten();
    let rules = rules.filter_map(Value::as_str).filter_map(|text| text.parse::<Rule>().ok());
    Ok(rules.map(|rule| rule.standing(RuleFrom::Grant)).collect())
}

/// Keeps more rules for a project in `grants.toml`.
pub fn add_grants(path: &Path, project: &Path, rules: &[Rule]) -> Result<(), ConfigError> {
    let mut table = read_guarded_table(path)?;
    for rule in rules {
        add(array(&mut table, key(project)?), &rule.to_string());
    }
    write_private(path, table.to_string().as_bytes())
}

/// Takes a rule of a project out of `grants.toml`; what others have kept there meanwhile stays.
pub fn remove_grant(path: &Path, project: &Path, rule: &str) -> Result<(), ConfigError> {
    let mut table = read_guarded_table(path)?;
    let key = key(project)?;
    let Some(rules) = table.get_mut(key).and_then(Value::as_array_mut) else { return Ok(()) };
    let is_it = |kept: &str| kept == rule || kept.parse::<Rule>().is_ok_and(|kept| kept.to_string() == rule);
    rules.retain(|kept| !kept.as_str().is_some_and(is_it));
    if rules.is_empty() {
        table.remove(key);
    }
    write_private(path, table.to_string().as_bytes())
}

/// The array under `key`, made if it is not there.
fn array<'a>(table: &'a mut Table, key: &str) -> &'a mut Value {
    let value = table.entry(key).or_insert_with(|| Value::Array(Vec::new()));
    if !value.is_array() {
        *value = Value::Array(Vec::new());
    }
    value
}

fn add(array: &mut Value, text: &str) {
    if let Some(items) = array.as_array_mut()
        && !items.iter().any(|item| item.as_str() == Some(text))
    {
        items.push(Value::from(text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(path: &Path, project: &str) -> Vec<String> {
        grants(path, Path::new(project)).unwrap().iter().map(Rule::to_string).collect()
    }

    #[test]
    fn grants_are_kept_by_project() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("data/grants.toml");
        assert_eq!(texts(&path, "/a"), [""; 0]);
        for (project, rule) in [
            ("/a", "Bash(cargo test)"),
            ("/b.c/d e", r"Edit(./\[id\].ts)"),
            ("/a", "Bash(cargo test)"),
            ("/a", "Read"),
        ] {
            add_grants(&path, Path::new(project), &[rule.parse().unwrap()]).unwrap();
        }
        assert_eq!(texts(&path, "/a"), ["Bash(cargo test)", "Read"]);
        assert_eq!(texts(&path, "/b.c/d e"), [r"Edit(./\[id\].ts)"]);
        assert_eq!(texts(&path, "/"), [""; 0]);
    }

    #[test]
    fn a_rule_is_taken_back_and_what_others_kept_meanwhile_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("grants.toml");
        let rules = ["Bash(a)", "Bash(b)"].map(|rule| rule.parse().unwrap());
        add_grants(&path, Path::new("/a"), &rules).unwrap();
        assert!(grants(&path, Path::new("/a")).unwrap().iter().all(|rule| rule.from() == RuleFrom::Grant));
        add_grants(&path, Path::new("/b"), &rules).unwrap();
        remove_grant(&path, Path::new("/a"), "Bash(a)").unwrap();
        assert_eq!((texts(&path, "/a"), texts(&path, "/b").len()), (vec!["Bash(b)".to_owned()], 2));
        remove_grant(&path, Path::new("/a"), "Bash(b)").unwrap();
        remove_grant(&path, Path::new("/a"), "Bash(b)").unwrap();
        remove_grant(&path, Path::new("/c"), "Bash(b)").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("/a") && text.contains("/b"), "{text}");
    }

    #[test]
    fn what_is_no_rule_any_more_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("grants.toml");
        std::fs::write(&path, "\"/a\" = [\"Gone(x)\", 3, \"Read\"]\n\"/b\" = 1\n").unwrap();
        assert_eq!((texts(&path, "/a"), texts(&path, "/b")), (vec!["Read".to_owned()], Vec::new()));
        add_grants(&path, Path::new("/b"), &["Read".parse().unwrap()]).unwrap();
        assert_eq!(texts(&path, "/b"), ["Read"]);
    }
}
