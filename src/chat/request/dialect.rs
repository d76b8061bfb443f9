//! The words in which it is said how a request is written.
//!
//! A [`Dialect`] is the whole answer for one endpoint and model, a [`Quirk`] one difference; each is a small enum, so that a
//! row of a table, a lesson and a test read alike. What is known of whom is [`super::compat`]'s. The surprising decision:
//! the form of single messages is a part of its own, for only that part makes a message that is kept as text stale.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What one endpoint wants differently for one model. The default is what most take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Dialect {
    /// The form of single messages.
    pub message: MessageForm,
    /// Where the system prompt stands.
    pub system: SystemRole,
    /// Who may speak after a tool's answer.
    pub after_tools: AfterTools,
    /// How the output limit is called.
    pub output_limit: OutputLimit,
    /// Whether counts are asked for.
    pub usage: AskUsage,
    /// Whether the answer is asked for as a stream.
    pub streaming: Streaming,
    /// Whether a temperature is sent, where one is set.
    pub temperature: Temperature,
    /// Which effort is asked for.
    pub effort: Effort,
    /// Whether tools are offered.
    pub tools: OfferTools,
}

/// The form of single messages: what the text that is kept beside a message depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct MessageForm {
    /// Which messages carry their thoughts back.
    pub reasoning: EchoReasoning,
    /// What stands for thoughts where they must go back and there are none.
    pub thoughtless: Thoughtless,
    /// What stands for the text of a message that only calls tools.
    pub no_text: NoText,
    /// Whether a tool's answer names the tool.
    pub tool_name: ToolNameField,
    /// What the ids of calls look like.
    pub call_ids: CallIds,
    /// Whether what a provider gave along goes back.
    pub extras: Extras,
    /// What stands for the signature of a call that another model made.
    pub signatures: Signatures,
    /// Whether images are sent.
    pub images: Images,
}

/// One difference: a row of a table, or what a refusal has taught.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Quirk {
    /// See [`MessageForm::reasoning`].
    Reasoning(EchoReasoning),
    /// See [`MessageForm::thoughtless`].
    Thoughtless(Thoughtless),
    /// See [`MessageForm::no_text`].
    NoText(NoText),
    /// See [`MessageForm::tool_name`].
    ToolName(ToolNameField),
    /// See [`MessageForm::call_ids`].
    CallIds(CallIds),
    /// See [`MessageForm::extras`].
    Extras(Extras),
    /// See [`MessageForm::signatures`].
    Signatures(Signatures),
    /// See [`MessageForm::images`].
    Images(Images),
    /// See [`Dialect::system`].
    System(SystemRole),
    /// See [`Dialect::after_tools`].
    AfterTools(AfterTools),
    /// See [`Dialect::output_limit`].
    OutputLimit(OutputLimit),
    /// See [`Dialect::usage`].
    Usage(AskUsage),
    /// See [`Dialect::streaming`].
    Streaming(Streaming),
    /// See [`Dialect::temperature`].
    Temperature(Temperature),
    /// See [`Dialect::effort`].
    Effort(Effort),
    /// See [`Dialect::tools`].
    Tools(OfferTools),
}

/// Which assistant messages carry their thoughts back, under the field in which they came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum EchoReasoning {
    /// None.
    #[default]
    Never,
    /// Those that call tools.
    WithCalls,
    /// All.
    Always,
}

/// What stands for thoughts where they must go back and there are none: another model may have written the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Thoughtless {
    /// No field.
    #[default]
    Omitted,
    /// A few words under `reasoning_content`; an empty text is refused by some.
    Placeholder,
}

/// What stands for the text of a message that only calls tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum NoText {
    /// `null`.
    #[default]
    Null,
    /// No field.
    Omitted,
    /// An empty text.
    Empty,
}

/// Whether a tool's answer names the tool: Gemini wants it, a few gateways refuse it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ToolNameField {
    /// It does.
    #[default]
    Sent,
    /// It does not.
    LeftOut,
}

/// What the ids of calls look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum CallIds {
    /// As the model gave them.
    #[default]
    AsGiven,
    /// At most 40 of the characters A-Z, a-z, 0-9, `_` and `-`.
    Short,
    /// Exactly nine letters and digits.
    Nine,
}

/// Whether what a provider gave along with a message or a call goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Extras {
    /// To the model that gave it.
    #[default]
    Sent,
    /// To nobody.
    LeftOut,
}

/// What stands for the signature of a call that another model made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Signatures {
    /// Nothing.
    #[default]
    Real,
    /// The words by which Google lets such a call pass.
    Waived,
}

/// Whether images are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Images {
    /// They are.
    #[default]
    Sent,
    /// A sentence stands where one stood.
    Told,
}

/// Where the system prompt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SystemRole {
    /// In a message of its own.
    #[default]
    System,
    /// Before the first user message: some templates know no system.
    InFirstUser,
}

/// Who may speak after a tool's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AfterTools {
    /// Anybody.
    #[default]
    Anyone,
    /// Not the user: a short assistant message stands between.
    Bridge,
}

/// The field of the output limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OutputLimit {
    /// `max_tokens`.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
    /// None.
    LeftOut,
}

/// Whether `stream_options.include_usage` is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AskUsage {
    /// It is.
    #[default]
    Yes,
    /// The endpoint refuses it.
    No,
}

/// Whether the answer is asked for as a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Streaming {
    /// It is.
    #[default]
    On,
    /// Only where no tools are offered.
    WithoutTools,
    /// It is not.
    Off,
}

/// Whether a temperature is sent, where one is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Temperature {
    /// It is.
    #[default]
    Sent,
    /// The model takes none.
    LeftOut,
}

