//! vi's keys over the input: insert and normal mode, counts, motions, and what is done to what they reach.
//!
//! A part of vi that fingers know, not all of it: no visual mode, no named registers, no command line. It sees characters
//! alone; Enter, the arrows and the keys with Ctrl mean what they mean without it.
//!
//! In normal mode the cursor stands on a unit and never behind the last one of a line, which is why every key ends with
//! putting it back there.

mod act;
mod motion;

use self::motion::{Find, Stop, Way};
use super::buffer::{Buffer, Edit};
use super::draft::Draft;

/// More is a slip of the finger.
const MOST: usize = 9_999;

/// What vi remembers.
#[derive(Debug, Clone, Default)]
pub struct Vim {
    mode: Mode,
    count: usize,
    operator: Option<(Operator, usize)>,
    awaits: Awaits,
    register: Register,
    found: Option<Find>,
}

/// Insert or normal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// What is typed is inserted.
    #[default]
    Insert,
    /// What is typed is a command.
    Normal,
}

/// What a key asks for that the text alone cannot give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// Nothing.
    Nothing,
    /// So many rows up, then back in the history.
    Up(usize),
    /// So many rows down, then on in the history.
    Down(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Delete,
    Change,
    Yank,
}

/// What the next character is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Awaits {
    #[default]
    Command,
    /// The second `g`.
    SecondG,
    /// What is looked for.
    Sought(Way, Stop),
    /// What is put in place of the unit under the cursor.
    Replacement,
}

/// What was deleted or yanked last.
#[derive(Debug, Clone, Default)]
struct Register {
    draft: Draft,
    span: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Span {
    #[default]
    Units,
    Lines,
}

/// Where a motion leads, and what an operator takes on the way.
#[derive(Debug, Clone, Copy)]
struct Target {
    at: usize,
    reach: Reach,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Up to the target.
    Before,
    /// The unit at the target too.
    Through,
    /// All lines from here to there.
    Lines,
}

impl Vim {
    /// Insert or normal.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether a command has been begun.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        self.count > 0 || self.operator.is_some() || self.awaits != Awaits::Command
    }

    /// To normal mode; a command that was begun is dropped.
    pub fn leave_insert(&mut self, buffer: &mut Buffer) {
        self.forget();
        if self.mode == Mode::Insert {
            self.mode = Mode::Normal;
            let (draft, at) = (buffer.draft(), buffer.cursor());
            let to = motion::left(draft, at, 1, draft.line_start(at));
            buffer.go_to(to);
        }
    }

    /// To insert mode, as after something was sent.
    pub fn begin_insert(&mut self) {
        self.forget();
        self.mode = Mode::Insert;
    }

    /// A character in normal mode.
    pub fn press(&mut self, key: char, buffer: &mut Buffer) -> Asks {
        let asks = self.take(key, buffer);
        if self.mode == Mode::Normal {
            stay_on_unit(buffer);
        }
        asks
    }

    fn take(&mut self, key: char, buffer: &mut Buffer) -> Asks {
        match std::mem::take(&mut self.awaits) {
            Awaits::Replacement => self.replace_unit(key, buffer),
            Awaits::Sought(way, stop) => {
                self.found = Some(Find { way, stop, wanted: key });
                self.seek(buffer, self.found);
            }
            Awaits::SecondG if key == 'g' => self.go_to_line(buffer, self.count.max(1)),
            Awaits::SecondG => self.forget(),
            Awaits::Command => return self.command(key, buffer),
        }
        Asks::Nothing
    }

    fn command(&mut self, key: char, buffer: &mut Buffer) -> Asks {
        match key {
            '1'..='9' => self.add_digit(key),
            '0' if self.count > 0 => self.add_digit(key),
            'g' => self.awaits = Awaits::SecondG,
            'G' => {
                let number = if self.count == 0 { usize::MAX } else { self.count };
                self.go_to_line(buffer, number.min(buffer.draft().len() + 1));
            }
            'f' => self.awaits = Awaits::Sought(Way::Right, Stop::On),
            't' => self.awaits = Awaits::Sought(Way::Right, Stop::Before),
            'F' => self.awaits = Awaits::Sought(Way::Left, Stop::On),
            'T' => self.awaits = Awaits::Sought(Way::Left, Stop::Before),
            ';' => self.seek(buffer, self.found),
            ',' => self.seek(buffer, self.found.map(turned)),
            'd' => self.operate(Operator::Delete, buffer),
            'c' => self.operate(Operator::Change, buffer),
            'y' => self.operate(Operator::Yank, buffer),
            'j' | 'k' => return self.vertical(key, buffer),
            _ => match self.motion(key, buffer) {
                Some(target) => self.reach(target, buffer),
                None => self.verb(key, buffer),
            },
        }
        Asks::Nothing
    }

