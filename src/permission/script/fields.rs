//! From the signs of a word to the words that it becomes: braces, `~`, and the parting at spaces.
//!
//! Pure string work, after everything that a `$` stands for has been put in.

use super::UNKNOWN;

/// Words that one word may become; nobody writes more.
const MOST: usize = 64;

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sign {
    /// A character that stands in the line without quotes.
    Bare(char),
    /// A character that means itself.
    Quoted(char),
    /// Quotes with nothing in them: they make a word all the same.
    Nothing,
    /// A space that a variable brought: here the word is parted.
    Split,
    /// One of these texts.
    OneOf(Vec<String>),
}

impl Sign {
    fn char(&self) -> Option<char> {
        match self {
            Self::Bare(c) | Self::Quoted(c) => Some(*c),
            Self::Nothing | Self::Split | Self::OneOf(_) => None,
        }
    }
}

/// The words that the signs become, `home` in the place of `~`; several lists where a loop's variable stands among them.
pub(super) fn split(signs: &[Sign], home: &str) -> Vec<Vec<String>> {
    let words = |word: Vec<Sign>| {
        let braced = braced(vec![word]);
        let fields = braced.iter().flat_map(|word| word.split(|sign| *sign == Sign::Split));
        fields.filter(|field| !field.is_empty()).map(|field| text(field, home)).take(MOST).collect()
    };
    alternatives(signs).into_iter().map(words).collect()
}

/// The one text that the signs become where words are not parted: in a here-document's end, in a subscript.
pub(super) fn one(signs: &[Sign], home: &str) -> String {
    each(signs, home).into_iter().next().unwrap_or_default()
}

/// The texts that the signs may become where words are not parted: in an assignment, behind a redirection. They are several
/// where a loop's variable stands among them.
pub(super) fn each(signs: &[Sign], home: &str) -> Vec<String> {
    let whole = |word: Vec<Sign>| {
        let signs = word.into_iter().map(|sign| if sign == Sign::Split { Sign::Quoted(' ') } else { sign });
        text(&signs.collect::<Vec<_>>(), home)
    };
    alternatives(signs).into_iter().map(whole).collect()
}

fn text(signs: &[Sign], home: &str) -> String {
    let mut text: String = signs.iter().filter_map(Sign::char).collect();
    if signs.first() == Some(&Sign::Bare('~')) {
        let end = text.find('/').unwrap_or(text.len());
        let user = text.get(1..end).unwrap_or_default();
        let place = match user {
            "" => home.to_owned(),
            "+" => ".".to_owned(),
            _ => UNKNOWN.to_string(),
        };
        text.replace_range(..end, &place);
    }
    text
}

/// One word for each text that a loop's variable may hold.
fn alternatives(signs: &[Sign]) -> Vec<Vec<Sign>> {
    let mut words = vec![Vec::new()];
    for sign in signs {
        match sign {
            Sign::OneOf(texts) => {
                let longer = words.iter().flat_map(|word: &Vec<Sign>| {
                    texts.iter().map(|text| {
                        let mut word = word.clone();
                        word.extend(text.chars().map(Sign::Quoted));
                        word
                    })
                });
                words = longer.take(MOST).collect();
            }
            Sign::Bare(_) | Sign::Quoted(_) | Sign::Nothing | Sign::Split => {
                for word in &mut words {
                    word.push(sign.clone());
                }
            }
        }
    }
    words
}

/// `{a,b}` becomes two words, one after the other, wherever it stands.
fn braced(words: Vec<Vec<Sign>>) -> Vec<Vec<Sign>> {
    let mut done = Vec::new();
    let mut waiting: Vec<Vec<Sign>> = words.into_iter().rev().collect();
    while let Some(word) = waiting.pop() {
        match opened(&word) {
            Some(parts) if done.len() + waiting.len() < MOST => waiting.extend(parts.into_iter().rev()),
            Some(_) | None => done.push(word),
        }
    }
    done
}

/// The words for the first pair of braces that has a comma between.
fn opened(word: &[Sign]) -> Option<Vec<Vec<Sign>>> {
    let opens = word.iter().enumerate().filter(|(_, sign)| **sign == Sign::Bare('{')).map(|(at, _)| at);
    opens.into_iter().find_map(|open| {
        let (close, commas) = closed(word, open)?;
        let before = word.get(..open)?;
        let after = word.get(close + 1..)?;
        let ends = commas.iter().copied().chain([close]);
        let starts = std::iter::once(open).chain(commas.iter().copied());
        let part = |(start, end): (usize, usize)| Some([before, word.get(start + 1..end)?, after].concat());
        starts.zip(ends).map(part).collect()
    })
}

/// Where the braces that open at `open` close, and the commas between.
fn closed(word: &[Sign], open: usize) -> Option<(usize, Vec<usize>)> {
    let (mut depth, mut commas) = (0_usize, Vec::new());
    for (at, sign) in word.iter().enumerate().skip(open + 1) {
        match sign {
            Sign::Bare('{') => depth += 1,
            Sign::Bare('}') if depth > 0 => depth -= 1,
            Sign::Bare('}') => return (!commas.is_empty()).then_some((at, commas)),
            Sign::Bare(',') if depth == 0 => commas.push(at),
            Sign::Bare(_) | Sign::Quoted(_) | Sign::Nothing | Sign::Split | Sign::OneOf(_) => {}
        }
    }
    None
}
