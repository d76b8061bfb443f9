//! Repositories within a work tree that its index names, as a submodule is named: `git status` of the whole looks into them and
//! obeys their configuration.
//!
//! A command can make such a repository and name it, and the user's next `git status` would run what its configuration says.
//! So what a command has newly named, or changed in one that was named, is looked at when it has ended: where it would run
//! something, its `.git` is moved away. The surprise: a configuration is judged by the keys that are known to run nothing,
//! for git has new ones that do with every release.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::super::git::{common, directory_of, text};
use crate::os::file::read_regular;
use crate::text::git_config::{Entry, Form, GitConfig, PLAIN_CORE_KEYS};

/// The mode of such an entry of an index.
const LINK: u32 = 0o160_000;
/// A repository's own index may name others; as many are looked at in all.
const MOST: usize = 1_000;
/// An index of a million files has about 100 MB.
const MOST_BYTES: u64 = 256 * 1024 * 1024;
/// A tick of the kernel's clock, at its slowest.
const TICK: Duration = Duration::from_millis(20);
/// How the new name ends.
const MOVED: &str = ".moved-by-clawd";

/// Keys that run nothing, by section.
const HARMLESS: [(&str, &[&str]); 8] = [
    ("core", &PLAIN_CORE_KEYS),
    ("core", &["worktree"]),
    ("remote", &["url", "pushurl", "fetch", "tagopt", "prune"]),
    ("branch", &["remote", "merge", "rebase", "description"]),
    ("submodule", &["url", "active", "branch"]),
    ("user", &["name", "email"]),
    ("init", &["defaultbranch"]),
    ("pull", &["rebase", "ff"]),
];

/// What the index named before a command.
pub(super) struct Links {
    since: SystemTime,
    known: BTreeSet<PathBuf>,
}

impl Links {
    pub(super) fn of(root: &Path) -> Self {
        let since = SystemTime::now().checked_sub(TICK).unwrap_or(UNIX_EPOCH);
        Self { since, known: links(root).into_iter().collect() }
    }

    /// Moves away what would run something now; gives the new paths.
    pub(super) fn defuse(&self, root: &Path) -> Vec<PathBuf> {
        let (mut left, mut moved) = (links(root), Vec::new());
        for _ in 0..MOST {
            let Some(link) = left.pop() else { break };
            let Some(place) = directory_of(&link) else { continue };
            let is_new = !self.known.contains(&link) || self.has_changed(&place);
            if is_new && runs_something(&place) {
                let git = link.join(".git");
                let new = link.join(format!(".git{MOVED}.{}", std::process::id()));
                moved.extend(fs::rename(git, &new).is_ok().then_some(new));
            } else {
                left.extend(links(&link));
            }
        }
        moved
    }

    /// Whether what git obeys there was changed since.
    fn has_changed(&self, place: &Path) -> bool {
        let common = common(place);
        let obeyed = ["config", "config.worktree", "commondir", "hooks"];
        let all =
            obeyed.iter().flat_map(|name| [place.join(name), common.join(name)]).chain([place.to_owned()]);
        let is_later = |meta: fs::Metadata| {
            let seconds = Duration::from_secs(u64::try_from(meta.ctime()).unwrap_or_default());
            let changed =
                seconds + Duration::from_nanos(u64::try_from(meta.ctime_nsec()).unwrap_or_default());
            UNIX_EPOCH + changed >= self.since
        };
        all.into_iter().any(|path| fs::symlink_metadata(path).is_ok_and(is_later))
    }
}

fn runs_something(place: &Path) -> bool {
    let common = common(place);
    let config = text(&common.join("config"));
    let is_harmless = |Entry { section, key, .. }: &Entry| {
        HARMLESS.iter().any(|(name, keys)| name == section && keys.contains(&key.as_str()))
    };
    let config = config.map(|text| GitConfig::read(&text));
    let is_plain =
        config.is_some_and(|config| config.form == Form::Usual && config.entries.iter().all(is_harmless));
    let mut hooks = fs::read_dir(common.join("hooks")).into_iter().flatten().flatten();
    let is_hook = |entry: fs::DirEntry| !entry.file_name().as_bytes().ends_with(b".sample");
    !is_plain || hooks.any(is_hook)
}

/// The directories that the index of a work tree names so.
fn links(tree: &Path) -> Vec<PathBuf> {
    let index = directory_of(tree)
        .and_then(|git| read_regular(&git.join("index"), MOST_BYTES).ok())
        .unwrap_or_default();
    let needle = LINK.to_be_bytes();
    if !index.windows(needle.len()).any(|window| window == needle) {
        return Vec::new();
    }
    named(&index).unwrap_or_default().into_iter().map(|name| tree.join(OsStr::from_bytes(&name))).collect()
}

/// Of an index in git's format (gitformat-index(5)), of any version and either hash.
fn named(index: &[u8]) -> Option<Vec<Vec<u8>>> {
    [20, 32].into_iter().find_map(|hash| entries(index, hash))
}

fn entries(index: &[u8], hash: usize) -> Option<Vec<Vec<u8>>> {
    let (head, mut rest) = index.split_at_checked(12)?;
    let version = number(head.get(4..8)?)?;
    let mut found = Vec::new();
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..number(head.get(8..12)?)? {
        let mode = number(rest.get(24..28)?)?;
        let flags = rest.get(40 + hash..42 + hash)?;
        let is_extended = version > 2 && flags.first()? & 0x40 != 0;
        let fixed = 42 + hash + if is_extended { 2 } else { 0 };
        let mut at = fixed;
        if version == 4 {
            let (strip, length) = offset(rest.get(at..)?)?;
            at += length;
            name.truncate(name.len().checked_sub(strip)?);
        } else {
            name.clear();
        }
        let end = rest.get(at..)?.iter().position(|byte| *byte == 0)?;
        name.extend_from_slice(rest.get(at..at + end)?);
        let length = at + end;
        // the older versions fill an entry up to eight bytes, with one zero at least
        let whole = if version == 4 { length + 1 } else { (length + 8) & !7 };
        rest = rest.get(whole..)?;
        if mode == LINK {
            found.push(name.clone());
        }
    }
    // what follows is extensions and the hash of it all
    (rest.len() >= hash).then_some(found)
}

fn number(bytes: &[u8]) -> Option<u32> {
    bytes.try_into().ok().map(u32::from_be_bytes)
}

/// How many bytes of the name before are left out, and how many bytes say so (git's varint.c).
fn offset(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().enumerate().take(8) {
        value = if at == 0 { 0 } else { value.checked_add(1)?.checked_mul(128)? } + usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
    }
    None
}
