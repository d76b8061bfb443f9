//! Carries out what the screen wants, and says what came of it.
//!
//! It holds the application and, once there is one, the conversation. What is done in a moment is answered in the same call; what
//! waits for the network runs as a task of this runner and comes as a message. It knows no model and draws nothing.

mod drafts;
mod files;
mod images;
mod models;
mod opening;
mod reports;
mod rewind;
mod rules;
mod sessions;
mod telling;

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};

use super::effect::Effect;
use super::msg::{InputReply, Msg, Reply, ReportReply, SessionReply};
use crate::app::{
    App, Clipboard, Drafts, FileIndex, OwnTheme, TakenSession, TuiConfig, at_rest, find_local_servers,
};
use crate::conversation::{Conversation, GoOn};
use crate::error::Error;
use crate::permission::Policy;
use crate::protocol::JobId;
use crate::text::fuzzy::Best;
use drafts::Keeping;
use models::Found;
use rules::put_in_force;

/// Results of tasks that may wait; there is never more than a handful of tasks.
const WAITING: usize = 16;

/// Carries out effects.
pub struct Runner {
    app: App,
    conversation: Option<Conversation>,
    tasks: JoinSet<()>,
    done: mpsc::Receiver<Done>,
    tell_done: mpsc::Sender<Done>,
    /// What one result gave beside the message that is out already.
    replies: VecDeque<Reply>,
    choice: Choice,
    /// The project's files, once somebody names one.
    files: files::Files,
    drafts: Drafts,
    /// Whether the draft will be kept soon.
    keeping: Keeping,
    /// The list of models that somebody waits for.
    listing: Option<AbortHandle>,
    /// The examination that somebody waits for.
    examining: Option<AbortHandle>,
    clipboard: Option<Clipboard>,
    /// The session that is being opened.
    going: Option<sessions::Going>,
    /// Why the session that was to go on cannot be read.
    unread: Option<Error>,
}

/// Whether the run is listened to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Run {
    Heard,
    /// It comes with the next frame, and waits until then.
    Later,
}

/// Where the endpoint comes from: a choice on the screen is kept for the next time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Configured,
    OnScreen,
}

/// What a task found out.
enum Done {
    LocalServers(Vec<String>),
    Models(Found),
    Sandbox(String),
    Session(SessionReply),
    Read(sessions::Read),
    Awaited(Result<TakenSession, Error>),
    Rewind(rewind::Stride),
    Report(ReportReply),
    Image(InputReply),
    Listed(FileIndex),
    Matched(String, Best),
    DraftLeft(Option<String>),
    DraftDue,
    /// Nothing that anybody waits for.
    Nothing,
}

impl Runner {
    /// A runner for an application that is opened.
    #[must_use]
    pub fn new(app: App) -> Self {
        let (tell_done, done) = mpsc::channel(WAITING);
        Self {
            drafts: app.drafts(),
            keeping: Keeping::Nothing,
            app,
            conversation: None,
            tasks: JoinSet::new(),
            done,
            tell_done,
            replies: VecDeque::new(),
            choice: Choice::Configured,
            listing: None,
            examining: None,
            clipboard: None,
            files: files::Files::default(),
            going: None,
            unread: None,
        }
    }

    /// Carries out one effect; returns what came of it at once. Leaving, suspending and drawing are not its business.
    pub fn carry_out(&mut self, effect: Effect) -> Vec<Msg> {
        let replies = self.keep_back(effect).map_or_else(Vec::new, |effect| self.carry_out_now(effect));
        replies.into_iter().map(Msg::Reply).collect()
    }

