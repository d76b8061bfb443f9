//! What a command said, as the model gets it: clean, and cut in the middle when long. Pure.

use crate::os::capture::{Keep, Output};
use crate::text::clip::{self, Limits, clip};
use crate::text::sanitize::{fold_progress, sanitize};
use crate::text::units;

/// What is shown: the contract's limit less room for what is said besides.
const SHOWN: Limits = Limits { bytes: clip::RESULT.bytes - 1024, lines: clip::RESULT.lines - 10 };

/// What is kept in memory of an output: what is shown of it, a fifth from its beginning.
pub(super) fn keep() -> Keep {
    let room = SHOWN.bytes - 256;
    Keep { head: room / 5, tail: room - room / 5, ..Keep::default() }
}

/// A command's output for the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Said {
    /// Without control sequences, progress bars in their last state.
    pub(super) text: String,
    /// Whether something is missing.
    pub(super) cut: bool,
}

impl Said {
    pub(super) fn of(output: &Output) -> Self {
        match output.whole() {
            Some(whole) => {
                let text = clean(&whole);
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
    let head = output.head.get(..head_end).unwrap_or_default();
    let tail = output.tail.get(tail_start..).unwrap_or_default();
    let (head, head_left_out) = first_lines(head, SHOWN.lines / 5);
    let (tail, tail_left_out) = last_lines(tail, SHOWN.lines - SHOWN.lines / 5 - 1);
    let edges = output.head.len() - head_end + tail_start + head_left_out + tail_left_out;
    let cut = units::bytes(output.missing() + edges as u64);
    let (head, tail) = (clean(head), clean(tail));
    format!("{}\n… {cut} cut …\n{}", head.trim_end_matches('\n'), tail.trim_end())
}

fn first_lines(text: &[u8], most: usize) -> (&[u8], usize) {
    let length = text.split_inclusive(|byte| *byte == b'\n').take(most).map(<[u8]>::len).sum();
    let (shown, left_out) = text.split_at(length);
    (shown, left_out.len())
}

fn last_lines(text: &[u8], most: usize) -> (&[u8], usize) {
    let length: usize = text.split_inclusive(|byte| *byte == b'\n').rev().take(most).map(<[u8]>::len).sum();
    let (left_out, shown) = text.split_at(text.len() - length);
    (shown, left_out.len())
}

fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    sanitize(&fold_progress(&text)).into_owned()
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
        check("\x1b]0;title\x07x\0y", "xy");
        check("", "");
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
            ..Output::default()
        };
        let said = Said::of(&output);
        assert_eq!(said, Said { text: "begin\n… 1023 MB cut …\nend".to_owned(), cut: true });
    }

    #[test]
    fn what_is_shown_of_a_flood_is_within_the_limit() {
        let keep = keep();
        for byte in [b"x".as_slice(), b"\n", b"x\n"] {
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
