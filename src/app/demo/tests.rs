//! The script against the real loop and the real tools.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{MODEL, PROMPT, Sample, Script, words};
use crate::agent::{Agent, AgentParts, Attendance, NoHooks, Nudging, Spending, TurnBudget};
use crate::app::{App, First, ReadSession};
use crate::chat::{ChatEvent, ChatObserver, ChatRequest};
use crate::cli::{self, Parsed};
use crate::context::window::Window;
use crate::conversation::{Conversation, Happening, Parts};
use crate::os::clock::SystemClock;
use crate::os::env::Env;
use crate::os::http::Web;
use crate::permission::{Mode, Policy, PolicyCell, Scope};
use crate::protocol::{AgentEvent, Answer, Asked, EntryBody, History, Message, Preview, Question, RunEnd};
use crate::session::SharedLog;
use crate::tools::{Selection, ToolRegistry};
use crate::workbench::{Setup, Workbench};

/// A demonstration without a screen.
struct Stage {
    sample: Sample,
    conversation: Conversation,
    _temporary: tempfile::TempDir,
}

/// What one run of it gave.
#[derive(Debug)]
struct Scene {
    end: RunEnd,
    /// `Edit success`, `Bash failed`, …
    calls: Vec<String>,
    /// All that the script said.
    said: String,
    questions: usize,
}

/// What the user does about a question.
enum Reply {
    Yes,
    No,
    NoBut(&'static str),
    Stop,
}

impl Stage {
    fn new(mode: Mode) -> Self {
        Self::paced(mode, Duration::ZERO)
    }

    fn paced(mode: Mode, pace: Duration) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let sample = Sample::copy(&Env::from_pairs([("TMPDIR", temporary.path().as_os_str())])).unwrap();
        let root = sample.root().to_owned();
        let environment = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
        let setup = Setup { root: root.clone(), environment, ..Default::default() };
        let bench = Arc::new(Workbench::new(setup).unwrap());
        let agent = Agent::create(AgentParts {
            chat: Arc::new(Script { pace }),
            tools: Arc::new(ToolRegistry::built_in(&Selection::default(), Web::default()).unwrap()),
            hooks: Arc::new(NoHooks),
            clock: Arc::new(SystemClock),
            system: "".into(),
            model: MODEL.into(),
            window: Window::default(),
            nudging: Nudging::On,
        });
        let scope = Scope { project: root.clone(), workspace: vec![root], ..Scope::default() };
        let conversation = Conversation::new(Parts {
            agent: Arc::new(agent.unwrap()),
            history: History::new(),
            log: SharedLog::nothing(),
            policy: PolicyCell::new(Policy { mode, scope, ..Policy::default() }),
            bench,
            budget: TurnBudget::AtMost(20),
            spending: Spending::unlimited(),
            attendance: Attendance::Attended,
            clock: Arc::new(SystemClock),
        });
        Self { sample, conversation, _temporary: temporary }
    }

    /// Says something and answers what is asked until the run is over.
    async fn play(&mut self, prompt: &str, reply: impl Fn(&Preview) -> Reply) -> Scene {
        self.conversation.submit(prompt.to_owned());
        let mut scene = Scene { end: RunEnd::Done, calls: Vec::new(), said: String::new(), questions: 0 };
        loop {
            match self.conversation.next().await {
                Happening::Event(AgentEvent::ToolResult { name, status, .. }) => {
                    scene.calls.push(format!("{name} {status:?}").to_lowercase());
                }
                Happening::Event(AgentEvent::Recorded(entry)) => {
                    if let EntryBody::Message(Message::Assistant(answer)) = entry.body {
                        scene.said.push_str(&answer.text);
                    }
                }
                Happening::Event(_) | Happening::Jobs(_) => {}
                Happening::Asked(Question { asked: Asked::Choice(_), .. }) => {
                    panic!("the script asks nothing")
                }
                Happening::Asked(Question { id, asked: Asked::Approval(approval) }) => {
                    scene.questions += 1;
                    let deny = |words: Option<&str>| Answer::Deny { words: words.map(str::to_owned) };
                    match reply(&approval.preview) {
                        Reply::Yes => self.conversation.answer(id, Answer::Allow),
                        Reply::No => self.conversation.answer(id, deny(None)),
                        Reply::NoBut(words) => self.conversation.answer(id, deny(Some(words))),
                        Reply::Stop => self.conversation.abort(),
                    }
                }
                Happening::Ended(ended) => {
                    scene.end = ended.result.end;
                    return scene;
                }
            }
        }
    }

