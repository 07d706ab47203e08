//! A polite user: 50 small requests per second and a watch on one kept connection.
//!
//! Requests begin when they are due, whatever became of those before: over HTTP/2 they don't wait for each other, so a
//! server that stands still for a second shows in 50 of them, as it would to 50 users.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use futures_util::FutureExt;
use h2::client::SendRequest;

use super::bodies::MERGE;
use super::dice::Dice;
use super::wire::{Credentials, Request, Target};
use crate::server::Outcome;
use crate::server::https::JSON;

/// Namespace of the polite user.
pub(crate) const NAMESPACE: &str = "polite";
/// Number of objects to read.
pub(crate) const READ: usize = 50;
/// Interval of requests.
const PACE: Duration = Duration::from_millis(20);
/// Request timeout.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long what is under way at the end is waited for.
const LAST: Duration = Duration::from_secs(10);
/// Pause before a connection or watch is retried.
const PAUSE: Duration = Duration::from_millis(200);
/// Maximum number of requests: a day of them.
const MOST: usize = 50 * 86_400;

/// A request of the polite user.
#[derive(Clone, Debug)]
pub(crate) struct Timed {
    pub(crate) begun: Instant,
    pub(crate) took: Duration,
    /// Whether it got what it asked for, was told to come again, or what it got instead.
    pub(crate) result: Result<Came, String>,
}

/// Result of a request without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// Success.
    Well,
    /// Refused with a retry time.
    Later,
}

/// Results of the polite user.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) requests: Vec<Timed>,
    /// Start times of unanswered requests by number.
    waiting: BTreeMap<usize, Instant>,
    /// Number of successful writes, and of watch events.
    pub(crate) writes: u64,
    pub(crate) events: u64,
    /// How often the watch was begun, and how often the connection had to be made anew.
    pub(crate) watches: u64,
    pub(crate) connections: u64,
    /// The version of the last event: where a watch that ended goes on.
    version: String,
    /// For how many seconds its thread had the processor.
    pub(crate) busy: f64,
}

impl Seen {
    /// Returns the requests that began in some time.
    pub(crate) fn between(&self, from: Instant, to: Instant) -> Vec<Timed> {
        self.requests.iter().filter(|timed| (from..to).contains(&timed.begun)).cloned().collect()
    }
}

