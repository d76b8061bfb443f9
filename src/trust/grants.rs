//! `grants.toml`: the rules of "don't ask again", kept by project and never in it.
//!
//! A project is found again by its path and by what tells the directory from another at that path ([`identity`]): a repository
//! that was put in its place gets none of its rules. Read again right before it is written, so that two programs side by side
//! lose nothing but what they say in the same moment. The surprise: an older form kept paths alone. Whose its rules are nobody
//! can tell, so they count no more; they stay in the file until something is granted anew.

use std::path::Path;

use toml::{Table, Value};

use crate::config::{ConfigError, read_guarded_table, write_private};
use crate::permission::{Rule, RuleFrom};
use crate::project::identity;

use super::record::{DIRECTORY, key};

const RULES: &str = "rules";

/// What "don't ask again" has kept for a project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Granted {
    /// The rules that count.
    pub rules: Vec<Rule>,
    /// Why others do not, in a line.
    pub note: Option<String>,
}

/// The rules of "don't ask again" for a project, from `grants.toml`. What is no rule any more is left out.
pub fn grants(path: &Path, project: &Path) -> Result<Granted, ConfigError> {
    let table = read_guarded_table(path)?;
    let kept = project.to_str().and_then(|project| table.get(project));
    Ok(match kept {
        Some(Value::Table(entry)) if is_of(entry, project) => {
            Granted { rules: entry.get(RULES).map(rules).unwrap_or_default(), note: None }
        }
        Some(Value::Table(entry)) => {
            left_out(entry.get(RULES), "they were saved for a different directory at this path")
        }
        older @ Some(Value::Array(_)) => {
            left_out(older, "an earlier version saved them without identifying the directory")
        }
        Some(_) | None => Granted::default(),
    })
}

fn is_of(entry: &Table, project: &Path) -> bool {
    let kept = entry.get(DIRECTORY).and_then(Value::as_str);
    kept.is_some() && kept == identity(project).as_deref()
}

fn rules(list: &Value) -> Vec<Rule> {
    let texts = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    texts.filter_map(|text| text.parse::<Rule>().ok()).map(|rule| rule.standing(RuleFrom::Grant)).collect()
}

fn left_out(list: Option<&Value>, why: &str) -> Granted {
    let kept: Vec<String> = list.map(rules).unwrap_or_default().iter().map(Rule::to_string).collect();
    let note = format!("ignored: {} ({why}; approve again what you still want)", kept.join(", "));
    Granted { rules: Vec::new(), note: (!kept.is_empty()).then_some(note) }
}

/// Keeps more rules for a project in `grants.toml`; what was kept for another directory of its path goes.
pub fn add_grants(path: &Path, project: &Path, rules: &[Rule]) -> Result<(), ConfigError> {
    let mut table = read_guarded_table(path)?;
    let key = key(project)?;
    let is_sound = |entry: &Table| is_of(entry, project) && entry.get(RULES).is_some_and(Value::is_array);
    if !table.get(key).and_then(Value::as_table).is_some_and(is_sound) {
        table.insert(key.to_owned(), Value::Table(fresh(project)));
    }
    let list = table.get_mut(key).and_then(|entry| entry.get_mut(RULES)).and_then(Value::as_array_mut);
    if let Some(list) = list {
        for rule in rules.iter().map(Rule::to_string) {
            if !list.iter().any(|kept| kept.as_str() == Some(&rule)) {
                list.push(Value::String(rule));
            }
        }
    }
    write_private(path, table.to_string().as_bytes())
}

fn fresh(project: &Path) -> Table {
    let mut entry = Table::new();
    entry.extend(identity(project).map(|identity| (DIRECTORY.to_owned(), Value::String(identity))));
    entry.insert(RULES.to_owned(), Value::Array(Vec::new()));
    entry
}

