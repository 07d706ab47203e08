//! When watchers are woken.
//!
//! A few watchers are woken as soon as there is something for them. Waking a crowd takes longer than most changes are
//! apart: each of its watchers would be woken for every single change, and sends it alone. So between two rounds there
//! is a pause that grows with the crowd, about as long as the round takes; whatever happens in it goes along with the
//! next one. The first change after a pause waits for nothing.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::cache::bells::{Bell, Bells};

/// So many watchers are a crowd.
const CROWD: usize = 64;
/// What a round takes, for each watcher woken.
const EACH: Duration = Duration::from_micros(20);
/// The longest pause.
const LONGEST: Duration = Duration::from_millis(100);

/// The rounds in which watchers are woken.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    /// Until when a crowd is left alone.
    pause: Option<Instant>,
    /// Whether some of it has been left out.
    late: bool,
}

impl Rounds {
    /// Wakes those whom a change concerns, or leaves it to the next round if they are many.
    pub(super) fn publish(&mut self, bells: &Bells, rung: &[Arc<Bell>]) {
        if rung.len() < CROWD {
            rung.iter().for_each(|bell| bell.ring());
            return;
        }
        let now = Instant::now();
        if self.pause.is_some_and(|end| now < end) {
            self.late = true;
            return;
        }
        if self.late {
            self.ring(bells);
            return;
        }
        rung.iter().for_each(|bell| bell.ring());
        self.begin(now, rung.len());
    }

    /// Wakes all who were left out.
    pub(super) fn ring(&mut self, bells: &Bells) {
        self.late = false;
        let mut woken = 0;
        for bell in bells.unheard() {
            bell.ring();
            woken += 1;
        }
        self.begin(Instant::now(), woken);
    }

    /// Waits until those who were left out are to be woken; for ever, if there are none.
    pub(super) async fn due(&self) {
        match self.pause {
            Some(end) if self.late => tokio::time::sleep_until(end).await,
            _ => std::future::pending().await,
        }
    }

    fn begin(&mut self, now: Instant, woken: usize) {
        let length = EACH.saturating_mul(u32::try_from(woken).unwrap_or(u32::MAX));
        self.pause = Some(now + length.min(LONGEST));
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::cache::bells::{Interest, Unread};

    /// So many bells that nothing has been noted at.
    fn hung(count: usize) -> (Bells, Vec<Arc<Bell>>) {
        let mut bells = Bells::default();
        let bell = || Arc::new(Bell::new(Unread { from: 0, to: 0 }, false));
        let all: Vec<_> = std::iter::repeat_with(bell).take(count).collect();
        for bell in &all {
            bells.hang(&Interest::All, bell);
        }
        (bells, all)
    }

    fn change(rounds: &mut Rounds, bells: &mut Bells, number: u64) {
        let rung = bells.touch_all(number);
        rounds.publish(bells, &rung);
    }

    /// How many were rung since the last time.
    fn woken(all: &[Arc<Bell>]) -> usize {
        let mut context = Context::from_waker(Waker::noop());
        let rung = |bell: &&Arc<Bell>| std::pin::pin!(bell.rung()).poll(&mut context) == Poll::Ready(());
        all.iter().filter(rung).count()
    }

    #[tokio::test(start_paused = true)]
    async fn a_crowd_is_woken_at_once_and_then_after_a_pause_for_all_that_happened_in_it() {
        let (mut bells, all) = hung(200);
        let mut rounds = Rounds::default();
        change(&mut rounds, &mut bells, 0);
        assert_eq!(woken(&all), 200, "the first change waits for nothing");
        all.iter().for_each(|bell| bell.read_to(1));
        change(&mut rounds, &mut bells, 1);
        change(&mut rounds, &mut bells, 2);
        assert_eq!(woken(&all), 0, "the round before is not over");
        let begun = Instant::now();
        rounds.due().await;
        assert_eq!(Instant::now() - begun, 200 * EACH);
        rounds.ring(&bells);
        assert_eq!(woken(&all), 200);
        assert_eq!(all[7].unread(), Unread { from: 1, to: 3 }, "both changes go along");
        tokio::time::advance(LONGEST).await;
        change(&mut rounds, &mut bells, 3);
        assert_eq!(woken(&all), 200, "after a pause nothing is waited for");
    }

    #[tokio::test(start_paused = true)]
    async fn a_few_are_woken_for_every_change() {
        let (mut bells, all) = hung(CROWD - 1);
        let mut rounds = Rounds::default();
        for number in 0..3 {
            change(&mut rounds, &mut bells, number);
            assert_eq!(woken(&all), all.len());
        }
    }
}
