//! Instruction files, cut to what a request can carry; what is cut is said, to the user and to the model.

use super::open::Loaded;
use super::scan::Found;

/// Bytes of all instruction files together: some 8,000 tokens of every request.
pub const INSTRUCTIONS_MAX: usize = 32 * 1024;

/// One file of instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// As a person would name it.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// The files in their order, cut where they pass the limit together.
pub fn within_limit<'a>(files: impl IntoIterator<Item = &'a Found>) -> Loaded {
    let mut loaded = Loaded::default();
    let mut room = INSTRUCTIONS_MAX;
    for file in files {
        let kept = file.text.get(..file.text.floor_char_boundary(room)).unwrap_or_default();
        room -= kept.len();
        let mut text = kept.to_owned();
        if kept.len() < file.text.len() {
            let note = format!(
                "{} is truncated to {} of {} bytes: the limit for all instructions is {} KiB",
                file.name,
                kept.len(),
                file.bytes,
                INSTRUCTIONS_MAX / 1024
            );
            text = format!("{kept}\n\n[{note}]");
            loaded.notes.push(note);
        }
        loaded.instructions.push(Instruction { name: file.name.clone(), text });
    }
    loaded
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn found(name: &str, text: String) -> Found {
        Found { path: PathBuf::from(name), name: name.to_owned(), bytes: text.len() as u64, text }
    }

    #[test]
    fn files_share_one_limit_and_a_cut_is_said() {
        let files = [
            found("one", "a".repeat(INSTRUCTIONS_MAX - 3)),
            found("two", "éé".to_owned()),
            found("three", "x".to_owned()),
            found("four", "y".to_owned()),
        ];
        let loaded = within_limit(&files);
        let notes = [
            "two is truncated to 2 of 4 bytes: the limit for all instructions is 32 KiB",
            "four is truncated to 0 of 1 bytes: the limit for all instructions is 32 KiB",
        ];
        assert_eq!(loaded.notes, notes);
        let texts: Vec<&str> = loaded.instructions.iter().skip(1).map(|file| file.text.as_str()).collect();
        assert_eq!(texts, [format!("é\n\n[{}]", notes[0]), "x".to_owned(), format!("\n\n[{}]", notes[1])]);
    }

    #[test]
    fn what_fits_is_left_as_it_is() {
        let files = [found("one", "a\n".to_owned())];
        let loaded = within_limit(&files);
        assert_eq!((loaded.instructions[0].text.as_str(), loaded.notes.len()), ("a\n", 0));
    }
}
