//! A draft with a cursor: moving, deleting, killing, undoing.
//!
//! It knows readline's verbs, not its keys (those are in the keymap), and it knows nothing of modes, history or popups.
//!
//! Every change is one splice, and a step of undo is the splice that takes it back; so undo and redo are the same
//! operation, and what a splice removes, folded pastes included, comes back as it was.

use std::collections::VecDeque;
use std::mem;
use std::ops::Range;

use super::draft::{Class, Draft};
use super::layout::Layout;
use super::reach;

/// Steps of undo that are kept: more than anyone takes back by hand.
const STEPS: usize = 1_000;
/// Bytes that undo may hold: the largest pastes that are sent at all, a few times over.
const STEP_BYTES: usize = 16 * 1_024 * 1_024;
/// Kills that can be had back: as many as anyone turns through.
const KILLS: usize = 10;

/// An editable draft.
#[derive(Debug, Clone, Default)]
pub struct Buffer {
    draft: Draft,
    cursor: usize,
    /// The column that Up and Down aim for, while they follow one another.
    goal: Option<usize>,
    kills: Kills,
    last: Last,
    past: VecDeque<Step>,
    future: Vec<Step>,
    /// Counts what happened to text or cursor.
    version: u64,
}

/// What a key does to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Edit {
    /// Moves the cursor.
    Move(Motion),
    /// Deletes from the cursor to where the motion goes.
    Delete(Motion),
    /// The same, kept for [`Edit::Yank`]; kills in a row are kept together.
    Kill(Motion),
    /// Puts back what was killed last.
    Yank,
    /// Right after that: puts what was killed before it in its place.
    YankOlder,
    /// Takes the last change back.
    Undo,
    /// Does again what was taken back.
    Redo,
}

/// A way for the cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Motion {
    /// One unit back.
    Left,
    /// One unit on.
    Right,
    /// To the beginning of the word of letters and digits.
    WordLeft,
    /// To its end.
    WordRight,
    /// To the last white space.
    SpaceLeft,
    /// To the beginning of the line.
    LineStart,
    /// To the end of the line.
    LineEnd,
    /// To the beginning of the text.
    TextStart,
    /// To the end of the text.
    TextEnd,
}

/// Up or down, by rows of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Vertical {
    /// To the row above.
    Up,
    /// To the row below.
    Down,
}

/// Whether there was a row to go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Went {
    /// The cursor is there now.
    There,
    /// There was none; nothing happened.
    Nowhere,
}

/// What the last change was: what it may be joined with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Last {
    Typed,
    Deleted,
    Killed,
    /// So many bytes were put back at this place.
    Yanked {
        at: usize,
        len: usize,
    },
    #[default]
    Other,
}

/// What was killed, the newest first, and which of them was put back.
#[derive(Debug, Clone, Default)]
struct Kills {
    all: VecDeque<Draft>,
    shown: usize,
}

/// A splice that takes a change back: `put` in place of the `len` bytes at `at`, then the cursor.
#[derive(Debug, Clone)]
struct Step {
    at: usize,
    len: usize,
    put: Draft,
    cursor: usize,
}

