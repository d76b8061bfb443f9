//! Where an old text stands in a view: exactly, or but for what `fold` leaves out. Every place is told, overlapping ones
//! too; which of them may be taken is not decided here.
//!
//! A place that is not exact ends where a word does: `foo  = 1` is never found in `my-foo = 1`. The surprise: the whole
//! text is folded and searched once, and only the lines of a hit are cut into pieces, to know where they lie.

use std::ops::Range;

use memchr::memchr_iter;
use memchr::memmem::Finder;

use super::fold::{Folded, Level, Meaning, Piece, fold, fold_onto, is_blank, trim, trim_end};
use super::letters::{Begins, Letters};
use super::view::View;

/// More places of one text are not counted.
pub(super) const MOST_PLACES: usize = 1000;

/// How a match was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Found {
    /// Exactly as written.
    Exactly,
    /// But for blanks at the ends of lines.
    ButForTrailing,
    /// But for blanks, the indentation for one.
    ButForBlanks,
    /// But for quotes, dashes, odd spaces, composed letters, or bytes shown as U+FFFD.
    ButForTypography,
}

/// Where a text stands.
#[derive(Debug, Default)]
pub(super) struct Hits {
    /// All places, in order.
    pub(super) places: Vec<Range<usize>>,
    /// Whether one of them may be within a character: the encoding is not known.
    pub(super) is_unclear: bool,
}

/// Where `old` stands exactly; `step` bytes after each start the search goes on, for at most `most` places.
pub(super) fn exactly(view: &View<'_>, old: &[u8], step: usize, most: usize) -> Hits {
    let finder = Finder::new(old);
    let (mut hits, mut from, mut letters) = (Hits::default(), 0, None);
    let find = |from| finder.find(view.part(from..view.text.len())).map(|at| from + at);
    while let Some(at) = find(from).filter(|_| hits.places.len() < most) {
        let is_taken = hits.take(view, at..at + old.len(), &mut letters);
        from = at + if is_taken { step } else { 1 };
    }
    hits
}

impl Hits {
    /// Takes a place unless it begins or ends within a character.
    fn take(&mut self, view: &View<'_>, place: Range<usize>, letters: &mut Option<Letters>) -> bool {
        let text: &[u8] = &view.text;
        // only a byte that is not ASCII can be the first half of what follows
        let is_doubtful = |place: &usize| {
            let before = place.checked_sub(1).and_then(|before| text.get(before));
            before.is_some_and(|byte| !byte.is_ascii())
        };
        let mut begins = Begins::Surely;
        for end in [place.start, place.end].iter().filter(|place| is_doubtful(place)) {
            let letters = letters.get_or_insert_with(|| Letters::of(text));
            begins = worse(begins, letters.begins(text, *end));
        }
        if begins == Begins::Not {
            return false;
        }
        self.is_unclear |= begins == Begins::Perhaps;
        self.places.push(place);
        true
    }
}

fn worse(a: Begins, b: Begins) -> Begins {
    match (a, b) {
        (Begins::Not, _) | (_, Begins::Not) => Begins::Not,
        (Begins::Perhaps, _) | (_, Begins::Perhaps) => Begins::Perhaps,
        (Begins::Surely, Begins::Surely) => Begins::Surely,
    }
}

/// Where `old` stands but for what the level leaves out.
pub(super) fn loosely(view: &View<'_>, old: &str, level: Level) -> Hits {
    let (wanted, mut hits, mut from, mut letters) = (Wanted::of(old, level), Hits::default(), 0, None);
    if wanted.needle.iter().all(|byte| *byte == b'\n') {
        return hits;
    }
    let text = FoldedText::of(view, level);
    let finder = Finder::new(&wanted.needle);
    let find = |from| text.bytes.get(from..).and_then(|rest| finder.find(rest)).map(|at: usize| from + at);
    while let Some(at) = find(from).filter(|_| hits.places.len() < MOST_PLACES) {
        if let Some(place) = text.place(at, &wanted) {
            hits.take(view, place, &mut letters);
        }
        from = at + 1;
    }
    hits
}

/// The number (from 0) of a line from which on whole lines stand as they are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinesAt {
    /// Of the first of them.
    pub line: usize,
    /// How they are there.
    pub found: Found,
}

