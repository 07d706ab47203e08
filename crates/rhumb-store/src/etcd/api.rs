//! The part of etcd's v3 API that a store needs: messages with their field numbers, and the methods that take them.

use std::num::NonZeroU64;

use bytes::{BufMut, Bytes, BytesMut};

use super::wire::{Incoming, Malformed, Outgoing, Value, Writer};
use crate::entry::{Entry, Key};
use crate::event::{Event, EventKind};
use crate::revision::Revision;
use crate::transaction::LeaseId;

/// Declares what is received: a struct, and which field has which number and form.
macro_rules! incoming {
    ($(#[$doc:meta])* $name:ident { $($number:literal => $field:ident: $form:ident $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(super) struct $name {
            $(pub(super) $field: $type,)*
        }

        impl Incoming for $name {
            fn take(&mut self, number: u64, value: Value) -> Result<(), Malformed> {
                match number {
                    $($number => incoming!(@ $form self.$field, value),)*
                    _ => {}
                }
                Ok(())
            }
        }
    };
    (@ each $place:expr, $value:ident) => { $place.push($value.message()?) };
    (@ one $place:expr, $value:ident) => { $place = Some($value.message()?) };
    (@ header $place:expr, $value:ident) => { $place = $value.message::<Header>()?.revision };
    (@ $form:ident $place:expr, $value:ident) => { $place = $value.$form()? };
}

/// The revision as etcd counts it: signed.
pub(super) fn signed(revision: Revision) -> i64 {
    i64::try_from(revision.0).unwrap_or(i64::MAX)
}

incoming! {
    /// What every response begins with.
    Header {
        3 => revision: unsigned u64,
    }
}

incoming! {
    /// A key and what it holds.
    KeyValue {
        1 => key: bytes Bytes,
        2 => create_revision: unsigned u64,
        3 => mod_revision: unsigned u64,
        4 => version: unsigned u64,
        5 => value: bytes Bytes,
        6 => lease: unsigned u64,
    }
}

impl KeyValue {
    /// The entry, with bytes of its own: it would otherwise keep the whole response in memory.
    pub(super) fn entry(&self) -> Entry {
        let mut own = BytesMut::with_capacity(self.key.len() + self.value.len());
        own.put_slice(&self.key);
        let key = own.split().freeze();
        own.put_slice(&self.value);
        Entry {
            key,
            value: own.freeze(),
            created: Revision(self.create_revision),
            modified: Revision(self.mod_revision),
            version: self.version,
            lease: NonZeroU64::new(self.lease).map(LeaseId),
        }
    }
}

/// Asks for keys.
#[derive(Clone, Debug, Default)]
pub(super) struct RangeRequest {
    pub(super) key: Key,
    pub(super) range_end: Key,
    pub(super) limit: i64,
    pub(super) revision: i64,
    pub(super) count_only: bool,
}

impl Outgoing for RangeRequest {
    fn write(&self, out: &mut Writer) {
        out.bytes(1, &self.key);
        out.bytes(2, &self.range_end);
        out.signed(3, self.limit);
        out.signed(4, self.revision);
        out.flag(9, self.count_only);
    }
}

incoming! {
    /// The keys asked for.
    RangeResponse {
        1 => revision: header u64,
        2 => kvs: each Vec<KeyValue>,
        3 => more: flag bool,
        4 => count: unsigned u64,
    }
}

/// Something that a transaction does.
#[derive(Clone, Debug)]
pub(super) enum RequestOp {
    Range(RangeRequest),
    Put { key: Key, value: Bytes, lease: i64 },
    Delete { key: Key },
}

impl Outgoing for RequestOp {
    fn write(&self, out: &mut Writer) {
        match self {
            RequestOp::Range(range) => out.message(1, range),
            RequestOp::Put { key, value, lease } => out.nested(2, |put| {
                put.bytes(1, key);
                put.bytes(2, value);
                put.signed(3, *lease);
                put.flag(PUT_PREVIOUS, true);
            }),
            RequestOp::Delete { key } => out.nested(3, |delete| {
                delete.bytes(1, key);
                delete.flag(DELETE_PREVIOUS, true);
            }),
        }
    }
}

/// The field by which a write asks for what was there before.
const PUT_PREVIOUS: u64 = 4;
/// The field by which a removal asks for what was there before.
const DELETE_PREVIOUS: u64 = 3;

/// Requires that a key was last changed at a revision; 0 requires that it is not there.
#[derive(Clone, Debug)]
pub(super) struct Compare {
    pub(super) key: Key,
    pub(super) mod_revision: i64,
}

impl Outgoing for Compare {
    fn write(&self, out: &mut Writer) {
        const TARGET_MOD: u64 = 2;
        // The result to compare for, equality, is 0 and so left out.
        out.unsigned(2, TARGET_MOD);
        out.bytes(3, &self.key);
        out.always_signed(6, self.mod_revision);
    }
}

/// Conditions, what to do if they hold, and what if not.
#[derive(Clone, Debug, Default)]
pub(super) struct TxnRequest {
    pub(super) compare: Vec<Compare>,
    pub(super) success: Vec<RequestOp>,
    pub(super) failure: Vec<RequestOp>,
}

impl Outgoing for TxnRequest {
    fn write(&self, out: &mut Writer) {
        self.compare.iter().for_each(|compare| out.message(1, compare));
        self.success.iter().for_each(|op| out.message(2, op));
        self.failure.iter().for_each(|op| out.message(3, op));
    }
}

incoming! {
    /// What a write replaced.
    PutResponse {
        2 => previous: one Option<KeyValue>,
    }
}

