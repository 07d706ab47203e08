//! The engine that needs no other process.
//!
//! All keys and the recent past are in memory ([`crate::history`]); every change is on the disk before it is seen.
//! Reads and watches take a shared lock for a moment and never wait for the disk. One thread ([`writer`]) makes all
//! changes.

mod batch;
mod disk;
mod inbox;
mod journal;
mod keeper;
mod leases;
mod lock;
mod options;
mod private;
mod record;
mod snapshot;
mod stage;
mod tables;
mod watcher;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::{Mutex, RwLock};
use tokio::sync::{oneshot, watch};

use self::batch::Kept;
use self::disk::Disk;
use self::inbox::{Inbox, Taker};
use self::keeper::Keeper;
use self::watcher::Watcher;
use self::writer::{Request, Writer};
use crate::entry::{Entry, Key};
use crate::error::StoreError;
use crate::history::History;
use crate::revision::Revision;
use crate::store::{Answer, Page, Range, Store, Watch};
use crate::transaction::{LeaseId, Outcome, Transaction};

pub use self::options::{Clock, Options, SystemClock};

/// How many keys a read looks at under one lock.
const MOST: usize = 1000;

/// A store in this process, in memory or in a directory.
pub struct Embedded {
    history: Arc<RwLock<History>>,
    published: watch::Receiver<Revision>,
    requests: Arc<Inbox>,
    writer: Mutex<Option<JoinHandle<Result<(), StoreError>>>>,
}

impl Embedded {
    /// A store that keeps nothing.
    ///
    /// # Errors
    /// If its thread can't be started.
    pub fn in_memory(options: Options) -> Result<Self, StoreError> {
        Embedded::start(Keeper::Nowhere, Kept::nothing(), options)
    }

    /// The store in a directory, which is made if it isn't there.
    ///
    /// # Errors
    /// If another process has it open, if the disk fails, or if what lies there is damaged. The error says what to do.
    pub fn open(directory: impl AsRef<Path>, options: Options) -> Result<Self, StoreError> {
        let (disk, kept) = Disk::open(directory.as_ref(), options.journal_bytes)?;
        Embedded::start(Keeper::Disk(Box::new(disk)), kept, options)
    }

    /// The store on a disk of one's own making: one that fails when a test wants it to. It has no journal.
    ///
    /// # Errors
    /// As [`Embedded::open`].
    pub fn open_on(backend: impl redb::StorageBackend, options: Options) -> Result<Self, StoreError> {
        let (disk, kept) = Disk::open_on(backend, None, options.journal_bytes)?;
        Embedded::start(Keeper::Disk(Box::new(disk)), kept, options)
    }

    /// The same with a journal, which is in two files.
    ///
    /// # Errors
    /// As [`Embedded::open`].
    pub fn open_on_journal(
        tables: impl redb::StorageBackend,
        journal: [Box<dyn redb::StorageBackend>; 2],
        options: Options,
    ) -> Result<Self, StoreError> {
        let (disk, kept) = Disk::open_on(tables, Some(journal), options.journal_bytes)?;
        Embedded::start(Keeper::Disk(Box::new(disk)), kept, options)
    }

    fn start(keeper: Keeper, mut kept: Kept, options: Options) -> Result<Self, StoreError> {
        let history = Arc::new(RwLock::new(std::mem::take(&mut kept.history)));
        let (publish, published) = watch::channel(history.read().newest());
        let requests = Arc::new(Inbox::default());
        let taker = Taker(Arc::clone(&requests));
        let writer = Writer::new(Arc::clone(&history), kept, keeper, options, publish);
        let thread = std::thread::Builder::new().name("store".to_owned());
        let thread = thread
            .spawn(move || writer.run(&taker))
            .map_err(|error| StoreError::Failed(format!("no thread can be started: {error}")))?;
        Ok(Embedded { history, published, requests, writer: Mutex::new(Some(thread)) })
    }

    /// Answers what was asked for so far, closes the file and waits for that. Watches end; reads go on from memory.
    /// This blocks for as long as the disk takes.
    ///
    /// # Errors
    /// If the disk failed, now or before.
    pub fn close(&self) -> Result<(), StoreError> {
        let Some(thread) = self.writer.lock().take() else { return Ok(()) };
        self.requests.end();
        thread.join().unwrap_or_else(|_| Err(StoreError::Failed("its thread panicked".to_owned())))
    }

