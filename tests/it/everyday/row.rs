//! What a row of the table says: one command of somebody's day, what lies there first, and what becomes of it in each tier.
//!
//! Data alone; `world` lays it out and runs it. A row that is to fail says by which words it does, so that it cannot fail of
//! something else unseen.

/// Paths from the workspace, and what stands there.
pub(super) type Files = &'static [(&'static str, &'static str)];

/// One command.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) name: &'static str,
    /// Programs that it needs besides its trade's.
    pub(super) needs: &'static [&'static str],
    pub(super) files: Files,
    /// Run first, held by nobody.
    pub(super) before: &'static str,
    pub(super) home: Home,
    pub(super) command: &'static str,
    pub(super) proof: Proof,
    pub(super) room: Fate,
    pub(super) landlock: Fate,
}

/// Whose home it is.
#[derive(Clone, Copy)]
pub(super) enum Home {
    /// Somebody has worked there: tools have their caches.
    Used,
    /// There is nothing but Git's configuration.
    New,
}

/// How it shows, besides in an exit code of 0, that it did what it is for.
#[derive(Clone, Copy)]
pub(super) enum Proof {
    /// Its output has this in it.
    Says(&'static str),
    /// This file is there afterwards, seen from outside, and not empty.
    Makes(&'static str),
}

/// What becomes of it in a tier.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Works,
    /// It ends with another code than 0 and its output has this in it. Why stands in the documentation of `sandbox`, in the
    /// line that begins with these words.
    Fails(&'static str, &'static str),
}

/// A row that works everywhere and needs nothing besides.
pub(super) const fn row(name: &'static str, files: Files, command: &'static str, proof: Proof) -> Row {
    Row {
        name,
        needs: &[],
        files,
        before: "",
        home: Home::Used,
        command,
        proof,
        room: Fate::Works,
        landlock: Fate::Works,
    }
}

impl Row {
    pub(super) const fn needs(self, needs: &'static [&'static str]) -> Self {
        Self { needs, ..self }
    }

    pub(super) const fn after(self, before: &'static str) -> Self {
        Self { before, ..self }
    }

    pub(super) const fn in_a_new_home(self) -> Self {
        Self { home: Home::New, ..self }
    }

    /// It fails in the second tier.
    pub(super) const fn not_by_landlock(self, says: &'static str, why: &'static str) -> Self {
        Self { landlock: Fate::Fails(says, why), ..self }
    }

    /// It fails in the first tier.
    pub(super) const fn not_in_a_room(self, says: &'static str, why: &'static str) -> Self {
        Self { room: Fate::Fails(says, why), ..self }
    }
}
