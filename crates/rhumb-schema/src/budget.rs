//! The budget of the work at hand: whether it should go on, and how much memory it may still take.
//!
//! Decoders, patchers, rules and matchers loop over what a client has sent. Each of them asks [`is_stopped`] as it goes
//! and returns early, with whatever it has, once that is so; memory that is not bounded by the length of the input is
//! asked for with [`take`]. Who started the work has a [`Budget`], may stop it from another thread, and throws the
//! outcome away if it is stopped.
//!
//! A budget is in scope of a thread while [`Budget::scope`] runs, so that nothing on the way has to hand it on. Without
//! one nothing is bounded here. There is no clock: who has one calls [`Budget::stop`].

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

thread_local! {
    static CURRENT: RefCell<Option<Arc<Budget>>> = const { RefCell::new(None) };
}

/// What some work may still take.
#[derive(Debug)]
pub struct Budget {
    stopped: AtomicBool,
    memory: AtomicUsize,
    overdrawn: AtomicBool,
}

/// Puts back what was in scope before.
struct Restore(Option<Arc<Budget>>);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

impl Budget {
    /// A budget of so many bytes beyond what the length of the input bounds already.
    pub fn new(memory: usize) -> Arc<Self> {
        Arc::new(Budget {
            stopped: AtomicBool::new(false),
            memory: AtomicUsize::new(memory),
            overdrawn: AtomicBool::new(false),
        })
    }

    /// Ends the work soon, from any thread. Nothing starts it again.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether the work should end.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Takes memory, if there is so much left. What was refused once has used the budget up: it is stopped.
    pub fn take(&self, bytes: usize) -> bool {
        let relaxed = Ordering::Relaxed;
        let is_there = self.memory.fetch_update(relaxed, relaxed, |left| left.checked_sub(bytes)).is_ok();
        if !is_there {
            self.overdrawn.store(true, relaxed);
            self.stop();
        }
        is_there
    }

    /// Whether memory was refused.
    pub fn is_overdrawn(&self) -> bool {
        self.overdrawn.load(Ordering::Relaxed)
    }

    /// Does some work with this budget in scope.
    pub fn scope<R>(self: &Arc<Self>, work: impl FnOnce() -> R) -> R {
        let _restore = Restore(CURRENT.replace(Some(Arc::clone(self))));
        work()
    }
}

/// Whether the work at hand should end: its outcome is not wanted any more.
pub fn is_stopped() -> bool {
    CURRENT.with_borrow(|budget| budget.as_ref().is_some_and(|budget| budget.is_stopped()))
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
    fn another_thread_ends_the_work() {
        let budget = Budget::new(0);
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| budget.scope(|| while !is_stopped() {}));
            budget.stop();
            worker.join().unwrap();
        });
    }
}