    fn carry_out_now(&mut self, effect: Effect) -> Vec<Reply> {
        match effect {
            Effect::Trust(answer) => self.trust(answer),
            Effect::Endpoint(choice) => self.choose(choice),
            Effect::Session(wish) => self.session(wish),
            Effect::Rewind(wish) => self.rewind(wish),
            Effect::Report(wish) => self.report(wish),
            Effect::Image(wish) => self.image(wish),
            Effect::KeepInput(line) => {
                self.app.keep_input(&line);
                // what is in the history is no draft any more
                self.drafts.forget();
                Vec::new()
            }
            Effect::KeepDraft(line) => {
                self.keep_draft(line);
                Vec::new()
            }
            Effect::FindFiles(typed) => {
                self.find_files(typed);
                Vec::new()
            }
            Effect::Quit
            | Effect::Suspend
            | Effect::Redraw
            | Effect::EditOutside(_)
            | Effect::Clipboard { .. }
            | Effect::ShowTheme(_) => Vec::new(),
            Effect::ListThemes => vec![Reply::Themes(self.app.themes())],
            Effect::KeepTheme(name) => vec![told(self.app.keep_theme(&name).map(Reply::Said))],
            Effect::ListModels => self.start_listing(),
            Effect::StopListing => self.stop_listing(),
            Effect::Status => self.status(),
            effect => match self.conversation.take() {
                Some(mut conversation) => {
                    let was_running = conversation.is_running();
                    let mut replies = self.converse_at_rest(&mut conversation, effect);
                    // said at once: a key may come before the first news of the run
                    let begins = !was_running && conversation.is_running();
                    replies.extend(begins.then_some(Reply::RunBegins));
                    self.conversation = Some(conversation);
                    replies
                }
                None => self.without_conversation(effect),
            },
        }
    }

    /// How the screen is to look and behave.
    pub fn screen(&self) -> &TuiConfig {
        self.app.screen()
    }

    /// Why the session that the program was begun with cannot go on, if it cannot; told once.
    pub fn take_unread(&mut self) -> Option<Error> {
        self.unread.take()
    }

    /// A theme of the user's own.
    ///
    /// # Errors
    /// Where there is none of this name, or its file has a mistake.
    pub fn own_theme(&self, name: &str) -> Result<OwnTheme, Error> {
        self.app.own_theme(name)
    }

