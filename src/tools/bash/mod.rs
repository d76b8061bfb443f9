//! Bash: one command in a shell of its own.
//!
//! No shell lives on between calls; what is kept is its directory (`directory`). Starting, limiting and ending
//! processes is the affair of `os`; here the command is told in which environment it runs, and the model how it
//! ended. The surprise: a command is over when its shell is. What it left running goes on as a job, and so does what
//! was asked to run in the background or is moved there while it runs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use self::changing::Changing;
use self::directory::Directory;
use self::said::Said;
use self::start::{SHELLS, Started};
use self::stopped::Stopped;
use super::schema::{self, Param};
use super::{INTERRUPTED, Offer, Prepared, Scene, Tool, ToolResult};
use crate::os::capture::{self, Mark};
use crate::os::paths::PathBase;
use crate::os::process::{Exit, Finished, Running};
use crate::protocol::{
    Access, Content, Display, ExecAccess, Hold, JobId, PassedOver, Preview, Tail, Terms, ToolSpec,
    ToolStatus, Why,
};
use crate::text::units;
use crate::workbench::jobs::Foreground;
use crate::workbench::{Moved, Shell, Workbench};

mod changing;
mod directory;
mod missed;
pub(super) mod said;
mod start;
mod stopped;

/// The contract's default and limit, in milliseconds.
const TIMEOUT: u64 = 120_000;
const MOST_TIMEOUT: u64 = 600_000;

/// How long a command in the background is watched at its start: what fails at once is told at once.
const FIRST_LOOK: Duration = Duration::from_millis(300);

const COMMAND: Param = Param::text("command", "bash command").or(&["cmd", "script"]);
const TIMEOUT_MS: Param =
    Param::integer("timeout", "milliseconds, default 120000, at most 600000").or(&["timeout_ms"]);
const DESCRIPTION: Param = Param::text("description", "what it does, in 5 to 10 words");
const BACKGROUND: Param =
    Param::flag("run_in_background", "for servers: no timeout; returns an id{{BashOutput: for BashOutput}}")
        .or(&["background", "is_background"]);

/// The tool.
#[derive(Debug, Clone)]
pub struct Bash {
    /// What may run a command, the first that is there.
    programs: &'static [&'static str],
}

impl Default for Bash {
    fn default() -> Self {
        Self { programs: &SHELLS }
    }
}

impl Tool for Bash {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Bash".into(),
            description: "Run a bash command, without terminal or stdin. `cd` persists between calls, inside the workspace; variables and \
         functions do not. In the sandbox /tmp is private to commands. Long output is truncated and saved to a file.".into(),
            parameters: schema::object(&[COMMAND], &[TIMEOUT_MS, DESCRIPTION, BACKGROUND]),
            parallel: false,
        }
    }

    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String> {
        let command = COMMAND.need_some(arguments)?;
        if command.contains('\0') {
            return Err(
                "Error: `command` contains a NUL character, which a shell cannot take (try `printf '\\0'`)"
                    .to_owned(),
            );
        }
        // 0 means "not set" to models that fill in every parameter
        let timeout = TIMEOUT_MS.number(arguments)?.filter(|timeout| *timeout > 0);
        let limit = timeout.map(|timeout| Duration::from_millis(timeout.min(MOST_TIMEOUT)));
        let place = if BACKGROUND.is_set(arguments)? { Place::Background } else { Place::Foreground };
        let limit = match place {
            Place::Foreground => limit.or(Some(Duration::from_millis(TIMEOUT))),
            Place::Background => limit,
        };
        let exec = ExecAccess { command, cwd: base.shell_cwd.to_owned() };
        Ok(Box::new(Call { exec, limit, place, programs: self.programs }))
    }
}

/// Where a command is to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Foreground,
    Background,
}

#[derive(Debug, Clone)]
struct Call {
    exec: ExecAccess,
    limit: Option<Duration>,
    place: Place,
    programs: &'static [&'static str],
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

/// A command that ran once.
struct Tried {
    result: ToolResult,
    /// What the sandbox kept it from.
    stopped: Option<Stopped>,
}

