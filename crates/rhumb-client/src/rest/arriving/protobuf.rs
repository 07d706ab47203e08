//! Incremental decoding of lists in protobuf.
//!
//! A list is a message in an envelope, and each of its objects is a field of it, with its length in front. So a part
//! is as many of these fields as are there: a message itself, with nothing but objects.

use bytes::Buf;
use rhumb_codec::CodecError;
use rhumb_codec::proto::{self, ProtoError, decode_into};
use rhumb_meta::Object;
use rhumb_schema::wire::{Payload, WireError, take_field, take_varint};

use super::{Arriving, Beginning, Parts, WORTH_READING};
use crate::Error;
use crate::rest::list::ListReader;
use crate::rest::response::is_list;

/// Field number of `items` in lists.
const ITEMS: u32 = 2;
/// Tag of the field `raw` in the envelope.
const RAW: u8 = 2 << 3 | 2;

/// Prefix of an envelope up to its message.
pub(super) struct Begin {
    /// Behind how many bytes the length of the message stands.
    head: usize,
    /// Behind how many bytes the message begins.
    message: usize,
    /// Length of the message in bytes.
    length: usize,
}

/// Looks for the message in the beginning of an envelope.
pub(super) fn begin(bytes: &[u8]) -> Beginning<Begin> {
    let Some(mut rest) = bytes.strip_prefix(proto::MAGIC) else { return Beginning::Nowhere };
    let place = |rest: &[u8]| bytes.len() - rest.len();
    loop {
        let head = place(rest);
        let outcome = match rest.split_first() {
            Some((&RAW, mut rest)) => match take_varint(&mut rest).map(usize::try_from) {
                Ok(Ok(length)) if is_list_envelope(bytes.get(..head).unwrap_or_default()) => {
                    return Beginning::There(Begin { head, message: place(rest), length });
                }
                Ok(_) => return Beginning::Nowhere,
                Err(error) => Err(error),
            },
            _ => take_field(&mut rest).map(drop),
        };
        match outcome {
            Ok(()) => {}
            Err(WireError::UnexpectedEof) => return Beginning::Unknown,
            Err(_) => return Beginning::Nowhere,
        }
    }
}

fn is_list_envelope(head: &[u8]) -> bool {
    proto::open(head).is_ok_and(|envelope| is_list(envelope.kind))
}

/// Reads a list that begins like this.
pub(super) async fn read<K: Object + Default>(
    begin: Begin,
    body: &mut Arriving<'_>,
    list: &mut ListReader<K>,
) -> Result<(), Error> {
    let mut envelope = body.bytes.get(..begin.head).unwrap_or_default().to_vec();
    body.bytes.advance(begin.message);
    let around = objects(begin.length, body, &mut list.items.objects).await?;
    let objects = std::mem::take(&mut list.items.objects);
    let outcome = decode_into(&around, list);
    list.items.objects = objects;
    outcome.map_err(CodecError::Proto)?;
    // What stands behind the message must be an envelope's.
    body.has(usize::MAX).await?;
    envelope.extend_from_slice(&body.bytes);
    let envelope = proto::open(&envelope).map_err(CodecError::Proto)?;
    list.type_meta.set(envelope.api_version, envelope.kind);
    Ok(())
}

/// Reads all objects of a message that has so many bytes. Returns its other fields, and with what is no field.
async fn objects<K: Object + Default>(
    mut length: usize,
    body: &mut Arriving<'_>,
    objects: &mut Vec<K>,
) -> Result<Vec<u8>, Error> {
    let mut parts = Parts::new(read_part::<K>);
    let mut around = Vec::new();
    let mut wanted = WORTH_READING;
    while length > 0 {
        let is_there = body.has(wanted.min(length)).await?;
        let message = body.bytes.get(..length).unwrap_or(&body.bytes);
        let taken = match leading(message) {
            Leading::Objects(taken) => {
                parts.begin(body.bytes.split_to(taken).freeze());
                taken
            }
            Leading::Other(taken) => {
                around.extend_from_slice(&body.bytes.split_to(taken));
                taken
            }
            Leading::Nothing if !is_there => {
                return Err(CodecError::Proto(WireError::UnexpectedEof.into()).into());
            }
            // An object that is longer than all there was is looked at again when there is twice as much of it.
            Leading::Nothing if message.len() < length => {
                wanted = message.len() * 2;
                continue;
            }
            Leading::Nothing => {
                around.extend_from_slice(&body.bytes.split_to(length));
                length
            }
        };
        length -= taken;
        wanted = WORTH_READING;
        while parts.is_full() {
            take_in(&mut parts, objects).await?;
        }
    }
    while take_in(&mut parts, objects).await? {}
    Ok(around)
}

/// First field of a message with its length.
enum Leading {
    /// Objects, as many as are whole.
    Objects(usize),
    /// Another field.
    Other(usize),
    /// No complete field.
    Nothing,
}

fn leading(message: &[u8]) -> Leading {
    let mut rest = message;
    let mut length = 0;
    loop {
        let field = take_field(&mut rest);
        match field {
            Ok((ITEMS, Payload::Bytes(_))) => length = message.len() - rest.len(),
            _ if length > 0 => return Leading::Objects(length),
            Ok(_) => return Leading::Other(message.len() - rest.len()),
            Err(_) => return Leading::Nothing,
        }
    }
}

fn read_part<K: Object + Default>(part: &[u8]) -> Result<Vec<K>, ProtoError> {
    let mut list = ListReader::new();
    decode_into(part, &mut list)?;
    Ok(list.items.objects)
}

/// Takes in what the first part was read to; false if there is none.
async fn take_in<K: Object>(
    parts: &mut Parts<Result<Vec<K>, ProtoError>>,
    objects: &mut Vec<K>,
) -> Result<bool, Error> {
    let Some((_, read)) = parts.next().await else { return Ok(false) };
    objects.append(&mut read.map_err(CodecError::Proto)?);
    Ok(true)
}
