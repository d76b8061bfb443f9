//! The only wiring: from what was typed and configured to a conversation that can be talked to.
//!
//! An [`App`] is opened from the command line and the environment. Then come the questions that must be answered before there is
//! anybody to talk to ([`App::first`]: trust, an endpoint, a model), and then [`App::begin`]. Front ends get values and a
//! `Conversation`; they never see a service, a tool or a file. What several front ends want done stands here once.

mod account;
mod added;
mod ahead;
mod begin;
mod bounds;
mod changes;
mod clipboard;
mod copy;
mod demo;
mod doctor;
mod drafts;
mod editor;
mod examine;
mod export;
pub mod facts;
mod files;
mod kept;
mod known;
mod local;
mod looks;
mod models;
mod note;
mod open;
mod question;
mod resume;
mod rewind;
mod rules;
mod services;
mod sessions;
mod settings;
mod spending;
mod status;
mod switch;
mod told;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use crate::cli::{Cli, Keep, Session};
use crate::config::{BaseUrl, Config, Endpoint, Secret, Target};
use crate::conversation::Conversation;
use crate::error::{Error, Kind};
use crate::os::clock::Clock;
use crate::os::env::Env;
use crate::os::paths::Paths;
use crate::permission::Mode;
use crate::protocol::{ModelId, NoticeKind, SessionId};
use crate::sandbox;
use crate::text::redact::{Hide, Redactor};
use crate::workbench::has_changed_files;
use begin::Taken;
use demo::Sample;
use facts::Facts;
use known::Known;
use services::Learnt;
use told::Told;

pub use crate::chat::discover::ModelList;
pub use crate::cli::Onward;
pub use crate::config::{
    InputKeys, Motion, Mouse, Notifications, OwnTheme, Showing, Surface, THEME_ROLES, TuiConfig,
};
pub use ahead::{ReadSession, Reading};
pub use bounds::{find_sandbox, known_sandbox};
pub use changes::{ChangedFiles, Changes};
pub use clipboard::{Clipboard, keep_image};
pub use copy::{Copy, copied};
pub use demo::PROMPT as DEMO_PROMPT;
pub use doctor::{Diagnosis, Doctor};
pub use drafts::Drafts;
pub use examine::Examination;
pub use files::FileIndex;
pub use known::ModelRow;
pub use local::find_local_servers;
pub use looks::ThemeList;
pub use models::{Glimpse, ModelGlance, ModelSearch, find_model, list_models, look_at_model};
pub use question::{GroupForm, TrustGroup, TrustQuestion, WhyAsked};
pub use resume::{Pick, Picked, SessionList, TakenSession, Taking, at_rest};
pub use rewind::{Arrived, FileRow, Going, Point, Preview, Reach, Way};
pub use rules::{InForce, Removal, RuleRow};
pub use sessions::sessions;
pub use settings::{settings, settings_path};
pub use switch::{Insight, Switched};

/// The program with its configuration read, before or after there is somebody to talk to.
pub struct App {
    cli: Cli,
    config: Config,
    place: Place,
    told: Told,
    clock: Arc<dyn Clock>,
    model: Option<ModelId>,
    /// The day on which the program began: the prompt names it, and it never changes.
    today: String,
    /// Whether tracked files were changed when the program began; found out for the first prompt.
    git_changed: OnceLock<bool>,
    session: Option<SessionId>,
    taken: Taken,
    read_session: ReadSession,
    remarks: Vec<(NoticeKind, String)>,
    /// What the endpoint has told of its models.
    known: Known,
    /// The demonstration's project, which goes with the program; none where this is no demonstration.
    sample: Option<Sample>,
    learnt: Learnt,
}

/// Where the program works and keeps things.
struct Place {
    env: Env,
    /// None where there is no home directory: then nothing is kept.
    paths: Option<Paths>,
    cwd: PathBuf,
    /// Directories that may be read and edited too, without links.
    added: Vec<PathBuf>,
    /// Takes secrets out of all that is kept, shown and sent.
    redactor: Arc<Redactor>,
}

/// What must be answered next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum First {
    /// The directory is not trusted, and brings something.
    Trust(TrustQuestion),
    /// A session is to be picked.
    Session,
    /// The session is still being read: [`App::coming`].
    Reading,
    /// No endpoint is configured.
    Endpoint,
    /// No model is named: the endpoint is to be asked.
    Model,
    /// Nothing: [`App::begin`].
    Nothing,
}

