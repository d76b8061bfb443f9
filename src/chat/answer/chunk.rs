//! One piece of an answer, as loosely typed as endpoints write it.
//!
//! Every field may be missing, null or of another type than agreed; what matters is read, the rest is passed over.
//! This file knows shapes only: what a piece means for the answer is [`super::accumulate`]'s. Texts are borrowed from
//! the line that they came in. The surprising decision: there is no `serde_json::Value` and no flattened map here; an
//! answer of one megabyte comes in fifty thousand pieces, and both cost more than all the rest.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::loose::{Content, List, Loose, Object};
use crate::protocol::Usage;

/// A count above this is no count: no answer has that many tokens.
const MAX_COUNT: u64 = 1_000_000_000_000;

/// One event's data, or a whole answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::chat) struct Chunk<'a> {
    #[serde(borrow)]
    pub(in crate::chat) choices: Option<List<Choice<'a>>>,
    #[serde(borrow)]
    pub(in crate::chat) usage: Option<&'a RawValue>,
    /// Where Groq puts the usage, and what went wrong behind the first piece.
    #[serde(borrow)]
    pub(in crate::chat) x_groq: Object<Wrapped<'a>>,
    #[serde(borrow)]
    pub(in crate::chat) error: Option<&'a RawValue>,
    /// `error` where the whole object is one, without an inner one.
    #[serde(borrow)]
    pub(in crate::chat) object: Loose<'a>,
    /// The same, under another name.
    #[serde(borrow, rename = "type")]
    pub(in crate::chat) kind: Loose<'a>,
    #[serde(borrow)]
    pub(in crate::chat) detail: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(in crate::chat) errors: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(in crate::chat) message: Loose<'a>,
    #[serde(borrow)]
    pub(in crate::chat) code: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::chat) struct Wrapped<'a> {
    #[serde(borrow)]
    pub(in crate::chat) usage: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(in crate::chat) error: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::chat) struct Choice<'a> {
    #[serde(borrow)]
    pub(in crate::chat) index: Loose<'a>,
    #[serde(borrow)]
    pub(in crate::chat) delta: Object<Box<Delta<'a>>>,
    /// The whole message where the endpoint does not stream.
    #[serde(borrow)]
    pub(in crate::chat) message: Object<Box<Delta<'a>>>,
    #[serde(borrow)]
    pub(in crate::chat) finish_reason: Loose<'a>,
    /// What the provider behind a gateway gave for a reason.
    #[serde(borrow)]
    pub(in crate::chat) native_finish_reason: Loose<'a>,
    #[serde(borrow)]
    pub(in crate::chat) usage: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(in crate::chat) error: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::chat) struct Delta<'a> {
    #[serde(borrow)]
    pub(in crate::chat) content: Content<'a>,
    #[serde(borrow)]
    pub(in crate::chat) reasoning_content: Loose<'a>,
    #[serde(borrow)]
    pub(in crate::chat) reasoning: Loose<'a>,
    #[serde(borrow)]
    pub(in crate::chat) reasoning_text: Loose<'a>,
    #[serde(borrow)]
    pub(in crate::chat) thinking: Loose<'a>,
    /// Opaque; some endpoints want it back.
    #[serde(borrow)]
    pub(in crate::chat) reasoning_details: Option<&'a RawValue>,
    /// The same, under the name that `LiteLLM` gives it.
    #[serde(borrow)]
    pub(in crate::chat) thinking_blocks: Option<&'a RawValue>,
    /// Where Gemini says that the content is a thought.
    #[serde(borrow)]
    pub(in crate::chat) extra_content: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(in crate::chat) refusal: Loose<'a>,
    #[serde(borrow)]
    pub(in crate::chat) tool_calls: List<CallDelta<'a>>,
    /// The only call, in the form before there could be several.
    #[serde(borrow)]
    pub(in crate::chat) function_call: Object<Box<FunctionDelta<'a>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::chat) struct CallDelta<'a> {
    #[serde(borrow)]
    pub(in crate::chat) index: Loose<'a>,
    #[serde(borrow)]
    pub(in crate::chat) id: Loose<'a>,
    #[serde(borrow)]
    pub(in crate::chat) function: Object<Box<FunctionDelta<'a>>>,
    /// Where Gemini puts the signature of the thought behind the call, without which it refuses the next request.
    #[serde(borrow)]
    pub(in crate::chat) extra_content: Option<&'a RawValue>,
    /// Where `LiteLLM` puts the same.
    #[serde(borrow)]
    pub(in crate::chat) provider_specific_fields: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::chat) struct FunctionDelta<'a> {
    #[serde(borrow)]
    pub(in crate::chat) name: Loose<'a>,
    /// A string, or the object itself.
    #[serde(borrow)]
    pub(in crate::chat) arguments: Option<&'a RawValue>,
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
    prompt_tokens_details: Object<LooseDetails<'a>>,
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

