//! How endpoints differ in what they take: data, not code.
//!
//! Everything here is about requests; answers are read so loosely that they need no table. The surprising decision:
//! nothing here may depend on where a message stands in the conversation, for a message that is written differently
//! once it is older would break the endpoint's prompt cache at every turn.

use std::hash::{DefaultHasher, Hash, Hasher};

/// What one endpoint wants differently. The default is what most take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Dialect {
    /// Which messages carry their thoughts back.
    pub reasoning: EchoReasoning,
    /// What stands for the text of a message that only calls tools.
    pub no_text: NoText,
    /// How the output limit is called.
    pub output_limit: OutputLimit,
    /// Whether counts are asked for.
    pub usage: AskUsage,
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

/// The field of the output limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OutputLimit {
    /// `max_tokens`.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
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

impl Dialect {
    /// What is known of the endpoint at `host`, given with or without a port.
    #[must_use]
    pub fn of_host(host: &str) -> Self {
        let host = host.split(':').next().unwrap_or_default();
        let is =
            |domain: &str| host == domain || host.strip_suffix(domain).is_some_and(|sub| sub.ends_with('.'));
        if is("openai.com") || is("openai.azure.com") {
            // Its reasoning models refuse the older name; the others take both.
            return Self { output_limit: OutputLimit::MaxCompletionTokens, ..Self::default() };
        }
        if is("deepseek.com") || is("moonshot.ai") || is("moonshot.cn") {
            // They answer 400 where the thoughts behind a call are missing.
            return Self { reasoning: EchoReasoning::WithCalls, ..Self::default() };
        }
        Self::default()
    }

    /// Tells dialects apart beside a cached message.
    #[must_use]
    pub fn fingerprint(self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_known_by_its_domain_alone() {
        let limit = |host: &str| Dialect::of_host(host).output_limit;
        assert_eq!(limit("api.openai.com"), OutputLimit::MaxCompletionTokens);
        assert_eq!(limit("openai.com"), OutputLimit::MaxCompletionTokens);
        assert_eq!(limit("notopenai.com"), OutputLimit::MaxTokens);
        assert_eq!(limit("openai.com.example.org"), OutputLimit::MaxTokens);
    }

    #[test]
    fn dialects_that_differ_have_other_fingerprints() {
        let known = Dialect::of_host("api.deepseek.com");
        assert_eq!(known.fingerprint(), Dialect::of_host("deepseek.com").fingerprint());
        assert_ne!(known.fingerprint(), Dialect::default().fingerprint());
    }
}