    /// What stands for itself. With an operator it is none, and the operator is dropped.
    fn verb(&mut self, key: char, buffer: &mut Buffer) {
        if self.operator.is_some() {
            return self.forget();
        }
        match key {
            'x' => self.shorthand(Operator::Delete, 'l', buffer),
            'X' => self.shorthand(Operator::Delete, 'h', buffer),
            'D' => self.shorthand(Operator::Delete, '$', buffer),
            'C' => self.shorthand(Operator::Change, '$', buffer),
            's' => self.shorthand(Operator::Change, 'l', buffer),
            'S' => self.lines(Operator::Change, buffer),
            'Y' => self.lines(Operator::Yank, buffer),
            'r' => self.awaits = Awaits::Replacement,
            'p' => self.put(Way::Right, buffer),
            'P' => self.put(Way::Left, buffer),
            'u' => self.repeat(|| buffer.edit(Edit::Undo)),
            'i' | 'a' | 'I' | 'A' | 'o' | 'O' => self.insert(key, buffer),
            _ => self.forget(),
        }
    }

    fn motion(&self, key: char, buffer: &Buffer) -> Option<Target> {
        let (draft, at, count) = (buffer.draft(), buffer.cursor(), self.times());
        let end = draft.line_end(at);
        let words = |step: fn(&Draft, usize) -> usize| (0..count).fold(at, |at, _| step(draft, at));
        let is_operated = self.operator.is_some();
        let (at, reach) = match key {
            'h' => (motion::left(draft, at, count, draft.line_start(at)), Reach::Before),
            'l' | ' ' => (motion::right(draft, at, count, end), Reach::Before),
            'w' if self.changes() && !draft.slice(at..draft.len()).starts_with(char::is_whitespace) => {
                (words(motion::word_end), Reach::Through)
            }
            // of the last word of a line, the line stays
            'w' if is_operated && count == 1 => (motion::word_right(draft, at).min(end), Reach::Before),
            'w' => (words(motion::word_right), Reach::Before),
            'b' => (words(motion::word_left), Reach::Before),
            'e' => (words(motion::word_end), Reach::Through),
            '0' => (draft.line_start(at), Reach::Before),
            '^' => (motion::first_word(draft, at), Reach::Before),
            '$' => (end, Reach::Before),
            _ => return None,
        };
        Some(Target { at, reach })
    }

    fn seek(&mut self, buffer: &mut Buffer, find: Option<Find>) {
        let place = find.and_then(|find| {
            motion::found(buffer.draft(), buffer.cursor(), find, self.times()).map(|at| (at, find.way))
        });
        match place {
            Some((at, Way::Right)) => self.reach(Target { at, reach: Reach::Through }, buffer),
            Some((at, Way::Left)) => self.reach(Target { at, reach: Reach::Before }, buffer),
            None => self.forget(),
        }
    }

    fn go_to_line(&mut self, buffer: &mut Buffer, number: usize) {
        let start = motion::line(buffer.draft(), number);
        let at = motion::first_word(buffer.draft(), start);
        self.reach(Target { at, reach: Reach::Lines }, buffer);
    }

    /// Rows without an operator, lines with one.
    fn vertical(&mut self, key: char, buffer: &mut Buffer) -> Asks {
        let count = self.times();
        if self.operator.is_none() {
            self.forget();
            return if key == 'j' { Asks::Down(count) } else { Asks::Up(count) };
        }
        let (draft, mut at) = (buffer.draft(), buffer.cursor());
        for _ in 0..count {
            at = if key == 'j' { draft.next(draft.line_end(at)) } else { draft.prev(draft.line_start(at)) };
        }
        self.reach(Target { at, reach: Reach::Lines }, buffer);
        Asks::Nothing
    }

    /// An operator; typed twice it takes lines.
    fn operate(&mut self, operator: Operator, buffer: &mut Buffer) {
        match self.operator {
            None => self.operator = Some((operator, std::mem::take(&mut self.count).max(1))),
            Some((pending, _)) if pending == operator => self.lines(operator, buffer),
            Some(_) => self.forget(),
        }
    }

