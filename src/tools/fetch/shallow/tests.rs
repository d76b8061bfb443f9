//! Pages as Markdown: what a reader gets of them, and what becomes of those that mean harm.

use crate::os::http::WebUrl;
use crate::tools::fetch::markdown::page;

fn markdown(html: &str) -> String {
    page(html, &WebUrl::parse("https://a.example/dir/page?x").unwrap()).text
}

#[track_caller]
fn check(html: &str, expected: &str) {
    assert_eq!(markdown(html), expected, "{html}");
}

#[test]
fn a_page_has_a_title_and_a_text() {
    let url = WebUrl::parse("https://a.example/").unwrap();
    let html = "<!DOCTYPE html><html><head><title>A &amp; B\n <i>c</title><style>p{}</style></head><body>
        <h1>One</h1><p>Some <b>bold</b>, <em>soft</em> and <code>a_b()</code> words.<p>More.</body></html>";
    let found = page(html, &url);
    assert_eq!(found.title, "A & B <i>c");
    assert_eq!(found.text, "# One\n\nSome **bold**, *soft* and `a_b()` words.\n\nMore.");
    assert_eq!(page("<title>one</title><title>two</title></title>", &url).title, "one");
    assert_eq!(page("<svg><title>icon</title></svg><p>x", &url).title, "");
}

#[test]
fn what_is_not_for_readers_goes() {
    check("<script>a<b</script><style>x</style><svg><path/>s</svg><nav>m</nav>text", "text");
    check("<nav><div><nav>x</nav>y</div></nav><button>Copy</button><select><option>1</select>text", "text");
    check("a<svg/>b<iframe src=x>c</iframe>d<template><p>e</template>", "abd");
    check("<!-- c --><?php x ?>text&#8203;\u{ad}&shy;", "text");
    // it never ends: the page is worth more than the rule
    check("<p>a<nav><p>b", "a\n\nb");
    check("<script>never ends <p>x", "");
}

#[test]
fn what_a_page_says_to_a_reader_without_scripts_stays() {
    check(
        "<noscript><p>Use the <a href=/plain>plain page</a>.</noscript>",
        "Use the [plain page](https://a.example/plain).",
    );
    check("<p>a<noscript>never ends<p>x", "a\n\nnever ends\n\nx");
}

#[test]
fn the_target_of_a_redirect_in_the_page_is_named() {
    let target = "https://a.example/next?a=1&b=2";
    let text = format!("This page redirects to [{target}]({target})");
    for content in ["0; url=/next?a=1&amp;b=2", "3;URL='/next?a=1&amp;b=2'", "0, /next?a=1&amp;b=2"] {
        check(&format!("<head><meta http-equiv=Refresh content=\"{content}\"></head>"), &text);
    }
    for other in [
        "<meta http-equiv=refresh content=30>",
        "<meta http-equiv=refresh content='0;url=javascript:x()'>",
        "<meta charset=utf-8>",
    ] {
        check(&format!("{other}a"), "a");
    }
}

#[test]
fn links_and_pictures_are_written_out() {
    check("<a href='../b?q=1&amp;r=2'>b</a>", "[b](https://a.example/b?q=1&r=2)");
    check("<base href='https://c.example/x/'><a href=y>b</a>", "[b](https://c.example/x/y)");
    check("<a href=//d.example>b</a> <a name=x>c</a>", "[b](https://d.example/) c");
    check("<a href='javascript:x()'>a</a> <a href='data:text/html,x'>b</a> <a href='#top'>c</a>", "a b c");
    check("<a href=/x></a><a href=/y> </a>z", "z");
    check("<a href=x>a<a href=y>b</a>", "[a](https://a.example/dir/x)[b](https://a.example/dir/y)");
    check(
        "<a href=x><div><h3>Card</h3><p>text</p></div></a>after",
        "[Card text](https://a.example/dir/x) after",
    );
    check(
        "<img src=i.png alt='A b'><img src=j.png alt=''><img src='data:image/png;base64,AA' alt=c>",
        "![A b](https://a.example/dir/i.png)",
    );
    check("<img src='data:x' data-src=k.png alt=k>", "![k](https://a.example/dir/k.png)");
    check("<a href='x\" onclick=\"y'>q</a>", "[q](https://a.example/dir/x%22%20onclick=%22y)");
}

#[test]
fn blocks_stand_apart() {
    check("<div><div>a</div></div><div>b<br>c</div><hr>d", "a\n\nb  \nc\n\n* * *\n\nd");
    check("<b><p>a</p></b><p>b", "a\n\nb");
    check("<h2>A <small>b</small></h2>c<h3><div>d</div></h3>", "## A b\n\nc\n\n### d");
    check("<blockquote><p>a</p><p>b</p></blockquote>c", "> a\n> \n> b\n\nc");
    check("<dl><dt>a<dd>b</dl>", "a\n\nb");
    check("a  \n\t b<span> c</span>", "a b c");
    check("<b>a</b><b>b</b> <i><b> </b></i>c", "**ab** c");
}

