//! Thoughts that come as text between tags, at the beginning of an answer.
//!
//! Only there: a tag further on is what the model wants to show. Where the opening tag stands in the prompt, the answer
//! begins inside of its thoughts and only a closing one comes; whoever knows that says so by [`Opening::Thoughts`]. The tags may
//! be cut anywhere; what could still become one is held back until that is clear, which is never more than a tag's length.

use super::accumulate::Opening;

/// Tags that open thoughts, and those that close them. The first pair is what most models write; Gemini and Gemma think in
/// `thought`, Seed-OSS in `seed:think`, Magistral in brackets, and models that are told to think aloud in the rest.
const TAGS: [(&str, &str); 6] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
];

/// What closes thoughts that no tag opened: no other tag is put into prompts.
const CLOSE: &str = "</think>";

/// Behind so much blank space no tag is waited for.
const MAX_BLANK_BYTES: usize = 64;

/// Tells thoughts from text.
#[derive(Debug, Default)]
pub(in crate::chat) struct ThinkTags {
    place: Place,
    held: String,
    began: Began,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing but space has come.
    #[default]
    Start,
    /// Nothing but space has come, and what comes is a thought unless a tag opens it anew.
    StartOfThoughts,
    /// Before the closing tag.
    Inside(&'static str),
    /// Behind it; the space there belongs to nobody.
    Behind,
    /// In the text: everything passes.
    Text,
}

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::chat) enum Kind {
    /// Visible text.
    Text,
    /// A thought.
    Thought,
}

/// How an answer began.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(in crate::chat) enum Began {
    /// With text, or not yet.
    #[default]
    AsText,
    /// With a tag that opens thoughts.
    WithTag,
    /// Inside of thoughts, as was expected: they were closed.
    InThoughts,
    /// Inside of thoughts, or so it was expected: nothing has closed them.
    InOpenThoughts,
}

impl ThinkTags {
    /// For an answer that begins in this way.
    pub(in crate::chat) fn new(opening: Opening) -> Self {
        let place = match opening {
            Opening::Text => Place::Start,
            Opening::Thoughts => Place::StartOfThoughts,
        };
        Self { place, ..Self::default() }
    }

    /// Whether all that comes is text.
    pub(in crate::chat) fn pass(&self) -> bool {
        self.place == Place::Text
    }

    /// How many bytes are held back.
    pub(in crate::chat) fn held(&self) -> usize {
        self.held.len()
    }

    /// How the answer began, by what has come of it.
    pub(in crate::chat) fn began(&self) -> Began {
        self.began
    }

    /// Whether `text`, which is a thought, is its matter: behind a tag that opens thoughts, or with one.
    pub(in crate::chat) fn may_take(&self, text: &str) -> bool {
        match self.place {
            Place::Inside(_) => true,
            Place::Start | Place::StartOfThoughts => {
                !self.held.is_empty() || text.trim_start().starts_with(['<', '['])
            }
            Place::Behind | Place::Text => false,
        }
    }

    /// Thoughts come by a way of their own: the answer does not begin with any.
    pub(in crate::chat) fn expect_text(&mut self) {
        if self.place == Place::StartOfThoughts {
            self.place = Place::Start;
        }
    }

    /// Takes the next piece and hands on what is clear by now.
    pub(in crate::chat) fn push(&mut self, piece: &str, mut on: impl FnMut(Kind, &str)) {
        if self.pass() {
            return on(Kind::Text, piece);
        }
        let mut held = std::mem::take(&mut self.held);
        held.push_str(piece);
        let rest = self.sort(&held, &mut on).len();
        held.drain(..held.len() - rest);
        self.held = held;
    }

    /// The text has ended: hands on what was held back.
    pub(in crate::chat) fn finish(&mut self, mut on: impl FnMut(Kind, &str)) {
        let held = std::mem::take(&mut self.held);
        match self.place {
            Place::Inside(_) => on(Kind::Thought, &held),
            Place::Start | Place::StartOfThoughts | Place::Behind | Place::Text => on(Kind::Text, &held),
        }
    }

