//! The plan: turns a syntax tree into a [`Program`].

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::cost::Rule;
use super::operators::Unary;
use super::program::{Base, Condition, Fold, Node, NodeId, ObjectNode, Options, Program};
use crate::ast::{Ast, Comprehension, Expr, ExprId, ExprKind, List, Map, Struct};
use crate::checker::{CheckedAst, Reference};
use crate::env::Environment;
use crate::operators as op;
use crate::value::{Entries, List as ListValue, Map as MapValue, Value};

mod attribute;
mod call;

/// How deep an expression may nest.
const MAX_DEPTH: usize = 1000;

/// Why an expression can't become a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError(String);

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlanError {}

impl Program {
    /// Makes a program of an expression that was checked in an environment.
    pub fn new(checked: &CheckedAst, environment: &Environment, options: Options) -> Result<Self, PlanError> {
        Planner::new(environment, Some(checked), options).finish(checked.root())
    }

    /// Makes a program of an expression that was only parsed. What names and calls mean is found at run time.
    pub fn unchecked(ast: &Ast, environment: &Environment, options: Options) -> Result<Self, PlanError> {
        Planner::new(environment, None, options).finish(&ast.expr)
    }
}

/// A program that is being made.
struct Planner<'p> {
    environment: &'p Environment,
    checked: Option<&'p CheckedAst>,
    program: Program,
    /// The variables of loops that can be seen, the innermost last.
    scope: Vec<(Arc<str>, u32)>,
    variables: HashMap<Arc<str>, u32>,
    /// The nodes that take what their loop gathered out of its variable.
    taking: Vec<(ExprId, u32)>,
    depth: usize,
}

impl<'p> Planner<'p> {
    fn new(environment: &'p Environment, checked: Option<&'p CheckedAst>, options: Options) -> Self {
        Self {
            environment,
            checked,
            program: Program { options, ..Program::default() },
            scope: Vec::new(),
            variables: HashMap::new(),
            taking: Vec::new(),
            depth: 0,
        }
    }

    fn finish(mut self, root: &Expr) -> Result<Program, PlanError> {
        self.program.root = self.plan(root)?;
        self.program.nodes.shrink_to_fit();
        self.program.ids.shrink_to_fit();
        self.program.attributes.shrink_to_fit();
        Ok(self.program)
    }

    fn reference(&self, id: ExprId) -> Option<&'p Reference> {
        self.checked?.reference(id)
    }

    fn push(&mut self, id: ExprId, node: Node) -> NodeId {
        self.program.nodes.push(node);
        self.program.ids.push(id);
        number(self.program.nodes.len() - 1)
    }

    fn constant(&mut self, value: Value<'static>) -> u32 {
        self.program.constants.push(value);
        number(self.program.constants.len() - 1)
    }

    fn push_constant(&mut self, id: ExprId, value: Value<'static>) -> NodeId {
        let constant = self.constant(value);
        self.push(id, Node::Constant(constant))
    }

    /// Returns the value of a node if it is constant.
    fn constant_of(&self, node: NodeId) -> Option<&Value<'static>> {
        match self.program.nodes.get(node as usize)? {
            Node::Constant(constant) => self.program.constants.get(*constant as usize),
            _ => None,
        }
    }

    fn plan(&mut self, expr: &Expr) -> Result<NodeId, PlanError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(PlanError("expression is nested too deeply".to_owned()));
        }
        let node = match &expr.kind {
            ExprKind::Unspecified => Err(PlanError("unsupported expression".to_owned())),
            ExprKind::Literal(literal) => Ok(self.push_constant(expr.id, Value::from(literal.clone()))),
            ExprKind::Ident(name) => self.ident(expr.id, name),
            ExprKind::Select(select) => self.select(expr.id, select),
            ExprKind::Call(call) => self.call(expr.id, call),
            ExprKind::List(list) => self.list(expr.id, list),
            ExprKind::Map(map) => self.map(expr.id, map),
            ExprKind::Struct(object) => self.object(expr.id, object),
            ExprKind::Comprehension(comprehension) => self.comprehension(expr.id, comprehension),
        };
        self.depth -= 1;
        node
    }

    fn list(&mut self, id: ExprId, list: &List) -> Result<NodeId, PlanError> {
        let elements: Vec<NodeId> =
            list.elements.iter().map(|element| self.plan(element)).collect::<Result<_, _>>()?;
        if self.program.options.fold_constants && list.optional.is_empty() {
            let values: Option<Vec<_>> =
                elements.iter().map(|node| self.constant_of(*node).cloned()).collect();
            if let Some(values) = values {
                return Ok(self.push_constant(id, Value::List(ListValue::from(values))));
            }
        }
        let optional = list.optional.clone().into();
        Ok(self.push(id, Node::List { elements: elements.into(), optional }))
    }

    fn map(&mut self, id: ExprId, map: &Map) -> Result<NodeId, PlanError> {
        let mut entries = Vec::with_capacity(map.entries.len());
        for entry in &map.entries {
            entries.push((self.plan(&entry.key)?, self.plan(&entry.value)?, entry.optional));
        }
        if self.program.options.fold_constants {
            let constant = |(key, value, optional): &(NodeId, NodeId, bool)| {
                let entry = (self.constant_of(*key)?.clone(), self.constant_of(*value)?.clone());
                (!optional).then_some(entry)
            };
            if let Some(entries) = entries.iter().map(constant).collect::<Option<Entries<'static>>>() {
                return Ok(self.push_constant(id, Value::Map(MapValue::from(entries))));
            }
        }
        Ok(self.push(id, Node::Map { entries: entries.into() }))
    }

    fn object(&mut self, id: ExprId, object: &Struct) -> Result<NodeId, PlanError> {
        let provider = self.environment.provider();
        let known = self.reference(id).and_then(|reference| reference.name.clone()).or_else(|| {
            self.environment
                .container()
                .resolve(&object.type_name, |name| provider.find_object(name).map(|_| name.into()))
        });
        let Some(type_name) = known else {
            return Err(PlanError(format!("unknown type: {}", object.type_name)));
        };
        let mut fields = Vec::with_capacity(object.fields.len());
        for field in &object.fields {
            fields.push((field.name.clone(), self.plan(&field.value)?, field.optional));
        }
        self.program.objects.push(ObjectNode { type_name, fields: fields.into() });
        let object = number(self.program.objects.len() - 1);
        Ok(self.push(id, Node::Object(object)))
    }

    fn comprehension(&mut self, id: ExprId, fold: &Comprehension) -> Result<NodeId, PlanError> {
        // Each loop has its own variables: what it gathers into may begin to be computed within another.
        let first = number(self.program.locals);
        let (second, accumulator) = (fold.iter_var2.as_ref().map(|_| first + 1), first + 2);
        self.program.locals += 3;
        let init = self.plan(&fold.accu_init)?;
        let range = self.plan(&fold.iter_range)?;
        let outside = self.scope.len();
        if let (Some(name), Some(second)) = (&fold.iter_var2, second) {
            self.scope.push((name.clone(), second));
        }
        self.scope.push((fold.iter_var.clone(), first));
        self.scope.push((fold.accu_var.clone(), accumulator));
        let condition = self.plan(&fold.loop_condition)?;
        let taking = self.taking.len();
        take(&fold.loop_step, &fold.accu_var, accumulator, &mut self.taking);
        let step = self.plan(&fold.loop_step)?;
        self.taking.truncate(taking);
        self.scope.truncate(outside);
        self.scope.push((fold.accu_var.clone(), accumulator));
        let result = self.plan(&fold.result)?;
        self.scope.truncate(outside);
        let condition = self.condition(condition, accumulator);
        self.program.folds.push(Fold { range, first, second, accumulator, init, condition, step, result });
        let fold = number(self.program.folds.len() - 1);
        Ok(self.push(id, Node::Fold(fold)))
    }
}