impl Buffer {
    /// What is written.
    #[must_use]
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// The cursor, in bytes of the draft's text; never within a grapheme or an atom.
    #[must_use]
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Whether nothing is written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.draft.is_empty()
    }

    /// A number that is another one after every change and every move.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Types: what follows one another is taken back together, word by word.
    pub fn type_in(&mut self, piece: Draft) {
        self.splice(self.cursor..self.cursor, piece, Last::Typed);
    }

    /// Inserts at the cursor, as a change of its own.
    pub fn insert(&mut self, piece: Draft) {
        self.replace(self.cursor..self.cursor, piece);
    }

    /// Puts `piece` in place of `range`, with the cursor behind it.
    pub fn replace(&mut self, range: Range<usize>, piece: Draft) {
        self.splice(range, piece, Last::Other);
    }

    /// Puts `draft` in place of everything.
    pub fn set(&mut self, draft: Draft) {
        self.replace(0..self.draft.len(), draft);
    }

    /// Puts `piece` before everything; the cursor stays with its text.
    pub fn put_in_front(&mut self, piece: Draft) {
        let cursor = self.cursor + piece.len();
        self.replace(0..0, piece);
        self.cursor = self.draft.snap(cursor);
    }

    /// Takes everything out and forgets what could be undone; what was killed stays for a yank.
    pub fn take(&mut self) -> Draft {
        let draft = mem::take(&mut self.draft);
        let kills = mem::take(&mut self.kills);
        *self = Self { kills, version: self.version + 1, ..Self::default() };
        draft
    }

    /// One verb of readline.
    pub fn edit(&mut self, edit: Edit) {
        match edit {
            Edit::Move(motion) => self.move_to(reach::target(&self.draft, self.cursor, motion)),
            Edit::Delete(motion) => self.delete(motion),
            Edit::Kill(motion) => self.kill(motion),
            Edit::Yank => {
                self.kills.shown = 0;
                self.yank(self.cursor..self.cursor);
            }
            Edit::YankOlder => self.yank_older(),
            Edit::Undo => self.undo(),
            Edit::Redo => self.redo(),
        }
    }

    /// To the row above or below in a layout of `width` columns, as near to the column where this began as it goes.
    pub fn vertical(&mut self, way: Vertical, width: usize) -> Went {
        let layout = Layout::new(&self.draft, width);
        let (row, column) = layout.locate(&self.draft, self.cursor);
        let to = match way {
            Vertical::Up => row.checked_sub(1),
            Vertical::Down => Some(row + 1).filter(|to| *to < layout.rows().len()),
        };
        let Some(to) = to else { return Went::Nowhere };
        let goal = self.goal.unwrap_or(column);
        self.move_to(layout.position(&self.draft, to, goal));
        self.goal = Some(goal);
        Went::There
    }

    /// Moves the cursor to a place between units.
    pub fn go_to(&mut self, at: usize) {
        self.move_to(self.draft.snap(at.min(self.draft.len())));
    }

    /// The same as a part of what was just done: the column that Up and Down aim for stays.
    pub fn stand_at(&mut self, at: usize) {
        self.cursor = self.draft.snap(at.min(self.draft.len()));
    }

    fn move_to(&mut self, at: usize) {
        self.cursor = at;
        self.touch(Last::Other);
    }

    fn kill(&mut self, motion: Motion) {
        let range = self.reach(motion);
        if range.is_empty() {
            return;
        }
        let piece = self.draft.part(range.clone());
        match self.kills.all.front_mut().filter(|_| self.last == Last::Killed) {
            Some(newest) if range.start < self.cursor => newest.insert(0, piece),
            Some(newest) => newest.push(piece),
            None => {
                self.kills.all.push_front(piece);
                self.kills.all.truncate(KILLS);
            }
        }
        self.splice(range, Draft::default(), Last::Killed);
    }

    fn yank(&mut self, range: Range<usize>) {
        let Some(piece) = self.kills.all.get(self.kills.shown).cloned() else { return };
        let (at, len) = (range.start, piece.len());
        self.replace(range, piece);
        self.last = Last::Yanked { at, len };
    }

    fn yank_older(&mut self) {
        if let Last::Yanked { at, len } = self.last {
            self.kills.shown = (self.kills.shown + 1) % self.kills.all.len().max(1);
            self.yank(at..at + len);
        }
    }

    fn delete(&mut self, motion: Motion) {
        let range = self.reach(motion);
        if !range.is_empty() {
            self.splice(range, Draft::default(), Last::Deleted);
        }
    }

    fn undo(&mut self) {
        if let Some(step) = self.past.pop_back() {
            let back = self.apply(step);
            self.future.push(back);
        }
    }

    fn redo(&mut self) {
        if let Some(step) = self.future.pop() {
            let back = self.apply(step);
            self.past.push_back(back);
        }
    }

    /// Does a step and gives the one that takes it back.
    fn apply(&mut self, step: Step) -> Step {
        let len = step.put.len();
        let put = self.draft.splice(step.at..step.at + step.len, step.put);
        let cursor = mem::replace(&mut self.cursor, step.cursor);
        self.touch(Last::Other);
        Step { at: step.at, len, put, cursor }
    }

    /// The one way in which the text changes, but for undo and redo.
    fn splice(&mut self, range: Range<usize>, with: Draft, change: Last) {
        let joins = self.last == change && !self.begins_word(&with);
        let (at, len, cursor) = (range.start, with.len(), self.cursor);
        let put = self.draft.splice(range, with);
        self.cursor = self.draft.snap(at + len);
        self.remember(Step { at, len, put, cursor }, if joins { change } else { Last::Other });
        self.touch(change);
    }

    /// Keeps a step, as part of the one before it where both are of the kind `joined` and touch.
    fn remember(&mut self, step: Step, joined: Last) {
        self.future.clear();
        let rest = match self.past.back_mut() {
            Some(before) => before.join(step, joined),
            None => Some(step),
        };
        self.past.extend(rest);
        let mut bytes: usize = self.past.iter().map(|step| step.put.len()).sum();
        while self.past.len() > STEPS || (bytes > STEP_BYTES && self.past.len() > 1) {
            bytes -= self.past.pop_front().map_or(0, |step| step.put.len());
        }
    }

    fn touch(&mut self, last: Last) {
        self.last = last;
        self.goal = None;
        self.version += 1;
    }

    /// Whether typing `piece` at the cursor begins a word.
    fn begins_word(&self, piece: &Draft) -> bool {
        let after_space = reach::class_before(&self.draft, self.cursor) == Some(Class::Space);
        after_space && piece.text().chars().next().is_some_and(|c| !c.is_whitespace())
    }

    /// What a deletion with `motion` takes. At the edge of a line it takes the newline.
    fn reach(&self, motion: Motion) -> Range<usize> {
        let to = match (motion, reach::target(&self.draft, self.cursor, motion)) {
            (Motion::LineStart, at) if at == self.cursor => self.draft.prev(at),
            (Motion::LineEnd, at) if at == self.cursor => self.draft.next(at),
            (_, at) => at,
        };
        self.cursor.min(to)..self.cursor.max(to)
    }
}

