//! A thread that gives up rights for good and then starts commands, which inherit what is left to it.
//!
//! Rights belong to threads: those of the program keep theirs. It starts one command after another, for what a thread gives
//! up costs more than to start a command. The surprise: it fails when it is made, not when a command is started, so nothing
//! is ever started by a thread that has kept what it was to give up.

use std::io;
use std::sync::mpsc::{RecvError, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

type Work = Box<dyn FnOnce() + Send>;

/// Such a thread. It ends with this value.
#[derive(Debug)]
pub struct Starter {
    work: Option<SyncSender<Work>>,
    thread: Option<JoinHandle<()>>,
}

impl Starter {
    /// `give_up` is what the thread does to itself first. Where it fails there is no such thread.
    pub fn new(give_up: impl FnOnce() -> io::Result<()> + Send + 'static) -> io::Result<Self> {
        let (work, todo) = sync_channel::<Work>(1);
        let (told, given_up) = sync_channel(1);
        let thread = Builder::new().name("starter".to_owned()).spawn(move || {
            // where that failed nobody is left who could send work
            told.send(give_up()).ok();
            for work in todo {
                work();
            }
        })?;
        let starter = Self { work: Some(work), thread: Some(thread) };
        given_up.recv().map_err(gone)??;
        Ok(starter)
    }

    /// What the thread makes of it.
    pub fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
        let (told, made) = sync_channel(1);
        let work: Work = Box::new(move || {
            told.send(work()).ok();
        });
        // where nobody takes it, nobody will tell either
        self.work.as_ref().and_then(|todo| todo.send(work).ok());
        made.recv().map_err(gone)
    }
}

/// It panicked.
fn gone(_nobody: RecvError) -> io::Error {
    io::Error::other("the thread that starts commands has exited")
}

impl Drop for Starter {
    fn drop(&mut self) {
        drop(self.work.take());
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn what_it_gives_up_it_gives_up_once_and_before_all_else() {
        let (sender, receiver) = sync_channel(10);
        let first = sender.clone();
        let starter =
            Starter::new(move || first.send(thread::current().id()).map_err(io::Error::other)).unwrap();
        let own = receiver.try_recv().unwrap();
        assert_ne!(own, thread::current().id());
        for _ in 0..3 {
            assert_eq!(starter.run(|| thread::current().id()).unwrap(), own);
        }
        drop(starter);
        drop(sender);
        assert!(receiver.recv().is_err(), "nothing more was given up, and the thread is gone");
    }

    #[test]
    fn one_that_could_not_give_up_what_it_was_to_is_none() {
        let refused = Starter::new(|| Err(io::Error::other("no confinement here"))).unwrap_err();
        assert_eq!(refused.to_string(), "no confinement here");
        assert!(Starter::new(|| panic!("it breaks")).is_err());
    }

    #[test]
    fn work_that_panics_is_told_and_so_is_all_work_after_it() {
        let starter = Starter::new(|| Ok(())).unwrap();
        assert!(starter.run(|| panic!("it breaks")).map(|(): ()| ()).is_err());
        assert!(starter.run(|| ()).is_err());
    }
}
