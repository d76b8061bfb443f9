//! The model's endpoint as the tests script it: a chat-completions server on 127.0.0.1 that can cut, stall,
//! split and dribble, and that is stricter than any real one.
//!
//! ```ignore
//! let gate = Gate::new();
//! let endpoint = Endpoint::script([
//!     thinking("let me see").calls([call("Read", json!({"file_path": "a.rs"}))]),
//!     status(429).header("retry-after", "1"),
//!     text("It is ").hold(&gate).text("a loop.").usage(json!({"prompt_tokens": 9, "completion_tokens": 4})),
//! ]);
//! // … start the program against endpoint.base_url(), then:
//! assert_eq!(endpoint.wait_for_request(3).roles(), "system user assistant tool");
//! gate.open(); // or: stop the program and endpoint.wait_for_hangup()
//! endpoint.finish(); // fails on violations, on requests too many and on answers too few
//! ```
//!
//! One answer a chat request, in order of arrival; a script that is used up answers 500 and fails the test.
//! Broken pieces: `stall()`, `cut()`, `reset()` before the head; `.stall()`, `.cut()`, `.reset()`,
//! `.hold(&gate)` where they stand; `.cut_after(bytes)`, `.split_at([…])`, `.dribble_bytes(n)` by bytes of
//! the body; `raw_sse`, `body`, `.delta`, `.raw` for what no server should say.
//!
//! Every chat request is judged (`transcript`: is it wire-valid; `ledger`: does it carry on the one before).
//! A bad one gets a 400 and takes no answer from the script, and the test fails at `finish`, or at the drop
//! of the endpoint if the test forgets. A break that the contract allows (compaction, masking, rewind) is
//! declared with `allow_break()`.
//!
//! The surprise: "got the whole answer" is decided as the last bytes are written. A test that aborts in the
//! middle of an answer must hold it there with a gate, or the server is done before the key is pressed.

mod answer;
mod book;
mod client;
mod gate;
mod http;
mod ledger;
mod plan;
mod server;
mod transcript;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub(crate) use answer::{
    Answer, Call, body, call, calls, cut, deltas, empty, raw_sse, reset, stall, status, text, thinking,
};
pub(crate) use book::Request;
pub(crate) use gate::Gate;

use book::{Book, Pages};
use server::Server;
use transcript::Opening;

use crate::watched::DEADLINE;

/// A running endpoint. Dropping it ends its thread and connections.
pub(crate) struct Endpoint {
    book: Arc<Book>,
    server: Option<Server>,
}

impl Endpoint {
    pub(crate) fn script(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self::on("127.0.0.1", answers)
    }

    /// The same on another loopback address, so that two endpoints are two hosts.
    pub(crate) fn on(address: &str, answers: impl IntoIterator<Item = Answer>) -> Self {
        let book = Arc::new(Book::new(Pages::of(answers.into_iter().collect())));
        Self { server: Some(Server::start(address, Arc::clone(&book))), book }
    }

    /// What every request gets after the script.
    pub(crate) fn then_forever(self, answer: Answer) -> Self {
        self.book.with(|pages| pages.forever = Some(answer));
        self
    }

    /// What `GET /v1/models` lists, in the place of `mock-1`.
    pub(crate) fn models<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.book.with(|pages| pages.models = names.into_iter().map(str::to_owned).collect());
        self
    }

    /// What a request that is not for chat gets, such as `GET /props`; without it, 404.
    pub(crate) fn serves(self, request: &str, answer: Answer) -> Self {
        self.book.with(|pages| pages.served.insert(request.to_owned(), answer));
        self
    }

    /// One more answer at the end of the script.
    pub(crate) fn push(&self, answer: Answer) {
        self.book.with(|pages| pages.script.push_back(answer));
    }

    /// `http://127.0.0.1:PORT/v1`
    pub(crate) fn base_url(&self) -> String {
        let server = self.server.as_ref().expect("the endpoint runs until it is finished");
        format!("http://{}/v1", server.address)
    }

    /// The chat requests so far, refused ones too.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.book.with(|pages| pages.requests.clone())
    }

    /// Method and path of every request that was not for chat.
    pub(crate) fn other_requests(&self) -> Vec<String> {
        self.book.with(|pages| pages.others.clone())
    }

    /// The values of a header, whose name is given in lower case, in the requests that were not for chat.
    pub(crate) fn other_headers(&self, name: &str) -> Vec<String> {
        let value =
            |headers: &Vec<(String, String)>| http::header(headers, name).unwrap_or("none").to_owned();
        self.book.with(|pages| pages.other_headers.iter().map(value).collect())
    }

    /// Blocks until `number` chat requests have come (from 1) and gives that one.
    pub(crate) fn wait_for_request(&self, number: usize) -> Request {
        self.wait(&format!("chat request {number}"), |pages| pages.requests.get(number - 1).cloned())
    }

    /// Blocks until a client has hung up before the end of an answer, once for each time; gives the number
    /// of the request.
    pub(crate) fn wait_for_hangup(&self) -> usize {
        self.wait("the client to hang up", |pages| pages.hangups.pop_front())
    }

    /// How many connections have been made.
    pub(crate) fn connections(&self) -> usize {
        self.book.with(|pages| pages.connections)
    }

    /// The next request that breaks the prefix may do so: a compaction, a masking, a rewind.
    pub(crate) fn allow_break(&self) {
        self.book.with(|pages| pages.ledger.allow_break());
    }

    /// From now on the system prompt may stand in the first user message: for a model that knows no system.
    pub(crate) fn allow_no_system(&self) {
        self.book.with(|pages| pages.opening = Opening::SystemOrUser);
    }

    /// What was wrong so far, taken off the record: for a test that provokes it.
    pub(crate) fn take_violations(&self) -> Vec<String> {
        self.book.with(|pages| std::mem::take(&mut pages.violations))
    }

    /// Ends the server and fails on violations, on requests beyond the script and on answers left over.
    pub(crate) fn finish(mut self) {
        self.server.take();
        let fine = self.book.with(|pages| pages.violations.is_empty() && pages.script.is_empty());
        assert!(fine, "the endpoint is not content\n{}", self.describe());
    }

    fn wait<T>(&self, what: &str, look: impl FnMut(&mut Pages) -> Option<T>) -> T {
        let found = self.book.wait(DEADLINE, look);
        found.unwrap_or_else(|| panic!("waited {DEADLINE:?} for {what}\n{}", self.describe()))
    }

    fn describe(&self) -> String {
        self.book.with(|pages| pages.describe())
    }
}

/// A test that forgot `finish` is still checked, but for answers left over: it may have been about those.
impl Drop for Endpoint {
    fn drop(&mut self) {
        let running = self.server.take().is_some();
        let fine = self.book.with(|pages| pages.violations.is_empty());
        assert!(
            fine || !running || std::thread::panicking(),
            "the endpoint is not content\n{}",
            self.describe()
        );
    }
}
