//! What a key can ask for, and what can have the keys. Names alone; which key asks for what is the table's business.

use super::super::model::buffer::Edit;

/// What has the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Focus {
    /// The input line, at rest.
    Input,
    /// The input line while a run goes on.
    Running,
    /// The transcript above the input, where the program scrolls it.
    Fullscreen,
    /// A permission prompt.
    Question,
    /// A question of the model.
    Choice,
    /// The turn-limit prompt.
    Limit,
    /// A list to pick from.
    Picker,
    /// The background commands.
    Tasks,
    /// How far a rewind goes.
    Rewind,
    /// The rules in force.
    Permissions,
    /// The whole transcript.
    Pager,
    /// What is searched for in a page, as it is typed.
    Search,
    /// The help page.
    Help,
}

/// What a key asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Types a character.
    Type(char),
    /// Edits what is typed.
    Edit(Edit),
    /// Begins a new line.
    NewLine,
    /// Enter: sends the input, takes the chosen item or answer.
    Enter,
    /// Tab: completes the word at the cursor.
    Complete,
    /// A row, an item or an entry up.
    Up,
    /// A row, an item or an entry down.
    Down,
    /// A window up.
    PageUp,
    /// A window down.
    PageDown,
    /// To the beginning.
    Top,
    /// To the end.
    Bottom,
    /// Searches the input history, then the next older match.
    SearchHistory,
    /// The next permission mode.
    NextMode,
    /// Opens the transcript.
    Transcript,
    /// Searches in a page.
    Find,
    /// The next match above.
    Older,
    /// The next match below.
    Newer,
    /// Shows the list of steps, or hides it.
    Todos,
    /// Pastes an image out of the clipboard.
    PasteImage,
    /// Moves the running command to the background.
    Background,
    /// Ends a background command.
    EndTask,
    /// Takes a rule back.
    Remove,
    /// On an empty input opens the key help; else `?` is typed.
    Help,
    /// Esc: closes what lies on top.
    Close,
    /// Ends the run; a popup over the input is closed first.
    Abort,
    /// Clears the input; on an empty one the second within 2 s leaves.
    ClearOrLeave,
    /// Deletes to the right; on an empty input leaves.
    DeleteOrLeave,
    /// Opens the input in the user's own editor.
    EditOutside,
    /// Gives the answer with this number.
    Answer(u8),
    /// Says yes.
    Yes,
    /// Says no.
    No,
    /// Hands the terminal back to the shell.
    Suspend,
    /// Draws the screen anew.
    Redraw,
}
