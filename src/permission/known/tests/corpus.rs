//! The corpus, the everyday lines, and what is written for some of them.

use super::*;

/// Lines with what must become of them.
const CORPUS: &str = include_str!("corpus");
const QUIET: &str = include_str!("quiet");

/// Everyday lines that may ask.
const MAY_ASK: usize = 3;

/// What must become of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Asks,
    Runs,
    RunsBare,
}

/// The lines of the corpus.
pub(super) fn corpus() -> Vec<(Verdict, String)> {
    CORPUS.lines().filter_map(entry).collect()
}

/// Everyday lines.
pub(super) fn quiet() -> Vec<String> {
    let lines = QUIET.lines().skip(1);
    lines.filter(|line| !line.is_empty() && !line.starts_with("# ")).map(str::to_owned).collect()
}

fn entry(line: &str) -> Option<(Verdict, String)> {
    let verdict = match line.chars().next()? {
        '-' => Verdict::Asks,
        '+' => Verdict::Runs,
        '=' => Verdict::RunsBare,
        _ => return None,
    };
    let text = line.strip_prefix(['-', '+', '='])?;
    Some((verdict, unescaped(text.strip_prefix(' ').unwrap_or(text))))
}

fn unescaped(text: &str) -> String {
    let text = text.replace('␤', "\n").replace('␍', "\r").replace('␉', "\t");
    let mut parts = text.split('⟨');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once('⟩').unwrap();
        plain.push(char::from_u32(u32::from_str_radix(number, 16).unwrap()).unwrap());
        plain.push_str(rest);
    }
    plain
}

#[test]
fn every_line_of_the_corpus_gets_its_verdict() {
    let corpus = corpus();
    assert!(corpus.len() >= 400, "{} lines", corpus.len());
    let verdict = |line: &str| match (runs_unasked(line, Table::Full), runs_unasked(line, Table::Bare)) {
        (true, true) => Verdict::RunsBare,
        (true, false) => Verdict::Runs,
        (false, false) => Verdict::Asks,
        (false, true) => panic!("{line:?} is known without a sandbox alone"),
    };
    let wrong: Vec<String> = corpus
        .iter()
        .filter(|(expected, line)| verdict(line) != *expected)
        .map(|(expected, line)| format!("{line:?} is {:?}, not {expected:?}", verdict(line)))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), corpus.len(), wrong.join("\n"));
}

#[test]
fn no_line_stands_in_the_corpus_twice() {
    let mut lines: Vec<String> = corpus().into_iter().map(|(_, line)| line).collect();
    lines.sort_unstable();
    let twice: Vec<&String> =
        lines.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| &pair[0]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn everyday_lines_hardly_ever_ask() {
    let lines = quiet();
    let holds = |sign: &str| lines.iter().filter(|line| line.contains(sign)).count();
    let is_piped = |line: &&String| line.matches(" | ").count() >= 2;
    assert_eq!(lines.len(), 100);
    assert!(lines.iter().filter(|line| line.starts_with("cd ")).count() >= 20);
    assert!(holds("2>") >= 20 && holds("*") >= 20 && holds("git ") >= 20);
    assert!(lines.iter().filter(is_piped).count() >= 20);
    let ask: Vec<&String> = lines.iter().filter(|line| !runs_unasked(line, Table::Full)).collect();
    assert!(ask.len() <= MAY_ASK, "{}: {ask:#?}", ask.len());
}

#[test]
fn what_runs_is_written_anew() {
    let check = |line: &str, expected: &str| {
        assert_eq!(known(line, Table::Full).map(|known| known.text).as_deref(), Some(expected), "{line}");
    };
    check("ls   -la  'src'", "/usr/bin/ls -la src");
    check("cat \"a b\" it\\'s", r"/usr/bin/cat 'a b' 'it'\''s'");
    check("ls *.rs 2>/dev/null | head -3", "/usr/bin/ls a.rs b.rs 2>/dev/null | /usr/bin/head -3");
    check("ls *.none", "/usr/bin/ls '*.none'");
    check("echo *.rs", "echo a.rs b.rs");
    check("ls;\n\npwd\n", "/usr/bin/ls; pwd");
    check("cd src && ls || pwd", "cd /w/src && { /usr/bin/ls || pwd; }");
    check("cd src && ls | wc && pwd", "cd /w/src && /usr/bin/ls | /usr/bin/wc && pwd");
    check("cd link", "cd /w/src");
    check("egrep a a.rs", "/usr/bin/grep -E a a.rs");
    check("ls a.rs -l", "/usr/bin/ls -l a.rs");
    check("ls x &>/dev/null", "/usr/bin/ls x >/dev/null 2>&1");
    check(
        "git -C src stash show --stat",
        "/usr/bin/git --no-pager --no-optional-locks -c core.fsmonitor=false -c core.hooksPath=/dev/null \
         -c safe.bareRepository=explicit -C /w/src stash show --stat",
    );
}

#[test]
fn what_looks_through_directories_is_told_to_pass_over_secrets() {
    let holds = |line: &str, words: &[&str]| {
        let text = known(line, Table::Full).unwrap().text;
        assert!(words.iter().all(|word| text.contains(word)), "{line}: {text}");
    };
    holds("grep -r KEY", &[" '--exclude=.[eE][nN][vV]' ", " '--exclude-dir=.[sS][sS][hH]' "]);
    holds("grep -r KEY --include=*.env .", &["--include=*.env' '--exclude=.[eE]"]);
    holds("rg KEY", &["--no-config ", " '--iglob=!.env' ", " '--iglob=!*.pem' ", " '--iglob=!.ssh' "]);
    for line in ["git diff", "git show HEAD", "git log -p", "git grep KEY", "git diff -- src"] {
        holds(line, &[" ':(top,exclude,icase,glob)**/.env'", " ':(top,exclude,icase,glob)**/.ssh/**'"]);
    }
    for line in ["git diff", "git show", "git log"] {
        holds(line, &[" --no-ext-diff --no-textconv --ignore-submodules=dirty "]);
    }
    let plain = known("git log --oneline", Table::Full).unwrap().text;
    assert!(!plain.contains("exclude"), "{plain}");
}

#[test]
fn what_is_read_is_told() {
    let check = |line: &str, expected: &str| {
        let known = known(line, Table::Full).unwrap();
        let reads: Vec<&str> = known.reads.iter().map(|path| path.to_str().unwrap()).collect();
        assert_eq!(reads.join(" "), expected, "{line}");
    };
    check("cat a.rs ../x /etc/passwd", "/etc/passwd /w/a.rs /x");
    check("ls", "/w");
    check("cat hidden", "/w/.env /w/hidden");
    check("cat link/main.rs", "/w/src/main.rs");
    check("cd src && cat main.rs", "/w/src /w/src/main.rs");
    check("echo hi", "");
    check("echo src/*", "/w/src/deep /w/src/lib.rs /w/src/main.rs");
    check("grep -r x src docs", "/w/docs /w/src");
    check("grep -f a.rs b.rs", "/w/a.rs /w/b.rs");
    check("grep x </dev/null /dev/null", "");
    check("git show HEAD:src/main.rs", "/w /w/src/main.rs");
    check("find src docs -newer a.rs", "/w/a.rs /w/docs /w/src");
    check("[ -f out/passwd ]", "/etc/passwd");
    assert_eq!(known("cd src && ls", Table::Full).unwrap().moves, Some(PathBuf::from("/w/src")));
}
