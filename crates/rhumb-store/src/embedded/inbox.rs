//! Where requests wait for the writer.
//!
//! A channel would wake the writer for every request, although it only goes to work when many are there. Here it says
//! how many it waits for, and is woken once.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::writer::Request;
use crate::error::StoreError;

/// Requests that nobody has taken yet.
#[derive(Default)]
pub(super) struct Inbox {
    waiting: Mutex<Waiting>,
    bell: Condvar,
}

#[derive(Default)]
struct Waiting {
    requests: VecDeque<Request>,
    /// How many the writer waits for.
    wanted: usize,
    /// Whether the writer is to end, or has.
    ending: bool,
}

impl Inbox {
    /// Asks for something.
    pub(super) fn send(&self, request: Request) -> Result<(), StoreError> {
        let mut waiting = self.waiting.lock();
        if waiting.ending {
            return Err(StoreError::Closed);
        }
        waiting.requests.push_back(request);
        if waiting.requests.len() >= waiting.wanted {
            drop(waiting);
            self.bell.notify_one();
        }
        Ok(())
    }

    /// Has the writer end once it is done with what was asked for so far. Nothing more is taken.
    pub(super) fn end(&self) {
        self.waiting.lock().ending = true;
        self.bell.notify_one();
    }
}

/// The writer's side. When it goes, whoever still waits and whoever asks later learns that the store is closed.
pub(super) struct Taker(pub(super) Arc<Inbox>);

impl Taker {
    /// Waits until so many requests are there, for some time at most if there is a limit, or until the end is near.
    /// Answers with how many there are.
    pub(super) fn wait(&self, wanted: usize, limit: Option<Duration>) -> usize {
        let mut waiting = self.0.waiting.lock();
        waiting.wanted = wanted;
        if waiting.requests.len() < wanted && !waiting.ending {
            match limit {
                Some(limit) => drop(self.0.bell.wait_for(&mut waiting, limit)),
                None => self.0.bell.wait(&mut waiting),
            }
        }
        waiting.requests.len()
    }

    /// How many requests are there.
    pub(super) fn len(&self) -> usize {
        self.0.waiting.lock().requests.len()
    }

    /// Takes requests, the earliest first, for as long as a condition holds. Says whether there may be more.
    pub(super) fn take(&self, mut more: impl FnMut(&Request) -> bool) -> (Vec<Request>, bool) {
        let mut waiting = self.0.waiting.lock();
        let count = waiting.requests.iter().take_while(|request| more(request)).count();
        let taken = waiting.requests.drain(..count).collect();
        (taken, !waiting.ending || !waiting.requests.is_empty())
    }
}

impl Drop for Taker {
    fn drop(&mut self) {
        let mut waiting = self.0.waiting.lock();
        waiting.ending = true;
        let left = std::mem::take(&mut waiting.requests);
        drop(waiting);
        // Whose reply is dropped learns it by that.
        drop(left);
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::oneshot;

    use super::*;
    use crate::revision::Revision;

    fn request() -> Request {
        Request::Compact(Revision(1), oneshot::channel().0)
    }

    #[test]
    fn a_taker_is_woken_when_as_many_are_there_as_it_waits_for() {
        let inbox = Arc::new(Inbox::default());
        let taker = Taker(Arc::clone(&inbox));
        for _ in 0..2 {
            inbox.send(request()).unwrap();
        }
        assert_eq!(taker.wait(3, Some(Duration::from_millis(1))), 2);
        let waiter = std::thread::spawn(move || (taker.wait(3, None), taker));
        inbox.send(request()).unwrap();
        let (count, taker) = waiter.join().unwrap();
        assert_eq!((count, taker.len()), (3, 3));
        let mut room = [true, true].into_iter();
        let (taken, more) = taker.take(|_| room.next().is_some());
        assert_eq!((taken.len(), taker.len(), more), (2, 1, true));
    }

    #[test]
    fn what_was_asked_for_before_the_end_is_still_taken() {
        let inbox = Arc::new(Inbox::default());
        let taker = Taker(Arc::clone(&inbox));
        assert_eq!(taker.wait(1, Some(Duration::from_millis(1))), 0);
        inbox.send(request()).unwrap();
        inbox.end();
        assert_eq!(taker.wait(9, None), 1);
        let (taken, more) = taker.take(|_| true);
        assert_eq!((taken.len(), more), (1, false));
        assert_eq!(inbox.send(request()), Err(StoreError::Closed));
    }

    #[test]
    fn whoever_waits_when_the_taker_goes_learns_it() {
        let inbox = Arc::new(Inbox::default());
        let (reply, mut answer) = oneshot::channel();
        let taker = Taker(Arc::clone(&inbox));
        inbox.send(Request::Compact(Revision(1), reply)).unwrap();
        drop(taker);
        assert!(matches!(answer.try_recv(), Err(oneshot::error::TryRecvError::Closed)));
        assert_eq!(inbox.send(request()), Err(StoreError::Closed));
    }
}
