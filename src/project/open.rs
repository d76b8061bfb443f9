//! What may be used of a project, for whoever shows a yes.
//!
//! The one way out for the texts and wishes that a [`Scan`] has found: its own fields are shut, and [`Scan::open`] takes a
//! [`Yes`]. So nothing of a project is used before it is trusted, and the compiler says so.

use std::path::Path;

use super::brings::Settings;
use super::instructions::{Instruction, within_limit};
use super::item::{Item, ItemKind};
use super::scan::Scan;
use crate::config::Wishes;

/// A yes of the user. Only the room `trust` has a type that is one, and only the user's answer makes a value of it.
pub trait Yes {
    /// Whether it was given to the directory with this root.
    fn is_for(&self, root: &Path) -> bool;
    /// Whether it was given to this thing as it is now.
    fn covers(&self, item: &Item) -> bool;
}

/// What may be used.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loaded {
    /// The user's own first, then the project's from the root down.
    pub instructions: Vec<Instruction>,
    /// What the project's files ask for, the weaker one first.
    pub wishes: Vec<Wishes>,
    /// What was left out or cut, a line each.
    pub notes: Vec<String>,
    /// Files that were said yes to and cannot be read: why.
    pub broken: Vec<String>,
}

impl Scan {
    /// Everything that the yes covers.
    #[must_use]
    pub fn open(&self, yes: &impl Yes) -> Loaded {
        if !yes.is_for(&self.root) {
            return self.own();
        }
        let mut loaded = self.with_notes(within_limit(self.own.iter().chain(&self.instructions)));
        for settings in &self.brings.settings {
            match &settings.wishes {
                Err(error) if self.covers(yes, settings) => loaded.broken.push(error.clone()),
                Ok(wishes) if self.covers(yes, settings) => {
                    loaded.wishes.push(wishes.clone());
                    loaded.notes.extend(settings.warnings.iter().cloned());
                }
                Ok(_) | Err(_) => {}
            }
        }
        loaded
    }

    /// What is the user's own, whatever the directory.
    #[must_use]
    pub fn own(&self) -> Loaded {
        self.with_notes(within_limit(&self.own))
    }

    /// A file that asks for nothing needs no yes.
    fn covers(&self, yes: &impl Yes, settings: &Settings) -> bool {
        let is_its = |item: &&Item| {
            matches!(item.kind, ItemKind::Settings | ItemKind::Broken) && item.file == settings.file.name()
        };
        self.brings.items.iter().find(is_its).is_none_or(|item| yes.covers(item))
    }

    fn with_notes(&self, mut loaded: Loaded) -> Loaded {
        loaded.notes.splice(0..0, self.notes.iter().cloned());
        loaded
    }
}
