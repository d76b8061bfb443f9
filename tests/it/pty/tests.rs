//! The screen itself, with the shell in the place of the program.

use super::*;

fn shell(script: &str) -> Pty {
    Pty::spawn(&program(script), Size::new(40, 6))
}

fn program(script: &str) -> Clawd {
    Clawd::alone().program("/bin/sh").args(["-c", script])
}

/// Shows every byte that it gets, `q` ends it.
fn show(setup: &str) -> Pty {
    let pty = shell(&format!(
        "stty raw -echo; printf '{setup}ready'; while b=$(dd bs=1 count=1 2>/dev/null | od -An -tx1 | tr -d ' \\n'); \
         do printf '<%s>' \"$b\"; [ \"$b\" = 71 ] && break; done; stty sane"
    ));
    pty.wait_for("ready");
    pty
}

fn failure(run: impl FnOnce()) -> String {
    let panic =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).expect_err("it should have failed");
    panic.downcast_ref::<String>().expect("a message").clone()
}

#[test]
fn the_screen_shows_what_the_program_draws() {
    let pty = shell("printf 'one\\r\\n\\033[31mtwo\\033[m\\033[4;10Hfour'; read -r x; echo; exit 7");
    pty.wait_for("four");
    assert_eq!(pty.screen_text(), "one\ntwo\n\n         four");
    pty.key("enter");
    assert_eq!(pty.wait_exit(), Exit { code: 7, signal: None });
    assert!(pty.raw_bytes().windows(5).any(|bytes| bytes == b"\x1b[31m"));
}

#[test]
fn typed_keys_and_pastes_arrive_as_bytes() {
    let pty = show("");
    pty.type_text("é");
    pty.key("ctrl-c");
    pty.key("up");
    pty.paste("a\nb");
    pty.send(b"\x1b[I");
    pty.key("q");
    pty.wait_exit();
    let screen = pty.screen_text().replace('\n', "");
    assert_eq!(screen, "ready<c3><a9><03><1b><5b><41><61><0d><62><1b><5b><49><71>");
}

#[test]
fn a_paste_stands_in_brackets_where_they_were_asked_for() {
    let pty = show("\\033[?2004h\\033[?1h");
    pty.paste("a");
    pty.key("up");
    pty.key("q");
    pty.wait_exit();
    let screen = pty.screen_text().replace('\n', "");
    let (open, close) = ("<1b><5b><32><30><30><7e>", "<1b><5b><32><30><31><7e>");
    assert_eq!(screen, format!("ready{open}<61>{close}<1b><4f><41><71>"));
}

#[test]
fn queries_are_answered_where_the_cursor_stands() {
    let read = "dd bs=1 count=6 2>/dev/null | od -An -c | tr -d ' '";
    let pty = shell(&format!("stty raw -echo; printf '\\033[2;3H\\033[6n'; {read}; stty sane"));
    pty.wait_for("033[2;3R");
    pty.wait_exit();
    assert_eq!(pty.queries(), ["[6n"]);
}

#[test]
fn a_kitty_answers_for_its_keyboard_and_sends_keys_apart() {
    let read = "dd bs=1 count=5 2>/dev/null | od -An -c | tr -d ' '";
    let script = format!(
        "S=$(stty -g); stty raw -echo; printf '\\033[>1u\\033[?u'; {read}; \
         printf ready; {read}; printf '\\033[<u'; stty \"$S\""
    );
    let pty = Pty::spawn_on(Kind::Kitty, &program(&script), Size::new(40, 6));
    pty.wait_for("033[?1u");
    pty.wait_for("ready");
    pty.key("esc");
    pty.wait_for("033[27u");
    pty.wait_exit();
    pty.assert_terminal_restored();
}

#[test]
fn a_resize_reaches_the_screen_and_the_program() {
    let pty = shell("trap 'stty size; exit 0' WINCH; echo ready; while :; do read -r x; done");
    pty.wait_for("ready");
    pty.resize(Size::new(50, 10));
    // a shell that was about to read hears of it after the line
    pty.key("enter");
    pty.wait_for("10 50");
    pty.wait_until("ten rows", |screen| screen.size().0.get() == 10);
    assert_eq!(pty.wait_exit().code, 0);
}

#[test]
fn what_has_left_the_screen_is_history() {
    let pty = shell("for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do echo line $n; done");
    pty.wait_exit();
    let history = pty.history();
    let lines: Vec<&str> = history.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
    let expected: Vec<String> = (1..=17).map(|n| format!("line {n}")).collect();
    assert_eq!(lines, expected);
    assert!(!pty.screen_text().contains("line 9"));
}

#[test]
fn a_wait_that_cannot_end_fails_with_the_screen() {
    let message = failure(|| shell("echo something else").wait_for("ready"));
    assert!(message.contains("the output ended before \"ready\"") && message.contains("something else"));
}

#[test]
fn a_signal_ends_the_program() {
    let pty = shell("echo ready; exec cat");
    pty.wait_for("ready");
    pty.signal(Signal::KILL);
    assert_eq!(pty.wait_exit().signal.as_deref(), Some("Killed"));
}

#[test]
fn a_terminal_that_was_left_alone_or_put_back_is_restored() {
    for script in [
        "echo hello",
        "printf '\\033[?2004h\\033[?1049h\\033[?25l'; stty raw; stty \"$S\"; \
         printf '\\033[?25h\\033[?1049l\\033[?2004l'",
    ] {
        let pty = shell(&format!("S=$(stty -g); {script}"));
        pty.wait_exit();
        pty.assert_terminal_restored();
    }
}

#[test]
fn a_terminal_that_was_not_put_back_fails() {
    for (script, expected) in [
        ("printf '\\033[?25l'", "the cursor (?25) left off"),
        ("printf '\\033[?1049h'", "the alternate screen (?1049) left on"),
        ("printf '\\033[31m'", "colours or attributes left set"),
        ("stty raw", "the line left as"),
    ] {
        let pty = shell(script);
        pty.wait_exit();
        let message = failure(|| pty.assert_terminal_restored());
        assert!(message.contains(expected), "{message}");
    }
    let running = shell("echo ready; exec cat");
    let early = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| running.assert_terminal_restored()));
    assert!(early.is_err(), "it is a check for after the end");
}
