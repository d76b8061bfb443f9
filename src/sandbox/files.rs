//! Files, by Landlock: reading everywhere but in what is masked, writing only where the profile says.
//!
//! Landlock only ever allows, and what it allows of a directory it allows of all below. So what is masked is left out by
//! allowing its neighbours, up to the root: one rule where nothing is masked, some dozens for a home with secrets. It sees
//! neither modes, owners nor times, and for it there is no `.git/hooks` in a directory that may be written.
//!
//! The surprises: names in masked directories can still be listed, for a right to list `/` is one to list everything, and
//! without it `ls /` fails. And where something masked lies *within* a directory that may be written (the home as the
//! workspace), that directory itself takes no new files, only those below it do: the mask is worth more.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, RestrictSelf, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope, make_bitflags,
};
use rustix::fs::{Mode, OFlags, open};

use super::Tier;
use super::landlock_tier::own_directories;
use super::plan::{Network, Profile};

/// The newest of the kernel's interfaces whose rights are known here; an older kernel enforces those it has.
const KNOWN: ABI = ABI::V9;

/// The first interface that a tier can be made of (Linux 6.2): before, a file that may only be read could be emptied.
pub const NEEDED: u32 = 3;

/// Devices that are nobody's. Not `/dev/pts`: there the user's own terminal is, which one could write to and listen at; and no
/// disk, which has in it all that is masked.
const DEVICES: [&str; 6] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Where memory is shared under a name: without it the processes of many a runtime cannot talk to each other.
const SHARED_MEMORY: &str = "/dev/shm";

/// In a room of its own a command has terminals and a temporary directory of its own too.
const OWN: [&str; 3] = ["/dev/pts", "/tmp", "/var/tmp"];

const READ: BitFlags<AccessFs> = make_bitflags!(AccessFs::{Execute | ReadFile | ReadDir});
const DEVICE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{ReadFile | WriteFile | Truncate | IoctlDev});

/// The version of the kernel's interface, 0 without Landlock. Asked of the kernel: the file that lists security modules is
/// often not mounted.
pub fn abi() -> u32 {
    match RestrictSelf::default().no_new_privs(false).apply().map(|status| status.landlock) {
        Ok(LandlockStatus::Available { effective_abi, kernel_abi }) => {
            kernel_abi.map_or(effective_abi as u32, i32::cast_unsigned)
        }
        Ok(LandlockStatus::NotEnabled | LandlockStatus::NotImplemented) | Err(_) => 0,
    }
}

/// Restricts the calling thread, and what it starts, for good. It may then gain no privileges either.
pub fn restrict(profile: &Profile, tier: Tier) -> io::Result<()> {
    Rules::of(profile, tier).restrict()
}

/// What may be done where.
///
/// What the profile names and is not there is passed over. In a room of namespaces this is the second lock on the same
/// door: there masks are the room's own, and so is the network.
#[derive(Debug)]
pub(super) struct Rules {
    tier: Tier,
    network: Network,
    grants: Vec<Grant>,
}

impl Rules {
    /// Of a profile, as the files are now.
    pub(super) fn of(profile: &Profile, tier: Tier) -> Self {
        let grants = match tier {
            Tier::Namespaces | Tier::Bubblewrap => in_a_room(profile),
            Tier::Landlock => in_the_open(profile),
            Tier::Nothing => Vec::new(),
        };
        Self { tier, network: profile.network, grants }
    }

    /// Restricts the calling thread.
    pub(super) fn restrict(self) -> io::Result<()> {
        let Self { tier, network, grants } = self;
        if tier == Tier::Nothing {
            return Ok(());
        }
        let rules = grants.into_iter().try_fold(handled(network, tier)?, add)?;
        match (rules.restrict_self().map_err(io::Error::other)?.ruleset, tier) {
            (RulesetStatus::NotEnforced, Tier::Landlock) => {
                Err(io::Error::other("this kernel has no Landlock"))
            }
            // of a room it is the second lock only
            (
                RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced | RulesetStatus::NotEnforced,
                _,
            ) => Ok(()),
        }
    }
}

/// A path with what may be done at it and below.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Grant(PathBuf, BitFlags<AccessFs>);

