//! Growth: what four times as much costs, for everything whose length a client chooses.
//!
//! The places are not listed anywhere: they are every list, map and text in the tables of every kind that the
//! resource table has ([`walk`]), in the objects of resources and in what is sent below them. An object that a real
//! server accepted gets so much at a place, and four times that ([`fill`]), and is written in every way and format
//! ([`verbs`]); whether it is taken or refused does not matter. What is the same for all kinds stands in [`texts`],
//! definitions and their objects in [`definitions`]; [`rights`] has what is decided for users who are no masters:
//! whether they grant more than they have; [`garbage`] has what goes on after an answer. Time, memory and the length
//! of the answer may grow as n log n does ([`meter`]), and nothing may be answered with a 5xx but what Kubernetes
//! answers so ([`faults`]).
//!
//! - Among the tests runs a short form: every place of every struct once as a creation, and the other ways in turn,
//!   the same in every run.
//! - `cargo xtask fuzz --growth` runs the long form, optimised and with greater lengths: every place of every struct
//!   in every way, and the same places in other kinds in two of them. That takes hours;
//!   `cargo xtask fuzz --growth 'v1/Pod Patch'` does only what has all these words in its name. By hand that is
//!   `RHUMB_GROWTH=long` and `RHUMB_GROWTH_ONLY='v1/Pod Patch'`; `--nocapture` shows what took longest.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may stop at the first surprise, and tells what it saw"
)]

#[path = "../attacks/faults.rs"]
mod faults;
#[path = "../inside/mod.rs"]
mod inside;

mod definitions;
mod fill;
mod garbage;
mod meter;
mod rights;
mod texts;
mod verbs;
mod walk;
mod world;

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use definitions::{DEFINITIONS_OF_LENGTH, OBJECTS_OF_LENGTH};
use meter::Judge;
use verbs::{BELOW, Target, Way, targets};
use walk::Place;
use world::World;

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Short,
    Long,
}

impl Form {
    fn chosen() -> Self {
        match std::env::var("RHUMB_GROWTH").as_deref() {
            Ok("long") => Form::Long,
            Ok(other) => panic!("RHUMB_GROWTH is {other:?}, and can be long"),
            Err(_) => Form::Short,
        }
    }

    /// Work that is too short to tell anything.
    fn floor(self) -> Duration {
        match self {
            Form::Short => Duration::from_millis(40),
            Form::Long => Duration::from_millis(10),
        }
    }

    /// How many elements a list has at first.
    fn elements(self) -> usize {
        match self {
            Form::Short => 1_500,
            Form::Long => 5_000,
        }
    }

    /// How many elements that are structs, each of which is a long way.
    fn structs(self) -> usize {
        match self {
            Form::Short => 600,
            Form::Long => 2_000,
        }
    }

    /// How many bytes a text has at first.
    fn bytes(self) -> usize {
        match self {
            Form::Short => 60_000,
            Form::Long => 200_000,
        }
    }

    fn length(self, place: &Place) -> usize {
        match (place.kind.has_structs(), place.kind.has_elements()) {
            (true, _) => self.structs(),
            (false, true) => self.elements(),
            (false, false) => self.bytes(),
        }
    }
}

/// Whether something of that name is asked for, with all words that the name must have.
fn is_wanted(name: &str) -> bool {
    let words = std::env::var("RHUMB_GROWTH_ONLY").unwrap_or_default();
    words.split_whitespace().all(|word| name.contains(word))
}

/// One at a time: what is measured is the work of the whole process.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn run(name: &str, work: impl AsyncFnOnce(&mut Judge, Form)) {
    let _alone = alone();
    let form = Form::chosen();
    let mut judge = Judge::new(form.floor());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(work(&mut judge, form));
    println!("{name}: {}", judge.summary());
    assert!(judge.found.is_empty(), "{} grow too fast:\n{}", judge.found.len(), judge.found.join("\n"));
    let blamed = &judge.blamed;
    assert!(blamed.is_empty(), "{} answers blame the server:\n{}", blamed.len(), blamed.join("\n"));
}

