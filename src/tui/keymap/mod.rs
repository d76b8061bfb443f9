//! Which key does what, where: one table, from which the help page is made as well.
//!
//! It gives names to wishes and fulfils none: whether `?` opens the help or is typed, whether Ctrl+C clears or leaves, is
//! decided by who knows the input. A character that no row names is typed where typing is possible.
//!
//! Help and behaviour cannot disagree, because there is nothing to write twice: a key that is not in the table does
//! nothing, a row of the table is a line of the help.

mod action;

use super::key::{Key, KeyCode, Mods};
use super::model::buffer::{Edit, Motion};

pub use action::{Action, Focus};

/// A line of the help page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HelpRow {
    /// Where it holds, the title that it stands under.
    pub section: &'static str,
    /// The keys, such as `Shift+Enter, Ctrl+J`.
    pub keys: String,
    /// What they do.
    pub text: &'static str,
}

/// A row of the table.
struct Row {
    focus: &'static [Focus],
    keys: &'static [Key],
    /// Other codes that terminals send for the same keys: bound, not shown.
    also: &'static [Key],
    action: Action,
    text: &'static str,
}

/// What `key` does in `focus`; `None` where it does nothing.
#[must_use]
pub fn action(focus: Focus, key: Key) -> Option<Action> {
    let key = normal(key);
    let bound = TABLE.iter().find(|row| row.focus.contains(&focus) && row.binds(key)).map(|row| row.action);
    bound.or_else(|| typed(key).filter(|_| focus.is_typed_into()).map(Action::Type))
}

/// The key of a character that came together with Esc: terminals send both as that character with Alt, and nothing is bound to this
/// one.
#[must_use]
pub fn after_esc(key: Key) -> Option<Key> {
    let KeyCode::Char(c) = key.code else { return None };
    let is_bound = TABLE.iter().any(|row| row.binds(normal(key)));
    (key.mods == Mods::ALT && !is_bound && !c.is_control()).then_some(Key::char(c))
}

/// The whole table for the help page, in its order.
pub fn help_rows() -> impl Iterator<Item = HelpRow> {
    TABLE.iter().map(|row| HelpRow {
        section: row.focus.first().map_or("", |focus| focus.title()),
        keys: row.keys.iter().map(|key| key.name()).collect::<Vec<_>>().join(", "),
        text: row.text,
    })
}

impl Focus {
    /// Whether a character that is not bound is typed.
    const fn is_typed_into(self) -> bool {
        match self {
            Self::Input | Self::Running | Self::Choice | Self::Picker | Self::Search => true,
            Self::Fullscreen
            | Self::Question
            | Self::Limit
            | Self::Tasks
            | Self::Rewind
            | Self::Permissions
            | Self::Pager
            | Self::Help => false,
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Input => "Input",
            Self::Running => "During a run",
            Self::Fullscreen => "In fullscreen mode",
            Self::Question => "Permission prompt",
            Self::Choice => "Question from the model",
            Self::Limit => "Turn limit prompt",
            Self::Picker => "Lists",
            Self::Rewind => "Rewind",
            Self::Tasks => "Background commands",
            Self::Permissions => "Permission rules",
            Self::Pager => "Transcript and help",
            Self::Search => "Search",
            Self::Help => "Help",
        }
    }
}

impl Row {
    fn binds(&self, key: Key) -> bool {
        self.keys.iter().chain(self.also).any(|bound| *bound == key)
    }

    const fn also(mut self, also: &'static [Key]) -> Self {
        self.also = also;
        self
    }
}

/// The one way in which a key is looked up: a character says itself whether Shift was held, and with Ctrl or Alt case
/// does not count.
fn normal(key: Key) -> Key {
    let mut mods = Mods::NONE;
    for held in [Mods::CTRL, Mods::ALT] {
        mods = if key.mods.contains(held) { mods.with(held) } else { mods };
    }
    if let KeyCode::Char(c) = key.code {
        let c = if mods == Mods::NONE { c } else { c.to_ascii_lowercase() };
        return Key { code: KeyCode::Char(c), mods };
    }
    if key.code == KeyCode::BackTab { Key { code: key.code, mods } } else { key }
}

