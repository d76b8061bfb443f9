//! Where nothing matches: a short second look for what was perhaps meant.
//!
//! The same files again, where case does not count and with the pattern as a mere text; then the ignored ones.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::super::walk::{Ignored, SECOND_LOOK, Tally, Walk};
use super::Pass;
use super::expression::Expression;
use super::hits::{Mode, Window};
use super::search::{Search, Searched};
use crate::text::units;

const FILES: [&str; 2] = ["file", "files"];

/// A reading of the pattern that was not asked for, and the files that match it.
#[derive(Debug)]
struct Reading {
    search: Search,
    /// What there is one of, and what there are many of.
    nouns: [&'static str; 2],
    /// How they match.
    how: String,
    files: u64,
    first: Option<PathBuf>,
}

/// What was perhaps meant, in words, if anything of it is there. `tally` is what the first look passed over.
pub(super) fn hint(
    pass: &Pass<'_>,
    walk: &Walk<'_>,
    expression: &Expression,
    tally: &Tally,
) -> Option<String> {
    let until = walk.until.sooner(SECOND_LOOK);
    let walk = Walk { until: &until, ..*walk };
    let readings = [
        expression.without_case().map(|other| reading(other, FILES, " with case_insensitive".to_owned())),
        expression.as_text().map(|text| {
            let how = format!(" as literal text, written `{}`", text.pattern());
            reading(text, FILES, how)
        }),
    ];
    let readings: Vec<Reading> = readings.into_iter().flatten().collect();
    let found = if readings.is_empty() { None } else { look(pass, &walk, readings) };
    if found.is_some() || tally.ignored.count == 0 || until.is_over() {
        return found;
    }
    let walk = Walk { ignored: Ignored::Included, ..walk };
    let ignored = reading(expression.clone(), ["ignored file", "ignored files"], String::new());
    let found = look(pass, &walk, vec![ignored])?;
    let why = tally.ignored.example(pass.names)?;
    Some(format!("{found} (ignored: {why}): name an ignored directory or file as `path` to search it"))
}

fn reading(expression: Expression, nouns: [&'static str; 2], how: String) -> Reading {
    let window = Window::new(0, None);
    let search = Search { expression, mode: Mode::Files, before: 0, after: 0, window };
    Reading { search, nouns, how, files: 0, first: None }
}

/// Searches with each of the readings; gives the first of them that finds anything.
fn look(pass: &Pass<'_>, walk: &Walk<'_>, readings: Vec<Reading>) -> Option<String> {
    let readings: Vec<Mutex<Reading>> = readings.into_iter().map(Mutex::new).collect();
    let searches: Vec<Search> = readings.iter().map(|reading| lock(reading).search.clone()).collect();
    let desk = || searches.iter().map(|search| (search, search.desk())).collect::<Vec<_>>();
    pass.each(walk, desk, |desks, path, open| {
        for ((search, desk), reading) in desks.iter_mut().zip(&readings) {
            let Ok((file, meta)) = open() else { continue };
            if let Ok(Searched::Text(hits)) = search.file(desk, (file, &meta), walk.until)
                && hits.matches > 0
            {
                let mut reading = lock(reading);
                reading.files += 1;
                if reading.first.as_deref().is_none_or(|first| path < first) {
                    reading.first = Some(path.to_owned());
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    });
    let more = if walk.until.is_late() { "at least " } else { "" };
    readings.iter().find_map(|reading| {
        let reading = lock(reading);
        let name = pass.names.shown(reading.first.as_deref()?);
        let (how, [one, many]) = (&reading.how, reading.nouns);
        Some(match reading.files {
            1 => format!("{more}1 {one} ({name}) matches{how}"),
            files => format!("{more}{} {many} (such as {name}) match{how}", units::count(files)),
        })
    })
}

fn lock(reading: &Mutex<Reading>) -> MutexGuard<'_, Reading> {
    reading.lock().unwrap_or_else(PoisonError::into_inner)
}
