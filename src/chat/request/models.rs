//! What is known of models by their names.
//!
//! A last resort: what is configured, or told by the endpoint, wins over this table. Names come with makers before them and
//! tags behind them; the family is what counts. Numbers and abilities are those of the makers' own model pages; where a
//! family has several windows, the smallest, for a conversation that is summarised early is better than one that is
//! refused, and where its members differ in an ability, nothing is said.

/// What is known of a family of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Family {
    /// The beginning of its members' names.
    pub name: &'static str,
    /// Tokens that fit into the window.
    pub window: u64,
    /// Whether it takes images.
    pub images: Ability,
    /// Whether it thinks before it answers.
    pub thinks: Ability,
    /// In which form it was trained to change files.
    pub edits: Edits,
}

/// Whether a model can do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Ability {
    /// It can.
    Yes,
    /// It cannot.
    No,
    /// Nobody has said.
    #[default]
    Unknown,
}

/// In which form a model was trained to change files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Edits {
    /// One text in the place of another.
    #[default]
    Replacement,
    /// A patch over several files.
    Patch,
}

impl Ability {
    /// This, or `other` where nobody has said.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match self {
            Self::Yes | Self::No => self,
            Self::Unknown => other,
        }
    }
}

impl From<bool> for Ability {
    fn from(can: bool) -> Self {
        if can { Self::Yes } else { Self::No }
    }
}

/// The longer beginning first.
const FAMILIES: [Family; 62] = [
    of("gpt-5", 400_000).images(Ability::Yes).thinks(Ability::Yes).patch(),
    of("gpt-4.1", 1_047_576).images(Ability::Yes).thinks(Ability::No).patch(),
    of("gpt-4o", 128_000).images(Ability::Yes).thinks(Ability::No),
    of("gpt-4-turbo", 128_000).images(Ability::Yes).thinks(Ability::No),
    of("gpt-4-32k", 32_768).images(Ability::No).thinks(Ability::No),
    of("gpt-4", 8_192).images(Ability::No).thinks(Ability::No),
    of("gpt-3.5", 16_385).images(Ability::No).thinks(Ability::No),
    of("gpt-oss", 131_072).images(Ability::No).thinks(Ability::Yes).patch(),
    of("chatgpt-4o", 128_000).images(Ability::Yes).thinks(Ability::No),
    of("codex-mini", 200_000).images(Ability::Yes).thinks(Ability::Yes).patch(),
    of("o1-mini", 128_000).images(Ability::No).thinks(Ability::Yes),
    of("o1", 200_000).images(Ability::Yes).thinks(Ability::Yes),
    of("o3-mini", 200_000).images(Ability::No).thinks(Ability::Yes).patch(),
    of("o3", 200_000).images(Ability::Yes).thinks(Ability::Yes).patch(),
    of("o4", 200_000).images(Ability::Yes).thinks(Ability::Yes).patch(),
    of("claude", 200_000).images(Ability::Yes),
    of("gemini", 1_048_576).images(Ability::Yes),
    of("gemma-3", 131_072),
    of("gemma3", 131_072),
    of("gemma", 8_192).images(Ability::No).thinks(Ability::No),
    of("deepseek-coder", 16_384).images(Ability::No).thinks(Ability::No),
    of("deepseek-reasoner", 128_000).images(Ability::No).thinks(Ability::Yes),
    of("deepseek-r1", 128_000).images(Ability::No).thinks(Ability::Yes),
    of("deepseek-vl", 4_096).images(Ability::Yes).thinks(Ability::No),
    of("deepseek", 128_000).images(Ability::No),
    of("qwen3-coder", 262_144).images(Ability::No).thinks(Ability::No),
    of("qwen3-max", 262_144).images(Ability::No),
    of("qwen3-next", 262_144).images(Ability::No),
    of("qwen3-vl", 262_144).images(Ability::Yes),
    of("qwen3", 40_960),
    of("qwen2.5-vl", 32_768).images(Ability::Yes).thinks(Ability::No),
    of("qwen2.5vl", 32_768).images(Ability::Yes).thinks(Ability::No),
    of("qwen2.5", 32_768).images(Ability::No).thinks(Ability::No),
    of("qwq", 131_072).images(Ability::No).thinks(Ability::Yes),
    of("kimi-k2.5", 262_144).images(Ability::Yes),
    of("kimi-k2", 131_072).images(Ability::No),
    of("moonshot-v1-8k", 8_192),
    of("moonshot-v1-32k", 32_768),
    of("moonshot", 131_072),
    of("glm-4.5v", 65_536).images(Ability::Yes).thinks(Ability::Yes),
    of("glm-4.5", 131_072).images(Ability::No).thinks(Ability::Yes),
    of("glm-4.", 200_000),
    of("glm-4", 128_000),
    of("glm-5", 200_000),
    of("minimax-m1", 1_000_000).images(Ability::No).thinks(Ability::Yes),
    of("minimax", 204_800),
    of("mixtral", 32_768).images(Ability::No).thinks(Ability::No),
    of("mistral", 131_072),
    of("ministral", 131_072),
    of("pixtral", 131_072).images(Ability::Yes).thinks(Ability::No),
    of("devstral", 131_072).thinks(Ability::No),
    of("codestral", 262_144).images(Ability::No).thinks(Ability::No),
    of("magistral", 40_960).thinks(Ability::Yes),
    of("llama-4", 1_048_576).images(Ability::Yes).thinks(Ability::No),
    of("llama4", 1_048_576).images(Ability::Yes).thinks(Ability::No),
    of("llama-3.", 131_072).thinks(Ability::No),
    of("llama3.", 131_072).thinks(Ability::No),
    of("llama", 8_192).images(Ability::No).thinks(Ability::No),
    of("grok-4-fast", 2_000_000).images(Ability::Yes),
    of("grok-4", 256_000).images(Ability::Yes),
    of("grok-code", 256_000).images(Ability::No).thinks(Ability::Yes),
    of("grok", 131_072),
];

