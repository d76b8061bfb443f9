//! What the screen asks before there is anybody to talk to: trust, and an endpoint.

use super::buffer::Buffer;
use super::question::Guard;
use crate::app::TrustQuestion;

/// The trust question on the screen.
#[derive(Debug, Clone)]
pub struct Trusting {
    /// What it tells; as it came, not yet sanitised.
    pub question: TrustQuestion,
    /// The number of the row that has the focus: 1 trust, 2 look only, 3 leave.
    pub focus: u8,
    /// When it takes keys.
    pub guard: Guard,
}

/// What the first-run screen knows to offer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FirstRun {
    /// Local servers, by address.
    pub servers: Vec<String>,
    /// Whether they are still looked for.
    pub looking: Looking,
}

/// Whether local servers are still looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Looking {
    /// They are.
    #[default]
    Yes,
    /// All have answered, or not.
    No,
}

/// The first-run screen.
#[derive(Debug, Clone)]
pub struct Choosing {
    /// What it offers.
    pub offer: FirstRun,
    /// The row that has the focus.
    pub focus: usize,
    /// Where one is.
    pub step: Step,
}

/// Where one is in the first-run screen.
#[derive(Debug, Clone)]
pub enum Step {
    /// Choosing among the rows.
    Rows,
    /// Typing an address.
    Url(Buffer),
    /// Typing a key for that address.
    Key {
        /// The address.
        url: String,
        /// What is typed; never shown.
        key: Buffer,
    },
    /// A choice was made and is being carried out.
    Opening,
}

/// A row of the first-run screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// A local server.
    Server(String),
    /// An address to be typed.
    Url,
    /// The demonstration.
    Demo,
}

impl Choosing {
    /// The first-run screen with what is known so far.
    #[must_use]
    pub fn new(offer: FirstRun) -> Self {
        Self { offer, focus: 0, step: Step::Rows }
    }

    /// All local servers have answered, or not. They stand first; what has the focus keeps it, under the user's fingers.
    pub fn found(&mut self, servers: Vec<String>) {
        self.focus = (self.focus + servers.len()).saturating_sub(self.offer.servers.len());
        self.offer = FirstRun { servers, looking: Looking::No };
    }

    /// Whether nothing is typed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.step {
            Step::Rows | Step::Opening => true,
            Step::Url(typed) | Step::Key { key: typed, .. } => typed.is_empty(),
        }
    }

    /// Its rows, in order.
    #[must_use]
    pub fn rows(&self) -> Vec<Row> {
        let servers = self.offer.servers.iter().cloned().map(Row::Server);
        servers.chain([Row::Url, Row::Demo]).collect()
    }
}
