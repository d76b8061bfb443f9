//! From an address to the answer that stands at the end of its redirects.
//!
//! Redirects are followed here, one request after another, and each new address is judged as the first was: its form, its host,
//! and the rules. The surprise: one that leads to a host for which nobody said yes is no error. It is the answer, and the
//! model may ask for that address itself, by a call that is judged as its own.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::kind::{Kind, kind};
use crate::os::http::{Web, WebAnswer, WebUrl};
use crate::text::units;

/// As many as fetches of the peers follow; a page that needs more is looking for cookies.
const MOST_REDIRECTS: usize = 5;
/// The largest body that is read (the source design).
pub(super) const MOST_BYTES: usize = 5 * 1024 * 1024;
/// Of a page that says what went wrong, this is plenty.
const MOST_BYTES_OF_AN_ERROR: usize = 64 * 1024;

/// What following needs to know.
pub(super) struct Following<'a> {
    pub(super) web: &'a Web,
    /// From the first connection to the last byte.
    pub(super) patience: Duration,
    /// Whether another host may be asked as well.
    pub(super) allows: &'a (dyn Fn(&WebUrl) -> bool + Send + Sync),
    /// Is told how many bytes of the body are there.
    pub(super) progress: &'a (dyn Fn(&WebUrl, usize) + Send + Sync),
}

/// Where it ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// At an answer.
    Here(Fetched),
    /// At a host for which nobody said yes.
    Elsewhere {
        /// Who sends us there.
        from: WebUrl,
        /// Where.
        to: WebUrl,
    },
}

/// An answer, whole or as much of it as is read.
#[derive(Debug)]
pub(super) struct Fetched {
    pub(super) url: WebUrl,
    pub(super) status: u16,
    /// The status in words; empty where it has none.
    pub(super) reason: &'static str,
    pub(super) retry_after: Option<String>,
    pub(super) content_type: Option<String>,
    pub(super) kind: Kind,
    /// Its size, where it was said.
    pub(super) length: Option<u64>,
    /// Empty where it is not read.
    pub(super) body: Vec<u8>,
    pub(super) extent: Extent,
}

/// How much of a body is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Extent {
    Whole,
    /// The rest is too much.
    Beginning,
    /// The rest did not come, for this reason.
    CutOff(String),
}

impl Following<'_> {
    /// Asks `start`, and whoever it leads to. An error is a line: what, why, how to mend it.
    pub(super) async fn follow(&self, start: WebUrl) -> Result<Ended, String> {
        let deadline = Instant::now() + self.patience;
        let mut visited: Vec<WebUrl> = Vec::new();
        let mut url = start;
        loop {
            let asked = timeout_at(deadline, self.web.get(&url)).await;
            let answer =
                asked.map_err(|_elapsed| self.late(&url, "no answer"))?.map_err(|error| error.to_string())?;
            let Some(next) = redirect(&url, &answer)? else {
                return self.fetched(url, answer, deadline).await.map(Ended::Here);
            };
            self.web.check(&next).map_err(|error| format!("{} redirects: {error}", url.host()))?;
            if next.host() != url.host() && !(self.allows)(&next) {
                return Ok(Ended::Elsewhere { from: url, to: next });
            }
            visited.push(url);
            if visited.contains(&next) {
                return Err(format!(
                    "redirects in a circle, back to {next} (give another address of the page)"
                ));
            }
            if visited.len() > MOST_REDIRECTS {
                return Err(format!(
                    "more than {MOST_REDIRECTS} redirects, the last to {next} (if that is the page, call WebFetch with it)"
                ));
            }
            url = next;
        }
    }

    async fn fetched(
        &self,
        url: WebUrl,
        mut answer: WebAnswer,
        deadline: Instant,
    ) -> Result<Fetched, String> {
        if let Some(packed) = answer.content_encoding() {
            return Err(format!(
                "{url} sent a compressed response ({packed}) that was not requested (try Bash and curl --compressed)"
            ));
        }
        let content_type = answer.content_type().map(str::to_owned);
        let kind = kind(content_type.as_deref());
        let most = if answer.status() < 400 { MOST_BYTES } else { MOST_BYTES_OF_AN_ERROR };
        let mut body = Vec::new();
        let extent = match kind {
            Kind::Other(_) => Extent::Whole,
            Kind::Page | Kind::Text | Kind::Unsaid => {
                let read = timeout_at(deadline, self.read(&url, &mut answer, &mut body, most)).await;
                let late =
                    |_elapsed| Err(format!("no more of it came within {}", units::duration(self.patience)));
                match read.unwrap_or_else(late) {
                    Err(why) if !body.is_empty() => Extent::CutOff(why),
                    read => read.map_err(|why| format!("{url}: {why}"))?,
                }
            }
        };
        Ok(Fetched {
            url,
            status: answer.status(),
            reason: answer.reason(),
            retry_after: answer.retry_after().map(str::to_owned),
            content_type,
            kind,
            length: answer.length(),
            body,
            extent,
        })
    }

    async fn read(
        &self,
        url: &WebUrl,
        answer: &mut WebAnswer,
        body: &mut Vec<u8>,
        most: usize,
    ) -> Result<Extent, String> {
        while answer.read(body).await.map_err(|error| error.to_string())?.is_some() {
            (self.progress)(url, body.len());
            if body.len() > most {
                body.truncate(most);
                return Ok(Extent::Beginning);
            }
        }
        Ok(Extent::Whole)
    }

    fn late(&self, url: &WebUrl, came: &str) -> String {
        let patience = units::duration(self.patience);
        format!("{url}: {came} within {patience} (retry once, or continue without the page)")
    }
}

/// Where the answer sends us, if it does.
fn redirect(url: &WebUrl, answer: &WebAnswer) -> Result<Option<WebUrl>, String> {
    match (answer.status(), answer.location()) {
        (301 | 302 | 303 | 307 | 308, Some(location)) => {
            url.join(location).map(Some).map_err(|error| format!("{} redirects: {error}", url.host()))
        }
        _ => Ok(None),
    }
}
