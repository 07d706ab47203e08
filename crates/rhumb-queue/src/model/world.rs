//! Actors on the queue's state machine and the reference queue. Every move is made on both, and they must agree.

use std::time::Duration;

use tokio::time::Instant;

use super::naive::{Item, Naive};
use crate::state::{State, Take, Ticket};

/// Step of a script.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    Add(Item),
    AddWith(Item, i32),
    AddAfter(Item, u64),
    AddAfterWith(Item, u64, i32),
    Advance(u64),
    ShutDown,
    Drain,
}

/// An actor.
#[derive(Clone, Debug)]
pub(super) enum Actor {
    /// Goes through steps, which are taken from the end.
    Script { steps: Vec<Step>, draining: Option<Drain> },
    /// Takes items and gives them back, so many times. `may` is how often it may leave the line or look unasked.
    Worker { rounds: u32, may: u32, hands: Hands },
}

#[derive(Clone, Debug)]
pub(super) struct Drain {
    ticket: Option<u64>,
    rung: bool,
}

#[derive(Clone, Debug)]
pub(super) enum Hands {
    Empty,
    Waiting { ticket: Ticket, rung: bool, until: Option<Instant> },
    Full(Item),
}

/// A move of an actor.
#[derive(Clone, Copy, Debug)]
pub(super) enum Move {
    /// The actor's next step: asks for an item, or gives it back.
    Go(usize),
    /// Asking for an item without having been rung.
    Look(usize),
    /// Leaving the line.
    Leave(usize),
}

impl Actor {
    pub(super) fn script(steps: &[Step]) -> Self {
        Actor::Script { steps: steps.iter().rev().copied().collect(), draining: None }
    }

    pub(super) fn worker(rounds: u32, may: u32) -> Self {
        Actor::Worker { rounds, may, hands: Hands::Empty }
    }

    fn ring(&mut self) {
        match self {
            Actor::Script { draining: Some(drain), .. } => drain.rung = true,
            Actor::Worker { hands: Hands::Waiting { rung, .. }, .. } => *rung = true,
            _ => {}
        }
    }
}

/// State of the model.
#[derive(Clone)]
pub(super) struct World {
    state: State<Item, usize>,
    pub(super) naive: Naive,
    began: Instant,
    now: u64,
    forced: bool,
    pub(super) actors: Vec<Actor>,
    /// Waiting actors in order.
    line: Vec<usize>,
    /// Taken items in order.
    pub(super) handed_out: Vec<Item>,
}

impl World {
    pub(super) fn new(actors: Vec<Actor>) -> Self {
        World {
            state: State::new(None),
            naive: Naive::default(),
            began: Instant::now(),
            now: 0,
            forced: false,
            actors,
            line: Vec::new(),
            handed_out: Vec::new(),
        }
    }

    fn time(&self) -> Instant {
        self.began + Duration::from_secs(self.now)
    }

