//! An object as protobuf without its envelope.
//!
//! What is stored of most objects is, but for the revision, what clients get in protobuf: where they ask for the
//! version that is stored, and reading and writing the object changes nothing. Whether that is so is found out once
//! for every object, by making its form and comparing. From then on the stored bytes with the revision put in are the
//! form, and nothing has to be made or kept for it.

use bytes::{BufMut, Bytes, BytesMut};
use rhumb_codec::{Format, proto};
use rhumb_meta::GroupVersionKind;
use rhumb_schema::wire::{Payload, take_field, varint_len};
use rhumb_store::cache::Cached;

use super::Endpoint;
use super::forms::varint;
use crate::base::data::Data;
use crate::base::failure::Outcome;
use crate::registry::cached::{CachedObject, Stored};

/// The number of the metadata in every object, and of the revision in it.
const METADATA: u32 = 1;
const REVISION: u32 = 6;
/// What stands before each of them: the number, and that a length follows.
const METADATA_TAG: u8 = 0x0a;
const REVISION_TAG: u8 = 0x32;

/// An object's message.
#[derive(Debug)]
pub(crate) enum Message {
    /// As it was made.
    Made(Bytes),
    /// The stored one with the revision put in.
    Stored(Stamped),
}

impl Message {
    /// How many bytes it has.
    pub(crate) fn len(&self) -> usize {
        match self {
            Message::Made(bytes) => bytes.len(),
            Message::Stored(stamped) => stamped.len(),
        }
    }

    /// Appends it.
    pub(crate) fn put(&self, out: &mut BytesMut) {
        match self {
            Message::Made(bytes) => out.put_slice(bytes),
            Message::Stored(stamped) => stamped.put(out),
        }
    }

    /// Adds it behind a few bytes to what it shares its own with.
    pub(crate) fn share(&self, mut before: BytesMut, out: &mut Data) {
        let rest = match self {
            Message::Made(bytes) => bytes.clone(),
            Message::Stored(stamped) => {
                stamped.put_beginning(&mut before);
                stamped.rest()
            }
        };
        out.push(before.freeze());
        out.push(rest);
    }
}

/// A stored message with a revision put into its metadata.
#[derive(Debug)]
pub(crate) struct Stamped {
    stored: Bytes,
    /// Where in it the metadata begins, and how long that is.
    metadata: (usize, usize),
    /// Where in it the revision belongs, and how much it has there already.
    revision_at: (usize, usize),
    revision: u64,
}

impl Stamped {
    /// The stored message of an object; `None` if it is of another version than the one asked for, or not protobuf.
    fn of(cached: &Cached<CachedObject>, kind: &GroupVersionKind) -> Option<Self> {
        let envelope = proto::open(cached.value()).ok()?;
        let (group, version) = envelope.api_version.split_once('/').unwrap_or(("", envelope.api_version));
        if envelope.kind != kind.kind || version != kind.version || group != kind.group {
            return None;
        }
        let mut rest = envelope.raw;
        let (METADATA, Payload::Bytes(metadata)) = take_field(&mut rest).ok()? else { return None };
        let begin = envelope.raw.len() - rest.len() - metadata.len();
        let mut fields = metadata;
        let (mut at, mut there) = (metadata.len(), 0);
        while !fields.is_empty() {
            let before = fields.len();
            let (number, _) = take_field(&mut fields).ok()?;
            if number >= REVISION {
                at = metadata.len() - before;
                there = if number == REVISION { before - fields.len() } else { 0 };
                break;
            }
        }
        Some(Stamped {
            stored: cached.value().slice_ref(envelope.raw),
            metadata: (begin, metadata.len()),
            revision_at: (begin + at, there),
            revision: cached.revision().0,
        })
    }

    /// How long the field of the revision is.
    fn added(&self) -> usize {
        2 + digits(self.revision)
    }

    /// How long the metadata is with the revision.
    fn metadata_len(&self) -> usize {
        (self.metadata.1 + self.added()).saturating_sub(self.revision_at.1)
    }

    fn len(&self) -> usize {
        let (begin, length) = self.metadata;
        let new = self.metadata_len();
        let behind = self.stored.len().saturating_sub(begin + length);
        1 + varint_len(new as u64) + new + behind
    }

