//! Bash: one command in a shell of its own.
//!
//! No shell lives on between calls; what is kept is its directory (`directory`). Starting, limiting and ending
//! processes is the affair of `os`; here the command is told in which environment it runs, and the model how it
//! ended. The surprise: a command is over when its shell is. What it left running goes on, and is listed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use self::directory::Directory;
use self::said::Said;
use super::schema::{self, Param};
use super::{Concurrency, Prepared, Scene, Tool, ToolResult};
use crate::os::capture;
use crate::os::process::{Exit, Finished, Running, Spawn, SpawnError};
use crate::protocol::{Access, Content, Display, ExecAccess, Preview, Tail, ToolStatus, Why};
use crate::text::units;
use crate::workbench::{Moved, Shell, Workbench};

mod directory;
mod said;

/// The contract's default and limit, in milliseconds.
const TIMEOUT: u64 = 120_000;
const MOST_TIMEOUT: u64 = 600_000;

const COMMAND: Param = Param::text("command", "").or(&["cmd", "script"]);
const TIMEOUT_MS: Param = Param::integer("timeout", "ms, default 120000, max 600000").or(&["timeout_ms"]);
const DESCRIPTION: Param = Param::text("description", "what it does, in a few words");

/// The tool.
#[derive(Debug, Clone)]
pub struct Bash {
    shell: Arc<Shell>,
}

impl Bash {
    /// Commands run where `shell` is.
    pub fn new(shell: Arc<Shell>) -> Self {
        Self { shell }
    }
}

impl Tool for Bash {
    fn name(&self) -> &'static str {
        "Bash"
    }

    fn description(&self) -> String {
        "Run a bash command without input. The directory is kept between calls while in the workspace; variables are not."
            .to_owned()
    }

    fn parameters(&self) -> Value {
        schema::object(&[COMMAND], &[TIMEOUT_MS, DESCRIPTION])
    }

    fn concurrency(&self) -> Concurrency {
        Concurrency::Alone
    }

    fn prepare(&self, arguments: &Map<String, Value>, _cwd: &Path) -> Result<Box<dyn Prepared>, String> {
        let command = COMMAND.need_some(arguments)?;
        // 0 means "not set" to models that fill in every parameter
        let timeout = TIMEOUT_MS.number(arguments)?.filter(|timeout| *timeout > 0).unwrap_or(TIMEOUT);
        let limit = Duration::from_millis(timeout.min(MOST_TIMEOUT));
        Ok(Box::new(Call { exec: ExecAccess { command, cwd: self.shell.cwd() }, limit }))
    }
}

#[derive(Debug, Clone)]
struct Call {
    exec: ExecAccess,
    limit: Duration,
}

impl Prepared for Call {
    fn access(&self) -> Access {
        Access::Exec(self.exec.clone())
    }

    fn preview<'a>(&'a self, _bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
        Box::pin(async { Ok(Preview::Command(self.exec.clone())) })
    }

    fn run(self: Box<Self>, scene: Scene) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move { self.carry_out(&scene).await })
    }
}

impl Call {
    async fn carry_out(self, scene: &Scene) -> ToolResult {
        if scene.cancel.is_cancelled() {
            return ToolResult::interrupted();
        }
        let directory = Directory::of(&self.exec.command, &scene.bench);
        let mut running = match self.start(scene, directory.as_ref()) {
            Ok(running) => running,
            Err(error) => return self.not_started(scene, &error),
        };
        let finished = follow(&mut running, scene).await;
        let moved =
            directory.and_then(Directory::read).map(|to| (scene.bench.shell().moved_to(to.clone()), to));
        let mut notes = Vec::new();
        if finished.lingering && matches!(finished.exit, Exit::Code(_) | Exit::Signal(_)) {
            let told = finished.output.end();
            let id = scene.bench.jobs().adopt(self.exec.command.clone(), running, Why::LeftBehind, told);
            notes.push(format!("[left running: {id}]"));
        }
        notes.extend(where_it_is(scene.bench.shell(), moved));
        self.told(scene, &finished, notes)
    }

