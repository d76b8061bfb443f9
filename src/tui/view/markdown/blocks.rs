//! The blocks of a Markdown text, laid out one below the other.
//!
//! Not recursive: containers (quotes, lists, items) are a stack, so that a hostile depth costs memory and not the
//! stack. Blocks are set apart by one empty line; in and before lists only where the source has one, which can be
//! seen on the spot, while the looseness of a whole list cannot while it is still arriving.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use ratatui::text::{Line, Span};

use crate::text::highlight::Highlighter;
use crate::text::sanitize::sanitize_line;
use crate::tui::model::live::Gap;
use crate::tui::view::theme::{Role, Theme};
use crate::tui::view::wrap::{Prefix, spans_width, trim_end, width, wrap};

use super::inline::Inline;
use super::table::Table;
use super::{Printed, code};

/// Columns kept for text; containers further out give way.
const LEAST: usize = 16;

/// The layout of one text.
pub(super) struct Blocks {
    columns: usize,
    theme: Theme,
    out: Vec<Printed>,
    stack: Vec<Frame>,
    /// How many of the containers are quotes.
    quotes: usize,
    /// How many containers are around the empty line that is due before the next line.
    gap: Option<usize>,
    /// Whether a paragraph or the like is open, and its words.
    prose: bool,
    inline: Inline,
    code: Option<Code>,
    table: Option<Table>,
}

/// Code that is open.
struct Code {
    source: String,
    reading: Option<Highlighter>,
}

/// A container, and whether there is anything in it yet.
struct Frame {
    container: Container,
    begun: bool,
}

enum Container {
    Text,
    Quote,
    /// The number of the next item; `None` for bullets.
    List(Option<u64>),
    Item {
        marker: String,
        /// Whether the marker is already drawn.
        drawn: bool,
    },
}

/// Whether a block is a list, which may stand close to what is above it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    List,
    Other,
}

impl Blocks {
    pub(super) fn new(columns: usize, theme: Theme) -> Self {
        Self {
            columns,
            theme,
            out: Vec::new(),
            stack: vec![Frame { container: Container::Text, begun: false }],
            quotes: 0,
            gap: None,
            prose: false,
            inline: Inline::new(theme),
            code: None,
            table: None,
        }
    }

    /// The lines of `source` below a gap; `number` is that of its first item, if it is one of an ordered list.
    pub(super) fn render(mut self, source: &str, gap: Gap, number: Option<u64>) -> Vec<Printed> {
        self.gap = (gap == Gap::Line).then_some(1);
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_FOOTNOTES;
        let parser = Parser::new_ext(source, options);
        let definitions = definitions(&parser);
        let mut number = number;
        for (event, range) in parser.into_offset_iter() {
            let event = match event {
                Event::Start(Tag::List(Some(written))) => {
                    Event::Start(Tag::List(Some(number.take().unwrap_or(written))))
                }
                other => other,
            };
            self.event(event, source, range.start);
        }
        self.flush();
        for definition in definitions {
            let style = self.theme.style(Role::Dim);
            self.line(vec![Span::styled(definition, style)]);
        }
        self.out
    }

