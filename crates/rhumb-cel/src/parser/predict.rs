//! Decides which way to take by looking ahead: follows all ways at once until one is left.
//!
//! First it looks without knowing what called the rule, so that after the rule's end anything may follow that follows
//! it anywhere; only if that leaves ways that can't be told apart does it look again with the calls that there are. An
//! error depends on where each of the two gives up.

use std::collections::{HashMap, HashSet};

use super::grammar::{Edge, NETWORK, Network, StateId, StateKind};
use crate::lexer::{Kind, Token};

/// The number of places that are followed at once, so that no text takes too long. Ordinary ones need some hundred.
const MOST_PLACES: usize = 20_000;

/// No way fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoWay {
    /// The token at which that was seen.
    pub(super) at: usize,
}

/// What was decided, and the last token that was looked at.
pub(super) struct Prediction {
    pub(super) way: Result<usize, NoWay>,
    pub(super) seen: usize,
}

/// Decides at a state, from a token on. `calls` are the states to return to, the innermost last.
pub(super) fn predict(state: StateId, tokens: &[Token], start: usize, calls: &[StateId]) -> Prediction {
    let mut prediction = Predictor { network: &NETWORK, tokens, calls: Calls::default(), full: false };
    let (way, seen) = prediction.without_calls(state, start);
    match way {
        Outcome::Way(way) => Prediction { way: Ok(way), seen },
        Outcome::NoWay => Prediction { way: Err(NoWay { at: seen }), seen },
        Outcome::Unclear => {
            prediction.full = true;
            let outer = calls.iter().fold(Calls::NONE, |calls, state| prediction.calls.push(calls, *state));
            let (way, further) = prediction.with_calls(state, start, outer);
            let way = way.ok_or(NoWay { at: start });
            Prediction { way, seen: seen.max(further) }
        }
    }
}

enum Outcome {
    Way(usize),
    NoWay,
    Unclear,
}

struct Predictor<'a> {
    network: &'static Network,
    tokens: &'a [Token],
    calls: Calls,
    /// Whether the calls around the rule are known.
    full: bool,
}

/// A place that one of the ways has led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Place {
    state: StateId,
    way: usize,
    calls: CallsId,
}

/// Places in the order in which they were found, each with whether the rule was left on the way to it.
#[derive(Clone, Default)]
struct Places {
    list: Vec<Place>,
    left: HashMap<Place, bool>,
}

impl Places {
    fn add(&mut self, place: Place, left: bool) {
        match self.left.get_mut(&place) {
            Some(before) => *before |= left,
            None => {
                self.left.insert(place, left);
                self.list.push(place);
            }
        }
    }

    /// The way that all places are on.
    fn only_way(&self) -> Option<usize> {
        let first = self.list.first()?.way;
        self.list.iter().all(|place| place.way == first).then_some(first)
    }

    /// The ways by what they can't be told apart by: the state and the calls.
    fn together(&self) -> HashMap<(StateId, CallsId), HashSet<usize>> {
        let mut sets: HashMap<_, HashSet<usize>> = HashMap::new();
        for place in &self.list {
            sets.entry((place.state, place.calls)).or_default().insert(place.way);
        }
        sets
    }
}

