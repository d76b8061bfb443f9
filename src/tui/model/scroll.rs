//! Where one reads in a transcript that the program scrolls itself.
//!
//! It knows no row: how high a cell is at the present width is asked of whoever draws, and only of cells on the way. So keys leave
//! wishes here, and the next frame fulfils them. The surprise: while one reads further up, the place is the cell at the top of the
//! screen, not a distance from the end. Whatever arrives below cannot move it, and nothing is counted that is not seen.

use super::Size;

/// Where one reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scroll {
    place: Place,
    wish: Option<Wish>,
    news: News,
    /// The screen for which the place was found.
    size: Option<Size>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    /// At the end, whatever arrives.
    #[default]
    End,
    /// Further up.
    At(Top),
}

/// The row at the top of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Top {
    /// The cell that it belongs to.
    pub cell: usize,
    /// How far down in the cell.
    pub row: usize,
    /// How many rows the cell had as it was settled.
    of: usize,
}

/// Whether something has arrived that was not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum News {
    /// Nothing.
    #[default]
    None,
    /// Below what is read.
    Below,
}

/// Where one wants to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wish {
    from: From,
    /// Down; up where it is negative.
    rows: isize,
    pages: isize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Here,
    Beginning,
    End,
}

/// What there is to scroll in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Cells; what goes on now is the last of them.
    pub cells: usize,
    /// Rows of the screen for them.
    pub body: usize,
    /// The whole screen.
    pub size: Size,
}

impl Scroll {
    /// So many rows down, up where it is negative.
    pub fn rows(&mut self, rows: isize) {
        let wish = self.wish.get_or_insert(Wish::from(From::Here));
        wish.rows = wish.rows.saturating_add(rows);
    }

    /// So many screens down, up where it is negative.
    pub fn pages(&mut self, pages: isize) {
        let wish = self.wish.get_or_insert(Wish::from(From::Here));
        wish.pages = wish.pages.saturating_add(pages);
    }

    /// To the beginning.
    pub fn to_beginning(&mut self) {
        self.wish = Some(Wish::from(From::Beginning));
    }

    /// To the end, and on with what arrives.
    pub fn follow(&mut self) {
        self.wish = Some(Wish::from(From::End));
    }

    /// Something has arrived at the end.
    pub fn arrived(&mut self) {
        if self.is_paused() {
            self.news = News::Below;
        }
    }

    /// Whether what arrives is not followed.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.place != Place::End
    }

    /// Whether the end is to be seen whole: else of what goes on now only the last rows are.
    #[must_use]
    pub fn leaves_the_end(&self) -> bool {
        self.is_paused() || self.wish.is_some()
    }

    /// What has arrived since it was paused.
    #[must_use]
    pub fn news(&self) -> News {
        self.news
    }

    /// Fulfils what was wished and gives the row at the top of the screen. `height` tells the rows of a cell.
    pub fn settle(&mut self, extent: Extent, height: &mut impl FnMut(usize) -> usize) -> Top {
        let resized = self.size.replace(extent.size).is_some_and(|before| before != extent.size);
        let wish = self.wish.take();
        let from = match (wish.map(|wish| wish.from), self.place) {
            (Some(From::Beginning), _) => Top::default(),
            (Some(From::End), _) | (None | Some(From::Here), Place::End) => last_screen(extent, height),
            (None | Some(From::Here), Place::At(top)) if resized => top.at_its_share(height),
            (None | Some(From::Here), Place::At(top)) => top,
        };
        let top = moved(from, wish.map_or(0, |wish| wish.in_rows(extent.body)), extent, height);
        // what stood there may have ended below it: then the end is next to it
        let is_past = top.row >= height(top.cell).max(1);
        let may_follow = wish.is_some() || resized || is_past || self.place == Place::End;
        self.place = if may_follow { reached(top, extent, height) } else { Place::At(top) };
        match &mut self.place {
            Place::At(top) => {
                top.of = height(top.cell);
                *top
            }
            Place::End => {
                self.news = News::None;
                last_screen(extent, height)
            }
        }
    }
}

impl Wish {
    const fn from(from: From) -> Self {
        Self { from, rows: 0, pages: 0 }
    }

    /// One row stays in sight from screen to screen.
    fn in_rows(self, body: usize) -> isize {
        let page = isize::try_from(body.saturating_sub(1).max(1)).unwrap_or(isize::MAX);
        self.pages.saturating_mul(page).saturating_add(self.rows)
    }
}

impl Top {
    /// The same place in a cell that has another height now.
    fn at_its_share(self, height: &mut impl FnMut(usize) -> usize) -> Self {
        let now = height(self.cell);
        let row = if now == self.of { self.row } else { self.row.saturating_mul(now) / self.of.max(1) };
        Self { row: row.min(now.saturating_sub(1)), ..self }
    }

