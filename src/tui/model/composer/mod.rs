//! The input line as a whole: a buffer, the history behind it, and what lies over it (a completion, a search).
//!
//! It does not know keys, runs or commands: keys arrive as its methods, a submission leaves as a value, and what that
//! starts is decided elsewhere.
//!
//! A mode is no flag. `!`, `#` or `/` typed into an empty input becomes an atom of the draft, so the mode goes where the
//! text goes: into the history, through undo, back from the queue; and a pasted `!rm` stays what it is, a text.

mod over;
mod vim;

use std::sync::Arc;

use super::buffer::{Buffer, Edit, Motion, Vertical, Went};
use super::choice::{Go, Item};
use super::complete::Completion;
use super::draft::{Draft, InputMode};
use super::history::{History, Search};
use super::layout::text_width;
use super::vim::Vim;

/// The input line.
#[derive(Debug, Clone)]
pub struct Composer {
    buffer: Buffer,
    history: History,
    commands: Arc<[Item]>,
    over: Over,
    /// The buffer's version just after an entry of the history came into it.
    walked: Option<u64>,
    /// The buffer's version and the cursor just after a path was completed, with a space of ours before the cursor.
    spaced: Option<(u64, usize)>,
    /// What is typed of an `@path`, until somebody looks for paths.
    wish: Option<String>,
    /// The buffer's version when it was last told that something has changed.
    told: u64,
    /// Where vi's keys are on.
    vim: Option<Vim>,
}

/// What was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submission {
    /// All of it, to be put back, shown or kept; its text is exact.
    pub draft: Draft,
    /// What it is for.
    pub mode: InputMode,
}

/// What Ctrl+C found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cleared {
    /// Nothing: the input was empty already.
    WasEmpty,
    /// White space, now gone.
    Blank,
    /// This draft, now gone and in the history.
    Kept(Draft),
}

/// What Escape found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Escaped {
    /// A popup or a search, now closed.
    Closed,
    /// Nothing that lay over the input.
    Nothing,
}

/// What lies over the input and sees some keys first.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Over {
    Nothing,
    Completion(Completion),
    /// A completion that was closed and stays so until Tab, or until its word is gone.
    Dismissed,
    Search(Search),
}

impl Submission {
    /// The exact text, pastes as they came, the sign included.
    #[must_use]
    pub fn text(&self) -> &str {
        self.draft.text()
    }

    /// The same without the sign.
    #[must_use]
    pub fn body(&self) -> &str {
        self.draft.body()
    }
}

impl Composer {
    /// An empty input. `commands` are the names, without `/`, that a command is completed from.
    #[must_use]
    pub fn new(commands: Vec<Item>) -> Self {
        Self {
            buffer: Buffer::default(),
            history: History::default(),
            commands: commands.into(),
            over: Over::Nothing,
            walked: None,
            spaced: None,
            wish: None,
            told: 0,
            vim: None,
        }
    }

    /// Other commands than before.
    pub fn set_commands(&mut self, commands: Vec<Item>) {
        self.commands = commands.into();
    }

    /// What earlier sessions entered, oldest first.
    pub fn load_history(&mut self, earlier: impl IntoIterator<Item = Draft>) {
        self.history.load(earlier);
    }

    /// A typed character.
    pub fn type_in(&mut self, typed: char) {
        if let Over::Search(search) = &mut self.over {
            return search.type_in(typed.encode_utf8(&mut [0; 4]), &self.history);
        }
        // lines of the path that was just completed: `@a.rs:10-20`
        if typed == ':' && self.spaced == Some((self.buffer.version(), self.buffer.cursor())) {
            self.buffer.edit(Edit::Delete(Motion::Left));
        }
        let piece = if self.buffer.is_empty() { Draft::first(typed) } else { Draft::plain(typed) };
        self.buffer.type_in(piece);
        self.refresh();
    }

    /// A paste; large ones are folded.
    pub fn paste(&mut self, text: &str) {
        if let Over::Search(search) = &mut self.over {
            return search.type_in(text, &self.history);
        }
        if !text.is_empty() {
            self.buffer.insert(Draft::pasted(text));
            self.refresh();
        }
    }

