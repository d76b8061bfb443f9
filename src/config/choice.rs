//! Writes the endpoint and the model that the user chose into `config.toml`, and touches nothing else in it.
//!
//! The file is the user's own, with comments and an order; so the text is edited, not printed anew, and the
//! result is read again before it is written.

use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::store::{read_to_edit, write_private};
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
    let damage = || ConfigError::Damage(path.to_owned());
    match read_to_edit(path)? {
        // the user's own file may be a link into a repository, with a mode of its own
        Some((mark, old)) => Ok(replace(path, [mark, &edit(&old).ok_or_else(damage)?].concat().as_bytes())?),
        None => write_private(path, edit("").ok_or_else(damage)?.as_bytes()),
    }
}

/// The text with the model set in its place; `None` if it would not say what it should.
fn with_model(old: &str, place: ModelPlace<'_>, model: &str) -> Option<String> {
    match place {
        ModelPlace::Root => with(old, &[], "model", model),
        ModelPlace::Provider(name) => {
            let root: toml::Table = old.parse().ok()?;
            root.get("providers")?.get(name)?;
            with(old, &["providers", name], "model", model)
        }
    }
}

/// The text with the theme set.
fn with_theme(old: &str, theme: &str) -> Option<String> {
    with(old, &["tui"], "theme", theme)
}

/// The text with both keys set; `None` if it would not say what it should.
fn edited(old: &str, base_url: &str, model: &str) -> Option<String> {
    with(&with(old, &[], "model", model)?, &[], "base_url", base_url)
}

/// The text with a key of a table set, and all else as it is; `None` if it would not say what it should.
fn with(old: &str, tables: &[&str], key: &str, value: &str) -> Option<String> {
    let mut expected: toml::Table = old.parse().ok()?;
    let text = placed(old, tables, key, &toml::Value::String(value.to_owned()).to_string())?;
    let mut table = &mut expected;
    for name in tables {
        table = table.entry(*name).or_insert_with(|| toml::Table::new().into()).as_table_mut()?;
    }
    table.insert(key.to_owned(), value.into());
    (text.parse::<toml::Table>().ok()? == expected).then_some(text)
}

/// Where the key stands, its value is exchanged. Else it goes into the braces of its table, behind the last plain key of it
/// in that key's own manner (`tui.vim = true`), or under its head; a table that is not there comes last.
fn placed(old: &str, tables: &[&str], key: &str, value: &str) -> Option<String> {
    let root = DeTable::parse(old).ok()?;
    let (mut table, mut span) = (root.get_ref(), 0..0);
    for name in tables {
        let Some(next) = table.get(*name) else { return Some(appended(old, tables, key, value)) };
        (table, span) = (next.get_ref().as_table()?, next.span());
    }
    if let Some(there) = table.get(key) {
        return spliced(old, there.span(), value);
    }
    if let Some(inner) = old.get(span.clone()).and_then(|text| text.strip_prefix('{')) {
        let comma = if table.is_empty() { "" } else { "," };
        let space = if inner.starts_with('}') { " " } else { "" };
        return spliced(old, span.start + 1..span.start + 1, &format!(" {key} = {value}{comma}{space}"));
    }
    if let Some((name, end)) = last_plain(table) {
        let line = old.get(..name)?.rfind('\n').map_or(0, |at| at + 1);
        return inserted(old, line_after(old, end)?, &format!("{}{key} = {value}", old.get(line..name)?));
    }
    if tables.is_empty() {
        let before = old.split_inclusive('\n').take_while(|line| !line.trim_start().starts_with('['));
        return inserted(old, before.map(str::len).sum(), &format!("{key} = {value}"));
    }
    inserted(old, below_head(old, &tables.join("."))?, &format!("{key} = {value}"))
}

fn appended(old: &str, tables: &[&str], key: &str, value: &str) -> String {
    let line_end = line_end(old);
    let before = if old.is_empty() || old.ends_with('\n') { "" } else { line_end };
    let gap = if old.is_empty() { "" } else { line_end };
    format!("{old}{before}{gap}[{}]{line_end}{key} = {value}{line_end}", tables.join("."))
}

/// The text with a line at a line's beginning, or behind the last one; a table's head gets an empty line before it.
fn inserted(text: &str, at: usize, line: &str) -> Option<String> {
    let line_end = line_end(text);
    // the last line may lack its end
    let before = if at == 0 || text.get(..at)?.ends_with('\n') { "" } else { line_end };
    let after = if text.get(at..)?.starts_with('[') { line_end } else { "" };
    spliced(text, at..at, &format!("{before}{line}{line_end}{after}"))
}

/// Where the line of a table's head ends. One that only looks so, within a text of several lines, is found out when the
/// result is read again.
fn below_head(text: &str, name: &str) -> Option<usize> {
    let is_head = |line: &str| {
        let code = line.split('#').next().unwrap_or_default().trim();
        code.strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .is_some_and(|there| there.trim() == name)
    };
    let above: usize = text.split_inclusive('\n').take_while(|line| !is_head(line)).map(str::len).sum();
    text.get(above..).filter(|rest| !rest.is_empty())?;
    line_after(text, above)
}

