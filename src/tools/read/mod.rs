//! Read: a window of a file's lines, numbered; an image as an image, a notebook as its cells.
//!
//! Memory does not grow with the file: lines before the window are passed over, a line longer than anyone reads is cut
//! as it comes. What can be shown in none of these ways is refused by its first bytes. The surprise: a file of moderate size
//! is read to its end although only a part is shown, as its hash is what a later edit is checked against.

use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use self::decode::Decoder;
use self::form::{Form, Kind};
use self::returns::Returns;
use self::source::Source;
use self::window::{After, LONGEST_LINE, LONGEST_LOOK, Oddity, Rest, Window};
use super::schema::{self, Param};
use super::target::Target;
use super::{Prepared, Scene, Tool, ToolResult, looking, previewing};
use crate::os::file::FileError;
use crate::os::paths::PathBase;
use crate::os::paths::hex;
use crate::protocol::{Access, Content, Display, Part, Preview, ToolSpec, ToolStatus};
use crate::text::clip;
use crate::text::image::ImageKind;
use crate::text::sanitize::hidden_note;
use crate::text::units;
use crate::workbench::Workbench;
use crate::workbench::files::hash_of;

mod decode;
mod directory;
mod form;
mod image;
mod notebook;
mod returns;
mod source;
mod window;

/// Lines shown at once; the contract's limit of a result.
const MOST_LINES: u64 = clip::RESULT.lines as u64;
/// Larger images are refused by most endpoints (5 to 20 MB), and not sent here.
const MOST_IMAGE: u64 = 5 * 1024 * 1024;

const PATH: Param =
    Param::text("file_path", "absolute or relative path").or(&["path", "filePath", "file", "filename"]);
const OFFSET: Param =
    Param::integer("offset", "first line to read, from 1").or(&["start_line", "line_offset"]);
const LIMIT: Param = Param::integer("limit", "number of lines, default 2000").or(&["max_lines", "n_lines"]);

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct Read;

impl Tool for Read {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Read".into(),
            description: "Read a file: up to 2000 lines or 50 KB, each line after its number and a tab. Also images (PNG, JPEG, GIF, WebP, up \
         to 5 MB) and notebooks.{{Glob: For directories use Glob.}}".into(),
            parameters: schema::object(&[PATH], &[OFFSET, LIMIT]),
            parallel: true,
        }
    }

    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String> {
        let target = Target::read(&PATH.need_some(arguments)?, base)?;
        // 0 means "not set" to models that fill in every parameter
        let first = OFFSET.number(arguments).map_err(from_one)?.unwrap_or(1).max(1);
        let limit = LIMIT.number(arguments)?.filter(|limit| *limit > 0).unwrap_or(MOST_LINES).min(MOST_LINES);
        Ok(Box::new(Call { target, first, limit }))
    }
}

/// Some models ask for the end of a file by a number below 0.
fn from_one(error: String) -> String {
    error + " (lines count from 1; Bash with `tail` shows the end of a file)"
}

#[derive(Debug, Clone)]
struct Call {
    target: Target,
    first: u64,
    limit: u64,
}

impl Prepared for Call {
    fn access(&self) -> Access {
        Access::Read(vec![self.target.access()])
    }

