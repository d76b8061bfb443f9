//! `trust.toml`: the directories that are trusted, and the things in them as they were then.
//!
//! A yes is found again by path, by what tells the directory from another at that path ([`identity`]), and by the mark of each
//! thing. An older form kept paths alone (`trusted = [...]`): such a yes still stands for plain text, and everything else is
//! asked about once. The surprise: a file that somebody else could have written is an error, and then nothing is trusted.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use crate::config::{ConfigError, read_guarded_table, write_private};
use crate::project::{Scan, identity};

use super::{Before, Ground, Trusted, is_kept};

/// The table of the directories, and the list of the older form.
const PROJECTS: &str = "projects";
const OLDER: &str = "trusted";
/// When the yes was said.
const DAY: &str = "since";
/// What tells a directory from another at its path.
pub(super) const DIRECTORY: &str = "directory";

/// What is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Record {
    projects: BTreeMap<PathBuf, Kept>,
    older: BTreeSet<PathBuf>,
}

/// What is kept of a yes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Kept {
    directory: Option<String>,
    day: Option<String>,
    marks: BTreeMap<String, String>,
}

impl Record {
    /// What is known of this very directory.
    pub fn before(&self, scan: &Scan) -> Before {
        let root = scan.root.clone();
        match self.projects.get(&root) {
            Some(kept) if kept.directory.is_some() && kept.directory == identity(&root) => {
                Before::Yes(Trusted {
                    root,
                    marks: kept.marks.clone(),
                    ground: Ground::Kept(kept.day.clone()),
                })
            }
            Some(_) => Before::Another,
            None if self.older.contains(&root) => {
                Before::Yes(Trusted { root, marks: BTreeMap::new(), ground: Ground::Kept(None) })
            }
            None => Before::Nothing,
        }
    }
}

/// Reads `trust.toml`; nothing is trusted where there is none.
pub fn read_record(path: &Path) -> Result<Record, ConfigError> {
    let table = read_guarded_table(path)?;
    let projects = table.get(PROJECTS).and_then(Value::as_table).into_iter().flatten();
    let older = table.get(OLDER).and_then(Value::as_array).into_iter().flatten();
    Ok(Record {
        projects: projects.filter_map(|(path, value)| Some((path.into(), kept(value.as_table()?)))).collect(),
        older: older.filter_map(Value::as_str).map(PathBuf::from).collect(),
    })
}

fn kept(table: &Table) -> Kept {
    let marks = table.get("items").and_then(Value::as_table).into_iter().flatten();
    let marks = marks.filter_map(|(name, mark)| Some((name.clone(), mark.as_str()?.to_owned())));
    Kept {
        directory: table.get(DIRECTORY).and_then(Value::as_str).map(str::to_owned),
        day: table.get(DAY).and_then(Value::as_str).map(str::to_owned),
        marks: marks.collect(),
    }
}

/// Keeps the user's yes of this day (`2026-01-31`) to all that was found in `trust.toml`, in the place of an earlier one.
pub fn remember(path: &Path, scan: &Scan, day: &str) -> Result<(), ConfigError> {
    let mut table = read_guarded_table(path)?;
    let name = key(&scan.root)?.to_owned();
    let kept = scan.brings.items.iter().filter(|item| is_kept(item));
    let marks = kept.map(|item| (item.name(), item.mark().to_owned())).collect();
    if let Some(older) = table.get_mut(OLDER).and_then(Value::as_array_mut) {
        older.retain(|path| path.as_str() != Some(&name));
    }
    let projects = table.entry(PROJECTS).or_insert_with(|| Value::Table(Table::new()));
    if !projects.is_table() {
        *projects = Value::Table(Table::new());
    }
    if let Some(projects) = projects.as_table_mut() {
        projects.insert(name, Value::Table(entry(&scan.root, marks, day)));
    }
    write_private(path, table.to_string().as_bytes())
}

fn entry(root: &Path, marks: BTreeMap<String, String>, day: &str) -> Table {
    let mut entry = Table::new();
    entry.insert(DAY.to_owned(), Value::String(day.to_owned()));
    if let Some(identity) = identity(root) {
        entry.insert(DIRECTORY.to_owned(), Value::String(identity));
    }
    let marks = marks.into_iter().map(|(name, mark)| (name, Value::String(mark)));
    entry.insert("items".to_owned(), Value::Table(marks.collect()));
    entry
}

/// A directory as TOML can keep it. One that is not UTF-8 cannot be told from others and is never kept.
pub(super) fn key(directory: &Path) -> Result<&str, ConfigError> {
    directory.to_str().ok_or_else(|| ConfigError::Private {
        path: directory.to_owned(),
        source: io::Error::new(
            io::ErrorKind::InvalidInput,
            "its name is not UTF-8, so the decision applies to this run only",
        ),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_that_somebody_else_could_have_written_trusts_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("trust.toml");
        assert_eq!(read_record(&path).unwrap(), Record::default());
        fs::write(&path, "trusted = [\"/a\"]").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(read_record(&path).unwrap_err().to_string().contains("others can write it"));
        let scan = Scan { root: dir.path().to_owned(), ..Scan::default() };
        assert!(remember(&path, &scan, "").is_err(), "what it says is not written on");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(read_record(&path).unwrap().older.len(), 1);
    }

    #[test]
    fn what_has_another_shape_trusts_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("trust.toml");
        for text in ["projects = 3\ntrusted = 'x'", "[projects]\n'/a' = 1", "[[projects]]\nx = 1"] {
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            assert_eq!(read_record(&path).unwrap(), Record::default(), "{text}");
            let scan = Scan { root: dir.path().to_owned(), ..Scan::default() };
            remember(&path, &scan, "").unwrap();
            assert_eq!(read_record(&path).unwrap().projects.len(), 1, "{text}");
        }
        // without what tells directories apart a path alone is no yes
        let root = dir.path().to_str().unwrap();
        fs::write(&path, format!("[projects.{root:?}]\nitems = {{}}")).unwrap();
        let scan = Scan { root: dir.path().to_owned(), ..Scan::default() };
        assert_eq!(read_record(&path).unwrap().before(&scan), Before::Another);
    }

    #[test]
    fn a_yes_says_since_when_where_that_was_kept() {
        let dir = tempfile::tempdir().unwrap();
        let (path, root) = (dir.path().join("trust.toml"), dir.path().join("a"));
        fs::create_dir(&root).unwrap();
        let scan = Scan { root: root.clone(), ..Scan::default() };
        let ground = || match read_record(&path).unwrap().before(&scan) {
            Before::Yes(yes) => yes.ground().clone(),
            other => panic!("{other:?}"),
        };
        remember(&path, &scan, "2026-01-31").unwrap();
        assert_eq!(ground(), Ground::Kept(Some("2026-01-31".to_owned())));
        remember(&path, &scan, "2026-02-01").unwrap();
        assert_eq!(ground(), Ground::Kept(Some("2026-02-01".to_owned())));
        let without = fs::read_to_string(&path).unwrap().replace("since", "other");
        fs::write(&path, without).unwrap();
        assert_eq!(ground(), Ground::Kept(None));
        fs::write(&path, format!("trusted = [{root:?}]")).unwrap();
        assert_eq!(ground(), Ground::Kept(None));
    }

    #[test]
    fn a_name_that_is_not_utf8_is_never_kept() {
        use std::os::unix::ffi::OsStrExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("trust.toml");
        let root = PathBuf::from(std::ffi::OsStr::from_bytes(b"/a\xff"));
        assert!(remember(&path, &Scan { root, ..Scan::default() }, "").is_err());
        assert!(!path.exists());
    }
}
