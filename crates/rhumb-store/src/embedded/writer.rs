//! The one thread that changes a store.
//!
//! A turn takes all transactions that are waiting, decides them on a stage, keeps their events with one sync of the
//! disk, takes them into the past, publishes the newest revision, and answers. While the disk syncs the next ones
//! gather, so that many writers share one sync. A turn begins when most of those are there who are known to have
//! something to write, but not all: the others are at work while the disk is.
//!
//! Between turns, forgotten versions are dropped in small steps; their removal from the disk travels with the next
//! batch.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use tokio::sync::{oneshot, watch};

use super::batch::{Batch, Kept};
use super::inbox::Taker;
use super::keeper::Keeper;
use super::leases::{self, Leases};
use super::options::Options;
use super::stage::Stage;
use crate::entry::Key;
use crate::error::StoreError;
use crate::event::EventKind;
use crate::history::{History, Position};
use crate::revision::Revision;
use crate::transaction::{Change, LeaseId, Outcome, Transaction};

/// Where an answer goes.
type Reply<T> = oneshot::Sender<Result<T, StoreError>>;

/// What the writer is asked to do.
pub(super) enum Request {
    Commit(Transaction, Reply<Outcome>),
    Compact(Revision, Reply<()>),
    Grant(Duration, Reply<LeaseId>),
    Revoke(LeaseId, Reply<()>),
}

/// How many bytes one batch has at most, so that one sync doesn't take for ever.
const BATCH_BYTES: usize = 16 << 20;

/// How many events are dropped in one step of compaction, unless more come in with a batch.
const STEP: usize = 256;

/// How many versions one batch drops from the disk, unless more come in with it.
const DROPS: usize = 1024;

/// How many times faster than the past grows it is dropped, so that no rate of writes outruns that.
const HEADWAY: usize = 2;

/// How often leases and the window are looked at while nothing is asked for.
const TICK: Duration = Duration::from_millis(100);

/// How long to wait for another one of those who were just answered, and how often at most in one turn.
const MOMENT: Duration = Duration::from_micros(200);
const MOMENTS: u32 = 16;

/// Into how many parts the window is divided: the past is kept for up to one part longer than it says.
const PARTS: u32 = 16;

/// A moment that was: when it was, the newest revision then, and what had become a part of the past by then.
#[derive(Clone, Copy)]
struct Mark {
    time: Duration,
    revision: Revision,
    outdated: u64,
}

/// The thread's state.
pub(super) struct Writer {
    history: Arc<RwLock<History>>,
    published: watch::Sender<Revision>,
    keeper: Keeper,
    options: Options,
    leases: Leases,
    last_lease: u64,
    /// Versions that are gone from memory but not from the disk.
    droppable: Vec<Position>,
    /// What was the newest revision at some times, the earliest first.
    marks: VecDeque<Mark>,
    /// How many requests may be expected: those of who was answered in the last turn, and who was waiting then.
    expected: usize,
    failed: Option<StoreError>,
}

impl Writer {
    /// A writer on what was kept; `history` is the kept one, shared by now.
    pub(super) fn new(
        history: Arc<RwLock<History>>,
        kept: Kept,
        keeper: Keeper,
        options: Options,
        published: watch::Sender<Revision>,
    ) -> Self {
        let now = options.clock.now();
        let leases = Leases::restart(&history.read(), now);
        let mut writer = Writer {
            history,
            published,
            keeper,
            options,
            leases,
            last_lease: kept.last_lease,
            droppable: kept.droppable,
            marks: VecDeque::new(),
            expected: 0,
            failed: None,
        };
        let (oldest, newest) = (writer.history.read().oldest(), writer.history.read().newest());
        // What was read back is all of one age, and counts as a part of the past from now on.
        writer.mark(oldest, Mark { time: now, revision: newest, outdated: 0 });
        writer
    }

    /// Works until it is told to end. Gives what became of closing.
    pub(super) fn run(mut self, requests: &Taker) -> Result<(), StoreError> {
        let mut open = true;
        while open {
            let waiting;
            (waiting, open) = self.gather(requests);
            let answers = self.turn(waiting);
            // Who asks from now on may be one of those who are answered, and is expected once.
            self.expected = if answers.len() > 1 { requests.len() + answers.len() } else { 0 };
            answers.into_iter().for_each(Answer::send);
        }
        let newest = self.history.read().newest();
        let closed = self.keeper.close(newest, self.failed.is_none());
        match self.failed {
            Some(error) => Err(error),
            None => closed,
        }
    }

