//! Which parts of the file tree the kernel makes: their files are regular to the eye only.
//!
//! Only where they are; that one of them is not opened is the affair of [`file`](super::file).

#[cfg(target_os = "linux")]
use std::ffi::OsStr;
#[cfg(target_os = "linux")]
use std::fs;
use std::fs::File;
#[cfg(target_os = "linux")]
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Where views into the kernel (`/proc`) are to be found at or below a directory: their files are regular to the eye only.
/// Asked once for a whole tree, for asking each of its directories would cost a twentieth of the way through it.
#[cfg(target_os = "linux")]
pub fn kernel_views(root: &Path) -> Vec<PathBuf> {
    if rustix::fs::statfs(root).is_ok_and(|fs| fs.f_type == rustix::fs::PROC_SUPER_MAGIC) {
        return vec![root.to_owned()];
    }
    let mounts = fs::read("/proc/self/mountinfo").unwrap_or_default();
    mounts
        .split(|byte| *byte == b'\n')
        .filter_map(proc_mount)
        .filter(|place| place.starts_with(root))
        .collect()
}

/// Where views into the kernel are to be found: nowhere here.
#[cfg(not(target_os = "linux"))]
pub fn kernel_views(_root: &Path) -> Vec<PathBuf> {
    Vec::new()
}

/// The place of a mount, if a line of the system's table (`36 35 98:0 / /proc rw - proc proc rw`) is for such a view.
#[cfg(target_os = "linux")]
fn proc_mount(line: &[u8]) -> Option<PathBuf> {
    let mut fields = line.split(|byte| *byte == b' ');
    let place = fields.nth(4)?;
    // what lies between is optional, and ends with a dash
    fields.find(|field| *field == b"-")?;
    (fields.next()? == b"proc").then(|| OsStr::from_bytes(place).into())
}

/// Whether an open file is such a view.
#[cfg(target_os = "linux")]
pub(super) fn is_proc(file: &File) -> bool {
    rustix::fs::fstatfs(file).is_ok_and(|fs| fs.f_type == rustix::fs::PROC_SUPER_MAGIC)
}

/// Whether an open file is such a view: none is here.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_proc(_file: &File) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn views_into_the_kernel_are_known() {
        let check = |line: &str, expected: Option<&str>| {
            assert_eq!(proc_mount(line.as_bytes()), expected.map(PathBuf::from), "{line}");
        };
        check("36 35 0:4 / /proc rw,nosuid shared:12 - proc proc rw", Some("/proc"));
        check("36 35 0:4 / /jail/proc rw - proc none rw", Some("/jail/proc"));
        check("36 35 8:1 / /proc rw - ext4 /dev/sda rw", None);
        check("", None);
        assert!(kernel_views(Path::new("/")).contains(&PathBuf::from("/proc")));
        assert_eq!(kernel_views(Path::new("/proc/self")), [PathBuf::from("/proc/self")]);
        assert_eq!(kernel_views(Path::new("/usr")), Vec::<PathBuf>::new());
    }
}