#[test]
fn every_place_in_every_kind() {
    run("kinds", async |judge, form| {
        let world = World::start().await;
        // Without objects to begin with, most would be refused at the door.
        assert!(world.count_stored() > 50, "only {} kinds have an object", world.count_stored());
        let all = targets(&world);
        let chosen = match form {
            Form::Long => all_of_them(&all),
            Form::Short => a_few(&all),
        };
        println!("kinds: {} places, {} ways to write into them", all.len(), chosen.len());
        for (target, way) in chosen {
            let name = format!("{} {way:?}", target.shown());
            if is_wanted(&name) {
                let run = async |length| target.run(&world, way, length).await;
                judge.look(&name, form.length(&target.place), run).await;
            }
        }
    });
}

/// Every place of every struct in every way, and the same places in other kinds as a creation and in the ways in turn.
fn all_of_them(all: &[Target]) -> Vec<(&Target, Way)> {
    let mut chosen = Vec::new();
    let mut owners = HashSet::new();
    for (turn, target) in all.iter().enumerate() {
        let below = target.below.filter(|_| target.is_part_of_itself()).map(|below| below.name);
        match (below, owners.insert((below, target.place.owner.as_str()))) {
            (Some(_), true) => chosen.extend(BELOW.map(|way| (target, way))),
            (Some(_), false) => chosen.push((target, BELOW[turn % BELOW.len()])),
            (None, true) => chosen.extend(Way::ALL.map(|way| (target, way))),
            (None, false) => {
                chosen.push((target, Way::ALL[0]));
                chosen.push((target, Way::ALL[1 + turn % (Way::ALL.len() - 1)]));
            }
        }
    }
    chosen
}

/// Every place of every struct and every kind as a creation, and half of them in another way, too; of what is written
/// below objects of the same kind every list and map, in one way.
fn a_few(all: &[Target]) -> Vec<(&Target, Way)> {
    let mut chosen = Vec::new();
    let (mut owners, mut kinds) = (HashSet::new(), HashSet::new());
    let mut turn = 0;
    for (number, target) in all.iter().enumerate() {
        if target.is_part_of_itself() {
            if target.place.kind.has_elements() {
                chosen.push((target, BELOW[number % BELOW.len()]));
            }
            continue;
        }
        let is_new = owners.insert(target.place.owner.as_str());
        let is_new_kind = target.place.kind.has_elements() && kinds.insert(target.kind.clone());
        if !is_new && !is_new_kind {
            continue;
        }
        turn += 1;
        chosen.push((target, Way::ALL[0]));
        if turn % 2 == 0 {
            chosen.push((target, Way::ALL[1 + turn / 2 % (Way::ALL.len() - 1)]));
        }
    }
    chosen
}

#[test]
fn every_query_header_and_document() {
    run("texts", async |judge, form| {
        let world = World::start().await;
        for text in texts::texts(&world) {
            let length = match form {
                Form::Short => (text.most / 10).clamp(100, 4_000),
                Form::Long => (text.most / 8).clamp(100, 20_000),
            };
            if is_wanted(&text.name) {
                let run = async |length| vec![("ask".to_owned(), world.cost((text.ask)(length)).await)];
                judge.look(&text.name, length, run).await;
            }
        }
    });
}

#[test]
fn definitions_and_what_they_define() {
    run("definitions", async |judge, form| {
        let world = World::start().await;
        let length = |part: usize| match part {
            0 => form.bytes(),
            part => form.structs() / part.min(form.structs() / 10),
        };
        for long in DEFINITIONS_OF_LENGTH {
            let name = format!("definition: {}", long.name);
            if is_wanted(&name) {
                judge.look(&name, length(long.part), async |count| long.run(&world, count).await).await;
            }
        }
        for custom in OBJECTS_OF_LENGTH {
            let name = format!("custom object: {}", custom.name);
            if is_wanted(&name) {
                custom.define(&world).await;
                judge.look(&name, length(custom.part), async |count| custom.run(&world, count).await).await;
                definitions::undefine(&world).await;
            }
        }
    });
}

#[test]
fn rights_that_are_granted() {
    run("rights", async |judge, form| {
        let world = World::start().await;
        rights::prepare(&world).await;
        let length = form.structs();
        for long in rights::ROLES_OF_LENGTH {
            let name = format!("role: {}", long.name);
            if is_wanted(&name) {
                judge.look(&name, length, async |count| long.run(&world, count).await).await;
            }
        }
    });
}

#[test]
fn owners_that_never_were() {
    run("garbage", async |judge, form| {
        let world = World::start().await;
        if is_wanted("garbage: absent owners") {
            let run = async |count| garbage::run(&world, count).await;
            judge.look("garbage: absent owners", form.structs(), run).await;
        }
    });
}
