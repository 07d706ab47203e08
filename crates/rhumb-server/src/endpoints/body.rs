//! Reads bodies of requests, and bounds how many bytes of them users have in memory at a time. Small bodies are not
//! counted: there are no more of them than places for requests. A large one takes its whole length before it is
//! read, and waits for that; what the client sends meanwhile stays in the network.

use http::Version;
use http::header;
use http::request::Parts;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Frame, SizeHint};

use crate::base::failure::{Failure, Outcome};
use crate::base::identity::User;
use crate::base::usage::{Consumer, Taken, Usage, UsageLimit};

/// The largest body that is read.
pub(crate) const LARGEST_BODY: usize = 3 * 1024 * 1024;
/// The largest body that is read though nobody wants it.
const LARGEST_SKIPPED: usize = 256 * 1024;
/// How many bytes of bodies a user has in memory.
const PER_USER: usize = 32 << 20;
/// How many bytes of bodies are in memory.
const IN_ALL: usize = 128 << 20;
/// How much of a body is read before it is counted.
const SMALL: usize = 64 << 10;
/// How long a body waits until there is memory for it.
const PATIENCE: Duration = Duration::from_secs(15);

/// A bound for the bodies that are being read and worked with.
#[derive(Clone, Debug)]
pub(crate) struct BodyLimit(UsageLimit);

/// The bodies of one user.
#[derive(Clone, Debug)]
pub(crate) struct BodyUsage {
    limit: UsageLimit,
    consumer: Consumer,
}

/// What was taken for a body that was read; it is to be kept for as long as the body is.
pub(crate) type BodyTaken = Arc<OnceLock<Taken>>;

impl Default for BodyLimit {
    fn default() -> Self {
        BodyLimit(UsageLimit::new(PER_USER, IN_ALL, LARGEST_BODY))
    }
}

impl BodyLimit {
    /// The bodies of a user.
    pub(crate) fn of(&self, user: &User) -> BodyUsage {
        BodyUsage { limit: self.0.clone(), consumer: user.into() }
    }
}

/// There was no memory for a body for too long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooManyBodies;

impl fmt::Display for TooManyBodies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = PER_USER >> 20;
        write!(
            f,
            "too many large requests of this user are being read; at most {most} MiB of bodies are, please try again later"
        )
    }
}

impl Error for TooManyBodies {}

/// A body that is read as far as there is memory for it. The other half of the answer has what was taken.
pub(crate) fn bounded<B>(body: B, usage: Option<&BodyUsage>) -> (Bounded<B>, BodyTaken)
where
    B: http_body::Body<Data = Bytes>,
{
    let taken = BodyTaken::default();
    let upper = body.size_hint().upper().and_then(|upper| usize::try_from(upper).ok());
    let length = upper.map_or(LARGEST_BODY, |upper| upper.min(LARGEST_BODY));
    let is_known = upper.is_some();
    let state = match usage {
        Some(usage) if length > SMALL => {
            let usage = usage.limit.of(&usage.consumer);
            State::Counted { usage, length, is_known, seen: 0 }
        }
        _ => State::Free,
    };
    (Bounded { body: Box::pin(body), state, taken: Arc::clone(&taken) }, taken)
}

/// A body that takes memory as it is read.
pub(crate) struct Bounded<B> {
    body: Pin<Box<B>>,
    state: State,
    taken: BodyTaken,
}

enum State {
    /// Nothing more is to be taken.
    Free,
    /// Something is to be taken, at once if the length is known, or when more has come than a small body has.
    Counted { usage: Usage, length: usize, is_known: bool, seen: usize },
    /// Waits for memory.
    Waiting(Pin<Box<dyn Future<Output = Option<Taken>> + Send>>),
}

impl<B> http_body::Body for Bounded<B>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let this = &mut *self;
        if let State::Counted { usage, length, is_known, seen } = &this.state
            && (*is_known || *seen >= SMALL)
        {
            let (usage, length) = (usage.clone(), *length);
            this.state = State::Waiting(Box::pin(async move { usage.wait(length, PATIENCE).await }));
        }
        if let State::Waiting(waiting) = &mut this.state {
            let Some(taken) = ready!(waiting.as_mut().poll(context)) else {
                this.state = State::Free;
                return Poll::Ready(Some(Err(TooManyBodies.into())));
            };
            // It is taken once.
            let _ = this.taken.set(taken);
            this.state = State::Free;
        }
        let frame = ready!(this.body.as_mut().poll_frame(context));
        if let (State::Counted { seen, .. }, Some(Ok(frame))) = (&mut this.state, &frame) {
            *seen += frame.data_ref().map_or(0, Bytes::len);
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Reads a body, up to a limit.
pub(crate) async fn read_body<B>(body: B, limit: usize) -> Outcome<Bytes>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.downcast_ref::<LengthLimitError>().is_some() => Err(Failure::too_large(limit)),
        Err(error) if error.is::<TooManyBodies>() => Err(Failure::too_many_requests(error.to_string(), 1)),
        Err(error) => Err(Failure::bad_request(error.to_string())),
    }
}

/// Reads what a request brought that is answered without it. A connection of HTTP/1.1 can't be used again otherwise,
/// and the client would learn of that only when it tries; on HTTP/2 some clients take it for an error if nobody waits
/// for what they send.
pub(crate) async fn skip_body<B>(parts: &Parts, body: B)
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    // Who asks before sending has not sent anything.
    let is_asking = parts.headers.contains_key(header::EXPECT);
    if parts.version >= Version::HTTP_11 && !is_asking && !body.is_end_stream() {
        let mut body = std::pin::pin!(body);
        let mut skipped = 0;
        while let Some(Ok(frame)) = body.frame().await {
            skipped += frame.data_ref().map_or(0, Bytes::len);
            if skipped > LARGEST_SKIPPED {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::{BodyExt, Full};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn large_bodies_wait_until_others_of_their_user_are_done_with() {
        let limit = BodyLimit::default();
        let usage = limit.of(&User { name: "a".to_owned(), ..User::default() });
        let body = |length: usize| Full::new(Bytes::from(vec![0; length]));
        let mut held = Vec::new();
        for _ in 0..PER_USER / LARGEST_BODY {
            let (read, taken) = bounded(body(LARGEST_BODY), Some(&usage));
            assert_eq!(read.collect().await.unwrap().to_bytes().len(), LARGEST_BODY);
            held.push(taken);
        }
        let (refused, _taken) = bounded(body(LARGEST_BODY), Some(&usage));
        assert!(refused.collect().await.unwrap_err().is::<TooManyBodies>());
        let (small, _taken) = bounded(body(SMALL), Some(&usage));
        assert_eq!(small.collect().await.unwrap().to_bytes().len(), SMALL, "small ones don't wait");
        let other = limit.of(&User { name: "b".to_owned(), ..User::default() });
        let (theirs, _taken) = bounded(body(LARGEST_BODY), Some(&other));
        assert_eq!(theirs.collect().await.unwrap().to_bytes().len(), LARGEST_BODY);
        let (waiting, _taken) = bounded(body(LARGEST_BODY), Some(&usage));
        let waiting = tokio::spawn(async move { waiting.collect().await.is_ok() });
        tokio::task::yield_now().await;
        held.pop();
        assert!(waiting.await.unwrap());
    }
}
