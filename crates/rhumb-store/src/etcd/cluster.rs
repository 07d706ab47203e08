//! The members of an etcd: which one to ask, and what to do when it doesn't answer.
//!
//! Calls go round the members. One that can't be reached is passed over for a while that grows with each failure;
//! when none is left, they are tried again after a pause. A read is asked again elsewhere whatever happened; a write
//! only if it surely didn't reach a server.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use http::uri::PathAndQuery;
use parking_lot::Mutex;
use tokio::time::{Instant, sleep, timeout};
use tonic::client::Grpc;
use tonic::codec::Streaming;
use tonic::metadata::MetadataValue;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};
use tonic_prost::ProstCodec;

use super::api::{Method, StatusRequest, WATCH_PATH, WatchRequest, WatchResponse};
use super::config::Config;
use super::outbox::Outbox;
use super::status::Failure;
use super::version::Version;
use crate::error::StoreError;

/// How much of a watch may be on its way. Small, because a watch that nobody reads holds it until its end.
const WATCH_WINDOW: u32 = 1 << 18;
/// How much of all watches of a member together may be on its way: so much that those that nobody reads don't keep the
/// others from going on.
const WATCHES_WINDOW: u32 = 1 << 30;

/// All members.
pub(super) struct Cluster {
    members: Vec<Member>,
    turn: AtomicUsize,
    jitter: Jitter,
    request_timeout: Duration,
}

/// A member. Watches have a connection of their own, so that a slow one never holds up an answer.
struct Member {
    calls: Channel,
    watches: Channel,
    health: Mutex<Health>,
}

/// What is known of a member.
#[derive(Default)]
struct Health {
    failures: u32,
    avoid_until: Option<Instant>,
}

/// Whether a request may be sent again when it is not known what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeat {
    /// It changes nothing: it may.
    Freely,
    /// It may only if it surely was not sent.
    IfUnsent,
}

impl Cluster {
    /// The members that a configuration names. Connections are made when they are needed.
    pub(super) fn new(config: &Config) -> Result<Self, StoreError> {
        let member = |endpoint: Endpoint| Member {
            watches: endpoint
                .clone()
                .initial_stream_window_size(WATCH_WINDOW)
                .initial_connection_window_size(WATCHES_WINDOW)
                .connect_lazy(),
            calls: endpoint.connect_lazy(),
            health: Mutex::default(),
        };
        Ok(Cluster {
            members: config.resolved()?.into_iter().map(member).collect(),
            turn: AtomicUsize::new(0),
            jitter: Jitter(AtomicU64::new(config.seed)),
            request_timeout: config.request_timeout,
        })
    }

    /// How long a request may take.
    pub(super) fn request_timeout(&self) -> Duration {
        self.request_timeout
    }

    /// Calls a method at some member.
    pub(super) async fn call<M: Method>(&self, request: M) -> Result<M::Response, Failure> {
        self.call_as(request, if M::READS { Repeat::Freely } else { Repeat::IfUnsent }).await
    }

    /// Calls a method where it depends on the request whether it may be sent again.
    pub(super) async fn call_as<M: Method>(
        &self,
        request: M,
        repeat: Repeat,
    ) -> Result<M::Response, Failure> {
        // What the last attempt ended with, while no other is under way.
        let mut last = None;
        let attempts = async {
            for attempt in 0_usize.. {
                last = None;
                let Some(member) = self.next() else { break };
                match member.call(request.clone()).await {
                    Ok(response) => {
                        member.answered();
                        return Ok(response);
                    }
                    Err(Failure::Elsewhere { why, sent }) => {
                        member.failed(&self.jitter);
                        let failure = Failure::Elsewhere { why, sent };
                        if sent && repeat == Repeat::IfUnsent {
                            return Err(failure);
                        }
                        last = Some(failure);
                    }
                    Err(failure) => {
                        member.answered();
                        return Err(failure);
                    }
                }
                if (attempt + 1).is_multiple_of(self.members.len()) {
                    sleep(self.pause(attempt / self.members.len())).await;
                }
            }
            Err(Failure::TimedOut)
        };
        let ended = timeout(self.request_timeout, attempts).await;
        ended.unwrap_or_else(|_| Err(last.unwrap_or(Failure::TimedOut)))
    }

