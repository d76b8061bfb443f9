//! The same work for many things, by several threads at once.
//!
//! Not for what may last: it ends when all is done, and whoever asks waits for it. A thread that cannot be had is done without. The
//! surprise: where one is enough there is none beside the one that asks, and things go one after another.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What `work` gives for each, in their order, by so many `threads`, the one that asks among them, each of which takes so many as
/// a `portion` at a time.
pub fn side_by_side<T: Sync, R: Send>(
    items: &[T],
    threads: usize,
    portion: usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let run = || {
        let portions = std::iter::from_fn(|| Some(next.fetch_add(portion, Ordering::Relaxed)));
        let portions = portions.map_while(|at| Some((at, items.get(at..).filter(|rest| !rest.is_empty())?)));
        let done = portions.map(|(at, rest)| (at, rest.iter().take(portion).map(&work).collect()));
        done.collect::<Vec<(usize, Vec<R>)>>()
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> =
            (1..threads).filter_map(|_| thread::Builder::new().spawn_scoped(scope, run).ok()).collect();
        let mut done = run();
        for other in others {
            // a panic is a fault of ours, and goes on as one
            done.append(&mut other.join().unwrap_or_else(|broken| resume_unwind(broken)));
        }
        done
    });
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().flat_map(|(_, done)| done).collect()
}

/// How many threads can run at once here, at most so many.
pub fn cores(most: usize) -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_done_once_and_stands_in_its_place() {
        for (count, threads, portion) in
            [(0, 4, 1), (1, 4, 16), (7, 1, 1), (100, 32, 1), (1_000, 3, 16), (5, 9, 2)]
        {
            let items: Vec<usize> = (0..count).collect();
            let done = AtomicUsize::new(0);
            let doubled = side_by_side(&items, threads, portion, |item| {
                done.fetch_add(1, Ordering::Relaxed);
                item * 2
            });
            assert_eq!(doubled, items.iter().map(|item| item * 2).collect::<Vec<_>>());
            assert_eq!(done.into_inner(), count, "{threads} threads, {portion} at a time");
        }
    }

    #[test]
    fn by_one_thread_they_go_one_after_another_and_here() {
        let here = thread::current().id();
        let threads = side_by_side(&[1, 2, 3], 1, 1, |_| thread::current().id());
        assert!(threads.iter().all(|thread| *thread == here));
    }
}
