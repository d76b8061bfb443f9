//! Reads the files of the configuration and folds them with the rest.

use crate::os::env::Env;
use crate::os::paths::Paths;

use super::{Config, ConfigError, Credentials, FileConfig, Flags, Layers, Wishes, fold, parse, read_text};

/// The configuration as it stands: the user's files under what the project asks for, the environment and the command line.
pub fn load(paths: &Paths, env: &Env, flags: Flags, project: Vec<Wishes>) -> Result<Config, ConfigError> {
    let (config, keys) = (paths.config_file(), paths.credentials());
    let file = parse(&config, &read_text(&config)?.unwrap_or_default())?;
    let credentials = Credentials::parse(&keys, &read_text(&keys)?.unwrap_or_default())?;
    fold(Layers { flags, env, file, credentials, project })
}

/// The configuration where there is no place for files.
pub fn without_files(env: &Env, flags: Flags, project: Vec<Wishes>) -> Result<Config, ConfigError> {
    let (file, credentials) = (FileConfig::default(), Credentials::default());
    fold(Layers { flags, env, file, credentials, project })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_are_read_where_they_are_and_not_missed_where_not() {
        let dir = tempfile::tempdir().unwrap();
        let (paths, env) = (Paths::under(dir.path()), Env::default());
        assert_eq!(load(&paths, &env, Flags::default(), Vec::new()).unwrap().model.name, None);
        fs::write(paths.config_file(), "\u{feff}model = \"m\"\r\nbase_url = \"https://x.y/v1\"\r\n").unwrap();
        fs::write(paths.credentials(), "[keys]\n\"x.y\" = \"k\"").unwrap();
        let config = load(&paths, &env, Flags::default(), Vec::new()).unwrap();
        assert_eq!(config.model.name.map(|name| name.value.to_string()).as_deref(), Some("m"));
        assert!(config.endpoint.target().unwrap().keys.len() == 1);
        fs::write(paths.config_file(), b"model = \"\xff\"").unwrap();
        let error = load(&paths, &env, Flags::default(), Vec::new()).unwrap_err().to_string();
        assert!(error.ends_with("config.toml: it is not UTF-8 text"), "{error}");
    }
}
