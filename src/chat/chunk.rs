//! One piece of an answer, as loosely typed as endpoints write it.
//!
//! Every field may be missing, null or of another type than agreed; what matters is read, the rest is passed over.
//! This file knows shapes only: what a piece means for the answer is [`super::accumulate`]'s. Texts are borrowed from
//! the line that they came in. The surprising decision: there is no `serde_json::Value` and no flattened map here; an
//! answer of one megabyte comes in fifty thousand pieces, and both cost more than all the rest.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::protocol::Usage;

/// A count above this is no count: no answer has that many tokens.
const MAX_COUNT: u64 = 1_000_000_000_000;

/// One event's data, or a whole answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk<'a> {
    #[serde(borrow)]
    pub(super) choices: Option<Vec<Option<Choice<'a>>>>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    /// Where Groq puts the usage.
    #[serde(borrow)]
    pub(super) x_groq: Option<Wrapped<'a>>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
    /// `error` where the whole object is one, without an inner one.
    #[serde(borrow)]
    pub(super) object: Loose<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Wrapped<'a> {
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Choice<'a> {
    #[serde(borrow)]
    pub(super) index: Loose<'a>,
    #[serde(borrow)]
    pub(super) delta: Option<Delta<'a>>,
    /// The whole message where the endpoint does not stream.
    #[serde(borrow)]
    pub(super) message: Option<Delta<'a>>,
    #[serde(borrow)]
    pub(super) finish_reason: Loose<'a>,
    #[serde(borrow)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Delta<'a> {
    #[serde(borrow)]
    pub(super) content: Loose<'a>,
    #[serde(borrow)]
    pub(super) reasoning_content: Loose<'a>,
    #[serde(borrow)]
    pub(super) reasoning: Loose<'a>,
    #[serde(borrow)]
    pub(super) reasoning_text: Loose<'a>,
    #[serde(borrow)]
    pub(super) thinking: Loose<'a>,
    /// Opaque; some endpoints want it back.
    #[serde(borrow)]
    pub(super) reasoning_details: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) refusal: Loose<'a>,
    #[serde(borrow)]
    pub(super) tool_calls: Option<Vec<Option<CallDelta<'a>>>>,
    /// The only call, in the form before there could be several.
    #[serde(borrow)]
    pub(super) function_call: Option<FunctionDelta<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CallDelta<'a> {
    #[serde(borrow)]
    pub(super) index: Loose<'a>,
    #[serde(borrow)]
    pub(super) id: Loose<'a>,
    #[serde(borrow)]
    pub(super) function: Option<FunctionDelta<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FunctionDelta<'a> {
    #[serde(borrow)]
    pub(super) name: Loose<'a>,
    /// A string, or the object itself.
    #[serde(borrow)]
    pub(super) arguments: Option<&'a RawValue>,
}

/// A value of any type.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) enum Loose<'a> {
    /// Missing or null.
    #[default]
    Nothing,
    /// A text; also that of an object with a `text`, and of a list of such, joined.
    Text(Cow<'a, str>),
    /// A number that counts.
    Count(u64),
    /// Anything else.
    Odd,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LooseUsage<'a> {
    #[serde(borrow)]
    prompt_tokens: Loose<'a>,
    #[serde(borrow)]
    input_tokens: Loose<'a>,
    #[serde(borrow)]
    completion_tokens: Loose<'a>,
    #[serde(borrow)]
    output_tokens: Loose<'a>,
    #[serde(borrow)]
    total_tokens: Loose<'a>,
    #[serde(borrow)]
    prompt_tokens_details: Option<LooseDetails<'a>>,
    #[serde(borrow)]
    prompt_cache_hit_tokens: Loose<'a>,
    #[serde(borrow)]
    cached_tokens: Loose<'a>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LooseDetails<'a> {
    #[serde(borrow)]
    cached_tokens: Loose<'a>,
}

impl Loose<'_> {
    /// The text; empty where there is none.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Nothing | Self::Count(_) | Self::Odd => "",
        }
    }

    /// The count, also where it came as text.
    pub(super) fn count(&self) -> Option<u64> {
        match self {
            Self::Count(count) => Some(*count),
            Self::Text(text) => text.trim().parse().ok(),
            Self::Nothing | Self::Odd => None,
        }
    }
}

/// The usage in `raw`; none where it counts nothing.
pub(super) fn usage(raw: &RawValue) -> Option<Usage> {
    let loose: LooseUsage<'_> = serde_json::from_str(raw.get()).ok()?;
    let first = |places: [&Loose<'_>; 3]| {
        places.into_iter().filter_map(Loose::count).find(|count| (1..MAX_COUNT).contains(count)).unwrap_or(0)
    };
    let none = Loose::Nothing;
    let details = loose.prompt_tokens_details.unwrap_or_default();
    let prompt_tokens = first([&loose.prompt_tokens, &loose.input_tokens, &none]);
    let completion_tokens = first([&loose.completion_tokens, &loose.output_tokens, &none]);
    if prompt_tokens == 0 && completion_tokens == 0 {
        return None;
    }
    let total_tokens = match first([&loose.total_tokens, &none, &none]) {
        0 => prompt_tokens + completion_tokens,
        total => total,
    };
    let cached = first([&details.cached_tokens, &loose.prompt_cache_hit_tokens, &loose.cached_tokens]);
    Some(Usage { prompt_tokens, completion_tokens, total_tokens, cached_tokens: cached.min(prompt_tokens) })
}

