//! Text in a line: words in their styles, links, images, breaks.
//!
//! Not laid out: what comes out are logical lines, one more for each hard break.

use ratatui::style::Style;
use ratatui::text::Span;

use crate::text::sanitize::sanitize;
use crate::tui::screen::link::{Part, mark, marked};
use crate::tui::view::theme::{Role, Theme};

use super::autolink;

/// Logical lines under construction.
pub(super) struct Inline {
    theme: Theme,
    done: Vec<Vec<Span<'static>>>,
    line: Vec<Span<'static>>,
    styles: Vec<Style>,
    /// A line end of the source that becomes a space if a word follows.
    soft: bool,
    link: Option<Target>,
    images: Vec<Target>,
}

/// What a link or an image points to, and the words in between so far.
struct Target {
    url: String,
    words: String,
}

impl Inline {
    pub(super) fn new(theme: Theme) -> Self {
        Self {
            theme,
            done: Vec::new(),
            line: Vec::new(),
            styles: Vec::new(),
            soft: false,
            link: None,
            images: Vec::new(),
        }
    }

    /// The lines so far; what follows begins anew. A break at the very end is none.
    pub(super) fn take(&mut self) -> Vec<Vec<Span<'static>>> {
        self.hard_break();
        while self.done.last().is_some_and(Vec::is_empty) {
            self.done.pop();
        }
        std::mem::take(&mut self.done)
    }

    pub(super) fn text(&mut self, text: &str) {
        self.push(text, self.style());
    }

    pub(super) fn code(&mut self, text: &str) {
        self.push(text, self.style().patch(self.theme.style(Role::Code)));
    }

    /// From here on in the style of a role, until the matching [`Inline::leave`].
    pub(super) fn enter(&mut self, role: Role) {
        self.styles.push(self.style().patch(self.theme.style(role)));
    }

    pub(super) fn leave(&mut self) {
        self.styles.pop();
    }

    pub(super) fn soft_break(&mut self) {
        self.soft = true;
    }

    pub(super) fn hard_break(&mut self) {
        if self.images.is_empty() {
            self.soft = false;
            let mut line = std::mem::take(&mut self.line);
            autolink::link(&mut line, self.theme.style(Role::Link));
            self.done.push(line);
        } else {
            self.soft = true;
        }
    }

    pub(super) fn enter_link(&mut self, url: &str) {
        let url = sanitize(url).replace('\n', "");
        let style = mark(self.style().patch(self.theme.style(Role::Link)), Part::Words, &url);
        self.styles.push(style);
        self.link = Some(Target { url, words: String::new() });
    }

    /// Closes a link: its address follows where the words are not the address already.
    pub(super) fn leave_link(&mut self) {
        self.leave();
        let Some(Target { url, words }) = self.link.take() else { return };
        let bare = url.strip_prefix("mailto:").unwrap_or(&url).trim_end_matches('/');
        if bare.is_empty() || bare == words.trim_end_matches('/') {
            return self.words_are_address(&url, &words);
        }
        let style = self.style().patch(self.theme.style(Role::Dim));
        self.push(" (", style);
        self.push(&url, mark(style, Part::Address, &url));
        self.push(")", style);
    }

    /// The words of the link just closed are what can be seen of its address.
    fn words_are_address(&mut self, url: &str, words: &str) {
        let sought = marked(mark(Style::new(), Part::Words, url));
        let own =
            self.line.iter_mut().rev().take_while(|span| sought.is_some() && marked(span.style) == sought);
        own.for_each(|span| span.style = mark(span.style, Part::Address, words));
    }

    pub(super) fn enter_image(&mut self, url: &str) {
        self.images.push(Target { url: url.to_owned(), words: String::new() });
    }

    pub(super) fn leave_image(&mut self) {
        let Some(Target { url, words }) = self.images.pop() else { return };
        let name = if words.is_empty() { url } else { words };
        match self.images.last_mut() {
            Some(outer) => outer.words.push_str(&name),
            None => {
                self.push(&format!("[image: {name}]"), self.style().patch(self.theme.style(Role::Dim)));
            }
        }
    }

    fn push(&mut self, text: &str, style: Style) {
        let clean = sanitize(text).replace('\n', " ");
        let Some(first) = clean.chars().next() else { return };
        let soft = std::mem::take(&mut self.soft);
        if let Some(image) = self.images.last_mut() {
            if soft {
                image.words.push(' ');
            }
            image.words.push_str(&clean);
            return;
        }
        if let Some(link) = &mut self.link {
            link.words.push_str(&clean);
        }
        let last = self.line.last().and_then(|span| span.content.chars().last());
        let spaced = soft && !(is_unspaced(first) && last.is_some_and(is_unspaced));
        let text = if spaced { format!(" {clean}") } else { clean };
        match self.line.last_mut() {
            Some(span) if span.style == style => span.content.to_mut().push_str(&text),
            _ => self.line.push(Span::styled(text, style)),
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }
}

/// Chinese and Japanese are written without spaces, so that a line end between two characters is none either.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{ff01}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}')
}
