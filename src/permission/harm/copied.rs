//! Programs that put files elsewhere: `cp`, `mv`, `install`, `ln`, `rsync`, `scp`.

use super::args::Args;
use super::deed::{Deed, What};
use crate::permission::script::UNKNOWN;

/// Long options of the copying programs of coreutils whose value may be the next word.
const LONG: [&str; 9] = [
    "target-directory",
    "suffix",
    "sparse",
    "no-preserve",
    "mode",
    "owner",
    "group",
    "strip-program",
    "context",
];

/// Those of `rsync`.
const LONG_OF_RSYNC: [&str; 27] = [
    "backup-dir",
    "block-size",
    "bwlimit",
    "chmod",
    "chown",
    "compare-dest",
    "compress-level",
    "copy-dest",
    "debug",
    "exclude",
    "exclude-from",
    "files-from",
    "filter",
    "include",
    "include-from",
    "info",
    "link-dest",
    "log-file",
    "max-size",
    "min-size",
    "out-format",
    "partial-dir",
    "port",
    "rsh",
    "rsync-path",
    "temp-dir",
    "timeout",
];

/// Everything that `cp`, `mv`, `install` or `ln` with these words would do.
pub(super) fn deeds(program: &str, words: &[String]) -> Vec<Deed> {
    let args = Args::read(words, if program == "install" { "g:m:o:t:S:" } else { "t:S:" }, &LONG);
    if program == "install" && args.has('d', "directory") {
        return args.operands.into_iter().map(|name| Deed::Changes(What::File(name))).collect();
    }
    let keeps = match program {
        "ln" => !args.has('f', "force"),
        _ => args.has('n', "no-clobber"),
    };
    let put = |name| if keeps { Deed::Changes(What::File(name)) } else { Deed::Replaces(What::File(name)) };
    let is_tree = program == "mv"
        || args.has('r', "recursive")
        || args.has('R', "recursive")
        || args.has('a', "archive");
    let target = args.values('t', "target-directory").last().cloned();
    let (from, to) = parted(args.operands, target);
    let landed = match &to {
        Some(to) => to.names(&from),
        // a link alone is made here
        None if program == "ln" => from.iter().map(|path| end(path)).collect(),
        None => return Vec::new(),
    };
    let below = landed.iter().filter(|_| is_tree).cloned().map(|name| Deed::Changes(What::Within(name)));
    let taken = from.iter().filter(|_| program == "mv").cloned().map(|name| Deed::Changes(What::Tree(name)));
    let deeds = landed.iter().cloned().map(put);
    deeds.chain(below).chain(taken).collect()
}

/// The symbolic links that `ln` with these words would make, each with its target. Where the last word may be a directory or not, both are
/// given.
pub(super) fn links(words: &[String]) -> Vec<(String, String)> {
    let args = Args::read(words, "t:S:", &LONG);
    if !args.has('s', "symbolic") {
        return Vec::new();
    }
    let target = args.values('t', "target-directory").last().cloned();
    let (from, to) = parted(args.operands, target);
    let names = |path: &String| match &to {
        Some(to) => to.names(std::slice::from_ref(path)),
        None => vec![end(path)],
    };
    from.iter().flat_map(|path| names(path).into_iter().map(|name| (name, path.clone()))).collect()
}

/// Everything that `rsync` with these words would do.
pub(super) fn synced(words: &[String]) -> Vec<Deed> {
    let args = Args::read(words, "B:T:e:f:M:@:", &LONG_OF_RSYNC);
    if args.has('n', "dry-run") {
        return Vec::new();
    }
    let says = |option: &str| words.iter().any(|word| word.starts_with(option));
    let (from, to) = parted(args.operands, None);
    let mut deeds = Vec::new();
    let delete = |path: &String| {
        if is_remote(path) {
            Deed::Other("deletes files on another machine")
        } else {
            Deed::Deletes(What::Tree(path.clone()))
        }
    };
    deeds.extend(to.iter().filter(|_| says("--del")).map(|to| delete(&to.path)));
    deeds.extend(from.iter().take(1).filter(|_| says("--remove-source")).map(delete));
    if let Some(to) = to.filter(|to| !is_remote(&to.path)) {
        let names = to.names(&from).into_iter().chain([to.path]);
        deeds.extend(
            names.flat_map(|name| {
                [Deed::Changes(What::Within(name.clone())), Deed::Changes(What::File(name))]
            }),
        );
    }
    deeds
}

/// Everything that `scp` with these words would do here.
pub(super) fn fetched(words: &[String]) -> Vec<Deed> {
    let args = Args::read(words, "D:F:J:P:S:X:c:i:l:o:", &[]);
    let is_tree = args.has('r', "");
    let (from, to) = parted(args.operands, None);
    let names = to.filter(|to| !is_remote(&to.path)).map_or_else(Vec::new, |to| to.names(&from));
    let below = names.iter().filter(|_| is_tree).cloned().map(|name| Deed::Changes(What::Within(name)));
    let put = names.iter().cloned().map(|name| Deed::Replaces(What::File(name)));
    put.chain(below).collect()
}

/// `host:path`, unless a slash comes first.
fn is_remote(path: &str) -> bool {
    path.split('/').next().is_some_and(|start| start.contains(':'))
}

/// Where files go to.
pub(super) struct To {
    path: String,
    /// Whether it can only be a directory.
    is_directory: bool,
}

/// What goes, and where to: to the last operand, unless an option has said it.
pub(super) fn parted(mut operands: Vec<String>, target: Option<String>) -> (Vec<String>, Option<To>) {
    let is_option = target.is_some();
    let last = if is_option || operands.len() < 2 { None } else { operands.pop() };
    let to = target.or(last);
    let to = to.map(|path| To { is_directory: is_option || operands.len() > 1 || path.ends_with('/'), path });
    (operands, to)
}

impl To {
    /// The names that files get there. What may be a directory or not gets both.
    pub(super) fn names(&self, from: &[String]) -> Vec<String> {
        let below = self.path.trim_end_matches('/');
        let itself = (!self.is_directory).then(|| self.path.clone());
        itself.into_iter().chain(from.iter().map(|path| format!("{below}/{}", end(path)))).collect()
    }
}

/// The last part of a path; unknown where it is a pattern.
fn end(path: &str) -> String {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    if name.contains(['*', '?', UNKNOWN]) { UNKNOWN.to_string() } else { name.to_owned() }
}
