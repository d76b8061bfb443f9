//! What changed between two texts: hunks with three lines of context, and how many lines came and went.
//!
//! Not a patch format to apply: it is drawn for the user and told to the model. Two texts with very much between
//! them are not compared line by line, as that work can grow with the square of their length: such a diff has
//! counts and no hunks ([`FileDiff::is_summary`]).

use std::ops::Range;
use std::time::Duration;

use memchr::{memchr, memchr_iter, memrchr, memrchr_iter};
use similar::{ChangeTag, DiffOp, TextDiff};

use super::units;

/// Lines kept around a change, as in every unified diff.
const CONTEXT: usize = 3;

/// Lines between the first and the last difference, both sides together, that are still compared. 100,000 lines
/// are a generated file; nobody reads that diff.
const MOST_LINES: usize = 100_000;

/// Bytes that are compared at once when looking for the first and the last difference.
const BLOCK: usize = 4096;

/// After this the comparison settles for a coarser, still correct, answer. A person waits for the preview.
const PATIENCE: Duration = Duration::from_millis(200);

/// The changes from one text to another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileDiff {
    /// The places that changed, in order. Empty if nothing did, or if this is only a summary.
    pub hunks: Vec<Hunk>,
    /// Lines that came.
    pub added: usize,
    /// Lines that went.
    pub removed: usize,
}

/// One changed place with its context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Number of the first old line, from 1; where the hunk has no old line, the number of the one before it.
    pub old_start: usize,
    /// The same for the new text.
    pub new_start: usize,
    /// The lines in reading order: what went stands before what came.
    pub lines: Vec<DiffLine>,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// What happened to it.
    pub kind: LineKind,
    /// Its number from 1, in the old text if it went, else in the new one.
    pub number: usize,
    /// Its text without the line feed.
    pub text: String,
    /// Whether it is the last line of its text and has no line feed.
    pub unterminated: bool,
}

/// What happened to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineKind {
    /// It stayed.
    Context,
    /// It came.
    Added,
    /// It went.
    Removed,
}

impl FileDiff {
    /// Whether the texts differ in nothing.
    pub fn is_empty(&self) -> bool {
        self.added == 0 && self.removed == 0
    }

    /// Whether there are counts only, because there was too much to compare.
    pub fn is_summary(&self) -> bool {
        self.hunks.is_empty() && !self.is_empty()
    }
}

/// Compares two texts line by line (a line ends at a line feed).
pub fn diff(old: &str, new: &str) -> FileDiff {
    diff_within(old, new, MOST_LINES)
}

/// The hunks as the model reads them: `@@` heads, signs, and a mark where the final line feed is missing.
pub fn unified_text(diff: &FileDiff) -> String {
    if diff.is_summary() {
        let gone = units::counted(diff.removed as u64, "line", "lines");
        return format!(
            "(too much changed to show: {gone} replaced by {})\n",
            units::count(diff.added as u64)
        );
    }
    let mut out = String::new();
    for hunk in &diff.hunks {
        out.push_str(&head(hunk));
        for line in &hunk.lines {
            out.push(match line.kind {
                LineKind::Context => ' ',
                LineKind::Added => '+',
                LineKind::Removed => '-',
            });
            out.push_str(&line.text);
            out.push('\n');
            if line.unterminated {
                out.push_str("\\ No newline at end of file\n");
            }
        }
    }
    out
}

fn diff_within(old: &str, new: &str, most_lines: usize) -> FileDiff {
    let (head, tail) = same_ends(old.as_bytes(), new.as_bytes());
    let middle = |text: &str| lines_in(text, head, text.len() - tail);
    let (went, came) = (middle(old), middle(new));
    if went + came > most_lines {
        return FileDiff { hunks: Vec::new(), added: came, removed: went };
    }
    // Only what lies between the first and the last difference is compared, with its context.
    let start = lines_back(old.as_bytes(), head, CONTEXT);
    let window = |text: &'_ str| start..lines_on(text.as_bytes(), text.len() - tail, CONTEXT);
    let base = memchr_iter(b'\n', old.as_bytes().get(..start).unwrap_or_default()).count();
    let (old, new) = (lines_of(old, window(old)), lines_of(new, window(new)));
    collect(&TextDiff::configure().timeout(PATIENCE).diff_slices(&old, &new), base)
}

/// How many bytes both texts have in common at their beginning and at their end, in whole lines.
fn same_ends(old: &[u8], new: &[u8]) -> (usize, usize) {
    let head = same_bytes(old.chunks(BLOCK).zip(new.chunks(BLOCK)), |a, b| {
        a.iter().zip(b).take_while(|(a, b)| a == b).count()
    });
    let is_all = head == old.len() && head == new.len();
    let same = old.get(..head).unwrap_or_default();
    let head = if is_all { head } else { memrchr(b'\n', same).map_or(0, |at| at + 1) };
    let (old_rest, new_rest) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let tail = same_bytes(old_rest.rchunks(BLOCK).zip(new_rest.rchunks(BLOCK)), |a, b| {
        a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
    });
    // a line begins where both are at their beginning or behind a line feed
    let begins = |rest: &[u8]| rest.len() == tail || rest.get(rest.len() - tail - 1) == Some(&b'\n');
    if begins(old_rest) && begins(new_rest) {
        return (head, tail);
    }
    let same = old_rest.get(old_rest.len() - tail..).unwrap_or_default();
    (head, memchr(b'\n', same).map_or(0, |at| tail - at - 1))
}