    fn is_before(self, other: Self) -> bool {
        (self.cell, self.row) < (other.cell, other.row)
    }
}

/// The place that a row at the top of the screen is; nothing is further down than the last screen.
fn reached(top: Top, extent: Extent, height: &mut impl FnMut(usize) -> usize) -> Place {
    if top.is_before(last_screen(extent, height)) { Place::At(top) } else { Place::End }
}

/// The top of the last screen, looked for from the end.
fn last_screen(extent: Extent, height: &mut impl FnMut(usize) -> usize) -> Top {
    let mut missing = extent.body.max(1);
    for cell in (0..extent.cells).rev() {
        let rows = height(cell);
        if rows >= missing {
            return Top { cell, row: rows - missing, of: rows };
        }
        missing -= rows;
    }
    Top::default()
}

fn moved(from: Top, rows: isize, extent: Extent, height: &mut impl FnMut(usize) -> usize) -> Top {
    let by = rows.unsigned_abs();
    if rows < 0 { up(from, by, height) } else { down(from, by, extent, height) }
}

fn up(mut top: Top, mut rows: usize, height: &mut impl FnMut(usize) -> usize) -> Top {
    while rows > top.row {
        let Some(cell) = top.cell.checked_sub(1) else { return Top::default() };
        rows -= top.row;
        top = Top { cell, row: height(cell), of: 0 };
    }
    Top { row: top.row - rows, ..top }
}

