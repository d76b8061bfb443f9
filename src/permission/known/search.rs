//! Programs that search: in files (`grep`, `rg`) and for files (`find`, `fd`).
//!
//! What looks through directories is told to pass over secrets. Left out on purpose: what follows links out of the
//! workspace (`find -L`, `rg --follow`; `grep -R` runs as `grep -r`) and what starts a program (`rg --pre`, `rg -z`, `fd -x`;
//! for `find -exec` see `fed`) or writes (`find -delete`, `-fprint`).

use super::options::{Command, Kind, Operands, Opt, Parsed};
use super::{Judged, Place, fed, secrets};

const GREP: &[Opt] = &[
    Opt::Flags("abcEFGhHiIlLnoPqrRsTvwxyzZ"),
    Opt::Longs(
        "extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case invert-match word-regexp \
         line-regexp count files-without-match files-with-matches only-matching quiet silent no-messages byte-offset \
         with-filename no-filename line-number initial-tab null null-data text recursive dereference-recursive \
         line-buffered",
    ),
    Opt::Value("-A --after-context -B --before-context -C --context -m --max-count", Kind::Number),
    Opt::Value("-e --regexp --include --exclude --exclude-dir --binary-files --label", Kind::Text),
    Opt::Value("-f --file --exclude-from", Kind::Path),
    Opt::Maybe("--color --colour", Kind::Text),
    Opt::Count,
];

const RG: &[Opt] = &[
    Opt::Flags("aFHiIlnNoPpqsSuUvwxc.0"),
    Opt::Longs(
        "text fixed-strings with-filename no-filename ignore-case smart-case case-sensitive files-with-matches \
         files-without-match line-number no-line-number only-matching pcre2 pretty quiet unrestricted multiline \
         multiline-dotall invert-match word-regexp line-regexp count count-matches hidden files type-list heading \
         no-heading column json stats trim vimgrep no-ignore no-ignore-vcs no-ignore-parent no-ignore-dot \
         no-messages passthru null crlf binary one-file-system include-zero no-config",
    ),
    Opt::Value("-A --after-context -B --before-context -C --context -m --max-count", Kind::Number),
    Opt::Value("-d --max-depth -M --max-columns -j --threads --max-filesize", Kind::Number),
    Opt::Value("-e --regexp -g --glob --iglob -t --type -T --type-not -r --replace", Kind::Text),
    Opt::Value("--sort --sortr --color --colors --encoding -E --type-add", Kind::Text),
    Opt::Value("-f --file --ignore-file", Kind::Path),
];

const FD: &[Opt] = &[
    Opt::Flags("aFgHiIpqsu0"),
    Opt::Longs(
        "hidden no-ignore unrestricted absolute-path glob fixed-strings ignore-case case-sensitive full-path print0 \
         no-ignore-vcs regex",
    ),
    Opt::Value("-d --max-depth --min-depth --exact-depth --max-results", Kind::Number),
    Opt::Value(
        "-e --extension -t --type -E --exclude -S --size --changed-within --changed-before",
        Kind::Text,
    ),
    Opt::Value("-c --color -o --owner --and", Kind::Text),
];

/// The family.
pub(super) const COMMANDS: &[Command] = &[
    Command::new("grep", GREP, Operands::Own(grep)),
    Command::new("egrep", GREP, Operands::Own(egrep)).run_by("grep"),
    Command::new("fgrep", GREP, Operands::Own(fgrep)).run_by("grep"),
    Command::new("rg", RG, Operands::Own(rg)),
    Command::new("find", &[], Operands::Words(find)),
    Command::new("fd", FD, Operands::Walked(1)),
    Command::new("fdfind", FD, Operands::Walked(1)),
    Command::new("xargs", &[], Operands::Words(fed::xargs)),
];

