//! Max in flight: how many requests are answered at a time: so many that read, and so many that change something.
//! Those beyond are told to come again, but masters always get an answer. Nobody else gets more than half of the
//! places, so that one client alone never keeps all others out. Requests without an end of their own are not counted.

use std::collections::HashMap;
use std::sync::Arc;

use http::header::RETRY_AFTER;
use http::{HeaderValue, Response, StatusCode};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::base::identity::User;
use crate::base::metrics::RequestKind;
use crate::base::plain::Plain;
use crate::base::response::Body;

/// The places that there are for requests.
#[derive(Debug)]
pub(crate) struct Limits {
    reading: Places,
    mutating: Places,
}

#[derive(Debug)]
struct Places {
    free: Arc<Semaphore>,
    /// How many of them each user has.
    taken: Arc<Mutex<HashMap<String, usize>>>,
    /// How many a user may have.
    share: usize,
}

/// A request's place; another may have it when this is dropped. Masters may do without one.
#[derive(Debug)]
pub(crate) struct Admitted {
    _place: Option<OwnedSemaphorePermit>,
    _share: Option<Share>,
}

/// One of the places that a user has.
#[derive(Debug)]
struct Share {
    taken: Arc<Mutex<HashMap<String, usize>>>,
    user: String,
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.taken.lock();
        if let Some(count) = taken.get_mut(&self.user) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                taken.remove(&self.user);
            }
        }
    }
}

impl Places {
    /// So many; 0 for any number.
    fn new(count: usize) -> Self {
        let count = if count == 0 { Semaphore::MAX_PERMITS } else { count.min(Semaphore::MAX_PERMITS) };
        Places { free: Arc::new(Semaphore::new(count)), taken: Arc::default(), share: count.div_ceil(2) }
    }

    fn admit(&self, user: &User) -> Option<Admitted> {
        let place = Arc::clone(&self.free).try_acquire_owned().ok();
        if user.is_master() {
            return Some(Admitted { _place: place, _share: None });
        }
        place.as_ref()?;
        let mut taken = self.taken.lock();
        match taken.get_mut(&user.name) {
            Some(count) if *count >= self.share => return None,
            Some(count) => *count += 1,
            None => {
                taken.insert(user.name.clone(), 1);
            }
        }
        let share = Share { taken: Arc::clone(&self.taken), user: user.name.clone() };
        Some(Admitted { _place: place, _share: Some(share) })
    }
}

impl Limits {
    /// So many places for requests that read and for those that change something; 0 for any number.
    pub(crate) fn new(reading: usize, mutating: usize) -> Self {
        Limits { reading: Places::new(reading), mutating: Places::new(mutating) }
    }

    /// Takes a place, if there is one.
    pub(crate) fn admit(&self, kind: RequestKind, user: &User) -> Option<Admitted> {
        match kind {
            RequestKind::ReadOnly => self.reading.admit(user),
            RequestKind::Mutating => self.mutating.admit(user),
        }
    }
}

/// The answer to those for whom there is no place.
pub(crate) fn too_many() -> Response<Body> {
    let text = "Too many requests, please try again later.";
    let mut response = Response::from(Plain::error(StatusCode::TOO_MANY_REQUESTS, text));
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::identity::MASTERS;

    fn user(name: &str, group: &str) -> User {
        User { name: name.to_owned(), groups: vec![group.to_owned()], ..User::default() }
    }

    #[test]
    fn only_masters_get_in_when_all_places_are_taken() {
        let limits = Limits::new(4, 4);
        let (one, two, three) = (user("one", ""), user("two", ""), user("three", ""));
        let admit = |user: &User| limits.admit(RequestKind::Mutating, user);
        let mut taken: Vec<_> =
            [&one, &one, &two, &two].into_iter().map(|user| admit(user).unwrap()).collect();
        assert!(admit(&three).is_none());
        assert!(admit(&user("admin", MASTERS)).is_some());
        assert!(limits.admit(RequestKind::ReadOnly, &three).is_some());
        taken.pop();
        assert!(admit(&three).is_some());
    }

    #[test]
    fn one_user_leaves_places_for_others() {
        let limits = Limits::new(5, 0);
        let (one, two) = (user("one", ""), user("two", ""));
        let admit = |user: &User| limits.admit(RequestKind::ReadOnly, user);
        let mut taken: Vec<_> = (0..3).map(|_| admit(&one).unwrap()).collect();
        assert!(admit(&one).is_none());
        let other = admit(&two).unwrap();
        taken.pop();
        assert!(admit(&one).is_some());
        drop((taken, other));
        assert!(limits.reading.taken.lock().is_empty());
        let many: Vec<_> = (0..10_000).map(|_| limits.admit(RequestKind::Mutating, &one)).collect();
        assert!(many.iter().all(Option::is_some));
    }
}
