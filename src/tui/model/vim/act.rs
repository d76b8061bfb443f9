//! What vi does to the text once it is known to what: taking, putting, beginning to insert.

use std::ops::Range;

use super::motion::{self, Way};
use super::{Buffer, Draft, Mode, Operator, Register, Span, Vim};

impl Vim {
    pub(super) fn take_units(&mut self, operator: Operator, range: Range<usize>, buffer: &mut Buffer) {
        self.register = Register { draft: buffer.draft().part(range.clone()), span: Span::Units };
        let start = range.start;
        match operator {
            Operator::Yank => buffer.go_to(start),
            Operator::Delete => buffer.replace(range, Draft::default()),
            Operator::Change => {
                buffer.replace(range, Draft::default());
                self.mode = Mode::Insert;
            }
        }
    }

    pub(super) fn take_lines(&mut self, operator: Operator, lines: Range<usize>, buffer: &mut Buffer) {
        self.register = Register { draft: buffer.draft().part(lines.clone()), span: Span::Lines };
        match operator {
            Operator::Yank => buffer.go_to(buffer.cursor().min(lines.end)),
            Operator::Change => {
                buffer.replace(lines, Draft::default());
                self.mode = Mode::Insert;
            }
            Operator::Delete => {
                let draft = buffer.draft();
                let (after, before) = (draft.next(lines.end), draft.prev(lines.start));
                let all = if after > lines.end { lines.start..after } else { before..lines.end };
                buffer.replace(all, Draft::default());
                let at = motion::first_word(buffer.draft(), buffer.cursor());
                buffer.go_to(at);
            }
        }
    }

    pub(super) fn put(&mut self, side: Way, buffer: &mut Buffer) {
        let count = self.times();
        self.forget();
        let Register { draft: piece, span } = self.register.clone();
        let (draft, at) = (buffer.draft(), buffer.cursor());
        let (start, end) = (draft.line_start(at), draft.line_end(at));
        let newline = || Draft::plain('\n');
        let mut all = Draft::default();
        match (span, side) {
            (Span::Units, _) => {
                (0..count).for_each(|_| all.push(piece.clone()));
                let to = if side == Way::Right { motion::right(draft, at, 1, end) } else { at };
                buffer.replace(to..to, all);
                let back = buffer.draft().prev(buffer.cursor());
                buffer.go_to(back.max(to.min(buffer.cursor())));
            }
            (Span::Lines, Way::Right) => {
                (0..count)
                    .for_each(|_| [newline(), piece.clone()].into_iter().for_each(|part| all.push(part)));
                buffer.replace(end..end, all);
                let first = buffer.draft().next(end);
                buffer.go_to(motion::first_word(buffer.draft(), first));
            }
            (Span::Lines, Way::Left) => {
                (0..count)
                    .for_each(|_| [piece.clone(), newline()].into_iter().for_each(|part| all.push(part)));
                buffer.replace(start..start, all);
                buffer.go_to(motion::first_word(buffer.draft(), start));
            }
        }
    }

    pub(super) fn replace_unit(&mut self, key: char, buffer: &mut Buffer) {
        let count = self.times();
        self.forget();
        let (draft, at) = (buffer.draft(), buffer.cursor());
        let end = motion::right(draft, at, count, draft.line_end(at));
        if at < end {
            buffer.replace(at..end, Draft::plain(key.to_string().repeat(count)));
            let back = buffer.draft().prev(buffer.cursor());
            buffer.go_to(back);
        }
    }

    pub(super) fn insert(&mut self, key: char, buffer: &mut Buffer) {
        self.begin_insert();
        let (draft, at) = (buffer.draft(), buffer.cursor());
        let (start, end) = (draft.line_start(at), draft.line_end(at));
        match key {
            'a' => buffer.go_to(motion::right(draft, at, 1, end)),
            'I' => buffer.go_to(motion::first_word(draft, at)),
            'A' => buffer.go_to(end),
            'o' => buffer.replace(end..end, Draft::plain('\n')),
            'O' => {
                buffer.replace(start..start, Draft::plain('\n'));
                buffer.go_to(start);
            }
            _ => {}
        }
    }
}
