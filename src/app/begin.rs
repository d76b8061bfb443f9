//! From an opened program to a conversation: session, workbench, rules, agent, put together.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ahead::Coming;
use super::facts::{Facts, Resumed};
use super::resume::at_rest;
use super::switch::is_for_this_time;
use super::{App, Begun, models, rewind, services};
use crate::agent::{Agent, Attendance, TurnBudget, instructions_told};
use crate::cli::{Keep, Onward, Session};
use crate::config::{Secret, Secrets};
use crate::conversation::{self, Conversation, is_unanswered};
use crate::error::{Error, Kind};
use crate::os::child_env::{Passing, child_environment, own_environment};
use crate::os::env::Env;
use crate::os::listing;
use crate::os::paths::{Paths, resolve};
use crate::permission::{
    Exists, Found, Links, Mode, Names, Policy, PolicyCell, Rule, Scope, Variables, is_secret,
};
use crate::protocol::{History, Message, ModelId, NoticeKind, Origin, SessionId};
use crate::session::{Opened, SessionError, SessionPlace, SessionRef, index};
use crate::tools::recall;
use crate::workbench::snapshot::Reason;
use crate::workbench::{Setup, Workbench};

/// The session that is to go on.
#[derive(Debug, Default)]
pub(super) enum Taken {
    /// None: a new one begins.
    #[default]
    Nothing,
    /// This one, open and ours.
    Opened(Box<Opened>),
    /// This one, ours, and still being read.
    Coming(Box<Coming>),
    /// A copy of this one.
    ToFork(SessionRef),
}

/// How many messages of a resumed session are shown again.
pub(super) const SHOWN_AGAIN: usize = 6;

impl App {
    /// Builds the conversation.
    ///
    /// # Errors
    /// Where the session cannot be opened, or the endpoint makes no sense.
    pub fn begin(&mut self, attendance: Attendance) -> Result<Begun, Error> {
        let model = self.model.clone().ok_or_else(models::none_named)?;
        self.check_limits(&model)?;
        let opened = self.open_session(&model)?;
        self.adopt_directories(&opened.history);
        self.session = Some(opened.id.clone());
        let bench = Arc::new(self.bench(&opened.id)?);
        let granted = self.told.grants(self.place.paths.as_ref())?;
        let policy = PolicyCell::new(self.policy(granted.rules, self.mode_after(&opened.history)));
        let agent = Arc::new(self.agent(&model)?);
        self.furnish(&bench, &policy, &opened.history);
        let mut remarks = std::mem::take(&mut self.remarks);
        remarks.extend(self.wide_workspace().map(|text| (NoticeKind::Info, text)));
        remarks.extend(self.told.notes().iter().map(|text| (NoticeKind::Info, text.clone())));
        remarks.extend(granted.note.map(|text| (NoticeKind::Trust, text)));
        remarks.extend(self.unpriced(&model).map(|text| (NoticeKind::Info, text)));
        remarks.extend(opened.warnings.iter().map(|text| (NoticeKind::Info, text.clone())));
        remarks.extend(rewind::cut_off(&opened.history).map(|text| (NoticeKind::Info, text)));
        let resumed = resumed(&opened.history);
        let facts = Facts {
            resumed,
            remarks: remarks.iter().map(|(_, text)| text.clone()).collect(),
            ..self.facts_in(policy.snapshot().mode)
        };
        let conversation = Conversation::new(conversation::Parts {
            agent,
            history: opened.history,
            log: opened.log,
            policy,
            bench,
            budget: self.budget(),
            spending: self.spending(),
            attendance,
            clock: Arc::clone(&self.clock),
        });
        Ok(Begun { conversation, session: opened.id, facts, remarks })
    }

    /// A new session in a conversation at rest.
    ///
    /// # Errors
    /// During a run, or if the workspace is gone.
    pub fn renew(&mut self, conversation: &mut Conversation) -> Result<(), Error> {
        at_rest(conversation)?;
        let model = conversation.agent().model().clone();
        let opened = self.sessions().begin(&model, self.clock.now_ms());
        let bench = Arc::new(self.bench(&opened.id)?);
        let agent = Arc::new(self.agent(&model)?);
        self.furnish(&bench, conversation.policy_cell(), &opened.history);
        self.session = Some(opened.id);
        conversation.renew(conversation::Fresh { agent, log: opened.log, bench, history: opened.history });
        Ok(())
    }

    pub(super) fn keeps_sessions(&self) -> bool {
        self.cli.keep == Keep::OnDisk && self.place.paths.is_some()
    }

    /// Where this conversation is kept.
    pub(super) fn sessions(&self) -> SessionPlace {
        self.session_place(self.place.paths.as_ref().filter(|_| self.keeps_sessions()))
    }

    /// Where earlier ones are, whether or not this one is kept.
    pub(super) fn shelf(&self) -> SessionPlace {
        self.session_place(self.place.paths.as_ref())
    }

