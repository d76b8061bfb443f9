//! Read: a window of a file's lines, numbered.
//!
//! Memory does not grow with the file: lines before the window are passed over, a line longer than anyone reads is cut
//! as it comes. What is no text is refused by its first bytes. The surprise: a file of moderate size is read to its
//! end although only a part is shown, as its hash is what a later edit is checked against.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tokio_util::sync::CancellationToken;

use self::window::{Rest, Window};
use super::schema::{self, Param};
use super::target::Target;
use super::{Concurrency, Prepared, Scene, Tool, ToolResult, looking};
use crate::os::file::{FileError, open_regular};
use crate::protocol::{Access, Display, Part, Preview};
use crate::text::clip;
use crate::text::units;
use crate::workbench::files::MOST_HASHED;
use crate::workbench::{Stamp, Workbench};

mod window;

/// Lines shown at once; the contract's limit of a result.
const MOST_LINES: u64 = clip::RESULT.lines as u64;
/// A NUL among the first bytes means binary, as git sees it, unless all that is asked for stands before it.
const LOOKED_AT: usize = 8000;
/// UTF-16 is decoded as a whole; larger text in it does not occur.
const MOST_UTF16: u64 = 16 * 1024 * 1024;

const PATH: Param = Param::text("file_path", "").or(&["path", "filePath", "file", "filename"]);
const OFFSET: Param = Param::integer("offset", "first line, from 1").or(&["start_line", "line_offset"]);
const LIMIT: Param = Param::integer("limit", "lines, default 2000").or(&["max_lines", "n_lines"]);

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct Read;

impl Tool for Read {
    fn name(&self) -> &'static str {
        "Read"
    }

    fn description(&self) -> String {
        "Read a text file as numbered lines. The number and tab before each line are not part of it."
            .to_owned()
    }

    fn parameters(&self) -> Value {
        schema::object(&[PATH], &[OFFSET, LIMIT])
    }

    fn concurrency(&self) -> Concurrency {
        Concurrency::SideBySide
    }

    fn prepare(&self, arguments: &Map<String, Value>, cwd: &Path) -> Result<Box<dyn Prepared>, String> {
        let target = Target::new(&PATH.need_some(arguments)?, cwd);
        // 0 means "not set" to models that fill in every parameter
        let first = OFFSET.number(arguments)?.unwrap_or(1).max(1);
        let limit = LIMIT.number(arguments)?.filter(|limit| *limit > 0).unwrap_or(MOST_LINES).min(MOST_LINES);
        Ok(Box::new(Call { target, first, limit }))
    }
}

#[derive(Debug, Clone)]
struct Call {
    target: Target,
    first: u64,
    limit: u64,
}

impl Prepared for Call {
    fn access(&self) -> Access {
        Access::Read(vec![self.target.resolved.clone()])
    }

    fn preview<'a>(&'a self, _bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
        Box::pin(async move {
            match self.target.path.symlink_metadata() {
                Ok(_) => Ok(Preview::Text(format!("Read {}", self.target.path.display()))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Err(self.target.missing()),
                Err(error) => Err(format!("Error: cannot read {}: {error}", self.target.shown)),
            }
        })
    }

    fn run(self: Box<Self>, scene: Scene) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move {
            let (bench, cancel) = (Arc::clone(&scene.bench), scene.cancel.clone());
            match looking(&scene.cancel, move || self.read(&bench, cancel)).await {
                Ok(result) | Err(result) => result,
            }
        })
    }
}

impl Call {
    fn read(&self, bench: &Workbench, cancel: CancellationToken) -> Result<ToolResult, String> {
        let (file, meta) = open_regular(self.target.judged()?).map_err(|error| self.refusal(&error))?;
        let failed = |error: io::Error| format!("Error: cannot read {}: {error}", self.target.shown);
        let hash = (meta.len() <= MOST_HASHED).then(Sha256::new);
        let mut source = BufReader::with_capacity(64 * 1024, Source { file, hash, cancel });
        let form = Form::of(source.fill_buf().map_err(failed)?, self.first.saturating_add(self.limit) - 1);
        let window = match form {
            Form::Binary(what) => return Err(self.not_text(what)),
            Form::Utf16 if meta.len() > MOST_UTF16 => return Err(self.not_text("UTF-16 over 16 MB")),
            Form::Utf16 => {
                let mut bytes = Vec::new();
                io::Read::read_to_end(&mut source, &mut bytes).map_err(failed)?;
                let text = decode_utf16(&bytes);
                Window::read(text.as_bytes(), self.first, self.limit, Rest::Count).map_err(failed)?
            }
            Form::Text => {
                let rest = if meta.len() <= MOST_HASHED { Rest::Count } else { Rest::Leave };
                Window::read(&mut source, self.first, self.limit, rest).map_err(failed)?
            }
        };
        if window.shown == 0 && (self.first > 1 || window.total != Some(0)) {
            return Err(self.beyond(&window));
        }
        let stamp = source.into_inner().hash.map_or_else(|| Stamp::outside(&meta), Stamp::hashed);
        bench.files().note(&self.target.resolved, stamp);
        Ok(self.told(&window, form))
    }

