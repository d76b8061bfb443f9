//! The last thing before the command: every privilege is given up, for good.
//!
//! The view alone does not hold whoever may change it. After this nobody in there may: no capability is left nor to be
//! had, and no program gives more than its caller has.

use std::io;

use super::super::plan::Profile;
use super::super::{Tier, caps, files, seccomp};

/// Holds this process, and all that it starts, to what it may do. Landlock and the filter are a second lock on doors that the
/// view has closed, and the only one on some that no view has: system calls, and signals to whoever is not in it.
pub(super) fn seal(profile: &Profile) -> io::Result<()> {
    caps::no_new_privileges()?;
    caps::drop_all()?;
    files::restrict(profile, Tier::Namespaces)?;
    // the last: it would refuse some of the others
    seccomp::restrict(profile.network, Tier::Namespaces)
}
