//! Words that no program takes for a command: `echo 'rm x'`, `git commit -m 'rm old files'`.
//!
//! For deny and ask rules about commands, which find their words anywhere else. The decision is for a whole line: only where all of it
//! can be read without doubt, and nothing in it may run what another part of it puts out, are words data.

use super::shell::{self, Simple, Word};
use super::words::{self, End};
use super::{command, script};

/// Programs that do nothing with their words but show, compare or look for them.
const SHOW: [&str; 22] = [
    "basename", "cat", "cd", "cut", "diff", "dirname", "echo", "egrep", "false", "fgrep", "grep", "head",
    "ls", "mkdir", "printf", "pwd", "tail", "test", "touch", "tr", "true", "wc",
];

/// Verbs of git, and of `gh`, that take texts.
const VERBS: [(&str, &str); 10] = [
    ("git", "add"),
    ("git", "blame"),
    ("git", "commit"),
    ("git", "diff"),
    ("git", "log"),
    ("git", "show"),
    ("git", "status"),
    ("git", "tag"),
    ("gh", "issue"),
    ("gh", "pr"),
];

/// Whether a deny or ask rule finds its words in the line.
pub(super) fn mentions(line: &str, pattern: &[String], end: End) -> bool {
    let Some(commands) = readable(line) else { return words::mentions(line, pattern, end) };
    commands.iter().any(|command| {
        let known = known(command);
        if is_data(&known) {
            return words::is_begun_by(&known, pattern, end);
        }
        words::stand_in(&known, pattern, end) || known.iter().any(|word| words::mentions(word, pattern, end))
    })
}

/// Whether the words of such commands are data in this line.
pub(super) fn has_data(line: &str) -> bool {
    readable(line).is_some()
}

/// The line's commands, where none may run what another one puts out.
fn readable(line: &str) -> Option<Vec<Simple>> {
    let line = &without_documents(line);
    let written = without_file(line).and_then(shell::parse);
    if let Some([only]) = written.as_deref()
        && is_data(&known(only))
    {
        return written;
    }
    let commands = shell::parse(line)?;
    let runs_output = |command: &Simple| {
        let known = known(command);
        let program = known.first().map_or("", String::as_str);
        let changes_the_shell = program != "cd" && command::changes_the_shell(program);
        !is_data(&known) && (command.is_fed || changes_the_shell || command.words.contains(&Word::Open))
    };
    (!commands.iter().any(runs_output)).then_some(commands)
}

/// The line without here-documents that `cat` only passes on: `"$(cat <<'E' …)"` in a command, or `cat > FILE <<'E'` alone.
fn without_documents(line: &str) -> String {
    if let Some((before, text)) = line.split_once("<<")
        && before.starts_with("cat ")
        && let Some((more, after)) = document(text)
        && after.trim().is_empty()
        && [before, more].concat().chars().all(|c| c.is_ascii_alphanumeric() || " _./->".contains(c))
    {
        return [before, more].concat();
    }
    let (mut done, mut rest) = (String::new(), line);
    while let Some((before, text)) = rest.split_once("\"$(cat <<") {
        let so_far = format!("{done}{before}");
        // within quotes or a comment no document begins
        let begins = so_far.ends_with([' ', '=']) && shell::parse(&format!("{so_far}x")).is_some();
        let after = document(text).filter(|(more, _)| begins && more.trim().is_empty());
        let Some(after) = after.and_then(|(_, after)| after.trim_start().strip_prefix(")\"")) else { break };
        (done, rest) = (so_far + "\"$(cat)\"", after);
    }
    done + rest
}

/// What stands behind the quoted marker of a here-document, on its line and after the document. The quotes keep the shell from changing
/// the text.
fn document(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(' ');
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (marker, rest) = text.strip_prefix(quote)?.split_once(quote)?;
    let (more, mut body) = rest.split_once('\n')?;
    let is_name = !marker.is_empty() && marker.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    while let Some((line, after)) = body.split_once('\n').or(Some((body, ""))).filter(|_| !body.is_empty()) {
        // some shells end it at `E)` as well
        if line.starts_with(marker) {
            return (is_name && line == marker).then_some((more, after));
        }
        body = after;
    }
    None
}

/// The line without the file at its end into which it writes.
fn without_file(line: &str) -> Option<&str> {
    let (before, file) = line.rsplit_once('>')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
    let file = file.trim();
    (!file.is_empty() && file.chars().all(is_name)).then(|| before.strip_suffix('>').unwrap_or(before))
}

