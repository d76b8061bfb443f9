//! What the screen needs to know of the world before it begins, from the command line and the environment.

use super::terminal::{Multiplexer, Pastes};
use super::view::letters::Letters;
use super::view::looks::Looks;
use super::view::palette::Depth;
use crate::app::Showing;
use crate::cli::Cli;
use crate::os::env::Env;

/// What the screen needs to know of the world before it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scene {
    /// `$TERM`.
    pub term: String,
    /// `$TERM_PROGRAM`.
    pub term_program: String,
    /// Whether `$TMUX` is set.
    pub multiplexer: Multiplexer,
    /// Whether it tells what is pasted.
    pub pastes: Pastes,
    /// How many colours there are.
    pub depth: Depth,
    /// Which letters there are.
    pub letters: Letters,
    /// What the terminal is fit for.
    pub showing: Showing,
    /// A prompt from the command line.
    pub prompt: Option<String>,
}

impl Scene {
    /// The scene as the command line and the environment have it.
    #[must_use]
    pub fn of(cli: &Cli, env: &Env) -> Self {
        let text = |name| env.text(name).unwrap_or_default().to_owned();
        let depth = Looks::depth_of(&text("NO_COLOR"), &text("COLORTERM"), &text("TERM"));
        let multiplexer = if env.get("TMUX").is_some() { Multiplexer::Tmux } else { Multiplexer::Other };
        Self {
            term: text("TERM"),
            term_program: text("TERM_PROGRAM"),
            multiplexer,
            pastes: match multiplexer {
                Multiplexer::Tmux => Pastes::Bracketed,
                Multiplexer::Other => Pastes::of(&text("TERM")),
            },
            letters: Letters::of(locale(env), &text("TERM")),
            showing: showing(&text("TERM")),
            depth,
            prompt: cli.prompt.clone(),
        }
    }
}

/// What a terminal is fit for that calls itself `term`: some say that they cannot move their cursor, all others can.
fn showing(term: &str) -> Showing {
    match term {
        "" | "dumb" | "unknown" => Showing::Told,
        _ => Showing::Drawn,
    }
}

/// The locale for letters, empty where none is set.
fn locale(env: &Env) -> &str {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(|name| env.text(name));
    set.into_iter().find(|locale| !locale.is_empty()).unwrap_or_default()
}
