//! What a command does to what it names: the kinds of deeds, and what nobody misses.
//!
//! One reading serves three questions: what is lost for good, what is deleted outside, and what is changed at all. So a deed
//! says both what it is done to and what becomes of what stood there.

/// What a command would do, by what becomes of what stands there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Deed {
    /// Takes it away.
    Deletes(What),
    /// Puts something else in its place.
    Replaces(What),
    /// Writes into it, makes it or takes it elsewhere: nothing is lost that nobody has asked to have changed.
    Changes(What),
    /// Does something else that cannot be undone: a sentence without its subject.
    Other(&'static str),
}

/// What it is done to, as the words name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// What has this name.
    File(String),
    /// What has this name, with all that is below it.
    Tree(String),
    /// What is found below this by its name.
    Below(String, Kind),
    /// Something below this that the words do not name.
    Within(String),
}

/// What is looked for below a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// What a build leaves behind.
    Litter,
    /// Anything.
    Any,
}

impl Deed {
    /// What it is done to, where that has a name.
    pub(super) fn what(&self) -> Option<&What> {
        match self {
            Self::Deletes(what) | Self::Replaces(what) | Self::Changes(what) => Some(what),
            Self::Other(_) => None,
        }
    }
}

/// Names of files and directories that come back with the next build.
const LITTER: [&str; 26] = [
    "__pycache__",
    "node_modules",
    "target",
    "dist",
    "build",
    "out",
    "coverage",
    ".cache",
    ".coverage",
    ".eggs",
    ".gradle",
    ".mypy_cache",
    ".next",
    ".nox",
    ".nuxt",
    ".parcel-cache",
    ".pytest_cache",
    ".ruff_cache",
    ".svelte-kit",
    ".tox",
    ".turbo",
    ".vite",
    ".DS_Store",
    "nohup.out",
    "htmlcov",
    "cmake-build-debug",
];

/// Ends of such names.
const LITTER_ENDS: [&str; 12] =
    ["pyc", "pyo", "o", "obj", "class", "log", "tmp", "swp", "gcda", "gcno", "rlib", "tsbuildinfo"];

/// Whether a name is that of something which comes back with the next build.
pub(super) fn is_litter(name: &str) -> bool {
    let end = name.rsplit_once('.').map(|(_, end)| end);
    LITTER.contains(&name) || end.is_some_and(|end| LITTER_ENDS.contains(&end)) || name.ends_with(".egg-info")
}
