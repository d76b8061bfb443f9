//! The demonstration's project: three small files that need nothing but a shell.
//!
//! Each demonstration gets a copy in a directory of its own that nobody else can enter, and that goes with the value.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::TempDir;

use crate::error::{Error, Kind};
use crate::os::env::Env;

/// The files by name.
const FILES: [(&str, &str); 3] = [
    ("README.md", include_str!("sample/README.md")),
    ("cart.sh", include_str!("sample/cart.sh")),
    ("check.sh", include_str!("sample/check.sh")),
];

/// A copy of the project; dropping it removes it.
#[derive(Debug)]
pub(crate) struct Sample(TempDir);

impl Sample {
    /// Makes a copy in the environment's temporary directory.
    ///
    /// # Errors
    /// Where nothing can be written there.
    pub(crate) fn copy(env: &Env) -> Result<Self, Error> {
        let beside = env.path("TMPDIR").unwrap_or(Path::new("/tmp"));
        Self::copy_in(beside).map_err(|error| {
            let message = format!("cannot copy the demo's project to {}: {error}", beside.display());
            Error::new(Kind::Config, message).hint("try TMPDIR=DIR")
        })
    }

    /// Where it is: absolute and without links.
    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    fn copy_in(beside: &Path) -> io::Result<Self> {
        let private = Permissions::from_mode(0o700);
        let name = "clawd-demo-";
        let directory =
            tempfile::Builder::new().prefix(name).permissions(private).tempdir_in(beside.canonicalize()?)?;
        for (name, text) in FILES {
            fs::write(directory.path().join(name), text)?;
        }
        Ok(Self(directory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(temporary: &Path) -> Env {
        Env::from_pairs([("TMPDIR", temporary.as_os_str())])
    }

    #[test]
    fn the_copy_is_private_and_goes_with_its_owner() {
        let temporary = tempfile::tempdir().unwrap();
        let sample = Sample::copy(&env(temporary.path())).unwrap();
        let root = sample.root().to_owned();
        assert_eq!(fs::metadata(&root).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::read_to_string(root.join("cart.sh")).unwrap(), FILES[1].1);
        fs::write(root.join("more"), "what a command left").unwrap();
        drop(sample);
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_link_in_the_way_is_followed_once_and_for_all() {
        let temporary = tempfile::tempdir().unwrap();
        let link = temporary.path().join("link");
        std::os::unix::fs::symlink(temporary.path(), &link).unwrap();
        let sample = Sample::copy(&env(&link)).unwrap();
        assert_eq!(sample.root(), sample.root().canonicalize().unwrap());
    }

    #[test]
    fn where_nothing_can_be_written_the_way_out_is_told() {
        let temporary = tempfile::tempdir().unwrap();
        let error = Sample::copy(&env(&temporary.path().join("absent"))).unwrap_err().to_string();
        assert!(error.contains("absent: ") && error.ends_with("(try TMPDIR=DIR)"), "{error}");
    }
}
