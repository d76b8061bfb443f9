//! A text that is here, or stands somewhere until somebody reads it.
//!
//! A session that goes on may hold megabytes of what tools gave, of which the screen shows a page and the next request sends what
//! no summary stands for. So the loader leaves them where they stand and hands out texts that know the place. Whoever looks at
//! one sees a plain `str`; the first look reads, and what was read stays. Nothing here knows of files: a [`Shelf`] is whatever can
//! read a place.
//!
//! The surprise: reading cannot fail. A shelf that cannot give the text any more gives words that say so.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A text. It behaves as the `str` that it is, wherever that stands.
#[derive(Clone)]
pub struct Text(Stands);

#[derive(Clone)]
enum Stands {
    Here(String),
    Away(Arc<Away>),
}

struct Away {
    read: OnceLock<Box<str>>,
    shelf: Shelf,
    place: Place,
}

/// Where something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The first byte.
    pub at: u64,
    /// How many.
    pub bytes: u32,
    /// By which whoever reads knows that it is still the same.
    pub mark: u32,
}

/// Reads what stands at a place.
#[derive(Clone)]
pub struct Shelf(Arc<Read>);

type Read = dyn Fn(Place) -> String + Send + Sync;

impl Shelf {
    /// One that is read so. It may be called from any thread, and takes as long as a disk does.
    pub fn new(read: impl Fn(Place) -> String + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }
}

impl fmt::Debug for Shelf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Shelf")
    }
}

impl Text {
    /// A text that stays where it stands until somebody looks at it.
    #[must_use]
    pub fn away(shelf: &Shelf, place: Place) -> Self {
        Self(Stands::Away(Arc::new(Away { read: OnceLock::new(), shelf: shelf.clone(), place })))
    }

    /// The text itself; reads it where nobody has yet.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Stands::Here(text) => text,
            Stands::Away(away) => away.read.get_or_init(|| (away.shelf.0)(away.place).into()),
        }
    }

    /// Lets go of what was read; the next look reads again. A text that is nowhere else stays.
    pub fn let_go(&mut self) {
        if let Stands::Away(away) = &self.0
            && away.read.get().is_some()
        {
            *self = Self::away(&away.shelf, away.place);
        }
    }

    /// Whether it is in memory.
    #[must_use]
    pub fn is_here(&self) -> bool {
        match &self.0 {
            Stands::Here(_) => true,
            Stands::Away(away) => away.read.get().is_some(),
        }
    }

    /// Changes the text; from now on it is here.
    pub fn change(&mut self, change: impl FnOnce(&mut String)) {
        let mut text = String::from(std::mem::take(self));
        change(&mut text);
        *self = Self::from(text);
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(Stands::Here(text))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        match text.0 {
            Stands::Here(text) => text,
            Stands::Away(_) => text.as_str().to_owned(),
        }
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::from(String::new())
    }
}

/// By what they say, wherever they stand.
impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text {}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn what_is_away_is_read_at_the_first_look_and_once() {
        let reads = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&reads);
        let shelf = Shelf::new(move |place| {
            counted.fetch_add(1, Ordering::Relaxed);
            format!("{}+{}", place.at, place.bytes)
        });
        let text = Text::away(&shelf, Place { at: 7, bytes: 3, mark: 0 });
        let copy = text.clone();
        assert!(!text.is_here());
        assert_eq!(reads.load(Ordering::Relaxed), 0);
        assert_eq!((text.as_str(), copy.len()), ("7+3", 3));
        assert!(text.is_here() && copy.is_here());
        assert_eq!(reads.load(Ordering::Relaxed), 1);
        let mut again = text.clone();
        again.let_go();
        assert!(!again.is_here() && text.is_here());
        assert_eq!((again.as_str(), reads.load(Ordering::Relaxed)), ("7+3", 2));
    }

    #[test]
    fn it_is_what_it_says_wherever_it_stands() {
        let shelf = Shelf::new(|_| "a\nb".to_owned());
        let (mut away, here) = (Text::away(&shelf, Place { at: 0, bytes: 0, mark: 0 }), Text::from("a\nb"));
        assert_eq!(away, here);
        assert_eq!((format!("{away:?}"), away.to_string()), (format!("{:?}", "a\nb"), "a\nb".to_owned()));
        away.change(|text| text.push('!'));
        assert_eq!(String::from(away), "a\nb!");
    }
}
