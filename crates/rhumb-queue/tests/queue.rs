//! What queues do in a runtime, on a clock that the tests move.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rhumb_queue::{Exponential, Queue, Taken, TokenBucket, When};
use tokio::time::{Instant, advance, timeout};

const SECOND: Duration = Duration::from_secs(1);

async fn next<T: rhumb_queue::Item>(queue: &Queue<T>) -> Taken<T> {
    queue.get().await.expect("the queue is open")
}

/// Lets all tasks run that can.
async fn settle() {
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_item_added_twice_is_there_once() {
    let queue = Queue::new();
    queue.add("a");
    queue.add("b");
    queue.add("a");
    assert_eq!(queue.len(), 2);
    assert_eq!(*next(&queue).await, "a");
    assert_eq!(*next(&queue).await, "b");
    assert!(queue.is_empty());
}

#[tokio::test]
async fn an_item_added_while_processed_comes_back_once() {
    let queue = Queue::new();
    queue.add("a");
    let taken = next(&queue).await;
    queue.add("a");
    queue.add("a");
    assert!(queue.is_empty());
    taken.done();
    let again = next(&queue).await;
    again.done();
    assert!(queue.is_empty());
}

#[tokio::test]
async fn an_item_added_while_processed_goes_behind_those_that_came_meanwhile() {
    let queue = Queue::new();
    queue.add("a");
    let taken = next(&queue).await;
    queue.add("a");
    queue.add("b");
    drop(taken);
    assert_eq!(*next(&queue).await, "b");
    assert_eq!(*next(&queue).await, "a");
}

#[tokio::test]
async fn a_worker_that_panics_gives_its_item_back() {
    let queue = Queue::new();
    queue.add("a");
    let worker = tokio::spawn({
        let queue = queue.clone();
        async move {
            let _taken = next(&queue).await;
            queue.add("a");
            panic!("on purpose");
        }
    });
    assert!(worker.await.is_err());
    assert_eq!(*next(&queue).await, "a");
}

#[tokio::test(start_paused = true)]
async fn a_delayed_item_comes_when_its_time_has_come() {
    let queue = Queue::new();
    let start = Instant::now();
    queue.add_after("late", 5 * SECOND);
    queue.add_after("soon", SECOND);
    assert_eq!(*next(&queue).await, "soon");
    assert_eq!(start.elapsed(), SECOND);
    assert_eq!(*next(&queue).await, "late");
    assert_eq!(start.elapsed(), 5 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn of_two_delays_the_earlier_holds_whichever_came_first() {
    for delays in [[5, 1], [1, 5]] {
        let queue = Queue::new();
        let start = Instant::now();
        delays.iter().for_each(|delay| queue.add_after("a", *delay * SECOND));
        next(&queue).await.done();
        assert_eq!(start.elapsed(), SECOND);
        advance(10 * SECOND).await;
        assert!(queue.is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_getter_that_waits_already_sees_an_earlier_deadline() {
    let queue = Queue::new();
    queue.add_after("late", 60 * SECOND);
    let start = Instant::now();
    let getter = tokio::spawn({
        let queue = queue.clone();
        async move { *next(&queue).await }
    });
    settle().await;
    queue.add_after("soon", SECOND);
    assert_eq!(getter.await.unwrap(), "soon");
    assert_eq!(start.elapsed(), SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_delay_outlives_an_earlier_addition() {
    let queue = Queue::new();
    queue.add_after("a", SECOND);
    queue.add("a");
    next(&queue).await.done();
    assert!(queue.is_empty());
    advance(SECOND).await;
    assert_eq!(*next(&queue).await, "a");
}

#[tokio::test(start_paused = true)]
async fn items_fall_due_in_order_though_nobody_asked_meanwhile() {
    let queue = Queue::new();
    for (item, delay) in [("c", 3), ("a", 1), ("b", 2)] {
        queue.add_after(item, delay * SECOND);
    }
    advance(10 * SECOND).await;
    assert_eq!(queue.len(), 3);
    queue.add("d");
    for expected in ["a", "b", "c", "d"] {
        assert_eq!(*next(&queue).await, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_delay_beyond_all_clocks_is_no_error() {
    let queue = Queue::new();
    queue.add_after("a", Duration::MAX);
    assert!(timeout(1000 * SECOND, queue.get()).await.is_err());
}

#[tokio::test]
async fn higher_priorities_come_first_and_each_in_order() {
    let queue = Queue::new();
    for (item, priority) in [("a", 0), ("b", 5), ("c", 0), ("d", 5), ("e", -1)] {
        queue.add_with(item, When::Now, priority);
    }
    for (expected, priority) in [("b", 5), ("d", 5), ("a", 0), ("c", 0), ("e", -1)] {
        let taken = next(&queue).await;
        assert_eq!((*taken, taken.priority()), (expected, priority));
    }
}

#[tokio::test]
async fn adding_again_raises_a_priority_and_never_lowers_it() {
    let queue = Queue::new();
    queue.add_with("a", When::Now, 1);
    queue.add("b");
    queue.add_with("b", When::Now, 2);
    queue.add("b");
    assert_eq!(*next(&queue).await, "b");
    let taken = next(&queue).await;
    queue.add_with("a", When::Now, 9);
    queue.add_with("c", When::Now, 8);
    taken.done();
    assert_eq!(next(&queue).await.priority(), 9);
}

#[tokio::test(start_paused = true)]
async fn a_delayed_item_keeps_its_priority() {
    let queue = Queue::new();
    queue.add_with("a", When::After(SECOND), 3);
    queue.add_with("a", When::After(2 * SECOND), 4);
    advance(SECOND).await;
    queue.add("b");
    assert_eq!(next(&queue).await.priority(), 4);
    assert_eq!(*next(&queue).await, "b");
}

#[tokio::test(start_paused = true)]
async fn failures_wait_longer_and_longer_until_forgotten() {
    let queue = Queue::builder().limiter(Exponential::new(SECOND, 60 * SECOND)).build();
    queue.add("a");
    for (failures, wait) in [(1, 1), (2, 2), (3, 4)] {
        let start = Instant::now();
        next(&queue).await.retry();
        assert_eq!(queue.num_requeues(&"a"), failures);
        let taken = next(&queue).await;
        assert_eq!(start.elapsed(), wait * SECOND);
        queue.add("a");
        taken.done();
    }
    next(&queue).await.finish();
    assert_eq!(queue.num_requeues(&"a"), 0);
    let start = Instant::now();
    queue.add_rate_limited("a");
    next(&queue).await.done();
    assert_eq!(start.elapsed(), SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_bucket_paces_all_items_together() {
    let queue = Queue::builder().limiter(TokenBucket::new(1.0, 2)).build();
    let start = Instant::now();
    (0..5).for_each(|item| queue.add_rate_limited(item));
    for expected in [0, 0, 1, 2, 3] {
        next(&queue).await.done();
        assert_eq!(start.elapsed(), expected * SECOND);
    }
}

#[tokio::test]
async fn getters_are_served_in_the_order_in_which_they_asked() {
    let queue = Queue::new();
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    for getter in 0..5 {
        let (queue, sender) = (queue.clone(), sender.clone());
        tokio::spawn(async move {
            let taken = next(&queue).await;
            sender.send((getter, *taken)).unwrap();
            std::future::pending::<()>().await;
            drop(taken);
        });
        settle().await;
    }
    (0..5).for_each(|item| queue.add(item));
    let mut served = Vec::new();
    for _ in 0..5 {
        served.push(receiver.recv().await.unwrap());
    }
    assert_eq!(served, [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]);
}

#[tokio::test]
async fn a_newcomer_does_not_get_ahead_of_one_who_waits() {
    let queue = Queue::new();
    let waiting = tokio::spawn({
        let queue = queue.clone();
        async move { *next(&queue).await }
    });
    settle().await;
    queue.add("a");
    // The waiting one has been called but has not run yet.
    let newcomer = tokio::spawn({
        let queue = queue.clone();
        async move { queue.get().await.map(|taken| *taken) }
    });
    assert_eq!(waiting.await.unwrap(), "a");
    queue.shut_down();
    assert_eq!(newcomer.await.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_producers_and_workers_lose_nothing_and_share_nothing() {
    let queue = Queue::new();
    let busy: Arc<Vec<AtomicUsize>> = Arc::new((0..50).map(|_| AtomicUsize::new(0)).collect());
    let last_added: Arc<Vec<AtomicUsize>> = Arc::new((0..50).map(|_| AtomicUsize::new(0)).collect());
    let last_seen: Arc<Vec<AtomicUsize>> = Arc::new((0..50).map(|_| AtomicUsize::new(0)).collect());
    let mut workers = Vec::new();
    for _ in 0..8 {
        let (queue, busy) = (queue.clone(), Arc::clone(&busy));
        let (last_added, last_seen) = (Arc::clone(&last_added), Arc::clone(&last_seen));
        workers.push(tokio::spawn(async move {
            while let Some(item) = queue.get().await {
                let place: usize = *item;
                assert_eq!(busy[place].fetch_add(1, Ordering::SeqCst), 0);
                last_seen[place].store(last_added[place].load(Ordering::SeqCst), Ordering::SeqCst);
                tokio::task::yield_now().await;
                busy[place].fetch_sub(1, Ordering::SeqCst);
            }
        }));
    }
    let mut producers = Vec::new();
    for producer in 0..4 {
        let (queue, last_added) = (queue.clone(), Arc::clone(&last_added));
        producers.push(tokio::spawn(async move {
            for round in 0..2000 {
                let item = (round * 7 + producer) % 50;
                last_added[item].fetch_add(1, Ordering::SeqCst);
                queue.add(item);
                if round % 10 == 0 {
                    tokio::task::yield_now().await;
                }
            }
        }));
    }
    for producer in producers {
        producer.await.unwrap();
    }
    queue.shut_down_with_drain().await;
    for worker in workers {
        worker.await.unwrap();
    }
    for (added, seen) in last_added.iter().zip(last_seen.iter()) {
        assert_eq!(added.load(Ordering::SeqCst), seen.load(Ordering::SeqCst));
    }
}

#[tokio::test(start_paused = true)]
async fn a_queue_that_is_shut_down_hands_out_the_rest_and_takes_nothing_in() {
    let queue = Queue::new();
    queue.add("a");
    queue.add_after("late", SECOND);
    queue.shut_down();
    assert!(queue.is_shut_down());
    queue.add("b");
    queue.add_after("c", SECOND);
    assert_eq!(*next(&queue).await, "a");
    advance(2 * SECOND).await;
    assert!(queue.get().await.is_none());
}

#[tokio::test]
async fn a_drain_waits_for_items_that_are_processed_and_those_that_come_back() {
    let queue = Queue::new();
    queue.add("a");
    let taken = next(&queue).await;
    queue.add("a");
    let drain = tokio::spawn({
        let queue = queue.clone();
        async move { queue.shut_down_with_drain().await }
    });
    settle().await;
    drop(taken);
    settle().await;
    assert!(!drain.is_finished(), "the item is still to be worked on");
    let again = next(&queue).await;
    settle().await;
    assert!(!drain.is_finished(), "the item is worked on");
    drop(again);
    drain.await.unwrap();
}

#[tokio::test]
async fn shutting_down_ends_a_drain_that_waits() {
    let queue = Queue::new();
    queue.add("a");
    let _taken = next(&queue).await;
    let drain = tokio::spawn({
        let queue = queue.clone();
        async move { queue.shut_down_with_drain().await }
    });
    settle().await;
    assert!(!drain.is_finished());
    queue.shut_down();
    drain.await.unwrap();
}
