//! The program in GNU screen: a long answer through resizes, a paste that comes without brackets, and what stands in the history.
//!
//! That nothing is missing there is a row of `lacks`. The surprise: GNU screen is asked for its history by another of its own
//! processes, which answers when it likes, so it is asked until the last line is there.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use super::lacks::is_there;
use super::{say, wait_for_rest};
use crate::endpoint::{Answer, Endpoint, Gate, text};
use crate::harness::Clawd;
use crate::pty::{Pty, Size};
use crate::watched::DEADLINE;

/// A GNU screen of our own, with one window; it ends with this value.
struct Screen {
    sockets: PathBuf,
    history: PathBuf,
    pty: Pty,
}

impl Screen {
    /// The window runs this script.
    fn open(clawd: &Clawd, script: &str) -> Self {
        let (sockets, conf) = (clawd.home().join("sockets"), clawd.home().join("conf"));
        fs::create_dir(&sockets).unwrap();
        fs::set_permissions(&sockets, Permissions::from_mode(0o700)).unwrap();
        fs::write(&conf, "startup_message off\ndefscrollback 5000\naltscreen on\n").unwrap();
        let clawd = clawd.clone().program("screen").env("SCREENDIR", sockets.to_str().unwrap());
        let clawd = clawd.args(["-U", "-c", conf.to_str().unwrap(), "-S", "t", "sh", "-c", script]);
        let history = clawd.home().join("history");
        Self { sockets, history, pty: Pty::spawn(&clawd, Size::new(80, 24)) }
    }

    #[expect(clippy::disallowed_methods, reason = "a test talks to GNU screen by itself")]
    fn tell(&self, words: &[&str]) {
        let told = Command::new("screen")
            .args(["-S", "t", "-X"])
            .args(words)
            .env("SCREENDIR", &self.sockets)
            .output();
        assert!(told.is_ok());
    }

    /// All that the window holds, once this is its last line.
    fn history(&self, last: &str) -> Vec<String> {
        let began = Instant::now();
        loop {
            self.tell(&["hardcopy", "-h", self.history.to_str().unwrap()]);
            // it writes signs in bytes of its own
            let bytes = fs::read(&self.history).unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            if text.trim_end().ends_with(last) {
                return text.lines().map(|line| line.trim_end().to_owned()).collect();
            }
            assert!(began.elapsed() < DEADLINE, "{text}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // it may have ended by itself
        self.tell(&["quit"]);
    }
}

/// Screen grants nothing to the user nobody, and does not start for one who has no name. Said, not passed over.
#[expect(clippy::print_stdout, reason = "what was not run is said, never passed over")]
fn takes_no_orders() -> bool {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let named = users.lines().find_map(|user| {
        let mut parts = user.split(':');
        let (name, id) = (parts.next()?, parts.nth(1)?.parse::<u32>().ok()?);
        (id == rustix::process::geteuid().as_raw()).then_some(name)
    });
    let is_refused = matches!(named, None | Some("nobody"));
    if is_refused {
        println!("left out: screen takes no orders from {}", named.unwrap_or("a user without a name"));
    }
    is_refused
}

/// So many lines, a gate before every tenth.
fn lines(gates: &[Gate]) -> Answer {
    let part = |number: usize| -> String {
        (0..10).map(|n| format!("- line {:03} ends.\n", 10 * number + n)).collect::<Vec<_>>().concat()
    };
    gates
        .iter()
        .enumerate()
        .fold(text("- begun\n"), |answer, (number, gate)| answer.hold(gate).text(&part(number)))
}

#[test]
fn in_gnu_screen_every_line_stands_once_through_resizes_and_a_paste_sends_nothing() {
    if !is_there("screen") || takes_no_orders() {
        return;
    }
    let gates: Vec<Gate> = (0..12).map(|_| Gate::new()).collect();
    let endpoint = Endpoint::script([lines(&gates), text("Received.")]);
    let program = env!("CARGO_BIN_EXE_clawd");
    let screen = Screen::open(
        &Clawd::new(&endpoint),
        &format!("echo stood before; {program} --no-session; echo stands after; cat"),
    );
    let pty = &screen.pty;
    pty.wait_for("❯");
    say(pty, "go");
    pty.wait_for("begun");
    for (number, gate) in gates.iter().enumerate() {
        let (columns, rows) = [(60, 20), (100, 30), (80, 24)][number % 3];
        pty.resize(Size::new(columns, rows));
        gate.open();
        pty.wait_for(&format!("line {:03} ends.", 10 * number + 9));
    }
    wait_for_rest(pty);
    // newer ones hand brackets on; older ones do not
    let began = Instant::now();
    pty.send(b"first pasted\r!second pasted\rthird pasted");
    pty.wait_for("third pasted");
    assert_eq!(endpoint.requests().len(), 1, "a paste is not sent");
    // one that comes as soon as the keys of the paste is one of its line ends, and costs another
    pty.key("enter");
    while !pty.comes(Duration::from_secs(2), |screen| screen.contents().contains("Received.")) {
        assert!(began.elapsed() < DEADLINE, "{}", pty.screen_text());
        pty.key("enter");
    }
    assert_eq!(endpoint.requests()[1].last_text().trim_end(), "first pasted\n!second pasted\nthird pasted");
    wait_for_rest(pty);
    pty.key("ctrl-d");
    pty.wait_for("stands after");
    let history = screen.history("stands after");
    for line in ["stood before", "begun", "Received."] {
        assert_eq!(history.iter().filter(|row| row.contains(line)).count(), 1, "{line}: {history:#?}");
    }
    let shown: Vec<&str> = history.iter().filter_map(|row| row.trim().strip_prefix("- line ")).collect();
    let all: Vec<String> = (0..120).map(|n| format!("{n:03} ends.")).collect();
    assert_eq!(shown, all);
    endpoint.finish();
}
