//! Which models an endpoint has, and what it tells of them.
//!
//! Not through `async_openai`: its list knows ids only, and windows are in fields that each server names in its own way.
//! [`list_models`] asks for the list and says what went wrong; [`look`] finds out what it can of one model, also by the
//! server's own routes, and never fails. Nothing is remembered here. The surprising decision: nobody is asked by a route of
//! its own who has not said that it is such a server, or is not of the own network; and nothing ever goes to another
//! host than the endpoint's.

mod known;
mod list;
mod routes;
mod servers;

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout, timeout_at};

pub use known::{Bound, Known, Window};
pub use list::{ListedModel, ModelList};
use routes::{Ask, ROUTES, Route};
pub use servers::{LARGER_WINDOW, LOCAL_SERVERS, Server, is_near};

use super::classify::{self, Asked, Refusal};
use super::endpoint::{self, Endpoint};
use super::{ChatError, Remedy};
use crate::protocol::ModelId;

/// A list of a thousand models with their descriptions has a quarter of this.
const MAX_LIST_BYTES: usize = 8 * 1024 * 1024;

/// What was found out of one model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Look {
    /// What is known of it.
    pub known: Known,
    /// Which server it is, where that is known.
    pub server: Option<Server>,
    /// Which of its own routes told the window; none where the list did.
    pub route: Option<&'static str>,
    /// The list, where it was given.
    pub list: Option<ModelList>,
}

/// The models of `endpoint`, asked for within `patience`.
pub async fn list_models(
    endpoint: &Endpoint,
    http: &reqwest::Client,
    patience: Duration,
) -> Result<ModelList, ChatError> {
    let asked =
        Asked { host: endpoint.host(), base: endpoint.base(), key: endpoint.key_name(), model: "/models" };
    let request = http.get(endpoint.url("/models"));
    let listed = match timeout(patience, fetch(endpoint, request)).await {
        Err(_elapsed) => {
            let seconds = patience.as_secs();
            let message = format!("{} did not list its models within {seconds} s", endpoint.host());
            Err(ChatError::new(Remedy::GiveUp, message))
        }
        Ok(Err(error)) => Err(classify::unsent(asked, &endpoint::causes(error), false)),
        Ok(Ok(Reply { status, body, .. })) if !(200..300).contains(&status) => {
            Err(classify::refusal(asked, &Refusal { status, body, ..Refusal::default() }))
        }
        Ok(Ok(Reply { body, server, .. })) => match ModelList::parse(&body) {
            Some(list) => Ok(ModelList { server: server.or(list.server), ..list }),
            None => Err(classify::odd(asked, &body)),
        },
    };
    listed.map_err(|error| endpoint.redact(error))
}

/// Finds out what it can of `model` within `patience`; what is not answered is not known.
pub async fn look(endpoint: &Endpoint, http: &reqwest::Client, model: &ModelId, patience: Duration) -> Look {
    if servers::is_mute(endpoint.host()) {
        return Look::default();
    }
    let until = Instant::now() + patience;
    let list = list_models(endpoint, http, patience).await.ok();
    let server = list.as_ref().and_then(|list| list.server);
    let listed = list.as_ref().and_then(|list| list.get(model.as_str()));
    let known = listed.map(|model| model.known).unwrap_or_default();
    let mut look = Look { known, server, route: None, list };
    if is_in_use(known) {
        return look;
    }
    let routes = asked_of(server, endpoint.host());
    let answers = routes.map(|route| async move {
        let answer = timeout_at(until, ask(endpoint, http, route, model)).await.ok()??;
        Some((route, (route.read)(&answer, model.as_str())?))
    });
    for (route, told) in join_all(answers).await.into_iter().flatten() {
        let or = look.known.or(told);
        if or.window != look.known.window {
            look.route = Some(route.path);
        }
        look.server = look.server.or(Some(route.server));
        look.known = or;
    }
    look
}

/// The routes that are asked: those of the server that it says it is, all where it says nothing and is near.
fn asked_of(server: Option<Server>, host: &str) -> impl Iterator<Item = &'static Route> {
    let near = is_near(host);
    ROUTES.iter().filter(move |route| server.map_or(near, |server| server == route.server))
}

fn is_in_use(known: Known) -> bool {
    known.window.is_some_and(|window| window.bound == Bound::InUse)
}

