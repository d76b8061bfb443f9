//! The last stage of a call: what the model gets of its result.
//!
//! Tools keep to the limit by themselves and say how to read on in their own words. Here stands the limit that holds for each,
//! those of other programs included: what is over it is cut in the middle, and the whole is kept in a file that the
//! result names. An error says that it is one, and nothing is told as nothing.

use std::sync::Arc;

use crate::protocol::{CallId, Content, Part};
use crate::text::clip::{self, Keep, Limits, clip};
use crate::tools::ToolResult;
use crate::workbench::Workbench;

/// Room for the line that names the file: a path, and a few words.
const NAMED: usize = 1024;

/// What stays of a text over the limit, without the line that names the file.
const SHOWN: Limits = Limits { bytes: clip::RESULT.bytes - NAMED, lines: clip::RESULT.lines - 1 };

/// The result as the model gets it.
pub(super) async fn format(bench: &Arc<Workbench>, call: &CallId, mut result: ToolResult) -> ToolResult {
    for part in &mut result.content.0 {
        if let Part::Text(text) = part {
            if result.status.is_error() && !text.starts_with("Error:") {
                text.change(|text| text.insert_str(0, "Error: "));
            }
            if clip(text, clip::RESULT, Keep::HeadTail).cut.is_some() {
                *text = cut(bench, call, std::mem::take(text).into()).await.into();
            }
        }
    }
    if result.content.is_empty() {
        result.content = Content::text("(no output)");
    }
    result
}

async fn cut(bench: &Arc<Workbench>, call: &CallId, whole: String) -> String {
    let (bench, call) = (Arc::clone(bench), call.clone());
    let shown = clip(&whole, SHOWN, Keep::HeadTail).text.trim_end().to_owned();
    let kept = tokio::task::spawn_blocking(move || bench.outputs().write(&call, whole.as_bytes())).await;
    let named = match kept.map_err(std::io::Error::from).flatten() {
        Ok(path) => format!("[full output: {}]", path.display()),
        Err(error) => format!("[full output is lost: {error}]"),
    };
    format!("{shown}\n{named}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Display;
    use crate::workbench::Setup;

    async fn formatted(result: ToolResult) -> String {
        let dir = tempfile::tempdir().unwrap();
        let setup = Setup { root: dir.path().to_owned(), ..Setup::default() };
        let bench = Arc::new(Workbench::new(setup).unwrap());
        let text = format(&bench, &CallId::from("call"), result).await.content.to_text();
        if let Some(path) = text.rsplit_once("[full output: ").and_then(|(_, rest)| rest.strip_suffix(']')) {
            let whole = std::fs::read_to_string(path).unwrap();
            assert!(whole.len() > text.len() && whole.starts_with(text.get(..100).unwrap()));
        }
        text
    }

    fn success(text: &str) -> ToolResult {
        ToolResult::success(text, Display::Line(String::new()))
    }

    #[tokio::test]
    async fn what_fits_stays_as_it_is() {
        assert_eq!(formatted(success("a\nb")).await, "a\nb");
        assert_eq!(formatted(success("")).await, "(no output)");
        assert_eq!(formatted(ToolResult::failed("it broke")).await, "Error: it broke");
    }

    #[tokio::test]
    async fn what_is_over_the_limit_is_cut_and_the_whole_is_kept() {
        for text in
            ["line\n".repeat(3000), "x".repeat(200_000), format!("{}\n", "long ".repeat(40)).repeat(900)]
        {
            let told = formatted(success(&text)).await;
            assert!(told.len() <= clip::RESULT.bytes && told.lines().count() <= clip::RESULT.lines);
            assert!(told.contains(" cut …\n") && told.contains("\n[full output: "), "{}", told.len());
        }
    }
}
