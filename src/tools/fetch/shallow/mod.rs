//! A page as a shallow page: what a reader wants of it, in few tags that are never deep and always closed.
//!
//! Not Markdown yet: that is made of the result by a crate (`markdown`), which builds a tree and walks it. Such a tree can be
//! as deep as the page is long and its tables as wide as they are high, and either would end the program; so the tags are
//! counted here, before there is a tree. The surprise: nothing is repaired. A tag that does not fit where it stands loses its
//! meaning and keeps its text.

mod code;
mod open;
mod pieces;
mod starts;
mod table;
mod tags;

#[cfg(test)]
mod tests;

use crate::os::http::WebUrl;

use self::code::CodeBlock;
use self::open::Open;
use self::pieces::{Piece, Pieces, Tag, read_entities};
use self::table::TableShape;
use self::tags::{Meaning, meaning};

/// A link that is longer was never closed.
const LONGEST_LINK: usize = 4_000;
/// Where the page ends whatever follows: relative links, written out, can make much of little.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// What a reader wants of a page.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shallow {
    /// Its text, in tags of no depth.
    pub(super) html: String,
    /// Its name, in one line; empty where it has none.
    pub(super) title: String,
}

/// The page at this address.
pub(super) fn shallow(page: &str, at: &WebUrl) -> Shallow {
    // navigation that never ends is a page that was written badly
    [Drops::Navigation, Drops::Programs]
        .into_iter()
        .find_map(|drops| read(page, at, drops))
        .unwrap_or_default()
}

/// How much is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Drops {
    /// What is no text for readers, and what leads elsewhere.
    Navigation,
    /// Programs and styles alone.
    Programs,
}

/// None where something that is dropped never ends.
fn read(page: &str, at: &WebUrl, drops: Drops) -> Option<Shallow> {
    let mut writer = Writer::new(at.clone(), drops);
    for piece in Pieces::of(page) {
        if writer.out.len() > MOST_BYTES {
            break;
        }
        match piece {
            _ if writer.passes_over(piece) => {}
            Piece::Text(text) => writer.text(text),
            Piece::Start(tag) => writer.start(&tag),
            Piece::End(name) => writer.end(meaning(name)),
        }
    }
    writer.finish()
}

#[derive(Debug)]
struct Writer {
    out: String,
    open: Vec<Open>,
    /// The next text is a paragraph of its own.
    apart: bool,
    base: WebUrl,
    title: Title,
    drops: Drops,
    dropping: Option<Dropping>,
    code: Option<CodeBlock>,
    table: TableShape,
    /// Lists, quotes and tables that were passed over because they stood too deep.
    passed: Passed,
}

#[derive(Debug)]
enum Title {
    Unknown,
    Reading(String),
    Known(String),
}

/// An element that is passed over, with how many of its name are open.
#[derive(Debug)]
struct Dropping {
    name: String,
    depth: usize,
    meaning: Meaning,
}

#[derive(Debug, Default)]
struct Passed {
    lists: usize,
    quotes: usize,
    tables: usize,
}

impl Writer {
    fn new(base: WebUrl, drops: Drops) -> Self {
        Self {
            out: String::new(),
            open: Vec::new(),
            apart: false,
            base,
            title: Title::Unknown,
            drops,
            dropping: None,
            code: None,
            table: TableShape::default(),
            passed: Passed::default(),
        }
    }

    fn finish(mut self) -> Option<Shallow> {
        if self.dropping.as_ref().is_some_and(|dropping| dropping.meaning == Meaning::DroppedIfClosed) {
            return None;
        }
        self.end_code();
        self.close_down_to(0);
        let (Title::Known(title) | Title::Reading(title)) = self.title else {
            return Some(Shallow { html: self.out, title: String::new() });
        };
        let title = read_entities(&title).split_whitespace().collect::<Vec<_>>().join(" ");
        Some(Shallow { html: self.out, title })
    }

    /// Whether the piece belongs to something that is dropped; begins and ends that.
    fn passes_over(&mut self, piece: Piece<'_>) -> bool {
        let Some(dropping) = &mut self.dropping else {
            let Piece::Start(tag) = piece else { return false };
            let meaning = meaning(tag.name);
            let if_closed = self.drops == Drops::Navigation && !tag.closes_itself();
            let is_dropped =
                meaning == Meaning::Dropped || (meaning == Meaning::DroppedIfClosed && if_closed);
            if is_dropped {
                self.dropping = Some(Dropping { name: tag.name.to_ascii_lowercase(), depth: 1, meaning });
            }
            return is_dropped;
        };
        match piece {
            Piece::Start(tag) if tag.name.eq_ignore_ascii_case(&dropping.name) => dropping.depth += 1,
            Piece::End(name) if name.eq_ignore_ascii_case(&dropping.name) => dropping.depth -= 1,
            Piece::Start(_) | Piece::End(_) | Piece::Text(_) => {}
        }
        if dropping.depth == 0 {
            self.dropping = None;
        }
        true
    }

