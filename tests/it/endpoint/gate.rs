//! A gate: the one way in which a test and the server wait for one another. No sleeps.

use std::fmt;
use std::sync::Arc;

use tokio::sync::watch;

use crate::watched::{DEADLINE, Watched};

/// A point in an answer where the server waits for the test. Clones are the same gate.
#[derive(Clone)]
pub(crate) struct Gate(Arc<GateState>);

struct GateState {
    open: watch::Sender<bool>,
    reached: Watched<bool>,
}

impl Gate {
    pub(crate) fn new() -> Self {
        let open = watch::Sender::new(false);
        Self(Arc::new(GateState { open, reached: Watched::new(false) }))
    }

    /// Lets the answer go on; it stays open.
    pub(crate) fn open(&self) {
        self.0.open.send_replace(true);
    }

    /// Blocks until the server stands at the gate: all before it has been written.
    pub(crate) fn wait_reached(&self) {
        let reached = self.0.reached.wait(DEADLINE, |reached| reached.then_some(()));
        assert!(reached.is_some(), "no answer reached the gate in {DEADLINE:?}");
    }

    pub(super) async fn pass(&self) {
        self.0.reached.with(|reached| *reached = true);
        // the sender lives in `self`: waiting cannot fail
        self.0.open.subscribe().wait_for(|open| *open).await.unwrap();
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Gate(open: {})", *self.0.open.borrow())
    }
}
