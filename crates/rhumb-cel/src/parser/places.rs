//! Sets of places in the network that ways lead to, and the steps from set to set. What was found once is kept, so
//! that a text with thousands of equal decisions costs little more than one.

use std::collections::{HashMap, HashSet};

use super::grammar::{Edge, How, NETWORK, StateId, StateKind};
use crate::lexer::Kind;

/// The number of places that are followed at once, so that no text takes too long. Ordinary ones need some hundred.
const MOST_PLACES: usize = 20_000;

/// The number of sets that are kept.
const MOST_SETS: usize = 1_000;

/// A place that one of the ways has led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Place {
    state: StateId,
    way: usize,
    calls: CallsId,
}

impl Place {
    fn is_stop(&self) -> bool {
        NETWORK.state_at(self.state).kind == StateKind::Stop
    }
}

/// Places in the order in which they were found, each with whether the rule was left on the way to it.
#[derive(Default)]
struct Places {
    list: Vec<(Place, bool)>,
    indices: HashMap<Place, usize>,
}

impl Places {
    fn add(&mut self, place: Place, left: bool) {
        let index = *self.indices.entry(place).or_insert(self.list.len());
        match self.list.get_mut(index) {
            Some((_, before)) => *before |= left,
            None => self.list.push((place, left)),
        }
    }

    fn only_way(&self) -> Option<usize> {
        let (first, _) = self.list.first()?;
        self.list.iter().all(|(place, _)| place.way == first.way).then_some(first.way)
    }
}

/// The number of a set of places.
pub(super) type SetId = usize;

/// A set of places, and what can be decided by it.
pub(super) struct Set {
    places: Vec<(Place, bool)>,
    /// The way that all places are on.
    pub(super) only_way: Option<usize>,
    /// The way that was taken if nothing fits any more: the first that had left the rule.
    pub(super) finished: Option<usize>,
    /// Whether looking further can't tell the ways apart without knowing the calls.
    pub(super) unclear: bool,
    /// The first of the ways, if looking further can't tell them apart at all.
    pub(super) ambiguous: Option<usize>,
}

impl Set {
    fn new(places: Places) -> Self {
        let mut together: HashMap<(StateId, CallsId), HashSet<usize>> = HashMap::new();
        let mut by_state: HashMap<StateId, HashSet<usize>> = HashMap::new();
        for (place, _) in &places.list {
            together.entry((place.state, place.calls)).or_default().insert(place.way);
            by_state.entry(place.state).or_default().insert(place.way);
        }
        let too_many = places.list.len() > MOST_PLACES;
        let conflict =
            together.values().any(|ways| ways.len() > 1) && by_state.values().all(|ways| ways.len() > 1);
        let stopped = places.list.iter().all(|(place, _)| place.is_stop());
        let first_ways: HashSet<usize> =
            together.values().filter_map(|ways| ways.iter().min().copied()).collect();
        let finished =
            |(place, left): &&(Place, bool)| *left || (place.is_stop() && place.calls == Calls::NONE);
        Self {
            only_way: places.only_way(),
            finished: places.list.iter().filter(finished).map(|(place, _)| place.way).min(),
            unclear: too_many || stopped || conflict,
            ambiguous: first_ways.iter().min().copied().filter(|_| too_many || first_ways.len() == 1),
            places: places.list,
        }
    }
}

/// Sets of places that are all found either with or without knowledge of the calls around the rule.
#[derive(Default)]
pub(super) struct Sets {
    /// Whether the calls are known.
    full: bool,
    sets: Vec<Set>,
    starts: HashMap<(StateId, CallsId), SetId>,
    numbers: HashMap<Vec<(Place, bool)>, SetId>,
    steps: HashMap<(SetId, Kind), Option<SetId>>,
}

impl Sets {
    /// Returns no sets, for looking with the calls known.
    pub(super) fn with_calls() -> Self {
        Self { full: true, ..Self::default() }
    }

    pub(super) fn get(&self, id: SetId) -> Option<&Set> {
        self.sets.get(id)
    }

    /// The places before the first token of each way.
    pub(super) fn first(&mut self, calls: &mut Calls, state: StateId, around: CallsId) -> SetId {
        if let Some(id) = self.starts.get(&(state, around)) {
            return *id;
        }
        let mut places = Places::default();
        for (way, edge) in NETWORK.state_at(state).edges.iter().enumerate() {
            if let Edge::Empty(to) | Edge::Binds(_, to) = edge {
                self.close(calls, (Place { state: *to, way, calls: around }, false), false, &mut places);
            }
        }
        let id = self.number(places);
        self.starts.insert((state, around), id);
        id
    }

