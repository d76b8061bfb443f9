//! `-p`: one run without the screen.
//!
//! It drives the same conversation as the screen does; nobody is there to ask, so what would ask is denied and the model told. The
//! output is the final message, or one JSON object, or a line an event; errors and remarks go to standard error. Standard output that
//! is closed early, or goes to a full disk, ends the run like an interrupt: there is nobody left to work for. One that is open and
//! not read makes the run wait, but no signal and no deadline: they end it, read or not.

mod deadline;
pub mod input;
mod report;
mod stream_json;

use std::io;
use std::os::fd::AsFd;
use std::pin::pin;
use std::process::ExitCode;
use std::time::Duration;

use tokio::time::sleep;

use crate::conversation::{Conversation, Happening};
use crate::error::{Error, Exit};
use crate::os::outlet::Outlet;
use crate::os::signals::{Signal, Signals};
use crate::protocol::{LoopError, LoopResult, RunEnd};

pub use deadline::Deadline;
pub use report::{Format, Reader, Report, Scene, not_begun};

/// After a signal or the deadline, so long for whoever should read the output: a pipe that is read takes microseconds.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Runs `prompt` to its end and reports it on `out`, unless a signal or the deadline ends it.
pub async fn run<F: AsFd>(
    conversation: &mut Conversation,
    prompt: String,
    report: &mut Report,
    (out, signals, deadline): (F, &mut Signals, Deadline),
) -> ExitCode {
    let outlet = Outlet::new(out);
    let mut printer = Printer { outlet, signals, deadline, stopped_by: None, state: State::Open };
    conversation.submit(prompt);
    report.begin();
    let mut result = loop {
        printer.print(&report.take(), conversation).await;
        if !matches!(printer.state, State::Open) {
            conversation.abort_because("interrupted because the output was closed");
        }
        let happening = tokio::select! {
            biased;
            signal = printer.signals.next() => {
                printer.stop(Stop::Signal(signal), conversation);
                continue;
            }
            error = printer.deadline.passed(), if printer.stopped_by.is_none() => {
                printer.stop(Stop::Timeout(error), conversation);
                continue;
            }
            happening = conversation.next() => happening,
        };
        match happening {
            Happening::Event(event) => report.event(&event),
            // Nobody asks: the conversation's own approver denies. A question without an answer is denied as well.
            // What runs beside it is the model's affair.
            Happening::Asked(_) | Happening::Jobs(_) => {}
            Happening::Ended(ended) => break ended.result,
        }
    };
    if let (Some(Stop::Timeout(error)), RunEnd::Aborted) = (&printer.stopped_by, &result.end) {
        result.end = RunEnd::Failed(error.clone());
    }
    report.end(&result);
    printer.print(&report.take(), conversation).await;
    match &printer.state {
        State::Closed => return ExitCode::from(Exit::ClosedOutput.code()),
        State::Failed(error) => {
            Report::tell(&format!("Error: {error}"));
            return ExitCode::from(error.exit().code());
        }
        State::Open | State::GivenUp => {}
    }
    // a result that nobody took in time is none
    if let (State::GivenUp, Some(Stop::Timeout(error))) = (&printer.state, &printer.stopped_by) {
        result.end = RunEnd::Failed(error.clone());
    }
    Report::tell_error(&result);
    exit_code(&result, printer.stopped_by.as_ref())
}

/// Standard output, and what may keep it from being written.
struct Printer<'a, F> {
    outlet: Outlet<F>,
    signals: &'a mut Signals,
    deadline: Deadline,
    stopped_by: Option<Stop>,
    state: State,
}

/// What ends a run from outside.
#[derive(Debug)]
enum Stop {
    Signal(Signal),
    Timeout(LoopError),
}

/// What is known of who reads.
#[derive(Debug)]
enum State {
    Open,
    /// Gone.
    Closed,
    /// Perhaps there, and nothing gets through: the disk is full.
    Failed(Error),
    /// There, and took nothing when it was time to leave.
    GivenUp,
}

impl<F: AsFd> Printer<'_, F> {
    /// Prints `text`, however long that takes while nobody wants to stop.
    async fn print(&mut self, text: &[u8], conversation: &mut Conversation) {
        if text.is_empty() || !matches!(self.state, State::Open) {
            return;
        }
        let Self { outlet, signals, deadline, stopped_by, state } = self;
        let mut writing = pin!(outlet.write(text));
        loop {
            tokio::select! {
                biased;
                signal = signals.next(), if stopped_by.is_none() => {
                    stopped_by.insert(Stop::Signal(signal)).end(conversation);
                }
                error = deadline.passed(), if stopped_by.is_none() => {
                    stopped_by.insert(Stop::Timeout(error)).end(conversation);
                }
                written = &mut writing => {
                    *state = match written {
                        Ok(()) => State::Open,
                        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => State::Closed,
                        Err(error) => State::Failed(Error::output(&error)),
                    };
                    return;
                }
                () = sleep(LAST_WORDS), if stopped_by.is_some() => {
                    *state = State::GivenUp;
                    return;
                }
            }
        }
    }

    fn stop(&mut self, stop: Stop, conversation: &mut Conversation) {
        self.stopped_by.get_or_insert(stop).end(conversation);
    }
}

impl Stop {
    /// Stops the run and names the cause.
    fn end(&self, conversation: &mut Conversation) {
        match self {
            Self::Signal(Signal::Interrupt) => conversation.abort(),
            Self::Signal(signal) => conversation.abort_because(&format!("interrupted by {}", signal.name())),
            Self::Timeout(_) => conversation.abort_because("interrupted by the time limit"),
        }
    }
}

fn exit_code(result: &LoopResult, stopped_by: Option<&Stop>) -> ExitCode {
    match (stopped_by, &result.end) {
        (Some(Stop::Signal(signal)), RunEnd::Aborted) => ExitCode::from(signal.exit_code()),
        (_, end) => ExitCode::from(Exit::after(end).code()),
    }
}
