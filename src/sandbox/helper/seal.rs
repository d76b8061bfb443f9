//! The last thing before the command: every privilege is given up, for good.
//!
//! The view alone does not hold whoever may change it. After this nobody in there may: no capability is left nor to be
//! had, and no program gives more than its caller has.

use std::io;

use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_no_new_privs,
};

use super::super::plan::Profile;

/// Holds this process, and all that it starts, to what it may do.
pub(super) fn seal(_profile: &Profile) -> io::Result<()> {
    clear_ambient_capability_set()?;
    // `bwrap` has given it up already for those who are not the superuser, and all others with it
    if capabilities(None)?.effective.contains(CapabilitySet::SETPCAP) {
        empty_the_bounding_set()?;
    }
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    set_no_new_privs(true)?;
    Ok(())
}

/// One after another, as many as the kernel knows; it may know more than this file.
fn empty_the_bounding_set() -> io::Result<()> {
    for number in 0..u64::BITS {
        match remove_capability_from_bounding_set(CapabilitySet::from_bits_retain(1 << number)) {
            Ok(()) => {}
            Err(Errno::INVAL) => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