    /// Opens a stream for a watch at the next member.
    pub(super) async fn watch(&self, requests: Outbox<WatchRequest>) -> Result<Opened, Failure> {
        let Some(member) = self.next() else { return Err(Failure::TimedOut) };
        let mut request = Request::new(requests);
        // A member that lost its leader would otherwise stay silent, and the watch with it.
        request.metadata_mut().insert("hasleader", MetadataValue::from_static("true"));
        let mut grpc = Grpc::new(member.watches.clone()).max_decoding_message_size(usize::MAX);
        let opened = async {
            grpc.ready().await.map_err(|error| Status::from_error(error.into()))?;
            grpc.streaming(request, PathAndQuery::from_static(WATCH_PATH), ProstCodec::default()).await
        };
        let failure = match timeout(self.request_timeout, opened).await {
            Ok(Ok(response)) => {
                member.answered();
                let status = timeout(self.request_timeout, member.call(StatusRequest {})).await;
                let version = match status {
                    Ok(Ok(status)) => Version::read(&status.version),
                    _ => Version::UNKNOWN,
                };
                return Ok(Opened { responses: response.into_inner(), version });
            }
            Ok(Err(status)) => Failure::of(&status),
            Err(_) => Failure::TimedOut,
        };
        member.failed(&self.jitter);
        Err(failure)
    }

    /// How long to wait after so many failures.
    pub(super) fn pause(&self, failures: usize) -> Duration {
        self.jitter.spread(backoff(failures))
    }

    /// The member whose turn it is, or the first one after it that is not to be avoided.
    fn next(&self) -> Option<&Member> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) % self.members.len().max(1);
        let (before, from) = self.members.split_at_checked(turn)?;
        let now = Instant::now();
        let order = || from.iter().chain(before);
        order()
            .find(|member| member.health.lock().avoid_until.is_none_or(|until| until <= now))
            .or(order().next())
    }
}

/// A stream of a watch.
pub(super) struct Opened {
    /// What comes from the server.
    pub(super) responses: Streaming<WatchResponse>,
    /// What the server can do.
    pub(super) version: Version,
}

impl Member {
    async fn call<M: Method>(&self, request: M) -> Result<M::Response, Failure> {
        let mut grpc = Grpc::new(self.calls.clone()).max_decoding_message_size(usize::MAX);
        let called = async {
            grpc.ready().await.map_err(|error| Status::from_error(error.into()))?;
            let path = PathAndQuery::from_static(M::PATH);
            grpc.unary(Request::new(request), path, ProstCodec::<M, M::Response>::default()).await
        };
        match called.await {
            Ok(response) => Ok(response.into_inner()),
            Err(status) => Err(Failure::of(&status)),
        }
    }

    fn answered(&self) {
        *self.health.lock() = Health::default();
    }

    fn failed(&self, jitter: &Jitter) {
        let mut health = self.health.lock();
        let pause = jitter.spread(backoff(health.failures as usize));
        health.failures = health.failures.saturating_add(1);
        health.avoid_until = Some(Instant::now() + pause);
    }
}

/// 50 milliseconds at first, then twice as long each time, up to 3 seconds.
fn backoff(failures: usize) -> Duration {
    Duration::from_millis(50 << failures.min(6)).min(Duration::from_secs(3))
}

/// Spreads waiting times, so that not all clients come back at once. The sequence follows from the seed.
struct Jitter(AtomicU64);

impl Jitter {
    /// A time between half of the given one and all of it.
    fn spread(&self, time: Duration) -> Duration {
        // The steps of splitmix64.
        let mut state = self.0.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let half = time / 2;
        let share = u32::try_from((state ^ (state >> 31)) >> 48).unwrap_or_default();
        half + half * share / (1 << 16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_are_spread_by_the_seed() {
        let pauses = |seed| -> Vec<Duration> {
            let jitter = Jitter(AtomicU64::new(seed));
            (0..100).map(|failures| jitter.spread(backoff(failures))).collect()
        };
        assert_eq!(pauses(1), pauses(1));
        assert_ne!(pauses(1), pauses(2));
        for (failures, pause) in pauses(3).into_iter().enumerate() {
            assert!(pause >= backoff(failures) / 2 && pause <= backoff(failures), "{failures}: {pause:?}");
        }
        assert_eq!(backoff(0), Duration::from_millis(50));
        assert_eq!(backoff(usize::MAX), Duration::from_secs(3));
    }
}
