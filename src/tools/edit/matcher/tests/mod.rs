//! The matcher held against a table of hard cases and against an oracle on random files.

use super::super::refusal::Refusal;
use super::*;
use cases::{BLANKS, Case, ENCODINGS, End, LINE_ENDS, PLAIN, TYPOGRAPHY};

mod cases;
mod random;

/// Text as UTF-16 with its mark, in both orders.
fn wide(text: &[u8]) -> [Vec<u8>; 2] {
    let units: Vec<u16> = format!("\u{feff}{}", str::from_utf8(text).unwrap()).encode_utf16().collect();
    [
        units.iter().flat_map(|unit| unit.to_le_bytes()).collect(),
        units.iter().flat_map(|unit| unit.to_be_bytes()).collect(),
    ]
}

fn forms(case: &Case, bytes: &[u8]) -> Vec<Vec<u8>> {
    if case.wide { wide(bytes).to_vec() } else { vec![bytes.to_vec()] }
}

/// What is wrong with the end of a case.
fn fault(case: &Case, file: &[u8], expected: &End, holds: Option<&[u8]>) -> Option<String> {
    let which = if case.all { Which::All } else { Which::One };
    let shown = |bytes: &[u8]| bytes.escape_ascii().to_string();
    match (edit(file, case.old, case.new, which), expected) {
        (Ok(edited), _) if Some(edited.bytes.as_slice()) == holds => None,
        (Ok(edited), _) => Some(format!("{}: wrote {}", case.name, shown(&edited.bytes))),
        (Err(refused), End::Holds(_)) => Some(format!("{}: {refused:?}", case.name)),
        (Err(refused), End::Refused(words)) => {
            let told = Refusal { path: "f", old: case.old, new: case.new, which }.words(file, &refused);
            let missing = words.iter().find(|word| !told.contains(**word));
            let missing = missing.map(|word| format!("{}: no `{word}` in: {told}", case.name));
            missing.or((told.len() > 1536).then(|| format!("{}: {} bytes", case.name, told.len())))
        }
    }
}

fn hold(cases: &[Case]) {
    let mut faults = Vec::new();
    for case in cases {
        let holds = match case.end {
            End::Holds(bytes) => forms(case, bytes).into_iter().map(Some).collect(),
            End::Refused(_) => vec![None, None],
        };
        for (file, holds) in forms(case, case.file).iter().zip(&holds) {
            faults.extend(fault(case, file, &case.end, holds.as_deref()));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_text_that_stands_there_is_replaced_as_it_stands() {
    hold(PLAIN);
}

#[test]
fn line_ends_and_marks_are_those_of_the_file() {
    hold(LINE_ENDS);
}

#[test]
fn blanks_do_not_hide_a_match_and_are_kept() {
    hold(BLANKS);
}

#[test]
fn typography_does_not_hide_a_match_and_is_kept() {
    hold(TYPOGRAPHY);
}

#[test]
fn bytes_of_any_encoding_stay() {
    hold(ENCODINGS);
}

#[test]
fn the_table_is_large_and_its_names_tell_cases_apart() {
    let tables = [PLAIN, LINE_ENDS, BLANKS, TYPOGRAPHY, ENCODINGS];
    let mut names: Vec<&str> = tables.into_iter().flatten().map(|case| case.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() == count && count >= 150, "{} {count}", names.len());
}