impl Step {
    /// Takes `later` in, a step of the same kind, where it touches this one; else gives it back.
    fn join(&mut self, later: Self, kind: Last) -> Option<Self> {
        match kind {
            Last::Typed if later.put.is_empty() && later.at == self.at + self.len => self.len += later.len,
            Last::Deleted if later.at == self.at => self.put.push(later.put),
            Last::Deleted if later.at + later.put.len() == self.at => {
                self.at = later.at;
                self.put.insert(0, later.put);
            }
            Last::Typed | Last::Deleted | Last::Killed | Last::Yanked { .. } | Last::Other => {
                return Some(later);
            }
        }
        None
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tui::model::layout;

    /// Splits `"ab<c-w>"` into `["a", "b", "<c-w>"]`.
    pub(crate) fn keys(notation: &str) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        for c in notation.chars() {
            match keys.last_mut() {
                Some(key) if key.starts_with('<') && !key.ends_with('>') => key.push(c),
                Some(_) | None => keys.push(c.to_string()),
            }
        }
        keys
    }

    /// The verb of a key such as `<c-w>`.
    pub(crate) fn verb(key: &str) -> Option<Edit> {
        Some(match key {
            "<left>" => Edit::Move(Motion::Left),
            "<right>" => Edit::Move(Motion::Right),
            "<a-b>" => Edit::Move(Motion::WordLeft),
            "<a-f>" => Edit::Move(Motion::WordRight),
            "<c-a>" => Edit::Move(Motion::LineStart),
            "<c-e>" => Edit::Move(Motion::LineEnd),
            "<bs>" => Edit::Delete(Motion::Left),
            "<del>" => Edit::Delete(Motion::Right),
            "<c-w>" => Edit::Kill(Motion::SpaceLeft),
            "<a-bs>" => Edit::Kill(Motion::WordLeft),
            "<a-d>" => Edit::Kill(Motion::WordRight),
            "<c-u>" => Edit::Kill(Motion::LineStart),
            "<c-k>" => Edit::Kill(Motion::LineEnd),
            "<c-y>" => Edit::Yank,
            "<a-y>" => Edit::YankOlder,
            "<c-home>" => Edit::Move(Motion::TextStart),
            "<c-end>" => Edit::Move(Motion::TextEnd),
            "<undo>" => Edit::Undo,
            "<redo>" => Edit::Redo,
            _ => return None,
        })
    }

