//! What an `@path` of the user's brings along: read before the message is recorded, and sent behind the words.
//!
//! The way of every call, but for the model: prepared, judged by the rules, asked where they ask, run, cut, cleaned. So a
//! secret is asked for, a forbidden file stays closed, and what was read counts as read. What could not be brought along is
//! said to the user and to the model, and the message goes out without it: nothing here holds a message back.

use super::asked::AskedCall;
use super::call::{Finished, Readied, RunScene, execute_tool_call, ready_with};
use super::turns::Run;
use crate::protocol::{Attachment, CallForm, Content, Origin, Part, ToolCall, ToolStatus, UserMessage};
use crate::text::mention::{Mention, mentions};
use crate::text::units;
use crate::tools::mention::{Kind, Mentioned, find, has_image};

/// Files of one message; more than these are a directory.
const MOST: usize = 20;
/// Bytes of text that one message brings: four results of tools.
const MOST_BYTES: usize = 200 * 1024;

const HEAD: &str = "Attached by the user with @, current content:";

/// What a message brings, as far as it is put together.
#[derive(Default)]
struct Brought {
    parts: Vec<Part>,
    text: String,
    bytes: usize,
    attachments: Vec<Attachment>,
    left_out: Vec<String>,
}

/// The message with what its mentions bring, and what to say of those that bring nothing.
pub(super) async fn attach(run: &mut Run<'_>, mut message: UserMessage) -> (UserMessage, Vec<String>) {
    let wanted = match message.origin {
        Origin::User | Origin::Queued => mentions(&message.words()),
        Origin::Nudge | Origin::Note | Origin::Reminder | Origin::Hook | Origin::Command | Origin::Shell => {
            Vec::new()
        }
    };
    if wanted.is_empty() {
        return (message, Vec::new());
    }
    let mut brought = Brought::default();
    let cwd = run.context.bench.root().to_owned();
    let looked = tokio::task::spawn_blocking(move || {
        wanted.into_iter().map(|mention| (find(&mention, &cwd), mention)).collect::<Vec<_>>()
    });
    let looked = tokio::select! {
        biased;
        // a search in a large directory, or on a network that hangs, ends by itself
        () = run.options.token.cancelled() => return (message, Vec::new()),
        looked = looked => looked.unwrap_or_default(),
    };
    let mut seen: Vec<Mentioned> = Vec::new();
    for (found, mention) in looked {
        match found {
            None => brought.miss(&mention),
            Some(found) if seen.contains(&found) => {}
            Some(found) if seen.len() >= MOST => {
                brought.leave_out(&found.shown, &format!("a message brings at most {MOST} files"));
            }
            Some(found) => {
                let finished = read(run, &found, seen.len()).await;
                brought.take(run, &found, finished);
                seen.push(found);
            }
        }
    }
    brought.put_into(&mut message);
    (message, brought.left_out)
}

/// One read, as if the model had called for it.
async fn read(run: &mut Run<'_>, found: &Mentioned, number: usize) -> Finished {
    let (tool, arguments) = found.call();
    // it never enters the history; the number names the file of a long result
    let id = format!("at-{}-{number}", run.context.history.positions());
    let call = ToolCall::new(id.as_str(), tool.spec().name, "{}");
    let asked = AskedCall { call, form: CallForm::Native, arguments: Ok(arguments) };
    match ready_with(run, (tool, false), asked).await {
        Readied::Finished(finished) => *finished,
        Readied::Runnable(runnable) => execute_tool_call(&RunScene::of(run), *runnable).await,
    }
}

impl Brought {
    fn take(&mut self, run: &Run<'_>, found: &Mentioned, finished: Finished) {
        let content = finished.result.content;
        if finished.result.status != ToolStatus::Success {
            let why = content.to_text();
            let why = why.strip_prefix("Error: ").unwrap_or(&why);
            return self.leave_out(&found.shown, why.lines().next().unwrap_or_default());
        }
        let size = content.to_text().len();
        if self.bytes + size > MOST_BYTES {
            let limit = units::bytes(MOST_BYTES as u64);
            return self.leave_out(&found.shown, &format!("a message brings at most {limit} of text"));
        }
        self.bytes += size;
        self.attachments.push(Attachment {
            path: found.path.to_string_lossy().into_owned(),
            lines: found.lines,
            hash: found.hash(&run.context.bench, &content),
        });
        self.put(found, content);
    }

    fn put(&mut self, found: &Mentioned, content: Content) {
        let name = found.shown.escape_debug().to_string();
        let (tag, lines) = match (found.kind, found.lines) {
            (Kind::Directory, _) => ("directory", String::new()),
            (Kind::File, _) if has_image(&content) => ("image", String::new()),
            (Kind::File, Some((first, last))) => ("file", format!(" lines=\"{first}-{last}\"")),
            (Kind::File, None) => ("file", String::new()),
        };
        self.text.extend(["\n\n<", tag, " path=\"", &name, "\"", &lines, ">\n"]);
        for (index, part) in content.0.into_iter().enumerate() {
            match part {
                Part::Text(text) => {
                    self.text.push_str(if index == 0 { "" } else { "\n" });
                    self.text.push_str(&text);
                }
                image @ Part::Image { .. } => {
                    self.parts.push(Part::Text(std::mem::take(&mut self.text).into()));
                    self.parts.push(image);
                }
            }
        }
        self.text.extend(["\n</", tag, ">"]);
    }

    /// A word that may be no path at all is none where nothing is there.
    fn miss(&mut self, mention: &Mention) {
        if mention.is_surely_path() {
            self.leave_out(mention.name(), "it does not exist");
        }
    }

    fn leave_out(&mut self, name: &str, why: &str) {
        self.left_out.push(format!("@{name} is not attached: {why}"));
    }

    /// Behind the words: what was read, then what was not.
    fn put_into(&mut self, message: &mut UserMessage) {
        if !self.left_out.is_empty() && !self.attachments.is_empty() {
            self.text.extend(["\n\n[", &self.left_out.join("; "), "]"]);
        }
        if self.attachments.is_empty() {
            return;
        }
        self.parts.push(Part::Text(std::mem::take(&mut self.text).into()));
        if let Some(Part::Text(first)) = self.parts.first_mut() {
            first.change(|text| text.insert_str(0, HEAD));
        }
        message.content.0.append(&mut self.parts);
        message.attachments = std::mem::take(&mut self.attachments);
    }
}
