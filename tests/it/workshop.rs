//! A project in which a scripted model calls tools: what each call is told, and what came of the run.
//!
//! ```ignore
//! let shop = Workshop::new().file("a.txt", "one\n");
//! assert_eq!(shop.tell("Read", json!({"file_path": "a.txt"})), "1\tone");
//! ```
//!
//! Runs are headless and in `bypass` unless a test says otherwise: what a tool does is seen apart from who may
//! call it. What the model was told is taken from its next request, not from the program's own events.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};

use serde_json::Value;

use crate::endpoint::{Call, Endpoint, call, calls, text};
use crate::harness::{Clawd, Output, Running};
use crate::watched::DEADLINE;

/// A project, and the model's side of it.
pub(crate) struct Workshop {
    clawd: Clawd,
    endpoint: Endpoint,
    mode: &'static str,
    extra: Vec<String>,
}

/// A run that has ended.
pub(crate) struct Run {
    pub(crate) output: Output,
    /// What the calls were told, in the order in which the last request has it.
    pub(crate) told: Vec<String>,
}

impl Workshop {
    /// In `bypass`.
    pub(crate) fn new() -> Self {
        Self::in_mode("bypass")
    }

    pub(crate) fn in_mode(mode: &'static str) -> Self {
        let endpoint = Endpoint::script([]);
        Self { clawd: Clawd::new(&endpoint), endpoint, mode, extra: Vec::new() }
    }

    /// More options for the runs from here on.
    pub(crate) fn options<'a>(mut self, options: impl IntoIterator<Item = &'a str>) -> Self {
        self.extra = options.into_iter().map(str::to_owned).collect();
        self
    }

    /// Changes the world or the environment.
    pub(crate) fn with(mut self, change: impl FnOnce(Clawd) -> Clawd) -> Self {
        self.clawd = change(self.clawd);
        self
    }

    pub(crate) fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.write(path, content);
        self
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.clawd.project().join(path)
    }

    /// A path in words, for arguments.
    pub(crate) fn at(&self, path: &str) -> String {
        self.path(path).to_str().unwrap().to_owned()
    }

    pub(crate) fn bytes(&self, path: &str) -> Vec<u8> {
        let path = self.path(path);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn text(&self, path: &str) -> String {
        String::from_utf8(self.bytes(path)).unwrap()
    }

    /// The permission bits of a file.
    pub(crate) fn bits(&self, path: &str) -> u32 {
        self.path(path).metadata().unwrap().permissions().mode() & 0o7777
    }

    pub(crate) fn clawd(&self) -> &Clawd {
        &self.clawd
    }

    pub(crate) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// One run of answers with calls, and "done" at the end.
    pub(crate) fn run<Calls: IntoIterator<Item = Call>>(
        &self,
        answers: impl IntoIterator<Item = Calls>,
    ) -> Run {
        for answer in answers {
            self.endpoint.push(calls(answer));
        }
        self.endpoint.push(text("done"));
        let output = self.start().wait().expect_code(0);
        Run { output, told: self.told() }
    }

    /// Starts a run of what is already in the script.
    pub(crate) fn start(&self) -> Running {
        let options = ["-p", "--output-format", "stream-json", "--permission-mode", self.mode];
        self.clawd.again().args(options).args(self.extra.iter().map(String::as_str)).arg("go").spawn()
    }

    /// What the calls of the last request were told.
    pub(crate) fn told(&self) -> Vec<String> {
        let requests = self.endpoint.requests();
        let last = requests.last().expect("a request came");
        let answers = last.messages().iter().filter(|message| message["role"] == "tool");
        answers.map(|answer| last.tool_result(answer["tool_call_id"].as_str().unwrap())).collect()
    }

    /// What each of the calls is told, an answer each, all in one run.
    pub(crate) fn tell_all(&self, calls: impl IntoIterator<Item = Call>) -> Vec<String> {
        self.run(calls.into_iter().map(|call| [call])).told
    }

    /// What one call is told, in a run of its own.
    pub(crate) fn tell(&self, tool: &str, arguments: Value) -> String {
        self.tell_all([call(tool, arguments)]).remove(0)
    }

    /// A named pipe of the project, and a thread that reads it: gives each line, and hangs up when the last
    /// process that has it open for writing is gone.
    pub(crate) fn pipe(&self, name: &str) -> Lines {
        let path = self.path(name);
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
        let (sender, receiver) = sync_channel(64);
        std::thread::spawn(move || {
            let file = std::fs::File::open(path).unwrap();
            let lines = std::io::BufRead::lines(std::io::BufReader::new(file));
            lines.map_while(Result::ok).take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        Lines(receiver)
    }
}

/// The numbers, each as the line that `line` makes of it.
pub(crate) fn lines_of<N>(numbers: impl IntoIterator<Item = N>, line: impl Fn(N) -> String) -> String {
    numbers.into_iter().map(|number| line(number) + "\n").collect()
}

/// What comes through a named pipe.
pub(crate) struct Lines(Receiver<String>);

impl Lines {
    pub(crate) fn next(&self) -> String {
        self.0.recv_timeout(DEADLINE).expect("a line comes through the pipe")
    }

    /// Blocks until every process that could write is gone.
    pub(crate) fn wait_for_end(&self) {
        let end = self.0.recv_timeout(DEADLINE);
        assert_eq!(end, Err(std::sync::mpsc::RecvTimeoutError::Disconnected), "nobody is left to write");
    }
}

impl Run {
    /// Whether the call of this number (from 0) was denied without having been started.
    pub(crate) fn was_denied(&self, number: usize) -> bool {
        let results = self.output.events_of("tool_result");
        let id = &results[number]["id"];
        let has = |kind: &str| self.output.events_of(kind).iter().any(|event| &event["id"] == id);
        let (denied, started) = (has("permission_denied"), has("tool_start"));
        assert!(!(denied && started), "what was denied never started: {:#?}", self.output);
        denied
    }
}

/// The file that a cut result names.
pub(crate) fn named_file(told: &str) -> &Path {
    let (_, named) = told
        .rsplit_once("full output: ")
        .or_else(|| told.rsplit_once(" in "))
        .unwrap_or_else(|| panic!("no file is named: {told}"));
    Path::new(named.split([']', '\n', ';']).next().unwrap())
}
