//! Writes the endpoint and the model that the user chose into `config.toml`, and touches nothing else in it.
//!
//! The file is the user's own, with comments and an order; so the text is edited, not printed anew, and the
//! result is read again before it is written.

use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::store::{read_text, write_private};
use super::{BaseUrl, ConfigError};
use crate::os::file::replace;

/// Where in the file a model stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelPlace<'a> {
    /// In the root table.
    Root,
    /// In the table of this provider, which must be there.
    Provider(&'a str),
}

/// Writes `base_url` and `model` into the `config.toml` at `path`; makes the file if there is none.
pub fn save_choice(path: &Path, base_url: &BaseUrl, model: &str) -> Result<(), ConfigError> {
    save(path, |old| edited(old, base_url.as_str(), model))
}

/// Writes `model` alone into its place in the `config.toml` at `path`; makes the file if there is none.
pub fn save_model(path: &Path, place: ModelPlace<'_>, model: &str) -> Result<(), ConfigError> {
    save(path, |old| with_model(old, place, model))
}

/// Writes the name of a theme into `[tui]` of the `config.toml` at `path`; makes the file if there is none.
pub fn save_theme(path: &Path, theme: &str) -> Result<(), ConfigError> {
    save(path, |old| with_theme(old, theme))
}

/// Writes what `edit` makes of the file's text.
fn save(path: &Path, edit: impl Fn(&str) -> Option<String>) -> Result<(), ConfigError> {
    let old = read_text(path)?;
    let text =
        edit(old.as_deref().unwrap_or_default()).ok_or_else(|| ConfigError::Damage(path.to_owned()))?;
    match old {
        // the user's own file may be a link into a repository, with a mode of its own
        Some(_) => Ok(replace(path, text.as_bytes())?),
        None => write_private(path, text.as_bytes()),
    }
}

/// The text with the model set in its place; `None` if it would not say what it should.
fn with_model(old: &str, place: ModelPlace<'_>, model: &str) -> Option<String> {
    let mut expected: toml::Table = old.parse().ok()?;
    let (text, table) = match place {
        ModelPlace::Root => (with_key(old, "model", model)?, &mut expected),
        ModelPlace::Provider(name) => {
            let providers = expected.get_mut("providers")?.as_table_mut()?;
            (with_provider_model(old, name, model)?, providers.get_mut(name)?.as_table_mut()?)
        }
    };
    table.insert("model".to_owned(), model.into());
    (text.parse::<toml::Table>().ok()? == expected).then_some(text)
}

/// The text with the theme set: where it stands, else first in its table, else in a table at the end.
fn with_theme(old: &str, theme: &str) -> Option<String> {
    let mut expected: toml::Table = old.parse().ok()?;
    let value = toml::Value::String(theme.to_owned()).to_string();
    let root = DeTable::parse(old).ok()?;
    let stands = match root.get_ref().get("tui") {
        Some(tui) => tui.get_ref().as_table()?.get("theme").map(toml::Spanned::span),
        None => None,
    };
    let line_end = line_end(old);
    let before = if old.is_empty() || old.ends_with('\n') { "" } else { line_end };
    let text = match (stands, below_tui(old)) {
        (Some(at), _) => spliced(old, at, &value)?,
        (None, Some(at)) => spliced(old, at..at, &format!("{before}theme = {value}{line_end}"))?,
        (None, None) => {
            let gap = if old.is_empty() { "" } else { line_end };
            format!("{old}{before}{gap}[tui]{line_end}theme = {value}{line_end}")
        }
    };
    let table = expected.entry("tui").or_insert_with(|| toml::Table::new().into()).as_table_mut()?;
    table.insert("theme".to_owned(), theme.into());
    (text.parse::<toml::Table>().ok()? == expected).then_some(text)
}

/// Where the line of `[tui]` ends. One that only looks so, within a text of several lines, is found out when the result is
/// read again.
fn below_tui(text: &str) -> Option<usize> {
    let is_header = |line: &str| {
        let code = line.split('#').next().unwrap_or_default().trim();
        code.strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .is_some_and(|name| name.trim() == "tui")
    };
    let above: usize = text.split_inclusive('\n').take_while(|line| !is_header(line)).map(str::len).sum();
    let header = text.get(above..).filter(|rest| !rest.is_empty())?;
    Some(above + header.find('\n').map_or(header.len(), |end| end + 1))
}

