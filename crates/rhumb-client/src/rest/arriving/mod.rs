//! Incremental decoding of lists: objects are decoded by several threads while the response still arrives, so its
//! bytes are never held as a whole.
//!
//! Either format is taken apart in the same way. What stands before the objects is read first. From the objects pieces
//! of some length are cut off, which are read on their own ([`Parts`]). What stands around the objects is a list
//! without any, which is read last.

mod json;
mod parts;
mod protobuf;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use rhumb_codec::Format;
use rhumb_meta::Object;

use super::body::Pieces;
use super::list::ListReader;
use super::response::{format_of, is_list};
use crate::{Error, List};
use parts::Parts;

/// Number of bytes to wait for before objects are decoded. It leaves room for the incomplete object at the end.
const WORTH_READING: usize = 256 << 10;

/// Result of decoding an arriving list.
pub(super) enum Arrived<K> {
    /// The list.
    List(List<K>),
    /// Something else, or a list that is better read as a whole.
    Other(Bytes),
}

/// Reads a body as a list.
pub(super) async fn read<K: Object + Default>(
    headers: &HeaderMap,
    pieces: &mut Pieces,
) -> Result<Arrived<K>, Error> {
    let mut body = Arriving { bytes: BytesMut::new(), pieces };
    let mut list = ListReader::new();
    let mut wanted = WORTH_READING;
    // A short list is there as a whole before this looks at it.
    while body.has(wanted).await? {
        let begin = match format_of(headers, &body.bytes) {
            Format::Protobuf => protobuf::begin(&body.bytes).map(Begin::Protobuf),
            _ => json::begin(&body.bytes).map(Begin::Json),
        };
        match begin {
            Beginning::There(Begin::Json(begin)) => json::read(begin, &mut body, &mut list).await?,
            Beginning::There(Begin::Protobuf(begin)) => protobuf::read(begin, &mut body, &mut list).await?,
            Beginning::Unknown => {
                wanted = body.bytes.len() * 2;
                continue;
            }
            Beginning::Nowhere => break,
        }
        return match is_list(&list.type_meta.kind) {
            true => Ok(Arrived::List(list.into_list())),
            false => Err(Error::Unexpected(format!(
                "the server sent a {} ({}) where a list was asked for",
                list.type_meta.kind, list.type_meta.api_version
            ))),
        };
    }
    body.has(usize::MAX).await?;
    Ok(Arrived::Other(body.bytes.freeze()))
}

/// Result of looking for the start of a list's objects.
enum Beginning<T> {
    /// They tell, and the rest can be read by it.
    There(T),
    /// Nowhere that is known.
    Nowhere,
    /// More of the list is needed to tell.
    Unknown,
}

impl<T> Beginning<T> {
    fn map<U>(self, change: impl FnOnce(T) -> U) -> Beginning<U> {
        match self {
            Beginning::There(begin) => Beginning::There(change(begin)),
            Beginning::Nowhere => Beginning::Nowhere,
            Beginning::Unknown => Beginning::Unknown,
        }
    }
}

enum Begin {
    Json(usize),
    Protobuf(protobuf::Begin),
}

/// A partly received body.
struct Arriving<'a> {
    /// Bytes received and not yet decoded.
    bytes: BytesMut,
    pieces: &'a mut Pieces,
}

impl Arriving<'_> {
    /// Waits until so many bytes are there to be read; false if there won't be.
    async fn has(&mut self, wanted: usize) -> Result<bool, Error> {
        while self.bytes.len() < wanted {
            match self.pieces.next().await? {
                Some(piece) => self.bytes.extend_from_slice(&piece),
                None => return Ok(false),
            }
        }
        Ok(true)
    }
}