    fn start(&self, scene: &Scene, directory: Option<&Directory>) -> Result<Running, SpawnError> {
        let start = |argv: Vec<OsString>| {
            let mut spawn = Spawn::new(argv, &self.exec.cwd);
            spawn.env = scene.bench.environment().to_vec();
            spawn.env.extend(directory.map(Directory::variable));
            spawn.limit = Some(self.limit);
            spawn.keep = capture::Keep { file: scene.bench.outputs().path(&scene.call).ok(), ..said::keep() };
            scene.bench.children().start(spawn)
        };
        let command = || OsString::from(&self.exec.command);
        match start(vec!["bash".into(), "--noprofile".into(), "--norc".into(), "-c".into(), command()]) {
            // a plain shell does not say where it ended
            Err(SpawnError::NoProgram { .. }) => start(vec!["/bin/sh".into(), "-c".into(), command()]),
            started => started,
        }
    }

    fn not_started(&self, scene: &Scene, error: &SpawnError) -> ToolResult {
        let shell = scene.bench.shell();
        let is_gone = matches!(error, SpawnError::NoDirectory { .. }) && self.exec.cwd != shell.root();
        if is_gone {
            shell.moved_to(shell.root().to_owned());
            return ToolResult::failed(format!(
                "Error: {error}; the next one runs in {}",
                shell.root().display()
            ));
        }
        ToolResult::failed(format!("Error: {error}"))
    }

    /// The result: how it ended where that was not well, what it said, and what else is to be known.
    fn told(&self, scene: &Scene, finished: &Finished, mut notes: Vec<String>) -> ToolResult {
        let said = Said::of(&finished.output);
        if said.cut {
            notes.insert(0, whole(scene, finished));
        }
        let (status, error, ended) = self.how(finished.exit);
        let output = if said.text.is_empty() { "(no output)" } else { &said.text };
        let parts = error.as_deref().into_iter().chain([output]).chain(notes.iter().map(String::as_str));
        let content = Content::text(parts.collect::<Vec<_>>().join("\n"));
        ToolResult { status, content, display: Display::Output { text: said.text, ended } }
    }

    /// Status, what the model is told first, and what a person is told.
    fn how(&self, exit: Exit) -> (ToolStatus, Option<String>, Option<String>) {
        let (status, error, ended) = match exit {
            Exit::Code(0) => return (ToolStatus::Success, None, None),
            Exit::Code(code) => (ToolStatus::Failed, format!("exit code {code}"), format!("exit {code}")),
            Exit::Signal(_) => {
                let ended = exit.to_string();
                (ToolStatus::Failed, ended.clone(), ended)
            }
            Exit::TimedOut => {
                let ended = format!("timed out after {}", units::duration(self.limit));
                (ToolStatus::Failed, format!("{ended} (`timeout` may be up to {MOST_TIMEOUT} ms)"), ended)
            }
            Exit::Aborted => {
                (ToolStatus::Interrupted, "interrupted by the user".to_owned(), "interrupted".to_owned())
            }
        };
        (status, Some(format!("Error: {error}")), Some(ended))
    }
}

/// Waits for the command, or for the wish to end it, and passes its newest output on.
async fn follow(running: &mut Running, scene: &Scene) -> Finished {
    let mut tail = running.tail();
    let finished = running.wait_or_abort(&scene.cancel);
    tokio::pin!(finished);
    loop {
        tokio::select! {
            biased;
            finished = &mut finished => return finished,
            Ok(()) = tail.changed() => {
                let newest = view(&tail.borrow_and_update());
                scene.progress.send_replace(newest);
            }
        }
    }
}

fn view(tail: &capture::Tail) -> Tail {
    Tail { lines: tail.text.lines().map(str::to_owned).collect(), bytes: tail.bytes, count: tail.lines }
}

