//! Server-sent events out of bytes that may be cut anywhere.
//!
//! It finds events and nothing more: what their data means is [`super::accumulate`]'s. Lines end at LF, CRLF or CR;
//! a byte order mark, comments and unknown fields are passed over; bytes that are no UTF-8 become the replacement
//! character. The surprising decisions: an event that the end of the body cuts off before its blank line still counts,
//! for servers forget that line, and half an event of JSON is told apart by whoever parses it; and JSON that stands there
//! without a field's name is data, for gateways write their errors between the events of others.

use std::borrow::Cow;

use memchr::memchr2;

/// One event may have this many bytes: a book fits. Whoever reads one needs four times as much for a moment, which is
/// why it is not more.
pub const MAX_EVENT_BYTES: usize = 8 * 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The name that an event gets from a line `error: …`, as older servers of llama.cpp write it in place of data.
const ERROR: &[u8] = b"error";

/// Splits a body into events.
#[derive(Debug, Default)]
pub struct SseReader {
    /// The line whose end has not come.
    line: Vec<u8>,
    /// Data of the event whose end has not come, behind the name of its field.
    data: Vec<u8>,
    /// So many bytes that name takes.
    skip: usize,
    /// Whether that event has data at all: an empty one counts.
    has_data: bool,
    name: Vec<u8>,
    place: Place,
}

/// What stands before the next byte.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// No whole line: a mark may stand there.
    #[default]
    FirstLine,
    /// A CR: an LF right behind it ends no second line.
    Cr,
    /// Anything else.
    Later,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// What `event:` said; empty where it said nothing.
    pub name: Cow<'a, str>,
    /// All `data:` lines, joined by LF.
    pub data: Cow<'a, str>,
    /// How many places of the data were no UTF-8.
    pub replaced: u32,
}

/// An event that never ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("one event of the response is larger than {} MB", MAX_EVENT_BYTES / 1024 / 1024)]
pub struct EventTooLong;

