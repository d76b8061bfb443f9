//! What was found out of the endpoint's models in this process, and how it is told.
//!
//! It asks nobody. What the user has set wins over what the endpoint tells, and that over the table of families. The
//! surprising decision: a window that is too small for tools is said once for each model and never again, for the user
//! may know it and want it so.

use std::collections::{BTreeMap, BTreeSet};

use crate::chat::discover::{self, Bound, LARGER_WINDOW, Look, ModelList, Server, Window, is_near};
use crate::chat::request::models::{self, Ability};
use crate::protocol::ModelId;
use crate::text::units;

/// A window with fewer tokens has no room for tools: their descriptions, a file and an answer.
const SMALL_WINDOW: u64 = 8_000;

/// A model that can be taken, as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelRow {
    /// Its name, as it came.
    pub name: String,
    /// A few words on what is known of it.
    pub about: String,
    /// Whether it is the one in use.
    pub current: bool,
}

/// What was found out.
#[derive(Debug, Default)]
pub(super) struct Known {
    list: Option<ModelList>,
    /// By model; none while it is being looked at.
    looks: BTreeMap<ModelId, Option<Look>>,
    warned: BTreeSet<ModelId>,
}

/// Where the number of a window comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The user's configuration.
    Configured,
    /// The endpoint's list of models.
    List,
    /// This route of this server.
    Route(Server, &'static str),
    /// The table of families.
    Family,
}

impl Known {
    /// Keeps a list.
    pub(super) fn take_list(&mut self, list: ModelList) {
        self.list = Some(list);
    }

    /// Whether `model` is still to be looked at; from now on it counts as looked at.
    pub(super) fn begin_look(&mut self, model: &ModelId) -> bool {
        let is_new = !self.looks.contains_key(model);
        self.looks.entry(model.clone()).or_default();
        is_new
    }

    /// Keeps what was found.
    pub(super) fn take_look(&mut self, model: &ModelId, mut look: Look) {
        if let Some(list) = look.list.take() {
            self.list = Some(list);
        }
        self.looks.insert(model.clone(), Some(look));
    }

    /// Whether the list has `model`; none where there is no list.
    pub(super) fn lists(&self, model: &ModelId) -> Option<bool> {
        self.list.as_ref().map(|list| list.get(model.as_str()).is_some())
    }

    /// The window of `model`, and who says so, where `configured` is what the user has set.
    pub(super) fn window(&self, model: &ModelId, configured: Option<u64>) -> Option<(Window, Source)> {
        if let Some(window) = configured.and_then(Window::in_use) {
            return Some((window, Source::Configured));
        }
        let look = self.look(model);
        let route = look.and_then(|look| Some(Source::Route(look.server?, look.route?)));
        let told = self.told(model).window.map(|window| (window, route.unwrap_or(Source::List)));
        told.or_else(|| Some((Window::in_use(models::context_window(model.as_str())?)?, Source::Family)))
    }

    /// Says that the window of `model` is too small for tools, the first time that this is asked.
    pub(super) fn warn_of_small_window(
        &mut self,
        model: &ModelId,
        configured: Option<u64>,
    ) -> Option<String> {
        let (window, _) = self.window(model, configured)?;
        (is_small(window) && self.warned.insert(model.clone()))
            .then(|| small_window(model, window, self.server(model)))
    }

    /// The list for a picker, where one is at hand; `host` is the endpoint's.
    pub(super) fn rows(&self, current: Option<&ModelId>, host: &str) -> Vec<ModelRow> {
        let listed = self.list.iter().flat_map(|list| &list.models);
        let row = |id: &ModelId| ModelRow {
            name: id.to_string(),
            about: self.about(id, current == Some(id), host),
            current: current == Some(id),
        };
        listed.map(|model| row(&model.id)).collect()
    }

    /// Which server it is, as far as `model` has shown it.
    pub(super) fn server(&self, model: &ModelId) -> Option<Server> {
        let looked = self.look(model).and_then(|look| look.server);
        looked.or_else(|| self.list.as_ref().and_then(|list| list.server))
    }

    /// What the endpoint has told of `model`.
    pub(super) fn told(&self, model: &ModelId) -> discover::Known {
        let listed = self.list.as_ref().and_then(|list| list.get(model.as_str()));
        let listed = listed.map(|model| model.known).unwrap_or_default();
        self.look(model).map(|look| look.known).unwrap_or_default().or(listed)
    }

    fn look(&self, model: &ModelId) -> Option<&Look> {
        self.looks.get(model)?.as_ref()
    }

    fn about(&self, model: &ModelId, is_current: bool, host: &str) -> String {
        let told = self.told(model);
        let family = models::family(model.as_str());
        let mut about = Vec::new();
        about.extend(is_current.then(|| "in use".to_owned()));
        about.extend(match (told.window, family) {
            (Some(window), _) => Some(tokens(window)),
            // what a family can do is not what a server of one's own was started with
            (None, Some(family)) if is_near(host) => Some(format!("up to {}", units::tokens(family.window))),
            (None, Some(family)) => Some(units::tokens(family.window)),
            (None, None) => None,
        });
        about.extend((told.tools == Ability::No).then(|| "no tool calls".to_owned()));
        let images = told.images.or(family.map(|family| family.images).unwrap_or_default());
        about.extend((images == Ability::Yes).then(|| "images".to_owned()));
        about.join(" · ")
    }
}

