//! What is refused of the conversation: roles and their order, ids, thoughts, images, empty texts.
//!
//! Each rule stands for one part of the form of messages; none drops what was said. A template that raises an error says so in
//! its own words, which most servers pass on, as 400 or as 500.

use super::super::dialect::{
    AfterTools, CallIds, EchoReasoning, Extras, Images, NoText, Quirk, Signatures, SystemRole, Thoughtless,
    ToolNameField,
};
use super::Case;

pub(super) fn call_ids(case: &Case<'_>) -> Vec<Quirk> {
    let ids = ["tool_call_id", "tool_calls", "tool_use", "tool call id", "tool_calls id"];
    if !case.has_calls() || !ids.iter().any(|name| case.complaint.names(name)) {
        return Vec::new();
    }
    if case.says(&["with a length of 9", "length of 9"]) {
        return vec![Quirk::CallIds(CallIds::Nine)];
    }
    let shape = ["maximum length 40", "match pattern", "match the pattern", "matches the pattern"];
    if case.says(&shape) { vec![Quirk::CallIds(CallIds::Short)] } else { Vec::new() }
}

/// Gemini from its third version on: "Function call is missing a `thought_signature` in functionCall parts".
pub(super) fn signatures(case: &Case<'_>) -> Vec<Quirk> {
    let missing = case.complaint.says_of("thought_signature", &["missing"]);
    if missing && case.has_calls() { vec![Quirk::Signatures(Signatures::Waived)] } else { Vec::new() }
}

/// Thoughts that must go back, or must not, and whatever else a provider gave along.
pub(super) fn thoughts(case: &Case<'_>) -> Vec<Quirk> {
    let complaint = &case.complaint;
    let missing = ["missing", "must be passed back", "is required", "must be provided", "must include"];
    if complaint.says_of("reasoning_content", &missing) {
        return vec![
            Quirk::Reasoning(EchoReasoning::WithCalls),
            Quirk::Thoughtless(Thoughtless::Placeholder),
            Quirk::Reasoning(EchoReasoning::Always),
        ];
    }
    let of_provider = ["reasoning_details", "extra_content", "thought_signature"];
    if of_provider.iter().any(|field| complaint.refuses(field)) {
        return vec![Quirk::Extras(Extras::LeftOut)];
    }
    let is_echoed = case.sent.dialect.message.reasoning != EchoReasoning::Never;
    let fields = ["reasoning_content", "reasoning_text"].iter().any(|field| complaint.refuses(field));
    // Both are names of other things as well.
    let vague = ["reasoning", "thinking"].iter();
    let in_message =
        vague.clone().any(|field| complaint.is_about_messages(field) && complaint.refuses(field))
            || (complaint.names("role:assistant") && vague.clone().any(|field| complaint.refuses(field)));
    if is_echoed && (fields || in_message) {
        vec![Quirk::Reasoning(EchoReasoning::Never)]
    } else {
        Vec::new()
    }
}

/// `messages[3]: "name" is not supported by this endpoint`, `messages.3.tool.name: property … is unsupported`.
pub(super) fn tool_name(case: &Case<'_>) -> Vec<Quirk> {
    let complaint = &case.complaint;
    let here = complaint.is_about_messages("name") && complaint.refuses_any();
    let named = complaint.names("messages") || complaint.names("role:tool");
    let said = ["name is not supported", "name is unsupported", "property name is unsupported"];
    let is_meant = here || (named && case.says(&said)) || case.says(&["unrecognizedproperty=name"]);
    if is_meant && case.has_calls() { vec![Quirk::ToolName(ToolNameField::LeftOut)] } else { Vec::new() }
}

