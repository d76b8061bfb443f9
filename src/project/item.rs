//! One thing of a project that needs a yes to its present content.
//!
//! Plain text may change under a yes, such a thing may not: its mark is a hash of all that it says, and a yes is to marks. The
//! surprise: what this version does not run yet has a mark of another kind, so that a version which does will ask again.

use sha2::{Digest, Sha256};

use crate::os::paths::hex;

/// What kind of thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemKind {
    /// What a `config.toml` asks for.
    Settings,
    /// A `config.toml` that cannot be read. A yes to it makes that an error; none is kept.
    Broken,
    /// The hooks of one event.
    Hook,
    /// An MCP server.
    Server,
    /// A command.
    Command,
    /// A skill.
    Skill,
    /// An agent.
    Agent,
}

impl ItemKind {
    /// Whether this version does anything with it.
    #[must_use]
    pub fn is_in_use(self) -> bool {
        match self {
            Self::Settings | Self::Broken => true,
            Self::Hook | Self::Server | Self::Command | Self::Skill | Self::Agent => false,
        }
    }
}

/// One thing that needs a yes to its present content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// What kind of thing.
    pub kind: ItemKind,
    /// The file that it stands in, from the project's root.
    pub file: String,
    /// Which of the file's; empty where it is all of it.
    pub part: String,
    /// What a person should see of it, a line each; as it came, not yet sanitised.
    pub shows: Vec<String>,
    mark: String,
}

impl Item {
    /// A thing with all that it says.
    pub(super) fn new(
        kind: ItemKind,
        (file, part): (&str, &str),
        shows: Vec<String>,
        content: &[u8],
    ) -> Self {
        let way = if kind.is_in_use() { "sha256" } else { "seen" };
        let mark = format!("{way}:{}", hex(&Sha256::digest(content)));
        Self { kind, file: file.to_owned(), part: part.to_owned(), shows, mark }
    }

    /// Its name among all things of the project.
    #[must_use]
    pub fn name(&self) -> String {
        if self.part.is_empty() { self.file.clone() } else { format!("{} {}", self.file, self.part) }
    }

    /// What its content is told from any other by.
    #[must_use]
    pub fn mark(&self) -> &str {
        &self.mark
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_tells_content_from_content_and_use_from_mere_sight() {
        let mark = |kind, content: &str| Item::new(kind, ("f", ""), Vec::new(), content.as_bytes()).mark;
        let settings = mark(ItemKind::Settings, "a");
        assert_eq!(settings, mark(ItemKind::Settings, "a"));
        assert_ne!(settings, mark(ItemKind::Settings, "b"));
        let (settings_way, settings_hash) = settings.split_once(':').unwrap();
        let hook = mark(ItemKind::Hook, "a");
        let (hook_way, hook_hash) = hook.split_once(':').unwrap();
        assert_eq!((settings_way, hook_way), ("sha256", "seen"));
        assert_eq!(settings_hash, hook_hash);
    }
}
