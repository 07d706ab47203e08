//! Response bodies: collected up to a limit, or streamed.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use flate2::write::MultiGzDecoder;
use futures_core::Stream;
use futures_util::StreamExt;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use http_body::Body;
use hyper::body::Incoming;
use tokio::io::{AsyncBufRead, AsyncRead, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::pool::Ticket;
use crate::Error;

/// Maximum capacity reserved because of `Content-Length`.
const MAX_RESERVE: u64 = 64 << 20;

/// A body with its slot in the connection pool, held until it is read or dropped.
#[derive(Debug)]
pub(crate) struct Piped {
    body: Incoming,
    _ticket: Ticket,
    deadline: Option<Deadline>,
}

/// Deadline of reading a whole body.
#[derive(Debug)]
struct Deadline {
    sleep: Pin<Box<Sleep>>,
    /// Timeout of the request.
    timeout: Duration,
}

impl Piped {
    pub(crate) fn new(body: Incoming, ticket: Ticket) -> Self {
        Piped { body, _ticket: ticket, deadline: None }
    }

    /// Sets the timeout of the request and when it began.
    pub(crate) fn within(mut self, timeout: Option<Duration>, began: Instant) -> Self {
        let limit = timeout.and_then(|timeout| Some((timeout, began.checked_add(timeout)?)));
        self.deadline = limit.map(|(timeout, at)| Deadline { sleep: Box::pin(sleep_until(at)), timeout });
        self
    }

    /// Returns the next piece; none at the end.
    pub(crate) fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Error>>> {
        if let Some(Deadline { sleep, timeout }) = &mut self.deadline
            && sleep.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(Some(Err(Error::Timeout(*timeout))));
        }
        loop {
            let frame = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(Error::Connection(error.into())))),
                Some(Ok(frame)) => frame,
            };
            if let Ok(data) = frame.into_data()
                && !data.is_empty()
            {
                return Poll::Ready(Some(Ok(data)));
            }
        }
    }

    async fn piece(&mut self) -> Option<Result<Bytes, Error>> {
        std::future::poll_fn(|cx| self.poll_piece(cx)).await
    }

    /// Reads what is left if that is little, so that the connection can be used again.
    pub(crate) async fn drain(mut self) {
        const LITTLE: u64 = 2 << 10;
        if self.body.size_hint().upper().is_some_and(|length| length <= LITTLE) {
            while let Some(Ok(_)) = self.piece().await {}
        }
    }
}

/// Decompressed chunks of a body, with a limit on their total size.
pub(crate) struct Pieces {
    body: Piped,
    gzip: Option<MultiGzDecoder<Vec<u8>>>,
    /// Number of bytes still allowed.
    left: usize,
    limit: usize,
}

impl Pieces {
    /// Creates the chunks of a response body with these headers.
    pub(crate) fn new(headers: &HeaderMap, body: Piped, limit: usize) -> Result<Self, Error> {
        let gzip = match headers.get(CONTENT_ENCODING).map(|value| value.as_bytes()) {
            None | Some(b"" | b"identity") => None,
            Some(b"gzip" | b"x-gzip") => Some(MultiGzDecoder::new(Vec::new())),
            Some(other) => {
                return Err(Error::Unexpected(format!(
                    "the server sent a body in the encoding {:?}, which was not asked for",
                    String::from_utf8_lossy(other)
                )));
            }
        };
        Ok(Pieces { body, gzip, left: limit, limit })
    }

    /// Returns the number of bytes received, decompressed.
    pub(crate) fn taken(&self) -> usize {
        self.limit - self.left
    }

    /// Returns a lower bound of the bytes to come.
    fn announced(&self) -> u64 {
        if self.gzip.is_some() { 0 } else { self.body.body.size_hint().lower() }
    }

    /// Returns the next piece; none at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        loop {
            let piece = match (self.body.piece().await.transpose()?, &mut self.gzip) {
                (Some(piece), None) => piece,
                (Some(piece), Some(gzip)) => plain(gzip, &piece, self.left, self.limit)?,
                (None, None) => return Ok(None),
                (None, Some(gzip)) => {
                    gzip.try_finish().map_err(garbled)?;
                    let rest = std::mem::take(gzip.get_mut());
                    self.gzip = None;
                    rest.into()
                }
            };
            self.left = self.left.checked_sub(piece.len()).ok_or_else(|| too_large(self.limit))?;
            if !piece.is_empty() {
                return Ok(Some(piece));
            }
        }
    }
}

