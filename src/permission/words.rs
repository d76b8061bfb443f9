//! A command's words, found without knowing the shell.
//!
//! Not a parser. Two questions are answered, each with its own way to be wrong. *Is it so plain that it can mean
//! only one thing?* ([`plain`]) is asked before a command is let through, and says no too often. *Does it mention
//! this anywhere?* ([`mentions`]) is asked before it is held back, and says yes too often: every word counts as if
//! it were a command, so that `env rm`, `bash -c 'rm …'`, `xargs rm` and `find -exec rm` are all seen by one rule.

/// How many options may stand between two words of a rule: `git -C dir push` is a `git push`.
const MAX_BETWEEN: usize = 16;

/// What becomes of quotes. Both ways are looked at, for `r''m` and `'rm'x` are caught by one each.
#[derive(Debug, Clone, Copy)]
enum Quotes {
    /// They vanish: `r''m` is `rm`.
    Vanish,
    /// They part words, as commas and braces do: `f('rm')` has the word `rm`.
    Part,
}

/// Where a rule's words must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// More words may follow.
    Open,
    /// The command ends there.
    Closed,
}

/// The words of a command that means the same to every shell; `None` for any other.
pub(super) fn plain(command: &str) -> Option<Vec<&str>> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./- ".contains(c);
    let words: Vec<&str> = command.split(' ').filter(|word| !word.is_empty()).collect();
    (!words.is_empty() && command.chars().all(is_plain)).then_some(words)
}

/// Every simple command that may be in the text, as words: read in both ways, one after the other.
pub(super) fn segments(command: &str) -> Vec<Vec<String>> {
    let mut all = cut(command, Quotes::Vanish);
    all.extend(cut(command, Quotes::Part));
    all
}

/// Whether `pattern` is mentioned anywhere in the command.
pub(super) fn mentions(command: &str, pattern: &[String], end: End) -> bool {
    segments(command).iter().any(|words| stand_in(words, pattern, end))
}

/// Whether `pattern` stands anywhere in these words.
pub(super) fn stand_in(words: &[String], pattern: &[String], end: End) -> bool {
    (0..words.len()).any(|start| begins(words, start, pattern, end))
}

/// The name by which a word would be run: without a leading path, and without what stands before `=`.
pub(super) fn name(word: &str) -> &str {
    let word = word.rsplit('=').next().unwrap_or(word);
    word.rsplit('/').next().unwrap_or(word)
}

/// Whether these words are a command that begins as `pattern` does, options between its words left out of account.
pub(super) fn is_begun_by(words: &[String], pattern: &[String], end: End) -> bool {
    begins(words, 0, pattern, end)
}

/// Whether the pattern stands at `start`, options between its words left out of account.
fn begins(words: &[String], start: usize, pattern: &[String], end: End) -> bool {
    let Some((first, more)) = pattern.split_first() else { return true };
    let named = |word: &String| word == first || name(word) == first;
    if !words.get(start).is_some_and(named) {
        return false;
    }
    let mut reached = vec![start];
    for wanted in more {
        let mut next: Vec<usize> = reached.iter().flat_map(|&at| followers(words, at, wanted)).collect();
        next.sort_unstable();
        next.dedup();
        reached = next;
    }
    match end {
        End::Open => !reached.is_empty(),
        End::Closed => reached.iter().any(|&at| at + 1 == words.len()),
    }
}

/// Where `wanted` stands after the word at `at`, with nothing but options and their values between.
fn followers(words: &[String], at: usize, wanted: &str) -> Vec<usize> {
    let mut found = Vec::new();
    let mut after_option = false;
    for (index, word) in words.iter().enumerate().skip(at + 1).take(MAX_BETWEEN) {
        if word == wanted {
            found.push(index);
        }
        let option = word.starts_with('-');
        if !option && !after_option {
            break;
        }
        after_option = option;
    }
    found
}

fn cut(command: &str, quotes: Quotes) -> Vec<Vec<String>> {
    let mut segments = Vec::new();
    let mut words = Vec::new();
    let mut word = String::new();
    let text = command.replace("${HOME}", "$HOME").replace("${PWD}", "$PWD").replace("${TMPDIR}", "$TMPDIR");
    for c in text.replace("\\\n", "").chars() {
        match (c, quotes) {
            ('\\', _) | ('\'' | '"', Quotes::Vanish) => {}
            (' ' | '\t', _) | ('\'' | '"' | ',', Quotes::Part) => end_word(&mut word, &mut words),
            ('<' | '>', _) => {
                if word.chars().all(|c| c.is_ascii_digit()) {
                    word.clear(); // the number of a descriptor, as in `2>`
                }
                end_segment(&mut word, &mut words, &mut segments);
            }
            ('\n' | '\r' | ';' | '|' | '&' | '(' | ')' | '`' | '{' | '}', _) => {
                end_segment(&mut word, &mut words, &mut segments);
            }
            (other, _) => word.push(other),
        }
    }
    end_segment(&mut word, &mut words, &mut segments);
    segments
}

