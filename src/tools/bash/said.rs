//! What a command said, as the model gets it: clean, and cut in the middle when long.
//!
//! Not for the screen, which draws colours. The surprise: cleaning can make a text longer (what is invisible is shown
//! by number, what is no UTF-8 by a sign), so the limit is held after it and not before.

use std::borrow::Cow;

use crate::os::capture::{Keep, Output};
use crate::os::process::signal_name;
use crate::text::clip::{self, Limits, clip};
use crate::text::sanitize::{fold_progress, sanitize};
use crate::text::units;
use crate::tools::Scene;

/// What is shown: the contract's limit less room for what is said besides.
const SHOWN: Limits = Limits { bytes: clip::RESULT.bytes - 1024, lines: clip::RESULT.lines - 10 };

/// What is kept in memory of an output: what is shown of it, a fifth from its beginning, less the line on the cut.
pub(in crate::tools) fn keep() -> Keep {
    let room = SHOWN.bytes - 256;
    Keep { head: room / 5, tail: room - room / 5, ..Keep::default() }
}

/// A command's output for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::tools) struct Said {
    /// Without control sequences, progress bars in their last state.
    pub(in crate::tools) text: String,
    /// Whether something is missing.
    pub(in crate::tools) cut: bool,
}

impl Said {
    pub(in crate::tools) fn of(output: &Output) -> Self {
        match output.whole() {
            Some(whole) => {
                let text = if has_returns_only(&whole) { lines_of_returns(&whole) } else { clean(&whole) };
                let clipped = clip(text.trim_end(), SHOWN, clip::Keep::HeadTail);
                Self { cut: clipped.cut.is_some(), text: clipped.text.into_owned() }
            }
            None => Self { text: ends(output), cut: true },
        }
    }
}

