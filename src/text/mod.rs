//! String work that knows no room.
//!
//! Everything here takes text and gives back text or plain values. Nothing here opens a file, asks the time or
//! knows what a session, a tool or a screen is; so every other room may lean on it.

pub mod blank;
pub mod clip;
pub mod diff;
pub mod dropped;
pub mod escape;
pub mod fences;
pub mod fill;
pub mod fuzzy;
pub mod git_config;
pub mod glob;
pub mod highlight;
pub mod image;
pub mod mention;
pub mod model_text;
pub mod nearest;
pub mod redact;
pub mod sanitize;
pub mod sgr;
pub mod units;
pub mod url;
pub mod words;
