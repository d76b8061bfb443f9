//! The whole screen in tmux: what stood in the pane before, history and all, stands there afterwards.

use crate::endpoint::{Endpoint, text};
use crate::harness::Clawd;
use crate::screen_layer::tmux;

use super::full::{QUIET, entries};

#[test]
fn tmux_has_its_screen_and_its_history_back_as_they_were() {
    if !tmux::is_there() {
        return;
    }
    let endpoint = Endpoint::script([text(&entries(0, 60))]);
    let clawd = Clawd::new(&endpoint).args(["--fullscreen", "go"]);
    let server = tmux::Server::start();
    let (program, args, env) = clawd.parts();
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let env: Vec<String> = env.iter().map(|(name, value)| quoted(&format!("{name}={value}"))).collect();
    let args: Vec<String> = args.iter().map(|arg| quoted(arg)).collect();
    let script = format!(
        "cd {}; seq 1 100; tmux wait-for -S before; tmux wait-for begin; \
         env -i {} TMUX=\"$TMUX\" TERM=\"$TERM\" {} {}; tmux wait-for -S after; cat",
        quoted(&clawd.project().display().to_string()),
        env.join(" "),
        quoted(&program.display().to_string()),
        args.join(" "),
    );
    server.run(&["new-session", "-d", "-s", "s", "-x", "80", "-y", "24", "sh", "-c", &script]);
    let all = || server.run(&["capture-pane", "-p", "-S", "-", "-t", "s"]).trim_end().to_owned();
    server.run(&["wait-for", "before"]);
    let before = all();
    assert!(before.starts_with("1\n2\n") && before.ends_with("\n100"), "{before}");
    server.run(&["wait-for", "-S", "begin"]);
    server.wait_for("s", |shown| shown.contains("entry 0-59") && !shown.contains("esc to interrupt"));
    server.run(&["send-keys", "-t", "s", "PPage"]);
    server.wait_for("s", |shown| shown.contains(QUIET));
    server.run(&["resize-window", "-t", "s", "-x", "60", "-y", "15"]);
    server.wait_for("s", |shown| shown.lines().count() == 15 && shown.contains(QUIET));
    server.run(&["resize-window", "-t", "s", "-x", "80", "-y", "24"]);
    server.wait_for("s", |shown| shown.lines().count() == 24 && shown.contains(QUIET));
    server.run(&["send-keys", "-t", "s", "C-d"]);
    server.run(&["wait-for", "after"]);
    let after = all();
    let (left, hint) = after.rsplit_once('\n').unwrap();
    assert_eq!(left, before);
    assert!(hint.starts_with("Resume with: clawd -r"), "{hint}");
    endpoint.finish();
}
