//! The part of etcd's v3 API that a store needs: messages with their field numbers, and the methods that take them.
//!
//! The messages are declared here and not generated from etcd's `.proto` files, which would want protoc at build time.
//! What etcd declares as `int64` and never is negative is a `uint64` here, which has the same bytes.

use std::num::NonZeroU64;

use bytes::{BufMut, Bytes, BytesMut};
use prost::{Message, Oneof};

use crate::entry::{Entry, Key};
use crate::event::{Event, EventKind};
use crate::revision::Revision;
use crate::transaction::LeaseId;

/// The revision as etcd counts it: signed.
pub(super) fn signed(revision: Revision) -> i64 {
    i64::try_from(revision.0).unwrap_or(i64::MAX)
}

/// What every response begins with.
#[derive(Clone, Copy, PartialEq, Message)]
pub(super) struct Header {
    #[prost(uint64, tag = "3")]
    pub(super) revision: u64,
}

/// A response that tells the revision of the server.
pub(super) trait Dated {
    /// The revision; 0 if there is none.
    fn revision(&self) -> Revision;
}

macro_rules! dated {
    ($($response:ty),*) => {
        $(impl Dated for $response {
            fn revision(&self) -> Revision {
                Revision(self.header.map_or(0, |header| header.revision))
            }
        })*
    };
}

dated!(RangeResponse, TxnResponse, WatchResponse);

/// A key and what it holds.
#[derive(Clone, PartialEq, Message)]
pub(super) struct KeyValue {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) key: Bytes,
    #[prost(uint64, tag = "2")]
    pub(super) create_revision: u64,
    #[prost(uint64, tag = "3")]
    pub(super) mod_revision: u64,
    #[prost(uint64, tag = "4")]
    pub(super) version: u64,
    #[prost(bytes = "bytes", tag = "5")]
    pub(super) value: Bytes,
    #[prost(uint64, tag = "6")]
    pub(super) lease: u64,
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
#[derive(Clone, PartialEq, Message)]
pub(super) struct RangeRequest {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) key: Key,
    #[prost(bytes = "bytes", tag = "2")]
    pub(super) range_end: Key,
    #[prost(int64, tag = "3")]
    pub(super) limit: i64,
    #[prost(int64, tag = "4")]
    pub(super) revision: i64,
    #[prost(bool, tag = "9")]
    pub(super) count_only: bool,
}

/// The keys asked for.
#[derive(Clone, PartialEq, Message)]
pub(super) struct RangeResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) header: Option<Header>,
    #[prost(message, repeated, tag = "2")]
    pub(super) kvs: Vec<KeyValue>,
    #[prost(bool, tag = "3")]
    pub(super) more: bool,
    #[prost(uint64, tag = "4")]
    pub(super) count: u64,
}

/// Writes a key.
#[derive(Clone, PartialEq, Message)]
pub(super) struct PutRequest {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) key: Key,
    #[prost(bytes = "bytes", tag = "2")]
    pub(super) value: Bytes,
    #[prost(int64, tag = "3")]
    pub(super) lease: i64,
    /// Whether to tell what was there before.
    #[prost(bool, tag = "4")]
    pub(super) prev_kv: bool,
}

/// What a write replaced.
#[derive(Clone, PartialEq, Message)]
pub(super) struct PutResponse {
    #[prost(message, optional, tag = "2")]
    pub(super) prev_kv: Option<KeyValue>,
}

/// Removes a key.
#[derive(Clone, PartialEq, Message)]
pub(super) struct DeleteRangeRequest {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) key: Key,
    /// Whether to tell what was there before.
    #[prost(bool, tag = "3")]
    pub(super) prev_kv: bool,
}

/// What a removal removed.
#[derive(Clone, PartialEq, Message)]
pub(super) struct DeleteRangeResponse {
    #[prost(message, repeated, tag = "3")]
    pub(super) prev_kvs: Vec<KeyValue>,
}

/// An operation of a transaction.
#[derive(Clone, PartialEq, Message)]
pub(super) struct RequestOp {
    #[prost(oneof = "Operation", tags = "1, 2, 3")]
    pub(super) request: Option<Operation>,
}

/// The request that an operation of a transaction makes.
#[derive(Clone, PartialEq, Oneof)]
pub(super) enum Operation {
    #[prost(message, tag = "1")]
    Range(RangeRequest),
    #[prost(message, tag = "2")]
    Put(PutRequest),
    #[prost(message, tag = "3")]
    DeleteRange(DeleteRangeRequest),
}

impl From<Operation> for RequestOp {
    fn from(operation: Operation) -> Self {
        RequestOp { request: Some(operation) }
    }
}