    fn event(&mut self, event: Event<'_>, source: &str, at: usize) {
        match event {
            Event::Start(tag) => self.start(tag, source, at),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some(code) => code.source.push_str(&text),
                None => self.words(source, at).text(&text),
            },
            Event::Code(text) => self.words(source, at).code(&text),
            Event::Html(line) => {
                self.inline.text(line.trim_end_matches('\n'));
                self.inline.hard_break();
            }
            Event::InlineHtml(tag) if is_break(&tag) => self.words(source, at).hard_break(),
            Event::SoftBreak => self.inline.soft_break(),
            Event::HardBreak => self.inline.hard_break(),
            Event::Rule => {
                self.block(Shape::Other, source, at);
                self.line(vec![Span::styled("───", self.theme.style(Role::Dim))]);
            }
            Event::TaskListMarker(done) => self.task(if done { "[x] " } else { "[ ] " }),
            // as it is written, and as it stays where the note is in another block
            Event::FootnoteReference(name) => self.words(source, at).text(&format!("[^{name}]")),
            Event::InlineHtml(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.words(source, at).text(&text);
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>, source: &str, at: usize) {
        match tag {
            Tag::BlockQuote(_) => {
                self.container(Container::Quote, Shape::Other, source, at);
                self.quotes += 1;
            }
            Tag::List(first) => self.container(Container::List(first), Shape::List, source, at),
            Tag::Item => self.item(source, at),
            Tag::FootnoteDefinition(name) => {
                let marker = sanitize_line(&format!("[^{name}]: ")).into_owned();
                self.container(Container::Item { marker, drawn: false }, Shape::List, source, at);
            }
            Tag::CodeBlock(kind) => {
                self.block(Shape::Other, source, at);
                self.code = Some(Code { source: String::new(), reading: reading(&kind) });
            }
            Tag::Table(alignments) => {
                self.block(Shape::Other, source, at);
                self.table = Some(Table::new(alignments, self.theme));
            }
            Tag::TableHead => {
                self.inline.enter(Role::Strong);
                self.table_row();
            }
            Tag::TableRow => self.table_row(),
            Tag::TableCell => {}
            Tag::Heading { .. } => {
                self.prose(source, at);
                self.inline.enter(Role::Heading);
            }
            Tag::Emphasis => self.words(source, at).enter(Role::Emphasis),
            Tag::Strong => self.words(source, at).enter(Role::Strong),
            Tag::Strikethrough => self.words(source, at).enter(Role::Struck),
            Tag::Link { dest_url, .. } => self.words(source, at).enter_link(&dest_url),
            Tag::Image { dest_url, .. } => self.words(source, at).enter_image(&dest_url),
            // The others belong to extensions that are switched off.
            _ => self.prose(source, at),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::BlockQuote(_) => {
                self.leave();
                self.quotes -= 1;
            }
            TagEnd::List(_) => self.leave(),
            TagEnd::Item | TagEnd::FootnoteDefinition => {
                self.flush();
                if let Some(Container::Item { drawn: false, .. }) = self.stack.last().map(|f| &f.container) {
                    self.line(Vec::new());
                }
                self.leave();
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::Table => self.whole_table(),
            TagEnd::TableCell => {
                let words = self.inline.take().join(&Span::raw(" "));
                if let Some(table) = &mut self.table {
                    table.cell(words);
                }
            }
            TagEnd::Heading(_) => {
                self.inline.leave();
                self.flush();
            }
            TagEnd::TableHead | TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.inline.leave();
            }
            TagEnd::Link => self.inline.leave_link(),
            TagEnd::Image => self.inline.leave_image(),
            TagEnd::TableRow => {}
            _ => self.flush(),
        }
    }

    /// Begins a block: what is open above it is printed, and perhaps an empty line is due.
    fn block(&mut self, shape: Shape, source: &str, at: usize) {
        self.flush();
        let depth = self.stack.len();
        let quoted = self.quotes > 0;
        let Some(frame) = self.stack.last_mut() else { return };
        let close = match frame.container {
            Container::List(_) | Container::Item { .. } => true,
            Container::Text | Container::Quote => shape == Shape::List,
        };
        if std::mem::replace(&mut frame.begun, true) {
            // A gap from here or further in is that of a block which printed nothing.
            self.gap = self.gap.filter(|due| *due < depth);
            if !close || blank_above(source, at, quoted) {
                self.gap.get_or_insert(depth);
            }
        }
    }

    fn prose(&mut self, source: &str, at: usize) {
        self.block(Shape::Other, source, at);
        self.prose = true;
    }

    /// Where words go. The words of a tight list item come without a paragraph around them.
    fn words(&mut self, source: &str, at: usize) -> &mut Inline {
        if !self.prose && self.table.is_none() {
            self.prose(source, at);
        }
        &mut self.inline
    }

    fn container(&mut self, container: Container, shape: Shape, source: &str, at: usize) {
        self.block(shape, source, at);
        self.stack.push(Frame { container, begun: false });
    }

    fn item(&mut self, source: &str, at: usize) {
        let number = match self.stack.last_mut() {
            Some(Frame { container: Container::List(Some(next)), .. }) => {
                Some(std::mem::replace(next, next.saturating_add(1)))
            }
            _ => None,
        };
        let marker = number.map_or_else(|| "- ".to_owned(), |number| format!("{number}. "));
        self.container(Container::Item { marker, drawn: false }, Shape::Other, source, at);
    }

    /// A box takes the place of the bullet.
    fn task(&mut self, mark: &str) {
        match self.stack.last_mut() {
            Some(Frame { container: Container::Item { marker, drawn: false }, .. }) if marker == "- " => {
                mark.clone_into(marker);
            }
            _ => self.inline.text(mark),
        }
    }

    fn leave(&mut self) {
        self.flush();
        self.stack.pop();
    }

    fn table_row(&mut self) {
        if let Some(table) = &mut self.table {
            table.row();
        }
    }

    /// Prints the words that are open.
    fn flush(&mut self) {
        if !std::mem::take(&mut self.prose) {
            return;
        }
        for line in self.inline.take() {
            self.line(line);
        }
    }

    fn code_block(&mut self) {
        let Some(Code { source, reading }) = self.code.take() else { return };
        let code = code(&source, reading, self.theme);
        if code.is_empty() {
            return;
        }
        if self.stack.iter().any(|f| matches!(f.container, Container::Item { drawn: false, .. })) {
            self.line(Vec::new());
        }
        self.due();
        self.out.extend(code);
    }

    fn whole_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        let room = self.columns.saturating_sub(spans_width(&self.prefix(self.stack.len()).rest));
        for line in table.lines(room) {
            self.line(line.spans);
        }
    }

