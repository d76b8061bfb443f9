//! The paths of a rule: a gitignore-style pattern, and where it begins.
//!
//! Paths come in absolute; nothing is opened. The surprise: a pattern without a slash is for the project where it lets
//! through, and for the whole file system where it holds back.

use std::path::{Path, PathBuf};

use crate::text::glob::{GitGlob, GlobError};

use super::rule::Use;
use super::scope::Scope;
use super::script::UNKNOWN;

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

    /// Whether the pattern, which holds back, may mean this or something below it. Where it may mean files of a name in any
    /// directory, only what lies at `path` itself is held against it. `path` may be a pattern of the shell's.
    pub(super) fn may_cover_below(&self, path: &Path, scope: &Scope) -> bool {
        self.covers_here(path, scope) || self.start(scope).is_some_and(|start| leads_to(path, &start))
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