fn end_word(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

fn end_segment(word: &mut String, words: &mut Vec<String>, segments: &mut Vec<Vec<String>>) {
    end_word(word, words);
    if !words.is_empty() {
        segments.push(std::mem::take(words));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn plain_is_only_what_every_shell_reads_alike() {
        assert_eq!(plain("git  status -s ./a,b=%@+:_ "), Some(vec!["git", "status", "-s", "./a,b=%@+:_"]));
        for odd in [
            "", "  ", "a;b", "a|b", "a&", "$x", "`x`", "a>b", "a\nb", "a\tb", "~/x", "*.rs", "a?", "'a'",
            "\"a\"", "a\\b", "#x", "!x", "{a,b}", "(a)", "[a]", "é", "a\u{a0}b", "a\rb",
        ] {
            assert_eq!(plain(odd), None, "{odd:?}");
        }
    }

    #[test]
    fn a_word_is_found_through_wrappers_and_quotes() {
        let check = |command: &str, expected: bool| {
            assert_eq!(mentions(command, &pattern("rm"), End::Open), expected, "{command}");
        };
        for caught in [
            "rm -rf x",
            "/bin/rm x",
            "env rm x",
            "env A=b rm x",
            "A=b rm x",
            "bash -c 'rm x'",
            "sh -c \"rm x\"",
            "find . -exec rm {} +",
            "ls | xargs rm",
            "true;rm x",
            "true&&rm x",
            "x=$(rm y)",
            "`rm y`",
            "(rm y)",
            "{ rm y; }",
            "r''m x",
            "r\\m x",
            "\"rm\" x",
            "a=rm; $a x",
            "python -c \"os.system('rm x')\"",
            "true\nrm x",
            "{rm,-rf,x}",
            "sudo -u root rm x",
            "nohup rm x &",
            "cat <(rm x)",
            "r\\\nm x",
        ] {
            check(caught, true);
        }
        for other in ["firm x", "rmdir x", "./rm.sh", "ls form", "rm-all", "git commit -m 'disarm'"] {
            check(other, false);
        }
    }

    #[test]
    fn options_between_a_rules_words_do_not_hide_it() {
        let check = |command: &str, expected: bool| {
            assert_eq!(mentions(command, &pattern("git push"), End::Open), expected, "{command}");
        };
        check("git push", true);
        check("git push origin main", true);
        check("git -C dir push", true);
        check("git -c a=b --no-pager -C x push -f", true);
        check("git -C push push", true);
        check("git commit -m push", false);
        check("git commit -m 'fix push'", false);
        check("git stash", false);
        check("gitk push", false);
        check("git; push", false);
    }

    #[test]
    fn a_closed_pattern_ends_with_its_command() {
        let check = |command: &str, expected: bool| {
            assert_eq!(mentions(command, &pattern("git push"), End::Closed), expected, "{command}");
        };
        check("git push", true);
        check("env git push 2>&1 | cat", true);
        check("git push; ls", true);
        check("git push origin", false);
    }

    #[test]
    fn a_long_row_of_options_is_read_in_good_time() {
        let command = format!("git {}push", "- ".repeat(20_000));
        assert!(!mentions(&command, &pattern("git push now"), End::Open));
    }

    proptest::proptest! {
        #[test]
        fn no_wrapping_hides_a_word(before in "[ -~\\n]{0,20}", after in "[ -~\\n]{0,20}") {
            for command in [format!("{before};rm {after}"), format!("{before} /bin/rm {after}"), format!("{before} 'rm' {after}")] {
                proptest::prop_assert!(mentions(&command, &pattern("rm"), End::Open), "{}", command);
            }
        }

        #[test]
        fn what_is_plain_has_no_sign_that_a_shell_reads(command in "[ -~\\n\\t]{0,12}") {
            if let Some(words) = plain(&command) {
                proptest::prop_assert_eq!(segments(&command).first().map(Vec::len), Some(words.len()));
            }
        }
    }
}
