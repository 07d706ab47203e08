//! The grammar, and the network of states that it makes.
//!
//! A rule is a path from its start to its stop; on the way are tokens, calls of other rules, and decisions. What is
//! told of an error depends on the state that the machine is in, so the network has the states that ANTLR would make
//! of the same grammar, and marks how ANTLR's parser decides in each: by the next token, by looking ahead as far as it
//! takes, or by how tightly an operator binds.

use std::sync::LazyLock;

use crate::lexer::{KINDS, Kind};

/// The rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Rule {
    Start,
    Expr,
    ConditionalOr,
    ConditionalAnd,
    Relation,
    Calc,
    Unary,
    Member,
    Primary,
    ExprList,
    ListInit,
    FieldList,
    OptField,
    MapList,
    EscapeIdent,
    OptExpr,
    Literal,
}

/// The number of rules.
pub(super) const RULES: usize = 17;

/// A part of a rule.
enum Part {
    Token(Kind),
    /// One of some tokens.
    OneOf(&'static [Kind]),
    /// A call of a rule whose operators bind at least this tightly.
    Rule(Rule, u32),
    /// Decided by the next token.
    Optional(&'static [Part]),
    /// None or more.
    Star(How, &'static [Part]),
    /// One or more.
    Plus(How, &'static [Part]),
    /// One of several ways.
    Either(How, &'static [&'static [Part]]),
    /// What follows the first operand, with how tightly it binds.
    Operators(&'static [(u32, &'static [Part])]),
}

/// How a decision is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// By the next token; the last way is the one for all others.
    Next,
    /// By the next token, with which one of the ways must begin.
    Exactly,
    /// By looking ahead as far as it takes.
    Ahead,
    /// By the next token, if the operator that it is binds tightly enough.
    Precedence,
}

use How::{Ahead, Exactly, Next};
use Part::{Either, OneOf, Operators, Optional, Plus, Rule as Call, Star, Token};
use Rule::{
    Calc, ConditionalAnd, ConditionalOr, EscapeIdent, Expr, ExprList, FieldList, ListInit, Literal, MapList,
    Member, OptExpr, OptField, Primary, Relation, Start, Unary,
};

const DOT: Part = Optional(&[Token(Kind::Dot)]);
const COMMA: Part = Optional(&[Token(Kind::Comma)]);
const QUESTION: Part = Optional(&[Token(Kind::Question)]);
const SIGN: Part = Optional(&[Token(Kind::Minus)]);
const ARGUMENTS: Part = Optional(&[Call(ExprList, 0)]);

const RELATIONS: &[Kind] = &[
    Kind::Equals,
    Kind::NotEquals,
    Kind::In,
    Kind::Less,
    Kind::LessEquals,
    Kind::GreaterEquals,
    Kind::Greater,
];

