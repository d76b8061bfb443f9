//! Local model servers, looked for on their usual ports.
//!
//! Only for the first-run screen, only on this machine, and only asked for their list of models; who does not answer at
//! once is not there. A server without a model is not offered: there would be nobody to talk to.

use std::time::Duration;

use futures_util::future::join_all;

use super::models::{ModelSearch, list_models};
use crate::chat::discover::LOCAL_SERVERS;

/// How long each is waited for: what a person takes for at once, and a hundred times what loopback needs.
const PATIENCE: Duration = Duration::from_millis(300);

/// The addresses of local servers that list at least one model, in the order of their fame.
pub async fn find_local_servers() -> Vec<String> {
    find_among(LOCAL_SERVERS.map(|(_, url)| url.to_owned()), PATIENCE).await
}

/// Those of `urls` whose server lists a model within `patience`; all are asked at once.
async fn find_among(urls: impl IntoIterator<Item = String>, patience: Duration) -> Vec<String> {
    let asked = urls.into_iter().map(|url| async move {
        let search = ModelSearch::local(&url, patience).ok()?;
        let models = tokio::time::timeout(patience, list_models(&search)).await.ok()?.ok()?;
        (!models.models.is_empty()).then_some(url)
    });
    join_all(asked).await.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::app::find_model;

    /// So long that only an answer decides.
    const LONG: Duration = Duration::from_mins(1);

    /// A server on a port of its own that answers one request; none where it never answers. Returns its address.
    async fn server(answer: Option<&'static str>) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut asked = vec![0; 4096];
            let length = stream.read(&mut asked).await.unwrap();
            assert!(asked[..length].starts_with(b"GET /v1/models HTTP/1.1\r\n"));
            match answer {
                Some(body) => {
                    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
                    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
                }
                None => std::future::pending().await,
            }
        });
        url
    }

    /// An address at which nobody listens.
    async fn nobody() -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    }

    #[tokio::test]
    async fn servers_with_a_model_are_found_in_order() {
        let first = server(Some(r#"{"data":[{"id":"a"},{"id":"b"}]}"#)).await;
        let second = server(Some(r#"{"object":"list","data":[{"id":"c"}]}"#)).await;
        let empty = server(Some(r#"{"data":[]}"#)).await;
        let other = server(Some("<html>It works</html>")).await;
        let urls = [nobody().await, first.clone(), empty, second.clone(), other];
        assert_eq!(find_among(urls, LONG).await, [first, second]);
    }

    #[tokio::test]
    async fn a_server_that_says_nothing_is_not_waited_for() {
        let silent = server(None).await;
        assert!(find_among([silent], Duration::from_millis(1)).await.is_empty());
    }

    #[tokio::test]
    async fn the_model_of_a_server_that_was_found_is_taken() {
        let url = server(Some(r#"{"data":[{"id":"only"}]}"#)).await;
        let search = ModelSearch::local(&url, LONG).unwrap();
        assert_eq!(find_model(&search).await.unwrap().as_str(), "only");
    }

    #[tokio::test]
    async fn a_server_that_is_down_is_named() {
        let search = ModelSearch::local(&nobody().await, LONG).unwrap();
        let error = find_model(&search).await.unwrap_err().to_string();
        assert!(error.starts_with("cannot reach 127.0.0.1:") && error.contains("refused"), "{error}");
    }
}