    /// So many lines from this one on.
    fn lines(&mut self, operator: Operator, buffer: &mut Buffer) {
        let (draft, mut at) = (buffer.draft(), buffer.cursor());
        for _ in 1..self.times() {
            at = draft.next(draft.line_end(at));
        }
        self.operator = Some((operator, 1));
        self.reach(Target { at, reach: Reach::Lines }, buffer);
    }

    fn shorthand(&mut self, operator: Operator, motion: char, buffer: &mut Buffer) {
        self.operator = Some((operator, 1));
        match self.motion(motion, buffer) {
            Some(target) => self.reach(target, buffer),
            None => self.forget(),
        }
    }

    /// Goes there, or does to what lies between what was begun.
    fn reach(&mut self, target: Target, buffer: &mut Buffer) {
        let operator = self.operator;
        self.forget();
        let Some((operator, _)) = operator else { return buffer.go_to(target.at) };
        let (from, to) = (buffer.cursor().min(target.at), buffer.cursor().max(target.at));
        let draft = buffer.draft();
        match target.reach {
            Reach::Before => self.take_units(operator, from..to, buffer),
            Reach::Through => self.take_units(operator, from..draft.next(to), buffer),
            Reach::Lines => self.take_lines(operator, draft.line_start(from)..draft.line_end(to), buffer),
        }
    }

    fn repeat(&mut self, mut act: impl FnMut()) {
        (0..self.times()).for_each(|_| act());
        self.forget();
    }

    fn add_digit(&mut self, key: char) {
        let digit = key.to_digit(10).and_then(|digit| usize::try_from(digit).ok()).unwrap_or(0);
        self.count = (self.count * 10 + digit).min(MOST);
    }

    fn times(&self) -> usize {
        let before = self.operator.map_or(1, |(_, count)| count);
        (self.count.max(1) * before).min(MOST)
    }

    fn changes(&self) -> bool {
        matches!(self.operator, Some((Operator::Change, _)))
    }

    fn forget(&mut self) {
        (self.count, self.operator, self.awaits) = (0, None, Awaits::Command);
    }
}

/// The same the other way.
fn turned(find: Find) -> Find {
    let way = match find.way {
        Way::Left => Way::Right,
        Way::Right => Way::Left,
    };
    Find { way, ..find }
}

