//! The helper that holds commands, as a program of its own: what `clawd` itself does when it is started with the same words.
//!
//! It is there for its size: the system takes up and puts away a thirtieth of the program for every command. Where it is
//! missing or of another build, `clawd` does without.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    clawd::sandbox::dispatch(&arguments).unwrap_or_else(not_for_users)
}

#[expect(clippy::print_stderr, reason = "a user who starts it by hand gets an explanation")]
fn not_for_users() -> ExitCode {
    eprintln!("clawd-hold is the sandbox helper of clawd and cannot be run on its own");
    ExitCode::from(2)
}
