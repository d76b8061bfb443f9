//! What each tag of HTML means for a reader of text.

/// What an element is to a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Nothing in it is for readers.
    Dropped,
    /// The same, if it ends: one that is never closed would take the rest of the page along.
    DroppedIfClosed,
    /// The page's name.
    Title,
    /// Where relative links begin.
    Base,
    /// Data about the page, such as the address that it redirects to.
    Meta,
    /// A block: what is in it stands apart.
    Block,
    /// A heading of this level.
    Heading(u8),
    /// Words of one kind.
    Words(Words),
    /// A link.
    Link,
    /// A picture.
    Image,
    /// A new line.
    Break,
    /// A line across.
    Rule,
    /// Text as it stands, in lines.
    Preformatted,
    /// A quotation.
    Quote,
    /// A list.
    List(List),
    /// An item of a list.
    Item,
    /// A table.
    Table,
    /// Its name.
    Caption,
    /// A row of it.
    Row,
    /// A cell of it.
    Cell(Cell),
    /// Nothing by itself: what is in it counts.
    Transparent,
}

/// Words of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    Strong,
    Emphasis,
    Code,
}

/// Lists, by what stands before their items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    Dots,
    Numbers,
}

/// Cells of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
    Head,
    Data,
}

/// The longest name below.
const LONGEST: usize = 10;

/// What the element of this name is; the case of its letters does not matter.
pub(super) fn meaning(name: &str) -> Meaning {
    if name.len() > LONGEST {
        return Meaning::Transparent;
    }
    match name.to_ascii_lowercase().as_str() {
        "script" | "style" | "textarea" | "iframe" | "noembed" | "noframes" => Meaning::Dropped,
        "nav" | "svg" | "template" | "select" | "button" | "dialog" => Meaning::DroppedIfClosed,
        "title" => Meaning::Title,
        "base" => Meaning::Base,
        "meta" => Meaning::Meta,
        "p" | "div" | "section" | "article" | "aside" | "main" | "header" | "footer" | "address"
        | "center" | "dl" | "dt" | "dd" | "details" | "summary" | "figure" | "figcaption" | "form"
        | "fieldset" | "legend" | "hgroup" | "body" | "search" | "noscript" => Meaning::Block,
        "h1" => Meaning::Heading(1),
        "h2" => Meaning::Heading(2),
        "h3" => Meaning::Heading(3),
        "h4" => Meaning::Heading(4),
        "h5" => Meaning::Heading(5),
        "h6" => Meaning::Heading(6),
        "strong" | "b" => Meaning::Words(Words::Strong),
        "em" | "i" | "cite" | "dfn" => Meaning::Words(Words::Emphasis),
        "code" | "kbd" | "samp" | "tt" => Meaning::Words(Words::Code),
        "a" => Meaning::Link,
        "img" => Meaning::Image,
        "br" => Meaning::Break,
        "hr" => Meaning::Rule,
        "pre" | "xmp" | "listing" => Meaning::Preformatted,
        "blockquote" => Meaning::Quote,
        "ul" | "menu" | "dir" => Meaning::List(List::Dots),
        "ol" => Meaning::List(List::Numbers),
        "li" => Meaning::Item,
        "table" => Meaning::Table,
        "caption" => Meaning::Caption,
        "tr" => Meaning::Row,
        "th" => Meaning::Cell(Cell::Head),
        "td" => Meaning::Cell(Cell::Data),
        _ => Meaning::Transparent,
    }
}

impl Words {
    /// The tag that says so.
    pub(super) fn tag(self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Emphasis => "em",
            Self::Code => "code",
        }
    }
}

impl List {
    /// The tag that says so.
    pub(super) fn tag(self) -> &'static str {
        match self {
            Self::Dots => "ul",
            Self::Numbers => "ol",
        }
    }
}

impl Cell {
    /// The tag that says so.
    pub(super) fn tag(self) -> &'static str {
        match self {
            Self::Head => "th",
            Self::Data => "td",
        }
    }
}