fn down(mut top: Top, rows: usize, extent: Extent, height: &mut impl FnMut(usize) -> usize) -> Top {
    top.row = top.row.saturating_add(rows);
    while top.cell + 1 < extent.cells {
        let rows = height(top.cell);
        if top.row < rows {
            break;
        }
        top = Top { cell: top.cell + 1, row: top.row - rows, of: 0 };
    }
    top
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Cells of given heights on a screen, the last of them what goes on now.
    #[derive(Debug, Clone)]
    struct World {
        heights: Vec<usize>,
        scroll: Scroll,
        body: usize,
        columns: u16,
        /// Calls for a height since the last look.
        asked: usize,
    }

    impl World {
        fn new(heights: &[usize], body: usize) -> Self {
            Self { heights: heights.to_vec(), scroll: Scroll::default(), body, columns: 80, asked: 0 }
        }

        /// The row at the top, counted from the beginning.
        fn top(&mut self) -> usize {
            let rows = u16::try_from(self.body).unwrap();
            let size = Size { columns: self.columns, rows };
            let extent = Extent { cells: self.heights.len(), body: self.body, size };
            self.asked = 0;
            let (heights, asked) = (&self.heights, &mut self.asked);
            let mut height = |cell: usize| {
                *asked += 1;
                heights.get(cell).copied().unwrap_or_default()
            };
            let top = self.scroll.settle(extent, &mut height);
            self.heights.iter().take(top.cell).sum::<usize>() + top.row
        }

        fn total(&self) -> usize {
            self.heights.iter().sum()
        }

        fn push(&mut self, height: usize) {
            let last = self.heights.len() - 1;
            self.heights.insert(last, height);
            self.scroll.arrived();
        }
    }

    #[test]
    fn the_end_is_followed_until_one_goes_up_and_again_from_there() {
        let mut world = World::new(&[30, 30, 0], 20);
        assert_eq!(world.top(), 40);
        world.push(5);
        assert_eq!((world.top(), world.scroll.is_paused()), (45, false), "it follows");
        world.scroll.pages(-1);
        assert_eq!((world.top(), world.scroll.is_paused()), (26, true), "a row stays in sight");
        assert_eq!(world.scroll.news(), News::None);
        world.push(50);
        assert_eq!((world.top(), world.scroll.news()), (26, News::Below), "it stays");
        world.scroll.rows(3);
        assert_eq!(world.top(), 29);
        world.scroll.follow();
        assert_eq!((world.top(), world.scroll.is_paused()), (95, false));
        assert_eq!(world.scroll.news(), News::None);
    }

    #[test]
    fn scrolling_down_to_the_end_follows_again() {
        let mut world = World::new(&[60, 0], 20);
        world.scroll.rows(-1);
        assert_eq!((world.top(), world.scroll.is_paused()), (39, true));
        world.scroll.rows(1);
        assert_eq!((world.top(), world.scroll.is_paused()), (40, false));
        world.scroll.pages(-9);
        assert_eq!(world.top(), 0);
        world.scroll.pages(9);
        assert_eq!((world.top(), world.scroll.is_paused()), (40, false));
    }

    #[test]
    fn keys_before_a_frame_count_together() {
        let mut world = World::new(&[100, 0], 11);
        world.scroll.pages(-1);
        world.scroll.pages(-1);
        world.scroll.rows(1);
        assert_eq!(world.top(), 89 - 20 + 1);
        world.scroll.to_beginning();
        world.scroll.pages(1);
        assert_eq!(world.top(), 10);
        world.scroll.rows(5);
        world.scroll.follow();
        assert!(world.top() == 89 && !world.scroll.is_paused());
    }

    #[test]
    fn what_fits_on_the_screen_cannot_be_scrolled() {
        let mut world = World::new(&[3, 4, 0], 20);
        world.scroll.pages(-1);
        assert_eq!((world.top(), world.scroll.is_paused()), (0, false));
        world.scroll.to_beginning();
        assert_eq!((world.top(), world.scroll.is_paused()), (0, false));
        let mut nothing = World::new(&[0], 20);
        nothing.scroll.rows(-3);
        assert_eq!((nothing.top(), nothing.scroll.is_paused()), (0, false));
    }

    #[test]
    fn the_rows_that_become_a_cell_stay_where_they_are() {
        let mut world = World::new(&[30, 25], 10);
        world.scroll.rows(-5);
        assert_eq!(world.top(), 40);
        // what went on is two cells now, and less goes on
        world.heights = vec![30, 8, 17, 2];
        world.scroll.arrived();
        assert_eq!((world.top(), world.scroll.is_paused()), (40, true));
        // and where less is left than stood there, the end is next
        world.heights = vec![30, 8, 0];
        assert_eq!((world.top(), world.scroll.is_paused()), (28, false));
    }

    #[test]
    fn another_width_keeps_the_cell_and_its_share() {
        let mut world = World::new(&[40, 100, 40, 0], 20);
        world.scroll.to_beginning();
        world.scroll.rows(90);
        assert_eq!(world.top(), 90);
        world.heights = vec![80, 200, 80, 0];
        world.columns = 40;
        assert_eq!(world.top(), 80 + 100);
        world.heights = vec![40, 100, 40, 0];
        world.columns = 80;
        assert_eq!(world.top(), 90);
    }

    #[test]
    fn only_cells_on_the_way_are_measured() {
        let mut world = World::new(&vec![2; 10_000], 40);
        for go in [Scroll::follow, Scroll::to_beginning, |scroll: &mut Scroll| scroll.pages(1)] {
            go(&mut world.scroll);
            world.top();
            assert!(world.asked < 200, "{}", world.asked);
        }
        world.push(3);
        world.top();
        assert!(world.asked < 5, "what is read stays, and nothing is looked for: {}", world.asked);
    }

    /// What a user or the model does.
    #[derive(Debug, Clone)]
    enum Step {
        Push(usize),
        Tail(usize),
        Rows(isize),
        Pages(isize),
        Beginning,
        Follow,
        Resize(u16, usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            (0..40_usize).prop_map(Step::Push),
            (0..40_usize).prop_map(Step::Tail),
            (-50..50_isize).prop_map(Step::Rows),
            (-3..3_isize).prop_map(Step::Pages),
            Just(Step::Beginning),
            Just(Step::Follow),
            (1..200_u16, 0..60_usize).prop_map(|(columns, body)| Step::Resize(columns, body)),
        ];
        prop::collection::vec(step, 0..60)
    }

    proptest! {
        #[test]
        fn every_series_of_steps_leaves_a_valid_place_and_what_arrives_moves_none(steps in steps()) {
            let mut world = World::new(&[1, 30, 0], 20);
            let mut before = world.top();
            for step in steps {
                let was_paused = world.scroll.is_paused();
                let total = world.total();
                let mut arrived = false;
                match step {
                    Step::Push(height) => {
                        world.push(height);
                        arrived = true;
                    }
                    Step::Tail(height) => {
                        // what goes on grows; that it shrinks is a case of its own
                        let last = world.heights.last_mut().unwrap();
                        *last = height.max(*last);
                        world.scroll.arrived();
                        arrived = true;
                    }
                    Step::Rows(rows) => world.scroll.rows(rows),
                    Step::Pages(pages) => world.scroll.pages(pages),
                    Step::Beginning => world.scroll.to_beginning(),
                    Step::Follow => world.scroll.follow(),
                    Step::Resize(columns, body) => (world.columns, world.body) = (columns, body),
                }
                let in_tail = before >= total - world.heights.last().unwrap().min(&total);
                let top = world.top();
                let last = world.total().saturating_sub(world.body.max(1));
                prop_assert!(top <= last, "{top} is below the last screen {last}");
                if world.scroll.is_paused() {
                    prop_assert!(top < last);
                } else {
                    prop_assert_eq!(top, last);
                    prop_assert_eq!(world.scroll.news(), News::None);
                }
                // a cell pushed before what goes on moves that, and whoever reads there
                if arrived && was_paused && !in_tail {
                    prop_assert_eq!(top, before);
                    prop_assert!(world.scroll.is_paused() && world.scroll.news() == News::Below);
                }
                before = top;
            }
        }
    }
}
