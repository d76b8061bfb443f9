//! What waits for its turn: messages for the next request, commands for the end of the run.
//!
//! Of the messages this is only the picture: the conversation has them and says when one is on its way. The commands wait
//! nowhere else, and neither do messages that were typed after a command: they are for what it leaves behind. All are in one list,
//! since Up withdraws the last one, whatever it is.

/// What waits, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Queue(Vec<Queued>);

/// One thing that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Queued {
    /// A message.
    Message(String),
    /// A slash command, as it was typed.
    Command(String),
    /// A message that was typed after a command that waits.
    Later(String),
}

impl Queued {
    /// What was typed.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Message(text) | Self::Command(text) | Self::Later(text) => text,
        }
    }

    /// Whether it is a command.
    #[must_use]
    pub fn is_command(&self) -> bool {
        matches!(self, Self::Command(_))
    }
}

impl Queue {
    /// One more at the end.
    pub fn push(&mut self, queued: Queued) {
        self.0.push(queued);
    }

    /// All that waits, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Queued> {
        self.0.iter()
    }

    /// The messages, oldest first.
    pub fn messages(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|queued| is_message(queued)).map(Queued::text)
    }

    /// The newest.
    #[must_use]
    pub fn last(&self) -> Option<&Queued> {
        self.0.last()
    }

    /// Takes the newest out.
    pub fn take_last(&mut self) -> Option<Queued> {
        self.0.pop()
    }

    /// The oldest message is on its way.
    pub fn drop_first_message(&mut self) {
        let first = self.0.iter().position(is_message);
        first.map(|at| self.0.remove(at));
    }

    /// The newest message was taken back.
    pub fn drop_last_message(&mut self) {
        let last = self.0.iter().rposition(is_message);
        last.map(|at| self.0.remove(at));
    }

    /// Takes the oldest command out, or the message that is now the first after one.
    pub fn take_first_command(&mut self) -> Option<Queued> {
        let first = self.0.iter().position(|queued| !is_message(queued))?;
        Some(self.0.remove(first))
    }

    /// Whether a command waits, so that what is typed now is for later.
    #[must_use]
    pub fn has_command(&self) -> bool {
        !self.0.iter().all(is_message)
    }

    /// The messages are gone, on their way or back; takes the commands out, and the messages after them.
    pub fn take_commands(&mut self) -> Vec<Queued> {
        std::mem::take(&mut self.0).into_iter().filter(|queued| !is_message(queued)).collect()
    }

    /// All messages are on their way; the commands wait on.
    pub fn drop_messages(&mut self) {
        self.0.retain(|queued| !is_message(queued));
    }
}

impl FromIterator<Queued> for Queue {
    fn from_iter<I: IntoIterator<Item = Queued>>(queued: I) -> Self {
        Self(queued.into_iter().collect())
    }
}

fn is_message(queued: &Queued) -> bool {
    match queued {
        Queued::Message(_) => true,
        Queued::Command(_) | Queued::Later(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue() -> Queue {
        let message = |text: &str| Queued::Message(text.to_owned());
        [message("one"), Queued::Command("/clear".to_owned()), message("two")].into_iter().collect()
    }

    fn texts(queue: &Queue) -> Vec<&str> {
        queue.iter().map(Queued::text).collect()
    }

    #[test]
    fn messages_leave_from_the_front_and_go_back_from_the_end() {
        let mut queue = queue();
        queue.drop_first_message();
        assert_eq!(texts(&queue), ["/clear", "two"]);
        queue.drop_last_message();
        queue.drop_last_message();
        assert_eq!(texts(&queue), ["/clear"]);
        assert_eq!(queue.take_last(), Some(Queued::Command("/clear".to_owned())));
    }

    #[test]
    fn commands_outlast_the_messages() {
        let mut queue = queue();
        queue.drop_messages();
        assert_eq!(texts(&queue), ["/clear"]);
        let clear = Queued::Command("/clear".to_owned());
        assert_eq!(queue.clone().take_commands(), std::slice::from_ref(&clear));
        assert_eq!(queue.take_first_command(), Some(clear));
        assert_eq!((queue.take_first_command(), queue), (None, Queue::default()));
    }
}
