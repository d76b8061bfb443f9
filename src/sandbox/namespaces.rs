//! The command's side of the first two tiers: which words start our helper in its place, and whether that works here.
//!
//! The helper is our own program by the name under which a process finds its own file:
//! the very build that runs, whatever an update has put in its place meanwhile. The surprise: the trial is a whole one, with everything but a
//! command, as each of a dozen things may be refused on some system and no list of them would be complete.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::plan::{Network, Profile};
use super::words::{HELD, HELPER, Maker, Order, Purpose};
use super::{FAILED, git, sockets};
use crate::os::process::{Spawn, Within};

/// Variables that name a place for temporary files.
const TMPDIR: &str = "TMPDIR";
const TEMPORARY: [&str; 3] = [TMPDIR, "TMP", "TEMP"];
/// The room has one of its own there.
const PRIVATE: &str = "/tmp";
/// Where tools keep what they could make again, each by the variable that leads it elsewhere and by where it is below the
/// home. These stop where it cannot be written.
const CACHES: [(&str, &str); 4] = [
    ("GOCACHE", ".cache/go-build"),
    ("UV_CACHE_DIR", ".cache/uv"),
    ("CCACHE_DIR", ".cache/ccache"),
    ("npm_config_cache", ".npm"),
];
/// The same for what is worth more filled and closed than empty and open.
const FILLED: [(&str, &str); 2] = [("CARGO_HOME", ".cargo"), ("GRADLE_USER_HOME", ".gradle")];
/// Where they are led: in the private temporary directory, so that what is made lasts for the session.
const ELSEWHERE: &str = "/tmp/clawd-caches";
/// Variables that name where services of the user listen: a directory, or a socket.
const SERVICES: [&str; 2] = ["XDG_RUNTIME_DIR", "SSH_AUTH_SOCK"];

/// The same command, started by the helper.
pub(super) fn hold(mut spawn: Spawn, profile: &Profile, helper: &Path, maker: Maker) -> Spawn {
    let mut profile = git::with_repositories(profile.clone());
    let value =
        |name: &str| spawn.env.iter().find(|(other, _)| other == name).map(|(_, value)| PathBuf::from(value));
    profile.masked.extend(SERVICES.into_iter().filter_map(value).filter(|path| path.is_absolute()));
    let own = std::mem::take(&mut profile.own);
    profile.protected.extend(own);
    profile.masked.extend(sockets::listening(&profile));
    settle_temporary(&mut spawn.env, &profile);
    settle_caches(&mut spawn.env, &profile, &maker);
    let name = spawn.argv.first().cloned().unwrap_or_default();
    let order = Order { profile, maker, purpose: Purpose::Command, name, command: Vec::new() };
    spawn.within = Some(within(helper, &order));
    spawn
}

fn within(helper: &Path, order: &Order) -> Within {
    let words = [OsString::from(HELPER)].into_iter().chain(order.words()).collect();
    Within { program: helper.to_owned(), words, contains: true }
}

/// A temporary directory that cannot be written there is no use: the private one is what is meant.
/// Most users set no variable for it, and what a command is told of its bounds names `$TMPDIR`, so that is always there.
fn settle_temporary(env: &mut Vec<(OsString, OsString)>, profile: &Profile) {
    for (name, value) in env.iter_mut() {
        let is_writable = profile.writable.iter().any(|root| Path::new(value).starts_with(root));
        if TEMPORARY.iter().any(|one| name == one) && !is_writable {
            *value = PRIVATE.into();
        }
    }
    if !env.iter().any(|(name, _)| name == TMPDIR) {
        env.push((TMPDIR.into(), PRIVATE.into()));
    }
}

/// A cache that is not there cannot be made, and a home where nobody has worked yet, such as a container's, has none; and
/// what `bwrap` shows of caches is closed. So they are led to where there is room.
fn settle_caches(env: &mut Vec<(OsString, OsString)>, profile: &Profile, maker: &Maker) {
    let opened: &[PathBuf] = match maker {
        Maker::Ourselves => &profile.caches,
        Maker::Bubblewrap(_) => &[],
    };
    let made = CACHES.iter().map(|cache| (cache, opened));
    let fetched = FILLED.iter().map(|cache| (cache, profile.caches.as_slice()));
    for ((variable, below), caches) in made.chain(fetched) {
        let place = place(env, variable, below);
        let holds =
            |place: &PathBuf| profile.writable.iter().chain(caches).any(|root| place.starts_with(root));
        if !place.as_ref().is_some_and(holds) {
            env.retain(|(name, _)| name != variable);
            env.push((variable.into(), Path::new(ELSEWHERE).join(variable).into()));
        }
    }
}

