//! The program without a screen: a world of its own to run in, and what came out.
//!
//! ```ignore
//! let clawd = Clawd::new(&endpoint).file("a.rs", "fn main() {}").args(["-p", "what is this?"]);
//! assert_eq!(clawd.run().expect_code(0).stdout, "It is a loop.\n");
//! let running = clawd.again().args(["-p", "--output-format", "stream-json", "go on"]).spawn();
//! running.wait_for_event("tool_start");
//! running.signal(Signal::INT);
//! assert_eq!(running.wait().expect_code(130).result()["error"]["type"], "aborted");
//! ```
//!
//! The world is a temporary directory with a home, a `CLAWD_HOME`, a project and a `TMPDIR`, which are
//! neighbours: what may be written as "temporary" must not cover the others. The environment is built from
//! nothing, so no setting of the developer's reaches a test.

mod process;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

pub(crate) use process::{Output, Running};
pub(crate) use rustix::process::Signal;

use crate::endpoint::Endpoint;

/// The program with its arguments and its world; clones and `again` share the world.
#[derive(Clone)]
pub(crate) struct Clawd {
    world: Arc<World>,
    program: PathBuf,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    stdin: Stdin,
    stdout: Stdout,
}

/// The directories of one test; gone when the last `Clawd` and `Running` of it are.
struct World {
    root: PathBuf,
    // held for its drop
    _directory: TempDir,
}

#[derive(Clone)]
enum Stdin {
    Empty,
    Text(String),
    Open,
}

/// How much of standard output the reader wants.
#[derive(Clone, Copy)]
enum Stdout {
    All,
    Lines(usize),
}

impl Clawd {
    /// The program against a scripted model.
    pub(crate) fn new(endpoint: &Endpoint) -> Self {
        Self::alone()
            .env("CLAWD_BASE_URL", &endpoint.base_url())
            .env("CLAWD_MODEL", "mock-1")
            .env("CLAWD_API_KEY", "test-key")
    }

    /// The program with no model configured.
    pub(crate) fn alone() -> Self {
        let world = World::new();
        let path = std::env::var("PATH").unwrap_or_else(|_unset| "/usr/local/bin:/usr/bin:/bin".to_owned());
        let directory = |name: &str| world.root.join(name).to_str().unwrap().to_owned();
        let env = [
            ("PATH", path),
            ("TERM", "xterm-256color".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("HOME", directory("home")),
            ("CLAWD_HOME", directory("clawd-home")),
            ("TMPDIR", directory("tmp")),
        ];
        Self {
            program: PathBuf::from(env!("CARGO_BIN_EXE_clawd")),
            args: Vec::new(),
            env: env.map(|(name, value)| (name.to_owned(), value)).into(),
            stdin: Stdin::Empty,
            stdout: Stdout::All,
            world: Arc::new(world),
        }
    }

    /// Another run in the same world and environment: no arguments, no input.
    pub(crate) fn again(&self) -> Self {
        Self { args: Vec::new(), stdin: Stdin::Empty, stdout: Stdout::All, ..self.clone() }
    }

    /// Another program in the place of `clawd`.
    pub(crate) fn program(mut self, program: &str) -> Self {
        self.program = PathBuf::from(program);
        self
    }

    pub(crate) fn arg(mut self, arg: &str) -> Self {
        self.args.push(arg.to_owned());
        self
    }

    pub(crate) fn args<'a>(self, args: impl IntoIterator<Item = &'a str>) -> Self {
        args.into_iter().fold(self, Self::arg)
    }

    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.insert(name.to_owned(), value.to_owned());
        self
    }

    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.env.remove(name);
        self
    }

    /// What stands on standard input, which then ends; without it, it is empty.
    pub(crate) fn stdin(mut self, text: &str) -> Self {
        self.stdin = Stdin::Text(text.to_owned());
        self
    }

    /// Standard input that stays open until `Running::close_stdin`.
    pub(crate) fn open_stdin(mut self) -> Self {
        self.stdin = Stdin::Open;
        self
    }

    /// The reader of standard output leaves after so many lines, as `head` does.
    pub(crate) fn only_lines(mut self, lines: usize) -> Self {
        self.stdout = Stdout::Lines(lines);
        self
    }

    /// A file of the project, with its directories.
    pub(crate) fn file(self, path: &str, content: &str) -> Self {
        write(&self.project().join(path), content);
        self
    }

    /// A file of `CLAWD_HOME`, such as `config.toml`.
    pub(crate) fn home_file(self, path: &str, content: &str) -> Self {
        write(&self.clawd_home().join(path), content);
        self
    }

    /// Makes the project the root of a repository, as far as anyone sees who only looks.
    pub(crate) fn repository(self) -> Self {
        self.file(".git/HEAD", "ref: refs/heads/main\n")
    }

    /// The working directory.
    pub(crate) fn project(&self) -> PathBuf {
        self.world.root.join("project")
    }

    pub(crate) fn clawd_home(&self) -> PathBuf {
        self.world.root.join("clawd-home")
    }

    /// A directory that is neither the project nor temporary in the program's eyes.
    pub(crate) fn home(&self) -> PathBuf {
        self.world.root.join("home")
    }

    /// What a file of the project holds now.
    pub(crate) fn read(&self, path: &str) -> String {
        let path = self.project().join(path);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Program, arguments and environment, for who starts it in another way.
    pub(crate) fn parts(&self) -> (&Path, &[String], &BTreeMap<String, String>) {
        (&self.program, &self.args, &self.env)
    }

    /// Runs to the end.
    pub(crate) fn run(&self) -> Output {
        self.spawn().wait()
    }

    /// Starts, for a test that looks on or steps in.
    pub(crate) fn spawn(&self) -> Running {
        Running::start(self)
    }
}

impl World {
    fn new() -> Self {
        let directory = tempfile::Builder::new().prefix("clawd-it-").tempdir().unwrap();
        // as the program will see it, where the temporary directory is a link
        let root = directory.path().canonicalize().unwrap();
        for name in ["home", "clawd-home", "project", "tmp"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        Self { root, _directory: directory }
    }
}

fn write(path: &Path, content: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}
