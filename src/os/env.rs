//! The environment, read once into a value.
//!
//! No other file asks the machine for a variable or for the working directory; tests build an [`Env`]
//! from pairs. Values stay `OsString`: a path that is not UTF-8 reaches a command as it came.
//!
//! The surprise: a command's environment is not an allow-list. Builds need variables that nobody can
//! list, so everything passes except what names itself a secret and what would run code in a shell.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Variables that make a shell or the loader run something nobody asked for, or turn on options.
const RUNS_CODE: [&str; 8] = [
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "SHELLOPTS",
    "BASHOPTS",
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
];

/// Segments that say "secret" by themselves: `GITHUB_TOKEN`, `AWS_ACCESS_KEY_ID`, `DB_PASS`.
const SECRET_WORDS: [&str; 7] = ["KEY", "KEYS", "PASS", "SSHPASS", "CRED", "CREDS", "PASSPHRASE"];

/// Endings that say it where words are run together: `PGPASSWORD`, `APITOKEN`.
const SECRET_ENDINGS: [&str; 12] = [
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWORDS",
    "PASSWD",
    "CREDENTIAL",
    "CREDENTIALS",
    "APIKEY",
    "ACCESSKEY",
    "SECRETKEY",
];

/// Names of a query's parameters that say it: signed addresses, function keys.
const SECRET_PARAMETERS: [&str; 3] = ["SIG", "SIGNATURE", "CODE"];

/// Variables and the working directory, as they were when the program started. Its debug form shows only the names.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Env {
    vars: BTreeMap<OsString, OsString>,
    cwd: Option<PathBuf>,
}

impl Env {
    /// Reads the machine; to be called once, by `main`.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the working directory")]
    pub fn read() -> Self {
        Self { vars: std::env::vars_os().collect(), cwd: std::env::current_dir().ok() }
    }

    /// An environment of the given variables, without a working directory.
    pub fn from_pairs<K: Into<OsString>, V: Into<OsString>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        Self { vars: pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect(), cwd: None }
    }

    /// The same environment in another working directory.
    #[must_use]
    pub fn in_dir(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// A variable as it is, empty or not.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.vars.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// A variable as text; an empty one, or one that is not UTF-8, counts as not set.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.to_str().filter(|value| !value.is_empty())
    }

    /// A variable as a path; an empty one counts as not set.
    pub fn path(&self, name: &str) -> Option<&Path> {
        self.get(name).filter(|value| !value.is_empty()).map(Path::new)
    }

    /// The working directory at the start; `None` if it had been deleted.
    pub fn cwd(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }

    /// All variables, by name.
    pub fn vars(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.vars.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.vars.keys().collect();
        f.debug_struct("Env").field("vars", &names).field("cwd", &self.cwd).finish()
    }
}

/// The environment for a command, hook or server: everything but secrets and what runs code.
///
/// `secrets` are the names of the program's key variables (`api_key_env` of the configuration);
/// `CLAWD_API_KEY` and `OPENAI_API_KEY` need no mention.
pub fn child_environment(env: &Env, secrets: &[String]) -> Vec<(OsString, OsString)> {
    let passes = |name: &OsStr| {
        let name = name.to_string_lossy();
        !RUNS_CODE.contains(&&*name)
            && !is_secret_name(&name)
            && !secrets.iter().any(|secret| *secret == name)
    };
    env.vars().filter(|(name, _)| passes(name)).map(|(name, value)| (name.into(), value.into())).collect()
}

/// Hides this process's memory, and with it the keys in its environment, from other processes of the user.
///
/// `main` calls it at the start. Root sees everything all the same; no core is written any more.
pub fn hide_memory() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?;
    Ok(())
}

/// Whether a variable's name says that its value is a secret.
pub fn is_secret_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let segments: Vec<&str> = upper.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let says_so = |segment: &&str| {
        SECRET_WORDS.contains(segment) || SECRET_ENDINGS.iter().any(|ending| segment.ends_with(ending))
    };
    // `MYSQL_PWD` is a password, `PWD` and `OLDPWD` are directories
    segments.iter().any(says_so) || (segments.len() > 1 && segments.last() == Some(&"PWD"))
}

/// Whether the name of a query's parameter says that its value is a secret.
pub fn is_secret_parameter(name: &str) -> bool {
    is_secret_name(name) || SECRET_PARAMETERS.iter().any(|secret| name.eq_ignore_ascii_case(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(env: &Env, secrets: &[&str]) -> Vec<String> {
        let secrets: Vec<String> = secrets.iter().map(|&name| name.to_owned()).collect();
        let pairs = child_environment(env, &secrets);
        pairs.into_iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn names_that_say_secret_are_told_from_names_that_do_not() {
        let secret = "CLAWD_API_KEY OPENAI_API_KEY AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY GITHUB_TOKEN npm_token \
                      DB_PASS PGPASSWORD MYSQL_PWD SSHPASS GOOGLE_APPLICATION_CREDENTIALS my.secret APITOKEN";
        for name in secret.split_whitespace() {
            assert!(is_secret_name(name), "{name}");
        }
        let plain = "PATH HOME USER LANG LC_ALL TERM TMPDIR PWD OLDPWD KEYBOARD MONKEY_ISLAND COMPASS SSH_AUTH_SOCK \
                     TOKENIZERS_PARALLELISM XDG_SESSION_ID SSH_ASKPASS CARGO_HOME BYPASS_CACHE";
        for name in plain.split_whitespace() {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn values_are_not_shown() {
        let env = Env::from_pairs([("CLAWD_API_KEY", "sk-1"), ("LANG", "C")]);
        assert_eq!(format!("{env:?}"), r#"Env { vars: ["CLAWD_API_KEY", "LANG"], cwd: None }"#);
    }

    #[test]
    fn a_command_gets_everything_but_secrets_and_what_runs_code() {
        let env = Env::from_pairs([
            ("PATH", "/bin"),
            ("JAVA_HOME", "/opt/java"),
            ("CLAWD_API_KEY", "k"),
            ("TEAM_ENDPOINT", "k"),
            ("BASH_ENV", "/tmp/x"),
            ("ENV", "/tmp/x"),
            ("LD_PRELOAD", "/tmp/x.so"),
            ("PROMPT_COMMAND", "date"),
        ]);
        assert_eq!(names(&env, &["TEAM_ENDPOINT"]), ["JAVA_HOME", "PATH"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_value_that_is_not_utf8_reaches_the_command_unchanged() {
        use std::os::unix::ffi::OsStringExt;
        let value = OsString::from_vec(vec![b'/', 0xff, 0xfe]);
        let env = Env::from_pairs([(OsString::from("ODD"), value.clone())]);
        assert_eq!(child_environment(&env, &[]), [(OsString::from("ODD"), value)]);
        assert_eq!(env.text("ODD"), None);
        assert!(env.path("ODD").is_some());
    }

    #[test]
    fn an_empty_variable_counts_as_not_set() {
        let env = Env::from_pairs([("CLAWD_MODEL", ""), ("LANG", "C")]);
        assert_eq!(
            (env.text("CLAWD_MODEL"), env.path("CLAWD_MODEL"), env.text("LANG")),
            (None, None, Some("C"))
        );
        assert_eq!(env.get("CLAWD_MODEL"), Some(OsStr::new("")));
    }

    #[test]
    fn the_machine_has_a_path_and_a_working_directory() {
        let env = Env::read();
        assert!(env.path("PATH").is_some());
        assert!(env.cwd().is_some_and(Path::is_absolute));
    }
}
