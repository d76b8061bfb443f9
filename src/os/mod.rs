//! `os`: the machine. The only room with processes, clocks, the environment and the HTTP client.
//!
//! It decides nothing: which command may run, which file may be read and what is shown of an output
//! is said by the rooms above. Here stands only how it is done so that nothing hangs, nothing is left
//! behind and no old content is lost. May import: `text`.
//!
//! In reading order: what is read once at the start ([`mod@env`], [`paths`]) and what a command gets of it
//! ([`child_env`]), files ([`mod@file`], [`kernel`], [`guarded`], [`pinned`], [`stage`], [`put`], [`identity`], [`listing`],
//! [`tree`] with [`stir`]),
//! commands ([`programs`], [`process`], [`capture`] for their output and [`family`] for all they started, [`foreground`] for what has the terminal, [`feed`] for what the program itself asks),
//! and the outside ([`http`], [`outlet`], [`signals`], [`clock`], [`hands`], [`log`], [`tty`]).

pub mod child_env;
pub mod env;
pub mod paths;

mod attributes;
pub mod file;
pub mod guard;
pub mod guarded;
pub mod identity;
pub mod kernel;
pub mod listing;
pub mod pinned;
pub mod put;
pub mod stage;
pub mod stir;
pub mod tree;

pub mod capture;
pub mod family;
pub mod feed;
pub mod foreground;
pub mod process;
pub mod programs;
mod restrain;
mod running;
mod supervise;
mod table;

pub mod clock;
pub mod hands;
pub mod http;
pub mod log;
pub mod outlet;
pub mod signals;
pub mod tty;
pub mod wipe;
