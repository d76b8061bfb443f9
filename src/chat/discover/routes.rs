//! The routes by which servers tell more of a model than in their list, and how the answers are read. Pure.
//!
//! The table is the order in which they count: the first that tells a window in use is right. For Ollama that is a model that
//! is loaded; one that is not has what its file sets, else what Ollama gives it by the memory that is free, which is the
//! least of its defaults until it is known better.

use serde_json::Value;

use super::known::{Bound, Known, Window};
use super::servers::Server;
use crate::chat::request::models::Ability;

/// What Ollama gives a model on a small machine (its documentation: 4k below 24 GiB of video memory).
const OLLAMA_LEAST: u64 = 4_096;

/// A question beside the list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Route {
    /// Whose it is.
    pub(super) server: Server,
    /// How it is asked.
    pub(super) ask: Ask,
    /// Beside `/v1`.
    pub(super) path: &'static str,
    /// Reads the answer for the model of this name.
    pub(super) read: fn(&Value, &str) -> Option<Known>,
}

/// How a route is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// GET.
    Plainly,
    /// POST, with the model's name.
    WithModel,
}

/// All routes.
pub(super) const ROUTES: [Route; 6] = [
    route(Server::Ollama, Ask::Plainly, "/api/ps", ollama_loaded),
    route(Server::Ollama, Ask::WithModel, "/api/show", ollama_file),
    route(Server::LlamaCpp, Ask::Plainly, "/props", llama_cpp),
    route(Server::LmStudio, Ask::Plainly, "/api/v0/models", lm_studio),
    route(Server::Sglang, Ask::Plainly, "/get_server_info", sglang),
    route(Server::LiteLlm, Ask::Plainly, "/model/info", litellm),
];

const fn route(
    server: Server,
    ask: Ask,
    path: &'static str,
    read: fn(&Value, &str) -> Option<Known>,
) -> Route {
    Route { server, ask, path, read }
}

/// `models`, those that are loaded; each with the window that it was loaded with.
fn ollama_loaded(answer: &Value, model: &str) -> Option<Known> {
    let loaded = named(answer.get("models")?, &["name", "model"], |name| is_same_tag(name, model))?;
    let window = Window::in_use(loaded.get("context_length")?.as_u64()?);
    Some(Known { window, ..Known::default() })
}

/// What the model's file says: `num_ctx` among its parameters, the largest window of its architecture, its abilities.
fn ollama_file(answer: &Value, model: &str) -> Option<Known> {
    let info = answer.get("model_info")?.as_object()?;
    let trained = info.iter().find(|(name, _)| name.ends_with(".context_length"));
    let trained = trained.and_then(|(_, tokens)| tokens.as_u64()).unwrap_or(u64::MAX);
    let parameters = answer.get("parameters").and_then(Value::as_str).unwrap_or_default();
    let set = parameters.lines().find_map(|line| line.trim().strip_prefix("num_ctx"));
    let set = set.and_then(|tokens| tokens.trim().parse::<u64>().ok());
    // what runs elsewhere has all that it was trained for
    let elsewhere = model.ends_with("-cloud") || model.ends_with(":cloud");
    let window = match set {
        Some(tokens) => Window::in_use(tokens.min(trained)),
        None if elsewhere && trained < u64::MAX => Window::in_use(trained),
        None => Some(Window { tokens: OLLAMA_LEAST.min(trained), bound: Bound::Usual }),
    };
    let known = Known { window, ..Known::read(answer) };
    if !answer.get("capabilities").is_some_and(Value::is_array) {
        return Some(known);
    }
    // the list is complete: it refuses tools and images where it does not name them
    Some(Known { images: known.images.or(Ability::No), tools: known.tools.or(Ability::No), ..known })
}

fn llama_cpp(answer: &Value, _model: &str) -> Option<Known> {
    let tokens = answer.pointer("/default_generation_settings/n_ctx").or_else(|| answer.get("n_ctx"))?;
    Some(Known { window: Window::in_use(tokens.as_u64()?), ..Known::read(answer) })
}

fn lm_studio(answer: &Value, model: &str) -> Option<Known> {
    let entry = named(answer.get("data")?, &["id"], |name| name == model)?;
    let known = Known::read(entry);
    let sees_nothing = entry.get("type").is_some_and(|kind| kind == "llm");
    Some(if sees_nothing { Known { images: known.images.or(Ability::No), ..known } } else { known })
}

fn sglang(answer: &Value, _model: &str) -> Option<Known> {
    let known = Known::read(answer);
    known.window.is_some().then_some(known)
}

