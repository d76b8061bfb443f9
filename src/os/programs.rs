//! Which program a name stands for, and whether somebody else may have put it there.
//!
//! The first file of that name in the directories counts, as it would to a shell; where that one is not to be trusted,
//! none further down is taken for it. Trusted is what belongs to the user or to root, link by link, and can be
//! written by nobody else. The mode bits are read, for root is let through everywhere by the system itself. The
//! surprise: doors are not programs. What version managers put into a `shims` directory looks in the project for what it
//! runs, and so does anything that a package manager put into `node_modules`.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Directories whose programs look at the project first.
const DOORS: [&str; 3] = ["shims", "node_modules", ".volta"];

/// Version managers whose shims start what a file of one known name says, and the user's choice where there is none.
const SHIM_MANAGERS: [&str; 6] = ["pyenv", "rbenv", "nodenv", "goenv", "plenv", "asdf"];

/// Writable by all.
const BY_ALL: u32 = 0o002;
/// Writable by a group or by all.
const BY_OTHERS: u32 = 0o022;
/// In such a directory nobody replaces what is another's.
const STICKY: u32 = 0o1000;

/// The program of this name in these directories, as an absolute path; none where another user may have put it there.
pub fn program(name: &str, directories: &[PathBuf]) -> Option<PathBuf> {
    first(name, directories).filter(|path| !parts(path).any(|part| DOORS.iter().any(|door| part == *door)))
}

/// The same where that program is a version manager's shim.
pub fn shim(name: &str, directories: &[PathBuf]) -> Option<PathBuf> {
    let path = first(name, directories)?;
    let manager = path.parent().filter(|shims| shims.ends_with("shims"))?.parent()?.file_name()?.to_str()?;
    let is_known = SHIM_MANAGERS.contains(&manager.trim_start_matches('.'));
    (is_known
        && parts(&path).filter(|part| DOORS.iter().any(|door| part == *door)).all(|part| part == "shims"))
    .then_some(path)
}

/// A path at which there is nothing, for a program of which there is none in any of these directories.
pub fn missing(name: &str, directories: &[PathBuf]) -> Option<PathBuf> {
    let is_name = !name.is_empty() && !name.contains('/');
    let is_gone =
        |path: PathBuf| fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound);
    let is_nowhere = is_name && directories.iter().all(|at| at.is_absolute() && is_gone(at.join(name)));
    let is_kept = |at: &&PathBuf| at.ancestors().all(|at| fs::metadata(at).is_ok_and(|meta| is_kept(&meta)));
    directories.iter().filter(|_| is_nowhere).find(is_kept).map(|at| at.join(name))
}

/// The first program of this name, where it is to be trusted.
fn first(name: &str, directories: &[PathBuf]) -> Option<PathBuf> {
    if name.is_empty() || name.contains('/') {
        return None;
    }
    for directory in directories {
        // looked up where the shell happens to be
        if !directory.is_absolute() {
            return None;
        }
        let path = directory.join(name);
        if fs::metadata(&path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0) {
            return is_trusted(&path).then_some(path);
        }
    }
    None
}

fn is_trusted(path: &Path) -> bool {
    let Ok(real) = path.canonicalize() else { return false };
    let places = path.ancestors().skip(1).chain(real.ancestors().skip(1));
    let file = fs::metadata(&real).is_ok_and(|meta| is_ours(&meta) && meta.mode() & BY_OTHERS == 0);
    let mut all = places.map(fs::metadata);
    file && all.all(|meta| meta.is_ok_and(|meta| is_kept(&meta)))
}

/// The names in a path, and in the one to which its links lead.
fn parts(path: &Path) -> impl Iterator<Item = OsString> {
    let real = path.canonicalize().unwrap_or_default();
    let names = |path: &Path| path.components().map(|part| part.as_os_str().to_owned()).collect::<Vec<_>>();
    names(path).into_iter().chain(names(&real))
}

/// A directory in which nobody else replaces what is there.
fn is_kept(meta: &Metadata) -> bool {
    is_ours(meta) && (meta.mode() & BY_ALL == 0 || meta.mode() & STICKY != 0)
}

