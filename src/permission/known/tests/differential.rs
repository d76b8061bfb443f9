//! Bash as the judge: every line that is let through is given to bash, as it was written and as it was written anew, and
//! bash must make of it the very commands that were judged, and nothing else.
//!
//! Nothing runs. In that bash every known name is a function that notes its words and its directory, every builtin is
//! taken away, and what is neither is noted as such. Lines are run twice, with commands that all succeed and that all
//! fail, so that both sides of `&&` and `||` are seen. `CLAWD_DIFFERENTIAL` says how many lines are made
//! (3,000 else), `CLAWD_DIFFERENTIAL_SEED` which.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::process::{Command, Stdio};

use super::corpus::{corpus, quiet};
use super::*;

/// Lines that are made and let through where nothing else is said.
const LINES: usize = 3000;
/// Lines for one bash.
const BATCH: usize = 1500;

/// Pieces of which lines are made.
const PIECES: &str = "¦ ¦ ¦  ¦a¦b¦a.txt¦sub/¦sub/c¦-n¦-l¦--¦-¦x=y¦=¦:¦.¦..¦/¦,¦%¦%1¦+¦@¦_¦'¦'¦\"¦\"¦\\¦\\\\¦\\ ¦\\'¦\\\"¦\\$¦\\*¦\\n¦$¦$a¦${a}¦$(a)¦$'a'\
    ¦$\"a\"¦`¦`a`¦*¦?¦[ab]¦[!a]¦[a-c]¦[^b]¦[¦]¦*.txt¦s*/¦*/*¦.*¦.h*¦{a,b}¦{a.txt,-n}¦{a,b}{c,*}¦{a,}¦{1..3,b}¦{¦}¦,a}¦@{1}¦^{a}¦@{u}¦~¦~/a¦a~¦HEAD~1¦HEAD^¦^¦!¦!a¦ ! \
    ¦#¦ #¦a#b¦(¦)¦<¦>¦>>¦2>¦2>&1¦ 2>&1¦ 2>/dev/null¦ >/dev/null¦ &>/dev/null¦ >&2¦>/dev/null¦</dev/null¦ < ¦ > a¦&¦&&¦ && ¦ || \
    ¦||¦|¦ | ¦|&¦;¦; ¦;;¦\n¦\r¦\t¦é¦'é'¦\u{200b}¦\u{a0}¦''¦\"\"¦'a b'¦\"a b\"¦\"a\\|b\"¦\"a$\"¦\"a$|b\"¦\"\\\\\"¦\"$\\\\\"¦'\\''¦ls¦ ls¦cat¦echo¦ echo \
    ¦pwd¦true¦cd sub && ¦ && cd sub¦evil¦./evil¦ | cat¦ ; ls¦if¦then¦time ¦[ -f a ]¦[[ a ]]¦A=b ¦exec ¦eval ¦\\\n¦$?¦\"$?\"¦$f¦\"$f\"¦${f}¦$PATH¦for f in a b; do ¦for f in *.txt 'a b'; do ¦; done¦\ndone\n¦( ¦ )¦{ ¦; }\
    ¦ < a¦ < a.txt ¦$( ¦\"$(ls)\"¦$(find a)¦ | xargs wc -l¦ -exec cat {} +¦{}¦cd sub; ¦; cd ..¦; cd sub";

/// How lines begin.
const HEADS: [&str; 9] =
    ["echo ", "echo ", "ls ", "cat ", "cd sub && echo ", "grep x ", "printf a ", "git log ", "find . -name "];

/// What bash makes of a line: directory and words of every command, sorted.
type Commands = Vec<(String, Vec<String>)>;

/// Chance that can be had again.
struct Dice(u64);

impl Dice {
    /// Less than `most`.
    fn roll(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(most).unwrap()).unwrap()
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.roll(of.len())]
    }
}

