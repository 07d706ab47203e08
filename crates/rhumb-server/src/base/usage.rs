//! How much of something users have at a time, and bounds for that: so much each, and so much all together.
//!
//! A bound for all together is shared out so that nobody finds nothing left: a user gets no more than is free after
//! that, and a little is everybody's. Masters are counted, and never refused.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::base::identity::User;

/// How often who waits looks for what others than the same user gave back.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Bounds for something that users have.
#[derive(Clone, Debug)]
pub(crate) struct UsageLimit {
    total: Arc<Total>,
}

#[derive(Debug)]
struct Total {
    per_user: usize,
    in_all: usize,
    /// What everybody may have, however much the others do.
    floor: usize,
    taken: AtomicUsize,
    users: Mutex<HashMap<String, Weak<UserUsage>>>,
}

/// Whose usage is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Consumer {
    name: String,
    is_master: bool,
}

impl From<&User> for Consumer {
    fn from(user: &User) -> Self {
        Consumer { name: user.name.clone(), is_master: user.is_master() }
    }
}

impl Consumer {
    /// The user's name.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// What one user has.
#[derive(Clone, Debug)]
pub(crate) struct Usage {
    user: Arc<UserUsage>,
    is_master: bool,
}

#[derive(Debug)]
struct UserUsage {
    total: Arc<Total>,
    name: String,
    taken: AtomicUsize,
    /// Rung when something was given back.
    freed: Notify,
}

/// Something that is taken, until this is dropped.
#[derive(Debug)]
pub(crate) struct Taken {
    user: Arc<UserUsage>,
    amount: usize,
}

impl UsageLimit {
    /// So much for each user, and so much for all together.
    pub(crate) fn new(per_user: usize, in_all: usize, floor: usize) -> Self {
        let total = Total { per_user, in_all, floor, taken: AtomicUsize::new(0), users: Mutex::default() };
        UsageLimit { total: Arc::new(total) }
    }

    /// What a user has.
    pub(crate) fn of(&self, consumer: &Consumer) -> Usage {
        let mut users = self.total.users.lock();
        let found = users.get(&consumer.name).and_then(Weak::upgrade).unwrap_or_else(|| {
            let (total, name) = (Arc::clone(&self.total), consumer.name.clone());
            let made = UserUsage { total, name, taken: AtomicUsize::new(0), freed: Notify::new() };
            let made = Arc::new(made);
            users.insert(consumer.name.clone(), Arc::downgrade(&made));
            made
        });
        Usage { user: found, is_master: consumer.is_master }
    }

    /// Whether a user has as much as it may. Most have nothing, and nothing is made for them.
    pub(crate) fn is_full(&self, consumer: &Consumer) -> bool {
        let found = self.total.users.lock().get(&consumer.name).and_then(Weak::upgrade);
        found.is_some_and(|user| Usage { user, is_master: consumer.is_master }.is_full())
    }
}

impl Drop for UserUsage {
    fn drop(&mut self) {
        let mut users = self.total.users.lock();
        // Meanwhile the user may have come back, under the same name.
        if users.get(&self.name).is_some_and(|known| known.strong_count() == 0) {
            users.remove(&self.name);
        }
    }
}

impl UserUsage {
    /// How much the user may have beside what others do.
    fn bound(&self, mine: usize) -> usize {
        let total = &self.total;
        let others = total.taken.load(Ordering::Relaxed).saturating_sub(mine);
        // As much as is free when this is taken.
        total.per_user.min(total.in_all.saturating_sub(others) / 2).max(total.floor)
    }

    fn give_back(&self, amount: usize) {
        self.total.taken.fetch_sub(amount, Ordering::Relaxed);
        self.taken.fetch_sub(amount, Ordering::Relaxed);
    }
}

impl Usage {
    /// Whether the user has as much as it may.
    pub(crate) fn is_full(&self) -> bool {
        let mine = self.user.taken.load(Ordering::Relaxed);
        !self.is_master && mine > 0 && mine >= self.user.bound(mine)
    }