    fn told(&self, window: &Window, form: Form) -> ToolResult {
        let (first, last) = (self.first, self.first + window.shown.saturating_sub(1));
        let of = window.total.map(|total| format!(" of {}", units::count(total))).unwrap_or_default();
        let mut notes = Vec::new();
        if window.more {
            notes.push(format!("[lines {first}-{last}{of}; use offset={} to read on]", last + 1));
        }
        if form == Form::Utf16 {
            notes.push("[the file is UTF-16; Edit cannot change it]".to_owned());
        } else if window.lossy {
            notes.push("[not all of it is UTF-8: other bytes are shown as \u{fffd}]".to_owned());
        }
        let display = if window.more || first > 1 {
            format!("lines {first}-{last}{of}")
        } else {
            units::counted(window.shown, "line", "lines")
        };
        let body = if window.shown == 0 { "[the file is empty]".to_owned() } else { window.body() };
        let mut result = ToolResult::success(body, Display::Line(display));
        if !notes.is_empty() {
            // a part of its own: the lines alone may be as many as a part may have
            result.content.0.push(Part::Text(notes.join("\n")));
        }
        result
    }

    fn refusal(&self, error: &FileError) -> String {
        if self.target.resolved.is_dir() {
            return format!("Error: {} is a directory: list it with Glob", self.target.shown);
        }
        self.target.unreadable(error)
    }

    fn not_text(&self, what: &str) -> String {
        format!("Error: {} is not a text file but {what}, which cannot be shown", self.target.shown)
    }

    fn beyond(&self, window: &Window) -> String {
        let total = units::counted(window.total.unwrap_or_default(), "line", "lines");
        format!("Error: {} has {total}: offset {} is beyond its end", self.target.shown, self.first)
    }
}

/// A file that is hashed as it is read, and whose reading ends when the call does.
struct Source {
    file: File,
    hash: Option<Sha256>,
    cancel: CancellationToken,
}

impl io::Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("interrupted"));
        }
        let count = self.file.read(buffer)?;
        if let Some(hash) = &mut self.hash {
            hash.update(buffer.get(..count).unwrap_or_default());
        }
        Ok(count)
    }
}

/// What a file's first bytes say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Utf16,
    Binary(&'static str),
}

impl Form {
    /// `last` is the last line that is asked for.
    fn of(start: &[u8], last: u64) -> Self {
        let heads: [(&[u8], &'static str); 6] = [
            (b"\x89PNG\r\n\x1a\n", "a PNG image"),
            (b"\xff\xd8\xff", "a JPEG image"),
            (b"GIF8", "a GIF image"),
            (b"%PDF-", "a PDF document"),
            (b"\xff\xfe\0\0", "UTF-32"),
            (b"\0\0\xfe\xff", "UTF-32"),
        ];
        if let Some((_, what)) = heads.iter().find(|(head, _)| start.starts_with(head)) {
            return Self::Binary(what);
        }
        if start.starts_with(b"RIFF") && start.get(8..12) == Some(b"WEBP") {
            return Self::Binary("a WebP image");
        }
        if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
            return Self::Utf16;
        }
        let text = start.split(|byte| *byte == 0).next().unwrap_or_default();
        let has_nul = text.len() < start.len().min(LOOKED_AT);
        let lines_before = || text.split(|byte| *byte == b'\n').count() as u64 - 1;
        if has_nul && lines_before() < last { Self::Binary("binary data") } else { Self::Text }
    }
}

