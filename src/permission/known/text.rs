//! Programs that show text and change it on its way to standard output.
//!
//! Left out on purpose: what waits for more (`tail -f`), what writes a file (`sort -o`, the second operand of `uniq` and
//! `xxd`), what starts a program (`sort --compress-program`, `diff -l`) and what reads the names of files or its own
//! options from a file (`wc --files0-from`, `strings @file`, `hexdump -f`). `diff` takes no directories: it would show
//! what lies in them.

use super::options::{ANY, Command, Kind, Operands, Opt, Parsed, Style};
use super::{Judged, Place};

const CAT: &[Opt] = &[
    Opt::Flags("AbeEnstTuv"),
    Opt::Longs("number number-nonblank show-all show-ends show-tabs show-nonprinting squeeze-blank"),
];

const HEAD: &[Opt] = &[
    Opt::Flags("qvz"),
    Opt::Longs("quiet silent verbose zero-terminated"),
    Opt::Value("-n --lines -c --bytes", Kind::Number),
    Opt::Count,
];

const WC: &[Opt] = &[Opt::Flags("clmLw"), Opt::Longs("bytes chars lines words max-line-length")];

const NL: &[Opt] = &[
    Opt::Flags("p"),
    Opt::Value("-b --body-numbering -f -h -d -s --number-separator -n --number-format", Kind::Text),
    Opt::Value("-w --number-width -v --starting-line-number -i --line-increment -l", Kind::Number),
];

const CUT: &[Opt] = &[
    Opt::Flags("sz"),
    Opt::Longs("complement only-delimited zero-terminated"),
    Opt::Value("-d --delimiter -f --fields -c --characters -b --bytes --output-delimiter", Kind::Text),
];

const TR: &[Opt] = &[Opt::Flags("cCdst"), Opt::Longs("complement delete squeeze-repeats truncate-set1")];

const SORT: &[Opt] = &[
    Opt::Flags("bcCdfghiMnrRsuVz"),
    Opt::Longs(
        "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort \
         human-numeric-sort numeric-sort reverse version-sort stable unique zero-terminated random-sort",
    ),
    Opt::Value("-k --key -t --field-separator --sort", Kind::Text),
    Opt::Value("--parallel", Kind::Number),
];

const UNIQ: &[Opt] = &[
    Opt::Flags("cdDiuz"),
    Opt::Longs("count repeated ignore-case unique zero-terminated"),
    Opt::Value("-f --skip-fields -s --skip-chars -w --check-chars", Kind::Number),
];

const TAC: &[Opt] = &[Opt::Flags("br"), Opt::Longs("before regex"), Opt::Value("-s --separator", Kind::Text)];

const COLUMN: &[Opt] = &[
    Opt::Flags("tx"),
    Opt::Longs("table"),
    Opt::Value("-s --separator -o --output-separator -c --output-width -N --table-columns", Kind::Text),
    Opt::Value("-R --table-right", Kind::Text),
];

const PASTE: &[Opt] = &[Opt::Flags("sz"), Opt::Longs("serial"), Opt::Value("-d --delimiters", Kind::Text)];

const FOLD: &[Opt] = &[Opt::Flags("bs"), Opt::Longs("spaces bytes"), Opt::Value("-w --width", Kind::Number)];

const DIFF: &[Opt] = &[
    Opt::Flags("abBcdEiNqstTuwyZ"),
    Opt::Longs(
        "brief report-identical-files side-by-side ignore-case ignore-all-space ignore-space-change ignore-blank-lines \
         minimal suppress-common-lines text strip-trailing-cr unified context new-file",
    ),
    Opt::Value("-U -C -W --width", Kind::Number),
    Opt::Maybe("--unified --context", Kind::Number),
    Opt::Maybe("--color", Kind::Text),
];

const CMP: &[Opt] = &[
    Opt::Flags("bls"),
    Opt::Longs("print-bytes verbose quiet silent"),
    Opt::Value("-n --bytes -i --ignore-initial", Kind::Number),
];

const OD: &[Opt] = &[
    Opt::Flags("abcdfhilosvx"),
    Opt::Longs("output-duplicates"),
    Opt::Value("-A --address-radix -t --format -N --read-bytes -j --skip-bytes", Kind::Text),
    Opt::Attached("w"),
];

const XXD: &[Opt] = &[Opt::Flags("abeipu"), Opt::Value("-c -g -l -s", Kind::Number)];

const HEXDUMP: &[Opt] = &[Opt::Flags("bcCdovx"), Opt::Value("-n -s", Kind::Number)];

const STRINGS: &[Opt] = &[
    Opt::Flags("afw"),
    Opt::Longs("all print-file-name"),
    Opt::Value("-n --bytes", Kind::Number),
    Opt::Value("-t --radix -e --encoding", Kind::Text),
    Opt::Count,
];

const BASE64: &[Opt] =
    &[Opt::Flags("di"), Opt::Longs("decode ignore-garbage"), Opt::Value("-w --wrap", Kind::Number)];

/// The family.
pub(super) const COMMANDS: &[Command] = &[
    Command::new("cat", CAT, Operands::Paths(0, ANY)),
    Command::new("head", HEAD, Operands::Paths(0, ANY)),
    Command::new("tail", HEAD, Operands::Paths(0, ANY)),
    Command::new("wc", WC, Operands::Paths(0, ANY)),
    Command::new("nl", NL, Operands::Paths(0, ANY)),
    Command::new("cut", CUT, Operands::Paths(0, ANY)),
    Command::new("tr", TR, Operands::Texts(1, 2)),
    Command::new("sort", SORT, Operands::Paths(0, ANY)),
    Command::new("uniq", UNIQ, Operands::Paths(0, 1)),
    Command::new("rev", &[], Operands::Paths(0, ANY)),
    Command::new("tac", TAC, Operands::Paths(0, ANY)),
    Command::new("column", COLUMN, Operands::Paths(0, ANY)),
    Command::new("paste", PASTE, Operands::Paths(0, ANY)),
    Command::new("comm", &[Opt::Flags("123i")], Operands::Paths(2, 2)),
    Command::new("fold", FOLD, Operands::Paths(0, ANY)),
    Command::new("expand", &[Opt::Flags("i"), Opt::Value("-t --tabs", Kind::Text)], Operands::Paths(0, ANY)),
    Command::new("diff", DIFF, Operands::Own(diff)),
    Command::new("cmp", CMP, Operands::Paths(2, 2)),
    Command::new("od", OD, Operands::Paths(0, ANY)),
    Command::new("xxd", XXD, Operands::Paths(0, 1)).styled(Style::Apart),
    Command::new("hexdump", HEXDUMP, Operands::Paths(0, ANY)),
    Command::new("base64", BASE64, Operands::Paths(0, 1)),
    Command::new("strings", STRINGS, Operands::Own(strings)),
];

fn diff(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let is_file =
        |word: &String| (place.sight.names)(&place.cwd.join(word)).is_some_and(|names| names.is_empty());
    (parsed.operands.len() == 2 && parsed.operands.iter().all(is_file)).then(|| parsed.reading(place))
}

fn strings(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let names_options = |word: &String| word.starts_with('@');
    let is_plain = !parsed.operands.iter().chain(&parsed.options).any(names_options);
    (is_plain && !parsed.operands.is_empty()).then(|| parsed.reading(place))
}
