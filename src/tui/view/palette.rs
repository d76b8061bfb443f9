//! Colours by number, for those who do not want their terminal's own sixteen.
//!
//! A palette gives each of the six hues that [`super::theme`] uses another shade, and dim text a colour instead of a
//! faintness that every terminal draws differently. So a role never needs a row of its own here. The shades are
//! readable on every usual background of their kind: a test computes the contrast, at 256 colours as well.

use ratatui::style::Color;

use super::theme::Role;
use crate::text::sgr::Colour;

/// How many colours there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Depth {
    /// None at all.
    None,
    /// The terminal's own.
    #[default]
    Sixteen,
    /// A fixed table.
    Indexed,
    /// All.
    True,
}

/// Shades for hues and roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Palette {
    hues: [Color; 6],
    dim: Option<Color>,
    own: [Option<Color>; OWN.len()],
}

/// The hues that roles are made of, in the order of a palette.
const HUES: [Color; 6] = [Color::Red, Color::Green, Color::Yellow, Color::Blue, Color::Magenta, Color::Cyan];

/// What a theme's file may name.
const OWN: [(&str, Role); 12] = [
    ("accent", Role::Accent),
    ("dim", Role::Dim),
    ("good", Role::Good),
    ("bad", Role::Bad),
    ("warn", Role::Warn),
    ("error", Role::Error),
    ("code", Role::Code),
    ("heading", Role::Heading),
    ("link", Role::Link),
    ("strong", Role::Strong),
    ("emphasis", Role::Emphasis),
    ("struck", Role::Struck),
];

impl Palette {
    /// The terminal's own colours.
    pub const ANSI: Self = Self { hues: HUES, dim: None, own: [None; OWN.len()] };
    /// For a dark background.
    pub const DARK: Self =
        Self::of([0xff_8080, 0x87_d787, 0xe5_c07b, 0x8a_b4ff, 0xdc_a8ec, 0x6f_d0e0], 0xa8_a8a8);
    /// For a light one.
    pub const LIGHT: Self =
        Self::of([0xa8_1e16, 0x18_5f28, 0x6b_4700, 0x1f_4fb8, 0x8a_2a8f, 0x00_5a66], 0x55_5555);
    /// Good is blue and bad is orange, which all kinds of colour vision tell apart; for a dark background.
    pub const COLOUR_BLIND_DARK: Self =
        Self::of([0xff_a94d, 0x6c_b8f5, 0xf0_e442, 0xa5_b8ff, 0xe0_a8d0, 0xe0_a8d0], 0xa8_a8a8);
    /// The same for a light one.
    pub const COLOUR_BLIND_LIGHT: Self =
        Self::of([0x96_3c00, 0x00_559c, 0x5c_4e00, 0x3d_3db0, 0x85_2a6a, 0x85_2a6a], 0x55_5555);
    /// The same with the terminal's own colours.
    pub const COLOUR_BLIND_ANSI: Self = Self {
        hues: [Color::Red, Color::LightBlue, Color::Yellow, Color::Blue, Color::Magenta, Color::Cyan],
        ..Self::ANSI
    };

    const fn of(hues: [u32; 6], dim: u32) -> Self {
        let [red, green, yellow, blue, magenta, cyan] = hues;
        Self {
            hues: [rgb(red), rgb(green), rgb(yellow), rgb(blue), rgb(magenta), rgb(cyan)],
            dim: Some(rgb(dim)),
            own: [None; OWN.len()],
        }
    }