    /// Takes what is waiting, or waits for something. False if this is the last turn.
    fn gather(&self, requests: &Taker) -> (Vec<Request>, bool) {
        let mut there = requests.wait(1, self.patience());
        // Who was just answered often has more to write. It is worth a moment to take that along, but not to have
        // nobody left who is at work while the disk is.
        let wanted = if self.keeper.syncs() { self.expected - self.expected / 4 } else { 0 };
        for _ in 0..MOMENTS {
            if there >= wanted {
                break;
            }
            let before = std::mem::replace(&mut there, requests.wait(wanted, Some(MOMENT)));
            if there == before {
                break;
            }
        }
        let (mut count, mut bytes) = (0usize, 0usize);
        requests.take(|request| {
            let more = count < self.options.largest_batch.max(1) && bytes < BATCH_BYTES;
            count += 1;
            if let Request::Commit(transaction, _) = request {
                bytes = bytes.saturating_add(transaction.size());
            }
            more
        })
    }

    /// How long to wait for a request: as long as there is nothing else to do.
    fn patience(&self) -> Option<Duration> {
        let busy = self.failed.is_none() && (!self.droppable.is_empty() || !self.history.read().is_trimmed());
        let idle = self.failed.is_some() || (self.leases.is_empty() && self.marks.is_empty());
        match (busy, idle) {
            (true, _) => Some(Duration::ZERO),
            (false, true) => None,
            (false, false) => Some(TICK),
        }
    }

    /// Decides, keeps and publishes. The answers are to be sent then.
    fn turn(&mut self, waiting: Vec<Request>) -> Vec<Answer> {
        let now = self.options.clock.now();
        if let Some(error) = &self.failed {
            waiting.into_iter().for_each(|request| request.refuse(error));
            return Vec::new();
        }
        let history = Arc::clone(&self.history);
        let past = history.read();
        let mut turn = Turn {
            stage: Stage::on(&past),
            leases: &self.leases,
            options: &self.options,
            oldest: past.oldest(),
            last_lease: self.last_lease,
            granted: Vec::new(),
            ended: Vec::new(),
            answers: Vec::with_capacity(waiting.len()),
        };
        for lease in self.leases.due(now) {
            turn.end(lease);
        }
        for request in waiting {
            turn.decide(request);
        }
        if let Some(window) = self.options.window {
            let most = self.options.past_bytes as u64;
            let is_over = |mark: &&Mark| {
                now >= mark.time.saturating_add(window) || past.outdated() - mark.outdated > most
            };
            while let Some(mark) = self.marks.front().filter(is_over) {
                turn.oldest = turn.oldest.max(mark.revision);
                self.marks.pop_front();
            }
        }
        let changed = turn.oldest > past.oldest() || !turn.granted.is_empty() || !turn.ended.is_empty();
        let drops = DROPS.max(HEADWAY * turn.stage.events.len());
        let batch = Batch {
            newest: turn.stage.newest(),
            oldest: turn.oldest,
            dropped: self.droppable.split_off(self.droppable.len().saturating_sub(drops)),
            granted: turn.granted,
            ended: turn.ended,
            last_lease: turn.last_lease,
            events: turn.stage.events,
        };
        let answers = turn.answers;
        drop(past);
        if (changed || !batch.events.is_empty() || !batch.dropped.is_empty())
            && let Err(error) = self.keeper.keep(&batch)
        {
            answers.into_iter().for_each(|answer| answer.refuse(&error));
            self.failed = Some(error);
            return Vec::new();
        }
        self.record(batch, now);
        answers
    }

    /// Takes a batch that is kept into the past, where everybody sees it.
    fn record(&mut self, batch: Batch, now: Duration) {
        self.last_lease = batch.last_lease;
        for (lease, time) in &batch.granted {
            self.leases.grant(*lease, now.saturating_add(*time));
        }
        for (event, _) in &batch.events {
            self.leases.follow(event);
        }
        for lease in &batch.ended {
            self.leases.end(*lease);
        }
        let step = STEP.max(HEADWAY * batch.events.len());
        let mut past = self.history.write();
        past.leases_mut().extend(batch.granted);
        for lease in &batch.ended {
            past.leases_mut().remove(lease);
        }
        for (event, place) in batch.events {
            past.record(Position { revision: event.revision, place }, event.kind);
        }
        past.compact(batch.oldest);
        if self.droppable.is_empty() {
            self.droppable = past.trim(step);
        }
        let outdated = past.outdated();
        drop(past);
        self.published.send_if_modified(|newest| {
            let moved = batch.newest > *newest;
            *newest = batch.newest;
            moved
        });
        self.mark(batch.oldest, Mark { time: now, revision: batch.newest, outdated });
    }

