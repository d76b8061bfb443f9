//! What the directory says, whether it counts, and the user's answers to that.
//!
//! The scan is made once, at the start; what the model is told of it never changes within a session, so that every request
//! begins with the same bytes. The surprise: nobody to ask is not a no. Then an earlier yes stands for what it covers, and only
//! what is new or has changed since is left out.

use std::path::{Path, PathBuf};

use super::question::{TrustQuestion, listed};
use crate::config::Wishes;
use crate::context::prompt::Instructions;
use crate::error::{Error, Kind};
use crate::os::paths::Paths;
use crate::permission::{Mode, Rule};
use crate::project::{Loaded, Nested, Scan, Yes, scan};
use crate::trust::{self, Before, Granted, Ground, Judgement, Record, Trusted};

const NOTHING_TO_TRUST: &str = "not needed: nothing here requires trust";

/// What the directory says and what counts of it.
pub(super) struct Told {
    scan: Scan,
    standing: Standing,
    /// Why no earlier yes counts, where it could not be read.
    complaint: Option<String>,
    instructions: Vec<Instructions>,
    wishes: Vec<Wishes>,
    notes: Vec<String>,
    broken: Option<String>,
}

/// Where the question of trust stands.
enum Standing {
    Open(Before),
    Trusted(Trusted),
    LeftOut,
}

impl Told {
    /// Looks at the directory and at what was answered before.
    pub(super) fn look(cwd: &Path, paths: Option<&Paths>) -> Self {
        let own = paths.map(Paths::agents_md);
        let scan = scan(cwd, own.as_deref());
        // who has nothing to ask about need not know what was answered
        let asked = paths.filter(|_| !scan.brings_nothing());
        let (record, complaint) = match asked.map(|paths| trust::read_record(&paths.trust())).transpose() {
            Ok(record) => (record.unwrap_or_default(), None),
            Err(error) => (Record::default(), Some(format!("saved trust is ignored: {error}"))),
        };
        let standing = match trust::judge(&scan, &record) {
            Judgement::Trusted(trusted) => Standing::Trusted(trusted),
            Judgement::Open(before) => Standing::Open(before),
        };
        Self { complaint, ..Self::with(scan, standing) }
    }

    /// For a directory of our own making, which says nothing.
    pub(super) fn nothing(cwd: &Path) -> Self {
        Self::with(Scan { root: cwd.to_owned(), ..Scan::default() }, Standing::LeftOut)
    }

    fn with(scan: Scan, standing: Standing) -> Self {
        let mut told = Self {
            scan,
            standing,
            complaint: None,
            instructions: Vec::new(),
            wishes: Vec::new(),
            notes: Vec::new(),
            broken: None,
        };
        told.load();
        told
    }

    fn load(&mut self) {
        let Loaded { instructions, wishes, notes, broken } = match &self.standing {
            Standing::Trusted(trusted) => self.scan.open(trusted),
            Standing::Open(_) | Standing::LeftOut => self.scan.own(),
        };
        self.instructions =
            instructions.into_iter().map(|file| Instructions { path: file.name, text: file.text }).collect();
        self.wishes = wishes;
        self.notes = notes;
        self.broken = broken.into_iter().next();
    }

    /// Why no earlier yes counts, once.
    pub(super) fn take_complaint(&mut self) -> Option<String> {
        self.complaint.take()
    }

