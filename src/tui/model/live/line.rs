//! What the first characters of a Markdown line say about it.
//!
//! Not a parser: each question is answered from the one line alone, by the rules of `CommonMark` for the outermost
//! level. What the answer means is for [`super::Live`], which knows what stands above.

/// One line without its end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// All of it.
    pub(super) text: &'a str,
    /// Columns of white space at its beginning; tab stops are four columns apart.
    pub(super) indent: usize,
    body: &'a str,
}

/// The opening of fenced code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fence {
    mark: char,
    length: usize,
    indent: usize,
}

/// The beginning of a list item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    /// The number as written; 0 for a bullet.
    pub(super) number: u64,
    /// The column at which the item's content begins: what is indented as far belongs to the item.
    pub(super) content: usize,
    /// The bullet, or what follows the number: lists are of one sign. `^` for a footnote.
    sign: char,
    bytes: usize,
}

const TAB: usize = 4;

/// HTML that goes on over empty lines, and what ends it.
const LONG_HTML: [(&str, &str); 8] = [
    ("<script", "</script>"),
    ("<pre", "</pre>"),
    ("<style", "</style>"),
    ("<textarea", "</textarea>"),
    ("<!--", "-->"),
    ("<![cdata[", "]]>"),
    ("<?", "?>"),
    ("<!", ">"),
];

impl<'a> Line<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let body = text.trim_start_matches([' ', '\t']);
        let indent = columns(text.get(..text.len() - body.len()).unwrap_or_default(), 0);
        Self { text, indent, body }
    }

    /// The line as seen from within a list item.
    pub(super) fn dedented(self, columns: usize) -> Self {
        Self { indent: self.indent.saturating_sub(columns), ..self }
    }

    /// What stands behind the marks of a quote or a list item, if the line begins with any.
    pub(super) fn within(&self) -> Option<Self> {
        if self.is_quote() {
            return self.body.get(1..).map(|rest| Self::new(rest.strip_prefix(' ').unwrap_or(rest)));
        }
        let marker = self.marker().filter(|_| !self.is_rule())?;
        Some(Self::new(self.after_marker(marker)).dedented(1))
    }

    pub(super) fn is_blank(&self) -> bool {
        self.body.is_empty()
    }

    /// Too far in to begin anything but indented code.
    pub(super) fn is_indented(&self) -> bool {
        self.indent >= TAB
    }

    pub(super) fn is_heading(&self) -> bool {
        let rest = self.body.trim_start_matches('#');
        let level = self.body.len() - rest.len();
        !self.is_indented() && (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']))
    }

    pub(super) fn is_rule(&self) -> bool {
        let mut marks = self.body.chars().filter(|c| !matches!(c, ' ' | '\t'));
        let Some(first @ ('-' | '*' | '_')) = marks.next() else { return false };
        let mut more = 0;
        !self.is_indented()
            && marks.all(|c| {
                c == first && {
                    more += 1;
                    true
                }
            })
            && more >= 2
    }

    pub(super) fn is_quote(&self) -> bool {
        !self.is_indented() && self.body.starts_with('>')
    }

    /// Whether the line ends the paragraph above it, as the underline of a heading or as a rule. Under a quote a
    /// line of `=` would only go on its text.
    pub(super) fn is_underline(&self, quoted: bool) -> bool {
        let body = self.body.trim_end_matches([' ', '\t']);
        let of = |mark| !body.is_empty() && body.chars().all(|c| c == mark);
        self.is_rule() || (!quoted && !self.is_indented() && (of('=') || of('-')))
    }

    pub(super) fn is_html(&self) -> bool {
        let next = self.body.strip_prefix('<').and_then(|rest| rest.chars().next());
        !self.is_indented() && next.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
    }

    /// For HTML that goes on over empty lines and does not end in this line: what ends it.
    pub(super) fn html_until(&self) -> Option<&'static str> {
        if !self.is_html() {
            return None;
        }
        let body = self.body.to_ascii_lowercase();
        let (_, end) = LONG_HTML.iter().find(|(begin, _)| body.starts_with(begin))?;
        (!body.contains(end)).then_some(*end)
    }

    pub(super) fn ends_html(&self, end: &str) -> bool {
        self.text.to_ascii_lowercase().contains(end)
    }

    pub(super) fn fence(&self) -> Option<Fence> {
        let mark = self.body.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let info = self.body.trim_start_matches(mark);
        let length = self.body.len() - info.len();
        let valid = !self.is_indented() && length >= 3 && (mark == '~' || !info.contains('`'));
        valid.then_some(Fence { mark, length, indent: self.indent })
    }

    /// The first word after a fence.
    pub(super) fn language(&self) -> &'a str {
        let info = self.body.trim_start_matches(['`', '~']).trim_start();
        info.split([' ', '\t', ',']).next().unwrap_or_default()
    }

    pub(super) fn marker(&self) -> Option<Marker> {
        let digits = self.body.len() - self.body.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, rest) = self.body.split_at_checked(digits)?;
        let sign = rest.chars().next()?;
        let known = if digits == 0 { matches!(sign, '-' | '+' | '*') } else { matches!(sign, '.' | ')') };
        let after = rest.get(1..).filter(|_| known && digits <= 9 && !self.is_indented())?;
        if !after.is_empty() && !after.starts_with([' ', '\t']) {
            return None;
        }
        let bytes = digits + 1;
        let end = self.indent + bytes;
        let text = after.trim_start_matches([' ', '\t']);
        let gap = columns(after.get(..after.len() - text.len()).unwrap_or_default(), end);
        let content = if text.is_empty() || gap > TAB { end + 1 } else { end + gap };
        Some(Marker { number: number.parse().unwrap_or(0), content, sign, bytes })
    }

    /// The beginning of a footnote, `[^name]: `, whose further lines are indented.
    pub(super) fn footnote(&self) -> Option<Marker> {
        let (name, _) = self.body.strip_prefix("[^")?.split_once("]:")?;
        let is_name = !name.trim().is_empty() && !name.contains(['[', ']']) && !self.is_indented();
        is_name.then_some(Marker { number: 0, content: TAB, sign: '^', bytes: name.len() + "[^]:".len() })
    }

    /// What stands behind the marker of this line.
    pub(super) fn after_marker(&self, marker: Marker) -> &'a str {
        self.body.get(marker.bytes..).unwrap_or_default()
    }
}

