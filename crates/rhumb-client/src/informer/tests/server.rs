//! A model of a server: objects with revisions, a past that is compacted, and everything that can go wrong.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_core::future::BoxFuture;
use futures_util::{StreamExt, stream};
use parking_lot::Mutex;
use rhumb_meta::ListMeta;
use rhumb_meta::v1::{ListOptions, StatusCause, StatusDetails, StatusReason};
use tokio::sync::watch;

use super::script::cut;
use super::{EventStream, ListerWatcher, Thing, boxed, refusal, status, thing};
use crate::{Error, List, WatchEvent};

type Objects = BTreeMap<String, Arc<Thing>>;

/// The server; clones are the same one.
#[derive(Clone)]
pub(super) struct Server {
    state: Arc<Mutex<Model>>,
    /// The newest revision, for those who wait for it.
    newest: Arc<watch::Sender<u64>>,
}

struct Model {
    revision: u64,
    /// Watches and lists from before this are expired.
    compacted: u64,
    objects: Objects,
    /// All objects at every revision that is not compacted.
    past: BTreeMap<u64, Objects>,
    log: Vec<(u64, Change)>,
    chance: fastrand::Rng,
    /// How many of a hundred requests and events go wrong.
    faults: u8,
    /// Whether streams that begin with all objects are served.
    streams: bool,
    uid: u64,
}

#[derive(Clone)]
enum Change {
    Added(Arc<Thing>),
    Modified(Arc<Thing>),
    Deleted(Arc<Thing>),
}

/// What comes next in a stream.
enum Next {
    Send(Result<WatchEvent<Thing>, Error>),
    Last(Result<WatchEvent<Thing>, Error>),
    End,
    Wait,
}

struct Place {
    /// What is still to be sent of the initial objects.
    initial: Vec<Thing>,
    /// Whether the mark behind them was sent, or there are none.
    begun: bool,
    revision: u64,
    over: bool,
}

impl Server {
    pub(super) fn new(seed: u64, faults: u8) -> Self {
        let mut chance = fastrand::Rng::with_seed(seed);
        let streams = chance.bool();
        // A server's first revision is never zero, which has a meaning of its own.
        let model = Model {
            revision: 1,
            compacted: 1,
            objects: Objects::new(),
            past: BTreeMap::from([(1, Objects::new())]),
            log: Vec::new(),
            chance,
            faults,
            streams,
            uid: 0,
        };
        Server { state: Arc::new(Mutex::new(model)), newest: Arc::new(watch::Sender::new(1)) }
    }

    /// Something happens to some object.
    pub(super) fn change(&self) {
        let mut model = self.state.lock();
        let model = &mut *model;
        let (namespace, name) =
            (format!("n{}", model.chance.u8(0..3)), format!("o{}", model.chance.u8(0..8)));
        let key = format!("{namespace}/{name}");
        model.revision += 1 + model.chance.u64(0..2);
        let mut next = thing(&namespace, &name, model.revision);
        let change = match model.objects.get(&key) {
            None => {
                model.uid += 1;
                next.metadata.uid = model.uid.to_string();
                Change::Added(Arc::new(next))
            }
            Some(old) => {
                next.metadata.uid.clone_from(&old.metadata.uid);
                if model.chance.u8(0..10) < 3 {
                    Change::Deleted(Arc::new(next))
                } else {
                    next.metadata.generation = old.metadata.generation + 1;
                    Change::Modified(Arc::new(next))
                }
            }
        };
        match &change {
            Change::Added(thing) | Change::Modified(thing) => model.objects.insert(key, thing.clone()),
            Change::Deleted(_) => model.objects.remove(&key),
        };
        model.log.push((model.revision, change));
        model.past.insert(model.revision, model.objects.clone());
        self.newest.send_replace(model.revision);
    }

    /// Something happens to another resource, of which watches of this one learn by bookmarks only.
    pub(super) fn change_elsewhere(&self) {
        let mut model = self.state.lock();
        model.revision += model.chance.u64(1..5);
        self.newest.send_replace(model.revision);
    }

