//! What rooms say to each other: values only.
//!
//! Everything that crosses a wall of the house is a type of this room: messages, the entries that change a
//! history, the events of a run, questions and answers. Nothing here touches the world: no runtime, no file,
//! no clock. The surprising decision: [`History`] changes by one function, [`History::apply`], and every reader
//! of a conversation (the loop, the file's writer, the screen, the loader) uses that same one.

pub mod access;
pub mod ask;
pub mod draft;
pub mod entry;
pub mod event;
pub mod guide;
pub mod history;
pub mod hold;
pub mod ids;
pub mod job;
pub mod message;
pub mod outcome;
pub mod results;
pub mod text;
pub mod todo;
pub mod tool;
pub mod usage;

pub use access::{Access, ExecAccess, FileAccess, FileChange, Preview};
pub use ask::{Answer, Approval, Asked, BEGINS, Begin, Choice, Occasion, Question, Topic};
pub use draft::Draft;
pub use entry::{After, ChangedBy, Entry, EntryBody, SavedFile, SavedKind, SessionHead, Was};
pub use event::{AgentEvent, Display, NoticeKind, Tail, Waiting};
pub use guide::Guide;
pub use history::{History, Slot};
pub use hold::{Hold, Network, PassedOver, Terms, Wording, Writes};
pub use ids::{CallId, JobId, ModelId, QuestionId, SessionId, ToolName};
pub use job::{JobState, JobView, Why};
pub use message::{
    AssistantMessage, Attachment, CallForm, Content, Message, Origin, Part, Reasoning, StopReason, ToolCall,
    ToolMessage, ToolStatus, UserMessage,
};
pub use outcome::{CallSummary, Carry, LoopError, LoopErrorType, LoopMetadata, LoopResult, Row, RunEnd};
pub use results::Results;
pub use text::{Place, Shelf, Text};
pub use todo::{Todo, TodoStatus};
pub use tool::{BUILT_IN_TOOLS, BuiltInTool, LabelObject, ToolKind, ToolSpec};
pub use usage::{Price, Usage};
