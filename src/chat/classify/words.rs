//! The words by which endpoints tell one trouble from another. Tables, in lower case; nothing else.
//!
//! Gathered from the providers' documentation, from the sources of the local servers, and from what people report. A
//! wording belongs here only if no other trouble is told with it: a wrong match costs more than a missed one.

/// The conversation is longer than the model's window. The first five are wide: taken for an overflow by mistake costs one
/// compaction, an overflow that is not seen costs the conversation.
pub(super) const OVERFLOW: [&str; 26] = [
    "context length",
    "context_length",
    "context window",
    "context_window",
    "context size",
    // llama.cpp
    "exceed_context_size",
    // OpenAI
    "input tokens exceed the configured limit",
    // Anthropic
    "prompt is too long",
    "request_too_large",
    "context limit",
    // Bedrock
    "input is too long",
    // Google
    "input token count",
    "exceeds the maximum number of tokens",
    // xAI
    "maximum prompt length",
    // Groq, Cerebras
    "reduce the length of the",
    "request too large for",
    // OpenRouter
    "maximum allowed input length",
    "maximum input length",
    // Together
    "longer than the model's context",
    // Ollama
    "prompt too long",
    // Copilot
    "prompt token count of",
    // Moonshot
    "exceeded model token limit",
    // DashScope
    "range of input length should be",
    // text-generation-inference
    "`inputs` tokens + `max_new_tokens` must be",
    // vLLM, Mistral and others
    "too many tokens",
    "token limit exceeded",
];

/// With these it is something else, whatever else is said.
pub(super) const NO_OVERFLOW: [&str; 7] = [
    "rate limit",
    "rate_limit",
    "too many requests",
    "throttl",
    "window too small",
    "please wait before",
    "string_above_max_length",
];

/// An account is empty, or its limit lies days away: waiting does not help.
pub(super) const NO_QUOTA: [&str; 20] = [
    "insufficient_quota",
    "insufficient quota",
    "insufficient_user_quota",
    "insufficient balance",
    "insufficient_balance",
    "insufficient credit",
    "insufficient_credit",
    "insufficient funds",
    "not enough credit",
    "used all available credits",
    "monthly spending limit",
    "billing_hard_limit",
    "billing hard limit",
    "billing_not_active",
    "credit balance is too low",
    "exceeded_current_quota",
    "payment required",
    "arrearage",
    "余额不足",
    // Google names the quota: a daily one
    "perday",
];

/// A filter stopped it: the same words would be stopped again.
pub(super) const FILTERED: [&str; 12] = [
    "content_filter",
    "content management policy",
    "responsibleaipolicyviolation",
    "content_policy_violation",
    "our safety system",
    "violating our usage policy",
    "input was flagged",
    "data_inspection_failed",
    "inappropriate content",
    "content exists risk",
    "prohibited_content",
    "invalid_prompt",
];

/// No such model, from endpoints that say so with another status than 404.
pub(super) const UNKNOWN_MODEL: [&str; 9] = [
    "model_not_found",
    "model not found",
    "model not exist",
    "model does not exist",
    "model_decommissioned",
    "is not a valid model",
    "unknown model",
    "invalid model",
    "invalid_model",
];

/// A key that is not known, from `LiteLLM` without a database to look it up in.
pub(super) const UNKNOWN_KEY: [&str; 2] = ["no_db_connection", "no connected db"];

/// By which a fault speaks of a key, where none was sent.
pub(super) const OF_KEY: [&str; 8] = [
    "api key",
    "api-key",
    "api_key",
    "apikey",
    "authentication",
    "unauthorized",
    "authorization header",
    "bearer token",
];

/// The model does not fit into the machine.
pub(super) const NO_MEMORY: [&str; 4] = [
    "requires more system memory",
    "insufficient system resources to load",
    "cudamalloc failed: out of memory",
    "insufficient memory",
];

/// What the model wrote was no call that the endpoint could read (Groq): the next try may be one.
pub(super) const BAD_CALL: [&str; 1] = ["tool_use_failed"];

/// The model is on its way into the memory.
pub(super) const LOADING: [&str; 4] =
    ["loading model", "model is loading", "currently loading", "model is being loaded"];

/// Names of errors that come without a number, and the status that they would have had.
pub(super) const NAMED: [(&str, u16); 24] = [
    ("content_filter", 400),
    ("data_inspection_failed", 400),
    ("rate_limit", 429),
    ("too_many_requests", 429),
    ("throttl", 429),
    ("resource_exhausted", 429),
    ("insufficient_quota", 429),
    ("overloaded", 529),
    ("unauthenticated", 401),
    ("authentication", 401),
    ("unauthorized", 401),
    ("api_key", 401),
    ("permission", 403),
    ("model_not_found", 404),
    ("not_found", 404),
    ("invalid_request", 400),
    ("invalid_argument", 400),
    ("badrequest", 400),
    ("exceed_context_size", 400),
    ("timeout", 408),
    ("deadline_exceeded", 408),
    ("unavailable", 503),
    ("server_error", 500),
    ("internal", 500),
];

/// What to do about a request that is refused as it is, where the words tell which of the usual troubles it is.
pub(super) const ADVICE: [(&[&str], &str); 13] = [
    (
        &["plain http request was sent to https", "http request to an https server"],
        "this port uses https: begin base_url with https://",
    ),
    (
        &[
            "roles must alternate",
            "alternate user/assistant",
            "unexpected role",
            "expected last role",
            "only user and assistant roles",
        ],
        "the model's chat template does not support tool results: use another template, or another model",
    ),
    (
        &[
            "image exceeds",
            "image dimensions exceed",
            "image too large",
            "image is too large",
            "image file too large",
        ],
        "remove the image with /rewind and send a smaller one",
    ),
    (
        &["too many images", "image(s) may be provided", "at most 1 image", "number of images", "images per"],
        "too many images for this model: /compact drops them, /rewind removes the last one",
    ),
    (
        &[
            "image input is not supported",
            "does not support image",
            "support image input",
            "not a multimodal model",
            "unsupported content part type",
            "unknown variant `image_url`",
            "image_url is only supported",
            "required for image input",
            "does not support vision",
        ],
        "the model does not support images: remove the image with /rewind, or use another model",
    ),
    (
        &[
            "without `tool_result`",
            "without tool_result",
            "must be followed by tool messages",
            "did not have response messages",
            "must be a response to a prec",
            "same number of function calls",
            "unexpected `tool_use_id`",
            "no tool call found",
        ],
        "the endpoint expects a result for a tool call: go back one message with /rewind, or start over \
         with /clear",
    ),
    (
        &[
            "invalid schema for function",
            "input_schema",
            "function_declarations",
            "invalid tool schema",
            "tool schema is invalid",
            "invalid tools",
        ],
        "the endpoint rejects a tool's parameters: remove the tool with --disallowed-tools",
    ),
    (
        &["does not support tool", "support tool use", "does not support function", "tools is not supported"],
        "the model does not support tool calls: use another one",
    ),
    (
        &["enable-auto-tool-choice", "tool-call-parser", "use --jinja", "tools param requires"],
        "start the server with its option for tool calls",
    ),
    (&["max_tokens", "max_completion_tokens", "max_new_tokens"], "see max_output_tokens"),
    (
        &["unsupported_country", "not available in your country", "location is not supported"],
        "the endpoint does not serve your country",
    ),
    (
        &["no models loaded", "model is unloaded", "failed to load model"],
        "load the model in the server first",
    ),
    (&["method not allowed"], "check base_url; it usually ends in /v1"),
];