/// The length of what is the same: whole blocks, which are compared at once, and `rest` of the first that differ.
fn same_bytes<'a>(
    blocks: impl Iterator<Item = (&'a [u8], &'a [u8])>,
    rest: impl Fn(&[u8], &[u8]) -> usize,
) -> usize {
    let mut length = 0;
    for (a, b) in blocks {
        if a != b {
            return length + rest(a, b);
        }
        length += a.len();
    }
    length
}

/// How many lines there are between two places.
fn lines_in(text: &str, start: usize, end: usize) -> usize {
    let bytes = text.as_bytes().get(start..end).unwrap_or_default();
    memchr_iter(b'\n', bytes).count() + usize::from(bytes.last().is_some_and(|last| *last != b'\n'))
}

/// Where the line begins that is `count` lines before the one that begins at `at`.
fn lines_back(text: &[u8], at: usize, count: usize) -> usize {
    let before = text.get(..at.saturating_sub(1)).unwrap_or_default();
    memrchr_iter(b'\n', before).nth(count - 1).map_or(0, |feed| feed + 1)
}

/// Where the line ends that is `count` lines after the one that ends at `at`.
fn lines_on(text: &[u8], at: usize, count: usize) -> usize {
    let after = text.get(at..).unwrap_or_default();
    memchr_iter(b'\n', after).nth(count - 1).map_or(text.len(), |feed| at + feed + 1)
}

fn lines_of(text: &str, range: Range<usize>) -> Vec<&str> {
    text.get(range).unwrap_or_default().split_inclusive('\n').collect()
}

fn collect(diff: &TextDiff<'_, '_, str>, base: usize) -> FileDiff {
    let mut out = FileDiff::default();
    for group in diff.grouped_ops(CONTEXT) {
        let lines: Vec<DiffLine> =
            group.iter().flat_map(|op| diff.iter_changes(op)).map(|change| line(change, base)).collect();
        let count = |kind| lines.iter().filter(|line| line.kind == kind).count();
        out.added += count(LineKind::Added);
        out.removed += count(LineKind::Removed);
        let start = |range: Range<usize>| base + range.start + usize::from(!range.is_empty());
        let old_start = start(span(&group, DiffOp::old_range));
        let new_start = start(span(&group, DiffOp::new_range));
        out.hunks.push(Hunk { old_start, new_start, lines });
    }
    out
}

fn span(group: &[DiffOp], range: impl Fn(&DiffOp) -> Range<usize>) -> Range<usize> {
    let start = group.first().map_or(0, |op| range(op).start);
    start..group.last().map_or(start, |op| range(op).end)
}

fn line(change: similar::Change<&str>, base: usize) -> DiffLine {
    let (kind, index) = match change.tag() {
        ChangeTag::Equal => (LineKind::Context, change.new_index()),
        ChangeTag::Insert => (LineKind::Added, change.new_index()),
        ChangeTag::Delete => (LineKind::Removed, change.old_index()),
    };
    let text = change.value().strip_suffix('\n');
    DiffLine {
        kind,
        number: base + index.unwrap_or_default() + 1,
        text: text.unwrap_or(change.value()).to_owned(),
        unterminated: text.is_none(),
    }
}

