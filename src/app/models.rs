//! Which models the endpoint has, and what is known of them.
//!
//! Asked only where no model is named, or where a list is wanted; nothing is remembered. An endpoint that lists several
//! is no reason to guess: a wrong model costs money or answers badly.

use std::time::Duration;

use crate::chat::{ChatError, Connections, Endpoint, Remedy, Stage, discover, models};
use crate::error::{Error, Kind};
use crate::os::http::{Proxies, Roots};
use crate::protocol::ModelId;
use crate::text::sanitize::sanitize_line;

/// How long a list may take once connected: some servers look at their disks first.
const PATIENCE: Duration = Duration::from_secs(10);
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
pub async fn list_models(search: &ModelSearch) -> Result<Vec<ModelId>, Error> {
    list(search).await.map_err(refused)
}

/// The endpoint's only model.
///
/// # Errors
/// Where it lists none or several, or cannot be asked.
pub async fn find_model(search: &ModelSearch) -> Result<ModelId, Error> {
    match list(search).await {
        Ok(models) => only(models, search.endpoint.host()),
        Err(error) => Err(unlisted(error)),
    }
}

/// The tokens of a model's window, where the table knows it.
pub(super) fn window_of(model: &str) -> Option<u64> {
    models::context_window(model)
}

pub(super) fn none_named() -> Error {
    Error::new(Kind::Config, "no model is named")
        .hint("try --model NAME, or `model = \"NAME\"` in config.toml")
}

async fn list(search: &ModelSearch) -> Result<Vec<ModelId>, ChatError> {
    let http = search.endpoint.client(search.connections.clone())?;
    let listed = discover::list_models(&search.endpoint, &http, search.patience).await?;
    Ok(listed.into_iter().map(|model| model.id).collect())
}

fn only(mut models: Vec<ModelId>, host: &str) -> Result<ModelId, Error> {
    if models.len() > 1 {
        let names: Vec<String> = models.iter().take(TOLD).map(shown).collect();
        let more = match models.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        return Err(choose(&format!("{host} has several: {}{more}", names.join(", "))));
    }
    models.pop().ok_or_else(|| choose(&format!("{host} lists none")))
}

fn shown(model: &ModelId) -> String {
    sanitize_line(model.as_str()).chars().take(LONGEST).collect()
}

/// Without a connection or with a wrong key a name would not help; many endpoints answer well but have no list.
fn unlisted(error: ChatError) -> Error {
    if error.stage == Stage::Connect || error.remedy == Remedy::NextKey {
        return refused(error);
    }
    choose(&format!("the endpoint gives no list: {}", error.message))
}

fn choose(why: &str) -> Error {
    Error::new(Kind::Config, format!("no model is named, and {why}")).hint("try --model NAME")
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
        check(&[], Err("no model is named, and h:1 lists none (try --model NAME)"));
        check(&["a", "b"], Err("no model is named, and h:1 has several: a, b (try --model NAME)"));
    }

    #[test]
    fn at_most_ten_names_are_told_and_none_can_draw_on_the_terminal() {
        let names: Vec<String> = (0..12).map(|n| format!("m{n}\u{1b}[2J")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let told = "no model is named, and h:1 has several: m0, m1, m2, m3, m4, m5, m6, m7, m8, m9 and 2 more \
                    (try --model NAME)";
        check(&names, Err(told));
    }

    #[test]
    fn a_name_is_asked_for_only_where_it_would_help() {
        let refused = ChatError::new(Remedy::GiveUp, "cannot reach h (check base_url)").at(Stage::Connect);
        let key = ChatError::new(Remedy::NextKey, "h refused the key (check the key in K)").with_status(401);
        let absent = ChatError::new(Remedy::NextModel, "not here").with_status(404);
        assert_eq!(unlisted(refused).to_string(), "cannot reach h (check base_url)");
        assert_eq!(unlisted(key).to_string(), "h refused the key (check the key in K)");
        let told = "no model is named, and the endpoint gives no list: not here (try --model NAME)";
        assert_eq!(unlisted(absent).to_string(), told);
    }

    #[test]
    fn a_known_family_has_a_window() {
        assert_eq!((window_of("qwen3-coder"), window_of("no-such-model")), (Some(262_144), None));
    }
}
