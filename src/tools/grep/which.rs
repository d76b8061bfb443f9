//! Which files below a directory are searched: `glob` and `type`.
//!
//! Not the ignore files: unlike ripgrep's `-g`, a glob does not bring back what they leave out. Types are those of
//! ripgrep's table, and the endings of file names that occur in it.

use std::path::Path;

use ignore::types::{FileTypeDef, Types, TypesBuilder};

use super::super::walk::Names;
use crate::text::glob::GitGlob;
use crate::text::nearest::nearest;

/// A longer pattern names no path that can exist.
const LONGEST: usize = 4096;

/// What models call types that ripgrep's table has under another name.
const ALSO: &[(&str, &str)] = &[
    ("bash", "sh"),
    ("c++", "cpp"),
    ("c#", "csharp"),
    ("golang", "go"),
    ("javascript", "js"),
    ("node", "js"),
    ("plaintext", "txt"),
    ("shell", "sh"),
    ("text", "txt"),
    ("typescript", "ts"),
];

/// The files that are searched.
#[derive(Debug, Clone)]
pub(super) struct Which {
    globs: Vec<(GitGlob, Wanted)>,
    types: Option<Types>,
    /// How it was asked for.
    words: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Matching,
    /// `!glob`.
    Others,
}

impl Which {
    /// Reads the two parameters; each may hold several, parted by commas or blanks.
    pub(super) fn read(globs: Option<&str>, types: Option<&str>) -> Result<Self, String> {
        let mut words = Vec::new();
        words.extend(globs.map(|globs| format!("glob `{globs}`")));
        words.extend(types.map(|types| format!("type `{types}`")));
        let globs = globs.map_or_else(|| Ok(Vec::new()), read_globs)?;
        let types = types.map(read_types).transpose()?;
        Ok(Self { globs, types, words })
    }

    /// Whether the file is searched. Of several globs that match the last decides.
    pub(super) fn takes(&self, names: &Names, path: &Path, relative: &Path) -> bool {
        self.takes_name(names, relative, path)
            && self.types.as_ref().is_none_or(|types| types.matched(relative, false).is_whitelist())
    }

    /// `glob` and `type` in words, if there are any.
    pub(super) fn words(&self) -> Option<String> {
        (!self.words.is_empty()).then(|| self.words.join(" and "))
    }

    /// As ripgrep has it: a glob is for the file itself, one with `!` also for a directory, into which nothing brings back.
    /// Unlike there, a glob that names a directory includes its files.
    fn takes_name(&self, names: &Names, relative: &Path, path: &Path) -> bool {
        if self.globs.is_empty() {
            return true;
        }
        let above = names.seen_from_above(path);
        let mut above = above.iter().flat_map(|path| path.ancestors());
        let mut levels = relative.ancestors().map(|level| Level { path: level, above: above.next() });
        let Some(file) = levels.next() else { return false };
        let directories: Vec<Level<'_>> = levels.filter(|level| !level.path.as_os_str().is_empty()).collect();
        let decides = |level: &Level<'_>, is_dir| {
            self.globs.iter().rev().find(|(glob, _)| level.fits(glob, is_dir)).map(|(_, wanted)| *wanted)
        };
        if directories.iter().any(|directory| decides(directory, true) == Some(Wanted::Others)) {
            return false;
        }
        decides(&file, false).map_or_else(
            || {
                let names_one = |(glob, wanted): &(GitGlob, Wanted)| {
                    *wanted == Wanted::Matching
                        && !has_wildcard_at_end(glob.pattern())
                        && directories.iter().any(|directory| directory.fits(glob, true))
                };
                self.globs.iter().all(|(_, wanted)| *wanted == Wanted::Others)
                    || self.globs.iter().any(names_one)
            },
            |wanted| wanted == Wanted::Matching,
        )
    }
}

/// A file, or a directory above it, by both its names.
struct Level<'a> {
    /// From the directory that is searched.
    path: &'a Path,
    /// From the working directory, if another directory is searched.
    above: Option<&'a Path>,
}

impl Level<'_> {
    fn fits(&self, glob: &GitGlob, is_dir: bool) -> bool {
        let pattern = glob.pattern();
        let is_from_above = pattern.contains('/') && !pattern.starts_with(['/', '*']);
        let above = self.above.filter(|_| is_from_above);
        glob.matches_itself(self.path, is_dir) || above.is_some_and(|path| glob.matches_itself(path, is_dir))
    }
}

fn has_wildcard_at_end(pattern: &str) -> bool {
    let pattern = pattern.trim_end_matches('/');
    pattern.rsplit('/').next().is_some_and(|last| last.contains(['*', '?', '[', '{', '\\']))
}

fn read_globs(globs: &str) -> Result<Vec<(GitGlob, Wanted)>, String> {
    if globs.len() > LONGEST {
        return Err(format!("Error: `glob` is longer than {LONGEST} bytes"));
    }
    let read = |glob: &str| {
        let (glob, wanted) = match glob.strip_prefix('!') {
            Some(glob) => (glob, Wanted::Others),
            None => (glob, Wanted::Matching),
        };
        GitGlob::new(glob).map(|glob| (glob, wanted)).map_err(|error| format!("Error: {error}"))
    };
    parted(globs).into_iter().map(read).collect()
}

/// Parts a list at commas and blanks, but not within braces or brackets.
fn parted(list: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = list.split(|c: char| {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    });
    parts.filter(|part| !part.is_empty()).collect()
}

fn read_types(names: &str) -> Result<Types, String> {
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    let known = builder.definitions();
    let failed = |error: ignore::Error| format!("Error: cannot use the file type `{names}`: {error}");
    for name in parted(names) {
        match resolved(name, &known)? {
            Type::Known(name) => builder.select(name),
            Type::Ending(ending) => {
                // no type of the table is called that
                let name = format!("{ending}ending");
                builder.add(&name, &format!("*.{ending}")).map_err(failed)?;
                builder.select(&name)
            }
        };
    }
    builder.build().map_err(failed)
}

