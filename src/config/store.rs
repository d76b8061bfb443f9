//! Files of the program's own: small texts, read if they are there, written whole and for the user alone.

use std::io;
use std::path::Path;

use super::ConfigError;
use crate::os::file::replace;
use crate::os::guarded::{Author, read_own};
use crate::os::paths::{Open, private_dir, private_file};

/// No such file is written by hand or by program; a larger one is a mistake.
const MAX_BYTES: u64 = 1 << 20;
/// What some editors put before a text.
const MARK: &str = "\u{feff}";

/// The text of a file; `None` where there is none. A byte order mark is left out. One that somebody else may have written is
/// an error.
pub fn read_text(path: &Path) -> Result<Option<String>, ConfigError> {
    text(path, Author::User)
}

/// The text of the user's own file that is to be changed in places, and its byte order mark where it has one.
pub(super) fn read_to_edit(path: &Path) -> Result<Option<(&'static str, String)>, ConfigError> {
    let whole = whole(path, Author::User)?;
    Ok(whole.map(|text| match text.strip_prefix(MARK) {
        Some(text) => (MARK, text.to_owned()),
        None => ("", text),
    }))
}

fn text(path: &Path, author: Author) -> Result<Option<String>, ConfigError> {
    let whole = whole(path, author)?;
    Ok(whole.map(|text| text.strip_prefix(MARK).map_or_else(|| text.clone(), str::to_owned)))
}

fn whole(path: &Path, author: Author) -> Result<Option<String>, ConfigError> {
    let bytes = match read_own(path, MAX_BYTES, author) {
        Ok(bytes) => bytes,
        Err(error) if error.io_kind() == Some(io::ErrorKind::NotFound) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    String::from_utf8(bytes).map(Some).map_err(|_invalid| ConfigError::NotText(path.to_owned()))
}

/// A TOML file of the program's own; empty where there is none.
pub fn read_table(path: &Path) -> Result<toml::Table, ConfigError> {
    parse_table(path, &read_text(path)?.unwrap_or_default())
}

/// The same of a file that decides what is let through: one that anybody else could have written is an error, also to the
/// superuser.
pub fn read_guarded_table(path: &Path) -> Result<toml::Table, ConfigError> {
    parse_table(path, &text(path, Author::Program)?.unwrap_or_default())
}

/// The same of a text. The parser's message is not repeated: it might quote a key.
pub fn parse_table(path: &Path, text: &str) -> Result<toml::Table, ConfigError> {
    text.parse().map_err(|error: toml::de::Error| {
        let at = error.span().unwrap_or_default().start;
        let line = 1 + text.bytes().take(at).filter(|&byte| byte == b'\n').count();
        let what = "it is not valid TOML (try removing the line, or the file)".to_owned();
        ConfigError::Content { path: path.to_owned(), line, what }
    })
}

/// Writes a file of mode 0600 in a directory of mode 0700, both made if absent; after a crash it is old or new.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), ConfigError> {
    let private = |source| ConfigError::Private { path: path.to_owned(), source };
    private_dir(path.parent().unwrap_or(Path::new("/"))).map_err(private)?;
    // made, or given its mode back, before anything worth hiding is in it
    drop(private_file(path, Open::Append).map_err(private)?);
    Ok(replace(path, bytes)?)
}
