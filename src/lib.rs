//! `clawd` is an interactive coding assistant for the terminal, with a headless mode. This page is the map of its source code.
//!
//! The crate is divided into the modules below; each has its own directory or file. They are listed in dependency order, lowest layer
//! first: a module may use only modules that are listed before it. Every file begins with what it is and what it is not.
//! `tests/it/tidy` checks this against the sources: which module may import which, which code is pure, and which module may use which
//! external crate.
//!
//! # The modules
//!
//! | module | purpose |
//! | --- | --- |
//! | [`protocol`] | plain values that all layers share: messages, session entries, events, approval requests |
//! | [`text`] | string functions: truncate, compare, sanitize, match |
//! | [`os`] | the operating system: processes, files, locks, paths, environment, clock, HTTP |
//! | [`sandbox`] | restricts commands through the kernel (namespaces, Landlock, seccomp) |
//! | [`permission`] | decides whether a call may run: rules, modes, and calls that always require approval |
//! | [`workbench`] | state of one session: files read, the shell's directory, long outputs, background jobs, checkpoints |
//! | [`config`] | the user's settings and the source of each |
//! | [`project`] | what the project directory contains: its root, branch, instructions and settings |
//! | [`trust`] | whether the project directory is trusted |
//! | [`chat`] | the model, behind one trait |
//! | [`tools`] | the tools that the model can call |
//! | [`context`] | what is sent to the model |
//! | [`agent`] | the agent loop; it stores no conversation |
//! | [`session`] | saves a conversation in one file |
//! | [`conversation`] | the driver that all front ends share |
//! | [`error`] | top-level errors and their exit codes |
//! | [`cli`] | command-line arguments |
//! | [`app`] | builds a conversation from the settings; the only place that connects the modules |
//! | [`tui`] | the interactive front end |
//! | [`headless`] | the front end without a screen |
//!
//! # Four invariants
//!
//! 1. **Calls go to lower layers, events go to higher ones.** A module imports only modules that are listed before it. A front end
//!    drives a [`Conversation`](conversation::Conversation), which runs the [`Agent`](agent::Agent), which reports
//!    [`AgentEvent`](protocol::AgentEvent)s through a [`Sink`](agent::Sink). There are three inputs to a run: messages, which the loop
//!    takes from its [`Inbox`](agent::Inbox), a cancellation token, and answers to approval requests.
//! 2. **One reducer.** A history changes only through an [`Entry`](protocol::Entry) that
//!    [`History::apply`](protocol::History::apply) takes. The loop, the session reader, the conversation and the screen all use that one
//!    function. The [`Recorder`](session::Recorder) sits between the loop and all of them: it writes an entry first, and only then is the
//!    entry shown or sent.
//! 3. **Every call gets exactly one result.** An unknown tool, bad arguments, a denial, an abort, a tool error: each becomes the
//!    result of the call, with a [`ToolStatus`](protocol::ToolStatus). Only the endpoint, a budget or the user ends a run early, and
//!    however it ends, the history can be sent again.
//! 4. **Purity follows from the path.** [`protocol`], [`text`], [`permission`], [`context`] and the middle of the screen
//!    ([`model`](tui::model), [`update`](tui::update), [`view`](tui::view)) use no async runtime, no files and no clock.
//!
//! The turn limit follows the same rules: the run ends with plain data ([`Carry`](protocol::Carry)), and to continue is a new run that
//! [starts](agent::Start) with that data. So the agent itself has no state.
//!
//! # Three paths through the code
//!
//! **A key becomes a request.** [`tui`] turns a key into a [`Msg`](tui::msg::Msg). [`update()`](tui::update::update) looks it up in the
//! [`keymap`](tui::keymap), takes the text from the composer and returns an [`Effect`](tui::effect::Effect). The
//! [`runner`](tui::runner) passes the text to [`Conversation::submit`](conversation::Conversation::submit), which spawns
//! [`Agent::chat`](agent::Agent::chat) on a snapshot. The loop records the message, builds the request from the history
//! ([`assemble`](context::assemble) is deterministic, so request *n* is a prefix of request *n + 1*) and awaits
//! [`ChatService::chat`](chat::ChatService::chat). Text that is sent during a run waits in the inbox for the next turn.
//!
//! **A delta becomes a line.** A piece of the response becomes a [`ChatEvent`](chat::ChatEvent). The loop adds it to a
//! [`Draft`](protocol::Draft), which survives an abort because it is separate from the request, and emits it. The conversation passes it
//! to the screen as a [`Happening`](conversation::Happening); `update` puts it into the model; [`picture`](tui::view::picture) draws the
//! model; the [`screen`](tui::screen) writes the difference. Every queue on this path is bounded and every step waits for the next
//! one (backpressure), so a slow terminal slows down the endpoint instead of filling memory.
//!
//! **A tool call becomes an approval request, a process and a message.** The loop finds the tool, which
//! [prepares](tools::Tool::prepare) the call from its arguments alone; [`Policy::judge`](permission::Policy::judge) allows it, denies it
//! or asks. Only then may the call [preview](tools::Prepared::preview) its effect, so that the user sees the change and a
//! forbidden file is never quoted. The approval request goes up, the answer comes back, and the call [runs](tools::Prepared::run)
//! at most once, because running consumes it. Its result is truncated to its limit, recorded, and sent with the next request.

// In dependency order, lowest layer first; the blank lines keep the formatter from sorting them.

pub mod protocol;

pub mod text;

pub mod os;

pub mod sandbox;

pub mod permission;

pub mod workbench;

pub mod config;

pub mod project;

pub mod trust;

pub mod chat;

pub mod tools;

pub mod context;

pub mod agent;

pub mod session;

pub mod conversation;

pub mod error;

pub mod cli;

pub mod app;

pub mod tui;

pub mod headless;

mod start;

pub use start::run;
