//! Which models an endpoint has.
//!
//! Not through `async_openai`: its list knows ids only, and the windows are in fields that each server names in its own
//! way. Nothing is remembered here.

use std::time::Duration;

use serde_json::Value;
use tokio::time::timeout;

use super::classify::{self, Asked, Refusal};
use super::endpoint::{self, Endpoint};
use super::{ChatError, Remedy};
use crate::protocol::ModelId;

/// A list of a thousand models with their descriptions has a quarter of this.
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;

/// Where servers on the own machine listen unless told otherwise.
pub const LOCAL_SERVERS: [(&str, &str); 4] = [
    ("Ollama", "http://127.0.0.1:11434/v1"),
    ("LM Studio", "http://127.0.0.1:1234/v1"),
    ("llama.cpp", "http://127.0.0.1:8080/v1"),
    ("vLLM", "http://127.0.0.1:8000/v1"),
];

/// Under these names servers tell how many tokens fit into a window, the one in use before the largest possible.
const WINDOW_FIELDS: [&str; 7] = [
    "loaded_context_length",
    "context_window",
    "context_length",
    "max_model_len",
    "max_context_length",
    "n_ctx",
    "n_ctx_train",
];

/// A model of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    /// How to ask for it.
    pub id: ModelId,
    /// Tokens that fit into its window, where the endpoint says so.
    pub context_window: Option<u64>,
}

/// The models of `endpoint`, in its own order, asked for within `patience`.
pub async fn list_models(
    endpoint: &Endpoint,
    http: &reqwest::Client,
    patience: Duration,
) -> Result<Vec<ListedModel>, ChatError> {
    let asked = Asked { host: endpoint.host(), key: endpoint.key_name(), model: "/models" };
    let listed = match timeout(patience, fetch(endpoint, http)).await {
        Err(_elapsed) => {
            let seconds = patience.as_secs();
            let message = format!("{} did not list its models within {seconds} s", endpoint.host());
            Err(ChatError::new(Remedy::GiveUp, message))
        }
        Ok(Err(error)) => Err(classify::unsent(asked, &endpoint::causes(error), false)),
        Ok(Ok(Reply { status, body })) if !(200..300).contains(&status) => {
            Err(classify::refusal(asked, &Refusal { status, body, ..Refusal::default() }))
        }
        Ok(Ok(reply)) => parse(&reply.body).ok_or_else(|| classify::odd(asked, &reply.body)),
    };
    listed.map_err(|error| endpoint.redact(error))
}

struct Reply {
    status: u16,
    body: String,
}

async fn fetch(endpoint: &Endpoint, http: &reqwest::Client) -> Result<Reply, reqwest::Error> {
    let request = http.get(endpoint.url("/models")).query(endpoint.query());
    let mut response = request.headers(endpoint.headers().clone()).send().await?;
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await? {
        body.extend_from_slice(&bytes);
        if body.len() > MAX_LIST_BYTES {
            break;
        }
    }
    let status = response.status().as_u16();
    Ok(Reply { status, body: String::from_utf8_lossy(&body).into_owned() })
}

/// The models in `json`: a list, or one under `data` or `models`. None where there is no such list.
fn parse(json: &str) -> Option<Vec<ListedModel>> {
    let value: Value = serde_json::from_str(json).ok()?;
    let list = ["data", "models"].into_iter().find_map(|name| value.get(name)).unwrap_or(&value);
    Some(list.as_array()?.iter().filter_map(listed).collect())
}

fn listed(value: &Value) -> Option<ListedModel> {
    let named = || ["id", "model", "name"].into_iter().find_map(|name| value.get(name)?.as_str());
    let id = value.as_str().or_else(named).filter(|id| !id.is_empty())?;
    let nested = [Some(value), value.get("meta"), value.get("top_provider")];
    let context_window = nested.into_iter().flatten().find_map(window);
    Some(ListedModel { id: id.into(), context_window })
}

fn window(value: &Value) -> Option<u64> {
    let fields = WINDOW_FIELDS.into_iter().filter_map(|field| value.get(field)?.as_u64());
    fields.into_iter().find(|tokens| *tokens > 0)
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::chat::{ApiKey, Connections};
    use crate::os::env::Env;
    use crate::os::http::Proxies;

    /// Lists the models of a server that answers `answer`; gives back what it was asked too.
    async fn list(answer: &'static str) -> (Result<Vec<ListedModel>, ChatError>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1?version=2", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut asked = vec![0; 4096];
            let length = stream.read(&mut asked).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
            String::from_utf8_lossy(&asked[..length]).into_owned()
        });
        let key = ApiKey { name: "THE_KEY".into(), secret: "sk-0123456789".into() };
        let endpoint = Endpoint::new(&base_url, Some(&key), &[]).unwrap();
        let proxies = Proxies::from_env(&Env::from_pairs(std::iter::empty::<(&str, &str)>()));
        let timeout = Duration::from_secs(10);
        let http = endpoint.client(Connections { timeout, proxies, ca_file: None }).unwrap();
        (list_models(&endpoint, &http, Duration::from_mins(1)).await, serving.await.unwrap())
    }

    #[tokio::test]
    async fn an_endpoint_is_asked_with_its_key_and_its_query() {
        let (models, asked) =
            list("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{\"data\":[{\"id\":\"a\"}]}").await;
        assert_eq!(models.unwrap(), [ListedModel { id: "a".into(), context_window: None }]);
        assert!(asked.starts_with("GET /v1/models?version=2 HTTP/1.1\r\n"), "{asked}");
        assert!(asked.contains("authorization: Bearer sk-0123456789\r\n"), "{asked}");
    }

    #[tokio::test]
    async fn an_endpoint_that_refuses_says_why() {
        let (models, _) = list("HTTP/1.1 401 No\r\nconnection: close\r\n\r\nsk-0123456789 is wrong").await;
        let error = models.unwrap_err();
        assert_eq!((error.status, error.remedy), (Some(401), Remedy::NextKey));
        assert!(error.message.contains("[secret] is wrong"), "{}", error.message);
    }

    #[test]
    fn a_list_is_found_in_many_shapes() {
        #[track_caller]
        fn check(json: &str, expected: Option<&[(&str, Option<u64>)]>) {
            let listed = parse(json);
            let listed = listed.as_ref().map(|models| {
                models.iter().map(|model| (model.id.as_str(), model.context_window)).collect::<Vec<_>>()
            });
            assert_eq!(listed.as_deref(), expected, "{json}");
        }
        check(r#"{"object":"list","data":[{"id":"a"},{"id":"b"}]}"#, Some(&[("a", None), ("b", None)]));
        check(r#"{"data":[{"id":"a","max_model_len":4096}]}"#, Some(&[("a", Some(4096))]));
        check(r#"{"data":[{"id":"a","meta":{"n_ctx_train":8192}}]}"#, Some(&[("a", Some(8192))]));
        check(
            r#"{"data":[{"id":"a","context_length":0,"top_provider":{"context_length":9}}]}"#,
            Some(&[("a", Some(9))]),
        );
        check(
            r#"[{"id":"a","max_context_length":9,"loaded_context_length":5}, "b", 7, {"id":""}]"#,
            Some(&[("a", Some(5)), ("b", None)]),
        );
        check(r#"{"models":[{"name":"a","context_window":"?"}]}"#, Some(&[("a", None)]));
        check(r#"{"data":[]}"#, Some(&[]));
        check(r#"{"error":"no"}"#, None);
        check("<html>", None);
    }
}
