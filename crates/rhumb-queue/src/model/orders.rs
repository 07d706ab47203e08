//! Exhaustive orders of moves of a few actors, and long random walks.

use super::world::Step::{Add, AddAfter, AddAfterWith, AddWith, Advance, Drain, ShutDown};
use super::world::{Actor, Step, World};

/// Goes on from here in every way, and tells how many ends there are.
fn walk(world: &World, at_rest: &dyn Fn(&World)) -> u64 {
    let moves = world.moves();
    if moves.is_empty() {
        world.check_rest();
        at_rest(world);
        return 1;
    }
    let mut ends = 0;
    for chosen in moves {
        let mut next = world.clone();
        next.make(chosen);
        ends += walk(&next, at_rest);
    }
    ends
}

fn every_order(actors: Vec<Actor>, at_rest: impl Fn(&World)) {
    let ends = walk(&World::new(actors), &at_rest);
    assert!(ends > 100, "a model of {ends} orders shows little");
}

fn script(steps: &[Step]) -> Actor {
    Actor::script(steps)
}

fn worker(rounds: u32) -> Actor {
    Actor::worker(rounds, 0)
}

fn is_gone(world: &World) {
    assert!(world.naive.waiting.is_empty() && world.naive.taken.is_empty(), "{:?}", world.naive);
}

#[test]
fn an_item_is_handed_out_once_or_again_if_it_was_added_while_processed() {
    every_order(vec![script(&[Add(1), Add(1)]), script(&[Add(2)]), worker(3), worker(3)], |world| {
        is_gone(world);
        let ones = world.handed_out.iter().filter(|item| **item == 1).count();
        let twos = world.handed_out.iter().filter(|item| **item == 2).count();
        assert!((1..=2).contains(&ones) && twos == 1, "{:?}", world.handed_out);
    });
}

#[test]
fn a_getter_that_leaves_hands_its_call_on() {
    every_order(vec![script(&[Add(1), Add(2)]), Actor::worker(2, 1), Actor::worker(2, 1)], is_gone);
}

#[test]
fn a_delayed_item_comes_though_the_one_who_looked_out_for_it_leaves() {
    every_order(
        vec![
            script(&[AddAfter(1, 2), AddAfter(2, 1)]),
            script(&[Advance(1), Advance(2)]),
            Actor::worker(1, 1),
            worker(2),
        ],
        |world| assert!(world.naive.ready.is_empty()),
    );
}

#[test]
fn of_several_priorities_the_highest_holds_whenever_it_came() {
    every_order(
        vec![
            script(&[Add(1), Add(2), AddWith(1, 5)]),
            script(&[AddAfterWith(2, 1, 7), Advance(1)]),
            worker(4),
        ],
        is_gone,
    );
}

#[test]
fn shutting_down_sends_every_getter_away_and_loses_nothing_that_was_in() {
    every_order(
        vec![script(&[Add(1), Add(2), AddAfter(3, 1)]), script(&[ShutDown]), worker(9), worker(9)],
        is_gone,
    );
}

#[test]
fn a_drain_ends_when_all_is_handed_out_and_given_back() {
    every_order(vec![script(&[Add(1), Add(1)]), script(&[Drain]), worker(9), worker(9)], is_gone);
}

#[test]
fn a_drain_ends_when_it_is_shut_down_after_all() {
    every_order(vec![script(&[Add(1), Drain]), script(&[ShutDown, ShutDown]), worker(1), worker(1)], |_| {});
}

/// Deterministic random numbers.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn item(&mut self) -> u8 {
        u8::try_from(self.below(6)).unwrap()
    }

    fn step(&mut self) -> Step {
        let delay = 1 + self.below(5) as u64;
        let priority = i32::try_from(self.below(3)).unwrap() - 1;
        match self.below(6) {
            0 => Add(self.item()),
            1 => AddWith(self.item(), priority),
            2 => AddAfter(self.item(), delay),
            3 => AddAfterWith(self.item(), delay, priority),
            _ => Advance(delay / 2),
        }
    }
}

#[test]
fn long_random_walks_agree_with_the_naive_queue() {
    for seed in 0..40 {
        let mut chance = Chance(seed);
        let mut steps: Vec<Step> = (0..300).map(|_| chance.step()).collect();
        if seed % 2 == 0 {
            steps.push(if seed % 4 == 0 { Drain } else { ShutDown });
        }
        let mut actors = vec![script(&steps)];
        actors.extend((0..4).map(|_| Actor::worker(u32::MAX, 100)));
        let mut world = World::new(actors);
        loop {
            let moves = world.moves();
            if moves.is_empty() {
                break;
            }
            world.make(moves[chance.below(moves.len())]);
        }
        world.check_rest();
    }
}
