//! Programs: expressions as flat tables of nodes, which refer to each other by number.

use std::fmt;
use std::sync::Arc;

use super::activation::Activation;
use super::context::{Context, Limits};
use super::cost::Rule;
use super::error::Error;
use super::operators::{Binary, Unary};
use super::run::Run;
use crate::ast::ExprId;
use crate::env::Overloads;
use crate::functions::{CallCost, Implementation};
use crate::pattern::Pattern;
use crate::types::Type;
use crate::value::Value;

/// The number of a node.
pub(super) type NodeId = u32;

/// An expression that can be evaluated, any number of times and by several threads at once.
#[derive(Default)]
pub struct Program {
    pub(super) nodes: Vec<Node>,
    /// The node of the syntax tree that each node came from.
    pub(super) ids: Vec<ExprId>,
    pub(super) root: NodeId,
    pub(super) constants: Vec<Value<'static>>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) calls: Vec<Call>,
    pub(super) folds: Vec<Fold>,
    pub(super) patterns: Vec<Pattern>,
    pub(super) objects: Vec<ObjectNode>,
    /// The names that are looked up in the activation.
    pub(super) variables: Vec<Arc<str>>,
    /// How many variables of loops there are at once.
    pub(super) locals: usize,
    pub(super) options: Options,
}

/// How programs are made and what they cost.
#[derive(Clone)]
pub struct Options {
    /// Whether constant lists, maps and conversions are computed when the program is made. They cost nothing then,
    /// and a conversion or pattern that is wrong is an error of the program.
    pub fold_constants: bool,
    /// Whether `has(a.b)` costs what `a.b` does.
    pub presence_test_has_cost: bool,
    /// Costs of calls that differ from cel-go's.
    pub costs: Option<Arc<dyn CallCosts>>,
    /// How messages are made.
    pub objects: Option<Arc<dyn Objects>>,
}

/// Costs of calls by function and overload. The overload is empty if the checker left several.
pub trait CallCosts: Send + Sync {
    /// Returns what computes the cost of a call of this overload, or nothing if cel-go's cost holds.
    fn of(&self, function: &str, overload: &str) -> Option<CallCost>;
}

/// Makes messages from the fields that an expression sets.
pub trait Objects: Send + Sync {
    /// Returns a message of a type.
    fn make<'a>(&self, type_name: &str, fields: Vec<(Arc<str>, Value<'a>)>) -> Result<Value<'a>, Error>;
}

impl Default for Options {
    fn default() -> Self {
        Self { fold_constants: false, presence_test_has_cost: true, costs: None, objects: None }
    }
}

/// What an evaluation came to.
#[derive(Debug)]
pub struct Evaluation<'a> {
    /// The value, or why there is none.
    pub result: Result<Value<'a>, Error>,
    /// What it cost, as cel-go counts.
    pub cost: u64,
}

/// A node.
#[derive(Debug)]
pub(super) enum Node {
    Constant(u32),
    Attribute(u32),
    Or(NodeId, NodeId),
    And(NodeId, NodeId),
    Equal {
        left: NodeId,
        right: NodeId,
        negated: bool,
        rule: Rule,
    },
    Unary {
        op: Unary,
        arg: NodeId,
        rule: Rule,
    },
    Binary {
        op: Binary,
        left: NodeId,
        right: NodeId,
        rule: Rule,
    },
    /// `matches` with a constant pattern.
    Match {
        text: NodeId,
        pattern: NodeId,
        compiled: u32,
        rule: Rule,
    },
    /// `in` with a constant list, by the list's number.
    Member {
        value: NodeId,
        list: u32,
    },
    Call(u32),
    /// Adds an entry, or all of another map's, to what a loop gathered.
    Insert {
        map: NodeId,
        entry: (NodeId, Option<NodeId>),
        rule: Rule,
    },
    OptionalOr {
        left: NodeId,
        right: NodeId,
        value: bool,
    },
    List {
        elements: Box<[NodeId]>,
        optional: Box<[u32]>,
    },
    Map {
        entries: Box<[(NodeId, NodeId, bool)]>,
    },
    Object(u32),
    Fold(u32),
    /// Takes what a loop gathered out of its variable, so that it can be added to in place.
    Take(u32),
}

/// A value that is looked up, and what is looked up in it.
pub(super) struct Attribute {
    pub(super) base: Base,
    pub(super) qualifiers: Vec<Qualifier>,
    /// Whether only the presence of the last is asked for.
    pub(super) test: bool,
}

/// Where an [`Attribute`] begins.
pub(super) enum Base {
    Variable(u32),
    Local(u32),
    Node(NodeId),
    Conditional {
        condition: NodeId,
        truthy: u32,
        falsy: u32,
    },
    /// An expression that was not checked: what it may mean, the most likely first.
    Maybe(Vec<Candidate>),
}

/// A name that may be meant, and how many qualifiers belong to it.
#[derive(Clone)]
pub(super) struct Candidate {
    pub(super) names: Vec<(Arc<str>, Name)>,
    pub(super) qualifiers: usize,
}

/// What a name means if it means something.
#[derive(Clone, Copy)]
pub(super) enum Name {
    Variable(u32),
    Local(u32),
    /// A type, by its constant's number.
    Type(u32),
}

/// What is looked up.
#[derive(Clone, Copy)]
pub(super) enum Qualifier {
    Constant { key: u32, optional: bool, test: bool },
    Attribute { attribute: u32, optional: bool },
    Node { node: NodeId, optional: bool },
}

impl Qualifier {
    pub(super) fn is_optional(&self) -> bool {
        match self {
            Qualifier::Constant { optional, .. }
            | Qualifier::Attribute { optional, .. }
            | Qualifier::Node { optional, .. } => *optional,
        }
    }
}

/// A call of a function that has code.
pub(super) struct Call {
    pub(super) function: Arc<str>,
    pub(super) args: Box<[NodeId]>,
    pub(super) target: Target,
    pub(super) rule: Rule,
    /// Whether the first error among the arguments ends the call.
    pub(super) stops: bool,
}

/// The code of a [`Call`].
pub(super) enum Target {
    /// One overload; with the parameters if they are compared.
    One { implementation: Implementation, params: Option<Box<[Type]>> },
    /// The overload is chosen by the arguments.
    Many(Arc<Overloads>),
    /// There is none.
    None,
}

/// A loop.
#[derive(Debug)]
pub(super) struct Fold {
    pub(super) range: NodeId,
    /// The variables of the element, or of key and value.
    pub(super) first: u32,
    pub(super) second: Option<u32>,
    pub(super) accumulator: u32,
    pub(super) init: NodeId,
    pub(super) condition: Condition,
    pub(super) step: NodeId,
    pub(super) result: NodeId,
}

/// When a [`Fold`] goes on.
#[derive(Debug)]
pub(super) enum Condition {
    Always,
    /// While this node is not false.
    Node(NodeId),
    /// Until this was gathered, as `all` and `exists` do; with the cost of asking.
    Until(bool, u64),
}

/// A message.
pub(super) struct ObjectNode {
    pub(super) type_name: Arc<str>,
    pub(super) fields: Box<[(Arc<str>, NodeId, bool)]>,
}

impl Program {
    /// Evaluates the expression.
    pub fn evaluate<'a>(&'a self, activation: &'a dyn Activation, limits: Limits<'_>) -> Evaluation<'a> {
        let mut run = Run::new(self, activation, Context::new(limits));
        let result = run.eval(self.root);
        Evaluation { result, cost: run.context.cost() }
    }

    /// Returns the names of the variables that may be looked up.
    pub fn variables(&self) -> &[Arc<str>] {
        &self.variables
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}
