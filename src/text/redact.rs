//! What must not be read: the program's own keys, and the values of the user's secret variables, taken out of texts.
//!
//! A key goes wherever it stands, and any twelve characters of it that stand together; a value goes as a whole, and what
//! stands in its place names the variable, so that a reader knows what it was. Not encryption and no proof: a secret
//! written in another form (base64, letters apart) passes. The surprise: a placeholder is dangerous in its turn. Written
//! back into a file it would take the secret's place there, so whoever writes asks [`Redactor::placeholder`] first.
//!
//! The search is made at the first text, not at the start of the program.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use aho_corasick::AhoCorasick;

/// What stands in the place of a key.
pub const KEY: &str = "[redacted key]";

/// So many characters of a key together are as good as a part of it: nobody guesses the rest of a shorter piece.
const PIECE: usize = 12;

/// Shorter keys would tear texts apart.
const LEAST_KEY: usize = 8;

/// Shorter values are words and numbers (`true`, `eu-central-1`).
const LEAST_VALUE: usize = 16;

/// What is taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hide {
    /// The program's own keys: always and everywhere.
    Keys,
    /// The values of secret variables too: but where the user has let a file be read.
    All,
}

/// Takes secrets out of texts. Its debug form shows how many it knows.
#[derive(Default)]
pub struct Redactor {
    keys: Vec<String>,
    values: Vec<Value>,
    search: OnceLock<Option<Search>>,
}

/// A value that is hidden.
#[derive(PartialEq, Eq)]
struct Value {
    text: String,
    placeholder: String,
}

struct Search {
    automaton: AhoCorasick,
    /// For each pattern: the number of its value, or none where it is a piece of a key.
    of: Vec<Option<usize>>,
}

/// A stretch that is hidden.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Span {
    range: Range<usize>,
    value: Option<usize>,
}

impl Redactor {
    /// Hides the keys, and the values of the variables, which come with their names. What is too short to be told from a
    /// word is left out; of a value of several lines each line counts.
    pub fn new(
        keys: impl IntoIterator<Item = String>,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Self {
        let keys: Vec<String> = keys.into_iter().filter(|key| key.len() >= LEAST_KEY).collect();
        let mut values: Vec<Value> = Vec::new();
        for (name, value) in variables {
            for line in value.lines().map(str::trim).filter(|line| is_secret_value(line)) {
                if !keys.iter().any(|key| key == line) && !values.iter().any(|known| known.text == line) {
                    values.push(Value { text: line.to_owned(), placeholder: format!("[secret: {name}]") });
                }
            }
        }
        Self { keys, values, search: OnceLock::new() }
    }

    /// `text` without secrets.
    pub fn redact<'a>(&self, text: &'a str, hide: Hide) -> Cow<'a, str> {
        let spans = self.spans(text.as_bytes(), hide);
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for Span { range, value } in spans {
            out.push_str(text.get(from..range.start).unwrap_or_default());
            out.push_str(self.stands_for(value));
            from = range.end;
        }
        out.push_str(text.get(from..).unwrap_or_default());
        Cow::Owned(out)
    }

    /// The same in place.
    pub fn redact_in(&self, text: &mut String, hide: Hide) {
        if let Cow::Owned(clean) = self.redact(text, hide) {
            *text = clean;
        }
    }

    /// Where secrets stand in bytes that need be no text: in order, none touching another.
    pub fn places(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        self.spans(bytes, Hide::All).into_iter().map(|span| span.range).collect()
    }

    /// How many bytes before a place must be seen to know whether a secret ends there.
    pub fn reach(&self) -> usize {
        let whole = self.values.iter().map(|value| &value.text).chain(&self.keys).map(String::len);
        let longest = whole.max().unwrap_or(0);
        if self.is_empty() { 0 } else { longest.max(PIECE) - 1 }
    }

    /// Whether nothing is hidden at all.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.values.is_empty()
    }

    /// A placeholder that stands in `text` and not in `before`, which it is to replace.
    pub fn placeholder(&self, text: &str, before: &[u8]) -> Option<&str> {
        let keys = (!self.keys.is_empty()).then_some(KEY);
        let all = self.values.iter().map(|value| value.placeholder.as_str()).chain(keys);
        let is_new = |placeholder: &&str| {
            text.contains(*placeholder)
                && !before.windows(placeholder.len()).any(|part| part == placeholder.as_bytes())
        };
        all.into_iter().find(is_new)
    }

    fn stands_for(&self, value: Option<usize>) -> &str {
        value.and_then(|number| self.values.get(number)).map_or(KEY, |value| value.placeholder.as_str())
    }

    /// All stretches in order; those that overlap are one, and a key's is the key's.
    fn spans(&self, bytes: &[u8], hide: Hide) -> Vec<Span> {
        let Some(search) = self.search() else { return Vec::new() };
        let mut found: Vec<Span> = search
            .automaton
            .find_overlapping_iter(bytes)
            .map(|found| Span {
                range: found.range(),
                value: search.of.get(found.pattern().as_usize()).copied().flatten(),
            })
            .filter(|span| hide == Hide::All || span.value.is_none())
            .collect();
        found.sort_by_key(|span| (span.range.start, span.range.end));
        let mut merged: Vec<Span> = Vec::new();
        for span in found {
            match merged.last_mut() {
                Some(last) if span.range.start < last.range.end => {
                    last.value = last.value.filter(|_| span.value.is_some());
                    last.range.end = last.range.end.max(span.range.end);
                }
                Some(_) | None => merged.push(span),
            }
        }
        merged
    }

    fn search(&self) -> Option<&Search> {
        if self.is_empty() {
            return None;
        }
        self.search.get_or_init(|| self.build()).as_ref()
    }

    /// None where the machine has no room for it: there is nothing better to do than to go on.
    fn build(&self) -> Option<Search> {
        let mut patterns: Vec<&[u8]> = Vec::new();
        for key in &self.keys {
            // several words are a header's value: a piece of it may be plain text
            let piece = if key.contains(' ') { key.len() } else { PIECE.min(key.len()) };
            patterns.extend(key.as_bytes().windows(piece));
        }
        let mut of = vec![None; patterns.len()];
        for (number, value) in self.values.iter().enumerate() {
            patterns.push(value.text.as_bytes());
            of.push(Some(number));
        }
        let automaton = AhoCorasick::new(patterns).ok()?;
        Some(Search { automaton, of })
    }
}

