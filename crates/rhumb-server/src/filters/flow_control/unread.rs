//! Unread responses: how many bytes of them there are for each user.
//!
//! An answer is counted from when it is made until its last byte was handed to the network, wherever it waits: in the
//! handler's body, or in the connection. Only copies of one's own count, not forms that many share. Who doesn't read
//! is asked to do that before there is more: requests are refused, and streams wait with going on, and end if nothing
//! is read for long.
//!
//! What watches have to send is counted apart, shared or not: many that are told of one change wait for each other,
//! but are never refused for that. A watch that waits has nothing but its place in the log.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use http::header::RETRY_AFTER;
use http::{HeaderValue, Response};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::BodyExt;
use rhumb_schema::text::quoted;

use crate::base::data::Data;
use crate::base::failure::Failure;
use crate::base::identity::User;
use crate::base::metrics::RequestKind;
use crate::base::response::Body;
use crate::base::usage::{Consumer, Taken, Usage, UsageLimit};
use crate::endpoints::request_info::RequestInfo;
use crate::filters::refusal::Asked;

/// How many bytes of answers wait for a user.
const PER_USER: usize = 64 << 20;
/// How many bytes of answers wait.
const IN_ALL: usize = 192 << 20;
/// How many bytes of changes wait for a user.
const CHANGES_PER_USER: usize = 32 << 20;
/// How many bytes of changes wait.
const CHANGES_IN_ALL: usize = 128 << 20;
/// How many bytes wait for everybody, whatever others leave unread.
const FLOOR: usize = 1 << 20;
/// Smaller answers are not counted.
const SMALL: usize = 4 << 10;
/// How long a stream waits with going on.
const PATIENCE: Duration = Duration::from_secs(30);

/// Bounds for answers that wait to be read.
#[derive(Clone, Debug)]
pub(crate) struct Unread {
    answers: UsageLimit,
    changes: UsageLimit,
}

/// What a user leaves unread.
#[derive(Clone, Debug)]
pub(crate) struct UnreadBy {
    bounds: Unread,
    consumer: Consumer,
}

impl Default for Unread {
    fn default() -> Self {
        Unread {
            answers: UsageLimit::new(PER_USER, IN_ALL, FLOOR),
            changes: UsageLimit::new(CHANGES_PER_USER, CHANGES_IN_ALL, FLOOR),
        }
    }
}

impl Unread {
    /// What a user leaves unread.
    pub(crate) fn by(&self, user: &User) -> UnreadBy {
        UnreadBy { bounds: self.clone(), consumer: user.into() }
    }
}

impl UnreadBy {
    /// The answer to a further request, if the user has to read before.
    pub(crate) fn refusal(&self, asked: &Asked) -> Option<Response<Body>> {
        self.bounds.answers.is_full(&self.consumer).then(|| self.refused(asked))
    }

    fn refused(&self, asked: &Asked) -> Response<Body> {
        let (user, most) = (quoted(self.consumer.name().as_bytes()), PER_USER >> 20);
        let why = format!(
            "user {user} does not read its answers: up to {most} MiB of them may wait; read them or close their connections"
        );
        refusal(&Failure::too_many_requests(why, 1), asked)
    }

    /// Counts an answer for as long as it waits. One that only tells something is refused if there is no room for it;
    /// what was changed has to be told.
    pub(crate) fn count(self, answer: Response<Body>, info: &RequestInfo, asked: &Asked) -> Response<Body> {
        let length = answer.body().size_hint().exact().and_then(|length| usize::try_from(length).ok());
        if length.is_some_and(|length| length < SMALL) {
            return answer;
        }
        let bounds = if info.is_watch() { &self.bounds.changes } else { &self.bounds.answers };
        let usage = bounds.of(&self.consumer);
        let whole = match length {
            Some(length) => match usage.try_take(length) {
                None if info.kind() == RequestKind::ReadOnly => return self.refused(asked),
                None => Some(usage.take(length)),
                taken => taken,
            },
            None => None,
        };
        let is_stream = whole.is_none();
        let counted = if info.is_watch() { Data::len } else { Data::own_len };
        answer.map(|body| Counted { body, usage, whole, is_stream, counted, room: None }.boxed_unsync())
    }
}

