//! The draft, kept beside the keys: at most once a second, and never while a key is waiting to be shown.

use std::time::Duration;

use super::{Done, Runner};
use crate::tui::msg::{InputReply, Msg, Reply};

/// How soon after a change the draft is kept, and how often at most.
const SOON: Duration = Duration::from_secs(1);

/// Whether the draft will be kept soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeping {
    /// It is as it was kept.
    Nothing,
    /// It has changed.
    Soon,
}

impl Runner {
    /// What is written has changed: it is kept in a moment.
    pub fn draft_changed(&mut self) {
        if self.keeping == Keeping::Nothing {
            self.keeping = Keeping::Soon;
            self.spawn(async {
                tokio::time::sleep(SOON).await;
                Done::DraftDue
            });
        }
    }

    /// There is no draft, and the program ends as it was asked to.
    pub fn forget_draft(&self) {
        self.drafts.forget();
    }

    /// Has the input edited in the user's own editor. Blocks until that is left.
    #[must_use]
    pub fn edit_outside(&self, text: &str) -> Msg {
        Msg::Reply(Reply::Input(InputReply::Edited(
            self.app.edit_outside(text).map_err(|error| error.to_string()),
        )))
    }

    /// Looks for what a process has left that ended without being asked.
    pub(super) fn look_for_draft(&mut self) {
        let drafts = self.drafts.clone();
        self.spawn(async move {
            let left = tokio::task::spawn_blocking(move || drafts.take_left()).await;
            Done::DraftLeft(left.ok().flatten())
        });
    }

    pub(super) fn draft_is_due(&mut self) -> Vec<Reply> {
        self.keeping = Keeping::Nothing;
        vec![Reply::Input(InputReply::DraftDue)]
    }

    pub(super) fn keep_draft(&mut self, line: String) {
        let drafts = self.drafts.clone();
        self.spawn(async move {
            // a disk may take its time
            drop(tokio::task::spawn_blocking(move || drafts.keep(&line)).await);
            Done::Nothing
        });
    }
}
