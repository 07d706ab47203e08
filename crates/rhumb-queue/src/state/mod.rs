//! State machine of a queue: no locks, clock or tasks. Times are arguments, and waiters to wake are results.
//!
//! - An item *waits* from when it is added until it is taken, and is *taken* until it is given back. It can be both:
//!   then it gets its place among the ready ones when it is given back. This is the dirty and the processing set of
//!   client-go.
//! - Every waiting item that is not also taken is *ready*. The ready ones are in order: higher priorities first, and
//!   within a priority first come, first served.
//! - A *delayed* item is added when its time has come. That is looked at before everything else is done, so an item
//!   can't miss its turn because nobody was there when it fell due.
//! - Those who want an item and find none stand in line (`line`).

mod line;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::metrics::Series;
use line::Line;
pub(crate) use line::Ticket;

/// Maximum delay: beyond the life of any process and within the range of all clocks.
const FOREVER: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);

/// Position of a ready item: priority, then order.
type Place = (Reverse<i32>, u64);

/// Due time of a delayed item, with a number for those of the same time.
type Due = (Instant, u64);

/// State of an item. One of the three is always set.
#[derive(Clone, Default)]
struct Entry {
    waiting: Option<Waiting>,
    /// Since when it is worked on.
    taken: Option<Instant>,
    delayed: Option<Due>,
}

#[derive(Clone)]
struct Waiting {
    priority: i32,
    since: Instant,
    /// Position among the ready items; none while it is also taken.
    place: Option<Place>,
}

/// Result of asking for an item.
#[derive(Debug)]
pub(crate) enum Take<T> {
    /// The caller takes this item until it gives it back.
    Item {
        /// The item.
        item: T,
        /// The highest priority it was added with.
        priority: i32,
    },
    /// No item is ready. The caller is in line and will be woken.
    Wait {
        /// Their place in the line.
        ticket: Ticket,
        /// They must ask again at this time even if nobody rings.
        until: Option<Instant>,
    },
    /// The queue is closed and empty.
    Closed,
}

/// Phase of a queue's shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Items can be added.
    Open,
    /// Accepts no items, still hands out ready ones, and has a caller waiting for its drain.
    Draining,
    /// Accepts no items and still hands out ready ones.
    Closed,
}

/// State of a queue of items `T` whose waiters are woken by a `W`.
#[derive(Clone)]
pub(crate) struct State<T, W> {
    entries: HashMap<T, Entry>,
    ready: BTreeMap<Place, T>,
    delayed: BTreeMap<Due, (T, i32)>,
    taken: usize,
    line: Line<W>,
    drains: BTreeMap<u64, W>,
    phase: Phase,
    next_number: u64,
    to_ring: Vec<W>,
    series: Option<Arc<Series>>,
}

impl<T: Clone + Eq + Hash, W: Clone> State<T, W> {
    pub(crate) fn new(series: Option<Arc<Series>>) -> Self {
        State {
            entries: HashMap::new(),
            ready: BTreeMap::new(),
            delayed: BTreeMap::new(),
            taken: 0,
            line: Line::default(),
            drains: BTreeMap::new(),
            phase: Phase::Open,
            next_number: 0,
            to_ring: Vec::new(),
            series,
        }
    }

    /// Returns the waiters to wake because of the operations since the last call.
    pub(crate) fn take_bells(&mut self) -> Vec<W> {
        std::mem::take(&mut self.to_ring)
    }

    /// Adds an item, unless the queue is shut down.
    pub(crate) fn add(&mut self, item: T, priority: i32, now: Instant) {
        self.promote(now);
        if self.phase == Phase::Open {
            self.want(item, priority, now);
            self.settle();
        }
    }

    /// Adds an item when the delay is over, unless the queue is shut down by then. Of two delays of an item the
    /// earlier holds, and of two priorities the higher.
    pub(crate) fn add_after(&mut self, item: T, delay: Duration, priority: i32, now: Instant) {
        self.promote(now);
        if self.phase != Phase::Open {
            return;
        }
        if let Some(series) = &self.series {
            series.retried();
        }
        if delay.is_zero() {
            self.want(item, priority, now);
        } else {
            self.delay(item, now.checked_add(delay.min(FOREVER)).unwrap_or(now), priority);
        }
        self.settle();
    }

    /// Takes the first ready item, for somebody who comes anew or already stands in line.
    pub(crate) fn take(&mut self, ticket: Option<Ticket>, now: Instant, bell: W) -> Take<T> {
        self.promote(now);
        let mine = match ticket {
            Some(ticket) => self.line.is_called(ticket),
            None => self.line.called() < self.ready.len(),
        };
        if mine && let Some((place, item)) = self.ready.pop_first() {
            if let Some(ticket) = ticket {
                self.line.leave(ticket);
            }
            self.hand_out(&item, now);
            return Take::Item { item, priority: place.0.0 };
        }
        if self.phase != Phase::Open {
            if let Some(ticket) = ticket {
                self.line.leave(ticket);
            }
            return Take::Closed;
        }
        let next = self.next_due();
        let (ticket, until) = self.line.stand(ticket, bell, next);
        Take::Wait { ticket, until }
    }

    /// Removes a waiter from the line. If it was called, the next one is.
    pub(crate) fn leave(&mut self, ticket: Ticket) {
        self.line.leave(ticket);
        self.settle();
    }

    /// Gives a taken item back. If it was added meanwhile it becomes ready.
    pub(crate) fn done(&mut self, item: &T, now: Instant) {
        self.promote(now);
        let Some(entry) = self.entries.get_mut(item) else { return };
        let Some(since) = entry.taken.take() else { return };
        self.taken = self.taken.saturating_sub(1);
        if let Some(series) = &self.series {
            series.worked(now.saturating_duration_since(since));
        }
        if let Some(waiting) = &mut entry.waiting {
            let place = (Reverse(waiting.priority), self.next_number);
            self.next_number = self.next_number.wrapping_add(1);
            waiting.place = Some(place);
            self.ready.insert(place, item.clone());
        } else if entry.delayed.is_none() {
            self.entries.remove(item);
        }
        self.settle();
        self.settle_drains();
    }

