//! Reference queue: lists that are searched from one end to the other.

/// Item of a model.
pub(super) type Item = u8;

#[derive(Clone, Debug, Default)]
pub(super) struct Naive {
    /// Ready items in order.
    pub(super) ready: Vec<(Item, i32)>,
    /// Items to process.
    pub(super) waiting: Vec<(Item, i32)>,
    pub(super) taken: Vec<Item>,
    /// Item, time, priority, in the order in which they were put off.
    pub(super) delayed: Vec<(Item, u64, i32)>,
    pub(super) closed: bool,
}

impl Naive {
    pub(super) fn add(&mut self, item: Item, priority: i32) {
        if !self.closed {
            self.want(item, priority);
        }
    }

    pub(super) fn add_after(&mut self, item: Item, until: u64, priority: i32) {
        if self.closed {
            return;
        }
        let Some(place) = self.delayed.iter().position(|(delayed, ..)| *delayed == item) else {
            return self.delayed.push((item, until, priority));
        };
        let (_, old_until, old_priority) = self.delayed[place];
        if until < old_until {
            self.delayed.remove(place);
            self.delayed.push((item, until, priority.max(old_priority)));
        } else {
            self.delayed[place].2 = priority.max(old_priority);
        }
    }

    pub(super) fn advance(&mut self, now: u64) {
        loop {
            let due = self.delayed.iter().enumerate().filter(|(_, (_, until, _))| *until <= now);
            let Some((place, _)) = due.min_by_key(|(place, (_, until, _))| (*until, *place)) else { return };
            let (item, _, priority) = self.delayed.remove(place);
            self.want(item, priority);
        }
    }

    /// Returns the first of those with the highest priority.
    pub(super) fn take(&mut self) -> Option<(Item, i32)> {
        let highest = self.ready.iter().map(|(_, priority)| *priority).max()?;
        let place = self.ready.iter().position(|(_, priority)| *priority == highest)?;
        let (item, priority) = self.ready.remove(place);
        self.waiting.retain(|(waiting, _)| *waiting != item);
        self.taken.push(item);
        Some((item, priority))
    }

    pub(super) fn done(&mut self, item: Item) {
        self.taken.retain(|taken| *taken != item);
        if let Some(again) = self.waiting.iter().find(|(waiting, _)| *waiting == item) {
            self.ready.push(*again);
        }
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
        self.delayed.clear();
    }

    pub(super) fn next_due(&self) -> Option<u64> {
        self.delayed.iter().map(|(_, until, _)| *until).min()
    }

    fn want(&mut self, item: Item, priority: i32) {
        if let Some(waiting) = self.waiting.iter_mut().find(|(waiting, _)| *waiting == item) {
            if waiting.1 < priority {
                waiting.1 = priority;
                if let Some(place) = self.ready.iter().position(|(ready, _)| *ready == item) {
                    self.ready.remove(place);
                    self.ready.push((item, priority));
                }
            }
            return;
        }
        self.waiting.push((item, priority));
        if !self.taken.contains(&item) {
            self.ready.push((item, priority));
        }
    }
}
