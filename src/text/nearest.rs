//! "Did you mean …?": the one candidate that a typing slip could have turned into the given word.
//!
//! Not a search: where nothing is close enough the answer is `None`, for a far-fetched guess is worse than none.

/// The candidate with the fewest slips (letter added, left out, changed, or two neighbours swapped; case does not
/// count), if the slips are at most a third of the longer word's letters. Of equals the first wins.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = folded(word);
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let other = folded(candidate);
            let slips = distance(&word, &other);
            (slips * 3 <= word.len().max(other.len())).then_some((slips, candidate))
        })
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, candidate)| candidate)
}

/// How many slips part two words, as [`nearest`] counts them.
pub fn slips(a: &str, b: &str) -> usize {
    distance(&folded(a), &folded(b))
}

fn folded(word: &str) -> Vec<char> {
    word.chars().flat_map(char::to_lowercase).collect()
}

/// The Damerau-Levenshtein distance in its everyday form (no letter moves twice), row by row.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    let mut last_a = None;
    for (i, &letter_a) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        let mut last_b = None;
        for (j, &letter_b) in b.iter().enumerate() {
            let at = |line: &[usize], column: usize| line.get(column).copied().unwrap_or(usize::MAX - 1);
            let changed = at(&above, j) + usize::from(letter_a != letter_b);
            let mut best = changed.min(at(&above, j + 1) + 1).min(at(&row, j) + 1);
            if last_a == Some(letter_b) && last_b == Some(letter_a) && j > 0 {
                best = best.min(at(&before, j - 1) + 1);
            }
            row.push(best);
            last_b = Some(letter_b);
        }
        before = std::mem::replace(&mut above, row);
        last_a = Some(letter_a);
    }
    above.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_a_stranger_finds_none() {
        let names = ["max_turns", "model", "models", "temperature", "api_key"];
        let check = |word: &str, expected: Option<&str>| assert_eq!(nearest(word, names), expected, "{word}");
        check("max_turn", Some("max_turns"));
        check("mxa_turns", Some("max_turns"));
        check("Model", Some("model"));
        check("modle", Some("model"));
        check("tempreature", Some("temperature"));
        check("apikey", Some("api_key"));
        check("colour", None);
        check("", None);
    }

    #[test]
    fn distances_count_each_slip_once() {
        let check =
            |a: &str, b: &str, expected: usize| assert_eq!(distance(&folded(a), &folded(b)), expected);
        check("", "", 0);
        check("", "abc", 3);
        check("abc", "", 3);
        check("kitten", "sitting", 3);
        check("ab", "ba", 1);
        check("abcd", "acbd", 1);
        check("größe", "grösse", 2);
    }

    #[test]
    fn of_equals_the_first_wins() {
        assert_eq!(nearest("lisk", ["list", "risk"]), Some("list"));
    }
}
