//! What takes the place of the input: questions, lists and pickers.

use super::*;

#[test]
fn a_question_of_the_model_takes_the_place_of_the_input_and_shows_no_call() {
    pictures(
        consulting,
        [
            "
waiting for your answer

Which database should the 日本語 shop use?

  It has one writer.

  Enter to answer · Esc to skip
❯ 1. SQLite, one file and no server
  2. Postgres
  3. Other (type your answer)
  qwen3-coder · default · 128k context",
            "
waiting for your answer

Which database should the 日本語 shop use?

  It has one writer.

  Enter to answer · Esc to skip
❯ 1. SQLite, one file and no server
  2. Postgres
  3. Other (type your answer)
  qwen3-coder · default · 128k context",
            "Which database should the 日本語 shop
use?
  It has one writer.
❯ 1. SQLite, one file and no server
  2. Postgres
  3. Other (type your answer)",
        ],
    );
}

#[test]
fn a_question_takes_the_place_of_the_input() {
    pictures(
        asking,
        [
            "
● explored  Read src/cart.rs
○ run  cargo test cart  6 s
test cart::number_3 ... ok
test cart::number_4 ... ok
test cart::number_5 ... ok
test cart::number_6 ... ok
test cart::number_7 ... ok

waiting for your answer

Allow this command?

  cargo publish

  NOT sandboxed: runs with your full permissions · in /src/shop
❯ 1. Yes
  2. Yes, and don't ask again for Bash(cargo publish) in this project
  3. No, and say what to do instead
  qwen3-coder · default · 128k context",
            "● explored  Read src/cart.rs
○ run  cargo test cart  6 s

Allow this command?

  cargo publish

  NOT sandboxed: runs with your full permissions · in /src/shop
❯ 1. Yes
  2. Yes, and don't ask again for Bash(cargo publish) in this project
  3. No, and say what to do instead
  qwen3-coder · default · 128k context",
            "Allow this command?
  cargo publish
❯ 1. Yes
  2. Yes, and don't ask again for
     Bash(cargo publish)
  3. No, and say what to do instead",
        ],
    );
    let limit = |mut model: Model| {
        let took = Duration::from_mins(14);
        model.stage =
            Stage::AtLimit(AtLimit { limit: Limit::Turns { turns: 100 }, calls: 212, took, guard: guard() });
        model
    };
    pictures(
        limit,
        [
            "Turn limit reached: 100 turns, 212 calls, 14 m. Continue? [y] yes  [n] stop
  qwen3-coder · default · 128k context",
            "Turn limit reached: 100 turns, 212 calls, 14 m. Continue? [y] yes  [n] stop
  qwen3-coder · default · 128k context",
            "Turn limit reached: 100 turns, 212
calls, 14 m. Continue? [y] yes  [n] stop
  qwen3-coder · default · 128k context",
        ],
    );
}

#[test]
fn lists_open_at_the_input() {
    pictures(
        |model| typing(model, "/"),
        [
            "❯ /|
❯ /help         show keys and commands
  /clear        start a new session (/resume returns to this one)
  /model        choose the model, from a list or by name
  /todos        show the todo list
  /tasks        list background commands; show output or stop them
  /permissions  show rules; revoke saved ones
  /vim          turn vi key bindings on or off
  /theme        choose a colour theme, from a list or by name
  /status       show session, model, endpoint and permissions
  /context      show what uses the context window
  28 in all
  qwen3-coder · default · 128k context",
            "❯ /|
❯ /help         show keys and commands
  /clear        start a new session (/resume returns to this one)
  /model        choose the model, from a list or by name
  /todos        show the todo list
  /tasks        list background commands; show output or stop them
  /permissions  show rules; revoke saved ones
  /vim          turn vi key bindings on or off
  /theme        choose a colour theme, from a list or by name
  /status       show session, model, endpoint and permissions
  28 in all
  qwen3-coder · default · 128k context",
            "❯ /|
❯ /help   show keys and commands
  /clear  start a new session (/resume …
  /model  choose the model, from a list…
  28 in all
  qwen3-coder · default · 128k context",
        ],
    );
}

#[test]
fn a_picker_takes_the_place_of_the_input() {
    let models = |mut model: Model| {
        let items = (1..=20).map(|n| Item::new(format!("model-{n}"), "128k")).collect();
        model.overlay = Some(Overlay::Models(Box::new(Picker::new("Which model?", items))));
        model
    };
    pictures(
        models,
        [
            "Which model?
  |type to filter
❯ model-1   128k
  model-2   128k
  model-3   128k
  model-4   128k
  model-5   128k
  model-6   128k
  model-7   128k
  model-8   128k
  model-9   128k
  model-10  128k
  Enter to select · Esc to cancel · 20 in all
  qwen3-coder · default · 128k context",
            "Which model?
  |type to filter
❯ model-1  128k
  model-2  128k
  model-3  128k
  model-4  128k
  model-5  128k
  model-6  128k
  model-7  128k
  model-8  128k
  Enter to select · Esc to cancel · 20 in all
  qwen3-coder · default · 128k context",
            "Which model?
  |type to filter
❯ model-1  128k
  model-2  128k
  model-3  128k
  Enter to select · Esc to cancel · 20 …",
        ],
    );
}
