//! What is asked before there is anybody to talk to, once the directory is judged: where the model is.
//!
//! A key is typed here and never shown; an address found on this machine is foreign text like any other.

use super::brush::{Brush, Echo, INDENT, Keep, Pane, SIGN, one_line, typed};
use super::question::Sheet;
use super::theme::Role;
use super::wrap::width;
use crate::tui::model::buffer::Buffer;
use crate::tui::model::setup::{Choosing, FirstRun, Looking, Row, Step};

/// The first-run screen in at most `room` rows.
pub(super) fn choose(choosing: &Choosing, room: usize, brush: Brush) -> Pane {
    match &choosing.step {
        Step::Rows => offer(choosing, room, brush),
        Step::Url(url) => {
            let note = "the base URL, ending in /v1, such as http://127.0.0.1:11434/v1";
            field(("Endpoint URL", note), (url, Echo::Text), room, brush)
        }
        Step::Key { url, key } => {
            let title = format!("API key for {}", one_line(url));
            field((&title, "leave empty if none is needed"), (key, Echo::Dots), room, brush)
        }
        Step::Opening => Pane { lines: vec![brush.line("opening …", Role::Dim)], cursor: None },
    }
}

fn offer(choosing: &Choosing, room: usize, brush: Brush) -> Pane {
    let row = |row| match row {
        Row::Server(address) => format!("{} (found on this machine)", one_line(&address)),
        Row::Url => "Enter a URL".to_owned(),
        Row::Demo => "Try the demo".to_owned(),
    };
    let rows = (1..)
        .zip(choosing.rows())
        .map(|(number, one)| brush.line(format!("{number}. {}", row(one)), Role::Plain));
    let sheet = Sheet {
        title: brush.line("No endpoint is configured. Choose one:", Role::Warn),
        body: Vec::new(),
        least: 2,
        keep: Keep::Head,
        hint: "",
        note: looking(&choosing.offer)
            .map(|told| brush.line(format!("{INDENT}{told}"), Role::Dim))
            .into_iter()
            .collect(),
        rows: rows.collect(),
        focus: choosing.focus,
    };
    sheet.draw(room, None, brush)
}

fn looking(offer: &FirstRun) -> Option<&'static str> {
    match (offer.looking, offer.servers.is_empty()) {
        (Looking::Yes, _) => Some("looking for servers on this machine"),
        (Looking::No, true) => Some("no server found on this machine"),
        (Looking::No, false) => None,
    }
}

/// Something to type in one row.
fn field((title, note): (&str, &str), (buffer, echo): (&Buffer, Echo), room: usize, brush: Brush) -> Pane {
    let taken = width(SIGN);
    let (text, column) = typed(buffer, brush.columns.saturating_sub(taken), echo);
    let sheet = Sheet {
        title: brush.line(title.to_owned(), Role::Warn),
        body: Vec::new(),
        least: 2,
        keep: Keep::Head,
        hint: "",
        note: brush.prose(note, Role::Dim),
        rows: vec![brush.line(text, Role::Plain)],
        focus: 0,
    };
    sheet.draw(room, Some(taken + column), brush)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, BRUSH, text_with_cursor};
    use super::*;
    use crate::tui::model::draft::Draft;

    fn picture(pane: &Pane) -> String {
        text_with_cursor(&pane.lines, pane.cursor)
    }

    #[test]
    fn the_first_run_offers_what_there_is() {
        let shown = |offer: FirstRun, room| picture(&choose(&Choosing::new(offer), room, BRUSH));
        testing::check(
            &shown(FirstRun::default(), 11),
            "No endpoint is configured. Choose one:

  looking for servers on this machine
❯ 1. Enter a URL
  2. Try the demo",
        );
        let servers = vec!["127.0.0.1:11434".to_owned(), "127.0.0.1:8080".to_owned()];
        let found = FirstRun { servers, looking: Looking::No };
        testing::check(
            &shown(found.clone(), 11),
            "No endpoint is configured. Choose one:

❯ 1. 127.0.0.1:11434 (found on this machine)
  2. 127.0.0.1:8080 (found on this machine)
  3. Enter a URL
  4. Try the demo",
        );
        testing::check(
            &shown(found, 2),
            "❯ 1. 127.0.0.1:11434 (found on this machine)
  2. 127.0.0.1:8080 (found on this machine)",
        );
        testing::check(
            &shown(FirstRun { looking: Looking::No, ..FirstRun::default() }, 11),
            "No endpoint is configured. Choose one:

  no server found on this machine
❯ 1. Enter a URL
  2. Try the demo",
        );
    }

    #[test]
    fn an_address_is_seen_and_a_key_is_not() {
        let typed = |text: &str| {
            let mut buffer = Buffer::default();
            buffer.type_in(Draft::plain(text));
            buffer
        };
        let shown =
            |step| picture(&choose(&Choosing { step, ..Choosing::new(FirstRun::default()) }, 11, BRUSH));
        testing::check(
            &shown(Step::Url(typed("http://127"))),
            "Endpoint URL

  the base URL, ending in /v1, such as http://127.0.0.1:11434/v1
❯ http://127|",
        );
        testing::check(
            &shown(Step::Key { url: "http://a/v1".to_owned(), key: typed("sk-1") }),
            "API key for http://a/v1

  leave empty if none is needed
❯ ••••|",
        );
        testing::check(&shown(Step::Opening), "opening …");
    }
}
