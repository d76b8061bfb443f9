//! Programs that write into files which their words name.

use super::args::Args;
use super::deed::{Deed, What};

/// Programs that write anew what they are given, with the options of which one must be there (none where they always do)
/// and those with which they only look.
const FORMATTERS: [(&str, &[&str], &[&str]); 15] = [
    ("autopep8", &["-i", "--in-place"], &[]),
    ("biome", &["--write", "--fix"], &[]),
    ("black", &[], &["--check", "--diff", "-c", "--code"]),
    ("clang-format", &["-i"], &["-n", "--dry-run"]),
    ("dos2unix", &[], &["-i", "--info"]),
    ("eslint", &["--fix"], &["--fix-dry-run"]),
    ("gofmt", &["-w"], &[]),
    ("goimports", &["-w"], &[]),
    ("isort", &[], &["-c", "--check", "--check-only", "--diff", "--stdout", "-d"]),
    ("prettier", &["--write", "-w"], &[]),
    ("ruff", &["--fix", "format"], &["--check", "--diff"]),
    ("rustfmt", &[], &["--check", "--emit"]),
    ("shfmt", &["-w", "--write"], &[]),
    ("unix2dos", &[], &["-i", "--info"]),
    ("yq", &["-i", "--inplace"], &[]),
];

/// Programs whose output goes to what stands behind `-o`, where a build makes it anew.
const BUILDERS: [&str; 22] = [
    "as", "bison", "c++", "cc", "clang", "clang++", "dot", "flex", "g++", "gcc", "gfortran", "go", "iconv",
    "ld", "nasm", "pandoc", "protoc", "rustc", "strace", "tree", "tsc", "yacc",
];

/// Everything that `program` with these words would do, where it is one of these programs.
pub(super) fn deeds(program: &str, words: &[String]) -> Vec<Deed> {
    let operands = || Args::read(words, "", &[]).operands;
    match program {
        "tee" | "sponge" => {
            let args = Args::read(words, "", &[]);
            let grows = args.has('a', "append");
            args.operands.into_iter().map(|name| if grows { changed(name) } else { replaced(name) }).collect()
        }
        "touch" => each(Args::read(words, "A:d:r:t:", &["date", "reference", "time"]).operands),
        "mkdir" => each(Args::read(words, "m:", &["mode"]).operands),
        "rmdir" | "ed" | "emacs" | "ex" | "nano" | "nvim" | "vi" | "vim" => each(operands()),
        "chmod" | "chown" | "chgrp" => set(words),
        "shred" => Args::read(words, "n:s:", &["iterations", "size", "random-source"])
            .operands
            .into_iter()
            .map(replaced)
            .collect(),
        "truncate" => truncated(words),
        "dd" => words
            .iter()
            .find_map(|word| word.strip_prefix("of="))
            .map(|name| replaced(name.to_owned()))
            .into_iter()
            .collect(),
        "sort" => {
            let long = [
                "output",
                "key",
                "field-separator",
                "buffer-size",
                "temporary-directory",
                "parallel",
                "batch-size",
            ];
            output(&Args::read(words, "k:o:S:t:T:", &long), 'o', "output")
        }
        "shuf" => {
            output(&Args::read(words, "i:n:o:", &["output", "input-range", "head-count"]), 'o', "output")
        }
        "uniq" => Args::read(words, "f:s:w:", &["skip-fields", "skip-chars", "check-chars"])
            .operands
            .into_iter()
            .skip(1)
            .map(replaced)
            .collect(),
        "xxd" => Args::read(words, "c:g:l:o:s:", &[]).operands.into_iter().skip(1).map(replaced).collect(),
        "split" | "csplit" => cut(program, words),
        "script" => each(Args::read(words, "c:E:I:m:o:O:T:", &["command"]).operands),
        "patch" => patched(words),
        "curl" => downloaded_by_curl(words),
        "wget" => downloaded_by_wget(words),
        "sed" | "perl" | "ruby" | "awk" | "gawk" => in_place(program, words),
        builder if BUILDERS.contains(&builder) => built(words),
        formatter => formatted(formatter, words),
    }
}