    /// The draft as one sees it, `|` where the cursor is.
    pub(crate) fn picture(draft: &Draft, cursor: usize) -> String {
        let mut picture = String::new();
        for cell in layout::cells(draft, 0..draft.len()) {
            picture.push_str(if cell.range.start == cursor { "|" } else { "" });
            picture.push_str(if cell.shown.is_empty() { "\n" } else { &cell.shown });
        }
        picture.push_str(if cursor == draft.len() { "|" } else { "" });
        picture
    }

    /// Twelve lines, which are folded.
    pub(crate) fn long_paste() -> String {
        "a line\n".repeat(12)
    }

    /// Width of the layout for `<up>` and `<down>`.
    const WIDTH: usize = 10;

    fn press(buffer: &mut Buffer, notation: &str) {
        for key in keys(notation) {
            match key.as_str() {
                "<up>" => drop(buffer.vertical(Vertical::Up, WIDTH)),
                "<down>" => drop(buffer.vertical(Vertical::Down, WIDTH)),
                "<paste>" => buffer.insert(Draft::pasted(&long_paste())),
                typed => match verb(typed) {
                    Some(edit) => buffer.edit(edit),
                    None => buffer.type_in(Draft::plain(typed)),
                },
            }
        }
    }

    /// A buffer from a picture without atoms.
    fn buffer(picture: &str) -> Buffer {
        let cursor = picture.find('|').unwrap();
        let mut buffer = Buffer::default();
        buffer.set(Draft::plain(picture.replace('|', "")));
        buffer.move_to(cursor);
        buffer
    }

    #[track_caller]
    fn check(before: &str, keys: &str, after: &str) {
        let mut buffer = buffer(before);
        press(&mut buffer, keys);
        assert_eq!(picture(buffer.draft(), buffer.cursor()), after, "{before:?} {keys}");
    }

    #[test]
    fn a_grapheme_is_one_to_cursor_and_delete() {
        check("a👩‍👩‍👧b|", "<left><left>", "a|👩‍👩‍👧b");
        check("a👩‍👩‍👧b|", "<left><bs>", "a|b");
        check("|e\u{301}x", "<del>", "|x");
        check("|e\u{301}x", "<right>", "e\u{301}|x");
        check("🇩🇪🇫🇷|", "<bs>", "🇩🇪|");
        check("|", "<left><bs><del><right>", "|");
    }

    #[test]
    fn a_deletion_that_joins_two_halves_leaves_the_cursor_behind_the_whole() {
        check("🇩x|🇪", "<bs>", "🇩🇪|");
        check("ex|\u{301}", "<bs>", "e\u{301}|");
    }

    #[test]
    fn words_are_letters_and_digits() {
        check("foo-bar  baz2|", "<a-b>", "foo-bar  |baz2");
        check("foo-bar  |baz", "<a-b><a-b>", "|foo-bar  baz");
        check("|foo-bar baz", "<a-f>", "foo|-bar baz");
        check("foo|-bar baz", "<a-f>", "foo-bar| baz");
        check("naïve été|", "<a-b>", "naïve |été");
        check("one\n|two", "<a-b>", "|one\ntwo");
        check("one  |", "<a-f>", "one  |");
    }

