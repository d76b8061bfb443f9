//! `#note`: a line for the project's instructions.
//!
//! The file is the one that counts in the project's root: `AGENTS.md`, or what stands in its place; a new `AGENTS.md` beside a
//! `CLAUDE.md` would take that one's instructions away. The line is in force for the next session by the file, and for
//! this one by what the model is told.

use std::path::{Path, PathBuf};

use super::App;
use super::resume::at_rest;
use crate::conversation::Conversation;
use crate::error::{Error, Kind};
use crate::os::file::{read_regular, replace};
use crate::project::INSTRUCTION_NAMES;
use crate::text::units;

/// A longer file is no page of instructions.
const LARGEST: u64 = 4 * 1024 * 1024;

impl App {
    /// Adds a line to the project's instructions, and reports it to the model with the next message.
    ///
    /// # Errors
    /// During a run, or if the file cannot be read or written.
    pub fn note(&self, conversation: &mut Conversation, text: &str) -> Result<String, Error> {
        at_rest(conversation)?;
        let file = file_of(&self.told.project_root());
        add(&file, text)
            .map_err(|error| Error::new(Kind::Config, format!("cannot add the note: {error}")))?;
        let (line, name) = (item(text), self.place.shown(&file));
        conversation.note(format!(
            "The user has added this line to the project's instructions in {}:\n{line}",
            file.display()
        ));
        Ok(format!("added to {name}: {line}"))
    }
}

fn file_of(root: &Path) -> PathBuf {
    let there = INSTRUCTION_NAMES.iter().map(|name| root.join(name)).find(|file| file.exists());
    there.unwrap_or_else(|| root.join("AGENTS.md"))
}

fn item(text: &str) -> String {
    format!("- {}", text.trim().replace('\n', "\n  "))
}

/// At the end, on a line of its own, with the line ends that the file has.
fn add(file: &Path, text: &str) -> Result<(), String> {
    let mut bytes = if file.exists() {
        read_regular(file, LARGEST).map_err(|error| error.to_string())?
    } else {
        Vec::new()
    };
    if bytes.len() as u64 >= LARGEST {
        return Err(format!("{} is larger than {}", file.display(), units::bytes(LARGEST)));
    }
    let newline = if bytes.windows(2).any(|pair| pair == b"\r\n") { "\r\n" } else { "\n" };
    if !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.extend_from_slice(newline.as_bytes());
    }
    bytes.extend_from_slice(item(text).replace('\n', newline).as_bytes());
    bytes.extend_from_slice(newline.as_bytes());
    replace(file, &bytes).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_note_is_a_line_of_its_own_in_the_file_that_counts() {
        let check = |files: &[(&str, &str)], name: &str, expected: &str| {
            let dir = tempfile::tempdir().unwrap();
            for (name, text) in files {
                fs::write(dir.path().join(name), text).unwrap();
            }
            add(&file_of(dir.path()), " use tabs\nalways ").unwrap();
            assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), expected);
        };
        check(&[], "AGENTS.md", "- use tabs\n  always\n");
        check(&[("AGENTS.md", "# A"), ("CLAUDE.md", "x")], "AGENTS.md", "# A\n- use tabs\n  always\n");
        check(&[("CLAUDE.md", "x\r\n")], "CLAUDE.md", "x\r\n- use tabs\r\n  always\r\n");
    }
}
