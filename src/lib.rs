//! The map of `clawd`: an interactive coding assistant for the terminal, and the same without a screen.
//!
//! One package of rooms: a folder a room, a file a verb. Read top down; each room knows only rooms above it in this list,
//! and each file begins with what it is and what it is not. `tests/it/tidy` holds the sources against all that is said here:
//! who imports whom, what is pure, which crate is whose.
//!
//! # The rooms
//!
//! | room | what it is for |
//! | --- | --- |
//! | [`protocol`] | what rooms say to each other: messages, entries, events, questions; values only |
//! | [`text`] | string work that knows no room: cut, compare, clean, match |
//! | [`os`] | the machine: processes, files, locks, paths, the environment, the clock, HTTP |
//! | [`sandbox`] | commands held so that the kernel decides what they may do |
//! | [`permission`] | may it? rules, modes, and what is never done unasked |
//! | [`workbench`] | what lives as long as a session: files that were read, the shell's directory, long outputs, jobs, steps |
//! | [`config`] | what the user wants, and where each wish comes from |
//! | [`project`] | what the directory says: its root, its branch, its instructions, its settings |
//! | [`trust`] | whether the directory's word counts |
//! | [`chat`] | the model, behind one trait |
//! | [`tools`] | what the model can do |
//! | [`context`] | what the model is told |
//! | [`agent`] | the loop; it holds no conversation |
//! | [`session`] | what is kept: one conversation, one file |
//! | [`conversation`] | the driver that every front end shares |
//! | [`error`] | the roof: what ends the program, and with which exit code |
//! | [`cli`] | what was typed |
//! | [`app`] | the only wiring: from wishes to a conversation |
//! | [`tui`] | the interactive front end |
//! | [`headless`] | the front end without a screen |
//!
//! # Four laws
//!
//! 1. **Down by call, up by event.** A room imports only rooms above it. A front end drives a
//!    [`Conversation`](conversation::Conversation); that runs the [`Agent`](agent::Agent); the loop answers by
//!    [`AgentEvent`](protocol::AgentEvent) through a [`Sink`](agent::Sink). Into a run there are three ways: messages, which the loop
//!    fetches from its [`Inbox`](agent::Inbox), a token that stops it, and answers to what it asks.
//! 2. **One door, one reducer.** A history changes only by an [`Entry`](protocol::Entry), through
//!    [`History::apply`](protocol::History::apply). The loop, the file's reader, the driver and the screen use that one function, and the
//!    [`Recorder`](session::Recorder) stands between the loop and all of them: written first, shown and sent afterwards.
//! 3. **Nothing fails sideways.** An unknown tool, bad arguments, a refusal, an abort, an error of a tool: each becomes the
//!    call's answer, with a [`ToolStatus`](protocol::ToolStatus). Only the endpoint, a budget or the user ends a run early, and
//!    however it ends, every call has one answer and the history can be sent again.
//! 4. **Pure by address.** Whether code may touch the world is told by its path. [`protocol`], [`text`], [`permission`], [`context`] and
//!    the middle of the screen ([`model`](tui::model), [`update`](tui::update), [`view`](tui::view)) name no runtime, no file and no clock.
//!
//! The turn limit is no exception to any of them: it is an end of the run that carries plain data
//! ([`Carry`](protocol::Carry)), and going on is a new run that [starts](agent::Start) with it. That is what makes the agent
//! stateless in earnest.
//!
//! # Three journeys
//!
//! **A key becomes a request.** [`tui`] reads a key and makes it a [`Msg`](tui::msg::Msg); [`update()`](tui::update::update) looks it up in the
//! [`keymap`](tui::keymap), takes the text out of the composer and wishes for an [`Effect`](tui::effect::Effect); the
//! [`runner`](tui::runner) hands the text to [`Conversation::submit`](conversation::Conversation::submit), which spawns
//! [`Agent::chat`](agent::Agent::chat) on a snapshot. The loop records the message, makes the request of the history
//! ([`assemble`](context::assemble): same in, same out, so request *n* is a prefix of request *n + 1*) and awaits
//! [`ChatService::chat`](chat::ChatService::chat). Typed while a run goes on, the same text waits in the inbox for the next turn.
//!
//! **A delta becomes a line.** A piece of the body becomes a [`ChatEvent`](chat::ChatEvent); the loop adds it to a
//! [`Draft`](protocol::Draft) that stands outside the request, so that an abort keeps it, and passes it up. The conversation gives it to
//! the screen as a [`Happening`](conversation::Happening); `update` puts it into the model; [`picture`](tui::view::picture) draws the model;
//! the [`screen`](tui::screen) writes what changed. Every queue on the way is bounded and every step waits for the one above, so a slow
//! terminal slows the endpoint, and memory stays where it is.
//!
//! **A call becomes a question, a process and a message.** The loop finds the tool and has it
//! [prepare](tools::Tool::prepare) the call from its arguments alone; [`Policy::judge`](permission::Policy::judge) says yes, no or ask. Only
//! then may the call [look](tools::Prepared::preview), so that a person sees the change and a forbidden file is never
//! quoted. The question goes up, the answer comes down, the call [runs](tools::Prepared::run) once, for running consumes it.
//! Its result is cut to its limit, recorded, and part of the next request.
//!
//! # There it is called …, here …
//!
//! For readers who come from the designs that this one follows. [`Agent::create`](agent::Agent::create),
//! [`chat`](agent::Agent::chat), [`ChatContext`](agent::ChatContext), [`LoopOptions`](agent::LoopOptions),
//! [`LoopResult`](protocol::LoopResult), [`LoopError`](protocol::LoopError), [`LoopErrorType`](protocol::LoopErrorType),
//! [`TURN_LIMIT`](agent::TURN_LIMIT), [`ToolRegistry`](tools::ToolRegistry), [`ToolResult`](tools::ToolResult),
//! [`ToolDefinition`](protocol::ToolDefinition), [`ToolCall`](protocol::ToolCall), [`Message`](protocol::Message) and
//! [`AgentHooks`](agent::AgentHooks) are called so here too. The rest:
//!
//! | there | here |
//! | --- | --- |
//! | `executeLoop` | `execute_loop`, in `agent/turns.rs` |
//! | `executeToolCall`, `ExecutionPipeline` and its seven stages | `execute_tool_call`, in `agent/call.rs` |
//! | `detectIncompleteIntent` | [`detect_incomplete_intent`](agent::intent::detect_incomplete_intent) |
//! | `IChatService`, `StreamCallbacks` | [`ChatService`](chat::ChatService), [`ChatObserver`](chat::ChatObserver) |
//! | `OpenAIChatService`, `createChatService`, `ChatResponse` | [`OpenAiChatService`](chat::openai::OpenAiChatService), [`create_chat_service`](chat::openai::create_chat_service), [`Completion`](chat::Completion) |
//! | `onContent`, `onToolResult`, `onTurnStart` and other callbacks | [`AgentEvent`](protocol::AgentEvent), through [`Sink`](agent::Sink) |
//! | `onTurnLimitReached` | [`RunEnd::TurnLimit`](protocol::RunEnd), then [`Start::Continue`](agent::Start::Continue) |
//! | `signal` | a cancellation token in [`LoopOptions`](agent::LoopOptions); what waits is dropped |
//! | `ConfirmationHandler`, `ConfirmationResponse` | [`Approver`](agent::Approver), [`Answer`](protocol::Answer) |
//! | `PermissionChecker`, `PermissionMode` | [`Policy`](permission::Policy), [`Mode`](permission::Mode) |
//! | `SensitiveFileDetector` | `is_secret`, in `permission/secret.rs` |
//! | `Session`, `append`, `load`, `toApiMessages` | [`SessionLog`](session::SessionLog), [`load`](session::load), [`History::view`](protocol::History::view) |
//! | `buildSystemPrompt` | [`build_system_prompt`](context::prompt::build_system_prompt) |
//! | `ConversationMemory` | [`History`](protocol::History) |
//! | `TokenCounter` | [`measure`](context::size::measure) |
//! | `CompactionService` | `agent/compact.rs`, in the words of [`summary`](context::summary) |

// In reading order, which is the order of imports too: a blank line each keeps the formatter from sorting them.

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
