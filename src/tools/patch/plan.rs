//! What a patch would make of the files, without a write: the present files are read, the parts are applied one after
//! another in memory, and what differs in the end are the steps.
//!
//! So a file may be named twice, be deleted and added again, or be changed after it was moved. Every file that is there
//! must be known to the model as it is. The surprise: a deleted or moved name must not be a link. What is judged is where
//! a link leads, and that is not what would go.

use std::fs;
use std::path::Path;

use super::form::{Deed, Hunk, Part};
use super::hunks;
use super::place;
use super::told;
use crate::os::file::FileError;
use crate::tools::change::{self, Before, Change, Step};
use crate::tools::target::Target;
use crate::workbench::files::MOST_HASHED;
use crate::workbench::{Image, Stale, Workbench};

/// A part of a patch with the files that it names.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) part: Part,
    pub(super) target: Target,
    /// Where it is moved.
    pub(super) to: Option<Target>,
}

/// What is to be done.
pub(super) struct Plan {
    /// For each file, in the order in which the patch names them first.
    pub(super) steps: Vec<Step>,
    /// Lines of the patch whose hunks were found but for blanks or typography.
    pub(super) loose: Vec<usize>,
}

/// Plans all parts; the first that cannot be is the error. Writes nothing.
pub(super) fn plan(parts: &[Named], bench: &Workbench) -> Result<Plan, String> {
    unread(parts, bench)?;
    let mut board = Board { bench, files: Vec::new() };
    let mut loose = Vec::new();
    for named in parts {
        match &named.part.deed {
            Deed::Add(lines) => board.add(named, lines)?,
            Deed::Delete => board.delete(named)?,
            Deed::Update { hunks, .. } => loose.extend(board.update(named, hunks)?),
        }
    }
    let steps = board.steps();
    if steps.is_empty() {
        return Err("Error: the patch changes nothing: the files are as it says already".to_owned());
    }
    Ok(Plan { steps, loose })
}

/// All files that were never read are told at once: reading them one by one would cost a call each.
fn unread(parts: &[Named], bench: &Workbench) -> Result<(), String> {
    let known = |named: &&Named| bench.files().knows(&named.target.resolved);
    let mut shown: Vec<&str> = Vec::new();
    for named in parts.iter().filter(|named| !matches!(named.part.deed, Deed::Add(_)) && !known(named)) {
        let name = named.target.shown.as_str();
        let made_here = parts.iter().any(|other| other.makes(&named.target.resolved));
        if named.target.resolved.is_file() && !made_here && !shown.contains(&name) {
            shown.push(name);
        }
    }
    match shown.as_slice() {
        [] => Ok(()),
        [only] => Err(format!("Error: cannot edit {only}: {}", Stale::Unread)),
        many => Err(format!(
            "Error: cannot edit {}: they have not been read in this session: Read them first",
            many.join(", ")
        )),
    }
}

impl Named {
    /// Whether this part makes the file.
    fn makes(&self, path: &Path) -> bool {
        match &self.part.deed {
            Deed::Add(_) => self.target.resolved == path,
            Deed::Update { .. } => self.to.as_ref().is_some_and(|to| to.resolved == path),
            Deed::Delete => false,
        }
    }

    fn error(&self, why: &str) -> String {
        format!("Error: line {} of the patch: {why}; nothing was changed", self.part.line)
    }
}

/// The files as the patch has left them so far.
struct Board<'a> {
    bench: &'a Workbench,
    files: Vec<File>,
}

struct File {
    target: Target,
    /// What it holds on the disk.
    disk: Option<Image>,
    /// What it holds now.
    now: Option<Vec<u8>>,
    /// Which file on the disk it was, if it was moved here.
    origin: Option<usize>,
}

