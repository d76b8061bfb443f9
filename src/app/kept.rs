//! Small things that are kept for the next time: the input's history, and the choice of the first-run screen.

use std::io::Write;
use std::path::Path;

use crate::config::{
    BaseUrl, Config, Endpoint, Key, KeyPlace, KeySource, Origin, Secret, Sourced, Target, read_text,
    save_choice, save_key,
};
use crate::error::{Error, Kind};
use crate::os::paths::{Open, Paths, private_dir, private_file};
use crate::protocol::ModelId;
use crate::session::SessionError;

/// Lines of the input's history that are read back.
const HISTORY_LINES: usize = 1_000;

/// Puts the endpoint into force; its key is kept at once, so that it is typed only once.
pub(super) fn keep_endpoint(
    config: &mut Config,
    paths: Option<&Paths>,
    url: BaseUrl,
    key: Option<Secret>,
) -> Result<(), Error> {
    if let (Some(paths), Some(key)) = (paths, &key) {
        save_key(&paths.credentials(), &url, key)?;
    }
    if let Some(key) = &key {
        config.secrets.learn(key.clone());
    }
    let keys = key.into_iter().map(|secret| Key { secret, source: KeySource::Saved }).collect();
    let url = Sourced { value: url, origin: Origin::UserFile };
    let endpoint = Endpoint::At(Box::new(Target::plain(url, keys, KeyPlace::Unnamed(None))));
    endpoint.target()?;
    config.endpoint = endpoint;
    Ok(())
}

/// Keeps address and model.
pub(super) fn keep_choice(
    config: &Config,
    paths: Option<&Paths>,
    model: Option<&ModelId>,
) -> Result<(), Error> {
    if let (Endpoint::At(target), Some(paths), Some(model)) = (&config.endpoint, paths, model) {
        save_choice(&paths.config_file(), &target.url.value, model.as_str())?;
    }
    Ok(())
}

/// The newest lines of the input's history, oldest first; none where there is none.
pub(super) fn read_input_history(path: &Path) -> Vec<String> {
    let text = read_text(path).ok().flatten().unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().skip(lines.len().saturating_sub(HISTORY_LINES)).map(|line| (*line).to_owned()).collect()
}

/// Appends a line. A history that cannot be kept is no reason to disturb anybody.
pub(super) fn keep_input(path: &Path, line: &str, now_ms: u64) {
    let stamped = line.replacen("\"timestamp\":0", &format!("\"timestamp\":{now_ms}"), 1);
    let kept = path.parent().map_or(Ok(()), private_dir).and_then(|()| {
        let mut file = private_file(path, Open::Append)?;
        file.write_all(format!("{stamped}\n").as_bytes())
    });
    if let Err(error) = kept {
        tracing::warn!(%error, "the input's history could not be kept");
    }
}

impl Error {
    /// A session that cannot be opened.
    pub(super) fn session(error: &SessionError) -> Self {
        let kind = match error {
            SessionError::Elsewhere { .. } => Kind::Usage,
            SessionError::Open { .. }
            | SessionError::InUse { .. }
            | SessionError::Unknown { .. }
            | SessionError::Ambiguous { .. }
            | SessionError::Newer { .. }
            | SessionError::None => Kind::Config,
        };
        Self::new(kind, error.to_string())
    }

    /// The same for who sits before the screen, where a command does what an option does elsewhere.
    pub(super) fn on_screen(error: &SessionError) -> Self {
        match error {
            SessionError::Unknown { id } => {
                Self::new(Kind::Config, format!("there is no session {id}")).hint("/resume lists them")
            }
            other => Self::session(other),
        }
    }
}