impl Fence {
    pub(super) fn is_closed_by(self, line: &Line<'_>) -> bool {
        let rest = line.body.trim_start_matches(self.mark);
        let length = line.body.len() - rest.len();
        !line.is_indented() && length >= self.length && rest.trim_matches([' ', '\t']).is_empty()
    }

    /// Whether a line that has only begun may yet become the closing fence.
    pub(super) fn may_be_closed_by(self, partial: &str) -> bool {
        let body = partial.trim_matches([' ', '\t']);
        !body.is_empty() && body.chars().all(|c| c == self.mark)
    }

    /// A line of the code, without as much indent as the fence has.
    pub(super) fn content(self, text: &str) -> &str {
        let spaces = text.bytes().take(self.indent).take_while(|b| *b == b' ').count();
        text.get(spaces..).unwrap_or_default()
    }
}

impl Marker {
    pub(super) fn is_ordered(self) -> bool {
        matches!(self.sign, '.' | ')')
    }

    /// Whether it begins a footnote and no item of a list.
    pub(super) fn is_footnote(self) -> bool {
        self.sign == '^'
    }

    /// Whether this item goes on the list of the other.
    pub(super) fn continues(self, other: Self) -> bool {
        self.sign == other.sign
    }

    /// Whether the item may follow a paragraph without an empty line.
    pub(super) fn may_interrupt(self, line: &Line<'_>) -> bool {
        let content = line.after_marker(self).trim_matches([' ', '\t']);
        !content.is_empty() && (!self.is_ordered() || self.number == 1)
    }
}

/// The columns of white space that begins at column `from`.
fn columns(space: &str, from: usize) -> usize {
    space.bytes().fold(from, |at, b| if b == b'\t' { (at / TAB + 1) * TAB } else { at + 1 }) - from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_items_begin_with_their_sign_and_a_space() {
        let check = |text: &str, expected: Option<(char, u64, usize)>| {
            let marker = Line::new(text).marker().map(|m| (m.sign, m.number, m.content));
            assert_eq!(marker, expected, "{text:?}");
        };
        check("- a", Some(('-', 0, 2)));
        check("  *   a", Some(('*', 0, 6)));
        check("-     code", Some(('-', 0, 2)));
        check("-", Some(('-', 0, 2)));
        check("-\ta", Some(('-', 0, 4)));
        check("12. a", Some(('.', 12, 4)));
        check("1) a", Some((')', 1, 3)));
        check("1234567890. a", None);
        check("-a", None);
        check("1.a", None);
        check("    - a", None);
        check("日", None);
        check("", None);
    }

    #[test]
    fn footnotes_have_a_name_and_a_colon() {
        for text in ["[^1]: a", "  [^long name]:", "[^1]:a"] {
            assert!(Line::new(text).footnote().is_some(), "{text}");
        }
        for text in ["[^1] a", "[^]: a", "[^ ]: a", "[1]: a", "    [^1]: a", "a [^1]: b", "[^a[b]: c"] {
            assert!(Line::new(text).footnote().is_none(), "{text}");
        }
        assert_eq!(Line::new("[^1]: a").after_marker(Line::new("[^1]: a").footnote().unwrap()), " a");
    }

    #[test]
    fn fences_open_and_close_by_their_own_sign() {
        let fence = Line::new("  ```rust,ignore").fence().unwrap();
        assert_eq!(Line::new("  ```rust,ignore").language(), "rust");
        assert!(fence.is_closed_by(&Line::new("````  ")));
        assert!(!fence.is_closed_by(&Line::new("``")));
        assert!(!fence.is_closed_by(&Line::new("~~~")));
        assert!(!fence.is_closed_by(&Line::new("``` x")));
        assert!(!fence.is_closed_by(&Line::new("    ```")));
        assert_eq!(fence.content("    x"), "  x");
        assert_eq!(fence.content(" x"), "x");
        assert!(Line::new("``` a`b").fence().is_none());
        assert!(Line::new("~~~ a`b").fence().is_some());
    }

    #[test]
    fn headings_rules_and_underlines_are_told_apart() {
        let says = |text: &str| {
            let line = Line::new(text);
            (line.is_heading(), line.is_rule(), line.is_underline(false))
        };
        assert_eq!(says("# a"), (true, false, false));
        assert_eq!(says("#"), (true, false, false));
        assert_eq!(says("#a"), (false, false, false));
        assert_eq!(says("####### a"), (false, false, false));
        assert_eq!(says("* * *"), (false, true, true));
        assert_eq!(says("---"), (false, true, true));
        assert_eq!(says("--"), (false, false, true));
        assert_eq!(says("=="), (false, false, true));
        assert_eq!(says("    ---"), (false, false, false));
    }
}
