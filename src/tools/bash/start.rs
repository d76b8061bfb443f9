//! The start of a command: which shell runs it, in which environment, and why none does.
//!
//! Not the waiting. The surprise: bash is looked for beside `PATH` too, for an environment without one is no reason to
//! hand a bash command to another shell.

use std::ffi::OsString;
use std::io;

use super::{Call, Directory, Place, said};
use crate::os::capture::Keep;
use crate::os::process::{Running, Spawn, SpawnError};
use crate::protocol::Wording;
use crate::text::units;
use crate::tools::{Scene, ToolResult};

/// What may run a command, the first that is there.
pub(super) const SHELLS: [&str; 4] = ["bash", "/bin/bash", "/usr/bin/bash", "/bin/sh"];

/// Where `cd -` goes.
const OLDPWD: &str = "OLDPWD";

/// Who could not do its part, where a command cannot be held.
const SANDBOX: &str = "the sandbox";

/// A command that was started.
pub(super) struct Started {
    pub(super) running: Running,
    /// Where it will say in which directory it ended.
    pub(super) directory: Option<Directory>,
    /// The program that runs it, if that is not bash.
    pub(super) program: Option<&'static str>,
}

impl Call {
    /// Starts it in the first shell that is there.
    pub(super) fn start(&self, scene: &Scene) -> Result<Started, SpawnError> {
        // in the background it has nobody to tell where it went
        let directory = match self.place {
            Place::Foreground => Directory::of(self.text(scene), &scene.bench),
            Place::Background => None,
        };
        let mut none = SpawnError::NoProgram { program: "bash".to_owned() };
        for &program in self.programs {
            let spawn = self.spawn(scene, program, directory.as_ref());
            let file = directory.as_ref().map(Directory::file);
            let held = scene.bench.hold(spawn, &scene.terms, file);
            let held = held.map_err(|source| SpawnError::Io { program: SANDBOX.to_owned(), source })?;
            match scene.bench.children().start(&held) {
                Err(error @ SpawnError::NoProgram { .. }) => none = error,
                started => {
                    let program = (!is_bash(program)).then_some(program);
                    return started.map(|running| Started { running, directory, program });
                }
            }
        }
        Err(none)
    }

    /// What runs: the command, or what the judge put in its place.
    fn text<'a>(&'a self, scene: &'a Scene) -> &'a str {
        match &scene.terms.wording {
            Wording::Own => &self.exec.command,
            Wording::Read(text) | Wording::Known(text) => text,
        }
    }

    fn spawn(&self, scene: &Scene, program: &str, directory: Option<&Directory>) -> Spawn {
        let plain: &[&str] = if is_bash(program) { &["--noprofile", "--norc"] } else { &[] };
        let words = [program].into_iter().chain(plain.iter().copied()).chain(["-c"]).map(OsString::from);
        let mut spawn = Spawn::new(words.chain([OsString::from(self.text(scene))]), &self.exec.cwd);
        spawn.env = scene.bench.environment_on(&scene.terms).to_vec();
        if let Some(previous) = scene.bench.shell().previous() {
            spawn.env.retain(|(name, _)| name != OLDPWD);
            spawn.env.push((OLDPWD.into(), previous.into()));
        }
        spawn.env.extend(directory.map(Directory::variable));
        spawn.limit = self.limit;
        let (file, hidden) = (scene.bench.outputs().path(&scene.call).ok(), scene.bench.redactor().clone());
        spawn.keep = Keep { file, hidden, ..said::keep() };
        spawn
    }

    /// Why it did not begin, and what happens next.
    pub(super) fn not_started(&self, scene: &Scene, error: &SpawnError) -> ToolResult {
        let shell = scene.bench.shell();
        match error {
            SpawnError::NoDirectory { .. } if self.exec.cwd != shell.root() => {
                shell.moved_to(shell.root().to_owned());
                let root = shell.root().display();
                ToolResult::failed(format!("Error: {error}; the next one runs in {root}"))
            }
            SpawnError::NoProgram { .. } => ToolResult::failed(format!(
                "Error: cannot run a command: this system has no shell ({})",
                self.programs.join(", ")
            )),
            SpawnError::Io { source, .. } if source.kind() == io::ErrorKind::ArgumentListTooLong => {
                let size = units::bytes(self.exec.command.len() as u64);
                ToolResult::failed(format!(
                    "Error: the command is too long for this system ({size}): write it to a file and run the file"
                ))
            }
            SpawnError::NoDirectory { .. } | SpawnError::Io { .. } => {
                ToolResult::failed(format!("Error: {error}"))
            }
        }
    }
}

fn is_bash(program: &str) -> bool {
    program.ends_with("bash")
}