    fn cart(&self) -> String {
        fs::read_to_string(self.sample.root().join("cart.sh")).unwrap()
    }
}

impl Scene {
    #[track_caller]
    fn check(&self, calls: &[&str], questions: usize, says: &[&str]) {
        assert_eq!(self.calls, calls, "{self:?}");
        assert_eq!(self.questions, questions, "{self:?}");
        for words in says {
            assert!(self.said.contains(words), "{words:?} is not said: {}", self.said);
        }
    }
}

const LOOK: [&str; 3] = ["read success", "read success", "grep success"];

fn after_looking<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [LOOK.as_slice(), more].concat()
}

fn is_command(preview: &Preview) -> bool {
    matches!(preview, Preview::Command(_))
}

#[tokio::test]
async fn with_two_yeses_the_check_passes_in_the_end() {
    let mut stage = Stage::new(Mode::Default);
    let scene = stage.play(PROMPT, |_| Reply::Yes).await;
    assert_eq!(scene.end, RunEnd::Done);
    let said = [words::OPENING, words::MEND, words::CHECK, words::PASSES, words::NEXT];
    scene.check(&after_looking(&["edit success", "bash success"]), 2, &said);
    assert!(!scene.said.contains(words::ONLY_ONE));
    assert!(stage.cart().contains("price * count"));
}

#[tokio::test]
async fn the_check_of_the_sample_fails_before_the_edit() {
    let mut stage = Stage::new(Mode::Default);
    let refuse_the_edit = |preview: &Preview| {
        if is_command(preview) { Reply::Yes } else { Reply::NoBut("not the cart\nplease.") }
    };
    let scene = stage.play(PROMPT, refuse_the_edit).await;
    let said = ["You answered No: “not the cart⏎please”.", words::CHECK_UNMENDED, words::FAILS_STILL];
    scene.check(&after_looking(&["edit denied", "bash failed"]), 2, &said);
    assert!(!stage.cart().contains("price * count"));
}

#[tokio::test]
async fn after_a_no_without_words_the_next_message_goes_on() {
    let mut stage = Stage::new(Mode::Default);
    let scene = stage.play(PROMPT, |_| Reply::No).await;
    assert_eq!(scene.end, RunEnd::Refused);
    scene.check(&after_looking(&["edit denied"]), 1, &[]);
    let scene = stage.play("and now?", |_| Reply::No).await;
    scene.check(&["bash denied"], 1, &["You answered No without a reason", words::CHECK_UNMENDED]);
    let scene = stage.play("go on", |_| Reply::Yes).await;
    scene.check(&[], 0, &["You answered No without a reason", words::NOT_RUN, words::NEXT]);
}

#[tokio::test]
async fn a_call_that_was_stopped_is_made_again() {
    let mut stage = Stage::new(Mode::Default);
    let scene = stage.play(PROMPT, |_| Reply::Stop).await;
    assert_eq!(scene.end, RunEnd::Aborted);
    scene.check(&after_looking(&["edit interrupted"]), 1, &[]);
    let scene = stage.play("go on", |_| Reply::Yes).await;
    scene.check(&["edit success", "bash success"], 2, &[words::STOPPED, words::MEND, words::PASSES]);
}

