//! Watches: how many there are at a time: so many of each user, and so many in all. Masters are counted, and always
//! get theirs.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rhumb_schema::text::quoted;

use crate::base::failure::Failure;
use crate::base::identity::User;

/// After how many seconds who was refused a watch may ask again.
const COME_AGAIN: i32 = 5;

/// Bounds for watches; 0 for any number.
#[derive(Debug)]
pub(crate) struct WatchLimit {
    in_all: usize,
    per_user: usize,
    open: Arc<Mutex<Open>>,
}

/// The watches that there are.
#[derive(Debug, Default)]
struct Open {
    count: usize,
    by_user: HashMap<String, usize>,
}

/// A watch that is counted until this is dropped.
#[derive(Debug)]
pub(crate) struct OpenWatch {
    open: Arc<Mutex<Open>>,
    user: String,
}

impl Drop for OpenWatch {
    fn drop(&mut self) {
        let mut open = self.open.lock();
        open.count = open.count.saturating_sub(1);
        if let Some(count) = open.by_user.get_mut(&self.user) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                open.by_user.remove(&self.user);
            }
        }
    }
}

impl WatchLimit {
    /// So many in all, and so many of each user.
    pub(crate) fn new(in_all: usize, per_user: usize) -> Self {
        let any = |count| if count == 0 { usize::MAX } else { count };
        WatchLimit { in_all: any(in_all), per_user: any(per_user), open: Arc::default() }
    }

    /// Counts one more watch of a user, or says why there can't be one.
    pub(crate) fn admit(&self, user: &User) -> Result<OpenWatch, Failure> {
        let mut open = self.open.lock();
        let mine = open.by_user.get(&user.name).copied().unwrap_or_default();
        let refused = |why: String| Err(Failure::too_many_requests(why, COME_AGAIN));
        if !user.is_master() && mine >= self.per_user {
            let (name, most) = (quoted(user.name.as_bytes()), self.per_user);
            return refused(format!(
                "user {name} has {most} watches, and no user may have more; end some, or raise --max-watches-per-user"
            ));
        }
        if !user.is_master() && open.count >= self.in_all {
            let most = self.in_all;
            return refused(format!(
                "the server has {most} watches, and may have no more; try again later, or raise --max-watches"
            ));
        }
        open.count += 1;
        *open.by_user.entry(user.name.clone()).or_default() += 1;
        drop(open);
        Ok(OpenWatch { open: Arc::clone(&self.open), user: user.name.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::identity::MASTERS;

    fn user(name: &str, group: &str) -> User {
        User { name: name.to_owned(), groups: vec![group.to_owned()], ..User::default() }
    }

    #[test]
    fn users_have_so_many_watches_and_masters_any_number() {
        let limit = WatchLimit::new(5, 3);
        let why = |name: &str| limit.admit(&user(name, "")).unwrap_err().0.message.clone();
        let mut mine: Vec<_> = (0..3).map(|_| limit.admit(&user("a", "")).unwrap()).collect();
        assert!(why("a").ends_with("raise --max-watches-per-user"), "{}", why("a"));
        let others = [limit.admit(&user("b", "")).unwrap(), limit.admit(&user("b", "")).unwrap()];
        assert!(why("b").ends_with("raise --max-watches"), "{}", why("b"));
        let masters: Vec<_> = (0..10).map(|_| limit.admit(&user("m", MASTERS)).unwrap()).collect();
        drop(masters);
        mine.pop();
        assert!(limit.admit(&user("a", "")).is_ok());
        drop((mine, others));
        let open = limit.open.lock();
        assert!(open.count == 0 && open.by_user.is_empty());
    }

    #[test]
    fn nothing_bounds_watches_if_the_bound_is_none() {
        let limit = WatchLimit::new(0, 0);
        let open: Vec<_> = (0..1000).map(|_| limit.admit(&user("a", "")).is_ok()).collect();
        assert!(open.iter().all(|open| *open));
    }
}
