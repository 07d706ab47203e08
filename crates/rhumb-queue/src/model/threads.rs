//! The whole queue under thread interleavings, by `loom`.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use loom::future::block_on;
use loom::thread;

use crate::queue::Queue;
use crate::sync::Clock;

fn queue(clock: &Clock) -> Queue<u8> {
    Queue::builder().clock(clock.clone()).build()
}

/// Preemption bound: three threads have too many interleavings to try all, and errors show with two preemptions.
const TWO: Option<usize> = Some(2);

/// Tries every interleaving, or every one in which threads are interrupted no more than so many times.
fn model(interruptions: Option<usize>, run: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = interruptions;
    builder.check(run);
}

/// Asks for an item once, and gives up if there is none at once.
fn ask_and_give_up(queue: &Queue<u8>) -> Option<u8> {
    block_on(async {
        let mut get = pin!(queue.get());
        poll_fn(|cx| match get.as_mut().poll(cx) {
            Poll::Ready(taken) => Poll::Ready(taken.map(|taken| *taken)),
            Poll::Pending => Poll::Ready(None),
        })
        .await
    })
}

#[test]
fn a_getter_is_woken_by_an_item_and_by_the_end() {
    model(None, || {
        let queue = queue(&Clock::default());
        let getter = thread::spawn({
            let queue = queue.clone();
            move || {
                assert_eq!(block_on(queue.get()).map(|taken| *taken), Some(1));
                assert!(block_on(queue.get()).is_none());
            }
        });
        queue.add(1);
        queue.shut_down();
        getter.join().unwrap();
    });
}

#[test]
fn no_getter_sleeps_on_while_there_is_an_item() {
    model(TWO, || {
        let queue = queue(&Clock::default());
        let getter = thread::spawn({
            let queue = queue.clone();
            move || block_on(queue.get()).map(|taken| *taken)
        });
        let adder = thread::spawn({
            let queue = queue.clone();
            move || queue.add(1)
        });
        queue.add(2);
        let mine = block_on(queue.get()).map(|taken| *taken);
        let mut got = [mine, getter.join().unwrap()];
        adder.join().unwrap();
        got.sort();
        assert_eq!(got, [Some(1), Some(2)]);
    });
}

#[test]
fn an_item_added_while_processed_comes_back_once() {
    model(None, || {
        let queue = queue(&Clock::default());
        queue.add(1);
        let held = block_on(queue.get()).unwrap();
        let adders: Vec<_> = (0..2)
            .map(|_| {
                let queue = queue.clone();
                thread::spawn(move || queue.add(1))
            })
            .collect();
        adders.into_iter().for_each(|adder| adder.join().unwrap());
        assert_eq!(queue.len(), 0);
        drop(held);
        assert_eq!(queue.len(), 1);
    });
}

#[test]
fn no_two_workers_have_the_same_item() {
    model(TWO, || {
        let queue = queue(&Clock::default());
        let held = Arc::new(std::sync::atomic::AtomicBool::new(false));
        queue.add(1);
        let worker = thread::spawn({
            let (queue, held) = (queue.clone(), Arc::clone(&held));
            move || {
                queue.add(1);
                work(&queue, &held);
            }
        });
        queue.add(1);
        work(&queue, &held);
        worker.join().unwrap();
    });

    fn work(queue: &Queue<u8>, held: &std::sync::atomic::AtomicBool) {
        use std::sync::atomic::Ordering::SeqCst;
        queue.shut_down();
        while let Some(taken) = block_on(queue.get()) {
            assert!(!held.swap(true, SeqCst));
            thread::yield_now();
            held.store(false, SeqCst);
            drop(taken);
        }
    }
}

#[test]
fn a_getter_that_gives_up_loses_no_item() {
    model(TWO, || {
        let queue = queue(&Clock::default());
        let fickle = thread::spawn({
            let queue = queue.clone();
            move || ask_and_give_up(&queue)
        });
        let adder = thread::spawn({
            let queue = queue.clone();
            move || {
                queue.add(1);
                queue.add(2);
            }
        });
        assert!(block_on(queue.get()).is_some());
        fickle.join().unwrap();
        adder.join().unwrap();
    });
}

#[test]
fn a_delayed_item_wakes_a_getter_though_another_gives_up() {
    model(TWO, || {
        let clock = Clock::default();
        let queue = queue(&clock);
        let fickle = thread::spawn({
            let queue = queue.clone();
            move || ask_and_give_up(&queue)
        });
        let ticker = thread::spawn({
            let queue = queue.clone();
            move || {
                queue.add_after(1, Duration::from_secs(1));
                queue.add_after(2, Duration::from_secs(1));
                clock.advance(Duration::from_secs(1));
            }
        });
        assert!(block_on(queue.get()).is_some());
        fickle.join().unwrap();
        ticker.join().unwrap();
    });
}

#[test]
fn shutting_down_wakes_every_getter() {
    model(TWO, || {
        let queue = queue(&Clock::default());
        let getters: Vec<_> = (0..2)
            .map(|_| {
                let queue = queue.clone();
                thread::spawn(move || block_on(queue.get()).is_none())
            })
            .collect();
        queue.shut_down();
        getters.into_iter().for_each(|getter| assert!(getter.join().unwrap()));
    });
}

#[test]
fn a_drain_waits_for_what_is_processed_and_what_is_waiting() {
    model(None, || {
        let queue = queue(&Clock::default());
        let done = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        queue.add(1);
        queue.add(2);
        let worker = thread::spawn({
            let (queue, done) = (queue.clone(), Arc::clone(&done));
            move || {
                while let Some(taken) = block_on(queue.get()) {
                    done.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    drop(taken);
                }
            }
        });
        block_on(queue.shut_down_with_drain());
        assert_eq!(done.load(std::sync::atomic::Ordering::SeqCst), 2);
        worker.join().unwrap();
    });
}