/// The running polite user.
pub(crate) struct Polite {
    seen: Arc<Mutex<Seen>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Polite {
    /// Lets it begin, on a thread of its own, with a watch from a version on.
    pub(crate) fn start(target: Target, who: Credentials, seed: u64, version: String) -> Self {
        let seen = Arc::new(Mutex::new(Seen { version, ..Seen::default() }));
        let stop = Arc::new(AtomicBool::new(false));
        let user = User { target, who, seen: Arc::clone(&seen), names: Arc::default() };
        let told = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            let seen = Arc::clone(&user.seen);
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(user.work(Dice::new(seed), &told));
            seen.lock().unwrap_or_else(PoisonError::into_inner).busy = super::thread::busy();
            Ok(())
        });
        Polite { seen, stop, thread: Some(thread) }
    }

    /// Returns the requests that began in some time and have ended.
    pub(crate) fn between(&self, from: Instant, to: Instant) -> Vec<Timed> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).between(from, to)
    }

    /// Returns the number of unanswered requests, and the age of the oldest.
    pub(crate) fn waiting(&self) -> (usize, Duration) {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = seen.waiting.values().next().map(Instant::elapsed);
        (seen.waiting.len(), oldest.unwrap_or_default())
    }

    /// Tells it to end, and waits for that.
    pub(crate) fn end(mut self) -> Outcome<Seen> {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().map_err(|_| "the polite user broke")??;
        }
        Ok(self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

/// Objects that can be changed and deleted.
#[derive(Default)]
struct Names {
    fresh: VecDeque<usize>,
    changed: VecDeque<usize>,
}

#[derive(Clone)]
struct User {
    target: Target,
    who: Credentials,
    seen: Arc<Mutex<Seen>>,
    names: Arc<Mutex<Names>>,
}

/// A request with the effect of its success.
enum Step {
    Read(Request),
    Create(Request, usize),
    Change(Request, usize),
    Delete(Request),
}

impl User {
    async fn work(self, mut dice: Dice, stop: &AtomicBool) {
        let mut under_way = tokio::task::JoinSet::new();
        let mut sender = self.connect().await;
        let mut watch = None::<tokio::task::JoinHandle<()>>;
        let mut due = tokio::time::interval(PACE);
        due.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Burst);
        for number in 0..MOST {
            due.tick().await;
            if stop.load(Ordering::Relaxed) {
                break;
            }
            while under_way.try_join_next().is_some() {}
            // A connection that ended is made anew, and what is due meanwhile is not asked.
            let is_open = match &sender {
                // One that has no room for another request now is open, too.
                Ok(sender) => sender.clone().ready().now_or_never().is_none_or(|ready| ready.is_ok()),
                Err(_) => false,
            };
            if !is_open {
                let begun = Instant::now();
                tokio::time::sleep(PAUSE).await;
                sender = self.connect().await;
                self.note(begun, Err("the connection ended".to_owned()));
                self.seen(|seen| seen.connections += 1);
                due.reset();
            }
            let Ok(open) = &sender else { continue };
            if watch.as_ref().is_none_or(tokio::task::JoinHandle::is_finished) {
                self.seen(|seen| seen.watches += 1);
                watch = Some(tokio::spawn(self.clone().watch(open.clone())));
            }
            let step = self.step(number, &mut dice);
            under_way.spawn(self.clone().take(open.clone(), number, step));
        }
        // What is under way still counts.
        let rest = async { while under_way.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(LAST, rest).await;
        // So does what the watch has not told yet.
        let told = async {
            while self.seen(|seen| seen.events < seen.writes) {
                tokio::time::sleep(PACE).await;
            }
        };
        let _ = tokio::time::timeout(LAST, told).await;
        let unanswered = self.seen(|seen| std::mem::take(&mut seen.waiting));
        for begun in unanswered.into_values() {
            self.note(begun, Err("no answer by the end".to_owned()));
        }
        if let Some(watch) = watch {
            watch.abort();
        }
    }

    fn seen<T>(&self, change: impl FnOnce(&mut Seen) -> T) -> T {
        change(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn names<T>(&self, change: impl FnOnce(&mut Names) -> T) -> T {
        change(&mut self.names.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, begun: Instant, result: Result<Came, String>) {
        let took = begun.elapsed();
        self.seen(|seen| seen.requests.push(Timed { begun, took, result }));
    }

    async fn connect(&self) -> io::Result<SendRequest<Bytes>> {
        let mut builder = h2::client::Builder::new();
        builder.initial_window_size(4 << 20).initial_connection_window_size(16 << 20);
        let connected = self.target.connect_http2(&builder);
        tokio::time::timeout(PATIENCE, connected)
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Returns the next request: of ten, six get an object, one lists, one creates, one updates and one deletes.
    fn step(&self, number: usize, dice: &mut Dice) -> Step {
        let path = format!("/api/v1/namespaces/{NAMESPACE}/configmaps");
        let read = |dice: &mut Dice| Step::Read(Request::get(format!("{path}/read-{}", dice.below(READ))));
        match dice.below(10) {
            0 => Step::Read(Request::get(format!("{path}?limit=20"))),
            1 => {
                let body = object(&format!("own-{number}"));
                Step::Create(Request::create(path, body), number)
            }
            2 => match self.names(|names| names.fresh.pop_front()) {
                Some(own) => {
                    let body = format!(r#"{{"data":{{"round":"{number}"}}}}"#);
                    let path = format!("{path}/own-{own}");
                    Step::Change(Request::new("PATCH", path, MERGE, body.into()), own)
                }
                None => read(dice),
            },
            3 => match self.names(|names| names.changed.pop_front()) {
                Some(own) => {
                    Step::Delete(Request::new("DELETE", format!("{path}/own-{own}"), JSON, Bytes::new()))
                }
                None => read(dice),
            },
            _ => read(dice),
        }
    }

    /// Asks, and notes what came of it.
    async fn take(self, sender: SendRequest<Bytes>, number: usize, step: Step) {
        let (request, expected) = match &step {
            Step::Read(request) | Step::Change(request, _) | Step::Delete(request) => (request, 200),
            Step::Create(request, _) => (request, 201),
        };
        let begun = Instant::now();
        self.seen(|seen| seen.waiting.insert(number, begun));
        let asked = tokio::time::timeout(PATIENCE, ask(sender, request, &self.who)).await;
        let what = format!("{} {}", request.method, request.path);
        let result = match asked {
            Err(_) => Err(format!("{what}: no answer in {} s", PATIENCE.as_secs())),
            Ok(Err(error)) => Err(format!("{what}: {error}")),
            Ok(Ok((status, _))) if status == expected => Ok(Came::Well),
            Ok(Ok((429, true))) => Ok(Came::Later),
            Ok(Ok((status, _))) => Err(format!("{what}: {status}")),
        };
        let is_done = result == Ok(Came::Well);
        self.seen(|seen| seen.waiting.remove(&number));
        self.note(begun, result);
        if is_done && !matches!(step, Step::Read(_)) {
            self.seen(|seen| seen.writes += 1);
        }
        // What was refused is tried again at another time.
        match (step, is_done) {
            (Step::Create(_, own), true) => self.names(|names| names.fresh.push_back(own)),
            (Step::Change(_, own), _) => self.names(|names| names.changed.push_back(own)),
            _ => {}
        }
    }

    /// Follows the changes, and counts them. One that is begun again goes on where the last one ended, so that every
    /// write has to have its event.
    async fn watch(self, sender: SendRequest<Bytes>) {
        let last = self.seen(|seen| seen.version.clone());
        let path = format!("/api/v1/namespaces/{NAMESPACE}/configmaps?watch=true&resourceVersion={last}");
        let followed = async {
            let mut sender = sender.ready().await.ok()?;
            let request = Request::get(path).for_http2(&self.who).ok()?;
            let (response, _) = sender.send_request(request, true).ok()?;
            let response = response.await.ok().filter(|response| response.status() == 200)?;
            let mut body = response.into_body();
            let mut events = BytesMut::new();
            while let Some(Ok(data)) = body.data().await {
                events.extend_from_slice(&data);
                body.flow_control().release_capacity(data.len()).ok()?;
                while let Some(end) = memchr::memchr(b'\n', &events) {
                    let event = events.split_to(end + 1);
                    let version = version(&event)?;
                    // A server may have objects of its own in the namespace.
                    let is_own = memchr::memmem::find(&event, b"\"name\":\"own-").is_some();
                    self.seen(|seen| {
                        (seen.events, seen.version) = (seen.events + u64::from(is_own), version)
                    });
                }
            }
            Some(())
        };
        if followed.await.is_none() {
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// The version of the object in an event; none if the event tells of an error.
fn version(told: &[u8]) -> Option<String> {
    const FIELD: &[u8] = b"\"resourceVersion\":\"";
    let place = memchr::memmem::find(told, FIELD)? + FIELD.len();
    let rest = told.get(place..)?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    String::from_utf8(rest.get(..digits)?.to_vec()).ok()
}

/// Returns a small object.
pub(crate) fn object(name: &str) -> String {
    format!(
        r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}"}},"data":{{"mode":"calm"}}}}"#
    )
}

/// Sends a request and reads the answer. Returns the status and whether it says when to come again.
async fn ask(
    sender: SendRequest<Bytes>,
    request: &Request,
    who: &Credentials,
) -> Result<(u16, bool), Box<dyn std::error::Error + Send + Sync>> {
    let mut sender = sender.ready().await?;
    let (response, mut stream) = sender.send_request(request.for_http2(who)?, request.body.is_empty())?;
    if !request.body.is_empty() {
        stream.send_data(request.body.clone(), true)?;
    }
    let response = response.await?;
    let says_when = response.headers().contains_key(http::header::RETRY_AFTER);
    let (status, mut body) = (response.status().as_u16(), response.into_body());
    while let Some(data) = body.data().await {
        let data = data?;
        body.flow_control().release_capacity(data.len())?;
    }
    Ok((status, says_when))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_tells_the_version_of_its_object_and_an_error_has_none() {
        let event = br#"{"type":"ADDED","object":{"metadata":{"name":"own-1","resourceVersion":"123"}}}"#;
        assert_eq!(version(event).as_deref(), Some("123"));
        assert_eq!(version(br#"{"type":"ERROR","object":{"metadata":{},"code":410}}"#), None);
    }
}
