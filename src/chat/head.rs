//! What the head of an answer tells, and the body of one that is a refusal.
//!
//! Not the reading of a good body, which is [`crate::chat::answer::body`]'s. The surprising decision: whether a line stays open is read
//! off the head, for the library that keeps lines does not tell which one a request gets.

use std::time::Duration;

use reqwest::header::{CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, HeaderValue, TRANSFER_ENCODING};
use reqwest::{Response, StatusCode, Version};
use tokio::time::{Instant, timeout_at};

use super::classify::{self, Refusal};
use crate::chat::request::memory::EndpointMemory;
use crate::os::clock::{Clock, SystemClock};
use crate::text::sanitize::sanitize_line;

/// Of an error's body; its text is cut to much less.
const MAX_ERROR_BYTES: usize = 64 * 1024;

/// For an error's body. Its status is known by then.
const ERROR_BODY: Duration = Duration::from_secs(5);

/// How the body is packed; none where it is as it should be, for nothing else was asked for.
pub(super) fn packed(response: &Response) -> Option<String> {
    let coding = response.headers().get(CONTENT_ENCODING)?.to_str().unwrap_or("unreadable").trim();
    let is_plain = coding.is_empty() || coding.eq_ignore_ascii_case("identity");
    (!is_plain).then(|| sanitize_line(coding).into_owned())
}

/// Whether the line stays open behind the end of this answer, by what its head says.
pub(super) fn keeps_line(response: &Response) -> bool {
    let headers = response.headers();
    let has_end = response.status() == StatusCode::NO_CONTENT
        || headers.contains_key(CONTENT_LENGTH)
        || headers.contains_key(TRANSFER_ENCODING);
    let closes = |value: &HeaderValue| value.to_str().is_ok_and(|said| said.eq_ignore_ascii_case("close"));
    response.version() == Version::HTTP_11 && has_end && !headers.get_all(CONNECTION).iter().any(closes)
}

/// The refusal that this answer is, its body read as far as it is needed.
pub(super) async fn refusal(mut response: Response, memory: &EndpointMemory) -> Refusal {
    let keeps = keeps_line(&response);
    let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
    let mut refusal = Refusal {
        status: response.status().as_u16(),
        retry_after: classify::retry_after(header, SystemClock.now_ms()),
        location: header("location").map(str::to_owned),
        body: String::new(),
    };
    let mut body = Vec::new();
    let deadline = Instant::now() + ERROR_BODY;
    while let Ok(Ok(next)) = timeout_at(deadline, response.chunk()).await {
        let Some(bytes) = next else {
            if keeps {
                memory.note_line();
            }
            break;
        };
        body.extend_from_slice(&bytes);
        if body.len() > MAX_ERROR_BYTES {
            break;
        }
    }
    refusal.body = String::from_utf8_lossy(&body).into_owned();
    refusal
}