impl PartialEq for Redactor {
    fn eq(&self, other: &Self) -> bool {
        self.keys == other.keys && self.values == other.values
    }
}

impl Eq for Redactor {}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor")
            .field("keys", &self.keys.len())
            .field("values", &self.values.len())
            .finish_non_exhaustive()
    }
}

/// Keys taken out of a text that comes in pieces. Nothing is held back for it: of a key that comes letter by letter fewer
/// than twelve characters are shown.
#[derive(Debug, Default)]
pub struct Stream {
    /// The end of what came before, as it came.
    before: String,
    /// Whether that end is hidden.
    hidden: bool,
}

impl Stream {
    /// The next piece without keys.
    pub fn next(&mut self, redactor: &Redactor, piece: String) -> String {
        if redactor.keys.is_empty() {
            return piece;
        }
        let old = self.before.len();
        self.before.push_str(&piece);
        let spans = redactor.spans(self.before.as_bytes(), Hide::Keys);
        let out =
            if spans.iter().any(|span| span.range.end > old) { self.cleaned(old, &spans) } else { piece };
        self.hidden = spans.last().is_some_and(|span| span.range.end == self.before.len());
        let reach = redactor.keys.iter().map(String::len).max().unwrap_or(0).min(PIECE) - 1;
        let start = self.before.ceil_char_boundary(self.before.len().saturating_sub(reach));
        self.before.drain(..start);
        out
    }

    /// What begins at `old`, without the stretches.
    fn cleaned(&self, old: usize, spans: &[Span]) -> String {
        let mut out = String::new();
        let mut from = old;
        for Span { range, .. } in spans.iter().filter(|span| span.range.end > old) {
            out.push_str(self.before.get(from..range.start.max(old)).unwrap_or_default());
            if range.start >= old || !self.hidden {
                out.push_str(KEY);
            }
            from = range.end;
        }
        out.push_str(self.before.get(from..).unwrap_or_default());
        out
    }
}