#[tokio::test(start_paused = true)]
async fn words_stopped_in_the_middle_are_said_again() {
    let mut stage = Stage::paced(Mode::Default, Duration::from_secs(1));
    stage.conversation.submit(PROMPT.to_owned());
    loop {
        match stage.conversation.next().await {
            Happening::Event(AgentEvent::TextDelta(_)) => stage.conversation.abort(),
            Happening::Ended(_) => break,
            Happening::Event(_) | Happening::Asked(_) | Happening::Jobs(_) => {}
        }
    }
    let scene = stage.play("what was that?", |_| Reply::Stop).await;
    scene.check(&after_looking(&["edit interrupted"]), 1, &[words::STOPPED, words::OPENING, words::MEND]);
}

#[tokio::test]
async fn it_can_be_played_again_and_again() {
    let mut stage = Stage::new(Mode::Default);
    stage.play(PROMPT, |_| Reply::Yes).await;
    let scene = stage.play("thank you", |_| Reply::Yes).await;
    scene.check(&[], 0, &[words::OFFER]);
    for _ in 0..2 {
        let scene = stage.play("Again!", |_| Reply::Yes).await;
        let said = [words::AGAIN, words::PUT_BACK, words::MEND, words::PASSES];
        scene.check(&after_looking(&["edit success", "edit success", "bash success"]), 3, &said);
    }
    let keep_it_mended =
        |preview: &Preview| if is_command(preview) { Reply::Yes } else { Reply::NoBut("leave it") };
    let scene = stage.play("again", keep_it_mended).await;
    let said = ["“leave it”", words::PASSES_STILL];
    scene.check(&after_looking(&["edit denied", "bash success"]), 2, &said);
}

#[tokio::test]
async fn whatever_is_said_first_it_says_that_it_is_a_script() {
    let mut stage = Stage::new(Mode::Default);
    let scene = stage.play("write me a web server", |_| Reply::Yes).await;
    scene.check(
        &after_looking(&["edit success", "bash success"]),
        2,
        &[words::ONLY_ONE, words::OPENING, words::PASSES],
    );
}

#[tokio::test]
async fn in_other_modes_it_lives_with_what_is_allowed() {
    let scene = Stage::new(Mode::Plan).play(PROMPT, |_| Reply::Yes).await;
    let said = ["That call was denied: ", words::NOT_RUN];
    scene.check(&after_looking(&["edit denied", "bash denied"]), 0, &said);
    let scene = Stage::new(Mode::Bypass).play(PROMPT, |_| Reply::Yes).await;
    scene.check(&after_looking(&["edit success", "bash success"]), 0, &[words::PASSES]);
}

#[tokio::test]
async fn a_sample_that_was_changed_meanwhile_is_told_and_not_touched() {
    let mut stage = Stage::new(Mode::Default);
    fs::write(stage.sample.root().join("cart.sh"), "total() { echo 0; }\n").unwrap();
    let scene = stage.play(PROMPT, |_| Reply::Yes).await;
    scene.check(&after_looking(&["edit failed", "bash failed"]), 1, &["That failed: ", words::FAILS_STILL]);
    assert_eq!(stage.cart(), "total() { echo 0; }\n");
    fs::remove_file(stage.sample.root().join("cart.sh")).unwrap();
    let scene = stage.play("again", |_| Reply::Yes).await;
    scene.check(&["read failed", "read success", "grep success"], 0, &["That failed: ", words::GIVE_UP]);
}

#[test]
fn the_line_that_is_named_is_the_line_of_the_fault() {
    let sample = include_str!("sample/cart.sh");
    let line = sample.lines().position(|line| line.contains("sum + price")).unwrap() + 1;
    assert!(words::MEND.contains(&format!("`cart.sh:{line}`")));
}

#[derive(Default)]
struct Heard(Mutex<Vec<ChatEvent>>);

