//! The program killed (SIGKILL) while it puts files back or brings them forward.
//!
//! The moment is certain: the test holds a lease on the image of one file, so the program waits in the kernel just before it
//! touches that file, and is killed there. Few files go one after another, and so it is known which have come about; many go side
//! by side, and those that are under way are killed wherever they are. Each time every file is wholly what it was or wholly what it
//! shall be, the next start says how far it has come, and either way leads to the exact trees, with nothing left beside a file.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::Value;

use super::{Tree, begun, checkpoint, go_back, lines, redo, resume, rewind, tell, tree, write};
use crate::endpoint::Endpoint;
use crate::harness::{Clawd, Signal};
use crate::pty::Pty;
use crate::screen::{leave, say};
use crate::sessions::session_file;
use crate::watched::DEADLINE;

/// How what was begun is mended.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mend {
    Redo,
    Rewind,
}

impl Mend {
    fn of(number: usize) -> Self {
        if number.is_multiple_of(2) { Self::Redo } else { Self::Rewind }
    }
}

/// Which signal tells of somebody who waits; the libc crate does not have it.
const F_SETSIG: libc::c_int = 10;

/// A file that nobody else can open while this lives: who tries waits.
struct Lease {
    file: File,
}

impl Lease {
    #[expect(unsafe_code, reason = "no crate has leases; the calls take numbers alone")]
    fn on(path: &Path) -> Self {
        let began = Instant::now();
        let file = OpenOptions::new().read(true).write(true).open(path).unwrap();
        // it would be told by a signal that ends the test
        assert_eq!(unsafe { libc::fcntl(file.as_raw_fd(), F_SETSIG, libc::SIGURG) }, 0);
        // somebody may have it open in this moment
        while unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_WRLCK) } != 0 {
            assert!(began.elapsed() < DEADLINE, "{}", std::io::Error::last_os_error());
        }
        Self { file }
    }

    /// Blocks until somebody waits for it.
    #[expect(unsafe_code, reason = "no crate has leases; the call takes numbers alone")]
    fn wait(&self) {
        let began = Instant::now();
        while unsafe { libc::fcntl(self.file.as_raw_fd(), libc::F_GETLEASE) } == libc::F_WRLCK {
            assert!(began.elapsed() < DEADLINE, "nobody has opened it");
            std::thread::yield_now();
        }
    }
}

/// A session in which a command has changed files, and the tree before it and after it.
struct World {
    endpoint: Endpoint,
    clawd: Clawd,
    before: Tree,
    after: Tree,
}

impl World {
    fn new(names: &[String], make: impl Fn(&Path), change: impl Fn(&Path)) -> Self {
        let (endpoint, clawd) = begun();
        make(&clawd.project());
        let before = tree(&clawd);
        tell(&clawd, &endpoint, "hello", vec![]);
        tell(&clawd, &endpoint, "change all", vec![]);
        checkpoint(&clawd, &names.iter().map(String::as_str).collect::<Vec<_>>());
        change(&clawd.project());
        let after = tree(&clawd);
        assert_eq!(differing(&before, &after).len(), names.len());
        Self { endpoint, clawd, before, after }
    }

    /// Seven files, each changed in another way: so few are put back one after another, in the order of their names but for those
    /// that go.
    fn few() -> Self {
        let write = |project: &Path, name: &str, bytes: &[u8]| write(&project.join(name), bytes, 0o644);
        let make = |project: &Path| {
            for name in ["a", "b", "c", "g"] {
                write(project, name, format!("{name} as it was\n").repeat(300).as_bytes());
            }
            write(project, "e", &[0, 159, 146, 150].repeat(2_000));
            symlink("a", project.join("f")).unwrap();
        };
        let change = |project: &Path| {
            write(project, "a", b"rewritten\n");
            fs::remove_file(project.join("b")).unwrap();
            fs::set_permissions(project.join("c"), fs::Permissions::from_mode(0o755)).unwrap();
            write(project, "d", b"new\n");
            write(project, "e", &[1; 5_000]);
            for (name, to) in [("f", "c"), ("g", "nowhere")] {
                fs::remove_file(project.join(name)).unwrap();
                symlink(to, project.join(name)).unwrap();
            }
        };
        Self::new(&["a", "b", "c", "d", "e", "f", "g"].map(str::to_owned), make, change)
    }

