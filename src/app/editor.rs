//! The input in the user's own editor: out into a file, and back exactly.
//!
//! The file is private and goes when this is over. Nothing is lost by an editor that fails: then the input stays what it was.

use std::ffi::OsString;
use std::io::Write;

use super::App;
use crate::error::{Error, Kind};
use crate::os::foreground;
use crate::os::guarded::{Author, read_own};

/// A longer text was made by a mistake.
const LARGEST: u64 = 16 * 1024 * 1024;

impl App {
    /// Has `text` edited in `$VISUAL` or `$EDITOR`. Blocks until the editor is left; the terminal must have been given back.
    ///
    /// # Errors
    /// Where there is no editor, or it fails: what, and that the input is as it was.
    pub fn edit_outside(&self, text: &str) -> Result<String, Error> {
        let named = ["VISUAL", "EDITOR"].into_iter().filter_map(|name| self.place.env.text(name));
        let editor = named.map(str::trim).find(|editor| !editor.is_empty()).ok_or_else(|| {
            Error::new(Kind::Config, "no editor is set (try `export EDITOR=nano` before you start clawd)")
        })?;
        self.edited(editor, text)
            .map_err(|why| Error::new(Kind::Config, format!("{why}; your input is unchanged")))
    }

    fn edited(&self, editor: &str, text: &str) -> Result<String, String> {
        let failed = |error: &dyn std::fmt::Display| format!("cannot edit the input in an editor: {error}");
        let directory = self.place.env.path("TMPDIR").unwrap_or("/tmp".as_ref()).to_owned();
        let mut file = tempfile::Builder::new()
            .prefix("clawd-input-")
            .suffix(".md")
            .tempfile_in(directory)
            .map_err(|error| failed(&error))?;
        file.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
        // the words of `$EDITOR` are the shell's to take apart, as everywhere
        let script = format!("{editor} \"$@\"");
        let argv = ["/bin/sh", "-c", script.as_str(), editor].map(OsString::from);
        let argv: Vec<OsString> = argv.into_iter().chain([file.path().as_os_str().to_owned()]).collect();
        match foreground::run(&argv, &self.place.cwd, &self.child_environment()) {
            Ok(Some(0)) => {}
            Ok(Some(code)) => return Err(format!("the editor `{editor}` exited with code {code}")),
            Ok(None) => return Err(format!("the editor `{editor}` was terminated by a signal")),
            Err(error) => return Err(format!("cannot run the editor `{editor}`: {error}")),
        }
        // by its name: many editors put a new file in the place of the old one
        let bytes = read_own(file.path(), LARGEST, Author::User).map_err(|error| failed(&error))?;
        let edited =
            String::from_utf8(bytes).map_err(|error| failed(&format!("the file is not UTF-8: {error}")))?;
        Ok(as_it_was_ended(text, edited))
    }
}

/// Editors end a file with a newline; it is the text's own only where there was one before.
fn as_it_was_ended(before: &str, mut edited: String) -> String {
    if edited.ends_with('\n') && !before.ends_with('\n') {
        edited.pop();
    }
    edited
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newline_of_an_editor_is_not_the_texts_own() {
        let check = |before: &str, edited: &str, expected: &str| {
            assert_eq!(as_it_was_ended(before, edited.to_owned()), expected);
        };
        check("a", "a\n", "a");
        check("a\n", "a\n", "a\n");
        check("", "one\n\n", "one\n");
        check("a", "b", "b");
    }
}
