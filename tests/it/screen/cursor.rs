//! Where the real cursor stands: input methods write there, on the inline screen and on the whole one.

use crate::endpoint::Endpoint;
use crate::harness::Clawd;
use crate::pty::Pty;

use super::full::input;
use super::{leave, usual};

#[test]
fn the_real_cursor_stands_where_text_goes_on_both_screens() {
    let endpoint = Endpoint::script([]);
    for arguments in [&[][..], &["--fullscreen"]] {
        let pty = Pty::spawn(&Clawd::new(&endpoint).args(arguments.iter().copied()), usual());
        pty.wait_until("the input", |screen| screen.contents().contains("sandbox"));
        // the columns that the text takes, behind the sign and a blank
        for (text, columns) in [
            ("abc", 3),
            ("日本語", 6),
            ("e\u{301}", 1),
            ("🦀", 2),
            ("👩\u{200d}👩\u{200d}👧", 2),
            ("🇯🇵", 2),
            ("שלום", 4),
            ("a 한국어 b", 10),
        ] {
            pty.paste(text);
            let at = |screen: &vt100::Screen| {
                let (row, column) = screen.cursor_position();
                let behind_the_sign =
                    screen.rows(0, 80).nth(usize::from(row)).is_some_and(|row| row.starts_with('❯'));
                behind_the_sign && !screen.hide_cursor() && column == 2 + columns
            };
            pty.wait_until(&format!("the cursor behind {text:?}"), at);
            pty.key("left");
            pty.key("right");
            pty.key("ctrl-a");
            let start = |screen: &vt100::Screen| screen.cursor_position().1 == 2;
            pty.wait_until("the cursor at the beginning", start);
            pty.key("ctrl-k");
            pty.wait_until("an empty input", |screen| input(&screen.contents()).is_empty());
        }
        leave(&pty);
    }
    endpoint.finish();
}