/// Simple commands of which lists are made; `$f` is the variable of a loop.
const SIMPLE: [&str; 24] = [
    "ls a b",
    "cat \"$f\"",
    "cat $f*",
    "echo \"x ${f}y\" $f",
    "echo $?",
    "echo \"s=$?\" '$?'",
    "echo $PATH \"$HOME\"",
    "grep x < a.txt",
    "cat < \"$f\"",
    "cat < none 2>&1",
    "wc -l $(git ls-files)",
    "wc b $(find . -name 'a*' | head -2) 2>/dev/null",
    "echo \"n: $(ls | wc -l) $f\"",
    "echo \"$(cd sub && pwd; echo $?)\"",
    "ls | xargs wc -l",
    "find . -exec grep x {} +",
    "cd sub",
    "cd ..",
    "cd none",
    "cd \"$f\"",
    "pwd",
    "printf '%s\\n' \"$?\" *.txt",
    "[ -f a ]",
    "git log -1",
];

/// A list of commands, some of them lists themselves.
fn list_of(dice: &mut Dice, depth: usize) -> String {
    let mut list = String::new();
    for at in 0..=dice.roll(3) {
        if at > 0 {
            list.push_str(dice.one::<&str>(&[" && ", "; ", "; ", " || ", " | ", "\n"]));
        }
        let kind = if depth > 2 { 9 } else { dice.roll(10) };
        let command = match kind {
            0 => format!("({})", list_of(dice, depth + 1)),
            1 => format!("{{ {}; }}", list_of(dice, depth + 1)),
            2 | 3 => {
                let over =
                    dice.one::<&str>(&["a b.txt", "*.txt", "sub 'a b' x$f", "sub/* {a,b}", "\"$f\" $f"]);
                format!("for f in {over}; do {}; done", list_of(dice, depth + 1))
            }
            _ => (*dice.one::<&str>(&SIMPLE)).to_owned(),
        };
        list.push_str(&command);
        if kind < 4 && dice.roll(3) == 0 {
            list.push_str(dice.one::<&str>(&[" 2>/dev/null", " < a", " < none", " >&2"]));
        }
    }
    list
}

/// A line of pieces, a list, or a real line or a list that was tampered with.
fn line_of(dice: &mut Dice, pieces: &[&str], real: &[String]) -> String {
    let mut line: Vec<char> = match dice.roll(5) {
        0 | 1 => {
            let mut line = (*dice.one(&HEADS)).to_owned();
            for _ in 0..dice.roll(10) {
                line.push_str(dice.one::<&str>(pieces));
            }
            return line;
        }
        2 => return list_of(dice, 0),
        3 => list_of(dice, 0).chars().collect(),
        _ => dice.one(real).chars().collect(),
    };
    for _ in 0..=dice.roll(3) {
        let at = dice.roll(line.len() + 1);
        let piece: Vec<char> = dice.one::<&str>(pieces).chars().collect();
        let end = (at + dice.roll(4)).min(line.len());
        match dice.roll(4) {
            0 => drop(line.splice(at..at, piece)),
            1 => drop(line.splice(at..end, piece)),
            2 => drop(line.drain(at..end)),
            _ => line.extend(dice.one(real).chars().skip(at)),
        }
    }
    line.into_iter().collect()
}

/// What bash would do of these commands.
struct Expected {
    all_succeed: bool,
    /// Whether the words are those of the line; else those that run.
    is_meant: bool,
    commands: Commands,
}

impl Expected {
    fn of(runs: &[Runs], home: &Path, (all_succeed, is_meant): (bool, bool)) -> Commands {
        let mut expected = Self { all_succeed, is_meant, commands: Commands::new() };
        expected.list(runs, home, true);
        expected.commands.sort();
        expected.commands
    }

    /// Goes through a list where `status` says whether the command before it succeeded; returns the same of its last one.
    fn list(&mut self, runs: &[Runs], cwd: &Path, status: bool) -> bool {
        let mut cwd = cwd.to_owned();
        let (mut before, mut last, mut is_run) = (status, status, true);
        for run in runs {
            is_run = match run.joint {
                Joint::Next => true,
                Joint::And => last,
                Joint::Or => !last,
                Joint::Pipe => is_run,
            };
            if run.joint != Joint::Pipe {
                before = last;
            }
            match &run.does {
                Does::Move(to) if is_run && !to.is_dir() => return false,
                Does::Move(to) if is_run => {
                    cwd.clone_from(to);
                    last = true;
                }
                _ if is_run => last = self.command(run, &cwd, before),
                _ => {}
            }
        }
        last
    }