impl Chunk<'_> {
    /// Whether the whole of it is an error, in one of the forms that have no `error`: of vLLM (`object`), of `FastAPI`
    /// (`detail`), of gateways (`errors`, or a `message` with a `code`).
    pub(in crate::chat) fn is_error(&self) -> bool {
        let says_so = self.object.text() == "error" || self.kind.text() == "error";
        let message = !self.message.text().is_empty() && failure(self.code).is_some();
        let shaped = message || failure(self.detail).is_some() || failure(self.errors).is_some();
        says_so || (shaped && self.choices.is_none())
    }
}

/// What `raw` says went wrong; none where it says that nothing did.
pub(in crate::chat) fn failure(raw: Option<&RawValue>) -> Option<&str> {
    let said = raw.map(RawValue::get)?;
    (!matches!(said, "{}" | "\"\"" | "false" | "[]" | "0")).then_some(said)
}

impl Delta<'_> {
    /// Whether its content is marked as a thought.
    pub(in crate::chat) fn is_thought(&self) -> bool {
        let read = |raw: &RawValue| serde_json::from_str::<Value>(raw.get()).ok();
        let extra = self.extra_content.and_then(read);
        extra.and_then(|extra| extra.pointer("/google/thought")?.as_bool()).unwrap_or(false)
    }

    /// Whether it says nothing.
    pub(in crate::chat) fn is_empty(&self) -> bool {
        let thoughts = [&self.reasoning_content, &self.reasoning, &self.reasoning_text, &self.thinking];
        self.content.is_empty()
            && thoughts.into_iter().chain([&self.refusal]).all(|loose| loose.text().is_empty())
            && self.tool_calls.is_empty()
            && self.function_call.get().is_none()
    }
}

/// The usage in `raw`; none where it counts nothing. What is no number from 1 is unknown.
pub(in crate::chat) fn usage(raw: &RawValue) -> Option<Usage> {
    if !raw.get().starts_with('{') {
        // A list would be read by place.
        return None;
    }
    let loose: LooseUsage<'_> = serde_json::from_str(raw.get()).ok()?;
    let first = |places: &[&Loose<'_>]| {
        let counts = places.iter().filter_map(|place| place.count());
        counts.into_iter().find(|count| (1..MAX_COUNT).contains(count)).unwrap_or(0)
    };
    let details = loose.prompt_tokens_details.into_inner().unwrap_or_default();
    let prompt_tokens = first(&[&loose.prompt_tokens, &loose.input_tokens]);
    let completion_tokens = first(&[&loose.completion_tokens, &loose.output_tokens]);
    if prompt_tokens == 0 && completion_tokens == 0 {
        return None;
    }
    let total_tokens = match first(&[&loose.total_tokens]) {
        0 => prompt_tokens + completion_tokens,
        total => total,
    };
    let cached = first(&[&details.cached_tokens, &loose.prompt_cache_hit_tokens, &loose.cached_tokens]);
    Some(Usage { prompt_tokens, completion_tokens, total_tokens, cached_tokens: cached.min(prompt_tokens) })
}