/// Where a tool's cache is by its environment.
fn place(env: &[(OsString, OsString)], variable: &str, below: &str) -> Option<PathBuf> {
    let value = |name: &str| Some(PathBuf::from(&env.iter().find(|(other, _)| other == name)?.1));
    let moved = || Some(value("XDG_CACHE_HOME")?.join(below.strip_prefix(".cache/")?));
    value(variable).or_else(moved).or_else(|| Some(value("HOME")?.join(below)))
}

/// Whether a command can be held like this, and why not: nothing of a command is run.
pub(super) fn attempt(helper: &Path, maker: Maker) -> Result<(), String> {
    let profile = Profile { network: Network::Off, ..Profile::read_only() };
    tried(within(helper, &Order { profile, maker, purpose: Purpose::Trial, ..Order::default() }))
}

/// Runs the helper for a [trial](Purpose::Trial).
#[expect(clippy::disallowed_methods, reason = "the trial is not a command: only its exit code matters")]
pub(super) fn tried(Within { program, words, contains: _ }: Within) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(words).env_clear().current_dir("/").stdin(Stdio::null()).stdout(Stdio::null());
    let output = command.stderr(Stdio::piped()).output().map_err(|error: io::Error| error.to_string())?;
    if output.status.code() == Some(HELD.into()) {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it printed no error");
    Err(line.strip_prefix(FAILED).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(line).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_the_helper_holds_nothing() {
        for other in ["/bin/true", "/bin/false", "/nowhere", super::super::OURSELVES] {
            assert!(attempt(Path::new(other), Maker::Ourselves).is_err(), "{other}");
        }
    }

    #[test]
    fn a_temporary_directory_that_cannot_be_written_becomes_the_private_one() {
        let profile = Profile::writing(["/w".into()]);
        let mut env: Vec<(OsString, OsString)> =
            [("TMPDIR", "/home/u/tmp"), ("TEMP", "/w/tmp"), ("HOME", "/home/u")]
                .map(|(n, v)| (n.into(), v.into()))
                .into();
        settle_temporary(&mut env, &profile);
        let values: Vec<_> = env.iter().map(|(_, value)| value.to_str().unwrap()).collect();
        assert_eq!(values, ["/tmp", "/w/tmp", "/home/u"]);
        let mut none = Vec::new();
        settle_temporary(&mut none, &profile);
        assert_eq!(none, [("TMPDIR".into(), "/tmp".into())]);
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_led_to_the_private_directory() {
        let led = |variable: &str, caches: &[&str], maker: &Maker, env: &[(&str, &str)]| {
            let caches = caches.iter().map(PathBuf::from).collect();
            let profile = Profile { caches, ..Profile::writing(["/w".into()]) };
            let mut env: Vec<(OsString, OsString)> =
                env.iter().map(|(n, v)| (OsString::from(n), OsString::from(v))).collect();
            settle_caches(&mut env, &profile, maker);
            let mut values = env.iter().filter(|(name, _)| name == variable).map(|(_, value)| value);
            let value = values.next().map(|value| value.to_str().unwrap().to_owned());
            assert_eq!(values.next(), None, "named once");
            value
        };
        let home = ("HOME", "/h");
        let elsewhere = |name: &str| Some(format!("/tmp/clawd-caches/{name}"));
        let (ours, bwrap) = (Maker::Ourselves, Maker::Bubblewrap("/b".into()));
        assert_eq!(led("GOCACHE", &["/h/.cache"], &ours, &[home]), None);
        assert_eq!(led("GOCACHE", &["/h/.npm"], &ours, &[home]), elsewhere("GOCACHE"));
        assert_eq!(led("GOCACHE", &[], &ours, &[]), elsewhere("GOCACHE"));
        assert_eq!(led("GOCACHE", &["/h/.cache"], &bwrap, &[home]), elsewhere("GOCACHE"));
        assert_eq!(led("GOCACHE", &["/x"], &ours, &[home, ("XDG_CACHE_HOME", "/x")]), None);
        assert_eq!(led("GOCACHE", &[], &ours, &[home, ("GOCACHE", "/w/c")]).as_deref(), Some("/w/c"));
        assert_eq!(led("GOCACHE", &["/h/.cache"], &ours, &[home, ("GOCACHE", "/c")]), elsewhere("GOCACHE"));
        assert_eq!(led("CARGO_HOME", &["/h/.cargo"], &bwrap, &[home]), None, "filled is better than empty");
        assert_eq!(led("CARGO_HOME", &[], &ours, &[home]), elsewhere("CARGO_HOME"));
    }
}