fn litellm(answer: &Value, model: &str) -> Option<Known> {
    let entry = named(answer.get("data")?, &["model_name"], |name| name == model)?;
    Some(Known::read(entry))
}

/// The entry of a list whose name, under one of `fields`, `is` it.
fn named<'a>(list: &'a Value, fields: &[&str], is: impl Fn(&str) -> bool) -> Option<&'a Value> {
    let name =
        |entry: &Value| fields.iter().any(|field| entry.get(field).and_then(Value::as_str).is_some_and(&is));
    list.as_array()?.iter().find(|entry| name(entry))
}

/// Ollama takes a name without a tag for the tag `latest`.
fn is_same_tag(one: &str, other: &str) -> bool {
    let bare = |name: &str| name.strip_suffix(":latest").unwrap_or(name).to_owned();
    bare(one) == bare(other)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The window as `tokens bound`, and the abilities, out of the answer of a route.
    #[track_caller]
    fn check(path: &str, model: &str, answer: &Value, expected: Option<&str>) {
        let route = ROUTES.iter().find(|route| route.path == path).unwrap();
        let told = (route.read)(answer, model).map(|known| {
            let window = known.window.map(|window| format!("{} {:?} ", window.tokens, window.bound));
            format!("{}images {:?} tools {:?}", window.unwrap_or_default(), known.images, known.tools)
        });
        assert_eq!(told.as_deref(), expected, "{answer}");
    }

    #[test]
    fn ollama_tells_the_window_of_a_loaded_model() {
        let answer = json!({"models": [
            {"name": "qwen3:8b", "model": "qwen3:8b", "context_length": 16384},
            {"name": "llama3.2:latest", "model": "llama3.2:latest", "context_length": 4096},
        ]});
        check("/api/ps", "qwen3:8b", &answer, Some("16384 InUse images Unknown tools Unknown"));
        check("/api/ps", "llama3.2", &answer, Some("4096 InUse images Unknown tools Unknown"));
        check("/api/ps", "other", &answer, None);
        check("/api/ps", "qwen3:8b", &json!({"models": [{"name": "qwen3:8b"}]}), None);
        check("/api/ps", "qwen3:8b", &json!([]), None);
    }

    #[test]
    fn a_model_that_ollama_has_not_loaded_has_what_its_file_sets_or_the_least() {
        let answer = |parameters: &str, trained: u64| {
            json!({
                "parameters": parameters, "capabilities": ["completion", "tools"],
                "model_info": {"general.architecture": "qwen3", "qwen3.context_length": trained},
            })
        };
        let check = |model: &str, parameters: &str, trained, expected: &str| {
            let expected = format!("{expected} images No tools Yes");
            check("/api/show", model, &answer(parameters, trained), Some(&expected));
        };
        check("a", "stop  \"<|end|>\"\nnum_ctx                        32768", 131_072, "32768 InUse");
        check("a", "num_ctx 32768", 8_192, "8192 InUse");
        check("a", "temperature 1", 131_072, "4096 Usual");
        check("a", "", 2_048, "2048 Usual");
        check("gpt-oss:120b-cloud", "", 131_072, "131072 InUse");
    }

    #[test]
    fn each_server_tells_in_its_own_way() {
        let props = json!({
            "default_generation_settings": {"n_ctx": 16384, "params": {}}, "total_slots": 1,
            "modalities": {"vision": false, "audio": false},
        });
        check("/props", "any", &props, Some("16384 InUse images No tools Unknown"));
        check("/props", "any", &json!({"n_ctx": 2048}), Some("2048 InUse images Unknown tools Unknown"));
        check("/props", "any", &json!({"error": "off"}), None);
        let list = json!({"data": [
            {"id": "a", "type": "vlm", "state": "loaded", "max_context_length": 32768, "loaded_context_length": 8192},
            {"id": "b", "type": "llm", "state": "not-loaded", "max_context_length": 131_072, "capabilities": ["tool_use"]},
        ]});
        check("/api/v0/models", "a", &list, Some("8192 InUse images Yes tools Unknown"));
        check("/api/v0/models", "b", &list, Some("131072 AtMost images No tools Yes"));
        check("/api/v0/models", "c", &list, None);
        let info = json!({"context_length": null, "max_req_input_len": 32_762, "version": "0.5"});
        check("/get_server_info", "any", &info, Some("32762 InUse images Unknown tools Unknown"));
        let info = json!({"data": [{"model_name": "a", "model_info": {
            "max_tokens": 4096, "max_input_tokens": 16384, "supports_vision": true, "supports_function_calling": true,
        }}]});
        check("/model/info", "a", &info, Some("16384 InUse images Yes tools Yes"));
    }
}
