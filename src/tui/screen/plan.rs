//! A frame made ready for a screen of some size: as many rows as there is room for, and where the cursor is left.
//!
//! No byte and nothing of what stands there: that is the screen's. What is cut away is the region's top, never its end.

use ratatui::layout::Size;

use super::link::Links;
use super::row::Row;
use super::{Cursor, Frame, Pace, Reach, Rewrap, Spot};

/// With [`Rewrap::Drifts`] the row that holds the cursor must be one that no usual width wraps.
const SHORT_ROW: u16 = 20;

/// A frame made ready for its screen: rows cut to size, and where the cursor is to be left.
pub(super) struct Plan {
    pub(super) rows: Vec<Row>,
    pub(super) rest: Spot,
    pub(super) cursor: Cursor,
}

impl Plan {
    /// A frame for this size.
    pub(super) fn of(frame: &Frame, size: Size, rewrap: Rewrap) -> Self {
        let hidden = frame.live.len().saturating_sub(usize::from(room(frame.reach, size)));
        let spot = frame.cursor.and_then(|spot| visible(spot, hidden, size.width));
        let painted = spot.filter(|_| frame.pace == Pace::Busy);
        let mut rows: Vec<Row> = (frame.live.iter().skip(hidden).zip(0_u16..))
            .map(|(line, index)| {
                let cursor = painted.filter(|spot| spot.row == index).map(|spot| spot.col);
                Row::fit(line, size.width, cursor, &Links::default())
            })
            .collect();
        match (spot, frame.pace) {
            (Some(rest), Pace::Rest) => Self { rows, rest, cursor: Cursor::Shown },
            (None, _) | (_, Pace::Busy) => {
                let rest = anchor(&mut rows, rewrap);
                Self { rows, rest, cursor: Cursor::Hidden }
            }
        }
    }
}

/// Where a hidden cursor waits. A terminal that drifts keeps it only at the end of a short last row; where the view
/// gave none, one is added.
fn anchor(rows: &mut Vec<Row>, rewrap: Rewrap) -> Spot {
    match rewrap {
        Rewrap::Unknown | Rewrap::Follows => Spot::default(),
        Rewrap::Drifts => {
            if rows.last().is_none_or(|row| row.width() > SHORT_ROW) {
                rows.push(Row::default());
            }
            let col = rows.last().map_or(0, Row::width);
            Spot { row: u16::try_from(rows.len()).unwrap_or(u16::MAX).saturating_sub(1), col }
        }
    }
}

/// The cursor's cell once `hidden` rows are cut off the top.
fn visible(spot: Spot, hidden: usize, width: u16) -> Option<Spot> {
    let row = usize::from(spot.row).checked_sub(hidden)?;
    Some(Spot { row: u16::try_from(row).ok()?, col: spot.col.min(width.saturating_sub(1)) })
}

/// The most rows of the live region: half the screen, so that a shrinking window meets our own rows first; never more
/// than there are.
fn room(reach: Reach, size: Size) -> u16 {
    match reach {
        Reach::Half => (size.height / 2).max(3).min(size.height),
        Reach::Whole => size.height,
    }
}
