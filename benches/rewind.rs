//! How long the looks before and after a command take in a tree of 50,000 files, plain and in a repository, and how long a rewind
//! takes that puts back what a command has changed there.
//!
//! What every command waits for is both looks, in a tree that lies in the page cache, where nothing has changed or a few files have.
//! The mark is 80 ms for both with two cores; nearly all of it is the kernel's, who is asked after each file. The first look makes
//! what the others compare with: nobody waits for it, and it is measured from the page cache and from the disk. The surprise: for
//! the latter the caches of the whole machine are dropped, which only root may.

#![expect(clippy::unwrap_used, reason = "a bench that cannot be set up has no figure")]
#![expect(clippy::disallowed_methods, reason = "git makes the repository")]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use clawd::protocol::SavedFile;
use clawd::protocol::history::Past;
use clawd::workbench::{Moment, Setup, Workbench, restore};
use divan::Bencher;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// Directories, each with so many files.
const DIRECTORIES: usize = 2_500;
const FILES: usize = 20;

fn main() {
    divan::main();
}

/// A session in such a tree.
struct World {
    directory: TempDir,
    _kept: TempDir,
    runtime: Runtime,
    bench: Arc<Workbench>,
}

#[derive(Debug, Clone, Copy)]
enum Tree {
    Plain,
    Git,
}

impl World {
    /// After the first look, with everything covered.
    fn new(tree: Tree) -> Self {
        let directory = tempfile::tempdir().unwrap();
        make(directory.path());
        if let Tree::Git = tree {
            for words in [
                &["init", "-q", "."][..],
                &["add", "-A"],
                &["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "x"],
            ] {
                assert!(
                    Command::new("git").args(words).current_dir(directory.path()).status().unwrap().success()
                );
            }
        }
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let environment = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
        let kept = tempfile::tempdir().unwrap();
        let outputs = Some(kept.path().join("session"));
        let setup = Setup { root: directory.path().to_owned(), environment, outputs, ..Setup::default() };
        let bench = Arc::new(Workbench::new(setup).unwrap());
        let world = Self { directory, _kept: kept, runtime, bench };
        world.look();
        world.wait_until_covered();
        // what was made here is written to the disk for a while, by the same kernel that is then asked after each file
        rustix::fs::sync();
        world
    }

    /// Whoever asks all the time leaves no room for the copying itself.
    fn wait_until_covered(&self) {
        self.runtime.block_on(async {
            while self.bench.snapshots().uncovered().iter().any(|line| line.contains("not yet backed up")) {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
    }

    /// A command that changes so many files; each as it was before.
    fn command(&self, files: usize) -> Vec<SavedFile> {
        self.runtime.block_on(async {
            self.bench.look(Moment::Before).await;
            for number in 0..files {
                let (directory, file) = (number / FILES, number % FILES);
                let file =
                    self.directory.path().join(format!("d{}/d{directory}/file_{file}.rs", directory % 50));
                fs::write(file, format!("changed {number}\n").repeat(100)).unwrap();
            }
            self.bench.look(Moment::After).await
        })
    }

    /// Puts these files back as a rewind does; each as it was before that.
    fn rewind(&self, files: &[SavedFile]) -> Vec<SavedFile> {
        let blobs = self.bench.blobs();
        let plan = restore::plan(&Past::before(files), 0);
        let kept = restore::keep(blobs, plan);
        assert_eq!((restore::put_back(blobs, &kept), kept.saved.len()), (Vec::new(), files.len()));
        kept.saved
    }

    /// The first look of a session that begins here.
    fn first_look(&self) -> Vec<SavedFile> {
        let environment = self.bench.environment().to_vec();
        let setup = Setup { root: self.directory.path().to_owned(), environment, ..Setup::default() };
        let bench = Arc::new(Workbench::new(setup).unwrap());
        self.runtime.block_on(bench.look(Moment::Before))
    }

    /// Both looks; how many files have changed between them and before.
    fn look(&self) -> usize {
        self.bench.snapshots().begin_message();
        self.runtime.block_on(async {
            let before = self.bench.look(Moment::Before).await;
            before.len() + self.bench.look(Moment::After).await.len()
        })
    }
}

fn make(root: &Path) {
    for number in 0..DIRECTORIES {
        let directory = root.join(format!("d{}/d{number}", number % 50));
        fs::create_dir_all(&directory).unwrap();
        for file in 0..FILES {
            fs::write(directory.join(format!("file_{file}.rs")), format!("fn f{number}_{file}() {{}}\n"))
                .unwrap();
        }
    }
}

#[divan::bench(args = [Tree::Plain, Tree::Git], sample_count = 20, sample_size = 1)]
fn both_looks_where_nothing_changes(bencher: Bencher<'_, '_>, tree: Tree) {
    let world = World::new(tree);
    bencher.bench_local(|| world.look());
}

#[divan::bench(args = [Tree::Plain, Tree::Git], sample_count = 20, sample_size = 1)]
fn both_looks_around_a_few_changes(bencher: Bencher<'_, '_>, tree: Tree) {
    let world = World::new(tree);
    let mut round = 0;
    bencher.bench_local(|| {
        round += 1;
        world.runtime.block_on(async {
            world.bench.look(Moment::Before).await;
            for number in 0..10 {
                let file = world.directory.path().join(format!("d{number}/d{number}/file_0.rs"));
                fs::write(file, format!("changed {round}")).unwrap();
            }
            assert_eq!(world.bench.look(Moment::After).await.len(), 10);
        });
    });
}

/// There and back again, by turns.
#[divan::bench(args = [200, 1_000, 5_000], sample_count = 6, sample_size = 1)]
fn a_rewind(bencher: Bencher<'_, '_>, files: usize) {
    let world = World::new(Tree::Plain);
    let mut saved = world.command(files);
    assert_eq!(saved.len(), files);
    bencher.bench_local(|| saved = world.rewind(&saved));
}

#[divan::bench(args = [Tree::Plain, Tree::Git], sample_count = 3, sample_size = 1)]
fn the_first_look(bencher: Bencher<'_, '_>, tree: Tree) {
    let world = World::new(tree);
    bencher.bench_local(|| world.first_look());
}

#[divan::bench(args = [Tree::Plain, Tree::Git], sample_count = 3, sample_size = 1)]
fn the_first_look_from_the_disk(bencher: Bencher<'_, '_>, tree: Tree) {
    let world = World::new(tree);
    let forget = || {
        rustix::fs::sync();
        fs::write("/proc/sys/vm/drop_caches", "3").unwrap();
    };
    bencher.with_inputs(forget).bench_local_values(|()| world.first_look());
}
