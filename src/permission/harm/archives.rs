//! Programs that pack files and take them out again.
//!
//! An archive's own names are not read: what is taken out of it whole goes somewhere below a directory.

use super::args::Args;
use super::deed::{Deed, What};

/// The programs that are read here.
pub(super) const PROGRAMS: [&str; 23] = [
    "bsdtar",
    "gtar",
    "tar",
    "zip",
    "unzip",
    "7z",
    "7za",
    "7zr",
    "7zz",
    "gzip",
    "gunzip",
    "bzip2",
    "bunzip2",
    "xz",
    "unxz",
    "lzma",
    "unlzma",
    "zstd",
    "unzstd",
    "lz4",
    "unlz4",
    "compress",
    "uncompress",
];

/// Letters of `tar` that take a value.
const OF_TAR: &str = "b:C:f:F:g:H:I:K:L:N:T:V:X:";

/// Ends of what the programs of one file make of it.
const ENDS: [&str; 8] = [".gz", ".bz2", ".xz", ".zst", ".lz4", ".lzma", ".Z", ".tgz"];

/// Everything that such a program with these words would do.
pub(super) fn deeds(program: &str, words: &[String]) -> Vec<Deed> {
    match program {
        "tar" | "bsdtar" | "gtar" => tar(words),
        "unzip" => unzip(words),
        "zip" => zip(words),
        "7z" | "7za" | "7zr" | "7zz" => seven(words),
        _ => one_file(words),
    }
}

fn tar(words: &[String]) -> Vec<Deed> {
    let args = Args::read(
        &dashed(words),
        OF_TAR,
        &["directory", "file", "files-from", "exclude", "exclude-from", "transform"],
    );
    let archive = || args.values('f', "file").filter(|name| *name != "-").cloned().map(What::File);
    if args.has('c', "create") {
        let packed = args.operands.iter().filter(|_| args.has_long("remove-files"));
        let gone = packed.cloned().map(|name| Deed::Deletes(What::Tree(name)));
        return archive().map(Deed::Replaces).chain(gone).collect();
    }
    let is_written = args.has('r', "append")
        || args.has('u', "update")
        || args.has('A', "catenate")
        || args.has_long("delete");
    if is_written {
        return archive().map(Deed::Changes).collect();
    }
    if !args.has('x', "extract") && !args.has('x', "get") || args.has('O', "to-stdout") {
        return Vec::new();
    }
    let places: Vec<&String> = args.values('C', "directory").collect();
    let place = places.last().map_or(".", |place| place.as_str());
    out_of(place, &args.operands)
}

/// `tar xzf a -C b` as `-x -z -f a -C b`.
fn dashed(words: &[String]) -> Vec<String> {
    let Some((first, rest)) = words.split_first().filter(|(first, _)| !first.starts_with('-')) else {
        return words.to_vec();
    };
    let mut rest = rest.iter();
    let mut dashed = Vec::new();
    for letter in first.chars() {
        dashed.push(format!("-{letter}"));
        if OF_TAR.contains(&format!("{letter}:")) {
            dashed.extend(rest.next().cloned());
        }
    }
    dashed.extend(rest.cloned());
    dashed
}

fn unzip(words: &[String]) -> Vec<Deed> {
    let args = Args::read(words, "d:P:", &[]);
    if ['l', 'p', 't', 'v', 'z', 'Z'].into_iter().any(|only_looks| args.has(only_looks, "")) {
        return Vec::new();
    }
    let place = args.values('d', "").last().map_or(".", |place| place.as_str());
    out_of(place, args.operands.get(1..).unwrap_or_default())
}

/// What is taken out into a directory: these, or all.
fn out_of(place: &str, members: &[String]) -> Vec<Deed> {
    if members.is_empty() {
        return vec![Deed::Changes(What::Within(place.to_owned()))];
    }
    members.iter().map(|member| Deed::Changes(What::Tree(format!("{place}/{member}")))).collect()
}

fn zip(words: &[String]) -> Vec<Deed> {
    let args = Args::read(words, "b:i:n:P:t:x:", &[]);
    let is_moved = args.has('m', "move");
    let mut operands = args.operands.into_iter();
    let archive = operands.next().map(|name| Deed::Changes(What::File(name)));
    let packed = operands.filter(|_| is_moved).map(|name| Deed::Changes(What::Tree(name)));
    archive.into_iter().chain(packed).collect()
}

fn seven(words: &[String]) -> Vec<Deed> {
    let args = Args::read(words, "o:p:", &[]);
    let mut operands = args.operands.iter();
    match (operands.next().map(String::as_str), operands.next()) {
        (Some("x" | "e"), _) => out_of(args.values('o', "").last().map_or(".", |place| place.as_str()), &[]),
        (Some("a" | "d" | "u" | "rn"), Some(archive)) => vec![Deed::Changes(What::File(archive.clone()))],
        _ => Vec::new(),
    }
}

/// `gzip` and its like: a file becomes another, with an end more or less.
fn one_file(words: &[String]) -> Vec<Deed> {
    let args = Args::read(words, "S:o:", &["suffix"]);
    let only_looks = args.has('c', "stdout")
        || args.has('c', "to-stdout")
        || args.has('l', "list")
        || args.has('t', "test");
    if only_looks {
        return Vec::new();
    }
    if args.has('r', "recursive") {
        return args.operands.into_iter().map(|name| Deed::Changes(What::Tree(name))).collect();
    }
    let written = args.values('o', "").cloned();
    let becomes = |name: &String| match ENDS.iter().find_map(|end| name.strip_suffix(end)) {
        Some(plain) => vec![plain.to_owned()],
        None => ENDS.iter().map(|end| format!("{name}{end}")).collect(),
    };
    let names = args.operands.iter().flat_map(|name| becomes(name).into_iter().chain([name.clone()]));
    written.chain(names).map(|name| Deed::Changes(What::File(name))).collect()
}
