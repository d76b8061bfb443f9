//! The list of steps that the model keeps, as it is now.
//!
//! It is part of no file of its own: what the model was told of it stands in the history, and from there it comes back
//! after a resume.

use std::sync::{Mutex, PoisonError};

use crate::protocol::Todo;

/// The list.
#[derive(Debug, Default)]
pub struct Todos(Mutex<Vec<Todo>>);

impl Todos {
    /// This is the list from now on.
    pub fn set(&self, todos: Vec<Todo>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = todos;
    }

    /// The list as it is.
    pub fn list(&self) -> Vec<Todo> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