/// Decompresses a chunk. A kilobyte can become a megabyte, so the limit is checked every few kilobytes.
fn plain(
    gzip: &mut MultiGzDecoder<Vec<u8>>,
    piece: &[u8],
    left: usize,
    limit: usize,
) -> Result<Bytes, Error> {
    for part in piece.chunks(16 << 10) {
        gzip.write_all(part).map_err(garbled)?;
        if gzip.get_ref().len() > left {
            return Err(too_large(limit));
        }
    }
    Ok(std::mem::take(gzip.get_mut()).into())
}

/// Returns the whole body, decompressed; at most so many bytes.
pub(crate) async fn collect(headers: &HeaderMap, body: Piped, limit: usize) -> Result<Bytes, Error> {
    let mut pieces = Pieces::new(headers, body, limit)?;
    let announced = pieces.announced();
    let Some(first) = pieces.next().await? else { return Ok(Bytes::new()) };
    let Some(second) = pieces.next().await? else { return Ok(first) };
    let mut whole = BytesMut::with_capacity(usize::try_from(announced.min(MAX_RESERVE)).unwrap_or_default());
    whole.extend_from_slice(&first);
    whole.extend_from_slice(&second);
    while let Some(piece) = pieces.next().await? {
        whole.extend_from_slice(&piece);
    }
    Ok(whole.freeze())
}

#[cold]
fn too_large(limit: usize) -> Error {
    Error::Unexpected(format!("the server's answer is larger than {limit} bytes"))
}

#[cold]
fn garbled(error: io::Error) -> Error {
    Error::Unexpected(format!("the server's answer can't be decompressed: {error}"))
}

/// Streamed response body, such as a log that is followed.
///
/// It is a [`Stream`] of pieces, or a reader ([`AsyncBufRead`]), whose lines can be taken one by one. Dropping it ends
/// the request.
#[derive(Debug)]
pub struct ByteStream {
    body: Piped,
    /// Bytes received and not yet read.
    rest: Bytes,
}

impl ByteStream {
    pub(crate) fn new(body: Piped) -> Self {
        ByteStream { body, rest: Bytes::new() }
    }

    /// Returns the next chunk; none at the end.
    pub async fn next(&mut self) -> Option<Result<Bytes, Error>> {
        StreamExt::next(self).await
    }

    /// Collects the rest of the body, up to a limit.
    ///
    /// # Errors
    /// If there is more, or the connection breaks.
    pub async fn collect(mut self, limit: usize) -> Result<Bytes, Error> {
        let mut whole = BytesMut::from(&*self.rest);
        while let Some(piece) = self.body.piece().await.transpose()? {
            if whole.len().saturating_add(piece.len()) > limit {
                return Err(too_large(limit));
            }
            whole.extend_from_slice(&piece);
        }
        Ok(whole.freeze())
    }
}

impl Stream for ByteStream {
    type Item = Result<Bytes, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if !self.rest.is_empty() {
            return Poll::Ready(Some(Ok(std::mem::take(&mut self.rest))));
        }
        self.body.poll_piece(cx)
    }
}

impl AsyncBufRead for ByteStream {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        if this.rest.is_empty() {
            match ready!(this.body.poll_piece(cx)) {
                None => {}
                Some(Ok(piece)) => this.rest = piece,
                Some(Err(error)) => return Poll::Ready(Err(io::Error::other(error))),
            }
        }
        Poll::Ready(Ok(&this.rest))
    }

    fn consume(mut self: Pin<&mut Self>, amount: usize) {
        let amount = amount.min(self.rest.len());
        self.rest.advance(amount);
    }
}

impl AsyncRead for ByteStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let available = ready!(self.as_mut().poll_fill_buf(cx))?;
        let amount = available.len().min(buffer.remaining());
        buffer.put_slice(available.get(..amount).unwrap_or_default());
        self.consume(amount);
        Poll::Ready(Ok(()))
    }
}
