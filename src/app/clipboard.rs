//! The clipboard of this machine, by way of the programs that have it: an image out of it, a text into it.
//!
//! A text goes to the terminal as well, which is the only way over a connection; here are the programs for those terminals that
//! take nothing. All is done beside the keys, and bytes go by way of private files, for what a program prints may be mixed with
//! what it complains of. The surprise: on X11 and Wayland a copied text is served by the program that took it, so that one is
//! kept, and ends with ours.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tempfile::NamedTempFile;

use super::App;
use crate::os::env::Env;
use crate::os::file::read_regular;
use crate::os::paths::{absolute, hex, led_home};
use crate::os::process::{Children, Exit, Running, Spawn};
use crate::text::image::ImageKind;
use crate::workbench::Workbench;
use crate::workbench::files::hash_of;

/// Whoever has the clipboard answers at once, or hangs.
const LIMIT: Duration = Duration::from_secs(5);
/// Larger images are taken by no endpoint.
const MOST: u64 = 20 * 1024 * 1024;
/// Standard output into the file; complaints to nobody.
const INTO_FILE: &str = "exec \"$@\" >\"$0\" 2>/dev/null";
/// The file as standard input; what the program leaves running must not hold our pipe.
const FROM_FILE: &str = "exec \"$@\" <\"$0\" >/dev/null 2>&1";
/// `AppleScript` takes the place of a program where there is none.
const APPLE: &str = "on run argv
set target to open for access POSIX file (item 1 of argv) with write permission
write (the clipboard as \u{ab}class PNGf\u{bb}) to target
close access target
end run";

/// The clipboard of this machine.
#[derive(Debug, Clone)]
pub struct Clipboard {
    env: Env,
    environment: Vec<(OsString, OsString)>,
    /// Whoever serves what was copied last.
    serving: Arc<Mutex<Option<Running>>>,
}

impl App {
    /// The clipboard of this machine.
    #[must_use]
    pub fn clipboard(&self) -> Clipboard {
        Clipboard {
            env: self.place.env.clone(),
            environment: self.child_environment(),
            serving: Arc::default(),
        }
    }

    /// The image that a pasted path names, as it is best written in a message. Looks at the file.
    pub fn image_finder(&self) -> impl FnOnce(&str) -> Option<String> + Send + 'static {
        let (cwd, home) = (self.place.cwd.clone(), self.place.env.path("HOME").map(Path::to_owned));
        move |typed| {
            let path = absolute(&cwd, &led_home(Path::new(typed), home.as_deref()));
            let is_image = path.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= MOST);
            let named = path.strip_prefix(&cwd).unwrap_or(&path).to_str()?.to_owned();
            (is_image && !named.contains('"')).then_some(named)
        }
    }
}

/// Keeps a pasted image beside the session, and says where.
///
/// # Errors
/// Where it cannot be written.
pub fn keep_image(bench: &Workbench, bytes: &[u8]) -> io::Result<PathBuf> {
    let kind = ImageKind::of(bytes)
        .ok_or_else(|| io::Error::other("not a supported image format (try PNG, JPEG, GIF or WebP)"))?;
    let hash = hex(&hash_of(bytes));
    let name = format!("pasted-{}.{}", hash.get(..32).unwrap_or_default(), kind.ending());
    bench.outputs().keep_file(&name, bytes)
}

impl Clipboard {
    /// The image that is in the clipboard.
    ///
    /// # Errors
    /// Where there is none, or nobody to ask: why, in a line.
    pub async fn image(&self) -> Result<Vec<u8>, String> {
        let file = self.file().map_err(|error| format!("cannot paste an image: {error}"))?;
        let children = Children::new();
        for argv in self.readers(file.path()) {
            if self
                .run(&children, INTO_FILE, file.path(), &argv)
                .await
                .is_some_and(|(went_well, _)| went_well)
                && let Ok(bytes) = read_regular(file.path(), MOST)
                && ImageKind::of(&bytes).is_some()
            {
                return Ok(bytes);
            }
        }
        Err("no image in the clipboard".to_owned())
    }

    /// Puts `text` into the clipboard, where a program of this machine can.
    pub async fn put(&self, text: &str) {
        let Ok(mut file) = self.file() else { return };
        if file.write_all(text.as_bytes()).is_err() {
            return;
        }
        let children = Children::new();
        for argv in self.writers() {
            let done = self.run(&children, FROM_FILE, file.path(), &argv).await;
            if let Some((true, running)) = done {
                *self.serving.lock().unwrap_or_else(PoisonError::into_inner) = Some(running);
                return;
            }
        }
    }

    /// Says whether it went well; none where it was never started or did not answer.
    async fn run(
        &self,
        children: &Children,
        script: &str,
        file: &Path,
        argv: &[&str],
    ) -> Option<(bool, Running)> {
        let words = ["/bin/sh", "-c", script].map(OsString::from).into_iter();
        let words = words.chain([file.as_os_str().to_owned()]).chain(argv.iter().map(OsString::from));
        let spawn = Spawn { env: self.environment.clone(), ..Spawn::new(words, "/") };
        let mut running = children.start(&spawn).ok()?;
        let finished = tokio::time::timeout(LIMIT, running.wait()).await.ok()?;
        Some((finished.exit == Exit::Code(0), running))
    }

    /// What gives an image, in the order in which it is tried.
    fn readers<'a>(&self, file: &'a Path) -> Vec<Vec<&'a str>> {
        let mut readers = Vec::new();
        if self.has("WAYLAND_DISPLAY") {
            readers
                .extend(ImageKind::ALL.map(|kind| vec!["wl-paste", "--no-newline", "--type", kind.mime()]));
        }
        if self.has("DISPLAY") {
            let xclip = ["xclip", "-selection", "clipboard", "-o", "-t"];
            readers.extend(ImageKind::ALL.map(|kind| [&xclip[..], &[kind.mime()]].concat()));
        }
        if cfg!(target_os = "macos") {
            readers.push(vec!["pngpaste", "-"]);
            readers.extend(file.to_str().map(|file| vec!["osascript", "-e", APPLE, file]));
        }
        readers
    }

    /// What takes a text, in the order in which it is tried.
    fn writers(&self) -> Vec<Vec<&'static str>> {
        let mut writers = Vec::new();
        if self.has("WAYLAND_DISPLAY") {
            writers.push(vec!["wl-copy"]);
        }
        if self.has("DISPLAY") {
            writers.push(vec!["xclip", "-selection", "clipboard", "-in"]);
            writers.push(vec!["xsel", "--clipboard", "--input"]);
        }
        if cfg!(target_os = "macos") {
            writers.push(vec!["pbcopy"]);
        }
        writers
    }

    fn has(&self, variable: &str) -> bool {
        self.env.get(variable).is_some_and(|value| !value.is_empty())
    }

    fn file(&self) -> io::Result<NamedTempFile> {
        let directory = self.env.path("TMPDIR").unwrap_or("/tmp".as_ref()).to_owned();
        tempfile::Builder::new().prefix("clawd-clipboard-").tempfile_in(directory)
    }
}
