//! What is searched for in the rows of a page, and how it is shown where it stands.
//!
//! Small letters find large ones too, a large one finds only itself. What is broken over two rows is not found: a row is
//! what a person sees as one.

use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

/// What is searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Needle {
    letters: Vec<char>,
    case: Case,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Any,
    Exact,
}

impl Needle {
    /// Nothing cannot be searched for.
    pub(super) fn new(text: &str) -> Option<Self> {
        let case = if text.chars().any(char::is_uppercase) { Case::Exact } else { Case::Any };
        let letters: Vec<char> = text.chars().map(|c| case.folded(c)).collect();
        (!letters.is_empty()).then_some(Self { letters, case })
    }

    /// Whether it stands in this row.
    pub(super) fn is_in(&self, row: &Line<'_>) -> bool {
        !self.places(row).is_empty()
    }

    /// The row with every place turned over, so that it is seen without colours too.
    pub(super) fn shown_in(&self, row: Line<'static>) -> Line<'static> {
        let places = self.places(&row);
        if places.is_empty() {
            return row;
        }
        let mut at = 0;
        let mut spans: Vec<Span<'static>> = Vec::new();
        for span in &row.spans {
            let style = span.style;
            for c in span.content.chars() {
                let is_hit = places.iter().any(|start| (*start..start + self.letters.len()).contains(&at));
                let style = if is_hit { style.add_modifier(Modifier::REVERSED) } else { style };
                at += 1;
                match spans.last_mut() {
                    Some(last) if last.style == style => last.content.to_mut().push(c),
                    Some(_) | None => spans.push(Span::styled(c.to_string(), style)),
                }
            }
        }
        Line { spans, ..row }
    }

    /// Where it begins, in characters, one behind the other.
    fn places(&self, row: &Line<'_>) -> Vec<usize> {
        let letters = row.spans.iter().flat_map(|span| span.content.chars());
        let letters: Vec<char> = letters.map(|c| self.case.folded(c)).collect();
        let mut places = Vec::new();
        let mut free = 0;
        for (at, window) in letters.windows(self.letters.len()).enumerate() {
            if at >= free && window == self.letters {
                places.push(at);
                free = at + self.letters.len();
            }
        }
        places
    }
}

impl Case {
    fn folded(self, c: char) -> char {
        match self {
            // the first letter of what it becomes: `İ` is two
            Self::Any => c.to_lowercase().next().unwrap_or(c),
            Self::Exact => c,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The row with `[` and `]` around what is turned over.
    fn shown(needle: &str, spans: &[&str]) -> String {
        let row = Line::from(spans.iter().map(|text| Span::raw((*text).to_owned())).collect::<Vec<_>>());
        let row = Needle::new(needle).unwrap().shown_in(row);
        let mark = |span: &Span<'_>| {
            let is_hit = span.style.add_modifier.contains(Modifier::REVERSED);
            if is_hit { format!("[{}]", span.content) } else { span.content.to_string() }
        };
        row.spans.iter().map(mark).collect()
    }

    #[test]
    fn every_place_is_turned_over_whatever_its_spans_are() {
        let table = [
            ("ab", vec!["xAbxab"], "x[Ab]x[ab]"),
            ("Ab", vec!["xAbxab"], "x[Ab]xab"),
            ("ab", vec!["xa", "by"], "x[ab]y"),
            ("aa", vec!["aaa"], "[aa]a"),
            ("é", vec!["É 日本"], "[É] 日本"),
            ("本", vec!["日本"], "日[本]"),
            ("ab", vec!["x"], "x"),
        ];
        for (needle, spans, expected) in table {
            assert_eq!(shown(needle, &spans), expected);
        }
        assert_eq!(Needle::new(""), None);
    }
}