    /// As many as are put back side by side.
    fn many() -> Self {
        let names: Vec<String> = (0..MANY).map(|number| format!("{}/{number:03}", number % 10)).collect();
        let is_new = |number: usize| number % 10 == 9;
        let make = |project: &Path| {
            for (number, name) in names.iter().enumerate() {
                write(&project.join("9/rest"), "stays\n", 0o644);
                if !is_new(number) {
                    write(&project.join(name), format!("file {number}\n").repeat(2_000), 0o644);
                }
            }
        };
        let change = |project: &Path| {
            for (number, name) in names.iter().enumerate() {
                match number % 10 {
                    8 => fs::remove_file(project.join(name)).unwrap(),
                    _ => write(&project.join(name), format!("other {number}\n").repeat(2_000), 0o644),
                }
            }
        };
        Self::new(&names, make, change)
    }

    /// The image of a file as it is in this tree.
    fn image(&self, name: &str, tree: &Tree) -> PathBuf {
        let told = &tree[Path::new(name)];
        let hash = match told.strip_prefix("link to ") {
            Some(to) => blake3::hash(to.as_bytes()).to_hex().to_string(),
            None => told.rsplit(' ').next().unwrap().to_owned(),
        };
        session_file(&self.clawd).with_extension("").join("before").join(hash)
    }

    /// Goes back, and is killed where this file would be put back.
    fn kill_rewind(&self, gate: &str) {
        let pty = self.resume();
        say(&pty, "/rewind");
        pty.wait_for("type to filter");
        pty.type_text("change all");
        pty.wait_for("1 of ");
        pty.key("enter");
        pty.wait_for("Press 1, 2 or 3");
        let lease = Lease::on(&self.image(gate, &self.before));
        pty.key("1");
        Self::kill(&pty, &lease);
    }

    /// Goes back and forth, and is killed where this file would be brought forward.
    fn kill_redo(&self, gate: &str) {
        let pty = self.resume();
        rewind(&pty, "change all", "1", "Rewound to");
        assert_eq!(differing(&tree(&self.clawd), &self.before), BTreeSet::new());
        let lease = Lease::on(&self.image(gate, &self.after));
        say(&pty, "/redo");
        Self::kill(&pty, &lease);
    }

    fn kill(pty: &Pty, lease: &Lease) {
        lease.wait();
        pty.signal(Signal::KILL);
        assert_eq!(pty.wait_exit().signal.as_deref(), Some("Killed"));
    }

    /// The session, in which all that was ever said still stands.
    fn resume(&self) -> Pty {
        let pty = resume(&self.clawd);
        pty.wait_for("Done with change all.");
        pty
    }

    /// Every file is one of both, and what lies beside them is no file of the project. How many of those that were changed are as
    /// they were before the rewind.
    fn check_between(&self, what: &str) -> usize {
        let now = tree(&self.clawd);
        for (name, holds) in &now {
            let is_one = [&self.before, &self.after].iter().any(|tree| tree.get(name) == Some(holds));
            assert!(is_one || is_rest(name), "{what}: {} holds {holds}", name.display());
        }
        let is_after = |name: &&PathBuf| now.get(*name) == self.after.get(*name);
        differing(&self.before, &self.after).iter().filter(is_after).count()
    }