impl From<ToolResult> for Tried {
    fn from(result: ToolResult) -> Self {
        Self { result, stopped: None }
    }
}

/// How the waiting for a command came to its end.
enum Waited {
    Ended(Finished),
    /// It goes on, beside the conversation.
    GoesOn,
}

impl Call {
    async fn carry_out(self, scene: &Scene) -> ToolResult {
        let Tried { result, stopped } = self.attempt(scene).await;
        let Some(stopped) = stopped else { return result };
        let hold = stopped.wider(scene.terms.hold);
        let offer = Offer { exec: self.exec.clone(), why: stopped.why(scene.terms.hold), hold };
        let is_wanted = tokio::select! {
            biased;
            () = scene.cancel.cancelled() => false,
            is_wanted = scene.host.offer(offer) => is_wanted,
        };
        if !is_wanted {
            return noted(result, &stopped.told(scene.terms.hold));
        }
        let again = Scene { terms: Terms { hold, ..Terms::default() }, ..scene.clone() };
        noted(self.attempt(&again).await.result, AGAIN)
    }

    /// Runs it once.
    async fn attempt(&self, scene: &Scene) -> Tried {
        if scene.cancel.is_cancelled() {
            return ToolResult::interrupted().into();
        }
        // what only looks changes nothing
        let changing = match scene.terms.hold {
            Hold::LOOKING => None,
            Hold::Held { .. } | Hold::Free => Some(Changing::begin(scene).await),
        };
        let mut started = match self.start(scene) {
            Ok(started) => started,
            Err(error) => {
                scene.bench.nothing_ran();
                return self.not_started(scene, &error).into();
            }
        };
        let (waited, why) = match self.place {
            Place::Foreground => {
                let front = scene.bench.jobs().foreground();
                (follow(&mut started.running, scene, &front).await, Why::Moved)
            }
            Place::Background => (first_look(&mut started.running, scene).await, Why::Asked),
        };
        match waited {
            Waited::Ended(finished) => {
                let said = Said::of(&finished.output);
                let stopped = Stopped::of(scene.terms.hold, finished.exit, &said.text);
                let result = self.ended(scene, started, &finished, said);
                Tried { result: Changing::end(changing, scene, result).await, stopped }
            }
            Waited::GoesOn => {
                let result = self.goes_on(scene, started.running, why);
                Changing::look(changing.as_ref(), scene).await;
                result.into()
            }
        }
    }

    /// The shell has exited. What it left running becomes a job.
    fn ended(&self, scene: &Scene, started: Started, finished: &Finished, said: Said) -> ToolResult {
        let Started { running, directory, program } = started;
        let shell = scene.bench.shell();
        let moved = directory.and_then(Directory::read).map(|(to, from)| {
            if let Some(from) = from {
                shell.came_from(from);
            }
            (shell.moved_to(to.clone()), to)
        });
        let mut notes = Vec::new();
        match scene.terms.passed_over {
            PassedOver::Nothing => {}
            PassedOver::Secrets => notes.push(PASSED_OVER.to_owned()),
        }
        if finished.exit != Exit::Code(0) {
            notes.extend(missed::notes(&self.exec.command, &said.text, scene));
            notes.extend(program.map(|program| format!("[bash not found: run by {program}]")));
        }
        if finished.lingering && matches!(finished.exit, Exit::Code(_) | Exit::Signal(_)) {
            let id = self.adopt(scene, running, Why::LeftBehind, finished.output.end());
            notes.push(format!("[still running: {id}; {READ_ON}]"));
        } else if self.place == Place::Background {
            // it has its name all the same: whoever asks for it is told the same again
            let id = self.adopt(scene, running, Why::AtOnce, Mark::default());
            notes.push(format!("[{id}: ended, {}, at once]", finished.exit));
        }
        notes.extend(where_it_is(scene.bench.shell(), moved));
        self.told(scene, finished, said, notes)
    }