    /// How many keys there are in all.
    pub fn len(&self) -> usize {
        self.history.read().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Everything before this revision is forgotten.
    pub fn oldest(&self) -> Revision {
        self.history.read().oldest()
    }

    fn ask<T: Send + 'static>(
        &self,
        request: impl FnOnce(oneshot::Sender<Result<T, StoreError>>) -> Request,
    ) -> Answer<'_, T> {
        let (reply, answer) = oneshot::channel();
        let sent = self.requests.send(request(reply));
        Box::pin(async move {
            sent?;
            answer.await.map_err(|_| StoreError::Closed)?
        })
    }

    /// Reads a range in steps, so that writers get their turn in between; all of it at one revision.
    fn read_range(&self, range: &Range) -> Result<Page, StoreError> {
        let (mut page, mut next) = self.history.read().range(range, MOST)?;
        while let Some(start) = next {
            let limit = if range.limit == 0 { 0 } else { range.limit - page.entries.len() };
            let rest = Range { prefix: range.prefix.clone(), start, limit, at: Some(page.revision) };
            let (part, further) = self.history.read().range(&rest, MOST)?;
            page.entries.extend(part.entries);
            page.more = part.more;
            next = further;
        }
        Ok(page)
    }

    fn read_count(&self, prefix: &Key) -> Result<usize, StoreError> {
        let at = {
            let past = self.history.read();
            if prefix.is_empty() {
                return Ok(past.len());
            }
            past.newest()
        };
        let mut range = Range { prefix: prefix.clone(), at: Some(at), ..Range::default() };
        let mut count = 0;
        loop {
            let (part, next) = self.history.read().count(&range, MOST)?;
            count += part;
            match next {
                Some(start) => range.start = start,
                None => return Ok(count),
            }
        }
    }
}

/// Reads the present again if it became the forgotten past while it was being read.
fn fresh<T>(mut read: impl FnMut() -> Result<T, StoreError>) -> Result<T, StoreError> {
    loop {
        match read() {
            Err(StoreError::Compacted { .. }) => {}
            done => return done,
        }
    }
}

impl Store for Embedded {
    fn get(&self, key: Key, at: Option<Revision>) -> Answer<'_, (Option<Entry>, Revision)> {
        Box::pin(async move {
            let past = self.history.read();
            Ok((past.get(&key, at)?, past.newest()))
        })
    }

    fn range(&self, range: Range) -> Answer<'_, Page> {
        Box::pin(async move {
            if range.at.is_some() { self.read_range(&range) } else { fresh(|| self.read_range(&range)) }
        })
    }

    fn count(&self, prefix: Key) -> Answer<'_, usize> {
        Box::pin(async move { fresh(|| self.read_count(&prefix)) })
    }

    fn revision(&self) -> Answer<'_, Revision> {
        Box::pin(async move { Ok(self.history.read().newest()) })
    }

    fn commit(&self, transaction: Transaction) -> Answer<'_, Outcome> {
        self.ask(|reply| Request::Commit(transaction, reply))
    }

    fn watch(&self, prefix: Key, from: Revision) -> Answer<'_, Watch> {
        Box::pin(async move {
            // Checked here too, so that who begins too early learns it at once.
            drop(self.history.read().events(from, 1)?);
            let (history, published) = (Arc::clone(&self.history), self.published.clone());
            Ok(Watch::new(Watcher { history, published, prefix, from }))
        })
    }

    fn recalls(&self) -> Option<Revision> {
        Some(self.oldest())
    }

    fn compact(&self, before: Revision) -> Answer<'_, ()> {
        self.ask(|reply| Request::Compact(before, reply))
    }

    fn grant(&self, time_to_live: Duration) -> Answer<'_, LeaseId> {
        self.ask(|reply| Request::Grant(time_to_live, reply))
    }

    fn revoke(&self, lease: LeaseId) -> Answer<'_, ()> {
        self.ask(|reply| Request::Revoke(lease, reply))
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        // Who wants to know how it went closes it before.
        drop(self.close());
    }
}

impl std::fmt::Debug for Embedded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedded").field("newest", &self.history.read().newest()).finish_non_exhaustive()
    }
}
