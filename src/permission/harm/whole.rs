//! The directories that a command would copy with all below them, as far as its words tell.
//!
//! For deny and ask rules about reads: what `Read` may not show, no copy may carry to another place. Searches, which
//! can leave a file out, are in `searched`.

use std::path::PathBuf;

use super::args::Args;
use crate::permission::scope::Scope;
use crate::permission::script::{self, Command};
use crate::protocol::ExecAccess;

/// All of them, as absolute paths.
pub(in crate::permission) fn copied_whole(exec: &ExecAccess, scope: &Scope) -> Vec<PathBuf> {
    let of = |command: &Command| {
        let cwd = command.cwd.as_deref().unwrap_or(&exec.cwd);
        let paths = names(command).into_iter().filter_map(|name| scope.path_of(cwd, &name));
        paths.flat_map(|path| [scope.links.follow(&path), path]).collect::<Vec<_>>()
    };
    script::read(exec, scope).iter().flat_map(of).collect()
}

fn names(command: &Command) -> Vec<String> {
    let rest = command.words.get(1..).unwrap_or_default();
    let args = |short: &str, long: &[&str]| Args::read(rest, short, long);
    let is_recursive =
        |args: &Args| args.has('r', "recursive") || args.has('R', "recursive") || args.has('a', "archive");
    match script::program(&command.words) {
        "cp" | "scp" => {
            let args = args("t:S:P:i:o:", &["target-directory", "suffix"]);
            if is_recursive(&args) { args.operands } else { Vec::new() }
        }
        "rsync" => args("B:T:e:f:M:", &["exclude", "include", "rsh"]).operands,
        "tar" | "bsdtar" | "gtar" => {
            let packs = rest.first().is_some_and(|word| !word.starts_with("--") && word.contains('c'));
            let args = args("b:C:f:I:T:X:", &["directory", "file", "exclude", "exclude-from", "files-from"]);
            let places = args.values('C', "directory").cloned().collect::<Vec<_>>();
            if packs || args.has('c', "create") { [args.operands, places].concat() } else { Vec::new() }
        }
        "zip" => {
            let args = args("b:i:n:P:t:x:", &[]);
            if is_recursive(&args) { args.operands } else { Vec::new() }
        }
        _ => Vec::new(),
    }
}
