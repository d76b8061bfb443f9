//! The end of an answer as plain sentences: what Markdown and typography put around the words is taken off.
//!
//! Not a Markdown parser: it looks line by line for what the last paragraph is, and gives nothing where that is code, a
//! list, a quote or a table. The surprising decision: a long answer has no end here. Who says more than a screenful reports,
//! and what stands below a report is good manners and no announcement.

use super::{Patterns, pattern};
use crate::text::blank::is_invisible;

/// Bytes of prose of a short answer: a usual screen of 24 rows by 80 columns. The longest announcements in the tables of
/// cases have a quarter of it. Bytes, because a Chinese character takes three and says about as much more.
const SCREENFUL: usize = 24 * 80;

/// Stands in the place of what is quoted.
const QUOTED: char = '§';

/// Marks of list items, each followed by a space.
const BULLETS: [char; 8] = ['-', '*', '+', '•', '‣', '●', '◦', '–'];

/// What opens a quotation, and what closes it.
const QUOTES: [(char, char); 7] =
    [('"', '"'), ('“', '”'), ('„', '“'), ('「', '」'), ('『', '』'), ('«', '»'), ('《', '》')];

/// Where a sentence ends. Full-width marks are ASCII ones with a space behind them by then, but for the full stop.
static SENTENCE_END: Patterns = Patterns::new(|| pattern(r"[.!?。]+[)\]}'§]*(?:\s+|$)|\n+"));

/// The last paragraph.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ending {
    pub(super) place: Place,
    /// As they stand, none of them empty.
    pub(super) sentences: Vec<Sentence>,
}

/// What the last paragraph is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Words,
    Heading,
}

/// One sentence.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sentence {
    /// In lower case, without marks at its ends, typographic signs as on a keyboard, quotations as `§`.
    pub(super) text: String,
    pub(super) end: End,
}

/// How a sentence ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Stop,
    Question,
    Colon,
    Dots,
}

impl Ending {
    /// The end of `text`, if it is short and ends in words.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut scan = Scan::default();
        for line in without_comment(text).lines() {
            scan.take(line);
            if scan.prose > SCREENFUL {
                return None;
            }
        }
        let place = match scan.last {
            Last::Words => Place::Words,
            Last::Heading => Place::Heading,
            Last::Other => return None,
        };
        Some(Self { place, sentences: split(&unquote(&join(&scan.paragraph))) })
    }
}

/// What has been seen of the lines so far.
#[derive(Default)]
struct Scan<'a> {
    /// Bytes outside of code.
    prose: usize,
    fence: Option<Fence>,
    /// What is indented belongs to an item above.
    in_list: bool,
    /// An empty line came after the last one that was not.
    gap: bool,
    last: Last,
    paragraph: Vec<&'a str>,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Last {
    Words,
    Heading,
    /// Code, a list, a quote, a table, or nothing at all.
    #[default]
    Other,
}

/// Fenced code that is open.
#[derive(Clone, Copy)]
struct Fence {
    mark: char,
    length: usize,
}

impl<'a> Scan<'a> {
    fn take(&mut self, line: &'a str) {
        let bare = line.trim_matches(is_blank);
        if let Some(fence) = self.fence {
            if fence.is_closed_by(bare) {
                self.fence = None;
            }
            return;
        }
        if bare.is_empty() || is_rule(bare) {
            self.gap = true;
            return;
        }
        self.prose += bare.len();
        self.fence = Fence::opened_by(bare);
        let item = is_item(bare);
        if self.fence.is_some() || item || is_apart(bare) {
            self.last = Last::Other;
            self.in_list |= item;
        } else if let Some(heading) = heading(bare) {
            self.begin(Last::Heading, heading);
        } else if self.last == Last::Words && !self.gap {
            self.paragraph.push(bare);
        } else if indent(line) >= if self.in_list { 2 } else { 4 } {
            self.last = Last::Other;
        } else {
            self.begin(Last::Words, bare);
        }
        self.gap = false;
    }

    fn begin(&mut self, last: Last, line: &'a str) {
        (self.last, self.in_list) = (last, false);
        self.paragraph.clear();
        self.paragraph.push(line);
    }
}

impl Fence {
    fn opened_by(bare: &str) -> Option<Self> {
        let mark = bare.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = bare.trim_start_matches(mark);
        let length = bare.len() - info.len();
        (length >= 3 && !info.contains('`')).then_some(Self { mark, length })
    }