/// The text with the model of a provider set: where it stands, else behind the last plain key of its table.
fn with_provider_model(text: &str, name: &str, model: &str) -> Option<String> {
    let value = toml::Value::String(model.to_owned()).to_string();
    let root = DeTable::parse(text).ok()?;
    let table = root.get_ref().get("providers")?.get_ref().as_table()?.get(name)?.get_ref().as_table()?;
    if let Some(old) = table.get("model") {
        return spliced(text, old.span(), &value);
    }
    let end = last_plain(table)?;
    let line_end = line_end(text);
    let at = text.get(end..)?.find('\n').map_or(text.len(), |line| end + line + 1);
    let before = if text.get(..at)?.ends_with('\n') { "" } else { line_end };
    spliced(text, at..at, &format!("{before}model = {value}{line_end}"))
}

/// The text with both keys set; `None` if it would not say what it should.
fn edited(old: &str, base_url: &str, model: &str) -> Option<String> {
    let text = with_key(&with_key(old, "model", model)?, "base_url", base_url)?;
    let mut expected: toml::Table = old.parse().ok()?;
    expected.insert("model".to_owned(), model.into());
    expected.insert("base_url".to_owned(), base_url.into());
    (text.parse::<toml::Table>().ok()? == expected).then_some(text)
}

/// The text with a key of the root table set.
fn with_key(text: &str, key: &str, value: &str) -> Option<String> {
    let value = toml::Value::String(value.to_owned()).to_string();
    let table = DeTable::parse(text).ok()?;
    let table = table.get_ref();
    if let Some(old) = table.get(key) {
        return spliced(text, old.span(), &value);
    }
    let line_end = line_end(text);
    let line = format!("{key} = {value}{line_end}");
    let at = place(text, table)?;
    // the last line may lack its end
    let before = if at == 0 || text.get(..at)?.ends_with('\n') { "" } else { line_end };
    let after = if text.get(at..)?.starts_with('[') { line_end } else { "" };
    spliced(text, at..at, &format!("{before}{line}{after}"))
}

/// Where a further key of the root table can stand: after the last of them, else before the first table.
fn place(text: &str, table: &DeTable<'_>) -> Option<usize> {
    if let Some(end) = last_plain(table) {
        return Some(text.get(end..)?.find('\n').map_or(text.len(), |line| end + line + 1));
    }
    let before = text.split_inclusive('\n').take_while(|line| !line.trim_start().starts_with('['));
    Some(before.map(str::len).sum())
}

