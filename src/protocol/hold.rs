//! How a command is held while it runs.
//!
//! The judge says it, the tool hands it on, the sandbox carries it out; each without knowing the other. Values only.

/// How a command is held while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Hold {
    /// In the sandbox.
    Held {
        /// What it may write.
        writes: Writes,
        /// What it may reach.
        network: Network,
    },
    /// Not at all: it runs with the user's own rights.
    #[default]
    Free,
}

/// What a held command may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Writes {
    /// Nothing.
    Nothing,
    /// The workspace and a temporary directory.
    Workspace,
}

/// What a held command may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Network {
    /// Nobody but itself.
    #[default]
    Off,
    /// Whoever answers.
    On,
}

impl Hold {
    /// For what runs unasked because it only looks.
    pub const LOOKING: Self = Self::Held { writes: Writes::Nothing, network: Network::Off };

    /// In words, for whoever has to say yes to it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Free => "NOT sandboxed: runs with your full permissions",
            Self::Held { writes: Writes::Workspace, network: Network::Off } => {
                "sandboxed: can write to the workspace, no network"
            }
            Self::Held { writes: Writes::Workspace, network: Network::On } => {
                "sandboxed: can write to the workspace, with network"
            }
            Self::Held { writes: Writes::Nothing, network: Network::Off } => {
                "sandboxed: read-only, no network"
            }
            Self::Held { writes: Writes::Nothing, network: Network::On } => {
                "sandboxed: read-only, with network"
            }
        }
    }

    /// The same with the network.
    #[must_use]
    pub fn with_network(self) -> Self {
        match self {
            Self::Held { writes, network: _ } => Self::Held { writes, network: Network::On },
            Self::Free => Self::Free,
        }
    }

    /// Whether it lacks a network that could be granted.
    pub fn lacks_network(self) -> bool {
        matches!(self, Self::Held { network: Network::Off, .. })
    }

    /// Whether whoever is held so can do all that `other` lets do.
    pub fn reaches(self, other: Self) -> bool {
        match (self, other) {
            (Self::Free, _) => true,
            (Self::Held { .. }, Self::Free) => false,
            (Self::Held { writes, network }, Self::Held { writes: others, network: other }) => {
                writes >= others && network >= other
            }
        }
    }
}

/// On which terms a call may run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Terms {
    /// How a command is held; nothing else is.
    pub hold: Hold,
    /// In which words a command runs.
    pub wording: Wording,
    /// What those words pass over that its own would have looked at.
    pub passed_over: PassedOver,
}

/// What a command that runs unasked does not look at, though it was told to look everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum PassedOver {
    /// Nothing.
    #[default]
    Nothing,
    /// Files that are named like secrets.
    Secrets,
}

/// In which words a command runs, and with what of the user's environment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Wording {
    /// Its own, in the environment of the user's commands.
    #[default]
    Own,
    /// What was judged, written so that it can be read in one way alone; a rule allows what in it does more than look, so it
    /// runs in the environment of the user's commands.
    Read(String),
    /// What was judged and is known to do no more than look, written so that it can be read in one way alone. No variable
    /// reaches it that would make it do something else, whether a sandbox holds it or not.
    Known(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hold_reaches_what_is_held_no_looser() {
        let held = |writes, network| Hold::Held { writes, network };
        let writes = held(Writes::Workspace, Network::Off);
        let asks = held(Writes::Nothing, Network::On);
        assert!(Hold::Free.reaches(writes) && writes.reaches(Hold::LOOKING) && asks.reaches(Hold::LOOKING));
        assert!(!writes.reaches(asks) && !asks.reaches(writes) && !writes.reaches(Hold::Free));
        assert!(writes.with_network().reaches(asks) && writes.with_network().reaches(writes));
        assert_eq!(Hold::Free.with_network(), Hold::Free);
        assert_eq!([Hold::Free, writes, asks].map(Hold::lacks_network), [false, true, false]);
    }
}
