//! Lock and clock of a queue: in models those of `loom`, which schedules the threads, else a plain lock and the
//! runtime's clock.

#[cfg(test)]
pub(crate) use modelled::{Clock, Mutex};
#[cfg(not(test))]
pub(crate) use real::{Clock, Mutex};

#[cfg(not(test))]
mod real {
    use tokio::time::{Instant, Sleep};

    pub(crate) use parking_lot::Mutex;

    /// The runtime's clock, which tests can pause.
    #[derive(Clone, Default)]
    pub(crate) struct Clock(());

    impl Clock {
        pub(crate) fn now(&self) -> Instant {
            Instant::now()
        }

        pub(crate) fn sleep_until(&self, time: Instant) -> Sleep {
            tokio::time::sleep_until(time)
        }
    }
}

#[cfg(test)]
mod modelled {
    use std::pin::Pin;
    use std::sync::Arc;
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;

    use loom::sync::MutexGuard;
    use tokio::time::Instant;

    /// A lock that `loom` controls.
    pub(crate) struct Mutex<S>(loom::sync::Mutex<S>);

    impl<S> Mutex<S> {
        pub(crate) fn new(inner: S) -> Self {
            Mutex(loom::sync::Mutex::new(inner))
        }

        pub(crate) fn lock(&self) -> MutexGuard<'_, S> {
            self.0.lock().unwrap()
        }
    }

    /// A clock that only models advance.
    #[derive(Clone)]
    pub(crate) struct Clock(Arc<Mutex<Face>>);

    struct Face {
        now: Instant,
        sleepers: Vec<(Instant, Waker)>,
    }

    impl Default for Clock {
        fn default() -> Self {
            Clock(Arc::new(Mutex::new(Face { now: Instant::now(), sleepers: Vec::new() })))
        }
    }

    impl Clock {
        pub(crate) fn now(&self) -> Instant {
            self.0.lock().now
        }

        pub(crate) fn advance(&self, by: Duration) {
            let mut face = self.0.lock();
            face.now += by;
            let now = face.now;
            let (due, rest) = std::mem::take(&mut face.sleepers).into_iter().partition(|(at, _)| *at <= now);
            face.sleepers = rest;
            drop(face);
            let due: Vec<(Instant, Waker)> = due;
            due.into_iter().for_each(|(_, waker)| waker.wake());
        }

        pub(crate) fn sleep_until(&self, time: Instant) -> Sleep {
            Sleep { clock: self.clone(), time }
        }
    }

    pub(crate) struct Sleep {
        clock: Clock,
        time: Instant,
    }

    impl Sleep {
        pub(crate) fn deadline(&self) -> Instant {
            self.time
        }
    }

    impl Future for Sleep {
        type Output = ();

        fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
            let mut face = self.clock.0.lock();
            if face.now >= self.time {
                return Poll::Ready(());
            }
            face.sleepers.push((self.time, cx.waker().clone()));
            Poll::Pending
        }
    }
}
