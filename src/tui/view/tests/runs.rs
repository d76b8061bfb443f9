//! What goes on: at rest, waiting, answering, running, and what waits behind it.

use super::*;

#[test]
fn at_rest_there_is_the_input_and_the_bottom_line() {
    pictures(
        |model| model,
        [
            "❯ |
  qwen3-coder · default · 128k context",
            "❯ |
  qwen3-coder · default · 128k context",
            "❯ |
  qwen3-coder · default · 128k context",
        ],
    );
    pictures(
        |model| typing(model, "one\ntwo"),
        [
            "❯ one
  two|
  qwen3-coder · default · 128k context",
            "❯ one
  two|
  qwen3-coder · default · 128k context",
            "❯ one
  two|
  qwen3-coder · default · 128k context",
        ],
    );
}

#[test]
fn a_long_wait_has_advice_where_there_is_room_for_it() {
    let waiting = |model| running(model, |run| run.waiting = Waiting::FirstByte);
    let calm = live(&waiting(model(80, 24)), 9_999);
    check(
        &calm,
        "
⠸ waiting for a response 9 s · 2 turns · esc to interrupt
❯ |
  qwen3-coder · default · 128k context",
    );
    let long = "
⠋ waiting for a response 12 s · 2 turns · esc to interrupt
  a local model may take minutes to process a long prompt
❯ |
  qwen3-coder · default · 128k context";
    check(&live(&waiting(model(80, 24)), 12_000), long);
    let narrow = "
⠋ waiting for a response 12 s · 2 turns
  esc to interrupt
  a local model may take minutes
❯ |
  qwen3-coder · default · 128k context";
    check(&live(&waiting(model(40, 12)), 12_000), narrow);
    // the advice gives way before anything that is needed
    check(
        &live(&waiting(model(80, 7)), 12_000),
        "⠋ waiting for a response 12 s · 2 turns · esc to interrupt\n❯ |\n  qwen3-coder · default · 128k context",
    );
}

#[test]
fn the_arriving_answer_shows_its_unfinished_end() {
    pictures(answering, ["
The fold starts from the first item, so an empty cart has no start value; the tax is computed from the same sum and is
wrong as well.

⠋ answering 6 s · 2 turns · esc to interrupt
❯ |
  qwen3-coder · default · 128k context", "
The fold starts from the first item, so an empty cart has no start value; the
tax is computed from the same sum and is wrong as well.

⠋ answering 6 s · 2 turns · esc to interrupt
❯ |
  qwen3-coder · default · 128k context", "
wrong as well.

⠋ answering 6 s · esc to interrupt
❯ |
  qwen3-coder · default · 128k context"]);
    let thinking = |model| {
        running(model, |run| {
            run.waiting = Waiting::Answer;
            run.thoughts = format!("{WORDS}\n{WORDS}");
        })
    };
    pictures(thinking, ["
  wrong as well.
  The fold starts from the first item, so an empty cart has no start value; the tax is computed from the same sum and is
  wrong as well.

⠋ thinking 6 s · 2 turns · esc to interrupt
❯ |
  qwen3-coder · default · 128k context", "
  tax is computed from the same sum and is wrong as well.
  The fold starts from the first item, so an empty cart has no start value; the
  tax is computed from the same sum and is wrong as well.

⠋ thinking 6 s · 2 turns · esc to interrupt
❯ |
  qwen3-coder · default · 128k context", "
  and is wrong as well.

⠋ thinking 6 s · esc to interrupt
❯ |
  qwen3-coder · default · 128k context"]);
}

#[test]
fn a_running_command_shows_its_output_and_the_queue() {
    let queued = |model| {
        let mut model = busy(model);
        let message = |text: &str| Queued::Message(text.to_owned());
        model.queue = ["then bump the version", "and\ntag it"].map(message).into_iter().collect();
        model
    };
    pictures(
        queued,
        [
            "
● explored  Read src/cart.rs
○ run  cargo test cart  6 s
test cart::number_3 ... ok
test cart::number_4 ... ok
test cart::number_5 ... ok
test cart::number_6 ... ok
test cart::number_7 ... ok

⠋ running a command 6 s · 2 turns · esc to interrupt · ctrl+b to background
  queued: then bump the version
  queued: and⏎tag it
❯ |
  qwen3-coder · default · 128k context",
            "
● explored  Read src/cart.rs
○ run  cargo test cart  6 s
test cart::number_5 ... ok
test cart::number_6 ... ok
test cart::number_7 ... ok

⠋ running a command 6 s · 2 turns · esc to interrupt · ctrl+b to background
  queued: then bump the version
  queued: and⏎tag it
❯ |
  qwen3-coder · default · 128k context",
            "● explored  Read src/cart.rs
○ run  cargo test cart  6 s
⠋ running a command 6 s · 2 turns
  esc to interrupt
❯ |
  qwen3-coder · default · 128k context",
        ],
    );
}

#[test]
fn the_steps_stand_between_what_is_waited_for_and_the_input() {
    let run = |extent| move |model| with_steps(running(model, |run| run.waiting = Waiting::Answer), extent);
    let folded = "
⠋ answering 6 s · 2 turns · esc to interrupt
  ▸ write the tests · 1/3
❯ |
  qwen3-coder · default · 128k context";
    pictures(run(Extent::Folded), [folded, folded, &folded.replace(" · 2 turns", "")]);
    let unfolded = "
⠋ answering 6 s · 2 turns · esc to interrupt
  1 of 3 done · ctrl+t to hide
  ✓ read the parser
  ▸ write the tests
  ☐ run them
❯ |
  qwen3-coder · default · 128k context";
    let narrow = "
⠋ answering 6 s · esc to interrupt
  ▸ write the tests · 1/3
❯ |
  qwen3-coder · default · 128k context";
    pictures(run(Extent::Unfolded), [unfolded, unfolded, narrow]);
    check(
        &live(&with_steps(model(80, 24), Extent::Unfolded), 0),
        "  1 of 3 done · ctrl+t to hide
  ✓ read the parser
  ▸ write the tests
  ☐ run them
❯ |
  qwen3-coder · default · 128k context",
    );
}

#[test]
fn commands_in_the_background_are_counted_at_the_bottom() {
    let mut model = model(80, 24);
    let job = JobView {
        id: "bash_1".into(),
        command: "npm run dev".to_owned(),
        pid: 1,
        why: Why::Asked,
        state: JobState::Running,
        since: Duration::from_secs(1),
        bytes: 0,
    };
    let ended = JobView { state: JobState::Ended { how: "killed".to_owned() }, ..job.clone() };
    model.aside.jobs = vec![job.clone(), ended];
    check(&live(&model, 0), "❯ |\n  qwen3-coder · default · 1 task · 128k context");
    model.aside.jobs.push(job);
    check(&live(&model, 0), "❯ |\n  qwen3-coder · default · 2 tasks · 128k context");
}

#[test]
fn frames_flow_only_while_a_run_goes_on_unasked() {
    let pace = |model: &Model| picture(model, Theme::Colour, Moment(0)).pace;
    assert_eq!(pace(&model(80, 24)), Pace::Rest);
    assert_eq!(pace(&busy(model(80, 24))), Pace::Busy);
    assert_eq!(pace(&asking(model(80, 24))), Pace::Rest);
}
