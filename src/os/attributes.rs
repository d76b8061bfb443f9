//! Properties of a file that a new file in the same directory would not have, or would have in addition: access lists,
//! extended attributes, a mount on it.

use std::fs::File;
use std::path::Path;

/// Whether the file has access lists or other attributes that a new file would lack.
#[cfg(target_os = "linux")]
pub(super) fn has_attributes(path: &Path) -> bool {
    let mut names = [0_u8; 1024];
    match rustix::fs::listxattr(path, &mut names) {
        // every file has a label where SELinux runs, and a new one gets it by itself
        Ok(length) => {
            let names = names.get(..length).unwrap_or_default();
            names.split(|byte| *byte == 0).any(|name| !name.is_empty() && name != b"security.selinux")
        }
        Err(error) => error == rustix::io::Errno::RANGE,
    }
}

/// Removes the access list that a new file has inherited from the default list of its directory: `chmod` would give those
/// named in it the rights of the group. False if it is still there.
#[cfg(target_os = "linux")]
pub(super) fn drop_access_list(file: &File) -> bool {
    use rustix::io::Errno;

    match rustix::fs::fremovexattr(file, "system.posix_acl_access") {
        // there was none, or the file system has no such lists
        Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP) => true,
        Err(_) => false,
    }
}

/// Whether something is mounted on the file itself, as containers do with single files. No other file can get its name.
#[cfg(target_os = "linux")]
pub(super) fn is_mount_point(path: &Path) -> bool {
    use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};

    let found = statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::empty());
    found.is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn has_attributes(_path: &Path) -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
pub(super) fn drop_access_list(_file: &File) -> bool {
    true
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_mount_point(_path: &Path) -> bool {
    false
}
