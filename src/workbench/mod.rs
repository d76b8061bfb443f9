//! What lives as long as a session: the workspace, the files that were read, the shell's directory, long outputs, and
//! the commands that run beside it.
//!
//! Not the conversation, and no judge: whether something may be done is decided before a tool comes here. One for each
//! session, shared by everything that runs in it. The surprise: nothing here is written before it is needed. A session
//! that only talks makes no directory and starts no process.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::os::paths::PathBase;
use crate::os::process::Children;
use crate::protocol::{Hold, Terms, Wording};
use crate::text::redact::Redactor;

pub mod blobs;
pub mod files;
pub mod guides;
pub mod held;
pub mod ignored;
pub mod jobs;
pub mod outputs;
pub mod restore;
pub mod shell;
pub mod snapshot;
pub mod todos;
pub mod watch;

pub use blobs::Blobs;
pub use files::{Files, Image, Stale, Stamp};
pub use guides::Guides;
pub use held::Bounds;
pub use jobs::Jobs;
pub use outputs::Outputs;
pub use shell::{Moved, Shell};
pub use snapshot::{Moment, Snapshots, has_changed_files};
pub use todos::Todos;
pub use watch::Watch;

/// What a command finds besides what the user's own environment holds: nothing that waits for a person.
const UNATTENDED: [(&str, &str); 4] =
    [("PAGER", "cat"), ("GIT_PAGER", "cat"), ("GIT_EDITOR", "true"), ("GIT_TERMINAL_PROMPT", "0")];

/// What a session has at hand.
pub struct Workbench {
    files: Files,
    shell: Arc<Shell>,
    outputs: Outputs,
    environment: Vec<(OsString, OsString)>,
    own_environment: Vec<(OsString, OsString)>,
    withheld: Vec<String>,
    bounds: Bounds,
    children: Children,
    jobs: Jobs,
    todos: Todos,
    guides: Guides,
    snapshots: Snapshots,
    veils: Mutex<Option<Arc<Veils>>>,
    /// Whether the user was told that this system has no sandbox.
    warned_of_no_sandbox: AtomicBool,
    warned_of_no_usage: AtomicBool,
    redactor: Arc<Redactor>,
}

/// Tells the files that a search through a directory must pass over, because a rule forbids or asks for each.
pub type Veil = dyn Fn(&Path) -> bool + Send + Sync;

/// Makes a veil by the rules of that moment: one for a whole search, so that it ends by the rules with which it began.
pub type Veils = dyn Fn() -> Arc<Veil> + Send + Sync;

/// What a session is given.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// The workspace: the working directory at the start.
    pub root: PathBuf,
    /// Where long outputs are kept; without it in a private directory that goes with the session.
    pub outputs: Option<PathBuf>,
    /// The environment of commands, without secrets.
    pub environment: Vec<(OsString, OsString)>,
    /// The environment of commands that run with the user's own rights; where it is empty, the same.
    pub own_environment: Vec<(OsString, OsString)>,
    /// The user's variables that no command gets, or not all of them.
    pub withheld: Vec<String>,
    /// What commands find while they are held.
    pub bounds: Bounds,
    /// Takes secrets out of what is kept and shown.
    pub redactor: Arc<Redactor>,
}

/// An environment with nothing that waits for a person.
fn unattended(mut environment: Vec<(OsString, OsString)>) -> Vec<(OsString, OsString)> {
    environment.retain(|(name, _)| !UNATTENDED.iter().any(|(ours, _)| name == ours));
    environment.extend(UNATTENDED.map(|(name, value)| (name.into(), value.into())));
    environment
}

impl Workbench {
    /// A workbench in the workspace `setup.root`, which must exist.
    pub fn new(setup: Setup) -> io::Result<Self> {
        let root = setup.root.canonicalize()?;
        let environment = unattended(setup.environment);
        let own_environment = if setup.own_environment.is_empty() {
            environment.clone()
        } else {
            unattended(setup.own_environment)
        };
        Ok(Self {
            files: Files::default(),
            shell: Arc::new(Shell::new(root)),
            outputs: Outputs::new(setup.outputs).hiding(Arc::clone(&setup.redactor)),
            redactor: setup.redactor,
            environment,
            own_environment,
            withheld: setup.withheld,
            bounds: setup.bounds,
            children: Children::new(),
            jobs: Jobs::default(),
            todos: Todos::default(),
            guides: Guides::default(),
            snapshots: Snapshots::default(),
            veils: Mutex::default(),
            warned_of_no_sandbox: AtomicBool::default(),
            warned_of_no_usage: AtomicBool::default(),
        })
    }

    /// The workspace, without links; relative paths start here.
    pub fn root(&self) -> &Path {
        self.shell.root()
    }