#[test]
fn code_is_kept_as_it_is() {
    check("<pre>\n  a &lt; b\n<span>c</span>\n</pre>", "```\n  a < b\nc\n```");
    check("<pre><code class='x language-rust'>fn a() {}</code></pre>", "```rust\nfn a() {}\n```");
    check("<pre class=lang-sh><div>a</div><div>b</div></pre>", "```sh\na\nb\n```");
    check("<p>x<pre>a*b_c</pre>y", "x\n\n```\na*b_c\n```\n\ny");
    check("<pre>```</pre>", "````\n```\n````");
}

#[test]
fn lists_are_lists() {
    check("<ul><li>a<li><p>b</p><li>c<ul><li>d</ul></ul>e", "- a\n- b\n- c\n  - d\n\ne");
    check("<ol start=3><li>a</li><li>b</li></ol>", "3. a\n4. b");
    check("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b");
    check("<li>a</li>b", "a\n\nb");
    check("<ul>a<li>b</ul>", "- a\n- b");
}

#[test]
fn tables_with_a_head_are_tables() {
    check(
        "<table><caption>t</caption><thead><tr><th>a<th>b</thead><tbody><tr><td>1<td>2|3</table>",
        "t\n| a | b   |\n| - | --- |\n| 1 | 2&#124;3 |",
    );
    check("<table><tr><th>a<td>b<tr><th>c<td>d<p>e</table>f", "| a | b   |\n| - | --- |\n| c | d e |\n\nf");
    // to lay a page out
    check("<table><tr><td>a<td>b<tr><td>c</table>", "a\n\nb\n\nc");
    check("<table><tr><th>a</th></tr><tr><td><table><tr><td>b</table>c</table>", "a\n\nb c");
    check("<table><tr><td><ul><li>a</ul><h2>b</h2><pre>c</pre></table>", "a b c");
    check("<ul><table><tr><td>a</ul>b</table></ul>c", "- a b\n\nc");
    check("<table>a<p>b<tr>c</table>", "a b\n\nc");
}

/// What harms by its shape, each with what it must still tell.
#[test]
fn a_page_that_means_harm_is_read_like_any_other() {
    // the stack of a test's thread holds some thousand levels
    let many = 20_000;
    let all = |html: String, expected: &str| {
        let text = markdown(&html);
        let start: String = html.chars().take(30).collect();
        assert!(text.contains(expected) && text.len() < 40 * html.len(), "{start}: {} bytes", text.len());
    };
    for name in [
        "div",
        "b",
        "blockquote",
        "ul",
        "li",
        "ul><li",
        "table",
        "table><tr><td",
        "a href=x",
        "p",
        "font size=1",
        "h1",
    ] {
        all(format!("{}deep", format!("<{name}>").repeat(many)), "deep");
    }
    all(format!("{}deep", "<div>".repeat(100_000)), "deep");
    all(format!("{}deep{}", "<div><b>".repeat(many), "</b></div>".repeat(many)), "deep");
    all(format!("{}end", "</div></b></ul></table>".repeat(many)), "end");
    all(format!("{}end", "<div><marquee></div></marquee>".repeat(many)), "end");
    // formatting that browsers take up again in each paragraph
    all(format!("{}{}end", "<p><b a=1><i>".repeat(many), "<p>x".repeat(many)), "end");
    all(format!("{}end", "<b>x</b>".repeat(many)), "end");
    all(format!("{}end", "<b>x</b><i>y</i>".repeat(many)), "end");
    let attributes: String = (0..many).map(|number| number.to_string() + "=1 ").collect();
    all(format!("<p {attributes}>end"), "end");
    all(format!("<ul>{}end", "<ul>".repeat(50) + &"<li>x".repeat(many)), "end");
    // tables that would be many times as large when they are filled up
    let wide = format!("<tr><th>{}<th>b</tr>", "wide".repeat(many / 4));
    all(format!("<table>{wide}{}</table>end", "<tr><td>x<td>y</tr>".repeat(1000)), "end");
    all(
        format!("<table><tr>{}</tr>{}</table>end", "<th>a".repeat(5000), "<tr><td>x</tr>".repeat(5000)),
        "end",
    );
}

#[test]
fn much_is_not_made_of_little() {
    let base = format!("<base href='https://a.example/{}/'>", "long".repeat(1500));
    let text = markdown(&(base + &"<a href=x>y</a> ".repeat(5_000)));
    assert!(text.len() <= 9 * 1024 * 1024, "{} bytes", text.len());
}

mod any {
    use proptest::prelude::*;

    use super::markdown;

    proptest! {
        #[test]
        fn any_page_can_be_read(parts in prop::collection::vec(prop_oneof![
            "</?(p|b|i|a href=x|a|ul|ol|li|table|tr|td|th|thead|tbody|caption|pre|code|blockquote|h1|h2|br|hr|div|nav|svg|title|span|button|sup|ruby|math|frameset|select|form|body|html|head|col|plaintext|image|input)>",
            "[a-z日 \n*_`#|<>&\\[\\]()\\\\.0-9-]{0,6}",
            "&(amp|lt|#0|#x1b|nbsp|shy);",
            "<img src=x alt=y>",
        ], 0..60)) {
            markdown(&parts.concat());
        }
    }
}
