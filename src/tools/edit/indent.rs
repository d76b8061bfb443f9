//! How the indentation of a file follows from the one the model wrote.
//!
//! Learned from the lines that are the same but for their indentation, then applied to the new lines. Where no rule
//! explains every pair, or a new line does not fit the rule, there is none: a wrong guess would be wrong code.

/// A rule from one indentation to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tools) enum Rule<'a> {
    /// As written.
    Same,
    /// The file has this before it.
    Add(&'a [u8]),
    /// The file lacks this at the front.
    Strip(&'a [u8]),
    /// So many of one character are so many of another: four spaces a tab, two spaces four.
    Scale {
        /// What the model wrote.
        from: (u8, usize),
        /// What the file has.
        to: (u8, usize),
    },
}

/// The rule that explains every pair of (as written, as in the file).
pub(in crate::tools) fn learn<'a>(pairs: &[(&'a [u8], &'a [u8])]) -> Option<Rule<'a>> {
    let all = |rule: Rule<'_>| {
        pairs.iter().all(|(written, found)| rule.apply(written).is_some_and(|made| made == *found))
    };
    let (written, found) = pairs.iter().find(|(written, found)| written != found).or(pairs.first())?;
    let candidates = [
        Some(Rule::Same),
        found.strip_suffix(*written).map(Rule::Add),
        written.strip_suffix(*found).map(Rule::Strip),
        run(written).zip(run(found)).map(|(from, to)| Rule::Scale { from, to }),
    ];
    candidates.into_iter().flatten().find(|rule| all(*rule))
}

impl Rule<'_> {
    /// The indentation that stands for `written` in the file.
    pub(in crate::tools) fn apply(&self, written: &[u8]) -> Option<Vec<u8>> {
        match *self {
            Self::Same => Some(written.to_vec()),
            Self::Add(front) => Some([front, written].concat()),
            Self::Strip(front) => written.strip_prefix(front).map(<[u8]>::to_vec),
            Self::Scale { .. } if written.is_empty() => Some(Vec::new()),
            Self::Scale { from, to } => {
                let (character, count) = run(written)?;
                let scaled = count * to.1;
                (character == from.0 && scaled.is_multiple_of(from.1)).then(|| vec![to.0; scaled / from.1])
            }
        }
    }
}

/// A line's indentation and the rest of it.
pub(in crate::tools) fn split(line: &[u8]) -> (&[u8], &[u8]) {
    let width = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    line.split_at(width)
}

/// The one character of which an indentation consists, and how often.
fn run(indent: &[u8]) -> Option<(u8, usize)> {
    let first = indent.first()?;
    indent.iter().all(|byte| byte == first).then_some((*first, indent.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_is_learned_from_pairs_and_applied_to_new_lines() {
        let check = |pairs: &[(&str, &str)], new: &str, expected: Option<&str>| {
            let pairs: Vec<_> = pairs.iter().map(|(a, b)| (a.as_bytes(), b.as_bytes())).collect();
            let made = learn(&pairs).and_then(|rule| rule.apply(new.as_bytes()));
            assert_eq!(made.as_deref(), expected.map(str::as_bytes), "{pairs:?} {new:?}");
        };
        check(&[("", ""), ("  ", "  ")], "    ", Some("    "));
        check(&[("", "    "), ("    ", "        ")], "  ", Some("      "));
        check(&[("    ", ""), ("      ", "  ")], "        ", Some("    "));
        check(&[("    ", ""), ("      ", "  ")], "  ", None);
        check(&[("    ", "\t"), ("        ", "\t\t")], "            ", Some("\t\t\t"));
        check(&[("    ", "\t")], "      ", None);
        check(&[("\t", "  "), ("", "")], "\t\t", Some("    "));
        check(&[("  ", "    "), ("    ", "        ")], "      ", Some("            "));
        check(&[("  ", "\t"), ("    ", "\t")], "  ", None);
        check(&[("", "  "), ("  ", "  ")], "", None);
    }
}
