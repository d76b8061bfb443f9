//! One gitignore-style pattern over paths relative to a root.
//!
//! Not an ignore file: one pattern, no order, no `!`. As in git, a pattern that matches a directory holds for all
//! that lies beneath it; where only the path itself counts (finding files by name), there is
//! [`GitGlob::matches_itself`].

use std::path::{Component, Path};

use globset::{Error, ErrorKind, GlobBuilder, GlobSet, GlobSetBuilder};

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct GitGlob {
    pattern: String,
    /// A set of one: it has short ways for the usual patterns, and an error where a matcher panics.
    matcher: GlobSet,
    only_dirs: bool,
}

/// Why a pattern cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    /// Nothing was given.
    #[error("the pattern is empty (try `**` for everything)")]
    Empty,
    /// `!pattern`.
    #[error(
        "the pattern `{0}` begins with `!`, but negated patterns are not supported (try a rule of the opposite kind)"
    )]
    Negated(String),
    /// Unbalanced brackets and the like.
    #[error("cannot read the pattern `{pattern}`: {reason}")]
    Malformed {
        /// The pattern as given.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl GitGlob {
    /// Compiles `pattern`. One slash other than a trailing one ties it to the root; else it matches at any depth.
    pub fn new(pattern: &str) -> Result<Self, GlobError> {
        if pattern.starts_with('!') {
            return Err(GlobError::Negated(pattern.to_owned()));
        }
        let body = pattern.trim_end_matches('/');
        let only_dirs = body.len() < pattern.len();
        let rooted = body.strip_prefix("./").unwrap_or(body);
        let anchored = rooted.len() < body.len() || rooted.contains('/');
        let rooted = rooted.trim_start_matches('/');
        if rooted.is_empty() {
            return Err(GlobError::Empty);
        }
        let glob = if anchored { rooted.to_owned() } else { format!("**/{rooted}") };
        let matcher = compiled(&glob).map_err(|error| GlobError::Malformed {
            pattern: pattern.to_owned(),
            reason: match error.kind() {
                ErrorKind::Regex(_) => "it is too large or too deeply nested".to_owned(),
                kind => kind.to_string(),
            },
        })?;
        Ok(Self { pattern: pattern.to_owned(), matcher, only_dirs })
    }

    /// Whether the path (relative to the root), or a directory above it, matches.
    pub fn matches(&self, path: impl AsRef<Path>, is_dir: bool) -> bool {
        let path = plain(path.as_ref());
        self.fits(path, is_dir) || path.ancestors().skip(1).any(|above| self.fits(above, true))
    }

    /// Whether the path itself matches, whatever lies above it.
    pub fn matches_itself(&self, path: impl AsRef<Path>, is_dir: bool) -> bool {
        self.fits(plain(path.as_ref()), is_dir)
    }

    /// The pattern as it was given.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    fn fits(&self, path: &Path, is_dir: bool) -> bool {
        (is_dir || !self.only_dirs) && !path.as_os_str().is_empty() && self.matcher.is_match(path)
    }
}

fn compiled(glob: &str) -> Result<GlobSet, Error> {
    let glob = GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build()?;
    GlobSetBuilder::new().add(glob).build()
}

/// The path without a leading `./`. Few begin with a dot at all, and taking one apart costs as much as matching it.
fn plain(path: &Path) -> &Path {
    if !path.as_os_str().as_encoded_bytes().starts_with(b".") {
        return path;
    }
    path.strip_prefix(Component::CurDir).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_git_would() {
        let check = |pattern: &str, path: &str, expected: bool| {
            let glob = GitGlob::new(pattern).unwrap();
            let (path, is_dir) = path.strip_suffix('/').map_or((path, false), |dir| (dir, true));
            assert_eq!(glob.matches(path, is_dir), expected, "{pattern} on {path}");
        };
        check("*.rs", "main.rs", true);
        check("*.rs", "src/deep/main.rs", true);
        check("*.rs", "main.rst", false);
        check("/*.rs", "main.rs", true);
        check("/*.rs", "src/main.rs", false);
        check("src/*.rs", "src/main.rs", true);
        check("src/*.rs", "src/deep/main.rs", false);
        check("src/*.rs", "other/src/main.rs", false);
        check("./src/*.rs", "./src/main.rs", true);
        check("src/**", "src/deep/main.rs", true);
        check("src/**", "src/", false);
        check("src/**", "srcs/main.rs", false);
        check("**/test/*.rs", "a/b/test/x.rs", true);
        check("a/**/z", "a/z", true);
        check("a/**/z", "a/b/c/z", true);
        check("build/", "build/", true);
        check("build/", "build", false);
        check("build/", "a/build/out.o", true);
        check("secrets", "conf/secrets/key.pem", true);
        check(".env*", ".env.local", true);
        check("*", "anything/at/all", true);
        check("[!a].rs", "b.rs", true);
        check("[!a].rs", "a.rs", false);
        check("*.{rs,toml}", "x/Cargo.toml", true);
        check(r"\!odd", "!odd", true);
        check("日本/*", "日本/語", true);
    }

    #[test]
    fn a_path_of_its_own_does_not_inherit() {
        let glob = GitGlob::new("src").unwrap();
        assert!(glob.matches("src/main.rs", false));
        assert!(!glob.matches_itself("src/main.rs", false));
        assert!(glob.matches_itself("src", true));
    }

    #[test]
    fn what_cannot_be_a_pattern_is_said() {
        let error = |pattern: &str| GitGlob::new(pattern).unwrap_err().to_string();
        assert!(error("").contains("is empty"));
        assert!(error("/").contains("is empty"));
        assert!(error("!src").contains("`!src`"));
        assert!(error("src/[a").starts_with("cannot read the pattern `src/[a`: "));
        let deep = format!("{}x{}", "{".repeat(1000), "}".repeat(1000));
        assert!(error(&deep).ends_with(": it is too large or too deeply nested"));
    }
}