/// The text of a call's arguments: what a string says, or the object as it stands.
pub(super) fn arguments(raw: &RawValue) -> Cow<'_, str> {
    let json = raw.get();
    if !json.starts_with('"') {
        return Cow::Borrowed(json);
    }
    match serde_json::from_str(json) {
        Ok(Loose::Text(text)) => text,
        _ => Cow::Owned(serde_json::from_str(&mend_surrogates(json)).unwrap_or_default()),
    }
}

/// `json` with every half of a surrogate pair that stands alone replaced: it names no character, and no strict reader
/// takes the line that holds it.
pub(super) fn mend_surrogates(json: &str) -> String {
    let mut mended = String::with_capacity(json.len());
    let mut rest = json;
    while let Some((before, behind)) = rest.split_once('\\') {
        mended.push_str(before);
        let (escape, after) = match (code_unit(behind), code_unit_after(behind)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (behind.get(..11), behind.get(11..)),
            (Some(0xD800..=0xDFFF), _) => (Some("uFFFD"), behind.get(5..)),
            _ => {
                let end = behind.chars().next().map_or(0, char::len_utf8);
                (behind.get(..end), behind.get(end..))
            }
        };
        mended.push('\\');
        mended.push_str(escape.unwrap_or_default());
        rest = after.unwrap_or_default();
    }
    mended.push_str(rest);
    mended
}

/// The code unit of `uXXXX` at the beginning of `text`.
fn code_unit(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix('u')?.get(..4)?, 16).ok()
}

/// That of a second escape right behind the first one.
fn code_unit_after(text: &str) -> Option<u16> {
    code_unit(text.get(5..)?.strip_prefix('\\')?)
}

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Loose::Nothing)
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Loose::Count(number))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Loose::Odd)
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        // A count written as `12.0`; printing is the conversion that cannot go wrong.
        Ok(format!("{number:.0}").parse().map_or(Loose::Odd, Loose::Count))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Loose::Odd)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut joined = None::<String>;
        while let Some(item) = list.next_element::<Loose<'de>>()? {
            if let Loose::Text(text) = item {
                joined.get_or_insert_default().push_str(&text);
            }
        }
        Ok(joined.map_or(Loose::Odd, |text| Loose::Text(Cow::Owned(text))))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = Loose::Odd;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            if key == "text" {
                found = map.next_value()?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loose(json: &str) -> Loose<'_> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn any_value_is_taken_for_what_it_is_worth() {
        assert_eq!(loose(r#""a""#), Loose::Text("a".into()));
        assert_eq!(loose(r#""\n""#), Loose::Text("\n".into()));
        assert_eq!(loose("null"), Loose::Nothing);
        assert_eq!(loose("7"), Loose::Count(7));
        assert_eq!(loose("7.0"), Loose::Count(7));
        assert_eq!(loose("-7"), Loose::Odd);
        assert_eq!(loose("true"), Loose::Odd);
        assert_eq!(loose(r#"[{"type":"text","text":"a"},"b",{"x":[1]}]"#), Loose::Text("ab".into()));
        assert_eq!(loose(r#""12""#).count(), Some(12));
    }

    #[test]
    fn usage_is_read_under_its_many_names() {
        #[track_caller]
        fn check(json: &str, expected: Option<[u64; 4]>) {
            let raw: &RawValue = serde_json::from_str(json).unwrap();
            let counts = usage(raw).map(|usage| {
                [usage.prompt_tokens, usage.completion_tokens, usage.total_tokens, usage.cached_tokens]
            });
            assert_eq!(counts, expected, "{json}");
        }
        check(r#"{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}"#, Some([3, 2, 5, 0]));
        check(r#"{"input_tokens":"3","output_tokens":2.0}"#, Some([3, 2, 5, 0]));
        check(
            r#"{"prompt_tokens":9,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":4}}"#,
            Some([9, 1, 10, 4]),
        );
        check(r#"{"prompt_tokens":9,"prompt_cache_hit_tokens":8}"#, Some([9, 0, 9, 8]));
        check(r#"{"prompt_tokens":0,"completion_tokens":0}"#, None);
        check(r#"{"prompt_tokens":-5,"completion_tokens":18446744073709551615}"#, None);
        check(r#""unknown""#, None);
        check("{}", None);
    }

    #[test]
    fn arguments_come_as_text_or_as_an_object() {
        #[track_caller]
        fn check(json: &str, expected: &str) {
            let raw: &RawValue = serde_json::from_str(json).unwrap();
            assert_eq!(arguments(raw), expected);
        }
        check(r#""{\"a\":1}""#, r#"{"a":1}"#);
        check(r#"{"a":1}"#, r#"{"a":1}"#);
        check(r#""""#, "");
        check(r#""a\ud83d""#, "a\u{FFFD}");
    }

    #[test]
    fn only_lone_halves_are_replaced() {
        #[track_caller]
        fn check(json: &str, expected: &str) {
            assert_eq!(mend_surrogates(json), expected);
        }
        check(r#""a\ud83d\ude00b""#, r#""a\ud83d\ude00b""#);
        check(r#""a\ud83d""#, r#""a\uFFFD""#);
        check(r#""\ude00\n\\ud83d""#, r#""\uFFFD\n\\ud83d""#);
        check(r#""\ud83d\ud83d\ude00""#, r#""\uFFFD\ud83d\ude00""#);
        check(r#""\u00"#, r#""\u00"#);
        check("é\\", "é\\");
    }
}
