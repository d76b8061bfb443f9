//! Pictures of Markdown at three widths, and the promise that an answer looks the same arriving and arrived.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use ratatui::style::Modifier;
use ratatui::text::Span;

use super::*;
use crate::tui::screen::link::{Part, marked};
use crate::tui::view::theme::Role;

/// The lines as text; those that the terminal breaks begin with `|`.
fn drawn(printed: &[Printed]) -> String {
    let line = |printed: &Printed| match printed.wrap {
        Wrap::Fitted => printed.line.to_string(),
        Wrap::Terminal => format!("|{}", printed.line),
    };
    printed.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn picture(source: &str, columns: usize) -> String {
    drawn(&render(source, columns, Theme::Colour))
}

fn check(source: &str, expected: &str) {
    assert_eq!(picture(source, 80), expected, "{source}");
}

const PAGE: &str = "\
# The cart

The total is *wrong* when the cart is **empty**: `reduce` has no start value, so nothing comes out of it.
See [the docs](https://example.org/iter) and <https://example.org>.

1. Open `src/cart.rs`
2. Replace `reduce` by `fold`, which takes a start value and never returns an option at all:

   ```rust
   fold(Money::ZERO, Money::add)
   ```
3. Run the tests
   - [x] unit
   - [ ] end to end

> Quoted words that go on for long enough to be broken at forty columns.

| file | lines | what changed |
|------|------:|--------------|
| src/cart.rs | 2 | the fold has a start value |
| 日本語.rs | 120 | |

---
End.
";

#[test]
fn a_page_at_120_columns() {
    let shown = picture(PAGE, 120);
    let wide = "\
The total is wrong when the cart is empty: reduce has no start value, so nothing comes out of it. See the docs
(https://example.org/iter) and https://example.org.

1. Open src/cart.rs
2. Replace reduce by fold, which takes a start value and never returns an option at all:

|fold(Money::ZERO, Money::add)
3. Run the tests
";
    assert!(shown.contains(wide), "{shown}");
}

#[test]
fn a_page_at_80_columns() {
    let expected = "\
The cart

The total is wrong when the cart is empty: reduce has no start value, so nothing
comes out of it. See the docs (https://example.org/iter) and
https://example.org.

1. Open src/cart.rs
2. Replace reduce by fold, which takes a start value and never returns an option
   at all:

|fold(Money::ZERO, Money::add)
3. Run the tests
   [x] unit
   [ ] end to end

│ Quoted words that go on for long enough to be broken at forty columns.

file         lines  what changed
───────────  ─────  ──────────────────────────
src/cart.rs      2  the fold has a start value
日本語.rs      120

───

End.";
    assert_eq!(picture(PAGE, 80), expected);
}

#[test]
fn a_page_at_40_columns() {
    let expected = "\
The cart

The total is wrong when the cart is
empty: reduce has no start value, so
nothing comes out of it. See the docs
(https://example.org/iter) and
https://example.org.

1. Open src/cart.rs
2. Replace reduce by fold, which takes a
   start value and never returns an
   option at all:

|fold(Money::ZERO, Money::add)
3. Run the tests
   [x] unit
   [ ] end to end

│ Quoted words that go on for long
│ enough to be broken at forty columns.

file         lines  what changed
───────────  ─────  ────────────────────
src/cart.rs      2  the fold has a start
                    value
日本語.rs      120

───

End.";
    assert_eq!(picture(PAGE, 40), expected);
}

/// Each construct at 120, 80 and 40 columns.
#[track_caller]
fn at_three_widths(source: &str, expected: [&str; 3]) {
    for (columns, expected) in [120, 80, 40].into_iter().zip(expected) {
        assert_eq!(picture(source, columns), expected, "at {columns} columns: {source}");
    }
}

#[test]
fn lists_of_both_kinds_stand_within_each_other_at_every_width() {
    let source = "\
3. one
   - an item that is long enough to be broken at forty columns but not at eighty
     1. deep
     2. deeper
        * [x] done
        * [ ] open
   - b
4. two";
    let wide = "\
3. one
   - an item that is long enough to be broken at forty columns but not at eighty
     1. deep
     2. deeper
        [x] done
        [ ] open
   - b
4. two";
    let narrow = wide.replace(
        "an item that is long enough to be broken at forty columns but not at eighty",
        "an item that is long enough to be\n     broken at forty columns but not at\n     eighty",
    );
    at_three_widths(source, [wide, wide, &narrow]);
}

#[test]
fn quotes_hold_anything_at_every_width() {
    let source = "\
> First a word about the words that are quoted here, which go on for longer than forty columns.
> - one
> > inner
>
> ```
> code
> ```";
    let below = "\n│ - one\n│\n│ │ inner\n│\n|code";
    let first = [
        "│ First a word about the words that are quoted here, which go on for longer than forty columns.",
        "│ First a word about the words that are quoted here, which go on for longer than\n│ forty columns.",
        "│ First a word about the words that are\n│ quoted here, which go on for longer\n│ than forty columns.",
    ];
    let expected = first.map(|first| format!("{first}{below}"));
    at_three_widths(source, expected.each_ref().map(String::as_str));
}

#[test]
fn footnotes_hang_behind_their_name_at_every_width() {
    let source = "\
A claim[^1] and another[^two].

[^1]: The note stands at the end, and is long enough to be broken at forty columns.

    With a second part.
[^two]: Short.";
    let notes = |first: &str| {
        format!("A claim[^1] and another[^two].\n\n{first}\n\n      With a second part.\n[^two]: Short.")
    };
    let expected = [
        notes("[^1]: The note stands at the end, and is long enough to be broken at forty columns."),
        notes("[^1]: The note stands at the end, and is long enough to be broken at forty\n      columns."),
        notes(
            "[^1]: The note stands at the end, and is\n      long enough to be broken at forty\n      columns.",
        ),
    ];
    at_three_widths(source, expected.each_ref().map(String::as_str));
}

#[test]
fn tables_with_wide_characters_fit_every_width() {
    let source = "\
| 名前 | 役割 | note |
|:--|:-:|--:|
| 日本語 | 👍🏽 | the first of two notes, which is a little longer |
| é | ok | `x` |
";
    let wide = "\
名前    役割                                              note
──────  ────  ────────────────────────────────────────────────
日本語   👍🏽   the first of two notes, which is a little longer
é        ok                                                  x";
    let narrow = "\
名前    役割                        note
──────  ────  ──────────────────────────
日本語   👍🏽      the first of two notes,
                which is a little longer
é        ok                            x";
    at_three_widths(source, [wide, wide, narrow]);
    let records = "\
名前: 日本語
役割: 👍🏽
note: the first of
  two notes, which
  is a little
  longer

名前: é
役割: ok
note: x";
    assert_eq!(picture(source, 18), records);
}

#[test]
fn links_breaks_rules_and_struck_words_at_every_width() {
    let source = "\
~~old~~ [new](https://example.org/a-long-address-of-a-page)\x20\x20
after a break, <me@example.org>

***

<p>html</p>";
    let wide = "\
old new (https://example.org/a-long-address-of-a-page)
after a break, me@example.org

───

<p>html</p>";
    let narrow = "\
old new
(https://example.org/a-long-address-of-a
-page)
after a break, me@example.org

───

<p>html</p>";
    at_three_widths(source, [wide, wide, narrow]);
}

#[test]
fn lists_hang_nest_and_count() {
    check("- a\n- b\n\n- c", "- a\n- b\n\n- c");
    check("- a\n  - b\n    - c\n- d", "- a\n  - b\n    - c\n- d");
    check("- a\n\n  more\n- b", "- a\n\n  more\n- b");
    check("7. a\n7. b\n1) c", "7. a\n8. b\n1. c");
    check("1. a\n\n   ```\n   x\n   ```\n\n1. b", "1. a\n\n|x\n\n2. b");
    check("text\n- a\n- b\n\ntext", "text\n- a\n- b\n\ntext");
    check("- - a\n-\n- ```\n  x\n  ```", "- - a\n-\n-\n|x");
    check("- a\nlazy\n- b", "- a lazy\n- b");
}

#[test]
fn code_is_flush_left_and_never_broken() {
    let long = "x".repeat(100);
    check(&format!("```\n{long}\n\n  y\n```"), &format!("|{long}\n|\n|  y"));
    check("    indented\n\n    code", "|indented\n|\n|code");
    check("> ```\n> quoted\n> ```", "|quoted");
    check("a\n```\nopen", "a\n\n|open");
    check("a\n\n```\n```\n\nb", "a\n\nb");
    check("```\n\ttab\n```", "|\ttab");
}

#[test]
fn quotes_keep_their_bar() {
    check("> a\n>\n> b\n> > c", "│ a\n│\n│ b\n│\n│ │ c");
    check("- > a\n  > b", "- │ a b");
}

#[test]
fn links_and_images_say_where_they_go() {
    check("[a](https://b.c)", "a (https://b.c)");
    check("[https://b.c](https://b.c/)", "https://b.c");
    check("<me@b.c>", "me@b.c");
    check("![a *b*](c.png) ![](d.png)", "[image: a b] [image: d.png]");
    check("[![badge](x.svg)](https://b.c)", "[image: badge] (https://b.c)");
    check("see [a][1]\n\n[1]: https://b.c", "see [a][1]\n\n[1]: https://b.c");
    check("note[^1]\n\n[^1]: below the text", "note[^1]\n\n[^1]: below the text");
}

#[test]
fn breaks_rules_and_html_are_text() {
    check("a  \nb\\\nc<br>d", "a\nb\nc\nd");
    check("日本\n語 and\nmore", "日本語 and more");
    check("a\n\n***\nb", "a\n\n───\n\nb");
    check("<div>\n  <b>x</b>\n</div>\n\ny <i>z</i>", "<div>\n  <b>x</b>\n</div>\n\ny <i>z</i>");
    check("<!-- a\n\nb -->\n\nc", "<!-- a\n\nb -->\n\nc");
    check("Title\n===\ntext", "Title\n\ntext");
    check("", "");
    check("\n\n", "");
}

#[test]
fn a_table_that_does_not_fit_becomes_records() {
    let source = "|name|what it is|where|\n|-|-|-|\n|a|first<br>thing|here|\n|b|second||\n";
    check(
        source,
        "name  what it is   where\n────  ───────────  ─────\na     first thing  here\nb     second",
    );
    let expected = "name: a\nwhat it is: first\n  thing\nwhere: here\n\nname: b\nwhat it is:\n  second";
    assert_eq!(picture(source, 17), expected);
}

#[test]
fn hostile_text_is_cleaned_also_behind_entities() {
    check("a\u{1b}[31mb &#27;[31m &#x202e;c", "ab [31m ‹U+202E›c");
    check("```\n\u{1b}]0;t\u{7}x\u{202e}\n```", "|x‹U+202E›");
    check("[a](<b\u{202e}>)", "a (b‹U+202E›)");
}

#[test]
fn depth_costs_no_stack_and_no_width() {
    let deep = format!("{}x", "> ".repeat(5000));
    assert!(picture(&deep, 40).ends_with("│ x"));
    let deep = format!("{}x", "- ".repeat(5000));
    assert!(picture(&deep, 40).ends_with("- x"));
}

#[test]
fn words_have_the_style_of_their_role() {
    let line = render("# h\n\np *e* **s** ~~t~~ `c` [l](u)", 80, Theme::Mono);
    let styles = |at: usize| -> Vec<_> {
        line[at].line.spans.iter().map(|s| (s.content.to_string(), s.style.add_modifier)).collect()
    };
    assert_eq!(styles(0), [("h".to_owned(), Modifier::BOLD)]);
    let wanted = [
        ("e", Modifier::ITALIC),
        ("s", Modifier::BOLD),
        ("t", Modifier::CROSSED_OUT),
        ("l", Modifier::UNDERLINED),
    ];
    for (word, modifier) in wanted {
        assert!(styles(2).contains(&(word.to_owned(), modifier)), "{word}");
    }
}

#[test]
fn code_has_the_colours_of_its_language_wherever_it_stands() {
    let keyword = Theme::Colour.style(Role::Keyword);
    for source in ["```rust\nfn f\n```", "- a\n  ```rs\n  fn f\n  ```", "> ``` rust,ignore\n> fn f\n> ```"] {
        let printed = render(source, 80, Theme::Colour);
        let spans: Vec<_> = printed.iter().flat_map(|printed| printed.line.spans.clone()).collect();
        assert!(spans.contains(&Span::styled("fn", keyword)), "{source}");
    }
    let unknown = render("```brainwave\nfn f\n```", 80, Theme::Colour);
    assert_eq!(unknown[0].line.style, Theme::Colour.style(Role::Code));
}

#[test]
fn words_and_address_of_a_link_are_marked_as_one() {
    let parts = |source: &str| -> Vec<(String, Part)> {
        let printed = render(source, 40, Theme::Mono);
        let spans = printed.iter().flat_map(|printed| &printed.line.spans);
        spans.filter_map(|span| Some((span.content.to_string(), marked(span.style)?.0))).collect()
    };
    let words = |text: &str| (text.to_owned(), Part::Words);
    let address = |text: &str| (text.to_owned(), Part::Address);
    assert_eq!(parts("[a **b**](https://b.c)"), [words("a "), words("b"), address("https://b.c")]);
    assert_eq!(parts("<https://b.c> <me@b.c>"), [address("https://b.c"), address("me@b.c")]);
    assert_eq!(parts("[x](javascript:alert(1)) [y](src/main.rs) [z](file:///etc/passwd)"), []);
    let long = format!("<https://b.c/{}>", "x".repeat(40));
    assert_eq!(parts(&long).len(), 2, "an address in two lines");
}

/// Answers as models write them.
const CORPUS: [&str; 5] = [
    PAGE,
    "Sure.\n\n```rust\n/* a\n*/ fn main() {\n    println!(\"`hi`\");\n}\n```\nThen:\n\n~~~\n```\n~~~\n```py\nx = '''\n",
    "# A\nB\n===\n- one\n\n  two\n  1. three\n     ```sh\n     ls\n     ```\n* other\n\n[^1]: note\n\n    more\n[^2]: x\n\nend[^1]",
    "|a|b|\n|-|-|\n|日本|**x**|\n\n> q\nlazy\n> - i\n\n<details>\n\n<b>x</b>\n</details>\n\n---\nno\n-\nyes",
    "one  \ntwo\\\nthree\r\n\r\n    indented\n\n    code\n\n[l](https://a.b \"t\") ![i](j.png)\n\n[r]: https://c.d\n",
];

#[test]
fn what_is_final_stays_final_wherever_an_answer_is_cut() {
    let lines = |blocks: Vec<Block>| -> Vec<Printed> {
        blocks.iter().flat_map(|block| render_block(block, 40, Theme::Colour)).collect()
    };
    for source in CORPUS {
        let whole = render(source, 40, Theme::Colour);
        for cut in (0..=source.len()).filter(|cut| source.is_char_boundary(*cut)) {
            let (begin, rest) = source.split_at(cut);
            let mut live = Live::default();
            let mut printed = lines(live.push(begin));
            assert_eq!(printed, whole[..printed.len()], "cut at {cut} of {source:?}");
            drop(live.draft(500));
            printed.extend(lines(live.push(rest)));
            printed.extend(lines(live.finish()));
            assert_eq!(printed, whole, "cut at {cut} of {source:?}");
        }
    }
}

#[test]
fn a_table_and_a_fence_arrive_without_a_flicker() {
    let source = "| a | b |\n|---|---|\n| one | two |\n| three | four |\n\n```rust\nfn f() {}\n```\n";
    let mut live = Live::default();
    for (at, c) in source.char_indices() {
        drop(live.push(c.encode_utf8(&mut [0; 4])));
        let draft = live.draft(500).map(|block| render_block(&block, 40, Theme::Mono));
        let seen = drawn(&draft.unwrap_or_default());
        assert!(!seen.contains(['`', '-']) && !seen.contains("| "), "after {at}: {seen}");
    }
}

/// Bytes that are parsed and laid out for 1,000 bytes of an answer that arrives: finished blocks once, the unfinished one with
/// every frame.
fn work(kilobytes: usize) -> usize {
    let page: String = CORPUS.iter().flat_map(|text| [text, "\n```\n\n"]).collect();
    let text = page.repeat(kilobytes * 1_000 / page.len() + 1);
    let mut live = Live::default();
    let (mut bytes, mut rest, mut deltas) = (0, text.as_str(), 0);
    while !rest.is_empty() {
        let (delta, after) = rest.split_at(rest.ceil_char_boundary(20));
        (rest, deltas) = (after, deltas + 1);
        bytes += live.push(delta).iter().map(|block| block.source.len()).sum::<usize>();
        if deltas % 8 == 0 {
            bytes += live.draft(12 * 40 * 4).map_or(0, |block| block.source.len());
        }
    }
    bytes += live.finish().iter().map(|block| block.source.len()).sum::<usize>();
    bytes * 1_000 / text.len()
}

#[test]
fn the_work_of_an_answer_is_linear() {
    let figures = [1, 10, 100, 1_000].map(work);
    for pair in figures.windows(2) {
        assert!(pair[1] <= pair[0] + pair[0] / 10, "{figures:?} bytes for 1,000 of an answer");
    }
    assert!(figures[3] <= 4_000, "{figures:?} bytes for 1,000 of an answer");
}

/// Lines that begin, go on, interrupt and end each other in every way.
fn markdown() -> impl Strategy<Value = String> {
    let begin = prop_oneof![
        6 => Just(""),
        2 => Just("- "),
        1 => Just("* "),
        2 => Just("1. "),
        1 => Just("3) "),
        1 => Just("> "),
        1 => Just("[^a]: "),
        1 => Just("## "),
        2 => Just("  "),
        2 => Just("   "),
        1 => Just("    "),
    ];
    let rest = prop_oneof![
        8 => "[a-c]{1,4}( [a-c*`_]{1,4}){0,3}",
        5 => Just(String::new()),
        2 => Just("```".to_owned()),
        1 => Just("~~~ rs".to_owned()),
        1 => Just("\n\n| a | b |\n|---|---|\n| c | d |\n".to_owned()),
        1 => Just("---".to_owned()),
        1 => Just("\na\n===".to_owned()),
        1 => Just("- [ ] 日本".to_owned()),
        1 => Just("a  ".to_owned()),
    ];
    prop::collection::vec((begin, rest), 0..14)
        .prop_map(|lines| lines.iter().map(|(begin, rest)| [begin, rest.as_str(), "\n"].concat()).collect())
}

/// What arrives in pieces that end at `cuts`.
fn arriving(source: &str, cuts: &[usize]) -> Vec<Printed> {
    let mut live = Live::default();
    let mut out = Vec::new();
    let mut rest = source;
    for cut in cuts {
        let (delta, after) = rest.split_at(rest.floor_char_boundary(*cut));
        rest = after;
        out.extend(live.push(delta));
        // Looking at what is unfinished changes nothing.
        drop(live.draft(64));
    }
    out.extend(live.push(rest));
    out.extend(live.finish());
    out.iter().flat_map(|block| render_block(block, 40, Theme::Mono)).collect()
}

proptest! {
    // A fixed seed: where the parser itself reads a part otherwise than the whole, a run should not depend on luck.
    #![proptest_config(ProptestConfig {
        cases: 1024,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn an_answer_looks_the_same_arriving_and_arrived(source in markdown(), cuts in prop::collection::vec(0usize..30, 0..40)) {
        prop_assert_eq!(drawn(&arriving(&source, &cuts)), picture(&source, 40));
    }

    #[test]
    fn blocks_are_cut_where_the_parser_of_the_whole_sees_them(source in markdown()) {
        let whole = Blocks::new(40, Theme::Mono).render(&source, Gap::None, None);
        prop_assert_eq!(picture(&source, 40), drawn(&whole));
    }

    #[test]
    fn prose_is_never_wider_than_the_screen(source in markdown(), columns in 2usize..60) {
        for printed in render(&source, columns, Theme::Mono) {
            let wide = crate::tui::view::wrap::spans_width(&printed.line.spans);
            prop_assert!(printed.wrap == Wrap::Terminal || wide <= columns, "{}", printed.line);
        }
    }
}
