//! A key that does not print itself.

use std::fmt;

/// An API key, fit for a header. `Debug` shows stars; there is no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// A text that cannot be a key; it does not repeat the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadKey {
    /// Nothing but space.
    #[error("the key is empty")]
    Empty,
    /// It could not stand in a header.
    #[error("the key contains a space, a line break or another invalid character (try setting it again)")]
    Signs,
}

impl Secret {
    /// Takes a key; space and line ends around it are left out.
    pub fn new(text: &str) -> Result<Self, BadKey> {
        let key = text.trim();
        if key.is_empty() {
            return Err(BadKey::Empty);
        }
        if key.chars().any(|c| !c.is_ascii_graphic()) {
            return Err(BadKey::Signs);
        }
        Ok(Self(key.to_owned()))
    }

    /// The key itself, for the header alone.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_trimmed_checked_and_never_printed() {
        let check = |text: &str, expected: Result<&str, BadKey>| {
            assert_eq!(
                Secret::new(text).as_ref().map(Secret::expose),
                expected.as_ref().copied(),
                "{text:?}"
            );
        };
        check(" sk-1\r\n", Ok("sk-1"));
        check(" \n", Err(BadKey::Empty));
        check("sk-1\nsk-2", Err(BadKey::Signs));
        check("sk\u{1b}", Err(BadKey::Signs));
        check("schlüssel", Err(BadKey::Signs));
        assert_eq!(format!("{:?}", Secret::new("sk-1").unwrap()), "***");
    }
}