    fn command(&mut self, run: &Runs, cwd: &Path, mut status: bool) -> bool {
        let mut opened = run.redirections.iter().filter_map(|text| text.strip_prefix("< "));
        let opens = opened.all(|file| cwd.join(file.trim_matches('\'').replace(r"'\''", "'")).exists());
        match &run.does {
            Does::Group(_, runs) => opens && self.list(runs, cwd, status),
            Does::Move(_) => unreachable!("a list goes there itself"),
            Does::Command { meant, words, inserted } => {
                let words = if self.is_meant { meant } else { words };
                let put_in = |word: &String| self.value(word, inserted, cwd, &mut status);
                let words = words.iter().filter_map(put_in).collect();
                if opens {
                    self.commands.push((cwd.to_str().unwrap().to_owned(), words));
                }
                opens && self.all_succeed
            }
        }
    }

    /// A word with what the judge's bash puts in, from left to right: lists put out nothing there.
    fn value(&mut self, word: &str, inserted: &[Inserted], cwd: &Path, status: &mut bool) -> Option<String> {
        let mut text = String::new();
        for c in word.chars() {
            match number_of(c).map(|number| &inserted[number]) {
                None => text.push(c),
                Some(Inserted::Output(runs)) => *status = self.list(runs, cwd, *status),
                Some(Inserted::Names(runs)) => {
                    *status = self.list(runs, cwd, *status);
                    return None;
                }
                Some(Inserted::Variable(name)) => text.push_str(&match name.as_str() {
                    "?" => u8::from(!*status).to_string(),
                    "PWD" => cwd.to_str().unwrap().to_owned(),
                    name => value_of(name),
                }),
            }
        }
        Some(text)
    }
}

fn value_of(variable: &str) -> String {
    match variable {
        "PATH" => "/nowhere".to_owned(),
        "LC_ALL" => "C".to_owned(),
        other => format!("value-of-{other}"),
    }
}

/// Whether it goes to a directory that is not there.
fn gets_lost(runs: &[Runs]) -> bool {
    runs.iter().any(|run| match &run.does {
        Does::Move(to) => !to.is_dir(),
        Does::Group(_, runs) => gets_lost(runs),
        Does::Command { inserted, .. } => inserted.iter().any(|inserted| match inserted {
            Inserted::Variable(_) => false,
            Inserted::Output(runs) | Inserted::Names(runs) => gets_lost(runs),
        }),
    })
}

/// The names of all commands, as meant and as they run.
fn names_in(runs: &[Runs]) -> Vec<String> {
    let names = |run: &Runs| match &run.does {
        Does::Move(_) => Vec::new(),
        Does::Group(_, runs) => names_in(runs),
        Does::Command { meant, words, inserted } => {
            let inner = inserted.iter().flat_map(|inserted| match inserted {
                Inserted::Variable(_) => Vec::new(),
                Inserted::Output(runs) | Inserted::Names(runs) => names_in(runs),
            });
            inner.chain([meant[0].clone(), words[0].clone()]).collect()
        }
    };
    runs.iter().flat_map(names).collect()
}

/// Everything below a directory.
fn tree(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> = entries
        .flat_map(|path| if path.is_dir() { [vec![path.clone()], tree(&path)].concat() } else { vec![path] })
        .collect();
    all.sort();
    all
}

/// The world on disk, and what judges in it.
struct Court {
    _directory: tempfile::TempDir,
    home: PathBuf,
    /// A directory, with a file of each process.
    log: PathBuf,
    scope: Scope,
    sight: Sight,
}

