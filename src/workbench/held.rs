//! Commands of the session, held: what the judge said in a word is said to the sandbox in paths.
//!
//! Nothing is enforced here and nothing judged. The surprise: the sandbox is looked for when the first command is held, not
//! at the start; finding it costs a process, and many sessions run no command.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use super::Workbench;
use crate::os::env::{has_password, is_secret_name};
use crate::os::process::Spawn;
use crate::protocol::{Hold, Network, Terms, Wording, Writes};
use crate::sandbox::{self, Profile, Sandbox, Tier};

/// What a session's commands find while they are held.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// What they may write beside the workspace: absolute, without links.
    pub writable: Vec<PathBuf>,
    /// What they cannot even read: secrets of the home, the program's own state.
    pub masked: Vec<PathBuf>,
    /// The program's own directories and files, which they never write.
    pub own: Vec<PathBuf>,
    /// Caches of tools, which they may write without changing them for others.
    pub caches: Vec<PathBuf>,
    /// Who holds them.
    pub sandbox: fn() -> &'static Sandbox,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            writable: Vec::new(),
            masked: Vec::new(),
            own: Vec::new(),
            caches: Vec::new(),
            sandbox: sandbox::found,
        }
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
const STEERING: [(&str, &str); 5] =
    [("GIT_", ""), ("LD_", ""), ("BASH_FUNC_", ""), ("", "_OPTIONS"), ("", "OPTS")];

impl Workbench {
    /// The same command on the judge's terms. `file` is one more that it may write: what it tells us through.
    pub fn hold(&self, mut spawn: Spawn, terms: &Terms, file: Option<&Path>) -> io::Result<Spawn> {
        match terms.wording {
            Wording::Own | Wording::Read(_) => {}
            // the file that the shell tells us through is named by such a variable
            Wording::Known(_) => spawn.env.retain(|(name, value)| {
                let is_free = !steers(name) && !is_secret(name, value);
                is_free || file.is_some_and(|file| file == Path::new(value))
            }),
        }
        let Hold::Held { writes, network } = terms.hold else { return Ok(spawn) };
        let profile = self.profile(writes, network, file)?;
        Ok((self.bounds.sandbox)().hold(spawn, &profile))
    }

    /// Whether commands in the sandbox have a `/tmp` of their own.
    pub fn has_own_tmp(&self) -> bool {
        match (self.bounds.sandbox)().tier() {
            Tier::Namespaces | Tier::Bubblewrap => true,
            Tier::Landlock | Tier::Nothing => false,
        }
    }

    /// Whether this file of `/tmp` is there for commands in the sandbox.
    pub fn is_in_own_tmp(&self, path: &Path) -> bool {
        self.outputs.has_private(path) && self.has_own_tmp()
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
            own: self.bounds.own.clone(),
            caches: self.bounds.caches.clone(),
            scratch: Some(self.outputs.scratch()?),
            shown: self.shell.roots().into_iter().chain(self.outputs.directory().ok()).collect(),
            network,
            ..profile
        })
    }
}

/// Whether a variable is a secret, which nothing that only looks needs: it could show it.
fn is_secret(name: &OsString, value: &OsString) -> bool {
    is_secret_name(&name.to_string_lossy()) || has_password(&value.to_string_lossy())
}

fn steers(name: &OsString) -> bool {
    let name = name.to_string_lossy();
    let is_ours = name == "GIT_PAGER";
    let begins = |(head, tail): &(&str, &str)| name.starts_with(head) && name.ends_with(tail);
    !is_ours && (STEERS.contains(&name.as_ref()) || STEERING.iter().any(begins))
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

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
        assert!(told.protected.contains(&root.join(".git/hooks")) && told.network == Network::On);
        let looks = bench.profile(Writes::Nothing, Network::Off, None).unwrap();
        assert!(looks.writable.is_empty() && looks.masked == ["/m"].map(PathBuf::from));
    }

    /// What of these variables a command gets that runs on these terms where no sandbox is.
    fn reaching(terms: &Terms, variables: &[(&str, &str)], file: Option<&str>) -> Vec<String> {
        static NONE: OnceLock<Sandbox> = OnceLock::new();
        let dir = tempfile::tempdir().unwrap();
        let bounds =
            Bounds { sandbox: || NONE.get_or_init(|| Sandbox::with(Tier::Nothing)), ..Bounds::default() };
        let bench = Workbench::new(Setup { root: dir.path().into(), bounds, ..Setup::default() }).unwrap();
        let mut spawn = Spawn::new([OsString::from("true")], dir.path());
        spawn.env = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let held = bench.hold(spawn, terms, file.map(Path::new)).unwrap();
        held.env.iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn what_is_known_is_steered_by_no_variable_even_where_no_sandbox_holds_it() {
        let variables = [
            ("PATH", "/bin"),
            ("LESSOPEN", "|x"),
            ("BASH_FUNC_cat%%", "() { x; }"),
            ("GIT_DIR", "/x"),
            ("DB_PASSWORD", "x"),
            ("PLACE", "https://me:x@example.com"),
            ("BASH_ENV", "/scratch/told"),
        ];
        for hold in [Hold::Free, Hold::LOOKING] {
            let wording = Wording::Known("'/bin/cat' 'a'".to_owned());
            let known = Terms { hold, wording, ..Terms::default() };
            assert_eq!(reaching(&known, &variables, Some("/scratch/told")), ["PATH", "BASH_ENV"]);
            assert_eq!(reaching(&known, &variables, None), ["PATH"]);
            for wording in [Wording::Own, Wording::Read("make".to_owned())] {
                let allowed = Terms { hold, wording, ..Terms::default() };
                assert_eq!(
                    reaching(&allowed, &variables, None).len(),
                    variables.len(),
                    "what a person allowed"
                );
            }
        }
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
