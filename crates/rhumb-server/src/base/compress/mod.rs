//! Compressing large answers for clients that take them so: the only place that does.
//!
//! A list is put together from blocks that are compressed already ([`Member`]) and says so in its headers; everything
//! else is compressed on its way out ([`compress`]), which leaves alone what has an encoding.

mod encoder;
mod member;

use std::pin::Pin;
use std::task::{Context, Poll};

use http::{HeaderMap, HeaderValue, header};
use http_body::Frame;
use http_body_util::BodyExt;

use crate::base::data::Data;
use crate::base::request::header_text;
use crate::base::response::{Body, Response};

pub(crate) use member::{Block, Blocks, Member};

/// What is smaller is sent as it is.
pub(crate) const THRESHOLD: usize = 128 * 1024;

/// Whether a client takes what is compressed; with a weight of nothing it says that it doesn't.
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    header_text(headers, header::ACCEPT_ENCODING).split(',').any(|clause| {
        let mut words = clause.split(';').map(str::trim);
        let weight =
            |word: &str| word.strip_prefix("q=").and_then(|weight| weight.trim().parse::<f32>().ok());
        words.next() == Some("gzip") && !words.any(|word| weight(word) == Some(0.0))
    })
}

/// Says in the headers of an answer that its body is compressed.
pub(crate) fn mark(headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
}

/// Compresses an answer if it is large, has no encoding yet and the client takes that. It must be one that ends.
pub(crate) async fn compress(headers: &HeaderMap, answer: Response) -> Response {
    if !takes_gzip(headers)
        || answer.headers().contains_key(header::CONTENT_ENCODING)
        || http_body::Body::size_hint(answer.body()).exact().is_some_and(|size| size <= THRESHOLD as u64)
    {
        return answer;
    }
    // How large it is shows only by taking it; what was taken goes first.
    let (mut head, mut body) = answer.into_parts();
    let mut taken = Vec::new();
    let mut size = 0;
    let mut ended = false;
    while size <= THRESHOLD && !ended {
        match body.frame().await {
            None => ended = true,
            Some(frame) => {
                let frame =
                    frame.and_then(|frame| frame.into_data().map_err(|_| std::io::Error::other("trailers")));
                size += frame.as_ref().map_or(0, Data::len);
                ended = frame.is_err();
                taken.push(frame);
            }
        }
    }
    let taken = taken.into_iter();
    if size <= THRESHOLD {
        return Response::from_parts(head, Chained { taken, body }.boxed_unsync());
    }
    mark(&mut head.headers);
    let plain = Chained { taken, body };
    Response::from_parts(head, Packed { plain, member: Some(Member::new()) }.boxed_unsync())
}

/// What was taken of a body, and the rest.
struct Chained {
    taken: std::vec::IntoIter<std::io::Result<Data>>,
    body: Body,
}

impl http_body::Body for Chained {
    type Data = Data;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Data>, std::io::Error>>> {
        match self.taken.next() {
            Some(taken) => Poll::Ready(Some(taken.map(Frame::data))),
            None => Pin::new(&mut self.body).poll_frame(context),
        }
    }
}

/// A body that is compressed while it is sent.
struct Packed {
    plain: Chained,
    /// None when the last bytes were given.
    member: Option<Member>,
}

impl http_body::Body for Packed {
    type Data = Data;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Data>, std::io::Error>>> {
        loop {
            let Packed { plain, member: slot } = &mut *self;
            let Some(member) = slot else { return Poll::Ready(None) };
            if member.len() >= THRESHOLD / 8 {
                return Poll::Ready(Some(Ok(Frame::data(member.take()))));
            }
            let next = match Pin::new(plain).poll_frame(context) {
                Poll::Ready(next) => next,
                Poll::Pending => return Poll::Pending,
            };
            let failed = match next {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => data.parts().try_for_each(|part| member.add_text(part)),
                    Err(_) => Ok(()),
                },
                Some(Err(error)) => Err(error),
                None => return Poll::Ready(slot.take().map(|member| member.end().map(Frame::data))),
            };
            if let Err(error) = failed {
                *slot = None;
                return Poll::Ready(Some(Err(error)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use bytes::Bytes;

    use super::*;
    use crate::base::response;

    async fn sent(accept: &'static str, pieces: Vec<&'static [u8]>) -> (bool, Vec<u8>) {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(accept));
        let pieces = pieces.into_iter().map(|piece| Ok(Bytes::from_static(piece).into()));
        let answer = compress(&headers, Response::new(response::pieces(pieces))).await;
        let is_packed = answer.headers().contains_key(header::CONTENT_ENCODING);
        (is_packed, answer.into_body().collect().await.unwrap().to_bytes().to_vec())
    }

    #[tokio::test]
    async fn only_what_is_large_is_compressed_and_only_on_request() {
        const LARGE: &[u8] = &[b'x'; THRESHOLD];
        let (is_packed, body) = sent("deflate, gzip;q=1", vec![b"a", LARGE, LARGE, b"z"]).await;
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(&*body).read_to_end(&mut plain).unwrap();
        assert!(is_packed && plain == [b"a", LARGE, LARGE, b"z"].concat());
        assert_eq!(sent("gzip", vec![b"a", b"z"]).await, (false, b"az".to_vec()));
        let (is_packed, _) = sent("gzip;q=0, deflate", vec![b"a", LARGE, LARGE, b"z"]).await;
        assert!(!is_packed);
        assert_eq!(sent("deflate", vec![LARGE, b"z"]).await, (false, [LARGE, b"z"].concat()));
    }

    #[tokio::test]
    async fn what_has_an_encoding_is_not_compressed_again() {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        let mut answer = Response::new(response::whole(vec![b'x'; 2 * THRESHOLD]));
        mark(answer.headers_mut());
        let answer = compress(&headers, answer).await;
        assert_eq!(answer.headers().get_all(header::VARY).iter().count(), 1);
        assert!(answer.into_body().collect().await.unwrap().to_bytes() == vec![b'x'; 2 * THRESHOLD]);
    }
}
