//! The `[tui]` table: how the screen looks and behaves.
//!
//! Nothing here reaches the model or a command, so no project may set it. A theme's own file is read by whoever shows it, not
//! here: a start that names none reads none.

use super::layers::pick;
use super::reader::Section;
use super::{ConfigError, Sourced};

/// Keys of `[tui]`.
pub(super) const KEYS: [&str; 10] = [
    "theme",
    "vim",
    "notifications",
    "reduced_motion",
    "output_lines",
    "diff_lines",
    "reasoning_lines",
    "plain",
    "fullscreen",
    "mouse",
];

/// Lines of a command's output in the scrollback, where nobody says another number.
const OUTPUT_LINES: u16 = 8;
/// Rows of a change in the scrollback: a screen and a half.
const DIFF_LINES: u16 = 40;
/// Rows of reasoning in the scrollback: how long it took is said in any case.
const REASONING_LINES: u16 = 0;
/// Who wants more than this wants the whole, and that is a key away.
const MOST_LINES: i64 = 10_000;

/// What `[tui]` says; `None` where it says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileTui {
    theme: Option<String>,
    notifications: Option<bool>,
    reduced_motion: Option<bool>,
    output_lines: Option<u16>,
    diff_lines: Option<u16>,
    reasoning_lines: Option<u16>,
    vim: Option<bool>,
    plain: Option<bool>,
    fullscreen: Option<bool>,
    mouse: Option<bool>,
}

/// How the screen looks and behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TuiConfig {
    /// The theme's name.
    pub theme: String,
    /// Whether somebody who looks elsewhere is told that the screen waits for them.
    pub notifications: Notifications,
    /// Whether anything moves by itself.
    pub motion: Motion,
    /// Rows of a command's output that go into the scrollback; the rest is on the whole transcript's page.
    pub output_lines: u16,
    /// Rows of a change that go there.
    pub diff_lines: u16,
    /// Rows of the model's reasoning that go there.
    pub reasoning_lines: u16,
    /// Whose keys the input knows at the start.
    pub keys: InputKeys,
    /// Whether it is drawn at all.
    pub showing: Showing,
    /// Which of the terminal's screens is used.
    pub surface: Sourced<Surface>,
    /// Whose the mouse is on a screen of our own.
    pub mouse: Mouse,
}

/// Which of the terminal's screens is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Surface {
    /// The one with the terminal's own scrollback.
    #[default]
    Scrollback,
    /// The alternate one (`--fullscreen`).
    Fullscreen,
}

/// Whose the mouse is on a screen of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mouse {
    /// The terminal's, which selects with it.
    #[default]
    Untouched,
    /// Its buttons and its wheel are reported to us (`mouse = true`).
    Reported,
}

/// Whose keys the input knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InputKeys {
    /// Readline's.
    #[default]
    Readline,
    /// vi's (`vim = true`).
    Vi,
}

/// How the screen is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Showing {
    /// Drawn, with a cursor that goes where it is needed.
    #[default]
    Drawn,
    /// Told line by line, for a screen reader or a terminal that can do no more (`plain = true`).
    Told,
}

/// Whether somebody who looks elsewhere is told that the screen waits for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Notifications {
    /// They are told.
    #[default]
    On,
    /// They are left alone.
    Off,
}

/// Whether anything moves by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Motion {
    /// A waiting line shows by a moving sign that it lives.
    #[default]
    Full,
    /// Only words change, once a second at most.
    Reduced,
}

impl Default for TuiConfig {
    fn default() -> Self {
        fold(None, &FileTui::default())
    }
}

