//! The regular expression of a search: compiled within limits, or explained.
//!
//! The engine takes linear time whatever the expression, so it has no look-around. What is compiled may not be large
//! either: linear in the text still means "times the size of the expression".

use std::sync::{Arc, OnceLock};

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use regex::bytes::{Regex, RegexBuilder};

/// The regex crate's own limit for what an expression may become, and as much for the states found on the way.
const MOST_BYTES: usize = 10 * 1024 * 1024;
/// Characters of a pattern that an error repeats.
const LONGEST: usize = 120;

/// Whether upper and lower case differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Counts,
    Ignored,
}

/// What a match may span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Span {
    /// One line.
    Line,
    /// Several, where the expression names the line feed.
    NamedFeeds,
    /// Several, and `.` goes on at their ends.
    Lines,
}

/// An expression to search for.
#[derive(Debug, Clone)]
pub(super) struct Expression {
    pattern: String,
    case: Case,
    pub(super) span: Span,
    pub(super) matcher: RegexMatcher,
    /// The same once more, for where in a long line it matches; made when there is one.
    within: Arc<OnceLock<Option<Regex>>>,
}

impl Expression {
    /// Compiles `pattern`. One that names a line feed is searched over lines although that was not asked for: it could
    /// match nothing else.
    pub(super) fn new(pattern: &str, case: Case, span: Span) -> Result<Self, String> {
        match compile(pattern, case, span) {
            Ok(matcher) => {
                let within = Arc::default();
                Ok(Self { pattern: pattern.to_owned(), case, span, matcher, within })
            }
            Err(error) => match error.kind() {
                ErrorKind::NotAllowed(_) if span == Span::Line => Self::new(pattern, case, Span::NamedFeeds),
                // the matcher wraps the pattern before it reads it; the mere regex tells the right place
                _ => Err(explain(
                    pattern,
                    &regex(pattern, case, span).err().map_or(error.to_string(), |e| e.to_string()),
                )),
            },
        }
    }

    /// The same expression where case does not count, if that makes a difference.
    pub(super) fn without_case(&self) -> Option<Self> {
        let has_case = self.pattern.chars().any(char::is_alphabetic);
        let can = self.case == Case::Counts && has_case;
        can.then(|| Self::new(&self.pattern, Case::Ignored, self.span).ok()).flatten()
    }

    /// The pattern as a mere text, if it is read as something else.
    pub(super) fn as_text(&self) -> Option<Self> {
        let escaped = regex::escape(&self.pattern);
        let differs = escaped != self.pattern && !self.pattern.contains('\\');
        differs.then(|| Self::new(&escaped, self.case, self.span).ok()).flatten()
    }

    pub(super) fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Whether it asks for carriage returns, which a search passes over otherwise.
    pub(super) fn names_returns(&self) -> bool {
        [r"\r", r"\x0d", r"\x0D", "\r"].iter().any(|name| self.pattern.contains(name))
    }

    /// Where in the line it matches.
    pub(super) fn find_in(&self, line: &[u8]) -> Option<usize> {
        self.within()?.find(line).map(|found| found.start())
    }

    /// How many matches there are in these lines.
    pub(super) fn count_in(&self, lines: &[u8]) -> u64 {
        self.within().map_or(1, |within| within.find_iter(lines).count() as u64)
    }

    fn within(&self) -> Option<&Regex> {
        self.within.get_or_init(|| regex(&self.pattern, self.case, self.span).ok()).as_ref()
    }
}

fn compile(pattern: &str, case: Case, span: Span) -> Result<RegexMatcher, grep_regex::Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .case_insensitive(case == Case::Ignored)
        .multi_line(true)
        .dot_matches_new_line(span == Span::Lines)
        .size_limit(MOST_BYTES)
        .dfa_size_limit(MOST_BYTES);
    if span == Span::Line {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(pattern)
}

fn regex(pattern: &str, case: Case, span: Span) -> Result<Regex, regex::Error> {
    let mut builder = RegexBuilder::new(pattern);
    builder
        .case_insensitive(case == Case::Ignored)
        .multi_line(true)
        .dot_matches_new_line(span == Span::Lines);
    builder.size_limit(MOST_BYTES).build()
}