/// Text of a byte order mark and UTF-16; what cannot be decoded becomes U+FFFD.
fn decode_utf16(bytes: &[u8]) -> String {
    let little = bytes.starts_with(b"\xff\xfe");
    let unit = |pair: &[u8]| match *pair {
        [low, high] if little => u16::from_le_bytes([low, high]),
        [high, low] => u16::from_be_bytes([high, low]),
        _ => 0xfffd,
    };
    let units: Vec<u16> = bytes.chunks(2).skip(1).map(unit).collect();
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{Session, make_fifo};
    use super::*;
    use crate::protocol::ToolStatus;

    #[tokio::test]
    async fn lines_are_numbered_and_their_ends_are_left_out() {
        let session = Session::with(&[("a.txt", "\u{feff}one\r\n\ttwo  \n\nfour")]);
        let result = session.run(&Read, &json!({"file_path": "a.txt"})).await;
        assert_eq!(result.content.to_text(), "1\tone\n2\t\ttwo  \n3\t\n4\tfour");
        assert_eq!(result.display, Display::Line("4 lines".to_owned()));
        let part =
            session.told(&Read, json!({"path": session.path("a.txt"), "offset": "2", "limit": 1.0})).await;
        assert_eq!(part, "2\t\ttwo  \n\n[lines 2-2 of 4; use offset=3 to read on]");
        assert_eq!(session.told(&Read, json!({"path": "a.txt", "offset": 4})).await, "4\tfour");
    }

    #[tokio::test]
    async fn a_long_file_is_cut_and_says_how_to_read_on() {
        let session = Session::new();
        let lines: Vec<String> = (1..=2500).map(|number| number.to_string()).collect();
        session.write("lines", lines.join("\n"));
        let text = session.told(&Read, json!({"file_path": "lines"})).await;
        assert!(text.ends_with("2000\t2000\n\n[lines 1-2000 of 2,500; use offset=2001 to read on]"));
        session.write("wide", "x".repeat(3000) + &format!("\n{}", "y".repeat(1500)).repeat(100));
        let text = session.told(&Read, json!({"file_path": "wide"})).await;
        assert!(text.starts_with(&format!("1\t{}… [line cut: 2.9 KB in all]\n2\tyyy", "x".repeat(2000))));
        assert!(text.len() <= clip::RESULT.bytes && text.ends_with(" of 101; use offset=34 to read on]"));
    }

    #[tokio::test]
    async fn an_empty_file_and_a_place_beyond_the_end_are_told() {
        let session = Session::with(&[("empty", ""), ("two", "1\n2\n")]);
        assert_eq!(session.told(&Read, json!({"file_path": "empty"})).await, "[the file is empty]");
        let error = session.error(&Read, json!({"file_path": "two", "offset": 9})).await;
        assert_eq!(error, "Error: two has 2 lines: offset 9 is beyond its end");
        assert_eq!(
            session.told(&Read, json!({"file_path": "two", "offset": 0, "limit": 0})).await,
            "1\t1\n2\t2"
        );
    }

    #[tokio::test]
    async fn what_is_no_text_file_is_refused_at_once() {
        let session = Session::with(&[("png", "x"), ("nul", "a\0b"), ("main.rs", "")]);
        session.write("png", b"\x89PNG\r\n\x1a\n....");
        make_fifo(&session.path("fifo"));
        let check = async |path: &str, expected: &str| {
            let error = session.error(&Read, json!({"file_path": path})).await;
            assert!(error.contains(expected), "{error}");
        };
        check("png", "png is not a text file but a PNG image").await;
        check("nul", "binary data").await;
        check("fifo", "it is a named pipe").await;
        check("/dev/zero", "it is a device").await;
        check(".", ". is a directory: list it with Glob").await;
        check("mian.rs", "mian.rs does not exist. Did you mean main.rs?").await;
    }

    #[tokio::test]
    async fn other_encodings_are_shown_with_a_note() {
        let session = Session::new();
        session.write("latin", b"caf\xe9\nx\n");
        let text = session.told(&Read, json!({"file_path": "latin"})).await;
        assert_eq!(
            text,
            "1\tcaf\u{fffd}\n2\tx\n\n[not all of it is UTF-8: other bytes are shown as \u{fffd}]"
        );
        session.write("utf16", b"\xff\xfea\0\n\0\xe4\0\n\0");
        let text = session.told(&Read, json!({"file_path": "utf16"})).await;
        assert_eq!(text, "1\ta\n2\t\u{e4}\n\n[the file is UTF-16; Edit cannot change it]");
        session.write("long", "\u{e4}".repeat(5000));
        assert!(!session.told(&Read, json!({"file_path": "long"})).await.contains("UTF-8"));
    }

    #[tokio::test]
    async fn a_huge_file_is_looked_at_at_once() {
        let session = Session::new();
        session.write("huge", "first\nsecond\n");
        // a sparse file: the rest is one line of NUL bytes
        File::options().write(true).open(session.path("huge")).unwrap().set_len(5 << 30).unwrap();
        let error = session.error(&Read, json!({"file_path": "huge"})).await;
        assert!(error.contains("binary data"), "{error}");
        let told = session.told(&Read, json!({"file_path": "huge", "limit": 2})).await;
        assert_eq!(told, "1\tfirst\n2\tsecond\n\n[lines 1-2; use offset=3 to read on]");
    }

    #[tokio::test]
    async fn a_cancelled_read_tells_nothing() {
        let session = Session::with(&[("a", "x")]);
        session.cancel.cancel();
        assert_eq!(session.run(&Read, &json!({"file_path": "a"})).await.status, ToolStatus::Interrupted);
    }
}
