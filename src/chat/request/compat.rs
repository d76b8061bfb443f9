//! How endpoints differ in what they take: data, not code.
//!
//! A [`Dialect`] is the default, then what is known of the host, then of the model's family, then what the endpoint itself
//! has taught ([`super::memory`]): each a list of [`Quirk`]s, the later ones winning. Everything here is about requests;
//! answers are read so loosely that they need no table. The surprising decision: nothing here may depend on where a
//! message stands in the conversation, for a message that is written differently once it is older would break the
//! endpoint's prompt cache at every turn.

pub use super::dialect::{Dialect, Quirk};

use super::dialect::{
    AfterTools, AskUsage, CallIds, EchoReasoning, OutputLimit, SystemRole, Temperature, Thoughtless,
};

/// The header in which the key goes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum KeyHeader {
    /// `Authorization: Bearer KEY`.
    #[default]
    Bearer,
    /// `api-key: KEY`.
    ApiKey,
}

const ECHO_WITH_CALLS: Quirk = Quirk::Reasoning(EchoReasoning::WithCalls);
const PLACEHOLDER: Quirk = Quirk::Thoughtless(Thoughtless::Placeholder);
const COMPLETION_TOKENS: Quirk = Quirk::OutputLimit(OutputLimit::MaxCompletionTokens);
const NO_TEMPERATURE: Quirk = Quirk::Temperature(Temperature::LeftOut);
const SHORT_IDS: Quirk = Quirk::CallIds(CallIds::Short);
const SYSTEM_IN_USER: Quirk = Quirk::System(SystemRole::InFirstUser);

/// Domains of Azure; the last one serves models of all makers.
const AZURE: [&str; 3] = ["openai.azure.com", "cognitiveservices.azure.com", "services.ai.azure.com"];

/// Domains (subdomains included) and what is different there. Not listed: hosts that take the default (`OpenRouter`, Groq,
/// Together, Fireworks, Cerebras, xAI, z.ai, `DashScope`, NVIDIA, Cohere, local servers), and what only some models of
/// a host refuse, for that is learnt from the refusal.
const HOSTS: [(&[&str], &[Quirk]); 6] = [
    // Its reasoning models refuse `max_tokens` ("Use 'max_completion_tokens' instead"), the others take both; ids of calls
    // have at most 40 characters ("Expected a string with maximum length 40").
    (&["openai.com", "openai.azure.com", "cognitiveservices.azure.com"], &[COMPLETION_TOKENS, SHORT_IDS]),
    (&["services.ai.azure.com"], &[SHORT_IDS]),
    // Its compatibility layer holds ids against `^[a-zA-Z0-9_-]+$`.
    (&["anthropic.com"], &[SHORT_IDS]),
    // Both answer 400 where the thoughts behind a call are missing, be it another model's call: "Missing `reasoning_content`
    // field in the assistant message" (the guide to the thinking mode), "thinking is enabled but reasoning_content is
    // missing in assistant tool call message".
    (&["deepseek.com"], &[ECHO_WITH_CALLS, PLACEHOLDER]),
    (&["moonshot.ai", "moonshot.cn", "kimi.com"], &[ECHO_WITH_CALLS, PLACEHOLDER]),
    // 422 `extra_forbidden` for `stream_options` (it counts unasked), 400 for "Unexpected role 'user' after role 'tool'"
    // and for ids that are not "a-z, A-Z, 0-9, with a length of 9".
    (
        &["mistral.ai"],
        &[Quirk::Usage(AskUsage::No), Quirk::AfterTools(AfterTools::Bridge), Quirk::CallIds(CallIds::Nine)],
    ),
];

/// Beginnings of model names (without the maker before the slash) and what is different with them, wherever they run;
/// the first row that fits counts, so a longer beginning stands before a shorter one.
const FAMILIES: [(&[&str], &[Quirk]); 7] = [
    // OpenAI's list of parameters by model: from 5.1 on a temperature is taken while nothing is thought.
    (&["gpt-5-chat", "gpt-5.", "gpt-6"], &[COMPLETION_TOKENS]),
    (&["gpt-5", "o1", "o3", "o4", "codex-mini"], &[COMPLETION_TOKENS, NO_TEMPERATURE]),
    // The guide to its format: thoughts between calls belong to the prompt of the next one.
    (&["gpt-oss"], &[ECHO_WITH_CALLS]),
    // The makers' guides to tools in thinking mode ("interleaved", "preserved thinking") say so for all four.
    (&["deepseek", "kimi", "glm-", "minimax-m"], &[ECHO_WITH_CALLS]),
    // From the fourth on the template knows the role.
    (&["gemma-4", "gemma4"], &[]),
    // Templates of the first and second raise "System role not supported", that of the third does what we do; Google's own
    // endpoint says "Developer instruction is not enabled".
    (&["gemma", "codegemma"], &[SYSTEM_IN_USER]),
    // "Conversation roles must alternate" in the template of the first two, which has no system.
    (&["mistral-7b-instruct-v0.1", "mistral-7b-instruct-v0.2"], &[SYSTEM_IN_USER]),
];

impl Dialect {
    /// What is known beforehand of `model` at `host`, given with or without a port.
    #[must_use]
    pub fn of(host: &str, model: &str) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        let at_host = HOSTS.iter().find(|(domains, _)| is_at(host, domains));
        let of_family = FAMILIES.iter().find(|(names, _)| names.iter().any(|start| name.starts_with(start)));
        [at_host, of_family].into_iter().flatten().fold(Self::default(), |dialect, (_, quirks)| {
            quirks.iter().fold(dialect, |dialect, quirk| dialect.with(*quirk))
        })
    }
}

