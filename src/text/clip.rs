//! The one place that cuts results: to a number of bytes and of lines, on line boundaries, saying what is gone.
//!
//! Not for the screen (that clips to columns) and not for streams (a process's output is held elsewhere while it
//! runs). The surprise: the line that tells of the cut counts towards the limits, so a clipped text never exceeds
//! them, whatever it is told.

use std::borrow::Cow;

use super::units;

/// How much may stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of UTF-8.
    pub bytes: usize,
    /// Lines.
    pub lines: usize,
}

/// What a tool's result may hold: 50 KB or 2,000 lines, whichever comes first (the project's contract).
pub const RESULT: Limits = Limits { bytes: 50 * 1024, lines: 2000 };

/// Which part is worth keeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The beginning: files, listings.
    Head,
    /// A fifth from the beginning, the rest from the end: commands, whose outcome stands last.
    HeadTail,
}

/// A text within its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clipped<'a> {
    /// What stays, with a line of its own where something is gone.
    pub text: Cow<'a, str>,
    /// What is gone; `None`: nothing, and the text is as it was.
    pub cut: Option<Cut>,
}

/// How much is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Lines that are not there in full.
    pub lines: usize,
    /// Bytes.
    pub bytes: usize,
}

/// Room for the line that tells of the cut: its words and two numbers of any size.
const NOTE: usize = 64;

/// Cuts `text` down to `limits`. Never half a line, unless that line alone is larger than the room for its part.
pub fn clip(text: &str, limits: Limits, keep: Keep) -> Clipped<'_> {
    if text.len() <= limits.bytes && text.lines().count() <= limits.lines {
        return Clipped { text: Cow::Borrowed(text), cut: None };
    }
    let room = Limits { bytes: limits.bytes.saturating_sub(NOTE), lines: limits.lines.saturating_sub(1) };
    let (for_head, for_tail) = match keep {
        Keep::Head => (room, Limits { bytes: 0, lines: 0 }),
        Keep::HeadTail => split(room),
    };
    let head = head_of(text, for_head);
    let rest = text.get(head.len()..).unwrap_or_default();
    let tail = tail_of(rest, for_tail);
    let gone = rest.get(..rest.len() - tail.len()).unwrap_or_default();

    let mut out = String::with_capacity(head.len() + NOTE + tail.len());
    out.push_str(head);
    if !head.is_empty() && !head.ends_with('\n') {
        out.push('\n');
    }
    out.push_str(&note(gone));
    if !tail.is_empty() {
        out.push('\n');
        out.push_str(tail);
    }
    Clipped { text: Cow::Owned(out), cut: Some(Cut { lines: gone.lines().count(), bytes: gone.len() }) }
}

/// A fifth for the head, four for the tail.
fn split(room: Limits) -> (Limits, Limits) {
    let head = Limits { bytes: room.bytes / 5, lines: room.lines / 5 };
    (head, Limits { bytes: room.bytes - head.bytes, lines: room.lines - head.lines })
}

/// The longest beginning of whole lines within `room`; a line that is larger than all of it is cut between characters.
fn head_of(text: &str, room: Limits) -> &str {
    let mut end = 0;
    for line in text.split_inclusive('\n').take(room.lines) {
        if end + line.len() > room.bytes {
            if line.len() > room.bytes {
                end = text.floor_char_boundary(room.bytes);
            }
            break;
        }
        end += line.len();
    }
    text.get(..end).unwrap_or_default()
}

/// The longest end of whole lines within `room`, by the same rule.
fn tail_of(text: &str, room: Limits) -> &str {
    let mut start = text.len();
    for line in text.split_inclusive('\n').rev().take(room.lines) {
        if text.len() - start + line.len() > room.bytes {
            if line.len() > room.bytes {
                start = text.ceil_char_boundary(text.len() - room.bytes);
            }
            break;
        }
        start -= line.len();
    }
    text.get(start..).unwrap_or_default()
}

fn note(gone: &str) -> String {
    let size = units::bytes(gone.len() as u64);
    match gone.lines().count() {
        1 if !gone.ends_with('\n') => format!("… {size} of one line cut …"),
        lines => format!("… {} ({size}) cut …", units::counted(lines as u64, "line", "lines")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbered(lines: usize) -> String {
        (1..=lines).map(|n| ["line ", &n.to_string(), "\n"].concat()).collect()
    }

    #[test]
    fn what_fits_is_left_alone() {
        for text in ["", "\n", "a\nb", "a\nb\n", "äöü\n日本\n"] {
            let clipped = clip(text, Limits { bytes: 20, lines: 2 }, Keep::HeadTail);
            assert_eq!(clipped, Clipped { text: Cow::Borrowed(text), cut: None });
        }
    }

    #[test]
    fn a_head_keeps_whole_lines_and_says_the_rest() {
        let text = numbered(10);
        let clipped = clip(&text, Limits { bytes: 1000, lines: 4 }, Keep::Head);
        assert_eq!(clipped.text, "line 1\nline 2\nline 3\n… 7 lines (50 B) cut …");
        assert_eq!(clipped.cut, Some(Cut { lines: 7, bytes: 50 }));
    }

    #[test]
    fn a_command_keeps_a_fifth_of_its_head_and_its_tail() {
        let text = numbered(2500);
        let clipped = clip(&text, RESULT, Keep::HeadTail);
        let lines: Vec<_> = clipped.text.lines().collect();
        assert_eq!(lines.len(), 2000);
        assert_eq!(lines[398], "line 399");
        assert_eq!(lines[399], "… 501 lines (4.4 KB) cut …");
        assert_eq!(lines[400], "line 901");
        assert!(clipped.text.ends_with("line 2500\n"));
    }

    #[test]
    fn one_endless_line_is_cut_between_characters() {
        let text = "日".repeat(1000);
        let clipped = clip(&text, Limits { bytes: 164, lines: 10 }, Keep::HeadTail);
        assert_eq!(
            clipped.text,
            format!("{}\n… 2.8 KB of one line cut …\n{}", "日".repeat(6), "日".repeat(26))
        );
        let clipped = clip(&text, Limits { bytes: 164, lines: 10 }, Keep::Head);
        assert_eq!(clipped.text, format!("{}\n… 2.8 KB of one line cut …", "日".repeat(33)));
    }

    #[test]
    fn an_endless_line_after_a_short_one_still_fills_the_room() {
        let text = format!("short\n{}", "x".repeat(1000));
        let clipped = clip(&text, Limits { bytes: 164, lines: 10 }, Keep::Head);
        assert_eq!(clipped.text, format!("short\n{}\n… 906 B of one line cut …", "x".repeat(94)));
    }

    proptest! {
        #[test]
        fn a_clipped_text_is_within_its_limits(
            text in "(\\PC{0,40}\n?){0,40}", bytes in 70usize..600, lines in 2usize..20, tail: bool,
        ) {
            let keep = if tail { Keep::HeadTail } else { Keep::Head };
            let clipped = clip(&text, Limits { bytes, lines }, keep);
            prop_assert!(clipped.text.len() <= bytes);
            prop_assert!(clipped.text.lines().count() <= lines);
            let fits = text.len() <= bytes && text.lines().count() <= lines;
            prop_assert_eq!(clipped.cut.is_none(), fits);
            if let Some(cut) = clipped.cut {
                let kept: usize = clipped.text.split_inclusive('\n').filter(|l| !l.contains(" cut …")).map(str::len).sum();
                prop_assert!(cut.bytes + kept >= text.len());
            }
        }
    }
}