    /// Lets nothing in any more, and forgets what is delayed. What is there is still handed out. Those who wait for a
    /// drain no longer do.
    pub(crate) fn shut_down(&mut self, now: Instant) {
        self.close(Phase::Closed, now);
        self.settle_drains();
    }

    /// Like `close`, for a caller who then waits with `drain` until all items are processed.
    pub(crate) fn begin_drain(&mut self, now: Instant) {
        self.close(Phase::Draining, now);
    }

    /// Reports whether a drain is over; if not, the bell is rung when it is.
    pub(crate) fn drain(&mut self, ticket: &mut Option<u64>, bell: W) -> bool {
        if self.drain_is_over() {
            if let Some(ticket) = ticket.take() {
                self.drains.remove(&ticket);
            }
            return true;
        }
        let number = *ticket.get_or_insert_with(|| {
            self.next_number = self.next_number.wrapping_add(1);
            self.next_number
        });
        self.drains.insert(number, bell);
        false
    }

    /// Removes a waiter for the drain.
    pub(crate) fn leave_drain(&mut self, ticket: u64) {
        self.drains.remove(&ticket);
    }

    /// Returns the number of ready items.
    pub(crate) fn ready(&mut self, now: Instant) -> usize {
        self.promote(now);
        self.ready.len()
    }

    /// Reports whether the queue lets nothing in any more.
    pub(crate) fn is_shut_down(&self) -> bool {
        self.phase != Phase::Open
    }

    /// Returns the total and the longest processing time of taken items.
    pub(crate) fn unfinished(&self, now: Instant) -> (Duration, Duration) {
        let ages =
            self.entries.values().filter_map(|entry| Some(now.saturating_duration_since(entry.taken?)));
        ages.fold((Duration::ZERO, Duration::ZERO), |(total, longest), age| {
            (total.saturating_add(age), longest.max(age))
        })
    }

    fn next_due(&self) -> Option<Instant> {
        self.delayed.first_key_value().map(|(due, _)| due.0)
    }

    fn next_number(&mut self) -> u64 {
        let number = self.next_number;
        self.next_number = self.next_number.wrapping_add(1);
        number
    }

    /// Adds the delayed items whose time has come. They have waited since then, not since now.
    fn promote(&mut self, now: Instant) {
        let mut any = false;
        while let Some(first) = self.delayed.first_entry()
            && first.key().0 <= now
        {
            let ((since, _), (item, priority)) = first.remove_entry();
            if let Some(entry) = self.entries.get_mut(&item) {
                entry.delayed = None;
            }
            self.want(item, priority, since);
            any = true;
        }
        if any {
            self.settle();
        }
    }

    /// Makes an item wait to be processed.
    fn want(&mut self, item: T, priority: i32, since: Instant) {
        let number = self.next_number();
        let entry = self.entries.entry(item.clone()).or_default();
        let place = (Reverse(priority), number);
        match &mut entry.waiting {
            Some(waiting) if waiting.priority >= priority => {}
            Some(waiting) => {
                waiting.priority = priority;
                if let Some(old) = &mut waiting.place {
                    self.ready.remove(old);
                    *old = place;
                    self.ready.insert(place, item);
                }
            }
            None => {
                let place = entry.taken.is_none().then_some(place);
                entry.waiting = Some(Waiting { priority, since, place });
                if let Some(place) = place {
                    self.ready.insert(place, item);
                }
                if let Some(series) = &self.series {
                    series.added();
                }
            }
        }
    }

    fn delay(&mut self, item: T, until: Instant, priority: i32) {
        let number = self.next_number();
        let entry = self.entries.entry(item.clone()).or_default();
        let Some(due) = &mut entry.delayed else {
            entry.delayed = Some((until, number));
            self.delayed.insert((until, number), (item, priority));
            return;
        };
        if until < due.0
            && let Some((item, old)) = self.delayed.remove(due)
        {
            *due = (until, number);
            self.delayed.insert(*due, (item, priority.max(old)));
        } else if let Some((_, old)) = self.delayed.get_mut(due) {
            *old = priority.max(*old);
        }
    }

    fn hand_out(&mut self, item: &T, now: Instant) {
        let Some(entry) = self.entries.get_mut(item) else { return };
        entry.taken = Some(now);
        self.taken = self.taken.saturating_add(1);
        if let (Some(waiting), Some(series)) = (entry.waiting.take(), &self.series) {
            series.handed_out(now.saturating_duration_since(waiting.since));
        }
    }

    fn close(&mut self, phase: Phase, now: Instant) {
        self.promote(now);
        self.phase = phase;
        for (item, _) in std::mem::take(&mut self.delayed).into_values() {
            if let Some(entry) = self.entries.get_mut(&item) {
                entry.delayed = None;
                if entry.waiting.is_none() && entry.taken.is_none() {
                    self.entries.remove(&item);
                }
            }
        }
        self.line.ring_all(&mut self.to_ring);
    }

    fn settle(&mut self) {
        let next = self.next_due();
        self.line.settle(self.ready.len(), next, &mut self.to_ring);
    }

    fn drain_is_over(&self) -> bool {
        self.phase != Phase::Draining || (self.taken == 0 && self.ready.is_empty())
    }

    fn settle_drains(&mut self) {
        if self.drain_is_over() {
            self.to_ring.extend(std::mem::take(&mut self.drains).into_values());
        }
    }
}
