//! Calls: which overloads of a function take the arguments, and what they give.

use std::sync::Arc;

use super::Reference;
use super::assign::instantiate;
use super::check::{Checker, qualified_name};
use crate::ast::{Call, Expr, ExprKind, Literal};
use crate::decls::OverloadDecl;
use crate::env::Overloads;
use crate::operators;
use crate::types::Type;

impl Checker<'_> {
    pub(super) fn call(&mut self, expr: &Expr, call: &Call) {
        if &*call.function == operators::OPT_SELECT {
            self.optional_select(expr, call);
            return;
        }
        for arg in &call.args {
            self.expr(arg);
        }
        let Some(target) = &call.target else {
            match self.function(&call.function) {
                Some(function) => self.resolve(expr, &function, None, &call.args, None),
                None => self.undeclared(expr.id, &call.function),
            }
            return;
        };
        // What stands before the dot may be the function's namespace.
        if let Some(prefix) = qualified_name(target)
            && let Some(function) = self.function(&format!("{prefix}.{}", call.function))
        {
            let name = Arc::clone(&function.name);
            self.resolve(expr, &function, None, &call.args, Some(name));
            return;
        }
        self.expr(target);
        match self.function(&call.function) {
            Some(function) => self.resolve(expr, &function, Some(target), &call.args, None),
            None => self.undeclared(expr.id, &call.function),
        }
    }

    fn function(&self, name: &str) -> Option<Arc<Overloads>> {
        self.env.container().resolve(name, |candidate| self.env.function(candidate).cloned())
    }

    /// Checks `a.?b`, which the parser hands over as a call with the field's name as a literal.
    fn optional_select(&mut self, expr: &Expr, call: &Call) {
        let (None, [operand, field]) = (&call.target, call.args.as_slice()) else {
            let member = if call.target.is_some() { " member call with" } else { "" };
            let count = call.args.len();
            self.report(
                expr.id,
                format!("unsupported optional field selection: incorrect signature.{member} argument count: {count}"),
            );
            return;
        };
        let ExprKind::Literal(Literal::String(name)) = &field.kind else {
            self.report(field.id, "unsupported optional field selection: the field is not a string");
            return;
        };
        let type_ = self.field_of(expr.id, operand, name, true);
        let type_ = self.substitution.substitute(&type_, false);
        self.set_type(expr.id, type_);
        self.set_reference(
            expr.id,
            Reference { overloads: vec!["select_optional_field".into()], ..Reference::default() },
        );
    }

    /// Finds the overloads that take the arguments, or reports that there are none.
    fn resolve(
        &mut self,
        expr: &Expr,
        function: &Overloads,
        target: Option<&Expr>,
        args: &[Expr],
        name: Option<Arc<str>>,
    ) {
        if matches!(&*function.name, operators::LOGICAL_AND | operators::LOGICAL_OR) && target.is_none() {
            self.logical(expr, function, args, name);
            return;
        }
        let arguments: Vec<Type> =
            target.into_iter().chain(args).map(|arg| self.type_of(arg.id).clone()).collect();
        let mut overloads = Vec::new();
        let mut result: Option<Type> = None;
        for (overload, params) in function.declarations() {
            if overload.member != target.is_some()
                || !self.cross_type_comparisons && compares_across_types(&function.name, overload)
            {
                continue;
            }
            let Some(returned) = self.apply(overload, params, &arguments) else { continue };
            overloads.push(Arc::clone(&overload.id));
            result = Some(match result {
                None => returned,
                Some(result) if result.is_dyn() || self.substitution.same(&returned, &result) => result,
                Some(_) => Type::Dyn,
            });
        }
        if let Some(result) = result {
            self.set_type(expr.id, result);
            self.set_reference(expr.id, Reference { name, value: None, overloads });
            return;
        }
        let arguments: Vec<Type> =
            arguments.iter().map(|argument| self.substitution.substitute(argument, true)).collect();
        let signature = signature(&arguments, target.is_some());
        self.report(
            expr.id,
            format!("found no matching overload for '{}' applied to '{signature}'", function.name),
        );
        self.set_type(expr.id, Type::Error);
    }

    /// Returns the result of an overload for these arguments, if it takes them.
    fn apply(&mut self, overload: &OverloadDecl, params: &[Arc<str>], arguments: &[Type]) -> Option<Type> {
        if params.is_empty() {
            return self
                .substitution
                .all_assignable(arguments, &overload.params)
                .then(|| overload.result.clone());
        }
        let mut first = 0;
        for index in 0..params.len() {
            if let Type::Var(number) = self.substitution.variable()
                && index == 0
            {
                first = number;
            }
        }
        if arguments.len() != overload.params.len() {
            return None;
        }
        let wanted: Vec<Type> =
            overload.params.iter().map(|param| instantiate(param, params, first)).collect();
        self.substitution
            .all_assignable(arguments, &wanted)
            .then(|| self.substitution.substitute(&instantiate(&overload.result, params, first), false))
    }

    /// Checks `&&` and `||`, whose operands are told apart in errors.
    fn logical(&mut self, expr: &Expr, function: &Overloads, args: &[Expr], name: Option<Arc<str>>) {
        let mut all = true;
        for arg in args {
            let type_ = self.type_of(arg.id).clone();
            if !self.substitution.assignable(&type_, &Type::Bool) {
                self.mismatch(arg.id, &Type::Bool, &type_);
                all = false;
            }
        }
        self.set_type(expr.id, if all { Type::Bool } else { Type::Error });
        if all {
            let overloads =
                function.declarations().take(1).map(|(overload, _)| Arc::clone(&overload.id)).collect();
            self.set_reference(expr.id, Reference { name, value: None, overloads });
        }
    }
}

/// Reports whether an overload compares a number with one of another type.
fn compares_across_types(function: &str, overload: &OverloadDecl) -> bool {
    let number = |type_: &Type| matches!(type_, Type::Int | Type::Uint | Type::Double);
    matches!(
        function,
        operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS
    ) && matches!(overload.params.as_slice(), [left, right] if left != right && number(left) && number(right))
}

/// Returns arguments as errors have them, such as `string.(int)`.
fn signature(arguments: &[Type], member: bool) -> String {
    let mut rest = arguments.iter();
    let mut text = String::new();
    if let Some(target) = rest.next().filter(|_| member) {
        text = format!("{target}.");
    } else {
        rest = arguments.iter();
    }
    let rest: Vec<String> = rest.map(ToString::to_string).collect();
    text + "(" + &rest.join(", ") + ")"
}
