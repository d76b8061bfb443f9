//! The files that a command would change, as far as its words tell.
//!
//! For rules that hold edits back: what such a rule keeps from the edit tools no command is to do in their place. What a
//! script or a program writes by itself is not seen. Each name stands as it is written and as links lead to it.

use std::path::{Path, PathBuf};

use super::deed::{Kind, What};
use super::{files, swallows};
use crate::permission::scope::Scope;
use crate::permission::script::{self, Command, UNKNOWN};
use crate::protocol::ExecAccess;

/// What would be changed, as an absolute path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::permission) enum Changed {
    /// This.
    One(PathBuf),
    /// This, and all that may be below it.
    All(PathBuf),
}

impl Changed {
    /// It, or where all of it begins.
    pub(in crate::permission) fn path(&self) -> &Path {
        match self {
            Self::One(path) | Self::All(path) => path,
        }
    }
}

/// All of it.
pub(in crate::permission) fn changed(exec: &ExecAccess, scope: &Scope) -> Vec<Changed> {
    let of = |command: &Command| {
        let cwd = command.cwd.as_deref().unwrap_or(&exec.cwd);
        let deeds = files::deeds(command);
        let named = deeds.iter().filter_map(|deed| deed.what()).flat_map(|what| {
            let (word, all) = name(what);
            let path = scope.path_of(cwd, &word).filter(|path| !swallows(path));
            let met = path.into_iter().flat_map(|path| scope.names.met(path));
            let ways = met.flat_map(|path| [scope.links.follow(&path), path]);
            ways.map(move |path| if all { Changed::All(path) } else { Changed::One(path) })
        });
        named.collect::<Vec<_>>()
    };
    script::read(exec, scope).iter().flat_map(of).collect()
}

/// What a rule is asked about, and whether it is all below that too.
fn name(what: &What) -> (String, bool) {
    let below = |name: &String| format!("{}/{UNKNOWN}", name.trim_end_matches('/'));
    match what {
        What::File(name) => (name.clone(), false),
        What::Tree(name) | What::Below(name, Kind::Any) => (name.clone(), true),
        What::Below(name, Kind::Litter) | What::Within(name) => (below(name), false),
    }
}
