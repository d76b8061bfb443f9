//! The parts of Markdown that the manual uses: code blocks, headings, links, tables. Not a parser of all of Markdown.

/// A fenced block of code.
#[derive(Debug)]
pub(super) struct Block {
    /// Word after the opening fence.
    pub(super) language: String,
    pub(super) text: String,
    /// Line of the opening fence, from 1.
    pub(super) line: usize,
}

/// All fenced blocks of a page.
pub(super) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (line, text) in (1..).zip(page.lines()) {
        match (text.trim_start().strip_prefix("```"), &mut open) {
            (Some(language), None) => {
                open = Some(Block { language: language.trim().to_owned(), text: String::new(), line });
            }
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some(block)) => {
                block.text.push_str(text);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is never closed: {open:?}");
    blocks
}

/// The lines of a page outside its fenced blocks, numbered from 1.
pub(super) fn prose(page: &str) -> Vec<(usize, &str)> {
    let mut is_code = false;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(page.lines()) {
        let fence = line.trim_start().starts_with("```");
        is_code ^= fence;
        if !is_code && !fence {
            lines.push((number, line));
        }
    }
    lines
}

/// Targets of the links and images in a line: `[…](target)`, `src="target"`, `srcset="target"`.
pub(super) fn targets(line: &str) -> Vec<String> {
    let plain = without_code(line);
    [("](", ')'), ("src=\"", '"'), ("srcset=\"", '"')]
        .iter()
        .flat_map(|(opening, closing)| {
            plain
                .split(opening)
                .skip(1)
                .filter_map(|rest| rest.split_once(*closing))
                .map(|(target, _)| target)
        })
        .map(str::to_owned)
        .collect()
}

/// The anchors that a forge gives to the headings of a page.
pub(super) fn anchors(page: &str) -> Vec<String> {
    let headings = prose(page).into_iter().filter_map(|(_, line)| {
        let text = line.trim_start_matches('#');
        (line.len() > text.len() && text.starts_with(' ')).then(|| anchor(text.trim()))
    });
    let mut anchors: Vec<String> = Vec::new();
    for heading in headings {
        let before = anchors.iter().filter(|anchor| **anchor == heading).count();
        anchors.push(if before == 0 { heading } else { format!("{heading}-{before}") });
    }
    anchors
}

fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
}

/// The cells of each table row of a page, without headers' rules.
pub(super) fn rows(page: &str) -> Vec<Vec<String>> {
    let rows = prose(page).into_iter().map(|(_, line)| line.trim()).filter(|line| line.starts_with('|'));
    let cells = rows.map(|row| {
        let row = row.trim_matches('|').replace("\\|", "\u{1}");
        row.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect::<Vec<_>>()
    });
    cells.filter(|cells| !cells.iter().all(|cell| cell.trim_matches(['-', ':']).is_empty())).collect()
}

/// The spans of code in a text: `like this`.
pub(super) fn code(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("` `")
}

#[test]
fn what_a_page_is_made_of_is_found() {
    let page = "# A b\n\n[x](y.md#z) `[no](link)`\n\n```sh\n# no heading\n```\n\n## A b\n\n| a | `b \\| c` |\n| --- | :-: |\n";
    assert_eq!(anchors(page), ["a-b", "a-b-1"]);
    let found: Vec<String> = prose(page).into_iter().flat_map(|(_, line)| targets(line)).collect();
    assert_eq!(found, ["y.md#z"]);
    assert_eq!(rows(page), [["a", "`b | c`"]]);
    let block = &blocks(page)[0];
    assert_eq!((block.language.as_str(), block.text.as_str(), block.line), ("sh", "# no heading\n", 5));
    assert_eq!(code("a `b` c `d`"), ["b", "d"]);
}
