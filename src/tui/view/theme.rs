//! What things look like: roles on one side, the terminal's own colours on the other.
//!
//! Which colour a role has is said here alone. Sixteen ANSI colours, so that the user's palette decides what they are, and
//! never black, white or grey, which vanish on one background or the other; what is secondary is dim instead. A
//! colour is never all that carries a meaning: where there are none ([`Theme::Mono`]) attributes remain. Other shades of
//! these colours, for who wants them, are [`super::palette`]'s.

use ratatui::style::{Color, Modifier, Style};

use super::palette::Palette;
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
    /// In code: a word of the language.
    Keyword,
    /// In code: a string.
    Text,
    /// In code: a comment.
    Comment,
    /// In code: a number.
    Number,
    /// In code: a type.
    Type,
    /// In code: what is called, and the key of a value.
    Name,
    /// In an added line: what is new in it.
    Came,
    /// In a removed line: what is not in the line that takes its place.
    Went,
}

/// Whether there are colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Theme {
    /// ANSI colours and attributes.
    #[default]
    Colour,
    /// Attributes only (`NO_COLOR`).
    Mono,
    /// Other shades of the colours.
    Tinted(Palette),
}

impl Theme {
    /// The style of a role.
    pub fn style(self, role: Role) -> Style {
        let (colour, attributes) = match role {
            Role::Plain => (None, Modifier::empty()),
            Role::Accent => (Some(Color::Cyan), Modifier::BOLD),
            Role::Dim | Role::Comment => (None, Modifier::DIM),
            Role::Good | Role::Text => (Some(Color::Green), Modifier::empty()),
            Role::Bad => (Some(Color::Red), Modifier::empty()),
            Role::Warn | Role::Number => (Some(Color::Yellow), Modifier::empty()),
            Role::Error => (Some(Color::Red), Modifier::BOLD),
            Role::Code | Role::Type => (Some(Color::Cyan), Modifier::empty()),
            Role::Heading | Role::Strong => (None, Modifier::BOLD),
            Role::Link => (None, Modifier::UNDERLINED),
            Role::Emphasis => (None, Modifier::ITALIC),
            Role::Struck => (None, Modifier::CROSSED_OUT),
            Role::Keyword => (Some(Color::Magenta), Modifier::empty()),
            Role::Name => (Some(Color::Blue), Modifier::empty()),
            Role::Came => (Some(Color::Green), Modifier::BOLD.union(Modifier::UNDERLINED)),
            Role::Went => (Some(Color::Red), Modifier::BOLD.union(Modifier::UNDERLINED)),
        };
        let (fg, attributes) = match self {
            Self::Colour => (colour, attributes),
            Self::Mono => (None, attributes),
            Self::Tinted(palette) => match (palette.shade(role, colour), palette.dim()) {
                // a colour in place of a faintness that cannot be relied on
                (None, Some(dim)) if attributes == Modifier::DIM => (Some(dim), Modifier::empty()),
                (shade, _) => (shade, attributes),
            },
        };
        Style { fg, ..Style::new() }.add_modifier(attributes)
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
            Self::Colour | Self::Tinted(_) => {
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

/// A colour in the drawing library's words.
pub(super) fn colour(colour: Colour) -> Color {
    match colour {
        Colour::Indexed(n) => Color::Indexed(n),
        Colour::Rgb(r, g, b) => Color::Rgb(r, g, b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: [Role; 21] = [
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
        Role::Keyword,
        Role::Text,
        Role::Comment,
        Role::Number,
        Role::Type,
        Role::Name,
        Role::Came,
        Role::Went,
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

    #[test]
    fn another_shade_keeps_the_attributes_and_dim_has_a_colour() {
        let dark = Theme::Tinted(Palette::DARK);
        // what is faint gets a colour
        for role in ROLES.into_iter().filter(|role| ![Role::Dim, Role::Comment].contains(role)) {
            let (plain, shaded) = (Theme::Colour.style(role), dark.style(role));
            assert_eq!(
                (shaded.add_modifier, shaded.fg.is_some()),
                (plain.add_modifier, plain.fg.is_some()),
                "{role:?}"
            );
        }
        let dim = dark.style(Role::Dim);
        assert_eq!((dim.fg, dim.add_modifier), (Palette::DARK.dim(), Modifier::empty()));
        assert_eq!(Theme::Tinted(Palette::ANSI).style(Role::Dim), Theme::Colour.style(Role::Dim));
    }
}
