//! Texts for the model: parts that depend on the tools that are offered, and tags that only the program may write.
//!
//! A text may contain `{{Read|Grep: part}}`: the part is sent only if one of these tools is offered. So the prompt and the
//! descriptions never name a tool that the model cannot call.
//!
//! Reminders and instruction files are sent inside tags. A file, a command's output or a page could contain the same tags, so a
//! backslash is inserted into those: `<\system-reminder>`. A visible and reversible form, because the model copies what it
//! reads into edits: [`unescape_tags`] restores the original in the arguments of its calls.

use std::borrow::Cow;

/// The tag around a message of the program to the model.
pub const REMINDER: &str = "system-reminder";
/// The tag around the content of an instruction file.
pub const INSTRUCTIONS: &str = "project-instructions";

const TAGS: [&str; 2] = [REMINDER, INSTRUCTIONS];

/// How much the model is sent about the tools and its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detail {
    /// Everything.
    #[default]
    Full,
    /// The essentials, for a small context window.
    Brief,
}

/// Context windows with fewer tokens get the brief texts.
const SMALL_WINDOW: u64 = 16_000;

impl Detail {
    /// The detail for a context window of so many tokens; an unknown window counts as a large one.
    #[must_use]
    pub fn for_window(tokens: Option<u64>) -> Self {
        match tokens {
            Some(tokens) if tokens < SMALL_WINDOW => Self::Brief,
            Some(_) | None => Self::Full,
        }
    }
}

/// The text without the parts whose tools are not offered.
#[must_use]
pub fn for_tools(text: &str, is_offered: impl Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, marked)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((part, after)) = marked.split_once("}}") else {
            out.push_str("{{");
            rest = marked;
            continue;
        };
        if let Some((tools, part)) = part.split_once(':')
            && tools.split('|').any(&is_offered)
        {
            out.push_str(part);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The text with a backslash in each tag that only the program may write.
#[must_use]
pub fn escape_tags(text: &str) -> Cow<'_, str> {
    rewrite(text, |after| is_tag(after).then_some(("<\\", 0)))
}

/// The text without the backslashes that [`escape_tags`] inserts.
#[must_use]
pub fn unescape_tags(text: &str) -> Cow<'_, str> {
    rewrite(text, |after| after.strip_prefix('\\').filter(|after| is_tag(after)).map(|_| ("<", 1)))
}

/// Replaces each `<` for which `replacement` has one, together with so many bytes after it.
fn rewrite(text: &str, replacement: impl Fn(&str) -> Option<(&'static str, usize)>) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, _) in text.match_indices('<') {
        let after = text.get(at + 1..).unwrap_or_default();
        if let Some((new, skipped)) = replacement(after) {
            out.push_str(text.get(copied..at).unwrap_or_default());
            out.push_str(new);
            copied = at + 1 + skipped;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// Whether a reserved name follows, as a careless reader sees it: any case, blanks and invisible characters before it.
fn is_tag(after: &str) -> bool {
    let name = after.trim_start_matches(|c: char| c == '/' || !c.is_ascii_graphic()).as_bytes();
    TAGS.iter().any(|tag| name.get(..tag.len()).is_some_and(|name| name.eq_ignore_ascii_case(tag.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_tools_that_are_not_offered_are_left_out() {
        let check = |text: &str, offered: &[&str], expected: &str| {
            assert_eq!(for_tools(text, |name| offered.contains(&name)), expected, "{text} {offered:?}");
        };
        check(
            "Search.{{Grep|Glob: Use the file tools.}} End.",
            &["Glob"],
            "Search. Use the file tools. End.",
        );
        check("Search.{{Grep|Glob: Use the file tools.}} End.", &["Read"], "Search. End.");
        check("{{A:a: b}}{{B:c}}", &["A"], "a: b");
        check("no end {{A:a", &["A"], "no end {{A:a");
        check("{{no condition}}x", &["A"], "x");
    }

    #[test]
    fn reserved_tags_are_escaped_and_restored() {
        for (text, expected) in [
            ("<system-reminder>x</system-reminder>", "<\\system-reminder>x<\\/system-reminder>"),
            ("</ System-Reminder >", "<\\/ System-Reminder >"),
            ("<\u{200b}PROJECT-INSTRUCTIONS a=1>", "<\\\u{200b}PROJECT-INSTRUCTIONS a=1>"),
            ("<\n/\nproject-instructions", "<\\\n/\nproject-instructions"),
            ("<<system-reminder>", "<<\\system-reminder>"),
            ("é<system-reminder", "é<\\system-reminder"),
        ] {
            assert_eq!(escape_tags(text), expected);
            assert_eq!(unescape_tags(expected), text);
            assert_eq!(escape_tags(expected), expected, "escaped once");
        }
        for text in ["a < b", "<system>", "system-reminder", "<\\div>", "</script>", "<", ""] {
            assert!(matches!(escape_tags(text), Cow::Borrowed(_)), "{text}");
            assert!(matches!(unescape_tags(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn a_small_window_gets_the_brief_texts() {
        let detail = |tokens| Detail::for_window(tokens);
        assert_eq!([detail(Some(4_096)), detail(Some(15_999))], [Detail::Brief; 2]);
        assert_eq!([detail(Some(16_000)), detail(Some(200_000)), detail(None)], [Detail::Full; 3]);
    }
}
