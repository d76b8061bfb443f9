//! What is known of models by their names.
//!
//! A last resort: a window that is configured, or told by the endpoint, wins over this table. Names come with makers
//! before them and tags behind them; the family is what counts. Numbers are those of the makers' own model pages; where a
//! family has several, the smallest, for a conversation that is summarised early is better than one that is refused.

/// Beginnings of names and the tokens that fit into the window, the longer beginning first.
const WINDOWS: [(&str, u64); 52] = [
    ("gpt-5", 400_000),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("gpt-4-turbo", 128_000),
    ("gpt-4-32k", 32_768),
    ("gpt-4", 8_192),
    ("gpt-3.5", 16_385),
    ("gpt-oss", 131_072),
    ("chatgpt-4o", 128_000),
    ("codex-mini", 200_000),
    ("o1-mini", 128_000),
    ("o1", 200_000),
    ("o3", 200_000),
    ("o4", 200_000),
    ("claude", 200_000),
    ("gemini", 1_048_576),
    ("gemma-3", 131_072),
    ("gemma3", 131_072),
    ("gemma", 8_192),
    ("deepseek-coder", 16_384),
    ("deepseek", 128_000),
    ("qwen3-coder", 262_144),
    ("qwen3-max", 262_144),
    ("qwen3-next", 262_144),
    ("qwen3", 40_960),
    ("qwen2.5", 32_768),
    ("qwq", 131_072),
    ("kimi-k2", 131_072),
    ("moonshot-v1-8k", 8_192),
    ("moonshot-v1-32k", 32_768),
    ("moonshot", 131_072),
    ("glm-4.5", 131_072),
    ("glm-4.", 200_000),
    ("glm-4", 128_000),
    ("glm-5", 200_000),
    ("minimax-m1", 1_000_000),
    ("minimax", 204_800),
    ("mixtral", 32_768),
    ("mistral", 131_072),
    ("ministral", 131_072),
    ("devstral", 131_072),
    ("codestral", 262_144),
    ("magistral", 40_960),
    ("llama-4", 1_048_576),
    ("llama4", 1_048_576),
    ("llama-3.", 131_072),
    ("llama3.", 131_072),
    ("llama", 8_192),
    ("grok-4-fast", 2_000_000),
    ("grok-4", 256_000),
    ("grok-code", 256_000),
    ("grok", 131_072),
];

/// Tokens that fit into the window of `model`; none where its family is unknown.
#[must_use]
pub fn context_window(model: &str) -> Option<u64> {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    WINDOWS.iter().find(|(family, _)| name.starts_with(family)).map(|(_, tokens)| *tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_known_by_the_beginning_of_its_name() {
        assert_eq!(context_window("gpt-4o-mini-2024-07-18"), Some(128_000));
        assert_eq!(context_window("openai/gpt-4"), Some(8_192));
        assert_eq!(context_window("accounts/x/models/Qwen3-Coder-480B"), Some(262_144));
        assert_eq!(context_window("qwen3:8b"), Some(40_960));
        assert_eq!(context_window("glm-4.6"), Some(200_000));
        assert_eq!(context_window("my-own"), None);
        assert_eq!(context_window(""), None);
    }

    #[test]
    fn no_family_hides_a_longer_one() {
        for (place, (family, _)) in WINDOWS.iter().enumerate() {
            let found = WINDOWS.iter().position(|(other, _)| family.starts_with(other));
            assert_eq!(found, Some(place), "{family}");
        }
    }
}
