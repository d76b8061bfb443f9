//! Laws that hold for any line.

use proptest::prelude::*;

use super::corpus::{Verdict, corpus, quiet};
use super::*;

/// Lines that run unasked, among others.
fn lines() -> Vec<String> {
    quiet().into_iter().chain(corpus().into_iter().map(|(_, line)| line)).collect()
}

/// The words of each command, where all of them are simple.
fn words(line: &str) -> Option<Vec<Vec<String>>> {
    let of_command = |part: &Part| match &part.what {
        What::Command(words) => words.iter().map(Word::literal).collect(),
        What::Group(..) | What::Loop { .. } => None,
    };
    line::read(line)?.iter().map(of_command).collect()
}

/// Whether a text has, outside of single quotes, nothing but plain words, joints, redirections to nowhere and from files, groups
/// and what the shell may put in. It knows nothing of how the text was made.
fn is_plain(text: &str) -> bool {
    let text = text.replace("'\\''", "");
    let mut bare: String = text.split('\'').step_by(2).collect::<Vec<_>>().join("Q");
    for name in judge::SHOWN.split(' ') {
        bare = bare.replace(&format!("\"${name}\""), "Q");
    }
    for (open, close) in [("\"$( ", " )\""), ("$( ", " )")] {
        bare = bare.replace(open, " ( ").replace(close, " ) ");
    }
    let words = bare.split_whitespace();
    let is_sign = |word: &str| {
        matches!(
            word,
            "&&" | "||"
                | "|"
                | ";"
                | "{"
                | "}"
                | "("
                | ")"
                | "<"
                | "2>&1"
                | ">&2"
                | "2>/dev/null"
                | ">/dev/null"
                | "</dev/null"
        )
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    text.matches('\'').count().is_multiple_of(2)
        && words
            .map(|word| word.strip_suffix(';').unwrap_or(word))
            .all(|word| is_sign(word) || word.chars().all(is_word))
}

/// Whether the line means the same with something behind it: no quote is open, and nothing must follow.
fn is_whole(line: &str) -> bool {
    let quotes = line.chars().filter(|c| matches!(c, '\'' | '"')).count();
    let line = line.trim_end();
    quotes % 2 == 0 && !line.is_empty() && !line.ends_with(['&', '|', ';', '\\']) && !line.contains("<<")
}

#[test]
fn what_is_written_anew_has_the_same_words() {
    let (scope, sight) = (scope(), sight());
    for line in lines() {
        let Some(runs) =
            line::read(&line).and_then(|parts| judged(&parts, here(&scope, &sight), &|_, _| false))
        else {
            continue;
        };
        let text = text_of(&runs);
        // what `find` passes over takes many words
        assert!(line::read(&text).is_some() || text.len() > 8192, "{line}: {text}");
        let simple = |run: &Runs| match &run.does {
            Does::Command { words, inserted, .. } if inserted.is_empty() => Some(words.clone()),
            Does::Command { .. } | Does::Move(_) | Does::Group(..) => None,
        };
        if let Some(expected) =
            runs.iter().map(simple).collect::<Option<Vec<_>>>().filter(|_| text.len() <= 8192)
        {
            assert_eq!(words(&text), Some(expected), "{line}");
        }
    }
}

#[test]
fn what_is_written_anew_is_plain() {
    for line in lines() {
        let text = known(&line, Table::Full).map(|known| known.text);
        assert!(text.as_deref().is_none_or(is_plain), "{text:?}");
    }
    for text in [
        "ls $x",
        "ls *",
        "ls 'a",
        "ls > a",
        "ls & b",
        "ls `b`",
        "ls \\a",
        "ls (a)",
        "ls \"a\"",
        "ls {a,b}",
        "ls 2>a",
        "ls \"$x\"",
        "ls $?",
        "ls $(a)",
        "ls <a",
        "ls << a",
    ] {
        assert!(!is_plain(text), "{text}");
    }
}

#[test]
fn nothing_around_a_line_lets_it_through() {
    let corpus = corpus();
    let asks = corpus.iter().filter(|(verdict, _)| *verdict == Verdict::Asks).map(|(_, line)| line);
    for line in asks.filter(|line| !line.trim().is_empty()) {
        for before in ["ls && ", "ls; ", "ls | ", "ls || ", "ls\n", "cd . && ls && ", "echo ''; "] {
            let longer = format!("{before}{line}");
            let is_cut = line.starts_with([' ', '\n', ';', '&', '|']);
            assert!(is_cut || !runs_unasked(&longer, Table::Full), "{longer:?}");
        }
        for after in [" && ls", "; ls", " | head", " || true", "\nls", " 2>/dev/null"] {
            let longer = format!("{line}{after}");
            let may_end_otherwise = !is_whole(line) || line.starts_with("cd ") || line.trim() == "cd";
            assert!(may_end_otherwise || !runs_unasked(&longer, Table::Full), "{longer:?}");
        }
    }
}

#[test]
fn a_command_that_is_not_listed_is_not_let_through_by_its_words() {
    for (verdict, line) in corpus() {
        if verdict != Verdict::Asks {
            for name in ["rm", "env", "sudo", "xargs", "./ls", "command", "exec"] {
                let longer = format!("{name} {line}");
                assert!(!runs_unasked(&longer, Table::Full), "{longer:?}");
            }
        }
    }
}

#[test]
fn without_a_sight_nothing_is_known() {
    for line in quiet() {
        let known = harmless(&line, Path::new("/w"), &scope(), &Sight::default(), Table::Full);
        assert!(known.is_none_or(|known| !known.text.contains("bin/")), "{line}");
    }
}

proptest! {
    #[test]
    fn no_line_upsets_the_reading(line in "[ -~\\n\\téß\u{200b}]{0,60}") {
        if let Some(known) = known(&line, Table::Full) {
            prop_assert!(is_plain(&known.text), "{}", known.text);
        }
    }

    #[test]
    fn what_is_plain_words_is_read_as_them(words in proptest::collection::vec("[!-~ é]{0,12}", 1..6)) {
        let line: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        let read = line::read(&line.join(" "));
        let first = |parts: Vec<Part>| match parts.into_iter().next().map(|part| part.what) {
            Some(What::Command(words)) => words.iter().map(Word::literal).collect::<Option<Vec<_>>>(),
            Some(What::Group(..) | What::Loop { .. }) | None => None,
        };
        let read = read.and_then(first);
        prop_assert_eq!(read, Some(words));
    }

    #[test]
    fn a_line_with_a_sign_that_a_shell_expands_is_not_known(
        before in "[a-z ]{0,8}", sign in "[$`(){}>]", after in "[a-z ]{0,8}",
    ) {
        let line = format!("echo {before}{sign}{after}");
        prop_assert!(known(&line, Table::Full).is_none(), "{}", line);
    }
}
