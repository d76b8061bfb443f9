//! A place that sandboxed commands can see.
//!
//! A room has a `/tmp` and a `/var/tmp` of its own, so what a test lays out for one must lie elsewhere: among the compiler's
//! results, or where those are in a temporary directory themselves, among the system's caches or in the home.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// What a room covers.
const COVERED: [&str; 2] = ["/tmp", "/var/tmp"];

/// A directory for a test, in view and open to others; none where there is no such place that this user may write.
pub(crate) fn place(prefix: &str) -> Option<TempDir> {
    let builder = || {
        let mut builder = tempfile::Builder::new();
        builder.prefix(prefix).permissions(Permissions::from_mode(0o755)).to_owned()
    };
    // the superuser's home is closed to nobody, as whom some tests go on
    let roots = [env!("CARGO_TARGET_TMPDIR"), "/var/cache"].map(PathBuf::from);
    let home = std::env::var_os("HOME").map(PathBuf::from);
    roots
        .into_iter()
        .chain(home)
        .filter(|root| is_in_view(root))
        .find_map(|root| builder().tempdir_in(root).ok())
}

/// A program to be started in a room: itself, or a copy in `place` where it cannot be seen.
pub(crate) fn program(path: &Path, place: &Path) -> PathBuf {
    if is_in_view(path) {
        return path.to_owned();
    }
    let copy = place.join(path.file_name().unwrap());
    if !copy.exists() {
        std::fs::copy(path, &copy).unwrap();
    }
    copy
}

fn is_in_view(path: &Path) -> bool {
    path.canonicalize().is_ok_and(|path| !COVERED.iter().any(|covered| path.starts_with(covered)))
}
