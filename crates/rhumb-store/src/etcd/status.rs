//! The one place that knows etcd's errors: what a status means for a store, and how Kubernetes words it.
//!
//! etcd tells several errors of one code apart by their text only, so this is also the one place that reads texts.

use std::error::Error;

use tonic::{Code, ConnectError, Status};

use crate::error::StoreError;

const COMPACTED: &str = "etcdserver: mvcc: required revision has been compacted";
const FUTURE: &str = "etcdserver: mvcc: required revision is a future revision";
const TOO_LARGE: &str = "etcdserver: request is too large";
/// Transactions that etcd takes for none.
const INVALID: [&str; 3] = [
    "etcdserver: duplicate key given in txn request",
    "etcdserver: key is not provided",
    "etcdserver: too many operations in txn request",
];
const NO_LEASE: &str = "etcdserver: requested lease not found";
const TIMED_OUT: &str = "etcdserver: request timed out";

/// What a failed call means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The revision asked for is compacted. Up to where is not said.
    Compacted,
    /// The revision asked for has not happened yet.
    Future,
    /// The request is larger than the server takes.
    TooLarge,
    /// The request makes no sense to the server.
    Invalid(String),
    /// There is no such lease.
    NoLease,
    /// The server gave up waiting for its fellows.
    TimedOut,
    /// The server said something else; asking again doesn't help.
    Other(String),
    /// The server can't serve now, or went away; another may serve.
    Elsewhere {
        /// What happened.
        why: String,
        /// Whether the request may have reached the server.
        sent: bool,
    },
}

impl Failure {
    /// What a status says.
    pub(super) fn of(status: &Status) -> Failure {
        let text = status.message();
        match status.code() {
            // A status that has a source was not sent by the server but made here.
            _ if status.source().is_some() => {
                Failure::Elsewhere { why: chain(status), sent: !is_connecting(status) }
            }
            Code::OutOfRange if text == COMPACTED => Failure::Compacted,
            Code::OutOfRange if text == FUTURE => Failure::Future,
            Code::InvalidArgument if text == TOO_LARGE => Failure::TooLarge,
            Code::InvalidArgument if INVALID.contains(&text) => Failure::Invalid(text.to_owned()),
            // The limit of the transport, which is a little above that of etcd.
            Code::ResourceExhausted if text.contains("message larger than max") => Failure::TooLarge,
            Code::NotFound if text == NO_LEASE => Failure::NoLease,
            // There are some more, which say what the reason may have been.
            Code::Unavailable if text.starts_with(TIMED_OUT) => Failure::TimedOut,
            Code::DeadlineExceeded => Failure::TimedOut,
            Code::Unavailable | Code::Cancelled => Failure::Elsewhere { why: text.to_owned(), sent: true },
            _ => Failure::Other(text.to_owned()),
        }
    }

    /// What the reason means that a server gives for ending a watch.
    pub(super) fn of_reason(reason: &str) -> Failure {
        match reason {
            COMPACTED => Failure::Compacted,
            _ => Failure::Other(reason.to_owned()),
        }
    }
}

/// Whether the connection could not even be made.
fn is_connecting(status: &Status) -> bool {
    let mut source = status.source();
    while let Some(error) = source {
        if error.is::<ConnectError>() {
            return true;
        }
        source = error.source();
    }
    false
}

/// The innermost cause is what tells a person what to do: "connection refused", "bad certificate".
fn chain(status: &Status) -> String {
    let mut text = status.message().to_owned();
    let mut source = status.source();
    while let Some(error) = source {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        source = error.source();
    }
    text
}

/// An error in the words that a kube-apiserver shows for it, which are those of etcd.
pub fn wording(error: &StoreError) -> String {
    match error {
        StoreError::Compacted { .. } => COMPACTED.to_owned(),
        StoreError::Future { .. } => FUTURE.to_owned(),
        StoreError::TooLarge { .. } => TOO_LARGE.to_owned(),
        StoreError::NoLease => NO_LEASE.to_owned(),
        StoreError::Timeout => TIMED_OUT.to_owned(),
        StoreError::Invalid(why) | StoreError::Unavailable(why) => why.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_told_apart_by_code_and_text() {
        let elsewhere = |why: &str| Failure::Elsewhere { why: why.to_owned(), sent: true };
        for (code, text, expect) in [
            (Code::OutOfRange, COMPACTED, Failure::Compacted),
            (Code::OutOfRange, FUTURE, Failure::Future),
            (
                Code::OutOfRange,
                "etcdserver: too large lease TTL",
                Failure::Other("etcdserver: too large lease TTL".to_owned()),
            ),
            (Code::InvalidArgument, TOO_LARGE, Failure::TooLarge),
            (
                Code::ResourceExhausted,
                "grpc: received message larger than max (2097200 vs. 2097152)",
                Failure::TooLarge,
            ),
            (
                Code::ResourceExhausted,
                "etcdserver: mvcc: database space exceeded",
                Failure::Other("etcdserver: mvcc: database space exceeded".to_owned()),
            ),
            (Code::InvalidArgument, INVALID[0], Failure::Invalid(INVALID[0].to_owned())),
            (Code::NotFound, NO_LEASE, Failure::NoLease),
            (Code::Unavailable, TIMED_OUT, Failure::TimedOut),
            (
                Code::Unavailable,
                "etcdserver: request timed out, possibly due to previous leader failure",
                Failure::TimedOut,
            ),
            (Code::Unavailable, "etcdserver: no leader", elsewhere("etcdserver: no leader")),
        ] {
            assert_eq!(Failure::of(&Status::new(code, text)), expect, "{code:?} {text}");
        }
    }
}
