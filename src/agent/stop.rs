//! Why a run was told to stop, named in the results of the calls that it interrupted.

use std::sync::{Arc, OnceLock};

use crate::protocol::{Content, Display, Part, ToolStatus};
use crate::tools::{INTERRUPTED, ToolResult};

/// The cause of a stop; none is set if the user stopped the run. It is set before the run's token fires.
#[derive(Debug, Clone, Default)]
pub struct StopCause(Arc<OnceLock<String>>);

impl StopCause {
    /// Sets the cause, in words such as `interrupted by SIGTERM`. The first one counts.
    pub fn set(&self, words: &str) {
        self.0.get_or_init(|| words.to_owned());
    }

    /// Names the cause in the result of a call. Tools only know that they were interrupted.
    pub(super) fn name_in(&self, result: &mut ToolResult) {
        let Some(words) = self.0.get().filter(|_| result.status == ToolStatus::Interrupted) else { return };
        let name = |text: &str| text.replacen(INTERRUPTED, words, 1);
        let ToolResult { status: _, content: Content(parts), display } = result;
        if let Some(Part::Text(first)) = parts.first_mut() {
            first.change(|text| *text = name(text));
        }
        if let Display::Line(line) = display {
            *line = name(line);
        }
    }
}
