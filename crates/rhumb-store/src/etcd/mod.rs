//! etcd, from 3.4 on, through its gRPC API: for an API server on more than one machine.
//!
//! The state is all in etcd; here are connections only. Reads are linearizable, every transaction is one of etcd's,
//! and keys and values are what they are, so that a kube-apiserver can work on the same etcd.
//!
//! A request is tried at one member after the other until [`Config::request_timeout`] is over, but a write that may
//! have reached a server is not sent again: it then ends with [`StoreError::Timeout`] or
//! [`StoreError::Unavailable`], and whether it happened is not known. A watch never ends because of a lost
//! connection.

mod api;
mod cluster;
mod config;
mod outbox;
mod status;
mod transaction;
mod version;
mod watch;

use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

pub use self::config::{Config, Tls};
pub use self::status::wording;

use self::api::{
    CompactionRequest, Dated, KeyValue, LeaseGrantRequest, LeaseRevokeRequest, RangeRequest, signed,
};
use self::cluster::{Cluster, Repeat};
use self::status::Failure;
use self::watch::EtcdWatch;
use crate::entry::{Entry, Key};
use crate::error::StoreError;
use crate::revision::Revision;
use crate::store::{Answer, Page, Range, Store, Watch};
use crate::transaction::{LeaseId, Outcome, Transaction};

/// The key before all others, which stands for "from the first" and, as an end, for "to the last".
const FIRST: Bytes = Bytes::from_static(b"\0");

/// A store in an etcd.
pub struct Etcd {
    cluster: Arc<Cluster>,
    request_limit: usize,
    progress_interval: Duration,
}

impl std::fmt::Debug for Etcd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Etcd").finish_non_exhaustive()
    }
}

impl Etcd {
    /// Connects to an etcd. To be called within a Tokio runtime, which keeps the connections.
    ///
    /// # Errors
    /// If an endpoint or a certificate can't be used, or no member answers in time.
    pub async fn connect(config: Config) -> Result<Self, StoreError> {
        let cluster = Arc::new(Cluster::new(&config)?);
        let Config { request_limit, progress_interval, .. } = config;
        let etcd = Etcd { cluster, request_limit, progress_interval };
        etcd.revision().await?;
        Ok(etcd)
    }

    /// What a failed request means to who made it: one of a size, for a revision.
    async fn error(&self, failure: Failure, size: usize, at: Revision) -> StoreError {
        match failure {
            Failure::Compacted => {
                let oldest = watch::oldest(&self.cluster).await;
                StoreError::Compacted { oldest: oldest.unwrap_or(at.next()) }
            }
            Failure::Future => match self.read_revision().await {
                Ok(newest) => StoreError::Future { newest },
                Err(Failure::Other(why) | Failure::Elsewhere { why, .. }) => StoreError::Unavailable(why),
                Err(_) => StoreError::Timeout,
            },
            Failure::TooLarge => StoreError::TooLarge { size, limit: self.request_limit },
            Failure::Invalid(why) => StoreError::Invalid(why),
            Failure::NoLease => StoreError::NoLease,
            Failure::TimedOut => StoreError::Timeout,
            Failure::Other(why) | Failure::Elsewhere { why, .. } => StoreError::Unavailable(why),
        }
    }

    async fn read_revision(&self) -> Result<Revision, Failure> {
        let request = RangeRequest { key: FIRST, count_only: true, ..RangeRequest::default() };
        Ok(self.cluster.call(request).await?.revision())
    }

    async fn read(
        &self,
        request: RangeRequest,
        at: Option<Revision>,
    ) -> Result<api::RangeResponse, StoreError> {
        // To etcd, revision 0 is now. Its first revision, before anything was written, is 1.
        let revision = at.map_or(0, |at| signed(at).max(1));
        match self.cluster.call(RangeRequest { revision, ..request }).await {
            Ok(response) => Ok(response),
            Err(failure) => Err(self.error(failure, 0, at.unwrap_or_default()).await),
        }
    }
}

/// The keys with a prefix, as etcd wants it: the first, and the first one that is not.
fn keys_with(prefix: &Key) -> (Key, Key) {
    if prefix.is_empty() {
        return (FIRST, FIRST);
    }
    let kept = prefix.iter().rposition(|byte| *byte != 0xff);
    let end = kept.and_then(|last| prefix.get(..=last)).map(|kept| {
        let mut end = kept.to_vec();
        if let Some(last) = end.last_mut() {
            *last = last.saturating_add(1);
        }
        Bytes::from(end)
    });
    (prefix.clone(), end.unwrap_or(FIRST))
}

