//! Decides which way to take by looking ahead: follows all ways at once until one is left.
//!
//! First it looks without knowing what called the rule, so that after the rule's end anything may follow that follows
//! it anywhere; only if that leaves ways that can't be told apart does it look again with the calls that there are. An
//! error depends on where each of the two gives up.

use super::grammar::StateId;
use super::places::{Calls, Sets};
use crate::lexer::{Kind, Token};

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

/// Makes decisions, and remembers those that do not depend on calls.
#[derive(Default)]
pub(super) struct Predictor {
    calls: Calls,
    known: Sets,
}

enum Outcome {
    Way(usize),
    NoWay,
    Unclear,
}

impl Predictor {
    /// Decides at a state, from a token on. `calls` are the states to return to, the innermost last.
    pub(super) fn predict(
        &mut self,
        state: StateId,
        tokens: &[Token],
        start: usize,
        calls: impl Iterator<Item = StateId>,
    ) -> Prediction {
        let (outcome, seen) = self.without_calls(state, tokens, start);
        match outcome {
            Outcome::Way(way) => Prediction { way: Ok(way), seen },
            Outcome::NoWay => Prediction { way: Err(NoWay { at: seen }), seen },
            Outcome::Unclear => {
                let (way, further) = with_calls(state, tokens, start, calls);
                Prediction { way: way.ok_or(NoWay { at: start }), seen: seen.max(further) }
            }
        }
    }

    fn without_calls(&mut self, state: StateId, tokens: &[Token], start: usize) -> (Outcome, usize) {
        let mut from = self.known.first(&mut self.calls, state, Calls::NONE);
        let mut at = start;
        loop {
            let kind = kind(tokens, at);
            let to = self.known.step(&mut self.calls, &mut from, kind);
            let Some((id, set)) = to.and_then(|id| self.known.get(id).map(|set| (id, set))) else {
                let finished = self.known.get(from).and_then(|set| set.finished);
                return (finished.map_or(Outcome::NoWay, Outcome::Way), at);
            };
            if let Some(way) = set.only_way {
                return (Outcome::Way(way), at);
            }
            if set.unclear {
                return (Outcome::Unclear, at);
            }
            from = id;
            at += usize::from(kind != Kind::End);
        }
    }
}

fn with_calls(
    state: StateId,
    tokens: &[Token],
    start: usize,
    around: impl Iterator<Item = StateId>,
) -> (Option<usize>, usize) {
    let (mut calls, mut sets) = (Calls::default(), Sets::with_calls());
    let around = around.fold(Calls::NONE, |around, state| calls.push(around, state));
    let mut from = sets.first(&mut calls, state, around);
    let mut at = start;
    loop {
        let kind = kind(tokens, at);
        let to = sets.step(&mut calls, &mut from, kind);
        let Some((id, set)) = to.and_then(|id| sets.get(id).map(|set| (id, set))) else {
            return (sets.get(from).and_then(|set| set.finished), at);
        };
        if let Some(way) = set.only_way.or(set.ambiguous) {
            return (Some(way), at);
        }
        from = id;
        at += usize::from(kind != Kind::End);
    }
}

fn kind(tokens: &[Token], at: usize) -> Kind {
    tokens.get(at).map_or(Kind::End, |token| token.kind)
}
