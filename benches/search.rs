//! How fast `Grep` and `Glob` go through a tree of 100,000 files, from the call to its answer.
//!
//! The tree is made in a temporary directory, once, and is in the page cache by then: what is measured is the search, not
//! the disk. `cargo bench --bench search -- compare [TREE]` searches in turn with `rg`, where that is on the path, and prints
//! the medians; the mark is 1.2 times its time for the same query. The surprise: `Glob` also asks for the age of every file
//! that it finds, which `rg --files` does not.

#![expect(clippy::unwrap_used, reason = "a bench that cannot be set up has no figure")]
#![expect(clippy::print_stdout, reason = "a comparison is read on the terminal")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clawd::agent::{
    Agent, AgentParts, Approver, Attendance, ChatContext, Inbox, LoopOptions, NoHooks, Nudging, Sink,
    Spending, Start, StopCause, TurnBudget,
};
use clawd::chat::Scripted;
use clawd::chat::scripted::Answer as Said;
use clawd::context::window::Window;
use clawd::os::clock::SystemClock;
use clawd::os::http::Web;
use clawd::permission::{Mode, Policy, PolicyCell};
use clawd::protocol::{AgentEvent, Answer, History, Origin, Question, RunEnd, UserMessage};
use clawd::tools::{Selection, ToolRegistry};
use clawd::workbench::{Setup, Workbench};
use divan::Bencher;
use futures_util::future::BoxFuture;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// Directories, each with files of five kinds.
const DIRECTORIES: usize = 5000;
const FILES: usize = 20;

/// Rounds of a comparison.
const ROUNDS: usize = 15;

/// The tree, from the first bench that needs it until the end.
static TREE: Mutex<Option<TempDir>> = Mutex::new(None);

/// The searches that are compared: what they are called, the call, and the same for `rg`.
const QUERIES: [(&str, &str, &[&str]); 8] = [
    ("files with a rare word", RARE, &["-l", "needle_in_hay"]),
    ("lines of a common pattern", COMMON, &["-n", "let.*fn"]),
    ("counts of a common word", COUNT, &["-c", "return"]),
    ("nothing at all", NONE, &["-l", "90909090"]),
    ("files of one ending", ENDING, &["--files", "-g", "*.rs"]),
    ("the same, newest first", ENDING, &["--files", "--sortr", "modified", "-g", "*.rs"]),
    ("all files", ALL, &["--files"]),
    ("the same, newest first", ALL, &["--files", "--sortr", "modified"]),
];
const RARE: &str = r#"{"pattern": "needle_in_hay"}"#;
const COMMON: &str = r#"{"pattern": "let.*fn", "output_mode": "content"}"#;
const COUNT: &str = r#"{"pattern": "return", "output_mode": "count"}"#;
// a digit has no other case to look for
const NONE: &str = r#"{"pattern": "90909090"}"#;
const ENDING: &str = r#"{"pattern": "*.rs"}"#;
const ALL: &str = r#"{"pattern": "**"}"#;