/// What the name of a type stands for.
#[derive(Debug, PartialEq, Eq)]
enum Type<'a> {
    Known(&'a str),
    /// The ending of a file name.
    Ending(&'a str),
}

fn resolved<'a>(name: &'a str, known: &'a [FileTypeDef]) -> Result<Type<'a>, String> {
    let is_type = |name: &str| known.iter().find(|known| known.name().eq_ignore_ascii_case(name));
    if let Some(known) = is_type(name) {
        return Ok(Type::Known(known.name()));
    }
    if let Some((_, name)) = ALSO.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)) {
        return Ok(Type::Known(name));
    }
    let ending = name.trim_start_matches("*.").trim_start_matches('.');
    let is_word = !ending.is_empty() && ending.chars().all(char::is_alphanumeric);
    let is_known = known.iter().flat_map(FileTypeDef::globs).any(|glob| has_ending(glob, ending));
    if is_word && (is_known || ending.len() < name.len()) {
        return Ok(Type::Ending(ending));
    }
    let names = known.iter().map(FileTypeDef::name).chain(ALSO.iter().map(|(other, _)| *other));
    Err(match nearest(name, names) {
        Some(near) => format!("Error: unknown file type `{name}`. Did you mean `{near}`?"),
        None => {
            format!("Error: unknown file type `{name}`: for file extensions use `glob`, such as `*.{ending}`")
        }
    })
}

/// Whether a glob of the table is for names with this ending.
fn has_ending(glob: &str, ending: &str) -> bool {
    let Some(endings) = glob.strip_prefix("*.") else { return false };
    match endings.strip_prefix('{').and_then(|endings| endings.strip_suffix('}')) {
        Some(endings) => endings.split(',').any(|known| known == ending),
        None => endings == ending,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::target::Target;
    use super::*;

    fn takes(path: &str, globs: &str, types: &str, file: &str) -> bool {
        let names = Names::below(&Target::new(path, Path::new("/w")));
        let given = |words| Some(words).filter(|words: &&str| !words.is_empty());
        let which = Which::read(given(globs), given(types)).unwrap();
        which.takes(&names, &Path::new("/w").join(path).join(file), Path::new(file))
    }

    #[test]
    fn files_are_chosen_by_name() {
        let check = |globs: &str, file: &str, expected: bool| {
            assert_eq!(takes(".", globs, "", file), expected, "{globs} {file}");
        };
        check("*.rs", "src/a.rs", true);
        check("*.rs", "src/a.py", false);
        check("!tests", "tests/a.rs", false);
        check("!tests", "src/a.rs", true);
        check("src", "src/deep/a.rs", true);
        check("*.{rs,py}", "a.py", true);
        check("*.rs,*.py", "a.py", true);
        check("*.rs *.py", "a.py", true);
        check("*.rs !b.rs", "b.rs", false);
        check("*.rs !b.rs", "a.rs", true);
        check("!b.rs *.rs", "b.rs", true);
        check("!*.rs !*.py", "a.py", false);
        check("!*.rs !*.py", "a.c", true);
        check("[ ,]x", ",x", true);
        check("src/*", "src/a.rs", true);
        check("src/*", "src/deep/a.rs", false);
        check("s*", "src/a.rs", false);
        check("*", "src/deep/a.rs", true);
        check("src/deep", "src/deep/er/a.rs", true);
        check("**/deep", "src/deep/a.rs", true);
        check("src/", "src/deep/a.rs", true);
        check("src/*/", "src/deep/a.rs", false);
        check("!src/*", "src/deep/a.rs", false);
        check("!src/* src/deep/*.rs", "src/deep/a.rs", false);
        check("src !src/deep", "src/deep/a.rs", false);
        check("src !src/deep", "src/a.rs", true);
    }

    #[test]
    fn a_glob_may_be_written_from_the_working_directory_on() {
        assert!(takes("src", "src/*.rs", "", "a.rs"));
        assert!(takes("src", "*.rs", "", "a.rs"));
        assert!(!takes("src", "/src/*.rs", "", "a.rs"));
        assert!(!takes("src", "!src/a.rs", "", "a.rs"));
    }

    #[test]
    fn files_are_chosen_by_type() {
        let check = |types: &str, file: &str, expected: bool| {
            assert_eq!(takes(".", "", types, file), expected, "{types} {file}");
        };
        check("py", "a/b.py", true);
        check("py", "a/b.rs", false);
        check("rust", "b.rs", true);
        check("rs", "a/b.rs", true);
        check("Rust", "b.rs", true);
        check("javascript", "b.js", true);
        check("tsx", "b.tsx", true);
        check("tsx", "b.ts", false);
        check(".foo", "b.foo", true);
        check("*.foo", "b.foo", true);
        check("py,rust", "b.rs", true);
        check("make", "Makefile", true);
        assert!(!takes(".", "src/**", "rust", "tests/b.rs"));
    }

    #[test]
    fn a_type_that_is_not_known_is_explained() {
        let check = |types: &str, expected: &str| {
            assert_eq!(Which::read(None, Some(types)).unwrap_err(), format!("Error: {expected}"));
        };
        check("pyhton", "unknown file type `pyhton`. Did you mean `python`?");
        check("qqqqqq", "unknown file type `qqqqqq`: for file extensions use `glob`, such as `*.qqqqqq`");
        assert!(
            Which::read(Some("[a"), None).unwrap_err().starts_with("Error: cannot read the pattern `[a`")
        );
    }
}
