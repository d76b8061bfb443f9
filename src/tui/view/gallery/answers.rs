//! Scenes of what a model writes: Markdown in all its kinds, also in scripts that are wide and in none at all.

use super::Scene;
use super::cells::answered;

const PROSE: &str = "The fold starts from the **first** item, so an *empty* cart has no start value; see `Money::ZERO` and \
    [the book](https://doc.rust-lang.org/book/ch13-02-iterators.html), or ~~not~~. Write to <me@example.org>.\n\n\
    A second paragraph\nwith a soft break,  \nand a hard one.\n\n---\n\nAfter a rule.\n";

const HEADINGS: &str = "# A title\n\nText.\n\n## A section of a few more words than fit into forty columns of a screen\n\nText.\n\n### A part\nText right below it.\n";

const LISTS: &str = "Before a list:\n- one\n- two, which is long enough to be broken at forty columns, twice even\n  - nested\n    - deeper\n\n1. first\n2. second\n\n   with a paragraph of its own\n10. tenth\n\n- [ ] to do\n- [x] done\n\n* a\n\n* loose list\n";

const QUOTES: &str = "> A quotation of some length, so that it has to be broken somewhere.\n>\n> - with a list\n>\n> > and another in it\n\nText after it.[^1]\n\n[^1]: A footnote.\n";

const CODE: &str = "Rust:\n\n```rust\n/// The sum of all items; zero where there are none.\npub fn total(&self) -> Money {\n    self.items.iter().map(|item| item.price * item.count).fold(Money::ZERO, Money::add) // \"all\" of them\n}\n```\n\nNo language, and a tab:\n\n```\n\tplain text\n```\n\n    indented code\n\n```diff\n- old\n+ new\n```\n";

const TABLE: &str = "| file | lines | what it is |\n|:---|--:|:-:|\n| src/cart.rs | 142 | the cart |\n| src/日本語.rs | 7 | 👍 |\n| src/a/rather/long/path/to/some/file.rs | 1,204 | a description that is much longer than the others are |\n\nAfter it.\n";

const WIDE: &str = "最初の項目から畳み込みが始まるため、空のカートには開始値がありません。税金も同じ合計から計算されます。\n\n- 項目その一は四十桁では折り返されなければならないほど長いものです\n- 👩‍👩‍👧‍👦 a family, 🇩🇪 a flag, 👍🏽 a thumb\n\nשלום עולם, and العربية, from right to left.\n\nhttps://example.org/a/very/long/address/that/no/line/of/forty/columns/can/hold?and=more\n";

const ODD: &str = "<details>\n<summary>HTML</summary>\nIn it.\n</details>\n\nText with <b>tags</b>, an entity &amp; and \\*escapes\\*.\n\n\u{1b}[31mred\u{1b}[0m \u{202e}turned\u{202c} \u{200b}unseen\n\n```rust\nfn unfinished(";

pub(super) fn scenes() -> Vec<Scene> {
    vec![
        Scene::cells("prose, emphasis, links", || answered(PROSE)),
        Scene::cells("headings", || answered(HEADINGS)),
        Scene::cells("lists", || answered(LISTS)),
        Scene::cells("quotations and footnotes", || answered(QUOTES)),
        Scene::cells("code", || answered(CODE)),
        Scene::cells("a table", || answered(TABLE)),
        Scene::cells("wide letters, emoji, right to left, a long address", || answered(WIDE)),
        Scene::cells("HTML, escapes, what was left open", || answered(ODD)),
    ]
}
