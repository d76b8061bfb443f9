//! How new lines are indented where the file's indentation is not the one that the model wrote.
//!
//! The lines that the match has shown say what stands for what; a depth that was not among them is reckoned from two that
//! were, or from one and the step by which the file goes deeper. Where that is not beyond doubt there is no answer: a wrong
//! guess would be wrong code.

use std::collections::BTreeMap;

/// An indentation as written, and the one that the file has in its place.
pub(in crate::tools) type Pair<'a> = (&'a [u8], &'a [u8]);

/// By what a file goes one level deeper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tools) enum Unit {
    /// A tab.
    Tab,
    /// So many spaces.
    Spaces(usize),
}

/// For each of the wanted indentations the one that the file is to have; none where a pair contradicts another or it is
/// unclear. `unit` is asked only where it must be known.
pub(in crate::tools) fn fit(
    pairs: &[Pair<'_>],
    wanted: &[&[u8]],
    unit: impl FnOnce() -> Option<Unit>,
) -> Option<Vec<Vec<u8>>> {
    let known = agreed(pairs)?;
    if known.iter().all(|(written, found)| written == found) {
        return Some(wanted.iter().map(|indent| indent.to_vec()).collect());
    }
    let new: Vec<&[u8]> = wanted.iter().copied().filter(|indent| !known.contains_key(indent)).collect();
    let rule = if new.is_empty() { None } else { Some(learn(&known, &new, unit)?) };
    let stands_for = |indent: &&[u8]| match known.get(indent) {
        Some(found) => Some(found.to_vec()),
        None => rule.as_ref()?.apply(indent),
    };
    wanted.iter().map(stands_for).collect()
}

/// By what a file goes deeper, most of the time.
pub(in crate::tools) fn unit_of<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Option<Unit> {
    let (mut steps, mut tabs, mut before) = (BTreeMap::<usize, usize>::new(), 0_usize, 0);
    for line in lines.filter(|line| !line.trim_ascii().is_empty()) {
        let indent = split(line).0;
        if indent.starts_with(b"\t") {
            tabs += 1;
        } else if indent.len() > before {
            *steps.entry(indent.len() - before).or_default() += 1;
        }
        before = if indent.starts_with(b"\t") { 0 } else { indent.len() };
    }
    let spaces = steps.into_iter().max_by_key(|(step, count)| (*count, std::cmp::Reverse(*step)));
    match spaces {
        Some((_, count)) if tabs > count => Some(Unit::Tab),
        Some((step, _)) => Some(Unit::Spaces(step)),
        None => (tabs > 0).then_some(Unit::Tab),
    }
}

/// A line's indentation and the rest of it.
pub(in crate::tools) fn split(line: &[u8]) -> (&[u8], &[u8]) {
    let width = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    line.split_at(width)
}

/// The pairs, if each written one stands for one found one and the other way round, and none of them change places.
fn agreed<'a>(pairs: &[Pair<'a>]) -> Option<BTreeMap<&'a [u8], &'a [u8]>> {
    let mut known = BTreeMap::new();
    for &(written, found) in pairs {
        if known.insert(written, found).is_some_and(|before| before != found) {
            return None;
        }
    }
    let mut widths: Vec<(usize, usize)> =
        known.iter().map(|(written, found)| (written.len(), found.len())).collect();
    widths.sort_unstable();
    widths.is_sorted_by(|a, b| a.0 < b.0 && a.1 < b.1).then_some(known)
}

/// From one indentation to another.
enum Rule {
    /// The file has this before it.
    Add(Vec<u8>),
    /// The file lacks this at the front.
    Strip(Vec<u8>),
    /// `from.1` of a character more are `to.1` of a character more, counted from where so many stand for so many.
    Line { at: (usize, usize), from: (u8, usize), to: (u8, usize) },
}

impl Rule {
    fn apply(&self, written: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Add(front) => Some([front, written].concat()),
            Self::Strip(front) => written.strip_prefix(front.as_slice()).map(<[u8]>::to_vec),
            Self::Line { at, from, to } => {
                let width = run_of(from.0, written)?;
                let (more, less) = (width.saturating_sub(at.0) * to.1, at.0.saturating_sub(width) * to.1);
                let whole = more.is_multiple_of(from.1) && less.is_multiple_of(from.1);
                let found = (at.1 + more / from.1).checked_sub(less / from.1)?;
                whole.then(|| vec![to.0; found])
            }
        }
    }
}

/// A rule for indentations that no pair has.
fn learn(known: &BTreeMap<&[u8], &[u8]>, new: &[&[u8]], unit: impl FnOnce() -> Option<Unit>) -> Option<Rule> {
    let mut pairs: Vec<Pair<'_>> = known.iter().map(|(written, found)| (*written, *found)).collect();
    pairs.sort_unstable_by_key(|(written, _)| written.len());
    let (written, found) = *pairs.first()?;
    let Some(&(last_written, last_found)) = pairs.last().filter(|_| pairs.len() > 1) else {
        return from_one((written, found), new, unit()?);
    };
    let candidates = [
        found.strip_suffix(written).map(|front| Rule::Add(front.to_vec())),
        written.strip_suffix(found).map(|front| Rule::Strip(front.to_vec())),
        character(pairs.iter().map(|pair| pair.0).chain(new.iter().copied()))
            .zip(character(pairs.iter().map(|pair| pair.1)))
            .map(|(from, to)| Rule::Line {
                at: (written.len(), found.len()),
                from: (from, last_written.len() - written.len()),
                to: (to, last_found.len() - found.len()),
            }),
    ];
    let explains = |rule: &Rule| {
        pairs.iter().all(|(written, found)| rule.apply(written).is_some_and(|made| made == *found))
    };
    candidates.into_iter().flatten().find(explains)
}