/// The family of `model`; none where nothing is known of it.
#[must_use]
pub fn family(model: &str) -> Option<&'static Family> {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    FAMILIES.iter().find(|family| name.starts_with(family.name))
}

/// Models whose templates open the thoughts in the prompt, so that only a closing tag comes, by the beginning of their names.
const THOUGHT_WRITERS: [&str; 14] = [
    "deepseek",
    "qwen3",
    "qwq",
    "glm-",
    "minimax-m",
    "kimi-k2",
    "magistral",
    "mimo",
    "nemotron",
    "ernie",
    "hunyuan",
    "exaone",
    "olmo-3",
    "smollm3",
];

/// Words in the name of a model that reasons.
const REASONING_WORDS: [&str; 4] = ["think", "reason", "-r1", "_r1"];

/// Whether `model` is known to write its thoughts as text.
#[must_use]
pub fn writes_thoughts(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    THOUGHT_WRITERS.iter().any(|begin| name.starts_with(begin))
        || REASONING_WORDS.iter().any(|word| name.contains(word))
}

/// Tokens that fit into the window of `model`; none where its family is unknown.
#[must_use]
pub fn context_window(model: &str) -> Option<u64> {
    family(model).map(|family| family.window)
}

const fn of(name: &'static str, window: u64) -> Family {
    Family { name, window, images: Ability::Unknown, thinks: Ability::Unknown, edits: Edits::Replacement }
}

impl Family {
    const fn images(mut self, images: Ability) -> Self {
        self.images = images;
        self
    }

    const fn thinks(mut self, thinks: Ability) -> Self {
        self.thinks = thinks;
        self
    }

    const fn patch(mut self) -> Self {
        self.edits = Edits::Patch;
        self
    }
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
    fn what_a_family_can_do_is_said_only_where_all_of_it_can() {
        #[track_caller]
        fn check(model: &str, images: Ability, thinks: Ability, edits: Edits) {
            let family = family(model).unwrap();
            assert_eq!((family.images, family.thinks, family.edits), (images, thinks, edits), "{model}");
        }
        check("openai/gpt-5-mini", Ability::Yes, Ability::Yes, Edits::Patch);
        check("o3-mini-high", Ability::No, Ability::Yes, Edits::Patch);
        check("deepseek-reasoner", Ability::No, Ability::Yes, Edits::Replacement);
        check("mistral-small", Ability::Unknown, Ability::Unknown, Edits::Replacement);
    }

    #[test]
    fn models_that_write_their_thoughts_are_known_by_name() {
        let writers = [
            "deepseek-r1:8b",
            "Qwen/Qwen3-30B-A3B-Thinking-2507",
            "phi-4-reasoning",
            "my_r1",
            "zai-org/GLM-4.6",
        ];
        let others = ["gpt-4o", "claude-sonnet-4", "mock-1", "llama-3.3", "mistral-large", "r1"];
        assert!(writers.iter().all(|model| writes_thoughts(model)));
        assert!(!others.iter().any(|model| writes_thoughts(model)));
    }

    #[test]
    fn what_was_said_first_stands() {
        assert_eq!(Ability::Unknown.or(Ability::Yes), Ability::Yes);
        assert_eq!(Ability::No.or(Ability::Yes), Ability::No);
    }

    #[test]
    fn no_family_hides_a_longer_one() {
        for (place, family) in FAMILIES.iter().enumerate() {
            let found = FAMILIES.iter().position(|other| family.name.starts_with(other.name));
            assert_eq!(found, Some(place), "{}", family.name);
        }
    }
}
