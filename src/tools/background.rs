//! `BashOutput` and `KillShell`: what runs in the background, read on and ended.
//!
//! Thin: the jobs themselves are the workbench's (`workbench/jobs.rs`). The surprise: neither touches anything outside
//! the program in the sense of a permission. What may be read and ended is only what was allowed to run before.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use super::bash::said::{self, Said};
use super::schema::{self, Param};
use super::{Prepared, Scene, Tool, ToolResult};
use crate::os::paths::PathBase;
use crate::os::process::Exit;
use crate::protocol::{Access, Display, JobId, JobState, Preview, ToolSpec};
use crate::text::units;
use crate::workbench::Workbench;
use crate::workbench::jobs::News;

const ID: Param = Param::text("id", "id of the command").or(&["bash_id", "shell_id", "task_id", "job_id"]);

/// Reads on.
#[derive(Debug, Clone, Copy)]
pub struct BashOutput;

/// Ends.
#[derive(Debug, Clone, Copy)]
pub struct KillShell;

impl Tool for BashOutput {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "BashOutput".into(),
            description: "New output of a background command, and its exit code if it has finished.".into(),
            parameters: schema::object(&[ID], &[]),
            parallel: true,
        }
    }

    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        _base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String> {
        Ok(Box::new(Call { id: id(arguments)?, what: What::Read }))
    }
}

impl Tool for KillShell {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "KillShell".into(),
            description: "Stop a background command and its child processes.".into(),
            parameters: schema::object(&[ID], &[]),
            parallel: false,
        }
    }

    fn prepare(
        &self,
        arguments: &Map<String, Value>,
        _base: PathBase<'_>,
    ) -> Result<Box<dyn Prepared>, String> {
        Ok(Box::new(Call { id: id(arguments)?, what: What::End }))
    }
}

/// The id as it was given, or only its number.
fn id(arguments: &Map<String, Value>) -> Result<JobId, String> {
    let said = ID.need_some(arguments)?;
    let said = said.trim();
    let is_number = said.bytes().all(|byte| byte.is_ascii_digit());
    Ok(if is_number { JobId::from(format!("bash_{said}")) } else { JobId::from(said) })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Read,
    End,
}

#[derive(Debug, Clone)]
struct Call {
    id: JobId,
    what: What,
}

impl Prepared for Call {
    fn access(&self) -> Access {
        Access::Nothing
    }

    fn preview<'a>(&'a self, _bench: &'a Arc<Workbench>) -> BoxFuture<'a, Result<Preview, String>> {
        let what = match self.what {
            What::Read => "read on",
            What::End => "end",
        };
        Box::pin(async move { Ok(Preview::Text(format!("{what}: {}", self.id))) })
    }

    fn run(self: Box<Self>, scene: Scene) -> BoxFuture<'static, ToolResult> {
        Box::pin(async move { self.carry_out(&scene).await })
    }
}

impl Call {
    async fn carry_out(&self, scene: &Scene) -> ToolResult {
        if scene.cancel.is_cancelled() {
            return ToolResult::interrupted();
        }
        let jobs = scene.bench.jobs();
        if self.what == What::End
            && let Err(unknown) = jobs.kill(&self.id).await
        {
            return ToolResult::failed(format!("Error: {unknown}"));
        }
        match jobs.take_new(&self.id) {
            Ok(news) => told(scene, &news),
            Err(unknown) => ToolResult::failed(format!("Error: {unknown}")),
        }
    }
}

/// What is new, then how it stands.
fn told(scene: &Scene, news: &News) -> ToolResult {
    let said = Said::of(&news.output);
    let cut = said.cut.then(|| said::whole(scene, &news.output));
    let output = if said.text.is_empty() { "(no new output)" } else { &said.text };
    let state = state(news);
    let text = [Some(output), cut.as_deref(), Some(&format!("[{}: {state}]", news.view.id))];
    let text: Vec<&str> = text.into_iter().flatten().collect();
    ToolResult::success(text.join("\n"), Display::Output { text: said.text, ended: Some(state) })
}

