//! What an endpoint has shown in this process: one value for all services that ask it.
//!
//! Tables say what is known of a host and of a model's family before the first request; here stands what came to light
//! since: a field that was refused, the first answer, the first call. It outlives switches of key, model and session, and dies
//! with the process: a server that was set right should not be remembered as it was. The surprising decision: it is asked
//! anew for each request, so that what one request teaches holds for the next one, whoever sends it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::accumulate::{Opening, TextCalls};
use super::compat::Dialect;
use crate::protocol::ModelId;

/// What is known of one endpoint.
#[derive(Debug)]
pub struct EndpointMemory {
    host: String,
    shown: Mutex<Shown>,
}

/// What it has shown.
#[derive(Debug, Default)]
struct Shown {
    /// Whether an answer came with calls that were sent as calls.
    native_calls: bool,
}

impl EndpointMemory {
    /// An endpoint at `host` (with or without a port) that has shown nothing yet.
    #[must_use]
    pub fn of_host(host: &str) -> Self {
        Self { host: host.to_owned(), shown: Mutex::default() }
    }

    /// How to write to it for `model`.
    #[must_use]
    pub fn dialect(&self, model: &ModelId) -> Dialect {
        Dialect::of(&self.host, model.as_str())
    }

    /// Which texts count as calls where `wanted` do: none once it has sent a call as a call.
    #[must_use]
    pub fn text_calls(&self, wanted: TextCalls) -> TextCalls {
        if self.shown().native_calls { TextCalls::Off } else { wanted }
    }

    /// What answers of `model` begin with.
    #[must_use]
    pub fn opening(&self, _model: &ModelId) -> Opening {
        Opening::Text
    }

    /// An answer came with calls that were sent as calls.
    pub fn note_native_calls(&self) {
        self.shown().native_calls = true;
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
