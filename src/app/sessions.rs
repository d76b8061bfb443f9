//! `clawd sessions`: the conversations that were kept, listed, printed and removed. Nothing is sent, and no session is changed.
//!
//! What it gives is a text for standard output. The surprise: a title is somebody else's text too, so a list on a terminal
//! shows it harmless, and a list for a program as it is.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use super::open::working_directory;
use crate::cli::{Among, Cli, DocumentFormat, ListFormat, SessionsTask};
use crate::error::{Error, Kind};
use crate::os::env::Env;
use crate::os::paths::Paths;
use crate::protocol::{History, SessionId};
use crate::sandbox::remove_scratch;
use crate::session::export::{Form, render};
use crate::session::{Glance, SessionError, SessionLog, SessionRef, index, load};
use crate::text::sanitize::{sanitize, sanitize_line};
use crate::text::units;

/// Columns of a title in a list: what is left of a usual terminal.
const TITLE: usize = 60;

/// Does it, at this time in milliseconds since 1970.
///
/// # Errors
/// Where there is no such session, or it is in use, or cannot be removed.
pub fn sessions(task: &SessionsTask, cli: &Cli, env: &Env, now_ms: u64) -> Result<String, Error> {
    let shelf = Shelf::find(cli, env)?;
    match task {
        SessionsTask::List(among, format) => {
            let found = shelf.glances(*among);
            Ok(match format {
                ListFormat::Text => in_words(&found, *among, now_ms),
                ListFormat::Markdown => as_table(&found, *among, now_ms),
                ListFormat::Json => as_objects(&found),
            })
        }
        SessionsTask::Show(id, among, format) => {
            let (glance, history) = shelf.read(id.as_deref(), *among)?;
            let head = match format {
                DocumentFormat::Markdown => about(&glance, history.messages().count(), now_ms),
                DocumentFormat::Json => String::new(),
            };
            Ok(head + &sanitize(&document(&history, *format)))
        }
        SessionsTask::Export(id, among, format) => {
            let (_, history) = shelf.read(id.as_deref(), *among)?;
            Ok(document(&history, *format))
        }
        SessionsTask::Delete(id, among) => {
            let session = shelf.named(id, *among)?;
            remove(&session)?;
            Ok(format!("removed {}\n", session.id))
        }
    }
}

/// Where sessions are.
struct Shelf {
    all: PathBuf,
    here: PathBuf,
}

impl Shelf {
    fn find(cli: &Cli, env: &Env) -> Result<Self, Error> {
        let paths = Paths::find(env).map_err(|error| Error::new(Kind::Config, error.to_string()))?;
        Ok(Self { all: paths.sessions(), here: paths.sessions_dir(&working_directory(cli, env)?) })
    }

    /// The one written last comes first.
    fn glances(&self, among: Among) -> Vec<Glance> {
        let directories = match among {
            Among::Here => vec![self.here.clone()],
            Among::All => index::directories(&self.all).collect(),
        };
        index::glances(directories.iter().flat_map(|directory| index::list(directory)).collect(), 0)
    }

    /// The one that is meant, without an ID the one written last, and what was said in it.
    fn read(&self, id: Option<&str>, among: Among) -> Result<(Glance, History), Error> {
        let glance = match id {
            Some(id) => index::glance(self.named(id, among)?),
            None => self.glances(among).into_iter().next(),
        };
        let none = || Error::new(Kind::Usage, "no session in this directory").hint("try --all");
        let glance = glance.ok_or_else(none)?;
        let loaded = load::load(&glance.session.path).map_err(|error| Error::session(&error))?;
        Ok((glance, loaded.history))
    }

    fn named(&self, id: &str, among: Among) -> Result<SessionRef, Error> {
        let found = match among {
            Among::Here => index::find(&self.all, &self.here, id),
            Among::All => index::find_anywhere(&self.all, &self.here, id),
        };
        found.map_err(|error| match error {
            SessionError::Elsewhere { id, cwd } => {
                let message = format!("session {id} belongs to another directory: {}", cwd.display());
                Error::new(Kind::Usage, message).hint("try --all")
            }
            SessionError::Unknown { id } => Error::new(Kind::Usage, format!("no session has the ID {id}"))
                .hint("try `clawd sessions list --all`"),
            other => Error::session(&other),
        })
    }
}

fn none_among(among: Among) -> String {
    match among {
        Among::Here => "no sessions in this directory (try --all)\n".to_owned(),
        Among::All => "no sessions\n".to_owned(),
    }
}

/// What a session is called in a list.
fn title(glance: &Glance) -> String {
    let title = glance.title.as_deref().map_or("(empty)".into(), sanitize_line);
    title.chars().take(TITLE).collect()
}