    /// It runs on. What was moved has told its output up to here; what was asked for there has it all read by its name, so
    /// that no line is told twice and none is looked for in vain.
    fn goes_on(&self, scene: &Scene, running: Running, why: Why) -> ToolResult {
        let output = running.so_far();
        let told = match why {
            Why::Moved => output.end(),
            Why::Asked | Why::AtOnce | Why::LeftBehind => Mark::default(),
        };
        let id = self.adopt(scene, running, why, told);
        let said = Said::of(&output);
        let by = match why {
            Why::Moved => "moved to the background by the user",
            Why::Asked | Why::AtOnce | Why::LeftBehind => "running in the background",
        };
        let mut parts = vec![format!("[{by}: {id}; {READ_ON}]")];
        if why == Why::Moved && said.cut {
            parts.insert(0, said::whole(scene, &output));
        }
        if why == Why::Moved && !said.text.is_empty() {
            parts.insert(0, said.text.clone());
        }
        let how = match why {
            Why::Moved => "moved to the background",
            Why::Asked | Why::AtOnce | Why::LeftBehind => "in the background",
        };
        let display = Display::Output { text: said.text, ended: Some(format!("{how}: {id}")) };
        ToolResult { status: ToolStatus::Success, content: Content::text(parts.join("\n")), display }
    }

    fn adopt(&self, scene: &Scene, running: Running, why: Why, told: Mark) -> JobId {
        scene.bench.jobs().adopt(self.exec.command.clone(), running, why, told)
    }

    /// The result: how it ended where that was not well, what it said, and what else is to be known.
    fn told(&self, scene: &Scene, finished: &Finished, said: Said, mut notes: Vec<String>) -> ToolResult {
        if said.cut {
            notes.insert(0, said::whole(scene, &finished.output));
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
            Exit::Code(code) => {
                (ToolStatus::Failed, format!("{exit}{}", said::hint(code)), format!("exit {code}"))
            }
            Exit::Signal(_) => (ToolStatus::Failed, exit.to_string(), exit.to_string()),
            Exit::TimedOut => {
                let ended = format!("timed out after {}", units::duration(self.limit.unwrap_or_default()));
                let mend = format!("`timeout` may be up to {MOST_TIMEOUT} ms; `run_in_background` has none");
                (ToolStatus::Failed, format!("{ended} ({mend})"), ended)
            }
            Exit::Aborted => (ToolStatus::Interrupted, INTERRUPTED.to_owned(), "interrupted".to_owned()),
        };
        (status, Some(format!("Error: {error}")), Some(ended))
    }
}

/// What the model is told of a command that ran a second time.
const AGAIN: &str = "[second run, approved by the user: the sandbox stopped the first]";

/// What the model is told of a search that ran unasked, and so not in every file.
const PASSED_OVER: &str = "[skipped: links, and files that look like secrets: .env, *.pem, .ssh/]";

/// The result with one more line for the model.
fn noted(mut result: ToolResult, note: &str) -> ToolResult {
    result.content = Content::text(format!("{}\n{note}", result.content.to_text()));
    result
}

/// How the model learns more of a job.
const READ_ON: &str = "use BashOutput to read its output, KillShell to stop it";

/// Waits for the command, or for the wish to end or to move it, and passes its newest output on.
async fn follow(running: &mut Running, scene: &Scene, front: &Foreground) -> Waited {
    let mut tail = running.tail();
    let finished = running.wait_or_abort(&scene.cancel);
    tokio::pin!(finished);
    loop {
        tokio::select! {
            biased;
            finished = &mut finished => return Waited::Ended(finished),
            () = front.moved() => return Waited::GoesOn,
            Ok(()) = tail.changed() => {
                let newest = view(&tail.borrow_and_update());
                scene.progress.send_replace(newest);
            }
        }
    }
}

