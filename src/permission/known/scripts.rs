//! Programs whose first operand is a program of its own: `sed`, `awk`, `jq`.
//!
//! Each of them can do anything, so their scripts have a grammar here: `sed` prints, deletes and replaces, `awk` prints
//! fields, `jq` asks nothing of its environment and of other files. A script that is longer than that asks.

use super::options::{Command, Kind, Operands, Opt, Parsed};
use super::{Judged, Place, Table};

const SED: &[Opt] = &[
    Opt::Flags("nErsuz"),
    Opt::Longs("quiet silent regexp-extended"),
    Opt::Value("-e --expression", Kind::Text),
];

const AWK: &[Opt] = &[Opt::Value("-F", Kind::Text)];

const JQ: &[Opt] = &[
    Opt::Flags("acCejMnrRsS"),
    Opt::Longs(
        "raw-output compact-output null-input slurp exit-status sort-keys monochrome-output color-output ascii-output \
         join-output raw-input tab",
    ),
    Opt::Pair("--arg --argjson"),
];

/// Words of `jq` that reach beyond its input.
const JQ_REACHES: [&str; 7] =
    ["env", "ENV", "import", "include", "modulemeta", "get_search_list", "input_filename"];

/// The family.
pub(super) const COMMANDS: &[Command] = &[
    Command::new("sed", SED, Operands::Own(sed)),
    Command::new("awk", AWK, Operands::Own(awk)),
    Command::new("gawk", AWK, Operands::Own(awk)),
    Command::new("mawk", AWK, Operands::Own(awk)),
    Command::new("jq", JQ, Operands::Own(jq)),
];

fn sed(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let names = ["-e", "--expression"];
    let has_script = parsed.has(&names);
    let script = parsed.operands.first().filter(|_| !has_script).map(String::as_str);
    let by_number = |script: &str| script.chars().all(|c| c.is_ascii_digit() || " ,;$p".contains(c));
    let is_calm = script
        .into_iter()
        .chain(parsed.values_of(&names))
        .all(|script| only_shows(script).is_some() && (place.table == Table::Full || by_number(script)));
    let files = parsed.operands.get(usize::from(!has_script)..)?;
    let reads = place.reads(files);
    is_calm.then(|| Judged { reads, words: parsed.into_words() })
}

/// `10,20p;/a/d;s/b/c/g`: commands parted by semicolons.
fn only_shows(script: &str) -> Option<()> {
    let mut rest = script.trim_matches(' ');
    loop {
        rest = sed_address(rest)?;
        if let Some(more) = rest.strip_prefix(',') {
            rest = sed_address(more).filter(|after| after.len() < more.len())?;
        }
        rest = rest.trim_start_matches([' ', '!']);
        rest = match rest.strip_prefix(['p', 'd', 'q', '=']) {
            Some(after) => after,
            None => replacing(rest.strip_prefix('s')?)?,
        };
        rest = rest.trim_start_matches(' ');
        if rest.is_empty() {
            return Some(());
        }
        rest = rest.strip_prefix(';')?.trim_start_matches(' ');
    }
}

/// What follows an address, or where there is none.
fn sed_address(text: &str) -> Option<&str> {
    if let Some(pattern) = text.strip_prefix('/') {
        return sed_pattern(pattern, '/');
    }
    let after_number = text.trim_start_matches(|c: char| c.is_ascii_digit() || "+~".contains(c));
    Some(text.strip_prefix('$').unwrap_or(after_number))
}

/// What follows `s`: two parts and letters that only say where to replace.
fn replacing(text: &str) -> Option<&str> {
    let end = text.chars().next().filter(|c| "/|#,:@%".contains(*c))?;
    let rest = sed_pattern(text.strip_prefix(end)?, end)?;
    let rest = sed_text(rest, end)?;
    Some(rest.trim_start_matches(|c: char| c.is_ascii_digit() || "gpiI".contains(c)))
}

