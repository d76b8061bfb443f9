//! Prose in lines of a width, for pages that are printed once and never drawn again.
//!
//! Not for the screen, which breaks styled lines with rules for every script. Here a line ends at a space and nowhere else:
//! a path, an address or a command stays whole, so that it can be copied, even where it sticks out.

use unicode_width::UnicodeWidthStr;

/// The words of `text` in lines of at most `columns`, one wider word a line of its own. At least one line comes back.
pub fn fill(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let Some(line) = lines.last_mut() else { continue };
        if line.is_empty() {
            line.push_str(word);
        } else if line.width() + 1 + word.width() <= columns {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_spaces_alone() {
        let check =
            |text: &str, columns, expected: &[&str]| assert_eq!(fill(text, columns), expected, "{text}");
        check("", 10, &[""]);
        check("one two  three", 7, &["one two", "three"]);
        check("see /a/very/long/path now", 8, &["see", "/a/very/long/path", "now"]);
        check("漢字 漢字 a", 9, &["漢字 漢字", "a"]);
    }
}
