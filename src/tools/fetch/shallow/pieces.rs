//! The text of a page as pieces: start tags, end tags, and what stands between them.
//!
//! Not a parser of HTML: no tree, no errors, no repairs, and entities stay as they are written, for whoever renders the text
//! knows them. It reads each byte once, whatever the page is. That is the reason for its being: the tree of a page that means
//! harm can be as deep as the page is long, and building it can take longer than anybody waits.

/// One piece of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Between tags, as written.
    Text(&'a str),
    /// `<name attributes>`; what stands in a `<script>` and its like comes as one [`Piece::Text`] behind it.
    Start(Tag<'a>),
    /// `</name>`.
    End(&'a str),
}

/// A start tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    /// Its name, as written.
    pub(super) name: &'a str,
    attributes: &'a str,
}

/// The pieces of a page, in order.
#[derive(Debug)]
pub(super) struct Pieces<'a> {
    rest: &'a str,
    /// The element whose text runs to its end tag, whatever stands in it.
    raw: Option<&'a str>,
}

/// Elements that hold no tags.
const RAW: [&str; 8] = ["script", "style", "title", "textarea", "iframe", "noembed", "noframes", "xmp"];

impl<'a> Pieces<'a> {
    pub(super) fn of(page: &'a str) -> Self {
        Self { rest: page, raw: None }
    }

    /// Cuts off the first `bytes` of the rest.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    /// The text of a raw element, up to its end tag or, where it has none, to the end of the page.
    fn raw_text(&mut self, name: &str) -> &'a str {
        let ends = |at: &usize| {
            let after = self.rest.get(at + 2..).unwrap_or_default();
            let own = after.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name));
            own && after
                .get(name.len()..)
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
        };
        let end = self.rest.match_indices("</").map(|(at, _)| at).find(ends);
        self.take(end.unwrap_or(self.rest.len()))
    }

    /// What stands at a `<`: a tag, or nothing to show.
    fn markup(&mut self) -> Option<Piece<'a>> {
        let after = self.rest.get(1..).unwrap_or_default();
        if let Some(comment) = after.strip_prefix("!--") {
            let comment = comment.trim_start_matches('-');
            let begins = self.rest.len() - comment.len();
            // `<!-->` is a whole one
            let ends =
                if comment.starts_with('>') { Some(1) } else { comment.find("-->").map(|end| end + 3) };
            self.take(ends.map_or(self.rest.len(), |end| begins + end));
            return None;
        }
        let length = tag_length(self.rest);
        let tag = self.take(length);
        let inner = tag.trim_start_matches('<').trim_end_matches('>');
        if inner.starts_with(['!', '?']) {
            return None;
        }
        let (is_end, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
        let end = inner.find(|c: char| c.is_ascii_whitespace() || c == '/').unwrap_or(inner.len());
        let (name, attributes) = inner.split_at_checked(end).unwrap_or((inner, ""));
        if is_end {
            return Some(Piece::End(name));
        }
        if RAW.iter().any(|raw| raw.eq_ignore_ascii_case(name)) {
            self.raw = Some(name);
        }
        Some(Piece::Start(Tag { name, attributes }))
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        if let Some(name) = self.raw.take() {
            let text = self.raw_text(name);
            return Some(Piece::Text(text));
        }
        while !self.rest.is_empty() {
            if is_markup(self.rest) {
                if let Some(piece) = self.markup() {
                    return Some(piece);
                }
                continue;
            }
            // a `<` that begins no tag is text
            let first = self.rest.chars().next().map_or(0, char::len_utf8);
            let after = self.rest.get(first..).unwrap_or_default();
            let end = after.find('<').map_or(self.rest.len(), |at| first + at);
            return Some(Piece::Text(self.take(end)));
        }
        None
    }
}

impl Tag<'_> {
    /// Whether it ends in `/>`, which says something in drawings alone.
    pub(super) fn closes_itself(&self) -> bool {
        self.attributes.trim_end().ends_with('/')
    }

    /// The value of an attribute, with the entities that addresses have read; none where it is not there.
    pub(super) fn attribute(&self, wanted: &str) -> Option<String> {
        let mut rest = self.attributes;
        loop {
            let (name, value, more) = next_attribute(rest)?;
            if name.eq_ignore_ascii_case(wanted) {
                return Some(read_entities(value));
            }
            rest = more;
        }
    }
}

/// Whether a tag, a comment or a declaration begins here.
fn is_markup(text: &str) -> bool {
    let mut bytes = text.bytes();
    let is_open = bytes.next() == Some(b'<');
    let begins = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'!' | b'?');
    match bytes.next() {
        Some(b'/') => is_open && bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic()),
        Some(byte) => is_open && begins(byte),
        None => false,
    }
}

