//! A watch that outlives its connections.
//!
//! It knows the first revision whose events it has not given out, and nothing else of the past. When the connection
//! breaks it begins there again, at whichever member answers; what came before is dropped by its revision. The server
//! never splits the events of a revision over responses, but it may cut a response into fragments: those are put
//! together before they are given out, and thrown away if the connection breaks between them.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::api::{
    Dated, RangeRequest, WatchCommand, WatchCreateRequest, WatchProgressRequest, WatchRequest, WatchResponse,
    signed,
};
use super::cluster::{Cluster, Opened};
use super::outbox::Outbox;
use super::status::Failure;
use crate::entry::Key;
use crate::error::StoreError;
use crate::event::Event;
use crate::revision::Revision;
use crate::store::{WatchSource, Watched};

/// The watch.
pub(super) struct EtcdWatch {
    cluster: Arc<Cluster>,
    key: Key,
    range_end: Key,
    /// The first revision whose events were not given out.
    from: Revision,
    connection: Option<Connection>,
    /// The events of the fragments that came so far.
    fragments: Vec<Event>,
    /// How often connecting failed since something was last heard.
    failures: usize,
    /// When to connect next.
    connect_at: Instant,
    progress_interval: Duration,
    /// Until when somebody waits to hear how far the watch is.
    hurried_until: Instant,
}

/// How often to ask how far the watch is while somebody waits for that, and for how long a wait counts as one. etcd
/// doesn't answer while it still has old events to send, so one question is not enough.
const HURRIED_INTERVAL: Duration = Duration::from_millis(50);
const HURRIED: Duration = Duration::from_secs(3);

struct Connection {
    requests: mpsc::Sender<WatchRequest>,
    opened: Opened,
    /// When to ask for progress if nothing is heard until then.
    ask_at: Instant,
}

/// Why a connection is of no more use.
enum Lost {
    /// Another one will do.
    Connection(String),
    /// No other one will do.
    Watch(StoreError),
}

impl EtcdWatch {
    /// A watch of a range of keys. It is not connected yet.
    pub(super) fn new(
        cluster: Arc<Cluster>,
        (key, range_end): (Key, Key),
        from: Revision,
        progress_interval: Duration,
    ) -> Self {
        // To etcd, 0 is now.
        let from = from.max(Revision(1));
        let (connection, fragments, failures, connect_at) = (None, Vec::new(), 0, Instant::now());
        EtcdWatch {
            cluster,
            key,
            range_end,
            from,
            connection,
            fragments,
            failures,
            connect_at,
            progress_interval,
            hurried_until: connect_at,
        }
    }

    /// When to ask for progress if nothing is heard from now on.
    fn next_question(&self) -> Instant {
        let now = Instant::now();
        let hurried = now < self.hurried_until;
        now + if hurried { self.progress_interval.min(HURRIED_INTERVAL) } else { self.progress_interval }
    }