/// "Unexpected role 'user' after role 'tool'", "roles must alternate user/assistant". What can be out of order is a user's word
/// after a tool's, and the system prompt for a template that counts it.
pub(super) fn order_of_roles(case: &Case<'_>) -> Vec<Quirk> {
    let bridge = Quirk::AfterTools(AfterTools::Bridge);
    let unasked = ["after role tool", "user role after tool", "user after tool"];
    if case.says(&unasked) {
        return vec![bridge];
    }
    if !case.says(&["must alternate", "should alternate", "must strictly alternate", "roles alternate"]) {
        return Vec::new();
    }
    let system = Quirk::System(SystemRole::InFirstUser);
    if !case.has_calls() {
        return vec![system];
    }
    let knows_system = case.says(&["after the optional system message"]);
    if knows_system { vec![bridge] } else { vec![bridge, system] }
}

pub(super) fn system_role(case: &Case<'_>) -> Vec<Quirk> {
    let said = [
        "system role not supported",
        "system role is not supported",
        "system role is unsupported",
        "system messages are not supported",
        "system message is not supported",
        "system prompt is not supported",
        "does not support system",
        "developer instruction is not enabled",
        "roles are supported, got system",
        "invalid message role: system",
        "invalid role: system",
        "unknown variant system",
        "unsupported role: system",
        "role system is not",
    ];
    if case.says(&said) { vec![Quirk::System(SystemRole::InFirstUser)] } else { Vec::new() }
}

/// A single image that is too large or of another kind is no reason to send none.
pub(super) fn images(case: &Case<'_>) -> Vec<Quirk> {
    let things =
        ["images", "image input", "image_url", "vision", "multimodal", "multi-modal", "image content"];
    let said = [
        "image input is not supported",
        "image inputs are not supported",
        "images are not supported",
        "image content is not supported",
        "vision is not supported",
        "image_url is only supported by",
        "image_url is not supported",
        "unknown variant image_url",
        "unsupported content type: image",
        "unsupported content part: image",
        "missing data required for image input",
        "is not a multimodal model",
        "at most 0 image",
        "only text content type is supported",
        "allowed values: [text]",
        "content must be a string",
    ];
    let of_one = ["larger", "too large", "exceed", "format", "media type", "mime", "resolution", "size"];
    let is_meant = (case.complaint.lacks(&things) || case.says(&said)) && !case.says(&of_one);
    if is_meant && case.has_images() { vec![Quirk::Images(Images::Told)] } else { Vec::new() }
}

/// What stands for no text: the next of the three that was not tried.
pub(super) fn no_text(case: &Case<'_>) -> Vec<Quirk> {
    let null = [
        "cannot be null",
        "must not be null",
        "null is not",
        "none is not an allowed value",
        "invalid type: null",
        "got null",
        "got none",
        "nonetype",
        "expected a string, got",
        "content must be a string",
        "content is required",
        "missing field content",
        "field required",
        "valid string",
        "expected string",
        "instead of null",
        "not null",
    ];
    let empty = [
        "non-empty",
        "not be empty",
        "cannot be empty",
        "is empty",
        "at least one character",
        "must have content",
    ];
    if is_null_in_a_fault_of_the_server(case) {
        return vec![Quirk::NoText(NoText::Empty)];
    }
    let is_named = case.complaint.names("content") || case.says(&["must not be empty"]);
    if !case.has_calls_without_text() || !is_named || case.complaint.blames_server() {
        return Vec::new();
    }
    let forms = if case.says(&null) {
        [NoText::Empty, NoText::Omitted, NoText::Null]
    } else if case.says(&empty) {
        [NoText::Null, NoText::Omitted, NoText::Empty]
    } else {
        return Vec::new();
    };
    forms.map(Quirk::NoText).to_vec()
}

/// llama-cpp-python checks messages while it answers, so that what it misses comes as a fault of its own: "7 validation errors
/// for `ValidatorIterator` … content … Input should be a valid string". A field that is left out is missed as well.
fn is_null_in_a_fault_of_the_server(case: &Case<'_>) -> bool {
    let wants_text = ["none is not an allowed value", "should be a valid string", "str type expected"];
    case.complaint.blames_server()
        && case.sent.dialect.message.no_text == NoText::Null
        && case.has_calls_without_text()
        && case.says(&["validation error", "validation errors"])
        && case.complaint.says_of("content", &wants_text)
}