/// What follows the sign that ends a text; one behind a backslash does not.
fn sed_text(text: &str, end: char) -> Option<&str> {
    let mut letters = text.chars();
    loop {
        match letters.next()? {
            '\\' => {
                letters.next()?;
            }
            c if c == end => return Some(letters.as_str()),
            _ => {}
        }
    }
}

/// The same for a pattern, in which brackets hide the sign from some `sed` and not from others: there all are closed.
fn sed_pattern(text: &str, end: char) -> Option<&str> {
    let rest = sed_text(text, end)?;
    let pattern = text.strip_suffix(rest)?.strip_suffix(end)?;
    if !has_bracket(pattern) {
        return Some(rest);
    }
    let mut parts = pattern.split('[').skip(1).peekable();
    while let Some(part) = parts.next() {
        let class = parts.next_if(|next| part.trim_start_matches('^').is_empty() && next.starts_with(':'));
        let is_closed = match class {
            // `[[:alpha:]x]`
            Some(class) => class.split_once(":]").is_some_and(|(_, members)| members.contains(']')),
            None => closes(part.trim_start_matches('^')),
        };
        is_closed.then_some(())?;
    }
    Some(rest)
}

/// Whether brackets open in a pattern: `\[` is only the sign.
fn has_bracket(pattern: &str) -> bool {
    let mut letters = pattern.chars();
    while let Some(c) = letters.next() {
        match c {
            '[' => return true,
            '\\' => drop(letters.next()),
            _ => {}
        }
    }
    false
}

/// Whether a bracket ends in what follows it; one at the beginning belongs to what is in it.
fn closes(inner: &str) -> bool {
    let end = inner.chars().skip(1).position(|c| c == ']');
    end.is_some_and(|end| !inner.chars().take(end + 1).any(|c| c == '\\'))
}

fn awk(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let (script, files) = parsed.operands.split_first()?;
    let assigns = files.iter().any(|file| file.contains('='));
    let reads = place.reads(files);
    (!assigns && only_prints(script).is_some()).then(|| Judged { reads, words: parsed.into_words() })
}

/// `NR>=10 && NR<=20 {print $1, "x", $NF}`, `/a/`: a condition, an action, or both.
fn only_prints(script: &str) -> Option<()> {
    let script = script.trim_matches(' ');
    let (condition, action) = match script.split_once('{') {
        Some((condition, action)) => (condition.trim_end_matches(' '), Some(action.strip_suffix('}')?)),
        None => (script, None),
    };
    let is_condition = match condition.strip_prefix('/') {
        Some(pattern) => pattern.strip_suffix('/').is_some_and(is_plain_pattern),
        None => condition.split("&&").all(|part| counts_lines(part.trim_matches(' '))),
    };
    let is_action = action.is_none_or(|action| prints_fields(action.trim_matches(' ')).is_some());
    let says_something = !condition.is_empty() || action.is_some();
    (says_something && (condition.is_empty() || is_condition) && is_action).then_some(())
}

/// No sign with which a pattern could end early.
fn is_plain_pattern(pattern: &str) -> bool {
    !pattern.is_empty() && pattern.chars().all(|c| c.is_ascii_alphanumeric() || " _-.*^$:,=#".contains(c))
}

/// `NR==5`, `NF > 2`
fn counts_lines(part: &str) -> bool {
    let rest = part.strip_prefix("NR").or_else(|| part.strip_prefix("NF"));
    let Some(rest) = rest.map(|rest| rest.trim_start_matches(' ')) else { return false };
    let number = ["==", ">=", "<=", "!=", ">", "<"].iter().find_map(|sign| rest.strip_prefix(sign));
    let is_number = |number: &str| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    number.is_some_and(|number| is_number(number.trim_start_matches(' ')))
}

