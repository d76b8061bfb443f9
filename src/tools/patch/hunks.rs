//! Where the hunks of a patch belong in a file, and the file's bytes after them. Pure: bytes in, bytes out.
//!
//! Hunks are placed in order, each behind the one before. A line of the file that no `-` or `+` stands for keeps every
//! byte. The surprise: the first place that fits is not taken where there are others. A patch that says too little is
//! refused with the lines where it would fit; asking again costs one call, a change in the wrong place much more.

use std::collections::BTreeSet;
use std::ops::Range;

use super::form::{Hunk, Pin, Row};
use super::place::{self, Eol, Found, LIKENESS, View, places};

/// A file after a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Patched {
    /// All of its bytes.
    pub(super) bytes: Vec<u8>,
    /// Lines of the patch (from 1) whose hunks were found but for blanks or typography.
    pub(super) loose: Vec<usize>,
}

/// A hunk that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Misfit {
    /// Its place among the hunks of the file.
    pub(super) hunk: usize,
    /// What is wrong.
    pub(super) why: Why,
}

/// Why a hunk does not fit. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Why {
    /// Its lines are nowhere.
    Nowhere,
    /// They are there, but only above the end of the hunk before.
    Above(usize),
    /// They are in several places.
    Several(Vec<usize>),
    /// They are there, but not at the end of the file.
    NotAtEnd(usize),
    /// This anchor is nowhere.
    NoAnchor(String),
    /// The anchors fit these places, each with a place for the lines.
    SeveralAnchors(Vec<usize>),
    /// The lines are there, but not below the anchor.
    NotBelow(Vec<usize>),
    /// They are there but for an indentation that follows no rule.
    UnclearIndent(usize),
}

/// Applies the hunks to a file, which must be text.
pub(super) fn apply(file: &[u8], hunks: &[Hunk]) -> Result<Patched, Misfit> {
    let Ok(view) = View::new(file) else { return Err(Misfit { hunk: 0, why: Why::Nowhere }) };
    let text = Text::new(view);
    let mut changes = Vec::new();
    let mut loose = Vec::new();
    let mut from = 0;
    for (number, hunk) in hunks.iter().enumerate() {
        let misfit = |why| Misfit { hunk: number, why };
        let place = locate(&text, hunk, from).map_err(misfit)?;
        if place.likeness > Found::Exactly {
            loose.push(hunk.line);
        }
        let made = changes_of(&text, hunk, &place).map_err(misfit)?;
        from = made.last().map_or(place.first, |change| change.lines.end);
        changes.extend(made);
    }
    Ok(Patched { bytes: text.with(file, &changes), loose })
}

/// The lines of a file.
struct Text<'a> {
    view: View<'a>,
    /// Each with its line feed, which only the last one may lack.
    lines: Vec<Range<usize>>,
}

impl<'a> Text<'a> {
    fn new(view: View<'a>) -> Self {
        let lines = view.lines();
        Self { view, lines }
    }

    /// A line without its end; empty where there is none.
    fn line(&self, at: usize) -> &[u8] {
        let line = self.lines.get(at).map(|line| self.view.part(line.clone())).unwrap_or_default();
        line.strip_suffix(b"\n").unwrap_or(line)
    }

    /// How a line ends, if it does.
    fn end(&self, at: usize) -> Option<Eol> {
        let line = self.lines.get(at)?;
        let feed = line.end.checked_sub(1).filter(|_| self.view.part(line.clone()).ends_with(b"\n"))?;
        Some(self.view.end_at(feed))
    }

    /// Where a line begins in the view; behind the last one, where the view ends.
    fn start(&self, at: usize) -> usize {
        self.lines.get(at).map_or(self.view.text.len(), |line| line.start)
    }

    /// How a new line at `at` ends that replaces none: as the line above, else as the first.
    fn end_near(&self, at: usize) -> Eol {
        let above = (0..at.min(self.lines.len())).rev().find_map(|line| self.end(line));
        above.or_else(|| self.end(0)).unwrap_or(Eol::Lf)
    }

