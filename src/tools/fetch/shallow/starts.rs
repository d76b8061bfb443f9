//! What begins in the shallow page: headings, words, links, pictures, quotations, lists.
//!
//! Each asks first whether it may stand where it stands; if not, it sets its text apart and is otherwise passed over.

use super::open::Open;
use super::pieces::Tag;
use super::tags::{List, Words};
use super::{Title, Writer, escape_value};

/// Levels that are kept; what is deeper stands at the deepest of them.
const MOST_LISTS: usize = 10;
const MOST_QUOTES: usize = 8;

impl Writer {
    pub(super) fn start_title(&mut self) {
        if matches!(self.title, Title::Unknown) {
            self.title = Title::Reading(String::new());
        }
    }

    pub(super) fn rebase(&mut self, tag: &Tag<'_>) {
        if let Some(base) = tag.attribute("href").and_then(|href| self.base.join(&href).ok()) {
            self.base = base;
        }
    }

    /// Names the address that the page redirects to by itself, if it does.
    pub(super) fn refresh(&mut self, tag: &Tag<'_>) {
        let is_refresh =
            tag.attribute("http-equiv").is_some_and(|name| name.trim().eq_ignore_ascii_case("refresh"));
        let Some(content) = tag.attribute("content").filter(|_| is_refresh) else { return };
        let Some(url) = refresh_target(&content).and_then(|target| self.base.link(target)) else { return };
        self.block();
        self.place();
        self.out.push_str("This page redirects to <a href=\"");
        escape_value(&url, &mut self.out);
        self.out.push_str("\">");
        escape_value(&url, &mut self.out);
        self.out.push_str("</a>");
        self.block();
    }

    pub(super) fn start_heading(&mut self, level: u8) {
        if self.link().is_some() {
            return self.block();
        }
        if !self.stands_apart() {
            return;
        }
        self.push(Open::Heading(level), &format!("<h{level}>"));
    }

    pub(super) fn start_words(&mut self, words: Words) {
        if self.inner(|open| matches!(open, Open::Words(found, _, _) if found == words)).is_some() {
            return;
        }
        let end = format!("</{}>", words.tag());
        if !self.apart && self.out.ends_with(&end) {
            // `<b>a</b><b>b</b>` is one; it is never blank
            self.out.truncate(self.out.len() - end.len());
            self.open.push(Open::Words(words, 0, 0));
            return;
        }
        self.place();
        let start = self.out.len();
        self.out.push('<');
        self.out.push_str(words.tag());
        self.out.push('>');
        self.open.push(Open::Words(words, start, self.out.len()));
    }

    pub(super) fn start_link(&mut self, tag: &Tag<'_>) {
        if let Some((at, _)) = self.link() {
            self.close_down_to(at);
        }
        let Some(url) = tag.attribute("href").and_then(|href| self.base.link(&href)) else { return };
        self.place();
        let start = self.out.len();
        self.out.push_str("<a href=\"");
        escape_value(&url, &mut self.out);
        self.out.push_str("\">");
        self.open.push(Open::Link(start, self.out.len()));
    }

    /// A picture with its words; one without words by intent is decoration.
    pub(super) fn image(&mut self, tag: &Tag<'_>) {
        let alt = tag.attribute("alt");
        if alt.as_ref().is_some_and(|alt| alt.trim().is_empty()) {
            return;
        }
        // a page that loads its pictures late has them there
        let mut sources = ["src", "data-src"].into_iter();
        let Some(url) = sources.find_map(|name| self.base.link(&tag.attribute(name)?)) else {
            return;
        };
        self.place();
        self.out.push_str("<img src=\"");
        escape_value(&url, &mut self.out);
        self.out.push_str("\" alt=\"");
        escape_value(&alt.unwrap_or_default(), &mut self.out);
        self.out.push_str("\">");
    }

    pub(super) fn line_break(&mut self) {
        let holds_words = !matches!(self.open.last(), Some(Open::List(_) | Open::Table | Open::Row));
        if self.is_in_one_line() {
            self.space();
        } else if holds_words && !self.apart {
            self.out.push_str("<br>");
        }
    }

    pub(super) fn rule(&mut self) {
        if self.stands_apart() {
            self.out.push_str("<hr>");
            self.apart = true;
        }
    }

    /// Ends what stood before, and tells whether a block can stand here: cells hold words alone.
    pub(super) fn stands_apart(&mut self) -> bool {
        self.close_block();
        self.enter();
        let is_free = self.cell().is_none();
        if is_free {
            self.apart = false;
        } else {
            self.block();
        }
        is_free
    }

    pub(super) fn start_quote(&mut self) {
        let depth = self.open.iter().filter(|open| **open == Open::Quote).count();
        if depth >= MOST_QUOTES || !self.stands_apart() {
            self.passed.quotes += 1;
            return self.block();
        }
        self.push(Open::Quote, "<blockquote>");
    }

    pub(super) fn start_list(&mut self, list: List, tag: &Tag<'_>) {
        let depth = self.open.iter().filter(|open| matches!(open, Open::List(_))).count();
        if depth >= MOST_LISTS || !self.stands_apart() {
            self.passed.lists += 1;
            return self.block();
        }
        // nine digits are as many as Markdown reads
        let start = tag.attribute("start").filter(|start| (1..=9).contains(&start.len()));
        let start = start.filter(|start| list == List::Numbers && start.bytes().all(|b| b.is_ascii_digit()));
        match start {
            Some(start) => self.push(Open::List(list), &format!("<ol start=\"{start}\">")),
            None => self.push(Open::List(list), &format!("<{}>", list.tag())),
        }
    }

    pub(super) fn start_item(&mut self) {
        let from = self.cell().map_or(0, |cell| cell + 1);
        match self.open.iter().rposition(|open| matches!(open, Open::List(_))) {
            Some(list) if list >= from => {
                self.close_down_to(list + 1);
                self.apart = false;
                self.push(Open::Item, "<li>");
            }
            Some(_) | None => self.block(),
        }
    }
}

/// The address in `5; url='/next'`; none where the page only reloads itself.
fn refresh_target(content: &str) -> Option<&str> {
    let (_, target) = content.split_once([';', ','])?;
    let target = target.trim_start();
    let (name, value) = target.split_at_checked(3)?;
    let target = match value.trim_start().strip_prefix('=') {
        Some(value) if name.eq_ignore_ascii_case("url") => value.trim_start(),
        Some(_) | None => target,
    };
    Some(target.trim_matches(['"', '\'', ' ']))
}