/// Reads `[tui]`.
pub(super) fn read(root: &Section<'_>) -> Result<FileTui, ConfigError> {
    let Some(tui) = root.section("tui")? else { return Ok(FileTui::default()) };
    let lines = tui.whole("output_lines", 1..=MOST_LINES, "output_lines = 8")?;
    let diff = tui.whole("diff_lines", 1..=MOST_LINES, "diff_lines = 40")?;
    let reasoning = tui.whole("reasoning_lines", 0..=MOST_LINES, "reasoning_lines = 0")?;
    Ok(FileTui {
        theme: super::file::filled(tui.string("theme", r#"theme = "auto""#)?),
        notifications: tui.boolean("notifications", "notifications = true")?,
        reduced_motion: tui.boolean("reduced_motion", "reduced_motion = true")?,
        output_lines: super::file::unsigned(lines),
        diff_lines: super::file::unsigned(diff),
        reasoning_lines: super::file::unsigned(reasoning),
        vim: tui.boolean("vim", "vim = true")?,
        plain: tui.boolean("plain", "plain = true")?,
        fullscreen: tui.boolean("fullscreen", "fullscreen = true")?,
        mouse: tui.boolean("mouse", "mouse = true")?,
    })
}

/// What it means, below the command line's word.
pub(super) fn fold(flag: Option<Surface>, file: &FileTui) -> TuiConfig {
    let surface = |is_wanted| if is_wanted { Surface::Fullscreen } else { Surface::Scrollback };
    TuiConfig {
        theme: file.theme.clone().unwrap_or_else(|| "auto".to_owned()),
        notifications: match file.notifications {
            Some(true) | None => Notifications::On,
            Some(false) => Notifications::Off,
        },
        motion: match file.reduced_motion {
            Some(true) => Motion::Reduced,
            Some(false) | None => Motion::Full,
        },
        output_lines: file.output_lines.unwrap_or(OUTPUT_LINES),
        diff_lines: file.diff_lines.unwrap_or(DIFF_LINES),
        reasoning_lines: file.reasoning_lines.unwrap_or(REASONING_LINES),
        keys: match file.vim {
            Some(true) => InputKeys::Vi,
            Some(false) | None => InputKeys::Readline,
        },
        showing: match file.plain {
            Some(true) => Showing::Told,
            Some(false) | None => Showing::Drawn,
        },
        surface: pick(flag, file.fullscreen.map(surface), Surface::Scrollback),
        mouse: match file.mouse {
            Some(true) => Mouse::Reported,
            Some(false) | None => Mouse::Untouched,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::Origin;
    use super::*;

    fn read(text: &str) -> Result<TuiConfig, String> {
        let file =
            super::super::parse(Path::new("/c/config.toml"), text).map_err(|error| error.to_string())?;
        assert_eq!(file.warnings, [""; 0], "{text}");
        Ok(fold(None, &file.tui))
    }

    #[test]
    fn every_key_is_read_and_none_is_needed() {
        let all = "[tui]\ntheme = \"dark\"\nnotifications = false\nreduced_motion = true\noutput_lines = 3\ndiff_lines = 9\nreasoning_lines = 4\nvim = true\nplain = true\nfullscreen = true\nmouse = true";
        let expected = TuiConfig {
            theme: "dark".to_owned(),
            notifications: Notifications::Off,
            motion: Motion::Reduced,
            output_lines: 3,
            diff_lines: 9,
            reasoning_lines: 4,
            keys: InputKeys::Vi,
            showing: Showing::Told,
            surface: Sourced { value: Surface::Fullscreen, origin: Origin::UserFile },
            mouse: Mouse::Reported,
        };
        assert_eq!(read(all), Ok(expected));
        assert_eq!(read(""), Ok(TuiConfig::default()));
        assert_eq!(read("[tui]\ntheme = ' '").unwrap().theme, "auto");
    }

    #[test]
    fn a_wrong_value_is_an_error_with_its_line() {
        let check = |line: &str, expected: &str| {
            let error = read(&format!("[tui]\n{line}")).unwrap_err();
            assert_eq!(error, format!("cannot read /c/config.toml: line 2: {expected}"));
        };
        check("theme = 1", "`tui.theme` must be a string in quotes, not an integer (try `theme = \"auto\"`)");
        check(
            "output_lines = 0",
            "`tui.output_lines`: 0 is out of range: from 1 to 10000 (try `output_lines = 8`)",
        );
    }
}
