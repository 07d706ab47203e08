//! The encoded forms of objects that were asked for, and the bound on their memory.
//!
//! A form is kept with its object, so that the next one who asks gets the same bytes. All forms of a cache
//! together have a bound: a list in five formats must not take the memory of the objects five times more, for
//! ever. What was made first is dropped first, unless it was asked for again since.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use bytes::Bytes;
use parking_lot::Mutex;

/// Which of an object's encoded forms is meant, for example one version in one format. The numbers are the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FormId(pub u32);

/// How many forms of an object are kept. What is asked for beyond that is made anew every time.
const FORMS: usize = 8;

/// How many kept forms are looked at for each new one, to see whether their objects are gone.
const SWEPT: usize = 2;

/// How many bytes all forms of a cache may have.
#[derive(Debug)]
pub(super) struct Budget {
    most: usize,
    bytes: AtomicUsize,
    /// The forms that are kept, the first made first. Some of their objects may be gone.
    queue: Mutex<VecDeque<(Weak<Kept>, FormId)>>,
}

impl Budget {
    pub(super) fn new(most: usize) -> Self {
        Budget { most, bytes: AtomicUsize::new(0), queue: Mutex::new(VecDeque::new()) }
    }

    /// How many bytes are kept.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Takes a new form in, and drops others that are too many.
    fn keep(&self, kept: &Arc<Kept>, id: FormId, size: usize) {
        self.bytes.fetch_add(size, Ordering::Relaxed);
        let mut queue = self.queue.lock();
        queue.push_back((Arc::downgrade(kept), id));
        for _ in 0..SWEPT {
            if let Some(form) = queue.pop_front()
                && form.0.strong_count() > 0
            {
                queue.push_back(form);
            }
        }
        // Each form is given one more chance at most, so that this ends.
        let mut chances = queue.len();
        while self.bytes() > self.most {
            let Some((kept, id)) = queue.pop_front() else { break };
            let Some(alive) = kept.upgrade() else { continue };
            if chances > 0 && alive.used.swap(false, Ordering::Relaxed) {
                chances -= 1;
                queue.push_back((kept, id));
            } else {
                alive.drop_form(id);
            }
        }
    }
}

/// The forms of one object. Most objects have none.
#[derive(Debug)]
pub(super) struct Forms {
    budget: Arc<Budget>,
    kept: OnceLock<Arc<Kept>>,
}

/// The forms that an object has.
#[derive(Debug)]
struct Kept {
    budget: Arc<Budget>,
    forms: Mutex<Vec<(FormId, Arc<OnceLock<Bytes>>)>>,
    /// Whether one of them was asked for again since this was last looked at.
    used: AtomicBool,
}

impl Forms {
    pub(super) fn new(budget: &Arc<Budget>) -> Self {
        Forms { budget: Arc::clone(budget), kept: OnceLock::new() }
    }

    /// The budget that its forms are charged to.
    pub(super) fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// A form, made if it is not there. Who asks while it is being made waits for it.
    pub(super) fn get(&self, id: FormId, make: impl FnOnce() -> Bytes) -> Bytes {
        let kept = self.kept.get_or_init(|| {
            let (budget, forms) = (Arc::clone(&self.budget), Mutex::default());
            Arc::new(Kept { budget, forms, used: AtomicBool::new(false) })
        });
        let Some(slot) = kept.slot(id) else { return make() };
        let mut made = None;
        let bytes = slot.get_or_init(|| {
            let bytes = make();
            made = Some(bytes.len());
            bytes
        });
        match made {
            Some(size) => self.budget.keep(kept, id, size),
            None => kept.used.store(true, Ordering::Relaxed),
        }
        bytes.clone()
    }
}

impl Kept {
    /// Where a form is kept; `None` if there are too many of them.
    fn slot(&self, id: FormId) -> Option<Arc<OnceLock<Bytes>>> {
        let mut forms = self.forms.lock();
        if let Some((_, slot)) = forms.iter().find(|(form, _)| *form == id) {
            return Some(Arc::clone(slot));
        }
        if forms.len() == FORMS {
            return None;
        }
        let slot = Arc::new(OnceLock::new());
        forms.push((id, Arc::clone(&slot)));
        Some(slot)
    }

    fn drop_form(&self, id: FormId) {
        let mut forms = self.forms.lock();
        // One that is not made yet is not charged yet, and is another than the one that was meant.
        let place = forms.iter().position(|(form, slot)| *form == id && slot.get().is_some());
        if let Some((_, slot)) = place.map(|place| forms.swap_remove(place)) {
            self.give_back(&slot);
        }
    }

    fn give_back(&self, slot: &OnceLock<Bytes>) {
        self.budget.bytes.fetch_sub(slot.get().map_or(0, Bytes::len), Ordering::Relaxed);
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        for (_, slot) in std::mem::take(self.forms.get_mut()) {
            self.give_back(&slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(forms: &Forms, id: u32) -> bool {
        let mut made = false;
        let bytes = forms.get(FormId(id), || {
            made = true;
            Bytes::from(vec![0; 100])
        });
        assert_eq!(bytes.len(), 100);
        made
    }

    #[test]
    fn forms_stay_within_their_budget() {
        let budget = Arc::new(Budget::new(1000));
        let objects: Vec<Forms> = (0..30).map(|_| Forms::new(&budget)).collect();
        for object in &objects {
            for id in 0..3 {
                assert!(form(object, id));
                assert!(budget.bytes() <= 1000);
            }
        }
        // The last ones are still there, the first ones are made anew.
        assert!(!form(&objects[29], 0) && !form(&objects[28], 2) && form(&objects[0], 0));
        drop(objects);
        assert_eq!(budget.bytes(), 0);
    }

    #[test]
    fn what_is_asked_for_again_stays_longer() {
        let budget = Arc::new(Budget::new(1000));
        let favourite = Forms::new(&budget);
        form(&favourite, 0);
        let others: Vec<Forms> = (0..100).map(|_| Forms::new(&budget)).collect();
        let made = others.iter().filter(|other| {
            form(other, 0);
            form(&favourite, 0)
        });
        assert!(made.count() < 10);
    }

    #[test]
    fn objects_that_are_gone_leave_nothing_behind() {
        let budget = Arc::new(Budget::new(1000));
        let longest = Forms::new(&budget);
        form(&longest, 0);
        for _ in 0..1000 {
            form(&Forms::new(&budget), 0);
        }
        assert_eq!(budget.bytes(), 100);
        assert!(budget.queue.lock().len() < 10);
    }
}
