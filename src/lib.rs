//! An interactive coding assistant for the terminal, in the making: a room a commit, each above those it stands on.

pub mod protocol;

pub mod text;

pub mod os;

pub mod permission;

pub mod workbench;

pub mod config;

pub mod project;

pub mod trust;

pub mod chat;

pub mod tools;

pub mod context;

pub mod agent;

pub mod session;

pub mod conversation;

pub mod error;

pub mod cli;

pub mod app;

pub mod tui;

pub mod headless;