/// The length of the tag that begins here, its `>` counted; quoted values may hold one.
fn tag_length(text: &str) -> usize {
    let mut quote = None;
    let mut after_equals = false;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') if after_equals => quote = Some(byte),
            (None, b'>') => return at + 1,
            (Some(_) | None, _) => {}
        }
        after_equals = byte == b'=' || (after_equals && byte.is_ascii_whitespace());
    }
    text.len()
}

/// Name, value as written, and what follows.
fn next_attribute(text: &str) -> Option<(&str, &str, &str)> {
    let text = text.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/' || c == '=');
    if text.is_empty() {
        return None;
    }
    let end = text.find(|c: char| c.is_ascii_whitespace() || matches!(c, '=' | '/')).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end)?;
    let Some(value) = rest.trim_ascii_start().strip_prefix('=') else { return Some((name, "", rest)) };
    let value = value.trim_ascii_start();
    for quote in ['"', '\''] {
        if let Some(quoted) = value.strip_prefix(quote) {
            let (value, rest) = quoted.split_once(quote).unwrap_or((quoted, ""));
            return Some((name, value, rest));
        }
    }
    let end = value.find(|c: char| c.is_ascii_whitespace()).unwrap_or(value.len());
    let (value, rest) = value.split_at_checked(end)?;
    Some((name, value, rest))
}

/// The text with the entities read that addresses and names are written with; others stay.
pub(super) fn read_entities(value: &str) -> String {
    const KNOWN: [(&str, char); 7] =
        [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\''), ("nbsp", ' '), ("sol", '/')];
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        // the longest that is read is `#x10ffff`
        let end = after.bytes().take(10).position(|byte| byte == b';');
        let entity = end.and_then(|end| Some((after.get(..end)?, after.get(end + 1..)?)));
        let numbered = |name: &str| {
            let digits = name.strip_prefix('#')?;
            let number = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => digits.parse(),
            };
            char::from_u32(number.ok()?)
        };
        let named = |name: &str| KNOWN.iter().find(|(known, _)| *known == name).map(|(_, c)| *c);
        let read = entity.and_then(|(name, rest)| Some((named(name).or_else(|| numbered(name))?, rest)));
        let (c, after) = read.unwrap_or(('&', after));
        out.push(c);
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pieces(page: &str) -> String {
        let show = |piece| match piece {
            Piece::Text(text) => format!("{text:?}"),
            Piece::Start(tag) => format!("<{}>", tag.name),
            Piece::End(name) => format!("</{name}>"),
        };
        Pieces::of(page).map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_page_is_read_as_its_pieces() {
        let check = |page: &str, expected: &str| assert_eq!(pieces(page), expected, "{page}");
        check("<p>a<b class='x>y'>c</b></P >", r#"<p> "a" <b> "c" </b> </P>"#);
        check("<!DOCTYPE html><?php x ?><!-- <p> > --><br/>x<hr / >", r#"<br> "x" <hr>"#);
        check("a < b, c <3 & d</ 1>", r#""a " "< b, c " "<3 & d" "</ 1>""#);
        check("<script>if (a<b) '</p>'</script >x", r#"<script> "if (a<b) '</p>'" </script> "x""#);
        check("<title>a <b></title><style>", r#"<title> "a <b>" </title> <style> """#);
        check("<script></scripts></SCRIPT>", r#"<script> "</scripts>" </SCRIPT>"#);
        check("<a href=\"x", "<a>");
        check("<p title=don't>a</p>", r#"<p> "a" </p>"#);
        check("<!-->a<!--->b<!----->c<!-- <!-- -->d", r#""a" "b" "c" "d""#);
        check("<!-- never ends", "");
        check("日<日>é<", r#""日" "<日>é" "<""#);
    }

    #[test]
    fn an_attribute_is_found_in_every_way_it_is_written() {
        let check = |tag: &str, expected: Option<&str>| {
            let Some(Piece::Start(tag)) = Pieces::of(tag).next() else { panic!("{tag}") };
            assert_eq!(tag.attribute("href").as_deref(), expected, "{tag:?}");
        };
        check("<a href=\"x y\">", Some("x y"));
        check("<a id=href HREF='x'>", Some("x"));
        check("<a\nhref = x/y/ class=c>", Some("x/y/"));
        check("<a href>", Some(""));
        check("<a data-href=x>", None);
        check("<a title='href=no' href=yes>", Some("yes"));
        check("<a href=\"?a=1&amp;b=2&#38;c&#x3D;3&d;&copy\">", Some("?a=1&b=2&c=3&d;&copy"));
        check("<a href=one href=two>", Some("one"));
    }

    proptest! {
        #[test]
        fn any_text_has_pieces(page in "[<>/!a-c '\"=&#;-日]{0,60}") {
            for piece in Pieces::of(&page) {
                if let Piece::Start(tag) = piece {
                    tag.attribute("a");
                }
            }
        }
    }
}