fn line_after(text: &str, at: usize) -> Option<usize> {
    Some(text.get(at..)?.find('\n').map_or(text.len(), |end| at + end + 1))
}

/// Where the name of the last key begins whose value stands in the table's own lines for certain, and where that value ends.
fn last_plain(table: &DeTable<'_>) -> Option<(usize, usize)> {
    let plain = table.iter().filter(|(_, value)| is_plain(value.get_ref()));
    plain.map(|(name, value)| (name.span().start, value.span().end)).max_by_key(|(_, end)| *end)
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
        check("providers.x.base_url = 'u'\n", x, "providers.x.base_url = 'u'\nproviders.x.model = \"m\"\n");
        check(
            "providers = { x = { base_url = 'u' } }\n",
            x,
            "providers = { x = { model = \"m\", base_url = 'u' } }\n",
        );
        check(
            "[providers]\n  'x' . base_url = 'u' # it\n[tui]\n",
            x,
            "[providers]\n  'x' . base_url = 'u' # it\n  'x' . model = \"m\"\n\n[tui]\n",
        );
        // one that is not there is not made
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

    /// A file as people write them: marks, spaces, two kinds of line ends, several forms of table, no end.
    #[test]
    fn all_but_the_value_stays_to_the_byte() {
        use std::os::unix::fs::PermissionsExt as _;
        let old = "\u{feff}# mine  \t\r\n\r\n  model\t=  'old'\t# why \u{2026}\r\nbase_url=\"http://a/v1\"\n\
                   prices={ 'm' = {input=1,output = 2} } # odd\n[ tui ]#x\r\ntheme   =   \"light\"  \r\n\
                   [providers . \"x y\"]\r\nmodel = '''older'''\r\nheaders = { A = \"b\" }\r\n[[ hooks.Stop ]]\n\
                   command='c'\n# end";
        let dir = tempfile::tempdir().unwrap();
        let dotfiles = dir.path().join("dotfiles");
        fs::create_dir(&dotfiles).unwrap();
        let (real, link) = (dotfiles.join("clawd.toml"), dir.path().join("config.toml"));
        std::os::unix::fs::symlink("dotfiles/clawd.toml", &link).unwrap();
        let check =
            |mode: u32, expected: &[(&str, &str)], done: &dyn Fn(&Path) -> Result<(), ConfigError>| {
                fs::write(&real, old).unwrap();
                fs::set_permissions(&real, fs::Permissions::from_mode(mode)).unwrap();
                done(&link).unwrap();
                let expected =
                    expected.iter().fold(old.to_owned(), |text, (from, to)| text.replacen(from, to, 1));
                assert_eq!(fs::read_to_string(&real).unwrap(), expected);
                assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o7777, mode);
                assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
                assert_eq!(fs::read_dir(&dotfiles).unwrap().count(), 1, "nothing is left beside it");
            };
        let url = "http://b/v1".parse().unwrap();
        let model = ("'old'", "\"m\"");
        check(0o600, &[model], &|path| save_model(path, ModelPlace::Root, "m"));
        check(0o644, &[("'''older'''", "\"m\"")], &|path| save_model(path, ModelPlace::Provider("x y"), "m"));
        check(0o640, &[("\"light\"", "\"dark\"")], &|path| save_theme(path, "dark"));
        check(0o600, &[model, ("http://a/v1", "http://b/v1")], &|path| save_choice(path, &url, "m"));
    }

    #[test]
    fn a_theme_is_set_in_its_table_and_nothing_else_changes() {
        let check =
            |old: &str, expected: &str| assert_eq!(with_theme(old, "dark").as_deref(), Some(expected));
        check("", "[tui]\ntheme = \"dark\"\n");
        check("a = 1", "a = 1\n\n[tui]\ntheme = \"dark\"\n");
        check("[tui] # mine\nvim = true # yes\n", "[tui] # mine\nvim = true # yes\ntheme = \"dark\"\n");
        check("[tui]", "[tui]\ntheme = \"dark\"\n");
        check("[tui] # mine\n# vim = true\n", "[tui] # mine\ntheme = \"dark\"\n# vim = true\n");
        check("[tui]\ntheme = 'x' # calm\n[z]\n", "[tui]\ntheme = \"dark\" # calm\n[z]\n");
        check("tui = { theme = 'x' }\n", "tui = { theme = \"dark\" }\n");
        check("tui = { vim = true }\n", "tui = { theme = \"dark\", vim = true }\n");
        check("tui = {}\n", "tui = { theme = \"dark\" }\n");
        check("tui.theme = 'x'\r\n", "tui.theme = \"dark\"\r\n");
        check("tui.vim = true\r\na = 1", "tui.vim = true\r\ntui.theme = \"dark\"\r\na = 1");
        let hidden = "a = '''\n[tui]\n'''\n[tui]\n";
        for unfit in ["tui = 1", "[tui", hidden] {
            assert_eq!(with_theme(unfit, "dark"), None, "{unfit}");
        }
    }
}