    /// Waits for what happens next; for ever where nothing goes on. Safe to drop.
    pub async fn next(&mut self, run: Run) -> Msg {
        loop {
            if let Some(reply) = self.replies.pop_front() {
                return Msg::Reply(reply);
            }
            let happening = async {
                match &mut self.conversation {
                    Some(conversation) => conversation.next().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                happening = happening, if run == Run::Heard => {
                    self.look_after(&happening);
                    return Msg::Happened(Box::new(happening));
                }
                Some(done) = self.done.recv() => {
                    let replies = self.take(done);
                    self.replies.extend(replies);
                }
            }
        }
    }

    /// What has happened already and was not heard yet, if anything.
    pub fn happened(&mut self) -> Option<Msg> {
        self.next(Run::Heard).now_or_never()
    }

    /// Ends what goes on: the run, its commands, the tasks. Returns the session that can be resumed.
    pub async fn end(&mut self) -> Option<String> {
        self.tasks.shutdown().await;
        let mut conversation = self.conversation.take()?;
        conversation.close().await;
        let said = !conversation.history().is_empty();
        self.app.session().filter(|_| said).map(ToString::to_string)
    }

    /// Refuses a second run during a run, and carries out everything else.
    fn converse_at_rest(&mut self, conversation: &mut Conversation, effect: Effect) -> Vec<Reply> {
        if let Effect::RunOwn(_) | Effect::Compact(_) = &effect
            && let Err(error) = at_rest(conversation)
        {
            return vec![Reply::Failed(error.to_string())];
        }
        self.converse(conversation, effect)
    }

    fn converse(&mut self, conversation: &mut Conversation, effect: Effect) -> Vec<Reply> {
        match effect {
            Effect::Submit(text) => conversation.submit(text),
            Effect::RunOwn(command) => conversation.run_own(command),
            Effect::Compact(wish) => conversation.compact(wish),
            Effect::Note(text) => return vec![told(self.app.note(conversation, &text).map(Reply::Said))],
            Effect::Again => {
                conversation.again();
            }
            Effect::Abort => conversation.abort(),
            Effect::TakeBack => {
                return conversation.take_back().map(Reply::TakenBack).into_iter().collect();
            }
            Effect::Answer(id, answer) => return rules::answer(conversation, id, answer),
            Effect::Remember(rules) => return self.remember(conversation, &rules),
            Effect::ListRules => return vec![self.rules(conversation)],
            Effect::Forget(rule) => return self.forget(conversation, &rule),
            Effect::GoOn(GoOn::Yes) => {
                conversation.go_on(GoOn::Yes);
            }
            Effect::GoOn(GoOn::Stop) => return vec![Reply::GivenBack(conversation.go_on(GoOn::Stop))],
            Effect::MoveForeground if conversation.bench().jobs().move_foreground() == 0 => {
                return vec![Reply::NothingMoved];
            }
            Effect::ListTasks => return vec![Reply::Tasks(conversation.bench().jobs().all())],
            Effect::ShowTask(id) => return last_printed(conversation, id),
            Effect::EndTask(id) => self.end_task(conversation, id),
            Effect::NextMode => return next_mode(conversation),
            Effect::PlanMode => return rules::plan_mode(conversation),
            Effect::Tell(what) => return vec![Reply::Lines(self.tell(conversation, what))],
            Effect::Copy(block) => return telling::copied(conversation, block),
            Effect::Export(file) => return vec![told(self.app.export(conversation, &file).map(Reply::Said))],
            Effect::Clear => return vec![told(self.app.renew(conversation).map(|()| Reply::Cleared))],
            Effect::SwitchModel(name) => {
                let switched = self.app.switch_model(conversation, &name);
                return vec![told(switched.map(|switched| Reply::Switched(Box::new(switched))))];
            }
            Effect::MoveForeground
            | Effect::Status
            | Effect::ListModels
            | Effect::StopListing
            | Effect::ListThemes
            | Effect::ShowTheme(_)
            | Effect::KeepTheme(_)
            | Effect::KeepInput(_)
            | Effect::FindFiles(_)
            | Effect::EditOutside(_)
            | Effect::KeepDraft(_)
            | Effect::Session(_)
            | Effect::Rewind(_)
            | Effect::Report(_)
            | Effect::Image(_)
            | Effect::Trust(_)
            | Effect::Endpoint(_)
            | Effect::Suspend
            | Effect::Redraw
            | Effect::Clipboard { .. }
            | Effect::Quit => {}
        }
        Vec::new()
    }

    /// Its end comes as news of the conversation.
    fn end_task(&mut self, conversation: &Conversation, id: JobId) {
        let bench = Arc::clone(conversation.bench());
        self.spawn(async move {
            // one that is gone has ended already
            drop(bench.jobs().kill(&id).await);
            Done::Nothing
        });
    }

    /// Does what reads files, where nobody waits for it.
    fn beside(&mut self, work: impl FnOnce() -> Done + Send + 'static) -> AbortHandle {
        self.spawn(async { tokio::task::spawn_blocking(work).await.unwrap_or(Done::Nothing) })
    }

    fn spawn(&mut self, task: impl Future<Output = Done> + Send + 'static) -> AbortHandle {
        let tell = self.tell_done.clone();
        // what has ended is forgotten
        while self.tasks.try_join_next().is_some() {}
        self.tasks.spawn(async move {
            // Nobody listens only when the program ends, and then nobody wants to know.
            drop(tell.send(task.await).await);
        })
    }

    fn take(&mut self, done: Done) -> Vec<Reply> {
        match done {
            Done::LocalServers(servers) => vec![Reply::LocalServers(servers)],
            Done::Models(found) => self.take_found(found),
            Done::Sandbox(word) => vec![Reply::Sandbox(word)],
            Done::Session(reply) => vec![Reply::Session(reply)],
            Done::Read(read) => self.take_read(read),
            Done::Awaited(read) => self.take_awaited(read),
            Done::Rewind(stride) => self.rewind_goes_on(stride),
            Done::Image(reply) => vec![Reply::Input(reply)],
            Done::Report(reply) => vec![Reply::Report(reply)],
            Done::Listed(index) => self.take_listed(index),
            Done::DraftLeft(line) => {
                line.map(|line| Reply::Input(InputReply::DraftLeft(line))).into_iter().collect()
            }
            Done::DraftDue => self.draft_is_due(),
            Done::Matched(typed, best) => self.take_matched(typed, best),
            Done::Nothing => Vec::new(),
        }
    }

    fn search_servers(&mut self) {
        self.spawn(async { Done::LocalServers(find_local_servers().await) });
    }
}

fn last_printed(conversation: &Conversation, id: JobId) -> Vec<Reply> {
    let printed = conversation.bench().jobs().last_printed(&id);
    printed.map(|text| Reply::TaskOutput { id, text }).into_iter().collect()
}

fn told(done: Result<Reply, Error>) -> Reply {
    done.unwrap_or_else(|error| Reply::Failed(error.to_string()))
}

fn next_mode(conversation: &mut Conversation) -> Vec<Reply> {
    let policy = conversation.policy();
    put_in_force(conversation, Policy { mode: policy.mode.next(), ..policy })
}
