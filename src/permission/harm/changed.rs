//! The files that a command would change, as far as its words tell.
//!
//! For rules that hold edits back: what such a rule keeps from the edit tools no command is to do in their place. What a
//! script or a program writes by itself is not seen. Each file is named as it is written and as links lead to it; what is
//! taken away with all below it is named with one name below, which is every name to a pattern that covers the whole.

use std::path::PathBuf;

use super::files::{self, Deed, moved, operands};
use super::swallows;
use crate::permission::scope::Scope;
use crate::permission::script::{self, Command, UNKNOWN};
use crate::protocol::ExecAccess;

/// Options by which programs write into what they read, short and long, and the letters behind which an option's value
/// stands, where no letter is an option any more.
const IN_PLACE: [(&str, char, &str, &str); 4] = [
    ("sed", 'i', "--in-place", "efl"),
    ("perl", 'i', "", "eEMmICDFVx"),
    ("ruby", 'i', "", "eEIrCFKTWx"),
    ("sort", 'o', "--output", "kStT"),
];

/// All of them, as absolute paths.
pub(in crate::permission) fn changed(exec: &ExecAccess, scope: &Scope) -> Vec<PathBuf> {
    let of = |command: &Command| {
        let cwd = command.cwd.as_deref().unwrap_or(&exec.cwd);
        let named = names(command).into_iter().filter_map(|name| scope.path_of(cwd, &name));
        let named = named.filter(|path| !swallows(path));
        named.flat_map(|path| [scope.links.follow(&path), path]).collect::<Vec<_>>()
    };
    script::read(exec, scope).iter().flat_map(of).collect()
}

fn names(command: &Command) -> Vec<String> {
    let mut names = command.grows.clone();
    for deed in files::deeds(command) {
        match deed {
            Deed::Tree(name) | Deed::Below(name, _) => names.extend(whole(name)),
            Deed::File(name) | Deed::Overwrite(name) => names.push(name),
            Deed::Other(_) => {}
        }
    }
    let rest = command.words.get(1..).unwrap_or_default();
    match script::program(&command.words) {
        "touch" | "tee" | "truncate" | "patch" | "rmdir" => names.extend(operands(rest)),
        "cp" | "install" | "ln" => names.extend(into(rest)),
        "mv" => names.extend(operands(rest).flat_map(whole).chain(into(rest))),
        program => {
            if IN_PLACE.iter().any(|row| row.0 == program && is_in_place(rest, *row)) {
                names.extend(operands(rest));
            }
        }
    }
    names
}

/// What goes with all that may be below it.
fn whole(name: String) -> [String; 2] {
    [format!("{}/{UNKNOWN}", name.trim_end_matches('/')), name]
}

fn is_in_place(rest: &[String], (_, short, long, values): (&str, char, &str, &str)) -> bool {
    rest.iter().take_while(|word| *word != "--").any(|word| match word.strip_prefix('-') {
        Some(letters) if !letters.starts_with('-') => {
            letters.chars().take_while(|letter| !values.contains(*letter)).any(|letter| letter == short)
        }
        Some(_) => {
            let name = word.split('=').next().unwrap_or(word);
            name.len() > 2 && long.starts_with(name)
        }
        None => false,
    })
}

/// Where files go to, whether something lies there or not.
fn into(rest: &[String]) -> impl Iterator<Item = String> {
    moved(rest).into_iter().filter_map(|deed| match deed {
        Deed::Overwrite(name) => Some(name),
        Deed::Tree(_) | Deed::Below(..) | Deed::File(_) | Deed::Other(_) => None,
    })
}
