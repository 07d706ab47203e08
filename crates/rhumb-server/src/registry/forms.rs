//! Objects as bytes for clients: made once per object, version and format, and put together into answers.

use crate::base::memory::snug;
use bytes::{BufMut, Bytes, BytesMut};
use rhumb_codec::{Format, proto};
use rhumb_meta::{GroupVersionKind, ListMeta};
use rhumb_schema::budget;
use rhumb_store::cache::{Cached, FormId};
use serde_json::Value as Json;

use super::Endpoint;
use crate::base::failure::{Failure, Outcome};
use crate::registry::cached::CachedObject;

impl Endpoint {
    /// An object of the cache in this version: JSON as it is, of protobuf the message without its envelope.
    pub(crate) fn form(&self, cached: &Cached<CachedObject>, format: Format) -> Outcome<Bytes> {
        let form =
            cached.encoded(self.form_id(format), |_| self.encode_cached(cached, format).unwrap_or_default());
        if form.is_empty() {
            // The reason was lost on the way; finding it again is rare and cheap.
            return self.encode_cached(cached, format);
        }
        Ok(form)
    }

    /// Tells the form of this version in a format from others of the same storage.
    pub(crate) fn form_id(&self, format: Format) -> FormId {
        FormId(self.form * 4 + u32::from(format == Format::Protobuf))
    }

    /// The same for the form that is compressed for lists.
    pub(crate) fn packed_form_id(&self, format: Format) -> FormId {
        FormId(self.form_id(format).0 + 2)
    }

    pub(super) fn encode_cached(&self, cached: &Cached<CachedObject>, format: Format) -> Outcome<Bytes> {
        let mut out = Vec::with_capacity(cached.value().len() * 2);
        self.encode_to(cached, format, &mut out)?;
        Ok(snug(out))
    }

    /// Appends an object of the cache in this version, made anew.
    pub(crate) fn encode_to(
        &self,
        cached: &Cached<CachedObject>,
        format: Format,
        out: &mut Vec<u8>,
    ) -> Outcome<()> {
        if let Some(why) = cached.object().broken() {
            return Err(Failure::internal(why));
        }
        let hub = self.model.load(cached.value(), cached.revision())?;
        let object = self.model.external(hub, &self.kind)?;
        match format {
            Format::Protobuf => proto::encode_bare(&*object, out).map_err(Failure::internal)?,
            _ => rhumb_schema::text::encode(&*object, out),
        }
        // Forms are kept for all requests, so what a stopped one cut short is none.
        if budget::is_stopped() { Err(Failure::stopped()) } else { Ok(()) }
    }

    /// What an object in JSON begins with, the kind, which items of lists don't have.
    fn kind_prefix(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        format!(r#""kind":{},"apiVersion":{},"#, quoted(&self.kind.kind), quoted(&self.kind.api_version()))
    }

    /// What a list of its objects in JSON has before its items.
    pub(crate) fn list_head(&self, meta: &ListMeta) -> Bytes {
        let api_version = self.kind.api_version();
        if !self.model.items_carry_kind() {
            return list_head(&self.list_kind, &api_version, meta);
        }
        // Trees say where a list goes on even if it doesn't.
        let mut shown = rhumb_schema::to_tree(meta);
        if let Some(shown) = shown.as_object_mut() {
            shown.entry("continue").or_insert_with(|| "".into());
        }
        let (kind, version) = (Json::from(self.list_kind.as_str()), Json::from(api_version));
        format!(r#"{{"apiVersion":{version},"kind":{kind},"metadata":{shown},"items":["#).into()
    }

    /// How long the kind is in a form of JSON, if items of lists go without it.
    pub(crate) fn skipped_in_items(&self) -> usize {
        if self.model.items_carry_kind() { 0 } else { self.kind_prefix().len() }
    }
}

/// What stands in an envelope behind the message.
pub(crate) const ENVELOPE_END: &[u8] = &[0x1a, 0x00, 0x22, 0x00];

/// What stands in an envelope before a protobuf message of some length.
pub(crate) fn envelope_head(kind: &GroupVersionKind, length: usize) -> BytesMut {
    let (api_version, name) = (kind.api_version(), kind.kind.as_ref());
    let mut meta = BytesMut::new();
    text_field(1, &api_version, &mut meta);
    text_field(2, name, &mut meta);
    let mut head = BytesMut::with_capacity(meta.len() + 16);
    head.put_slice(proto::MAGIC);
    head.put_u8(0x0a);
    varint(meta.len(), &mut head);
    head.put_slice(&meta);
    head.put_u8(0x12);
    varint(length, &mut head);
    head
}

fn text_field(number: u8, text: &str, out: &mut BytesMut) {
    out.put_u8(number << 3 | 2);
    varint(text.len(), out);
    out.put_slice(text.as_bytes());
}

/// Appends a number as protobuf writes it.
pub(crate) fn varint(mut number: usize, out: &mut BytesMut) {
    while number >= 0x80 {
        out.put_u8(u8::try_from(number & 0x7f).unwrap_or_default() | 0x80);
        number >>= 7;
    }
    out.put_u8(u8::try_from(number).unwrap_or_default());
}

/// What a list in JSON has before its items.
fn list_head(kind: &str, api_version: &str, meta: &ListMeta) -> Bytes {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let mut out = Vec::with_capacity(128);
    out.extend_from_slice(
        format!(r#"{{"kind":{},"apiVersion":{},"metadata":"#, quoted(kind), quoted(api_version)).as_bytes(),
    );
    rhumb_schema::text::encode(meta, &mut out);
    out.extend_from_slice(br#","items":["#);
    out.into()
}

/// Appends what stands before an item of a protobuf list.
pub(crate) fn item_head(length: usize, out: &mut BytesMut) {
    out.put_u8(0x12);
    varint(length, out);
}

/// How long an item of a protobuf list is with what stands before it.
pub(crate) fn item_len(length: usize) -> usize {
    1 + rhumb_schema::wire::varint_len(length as u64) + length
}

/// The metadata of a protobuf list as its first field.
pub(crate) fn list_meta_field(meta: &ListMeta) -> Outcome<Bytes> {
    let mut message = Vec::new();
    proto::encode_bare(meta, &mut message).map_err(Failure::internal)?;
    let mut out = BytesMut::with_capacity(message.len() + 4);
    out.put_u8(0x0a);
    varint(message.len(), &mut out);
    out.put_slice(&message);
    Ok(out.freeze())
}
