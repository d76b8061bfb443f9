//! The command's side of the first two tiers: which words start our helper in its place, and whether that works here.
//!
//! Our own program is the helper, by the name under which a process finds its own file: it is the very build that runs,
//! whatever an update has put in its place meanwhile. The surprise: the trial is a whole one, with everything but a
//! command, as each of a dozen things may be refused on some system and no list of them would be complete.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::plan::{Network, Profile};
use super::words::{HELD, HELPER, Maker, Order, Purpose};
use super::{FAILED, git};
use crate::os::process::{Spawn, Within};

/// Variables that name a place for temporary files.
const TEMPORARY: [&str; 3] = ["TMPDIR", "TMP", "TEMP"];
/// Variables that name where services of the user listen: a directory, or a socket.
const SERVICES: [&str; 2] = ["XDG_RUNTIME_DIR", "SSH_AUTH_SOCK"];

/// The same command, started by the helper.
pub(super) fn hold(mut spawn: Spawn, profile: &Profile, helper: &Path, maker: Maker) -> Spawn {
    let mut profile = git::with_repositories(profile.clone());
    let value =
        |name: &str| spawn.env.iter().find(|(other, _)| other == name).map(|(_, value)| PathBuf::from(value));
    profile.masked.extend(SERVICES.into_iter().filter_map(value).filter(|path| path.is_absolute()));
    settle_temporary(&mut spawn.env, &profile);
    let name = spawn.argv.first().cloned().unwrap_or_default();
    let order = Order { profile, maker, purpose: Purpose::Command, name, command: Vec::new() };
    spawn.within = Some(within(helper, &order));
    spawn
}

fn within(helper: &Path, order: &Order) -> Within {
    let words = [OsString::from(HELPER)].into_iter().chain(order.words()).collect();
    Within { program: helper.to_owned(), words }
}

/// A temporary directory that cannot be written there is no use: the private one is what is meant.
fn settle_temporary(env: &mut [(OsString, OsString)], profile: &Profile) {
    for (name, value) in env {
        let is_writable = profile.writable.iter().any(|root| Path::new(value).starts_with(root));
        if TEMPORARY.iter().any(|one| name == one) && !is_writable {
            *value = "/tmp".into();
        }
    }
}

/// Whether a command can be held like this, and why not: nothing of a command is run.
#[expect(
    clippy::disallowed_methods,
    reason = "the trial is no command: nothing is heard of it but how it ended"
)]
pub(super) fn attempt(helper: &Path, maker: Maker) -> Result<(), String> {
    let profile = Profile { network: Network::Off, ..Profile::read_only() };
    let order = Order { profile, maker, purpose: Purpose::Trial, ..Order::default() };
    let Within { program, words } = within(helper, &order);
    let mut command = Command::new(program);
    command.args(words).env_clear().current_dir("/").stdin(Stdio::null()).stdout(Stdio::null());
    let output = command.stderr(Stdio::piped()).output().map_err(|error: io::Error| error.to_string())?;
    if output.status.code() == Some(HELD.into()) {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("it said nothing");
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
    }
}