/// The character that a key types.
fn typed(key: Key) -> Option<char> {
    let KeyCode::Char(c) = key.code else { return None };
    (key.mods == Mods::NONE).then_some(c)
}

const fn with(mods: Mods, code: KeyCode) -> Key {
    Key { code, mods }
}

const fn ctrl_alt(c: char) -> Key {
    Key { code: KeyCode::Char(c), mods: Mods::CTRL.with(Mods::ALT) }
}

const fn row(focus: &'static [Focus], keys: &'static [Key], action: Action, text: &'static str) -> Row {
    Row { focus, keys, also: &[], action, text }
}

const UP: Key = Key::plain(KeyCode::Up);
const DOWN: Key = Key::plain(KeyCode::Down);
const ENTER: Key = Key::plain(KeyCode::Enter);
const ESC: Key = Key::plain(KeyCode::Esc);
const PAGE_UP: Key = Key::plain(KeyCode::PageUp);
const PAGE_DOWN: Key = Key::plain(KeyCode::PageDown);
const HOME: Key = Key::plain(KeyCode::Home);
const END: Key = Key::plain(KeyCode::End);
const CTRL_HOME: Key = with(Mods::CTRL, KeyCode::Home);
const CTRL_END: Key = with(Mods::CTRL, KeyCode::End);

/// Where one writes to the model.
const LINE: &[Focus] = &[Focus::Input, Focus::Running];
/// Where one writes at all.
const TEXT: &[Focus] = &[Focus::Input, Focus::Running, Focus::Picker, Focus::Search];
const PAGES: &[Focus] = &[Focus::Pager, Focus::Help];
/// Where one writes to the model, or answers what is asked.
const TALK: &[Focus] = &[Focus::Input, Focus::Running, Focus::Question, Focus::Choice];
const ASKED: &[Focus] = &[Focus::Question, Focus::Choice];
const LISTS: &[Focus] = &[Focus::Picker, Focus::Tasks, Focus::Permissions];
const EVERYWHERE: &[Focus] = &[
    Focus::Input,
    Focus::Running,
    Focus::Question,
    Focus::Choice,
    Focus::Limit,
    Focus::Picker,
    Focus::Rewind,
    Focus::Tasks,
    Focus::Permissions,
    Focus::Pager,
    Focus::Search,
    Focus::Help,
];