/// Where whole lines stand, from line number `from` (from 0) on; `lines` are those of the view, `old` has no line ends.
pub(super) fn whole_lines(
    view: &View<'_>,
    lines: &[Range<usize>],
    old: &[&str],
    from: usize,
) -> Vec<LinesAt> {
    if old.is_empty() {
        return Vec::new();
    }
    let windows = lines.windows(old.len()).enumerate().skip(from);
    let found = windows.filter_map(|(line, window)| {
        let mut worst = Found::Exactly;
        for (seen, wanted) in window.iter().zip(old) {
            let seen = view.part(seen.clone());
            worst = worst.max(likeness(seen.strip_suffix(b"\n").unwrap_or(seen), wanted.as_bytes())?);
        }
        Some(LinesAt { line, found: worst })
    });
    found.collect()
}

/// In what two lines differ, if in nothing that counts.
fn likeness(seen: &[u8], wanted: &[u8]) -> Option<Found> {
    if seen == wanted {
        return Some(Found::Exactly);
    }
    if trim_end(seen) == trim_end(wanted) {
        return Some(Found::ButForTrailing);
    }
    let first = |line: &[u8]| trim(line).first().copied();
    if seen.is_ascii() && first(seen) != first(wanted) && wanted.is_ascii() {
        return None;
    }
    let same = |level| {
        let folded = |line| {
            let mut out = Vec::new();
            fold_onto(line, level, &mut out);
            out
        };
        folded(seen) == folded(wanted)
    };
    if same(Level::Blanks) {
        return Some(Found::ButForBlanks);
    }
    ((!seen.is_ascii() || !wanted.is_ascii()) && same(Level::Typography)).then_some(Found::ButForTypography)
}

/// An old text, folded, and how its ends were written.
struct Wanted {
    needle: Vec<u8>,
    /// Line feeds in it.
    feeds: usize,
    start: Edge,
    end: Edge,
}

/// What an old text begins or ends with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    /// A line end; nothing of the line is given.
    Feed,
    /// Blanks of a line of which nothing else is given.
    OnlyBlanks,
    /// Blanks beside the text.
    Blanks,
    /// The text itself.
    Text,
}

impl Wanted {
    fn of(old: &str, level: Level) -> Self {
        let (mut needle, mut feeds) = (Vec::new(), 0);
        let rows: Vec<Folded> = old.split('\n').map(|row| fold(row.as_bytes(), level)).collect();
        for (number, row) in old.split('\n').enumerate() {
            if number > 0 {
                needle.push(b'\n');
                feeds += 1;
            }
            fold_onto(row.as_bytes(), level, &mut needle);
        }
        let edge = |row: Option<&Folded>, blanks: fn(&Folded) -> usize| match row {
            Some(row) if row.pieces.is_empty() && row.lead == 0 => Edge::Feed,
            Some(row) if row.pieces.is_empty() => Edge::OnlyBlanks,
            Some(row) if blanks(row) > 0 => Edge::Blanks,
            Some(_) | None => Edge::Text,
        };
        let start = edge(rows.first(), |row| row.lead);
        let end = edge(rows.last(), |row| row.trail);
        Self { needle, feeds, start, end }
    }
}

/// A view's text, folded: each line with a line feed, the last one too.
struct FoldedText<'a> {
    view: &'a View<'a>,
    level: Level,
    bytes: Vec<u8>,
    lines: Vec<Line>,
}

struct Line {
    /// Where it begins in the folded bytes.
    folded: usize,
    /// Where it is in the view, without its end.
    seen: Range<usize>,
}

impl<'a> FoldedText<'a> {
    fn of(view: &'a View<'a>, level: Level) -> Self {
        let mut bytes = Vec::with_capacity(view.text.len());
        let mut lines = Vec::new();
        let mut add = |seen: Range<usize>| {
            let folded = bytes.len();
            fold_onto(view.part(seen.clone()), level, &mut bytes);
            bytes.push(b'\n');
            lines.push(Line { folded, seen });
        };
        let mut start = 0;
        for feed in memchr_iter(b'\n', &view.text) {
            add(start..feed);
            start = feed + 1;
        }
        if start < view.text.len() {
            add(start..view.text.len());
        }
        Self { view, level, bytes, lines }
    }