impl KeyHeader {
    /// How the endpoint at `host` (with or without a port) wants its key. Azure takes a bearer for a token of its directory,
    /// not for a key.
    #[must_use]
    pub fn of_host(host: &str) -> Self {
        if is_at(host, &AZURE) { Self::ApiKey } else { Self::Bearer }
    }
}

/// Whether `host` (with or without a port) is one of `domains` or below it.
fn is_at(host: &str, domains: &[&str]) -> bool {
    let host = host.split(':').next().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
    domains
        .iter()
        .any(|domain| host.strip_suffix(domain).is_some_and(|sub| sub.is_empty() || sub.ends_with('.')))
}

#[cfg(test)]
mod tests {
    use super::super::dialect::MessageForm;
    use super::*;

    #[test]
    fn a_host_is_known_by_its_domain_alone() {
        #[track_caller]
        fn check(host: &str, expected: OutputLimit) {
            assert_eq!(Dialect::of(host, "m").output_limit, expected, "{host}");
        }
        let (newer, older) = (OutputLimit::MaxCompletionTokens, OutputLimit::MaxTokens);
        check("api.openai.com", newer);
        check("API.OpenAI.com.:443", newer);
        check("openai.com", newer);
        check("me.openai.azure.com", newer);
        check("me.cognitiveservices.azure.com", newer);
        check("me.services.ai.azure.com", older);
        check("notopenai.com", older);
        check("openai.com.example.org", older);
        check("[::1]:8080", older);
        check("", older);
    }

    #[test]
    fn a_key_goes_out_as_the_host_wants_it() {
        for host in ["me.openai.azure.com", "me.cognitiveservices.azure.com", "me.services.ai.azure.com:443"]
        {
            assert_eq!(KeyHeader::of_host(host), KeyHeader::ApiKey, "{host}");
        }
        for host in ["api.openai.com", "azure.com", "azure.example.com", "127.0.0.1:11434"] {
            assert_eq!(KeyHeader::of_host(host), KeyHeader::Bearer, "{host}");
        }
    }

    #[test]
    fn a_family_is_known_wherever_it_runs() {
        #[track_caller]
        fn check(model: &str, quirks: &[Quirk]) {
            let expected = quirks.iter().fold(Dialect::default(), |dialect, quirk| dialect.with(*quirk));
            assert_eq!(Dialect::of("localhost:8000", model), expected, "{model}");
        }
        check("gpt-4o", &[]);
        check("gpt-5-mini-2025-08-07", &[COMPLETION_TOKENS, NO_TEMPERATURE]);
        check("openai/gpt-5-chat-latest", &[COMPLETION_TOKENS]);
        check("gpt-5.2", &[COMPLETION_TOKENS]);
        check("o3-mini", &[COMPLETION_TOKENS, NO_TEMPERATURE]);
        check("openai/gpt-oss-120b:free", &[ECHO_WITH_CALLS]);
        check("accounts/x/models/DeepSeek-V3p2", &[ECHO_WITH_CALLS]);
        check("moonshotai/Kimi-K2-Thinking", &[ECHO_WITH_CALLS]);
        check("zai-org/GLM-4.6", &[ECHO_WITH_CALLS]);
        check("MiniMaxAI/MiniMax-M2", &[ECHO_WITH_CALLS]);
        check("gemma3:12b", &[SYSTEM_IN_USER]);
        check("google/gemma-2-9b-it", &[SYSTEM_IN_USER]);
        check("gemma-4-31b-it", &[]);
        check("qwen3-coder", &[]);
        check("llama3.2", &[]);
        check("", &[]);
    }

    #[test]
    fn a_family_adds_to_its_host() {
        let dialect = Dialect::of("api.mistral.ai", "gpt-oss-20b");
        assert_eq!(dialect.message.reasoning, EchoReasoning::WithCalls);
        assert_eq!((dialect.usage, dialect.message.call_ids), (AskUsage::No, CallIds::Nine));
        assert_eq!(dialect.after_tools, AfterTools::Bridge);
    }

    #[test]
    fn no_row_hides_another() {
        for (place, (names, _)) in FAMILIES.iter().enumerate() {
            for name in *names {
                let fits = |(others, _): &(&[&str], &[Quirk])| others.iter().any(|o| name.starts_with(o));
                assert_eq!(FAMILIES.iter().position(fits), Some(place), "{name}");
            }
        }
        for (place, (domains, _)) in HOSTS.iter().enumerate() {
            for domain in *domains {
                assert_eq!(
                    HOSTS.iter().position(|(others, _)| is_at(domain, others)),
                    Some(place),
                    "{domain}"
                );
            }
        }
    }

    #[test]
    fn forms_that_differ_have_other_fingerprints() {
        let form = |host: &str, model: &str| Dialect::of(host, model).message;
        let known = form("api.deepseek.com", "deepseek-chat");
        assert_eq!(known.fingerprint(), form("deepseek.com", "x").fingerprint());
        assert_ne!(known.fingerprint(), MessageForm::default().fingerprint());
        assert_eq!(
            form("localhost", "gpt-5").fingerprint(),
            MessageForm::default().fingerprint(),
            "what stands in the head of a request alone changes no message"
        );
    }
}
