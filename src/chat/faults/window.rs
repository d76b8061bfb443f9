//! L22: the conversation is longer than the model's window, in the words of everybody who says so.

use super::answer::{events, refused, status};
use super::{Case, Kind, case};

/// Who says it, with which status, and how.
const WORDINGS: [(&str, u16, &str); 29] = [
    (
        "OpenAI",
        400,
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 8545 tokens. Please reduce the length of the messages.",
    ),
    (
        "OpenAI, later",
        400,
        "Your input exceeds the context window of this model. Please adjust your input and try again.",
    ),
    (
        "OpenAI, long windows",
        400,
        "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
    ),
    ("Azure", 400, "This model's maximum context length is 4096 tokens, however you requested 4927 tokens"),
    ("Anthropic", 400, "prompt is too long: 213462 tokens > 200000 maximum"),
    (
        "Anthropic, with the output",
        400,
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    ),
    ("Bedrock", 400, "Input is too long for requested model."),
    (
        "Google",
        400,
        "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    ),
    ("xAI", 400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."),
    ("Groq", 400, "Please reduce the length of the messages or completion."),
    (
        "Groq, too large",
        413,
        "Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 12328",
    ),
    (
        "OpenRouter",
        400,
        "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens",
    ),
    (
        "OpenRouter, another",
        400,
        "Input length 300000 exceeds the maximum allowed input length of 262144 tokens.",
    ),
    ("Together", 422, "The input (40000 tokens) is longer than the model's context length (32768 tokens)."),
    ("llama.cpp", 400, "the request exceeds the available context size, try increasing it"),
    (
        "llama.cpp, older",
        500,
        "the request exceeds the available context size. try increasing the context size or enable context shift",
    ),
    ("llama-cpp-python", 400, "Requested tokens (40000) exceed context window of 32768"),
    (
        "LM Studio",
        400,
        "The number of tokens to keep from the initial prompt (9800) is greater than the context length (8192).",
    ),
    ("LM Studio, MLX", 500, "Context size has been exceeded."),
    ("Ollama", 500, "prompt too long; exceeded max context length by 42 tokens"),
    ("Copilot", 400, "prompt token count of 150000 exceeds the limit of 128000"),
    ("MiniMax", 400, "invalid params, context window exceeds limit (2013)"),
    ("Moonshot", 400, "Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)"),
    (
        "Mistral",
        400,
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    ),
    (
        "Cerebras",
        400,
        "Please reduce the length of the messages or completion. Current length is 8193 while limit is 8192",
    ),
    ("DashScope", 400, "InternalError.Algo.InvalidParameter: Range of input length should be [1, 202745]"),
    (
        "vLLM",
        400,
        "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens",
    ),
    (
        "text-generation-inference",
        422,
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 200 `max_new_tokens`",
    ),
    (
        "LiteLLM",
        400,
        "litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - context_length_exceeded",
    ),
];

pub(super) fn cases() -> Vec<Case> {
    let said = |(who, code, words): (&str, u16, &str)| {
        case("L22", who, [refused(code, words)])
            .fails(Kind::Compact, code, &["the conversation is too long for a"])
            .retries(&[])
    };
    let full = r#"{"choices":[{"delta":{"content":"Hel"}}]}"#;
    let mut cases: Vec<Case> = WORDINGS.into_iter().map(said).collect();
    cases.extend([
        case("L22", "a 400 without a word", [status(400)]).fails(
            Kind::Compact,
            400,
            &["too long for a (400)"],
        ),
        case("L22", "a 413 without a word", [status(413)]).fails(
            Kind::Compact,
            413,
            &["too long for a (413)"],
        ),
        case("L22", "a gateway's page", [status(413).html("<title>413 Request Entity Too Large</title>")])
            .fails(Kind::Compact, 413, &["413 Request Entity Too Large"]),
        case("L22", "a gateway that reads no further", [status(413).early()]).large().fails(
            Kind::Compact,
            413,
            &["too long for a (413)"],
        ),
        case("L22", "a gateway that reads no further and hangs up", [status(413).early().reset()])
            .large()
            .fails(Kind::Compact, 413, &["too long for a (413)"]),
        case("L22", "by name alone", [status(400).json(r#"{"error":{"code":"context_length_exceeded"}}"#)])
            .fails(Kind::Compact, 400, &[]),
        case(
            "L22",
            "as the reason for the end",
            [events([full, r#"{"choices":[{"delta":{},"finish_reason":"model_context_window_exceeded"}]}"#])],
        )
        .fails(Kind::Compact, None, &["too long for a", "no space left for the answer"]),
        case("L22", "another model is no help, nor is a key", [refused(400, "prompt is too long")])
            .keys(2)
            .models(&["b"])
            .fails(Kind::Compact, 400, &[]),
    ]);
    cases.extend(no_overflow());
    cases
}

/// Words like those, about something else.
fn no_overflow() -> Vec<Case> {
    let another = |name: &str, code: u16, words: &str| {
        case("L22", name, [refused(code, words)]).max_retries(0).fails(Kind::GiveUp, code, &[])
    };
    vec![
        another("a rate is none", 429, "Limit 10000 tokens per min on maximum context length"),
        another(
            "a throttled one is none",
            503,
            "ThrottlingException: Too many tokens, please wait before trying again.",
        ),
        another(
            "a window that is too small is none",
            400,
            "Model context window too small (minimum is 16000 tokens)",
        ),
        another(
            "a long name is none",
            400,
            "Invalid 'user': string too long. string_above_max_length: context length",
        ),
    ]
}

#[tokio::test]
async fn an_overflow_is_known_in_everybodys_words() {
    super::check_all(cases()).await;
}
