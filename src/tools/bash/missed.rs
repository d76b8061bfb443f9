//! What a command that failed may have missed: variables of the user's that it did not get, and files of the host's `/tmp`.
//!
//! A guess by names, told to the model in a line each; nothing is run again. The surprise: the output counts too, for a
//! program names the variable that it lacks.

use std::collections::HashSet;
use std::path::Path;

use crate::protocol::Hold;
use crate::tools::Scene;

/// A line for each.
pub(super) fn notes(command: &str, said: &str, scene: &Scene) -> impl Iterator<Item = String> {
    withheld(command, said, scene).into_iter().chain(hidden_in_tmp(command, scene))
}

/// As many variables are named.
const MOST_WITHHELD: usize = 5;

/// Which of the user's variables a command that failed has missed, by its own words or by what it said.
fn withheld(command: &str, said: &str, scene: &Scene) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let in_command: HashSet<&str> =
        command.split(['$', '{']).skip(1).filter_map(|rest| rest.split(|c| !is_part(c)).next()).collect();
    // in an output a short word is a word
    let in_output: HashSet<&str> = said.split(|c| !is_part(c)).filter(|word| word.contains('_')).collect();
    let missed = scene
        .bench
        .withheld(&scene.terms)
        .filter(|name| in_command.contains(name) || in_output.contains(name));
    let names: Vec<&str> = missed.take(MOST_WITHHELD).collect();
    let names = names.join(", ");
    (!names.is_empty()).then(|| {
        format!("[set for the user and not passed to commands: {names}; `environment` of [sandbox] in config.toml passes more]")
    })
}

/// Which file of `/tmp` a command that failed may have missed: the sandbox has a `/tmp` of its own.
fn hidden_in_tmp(command: &str, scene: &Scene) -> Option<String> {
    let words = command.split(|c: char| c.is_whitespace() || "'\"<>|;&()=`".contains(c));
    let mut files = words.filter(|word| word.starts_with("/tmp/")).map(Path::new);
    let is_hidden = |path: &&Path| path.exists() && !scene.bench.outputs().has_private(path);
    let missed = files.find(|path| is_hidden(path) && !scene.bench.shell().holds(path));
    let missed = missed.filter(|_| scene.terms.hold != Hold::Free && scene.bench.has_own_tmp())?;
    Some(format!(
        "[/tmp is private to commands and does not contain {}; put files that both need into the workspace]",
        missed.display()
    ))
}
