//! Where no file matches: a short second look for what was perhaps meant.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::super::walk::{Names, Seen, Walk};
use crate::text::glob::GitGlob;

/// One example of each slip that would have found something.
#[derive(Debug, Default)]
pub(super) struct SecondLook {
    ignored: Option<String>,
    other_case: Option<String>,
    directory: Option<String>,
}

impl SecondLook {
    /// Looks at everything, ignored or not, for as long as the walk may take.
    pub(super) fn take(walk: &Walk<'_>, names: &Names, glob: &GitGlob) -> Self {
        let lower = GitGlob::new(&glob.pattern().to_lowercase()).ok();
        let found = Mutex::new(Self::default());
        let visit = |seen: Seen<'_>| {
            let (path, is_directory) = (seen.relative, seen.kind.is_dir());
            let in_lower = || Path::new(&path.to_string_lossy().to_lowercase()).to_owned();
            let keep = |example: fn(&mut Self) -> &mut Option<String>| {
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                keep_first(example(&mut found), names.shown(seen.path));
            };
            if glob.matches_itself(path, is_directory) {
                keep(if is_directory { |found| &mut found.directory } else { |found| &mut found.ignored });
            } else if !is_directory
                && lower.as_ref().is_some_and(|lower| lower.matches_itself(in_lower(), false))
            {
                keep(|found| &mut found.other_case);
            }
            ControlFlow::Continue(())
        };
        walk.each(|| visit);
        found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The most likely of them, in words.
    pub(super) fn hint(&self) -> Option<String> {
        if let Some(path) = &self.other_case {
            return Some(format!("{path} does in another case"));
        }
        if let Some(path) = &self.directory {
            return Some(format!("the directory {path} does: `{path}/**` lists its files"));
        }
        let path = self.ignored.as_ref()?;
        Some(format!(
            "ignored ones do, such as {path}: name an ignored directory as `path`, or list them with Bash"
        ))
    }
}

fn keep_first(kept: &mut Option<String>, path: String) {
    if kept.as_ref().is_none_or(|kept| path < *kept) {
        *kept = Some(path);
    }
}
