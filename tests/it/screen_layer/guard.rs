//! The terminal is given back whatever happens: this test binary starts itself in a pseudo-terminal and dies there.

use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::thread;

use clawd::tui::screen::{Frame, Pace, Reach, Rewrap, Screen};
use clawd::tui::terminal::{Multiplexer, Terminal, panicked, restore};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use ratatui::layout::Size;
use ratatui::text::Line;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::stdout;
use rustix::termios::{LocalModes, tcgetattr};

use super::emulators::{Alacritty, Emulator};
use super::env;

/// Set inside the pseudo-terminal to what is to happen there.
const FATE: &str = "CLAWD_TEST_GUARD";

const SIZE: Size = Size::new(80, 24);

#[test]
fn a_panic_in_any_thread_gives_the_terminal_back_before_it_is_reported() {
    let mut pty = Pty::start("panic");
    let mut output = Vec::new();
    // a terminal whose last program has ended reads as an error, not as an end
    pty.master.try_clone_reader().unwrap().read_to_end(&mut output).ok();
    assert!(pty.child.wait().unwrap().success(), "{}", String::from_utf8_lossy(&output));
    assert!(pty.is_cooked());
    let mut screen = Alacritty::new(SIZE);
    screen.feed(&output);
    let shown = screen.text().join("\n");
    assert!(shown.contains("one that was thrown"), "{shown}");
    assert!(!shown.contains("a live row"), "{shown}");
    for undone in ["\x1b[?2004l", "\x1b[?1004l", "\x1b[<u", "\x1b[>4;0m", "\x1b[?25h"] {
        assert_eq!(String::from_utf8_lossy(&output).matches(undone).count(), 1, "{undone:?} once");
    }
}

#[test]
fn a_writer_that_is_stuck_cannot_keep_the_terminal() {
    let mut pty = Pty::start("stuck");
    // nobody reads what the program writes
    assert!(pty.child.wait().unwrap().success());
    assert!(pty.is_cooked());
}

/// Not a test of its own: what runs inside the pseudo-terminal. Elsewhere there is nothing to do.
#[test]
fn hold_the_terminal() {
    match env(FATE).as_deref() {
        None => {}
        Some("panic") => tokio::runtime::Runtime::new().unwrap().block_on(see_a_panic()),
        Some("stuck") => be_stuck(),
        Some(other) => panic!("there is no fate called {other}"),
    }
}

async fn see_a_panic() {
    let terminal = Terminal::enter(Multiplexer::Tmux).unwrap();
    assert_eq!(terminal.size(), SIZE);
    let mut bytes = Vec::new();
    let mut screen = Screen::new(Rewrap::Unknown);
    let live = vec![Line::raw("a live row"); 3];
    let frame =
        Frame { history: Vec::new(), live, cursor: None, pace: Pace::Rest, size: SIZE, reach: Reach::Half };
    screen.frame(&frame, &mut bytes);
    terminal.write(&bytes, screen.rows_above()).unwrap();
    thread::spawn(|| panic!("one that was thrown")).join().unwrap_err();
    panicked().await;
    assert!(terminal.write(b"a live row drawn too late", 0).is_err());
}

#[expect(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "a test's report would be written to the terminal that nobody reads"
)]
fn be_stuck() {
    let terminal = Terminal::enter(Multiplexer::Other).unwrap();
    thread::spawn(move || terminal.write(&[b'x'; 10_000].repeat(100), 0));
    let full = || poll(&mut [PollFd::new(&stdout(), PollFlags::OUT)], Some(&Timespec::default())) == Ok(0);
    while !full() {
        thread::yield_now();
    }
    restore();
    std::process::exit(0);
}

struct Pty {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    name: PathBuf,
}

impl Pty {
    fn start(fate: &str) -> Self {
        let size = PtySize { rows: SIZE.height, cols: SIZE.width, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let (_crate, test) = std::any::type_name_of_val(&hold_the_terminal).split_once("::").unwrap();
        let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
        command.args(["--exact", test, "--nocapture"]);
        command.env(FATE, fate);
        let child = pair.slave.spawn_command(command).unwrap();
        Self { name: pair.master.tty_name().unwrap(), master: pair.master, child }
    }

    /// Whether the terminal echoes and edits lines, as a shell wants it.
    fn is_cooked(&self) -> bool {
        let modes = tcgetattr(File::open(&self.name).unwrap()).unwrap().local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    }
}