/// Where the last value ends that stands in the table's own lines for certain.
fn last_plain(table: &DeTable<'_>) -> Option<usize> {
    table.iter().filter(|(_, value)| is_plain(value.get_ref())).map(|(_, value)| value.span().end).max()
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Whether a value of the root table stands before every table header for certain.
fn is_plain(value: &DeValue<'_>) -> bool {
    match value {
        DeValue::String(_)
        | DeValue::Integer(_)
        | DeValue::Float(_)
        | DeValue::Boolean(_)
        | DeValue::Datetime(_) => true,
        DeValue::Array(items) => items.iter().all(|item| !item.get_ref().is_table()),
        DeValue::Table(_) => false,
    }
}

fn spliced(text: &str, range: Range<usize>, with: &str) -> Option<String> {
    Some(format!("{}{with}{}", text.get(..range.start)?, text.get(range.end..)?))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn keys_are_replaced_or_put_before_the_first_table() {
        let check = |old: &str, expected: &str| {
            assert_eq!(edited(old, "http://h/v1", "m").as_deref(), Some(expected), "{old:?}");
        };
        let both = "model = \"m\"\nbase_url = \"http://h/v1\"\n";
        check("", both);
        check("# mine\n", &format!("# mine\n{both}"));
        check(
            "model = 'old'  # why\nbase_url=\"x\" # here\n",
            "model = \"m\"  # why\nbase_url=\"http://h/v1\" # here\n",
        );
        check("nudge = true # yes", &format!("nudge = true # yes\n{both}"));
        check("a = 1\n\n[tui]\nmodel = 1\n", &format!("a = 1\n{both}\n[tui]\nmodel = 1\n"));
        check(
            "# head\n[tui]\nvim = true\n",
            "# head\nmodel = \"m\"\nbase_url = \"http://h/v1\"\n\n[tui]\nvim = true\n",
        );
        check("[[hooks.Stop]]\ncommand = \"x\"\n", &format!("{both}\n[[hooks.Stop]]\ncommand = \"x\"\n"));
        check(
            "a = [\n  1,\n]\r\n[t]\r\n",
            "a = [\n  1,\n]\r\nmodel = \"m\"\r\nbase_url = \"http://h/v1\"\r\n\r\n[t]\r\n",
        );
        check("model = \"\"\"\na\n[x]\n\"\"\"\n", "model = \"m\"\nbase_url = \"http://h/v1\"\n");
        check("\"model\" = \"x\"\n", "\"model\" = \"m\"\nbase_url = \"http://h/v1\"\n");
    }

    #[test]
    fn odd_values_survive_and_broken_files_are_left_alone() {
        let text = edited("", "http://h/v1", "a \"quoted\"\\ model\n").unwrap();
        let table: toml::Table = text.parse().unwrap();
        assert_eq!(table.get("model").and_then(toml::Value::as_str), Some("a \"quoted\"\\ model\n"));
        assert_eq!(edited("a = = 1", "http://h/v1", "m"), None);
        assert_eq!(edited("base_url.x = 1", "http://h/v1", "m"), None);
    }

    #[test]
    fn a_model_is_set_where_it_belongs_and_nothing_else_changes() {
        let check = |old: &str, place: ModelPlace<'_>, expected: &str| {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("config.toml");
            fs::write(&path, old).unwrap();
            let saved = save_model(&path, place, "m");
            assert_eq!(fs::read_to_string(&path).unwrap(), if expected.is_empty() { old } else { expected });
            assert_eq!(saved.is_ok(), !expected.is_empty(), "{old:?}");
        };
        let x = ModelPlace::Provider("x");
        check("", ModelPlace::Root, "model = \"m\"\n");
        check("model = 'a' # why\nnudge = true\n", ModelPlace::Root, "model = \"m\" # why\nnudge = true\n");
        check(
            "# head\n[providers.x]\nmodel = 'b'\n",
            ModelPlace::Root,
            "# head\nmodel = \"m\"\n\n[providers.x]\nmodel = 'b'\n",
        );
        check(
            "model = 'a'\n[providers.x]\nmodel = 'b' # mine\nbase_url = 'u'\n[providers.y]\nmodel = 'c'\n",
            x,
            "model = 'a'\n[providers.x]\nmodel = \"m\" # mine\nbase_url = 'u'\n[providers.y]\nmodel = 'c'\n",
        );
        check(
            "[providers.x]\nbase_url = 'u' # here\nheaders = { a = 'b' }\n\n[tui]\nvim = true\n",
            x,
            "[providers.x]\nbase_url = 'u' # here\nmodel = \"m\"\nheaders = { a = 'b' }\n\n[tui]\nvim = true\n",
        );
        check("[providers.x]\nbase_url = 'u'", x, "[providers.x]\nbase_url = 'u'\nmodel = \"m\"\n");
        check("providers.x = { model = 'b' }\n", x, "providers.x = { model = \"m\" }\n");
        // what cannot be done in place is left to the user
        check("providers.x.base_url = 'u'\n", x, "");
        check("providers = { x = { base_url = 'u' } }\n", x, "");
        check("[providers.y]\nbase_url = 'u'\n", x, "");
    }

    #[test]
    fn a_linked_file_is_changed_where_it_lies() {
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real.toml"), dir.path().join("config.toml"));
        let url = "http://h/v1".parse().unwrap();
        fs::write(&real, "# mine\n").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        save_choice(&link, &url, "m").unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "# mine\nmodel = \"m\"\nbase_url = \"http://h/v1\"\n");
        let fresh = dir.path().join("new/config.toml");
        save_choice(&fresh, &url, "m").unwrap();
        assert!(fs::read_to_string(&fresh).unwrap().starts_with("model"));
    }

    #[test]
    fn a_theme_is_set_in_its_table_and_nothing_else_changes() {
        let check =
            |old: &str, expected: &str| assert_eq!(with_theme(old, "dark").as_deref(), Some(expected));
        check("", "[tui]\ntheme = \"dark\"\n");
        check("a = 1", "a = 1\n\n[tui]\ntheme = \"dark\"\n");
        check("[tui] # mine\nvim = true\n", "[tui] # mine\ntheme = \"dark\"\nvim = true\n");
        check("[tui]", "[tui]\ntheme = \"dark\"\n");
        check("[tui]\ntheme = 'x' # calm\n[z]\n", "[tui]\ntheme = \"dark\" # calm\n[z]\n");
        check("tui = { theme = 'x' }\n", "tui = { theme = \"dark\" }\n");
        check("tui.theme = 'x'\r\n", "tui.theme = \"dark\"\r\n");
        let hidden = "a = '''\n[tui]\n'''\n[tui]\n";
        for unfit in ["tui = { vim = true }\n", "tui = 1", "[tui", hidden] {
            assert_eq!(with_theme(unfit, "dark"), None, "{unfit}");
        }
    }
}
