//! What stands in the input line: a text of which some stretches are atoms.
//!
//! An atom is one thing to the cursor and to the eye: a large paste, or the sign that a mode was begun with. Not the
//! cursor, nor what was undone: those are [`super::buffer`].
//!
//! The text is always the exact text. An atom is only a fold laid over a range of it, so there is no placeholder in the
//! text that could be sent by mistake, half deleted, or confused with the same words typed by hand; and because the fold
//! travels with its text, undo, kill and history bring it back without knowing that it exists.

use std::ops::Range;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// A paste of more lines than this is shown as a placeholder. The contract's number.
const PASTE_LINES: usize = 10;
/// A paste of more characters than this is shown as a placeholder: about what ten lines hold.
const PASTE_CHARS: usize = 1_000;
/// A text read back from a file is shown whole up to this many bytes; a longer one could not be edited in sight anyway.
const READ_BACK_BYTES: usize = 32 * 1_024;

/// A text with atoms, sorted and apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    text: String,
    atoms: Vec<Atom>,
}

/// A stretch of a draft that the cursor cannot enter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Atom {
    /// The bytes of the draft's text that it covers.
    pub range: Range<usize>,
    /// What it is.
    pub kind: AtomKind,
}

/// What an atom is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AtomKind {
    /// A large paste, shown as this label.
    Pasted {
        /// Such as `[Pasted 100 lines]`.
        label: String,
    },
    /// An image, mentioned by its path and shown as this label.
    Image {
        /// Such as `[Image #1]`.
        label: String,
    },
    /// `!`, `#` or `/`, typed as the first character: shown as itself.
    Sign,
}

/// What a draft is for, by the sign that it was begun with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InputMode {
    /// A message to the model.
    Prompt,
    /// `!`: a command that the user runs.
    Shell,
    /// `#`: a line for the project's instructions.
    Note,
    /// `/`: a command to the program.
    Command,
}

/// What word motions tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Letters and digits.
    Word,
    /// White space, newlines included.
    Space,
    /// Everything else that can be typed.
    Mark,
    /// A folded paste: a word of its own.
    Fold,
}

impl InputMode {
    /// The mode that `sign` begins, if it is one.
    #[must_use]
    pub const fn of_sign(sign: char) -> Option<Self> {
        match sign {
            '!' => Some(Self::Shell),
            '#' => Some(Self::Note),
            '/' => Some(Self::Command),
            _ => None,
        }
    }
}

