//! What waits for its turn: messages for the next request, commands for the end of the run.
//!
//! Of the messages this is only the picture: the conversation has them and says when one is on its way. The commands wait
//! nowhere else. They stand in one list all the same, since Up takes the last one back, whatever it is.

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
}

impl Queued {
    /// What was typed.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Message(text) | Self::Command(text) => text,
        }
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

    /// Takes the oldest command out.
    pub fn take_first_command(&mut self) -> Option<String> {
        let first = self.0.iter().position(|queued| !is_message(queued))?;
        Some(self.0.remove(first).text().to_owned())
    }

    /// The messages are gone, on their way or back; takes the commands out.
    pub fn take_commands(&mut self) -> Vec<String> {
        let all = std::mem::take(&mut self.0).into_iter();
        all.filter(|queued| !is_message(queued)).map(|queued| queued.text().to_owned()).collect()
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
        Queued::Command(_) => false,
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
        assert_eq!(queue.clone().take_commands(), ["/clear"]);
        assert_eq!(queue.take_first_command().as_deref(), Some("/clear"));
        assert_eq!((queue.take_first_command(), queue), (None, Queue::default()));
    }
}