    /// Remembers when a revision was the newest, a few times per window and per as much as the past may have. Once all
    /// of the past is forgotten and nothing happens there is nothing to remember, and the thread may sleep.
    fn mark(&mut self, oldest: Revision, now: Mark) {
        let Some(window) = self.options.window else { return };
        let part = self.options.past_bytes as u64 / u64::from(PARTS);
        let is_due = match self.marks.back() {
            Some(last) => {
                now.revision > last.revision
                    && (now.time >= last.time.saturating_add(window / PARTS)
                        || now.outdated - last.outdated > part)
            }
            None => now.revision > oldest,
        };
        if is_due {
            self.marks.push_back(now);
        }
    }
}

/// An answer that waits until its batch is kept.
enum Answer {
    Commit(Reply<Outcome>, Result<Outcome, StoreError>),
    Lease(Reply<LeaseId>, LeaseId),
    Done(Reply<()>, Result<(), StoreError>),
}

impl Answer {
    /// Sends it. Nobody may be there any more to hear it.
    fn send(self) {
        match self {
            Answer::Commit(reply, outcome) => drop(reply.send(outcome)),
            Answer::Lease(reply, lease) => drop(reply.send(Ok(lease))),
            Answer::Done(reply, done) => drop(reply.send(done)),
        }
    }

    fn refuse(self, error: &StoreError) {
        match self {
            Answer::Commit(reply, _) => drop(reply.send(Err(error.clone()))),
            Answer::Lease(reply, _) => drop(reply.send(Err(error.clone()))),
            Answer::Done(reply, _) => drop(reply.send(Err(error.clone()))),
        }
    }
}

impl Request {
    fn refuse(self, error: &StoreError) {
        match self {
            Request::Commit(_, reply) => drop(reply.send(Err(error.clone()))),
            Request::Grant(_, reply) => drop(reply.send(Err(error.clone()))),
            Request::Compact(_, reply) | Request::Revoke(_, reply) => drop(reply.send(Err(error.clone()))),
        }
    }
}

/// A turn that is being decided. Nothing of it is seen yet.
struct Turn<'a> {
    stage: Stage<'a>,
    leases: &'a Leases,
    options: &'a Options,
    oldest: Revision,
    last_lease: u64,
    granted: Vec<(LeaseId, Duration)>,
    ended: Vec<LeaseId>,
    answers: Vec<Answer>,
}

impl Turn<'_> {
    fn decide(&mut self, request: Request) {
        let answer = match request {
            Request::Commit(transaction, reply) => {
                let outcome = self.check(&transaction).map(|()| self.stage.decide(transaction));
                Answer::Commit(reply, outcome)
            }
            Request::Compact(before, reply) => {
                let allowed = History::may_compact(before, self.oldest, self.stage.newest());
                if allowed.is_ok() {
                    self.oldest = before;
                }
                Answer::Done(reply, allowed)
            }
            Request::Grant(time, reply) => {
                let lease = leases::after(self.last_lease);
                self.last_lease = lease.0.get();
                self.granted.push((lease, time));
                Answer::Lease(reply, lease)
            }
            Request::Revoke(lease, reply) => {
                let known = self.has(lease);
                if known {
                    self.end(lease);
                }
                Answer::Done(reply, if known { Ok(()) } else { Err(StoreError::NoLease) })
            }
        };
        self.answers.push(answer);
    }

    fn has(&self, lease: LeaseId) -> bool {
        self.leases.has(lease) && !self.ended.contains(&lease)
    }

    /// Whether a transaction is one that can be taken.
    fn check(&self, transaction: &Transaction) -> Result<(), StoreError> {
        let (size, limit) = (transaction.size(), self.options.largest_transaction);
        if size > limit {
            return Err(StoreError::TooLarge { size, limit });
        }
        let mut seen: HashSet<&Key> = HashSet::new();
        for change in &transaction.changes {
            if change.key().is_empty() {
                return Err(StoreError::Invalid("a key is empty".to_owned()));
            }
            if transaction.changes.len() > 1 && !seen.insert(change.key()) {
                return Err(StoreError::Invalid("a key is changed twice in one transaction".to_owned()));
            }
            if let Change::Put { lease: Some(lease), .. } = change
                && !self.has(*lease)
            {
                return Err(StoreError::NoLease);
            }
        }
        Ok(())
    }

    /// Ends a lease with everything that lives by it, in one transaction.
    fn end(&mut self, lease: LeaseId) {
        let staged = self.stage.events.iter().filter_map(|(event, _)| match &event.kind {
            EventKind::Put(entry) if entry.lease == Some(lease) => Some(&entry.key),
            _ => None,
        });
        let mut keys: Vec<Key> = self.leases.keys(lease).chain(staged).cloned().collect();
        keys.retain(|key| self.stage.current(key).is_some_and(|entry| entry.lease == Some(lease)));
        keys.sort_unstable();
        keys.dedup();
        let changes = keys.into_iter().map(|key| Change::Delete { key }).collect();
        self.stage.decide(Transaction { conditions: Vec::new(), changes });
        self.ended.push(lease);
    }
}