static GRAMMAR: [(Rule, &[Part]); RULES] = [
    (Start, &[Call(Expr, 0), Token(Kind::End)]),
    (
        Expr,
        &[
            Call(ConditionalOr, 0),
            Optional(&[Token(Kind::Question), Call(ConditionalOr, 0), Token(Kind::Colon), Call(Expr, 0)]),
        ],
    ),
    (
        ConditionalOr,
        &[Call(ConditionalAnd, 0), Star(Next, &[Token(Kind::LogicalOr), Call(ConditionalAnd, 0)])],
    ),
    (ConditionalAnd, &[Call(Relation, 0), Star(Next, &[Token(Kind::LogicalAnd), Call(Relation, 0)])]),
    (Relation, &[Call(Calc, 0), Operators(&[(1, &[OneOf(RELATIONS), Call(Relation, 2)])])]),
    (
        Calc,
        &[
            Call(Unary, 0),
            Operators(&[
                (2, &[OneOf(&[Kind::Star, Kind::Slash, Kind::Percent]), Call(Calc, 3)]),
                (1, &[OneOf(&[Kind::Minus, Kind::Plus]), Call(Calc, 2)]),
            ]),
        ],
    ),
    (
        Unary,
        &[Either(
            Ahead,
            &[
                &[Call(Member, 0)],
                &[Plus(Next, &[Token(Kind::Exclamation)]), Call(Member, 0)],
                &[Plus(Ahead, &[Token(Kind::Minus)]), Call(Member, 0)],
            ],
        )],
    ),
    (
        Member,
        &[
            Call(Primary, 0),
            Operators(&[
                (3, &[Token(Kind::Dot), QUESTION, Call(EscapeIdent, 0)]),
                (
                    2,
                    &[
                        Token(Kind::Dot),
                        Token(Kind::Identifier),
                        Token(Kind::LeftParenthesis),
                        ARGUMENTS,
                        Token(Kind::RightParenthesis),
                    ],
                ),
                (1, &[Token(Kind::LeftBracket), QUESTION, Call(Expr, 0), Token(Kind::RightBracket)]),
            ]),
        ],
    ),
    (
        Primary,
        &[Either(
            Ahead,
            &[
                &[DOT, Token(Kind::Identifier)],
                &[
                    DOT,
                    Token(Kind::Identifier),
                    Token(Kind::LeftParenthesis),
                    ARGUMENTS,
                    Token(Kind::RightParenthesis),
                ],
                &[Token(Kind::LeftParenthesis), Call(Expr, 0), Token(Kind::RightParenthesis)],
                &[Token(Kind::LeftBracket), Optional(&[Call(ListInit, 0)]), COMMA, Token(Kind::RightBracket)],
                &[Token(Kind::LeftBrace), Optional(&[Call(MapList, 0)]), COMMA, Token(Kind::RightBrace)],
                &[
                    DOT,
                    Token(Kind::Identifier),
                    Star(Next, &[Token(Kind::Dot), Token(Kind::Identifier)]),
                    Token(Kind::LeftBrace),
                    Optional(&[Call(FieldList, 0)]),
                    COMMA,
                    Token(Kind::RightBrace),
                ],
                &[Call(Literal, 0)],
            ],
        )],
    ),
    (ExprList, &[Call(Expr, 0), Star(Next, &[Token(Kind::Comma), Call(Expr, 0)])]),
    (ListInit, &[Call(OptExpr, 0), Star(Ahead, &[Token(Kind::Comma), Call(OptExpr, 0)])]),
    (
        FieldList,
        &[
            Call(OptField, 0),
            Token(Kind::Colon),
            Call(Expr, 0),
            Star(Ahead, &[Token(Kind::Comma), Call(OptField, 0), Token(Kind::Colon), Call(Expr, 0)]),
        ],
    ),
    (OptField, &[QUESTION, Call(EscapeIdent, 0)]),
    (
        MapList,
        &[
            Call(OptExpr, 0),
            Token(Kind::Colon),
            Call(Expr, 0),
            Star(Ahead, &[Token(Kind::Comma), Call(OptExpr, 0), Token(Kind::Colon), Call(Expr, 0)]),
        ],
    ),
    (EscapeIdent, &[Either(Exactly, &[&[Token(Kind::Identifier)], &[Token(Kind::EscapedIdentifier)]])]),
    (OptExpr, &[QUESTION, Call(Expr, 0)]),
    (
        Literal,
        &[Either(
            Ahead,
            &[
                &[SIGN, Token(Kind::Int)],
                &[Token(Kind::Uint)],
                &[SIGN, Token(Kind::Float)],
                &[Token(Kind::String)],
                &[Token(Kind::Bytes)],
                &[Token(Kind::True)],
                &[Token(Kind::False)],
                &[Token(Kind::Null)],
            ],
        )],
    ),
];

/// A set of kinds of tokens, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds(u64);

impl Kinds {
    /// Stands in a set for the end of the rule.
    const RULE_END: u64 = 1 << 63;

