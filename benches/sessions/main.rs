//! Sessions: how long it takes to list a thousand, and to go on with a large one.
//!
//! `cargo bench --bench sessions` measures the library: a list of 1,000 sessions of 30 KB to 10 MB (250 MB in all; the mark is
//! 100 ms for `clawd sessions`, with the messages counted as `/resume` has it some 50 ms more), and the reading of 100 MB.
//! `-- figures` starts the program itself on a terminal, measures the time to the last words of a session that goes on (they come
//! from the file's end), and the most memory that it had until all of it was read, over 20 resumes; and with 10,000 messages the time from a key to its echo, at rest and
//! while an answer streams at 100 words a second. Marks: 2 s and 2.5 times the file for 100 MB; 60 ms, 60 MB and 1 / 3 and
//! 2 / 5 ms (median / 95 of 100) for 10,000 messages; the first paint of 5,000 messages in 500 turns with three compactions
//! (15 MB) is held against that of a session of five turns: 1.5 times. Files are in the page cache by then. The surprise: all lines are gone through, also those before a
//! summary, for a rewind may go behind it; but long results stay in the file.

#![expect(clippy::unwrap_used, reason = "a bench that cannot be set up has no figure")]
#![expect(clippy::print_stdout, reason = "figures are read on the terminal")]

mod program;

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clawd::os::paths::Paths;
use clawd::protocol::{
    AssistantMessage, Entry, EntryBody, Message, SessionHead, StopReason, ToolCall, ToolStatus,
};
use clawd::session::{entry, index, load};
use divan::Bencher;
use program::{Program, endless_answers};
use tempfile::TempDir;

/// What stands last in every session, to be waited for.
const LAST: &str = "Endmark";

/// Resumes of which the median is taken.
const RESUMES: usize = 20;

/// Within this 100 MB are read, beside the screen.
const READ: Duration = Duration::from_millis(500);

/// Where nobody listens.
const NOBODY: &str = "http://127.0.0.1:1/v1";

/// A directory with sessions, from the first bench that needs it until the end.
static SHELF: Mutex<Option<TempDir>> = Mutex::new(None);

