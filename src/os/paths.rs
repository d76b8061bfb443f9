//! Where the program's own files are, and what a path means.
//!
//! Two halves: [`Paths`] names every file under `CLAWD_HOME` (or the two directories of the system), and
//! three functions answer what the user's or the model's path text stands for: [`absolute`] by words
//! alone, [`resolve`] by the links on disk.
//!
//! The surprise: [`resolve`] works for paths that do not exist, and follows a link whose target does not
//! exist. A rule must judge where a write would land, and `canonicalize` gives up exactly there.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

use super::env::Env;

/// Linux gives up at 40 links too.
const MAX_LINKS: usize = 40;

/// A project's readable name in `sessions/`: long enough to tell two checkouts apart, short in a listing.
const MAX_SLUG: usize = 40;

/// The two roots of the program's own files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    config: PathBuf,
    data: PathBuf,
}

/// Nowhere to keep anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "cannot find a directory for configuration and sessions: HOME is not set (try CLAWD_HOME=/some/directory)"
)]
pub struct NoHome;

impl Paths {
    /// `CLAWD_HOME` for both, else the system's config and data directories with `clawd` under each.
    pub fn find(env: &Env) -> Result<Self, NoHome> {
        if let Some(home) = env.path("CLAWD_HOME") {
            return Ok(Self::under(absolute(env.cwd().unwrap_or(Path::new("/")), home)));
        }
        let (config, data) = dirs::config_dir().zip(dirs::data_dir()).ok_or(NoHome)?;
        Ok(Self { config: config.join("clawd"), data: data.join("clawd") })
    }

    /// Everything under one directory.
    pub fn under(home: impl Into<PathBuf>) -> Self {
        let home = home.into();
        Self { config: home.clone(), data: home }
    }

    /// Where the configuration is, and what the user has written for the program.
    pub fn config(&self) -> &Path {
        &self.config
    }

    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// Where the user's own themes are.
    pub fn themes(&self) -> PathBuf {
        self.config.join("themes")
    }

    pub fn agents_md(&self) -> PathBuf {
        self.config.join("AGENTS.md")
    }

    pub fn credentials(&self) -> PathBuf {
        self.config.join("credentials.toml")
    }

    pub fn trust(&self) -> PathBuf {
        self.data.join("trust.toml")
    }

    pub fn grants(&self) -> PathBuf {
        self.data.join("grants.toml")
    }

    pub fn history(&self) -> PathBuf {
        self.data.join("history.jsonl")
    }

    /// Where sessions, logs and the like are.
    pub fn data(&self) -> &Path {
        &self.data
    }

    pub fn logs(&self) -> PathBuf {
        self.data.join("logs")
    }

    /// The sessions of all projects.
    pub fn sessions(&self) -> PathBuf {
        self.data.join("sessions")
    }

    /// The sessions of one project, `sessions/<slug>-<hash>`: the same for every way to write its path.
    pub fn sessions_dir(&self, project: &Path) -> PathBuf {
        let project = resolve(project).unwrap_or_else(|_| project.to_owned());
        self.sessions().join(project_name(&project))
    }
}

/// A readable slug of the path's end and eight hex digits of its hash.
fn project_name(project: &Path) -> String {
    let text = project.to_string_lossy();
    let words: Vec<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let slug = words.join("-");
    let start = slug.len().saturating_sub(MAX_SLUG);
    let slug = slug.get(start..).unwrap_or_default().trim_start_matches('-');
    let hash = hex(&Sha256::digest(project.as_os_str().as_encoded_bytes()));
    let hash = hash.get(..8).unwrap_or_default();
    if slug.is_empty() { format!("root-{hash}") } else { format!("{slug}-{hash}") }
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Makes the directory and those above it; the directory itself ends with mode 0700.
///
/// A looser mode is mended, but never that of a directory with the sticky bit (`/tmp`). A directory of
/// another user is an error, except for root.
pub fn private_dir(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let meta = fs::metadata(path)?;
    check_owner(&meta)?;
    let mode = meta.mode();
    if mode & 0o077 != 0 && mode & 0o1000 == 0 {
        fs::set_permissions(path, Permissions::from_mode(0o700))?;
    }
    Ok(())
}

/// How a private file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// Must exist.
    Read,
    /// Made if absent; every write goes to the end. May be read too.
    Append,
    /// Must not exist.
    CreateNew,
    /// Made if absent, emptied if not.
    Truncate,
}

