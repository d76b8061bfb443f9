//! The options of git's verbs that are known to look and to do nothing else.
//!
//! Which verbs there are, and what their operands may be, is in `git`.

use super::options::{Kind, Opt};

/// What every verb takes that compares.
pub(super) const DIFF: &[Opt] = &[
    Opt::Flags("pusRwbazW"),
    Opt::Attached("MCB"),
    Opt::Value("-U", Kind::Number),
    Opt::Value("-S -G", Kind::Text),
    Opt::Longs(
        "patch no-patch numstat shortstat summary name-only name-status compact-summary no-color ignore-all-space \
         ignore-space-change ignore-blank-lines ignore-space-at-eol minimal patience histogram function-context \
         no-renames no-prefix text patch-with-stat pickaxe-all pickaxe-regex check exit-code quiet",
    ),
    Opt::Maybe(
        "--stat --color --word-diff --find-renames --find-copies --abbrev --dirstat --color-moved",
        Kind::Text,
    ),
    Opt::Maybe("--relative", Kind::Path),
    Opt::Equal("--unified --inter-hunk-context", Kind::Number),
    Opt::Equal("--diff-filter --diff-algorithm --word-diff-regex", Kind::Text),
];

/// What `log` and `show` take beside it.
pub(super) const LOG: &[Opt] = &[
    Opt::Flags("igEFP"),
    Opt::Count,
    Opt::Value("-n --max-count --skip", Kind::Number),
    Opt::Value("--since --after --until --before --author --committer --grep --date", Kind::Text),
    Opt::Longs(
        "oneline graph all merges no-merges first-parent reverse follow abbrev-commit no-decorate left-right \
         cherry-pick topo-order date-order author-date-order full-history no-walk regexp-ignore-case all-match \
         invert-grep walk-reflogs simplify-by-decoration boundary ancestry-path",
    ),
    Opt::Maybe("--pretty --decorate --branches --tags --remotes", Kind::Text),
    Opt::Equal("--format --min-parents --max-parents --glob --exclude", Kind::Text),
    Opt::Value("-L", Kind::Text),
];

/// `status`.
pub(super) const STATUS: &[Opt] = &[
    Opt::Flags("sbz"),
    Opt::Attached("u"),
    Opt::Longs("short branch long ahead-behind no-ahead-behind show-stash no-renames renames"),
    Opt::Maybe("--porcelain --untracked-files --ignored --column", Kind::Text),
];

/// `branch`.
pub(super) const BRANCH: &[Opt] = &[
    Opt::Flags("arv"),
    Opt::Longs("all remotes verbose show-current list ignore-case no-color no-column no-abbrev"),
    Opt::Maybe("--color --column --abbrev", Kind::Text),
    Opt::Equal("--sort --format", Kind::Text),
    Opt::Value("--contains --no-contains --merged --no-merged --points-at", Kind::Text),
];

/// `tag`.
pub(super) const TAG: &[Opt] = &[
    Opt::Flags("l"),
    Opt::Attached("n"),
    Opt::Longs("list ignore-case"),
    Opt::Maybe("--column --color", Kind::Text),
    Opt::Equal("--sort --format", Kind::Text),
    Opt::Value("--contains --no-contains --merged --no-merged --points-at", Kind::Text),
];

/// `rev-parse`.
pub(super) const REV_PARSE: &[Opt] = &[
    Opt::Flags("q"),
    Opt::Longs(
        "show-toplevel verify quiet git-dir is-inside-work-tree is-inside-git-dir show-prefix show-cdup \
         git-common-dir absolute-git-dir is-bare-repository symbolic-full-name symbolic is-shallow-repository",
    ),
    Opt::Maybe("--short --abbrev-ref", Kind::Text),
];

/// `ls-files`.
pub(super) const LS_FILES: &[Opt] = &[
    Opt::Flags("cdmoiz"),
    Opt::Longs("cached deleted modified others ignored exclude-standard directory full-name error-unmatch"),
    Opt::Value("-x", Kind::Text),
    Opt::Equal("--exclude", Kind::Text),
];

/// `ls-tree`.
pub(super) const LS_TREE: &[Opt] = &[Opt::Flags("rtdz"), Opt::Longs("name-only full-name full-tree")];

/// `blame`.
pub(super) const BLAME: &[Opt] = &[
    Opt::Flags("lsfnewtb"),
    Opt::Attached("MC"),
    Opt::Value("-L", Kind::Text),
    Opt::Longs("show-email show-name show-number root porcelain line-porcelain"),
    Opt::Maybe("--abbrev", Kind::Number),
    Opt::Equal("--date", Kind::Text),
];

/// `grep`.
pub(super) const GREP: &[Opt] = &[
    Opt::Flags("nilcwEFGPvhHoqIpWz"),
    Opt::Count,
    Opt::Value("-A -B -C -m", Kind::Number),
    Opt::Value("-e", Kind::Text),
    Opt::Longs(
        "line-number ignore-case files-with-matches name-only files-without-match count word-regexp extended-regexp \
         fixed-strings perl-regexp basic-regexp invert-match cached untracked no-color break heading show-function \
         function-context all-match only-matching full-name",
    ),
    Opt::Maybe("--color", Kind::Text),
    Opt::Equal("--context --after-context --before-context --max-depth --max-count", Kind::Number),
];

/// `describe`.
pub(super) const DESCRIBE: &[Opt] = &[
    // without `--dirty` and `--broken`, which look into submodules, each with a configuration of its own
    Opt::Longs("tags always long all exact-match first-parent"),
    Opt::Equal("--abbrev --match --exclude --candidates", Kind::Text),
];

/// `shortlog`.
pub(super) const SHORTLOG: &[Opt] = &[
    Opt::Flags("snec"),
    Opt::Longs("summary numbered email committer all no-merges"),
    Opt::Value("--since --after --until --before --author", Kind::Text),
    Opt::Equal("--format --group", Kind::Text),
];

/// `rev-list`.
pub(super) const REV_LIST: &[Opt] = &[
    Opt::Count,
    Opt::Longs("count all no-merges merges first-parent left-right reverse"),
    Opt::Value("-n --max-count --skip", Kind::Number),
    Opt::Value("--since --after --until --before --author", Kind::Text),
];

/// `for-each-ref`.
pub(super) const EACH_REF: &[Opt] = &[Opt::Equal("--format --sort --count", Kind::Text)];
