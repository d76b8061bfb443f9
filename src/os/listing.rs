//! The names in a directory, for whoever spreads a pattern.
//!
//! Nothing is sorted, left out or read. The surprise: a directory with very many names has no listing here, since one that
//! lacks some of them would be worse than none.

use std::ffi::OsString;
use std::fs::{self, DirEntry};
use std::io::ErrorKind;
use std::path::Path;

/// More names than anybody means by a pattern; reading them takes some 5 ms.
const MOST: usize = 10_000;

/// The names in a directory; those of directories, and of links to one, end in a slash. Empty for what is not there or
/// is no directory; `None` where the names cannot be read or are too many.
pub fn names(directory: &Path) -> Option<Vec<OsString>> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Some(Vec::new());
        }
        Err(_) => return None,
    };
    let names: Option<Vec<OsString>> =
        entries.take(MOST + 1).map(|entry| entry.ok().map(|entry| name(&entry))).collect();
    names.filter(|names| names.len() <= MOST)
}

fn name(entry: &DirEntry) -> OsString {
    let mut name = entry.file_name();
    let leads_to_directory = match entry.file_type() {
        Ok(kind) if kind.is_symlink() => fs::metadata(entry.path()).is_ok_and(|meta| meta.is_dir()),
        Ok(kind) => kind.is_dir(),
        Err(_) => false,
    };
    if leads_to_directory {
        name.push("/");
    }
    name
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_listing_has_every_name_and_says_which_are_directories() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        fs::create_dir(path.join("sub")).unwrap();
        for file in ["a", ".b"] {
            fs::write(path.join(file), "").unwrap();
        }
        symlink("sub", path.join("link")).unwrap();
        symlink("a", path.join("alias")).unwrap();
        symlink("nowhere", path.join("gone")).unwrap();
        let mut names = names(path).unwrap();
        names.sort();
        assert_eq!(names, [".b", "a", "alias", "gone", "link/", "sub/"].map(OsString::from));
    }

    #[test]
    fn what_is_no_directory_has_no_names() {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("file"), "").unwrap();
        assert_eq!(names(&directory.path().join("file")), Some(Vec::new()));
        assert_eq!(names(&directory.path().join("none/none")), Some(Vec::new()));
    }

    #[test]
    fn a_directory_with_too_many_names_has_no_listing() {
        let directory = tempfile::tempdir().unwrap();
        let first = directory.path().join("0");
        fs::write(&first, "").unwrap();
        // links cost no more than their names
        (1..MOST)
            .for_each(|number| fs::hard_link(&first, directory.path().join(number.to_string())).unwrap());
        assert_eq!(names(directory.path()).map(|names| names.len()), Some(MOST));
        fs::write(directory.path().join("one more"), "").unwrap();
        assert_eq!(names(directory.path()), None);
    }
}