    /// Forgets the past, up to some revision.
    pub(super) fn compact(&self) {
        let mut model = self.state.lock();
        let model = &mut *model;
        model.compacted = model.chance.u64(model.compacted..=model.revision);
        let compacted = model.compacted;
        // The state at the mark itself is the last one before it or at it.
        let base =
            model.past.range(..=compacted).next_back().map(|(revision, _)| *revision).unwrap_or(compacted);
        model.past.retain(|revision, _| *revision >= base);
        model.log.retain(|(revision, _)| *revision > compacted);
    }

    /// From now on nothing goes wrong.
    pub(super) fn heal(&self) {
        self.state.lock().faults = 0;
    }

    pub(super) fn objects(&self) -> Vec<Thing> {
        self.state.lock().objects.values().map(|thing| (**thing).clone()).collect()
    }

    async fn dawdle(&self) {
        let wait = {
            let mut model = self.state.lock();
            if model.goes_wrong() { model.chance.u64(0..20_000) } else { model.chance.u64(0..5) }
        };
        tokio::time::sleep(Duration::from_millis(wait)).await;
    }
}

impl Model {
    fn goes_wrong(&mut self) -> bool {
        self.chance.u8(0..100) < self.faults
    }

    fn failure(&mut self) -> Error {
        match self.chance.u8(0..8) {
            0 => refusal(StatusReason::InternalError),
            1 => refusal(StatusReason::TooManyRequests),
            2 => refusal(StatusReason::ServiceUnavailable),
            3 => refusal(StatusReason::Unauthorized),
            4 => refusal(StatusReason::Expired),
            5 => Error::Stream("garbage".to_owned()),
            6 => Error::Timeout(Duration::from_secs(1)),
            _ => cut(),
        }
    }

    /// The state that a list or an initial stream is of.
    fn snapshot(&mut self, wanted: &str) -> Result<(u64, Objects), Error> {
        let revision = match wanted {
            "" => self.revision,
            // Anything will do, so it may be an old one.
            "0" => self.chance.u64(self.compacted..=self.revision),
            _ => {
                let wanted: u64 = wanted.parse().expect("revisions are numbers");
                if wanted > self.revision {
                    return Err(too_large());
                }
                // At least as new as that; a server that lags behind has no newer one.
                self.chance.u64(wanted.max(self.compacted)..=self.revision)
            }
        };
        Ok((revision, self.at(revision)))
    }

    fn at(&self, revision: u64) -> Objects {
        self.past.range(..=revision).next_back().map(|(_, objects)| objects.clone()).unwrap_or_default()
    }

    fn skip(&self, place: &mut Place) {
        if place.initial.pop().is_none()
            && place.begun
            && let Some((revision, _)) = self.log.iter().find(|(revision, _)| *revision > place.revision)
        {
            place.revision = *revision;
        }
    }

    fn next(&mut self, place: &mut Place) -> Next {
        if place.over {
            return Next::End;
        }
        if self.chance.u8(0..100) < self.faults / 2 {
            return match self.chance.u8(0..4) {
                0 => Next::End,
                1 => Next::Last(Ok(WatchEvent::Error(Box::new(status(StatusReason::InternalError))))),
                2 => Next::Last(Ok(WatchEvent::Error(Box::new(status(StatusReason::TooManyRequests))))),
                _ => match self.failure() {
                    // Garbage hides what stood in its place, and the stream goes on behind it.
                    garbage @ Error::Stream(_) => {
                        self.skip(place);
                        Next::Send(Err(garbage))
                    }
                    failure => Next::Last(Err(failure)),
                },
            };
        }
        if let Some(thing) = place.initial.pop() {
            return Next::Send(Ok(WatchEvent::Added(thing)));
        }
        if !std::mem::replace(&mut place.begun, true) {
            let resource_version = place.revision.to_string();
            return Next::Send(Ok(WatchEvent::Bookmark { resource_version, initial_events_end: true }));
        }
        if place.revision < self.compacted {
            return Next::Last(Ok(WatchEvent::Error(Box::new(status(StatusReason::Expired)))));
        }
        let next = self.log.iter().find(|(revision, _)| *revision > place.revision).cloned();
        if let Some((revision, change)) = next {
            place.revision = revision;
            return Next::Send(Ok(match change {
                Change::Added(thing) => WatchEvent::Added((*thing).clone()),
                Change::Modified(thing) => WatchEvent::Modified((*thing).clone()),
                Change::Deleted(thing) => WatchEvent::Deleted((*thing).clone()),
            }));
        }
        if self.chance.u8(0..3) == 0 && place.revision < self.revision {
            place.revision = self.revision;
            let resource_version = place.revision.to_string();
            return Next::Send(Ok(WatchEvent::Bookmark { resource_version, initial_events_end: false }));
        }
        Next::Wait
    }
}