    /// Hands on what is clear of `text` and gives back the rest.
    fn sort<'a>(&mut self, mut text: &'a str, on: &mut impl FnMut(Kind, &str)) -> &'a str {
        loop {
            match self.place {
                Place::Start | Place::StartOfThoughts => {
                    let Some(rest) = self.start(text) else { return text };
                    text = rest;
                }
                Place::Inside(close) => {
                    let (thought, rest) = split_at_tag(text, close);
                    on(Kind::Thought, thought);
                    let Some(behind) = rest.strip_prefix(close) else { return rest };
                    if self.began == Began::InOpenThoughts {
                        self.began = Began::InThoughts;
                    }
                    (self.place, text) = (Place::Behind, behind);
                }
                Place::Behind => {
                    text = text.trim_start();
                    if text.is_empty() {
                        return text;
                    }
                    self.place = Place::Text;
                }
                Place::Text => {
                    on(Kind::Text, text);
                    return "";
                }
            }
        }
    }

    /// Decides what `text`, the first of the answer, begins with, and gives back what is behind that; none where it may yet be
    /// one or the other.
    fn start<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let begun = text.trim_start();
        if text.len() - begun.len() <= MAX_BLANK_BYTES {
            for (open, close) in TAGS {
                if let Some(inside) = begun.strip_prefix(open) {
                    (self.place, self.began) = (Place::Inside(close), Began::WithTag);
                    return Some(inside);
                }
            }
            if TAGS.iter().any(|(open, _)| open.starts_with(begun)) {
                return None;
            }
        }
        if self.place == Place::StartOfThoughts {
            (self.place, self.began) = (Place::Inside(CLOSE), Began::InOpenThoughts);
        } else {
            self.place = Place::Text;
        }
        Some(text)
    }
}

/// `text` up to the first place that is `tag` or could become it, and from there on.
fn split_at_tag<'a>(text: &'a str, tag: &str) -> (&'a str, &'a str) {
    let first = tag.chars().next().unwrap_or_default();
    let mut from = 0;
    while let Some(place) = text.get(from..).and_then(|rest| rest.find(first)) {
        let (before, rest) = text.split_at(from + place);
        if rest.starts_with(tag) || tag.starts_with(rest) {
            return (before, rest);
        }
        from += place + first.len_utf8();
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(opening: Opening, pieces: impl IntoIterator<Item = impl AsRef<str>>) -> (String, String, Began) {
        let (mut thoughts, mut text) = (String::new(), String::new());
        let mut tags = ThinkTags::new(opening);
        let mut on = |kind: Kind, piece: &str| match kind {
            Kind::Thought => thoughts.push_str(piece),
            Kind::Text => text.push_str(piece),
        };
        for piece in pieces {
            tags.push(piece.as_ref(), &mut on);
            assert!(tags.held() < MAX_BLANK_BYTES + 16);
        }
        let began = tags.began();
        tags.finish(&mut on);
        (thoughts, text, began)
    }

    #[track_caller]
    fn check_from(opening: Opening, text: &str, thoughts: &str, visible: &str, began: Began) {
        let expected = (thoughts.to_owned(), visible.to_owned(), began);
        assert_eq!(read(opening, [text]), expected, "{text:?} at once");
        assert_eq!(read(opening, text.chars().map(String::from)), expected, "{text:?} in single characters");
    }

    #[test]
    fn thoughts_stand_between_tags_at_the_beginning() {
        #[track_caller]
        fn check(text: &str, thoughts: &str, visible: &str) {
            check_from(Opening::Text, text, thoughts, visible, Began::WithTag);
            check_from(Opening::Thoughts, text, thoughts, visible, Began::WithTag);
        }
        check("<think>a < b</think>\n\nyes", "a < b", "yes");
        check("\n<think></thin</think>yes</think>", "</thin", "yes</think>");
        check("<think>é", "é", "");
        check("<think>a</th", "a</th", "");
        check("<thought>a</think></thought>b", "a</think>", "b");
        check("<thinking>a</thinking>b", "a", "b");
        check("<seed:think>a</seed:think>b", "a", "b");
        check("[THINK]a[0][/THINK]b", "a[0]", "b");
        check("<reasoning>a<<</reasoning>b", "a<<", "b");
    }

    #[test]
    fn text_without_a_tag_passes_as_it_is() {
        #[track_caller]
        fn check(text: &str) {
            check_from(Opening::Text, text, "", text, Began::AsText);
        }
        check("");
        check("  ");
        check(" <thin");
        check("<thinker>no");
        check("[TODAY]");
        check("say <think>");
        check("</think>a");
        check(&(" ".repeat(65) + "<think>a</think>b"));
    }

    #[test]
    fn an_answer_may_begin_inside_of_its_thoughts() {
        #[track_caller]
        fn check(text: &str, thoughts: &str, visible: &str, began: Began) {
            check_from(Opening::Thoughts, text, thoughts, visible, began);
        }
        check(" hm </think>\n\nyes</think>", " hm ", "yes</think>", Began::InThoughts);
        check("</think>yes", "", "yes", Began::InThoughts);
        check("hm", "hm", "", Began::InOpenThoughts);
        check("", "", "", Began::AsText);
    }

    #[test]
    fn thoughts_that_come_otherwise_are_not_expected_in_the_text() {
        let mut tags = ThinkTags::new(Opening::Thoughts);
        tags.expect_text();
        let mut text = String::new();
        tags.push("yes", |kind, piece| text.push_str(if kind == Kind::Text { piece } else { "" }));
        assert_eq!((text.as_str(), tags.pass(), tags.began()), ("yes", true, Began::AsText));
    }
}