/// Why an expression cannot be read, where, and what to do about it.
fn explain(pattern: &str, error: &str) -> String {
    let shown = shortened(pattern);
    let reason = error.lines().last().unwrap_or(error).trim_start_matches("error: ");
    let told = |hint: &str| format!("Error: cannot read the pattern `{shown}`: {reason}{hint}");
    if error.contains("size limit") {
        return told(
            ": fewer or smaller repetitions, and `[0-9]` and `[A-Za-z]` for `\\d` and `\\w`, make it smaller",
        );
    }
    if error.contains("look-around") || error.contains("backreferences") {
        return told(": search for what surrounds it, or run `grep -P` with Bash");
    }
    let at = place(pattern, error).map(|at| format!(" (character {at})")).unwrap_or_default();
    let escaped = regex::escape(pattern);
    if escaped == pattern || pattern.contains('\\') || pattern.len() > LONGEST {
        return told(&format!("{at}: to find such a character itself write `\\` before it"));
    }
    told(&format!("{at}: to find the text itself write `{escaped}`"))
}

/// The number of the character, from 1, under which the error sets its first mark.
fn place(pattern: &str, error: &str) -> Option<usize> {
    let mut lines = error.lines().skip_while(|line| line.trim_start() != pattern.trim_start()).skip(1);
    // the pattern stands four columns to the right
    (!pattern.contains('\n')).then(|| lines.next()?.find('^')?.checked_sub(3)).flatten()
}

fn shortened(pattern: &str) -> String {
    match pattern.char_indices().nth(LONGEST).and_then(|(end, _)| pattern.get(..end)) {
        Some(start) => format!("{start}…"),
        None => pattern.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pattern: &str) -> Result<Expression, String> {
        Expression::new(pattern, Case::Counts, Span::Line)
    }

    #[test]
    fn an_expression_that_cannot_be_read_is_explained() {
        let check = |pattern: &str, expected: &str| {
            let error = read(pattern).unwrap_err();
            assert_eq!(error, format!("Error: cannot read the pattern `{pattern}`: {expected}"));
        };
        check("fn a(", "unclosed group (character 5): to find the text itself write `fn a\\(`");
        check("a)", "unopened group (character 2): to find the text itself write `a\\)`");
        check("Ω{", "unclosed counted repetition (character 2): to find the text itself write `Ω\\{`");
        check("[a", "unclosed character class (character 1): to find the text itself write `\\[a`");
        check(
            "*",
            "repetition operator missing expression (character 1): to find the text itself write `\\*`",
        );
        check(r"\d(", r"unclosed group (character 3): to find such a character itself write `\` before it");
        check(
            "(?=a)",
            "look-around, including look-ahead and look-behind, is not supported: \
                search for what surrounds it, or run `grep -P` with Bash",
        );
        check(
            r"(a)\1",
            "backreferences are not supported: search for what surrounds it, or run `grep -P` with Bash",
        );
    }

    #[test]
    fn an_expression_that_explodes_is_refused_before_it_searches() {
        for pattern in ["(\\w{100}){100}", "((a{100}){100}){100}"] {
            assert!(read(pattern).unwrap_err().contains("exceeds size limit"), "{pattern}");
        }
        let deep = format!("{}a{}", "(".repeat(10_000), ")".repeat(10_000));
        let error = read(&deep).unwrap_err();
        assert!(error.starts_with("Error: ") && error.len() < 1000, "{error}");
    }

    #[test]
    fn a_pattern_that_names_a_line_feed_spans_lines() {
        assert_eq!(read(r"a\nb").unwrap().span, Span::NamedFeeds);
        assert_eq!(read("a\nb").unwrap().span, Span::NamedFeeds);
        assert_eq!(read(r"a\s+b").unwrap().span, Span::Line);
    }

    #[test]
    fn other_readings_are_there_only_where_they_differ() {
        assert!(read("Ab").unwrap().without_case().is_some());
        assert!(read("12").unwrap().without_case().is_none());
        assert_eq!(read("a(b)").unwrap().as_text().unwrap().pattern(), r"a\(b\)");
        assert!(read("ab").unwrap().as_text().is_none());
        assert!(read(r"a\(").unwrap().as_text().is_none());
        assert_eq!(read("b+").unwrap().find_in(b"aabb"), Some(2));
    }
}
