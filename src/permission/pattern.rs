//! The paths of a rule: a gitignore-style pattern, and where it begins.
//!
//! Paths come in absolute; nothing is opened. The surprise: a pattern without a slash is for the project where it lets
//! through, and for the whole file system where it holds back.

use std::path::{Path, PathBuf};

use crate::text::glob::{GitGlob, GlobError};

use super::harm::Searched;
use super::rule::Use;
use super::scope::{Found, Scope};
use super::script::UNKNOWN;
use super::secret::is_secret;

/// A gitignore-style pattern and where it begins.
#[derive(Debug, Clone)]
pub(super) struct PathPattern {
    base: Base,
    glob: GitGlob,
}

/// Where a pattern begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    /// `src/**`: in the project.
    Project,
    /// `*.pem`: in the project at any depth; held back elsewhere too.
    Anywhere,
    /// `~/notes/**`.
    Home,
    /// `//etc/**`.
    Filesystem,
}

impl PathPattern {
    pub(super) fn new(text: &str) -> Result<Self, GlobError> {
        let (base, pattern) = if text.starts_with("//") {
            (Base::Filesystem, text.trim_start_matches('/').to_owned())
        } else if let Some(rest) = text.strip_prefix("~/") {
            (Base::Home, rest.to_owned())
        } else if text.trim_end_matches('/').contains('/') {
            (Base::Project, text.to_owned())
        } else {
            (Base::Anywhere, text.to_owned())
        };
        let rooted = match base {
            Base::Filesystem | Base::Home => format!("/{pattern}"),
            Base::Project | Base::Anywhere => pattern,
        };
        Ok(Self { base, glob: GitGlob::new(&rooted)? })
    }

    pub(super) fn covers(&self, path: &Path, scope: &Scope, usage: Use) -> bool {
        let below = match self.base {
            Base::Filesystem => path.strip_prefix("/").ok(),
            Base::Home => scope.home.as_ref().and_then(|home| path.strip_prefix(home).ok()),
            Base::Project => path.strip_prefix(&scope.project).ok(),
            Base::Anywhere => match (path.strip_prefix(&scope.project), usage) {
                (Ok(below), _) => Some(below),
                (Err(_), Use::HoldBack) => path.strip_prefix("/").ok(),
                (Err(_), Use::Allow) => None,
            },
        };
        below.is_some_and(|below| {
            if below.as_os_str().is_empty() {
                return matches!(self.glob.pattern(), "*" | "**" | "/**" | "./**");
            }
            // nobody has looked whether it is a directory
            self.glob.matches(below, usage == Use::HoldBack)
        })
    }

    /// Whether the pattern of a deny or ask rule may mean this or something below it. Of files of a name in any directory those are
    /// seen that lie right there. `path` may be a pattern of the shell's.
    pub(super) fn may_cover_below(&self, path: &Path, scope: &Scope) -> bool {
        self.covers_here(path, scope)
            || match self.start(scope) {
                Some(start) => leads_to(path, &start),
                None => self.within(path, scope).next().is_some(),
            }
    }

    /// What lies in this directory and is meant by the pattern of a deny or ask rule.
    fn within(&self, directory: &Path, scope: &Scope) -> impl Iterator<Item = PathBuf> {
        scope.names.within(directory).into_iter().filter(|path| self.covers(path, scope, Use::HoldBack))
    }

    /// Whether the pattern of a deny or ask rule means a file that this search would read. Of files of a name in any directory those
    /// are seen that lie where the search begins.
    pub(super) fn may_be_searched(&self, searched: &Searched, scope: &Scope) -> bool {
        if self.covers_here(&searched.start, scope) {
            return true;
        }
        let Some(start) = self.start(scope) else {
            return self.within(&searched.start, scope).any(|path| searched.reads(&path, true));
        };
        let found = scope.exists.at(&start);
        found != Found::Nothing
            && leads_to(&searched.start, &start)
            && searched.reads(&start, found == Found::File)
    }

    /// Whether it means nothing but one file or directory whose name says that it holds secrets.
    pub(super) fn is_of_a_secret(&self) -> bool {
        let pattern = self.glob.pattern();
        !pattern.contains(['*', '?', '[', '{', '\\']) && is_secret(Path::new(pattern))
    }

    /// Whether the pattern, which holds back, means this or whatever is below it.
    pub(super) fn covers_here(&self, path: &Path, scope: &Scope) -> bool {
        let below = path.join(UNKNOWN.encode_utf8(&mut [0; 4]));
        [path, &below].iter().any(|path| self.covers(path, scope, Use::HoldBack))
    }

    /// Where all that it means lies: its words up to the first sign.
    fn start(&self, scope: &Scope) -> Option<PathBuf> {
        let base = match self.base {
            Base::Filesystem => Path::new("/"),
            Base::Home => scope.home.as_deref()?,
            Base::Project => &scope.project,
            Base::Anywhere => return None,
        };
        let words = self.glob.pattern().trim_start_matches('/').split('/').filter(|word| *word != ".");
        let plain = words.take_while(|word| !word.contains(['*', '?', '[', '{', '\\']));
        Some(plain.fold(base.to_owned(), |path, word| path.join(word)))
    }
}

/// Whether `to` is `path` or lies below it, where the parts of `path` may be patterns.
fn leads_to(path: &Path, to: &Path) -> bool {
    let mut parts = to.components();
    path.components().all(|wanted| {
        parts.next().is_some_and(|part| {
            let pattern = wanted.as_os_str().to_str().filter(|wanted| wanted.contains(['*', '?', '[']));
            let finds =
                |pattern| GitGlob::new(pattern).is_ok_and(|glob| glob.matches_itself(part.as_os_str(), true));
            wanted == part || pattern.is_some_and(finds)
        })
    })
}
