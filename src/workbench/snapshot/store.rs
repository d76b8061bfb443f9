//! How long images are kept, and how many.
//!
//! They lie with the sessions that name them, and go with those. Besides, an image goes when it is old, and the oldest go when
//! all of them are too large; a rewind that comes to one of them says that it is gone.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::workbench::blobs::DIRECTORY;

/// All images of all sessions, in bytes.
const MOST: u64 = 1024 * 1024 * 1024;
/// 30 days.
const LONGEST: Duration = Duration::from_hours(30 * 24);

/// One image.
struct Kept {
    written: SystemTime,
    size: u64,
    path: PathBuf,
}

/// Removes images below `all`, the directory of all sessions, that are too old or too many.
pub(super) fn limit(all: &Path, now: SystemTime) {
    limit_to(all, now, MOST);
}

fn limit_to(all: &Path, now: SystemTime, most: u64) {
    let sessions = entries(all).flat_map(|project| entries(&project.path()));
    let mut images: Vec<Kept> = sessions
        .flat_map(|session| entries(&session.path().join(DIRECTORY)))
        .filter_map(|image| kept(&image))
        .collect();
    images.sort_unstable_by_key(|image| image.written);
    let mut total: u64 = images.iter().map(|image| image.size).sum();
    for image in images {
        let is_old = now.duration_since(image.written).is_ok_and(|age| age > LONGEST);
        if !is_old && total <= most {
            return;
        }
        if fs::remove_file(&image.path).is_ok() {
            total -= image.size;
        }
    }
}

fn kept(image: &DirEntry) -> Option<Kept> {
    let meta = image.metadata().ok().filter(fs::Metadata::is_file)?;
    Some(Kept { written: meta.modified().ok()?, size: meta.len(), path: image.path() })
}

fn entries(directory: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    fs::read_dir(directory).into_iter().flatten().flatten()
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    #[test]
    fn old_images_go_and_the_oldest_of_too_many() {
        let dir = tempfile::tempdir().unwrap();
        let now = SystemTime::UNIX_EPOCH + Duration::from_hours(24 * 1_000);
        let day = Duration::from_hours(24);
        let at = |name: &str| dir.path().join(name);
        let files = [
            ("p/a/before/old", 31),
            ("p/a/before/oldest", 40),
            ("p/b/before/three", 3),
            ("q/c/before/two", 2),
            ("q/c/before/one", 1),
            ("q/c/output", 50),
            ("q/c.jsonl", 50),
        ];
        for (name, age) in files {
            fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            fs::write(at(name), "1234").unwrap();
            File::options().write(true).open(at(name)).unwrap().set_modified(now - day * age).unwrap();
        }
        let left =
            || files.iter().map(|(name, _)| *name).filter(|name| at(name).exists()).collect::<Vec<_>>();
        limit_to(dir.path(), now, 1_000);
        assert_eq!(
            left(),
            ["p/b/before/three", "q/c/before/two", "q/c/before/one", "q/c/output", "q/c.jsonl"]
        );
        limit_to(dir.path(), now, 9);
        assert_eq!(left(), ["q/c/before/two", "q/c/before/one", "q/c/output", "q/c.jsonl"]);
    }
}
