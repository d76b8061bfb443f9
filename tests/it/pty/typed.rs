//! What goes to the program: written by a thread of its own, so that a program which does not read cannot stop the test or
//! the terminal.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};
use rustix::io::ioctl_fionread;

use crate::watched::{DEADLINE, Watched};

/// Takes bytes for the program.
#[derive(Clone)]
pub(super) struct Typed {
    sender: Sender<Vec<u8>>,
    /// Bytes that the terminal has not taken yet.
    waiting: Arc<Watched<usize>>,
}

impl Typed {
    pub(super) fn into(mut to: Box<dyn Write + Send>) -> Self {
        let (sender, input) = mpsc::channel::<Vec<u8>>();
        let waiting = Arc::new(Watched::default());
        let left = Arc::clone(&waiting);
        std::thread::spawn(move || {
            for bytes in input {
                // the program may be gone
                let written = to.write_all(&bytes).and_then(|()| to.flush());
                left.with(|left: &mut usize| *left -= bytes.len());
                if written.is_err() {
                    return;
                }
            }
        });
        Self { sender, waiting }
    }

    /// Whether anybody is there to take it.
    pub(super) fn send(&self, bytes: &[u8]) -> bool {
        self.waiting.with(|waiting| *waiting += bytes.len());
        self.sender.send(bytes.to_vec()).is_ok()
    }

    /// Sends the answer to a query, if there is one; false if nobody is there to take it.
    pub(super) fn answer(&self, reply: &[u8]) -> bool {
        reply.is_empty() || self.send(reply)
    }

    /// Blocks until the program has read all of it from this terminal. Nobody tells of that, so it is looked at again and again.
    pub(super) fn wait_read(&self, tty: &Path) -> bool {
        let begun = Instant::now();
        let taken = self.waiting.wait(DEADLINE, |waiting| (*waiting == 0).then_some(())).is_some();
        let tty = open(tty, OFlags::RDONLY | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty()).unwrap();
        while ioctl_fionread(&tty).unwrap() > 0 {
            if begun.elapsed() > DEADLINE {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        taken
    }
}
