//! Rights of the superuser's: given up by the calling thread, for itself and for whatever it starts.
//!
//! All of it is a thread's own business in Linux, so the rest of the program keeps what it has. Nothing here can be undone,
//! which is the point. The surprise: for the superuser it is more than tidiness. A process with capabilities may look into
//! every other one, whatever Landlock says, and would read the key in the program's own environment.

use std::io;

use rustix::io::Errno;
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_capabilities_secure_bits, set_no_new_privs,
};

/// Gives up every capability, and every way to be given one: by being the superuser, by the ambient set, by a file's own.
pub fn drop_all() -> io::Result<()> {
    // without this right the two others are refused; it is the last to go
    if capabilities(None)?.effective.contains(CapabilitySet::SETPCAP) {
        forget_the_superuser()?;
        empty_the_bounding_set()?;
    }
    clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?;
    Ok(())
}

/// What lets the superuser look into other processes, and so into this one: no command that is started from here on has it,
/// held or not. This thread keeps it.
pub fn keep_from_children() -> io::Result<()> {
    let own = capabilities(None)?;
    if !own.effective.contains(CapabilitySet::SETPCAP) {
        return Ok(());
    }
    let looks = CapabilitySet::SYS_PTRACE | CapabilitySet::PERFMON;
    for one in [CapabilitySet::SYS_PTRACE, CapabilitySet::PERFMON] {
        match remove_capability_from_bounding_set(one) {
            // an older kernel does not know the second
            Ok(()) | Err(Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(set_capabilities(None, CapabilitySets { inheritable: own.inheritable - looks, ..own })?)
}

/// From here on no program that is started has more rights than this thread: not by its owner, not by its mode.
pub fn no_new_privileges() -> io::Result<()> {
    Ok(set_no_new_privs(true)?)
}

/// The number 0 means nothing any more, for good (capabilities(7), "The securebits flags").
fn forget_the_superuser() -> io::Result<()> {
    let bits = CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::KEEP_CAPS_LOCKED
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED;
    Ok(set_capabilities_secure_bits(bits)?)
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::thread;

    use super::*;

    fn status(key: &str) -> String {
        let status = fs::read_to_string("/proc/thread-self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with(key)).unwrap();
        line.split_whitespace().nth(1).unwrap().to_owned()
    }

    #[test]
    fn a_thread_that_gave_all_up_has_nothing_and_the_others_keep_theirs() {
        let before = status("CapEff");
        let bounding = status("CapBnd");
        let was_able = before != "0000000000000000";
        let (sets, bound, privileges) = thread::spawn(|| {
            no_new_privileges().unwrap();
            drop_all().unwrap();
            let sets = ["CapInh", "CapPrm", "CapEff", "CapAmb"].map(status);
            (sets, status("CapBnd"), status("NoNewPrivs"))
        })
        .join()
        .unwrap();
        assert_eq!(sets, ["0000000000000000"; 4].map(str::to_owned));
        assert_eq!(bound, if was_able { "0000000000000000".to_owned() } else { bounding });
        assert_eq!(privileges, "1");
        assert_eq!(status("CapEff"), before);
    }
}
