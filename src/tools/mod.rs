//! What the model can do.
//!
//! A tool *prepares* a call from the words of its arguments alone: nothing is opened, so that a call which a rule
//! forbids cannot tell what it would have found. A prepared call says what it will touch ([`Access`]), can look in
//! order to show a person what would happen ([`Prepared::preview`]), and runs once: running consumes it. Whether it may
//! run is decided elsewhere; this room knows no rule, no loop and no screen.

pub mod registry;
pub mod schema;

pub mod ask_user;
pub mod background;
pub mod bash;
mod brief;
pub mod edit;
pub mod exit_plan;
pub mod fetch;
pub mod glob;
pub mod grep;
pub mod index;
pub mod mention;
pub mod patch;
pub mod read;
pub mod todo;
pub mod write;

mod change;
mod host;
mod near;
mod recall;
mod target;
mod touched;
mod tree;
mod walk;

#[cfg(test)]
mod races_test;
#[cfg(test)]
mod testing;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::os::paths::PathBase;
use crate::protocol::{Access, CallId, Content, Display, Preview, Tail, Terms, ToolSpec, ToolStatus};
use crate::workbench::Workbench;

pub use edit::view::text_of;
pub use host::{Host, NoHost, Offer};
pub use recall::recall;
pub use registry::{EditTool, Selection, ToolRegistry};
pub use touched::{Touched, touched};

/// One tool.
pub trait Tool: Send + Sync {
    /// Its specification. The registry asks for it once.
    fn spec(&self) -> ToolSpec;

    /// Reads the arguments; opens nothing. Relative paths and `~` are resolved by `base`. An error is told to the model as it is.
    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String>;
}

/// A call that is ready to run.
pub trait Prepared: Send + Sync {
    /// What it will touch.
    fn access(&self) -> Access;

    /// Looks, and says what a person should see before saying yes. An error means that it cannot succeed (no such
    /// file, no match): then nobody is asked and the model is told at once.
    fn preview<'a>(&'a self, bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>>;

    /// Runs it.
    fn run(self: Box<Self>, scene: Scene) -> BoxFuture<'static, ToolResult>;
}

/// What a running call has at hand.
#[derive(Clone)]
pub struct Scene {
    /// Which call it is: names the file of a long output.
    pub call: CallId,
    /// What lives as long as the session.
    pub bench: Arc<Workbench>,
    /// Fires when the call is to end now.
    pub cancel: CancellationToken,
    /// Where its newest output goes; the latest wins.
    pub progress: Arc<watch::Sender<Tail>>,
    /// On which terms it was let through.
    pub terms: Terms,
    /// The run that it belongs to.
    pub host: Arc<dyn Host>,
}

/// The error of a stopped call; the loop replaces it if something other than the user stopped the run.
pub const INTERRUPTED: &str = "interrupted by the user";

/// What a call gave.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// What became of it.
    pub status: ToolStatus,
    /// What the model gets; an error begins with `Error:`.
    pub content: Content,
    /// What a person sees.
    pub display: Display,
}

impl ToolResult {
    /// It did what it was asked.
    pub fn success(text: impl Into<String>, display: Display) -> Self {
        Self { status: ToolStatus::Success, content: Content::text(text), display }
    }

    /// It could not; `error` begins with `Error: ` and its first line is what a person sees.
    pub fn failed(error: impl Into<String>) -> Self {
        let error = error.into();
        let display = Display::Line(error.lines().next().unwrap_or_default().to_owned());
        Self { status: ToolStatus::Failed, content: Content::text(error), display }
    }

    /// It was stopped before there was anything to tell.
    pub fn interrupted() -> Self {
        Self { status: ToolStatus::Interrupted, ..Self::failed(format!("Error: {INTERRUPTED}")) }
    }
}

/// Runs what blocks on a thread of its own. Nobody waits for it once `cancel` fires: only for what reads.
async fn looking<T: Send + 'static>(
    cancel: &CancellationToken,
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, ToolResult> {
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(ToolResult::interrupted()),
        done = tokio::task::spawn_blocking(work) => match done {
            Ok(done) => done.map_err(ToolResult::failed),
            Err(error) => Err(ToolResult::failed(format!("Error: the tool failed: {error}"))),
        },
    }
}

/// Looks for a preview on a thread of its own: the file may be large, and the screen goes on meanwhile.
async fn previewing(
    work: impl FnOnce() -> Result<Preview, String> + Send + 'static,
) -> Result<Preview, String> {
    let looked = tokio::task::spawn_blocking(work).await;
    looked.unwrap_or_else(|error| Err(format!("Error: the tool failed: {error}")))
}

/// Runs what changes something on a thread of its own, to its end: half a change would be worse than a late stop.
async fn changing<T: Send + 'static>(
    cancel: &CancellationToken,
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, ToolResult> {
    if cancel.is_cancelled() {
        return Err(ToolResult::interrupted());
    }
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(ToolResult::failed),
        Err(error) => Err(ToolResult::failed(format!("Error: the tool failed: {error}"))),
    }
}
