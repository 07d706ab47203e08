//! The encoded forms of objects that were asked for, and the bounds on their memory.
//!
//! A form is kept with its object, or with the objects that stand beside each other in the cache if it is of all of
//! them, so that the next one who asks gets the same bytes. All forms of a cache
//! together have a bound: a list in five formats must not take the memory of the objects five times more. What was
//! made first is dropped first, unless it was asked for again since. And what nobody asks for any more is dropped
//! after a while ([`Budget::age`]): forms are made within microseconds, and are mostly larger than what is stored.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use bytes::Bytes;
use parking_lot::Mutex;
use smallvec::SmallVec;

/// Which of an object's encoded forms is meant, for example one version in one format. The numbers are the caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FormId(pub u32);

/// How many forms of an object are kept. What is asked for beyond that is made anew every time.
const FORMS: usize = 8;

/// How many kept forms are looked at for each new one, to see whether their objects are gone.
const SWEPT: usize = 2;

/// How many forms are looked at in one go for whether they are still asked for. Whoever makes a form waits for that.
const AGED: usize = 512;

/// How many bytes all forms of a cache may have.
#[derive(Debug)]
pub(super) struct Budget {
    most: usize,
    bytes: AtomicUsize,
    /// The forms that are kept, the first made first. Some of their objects may be gone.
    queue: Mutex<VecDeque<Queued>>,
    /// How often unused forms were dropped.
    round: AtomicU32,
}

/// A form that is kept.
#[derive(Debug)]
struct Queued {
    object: Weak<Kept>,
    id: FormId,
    /// The round in which it was made.
    round: u32,
}

impl Budget {
    pub(super) fn new(most: usize) -> Self {
        Budget { most, bytes: AtomicUsize::new(0), queue: Mutex::default(), round: AtomicU32::new(0) }
    }

    /// How many bytes are kept.
    pub(super) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Takes a new form in, and drops others that are too many.
    fn keep(&self, kept: &Arc<Kept>, id: FormId, size: usize) {
        self.bytes.fetch_add(size, Ordering::Relaxed);
        let round = self.round.load(Ordering::Relaxed);
        let mut queue = self.queue.lock();
        queue.push_back(Queued { object: Arc::downgrade(kept), id, round });
        for _ in 0..SWEPT {
            if let Some(form) = queue.pop_front()
                && form.object.strong_count() > 0
            {
                queue.push_back(form);
            }
        }
        // Each form is given one more chance at most, so that this ends.
        let mut chances = queue.len();
        while self.bytes() > self.most {
            let Some(form) = queue.pop_front() else { break };
            let Some(object) = form.object.upgrade() else { continue };
            if chances > 0 && object.was_used(form.id) {
                chances -= 1;
                queue.push_back(form);
            } else {
                object.drop_form(form.id);
            }
        }
    }

    /// Drops the forms that nobody has asked for since the last time. Answers with how many bytes those were.
    pub(super) fn age(&self) -> usize {
        let mut dropped = 0;
        let round = self.round.fetch_add(1, Ordering::Relaxed);
        let mut left = self.queue.lock().len();
        while left > 0 {
            let mut queue = self.queue.lock();
            for _ in 0..left.min(AGED) {
                let Some(form) = queue.pop_front() else { return dropped };
                let Some(object) = form.object.upgrade() else { continue };
                // One that was made since the last time was asked for then.
                if object.was_used(form.id) || form.round == round {
                    queue.push_back(form);
                } else {
                    dropped += object.drop_form(form.id);
                }
            }
            left = left.saturating_sub(AGED);
        }
        let mut queue = self.queue.lock();
        let room = queue.len().saturating_mul(2);
        queue.shrink_to(room);
        dropped
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
    forms: Mutex<SmallVec<[Form; 1]>>,
}

#[derive(Debug)]
struct Form {
    id: FormId,
    /// Whether it was asked for again since this was last looked at.
    used: bool,
    bytes: Bytes,
}

impl Forms {
    pub(super) fn new(budget: &Arc<Budget>) -> Self {
        Forms { budget: Arc::clone(budget), kept: OnceLock::new() }
    }