    /// Connects, for as long as a request may take.
    pub(super) async fn start(&mut self) -> Result<(), StoreError> {
        let deadline = Instant::now() + self.cluster.request_timeout();
        let mut last = None;
        loop {
            match timeout_at(deadline, self.connect()).await {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(Lost::Watch(error))) => return Err(error),
                Ok(Err(Lost::Connection(why))) => last = Some(why),
                Err(_) => return Err(last.map_or(StoreError::Timeout, StoreError::Unavailable)),
            }
        }
    }

    /// Opens a stream at some member and waits until the server has begun the watch.
    async fn connect(&mut self) -> Result<(), Lost> {
        self.fragments.clear();
        // The moment is kept, so that who gives up waiting and asks again gets there nevertheless.
        sleep_until(self.connect_at).await;
        self.connect_at = Instant::now() + self.cluster.pause(self.failures);
        self.failures = self.failures.saturating_add(1);
        let (requests, outbox) = Outbox::new(2);
        let create = WatchCreateRequest {
            key: self.key.clone(),
            range_end: self.range_end.clone(),
            start_revision: signed(self.from),
            progress_notify: true,
            prev_kv: true,
            fragment: true,
        };
        if requests.try_send(WatchCommand::Create(create).into()).is_err() {
            return Err(Lost::Connection("the stream was closed".to_owned()));
        }
        let mut opened = self.cluster.watch(outbox).await.map_err(|failure| lost(failure, self.from))?;
        let deadline = Instant::now() + self.cluster.request_timeout();
        let first = timeout_at(deadline, opened.responses.message()).await;
        match first {
            Ok(Ok(Some(response))) if response.canceled => Err(canceled(&response, self.from)),
            Ok(Ok(Some(response))) if response.created => {
                if !opened.version.keeps_removals() {
                    self.refuse_the_edge().await?;
                }
                let ask_at = self.next_question();
                self.connection = Some(Connection { requests, opened, ask_at });
                Ok(())
            }
            Ok(Ok(_)) => Err(Lost::Connection("the server closed the stream".to_owned())),
            Ok(Err(status)) => Err(lost(Failure::of(&status), self.from)),
            Err(_) => Err(Lost::Connection("the server didn't begin the watch in time".to_owned())),
        }
    }

    /// Refuses to begin at the very revision that was compacted: old servers forget the removals that happened then,
    /// and would not say so.
    async fn refuse_the_edge(&self) -> Result<(), Lost> {
        let Some(before) = self.from.0.checked_sub(1).filter(|before| *before > 0) else { return Ok(()) };
        let (key, revision) = (Bytes::from_static(b"\0"), signed(Revision(before)));
        let request = RangeRequest { key, revision, count_only: true, ..RangeRequest::default() };
        if self.cluster.call(request).await != Err(Failure::Compacted) {
            return Ok(());
        }
        let oldest = oldest(&self.cluster).await.unwrap_or_default().max(self.from.next());
        Err(Lost::Watch(StoreError::Compacted { oldest }))
    }

    /// The next response that has something to say. Asks for progress if nothing is heard.
    async fn hear(&mut self) -> Result<WatchResponse, Lost> {
        loop {
            let Some(connection) = &mut self.connection else {
                self.connect().await?;
                continue;
            };
            let heard = timeout_at(connection.ask_at, connection.opened.responses.message()).await;
            let next = self.next_question();
            let Some(connection) = &mut self.connection else { continue };
            connection.ask_at = next;
            match heard {
                Ok(Ok(Some(response))) if response.canceled => return Err(canceled(&response, self.from)),
                Ok(Ok(Some(response))) => {
                    self.failures = 0;
                    return Ok(response);
                }
                Ok(Ok(None)) => return Err(Lost::Connection("the server closed the stream".to_owned())),
                Ok(Err(status)) => return Err(lost(Failure::of(&status), self.from)),
                Err(_) if connection.opened.version.tells_progress_truly() => {
                    // If the last question is still on its way, one more would not help.
                    let _ =
                        connection.requests.try_send(WatchCommand::Progress(WatchProgressRequest {}).into());
                }
                Err(_) => {}
            }
        }
    }

    /// What a response means for who watches; nothing if it is only a part, or old.
    fn take(&mut self, response: &WatchResponse) -> Option<Watched> {
        let new = response.events.iter().filter_map(|event| event.event());
        self.fragments.extend(new.filter(|event| event.revision >= self.from));
        if response.fragment || response.created {
            return None;
        }
        if let Some(last) = self.fragments.last() {
            self.from = last.revision.next();
            return Some(Watched::Events(std::mem::take(&mut self.fragments)));
        }
        // A member that lags behind may be further back than the one before. Time doesn't go back for a watch.
        let revision = response.revision();
        if !response.events.is_empty() || revision.next() < self.from {
            return None;
        }
        self.from = revision.next();
        Some(Watched::Progress(revision))
    }
}

impl WatchSource for EtcdWatch {
    fn next(&mut self) -> Pin<Box<dyn Future<Output = Result<Watched, StoreError>> + Send + '_>> {
        Box::pin(async move {
            loop {
                match self.hear().await {
                    Ok(response) => {
                        if let Some(watched) = self.take(&response) {
                            return Ok(watched);
                        }
                    }
                    Err(Lost::Connection(_)) => self.connection = None,
                    Err(Lost::Watch(error)) => return Err(error),
                }
            }
        })
    }

    fn hurry(&mut self) {
        let now = Instant::now();
        self.hurried_until = now + HURRIED;
        if let Some(connection) = &mut self.connection {
            connection.ask_at = connection.ask_at.min(now + HURRIED_INTERVAL / 10);
        }
    }
}

/// What a server means that ends a watch.
fn canceled(response: &WatchResponse, from: Revision) -> Lost {
    if response.compact_revision > 0 {
        return Lost::Watch(StoreError::Compacted { oldest: Revision(response.compact_revision) });
    }
    lost(Failure::of_reason(&response.cancel_reason), from)
}

fn lost(failure: Failure, from: Revision) -> Lost {
    match failure {
        Failure::Compacted => Lost::Watch(StoreError::Compacted { oldest: from.next() }),
        Failure::Other(why) | Failure::Invalid(why) => Lost::Watch(StoreError::Unavailable(why)),
        Failure::Elsewhere { why, .. } => Lost::Connection(why),
        _ => Lost::Connection("the server didn't answer in time".to_owned()),
    }
}

/// The oldest revision that is still known. etcd tells it to a watch that asks for too much, and to nobody else.
pub(super) async fn oldest(cluster: &Arc<Cluster>) -> Option<Revision> {
    let key = Bytes::from_static(b"\0");
    let interval = cluster.request_timeout();
    let mut watch = EtcdWatch::new(Arc::clone(cluster), (key, Bytes::new()), Revision(1), interval);
    let deadline = Instant::now() + interval;
    match timeout_at(deadline, watch.next()).await {
        Ok(Err(StoreError::Compacted { oldest })) => Some(oldest),
        _ => None,
    }
}
