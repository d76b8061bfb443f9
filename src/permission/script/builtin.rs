//! What the shell's own commands change for those after them: the directory, and variables.

use std::path::{Path, PathBuf};

use super::{Command, Reader, UNKNOWN, Value, inner};
use crate::permission::scope::clean;

/// Bytes of a variable; a longer one is nobody's path.
const LONGEST: usize = 4096;

impl Reader<'_, '_> {
    /// What a built-in command changes for those after it.
    pub(super) fn change(&mut self, command: &Command) {
        let Some((head, rest)) = command.words.split_first() else { return };
        let mut operands = rest.iter().filter(|word| !word.starts_with('-') || word.len() == 1);
        match head.as_str() {
            "cd" | "pushd" => {
                let to = operands.next().map_or_else(|| self.home().to_owned(), Clone::clone);
                self.state.cwd = self.resolved(&to);
            }
            "popd" => self.state.cwd = None,
            "export" | "local" | "declare" | "typeset" | "readonly" => {
                for word in operands {
                    if let Some((name, value)) = word.split_once('=') {
                        let value = self.with_home(value);
                        self.assign(name, vec![value]);
                    }
                }
            }
            "set" => {
                if let Some(at) = rest.iter().position(|word| word == "--") {
                    self.hand(rest.get(at + 1..).unwrap_or_default());
                }
            }
            "read" if command.source.is_some() => {
                let values = inner::items(command);
                for word in operands {
                    self.state.variables.insert(word.clone(), Value::OneOf(values.clone()));
                }
            }
            "read" | "unset" | "mapfile" | "readarray" | "getopts" => {
                for word in operands {
                    self.state.variables.insert(word.clone(), Value::Unknown);
                }
            }
            _ => {}
        }
    }

    /// What the line hands to itself: `$1`, `$@`.
    fn hand(&mut self, words: &[String]) {
        for (number, word) in words.iter().enumerate() {
            self.assign(&(number + 1).to_string(), vec![word.clone()]);
        }
        for all in ["@", "*"] {
            self.assign(all, words.to_vec());
        }
    }

    /// `~` is the home directory also behind the sign of an assignment.
    fn with_home(&self, value: &str) -> String {
        match value.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", self.home()),
            _ => value.to_owned(),
        }
    }

    pub(super) fn resolved(&self, word: &str) -> Option<PathBuf> {
        let is_known = !word.contains(UNKNOWN) && word != "-" && !word.is_empty();
        let path = Path::new(word);
        match (&self.state.cwd, is_known) {
            (_, false) => None,
            (_, true) if path.is_absolute() => Some(clean(path)),
            (cwd, true) => cwd.as_ref().map(|cwd| clean(&cwd.join(path))),
        }
    }

    /// The home directory as text; unknown where there is none.
    pub(super) fn home(&self) -> &str {
        match self.state.variables.get("HOME") {
            Some(Value::Known(home)) => home,
            Some(Value::OneOf(_) | Value::Unknown) => "\0",
            None => self.scene.scope.home.as_deref().and_then(Path::to_str).unwrap_or("\0"),
        }
    }

    /// A variable has one of these values from here on.
    pub(super) fn assign(&mut self, name: &str, mut values: Vec<String>) {
        let name = name.trim_end_matches('+').to_owned();
        let is_known = values.iter().all(|value| !value.contains(UNKNOWN) && value.len() <= LONGEST);
        let value = match values.pop() {
            Some(value) if is_known && values.is_empty() => Value::Known(value),
            Some(last) if is_known => {
                values.push(last);
                Value::OneOf(values)
            }
            _ => Value::Unknown,
        };
        self.state.variables.insert(name, value);
    }
}