    #[test]
    fn kills_go_to_the_edge_of_word_space_or_line() {
        check("git push --force|", "<c-w>", "git push |");
        check("git push --force|", "<a-bs>", "git push --|");
        check("git push  |", "<c-w>", "git |");
        check("git |push now", "<a-d>", "git | now");
        check("one\ntw|o\nthree", "<c-u>", "one\n|o\nthree");
        check("one\ntw|o\nthree", "<c-k>", "one\ntw|\nthree");
        check("one\ntw|o\nthree", "<c-k><c-k><c-k>", "one\ntw|");
        check("one\n|two", "<c-u>", "one|two");
        check("one\ntwo|\nthree", "<c-a>", "one\n|two\nthree");
        check("one\n|two\nthree", "<c-e>", "one\ntwo|\nthree");
    }

    #[test]
    fn kills_in_a_row_are_yanked_together_in_the_order_of_the_text() {
        check("one two three|", "<c-w><c-w><c-y>", "one two three|");
        check("|one two three", "<a-d><a-d><c-e><c-y>", " threeone two|");
        check("one two| three", "<c-w><c-k><c-a><c-y>", "two three|one ");
        check("one two three|", "<c-w><left><c-w><c-e><c-y><a-y>", "one  three|");
        check("one two|", "<c-w><left><c-w><c-y><a-y><a-y>", "one| ");
        check("one two|", "<c-w><c-y><left><a-y>", "one tw|o");
        check("one two|", "<a-y>", "one two|");
        check("one two|", "<c-w><left><right><c-w><c-y>", "one |");
        check("one two|", "<c-w><bs><c-y>", "onetwo|");
    }

    #[test]
    fn undo_takes_back_a_word_a_run_of_deletions_or_a_kill() {
        check("|", "hello big world<undo>", "hello big |");
        check("|", "hello big world<undo><undo>", "hello |");
        check("|", "hello big world<undo><undo><redo>", "hello big |");
        check("|", "hello<left><left>y<undo>", "hel|lo");
        check("abcdef|", "<bs><bs><bs><undo>", "abcdef|");
        check("|abcdef", "<del><del><undo>", "|abcdef");
        check("abc|def", "<bs><del><undo>", "abc|def");
        check("abcdef|", "<bs><bs>x<bs><undo><undo>", "abcd|");
        check("one two|", "<c-w><undo>", "one two|");
        check("one two|", "<c-w><undo><redo><c-y>", "one two|");
        check("|", "ab<undo>c<redo>", "c|");
    }

    #[test]
    fn up_and_down_keep_the_column_they_began_in() {
        check("long line\nab\nlong line|", "<up>", "long line\nab|\nlong line");
        check("long line\nab\nlong line|", "<up><up>", "long line|\nab\nlong line");
        check("long line\nab\nlong line|", "<up><up><down><down>", "long line\nab\nlong line|");
        check("long line\nab\nlong line|", "<up><left><up>", "l|ong line\nab\nlong line");
        check("o|ne\n", "<down>", "one\n|");
        check("o|ne", "<up>", "o|ne");
        check("on|e", "<down>", "on|e");
    }

    #[test]
    fn up_and_down_go_by_rows_of_the_screen_and_columns_of_the_terminal() {
        // wrapped at 10: `one two `, `three four`
        check("one two three f|our", "<up>", "one two| three four");
        check("on|e two three four", "<down>", "one two th|ree four");
        // the end of the first row is the beginning of the second, so the nearest is before the space
        check("one two three four|", "<up>", "one two| three four");
        // 日 and 本 are two columns each
        check("ab日|x\nabcdef", "<down>", "ab日x\nabcd|ef");
        check("abcde\n日本|", "<up>", "abcd|e\n日本");
        check("abc|de\n日本", "<down>", "abcde\n日|本");
    }

