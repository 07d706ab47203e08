//! Fair queue: turns for requests that are heavy. Users who wait get them one after the other, however many
//! requests each of them has waiting.
//!
//! Lists of everything keep a processor busy for as long as they are made and sent. There are fewer turns for them
//! than processors, so that whoever asks for something small finds one free. Such a turn is for work, not for
//! waiting: who has not done with it after a while, because the client reads slowly or the store does, goes on
//! without it ([`Turn::for_a_while`]). The pool for long work ([`crate::filters::flow_control::work_pool`]) has
//! turns that last.

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

/// How many of the turns one user may have at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    /// All of them.
    All,
    /// Half of them, so that others never wait for one user's work to end.
    Half,
}

/// The turns that there are.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    shared: Arc<Mutex<Shared>>,
}

#[derive(Debug)]
struct Shared {
    free: usize,
    /// How many a user may have.
    share: usize,
    /// How many each user has; nobody is here without one.
    taken: HashMap<String, usize>,
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
    /// Whose it is.
    user: String,
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
            state.give_back(&self.user);
            while let Some((user, next)) = state.next() {
                state.take(&user);
                if let Err(turn) = next.send(Turn::new(&shared, &user)) {
                    // Whoever waited has gone. The turn must not come back through this lock.
                    turn.held.of.lock().take();
                    state.give_back(&user);
                    lost.push(turn);
                }
            }
        }
        drop(lost);
    }
}

impl Turn {
    fn new(shared: &Arc<Mutex<Shared>>, user: &str) -> Self {
        let of = Mutex::new(Some(Arc::clone(shared)));
        Turn { held: Arc::new(Held { user: user.to_owned(), of }) }
    }

    /// Lets the turn end after a while, whatever its holder does.
    pub(crate) fn for_a_while(self) -> Self {
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
    /// Whether a user may have one more now.
    fn is_free_for(&self, user: &str) -> bool {
        self.free > 0 && self.taken.get(user).copied().unwrap_or(0) < self.share
    }

    fn take(&mut self, user: &str) {
        self.free -= 1;
        match self.taken.get_mut(user) {
            Some(count) => *count += 1,
            None => {
                self.taken.insert(user.to_owned(), 1);
            }
        }
    }

    fn give_back(&mut self, user: &str) {
        self.free += 1;
        if let Some(count) = self.taken.get_mut(user) {
            *count -= 1;
            if *count == 0 {
                self.taken.remove(user);
            }
        }
    }

    /// The first request of the next user who may have a turn.
    fn next(&mut self) -> Option<(String, oneshot::Sender<Turn>)> {
        let at = self.order.iter().position(|user| self.is_free_for(user))?;
        let user = self.order.remove(at)?;
        let queue = self.waiting.get_mut(&user)?;
        let next = queue.pop_front()?;
        if queue.is_empty() {
            self.waiting.remove(&user);
        } else {
            self.order.push_back(user.clone());
        }
        Some((user, next))
    }
}

impl Turns {
    /// So many turns.
    pub(crate) fn new(count: usize, share: Share) -> Self {
        let share = match share {
            Share::All => count,
            Share::Half => count.div_ceil(2),
        };
        let shared = Shared {
            free: count,
            share,
            taken: HashMap::new(),
            waiting: HashMap::new(),
            order: VecDeque::new(),
        };
        Turns { shared: Arc::new(Mutex::new(shared)) }
    }

    /// Turns for lists on so many processors: one fewer than there are.
    pub(crate) fn of_lists(processors: usize) -> Self {
        Turns::new(processors.saturating_sub(1).max(1), Share::All)
    }

    /// Waits for a turn of a user; none if too many wait, or it took too long.
    pub(crate) async fn take(&self, user: &str) -> Option<Turn> {
        let waiting = {
            let mut state = self.shared.lock();
            if state.is_free_for(user) {
                state.take(user);
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
            None => Some(Turn::new(&self.shared, user)),
            Some(receiver) => timeout(LONGEST_WAIT, receiver).await.ok()?.ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn users_take_turns_however_much_each_of_them_wants() {
        let turns = Turns::of_lists(2);
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
    async fn a_user_with_its_share_waits_though_there_are_turns_and_others_do_not() {
        let turns = Turns::new(4, Share::Half);
        let mut held = Vec::new();
        for _ in 0..2 {
            held.push(turns.take("greedy").await.unwrap());
        }
        let waiting = tokio::spawn({
            let turns = turns.clone();
            async move { turns.take("greedy").await.map(drop) }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        let other = turns.take("modest").await.unwrap();
        assert!(!waiting.is_finished());
        drop(held.pop());
        assert_eq!(waiting.await.unwrap(), Some(()));
        drop((held, other));
        let shared = turns.shared.lock();
        assert_eq!((shared.free, shared.taken.len(), shared.waiting.len()), (4, 0, 0));
    }

    #[tokio::test(start_paused = true)]
    async fn turns_end_and_those_who_gave_up_get_none() {
        let turns = Turns::of_lists(1);
        let slow = turns.take("slow").await.unwrap().for_a_while();
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
