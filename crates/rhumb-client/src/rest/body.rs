//! Bodies of answers: read as a whole within a bound, or piece by piece.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use flate2::write::MultiGzDecoder;
use futures_core::Stream;
use futures_util::StreamExt;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use http_body::Body;
use hyper::body::Incoming;
use tokio::io::{AsyncBufRead, AsyncRead, ReadBuf};

use super::pool::Ticket;
use crate::Error;

/// The most that is set aside for a body because of the length it announces.
const MAX_RESERVE: u64 = 64 << 20;

/// A body, and the place in the pool that it keeps until it is read or dropped.
#[derive(Debug)]
pub(crate) struct Piped {
    pub(crate) body: Incoming,
    pub(crate) _ticket: Ticket,
}

impl Piped {
    /// The next piece; none at the end.
    pub(crate) fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, Error>>> {
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

/// The whole body, decompressed; at most so many bytes.
pub(crate) async fn collect(headers: &HeaderMap, mut body: Piped, limit: usize) -> Result<Bytes, Error> {
    match headers.get(CONTENT_ENCODING).map(|value| value.as_bytes()) {
        None | Some(b"" | b"identity") => collect_plain(&mut body, limit).await,
        Some(b"gzip" | b"x-gzip") => collect_gzip(&mut body, limit).await,
        Some(other) => Err(Error::Unexpected(format!(
            "the server sent a body in the encoding {:?}, which was not asked for",
            String::from_utf8_lossy(other)
        ))),
    }
}

#[cold]
fn too_large(limit: usize) -> Error {
    Error::Unexpected(format!("the server's answer is larger than {limit} bytes"))
}

async fn collect_plain(body: &mut Piped, limit: usize) -> Result<Bytes, Error> {
    let announced = body.body.size_hint().lower();
    let Some(first) = body.piece().await.transpose()? else { return Ok(Bytes::new()) };
    let Some(second) = body.piece().await.transpose()? else {
        return if first.len() > limit { Err(too_large(limit)) } else { Ok(first) };
    };
    let mut whole = BytesMut::with_capacity(usize::try_from(announced.min(MAX_RESERVE)).unwrap_or_default());
    whole.extend_from_slice(&first);
    let mut next = Some(second);
    while let Some(piece) = next {
        if whole.len().saturating_add(piece.len()) > limit {
            return Err(too_large(limit));
        }
        whole.extend_from_slice(&piece);
        next = body.piece().await.transpose()?;
    }
    Ok(whole.freeze())
}

async fn collect_gzip(body: &mut Piped, limit: usize) -> Result<Bytes, Error> {
    let garbled =
        |error: io::Error| Error::Unexpected(format!("the server's answer can't be decompressed: {error}"));
    let mut decoder = MultiGzDecoder::new(Vec::new());
    // A kilobyte can become a megabyte, so the bound is looked at every few kilobytes.
    while let Some(piece) = body.piece().await.transpose()? {
        for part in piece.chunks(16 << 10) {
            decoder.write_all(part).map_err(garbled)?;
            if decoder.get_ref().len() > limit {
                return Err(too_large(limit));
            }
        }
    }
    let whole = decoder.finish().map_err(garbled)?;
    if whole.len() > limit { Err(too_large(limit)) } else { Ok(whole.into()) }
}

/// A body that comes in pieces, as they arrive: logs that are followed, for example.
///
/// It is a [`Stream`] of pieces, or a reader ([`AsyncBufRead`]), whose lines can be taken one by one. Dropping it ends
/// the request.
#[derive(Debug)]
pub struct ByteStream {
    body: Piped,
    /// What was taken from the body and not read yet.
    rest: Bytes,
}

impl ByteStream {
    pub(crate) fn new(body: Piped) -> Self {
        ByteStream { body, rest: Bytes::new() }
    }

    /// The next piece; none at the end.
    pub async fn next(&mut self) -> Option<Result<Bytes, Error>> {
        StreamExt::next(self).await
    }

    /// Everything up to the end; at most so many bytes.
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