    fn is_closed_by(self, bare: &str) -> bool {
        bare.len() >= self.length && bare.chars().all(|c| c == self.mark)
    }
}

/// A quote, a row of a table, or code fenced within its line.
fn is_apart(bare: &str) -> bool {
    bare.starts_with(['>', '|']) || bare.starts_with("```") || bare.ends_with("```")
}

/// `- a`, `2. a`, `(3) a`, `4、a`, `①a`, `一、a`.
fn is_item(bare: &str) -> bool {
    let mut chars = bare.chars();
    let first = chars.next().unwrap_or_default();
    let bullet = BULLETS.contains(&first) && chars.next().is_none_or(is_blank);
    let inner = bare.trim_start_matches(['(', '（', '*']);
    let number = inner.trim_start_matches(|c: char| c.is_ascii_digit() || "一二三四五六七八九十".contains(c));
    let sign = number.chars().next().filter(|_| number.len() < inner.len());
    let numbered = match sign {
        Some('、' | '）') => true,
        Some('.' | '．' | ')') => inner.starts_with(|c: char| c.is_ascii_digit()) && !is_decimal(number),
        Some(_) | None => false,
    };
    bullet || numbered || ('①'..='⑳').contains(&first)
}

/// `.5`: the second half of a number.
fn is_decimal(rest: &str) -> bool {
    rest.chars().nth(1).is_some_and(|c| c.is_ascii_digit())
}

fn heading(bare: &str) -> Option<&str> {
    let words = bare.trim_start_matches('#');
    ((1..=6).contains(&(bare.len() - words.len())) && words.starts_with(' ')).then(|| words.trim())
}

/// `---`, `***`, `===`: no words.
fn is_rule(bare: &str) -> bool {
    bare.len() >= 3 && bare.chars().all(|c| matches!(c, '-' | '*' | '_' | '=' | ' '))
}

/// Columns before the words.
fn indent(line: &str) -> usize {
    line.chars().take_while(|c| matches!(c, ' ' | '\t')).map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

/// White space, and characters without a width.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_invisible(c)
}

/// A comment at the end says nothing.
fn without_comment(text: &str) -> &str {
    let trimmed = text.trim_end_matches(is_blank);
    let comment = trimmed.ends_with("-->").then(|| trimmed.rfind("<!--")).flatten();
    comment.and_then(|at| trimmed.get(..at)).unwrap_or(trimmed)
}

/// The lines of a paragraph as one text. Models seldom break lines within a sentence: only what goes on in lower case does.
fn join(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        let goes_on = line.starts_with(|c: char| c.is_ascii_lowercase() || c == '`');
        if !text.is_empty() {
            text.push(if goes_on || text.ends_with(',') { ' ' } else { '\n' });
        }
        text.push_str(plain(&shield(line)).trim_end());
    }
    text.to_lowercase()
}

/// Code within a line keeps its letters; what could be taken for an end or a quotation is taken out of it.
fn shield(line: &str) -> String {
    let parts: Vec<&str> = line.split('`').collect();
    let closed = parts.len() % 2 == 1;
    let shielded = |(at, part): (usize, &&str)| {
        if at % 2 == 1 && (closed || at + 1 < parts.len()) {
            part.replace(|c: char| !c.is_alphanumeric() && c != ' ', "_")
        } else {
            (*part).to_owned()
        }
    };
    parts.iter().enumerate().map(shielded).collect()
}

/// Emphasis is dropped, and signs are as a keyboard has them.
fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for c in line.chars() {
        match c {
            '*' | '~' => {}
            c if is_invisible(c) => {}
            '‘' | '’' | 'ʼ' | '＇' => plain.push('\''),
            '：' => plain.push_str(": "),
            '，' => plain.push_str(", "),
            '！' => plain.push_str("! "),
            '？' => plain.push_str("? "),
            '；' => plain.push_str("; "),
            '。' => plain.push_str("。 "),
            '…' => plain.push_str("..."),
            '（' => plain.push('('),
            '）' => plain.push(')'),
            c if c.is_whitespace() => plain.push(' '),
            c => plain.push(c),
        }
    }
    plain.replace("e.g.", "eg").replace("i.e.", "ie").replace("etc.", "etc").replace("vs.", "vs")
}