    pub(super) fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        for (who, actor) in self.actors.iter().enumerate() {
            match actor {
                Actor::Script { draining: Some(drain), .. } => {
                    moves.extend(drain.rung.then_some(Move::Go(who)));
                }
                Actor::Script { steps, draining: None } => {
                    moves.extend((!steps.is_empty()).then_some(Move::Go(who)));
                }
                Actor::Worker { hands: Hands::Empty, rounds, .. } => {
                    moves.extend((*rounds > 0).then_some(Move::Go(who)));
                }
                Actor::Worker { hands: Hands::Full(_), .. } => moves.push(Move::Go(who)),
                Actor::Worker { hands: Hands::Waiting { rung, until, .. }, may, .. } => {
                    if *rung || until.is_some_and(|until| until <= self.time()) {
                        moves.push(Move::Go(who));
                    } else if *may > 0 {
                        moves.push(Move::Look(who));
                    }
                    moves.extend((*may > 0).then_some(Move::Leave(who)));
                }
            }
        }
        moves
    }

    pub(super) fn make(&mut self, chosen: Move) {
        self.naive.advance(self.now);
        match chosen {
            Move::Go(who) => self.go(who),
            Move::Look(who) => {
                self.spend(who);
                self.go(who);
            }
            Move::Leave(who) => {
                self.spend(who);
                if let Actor::Worker { hands, .. } = &mut self.actors[who]
                    && let Hands::Waiting { ticket, .. } = std::mem::replace(hands, Hands::Empty)
                {
                    self.state.leave(ticket);
                    self.line.retain(|other| *other != who);
                }
            }
        }
        for who in self.state.take_bells() {
            self.actors[who].ring();
        }
        assert_eq!(self.state.ready(self.time()), self.naive.ready.len(), "{:?}", self.naive);
        for who in self.state.take_bells() {
            self.actors[who].ring();
        }
    }

    fn spend(&mut self, who: usize) {
        if let Actor::Worker { may, .. } = &mut self.actors[who] {
            *may -= 1;
        }
    }

    fn go(&mut self, who: usize) {
        let now = self.time();
        match &mut self.actors[who] {
            Actor::Script { draining: Some(_), .. } => self.look_at_drain(who),
            Actor::Script { steps, .. } => {
                let step = steps.pop().unwrap();
                self.step(who, step);
            }
            Actor::Worker { hands, rounds, .. } => match hands {
                Hands::Full(item) => {
                    let item = *item;
                    *hands = Hands::Empty;
                    *rounds -= 1;
                    self.state.done(&item, now);
                    self.naive.done(item);
                }
                Hands::Empty => self.take(who, None),
                Hands::Waiting { ticket, .. } => {
                    let ticket = *ticket;
                    self.take(who, Some(ticket));
                }
            },
        }
    }

    fn step(&mut self, who: usize, step: Step) {
        let now = self.time();
        match step {
            Step::Add(item) => self.add(item, 0),
            Step::AddWith(item, priority) => self.add(item, priority),
            Step::AddAfter(item, delay) => self.add_after(item, delay, 0),
            Step::AddAfterWith(item, delay, priority) => self.add_after(item, delay, priority),
            Step::Advance(by) => {
                self.now += by;
                self.naive.advance(self.now);
            }
            Step::ShutDown => {
                self.forced = true;
                self.state.shut_down(now);
                self.naive.close();
            }
            Step::Drain => {
                self.forced = false;
                self.state.begin_drain(now);
                self.naive.close();
                if let Actor::Script { draining, .. } = &mut self.actors[who] {
                    *draining = Some(Drain { ticket: None, rung: true });
                }
            }
        }
    }

    fn add(&mut self, item: Item, priority: i32) {
        self.state.add(item, priority, self.time());
        self.naive.add(item, priority);
    }

    fn add_after(&mut self, item: Item, delay: u64, priority: i32) {
        self.state.add_after(item, Duration::from_secs(delay), priority, self.time());
        self.naive.add_after(item, self.now + delay, priority);
    }

    fn look_at_drain(&mut self, who: usize) {
        let Actor::Script { draining, .. } = &mut self.actors[who] else { return };
        let Some(drain) = draining else { return };
        drain.rung = false;
        let over = self.state.drain(&mut drain.ticket, who);
        let empty = self.naive.taken.is_empty() && self.naive.ready.is_empty();
        assert_eq!(over, empty || self.forced, "{:?}", self.naive);
        if over {
            *draining = None;
        }
    }

    /// Takes an item. It is given only if there are enough for all earlier waiters.
    fn take(&mut self, who: usize, ticket: Option<Ticket>) {
        let before = self.line.iter().position(|other| *other == who).unwrap_or(self.line.len());
        let enough = self.naive.ready.len() > before;
        let took = self.state.take(ticket, self.time(), who);
        let Actor::Worker { hands, rounds, .. } = &mut self.actors[who] else { return };
        match took {
            Take::Item { item, priority } => {
                assert!(enough, "{who} took {item} before its turn: {:?}", self.naive);
                assert_eq!(self.naive.take(), Some((item, priority)));
                self.line.retain(|other| *other != who);
                self.handed_out.push(item);
                *hands = Hands::Full(item);
            }
            Take::Closed => {
                assert!(self.naive.closed && !enough, "{who} was sent away: {:?}", self.naive);
                self.line.retain(|other| *other != who);
                *hands = Hands::Empty;
                *rounds = 0;
            }
            Take::Wait { ticket, until } => {
                assert!(!self.naive.closed && !enough, "{who} waits in vain: {:?}", self.naive);
                if !self.line.contains(&who) {
                    self.line.push(who);
                }
                *hands = Hands::Waiting { ticket, rung: false, until };
            }
        }
    }

    /// Checks that when no actor can move, none waits for a ready item, and one waits for the next delayed item.
    pub(super) fn check_rest(&self) {
        let drained = self.forced || (self.naive.taken.is_empty() && self.naive.ready.is_empty());
        let drains = self.actors.iter().any(|actor| matches!(actor, Actor::Script { draining: Some(_), .. }));
        assert!(!(drains && drained), "nobody was told of the end of a drain: {:?}", self.naive);
        let waiting = self.actors.iter().filter_map(|actor| match actor {
            Actor::Worker { hands: Hands::Waiting { until, .. }, .. } => Some(until),
            _ => None,
        });
        let waiting: Vec<_> = waiting.collect();
        if waiting.is_empty() {
            return;
        }
        assert!(self.naive.ready.is_empty(), "nobody was rung for {:?}", self.naive);
        assert!(!self.naive.closed, "somebody waits for what never comes");
        if let Some(next) = self.naive.next_due() {
            let next = self.began + Duration::from_secs(next);
            assert!(waiting.contains(&&Some(next)), "nobody looks out for {:?}", self.naive);
        }
    }
}