/// The text of a call's arguments: the content of a string, or an object as it is.
///
/// Halves of surrogate pairs and NUL, which no text can contain, stay escapes: a tool must not write another character
/// instead. Two halves that came in two pieces become one character.
pub(in crate::chat) fn arguments(raw: &RawValue) -> Cow<'_, str> {
    let json = raw.get();
    if !json.starts_with('"') {
        return Cow::Borrowed(json);
    }
    let text = if let Ok(Loose::Text(text)) = serde_json::from_str(json) {
        text
    } else {
        let (escaped, _) = replace_surrogates(json, |half| format!("\\{half}"));
        Cow::Owned(serde_json::from_str(&escaped).unwrap_or_default())
    };
    if text.contains('\0') { Cow::Owned(text.replace('\0', "\\u0000")) } else { text }
}

/// `json` with every half of a surrogate pair that stands alone replaced: it names no character, and no strict reader
/// takes the line that holds it. And how many there were.
pub(in crate::chat) fn mend_surrogates(json: &str) -> (String, u32) {
    replace_surrogates(json, |_| "uFFFD".to_owned())
}

/// `json` with the escape of each half that stands alone, without its backslash, replaced by `by`.
fn replace_surrogates(json: &str, by: impl Fn(&str) -> String) -> (String, u32) {
    let (mut mended, mut halves) = (String::with_capacity(json.len()), 0);
    let mut rest = json;
    while let Some((before, behind)) = rest.split_once('\\') {
        mended.push_str(before);
        let length = match (code_unit(behind), code_unit_after(behind)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 11,
            (Some(0xD800..=0xDFFF), _) => {
                halves += 1;
                mended.push('\\');
                mended.push_str(&by(behind.get(..5).unwrap_or_default()));
                rest = behind.get(5..).unwrap_or_default();
                continue;
            }
            _ => behind.chars().next().map_or(0, char::len_utf8),
        };
        mended.push('\\');
        mended.push_str(behind.get(..length).unwrap_or_default());
        rest = behind.get(length..).unwrap_or_default();
    }
    mended.push_str(rest);
    (mended, halves)
}

/// The code unit of `uXXXX` at the beginning of `text`.
fn code_unit(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix('u')?.get(..4)?, 16).ok()
}

/// That of a second escape right behind the first one.
fn code_unit_after(text: &str) -> Option<u16> {
    code_unit(text.get(5..)?.strip_prefix('\\')?)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        check(r#"{"prompt_tokens":9,"cached_tokens":7,"prompt_tokens_details":[]}"#, Some([9, 0, 9, 7]));
        check(r#"{"prompt_tokens":"nine","completion_tokens":4}"#, Some([0, 4, 4, 0]));
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
        check(r#""a\ud83d""#, r"a\ud83d");
        check(r#""\ude00\ud83d\ude00\u0000b""#, "\\ude00\u{1f600}\\u0000b");
    }

    #[test]
    fn only_lone_halves_are_replaced() {
        #[track_caller]
        fn check(json: &str, expected: &str, halves: u32) {
            assert_eq!(mend_surrogates(json), (expected.to_owned(), halves));
        }
        check(r#""a\ud83d\ude00b""#, r#""a\ud83d\ude00b""#, 0);
        check(r#""a\ud83d""#, r#""a\uFFFD""#, 1);
        check(r#""\ude00\n\\ud83d""#, r#""\uFFFD\n\\ud83d""#, 1);
        check(r#""\ud83d\ud83d\ude00\ude00""#, r#""\uFFFD\ud83d\ude00\uFFFD""#, 2);
        check(r#""\u00"#, r#""\u00"#, 0);
        check("é\\", "é\\", 0);
    }
}
