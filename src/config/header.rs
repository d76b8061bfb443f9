//! A header of every request, as a provider's table has it: text, with variables in it as `${NAME}`.
//!
//! Written once and read in two steps: what cannot be a header is refused where the file is read, with its line; the
//! variables are asked for only where the provider is the one in force.

use std::fmt;

use super::ConfigError;
use crate::os::env::{Env, is_secret_name};

/// What the program writes itself, or what ends where the connection does.
const RESERVED: [&str; 5] = ["content-type", "content-length", "host", "transfer-encoding", "connection"];

/// A header with its value. Its debug form shows only the name.
#[derive(Clone, PartialEq, Eq)]
pub struct Header {
    /// Its name as it was written.
    pub name: String,
    /// Its value, variables put in.
    pub value: String,
    role: Role,
}

/// What a header is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It tells who is asking: its name or that of its variable says so.
    Identity,
    /// Something else.
    Other,
}

/// A header as it was written. Its debug form shows only the name.
#[derive(Clone, PartialEq, Eq)]
pub struct FileHeader {
    name: String,
    value: Vec<Piece>,
}

/// A piece of a value.
#[derive(Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Variable(String),
}

impl Header {
    /// Whether it tells the endpoint who is asking, so that no key is needed.
    pub(super) fn says_who(&self) -> bool {
        self.role == Role::Identity
    }
}

impl FileHeader {
    /// Reads a name and a value; the error is a reason, without the value.
    pub(super) fn parse(name: &str, value: &str) -> Result<Self, String> {
        let fits = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if name.is_empty() || !name.chars().all(fits) {
            return Err("it is not a valid header name (try a name like \"X-Team\")".to_owned());
        }
        if RESERVED.iter().any(|reserved| name.eq_ignore_ascii_case(reserved)) {
            return Err("clawd sets this header itself (try removing it)".to_owned());
        }
        if !fits_header(value) {
            return Err(
                "its value contains a character that headers do not allow, such as a line break or an accent"
                    .to_owned(),
            );
        }
        Ok(Self { name: name.to_owned(), value: pieces(value.trim())? })
    }

    /// Its name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The variables in its value.
    pub(super) fn variables(&self) -> impl Iterator<Item = &str> {
        self.value.iter().filter_map(|piece| match piece {
            Piece::Variable(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }

    /// What stands between them.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.value.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_str()),
            Piece::Variable(_) => None,
        })
    }

    /// Whether it tells the endpoint who is asking.
    pub(super) fn says_who(&self) -> bool {
        self.role() == Role::Identity
    }

    /// The header with the variables put in.
    pub(super) fn resolve(&self, env: &Env) -> Result<Header, ConfigError> {
        let mut value = String::new();
        for piece in &self.value {
            match piece {
                Piece::Text(text) => value.push_str(text),
                Piece::Variable(name) => value.push_str(self.variable(name, env)?),
            }
        }
        Ok(Header { name: self.name.clone(), value, role: self.role() })
    }

    fn role(&self) -> Role {
        let named = self.name.eq_ignore_ascii_case("authorization") || is_secret_name(&self.name);
        if named || self.variables().any(is_secret_name) { Role::Identity } else { Role::Other }
    }

    fn variable<'a>(&self, name: &str, env: &'a Env) -> Result<&'a str, ConfigError> {
        let wrong = |what: String| ConfigError::Variable { name: name.to_owned(), what };
        let value = env.text(name).map(str::trim).filter(|value| !value.is_empty());
        let value = value.ok_or_else(|| {
            wrong(format!("it is not set, but the header `{}` uses it (try setting it)", self.name))
        })?;
        if !fits_header(value) {
            return Err(wrong(
                "it contains a character that headers do not allow, such as a line break (try setting it \
                 again)"
                    .to_owned(),
            ));
        }
        Ok(value)
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Header").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for FileHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileHeader").field("name", &self.name).finish_non_exhaustive()
    }
}

