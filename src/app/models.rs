//! Which models the endpoint has, and what it tells of them.
//!
//! Asked only where no model is named, where a list is wanted, or where the window of a model is to be known; nothing is
//! remembered. An endpoint that lists several is no reason to guess: a wrong model costs money or answers badly.

use std::time::Duration;

use crate::chat::discover::{Look, ModelList};
use crate::chat::{ChatError, Connections, Endpoint, Remedy, Stage, discover};
use crate::error::{Error, Kind};
use crate::os::http::{Proxies, Roots};
use crate::protocol::ModelId;
use crate::text::sanitize::sanitize_line;

/// How long a list may take once connected: some servers look at their disks first.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a look at a model may take: nobody waits for it, and a server that is slower will not tell.
const GLANCE: Duration = Duration::from_secs(2);
/// Names that an error tells; gateways list hundreds.
const TOLD: usize = 10;
/// Characters of a name that an error tells; the longest known has half of it.
const LONGEST: usize = 120;

/// Whom to ask for models, and how.
#[derive(Debug, Clone)]
pub struct ModelSearch {
    endpoint: Endpoint,
    connections: Connections,
    patience: Duration,
}

/// Which model to look at, and where.
#[derive(Debug, Clone)]
pub struct ModelGlance {
    /// Whom to ask.
    pub(super) search: ModelSearch,
    /// Of which model.
    pub(super) model: ModelId,
}

/// What was found out of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glimpse {
    /// Which model.
    pub(super) model: ModelId,
    /// What was found.
    pub(super) look: Look,
}

impl ModelSearch {
    /// Asks an endpoint that is configured.
    pub(super) fn at(endpoint: Endpoint, connections: Connections) -> Self {
        Self { endpoint, connections, patience: PATIENCE }
    }

    /// Asks a server on this machine, without a key and through no proxy; who takes longer than `patience` is not there.
    pub(super) fn local(url: &str, patience: Duration) -> Result<Self, Error> {
        let endpoint = Endpoint::new(url, None, &[]).map_err(refused)?;
        let connections =
            Connections { timeout: patience, proxies: Proxies::default(), roots: Roots::default() };
        Ok(Self { endpoint, connections, patience })
    }
}

/// The endpoint's models, in its own order.
///
/// # Errors
/// Where it cannot be asked, or does not answer with a list.
pub async fn list_models(search: &ModelSearch) -> Result<ModelList, Error> {
    ask(search).await.map_err(refused)
}

/// Finds out what it can of a model. Takes 2 s at most, and is silent about what it could not find.
pub async fn look_at_model(glance: ModelGlance) -> Glimpse {
    let ModelGlance { search, model } = glance;
    let look = match search.endpoint.client(search.connections.clone()) {
        Ok(http) => discover::look(&search.endpoint, &http, &model, GLANCE).await,
        Err(_) => Look::default(),
    };
    Glimpse { model, look }
}

/// The endpoint's only model.
///
/// # Errors
/// Where it lists none or several, or cannot be asked.
pub async fn find_model(search: &ModelSearch) -> Result<ModelId, Error> {
    match ask(search).await {
        Ok(list) => only(list.models.into_iter().map(|model| model.id).collect(), search.endpoint.host()),
        Err(error) => Err(unlisted(error, search.endpoint.host())),
    }
}

pub(super) fn none_named() -> Error {
    Error::new(Kind::Config, "no model is set").hint("try --model NAME, or `model = \"NAME\"` in config.toml")
}

/// The endpoint's models, or what exactly went wrong.
pub(super) async fn ask(search: &ModelSearch) -> Result<ModelList, ChatError> {
    let http = search.endpoint.client(search.connections.clone())?;
    discover::list_models(&search.endpoint, &http, search.patience).await
}

fn only(mut models: Vec<ModelId>, host: &str) -> Result<ModelId, Error> {
    if models.len() > 1 {
        let names: Vec<String> = models.iter().take(TOLD).map(shown).collect();
        let more = match models.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        return Err(choose(&format!("{host} offers several models: {}{more}", names.join(", "))));
    }
    models.pop().ok_or_else(|| choose(&format!("{host} reports no models")))
}

fn shown(model: &ModelId) -> String {
    sanitize_line(model.as_str()).chars().take(LONGEST).collect()
}

/// Without a connection or with a wrong key a name would not help; many endpoints answer well but have no list.
fn unlisted(error: ChatError, host: &str) -> Error {
    if error.stage == Stage::Connect || error.remedy == Remedy::NextKey {
        return refused(error);
    }
    if error.status == Some(ABSENT) {
        let why = format!("no model is set, and {host} does not list its models ({ABSENT})");
        return Error::new(Kind::Config, why)
            .hint("try --model NAME, or check base_url; it usually ends in /v1");
    }
    choose(&format!("the endpoint does not list its models: {}", error.message))
}

/// An endpoint answers so that has nothing at this address.
const ABSENT: u16 = 404;

fn choose(why: &str) -> Error {
    Error::new(Kind::Config, format!("no model is set, and {why}")).hint("try --model NAME")
}

fn refused(error: ChatError) -> Error {
    Error::new(Kind::Config, error.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str], expected: Result<&str, &str>) {
        let models = names.iter().map(|&name| ModelId::from(name)).collect();
        let found = only(models, "h:1").map(|model| model.to_string()).map_err(|error| error.to_string());
        assert_eq!(found.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn only_the_only_model_is_taken() {
        check(&["a"], Ok("a"));
        check(&[], Err("no model is set, and h:1 reports no models (try --model NAME)"));
        check(&["a", "b"], Err("no model is set, and h:1 offers several models: a, b (try --model NAME)"));
    }

    #[test]
    fn at_most_ten_names_are_told_and_none_can_draw_on_the_terminal() {
        let names: Vec<String> = (0..12).map(|n| format!("m{n}\u{1b}[2J")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let told = "no model is set, and h:1 offers several models: m0, m1, m2, m3, m4, m5, m6, m7, m8, m9 and 2 more \
                    (try --model NAME)";
        check(&names, Err(told));
    }

    #[test]
    fn a_name_is_asked_for_only_where_it_would_help() {
        let refused = ChatError::new(Remedy::GiveUp, "cannot reach h (check base_url)").at(Stage::Connect);
        let key =
            ChatError::new(Remedy::NextKey, "h rejected the API key (check the key in K)").with_status(401);
        let absent = ChatError::new(Remedy::NextModel, "not here").with_status(404);
        assert_eq!(unlisted(refused, "h").to_string(), "cannot reach h (check base_url)");
        assert_eq!(unlisted(key, "h").to_string(), "h rejected the API key (check the key in K)");
        let told = "no model is set, and h does not list its models (404) (try --model NAME, or check \
                    base_url; it usually ends in /v1)";
        assert_eq!(unlisted(absent, "h").to_string(), told);
        let odd = unlisted(ChatError::new(Remedy::GiveUp, "odd"), "h").to_string();
        assert_eq!(odd, "no model is set, and the endpoint does not list its models: odd (try --model NAME)");
    }
}
