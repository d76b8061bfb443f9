//! Names of things, each with a type of its own, so that none can be taken for another.
//!
//! All but [`QuestionId`] are texts that came from outside (an endpoint, a file); they are kept as they came and
//! compared byte by byte. What a valid one looks like is decided where it is made, not here.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Makes one text newtype.
macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Box<str>);

        impl $name {
            /// The name itself.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }
    };
}

text_id! {
    /// One tool call, as the model (or we, where it gave none) named it. Unique within a history.
    CallId
}
text_id! {
    /// One conversation kept in one file.
    SessionId
}
text_id! {
    /// A model, as the endpoint names it.
    ModelId
}
text_id! {
    /// A tool, as the model calls it.
    ToolName
}

text_id! {
    /// A command that runs beside the conversation: `bash_1`, `bash_2`, … counted in each session.
    JobId
}

/// One question to the user, counted from 1 within a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct QuestionId(pub u64);