impl Predictor<'_> {
    fn kind(&self, at: usize) -> Kind {
        self.tokens.get(at).map_or(Kind::End, |token| token.kind)
    }

    fn without_calls(&mut self, state: StateId, start: usize) -> (Outcome, usize) {
        let mut places = self.first(state, Calls::NONE);
        let mut at = start;
        loop {
            let kind = self.kind(at);
            let reached = self.reach(&places, kind);
            if reached.list.is_empty() {
                return (self.finished(&places).map_or(Outcome::NoWay, Outcome::Way), at);
            }
            if let Some(way) = reached.only_way() {
                return (Outcome::Way(way), at);
            }
            if self.is_unclear(&reached) || reached.list.len() > MOST_PLACES {
                return (Outcome::Unclear, at);
            }
            places = reached;
            if kind != Kind::End {
                at += 1;
            }
        }
    }

    fn with_calls(&mut self, state: StateId, start: usize, outer: CallsId) -> (Option<usize>, usize) {
        let mut places = self.first(state, outer);
        let mut at = start;
        loop {
            let kind = self.kind(at);
            let reached = self.reach(&places, kind);
            if reached.list.is_empty() {
                return (self.finished(&places), at);
            }
            if let Some(way) = reached.only_way() {
                return (Some(way), at);
            }
            let mut first_ways = reached.together().into_values().map(|ways| ways.into_iter().min());
            let first = first_ways.next().flatten();
            if first_ways.all(|way| way == first) || reached.list.len() > MOST_PLACES {
                return (first, at);
            }
            places = reached;
            if kind != Kind::End {
                at += 1;
            }
        }
    }

    /// The first way that had left the rule when nothing fitted any more.
    fn finished(&self, places: &Places) -> Option<usize> {
        let finished = |place: &&Place| {
            places.left.get(place).copied().unwrap_or_default()
                || (self.network.state_at(place.state).kind == StateKind::Stop && place.calls == Calls::NONE)
        };
        places.list.iter().filter(finished).map(|place| place.way).min()
    }

    /// Whether looking further can't tell the ways apart.
    fn is_unclear(&self, places: &Places) -> bool {
        if places.list.iter().all(|place| self.network.state_at(place.state).kind == StateKind::Stop) {
            return true;
        }
        let mut by_state: HashMap<StateId, HashSet<usize>> = HashMap::new();
        for place in &places.list {
            by_state.entry(place.state).or_default().insert(place.way);
        }
        places.together().values().any(|ways| ways.len() > 1) && by_state.values().all(|ways| ways.len() > 1)
    }

    fn first(&mut self, state: StateId, calls: CallsId) -> Places {
        let mut places = Places::default();
        for (way, edge) in self.network.state_at(state).edges.iter().enumerate() {
            if let Edge::Empty(to) | Edge::Binds(_, to) = edge {
                self.close(Place { state: *to, way, calls }, false, false, &mut places);
            }
        }
        places
    }

    /// The places behind a token.
    fn reach(&mut self, from: &Places, kind: Kind) -> Places {
        let end = kind == Kind::End;
        let mut behind = Places::default();
        let mut stopped = Vec::new();
        for place in &from.list {
            let left = from.left.get(place).copied().unwrap_or_default();
            let state = self.network.state_at(place.state);
            if state.kind == StateKind::Stop {
                if self.full || end {
                    stopped.push((*place, left));
                }
                continue;
            }
            for edge in &state.edges {
                if let Edge::Tokens(kinds, to) = edge
                    && kinds.contains(kind)
                {
                    behind.add(Place { state: *to, ..*place }, left);
                }
            }
        }
        if stopped.is_empty() && !end && behind.only_way().is_some() {
            return behind;
        }
        let mut places = Places::default();
        for place in &behind.list {
            let left = behind.left.get(place).copied().unwrap_or_default();
            self.close(*place, left, end, &mut places);
        }
        let stops = |place: &Place| self.network.state_at(place.state).kind == StateKind::Stop;
        if end {
            places.list.retain(stops);
        }
        if !self.full || !places.list.iter().any(stops) {
            for (place, left) in stopped {
                places.add(place, left);
            }
        }
        places
    }

    /// Adds the places that are reached without a token.
    fn close(&mut self, place: Place, left: bool, end: bool, places: &mut Places) {
        let mut seen = HashSet::new();
        let mut open = vec![(place, left)];
        while let Some((place, left)) = open.pop() {
            if !seen.insert((place, left)) || seen.len() > MOST_PLACES {
                continue;
            }
            let state = self.network.state_at(place.state);
            if state.kind == StateKind::Stop {
                match self.calls.pop(place.calls) {
                    Some((to, calls)) => open.push((Place { state: to, calls, ..place }, left)),
                    None if self.full || self.network.follows(state.rule).is_empty() => {
                        places.add(place, left)
                    }
                    None => {
                        let follows = self.network.follows(state.rule).iter();
                        open.extend(follows.map(|to| (Place { state: *to, ..place }, true)));
                    }
                }
                continue;
            }
            for (index, edge) in state.edges.iter().enumerate() {
                match edge {
                    Edge::Empty(_) if index == 0 && self.is_repeated(place) => {}
                    Edge::Empty(to) | Edge::Binds(_, to) => open.push((Place { state: *to, ..place }, left)),
                    Edge::Call { rule, follow, .. } => {
                        let calls = self.calls.push(place.calls, *follow);
                        open.push((Place { state: self.network.start(*rule), calls, ..place }, left));
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

    /// Whether a place is before operators that the call around it reads anyway.
    fn is_repeated(&self, place: Place) -> bool {
        let state = self.network.state_at(place.state);
        state.kind == StateKind::LoopEntry
            && state.how == super::grammar::How::Precedence
            && self.calls.pop(place.calls).is_some_and(|(to, _)| self.network.state_at(to).rule == state.rule)
    }
}

/// The number of a row of calls.
type CallsId = u32;

/// Rows of states to return to. Equal rows have equal numbers.
#[derive(Default)]
struct Calls {
    rows: Vec<(StateId, CallsId)>,
    numbers: HashMap<(StateId, CallsId), CallsId>,
}

impl Calls {
    /// The empty row.
    const NONE: CallsId = 0;

    fn push(&mut self, calls: CallsId, state: StateId) -> CallsId {
        let rows = &mut self.rows;
        *self.numbers.entry((state, calls)).or_insert_with(|| {
            rows.push((state, calls));
            CallsId::try_from(rows.len()).unwrap_or(CallsId::MAX)
        })
    }

    fn pop(&self, calls: CallsId) -> Option<(StateId, CallsId)> {
        calls.checked_sub(1).and_then(|index| self.rows.get(index as usize)).copied()
    }
}
