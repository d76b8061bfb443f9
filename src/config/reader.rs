//! TOML read with its line numbers: a wrong type is an error that says where, an unknown key a warning.
//!
//! Not serde: its errors speak of `i64` and its unknown keys vanish.

use std::ops::{Range, RangeInclusive};
use std::path::Path;

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::ConfigError;
use crate::text::nearest::nearest;

/// A file's text and its name, for errors. No `Debug`: the text may hold a key.
#[derive(Clone, Copy)]
pub(super) struct Document<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

/// One table of a document.
pub(super) struct Section<'a> {
    document: Document<'a>,
    /// What stands before its keys in messages, as in `permissions.`.
    prefix: String,
    table: &'a DeTable<'a>,
}

/// A value, the key that it stands for, and where.
type Found<'a> = (&'a DeValue<'a>, Range<usize>);

impl<'a> Document<'a> {
    /// Parses the text.
    pub(super) fn parse(self) -> Result<Spanned<DeTable<'a>>, ConfigError> {
        DeTable::parse(self.text).map_err(|error| {
            let at = error.span().unwrap_or_default();
            let what: Vec<&str> = error.message().lines().map(str::trim).collect();
            self.error(&at, self.told(&at, &what.join(", ")))
        })
    }

    /// What the parser says, with the key and what to do about it; never a value, which may be a key of another kind.
    fn told(self, at: &Range<usize>, what: &str) -> String {
        let line = self.text.lines().nth(self.line(at).saturating_sub(1)).unwrap_or_default().trim();
        let key = line.split(['=', ' ', '"']).next().unwrap_or_default();
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || "_-.".contains(sign);
        match (line.starts_with('['), key) {
            (true, _) => format!("{what} (try `[name]` on a line of its own)"),
            (false, key) if key.is_empty() || !key.chars().all(is_name) => {
                format!("{what} (try `key = \"text\"`, one per line)")
            }
            (false, key) if what.starts_with("duplicate") => {
                format!("`{key}`: {what} (try removing one)")
            }
            (false, key) => format!("`{key}`: {what} (try `{key} = \"text\"` on a line of its own)"),
        }
    }

    /// The root table.
    pub(super) fn root(self, table: &'a DeTable<'a>) -> Section<'a> {
        Section { document: self, prefix: String::new(), table }
    }

    fn line(self, at: &Range<usize>) -> usize {
        let before = self.text.as_bytes().iter().take(at.start);
        1 + before.filter(|&&byte| byte == b'\n').count()
    }

    fn error(self, at: &Range<usize>, what: String) -> ConfigError {
        ConfigError::Content { path: self.path.to_owned(), line: self.line(at), what }
    }
}

impl<'a> Section<'a> {
    /// A table within the table.
    pub(super) fn section(&self, key: &str) -> Result<Option<Self>, ConfigError> {
        let (document, prefix) = (self.document, format!("{}{key}.", self.prefix));
        self.read(key, "a table", &format!("[{}{key}]", self.prefix), |value| {
            value.as_table().map(|table| Section { document, prefix, table })
        })
    }

    /// The keys of the table, as they stand in the file.
    pub(super) fn keys(&self) -> Vec<String> {
        let mut keys: Vec<_> = self.table.keys().collect();
        keys.sort_by_key(|key| key.span().start);
        keys.into_iter().map(|key| key.get_ref().to_string()).collect()
    }

    /// A table as the JSON that it will be sent as; empty where there is none.
    pub(super) fn json(&self, key: &str) -> Result<Map<String, Value>, ConfigError> {
        let Some(section) = self.section(key)? else { return Ok(Map::new()) };
        object(section.table)
            .map_err(|(at, why)| self.document.error(&at, format!("`{}{key}`: {why}", self.prefix)))
    }

    /// A text.
    pub(super) fn string(&self, key: &str, example: &str) -> Result<Option<String>, ConfigError> {
        self.read(key, "a string in quotes", example, |value| value.as_str().map(str::to_owned))
    }

    /// A text that has to be read further.
    pub(super) fn parsed<T: std::str::FromStr<Err: ToString>>(
        &self,
        key: &str,
        example: &str,
    ) -> Result<Option<T>, ConfigError> {
        let Some(text) = self.string(key, example)? else { return Ok(None) };
        text.parse().map(Some).map_err(|error: T::Err| self.refuse(key, &error.to_string()))
    }

    /// Yes or no.
    pub(super) fn boolean(&self, key: &str, example: &str) -> Result<Option<bool>, ConfigError> {
        self.read(key, "true or false", example, DeValue::as_bool)
    }

    /// A whole number within bounds.
    pub(super) fn whole(
        &self,
        key: &str,
        bounds: RangeInclusive<i64>,
        example: &str,
    ) -> Result<Option<i64>, ConfigError> {
        let number = self.read(key, "an integer", example, |value| {
            let number = value.as_integer()?;
            i64::from_str_radix(number.as_str(), number.radix()).ok()
        })?;
        match number {
            Some(number) if !bounds.contains(&number) => {
                let limits = match *bounds.end() {
                    i64::MAX => format!("at least {}", bounds.start()),
                    end => format!("from {} to {end}", bounds.start()),
                };
                Err(self.refuse(key, &format!("{number} is out of range: {limits} (try `{example}`)")))
            }
            fits => Ok(fits),
        }
    }

