//! Commands that run other commands.
//!
//! A program that runs what follows in its words is not asked which of its options take a value: the first word that
//! names a program of the table begins the command. That finds too much at times, and what it finds is only held back.

use super::{BELOW, Command, Reader, UNKNOWN, Value, program};

/// Shells: they run their text, or what comes in.
const SHELLS: [&str; 8] = ["ash", "bash", "dash", "fish", "ksh", "mksh", "sh", "zsh"];

/// Programs that run the command in their own words.
const RUNNERS: [&str; 38] = [
    "bunx",
    "chrt",
    "fakeroot",
    "npx",
    "pipenv",
    "pkexec",
    "poetry",
    "prlimit",
    "runuser",
    "screen",
    "systemd-run",
    "taskset",
    "tmux",
    "uv",
    "builtin",
    "busybox",
    "chroot",
    "command",
    "doas",
    "env",
    "exec",
    "flock",
    "ionice",
    "nice",
    "nohup",
    "parallel",
    "setsid",
    "ssh",
    "stdbuf",
    "sudo",
    "time",
    "timeout",
    "toybox",
    "unbuffer",
    "unshare",
    "watch",
    "nsenter",
    "strace",
];

/// Those to which a whole line may be given in one word.
const TAKE_LINES: [&str; 7] = ["env", "flock", "parallel", "screen", "ssh", "tmux", "watch"];

/// Programs at which such a command begins, beside the shells and the runners.
const PROGRAMS: [&str; 38] = [
    "rimraf", "cp", "dd", "eval", "find", "git", "install", "ln", "mkfs", "mv", "rm", "rmdir", "rsync",
    "script", "shred", "sponge", "su", "tee", "trap", "truncate", "unlink", "wipefs", "xargs", "cd", "sed",
    "chmod", "chown", "curl", "gzip", "mkdir", "patch", "perl", "scp", "sort", "tar", "touch", "unzip",
    "wget",
];

/// Reads what a command would run itself.
pub(super) fn look_into(reader: &mut Reader<'_, '_>, command: &Command) {
    let words = &command.words;
    let rest = words.get(1..).unwrap_or_default();
    match program(words) {
        shell if SHELLS.contains(&shell) => of_shell(reader, command),
        "su" | "script" => {
            if let Some(text) = told(rest) {
                reader.nested(&text);
            }
        }
        "." | "source" if rest.first().is_some_and(|file| file == "/dev/stdin") => {
            if let Some(text) = &command.stdin {
                reader.nested(text);
            }
        }
        "fd" | "fdfind" => of_fd(reader, command),
        "eval" => {
            let text = rest.join(" ");
            let state = reader.state.clone();
            reader.state = super::run(&text, state, reader.scene);
        }
        "trap" => rest.iter().take(1).for_each(|text| reader.nested(text)),
        "find" => of_find(reader, command),
        "xargs" => of_xargs(reader, command),
        "git" => of_git(reader, rest),
        own if own.starts_with("git-") => {
            let verb = own.trim_start_matches("git-").to_owned();
            reader.take_inner(command, [&["git".to_owned(), verb], rest].concat());
        }
        "env" if split_text(rest).is_some() => {
            let text = split_text(rest).unwrap_or_default();
            reader.nested(&text);
        }
        runner if RUNNERS.contains(&runner) => {
            if let Some(at) = rest.iter().position(|word| begins(word)) {
                let words = rest.get(at..).unwrap_or_default().to_vec();
                let outer = moved(reader, command, rest.get(..at).unwrap_or_default());
                reader.take_inner(&outer, words);
            } else if TAKE_LINES.contains(&runner) {
                // one word may be a whole line
                let lines = rest.iter().filter(|word| word.contains(' ')).chain(&command.stdin);
                lines.for_each(|text| reader.nested(text));
            }
        }
        _ => {}
    }
}

/// The line that `env -S` splits into words, with all that follows it.
fn split_text(words: &[String]) -> Option<String> {
    let text = |word: &String| {
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        let short = letters.and_then(|letters| letters.split_once('S')).map(|(_, text)| text);
        short
            .or_else(|| word.strip_prefix("--split-string").map(|text| text.trim_start_matches('=')))
            .map(str::to_owned)
    };
    let at = words.iter().position(|word| text(word).is_some())?;
    let more = words.get(at + 1..).unwrap_or_default();
    let first = words.get(at).and_then(text)?;
    Some(std::iter::once(first).chain(more.iter().cloned()).collect::<Vec<_>>().join(" "))
}

