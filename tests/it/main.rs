//! The integration tests: one binary, a file for each promise, all against the real program.
//!
//! `endpoint` scripts the model, `harness` runs the program without a screen, `pty` with one. Except for the sandbox and the
//! manual's tables nothing here names the library's types: what a test sees is what a user sees.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and it starts programs; the exemption for tests stops at their helpers"
)]

mod abort;
mod bad_input;
mod before_images;
mod children;
mod command_changes;
mod compaction;
mod degraded;
mod dialects;
mod doctor;
mod endpoint;
mod everyday;
mod faults;
mod first_request;
mod guide;
mod harness;
mod headless;
mod in_view;
mod injection;
mod jobs;
mod kept;
mod key_hosts;
mod kills;
mod kills_anywhere;
mod limits;
mod long_run;
mod look_alikes;
mod mentions;
mod nested_instructions;
mod options;
mod own_files;
mod permissions;
mod plan_mode;
mod process_trees;
mod providers;
mod pty;
mod reach;
mod reading_lines;
mod recorded_task;
mod rewinding;
mod run_edges;
mod sandbox;
mod sandbox_tier1;
mod sandboxed;
mod screen;
mod screen_layer;
mod secrets;
mod sessions;
mod settings;
mod state_files;
mod tidy;
mod tiers;
mod tools_bash;
mod tools_edit;
mod tools_fetch;
mod tools_files;
mod tools_files_meant;
mod tools_patch;
mod tools_patch_faults;
mod tools_read;
mod tools_search;
mod trust;
mod watched;
mod ways_around;
mod workshop;
