//! The program: hands the arguments to [`clawd::run`] and its answer to the system, nothing else.

use std::process::ExitCode;

fn main() -> ExitCode {
    clawd::run(std::env::args_os())
}