    fn session_place(&self, paths: Option<&Paths>) -> SessionPlace {
        SessionPlace {
            all: paths.map(Paths::sessions),
            project: paths.map(|paths| paths.sessions_dir(&self.place.cwd)).unwrap_or_default(),
            cwd: self.place.cwd.clone(),
        }
    }

    /// Finds the session that is to go on and takes it, before any screen is shown: whether it is there and free decides
    /// whether the program starts at all.
    pub(super) fn take_session(&mut self) -> Result<(), Error> {
        self.take_wanted_session().map_err(|error| Error::session(&error))
    }

    pub(super) fn take_wanted_session(&mut self) -> Result<(), SessionError> {
        let sessions = self.shelf();
        let (found, onward) = match &self.cli.session {
            Session::Picked(_) if index::list(&sessions.project).is_empty() => {
                return Err(SessionError::None);
            }
            Session::New | Session::Picked(_) => return Ok(()),
            Session::Last(onward) => (sessions.newest(), *onward),
            Session::ById(id, onward) => (sessions.find(id), *onward),
        };
        self.taken = self.take_up(found?, onward)?;
        self.adopt_session_model();
        Ok(())
    }

    /// Takes a session to go on with; where nothing is kept, only what it says, and its file stays as it is.
    pub(super) fn take_up(&self, session: SessionRef, onward: Onward) -> Result<Taken, SessionError> {
        Ok(match onward {
            _ if !self.keeps_sessions() => {
                let opened = self.shelf().look_into(&session)?;
                let id = if onward == Onward::Fork { SessionPlace::new_id() } else { opened.id };
                Taken::Opened(Box::new(Opened { id, ..opened }))
            }
            Onward::Same => self.take_to_go_on(&session)?,
            Onward::Fork => Taken::ToFork(session),
        })
    }

    pub(super) fn open_session(&mut self, model: &ModelId) -> Result<Opened, Error> {
        let (sessions, now) = (self.sessions(), self.clock.now_ms());
        match std::mem::take(&mut self.taken) {
            // what is still being read was awaited, or is not wanted
            Taken::Nothing | Taken::Coming(_) => Ok(sessions.begin(model, now)),
            Taken::Opened(opened) => Ok(*opened),
            Taken::ToFork(session) => {
                sessions.fork(&session, model, now).map_err(|error| Error::session(&error))
            }
        }
    }

    pub(super) fn bench(&self, session: &SessionId) -> Result<Workbench, Error> {
        let outputs = self.keeps_sessions().then(|| self.sessions().project.join(session.as_str()));
        let bench = Workbench::new(Setup {
            root: self.place.cwd.clone(),
            outputs,
            bounds: self.bounds(),
            environment: self.child_environment(),
            own_environment: self.own_environment(),
            withheld: self.withheld(),
            redactor: Arc::clone(&self.place.redactor),
        })
        .map_err(|error| {
            Error::new(
                Kind::Config,
                format!("cannot use the directory {}: {error}", self.place.cwd.display()),
            )
        })?;
        self.open_to(&bench);
        Ok(bench)
    }

    pub(super) fn child_environment(&self) -> Vec<(OsString, OsString)> {
        self.passed_by(child_environment)
    }

    /// The environment of what runs with the user's own rights.
    fn own_environment(&self) -> Vec<(OsString, OsString)> {
        self.passed_by(own_environment)
    }