fn is_ours(meta: &Metadata) -> bool {
    meta.uid() == 0 || meta.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A directory with a program `tool` in `bin`.
    fn place() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let bin = directory.path().canonicalize().unwrap().join("bin");
        fs::create_dir(&bin).unwrap();
        put(&bin.join("tool"), 0o755);
        (directory, bin)
    }

    fn put(path: &Path, mode: u32) {
        fs::write(path, "").unwrap();
        set(path, mode);
    }

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_program_is_the_first_of_its_name() {
        let (_directory, bin) = place();
        let other = bin.with_file_name("other");
        fs::create_dir(&other).unwrap();
        put(&other.join("tool"), 0o755);
        put(&other.join("note"), 0o644);
        let path = [other.clone(), bin.clone()];
        assert_eq!(program("tool", &path), Some(other.join("tool")));
        set(&other.join("tool"), 0o644);
        assert_eq!(program("tool", &path), Some(bin.join("tool")), "what cannot run is passed over");
        for name in ["note", "none", "", "../bin/tool", "bin/tool"] {
            assert_eq!(program(name, &path), None, "{name}");
        }
        fs::create_dir(other.join("none")).unwrap();
        assert_eq!(program("none", &path), None, "a directory is no program");
        assert_eq!(
            program("tool", &[PathBuf::from("bin"), bin]),
            None,
            "no program is looked for in the workspace"
        );
    }

    #[test]
    fn a_shim_is_known_by_its_manager_and_is_no_program() {
        let (_directory, bin) = place();
        for (below, expected) in [
            (".pyenv/shims", true),
            ("rbenv/shims", true),
            ("mise/shims", false),
            ("node_modules/.bin", false),
        ] {
            let at = bin.join(below);
            fs::create_dir_all(&at).unwrap();
            put(&at.join("python3"), 0o755);
            let path = [at.clone(), bin.clone()];
            assert_eq!(program("python3", &path), None, "{below}");
            assert_eq!(shim("python3", &path), expected.then(|| at.join("python3")), "{below}");
            set(&at.join("python3"), 0o777);
            assert_eq!(shim("python3", &path), None, "{below}");
        }
        assert_eq!(shim("tool", &[bin]), None);
    }

    #[test]
    fn a_missing_program_has_a_path_at_which_nothing_is() {
        let (_directory, bin) = place();
        let other = bin.with_file_name("other");
        fs::create_dir(&other).unwrap();
        let path = [bin.clone(), other.clone()];
        assert_eq!(missing("none", &path), Some(bin.join("none")));
        put(&other.join("none"), 0o644);
        for name in ["tool", "none", "", "../none", "bin/none"] {
            assert_eq!(missing(name, &path), None, "{name}");
        }
        assert_eq!(missing("gone", &[bin.clone(), PathBuf::from("other")]), None);
        set(&bin, 0o777);
        assert_eq!(missing("gone", &path), Some(other.join("gone")));
        assert_eq!(missing("gone", &[bin]), None);
    }

    #[test]
    fn what_others_may_write_is_not_trusted_and_hides_what_comes_after() {
        let (_directory, bin) = place();
        let tool = bin.join("tool");
        let found = || program("tool", std::slice::from_ref(&bin)).is_some();
        for (mode, expected) in [(0o755, true), (0o700, true), (0o775, false), (0o757, false), (0o777, false)]
        {
            set(&tool, mode);
            assert_eq!(found(), expected, "{mode:o}");
        }
        set(&tool, 0o755);
        for (mode, expected) in [(0o755, true), (0o775, true), (0o777, false), (0o1777, true)] {
            set(&bin, mode);
            assert_eq!(found(), expected, "directory {mode:o}");
        }
        set(&bin, 0o777);
        let (_second, good) = place();
        assert_eq!(program("tool", &[bin, good]), None);
    }

    #[test]
    fn a_link_is_trusted_as_what_it_leads_to() {
        let (_directory, bin) = place();
        let links = bin.with_file_name("links");
        fs::create_dir(&links).unwrap();
        symlink("../bin/tool", links.join("tool")).unwrap();
        symlink("nowhere", links.join("gone")).unwrap();
        let path = [links.clone()];
        assert_eq!(program("tool", &path), Some(links.join("tool")));
        assert_eq!(program("gone", &path), None);
        set(&bin.join("tool"), 0o777);
        assert_eq!(program("tool", &path), None);
    }

    #[test]
    fn a_door_is_not_a_program() {
        for door in DOORS {
            let (_directory, bin) = place();
            let behind = bin.join(door).join("bin");
            fs::create_dir_all(&behind).unwrap();
            put(&behind.join("tool"), 0o755);
            assert_eq!(program("tool", &[behind]), None, "{door}");
        }
    }

    #[test]
    fn the_systems_own_programs_are_trusted() {
        let path = ["/usr/bin", "/bin"].map(PathBuf::from);
        assert!(program("cat", &path).is_some_and(|cat| cat.ends_with("cat")));
    }

    #[test]
    fn what_belongs_to_another_user_is_not_trusted() {
        // only root can give a file away
        if rustix::process::geteuid().is_root() {
            let (_directory, bin) = place();
            std::os::unix::fs::chown(bin.join("tool"), Some(65534), None).unwrap();
            assert_eq!(program("tool", &[bin]), None);
        }
    }
}
