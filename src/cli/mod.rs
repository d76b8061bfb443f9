//! What was typed: the command line, read and checked, nothing done.
//!
//! Two steps: clap reads `Typed`, and what contradicts itself is refused on the way to [`Cli`], which says what is
//! wanted. The surprising decision: every error is one line with a way out, clap's own included; whoever wants the
//! long text asks for `--help`.

mod command;
mod refusal;
mod typed;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};

use crate::config::{Flags, Surface};
use crate::error::Error;
use crate::permission::Mode;

use command::Beginning;
use typed::{
    Command, Commanded, ConfigWord, ListArgs, OneSession, OutputArgs, SessionArgs, SessionsWord, Typed,
};

pub use typed::{DocumentFormat, ListFormat, OutputFormat};

/// What is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Cli {
    /// Which program.
    pub task: Task,
    /// The first message; none where nothing was typed.
    pub prompt: Option<String>,
    /// What overrides the configuration.
    pub flags: Flags,
    /// Which session goes on.
    pub session: Session,
    /// Whether it is kept.
    pub keep: Keep,
    /// After how long a headless run ends.
    pub timeout: Option<Duration>,
    /// Whether the directory is trusted for this run.
    pub trust: bool,
    /// What the model is told first.
    pub system_prompt: SystemPrompt,
    /// Where to work, instead of here.
    pub cd: Option<PathBuf>,
    /// What may be read and edited beside the place of work, as typed.
    pub add_dirs: Vec<PathBuf>,
    /// Whether the log file is verbose.
    pub debug: bool,
}

/// Which program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Task {
    /// The interactive one.
    Chat,
    /// One run without a screen.
    Print(OutputFormat),
    /// The interactive one on a built-in model.
    Demo,
    /// A page on what works and what does not.
    Doctor,
    /// Something with the sessions that were kept.
    Sessions(SessionsTask),
    /// Every value in force and what set it.
    ConfigShow,
    /// Prints the path of the configuration file.
    ConfigPath,
}

/// Something with the sessions that were kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionsTask {
    /// Which there are.
    List(Among, ListFormat),
    /// What was said in one; without an ID in the last.
    Show(Option<String>, Among, DocumentFormat),
    /// One as a document.
    Export(Option<String>, Among, DocumentFormat),
    /// One is to go.
    Delete(String, Among),
}

/// Among which sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// Those of the directory.
    Here,
    /// Includes the sessions of all directories.
    All,
}

/// Which session goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Session {
    /// A new one.
    New,
    /// The last one of this directory.
    Last(Onward),
    /// The one whose ID begins so.
    ById(String, Onward),
    /// The one that is picked.
    Picked(Onward),
}

/// How a session goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Onward {
    /// In its own file.
    Same,
    /// Under a new ID.
    Fork,
}

/// Whether a session is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// In a file.
    OnDisk,
    /// In memory alone.
    Nowhere,
}

/// What the model is told first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SystemPrompt {
    /// Instead of the default.
    pub replace: Option<String>,
    /// After it.
    pub append: Option<String>,
}

/// What the command line comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Parsed {
    /// The program.
    Run(Box<Cli>),
    /// A text to print: help or version.
    Page(String),
}

/// Reads the command line; the first argument is the program's name.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Parsed, Error> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let beginning = command::beginning(&arguments)?;
    match read(&arguments, beginning) {
        Ok(Commanded { command: Some(Command::Completions { shell }), .. }) => {
            Ok(Parsed::Page(completions(shell)))
        }
        Ok(Commanded { command: Some(Command::Man), .. }) => manual().map(Parsed::Page),
        Ok(commanded) => checked(commanded).map(|cli| Parsed::Run(Box::new(cli))),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                Ok(Parsed::Page(error.render().to_string()))
            }
            _ => Err(refusal::in_one_line(&error)),
        },
    }
}

