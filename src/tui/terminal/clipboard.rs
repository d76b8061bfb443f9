//! The clipboard by way of the terminal: OSC 52, which works over any number of connections and starts no program.
//!
//! Nothing comes back, so nobody can say whether the terminal took it. tmux passes it on as its `set-clipboard` says; where it
//! is told not to, the form that it passes through unread may still get there, so both are written.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::Multiplexer;

/// The sequence that puts `text` into the clipboard, byte for byte.
pub(super) fn osc52(text: &str, multiplexer: Multiplexer) -> String {
    let encoded = STANDARD.encode(text);
    let plain = format!("\x1b]52;c;{encoded}\x07");
    match multiplexer {
        Multiplexer::Tmux => format!("{plain}\x1bPtmux;\x1b{plain}\x1b\\"),
        Multiplexer::Other => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_carried_and_none_is_a_control() {
        assert_eq!(osc52("a\r\n\u{1b}é", Multiplexer::Other), "\x1b]52;c;YQ0KG8Op\x07");
        assert_eq!(osc52("a", Multiplexer::Tmux), "\x1b]52;c;YQ==\x07\x1bPtmux;\x1b\x1b]52;c;YQ==\x07\x1b\\");
    }
}
