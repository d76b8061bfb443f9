//! A list of models, as an endpoint writes it. Pure.

use serde_json::Value;

use super::known::Known;
use super::servers::Server;
use crate::protocol::ModelId;

/// A model of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    /// How to ask for it.
    pub id: ModelId,
    /// What the list says of it.
    pub known: Known,
}

/// The models of an endpoint, in its own order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelList {
    /// The models.
    pub models: Vec<ListedModel>,
    /// Which server it is, where it says so.
    pub server: Option<Server>,
}

impl ModelList {
    /// The list in `json`: a list, or one under `data` or `models`. None where there is no such list.
    pub(super) fn parse(json: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(json).ok()?;
        let list = ["data", "models"].into_iter().find_map(|name| value.get(name)).unwrap_or(&value);
        let list = list.as_array()?;
        let owner = |model: &Value| Server::by_owner(model.get("owned_by")?.as_str()?);
        Some(Self { models: list.iter().filter_map(listed).collect(), server: list.iter().find_map(owner) })
    }

    /// The model of this name.
    #[must_use]
    pub fn get(&self, model: &str) -> Option<&ListedModel> {
        self.models.iter().find(|listed| listed.id.as_str() == model)
    }
}

/// A list of nothing but names.
impl From<ModelId> for ModelList {
    fn from(id: ModelId) -> Self {
        Self { models: vec![ListedModel { id, known: Known::default() }], server: None }
    }
}

fn listed(value: &Value) -> Option<ListedModel> {
    let named = || ["id", "model", "name"].into_iter().find_map(|name| value.get(name)?.as_str());
    let id = value.as_str().or_else(named).filter(|id| !id.is_empty())?;
    Some(ListedModel { id: id.into(), known: Known::read(value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_found_in_many_shapes() {
        #[track_caller]
        fn check(json: &str, expected: Option<&[(&str, Option<u64>)]>) {
            let list = ModelList::parse(json);
            let list = list.as_ref().map(|list| {
                let window = |model: &ListedModel| model.known.window.map(|window| window.tokens);
                list.models.iter().map(|model| (model.id.as_str(), window(model))).collect::<Vec<_>>()
            });
            assert_eq!(list.as_deref(), expected, "{json}");
        }
        check(r#"{"object":"list","data":[{"id":"a"},{"id":"b"}]}"#, Some(&[("a", None), ("b", None)]));
        check(r#"{"data":[{"id":"a","max_model_len":4096}]}"#, Some(&[("a", Some(4096))]));
        check(r#"[{"id":"a","context_length":5}, "b", 7, {"id":""}]"#, Some(&[("a", Some(5)), ("b", None)]));
        check(
            r#"{"data":[{"id":"a","object":"model","created":1,"owned_by":"openai","max_input_tokens":8192,"max_output_tokens":4096},
                {"id":"b","max_input_tokens":null}]}"#,
            Some(&[("a", Some(8192)), ("b", None)]),
        );
        check(r#"{"models":[{"name":"a","context_window":"?"}]}"#, Some(&[("a", None)]));
        check(r#"{"data":[]}"#, Some(&[]));
        check(r#"{"error":"no"}"#, None);
        check("<html>", None);
    }

    #[test]
    fn a_list_may_say_whose_it_is() {
        let server = |json| ModelList::parse(json).unwrap().server;
        assert_eq!(server(r#"{"data":[{"id":"a","owned_by":"vllm"}]}"#), Some(Server::Vllm));
        assert_eq!(server(r#"{"data":[{"id":"a","owned_by":"openai"},{"id":"b"}]}"#), None);
    }
}
