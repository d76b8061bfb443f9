//! `WebFetch`: a page of the public web as Markdown.
//!
//! Not a browser: no program runs, no cookie is kept, nothing of the user's goes along. Who may be asked is said in three
//! places, and each has the last word: the rules judge the address before the call, `os` refuses what is not public, whatever
//! the rules say, and every redirect goes through both again (`follow`). The surprise: nothing is made before the first
//! call, neither a client nor a table.

mod charset;
mod follow;
mod kind;
mod markdown;
mod shallow;
mod told;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use self::follow::{Ended, Following};
use super::schema::{self, Param};
use super::{Prepared, Scene, Tool, ToolResult, looking};
use crate::os::http::{Web, WebUrl};
use crate::os::paths::PathBase;
use crate::protocol::{Access, Display, Preview, Tail, ToolSpec};
use crate::text::units;
use crate::workbench::Workbench;

/// From the first connection to the last byte (the source design).
const PATIENCE: Duration = Duration::from_secs(20);

const URL: Param = Param::text("url", "http or https address").or(&["uri", "address", "link"]);

/// The tool.
#[derive(Debug, Clone)]
pub struct WebFetch {
    web: Arc<Web>,
    patience: Duration,
}

impl WebFetch {
    /// Pages are asked for as `web` says.
    pub fn new(web: Web) -> Self {
        Self { web: Arc::new(web), patience: PATIENCE }
    }
}

impl Tool for WebFetch {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "WebFetch".into(),
            description: "Fetch a public URL: HTML as Markdown; text, JSON and XML unchanged. No login, no private addresses.".into(),
            parameters: schema::object(&[URL], &[]),
            parallel: true,
        }
    }

    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        _base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String> {
        let url = WebUrl::parse(&URL.need_some(arguments)?).map_err(|error| format!("Error: {error}"))?;
        self.web.check(&url).map_err(|error| format!("Error: {error}"))?;
        Ok(Box::new(Call { tool: self.clone(), url }))
    }
}

#[derive(Debug, Clone)]
struct Call {
    tool: WebFetch,
    url: WebUrl,
}

impl Prepared for Call {
    fn access(&self) -> Access {
        access(&self.url)
    }

    fn preview<'a>(&'a self, _bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
        Box::pin(async { Ok(Preview::Text(format!("Fetch {}", self.url))) })
    }

    fn run(self: Box<Self>, scene: Scene) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move {
            match self.carry_out(&scene).await {
                Ok(result) | Err(result) => result,
            }
        })
    }
}

impl Call {
    async fn carry_out(self, scene: &Scene) -> Result<ToolResult, ToolResult> {
        let following = Following {
            web: &self.tool.web,
            patience: self.tool.patience,
            allows: &|url| scene.host.allows(&access(url)),
            progress: &|url, bytes| {
                let line = format!("{} of {}", units::bytes(bytes as u64), url.host());
                scene.progress.send_replace(Tail { lines: vec![line], bytes: bytes as u64, count: 0 });
            },
        };
        let ended = tokio::select! {
            biased;
            () = scene.cancel.cancelled() => return Err(ToolResult::interrupted()),
            ended = following.follow(self.url) => ended,
        };
        match ended.map_err(|error| ToolResult::failed(format!("Error: {error}")))? {
            Ended::Elsewhere { from, to } => {
                let words = format!("{from} redirects to another host: call WebFetch with {to} to go there");
                Ok(ToolResult::success(words, Display::Line(format!("redirects to {to}"))))
            }
            Ended::Here(fetched) => {
                let (call, bench) = (scene.call.clone(), Arc::clone(&scene.bench));
                looking(&scene.cancel, move || told::told(&fetched, &call, bench.outputs())).await
            }
        }
    }
}

fn access(url: &WebUrl) -> Access {
    Access::Fetch { url: url.to_string() }
}