    fn passed_by(
        &self,
        rule: fn(&Env, Passing<'_>) -> Vec<(OsString, OsString)>,
    ) -> Vec<(OsString, OsString)> {
        let Secrets { variables, keys, passed } = &self.config.secrets;
        let keys: Vec<&str> = keys.iter().map(Secret::expose).collect();
        rule(&self.place.env, Passing { key_variables: variables, keys: &keys, listed: passed })
    }

    /// Names of the user's variables that some commands do not get.
    fn withheld(&self) -> Vec<String> {
        let passed = self.child_environment();
        let is_passed = |name: &str| passed.iter().any(|(other, _)| other.to_str() == Some(name));
        let names = self.place.env.vars().filter_map(|(name, _)| name.to_str());
        names.filter(|name| !is_passed(name)).map(str::to_owned).collect()
    }

    pub(super) fn agent(&self, model: &ModelId) -> Result<Agent, Error> {
        services::agent(self, model)
    }

    fn policy(&self, granted: Vec<Rule>, mode: Mode) -> Policy {
        let mut rules = self.config.permissions.rules.clone();
        rules.allow.extend(granted);
        Policy { mode, rules, scope: self.scope(), sandbox: self.sandboxing(), sight: self.sight() }
    }

    /// The mode in which such a conversation goes on: plan mode where it was left in it, unless a mode is named this time. A
    /// looser one than what is configured is never taken back: that is for a person to choose, now.
    pub(super) fn mode_after(&self, history: &History) -> Mode {
        let configured = &self.config.permissions.mode;
        let was_planning = history.permission_mode() == Some(Mode::Plan.name());
        if was_planning && !is_for_this_time(configured.origin) { Mode::Plan } else { configured.value }
    }

    fn scope(&self) -> Scope {
        let temporary =
            self.place.env.path("TMPDIR").map(PathBuf::from).or_else(|| Some(PathBuf::from("/tmp")));
        Scope {
            project: self.told.project_root(),
            workspace: self.roots(),
            temporary: temporary.into_iter().collect(),
            writable: self.writable_roots().collect(),
            own: self.place.paths.as_ref().map(own_directories).unwrap_or_default(),
            home: self.place.env.path("HOME").map(PathBuf::from),
            outputs: self.keeps_sessions().then(|| self.sessions().project),
            links: Links::new(|path| resolve(path).unwrap_or_else(|_| path.to_owned())),
            exists: Exists::new(look),
            names: Names::new(listing::names),
            variables: Variables::new(self.child_environment()).or_unknown(self.withheld()),
        }
    }

    fn budget(&self) -> TurnBudget {
        self.config.limits.max_turns.value.turns().map_or(TurnBudget::Disabled, TurnBudget::AtMost)
    }
}

/// The program's directories of configuration and of data, without links.
fn own_directories(paths: &Paths) -> Vec<PathBuf> {
    let all = [Some(paths.data()), paths.config_file().parent()].map(|path| path.map(Path::to_owned));
    let mut all: Vec<PathBuf> = all.into_iter().flatten().filter_map(|path| resolve(&path).ok()).collect();
    all.dedup();
    all
}

/// What stands at a path. An empty file is nothing that could be lost.
fn look(path: &Path) -> Found {
    match path.symlink_metadata() {
        Err(_) => Found::Nothing,
        Ok(there) if there.is_dir() => Found::Directory,
        Ok(there) if there.is_file() && there.len() == 0 => Found::Nothing,
        Ok(_) => Found::File,
    }
}

impl App {
    /// What a bench has to know of the session that it is for: what searches pass over, what directories below say, and which
    /// files the model has seen.
    pub(super) fn furnish(&self, bench: &Workbench, policy: &PolicyCell, history: &History) {
        veil(bench, policy);
        self.keep_apart(bench, policy);
        self.guide(bench, history);
        recall(history, bench);
    }

    /// Of files that may hold a secret, of those that must not be read and of the program's own nothing is copied.
    fn keep_apart(&self, bench: &Workbench, policy: &PolicyCell) {
        let own = self.place.paths.as_ref().map(own_directories).unwrap_or_default();
        let policy = policy.clone();
        bench.snapshots().set_apart(Arc::new(move |path| {
            let policy = policy.snapshot();
            if own.iter().any(|own| path.starts_with(own)) {
                return Some(Reason::Own);
            }
            // what it hides holds secrets in every other mode
            let is_hidden = policy.hides(path) || (policy.mode == Mode::Bypass && is_secret(path));
            is_hidden.then_some(Reason::Secret)
        }));
    }

    /// What directories below say counts where the user has said yes, and is told once.
    fn guide(&self, bench: &Workbench, history: &History) {
        let nested = self.told.nested();
        let root = self.told.project_root();
        for name in instructions_told(history) {
            bench.guides().knows(root.join(name).parent().map(Path::to_owned).unwrap_or_default());
        }
        bench.guides().set(Arc::new(move |directory| nested.of(directory)));
    }
}

/// A search passes over what may not be read unasked, as the rules are at that moment.
fn veil(bench: &Workbench, policy: &PolicyCell) {
    let policy = policy.clone();
    bench.set_veils(Arc::new(move || {
        let policy = policy.snapshot();
        Arc::new(move |path| policy.hides(path))
    }));
}

/// The last that was said and done, from a prompt on, and how many messages stand before it.
pub(super) fn resumed(history: &History) -> Option<Resumed> {
    let all: Vec<&Message> = history.messages().collect();
    let spoken = all.iter().enumerate().filter(|(_, message)| is_spoken(message));
    let newest: Vec<(usize, &&Message)> = spoken.rev().take(SHOWN_AGAIN).collect();
    let mut prompts = newest.iter().filter(|(_, message)| matches!(message, Message::User(_)));
    let before = prompts.next_back().or(newest.last()).map_or(0, |(index, _)| *index);
    let messages = all.iter().skip(before).map(|message| (*message).clone()).collect();
    let is_unanswered = is_unanswered(history);
    (!all.is_empty()).then_some(Resumed { before: Some(before), messages, is_unanswered })
}

pub(super) fn is_spoken(message: &Message) -> bool {
    match message {
        Message::User(user) => matches!(user.origin, Origin::User | Origin::Queued | Origin::Command),
        Message::Assistant(_) => true,
        Message::Tool(_) => false,
    }
}