/// What is quoted is not said. A quotation that ends a sentence leaves the end.
fn unquote(text: &str) -> String {
    let mut rest = text;
    let mut said = String::with_capacity(text.len());
    while let Some(c) = rest.chars().next() {
        let behind = rest.get(c.len_utf8()..).unwrap_or_default();
        let close = QUOTES.iter().find(|(open, _)| *open == c).map(|(_, close)| *close);
        if let Some((quoted, after)) = close.and_then(|close| behind.split_once(close)) {
            said.push(QUOTED);
            said.extend(quoted.trim_end().chars().next_back().filter(|c| ".!?。".contains(*c)));
            rest = after;
        } else {
            said.push(c);
            rest = behind;
        }
    }
    said
}

fn split(text: &str) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    let mut from = 0;
    for end in SENTENCE_END.iter().flat_map(|end| end.find_iter(text)) {
        sentences.extend(sentence(text.get(from..end.start()).unwrap_or_default(), end.as_str()));
        from = end.end();
    }
    sentences.extend(sentence(text.get(from..).unwrap_or_default(), ""));
    sentences
}

/// None where there are no words: a row of dots, an emoji.
fn sentence(text: &str, end: &str) -> Option<Sentence> {
    let is_mark = |c: char| !c.is_alphanumeric() && !matches!(c, QUOTED | '\'');
    // Behind the words only what is no part of ":/" and its like.
    let is_ornament = |c: char| is_mark(c) && (!c.is_ascii() || matches!(c, ' ' | '_' | ']' | '}' | ','));
    let bare = text.trim_start_matches(is_mark).trim_end_matches(is_ornament);
    let end = match end {
        _ if bare.ends_with(':') => End::Colon,
        end if end.contains('?') => End::Question,
        end if end.contains("...") => End::Dots,
        _ => End::Stop,
    };
    let bare = bare.trim_end_matches([':', ' ']);
    (!bare.is_empty()).then(|| Sentence { text: bare.to_owned(), end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let shown = Ending::of(text).map(|ending| {
            let sign = |sentence: &Sentence| match sentence.end {
                End::Stop => "",
                End::Question => "?",
                End::Colon => ":",
                End::Dots => "...",
            };
            let all: Vec<String> =
                ending.sentences.iter().map(|sentence| sentence.text.clone() + sign(sentence)).collect();
            all.join("|")
        });
        assert_eq!(shown.as_deref(), expected, "{text:?}");
    }

    #[test]
    fn the_last_paragraph_is_cut_into_sentences() {
        check("One.\n\nTwo. Three? Four: five...", Some("two|three?|four: five..."));
        check("One\nTwo\nand three", Some("one|two and three"));
        check("Plan:\n\n---\n", Some("plan:"));
        check("真的吗？让我看看。好", Some("真的吗?|让我看看|好"));
        check("Version 1.2 of a.rs, e.g. this. 🔍 …", Some("version 1.2 of a.rs, eg this"));
        check("# Title\n\n### **Read** `it`:", Some("read it:"));
        check("Done.\n\u{200b}\n<!-- a\nnote -->", Some("done"));
    }

    #[test]
    fn what_is_put_around_words_is_taken_off() {
        check("**I’ll** look—", Some("i'll look"));
        check("Run `a; b. c` now", Some("run a_ b_ c now"));
        check("An odd ` tick. Two", Some("an odd  tick|two"));
        check("It says \"Do it. Now.\" Then “done”.", Some("it says §|then §"));
        check("5\" wide", Some("5\" wide"));
    }

    #[test]
    fn what_is_no_paragraph_is_none() {
        for text in [
            "",
            " \n",
            "- a",
            "1. a",
            "2) a",
            "3、a",
            "（一）a",
            "> a",
            "| a |",
            "```\na\n```",
            "```\na",
            "~~~\n```\na",
            "a\n\n    b",
            "- a\n\n  b",
            "```a```",
            "a\n\n① b",
        ] {
            check(text, None);
        }
        check("- a\n\nb", Some("b"));
        check("- a\nb", Some("b"));
        check("```\na\n```\nb", Some("b"));
        check("3.5 times\n  as much", Some("3.5 times as much"));
    }

    #[test]
    fn more_than_a_screenful_has_no_end_but_code_does_not_count() {
        let line = "word ".repeat(15) + "words";
        check(&format!("{}End.", format!("{line}\n\n").repeat(24)), None);
        check(&format!("{}End.", format!("{line}\n\n").repeat(23)), Some("end"));
        check(&format!("```\n{}```\nEnd.", format!("{line}\n").repeat(100)), Some("end"));
        check(&"词".repeat(641), None);
    }
}