fn main() {
    if std::env::args().any(|argument| argument == "figures") {
        figures();
    } else {
        divan::main();
    }
    drop(SHELF.lock().unwrap().take());
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn list_1000(bencher: Bencher<'_, '_>) {
    let shelf = shelf();
    bencher.bench_local(|| assert_eq!(index::glances(index::list(&shelf), 0).len(), 1000));
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn list_1000_and_count(bencher: Bencher<'_, '_>) {
    let shelf = shelf();
    bencher.bench_local(|| assert_eq!(index::glances(index::list(&shelf), 64 << 20).len(), 1000));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn load_100_mb(bencher: Bencher<'_, '_>) {
    let directory = tempfile::tempdir().unwrap();
    let path = write(directory.path(), 0, Path::new("/w"), Size::Bytes(100_000_000));
    bencher.bench_local(|| load::load(&path).unwrap().history.len());
}

fn shelf() -> PathBuf {
    let mut shelf = SHELF.lock().unwrap();
    let make = || {
        let directory = tempfile::tempdir().unwrap();
        fill(directory.path(), Path::new("/w"));
        directory
    };
    shelf.get_or_insert_with(make).path().to_owned()
}

/// 1,000 sessions: most are short.
fn fill(directory: &Path, cwd: &Path) {
    for number in 0..1000 {
        let bytes = match number % 100 {
            0 => 10_000_000,
            1..10 => 1_000_000,
            10..30 => 200_000,
            _ => 30_000,
        };
        write(directory, number, cwd, Size::Bytes(bytes));
    }
}

#[derive(Clone, Copy)]
enum Size {
    Bytes(usize),
    /// Words and answers alone.
    Talk {
        messages: usize,
    },
    Turns {
        turns: usize,
        compactions: usize,
    },
}

/// A session as they are: a prompt, four calls with results of 1 to 12 KB, an answer.
fn write(directory: &Path, number: usize, cwd: &Path, size: Size) -> PathBuf {
    let id = format!("01900000-0000-7000-8000-{number:012}");
    let path = directory.join(format!("{id}.jsonl"));
    let mut file = BufWriter::new(File::create(&path).unwrap());
    let mut written = 0;
    let mut put = |body: EntryBody| {
        let line = entry::to_line(&Entry { timestamp: 1_700_000_000_000, body }) + "\n";
        written += line.len();
        file.write_all(line.as_bytes()).unwrap();
        written
    };
    put(EntryBody::Session(SessionHead {
        version: 1,
        id: id.as_str().into(),
        cwd: cwd.display().to_string(),
        model: "m".into(),
        clawd_version: "0.1.0".to_owned(),
        parent: None,
    }));
    let (turns, every, bytes) = match size {
        Size::Bytes(bytes) => (usize::MAX, usize::MAX, bytes),
        Size::Turns { turns, compactions } => (turns, turns / (compactions + 1), usize::MAX),
        Size::Talk { messages } => {
            (0..messages / 2).for_each(|number| put_talk(&mut put, number));
            (0, usize::MAX, usize::MAX)
        }
    };
    for turn in 0..turns {
        if turn > 0 && turn % every == 0 && turn + every <= turns {
            put(EntryBody::Compaction { summary: "What was done so far. ".repeat(100), kept: 4 });
        }
        if put_turn(&mut put, turn) > bytes {
            break;
        }
    }
    put(EntryBody::Message(Message::user("and now?")));
    put(EntryBody::Message(Message::Assistant(said(LAST, Vec::new()))));
    file.flush().unwrap();
    path
}

/// Two messages.
fn put_talk(put: &mut impl FnMut(EntryBody) -> usize, number: usize) {
    put(EntryBody::Message(Message::user(format!("Question {number}: what does this do, and why?"))));
    put(EntryBody::Message(Message::Assistant(said(
        &"It adds up what things cost. ".repeat(10),
        Vec::new(),
    ))));
}

/// Ten messages.
fn put_turn(put: &mut impl FnMut(EntryBody) -> usize, turn: usize) -> usize {
    const LINE: &str = "    let total = prices.iter().map(|price| price.amount * \"1.0\").sum();\n";
    put(EntryBody::Message(Message::user(format!("Please look at part {turn} and tell me what it does."))));
    for step in 0..4 {
        let call = ToolCall::new(
            format!("call_{turn}_{step}"),
            "Read",
            format!("{{\"file_path\":\"src/{turn}.rs\"}}"),
        );
        put(EntryBody::Message(Message::Assistant(said("I read it first.", vec![call.clone()]))));
        let lines = 15 + (turn * 37 + step * 61) % 160;
        put(EntryBody::Message(Message::tool(&call, ToolStatus::Success, LINE.repeat(lines))));
    }
    put(EntryBody::Message(Message::Assistant(said(&"It adds up what things cost. ".repeat(20), Vec::new()))))
}

fn said(text: &str, tool_calls: Vec<ToolCall>) -> AssistantMessage {
    AssistantMessage {
        text: text.to_owned(),
        tool_calls,
        reasoning: None,
        extra: serde_json::Map::new(),
        model: "m".into(),
        usage: None,
        stop_reason: StopReason::EndTurn,
    }
}

/// The program itself.
fn figures() {
    let world = World::new();
    let shelf = world.sessions();
    fs::create_dir_all(&shelf).unwrap();
    fill(&shelf, &world.project());
    let listed: Vec<Duration> = (0..RESUMES).map(|_| world.list()).collect();
    let mut short = None;
    println!("clawd sessions list, 1,000 sessions  {:>8.1?}  (mark 100 ms)", median(listed));
    for (name, size, keys) in [
        ("100 MB", Size::Bytes(100_000_000), false),
        ("5 turns", Size::Turns { turns: 5, compactions: 0 }, true),
        ("500 turns, 3 compactions", Size::Turns { turns: 500, compactions: 3 }, false),
        ("10,000 messages, talk", Size::Talk { messages: 10_000 }, true),
        ("10,000, 7 compactions", Size::Turns { turns: 1000, compactions: 7 }, true),
        ("10,000, no compaction", Size::Turns { turns: 1000, compactions: 0 }, true),
    ] {
        fs::remove_dir_all(&shelf).unwrap();
        fs::create_dir_all(&shelf).unwrap();
        let path = write(&shelf, 0, &world.project(), size);
        let bytes = path.metadata().unwrap().len();
        let resumes: Vec<(Duration, u64)> = (0..RESUMES).map(|_| world.resume()).collect();
        let painted = median(resumes.iter().map(|(painted, _)| *painted).collect());
        let memory = resumes.iter().map(|(_, memory)| *memory).max().unwrap();
        let ratio = memory * 100 / bytes;
        println!(
            "{name:25} {:>7} KB  first paint {painted:>8.1?}  at most {:>7} KB, {}.{:02} times the file",
            bytes / 1024,
            memory / 1024,
            ratio / 100,
            ratio % 100
        );
        match (size, short) {
            (Size::Turns { turns: 5, .. }, _) => short = Some(painted),
            (Size::Turns { turns: 500, .. }, Some(short)) => {
                let times = painted.as_secs_f64() / short.as_secs_f64();
                println!("    {times:.2} times the first paint of 5 turns  (mark 1.5)");
            }
            _ => {}
        }
        if keys {
            world.keys();
        }
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap()
}

/// A home and a project.
struct World(TempDir);

impl World {
    fn new() -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        fs::create_dir(world.project()).unwrap();
        world
    }

    fn project(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap().join("project")
    }

    fn home(&self) -> PathBuf {
        self.0.path().join("home")
    }

    fn sessions(&self) -> PathBuf {
        Paths::under(self.home()).sessions_dir(&self.project())
    }

    #[expect(clippy::disallowed_methods, reason = "the program under measurement")]
    fn list(&self) -> Duration {
        let started = Instant::now();
        let listed = Command::new(env!("CARGO_BIN_EXE_clawd"))
            .args(["sessions", "list"])
            .current_dir(self.project())
            .env("CLAWD_HOME", self.home())
            .output()
            .unwrap();
        let took = started.elapsed();
        assert_eq!(listed.stdout.split(|byte| *byte == b'\n').count(), 1001);
        took
    }

    /// The time until the last words stand on the terminal, and the most bytes of memory until all of it is read.
    fn resume(&self) -> (Duration, u64) {
        let started = Instant::now();
        let program = Program::start(&self.project(), &self.home(), NOBODY);
        program.wait_for(LAST);
        let painted = started.elapsed();
        program.pass(READ);
        let memory = program.most_memory();
        program.end();
        (painted, memory)
    }

    /// Tells how long a key takes to its echo, at rest and while an answer streams.
    fn keys(&self) {
        let mut program = Program::start(&self.project(), &self.home(), &endless_answers());
        program.wait_for(LAST);
        program.pass(Duration::from_millis(500));
        let idle = program.echoes();
        program.write(b"go on");
        program.pass(Duration::from_millis(200));
        program.write(b"\r");
        program.wait_for("word");
        program.pass(Duration::from_millis(500));
        let busy = program.echoes();
        program.end();
        let of =
            |times: &[Duration], percent: usize| times.get(times.len() * percent / 100).copied().unwrap();
        for (when, times) in [("at rest", idle), ("while it streams", busy)] {
            println!("    key to echo {when:17} {:>8.2?} / {:>8.2?}", of(&times, 50), of(&times, 95));
        }
    }
}
