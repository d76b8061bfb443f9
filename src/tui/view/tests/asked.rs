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

  Enter takes it · Esc leaves it unanswered
❯ 1. SQLite, one file and no server
  2. Postgres
  3. another answer, in your own words
  qwen3-coder · default · window of 128k",
            "
waiting for your answer

Which database should the 日本語 shop use?

  It has one writer.

  Enter takes it · Esc leaves it unanswered
❯ 1. SQLite, one file and no server
  2. Postgres
  3. another answer, in your own words
  qwen3-coder · default · window of 128k",
            "Which database should the 日本語 shop
use?
  It has one writer.
❯ 1. SQLite, one file and no server
  2. Postgres
  3. another answer, in your own words",
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

  in /src/shop · with your own rights
❯ 1. Yes
  2. Yes, and don't ask again for Bash(cargo publish) in this project
  3. No, and say what to do instead
  qwen3-coder · default · window of 128k",
            "● explored  Read src/cart.rs
○ run  cargo test cart  6 s

Allow this command?

  cargo publish

  in /src/shop · with your own rights
❯ 1. Yes
  2. Yes, and don't ask again for Bash(cargo publish) in this project
  3. No, and say what to do instead
  qwen3-coder · default · window of 128k",
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
            "Turn limit reached: 100 turns, 212 calls, 14 m. Go on? y yes · n stop
  qwen3-coder · default · window of 128k",
            "Turn limit reached: 100 turns, 212 calls, 14 m. Go on? y yes · n stop
  qwen3-coder · default · window of 128k",
            "Turn limit reached: 100 turns, 212
calls, 14 m. Go on? y yes · n stop
  qwen3-coder · default · window of 128k",
        ],
    );
}

#[test]
fn lists_open_at_the_input() {
    pictures(
        |model| typing(model, "/"),
        [
            "❯ /|
❯ /help         keys and commands
  /clear        a new session; this one stays on disk
  /model        another model: from a list, or by name
  /todos        the model's list of steps
  /tasks        commands in the background: look at them, end them
  /permissions  the rules in force; grants can be taken back
  /vim          vi's keys in the input, on or off
  /theme        other colours: from a list, or by name
  /status       session, model, endpoint, permissions
  /context      what fills the model's window
  28 in all
  qwen3-coder · default · window of 128k",
            "❯ /|
❯ /help         keys and commands
  /clear        a new session; this one stays on disk
  /model        another model: from a list, or by name
  /todos        the model's list of steps
  /tasks        commands in the background: look at them, end them
  /permissions  the rules in force; grants can be taken back
  /vim          vi's keys in the input, on or off
  /theme        other colours: from a list, or by name
  /status       session, model, endpoint, permissions
  28 in all
  qwen3-coder · default · window of 128k",
            "❯ /|
❯ /help   keys and commands
  /clear  a new session; this one stays…
  /model  another model: from a list, o…
  28 in all
  qwen3-coder · default · window of 128k",
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
  Enter takes · Esc closes · 20 in all
  qwen3-coder · default · window of 128k",
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
  Enter takes · Esc closes · 20 in all
  qwen3-coder · default · window of 128k",
            "Which model?
  |type to filter
❯ model-1  128k
  model-2  128k
  model-3  128k
  Enter takes · Esc closes · 20 in all",
        ],
    );
}
