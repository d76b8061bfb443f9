//! A text whose lines end in a carriage return alone, as line feeds.

use std::io::{self, Read};

/// Gives each carriage return of `.0` as a line feed.
#[derive(Debug)]
pub(super) struct Returns<R>(pub(super) R);

impl<R: Read> Read for Returns<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        let read = buffer.iter_mut().take(count);
        read.filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
        Ok(count)
    }
}

/// Whether a text that begins so has no other line ends. The last byte tells nothing: a line feed may follow.
pub(super) fn has_returns_only(start: &[u8]) -> bool {
    let before = start.split_last().map_or(start, |(_, before)| before);
    memchr::memchr(b'\n', start).is_none() && memchr::memchr(b'\r', before).is_some()
}
