//! Beginnings of commands for which "don't ask again" may offer a rule that ends openly.
//!
//! A table, and what it is for: such a rule lets through whatever follows, so only a tool's own verbs stand here that do
//! one thing whatever follows; never an interpreter or a program that runs others (`bash`, `env`, `sudo`, `python`, `npx`,
//! `xargs`, `find`, `ssh`, `docker`, `make`). The surprise: a few of these verbs take options that name a program to run, or
//! code; an open rule stops before those, also one that the user wrote. Who wants them writes them into the rule, or
//! gives the program as a whole.

use super::shell::{Simple, Word};

/// A beginning.
struct Head {
    words: &'static [&'static str],
    /// Whether one more word belongs to it, the name of a script.
    names: Names,
    style: Style,
    /// Options after which it is no longer known what runs.
    escapes: &'static [&'static str],
}

/// Whether a name belongs to a beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    Nothing,
    Script,
}

/// How a program reads its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// `-abc` is three options, `--out` may stand for `--output`.
    Gnu,
    /// `-exec` and `--exec` are one option, and so is `-test.exec`.
    Go,
    /// The same, in any case and cut short, beside options of one letter.
    Loose,
}

const fn head(words: &'static [&'static str], escapes: &'static [&'static str]) -> Head {
    Head { words, names: Names::Nothing, style: Style::Gnu, escapes }
}

const fn go(words: &'static [&'static str]) -> Head {
    Head { words, names: Names::Nothing, style: Style::Go, escapes: GO }
}

const fn npm(words: &'static [&'static str], names: Names) -> Head {
    Head { words, names, style: Style::Loose, escapes: NPM }
}

/// `--config` takes the names of programs, `-C` and `--manifest-path` another project, `-Z` what is not finished.
const CARGO: &[&str] = &[
    "--config",
    "-C",
    "-Z",
    "--manifest-path",
    "--target-dir",
    "--artifact-dir",
    "--out-dir",
    "--lockfile-path",
];
const GO: &[&str] = &[
    "exec",
    "toolexec",
    "vettool",
    "overlay",
    "modfile",
    "ldflags",
    "gcflags",
    "asmflags",
    "gccgoflags",
    "compiler",
    "C",
    "o",
    "coverprofile",
    "cpuprofile",
    "memprofile",
    "blockprofile",
    "mutexprofile",
    "trace",
    "outputdir",
];
/// What is no option goes to the script, which may be a bare interpreter: [`OPERANDS`], and all behind `--`.
const NPM: &[&str] =
    &[OPERANDS, "--", "--script-shell", "--node-options", "--prefix", "-C", "--userconfig", "--globalconfig"];
/// `--basetemp` empties a directory, `-W` names a class to load; others write where they are told.
const PYTEST: &[&str] = &[
    "-p",
    "-c",
    "-o",
    "-W",
    "--override-ini",
    "--rootdir",
    "--pdbcls",
    "--confcutdir",
    "--config-file",
    "--basetemp",
    "--junitxml",
    "--junit-xml",
    "--log-file",
    "--pastebin",
    "--pythonwarnings",
    "--cov-report",
    "--cov-config",
    "--debug",
    ARGUMENTS,
];
const RUFF: &[&str] = &[ARGUMENTS, "-o", "--output-file", "--config", "--cache-dir"];
const TSC: &[&str] = &[
    "-p",
    "-b",
    "--project",
    "--build",
    "--outDir",
    "--outFile",
    "--declarationDir",
    "--tsBuildInfoFile",
    "--generateTrace",
    "--generateCpuProfile",
    "--init",
    ARGUMENTS,
];
const MYPY: &[&str] = &[
    ARGUMENTS,
    "--python-executable",
    "--config-file",
    "--custom-typing-module",
    "--install-types",
    "--junit-xml",
    "--cache-dir",
    "--shadow-file",
    "--any-exprs-report",
    "--cobertura-xml-report",
    "--html-report",
    "--linecount-report",
    "--linecoverage-report",
    "--lineprecision-report",
    "--txt-report",
    "--xml-report",
    "--xslt-html-report",
    "--xslt-txt-report",
];

/// What starts a program of the repository's, or writes where it is told.
const GIT_DIFF: &[&str] = &["--output", "--ext-diff", "--textconv"];

/// Among escapes: whatever is no option.
const OPERANDS: &str = "";

/// Among escapes: `@file`, whose lines are more arguments.
const ARGUMENTS: &str = "@";

