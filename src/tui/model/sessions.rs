//! The open list of sessions: what can be chosen, the last words of the chosen one, and one that somebody else has.

use super::choice::Item;
use super::picker::Picker;
use crate::app::Pick;

/// The open list.
#[derive(Debug, Clone)]
pub struct Sessions {
    /// The list by title.
    pub picker: Picker,
    picks: Vec<Pick>,
    /// The last that was said in a session.
    preview: Option<(String, Vec<String>)>,
    /// The session that another process has.
    held: Option<String>,
    /// Whether one was chosen and is being opened.
    opening: bool,
}

impl Sessions {
    /// A list that is looked for.
    #[must_use]
    pub fn awaiting() -> Self {
        let picker = Picker::awaiting("Resume", "loading the sessions of this directory");
        Self { picker, picks: Vec::new(), preview: None, held: None, opening: false }
    }

    /// The list is there.
    pub fn fill(&mut self, picks: Vec<Pick>) {
        let item = |pick: &Pick| Item::new(pick.title.clone(), pick.about.clone());
        self.picker.fill(picks.iter().map(item).collect(), 0);
        self.picks = picks;
    }

    /// The ID of the chosen one.
    #[must_use]
    pub fn chosen(&self) -> Option<&str> {
        let (index, _) = self.picker.choice().chosen()?;
        self.picks.get(index).map(|pick| pick.id.as_str())
    }

    /// The chosen one, where its last words are not there yet.
    #[must_use]
    pub fn unread(&self) -> Option<String> {
        let read = self.preview.as_ref().map(|(id, _)| id.as_str());
        self.chosen().filter(|chosen| Some(*chosen) != read).map(str::to_owned)
    }

    /// These are the last words of a session.
    pub fn read(&mut self, id: String, lines: Vec<String>) {
        self.preview = Some((id, lines));
    }

    /// The last words of the chosen one.
    #[must_use]
    pub fn preview(&self) -> &[String] {
        let chosen = self.chosen();
        let read = self.preview.as_ref().filter(|(id, _)| Some(id.as_str()) == chosen);
        read.map_or(&[], |(_, lines)| lines.as_slice())
    }

    /// Another process has this one.
    pub fn hold(&mut self, id: String) {
        self.held = Some(id);
        self.opening = false;
    }

    /// The chosen one is being opened.
    pub fn begin_opening(&mut self) {
        self.opening = true;
    }

    /// It could not be.
    pub fn end_opening(&mut self) {
        self.opening = false;
    }

    /// Whether one is being opened.
    #[must_use]
    pub fn is_opening(&self) -> bool {
        self.opening
    }

    /// Whether another process has the chosen one, as far as it was tried.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held.is_some() && self.held.as_deref() == self.chosen()
    }
}
