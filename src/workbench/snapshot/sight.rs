//! What an entry of a folder is, as far as it is looked after: a file, a link, a folder, or nothing that is looked into.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use super::tree::{Guides, Place};
use crate::os::tree::{Directory, Kind, Look};
use crate::workbench::ignored::NAMES;

/// What an entry is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sight {
    File(Look),
    Link(Look, OsString),
    Folder { is_left_out: bool },
    LeftOut,
    Pipe(u32),
    Other,
}

/// What an entry is that looks so; none where it has just gone.
pub(super) fn sight(place: &Place, directory: &Directory, name: &OsStr, look: Look) -> Option<Sight> {
    if look.kind == Kind::Directory {
        return Some(of_directory(place, name));
    }
    if place.leaves_out(name, look.kind) && !place.tracks(name) {
        return Some(Sight::LeftOut);
    }
    match look.kind {
        Kind::File => Some(Sight::File(look)),
        Kind::Link => directory.target(name).map(|target| Sight::Link(look, target)),
        Kind::Pipe => Some(Sight::Pipe(look.mode)),
        Kind::Directory | Kind::Other => Some(Sight::Other),
    }
}

/// The same of a directory.
pub(super) fn of_directory(place: &Place, name: &OsStr) -> Sight {
    let is_left_out = place.leaves_out(name, Kind::Directory);
    if is_left_out && !place.tracks(name) { Sight::LeftOut } else { Sight::Folder { is_left_out } }
}

/// Notes how an ignore file looks.
pub(super) fn note_guide(guides: &mut Guides, directory: &Directory, name: &OsStr) {
    // nearly every name ends here
    if name.as_bytes().first() != Some(&b'.') {
        return;
    }
    if let Some((_, guide)) = NAMES.iter().zip(guides).find(|(known, _)| name == **known) {
        *guide = directory.look(name);
    }
}