/// Everything that from now on needs a rule. In a room TCP is the namespace's business, which has a loopback of its own.
fn handled(network: Network, tier: Tier) -> io::Result<RulesetCreated> {
    let files = Ruleset::default().handle_access(AccessFs::from_all(KNOWN));
    let scoped = files.and_then(|rules| rules.scope(Scope::from_all(KNOWN)));
    let rules = scoped.and_then(|rules| match (tier, network) {
        (Tier::Landlock, Network::Off) => rules.handle_access(AccessNet::from_all(KNOWN)),
        (Tier::Landlock, Network::On)
        | (Tier::Namespaces | Tier::Bubblewrap | Tier::Nothing, Network::Off | Network::On) => Ok(rules),
    });
    rules.and_then(Ruleset::create).map_err(io::Error::other)
}

fn add(rules: RulesetCreated, Grant(path, access): Grant) -> io::Result<RulesetCreated> {
    match without_links(&path) {
        Ok(file) => rules.add_rule(PathBeneath::new(file, access)).map_err(io::Error::other),
        // not there, or closed to this user anyway
        Err(_) => Ok(rules),
    }
}

/// A link would be a way to allow what it points at, perhaps something masked; what is reached through it has its own rule.
fn without_links(path: &Path) -> io::Result<OwnedFd> {
    Ok(open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?)
}

/// All that may be changed below a directory. Devices cannot be made, though only the superuser could.
fn all() -> BitFlags<AccessFs> {
    AccessFs::from_all(KNOWN) & !(AccessFs::MakeChar | AccessFs::MakeBlock)
}

/// The room shows nothing that may not be read.
fn in_a_room(profile: &Profile) -> Vec<Grant> {
    let named = profile.writable.iter().chain(&profile.caches).cloned();
    let writable = named.chain(OWN.map(PathBuf::from)).chain([PathBuf::from(SHARED_MEMORY)]);
    let devices = DEVICES.map(|path| Grant(path.into(), DEVICE));
    writable.map(|path| Grant(path, all())).chain(devices).chain([Grant("/".into(), READ)]).collect()
}

/// The whole system is in view, so what may not be read is left out.
fn in_the_open(profile: &Profile) -> Vec<Grant> {
    // what is not there cannot be read; what is a link is masked where it leads
    let masked = profile.masked.iter().filter_map(|path| path.canonicalize().ok());
    let masked: Vec<PathBuf> = masked.chain([PathBuf::from("/dev")]).collect();
    let shared = profile.writable.first().map(|_| PathBuf::from(SHARED_MEMORY));
    let writable: Vec<PathBuf> = profile.writable.iter().cloned().chain(own_directories(profile)).collect();
    let devices = DEVICES.map(PathBuf::from);
    let closed: Vec<PathBuf> =
        profile.own.iter().filter_map(|path| path.canonicalize().ok()).chain(masked.clone()).collect();
    let changed: Vec<PathBuf> = writable.iter().flat_map(|root| all_but(&closed, root)).collect();
    let shown = profile.shown.iter().filter(|at| masked.iter().any(|masked| at.starts_with(masked))).cloned();
    let read = all_but(&masked, Path::new("/")).into_iter().chain(shown).map(|path| Grant(path, READ));
    let changed = changed.into_iter().chain(shared).map(|path| Grant(path, all()));
    let devices = devices.map(|path| Grant(path, DEVICE));
    let names = Grant("/".into(), AccessFs::ReadDir.into());
    changed.chain(read).chain(devices).chain([names]).collect()
}