impl Planner<'_> {
    /// Recognizes the conditions of `all` and `exists`, which ask whether what was gathered decides.
    fn condition(&self, condition: NodeId, accumulator: u32) -> Condition {
        if let Some(Value::Bool(true)) = self.constant_of(condition) {
            return Condition::Always;
        }
        let node = |id: NodeId| self.program.nodes.get(id as usize);
        let is_gathered = |id: NodeId| match node(id) {
            Some(Node::Attribute(attribute)) => {
                self.program.attributes.get(*attribute as usize).is_some_and(|found| {
                    matches!(found.base, Base::Local(local) if local == accumulator)
                        && found.qualifiers.is_empty()
                })
            }
            _ => false,
        };
        let Some(Node::Unary { op: Unary::NotStrictlyFalse, arg, rule: Rule::Flat }) = node(condition) else {
            return Condition::Node(condition);
        };
        match node(*arg) {
            _ if is_gathered(*arg) => Condition::Until(false, 2),
            Some(Node::Unary { op: Unary::Not, arg, rule: Rule::Flat }) if is_gathered(*arg) => {
                Condition::Until(true, 3)
            }
            _ => Condition::Node(condition),
        }
    }
}

/// Finds the places where a step adds to what was gathered and nothing else looks at that any more.
fn take(step: &Expr, accumulator: &str, local: u32, taking: &mut Vec<(ExprId, u32)>) {
    let ExprKind::Call(call) = &step.kind else { return };
    match (&*call.function, call.args.as_slice()) {
        (op::CONDITIONAL, [_, then, otherwise]) => {
            take(then, accumulator, local, taking);
            take(otherwise, accumulator, local, taking);
        }
        (op::ADD | call::INSERT, [first, rest @ ..]) => {
            let is_gathered = matches!(&first.kind, ExprKind::Ident(name) if &**name == accumulator);
            if is_gathered && !rest.iter().any(|expr| mentions(expr, accumulator)) {
                taking.push((first.id, local));
            }
        }
        _ => {}
    }
}

/// Returns whether a name stands anywhere in an expression.
fn mentions(expr: &Expr, name: &str) -> bool {
    match &expr.kind {
        ExprKind::Unspecified | ExprKind::Literal(_) => false,
        ExprKind::Ident(ident) => &**ident == name,
        ExprKind::Select(select) => mentions(&select.operand, name),
        ExprKind::Call(call) => {
            call.target.iter().any(|target| mentions(target, name)) || any(&call.args, name)
        }
        ExprKind::List(list) => any(&list.elements, name),
        ExprKind::Map(map) => {
            map.entries.iter().any(|entry| mentions(&entry.key, name) || mentions(&entry.value, name))
        }
        ExprKind::Struct(object) => object.fields.iter().any(|field| mentions(&field.value, name)),
        ExprKind::Comprehension(fold) => {
            let parts =
                [&fold.iter_range, &fold.accu_init, &fold.loop_condition, &fold.loop_step, &fold.result];
            // A loop that gathers under the same name hides it, but for its range and its beginning.
            let seen = if *fold.accu_var == *name { parts.get(..2) } else { parts.get(..) };
            seen.unwrap_or_default().iter().any(|part| mentions(part, name))
        }
    }
}

fn any(exprs: &[Expr], name: &str) -> bool {
    exprs.iter().any(|expr| mentions(expr, name))
}

/// Returns a length as a number of a table's row. A text of an expression has no four thousand million nodes.
fn number(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
