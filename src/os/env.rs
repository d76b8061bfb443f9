//! The environment, read once into a value.
//!
//! No other file asks the machine for a variable or for the working directory; tests build an [`Env`]
//! from pairs. Values stay `OsString`: a path that is not UTF-8 reaches a command as it came. What a command gets of it
//! is said in [`child_env`](super::child_env).
//!
//! The surprise: a secret is known by its variable's name. What a value looks like is a guess, but for an address with a
//! password in it and for keys that begin as those of well-known services do.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

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

/// Segments that say it at the end of a name of several: `MYSQL_PWD`, `REDISCLI_AUTH`, `GITHUB_PAT`.
const SECRET_LAST: [&str; 3] = ["PWD", "AUTH", "PAT"];

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
    // `MYSQL_PWD` is a password, `PWD` and `OLDPWD` are directories; `SSH_AUTH_SOCK` is a path
    let ends_so =
        |ends: &[&str]| segments.len() > 1 && segments.last().is_some_and(|last| ends.contains(last));
    segments.iter().any(says_so) || ends_so(&SECRET_LAST)
}

/// How keys begin that services hand out, each longer than [`SHORTEST_TOKEN`].
const TOKENS: [&str; 17] = [
    "sk-",
    "sk_live_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "ASIA",
    "AIza",
    "hf_",
    "npm_",
    "eyJ",
    "-----BEGIN ",
];
const SHORTEST_TOKEN: usize = 16;

/// Whether the value is a key by its form.
pub fn is_token(value: &str) -> bool {
    let value = value.trim();
    value.len() >= SHORTEST_TOKEN && TOKENS.iter().any(|token| value.starts_with(token))
}

/// Whether the value is an address with somebody's name or password: `https://token@host`, `db://host/x?password=y`.
pub fn has_password(value: &str) -> bool {
    value.split("://").skip(1).any(|rest| {
        let query = rest.split_once('?').map(|(_, query)| query).unwrap_or_default();
        if query.split('&').filter_map(|part| part.split_once('=')).any(|(name, _)| is_secret_name(name)) {
            return true;
        }
        let authority = rest.split(['/', '?', '#', ' ', ',', '"', '\'']).next().unwrap_or_default();
        // `git@host` names an account, not a person
        authority.rsplit_once('@').is_some_and(|(who, _)| !who.is_empty() && who != "git")
    })
}

/// Whether the name of a query's parameter says that its value is a secret.
pub fn is_secret_parameter(name: &str) -> bool {
    is_secret_name(name) || SECRET_PARAMETERS.iter().any(|secret| name.eq_ignore_ascii_case(secret))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_say_secret_are_told_from_names_that_do_not() {
        let secret = "CLAWD_API_KEY OPENAI_API_KEY AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY GITHUB_TOKEN npm_token \
                      DB_PASS PGPASSWORD MYSQL_PWD SSHPASS GOOGLE_APPLICATION_CREDENTIALS my.secret APITOKEN \
                      npm_config__authToken npm_config__auth REDISCLI_AUTH GITHUB_PAT";
        for name in secret.split_whitespace() {
            assert!(is_secret_name(name), "{name}");
        }
        let plain = "PATH HOME USER LANG LC_ALL TERM TMPDIR PWD OLDPWD KEYBOARD MONKEY_ISLAND COMPASS SSH_AUTH_SOCK \
                     TOKENIZERS_PARALLELISM XDG_SESSION_ID SSH_ASKPASS CARGO_HOME BYPASS_CACHE AUTH PAT XAUTHORITY";
        for name in plain.split_whitespace() {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn values_are_not_shown() {
        let env = Env::from_pairs([("CLAWD_API_KEY", "sk-1"), ("LANG", "C")]);
        assert_eq!(format!("{env:?}"), r#"Env { vars: ["CLAWD_API_KEY", "LANG"], cwd: None }"#);
    }

    #[cfg(unix)]
    #[test]
    fn a_value_that_is_not_utf8_is_no_text() {
        use std::os::unix::ffi::OsStringExt;
        let env = Env::from_pairs([(OsString::from("ODD"), OsString::from_vec(vec![b'/', 0xff, 0xfe]))]);
        assert_eq!(env.text("ODD"), None);
        assert!(env.path("ODD").is_some());
    }

    #[test]
    fn a_password_in_an_address_is_seen() {
        for address in
            ["http://me:pass@proxy:3128", "https://token@host/x", "socks5://a:b@h", "x,http://a:b@h"]
        {
            assert!(has_password(address), "{address}");
        }
        for address in
            ["http://proxy:3128", "https://host/a@b", "ssh://git@host/x", "me@host", "https://h?q=a@b"]
        {
            assert!(!has_password(address), "{address}");
        }
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