    /// Whether the user is to be told that commands run without a sandbox: once in a session.
    pub fn warn_of_no_sandbox(&self) -> bool {
        !self.warned_of_no_sandbox.swap(true, Ordering::Relaxed)
    }

    /// Whether the user is to be warned that the endpoint does not report the usage: once in a session.
    pub fn warn_of_no_usage(&self) -> bool {
        !self.warned_of_no_usage.swap(true, Ordering::Relaxed)
    }

    /// The files that the model knows.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Where commands run.
    pub fn shell(&self) -> &Arc<Shell> {
        &self.shell
    }

    /// Where long outputs go.
    pub fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// Files as they were before a tool changed them.
    pub fn blobs(&self) -> Blobs<'_> {
        Blobs::new(&self.outputs)
    }

    /// The environment of commands.
    pub fn environment(&self) -> &[(OsString, OsString)] {
        &self.environment
    }

    /// The environment of a command on these terms: with the user's own rights it gets all variables but secrets, unless it
    /// runs unasked.
    pub fn environment_on(&self, terms: &Terms) -> &[(OsString, OsString)] {
        match (terms.hold, &terms.wording) {
            (Hold::Free, Wording::Own | Wording::Read(_)) => &self.own_environment,
            (Hold::Free, Wording::Known(_)) | (Hold::Held { .. }, _) => &self.environment,
        }
    }

    /// The user's variables among these names that a command on these terms did not get.
    pub fn withheld(&self, terms: &Terms) -> impl Iterator<Item = &str> {
        let passed = self.environment_on(terms);
        let is_passed =
            move |name: &&String| passed.iter().any(|(other, _)| other.to_str() == Some(name.as_str()));
        self.withheld.iter().filter(move |name| !is_passed(name)).map(String::as_str)
    }

    /// The directories that the paths of calls are relative to.
    pub fn path_base(&self) -> PathBase<'_> {
        let home = self.environment.iter().find(|(name, _)| name == "HOME");
        PathBase {
            cwd: self.root(),
            shell_cwd: self.root(),
            home: home.map(|(_, home)| Path::new(home)).filter(|home| home.is_absolute()),
        }
    }

    /// The same, with the directory in which the next command runs.
    pub fn path_base_in<'a>(&'a self, shell_cwd: &'a Path) -> PathBase<'a> {
        PathBase { shell_cwd, ..self.path_base() }
    }

    /// Starts commands; what they start ends with [`Workbench::end_all`].
    pub fn children(&self) -> &Children {
        &self.children
    }

    /// What runs beside the conversation.
    pub fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    /// The steps that the model keeps.
    pub fn todos(&self) -> &Todos {
        &self.todos
    }

    /// Instructions beside the files that are read.
    pub fn guides(&self) -> &Guides {
        &self.guides
    }

    /// What commands change.
    pub fn snapshots(&self) -> &Snapshots {
        &self.snapshots
    }

    /// Takes secrets out of what is kept and shown.
    pub fn redactor(&self) -> &Arc<Redactor> {
        &self.redactor
    }

    /// What searches pass over from now on; a file that a call names is judged by itself and not veiled.
    pub fn set_veils(&self, veils: Arc<Veils>) {
        *self.veils.lock().unwrap_or_else(PoisonError::into_inner) = Some(veils);
    }

    /// Whether a search through a directory must pass over this file (absolute, without links).
    pub fn is_veiled(&self, path: &Path) -> bool {
        self.veil().is_some_and(|veil| veil(path))
    }

    /// The same for many files.
    pub fn veil(&self) -> Option<Arc<Veil>> {
        let veils = self.veils.lock().unwrap_or_else(PoisonError::into_inner).clone();
        veils.map(|veils| veils())
    }

    /// Ends everything that still runs, and waits for it.
    pub async fn end_all(&self) {
        self.snapshots.stop();
        self.children.end().await;
        self.jobs.clear();
    }
}

impl fmt::Debug for Workbench {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workbench").field("root", &self.root()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_finds_nothing_that_waits_for_a_person() {
        let dir = tempfile::tempdir().unwrap();
        let environment = vec![("PAGER".into(), "less".into()), ("LANG".into(), "C".into())];
        let bench =
            Workbench::new(Setup { root: dir.path().into(), environment, ..Setup::default() }).unwrap();
        let value = |wanted: &str| {
            let found: Vec<_> = bench.environment().iter().filter(|(name, _)| name == wanted).collect();
            found.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>()
        };
        assert_eq!((value("PAGER"), value("LANG")), (vec!["cat".into()], vec!["C".into()]));
    }

    #[test]
    fn a_workspace_must_exist() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Workbench::new(Setup { root: dir.path().join("absent"), ..Setup::default() }).is_err());
    }
}