impl ChatObserver for Heard {
    fn on(&self, event: ChatEvent) -> BoxFuture<'_, ()> {
        self.0.lock().unwrap().push(event);
        Box::pin(std::future::ready(()))
    }
}

#[tokio::test(start_paused = true)]
async fn it_speaks_word_by_word() {
    let heard = Heard::default();
    let request =
        ChatRequest { model: MODEL.into(), system: "".into(), messages: Vec::new(), tools: Arc::new([]) };
    let began = tokio::time::Instant::now();
    super::chat(&MODEL.into()).unwrap().chat(&request, &heard).await.unwrap();
    let words = words::OPENING.split(' ').count();
    let heard = heard.0.into_inner().unwrap();
    assert_eq!(heard.iter().filter(|event| matches!(event, ChatEvent::Text(_))).count(), words);
    assert_eq!(began.elapsed(), super::PACE * u32::try_from(words).unwrap());
}

/// The program, started so, with `temporary` for all that it could write.
fn open(arguments: &[&str], temporary: &Path) -> App {
    let here = temporary.join("here");
    fs::create_dir_all(&here).unwrap();
    fs::write(here.join("AGENTS.md"), "of somebody's own").unwrap();
    let home = temporary.join("home");
    let env = Env::from_pairs([("TMPDIR", temporary.as_os_str()), ("CLAWD_HOME", home.as_os_str())]);
    let Ok(Parsed::Run(cli)) = cli::parse(arguments.iter().map(Into::into)) else { panic!("{arguments:?}") };
    App::open(*cli, env.in_dir(&here), ReadSession::First).unwrap()
}

fn names(directory: &Path) -> Vec<std::ffi::OsString> {
    fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

#[test]
fn the_program_opens_on_a_copy_and_leaves_nothing_behind() {
    let temporary = tempfile::tempdir().unwrap();
    let mut app = open(&["clawd", "demo"], temporary.path());
    assert_eq!(app.first(), First::Nothing);
    let mut begun = app.begin(Attendance::Attended).unwrap();
    assert_eq!((begun.facts.model.as_str(), begun.facts.host.as_str()), (MODEL, ""));
    assert!(begun.facts.instructions.is_empty());
    assert!(begun.facts.cwd.contains("clawd-demo-"), "{}", begun.facts.cwd);
    let other = app.switch_model(&mut begun.conversation, "gpt-5").unwrap_err().to_string();
    assert_eq!(other, "the demo has only one model, its script (try `clawd --base-url URL --model NAME`)");
    assert_eq!(app.model_search().unwrap_err().to_string(), other);
    let mut policy = begun.conversation.policy();
    app.remember(&mut policy, &["Bash(sh check.sh)".to_owned()]).unwrap();
    assert_eq!(policy.rules.allow.len(), 1);
    app.keep_input("a line");
    drop((app, begun));
    assert_eq!(names(temporary.path()), ["here"]);
}

#[test]
fn the_first_run_screen_can_go_over_to_it() {
    let temporary = tempfile::tempdir().unwrap();
    let mut app = open(&["clawd", "--trust"], temporary.path());
    assert_eq!(app.first(), First::Endpoint);
    app.go_demo().unwrap();
    assert_eq!(app.first(), First::Nothing);
    let begun = app.begin(Attendance::Attended).unwrap();
    assert!(begun.facts.remarks.iter().any(|remark| remark.contains(PROMPT)), "{:?}", begun.facts.remarks);
    assert!(begun.facts.instructions.is_empty());
}

#[test]
fn where_the_sample_cannot_be_made_nothing_changes() {
    let temporary = tempfile::tempdir().unwrap();
    let mut app = open(&["clawd", "--trust"], temporary.path());
    let gone = temporary.path().join("gone");
    app.place.env = Env::from_pairs([("TMPDIR", gone.as_os_str())]);
    assert!(app.go_demo().is_err());
    assert_eq!((app.first(), app.facts().instructions.len()), (First::Endpoint, 1));
}
