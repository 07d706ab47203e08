//! Turns for requests that are heavy: lists of everything, which keep a processor busy for as long as they are made
//! and sent. There are fewer turns than processors, so that whoever asks for something small finds one free, and users
//! who wait get them one after the other, however many requests each of them has waiting.
//!
//! A turn is for work, not for waiting: who has not done with it after a while, because the client reads slowly or the
//! store does, goes on without it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

/// How long a turn lasts at most.
const LONGEST_TURN: Duration = Duration::from_millis(100);
/// How long a request waits for its turn.
const LONGEST_WAIT: Duration = Duration::from_secs(15);
/// How many requests of one user wait.
const MOST_WAITING: usize = 500;

/// The turns that there are.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug)]
struct Shared {
    free: usize,
    /// Who waits; nobody is here without a request that does.
    waiting: HashMap<String, VecDeque<oneshot::Sender<Turn>>>,
    /// Whose turn is next, each user once.
    order: VecDeque<String>,
}

/// A turn; the next one has it when this is dropped, or after a while.
#[derive(Debug)]
pub(crate) struct Turn {
    held: Arc<Held>,
}

#[derive(Debug)]
struct Held {
    /// None when the turn was given back.
    of: Mutex<Option<Arc<Mutex<Shared>>>>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.held.give_back();
    }
}

impl Held {
    fn give_back(&self) {
        let Some(shared) = self.of.lock().take() else { return };
        let mut lost = Vec::new();
        {
            let mut state = shared.lock();
            state.free += 1;
            while state.free > 0 {
                let Some(next) = state.next() else { break };
                state.free -= 1;
                if let Err(turn) = next.send(Turn::new(&shared)) {
                    // Whoever waited has gone. The turn must not come back through this lock.
                    turn.held.of.lock().take();
                    state.free += 1;
                    lost.push(turn);
                }
            }
        }
        drop(lost);
    }
}

impl Turn {
    fn new(shared: &Arc<Mutex<Shared>>) -> Self {
        Turn { held: Arc::new(Held { of: Mutex::new(Some(Arc::clone(shared))) }) }
    }

    /// Lets the turn end after a while, whatever its holder does.
    fn begin(self) -> Self {
        let held = Arc::downgrade(&self.held);
        tokio::spawn(async move {
            sleep(LONGEST_TURN).await;
            if let Some(held) = held.upgrade() {
                held.give_back();
            }
        });
        self
    }
}

impl Shared {
    /// The first request of the next user.
    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
        let user = self.order.pop_front()?;
        let queue = self.waiting.get_mut(&user)?;
        let next = queue.pop_front();
        if queue.is_empty() {
            self.waiting.remove(&user);
        } else {
            self.order.push_back(user);
        }
        next
    }
}

impl Turns {
    /// For that many processors.
    pub(crate) fn new(processors: usize) -> Self {
        let free = processors.saturating_sub(1).max(1);
        let shared = Shared { free, waiting: HashMap::new(), order: VecDeque::new() };
        Turns { shared: Arc::new(Mutex::new(shared)) }
    }

    /// Waits for a turn of a user; none if too many wait, or it took too long.
    pub(crate) async fn take(&self, user: &str) -> Option<Turn> {
        let waiting = {
            let mut state = self.shared.lock();
            if state.free > 0 {
                state.free -= 1;
                None
            } else {
                let (sender, receiver) = oneshot::channel();
                let is_new = !state.waiting.contains_key(user);
                let queue = state.waiting.entry(user.to_owned()).or_default();
                // Those who were given up don't count, and there may be many of them.
                queue.retain(|waiting| !waiting.is_closed());
                if queue.len() >= MOST_WAITING {
                    return None;
                }
                queue.push_back(sender);
                if is_new {
                    state.order.push_back(user.to_owned());
                }
                Some(receiver)
            }
        };
        match waiting {
            None => Some(Turn::new(&self.shared).begin()),
            Some(receiver) => timeout(LONGEST_WAIT, receiver).await.ok()?.ok().map(Turn::begin),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn users_take_turns_however_much_each_of_them_wants() {
        let turns = Turns::new(2);
        let first = turns.take("greedy").await.unwrap();
        let order = Arc::new(Mutex::new(Vec::new()));
        let mut tasks = Vec::new();
        for name in ["greedy", "greedy", "greedy", "modest"] {
            let (turns, order) = (turns.clone(), Arc::clone(&order));
            tasks.push(tokio::spawn(async move {
                let turn = turns.take(name).await.unwrap();
                order.lock().push(name);
                drop(turn);
            }));
            tokio::task::yield_now().await;
        }
        assert!(order.lock().is_empty());
        drop(first);
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*order.lock(), ["greedy", "modest", "greedy", "greedy"]);
        assert_eq!(turns.shared.lock().free, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn turns_end_and_those_who_gave_up_get_none() {
        let turns = Turns::new(1);
        let slow = turns.take("slow").await.unwrap();
        let gone = tokio::spawn({
            let turns = turns.clone();
            async move { turns.take("gone").await }
        });
        tokio::task::yield_now().await;
        gone.abort();
        let other = turns.take("other").await;
        assert!(other.is_some());
        drop((slow, other));
        assert_eq!(turns.shared.lock().free, 1);
        assert!(turns.shared.lock().waiting.is_empty() && turns.shared.lock().order.is_empty());
    }
}
