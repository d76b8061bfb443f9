//! What a refusal teaches: from its words to at most one [`Quirk`].
//!
//! Endpoints say no in a hundred ways to a dozen things; which ways mean which thing, [`super::lessons`] lists. Pure: what was said and
//! what was sent go in, what to write differently comes out. It judges only what was in the request: a refused field that
//! was not sent is somebody else's trouble. Whether an error is one of length, quota, key or model is decided before
//! ([`crate::chat::classify`]), and those teach nothing. The surprising decision: where the words are not clear it learns nothing,
//! for an error that says what is wrong is better than a request that silently lacks something.

use super::complaint::Complaint;
use super::dialect::{
    Dialect, Effort, Images, Level, OfferTools, OutputLimit, Quirk, Streaming, Temperature,
};
use super::lessons::{Case, RULES, WANTS_STREAM};
use super::wire::{FIXED, WireOptions};
use crate::chat::ChatRequest;
use crate::chat::classify::Asked;
use crate::text::sanitize::sanitize_line;

/// The statuses that may teach something. 404 is `OpenRouter`'s for "no endpoints found that support tool use", 500 is
/// llama.cpp's for whatever a template refuses.
pub(in crate::chat) const TEACHING: [u16; 7] = [400, 404, 405, 415, 422, 500, 501];

/// Of what an endpoint says, so many bytes stand in a sentence.
const MAX_WORDS: usize = 200;

/// What was sent.
#[derive(Clone, Copy)]
pub(in crate::chat) struct Sent<'a> {
    pub(in crate::chat) request: &'a ChatRequest,
    pub(in crate::chat) options: &'a WireOptions,
    pub(in crate::chat) dialect: Dialect,
    /// What the tables say, and what was learnt since: none of it is proposed again.
    pub(in crate::chat) known: Dialect,
    pub(in crate::chat) learnt: &'a [Quirk],
}

/// What a refusal teaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::chat) enum Teaching {
    /// Nothing: it stands.
    Nothing,
    /// To write this differently.
    Lesson(Quirk),
    /// Nothing, for the user's own `extra_body` sends that field.
    OfUser(String),
}

/// What the refusal of `sent` with this status and body teaches.
pub(in crate::chat) fn teach(status: u16, body: &str, sent: Sent<'_>) -> Teaching {
    if !TEACHING.contains(&status) {
        return Teaching::Nothing;
    }
    let case = Case { complaint: Complaint::read(status, body), sent };
    let of_user = sent.options.extra_body.keys().filter(|name| !FIXED.contains(&name.as_str()));
    if let Some(name) = of_user.into_iter().find(|name| case.complaint.refuses(&name.to_lowercase())) {
        return Teaching::OfUser(name.clone());
    }
    let lesson = RULES.iter().flat_map(|rule| rule(&case)).find(|quirk| case.is_new(*quirk));
    lesson.map_or(Teaching::Nothing, Teaching::Lesson)
}

/// Whether a refusal is one of an answer in one piece.
pub(in crate::chat) fn wants_stream(status: u16, body: &str) -> bool {
    Complaint::read(status, body).says(&WANTS_STREAM)
}