/// Behind the last unit of a line there is nothing to stand on.
fn stay_on_unit(buffer: &mut Buffer) {
    let (draft, at) = (buffer.draft(), buffer.cursor());
    let (start, end) = (draft.line_start(at), draft.line_end(at));
    if at == end && start < end {
        let last = draft.prev(end);
        buffer.stand_at(last);
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffer::tests::{keys, picture};
    use super::*;

    /// A buffer with the cursor at `|`, in normal mode.
    fn at(picture: &str) -> Buffer {
        let (before, after) = picture.split_once('|').unwrap();
        let mut buffer = Buffer::default();
        buffer.set(Draft::plain(format!("{before}{after}")));
        buffer.go_to(before.len());
        buffer
    }

    #[track_caller]
    fn check(before: &str, pressed: &str, after: &str) {
        let (mut vim, mut buffer) = (Vim::default(), at(before));
        vim.mode = Mode::Normal;
        for key in keys(pressed) {
            match (key.as_str(), vim.mode) {
                ("<esc>", _) => vim.leave_insert(&mut buffer),
                (typed, Mode::Insert) => buffer.type_in(Draft::plain(typed)),
                (typed, Mode::Normal) => drop(vim.press(typed.chars().next().unwrap(), &mut buffer)),
            }
        }
        assert_eq!(picture(buffer.draft(), buffer.cursor()), after, "{before} {pressed}");
    }

    #[test]
    fn motions_go_where_fingers_expect() {
        for (before, keys, after) in [
            ("one |two three", "w", "one two |three"),
            ("one |two three", "e", "one tw|o three"),
            ("one tw|o three", "e", "one two thre|e"),
            ("one two |three", "b", "one |two three"),
            ("one two |three", "2b", "|one two three"),
            ("|a.b c", "w", "a|.b c"),
            ("  on|e", "0", "|  one"),
            ("  on|e", "^", "  |one"),
            ("|one two", "$", "one tw|o"),
            ("|one", "9l", "on|e"),
            ("on|e", "h", "o|ne"),
            ("one\n|two", "h", "one\n|two"),
            ("a\nb\n|c", "gg", "|a\nb\nc"),
            ("|a\nb\nc", "G", "a\nb\n|c"),
            ("|a\nb\nc", "2G", "a\n|b\nc"),
            ("|a-b-c", "f-", "a|-b-c"),
            ("|a-b-c", "2f-", "a-b|-c"),
            ("|a-b-c", "t-", "|a-b-c"),
            ("|a-b-c", "f-;", "a-b|-c"),
            ("|a-b-c", "2f-,", "a|-b-c"),
            ("a-b-|c", "F-", "a-b|-c"),
            ("a-b-|c", "Ta", "a|-b-c"),
            ("|a", "fx", "|a"),
            ("|日本語 x", "w", "日本語 |x"),
        ] {
            check(before, keys, after);
        }
    }

    #[test]
    fn operators_take_what_the_motion_reaches() {
        for (before, keys, after) in [
            ("one |two three", "dw", "one |three"),
            ("|one two three", "2dw", "|three"),
            ("|one two three", "d2w", "|three"),
            ("one |two\nthree", "dw", "one| \nthree"),
            ("|one two", "cwx", "x| two"),
            ("|one two", "dt ", "| two"),
            ("|one two", "df ", "|two"),
            ("one |two", "db", "|two"),
            ("one |two three", "D", "one| "),
            ("one |two three", "d0", "|two three"),
            ("one |two", "Cx<esc>", "one |x"),
            ("a\n|b\nc", "dd", "a\n|c"),
            ("a\nb\n|c", "dd", "a\n|b"),
            ("|a", "dd", "|"),
            ("|a\nb\nc", "2dd", "|c"),
            ("|a\nb\nc", "dj", "|c"),
            ("a\n|b\nc", "dk", "|c"),
            ("|a\nb\nc", "dG", "|"),
            ("a\n|bc\nd", "ccx", "a\nx|\nd"),
            ("|abc", "x", "|bc"),
            ("|abc", "2x", "|c"),
            ("ab|c", "x", "a|b"),
            ("ab|c", "X", "a|c"),
            ("|abc", "rx", "|xbc"),
            ("|abc", "3rx", "xx|x"),
            ("|abc", "sx<esc>", "|xbc"),
            ("one |two", "dq", "one |two"),
            ("one |two", "d<esc>w", "one tw|o"),
        ] {
            check(before, keys, after);
        }
    }

    #[test]
    fn what_was_taken_is_put_beside_the_cursor_or_the_line() {
        for (before, keys, after) in [
            ("|ab", "xp", "b|a"),
            ("|ab", "x2p", "ba|a"),
            ("a|b", "xP", "|ba"),
            ("|one two", "ywP", "one| one two"),
            ("|a\nb", "ddp", "b\n|a"),
            ("a\n|b", "ddP", "|b\na"),
            ("|a\nb", "yyp", "a\n|a\nb"),
            ("|a\nb", "Y2p", "a\n|a\na\nb"),
            ("|a\nb", "yjG", "a\n|b"),
        ] {
            check(before, keys, after);
        }
    }

    #[test]
    fn insert_begins_where_its_key_says_and_undo_takes_it_back() {
        for (before, keys, after) in [
            ("a|b", "ix<esc>", "a|xb"),
            ("a|b", "ax<esc>", "ab|x"),
            ("  a|b", "Ix<esc>", "  |xab"),
            ("|ab", "Ax<esc>", "ab|x"),
            ("|a\nb", "ox<esc>", "a\n|x\nb"),
            ("a\n|b", "Ox<esc>", "a\n|x\nb"),
            ("|ab", "xu", "|ab"),
            ("|abc", "xx2u", "|abc"),
            ("|", "x", "|"),
            ("|", "p", "|"),
        ] {
            check(before, keys, after);
        }
    }

    #[test]
    fn rows_are_asked_for_and_a_begun_command_can_be_dropped() {
        let (mut vim, mut buffer) = (Vim::default(), at("a|b"));
        vim.leave_insert(&mut buffer);
        assert_eq!((vim.press('j', &mut buffer), vim.press('k', &mut buffer)), (Asks::Down(1), Asks::Up(1)));
        assert_eq!((vim.press('3', &mut buffer), vim.press('k', &mut buffer)), (Asks::Nothing, Asks::Up(3)));
        vim.press('d', &mut buffer);
        assert!(vim.is_pending());
        vim.leave_insert(&mut buffer);
        assert!(!vim.is_pending() && vim.mode() == Mode::Normal);
    }
}