    /// Prints one logical line behind the marks of its containers.
    fn line(&mut self, spans: Vec<Span<'static>>) {
        self.due();
        let prefix = self.prefix(self.stack.len());
        let lines = wrap(&Line::from(spans), self.columns, &prefix);
        self.out.extend(lines.into_iter().map(Printed::fitted));
        for frame in &mut self.stack {
            if let Container::Item { drawn, .. } = &mut frame.container {
                *drawn = true;
            }
        }
    }

    /// Prints the empty line that is due.
    fn due(&mut self) {
        if let Some(depth) = self.gap.take() {
            let mut spans = self.prefix(depth).rest;
            trim_end(&mut spans);
            self.out.push(Printed::fitted(Line::from(spans)));
        }
    }

    /// What stands before the lines within the first `depth` containers; the outer ones give way where room is short.
    fn prefix(&self, depth: usize) -> Prefix {
        let dim = self.theme.style(Role::Dim);
        let mut prefix = Prefix::default();
        let mut room = self.columns.saturating_sub(LEAST);
        for frame in self.stack.iter().take(depth).rev() {
            let (first, rest) = match &frame.container {
                Container::Text | Container::List(_) => continue,
                Container::Quote => ("│ ".to_owned(), "│ ".to_owned()),
                Container::Item { marker, drawn } => {
                    let spaces = " ".repeat(width(marker));
                    (if *drawn { spaces.clone() } else { marker.clone() }, spaces)
                }
            };
            let Some(left) = room.checked_sub(width(&rest)) else { break };
            room = left;
            prefix.first.push(Span::styled(first, dim));
            prefix.rest.push(Span::styled(rest, dim));
        }
        prefix.first.reverse();
        prefix.rest.reverse();
        prefix
    }
}

/// How to read code, by the first word behind its fence.
fn reading(kind: &CodeBlockKind<'_>) -> Option<Highlighter> {
    match kind {
        CodeBlockKind::Fenced(info) => Highlighter::of_fence(info.split([' ', '\t', ',']).next()?),
        CodeBlockKind::Indented => None,
    }
}

/// The addresses of `[label]: address` lines, which would otherwise vanish: what refers to them may be elsewhere.
fn definitions(parser: &Parser<'_>) -> Vec<String> {
    let mut all: Vec<_> = parser.reference_definitions().iter().collect();
    all.sort_by_key(|(_, definition)| definition.span.start);
    let line = |label: &str, address: &str| sanitize_line(&format!("[{label}]: {address}")).into_owned();
    all.into_iter().map(|(label, definition)| line(label, &definition.dest)).collect()
}

/// Whether the line above the one at `at` is empty; in a quote its marks do not count.
fn blank_above(source: &str, at: usize, quoted: bool) -> bool {
    let above = source.get(..at).and_then(|before| before.rsplit_once('\n')).map(|(above, _)| above);
    let line = above.map(|above| above.rsplit_once('\n').map_or(above, |(_, line)| line));
    line.is_some_and(|line| line.chars().all(|c| matches!(c, ' ' | '\t') || (quoted && c == '>')))
}

/// `<br>`, as models write it in tables.
fn is_break(tag: &str) -> bool {
    let name = tag.trim_matches(['<', '>', '/', ' ']);
    name.eq_ignore_ascii_case("br")
}