fn head(hunk: &Hunk) -> String {
    let count = |gone| hunk.lines.iter().filter(|line| line.kind != gone).count();
    let part = |start: usize, lines: usize| match lines {
        1 => start.to_string(),
        _ => format!("{start},{lines}"),
    };
    let old = part(hunk.old_start, count(LineKind::Added));
    let new = part(hunk.new_start, count(LineKind::Removed));
    format!("@@ -{old} +{new} @@\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::LineKind::{Added, Context, Removed};
    use super::*;

    fn check(old: &str, new: &str, expected: &str) {
        let diff = diff(old, new);
        assert_eq!(unified_text(&diff), expected);
        let count = |sign| unified_text(&diff).lines().filter(|line| line.starts_with(sign)).count();
        assert_eq!((diff.added, diff.removed), (count('+'), count('-')));
    }

    #[test]
    fn a_change_stands_between_three_lines_of_context() {
        check(
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
            "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
        );
    }

    #[test]
    fn far_changes_are_hunks_of_their_own() {
        let old: String = (1..=30).map(|n| n.to_string() + "\n").collect();
        let new = old.replace("5\n6\n", "5\nnew\n6\n").replace("28\n", "");
        check(
            &old,
            &new,
            "@@ -3,6 +3,7 @@\n 3\n 4\n 5\n+new\n 6\n 7\n 8\n@@ -25,6 +26,5 @@\n 25\n 26\n 27\n-28\n 29\n 30\n",
        );
    }

    #[test]
    fn files_come_and_go_whole() {
        check("", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n");
        check("a\nb\n", "", "@@ -1,2 +0,0 @@\n-a\n-b\n");
        check("same\n", "same\n", "");
        check("", "", "");
    }

    #[test]
    fn a_missing_final_line_feed_is_a_change_that_shows() {
        check("a\nb", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
        check("a", "b", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n");
    }

    #[test]
    fn numbers_follow_the_side_of_each_line() {
        let diff = diff("a\nb\nc\n", "a\nx\ny\nc\n");
        let numbers: Vec<_> = diff.hunks[0].lines.iter().map(|l| (l.kind, l.number)).collect();
        assert_eq!(numbers, [(Context, 1), (Removed, 2), (Added, 2), (Added, 3), (Context, 4)]);
    }

    #[test]
    fn a_carriage_return_is_part_of_its_line() {
        let diff = diff("a\r\nb\r\n", "a\r\nc\r\n");
        assert_eq!(diff.hunks[0].lines[1].text, "b\r");
    }

    #[test]
    fn too_much_between_the_ends_gives_counts_only() {
        let old = "same\na\nb\nc\nsame\n";
        let new = "same\nx\ny\nsame\n";
        let diff = diff_within(old, new, 4);
        assert!(diff.is_summary());
        assert_eq!((diff.added, diff.removed), (2, 3));
        assert_eq!(unified_text(&diff), "(too much changed to show: 3 lines replaced by 2)\n");
        assert!(!diff_within(old, new, 5).is_summary());
    }

    #[test]
    fn equal_ends_of_any_length_are_passed_over() {
        let lines: Vec<String> = (1..=20_000).map(|n| format!("line number {n}\n")).collect();
        let old = lines.concat();
        let new = old.replace("line number 10000\n", "x\ny\n");
        assert_eq!(same_ends(old.as_bytes(), old.as_bytes()), (old.len(), 0));
        let numbers: Vec<_> = diff(&old, &new).hunks[0].lines.iter().map(|l| (l.kind, l.number)).collect();
        assert_eq!(
            numbers[..6],
            [
                (Context, 9997),
                (Context, 9998),
                (Context, 9999),
                (Removed, 10000),
                (Added, 10000),
                (Added, 10001)
            ]
        );
        assert_eq!(numbers[6..], [(Context, 10002), (Context, 10003), (Context, 10004)]);
        check("a\nb\n", "a\nb\nb\n", "@@ -1,2 +1,3 @@\n a\n b\n+b\n");
        check("xb\n", "b\n", "@@ -1 +1 @@\n-xb\n+b\n");
        check("b\n", "ab\nb\n", "@@ -1 +1,2 @@\n+ab\n b\n");
    }

    proptest! {
        #[test]
        fn equal_ends_are_whole_lines(old in "([ab]{0,2}\n){0,5}[ab]?", new in "([ab]{0,2}\n){0,5}[ab]?") {
            let (head, tail) = same_ends(old.as_bytes(), new.as_bytes());
            let (old_lines, new_lines): (Vec<_>, Vec<_>) = (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
            let lead = old_lines.iter().zip(&new_lines).take_while(|(a, b)| a == b).count();
            let shorter = old_lines.len().min(new_lines.len()) - lead;
            let trail = old_lines.iter().rev().zip(new_lines.iter().rev()).take(shorter).take_while(|(a, b)| a == b).count();
            let length = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
            prop_assert_eq!((head, tail), (length(&old_lines[..lead]), length(&old_lines[old_lines.len() - trail..])));
        }

        #[test]
        fn the_hunks_lead_from_the_old_text_to_the_new(old in "([a-c]\n){0,30}[a-c]?", new in "([a-c]\n){0,30}[a-c]?") {
            let diff = diff(&old, &new);
            let old_lines: Vec<_> = old.split_inclusive('\n').collect();
            let mut built = String::new();
            let mut at = 0;
            for hunk in &diff.hunks {
                let has_old = hunk.lines.iter().any(|l| l.kind != Added);
                let start = hunk.old_start - usize::from(has_old);
                built.extend(old_lines[at..start].iter().copied());
                at = start;
                for line in &hunk.lines {
                    let end = if line.unterminated { "" } else { "\n" };
                    if line.kind != Added {
                        prop_assert_eq!(old_lines[at], format!("{}{end}", line.text));
                        at += 1;
                    }
                    if line.kind != Removed {
                        built.push_str(&line.text);
                        built.push_str(end);
                    }
                }
            }
            built.extend(old_lines[at..].iter().copied());
            prop_assert_eq!(built, new);
        }
    }
}
