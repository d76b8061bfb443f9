//! The second tier: a thread that gives up its own rights and then starts commands, which inherit what is left.
//!
//! Nothing is started between program and command, and the thread is [kept](super::starters), so it costs a fraction of a
//! millisecond; and nothing is hidden either, the command sees the same files, processes and addresses, and is refused. What
//! it can do all the same, and in a room of namespaces could not:
//!
//! - send signals to the session's other commands that are held to the same profile;
//! - change modes, owners, times and attributes of what is its user's, everywhere;
//! - change `.git/hooks`, `.git/config` and `.clawd` of the workspace: who watches them says so afterwards;
//! - list the names in masked directories, see that other processes run, lower their priority;
//! - use shared memory and queues of the user's other programs, which know no directory;
//! - on kernels before 6.12: send signals to the user's other processes.
//!
//! And what it cannot, though in a room it could: open any socket of its own, even on its loopback; write `/tmp`; have a
//! terminal of its own. The surprise: a cache that cannot be written is seldom missed, so caches are left where they
//! are, filled and closed. Only for programs that refuse to work without is an empty one offered, in [`environment`].

use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::files::Rules;
use super::plan::Profile;
use super::seen::Seen;
use super::starters::Starters;
use super::{Tier, caps, files, git, seccomp};
use crate::os::process::Spawn;
use crate::os::starter::Starter;

/// The temporary directory, below the profile's scratch.
const TEMPORARY: &str = "tmp";

/// The caches, below the profile's scratch.
const CACHES: &str = "caches";

/// Variables that lead a program's cache elsewhere, each with a name for it. Go, uv and ccache stop without a cache that they
/// can write; npm goes on, with a complaint a line.
const CACHE: [(&str, &str); 4] =
    [("GOCACHE", "go-build"), ("UV_CACHE_DIR", "uv"), ("CCACHE_DIR", "ccache"), ("npm_config_cache", "npm")];

/// Whether a command can be held like this, and why not: a thread does all of it to itself, and starts nothing.
pub fn attempt() -> Result<(), String> {
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
    starter(&Profile::read_only(), &mut Seen::default()).map(drop).map_err(|error| error.to_string())
}

/// The same command, to be started by such a thread. What its environment says already of a variable named here is replaced:
/// it would lead to where nothing can be written.
pub fn hold(mut spawn: Spawn, profile: &Profile, starters: &Starters) -> io::Result<Spawn> {
    let profile = git::with_repositories(profile.clone());
    let named = environment(&profile);
    spawn.env.retain(|(name, _)| named.iter().all(|(own, _)| own != name));
    spawn.env.extend(named);
    Ok(Spawn { starter: Some(starters.of(profile)?), ..spawn })
}

/// A thread that holds commands to a profile, and what its rules were made from. Where one of the steps fails there is none.
pub(super) fn starter(profile: &Profile, seen: &mut Seen) -> io::Result<Starter> {
    make_directories(profile).map_err(|error| not_held("its temporary directory", &error))?;
    let rules = Rules::seeing(profile, Tier::Landlock, seen);
    let network = profile.network;
    Starter::new(move || {
        caps::no_new_privileges().map_err(|error| not_held("privileges", &error))?;
        rules.restrict().map_err(|error| not_held("files", &error))?;
        caps::drop_all().map_err(|error| not_held("capabilities", &error))?;
        // the last: it would refuse some of the others
        seccomp::restrict(network, Tier::Landlock).map_err(|error| not_held("system calls", &error))
    })
}

fn not_held(what: &str, error: &io::Error) -> io::Error {
    io::Error::other(format!("cannot set up the sandbox: {what}: {error} (try `clawd doctor`)"))
}

fn make_directories(profile: &Profile) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700);
    own_directories(profile).into_iter().try_for_each(|directory| builder.create(directory))
}

/// What the command's environment needs besides: a temporary directory that it may write, and caches of its own.
pub fn environment(profile: &Profile) -> Vec<(OsString, OsString)> {
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
    use std::fs;

    use super::*;

    #[test]
    fn a_trial_leaves_whoever_asks_as_it_was() {
        let before = fs::read_to_string("/proc/thread-self/status").unwrap();
        let works = attempt();
        assert_eq!(works.is_ok(), files::abi() >= files::NEEDED, "{works:?}");
        let now = fs::read_to_string("/proc/thread-self/status").unwrap();
        for key in ["CapEff", "NoNewPrivs", "Seccomp"] {
            let line = |status: &str| status.lines().find(|line| line.starts_with(key)).map(str::to_owned);
            assert_eq!(line(&before), line(&now));
        }
    }

    #[test]
    fn a_step_that_fails_is_told_by_its_name() {
        let profile = Profile { scratch: Some("/proc/nowhere".into()), ..Profile::writing(["/w".into()]) };
        let error = starter(&profile, &mut Seen::default()).unwrap_err().to_string();
        assert!(error.starts_with("cannot set up the sandbox: its temporary directory: "), "{error}");
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
        let held = hold(Spawn { env, ..Spawn::new(["true"], "/") }, &profile, &Starters::default()).unwrap();
        let temporary: Vec<_> = held.env.iter().filter(|(name, _)| name == "TMPDIR").collect();
        assert_eq!(temporary, [&("TMPDIR".into(), scratch.join("tmp").into())]);
        assert!(held.starter.is_some() && held.env.contains(&("LANG".into(), "C".into())));
    }
}