/// Which `reasoning_effort` is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Effort {
    /// The one that is set.
    #[default]
    AsSet,
    /// None: the model's own.
    LeftOut,
    /// This one, whatever is set.
    Fixed(Level),
}

/// A level of effort, from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// No thoughts at all.
    None,
    /// As few as possible.
    Minimal,
    /// `low`.
    Low,
    /// `medium`.
    Medium,
    /// `high`.
    High,
    /// `xhigh`.
    XHigh,
    /// `max`.
    Max,
}

/// Whether tools are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OfferTools {
    /// They are.
    #[default]
    Offered,
    /// The model takes none.
    LeftOut,
}

impl Dialect {
    /// The same but for `quirk`.
    #[must_use]
    pub fn with(mut self, quirk: Quirk) -> Self {
        match quirk {
            Quirk::Reasoning(echo) => self.message.reasoning = echo,
            Quirk::Thoughtless(stand_in) => self.message.thoughtless = stand_in,
            Quirk::NoText(stand_in) => self.message.no_text = stand_in,
            Quirk::ToolName(field) => self.message.tool_name = field,
            Quirk::CallIds(form) => self.message.call_ids = form,
            Quirk::Extras(extras) => self.message.extras = extras,
            Quirk::Signatures(signatures) => self.message.signatures = signatures,
            Quirk::Images(images) => self.message.images = images,
            Quirk::System(role) => self.system = role,
            Quirk::AfterTools(who) => self.after_tools = who,
            Quirk::OutputLimit(name) => self.output_limit = name,
            Quirk::Usage(ask) => self.usage = ask,
            Quirk::Streaming(streaming) => self.streaming = streaming,
            Quirk::Temperature(temperature) => self.temperature = temperature,
            Quirk::Effort(effort) => self.effort = effort,
            Quirk::Tools(offer) => self.tools = offer,
        }
        self
    }
}

impl Quirk {
    /// What it is, in words, said of the endpoint.
    #[must_use]
    pub fn words(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::Effort(Effort::Fixed(level)) => {
                return format!("reasoning_effort is {}", level.name()).into();
            }
            Self::Effort(Effort::AsSet) => "reasoning_effort is sent",
            Self::Effort(Effort::LeftOut) => "reasoning_effort is not sent",
            Self::Reasoning(EchoReasoning::Never) => "reasoning is not sent back",
            Self::Reasoning(EchoReasoning::WithCalls) => "reasoning is sent back with tool calls",
            Self::Reasoning(EchoReasoning::Always) => "all reasoning is sent back",
            Self::Thoughtless(Thoughtless::Omitted) => "missing reasoning is omitted",
            Self::Thoughtless(Thoughtless::Placeholder) => "missing reasoning is replaced with a placeholder",
            Self::NoText(NoText::Null) => "a tool call without text has `content: null`",
            Self::NoText(NoText::Omitted) => "a tool call without text has no `content`",
            Self::NoText(NoText::Empty) => "a tool call without text has empty `content`",
            Self::ToolName(ToolNameField::Sent) => "tool results include the tool's name",
            Self::ToolName(ToolNameField::LeftOut) => "tool results do not include the tool's name",
            Self::CallIds(CallIds::AsGiven) => "tool call ids are sent unchanged",
            Self::CallIds(CallIds::Short) => "tool call ids are shortened",
            Self::CallIds(CallIds::Nine) => "tool call ids have nine letters or digits",
            Self::Extras(Extras::Sent) => "provider fields are sent back",
            Self::Extras(Extras::LeftOut) => "provider fields are not sent back",
            Self::Signatures(Signatures::Real) => "tool calls without a signature are sent unchanged",
            Self::Signatures(Signatures::Waived) => "tool calls without a signature skip its validation",
            Self::Images(Images::Sent) => "images are sent",
            Self::Images(Images::Told) => "images are not sent",
            Self::System(SystemRole::System) => "the system prompt is a system message",
            Self::System(SystemRole::InFirstUser) => "the system prompt is part of the first user message",
            Self::AfterTools(AfterTools::Anyone) => "any message may follow a tool result",
            Self::AfterTools(AfterTools::Bridge) => {
                "an assistant message separates tool results from user messages"
            }
            Self::OutputLimit(OutputLimit::MaxTokens) => "the output limit is sent as max_tokens",
            Self::OutputLimit(OutputLimit::MaxCompletionTokens) => {
                "the output limit is sent as max_completion_tokens"
            }
            Self::OutputLimit(OutputLimit::LeftOut) => "no output limit is sent",
            Self::Usage(AskUsage::Yes) => "token usage is requested",
            Self::Usage(AskUsage::No) => "token usage is not requested",
            Self::Streaming(Streaming::On) => "answers are streamed",
            Self::Streaming(Streaming::WithoutTools) => "answers are not streamed with tools",
            Self::Streaming(Streaming::Off) => "answers are not streamed",
            Self::Temperature(Temperature::Sent) => "temperature is sent",
            Self::Temperature(Temperature::LeftOut) => "temperature is not sent",
            Self::Tools(OfferTools::Offered) => "tools are sent",
            Self::Tools(OfferTools::LeftOut) => "tools are not sent",
        })
    }
}

impl MessageForm {
    /// Tells forms apart beside a cached message.
    #[must_use]
    pub fn fingerprint(self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

impl Level {
    /// All of them, from the least to the most.
    pub const ALL: [Self; 7] =
        [Self::None, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::XHigh, Self::Max];

    /// The level of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name().eq_ignore_ascii_case(name))
    }

    /// As it is sent.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
            Self::Max => "max",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_known_by_their_names() {
        for level in Level::ALL {
            assert_eq!(Level::named(level.name()), Some(level));
        }
        assert!(Level::ALL.is_sorted());
        assert_eq!(Level::named("High"), Some(Level::High));
        assert_eq!(Level::named("default"), None);
    }
}
