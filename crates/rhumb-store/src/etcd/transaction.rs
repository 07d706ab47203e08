//! Transactions in etcd's words.

use super::api::{
    Compare, Dated, DeleteRangeRequest, KeyValue, Operation, PutRequest, RangeRequest, ResponseOp,
    TxnRequest, TxnResponse, signed,
};
use crate::entry::Entry;
use crate::error::StoreError;
use crate::revision::Revision;
use crate::transaction::{Change, Committed, Expected, Outcome, Transaction};

/// What to ask etcd for. If a condition doesn't hold, it is to tell what all the keys with a condition hold.
pub(super) fn request(transaction: &Transaction) -> Result<TxnRequest, StoreError> {
    let mut request = TxnRequest::default();
    for condition in &transaction.conditions {
        let mod_revision = match condition.expected {
            Expected::Absent => 0,
            // To etcd, 0 is the revision of keys that are not there. No key was changed then: it can't hold.
            Expected::At(Revision::ZERO) => i64::MAX,
            Expected::At(revision) => signed(revision),
        };
        request.compare.push(Compare::modified(condition.key.clone(), mod_revision));
        let range = RangeRequest { key: condition.key.clone(), ..RangeRequest::default() };
        request.failure.push(Operation::Range(range).into());
    }
    for change in &transaction.changes {
        let operation = match change {
            Change::Put { key, value, lease } => {
                let lease = lease.map_or(Ok(0), |lease| i64::try_from(lease.0.get()));
                let lease = lease.map_err(|_| StoreError::NoLease)?;
                let (key, value) = (key.clone(), value.clone());
                Operation::Put(PutRequest { key, value, lease, prev_kv: true })
            }
            Change::Delete { key } => {
                Operation::DeleteRange(DeleteRangeRequest { key: key.clone(), prev_kv: true })
            }
        };
        request.success.push(operation.into());
    }
    Ok(request)
}

/// What etcd's answer to a transaction means.
pub(super) fn outcome(transaction: &Transaction, response: &TxnResponse) -> Result<Outcome, StoreError> {
    let revision = response.revision();
    let asked = if response.succeeded { transaction.changes.len() } else { transaction.conditions.len() };
    if response.responses.len() != asked {
        return Err(StoreError::Unavailable("the server answered only a part of a transaction".to_owned()));
    }
    if !response.succeeded {
        let found =
            |op: &ResponseOp| op.range.as_ref().and_then(|range| range.kvs.first()).map(KeyValue::entry);
        return Ok(Outcome::Refused { revision, found: response.responses.iter().map(found).collect() });
    }
    let left = transaction.changes.iter().zip(&response.responses);
    let entries = left.map(|(change, op)| left_behind(change, op, revision)).collect();
    Ok(Outcome::Committed(Committed { revision, entries }))
}

/// What a change left behind: the entry written, which follows from the one before, or the one removed.
fn left_behind(change: &Change, op: &ResponseOp, revision: Revision) -> Option<Entry> {
    match change {
        Change::Put { key, value, lease } => {
            let previous = op.put.as_ref().and_then(|put| put.prev_kv.as_ref());
            Some(Entry {
                key: key.clone(),
                value: value.clone(),
                created: previous.map_or(revision, |previous| Revision(previous.create_revision)),
                modified: revision,
                version: previous.map_or(0, |previous| previous.version).saturating_add(1),
                lease: *lease,
            })
        }
        Change::Delete { .. } => op.delete_range.as_ref()?.prev_kvs.first().map(KeyValue::entry),
    }
}
