//! What things look like: roles on one side, the terminal's own colours on the other.
//!
//! The only file that names a colour. Sixteen ANSI colours, so that the user's palette decides what they are, and
//! never black, white or grey, which vanish on one background or the other; what is secondary is dim instead. A
//! colour is never all that carries a meaning: where there are none ([`Theme::Mono`]) attributes remain.

use ratatui::style::{Color, Modifier, Style};

use crate::text::sgr::{Attrs, Colour, Sgr};

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Text as it is.
    Plain,
    /// What is the user's own, or has the focus.
    Accent,
    /// What is secondary.
    Dim,
    /// What went well; an added line.
    Good,
    /// What failed; a removed line.
    Bad,
    /// What needs the user.
    Warn,
    /// An error.
    Error,
    /// Code, in a line or in a block.
    Code,
    /// A heading.
    Heading,
    /// The text of a link.
    Link,
    /// Strong words.
    Strong,
    /// Emphasised words.
    Emphasis,
    /// What is struck out.
    Struck,
}

/// Whether there are colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Theme {
    /// ANSI colours and attributes.
    #[default]
    Colour,
    /// Attributes only (`NO_COLOR`).
    Mono,
}

impl Theme {
    /// The style of a role.
    pub fn style(self, role: Role) -> Style {
        let (colour, attributes) = match role {
            Role::Plain => (None, Modifier::empty()),
            Role::Accent => (Some(Color::Cyan), Modifier::BOLD),
            Role::Dim => (None, Modifier::DIM),
            Role::Good => (Some(Color::Green), Modifier::empty()),
            Role::Bad => (Some(Color::Red), Modifier::empty()),
            Role::Warn => (Some(Color::Yellow), Modifier::empty()),
            Role::Error => (Some(Color::Red), Modifier::BOLD),
            Role::Code => (Some(Color::Cyan), Modifier::empty()),
            Role::Heading | Role::Strong => (None, Modifier::BOLD),
            Role::Link => (None, Modifier::UNDERLINED),
            Role::Emphasis => (None, Modifier::ITALIC),
            Role::Struck => (None, Modifier::CROSSED_OUT),
        };
        Style { fg: colour.filter(|_| self == Self::Colour), ..Style::new() }.add_modifier(attributes)
    }

    /// What a command asked for in its output. Letters in the colour of their background would be hidden, so they
    /// keep the terminal's own.
    pub fn foreign(self, sgr: Sgr) -> Style {
        let attributes = ATTRIBUTES
            .iter()
            .filter(|(wanted, _)| sgr.attrs.contains(*wanted))
            .fold(Modifier::empty(), |all, (_, modifier)| all | *modifier);
        let style = Style::new().add_modifier(attributes);
        match self {
            Self::Colour => {
                let fg = sgr.fg.filter(|fg| sgr.bg != Some(*fg));
                Style { fg: fg.map(colour), bg: sgr.bg.map(colour), ..style }
            }
            Self::Mono => style,
        }
    }
}

const ATTRIBUTES: [(Attrs, Modifier); 6] = [
    (Attrs::BOLD, Modifier::BOLD),
    (Attrs::DIM, Modifier::DIM),
    (Attrs::ITALIC, Modifier::ITALIC),
    (Attrs::UNDERLINE, Modifier::UNDERLINED),
    (Attrs::REVERSE, Modifier::REVERSED),
    (Attrs::STRIKE, Modifier::CROSSED_OUT),
];

fn colour(colour: Colour) -> Color {
    match colour {
        Colour::Indexed(n) => Color::Indexed(n),
        Colour::Rgb(r, g, b) => Color::Rgb(r, g, b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: [Role; 13] = [
        Role::Plain,
        Role::Accent,
        Role::Dim,
        Role::Good,
        Role::Bad,
        Role::Warn,
        Role::Error,
        Role::Code,
        Role::Heading,
        Role::Link,
        Role::Strong,
        Role::Emphasis,
        Role::Struck,
    ];

    #[test]
    fn without_colour_there_is_none() {
        for role in ROLES {
            let style = Theme::Mono.style(role);
            assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
            assert_eq!(style.add_modifier, Theme::Colour.style(role).add_modifier, "{role:?}");
        }
        let loud = Sgr { fg: Some(Colour::Indexed(1)), bg: Some(Colour::Indexed(2)), attrs: Attrs::BOLD };
        assert_eq!(Theme::Mono.foreign(loud), Style::new().add_modifier(Modifier::BOLD));
    }

    #[test]
    fn no_role_depends_on_the_background() {
        let unsafe_ones = [Color::Black, Color::White, Color::Gray, Color::DarkGray];
        for role in ROLES {
            let style = Theme::Colour.style(role);
            assert_eq!(style.bg, None);
            assert!(style.fg.is_none_or(|fg| !unsafe_ones.contains(&fg)), "{role:?}");
        }
    }

    #[test]
    fn a_command_cannot_hide_its_letters() {
        let hidden = Sgr { fg: Some(Colour::Indexed(1)), bg: Some(Colour::Indexed(1)), attrs: Attrs::NONE };
        assert_eq!(Theme::Colour.foreign(hidden), Style::new().bg(Color::Indexed(1)));
    }
}
