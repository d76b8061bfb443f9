//! Files that decide what is let through: read only where nobody but the user can have written them.
//!
//! Not a matter of secrecy, as [`private_file`](super::paths::private_file) is: such a file may be read by anybody. The surprise:
//! root gets no exception. A file of another user in root's own directory is one that somebody with fewer rights has written.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::file::{FileError, open_regular, read_opened};

/// The whole of a regular file of at most `max` bytes that is the user's, and that nobody else may write.
pub fn read_guarded(path: &Path, max: u64) -> Result<Vec<u8>, FileError> {
    let (file, meta) = open_regular(path)?;
    match shared(meta.uid(), meta.mode(), rustix::process::geteuid().as_raw()) {
        Some(why) => Err(FileError::Untrusted { path: path.to_owned(), why }),
        None => read_opened((file, meta), path, max),
    }
}

/// Why somebody else than `me` could have written a file of this owner and mode.
fn shared(owner: u32, mode: u32, me: u32) -> Option<&'static str> {
    match (owner == me, mode & 0o022) {
        (false, _) => Some("it belongs to another user (try removing it)"),
        (true, 0) => None,
        (true, _) => Some("others may write to it (try removing it)"),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_somebody_else_could_have_written_is_not_used() {
        let check =
            |owner, mode, expected: Option<&str>| assert_eq!(shared(owner, mode, 7), expected, "{mode:o}");
        check(7, 0o100_600, None);
        check(7, 0o100_644, None);
        check(7, 0o100_664, Some("others may write to it (try removing it)"));
        check(7, 0o100_602, Some("others may write to it (try removing it)"));
        check(0, 0o100_600, Some("it belongs to another user (try removing it)"));
    }

    #[test]
    fn the_mode_on_disk_decides() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        fs::write(&path, "x").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        assert_eq!(read_guarded(&path, 1).unwrap(), b"x");
        fs::set_permissions(&path, Permissions::from_mode(0o666)).unwrap();
        let error = read_guarded(&path, 1).unwrap_err().to_string();
        assert!(error.ends_with("f: others may write to it (try removing it)"), "{error}");
    }
}