/// Opens a file of the program's own with mode 0600, not through a link; a looser mode is mended.
pub fn private_file(path: &Path, how: Open) -> io::Result<File> {
    let mut options = OpenOptions::new();
    match how {
        Open::Read => options.read(true),
        Open::Append => options.read(true).append(true).create(true),
        Open::CreateNew => options.write(true).create_new(true),
        Open::Truncate => options.write(true).create(true).truncate(true),
    };
    // NONBLOCK: a FIFO planted under the name must not hang the program
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = options.mode(0o600).custom_flags(flags.bits().cast_signed()).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    check_owner(&meta)?;
    if meta.mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

fn check_owner(meta: &fs::Metadata) -> io::Result<()> {
    let me = rustix::process::geteuid();
    if meta.uid() == me.as_raw() || me.is_root() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user"))
}

/// `~` and `~/…` lead to the home directory, where there is one; anything else stays as it is typed. By words alone, for no
/// shell has seen to it.
pub fn led_home(typed: &Path, home: Option<&Path>) -> PathBuf {
    let below = typed.strip_prefix("~").ok().zip(home);
    below.map_or_else(|| typed.to_owned(), |(below, home)| home.join(below).components().collect())
}

/// The directories that the paths of a call are relative to.
#[derive(Clone, Copy, Debug)]
pub struct PathBase<'a> {
    /// The working directory.
    pub cwd: &'a Path,
    /// The directory in which the next command runs.
    pub shell_cwd: &'a Path,
    /// The home directory, if it is known.
    pub home: Option<&'a Path>,
}

impl<'a> From<&'a Path> for PathBase<'a> {
    /// Without a home directory.
    fn from(cwd: &'a Path) -> Self {
        Self { cwd, shell_cwd: cwd, home: None }
    }
}

/// The path from `cwd`, without `.` and `..`, by words alone: nothing is read, no link is followed.
pub fn absolute(cwd: &Path, path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for component in cwd.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => clean.push(component),
        }
    }
    clean
}

/// Where an absolute path leads: every link followed, also where the end does not exist.
///
/// Fails only with a loop of links, or with a relative path.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    if !path.is_absolute() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path is not absolute"));
    }
    let mut rest: VecDeque<OsString> = parts(path).collect();
    let mut found = PathBuf::from("/");
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            found.pop();
            continue;
        }
        found.push(&part);
        // not a link, not there, not readable: all mean "take the name as it is"
        let Ok(target) = fs::read_link(&found) else { continue };
        links += 1;
        if links > MAX_LINKS {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "too many links"));
        }
        found.pop();
        if target.is_absolute() {
            found = PathBuf::from("/");
        }
        for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
            rest.push_front(part);
        }
    }
    Ok(found)
}