incoming! {
    /// What a removal removed.
    DeleteResponse {
        3 => previous: each Vec<KeyValue>,
    }
}

incoming! {
    /// What became of one thing that a transaction did; one of the three is there.
    ResponseOp {
        1 => range: one Option<RangeResponse>,
        2 => put: one Option<PutResponse>,
        3 => delete: one Option<DeleteResponse>,
    }
}

incoming! {
    /// What became of a transaction.
    TxnResponse {
        1 => revision: header u64,
        2 => succeeded: flag bool,
        3 => responses: each Vec<ResponseOp>,
    }
}

/// Forgets what was before a revision.
#[derive(Clone, Debug)]
pub(super) struct CompactionRequest {
    pub(super) revision: i64,
}

impl Outgoing for CompactionRequest {
    fn write(&self, out: &mut Writer) {
        out.signed(1, self.revision);
    }
}

incoming! {
    /// An answer that says no more than that it was done.
    Done {
        1 => revision: header u64,
    }
}

/// Asks for a lease.
#[derive(Clone, Debug)]
pub(super) struct LeaseGrantRequest {
    pub(super) seconds: i64,
}

impl Outgoing for LeaseGrantRequest {
    fn write(&self, out: &mut Writer) {
        out.signed(1, self.seconds);
    }
}

incoming! {
    /// The lease.
    LeaseGrantResponse {
        2 => id: unsigned u64,
    }
}

/// Ends a lease.
#[derive(Clone, Debug)]
pub(super) struct LeaseRevokeRequest {
    pub(super) id: u64,
}

impl Outgoing for LeaseRevokeRequest {
    fn write(&self, out: &mut Writer) {
        out.unsigned(1, self.id);
    }
}

/// Asks a member how it does.
#[derive(Clone, Debug)]
pub(super) struct StatusRequest;

impl Outgoing for StatusRequest {
    fn write(&self, _: &mut Writer) {}
}

incoming! {
    /// How a member does.
    StatusResponse {
        2 => version: text String,
    }
}

/// Said on the stream of a watch.
#[derive(Clone, Debug)]
pub(super) enum WatchRequest {
    /// Begins the watch.
    Create { key: Key, range_end: Key, start_revision: i64 },
    /// Asks up to where the watch has got.
    Progress,
}

impl Outgoing for WatchRequest {
    fn write(&self, out: &mut Writer) {
        match self {
            WatchRequest::Create { key, range_end, start_revision } => out.nested(1, |create| {
                create.bytes(1, key);
                create.bytes(2, range_end);
                create.signed(3, *start_revision);
                create.flag(WATCH_PROGRESS_NOTIFY, true);
                create.flag(WATCH_PREVIOUS, true);
                create.flag(WATCH_FRAGMENT, true);
            }),
            WatchRequest::Progress => out.nested(3, |_| {}),
        }
    }
}

/// The field by which a watch asks to hear from time to time that nothing happened.
const WATCH_PROGRESS_NOTIFY: u64 = 4;
/// The field by which a watch asks for what was there before.
const WATCH_PREVIOUS: u64 = 6;
/// The field by which a watch allows long responses to come in parts.
const WATCH_FRAGMENT: u64 = 8;

incoming! {
    /// Heard on the stream of a watch.
    WatchResponse {
        1 => revision: header u64,
        3 => created: flag bool,
        4 => canceled: flag bool,
        5 => compact_revision: unsigned u64,
        6 => cancel_reason: text String,
        7 => fragment: flag bool,
        11 => events: each Vec<WatchEvent>,
    }
}

incoming! {
    /// A change of a key.
    WatchEvent {
        1 => kind: unsigned u64,
        2 => kv: one Option<KeyValue>,
        3 => previous: one Option<KeyValue>,
    }
}

impl WatchEvent {
    /// The change in our words; none if etcd left out the key.
    pub(super) fn event(&self) -> Option<Event> {
        const DELETE: u64 = 1;
        let kv = self.kv.as_ref()?;
        let entry = kv.entry();
        let revision = entry.modified;
        let kind = if self.kind == DELETE { EventKind::Delete(entry.key) } else { EventKind::Put(entry) };
        Some(Event { revision, kind, previous: self.previous.as_ref().map(KeyValue::entry) })
    }
}

/// A method that takes one message and gives one.
pub(super) trait Method: Outgoing + Clone + Sync {
    /// What it gives.
    type Response: Incoming;
    /// Where it is.
    const PATH: &'static str;
    /// Whether nothing is different if it is done twice.
    const READS: bool;
}

macro_rules! methods {
    ($($request:ty => $response:ty, $path:literal, reads: $reads:literal;)*) => {
        $(impl Method for $request {
            type Response = $response;
            const PATH: &'static str = $path;
            const READS: bool = $reads;
        })*
    };
}

methods! {
    RangeRequest => RangeResponse, "/etcdserverpb.KV/Range", reads: true;
    TxnRequest => TxnResponse, "/etcdserverpb.KV/Txn", reads: false;
    CompactionRequest => Done, "/etcdserverpb.KV/Compact", reads: false;
    LeaseGrantRequest => LeaseGrantResponse, "/etcdserverpb.Lease/LeaseGrant", reads: false;
    LeaseRevokeRequest => Done, "/etcdserverpb.Lease/LeaseRevoke", reads: false;
    StatusRequest => StatusResponse, "/etcdserverpb.Maintenance/Status", reads: true;
}

/// Where watches are.
pub(super) const WATCH_PATH: &str = "/etcdserverpb.Watch/Watch";
