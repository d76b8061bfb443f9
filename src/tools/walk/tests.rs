//! Walks: what is shown, what is passed over and why, and that a walk ends when it is told to.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicU64;

use super::super::testing::{Session, make_fifo};
use super::*;

/// Every path below the root that a walk shows.
fn shown(session: &Session, ignored: Ignored, shown: Shown, depth: usize) -> BTreeSet<String> {
    let until = Until::within(Duration::from_mins(1));
    let walk = Walk { root: &session.root, workspace: &session.root, ignored, shown, depth, until: &until };
    let paths = Mutex::new(BTreeSet::new());
    walk.each(|| {
        |seen: Seen<'_>| {
            assert_eq!(session.root.join(seen.relative), seen.path);
            let path = seen.relative.to_str().unwrap().to_owned();
            assert!(paths.lock().unwrap().insert(path), "nothing is shown twice");
            ControlFlow::Continue(())
        }
    });
    paths.into_inner().unwrap()
}

#[test]
fn everything_is_shown_once_but_what_is_ignored() {
    let session = Session::with(&[
        ("a/b/c/d.txt", ""),
        ("a/e.txt", ""),
        (".hidden/f", ""),
        (".git/config", ""),
        ("a/.git", "gitdir: elsewhere\n"),
        ("out/g", ""),
        (".gitignore", "out\n"),
    ]);
    make_fifo(&session.path("pipe"));
    std::os::unix::fs::symlink("..", session.path("a/up")).unwrap();
    let check = |ignored, what, depth, expected: &[&str]| {
        let expected: BTreeSet<String> = expected.iter().map(|path| (*path).to_owned()).collect();
        assert_eq!(shown(&session, ignored, what, depth), expected);
    };
    let files = [".gitignore", ".hidden/f", "a/b/c/d.txt", "a/e.txt", "a/up", "pipe"];
    check(Ignored::LeftOut, Shown::Files, usize::MAX, &files);
    check(Ignored::Included, Shown::Files, usize::MAX, &[&files[..], &["out/g"]].concat());
    check(Ignored::LeftOut, Shown::Files, 1, &[".gitignore", "pipe"]);
    check(Ignored::LeftOut, Shown::Files, 2, &[".gitignore", ".hidden/f", "a/e.txt", "a/up", "pipe"]);
    let directories = [".hidden", "a", "a/b", "a/b/c"];
    check(Ignored::LeftOut, Shown::All, usize::MAX, &[&files[..], &directories].concat());
}

#[test]
fn a_large_directory_is_shown_whole_though_it_is_read_in_portions() {
    let session = Session::new();
    let (files, directories) = (2 * PORTION + 100, PORTION + 50);
    for number in 0..files {
        session.write(&format!("f{number}"), "");
    }
    for number in 0..directories {
        session.write(&format!("d{number}/f"), "");
    }
    session.write(".gitignore", "f1*\n");
    let paths = shown(&session, Ignored::LeftOut, Shown::Files, usize::MAX);
    let expected = (0..files).filter(|number| !number.to_string().starts_with('1')).count();
    assert_eq!(paths.len(), expected + directories + 1);
}

#[test]
fn a_walk_that_is_stopped_ends_at_the_next_entry() {
    let session = Session::new();
    for number in 0..500 {
        session.write(&format!("d{}/f{number}", number % 50), "");
    }
    for stop in [ControlFlow::Break(()), ControlFlow::Continue(())] {
        let until = Until::within(Duration::from_mins(1));
        let (ignored, what) = (Ignored::LeftOut, Shown::Files);
        let root = session.root.as_path();
        let walk = Walk { root, workspace: root, ignored, shown: what, depth: usize::MAX, until: &until };
        let visits = AtomicU64::new(0);
        // returns once all of its threads have ended
        walk.each(|| {
            |_: Seen<'_>| {
                visits.fetch_add(1, Ordering::SeqCst);
                if stop.is_continue() {
                    until.stop();
                }
                stop
            }
        });
        let most = thread::available_parallelism().map_or(1, usize::from) as u64;
        assert!((1..=most).contains(&visits.into_inner()));
    }
}

#[test]
fn a_walk_out_of_time_shows_nothing_more() {
    let session = Session::with(&[("a", ""), ("b/c", "")]);
    let until = Until::within(Duration::ZERO);
    let (ignored, what, root) = (Ignored::LeftOut, Shown::Files, session.root.as_path());
    let walk = Walk { root, workspace: root, ignored, shown: what, depth: usize::MAX, until: &until };
    walk.each(|| |_: Seen<'_>| panic!("shown"));
}

#[test]
fn a_visitor_that_panics_leaves_nobody_waiting() {
    let session = Session::with(&[("a/f", ""), ("b/f", "")]);
    let until = Until::within(Duration::from_mins(1));
    let (ignored, what, root) = (Ignored::LeftOut, Shown::Files, session.root.as_path());
    let walk = Walk { root, workspace: root, ignored, shown: what, depth: usize::MAX, until: &until };
    let walked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        walk.each(|| |_: Seen<'_>| panic!("on purpose"));
    }));
    assert!(walked.is_err());
}

#[test]
fn views_into_the_kernel_are_passed_over() {
    let session = Session::new();
    let until = Until::within(Duration::from_mins(1));
    let (ignored, what, root) = (Ignored::LeftOut, Shown::All, Path::new("/proc"));
    let workspace = session.root.as_path();
    let walk = Walk { root, workspace, ignored, shown: what, depth: usize::MAX, until: &until };
    if cfg!(target_os = "linux") {
        walk.each(|| |_: Seen<'_>| panic!("shown"));
    }
}

#[test]
fn paths_are_spelled_from_the_root_on() {
    let check = |place: &str, root: &str, whole: &str, relative: &str| {
        let mut path = Spelled::new(Path::new(place), Path::new(root));
        path.end_in(OsStr::new("longer"));
        path.end_in(OsStr::new("f"));
        assert_eq!((path.whole(), path.relative()), (Path::new(whole), Path::new(relative)));
    };
    check("/w/d", "/w", "/w/d/f", "d/f");
    check("/w", "/w", "/w/f", "f");
    check("/w", "/", "/w/f", "w/f");
    check("/", "/", "/f", "f");
}
