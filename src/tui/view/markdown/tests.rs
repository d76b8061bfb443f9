//! Pictures of Markdown at two widths, and the promise that an answer looks the same arriving and arrived.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use ratatui::style::Modifier;

use super::*;

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

/// Lines that begin, go on, interrupt and end each other in every way.
fn markdown() -> impl Strategy<Value = String> {
    let begin = prop_oneof![
        6 => Just(""),
        2 => Just("- "),
        1 => Just("* "),
        2 => Just("1. "),
        1 => Just("3) "),
        1 => Just("> "),
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