    /// Whether the last line has no end.
    fn is_open(&self) -> bool {
        self.lines.len().checked_sub(1).is_some_and(|last| self.end(last).is_none())
    }

    /// The file's bytes after the changes, which are in order.
    fn with(&self, file: &[u8], changes: &[Change]) -> Vec<u8> {
        let mut made = Vec::new();
        let mut before = None;
        for change in changes {
            made.push(self.put(change, before));
            before = Some(change);
        }
        self.view.splice(file, &made)
    }

    /// The new lines of one change, each with the end of the one that it replaces.
    fn put(&self, change: &Change, before: Option<&Change>) -> place::Splice {
        let near = self.end_near(change.lines.start);
        let replaced: Vec<Eol> = change.lines.clone().filter_map(|line| self.end(line)).collect();
        let mut bytes = Vec::new();
        let end = self.lines.len();
        // what stands before may be a last line without an end, unless that has just gone
        let has_gone = before.is_some_and(|before| before.lines.end == end && before.new.is_empty());
        if !change.new.is_empty() && change.lines.start == end && self.is_open() && !has_gone {
            bytes.extend_from_slice(near.bytes());
        }
        // the last line of a file that has no end there keeps none
        let is_last = self.is_open() && change.lines.end == end;
        let last = change.new.len().checked_sub(1).filter(|_| is_last);
        for (number, line) in change.new.iter().enumerate() {
            bytes.extend_from_slice(line);
            if Some(number) != last {
                bytes.extend_from_slice(replaced.get(number).or(replaced.last()).unwrap_or(&near).bytes());
            }
        }
        place::Splice { range: self.start(change.lines.start)..self.start(change.lines.end), bytes }
    }
}

/// Where a hunk belongs.
struct Place {
    /// Its first line, from 0.
    first: usize,
    likeness: Found,
}

/// Lines of the file that others replace.
struct Change {
    lines: Range<usize>,
    new: Vec<Vec<u8>>,
}

fn locate(text: &Text<'_>, hunk: &Hunk, from: usize) -> Result<Place, Why> {
    if hunk.old(hunk.blank_tail).is_empty() {
        return insertion(text, hunk, from);
    }
    let mut found = Err(Why::Nowhere);
    for but in 0..=hunk.blank_tail {
        found = search(text, hunk, &hunk.old(but), from);
        if !matches!(found, Err(Why::Nowhere | Why::NotAtEnd(_) | Why::Above(_))) {
            break;
        }
    }
    found
}

/// Where lines come without any around them: below the anchor, else at the end.
fn insertion(text: &Text<'_>, hunk: &Hunk, from: usize) -> Result<Place, Why> {
    let end = text.lines.len();
    let first = match (anchors(text, hunk, from)?.as_slice(), hunk.pin) {
        ([], _) | (_, Pin::End) => end,
        ([only], Pin::Free) => only + 1,
        (many, Pin::Free) => return Err(Why::SeveralAnchors(numbers(many))),
    };
    if first < from {
        return Err(Why::Above(first));
    }
    Ok(Place { first, likeness: Found::Exactly })
}

fn search(text: &Text<'_>, hunk: &Hunk, old: &[&str], from: usize) -> Result<Place, Why> {
    let anchors = anchors(text, hunk, from)?;
    let fitting = || {
        let by_likeness =
            LIKENESS.into_iter().map(|likeness| (likeness, places(&text.view, old, from, likeness)));
        by_likeness.filter(|(_, places)| !places.is_empty())
    };
    if hunk.pin == Pin::End {
        let first = text.lines.len().saturating_sub(old.len());
        return match fitting().find(|(_, places)| places.contains(&first)) {
            Some((likeness, _)) => Ok(Place { first, likeness }),
            None => Err(fitting().next().map_or_else(|| nowhere(text, old, from), not_at_end)),
        };
    }
    if anchors.is_empty() {
        return match fitting().next() {
            None => Err(nowhere(text, old, from)),
            Some((likeness, places)) => match places.as_slice() {
                [only] => Ok(Place { first: *only, likeness }),
                many => Err(Why::Several(numbers(many))),
            },
        };
    }
    for reach in [Reach::Block, Reach::Below] {
        for (likeness, places) in fitting() {
            if let Some(first) = below(text, &anchors, &places, reach)? {
                return Ok(Place { first, likeness });
            }
        }
    }
    match fitting().next() {
        Some((_, places)) => Err(Why::NotBelow(numbers(&places))),
        None => Err(nowhere(text, old, from)),
    }
}