/// The table. Ctrl+_ comes as Ctrl+7, Ctrl+/ or Ctrl+-, and Backspace as Ctrl+H, as the terminal pleases.
const TABLE: &[Row] = &[
    row(&[Focus::Input], &[ENTER], Action::Enter, "send"),
    row(
        LINE,
        &[with(Mods::SHIFT, KeyCode::Enter), with(Mods::ALT, KeyCode::Enter), Key::ctrl('j')],
        Action::NewLine,
        "new line (also: \\ before Enter)",
    )
    .also(&[with(Mods::CTRL, KeyCode::Enter)]),
    row(LINE, &[Key::plain(KeyCode::Tab)], Action::Complete, "complete a /command or an @path"),
    row(LINE, &[UP], Action::Up, "move up; on the first line: older history").also(&[Key::ctrl('p')]),
    row(LINE, &[DOWN], Action::Down, "move down; on the last line: newer history").also(&[Key::ctrl('n')]),
    row(LINE, &[Key::ctrl('r')], Action::SearchHistory, "search the history; again: next older match"),
    row(&[Focus::Input], &[ESC], Action::Close, "close a list or search; twice on empty input: rewind"),
    row(
        &[Focus::Input],
        &[Key::ctrl('c')],
        Action::ClearOrLeave,
        "clear the input; twice on empty input: exit",
    ),
    row(LINE, &[Key::ctrl('d')], Action::DeleteOrLeave, "delete right; on empty input: exit"),
    row(
        TALK,
        &[Key::plain(KeyCode::BackTab)],
        Action::NextMode,
        "next permission mode: default, accept-edits, plan",
    )
    .also(&[with(Mods::SHIFT, KeyCode::Tab)]),
    row(TALK, &[Key::ctrl('o')], Action::Transcript, "show the whole transcript, with tool output"),
    row(LINE, &[Key::ctrl('t')], Action::Todos, "show or hide the todo list"),
    row(LINE, &[Key::ctrl('v')], Action::PasteImage, "paste an image from the clipboard"),
    row(LINE, &[Key::ctrl('b')], Action::Background, "move the running command to the background"),
    row(LINE, &[Key::ctrl('g')], Action::EditOutside, "edit the input in $VISUAL or $EDITOR"),
    row(LINE, &[Key::char('?')], Action::Help, "on empty input: show this help"),
    row(EVERYWHERE, &[Key::ctrl('z')], Action::Suspend, "suspend"),
    row(EVERYWHERE, &[Key::ctrl('l')], Action::Redraw, "redraw the screen"),
    row(TEXT, &[Key::plain(KeyCode::Left)], Action::Edit(Edit::Move(Motion::Left)), "left"),
    row(TEXT, &[Key::plain(KeyCode::Right)], Action::Edit(Edit::Move(Motion::Right)), "right"),
    row(
        TEXT,
        &[Key::alt('b'), with(Mods::CTRL, KeyCode::Left)],
        Action::Edit(Edit::Move(Motion::WordLeft)),
        "one word left",
    )
    .also(&[with(Mods::ALT, KeyCode::Left)]),
    row(
        TEXT,
        &[Key::alt('f'), with(Mods::CTRL, KeyCode::Right)],
        Action::Edit(Edit::Move(Motion::WordRight)),
        "one word right",
    )
    .also(&[with(Mods::ALT, KeyCode::Right)]),
    row(
        TEXT,
        &[Key::ctrl('a'), HOME],
        Action::Edit(Edit::Move(Motion::LineStart)),
        "to the start of the line",
    ),
    row(TEXT, &[Key::ctrl('e'), END], Action::Edit(Edit::Move(Motion::LineEnd)), "to the end of the line"),
    row(TEXT, &[CTRL_HOME, Key::alt('<')], Action::Edit(Edit::Move(Motion::TextStart)), "to the first line"),
    row(TEXT, &[CTRL_END, Key::alt('>')], Action::Edit(Edit::Move(Motion::TextEnd)), "to the last line"),
    row(TEXT, &[Key::plain(KeyCode::Backspace)], Action::Edit(Edit::Delete(Motion::Left)), "delete left")
        .also(&[Key::ctrl('h'), with(Mods::SHIFT, KeyCode::Backspace)]),
    row(TEXT, &[Key::plain(KeyCode::Delete)], Action::Edit(Edit::Delete(Motion::Right)), "delete right"),
    row(
        TEXT,
        &[Key::ctrl('w')],
        Action::Edit(Edit::Kill(Motion::SpaceLeft)),
        "delete back to the previous space",
    ),
    row(
        TEXT,
        &[with(Mods::ALT, KeyCode::Backspace)],
        Action::Edit(Edit::Kill(Motion::WordLeft)),
        "delete the word before the cursor",
    )
    .also(&[with(Mods::CTRL, KeyCode::Backspace), ctrl_alt('h')]),
    row(
        TEXT,
        &[Key::alt('d')],
        Action::Edit(Edit::Kill(Motion::WordRight)),
        "delete the word after the cursor",
    )
    .also(&[with(Mods::ALT, KeyCode::Delete), with(Mods::CTRL, KeyCode::Delete)]),
    row(
        TEXT,
        &[Key::ctrl('u')],
        Action::Edit(Edit::Kill(Motion::LineStart)),
        "delete to the start of the line",
    ),
    row(TEXT, &[Key::ctrl('k')], Action::Edit(Edit::Kill(Motion::LineEnd)), "delete to the end of the line"),
    row(TEXT, &[Key::ctrl('y')], Action::Edit(Edit::Yank), "insert the text deleted last (yank)"),
    row(
        TEXT,
        &[Key::alt('y')],
        Action::Edit(Edit::YankOlder),
        "after Ctrl+Y: insert the text deleted before instead",
    ),
    row(TEXT, &[Key::ctrl('_')], Action::Edit(Edit::Undo), "undo").also(&[
        Key::ctrl('7'),
        Key::ctrl('/'),
        Key::ctrl('-'),
    ]),
    row(TEXT, &[Key::alt('_')], Action::Edit(Edit::Redo), "redo").also(&[
        Key::alt('-'),
        ctrl_alt('_'),
        ctrl_alt('7'),
        ctrl_alt('/'),
        ctrl_alt('-'),
    ]),
    row(&[Focus::Running], &[ENTER], Action::Enter, "queue the message for the next request"),
    row(&[Focus::Running], &[ESC, Key::ctrl('c')], Action::Abort, "interrupt the run"),
    row(&[Focus::Fullscreen], &[PAGE_UP], Action::PageUp, "scroll up one screen (stops following output)"),
    row(
        &[Focus::Fullscreen],
        &[PAGE_DOWN],
        Action::PageDown,
        "scroll down one screen (at the end: follow output)",
    ),
    row(&[Focus::Fullscreen], &[HOME], Action::Top, "on empty input: jump to the top"),
    row(&[Focus::Fullscreen], &[END], Action::Bottom, "on empty input: jump to the bottom"),
    row(&[Focus::Question], &[Key::char('1')], Action::Answer(1), "first answer"),
    row(&[Focus::Question], &[Key::char('2')], Action::Answer(2), "second answer"),
    row(&[Focus::Question], &[Key::char('3')], Action::Answer(3), "third answer"),
    row(&[Focus::Question], &[Key::char('4')], Action::Answer(4), "fourth answer (yes, with network)"),
    row(ASKED, &[UP], Action::Up, "previous answer"),
    row(ASKED, &[DOWN], Action::Down, "next answer"),
    row(ASKED, &[ENTER], Action::Enter, "confirm the answer marked ❯"),
    row(&[Focus::Question], &[Key::char('y')], Action::Yes, "yes"),
    row(&[Focus::Question], &[Key::char('n')], Action::No, "no"),
    row(&[Focus::Question], &[ESC, Key::ctrl('c')], Action::Abort, "interrupt the run"),
    row(&[Focus::Choice], &[Key::char('1')], Action::Answer(1), "first answer; 2 to 9: the others"),
    row(&[Focus::Choice], &[ESC], Action::Close, "skip the question"),
    row(&[Focus::Choice], &[Key::ctrl('c')], Action::Abort, "interrupt the run"),
    row(&[Focus::Limit], &[Key::char('y'), ENTER], Action::Yes, "continue"),
    row(&[Focus::Limit], &[Key::char('n'), ESC], Action::No, "stop").also(&[Key::ctrl('c')]),
    row(LISTS, &[UP, Key::ctrl('p')], Action::Up, "previous item"),
    row(LISTS, &[DOWN, Key::ctrl('n')], Action::Down, "next item"),
    row(&[Focus::Picker], &[PAGE_UP], Action::PageUp, "ten items up"),
    row(&[Focus::Picker], &[PAGE_DOWN], Action::PageDown, "ten items down"),
    row(&[Focus::Picker], &[ENTER], Action::Enter, "select the item marked ❯"),
    row(&[Focus::Picker], &[ESC], Action::Close, "close").also(&[Key::ctrl('c')]),
    row(&[Focus::Rewind], &[Key::char('1')], Action::Answer(1), "rewind conversation and files"),
    row(&[Focus::Rewind], &[Key::char('2')], Action::Answer(2), "rewind the conversation only"),
    row(&[Focus::Rewind], &[Key::char('3')], Action::Answer(3), "rewind the files only"),
    row(&[Focus::Rewind], &[ESC], Action::Close, "back to the list of messages").also(&[Key::ctrl('c')]),
    row(&[Focus::Tasks], &[ENTER], Action::Enter, "show its latest output; again: back"),
    row(&[Focus::Tasks], &[Key::char('x')], Action::EndTask, "stop the command and its child processes"),
    row(&[Focus::Tasks], &[ESC], Action::Close, "back, or close").also(&[Key::char('q'), Key::ctrl('c')]),
    row(
        &[Focus::Permissions],
        &[Key::char('d'), Key::plain(KeyCode::Delete)],
        Action::Remove,
        "revoke a rule saved with \"don't ask again\"",
    ),
    row(&[Focus::Permissions], &[ESC], Action::Close, "close").also(&[Key::char('q'), Key::ctrl('c')]),
    row(PAGES, &[UP], Action::Up, "scroll up one line"),
    row(PAGES, &[DOWN], Action::Down, "scroll down one line"),
    row(PAGES, &[PAGE_UP], Action::PageUp, "scroll up one screen"),
    row(PAGES, &[PAGE_DOWN], Action::PageDown, "scroll down one screen").also(&[Key::char(' ')]),
    row(PAGES, &[HOME, Key::char('g')], Action::Top, "jump to the top"),
    row(PAGES, &[END, Key::char('G')], Action::Bottom, "jump to the bottom"),
    row(PAGES, &[Key::char('/')], Action::Find, "search; case matters only if you type a capital"),
    row(PAGES, &[Key::char('n')], Action::Older, "the next match above"),
    row(PAGES, &[Key::char('N')], Action::Newer, "the next match below"),
    row(PAGES, &[Key::char('q'), ESC], Action::Close, "close").also(&[Key::ctrl('c')]),
    row(&[Focus::Pager], &[Key::ctrl('o')], Action::Close, "close"),
    row(&[Focus::Search], &[ENTER], Action::Enter, "search, newest match first"),
    row(&[Focus::Search], &[ESC], Action::Close, "cancel the search").also(&[Key::ctrl('c')]),
    row(&[Focus::Help], &[Key::char('?')], Action::Close, "close"),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_character_with_alt_that_is_not_bound_came_after_esc() {
        for (key, expected) in [
            (Key::alt(' '), Some(Key::char(' '))),
            (Key::alt('x'), Some(Key::char('x'))),
            (Key::alt('X'), Some(Key::char('X'))),
            (Key::alt('é'), Some(Key::char('é'))),
            (Key::alt('b'), None),
            (Key::alt('<'), None),
            (Key::char('x'), None),
            (Key::ctrl('x'), None),
            (ctrl_alt('x'), None),
            (with(Mods::ALT, KeyCode::Enter), None),
        ] {
            assert_eq!(after_esc(key), expected, "{key:?}");
        }
    }

    #[test]
    fn no_key_means_two_things_in_one_focus() {
        let mut seen = HashSet::new();
        for row in TABLE {
            for (focus, key) in
                row.focus.iter().flat_map(|f| row.keys.iter().chain(row.also).map(move |k| (*f, *k)))
            {
                assert!(seen.insert((focus, key)), "{} is bound twice in {focus:?}", key.name());
            }
        }
    }

    #[test]
    fn every_key_of_the_table_is_found_as_it_is_looked_up() {
        for row in TABLE {
            for key in row.keys.iter().chain(row.also) {
                assert_eq!(action(row.focus[0], *key), Some(row.action), "{}", key.name());
            }
        }
    }

    /// The contract's keys, but for those of what is not built yet.
    #[test]
    fn every_key_of_the_contract_is_bound() {
        let check = |focus: Focus, keys: &[(Key, Action)]| {
            for (key, expected) in keys {
                assert_eq!(action(focus, *key), Some(*expected), "{} in {focus:?}", key.name());
            }
        };
        let shift = |code| with(Mods::SHIFT, code);
        for focus in [Focus::Input, Focus::Running] {
            check(focus, &[(ENTER, Action::Enter), (shift(KeyCode::Enter), Action::NewLine)]);
            check(
                focus,
                &[(with(Mods::ALT, KeyCode::Enter), Action::NewLine), (Key::ctrl('j'), Action::NewLine)],
            );
            check(focus, &[(shift(KeyCode::BackTab), Action::NextMode), (Key::char('?'), Action::Help)]);
            check(focus, &[(UP, Action::Up), (DOWN, Action::Down), (Key::ctrl('r'), Action::SearchHistory)]);
            check(
                focus,
                &[(Key::plain(KeyCode::Tab), Action::Complete), (Key::ctrl('o'), Action::Transcript)],
            );
            check(focus, &[(Key::ctrl('z'), Action::Suspend), (Key::ctrl('l'), Action::Redraw)]);
            check(focus, &[(Key::ctrl('d'), Action::DeleteOrLeave)]);
            check(focus, &[(Key::ctrl('b'), Action::Background), (Key::ctrl('t'), Action::Todos)]);
        }
        check(Focus::Input, &[(Key::ctrl('c'), Action::ClearOrLeave), (ESC, Action::Close)]);
        check(Focus::Running, &[(Key::ctrl('c'), Action::Abort), (ESC, Action::Abort)]);
        check(Focus::Question, &[1, 2, 3, 4].map(|n| (Key::char(char::from(b'0' + n)), Action::Answer(n))));
        check(
            Focus::Question,
            &[(Key::char('y'), Action::Yes), (Key::char('n'), Action::No), (ESC, Action::Abort)],
        );
        check(Focus::Question, &[(ENTER, Action::Enter), (UP, Action::Up), (DOWN, Action::Down)]);
        check(Focus::Rewind, &[1, 2, 3].map(|n| (Key::char(char::from(b'0' + n)), Action::Answer(n))));
        check(Focus::Limit, &[(Key::char('y'), Action::Yes), (ENTER, Action::Yes)]);
        check(Focus::Limit, &[(Key::char('n'), Action::No), (ESC, Action::No)]);
        check(Focus::Pager, &[(Key::char('q'), Action::Close), (ESC, Action::Close)]);
    }

    #[test]
    fn the_keys_of_readline_edit_wherever_one_types() {
        let check = |key: Key, expected: Edit| {
            for focus in TEXT {
                assert_eq!(action(*focus, key), Some(Action::Edit(expected)), "{} in {focus:?}", key.name());
            }
        };
        check(Key::ctrl('w'), Edit::Kill(Motion::SpaceLeft));
        check(Key::ctrl('u'), Edit::Kill(Motion::LineStart));
        check(Key::ctrl('k'), Edit::Kill(Motion::LineEnd));
        check(Key::ctrl('y'), Edit::Yank);
        check(Key::alt('d'), Edit::Kill(Motion::WordRight));
        check(Key::alt('b'), Edit::Move(Motion::WordLeft));
        check(Key::alt('f'), Edit::Move(Motion::WordRight));
        check(Key::ctrl('a'), Edit::Move(Motion::LineStart));
        check(Key::ctrl('e'), Edit::Move(Motion::LineEnd));
        check(Key::ctrl('_'), Edit::Undo);
    }

    #[test]
    fn shift_and_case_do_not_hide_a_key() {
        let held = |mods: Mods, c| Key { code: KeyCode::Char(c), mods };
        let check = |key: Key, expected: Action| assert_eq!(action(Focus::Input, key), Some(expected));
        check(held(Mods::SHIFT, 'A'), Action::Type('A'));
        check(held(Mods::SHIFT, '?'), Action::Help);
        check(held(Mods::CTRL.with(Mods::SHIFT), 'W'), Action::Edit(Edit::Kill(Motion::SpaceLeft)));
        check(held(Mods::CTRL.with(Mods::SHIFT), '-'), Action::Edit(Edit::Undo));
        check(Key::alt('B'), Action::Edit(Edit::Move(Motion::WordLeft)));
    }

    #[test]
    fn only_what_takes_text_is_typed_into() {
        let check =
            |focus: Focus, expected: Option<Action>| assert_eq!(action(focus, Key::char('ö')), expected);
        check(Focus::Input, Some(Action::Type('ö')));
        check(Focus::Running, Some(Action::Type('ö')));
        check(Focus::Picker, Some(Action::Type('ö')));
        check(Focus::Question, None);
        check(Focus::Choice, Some(Action::Type('ö')));
        check(Focus::Tasks, None);
        check(Focus::Limit, None);
        check(Focus::Pager, None);
        assert_eq!(action(Focus::Input, Key::ctrl('q')), None);
        check(Focus::Search, Some(Action::Type('ö')));
        assert_eq!(action(Focus::Input, Key::plain(KeyCode::Other)), None);
    }

    #[test]
    fn the_help_names_every_row_once_and_its_sections_stand_together() {
        let rows: Vec<HelpRow> = help_rows().collect();
        assert_eq!(rows.len(), TABLE.len());
        assert!(rows.iter().all(|row| !row.keys.is_empty() && !row.text.is_empty()));
        let mut sections: Vec<&str> = rows.iter().map(|row| row.section).collect();
        sections.dedup();
        let titles: HashSet<&str> = sections.iter().copied().collect();
        assert_eq!(sections.len(), titles.len(), "{sections:?}");
        let new_line = rows.iter().find(|row| row.text.starts_with("new line")).unwrap();
        assert_eq!(new_line.keys, "Shift+Enter, Alt+Enter, Ctrl+J");
    }
}
