//! What the directory says, whether it counts, and the user's answers to that.
//!
//! The scan is made once, at the start; what the model is told of it never changes within a session, so that every request
//! begins with the same bytes.

use std::path::{Path, PathBuf};

use crate::context::prompt::Instructions;
use crate::error::{Error, Kind};
use crate::os::paths::Paths;
use crate::permission::{Mode, Rule};
use crate::project::{Loaded, Scan, scan};
use crate::trust::{self, Judgement, Trusted, load, load_own};

/// The trust question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustQuestion {
    /// The directory.
    pub directory: String,
    /// What it would bring, a line each.
    pub brings: Vec<String>,
}

/// What the directory says and what counts of it.
pub(super) struct Told {
    scan: Scan,
    standing: Standing,
    instructions: Vec<Instructions>,
    notes: Vec<String>,
}

/// Where the question of trust stands.
enum Standing {
    Open,
    Trusted(Trusted),
    LeftOut,
}

impl Told {
    /// Looks at the directory and at what was answered before.
    pub(super) fn look(cwd: &Path, paths: Option<&Paths>, mode: Mode) -> Result<Self, Error> {
        let own = paths.map(Paths::agents_md);
        let scan = scan(cwd, own.as_deref());
        let record = paths.map(|paths| trust::read_record(&paths.trust())).transpose()?.unwrap_or_default();
        let standing = match trust::judge(&scan, &record) {
            Judgement::Trusted(trusted) => Standing::Trusted(trusted),
            Judgement::Unknown => trust::unasked(&scan, mode).map_or(Standing::Open, Standing::Trusted),
        };
        Ok(Self::with(scan, standing))
    }

    /// For a directory of our own making, which says nothing.
    pub(super) fn nothing(cwd: &Path) -> Self {
        Self::with(Scan { root: cwd.to_owned(), ..Scan::default() }, Standing::LeftOut)
    }

    fn with(scan: Scan, standing: Standing) -> Self {
        let mut told = Self { scan, standing, instructions: Vec::new(), notes: Vec::new() };
        told.load();
        told
    }

    fn load(&mut self) {
        let Loaded { instructions, notes } = match &self.standing {
            Standing::Trusted(trusted) => load(trusted, &self.scan),
            Standing::Open | Standing::LeftOut => load_own(&self.scan),
        };
        self.instructions =
            instructions.into_iter().map(|file| Instructions { path: file.name, text: file.text }).collect();
        self.notes = notes;
    }

    /// The question, where it is open.
    pub(super) fn question(&self) -> Option<TrustQuestion> {
        match self.standing {
            Standing::Open => Some(TrustQuestion {
                directory: self.scan.root.display().to_string(),
                brings: self
                    .scan
                    .names()
                    .iter()
                    .map(|name| format!("instructions for the model: {name}"))
                    .collect(),
            }),
            Standing::Trusted(_) | Standing::LeftOut => None,
        }
    }

    /// The user says yes.
    pub(super) fn trust(&mut self) {
        self.standing = Standing::Trusted(trust::by_user(&self.scan));
        self.load();
    }

    /// Keeps the yes in the file at `path`.
    pub(super) fn remember(&self, path: &Path) -> Result<(), Error> {
        match &self.standing {
            Standing::Trusted(trusted) => Ok(trust::remember(path, trusted)?),
            Standing::Open | Standing::LeftOut => Ok(()),
        }
    }

    /// The user says no, or nobody is there: says what is left out.
    pub(super) fn leave_out(&mut self) -> Option<String> {
        let names = self.scan.names().join(", ");
        let was_open = matches!(self.standing, Standing::Open);
        self.standing = Standing::LeftOut;
        was_open.then(|| format!("{names} left out: the directory is not trusted (try --trust)"))
    }

    /// The rules that "don't ask again" has kept for this project.
    pub(super) fn grants(&self, paths: Option<&Paths>) -> Result<Vec<Rule>, Error> {
        let kept = paths.map(|paths| trust::grants(&paths.grants(), &self.scan.root)).transpose()?;
        Ok(kept.unwrap_or_default())
    }

    /// Forgets a rule that was kept for this project.
    pub(super) fn ungrant(&self, paths: Option<&Paths>, rule: &str) -> Result<(), Error> {
        let removed = paths.map(|paths| trust::remove_grant(&paths.grants(), &self.scan.root, rule));
        Ok(removed.transpose().map(|_| ())?)
    }

    /// Keeps more rules for this project.
    pub(super) fn grant(&self, paths: Option<&Paths>, rules: &[Rule]) -> Result<(), Error> {
        match paths {
            Some(paths) => Ok(trust::add_grants(&paths.grants(), &self.scan.root, rules)?),
            None => Err(Error::new(
                Kind::Internal,
                "the rule holds for this session: there is nowhere to keep it",
            )),
        }
    }

    /// The branch, where the directory is in a repository.
    pub(super) fn branch(&self) -> Option<&str> {
        self.scan.branch.as_deref()
    }

    /// The files that the model is told of, by name.
    pub(super) fn names(&self) -> Vec<String> {
        self.instructions.iter().map(|file| file.path.clone()).collect()
    }

    /// What was cut or left out, a line each.
    pub(super) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Where the project begins: the root of the repository, else the working directory.
    pub(super) fn project_root(&self) -> PathBuf {
        self.scan.root.clone()
    }

    /// What the model is told.
    pub(super) fn instructions(&self) -> &[Instructions] {
        &self.instructions
    }
}