/// The words that are known.
fn known(command: &Simple) -> Vec<String> {
    let text = |word: &Word| match word {
        Word::Known(word) => word.clone(),
        Word::Open => script::UNKNOWN.to_string(),
    };
    command.words.iter().map(text).collect()
}

/// Whether a program of the system's runs that takes none of these words for a command.
pub(super) fn is_data(words: &[String]) -> bool {
    let Some(first) = words.first() else { return false };
    let program = words::name(first);
    let is_systems = ["", "/bin/", "/usr/bin/"].iter().any(|place| *first == format!("{place}{program}"));
    let verb = words.get(1).map_or("", String::as_str);
    // what git writes to a file may be run from there
    let writes = || words.iter().any(|word| word.starts_with("--out"));
    is_systems && (SHOW.contains(&program) || VERBS.contains(&(program, verb))) && !writes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: bool) {
        assert_eq!(mentions(line, &["rm".to_owned()], End::Open), expected, "{line}");
    }

    #[test]
    fn a_word_is_data_only_where_nothing_can_run_it() {
        for data in [
            "echo 'rm x'",
            "echo rm x",
            "/bin/echo rm x",
            "git commit -m 'rm old files'",
            "grep -rn 'rm -rf' src | head -3",
            "cargo test && echo 'rm x' | cat",
            "cd src && git log --grep rm",
            "gh pr create --title 'rm x' --body \"rm y\"",
            "ls rm; printf rm",
            "echo 'rm x' > notes.md",
            "echo \"a > b; rm x\" >> ./notes.md",
            "git commit -m \"$(cat <<'EOF'\nDo not\n\nrm x; it isn't (needed\nEOF\n)\"",
            "git add -A && git commit -m \"$(cat << \"E\"\nrm x\nE\n)\" && git status",
            "gh pr create --title x --body=\"$(cat <<'E'\n$(rm x)\nE\n)\" --label \"$(cat <<'E'\nrm\nE\n)\"",
            "cat > notes.md <<'EOF'\nrm x\nEOF",
            "cat <<'EOF' >> ./notes.md\nrm x\nEOF\n",
        ] {
            check(data, false);
        }
    }

    #[test]
    fn a_word_that_may_run_is_no_data() {
        for run in [
            "rm x",
            "git commit -m \"$(cat <<EOF\n$(rm x)\nEOF\n)\"",
            "git commit -m \"$(cat <<'E'\na\nE\nrm x)\"",
            "git commit -m \"$(cat <<'E'\na\nE\n)\"; rm x",
            "git commit -m \"$(cat <<'E'\na\nE)\"; rm x\nE\n)\"",
            "git commit -m \"$(cat <<'E'\nrm x\nE\n)\" | sh",
            "git commit -m \"$(cat <<'E' | sh\nrm x\nE\n)\"",
            "sh -c \"$(cat <<'E'\nrm x\nE\n)\"",
            "eval \"$(cat <<'E'\nrm x\nE\n)\"",
            "echo 'a \"$(cat <<'E'\n'; rm x; '\nE\n)\" b'",
            "echo \\\"$(cat <<'E'\nrm x\nE\n)\"; rm x",
            "git status # \"$(cat <<'E'\nrm x\nE\n)\"",
            "cat > a <<'E'\nrm x\nE\nsh a",
            "cat <<'E' | sh\nrm x\nE",
            "cat <<'E' > a; sh a\nrm x\nE",
            "cat > a <<E\n$(rm x)\nE",
            "cat > a <<'E'\na\nE\nrm x\nE",
            "/bin/rm x",
            "echo 'rm x' | sh",
            "echo 'rm x' | rev | rev | sh",
            "echo rm x | xargs",
            "sh -c \"$(echo 'rm x' | rev | rev)\"",
            "echo 'rm x' > a; sh a",
            "echo 'a' > $(rm x)",
            "echo 'a' > b; rm x > c",
            "echo a $(rm x) > b",
            "echo 'rm x' > >(sh)",
            "echo 'rm x' | sh > a",
            "echo 'rm x' | tee a; sh a",
            "echo 'rm x' && . a",
            "echo $(rm x)",
            "./echo rm x",
            "git log --format='rm x' --output=a; sh a",
            "git rebase -x 'rm x'",
            "env rm x",
            "find . -exec rm {} +",
            "hash -p rm echo; echo x",
            "echo() { sh -c \"$1\"; }; echo 'rm x'",
            "echo x; sudo rm y",
            "python3 -c \"os.system('rm x')\"",
        ] {
            check(run, true);
        }
    }
}
