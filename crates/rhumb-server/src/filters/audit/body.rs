//! Follows responses to their end.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, Response};
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;

use crate::base::data::Data;
use crate::base::response::Body;

/// A Status is no larger than this, unless it tells more than anybody reads.
pub(super) const BEGINNING: usize = 256 << 10;

/// How the way of a request ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With an answer.
    Answered,
    /// With an answer that may take as long as it likes.
    Stream,
    /// Before anybody knew who sent it.
    Refused,
}

/// What of an answer is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looks {
    /// Nothing but its end.
    Away,
    /// Enough to see whether it says how the request went.
    AtBeginning,
    /// All of it.
    AtAll,
}

/// Who is told when a response was sent.
pub(super) trait Close: Send + Unpin + 'static {
    /// Notes the end of a response, and what was looked at of it.
    fn closed(&self, sent: Option<&[u8]>, headers: &HeaderMap, ending: Ending);
}

/// Tells a trail when a response was sent, or is no longer wanted.
pub(super) fn follow(
    answer: Response<Body>,
    trail: impl Close,
    ending: Ending,
    looks: Looks,
) -> Response<Body> {
    let (head, body) = answer.into_parts();
    let headers = head.headers.clone();
    let sent = (looks != Looks::Away).then(Vec::new);
    let most = if looks == Looks::AtAll { usize::MAX } else { BEGINNING };
    let followed = Followed { body, open: Some(Open { trail, headers, ending, sent, most }) };
    Response::from_parts(head, followed.boxed_unsync())
}

struct Open<T> {
    trail: T,
    headers: HeaderMap,
    ending: Ending,
    /// None if it is not looked at, or is too large to be what is looked for.
    sent: Option<Vec<u8>>,
    most: usize,
}

impl<T> Open<T> {
    fn note(&mut self, data: &Bytes) {
        let Some(sent) = &mut self.sent else { return };
        if sent.len().saturating_add(data.len()) > self.most {
            self.sent = None;
        } else {
            sent.extend_from_slice(data);
        }
    }
}

struct Followed<T: Close> {
    body: Body,
    /// None when it was closed.
    open: Option<Open<T>>,
}

impl<T: Close> Followed<T> {
    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            open.trail.closed(open.sent.as_deref(), &open.headers, open.ending);
        }
    }
}

impl<T: Close> Drop for Followed<T> {
    fn drop(&mut self) {
        self.close();
    }
}

impl<T: Close> http_body::Body for Followed<T> {
    type Data = Data;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Data>, std::io::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                if let (Some(data), Some(open)) = (frame.data_ref(), &mut self.open) {
                    data.parts().for_each(|part| open.note(part));
                }
            }
            Poll::Ready(None | Some(Err(_))) => self.close(),
            Poll::Pending => {}
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