/// `print $1, $NF "x"`
fn prints_fields(action: &str) -> Option<()> {
    let mut rest = action.strip_prefix("print")?;
    (rest.is_empty() || rest.starts_with([' ', '$', '"'])).then_some(())?;
    loop {
        rest = rest.trim_start_matches([' ', ',']);
        let mut letters = rest.chars();
        rest = match letters.next() {
            None => return Some(()),
            Some('"') => {
                let (text, rest) = letters.as_str().split_once('"')?;
                (!text.contains('\\')).then_some(rest)?
            }
            Some('$' | 'N') => {
                let rest = rest.strip_prefix('$').unwrap_or(rest);
                let field = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                let named = rest.strip_prefix("NF").or_else(|| rest.strip_prefix("NR"));
                named.or_else(|| (field.len() < rest.len()).then_some(field))?
            }
            Some(_) => return None,
        };
    }
}

fn jq(parsed: Parsed, place: &Place<'_>) -> Option<Judged> {
    let (filter, files) = parsed.operands.split_first()?;
    let mut words = filter.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let reaches = words.any(|word| JQ_REACHES.contains(&word));
    // it has its own mind about what follows `--`
    let is_plain = parsed.dashes.is_none();
    let reads = place.reads(files);
    (is_plain && !reaches).then(|| Judged { reads, words: parsed.into_words() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks scripts parted by `¦`.
    fn check(scripts: &str, judge: fn(&str) -> Option<()>, expected: Option<()>) {
        for script in scripts.split('¦') {
            assert_eq!(judge(script), expected, "{script}");
        }
    }

    #[test]
    fn scripts_of_sed_show_and_replace() {
        let calm = "1,20p¦5p¦$p¦$d¦10,$p¦/fn main/,/^}/p¦/^$/d¦s/a/b/¦s/a\\/b/c/g¦s|/a/|b|¦1,3p;5q¦/a/!d¦1,+3p¦1~2p¦=¦\
                    s/[^a-z]b/c/¦s/[[:space:]]*$//¦s/a/b/g;s/c/d/2p¦ 1p ; 2p ¦/a/,+5 p¦s/[0-9]\\+/x/¦s/.*\\.//";
        check(calm, only_shows, Some(()));
        let wild = "¦w x¦1w x¦e¦1e id¦s/a/b/e¦s/a/b/w x¦s/a/b/gw x¦r x¦R x¦1,20{p}¦s/a/b¦s/a¦/a¦a x¦i x¦c x¦y/a/b/¦b¦t¦: x¦1,p¦\
                    s/a/b/;w x¦p w¦p}¦{p¦\\xax p¦W x¦F¦s\\a\\b\\¦M¦s/[a/b]c/p;s/w x/y/¦s/[]/]/x/¦s/[^]/]/x/¦s/[[:a/]/x/¦1;2¦sp¦pp¦p;";
        check(wild, only_shows, None);
    }

    #[test]
    fn scripts_of_awk_print_fields() {
        let calm = "{print $1}¦{print}¦{ print $1, $NF }¦NR==5¦NR>=10 && NR<=20¦NR > 1 {print $2}¦/error/¦/a/ {print}¦\
                    {print $1 \":\" $2}¦{print NR, $0}¦{print \"x\"}¦NF>2{print $NF}¦{print $1,\"-\",$2}";
        check(calm, only_prints, Some(()));
        let wild = "¦{system(\"id\")}¦{print > \"x\"}¦{print | \"sh\"}¦{print $1 > \"x\"}¦{print \"a\" | \"sh\"}¦BEGIN {print}¦\
                    {print $1; system(\"x\")}¦{getline}¦{print \"a\\\"b\"}¦{printf \"x\"}¦{print ENVIRON[\"A\"]}¦{print $x}¦\
                    NR==system(\"id\")¦NR==1{print}{print}¦/a/||system(\"x\")/¦{print} {print}¦{prints}¦{¦}¦{print \"a¦NR=5¦\
                    {print $1}}¦@include \"x\"¦{print -1}";
        check(wild, only_prints, None);
    }
}