/// A refusal with the time after which to ask again.
pub(crate) fn refusal(failure: &Failure, asked: &Asked) -> Response<Body> {
    let wait = failure.0.details.as_ref().map_or(0, |details| details.retry_after_seconds);
    let mut refusal = asked.refusal((*failure.0).clone());
    refusal.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait));
    refusal
}

/// A body of which the bytes are counted.
struct Counted {
    body: Body,
    usage: Usage,
    /// What was taken for all of it.
    whole: Option<Taken>,
    /// Whether its pieces are counted one by one, as they are made.
    is_stream: bool,
    /// How much of a piece counts.
    counted: fn(&Data) -> usize,
    /// Done when the next piece may be made; says whether it came to that.
    room: Option<Pin<Box<dyn Future<Output = bool> + Send>>>,
}

impl http_body::Body for Counted {
    type Data = Data;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Data>, io::Error>>> {
        let this = &mut *self;
        if this.is_stream && this.room.is_none() && this.usage.is_full() {
            let usage = this.usage.clone();
            this.room = Some(Box::pin(async move { usage.room(PATIENCE).await }));
        }
        if let Some(room) = &mut this.room {
            let is_there = ready!(room.as_mut().poll(context));
            this.room = None;
            if !is_there {
                let why = "other answers have not been read for too long";
                return Poll::Ready(Some(Err(io::Error::new(io::ErrorKind::TimedOut, why))));
            }
        }
        let frame = ready!(Pin::new(&mut this.body).poll_frame(context));
        let counted = frame.map(|frame| {
            frame.map(|frame| {
                frame.map_data(|mut data| {
                    let amount = (this.counted)(&data);
                    if let Some(taken) = this.whole.take() {
                        data.hold(taken);
                    } else if this.is_stream && amount > 0 {
                        data.hold(this.usage.take(amount));
                    }
                    data
                })
            })
        });
        Poll::Ready(counted)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http::Method;

    use super::*;
    use crate::base::response::{pieces, whole};

    fn reading() -> RequestInfo {
        RequestInfo::of(&Method::GET, &"/api/v1/pods".parse().unwrap()).unwrap()
    }

    async fn made(unread: &UnreadBy, length: usize) -> Result<Data, u16> {
        let answer = Response::new(whole(vec![0; length]));
        let answer = unread.clone().count(answer, &reading(), &Asked::default());
        let code = answer.status().as_u16();
        let data = answer.into_body().frame().await.unwrap().unwrap().into_data().unwrap();
        if code == 200 { Ok(data) } else { Err(code) }
    }

    #[tokio::test(start_paused = true)]
    async fn answers_count_until_they_are_sent() {
        let unread = Unread::default().by(&User { name: "a".to_owned(), ..User::default() });
        let mut waiting = Vec::new();
        while let Ok(data) = made(&unread, 3 << 20).await {
            waiting.push(data);
        }
        assert_eq!(waiting.len(), PER_USER / (3 << 20));
        assert_eq!(made(&unread, 3 << 20).await.unwrap_err(), 429);
        assert!(made(&unread, SMALL - 1).await.is_ok());
        let change = RequestInfo::of(&Method::POST, &"/api/v1/pods".parse().unwrap()).unwrap();
        let written = Response::new(whole(vec![0; 3 << 20]));
        let written = unread.clone().count(written, &change, &Asked::default());
        assert_eq!(written.status(), 200, "what was done is told");
        assert!(unread.refusal(&Asked::default()).is_some());
        drop((waiting, written));
        assert!(unread.refusal(&Asked::default()).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn streams_wait_until_something_is_read_and_end_if_nothing_is() {
        let unread = Unread::default().by(&User { name: "a".to_owned(), ..User::default() });
        let endless = std::iter::repeat_with(|| Ok(Data::from(bytes::Bytes::from(vec![0; 1 << 20]))));
        let answer = Response::new(pieces(endless));
        let mut stream = unread.count(answer, &reading(), &Asked::default()).into_body();
        let mut waiting = Vec::new();
        while let Ok(frame) = tokio::time::timeout(Duration::from_secs(1), stream.frame()).await {
            waiting.push(frame.unwrap().unwrap().into_data().unwrap());
        }
        assert_eq!(waiting.len(), PER_USER >> 20);
        waiting.pop();
        waiting.push(stream.frame().await.unwrap().unwrap().into_data().unwrap());
        assert!(stream.frame().await.unwrap().is_err(), "nothing was read for long");
    }
}
