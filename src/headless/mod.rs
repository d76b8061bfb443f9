//! `-p`: one run without the screen.
//!
//! It drives the same conversation as the screen does; nobody is there to ask, so what would ask is denied and the model told. The
//! output is the final message, or one JSON object, or a line an event; errors and remarks go to standard error. Standard output that
//! is closed early ends the run like an interrupt: there is nobody left to work for.

pub mod input;
mod report;
mod stream_json;

use std::io::Write;
use std::process::ExitCode;

use crate::conversation::{Conversation, Happening};
use crate::error::Exit;
use crate::os::signals::{Signal, Signals};
use crate::protocol::{LoopResult, RunEnd};

pub use report::{Format, Reader, Report, Scene, not_begun};

/// Runs `prompt` to its end and reports it.
pub async fn run<W: Write>(
    conversation: &mut Conversation,
    prompt: String,
    report: &mut Report<W>,
    signals: &mut Signals,
) -> ExitCode {
    let mut stopped_by = None;
    let mut broken = report.begin().is_err();
    conversation.submit(prompt);
    let result = loop {
        if broken {
            conversation.abort();
        }
        let happening = tokio::select! {
            biased;
            signal = signals.next() => {
                stopped_by = stopped_by.or(Some(signal));
                conversation.abort();
                continue;
            }
            happening = conversation.next() => happening,
        };
        match happening {
            Happening::Event(event) => broken |= report.event(&event).is_err(),
            // Nobody asks: the conversation's own approver denies. A question without an answer is denied as well.
            Happening::Asked(_) => {}
            Happening::Ended(ended) => break ended.result,
        }
    };
    broken |= report.end(&result).is_err();
    if broken {
        return ExitCode::from(Exit::ClosedOutput.code());
    }
    exit_code(&result, stopped_by)
}

fn exit_code(result: &LoopResult, stopped_by: Option<Signal>) -> ExitCode {
    match (stopped_by, &result.end) {
        (Some(signal), RunEnd::Aborted) => ExitCode::from(signal.exit_code()),
        (_, end) => ExitCode::from(Exit::after(end).code()),
    }
}
