//! What the directory says: its root, its branch, its instructions, its settings, and what in it would run.
//!
//! [`scan()`] reads bytes and acts on none of them, so it may look at any directory. What it found is listed for a person, and
//! given out by [`Scan::open`] alone, which takes a [`Yes`]: the room `trust` has the only type that is one. Nothing here
//! starts a program, git included: its files are read as text.

mod branch;
mod brings;
mod git;
mod git_config;
mod instructions;
mod item;
mod nested;
mod open;
mod scan;

pub use brings::Brings;
pub use git::odd_git_keys;
pub use git_config::git_config;
pub use instructions::{INSTRUCTIONS_MAX, Instruction, within_limit};
pub use item::{Item, ItemKind};
pub use nested::Nested;
pub use open::{Loaded, Yes};
pub use scan::{Found, NAMES as INSTRUCTION_NAMES, Scan, identity, scan};
