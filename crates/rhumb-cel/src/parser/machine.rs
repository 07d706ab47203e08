//! Reads a text that is not correct: goes through the network of the grammar and keeps what it read as a tree, with
//! gaps where something was wrong.

use super::build::Builder;
use super::grammar::{Edge, How, NETWORK, RULES, Rule, StateId, StateKind};
use super::predict::Predictor;
use super::recover::{Exception, Failure, Recovery};
use crate::lexer::{Kind, Token, Tokens};

/// Reading has ended, and why has been told.
#[derive(Debug)]
pub(super) struct Stopped;

/// A token that was read where it was expected, or that was missing there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// The token; if one was missing, the one whose place it is given.
    pub(super) index: usize,
    /// The kind that was missing.
    pub(super) missing: Option<Kind>,
}

/// The number of a node of the tree.
pub(super) type NodeId = usize;

/// What was read by one rule.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) rule: Rule,
    /// Which of the rule's ways was taken, from 1 on; 0 if none fitted.
    pub(super) way: usize,
    /// The first token.
    pub(super) first: usize,
    /// One after the last.
    pub(super) end: usize,
    pub(super) parts: Vec<Part>,
}

/// A part of a node.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Token(Kind, Found),
    Node(NodeId),
}

/// What was read; the root is the last node.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) root: NodeId,
}

/// A rule that is being read.
struct Frame {
    node: NodeId,
    rule: Rule,
    least: u32,
    /// Where to go on after it.
    follow: Option<StateId>,
}

/// The machine: where it is in the text and in the network, and what it has read.
pub(super) struct Machine<'a, 'b, 't> {
    pub(super) builder: &'a mut Builder<'b>,
    tokens: &'t Tokens,
    /// The next token.
    pub(super) at: usize,
    /// The state that errors are told of.
    pub(super) state: StateId,
    pub(super) recovery: Recovery,
    predictor: Predictor,
    frames: Vec<Frame>,
    nodes: Vec<Node>,
    depth: [u32; RULES],
    /// The number of unrecognized texts that have been told.
    told: usize,
}

/// Reads a text and tells what is wrong with it. Returns no tree if it gave up.
pub(super) fn parse(builder: &mut Builder<'_>, tokens: &Tokens) -> Option<Tree> {
    let mut machine = Machine {
        builder,
        tokens,
        at: 0,
        state: 0,
        recovery: Recovery::default(),
        predictor: Predictor::default(),
        frames: Vec::new(),
        nodes: Vec::new(),
        depth: [0; RULES],
        told: 0,
    };
    let root = machine.run().ok()?;
    Some(Tree { nodes: machine.nodes, root })
}

/// What follows a step.
enum Step {
    Go(StateId),
    Call { rule: Rule, least: u32, follow: StateId },
    Return,
}

