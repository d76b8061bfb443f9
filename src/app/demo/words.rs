//! The words of the script, in the order in which they are heard.

/// What is said first where nothing else was typed.
pub const PROMPT: &str = "The check fails. Find out why and fix it.";

pub(super) const OPENING: &str = "\
**I am a script, not a model.** I run inside clawd and use no network. Everything else is real: the agent loop, the \
tools, the permission prompts and the files (a copy of a small project in a temporary directory, deleted when you exit).

I read the code and its test and search for the callers of `total`, all three at once: read-only calls run in parallel \
and need no approval.";

pub(super) const AGAIN: &str = "Starting over. I am still a script; I read the files as they are now.";

pub(super) const ONLY_ONE: &str = "\
As a script I cannot answer that. I only know this demo, so I continue with it: a bug is found, fixed and tested.";

pub(super) const STOPPED: &str = "\
You interrupted me. Nothing is lost: the conversation so far is intact, and every call has a result. I continue from \
there.";

pub(super) const GIVE_UP: &str = "\
Without reading `cart.sh` I cannot show anything. Type `again` to start over, or exit with Ctrl+D.";

pub(super) const PUT_BACK: &str = "\
The cart is already fixed from the last time. I put the bug back so that there is something to fix.";

pub(super) const THOUGHT: &str = "\
The test expects 120 cents for three apples. total reads the count of each line but never uses it, so it prints 40. ";

pub(super) const MEND: &str = "\
`total` adds each price once: it reads the `count` but never uses it, so three apples cost as much as one. The fix is \
in `cart.sh:7`.

In the default mode clawd asks before it edits a file. Answer Yes, or answer No and say what to do instead: a model \
would receive that text. Esc interrupts the run.";

pub(super) const CHECK: &str = "\
Now let's see whether it works. clawd asks before running a command and shows it exactly.";

pub(super) const CHECK_UNMENDED: &str = "Now I run the test on the code as it is.";

pub(super) const PASSES: &str = "**The check passes.** `total` now multiplies the price by the count.";
pub(super) const PASSES_STILL: &str = "**The check passes**, because the cart is still fixed.";
pub(super) const FAILS_STILL: &str = "**The check still fails**, because nothing was fixed.";
pub(super) const FAILS: &str = "**The check fails** although the cart was edited; see its output.";
pub(super) const NOT_RUN: &str = "**The check did not run**, so I cannot say whether the cart works.";

pub(super) const NEXT: &str = "\
That's the demo. Try next:

- `again` starts over: answer No this time, or press Esc while it runs
- Shift+Tab cycles the permission mode, Ctrl+O shows all tool output
- `/help` lists commands and keys, Ctrl+D exits
- with a model, in your own project: `clawd --base-url http://127.0.0.1:11434/v1`";

pub(super) const OFFER: &str = "\
The demo is over, and a script has no other answers. Type `again` to run it again; `/help` lists commands and keys, \
Ctrl+D exits.

To talk to a model, run `clawd --base-url http://127.0.0.1:11434/v1` in your own project.";