/// In a few words.
fn state(news: &News) -> String {
    let time = units::duration(news.view.since);
    match (&news.view.state, news.exit) {
        (JobState::Running, None) => format!("running for {time}"),
        (JobState::Running, Some(exit)) => {
            format!("its shell has exited ({exit}); a child process has been running for {time}")
        }
        (JobState::Ended { how }, exit) => {
            let hint = match exit {
                Some(Exit::Code(code)) => said::hint(code),
                Some(Exit::Signal(_) | Exit::TimedOut | Exit::Aborted) | None => String::new(),
            };
            let before = if news.is_old { "ended before, " } else { "ended, " };
            format!("{before}{how}{hint}, after {time}")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::super::bash::Bash;
    use super::super::testing::Session;
    use super::*;

    async fn begin(session: &Session, command: &str) {
        let bash = Bash::default();
        session.told(&bash, json!({"command": command, "run_in_background": true})).await;
    }

    async fn read(session: &Session) -> String {
        session.told(&BashOutput, json!({"id": "bash_1"})).await
    }

    /// The same without times.
    fn timeless(text: &str) -> String {
        let is_time =
            |word: &str| word.chars().all(|c| c.is_ascii_digit()) || ["ms", "s]", "ms]"].contains(&word);
        text.split(' ').filter(|word| !is_time(word)).collect::<Vec<_>>().join(" ")
    }

    async fn until_ended(session: &Session, count: usize) {
        let jobs = session.bench.jobs();
        let ended = || jobs.list().iter().filter(|job| job.state != JobState::Running).count();
        jobs.changed().wait_for(|_| ended() == count).await.unwrap();
    }

    #[tokio::test]
    async fn output_is_told_once_and_the_exit_code_with_the_last_of_it() {
        let session = Session::new();
        begin(
            &session,
            "echo one; until [ -e go ]; do sleep 0.01; done; printf '\\033[1mtwo\\033[0m\\n'; exit 3",
        )
        .await;
        assert_eq!(timeless(&read(&session).await), "one\n[bash_1: running for");
        assert_eq!(timeless(&read(&session).await), "(no new output)\n[bash_1: running for");
        session.write("go", "");
        until_ended(&session, 1).await;
        let last = read(&session).await;
        assert!(last.starts_with("two\n[bash_1: ended, exit code 3, after "), "{last}");
        let again = read(&session).await;
        assert!(again.starts_with("(no new output)\n[bash_1: ended before, exit code 3, after "), "{again}");
        let again = session.told(&KillShell, json!({"id": 1})).await;
        assert!(again.contains("[bash_1: ended before, exit code 3"), "{again}");
    }

    #[tokio::test]
    async fn a_kill_tells_the_last_words() {
        let session = Session::new();
        begin(&session, "trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.01; done").await;
        let killed = session.told(&KillShell, json!({"shell_id": "bash_1"})).await;
        assert!(killed.contains("bye\n[bash_1: ended, killed, after "), "{killed}");
        assert!(session.bench.jobs().list().is_empty());
    }

    #[tokio::test]
    async fn what_a_shell_left_behind_is_read_on_and_ended_too() {
        let session = Session::new();
        let bash = Bash::default();
        let command = "{ until [ -e go ]; do sleep 0.01; done; echo late; exec sleep 60; } & echo early";
        session.told(&bash, json!({"command": command})).await;
        let first = read(&session).await;
        assert!(
            first.contains(
                "[bash_1: its shell has exited (exit code 0); a child process has been running for"
            ),
            "{first}"
        );
        session.write("go", "");
        let jobs = session.bench.jobs();
        while jobs.list()[0].bytes < 11 {
            tokio::task::yield_now().await;
        }
        assert!(read(&session).await.starts_with("late\n[bash_1: its shell"));
        let killed = session.told(&KillShell, json!({"id": "bash_1"})).await;
        assert!(killed.starts_with("(no new output)\n[bash_1: ended, killed, after "), "{killed}");
    }

    #[tokio::test]
    async fn a_flood_is_cut_in_the_middle_and_the_file_is_named() {
        let session = Session::new();
        begin(&session, "echo up; until [ -e go ]; do sleep 0.01; done; seq 1 200000").await;
        session.write("go", "");
        until_ended(&session, 1).await;
        let told = read(&session).await;
        assert!(told.starts_with("up\n1\n2\n") && told.contains("\n200000\n"), "both ends");
        assert!(told.len() <= 50 * 1024 && told.lines().count() <= 2000);
        let (_, named) = told.rsplit_once("full output: ").unwrap();
        let whole = std::fs::read_to_string(named.split(']').next().unwrap()).unwrap();
        assert!(whole.starts_with("up\n1\n2\n") && whole.ends_with("\n200000\n"));
    }

    #[tokio::test]
    async fn a_wrong_id_is_told_which_there_are() {
        let session = Session::new();
        begin(&session, "sleep 60").await;
        for tool in [&BashOutput as &dyn Tool, &KillShell] {
            let error = session.error(tool, json!({"id": "bash_7"})).await;
            assert_eq!(error, "Error: no background command has the ID `bash_7` (known: bash_1)");
        }
        let nothing = BashOutput.prepare(&Map::new(), Path::new("/").into()).err().unwrap();
        assert!(nothing.starts_with("Error: `id` (a string) is missing"), "{nothing}");
        session.bench.end_all().await;
    }
}
