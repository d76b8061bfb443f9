//! What an answer is, by what it says of itself: a page, text, or something that is not read.
//!
//! Where it says nothing, its first bytes decide; where it says a word, the word counts, as `text/plain` may well show HTML.

/// What an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// HTML, to be made Markdown.
    Page,
    /// Text, JSON, XML and their like, as they are.
    Text,
    /// Whatever it looks like.
    Unsaid,
    /// Nothing to read; how a person would call it.
    Other(&'static str),
}

/// Beginnings of names, with what they are. `svg` is a picture and a text; whoever asks for one wants to read it.
const OTHERS: [(&str, &str); 8] = [
    ("image/", "an image"),
    ("application/pdf", "a PDF"),
    ("audio/", "a sound"),
    ("video/", "a film"),
    ("font/", "a font"),
    ("application/zip", "an archive"),
    ("application/gzip", "an archive"),
    ("application/x-tar", "an archive"),
];

/// Texts that are called applications.
const TEXTS: [&str; 14] = [
    "json",
    "ndjson",
    "jsonl",
    "json5",
    "xml",
    "javascript",
    "ecmascript",
    "typescript",
    "yaml",
    "toml",
    "sh",
    "sql",
    "graphql",
    "x-www-form-urlencoded",
];

/// What says `content_type`.
pub(super) fn kind(content_type: Option<&str>) -> Kind {
    let name = essence(content_type.unwrap_or_default());
    let sub = name.split_once('/').map_or("", |(_, sub)| sub);
    if matches!(name.as_str(), "text/html" | "application/xhtml+xml") {
        Kind::Page
    } else if matches!(
        name.as_str(),
        "" | "application/octet-stream" | "binary/octet-stream" | "application/unknown"
    ) {
        Kind::Unsaid
    } else if name.starts_with("text/")
        || ["+json", "+xml", "+yaml"].iter().any(|end| sub.ends_with(end))
        || (name.starts_with("application/") && TEXTS.contains(&sub.trim_start_matches("x-")))
    {
        Kind::Text
    } else {
        let other = OTHERS.iter().find(|(beginning, _)| name.starts_with(beginning));
        Kind::Other(other.map_or("no text", |(_, what)| what))
    }
}

/// The name without its parameters, in lower case.
pub(super) fn essence(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether the text begins as HTML does.
pub(super) fn looks_like_a_page(text: &str) -> bool {
    let beginning: String = text.trim_start().chars().take(14).collect::<String>().to_ascii_lowercase();
    beginning.starts_with("<!doctype html") || beginning.starts_with("<html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_what_it_says() {
        let check = |names: &str, expected: Kind| {
            for name in names.split(' ') {
                assert_eq!(kind(Some(name)), expected, "{name}");
            }
        };
        check("text/html TEXT/HTML;charset=utf-8 application/xhtml+xml", Kind::Page);
        check(
            "text/plain text/markdown text/x-rust text/csv application/json application/ld+json",
            Kind::Text,
        );
        check("application/xml application/atom+xml image/svg+xml application/javascript", Kind::Text);
        check("application/x-yaml application/toml application/x-sh application/x-ndjson", Kind::Text);
        check("application/octet-stream", Kind::Unsaid);
        check("image/png image/svg", Kind::Other("an image"));
        check("application/pdf", Kind::Other("a PDF"));
        check("application/wasm model/gltf-binary nonsense", Kind::Other("no text"));
        assert_eq!(kind(None), Kind::Unsaid);
    }

    #[test]
    fn a_page_is_known_by_its_beginning() {
        assert!(looks_like_a_page(" \n<!DOCTYPE HTML PUBLIC") && looks_like_a_page("<html lang=en>"));
        assert!(!looks_like_a_page("<p>") && !looks_like_a_page("日本") && !looks_like_a_page(""));
    }
}
