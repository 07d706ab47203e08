//! When watchers are woken.
//!
//! A few watchers are woken as soon as there is something for them. Waking a crowd takes longer than most changes are
//! apart, and all of it at once would let everything else wait. So a crowd is woken in troops: the next one when the
//! one before has taken what there was. In between the requests get their turn, and a watcher that is called late
//! takes along whatever has happened until then: the longer a round takes, the more goes out in one piece. The first
//! change after a round waits for nothing.
//!
//! A watcher whose client doesn't read is waited for once, and from then on not until it is back.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::cache::bells::{Bell, Bells, Turnout};

/// So many watchers are a crowd.
const CROWD: usize = 64;
/// How many of them are called at once.
const TROOP: usize = 32;
/// How long a troop is waited for.
const PATIENCE: Duration = Duration::from_millis(10);

/// The rounds in which watchers are woken.
#[derive(Debug, Default)]
pub(super) struct Rounds {
    turnout: Arc<Turnout>,
    /// Who is still to be called in this round.
    rest: Vec<Arc<Bell>>,
    /// Who was called last.
    troop: Vec<Arc<Bell>>,
    /// Until when these are waited for; nothing if there is no round under way.
    until: Option<Instant>,
    /// Whether something has happened since the round began.
    late: bool,
}

impl Rounds {
    /// Rounds for the bells of which this knows who is out.
    pub(super) fn new(turnout: &Arc<Turnout>) -> Self {
        Rounds { turnout: Arc::clone(turnout), ..Rounds::default() }
    }

    /// Wakes those whom a change concerns, or leaves it to the round under way if they are many.
    pub(super) fn publish(&mut self, bells: &Bells, rung: Vec<Arc<Bell>>) {
        if rung.len() < CROWD {
            rung.iter().for_each(|bell| bell.ring());
            return;
        }
        let Some(end) = self.until else {
            self.rest = rung;
            self.call();
            return;
        };
        self.late = true;
        // Where one change follows another, there is no other time for it.
        if self.turnout.is_nearly_complete() || Instant::now() >= end {
            self.advance(bells);
        }
    }

    /// Goes on with the round: calls the next troop. After the last one, another round begins if there is something to
    /// tell.
    pub(super) fn advance(&mut self, bells: &Bells) {
        self.troop.iter().for_each(|bell| bell.excuse());
        if self.rest.is_empty() && std::mem::take(&mut self.late) {
            self.rest = bells.unheard().cloned().collect();
        }
        self.call();
    }

    /// Waits until it is time to go on; for ever, if no round is under way.
    pub(super) async fn due(&self) {
        match self.until {
            // Who is not back by then is not waited for any longer.
            Some(end) => drop(tokio::time::timeout_at(end, self.turnout.nearly_complete()).await),
            None => std::future::pending().await,
        }
    }

    fn call(&mut self) {
        let first = self.rest.len().saturating_sub(TROOP);
        self.troop = self.rest.split_off(first);
        self.troop.iter().for_each(|bell| bell.call());
        self.until = (!self.troop.is_empty()).then(|| Instant::now() + PATIENCE);
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::cache::bells::{Interest, Unread};

    /// So many bells that nothing has been noted at, and the rounds in which they are rung.
    fn hung(count: usize) -> (Bells, Vec<Arc<Bell>>, Rounds) {
        let mut bells = Bells::default();
        let turnout = Arc::default();
        let bell = || Arc::new(Bell::new(Unread { from: 0, to: 0 }, false, &turnout));
        let all: Vec<_> = std::iter::repeat_with(bell).take(count).collect();
        for bell in &all {
            bells.hang(&Interest::All, bell);
        }
        (bells, all, Rounds::new(&turnout))
    }

    fn change(rounds: &mut Rounds, bells: &mut Bells, number: u64) {
        let rung = bells.touch_all(number);
        rounds.publish(bells, rung);
    }

    /// Those who were rung since the last time. Each of them reads up to a number and waits again, if it is not slow.
    fn woken(all: &[Arc<Bell>], read_to: u64, slow: usize) -> usize {
        let mut context = Context::from_waker(Waker::noop());
        let mut rung = 0;
        for (place, bell) in all.iter().enumerate() {
            if std::pin::pin!(bell.rings.notified()).poll(&mut context) == Poll::Ready(()) {
                rung += 1;
                if place >= slow {
                    bell.read_to(read_to);
                    bell.back();
                }
            }
        }
        rung
    }

    /// Whether the next troop is due by now.
    fn is_due(rounds: &Rounds) -> bool {
        std::pin::pin!(rounds.due()).poll(&mut Context::from_waker(Waker::noop())) == Poll::Ready(())
    }

    #[tokio::test(start_paused = true)]
    async fn a_crowd_is_called_in_troops_and_then_again_for_what_happened_meanwhile() {
        let (mut bells, all, mut rounds) = hung(100);
        change(&mut rounds, &mut bells, 0);
        change(&mut rounds, &mut bells, 1);
        assert!(!is_due(&rounds), "those who were called are waited for");
        assert_eq!(woken(&all, 1, 0), TROOP, "the first change waits for nothing");
        assert_eq!(woken(&all, 1, 0), 0, "the round is not over");
        for expected in [TROOP, TROOP, 4] {
            assert!(is_due(&rounds), "all who were called are back");
            rounds.advance(&bells);
            assert_eq!(woken(&all, 2, 0), expected);
        }
        assert_eq!(all.iter().filter(|bell| !bell.unread().is_empty()).count(), TROOP);
        rounds.advance(&bells);
        assert_eq!(woken(&all, 2, 0), TROOP, "those who were called first have not seen the second change");
        rounds.advance(&bells);
        assert!(!is_due(&rounds), "nobody is left");
        change(&mut rounds, &mut bells, 2);
        assert_eq!(woken(&all, 3, 0), TROOP, "after a round nothing is waited for");
    }

    #[tokio::test(start_paused = true)]
    async fn those_who_do_not_come_back_are_waited_for_once() {
        let (mut bells, all, mut rounds) = hung(100);
        for round in 0..2 {
            change(&mut rounds, &mut bells, round);
            let begun = Instant::now();
            for expected in [TROOP, TROOP, TROOP, 4] {
                assert_eq!(woken(&all, round + 1, 100), expected);
                rounds.due().await;
                rounds.advance(&bells);
            }
            assert_eq!(Instant::now() - begun, if round == 0 { 3 * PATIENCE } else { Duration::ZERO });
        }
        all.iter().for_each(|bell| bell.back());
        change(&mut rounds, &mut bells, 2);
        assert_eq!(woken(&all, 3, 100), TROOP);
        assert!(!is_due(&rounds), "who was back is waited for again");
    }

    #[tokio::test(start_paused = true)]
    async fn a_round_goes_on_while_changes_follow_each_other() {
        let (mut bells, all, mut rounds) = hung(100);
        for (number, expected) in (0..).zip([TROOP, TROOP, TROOP, 4, TROOP]) {
            change(&mut rounds, &mut bells, number);
            assert_eq!(woken(&all, number + 1, 0), expected);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_few_are_woken_for_every_change() {
        let (mut bells, all, mut rounds) = hung(CROWD - 1);
        for number in 0..3 {
            change(&mut rounds, &mut bells, number);
            assert_eq!(woken(&all, 0, 0), all.len());
        }
    }
}
