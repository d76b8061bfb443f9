//! The same stories in tmux: this test binary starts itself inside a pane, and reads the pane's history afterwards.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clawd::tui::screen::Rewrap;
use ratatui::layout::Size;
use rustix::termios::{OptionalActions, tcgetattr, tcgetwinsize, tcsetattr};

use super::judge::judge_lines;
use super::stage::{Ground, Stage, tell, tell_with_pauses};
use super::story::{START, lines, scripts};
use super::{LINES, LINES_WITH_PAUSES, all_right, env};
use crate::watched::DEADLINE;

/// Set inside the pane to `<session>/<telling>/<script>`.
const STORY: &str = "CLAWD_TEST_STREAM";

/// Names the programs that must be there, separated by commas: without them a test fails where it else would pass.
const REQUIRE: &str = "CLAWD_TEST_REQUIRE";

const WHILE_STREAMING: &str = "streaming";
const AT_REST: &str = "resting";

/// Stories that are told at once. More than a small machine can tell in time fill the pane's buffer, and then a resize may fall
/// into the middle of a frame, which no terminal makes whole again.
const AT_ONCE: usize = 4;
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

#[test]
fn tmux_shows_every_line_once() {
    gate(Ground::Shell, WHILE_STREAMING, LINES);
}

#[test]
fn tmux_shows_every_line_once_from_a_cleared_screen() {
    gate(Ground::Cleared, WHILE_STREAMING, LINES);
}

#[test]
fn tmux_shows_every_line_once_when_resized_at_rest() {
    gate(Ground::Shell, AT_REST, LINES_WITH_PAUSES);
}

/// Not a test of its own: what runs inside the pane. Elsewhere there is nothing to do.
#[test]
fn stream_into_terminal() {
    let Some(story) = env(STORY) else { return };
    let mut parts = story.split('/');
    let (session, telling, name) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
    let script = scripts().into_iter().find(|script| script.name == name).unwrap();
    let mut pane = Pane::open(session);
    match telling {
        WHILE_STREAMING => tell(&mut pane, Rewrap::Follows, &script, LINES),
        AT_REST => tell_with_pauses(&mut pane, Rewrap::Follows, &script, LINES_WITH_PAUSES),
        other => panic!("no telling is called {other}"),
    }
}

/// Whether there is a tmux. Where there must be one, its lack fails the test.
#[expect(clippy::print_stdout, reason = "what was not run is said, never passed over")]
pub(crate) fn is_there() -> bool {
    if tmux_command(Path::new("unused")).arg("-V").output().is_ok() {
        return true;
    }
    assert!(!env(REQUIRE).unwrap_or_default().contains("tmux"), "tmux is required and not installed");
    println!("not run: tmux is not installed");
    false
}

fn gate(ground: Ground, telling: &str, count: usize) {
    if !is_there() {
        return;
    }
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let server = Server::start();
    let mut verdicts = Vec::new();
    for some in scripts().into_iter().enumerate().collect::<Vec<_>>().chunks(AT_ONCE) {
        for (index, script) in some {
            server.tell(*index, ground, &format!("s{index}/{telling}/{}", script.name));
        }
        verdicts.extend(some.iter().map(|(index, script)| {
            let verdict = judge_lines(&server.history(*index), &lines(count));
            (format!("{} {}", script.name, server.complaints(*index)), verdict)
        }));
    }
    all_right(verdicts.into_iter());
}

/// A tmux server of our own, with its socket in a directory of its own; both end with this value.
pub(crate) struct Server {
    dir: tempfile::TempDir,
}