/// Names and `..`, without the root and `.`.
fn parts(path: &Path) -> impl Iterator<Item = OsString> {
    path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn a_tilde_leads_home_where_it_stands_alone_in_front() {
        let check = |typed: &str, expected: &str| {
            let led = led_home(Path::new(typed), Some(Path::new("/home/u")));
            assert_eq!(led.as_os_str(), expected, "{typed}");
        };
        check("~", "/home/u");
        check("~/", "/home/u");
        check("~/a/../b", "/home/u/a/../b");
        for other in ["~ann/x", "a/~", "./~", "/~", "", "~~"] {
            check(other, other);
        }
        assert_eq!(led_home(Path::new("~/a"), None), Path::new("~/a"));
    }

    #[test]
    fn clawd_home_is_both_roots() {
        let paths = Paths::find(&Env::from_pairs([("CLAWD_HOME", "/x/../y")])).unwrap();
        assert_eq!((paths.config_file(), paths.trust()), ("/y/config.toml".into(), "/y/trust.toml".into()));
        let paths = Paths::find(&Env::from_pairs([("CLAWD_HOME", "state")]).in_dir("/w")).unwrap();
        assert_eq!(paths.history(), Path::new("/w/state/history.jsonl"));
    }

    #[test]
    fn an_empty_clawd_home_counts_as_not_set() {
        let paths = Paths::find(&Env::from_pairs([("CLAWD_HOME", "")]));
        assert!(paths.map_or(true, |paths| paths.config.ends_with("clawd") && paths.data.ends_with("clawd")));
    }

    #[test]
    fn a_project_has_a_readable_name_that_is_its_own() {
        let name = |path: &str| project_name(Path::new(path));
        assert!(name("/home/ann/My App").starts_with("home-ann-My-App-"));
        assert_ne!(name("/a-b"), name("/a/b"));
        assert!(name("/").starts_with("root-"));
        let long = name(&format!("/home/{}/end", "deep/".repeat(40)));
        assert!(long.len() <= MAX_SLUG + 9 && long.contains("-deep-end-"), "{long}");
        assert!(name("/日本").starts_with("root-") && name("/日本") != name("/中国"));
    }

    #[test]
    fn every_way_to_write_a_project_finds_the_same_sessions() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("real")).unwrap();
        symlink("real", dir.path().join("link")).unwrap();
        let paths = Paths::under("/state");
        assert_eq!(
            paths.sessions_dir(&dir.path().join("link/.")),
            paths.sessions_dir(&dir.path().join("real/x/.."))
        );
    }

    #[test]
    fn a_private_dir_is_made_and_mended() {
        let dir = tempfile::tempdir().unwrap();
        let state = dir.path().join("a/b");
        private_dir(&state).unwrap();
        assert_eq!((mode(&state), mode(&dir.path().join("a"))), (0o700, 0o700));
        fs::set_permissions(&state, Permissions::from_mode(0o777)).unwrap();
        private_dir(&state).unwrap();
        assert_eq!(mode(&state), 0o700);
        fs::set_permissions(&state, Permissions::from_mode(0o1777)).unwrap();
        private_dir(&state).unwrap();
        assert_eq!(mode(&state), 0o1777);
    }

    #[test]
    fn a_private_file_is_0600_and_never_a_link_or_a_fifo() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        private_file(&file, Open::CreateNew).unwrap();
        assert_eq!(mode(&file), 0o600);
        assert!(private_file(&file, Open::CreateNew).is_err());
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        private_file(&file, Open::Append).unwrap();
        assert_eq!(mode(&file), 0o600);
        symlink(&file, dir.path().join("link")).unwrap();
        assert!(private_file(&dir.path().join("link"), Open::Read).is_err());
        assert!(private_file(dir.path(), Open::Read).is_err());
        let fifo = dir.path().join("fifo");
        rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RWXU).unwrap();
        assert!(private_file(&fifo, Open::Read).is_err());
    }

    #[test]
    fn absolute_paths_are_a_matter_of_words() {
        let check = |path: &str, expected: &str| {
            assert_eq!(absolute(Path::new("/w/d"), Path::new(path)), Path::new(expected), "{path}");
        };
        check("a/./b", "/w/d/a/b");
        check("../x", "/w/x");
        check("../../../..", "/");
        check("/etc//x/../y/", "/etc/y");
        check("", "/w/d");
    }

    #[test]
    fn a_path_leads_where_a_write_would_land() {
        let dir = tempfile::tempdir().unwrap();
        let root = resolve(dir.path()).unwrap();
        fs::create_dir_all(root.join("in/sub")).unwrap();
        fs::create_dir(root.join("out")).unwrap();
        symlink("../out", root.join("in/away")).unwrap();
        symlink(root.join("out/absent"), root.join("in/dangling")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let check = |path: &str, expected: &str| {
            assert_eq!(resolve(&root.join(path)).unwrap(), root.join(expected), "{path}");
        };
        check("in/new/file", "in/new/file");
        check("in/away/file", "out/file");
        check("in/away/../x", "x");
        check("in/dangling", "out/absent");
        check("in/none/../away/y", "out/y");
        check("in/sub/./../sub", "in/sub");
        assert!(resolve(&root.join("loop/x")).is_err());
        assert!(resolve(Path::new("relative")).is_err());
    }
}