impl Board<'_> {
    fn add(&mut self, named: &Named, lines: &[String]) -> Result<(), String> {
        let shown = &named.target.shown;
        let at = self.free(named, &named.target)?;
        if self.files.iter().any(|file| file.origin == Some(at)) {
            return Err(
                named.error(&format!("{shown} is moved away in this patch: add it with another call"))
            );
        }
        let text = lines.join("\n");
        change::is_real(self.bench, &named.target, &text, &[])?;
        let mut bytes = text.into_bytes();
        if !lines.is_empty() {
            bytes.push(b'\n');
        }
        self.set(at, Some(bytes));
        Ok(())
    }

    fn delete(&mut self, named: &Named) -> Result<(), String> {
        not_a_link(named, "delete")?;
        let at = self.present(named, &[])?;
        self.set(at, None);
        Ok(())
    }

    fn update(&mut self, named: &Named, hunks: &[Hunk]) -> Result<Vec<usize>, String> {
        let at = self.present(named, hunks)?;
        let before = self.files.get(at).and_then(|file| file.now.clone()).unwrap_or_default();
        let added: Vec<&str> = hunks.iter().flat_map(Hunk::added).collect();
        if let Some(why) = place::unfit(&before, &added.join("\n")).filter(|_| !hunks.is_empty()) {
            return Err(named.error(&format!("cannot edit {}: {why}", named.target.shown)));
        }
        change::is_real(self.bench, &named.target, &added.join("\n"), &before)?;
        let patched = hunks::apply(&before, hunks)
            .map_err(|misfit| told::misfit(&named.target.shown, &before, hunks, &misfit))?;
        match &named.to {
            None => self.set(at, Some(patched.bytes)),
            Some(to) => self.move_to(named, at, to, patched.bytes)?,
        }
        Ok(patched.loose)
    }

    fn move_to(&mut self, named: &Named, from: usize, to: &Target, bytes: Vec<u8>) -> Result<(), String> {
        if to.resolved == named.target.resolved {
            return Err(named.error(&format!("{} is moved to itself", named.target.shown)));
        }
        not_a_link(named, "move")?;
        let at = self.free(named, to)?;
        if self.files.get(at).is_some_and(|file| file.disk.is_some()) {
            let why =
                format!("{} is deleted in this patch: move another file there with another call", to.shown);
            return Err(named.error(&why));
        }
        let origin = self.files.get(from).and_then(|file| file.origin.or(file.disk.as_ref().map(|_| from)));
        self.set(from, None);
        self.set(at, Some(bytes));
        if let Some(file) = self.files.get_mut(at) {
            file.origin = origin;
        }
        Ok(())
    }

    fn set(&mut self, at: usize, bytes: Option<Vec<u8>>) {
        if let Some(file) = self.files.get_mut(at) {
            file.now = bytes;
            file.origin = None;
        }
    }

    /// The file of a part, which must be there now, and known to the model.
    fn present(&mut self, named: &Named, hunks: &[Hunk]) -> Result<usize, String> {
        let target = &named.target;
        if let Some(at) = self.find(target) {
            let is_there = self.files.get(at).is_some_and(|file| file.now.is_some());
            return is_there
                .then_some(at)
                .ok_or_else(|| named.error(&format!("{} is gone by then", target.shown)));
        }
        let read = target.pinned().and_then(|file| file.read(MOST_HASHED));
        let image = Image::of(read.map_err(|error| target.unreadable(&error))?);
        match self.bench.files().check(&target.resolved, &image.stamp()) {
            Ok(()) => {}
            Err(Stale::Unread) => {
                return Err(format!("Error: cannot edit {}: {}", target.shown, Stale::Unread));
            }
            Err(Stale::Changed) => {
                let (told, shown) = told::changed(&target.shown, image.bytes(), hunks);
                if shown {
                    self.bench.files().note(&target.resolved, image.stamp());
                }
                return Err(told);
            }
        }
        let now = Some(image.bytes().to_owned());
        self.files.push(File { target: target.clone(), disk: Some(image), now, origin: None });
        Ok(self.files.len() - 1)
    }

    /// A name under which nothing is now.
    fn free(&mut self, named: &Named, target: &Target) -> Result<usize, String> {
        let exists = || Err(named.error(&format!("{} exists already", target.shown)));
        if let Some(at) = self.find(target) {
            return if self.files.get(at).is_some_and(|file| file.now.is_none()) { Ok(at) } else { exists() };
        }
        match fs::symlink_metadata(&target.path) {
            Ok(meta) if meta.is_symlink() && !target.path.exists() => {
                let leads =
                    FileError::Dangling { path: target.path.clone(), target: target.resolved.clone() };
                return Err(named.error(&leads.to_string()));
            }
            Ok(_) => return exists(),
            Err(_) => {}
        }
        self.files.push(File { target: target.clone(), disk: None, now: None, origin: None });
        Ok(self.files.len() - 1)
    }

    fn find(&self, target: &Target) -> Option<usize> {
        self.files.iter().position(|file| file.target.resolved == target.resolved)
    }

    /// What differs from the disk.
    fn steps(self) -> Vec<Step> {
        let moved: Vec<usize> = self.files.iter().filter_map(|file| file.origin).collect();
        let sources: Vec<Option<(Target, Image)>> = self
            .files
            .iter()
            .enumerate()
            .map(|(at, file)| Some((file.target.clone(), file.disk.clone()?)).filter(|_| moved.contains(&at)))
            .collect();
        let mut steps = Vec::new();
        for (at, file) in self.files.into_iter().enumerate() {
            let File { target, disk, now, origin } = file;
            let source = origin.and_then(|origin| sources.get(origin).cloned().flatten());
            steps.extend(match (disk, now, source) {
                (_, Some(after), Some((from, before))) => {
                    let change = Change { target: from, before: Before::Bytes(before), after };
                    Some(Step::Move(change, target))
                }
                (None, Some(after), None) => {
                    Some(Step::Write(Change { target, before: Before::Nothing, after }))
                }
                (Some(before), Some(after), None) if before.bytes() != after => {
                    Some(Step::Write(Change { target, before: Before::Bytes(before), after }))
                }
                (Some(before), None, _) if !moved.contains(&at) => {
                    Some(Step::Remove(target, Before::Bytes(before)))
                }
                (Some(_), Some(_), None) | (Some(_) | None, None, _) => None,
            });
        }
        steps
    }
}

fn not_a_link(named: &Named, verb: &str) -> Result<(), String> {
    let Target { path, resolved, shown, .. } = &named.target;
    match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() => Err(named.error(&format!(
            "cannot {verb} {shown}: it is a link to {}: name that file, or {verb} the link with a command",
            resolved.display()
        ))),
        Ok(_) | Err(_) => Ok(()),
    }
}