impl Server {
    pub(crate) fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("conf"), "set -g history-limit 50000\nset -g status off\n").unwrap();
        Self { dir }
    }

    /// Starts a telling in a session of its own.
    fn tell(&self, index: usize, ground: Ground, story: &str) {
        let file = |name: &str| self.dir.path().join(format!("{name}{index}")).display().to_string();
        std::fs::write(file("ground"), ground.text()).unwrap();
        let program = std::env::current_exe().unwrap().display().to_string();
        let (_crate, test) = std::any::type_name_of_val(&stream_into_terminal).split_once("::").unwrap();
        let script = format!(
            "cat '{}'; {STORY}='{story}' '{program}' --exact {test} >'{}' 2>&1; tmux wait-for -S s{index}; cat",
            file("ground"),
            file("log"),
        );
        let (width, height) = (START.width.to_string(), START.height.to_string());
        self.run(&[
            "new-session",
            "-d",
            "-s",
            &format!("s{index}"),
            "-x",
            &width,
            "-y",
            &height,
            "sh",
            "-c",
            &script,
        ]);
    }

    /// Waits for the telling's end and reads all that its pane holds, as logical lines.
    fn history(&self, index: usize) -> Vec<String> {
        self.run(&["wait-for", &format!("s{index}")]);
        let text = self.run(&["capture-pane", "-p", "-J", "-S", "-", "-t", &format!("s{index}")]);
        text.lines().map(str::to_owned).collect()
    }

    fn complaints(&self, index: usize) -> String {
        std::fs::read_to_string(self.dir.path().join(format!("log{index}"))).unwrap_or_default()
    }

    /// Waits until a session's screen is as the test wants it; tmux tells nobody of a change.
    pub(crate) fn wait_for(&self, session: &str, wanted: impl Fn(&str) -> bool) {
        let end = Instant::now() + DEADLINE;
        loop {
            let shown = self.run(&["capture-pane", "-p", "-t", session]);
            if wanted(&shown) {
                return;
            }
            assert!(Instant::now() < end, "waited {DEADLINE:?}\n{shown}");
            pause(Duration::from_millis(5));
        }
    }

    /// A command of tmux; gives what it prints.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        let conf = self.dir.path().join("conf");
        let output = tmux_command(&self.dir.path().join("socket"))
            .arg("-f")
            .arg(conf)
            .args(arguments)
            .output()
            .unwrap();
        assert!(output.status.success(), "tmux {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.run(&["kill-server"]);
    }
}

/// The pane from inside.
struct Pane {
    terminal: File,
    session: String,
    wanted: Size,
    resizers: Vec<Child>,
}

impl Pane {
    fn open(session: &str) -> Self {
        let terminal = File::options().read(true).write(true).open("/dev/tty").unwrap();
        let mut raw = tcgetattr(&terminal).unwrap();
        raw.make_raw();
        tcsetattr(&terminal, OptionalActions::Now, &raw).unwrap();
        Self { terminal, session: session.to_owned(), wanted: START, resizers: Vec::new() }
    }
}

impl Stage for Pane {
    fn pass(&mut self) {
        // four times as fast as the model in the story
        pause(Duration::from_micros(500));
    }

    fn resize(&mut self, size: Size) {
        let (width, height) = (size.width.to_string(), size.height.to_string());
        let resize = ["resize-window", "-t", &self.session, "-x", &width, "-y", &height];
        self.wanted = size;
        self.resizers.push(inside_tmux().args(resize).stdout(Stdio::null()).spawn().unwrap());
    }

    fn settle(&mut self) {
        for mut resizer in self.resizers.drain(..) {
            assert!(resizer.wait().unwrap().success());
        }
        while self.size() != self.wanted {
            pause(Duration::from_millis(1));
        }
        // an answer to a question comes when all before it has been read
        self.terminal.write_all(b"\x1b[6n").unwrap();
        let mut answer = [0];
        while answer != *b"R" {
            self.terminal.read_exact(&mut answer).unwrap();
        }
    }

    fn size(&self) -> Size {
        let size = tcgetwinsize(&self.terminal).unwrap();
        Size::new(size.ws_col, size.ws_row)
    }

    fn write(&mut self, bytes: Vec<u8>) {
        self.terminal.write_all(&bytes).unwrap();
    }
}

/// The pace of the stream, which is what is being tested; nothing is waited for by time alone.
fn pause(time: Duration) {
    rustix::event::poll(&mut [], Some(&time.try_into().unwrap())).unwrap();
}

fn tmux_command(socket: &Path) -> Command {
    let mut tmux = inside_tmux();
    tmux.arg("-u").arg("-S").arg(socket).env_remove("TMUX");
    tmux
}

#[expect(clippy::disallowed_methods, reason = "a test starts tmux by itself")]
fn inside_tmux() -> Command {
    Command::new("tmux")
}
