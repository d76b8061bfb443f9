//! JSON of another type than agreed, taken for what it is worth.
//!
//! Four shapes, each of which reads any value and fails on none: a text or a count, an object, a list of objects, a text
//! with thoughts in it. What stands in the wrong place is passed over, so that one odd field never costs the line it
//! stands in. Texts are borrowed where the line has them without an escape.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A text or a count.
#[derive(Debug, Default, Clone, PartialEq)]
pub(in crate::chat) enum Loose<'a> {
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

/// An object; none where something else stands.
#[derive(Debug)]
pub(in crate::chat) struct Object<T>(Option<T>);

/// A list of objects; one that stands alone is a list of one.
#[derive(Debug)]
pub(in crate::chat) struct List<T>(Vec<T>);

/// What a message says: a text, or a list of parts, some of which may be thoughts.
#[derive(Debug, Default, Clone, PartialEq)]
pub(in crate::chat) struct Content<'a> {
    pub(in crate::chat) text: Cow<'a, str>,
    /// What stands in parts of the type `thinking` (Mistral).
    pub(in crate::chat) thoughts: String,
}

/// One part of a content.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Part<'a> {
    #[serde(borrow, rename = "type")]
    kind: Loose<'a>,
    #[serde(borrow)]
    text: Loose<'a>,
    #[serde(borrow)]
    thinking: Loose<'a>,
    #[serde(borrow)]
    reasoning: Loose<'a>,
}

impl Loose<'_> {
    /// The text; empty where there is none.
    pub(in crate::chat) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Nothing | Self::Count(_) | Self::Odd => "",
        }
    }

    /// The count, also where it came as text.
    pub(in crate::chat) fn count(&self) -> Option<u64> {
        match self {
            Self::Count(count) => Some(*count),
            Self::Text(text) => text.trim().parse().ok(),
            Self::Nothing | Self::Odd => None,
        }
    }
}

impl<T> Object<T> {
    /// The object.
    pub(in crate::chat) fn get(&self) -> Option<&T> {
        self.0.as_ref()
    }

    /// The object, taken out.
    pub(in crate::chat) fn into_inner(self) -> Option<T> {
        self.0
    }
}

impl<T> List<T> {
    /// Whether nothing is in it.
    pub(in crate::chat) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many objects are in it.
    pub(in crate::chat) fn len(&self) -> usize {
        self.0.len()
    }

    /// Each of them.
    pub(in crate::chat) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }

    /// Each of them, taken out.
    pub(in crate::chat) fn into_items(self) -> impl Iterator<Item = T> {
        self.0.into_iter()
    }
}

impl Content<'_> {
    /// Whether it says nothing.
    pub(in crate::chat) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.thoughts.is_empty()
    }
}

impl<'a> Content<'a> {
    fn add(&mut self, part: Self) {
        self.thoughts.push_str(&part.thoughts);
        if self.text.is_empty() {
            self.text = part.text;
        } else {
            self.text.to_mut().push_str(&part.text);
        }
    }

    fn of(part: Part<'a>) -> Self {
        let mut thoughts = [part.thinking.text(), part.reasoning.text()].concat();
        match part.kind.text() {
            "thinking" | "reasoning" => thoughts.push_str(part.text.text()),
            _ => return Self { text: part.text.into_text(), thoughts },
        }
        Self { text: Cow::default(), thoughts }
    }
}

impl<'a> Loose<'a> {
    fn into_text(self) -> Cow<'a, str> {
        match self {
            Self::Text(text) => text,
            Self::Nothing | Self::Count(_) | Self::Odd => Cow::default(),
        }
    }
}

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LooseVisitor)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ObjectVisitor(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ListVisitor(PhantomData))
    }
}

/// What every visitor here says of values that it has no use for.
macro_rules! pass_over {
    ($value:expr; $($visit:ident: $kind:ty),*) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("anything")
        }

        $(fn $visit<E>(self, _: $kind) -> Result<Self::Value, E> {
            Ok($value)
        })*

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Self::Value::default())
        }
    };
}

struct LooseVisitor;

impl<'de> Visitor<'de> for LooseVisitor {
    type Value = Loose<'de>;

    pass_over!(Loose::Odd; visit_bool: bool, visit_i64: i64);

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Loose::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Loose::Count(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        // A count written as `12.0`; printing is the conversion that cannot go wrong.
        Ok(format!("{number:.0}").parse().map_or(Loose::Odd, Loose::Count))
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

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    pass_over!(Content::default(); visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64);

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Content { text: Cow::Borrowed(text), thoughts: String::new() })
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Content { text: Cow::Owned(text.to_owned()), thoughts: String::new() })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut all = Content::default();
        while let Some(part) = list.next_element()? {
            all.add(part);
        }
        Ok(all)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Part::deserialize(MapAccessDeserializer::new(map)).map(Content::of)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    pass_over!(Object(None); visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Object(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|object| Object(Some(object)))
    }
}

struct ListVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
    type Value = List<T>;

    pass_over!(List::default(); visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(Object(item)) = list.next_element()? {
            all.extend(item);
        }
        Ok(List(all))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(|only| List(vec![only]))
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
        assert_eq!(loose(r#""twelve""#).count(), None);
    }

    #[test]
    fn thoughts_among_the_parts_of_a_text_are_told_apart() {
        #[track_caller]
        fn check(json: &str, text: &str, thoughts: &str) {
            let content: Content<'_> = serde_json::from_str(json).unwrap();
            assert_eq!((&*content.text, content.thoughts.as_str()), (text, thoughts), "{json}");
            assert_eq!(content.is_empty(), text.is_empty() && thoughts.is_empty());
        }
        check(r#""a""#, "a", "");
        check(r#"[{"type":"thinking","thinking":[{"type":"text","text":"a"}]}]"#, "", "a");
        check(r#"[{"type":"thinking","thinking":"a"},{"type":"text","text":"b"},"c"]"#, "bc", "a");
        check(r#"{"type":"reasoning","text":"a"}"#, "", "a");
        check(r#"[{"type":"reference","reference_ids":[1]},null,3]"#, "", "");
        check("3.5", "", "");
        check("-3", "", "");
        check("null", "", "");
    }

    #[test]
    fn what_should_be_an_object_or_a_list_may_be_anything() {
        #[derive(Debug, Default, Deserialize)]
        #[serde(default)]
        struct Thing {
            a: u8,
        }
        #[track_caller]
        fn check(json: &str, object: Option<u8>, list: &[u8]) {
            let read: Object<Thing> = serde_json::from_str(json).unwrap();
            assert_eq!(read.into_inner().map(|thing| thing.a), object, "{json}");
            let read: List<Thing> = serde_json::from_str(json).unwrap();
            assert_eq!(read.iter().map(|thing| thing.a).collect::<Vec<_>>(), list, "{json}");
            assert_eq!((read.len(), read.is_empty()), (list.len(), list.is_empty()));
            assert_eq!(read.into_items().map(|thing| thing.a).collect::<Vec<_>>(), list, "{json}");
        }
        check(r#"{"a":1}"#, Some(1), &[1]);
        check(r#"[{"a":1},null,"x",{"a":2},{"a":3}]"#, None, &[1, 2, 3]);
        check("[]", None, &[]);
        check("null", None, &[]);
        check("true", None, &[]);
        check(r#""x""#, None, &[]);
        check("-1", None, &[]);
        check("2", None, &[]);
        check("0.5", None, &[]);
    }
}