    /// Whether the user is to be asked.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.standing, Standing::Open(_))
    }

    /// The question, where it is open.
    pub(super) fn question(&self) -> Option<TrustQuestion> {
        match &self.standing {
            Standing::Open(before) => Some(TrustQuestion::new(&self.scan, before)),
            Standing::Trusted(_) | Standing::LeftOut => None,
        }
    }

    /// In a mode that needs no yes for plain text, plain text alone is not asked about.
    pub(super) fn pass_over_text(&mut self, mode: Mode) {
        if self.is_open()
            && self.scan.brings.items.is_empty()
            && let Some(trusted) = trust::unasked(&self.scan, mode)
        {
            self.settle(Standing::Trusted(trusted));
        }
    }

    /// The user says yes.
    pub(super) fn trust(&mut self) {
        self.settle(Standing::Trusted(trust::by_user(&self.scan)));
    }

    /// Keeps the yes in the file at `path`, as one of this day.
    pub(super) fn remember(&mut self, path: &Path, day: &str) -> Result<(), Error> {
        match &self.standing {
            Standing::Trusted(trusted) => {
                trust::remember(path, &self.scan, day)?;
                self.standing = Standing::Trusted(trusted.clone().kept(day));
                Ok(())
            }
            Standing::Open(_) | Standing::LeftOut => Ok(()),
        }
    }

    /// Whether the directory is trusted and since when, in a line.
    pub(super) fn in_words(&self) -> String {
        if self.scan.brings_nothing() {
            return NOTHING_TO_TRUST.to_owned();
        }
        let trusted = match &self.standing {
            Standing::Open(_) | Standing::LeftOut => {
                return "not trusted: project instructions and settings are ignored (you will be asked again \
                        next time)".to_owned();
            }
            Standing::Trusted(trusted) => trusted,
        };
        let ground = match trusted.ground() {
            Ground::Unneeded => NOTHING_TO_TRUST.to_owned(),
            Ground::Mode => "instructions only, because of bypass mode".to_owned(),
            Ground::ThisRun => "trusted for this run".to_owned(),
            Ground::Kept(Some(day)) => format!("trusted since {day}"),
            Ground::Kept(None) => "trusted".to_owned(),
        };
        match self.scan.brings.items.iter().filter(|item| !trusted.covers(item)).count() {
            0 => ground,
            left_out => format!("{ground} · {left_out} ignored"),
        }
    }

    /// The user says no: nothing counts. Says what is left out.
    pub(super) fn look_only(&mut self) -> Option<String> {
        self.leave_all("clawd asks again at the next start; --trust trusts it for one run")
    }

    fn leave_all(&mut self, remedy: &str) -> Option<String> {
        if !self.is_open() {
            return None;
        }
        self.settle(Standing::LeftOut);
        let texts = self.scan.names().into_iter();
        let all = texts.chain(self.scan.brings.items.iter().map(|item| item.file.clone()));
        Some(format!("ignored: {} (the directory is not trusted: {remedy})", listed(all)))
    }

    /// Nobody is there to ask: what an earlier yes covers counts, and what needs none in this mode. Says what is left out.
    pub(super) fn leave_open(&mut self, mode: Mode) -> Option<String> {
        let Standing::Open(before) = &self.standing else { return None };
        let earlier = match before {
            Before::Yes(trusted) => Some(trusted.clone()),
            Before::Nothing | Before::Another => None,
        };
        let why = match earlier {
            Some(_) => "new or changed since the directory was trusted",
            None => "the directory is not trusted",
        };
        let Some(yes) = earlier.or_else(|| trust::unasked(&self.scan, mode)) else {
            return self.leave_all("try --trust");
        };
        let items = self.scan.brings.items.iter().filter(|item| !yes.covers(item));
        let files = listed(items.map(|item| item.file.clone()));
        self.settle(Standing::Trusted(yes));
        Some(format!("ignored: {files} ({why}: try --trust)"))
    }

    fn settle(&mut self, standing: Standing) {
        self.standing = standing;
        self.load();
    }

    /// What directories below have to say. A yes that nobody gave, as there was nothing to ask about, is none for what the start
    /// did not see.
    pub(super) fn nested(&self) -> Nested {
        self.scan.nested(match &self.standing {
            Standing::Trusted(trusted) if *trusted.ground() != Ground::Unneeded => Some(trusted),
            Standing::Trusted(_) | Standing::Open(_) | Standing::LeftOut => None,
        })
    }

    /// What the project asks for, the weaker file first.
    pub(super) fn wishes(&self) -> Vec<Wishes> {
        self.wishes.clone()
    }

    /// A file of the project that was said yes to and cannot be read.
    pub(super) fn broken(&self) -> Result<(), Error> {
        self.broken.as_ref().map_or(Ok(()), |why| Err(Error::new(Kind::Config, why.clone())))
    }

    /// What "don't ask again" has kept for this project.
    pub(super) fn grants(&self, paths: Option<&Paths>) -> Result<Granted, Error> {
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
                "the rule applies to this session only: no home directory to save it in",
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