impl Store for Etcd {
    fn get(&self, key: Key, at: Option<Revision>) -> Answer<'_, (Option<Entry>, Revision)> {
        Box::pin(async move {
            let response = self.read(RangeRequest { key, ..RangeRequest::default() }, at).await?;
            Ok((response.kvs.first().map(KeyValue::entry), response.revision()))
        })
    }

    fn range(&self, range: Range) -> Answer<'_, Page> {
        Box::pin(async move {
            let (first, range_end) = keys_with(&range.prefix);
            let limit = i64::try_from(range.limit).unwrap_or(i64::MAX);
            let request =
                RangeRequest { key: first.max(range.start), range_end, limit, ..RangeRequest::default() };
            let response = self.read(request, range.at).await?;
            Ok(Page {
                revision: range.at.unwrap_or(response.revision()),
                entries: response.kvs.iter().map(KeyValue::entry).collect(),
                more: response.more,
            })
        })
    }

    fn count(&self, prefix: Key) -> Answer<'_, usize> {
        Box::pin(async move {
            let (key, range_end) = keys_with(&prefix);
            let request = RangeRequest { key, range_end, count_only: true, ..RangeRequest::default() };
            let response = self.read(request, None).await?;
            Ok(usize::try_from(response.count).unwrap_or(usize::MAX))
        })
    }

    fn revision(&self) -> Answer<'_, Revision> {
        Box::pin(async move {
            match self.read_revision().await {
                Ok(revision) => Ok(revision),
                Err(failure) => Err(self.error(failure, 0, Revision::ZERO).await),
            }
        })
    }

    fn commit(&self, transaction: Transaction) -> Answer<'_, Outcome> {
        Box::pin(async move {
            let size = transaction.size();
            let request = transaction::request(&transaction)?;
            let repeat = if transaction.changes.is_empty() { Repeat::Freely } else { Repeat::IfUnsent };
            match self.cluster.call_as(request, repeat).await {
                Ok(response) => transaction::outcome(&transaction, &response),
                Err(failure) => Err(self.error(failure, size, Revision::ZERO).await),
            }
        })
    }

    fn watch(&self, prefix: Key, from: Revision) -> Answer<'_, Watch> {
        Box::pin(async move {
            let cluster = Arc::clone(&self.cluster);
            let mut watch = EtcdWatch::new(cluster, keys_with(&prefix), from, self.progress_interval);
            watch.start().await?;
            Ok(Watch::new(watch))
        })
    }

    fn compact(&self, before: Revision) -> Answer<'_, ()> {
        Box::pin(async move {
            match self.cluster.call(CompactionRequest { revision: signed(before) }).await {
                Ok(_) => Ok(()),
                Err(failure) => match self.error(failure, 0, before).await {
                    // etcd also refuses to do what is done already.
                    StoreError::Compacted { oldest } if oldest == before => Ok(()),
                    error => Err(error),
                },
            }
        })
    }

    fn grant(&self, time_to_live: Duration) -> Answer<'_, LeaseId> {
        Box::pin(async move {
            // etcd counts seconds, and a lease must not expire too early.
            let whole = time_to_live.as_secs().saturating_add(u64::from(time_to_live.subsec_nanos() > 0));
            let seconds = i64::try_from(whole).unwrap_or(i64::MAX).max(1);
            match self.cluster.call(LeaseGrantRequest { ttl: seconds }).await {
                Ok(response) => match NonZeroU64::new(response.id) {
                    Some(id) => Ok(LeaseId(id)),
                    None => {
                        Err(StoreError::Unavailable("the server granted a lease without a number".to_owned()))
                    }
                },
                Err(failure) => Err(self.error(failure, 0, Revision::ZERO).await),
            }
        })
    }

    fn revoke(&self, lease: LeaseId) -> Answer<'_, ()> {
        Box::pin(async move {
            match self.cluster.call(LeaseRevokeRequest { id: lease.0.get() }).await {
                Ok(_) => Ok(()),
                Err(failure) => Err(self.error(failure, 0, Revision::ZERO).await),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_before_the_next_key_that_has_it_not() {
        for (prefix, first, end) in [
            (&b""[..], &b"\0"[..], &b"\0"[..]),
            (b"/a/", b"/a/", b"/a0"),
            (b"a\xff", b"a\xff", b"b"),
            (b"\xff\xff", b"\xff\xff", b"\0"),
        ] {
            let expect = (Bytes::from_static(first), Bytes::from_static(end));
            assert_eq!(keys_with(&Bytes::from_static(prefix)), expect, "{prefix:?}");
        }
    }
}