fn not_at_end((_, places): (Found, Vec<usize>)) -> Why {
    Why::NotAtEnd(places.first().map_or(1, |place| place + 1))
}

/// How far an anchor reaches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Over what is indented below it.
    Block,
    /// To the end of the file.
    Below,
}

/// The one of the `places` that the anchors mean; none where none lies within their reach.
fn below(text: &Text<'_>, anchors: &[usize], places: &[usize], reach: Reach) -> Result<Option<usize>, Why> {
    let mut meant = BTreeSet::new();
    let mut by = Vec::new();
    for &anchor in anchors {
        let block = block_end(text, anchor);
        let end = if reach == Reach::Block { block.unwrap_or(usize::MAX) } else { usize::MAX };
        let within: Vec<usize> =
            places.iter().copied().filter(|place| (anchor..end).contains(place)).collect();
        match (within.as_slice(), block) {
            ([], _) => continue,
            // where nothing is indented below the anchor, the first place is what it names
            ([only], _) | ([only, ..], None) => meant.insert(*only),
            (many, Some(_)) => return Err(Why::Several(numbers(many))),
        };
        by.push(anchor);
    }
    match meant.len() {
        0 | 1 => Ok(meant.first().copied()),
        _ => Err(Why::SeveralAnchors(numbers(&by))),
    }
}

/// Where what is indented below a line ends; none where nothing is. Lines of brackets end nothing.
fn block_end(text: &Text<'_>, anchor: usize) -> Option<usize> {
    let indent = |line: &[u8]| line.len() - line.trim_ascii_start().len();
    let own = indent(text.line(anchor));
    let is_bracket =
        |line: &[u8]| line.trim_ascii_start().first().is_none_or(|first| b"{}[]()<>".contains(first));
    let mut counted = (anchor + 1..text.lines.len()).filter(|at| !is_bracket(text.line(*at)));
    let first = counted.clone().next()?;
    if indent(text.line(first)) <= own {
        return None;
    }
    Some(counted.find(|at| indent(text.line(*at)) <= own).unwrap_or(text.lines.len()))
}

/// The lines (from 0) that the anchors of a hunk mean, the last of each chain.
fn anchors(text: &Text<'_>, hunk: &Hunk, from: usize) -> Result<Vec<usize>, Why> {
    let Some((outer, inner)) = hunk.anchors.split_first() else { return Ok(Vec::new()) };
    let below = places(&text.view, &[outer], from, Found::Exactly);
    let looser = |start| places(&text.view, &[outer], start, Found::ButForBlanks);
    // a second hunk under the same anchor begins below it
    let tries = [below, looser(from), places(&text.view, &[outer], 0, Found::Exactly), looser(0)];
    let mut found = tries.into_iter().find(|found| !found.is_empty()).unwrap_or_default();
    if found.is_empty() {
        return Err(Why::NoAnchor(outer.clone()));
    }
    for anchor in inner {
        let next = |at: &usize| {
            let exact = places(&text.view, &[anchor], at + 1, Found::Exactly);
            exact.first().or(places(&text.view, &[anchor], at + 1, Found::ButForBlanks).first()).copied()
        };
        found = found.iter().filter_map(next).collect::<BTreeSet<_>>().into_iter().collect();
        if found.is_empty() {
            return Err(Why::NoAnchor(anchor.clone()));
        }
    }
    Ok(found)
}

fn nowhere(text: &Text<'_>, old: &[&str], from: usize) -> Why {
    let above =
        LIKENESS.into_iter().find_map(|likeness| places(&text.view, old, 0, likeness).first().copied());
    above.filter(|_| from > 0).map_or(Why::Nowhere, |at| Why::Above(at + 1))
}