fn too_large() -> Error {
    let mut status = status(StatusReason::Timeout);
    let cause = StatusCause { reason: "ResourceVersionTooLarge".to_owned(), ..StatusCause::default() };
    status.details = Some(Box::new(StatusDetails { causes: vec![cause], ..StatusDetails::default() }));
    Error::Status(Box::new(status))
}

impl ListerWatcher<Thing> for Server {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<List<Thing>, Error>> {
        Box::pin(async move {
            self.dawdle().await;
            let mut model = self.state.lock();
            if model.goes_wrong() {
                return Err(model.failure());
            }
            let (revision, after, objects) = match options.continue_.split_once(':') {
                None => {
                    let (revision, objects) = model.snapshot(&options.resource_version)?;
                    (revision, String::new(), objects)
                }
                Some((revision, after)) => {
                    assert_eq!(options.resource_version, "", "a continued list has no revision of its own");
                    let revision: u64 = revision.parse().expect("our own token");
                    if revision < model.compacted {
                        return Err(refusal(StatusReason::Expired));
                    }
                    (revision, after.to_owned(), model.at(revision))
                }
            };
            let limit =
                if options.limit == 0 { usize::MAX } else { usize::try_from(options.limit).expect("small") };
            let mut rest = objects.iter().filter(|(key, _)| key.as_str() > after.as_str());
            let page: Vec<_> = rest.by_ref().take(limit).collect();
            let continue_ = match (rest.next(), page.last()) {
                (Some(_), Some((last, _))) => format!("{revision}:{last}"),
                _ => String::new(),
            };
            let items = page.into_iter().map(|(_, thing)| (**thing).clone()).collect();
            let metadata =
                ListMeta { resource_version: revision.to_string(), continue_, ..ListMeta::default() };
            Ok(List { metadata, items })
        })
    }

    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<EventStream<Thing>, Error>> {
        Box::pin(async move {
            self.dawdle().await;
            let mut model = self.state.lock();
            if model.goes_wrong() {
                return Err(model.failure());
            }
            let place = if options.send_initial_events == Some(true) {
                if !model.streams {
                    return Err(refusal(StatusReason::Invalid));
                }
                let (revision, objects) = model.snapshot(&options.resource_version)?;
                let mut initial: Vec<Thing> = objects.values().map(|thing| (**thing).clone()).collect();
                model.chance.shuffle(&mut initial);
                Place { initial, begun: false, revision, over: false }
            } else {
                let revision: u64 = options.resource_version.parse().expect("a watch begins at a revision");
                if revision > model.revision {
                    return Err(too_large());
                }
                if revision < model.compacted && model.chance.bool() {
                    return Err(refusal(StatusReason::Expired));
                }
                Place { initial: Vec::new(), begun: true, revision, over: false }
            };
            let seconds =
                u64::try_from(options.timeout_seconds.expect("watches have an end")).expect("positive");
            drop(model);
            let end = tokio::time::Instant::now() + Duration::from_secs(seconds);
            let start = (self.clone(), self.newest.subscribe(), place);
            let events = stream::unfold(start, move |(server, mut newest, mut place)| async move {
                loop {
                    newest.mark_unchanged();
                    let next = server.state.lock().next(&mut place);
                    match next {
                        Next::Send(event) => return Some((event, (server, newest, place))),
                        Next::Last(event) => {
                            place.over = true;
                            return Some((event, (server, newest, place)));
                        }
                        Next::End => return None,
                        // It looks again now and then, because also a quiet stream may break.
                        Next::Wait => tokio::select! {
                            () = tokio::time::sleep_until(end) => return None,
                            () = tokio::time::sleep(Duration::from_secs(30)) => {}
                            _ = newest.changed() => {}
                        },
                    }
                }
            });
            Ok(events.map(boxed).boxed())
        })
    }
}