    /// A number, whole or not.
    pub(super) fn number(&self, key: &str, example: &str) -> Result<Option<f64>, ConfigError> {
        self.read(key, "a number", example, |value| {
            let text = value.as_float().map(toml::de::DeFloat::as_str);
            text.or_else(|| {
                value.as_integer().filter(|number| number.radix() == 10).map(toml::de::DeInteger::as_str)
            })?
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite())
        })
    }

    /// A list of texts.
    pub(super) fn strings(&self, key: &str, example: &str) -> Result<Option<Vec<String>>, ConfigError> {
        let read = |value: &DeValue<'_>| texts(value).map(|texts| texts.map(str::to_owned).collect());
        self.read(key, "a list of strings", example, read)
    }

    /// One text, or a list of them.
    pub(super) fn string_or_strings(&self, key: &str, example: &str) -> Result<Vec<String>, ConfigError> {
        let read = |value: &DeValue<'_>| match value.as_str() {
            Some(text) => Some(vec![text.to_owned()]),
            None => texts(value).map(|texts| texts.map(str::to_owned).collect()),
        };
        Ok(self.read(key, "a string or a list of strings", example, read)?.unwrap_or_default())
    }

    /// A list of texts that have to be read further; an error names the line of its text.
    pub(super) fn parsed_list<T: std::str::FromStr<Err: ToString>>(
        &self,
        key: &str,
        example: &str,
    ) -> Result<Vec<T>, ConfigError> {
        self.strings(key, example)?;
        let items =
            self.find(key).and_then(|(value, _)| value.as_array()).into_iter().flat_map(|items| items.iter());
        items
            .map(|item| {
                let text = item.get_ref().as_str().unwrap_or_default();
                text.parse().map_err(|error: T::Err| {
                    self.document
                        .error(&item.span(), format!("`{}{key}`: {}", self.prefix, error.to_string()))
                })
            })
            .collect()
    }

    /// An error about a key whose value has the right type.
    pub(super) fn refuse(&self, key: &str, why: &str) -> ConfigError {
        let at = self.find(key).map(|(_, at)| at).unwrap_or_default();
        self.document.error(&at, format!("`{}{key}`: {why}", self.prefix))
    }

    /// A warning about a key: `what` is the end of a sentence that begins with its name.
    pub(super) fn remark(&self, key: &str, what: &str) -> String {
        let at = self.find(key).map(|(_, at)| at).unwrap_or_default();
        let (path, line) = (self.document.path.display(), self.document.line(&at));
        format!("{path}: line {line}: `{}{key}` {what}", self.prefix)
    }

    /// A warning for each key that is not among the known; `home` are the keys of the root table.
    pub(super) fn unknown(&self, known: &[&str], home: &[&str]) -> Vec<String> {
        let mut unknown: Vec<_> =
            self.table.iter().filter(|(key, _)| !known.contains(&key.get_ref().as_ref())).collect();
        unknown.sort_by_key(|(key, _)| key.span().start);
        unknown
            .into_iter()
            .map(|(key, _)| {
                let (path, line) = (self.document.path.display(), self.document.line(&key.span()));
                let (prefix, name) = (&self.prefix, key.get_ref());
                let hint = if !prefix.is_empty() && home.contains(&name.as_ref()) {
                    format!(" (`{name}` is a top-level key: put it before the first table)")
                } else {
                    let near = nearest(name, known.iter().copied());
                    near.map_or_else(String::new, |near| format!(" (did you mean `{prefix}{near}`?)"))
                };
                format!("{path}: line {line}: unknown key `{prefix}{name}`{hint}")
            })
            .collect()
    }

    fn find(&self, key: &str) -> Option<Found<'a>> {
        self.table.get(key).map(|value| (value.get_ref(), value.span()))
    }

    fn read<T>(
        &self,
        key: &str,
        wanted: &str,
        example: &str,
        read: impl FnOnce(&'a DeValue<'a>) -> Option<T>,
    ) -> Result<Option<T>, ConfigError> {
        let Some((value, at)) = self.find(key) else { return Ok(None) };
        let prefix = &self.prefix;
        read(value).map(Some).ok_or_else(|| {
            let found = kind(value);
            self.document
                .error(&at, format!("`{prefix}{key}` must be {wanted}, not {found} (try `{example}`)"))
        })
    }
}

fn texts<'a>(value: &'a DeValue<'_>) -> Option<impl Iterator<Item = &'a str>> {
    let items = value.as_array()?;
    let all: Option<Vec<&str>> = items.iter().map(|item| item.get_ref().as_str()).collect();
    all.map(Vec::into_iter)
}

/// What cannot be said in JSON, and where.
type Unsayable = (Range<usize>, String);

fn object(table: &DeTable<'_>) -> Result<Map<String, Value>, Unsayable> {
    table.iter().map(|(key, value)| Ok((key.get_ref().to_string(), json(value)?))).collect()
}

/// Any value as JSON; a date as a text.
fn json(value: &Spanned<DeValue<'_>>) -> Result<Value, Unsayable> {
    let number = |number: Option<Number>| {
        number
            .map(Value::Number)
            .ok_or_else(|| (value.span(), "JSON does not support this number".to_owned()))
    };
    match value.get_ref() {
        DeValue::String(text) => Ok(Value::from(text.to_string())),
        DeValue::Integer(digits) => {
            number(i64::from_str_radix(digits.as_str(), digits.radix()).ok().map(Number::from))
        }
        DeValue::Float(digits) => number(digits.as_str().parse().ok().and_then(Number::from_f64)),
        DeValue::Boolean(truth) => Ok(Value::Bool(*truth)),
        DeValue::Datetime(date) => Ok(Value::from(date.to_string())),
        DeValue::Array(items) => items.iter().map(json).collect::<Result<_, _>>().map(Value::Array),
        DeValue::Table(table) => object(table).map(Value::Object),
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list with other values",
        DeValue::Table(_) => "a table",
    }
}