/// A rule from a single pair and the file's own step.
fn from_one((written, found): Pair<'_>, new: &[&[u8]], unit: Unit) -> Option<Rule> {
    let from = character(new.iter().copied().chain([written]))?;
    let step = new.iter().fold(written.len(), |step, indent| common_divisor(step, indent.len()));
    let (to, size) = match unit {
        Unit::Tab => (b'\t', 1),
        Unit::Spaces(size) => (b' ', size),
    };
    run_of(to, found)?;
    let line =
        |from_size| Rule::Line { at: (written.len(), found.len()), from: (from, from_size), to: (to, size) };
    if from == to {
        // the model's steps are those of the file, or whole ones of its own for each of the file's
        let is_scaled = size.is_multiple_of(step) && found.len() * step == written.len() * size;
        return if step.is_multiple_of(size) { Some(line(size)) } else { is_scaled.then(|| line(step)) };
    }
    if from == b'\t' {
        return found.len().is_multiple_of(size).then(|| line(1));
    }
    let is_level = found.len() * step == written.len() * size && step <= 8;
    let is_usual = written.is_empty() && matches!(step, 2 | 4);
    (is_level || is_usual).then(|| line(step))
}

/// The one character of which all indentations consist.
fn character<'a>(indents: impl Iterator<Item = &'a [u8]>) -> Option<u8> {
    let mut bytes = indents.flatten();
    let first = *bytes.next()?;
    bytes.all(|byte| *byte == first).then_some(first)
}

/// How long an indentation is, if it consists of this character alone.
fn run_of(character: u8, indent: &[u8]) -> Option<usize> {
    indent.iter().all(|byte| *byte == character).then_some(indent.len())
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pairs: &[(&str, &str)], new: &str, unit: Option<Unit>, expected: Option<&str>) {
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| (a.as_bytes(), b.as_bytes())).collect();
        let made = fit(&pairs, &[new.as_bytes()], || unit).map(|mut made| made.remove(0));
        assert_eq!(made.as_deref(), expected.map(str::as_bytes), "{pairs:?} {new:?} {unit:?}");
    }

    #[test]
    fn an_indentation_that_was_seen_stands_for_what_it_stood_for() {
        check(&[("", ""), ("  ", "  ")], "    ", None, Some("    "));
        check(&[], "\t", None, Some("\t"));
        check(&[("    ", "\t")], "    ", None, Some("\t"));
        check(&[("    ", "\t"), ("      ", "\t  ")], "      ", None, Some("\t  "));
    }

    #[test]
    fn two_depths_say_what_a_third_is() {
        check(&[("", "    "), ("    ", "        ")], "  ", None, Some("      "));
        check(&[("    ", ""), ("      ", "  ")], "        ", None, Some("    "));
        check(&[("    ", ""), ("      ", "  ")], "  ", None, None);
        check(&[("    ", "\t"), ("        ", "\t\t")], "            ", None, Some("\t\t\t"));
        check(&[("    ", "\t"), ("        ", "\t\t")], "", None, Some(""));
        check(&[("    ", "\t"), ("        ", "\t\t")], "      ", None, None);
        check(&[("\t", "  "), ("", "")], "\t\t", None, Some("    "));
        check(&[("  ", "    "), ("    ", "        ")], "      ", None, Some("            "));
        check(&[("", "    "), ("  ", "        ")], "    ", None, Some("            "));
        check(&[("\t", "\t  "), ("\t\t", "\t\t  ")], "\t\t\t", None, None);
    }

    #[test]
    fn one_depth_and_the_files_step_say_what_another_is() {
        use Unit::{Spaces, Tab};
        check(&[("    ", "        ")], "        ", Some(Spaces(4)), Some("            "));
        check(&[("  ", "    ")], "    ", Some(Spaces(4)), Some("        "));
        check(&[("  ", "    ")], "    ", Some(Spaces(2)), Some("      "));
        check(&[("", "    ")], "    ", Some(Spaces(4)), Some("        "));
        check(&[("", "    ")], "  ", Some(Spaces(4)), None);
        check(&[("    ", "\t")], "        ", Some(Tab), Some("\t\t"));
        check(&[("    ", "\t")], "      ", Some(Tab), None);
        check(&[("", "\t")], "    ", Some(Tab), Some("\t\t"));
        check(&[("\t", "    ")], "\t\t", Some(Spaces(4)), Some("        "));
        check(&[("    ", "        ")], "        ", None, None);
        check(&[("    ", "\t\t")], "        ", Some(Tab), None);
    }

    #[test]
    fn pairs_that_contradict_each_other_say_nothing() {
        check(&[("  ", "\t"), ("    ", "\t")], "  ", None, None);
        check(&[("", "  "), ("", "")], "", None, None);
        check(&[("    ", ""), ("  ", "  ")], "    ", None, None);
    }

    #[test]
    fn a_file_goes_deeper_by_what_it_mostly_does() {
        let check = |text: &str, expected: Option<Unit>| {
            assert_eq!(unit_of(text.lines().map(str::as_bytes)), expected, "{text:?}");
        };
        check("a\n  b\n    c\nd\n  e\n      f\n", Some(Unit::Spaces(2)));
        check("a\n\tb\n\t\tc\n", Some(Unit::Tab));
        check("a\n    b\n\n    c\n", Some(Unit::Spaces(4)));
        check("a\nb\n", None);
    }
}
