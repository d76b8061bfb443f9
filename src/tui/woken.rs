//! What wakes the loop, and how soon what comes of it is drawn.
//!
//! Waits alone: nothing here changes the model or draws. Where nothing is to be drawn there is no deadline, so that at rest only the
//! user, a signal or the conversation wakes the program.

use std::io;
use std::pin::Pin;
use std::time::Instant;

use tokio::time::{Sleep, sleep_until};

use super::frames::Cause;
use super::msg::Msg;
use super::terminal::{self, Input};
use crate::conversation::Happening;
use crate::os::signals::{Continuations, Signal, Signals};

/// What woke the loop.
pub(super) enum Woken {
    Panic,
    Signal(Signal),
    Continued,
    Input(Option<io::Result<Input>>),
    Msg(Msg),
    Frame,
}

/// A signal, or a panic in some task: then the terminal is given back already, and nothing more may be drawn.
pub(super) async fn stopped(signals: &mut Signals, continuations: &mut Continuations) -> Woken {
    tokio::select! {
        biased;
        () = terminal::panicked() => Woken::Panic,
        signal = signals.next() => Woken::Signal(signal),
        () = continuations.next() => Woken::Continued,
    }
}

/// Sleeps until a frame is due. One sleeper for all of them: to begin anew with each wait would wake the runtime's clock
/// each time.
#[derive(Default)]
pub(super) struct Alarm(Option<Pin<Box<Sleep>>>);

impl Alarm {
    /// Sleeps until then; for ever where nothing is due. Safe to drop.
    pub(super) async fn until(&mut self, due: Option<Instant>) {
        let Some(due) = due.map(Into::into) else {
            self.0 = None;
            return std::future::pending().await;
        };
        let sleep = self.0.get_or_insert_with(|| Box::pin(sleep_until(due)));
        if sleep.deadline() != due {
            sleep.as_mut().reset(due);
        }
        sleep.as_mut().await;
    }
}

/// Deltas and progress wait for the next frame; everything else is drawn at once.
pub(super) fn cause_of(msg: &Msg) -> Cause {
    match msg {
        Msg::Happened(happening) => match &**happening {
            Happening::Event(_) => Cause::Flow,
            Happening::Asked(_) | Happening::Ended(_) | Happening::Jobs(_) => Cause::Turn,
        },
        Msg::Key(_) | Msg::Burst(..) | Msg::Paste(_) | Msg::Line(_) => Cause::Key,
        Msg::Wheel(_) => Cause::Flow,
        Msg::Resize { .. } => Cause::Resize,
        Msg::Reply(_) | Msg::Tick => Cause::Turn,
    }
}
