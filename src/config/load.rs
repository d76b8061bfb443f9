//! Reads the files of the configuration and folds them with the rest.

use std::path::Path;

use crate::os::env::Env;
use crate::os::file::FileError;
use crate::os::paths::Paths;

use super::{Config, ConfigError, Credentials, FileConfig, Flags, Layers, Wishes, fold, parse, read_text};

/// The configuration as it stands: the user's files under what the project asks for, the environment and the command line.
pub fn load(paths: &Paths, env: &Env, flags: Flags, project: Vec<Wishes>) -> Result<Config, ConfigError> {
    let (config, keys) = (paths.config_file(), paths.credentials());
    let mut left_out = Vec::new();
    let mut file = parse(&config, &trusted_text(&config, &mut left_out)?)?;
    let credentials = Credentials::parse(&keys, &trusted_text(&keys, &mut left_out)?)?;
    file.warnings.splice(0..0, left_out);
    fold(Layers { flags, env, file, credentials, project })
}

/// The text of a file, empty where there is none. A file that somebody else may have written rules nothing, and that is told.
fn trusted_text(path: &Path, left_out: &mut Vec<String>) -> Result<String, ConfigError> {
    match read_text(path) {
        Err(ConfigError::File(error @ FileError::Untrusted { .. })) => {
            left_out.push(format!("{error}; the file is ignored"));
            Ok(String::new())
        }
        read => Ok(read?.unwrap_or_default()),
    }
}

/// The configuration where there is no place for files.
pub fn without_files(env: &Env, flags: Flags, project: Vec<Wishes>) -> Result<Config, ConfigError> {
    let (file, credentials) = (FileConfig::default(), Credentials::default());
    fold(Layers { flags, env, file, credentials, project })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_that_anyone_may_write_rules_nothing_and_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let (paths, env) = (Paths::under(dir.path()), Env::default());
        fs::write(paths.config_file(), "model = \"m\"\npermission_mode = \"bypass\"").unwrap();
        let named = |mode| {
            fs::set_permissions(paths.config_file(), fs::Permissions::from_mode(mode)).unwrap();
            let config = load(&paths, &env, Flags::default(), Vec::new()).unwrap();
            (config.model.name.is_some(), config.warnings)
        };
        assert_eq!(named(0o664), (true, Vec::new()));
        let path = paths.config_file().display().to_string();
        let told = format!("cannot trust {path}: anyone can write it (try chmod o-w); the file is ignored");
        assert_eq!(named(0o666), (false, vec![told]));
    }

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
        assert!(error.ends_with("config.toml: not UTF-8 text"), "{error}");
    }
}