    /// The same with a user's own colours.
    #[must_use]
    pub fn with(mut self, colours: &[(&'static str, Colour)]) -> Self {
        for (slot, (name, _)) in self.own.iter_mut().zip(OWN) {
            let named = colours.iter().find(|(role, _)| *role == name);
            *slot = named.map(|(_, colour)| super::theme::colour(*colour)).or(*slot);
        }
        self
    }

    /// The same with no more colours than the terminal has.
    #[must_use]
    pub fn at(mut self, depth: Depth) -> Self {
        for (hue, plain) in self.hues.iter_mut().zip(HUES) {
            *hue = reduced(*hue, depth).unwrap_or(plain);
        }
        self.dim = self.dim.and_then(|dim| reduced(dim, depth));
        for slot in &mut self.own {
            *slot = slot.and_then(|colour| reduced(colour, depth));
        }
        self
    }

    /// The shade of what is drawn in `hue` for `role`.
    pub(super) fn shade(&self, role: Role, hue: Option<Color>) -> Option<Color> {
        let own = OWN.iter().zip(self.own).find(|((_, named), _)| *named == role).and_then(|(_, own)| own);
        own.or_else(|| {
            let shade = HUES.iter().zip(self.hues).find(|(known, _)| Some(**known) == hue);
            shade.map(|(_, shade)| shade).or(hue)
        })
    }

    /// The colour of what is dim, where it has one.
    pub(super) fn dim(&self) -> Option<Color> {
        self.dim
    }
}

const fn rgb(number: u32) -> Color {
    let [_, r, g, b] = number.to_be_bytes();
    Color::Rgb(r, g, b)
}

/// A colour as it is with fewer of them; none where the terminal's own has to do.
fn reduced(colour: Color, depth: Depth) -> Option<Color> {
    match (colour, depth) {
        (_, Depth::None) | (Color::Rgb(..) | Color::Indexed(16..), Depth::Sixteen) => None,
        (Color::Rgb(r, g, b), Depth::Indexed) => Some(Color::Indexed(nearest([r, g, b]))),
        (colour, Depth::Sixteen | Depth::Indexed | Depth::True) => Some(colour),
    }
}

/// The steps of the cube of 6 × 6 × 6 colours that begins at 16 (xterm's 256 colours).
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The nearest of the 240 fixed colours.
fn nearest(wanted: [u8; 3]) -> u8 {
    let distance = |index: u8| -> u32 {
        let of = fixed(index).into_iter().zip(wanted);
        of.map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
    };
    (16..=255).min_by_key(|index| distance(*index)).unwrap_or(16)
}

/// Red, green and blue of one of the 240 fixed colours.
fn fixed(index: u8) -> [u8; 3] {
    if let Some(grey) = index.checked_sub(232) {
        return [8 + 10 * grey; 3];
    }
    let step = |n: u8| STEPS.get(usize::from(n % 6)).copied().unwrap_or_default();
    let cube = index.saturating_sub(16);
    [step(cube / 36), step(cube / 6), step(cube)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const DARK: [u32; 5] = [0x00_0000, 0x1e_1e1e, 0x28_2c34, 0x00_2b36, 0x2e_3440];
    const LIGHT: [u32; 4] = [0xff_ffff, 0xfd_f6e3, 0xfa_fafa, 0xee_eeee];

    /// Relative luminance (WCAG 2.2).
    fn luminance(colour: Color) -> f64 {
        let parts = match colour {
            Color::Rgb(r, g, b) => [r, g, b],
            Color::Indexed(index) => fixed(index),
            other => panic!("{other} has no fixed colour"),
        };
        let linear = parts.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    fn contrast(a: Color, b: Color) -> f64 {
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        if a > b { a / b } else { b / a }
    }

    #[test]
    fn all_shades_are_readable_on_all_usual_backgrounds() {
        let check = |palette: Palette, backgrounds: &[u32]| {
            for depth in [Depth::True, Depth::Indexed] {
                let palette = palette.at(depth);
                for shade in palette.hues.into_iter().chain(palette.dim) {
                    for background in backgrounds {
                        let contrast = contrast(shade, rgb(*background));
                        // WCAG 2.2, 1.4.3: 4.5 for text
                        assert!(contrast >= 4.5, "{shade} on {background:06x}: {contrast:.2}");
                    }
                }
            }
        };
        check(Palette::DARK, &DARK);
        check(Palette::COLOUR_BLIND_DARK, &DARK);
        check(Palette::LIGHT, &LIGHT);
        check(Palette::COLOUR_BLIND_LIGHT, &LIGHT);
    }

    #[test]
    fn good_and_bad_differ_without_red_and_green() {
        for palette in [Palette::COLOUR_BLIND_DARK, Palette::COLOUR_BLIND_LIGHT] {
            let blue = |hue: usize| match palette.hues[hue] {
                Color::Rgb(_, _, b) => b,
                other => panic!("{other}"),
            };
            assert!(blue(1).abs_diff(blue(0)) > 100, "{palette:?}");
        }
    }

    #[test]
    fn with_fewer_colours_the_nearest_is_taken_and_with_sixteen_the_terminals_own() {
        let check =
            |colour, depth, expected| assert_eq!(reduced(colour, depth), expected, "{colour} {depth:?}");
        check(Color::Rgb(255, 0, 0), Depth::Indexed, Some(Color::Indexed(196)));
        check(Color::Rgb(129, 128, 127), Depth::Indexed, Some(Color::Indexed(244)));
        check(Color::Rgb(1, 2, 3), Depth::True, Some(Color::Rgb(1, 2, 3)));
        check(Color::Rgb(1, 2, 3), Depth::Sixteen, None);
        check(Color::Indexed(200), Depth::Sixteen, None);
        check(Color::Indexed(9), Depth::Sixteen, Some(Color::Indexed(9)));
        check(Color::Indexed(9), Depth::None, None);
        assert_eq!(Palette::DARK.at(Depth::Sixteen), Palette::ANSI);
        assert_eq!((fixed(16), fixed(231), fixed(232), fixed(255)), ([0; 3], [255; 3], [8; 3], [238; 3]));
    }

    #[test]
    fn whatever_a_file_may_name_has_its_role() {
        let colours = crate::app::THEME_ROLES.map(|role| (role, Colour::Indexed(1)));
        let own = Palette::DARK.with(&colours);
        assert_eq!(own.own, [Some(Color::Indexed(1)); OWN.len()]);
        assert_eq!(Palette::DARK.with(&[]), Palette::DARK);
    }
}
