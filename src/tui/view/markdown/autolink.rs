//! Addresses that stand in the text as they are, without brackets.
//!
//! The parser leaves them as words, in pieces where they hold a `_` or a `*`; so they are looked for in the finished line.
//! Only what begins like the address of a page is one: a bare name with a dot is more often a file.

use std::ops::Range;

use ratatui::style::Style;
use ratatui::text::Span;

use crate::tui::screen::link::{Part, mark, marked};

/// What an address of a page begins with.
const SCHEMES: [&str; 2] = ["https://", "http://"];

/// What follows an address more often than it belongs to it.
const TRAILING: &[char] = &['.', ',', ':', ';', '!', '?', '\'', '"', '*', '_', '~', '…'];

/// Marks the addresses of a line that are no part of a link yet; `link` is what links look like.
pub(super) fn link(line: &mut Vec<Span<'static>>, link: Style) {
    let text: String = line.iter().map(|span| span.content.as_ref()).collect();
    if !text.contains("://") {
        return;
    }
    let mut at = 0;
    let places = addresses(&text);
    let spans = std::mem::take(line);
    for span in spans {
        let end = at + span.content.len();
        if marked(span.style).is_some() {
            line.push(span);
        } else {
            cut(&span, at, &places, |part, address| {
                let style = address
                    .and_then(|place| text.get(place))
                    .map(|address| mark(span.style.patch(link), Part::Address, address));
                line.push(Span::styled(part.to_owned(), style.unwrap_or(span.style)));
            });
        }
        at = end;
    }
}

/// Where addresses stand in a text.
fn addresses(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, scheme) in SCHEMES.iter().flat_map(|scheme| text.match_indices(scheme)) {
        let rest = text.get(at..).unwrap_or_default();
        let whole = rest.find(|c: char| !c.is_ascii_graphic() || matches!(c, '<' | '>' | '`' | '"'));
        let address = trimmed(rest.get(..whole.unwrap_or(rest.len())).unwrap_or_default());
        let within_a_word =
            text.get(..at).is_some_and(|before| before.ends_with(|c: char| c.is_alphanumeric()));
        if address.len() > scheme.len() && !within_a_word {
            found.push(at..at + address.len());
        }
    }
    found.sort_by_key(|place| place.start);
    found.dedup_by(|later, before| later.start < before.end);
    found
}

/// An address without the marks of the sentence around it; a bracket belongs to it if it was opened in it.
fn trimmed(address: &str) -> &str {
    let mut address = address;
    loop {
        let shorter = address.trim_end_matches(TRAILING);
        let unopened = |open: char, close: char| {
            shorter.ends_with(close) && shorter.matches(close).count() > shorter.matches(open).count()
        };
        let closed = unopened('(', ')') || unopened('[', ']') || unopened('{', '}');
        let shorter = if closed { shorter.get(..shorter.len() - 1).unwrap_or_default() } else { shorter };
        if shorter.len() == address.len() {
            return address;
        }
        address = shorter;
    }
}

/// Cuts a span that begins at `at` where an address begins or ends, and tells each part with its address.
fn cut(
    span: &Span<'_>,
    at: usize,
    places: &[Range<usize>],
    mut tell: impl FnMut(&str, Option<Range<usize>>),
) {
    let (mut rest, mut at) = (span.content.as_ref(), at);
    for place in places {
        for (end, address) in [(place.start, None), (place.end, Some(place.clone()))] {
            let length = end.saturating_sub(at).min(rest.len());
            let Some((part, after)) = rest.split_at_checked(length) else { continue };
            if !part.is_empty() {
                tell(part, address);
            }
            (rest, at) = (after, at + length);
        }
    }
    if !rest.is_empty() {
        tell(rest, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line with its addresses in brackets.
    fn linked(spans: &[&str]) -> String {
        let mut line: Vec<_> = spans.iter().map(|text| Span::raw((*text).to_owned())).collect();
        link(&mut line, Style::new().underlined());
        let text = |span: &Span<'_>| match marked(span.style) {
            Some(_) => format!("‹{}›", span.content),
            None => span.content.to_string(),
        };
        line.iter().map(text).collect()
    }

    #[test]
    fn an_address_ends_where_the_sentence_goes_on() {
        let check = |text: &str, expected: &str| assert_eq!(linked(&[text]), expected);
        check("see https://a.b/c?d=e#f.", "see ‹https://a.b/c?d=e#f›.");
        check("(https://a.b/c_(d)), http://e.f!", "(‹https://a.b/c_(d)›), ‹http://e.f›!");
        check("\"https://a.b\" and https://日本.jp", "\"‹https://a.b›\" and https://日本.jp");
        check("https:// and xhttps://a.b and a://b", "https:// and xhttps://a.b and a://b");
        check("https://a.b/?to=http://c.d", "‹https://a.b/?to=http://c.d›");
        check("no address", "no address");
    }

    #[test]
    fn an_address_in_pieces_is_one_and_a_link_is_left_alone() {
        assert_eq!(linked(&["at https://a.b/c", "_", "d now"]), "at ‹https://a.b/c›‹_›‹d› now");
        let own = mark(Style::new(), Part::Words, "https://c.d");
        let mut line = vec![Span::styled("https://a.b", own)];
        link(&mut line, Style::new());
        assert_eq!(line, [Span::styled("https://a.b", own)]);
    }
}
