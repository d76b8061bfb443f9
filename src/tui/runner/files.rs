//! Paths for an `@path` that is being typed: listed in the background, matched in the background.
//!
//! Nothing is listed before the first `@`. The keys never wait: what is typed while a match is looked for replaces what
//! was to be looked for next, and the names of a few seconds ago do until the new ones are there.

use std::time::{Duration, Instant};

use super::{Done, Runner};
use crate::app::FileIndex;
use crate::text::fuzzy::Best;
use crate::tui::msg::{InputReply, Reply};

/// How long a list is taken for what is there.
const FRESH: Duration = Duration::from_secs(5);
/// Paths that are offered: more than anyone looks through.
const MOST: usize = 100;

/// What is known of the files, and what is being done about it.
#[derive(Default)]
pub(super) struct Files {
    index: Option<(FileIndex, Instant)>,
    listing: Going,
    matching: Going,
    /// What is to be matched next.
    wanted: Option<String>,
    /// What was matched last.
    last: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Going {
    On,
    #[default]
    No,
}

impl Runner {
    /// Paths for what is typed; they come as a reply.
    pub(super) fn find_files(&mut self, typed: String) {
        let is_old = self.files.index.as_ref().is_none_or(|(_, listed)| listed.elapsed() > FRESH);
        let is_new_word = typed.is_empty() || self.files.index.is_none();
        self.files.wanted = Some(typed);
        if is_old && is_new_word && self.files.listing == Going::No {
            self.files.listing = Going::On;
            let root = self.app.directory();
            self.spawn(async { Done::Listed(FileIndex::list(root).await) });
        }
        self.match_next();
    }

    pub(super) fn take_listed(&mut self, index: FileIndex) -> Vec<Reply> {
        self.files.listing = Going::No;
        self.files.index = Some((index, Instant::now()));
        let last = self.files.last.clone();
        self.files.wanted.get_or_insert(last);
        self.match_next();
        Vec::new()
    }

    pub(super) fn take_matched(&mut self, typed: String, best: Best) -> Vec<Reply> {
        self.files.matching = Going::No;
        self.match_next();
        vec![Reply::Input(InputReply::Paths { typed, best })]
    }

    fn match_next(&mut self) {
        let (Some((index, _)), Going::No) = (&self.files.index, self.files.matching) else { return };
        let Some(typed) = self.files.wanted.take() else { return };
        self.files.matching = Going::On;
        self.files.last.clone_from(&typed);
        let index = index.clone();
        self.spawn(async {
            let matched = tokio::task::spawn_blocking(move || (index.best(&typed, MOST), typed)).await;
            matched.map_or(Done::Nothing, |(best, typed)| Done::Matched(typed, best))
        });
    }
}
