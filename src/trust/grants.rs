//! `grants.toml`: the rules of "don't ask again", kept by project and never in it.
//!
//! Read again right before it is written, so that two programs side by side lose nothing but what they say in the same moment.

use std::path::Path;

use toml::{Table, Value};

use crate::config::{ConfigError, read_guarded_table, write_private};
use crate::permission::Rule;

use super::record::key;

/// The rules of "don't ask again" for a project, from `grants.toml`. What is no rule any more is left out.
pub fn grants(path: &Path, project: &Path) -> Result<Vec<Rule>, ConfigError> {
    let table = read_guarded_table(path)?;
    let Some(project) = project.to_str() else { return Ok(Vec::new()) };
    let rules = table.get(project).and_then(Value::as_array).into_iter().flatten();
    Ok(rules.filter_map(Value::as_str).filter_map(|text| text.parse().ok()).collect())
}

/// Keeps one more rule for a project in `grants.toml`.
pub fn add_grant(path: &Path, project: &Path, rule: &Rule) -> Result<(), ConfigError> {
    let mut table = read_guarded_table(path)?;
    add(array(&mut table, key(project)?), &rule.to_string());
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
            add_grant(&path, Path::new(project), &rule.parse().unwrap()).unwrap();
        }
        assert_eq!(texts(&path, "/a"), ["Bash(cargo test)", "Read"]);
        assert_eq!(texts(&path, "/b.c/d e"), [r"Edit(./\[id\].ts)"]);
        assert_eq!(texts(&path, "/"), [""; 0]);
    }

    #[test]
    fn what_is_no_rule_any_more_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("grants.toml");
        std::fs::write(&path, "\"/a\" = [\"Gone(x)\", 3, \"Read\"]\n\"/b\" = 1\n").unwrap();
        assert_eq!((texts(&path, "/a"), texts(&path, "/b")), (vec!["Read".to_owned()], Vec::new()));
        add_grant(&path, Path::new("/b"), &"Read".parse().unwrap()).unwrap();
        assert_eq!(texts(&path, "/b"), ["Read"]);
    }
}
