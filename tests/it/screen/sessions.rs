//! What a later program knows of an earlier one.

use crate::endpoint::{Endpoint, Gate, calls, text};
use crate::harness::{Clawd, Signal};

use super::{answer, bash, count_rows, lasting, leave, open, say, wait_for_process, wait_for_rest};

#[test]
fn a_session_goes_on_after_the_program_was_killed() {
    let endpoint =
        Endpoint::script([text("First answer."), text("Half").hold(&Gate::new()), text("Third answer.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "one");
    pty.wait_for("First answer.");
    wait_for_rest(&pty);
    say(&pty, "two");
    pty.wait_for("Half");
    pty.signal(Signal::KILL);
    pty.wait_exit();
    let pty = open(&clawd.again().arg("-c"));
    pty.wait_for("First answer.");
    pty.wait_for("❯ two");
    say(&pty, "three");
    pty.wait_for("Third answer.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(3);
    assert_eq!(request.roles(), "system user assistant user");
    assert_eq!(request.last_text(), "two\n\nthree");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_session_that_is_not_there_is_told_in_the_screens_own_words() {
    let endpoint = Endpoint::script([]);
    let pty = open(&Clawd::new(&endpoint));
    say(&pty, "/resume zzz");
    pty.wait_for("no session has the ID zzz (try /resume for a list)");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_call_that_was_killed_with_the_program_has_an_answer_later() {
    let endpoint = Endpoint::script([calls([lasting()]), text("I see.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd.again().arg("--yolo"));
    say(&pty, "go");
    let process = wait_for_process(&pty);
    pty.signal(Signal::KILL);
    pty.wait_exit();
    // Nobody was left to end it.
    rustix::process::kill_process(process, Signal::KILL).unwrap();
    let pty = open(&clawd.again().arg("-c"));
    say(&pty, "what happened?");
    pty.wait_for("I see.");
    wait_for_rest(&pty);
    let request = endpoint.wait_for_request(2);
    assert_eq!(request.roles(), "system user assistant tool user");
    assert!(request.tool_result("call_1").to_lowercase().contains("interrupted"));
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_resume_shows_the_last_screens_and_counts_the_rest() {
    let answers: Vec<_> = (1..=12).map(|n| text(&format!("Answer number {n}."))).collect();
    let endpoint = Endpoint::script(answers);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    for n in 1..=12 {
        say(&pty, &format!("question {n}"));
        pty.wait_for(&format!("Answer number {n}."));
        wait_for_rest(&pty);
    }
    leave(&pty);
    let pty = open(&clawd.again().arg("-c"));
    pty.wait_for("Answer number 12.");
    pty.wait_for("earlier messages");
    assert_eq!(count_rows(&pty, "Answer number 1."), 0);
    leave(&pty);
    endpoint.finish();
}

#[test]
fn a_call_that_was_refused_is_not_shown_as_done_later() {
    let endpoint = Endpoint::script([calls([bash("touch made")]), text("Not done.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "go");
    answer(&pty, "Allow", "3");
    pty.type_text("not now");
    pty.key("enter");
    pty.wait_for("Not done.");
    wait_for_rest(&pty);
    let refused = row(&pty, "touch made");
    assert!(refused.starts_with('⊘') && refused.contains("not now"), "{refused}");
    leave(&pty);
    let pty = open(&clawd.again().arg("-c"));
    pty.wait_for("Not done.");
    let refused = row(&pty, "touch made");
    assert!(refused.starts_with('⊘'), "{refused}");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn nothing_is_kept_where_nothing_is_wanted() {
    let endpoint = Endpoint::script([text("Not kept.")]);
    let clawd = Clawd::new(&endpoint).arg("--no-session");
    let pty = open(&clawd);
    say(&pty, "go");
    pty.wait_for("Not kept.");
    wait_for_rest(&pty);
    leave(&pty);
    assert!(!clawd.clawd_home().join("sessions").exists());
    endpoint.finish();
}

#[test]
fn an_id_that_nobody_knows_ends_it_before_it_begins() {
    let endpoint = Endpoint::script([]);
    for arguments in [&["-c"][..], &["-r", "nosuchsession"][..]] {
        let pty =
            crate::pty::Pty::spawn(&Clawd::new(&endpoint).args(arguments.iter().copied()), super::usual());
        assert_eq!(pty.wait_exit().code, 2);
        assert!(pty.screen_text().contains("Error: "), "{}", pty.screen_text());
        pty.assert_terminal_restored();
    }
    endpoint.finish();
}

#[test]
fn a_second_program_does_not_write_into_the_session_of_the_first() {
    let endpoint = Endpoint::script([text("An answer.")]);
    let clawd = Clawd::new(&endpoint);
    let first = open(&clawd);
    say(&first, "go");
    first.wait_for("An answer.");
    wait_for_rest(&first);
    let second = crate::pty::Pty::spawn(&clawd.again().arg("-c"), super::usual());
    assert_eq!(second.wait_exit().code, 2);
    assert!(second.screen_text().contains("fork"), "{}", second.screen_text());
    leave(&first);
    endpoint.finish();
}

#[test]
fn a_fork_goes_on_beside_the_first() {
    let endpoint = Endpoint::script([text("An answer."), text("Forked.")]);
    let clawd = Clawd::new(&endpoint);
    let pty = open(&clawd);
    say(&pty, "one");
    pty.wait_for("An answer.");
    wait_for_rest(&pty);
    leave(&pty);
    let pty = open(&clawd.again().args(["-c", "--fork-session"]));
    pty.wait_for("An answer.");
    say(&pty, "two");
    pty.wait_for("Forked.");
    wait_for_rest(&pty);
    assert_eq!(endpoint.wait_for_request(2).roles(), "system user assistant user");
    leave(&pty);
    endpoint.finish();
}

#[test]
fn what_was_said_in_one_directory_is_not_continued_in_another() {
    let endpoint = Endpoint::script([text("Here.")]);
    let clawd = Clawd::new(&endpoint).file("sub/a.txt", "x");
    let pty = open(&clawd);
    say(&pty, "go");
    pty.wait_for("Here.");
    wait_for_rest(&pty);
    leave(&pty);
    let elsewhere = crate::pty::Pty::spawn(&clawd.again().args(["-c", "-C", "sub"]), super::usual());
    assert_eq!(elsewhere.wait_exit().code, 2);
    endpoint.finish();
}

/// The one row that contains the words.
fn row(pty: &crate::pty::Pty, words: &str) -> String {
    let rows = pty.history();
    let found: Vec<&String> = rows.iter().filter(|row| row.contains(words)).collect();
    assert_eq!(found.len(), 1, "{words}: {rows:#?}");
    found[0].clone()
}
