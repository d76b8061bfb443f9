//! The corpus, the everyday lines, and what is written for some of them.

use super::*;

/// Lines with what must become of them.
const CORPUS: &str = include_str!("corpus");
const QUIET: &str = include_str!("quiet");

/// Everyday lines that may ask.
const MAY_ASK: usize = 3;
/// The same where there is no sandbox: mostly those with `git`, `sed`, `awk` and the like.
const MAY_ASK_BARE: [usize; 2] = [43, 30];

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
    let (first, second) = lines.split_at(100);
    let holds = |sign: &str| first.iter().filter(|line| line.contains(sign)).count();
    let is_piped = |line: &&String| line.matches(" | ").count() >= 2;
    assert_eq!((first.len(), second.len()), (100, 100));
    assert!(first.iter().filter(|line| line.starts_with("cd ")).count() >= 20);
    assert!(holds("2>") >= 20 && holds("*") >= 20 && holds("git ") >= 20);
    assert!(first.iter().filter(is_piped).count() >= 20);
    for (table, may_ask) in [(Table::Full, [MAY_ASK; 2]), (Table::Bare, MAY_ASK_BARE)] {
        for (lines, may_ask) in [first, second].into_iter().zip(may_ask) {
            let ask: Vec<&String> = lines.iter().filter(|line| !runs_unasked(line, table)).collect();
            assert!(ask.len() <= may_ask, "{table:?}: {}: {ask:#?}", ask.len());
        }
    }
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
    check("cd src; ls", "cd /w/src && { /usr/bin/ls; }");
    check("ls; cd src && ls && cd .. && pwd", "/usr/bin/ls; cd /w/src && /usr/bin/ls && cd /w && pwd");
    check("cd src; ls; cd ..; pwd", "cd /w/src && { /usr/bin/ls; cd /w && { pwd; }; }");
    check("(cd src && ls) | wc -l", "( cd /w/src && /usr/bin/ls ) | /usr/bin/wc -l");
    check("ls || { pwd; ls; } 2>/dev/null", "/usr/bin/ls || { pwd; /usr/bin/ls; } 2>/dev/null");
    check("wc -l < 'a b'", "/usr/bin/wc -l < 'a b'");
    check("ls; echo \"it is $?\" ${PATH}", "/usr/bin/ls; echo 'it is '\"$?\" \"$PATH\"");
    check(
        "for f in *.rs 'x y'; do echo \"= $f\"; cat \"$f\"; done | head",
        "{ echo '= a.rs'; /usr/bin/cat a.rs; echo '= b.rs'; /usr/bin/cat b.rs; echo '= x y'; \
         /usr/bin/cat 'x y'; } | /usr/bin/head",
    );
    check("echo \"n: $( (ls; pwd) | wc -l )\"", "echo 'n: '\"$( ( /usr/bin/ls; pwd ) | /usr/bin/wc -l )\"");
    check(
        "ls -1 | sort | xargs -n 5 wc -l",
        "/usr/bin/ls -1 | /usr/bin/sort | /usr/bin/xargs -n 5 -d '\\n' /usr/bin/wc -l --",
    );
    check("ls | xargs -0 -I{} stat {}", "/usr/bin/ls | /usr/bin/xargs -0 '-I{}' /usr/bin/stat -- '{}'");
    check("wc a.rs -l $(find src) 2>&1", "/usr/bin/wc -l a.rs -- $( /usr/bin/find src ) 2>&1");
    check("find . -exec stat -c %s {} \\;", "/usr/bin/find . '(' -exec /usr/bin/stat -c %s '{}' ';' ')'");
    check("ruby --version", "/home/u/.rbenv/shims/ruby --version");
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
    holds("grep -Rn KEY -A2 -e R", &[" -rn -A2 -e R '--exclude="]);
    holds("grep --dereference-recursive KEY", &[" --recursive "]);
    let passes_over = " '(' -type f '!' -iname .env ";
    holds(
        "find . -name '*.x' -exec cat {} +",
        &[passes_over, " '!' -ipath '*/.ssh/*' ", " -exec /usr/bin/cat '{}' + ')'"],
    );
    holds(
        "find . -exec wc -l {} + -o -exec grep -q x {} \\; -print",
        &[passes_over, "'{}' + ')' -o '(' -type f "],
    );
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
    check("cd src; ls; cd ..; wc -l < a.rs", "/w /w/a.rs /w/src");
    check("(cd src && cat main.rs) | sort b.rs -", "/w/b.rs /w/src /w/src/main.rs");
    check("for f in a.rs .env; do cat $f; done", "/w/.env /w/a.rs");
    check("for f in *.rs; do echo $f; done", "/w/a.rs /w/b.rs");
    check("echo \"$(cat a.rs)\"", "/w/a.rs");
    check("find src -exec grep -f a.rs {} +", "/w/a.rs /w/src /w/{}");
    check("wc -l b.rs $(git ls-files docs)", "/w /w/b.rs /w/docs /w/{}");
}