/// Where the shell is, if that is not where the session is.
fn where_it_is(shell: &Shell, moved: Option<(Moved, PathBuf)>) -> Option<String> {
    let now = shell.cwd();
    match moved {
        Some((Moved::PutBack, left)) => {
            let (now, left) = (now.display(), left.display());
            Some(format!("[directory: back in {now}, as {left} is outside the workspace]"))
        }
        Some((Moved::Home | Moved::Away, _)) | None => {
            (now != shell.root()).then(|| format!("[directory: {}]", now.display()))
        }
    }
}

/// Where the whole of a long output is.
fn whole(scene: &Scene, finished: &Finished) -> String {
    let output = &finished.output;
    let size = format!("{}, {}", units::bytes(output.bytes), units::counted(output.lines, "line", "lines"));
    let written = match (&output.file, output.whole()) {
        (Some(file), _) if file.bytes == output.bytes => Ok(file.path.clone()),
        (Some(file), _) if file.error.is_none() => {
            return format!("[{size}; the first {} in {}]", units::bytes(file.bytes), file.path.display());
        }
        (Some(file), _) => Err(file.error.clone().unwrap_or_default()),
        (None, Some(whole)) => {
            scene.bench.outputs().write(&scene.call, &whole).map_err(|error| error.to_string())
        }
        (None, None) => Err("no file could be made".to_owned()),
    };
    match written {
        Ok(path) => format!("[{size}; the whole in {}]", path.display()),
        Err(error) => format!("[{size}; the whole is lost: {error}]"),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use serde_json::json;

    use super::super::testing::Session;
    use super::*;

    fn bash(session: &Session) -> Bash {
        Bash::new(Arc::clone(session.bench.shell()))
    }

    async fn run(session: &Session, command: &str) -> ToolResult {
        session.run(&bash(session), &json!({"command": command})).await
    }

    async fn text(session: &Session, command: &str) -> String {
        run(session, command).await.content.to_text()
    }

    #[tokio::test]
    async fn both_outputs_come_in_order_and_a_failure_is_told() {
        let session = Session::new();
        let result = run(&session, "echo a; echo b >&2; printf '\\033[1mc\\033[0m'").await;
        assert_eq!((result.status, result.content.to_text().as_str()), (ToolStatus::Success, "a\nb\nc"));
        let result = run(&session, "echo oh; exit 3").await;
        assert_eq!(
            (result.status, result.content.to_text().as_str()),
            (ToolStatus::Failed, "Error: exit code 3\noh")
        );
        assert_eq!(result.display, Display::Output { text: "oh".into(), ended: Some("exit 3".into()) });
        assert_eq!(text(&session, "true").await, "(no output)");
        assert_eq!(text(&session, "kill -9 $$").await, "Error: ended by signal 9 (KILL)\n(no output)");
        assert!(text(&session, "no-such-program").await.starts_with("Error: exit code 127\n"));
        assert_eq!(text(&session, "cat; echo \"$PAGER$GIT_PAGER\"").await, "catcat");
    }

    #[tokio::test]
    async fn the_directory_is_kept_while_it_is_in_the_workspace() {
        let session = Session::with(&[("sub/f", "")]);
        let root = session.root.display().to_string();
        assert_eq!(
            text(&session, "cd sub && exit 1").await,
            format!("Error: exit code 1\n(no output)\n[directory: {root}/sub]")
        );
        assert_eq!(text(&session, "ls").await, format!("f\n[directory: {root}/sub]"));
        let call = session.prepare(&bash(&session), &json!({"command": "ls"}));
        assert_eq!(
            call.access(),
            Access::Exec(ExecAccess { command: "ls".into(), cwd: session.path("sub") })
        );
        let left = text(&session, "cd /; pwd").await;
        assert_eq!(left, format!("/\n[directory: back in {root}, as / is outside the workspace]"));
        assert_eq!(text(&session, "pwd").await, root);
    }

    #[tokio::test]
    async fn how_the_directory_is_learned_disturbs_nothing() {
        let session = Session::with(&[("sub/f", "")]);
        let check = async |command: &str, expected: &str, directory: &str| {
            assert_eq!(text(&session, command).await.lines().next(), Some(expected), "{command}");
            assert_eq!(session.bench.shell().cwd(), session.path(directory), "{command}");
            session.bench.shell().moved_to(session.root.clone());
        };
        check("set -euC; cd sub; env | grep -c BASH_ENV || echo none", "0", "sub").await;
        check("(cd sub); bash -c 'cd sub'", "(no output)", "").await;
        check("cd sub; trap 'echo mine' EXIT", "mine", "").await;
        check("cd sub; exec echo gone", "gone", "").await;
        check("set -x; cd sub", "+ cd sub", "sub").await;
        assert_eq!(text(&session, "set -x; cd .").await, "+ cd .");
        assert!(text(&session, "cd sub\n\nno-such-program").await.contains("line 3:"));
    }

    #[tokio::test]
    async fn a_directory_that_is_gone_is_told_and_left() {
        let session = Session::with(&[("sub/f", "")]);
        text(&session, "cd sub").await;
        std::fs::remove_dir_all(session.path("sub")).unwrap();
        let error = text(&session, "pwd").await;
        assert!(
            error.starts_with("Error: cannot run `bash`: the directory") && error.contains("; the next one"),
            "{error}"
        );
        assert_eq!(text(&session, "pwd").await, session.root.display().to_string());
    }

    #[tokio::test]
    async fn a_long_output_is_cut_in_the_middle_and_kept_whole() {
        let session = Session::new();
        for (command, bytes) in [("seq 1 3000", 13_893), ("seq 1 200000", 1_288_895)] {
            let told = text(&session, command).await;
            assert!(told.starts_with("1\n2\n") && told.len() <= 50 * 1024 && told.lines().count() <= 2000);
            let (_, named) = told.rsplit_once("the whole in ").unwrap();
            let file = Path::new(named.trim_end_matches(']'));
            assert_eq!(file.metadata().unwrap().len(), bytes);
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[tokio::test]
    async fn a_time_limit_ends_it_and_keeps_what_it_said() {
        let session = Session::new();
        let result =
            session.run(&bash(&session), &json!({"command": "echo half; sleep 60", "timeout": 200})).await;
        assert_eq!(result.status, ToolStatus::Failed);
        let told = result.content.to_text();
        assert!(told.starts_with("Error: timed out after 200 ms") && told.ends_with("\nhalf"), "{told}");
    }

    #[tokio::test]
    async fn an_abort_ends_it_and_keeps_what_it_said() {
        let session = Session::new();
        let mut progress = session.progress.subscribe();
        let arguments = json!({"command": "echo half; sleep 60"});
        let tool = bash(&session);
        let (result, ()) = tokio::join!(session.run(&tool, &arguments), async {
            progress.wait_for(|tail| tail.lines == ["half"]).await.unwrap();
            session.cancel.cancel();
        });
        assert_eq!(result.status, ToolStatus::Interrupted);
        assert_eq!(result.content.to_text(), "Error: interrupted by the user\nhalf");
    }

    #[tokio::test]
    async fn what_is_left_running_is_listed_and_ends_with_the_session() {
        let session = Session::new();
        let told = text(&session, "sleep 60 & echo $!").await;
        let left = session.bench.jobs().list();
        assert_eq!(left.len(), 1);
        assert!(told.ends_with(&format!("[left running: {}]", left[0].id)), "{told}");
        session.bench.end_all().await;
        assert!(session.bench.jobs().list().is_empty());
    }

    #[tokio::test]
    async fn without_bash_a_plain_shell_will_do() {
        let environment = vec![("PATH".into(), "/nowhere".into())];
        let mut session = Session::new();
        let setup = crate::workbench::Setup { root: session.root.clone(), outputs: None, environment };
        session.bench = Arc::new(Workbench::new(setup).unwrap());
        assert_eq!(text(&session, "echo hello").await, "hello");
    }
}
