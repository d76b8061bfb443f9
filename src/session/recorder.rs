//! Between the loop and whoever watches it: written first, passed on second.
//!
//! A [`Recorder`] is a [`Sink`] around a sink. Entries go to the file before anybody sees them; everything else passes straight
//! through. When the file cannot be written the run goes on, and the change is told once, in both directions.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::BoxFuture;

use super::log::{Saved, SessionLog};
use crate::agent::Sink;
use crate::protocol::{AgentEvent, Entry, EntryBody, History, Message, ModelId, NoticeKind, SessionId};

/// The session's file as all who write to it share it; none where nothing is kept.
#[derive(Debug, Clone, Default)]
pub struct SharedLog {
    inner: Option<Arc<Mutex<Kept>>>,
}

#[derive(Debug)]
struct Kept {
    log: SessionLog,
    saved: bool,
}

/// Writes first, passes on second.
pub struct Recorder {
    log: SharedLog,
    next: Arc<dyn Sink>,
}

impl SharedLog {
    /// Shares `log`.
    #[must_use]
    pub fn new(log: SessionLog) -> Self {
        Self { inner: Some(Arc::new(Mutex::new(Kept { log, saved: true }))) }
    }

    /// Keeps nothing.
    #[must_use]
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Which session; none where nothing is kept.
    #[must_use]
    pub fn id(&self) -> Option<SessionId> {
        self.lock().map(|kept| kept.log.id().clone())
    }

    /// The model with which the session begins, as long as nothing was said.
    pub fn name_model(&self, model: &ModelId) {
        if let Some(mut kept) = self.lock() {
            kept.log.name_model(model);
        }
    }

    /// Writes an entry; says whether that changed from working to not working or back, or that what was written earlier can
    /// no longer be read.
    #[must_use]
    pub fn append(&self, entry: &Entry) -> Option<AgentEvent> {
        let mut kept = self.lock()?;
        let saved = kept.log.append(entry);
        if calls_tools(entry) {
            kept.log.sync();
        }
        kept.change_to(saved).or_else(|| kept.loss())
    }

    /// Tries once more to write what waits, and has the disk confirm it: at the end of a run. Says what changed, like
    /// [`SharedLog::append`].
    pub fn sync(&self) -> Option<AgentEvent> {
        let mut kept = self.lock()?;
        let saved = kept.log.flush();
        kept.log.sync();
        kept.change_to(saved).or_else(|| kept.loss())
    }

    /// Whether all that was said is in the file; also where nothing is kept.
    #[must_use]
    pub fn is_saved(&self) -> bool {
        self.lock().is_none_or(|kept| kept.saved)
    }

    /// Behind a summary: has `history` let go of long results that no request sends and that the file has.
    pub fn relieve(&self, history: &mut History) {
        if history.summary().is_some()
            && let Some(kept) = self.lock()
        {
            history.let_go(|position| kept.log.result(position));
        }
    }

