//! Instructions of a directory below the working directory: sent to the model before its next request, once a file there was
//! read.
//!
//! As a message of its own and not in the system prompt, so that what was sent stays as it was. Its second line is also how a
//! session that is resumed in another process knows which files were sent.

use super::turns::Run;
use crate::context::prompt::{Instructions, instructions, source_of};
use crate::protocol::{Guide, History, Message, NoticeKind, Origin, UserMessage};
use crate::text::model_text::REMINDER;

/// How such a message began in sessions of earlier versions; the file's name followed.
const FORMERLY: &str = "# Instructions from ";

/// Sends what was found since the last request.
pub(super) async fn tell(run: &mut Run<'_>) {
    for guide in run.context.bench.guides().take() {
        match guide {
            Guide::Told { name, text } => {
                run.notice(NoticeKind::Info, &format!("sent to the model: {name}")).await;
                let text = instructions(&Instructions { path: name, text });
                let text = format!("<{REMINDER}>\n{text}\n</{REMINDER}>");
                run.record_all(vec![UserMessage::new(Origin::Note, text)]).await;
            }
            Guide::LeftOut { name } => {
                let why = format!("ignored: {name} (the directory is not trusted: start with --trust)");
                run.notice(NoticeKind::Trust, &why).await;
            }
            Guide::Unread { why } => run.notice(NoticeKind::Info, &why).await,
        }
    }
}

/// The files whose instructions were sent to the model in a conversation, as they are named there.
pub fn told(history: &History) -> Vec<String> {
    let users = history.messages().filter_map(|message| match message {
        Message::User(user) => Some(user),
        Message::Assistant(_) | Message::Tool(_) => None,
    });
    users.filter_map(instructions_of).collect()
}

/// The file whose instructions this message is, as it is named there.
#[must_use]
pub fn instructions_of(message: &UserMessage) -> Option<String> {
    let text = (message.origin == Origin::Note).then(|| message.words())?;
    let mut lines = text.lines();
    let first = lines.next()?;
    match first.strip_prefix(FORMERLY) {
        Some(name) => Some(name.to_owned()),
        None => source_of(lines.next()?),
    }
}
