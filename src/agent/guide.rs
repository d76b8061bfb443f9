//! Instructions of a directory below the working directory: told to the model before its next request, once a file there was
//! read.
//!
//! As a message of its own and not in the system prompt, so that what was sent stays as it was. Its first line is also how a
//! session that goes on in another process knows what was told.

use super::turns::Run;
use crate::context::prompt::{INSTRUCTIONS_FROM, Instructions, instructions};
use crate::protocol::{Guide, History, Message, NoticeKind, Origin, UserMessage};

/// Tells what was found since the last request.
pub(super) async fn tell(run: &mut Run<'_>) {
    for guide in run.context.bench.guides().take() {
        match guide {
            Guide::Told { name, text } => {
                run.notice(NoticeKind::Info, &format!("{name} is told to the model")).await;
                let text = instructions(&Instructions { path: name, text });
                run.record_all(vec![UserMessage::new(Origin::Note, text)]).await;
            }
            Guide::LeftOut { name } => {
                let why = format!("left out: {name} (the directory is not trusted: start with --trust)");
                run.notice(NoticeKind::Trust, &why).await;
            }
            Guide::Unread { why } => run.notice(NoticeKind::Info, &why).await,
        }
    }
}

/// The files whose instructions the model was told in a conversation, as they are named there.
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
    Some(text.strip_prefix(INSTRUCTIONS_FROM)?.lines().next()?.to_owned())
}