impl Court {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let home = root.join("w");
        fs::create_dir_all(home.join("sub/deep")).unwrap();
        fs::create_dir(home.join("src")).unwrap();
        let files = "a b ab a.txt b.txt .hid .hid2 sub/c sub/d.txt sub/.x src/main.rs src/lib.rs x=y st*r [a] -n größe a\\|b a.rs";
        for name in files.split(' ').chain(["a b", "it's"]) {
            fs::write(home.join(name), "").unwrap();
        }
        let sight = Sight {
            follow: clean,
            names: crate::os::listing::names,
            git_config: |_| Some(String::new()),
            program: |name, path| Some(path.first()?.join(name)),
            shim: |_, _| None,
            path: vec![PathBuf::from("/usr/bin")],
        };
        let scope = Scope { project: home.clone(), workspace: vec![home.clone()], ..Scope::default() };
        Self { log: root.join("log"), _directory: directory, home, scope, sight }
    }

    fn judge(&self, line: &str) -> Option<Vec<Runs>> {
        let here = Place { cwd: &self.home, scope: &self.scope, sight: &self.sight, table: Table::Full };
        judged(&line::read(line)?, here, &|_, _| false)
    }

    /// What bash makes of each text, by its number. `expected` are the names that become functions.
    fn bash(&self, texts: &[(String, bool)], names: &HashSet<String>) -> BTreeMap<usize, Commands> {
        let script = self.log.with_extension("sh");
        fs::write(&script, self.script(texts, names)).unwrap();
        fs::create_dir_all(&self.log).unwrap();
        run_bash(&script, &self.home);
        let logs = fs::read_dir(&self.log).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap());
        let log = logs.collect::<Vec<_>>().concat();
        fs::remove_dir_all(&self.log).unwrap();
        let mut words = log.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned());
        let mut found: BTreeMap<usize, Commands> = BTreeMap::new();
        while let Some(mark) = words.next().filter(|mark| !mark.is_empty()) {
            assert_eq!(mark, "R", "the log is torn");
            let number = words.next().unwrap().parse().unwrap();
            let cwd = words.next().unwrap();
            let count: usize = words.next().unwrap().parse().unwrap();
            let command = words.by_ref().take(count).collect();
            found.entry(number).or_default().push((cwd, command));
        }
        for commands in found.values_mut() {
            commands.sort();
        }
        found
    }

    fn script(&self, texts: &[(String, bool)], names: &HashSet<String>) -> String {
        let single = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
        let mut script = format!("__log={}/\n", single(self.log.to_str().unwrap()));
        for name in judge::SHOWN.split(' ').filter(|name| !["?", "PWD"].contains(name)) {
            writeln!(script, "{name}={}", value_of(name)).unwrap();
        }
        // a long note takes several writes: each process of a pipe has a file of its own
        script.push_str(
            "__note() { builtin printf '%s\\0' R \"$__case\" \"$PWD\" \"$#\" \"$@\" >>\"$__log$BASHPID\"; (( !__status )); }\n\
             command_not_found_handle() { __note 'no command:' \"$@\"; }\n",
        );
        let builtins = "for name in $(compgen -b); do case $name in printf|builtin|eval|cd|enable) ;; *) builtin enable -n \"$name\" ;; esac; done\n";
        for name in names.iter().map(String::as_str).chain(["eval", "enable", "printf"]) {
            writeln!(script, "function {name} () {{ __note {name} \"$@\"; }}").unwrap();
        }
        script.push_str("cd() { builtin cd \"$@\"; }\n");
        script.push_str(builtins);
        script.push_str("builtin enable -n enable\n");
        for (number, (text, all_succeed)) in texts.iter().enumerate() {
            let (home, text) = (single(self.home.to_str().unwrap()), single(text));
            let status = u8::from(!all_succeed);
            writeln!(script, "__case={number} __status={status}; builtin cd {home}; builtin eval {text}")
                .unwrap();
        }
        script
    }
}

#[expect(clippy::disallowed_methods, reason = "bash is the judge, not the program's child")]
fn run_bash(script: &Path, home: &Path) {
    let mut bash = Command::new("bash");
    bash.args(["--noprofile", "--norc"]).arg(script).current_dir(home).env_clear().env("LC_ALL", "C");
    let status = bash.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(status.is_ok(), "bash is needed to test what it makes of a line: {status:?}");
}

#[expect(clippy::disallowed_methods, reason = "whoever runs the test says how long it may take")]
fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |value| value.parse().unwrap())
}

/// Every name that a known line can begin a command with, plain and with its path.
fn names_of(lines: &[(String, Vec<Runs>)]) -> HashSet<String> {
    let listed = ["ls", "cat", "echo", "pwd", "true", "grep", "git", "find", "["].map(str::to_owned);
    lines.iter().flat_map(|(_, runs)| names_in(runs)).chain(listed).collect()
}

