//! A patch in words: what it says of which file. Pure: text in, parts out.
//!
//! The form is that of `*** Begin Patch`, as models write it: wrapped in a heredoc or a fence, padded, with the heads of
//! a unified diff. What is around the patch is forgiven, what is in it is not: a line that could be meant in two ways is
//! refused with its number. The surprise: `*** End Patch` must be there. Without it nobody can tell a whole patch from
//! one that was cut off.

use super::form::{Deed, Hunk, Malformed, Part, Pin, Row};
use super::lines::{Lines, Mark, mark};

const MISPLACED: &str = "`*** Move to: ` belongs right after `*** Update File: `";

/// Reads a patch.
pub(super) fn parse(text: &str) -> Result<Vec<Part>, Malformed> {
    let mut lines = Lines::new(text);
    let wrapping = lines.unwrap_begin()?;
    let mut parts = Vec::new();
    loop {
        while let Some(part) = part(&mut lines)? {
            parts.push(part);
        }
        if !lines.ends_or_goes_on(&wrapping)? {
            break;
        }
    }
    if parts.is_empty() {
        return Err(lines.wrong_here("the patch names no file"));
    }
    Ok(parts)
}

/// The next file's part; none at `*** End Patch`, which is passed.
fn part(lines: &mut Lines<'_>) -> Result<Option<Part>, Malformed> {
    const HEADS: &str = "`*** Add File: `, `*** Update File: `, `*** Delete File: ` or `*** End Patch`";
    type Body = fn(&mut Lines<'_>, usize) -> Result<Deed, Malformed>;
    lines.skip_blank();
    let Some(line) = lines.peek() else {
        return Err(lines.expected("`*** End Patch` (was the patch cut off?)"));
    };
    let (path, body): (&str, Body) = match mark(line.trim_start()) {
        Some(Mark::End) => {
            lines.next += 1;
            return Ok(None);
        }
        Some(Mark::Add(path)) => (path, |lines, _| added(lines).map(Deed::Add)),
        Some(Mark::Delete(path)) => (path, |_, _| Ok(Deed::Delete)),
        Some(Mark::Update(path)) => (path, update),
        Some(Mark::MoveTo(_)) => return Err(lines.wrong_here(MISPLACED)),
        Some(Mark::Begin | Mark::EndOfFile | Mark::Unknown) | None => return Err(lines.expected(HEADS)),
    };
    if path.is_empty() {
        return Err(lines.wrong_here("the path is missing"));
    }
    lines.next += 1;
    let number = lines.next;
    Ok(Some(Part { path: path.to_owned(), line: number, deed: body(lines, number)? }))
}

/// The lines of a new file. A line without anything is an empty one, if others follow.
fn added(lines: &mut Lines<'_>) -> Result<Vec<String>, Malformed> {
    let mut out = Vec::new();
    let mut blank = 0;
    while let Some(line) = lines.peek() {
        if let Some(text) = line.strip_prefix('+') {
            out.extend(std::iter::repeat_n(String::new(), std::mem::take(&mut blank)));
            out.push(text.to_owned());
        } else if line.trim().is_empty() {
            blank += 1;
        } else if !is_remark(line) {
            match mark(line.trim_start()) {
                Some(Mark::EndOfFile) => {}
                Some(
                    Mark::Begin
                    | Mark::End
                    | Mark::Add(_)
                    | Mark::Delete(_)
                    | Mark::Update(_)
                    | Mark::MoveTo(_)
                    | Mark::Unknown,
                ) => break,
                None => return Err(lines.expected("`+` before each line of the new file")),
            }
        }
        lines.next += 1;
    }
    Ok(out)
}

fn update(lines: &mut Lines<'_>, head: usize) -> Result<Deed, Malformed> {
    let mut to = None;
    if let Some(Mark::MoveTo(path)) = lines.peek().and_then(|line| mark(line.trim_start())) {
        if path.is_empty() {
            return Err(lines.wrong_here("the path is missing"));
        }
        lines.next += 1;
        to = Some(path.to_owned());
    }
    skip_unified_heads(lines);
    let mut hunks = Vec::new();
    let mut begun = Begun::Anything;
    while let Some(hunk) = hunk(lines, begun)? {
        begun = if hunk.pin == Pin::End { Begun::OnlyByAt } else { Begun::Anything };
        if !hunk.is_empty() {
            check(&hunk)?;
            hunks.push(hunk);
        }
    }
    if hunks.is_empty() && to.is_none() {
        let why = "the file has neither a hunk nor a `*** Move to: `".to_owned();
        return Err(Malformed { line: head, why });
    }
    Ok(Deed::Update { to, hunks })
}

/// `--- a/x` and `+++ b/x`, where a hunk follows: else they are lines that go and come.
fn skip_unified_heads(lines: &mut Lines<'_>) {
    if lines.ahead(0).starts_with("--- ")
        && lines.ahead(1).starts_with("+++ ")
        && lines.ahead(2).starts_with("@@")
    {
        lines.next += 2;
    }
}

/// How the next hunk may begin.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begun {
    Anything,
    /// After the end of the file there is nothing but another place.
    OnlyByAt,
}

