//! Text that says nothing: white space, characters without a width, comments of HTML.
//!
//! Models that have nothing to say sometimes send these. Not a sanitiser: nothing is changed here.

/// Whether a person sees nothing of `text`, wherever it is drawn.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || is_invisible(c));
        if rest.is_empty() {
            return true;
        }
        // A comment that is not closed may yet be meant to be read.
        let Some((_, behind)) = rest.strip_prefix("<!--").and_then(|comment| comment.split_once("-->"))
        else {
            return false;
        };
        rest = behind;
    }
}

/// Whether a character has no width and no meaning on its own: joiners, marks of direction, the byte order mark.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_blank() {
        for text in [
            "",
            " \t\n\u{3000}\u{a0}",
            "\u{feff}",
            "\u{200b}\u{200c}\u{200d}\u{2060}",
            "<!-- nothing -->",
            "\u{feff} <!---->\n<!-- a\nb --> \u{200b}\n",
        ] {
            assert!(is_blank(text), "{text:?}");
        }
        for text in [".", "<!-- open", "<!-- a --> b", "a <!-- b -->", "<br>", "-->", "\u{200b}0"] {
            assert!(!is_blank(text), "{text:?}");
        }
    }
}
