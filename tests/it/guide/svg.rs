//! Screens as SVG: a grid of cells becomes runs of text, one picture for a dark page and one for a light one.
//!
//! The sixteen ANSI colours are kept as numbers until here, so one recording of the program gives both. A run is a piece of a
//! row in one style; `textLength` keeps the columns aligned whatever monospaced font the reader has.

use std::fmt::Write as _;

use vt100::{Color, Screen};

/// Width of a column and height of a row, in pixels, at a font size of 14.
const COLUMN: f64 = 8.4;
const ROW: f64 = 18.0;
const MARGIN: f64 = 16.0;

/// What a page looks like: background, text, faint text, and the colours 0 to 15.
pub(super) struct Shades {
    pub(super) name: &'static str,
    background: &'static str,
    frame: &'static str,
    text: &'static str,
    faint: &'static str,
    ansi: [&'static str; 8],
}

/// The shades of the themes `dark` and `light`.
pub(super) const SHADES: [Shades; 2] = [
    Shades {
        name: "dark",
        background: "#1e1e1e",
        frame: "#3c3c3c",
        text: "#e4e4e4",
        faint: "#a8a8a8",
        ansi: ["#808080", "#ff8080", "#87d787", "#e5c07b", "#8ab4ff", "#dca8ec", "#6fd0e0", "#e4e4e4"],
    },
    Shades {
        name: "light",
        background: "#ffffff",
        frame: "#d0d0d0",
        text: "#1f2328",
        faint: "#555555",
        ansi: ["#808080", "#a81e16", "#185f28", "#6b4700", "#1f4fb8", "#8a2a8f", "#005a66", "#1f2328"],
    },
];

/// The style of a cell.
#[expect(clippy::struct_excessive_bools, reason = "the attributes of a cell, as the emulator has them")]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Style {
    colour: Option<u8>,
    bold: bool,
    faint: bool,
    italic: bool,
    underlined: bool,
    inverse: bool,
}

/// A piece of a row in one style.
#[derive(Clone, Debug, PartialEq)]
struct Run {
    column: u32,
    columns: u32,
    text: String,
    style: Style,
}

/// The rows of a screen, without the empty ones at its end.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Grid {
    columns: u32,
    rows: Vec<Vec<Run>>,
}

impl Grid {
    /// What is on the screen; `replace` gives the text to draw for each piece in one style.
    pub(super) fn of(screen: &Screen, replace: &dyn Fn(&str) -> String) -> Self {
        let (rows, columns) = screen.size();
        let (rows, columns) = (rows.get(), columns.get());
        let mut rows: Vec<Vec<Run>> = (0..rows).map(|row| runs(screen, row, columns, replace)).collect();
        while rows.last().is_some_and(Vec::is_empty) {
            rows.pop();
        }
        Self { columns: columns.into(), rows }
    }

    /// Its last rows. Where on a screen they are depends on what was there in between, such as a list of completions.
    pub(super) fn last(mut self, count: usize) -> Self {
        self.rows.drain(..self.rows.len().saturating_sub(count));
        let empty = self.rows.iter().take_while(|runs| runs.is_empty()).count();
        self.rows.drain(..empty);
        self
    }

    /// Each row in a group that `open` begins.
    fn draw(&self, shades: &Shades, open: impl Fn(u32) -> String) -> String {
        let mut drawn = String::new();
        for (number, runs) in (0..).zip(&self.rows).filter(|(_, runs)| !runs.is_empty()) {
            drawn += &open(number);
            for run in runs {
                drawn += &run.draw(number, shades);
            }
            drawn += "</g>\n";
        }
        drawn
    }
}

impl Run {
    fn draw(&self, row: u32, shades: &Shades) -> String {
        let colour = match (self.style.colour, self.style.faint) {
            (Some(colour), _) => Some(shades.ansi[usize::from(colour % 8)]),
            (None, true) => Some(shades.faint),
            (None, false) => None,
        };
        let mut attributes = String::new();
        let is_inverse = self.style.inverse;
        let fill = if is_inverse { Some(shades.background) } else { colour };
        for (is_set, attribute) in [
            (self.style.bold, " font-weight=\"bold\""),
            (self.style.italic, " font-style=\"italic\""),
            (self.style.underlined, " text-decoration=\"underline\""),
        ] {
            attributes += if is_set { attribute } else { "" };
        }
        if let Some(fill) = fill {
            write!(attributes, " fill=\"{fill}\"").unwrap();
        }
        let (x, y) = (MARGIN + COLUMN * f64::from(self.column), MARGIN + ROW * f64::from(row));
        let width = COLUMN * f64::from(self.columns);
        let behind = if is_inverse {
            let fill = colour.unwrap_or(shades.text);
            format!("<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{ROW}\" fill=\"{fill}\"/>")
        } else {
            String::new()
        };
        let text = self.text.replace('&', "&amp;").replace('<', "&lt;");
        format!(
            "{behind}<text x=\"{x:.1}\" y=\"{:.1}\" textLength=\"{width:.1}\"{attributes}>{text}</text>",
            y + 13.5
        )
    }
}