impl Draft {
    /// Plain text, all of it shown, no mode.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), atoms: Vec::new() }
    }

    /// The first character of a draft, as typed: a sign begins a mode.
    #[must_use]
    pub fn first(typed: char) -> Self {
        Self::plain(typed).signed()
    }

    /// A paste: line ends made `\n`, folded where it is large. It begins no mode.
    #[must_use]
    pub fn pasted(text: &str) -> Self {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let lines = text.lines().count();
        let chars = text.chars().count();
        if lines > PASTE_LINES {
            Self::folded(text, format!("[Pasted {lines} lines]"))
        } else if chars > PASTE_CHARS {
            Self::folded(text, format!("[Pasted {chars} characters]"))
        } else {
            Self::plain(text)
        }
    }

    /// The image at this path, which has no quotes in it: mentioned, and shown by its number.
    #[must_use]
    pub fn image(path: &str, number: usize) -> Self {
        // in quotes whatever it is: nothing that is written behind it becomes a part of it
        let text = format!("@\"{path}\"");
        let kind = AtomKind::Image { label: format!("[Image #{number}]") };
        let atoms = vec![Atom { range: 0..text.len(), kind }];
        Self { text, atoms }
    }

    /// How many images are in it.
    #[must_use]
    pub fn images(&self) -> usize {
        self.atoms.iter().filter(|atom| matches!(atom.kind, AtomKind::Image { .. })).count()
    }

    /// A text that was kept in a file: shown whole unless it is very large.
    #[must_use]
    pub fn read_back(text: impl Into<String>) -> Self {
        let text = text.into();
        if text.len() > READ_BACK_BYTES { Self::pasted(&text) } else { Self::plain(text) }
    }

    /// The same draft, its first character being a sign that was typed (if it is one at all).
    #[must_use]
    pub fn signed(mut self) -> Self {
        let sign = self.text.chars().next().filter(|c| InputMode::of_sign(*c).is_some());
        let covered = self.atoms.first().is_some_and(|atom| atom.range.start == 0);
        if let Some(sign) = sign.filter(|_| !covered) {
            self.atoms.insert(0, Atom { range: 0..sign.len_utf8(), kind: AtomKind::Sign });
        }
        self
    }

    /// The same draft as a plain message: no sign in it counts.
    #[must_use]
    pub fn unsigned(mut self) -> Self {
        self.atoms.retain(|atom| atom.kind != AtomKind::Sign);
        self
    }

    /// The exact text, folded or not, sign included.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text behind the sign; all of it where there is none.
    #[must_use]
    pub fn body(&self) -> &str {
        let from = self.sign().map_or(0, |atom| atom.range.end);
        self.text.get(from..).unwrap_or_default()
    }

    /// What the draft is for.
    #[must_use]
    pub fn mode(&self) -> InputMode {
        let sign = self.sign().and_then(|_| self.text.chars().next());
        sign.and_then(InputMode::of_sign).unwrap_or(InputMode::Prompt)
    }

    /// Length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The atom that begins at `at`.
    #[must_use]
    pub fn atom_at(&self, at: usize) -> Option<&Atom> {
        let index = self.atoms.partition_point(|atom| atom.range.start < at);
        self.atoms.get(index).filter(|atom| atom.range.start == at)
    }

    /// The end of the unit (grapheme or atom) that begins at `at`; the draft's end at its end.
    #[must_use]
    pub fn next(&self, at: usize) -> usize {
        if let Some(atom) = self.atom_at(at) {
            return atom.range.end;
        }
        let gap = self.gap(at);
        self.slice(at..gap.end).graphemes(true).next().map_or(at, |unit| at + unit.len())
    }

    /// The beginning of the unit that ends at `at`; 0 at the beginning.
    #[must_use]
    pub fn prev(&self, at: usize) -> usize {
        let gap = self.gap(at);
        if gap.start == at {
            let index = self.atoms.partition_point(|atom| atom.range.end < at);
            return self.atoms.get(index).filter(|_| at > 0).map_or(at, |atom| atom.range.start);
        }
        self.slice(gap.start..at).graphemes(true).next_back().map_or(at, |unit| at - unit.len())
    }

    /// `at` itself where a cursor may stand, else the end of the unit that it is in.
    #[must_use]
    pub fn snap(&self, at: usize) -> usize {
        if let Some(atom) = self.atoms.iter().find(|atom| atom.range.start < at && at < atom.range.end) {
            return atom.range.end;
        }
        let gap = self.gap(at);
        let (text, here) = (self.slice(gap.clone()), at - gap.start);
        let mut cursor = GraphemeCursor::new(here, text.len(), true);
        match cursor.is_boundary(text, 0) {
            Ok(true) => at,
            Ok(false) | Err(_) => {
                cursor.next_boundary(text, 0).ok().flatten().map_or(at, |end| gap.start + end)
            }
        }
    }

    /// Where the logical line around `at` begins. A newline within an atom ends no line.
    #[must_use]
    pub fn line_start(&self, mut at: usize) -> usize {
        loop {
            let gap = self.gap(at);
            if let Some(newline) = self.slice(gap.start..at).rfind('\n') {
                return gap.start + newline + 1;
            }
            if gap.start == 0 {
                return 0;
            }
            at = self.prev(gap.start);
        }
    }

    /// Where the logical line around `at` ends, before its newline.
    #[must_use]
    pub fn line_end(&self, mut at: usize) -> usize {
        loop {
            let gap = self.gap(at);
            if let Some(newline) = self.slice(at..gap.end).find('\n') {
                return at + newline;
            }
            if gap.end == self.len() {
                return gap.end;
            }
            at = self.next(gap.end);
        }
    }

    /// What kind of thing the unit at `range` is.
    #[must_use]
    pub fn class(&self, range: Range<usize>) -> Class {
        match self.atom_at(range.start).map(|atom| &atom.kind) {
            Some(AtomKind::Pasted { .. } | AtomKind::Image { .. }) => return Class::Fold,
            Some(AtomKind::Sign) | None => {}
        }
        match self.slice(range).chars().next() {
            Some(c) if c.is_alphanumeric() => Class::Word,
            Some(c) if c.is_whitespace() => Class::Space,
            Some(_) | None => Class::Mark,
        }
    }

    /// Puts `with` in place of `range` and gives what stood there. `range` ends on units.
    #[must_use]
    pub fn splice(&mut self, range: Range<usize>, with: Self) -> Self {
        if self.text.get(range.clone()).is_none() {
            return Self::default();
        }
        let removed = self.part(range.clone());
        let from = self.atoms.partition_point(|atom| atom.range.end <= range.start);
        let to = self.atoms.partition_point(|atom| atom.range.start < range.end).max(from);
        self.text.replace_range(range.clone(), &with.text);
        for atom in self.atoms.iter_mut().skip(to) {
            atom.shift(range.len(), with.text.len());
        }
        let put = with.atoms.into_iter().map(|atom| atom.shifted(0, range.start));
        drop(self.atoms.splice(from..to, put));
        removed
    }

    /// A copy of `range`, with the atoms that are wholly in it.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Self {
        let within = |atom: &&Atom| range.start <= atom.range.start && atom.range.end <= range.end;
        let atoms =
            self.atoms.iter().filter(within).cloned().map(|atom| atom.shifted(range.start, 0)).collect();
        Self { text: self.slice(range.clone()).to_owned(), atoms }
    }

    /// Puts `piece` between the units at `at`.
    pub fn insert(&mut self, at: usize, piece: Self) {
        drop(self.splice(at..at, piece));
    }

    /// Adds `tail` at the end.
    pub fn push(&mut self, tail: Self) {
        self.insert(self.len(), tail);
    }

    /// The text of a range; nothing where it cuts a character.
    #[must_use]
    pub fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    fn folded(text: String, label: String) -> Self {
        let atoms = vec![Atom { range: 0..text.len(), kind: AtomKind::Pasted { label } }];
        Self { text, atoms }
    }

    fn sign(&self) -> Option<&Atom> {
        self.atom_at(0).filter(|atom| atom.kind == AtomKind::Sign)
    }

    /// The text before `at`, back to an atom and at most `most` bytes, and where it begins.
    #[must_use]
    pub fn before(&self, at: usize, most: usize) -> (usize, &str) {
        let start = self.gap(at).start.max(at.saturating_sub(most));
        let start = (start..=at).find(|start| self.text.is_char_boundary(*start)).unwrap_or(at);
        (start, self.slice(start..at))
    }

    /// Where the next atom behind `at` begins; the end where there is none.
    #[must_use]
    pub fn plain_end(&self, at: usize) -> usize {
        self.gap(at).end
    }

    /// The stretch without atoms around `at`; empty between two atoms that touch.
    fn gap(&self, at: usize) -> Range<usize> {
        let index = self.atoms.partition_point(|atom| atom.range.end <= at);
        let before = index.checked_sub(1).and_then(|index| self.atoms.get(index));
        let start = before.map_or(0, |atom| atom.range.end);
        start..self.atoms.get(index).map_or(self.len(), |atom| atom.range.start.max(at))
    }
}

