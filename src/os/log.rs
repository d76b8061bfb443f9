//! The verbose log of `--debug`: one file, off unless asked for.
//!
//! Only this program's own lines go there; the libraries below it would log whole bodies. What is logged never holds a key
//! or a header: those who log name turns, tools and sizes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tracing_subscriber::EnvFilter;

use super::paths::{Open, private_dir, private_file};

/// Our own lines, all of them; nothing of anybody else.
const OURS: &str = "off,clawd=debug";

/// Begins to log into a file of its own in `directory`, named by the time; returns the file.
///
/// # Errors
/// Where it cannot be made.
pub fn begin(directory: &Path, now_ms: u64) -> io::Result<PathBuf> {
    private_dir(directory)?;
    let path = directory.join(format!("clawd-{now_ms}.log"));
    let file = private_file(&path, Open::Append)?;
    tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(OURS))
        .with_writer(Mutex::new(file))
        .with_ansi(false)
        .try_init()
        .map_err(io::Error::other)?;
    Ok(path)
}