/// What the user, who had set `options`, loses by `quirk`, in a sentence; none where nothing is lost. `refused` is the body of the
/// refusal: a server that could take tools says how to have it do so.
pub(in crate::chat) fn loss(
    quirk: Quirk,
    asked: Asked<'_>,
    options: &WireOptions,
    refused: &str,
) -> Option<String> {
    let Asked { host, model, .. } = asked;
    let effort = options.reasoning_effort.as_deref().unwrap_or_default();
    let lost = match quirk {
        Quirk::Tools(OfferTools::LeftOut) => {
            let words = words(refused);
            format!("{model} on {host} does not support tool calls: it can chat but cannot read or edit \
                     files or run commands{words}")
        }
        Quirk::Images(Images::Told) => format!("{model} on {host} does not support images: each image is \
            replaced with a note"),
        Quirk::Streaming(Streaming::Off) => format!("{host} does not stream {model}: each answer is shown \
            when it is complete"),
        Quirk::Streaming(Streaming::WithoutTools) => {
            format!("{host} does not stream {model} with tools: each answer is shown when it is complete")
        }
        Quirk::Effort(Effort::LeftOut) => {
            format!("{model} on {host} does not support reasoning_effort {effort}: not sent")
        }
        Quirk::Effort(Effort::Fixed(Level::None)) => {
            format!("{model} on {host} supports tools only without reasoning: sending reasoning_effort none")
        }
        Quirk::Effort(Effort::Fixed(level)) => {
            let level = level.name();
            format!("{model} on {host} does not support reasoning_effort {effort}: sending {level}")
        }
        Quirk::Temperature(Temperature::LeftOut) => {
            format!("{model} on {host} does not support temperature: not sent")
        }
        Quirk::OutputLimit(OutputLimit::LeftOut) => {
            format!("{model} on {host} does not support an output limit: not sent")
        }
        Quirk::Tools(OfferTools::Offered)
        | Quirk::Images(Images::Sent)
        | Quirk::Streaming(Streaming::On)
        | Quirk::Effort(Effort::AsSet)
        | Quirk::Temperature(Temperature::Sent)
        | Quirk::OutputLimit(OutputLimit::MaxTokens | OutputLimit::MaxCompletionTokens)
        | Quirk::Reasoning(_)
        | Quirk::Thoughtless(_)
        | Quirk::NoText(_)
        | Quirk::ToolName(_)
        | Quirk::CallIds(_)
        | Quirk::Extras(_)
        | Quirk::Signatures(_)
        | Quirk::System(_)
        | Quirk::AfterTools(_)
        // Told once an answer comes without counts: many endpoints that refuse the question count all the same.
        | Quirk::Usage(_) => return None,
    };
    Some(lost)
}

