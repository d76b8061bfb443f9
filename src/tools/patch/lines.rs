//! The lines of a patch, and what may stand around it: heredocs, fences, padding. Pure.
//!
//! Numbers are those of the text as it came, wrapping and all: the model has nothing else to count by.

use super::form::Malformed;

/// A line that is not one of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark<'a> {
    Begin,
    End,
    Add(&'a str),
    Delete(&'a str),
    Update(&'a str),
    MoveTo(&'a str),
    EndOfFile,
    Unknown,
}

/// The mark that stands at the very beginning of a line; blanks behind it do not count.
pub(super) fn mark(line: &str) -> Option<Mark<'_>> {
    let words = line.strip_prefix("***")?.trim();
    let with = |name: &str| words.strip_prefix(name).map(str::trim);
    Some(match words {
        "Begin Patch" => Mark::Begin,
        "End Patch" => Mark::End,
        "End of File" => Mark::EndOfFile,
        _ => with("Add File:")
            .map(Mark::Add)
            .or_else(|| with("Delete File:").map(Mark::Delete))
            .or_else(|| with("Update File:").map(Mark::Update))
            .or_else(|| with("Move to:").map(Mark::MoveTo))
            .unwrap_or(Mark::Unknown),
    })
}

/// What stands around the patch: words of heredocs that are still open.
pub(super) type Wrapping<'a> = Vec<&'a str>;

/// The lines, and which of them is next.
pub(super) struct Lines<'a> {
    lines: Vec<&'a str>,
    /// The number (from 0) of the next line.
    pub(super) next: usize,
}

impl<'a> Lines<'a> {
    /// The lines of a text, whatever they end in.
    pub(super) fn new(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        Self { lines, next: 0 }
    }

    /// The next line.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.next).copied()
    }

    /// A line further on; empty behind the last.
    pub(super) fn ahead(&self, by: usize) -> &'a str {
        self.lines.get(self.next + by).copied().unwrap_or_default()
    }

    /// Goes on to the next line with more than blanks.
    pub(super) fn skip_blank(&mut self) {
        while self.peek().is_some_and(|line| line.trim().is_empty()) {
            self.next += 1;
        }
    }

    /// Goes on to the next line that holds something, be it blanks.
    pub(super) fn skip_empty(&mut self) {
        while self.peek() == Some("") {
            self.next += 1;
        }
    }

    /// This line is wrong.
    pub(super) fn wrong_here(&self, why: impl Into<String>) -> Malformed {
        Malformed { line: (self.next + 1).min(self.lines.len()), why: why.into() }
    }

    /// Something else belongs here.
    pub(super) fn expected(&self, what: &str) -> Malformed {
        match self.peek() {
            Some(line) => self.wrong_here(format!("expected {what}, found `{}`", shortened(line))),
            None => self.wrong_here(format!("expected {what}, but the patch ends here")),
        }
    }

    /// Goes to the first line after `*** Begin Patch`, through fences and heredocs.
    pub(super) fn unwrap_begin(&mut self) -> Result<Wrapping<'a>, Malformed> {
        let mut open = Vec::new();
        loop {
            self.skip_blank();
            let line = self.peek().unwrap_or_default();
            if mark(line.trim_start()) == Some(Mark::Begin) {
                self.remove_padding(line);
                self.next += 1;
                return Ok(open);
            }
            if let Some(word) = heredoc(line) {
                open.push(word);
            } else if !is_fence(line) {
                return Err(self.expected("`*** Begin Patch`"));
            }
            self.next += 1;
        }
    }

    /// Takes the blanks before `*** Begin Patch` from all lines, if all have them; else from the last mark alone.
    fn remove_padding(&mut self, begin: &str) {
        let (padding, _) = begin.split_at(begin.len() - begin.trim_start().len());
        let rest = self.lines.get(self.next..).unwrap_or_default();
        let last = rest.iter().rposition(|line| line.trim() == "*** End Patch").unwrap_or(0);
        let padded = |line: &&str| line.starts_with(padding) || line.trim().is_empty();
        if !padding.is_empty() && rest.iter().take(last + 1).all(padded) {
            for line in self.lines.iter_mut().skip(self.next).take(last + 1) {
                *line = line.strip_prefix(padding).unwrap_or_default();
            }
        }
        if let Some(line) = self.lines.get_mut(self.next + last) {
            *line = line.trim();
        }
    }

    /// After `*** End Patch`: whether another patch follows; anything else may only close what is open.
    pub(super) fn ends_or_goes_on(&mut self, open: &Wrapping<'_>) -> Result<bool, Malformed> {
        loop {
            self.skip_blank();
            match self.peek() {
                None => return Ok(false),
                Some(line) if mark(line.trim_start()) == Some(Mark::Begin) => {
                    self.next += 1;
                    return Ok(true);
                }
                Some(line) if is_fence(line) || open.contains(&line.trim()) => self.next += 1,
                Some(_) => return Err(self.expected("nothing after `*** End Patch`")),
            }
        }
    }
}

/// A fence of Markdown, with or without a language.
fn is_fence(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("```") || line.starts_with("~~~")
}

/// The word that ends the heredoc which this line begins; only of commands that take a patch or print it.
fn heredoc(line: &str) -> Option<&str> {
    const COMMANDS: [&str; 5] = ["", "apply_patch", "applypatch", "ApplyPatch", "cat"];
    let (command, word) = line.trim().split_once("<<")?;
    let word = word.trim_start_matches('-').trim().trim_matches(['\'', '"', '\\']);
    let is_word = !word.is_empty() && word.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    (COMMANDS.contains(&command.trim()) && is_word).then_some(word)
}

fn shortened(line: &str) -> String {
    const LONGEST: usize = 60;
    match line.char_indices().nth(LONGEST).and_then(|(end, _)| line.get(..end)) {
        Some(start) => format!("{start}…"),
        None => line.to_owned(),
    }
}