impl Machine<'_, '_, '_> {
    fn run(&mut self) -> Result<NodeId, Stopped> {
        self.fetch(0)?;
        let mut state = self.enter(Rule::Start, 0, None)?;
        loop {
            let step = match self.step(state) {
                Ok(step) => step,
                Err(Failure::Stopped(stopped)) => return Err(stopped),
                Err(Failure::Exception(exception)) => {
                    self.recover(exception)?;
                    Step::Return
                }
            };
            state = match step {
                Step::Go(state) => state,
                Step::Call { rule, least, follow } => self.enter(rule, least, Some(follow))?,
                Step::Return => match self.leave()? {
                    (_, Some(follow)) => follow,
                    (root, None) => return Ok(root),
                },
            };
        }
    }

    fn step(&mut self, id: StateId) -> Result<Step, Failure> {
        let state = NETWORK.state_at(id);
        match state.kind {
            StateKind::Stop => Ok(Step::Return),
            StateKind::Basic => {
                self.state = id;
                match state.edges.first() {
                    Some(Edge::Tokens(kinds, to)) => {
                        let found = self.expect(*kinds)?;
                        let kind = found.missing.unwrap_or(self.kind_at(found.index));
                        self.keep(Part::Token(kind, found));
                        Ok(Step::Go(*to))
                    }
                    Some(Edge::Call { rule, least, follow }) => {
                        Ok(Step::Call { rule: *rule, least: *least, follow: *follow })
                    }
                    Some(Edge::Empty(to) | Edge::Binds(_, to)) => Ok(Step::Go(*to)),
                    None => Ok(Step::Return),
                }
            }
            StateKind::Choice => {
                self.state = id;
                self.sync(id)?;
                let way = self.decide(id)?;
                if state.how != How::Next
                    && let Some(frame) = self.frames.last()
                    && let Some(node) = self.nodes.get_mut(frame.node)
                {
                    node.way = way + 1;
                }
                Ok(Step::Go(self.way(id, way)))
            }
            StateKind::PlusStart => {
                self.state = id;
                self.sync(id)?;
                Ok(Step::Go(NETWORK.after(id)))
            }
            StateKind::PlusBack => {
                self.state = id;
                self.sync(id)?;
                let again = self.decide(id)? == 0;
                let target = self.way(id, usize::from(!again));
                Ok(Step::Go(if again { NETWORK.after(target) } else { target }))
            }
            StateKind::LoopEntry => {
                self.state = id;
                self.sync(id)?;
                self.repeat(id)
            }
            StateKind::LoopBack => {
                self.state = id;
                self.sync(id)?;
                self.repeat(NETWORK.after(id))
            }
        }
    }

    /// Goes into a loop or past it.
    fn repeat(&mut self, entry: StateId) -> Result<Step, Failure> {
        if NETWORK.state_at(entry).how != How::Precedence {
            let way = self.decide(entry)?;
            return Ok(Step::Go(self.way(entry, way)));
        }
        let choice = self.way(entry, 0);
        let kind = self.kind(0)?;
        let least = self.frames.last().map_or(0, |frame| frame.least);
        let fits = |edge: &Edge| match edge {
            Edge::Binds(binds, to) => *binds >= least && NETWORK.next(*to).contains(kind),
            _ => false,
        };
        let ways = &NETWORK.state_at(choice).edges;
        if !ways.iter().any(fits) {
            return Ok(Step::Go(self.way(entry, 1)));
        }
        self.count_leave();
        let way = if ways.len() > 1 {
            self.state = choice;
            self.sync(choice)?;
            self.decide(choice)?
        } else {
            0
        };
        self.nest(way)?;
        Ok(Step::Go(self.way(choice, way)))
    }

    fn way(&self, state: StateId, way: usize) -> StateId {
        match NETWORK.state_at(state).edges.get(way) {
            Some(
                Edge::Empty(to) | Edge::Binds(_, to) | Edge::Tokens(_, to) | Edge::Call { follow: to, .. },
            ) => *to,
            None => state,
        }
    }

    fn decide(&mut self, id: StateId) -> Result<usize, Failure> {
        let state = NETWORK.state_at(id);
        if state.how == How::Ahead {
            let returns = self.frames.iter().filter_map(|frame| frame.follow);
            let prediction = self.predictor.predict(id, &self.tokens.tokens, self.at, returns);
            self.fetch(prediction.seen)?;
            let start = self.at;
            return prediction
                .way
                .map_err(|none| Failure::Exception(Exception::NoWay { start, at: none.at }));
        }
        let kind = self.kind(0)?;
        let fits = |edge: &Edge| matches!(edge, Edge::Empty(to) if NETWORK.next(*to).contains(kind));
        match state.edges.iter().position(fits) {
            Some(way) => Ok(way),
            None if state.how == How::Next => Ok(state.edges.len() - 1),
            None => Err(Failure::Exception(Exception::NoWay { start: self.at, at: self.at })),
        }
    }

    fn enter(&mut self, rule: Rule, least: u32, follow: Option<StateId>) -> Result<StateId, Stopped> {
        self.nodes.push(Node { rule, way: 0, first: self.at, end: self.at, parts: Vec::new() });
        self.frames.push(Frame { node: self.nodes.len() - 1, rule, least, follow });
        self.count_enter(rule)?;
        Ok(NETWORK.start(rule))
    }

    /// Makes what was read so far the first operand of an operator.
    fn nest(&mut self, way: usize) -> Result<(), Stopped> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let (operand, rule) = (frame.node, frame.rule);
        frame.node = self.nodes.len();
        let first = self.nodes.get(operand).map_or(self.at, |node| node.first);
        if let Some(node) = self.nodes.get_mut(operand) {
            node.end = self.at;
        }
        self.nodes.push(Node { rule, way: way + 1, first, end: self.at, parts: vec![Part::Node(operand)] });
        self.count_enter(rule)
    }

    /// Ends a rule; returns its node and where to go on.
    fn leave(&mut self) -> Result<(NodeId, Option<StateId>), Stopped> {
        self.count_leave();
        let frame = self.frames.pop().ok_or(Stopped)?;
        if let Some(node) = self.nodes.get_mut(frame.node) {
            node.end = self.at;
        }
        self.keep(Part::Node(frame.node));
        Ok((frame.node, frame.follow))
    }

    fn keep(&mut self, part: Part) {
        if let Some(node) = self.frames.last().and_then(|frame| self.nodes.get_mut(frame.node)) {
            node.parts.push(part);
        }
    }

    fn count_enter(&mut self, rule: Rule) -> Result<(), Stopped> {
        let depth = &mut self.depth[rule as usize];
        *depth += 1;
        let limit = self.builder.options.recursion;
        if *depth > limit {
            return Err(self.stop(format!("expression recursion limit exceeded: {limit}")));
        }
        Ok(())
    }

    fn count_leave(&mut self) {
        if let Some(frame) = self.frames.last() {
            let depth = &mut self.depth[frame.rule as usize];
            *depth = depth.saturating_sub(1);
        }
    }

    /// The states to return to, the innermost last.
    pub(super) fn returns(&self) -> impl DoubleEndedIterator<Item = StateId> {
        self.frames.iter().filter_map(|frame| frame.follow)
    }

    /// Gives up, with an error about the whole text.
    pub(super) fn stop(&mut self, message: String) -> Stopped {
        self.builder.errors().report(0, None, message);
        Stopped
    }

    pub(super) fn token(&self, index: usize) -> Option<&Token> {
        self.tokens.tokens.get(index)
    }

    /// The kind of the next token, or of the one after it.
    pub(super) fn kind(&mut self, ahead: usize) -> Result<Kind, Stopped> {
        self.fetch(self.at + ahead)?;
        Ok(self.kind_at(self.at + ahead))
    }

    fn kind_at(&self, index: usize) -> Kind {
        self.token(index).map_or(Kind::End, |token| token.kind)
    }

    /// Tells what was not recognized before a token, the first time that it is looked at.
    pub(super) fn fetch(&mut self, index: usize) -> Result<(), Stopped> {
        let tokens = self.tokens;
        while let Some(wrong) = tokens.unrecognized.get(self.told).filter(|wrong| wrong.tokens <= index) {
            self.told += 1;
            let range = wrong.start as usize..wrong.end as usize;
            let text = self.builder.source().text().get(range).unwrap_or_default();
            self.syntax_error_at(wrong.offset, &format!("token recognition error at: '{text}'"))?;
        }
        Ok(())
    }

    /// The text from a token to another, with the blanks between but without what was not recognized.
    pub(super) fn text_between(&self, start: usize, at: usize) -> String {
        let Some(first) = self.token(start) else { return String::new() };
        if first.kind == Kind::End {
            return "<EOF>".to_owned();
        }
        let end = self.token(at).map_or(first.end, |token| token.end) as usize;
        let text = self.builder.source().text();
        let mut shown = String::new();
        let mut from = first.start as usize;
        for wrong in &self.tokens.unrecognized {
            if wrong.start as usize >= from && wrong.end as usize <= end {
                shown.push_str(text.get(from..wrong.start as usize).unwrap_or_default());
                from = wrong.end as usize;
            }
        }
        shown.push_str(text.get(from..end).unwrap_or_default());
        shown
    }
}
