//! What comes back: from the bytes of a body to a finished answer. Pure.
//!
//! Three steps, each a group of files: events out of bytes (`sse`, `body`, `cursor`), pieces out of events (`chunk` and the
//! readers that forgive: `loose`, `values`, `opaque`, `nesting`), and an answer out of pieces ([`accumulate`], with `calls` and
//! `arguments` for calls, `text_calls`, `code_places` and `visible` for those written as text, `think_tags` for thoughts, `heard`
//! and `ending` for how it went). The surprise: where the pieces are cut never matters; every test here cuts them everywhere.

pub mod accumulate;
pub mod sse;

pub(super) mod arguments;
pub(super) mod body;
pub(super) mod calls;
pub(super) mod chunk;
pub(super) mod code_places;
pub(super) mod cursor;
pub(super) mod ending;
pub(super) mod heard;
pub(super) mod loose;
pub(super) mod nesting;
pub(super) mod opaque;
pub(super) mod text_calls;
pub(super) mod think_tags;
pub(super) mod values;
pub(super) mod visible;
