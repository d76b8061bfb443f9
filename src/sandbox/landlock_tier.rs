//! The second tier: the helper restricts itself with Landlock and seccomp and becomes the command.
//!
//! Nothing is hidden: the command sees the same files, processes and addresses, and is refused. What
//! it can do all the same, and in namespaces could not:
//!
//! - send signals to the session's other commands that have the same profile;
//! - change modes, owners, times and attributes of what is its user's, everywhere;
//! - change `.git/hooks`, `.git/config` and `.clawd` of the workspace: the program compares them afterwards and reports it;
//! - list the names in masked directories, see that other processes run, lower their priority;
//! - use shared memory and queues of the user's other programs, which know no directory;
//! - on kernels before 6.12: send signals to the user's other processes.
//!
//! And what it cannot do, though in namespaces it could: open any socket of its own, even on its loopback; write `/tmp`; have a
//! terminal of its own. A cache that cannot be written is seldom missed, so caches stay where they are, filled and read-only.
//! Only for programs that refuse to work without one there is an empty one, in [`environment`].

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::files::Rules;
use super::plan::Profile;
use super::words::{Order, Purpose, RESTRICTED};
use super::{Tier, caps, files, git, namespaces, seccomp};
use crate::os::process::{Spawn, Within};

/// The temporary directory, below the profile's scratch.
const TEMPORARY: &str = "tmp";

/// The caches, below the profile's scratch.
const CACHES: &str = "caches";

/// Variables that lead a program's cache elsewhere, each with a name for it. Go, uv and ccache stop without a cache that they
/// can write; npm goes on, with a complaint a line.
const CACHE: [(&str, &str); 4] =
    [("GOCACHE", "go-build"), ("UV_CACHE_DIR", "uv"), ("CCACHE_DIR", "ccache"), ("npm_config_cache", "npm")];

/// Whether this tier works here, and why not.
pub(super) fn attempt(helper: &Path) -> Result<(), String> {
    match files::abi() {
        0 => return Err("this kernel does not support Landlock, or it is not enabled".to_owned()),
        files::NEEDED.. => {}
        old => {
            let needed = files::NEEDED;
            return Err(format!(
                "this kernel supports Landlock version {old}, but version {needed} is required (Linux 6.2)"
            ));
        }
    }
    let order = Order { profile: Profile::read_only(), purpose: Purpose::Trial, ..Order::default() };
    namespaces::tried(within(helper, &order))
}

/// The same command, started by the helper. What its environment has already of a variable named here is replaced:
/// it would name a directory that cannot be written.
pub(super) fn hold(mut spawn: Spawn, profile: &Profile, helper: &Path) -> Spawn {
    let profile = git::with_repositories(profile.clone());
    let named = environment(&profile);
    spawn.env.retain(|(name, _)| named.iter().all(|(own, _)| own != name));
    spawn.env.extend(named);
    let name = spawn.argv.first().cloned().unwrap_or_default();
    let order = Order { profile, name, ..Order::default() };
    Spawn { within: Some(within(helper, &order)), ..spawn }
}

fn within(helper: &Path, order: &Order) -> Within {
    let words = [OsString::from(RESTRICTED)].into_iter().chain(order.words()).collect();
    Within { program: helper.to_owned(), words, contains: false }
}

/// A step of [`restrict`] that failed.
pub(super) type Step = (&'static str, io::Error);

/// Restricts this process to a profile for good. After an error the command must not be started.
pub(super) fn restrict(profile: &Profile) -> Result<(), Step> {
    let named = |what| move |error| (what, error);
    make_directories(profile).map_err(named("its temporary directory"))?;
    let rules = Rules::of(profile, Tier::Landlock);
    caps::no_new_privileges().map_err(named("privileges"))?;
    rules.restrict().map_err(named("files"))?;
    caps::drop_all().map_err(named("capabilities"))?;
    // the last: it would refuse some of the others
    seccomp::restrict(profile.network, Tier::Landlock).map_err(named("system calls"))
}

fn make_directories(profile: &Profile) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700);
    own_directories(profile).into_iter().try_for_each(|directory| builder.create(directory))
}

/// What the command's environment needs besides: a temporary directory that it may write, and caches of its own.
fn environment(profile: &Profile) -> Vec<(OsString, OsString)> {
    let Some(scratch) = writable_scratch(profile) else { return Vec::new() };
    let temporary = ("TMPDIR".into(), scratch.join(TEMPORARY).into_os_string());
    let cache = |(variable, name): (&str, &str)| (variable.into(), scratch.join(CACHES).join(name).into());
    std::iter::once(temporary).chain(CACHE.map(cache)).collect()
}

/// The directories of the scratch that a command may write.
pub(super) fn own_directories(profile: &Profile) -> Vec<PathBuf> {
    let scratch = writable_scratch(profile);
    scratch.into_iter().flat_map(|scratch| [scratch.join(TEMPORARY), scratch.join(CACHES)]).collect()
}

/// A command that may write nothing leaves nothing for the next one either, which may be allowed more.
fn writable_scratch(profile: &Profile) -> Option<&Path> {
    profile.scratch.as_deref().filter(|_| !profile.writable.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_fails_is_named() {
        let profile = Profile { scratch: Some("/proc/nowhere".into()), ..Profile::writing(["/w".into()]) };
        assert_eq!(restrict(&profile).unwrap_err().0, "its temporary directory");
    }

    #[test]
    fn without_a_scratch_or_the_right_to_write_the_environment_stays_as_it_is() {
        assert_eq!(environment(&Profile::writing(["/w".into()])), []);
        let profile = Profile { scratch: Some("/s".into()), ..Profile::read_only() };
        assert_eq!((environment(&profile), own_directories(&profile)), (Vec::new(), Vec::new()));
    }

    #[test]
    fn all_that_the_environment_names_may_be_written() {
        let profile = Profile { scratch: Some("/s".into()), ..Profile::writing(["/w".into()]) };
        let named = environment(&profile);
        assert_eq!(named.first(), Some(&("TMPDIR".into(), "/s/tmp".into())));
        for (name, value) in named {
            let own = own_directories(&profile);
            assert!(own.iter().any(|own| Path::new(&value).starts_with(own)), "{}", name.display());
        }
    }

    #[test]
    fn what_the_environment_says_already_is_replaced() {
        let profile = Profile::writing(["/w".into()]);
        let env = vec![("TMPDIR".into(), "/tmp".into()), ("LANG".into(), "C".into())];
        let dir = tempfile::tempdir().unwrap();
        let scratch = dir.path().join("s");
        let profile = Profile { scratch: Some(scratch.clone()), ..profile };
        let held = hold(Spawn { env, ..Spawn::new(["true"], "/") }, &profile, Path::new("/helper"));
        let temporary: Vec<_> = held.env.iter().filter(|(name, _)| name == "TMPDIR").collect();
        assert_eq!(temporary, [&("TMPDIR".into(), scratch.join("tmp").into())]);
        assert!(held.within.is_some() && held.env.contains(&("LANG".into(), "C".into())));
    }
}