    /// An image: in the place of what was pasted, as long as it stands there, else where the cursor is.
    pub fn insert_image(&mut self, path: &str, pasted: Option<&str>) {
        self.take_match();
        let draft = self.buffer.draft();
        let image = Draft::image(path, draft.images() + 1);
        if let Some(pasted) = pasted {
            let Some(start) = draft.text().rfind(pasted) else { return };
            self.buffer.replace(start..start + pasted.len(), image);
        } else {
            // behind a letter an `@` is part of an address
            let before = draft.slice(0..self.buffer.cursor()).chars().next_back();
            let mut piece = Draft::plain(if before.is_some_and(char::is_alphanumeric) { " " } else { "" });
            piece.push(image);
            self.buffer.insert(piece);
        }
        self.refresh();
    }

    /// A verb of readline. In a search Backspace shortens the query; any other takes the match first.
    pub fn edit(&mut self, edit: Edit) {
        match &mut self.over {
            Over::Search(search) if edit == Edit::Delete(Motion::Left) => {
                return search.rub_out(&self.history);
            }
            Over::Search(_) => self.take_match(),
            Over::Nothing | Over::Completion(_) | Over::Dismissed => {}
        }
        self.buffer.edit(edit);
        self.refresh();
    }

    /// A new line.
    pub fn new_line(&mut self) {
        self.take_match();
        self.buffer.type_in(Draft::plain('\n'));
        self.refresh();
    }

    /// Enter: takes a match or a completion, makes `\` a new line, else sends what is written, if it is anything.
    pub fn enter(&mut self) -> Option<Submission> {
        match &self.over {
            Over::Search(_) => self.take_match(),
            Over::Completion(completion) if completion.is_shown() && !completion.is_written() => {
                self.complete();
            }
            Over::Nothing | Over::Completion(_) | Over::Dismissed if self.is_after_backslash() => {
                // a shell reads `\` and newline as one; everyone else wants the newline alone
                if self.mode() != InputMode::Shell {
                    self.buffer.edit(Edit::Delete(Motion::Left));
                }
                self.new_line();
            }
            Over::Nothing | Over::Completion(_) | Over::Dismissed => return self.take(),
        }
        None
    }

    /// What is written, into the history and out of the input; nothing where there is but white space.
    pub fn take(&mut self) -> Option<Submission> {
        if self.is_blank() {
            return None;
        }
        let draft = self.buffer.take();
        self.history.push(draft.clone());
        self.settle();
        if let Some(vim) = &mut self.vim {
            vim.begin_insert();
        }
        Some(Submission { mode: draft.mode(), draft })
    }

    /// Up on a screen of `columns`: in a popup or a search, else a row up, else an entry back in the history.
    pub fn up(&mut self, columns: usize) -> Went {
        self.vertical(Vertical::Up, Go::Up, columns)
    }

    /// Down: the same the other way, and back to the draft in the end.
    pub fn down(&mut self, columns: usize) -> Went {
        self.vertical(Vertical::Down, Go::Down, columns)
    }

    /// Whether anything has happened to what is written since this was asked last.
    pub fn take_change(&mut self) -> bool {
        std::mem::replace(&mut self.told, self.buffer.version()) != self.buffer.version()
    }

    /// What is written, edited elsewhere; a sign at its beginning still counts if it did. Undo brings back what was.
    pub fn edited(&mut self, text: &str) {
        if text != self.buffer.draft().text() {
            let draft = Draft::read_back(text);
            let signed = draft.clone().signed();
            self.buffer.set(if signed.mode() == self.mode() { signed } else { draft });
        }
        self.settle();
        self.over = Over::Dismissed;
    }

    /// Ctrl+C at rest: clears the input; what stood there can be had again from the history, or by undo.
    pub fn clear(&mut self) -> Cleared {
        let draft = self.buffer.draft().clone();
        let blank = self.is_blank();
        self.settle();
        if draft.is_empty() {
            return Cleared::WasEmpty;
        }
        self.buffer.set(Draft::default());
        if blank {
            return Cleared::Blank;
        }
        self.history.push(draft.clone());
        Cleared::Kept(draft)
    }

    /// Puts back what was queued or not sent, before what is being written; of several the last one first. Two texts
    /// joined are a message, whatever sign one of them had.
    pub fn restore(&mut self, draft: Draft) {
        if self.buffer.draft().text().trim().is_empty() {
            self.buffer.set(draft);
        } else {
            let mut front = draft.unsigned();
            front.push(Draft::plain('\n'));
            self.buffer.put_in_front(front);
        }
        self.settle();
        self.over = Over::Dismissed;
    }