fn main() {
    let mut arguments = std::env::args().skip_while(|argument| argument != "compare");
    match arguments.next() {
        Some(_) => compare(arguments.next().filter(|tree| !tree.starts_with('-')).map(PathBuf::from)),
        None => divan::main(),
    }
    drop(TREE.lock().unwrap().take());
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn files_with_a_rare_word(bencher: Bencher<'_, '_>) {
    bench(bencher, RARE);
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn lines_of_a_common_pattern(bencher: Bencher<'_, '_>) {
    bench(bencher, COMMON);
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn counts_of_a_common_word(bencher: Bencher<'_, '_>) {
    bench(bencher, COUNT);
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn files_of_one_ending(bencher: Bencher<'_, '_>) {
    bench(bencher, ENDING);
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn all_files(bencher: Bencher<'_, '_>) {
    bench(bencher, ALL);
}

fn bench(bencher: Bencher<'_, '_>, arguments: &str) {
    let stage = Stage::new(tree());
    bencher.bench_local(|| stage.search(arguments));
}

/// Searches in turn with `rg`, so that what else the machine does falls on both.
fn compare(made: Option<PathBuf>) {
    let stage = Stage::new(made.unwrap_or_else(tree));
    for (name, arguments, for_rg) in QUERIES {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let before = worked();
        for _ in 0..ROUNDS {
            ours.push(stage.search(arguments));
            theirs.push(ripgrep(&stage.root, for_rg));
        }
        let (ours, theirs) = (median(ours), median(theirs));
        let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
        print!("{name:26} {ours:>10.1?}, rg {theirs:>10.1?}: {ratio:.2}");
        let work = before.zip(worked()).map(|((ours, theirs), now)| (now.0 - ours) / (now.1 - theirs));
        println!("{}", work.map(|ratio| format!("; work {ratio:.2}")).unwrap_or_default());
    }
}

#[expect(clippy::disallowed_methods, reason = "nothing of the program's own is started")]
fn ripgrep(root: &Path, arguments: &[&str]) -> Duration {
    let start = Instant::now();
    let mut command = Command::new("rg");
    command.args(["--no-config", "--hidden"]).args(arguments).arg(".").current_dir(root);
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.stderr.is_empty());
    start.elapsed()
}

/// The processor's time of this process and of its children so far, in ticks. Where other work goes on beside a comparison
/// it is the steadier measure.
fn worked() -> Option<(f64, f64)> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<f64> = stat
        .rsplit_once(')')?
        .1
        .split_whitespace()
        .skip(11)
        .take(4)
        .filter_map(|field| field.parse().ok())
        .collect();
    match fields[..] {
        [user, system, children_user, children_system] => {
            Some((user + system, children_user + children_system))
        }
        _ => None,
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.swap_remove(ROUNDS / 2)
}

/// Lines of words, different for every number and the same every time; some have the rare one.
fn text(number: usize) -> String {
    const WORDS: [&str; 16] = [
        "let", "fn", "return", "match", "value", "index", "buffer", "parse", "token", "stream", "error",
        "result", "option", "string", "vector", "append",
    ];
    let mut state = number as u64 + 1;
    let mut next = |most: u64| {
        // the constants are Knuth's for numbers of 64 bits
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    let mut text = String::new();
    for _ in 0..20 + next(70) {
        for _ in 0..2 + next(8) {
            text.push_str(WORDS.get(usize::try_from(next(16)).unwrap()).unwrap());
            text.push(' ');
        }
        text.push_str(";\n");
    }
    if number.is_multiple_of(100) {
        text.push_str("// needle_in_hay\n");
    }
    text
}

fn tree() -> PathBuf {
    let mut tree = TREE.lock().unwrap();
    let tree = tree.get_or_insert_with(|| {
        let tree = tempfile::tempdir().unwrap();
        fs::write(tree.path().join(".gitignore"), "*.log\ntarget/\n/build\n").unwrap();
        for directory in 0..DIRECTORIES {
            let path = tree.path().join(format!("mod{:02}/part{:02}", directory / 100, directory % 100));
            fs::create_dir_all(&path).unwrap();
            for file in 0..FILES {
                let ending = ["rs", "py", "md", "txt", "js"].get(file % 5).unwrap();
                fs::write(path.join(format!("file{file:02}.{ending}")), text(directory * FILES + file))
                    .unwrap();
            }
        }
        tree
    });
    tree.path().canonicalize().unwrap()
}

/// A session in the tree, the loop and a runtime.
struct Stage {
    runtime: Runtime,
    tools: Arc<ToolRegistry>,
    bench: Arc<Workbench>,
    root: PathBuf,
}

impl Stage {
    fn new(root: PathBuf) -> Self {
        let bench = Arc::new(Workbench::new(Setup { root: root.clone(), ..Setup::default() }).unwrap());
        let tools = ToolRegistry::built_in(&Selection::default(), Web::default()).unwrap();
        let tools = Arc::new(tools);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let stage = Self { runtime, tools, bench, root };
        // the first search brings the tree into the page cache
        stage.search(COUNT);
        stage
    }

    /// How long a call takes.
    fn search(&self, arguments: &str) -> Duration {
        let tool = if [ENDING, ALL].contains(&arguments) { "Glob" } else { "Grep" };
        let script = vec![Said::new().call(tool, arguments), Said::text("done")];
        let agent = Agent::create(AgentParts {
            chat: Arc::new(Scripted::new(script)),
            tools: Arc::clone(&self.tools),
            hooks: Arc::new(NoHooks),
            clock: Arc::new(SystemClock),
            system: "".into(),
            model: "m".into(),
            window: Window::default(),
            nudging: Nudging::Off,
        })
        .unwrap();
        let context = ChatContext {
            history: History::new(),
            policy: PolicyCell::new(Policy { mode: Mode::Bypass, ..Policy::default() }),
            bench: Arc::clone(&self.bench),
            inbox: Inbox::default(),
        };
        let options = LoopOptions {
            budget: TurnBudget::AtMost(10),
            spending: Spending::unlimited(),
            attendance: Attendance::Unattended,
            token: CancellationToken::new(),
            stop_cause: StopCause::default(),
            sink: Arc::new(Deaf),
            approver: Arc::new(Absent),
        };
        let start = Start::Prompt(vec![UserMessage::new(Origin::User, "go".to_owned())]);
        let began = Instant::now();
        let result = self.runtime.block_on(agent.chat(start, context, options));
        assert_eq!(result.end, RunEnd::Done);
        began.elapsed()
    }
}

/// Takes everything and keeps nothing.
struct Deaf;

impl Sink for Deaf {
    fn emit(&self, _event: AgentEvent) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// Is never asked.
struct Absent;

impl Approver for Absent {
    fn approve(&self, _question: Question) -> BoxFuture<'_, Answer> {
        Box::pin(std::future::ready(Answer::Unattended))
    }
}
