//! A notebook as its cells: what they say and what came out of them.
//!
//! Only to be read; the file itself is JSON, and a change is made there. Pictures and other media in outputs are named, not
//! shown. What is no notebook of the fourth format is none here, and shown as the text that it is.

use std::borrow::Cow;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::text::clip::{Keep, Limits, clip};
use crate::text::sanitize::sanitize;
use crate::text::units;

/// Larger ones are shown as text, in constant memory; hardly any is over 10 MB, pictures and all.
pub(super) const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// Shown of one output: enough for a table's head or a traceback's ends.
const OUTPUT: Limits = Limits { bytes: 2000, lines: 30 };

/// Whether the name is one of a notebook.
pub(super) fn is_named(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("ipynb"))
}

/// The cells as text; none where the bytes are no notebook.
pub(super) fn shown(bytes: &[u8]) -> Option<String> {
    let notebook: Notebook = serde_json::from_slice(bytes).ok()?;
    let cells = units::counted(notebook.cells.len() as u64, "cell", "cells");
    let language = notebook.metadata.language_info.map(|language| format!(", {}", language.name));
    let mut text = format!("[notebook of {cells}{}]\n", language.unwrap_or_default());
    for (number, cell) in (1..).zip(&notebook.cells) {
        cell.show(number, &mut text);
    }
    Some(text)
}

#[derive(Deserialize)]
struct Notebook {
    cells: Vec<Cell>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize, Default)]
struct Metadata {
    language_info: Option<Language>,
}

#[derive(Deserialize)]
struct Language {
    name: String,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(rename = "cell_type")]
    kind: String,
    #[serde(default)]
    source: Lines,
    execution_count: Option<u64>,
    #[serde(default)]
    outputs: Vec<Output>,
}

/// Text in one piece or line by line.
#[derive(Deserialize)]
#[serde(untagged)]
enum Lines {
    Whole(String),
    Pieces(Vec<String>),
}

#[derive(Deserialize)]
#[serde(tag = "output_type", rename_all = "snake_case")]
enum Output {
    Stream {
        #[serde(default)]
        text: Lines,
    },
    DisplayData {
        #[serde(default)]
        data: Map<String, Value>,
    },
    ExecuteResult {
        #[serde(default)]
        data: Map<String, Value>,
    },
    Error {
        ename: String,
        evalue: String,
        #[serde(default)]
        traceback: Vec<String>,
    },
    #[serde(other)]
    Unknown,
}

impl Default for Lines {
    fn default() -> Self {
        Self::Whole(String::new())
    }
}

impl Lines {
    fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Whole(text) => Cow::Borrowed(text),
            Self::Pieces(pieces) => Cow::Owned(pieces.concat()),
        }
    }
}

impl Cell {
    fn show(&self, number: u64, text: &mut String) {
        let run = self.execution_count.map(|count| format!(" [{count}]")).unwrap_or_default();
        add(text, &format!("--- cell {number}: {}{run}", self.kind));
        add(text, &self.source.text());
        for output in &self.outputs {
            add(text, &format!("--- output of cell {number}"));
            output.show(text);
        }
    }
}

impl Output {
    fn show(&self, text: &mut String) {
        match self {
            Self::Stream { text: printed } => add_short(text, &printed.text()),
            Self::DisplayData { data } | Self::ExecuteResult { data } => show_data(data, text),
            Self::Error { ename, evalue, traceback } if traceback.is_empty() => {
                add_short(text, &format!("{ename}: {evalue}"));
            }
            Self::Error { traceback, .. } => add_short(text, &traceback.join("\n")),
            Self::Unknown => add(text, "[of a kind that is not known]"),
        }
    }
}

/// The plain text of it, and the names of what else there is.
fn show_data(data: &Map<String, Value>, text: &mut String) {
    let plain = data.get("text/plain").and_then(|plain| Lines::deserialize(plain).ok());
    if let Some(plain) = plain {
        add_short(text, &plain.text());
    }
    for (mime, value) in data.iter().filter(|(mime, _)| *mime != "text/plain") {
        let size = value.as_str().map(|value| format!(", {}", units::bytes(value.len() as u64)));
        add(text, &format!("[{mime}{}: not shown]", size.unwrap_or_default()));
    }
}

fn add_short(text: &mut String, output: &str) {
    add(text, &clip(&sanitize(output), OUTPUT, Keep::HeadTail).text);
}

fn add(text: &mut String, lines: &str) {
    text.push_str(lines);
    if !lines.is_empty() && !lines.ends_with('\n') {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(cells: &Value, expected: &str) {
        let notebook =
            json!({"nbformat": 4, "metadata": {"language_info": {"name": "python"}}, "cells": cells});
        assert_eq!(shown(notebook.to_string().as_bytes()).as_deref(), Some(expected));
    }

    #[test]
    fn cells_are_shown_with_what_came_out_of_them() {
        check(
            &json!([
                {"cell_type": "markdown", "source": ["# Title\n", "text"]},
                {"cell_type": "code", "execution_count": 3, "source": "1 + 1", "outputs": [
                    {"output_type": "stream", "name": "stdout", "text": ["a\n", "b\n"]},
                    {"output_type": "execute_result", "data": {"text/plain": "2", "image/png": "iVBORw0K"}},
                    {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\u{1b}[31mE\u{1b}[0m", "v"]},
                    {"output_type": "error", "ename": "E", "evalue": "v"},
                    {"output_type": "novel", "what": {"ever": 1}},
                ]},
                {"cell_type": "code", "execution_count": null, "source": [], "outputs": []},
            ]),
            "[notebook of 3 cells, python]\n--- cell 1: markdown\n# Title\ntext\n--- cell 2: code [3]\n1 + 1\n\
             --- output of cell 2\na\nb\n--- output of cell 2\n2\n[image/png, 8 B: not shown]\n\
             --- output of cell 2\nE\nv\n--- output of cell 2\nE: v\n--- output of cell 2\n\
             [of a kind that is not known]\n--- cell 3: code\n",
        );
    }

    #[test]
    fn a_long_output_is_cut_in_the_middle() {
        let lines: Vec<String> = (1..=100).map(|number| number.to_string() + "\n").collect();
        let outputs = json!([{"output_type": "stream", "text": lines}]);
        let notebook = json!({"cells": [{"cell_type": "code", "source": "x", "outputs": outputs}]});
        let text = shown(notebook.to_string().as_bytes()).unwrap();
        assert!(text.contains("\n5\n… 71 lines") && text.ends_with("\n100\n"), "{text}");
        assert!(text.starts_with("[notebook of 1 cell]\n"));
    }

    #[test]
    fn what_is_no_notebook_is_none() {
        for text in ["", "{", "[]", "{}", r#"{"cells": [{}]}"#, r#"{"worksheets": []}"#] {
            assert_eq!(shown(text.as_bytes()), None, "{text}");
        }
        assert!(is_named(Path::new("/a/b.IPYNB")) && !is_named(Path::new("ipynb")));
    }
}