    /// The place in the view of what was found in the folded bytes; none where it cuts a word or a character.
    fn place(&self, at: usize, wanted: &Wanted) -> Option<Range<usize>> {
        let first = self.lines.partition_point(|line| line.folded <= at).checked_sub(1)?;
        let start = self.start(self.lines.get(first)?, at, wanted)?;
        let end = match self.lines.get(first + wanted.feeds) {
            Some(line) => self.end(line, at + wanted.needle.len(), wanted)?,
            // behind the last line end, which may be one that the file lacks
            None => (wanted.end == Edge::Feed).then_some(self.view.text.len())?,
        };
        Some(start..end)
    }

    fn start(&self, line: &Line, at: usize, wanted: &Wanted) -> Option<usize> {
        let cut = Cut::of(self, line, at)?;
        let Some(before) = cut.before else { return Some(line.seen.start) };
        match (wanted.start, cut.after) {
            (Edge::Feed | Edge::OnlyBlanks, _) => Some(line.seen.end),
            (Edge::Blanks, _) => {
                (before.meaning == Meaning::Blank).then(|| line.seen.start + cut.seen - before.length)
            }
            (Edge::Text, Some(inner)) => {
                may_begin(&before.meaning, &inner.meaning).then_some(line.seen.start + cut.seen)
            }
            (Edge::Text, None) => None,
        }
    }

    fn end(&self, line: &Line, at: usize, wanted: &Wanted) -> Option<usize> {
        let cut = Cut::of(self, line, at)?;
        match (wanted.end, cut.before, cut.after) {
            (Edge::Feed, _, _) => Some(line.seen.start),
            (Edge::OnlyBlanks, _, _) => Some(line.seen.start + cut.seen),
            (Edge::Blanks | Edge::Text, _, None) => Some(line.seen.end),
            (Edge::Blanks, _, Some(after)) => {
                (after.meaning == Meaning::Blank).then(|| line.seen.start + cut.seen + after.length)
            }
            (Edge::Text, Some(inner), Some(after)) => {
                let ends_sentence = cut.is_before_blank && matches!(after.meaning, Meaning::Byte(b'.'));
                let may = ends_sentence || may_end(&inner.meaning, &after.meaning);
                may.then_some(line.seen.start + cut.seen)
            }
            (Edge::Text, None, Some(_)) => None,
        }
    }
}

/// A line cut in two between pieces.
struct Cut {
    /// The last piece before.
    before: Option<Piece>,
    /// The first piece after.
    after: Option<Piece>,
    /// Whether a blank or the end comes after that.
    is_before_blank: bool,
    /// Bytes of the line before the place; blanks at its end belong to what is after.
    seen: usize,
}

impl Cut {
    /// Cuts where the folded bytes are at `at`; none where that is within a piece.
    fn of(text: &FoldedText<'_>, line: &Line, at: usize) -> Option<Self> {
        let folded = fold(text.view.part(line.seen.clone()), text.level);
        let mut rest = at.checked_sub(line.folded)?;
        let (mut seen, mut before) = (folded.lead, None);
        let mut pieces = folded.pieces.into_iter();
        while rest > 0 {
            let piece = pieces.next()?;
            rest = rest.checked_sub(piece.meaning.len())?;
            seen += piece.length;
            before = Some(piece);
        }
        let after = pieces.next();
        let is_before_blank = pieces.next().is_none_or(|piece| piece.meaning == Meaning::Blank);
        Some(Self { before, after, is_before_blank, seen })
    }
}

/// Whether what stands before may do so without being one with what begins.
fn may_begin(before: &Meaning, inner: &Meaning) -> bool {
    match before {
        Meaning::Blank => true,
        Meaning::Byte(byte) if inner.is_word() => b"([{,;\"'=<>|&!+*/".contains(byte),
        Meaning::Byte(byte) => !(is_operator(*byte) && is_operator_piece(inner)),
        Meaning::Letter(_) => !inner.is_word(),
    }
}

/// The same for what stands after.
fn may_end(inner: &Meaning, after: &Meaning) -> bool {
    match after {
        Meaning::Blank => true,
        Meaning::Byte(byte) if inner.is_word() => b")]},;:\"'=<>|&!?+*/([{".contains(byte),
        Meaning::Byte(byte) => !(is_operator(*byte) && is_operator_piece(inner)),
        Meaning::Letter(_) => !inner.is_word(),
    }
}

fn is_operator_piece(piece: &Meaning) -> bool {
    matches!(piece, Meaning::Byte(byte) if is_operator(*byte))
}