    /// The places behind a token; none if it fits none. The set that is left may get another number.
    pub(super) fn step(&mut self, calls: &mut Calls, from: &mut SetId, kind: Kind) -> Option<SetId> {
        if let Some(known) = self.steps.get(&(*from, kind)) {
            return *known;
        }
        if self.sets.len() >= MOST_SETS && *from < self.sets.len() {
            let set = self.sets.swap_remove(*from);
            *self = Self { full: self.full, sets: vec![set], ..Self::default() };
            *from = 0;
        }
        let reached = self.reach(calls, *from, kind);
        let to = if reached.list.is_empty() { None } else { Some(self.number(reached)) };
        self.steps.insert((*from, kind), to);
        to
    }

    fn number(&mut self, places: Places) -> SetId {
        if let Some(id) = self.numbers.get(&places.list) {
            return *id;
        }
        let id = self.sets.len();
        self.numbers.insert(places.list.clone(), id);
        self.sets.push(Set::new(places));
        id
    }

    fn reach(&self, calls: &mut Calls, from: SetId, kind: Kind) -> Places {
        let end = kind == Kind::End;
        let (mut behind, mut stopped) = (Places::default(), Vec::new());
        for (place, left) in self.sets.get(from).map_or(&[][..], |set| &set.places) {
            if place.is_stop() {
                if self.full || end {
                    stopped.push((*place, *left));
                }
                continue;
            }
            for edge in &NETWORK.state_at(place.state).edges {
                if let Edge::Tokens(kinds, to) = edge
                    && kinds.contains(kind)
                {
                    behind.add(Place { state: *to, ..*place }, *left);
                }
            }
        }
        if stopped.is_empty() && !end && behind.only_way().is_some() {
            return behind;
        }
        let mut places = Places::default();
        for place in behind.list {
            self.close(calls, place, end, &mut places);
        }
        if end {
            places.list.retain(|(place, _)| place.is_stop());
            places.indices =
                places.list.iter().enumerate().map(|(index, (place, _))| (*place, index)).collect();
        }
        if !self.full || !places.list.iter().any(|(place, _)| place.is_stop()) {
            for (place, left) in stopped {
                places.add(place, left);
            }
        }
        places
    }

    /// Adds the places that are reached without a token.
    fn close(&self, calls: &mut Calls, from: (Place, bool), end: bool, places: &mut Places) {
        let mut seen = HashSet::new();
        let mut open = vec![from];
        while let Some((place, left)) = open.pop() {
            if !seen.insert((place, left)) || seen.len() > MOST_PLACES {
                continue;
            }
            let state = NETWORK.state_at(place.state);
            if state.kind == StateKind::Stop {
                match calls.pop(place.calls) {
                    Some((to, calls)) => open.push((Place { state: to, calls, ..place }, left)),
                    None if self.full || NETWORK.follows(state.rule).is_empty() => places.add(place, left),
                    None => {
                        let follows = NETWORK.follows(state.rule).iter();
                        open.extend(follows.map(|to| (Place { state: *to, ..place }, true)));
                    }
                }
                continue;
            }
            for (index, edge) in state.edges.iter().enumerate() {
                match edge {
                    Edge::Empty(_) if index == 0 && calls.repeat(place) => {}
                    Edge::Empty(to) | Edge::Binds(_, to) => open.push((Place { state: *to, ..place }, left)),
                    Edge::Call { rule, follow, .. } => {
                        let calls = calls.push(place.calls, *follow);
                        open.push((Place { state: NETWORK.start(*rule), calls, ..place }, left));
                    }
                    Edge::Tokens(kinds, to) => {
                        places.add(place, left);
                        if end && kinds.contains(Kind::End) {
                            open.push((Place { state: *to, ..place }, left));
                        }
                    }
                }
            }
        }
    }
}

/// The number of a row of calls.
pub(super) type CallsId = u32;

/// Rows of states to return to. Equal rows have equal numbers.
#[derive(Default)]
pub(super) struct Calls {
    rows: Vec<(StateId, CallsId)>,
    numbers: HashMap<(StateId, CallsId), CallsId>,
}

impl Calls {
    /// The empty row.
    pub(super) const NONE: CallsId = 0;

    pub(super) fn push(&mut self, calls: CallsId, state: StateId) -> CallsId {
        let rows = &mut self.rows;
        *self.numbers.entry((state, calls)).or_insert_with(|| {
            rows.push((state, calls));
            CallsId::try_from(rows.len()).unwrap_or(CallsId::MAX)
        })
    }

    fn pop(&self, calls: CallsId) -> Option<(StateId, CallsId)> {
        calls.checked_sub(1).and_then(|index| self.rows.get(index as usize)).copied()
    }

    /// Whether a place is before operators that the call around it reads anyway.
    fn repeat(&self, place: Place) -> bool {
        let state = NETWORK.state_at(place.state);
        state.kind == StateKind::LoopEntry
            && state.how == How::Precedence
            && self.pop(place.calls).is_some_and(|(to, _)| NETWORK.state_at(to).rule == state.rule)
    }
}