    fn lock(&self) -> Option<MutexGuard<'_, Kept>> {
        // The log is whole between any two calls, so a panic elsewhere does not make it unusable.
        self.inner.as_ref().map(|inner| inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Kept {
    /// Whether what is told of the file has changed.
    fn change_to(&mut self, saved: Saved) -> Option<AgentEvent> {
        let was = std::mem::replace(&mut self.saved, saved == Saved::Yes);
        let (kind, text) = match (was, saved) {
            (true, Saved::Yes) | (false, Saved::NotYet(_)) => return None,
            (false, Saved::Yes) => {
                (NoticeKind::Saved, "session saved again: all entries are in the file".to_owned())
            }
            (true, Saved::NotYet(why)) => (
                NoticeKind::NotSaved,
                format!(
                    "session not saved: {why} (the run continues; pending entries are written when possible)"
                ),
            ),
        };
        Some(AgentEvent::Notice { kind, text })
    }
}

impl Kept {
    /// What is told once where something was left in the file and is gone from it.
    fn loss(&self) -> Option<AgentEvent> {
        self.log.has_lost().then(|| AgentEvent::Notice {
            kind: NoticeKind::Info,
            text: format!(
                "cannot read some old results: another program modified {} (new messages are still saved)",
                self.log.path().display()
            ),
        })
    }
}

impl Recorder {
    /// Writes to `log`, then passes on to `next`.
    #[must_use]
    pub fn new(log: SharedLog, next: Arc<dyn Sink>) -> Self {
        Self { log, next }
    }
}

impl Sink for Recorder {
    fn emit(&self, event: AgentEvent) -> BoxFuture<'_, ()> {
        let changed = match &event {
            AgentEvent::Recorded(entry) => self.log.append(entry),
            AgentEvent::TurnStart { .. }
            | AgentEvent::Waiting(_)
            | AgentEvent::ThinkingDelta(_)
            | AgentEvent::TextDelta(_)
            | AgentEvent::ToolStart { .. }
            | AgentEvent::ToolProgress { .. }
            | AgentEvent::ToolResult { .. }
            | AgentEvent::PermissionDenied { .. }
            | AgentEvent::Retry { .. }
            | AgentEvent::Measured { .. }
            | AgentEvent::Compaction { .. }
            | AgentEvent::Notice { .. } => None,
        };
        Box::pin(async move {
            self.next.emit(event).await;
            if let Some(notice) = changed {
                self.next.emit(notice).await;
            }
        })
    }
}

/// Tools are about to run: the disk should know of the call before its effects are there.
fn calls_tools(entry: &Entry) -> bool {
    matches!(&entry.body, EntryBody::Message(Message::Assistant(answer)) if !answer.tool_calls.is_empty())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::protocol::SessionHead;

    /// Looks into the file at the moment at which it is shown an entry.
    struct Witness {
        file: PathBuf,
        seen: Mutex<Vec<bool>>,
    }

    impl Sink for Witness {
        fn emit(&self, event: AgentEvent) -> BoxFuture<'_, ()> {
            if let AgentEvent::Recorded(entry) = event {
                let line = super::super::entry::to_line(&entry);
                let file = std::fs::read_to_string(&self.file).unwrap_or_default();
                self.seen.lock().unwrap().push(file.lines().any(|kept| kept == line));
            }
            Box::pin(std::future::ready(()))
        }
    }

    fn log(dir: &std::path::Path) -> SessionLog {
        let head = SessionHead {
            version: 1,
            id: "s".into(),
            cwd: "/w".to_owned(),
            model: "m".into(),
            clawd_version: "0".to_owned(),
            parent: None,
        };
        SessionLog::create(dir, head, 1)
    }

    #[tokio::test]
    async fn an_entry_is_in_the_file_before_anybody_sees_it() {
        let dir = tempfile::tempdir().unwrap();
        let log = log(dir.path());
        let witness = Arc::new(Witness { file: log.path().to_owned(), seen: Mutex::default() });
        let recorder = Recorder::new(SharedLog::new(log), Arc::clone(&witness) as Arc<dyn Sink>);
        for text in ["one", "two"] {
            recorder.emit(AgentEvent::Recorded(Entry::message(1, Message::user(text)))).await;
        }
        assert_eq!(*witness.seen.lock().unwrap(), [true, true]);
    }

    #[tokio::test]
    async fn what_cannot_be_kept_is_told_once_in_each_direction() {
        let dir = tempfile::tempdir().unwrap();
        let blocked = dir.path().join("p");
        std::fs::write(&blocked, "").unwrap();
        let log = SharedLog::new(log(&blocked));
        let say = |text: &str| log.append(&Entry::message(1, Message::user(text)));
        let kind = |event: Option<AgentEvent>| match event {
            Some(AgentEvent::Notice { kind, .. }) => Some(kind),
            Some(other) => panic!("{other:?}"),
            None => None,
        };
        assert_eq!(kind(say("one")), Some(NoticeKind::NotSaved));
        assert_eq!(kind(say("two")), None);
        std::fs::remove_file(&blocked).unwrap();
        assert_eq!(kind(log.sync()), Some(NoticeKind::Saved));
        assert_eq!(kind(say("three")), None);
    }
}
