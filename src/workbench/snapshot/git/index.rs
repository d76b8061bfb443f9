//! Git's index, read as bytes: which files it tracks, what the system said of each when git last knew it to be what is
//! stored, and under which name that is stored.
//!
//! Nothing is written, and git is not asked. Versions 2 to 4 are understood, with names of either hash. The surprise: an index
//! that is kept in two parts counts as none, for what one part says the other may take back; then files are copied.

use std::ops::Range;

use crate::os::tree::{Kind, Look};

/// The name of a stored object. Names of 20 bytes are filled up with zeros.
pub(in crate::workbench) type Id = [u8; 32];

const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;

const SECOND: i64 = 1_000_000_000;

/// What git knows, in the order of the paths.
#[derive(Debug, Default)]
pub(super) struct Index {
    entries: Vec<Entry>,
    /// All paths, one behind the other.
    paths: Vec<u8>,
}

/// A file that git tracks.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    path: Range<u32>,
    changed: (u32, u32),
    modified: (u32, u32),
    inode: u32,
    mode: u32,
    size: u32,
    pub(super) id: Id,
}

impl Index {
    /// What these bytes say; `name` is the length of a stored object's name in bytes. None where they are no index, or one that
    /// is not understood.
    pub(super) fn read(bytes: &[u8], name: usize) -> Option<Self> {
        let mut reader = Reader { bytes, at: 0, entry: 0, name };
        if reader.take(4)? != b"DIRC" {
            return None;
        }
        let (version, count) = (reader.word()?, reader.word()?);
        if !(2..=4).contains(&version) {
            return None;
        }
        let mut index = Self::default();
        let mut path = Vec::new();
        for _ in 0..count {
            let (mut entry, flags) = reader.entry(version)?;
            match version {
                4 => reader.shortened(&mut path)?,
                _ => reader.padded(&mut path)?,
            }
            // of a file in conflict there are several
            if flags & STAGE == 0 {
                let start = u32::try_from(index.paths.len()).ok()?;
                index.paths.extend_from_slice(&path);
                entry.path = start..u32::try_from(index.paths.len()).ok()?;
                index.entries.push(entry);
            }
        }
        (!reader.has_other_part()?).then_some(index)
    }

    /// The file at this path, from the top of the work tree on.
    pub(super) fn find(&self, path: &[u8]) -> Option<&Entry> {
        let at = self.entries.binary_search_by(|entry| self.path(entry).cmp(path)).ok()?;
        self.entries.get(at)
    }

    /// Whether git tracks the file at this path, or one in the directory there.
    pub(super) fn tracks(&self, path: &[u8]) -> bool {
        let is_below = |entry: &[u8]| entry.starts_with(path) && entry.get(path.len()) == Some(&b'/');
        let directory = [path, b"/"].concat();
        let next = self.entries.partition_point(|entry| self.path(entry) < directory.as_slice());
        self.find(path).is_some() || self.entries.get(next).is_some_and(|entry| is_below(self.path(entry)))
    }

    /// Whether one of the first `most` files is not as long as git knows it. `length` is that of a regular file at a path.
    pub(super) fn has_other_length(&self, most: usize, length: impl Fn(&[u8]) -> Option<u64>) -> bool {
        self.entries.iter().take(most).any(|entry| {
            // git writes 0 for files that it has to compare, and for those that are only announced
            entry.size != 0
                && entry.mode & 0o170_000 == 0o100_000
                && length(self.path(entry))
                    .is_some_and(|length| length & u64::from(u32::MAX) != u64::from(entry.size))
        })
    }

    fn path(&self, entry: &Entry) -> &[u8] {
        let (start, end) = (entry.path.start as usize, entry.path.end as usize);
        self.paths.get(start..end).unwrap_or_default()
    }
}

impl Entry {
    /// Whether the file is as git last saw it, by git's own rule: what was changed in the moment in which the index was
    /// `written` (in nanoseconds since 1970) could have changed behind its back, and counts as changed.
    pub(super) fn is_clean(&self, look: &Look, written: i64) -> bool {
        let (seconds, part) = self.modified;
        let is_old = match part {
            0 => i64::from(seconds) < written.div_euclid(SECOND),
            part => i64::from(seconds) * SECOND + i64::from(part) < written,
        };
        is_old
            && look.kind == Kind::File
            && self.mode & 0o170_000 == 0o100_000
            && u64::from(self.size) == look.size
            && (self.inode == 0 || u64::from(self.inode) == look.inode & u64::from(u32::MAX))
            && is_time(self.modified, look.modified)
            && is_time(self.changed, look.changed)
    }
}

/// Some write no parts of seconds.
fn is_time((seconds, part): (u32, u32), time: i64) -> bool {
    i64::from(seconds) == time.div_euclid(SECOND) && (part == 0 || i64::from(part) == time.rem_euclid(SECOND))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the entry began that is being read.
    entry: usize,
    name: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    fn word(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn half(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    /// All of an entry but its path, and its flags.
    fn entry(&mut self, version: u32) -> Option<(Entry, u16)> {
        self.entry = self.at;
        let (changed, modified) = ((self.word()?, self.word()?), (self.word()?, self.word()?));
        let (_device, inode, mode) = (self.word()?, self.word()?, self.word()?);
        let (_user, _group, size) = (self.word()?, self.word()?, self.word()?);
        let mut id = [0; 32];
        id.get_mut(..self.name)?.copy_from_slice(self.take(self.name)?);
        let flags = self.half()?;
        if version > 2 && flags & EXTENDED != 0 {
            self.half()?;
        }
        Some((Entry { path: 0..0, changed, modified, inode, mode, size, id }, flags))
    }

    /// A path that ends with one to eight zeros, so that the next entry begins at a multiple of eight.
    fn padded(&mut self, path: &mut Vec<u8>) -> Option<()> {
        path.clear();
        self.until_zero(path)?;
        let length = self.at.checked_sub(self.entry)?;
        self.take(length.next_multiple_of(8) - length)?;
        Some(())
    }

    /// A path of which only that is written by which it differs from the one before.
    fn shortened(&mut self, path: &mut Vec<u8>) -> Option<()> {
        let dropped = self.number()?;
        path.truncate(path.len().checked_sub(dropped)?);
        self.until_zero(path)
    }

    fn until_zero(&mut self, path: &mut Vec<u8>) -> Option<()> {
        let rest = self.bytes.get(self.at..)?;
        let end = rest.iter().position(|byte| *byte == 0)?;
        path.extend_from_slice(self.take(end)?);
        self.take(1)?;
        Some(())
    }

    /// A number as git writes offsets.
    fn number(&mut self) -> Option<usize> {
        let mut byte = *self.take(1)?.first()?;
        let mut number = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = *self.take(1)?.first()?;
            number = number.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 0x7f))?;
        }
        Some(number)
    }

    /// Whether what follows the entries says that there is another part of the index.
    fn has_other_part(&mut self) -> Option<bool> {
        while self.bytes.len().checked_sub(self.at)? > self.name {
            let signature = self.take(4)?;
            if signature == b"link" {
                return Some(true);
            }
            let length = usize::try_from(self.word()?).ok()?;
            self.take(length)?;
        }
        Some(false)
    }
}