    pub(super) fn one(kind: Kind) -> Self {
        Self(1 << kind as u8)
    }

    pub(super) fn contains(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }

    pub(super) fn reaches_rule_end(self) -> bool {
        self.0 & Self::RULE_END != 0
    }

    pub(super) fn without_rule_end(self) -> Self {
        Self(self.0 & !Self::RULE_END)
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The kinds in their order.
    pub(super) fn iter(self) -> impl Iterator<Item = (Kind, &'static str)> {
        KINDS.into_iter().filter(move |(kind, _)| self.contains(*kind))
    }
}

/// The number of a state.
pub(super) type StateId = u16;

/// What a state is to the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StateKind {
    /// One before a token, a call or nothing.
    Basic,
    /// Before a choice between ways; the ways are its edges.
    Choice,
    /// Before what is repeated at least once.
    PlusStart,
    /// Before what is repeated; the first edges lead into it and the last past it.
    LoopEntry,
    /// After one repetition of a [`StateKind::LoopEntry`].
    LoopBack,
    /// After one repetition of a [`StateKind::PlusStart`]; the first edge leads back and the second on.
    PlusBack,
    /// The end of a rule.
    Stop,
}

/// A state.
#[derive(Debug)]
pub(super) struct State {
    pub(super) rule: Rule,
    pub(super) kind: StateKind,
    pub(super) how: How,
    pub(super) edges: Vec<Edge>,
}

/// A way from a state to another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edge {
    Empty(StateId),
    /// Over an operator that binds this tightly.
    Binds(u32, StateId),
    Tokens(Kinds, StateId),
    Call {
        rule: Rule,
        least: u32,
        follow: StateId,
    },
}

/// The states of all rules.
#[derive(Debug)]
pub(super) struct Network {
    pub(super) states: Vec<State>,
    starts: Vec<StateId>,
    /// For each rule, the states after its calls.
    follows: Vec<Vec<StateId>>,
    /// For each state, the tokens that can come next in its rule.
    next: Vec<Kinds>,
}

/// The one network there is.
pub(super) static NETWORK: LazyLock<Network> = LazyLock::new(Network::new);

impl Network {
    fn new() -> Self {
        let mut network = Self {
            states: Vec::new(),
            starts: vec![0; RULES],
            follows: vec![Vec::new(); RULES],
            next: vec![],
        };
        for (rule, parts) in &GRAMMAR {
            let stop = network.state(*rule, StateKind::Stop, Next);
            network.starts[*rule as usize] = network.sequence(*rule, parts, stop);
        }
        network.next = (0..network.states.len()).map(|state| network.find_next(state)).collect();
        network
    }

    /// Where a rule begins.
    pub(super) fn start(&self, rule: Rule) -> StateId {
        self.starts[rule as usize]
    }

    pub(super) fn state_at(&self, id: StateId) -> &State {
        &self.states[usize::from(id)]
    }

    /// The states that may follow the end of a rule, wherever it was called.
    pub(super) fn follows(&self, rule: Rule) -> &[StateId] {
        &self.follows[rule as usize]
    }

    /// The tokens that can come next in the state's rule, and whether its end can be reached without any.
    pub(super) fn next(&self, id: StateId) -> Kinds {
        self.next[usize::from(id)]
    }

    /// The target of an edge, or what follows a call.
    pub(super) fn after(&self, id: StateId) -> StateId {
        match self.state_at(id).edges.first() {
            Some(
                Edge::Empty(to) | Edge::Binds(_, to) | Edge::Tokens(_, to) | Edge::Call { follow: to, .. },
            ) => *to,
            None => id,
        }
    }

    fn state(&mut self, rule: Rule, kind: StateKind, how: How) -> StateId {
        self.states.push(State { rule, kind, how, edges: Vec::new() });
        StateId::try_from(self.states.len() - 1).unwrap_or(StateId::MAX)
    }

    fn edge(&mut self, from: StateId, edge: Edge) {
        self.states[usize::from(from)].edges.push(edge);
    }