    /// Takes so much, whatever the bounds are.
    pub(crate) fn take(&self, amount: usize) -> Taken {
        self.user.taken.fetch_add(amount, Ordering::Relaxed);
        self.user.total.taken.fetch_add(amount, Ordering::Relaxed);
        Taken { user: Arc::clone(&self.user), amount }
    }

    /// Takes so much, if it is within the bounds. Who has nothing may take one thing however large it is.
    pub(crate) fn try_take(&self, amount: usize) -> Option<Taken> {
        let mine = self.user.taken.fetch_add(amount, Ordering::Relaxed).saturating_add(amount);
        self.user.total.taken.fetch_add(amount, Ordering::Relaxed);
        if self.is_master || mine == amount || mine <= self.user.bound(mine) {
            return Some(Taken { user: Arc::clone(&self.user), amount });
        }
        self.user.give_back(amount);
        None
    }

    /// Waits until so much can be taken, but no longer than this.
    pub(crate) async fn wait(&self, amount: usize, patience: Duration) -> Option<Taken> {
        timeout(patience, async {
            loop {
                match self.try_take(amount) {
                    Some(taken) => {
                        // What was given back may be enough for the next one, too.
                        self.user.freed.notify_one();
                        return taken;
                    }
                    None => drop(timeout(LOOK_AGAIN, self.user.freed.notified()).await),
                }
            }
        })
        .await
        .ok()
    }

    /// Waits until there is room, but no longer than this. Says whether there is.
    pub(crate) async fn room(&self, patience: Duration) -> bool {
        let found = timeout(patience, async {
            while self.is_full() {
                let _ = timeout(LOOK_AGAIN, self.user.freed.notified()).await;
            }
        });
        let is_found = found.await.is_ok();
        self.user.freed.notify_one();
        is_found
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.user.give_back(self.amount);
        self.user.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::identity::MASTERS;

    fn user(name: &str, group: &str) -> Consumer {
        (&User { name: name.to_owned(), groups: vec![group.to_owned()], ..User::default() }).into()
    }

    #[test]
    fn a_user_has_no_more_than_its_share_and_leaves_something_for_others() {
        let limit = UsageLimit::new(60, 100, 10);
        let (one, two, three) =
            (limit.of(&user("a", "")), limit.of(&user("b", "")), limit.of(&user("c", "")));
        let first = one.try_take(50).unwrap();
        assert!(one.try_take(1).is_none() && one.is_full(), "no more than what is free after it");
        let second = two.try_take(25).unwrap();
        assert!(two.try_take(1).is_none());
        let _third = three.try_take(12).unwrap();
        let _most = limit.of(&user("d", "")).try_take(10).unwrap();
        assert!(limit.of(&user("admin", MASTERS)).try_take(1000).is_some());
        drop((first, second));
        assert!(one.try_take(40).is_some());
    }

    #[test]
    fn one_thing_may_be_larger_than_a_share_and_those_who_have_nothing_are_forgotten() {
        let limit = UsageLimit::new(60, 100, 10);
        let usage = limit.of(&user("a", ""));
        let large = usage.try_take(1000).unwrap();
        assert!(usage.is_full() && limit.is_full(&user("a", "")) && usage.try_take(1).is_none());
        assert!(!limit.is_full(&user("b", "")));
        drop(large);
        assert!(!usage.is_full());
        drop(usage);
        assert!(limit.total.users.lock().is_empty());
        assert_eq!(limit.total.taken.load(Ordering::Relaxed), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_goes_on_when_something_is_given_back() {
        let limit = UsageLimit::new(10, 100, 1);
        let usage = limit.of(&user("a", ""));
        let first = usage.take(8);
        let waiting = tokio::spawn({
            let usage = usage.clone();
            async move { usage.wait(5, Duration::from_secs(10)).await.is_some() }
        });
        tokio::task::yield_now().await;
        assert!(usage.wait(5, Duration::from_secs(1)).await.is_none());
        drop(first);
        assert!(waiting.await.unwrap());
        let _more = usage.take(20);
        assert!(!usage.room(Duration::from_secs(1)).await);
    }
}
