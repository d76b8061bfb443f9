//! Programs that say something about files and directories.
//!
//! Left out on purpose: what follows links into other places (`-L`, `-H` where directories are walked), what takes the
//! names of files from a file (`--files0-from`, `file -f`), what opens packed files (`file -z`) and what writes
//! (`tree -o`, `tree -R`, `file -C`).

use super::options::{ANY, Command, Kind, Operands, Opt, Style};

const LS: &[Opt] = &[
    Opt::Flags("aAbBcCdfFghiklmnNopqQrRsStuUvxXZ1G"),
    Opt::Longs(
        "all almost-all author escape human-readable directory group-directories-first no-group inode size \
         recursive reverse numeric-uid-gid literal hide-control-chars show-control-chars quote-name kibibytes si \
         file-type full-time zero ignore-backups",
    ),
    Opt::Value(
        "-I --ignore --hide --sort --time --time-style --format --quoting-style --block-size",
        Kind::Text,
    ),
    Opt::Value("--indicator-style", Kind::Text),
    Opt::Value("-w --width -T --tabsize", Kind::Number),
    Opt::Maybe("--color --classify", Kind::Text),
];

const STAT: &[Opt] =
    &[Opt::Flags("ft"), Opt::Longs("terse file-system"), Opt::Value("-c --format --printf", Kind::Text)];

const FILE: &[Opt] = &[
    Opt::Flags("bhikN0"),
    Opt::Longs("brief mime mime-type mime-encoding no-dereference keep-going extension"),
];

const DU: &[Opt] = &[
    Opt::Flags("abchkmsSx0"),
    Opt::Longs(
        "all apparent-size bytes total human-readable si summarize separate-dirs one-file-system inodes",
    ),
    Opt::Value("-d --max-depth", Kind::Number),
    Opt::Value("-B --block-size -t --threshold --exclude --time-style", Kind::Text),
    Opt::Maybe("--time", Kind::Text),
];

const DF: &[Opt] = &[
    Opt::Flags("ahHiklPT"),
    Opt::Longs("all human-readable inodes print-type local portability total si"),
    Opt::Value("-B --block-size -t --type -x --exclude-type", Kind::Text),
    Opt::Maybe("--output", Kind::Text),
];

const TREE: &[Opt] = &[
    Opt::Flags("adfhisDFCnpugQNqvtrUcJSA"),
    Opt::Longs("dirsfirst filesfirst noreport gitignore prune matchdirs ignore-case du inodes si"),
    Opt::Value("-L --filelimit", Kind::Number),
    Opt::Value("-I -P --charset --sort --timefmt", Kind::Text),
];

const REALPATH: &[Opt] = &[
    Opt::Flags("eLmPqsz"),
    Opt::Longs("canonicalize-existing canonicalize-missing no-symlinks strip quiet logical physical zero"),
    Opt::Value("--relative-to --relative-base", Kind::Path),
];

const READLINK: &[Opt] = &[
    Opt::Flags("efmnqsvz"),
    Opt::Longs(
        "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero",
    ),
];

const BASENAME: &[Opt] =
    &[Opt::Flags("az"), Opt::Longs("multiple zero"), Opt::Value("-s --suffix", Kind::Text)];

const SUM: &[Opt] = &[Opt::Flags("btz"), Opt::Longs("binary text tag zero")];

/// The family.
pub(super) const COMMANDS: &[Command] = &[
    Command::new("ls", LS, Operands::Walked(0)),
    Command::new("stat", STAT, Operands::Paths(1, ANY)),
    Command::new("file", FILE, Operands::Paths(1, ANY)),
    Command::new("du", DU, Operands::Walked(0)),
    Command::new("df", DF, Operands::Paths(0, ANY)),
    Command::new("tree", TREE, Operands::Walked(0)).styled(Style::Apart),
    Command::new("realpath", REALPATH, Operands::Paths(1, ANY)),
    Command::new("readlink", READLINK, Operands::Paths(1, ANY)),
    Command::new("basename", BASENAME, Operands::Texts(1, ANY)),
    Command::new("dirname", &[Opt::Flags("z"), Opt::Longs("zero")], Operands::Texts(1, ANY)),
    Command::new("md5sum", SUM, Operands::Paths(0, ANY)),
    Command::new("sha1sum", SUM, Operands::Paths(0, ANY)),
    Command::new("sha224sum", SUM, Operands::Paths(0, ANY)),
    Command::new("sha256sum", SUM, Operands::Paths(0, ANY)),
    Command::new("sha384sum", SUM, Operands::Paths(0, ANY)),
    Command::new("sha512sum", SUM, Operands::Paths(0, ANY)),
    Command::new("b2sum", SUM, Operands::Paths(0, ANY)),
    Command::new("cksum", &[], Operands::Paths(0, ANY)),
];
