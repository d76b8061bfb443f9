//! `/doctor`: the page of `clawd doctor` from within, about the program as it was started.

use super::{App, Doctor};
use crate::cli::Cli;
use crate::error::{Error, Kind};
use crate::os::env::Env;

/// An examination, to be made beside everything else.
pub struct Examination {
    cli: Cli,
    env: Env,
}

impl App {
    /// What has to be examined.
    ///
    /// # Errors
    /// In the demonstration, which asks nobody.
    pub fn examination(&self) -> Result<Examination, Error> {
        if self.is_demo() {
            return Err(
                Error::new(Kind::Usage, "the demo has no endpoint to check").hint("try `clawd doctor`")
            );
        }
        // a log is being written already, if one is
        Ok(Examination { cli: Cli { debug: false, ..self.cli.clone() }, env: self.place.env.clone() })
    }
}

impl Examination {
    /// Looks at configuration, terminal and files. Takes some milliseconds.
    ///
    /// # Errors
    /// Where nothing can be examined.
    pub fn open(&self) -> Result<Doctor, Error> {
        Doctor::open(&self.cli, &self.env)
    }
}