/// A table in Markdown, for a page.
fn as_table(found: &[Glance], among: Among, now_ms: u64) -> String {
    if found.is_empty() {
        return none_among(among);
    }
    let row = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    // the sign between cells, and what would make a title anything but text
    let plain = |text: &str| {
        let escaped = |sign: char| if "\\|`*_<[".contains(sign) { vec!['\\', sign] } else { vec![sign] };
        text.chars().flat_map(escaped).collect::<String>()
    };
    let cells = |glance: &Glance| {
        let age = age(now_ms.saturating_sub(glance.modified_ms));
        let mut cells = vec![format!("`{}`", glance.session.id), age, plain(&title(glance))];
        cells.extend((among == Among::All).then(|| plain(&sanitize_line(&glance.head.cwd))));
        row(&cells)
    };
    let mut names = vec!["ID".to_owned(), "Written".to_owned(), "Title".to_owned()];
    names.extend((among == Among::All).then(|| "Directory".to_owned()));
    let line = row(&vec!["---".to_owned(); names.len()]);
    row(&names) + &line + &found.iter().map(cells).collect::<String>()
}

/// A line each; the ID as it can be copied.
fn in_words(found: &[Glance], among: Among, now_ms: u64) -> String {
    if found.is_empty() {
        return none_among(among);
    }
    let line = |glance: &Glance| {
        let title = title(glance);
        let age = age(now_ms.saturating_sub(glance.modified_ms));
        let size = units::bytes(glance.bytes);
        let place = match among {
            Among::Here => String::new(),
            Among::All => format!("  {}", sanitize_line(&glance.head.cwd)),
        };
        format!("{}  {age:>10}  {size:>7}  {title}{place}\n", glance.session.id)
    };
    found.iter().map(line).collect()
}

/// What stands above a session that is shown.
fn about(glance: &Glance, messages: usize, now_ms: u64) -> String {
    let count = units::counted(messages as u64, "message", "messages");
    format!(
        "{}\n{} · {} · {count} · {}\n\n",
        glance.session.id,
        sanitize_line(&glance.head.cwd),
        sanitize_line(glance.head.model.as_str()),
        age(now_ms.saturating_sub(glance.modified_ms)),
    )
}

fn document(history: &History, format: DocumentFormat) -> String {
    render(
        history,
        match format {
            DocumentFormat::Markdown => Form::Markdown,
            DocumentFormat::Json => Form::Json,
        },
    )
}

pub(super) fn age(span_ms: u64) -> String {
    const DAY: u64 = 24 * 60 * 60 * 1000;
    match span_ms {
        0..60_000 => "now".to_owned(),
        60_000..3_600_000 => format!("{} m ago", span_ms / 60_000),
        3_600_000..DAY => format!("{} h ago", span_ms / 3_600_000),
        _ => units::counted(Duration::from_millis(span_ms).as_secs() / 86_400, "day ago", "days ago"),
    }
}

fn as_objects(found: &[Glance]) -> String {
    let object = |Glance { session, head, title, modified_ms, bytes, spoken: _ }: &Glance| {
        json!({
            "id": session.id.as_str(),
            "title": title,
            "cwd": head.cwd,
            "model": head.model.as_str(),
            "parent": head.parent.as_ref().map(SessionId::as_str),
            "modified": modified_ms,
            "bytes": bytes,
            "path": session.path,
        })
    };
    let all = Value::Array(found.iter().map(object).collect());
    format!("{all:#}\n")
}

/// Removes a session's file and what lies beside it, unless somebody is writing it.
fn remove(session: &SessionRef) -> Result<(), Error> {
    // as long as this is held nobody else goes on with it
    let lock = SessionLog::resume(&session.path, session.id.clone()).map_err(|error| match error {
        SessionError::InUse { id } => {
            Error::new(Kind::Run, format!("cannot delete session {id}: it is open in another clawd process"))
                .hint("try exiting it first")
        }
        other => Error::session(&other),
    })?;
    let beside = session.path.with_extension("");
    let removed = remove_directory(&beside).and_then(|()| fs::remove_file(&session.path));
    drop(lock);
    removed.map_err(|error| {
        Error::new(Kind::Run, format!("cannot delete session {}: {error}", session.path.display()))
    })
}

/// With what a sandbox left in it.
fn remove_directory(directory: &Path) -> io::Result<()> {
    match remove_scratch(directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Err(_) | Ok(()) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_as_coarse_as_anybody_wants_to_know() {
        const HOUR: u64 = 3_600_000;
        for (span, expected) in [
            (0, "now"),
            (59_999, "now"),
            (60_000, "1 m ago"),
            (HOUR - 1, "59 m ago"),
            (23 * HOUR, "23 h ago"),
            (24 * HOUR, "1 day ago"),
            (60 * 24 * HOUR, "60 days ago"),
        ] {
            assert_eq!(age(span), expected);
        }
    }
}