/// Where bash makes something else of a line.
fn differences(court: &Court, lines: &[(String, Vec<Runs>)]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut wanted = Vec::new();
    for (line, runs) in lines {
        for all_succeed in [true, false] {
            // where a `cd` fails, what runs does less than the line
            if !gets_lost(runs) {
                texts.push((line.clone(), all_succeed));
                wanted.push(Expected::of(runs, &court.home, (all_succeed, true)));
            }
            texts.push((text_of(runs), all_succeed));
            wanted.push(Expected::of(runs, &court.home, (all_succeed, false)));
        }
    }
    let found = court.bash(&texts, &names_of(lines));
    let pairs = texts.iter().zip(&wanted).enumerate();
    let differ = pairs.filter(|(number, (_, wanted))| found.get(number).unwrap_or(&Vec::new()) != *wanted);
    differ
        .map(|(number, ((text, _), wanted))| {
            format!("{text:?}\n  judged {wanted:?}\n  bash   {:?}", found.get(&number))
        })
        .collect()
}

#[test]
fn bash_makes_of_every_known_line_what_was_judged() {
    let court = Court::new();
    let before = tree(&court.home);
    let wanted = usize::try_from(number("CLAWD_DIFFERENTIAL", LINES as u64)).unwrap();
    let seed = number("CLAWD_DIFFERENTIAL_SEED", 0x9e37_79b9_7f4a_7c15);
    let mut dice = Dice(seed.max(1));
    let pieces: Vec<&str> = PIECES.split('¦').collect();
    let real: Vec<String> = quiet().into_iter().chain(corpus().into_iter().map(|(_, line)| line)).collect();
    let mut seen: HashSet<String> = HashSet::new();
    let (mut made, mut accepted, mut batch) = (0_usize, 0, Vec::new());
    let mut first = real.iter().cloned();
    while accepted < wanted {
        let line = first.next().unwrap_or_else(|| line_of(&mut dice, &pieces, &real));
        made += 1;
        let known = Some(line)
            .filter(|line| seen.insert(line.clone()))
            .and_then(|line| court.judge(&line).map(|it| (line, it)));
        accepted += usize::from(known.is_some());
        batch.extend(known);
        if batch.len() == BATCH || accepted == wanted {
            let wrong = differences(&court, &batch);
            assert!(
                wrong.is_empty(),
                "seed {seed}: {} differ:\n{}",
                wrong.len(),
                wrong[..wrong.len().min(8)].join("\n")
            );
            batch.clear();
        }
    }
    assert_eq!(tree(&court.home), before, "seed {seed}: a line wrote a file");
    println!("{accepted} lines of {made} were let through; seed {seed}");
}

#[test]
fn the_judge_sees_what_is_not_judged() {
    let court = Court::new();
    let judged = |line: &str| court.judge(line).unwrap();
    let swapped = |line: &str, like: &str| differences(&court, &[(line.to_owned(), judged(like))]).len();
    assert_eq!(swapped("ls a", "ls a"), 0);
    assert_eq!(swapped("for f in a b; do ls $f; done", "ls a; ls b"), 0);
    for (line, like) in [
        ("ls a; ls b", "ls a"),
        ("ls a && ls b", "ls a"),
        ("ls a || ls b", "ls a"),
        ("ls a; exec ls", "ls a"),
        ("ls a; evil", "ls a"),
        ("ls 'a", "ls a"),
        ("ls a*", "ls 'a*'"),
        ("ls $(ls) a", "ls a"),
        ("cd sub; ls a", "ls a"),
        ("(ls a); ls a", "ls a"),
        ("echo $?", "echo 1"),
        ("echo \"$(ls a)\"", "echo ''"),
        ("for f in a b; do ls $f; done", "ls a"),
        ("cat < none", "cat"),
        ("cd sub && ls; cd .. && ls", "cd sub && ls; ls"),
        ("ls a | eval b", "ls a"),
        ("A=b", "ls a"),
        ("ls \"a  b\"", "ls 'a b'"),
    ] {
        assert!(swapped(line, like) > 0, "{line}");
    }
}