    fn preview<'a>(&'a self, bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
        let (target, bench) = (self.target.clone(), Arc::clone(bench));
        Box::pin(previewing(move || match target.resolved.symlink_metadata() {
            Ok(_) => Ok(Preview::Text(format!("Read {}", target.path.display()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(target.missing_in(&bench)),
            Err(error) => Err(format!("Error: cannot read {}: {error}", target.shown)),
        }))
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
        let opened = self.target.pinned().and_then(|file| file.open());
        let (file, meta) = opened.map_err(|error| self.refusal(&error, bench))?;
        let size = meta.len();
        let mut source = Source::new(file, meta, cancel);
        let last = self.first.saturating_add(self.limit) - 1;
        let form = Form::of(source.fill_buf().map_err(|error| self.failed(&error))?, last);
        let result = match form {
            Form::Binary(kind) => return Err(self.not_text(kind, size)),
            Form::Image(kind) => self.image(kind, size, &mut source, bench)?,
            Form::Encoded(encoding) => {
                let note = format!("[the file is {}, shown decoded]", encoding.name());
                let rest = source.rest();
                self.lines(BufReader::new(Decoder::new(&mut source, encoding)), rest, size, vec![note])?
            }
            Form::Text if notebook::is_named(&self.target.path) && size <= notebook::MOST_BYTES => {
                self.notebook(&mut source, size)?
            }
            Form::Text => {
                let rest = source.rest();
                self.lines(&mut source, rest, size, Vec::new())?
            }
        };
        bench.files().note(&self.target.resolved, source.stamp());
        bench.guides().meet(&self.target.resolved, bench.root());
        Ok(result)
    }

    /// The window of `text`, which stands in a file of `size` bytes, with notes.
    fn lines(
        &self,
        mut text: impl BufRead,
        rest: Rest,
        size: u64,
        mut notes: Vec<String>,
    ) -> Result<ToolResult, String> {
        let failed = |error: io::Error| self.failed(&error);
        let has_returns_only = returns::has_returns_only(text.fill_buf().map_err(failed)?);
        let window = if has_returns_only {
            notes.push("[its lines end in a carriage return (CR) alone, which Edit preserves]".to_owned());
            Window::read(BufReader::new(Returns(text)), self.first, self.limit, rest)
        } else {
            Window::read(text, self.first, self.limit, rest)
        };
        let window = window.map_err(failed)?;
        if window.shown == 0 && (self.first > 1 || window.total != Some(0)) {
            return Err(self.beyond(&window));
        }
        notes.extend(window.oddities.iter().map(|oddity| told_of(*oddity)));
        notes.extend(hidden_note(&window.body()));
        notes.extend(self.onward(&window, size));
        Ok(self.told(&window, &notes))
    }

    /// How to read on.
    fn onward(&self, window: &Window, size: u64) -> Option<String> {
        let (first, last) = (self.first, self.last(window));
        let next = last + 1;
        let of = window.total.map_or_else(|| format!("a file of {}", units::bytes(size)), units::count);
        match window.after {
            After::Nothing => None,
            After::Lines => Some(format!("[lines {first}-{last} of {of}; use offset={next} to read on]")),
            After::RestOfLine => Some(format!(
                "[lines {first}-{last} of {of}; the end of line {last} was not looked for, as it is over {}; \
                 use offset={next} to read on]",
                units::bytes(LONGEST_LOOK)
            )),
        }
    }

    fn last(&self, window: &Window) -> u64 {
        self.first + window.shown.saturating_sub(1)
    }

    fn told(&self, window: &Window, notes: &[String]) -> ToolResult {
        let (first, last) = (self.first, self.last(window));
        let display = if window.after == After::Nothing && first == 1 {
            units::counted(window.shown, "line", "lines")
        } else {
            let of = window.total.map(|total| format!(" of {}", units::count(total))).unwrap_or_default();
            format!("lines {first}-{last}{of}")
        };
        let body = if window.shown == 0 { "[the file is empty]".to_owned() } else { window.body() };
        let mut result = ToolResult::success(body, Display::Line(display));
        if !notes.is_empty() {
            // a part of its own: the lines alone may be as many as a part may have
            result.content.0.push(Part::Text(notes.join("\n").into()));
        }
        result
    }

    /// The cells; what is no notebook in spite of its name is shown as it stands.
    fn notebook(&self, source: &mut Source, size: u64) -> Result<ToolResult, String> {
        let bytes = source.all().map_err(|error| self.failed(&error))?;
        match notebook::shown(&bytes) {
            Some(cells) => {
                let note = "[cells of a notebook, lines counted in this view; Edit works on the JSON in the file, which \
                            Grep shows]";
                self.lines(cells.as_bytes(), Rest::Count, size, vec![note.to_owned()])
            }
            None => self.lines(bytes.as_slice(), Rest::Count, size, Vec::new()),
        }
    }

    /// A copy of the image beside the session, so that it is the same in every later request.
    fn image(
        &self,
        kind: ImageKind,
        size: u64,
        source: &mut Source,
        bench: &Workbench,
    ) -> Result<ToolResult, String> {
        let (shown, named) = (&self.target.shown, kind.name());
        if size > MOST_IMAGE {
            return Err(format!(
                "Error: {shown} is a {named} image of {}, over the limit of {}: make it smaller with Bash (as `magick FILE \
                 -resize 50% small.png`) and Read that",
                units::bytes(size),
                units::bytes(MOST_IMAGE)
            ));
        }
        let bytes = source.all().map_err(|error| self.failed(&error))?;
        let Some(image::Size { width, height }) = image::size(kind, &bytes) else {
            return Err(format!(
                "Error: {shown} begins as a {named} image but is broken or cut off, so it cannot be shown"
            ));
        };
        let hash = hex(&hash_of(&bytes));
        let name = format!("image-{}.{}", hash.get(..32).unwrap_or_default(), kind.ending());
        let file = bench
            .outputs()
            .keep(&name, &bytes)
            .map_err(|error| format!("Error: cannot save a copy of the image {shown}: {error}"))?;
        let about =
            format!("{named} image, {width}\u{d7}{height} pixels, {}", units::bytes(bytes.len() as u64));
        let image = Part::Image { file, mime: kind.mime().to_owned(), width, height };
        Ok(ToolResult {
            status: ToolStatus::Success,
            content: Content(vec![Part::Text(format!("{shown}: {about}").into()), image]),
            display: Display::Line(about),
        })
    }

    fn refusal(&self, error: &FileError, bench: &Workbench) -> String {
        if self.target.resolved.is_dir() {
            let veil = bench.veil();
            let is_veiled = |path: &Path| veil.as_ref().is_some_and(|veil| veil(path));
            let listing = directory::listing(&self.target.resolved, &is_veiled);
            return format!("Error: {} is a directory{listing}", self.target.shown);
        }
        if error.io_kind() == Some(io::ErrorKind::NotFound) {
            return self.target.missing_in(bench);
        }
        self.target.unreadable(error)
    }

    fn not_text(&self, kind: &Kind, size: u64) -> String {
        let (shown, size) = (&self.target.shown, units::bytes(size));
        format!(
            "Error: {shown} is not text but {} ({size}), which Read cannot show: use Bash, as `{}`",
            kind.name, kind.shown_by
        )
    }

    fn failed(&self, error: &io::Error) -> String {
        format!("Error: cannot read {}: {error}", self.target.shown)
    }

    fn beyond(&self, window: &Window) -> String {
        let total = units::counted(window.total.unwrap_or_default(), "line", "lines");
        format!("Error: {} has {total}: offset {} is beyond its end", self.target.shown, self.first)
    }
}

fn told_of(oddity: Oddity) -> String {
    match oddity {
        Oddity::Cut { line } => format!(
            "[lines are cut at {} characters; Bash shows more, as `sed -n {line}p FILE | cut -c{}-{}`]",
            units::count(LONGEST_LINE as u64),
            LONGEST_LINE + 1,
            2 * LONGEST_LINE
        ),
        Oddity::NotUtf8 => {
            "[not all of it is UTF-8: other bytes are shown as \u{fffd}, and Edit leaves them as they are; \
                            `iconv -f ENCODING FILE` with Bash decodes them]"
                .to_owned()
        }
        Oddity::Nul => "[NUL characters are shown as \u{2400}]".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use serde_json::json;

    use super::super::testing::{Session, make_fifo};
    use super::image::tests::PNG;
    use super::*;

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
    async fn a_carriage_return_ends_a_line_where_there_is_no_line_feed() {
        let session = Session::new();
        let note = "\n\n[its lines end in a carriage return (CR) alone, which Edit preserves]";
        let utf16: Vec<u8> = "\u{feff}one\rtwo\r".encode_utf16().flat_map(u16::to_le_bytes).collect();
        session.write("mac", "\u{feff}one\rtwo\r\rfour");
        session.write("wide", utf16);
        session.write("mixed", "one\rtwo\nthree\r\n");
        assert_eq!(
            session.told(&Read, json!({"path": "mac"})).await,
            format!("1\tone\n2\ttwo\n3\t\n4\tfour{note}")
        );
        let wide = session.told(&Read, json!({"path": "wide"})).await;
        assert!(wide.starts_with("1\tone\n2\ttwo\n") && wide.ends_with(note.trim_start()), "{wide}");
        let second = session.told(&Read, json!({"path": "mac", "offset": 2, "limit": 1})).await;
        assert!(second.starts_with("2\ttwo\n"), "{second}");
        assert_eq!(session.told(&Read, json!({"path": "mixed"})).await, "1\tone\rtwo\n2\tthree");
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
        let notes = "\n\n[lines are cut at 2,000 characters; Bash shows more, as `sed -n 1p FILE | cut -c2001-4000`]\n\
                     [lines 1-33 of 101; use offset=34 to read on]";
        assert!(text.len() <= clip::RESULT.bytes && text.ends_with(notes), "{text}");
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
        let arguments = json!({"file_path": "two", "offset": -1});
        let error = Read.prepare(arguments.as_object().unwrap(), session.bench.path_base()).err().unwrap();
        assert!(
            error.starts_with("Error: `offset` must be a whole number") && error.contains("`tail`"),
            "{error}"
        );
    }

    #[tokio::test]
    async fn what_cannot_be_shown_is_refused_at_once_with_what_would_show_it() {
        let session = Session::with(&[("doc.pdf", "%PDF-1.7\n"), ("nul", "a\0b"), ("main.rs", "")]);
        make_fifo(&session.path("fifo"));
        let check = async |path: &str, expected: &str| {
            let error = session.error(&Read, json!({"file_path": path})).await;
            assert!(error.contains(expected), "{error}");
        };
        check(
            "doc.pdf",
            "doc.pdf is not text but a PDF document (9 B), which Read cannot show: use Bash, as `pdftotext -layout FILE -`",
        )
        .await;
        check("nul", "nul is not text but binary data (3 B)").await;
        check("fifo", "it is a named pipe").await;
        check("/dev/zero", "it is a device").await;
        check("mian.rs", "mian.rs does not exist. Did you mean main.rs?").await;
    }

    #[tokio::test]
    async fn a_directory_is_refused_with_what_it_holds() {
        let session = Session::with(&[("a.txt", ""), ("sub/b.txt", "")]);
        let error = session.error(&Read, json!({"file_path": "."})).await;
        assert_eq!(error, "Error: . is a directory, not a file; it has 2 entries:\na.txt\nsub/");
        session.bench.set_veils(Arc::new(|| Arc::new(|path| path.ends_with("b.txt"))));
        let error = session.error(&Read, json!({"file_path": "sub"})).await;
        assert_eq!(error, "Error: sub is a directory, and empty");
        for number in 0..150 {
            session.write(&format!("many/{number:03}"), "");
        }
        let error = session.error(&Read, json!({"file_path": "many"})).await;
        assert!(error.starts_with("Error: many is a directory, not a file; it has 150 entries:\n000\n001\n"));
        assert!(error.ends_with("\n099\n… 50 more: list them with Glob"), "{error}");
    }

    #[tokio::test]
    async fn other_encodings_are_shown_with_a_note() {
        let session = Session::new();
        let check = async |bytes: &[u8], expected: &str| {
            session.write("file", bytes);
            assert_eq!(session.told(&Read, json!({"file_path": "file"})).await, expected);
        };
        let latin = "[not all of it is UTF-8: other bytes are shown as \u{fffd}, and Edit leaves them as they are; \
                     `iconv -f ENCODING FILE` with Bash decodes them]";
        check(b"caf\xe9\nx\n", &format!("1\tcaf\u{fffd}\n2\tx\n\n{latin}")).await;
        check(b"\xc4\xe3\n", &format!("1\t\u{fffd}\u{fffd}\n\n{latin}")).await;
        let utf16 = "[the file is UTF-16, shown decoded]";
        check(b"\xff\xfea\0\r\0\n\0\xe4\0\n\0", &format!("1\ta\n2\t\u{e4}\n\n{utf16}")).await;
        check(b"\xfe\xff\0a\0\n", &format!("1\ta\n\n{utf16}")).await;
        check(b"\xff\xfe\0\0a\0\0\0\n\0\0\0", "1\ta\n\n[the file is UTF-32, shown decoded]").await;
        let stray = "a line\n".repeat(20) + "\0\n";
        session.write("file", stray);
        let told = session.told(&Read, json!({"file_path": "file", "offset": 20})).await;
        assert_eq!(told, "20\ta line\n21\t\u{2400}\n\n[NUL characters are shown as \u{2400}]");
        session.write("long", "\u{e4}".repeat(5000));
        assert!(!session.told(&Read, json!({"file_path": "long"})).await.contains("UTF-8"));
    }

    #[tokio::test]
    async fn an_image_is_shown_as_one_and_kept_beside_the_session() {
        let session = Session::new();
        session.write("shot.txt", PNG);
        let result = session.run(&Read, &json!({"file_path": "shot.txt", "offset": 5})).await;
        assert_eq!(result.display, Display::Line("PNG image, 1\u{d7}1 pixels, 67 B".to_owned()));
        let [Part::Text(text), Part::Image { file, mime, width: 1, height: 1 }] = result.content.0.as_slice()
        else {
            panic!("{result:?}");
        };
        assert_eq!(
            (text.as_str(), mime.as_str()),
            ("shot.txt: PNG image, 1\u{d7}1 pixels, 67 B", "image/png")
        );
        assert_eq!(std::fs::read(file).unwrap(), PNG);
        let known = session.bench.files().check(&session.path("shot.txt"), &crate::workbench::Stamp::of(PNG));
        assert_eq!(known, Ok(()));
    }

    #[tokio::test]
    async fn an_image_that_cannot_be_sent_is_refused() {
        let session = Session::with(&[("text.png", "no image")]);
        session.write("cut.png", &PNG[..40]);
        session.write("large.png", PNG);
        let large = File::options().write(true).open(session.path("large.png")).unwrap();
        large.set_len(MOST_IMAGE + 1).unwrap();
        assert_eq!(session.told(&Read, json!({"file_path": "text.png"})).await, "1\tno image");
        let error = session.error(&Read, json!({"file_path": "cut.png"})).await;
        assert!(error.contains("begins as a PNG image but is broken or cut off"), "{error}");
        let error = session.error(&Read, json!({"file_path": "large.png"})).await;
        assert!(
            error.starts_with("Error: large.png is a PNG image of 5 MB, over the limit of 5 MB: "),
            "{error}"
        );
    }

    #[tokio::test]
    async fn a_notebook_is_shown_as_cells_and_a_broken_one_as_it_stands() {
        let cells = json!({"cells": [{"cell_type": "code", "source": ["a\n", "b"], "outputs": []}]});
        let session = Session::with(&[("a.ipynb", &cells.to_string()), ("b.ipynb", "{\"cells\": [")]);
        let note = "[cells of a notebook, lines counted in this view; Edit works on the JSON in the file, which Grep shows]";
        assert_eq!(
            session.told(&Read, json!({"file_path": "a.ipynb", "offset": 2, "limit": 2})).await,
            format!("2\t--- cell 1: code\n3\ta\n\n{note}\n[lines 2-3 of 4; use offset=4 to read on]")
        );
        assert_eq!(session.told(&Read, json!({"file_path": "b.ipynb"})).await, "1\t{\"cells\": [");
    }

    #[tokio::test]
    async fn a_huge_file_is_looked_at_at_once() {
        let session = Session::new();
        let lengthen = |name: &str| {
            File::options().write(true).open(session.path(name)).unwrap().set_len(5 << 30).unwrap();
        };
        session.write("huge", "first\nsecond\n");
        // a sparse file: the rest is one line of NUL bytes
        lengthen("huge");
        let error = session.error(&Read, json!({"file_path": "huge"})).await;
        assert!(error.contains("binary data (5 GB)"), "{error}");
        let told = session.told(&Read, json!({"file_path": "huge", "limit": 2})).await;
        assert_eq!(told, "1\tfirst\n2\tsecond\n\n[lines 1-2 of a file of 5 GB; use offset=3 to read on]");
        session.write("line", "x".repeat(9000));
        lengthen("line");
        let told = session.told(&Read, json!({"file_path": "line"})).await;
        assert!(
            told.starts_with("1\txxx") && told.contains("the end of line 1 was not looked for"),
            "{told}"
        );
    }

    #[tokio::test]
    async fn a_cancelled_read_tells_nothing() {
        let session = Session::with(&[("a", "x")]);
        session.cancel.cancel();
        assert_eq!(session.run(&Read, &json!({"file_path": "a"})).await.status, ToolStatus::Interrupted);
    }
}
