//! How the screen is to look: its settings, the user's own themes, and a choice that is kept.

use std::ffi::OsStr;

use super::App;
use crate::config::{OwnTheme, TuiConfig, is_name, read_theme, save_theme};
use crate::error::{Error, Kind};
use crate::os::paths::Paths;

/// The themes to pick from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeList {
    /// Names of the user's own.
    pub own: Vec<String>,
    /// The one in force.
    pub current: String,
}

impl App {
    /// How the screen is to look and behave.
    #[must_use]
    pub fn screen(&self) -> &TuiConfig {
        &self.config.tui
    }

    /// The themes to pick from, beside those that are built in.
    #[must_use]
    pub fn themes(&self) -> ThemeList {
        let TuiConfig { theme, .. } = &self.config.tui;
        ThemeList { own: self.own_names(), current: theme.clone() }
    }

    /// A theme of the user's own.
    ///
    /// # Errors
    /// Where there is none of this name, or its file has a mistake.
    pub fn own_theme(&self, name: &str) -> Result<OwnTheme, Error> {
        let theme = match &self.place.paths {
            Some(paths) => read_theme(&paths.themes(), name)?,
            None => None,
        };
        let hint = "try /theme for a list; your own themes are themes/NAME.toml next to config.toml";
        theme.ok_or_else(|| Error::new(Kind::Config, format!("no theme is called `{name}` ({hint})")))
    }

    /// Another theme from now on. Says where that is kept.
    ///
    /// # Errors
    /// Where it cannot be kept; it is in force all the same.
    pub fn keep_theme(&mut self, name: &str) -> Result<String, Error> {
        name.clone_into(&mut self.config.tui.theme);
        match &self.place.paths {
            Some(paths) => {
                save_theme(&paths.config_file(), name)?;
                Ok(format!("theme {name}, saved in config.toml"))
            }
            None => Ok(format!("theme {name} for this session only: no home directory to save it in")),
        }
    }

    fn own_names(&self) -> Vec<String> {
        let directory = self.place.paths.as_ref().map(Paths::themes);
        let files = directory.and_then(|directory| directory.read_dir().ok()).into_iter().flatten().flatten();
        let paths = files.map(|file| file.path());
        let themes = paths.filter(|path| path.extension() == Some(OsStr::new("toml")));
        let names = themes.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
        let mut names: Vec<String> = names.filter(|name| is_name(name)).collect();
        names.sort_unstable();
        names
    }
}
