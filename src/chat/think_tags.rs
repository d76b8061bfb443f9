//! Thoughts that come as text between tags, at the beginning of an answer.
//!
//! Only there: a tag further on is what the model wants to show. The tags may be cut anywhere; what could still become
//! one is held back until that is clear, which is never more than a tag's length.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Tells thoughts from text.
#[derive(Debug, Default)]
pub(super) struct ThinkTags {
    place: Place,
    held: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing but space has come.
    #[default]
    Start,
    /// Behind the opening tag.
    Inside,
    /// Behind the closing one; the space there belongs to nobody.
    Behind,
    /// In the text: everything passes.
    Text,
}

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Visible text.
    Text,
    /// A thought.
    Thought,
}

impl ThinkTags {
    /// Takes the next piece and hands on what is clear by now.
    pub(super) fn push(&mut self, piece: &str, mut on: impl FnMut(Kind, &str)) {
        if self.place == Place::Text {
            return on(Kind::Text, piece);
        }
        self.held.push_str(piece);
        let held = std::mem::take(&mut self.held);
        self.held = self.sort(&held, &mut on).to_owned();
    }

    /// The text has ended: hands on what was held back.
    pub(super) fn finish(self, mut on: impl FnMut(Kind, &str)) {
        match self.place {
            Place::Inside => on(Kind::Thought, &self.held),
            Place::Start | Place::Behind | Place::Text => on(Kind::Text, &self.held),
        }
    }

    /// Hands on what is clear of `text` and gives back the rest.
    fn sort<'a>(&mut self, mut text: &'a str, on: &mut impl FnMut(Kind, &str)) -> &'a str {
        loop {
            match self.place {
                Place::Start => {
                    let begun = text.trim_start();
                    if let Some(inside) = begun.strip_prefix(OPEN) {
                        (self.place, text) = (Place::Inside, inside);
                    } else if OPEN.starts_with(begun) {
                        return text;
                    } else {
                        self.place = Place::Text;
                    }
                }
                Place::Inside => {
                    let Some((thought, behind)) = text.split_once(CLOSE) else {
                        let (thought, held) = split_before_half_a_tag(text);
                        on(Kind::Thought, thought);
                        return held;
                    };
                    on(Kind::Thought, thought);
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
}

fn split_before_half_a_tag(text: &str) -> (&str, &str) {
    let halves = (1..CLOSE.len()).rev().filter_map(|length| CLOSE.get(..length));
    let half = halves.into_iter().find(|half| text.ends_with(half)).unwrap_or_default();
    text.split_at(text.len() - half.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: impl IntoIterator<Item = impl AsRef<str>>) -> (String, String) {
        let (mut thoughts, mut text) = (String::new(), String::new());
        let mut tags = ThinkTags::default();
        let mut on = |kind: Kind, piece: &str| match kind {
            Kind::Thought => thoughts.push_str(piece),
            Kind::Text => text.push_str(piece),
        };
        for piece in pieces {
            tags.push(piece.as_ref(), &mut on);
        }
        tags.finish(&mut on);
        (thoughts, text)
    }

    #[track_caller]
    fn check(text: &str, thoughts: &str, visible: &str) {
        let expected = (thoughts.to_owned(), visible.to_owned());
        assert_eq!(read([text]), expected, "{text:?} at once");
        assert_eq!(read(text.chars().map(String::from)), expected, "{text:?} in single characters");
    }

    #[test]
    fn thoughts_stand_between_tags_at_the_beginning() {
        check("<think>a < b</think>\n\nyes", "a < b", "yes");
        check(" \n<think></thin</think>yes</think>", "</thin", "yes</think>");
        check("<think>é", "é", "");
        check("<think>a</th", "a</th", "");
    }

    #[test]
    fn text_without_a_tag_passes_as_it_is() {
        check("", "", "");
        check("  ", "", "  ");
        check(" <thin", "", " <thin");
        check("<thinking>no", "", "<thinking>no");
        check("say <think>", "", "say <think>");
    }
}