/// What is no command is text, in which the word of one may stand.
fn read(arguments: &[OsString], beginning: Beginning) -> Result<Commanded, clap::Error> {
    if beginning == Beginning::Command {
        return Commanded::from_arg_matches(&Commanded::command().try_get_matches_from(arguments)?);
    }
    match Typed::command().try_get_matches_from(arguments) {
        Ok(found) => Ok(Commanded { typed: Typed::from_arg_matches(&found)?, command: None }),
        // its page has the commands
        Err(error) if error.kind() == ErrorKind::DisplayHelp => {
            Err(Commanded::command().try_get_matches_from(["clawd", "--help"]).err().unwrap_or(error))
        }
        Err(error) => Err(error),
    }
}

/// What a shell needs to complete our options and commands.
fn completions(shell: clap_complete::Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Commanded::command(), "clawd", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// The manual page, in the form that `man` reads.
fn manual() -> Result<String, Error> {
    let mut page = Vec::new();
    let written = clap_mangen::Man::new(Commanded::command()).render(&mut page);
    written.map_err(|error| Error::new(crate::error::Kind::Internal, error.to_string()))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// Refuses what contradicts itself.
fn checked(Commanded { typed, command }: Commanded) -> Result<Cli, Error> {
    let task = task(&typed, command)?;
    let permission_mode = permission_mode(typed.permissions.permission_mode, typed.permissions.yolo)?;
    let (allow, deny) =
        (typed.permissions.allowed_tools.concat(), typed.permissions.disallowed_tools.concat());
    if let Some(rule) = allow.iter().find(|rule| deny.contains(rule)) {
        return Err(Error::usage(format!("`{rule}` is both allowed and disallowed"))
            .hint("try leaving one of them out"));
    }
    if let Some(rule) = deny.iter().find(|rule| rule.only_loosens()) {
        return Err(Error::usage(format!("`{rule}` can only be allowed")).hint("try --allowed-tools"));
    }
    if typed.model.base_url.is_some() && typed.model.provider.is_some() {
        return Err(
            Error::usage("`--base-url` and `--provider` both select an endpoint").hint("try one of them")
        );
    }
    let keep = if typed.session.no_session { Keep::Nowhere } else { Keep::OnDisk };
    Ok(Cli {
        session: session(typed.session, &task)?,
        task,
        prompt: (!typed.prompt.is_empty()).then(|| typed.prompt.join(" ")),
        keep,
        flags: Flags {
            model: typed.model.model,
            base_url: typed.model.base_url,
            provider: typed.model.provider,
            api_key: typed.model.api_key,
            max_turns: typed.output.max_turns,
            max_cost: typed.output.max_cost,
            max_tokens: typed.output.max_tokens,
            permission_mode,
            sandbox: typed.permissions.sandbox,
            allow,
            deny,
            surface: typed.general.fullscreen.then_some(Surface::Fullscreen),
        },
        timeout: typed.output.timeout,
        trust: typed.permissions.trust,
        system_prompt: SystemPrompt {
            replace: typed.model.system_prompt,
            append: typed.model.append_system_prompt,
        },
        cd: typed.general.cd,
        add_dirs: typed.general.add_dir,
        debug: typed.general.debug,
    })
}

/// Which program.
fn task(typed: &Typed, command: Option<Command>) -> Result<Task, Error> {
    let own_page = |word: &str| {
        Err(Error::usage(format!("`{word}` cannot be used with `--print`"))
            .hint(format!("try it without `--print`, or `clawd -p -- {word}` to send the word")))
    };
    match (command, typed.output.print) {
        (Some(Command::Demo), true) => Err(Error::usage("`demo` cannot be used with `--print`")
            .hint("try `clawd -p -- demo` to send the word")),
        (Some(Command::Doctor), true) => own_page("doctor"),
        (Some(Command::Sessions { .. }), true) => own_page("sessions"),
        (Some(Command::Config { .. }), true) => own_page("config"),
        (command, false) => on_a_screen(&typed.output, command),
        (_, true) => Ok(Task::Print(typed.output.output_format.unwrap_or_default())),
    }
}

/// Which program without `--print`.
fn on_a_screen(output: &OutputArgs, command: Option<Command>) -> Result<Task, Error> {
    if let Some((option, hint)) = output.headless_only() {
        return Err(Error::usage(format!("`{option}` requires `--print`")).hint(hint));
    }
    match command {
        Some(Command::Demo) => Ok(Task::Demo),
        Some(Command::Doctor) => Ok(Task::Doctor),
        Some(Command::Sessions { list, what }) => {
            Ok(Task::Sessions(sessions(what.unwrap_or(SessionsWord::List(list)))))
        }
        Some(Command::Config { what: Some(ConfigWord::Path) }) => Ok(Task::ConfigPath),
        Some(Command::Config { what: Some(ConfigWord::Show) | None }) => Ok(Task::ConfigShow),
        // completions and the manual are pages, and were printed
        Some(Command::Completions { .. } | Command::Man) | None => Ok(Task::Chat),
    }
}

fn sessions(what: SessionsWord) -> SessionsTask {
    let among = |all: bool| if all { Among::All } else { Among::Here };
    match what {
        SessionsWord::List(ListArgs { all, format }) => {
            SessionsTask::List(among(all), format.unwrap_or_default())
        }
        SessionsWord::Show(OneSession { id, all, format }) => {
            SessionsTask::Show(id, among(all), format.unwrap_or_default())
        }
        SessionsWord::Export(OneSession { id, all, format }) => {
            SessionsTask::Export(id, among(all), format.unwrap_or_default())
        }
        SessionsWord::Delete { id, all } => SessionsTask::Delete(id, among(all)),
    }
}

fn permission_mode(mode: Option<Mode>, yolo: bool) -> Result<Option<Mode>, Error> {
    match (mode, yolo) {
        (None | Some(Mode::Bypass), true) => Ok(Some(Mode::Bypass)),
        (Some(mode), true) => {
            let message = format!("`--yolo` means `--permission-mode bypass`, but `{mode}` was also given");
            Err(Error::usage(message).hint("try one of them"))
        }
        (mode, false) => Ok(mode),
    }
}

fn session(typed: SessionArgs, task: &Task) -> Result<Session, Error> {
    let onward = if typed.fork_session { Onward::Fork } else { Onward::Same };
    match (typed.resume, typed.resume_last) {
        (Some(_), true) => {
            Err(Error::usage("`--continue` and `--resume` both select a session").hint("try one of them"))
        }
        (Some(Some(id)), false) => Ok(Session::ById(id, onward)),
        (Some(None), false) if matches!(task, Task::Print(_)) => {
            Err(Error::usage("`--resume` needs an ID when used with `--print`").hint("try `--resume ID`"))
        }
        (Some(None), false) => Ok(Session::Picked(onward)),
        (None, true) => Ok(Session::Last(onward)),
        (None, false) if onward == Onward::Fork => {
            Err(Error::usage("`--fork-session` needs a session to fork").hint("try adding `-c` or `-r ID`"))
        }
        (None, false) => Ok(Session::New),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TurnLimit;

    /// The arguments are parted by spaces; `_` stands for a space within one.
    fn read(line: &str) -> Result<Parsed, String> {
        let arguments = line.split_whitespace().map(|word| OsString::from(word.replace('_', " ")));
        parse(std::iter::once(OsString::from("clawd")).chain(arguments)).map_err(|error| error.to_string())
    }

    fn cli(line: &str) -> Cli {
        match read(line) {
            Ok(Parsed::Run(cli)) => *cli,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn words_become_one_prompt_and_a_commands_word_the_command() {
        let check = |line: &str, task: Task, prompt: Option<&str>| {
            let cli = cli(line);
            assert_eq!((cli.task, cli.prompt.as_deref()), (task, prompt), "{line}");
        };
        let print = || Task::Print(OutputFormat::Text);
        check("", Task::Chat, None);
        check("fix the test", Task::Chat, Some("fix the test"));
        check("fix_the_test", Task::Chat, Some("fix the test"));
        check("-p fix --debug it", print(), Some("fix it"));
        check("-p", print(), None);
        check("help me", Task::Chat, Some("help me"));
        check("demo", Task::Demo, None);
        check("-C /x demo", Task::Demo, None);
        check("demo -C /x --debug", Task::Demo, None);
        check("-- demo", Task::Chat, Some("demo"));
        check("doctor", Task::Doctor, None);
        check("--base-url http://h/v1 doctor -m x", Task::Doctor, None);
        check("call the doctor", Task::Chat, Some("call the doctor"));
        check("call the -m x doctor", Task::Chat, Some("call the doctor"));
        check("-p -- demo", print(), Some("demo"));
        check("show a demo", Task::Chat, Some("show a demo"));
        check("show a -m x demo", Task::Chat, Some("show a demo"));
        check("-- -x --help", Task::Chat, Some("-x --help"));
        check("-p --output-format stream-json x", Task::Print(OutputFormat::StreamJson), Some("x"));
    }

    #[test]
    fn a_sentence_that_begins_like_a_command_is_a_prompt() {
        let check = |line: &str, task: Task, prompt: Option<&str>| {
            let cli = cli(line);
            assert_eq!((cli.task, cli.prompt.as_deref()), (task, prompt), "{line}");
        };
        let list = |among, format| Task::Sessions(SessionsTask::List(among, format));
        let last =
            |task: fn(Option<String>, Among, DocumentFormat) -> SessionsTask, id: Option<&str>, format| {
                Task::Sessions(task(id.map(str::to_owned), Among::Here, format))
            };
        check("sessions", list(Among::Here, ListFormat::Text), None);
        check("sessions list --all --format json", list(Among::All, ListFormat::Json), None);
        check("-C /x sessions list", list(Among::Here, ListFormat::Text), None);
        check("sessions list -C /x", list(Among::Here, ListFormat::Text), None);
        check("sessions show 01ab", last(SessionsTask::Show, Some("01ab"), DocumentFormat::Markdown), None);
        check("sessions export --format json", last(SessionsTask::Export, None, DocumentFormat::Json), None);
        check(
            "sessions delete 01ab --all",
            Task::Sessions(SessionsTask::Delete("01ab".to_owned(), Among::All)),
            None,
        );
        check("config", Task::ConfigShow, None);
        check("-m x config show", Task::ConfigShow, None);
        check("config path", Task::ConfigPath, None);
        for text in [
            "sessions are slow",
            "config the server",
            "config show me",
            "man pages are missing",
            "completions do not work",
            "fix sessions list",
        ] {
            check(text, Task::Chat, Some(text));
        }
        check("-r 01 sessions", list(Among::Here, ListFormat::Text), None);
        check("-p -m sessions list them", Task::Print(OutputFormat::Text), Some("list them"));
        check("-mx --base-url=http://h/v1 config", Task::ConfigShow, None);
    }

    #[test]
    fn sessions_alone_takes_what_its_list_takes() {
        let check = |line: &str, among: Among, format: ListFormat| {
            assert_eq!(cli(line).task, Task::Sessions(SessionsTask::List(among, format)), "{line}");
        };
        check("sessions --all", Among::All, ListFormat::Text);
        check("sessions --format json", Among::Here, ListFormat::Json);
        check("sessions --format=markdown --all", Among::All, ListFormat::Markdown);
        check("sessions list --format markdown", Among::Here, ListFormat::Markdown);
        check("sessions -C /x --all", Among::All, ListFormat::Text);
        assert_eq!(
            read("sessions delete --all").unwrap_err(),
            "`sessions delete` needs the ID of one session: `--all` only searches all directories for it (try `clawd \
             sessions list --all`)"
        );
        let before = read("sessions --all show x").unwrap_err();
        assert_eq!(before, "`--all` must come after the subcommand (try it at the end of the line)");
    }

    #[test]
    fn a_command_that_is_not_there_is_no_prompt() {
        let check = |line: &str, expected: &str| assert_eq!(read(line).unwrap_err(), expected, "{line}");
        let absent = |word: &str| {
            format!(
                "this version has no command `{word}` (try `clawd --help`, or put `--` before the text to send it)"
            )
        };
        for line in
            ["mcp", "mcp list", "mcp zzz", "mcp --help", "mcp add files -- npx server", "mcp get a --json"]
        {
            check(line, &absent("mcp"));
        }
        check("-m x mcp add far --url http://h/mcp", &absent("mcp"));
        check("-p mcp list", &absent("mcp"));
        check("acp", &absent("acp"));
        check("acp --help", &absent("acp"));
        let no_such = |what: &str, known: &str| {
            format!("there is no {what} (try {known}, or put `--` before the text to send it)")
        };
        check("completions tcsh", &no_such("completion for `tcsh`", "bash, elvish, fish, powershell or zsh"));
        let known = "list, show, export or delete";
        check("sessions zzz", &no_such("`sessions zzz`", known));
        check("sessions exprot 01ab-2 --format json", &no_such("`sessions exprot`", known));
        check("-C /x sessions help", &no_such("`sessions help`", known));
        check("config zzz", &no_such("`config zzz`", "show or path"));
    }

    #[test]
    fn what_begins_like_a_command_that_is_not_there_and_goes_on_is_a_prompt() {
        for text in [
            "mcp servers do not start",
            "acp is what",
            "config files look odd",
            "sessions slow down",
            "completions zzz is missing",
        ] {
            let cli = cli(text);
            assert_eq!((cli.task, cli.prompt.as_deref()), (Task::Chat, Some(text)));
        }
        for (line, prompt) in
            [("mcp_list", "mcp list"), ("sessions_zzz", "sessions zzz"), ("-- mcp list", "mcp list")]
        {
            assert_eq!(cli(line).prompt.as_deref(), Some(prompt));
        }
    }

    #[test]
    fn what_a_shell_and_man_want_is_printed() {
        for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
            let Ok(Parsed::Page(script)) = read(&format!("completions {shell}")) else { panic!("{shell}") };
            assert!(script.contains("permission-mode") && script.contains("sessions"), "{shell}");
        }
        let Ok(Parsed::Page(page)) = read("man") else { panic!("no manual") };
        assert!(page.contains(".TH clawd") && page.contains("permission\\-mode"), "{page}");
    }

    #[test]
    fn flags_reach_the_configuration() {
        let flags =
            cli("-m a -m b --base-url http://h/v1/ --api-key k --max-turns -1 --permission-mode autoEdit \
             --allowed-tools Read,Bash(git_status:*) --allowed-tools Grep --disallowed-tools WebFetch")
            .flags;
        assert_eq!(flags.model.as_deref(), Some("b"));
        assert_eq!(flags.base_url.map(|url| url.to_string()).as_deref(), Some("http://h/v1"));
        assert_eq!(flags.api_key.as_ref().map(crate::config::Secret::expose), Some("k"));
        assert_eq!(
            (flags.max_turns, flags.permission_mode),
            (Some(TurnLimit::Pause), Some(Mode::AcceptEdits))
        );
        let texts: Vec<String> = flags.allow.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["Read", "Bash(git status:*)", "Grep"]);
        assert_eq!(flags.deny.len(), 1);
        assert_eq!(cli("--provider a --provider _b_").flags.provider.as_deref(), Some("b"));
        assert_eq!(cli("--yolo").flags.permission_mode, Some(Mode::Bypass));
        assert_eq!(cli("--yolo --permission-mode yolo").flags.permission_mode, Some(Mode::Bypass));
        assert_eq!(cli("x").flags, Flags::default());
        let after = cli("doctor --base-url http://h/v1 -m a --api-key k").flags;
        assert_eq!((after.model.as_deref(), after.base_url.is_some()), (Some("a"), true));
    }

    #[test]
    fn the_rest_of_the_options_is_read() {
        let all = cli("--no-session --trust --system-prompt a_b --append-system-prompt c -C dir --debug");
        assert_eq!((all.keep, all.trust, all.debug), (Keep::Nowhere, true, true));
        assert_eq!(all.system_prompt.replace.as_deref(), Some("a b"));
        assert_eq!(all.system_prompt.append.as_deref(), Some("c"));
        assert_eq!(all.cd, Some(PathBuf::from("dir")));
        assert_eq!((cli("").keep, cli("").session), (Keep::OnDisk, Session::New));
    }

    #[test]
    fn a_session_is_named_in_one_way() {
        let check = |line: &str, session: Session| assert_eq!(cli(line).session, session, "{line}");
        check("-c", Session::Last(Onward::Same));
        check("--continue --fork-session", Session::Last(Onward::Fork));
        check("-r", Session::Picked(Onward::Same));
        check("-r 01ab", Session::ById("01ab".to_owned(), Onward::Same));
        check("--resume=01ab --fork-session", Session::ById("01ab".to_owned(), Onward::Fork));
        check("-p -r 01ab go on", Session::ById("01ab".to_owned(), Onward::Same));
    }

    #[test]
    fn what_can_only_loosen_is_not_disallowed() {
        let error = read("--disallowed-tools Outside(docker:*)").unwrap_err();
        assert_eq!(error, "`Outside(docker:*)` can only be allowed (try --allowed-tools)");
        assert!(read("--allowed-tools Outside(docker:*)").is_ok());
    }

    #[test]
    fn a_usage_error_is_one_line_with_a_way_out() {
        let check = |line: &str, expected: &str| assert_eq!(read(line).unwrap_err(), expected, "{line}");
        check(
            "--yolo --permission-mode plan",
            "`--yolo` means `--permission-mode bypass`, but `plan` was also given (try one of them)",
        );
        check("-c -r x", "`--continue` and `--resume` both select a session (try one of them)");
        check("--output-format json x", "`--output-format` requires `--print` (try adding `-p`)");
        check(
            "--allowed-tools Bash(ls) --disallowed-tools Read,Bash(ls)",
            "`Bash(ls)` is both allowed and disallowed (try leaving one of them out)",
        );
        check("--fork-session", "`--fork-session` needs a session to fork (try adding `-c` or `-r ID`)");
        check("-p x -r", "`--resume` needs an ID when used with `--print` (try `--resume ID`)");
        check("-p demo", "`demo` cannot be used with `--print` (try `clawd -p -- demo` to send the word)");
        check(
            "--max-turns -5",
            "`--max-turns`: `-5` is not a valid number of turns (try 50, or -1 to ask after 100)",
        );
        check(
            "--max-turns abc",
            "`--max-turns`: `abc` is not a valid number of turns (try 50, or -1 to ask after 100)",
        );
        check("--max-turns", "`--max-turns` needs a value (try `clawd --help`)");
        check("--max-turns -p", "`--max-turns` needs a value (try `clawd --help`)");
        check("--modle x", "unknown option `--modle` (did you mean `--model`?)");
        check(
            "--frobnicate",
            "unknown option `--frobnicate` (try `clawd --help`, or put `--` before text that begins with a dash)",
        );
        check(
            "-_item",
            "unknown option `-` (try `clawd --help`, or put `--` before text that begins with a dash)",
        );
        check(
            "demo now",
            "unexpected argument `now` (try `clawd --help`, or put `--` before the text to send it)",
        );
        check(
            "--output-format xml -p",
            "invalid value `xml` for `--output-format` (try text, json, stream-json)",
        );
        check(
            "--permission-mode wild",
            "`--permission-mode`: `wild` is not a permission mode (try default, accept-edits, plan or bypass)",
        );
        check(
            "--base-url h:1",
            "`--base-url`: `h:1` is not a valid base URL: it does not begin with http:// or https:// (try \
             https://h:1)",
        );
        check(
            "--allowed-tools Bsh",
            "`--allowed-tools`: the rule `Bsh` does not name a tool (did you mean `Bash`?)",
        );
        check("--debug=yes", "`--debug` takes no value (try `clawd --help`)");
    }

    #[test]
    fn a_near_option_is_suggested_and_none_that_loosens_unless_it_was_all_but_typed() {
        let check = |line: &str, expected: &str| assert_eq!(read(line).unwrap_err(), expected, "{line}");
        let no_option = |option: &str| {
            format!(
                "unknown option `{option}` (try `clawd --help`, or put `--` before text that begins with a dash)"
            )
        };
        for far in ["--foo", "--yo", "--all", "--thrust-it", "--tr"] {
            check(&format!("-p {far} hi"), &no_option(far));
        }
        check("--yoloo", "unknown option `--yoloo` (did you mean `--yolo`?)");
        check("--trsut", "unknown option `--trsut` (did you mean `--trust`?)");
        check("--perm plan", "unknown option `--perm` (did you mean `--permission-mode`?)");
        check("--allowed-tool Read", "unknown option `--allowed-tool` (did you mean `--allowed-tools`?)");
    }

    #[test]
    fn an_endpoint_and_its_model_are_named_once_and_not_by_nothing() {
        let check = |line: &str, expected: &str| assert_eq!(read(line).unwrap_err(), expected, "{line}");
        check("--model=", "`--model`: the name is empty (try a name, or omit the option)");
        check("--model=_", "`--model`: the name is empty (try a name, or omit the option)");
        check("--provider=", "`--provider`: the name is empty (try a name, or omit the option)");
        check("--provider", "`--provider` needs a value (try `clawd --help`)");
        check(
            "--base-url http://h/v1 --provider a",
            "`--base-url` and `--provider` both select an endpoint (try one of them)",
        );
        check(
            "--api-key a_b",
            "`--api-key`: the key contains a space, a line break or another invalid character (try setting \
             it again)",
        );
    }

    #[test]
    fn what_prints_a_page_of_its_own_prints_no_answer() {
        let expected = "`doctor` cannot be used with `--print` (try it without `--print`, or `clawd -p -- doctor` to send the word)";
        assert_eq!(read("-p doctor").unwrap_err(), expected);
    }

    #[test]
    fn a_key_is_in_no_error() {
        for line in ["--api-key se_cret", "--api-key=se_cret", "--api-key se_cret --nope"] {
            let error = read(line).unwrap_err();
            assert!(!error.contains("cret") && !error.contains('\n'), "{error}");
        }
        assert!(!format!("{:?}", cli("--api-key secret")).contains("secret"));
    }

    #[test]
    fn pages_are_text() {
        assert_eq!(read("-V"), Ok(Parsed::Page(format!("clawd {}\n", env!("CARGO_PKG_VERSION")))));
        let about = "A terminal coding agent for any OpenAI-compatible endpoint";
        for line in ["--help", "-h"] {
            let Ok(Parsed::Page(help)) = read(line) else { panic!("no help") };
            assert_eq!(help.lines().next(), Some(about), "{line}");
        }
        let Ok(Parsed::Page(manual)) = read("man") else { panic!("no manual") };
        assert!(manual.contains(&about.replace('-', "\\-")), "{manual}");
        let Ok(Parsed::Page(help)) = read("--help") else { panic!("no help") };
        for line in help.lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
        assert!(!help.contains('\u{1b}'));
    }
}