    /// What is to be shown: the match of a search, else what is written.
    #[must_use]
    pub fn draft(&self) -> &Draft {
        self.searching().and_then(|search| search.found(&self.history)).unwrap_or(self.buffer.draft())
    }

    /// What is written, whatever lies over it.
    #[must_use]
    pub fn written(&self) -> &Draft {
        self.buffer.draft()
    }

    /// The cursor in what is written.
    #[must_use]
    pub fn cursor(&self) -> usize {
        self.buffer.cursor()
    }

    /// What the input is for, as it stands.
    #[must_use]
    pub fn mode(&self) -> InputMode {
        self.buffer.draft().mode()
    }

    /// Whether nothing at all is written, and no search is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty() && self.searching().is_none()
    }

    fn vertical(&mut self, way: Vertical, go: Go, columns: usize) -> Went {
        match (&mut self.over, way) {
            (Over::Completion(completion), _) if completion.is_shown() => {
                completion.go(go);
                return Went::There;
            }
            (Over::Search(search), Vertical::Up) => {
                search.older(&self.history);
                return Went::There;
            }
            (Over::Search(_), Vertical::Down) => self.take_match(),
            (Over::Nothing | Over::Completion(_) | Over::Dismissed, _) => {}
        }
        // an entry that was just walked to is walked past, however many rows it has
        let walking = self.walked == Some(self.buffer.version());
        if !walking && self.buffer.vertical(way, text_width(columns)) == Went::There {
            self.refresh();
            return Went::There;
        }
        self.walk(way)
    }

    fn walk(&mut self, way: Vertical) -> Went {
        let entry = match way {
            Vertical::Up => self.history.older(self.buffer.draft()),
            Vertical::Down => self.history.newer(),
        };
        let Some(entry) = entry else { return Went::Nowhere };
        self.buffer.set(entry);
        self.walked = Some(self.buffer.version());
        self.over = Over::Dismissed;
        Went::There
    }

    /// Nothing lies over the input, and what stands in it is the draft.
    fn settle(&mut self) {
        self.over = Over::Nothing;
        self.walked = None;
        self.history.rest();
    }

    fn is_blank(&self) -> bool {
        self.buffer.draft().body().trim().is_empty()
    }

    fn is_after_backslash(&self) -> bool {
        let (draft, cursor) = (self.buffer.draft(), self.buffer.cursor());
        draft.slice(draft.prev(cursor)..cursor) == "\\"
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::buffer::tests::{keys, long_paste, picture, verb};
    use super::*;
    use crate::text::fuzzy::Best;

    const COLUMNS: usize = 40;

    fn composer(history: &[&str]) -> Composer {
        let [help, compact, context] = ["help", "compact", "context"].map(|name| Item::new(name, ""));
        let mut composer = Composer::new(vec![help.also(["h"]), compact, context]);
        composer.load_history(history.iter().map(|entry| Draft::plain(*entry)));
        composer
    }

    /// Presses keys; gives what was sent.
    fn press(composer: &mut Composer, notation: &str) -> Vec<Submission> {
        let mut sent = Vec::new();
        for key in keys(notation) {
            match key.as_str() {
                "<enter>" => sent.extend(composer.enter()),
                "<nl>" => composer.new_line(),
                "<tab>" => composer.complete(),
                "<esc>" => drop(composer.escape()),
                "<c-c>" => drop(composer.clear()),
                "<c-r>" => composer.search(),
                "<up>" => drop(composer.up(COLUMNS)),
                "<down>" => drop(composer.down(COLUMNS)),
                "<paste>" => composer.paste(&long_paste()),
                typed => match verb(typed) {
                    Some(edit) => composer.edit(edit),
                    None => typed.chars().for_each(|c| composer.type_in(c)),
                },
            }
        }
        sent
    }

    #[track_caller]
    fn check(history: &[&str], keys: &str, after: &str) {
        let mut composer = composer(history);
        press(&mut composer, keys);
        assert_eq!(picture(composer.draft(), composer.cursor()), after, "{keys}");
    }

    #[track_caller]
    fn check_sent(keys: &str, expected: &[(&str, InputMode)]) {
        let sent = press(&mut composer(&[]), keys);
        let sent: Vec<(&str, InputMode)> = sent.iter().map(|sent| (sent.text(), sent.mode)).collect();
        assert_eq!(sent, expected, "{keys}");
    }

    #[test]
    fn what_is_written_is_sent_exactly_and_white_space_is_not() {
        check_sent("hello<enter>", &[("hello", InputMode::Prompt)]);
        check_sent(" two<nl>lines <enter>", &[(" two\nlines ", InputMode::Prompt)]);
        check_sent("<enter> <enter><nl><enter>", &[]);
        check_sent("!<enter> <enter>", &[]);
        let pasted = format!("see {}!", long_paste());
        check_sent("see <paste>!<enter>", &[(&pasted, InputMode::Prompt)]);
    }

    #[test]
    fn a_mode_begins_with_the_first_typed_character() {
        check_sent("!ls<enter>", &[("!ls", InputMode::Shell)]);
        check_sent("#note<enter>", &[("#note", InputMode::Note)]);
        check_sent("/help<enter>", &[("/help", InputMode::Command)]);
        check_sent("a<bs>!ls<enter>", &[("!ls", InputMode::Shell)]);
        check_sent("ls<c-a>!<enter>", &[("!ls", InputMode::Prompt)]);
        check_sent(" !ls<enter>", &[(" !ls", InputMode::Prompt)]);
        let mut composer = composer(&[]);
        composer.paste("!ls");
        assert_eq!(composer.enter().unwrap().mode, InputMode::Prompt);
        press(&mut composer, "!");
        composer.paste("ls");
        let sent = composer.enter().unwrap();
        assert_eq!((sent.mode, sent.body()), (InputMode::Shell, "ls"));
    }

    #[test]
    fn a_mode_goes_and_comes_with_its_sign() {
        let check = |keys: &str, expected: InputMode| {
            let mut composer = composer(&[]);
            press(&mut composer, keys);
            assert_eq!(composer.mode(), expected, "{keys}");
        };
        check("!ls", InputMode::Shell);
        check("!ls<c-a><del>", InputMode::Prompt);
        check("!ls<c-a><del><undo>", InputMode::Shell);
        check("!ls<c-u><c-y>", InputMode::Shell);
        check("!ls<c-c><undo>", InputMode::Shell);
        check("!ls<enter><up>", InputMode::Shell);
        check("!ls<c-a>x", InputMode::Prompt);
        check("!ls<c-a>x<bs>", InputMode::Shell);
    }

    #[test]
    fn a_backslash_before_enter_makes_a_new_line() {
        check(&[], "one\\<enter>two", "one\ntwo|");
        check(&[], "one\\two<left><left><left><enter>", "one\n|two");
        check_sent("one\\ <enter>", &[("one\\ ", InputMode::Prompt)]);
        check_sent("!ls \\<enter>-l<enter>", &[("!ls \\\n-l", InputMode::Shell)]);
    }

    #[test]
    fn up_on_the_first_row_walks_back_and_down_comes_to_the_draft() {
        check(&["one", "two"], "dra<up>", "two|");
        check(&["one", "two"], "dra<up><up>", "one|");
        check(&["one", "two"], "dra<up><up><up>", "one|");
        check(&["one", "two"], "dra<up><up><down>", "two|");
        check(&["one", "two"], "dra<up><up><down><down>", "dra|");
        check(&["one", "two"], "dra<down>", "dra|");
        check(&["one"], "a<nl>b<up>", "a|\nb");
        check(&["one"], "a<nl>b<up><up>", "one|");
        check(&["one"], "a<paste><up><down>", "a[Pasted 12 lines]|");
    }

    #[test]
    fn an_entry_of_many_rows_is_walked_past_until_it_is_touched() {
        check(&["old", "a\nb\nc"], "<up><up>", "old|");
        check(&["old", "a\nb\nc"], "<up><up><down>", "a\nb\nc|");
        check(&["old", "a\nb\nc"], "<up><left><up>", "a\n|b\nc");
        check(&["old", "a\nb\nc"], "<up>d<up><up><up>", "old|");
    }

    #[test]
    fn ctrl_c_clears_into_the_history() {
        let mut composer = composer(&[]);
        assert_eq!(composer.clear(), Cleared::WasEmpty);
        press(&mut composer, " ");
        assert_eq!((composer.clear(), composer.is_empty()), (Cleared::Blank, true));
        press(&mut composer, "a<paste>");
        assert!(matches!(composer.clear(), Cleared::Kept(draft) if draft.text().starts_with("aa line\n")));
        assert!(composer.is_empty());
        check(&[], "a<paste><c-c><up>", "a[Pasted 12 lines]|");
        check(&[], "draft<c-c><undo>", "draft|");
        check(&["one"], "dra<c-r>one<c-c>", "|");
    }

    #[test]
    fn what_was_not_sent_comes_back_before_the_draft() {
        let check = |before: &str, restored: &[Draft], after: &str, mode: InputMode| {
            let mut composer = composer(&[]);
            press(&mut composer, before);
            restored.iter().cloned().for_each(|draft| composer.restore(draft));
            let shown = picture(composer.draft(), composer.cursor());
            assert_eq!((shown.as_str(), composer.mode()), (after, mode));
        };
        let shell = || Draft::plain("!ls").signed();
        check("", &[Draft::plain("first")], "first|", InputMode::Prompt);
        check("dra<left>", &[Draft::plain("first")], "first\ndr|a", InputMode::Prompt);
        check("", &[Draft::plain("two"), Draft::plain("one")], "one\ntwo|", InputMode::Prompt);
        check("", &[shell()], "!ls|", InputMode::Shell);
        check("dra", &[shell()], "!ls\ndra|", InputMode::Prompt);
        check("!dra", &[Draft::plain("first")], "first\n!dra|", InputMode::Prompt);
        check("<up>", &[Draft::pasted(&long_paste())], "[Pasted 12 lines]|", InputMode::Prompt);
    }

    #[test]
    fn tab_and_enter_complete_a_command_and_enter_sends_one_that_is_whole() {
        check(&[], "/co<tab>", "/compact |");
        check(&[], "/co<down><tab>", "/context |");
        check(&[], "/co<enter>", "/compact |");
        check(&[], "/he<esc><tab><tab>", "/help |");
        check(&[], "/zz<tab>", "/zz|");
        check(&[], "co<tab>", "co|");
        check_sent("/help<enter>", &[("/help", InputMode::Command)]);
        check_sent("/h<enter>", &[("/h", InputMode::Command)]);
        check_sent("/co<enter>now<enter>", &[("/compact now", InputMode::Command)]);
        check_sent("/co<esc><enter>", &[("/co", InputMode::Command)]);
        check_sent("/usr/bin is full<enter>", &[("/usr/bin is full", InputMode::Command)]);
    }

    #[test]
    fn the_popup_is_open_while_the_name_of_a_command_is_written() {
        let check = |keys: &str, expected: usize| {
            let mut composer = composer(&["/help"]);
            press(&mut composer, keys);
            let rows = composer.completion().map_or(0, |completion| completion.choice().matching());
            assert_eq!(rows, expected, "{keys}");
        };
        check("/", 3);
        check("/co", 2);
        check("/coz", 0);
        check("/coz<bs>", 2);
        check("/co ", 0);
        check("/co <bs>", 2);
        check("/co<esc>", 0);
        check("/co<esc>m", 0);
        check("/co<esc><c-u>/co", 2);
        check("/co<c-a>", 0);
        check("/<bs>", 0);
        check("co", 0);
        check("<up>", 0);
    }

    #[test]
    fn a_search_shows_its_match_and_takes_it_or_leaves_the_draft() {
        let history = &["cargo test", "git log", "git status"];
        check(history, "dra<c-r>log<enter>", "git log|");
        check(history, "dra<c-r>git<c-r><enter>", "git log|");
        check(history, "dra<c-r>git<up><up><up><tab>", "git log|");
        check(history, "dra<c-r>git<bs><bs><bs>car<enter>", "cargo test|");
        check(history, "dra<c-r>log<esc>", "dra|");
        check(history, "dra<c-r>nothing<enter>", "dra|");
        check(history, "dra<c-r>log<c-a>", "|git log");
        check(history, "<c-r>log<enter><up>", "git status|");
        let mut composer = composer(history);
        press(&mut composer, "dra<c-r>log");
        assert_eq!(composer.draft().text(), "git log");
        assert!(!composer.is_empty());
        assert_eq!(composer.searching().unwrap().query(), "log");
    }

    #[test]
    fn escape_says_whether_it_was_used() {
        let check = |keys: &str, expected: Escaped| {
            let mut composer = composer(&[]);
            press(&mut composer, keys);
            assert_eq!(composer.escape(), expected, "{keys}");
            assert_eq!(composer.escape(), Escaped::Nothing);
        };
        check("", Escaped::Nothing);
        check("text", Escaped::Nothing);
        check("/co", Escaped::Closed);
        check("/zz", Escaped::Nothing);
        check("<c-r>", Escaped::Closed);
    }

    const ALPHABET: [&str; 22] = [
        "/", "!", "c", "o", " ", "\\", "日", "<nl>", "<paste>", "<enter>", "<tab>", "<esc>", "<c-c>",
        "<c-r>", "<up>", "<down>", "<left>", "<bs>", "<c-w>", "<c-u>", "<c-y>", "<undo>",
    ];

    /// What is asked for, answered with these paths.
    fn offered(keys: &str, paths: &[&str]) -> Composer {
        let mut composer = composer(&[]);
        press(&mut composer, keys);
        let typed = composer.take_wish().unwrap_or_default();
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        composer.offer_paths(&typed, Best { total: paths.len(), paths });
        composer
    }

    #[test]
    fn a_path_is_asked_for_as_it_is_typed_and_taken_in_place_of_the_word() {
        let check = |keys: &str, paths: &[&str], then: &str, after: &str| {
            let mut composer = offered(keys, paths);
            press(&mut composer, then);
            assert_eq!(picture(composer.draft(), composer.cursor()), after, "{keys}{then}");
        };
        check("see @vi", &["src/view.rs"], "<tab>now", "see @src/view.rs now|");
        check("see @vi", &["a", "src/view.rs"], "<down><enter>", "see @src/view.rs |");
        check("@vi<left>", &["a.rs"], "<tab>", "@a.rs |");
        check("@x y<left><left>", &["a.rs"], "<tab>", "@a.rs |y");
        check("@so", &["a b.rs"], "<tab>", "@\"a b.rs\" |");
        check("@so", &["so me/"], "<tab>", "@\"so me/|");
        check("@s", &["src/"], "<tab>v", "@src/v|");
        check("@vi", &["view.rs"], "<esc><enter>", "|");
        check("@日", &["日本.rs"], "<tab>", "@日本.rs |");
        check("see @vi", &["src/view.rs"], "<tab>:10-20", "see @src/view.rs:10-20|");
        check("@so", &["a b.rs"], "<tab>:3", "@\"a b.rs\":3|");
        check("@vi", &["v.rs"], "<tab>x:", "@v.rs x:|");
        check("@vi", &["v.rs"], "<tab> :", "@v.rs  :|");
        check("@x y<left><left>", &["a.rs"], "<tab>:", "@a.rs :|y");
    }

    #[test]
    fn paths_are_asked_for_once_for_each_change_and_late_ones_are_dropped() {
        let mut composer = composer(&[]);
        press(&mut composer, "@v");
        assert_eq!((composer.take_wish().as_deref(), composer.take_wish()), (Some("v"), None));
        press(&mut composer, "i");
        composer.offer_paths("v", Best { paths: vec!["v".to_owned()], total: 1 });
        assert_eq!(composer.completion(), None);
        press(&mut composer, "ew ");
        composer.offer_paths("view", Best { paths: vec!["view".to_owned()], total: 1 });
        assert_eq!(composer.completion(), None);
        for keys in ["!cat @v", "#see @v", "me@v", "@v<esc>x<c-a>"] {
            let mut composer = self::composer(&[]);
            press(&mut composer, keys);
            composer.take_wish();
            press(&mut composer, "<left><right>");
            assert_eq!(composer.completion(), None, "{keys}");
        }
    }

    #[test]
    fn enter_sends_a_path_that_is_whole() {
        let mut composer = offered("@a.rs", &["a.rs", "b/a.rs"]);
        assert_eq!(composer.enter().unwrap().text(), "@a.rs");
    }

    proptest! {
        #[test]
        fn any_keys_leave_the_cursor_on_an_edge_and_send_something_to_read(
            keys in prop::collection::vec(prop::sample::select(&ALPHABET[..]), 0..60),
        ) {
            let mut composer = composer(&["one", "!two\nrows"]);
            for key in keys {
                let sent = press(&mut composer, key);
                prop_assert!(sent.iter().all(|sent| !sent.body().trim().is_empty()));
                let draft = composer.buffer.draft();
                prop_assert_eq!(draft.snap(composer.cursor()), composer.cursor());
            }
        }
    }
}
