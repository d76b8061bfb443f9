//! Directories that may be read and edited beside the working directory: from `--add-dir`, from `/add-dir`, and from the
//! session that goes on.
//!
//! One that is added counts wherever the working directory does: for the judge, for what commands may write, for where the
//! shell may stay. Nothing that it brings is read, neither instructions nor settings: it was named to be worked in, not to be
//! believed. The session keeps it, so that a resume works where the session did.

use std::path::{Path, PathBuf};

use super::{App, Place, shown};
use crate::conversation::Conversation;
use crate::error::{Error, Kind};
use crate::os::paths::{absolute, led_home, resolve};
use crate::permission::{Policy, Scope};
use crate::protocol::{History, NoticeKind};
use crate::workbench::Workbench;

impl Place {
    /// One more directory, as it was typed. Says where it is.
    pub(super) fn add(&mut self, typed: &Path) -> Result<PathBuf, Error> {
        let wanted = absolute(&self.cwd, &led_home(typed, self.env.path("HOME")));
        let refuse = |why: &str| {
            let message = format!("cannot add {}: {why}", shown(&self.env, &wanted));
            Error::new(Kind::Config, message).hint("try the path of a directory")
        };
        let found = wanted.canonicalize().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => refuse("no such directory"),
            _ => refuse(&error.to_string()),
        })?;
        if !found.is_dir() {
            return Err(refuse("not a directory"));
        }
        if found.parent().is_none() {
            return Err(refuse("`/` cannot be added"));
        }
        if !self.is_workspace(&found) {
            self.added.push(found.clone());
        }
        Ok(found)
    }

    /// Whether it may be read and edited already.
    fn is_workspace(&self, path: &Path) -> bool {
        std::iter::once(&self.cwd).chain(&self.added).any(|root| path.starts_with(root))
    }
}

impl App {
    /// One more directory for a conversation at rest. Says so.
    ///
    /// # Errors
    /// Where there is no such directory.
    pub fn add_directory(&mut self, conversation: &mut Conversation, typed: &str) -> Result<String, Error> {
        let typed = typed.trim().trim_matches(['"', '\'']);
        if typed.is_empty() {
            return Ok(self.workspace());
        }
        let known = self.place.added.len();
        let found = self.place.add(Path::new(typed))?;
        let named = self.place.shown(&found);
        if self.place.added.len() == known {
            return Ok(format!("{named} is already part of the workspace"));
        }
        conversation.bench().shell().add(found);
        let mut policy = conversation.policy();
        policy.scope.workspace = self.roots();
        // at rest nothing is asked that it could answer
        drop(conversation.set_policy(policy));
        Ok(format!("added {named} to the workspace; the model learns about it with your next message"))
    }

    fn workspace(&self) -> String {
        let roots: Vec<String> = self.roots().iter().map(|root| self.place.shown(root)).collect();
        format!("workspace: {} (/add-dir DIR adds a directory)", roots.join(", "))
    }

    /// The working directory and what was added to it.
    pub(super) fn roots(&self) -> Vec<PathBuf> {
        std::iter::once(&self.place.cwd).chain(&self.place.added).cloned().collect()
    }

    /// A warning where the workspace is the whole home directory or the whole file system: then everything there may be read
    /// without a question.
    pub(super) fn wide_workspace(&self) -> Option<String> {
        let home = self.place.env.path("HOME").and_then(|home| resolve(home).ok());
        let roots = self.roots();
        let what = if roots.iter().any(|root| root.parent().is_none()) {
            "`/`"
        } else if home.is_some_and(|home| roots.contains(&home)) {
            "the home directory"
        } else {
            return None;
        };
        Some(format!("the workspace is {what}: every file in it can be read without asking (try -C PROJECT)"))
    }

    /// The directories that a session had. One that is gone is said and left out.
    pub(super) fn adopt_directories(&mut self, history: &History) {
        for directory in history.directories() {
            if let Err(error) = self.place.add(Path::new(directory)) {
                self.remarks.push((NoticeKind::Info, error.to_string()));
            }
        }
    }

    /// Another session has its own: of the present ones those stay that the command line named.
    pub(super) fn forget_directories(&mut self) {
        self.place.added.clear();
        for directory in self.cli.add_dirs.clone() {
            if let Err(error) = self.place.add(&directory) {
                self.remarks.push((NoticeKind::Info, error.to_string()));
            }
        }
    }

    /// Puts them in force in a conversation that goes over to another session.
    pub(super) fn open_in(&self, conversation: &mut Conversation) {
        let policy = conversation.policy();
        if policy.scope.workspace != self.roots() {
            let scope = Scope { workspace: self.roots(), ..policy.scope };
            drop(conversation.set_policy(Policy { scope, ..policy }));
        }
    }

    /// The shell may stay in them.
    pub(super) fn open_to(&self, bench: &Workbench) {
        self.place.added.iter().for_each(|directory| bench.shell().add(directory.clone()));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::os::env::Env;

    #[test]
    fn a_directory_is_found_as_it_is_typed_and_added_once() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        for name in ["work/sub", "beside", "home/x"] {
            std::fs::create_dir_all(base.join(name)).unwrap();
        }
        std::fs::write(base.join("file"), "").unwrap();
        let env = Env::from_pairs([("HOME", base.join("home"))]);
        let mut place =
            Place { env, paths: None, cwd: base.join("work"), added: Vec::new(), redactor: Arc::default() };
        let mut check = |typed: &str, expected: Result<&str, &str>, added: usize| {
            let found = place.add(Path::new(typed)).map_err(|error| error.to_string());
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, base.join(expected), "{typed}"),
                (Err(found), Err(expected)) => assert!(found.contains(expected), "{typed}: {found}"),
                (found, _) => panic!("{typed}: {found:?}"),
            }
            assert_eq!(place.added.len(), added, "{typed}");
        };
        check("../beside", Ok("beside"), 1);
        check("../beside/", Ok("beside"), 1);
        check("sub", Ok("work/sub"), 1);
        check("~/x", Ok("home/x"), 2);
        check("~", Ok("home"), 3);
        check("nowhere", Err("no such directory"), 3);
        check("../file", Err("not a directory"), 3);
        check("/", Err("cannot be added"), 3);
    }
}
