//! The local sockets at which somebody outside listens: a view that cannot be written is no hindrance to speaking with them.
//!
//! The kernel lists them by the path by which they were bound (proc(5), `/proc/net/unix`). One that was bound by a relative
//! path is not found, and neither is one that begins to listen after the command has begun.

use std::fs;
use std::path::{Path, PathBuf};

use super::plan::Profile;
use super::steps::{SERVICES, TEMPORARY};

/// Their paths, without links, but for those that no command sees anyway.
pub(super) fn listening(profile: &Profile) -> Vec<PathBuf> {
    let table = fs::read("/proc/net/unix").unwrap_or_default();
    let mut paths: Vec<PathBuf> = paths(&String::from_utf8_lossy(&table))
        .filter_map(|path| Path::new(path).canonicalize().ok())
        .collect();
    let is_writable = |path: &str| profile.writable.iter().any(|root| Path::new(path).starts_with(root));
    let private = TEMPORARY.into_iter().filter(|path| !is_writable(path));
    let unseen: Vec<&str> = SERVICES.into_iter().chain(private).chain(["/dev", "/proc"]).collect();
    paths.retain(|path| !unseen.iter().any(|unseen| path.starts_with(unseen)));
    paths.sort();
    paths.dedup();
    paths
}

/// The eighth column; names without a path begin with `@`.
fn paths(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter_map(|line| line.find(" /").and_then(|at| line.get(at + 1..)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::{UnixDatagram, UnixListener};

    use super::*;

    #[test]
    fn sockets_with_a_path_are_found_and_others_are_not() {
        let table = "Num       RefCount Protocol Flags    Type St Inode Path\n\
                     00000000472c8da0: 00000003 00000000 00000000 0001 03 229829\n\
                     00000000472c8da1: 00000002 00000000 00010000 0001 01  1575 /srv/a b.sock\n\
                     00000000472c8da2: 00000002 00000000 00010000 0001 01  1576 @name/x\n";
        assert_eq!(paths(table).collect::<Vec<_>>(), ["/srv/a b.sock"]);
    }

    #[test]
    fn only_what_a_command_would_see_is_listed() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let _stream = UnixListener::bind(root.join("stream")).unwrap();
        let _datagrams = UnixDatagram::bind(root.join("datagrams")).unwrap();
        let found = |profile: &Profile| {
            let found = listening(profile).into_iter().filter(|path| path.starts_with(&root));
            found.count()
        };
        let is_private = TEMPORARY.iter().any(|temporary| root.starts_with(temporary));
        assert_eq!(found(&Profile::read_only()), if is_private { 0 } else { 2 });
        assert_eq!(found(&Profile::writing(["/".into()])), 2);
    }
}
