//! Programs that say something about the machine and the time.
//!
//! Left out on purpose: what sets it (`date -s`, `date 0101…`, `hostname NAME`), what reads dates from a file, and what
//! asks a name server (`hostname -f`), what runs a command (`env A=b ls`) and what shows the variables of other processes
//! (`ps e`). The variables of one's own hold no secret where a line runs that is known.

use super::options::{ANY, Command, Kind, Operands, Opt, Parsed, lists};
use super::{Judged, Place};

const DATE: &[Opt] = &[
    Opt::Flags("uR"),
    Opt::Attached("I"),
    Opt::Longs("utc universal rfc-email"),
    Opt::Value("-d --date", Kind::Text),
    Opt::Value("-r --reference", Kind::Path),
    Opt::Maybe("--iso-8601 --rfc-3339", Kind::Text),
];

const SEQ: &[Opt] =
    &[Opt::Flags("w"), Opt::Longs("equal-width"), Opt::Value("-s --separator -f --format", Kind::Text)];

/// The family.
pub(super) const COMMANDS: &[Command] = &[
    Command::new("date", DATE, Operands::Own(date)),
    Command::new("seq", SEQ, Operands::Texts(1, 3)),
    Command::new("which", &[Opt::Flags("a")], Operands::Texts(1, ANY)),
    Command::new("whoami", &[], Operands::Texts(0, 0)),
    Command::new("id", &[Opt::Flags("gGnru")], Operands::Texts(0, 1)),
    Command::new("uname", &[Opt::Flags("aimnoprsv")], Operands::Texts(0, 0)),
    Command::new("hostname", &[], Operands::Texts(0, 0)),
    Command::new("nproc", &[Opt::Longs("all")], Operands::Texts(0, 0)),
    Command::new("arch", &[], Operands::Texts(0, 0)),
    Command::new("env", &[], Operands::Texts(0, 0)),
    Command::new("printenv", &[], Operands::Texts(0, ANY)),
    Command::new("expr", &[], Operands::Anything),
    Command::new("ps", &[], Operands::Words(ps)),
    Command::new("uptime", &[Opt::Flags("ps")], Operands::Texts(0, 0)),
];

/// Only a format may stand beside the options: anything else would set the clock.
fn date(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let is_format = |word: &String| word.starts_with('+');
    let shows = parsed.operands.len() <= 1 && parsed.operands.iter().all(is_format);
    shows.then(|| Judged { reads: place.reads(&parsed.paths), words: parsed.into_words() })
}

/// What `ps` lists: `ps aux`, `ps -ef`, `ps -p 1 -o pid,comm`.
fn ps(words: &[String], _place: &Place<'_>) -> Option<Judged> {
    const LISTS: &str = "aux auxf auxww ax axu -A -aux -e -ef -f --forest";
    const COLUMNS: &str =
        "args cmd comm command cpu etime pcpu pgid pid pmem ppid rss stat time tty user %cpu %mem";
    let mut words_left = words.iter();
    while let Some(word) = words_left.next() {
        let is_listed = match word.as_str() {
            "-p" => words_left.next()?.chars().all(|c| c.is_ascii_digit() || c == ','),
            "-o" | "-eo" => words_left.next()?.split(',').all(|column| lists(COLUMNS, column)),
            word => {
                let key = word.strip_prefix("--sort=").map(|key| key.trim_start_matches(['-', '+']));
                lists(LISTS, word) || key.is_some_and(|key| lists(COLUMNS, key))
            }
        };
        is_listed.then_some(())?;
    }
    Some(Judged::of(words))
}