/// The response to an operation of a transaction; one of the three is there.
#[derive(Clone, PartialEq, Message)]
pub(super) struct ResponseOp {
    #[prost(message, optional, tag = "1")]
    pub(super) range: Option<RangeResponse>,
    #[prost(message, optional, tag = "2")]
    pub(super) put: Option<PutResponse>,
    #[prost(message, optional, tag = "3")]
    pub(super) delete_range: Option<DeleteRangeResponse>,
}

/// A condition of a transaction.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Compare {
    // The result to compare for, equality, is 0 and so left out.
    /// What of the key is compared.
    #[prost(int32, tag = "2")]
    target: i32,
    #[prost(bytes = "bytes", tag = "3")]
    key: Key,
    /// One of a choice of fields, which is sent even if it is 0.
    #[prost(int64, optional, tag = "6")]
    mod_revision: Option<i64>,
}

impl Compare {
    /// Requires that a key was last changed at a revision; 0 requires that it is not there.
    pub(super) fn modified(key: Key, revision: i64) -> Self {
        const TARGET_MOD: i32 = 2;
        Compare { target: TARGET_MOD, key, mod_revision: Some(revision) }
    }
}

/// Conditions, what to do if they hold, and what if not.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TxnRequest {
    #[prost(message, repeated, tag = "1")]
    pub(super) compare: Vec<Compare>,
    #[prost(message, repeated, tag = "2")]
    pub(super) success: Vec<RequestOp>,
    #[prost(message, repeated, tag = "3")]
    pub(super) failure: Vec<RequestOp>,
}

/// What became of a transaction.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TxnResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) header: Option<Header>,
    #[prost(bool, tag = "2")]
    pub(super) succeeded: bool,
    #[prost(message, repeated, tag = "3")]
    pub(super) responses: Vec<ResponseOp>,
}

/// Forgets what was before a revision.
#[derive(Clone, PartialEq, Message)]
pub(super) struct CompactionRequest {
    #[prost(int64, tag = "1")]
    pub(super) revision: i64,
}

/// A response that says no more than that it was done.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Done {}

/// Asks for a lease.
#[derive(Clone, PartialEq, Message)]
pub(super) struct LeaseGrantRequest {
    /// How many seconds it lasts.
    #[prost(int64, tag = "1")]
    pub(super) ttl: i64,
}

/// The lease.
#[derive(Clone, PartialEq, Message)]
pub(super) struct LeaseGrantResponse {
    #[prost(uint64, tag = "2")]
    pub(super) id: u64,
}

/// Ends a lease.
#[derive(Clone, PartialEq, Message)]
pub(super) struct LeaseRevokeRequest {
    #[prost(uint64, tag = "1")]
    pub(super) id: u64,
}

/// Asks a member how it does.
#[derive(Clone, PartialEq, Message)]
pub(super) struct StatusRequest {}

/// How a member does.
#[derive(Clone, PartialEq, Message)]
pub(super) struct StatusResponse {
    #[prost(string, tag = "2")]
    pub(super) version: String,
}

/// A request on the stream of a watch.
#[derive(Clone, PartialEq, Message)]
pub(super) struct WatchRequest {
    #[prost(oneof = "WatchCommand", tags = "1, 3")]
    pub(super) request: Option<WatchCommand>,
}

/// What is asked for on the stream of a watch.
#[derive(Clone, PartialEq, Oneof)]
pub(super) enum WatchCommand {
    /// Begins the watch.
    #[prost(message, tag = "1")]
    Create(WatchCreateRequest),
    /// Asks up to where the watch has got.
    #[prost(message, tag = "3")]
    Progress(WatchProgressRequest),
}

impl From<WatchCommand> for WatchRequest {
    fn from(command: WatchCommand) -> Self {
        WatchRequest { request: Some(command) }
    }
}

/// Begins a watch.
#[derive(Clone, PartialEq, Message)]
pub(super) struct WatchCreateRequest {
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) key: Key,
    #[prost(bytes = "bytes", tag = "2")]
    pub(super) range_end: Key,
    #[prost(int64, tag = "3")]
    pub(super) start_revision: i64,
    /// Whether to tell from time to time that nothing happened.
    #[prost(bool, tag = "4")]
    pub(super) progress_notify: bool,
    /// Whether to tell what was there before.
    #[prost(bool, tag = "6")]
    pub(super) prev_kv: bool,
    /// Whether long responses may come in parts.
    #[prost(bool, tag = "8")]
    pub(super) fragment: bool,
}

/// Asks up to where a watch has got.
#[derive(Clone, PartialEq, Message)]
pub(super) struct WatchProgressRequest {}

