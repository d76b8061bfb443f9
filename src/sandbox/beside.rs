//! The helper's own small program, which is installed beside ours.
//!
//! Only that one, and only if nobody else can have put it there; whether it is of our build shows in the trial. The
//! surprise: it is kept open and started by its descriptor, so an update that replaces it changes nothing for us.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, open};

use crate::os::programs;

/// Its name.
const NAME: &str = "clawd-hold";

/// A program that is held open.
#[derive(Clone, Debug)]
pub(super) struct Beside {
    pub(super) path: PathBuf,
    // held for its number
    _file: Arc<OwnedFd>,
}

/// The helper beside a program; `None` where there is none that can be trusted.
pub(super) fn beside(program: &Path) -> Option<Beside> {
    let directory = program.parent()?.to_owned();
    let helper = programs::program(NAME, &[directory])?;
    held(&helper).ok()
}

fn held(helper: &Path) -> io::Result<Beside> {
    let file = open(helper, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd()).into();
    Ok(Beside { path, _file: Arc::new(file) })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_a_helper_that_nobody_else_can_have_put_there_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let (program, helper) = (dir.path().join("clawd"), dir.path().join(NAME));
        assert!(beside(&program).is_none(), "there is none");
        fs::write(&helper, "").unwrap();
        for (mode, expected) in [(0o644, false), (0o755, true), (0o777, false), (0o775, false)] {
            fs::set_permissions(&helper, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(beside(&program).is_some(), expected, "{mode:o}");
        }
    }

    #[test]
    fn what_replaces_it_is_not_taken_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let helper = dir.path().join(NAME);
        fs::write(&helper, "old").unwrap();
        fs::set_permissions(&helper, fs::Permissions::from_mode(0o755)).unwrap();
        let beside = beside(&dir.path().join("clawd")).unwrap();
        fs::remove_file(&helper).unwrap();
        fs::write(&helper, "new").unwrap();
        assert_eq!(fs::read(&beside.path).unwrap(), b"old");
    }
}
