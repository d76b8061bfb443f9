//! Programs that say something about the machine and the time.
//!
//! Left out on purpose: what sets it (`date -s`, `date 0101…`, `hostname NAME`), what reads dates from a file, and what
//! asks a name server (`hostname -f`).

use super::options::{ANY, Command, Kind, Operands, Opt, Parsed};
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
    Command::new("uptime", &[Opt::Flags("ps")], Operands::Texts(0, 0)),
];

/// Only a format may stand beside the options: anything else would set the clock.
fn date(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let is_format = |word: &String| word.starts_with('+');
    let shows = parsed.operands.len() <= 1 && parsed.operands.iter().all(is_format);
    shows.then(|| Judged { reads: place.reads(&parsed.paths), words: parsed.into_words() })
}