impl Atom {
    /// The same atom after `gone` bytes before it became `come`.
    fn shifted(mut self, gone: usize, come: usize) -> Self {
        self.shift(gone, come);
        self
    }

    fn shift(&mut self, gone: usize, come: usize) {
        self.range.start = self.range.start + come - gone;
        self.range.end = self.range.end + come - gone;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(draft: &Draft) -> Vec<&str> {
        let labels = draft.atoms.iter().map(|atom| match &atom.kind {
            AtomKind::Pasted { label } | AtomKind::Image { label } => label.as_str(),
            AtomKind::Sign => draft.slice(atom.range.clone()),
        });
        labels.collect()
    }

    #[test]
    fn only_a_large_paste_is_folded() {
        let check = |text: &str, expected: &[&str]| {
            let draft = Draft::pasted(text);
            assert_eq!((draft.text(), labels(&draft)), (text, expected.to_vec()));
        };
        check("", &[]);
        check(&"a\n".repeat(10), &[]);
        check(&"a\n".repeat(11), &["[Pasted 11 lines]"]);
        check(&"é".repeat(1_000), &[]);
        check(&"é".repeat(1_001), &["[Pasted 1001 characters]"]);
    }

    #[test]
    fn line_ends_of_a_paste_become_newlines_and_nothing_else_changes() {
        assert_eq!(Draft::pasted("a\rb\r\nc\n\td\u{1b}[31m\0").text(), "a\nb\nc\n\td\u{1b}[31m\0");
    }

    #[test]
    fn a_mode_comes_from_a_typed_sign_alone() {
        let check = |draft: Draft, mode: InputMode, body: &str| {
            assert_eq!((draft.mode(), draft.body()), (mode, body));
        };
        check(Draft::first('!'), InputMode::Shell, "");
        check(Draft::first('#'), InputMode::Note, "");
        check(Draft::first('/'), InputMode::Command, "");
        check(Draft::first('a'), InputMode::Prompt, "a");
        check(Draft::pasted("!ls"), InputMode::Prompt, "!ls");
        check(Draft::plain("!ls"), InputMode::Prompt, "!ls");
        check(Draft::plain("!ls").signed(), InputMode::Shell, "ls");
        check(Draft::plain("!ls").signed().unsigned(), InputMode::Prompt, "!ls");
        check(Draft::plain("ls").signed(), InputMode::Prompt, "ls");
        let mut later = Draft::plain("!ls").signed();
        later.insert(0, Draft::plain("x"));
        check(later, InputMode::Prompt, "x!ls");
    }

    #[test]
    fn what_a_splice_removes_can_be_put_back() {
        let long = "a\n".repeat(20);
        let mut draft = Draft::plain("one ");
        draft.push(Draft::pasted(&long));
        draft.push(Draft::plain(" two "));
        draft.push(Draft::pasted(&long));
        let whole = draft.clone();
        let check = |range: Range<usize>, left: usize| {
            let mut draft = whole.clone();
            let removed = draft.splice(range.clone(), Draft::pasted(&long));
            assert_eq!(draft.atoms.len(), left + 1);
            assert_eq!(removed, whole.part(range.clone()));
            drop(draft.splice(range.start..range.start + long.len(), removed));
            assert_eq!(draft, whole);
        };
        check(0..0, 2);
        check(4..4, 2);
        check(44..44, 2);
        check(4..44, 1);
        check(2..46, 1);
        check(44..49, 2);
        check(0..89, 0);
        check(89..89, 2);
    }

    #[test]
    fn a_newline_within_an_atom_ends_no_line() {
        let mut draft = Draft::plain("one\ntwo ");
        draft.push(Draft::pasted(&"a\n".repeat(20)));
        draft.push(Draft::plain(" three\nfour"));
        assert_eq!(draft.line_start(50), 4);
        assert_eq!(draft.line_end(4), 54);
        assert_eq!((draft.line_start(3), draft.line_end(0)), (0, 3));
        assert_eq!((draft.line_start(56), draft.line_end(56)), (55, 59));
    }
}