/// Whether the value of a variable whose name says "secret" is one: not a path, and not an address without a password.
fn is_secret_value(value: &str) -> bool {
    let is_path = value.starts_with(['/', '~']) || value.starts_with("./");
    let is_address = value.contains("://") && !value.contains('@') && !value.contains('?');
    let is_frame = value.starts_with("-----");
    value.len() >= LEAST_VALUE && !is_path && !is_address && !is_frame
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LONG: &str = "sk-Abcdefghijklmnopqrstuvwxyz0123456789";

    fn redactor() -> Redactor {
        let keys = [LONG, "short-k1", "tiny"].map(str::to_owned);
        let variables = [
            ("DB_PASSWORD", "correct horse battery"),
            ("GITHUB_TOKEN", "ghp_0123456789abcdef"),
            ("SMALL_TOKEN", "0123456789"),
            ("GOOGLE_APPLICATION_CREDENTIALS", "/home/u/service-account.json"),
            ("TOKEN_URL", "https://auth.example/token"),
            ("DATABASE_URL", "postgres://u:p@db.example/x"),
            (
                "DEPLOY_KEY",
                "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----",
            ),
            ("COPY_OF_KEY", LONG),
        ];
        Redactor::new(keys, variables.map(|(name, value)| (name.to_owned(), value.to_owned())))
    }

    fn check(text: &str, all: &str, keys: &str) {
        let redactor = redactor();
        assert_eq!(redactor.redact(text, Hide::All), all, "{text:?}");
        assert_eq!(redactor.redact(text, Hide::Keys), keys, "{text:?}");
    }

    #[test]
    fn keys_and_values_are_taken_out() {
        let key = format!("a {LONG} b short-k1 c tiny");
        check(&key, "a [redacted key] b [redacted key] c tiny", "a [redacted key] b [redacted key] c tiny");
        let text = "p=correct horse battery; t=ghp_0123456789abcdef.";
        check(text, "p=[secret: DB_PASSWORD]; t=[secret: GITHUB_TOKEN].", text);
        check("1\tMIIEvQIBADANBgkq\n", "1\t[secret: DEPLOY_KEY]\n", "1\tMIIEvQIBADANBgkq\n");
        let url = "postgres://u:p@db.example/x";
        check(url, "[secret: DATABASE_URL]", url);
        for plain in [
            "0123456789",
            "/home/u/service-account.json",
            "https://auth.example/token",
            "sk-Abcdefgh",
            "",
            "ü",
        ] {
            check(plain, plain, plain);
        }
    }

    #[test]
    fn twelve_characters_of_a_key_are_too_many_and_eleven_are_not() {
        let (twelve, eleven) = (LONG.get(10..22).unwrap(), LONG.get(10..21).unwrap());
        check(&format!("<{twelve}>"), "<[redacted key]>", "<[redacted key]>");
        check(&format!("<{eleven}>"), &format!("<{eleven}>"), &format!("<{eleven}>"));
    }

    #[test]
    fn nothing_is_copied_where_nothing_is_hidden() {
        assert!(matches!(redactor().redact("plain", Hide::All), Cow::Borrowed(_)));
        assert!(matches!(Redactor::default().redact(LONG, Hide::All), Cow::Borrowed(_)));
        assert_eq!(format!("{:?}", redactor()), "Redactor { keys: 2, values: 5, .. }");
    }

    #[test]
    fn a_placeholder_is_known_unless_it_stood_there_before() {
        let redactor = redactor();
        let found = |text: &str, before: &str| redactor.placeholder(text, before.as_bytes());
        assert_eq!(found("x = [secret: GITHUB_TOKEN]", ""), Some("[secret: GITHUB_TOKEN]"));
        assert_eq!(found("x = [redacted key]", "y"), Some(KEY));
        assert_eq!(found("x = [redacted key]", "a test of [redacted key]"), None);
        assert_eq!(found("x = [secret: OTHER]", ""), None);
        assert_eq!(Redactor::default().placeholder(KEY, b""), None);
    }

    #[test]
    fn places_in_bytes_are_found_and_reach_far_enough() {
        let redactor = redactor();
        let bytes = [b"\xff".as_slice(), LONG.as_bytes(), b"\0"].concat();
        assert_eq!(redactor.places(&bytes).first(), Some(&(1..1 + LONG.len())));
        assert_eq!((redactor.reach(), Redactor::default().reach()), (LONG.len() - 1, 0));
    }

    #[test]
    fn a_key_in_pieces_is_hidden_from_its_twelfth_character_on() {
        let redactor = redactor();
        let streamed = |pieces: &[&str]| {
            let mut stream = Stream::default();
            let pieces: Vec<String> =
                pieces.iter().map(|piece| stream.next(&redactor, (*piece).to_owned())).collect();
            pieces.join("|")
        };
        assert_eq!(streamed(&["no key", " at all"]), "no key| at all");
        assert_eq!(streamed(&["it is ", LONG, " so"]), "it is |[redacted key]| so");
        let (one, two) = LONG.split_at(20);
        assert_eq!(streamed(&[one, two, "!"]), "[redacted key]||!");
        let (one, two) = LONG.split_at(6);
        assert_eq!(streamed(&["<", one, two, ">"]), "<|sk-Abc|[redacted key]|>");
    }

    proptest! {
        #[test]
        fn no_twelve_characters_of_a_key_are_left(
            parts in prop::collection::vec(prop_oneof![
                (0_usize..40, 0_usize..40).prop_map(|(a, b)| LONG.get(a.min(b)..a.max(b)).unwrap_or_default().to_owned()),
                "[ a-zü]{0,3}",
            ], 0..8),
            at in prop::collection::vec(0_usize..200, 0..6),
        ) {
            let (redactor, text) = (redactor(), parts.concat());
            let holds = |text: &str| LONG.as_bytes().windows(PIECE).any(|piece| text.contains(std::str::from_utf8(piece).unwrap()));
            prop_assert!(!holds(&redactor.redact(&text, Hide::Keys)));
            let mut cuts: Vec<usize> = at.into_iter().map(|at| text.floor_char_boundary(at)).collect();
            cuts.sort_unstable();
            let mut stream = Stream::default();
            let (mut out, mut from) = (String::new(), 0);
            for cut in cuts.into_iter().chain([text.len()]) {
                out.push_str(&stream.next(&redactor, text.get(from..cut).unwrap().to_owned()));
                from = cut;
            }
            prop_assert!(!holds(&out), "{:?}", out);
        }
    }
}