/// Takes a rule of a project out of `grants.toml`; what others have kept there meanwhile stays.
pub fn remove_grant(path: &Path, project: &Path, rule: &str) -> Result<(), ConfigError> {
    let mut table = read_guarded_table(path)?;
    let key = key(project)?;
    let entry = table.get_mut(key).and_then(Value::as_table_mut).filter(|entry| is_of(entry, project));
    let list = entry.and_then(|entry| entry.get_mut(RULES)).and_then(Value::as_array_mut);
    let Some(rules) = list else { return Ok(()) };
    let is_it = |kept: &str| kept == rule || kept.parse::<Rule>().is_ok_and(|kept| kept.to_string() == rule);
    rules.retain(|kept| !kept.as_str().is_some_and(is_it));
    if rules.is_empty() {
        table.remove(key);
    }
    write_private(path, table.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    /// A file, and projects beside it.
    struct World(tempfile::TempDir);

    impl World {
        fn new(projects: &[&str]) -> Self {
            let world = Self(tempfile::tempdir().unwrap());
            for name in projects {
                fs::create_dir_all(world.at(name)).unwrap();
            }
            world
        }

        fn at(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn file(&self) -> PathBuf {
            self.at("data/grants.toml")
        }

        fn write(&self, text: &str) {
            fs::create_dir_all(self.at("data")).unwrap();
            fs::write(self.file(), text).unwrap();
        }

        fn add(&self, project: &str, rules: &[&str]) {
            let rules: Vec<Rule> = rules.iter().map(|rule| rule.parse().unwrap()).collect();
            add_grants(&self.file(), &self.at(project), &rules).unwrap();
        }

        fn remove(&self, project: &str, rule: &str) {
            remove_grant(&self.file(), &self.at(project), rule).unwrap();
        }

        fn granted(&self, project: &str) -> Granted {
            grants(&self.file(), &self.at(project)).unwrap()
        }

        fn texts(&self, project: &str) -> Vec<String> {
            self.granted(project).rules.iter().map(Rule::to_string).collect()
        }

        fn note(&self, project: &str) -> String {
            self.granted(project).note.unwrap_or_default()
        }
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn grants_are_kept_by_project() {
        let world = World::new(&["a", "b.c/d e"]);
        assert_eq!(world.granted("a"), Granted::default());
        world.add("a", &["Bash(cargo test)"]);
        world.add("b.c/d e", &[r"Edit(./\[id\].ts)"]);
        world.add("a", &["Bash(cargo test)", "Read"]);
        assert_eq!(world.texts("a"), ["Bash(cargo test)", "Read"]);
        assert_eq!(world.texts("b.c/d e"), [r"Edit(./\[id\].ts)"]);
        assert_eq!((world.texts("b.c").len(), world.note("a")), (0, String::new()));
    }

    #[test]
    fn another_directory_at_the_path_gets_none_and_that_is_told_until_something_is_granted_anew() {
        let world = World::new(&["a"]);
        world.add("a", &["Bash(a)", "Bash(b)"]);
        fs::rename(world.at("a"), world.at("moved")).unwrap();
        fs::create_dir(world.at("a")).unwrap();
        assert_eq!(world.texts("a"), NONE);
        assert_eq!(
            world.note("a"),
            "ignored: Bash(a), Bash(b) (they were saved for a different directory at this path; approve again what you still want)"
        );
        world.remove("a", "Bash(a)");
        assert!(world.note("a").contains("Bash(a)"), "they are not this directory's to take back");
        world.add("a", &["Bash(c)"]);
        assert_eq!((world.texts("a"), world.note("a")), (vec!["Bash(c)".to_owned()], String::new()));
    }

    #[test]
    fn an_older_file_is_told_and_its_rules_do_not_count() {
        let world = World::new(&["a"]);
        let path = world.at("a");
        world.write(&format!("{path:?} = [\"Gone(x)\", 3, \"Read\"]\n\"/b\" = [\"Read\"]\n"));
        assert_eq!(world.texts("a"), NONE);
        assert!(
            world.note("a").starts_with("ignored: Read (an earlier version saved them"),
            "{}",
            world.note("a")
        );
        world.add("a", &["Bash(c)"]);
        assert_eq!((world.texts("a"), world.note("a")), (vec!["Bash(c)".to_owned()], String::new()));
        assert!(fs::read_to_string(world.file()).unwrap().contains("\"/b\" = [\"Read\"]"));
        world.write(&format!("{path:?} = []"));
        assert_eq!(world.granted("a"), Granted::default(), "nothing to tell");
    }

    #[test]
    fn a_rule_is_taken_back_and_what_others_kept_meanwhile_stays() {
        let world = World::new(&["a", "b", "c"]);
        world.add("a", &["Bash(a)", "Bash(b)"]);
        assert!(world.granted("a").rules.iter().all(|rule| rule.from() == RuleFrom::Grant));
        world.add("b", &["Bash(a)", "Bash(b)"]);
        world.remove("a", "Bash(a)");
        assert_eq!((world.texts("a"), world.texts("b").len()), (vec!["Bash(b)".to_owned()], 2));
        world.remove("a", "Bash(b)");
        world.remove("a", "Bash(b)");
        world.remove("c", "Bash(b)");
        let text = fs::read_to_string(world.file()).unwrap();
        let is_there = |name| text.contains(&format!("{:?}", world.at(name)));
        assert!(!is_there("a") && is_there("b"), "{text}");
    }

    #[test]
    fn what_has_another_shape_is_no_grant_and_is_put_right() {
        let world = World::new(&["a"]);
        let (path, directory) = (world.at("a"), identity(&world.at("a")).unwrap());
        for text in [
            format!("{path:?} = 1"),
            format!("[{path:?}]\nrules = [\"Read\"]"),
            format!("[{path:?}]\ndirectory = 7\nrules = [\"Read\"]"),
            format!("[{path:?}]\ndirectory = \"{directory}\"\nrules = 1"),
            format!("[{path:?}]\ndirectory = \"{directory}\""),
        ] {
            world.write(&text);
            assert_eq!(world.texts("a"), NONE, "{text}");
            world.add("a", &["Bash(c)"]);
            assert_eq!(world.texts("a"), ["Bash(c)"], "{text}");
        }
        world.write(&format!("[{path:?}]\ndirectory = \"{directory}\"\nrules = [\"Gone(x)\", 3, \"Read\"]"));
        assert_eq!(world.texts("a"), ["Read"]);
    }
}
