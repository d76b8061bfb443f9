//! Small things that are kept for the next time: the input's history, and the choice of the first-run screen.

use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::config::{
    BaseUrl, Config, Endpoint, Key, KeyPlace, KeySource, Origin, Secret, Sourced, Target, save_choice,
    save_key,
};
use crate::error::{Error, Kind};
use crate::os::file::replace;
use crate::os::guarded::{Author, open_own};
use crate::os::paths::{Open, Paths, private_dir, private_file};
use crate::protocol::ModelId;
use crate::session::SessionError;

/// Lines of the input's history that are read back.
const HISTORY_LINES: usize = 1_000;
/// A longer line is neither saved nor read: it is a paste.
const LONGEST_LINE: usize = 256 * 1024;
/// Bytes at the end of the history that are read: its lines are some hundred bytes each.
const HISTORY_BYTES: u64 = 4 * 1024 * 1024;
/// The size above which the history is trimmed to its newest lines.
const LARGEST_HISTORY: u64 = 2 * HISTORY_BYTES;

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

/// The newest lines of the input's history, oldest first; none if there is no history.
pub(super) fn read_input_history(path: &Path) -> Vec<String> {
    let Ok((mut file, metadata)) = open_own(path, Author::User) else { return Vec::new() };
    let from = metadata.len().saturating_sub(HISTORY_BYTES);
    let mut bytes = Vec::new();
    let read =
        file.seek(SeekFrom::Start(from)).and_then(|_| file.take(HISTORY_BYTES).read_to_end(&mut bytes));
    if let Err(error) = read {
        tracing::warn!(%error, "cannot read the input history");
    }
    let text = String::from_utf8_lossy(&bytes);
    // of a line that begins before, there is only the end
    let whole = if from > 0 { text.split_once('\n').map_or("", |(_, rest)| rest) } else { &text };
    let lines: Vec<&str> = whole.lines().filter(|line| line.len() <= LONGEST_LINE).collect();
    lines.iter().skip(lines.len().saturating_sub(HISTORY_LINES)).map(|line| (*line).to_owned()).collect()
}

/// Appends a line, unless it is huge. A failure is only logged.
pub(super) fn keep_input(path: &Path, line: &str, now_ms: u64) {
    let stamped = line.replacen("\"timestamp\":0", &format!("\"timestamp\":{now_ms}"), 1);
    if stamped.len() > LONGEST_LINE {
        return;
    }
    let saved = path.parent().map_or(Ok(()), private_dir).and_then(|()| {
        let mut file = private_file(path, Open::Append)?;
        file.write_all(format!("{stamped}\n").as_bytes())?;
        Ok(file.metadata()?.len())
    });
    let trimmed = match saved {
        Ok(bytes) if bytes > LARGEST_HISTORY => {
            let lines: String = read_input_history(path).into_iter().map(|line| line + "\n").collect();
            replace(path, lines.as_bytes()).map_err(|error| error.to_string())
        }
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    if let Err(error) = trimmed {
        tracing::warn!(%error, "cannot save the input history");
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
                Self::new(Kind::Config, format!("no session has the ID {id}")).hint("try /resume for a list")
            }
            other => Self::session(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn line(words: &str) -> String {
        format!("{{\"text\":\"{words}\",\"timestamp\":0}}")
    }

    #[test]
    fn a_large_history_keeps_its_newest_lines_and_huge_ones_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("history.jsonl");
        assert_eq!(read_input_history(&path), Vec::<String>::new());
        // as an earlier version has left it: a pasted line beyond all limits, and others around it
        let huge = line(&"x".repeat(1_200_000));
        fs::write(&path, format!("{}\n{huge}\n{}\n", line("before"), line("after"))).unwrap();
        assert_eq!(read_input_history(&path), [line("before"), line("after")]);
        keep_input(&path, &huge, 7);
        keep_input(&path, &line("newest"), 7);
        let newest = line("newest").replace(":0}", ":7}");
        assert_eq!(read_input_history(&path), [line("before"), line("after"), newest.clone()]);
        // larger than what is read: the first line that is read begins before that
        let long = line(&"y".repeat(100_000));
        let many = format!("{long}\n").repeat(90);
        fs::write(&path, format!("{}\n{many}{}\n", line("gone"), line("last"))).unwrap();
        let read = read_input_history(&path);
        assert_eq!((read.len(), read.last()), (42, Some(&line("last"))));
        keep_input(&path, &line("newest"), 7);
        assert!(fs::metadata(&path).unwrap().len() <= HISTORY_BYTES, "it is cut");
        assert_eq!(read_input_history(&path).last(), Some(&newest));
        let many: String = (0..2_000).map(|number| line(&number.to_string()) + "\n").collect();
        fs::write(&path, many).unwrap();
        let read = read_input_history(&path);
        assert_eq!((read.len(), read.first()), (HISTORY_LINES, Some(&line("1000"))));
    }
}