fn is_operator(byte: u8) -> bool {
    !is_blank(byte) && b"=+-*/<>!&|^%~?.@#$\\:".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str, old: &str, level: Level) -> Vec<String> {
        let view = View::new(text.as_bytes()).unwrap();
        let hits = loosely(&view, old, level);
        hits.places.into_iter().map(|place| String::from_utf8_lossy(view.part(place)).into_owned()).collect()
    }

    #[test]
    fn exact_places_overlap() {
        let starts = |text: &[u8], old: &str, step| {
            let hits = exactly(&View::new(text).unwrap(), old.as_bytes(), step, MOST_PLACES);
            hits.places.iter().map(|place| place.start).collect::<Vec<_>>()
        };
        assert_eq!(starts(b"aaa", "aa", 1), [0, 1]);
        assert_eq!(starts(b"aaaa", "aa", 2), [0, 2]);
        assert_eq!(starts(b"a\r\nb\r\na", "a", 1), [0, 4]);
        assert_eq!(starts(b"x", "xy", 1), [0; 0]);
        assert_eq!(starts(b"\x81A\nA", "A", 1), [3]);
        assert_eq!(starts("ä=ä=".as_bytes(), "=", 1), [2, 5]);
        assert_eq!(starts(&[b'a'; 2000], "a", 1).len(), MOST_PLACES);
    }

    #[test]
    fn blanks_do_not_hide_a_place() {
        let check = |text, old, expected: &[&str]| assert_eq!(places(text, old, Level::Blanks), expected);
        check("x\n\ta  = b \ny", "a = b", &["\ta  = b "]);
        check("x\n\ta  = b \ny", "a = b\n", &["\ta  = b \n"]);
        check("x(a,  b);\n", "(a, b)", &["(a,  b)"]);
        check("a \n \nb\n", "a\n\nb", &["a \n \nb"]);
        check("a\nb", " a\nb\n", &["a\nb"]);
        check("a = b", "a=b", &[]);
        check("a\n\nb", "a\nb", &[]);
        check("a\n", "a \n\n", &[]);
        check("x  y", " y", &["  y"]);
        check("x\n\n  y\nz\n", "\n y\n", &["\n  y\n"]);
        check("x\n  \n  y\nz\n", "\n y\n", &["  \n  y\n"]);
        check("x \n\ty\n", "x\n    ", &["x \n\t"]);
    }

    #[test]
    fn a_place_that_is_not_exact_ends_where_a_word_does() {
        let check = |text| assert_eq!(places(text, "foo  = 1", Level::Blanks), [""; 0], "{text}");
        check("my-foo = 1");
        check("barfoo = 1");
        check("x.foo = 1");
        check("foo = 12");
        check("foo = 1.5");
        check("foo = 1_000");
        assert_eq!(places("(foo = 1)", "foo  = 1", Level::Blanks), ["foo = 1"]);
        assert_eq!(places("foo = 1. Bar", "foo  = 1", Level::Blanks), ["foo = 1"]);
    }

    #[test]
    fn typography_does_not_hide_a_place() {
        let check = |text, old, expected: &[&str]| assert_eq!(places(text, old, Level::Typography), expected);
        check("He said “hi” twice.", "\"hi\" twice", &["“hi” twice"]);
        check("cafe\u{301} x", "café x", &["cafe\u{301} x"]);
        check("cafe\u{301} x", "cafe x", &[]);
        check("10\u{a0}km", "10 km", &["10\u{a0}km"]);
    }

    #[test]
    fn whole_lines_are_told_with_their_difference() {
        let view = View::new("a\n a \n“b”\nA\na\n".as_bytes()).unwrap();
        let lines = view.lines();
        let found = |old: &[&str], from| -> Vec<(usize, Found)> {
            whole_lines(&view, &lines, old, from).iter().map(|at| (at.line, at.found)).collect()
        };
        assert_eq!(found(&["a"], 0), [(0, Found::Exactly), (1, Found::ButForBlanks), (4, Found::Exactly)]);
        assert_eq!(found(&["a"], 2), [(4, Found::Exactly)]);
        assert_eq!(found(&[" a", "\"b\""], 0), [(1, Found::ButForTypography)]);
        assert_eq!(found(&[" a  "], 0)[1], (1, Found::ButForTrailing));
        assert_eq!(found(&[], 0), []);
    }
}