/// The next hunk; none at the next file.
fn hunk(lines: &mut Lines<'_>, begun: Begun) -> Result<Option<Hunk>, Malformed> {
    const ROWS: &str = "a blank, `-`, `+` or `@@` at its beginning, or a `*** ` line";
    lines.skip_empty();
    let mut hunk = Hunk { line: lines.next + 1, ..Hunk::default() };
    let mut has_head = false;
    while let Some(line) = lines.peek() {
        match mark(line) {
            Some(Mark::EndOfFile) => {
                hunk.pin = Pin::End;
                lines.next += 1;
                return Ok(Some(hunk));
            }
            Some(Mark::MoveTo(_)) => {
                return Err(lines.wrong_here(MISPLACED));
            }
            Some(Mark::Unknown) => return Err(lines.expected(ROWS)),
            Some(Mark::Begin | Mark::End | Mark::Add(_) | Mark::Delete(_) | Mark::Update(_)) => break,
            None => {}
        }
        if let Some(anchor) = line.strip_prefix("@@") {
            if !hunk.rows.is_empty() {
                return Ok(Some(hunk));
            }
            has_head = true;
            hunk.anchors.extend(anchor_of(anchor));
        } else if begun == Begun::OnlyByAt && !has_head {
            return Err(lines.expected("`@@` or a `*** ` line after `*** End of File`"));
        } else if !is_remark(line) {
            let row = row(line).ok_or_else(|| lines.expected(ROWS))?;
            hunk.blank_tail = if line.is_empty() { hunk.blank_tail + 1 } else { 0 };
            if !(line.is_empty() && hunk.rows.is_empty()) {
                hunk.rows.push(row);
            }
        }
        lines.next += 1;
    }
    hunk.blank_tail = hunk.blank_tail.min(hunk.rows.len());
    Ok((has_head || !hunk.rows.is_empty()).then_some(hunk))
}

/// What stands behind `@@`: a line of the file, or the numbers of a unified diff, which are not believed.
fn anchor_of(text: &str) -> Option<String> {
    let text = text.strip_prefix(' ').unwrap_or(text).trim_end();
    let text = text.strip_suffix("@@").map_or(text, str::trim_end);
    let is_span = |word: &str, sign: char| {
        let digits = |number: &str| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        word.strip_prefix(sign).is_some_and(|span| span.split(',').all(digits))
    };
    let mut words = text.split_whitespace();
    let is_numbers = words.next().is_some_and(|word| is_span(word, '-'))
        && words.next().is_some_and(|word| is_span(word, '+'))
        && words.next().is_none_or(|word| word == "@@");
    (!is_numbers && !text.trim().is_empty()).then(|| text.to_owned())
}

fn row(line: &str) -> Option<Row> {
    let mut letters = line.chars();
    let first = letters.next();
    let rest = letters.as_str().to_owned();
    match first {
        None => Some(Row::Keep(String::new())),
        Some(' ') => Some(Row::Keep(rest)),
        Some('-') => Some(Row::Remove(rest)),
        Some('+') => Some(Row::Add(rest)),
        Some(_) => None,
    }
}

/// `\ No newline at end of file`: the file's end stays as it is.
fn is_remark(line: &str) -> bool {
    line.starts_with("\\ No newline")
}