/// Asks one route; silent where it does not answer with JSON.
async fn ask(endpoint: &Endpoint, http: &reqwest::Client, route: &Route, model: &ModelId) -> Option<Value> {
    let address = format!("{}{}", servers::root(endpoint.base()), route.path);
    let request = match route.ask {
        Ask::Plainly => http.get(address),
        Ask::WithModel => http
            .post(address)
            .header("content-type", "application/json")
            .body(json!({ "model": model.as_str() }).to_string()),
    };
    let reply = fetch(endpoint, request).await.ok()?;
    (200..300).contains(&reply.status).then(|| serde_json::from_str(&reply.body).ok())?
}

struct Reply {
    status: u16,
    body: String,
    server: Option<Server>,
}

async fn fetch(endpoint: &Endpoint, request: reqwest::RequestBuilder) -> Result<Reply, reqwest::Error> {
    let request = request.query(endpoint.query());
    let mut response = request.headers(endpoint.headers().clone()).send().await?;
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await? {
        body.extend_from_slice(&bytes);
        if body.len() > MAX_LIST_BYTES {
            break;
        }
    }
    let server = Server::by_head(|name| response.headers().get(name)?.to_str().ok());
    let status = response.status().as_u16();
    Ok(Reply { status, body: String::from_utf8_lossy(&body).into_owned(), server })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::chat::{ApiKey, Connections};
    use crate::os::env::Env;
    use crate::os::http::{Proxies, Roots};

    const LONG: Duration = Duration::from_mins(1);

    /// A server that answers by path, and 404 elsewhere; what it was asked is kept.
    struct Served {
        address: String,
        asked: Arc<Mutex<Vec<String>>>,
    }

    impl Served {
        /// `answers`: path, and what stands behind the status line.
        async fn with(answers: &[(&'static str, &'static str)]) -> Self {
            let answers: BTreeMap<_, _> = answers.iter().copied().collect();
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap().to_string();
            let asked = Arc::new(Mutex::new(Vec::new()));
            let noted = Arc::clone(&asked);
            tokio::spawn(async move {
                loop {
                    let (mut stream, _) = listener.accept().await.unwrap();
                    let mut bytes = vec![0; 4096];
                    let length = stream.read(&mut bytes).await.unwrap();
                    let request = String::from_utf8_lossy(&bytes[..length]).into_owned();
                    let path = request.split([' ', '?']).nth(1).unwrap_or_default();
                    let absent = "404 No\r\nconnection: close\r\n\r\n{}";
                    let answer = format!("HTTP/1.1 {}", answers.get(path).unwrap_or(&absent));
                    noted.lock().unwrap().push(request);
                    stream.write_all(answer.as_bytes()).await.unwrap();
                }
            });
            Self { address, asked }
        }

        fn endpoint(&self) -> (Endpoint, reqwest::Client) {
            let key = ApiKey { name: "THE_KEY".into(), secret: "sk-0123456789".into() };
            let base_url = format!("http://{}/v1?version=2", self.address);
            let endpoint = Endpoint::new(&base_url, Some(&key), &[]).unwrap();
            let proxies = Proxies::from_env(&Env::from_pairs(std::iter::empty::<(&str, &str)>()));
            let timeout = Duration::from_secs(10);
            let http = endpoint.client(Connections { timeout, proxies, roots: Roots::default() }).unwrap();
            (endpoint, http)
        }

        async fn list(&self) -> Result<ModelList, ChatError> {
            let (endpoint, http) = self.endpoint();
            list_models(&endpoint, &http, LONG).await
        }

        /// What is found out of the model `a`: the window, who told it, and whether it was asked by which paths.
        async fn look(&self) -> (Look, Vec<String>) {
            let (endpoint, http) = self.endpoint();
            let look = look(&endpoint, &http, &"a".into(), LONG).await;
            let asked = self.asked.lock().unwrap();
            let mut paths: Vec<String> = asked
                .iter()
                .filter_map(|request| Some(request.split([' ', '?']).nth(1)?.to_owned()))
                .collect();
            paths.sort();
            (look, paths)
        }
    }

    macro_rules! ok {
        ($body:literal) => {
            concat!("200 OK\r\nconnection: close\r\n\r\n", $body)
        };
    }

    #[tokio::test]
    async fn an_endpoint_is_asked_with_its_key_and_its_query() {
        let served = Served::with(&[("/v1/models", ok!("{\"data\":[{\"id\":\"a\"}]}"))]).await;
        assert_eq!(served.list().await.unwrap().models[0].id, "a".into());
        let asked = served.asked.lock().unwrap().pop().unwrap();
        assert!(asked.starts_with("GET /v1/models?version=2 HTTP/1.1\r\n"), "{asked}");
        assert!(asked.contains("authorization: Bearer sk-0123456789\r\n"), "{asked}");
    }

    #[tokio::test]
    async fn an_endpoint_that_refuses_says_why() {
        let refused = "401 No\r\nconnection: close\r\n\r\nsk-0123456789 is wrong";
        let error = Served::with(&[("/v1/models", refused)]).await.list().await.unwrap_err();
        assert_eq!((error.status, error.remedy), (Some(401), Remedy::NextKey));
        assert!(error.message.contains("[redacted key] is wrong"), "{}", error.message);
    }

    #[tokio::test]
    async fn a_server_that_says_who_it_is_is_asked_by_its_own_routes_alone() {
        let list = ok!("{\"data\":[{\"id\":\"a\",\"owned_by\":\"library\"}]}");
        let loaded = ok!("{\"models\":[{\"name\":\"a:latest\",\"context_length\":8192}]}");
        let file = ok!("{\"model_info\":{\"x.context_length\":40960},\"capabilities\":[\"vision\"]}");
        let served = Served::with(&[("/v1/models", list), ("/api/ps", loaded), ("/api/show", file)]).await;
        let (look, asked) = served.look().await;
        assert_eq!((look.known.window, look.route), (Window::in_use(8192), Some("/api/ps")));
        assert_eq!(
            (look.server, look.known.images),
            (Some(Server::Ollama), crate::chat::request::models::Ability::Yes)
        );
        assert_eq!(asked, ["/api/ps", "/api/show", "/v1/models"]);
    }

    #[tokio::test]
    async fn near_us_a_server_that_says_nothing_is_asked_by_all_routes() {
        let list = "200 OK\r\nconnection: close\r\n\r\n{\"data\":[{\"id\":\"a\"}]}";
        let props = ok!("{\"default_generation_settings\":{\"n_ctx\":2048}}");
        let served = Served::with(&[("/v1/models", list), ("/props", props)]).await;
        let (look, asked) = served.look().await;
        assert_eq!((look.known.window, look.server), (Window::in_use(2048), Some(Server::LlamaCpp)));
        assert_eq!(asked.len(), ROUTES.len() + 1);
    }

    #[tokio::test]
    async fn where_the_list_tells_the_window_nobody_is_asked_again() {
        let list = ok!("{\"data\":[{\"id\":\"a\",\"max_model_len\":4096,\"owned_by\":\"vllm\"}]}");
        let (look, asked) = Served::with(&[("/v1/models", list)]).await.look().await;
        assert_eq!((look.known.window, look.server), (Window::in_use(4096), Some(Server::Vllm)));
        assert_eq!(asked, ["/v1/models"]);
    }

    #[tokio::test]
    async fn a_server_that_tells_nothing_is_no_failure() {
        let (look, _) = Served::with(&[]).await.look().await;
        assert_eq!(look, Look::default());
    }

    #[test]
    fn a_strangers_routes_are_not_tried() {
        assert_eq!(asked_of(None, "llm.example.com").count(), 0);
        assert_eq!(asked_of(Some(Server::Ollama), "llm.example.com").count(), 2);
        assert_eq!(asked_of(Some(Server::Vllm), "127.0.0.1:8000").count(), 0);
        assert_eq!(asked_of(None, "192.168.1.2:8000").count(), ROUTES.len());
    }

    #[tokio::test]
    async fn makers_are_not_asked_at_all() {
        let served = Served::with(&[]).await;
        let (_, http) = served.endpoint();
        let endpoint = Endpoint::new("https://api.openai.com/v1", None, &[]).unwrap();
        // the name would not even resolve here: the answer is there at once
        assert_eq!(look(&endpoint, &http, &"gpt-5".into(), LONG).await, Look::default());
    }
}
