//! Lists in JSON.

use std::io;
use std::sync::Arc;

use bytes::{Buf, Bytes};
use rhumb_codec::Format;
use rhumb_meta::ListMeta;
use rhumb_store::cache::{Cached, FormId, Together};

use super::gathering::Gathering;
use super::packed::{Packed, Step};
use super::part::{Part, Parts};
use super::{Found, stream, stream_packed};
use crate::base::compress::{Block, takes_gzip};
use crate::base::data::Data;
use crate::base::failure::{Failure, Outcome};
use crate::base::memory::snug;
use crate::base::response::Response;
use crate::endpoints::context::RequestContext;
use crate::registry::Endpoint;
use crate::registry::cached::CachedObject;

/// What a list ends with.
const END: &[u8] = b"]}\n";

/// Answers with a list in JSON.
pub(super) fn answer(call: &RequestContext<'_>, items: Found, meta: &ListMeta) -> Response {
    let (items, mut parts) = (JsonItems::new(&call.endpoint), Parts::new(items));
    if !takes_gzip(call.headers) || !parts.are_long(|part| items.length(part)) {
        return stream(Format::Json, JsonPieces::new(items, parts, meta));
    }
    let (mut head, mut first, mut ended) = (Some(items.endpoint.list_head(meta)), true, false);
    let steps = std::iter::from_fn(move || {
        if let Some(head) = head.take() {
            return Some(Ok(Step::text(head)));
        }
        match parts.next() {
            Some(part) => Some(items.packed(&part, std::mem::take(&mut first))),
            None if std::mem::replace(&mut ended, true) => None,
            None => Some(Ok(Step::text(Bytes::from_static(END)))),
        }
    });
    stream_packed(Format::Json, Packed::new(steps))
}

/// How objects of an endpoint stand in a list.
pub(super) struct JsonItems {
    endpoint: Arc<Endpoint>,
    /// How much of a form's beginning items go without.
    skipped: usize,
}

impl JsonItems {
    pub(super) fn new(endpoint: &Arc<Endpoint>) -> Self {
        JsonItems { endpoint: Arc::clone(endpoint), skipped: endpoint.skipped_in_items() }
    }

    fn id(&self) -> FormId {
        self.endpoint.form_id(Format::Json)
    }

    /// How long a part is; nothing if it can't be encoded, which shows when it is.
    fn length(&self, part: &Part) -> usize {
        match part {
            Part::Together(together) => match self.kept(together) {
                Some(block) => block.plain_len(),
                None => self.joined(together).len(),
            },
            Part::One(cached) => self.endpoint.form(cached, Format::Json).map_or(0, |form| form.len()),
        }
    }

    /// An object without the brace that it begins with.
    fn one(&self, cached: &Cached<CachedObject>) -> Outcome<Bytes> {
        let mut form = self.endpoint.form(cached, Format::Json)?;
        form.advance(form.len().min(1 + self.skipped));
        Ok(form)
    }

    /// Objects that are kept together, each with the comma before it; empty if one of them can't be encoded.
    fn joined(&self, together: &Together<CachedObject>) -> Bytes {
        together.encoded(self.id(), || self.join(together.objects()).map(snug).unwrap_or_default())
    }

    /// Objects as they stand in a list, each with the comma before it. No form is kept while this is made: who makes
    /// room for one may want to look at the one that is being made here.
    fn join(&self, objects: &[Arc<Cached<CachedObject>>]) -> Outcome<Vec<u8>> {
        let mut joined = Vec::with_capacity(objects.iter().map(|cached| cached.value().len() * 2).sum());
        for cached in objects {
            let before = joined.len();
            match cached.kept(self.id()) {
                Some(form) => joined.extend_from_slice(&form),
                None => self.endpoint.encode_to(cached, Format::Json, &mut joined)?,
            }
            let kind = before..(before + 1 + self.skipped).min(joined.len());
            drop(joined.splice(kind, *b",{"));
        }
        Ok(joined)
    }

    fn kept(&self, together: &Together<CachedObject>) -> Option<Block> {
        together.kept(self.endpoint.packed_form_id(Format::Json)).and_then(Block::from_bytes)
    }

    /// A part as it stands in a list that is compressed, with the comma before it unless it is the first. Objects that
    /// are kept together have a compressed form for all, without the first comma.
    fn packed(&self, part: &Part, first: bool) -> Outcome<Step> {
        let comma = if first { &b""[..] } else { b"," };
        match part {
            Part::One(cached) => {
                let begin = if first { &b"{"[..] } else { b",{" };
                Ok(Step { before: begin, text: self.one(cached)?, block: None })
            }
            Part::Together(together) => {
                let plain = together.kept(self.id()).filter(|plain| !plain.is_empty());
                let make = || {
                    let block = self.pack(plain.as_ref(), together.objects());
                    block.map(|block| block.to_bytes()).unwrap_or_default()
                };
                let kept = together.encoded(self.endpoint.packed_form_id(Format::Json), make);
                let block = match Block::from_bytes(kept) {
                    Some(block) => block,
                    // The reason was lost on the way; finding it again is rare and cheap.
                    None => self.pack(None, together.objects())?,
                };
                Ok(Step { before: comma, ..Step::block(block) })
            }
        }
    }

    /// Compresses objects that are kept together, from their plain form if that is there.
    fn pack(&self, plain: Option<&Bytes>, objects: &[Arc<Cached<CachedObject>>]) -> Outcome<Block> {
        let joined = match plain {
            Some(plain) => plain.clone(),
            None => self.join(objects)?.into(),
        };
        Block::of(joined.get(1..).unwrap_or_default()).map_err(Failure::internal)
    }
}

/// The pieces of a list in JSON that is not compressed.
pub(super) struct JsonPieces {
    items: JsonItems,
    parts: Parts,
    head: Option<Bytes>,
    first: bool,
    done: bool,
}

impl JsonPieces {
    pub(super) fn new(items: JsonItems, parts: Parts, meta: &ListMeta) -> Self {
        let head = items.endpoint.list_head(meta);
        JsonPieces { items, parts, head: Some(head), first: true, done: false }
    }

    fn add(&mut self, part: &Part, out: &mut Gathering) -> Outcome<()> {
        if let Part::Together(together) = part {
            // None of them has to be looked at if there is or will be one form for all.
            let mut joined = self.items.joined(together);
            if !joined.is_empty() {
                if std::mem::take(&mut self.first) {
                    joined.advance(1);
                }
                out.add(b"", joined);
                return Ok(());
            }
            // One of them can't be encoded, and is to say why.
        }
        part.objects().iter().try_for_each(|cached| {
            let form = self.items.one(cached)?;
            out.add(if std::mem::take(&mut self.first) { b"{" } else { b",{" }, form);
            Ok(())
        })
    }
}

impl Iterator for JsonPieces {
    type Item = io::Result<Data>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let head = self.head.take();
        // The first piece tells whether the list is long.
        let mut out = Gathering::new(if head.is_some() { usize::MAX } else { Gathering::MOST });
        out.copy(&head.unwrap_or_default());
        while !out.is_enough() {
            let Some(part) = self.parts.next() else {
                out.copy(END);
                self.done = true;
                break;
            };
            if let Err(failure) = self.add(&part, &mut out) {
                self.done = true;
                return Some(Err(io::Error::other(failure.to_string())));
            }
        }
        Some(Ok(out.end()))
    }
}
