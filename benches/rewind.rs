//! How long the looks before and after a command take in a tree of 50,000 files, plain and in a repository.
//!
//! The first look is not measured: it makes what the others compare with. What is, is what every further command waits for: both
//! looks, in a tree that lies in the page cache, where nothing has changed or a few files have. The mark is 80 ms for a look with two
//! cores; nearly all of it is the kernel's, who is asked after each file.

#![expect(clippy::unwrap_used, reason = "a bench that cannot be set up has no figure")]
#![expect(clippy::disallowed_methods, reason = "git makes the repository")]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use clawd::workbench::{Moment, Setup, Workbench};
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
        let setup = Setup { root: directory.path().to_owned(), environment, ..Setup::default() };
        let bench = Arc::new(Workbench::new(setup).unwrap());
        let world = Self { directory, runtime, bench };
        world.look();
        while world.bench.snapshots().uncovered().iter().any(|line| line.contains("not yet copied")) {
            std::thread::yield_now();
        }
        world
    }

    /// Both looks; how many files have changed between them and before.
    fn look(&self) -> usize {
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

#[divan::bench(args = [Tree::Plain, Tree::Git], sample_count = 3, sample_size = 1)]
fn the_first_look(bencher: Bencher<'_, '_>, tree: Tree) {
    let world = World::new(tree);
    bencher.bench_local(|| {
        let environment = world.bench.environment().to_vec();
        let setup = Setup { root: world.directory.path().to_owned(), environment, ..Setup::default() };
        let bench = Arc::new(Workbench::new(setup).unwrap());
        world.runtime.block_on(bench.look(Moment::Before))
    });
}
