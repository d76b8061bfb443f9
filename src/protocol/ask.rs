//! Questions to the user, and their answers.
//!
//! A question is plain data and lives as long as its call: it is dropped with it, and an answer that comes too late
//! finds nobody. The turn limit is no question of this kind: it is an end of the run (see [`super::RunEnd`]).

use super::{Access, CallForm, CallId, Hold, Preview, QuestionId, ToolName};

/// One open question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Which question.
    pub id: QuestionId,
    /// What is asked.
    pub asked: Asked,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// May this call run?
    Approval(Approval),
    /// What does the user want?
    Choice(Choice),
}

/// A call that needs a yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Which call.
    pub call: CallId,
    /// Which tool.
    pub tool: ToolName,
    /// What it will touch; judged again when the rules or the mode change while the question is open.
    pub access: Access,
    /// How it came; judged with it.
    pub form: CallForm,
    /// What the person is shown.
    pub preview: Preview,
    /// Why it is asked, where that is not plain ("outside the workspace", "a secret").
    pub reason: Option<String>,
    /// The rules that "don't ask again" would save, exactly as they will match; none where none is offered.
    pub remember: Vec<String>,
    /// Whether harm could not be undone: the focus then stands on No.
    pub careful: bool,
    /// How it would be held after a plain yes; only commands are.
    pub hold: Hold,
    /// When it is asked for.
    pub occasion: Occasion,
}

/// When a call is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Occasion {
    /// Before it runs.
    #[default]
    Before,
    /// After the sandbox stopped it: it would run once more, held less. A no leaves it at the failure, and the run goes on.
    Stopped,
}

/// What the model wants to know of the user, in the course of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Which call.
    pub call: CallId,
    /// The question; foreign text of any number of lines.
    pub question: String,
    /// Answers to choose from; none where it wants words. Other words are always possible.
    pub options: Vec<String>,
    /// What it is about.
    pub topic: Topic,
}

/// What a [`Choice`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Topic {
    /// Whatever the model wants to know.
    #[default]
    Question,
    /// A plan, in Markdown: is it good? The options are those of [`BEGINS`], and words are a no that says what to change.
    Plan,
}

/// A yes to a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Begin {
    /// The option, as it is shown.
    pub option: &'static str,
    /// The permission mode in which the work begins, by its outside name.
    pub mode: &'static str,
}

/// All of them, in order.
pub const BEGINS: [Begin; 2] = [
    Begin { option: "Yes", mode: "default" },
    Begin { option: "Yes, and accept edits", mode: "accept-edits" },
];

impl Begin {
    /// The yes that an answer to a plan is; none where it is a no.
    #[must_use]
    pub fn of(answer: &Answer) -> Option<Self> {
        let Answer::Chosen(option) = answer else { return None };
        BEGINS.into_iter().find(|begin| begin.option == option)
    }
}

/// What the user said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Yes, this once.
    Allow,
    /// Yes, and the offered rule from now on.
    AllowAlways,
    /// Yes, this once, and it may reach the network.
    AllowWithNetwork,
    /// No. With words the run goes on and the model gets them; without, it ends. To a [`Choice`]: no answer (to a plan: no), and
    /// the run goes on.
    Deny {
        /// What to do instead.
        words: Option<String>,
    },
    /// The answer to a [`Choice`]: one of its options, or other words. To a plan only an option, so that no words are a yes.
    Chosen(String),
    /// Another rule or mode came into force while the question was open, and forbids it.
    Overruled {
        /// Why, for the model.
        reason: String,
    },
    /// Nobody is there to ask (headless): the model gets the refusal, the run goes on.
    Unattended,
}
