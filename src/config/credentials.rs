//! `credentials.toml`: keys that were typed into the first-run screen, by scheme and host.
//!
//! An entry without a scheme, as older versions wrote it, belongs to https, and to either scheme on this machine.
//! Plain text with mode 0600, as the keys of every other command-line program. Not a place for keys that have a
//! variable.

use std::collections::BTreeMap;
use std::path::Path;

use super::store::{parse_table, read_table, write_private};
use super::{BaseUrl, ConfigError, Secret};

/// Keys by host (with the port where it is not the scheme's own), after its scheme.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Credentials(BTreeMap<String, Secret>);

impl Credentials {
    /// Reads the text of the file at `path`. A key that cannot be one is left out: the rest still works.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let table = parse_table(path, text)?;
        let keys = table.get("keys").and_then(toml::Value::as_table).into_iter().flatten();
        let key =
            |(host, value): (&String, &toml::Value)| Some((host.clone(), Secret::new(value.as_str()?).ok()?));
        Ok(Self(keys.filter_map(key).collect()))
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &Secret> {
        self.0.values()
    }

    /// The key saved for the host of `url`.
    pub fn get(&self, url: &BaseUrl) -> Option<&Secret> {
        let without_scheme = || self.0.get(url.authority()).filter(|_| url.is_private());
        self.0.get(url.origin()).or_else(without_scheme)
    }
}

/// Saves `key` for the host of `url` in the file at `path`; keys of other hosts stay.
pub fn save_key(path: &Path, url: &BaseUrl, key: &Secret) -> Result<(), ConfigError> {
    let mut table = read_table(path)?;
    let keys = table.entry("keys").or_insert_with(|| toml::Value::Table(toml::Table::new()));
    if !keys.is_table() {
        *keys = toml::Value::Table(toml::Table::new());
    }
    if let Some(keys) = keys.as_table_mut() {
        keys.insert(url.origin().to_owned(), toml::Value::String(key.expose().to_owned()));
    }
    write_private(path, table.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::super::store::read_text;
    use super::*;

    fn keys(path: &Path) -> Credentials {
        Credentials::parse(path, &read_text(path).unwrap().unwrap_or_default()).unwrap()
    }

    #[test]
    fn a_saved_key_is_found_by_its_host_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("home/credentials.toml");
        let (one, two) = (Secret::new("k\"1").unwrap(), Secret::new("k2").unwrap());
        save_key(&path, &"https://x.y/v1".parse().unwrap(), &one).unwrap();
        save_key(&path, &"http://z:81/v1".parse().unwrap(), &two).unwrap();
        let found = keys(&path);
        let get = |url: &str| found.get(&url.parse().unwrap()).cloned();
        assert_eq!((get("https://x.y/v2"), get("http://z:81/v1")), (Some(one), Some(two)));
        assert_eq!((get("http://x.y/v1"), get("https://z:81/v1"), get("http://z/v1")), (None, None, None));
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }

    #[test]
    fn a_damaged_file_is_named_without_its_keys() {
        let error = Credentials::parse(Path::new("/c"), "[keys]\n\"x\" = sk-secret").unwrap_err().to_string();
        assert_eq!(
            error,
            "cannot read /c: line 2: it is not valid TOML (try removing the line, or the file)"
        );
        let odd = Credentials::parse(Path::new("/c"), "[keys]\na = 1\nb = \"\"\nc = \"k\"").unwrap();
        let get = |url: &str| odd.get(&url.parse().unwrap()).map(Secret::expose);
        assert_eq!((get("https://a"), get("https://b"), get("https://c")), (None, None, Some("k")));
    }
}