    /// Looks at what a kill has left, goes on, and mends it: all is as it was after the command.
    fn check(&self, what: &str, mend: Mend) -> usize {
        let untouched = self.check_between(what);
        self.check_lines(what);
        let pty = resume(&self.clawd);
        let all = differing(&self.before, &self.after).len();
        let told = format!("was interrupted: {untouched} of {all} files not restored");
        if untouched > 0 {
            pty.wait_for(&told);
        } else {
            assert!(!pty.screen_text().contains("was interrupted"), "{what}: {}", pty.screen_text());
        }
        assert!(
            !tree(&self.clawd).keys().any(|name| is_rest(name)),
            "{what}: what was begun is cleared away"
        );
        if mend == Mend::Rewind {
            go_back(&pty, "hello", "3");
            pty.wait_until("its end", |screen| {
                let text = screen.contents();
                text.contains("Rewound to “hello”") || text.contains("nothing to restore")
            });
            assert_eq!(differing(&tree(&self.clawd), &self.before), BTreeSet::new(), "{what}");
        }
        redo(&pty);
        if tree(&self.clawd) != self.after {
            assert_eq!(mend, Mend::Rewind, "{what}: one redo brings everything back");
            say(&pty, "/redo");
            pty.wait_until("the second redo", |screen| screen.contents().matches("Redone").count() == 2);
        }
        assert_eq!(differing(&tree(&self.clawd), &self.after), BTreeSet::new(), "{what}");
        leave(&pty);
        untouched
    }

    /// All that is written is whole but for the last line.
    fn check_lines(&self, what: &str) {
        let content = fs::read_to_string(session_file(&self.clawd)).unwrap();
        let whole = content.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let damaged = whole.filter(|line| serde_json::from_str::<Value>(line).is_err()).count();
        assert_eq!(damaged, 0, "{what}");
    }

    fn finish(self) {
        leave(&self.resume());
        assert!(lines(&self.clawd).len() > 4);
        self.endpoint.finish();
    }
}

const MANY: usize = 120;

fn differing(one: &Tree, other: &Tree) -> BTreeSet<PathBuf> {
    let names = one.keys().chain(other.keys());
    names.filter(|name| one.get(*name) != other.get(*name)).cloned().collect()
}

/// What is written beside a file before it takes its place.
fn is_rest(name: &Path) -> bool {
    name.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".clawd-"))
}

#[test]
fn killed_before_any_of_a_few_files_is_put_back_it_is_known_how_far_it_came_and_mended() {
    let world = World::few();
    // the one that goes is the first
    for (number, gate) in ["a", "b", "c", "e", "f", "g"].into_iter().enumerate() {
        world.kill_rewind(gate);
        let untouched = world.check(&format!("rewind, at {gate}"), Mend::of(number));
        assert_eq!(untouched, 6 - number, "at {gate}");
    }
    world.finish();
}

#[test]
fn killed_before_any_of_a_few_files_is_brought_forward_it_is_known_how_far_it_came_and_mended() {
    let world = World::few();
    for (number, gate) in ["a", "c", "d", "e", "f", "g"].into_iter().enumerate() {
        world.kill_redo(gate);
        let untouched = world.check(&format!("redo, at {gate}"), Mend::of(number));
        assert_eq!(untouched, 1 + number, "at {gate}");
    }
    world.finish();
}

#[test]
fn killed_among_many_files_that_were_put_back_each_is_whole_and_both_ways_lead_to_the_exact_trees() {
    let world = World::many();
    for (number, gate) in [0, 31, 68, 117].into_iter().enumerate() {
        world.kill_rewind(&format!("{}/{gate:03}", gate % 10));
        let untouched = world.check(&format!("rewind, at {gate}"), Mend::of(number));
        assert!(untouched > 0, "that one is not put back");
    }
    world.finish();
}

#[test]
fn killed_among_many_files_that_were_brought_forward_each_is_whole_and_both_ways_lead_to_the_exact_trees() {
    let world = World::many();
    for (number, gate) in [0, 31, 69, 117].into_iter().enumerate() {
        world.kill_redo(&format!("{}/{gate:03}", gate % 10));
        let untouched = world.check(&format!("redo, at {gate}"), Mend::of(number));
        assert!(untouched < MANY, "that one is not brought forward");
    }
    world.finish();
}