    fn text(&mut self, text: &str) {
        if let Title::Reading(title) = &mut self.title {
            title.push_str(text);
        } else if let Some(code) = &mut self.code {
            code.push(text);
        } else if text.trim_ascii().is_empty() {
            self.space();
        } else {
            if let Some((at, start)) = self.link()
                && self.out.len().saturating_sub(start) > LONGEST_LINK
            {
                self.close_down_to(at);
            }
            self.place();
            escape(text, &mut self.out);
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
        let meaning = meaning(tag.name);
        if let Some(code) = &mut self.code {
            return code.take(meaning, tag);
        }
        match meaning {
            Meaning::Title => self.start_title(),
            Meaning::Base => self.rebase(tag),
            Meaning::Meta => self.refresh(tag),
            Meaning::Block => self.block(),
            Meaning::Heading(level) => self.start_heading(level),
            Meaning::Words(words) => self.start_words(words),
            Meaning::Link => self.start_link(tag),
            Meaning::Image => self.image(tag),
            Meaning::Break => self.line_break(),
            Meaning::Rule => self.rule(),
            Meaning::Preformatted => self.start_code(tag),
            Meaning::Quote => self.start_quote(),
            Meaning::List(list) => self.start_list(list, tag),
            Meaning::Item => self.start_item(),
            Meaning::Table => self.start_table(),
            Meaning::Caption => self.start_caption(),
            Meaning::Row => self.start_row(),
            Meaning::Cell(cell) => self.start_cell(cell),
            Meaning::Dropped | Meaning::DroppedIfClosed | Meaning::Transparent => {}
        }
    }

    fn end(&mut self, meaning: Meaning) {
        if self.code.is_some() {
            if meaning == Meaning::Preformatted {
                self.end_code();
            }
            return;
        }
        match meaning {
            Meaning::Title => {
                if let Title::Reading(title) = &mut self.title {
                    self.title = Title::Known(std::mem::take(title));
                }
            }
            Meaning::Block | Meaning::Item => self.block(),
            Meaning::Heading(_) => self.end_innermost(|open| matches!(open, Open::Heading(_))),
            Meaning::Words(words) => {
                self.end_innermost(|open| matches!(open, Open::Words(found, _, _) if found == words));
            }
            Meaning::Link => self.end_innermost(|open| matches!(open, Open::Link(..))),
            Meaning::Quote if self.passed.quotes > 0 => {
                self.passed.quotes -= 1;
                self.block();
            }
            Meaning::Quote => self.end_container(|open| open == Open::Quote),
            Meaning::List(_) if self.passed.lists > 0 => {
                self.passed.lists -= 1;
                self.block();
            }
            Meaning::List(_) => self.end_container(|open| matches!(open, Open::List(_))),
            Meaning::Table if self.passed.tables > 0 => {
                self.passed.tables -= 1;
                self.block();
            }
            Meaning::Row | Meaning::Cell(_) | Meaning::Caption if self.passed.tables > 0 => self.block(),
            Meaning::Table => self.end_table_part(|open| open == Open::Table),
            Meaning::Row => self.end_table_part(|open| open == Open::Row),
            Meaning::Cell(_) => self.end_table_part(|open| matches!(open, Open::Cell(..))),
            Meaning::Caption => self.end_table_part(|open| open == Open::Caption),
            Meaning::Dropped
            | Meaning::DroppedIfClosed
            | Meaning::Base
            | Meaning::Meta
            | Meaning::Image
            | Meaning::Break
            | Meaning::Rule
            | Meaning::Preformatted
            | Meaning::Transparent => {}
        }
    }
}

/// Entities stay entities.
fn escape(text: &str, out: &mut String) {
    for part in text.split_inclusive(['<', '>']) {
        match (part.strip_suffix('<'), part.strip_suffix('>')) {
            (Some(before), _) => {
                out.push_str(before);
                out.push_str("&lt;");
            }
            (None, Some(before)) => {
                out.push_str(before);
                out.push_str("&gt;");
            }
            (None, None) => out.push_str(part),
        }
    }
}

fn escape_value(value: &str, out: &mut String) {
    for c in value.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c => out.push(c),
        }
    }
}