/// What a hunk changes at its place: each run of `-` and `+` by itself.
fn changes_of(text: &Text<'_>, hunk: &Hunk, place: &Place) -> Result<Vec<Change>, Why> {
    let added: Vec<&str> = hunk.added().collect();
    let new: Vec<Vec<u8>> = if place.likeness >= Found::ButForBlanks {
        let found = (place.first..text.lines.len()).map(|at| text.line(at));
        let pairs: Vec<(&str, &[u8])> = hunk.old(0).into_iter().zip(found).collect();
        place::fitted(&text.view, &pairs, &added).ok_or(Why::UnclearIndent(place.first + 1))?
    } else {
        added.iter().map(|line| line.as_bytes().to_vec()).collect()
    };
    let mut new = new.into_iter();
    let (mut changes, mut run) = (Vec::new(), None::<Change>);
    let mut at = place.first;
    for row in &hunk.rows {
        let begun = || Change { lines: at..at, new: Vec::new() };
        match row {
            Row::Keep(_) => changes.extend(run.take()),
            Row::Remove(_) => run.get_or_insert_with(begun).lines.end = at + 1,
            Row::Add(_) => run.get_or_insert_with(begun).new.extend(new.next()),
        }
        at += usize::from(!matches!(row, Row::Add(_)));
    }
    changes.extend(run);
    Ok(changes)
}

