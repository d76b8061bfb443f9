//! Which model answers: taken from the list or by name, kept where it belongs, and found again by a resume.
//!
//! A choice holds for the session (its file says so) and, where nobody has said otherwise for this time alone, for the next
//! ones. The surprising decision: a model that a flag or a variable named, or that belongs to an endpoint which they named, is
//! not written down: the next program would ask another endpoint for it, or be told another name and wonder.

use std::sync::Arc;

use super::App;
use super::begin::Taken;
use super::facts::Facts;
use super::known::ModelRow;
use super::models::{Glimpse, ModelGlance};
use crate::chat::discover::ModelList;
use crate::config::{self, Endpoint, ModelPlace, Origin, Sourced};
use crate::conversation::Conversation;
use crate::error::Error;
use crate::protocol::{History, ModelId, NoticeKind};
use crate::session;

/// Another model is in force.
#[derive(Debug, Clone, PartialEq)]
pub struct Switched {
    /// What to tell now.
    pub facts: Facts,
    /// What happened, in a line.
    pub said: String,
}

/// What a look at a model has shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insight {
    /// Tokens of the window of the model in force, where that is known.
    pub window: Option<u64>,
    /// What the user should know.
    pub remark: Option<String>,
}

/// Where a choice is kept beside the session.
enum Keeping {
    /// In the user's `config.toml`.
    InFile,
    /// Nowhere, and why.
    Session(String),
}

impl App {
    /// Another model from the next run on.
    ///
    /// # Errors
    /// Where the agent cannot be made for it.
    pub fn switch_model(&mut self, conversation: &mut Conversation, model: &str) -> Result<Switched, Error> {
        let model = ModelId::from(model);
        let agent = self.agent(&model)?;
        self.model = Some(model.clone());
        conversation.set_agent(Arc::new(agent));
        let listed = match self.known.lists(&model) {
            Some(false) => format!(" · not listed by {}", self.host()),
            Some(true) | None => String::new(),
        };
        let said = format!("model: {model} · {}{listed}", self.keep_model(&model));
        let facts = Facts { mode: conversation.mode().name().to_owned(), ..self.facts() };
        Ok(Switched { facts, said })
    }

    /// Keeps the endpoint's list, and gives it as a picker shows it.
    pub fn take_list(&mut self, list: ModelList) -> Vec<ModelRow> {
        self.known.take_list(list);
        self.known.rows(self.model.as_ref(), &self.host())
    }

    /// What has to be asked to know the window of the model in force; none where the user has set it, where it has been
    /// asked, or where there is nobody to ask.
    pub fn model_glance(&mut self) -> Option<ModelGlance> {
        let model = self.model.clone()?;
        if self.config.model.context_window.is_some() || self.is_demo() {
            return None;
        }
        let search = self.model_search().ok()?;
        self.known.begin_look(&model).then_some(ModelGlance { search, model })
    }

    /// Keeps what a look has shown.
    pub fn take_glimpse(&mut self, glimpse: Glimpse) -> Insight {
        self.known.take_look(&glimpse.model, glimpse.look);
        self.learnt.window(&glimpse.model).tell(self.window_of(&glimpse.model));
        let configured = self.config.model.window();
        let remark = self.model.as_ref().and_then(|model| self.known.warn_of_small_window(model, configured));
        Insight { window: self.window(), remark }
    }

    /// Tokens of the window of the model in force, where that is known.
    pub(super) fn window(&self) -> Option<u64> {
        self.window_of(self.model.as_ref()?)
    }

    /// The same of any model.
    pub(super) fn window_of(&self, model: &ModelId) -> Option<u64> {
        self.known.window(model, self.config.model.window()).map(|(window, _)| window.tokens)
    }

    /// A session goes on with the model that it had, unless another is named this time. Nothing is decided as long as the
    /// project may still name one.
    pub(super) fn adopt_session_model(&mut self) {
        if let Some(model) = self.session_model() {
            self.adopt_model(model);
        }
    }

    /// The same with a model of which a session says that it had it.
    pub(super) fn adopt_model(&mut self, model: ModelId) {
        if self.told.is_open() || model.as_str().is_empty() {
            return;
        }
        let configured = self.config.model.name.as_ref();
        let provided = self.cli.flags.provider.is_some() && configured.is_some();
        if provided || configured.is_some_and(|name| is_for_this_time(name.origin)) {
            return;
        }
        if let Some(other) = configured.filter(|name| name.value != model) {
            let place = match other.origin {
                Origin::Project(file) => file.name(),
                Origin::Default | Origin::UserFile | Origin::Env(_) | Origin::Flag => "config.toml",
            };
            let text = format!("model: {model}, from the resumed session ({place} sets {})", other.value);
            self.remarks.push((NoticeKind::Info, text));
        }
        self.model = Some(model);
    }

    fn session_model(&self) -> Option<ModelId> {
        let forked;
        let history: &History = match &self.taken {
            Taken::Nothing | Taken::Coming(_) => return None,
            Taken::Opened(opened) => &opened.history,
            Taken::ToFork(session) => {
                forked = session::load::load(&session.path).ok()?;
                &forked.history
            }
        };
        history.model().cloned()
    }

    /// Keeps the choice where it belongs, and says where that is.
    fn keep_model(&mut self, model: &ModelId) -> String {
        let paths = match (self.keeping(), &self.place.paths) {
            (Keeping::InFile, Some(paths)) => paths,
            (Keeping::Session(why), _) => return format!("for this session only: {why}"),
            (Keeping::InFile, None) => return "for this session only: no home directory".to_owned(),
        };
        let path = paths.config_file();
        let place = match &self.config.endpoint {
            Endpoint::At(target) => target.provider.as_deref().map_or(ModelPlace::Root, ModelPlace::Provider),
            Endpoint::None => ModelPlace::Root,
        };
        match config::save_model(&path, place, model.as_str()) {
            Ok(()) => {
                self.config.model.name = Some(Sourced { value: model.clone(), origin: Origin::UserFile });
                format!("saved in {}", self.place.shown(&path))
            }
            Err(error) => format!("for this session only: {error}"),
        }
    }

    fn keeping(&self) -> Keeping {
        if let Some(name) = &self.config.model.name
            && let Some(source) = stronger_than_the_file(name.origin)
        {
            return Keeping::Session(format!("{source} sets another model"));
        }
        if let Endpoint::At(target) = &self.config.endpoint
            && let Some(source) = source_for_this_time(target.url.origin, "--base-url")
        {
            return Keeping::Session(format!("{source} sets the endpoint"));
        }
        Keeping::InFile
    }
}

/// What was said for this time alone, and by what; `flag` is the one that says such things.
fn source_for_this_time(origin: Origin, flag: &'static str) -> Option<&'static str> {
    match origin {
        Origin::Flag => Some(flag),
        Origin::Env(variable) => Some(variable),
        Origin::Default | Origin::UserFile | Origin::Project(_) => None,
    }
}

/// What names the model whatever the user's file says.
fn stronger_than_the_file(origin: Origin) -> Option<&'static str> {
    match origin {
        Origin::Project(file) => Some(file.name()),
        Origin::Default | Origin::UserFile | Origin::Env(_) | Origin::Flag => {
            source_for_this_time(origin, "--model")
        }
    }
}

pub(super) fn is_for_this_time(origin: Origin) -> bool {
    source_for_this_time(origin, "").is_some()
}
