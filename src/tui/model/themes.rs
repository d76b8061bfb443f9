//! The list of themes to pick from, and the one to go back to.

use super::choice::Item;
use super::picker::Picker;

/// The themes that are always there, each with what it is.
pub const BUILT_IN: [(&str, &str); 5] = [
    ("auto", "matches your terminal's background"),
    ("dark", "for a dark background"),
    ("light", "for a light background"),
    ("ansi", "your terminal's 16 colours"),
    ("colour-blind", "does not rely on red/green"),
];

/// An open list.
#[derive(Debug, Clone)]
pub struct Themes {
    /// The list.
    pub picker: Picker,
    /// The theme that was in force when it was opened.
    pub before: String,
}

impl Themes {
    /// The built-in themes and the user's own, the one in force chosen.
    #[must_use]
    pub fn open(own: Vec<String>, before: String) -> Self {
        let own = own.into_iter().map(|name| Item::new(name, "custom"));
        let items: Vec<Item> =
            BUILT_IN.iter().map(|(name, text)| Item::new(*name, *text)).chain(own).collect();
        let chosen = items.iter().position(|item| item.label == before).unwrap_or(0);
        let mut picker = Picker::new("Theme", Vec::new());
        picker.fill(items, chosen);
        Self { picker, before }
    }

    /// The name of the chosen one.
    #[must_use]
    pub fn chosen(&self) -> Option<String> {
        self.picker.choice().chosen().map(|(_, item)| item.label.clone())
    }
}