fn changed(name: String) -> Deed {
    Deed::Changes(What::File(name))
}

fn replaced(name: String) -> Deed {
    Deed::Replaces(What::File(name))
}

fn each(names: Vec<String>) -> Vec<Deed> {
    names.into_iter().map(changed).collect()
}

/// What stands behind the option for a program's output.
fn output(args: &Args, short: char, long: &str) -> Vec<Deed> {
    args.values(short, long).cloned().map(replaced).collect()
}

/// A mode or an owner, and what gets it.
fn set(words: &[String]) -> Vec<Deed> {
    let args = Args::read(words, "", &["reference", "from"]);
    let is_recursive = args.has('R', "recursive");
    // `chmod -x a`: the mode looks like an option
    let is_mode = |word: &String| {
        word.len() > 1 && word.starts_with('-') && word.chars().skip(1).all(|c| "rwxXst".contains(c))
    };
    let first = usize::from(!args.has_long("reference") && !words.iter().any(is_mode));
    let what = |name| if is_recursive { What::Tree(name) } else { What::File(name) };
    args.operands.into_iter().skip(first).map(|name| Deed::Changes(what(name))).collect()
}

/// `truncate -s +N` only makes a file longer.
fn truncated(words: &[String]) -> Vec<Deed> {
    let args = Args::read(words, "r:s:", &["size", "reference"]);
    let grows = args.values('s', "size").any(|size| size.starts_with('+'));
    args.operands.into_iter().map(|name| if grows { changed(name) } else { replaced(name) }).collect()
}

/// Pieces that begin with a name.
fn cut(program: &str, words: &[String]) -> Vec<Deed> {
    let start = if program == "split" {
        let long = ["suffix-length", "bytes", "line-bytes", "lines", "number", "filter"];
        Args::read(words, "a:b:C:l:n:t:", &long).operands.into_iter().nth(1).unwrap_or_else(|| "x".to_owned())
    } else {
        let args = Args::read(words, "b:f:n:", &["prefix", "digits", "suffix-format"]);
        args.values('f', "prefix").last().cloned().unwrap_or_else(|| "xx".to_owned())
    };
    vec![changed(format!("{start}*"))]
}

/// The file that is named, or what the patch names below a directory.
fn patched(words: &[String]) -> Vec<Deed> {
    let args = Args::read(
        words,
        "B:D:d:F:g:i:o:p:r:V:Y:z:",
        &["directory", "fuzz", "input", "output", "strip", "reject-file"],
    );
    if args.has_long("dry-run") {
        return Vec::new();
    }
    let place = args.values('d', "directory").last();
    let at = |name: &String| place.map_or_else(|| name.clone(), |place| format!("{place}/{name}"));
    let named = args.operands.first().into_iter().chain(args.values('o', "output")).map(at);
    let named: Vec<Deed> = named.map(changed).collect();
    if named.is_empty() {
        vec![Deed::Changes(What::Within(place.cloned().unwrap_or_else(|| ".".to_owned())))]
    } else {
        named
    }
}

fn downloaded_by_curl(words: &[String]) -> Vec<Deed> {
    let long = [
        "output",
        "output-dir",
        "request",
        "header",
        "data",
        "data-raw",
        "data-binary",
        "user",
        "user-agent",
        "referer",
        "cookie",
        "cookie-jar",
        "dump-header",
        "proxy",
        "max-time",
        "connect-timeout",
        "retry",
        "form",
        "config",
        "write-out",
    ];
    let args = Args::read(words, "A:b:C:c:D:d:E:e:F:H:K:m:o:P:Q:r:T:t:U:u:w:X:x:Y:y:z:", &long);
    let place = args.values('\n', "output-dir").last();
    let at = |name: &str| place.map_or_else(|| name.to_owned(), |place| format!("{place}/{name}"));
    let by_url = args.has('O', "remote-name")
        || args.has('J', "remote-header-name")
        || args.has_long("remote-name-all");
    let of_urls = args.operands.iter().filter(|_| by_url).map(|url| at(last_of(url)));
    let named = args.values('o', "output").map(|name| at(name));
    let kept = args.values('c', "cookie-jar").chain(args.values('D', "dump-header")).cloned();
    // a dash is the standard output
    of_urls.chain(named).chain(kept).filter(|name| name != "-").map(replaced).collect()
}

