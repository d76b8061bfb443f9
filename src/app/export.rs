//! `/export`: the conversation as a file of the user's, in the form that its name asks for.
//!
//! It never writes over anything: who wants the old file gone removes it. The file is the user's alone (0600), for a
//! conversation holds what was read in the project; the program's keys are taken out of it.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::App;
use crate::conversation::Conversation;
use crate::error::{Error, Kind};
use crate::os::paths::{Open, absolute, led_home, private_file};
use crate::session::export::{Form, render};
use crate::text::redact::Hide;

/// How many names are tried where none was given.
const NAMES: u32 = 1_000;

impl App {
    /// Writes the conversation into `file`, or into a new one in the working directory; says in a line which.
    ///
    /// # Errors
    /// Where nothing was said, the name asks for no known form, or the file is there already or cannot be made.
    pub fn export(&self, conversation: &Conversation, file: &str) -> Result<String, Error> {
        let history = conversation.with_head();
        if history.is_empty() {
            return Err(refused("nothing to export: the conversation is empty".to_owned()));
        }
        let (path, form) =
            if file.is_empty() { (self.free_name(), Form::Markdown) } else { self.named(file)? };
        let text = render(&history, form);
        let text = self.place.redactor.redact(&text, Hide::Keys);
        write_new(&path, text.as_bytes()).map_err(|error| {
            let shown = self.place.shown(&path);
            match error.kind() {
                ErrorKind::AlreadyExists => {
                    refused(format!("cannot write {shown}: it already exists")).hint("try another name")
                }
                _ => refused(format!("cannot write {shown}: {error}")),
            }
        })?;
        Ok(format!("exported to {}", self.place.shown(&path)))
    }

    fn named(&self, file: &str) -> Result<(PathBuf, Form), Error> {
        let typed = led_home(Path::new(file), self.place.env.path("HOME"));
        let mut path = absolute(&self.place.cwd, &typed);
        if path.extension().is_none() {
            path.set_extension("md");
        }
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let form = Form::of_ending(&ending).ok_or_else(|| {
            refused(format!("cannot export to .{ending}: unknown format")).hint("try .md, .html or .json")
        })?;
        Ok((path, form))
    }

    fn free_name(&self) -> PathBuf {
        let name = |number: u32| match number {
            1 => format!("clawd-{}.md", self.today),
            _ => format!("clawd-{}-{number}.md", self.today),
        };
        let mut paths = (1..NAMES).map(|number| self.place.cwd.join(name(number)));
        let free = paths.find(|path| path.symlink_metadata().is_err());
        free.unwrap_or_else(|| self.place.cwd.join(name(NAMES)))
    }
}

/// Whole or not at all, as far as that can be had without a second name.
fn write_new(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = private_file(path, Open::CreateNew)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if written.is_err() {
        // half a file would stand in the way of the next try
        std::fs::remove_file(path).ok();
    }
    written
}

fn refused(why: String) -> Error {
    Error::new(Kind::Config, why)
}