    /// Adds states for parts that are followed by a state; returns the first.
    fn sequence(&mut self, rule: Rule, parts: &[Part], end: StateId) -> StateId {
        parts.iter().rev().fold(end, |end, part| self.part(rule, part, end))
    }

    fn part(&mut self, rule: Rule, part: &Part, end: StateId) -> StateId {
        match part {
            Part::Token(kind) => {
                let state = self.state(rule, StateKind::Basic, Next);
                self.edge(state, Edge::Tokens(Kinds::one(*kind), end));
                state
            }
            Part::OneOf(kinds) => {
                let state = self.state(rule, StateKind::Basic, Next);
                let kinds = kinds.iter().fold(Kinds::default(), |set, kind| set.union(Kinds::one(*kind)));
                self.edge(state, Edge::Tokens(kinds, end));
                state
            }
            Part::Rule(called, least) => {
                let state = self.state(rule, StateKind::Basic, Next);
                self.edge(state, Edge::Call { rule: *called, least: *least, follow: end });
                self.follows[*called as usize].push(end);
                state
            }
            Part::Optional(parts) => {
                let state = self.state(rule, StateKind::Choice, Next);
                let first = self.sequence(rule, parts, end);
                self.edge(state, Edge::Empty(first));
                self.edge(state, Edge::Empty(end));
                state
            }
            Part::Either(how, ways) => {
                let state = self.state(rule, StateKind::Choice, *how);
                for way in *ways {
                    let first = self.sequence(rule, way, end);
                    self.edge(state, Edge::Empty(first));
                }
                state
            }
            Part::Star(how, parts) => {
                let entry = self.state(rule, StateKind::LoopEntry, *how);
                let back = self.state(rule, StateKind::LoopBack, *how);
                self.edge(back, Edge::Empty(entry));
                let first = self.sequence(rule, parts, back);
                self.edge(entry, Edge::Empty(first));
                self.edge(entry, Edge::Empty(end));
                entry
            }
            Part::Plus(how, parts) => {
                let start = self.state(rule, StateKind::PlusStart, *how);
                let back = self.state(rule, StateKind::PlusBack, *how);
                let first = self.sequence(rule, parts, back);
                self.edge(start, Edge::Empty(first));
                self.edge(back, Edge::Empty(start));
                self.edge(back, Edge::Empty(end));
                start
            }
            Part::Operators(ways) => {
                let entry = self.state(rule, StateKind::LoopEntry, How::Precedence);
                let back = self.state(rule, StateKind::LoopBack, How::Precedence);
                self.edge(back, Edge::Empty(entry));
                let choice = self.state(rule, StateKind::Choice, Ahead);
                for (binds, way) in *ways {
                    let first = self.sequence(rule, way, back);
                    self.edge(choice, Edge::Binds(*binds, first));
                }
                self.edge(entry, Edge::Empty(choice));
                self.edge(entry, Edge::Empty(end));
                entry
            }
        }
    }

    fn find_next(&self, state: usize) -> Kinds {
        let mut found = Kinds::default();
        let mut seen = vec![false; self.states.len()];
        // Where a called rule can't be passed without a token, nothing after it has to be looked at.
        let mut open: Vec<(usize, bool)> = vec![(state, true)];
        while let Some((state, own)) = open.pop() {
            if std::mem::replace(&mut seen[state], true) {
                continue;
            }
            if self.states[state].kind == StateKind::Stop && own {
                found = found.union(Kinds(Kinds::RULE_END));
            }
            for edge in &self.states[state].edges {
                match edge {
                    Edge::Empty(to) | Edge::Binds(_, to) => open.push((usize::from(*to), own)),
                    Edge::Tokens(kinds, _) => found = found.union(*kinds),
                    Edge::Call { rule, .. } => open.push((usize::from(self.start(*rule)), false)),
                }
            }
        }
        found
    }
}
