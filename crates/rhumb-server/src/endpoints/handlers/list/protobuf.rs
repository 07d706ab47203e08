//! Lists in protobuf.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use rhumb_codec::Format;
use rhumb_meta::{GroupVersionKind, ListMeta};
use rhumb_store::cache::Cached;

use super::packed::{Packed, Step};
use super::part::{Part, Parts};
use super::{Found, PIECE, stream, stream_packed};
use crate::base::compress::{Block, THRESHOLD, takes_gzip};
use crate::base::failure::{Failure, Outcome};
use crate::base::response::Response;
use crate::endpoints::context::RequestContext;
use crate::registry::Endpoint;
use crate::registry::cached::CachedObject;
use crate::registry::forms::{ENVELOPE_END, envelope_head, item_head, item_len, list_meta_field};

/// Answers with a list in protobuf. Its length stands at its beginning, so all of it is measured first.
pub(super) fn answer(call: &RequestContext<'_>, items: Found, meta: &ListMeta) -> Outcome<Response> {
    let meta = list_meta_field(meta)?;
    let endpoint = &call.endpoint;
    let parts: Vec<Part> = Parts::new(items).collect();
    if !takes_gzip(call.headers) {
        return plain(endpoint, &meta, &parts);
    }
    let mut length = meta.len();
    for part in &parts {
        length += length_of(endpoint, part)?;
    }
    if length <= THRESHOLD {
        return plain(endpoint, &meta, &parts);
    }
    let head = begin(endpoint, length, &meta);
    let endpoint = Arc::clone(endpoint);
    let steps = std::iter::once(Ok(Step::text(head.freeze())))
        .chain(parts.into_iter().map(move |part| packed(&endpoint, &part)))
        .chain(std::iter::once_with(|| Ok(Step::text(Bytes::from_static(ENVELOPE_END)))));
    Ok(stream_packed(Format::Protobuf, Packed::new(steps)))
}

/// What stands before the items.
fn begin(endpoint: &Endpoint, length: usize, meta: &[u8]) -> BytesMut {
    let kind = GroupVersionKind::new(
        endpoint.kind.group.clone(),
        endpoint.kind.version.clone(),
        endpoint.list_kind.clone(),
    );
    let mut head = envelope_head(&kind, length);
    head.extend_from_slice(meta);
    head
}

/// A list that is not compressed.
fn plain(endpoint: &Arc<Endpoint>, meta: &[u8], parts: &[Part]) -> Outcome<Response> {
    let objects = parts.iter().flat_map(Part::objects);
    let messages: Outcome<Vec<_>> = objects.map(|cached| endpoint.message(cached)).collect();
    let messages = messages?;
    let length = meta.len() + messages.iter().map(|message| item_len(message.len())).sum::<usize>();
    let head = begin(endpoint, length, meta);
    let (mut head, mut messages, mut ended) = (Some(head), messages.into_iter(), false);
    let pieces = std::iter::from_fn(move || {
        if ended {
            return None;
        }
        let mut out = BytesMut::with_capacity(PIECE + 4096);
        out.extend_from_slice(&head.take().unwrap_or_default());
        while out.len() < PIECE {
            let Some(message) = messages.next() else {
                out.extend_from_slice(ENVELOPE_END);
                ended = true;
                break;
            };
            item_head(message.len(), &mut out);
            message.put(&mut out);
        }
        Some(Ok(out.freeze().into()))
    });
    Ok(stream(Format::Protobuf, pieces))
}

/// How long the items of a part are.
fn length_of(endpoint: &Endpoint, part: &Part) -> Outcome<usize> {
    if let Part::Together(together) = part
        && let Some(block) =
            together.kept(endpoint.packed_form_id(Format::Protobuf)).and_then(Block::from_bytes)
    {
        return Ok(block.plain_len());
    }
    let lengths = part.objects().iter().map(|cached| Ok(item_len(endpoint.message(cached)?.len())));
    lengths.sum()
}

/// A part as it stands in a list that is compressed. Objects that are kept together have a compressed form for all.
fn packed(endpoint: &Endpoint, part: &Part) -> Outcome<Step> {
    let together = match part {
        Part::Together(together) => together,
        Part::One(_) => return Ok(Step::text(written(endpoint, part.objects())?)),
    };
    let id = endpoint.packed_form_id(Format::Protobuf);
    if let Some(block) = together.kept(id).and_then(Block::from_bytes) {
        // Asking for it is what keeps it.
        together.encoded(id, || block.to_bytes());
        return Ok(Step::block(block));
    }
    // Messages may keep forms of their own, so this is made before the form that it becomes is asked for.
    let block = Block::of(&written(endpoint, together.objects())?).map_err(Failure::internal)?;
    together.encoded(id, || block.to_bytes());
    Ok(Step::block(block))
}

/// Items as they stand in a list.
fn written(endpoint: &Endpoint, objects: &[Arc<Cached<CachedObject>>]) -> Outcome<Bytes> {
    let mut out = BytesMut::new();
    for cached in objects {
        let message = endpoint.message(cached)?;
        item_head(message.len(), &mut out);
        message.put(&mut out);
    }
    Ok(out.freeze())
}
