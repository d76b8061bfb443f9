//! The paths that a pattern of the shell meets: for rules and guards that hold commands back.
//!
//! Not the spreading by which a line is let through (`known::glob`), which gives up where it is not sure. Here what can be seen
//! is added to the pattern itself. How a directory is looked into is handed in.

use std::ffi::OsString;
use std::fmt;
use std::path::{Component, Path, PathBuf};

use crate::text::glob::GitGlob;

/// Paths of one pattern; what stands beyond is not looked at.
const MOST: usize = 1000;

/// How the names in a directory are found: handed in, as no file is looked at here. By itself it finds none.
#[derive(Clone, Copy)]
pub struct Names(fn(&Path) -> Option<Vec<OsString>>);

impl Names {
    /// `list` takes an absolute path and gives the names in that directory, those of directories with `/` at their end; none
    /// where they cannot be read.
    pub fn new(list: fn(&Path) -> Option<Vec<OsString>>) -> Self {
        Self(list)
    }

    /// The path itself, and where parts of it are patterns, all that these meet.
    pub(super) fn met(self, path: PathBuf) -> Vec<PathBuf> {
        let mut found = if is_pattern(&path) { self.spread(&path) } else { Vec::new() };
        found.retain(|other| *other != path);
        found.push(path);
        found
    }

    /// What lies in a directory.
    pub(super) fn within(self, directory: &Path) -> Vec<PathBuf> {
        let names = (self.0)(directory).unwrap_or_default();
        let plain = |name: OsString| name.to_str().map(|name| directory.join(name.trim_end_matches('/')));
        names.into_iter().filter_map(plain).take(MOST).collect()
    }

    fn spread(self, path: &Path) -> Vec<PathBuf> {
        let mut found = vec![PathBuf::new()];
        for part in path.components() {
            let name = part.as_os_str().to_str().filter(|_| is_pattern(Path::new(part.as_os_str())));
            let glob = name.and_then(|name| Some((name, GitGlob::new(name).ok()?)));
            match (part, glob) {
                (Component::Normal(_), Some((pattern, glob))) => {
                    let met = |directory: &PathBuf| self.meet(directory, pattern, &glob);
                    found = found.iter().flat_map(met).take(MOST).collect();
                }
                _ => found.iter_mut().for_each(|path| path.push(part)),
            }
        }
        found
    }

    fn meet(self, directory: &Path, pattern: &str, glob: &GitGlob) -> Vec<PathBuf> {
        let names = (self.0)(directory).unwrap_or_default();
        let plain = |name: &OsString| name.to_str().map(|name| name.trim_end_matches('/').to_owned());
        // as in a shell, a name that begins with a dot is met by a dot alone
        let is_met = |name: &String| {
            (!name.starts_with('.') || pattern.starts_with(['.', '['])) && glob.matches_itself(name, true)
        };
        names.iter().filter_map(plain).filter(is_met).map(|name| directory.join(name)).collect()
    }
}

fn is_pattern(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().iter().any(|byte| b"*?[".contains(byte))
}

impl Default for Names {
    fn default() -> Self {
        Self(|_| None)
    }
}

/// Two scopes differ by what they hold, not by how they look.
impl PartialEq for Names {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Names {}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Names")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(directory: &Path) -> Option<Vec<OsString>> {
        let names: &[&str] = match directory.to_str()? {
            "/w" => &["src/", "srv/", ".env", "a.rs", "b.rs"],
            "/w/src" | "/w/srv" => &["x"],
            _ => return None,
        };
        Some(names.iter().map(OsString::from).collect())
    }

    #[test]
    fn a_pattern_meets_what_is_there_and_stands_for_itself_as_well() {
        let check = |path: &str, expected: &str| {
            let met = Names::new(list).met(PathBuf::from(path));
            let met: Vec<String> = met.iter().map(|path| path.display().to_string()).collect();
            assert_eq!(met.join(" "), expected, "{path}");
        };
        check("/w/a.rs", "/w/a.rs");
        check("/w/*.rs", "/w/a.rs /w/b.rs /w/*.rs");
        check("/w/.e*", "/w/.env /w/.e*");
        check("/w/.[e]nv", "/w/.env /w/.[e]nv");
        check("/w/?env", "/w/?env");
        check("/w/s*/x", "/w/src/x /w/srv/x /w/s*/x");
        check("/none/*", "/none/*");
        check("/w/[", "/w/[");
    }
}