/// Waits a moment for a command in the background. An abort of the run is none of its.
async fn first_look(running: &mut Running, scene: &Scene) -> Waited {
    tokio::select! {
        biased;
        finished = running.wait() => Waited::Ended(finished),
        () = scene.cancel.cancelled() => Waited::GoesOn,
        () = tokio::time::sleep(FIRST_LOOK) => Waited::GoesOn,
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
            Some(format!("[directory: reset to {now}, because {left} is outside the workspace]"))
        }
        Some((Moved::Home | Moved::Away, _)) | None => {
            (now != shell.root()).then(|| format!("[directory: {}]", now.display()))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use serde_json::json;

    use super::super::testing::Session;
    use super::*;
    use crate::protocol::{JobState, Network, Wording, Writes};

    async fn run(session: &Session, command: &str) -> ToolResult {
        session.run(&Bash::default(), &json!({"command": command})).await
    }

    async fn text(session: &Session, command: &str) -> String {
        run(session, command).await.content.to_text()
    }

    /// Runs a command as if the sandbox held it.
    async fn run_held(session: &Session, command: &str, terms: Terms) -> ToolResult {
        let call = session.prepare(&Bash::default(), &json!({"command": command}));
        call.run(Scene { terms, ..session.scene() }).await
    }

    const WRITES: Hold = Hold::Held { writes: Writes::Workspace, network: Network::Off };

    #[tokio::test]
    async fn what_was_judged_is_what_runs() {
        let session = Session::new();
        let wording = Wording::Known("'echo' 'judged'".to_owned());
        let terms = Terms { hold: Hold::LOOKING, wording, passed_over: PassedOver::Nothing };
        let result = run_held(&session, "echo written", terms.clone()).await;
        assert_eq!(result.content.to_text(), "judged");
        let terms = Terms { passed_over: PassedOver::Secrets, ..terms };
        let result = run_held(&session, "echo written", terms).await;
        assert_eq!(result.content.to_text(), format!("judged\n{PASSED_OVER}"));
    }

    #[tokio::test]
    async fn a_command_that_the_sandbox_stopped_is_offered_once_more() {
        let session = Session::new();
        let held = || Terms { hold: WRITES, ..Terms::default() };
        let command = "echo x >> tries; cat tries; echo 'x: Read-only file system'; exit 1";
        let result = run_held(&session, command, held()).await.content.to_text();
        let told = "Error: exit code 1\nx\nx: Read-only file system\n[sandboxed: only the workspace and $TMPDIR are writable]";
        assert_eq!(result, told);
        let [offer] = session.offered().try_into().unwrap();
        assert_eq!((offer.exec.command.as_str(), offer.hold), (command, Hold::Free));
        let result = run_held(&session, command, held()).await.content.to_text();
        assert_eq!(result, format!("Error: exit code 1\nx\nx\nx\nx: Read-only file system\n{AGAIN}"));
        assert_eq!((session.offered().len(), session.text("tries").as_str()), (1, "x\nx\nx\n"));
        let unreached = "echo 'curl: (6) Could not resolve host: example.com'; exit 6";
        run_held(&session, unreached, held()).await;
        assert_eq!(session.offered().remove(0).hold, WRITES.with_network());
        run_held(&session, command, Terms::default()).await;
        run_held(&session, "echo EROFS", held()).await;
        assert!(session.offered().is_empty());
    }

    #[tokio::test]
    async fn what_runs_later_is_told_when_a_command_changes_it() {
        let session = Session::with(&[(".git/config", "")]);
        let result = run(&session, "echo a; echo x > .envrc; echo y >> .git/config").await;
        let told = "a\n[changed files that are run later: .envrc, .git/config]";
        assert_eq!(result.content.to_text(), told);
        assert_eq!(result.display, Display::Output { text: told.to_owned(), ended: None });
        assert_eq!(text(&session, "echo b > plain; cat .envrc").await, "x");
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
        assert_eq!(text(&session, "kill -9 $$").await, "Error: terminated by signal 9 (KILL)\n(no output)");
        let told = text(&session, "no-such-program").await;
        assert!(told.starts_with("Error: exit code 127 (a command was not found)\n"), "{told}");
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
        let call = session.prepare(&Bash::default(), &json!({"command": "ls"}));
        assert_eq!(
            call.access(),
            Access::Exec(ExecAccess { command: "ls".into(), cwd: session.path("sub") })
        );
        let left = text(&session, "cd /; pwd").await;
        assert_eq!(left, format!("/\n[directory: reset to {root}, because / is outside the workspace]"));
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
    async fn a_workspace_that_was_away_works_again_when_it_is_back() {
        let session = Session::new();
        let away = session.root.with_extension("away");
        std::fs::rename(&session.root, &away).unwrap();
        let error = text(&session, "pwd").await;
        assert!(error.starts_with("Error: cannot run `bash`: the directory"), "{error}");
        std::fs::rename(&away, &session.root).unwrap();
        assert_eq!(text(&session, "pwd").await, session.root.display().to_string());
    }

    #[tokio::test]
    async fn the_directory_may_stay_in_one_that_was_added() {
        let (session, added) = (Session::new(), tempfile::tempdir().unwrap());
        let added = added.path().canonicalize().unwrap();
        session.bench.shell().add(added.clone());
        let told = text(&session, &format!("cd {}; false", added.display())).await;
        assert_eq!(told, format!("Error: exit code 1\n(no output)\n[directory: {}]", added.display()));
    }

    #[tokio::test]
    async fn a_long_output_is_cut_in_the_middle_and_kept_whole() {
        let session = Session::new();
        for (command, bytes) in [("seq 1 3000", 13_893), ("seq 1 200000", 1_288_895)] {
            let told = text(&session, command).await;
            assert!(told.starts_with("1\n2\n") && told.len() <= 50 * 1024 && told.lines().count() <= 2000);
            let (_, named) = told.rsplit_once("full output: ").unwrap();
            let file = Path::new(named.trim_end_matches(']'));
            assert_eq!(file.metadata().unwrap().len(), bytes);
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[tokio::test]
    async fn a_time_limit_ends_it_and_keeps_what_it_said() {
        let session = Session::new();
        let result =
            session.run(&Bash::default(), &json!({"command": "echo half; sleep 60", "timeout": 200})).await;
        assert_eq!(result.status, ToolStatus::Failed);
        let told = result.content.to_text();
        assert!(told.starts_with("Error: timed out after 200 ms") && told.ends_with("\nhalf"), "{told}");
    }

    #[tokio::test]
    async fn an_abort_ends_it_and_keeps_what_it_said() {
        let session = Session::new();
        let mut progress = session.progress.subscribe();
        let arguments = json!({"command": "echo half; sleep 60"});
        let tool = Bash::default();
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
        assert!(
            told.ends_with(
                "[still running: bash_1; use BashOutput to read its output, KillShell to stop it]"
            ),
            "{told}"
        );
        assert_eq!((left[0].id.as_str(), left[0].why), ("bash_1", Why::LeftBehind));
        session.bench.end_all().await;
        assert!(session.bench.jobs().list().is_empty());
    }

    #[tokio::test]
    async fn what_runs_in_the_background_is_told_by_its_id_and_has_no_time_limit_unless_given() {
        let session = Session::new();
        let bash = Bash::default();
        let told =
            session.told(&bash, json!({"command": "echo up; sleep 60", "run_in_background": true})).await;
        assert_eq!(
            told,
            "[running in the background: bash_1; use BashOutput to read its output, KillShell to stop it]"
        );
        assert_eq!(session.bench.jobs().list()[0].why, Why::Asked);
        let limited = json!({"command": "sleep 60", "run_in_background": true, "timeout": 400});
        let mut changed = session.bench.jobs().changed();
        session.told(&bash, limited).await;
        let list = || session.bench.jobs().list();
        changed.wait_for(|_| list().len() == 2 && list()[1].state != JobState::Running).await.unwrap();
        assert_eq!(list()[1].state, JobState::Ended { how: "timed out".to_owned() });
        assert_eq!(list()[0].state, JobState::Running);
        session.bench.end_all().await;
    }

    #[tokio::test]
    async fn a_background_command_that_ends_at_once_is_told_as_any_other_and_has_its_id() {
        let session = Session::new();
        let run = async |command: &str| {
            session.run(&Bash::default(), &json!({"command": command, "run_in_background": true})).await
        };
        let failed = run("no-such-server").await;
        assert_eq!(failed.status, ToolStatus::Failed);
        let failed = failed.content.to_text();
        assert!(failed.starts_with("Error: exit code 127"), "{failed}");
        assert!(failed.ends_with("[bash_1: ended, exit code 127, at once]"), "{failed}");
        assert_eq!(run("echo done").await.content.to_text(), "done\n[bash_2: ended, exit code 0, at once]");
        assert!(session.bench.jobs().list().is_empty(), "its end is told");
        let left = run("sleep 60 & echo done").await.content.to_text();
        assert!(left.starts_with("done\n[still running: bash_3;"), "{left}");
        session.bench.end_all().await;
    }

    #[tokio::test]
    async fn a_command_that_is_moved_goes_on_and_its_call_is_answered_at_once() {
        let session = Session::new();
        let mut progress = session.progress.subscribe();
        let (tool, jobs) = (Bash::default(), session.bench.jobs());
        let arguments = json!({"command": "echo half; read < <(sleep 0.6); echo whole", "timeout": 500});
        let (told, ()) = tokio::join!(session.told(&tool, arguments), async {
            progress.wait_for(|tail| tail.lines == ["half"]).await.unwrap();
            assert_eq!(jobs.move_foreground(), 1);
        });
        assert!(told.starts_with("half\n[moved to the background by the user: bash_1;"), "{told}");
        let mut changed = jobs.changed();
        changed.wait_for(|_| jobs.list()[0].state != JobState::Running).await.unwrap();
        let news = jobs.take_new(&JobId::from("bash_1")).unwrap();
        assert_eq!((news.exit, news.output.whole().unwrap()), (Some(Exit::Code(0)), b"whole\n".to_vec()));
        assert_eq!(jobs.move_foreground(), 0);
    }

    #[tokio::test]
    async fn an_abort_of_the_run_leaves_what_runs_in_the_background() {
        let session = Session::new();
        let tool = Bash::default();
        let arguments = json!({"command": "sleep 60", "run_in_background": true});
        let (told, ()) = tokio::join!(session.told(&tool, arguments), async { session.cancel.cancel() });
        assert!(told.starts_with("[running in the background: bash_1;"), "{told}");
        assert_eq!(session.bench.jobs().list()[0].state, JobState::Running);
        session.bench.end_all().await;
    }

    #[tokio::test]
    async fn what_no_shell_can_be_given_is_said() {
        let session = Session::new();
        let arguments = json!({"command": "echo a\0b"});
        let error =
            Bash::default().prepare(arguments.as_object().unwrap(), session.bench.path_base()).err().unwrap();
        assert!(error.starts_with("Error: `command` contains a NUL character"), "{error}");
        let long = format!("true {}", "x".repeat(3 << 20));
        let error = session.error(&Bash::default(), json!({"command": long})).await;
        assert_eq!(
            error,
            "Error: the command is too long for this system (3 MB): write it to a file and run the file"
        );
    }

    #[tokio::test]
    async fn without_bash_a_plain_shell_will_do_and_without_any_it_is_said() {
        let session = Session::new();
        let plain = Bash { programs: &["/nowhere/bash", "/bin/sh"] };
        assert_eq!(session.told(&plain, json!({"command": "echo hello"})).await, "hello");
        let failed = session.error(&plain, json!({"command": "exit 2"})).await;
        assert!(failed.ends_with("\n[bash not found: run by /bin/sh]"), "{failed}");
        let none = Bash { programs: &["/nowhere/bash", "/nowhere/sh"] };
        let error = session.error(&none, json!({"command": "echo hello"})).await;
        assert_eq!(
            error,
            "Error: cannot run a command: this system has no shell (/nowhere/bash, /nowhere/sh)"
        );
    }

    #[tokio::test]
    async fn bash_is_found_beside_an_empty_path() {
        let environment = vec![("PATH".into(), String::new().into())];
        let mut session = Session::new();
        let setup = crate::workbench::Setup { root: session.root.clone(), environment, ..Default::default() };
        session.bench = Arc::new(Workbench::new(setup).unwrap());
        assert_eq!(text(&session, "[[ -n $BASH ]] && echo hello").await, "hello");
    }
}
