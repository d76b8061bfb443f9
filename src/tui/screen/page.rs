//! A whole page on the alternate screen: home, each row with the rest of it erased, nothing scrolled.
//!
//! Only the alternate screen is ever drawn like this; on the user's own one there is no absolute position.

use ratatui::layout::Size;
use ratatui::text::Line;

use super::row::Row;
use super::{ERASE_RIGHT, NEW_LINE, SYNC_BEGIN, SYNC_END, WRAP_OFF, WRAP_ON};

const HOME: &[u8] = b"\x1b[H";
const ERASE_BELOW: &[u8] = b"\x1b[J";

/// Appends to `out` what makes the alternate screen show `rows`, from the top; what is too wide or too many is cut.
pub fn page(rows: &[Line<'_>], size: Size, out: &mut Vec<u8>) {
    out.extend_from_slice(SYNC_BEGIN);
    out.extend_from_slice(WRAP_OFF);
    out.extend_from_slice(HOME);
    for (index, row) in rows.iter().take(usize::from(size.height)).enumerate() {
        if index > 0 {
            out.extend_from_slice(NEW_LINE);
        }
        // Before, not after: behind a full row the cursor still stands on its last cell.
        out.extend_from_slice(ERASE_RIGHT);
        Row::fit(row, size.width, None).write_from(0, out);
    }
    if rows.len() < usize::from(size.height) {
        out.extend_from_slice(NEW_LINE);
        out.extend_from_slice(ERASE_BELOW);
    }
    out.extend_from_slice(WRAP_ON);
    out.extend_from_slice(SYNC_END);
}