/// The fewest paths that make up a directory without what is masked. A directory that lies in something masked is all there:
/// whoever named it meant it.
fn all_but(masked: &[PathBuf], directory: &Path) -> Vec<PathBuf> {
    let inside: Vec<&PathBuf> = masked.iter().filter(|path| path.starts_with(directory)).collect();
    if inside.is_empty() {
        return vec![directory.to_owned()];
    }
    if inside.iter().any(|path| path.as_path() == directory) {
        return Vec::new();
    }
    // a link needs no rule, what it leads to has its own
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let entries = entries.filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
    entries.flat_map(|entry| all_but(masked, &entry.path())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of empty files; what ends in `/` is a directory, what has ` -> ` a link.
    fn tree(names: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in names {
            let (name, target) =
                name.split_once(" -> ").map_or((*name, None), |(name, target)| (name, Some(target)));
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match target {
                Some(target) => std::os::unix::fs::symlink(root.join(target), path).unwrap(),
                None if name.ends_with('/') => fs::create_dir_all(path).unwrap(),
                None => fs::write(path, "").unwrap(),
            }
        }
        (dir, root)
    }

    fn granted(names: &[&str], masked: &[&str], directory: &str) -> Vec<String> {
        let (_dir, root) = tree(names);
        let masked: Vec<PathBuf> = masked.iter().map(|name| root.join(name)).collect();
        let found = all_but(&masked, &root.join(directory));
        let mut found: Vec<String> =
            found.iter().map(|path| path.strip_prefix(&root).unwrap().display().to_string()).collect();
        found.sort();
        found
    }

    #[test]
    fn what_is_masked_is_left_out_and_its_neighbours_are_not() {
        let home =
            ["h/.ssh/key", "h/.bashrc", "h/code/a/b", "h/.config/gh/token", "h/.config/git/x", "e/passwd"];
        for (masked, directory, expected) in [
            (vec![], "", vec![""]),
            (vec!["h/.ssh"], "e", vec!["e"]),
            (vec!["h/.ssh"], "", vec!["e", "h/.bashrc", "h/.config", "h/code"]),
            (vec!["h/.ssh", "h/.config/gh"], "h", vec!["h/.bashrc", "h/.config/git", "h/code"]),
            (vec!["h/.bashrc"], "h", vec!["h/.config", "h/.ssh", "h/code"]),
            (vec!["h/code"], "h/code", vec![]),
            (vec!["h/code"], "h/code/a", vec!["h/code/a"]),
            (vec!["h/gone"], "h", vec!["h/.bashrc", "h/.config", "h/.ssh", "h/code"]),
        ] {
            assert_eq!(granted(&home, &masked, directory), expected, "{masked:?} in `{directory}`");
        }
    }

    #[test]
    fn a_link_is_no_way_around_a_mask() {
        let names = ["h/.ssh/key", "h/keys -> h/.ssh", "h/a/"];
        assert_eq!(granted(&names, &["h/.ssh"], "h"), ["h/a"]);
        let (_dir, root) = tree(&names);
        assert!(
            rustix::fs::fstat(without_links(&root.join("h/keys")).unwrap()).unwrap().st_mode & 0o170_000
                == 0o120_000
        );
        let profile = Profile { masked: vec![root.join("h/keys")], ..Profile::read_only() };
        let grants = in_the_open(&profile);
        assert!(!grants.iter().any(|Grant(path, access)| {
            access.contains(AccessFs::ReadFile) && root.join("h/.ssh/key").starts_with(path)
        }));
    }

    #[test]
    fn a_mask_within_what_may_be_written_stays_one() {
        let (_dir, root) = tree(&["h/.ssh/key", "h/code/a"]);
        let profile = Profile { masked: vec![root.join("h/.ssh")], ..Profile::writing([root.join("h")]) };
        let over = |path: &str, right: AccessFs| {
            let path = root.join(path);
            in_the_open(&profile)
                .iter()
                .any(|Grant(at, access)| access.contains(right) && path.starts_with(at))
        };
        assert!(over("h/code/a", AccessFs::WriteFile) && over("h/code/a", AccessFs::ReadFile));
        assert!(!over("h/.ssh/key", AccessFs::ReadFile) && !over("h/.ssh/key", AccessFs::WriteFile));
        assert!(!over("h/new", AccessFs::MakeReg));
        assert!(over("h/.ssh", AccessFs::ReadDir), "names are not hidden");
    }

    #[test]
    fn disks_and_terminals_are_not_in_reach() {
        let grants = in_the_open(&Profile::read_only());
        let reach = |path: &str| {
            let reads = |grant: &&Grant| grant.1.contains(AccessFs::ReadFile);
            grants.iter().filter(reads).any(|grant| Path::new(path).starts_with(&grant.0))
        };
        for (path, expected) in [
            ("/dev/null", true),
            ("/dev/shm/x", false),
            ("/dev/sda", false),
            ("/dev/mem", false),
            ("/dev/pts/3", false),
            ("/usr/bin/true", true),
            ("/proc/1/stat", true),
        ] {
            assert_eq!(reach(path), expected, "{path}");
        }
    }
}
