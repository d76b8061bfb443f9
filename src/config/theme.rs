//! A theme of the user's own: `themes/NAME.toml`, roles on the left, colours on the right.
//!
//! Read when it is asked for and never before. What a role looks like, and whether there are colours at all, is the screen's
//! affair; here is only what may be written. One mistake refuses the file as a whole: half a theme is worse than another one.

use std::path::Path;
use std::str::FromStr;

use super::ConfigError;
use super::reader::Document;
use super::store::read_text;
use crate::text::nearest::nearest;
use crate::text::sgr::Colour;

/// What can be given a colour, beside `base`.
pub const THEME_ROLES: [&str; 12] = [
    "accent", "dim", "good", "bad", "warn", "error", "code", "heading", "link", "strong", "emphasis",
    "struck",
];

/// A theme of the user's own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OwnTheme {
    /// The built-in theme that it changes.
    pub base: Option<String>,
    /// Roles, each with its colour.
    pub colours: Vec<(&'static str, Colour)>,
}

/// The theme of this name in the directory; `None` where it has none.
pub fn read_theme(directory: &Path, name: &str) -> Result<Option<OwnTheme>, ConfigError> {
    if !is_name(name) {
        return Ok(None);
    }
    let path = directory.join(format!("{name}.toml"));
    read_text(&path)?.map(|text| parse(&path, &text)).transpose()
}

/// Whether it can be a theme's name: never a path.
#[must_use]
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

fn parse(path: &Path, text: &str) -> Result<OwnTheme, ConfigError> {
    let document = Document { path, text };
    let parsed = document.parse()?;
    let root = document.root(parsed.get_ref());
    let mut theme = OwnTheme { base: root.string("base", r#"base = "dark""#)?, colours: Vec::new() };
    for key in root.keys() {
        let Some(role) = THEME_ROLES.iter().find(|role| **role == key) else {
            if key == "base" {
                continue;
            }
            let near = nearest(&key, THEME_ROLES.iter().copied());
            let hint = near.map_or_else(|| THEME_ROLES.join(", "), |near| format!("did you mean `{near}`?"));
            return Err(root.refuse(&key, &format!("it is not a theme role ({hint})")));
        };
        if let Some(Written(colour)) = root.parsed(role, &format!("{role} = \"#5fafd7\""))? {
            theme.colours.push((*role, colour));
        }
    }
    Ok(theme)
}

/// A colour as it is written.
struct Written(Colour);

/// What is no colour.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a colour (try \"#5fafd7\", \"cyan\", \"bright-cyan\" or \"0\" to \"255\")")]
struct NoColour(String);

const NAMES: [&str; 8] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

impl FromStr for Written {
    type Err = NoColour;

    fn from_str(text: &str) -> Result<Self, NoColour> {
        let wrong = || NoColour(text.to_owned());
        if let Some(digits) = text.strip_prefix('#') {
            let whole = digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let number = u32::from_str_radix(digits, 16).ok().filter(|_| whole).ok_or_else(wrong)?;
            let [_, r, g, b] = number.to_be_bytes();
            return Ok(Self(Colour::Rgb(r, g, b)));
        }
        if let Ok(number) = text.parse::<u8>() {
            return Ok(Self(Colour::Indexed(number)));
        }
        let (name, bright) = text.strip_prefix("bright-").map_or((text, 0), |name| (name, 8));
        let number = (0_u8..).zip(NAMES).find(|(_, known)| *known == name).map(|(number, _)| number);
        number.map(|number| Self(Colour::Indexed(number + bright))).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<OwnTheme, String> {
        parse(Path::new("/t/x.toml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn roles_get_colours_in_any_form() {
        let theme =
            read("base = \"light\"\naccent = \"#0a0B0c\"\ngood = \"bright-green\"\nbad = \"208\"").unwrap();
        assert_eq!(theme.base.as_deref(), Some("light"));
        let expected = [
            ("accent", Colour::Rgb(10, 11, 12)),
            ("good", Colour::Indexed(10)),
            ("bad", Colour::Indexed(208)),
        ];
        assert_eq!(theme.colours, expected);
        assert_eq!(read(""), Ok(OwnTheme::default()));
    }

    #[test]
    fn a_mistake_is_told_with_its_line() {
        let check = |text: &str, expected: &str| {
            assert_eq!(read(text).unwrap_err(), format!("cannot read /t/x.toml: {expected}"));
        };
        let colours = "(try \"#5fafd7\", \"cyan\", \"bright-cyan\" or \"0\" to \"255\")";
        check("\nacent = \"cyan\"", "line 2: `acent`: it is not a theme role (did you mean `accent`?)");
        check("accent = \"#12345\"", &format!("line 1: `accent`: `#12345` is not a colour {colours}"));
        check("accent = \"256\"", &format!("line 1: `accent`: `256` is not a colour {colours}"));
        check("accent = \"#+1234a\"", &format!("line 1: `accent`: `#+1234a` is not a colour {colours}"));
    }

    #[test]
    fn a_name_is_never_a_path() {
        assert!(is_name("my-theme_2"));
        for name in ["", "../config", "a/b", "a.b", "a b", "ä"] {
            assert!(!is_name(name), "{name}");
        }
        assert!(matches!(read_theme(Path::new("/"), "../x"), Ok(None)));
    }
}