impl SseReader {
    /// Takes the next bytes and hands each event that they complete to `on_event`.
    pub fn push(
        &mut self,
        mut bytes: &[u8],
        mut on_event: impl FnMut(SseEvent<'_>),
    ) -> Result<(), EventTooLong> {
        if self.place == Place::Cr && !bytes.is_empty() {
            self.place = Place::Later;
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(at) = memchr2(b'\n', b'\r', bytes) {
            let (line, ending) = bytes.split_at(at);
            bytes = match ending {
                [b'\r', b'\n', rest @ ..] | [_, rest @ ..] => rest,
                [] => ending,
            };
            if let Some((data, rest)) = self.whole_event(line, bytes) {
                on_event(event(b"", data));
                (self.place, bytes) = (Place::Later, rest);
                continue;
            }
            self.end_line(line, &mut on_event)?;
            self.place = if ending == b"\r" { Place::Cr } else { Place::Later };
        }
        self.line.extend_from_slice(bytes);
        self.check_size(0)
    }

    /// The body has ended: hands out what its end cut off.
    pub fn finish(mut self, mut on_event: impl FnMut(SseEvent<'_>)) -> Result<(), EventTooLong> {
        if !self.line.is_empty() {
            self.end_line(b"", &mut on_event)?;
        }
        self.end_event(&mut on_event);
        Ok(())
    }

    /// The data of an event that is nothing but `line` and the blank line behind it, as most are: they need not be kept.
    fn whole_event<'a>(&self, line: &'a [u8], behind: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let is_first = self.line.is_empty() && self.name.is_empty() && !self.has_data;
        let rest = behind.strip_prefix(b"\n").or_else(|| behind.strip_prefix(b"\r\n"))?;
        let data = field(line, b"data").filter(|data| is_first && data.len() <= MAX_EVENT_BYTES)?;
        Some((data, rest))
    }

    fn end_line(&mut self, rest: &[u8], on_event: &mut impl FnMut(SseEvent<'_>)) -> Result<(), EventTooLong> {
        if self.line.is_empty() {
            return self.take_line(rest, on_event);
        }
        let mut line = std::mem::take(&mut self.line);
        line.extend_from_slice(rest);
        let data = if self.has_data { None } else { field(self.marked(&line), b"data") };
        if let Some(data) = data {
            // It may be large: the line becomes the data as it stands.
            self.skip = line.len() - data.len();
            self.has_data = true;
            self.line = std::mem::replace(&mut self.data, line);
            self.line.clear();
            return self.check_size(0);
        }
        let taken = self.take_line(&line, on_event);
        line.clear();
        self.line = line;
        taken
    }

    fn take_line(
        &mut self,
        line: &[u8],
        on_event: &mut impl FnMut(SseEvent<'_>),
    ) -> Result<(), EventTooLong> {
        let line = self.marked(line);
        if line.is_empty() {
            self.end_event(on_event);
        } else if let Some(data) = field(line, b"data") {
            self.add(data)?;
        } else if let Some(name) = field(line, b"event") {
            self.name.clear();
            self.name.extend_from_slice(name);
        } else if let Some(data) = field(line, ERROR) {
            self.name.clear();
            self.name.extend_from_slice(ERROR);
            self.add(data)?;
        } else if self.is_bare_json(line) {
            self.add(line)?;
        }
        Ok(())
    }

    /// Without the mark that may stand before the first line.
    fn marked<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        match self.place {
            Place::FirstLine => line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line),
            Place::Cr | Place::Later => line,
        }
    }

    /// Whether `line`, which is no field, begins JSON or goes on with it.
    fn is_bare_json(&self, line: &[u8]) -> bool {
        match line.first() {
            Some(b'{' | b'[') => true,
            Some(b' ' | b'\t' | b'"' | b'}' | b']') => self.has_data,
            _ => false,
        }
    }

    fn add(&mut self, data: &[u8]) -> Result<(), EventTooLong> {
        self.check_size(data.len())?;
        if self.has_data {
            self.data.push(b'\n');
        }
        self.has_data = true;
        self.data.extend_from_slice(data);
        Ok(())
    }

    fn end_event(&mut self, on_event: &mut impl FnMut(SseEvent<'_>)) {
        if self.has_data {
            on_event(event(&self.name, self.data.get(self.skip..).unwrap_or_default()));
        }
        self.has_data = false;
        self.skip = 0;
        self.data.clear();
        self.name.clear();
    }

    fn check_size(&self, more: usize) -> Result<(), EventTooLong> {
        let size = self.data.len() + self.line.len() + more;
        if size > MAX_EVENT_BYTES { Err(EventTooLong) } else { Ok(()) }
    }
}

/// `bytes` as text, and how many places were replaced because they were no UTF-8.
pub(in crate::chat) fn lossy(bytes: &[u8]) -> (Cow<'_, str>, u32) {
    if let Ok(text) = str::from_utf8(bytes) {
        return (Cow::Borrowed(text), 0);
    }
    let (mut text, mut replaced) = (String::with_capacity(bytes.len()), 0);
    for part in bytes.utf8_chunks() {
        text.push_str(part.valid());
        if !part.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
            replaced += 1;
        }
    }
    (Cow::Owned(text), replaced)
}

fn event<'a>(name: &'a [u8], data: &'a [u8]) -> SseEvent<'a> {
    let (data, replaced) = lossy(data);
    SseEvent { name: lossy(name).0, data, replaced }
}

/// The value of the field `name`, where `line` is one: `name`, `name:value` or `name: value`.
fn field<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    match line.strip_prefix(name)? {
        [] => Some(&[]),
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(parts: &[&[u8]]) -> Vec<(String, String)> {
        let mut events = Vec::new();
        let mut take = |event: SseEvent<'_>| events.push((event.name.into_owned(), event.data.into_owned()));
        let mut reader = SseReader::default();
        for part in parts {
            reader.push(part, &mut take).unwrap();
        }
        reader.finish(&mut take).unwrap();
        events
    }

    fn check(body: &[u8], expected: &[&str]) {
        let data: Vec<String> = read(&[body]).into_iter().map(|(_, data)| data).collect();
        assert_eq!(data, expected, "{}", String::from_utf8_lossy(body));
    }

    #[test]
    fn events_are_found_whatever_ends_the_lines() {
        check(b"data: a\n\ndata: b\n\n", &["a", "b"]);
        check(b"data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]);
        check(b"data: a\r\rdata: b\r\r", &["a", "b"]);
        check(b"data: a\r\n\ndata: b\n\r\n", &["a", "b"]);
    }

    #[test]
    fn what_is_no_data_is_passed_over() {
        check(b"\xEF\xBB\xBFdata: a\n\n", &["a"]);
        check(b": keep-alive\n\nid: 7\nretry: 10\ndata:a\n\n\n\n", &["a"]);
        check(b"database: a\n\ndatum\n\n", &[]);
        check(b"", &[]);
    }

    #[test]
    fn several_data_lines_are_one_event() {
        check(b"data: a\ndata\ndata:  b\n\n", &["a\n\n b"]);
        check(b"data:\n\n", &[""]);
    }

    #[test]
    fn the_end_of_the_body_ends_an_event() {
        check(b"data: a\n\ndata: b", &["a", "b"]);
        check(b"data: a\n\ndata: b\n", &["a", "b"]);
    }

    #[test]
    fn an_event_keeps_its_name_to_itself() {
        let events = read(&[b"event: error\ndata: a\n\ndata: b\n\n"]);
        assert_eq!(events, [("error".into(), "a".into()), (String::new(), "b".into())]);
    }

    #[test]
    fn a_line_of_an_error_is_an_event_of_that_name() {
        let events = read(&[b"error: {\"code\":400}\n\ndata: [DONE]\n\n"]);
        assert_eq!(events, [("error".into(), "{\"code\":400}".into()), (String::new(), "[DONE]".into())]);
    }

    #[test]
    fn json_without_a_field_is_data() {
        check(b"data: a\n\n{\"error\":1}\n\ndata: b\n\n", &["a", "{\"error\":1}", "b"]);
        check(b"data: {\n  \"a\": [\n  ]\n}\n\n", &["{\n  \"a\": [\n  ]\n}"]);
        check(b"data: {}\n[DONE]\n", &["{}\n[DONE]"]);
        check(b" {}\n\n\"a\"\n\n", &[]);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced_and_counted() {
        check(b"data: a\xFFb\n\n", &["a\u{FFFD}b"]);
        assert_eq!(lossy(b"\xFFa\xE2\x82b\xF0"), ("\u{FFFD}a\u{FFFD}b\u{FFFD}".into(), 3));
        assert_eq!(lossy("é".as_bytes()), ("é".into(), 0));
    }

    #[test]
    fn an_event_that_never_ends_is_refused() {
        let block = vec![b'x'; 1024 * 1024];
        let mut reader = SseReader::default();
        reader.push(b"data: ", |_| ()).unwrap();
        let taken = (0..=16).take_while(|_| reader.push(&block, |_| ()).is_ok()).count();
        assert_eq!(taken, 7);
        let whole = [b"data: ".as_slice(), &vec![b'x'; MAX_EVENT_BYTES + 1], b"\n\n"].concat();
        assert_eq!(SseReader::default().push(&whole, |_| ()), Err(EventTooLong));
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_makes_no_difference(
            body in "(\u{FEFF})?((data|event|error|: c|x|[{} ])(: ?[a-zé😀]{0,3})?(\n|\r\n|\r){1,2}){0,6}",
            cuts in proptest::collection::vec(0usize..80, 0..6),
        ) {
            let bytes = body.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            let mut parts = Vec::new();
            let mut from = 0;
            for cut in cuts {
                parts.push(&bytes[from..cut]);
                from = cut;
            }
            parts.push(&bytes[from..]);
            prop_assert_eq!(read(&parts), read(&[bytes]));
        }
    }
}