/// All of them.
const HEADS: &[Head] = &[
    head(&["cargo", "build"], CARGO),
    head(&["cargo", "check"], CARGO),
    head(&["cargo", "test"], CARGO),
    head(&["cargo", "nextest", "run"], CARGO),
    head(&["cargo", "clippy"], CARGO),
    head(&["cargo", "fmt"], CARGO),
    head(&["cargo", "doc"], CARGO),
    head(&["cargo", "bench"], CARGO),
    go(&["go", "build"]),
    go(&["go", "test"]),
    go(&["go", "vet"]),
    go(&["go", "fmt"]),
    npm(&["npm", "test"], Names::Nothing),
    npm(&["npm", "run"], Names::Script),
    npm(&["npm", "run-script"], Names::Script),
    head(&["pytest"], PYTEST),
    head(&["ruff", "check"], RUFF),
    head(&["ruff", "format"], RUFF),
    head(&["black"], &[]),
    head(&["isort"], &[]),
    head(&["mypy"], MYPY),
    Head { words: &["tsc"], names: Names::Nothing, style: Style::Loose, escapes: TSC },
    head(&["gofmt"], &[]),
    head(&["git", "add"], &[]),
    head(&["git", "commit"], &[]),
    head(&["git", "switch"], &["-f", "--force", "--discard-changes", "-C", "--force-create"]),
];

/// Beginnings that are not offered, and what a rule of the user's for them does not cover.
const LIMITED: &[Head] = &[
    head(&["git", "log"], GIT_DIFF),
    head(&["git", "show"], GIT_DIFF),
    head(&["git", "diff"], GIT_DIFF),
    head(&["git", "whatchanged"], GIT_DIFF),
    head(&["git", "stash", "show"], GIT_DIFF),
    head(&["git", "grep"], &["-O", "--open-files-in-pager", "--textconv"]),
    head(&["git", "archive"], &["-o", "--output", "--exec", "--remote"]),
    head(&["git", "rebase"], &["-x", "--exec"]),
    head(&["git", "ls-remote"], &["--upload-pack", "--exec"]),
    head(&["git", "fetch"], &["--upload-pack"]),
    head(&["git", "pull"], &["--upload-pack"]),
    head(&["git", "push"], &["--receive-pack", "--exec"]),
];

/// How many of a command's words a rule may stand for that ends openly; none where none may.
pub(super) fn length(command: &Simple) -> Option<usize> {
    let mut known = Vec::new();
    for word in &command.words {
        match word {
            Word::Known(word) => known.push(word.as_str()),
            Word::Open => break,
        }
    }
    let head = HEADS.iter().find(|head| known.starts_with(head.words))?;
    let length = match head.names {
        Names::Nothing => head.words.len(),
        Names::Script => {
            let name = known.get(head.words.len())?;
            let is_name =
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_:.".contains(c));
            (is_name && !name.starts_with('-') && !name.ends_with(':')).then_some(head.words.len() + 1)?
        }
    };
    (!head.escapes_in(command, length)).then_some(length)
}

/// Whether a rule for all that begins with `prefix` stops short of this command.
pub(super) fn leads_elsewhere(prefix: &[String], command: &Simple) -> bool {
    let begins = |head: &&Head| {
        prefix.len() >= head.words.len()
            && head.words.iter().zip(prefix).all(|(word, of_rule)| word == of_rule)
    };
    HEADS.iter().chain(LIMITED).find(begins).is_some_and(|head| {
        let name = usize::from(head.names == Names::Script);
        head.escapes_in(command, prefix.len().max(head.words.len() + name))
    })
}

impl Head {
    fn escapes_in(&self, command: &Simple, from: usize) -> bool {
        // a script that may be a bare interpreter also reads its program from a pipe
        (command.is_fed && self.escapes.contains(&OPERANDS))
            || command.words.iter().skip(from).any(|word| match word {
                Word::Known(word) => self.escapes.iter().any(|escape| is(self.style, word, escape)),
                // it may become anything
                Word::Open => !self.escapes.is_empty(),
            })
    }
}