    /// The budget that its forms are charged to.
    pub(super) fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }

    /// A form, if it is kept. This doesn't count as asking for it.
    pub(super) fn kept(&self, id: FormId) -> Option<Bytes> {
        let forms = self.kept.get()?.forms.lock();
        forms.iter().find(|form| form.id == id).map(|form| form.bytes.clone())
    }

    /// Has the processor fetch where the forms are kept.
    pub(super) fn approach(&self) {
        std::hint::black_box(self.kept.get().is_some_and(|kept| kept.forms.is_locked()));
    }

    /// A form, made if it is not there. Who asks while one of the object's forms is being made waits for it. An empty
    /// one could not be made, and is not kept.
    pub(super) fn get(&self, id: FormId, make: impl FnOnce() -> Bytes) -> Bytes {
        let kept = self
            .kept
            .get_or_init(|| Arc::new(Kept { budget: Arc::clone(&self.budget), forms: Mutex::default() }));
        let mut forms = kept.forms.lock();
        if let Some(form) = forms.iter_mut().find(|form| form.id == id) {
            form.used = true;
            return form.bytes.clone();
        }
        let bytes = make();
        if !bytes.is_empty() && forms.len() < FORMS {
            forms.push(Form { id, used: false, bytes: bytes.clone() });
            // Making room may take forms from this very object.
            drop(forms);
            self.budget.keep(kept, id, bytes.len());
        }
        bytes
    }
}

impl Kept {
    /// Whether a form was asked for again since the last time.
    fn was_used(&self, id: FormId) -> bool {
        let mut forms = self.forms.lock();
        let form = forms.iter_mut().find(|form| form.id == id);
        form.is_some_and(|form| std::mem::take(&mut form.used))
    }

    /// Drops a form. Answers with how many bytes it had.
    fn drop_form(&self, id: FormId) -> usize {
        let mut forms = self.forms.lock();
        let place = forms.iter().position(|form| form.id == id);
        let dropped = place.map_or(0, |place| self.give_back(&forms.swap_remove(place)));
        if forms.is_empty() {
            forms.shrink_to_fit();
        }
        dropped
    }

    fn give_back(&self, form: &Form) -> usize {
        self.budget.bytes.fetch_sub(form.bytes.len(), Ordering::Relaxed);
        form.bytes.len()
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        for form in std::mem::take(self.forms.get_mut()) {
            self.give_back(&form);
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
    fn what_could_not_be_made_is_made_when_it_is_asked_for_again() {
        let budget = Arc::new(Budget::new(1000));
        let object = Forms::new(&budget);
        assert!(object.get(FormId(0), Bytes::new).is_empty());
        assert!(object.kept(FormId(0)).is_none() && form(&object, 0) && !form(&object, 0));
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

    #[test]
    fn what_nobody_asks_for_any_more_is_dropped() {
        let budget = Arc::new(Budget::new(usize::MAX));
        let objects: Vec<Forms> = (0..2000).map(|_| Forms::new(&budget)).collect();
        let made = |id| objects.iter().filter(|object| form(object, id)).count();
        assert_eq!((made(0), made(1), made(1)), (2000, 2000, 0));
        assert_eq!(budget.age(), 0);
        assert_eq!(budget.bytes(), 400_000, "they were asked for since the last time");
        assert_eq!(made(0), 0);
        assert_eq!(budget.age(), 200_000);
        assert_eq!(budget.bytes(), 200_000, "one of two was not asked for again");
        assert_eq!(made(0), 0);
        budget.age();
        budget.age();
        assert_eq!((budget.bytes(), budget.queue.lock().len()), (0, 0));
        assert_eq!(made(0), 2000);
    }
}