/// Beginning and end of an output that was too long to keep, in whole lines where they have an end.
fn ends(output: &Output) -> String {
    let head_end = output.head.iter().rposition(|byte| *byte == b'\n').map_or(output.head.len(), |at| at + 1);
    let tail_start = output.tail.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let head = first(&clean(output.head.get(..head_end).unwrap_or_default()));
    let tail = last(&clean(output.tail.get(tail_start..).unwrap_or_default()));
    let shown = head.lines().count() + tail.lines().count();
    let cut = output.bytes.saturating_sub((head.len() + tail.len()) as u64);
    let cut = match output.lines.saturating_sub(shown as u64) {
        0 => units::bytes(cut),
        lines => format!("{} ({})", units::counted(lines, "line", "lines"), units::bytes(cut)),
    };
    [head.trim_end_matches('\n'), &format!("… {cut} cut …"), tail.trim_end()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// As much of the beginning as has room, in lines, or of its only line.
fn first(text: &str) -> String {
    let length = text.split_inclusive('\n').take(SHOWN.lines / 5).map(str::len).sum::<usize>();
    let fits = text.floor_char_boundary(length.min(keep().head));
    text.get(..fits).unwrap_or_default().to_owned()
}

/// The same of the end.
fn last(text: &str) -> String {
    let lines = SHOWN.lines - SHOWN.lines / 5 - 1;
    let length = text.split_inclusive('\n').rev().take(lines).map(str::len).sum::<usize>();
    let fits = text.ceil_char_boundary(text.len() - length.min(keep().tail));
    text.get(fits..).unwrap_or_default().to_owned()
}

/// Whether it is a text whose lines end in a carriage return alone. A progress bar ends in a line feed sooner or later.
fn has_returns_only(whole: &[u8]) -> bool {
    !whole.contains(&b'\n') && whole.trim_ascii_end().contains(&b'\r')
}

fn lines_of_returns(whole: &[u8]) -> String {
    let feeds: Vec<u8> = whole.iter().map(|byte| if *byte == b'\r' { b'\n' } else { *byte }).collect();
    clean(&feeds)
}

/// NUL is shown, for it tells of a binary file or of UTF-16; bytes that are no UTF-8 have their own sign.
fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = if text.contains('\0') { Cow::Owned(text.replace('\0', "␀")) } else { text };
    sanitize(&fold_progress(&text)).into_owned()
}

/// Where the whole of a long output is.
pub(in crate::tools) fn whole(scene: &Scene, output: &Output) -> String {
    let size = format!("{}, {}", units::bytes(output.bytes), units::counted(output.lines, "line", "lines"));
    let written = match (&output.file, output.whole()) {
        (Some(file), _) if file.missing == 0 => Ok(file.path.clone()),
        (Some(file), _) if file.bytes > 0 => {
            let why = file.error.as_ref().map(|error| format!(", then: {error}")).unwrap_or_default();
            let (there, path) = (units::bytes(file.bytes), file.path.display());
            return format!("[{size}; the first {there} are in {path}{why}]");
        }
        (_, Some(whole)) => {
            scene.bench.outputs().write(&scene.call, &whole).map_err(|error| error.to_string())
        }
        (Some(file), None) => Err(file.error.clone().unwrap_or_default()),
        (None, None) => Err("no file could be made".to_owned()),
    };
    match written {
        Ok(path) => format!("[{size}; full output: {}]", path.display()),
        Err(error) => format!("[{size}; full output is lost: {error}]"),
    }
}

/// What an exit code of the shell's own means.
pub(in crate::tools) fn hint(code: i32) -> String {
    match code {
        126 => " (a file could not be run)".to_owned(),
        127 => " (a command was not found)".to_owned(),
        129.. => {
            // bash says so of a command that a signal has ended
            let name = signal_name(code - 128);
            name.map(|name| format!(" (a command was ended by signal {name})")).unwrap_or_default()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(whole: &str) -> Said {
        Said::of(&Output { head: whole.into(), bytes: whole.len() as u64, ..Output::default() })
    }

    #[test]
    fn control_sequences_go_and_progress_is_folded() {
        let check =
            |output: &str, text: &str| assert_eq!(said(output), Said { text: text.to_owned(), cut: false });
        check("\x1b[31mred\x1b[0m\n", "red");
        check("10%\r50%\r100%\ndone\n", "100%\ndone");
        check("a\r\nb\r\n", "a\nb");
        check("one\rtwo\rthree\r", "one\ntwo\nthree");
        check("100%\r", "100%");
        check("\x1b]0;title\x07x\0y", "x␀y");
        check("loading |\x08/\x08-\x08done", "loading done");
        check("", "");
    }

    #[test]
    fn exit_codes_of_the_shells_own_are_explained() {
        let check = |code, expected: &str| assert_eq!(hint(code), expected, "{code}");
        check(1, "");
        check(126, " (a file could not be run)");
        check(127, " (a command was not found)");
        check(137, " (a command was ended by signal KILL)");
        check(255, "");
    }

    #[test]
    fn many_short_lines_are_cut_in_the_middle() {
        let whole: Vec<String> = (1..=3000).map(|number| number.to_string()).collect();
        let said = said(&whole.join("\n"));
        assert!(said.cut && said.text.starts_with("1\n2\n") && said.text.ends_with("2999\n3000"));
        assert_eq!(said.text.lines().count(), SHOWN.lines);
    }

    #[test]
    fn a_flood_keeps_its_ends_and_says_how_much_is_gone() {
        let keep = keep();
        let output = Output {
            head: [b"begin\n".as_slice(), &vec![b'x'; keep.head - 6]].concat(),
            tail: [vec![b'y'; keep.tail - 5].as_slice(), b"\nend\n"].concat(),
            bytes: 1 << 30,
            lines: 1001,
            ..Output::default()
        };
        let said = Said::of(&output);
        assert_eq!(said, Said { text: "begin\n… 999 lines (1023 MB) cut …\nend".to_owned(), cut: true });
    }

    #[test]
    fn what_is_shown_of_a_flood_is_within_the_limit() {
        let keep = keep();
        for byte in [b"x".as_slice(), b"\n", b"x\n", b"\0", b"\xff", b"\xff\n", "\u{202e}".as_bytes()] {
            let output = Output {
                head: byte.repeat(keep.head / byte.len()),
                tail: byte.repeat(keep.tail / byte.len()),
                bytes: 1 << 30,
                ..Output::default()
            };
            let said = Said::of(&output);
            assert!(said.text.len() <= SHOWN.bytes && said.text.lines().count() <= SHOWN.lines, "{byte:?}");
        }
    }
}