/// A conversation that can be talked to, and what to tell about it.
pub struct Begun {
    /// The conversation.
    pub conversation: Conversation,
    /// Which session.
    pub session: SessionId,
    /// What to tell.
    pub facts: Facts,
    /// Remarks, each with its kind.
    pub remarks: Vec<(NoticeKind, String)>,
}

impl App {
    /// Reads the configuration and looks at the directory. Sends nothing, starts nothing, writes nothing.
    ///
    /// # Errors
    /// Where the working directory, the configuration or the options do not allow a start.
    pub fn open(cli: Cli, env: Env, read_session: ReadSession) -> Result<Self, Error> {
        open::open(cli, env, read_session)
    }

    /// What must be answered before [`App::begin`].
    #[must_use]
    pub fn first(&self) -> First {
        if let Some(question) = self.told.question() {
            return First::Trust(question);
        }
        if self.is_demo() {
            return First::Nothing;
        }
        if let Session::Picked(_) = self.cli.session {
            return First::Session;
        }
        if let Taken::Coming(_) = self.taken {
            return First::Reading;
        }
        if self.config.endpoint == Endpoint::None {
            return First::Endpoint;
        }
        if self.model.is_none() { First::Model } else { First::Nothing }
    }

    /// Trusts the directory, for this run or from now on. What it asks for is in force then.
    ///
    /// # Errors
    /// Where it should be remembered and cannot, or where one of its files cannot be read; it is trusted all the same.
    pub fn trust(&mut self, lasting: Lasting) -> Result<(), Error> {
        self.told.trust();
        let kept = match (lasting, &self.place.paths) {
            (Lasting::Remembered, Some(paths)) => self.told.remember(&paths.trust(), &self.today),
            (Lasting::Remembered, None) | (Lasting::ThisRun, _) => Ok(()),
        };
        let in_force = self.heed_project();
        kept.and(in_force)
    }

    /// Leaves out all that the directory would bring, and says so.
    pub fn look_only(&mut self) {
        let left_out = self.told.look_only();
        self.say_left_out(left_out);
        self.adopt_session_model();
    }

    /// Nobody is there to ask: leaves out what no earlier answer covers, and says so.
    ///
    /// # Errors
    /// Where the configuration cannot be read again.
    pub fn leave_open(&mut self) -> Result<(), Error> {
        let left_out = self.told.leave_open(self.config.permissions.mode.value);
        self.say_left_out(left_out);
        self.heed_project()
    }

    fn say_left_out(&mut self, what: Option<String>) {
        self.remarks.extend(what.map(|text| (NoticeKind::Trust, text)));
    }

    /// Puts into force what the project asks for.
    fn heed_project(&mut self) -> Result<(), Error> {
        let wishes = self.told.wishes();
        if !wishes.is_empty() {
            self.config = open::configuration(&self.place, &self.cli, wishes)?;
            self.model = self.config.model.name.as_ref().map(|name| name.value.clone());
        }
        self.adopt_session_model();
        self.told.broken()
    }

    /// Whether nothing may be sent at all.
    #[must_use]
    pub fn is_disabled(&self) -> bool {
        self.config.limits.max_turns.value.turns().is_none()
    }

    /// Names the model, as found out.
    pub fn name_model(&mut self, model: ModelId) {
        self.model = Some(model);
    }

    /// What has to be asked to find out the model.
    ///
    /// # Errors
    /// Where the endpoint cannot be asked.
    pub fn model_search(&self) -> Result<ModelSearch, Error> {
        if self.is_demo() {
            return Err(demo::alone());
        }
        services::model_search(&self.config, &self.place.env)
    }

    /// Takes an endpoint from the first-run screen and keeps it: address and model in the configuration, a key apart.
    ///
    /// # Errors
    /// Where the address or the key makes no sense, or they cannot be kept.
    pub fn choose_endpoint(&mut self, url: &str, key: Option<&str>) -> Result<(), Error> {
        let url: BaseUrl = url.parse().map_err(|error| Error::new(Kind::Config, format!("{error}")))?;
        let key =
            key.map(Secret::new).transpose().map_err(|error| Error::new(Kind::Config, format!("{error}")))?;
        kept::keep_endpoint(&mut self.config, self.place.paths.as_ref(), url, key)?;
        let warning = self.config.endpoint.target().ok().and_then(Target::unencrypted_key);
        self.remarks.extend(warning.map(|text| (NoticeKind::Info, text)));
        self.place.redactor = open::redactor(&self.config, &self.place.env);
        Ok(())
    }

