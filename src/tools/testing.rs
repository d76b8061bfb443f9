//! A session in a directory of its own, for the tests of the tools.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

use futures_util::future::BoxFuture;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{Host, Offer, Prepared, Scene, Tool, ToolResult};
use crate::protocol::{Access, Answer, CallId, ChangedBy, Choice, SavedFile, Tail, Terms, ToolStatus};
use crate::sandbox::{Sandbox, Tier};
use crate::text::redact::Redactor;
use crate::workbench::{Bounds, Setup, Workbench};

/// The session; its directory goes with it.
pub(super) struct Session {
    _directory: TempDir,
    pub(super) root: PathBuf,
    pub(super) bench: Arc<Workbench>,
    pub(super) cancel: CancellationToken,
    pub(super) progress: Arc<watch::Sender<Tail>>,
    host: Arc<Alone>,
}

/// A run without rules: allows nothing, keeps its checkpoints in memory, and answers what it was told to.
#[derive(Default)]
struct Alone {
    saved: Mutex<Vec<SavedFile>>,
    answer: Mutex<Option<Answer>>,
    /// What was offered.
    offers: Mutex<Vec<Offer>>,
    takes_offers: AtomicBool,
    plans: AtomicBool,
}

impl Host for Alone {
    fn checkpoint(&self, _by: ChangedBy, files: Vec<SavedFile>) -> BoxFuture<'_, ()> {
        self.saved.lock().unwrap().extend(files);
        Box::pin(std::future::ready(()))
    }

    fn allows(&self, _access: &Access) -> bool {
        false
    }

    fn is_planning(&self) -> bool {
        self.plans.load(Ordering::Relaxed)
    }

    fn offer(&self, offer: Offer) -> BoxFuture<'_, bool> {
        self.offers.lock().unwrap().push(offer);
        Box::pin(std::future::ready(self.takes_offers.load(Ordering::Relaxed)))
    }

    /// Without an answer it is waited for for ever.
    fn ask(&self, _choice: Choice) -> BoxFuture<'_, Answer> {
        match self.answer.lock().unwrap().clone() {
            Some(answer) => Box::pin(std::future::ready(answer)),
            None => Box::pin(std::future::pending()),
        }
    }
}

/// A test is not the program, so it cannot help to hold a command.
fn nobody() -> &'static Sandbox {
    static NOBODY: LazyLock<Sandbox> = LazyLock::new(|| Sandbox::with(Tier::Nothing));
    &NOBODY
}

impl Session {
    /// A session in an empty directory.
    pub(super) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let environment = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
        let hidden = ("HIDDEN_TOKEN".to_owned(), "hidden-0123456789".to_owned());
        let redactor = Arc::new(Redactor::new([], [hidden]));
        let bounds = Bounds { sandbox: nobody, ..Bounds::default() };
        let setup = Setup { root: root.clone(), environment, bounds, redactor, ..Setup::default() };
        let bench = Workbench::new(setup).unwrap();
        let (cancel, progress) = (CancellationToken::new(), Arc::new(watch::Sender::default()));
        let host = Arc::default();
        Self { _directory: directory, root, bench: Arc::new(bench), cancel, progress, host }
    }

    /// A session with these files.
    pub(super) fn with(files: &[(&str, &str)]) -> Self {
        let session = Self::new();
        for (name, text) in files {
            session.write(name, text);
        }
        session
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(super) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub(super) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(super) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// What is answered to every question from now on.
    pub(super) fn answer(&self, answer: Answer) {
        *self.host.answer.lock().unwrap() = Some(answer);
    }

    /// Plan mode is on from now on.
    pub(super) fn plan(&self) {
        self.host.plans.store(true, Ordering::Relaxed);
    }

    /// What was offered to the user, who says yes from now on.
    pub(super) fn offered(&self) -> Vec<Offer> {
        self.host.takes_offers.store(true, Ordering::Relaxed);
        std::mem::take(&mut self.host.offers.lock().unwrap())
    }

    /// What was noted before files were changed.
    pub(super) fn checkpoints(&self) -> Vec<SavedFile> {
        self.host.saved.lock().unwrap().clone()
    }

    pub(super) fn prepare(&self, tool: &dyn Tool, arguments: &Value) -> Box<dyn Prepared> {
        let shell_cwd = self.bench.shell().cwd();
        let base = self.bench.path_base_in(&shell_cwd);
        tool.prepare(arguments.as_object().unwrap(), base).unwrap()
    }

    pub(super) fn scene(&self) -> Scene {
        Scene {
            call: CallId::from("call"),
            bench: Arc::clone(&self.bench),
            cancel: self.cancel.clone(),
            progress: Arc::clone(&self.progress),
            terms: Terms::default(),
            host: Arc::clone(&self.host) as Arc<dyn Host>,
        }
    }

    pub(super) async fn run(&self, tool: &dyn Tool, arguments: &Value) -> ToolResult {
        self.prepare(tool, arguments).run(self.scene()).await
    }

    /// What a call tells that must succeed.
    pub(super) async fn told(&self, tool: &dyn Tool, arguments: Value) -> String {
        let result = self.run(tool, &arguments).await;
        let text = result.content.to_text();
        assert_eq!(result.status, ToolStatus::Success, "{text}");
        text
    }

    /// What a call tells that must fail.
    pub(super) async fn error(&self, tool: &dyn Tool, arguments: Value) -> String {
        let result = self.run(tool, &arguments).await;
        let text = result.content.to_text();
        assert_eq!(result.status, ToolStatus::Failed, "{text}");
        assert!(text.starts_with("Error: "), "{text}");
        text
    }
}

/// Makes a named pipe.
pub(super) fn make_fifo(path: &Path) {
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RWXU).unwrap();
}
