//! What stands beside the conversation: the model's list of steps, and the commands that run in the background.
//!
//! Neither is part of the transcript, for both are shown as they are now and not as they were once.

use super::moment::Moment;
use super::todos::Todos;
use crate::protocol::{JobState, JobView};

/// What stands beside the conversation.
#[derive(Debug, Clone, Default)]
pub struct Aside {
    /// The list of steps.
    pub todos: Todos,
    /// The commands in the background, oldest first; those that have ended stay for a while.
    pub jobs: Vec<JobView>,
    /// When they were looked at.
    pub looked: Moment,
}

impl Aside {
    /// The commands are these now.
    pub fn look(&mut self, jobs: Vec<JobView>, now: Moment) {
        self.jobs = jobs;
        self.looked = now;
    }

    /// How many of them run.
    #[must_use]
    pub fn running(&self) -> usize {
        self.jobs.iter().filter(|job| job.state == JobState::Running).count()
    }
}