fn grep(mut parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let has_pattern = parsed.has(&["-e", "--regexp", "-f", "--file"]);
    // links are passed over, for they may lead anywhere
    parsed.replace("-R", "-r");
    parsed.replace("--dereference-recursive", "--recursive");
    let is_recursive = parsed.has(&["-r", "-R", "--recursive", "--dereference-recursive"]);
    let files = parsed.operands.get(usize::from(!has_pattern)..)?.to_vec();
    let mut reads = place.reads(&parsed.paths);
    reads.extend(place.reads(&files));
    if is_recursive {
        // of an include and an exclude that both meet, the last one counts
        parsed.options.extend(secrets::for_grep());
        if files.is_empty() {
            reads.extend(place.reads(&[".".to_owned()]));
        }
    }
    Some(Judged { words: parsed.into_words(), reads })
}

fn egrep(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    grep_with("-E", parsed, place)
}

fn fgrep(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    grep_with("-F", parsed, place)
}

fn grep_with(option: &str, mut parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    parsed.options.insert(0, option.to_owned());
    grep(parsed, place)
}

fn rg(mut parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let has_pattern = parsed.has(&["-e", "--regexp", "-f", "--file", "--files", "--type-list"]);
    let walked = parsed.operands.get(usize::from(!has_pattern)..)?;
    let walked = if walked.is_empty() { vec![".".to_owned()] } else { walked.to_vec() };
    let mut reads = place.reads(&parsed.paths);
    reads.extend(place.reads(&walked));
    parsed.options.push("--no-config".to_owned());
    parsed.options.extend(secrets::for_ripgrep());
    Some(Judged { words: parsed.into_words(), reads })
}

/// What `find` asks of a file, without a value.
const TESTS: [&str; 24] = [
    "-empty",
    "-executable",
    "-readable",
    "-writable",
    "-print",
    "-print0",
    "-prune",
    "-quit",
    "-ls",
    "-true",
    "-false",
    "-depth",
    "-xdev",
    "-mount",
    "-noleaf",
    "-nouser",
    "-nogroup",
    "-a",
    "-and",
    "-o",
    "-or",
    "-not",
    "!",
    ",",
];

/// The same with a value that names no file.
const TESTS_OF_A_TEXT: [&str; 30] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-regextype",
    "-lname",
    "-type",
    "-xtype",
    "-maxdepth",
    "-mindepth",
    "-size",
    "-mtime",
    "-mmin",
    "-ctime",
    "-cmin",
    "-atime",
    "-amin",
    "-newermt",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-links",
    "-inum",
    "-printf",
];

/// The same with a file to be compared with.
const TESTS_OF_A_PATH: [&str; 4] = ["-newer", "-anewer", "-cnewer", "-samefile"];

fn find(words: &[String], place: &Place<'_>) -> Option<Judged> {
    let begins = |word: &String| word.starts_with('-') || matches!(word.as_str(), "(" | ")" | "!" | ",");
    let starts = words.iter().take_while(|word| !begins(word)).count();
    let (starts, tests) = words.split_at_checked(starts)?;
    let mut paths = if starts.is_empty() { vec![".".to_owned()] } else { starts.to_vec() };
    let mut reads = Vec::new();
    let mut all = starts.to_vec();
    let mut tests = tests.iter();
    while let Some(test) = tests.next() {
        if test == "-exec" {
            let judged = executed(&mut tests, place)?;
            all.extend(judged.words);
            reads.extend(judged.reads);
            continue;
        }
        all.push(test.clone());
        let test = test.as_str();
        if TESTS_OF_A_TEXT.contains(&test) {
            all.push(tests.next()?.clone());
        } else if TESTS_OF_A_PATH.contains(&test) {
            let path = tests.next()?;
            all.push(path.clone());
            paths.push(path.clone());
        } else if !TESTS.contains(&test) && !matches!(test, "(" | ")") {
            return None;
        }
    }
    reads.extend(place.reads(&paths));
    Some(Judged { words: all, reads })
}

/// What follows `-exec`, up to a `;`, or a `+` after `{}`.
fn executed<'a>(words: &mut impl Iterator<Item = &'a String>, place: &Place<'_>) -> Option<Judged> {
    let mut inner: Vec<String> = Vec::new();
    loop {
        let word = words.next()?;
        let is_full = word == "+" && inner.last().is_some_and(|last| last == "{}");
        if word == ";" || is_full {
            return fed::executed(&inner, word, place);
        }
        inner.push(word.clone());
    }
}
