//! Incremental decoding of lists in JSON.
//!
//! Where an object of a list ends is known only to who has read it, so parts for other threads are cut off at a guess:
//! the objects of a list begin alike, and an object within an object rarely begins like that. A part that was read up
//! to its very end was cut off in the right place. Otherwise it, and all that were cut off behind it, are read in
//! order, and so is whatever is malformed: errors are the same as if nothing had been guessed.

use bytes::{Buf, BytesMut};
use memchr::memmem;
use rhumb_codec::json::{ListParts, decode_elements, decode_into, list_parts};
use rhumb_codec::{CodecError, Strictness};
use rhumb_meta::Object;
use rhumb_schema::DecodeError;

use super::{Arriving, Beginning, Parts, WORTH_READING};
use crate::Error;
use crate::rest::list::{Items, ListReader};
use crate::rest::response::is_list;

/// Number of bytes compared to recognise the start of an object: `{"metadata":{"na`.
const OPENING: usize = 16;

/// Returns the number of bytes before the objects.
pub(super) fn begin(text: &[u8]) -> Beginning<usize> {
    match list_parts(text) {
        ListParts::Begin(begin) => Beginning::There(begin),
        ListParts::Nowhere => Beginning::Nowhere,
        ListParts::Unknown => Beginning::Unknown,
    }
}

/// Reads a list whose objects begin behind so many bytes.
pub(super) async fn read<K: Object + Default>(
    begin: usize,
    body: &mut Arriving<'_>,
    list: &mut ListReader<K>,
) -> Result<(), Error> {
    // Copied, so that the text has its memory for itself and goes on in the same.
    let head = body.bytes.get(..begin).unwrap_or_default().to_vec();
    body.bytes.advance(begin);
    let unread = objects(body, &mut list.items).await?;
    let around = [&*head, b"]", &body.bytes].concat();
    let objects = std::mem::take(&mut list.items.objects);
    let read = decode_into(&around, list, Strictness::Ignore);
    list.items.objects = objects;
    // That it is no list at all is worth more than what is wrong with its objects.
    if !is_list(&list.type_meta.kind) {
        return Ok(());
    }
    unread.map_or(read.map(drop), Err).map_err(|error| CodecError::Decode(error).into())
}

/// Reads all objects, up to the end of their list, and leaves what stands behind it. Returns why there are no
/// more of them, if that is not because the list is over.
async fn objects<K: Object + Default>(
    body: &mut Arriving<'_>,
    items: &mut Items<K>,
) -> Result<Option<DecodeError>, Error> {
    let opening = [b",", body.bytes.get(..OPENING).unwrap_or_default()].concat();
    let mut parts = Parts::new(read_part::<K>);
    let mut wanted = WORTH_READING;
    loop {
        let is_more = body.has(wanted).await?;
        // The first objects are read here: they have no comma before them.
        let end = last_opening(&body.bytes, &opening).filter(|_| is_more && !items.objects.is_empty());
        if let Some(end) = end {
            parts.begin(body.bytes.split_to(end).freeze());
        }
        let is_straight = take_in(&mut parts, end.is_some(), &mut items.objects, &mut body.bytes).await;
        if is_straight && end.is_some() {
            wanted = WORTH_READING;
            continue;
        }
        let before = items.objects.len();
        let elements = decode_elements(&body.bytes, before, items);
        items.objects.truncate(before + elements.count);
        body.bytes.advance(elements.read);
        match elements.end {
            Ok(()) => {
                body.has(usize::MAX).await?;
                return Ok(None);
            }
            Err(error) if !is_more => return Ok(Some(error)),
            // An object that is longer than all there was is tried again when there is twice as much of it.
            Err(_) => wanted = WORTH_READING.max(body.bytes.len() * 2),
        }
    }
}

/// Returns the presumed start of the last object in a text, with the comma before it, unless the text begins there.
fn last_opening(text: &[u8], opening: &[u8]) -> Option<usize> {
    memmem::rfind(text, opening).filter(|begin| *begin > 0)
}

/// Returns the objects of a part that stands behind other objects, and how many bytes of it they have.
fn read_part<K: Object + Default>(part: &[u8]) -> (Vec<K>, usize) {
    let mut items = Items::new();
    let elements = decode_elements(part, 1, &mut items);
    items.objects.truncate(elements.count);
    match elements.end {
        Err(_) => (items.objects, elements.read),
        // A part in which the list is over was cut off behind its end, where nothing begins as objects do.
        Ok(()) => (Vec::new(), 0),
    }
}

/// Takes in what the parts were read to: as much as another one needs to begin, or all. False if one was not read to
/// its end: what is unread of it, and all that was cut off behind it, stands before the rest of the text again.
async fn take_in<K: Object>(
    parts: &mut Parts<(Vec<K>, usize)>,
    until_free: bool,
    objects: &mut Vec<K>,
    text: &mut BytesMut,
) -> bool {
    while (!until_free || parts.is_full())
        && let Some((mut part, (mut read, length))) = parts.next().await
    {
        objects.append(&mut read);
        part.advance(length);
        if part.is_empty() {
            continue;
        }
        let mut unread = BytesMut::from(part);
        parts.take_back().for_each(|part| unread.extend_from_slice(&part));
        unread.extend_from_slice(text);
        *text = unread;
        return false;
    }
    true
}
