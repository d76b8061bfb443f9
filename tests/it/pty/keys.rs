//! Keys by name, as the bytes that a terminal sends for them. Pure.
//!
//! `ctrl-c`, `alt-enter`, `shift-tab`, `ctrl-left`, `?`: modifiers, then a name or a character. A plain
//! terminal has no bytes for some of them and sends what it has (`shift-enter` is `enter`); one whose
//! program has asked for unambiguous keys sends them apart.

/// What decides the form.
#[derive(Clone, Copy, Default)]
pub(super) struct Form {
    /// the kitty flag 1; the others are not played
    pub(super) unambiguous: bool,
    pub(super) application_cursor: bool,
}

// as terminals number them
const SHIFT: u8 = 1;
const ALT: u8 = 2;
const CONTROL: u8 = 4;

/// The bytes of a key; a name that is none is the test's mistake and fails.
pub(super) fn bytes(key: &str, form: Form) -> Vec<u8> {
    let (modifiers, name) = parse(key);
    if let Some((prefix, end)) = functional(name) {
        return functional_bytes(prefix, end, modifiers, form);
    }
    let code = code(name).unwrap_or_else(|| panic!("no key: {key}"));
    let text = !matches!(name, "enter" | "tab" | "backspace" | "esc");
    let asks = if text { modifiers & (ALT | CONTROL) != 0 } else { modifiers != 0 || name == "esc" };
    if form.unambiguous && asks {
        return match 1 + modifiers {
            1 => format!("\x1b[{}u", u32::from(code)),
            number => format!("\x1b[{};{number}u", u32::from(code)),
        }
        .into_bytes();
    }
    plain_bytes(code, modifiers)
}

fn parse(key: &str) -> (u8, &str) {
    let mut modifiers = 0;
    let mut rest = key;
    while let Some((modifier, name)) = rest.split_once('-').filter(|(_, name)| !name.is_empty()) {
        modifiers |= match modifier {
            "shift" => SHIFT,
            "alt" => ALT,
            "ctrl" => CONTROL,
            _ => panic!("no modifier in {key}: {modifier}"),
        };
        rest = name;
    }
    (modifiers, rest)
}

/// The first parameter, where one is always sent, and the last byte.
fn functional(name: &str) -> Option<(Option<u8>, char)> {
    Some(match name {
        "up" => (None, 'A'),
        "down" => (None, 'B'),
        "right" => (None, 'C'),
        "left" => (None, 'D'),
        "home" => (None, 'H'),
        "end" => (None, 'F'),
        "insert" => (Some(2), '~'),
        "delete" => (Some(3), '~'),
        "pageup" => (Some(5), '~'),
        "pagedown" => (Some(6), '~'),
        _ => return None,
    })
}

fn functional_bytes(prefix: Option<u8>, end: char, modifiers: u8, form: Form) -> Vec<u8> {
    let number = 1 + modifiers;
    match (prefix, number) {
        (None, 1) if form.application_cursor => format!("\x1bO{end}"),
        (None, 1) => format!("\x1b[{end}"),
        (Some(prefix), 1) => format!("\x1b[{prefix}{end}"),
        (prefix, _) => format!("\x1b[{};{number}{end}", prefix.unwrap_or(1)),
    }
    .into_bytes()
}

fn code(name: &str) -> Option<char> {
    let mut characters = name.chars();
    match name {
        "enter" => Some('\r'),
        "tab" => Some('\t'),
        "esc" => Some('\x1b'),
        "backspace" => Some('\x7f'),
        "space" => Some(' '),
        _ => characters.next().filter(|_| characters.next().is_none()),
    }
}

fn plain_bytes(code: char, modifiers: u8) -> Vec<u8> {
    let (shift, control) = (modifiers & SHIFT != 0, modifiers & CONTROL != 0);
    let mut text = if modifiers & ALT != 0 { "\x1b".to_owned() } else { String::new() };
    match code {
        '\t' if shift => text.push_str("\x1b[Z"),
        '\x7f' if control => text.push('\x08'),
        '@'..='_' | 'a'..='z' | ' ' if control => text.push(char::from(code as u8 & 0x1f)),
        '/' if control => text.push('\x1f'),
        _ if shift => text.extend(code.to_uppercase()),
        _ => text.push(code),
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: &str, plain: &str, unambiguous: &str) {
        let sent = |form| String::from_utf8(bytes(key, form)).unwrap();
        assert_eq!(sent(Form::default()), plain, "{key}");
        assert_eq!(sent(Form { unambiguous: true, ..Form::default() }), unambiguous, "{key}, unambiguous");
    }

    #[test]
    fn keys_have_the_bytes_that_terminals_send() {
        check("a", "a", "a");
        check("é", "é", "é");
        check("-", "-", "-");
        check("shift-a", "A", "A");
        check("ctrl-c", "\x03", "\x1b[99;5u");
        check("ctrl-_", "\x1f", "\x1b[95;5u");
        check("ctrl-/", "\x1f", "\x1b[47;5u");
        check("alt-b", "\x1bb", "\x1b[98;3u");
        check("enter", "\r", "\r");
        check("shift-enter", "\r", "\x1b[13;2u");
        check("alt-enter", "\x1b\r", "\x1b[13;3u");
        check("esc", "\x1b", "\x1b[27u");
        check("tab", "\t", "\t");
        check("shift-tab", "\x1b[Z", "\x1b[9;2u");
        check("backspace", "\x7f", "\x7f");
        check("ctrl-backspace", "\x08", "\x1b[127;5u");
        check("space", " ", " ");
        check("up", "\x1b[A", "\x1b[A");
        check("ctrl-left", "\x1b[1;5D", "\x1b[1;5D");
        check("delete", "\x1b[3~", "\x1b[3~");
        check("shift-pageup", "\x1b[5;2~", "\x1b[5;2~");
    }

    #[test]
    fn arrows_follow_the_cursor_key_mode() {
        let form = Form { application_cursor: true, ..Form::default() };
        assert_eq!(bytes("up", form), b"\x1bOA");
        assert_eq!(bytes("ctrl-up", form), b"\x1b[1;5A");
    }
}
