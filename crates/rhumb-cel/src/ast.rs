//! Abstract syntax: what a parsed expression consists of.
//!
//! Every node has an id. What is known of nodes (positions, types, what a name means) is kept in tables by id, so that
//! the tree itself stays as it was parsed.

use std::collections::HashMap;
use std::sync::Arc;

use crate::source::Source;

/// The number of a node within one expression, from 1 on.
pub type ExprId = u32;

/// A parsed expression with its positions.
#[derive(Clone, Debug)]
pub struct Ast {
    /// The root.
    pub expr: Expr,
    /// Where the nodes stand in the text.
    pub info: SourceInfo,
}

/// Positions of nodes, and the calls that macros were expanded from.
#[derive(Clone, Debug)]
pub struct SourceInfo {
    /// The text that was parsed.
    pub source: Arc<Source>,
    /// The span of each node, in code points from the start of the text.
    pub spans: HashMap<ExprId, Span>,
    /// The call that a macro was written as, by the id of what it became.
    pub macro_calls: HashMap<ExprId, Expr>,
}

/// A range of code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first code point.
    pub start: u32,
    /// One after the last.
    pub end: u32,
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Its number.
    pub id: ExprId,
    /// What it is.
    pub kind: ExprKind,
}

impl Expr {
    /// Calls `visit` with each node directly below this one, in the order in which they are evaluated.
    pub fn each_child<'e>(&'e self, visit: &mut dyn FnMut(&'e Self)) {
        match &self.kind {
            ExprKind::Unspecified | ExprKind::Literal(_) | ExprKind::Ident(_) => {}
            ExprKind::Select(select) => visit(&select.operand),
            ExprKind::Call(call) => {
                call.target.iter().for_each(|target| visit(target));
                call.args.iter().for_each(visit);
            }
            ExprKind::List(list) => list.elements.iter().for_each(visit),
            ExprKind::Map(map) => map.entries.iter().for_each(|entry| {
                visit(&entry.key);
                visit(&entry.value);
            }),
            ExprKind::Struct(message) => message.fields.iter().for_each(|field| visit(&field.value)),
            ExprKind::Comprehension(comprehension) => {
                visit(&comprehension.iter_range);
                visit(&comprehension.accu_init);
                visit(&comprehension.loop_condition);
                visit(&comprehension.loop_step);
                visit(&comprehension.result);
            }
        }
    }
}

/// What a node can be.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// Nothing: where the parser found an error, or an argument of a macro call that stands elsewhere.
    Unspecified,
    /// A constant.
    Literal(Literal),
    /// A name.
    Ident(Arc<str>),
    /// A field of something, or the question whether it is there.
    Select(Select),
    /// A call of a function, a method or an operator.
    Call(Call),
    /// A list.
    List(List),
    /// A map.
    Map(Map),
    /// A message with some of its fields.
    Struct(Struct),
    /// A loop, as macros make it.
    Comprehension(Box<Comprehension>),
}

/// A constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// `1`
    Int(i64),
    /// `1u`
    Uint(u64),
    /// `1.0`
    Double(f64),
    /// `"a"`
    String(Arc<str>),
    /// `b"a"`
    Bytes(Arc<[u8]>),
}

/// `operand.field`, or `has(operand.field)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    /// What has the field.
    pub operand: Box<Expr>,
    /// The field's name.
    pub field: Arc<str>,
    /// Whether only its presence is asked for.
    pub test_only: bool,
}

/// `function(args)` or `target.function(args)`; operators are functions with the names of [`crate::operators`].
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What stands before the dot.
    pub target: Option<Box<Expr>>,
    /// The function's name.
    pub function: Arc<str>,
    /// The arguments.
    pub args: Vec<Expr>,
}

/// `[a, ?b]`
#[derive(Clone, Debug, PartialEq)]
pub struct List {
    /// The elements.
    pub elements: Vec<Expr>,
    /// The indices of those that are optional.
    pub optional: Vec<u32>,
}

/// `{a: b, ?c: d}`
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// The entries.
    pub entries: Vec<MapEntry>,
}

/// `a: b`
#[derive(Clone, Debug, PartialEq)]
pub struct MapEntry {
    /// Its number.
    pub id: ExprId,
    /// What is looked up.
    pub key: Expr,
    /// What is found.
    pub value: Expr,
    /// Whether the value is an optional, and the entry there only if it has one.
    pub optional: bool,
}

/// `Name{field: value}`
#[derive(Clone, Debug, PartialEq)]
pub struct Struct {
    /// The message's name, as written.
    pub type_name: Arc<str>,
    /// The fields.
    pub fields: Vec<StructField>,
}

/// `field: value`
#[derive(Clone, Debug, PartialEq)]
pub struct StructField {
    /// Its number.
    pub id: ExprId,
    /// The field's name.
    pub name: Arc<str>,
    /// Its value.
    pub value: Expr,
    /// Whether the value is an optional, and the field set only if it has one.
    pub optional: bool,
}

/// A fold: `accu_var` begins as `accu_init`, becomes `loop_step` for each element while `loop_condition` holds, and
/// `result` is the value.
#[derive(Clone, Debug, PartialEq)]
pub struct Comprehension {
    /// The name of an element of a list or of a key of a map; with two names, of the index or key.
    pub iter_var: Arc<str>,
    /// With two names, the name of the element or value.
    pub iter_var2: Option<Arc<str>>,
    /// What is gone through.
    pub iter_range: Expr,
    /// The name of what is gathered.
    pub accu_var: Arc<str>,
    /// How it begins.
    pub accu_init: Expr,
    /// Whether to go on.
    pub loop_condition: Expr,
    /// What is gathered after an element.
    pub loop_step: Expr,
    /// The value of the whole.
    pub result: Expr,
}