    /// Keeps the model beside the endpoint that was chosen on the first-run screen.
    ///
    /// # Errors
    /// Where the configuration cannot be written.
    pub fn keep_choice(&self) -> Result<(), Error> {
        kept::keep_choice(&self.config, self.place.paths.as_ref(), self.model.as_ref())
    }

    /// Goes over to the built-in demonstration.
    ///
    /// # Errors
    /// Where its sample project cannot be made.
    pub fn go_demo(&mut self) -> Result<(), Error> {
        open::enter_demo(self)?;
        let text = format!("the model is a script; type anything, for example: {DEMO_PROMPT}");
        self.remarks.push((NoticeKind::Info, text));
        Ok(())
    }

    /// The session, once there is one that was written to.
    #[must_use]
    pub fn session(&self) -> Option<&SessionId> {
        self.session.as_ref().filter(|_| self.keeps_sessions())
    }

    /// What is in force, a line each.
    #[must_use]
    pub fn status(&self, conversation: &Conversation) -> Vec<String> {
        status::lines(self, conversation)
    }

    /// The lines of the input's history, oldest first.
    #[must_use]
    pub fn input_history(&self) -> Vec<String> {
        self.place.paths.as_ref().map(|paths| kept::read_input_history(&paths.history())).unwrap_or_default()
    }

    /// Keeps one more line of the input's history.
    pub fn keep_input(&self, line: &str) {
        if let Some(paths) = self.place.paths.as_ref().filter(|_| self.cli.keep == Keep::OnDisk) {
            let line = self.place.redactor.redact(line, Hide::Keys);
            kept::keep_input(&paths.history(), &line, self.clock.now_ms());
        }
    }

    /// The facts that a screen shows in its head and its status line.
    #[must_use]
    pub fn facts(&self) -> Facts {
        self.facts_in(self.config.permissions.mode.value)
    }

    /// The same in another mode.
    fn facts_in(&self, mode: Mode) -> Facts {
        let model = self.model.as_ref().map(ToString::to_string).unwrap_or_default();
        Facts {
            host: self.host(),
            cwd: self.place.shown_cwd(),
            root: self.place.cwd.display().to_string(),
            branch: self.told.branch().map(str::to_owned),
            mode: mode.name().to_owned(),
            instructions: self.told.names(),
            window: self.window(),
            silence: (!self.is_demo()).then_some(self.config.limits.silence.value),
            model,
            resumed: None,
            remarks: Vec::new(),
            sandbox: sandbox::known()
                .map(|known| bounds::word(&self.sandboxing(), mode, known.tier()).to_owned()),
        }
    }

    /// The endpoint's host; empty where nothing is sent anywhere.
    fn host(&self) -> String {
        match &self.config.endpoint {
            Endpoint::At(target) if !self.is_demo() => target.url.value.authority().to_owned(),
            Endpoint::At(_) | Endpoint::None => String::new(),
        }
    }

    fn is_git_changed(&self) -> bool {
        *self.git_changed.get_or_init(|| has_changed_files(&self.told.project_root()))
    }

    fn is_demo(&self) -> bool {
        self.sample.is_some()
    }
}

/// Whether `text` could be the address of an endpoint.
///
/// # Errors
/// Where it could not: why, and what would be right.
pub fn judge_address(text: &str) -> Result<(), Error> {
    let url: Result<BaseUrl, _> = text.parse();
    url.map(drop).map_err(|error| Error::new(Kind::Config, format!("{error}")))
}

/// Whether trust lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lasting {
    /// For this run.
    ThisRun,
    /// From now on.
    Remembered,
}

impl Place {
    /// The working directory as a person names it.
    fn shown_cwd(&self) -> String {
        self.shown(&self.cwd)
    }

    /// A path as a person names it.
    fn shown(&self, path: &Path) -> String {
        shown(&self.env, path)
    }
}

/// A path as the person whose home is in `env` names it.
fn shown(env: &Env, path: &Path) -> String {
    let below_home = env.path("HOME").and_then(|home| path.strip_prefix(home).ok());
    match below_home {
        Some(below) if below.as_os_str().is_empty() => "~".to_owned(),
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}