/// `-c KEY=VALUE`: an alias is another call of git, or after `!` a command, as the values of many other keys are.
fn of_git(reader: &mut Reader<'_, '_>, rest: &[String]) {
    let next = rest
        .iter()
        .zip(rest.iter().skip(1))
        .filter(|(option, _)| *option == "-c")
        .map(|(_, value)| value.as_str());
    let same = rest.iter().filter_map(|word| word.strip_prefix("-c"));
    let values: Vec<&str> =
        next.chain(same).filter_map(|setting| setting.split_once('=')).map(|(_, value)| value).collect();
    for value in values {
        let line = value.strip_prefix('!');
        reader.nested(line.unwrap_or(value));
        if line.is_none() {
            reader.nested(&format!("git {value}"));
        }
    }
}

fn begins(word: &str) -> bool {
    let name = super::name(word);
    SHELLS.contains(&name) || RUNNERS.contains(&name) || PROGRAMS.contains(&name)
}

fn of_shell(reader: &mut Reader<'_, '_>, command: &Command) {
    let rest = command.words.get(1..).unwrap_or_default();
    let is_text = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('c');
    if let Some(at) = rest.iter().position(is_text) {
        let operands: Vec<&String> =
            rest.iter().skip(at + 1).skip_while(|word| word.starts_with('-')).collect();
        let Some((text, handed)) = operands.split_first() else { return };
        let mut state = reader.state.clone();
        for (number, value) in handed.iter().enumerate() {
            state.variables.insert(number.to_string(), Value::Known((*value).clone()));
        }
        if let Some(first) = handed.get(1) {
            let all = if handed.len() == 2 { Value::Known((*first).clone()) } else { Value::Unknown };
            state.variables.insert("@".to_owned(), all.clone());
            state.variables.insert("*".to_owned(), all);
        }
        super::run(text, state, reader.scene);
    } else if !rest.iter().any(|word| !word.starts_with('-'))
        || rest.iter().any(|word| matches!(word.as_str(), "-s" | "/dev/stdin"))
    {
        let echoed = command.source.as_ref().filter(|words| matches!(program(words), "echo" | "printf"));
        let echoed = echoed.map(|words| words.get(1..).unwrap_or_default().join(" "));
        if let Some(text) = command.stdin.clone().or(echoed) {
            reader.nested(&text);
        }
    }
}