/// What a refusal says, as an aside of one line.
fn words(refused: &str) -> String {
    let complaint = Complaint::read(400, refused);
    let line = sanitize_line(complaint.said());
    let end = line.floor_char_boundary(MAX_WORDS);
    let more = if end < line.len() { "…" } else { "" };
    match line.get(..end).unwrap_or_default() {
        "" => String::new(),
        words => format!(" (the server says: {words}{more})"),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, OnceLock};

    use serde_json::{Map, json};

    use super::super::dialect::{
        AfterTools, AskUsage, CallIds, EchoReasoning, Extras, NoText, Signatures, SystemRole, Thoughtless,
        ToolNameField,
    };
    use super::*;
    use crate::chat::RequestMessage;
    use crate::protocol::history::Masked;
    use crate::protocol::{
        AssistantMessage, Content, Message, Part, Slot, StopReason, ToolCall, ToolSpec, ToolStatus,
        UserMessage,
    };

    /// A request with everything that can be refused.
    fn request() -> ChatRequest {
        let call = ToolCall::new("call_1", "Read", "{}");
        let answer = Message::tool(&call, ToolStatus::Success, "ok");
        let asks = AssistantMessage {
            text: String::new(),
            tool_calls: vec![call],
            reasoning: None,
            extra: Map::new(),
            model: "m".into(),
            usage: None,
            stop_reason: StopReason::ToolUse,
        };
        let image = Part::Image { file: "a.png".into(), mime: "image/png".into(), width: 1, height: 1 };
        let look = UserMessage { content: Content(vec![image]), ..UserMessage::default() };
        let messages = [Message::user("go"), Message::Assistant(asks), answer, Message::User(look)];
        let kept = |(position, message)| {
            let slot =
                Slot { position, timestamp: 0, message, wire: OnceLock::new(), weight: OnceLock::new() };
            RequestMessage::Kept(Arc::new(slot), Masked::No)
        };
        let tool = ToolSpec::new("Read", "d", json!({}));
        ChatRequest {
            model: "m".into(),
            system: "be kind".into(),
            messages: messages.into_iter().enumerate().map(kept).collect(),
            tools: Arc::new([tool]),
        }
    }

    fn options() -> WireOptions {
        WireOptions {
            temperature: Some(0.2),
            reasoning_effort: Some("high".into()),
            max_output_tokens: Some(9),
            ..WireOptions::default()
        }
    }

    fn teach_with(status: u16, body: &str, options: &WireOptions, learnt: &[Quirk]) -> Teaching {
        let known = Dialect::default();
        let dialect = learnt.iter().fold(known, |dialect, quirk| dialect.with(*quirk));
        teach(status, body, Sent { request: &request(), options, dialect, known, learnt })
    }

    #[track_caller]
    fn check(status: u16, body: &str, expected: Quirk) {
        assert_eq!(teach_with(status, body, &options(), &[]), Teaching::Lesson(expected), "{status} {body}");
    }

    /// The same in the usual shape.
    #[track_caller]
    fn check_said(status: u16, message: &str, expected: Quirk) {
        check(
            status,
            &json!({ "error": { "message": message, "type": "invalid_request_error" } }).to_string(),
            expected,
        );
    }

    #[track_caller]
    fn check_nothing(status: u16, message: &str) {
        let body = json!({ "error": { "message": message } }).to_string();
        for body in [body.as_str(), message] {
            assert_eq!(teach_with(status, body, &options(), &[]), Teaching::Nothing, "{status} {body}");
        }
    }

    const NO_COUNTS: Quirk = Quirk::Usage(AskUsage::No);
    const NO_TOOLS: Quirk = Quirk::Tools(OfferTools::LeftOut);
    const NO_IMAGES: Quirk = Quirk::Images(Images::Told);
    const NO_STREAM: Quirk = Quirk::Streaming(Streaming::Off);
    const NO_STREAM_WITH_TOOLS: Quirk = Quirk::Streaming(Streaming::WithoutTools);
    const NO_EFFORT: Quirk = Quirk::Effort(Effort::LeftOut);
    const NO_TEMPERATURE: Quirk = Quirk::Temperature(Temperature::LeftOut);
    const NEW_LIMIT: Quirk = Quirk::OutputLimit(OutputLimit::MaxCompletionTokens);
    const SYSTEM_IN_USER: Quirk = Quirk::System(SystemRole::InFirstUser);
    const BRIDGE: Quirk = Quirk::AfterTools(AfterTools::Bridge);
    const ECHO: Quirk = Quirk::Reasoning(EchoReasoning::WithCalls);

    #[test]
    fn counts_that_are_refused() {
        check_said(400, "Unrecognized request argument supplied: stream_options", NO_COUNTS);
        check_said(400, "stream_options: Extra inputs are not permitted", NO_COUNTS);
        check_said(400, "Extra inputs are not permitted, field: 'stream_options'", NO_COUNTS);
        check_said(400, "property 'stream_options' is unsupported", NO_COUNTS);
        check_said(
            400,
            "litellm.UnsupportedParamsError: x does not support parameters: ['stream_options']",
            NO_COUNTS,
        );
        check_said(
            500,
            "litellm.UnsupportedParamsError: x does not support parameters: ['stream_options']",
            NO_COUNTS,
        );
        check_said(
            400,
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
            NO_COUNTS,
        );
        let google = r#"[{"error":{"code":400,"message":"Invalid JSON payload received. Unknown name \"stream_options\": Cannot find field.",
            "status":"INVALID_ARGUMENT","details":[{"fieldViolations":[{"description":"Unknown name \"stream_options\""}]}]}}]"#;
        check(400, google, NO_COUNTS);
        let mistral = r#"{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"],
            "msg":"Extra inputs are not permitted","input":true}]},"type":"invalid_request_error","param":null,"code":null}"#;
        check(422, mistral, NO_COUNTS);
        let vllm = r#"{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted',
            'input': {'include_usage': True}}]","type":"BadRequestError","param":null,"code":400}"#;
        check(400, vllm, NO_COUNTS);
        check(
            400,
            r#"{"detail":[{"loc":["body","stream_options"],"msg":"extra fields not permitted","type":"value_error.extra"}]}"#,
            NO_COUNTS,
        );
        check(
            400,
            r#"{"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"Unknown field stream_options\"}}"}}}"#,
            NO_COUNTS,
        );
        check(415, "unsupported: stream_options", NO_COUNTS);
    }

    #[test]
    fn an_output_limit_under_another_name() {
        let openai = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            "type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}"#;
        check(400, openai, NEW_LIMIT);
        let newer = r#"{"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted","input":32000}]}"#;
        let both = teach_with(422, newer, &options(), &[NEW_LIMIT]);
        assert_eq!(
            both,
            Teaching::Lesson(Quirk::OutputLimit(OutputLimit::LeftOut)),
            "the older name was refused before"
        );
        let unset = WireOptions { max_output_tokens: None, ..options() };
        assert_eq!(teach_with(400, openai, &unset, &[]), Teaching::Nothing, "it was not sent");
        check_nothing(
            400,
            "max_tokens is too large: 99999. This model supports at most 16384 completion tokens",
        );
        check_nothing(400, "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]");
    }

    #[test]
    fn a_temperature_that_is_refused() {
        check_said(
            400,
            "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
            NO_TEMPERATURE,
        );
        check_said(
            400,
            "Unsupported parameter: 'temperature' is not supported with this model.",
            NO_TEMPERATURE,
        );
        check_said(400, "invalid temperature: only 1 is allowed for this model", NO_TEMPERATURE);
        check_said(400, "openai does not support parameters: ['temperature'], for model=o3", NO_TEMPERATURE);
        check_nothing(400, "temperature must be between 0 and 1.5");
        check_nothing(400, "'temperature': expected a number");
    }

    #[test]
    fn an_effort_is_lowered_to_the_nearest_that_is_taken() {
        #[track_caller]
        fn check_effort(set: &str, message: &str, expected: Effort) {
            let options = WireOptions { reasoning_effort: Some(set.into()), ..options() };
            let body = json!({ "error": { "message": message, "param": "***.effort", "code": "unsupported_value" } });
            let taught = teach_with(400, &body.to_string(), &options, &[]);
            assert_eq!(taught, Teaching::Lesson(Quirk::Effort(expected)), "{set}: {message}");
        }
        let openai = |set: &str| {
            format!(
                "Unsupported value: '{set}' is not supported with the 'm' model. Supported values are: 'none', 'low', 'medium', and 'high'."
            )
        };
        check_effort("xhigh", &openai("xhigh"), Effort::Fixed(Level::High));
        check_effort("max", &openai("max"), Effort::Fixed(Level::High));
        check_effort("minimal", &openai("minimal"), Effort::Fixed(Level::Low));
        check_effort("ultra", &openai("ultra"), Effort::LeftOut);
        check_effort(
            "high",
            "`reasoning_effort` must be one of `low`, `medium`",
            Effort::Fixed(Level::Medium),
        );
        check_effort("medium", "`reasoning_effort` must be one of `none` or `default`", Effort::LeftOut);
        check_effort(
            "none",
            "reasoning_effort does not support 'none' with this model. Supported values are: 'minimal', 'low'",
            Effort::Fixed(Level::Minimal),
        );
        check_effort(
            "xhigh",
            "invalid reasoning value: 'xhigh' (must be \"high\", \"medium\", \"low\", or \"none\")",
            Effort::Fixed(Level::High),
        );
        check_effort(
            "high",
            "Invalid option: expected one of \"medium\"|\"low\"|\"none\" for reasoning.effort",
            Effort::Fixed(Level::Medium),
        );
    }

    #[test]
    fn an_effort_that_is_refused() {
        check_said(400, "\"llama3.1:8b\" does not support thinking", NO_EFFORT);
        check(400, r#"{"error":"think value \"high\" is not supported for this model"}"#, NO_EFFORT);
        check_said(
            400,
            "litellm.UnsupportedParamsError: openai does not support parameters: ['reasoning_effort']",
            NO_EFFORT,
        );
        check(
            400,
            r#"{"code":"invalid-argument","error":"Model grok-build-0.1 does not support parameter reasoningEffort."}"#,
            NO_EFFORT,
        );
        check_said(400, "Unrecognized request argument supplied: reasoning_effort", NO_EFFORT);
        check_said(
            400,
            "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.",
            NO_EFFORT,
        );
        let none = Quirk::Effort(Effort::Fixed(Level::None));
        let newer = "Function tools with reasoning_effort are not supported for gpt-5.6-sol in /v1/chat/completions. To use function tools, \
            use /v1/responses or set reasoning_effort to 'none'.";
        check_said(400, newer, none);
        let unset = WireOptions { reasoning_effort: None, ..options() };
        assert_eq!(teach_with(400, newer, &unset, &[]), Teaching::Lesson(none), "whether one is set or not");
        assert_eq!(teach_with(400, "m does not support thinking", &unset, &[]), Teaching::Nothing);
    }

    #[test]
    fn a_stream_that_is_refused() {
        let openai = r#"{"error":{"message":"Your organization must be verified to stream this model. Please go to: …",
            "type":"invalid_request_error","param":"stream","code":"unsupported_value"}}"#;
        check(400, openai, NO_STREAM);
        check_said(400, "Streaming is not supported for this model", NO_STREAM);
        check_said(501, "this model does not support streaming", NO_STREAM);
        check_said(400, "Streaming is not supported with tools.", NO_STREAM_WITH_TOOLS);
        check_said(500, "Cannot use tools with stream", NO_STREAM_WITH_TOOLS);
        check_said(400, "`tool calling` is not supported with streaming", NO_STREAM_WITH_TOOLS);
        let again = teach_with(500, "Cannot use tools with stream", &options(), &[NO_STREAM_WITH_TOOLS]);
        assert_eq!(again, Teaching::Nothing, "it was not streamed");
        check_nothing(
            400,
            "This model only support stream mode, please enable the stream parameter to access the model.",
        );
        check_nothing(400, "non-streaming is not supported");
        check_nothing(500, "stream disconnected before completion");
        check_nothing(400, "model stream-7b is not supported");
    }

    #[test]
    fn tools_that_are_refused() {
        for message in [
            "registry.ollama.ai/library/gemma3:270m does not support tools",
            "`tool calling` is not supported with this model",
            "Function calling is not enabled for models/gemma-3-27b-it",
            "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
            "deepseek-reasoner does not support Function Calling",
            "This API does not support tool use",
            "Unrecognized request argument supplied: tools",
            "Unsupported parameter: 'tools' is not supported with this model.",
            "x does not support parameters: ['tools']",
        ] {
            check_said(400, message, NO_TOOLS);
        }
        check_said(
            404,
            "No endpoints found that support tool use. To learn more about provider routing, visit: …",
            NO_TOOLS,
        );
        check_said(500, "tools param requires --jinja flag", NO_TOOLS);
        let mistral = r#"{"object":"Error","detail":[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted","input":[]}]}"#;
        check(422, mistral, NO_TOOLS);
        for message in [
            "Invalid schema for function 'Read': 'oneOf' is not permitted in 'tools[0].function.parameters'",
            "Unknown name \"const\" at 'tools[0].function_declarations[5].parameters': Cannot find field.",
            "Invalid 'tools': array too long. Expected an array with maximum length 128",
            "No tool output found for function call call_1",
            "tools[0].function.strict: unknown field",
        ] {
            check_nothing(400, message);
        }
        check_nothing(404, "model 'tools' not found");
    }

    #[test]
    fn images_that_are_refused() {
        for message in [
            "Model does not support images. Please use a model that does.",
            "this model does not support image input",
            "Invalid content type. image_url is only supported by certain models.",
            "Failed to deserialize the JSON body into the target type: messages[3]: unknown variant `image_url`, expected `text` at line 1",
            "gemma-3-1b is not a multimodal model",
            "At most 0 image(s) may be provided in one request.",
            "messages[3].content must be a string",
        ] {
            check_said(400, message, NO_IMAGES);
        }
        check_said(404, "No endpoints found that support image input", NO_IMAGES);
        check_said(
            500,
            "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
            NO_IMAGES,
        );
        check_said(500, "this model is missing data required for image input", NO_IMAGES);
        check_nothing(400, "Invalid image: only images up to 20 MB are taken");
        check_nothing(400, "Could not process image");
        check_nothing(400, "m does not support images larger than 5 MB");
        check_nothing(400, "m does not support the image format webp");
        check_nothing(400, "unsupported image: the file is no PNG");
    }

    #[test]
    fn messages_that_are_refused() {
        check_said(400, "Unexpected role 'user' after role 'tool'", BRIDGE);
        check_said(
            500,
            "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
            BRIDGE,
        );
        check_said(400, "Conversation roles must alternate user/assistant/user/assistant/...", BRIDGE);
        let both = teach_with(400, "Conversation roles must alternate user/assistant", &options(), &[BRIDGE]);
        assert_eq!(both, Teaching::Lesson(SYSTEM_IN_USER));
        for message in [
            "System role not supported",
            "Developer instruction is not enabled for models/gemma-3-27b-it",
            "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            "Only user, assistant and tool roles are supported, got system.",
            "invalid params, chat content has invalid message role: system (2013)",
        ] {
            check_said(400, message, SYSTEM_IN_USER);
        }
        let nine = Quirk::CallIds(CallIds::Nine);
        check_said(400, "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.", nine);
        let short = Quirk::CallIds(CallIds::Short);
        check_said(
            400,
            "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 64 instead.",
            short,
        );
        check_said(
            400,
            "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
            short,
        );
        let unnamed = Quirk::ToolName(ToolNameField::LeftOut);
        check_said(400, "messages[2]: \"name\" is not supported by this endpoint", unnamed);
        check_said(400, "messages.2.tool.name: property 'messages.2.tool.name' is unsupported", unnamed);
        check_said(400, "{unrecognizedProperty=name}", unnamed);
        check(
            422,
            r#"{"detail":[{"type":"extra_forbidden","loc":["body","messages",2,"tool","name"],"msg":"Extra inputs are not permitted"}]}"#,
            unnamed,
        );
        check_nothing(
            400,
            "Invalid 'messages[1].tool_calls[0].function.name': string does not match the expected form",
        );
        let waived = Quirk::Signatures(Signatures::Waived);
        check_said(400, "Function call is missing a thought_signature in functionCall parts.", waived);
        let bare = Quirk::Extras(Extras::LeftOut);
        check_said(400, "Extra inputs are not permitted, field: messages[1].reasoning_details", bare);
    }

    #[test]
    fn thoughts_that_must_go_back_or_must_not() {
        let deepseek = "Missing `reasoning_content` field in the assistant message at message index 2.";
        check_said(400, deepseek, ECHO);
        check_said(400, "The `reasoning_content` in the thinking mode must be passed back to the API.", ECHO);
        let kimi =
            "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2";
        check_said(400, kimi, ECHO);
        let stand_in = Quirk::Thoughtless(Thoughtless::Placeholder);
        assert_eq!(teach_with(400, kimi, &options(), &[ECHO]), Teaching::Lesson(stand_in));
        let always = Quirk::Reasoning(EchoReasoning::Always);
        assert_eq!(teach_with(400, deepseek, &options(), &[ECHO, stand_in]), Teaching::Lesson(always));
        assert_eq!(teach_with(400, deepseek, &options(), &[ECHO, stand_in, always]), Teaching::Nothing);
        for refused in [
            "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
            "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning' is unsupported, did you mean 'role'?)]",
            "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
            "Extra inputs are not permitted, field: 'messages[2].reasoning'",
        ] {
            let known = Dialect::default().with(ECHO);
            let sent = Sent { request: &request(), options: &options(), dialect: known, known, learnt: &[] };
            let never = Quirk::Reasoning(EchoReasoning::Never);
            assert_eq!(teach(400, refused, sent), Teaching::Lesson(never), "{refused}");
        }
    }

    #[test]
    fn what_stands_for_no_text() {
        let empty = Quirk::NoText(NoText::Empty);
        let null =
            r#"{"detail":[{"loc":["body","messages",1,"content"],"msg":"none is not an allowed value"}]}"#;
        check(422, null, empty);
        check_said(400, "messages[1].content: Invalid type: null, expected a string", empty);
        check_said(400, "invalid params, chat content is empty (2013)", Quirk::NoText(NoText::Omitted));
        let moonshot = "Invalid request: message at position 2 with role 'assistant' must not be empty";
        check_said(400, moonshot, Quirk::NoText(NoText::Omitted));
        assert_eq!(
            teach_with(400, moonshot, &options(), &[empty]),
            Teaching::Lesson(Quirk::NoText(NoText::Omitted)),
            "null was refused before"
        );
    }

    #[test]
    fn a_null_that_breaks_the_server_is_written_as_an_empty_text() {
        let empty = Quirk::NoText(NoText::Empty);
        let newer = "7 validation errors for ValidatorIterator\n1.typed-dict.content\n  Input should be a valid string \
            [type=string_type, input_value=None, input_type=NoneType]";
        let older =
            "2 validation errors for Request\nmessages -> 1 -> content\n  none is not an allowed value";
        for said in [newer, older] {
            let body =
                json!({ "error": { "message": said, "type": "internal_server_error", "param": null } });
            check(500, &body.to_string(), empty);
            let again = teach_with(500, &body.to_string(), &options(), &[empty]);
            assert_eq!(again, Teaching::Nothing, "no null was sent");
        }
        for said in [
            "content: Input should be a valid string",
            "1 validation error for Request: name: Input should be a valid string",
            "1 validation error for Reply: content must have at least one part",
        ] {
            check_nothing(500, said);
        }
    }

    #[test]
    fn what_is_no_lesson_teaches_nothing() {
        for status in [401, 402, 403, 408, 409, 413, 429, 502, 503, 529] {
            check_nothing(status, "this model does not support tools");
        }
        for message in [
            "",
            "bad words",
            "scripted 400",
            "The model `gpt-x` does not exist or you do not have access to it.",
            "unsupported_country_region_territory",
            "Invalid JSON",
            "unsupported media type",
            "this endpoint is not supported",
        ] {
            check_nothing(400, message);
        }
        check_nothing(500, "Internal error: field required: content");
        check_nothing(500, "The server does not support temperature right now");
    }

    #[test]
    fn what_was_sent_back_is_not_what_was_said() {
        let echoed = json!({ "detail": [{ "type": "missing", "loc": ["body", "messages", 0, "x"], "msg": "Field missing",
            "input": { "content": "stream_options is not supported and the model does not support tools" } }] });
        assert_eq!(teach_with(422, &echoed.to_string(), &options(), &[]), Teaching::Nothing);
        let python = "[{'type': 'int_type', 'loc': ('body', 'n'), 'msg': 'Input should be an integer', 'input': 'does not support tools'}, \
            {'type': 'missing', 'loc': ('body', 'm'), 'msg': 'Field missing', 'input': {'x': 'System role not supported'}}]";
        check_nothing(400, python);
    }

    #[test]
    fn what_the_user_sends_himself_is_his() {
        let extra = json!({ "temperature": 0.3, "top_k": 4, "tools": [] });
        let mine = WireOptions { extra_body: extra.as_object().unwrap().clone(), ..options() };
        let said = |message: &str| teach_with(400, message, &mine, &[]);
        let refused = "Unsupported parameter: 'temperature' is not supported with this model.";
        assert_eq!(said(refused), Teaching::OfUser("temperature".into()));
        assert_eq!(said("property 'top_k' is unsupported"), Teaching::OfUser("top_k".into()));
        assert_eq!(
            said("this model does not support tools"),
            Teaching::Lesson(NO_TOOLS),
            "that one is never his"
        );
        assert_eq!(said("Unknown parameter: stream_options"), Teaching::Lesson(NO_COUNTS));
    }

    #[test]
    fn what_was_not_sent_cannot_be_meant() {
        let request = ChatRequest { messages: Vec::new(), tools: Arc::new([]), ..request() };
        let dialect = Dialect::default().with(NO_STREAM);
        let sent = Sent {
            request: &request,
            options: &WireOptions::default(),
            dialect,
            known: dialect,
            learnt: &[],
        };
        for message in [
            "this model does not support tools",
            "this model does not support images",
            "streaming is not supported",
            "stream_options is not supported",
            "max_tokens is not supported",
            "temperature is not supported",
            "reasoning_effort is not supported",
            "Tool call id must be a-z, A-Z, 0-9, with a length of 9",
            "messages[2].content cannot be null",
        ] {
            assert_eq!(teach(400, message, sent), Teaching::Nothing, "{message}");
        }
    }

    #[test]
    fn a_loss_is_said_and_a_new_name_is_not() {
        let asked = Asked { host: "x.example", base: "https://x.example/v1", key: None, model: "m" };
        let refused = r#"{"error":{"message":"tools param\nrequires --jinja flag"}}"#;
        let said = |quirk: Quirk| loss(quirk, asked, &options(), refused).unwrap_or_default();
        assert!(
            said(NO_TOOLS).ends_with("or run commands (the server says: tools param⏎requires --jinja flag)")
        );
        let long = words(&"é".repeat(300));
        assert!(long.len() < 230 && long.ends_with("…)") && words("").is_empty(), "{long}");
        assert_eq!(
            said(Quirk::Effort(Effort::Fixed(Level::Low))),
            "m on x.example does not support reasoning_effort high: sending low"
        );
        for quirk in [NO_TOOLS, NO_IMAGES, NO_STREAM, NO_STREAM_WITH_TOOLS, NO_EFFORT, NO_TEMPERATURE] {
            assert!(said(quirk).contains("x.example "), "{quirk:?}");
        }
        for quirk in [NEW_LIMIT, ECHO, BRIDGE, SYSTEM_IN_USER, NO_COUNTS] {
            assert_eq!(said(quirk), "", "{quirk:?}");
        }
    }
}