fn fits_header(value: &str) -> bool {
    value.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

/// A value taken apart. A dollar sign alone is itself.
fn pieces(value: &str) -> Result<Vec<Piece>, String> {
    let (mut pieces, mut rest) = (Vec::new(), value);
    while let Some((before, after)) = rest.split_once("${") {
        let unclosed = || "its value has a `${` without a `}` (try `${NAME}`)".to_owned();
        let (name, behind) = after.split_once('}').ok_or_else(unclosed)?;
        let can_be = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(can_be) {
            return Err("`${…}` does not contain a variable name (try `${NAME}`)".to_owned());
        }
        if !before.is_empty() {
            pieces.push(Piece::Text(before.to_owned()));
        }
        pieces.push(Piece::Variable(name.to_owned()));
        rest = behind;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env() -> Env {
        Env::from_pairs([("TEAM", "core"), ("TOKEN", " sk-1\n"), ("EMPTY", ""), ("ODD", "a\nb-hidden")])
    }

    #[test]
    fn variables_are_put_into_a_value_whole_or_in_part() {
        let check = |value: &str, expected: &str, variables: &[&str]| {
            let header = FileHeader::parse("X-Team", value).unwrap();
            assert_eq!(header.variables().collect::<Vec<_>>(), variables, "{value}");
            assert_eq!(header.resolve(&env()).unwrap().value, expected, "{value}");
        };
        check("core", "core", &[]);
        check(" spaced out ", "spaced out", &[]);
        check("${TEAM}", "core", &["TEAM"]);
        check("Bearer ${TOKEN}", "Bearer sk-1", &["TOKEN"]);
        check("a-${TEAM}-${TOKEN}-b", "a-core-sk-1-b", &["TEAM", "TOKEN"]);
        check("$TEAM costs 5$ {x}", "$TEAM costs 5$ {x}", &[]);
        check("", "", &[]);
    }

    #[test]
    fn a_variable_that_cannot_be_used_is_named_and_not_shown() {
        let check = |value: &str, expected: &str| {
            let error = FileHeader::parse("X-A", value).unwrap().resolve(&env()).unwrap_err().to_string();
            assert_eq!(error, expected);
        };
        let unset = "it is not set, but the header `X-A` uses it (try setting it)";
        check("${NOWHERE}", &format!("cannot use NOWHERE: {unset}"));
        check("b ${EMPTY}", &format!("cannot use EMPTY: {unset}"));
        check(
            "${ODD}",
            "cannot use ODD: it contains a character that headers do not allow, such as a line break (try \
             setting it again)",
        );
    }

    #[test]
    fn what_cannot_be_a_header_is_refused() {
        let check = |name: &str, value: &str, words: &str| {
            let error = FileHeader::parse(name, value).unwrap_err();
            assert!(error.contains(words) && !error.contains("hidden"), "{error}");
        };
        check("", "hidden", "not a valid header name");
        check("X Team", "hidden", "not a valid header name");
        check("X-Team:", "hidden", "not a valid header name");
        check("Über", "hidden", "not a valid header name");
        for reserved in ["Content-Type", "HOST", "content-length", "Transfer-Encoding", "connection"] {
            check(reserved, "hidden", "clawd sets this header itself");
        }
        check("X-Team", "a\nhidden", "headers do not allow");
        check("X-Team", "hidden ${TEAM", "`${` without a `}`");
        check("X-Team", "hidden ${}", "does not contain a variable name");
        check("X-Team", "hidden ${A-B}", "does not contain a variable name");
    }

    #[test]
    fn a_header_that_tells_who_is_asking_stands_for_a_key() {
        let says_who = |name: &str, value: &str| {
            FileHeader::parse(name, value).unwrap().resolve(&env()).unwrap().says_who()
        };
        assert!(says_who("Authorization", "Basic abc") && says_who("x-api-key", "k"));
        assert!(says_who("X-From", "me:${TOKEN}"));
        assert!(!says_who("X-Team", "core") && !says_who("X-Team", "${TEAM}"));
    }

    #[test]
    fn values_are_not_shown() {
        let header = FileHeader::parse("X-A", "hidden ${TEAM}").unwrap();
        let shown = format!("{header:?} {:?}", header.resolve(&env()).unwrap());
        assert!(shown.contains("X-A") && !shown.contains("hidden") && !shown.contains("core"), "{shown}");
    }
}
