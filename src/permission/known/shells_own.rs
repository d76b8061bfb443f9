//! What the shell does itself.
//!
//! Left out on purpose: whatever makes words into commands, variables or jobs. `printf` has no `-v`, no `%n` and no
//! `%(…)T`, and `test` no `-v`, `-R` and no numbers, since bash looks for subscripts there and runs what stands in
//! them. `command` says where a command is and runs none.

use super::options::{ANY, Command, Operands, Opt};
use super::{Judged, Place};

/// The family.
pub(super) const COMMANDS: &[Command] = &[
    Command::of_shell("echo", &[], Operands::Anything),
    Command::of_shell("printf", &[], Operands::Words(printf)),
    Command::of_shell("pwd", &[Opt::Flags("LP")], Operands::Texts(0, 0)),
    Command::of_shell("true", &[], Operands::Texts(0, 0)),
    Command::of_shell("false", &[], Operands::Texts(0, 0)),
    Command::of_shell("test", &[], Operands::Words(test)),
    Command::of_shell("[", &[], Operands::Words(bracket)),
    Command::of_shell("type", &[Opt::Flags("aptP")], Operands::Texts(1, ANY)),
    Command::of_shell("command", &[Opt::Flags("vV")], Operands::Words(command)),
];

/// What `test` asks of one path.
const OF_A_PATH: [&str; 10] = ["-e", "-f", "-d", "-s", "-r", "-w", "-x", "-L", "-h", "-S"];

/// What it asks of one text, and of two.
const OF_A_TEXT: [&str; 2] = ["-n", "-z"];
const OF_TWO_TEXTS: [&str; 3] = ["=", "==", "!="];

fn printf(words: &[String], _place: &Place<'_>) -> Option<Judged> {
    let format = words.first().filter(|format| !format.starts_with('-'))?;
    let mut directives = format.split('%').skip(1);
    while let Some(directive) = directives.next() {
        if directive.is_empty() {
            // `%%`
            directives.next();
            continue;
        }
        let kind = directive.trim_start_matches(|c: char| c.is_ascii_digit() || "-+. #".contains(c));
        kind.starts_with(['s', 'd', 'i', 'u', 'x', 'X', 'o', 'c', 'f', 'g', 'e', 'b', 'q']).then_some(())?;
    }
    Some(Judged::of(words))
}

fn bracket(words: &[String], place: &Place<'_>) -> Option<Judged> {
    let (last, inner) = words.split_last().filter(|(last, _)| *last == "]")?;
    let mut judged = test(inner, place)?;
    judged.words.push(last.clone());
    Some(judged)
}

fn test(words: &[String], place: &Place<'_>) -> Option<Judged> {
    let asked = words.strip_prefix(&["!".to_owned()]).unwrap_or(words);
    let is = |word: &String, list: &[&str]| list.contains(&word.as_str());
    let (is_known, paths) = match asked {
        [of, path] if is(of, &OF_A_PATH) => (true, std::slice::from_ref(path)),
        [of, _] => (is(of, &OF_A_TEXT), Default::default()),
        [_, of, _] => (is(of, &OF_TWO_TEXTS), Default::default()),
        _ => return None,
    };
    is_known.then(|| Judged { words: words.to_vec(), reads: place.reads(paths) })
}

fn command(words: &[String], _place: &Place<'_>) -> Option<Judged> {
    let (option, names) = words.split_first()?;
    let asks = matches!(option.as_str(), "-v" | "-V") && !names.is_empty();
    let is_name = |word: &String| !word.starts_with('-');
    (asks && names.iter().all(is_name)).then(|| Judged::of(words))
}