/// A response on the stream of a watch.
#[derive(Clone, PartialEq, Message)]
pub(super) struct WatchResponse {
    #[prost(message, optional, tag = "1")]
    pub(super) header: Option<Header>,
    #[prost(bool, tag = "3")]
    pub(super) created: bool,
    #[prost(bool, tag = "4")]
    pub(super) canceled: bool,
    #[prost(uint64, tag = "5")]
    pub(super) compact_revision: u64,
    #[prost(string, tag = "6")]
    pub(super) cancel_reason: String,
    #[prost(bool, tag = "7")]
    pub(super) fragment: bool,
    #[prost(message, repeated, tag = "11")]
    pub(super) events: Vec<WatchEvent>,
}

/// A change of a key.
#[derive(Clone, PartialEq, Message)]
pub(super) struct WatchEvent {
    #[prost(int32, tag = "1")]
    pub(super) kind: i32,
    #[prost(message, optional, tag = "2")]
    pub(super) kv: Option<KeyValue>,
    #[prost(message, optional, tag = "3")]
    pub(super) prev_kv: Option<KeyValue>,
}

impl WatchEvent {
    /// The change in our words; none if etcd left out the key.
    pub(super) fn event(&self) -> Option<Event> {
        const DELETE: i32 = 1;
        let kv = self.kv.as_ref()?;
        let entry = kv.entry();
        let revision = entry.modified;
        let kind = if self.kind == DELETE { EventKind::Delete(entry.key) } else { EventKind::Put(entry) };
        Some(Event { revision, kind, previous: self.prev_kv.as_ref().map(KeyValue::entry) })
    }
}

/// A method that takes one message and gives one.
pub(super) trait Method: Message + Clone + 'static {
    /// What it gives.
    type Response: Message + Default + 'static;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &impl Message, expect: &[u8]) {
        assert_eq!(message.encode_to_vec(), expect);
    }

    #[test]
    fn requests_have_the_bytes_that_etcd_reads() {
        let key = Bytes::from_static(b"a");
        check(&Compare::modified(key.clone(), 0), b"\x10\x02\x1a\x01a\x30\x00");
        let value = Bytes::from_static(b"b");
        let put = PutRequest { key: key.clone(), value, lease: 5, prev_kv: true };
        check(&RequestOp::from(Operation::Put(put)), b"\x12\x0a\x0a\x01a\x12\x01b\x18\x05\x20\x01");
        let delete = DeleteRangeRequest { key: key.clone(), prev_kv: true };
        check(&RequestOp::from(Operation::DeleteRange(delete)), b"\x1a\x05\x0a\x01a\x18\x01");
        let range =
            RangeRequest { key: key.clone(), limit: 300, count_only: true, ..RangeRequest::default() };
        check(&RequestOp::from(Operation::Range(range)), b"\x0a\x08\x0a\x01a\x18\xac\x02\x48\x01");
        let create = WatchCreateRequest {
            key,
            range_end: Bytes::from_static(b"b"),
            start_revision: 7,
            progress_notify: true,
            prev_kv: true,
            fragment: true,
        };
        let bytes = b"\x0a\x0e\x0a\x01a\x12\x01b\x18\x07\x20\x01\x30\x01\x40\x01";
        check(&WatchRequest::from(WatchCommand::Create(create)), bytes);
        check(&WatchRequest::from(WatchCommand::Progress(WatchProgressRequest {})), b"\x1a\x00");
        check(&LeaseRevokeRequest { id: u64::MAX }, b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    }

    /// A response of the revision 7 with one key, and fields of numbers that no field of ours has.
    const RANGE: &[u8] = b"\x0a\x08\x08\x01\x10\x02\x18\x07\x20\x03\x12\x07\x0a\x01a\x18\x06\x2a\x00\
                          \x18\x01\x20\x02\x7d\0\0\0\0\x79\0\0\0\0\0\0\0\0";

    #[test]
    fn unknown_fields_are_skipped_and_bad_bytes_refused() {
        let response = RangeResponse::decode(RANGE).unwrap();
        assert_eq!((response.revision(), response.more, response.count), (Revision(7), true, 2));
        let [kv] = response.kvs.as_slice() else { panic!("{response:?}") };
        assert_eq!((&kv.key[..], kv.mod_revision), (&b"a"[..], 6));
        for end in [1, 5, 15, 20, 26] {
            assert!(RangeResponse::decode(&RANGE[..end]).is_err(), "{end}");
        }
        for bytes in [
            &b"\x0a\x05abc"[..],
            b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            b"\x0b",
            b"\x1a\x01x",
            b"\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        ] {
            assert!(RangeResponse::decode(bytes).is_err(), "{bytes:?}");
        }
    }
}