fn downloaded_by_wget(words: &[String]) -> Vec<Deed> {
    let long = [
        "output-document",
        "directory-prefix",
        "output-file",
        "append-output",
        "input-file",
        "header",
        "user",
        "password",
        "tries",
        "timeout",
        "wait",
        "quota",
        "user-agent",
        "referer",
        "post-data",
        "post-file",
        "method",
        "body-data",
    ];
    let args = Args::read(words, "A:a:B:D:e:I:i:l:O:o:P:Q:R:T:t:U:w:X:", &long);
    if args.has_long("spider") {
        return Vec::new();
    }
    let named = args.values('O', "output-document").filter(|name| *name != "-").cloned().map(replaced);
    let logs = args.values('o', "output-file").cloned().map(replaced);
    let grown = args.values('a', "append-output").cloned().map(changed);
    let mut deeds: Vec<Deed> = named.chain(logs).chain(grown).collect();
    if !args.has('O', "output-document") {
        // a file that is there is left alone: the new one gets a number behind its name
        let place = args.values('P', "directory-prefix").last().map_or(".", |place| place.as_str());
        deeds.extend(args.operands.iter().map(|url| changed(format!("{place}/{}", last_of(url)))));
        deeds.push(Deed::Changes(What::Within(place.to_owned())));
    }
    deeds
}

/// The name that a file of this address gets.
fn last_of(url: &str) -> &str {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    path.rsplit('/').next().unwrap_or(path)
}

/// Programs that write into what they read only where an option says so.
fn in_place(program: &str, words: &[String]) -> Vec<Deed> {
    let (short, long): (_, &[&str]) = match program {
        "sed" => ("e:f:i::l:", &["expression", "file", "line-length"]),
        "perl" => ("0::C::D::E:e:F:I:i::l::M:m:V::x::", &[]),
        "ruby" => ("0::C:E:e:F:I:i::K::r:T::W::x::", &[]),
        _ => ("f:F:i:v:", &["file", "field-separator", "include", "assign"]),
    };
    let args = Args::read(words, short, long);
    let is_awk = program.ends_with("awk");
    let is_so = if is_awk {
        args.values('i', "include").any(|name| name == "inplace")
    } else {
        args.has('i', "in-place") || (program == "sed" && args.has('I', ""))
    };
    // the first operand is the program itself, where no option has given it
    let is_given = match program {
        "sed" => args.has('e', "expression") || args.has('f', "file"),
        "awk" | "gawk" => args.has('f', "file"),
        _ => args.has('e', "") || args.has('E', ""),
    };
    let first = usize::from(!is_given);
    if is_so { each(args.operands.into_iter().skip(first).collect()) } else { Vec::new() }
}

/// `-o file`, `-ofile`, `--output file`: such programs have no options of several letters in one word.
fn built(words: &[String]) -> Vec<Deed> {
    let next = words
        .iter()
        .zip(words.iter().skip(1))
        .filter(|(option, _)| matches!(option.as_str(), "-o" | "--output"));
    let same =
        words.iter().filter_map(|word| word.strip_prefix("-o").or_else(|| word.strip_prefix("--output=")));
    let names =
        next.map(|(_, name)| name.clone()).chain(same.filter(|name| !name.is_empty()).map(str::to_owned));
    names.map(changed).collect()
}

fn formatted(program: &str, words: &[String]) -> Vec<Deed> {
    let Some((_, with, without)) = FORMATTERS.iter().find(|row| row.0 == program) else { return Vec::new() };
    let says =
        |options: &[&str]| words.iter().any(|word| options.contains(&word.split('=').next().unwrap_or(word)));
    if says(without) || !(with.is_empty() || says(with)) {
        return Vec::new();
    }
    let operands = Args::read(words, "", &[]).operands.into_iter();
    operands.map(|name| Deed::Changes(What::Tree(name))).collect()
}
