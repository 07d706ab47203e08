//! Line of waiters in order of arrival.
//!
//! For every ready item one of them is *called*, the longest-standing first. Nobody else can have that item: not one
//! who comes later, and not one who happens to look first. So nobody starves, however many others there are. One who
//! leaves after being called hands the call on.
//!
//! The first of those who are not called is the watchman: it waits for the next delayed item to fall due. When it is
//! called or leaves, or when an earlier item comes, the watchman of then is rung so that it sets its timer anew.

use std::collections::{BTreeMap, BTreeSet};

use tokio::time::Instant;

/// A position in the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticket(u64);

#[derive(Clone)]
struct Standing<W> {
    bell: W,
    /// Time at which it will look again by itself, if set.
    until: Option<Instant>,
}

/// The line. Either all ready items have a called waiter, or no waiter is idle.
#[derive(Clone)]
pub(super) struct Line<W> {
    called: BTreeSet<Ticket>,
    standing: BTreeMap<Ticket, Standing<W>>,
    next: u64,
}

impl<W> Default for Line<W> {
    fn default() -> Self {
        Line { called: BTreeSet::new(), standing: BTreeMap::new(), next: 0 }
    }
}

impl<W: Clone> Line<W> {
    /// Returns the number of called waiters that have not come yet.
    pub(super) fn called(&self) -> usize {
        self.called.len()
    }

    /// Reports whether it is this one's turn.
    pub(super) fn is_called(&self, ticket: Ticket) -> bool {
        self.called.contains(&ticket)
    }

    /// Stands at the end, or stays where it stood with a new bell. The answer says when to look again unasked; for the
    /// watchman that is when the next delayed item falls due.
    pub(super) fn stand(
        &mut self,
        ticket: Option<Ticket>,
        bell: W,
        next_due: Option<Instant>,
    ) -> (Ticket, Option<Instant>) {
        let ticket = ticket.unwrap_or_else(|| {
            let ticket = Ticket(self.next);
            self.next = self.next.wrapping_add(1);
            ticket
        });
        self.called.remove(&ticket);
        let first = self.standing.first_key_value().is_none_or(|(first, _)| *first >= ticket);
        let until = if first { next_due } else { None };
        self.standing.insert(ticket, Standing { bell, until });
        (ticket, until)
    }

    /// Leaves the line.
    pub(super) fn leave(&mut self, ticket: Ticket) {
        self.called.remove(&ticket);
        self.standing.remove(&ticket);
    }

    /// Calls somebody for every ready item that nobody is called for, and sees to it that the watchman knows when the
    /// next delayed item falls due.
    pub(super) fn settle(&mut self, ready: usize, next_due: Option<Instant>, to_ring: &mut Vec<W>) {
        while self.called.len() < ready
            && let Some((ticket, standing)) = self.standing.pop_first()
        {
            self.called.insert(ticket);
            to_ring.push(standing.bell);
        }
        if let Some(next) = next_due
            && let Some(mut first) = self.standing.first_entry()
            && first.get().until.is_none_or(|until| until > next)
        {
            first.get_mut().until = Some(next);
            to_ring.push(first.get().bell.clone());
        }
    }

    /// Rings everybody who is not called, so that they see that the end has come.
    pub(super) fn ring_all(&self, to_ring: &mut Vec<W>) {
        to_ring.extend(self.standing.values().map(|standing| standing.bell.clone()));
    }
}
