//! What is asked for, and how it is written.
//!
//! What is known of hosts and models beforehand stands in tables ([`compat`], [`models`]); what can differ from server to server
//! is a [`dialect`]; what a refusal teaches is a lesson (`refused` reads it, `lessons` has them), kept in a [`memory`] for each
//! endpoint; [`wire`] writes the JSON by all of that. The surprise: a dialect changes only between requests, so that the bytes of
//! a conversation stay a prefix of its next request.

pub mod compat;
pub mod dialect;
pub mod memory;
pub mod models;
pub mod prices;
pub mod wire;

pub(super) mod call_ids;
pub(super) mod complaint;
pub(super) mod estimate;
pub(super) mod lessons;
pub(super) mod messages;
pub(super) mod refused;
