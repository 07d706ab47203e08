//! The objects of a list in the portions in which they are encoded.

use std::collections::VecDeque;
use std::sync::Arc;

use rhumb_store::cache::{Cached, Together};

use super::Found;
use crate::base::compress::THRESHOLD;
use crate::registry::cached::CachedObject;

/// Objects that are encoded at once: those that are kept together, or one.
pub(super) enum Part {
    Together(Together<CachedObject>),
    One(Arc<Cached<CachedObject>>),
}

impl Part {
    /// The objects.
    pub(super) fn objects(&self) -> &[Arc<Cached<CachedObject>>] {
        match self {
            Part::Together(together) => together.objects(),
            Part::One(cached) => std::slice::from_ref(cached),
        }
    }
}

/// The objects of a list, part by part.
pub(super) struct Parts {
    /// Those that were looked at already.
    seen: VecDeque<Part>,
    items: Found,
}

impl Parts {
    pub(super) fn new(items: Found) -> Self {
        Parts { seen: VecDeque::new(), items }
    }

    /// Whether the list is long enough to be compressed. No more of it is looked at than tells that.
    pub(super) fn are_long(&mut self, length: impl Fn(&Part) -> usize) -> bool {
        let mut total = 0;
        while total <= THRESHOLD {
            let Some(part) = self.take() else { return false };
            total += length(&part);
            self.seen.push_back(part);
        }
        true
    }

    /// Takes the next part from where the objects come from.
    fn take(&mut self) -> Option<Part> {
        match self.items.together() {
            Some(together) => Some(Part::Together(together)),
            None => self.items.next().map(Part::One),
        }
    }
}

impl Iterator for Parts {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        self.seen.pop_front().or_else(|| self.take())
    }
}
