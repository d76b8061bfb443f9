//! Lines with their pieces marked, and the promise that nothing is lost.

use proptest::prelude::*;

use super::table::TABLE;
use super::*;

/// The lines of a text, each piece that is not plain as `letter[text]`.
fn marked(name: &str, text: &str) -> String {
    let mut highlighter = Highlighter::of_fence(name).unwrap();
    let piece = |(token, text): (Token, &str)| {
        let letter = match token {
            Token::Plain => return text.to_owned(),
            Token::Keyword => 'k',
            Token::Text => 's',
            Token::Comment => 'c',
            Token::Number => 'n',
            Token::Type => 't',
            Token::Name => 'f',
            Token::Added => '+',
            Token::Removed => '-',
        };
        format!("{letter}[{text}]")
    };
    let line = |line| highlighter.line(line).into_iter().map(piece).collect::<String>();
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(name: &str, text: &str, expected: &str) {
    assert_eq!(marked(name, text), expected);
}

#[test]
fn code_has_keywords_types_calls_numbers_strings_and_comments() {
    check(
        "rust",
        "pub fn total(&self) -> Option<u8> { Self::add('a', \"b\\\"\", 0x1f_u8..1.5e-3) } // end",
        "k[pub] k[fn] f[total](&k[self]) -> t[Option]<t[u8]> { t[Self]::f[add](s['a'], s[\"b\\\"\"], n[0x1f_u8]..n[1.5e-3]) } c[// end]",
    );
    check(
        "rs",
        "fn f<'a>(x: &'a str) { println!(\"{x}\") }",
        "k[fn] f<'a>(x: &'a t[str]) { f[println!](s[\"{x}\"]) }",
    );
    check(
        "python",
        "@cached\ndef f(x): return None  # it's",
        "f[@cached]\nk[def] f[f](x): k[return] k[None]  c[# it's]",
    );
    check("ts", "const a = `x\n${y}` as string", "k[const] a = s[`x]\ns[${y}`] k[as] t[string]");
    check(
        "go",
        "func (s *Store) Get() error { return nil }",
        "k[func] (s *t[Store]) f[Get]() t[error] { k[return] k[nil] }",
    );
    check("c", "#include <stdio.h>\nint x = '\\n'; MAX", "k[#include] <stdio.h>\nt[int] x = s['\\n']; MAX");
    check(
        "sh",
        "for x in $FILES; do cat \"$x\" # all\n  rm 'a\nb' a#b; done",
        "k[for] x k[in] t[$FILES]; k[do] cat s[\"$x\"] c[# all]\n  rm s['a]\ns[b'] a#b; k[done]",
    );
    check(
        "sql",
        "select Name from t where a = 'it' -- x",
        "k[select] Name k[from] t k[where] a = s['it'] c[-- x]",
    );
}

#[test]
fn what_is_open_goes_on_in_the_next_line() {
    check(
        "rust",
        "/* a /* b\n*/ c */ let r = r#\"a\n\"b\"# + 1;",
        "c[/* a /* b]\nc[*/ c */] k[let] r = s[r#\"a]\ns[\"b\"#] + n[1];",
    );
    check("c", "/* a /* b\n*/ int", "c[/* a /* b]\nc[*/] t[int]");
    check("python", "x = '''a\n'b'\n''' + 'open\ny", "x = s['''a]\ns['b']\ns['''] + s['open]\ny");
}

#[test]
fn data_has_keys_and_values() {
    check(
        "json",
        "{\"a\": [1, true, \"x:y\"], \"b\":null}",
        "{f[\"a\"]: [n[1], k[true], s[\"x:y\"]], f[\"b\"]:k[null]}",
    );
    check(
        "yaml",
        "- name: it's http://a.b # c\n  on: \"x\"\n  n: 3",
        "- f[name]: it's http://a.b c[# c]\n  f[on]: s[\"x\"]\n  f[n]: n[3]",
    );
    check(
        "toml",
        "[a.b]\nkey-1 = 'x' # y\nlist = [\n]",
        "t[[a.b]]\nf[key-1] = s['x'] c[# y]\nf[list] = [\n]",
    );
    check("css", "a:hover { color: #fff; width: 3px }", "a:hover { f[color]: n[#fff]; f[width]: n[3px] }");
}

#[test]
fn markup_has_tags_attributes_and_text() {
    check(
        "html",
        "<!-- a\n--><p class=\"x\n y\">it's 1 < 2</p><br/>",
        "c[<!-- a]\nc[-->]k[<p] f[class]=s[\"x]\ns[ y\"]k[>]it's 1 < 2k[</p><br/>]",
    );
    check("html", "<a\n日日=é 日>", "k[<a]\nf[日日]=f[é] f[日]k[>]");
}

#[test]
fn a_diff_goes_by_lines() {
    check(
        "diff",
        "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z",
        "k[--- a]\nk[+++ b]\nf[@@ -1 +1 @@]\n-[-x]\n+[+y]\n z",
    );
}

#[test]
fn a_language_is_known_by_many_names() {
    let known = |word: &str| Highlighter::of_fence(word).map(|h| h.syntax.names.split(' ').next().unwrap());
    let table = [
        ("rust", Some("rust")),
        ("Rust", Some("rust")),
        ("{.python}", Some("python")),
        ("rust:src/main.rs", Some("rust")),
        ("src/app.tsx", Some("typescript")),
        ("Dockerfile", Some("dockerfile")),
        ("text", None),
        ("", None),
        (".", None),
    ];
    for (word, expected) in table {
        assert_eq!(known(word), expected, "{word}");
    }
    assert!(Highlighter::of_path("a/b.test.py").is_some());
    assert!(Highlighter::of_path("a/Makefile").is_some());
    assert!(Highlighter::of_path("a.b/rust_notes").is_none());
}

#[test]
fn no_name_means_two_languages_and_no_list_is_torn() {
    let mut names: Vec<&str> = TABLE.iter().flat_map(|syntax| syntax.names.split(' ')).collect();
    names.sort_unstable();
    let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
    for syntax in TABLE {
        for list in [syntax.names, syntax.keywords, syntax.types] {
            assert!(list.is_empty() || list.split(' ').all(|word| !word.is_empty()), "{list}");
        }
    }
}

#[test]
fn very_long_texts_and_lines_stay_plain() {
    let mut highlighter = Highlighter::of_fence("rust").unwrap();
    let long = "1 ".repeat(LONGEST_LINE);
    assert_eq!(highlighter.line(&long), [(Token::Plain, long.as_str())]);
    assert_eq!(highlighter.line("1"), [(Token::Number, "1")]);
    for _ in 0..MOST_LINES - 2 {
        highlighter.pass("1");
    }
    assert_eq!(highlighter.line("1"), [(Token::Plain, "1")]);
    let mut highlighter = Highlighter::of_fence("rust").unwrap();
    for _ in 0..MOST_BYTES / LONGEST_LINE {
        highlighter.pass(long.get(..LONGEST_LINE).unwrap());
    }
    assert_eq!(highlighter.line("1"), [(Token::Plain, "1")]);
}

#[test]
fn no_letter_of_a_tag_that_goes_on_is_lost() {
    let mut reading = Highlighter::of_fence("html").unwrap();
    reading.pass("<p");
    let pieces: Vec<_> = reading.line("日本=\"x\" ü>").into_iter().map(|(_, text)| text).collect();
    assert_eq!(pieces, ["日本", "=", "\"x\"", " ", "ü", ">"]);
}

proptest! {
    #[test]
    fn the_pieces_are_the_line_and_passing_leaves_the_same(
        language in 0..TABLE.len(),
        lines in prop::collection::vec("[a-cR#'\"`/*<>!=\\-\\[\\]{}$@:0-9. \\\\é日]{0,24}", 0..6),
    ) {
        let name = TABLE[language].names.split(' ').next().unwrap();
        let mut shown = Highlighter::of_fence(name).unwrap();
        let mut passed = shown;
        for line in &lines {
            let pieces = shown.line(line);
            prop_assert!(pieces.iter().all(|(_, text)| !text.is_empty()));
            let whole: String = pieces.iter().map(|(_, text)| *text).collect();
            prop_assert_eq!(&whole, line);
            passed.pass(line);
            prop_assert_eq!(shown, passed);
        }
    }
}
