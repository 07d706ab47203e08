//! Garbage collection: what has lost all its owners is deleted, and owners wait for or let go of what they
//! own.
//!
//! One task follows the whole store and keeps the [graph](graph) of who belongs to whom. What the graph says
//! has to be looked at is looked at by short tasks, a few at a time, which read the store itself and never
//! the graph: the graph only says where to look, and being behind does no harm.

mod glance;
mod graph;
mod judge;

use crate::loopback::{Client, Loopback, WeakLoopback};
use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use rhumb_store::{Event, EventKind, Key};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use self::glance::glance;
use self::graph::{Graph, Work};
use self::judge::{Verdict, act};
use crate::registry::feed::{From, News};

/// How many objects are looked at at the same time.
const AT_ONCE: usize = 20;
/// How long to wait before an object is looked at again: at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(300));

/// Starts to collect garbage.
pub(super) fn start(api: &Loopback) {
    let collector = Collector {
        api: api.downgrade(),
        ignored: Key::from(format!("{}/events/", api.prefix())),
        graph: Graph::default(),
        complete: false,
        queue: VecDeque::new(),
        queued: HashSet::new(),
        running: HashSet::new(),
        failures: HashMap::new(),
        tasks: JoinSet::new(),
    };
    let news = open(api);
    api.tasks().spawn(collector.run(news));
}

fn open(api: &Loopback) -> mpsc::Receiver<News> {
    api.follow(Key::from(format!("{}/", api.prefix())), From::Beginning)
}

/// What a task comes back with.
enum Back {
    /// The object was looked at.
    Looked(String, Verdict),
    /// It is time to look at the object again.
    Due(String),
}

struct Collector {
    api: WeakLoopback,
    /// What the keys of events begin with: they own nothing and are owned by nobody.
    ignored: Key,
    graph: Graph,
    /// Whether all objects are known. Before that nobody can say that an object has no dependents.
    complete: bool,
    queue: VecDeque<String>,
    queued: HashSet<String>,
    running: HashSet<String>,
    /// How often looking at an object has failed.
    failures: HashMap<String, u32>,
    tasks: JoinSet<Back>,
}

impl Collector {
    async fn run(mut self, mut news: mpsc::Receiver<News>) {
        loop {
            self.dispatch();
            tokio::select! {
                heard = news.recv() => {
                    let Some(heard) = heard else { return };
                    if self.hear(heard).is_err() {
                        let Some(api) = self.api.upgrade() else { return };
                        news = open(&api);
                    }
                }
                Some(back) = self.tasks.join_next(), if !self.tasks.is_empty() => {
                    if let Ok(back) = back {
                        self.take_back(back);
                    }
                }
            }
        }
    }

    /// Takes news in.
    ///
    /// # Errors
    /// If what was told is not enough, and all has to be told anew.
    fn hear(&mut self, news: News) -> Result<(), ()> {
        match news {
            News::Anew => {
                self.graph = Graph::default();
                self.complete = false;
            }
            News::There(entries) => {
                for entry in entries {
                    self.see(&entry.key, &entry.value);
                }
            }
            News::Complete => self.complete = true,
            News::Changes(events) => {
                for event in events {
                    self.see_event(event)?;
                }
            }
        }
        Ok(())
    }

    fn see(&mut self, key: &Key, value: &[u8]) {
        if key.starts_with(&self.ignored) {
            return;
        }
        if let Some(seen) = glance(value) {
            let affected = self.graph.see(seen);
            self.enqueue(affected);
        }
    }

    fn see_event(&mut self, event: Event) -> Result<(), ()> {
        match event.kind {
            EventKind::Put(entry) => {
                self.see(&entry.key, &entry.value);
                Ok(())
            }
            EventKind::Delete(key) if key.starts_with(&self.ignored) => Ok(()),
            EventKind::Delete(_) => {
                let previous = event.previous.ok_or(())?;
                if let Some(seen) = glance(&previous.value) {
                    self.failures.remove(&seen.reference.uid);
                    let affected = self.graph.forget(&seen.reference.uid);
                    self.enqueue(affected);
                }
                Ok(())
            }
        }
    }

    fn enqueue(&mut self, affected: Vec<String>) {
        for uid in affected {
            if self.queued.insert(uid.clone()) {
                self.queue.push_back(uid);
            }
        }
    }

    /// Starts to look at what is queued, as far as there is room.
    fn dispatch(&mut self) {
        if !self.complete {
            return;
        }
        let mut later = Vec::new();
        while self.running.len() < AT_ONCE
            && let Some(uid) = self.queue.pop_front()
        {
            if self.running.contains(&uid) {
                later.push(uid);
                continue;
            }
            self.queued.remove(&uid);
            match self.graph.work(&uid) {
                None => {}
                Some(Work::Await(dependents)) => self.enqueue(dependents),
                Some(work) => {
                    let Some(api) = self.api.upgrade() else { return };
                    let inner = Client::controller(&api, "generic-garbage-collector");
                    self.running.insert(uid.clone());
                    self.tasks.spawn(async move { Back::Looked(uid, act(&inner, work).await) });
                }
            }
        }
        self.queue.extend(later);
    }

    fn take_back(&mut self, back: Back) {
        match back {
            Back::Due(uid) => self.enqueue(vec![uid]),
            Back::Looked(uid, verdict) => {
                self.running.remove(&uid);
                match verdict {
                    Verdict::Done => {
                        self.failures.remove(&uid);
                    }
                    Verdict::Gone => {
                        self.failures.remove(&uid);
                        let affected = self.graph.forget(&uid);
                        self.enqueue(affected);
                    }
                    Verdict::Again => self.retry(uid),
                }
            }
        }
    }

    /// Looks at an object again after a time that grows.
    fn retry(&mut self, uid: String) {
        let failures = self.failures.entry(uid.clone()).or_default();
        let (first, most) = PAUSES;
        let pause = first.saturating_mul(1 << (*failures).min(20)).min(most);
        *failures = failures.saturating_add(1);
        self.tasks.spawn(async move {
            tokio::time::sleep(pause).await;
            Back::Due(uid)
        });
    }
}
