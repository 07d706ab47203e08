//! Answers on their way out.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, Response};
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;

use super::Trail;
use crate::base::data::Data;
use crate::filters::Body;

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

/// Has a trail closed when an answer was sent, or is no longer wanted.
pub(super) fn follow(answer: Response<Body>, trail: Trail, ending: Ending, looks: Looks) -> Response<Body> {
    let (head, body) = answer.into_parts();
    let headers = head.headers.clone();
    let sent = (looks != Looks::Away).then(Vec::new);
    let most = if looks == Looks::AtAll { usize::MAX } else { BEGINNING };
    let followed = Followed { body, open: Some(Open { trail, headers, ending, sent, most }) };
    Response::from_parts(head, followed.boxed_unsync())
}

struct Open {
    trail: Trail,
    headers: HeaderMap,
    ending: Ending,
    /// None if it is not looked at, or is too large to be what is looked for.
    sent: Option<Vec<u8>>,
    most: usize,
}

impl Open {
    fn note(&mut self, data: &Bytes) {
        let Some(sent) = &mut self.sent else { return };
        if sent.len().saturating_add(data.len()) > self.most {
            self.sent = None;
        } else {
            sent.extend_from_slice(data);
        }
    }
}

struct Followed {
    body: Body,
    /// None when it was closed.
    open: Option<Open>,
}

impl Followed {
    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            open.trail.closed(open.sent.as_deref(), &open.headers, open.ending);
        }
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        self.close();
    }
}

impl http_body::Body for Followed {
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
