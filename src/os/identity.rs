//! Which file something is, whatever it is called.
//!
//! Only as long as it exists: what is made later may be given the same number again.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// The device and the number on it: two names with the same one are the same file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// That of what was looked at: of a link's own where no link was followed.
    #[must_use]
    pub fn of(meta: &Metadata) -> Self {
        Self { device: meta.dev(), inode: meta.ino() }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_second_name_is_the_same_file_and_a_copy_is_another() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("a"), "x").unwrap();
        fs::hard_link(at("a"), at("b")).unwrap();
        fs::copy(at("a"), at("c")).unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|name| Identity::of(&fs::metadata(at(name)).unwrap()));
        assert_eq!(a, b);
        assert_ne!(a, c);
    }
}
