//! Links in the history and on the alternate screen: which words lead somewhere, and where to (OSC 8).
//!
//! A terminal finds an address by itself, but not one that is broken over two lines, and never behind words. The surprise:
//! no address is handed in. Text is marked in its style with the number of the address that it leads to, and the address is
//! put together from what is to be printed itself, checked by that number. So a link leads where the reader can see that
//! it leads, or it is none; and a terminal that knows no links shows the same text.

use std::collections::HashMap;

use ratatui::style::{Color, Style};
use ratatui::text::Line;

/// What terminals take: VTE keeps no longer one.
const LONGEST: usize = 2083;

const CLOSE: &[u8] = b"\x1b]8;;\x1b\\";

/// What a marked text is to its link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Words that lead there.
    Words,
    /// The address itself, or a piece of it.
    Address,
}

/// The style for a part of a link to `address`; where that is no address to be led to, the style as it is. The mark takes the
/// place of the colour of underlines, which nothing here uses.
#[must_use]
pub fn mark(style: Style, part: Part, address: &str) -> Style {
    if target(address).is_none() {
        return Style { underline_color: None, ..style };
    }
    let [_, high, middle, low] =
        (number(address) | if part == Part::Words { WORDS } else { 0 }).to_be_bytes();
    Style { underline_color: Some(Color::Rgb(high, middle, low)), ..style }
}

/// The part that a style marks, and the number of its address.
#[must_use]
pub fn marked(style: Style) -> Option<(Part, u32)> {
    let Some(Color::Rgb(high, middle, low)) = style.underline_color else { return None };
    let bits = u32::from_be_bytes([0, high, middle, low]);
    Some((if bits & WORDS == 0 { Part::Address } else { Part::Words }, bits & !WORDS))
}

/// The highest of the 24 bits.
const WORDS: u32 = 1 << 23;

/// FNV-1a, folded into 23 bits.
fn number(address: &str) -> u32 {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
    let hash = address.bytes().fold(2_166_136_261, step);
    (hash ^ (hash >> 23)) & !WORDS & 0x00ff_ffff
}

/// Where an address leads: nowhere but to pages and mailboxes, and never to a program or a file of this machine.
fn target(address: &str) -> Option<String> {
    let is_plain = address.len() <= LONGEST && address.bytes().all(|b| b.is_ascii_graphic());
    let of =
        |scheme: &str| address.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    if !is_plain {
        None
    } else if ["https://", "http://", "mailto:"].into_iter().any(of) {
        Some(address.to_owned())
    } else {
        let (name, host) = address.split_once('@')?;
        let is_mailbox = !name.is_empty() && host.contains('.') && !address.contains([':', '/']);
        is_mailbox.then(|| format!("mailto:{address}"))
    }
}

/// The addresses that stand in some lines.
#[derive(Debug, Default)]
pub(super) struct Links(HashMap<u32, String>);

impl Links {
    pub(super) fn within(lines: &[Line<'_>]) -> Self {
        let (mut found, mut open) = (HashMap::new(), HashMap::<u32, String>::new());
        for span in lines.iter().flat_map(|line| &line.spans) {
            let Some((Part::Address, number)) = marked(span.style) else { continue };
            if found.contains_key(&number) {
                continue;
            }
            let address = open.entry(number).or_default();
            address.push_str(&span.content);
            if self::number(address) == number {
                let address = open.remove(&number).unwrap_or_default();
                found.extend(target(&address).map(|target| (number, target)));
            }
        }
        Self(found)
    }

    /// Writes what leads from one link to another, or into none or out of it.
    pub(super) fn change(&self, from: Option<u32>, to: Option<u32>, out: &mut Vec<u8>) {
        if from == to {
            return;
        }
        match to.and_then(|number| Some((number, self.0.get(&number)?))) {
            // the number says that pieces on several lines are one link
            Some((number, target)) => {
                out.extend_from_slice(format!("\x1b]8;id={number};{target}\x1b\\").as_bytes());
            }
            None => out.extend_from_slice(CLOSE),
        }
    }

    /// The link that a text in this style belongs to.
    pub(super) fn of(&self, style: Style) -> Option<u32> {
        marked(style).map(|(_, number)| number).filter(|number| self.0.contains_key(number))
    }
}

#[cfg(test)]
mod tests {
    use ratatui::text::Span;

    use super::*;

    const HERE: &str = "https://example.org/a";

    fn span(text: &str, part: Part, address: &str) -> Span<'static> {
        Span::styled(text.to_owned(), mark(Style::new(), part, address))
    }

    /// The lines as they are written, with `<target|` and `>` around links.
    fn written(lines: &[Line<'_>]) -> String {
        let links = Links::within(lines);
        let mut out = Vec::new();
        for line in lines {
            super::super::row::write_whole(line, &links, &mut out);
            out.push(b'\n');
        }
        let text = String::from_utf8(out).unwrap();
        let pieces = text.split("\x1b]8;").map(|piece| match piece.split_once("\x1b\\") {
            Some((";", rest)) => format!(">{rest}"),
            Some((link, rest)) => format!("<{}|{rest}", link.split_once(';').unwrap().1),
            None => piece.to_owned(),
        });
        pieces.collect()
    }

    #[test]
    fn words_and_a_broken_address_lead_to_the_whole_address() {
        let lines = [
            Line::from(vec![
                Span::raw("see "),
                span("this page", Part::Words, HERE),
                Span::raw(" ("),
                span("https://exam", Part::Address, HERE),
            ]),
            Line::from(vec![Span::raw("  "), span("ple.org/a", Part::Address, HERE), Span::raw(")")]),
        ];
        assert_eq!(
            written(&lines),
            format!("see <{HERE}|this page> (<{HERE}|https://exam>\n  <{HERE}|ple.org/a>)\n")
        );
    }

    #[test]
    fn what_is_not_printed_is_not_led_to() {
        let hidden = [Line::from(span("your bank", Part::Words, HERE))];
        assert_eq!(written(&hidden), "your bank\n");
        let other = [Line::from(vec![
            span("x", Part::Words, HERE),
            span("https://example.org/b", Part::Address, HERE),
        ])];
        assert_eq!(written(&other), "xhttps://example.org/b\n");
    }

    #[test]
    fn the_same_address_twice_is_two_links_to_it() {
        let line = Line::from(vec![
            span(HERE, Part::Address, HERE),
            Span::raw(" "),
            span(HERE, Part::Address, HERE),
        ]);
        assert_eq!(written(&[line]), format!("<{HERE}|{HERE}> <{HERE}|{HERE}>\n"));
    }

    #[test]
    fn only_pages_and_mailboxes_are_led_to() {
        let table = [
            ("https://a.b/c?d=e#f", Some("https://a.b/c?d=e#f")),
            ("HTTP://a.b", Some("HTTP://a.b")),
            ("mailto:a@b.c", Some("mailto:a@b.c")),
            ("a@b.c", Some("mailto:a@b.c")),
            ("file:///etc/passwd", None),
            ("javascript:alert(1)", None),
            ("ssh://a@b.c", None),
            ("x:a@b.c", None),
            ("src/main.rs", None),
            ("https://a.b/\x1b\\", None),
            ("https://a.b/ c", None),
            ("https://日本.jp", None),
            ("", None),
        ];
        for (address, expected) in table {
            assert_eq!(target(address).as_deref(), expected, "{address:?}");
            assert_eq!(marked(mark(Style::new(), Part::Words, address)).is_some(), expected.is_some());
        }
        assert_eq!(target(&format!("https://{}", "a".repeat(LONGEST))), None);
    }
}
