//! Parts of a list decoded in parallel, a few at a time, with results in order.

use std::collections::VecDeque;
use std::num::NonZero;
use std::thread::available_parallelism;

use bytes::Bytes;
use tokio::task::{JoinHandle, spawn_blocking};

/// Maximum number of threads; more would wait for the one that decrypts.
const MOST: usize = 4;

/// Parts being decoded to `R`.
pub(super) struct Parts<R> {
    under_way: VecDeque<(Bytes, JoinHandle<R>)>,
    /// Number of parts decoded at a time, which bounds memory.
    most: usize,
    read: fn(&[u8]) -> R,
}

impl<R: Send + 'static> Parts<R> {
    /// Parts that are read by a function.
    pub(super) fn new(read: fn(&[u8]) -> R) -> Self {
        let most = available_parallelism().map_or(1, NonZero::get).min(MOST);
        Parts { under_way: VecDeque::with_capacity(most + 1), most, read }
    }

    /// Has one more read.
    pub(super) fn begin(&mut self, part: Bytes) {
        let (read, bytes) = (self.read, part.clone());
        self.under_way.push_back((part, spawn_blocking(move || read(&bytes))));
    }

    /// Reports whether as many are being read as shall be: take the first before another begins.
    pub(super) fn is_full(&self) -> bool {
        self.under_way.len() >= self.most
    }

    /// Returns the oldest part with its result.
    pub(super) async fn next(&mut self) -> Option<(Bytes, R)> {
        let (_, reading) = self.under_way.front_mut()?;
        let outcome = reading.await;
        let (part, _) = self.under_way.pop_front()?;
        // A thread that gave up leaves the work to the caller: then it fails here, or it was the runtime that ends.
        let read = outcome.unwrap_or_else(|_| (self.read)(&part));
        Some((part, read))
    }

    /// Cancels all parts that were not taken yet, and returns them in order.
    pub(super) fn take_back(&mut self) -> impl Iterator<Item = Bytes> {
        self.under_way.drain(..).map(|(part, reading)| {
            reading.abort();
            part
        })
    }
}

impl<R> Drop for Parts<R> {
    /// Cancels parts that no thread has started.
    fn drop(&mut self) {
        self.under_way.iter().for_each(|(_, reading)| reading.abort());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// Whether the second part was decoded.
    static SECOND: AtomicBool = AtomicBool::new(false);

    /// Reads the first part no sooner than the second.
    fn second_first(part: &[u8]) -> u8 {
        let number = part[0];
        while number == 0 && !SECOND.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        SECOND.fetch_or(number == 1, Ordering::Release);
        number
    }

    #[tokio::test]
    async fn parts_keep_their_order() {
        let mut parts = Parts::new(second_first);
        assert!(!parts.is_full() && parts.next().await.is_none());
        for number in 0..MOST as u8 {
            parts.begin(Bytes::from(vec![number]));
        }
        assert!(parts.is_full());
        for number in 0..3 {
            assert_eq!(parts.next().await, Some((Bytes::from(vec![number]), number)));
        }
        let rest: Vec<Bytes> = parts.take_back().collect();
        assert_eq!(rest, [Bytes::from(vec![3])]);
        assert!(parts.next().await.is_none());
    }

    #[tokio::test]
    #[should_panic = "no number"]
    async fn who_wants_a_part_sees_what_failed() {
        let mut parts = Parts::new(|part| assert!(part[0].is_ascii_digit(), "no number"));
        parts.begin(Bytes::from_static(b"7"));
        parts.begin(Bytes::from_static(b"x"));
        assert!(parts.next().await.is_some());
        parts.next().await;
    }
}
