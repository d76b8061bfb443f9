//! What the threads of a walk have still to do, shared.
//!
//! Directories first, the last found before the others: so a walk goes deep, and few directories wait. A thread that
//! finds none helps another with the files of a portion. When nobody has anything, it is over.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::{Portion, Work};

/// What a thread is to do next.
#[derive(Debug)]
pub(super) enum Task {
    Directory(Work),
    /// Some of these another has begun.
    Help(Arc<Portion>),
}

/// The shared list.
#[derive(Debug)]
pub(super) struct Pool {
    list: Mutex<List>,
    changed: Condvar,
}

#[derive(Debug)]
struct List {
    directories: Vec<Work>,
    portions: Vec<Arc<Portion>>,
    /// Threads that may still add to the list.
    busy: usize,
    waiting: usize,
    is_over: bool,
}

impl Pool {
    /// A list with one directory for so many threads, each of which calls [`Pool::next`] until there is nothing.
    pub(super) fn new(start: Work, threads: usize) -> Self {
        let list = List {
            directories: vec![start],
            portions: Vec::new(),
            busy: threads,
            waiting: 0,
            is_over: false,
        };
        Self { list: Mutex::new(list), changed: Condvar::new() }
    }

    /// What to do next; waits while others may still find something. `None`: it is over.
    pub(super) fn next(&self) -> Option<Task> {
        let mut list = self.list();
        list.busy -= 1;
        loop {
            if list.is_over {
                return None;
            }
            if let Some(task) = list.take() {
                list.busy += 1;
                return Some(task);
            }
            if list.busy == 0 {
                list.is_over = true;
                self.changed.notify_all();
                return None;
            }
            list.waiting += 1;
            list = self.changed.wait(list).unwrap_or_else(PoisonError::into_inner);
            list.waiting -= 1;
        }
    }

    /// Adds directories, of which the last comes first, and offers the files of `portion` to whoever has nothing to do.
    pub(super) fn add(&self, directories: impl Iterator<Item = Work>, portion: &Arc<Portion>) {
        let mut list = self.list();
        list.directories.extend(directories);
        list.portions.retain(|portion| !portion.is_done());
        if portion.entries.len() > 1 {
            list.portions.push(Arc::clone(portion));
        }
        if list.waiting > 0 {
            self.changed.notify_all();
        }
    }

    /// One thread less: it could not be started.
    pub(super) fn leave(&self) {
        self.list().busy -= 1;
        self.changed.notify_all();
    }

    /// Nothing further is handed out.
    pub(super) fn stop(&self) {
        let mut list = self.list();
        list.is_over = true;
        list.directories.clear();
        list.portions.clear();
        self.changed.notify_all();
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl List {
    fn take(&mut self) -> Option<Task> {
        if let Some(work) = self.directories.pop() {
            return Some(Task::Directory(work));
        }
        while let Some(portion) = self.portions.last() {
            if !portion.is_done() {
                return Some(Task::Help(Arc::clone(portion)));
            }
            self.portions.pop();
        }
        None
    }
}
