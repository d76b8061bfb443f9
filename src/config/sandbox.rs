//! `[sandbox]`: what commands may write and reach.
//!
//! What was written and what it means; whether the system can enforce it is found out elsewhere. The surprise: a relative
//! `writable_roots` is taken from the working directory and not from the file's, as `.` and `../other` are meant so.

use std::path::{Path, PathBuf};

use super::reader::Section;
use super::{ConfigError, Origin, Sourced};
use crate::os::env::Env;
use crate::os::paths::{absolute, led_home};
use crate::permission::{SandboxBy, SandboxMode};
use crate::protocol::Network;

/// Every key of the table.
pub(super) const KEYS: [&str; 5] = ["mode", "network", "writable_roots", "auto_allow", "environment"];

/// What a file says of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileSandbox {
    /// `mode`.
    pub mode: Option<SandboxMode>,
    /// `network`.
    pub network: Option<bool>,
    /// `writable_roots`; `~` is left as it is.
    pub writable_roots: Vec<PathBuf>,
    /// `auto_allow`.
    pub auto_allow: Option<bool>,
}

/// What commands may write and reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxConfig {
    /// What they may write.
    pub mode: Sourced<SandboxMode>,
    /// What they may reach unasked.
    pub network: Sourced<Network>,
    /// What they may write beside the workspace; absolute where the environment allows to say it.
    pub writable_roots: Vec<PathBuf>,
    /// Whether they run unasked where they are held.
    pub auto_allow: Sourced<bool>,
}

impl SandboxConfig {
    /// Who chose the mode.
    pub fn by(&self) -> SandboxBy {
        match self.mode.origin {
            Origin::Flag | Origin::UserFile => SandboxBy::User,
            Origin::Default | Origin::Project(_) | Origin::Env(_) => SandboxBy::Default,
        }
    }
}

/// Reads the table.
pub(super) fn read(root: &Section<'_>) -> Result<FileSandbox, ConfigError> {
    let Some(table) = root.section("sandbox")? else { return Ok(FileSandbox::default()) };
    let roots = table.strings("writable_roots", r#"writable_roots = ["../shared"]"#)?;
    Ok(FileSandbox {
        mode: table.parsed("mode", r#"mode = "workspace-write""#)?,
        network: table.boolean("network", "network = false")?,
        writable_roots: roots.unwrap_or_default().into_iter().map(PathBuf::from).collect(),
        auto_allow: table.boolean("auto_allow", "auto_allow = false")?,
    })
}

/// What the flag and the file mean together.
pub(super) fn fold(flag: Option<SandboxMode>, file: &FileSandbox, env: &Env) -> SandboxConfig {
    let network = file.network.map(|on| if on { Network::On } else { Network::Off });
    SandboxConfig {
        mode: super::layers::pick(flag, file.mode, SandboxMode::default()),
        network: super::layers::pick(None, network, Network::default()),
        writable_roots: file.writable_roots.iter().map(|root| placed(root, env)).collect(),
        auto_allow: super::layers::pick(None, file.auto_allow, false),
    }
}

fn placed(root: &Path, env: &Env) -> PathBuf {
    let root = led_home(root, env.path("HOME"));
    env.cwd().map_or_else(|| root.clone(), |cwd| absolute(cwd, &root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::parse;

    #[test]
    fn flag_file_and_default_are_folded() {
        let env = Env::from_pairs([("HOME", "/home/u")]).in_dir("/w");
        let file = parse(
            Path::new("/c/config.toml"),
            "[sandbox]\nmode = \"read-only\"\nnetwork = true\nwritable_roots = [\"~/x\", \"../y\", \"/z\"]\nauto_allow = true",
        )
        .unwrap();
        assert!(file.warnings.is_empty(), "{:?}", file.warnings);
        let written = fold(None, &file.sandbox, &env);
        assert_eq!(written.mode, Sourced { value: SandboxMode::ReadOnly, origin: Origin::UserFile });
        assert_eq!((written.network.value, written.auto_allow.value), (Network::On, true));
        assert_eq!(written.writable_roots, ["/home/u/x", "/y", "/z"].map(PathBuf::from));
        assert_eq!(written.by(), SandboxBy::User);
        let typed = fold(Some(SandboxMode::Off), &file.sandbox, &env);
        assert_eq!((typed.mode.value, typed.by()), (SandboxMode::Off, SandboxBy::User));
        let none = fold(None, &FileSandbox::default(), &env);
        assert_eq!(none.by(), SandboxBy::Default);
        assert_eq!(
            (none.mode.value, none.network.value, none.auto_allow.value),
            (SandboxMode::WorkspaceWrite, Network::Off, false)
        );
    }

    #[test]
    fn a_wrong_value_names_its_place_and_its_cure() {
        let check = |text: &str, expected: &str| {
            let error = parse(Path::new("c.toml"), text).unwrap_err().to_string();
            assert!(error.ends_with(expected), "{error}");
        };
        check(
            "[sandbox]\nmode = \"on\"",
            "line 2: `sandbox.mode`: `on` is not a sandbox mode (try off, read-only or workspace-write)",
        );
        check("[sandbox]\nauto_allow = 1", "(try `auto_allow = false`)");
    }
}