    #[test]
    fn a_folded_paste_is_one_thing() {
        let fold = "[Pasted 12 lines]";
        check("a|b", "<paste>", &format!("a{fold}|b"));
        check("a|b", "<paste><left>", &format!("a|{fold}b"));
        check("a|b", "<paste><left><right>", &format!("a{fold}|b"));
        check("a|b", "<paste><bs>", "a|b");
        check("a|b", "<paste><left><del>", "a|b");
        check("a|b", "<paste><c-w>", "a|b");
        check("a|b", "<paste><a-bs>", "a|b");
        check("a|b", "<paste><paste><a-b>", &format!("a{fold}|{fold}b"));
        check("a|b", "<paste><c-a><a-f><a-f>", &format!("a{fold}|b"));
        check("a|b", "<paste><c-a><c-k>", "|");
        check("a|b", "<paste><c-u><c-y>", &format!("a{fold}|b"));
        check("a|b", "<paste><c-u><undo>", &format!("a{fold}|b"));
        check("a|b", "<paste><bs><undo>", &format!("a{fold}|b"));
        check("a|b", "<paste><undo><redo>", &format!("a{fold}|b"));
    }

    #[test]
    fn a_folded_paste_is_sent_as_it_came() {
        let mut buffer = buffer("see: |!");
        press(&mut buffer, "<paste><c-u><c-y><c-a><a-f><a-f><bs><undo><right>ok<bs><bs>");
        assert_eq!(buffer.take().text(), format!("see: {}!", long_paste()));
        assert!(buffer.is_empty());
        press(&mut buffer, "<undo>");
        assert!(buffer.is_empty(), "what was sent is not undone");
    }

    #[test]
    fn a_paste_of_a_megabyte_costs_its_size_once() {
        let mut buffer = Buffer::default();
        let paste = "x".repeat(80) + "\n";
        buffer.insert(Draft::pasted(&paste.repeat(13_000)));
        for _ in 0..1_000 {
            press(&mut buffer, "a<up><left><right>");
        }
        let held: usize = buffer.past.iter().map(|step| step.put.len()).sum();
        assert_eq!(held, 0, "typing keeps no copy of what stands around it");
        assert_eq!(buffer.draft().len(), 81 * 13_000 + 1_000);
    }

    #[test]
    fn undo_holds_a_bounded_amount() {
        let mut buffer = Buffer::default();
        for _ in 0..40 {
            buffer.set(Draft::plain("y".repeat(STEP_BYTES / 10)));
        }
        assert!(buffer.past.iter().map(|step| step.put.len()).sum::<usize>() <= STEP_BYTES);
        for _ in 0..2 * STEPS {
            buffer.insert(Draft::plain("z"));
        }
        assert_eq!(buffer.past.len(), STEPS);
    }

    const ALPHABET: [&str; 28] = [
        "a", "é", "\u{301}", " ", "\n", "日", "🇩", "🇪", "👩", "\u{200d}", "-", "<paste>", "<left>",
        "<right>", "<a-b>", "<a-f>", "<c-a>", "<c-e>", "<bs>", "<del>", "<c-w>", "<a-d>", "<c-u>", "<c-k>",
        "<c-y>", "<up>", "<down>", "<undo>",
    ];

    proptest! {
        #[test]
        fn any_keys_leave_the_cursor_on_an_edge_and_can_all_be_taken_back(
            keys in prop::collection::vec(prop::sample::select(&ALPHABET[..]), 0..60),
        ) {
            let mut buffer = Buffer::default();
            for key in &keys {
                press(&mut buffer, key);
                let (draft, cursor) = (buffer.draft(), buffer.cursor());
                prop_assert_eq!(draft.snap(cursor), cursor, "{:?} {}", draft, cursor);
                let shown = picture(draft, cursor);
                prop_assert!(shown.contains('|'), "{:?} {}", shown, cursor);
                let layout = Layout::new(draft, WIDTH);
                let (row, column) = layout.locate(draft, cursor);
                prop_assert_eq!(layout.position(draft, row, column), cursor);
                prop_assert!(column <= WIDTH + 1);
            }
            let last = buffer.draft().clone();
            while !buffer.past.is_empty() {
                buffer.edit(Edit::Undo);
            }
            prop_assert!(buffer.is_empty());
            while !buffer.future.is_empty() {
                buffer.edit(Edit::Redo);
            }
            // what was undone on the way is done again too, unless something was typed after it
            prop_assert!(buffer.draft() == &last || keys.contains(&"<undo>"));
        }
    }
}
