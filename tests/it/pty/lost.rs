//! A terminal that goes away while the program runs on it, as a window does that is closed.

use std::io::Read;

use portable_pty::native_pty_system;

use super::{Exit, Size, command};
use crate::harness::Clawd;

/// Starts the program, and once it has written `until` closes its terminal, as a window that is closed does.
pub(crate) fn lose_the_terminal(clawd: &Clawd, until: &str) -> Exit {
    let size = Size::new(80, 24);
    let pair = native_pty_system().openpty(size.into()).unwrap();
    let mut child = pair.slave.spawn_command(command(clawd)).unwrap();
    drop(pair.slave);
    let mut from = pair.master.try_clone_reader().unwrap();
    let (mut all, mut buffer) = (Vec::new(), [0; 8192]);
    while !String::from_utf8_lossy(&all).contains(until) {
        let count = from.read(&mut buffer).unwrap();
        all.extend(&buffer[..count]);
    }
    drop((from, pair.master));
    let status = child.wait().unwrap();
    Exit { code: status.exit_code(), signal: status.signal().map(str::to_owned) }
}
