//! The words of the script, in the order in which they are heard.

/// What is said first where nothing else was typed.
pub const PROMPT: &str = "The check fails. Find out why and mend it.";

pub(super) const OPENING: &str = "\
**I am a script, not a model.** I stand inside clawd, play a model's part and ask no network. All the rest is real: the \
loop, the tools, the questions, and the files. They are a copy of a small project in a temporary directory, which goes \
when you leave.

I read the code and its test and search for what calls `total`, all three at once: what only reads runs side by side \
and unasked.";

pub(super) const AGAIN: &str =
    "Once more from the beginning. I am still a script; I read the files as they are now.";

pub(super) const ONLY_ONE: &str = "\
As a script I cannot answer that. I know one piece, and it goes on: a fault is found, mended and tested.";

pub(super) const STOPPED: &str = "\
You stopped me. Nothing is lost by that: what was said stays, and each call has its answer. I go on where I was.";

pub(super) const GIVE_UP: &str = "\
Without reading `cart.sh` there is nothing to show. Say `again` to play from the beginning, or leave with Ctrl+D.";

pub(super) const PUT_BACK: &str = "\
The cart is mended already, from the time before. To have something to mend I put the fault back.";

pub(super) const THOUGHT: &str = "\
The test wants 120 cents for three apples. total reads the count of each line and never uses it, so it says 40. ";

pub(super) const MEND: &str = "\
`total` adds each price once: it reads the `count` and never uses it, so three apples cost as much as one. The mend is \
in `cart.sh:7`.

In the default mode clawd asks before a file changes. Say Yes, or say No and write what to do instead: a model would \
get your words. Esc stops the run.";

pub(super) const CHECK: &str = "\
Whether that helps, the project's own test must say. A command is asked for too, exactly as it would run.";

pub(super) const CHECK_UNMENDED: &str = "Then I run the test on the code as it is.";

pub(super) const PASSES: &str = "**The check passes.** `total` multiplies the price by the count now.";
pub(super) const PASSES_STILL: &str = "**The check passes**, as the cart is still mended.";
pub(super) const FAILS_STILL: &str = "**The check still fails**, as nothing was mended.";
pub(super) const FAILS: &str = "**The check fails** although the cart was edited; its output says why.";
pub(super) const NOT_RUN: &str = "**The check did not run**, so whether the cart is right is not known.";

pub(super) const NEXT: &str = "\
That was the piece. What to try now:

- `again` plays it once more: say No this time, or press Esc in the middle of it
- Shift+Tab changes the permission mode, Ctrl+O shows all that a tool said
- `/help` lists commands and keys, Ctrl+D leaves
- with a model, in your own project: `clawd --base-url http://127.0.0.1:11434/v1`";

pub(super) const OFFER: &str = "\
The piece is over, and as a script I have no answer of my own. Say `again` to see it once more; `/help` lists commands \
and keys, Ctrl+D leaves.

A model does answer: `clawd --base-url http://127.0.0.1:11434/v1`, in your own project.";
