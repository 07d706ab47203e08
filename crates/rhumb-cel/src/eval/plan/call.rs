//! The plan of calls.

use std::sync::Arc;

use super::{PlanError, Planner, number};
use crate::ast::{self, Expr, ExprId, ExprKind};
use crate::eval::call::dispatch;
use crate::eval::context::{Context, Limits};
use crate::eval::cost::Rule;
use crate::eval::operators::{Binary, Unary};
use crate::eval::program::{Call, Node, NodeId, Target};
use crate::functions::Function;
use crate::operators as op;
use crate::pattern::Pattern;
use crate::value::Value;

/// The function that adds to the map that a loop gathers.
pub(super) const INSERT: &str = "cel.@mapInsert";

/// Functions that convert, whose calls of a constant are computed when the program is made.
const CONVERSIONS: [&str; 10] =
    ["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"];

impl Planner<'_> {
    pub(super) fn call(&mut self, id: ExprId, call: &ast::Call) -> Result<NodeId, PlanError> {
        let (name, overload, target) = self.function(id, call);
        let mut args = Vec::with_capacity(call.args.len() + 1);
        if let Some(target) = target {
            args.push(self.plan(target)?);
        }
        for arg in &call.args {
            args.push(self.plan(arg)?);
        }
        match (&*name, args.as_slice()) {
            (op::LOGICAL_AND | op::LOGICAL_OR, terms) => return Ok(self.junction(id, &name, terms)),
            (op::CONDITIONAL, _) => return self.conditional(id, &args),
            (op::EQUALS | op::NOT_EQUALS, &[left, right]) => {
                let negated = &*name == op::NOT_EQUALS;
                let rule = self.rule(&name, if negated { "not_equals" } else { "equals" }, None);
                return Ok(self.push(id, Node::Equal { left, right, negated, rule }));
            }
            (op::INDEX, _) => return self.index(id, &args, false),
            (op::OPT_INDEX | op::OPT_SELECT, _) => return self.index(id, &args, true),
            _ => {}
        }
        let known = (!overload.is_empty()).then(|| self.environment.overload(&overload)).flatten().cloned();
        let all = self.environment.function(&name);
        let has_code = match (&known, all) {
            (Some(function), _) => function.implementation.is_some(),
            (None, Some(all)) => all.overloads.iter().any(|function| function.implementation.is_some()),
            (None, None) => false,
        };
        let rule = self.rule(&name, &overload, known.as_ref());
        if let Some((argument, check)) = known.as_ref().and_then(|function| function.constant)
            && let Some(value) = args.get(argument).and_then(|arg| self.constant_of(*arg))
        {
            check(value).map_err(PlanError)?;
        }
        if !has_code && let Some(node) = self.operation(id, &name, &overload, &args, rule.clone())? {
            return Ok(node);
        }
        if args.is_empty() && !has_code {
            return Err(PlanError(format!("no such overload: {name}()")));
        }
        let target = match (known, all) {
            (Some(function), _) => one(&function),
            (None, Some(all)) => match all.overloads.as_slice() {
                [function] if has_code && function.overload.params.len() != args.len() => {
                    return Err(wrong_count(&name, args.len()));
                }
                [function] => one(function),
                _ if !has_code => return Err(wrong_count(&name, args.len())),
                _ => Target::Many(all.clone()),
            },
            (None, None) => Target::None,
        };
        if self.program.options.fold_constants
            && CONVERSIONS.contains(&&*name)
            && let [arg] = args.as_slice()
            && let Some(value) = self.constant_of(*arg)
            && !matches!(target, Target::None)
        {
            let value = convert(&target, value).map_err(|error| PlanError(error.to_string()))?;
            return Ok(self.push_constant(id, value));
        }
        let stops = args.len() > 2 || matches!(target, Target::Many(_)) || &*name == "format";
        self.program.calls.push(Call { function: name, args: args.into(), target, rule, stops });
        let call = number(self.program.calls.len() - 1);
        Ok(self.push(id, Node::Call(call)))
    }

    /// Returns the function's full name, the overload if there is only one, and what stands before the dot if it is an
    /// argument.
    fn function<'c>(&self, id: ExprId, call: &'c ast::Call) -> (Arc<str>, Arc<str>, Option<&'c Expr>) {
        let target = call.target.as_deref();
        if let Some(reference) = self.reference(id) {
            let overload = match reference.overloads.as_slice() {
                [overload] => overload.clone(),
                _ => "".into(),
            };
            return match &reference.name {
                Some(name) => (name.clone(), overload, None),
                None => (call.function.clone(), overload, target),
            };
        }
        let container = self.environment.container();
        let find = |name: &str| self.environment.function(name).map(|function| function.name.clone());
        let Some(target) = target else {
            let name = container.resolve(&call.function, find);
            let plain = || call.function.strip_prefix('.').map_or_else(|| call.function.clone(), Arc::from);
            return (name.unwrap_or_else(plain), "".into(), None);
        };
        let qualified = qualified_name(target).map(|prefix| format!("{prefix}.{}", call.function));
        match qualified.and_then(|qualified| container.resolve(&qualified, find)) {
            Some(name) => (name, "".into(), None),
            None => (call.function.clone(), "".into(), Some(target)),
        }
    }

    fn junction(&mut self, id: ExprId, name: &str, terms: &[NodeId]) -> NodeId {
        let neutral = name == op::LOGICAL_AND;
        let join = |left, right| if neutral { Node::And(left, right) } else { Node::Or(left, right) };
        match terms {
            [] => self.push_constant(id, Value::Bool(neutral)),
            [term] => *term,
            [first, rest @ ..] => {
                let rest = self.junction(id, name, rest);
                self.push(id, join(*first, rest))
            }
        }
    }

    fn rule(&self, name: &str, overload: &str, function: Option<&Function>) -> Rule {
        let given = function.and_then(|function| function.cost.clone());
        let given =
            given.or_else(|| self.program.options.costs.as_ref().and_then(|costs| costs.of(name, overload)));
        given.map_or_else(|| Rule::of(overload), Rule::Given)
    }

    /// Plans what the evaluator computes itself.
    fn operation(
        &mut self,
        id: ExprId,
        name: &str,
        overload: &str,
        args: &[NodeId],
        rule: Rule,
    ) -> Result<Option<NodeId>, PlanError> {
        let node = match *args {
            [arg] => {
                let Some(op) = Unary::named(name) else { return Ok(None) };
                if self.program.options.fold_constants
                    && matches!(op, Unary::Type | Unary::Dyn)
                    && let Some(value) = self.constant_of(arg)
                {
                    let value = op.apply(value.clone()).map_err(|error| PlanError(error.to_string()))?;
                    return Ok(Some(self.push_constant(id, value)));
                }
                Node::Unary { op, arg, rule }
            }
            [left, right] => match name {
                "or" if matches!(overload, "" | "optional_or_optional") => {
                    Node::OptionalOr { left, right, value: false }
                }
                "orValue" if matches!(overload, "" | "optional_orValue_value") => {
                    Node::OptionalOr { left, right, value: true }
                }
                INSERT => Node::Insert { map: left, entry: (right, None), rule },
                _ => {
                    let Some(op) = Binary::named(name) else { return Ok(None) };
                    return self.binary(id, op, overload, (left, right), rule).map(Some);
                }
            },
            [map, key, value] if name == INSERT => Node::Insert { map, entry: (key, Some(value)), rule },
            _ => return Ok(None),
        };
        Ok(Some(self.push(id, node)))
    }

    fn binary(
        &mut self,
        id: ExprId,
        op: Binary,
        overload: &str,
        (left, right): (NodeId, NodeId),
        rule: Rule,
    ) -> Result<NodeId, PlanError> {
        let fold = self.program.options.fold_constants;
        match (op, self.constant_of(right)) {
            (Binary::Matches, Some(Value::String(pattern))) => match Pattern::new(pattern) {
                Ok(compiled) => {
                    self.program.patterns.push(compiled);
                    let compiled = number(self.program.patterns.len() - 1);
                    return Ok(self.push(id, Node::Match { text: left, pattern: right, compiled, rule }));
                }
                Err(error) if fold => return Err(PlanError(error.to_string())),
                Err(_) => {}
            },
            (Binary::In, Some(Value::List(list))) if fold && overload == "in_list" => {
                if list.is_empty() {
                    return Ok(self.push_constant(id, Value::Bool(false)));
                }
                let plain = |value: Value<'_>| {
                    matches!(
                        value,
                        Value::Bool(_) | Value::Double(_) | Value::Int(_) | Value::String(_) | Value::Uint(_)
                    )
                };
                if list.iter().all(plain)
                    && let Some(Node::Constant(list)) = self.program.nodes.get(right as usize)
                {
                    let list = *list;
                    return Ok(self.push(id, Node::Member { value: left, list }));
                }
            }
            _ => {}
        }
        Ok(self.push(id, Node::Binary { op, left, right, rule }))
    }
}

/// Reports that no overload takes so many arguments.
fn wrong_count(name: &str, args: usize) -> PlanError {
    let args = match args {
        1 => "arg",
        2 => "lhs, rhs",
        _ => "...",
    };
    PlanError(format!("no such overload: {name}({args})"))
}

fn one(function: &Function) -> Target {
    match &function.implementation {
        Some(implementation) => {
            let params = function.guarded.then(|| function.overload.params.clone().into());
            Target::One { implementation: implementation.clone(), params }
        }
        None => Target::None,
    }
}

fn convert(target: &Target, value: &Value<'static>) -> Result<Value<'static>, crate::eval::Error> {
    let mut context = Context::new(Limits::default());
    let args = std::slice::from_ref(value);
    match target {
        Target::One { implementation, .. } => implementation(&mut context, args),
        Target::Many(overloads) => dispatch(&mut context, overloads, args),
        Target::None => Err(crate::eval::Error::no_such_overload()),
    }
}

/// Returns the name that an expression would be if it were one.
fn qualified_name(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Ident(name) => Some(name.to_string()),
        ExprKind::Select(select) if !select.test_only => {
            Some(format!("{}.{}", qualified_name(&select.operand)?, select.field))
        }
        _ => None,
    }
}