fn numbers(places: &[usize]) -> Vec<usize> {
    places.iter().map(|place| place + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::super::form::Deed;
    use super::super::parse::parse;
    use super::*;

    fn hunks(text: &str) -> Vec<Hunk> {
        let patch = format!("*** Begin Patch\n*** Update File: f\n{text}\n*** End Patch");
        let mut parts = parse(&patch).unwrap_or_else(|wrong| panic!("{wrong}: {text}"));
        match parts.remove(0).deed {
            Deed::Update { hunks, .. } => hunks,
            Deed::Add(_) | Deed::Delete => panic!("an update"),
        }
    }

    #[track_caller]
    fn check(file: &str, patch: &str, expected: &str) {
        let patched =
            apply(file.as_bytes(), &hunks(patch)).map(|patched| patched.bytes.escape_ascii().to_string());
        assert_eq!(patched, Ok(expected.as_bytes().escape_ascii().to_string()), "{file:?}: {patch}");
    }

    #[track_caller]
    fn refused(file: &str, patch: &str, expected: Why) {
        let misfit =
            apply(file.as_bytes(), &hunks(patch)).map(|patched| patched.bytes.escape_ascii().to_string());
        assert_eq!(misfit.map_err(|misfit| misfit.why), Err(expected), "{file:?}: {patch}");
    }

    #[test]
    fn lines_go_come_and_stay() {
        check("a\nb\nc\n", "@@\n a\n-b\n+B\n c", "a\nB\nc\n");
        check("a\nb\nc\n", "@@\n-b", "a\nc\n");
        check("a\nb\nc\n", "@@\n b\n+x\n+y", "a\nb\nx\ny\nc\n");
        check("a\nb\n", "@@\n+x\n a", "x\na\nb\n");
        check("a\nb\nc\nd\n", "@@\n a\n-b\n c\n+x\n d", "a\nc\nx\nd\n");
        check("a\nb\n", "@@\n+x\n-a\n+y\n b", "x\ny\nb\n");
        check("a\n", "@@\n-a", "");
        check("a\nb\nc\nd\n", "@@\n-a\n+A\n@@\n-d\n+D", "A\nb\nc\nD\n");
        check("a\nb\nc\n", "@@\n-a\n+A\n b\n@@\n b\n-c\n+C", "A\nb\nC\n");
    }

    #[test]
    fn what_only_comes_goes_below_its_anchor_or_to_the_end() {
        check("a\nb\n", "@@ a\n+x", "a\nx\nb\n");
        check("a\nb\n", "@@\n+x", "a\nb\nx\n");
        check("a\nb\n", "@@\n+x\n*** End of File", "a\nb\nx\n");
        check("a\nb", "@@\n+x\n+y", "a\nb\nx\ny");
        check("", "@@\n+x", "x\n");
        check("a\r\nb\r\n", "@@ a\n+x", "a\r\nx\r\nb\r\n");
        // a blank line behind it is layout
        check("a\n\nb\n", "@@\n+x\n", "a\n\nb\nx\n");
        refused("a\nb\na\n", "@@ a\n+x", Why::SeveralAnchors(vec![1, 3]));
        refused("a\nb\n", "@@ c\n+x", Why::NoAnchor("c".into()));
        refused("a\nb\nc\n", "@@\n-c\n+C\n@@ a\n+x", Why::Above(1));
    }

    #[test]
    fn line_ends_a_mark_and_other_bytes_are_kept() {
        check("a\r\nb\r\nc\r\n", "@@\n a\n-b\n+B\n+x\n c", "a\r\nB\r\nx\r\nc\r\n");
        check("a\r\nb\nc\r\n", "@@\n a\n-b\n+B\n c", "a\r\nB\nc\r\n");
        check("a\nb", "@@\n a\n-b\n+B", "a\nB");
        check("a\nb", "@@\n a\n-b\n+B\n+C", "a\nB\nC");
        check("a\nb", "@@\n-b", "a\n");
        check("a\r\nb", "@@\n b\n+c", "a\r\nb\r\nc");
        check("\u{feff}a\nb\n", "@@\n-a\n+A", "\u{feff}A\nb\n");
        check("\u{feff}", "@@\n+a", "\u{feff}a\n");
        let patched = apply(b"caf\xe9\na\n\xff", &hunks("@@\n-a\n+A")).unwrap();
        assert_eq!(patched.bytes, b"caf\xe9\nA\n\xff");
    }

    #[test]
    fn blanks_and_typography_do_not_hide_a_place_and_lines_that_stay_keep_them() {
        check("a  \nb\t\nc\n", "@@\n a\n-b\n+B\n c", "a  \nB\nc\n");
        check(
            "x\n\tif a {\n\t\tb();\n\t}\n",
            "@@\n     if a {\n-        b();\n+        c();\n+        d();\n     }",
            "x\n\tif a {\n\t\tc();\n\t\td();\n\t}\n",
        );
        check("    f()\n    g()\n", "@@\n f()\n-g()\n+if x:\n+    h()", "    f()\n    if x:\n        h()\n");
        check(
            "say \u{201c}a\u{201d} \u{2014} b\nc\n",
            "@@\n say \"a\" - b\n-c\n+d",
            "say \u{201c}a\u{201d} \u{2014} b\nd\n",
        );
        let loose = |file: &str, patch| apply(file.as_bytes(), &hunks(patch)).unwrap().loose;
        assert_eq!(loose("a \nb\n", "@@\n a\n-b"), [3]);
        assert_eq!(loose("a\nb\n", "@@\n a\n-b"), [0; 0]);
        refused("a\n\tb\n  c\n", "@@\n  a\n-  b\n   c\n+  d", Why::UnclearIndent(1));
    }

    #[test]
    fn the_strictest_likeness_with_a_place_counts() {
        check("  a\nb\na\n", "@@\n-a\n+x", "  a\nb\nx\n");
        refused("  a\nb\n\ta\n", "@@\n-a\n+x", Why::Several(vec![1, 3]));
    }

    #[test]
    fn a_hunk_that_fits_in_several_places_goes_to_none() {
        refused("a\nb\na\n", "@@\n-a\n+x", Why::Several(vec![1, 3]));
        refused("a\nb\na\nb\n", "@@\n a\n-b", Why::Several(vec![1, 3]));
        refused("}\n}\n", "@@\n }\n+x", Why::Several(vec![1, 2]));
        // behind the hunk before there is only one
        check("a\nb\na\n", "@@\n a\n-b\n+B\n@@\n-a\n+x", "a\nB\nx\n");
        check("a\nb\na\n", "@@\n-a\n+x\n*** End of File", "a\nb\nx\n");
    }

    const PYTHON: &str = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n        return 2\n        return 2\n";

    #[test]
    fn anchors_say_which_place_is_meant() {
        let one = "-        return 1\n+        return 3";
        let changed = |line: usize| {
            let mut lines: Vec<&str> = PYTHON.lines().collect();
            lines[line - 1] = "        return 3";
            lines.join("\n") + "\n"
        };
        check(PYTHON, &format!("@@     def g(self):\n{one}"), &changed(6));
        check(PYTHON, &format!("@@ def g(self):\n{one}"), &changed(6));
        check(PYTHON, &format!("@@ class B:\n{one}"), &changed(10));
        check(PYTHON, &format!("@@ class A:\n@@     def g(self):\n{one}"), &changed(6));
        check(PYTHON, &format!("@@ class B:\n@@     def f(self):\n{one}"), &changed(10));
        // the anchor once more as the first line
        check(PYTHON, &format!("@@     def g(self):\n     def g(self):\n{one}"), &changed(6));
        refused(PYTHON, &format!("@@ class A:\n{one}"), Why::Several(vec![3, 6]));
        refused(PYTHON, &format!("@@     def f(self):\n{one}"), Why::SeveralAnchors(vec![2, 9]));
        refused(PYTHON, "@@ class B:\n-        return 2", Why::Several(vec![11, 12]));
        refused(PYTHON, &format!("@@ class C:\n{one}"), Why::NoAnchor("class C:".into()));
        refused(
            PYTHON,
            &format!("@@ class B:\n@@     def g(self):\n{one}"),
            Why::NoAnchor("    def g(self):".into()),
        );
        refused("a\nb\nc\n", "@@ b\n-a\n+x", Why::NotBelow(vec![1]));
    }

    #[test]
    fn below_an_anchor_with_nothing_indented_the_first_place_is_meant() {
        let toml = "[a]\nv = 1\n\n[b]\nv = 1\n\n[c]\nv = 1\n";
        check(toml, "@@ [b]\n-v = 1\n+v = 2", "[a]\nv = 1\n\n[b]\nv = 2\n\n[c]\nv = 1\n");
        let c = "int f()\n{\n    x();\n}\nint g()\n{\n    x();\n}\n";
        check(c, "@@ int f()\n-    x();\n+    y();", &c.replacen('x', "y", 1));
        check(c, "@@ int g()\n-    x();\n+    y();", "int f()\n{\n    x();\n}\nint g()\n{\n    y();\n}\n");
    }

    #[test]
    fn a_second_hunk_may_stand_under_the_same_anchor() {
        let file = "def f():\n    a\n    b\n    c\ndef g():\n    c\n";
        check(
            file,
            "@@ def f():\n-    a\n+    A\n@@ def f():\n-    c\n+    C",
            "def f():\n    A\n    b\n    C\ndef g():\n    c\n",
        );
    }

    #[test]
    fn a_looser_place_in_the_block_of_the_anchor_beats_an_exact_one_outside() {
        check("def f():\n\tx\ndef g():\n  x\n", "@@ def f():\n-  x\n+  y", "def f():\n\ty\ndef g():\n  x\n");
    }

    #[test]
    fn what_is_nowhere_or_out_of_order_is_told_apart() {
        refused("a\nb\n", "@@\n-c", Why::Nowhere);
        refused("", "@@\n-c", Why::Nowhere);
        refused("a\nb\n", "@@\n-a\n-b\n-c", Why::Nowhere);
        refused("foo();\n", "@@\n-foo()\n+bar()", Why::Nowhere);
        refused("xfoo\n", "@@\n-foo\n+bar", Why::Nowhere);
        refused("a\nb\nc\n", "@@\n-c\n+C\n@@\n-a\n+A", Why::Above(1));
        refused("a\nb\n", "@@\n-a\n+A\n*** End of File", Why::NotAtEnd(1));
        refused("a\n\n", "@@\n \n \n \n+x", Why::Nowhere);
    }

    #[test]
    fn empty_lines_at_the_foot_of_a_hunk_are_lines_if_they_fit() {
        check("a\n\nb\na\n", "@@\n a\n+x\n\n", "a\nx\n\nb\na\n");
        check("a\nb\n", "@@\n-a\n+x\n\n", "x\nb\n");
    }
}