    fn put(&self, out: &mut BytesMut) {
        out.reserve(self.len());
        self.put_beginning(out);
        out.put_slice(&self.rest());
    }

    /// What stands behind the revision.
    fn rest(&self) -> Bytes {
        let (at, there) = self.revision_at;
        self.stored.slice((at + there).min(self.stored.len())..)
    }

    /// Appends everything up to the revision.
    fn put_beginning(&self, out: &mut BytesMut) {
        let (begin, _) = self.metadata;
        let (at, _) = self.revision_at;
        out.put_u8(METADATA_TAG);
        varint(self.metadata_len(), out);
        out.put_slice(self.stored.get(begin..at).unwrap_or_default());
        out.put_u8(REVISION_TAG);
        varint(digits(self.revision), out);
        let revision = self.revision.to_string();
        out.put_slice(revision.as_bytes());
    }
}

/// How many decimal digits a number has.
fn digits(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

impl Endpoint {
    /// An object of the cache in this version as protobuf.
    pub(crate) fn message(&self, cached: &Cached<CachedObject>) -> Outcome<Message> {
        let known = cached.object().stored();
        let usable = known != Stored::Differs && cached.object().broken().is_none();
        let stamped = if usable { Stamped::of(cached, &self.kind) } else { None };
        let Some(stamped) = stamped else { return self.form(cached, Format::Protobuf).map(Message::Made) };
        if known == Stored::IsForm {
            return Ok(Message::Stored(stamped));
        }
        let form = self.encode_cached(cached, Format::Protobuf)?;
        let mut bytes = BytesMut::with_capacity(stamped.len());
        stamped.put(&mut bytes);
        if form == bytes {
            cached.object().found(Stored::IsForm);
            return Ok(Message::Stored(stamped));
        }
        cached.object().found(Stored::Differs);
        self.form(cached, Format::Protobuf).map(Message::Made)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rhumb_store::cache::At;
    use rhumb_store::{Embedded, Options};

    use super::*;
    use crate::registry::deadline::deadline_of;
    use crate::{Api, ApiOptions, Environment};

    #[test]
    fn numbers_have_as_many_digits_as_they_are_written_with() {
        for number in [0, 1, 9, 10, 11, 99, 100, 12_345, u64::MAX] {
            assert_eq!(digits(number), number.to_string().len());
        }
    }

    #[tokio::test]
    async fn nothing_is_made_of_an_object_that_is_stored_as_it_is_read() {
        let store = Arc::new(Embedded::in_memory(Options::default()).unwrap());
        let api = Api::start(store, ApiOptions::default(), Environment::default()).await.unwrap();
        let resources = api.resources();
        for (group, version, resource, name) in [
            ("", "v1", "namespaces", "default"),
            ("rbac.authorization.k8s.io", "v1", "clusterroles", "cluster-admin"),
            ("flowcontrol.apiserver.k8s.io", "v1", "flowschemas", "exempt"),
        ] {
            let endpoint = resources.find(group, version, resource).unwrap();
            let storage = endpoint.storage.as_ref().unwrap();
            let (key, cache) = (storage.key("", name).unwrap(), storage.cache());
            let cached = cache.get(&key, At::Newest, deadline_of(cache, At::Newest)).await.unwrap().unwrap();
            let form = endpoint.encode_cached(&cached, Format::Protobuf).unwrap();
            for _ in 0..2 {
                let message = endpoint.message(&cached).unwrap();
                assert!(matches!(message, Message::Stored(_)), "{resource} {name}");
                let mut bytes = BytesMut::new();
                message.put(&mut bytes);
                assert_eq!((bytes.len(), bytes), (message.len(), form.clone().into()));
            }
            assert_eq!(cache.form_bytes(), 0);

            // A request that ended leaves no form behind that it may have cut short.
            let budget = rhumb_schema::budget::Budget::new(0);
            budget.stop();
            budget.scope(|| assert!(endpoint.form(&cached, Format::Json).is_err()));
            assert!(cached.kept(endpoint.form_id(Format::Json)).is_none());
            let form = endpoint.form(&cached, Format::Json).unwrap();
            assert_eq!(cached.kept(endpoint.form_id(Format::Json)), Some(form));
        }
        api.end();
    }
}