fn check(hunk: &Hunk) -> Result<(), Malformed> {
    let wrong = |why: &str| Err(Malformed { line: hunk.line, why: why.to_owned() });
    if hunk.rows.is_empty() {
        return wrong("the hunk has no lines");
    }
    if hunk.old(0).into_iter().eq(hunk.new_lines()) {
        return wrong("the hunk changes nothing: it needs lines with `-` or `+`");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parts in short: `add a [x|y]`, `delete b`, `update c -> d {@ f; =x -y +z; end}`.
    fn short(parts: &[Part]) -> String {
        let hunk = |hunk: &Hunk| {
            let anchors = hunk.anchors.iter().map(|anchor| format!("@{anchor}"));
            let rows = hunk.rows.iter().map(|row| match row {
                Row::Keep(text) => format!("={text}"),
                Row::Remove(text) => format!("-{text}"),
                Row::Add(text) => format!("+{text}"),
            });
            let pin = (hunk.pin == Pin::End).then(|| "END".to_owned());
            format!("{{{}}}", anchors.chain(rows).chain(pin).collect::<Vec<_>>().join(" "))
        };
        let part = |part: &Part| match &part.deed {
            Deed::Add(lines) => format!("add {} [{}]", part.path, lines.join("|")),
            Deed::Delete => format!("delete {}", part.path),
            Deed::Update { to, hunks } => {
                let to = to.as_ref().map(|to| format!(" -> {to}")).unwrap_or_default();
                format!("update {}{to} {}", part.path, hunks.iter().map(hunk).collect::<String>())
            }
        };
        parts.iter().map(part).collect::<Vec<_>>().join("; ")
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let parsed = parse(text).map(|parts| short(&parts)).map_err(|wrong| wrong.to_string());
        assert_eq!(parsed.as_deref(), Ok(expected), "{text}");
    }

    /// The same for what stands between `*** Begin Patch` and `*** End Patch`.
    #[track_caller]
    fn body(text: &str, expected: &str) {
        check(&format!("*** Begin Patch\n{text}\n*** End Patch"), expected);
    }

    #[track_caller]
    fn refused(text: &str, line: usize, why: &str) {
        let wrong = parse(text).expect_err(text);
        assert!(wrong.line == line && wrong.why.contains(why), "{wrong} for {text:?}");
    }

    #[track_caller]
    fn refused_body(text: &str, line: usize, why: &str) {
        refused(&format!("*** Begin Patch\n{text}\n*** End Patch"), line, why);
    }

    #[test]
    fn every_part_of_a_patch_is_read() {
        body("*** Add File: a\n+x\n+ y\n++z", "add a [x| y|+z]");
        body("*** Add File: a", "add a []");
        body("*** Delete File: a", "delete a");
        body("*** Update File: a\n@@\n x\n-y\n+z", "update a {=x -y +z}");
        body("*** Update File: a\n x\n-y", "update a {=x -y}");
        body("*** Update File: a\n*** Move to: b\n@@\n-y", "update a -> b {-y}");
        body("*** Update File: a\n*** Move to: b", "update a -> b ");
        body(
            "*** Update File: a\n@@ class A\n@@     def f(self):\n-y",
            "update a {@class A @    def f(self): -y}",
        );
        body("*** Update File: a\n@@\n-y\n@@\n-z", "update a {-y}{-z}");
        body("*** Update File: a\n@@\n-y\n*** End of File", "update a {-y END}");
        body("*** Update File: a\n@@\n-y\n*** End of File\n@@ b\n+z", "update a {-y END}{@b +z}");
        body(
            "*** Add File: a\n+x\n*** Delete File: b\n*** Update File: c\n@@\n+x",
            "add a [x]; delete b; update c {+x}",
        );
        body("*** Update File: a\n@@\n-y\n*** Update File: a\n@@\n-z", "update a {-y}; update a {-z}");
    }

    #[test]
    fn paths_are_taken_as_they_are_but_for_blanks_around_them() {
        body("*** Delete File:   a b/c d.txt  ", "delete a b/c d.txt");
        body("*** Delete File: /abs/x", "delete /abs/x");
        body("*** Delete File:x", "delete x");
    }

    #[test]
    fn what_is_around_a_patch_does_not_matter() {
        let expected = "delete a";
        let patch = "*** Begin Patch\n*** Delete File: a\n*** End Patch";
        for (before, after) in [
            ("", ""),
            ("\n\n  \n", "\n\n \n"),
            ("```\n", "\n```"),
            ("```diff\n", "\n```\n"),
            ("~~~\n", "\n~~~"),
            ("<<'EOF'\n", "\nEOF"),
            ("<<EOF\n", "\nEOF\n"),
            ("apply_patch <<'PATCH'\n", "\nPATCH"),
            ("cat <<-\"EOF\"\n", "\nEOF"),
            ("```sh\napply_patch <<'EOF'\n", "\nEOF\n```"),
            ("\u{feff}", ""),
        ] {
            check(&format!("{before}{patch}{after}"), expected);
        }
        check(&format!("{patch}\n{}", patch.replace(": a", ": b")), "delete a; delete b");
        check(&patch.replace('\n', "\r\n"), expected);
        check("  *** Begin Patch  \n  *** Delete File: a \n *** End Patch ", expected);
        check(
            "  *** Begin Patch\n  *** Update File: a\n  @@\n   x\n  -y\n\n  *** End Patch",
            "update a {=x -y =}",
        );
        check("*** Begin Patch\n*** Update File: a\n@@\n-y\n *** End Patch", "update a {-y}");
    }

    #[test]
    fn a_line_that_lost_its_blank_is_an_empty_one() {
        body("*** Update File: a\n@@\n x\n\n-y", "update a {=x = -y}");
        body("*** Update File: a\n@@\n\n x\n-y", "update a {=x -y}");
        body("*** Add File: a\n+x\n\n+y\n\n*** Delete File: b", "add a [x||y]; delete b");
        let parts = parse("*** Begin Patch\n*** Update File: a\n@@\n-y\n\n\n*** End Patch").unwrap();
        let Deed::Update { hunks, .. } = &parts[0].deed else { panic!("an update") };
        assert_eq!((hunks[0].blank_tail, hunks[0].old(2)), (2, vec!["y"]));
    }

    #[test]
    fn the_heads_of_a_unified_diff_are_not_believed() {
        body("*** Update File: a\n--- a/x\n+++ b/x\n@@ -1,3 +1,4 @@\n-y", "update a {-y}");
        body("*** Update File: a\n@@ -1 +1,2 @@ fn f()\n-y", "update a {-y}");
        body("*** Update File: a\n@@ -10,6 +10,7\n-y", "update a {-y}");
        body("*** Update File: a\n@@ def f(): @@\n-y", "update a {@def f(): -y}");
        body("*** Update File: a\n@@ -x +1 @@\n-y", "update a {@-x +1 -y}");
        body("*** Update File: a\n@@\n-y\n\\ No newline at end of file\n+z", "update a {-y +z}");
        // without the head of a hunk behind them they are lines
        body("*** Update File: a\n--- x\n+++ y", "update a {--- x +++ y}");
        body("*** Update File: a\n@@\n-y\n@@", "update a {-y}");
    }

    #[test]
    fn lines_of_a_file_that_look_like_marks_are_lines() {
        body(
            "*** Update File: a\n@@\n *** End Patch\n-*** x\n+@@ y",
            "update a {=*** End Patch -*** x +@@ y}",
        );
        body("*** Add File: a\n+*** End Patch\n+```", "add a [*** End Patch|```]");
    }

    #[test]
    fn what_is_no_patch_is_refused_with_its_line() {
        refused("", 1, "expected `*** Begin Patch`");
        refused("hello", 1, "found `hello`");
        refused("*** Update File: a\n@@\n-y\n*** End Patch", 1, "`*** Begin Patch`");
        refused("cd x && apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF", 1, "`*** Begin Patch`");
        refused("*** Begin Patch\n*** End Patch", 2, "names no file");
        refused("*** Begin Patch\n*** Delete File: a", 2, "cut off");
        refused("*** Begin Patch\n*** Update File: a\n@@\n-y\n+z", 5, "cut off");
        refused("*** Begin Patch\n*** Add File: a\n+x", 3, "cut off");
        refused("*** Begin Patch\n*** Delete File: a\n*** End Patch\nand so on", 4, "expected nothing after");
        refused("*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF", 4, "expected nothing after");
    }

    #[test]
    fn a_wrong_line_is_refused_with_its_number() {
        refused_body("*** Add File: a\nx", 3, "expected `+`");
        refused_body("*** Add File:", 2, "the path is missing");
        refused_body("*** Update File: a", 2, "neither a hunk nor");
        refused_body("*** Update File: a\n@@", 2, "neither a hunk nor");
        refused_body("*** Update File: a\n*** Move to:", 3, "the path is missing");
        refused_body("*** Update File: a\n@@\n x", 3, "changes nothing");
        refused_body("*** Update File: a\n@@\n-x\n+x", 3, "changes nothing");
        refused_body("*** Update File: a\n@@ f\n*** Delete File: b", 3, "the hunk has no lines");
        refused_body("*** Update File: a\n@@\n-x\nfn f()", 5, "expected a blank, `-`, `+` or `@@`");
        refused_body("*** Update File: a\n@@\n-x\n\tfn f()", 5, "expected a blank");
        refused_body("*** Update File: a\n@@\n-x\n*** End of File\n-y", 6, "after `*** End of File`");
        refused_body("*** Update File: a\n@@\n-x\n*** Move to: b", 5, "belongs right after");
        refused_body("*** Move to: b", 2, "belongs right after");
        refused_body("*** Delete File: a\n-x", 3, "expected `*** Add File: `");
        refused_body("*** Rename File: a", 2, "expected `*** Add File: `");
        refused_body("*** Update File: a\n@@\n-x\n*** Rename File: a", 5, "expected a blank");
        refused_body("*** Update File: a\nold mode 100644\nnew mode 100755", 3, "found `old mode 100644`");
        refused_body("*** Update File: a\nGIT binary patch\nliteral 3", 3, "found `GIT binary patch`");
        refused_body("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y", 2, "found `diff --git");
        refused_body("*** Begin Patch\n*** Delete File: a", 2, "expected `*** Add File: `");
    }
}
