//! An output that may have nobody who reads it, written so that a signal can still be heard.
//!
//! A blocking write to a full pipe stops the whole thread, and with it whoever listens to Ctrl+C. Here a piece is written only
//! once the other side has room for it. It buffers nothing. The surprising decision: the file is not made non-blocking, which
//! would change it for every other program that holds it; it is asked first, and what a pipe says it has room for never
//! blocks up to its smallest size.

use std::io;
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, write};

/// Bytes that a pipe with any room takes at once (`PIPE_BUF` on Linux; POSIX promises at least 512).
const PIECE: usize = if cfg!(target_os = "linux") { 4096 } else { 512 };

/// Who reads makes room within this time, and wakes us at once; so long the thread may stand still.
const SOON: Timespec = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };

/// After so many such waits in vain nobody reads, and the thread is given back for longer.
const PATIENCE: u32 = 20;

/// While nobody reads, how often it is looked whether somebody does. Not every kind of file can wake us.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// An open file to write to.
#[derive(Debug)]
pub struct Outlet<F>(F);

impl<F: AsFd> Outlet<F> {
    /// Writes to `file`.
    pub fn new(file: F) -> Self {
        Self(file)
    }

    /// Writes all of `bytes`, however long nobody reads. Dropped, it leaves off between two pieces.
    ///
    /// # Errors
    /// Where the other side is closed or full (a disk).
    pub async fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let (mut rest, mut in_vain) = (bytes, 0);
        while !rest.is_empty() {
            let piece = rest.get(..PIECE).unwrap_or(rest);
            let written = if self.has_room()? { write(&self.0, piece) } else { Err(Errno::AGAIN) };
            match written {
                Ok(count) => (rest, in_vain) = (rest.get(count..).unwrap_or_default(), 0),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) if in_vain < PATIENCE => {
                    in_vain += 1;
                    tokio::task::yield_now().await;
                }
                Err(Errno::AGAIN) => tokio::time::sleep(LOOK_AGAIN).await,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Whether a piece can be written now or soon; also where it would fail.
    fn has_room(&self) -> io::Result<bool> {
        let mut polled = [PollFd::new(&self.0, PollFlags::OUT)];
        match poll(&mut polled, Some(&SOON)) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{PipeReader, Read, Seek, pipe};

    use super::*;

    /// Reads to the end on a thread of its own.
    fn read(mut from: PipeReader) -> std::thread::JoinHandle<Vec<u8>> {
        std::thread::spawn(move || {
            let mut all = Vec::new();
            from.read_to_end(&mut all).unwrap();
            all
        })
    }

    #[tokio::test]
    async fn all_of_it_arrives_however_late_it_is_read() {
        let (from, to) = pipe().unwrap();
        let bytes: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
        let outlet = Outlet::new(to);
        let mut writing = Box::pin(outlet.write(&bytes));
        // a pipe holds a sixteenth of that: it stands still, and gives the thread back
        assert!(futures_util::poll!(&mut writing).is_pending());
        let reading = read(from);
        writing.await.unwrap();
        drop(outlet);
        assert!(reading.join().unwrap() == bytes);
    }

    #[tokio::test]
    async fn a_closed_reader_is_an_error() {
        let (from, to) = pipe().unwrap();
        drop(from);
        let error = Outlet::new(to).write(b"x").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }

    #[tokio::test]
    async fn a_file_has_room() {
        let mut file = tempfile::tempfile().unwrap();
        Outlet::new(&file).write(&[b'x'; 3 * PIECE]).await.unwrap();
        let mut all = Vec::new();
        file.rewind().unwrap();
        file.read_to_end(&mut all).unwrap();
        assert_eq!(all.len(), 3 * PIECE);
    }
}
