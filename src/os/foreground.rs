//! Another program in the foreground: it gets the terminal as it is, and we wait for its end.
//!
//! For what the user starts to work in, such as an editor; commands are [`super::process`]. Whoever calls has given the
//! terminal back, and takes it again afterwards.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

/// Runs a program to its end. Its exit code; none where a signal ended it.
#[expect(clippy::disallowed_methods, reason = "the one place that starts a program which has the terminal")]
pub fn run(argv: &[OsString], cwd: &Path, env: &[(OsString, OsString)]) -> io::Result<Option<i32>> {
    let mut words = argv.iter();
    let program = words.next().ok_or(io::ErrorKind::InvalidInput)?;
    let environment = env.iter().map(|(name, value)| (name, value));
    let status = Command::new(program).args(words).current_dir(cwd).env_clear().envs(environment).status()?;
    Ok(status.code())
}
