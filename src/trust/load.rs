//! What the model may be told: the user's own instructions always, the project's to whoever shows a yes.

use super::Trusted;
use crate::project::{Loaded, Scan, within_limit};

/// Everything that the scan found, for a directory that is trusted.
pub fn load(trusted: &Trusted, scan: &Scan) -> Loaded {
    if !trusted.covers(scan) {
        return load_own(scan);
    }
    with_notes(scan, within_limit(scan.own.iter().chain(&scan.instructions)))
}

/// What is the user's own, whatever the directory.
pub fn load_own(scan: &Scan) -> Loaded {
    with_notes(scan, within_limit(&scan.own))
}

fn with_notes(scan: &Scan, mut loaded: Loaded) -> Loaded {
    loaded.notes.splice(0..0, scan.notes.iter().cloned());
    loaded
}
