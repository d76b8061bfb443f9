//! Commands of the session, held: what the judge said in a word is said to the sandbox in paths.
//!
//! Nothing is enforced here and nothing judged. The surprise: the sandbox is looked for when the first command is held, not
//! at the start; finding it costs a process, and many sessions run no command.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::Workbench;
use crate::os::process::Spawn;
use crate::protocol::{Hold, Network, Writes};
use crate::sandbox::{self, Profile, Sandbox};

/// What a session's commands find while they are held.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// What they may write beside the workspace: absolute, without links.
    pub writable: Vec<PathBuf>,
    /// What they cannot even read: secrets of the home, the program's own state.
    pub masked: Vec<PathBuf>,
    /// Caches of tools, which they may write without changing them for others.
    pub caches: Vec<PathBuf>,
    /// Who holds them.
    pub sandbox: fn() -> &'static Sandbox,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { writable: Vec::new(), masked: Vec::new(), caches: Vec::new(), sandbox: sandbox::found }
    }
}

/// Variables by which a program that only looks would run another, or take options that nobody judged.
const STEERS: [&str; 9] = [
    "LESSOPEN",
    "LESSCLOSE",
    "LESS",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "RIPGREP_CONFIG_PATH",
    "BASH_ENV",
    "ENV",
];

/// Beginnings and ends of such names.
const STEERING: [(&str, &str); 4] = [("GIT_", ""), ("LD_", ""), ("", "_OPTIONS"), ("", "OPTS")];

impl Workbench {
    /// The same command, held as the judge said. `file` is one more that it may write: what it tells us through.
    pub fn hold(&self, mut spawn: Spawn, hold: Hold, file: Option<&Path>) -> io::Result<Spawn> {
        let Hold::Held { writes, network } = hold else { return Ok(spawn) };
        if writes == Writes::Nothing {
            // the file that the shell tells us through is named by such a variable
            spawn
                .env
                .retain(|(name, value)| !steers(name) || file.is_some_and(|file| file == Path::new(value)));
        }
        let profile = self.profile(writes, network, file)?;
        (self.bounds.sandbox)().hold(spawn, &profile)
    }

    fn profile(&self, writes: Writes, network: Network, file: Option<&Path>) -> io::Result<Profile> {
        let roots = match writes {
            Writes::Nothing => Vec::new(),
            Writes::Workspace => self.shell.roots().into_iter().chain(self.bounds.writable.clone()).collect(),
        };
        let mut profile = Profile::writing(roots);
        profile.writable.extend(file.and_then(Path::parent).map(Path::to_owned));
        Ok(Profile {
            masked: self.bounds.masked.clone(),
            caches: self.bounds.caches.clone(),
            scratch: Some(self.outputs.scratch()?),
            shown: self.shell.roots(),
            network: match network {
                Network::Off => sandbox::Network::Off,
                Network::On => sandbox::Network::On,
            },
            ..profile
        })
    }
}

fn steers(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    let is_ours = name == "GIT_PAGER";
    let begins = |(head, tail): &(&str, &str)| name.starts_with(head) && name.ends_with(tail);
    !is_ours && (STEERS.contains(&name.as_ref()) || STEERING.iter().any(begins))
}

#[cfg(test)]
mod tests {
    use super::super::Setup;
    use super::*;

    #[test]
    fn a_profile_has_the_workspace_and_what_counts_as_it() {
        let dir = tempfile::tempdir().unwrap();
        let bounds =
            Bounds { writable: vec!["/extra".into()], masked: vec!["/m".into()], ..Bounds::default() };
        let bench = Workbench::new(Setup { root: dir.path().into(), bounds, ..Setup::default() }).unwrap();
        bench.shell().add("/added".into());
        let root = dir.path().canonicalize().unwrap();
        let told = bench.profile(Writes::Workspace, Network::On, Some(Path::new("/told/file"))).unwrap();
        assert_eq!(told.writable, [root.clone(), "/added".into(), "/extra".into(), "/told".into()]);
        assert!(told.protected.contains(&root.join(".git/hooks")) && told.network == sandbox::Network::On);
        let looks = bench.profile(Writes::Nothing, Network::Off, None).unwrap();
        assert!(looks.writable.is_empty() && looks.masked == ["/m"].map(PathBuf::from));
    }

    #[test]
    fn what_only_looks_is_steered_by_no_variable() {
        for name in
            ["LESSOPEN", "GIT_DIR", "GIT_EXTERNAL_DIFF", "LD_LIBRARY_PATH", "GREP_OPTIONS", "BASH_ENV"]
        {
            assert!(steers(&name.into()), "{name}");
        }
        for name in ["PATH", "HOME", "LANG", "PAGER", "GIT_PAGER"] {
            assert!(!steers(&name.into()), "{name}");
        }
    }
}