/// One screen that does not move.
pub(super) fn still(grid: &Grid, title: &str, shades: &Shades) -> String {
    framed(grid.columns, count(&grid.rows), title, shades, &grid.draw(shades, |_| "<g>".to_owned()))
}

/// Screens one after another, without end: what a screen has from the one before is there at once, the rest appears row by row.
/// Where pictures do not move, the last screen is shown.
pub(super) fn moving(grids: &[Grid], title: &str, shades: &Shades) -> String {
    const PER_ROW: f64 = 0.18;
    const READING: f64 = 3.5;
    let mut starts = Vec::new();
    let mut end = 0.0;
    for (number, grid) in grids.iter().enumerate() {
        let from = if number == 0 { 0 } else { scrolled(&grids[number - 1].rows, &grid.rows) };
        starts.push((end, from));
        end += PER_ROW * f64::from(count(&grid.rows) - from) + READING;
    }
    let mut drawn = String::new();
    for (number, grid) in grids.iter().enumerate() {
        let (start, from) = starts[number];
        let (hidden, gone) = match starts.get(number + 1) {
            Some((next, _)) => (" opacity=\"0\"", next / end),
            None => ("", 0.9999),
        };
        drawn += &grid.draw(shades, |row| {
            let shown = (start + PER_ROW * f64::from(row.saturating_sub(from))) / end;
            format!(
                "<g{hidden}><animate attributeName=\"opacity\" values=\"0;1;0\" keyTimes=\"0;{:.4};{gone:.4}\" calcMode=\"discrete\" \
                 dur=\"{end:.1}s\" repeatCount=\"indefinite\"/>",
                shown.max(0.0001)
            )
        });
    }
    let rows = grids.iter().map(|grid| count(&grid.rows)).max().unwrap_or_default();
    framed(grids[0].columns, rows, title, shades, &drawn)
}

/// How many rows at the top of a screen are rows of the one before, moved up.
fn scrolled(before: &[Vec<Run>], after: &[Vec<Run>]) -> u32 {
    let same =
        |by: usize| before[by..].iter().zip(after).take_while(|(before, after)| before == after).count();
    (0..before.len()).map(same).max().map_or(0, as_u32)
}

fn count(rows: &[Vec<Run>]) -> u32 {
    as_u32(rows.len())
}

fn as_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap()
}

fn framed(columns: u32, rows: u32, title: &str, shades: &Shades, drawn: &str) -> String {
    let (width, height) = (2.0 * MARGIN + COLUMN * f64::from(columns), 2.0 * MARGIN + ROW * f64::from(rows));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace\" font-size=\"14\" fill=\"{text}\" \
         xml:space=\"preserve\" role=\"img\">\n<title>{title}</title>\n<rect x=\"0.5\" y=\"0.5\" width=\"{:.0}\" height=\"{:.0}\" rx=\"8\" \
         fill=\"{background}\" stroke=\"{frame}\"/>\n{drawn}</svg>\n",
        width - 1.0,
        height - 1.0,
        text = shades.text,
        background = shades.background,
        frame = shades.frame,
    )
}

fn runs(screen: &Screen, row: u16, columns: u16, replace: &dyn Fn(&str) -> String) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for column in 0..columns {
        let Some(cell) = screen.cell(row, column).filter(|cell| !cell.is_wide_continuation()) else {
            continue;
        };
        let style = Style {
            colour: match cell.fgcolor() {
                Color::Idx(index) => Some(index),
                Color::Default | Color::Rgb(..) => None,
            },
            bold: cell.bold(),
            faint: cell.dim(),
            italic: cell.italic(),
            underlined: cell.underline(),
            inverse: cell.inverse(),
        };
        let text = if cell.has_contents() { cell.contents() } else { " " };
        let width = if cell.is_wide() { 2 } else { 1 };
        match runs.last_mut().filter(|run| run.style == style) {
            Some(run) => {
                run.text.push_str(text);
                run.columns += width;
            }
            None => runs.push(Run { column: column.into(), columns: width, text: text.to_owned(), style }),
        }
    }
    for run in &mut runs {
        let replaced = replace(&run.text);
        if replaced != run.text {
            run.columns = as_u32(replaced.chars().count());
            run.text = replaced;
        }
        let trimmed = run.text.trim_end_matches(' ').len();
        if !run.style.inverse && !run.style.underlined {
            run.columns -= as_u32(run.text.len() - trimmed);
            run.text.truncate(trimmed);
            let spaces = run.text.len() - run.text.trim_start_matches(' ').len();
            run.text.drain(..spaces);
            run.column += as_u32(spaces);
            run.columns -= as_u32(spaces);
        }
    }
    runs.retain(|run| !run.text.is_empty());
    runs
}
