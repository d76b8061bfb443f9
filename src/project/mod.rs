//! What the directory says: its root, its branch, its instructions.
//!
//! [`scan()`] reads bytes and interprets nothing, so it may look at any directory. What it found counts only once the room
//! `trust` says so, and is given out there. Nothing here starts a program, git included: its files are read as text.

mod branch;
mod git_config;
mod instructions;
mod scan;

pub use git_config::git_config;
pub use instructions::{INSTRUCTIONS_MAX, Instruction, Loaded, within_limit};
pub use scan::{Found, Scan, scan};
