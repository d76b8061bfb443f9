//! The interactive program in a terminal: what a user presses, what stands on the screen, what the model is sent.
//!
//! Everything runs against the real program in a pseudo-terminal with an emulator behind it. Tests wait for what they
//! expect to see. The one exception is a question: it takes no key for a while after it came, which the contract gives
//! in milliseconds, so [`answer`] lets that time pass.
//!
//! A panic within the program is not provoked here, since no user can do it; that the terminal is given back then is
//! tested in `screen_layer`, on the guard itself.

mod abort;
mod ahead;
mod asking;
mod back;
mod background;
mod commands;
mod compact;
mod cursor;
mod edges;
mod faults;
mod fifty;
mod first;
mod full;
mod full_tmux;
mod gnu_screen;
mod going_over;
mod grants;
mod held;
mod images;
mod injection;
mod input;
mod judged;
mod kept;
mod lacks;
mod leaving;
mod left_over;
mod looks;
mod models;
mod own;
mod paths;
mod permission;
mod plain;
mod planning;
mod queue;
mod sessions;
mod steps;
mod stopped;
mod talk;
mod telling;
mod terminal;
mod waiting;

use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::endpoint::{Answer, Call, Endpoint, Gate, call, text, thinking};
use crate::harness::Clawd;
use crate::pty::{Pty, Size};
use crate::watched::DEADLINE;

/// A question takes no key so soon after it came, or after the last printable one (the outside contract).
pub(crate) const GUARD: Duration = Duration::from_millis(450);

/// The size that most people have.
fn usual() -> Size {
    Size::new(80, 24)
}

/// A program at rest on a usual screen, with its input ready.
pub(crate) fn open(clawd: &Clawd) -> Pty {
    let pty = Pty::spawn(clawd, usual());
    pty.wait_for("❯");
    pty
}

/// This program, at rest.
pub(crate) fn chat_with(clawd: &Clawd) -> Pty {
    open(clawd)
}

/// The program against this endpoint, with no arguments.
pub(crate) fn chat(endpoint: &Endpoint) -> Pty {
    open(&Clawd::new(endpoint))
}

/// Types the words and sends them.
pub(crate) fn say(pty: &Pty, words: &str) {
    pty.type_text(words);
    pty.key("enter");
}

/// Blocks until the run is over and the input has the keys again. Only after something of the run was seen.
pub(crate) fn wait_for_rest(pty: &Pty) {
    pty.wait_until("the end of the run", |screen| {
        let text = screen.contents();
        !text.contains("esc to interrupt") && !text.contains("Allow") && !text.contains("stopping")
    });
}

/// Presses a key in answer to a question that contains `title`, as somebody who has read it.
pub(crate) fn answer(pty: &Pty, title: &str, key: &str) {
    pty.wait_for(title);
    std::thread::sleep(GUARD);
    pty.key(key);
}

/// A run of many turns, a call each, that stops at every turn: no answer of the model comes before it is wanted, and so no
/// question but that of its call.
pub(crate) struct Turns {
    gates: Vec<Gate>,
    calls: Vec<Call>,
}

impl Turns {
    pub(crate) fn of(calls: impl IntoIterator<Item = Call>) -> Self {
        let calls: Vec<Call> = calls.into_iter().collect();
        Self { gates: calls.iter().map(|_| Gate::new()).collect(), calls }
    }

    /// The model's side, the last words of which are these.
    pub(crate) fn endpoint(&self, end: &str) -> Endpoint {
        let turn = |(gate, call): (&Gate, &Call)| thinking("so").hold(gate).calls([call.clone()]);
        let answers: Vec<Answer> = self.gates.iter().zip(&self.calls).map(turn).collect();
        Endpoint::script(answers.into_iter().chain([text(end)]))
    }

    /// Lets the model make the call of this turn (from 0); what stands on the screen if it is asked for.
    pub(crate) fn asked(&self, turn: usize, endpoint: &Endpoint, pty: &Pty) -> Option<String> {
        endpoint.wait_for_request(turn + 1);
        self.gates[turn].open();
        let is_over = || endpoint.requests().len() > turn + 1;
        let what = format!("the end or the question of call {}", turn + 1);
        pty.wait_until(&what, |screen| is_question(&screen.contents()) || is_over());
        let shown = pty.screen_text();
        (!is_over() && is_question(&shown)).then_some(shown)
    }

    /// Answers the question of this turn by a key, and the words that belong to it; the next turn has begun then.
    pub(crate) fn answer(turn: usize, endpoint: &Endpoint, pty: &Pty, keys: (&str, Option<&str>)) {
        std::thread::sleep(GUARD);
        pty.key(keys.0);
        if let Some(words) = keys.1 {
            pty.type_text(words);
            pty.wait_for(words);
            pty.key("enter");
        }
        pty.wait_until("the end of the question", |screen| !screen.contents().contains("1. Yes"));
        endpoint.wait_for_request(turn + 2);
    }
}

/// Whether a question stands there, down to its third answer.
fn is_question(screen: &str) -> bool {
    screen.contains("1. Yes") && screen.contains("3. No")
}

/// Leaves by Ctrl+D and looks whether the terminal is as it was.
pub(crate) fn leave(pty: &Pty) {
    pty.key("ctrl-d");
    assert_eq!(pty.wait_exit().code, 0);
    pty.assert_terminal_restored();
}

/// A command.
fn bash(command: &str) -> Call {
    call("Bash", serde_json::json!({"command": command}))
}

/// A command that says `began PID` and then lasts until it is ended.
fn lasting() -> Call {
    bash("echo began $$; exec sleep 600")
}

/// The process that [`lasting`] has told of, once it is seen.
fn wait_for_process(pty: &Pty) -> Pid {
    let number = |text: &str| {
        let rest =
            text.split("began ").skip(1).find(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))?;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    pty.wait_until("the number of the process", |screen| number(&screen.contents()).is_some());
    Pid::from_raw(number(&pty.screen_text()).unwrap()).unwrap()
}

/// Fails unless the process ends.
fn assert_ends(pid: Pid) {
    let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else { return };
    let time = Timespec::try_from(DEADLINE).unwrap();
    let ended = poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&time)).unwrap();
    assert_eq!(ended, 1, "the process {pid:?} has not ended");
}

/// How often `needle` stands in all rows, those above the screen included.
pub(crate) fn count_rows(pty: &Pty, needle: &str) -> usize {
    pty.history().iter().filter(|row| row.contains(needle)).count()
}
