//! Which theme is in force: what was chosen, what the terminal can, what is behind the letters.
//!
//! Until the terminal has said what its background is, and it may never do so, its own sixteen colours are used: they are right
//! on both.

use super::palette::{Depth, Palette};
use super::theme::Theme;
use crate::app::OwnTheme;

/// What was chosen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Choice {
    /// Shades for the background that there is.
    #[default]
    Auto,
    /// Shades for a dark one.
    Dark,
    /// Shades for a light one.
    Light,
    /// The terminal's own sixteen colours.
    Ansi,
    /// No meaning hangs on red and green; for the background that there is.
    ColourBlind,
    /// The user's own.
    Own(Box<(Choice, OwnTheme)>),
}

/// What is behind the letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// Something dark.
    Dark,
    /// Something light.
    Light,
}

/// All that decides about colours.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Looks {
    /// What was chosen.
    pub choice: Choice,
    /// How many colours there are.
    pub depth: Depth,
    /// What is behind the letters, once that is known.
    pub background: Option<Background>,
}

impl Choice {
    /// The built-in theme of this name.
    #[must_use]
    pub fn built_in(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "dark" => Some(Self::Dark),
            "light" => Some(Self::Light),
            "ansi" => Some(Self::Ansi),
            "colour-blind" => Some(Self::ColourBlind),
            _ => None,
        }
    }

    /// The user's own; what it leaves open is as in the theme that it names, or in the terminal's own colours.
    #[must_use]
    pub fn own(theme: OwnTheme) -> Self {
        let base = theme.base.as_deref().and_then(Self::built_in).unwrap_or(Self::Ansi);
        Self::Own(Box::new((base, theme)))
    }

    fn palette(&self, background: Option<Background>, depth: Depth) -> Palette {
        let blind = match background {
            None => Palette::COLOUR_BLIND_ANSI,
            Some(_) if depth == Depth::Sixteen => Palette::COLOUR_BLIND_ANSI,
            Some(Background::Dark) => Palette::COLOUR_BLIND_DARK,
            Some(Background::Light) => Palette::COLOUR_BLIND_LIGHT,
        };
        match (self, background) {
            (Self::Auto, None) | (Self::Ansi, _) => Palette::ANSI,
            (Self::Auto, Some(Background::Dark)) | (Self::Dark, _) => Palette::DARK,
            (Self::Auto, Some(Background::Light)) | (Self::Light, _) => Palette::LIGHT,
            (Self::ColourBlind, _) => blind,
            (Self::Own(own), _) => {
                let (base, theme) = &**own;
                base.palette(background, depth).with(&theme.colours)
            }
        }
    }
}

impl Looks {
    /// How many colours a terminal has that calls itself so: `$NO_COLOR`, `$COLORTERM`, `$TERM`.
    #[must_use]
    pub fn depth_of(no_color: &str, colorterm: &str, term: &str) -> Depth {
        match (no_color, colorterm) {
            ("", "truecolor" | "24bit") => Depth::True,
            ("", _) if term.contains("256color") => Depth::Indexed,
            ("", _) => Depth::Sixteen,
            _ => Depth::None,
        }
    }

    /// Whether it matters what is behind the letters.
    #[must_use]
    pub fn wants_background(&self) -> bool {
        let follows = match &self.choice {
            Choice::Auto | Choice::ColourBlind => true,
            Choice::Dark | Choice::Light | Choice::Ansi => false,
            Choice::Own(own) => matches!(own.0, Choice::Auto | Choice::ColourBlind),
        };
        follows && self.background.is_none() && matches!(self.depth, Depth::Indexed | Depth::True)
    }

    /// The theme.
    #[must_use]
    pub fn theme(&self) -> Theme {
        let palette = || self.choice.palette(self.background, self.depth).at(self.depth);
        match self.depth {
            Depth::None => Theme::Mono,
            Depth::Sixteen | Depth::Indexed | Depth::True => match palette() {
                Palette::ANSI => Theme::Colour,
                palette => Theme::Tinted(palette),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sgr::Colour;
    use crate::tui::model::themes::BUILT_IN;

    fn looks(name: &str, depth: Depth, background: Option<Background>) -> Looks {
        Looks { choice: Choice::built_in(name).unwrap(), depth, background }
    }

    #[test]
    fn every_theme_that_is_offered_is_there() {
        for (name, _) in BUILT_IN {
            assert!(Choice::built_in(name).is_some(), "{name}");
        }
    }

    #[test]
    fn auto_is_the_terminals_own_until_its_background_is_known() {
        let auto = |background| looks("auto", Depth::True, background).theme();
        assert_eq!(auto(None), Theme::Colour);
        assert_eq!(auto(Some(Background::Dark)), Theme::Tinted(Palette::DARK));
        assert_eq!(auto(Some(Background::Light)), Theme::Tinted(Palette::LIGHT));
    }

    #[test]
    fn colours_are_those_that_the_terminal_has() {
        let depth = |no_color, colorterm, term| Looks::depth_of(no_color, colorterm, term);
        assert_eq!(depth("", "truecolor", "xterm"), Depth::True);
        assert_eq!(depth("", "24bit", "xterm-256color"), Depth::True);
        assert_eq!(depth("", "yes", "xterm-256color"), Depth::Indexed);
        assert_eq!(depth("", "", "linux"), Depth::Sixteen);
        assert_eq!(depth("1", "truecolor", "xterm"), Depth::None);
        assert_eq!(looks("dark", Depth::None, None).theme(), Theme::Mono);
        assert_eq!(looks("dark", Depth::Sixteen, None).theme(), Theme::Colour);
        let blind = looks("colour-blind", Depth::Sixteen, Some(Background::Dark)).theme();
        assert_eq!(blind, Theme::Tinted(Palette::COLOUR_BLIND_ANSI));
    }

    #[test]
    fn nobody_is_asked_where_the_answer_changes_nothing() {
        let asks = |name, depth, background| looks(name, depth, background).wants_background();
        assert!(asks("auto", Depth::True, None) && asks("colour-blind", Depth::Indexed, None));
        assert!(!asks("auto", Depth::Sixteen, None) && !asks("auto", Depth::None, None));
        assert!(!asks("dark", Depth::True, None) && !asks("auto", Depth::True, Some(Background::Dark)));
    }

    #[test]
    fn a_theme_of_ones_own_changes_its_base() {
        let colours = vec![("good", Colour::Rgb(1, 2, 3))];
        let own = |base: Option<&str>| {
            let choice = Choice::own(OwnTheme { base: base.map(str::to_owned), colours: colours.clone() });
            Looks { choice, depth: Depth::True, background: None }.theme()
        };
        assert_eq!(own(Some("dark")), Theme::Tinted(Palette::DARK.with(&colours)));
        assert_eq!(own(None), Theme::Tinted(Palette::ANSI.with(&colours)));
    }
}