/// `-exec COMMAND ;`, with what is below the search's beginning in the place of `{}`.
fn of_find(reader: &mut Reader<'_, '_>, command: &Command) {
    let found = found(&command.words);
    let mut rest = command.words.iter().skip(1);
    while rest.by_ref().any(|word| matches!(word.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir")) {
        let inner: Vec<String> =
            rest.by_ref().take_while(|word| !matches!(word.as_str(), ";" | "+")).cloned().collect();
        let search = Command { source: Some(command.words.clone()), ..command.clone() };
        reader.take_inner(&search, filled(&inner, "{}", &found));
    }
}

fn of_xargs(reader: &mut Reader<'_, '_>, command: &Command) {
    let rest = command.words.get(1..).unwrap_or_default();
    let Some(at) = rest.iter().position(|word| begins(word)) else { return };
    let mut inner = rest.get(at..).unwrap_or_default().to_vec();
    let items = items(command);
    let marker = rest.iter().take(at).zip(rest.iter().skip(1)).find_map(|(option, value)| {
        let short = option.strip_prefix("-I")?;
        Some(if short.is_empty() { value.as_str() } else { short })
    });
    if let Some(marker) = marker {
        inner = filled(&inner, marker, &items);
    } else {
        inner.extend(items);
    }
    reader.take_inner(command, inner);
}

/// What comes in for `xargs` and `read`, as far as the line says it.
pub(super) fn items(command: &Command) -> Vec<String> {
    let plain =
        |words: &[String]| words.iter().filter(|word| !word.starts_with('-')).cloned().collect::<Vec<_>>();
    let parted = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let of_source = command.source.as_ref().map(|words| {
        let rest = words.get(1..).unwrap_or_default();
        match program(words) {
            "echo" => parted(&plain(rest).join(" ")),
            "printf" => parted(&plain(rest.get(1..).unwrap_or_default()).join(" ")),
            "ls" if rest.iter().any(|word| word == "-d") => plain(rest),
            _ => listed(words).unwrap_or_default(),
        }
    });
    let items = command.stdin.as_deref().map(parted).or(of_source).unwrap_or_default();
    if items.is_empty() { vec![UNKNOWN.to_string()] } else { items }
}

/// `fd PATTERN PLACE -x COMMAND`, with what is below the places.
fn of_fd(reader: &mut Reader<'_, '_>, command: &Command) {
    let rest = command.words.get(1..).unwrap_or_default();
    let runs = |word: &String| matches!(word.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
    let Some(at) = rest.iter().position(runs) else { return };
    let places = found_by_fd(rest.get(..at).unwrap_or_default());
    let inner: Vec<String> = rest.iter().skip(at + 1).take_while(|word| *word != ";").cloned().collect();
    let is_filled = inner.iter().any(|word| word.contains("{}"));
    let inner = if is_filled { filled(&inner, "{}", &places) } else { [inner, places].concat() };
    let search = Command { source: Some(command.words.clone()), ..command.clone() };
    reader.take_inner(&search, inner);
}

/// The command where it would run: `env -C DIR`, `sudo -D DIR` go elsewhere first.
fn moved(reader: &Reader<'_, '_>, command: &Command, options: &[String]) -> Command {
    let goes = |option: &&String| matches!(option.as_str(), "-C" | "-D" | "--chdir");
    let next = options.iter().skip_while(|option| !goes(option)).nth(1);
    let same = options.iter().find_map(|option| option.strip_prefix("--chdir="));
    let to = next.map(String::as_str).or(same);
    let cwd = to.map_or_else(|| command.cwd.clone(), |to| reader.resolved(to));
    Command { cwd, ..command.clone() }
}

/// The words with each of `items` wherever the marker stands.
fn filled(words: &[String], marker: &str, items: &[String]) -> Vec<String> {
    let one = |word: &String| {
        if word.contains(marker) {
            items.iter().map(|item| word.replace(marker, item)).collect()
        } else {
            vec![word.clone()]
        }
    };
    words.iter().flat_map(one).collect()
}

/// The files that a search finds.
pub(super) fn listed(words: &[String]) -> Option<Vec<String>> {
    match program(words) {
        "find" => Some(found(words)),
        "fd" | "fdfind" => Some(found_by_fd(words.get(1..).unwrap_or_default())),
        _ => None,
    }
}

/// What `fd PATTERN PLACE` finds.
fn found_by_fd(rest: &[String]) -> Vec<String> {
    let operands = rest.iter().filter(|word| !word.starts_with('-')).skip(1);
    let places: Vec<String> =
        operands.map(|place| format!("{}{BELOW}", place.trim_end_matches('/'))).collect();
    if places.is_empty() { vec![format!(".{BELOW}")] } else { places }
}

/// What a search finds.
fn found(words: &[String]) -> Vec<String> {
    starts(words).into_iter().map(|start| start + BELOW).collect()
}

/// Where a search begins.
pub(in crate::permission) fn starts(words: &[String]) -> Vec<String> {
    let begins = |word: &&String| word.starts_with('-') || matches!(word.as_str(), "!" | "(");
    let options = |word: &&String| matches!(word.as_str(), "-L" | "-H" | "-P") || word.starts_with("-O");
    let starts: Vec<String> =
        words.iter().skip(1).skip_while(options).take_while(|word| !begins(word)).cloned().collect();
    if starts.is_empty() { vec![".".to_owned()] } else { starts }
}

/// The line that stands behind `-c`, in a word of its own or behind other letters.
fn told(words: &[String]) -> Option<String> {
    let says = |word: &&String| {
        let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        letters.is_some_and(|letters| letters.ends_with('c')) || *word == "--command"
    };
    words.iter().skip_while(|word| !says(word)).nth(1).cloned()
}

impl Reader<'_, '_> {
    /// A command that another one runs, in the same place.
    fn take_inner(&mut self, outer: &Command, words: Vec<String>) {
        if words.is_empty() || self.scene.depth >= super::DEEPEST {
            return;
        }
        self.scene.depth += 1;
        let state = self.state.clone();
        let inner = Command {
            words,
            cwd: outer.cwd.clone(),
            stdin: outer.stdin.clone(),
            source: outer.source.clone(),
            ..Command::default()
        };
        self.take(&inner);
        self.state = state;
        self.scene.depth -= 1;
    }
}