/// Whether a word is this option, with or without its value, whole or shortened.
fn is(style: Style, word: &str, option: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    match style {
        _ if option == OPERANDS => !word.starts_with('-'),
        _ if option == ARGUMENTS => word.starts_with(ARGUMENTS),
        Style::Go => {
            let plain = name.trim_start_matches('-');
            name.starts_with('-') && plain.strip_prefix("test.").unwrap_or(plain) == option
        }
        _ if option == "--" => word == "--",
        Style::Loose if option.len() > 2 => {
            let plain = |word: &str| word.trim_start_matches('-').to_lowercase();
            let (name, option) = (plain(name), plain(option));
            word.starts_with('-')
                && !name.is_empty()
                && (option.starts_with(&name) || name.starts_with(&option))
        }
        Style::Gnu if option.starts_with("--") => {
            name.len() > 2 && name.starts_with("--") && (option.starts_with(name) || name.starts_with(option))
        }
        Style::Gnu | Style::Loose => {
            name.starts_with('-')
                && !name.starts_with("--")
                && option.chars().nth(1).is_some_and(|letter| name.contains(letter))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::shell;
    use super::*;

    fn offered(command: &str) -> Option<String> {
        let command = shell::parse(command)?.into_iter().next()?;
        let words = command.words.iter().take(length(&command)?);
        let text = |word: &Word| match word {
            Word::Known(word) => word.clone(),
            Word::Open => panic!("only what is known stands in a rule"),
        };
        Some(words.map(text).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_verb_that_does_one_thing_is_offered_with_all_that_may_follow() {
        let check = |command: &str, expected: &str| {
            assert_eq!(offered(command).as_deref(), Some(expected), "{command}");
        };
        check("cargo test", "cargo test");
        check("cargo test -p shop --lib cart:: -- --nocapture", "cargo test");
        check("cargo clippy --all-targets -- -D warnings", "cargo clippy");
        check("go test ./... -run TestCart -count=1", "go test");
        check("npm test", "npm test");
        check("npm run build:web --silent", "npm run build:web");
        check("npm test --workspace=web", "npm test");
        check("tsc --noEmit", "tsc");
        check("ruff check src --fix", "ruff check");
        check("pytest -xvs tests/test_cart.py", "pytest");
        check("git commit -m 'a message'", "git commit");
        check("git add *.rs", "git add");
        check("black $FILES", "black");
    }

    #[test]
    fn what_can_run_something_else_is_not_offered_so() {
        let table = "cargo|cargo run|cargo install x|cargo +nightly test|cargo --config x test|cargo test --config x=1|\
                     cargo test --conf x=1|cargo check -C /x|cargo test -Zunstable-options|cargo test $ARGS|cargo rustc|\
                     cargo xtask test|go run .|go generate|go test -exec sh|go test --exec=sh|go build -toolexec=/x|\
                     go vet -vettool /x|go build -o /x|go test -ldflags=-extld=/x|npm|npm run|npm run -s|npm install|\
                     npm run build -- -e 1|npm test -- x|npm test --script-shell=/x|npm test --script-sh /x|npx jest|yarn test|\
                     pnpm test|make|make test|python -m pytest|python3 x.py|node x.js|bash x.sh|sh -c x|env cargo test|\
                     sudo cargo test|nohup cargo test|timeout 5 cargo test|xargs cargo test|find . -name x|ssh host cargo test|\
                     docker build .|pytest -p x|pytest -xp y|pytest -o a=b|pytest --rootdir=/x|mypy --python-executable /x|\
                     npm run build evil.js|npm test evil.js|npm test -script-shell=./x|npm run x -prefix=/tmp|npm test --SCRIPT-SHELL=x|\
                     pytest --basetemp=src|pytest -W error::m.X|pytest --junitxml=src/a|cargo test --manifest-path /tmp/Cargo.toml|\
                     go test -coverprofile=a.go|go test -test.cpuprofile a.go|mypy --junit-xml a.py|ruff check --output-file a.py|\
                     ruff check -o a.py|tsc -p /tmp/x|tsc --outDir src|tsc -outdir src|tsc --PROJECT x|\
                     git push|git -c a=b commit|git -C /x add y|git reset --hard|git checkout x|git clean -fd|git stash|\
                     git rebase -x sh|git fetch|git switch -f x|git switch --disc x|rm x|rm -rf build|mv a b|cp a b|dd if=a|\
                     curl x|wget x|chmod +x a|tee x|sed -i s/a/b/ x|awk 1|perl -e 1|ruby x|eval x|exec x|source x|./gradlew test|\
                     gradle test|mvn test|dotnet test|/usr/bin/cargo test|pytest @args|mypy @args|tsc @args|ruff check @args|\
                     git log|git show|git diff";
        for command in table.split('|') {
            assert_eq!(offered(command.trim()), None, "{command}");
        }
    }
}
