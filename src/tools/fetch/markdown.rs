//! A page of HTML as Markdown.
//!
//! The crate `htmd` makes it, of a page that has been made shallow before: see there for why. Its stack is as deep as the tags
//! are, which is then a known number.

use htmd::HtmlToMarkdown;
use htmd::options::{BulletListMarker, Options};

use super::shallow::shallow;
use crate::os::http::WebUrl;

/// A page in words.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    /// Its name; empty where it has none.
    pub(super) title: String,
    /// Its text, as Markdown.
    pub(super) text: String,
}

/// Where a line or a word may be broken: letters that nobody sees, and that would be shown by their numbers.
const BREAKS: [char; 4] = ['\u{ad}', '\u{200b}', '\u{2060}', '\u{feff}'];

/// The page at this address. Takes as long as the page is: for a thread that may block.
pub(super) fn page(html: &str, at: &WebUrl) -> Page {
    let shallow = shallow(html, at);
    let options = Options {
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        bullet_list_marker: BulletListMarker::Dash,
        ..Options::default()
    };
    let converter = HtmlToMarkdown::builder().options(options).build();
    let text = converter.convert(&shallow.html).unwrap_or_default();
    Page { title: shallow.title.replace(BREAKS, ""), text: text.replace(BREAKS, "") }
}