impl Source {
    /// Who says so, behind a number: `says Ollama (/api/ps)`.
    pub(super) fn said(self) -> String {
        match self {
            Self::Configured => "from the configuration".to_owned(),
            Self::List => "reported by the endpoint".to_owned(),
            Self::Route(server, path) => format!("reported by {} at {path}", server.name()),
            Self::Family => "known for this model name".to_owned(),
        }
    }
}

/// A window in a few words: `32k`, `4k unless set`, `up to 128k`.
pub(super) fn tokens(window: Window) -> String {
    let tokens = units::tokens(window.tokens);
    match window.bound {
        Bound::InUse => tokens,
        Bound::Usual => format!("{tokens} by default"),
        Bound::AtMost => format!("up to {tokens}"),
    }
}

/// The same in a sentence: `32k tokens`, `4k tokens unless set`, `up to 128k tokens`.
pub(super) fn in_words(window: Window) -> String {
    let tokens = units::tokens(window.tokens);
    match window.bound {
        Bound::InUse => format!("{tokens} tokens"),
        Bound::Usual => format!("{tokens} tokens by default"),
        Bound::AtMost => format!("up to {tokens} tokens"),
    }
}

/// Whether tools have no room in a window, as it is in use.
pub(super) fn is_small(window: Window) -> bool {
    window.tokens < SMALL_WINDOW && window.bound != Bound::AtMost
}

/// How a window is made larger.
pub(super) fn larger_window(server: Option<Server>) -> &'static str {
    server.map_or(LARGER_WINDOW, Server::larger_window)
}

/// That a window is too small, and how it is made larger.
fn small_window(model: &ModelId, window: Window, server: Option<Server>) -> String {
    format!(
        "{model}'s context window is {} tokens; tool use needs at least {} ({})",
        units::tokens(window.tokens),
        units::tokens(SMALL_WINDOW),
        larger_window(server)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::discover::ListedModel;

    fn window(tokens: u64, bound: Bound) -> discover::Known {
        discover::Known { window: Some(Window { tokens, bound }), ..discover::Known::default() }
    }

    fn listing(models: &[(&str, discover::Known)]) -> Known {
        let models =
            models.iter().map(|(id, known)| ListedModel { id: (*id).into(), known: *known }).collect();
        Known { list: Some(ModelList { models, server: None }), ..Known::default() }
    }

    fn looked(known: discover::Known, server: Server, route: &'static str) -> Look {
        Look { known, server: Some(server), route: Some(route), list: None }
    }

    #[test]
    fn the_users_word_counts_before_the_servers_and_that_before_the_table() {
        #[track_caller]
        fn check(known: &Known, model: &str, configured: Option<u64>, expected: &str) {
            let window = known.window(&model.into(), configured);
            let told = window.map(|(window, source)| format!("{}, {}", tokens(window), source.said()));
            assert_eq!(told.unwrap_or_default(), expected);
        }
        let mut known = listing(&[("qwen3", window(40_960, Bound::AtMost))]);
        check(&known, "qwen3", Some(64_000), "64k, from the configuration");
        check(&known, "qwen3", None, "up to 40.9k, reported by the endpoint");
        check(&known, "gpt-4", None, "8.1k, known for this model name");
        check(&known, "my-own", None, "");
        known.take_look(&"qwen3".into(), looked(window(16_384, Bound::InUse), Server::Ollama, "/api/ps"));
        check(&known, "qwen3", None, "16.3k, reported by Ollama at /api/ps");
    }

    #[test]
    fn a_small_window_is_said_once_with_how_to_raise_it() {
        let mut known = Known::default();
        known.take_look(&"a".into(), looked(window(4_096, Bound::InUse), Server::LlamaCpp, "/props"));
        let said = known.warn_of_small_window(&"a".into(), None);
        let expected =
            "a's context window is 4k tokens; tool use needs at least 8k (start llama-server with -c 32768)";
        assert_eq!(said.as_deref(), Some(expected));
        assert_eq!(known.warn_of_small_window(&"a".into(), None), None);
        assert_eq!(Known::default().warn_of_small_window(&"a".into(), Some(16_000)), None);
        let server = listing(&[("b", window(7_999, Bound::Usual))]).warn_of_small_window(&"b".into(), None);
        assert!(server.unwrap().ends_with("(raise the context length on the server)"));
    }

    #[test]
    fn a_list_tells_what_is_known_of_each() {
        let vision =
            discover::Known { images: Ability::Yes, tools: Ability::No, ..window(8_192, Bound::InUse) };
        let known = listing(&[
            ("a", vision),
            ("qwen3-coder", discover::Known::default()),
            ("b", window(9, Bound::AtMost)),
        ]);
        let about = |host| {
            let rows = known.rows(Some(&"a".into()), host);
            rows.into_iter().map(|row| row.about).collect::<Vec<_>>()
        };
        assert_eq!(about("127.0.0.1:1"), ["in use · 8.1k · no tool calls · images", "up to 262k", "up to 9"]);
        assert_eq!(about("api.example.com")[1], "262k");
    }

    #[test]
    fn a_model_is_looked_at_once() {
        let mut known = Known::default();
        assert!(known.begin_look(&"a".into()) && !known.begin_look(&"a".into()));
        assert_eq!((known.lists(&"a".into()), listing(&[]).lists(&"a".into())), (None, Some(false)));
    }
}
