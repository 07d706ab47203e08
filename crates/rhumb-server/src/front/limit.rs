//! How many requests are answered at a time: so many that read, and so many that change something. Those
//! beyond are told to come again, but masters always get an answer. Requests without an end of their own are
//! not counted.

use std::sync::Arc;

use http::header::RETRY_AFTER;
use http::{HeaderValue, Response, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Body;
use super::metrics::RequestKind;
use super::respond::Plain;

/// How many requests that read are answered at a time.
const READING: usize = 400;
/// How many requests that may change something are answered at a time.
const MUTATING: usize = 200;

/// The places that there are for requests.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    reading: Arc<Semaphore>,
    mutating: Arc<Semaphore>,
}

/// A request's place; another may have it when this is dropped. Masters may do without one.
#[derive(Debug)]
pub(crate) struct Admitted {
    _place: Option<OwnedSemaphorePermit>,
}

/// Whether a sender has to wait for a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    Master,
    Other,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { reading: Arc::new(Semaphore::new(READING)), mutating: Arc::new(Semaphore::new(MUTATING)) }
    }
}

impl Limits {
    /// Takes a place, if there is one.
    pub(crate) fn admit(&self, kind: RequestKind, sender: Sender) -> Option<Admitted> {
        let places = match kind {
            RequestKind::ReadOnly => &self.reading,
            RequestKind::Mutating => &self.mutating,
        };
        let place = Arc::clone(places).try_acquire_owned().ok();
        (place.is_some() || sender == Sender::Master).then_some(Admitted { _place: place })
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

    #[test]
    fn only_masters_get_in_when_all_places_are_taken() {
        let limits = Limits::default();
        let admit = |kind, sender| limits.admit(kind, sender);
        let mut taken: Vec<_> =
            (0..MUTATING).map(|_| admit(RequestKind::Mutating, Sender::Other).unwrap()).collect();
        assert!(admit(RequestKind::Mutating, Sender::Other).is_none());
        assert!(admit(RequestKind::Mutating, Sender::Master).is_some());
        assert!(admit(RequestKind::ReadOnly, Sender::Other).is_some());
        taken.pop();
        assert!(admit(RequestKind::Mutating, Sender::Other).is_some());
    }
}
