//! Budget of the current work: whether to continue, and how much memory it may use.
//!
//! Decoders, patchers, rules and matchers loop over what a client has sent. Each of them asks [`is_stopped`] as it
//! goes and returns early, with whatever it has, once that is so; memory that is not bounded by the length of the
//! input is asked for with [`take`]. Who started the work has a [`Budget`], may stop it from another thread, and
//! throws the outcome away if it is stopped. What was cut short must not be taken for whole: before an outcome is
//! stored, [`settle`] is asked, and after that nothing stops the work. Who has more to do after that, which may be
//! stopped again, says so by [`go_on`].
//!
//! A budget is in scope of a thread while [`Budget::scope`] runs, so that nothing on the way has to hand it on.
//! Without one nothing is bounded here. There is no clock: who has one calls [`Budget::stop`].

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

thread_local! {
    static CURRENT: RefCell<Option<Arc<Budget>>> = const { RefCell::new(None) };
}

/// Remaining budget.
#[derive(Debug)]
pub struct Budget {
    state: AtomicU8,
    memory: AtomicUsize,
    /// What there was at first.
    whole: usize,
}

const GOING: u8 = 0;
const STOPPED: u8 = 1;
const OVERDRAWN: u8 = 2;
const SETTLED: u8 = 3;
/// Settled, and to be stopped as soon as the work goes on.
const SETTLED_LAST: u8 = 4;

/// Guard that restores the previous budget.
struct Restore(Option<Arc<Budget>>);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

impl Budget {
    /// Creates a budget of so many bytes beyond what the length of the input bounds already.
    pub fn new(memory: usize) -> Arc<Self> {
        Arc::new(Budget { state: AtomicU8::new(GOING), memory: AtomicUsize::new(memory), whole: memory })
    }

    /// Leaves the state in which work goes on, for another one; false if it was left before.
    fn leave(&self, next: u8) -> bool {
        self.turn(GOING, next)
    }

    fn turn(&self, from: u8, to: u8) -> bool {
        self.state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    fn is_settled(&self) -> bool {
        matches!(self.state(), SETTLED | SETTLED_LAST)
    }

    fn state(&self) -> u8 {
        self.state.load(Ordering::Acquire)
    }

    /// Ends the work soon, from any thread. Nothing starts it again. What is settled stands, and the work ends when it
    /// would go on.
    pub fn stop(&self) {
        // Between the two the work may have gone on.
        while !self.leave(STOPPED)
            && !self.turn(SETTLED, SETTLED_LAST)
            && matches!(self.state(), GOING | SETTLED)
        {}
    }

    /// Reports whether the work should end.
    pub fn is_stopped(&self) -> bool {
        matches!(self.state(), STOPPED | OVERDRAWN)
    }

    /// Settles that the outcome stands: from now on nothing stops the work. False if it was stopped before, and then
    /// the outcome must not be used.
    pub fn settle(&self) -> bool {
        self.leave(SETTLED) || self.is_settled()
    }

    /// Goes on with work that may be stopped, after some of it was settled. What that took is free again.
    pub fn go_on(&self) {
        if self.is_settled() {
            self.memory.store(self.whole, Ordering::Relaxed);
        }
        if !self.turn(SETTLED, GOING) {
            self.turn(SETTLED_LAST, STOPPED);
        }
    }

    /// Takes memory, if there is so much left. The first refusal stops the work.
    pub fn take(&self, bytes: usize) -> bool {
        let memory = &self.memory;
        let taken = memory.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        if taken.is_err() {
            self.leave(OVERDRAWN);
        }
        taken.is_ok() || self.is_settled()
    }

    /// Reports whether memory was refused.
    pub fn is_overdrawn(&self) -> bool {
        self.state() == OVERDRAWN
    }

    /// Does some work with this budget in scope.
    pub fn scope<R>(self: &Arc<Self>, work: impl FnOnce() -> R) -> R {
        let _restore = Restore(CURRENT.replace(Some(Arc::clone(self))));
        work()
    }
}

/// Reports whether the work at hand should end: its outcome is not wanted any more.
pub fn is_stopped() -> bool {
    CURRENT.with_borrow(|budget| budget.as_ref().is_some_and(|budget| budget.is_stopped()))
}

/// Settles that the outcome of the work at hand stands; false if it was stopped before. Without a budget it stands.
/// Whoever is about to make an outcome last asks this first.
pub fn settle() -> bool {
    CURRENT.with_borrow(|budget| budget.as_ref().is_none_or(|budget| budget.settle()))
}

/// Goes on with work that may be stopped, after some of it was settled: nothing came of it, or it was a part of
/// several.
pub fn go_on() {
    CURRENT.with_borrow(|budget| {
        if let Some(budget) = budget {
            budget.go_on();
        }
    });
}

/// Takes memory from the budget of the work at hand; false if there is not so much left. Without a budget there is
/// always enough.
pub fn take(bytes: usize) -> bool {
    CURRENT.with_borrow(|budget| budget.as_ref().is_none_or(|budget| budget.take(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_budget_nothing_is_bounded() {
        assert!(!is_stopped());
        assert!(take(usize::MAX));
    }

    #[test]
    fn a_budget_is_in_scope_for_as_long_as_its_work_runs() {
        let (outer, inner) = (Budget::new(10), Budget::new(10));
        inner.stop();
        outer.scope(|| {
            assert!(!is_stopped());
            inner.scope(|| assert!(is_stopped()));
            assert!(!is_stopped());
        });
        assert!(!is_stopped());
        let broken =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| inner.scope(|| panic!("broken"))));
        assert!(broken.is_err() && !is_stopped());
    }

    #[test]
    fn memory_that_is_refused_ends_the_work() {
        let budget = Budget::new(100);
        budget.scope(|| {
            assert!(take(60) && take(40) && !is_stopped());
            assert!(!take(1));
            assert!(is_stopped() && budget.is_overdrawn());
        });
    }

    #[test]
    fn what_is_settled_is_not_stopped_and_what_is_stopped_is_not_settled() {
        let budget = Budget::new(1);
        budget.scope(|| {
            assert!(settle() && settle());
            budget.stop();
            assert!(take(2) && !is_stopped() && settle());
        });
        let budget = Budget::new(1);
        budget.stop();
        budget.scope(|| assert!(!settle() && is_stopped() && !budget.is_overdrawn()));
        assert!(settle());
    }

    #[test]
    fn work_that_goes_on_after_a_part_was_settled_is_stopped_again() {
        let budget = Budget::new(1);
        budget.scope(|| {
            assert!(settle());
            go_on();
            assert!(!is_stopped() && settle());
            budget.stop();
            assert!(!is_stopped() && settle(), "what is settled stands");
            go_on();
            assert!(is_stopped() && !settle() && !take(2));
            go_on();
            assert!(is_stopped(), "nothing starts it again");
        });
        let budget = Budget::new(1);
        budget.scope(|| {
            go_on();
            assert!(settle() && take(2));
            go_on();
            assert!(!is_stopped() && !take(2) && budget.is_overdrawn());
        });
        let budget = Budget::new(2);
        budget.scope(|| {
            for _ in 0..3 {
                assert!(take(2) && settle(), "what was taken for a part is free for the next");
                go_on();
            }
            assert!(take(1) && !take(2) && budget.is_overdrawn());
        });
    }

    #[test]
    fn another_thread_ends_the_work() {
        let budget = Budget::new(0);
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| budget.scope(|| while !is_stopped() {}));
            budget.stop();
            worker.join().unwrap();
        });
    }
}
