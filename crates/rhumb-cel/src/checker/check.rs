//! The walk over an expression: names, fields, literals and comprehensions.

use std::sync::Arc;

use super::assign::Substitution;
use super::{CheckedAst, Reference};
use crate::ast::{Ast, Comprehension, Expr, ExprId, ExprKind, List, Literal, Map, Select, Struct};
use crate::decls::VariableDecl;
use crate::env::Environment;
use crate::errors::Errors;
use crate::types::Type;

/// The number of parts that the type of a literal may have.
const LARGEST_TYPE: usize = 4096;

/// Checks an expression in an environment.
pub fn check(ast: &Arc<Ast>, env: &Environment) -> Result<CheckedAst, Errors> {
    let mut checker = Checker {
        env,
        ast,
        errors: Errors::new(Arc::clone(&ast.info.source)),
        types: Vec::new(),
        references: Vec::new(),
        substitution: Substitution::new(),
        scopes: Vec::new(),
        cross_type_comparisons: env.options().cross_type_comparisons,
    };
    checker.expr(&ast.expr);
    if checker.substitution.exhausted() {
        checker.report(ast.expr.id, "the types of the expression are too large to be checked");
    }
    let Checker { mut errors, mut types, references, substitution, .. } = checker;
    for type_ in types.iter_mut().flatten() {
        *type_ = substitution.substitute(type_, true);
    }
    if errors.is_empty() {
        let checked = CheckedAst { ast: Arc::clone(ast), types, references };
        super::validate::validate(&checked, env, &mut errors);
        return errors.or(checked);
    }
    Err(errors)
}

/// What is known while an expression is walked over.
pub(super) struct Checker<'a> {
    pub(super) env: &'a Environment,
    ast: &'a Ast,
    errors: Errors,
    types: Vec<Option<Type>>,
    references: Vec<Option<Reference>>,
    pub(super) substitution: Substitution,
    /// Variables of comprehensions, the innermost last.
    scopes: Vec<(Arc<str>, Type)>,
    /// Whether numbers of different types compare. cel-go forgets at the first comprehension that they don't.
    pub(super) cross_type_comparisons: bool,
}

impl Checker<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Unspecified => {
                self.report(expr.id, "unexpected unspecified type: ");
                self.set_type(expr.id, Type::Error);
            }
            ExprKind::Literal(literal) => self.set_type(expr.id, literal_type(literal)),
            ExprKind::Ident(name) => self.ident(expr, name),
            ExprKind::Select(select) => self.select(expr, select),
            ExprKind::Call(call) => self.call(expr, call),
            ExprKind::List(list) => self.list(expr, list),
            ExprKind::Map(map) => self.map(expr, map),
            ExprKind::Struct(message) => self.message(expr, message),
            ExprKind::Comprehension(comprehension) => self.comprehension(expr, comprehension),
        }
    }

    fn ident(&mut self, expr: &Expr, name: &str) {
        match self.lookup(name) {
            Some(found) => self.set_variable(expr.id, found),
            None => self.undeclared(expr.id, name),
        }
    }

    fn select(&mut self, expr: &Expr, select: &Select) {
        if let Some(found) = qualified_name(expr).and_then(|name| self.lookup(&name)) {
            self.set_variable(expr.id, found);
            return;
        }
        let type_ = self.field_of(expr.id, &select.operand, &select.field, false);
        let type_ = if select.test_only { Type::Bool } else { self.substitution.substitute(&type_, false) };
        self.set_type(expr.id, type_);
    }

    /// Checks the operand and returns the type of one of its fields.
    pub(super) fn field_of(&mut self, id: ExprId, operand: &Expr, field: &str, optional: bool) -> Type {
        self.expr(operand);
        let operand = self.substitution.substitute(self.type_of(operand.id), false);
        let target = operand.optional_of();
        let optional = optional || target.is_some();
        let found = match target.unwrap_or(&operand) {
            Type::Map(entry) => entry.1.clone(),
            Type::Object(name) => self.lookup_field(id, name, field).unwrap_or(Type::Error),
            variable @ (Type::Var(_) | Type::Param(_)) => {
                self.substitution.assignable(&Type::Dyn, variable);
                Type::Dyn
            }
            Type::Dyn | Type::Any | Type::Error => Type::Dyn,
            other => {
                self.report(id, format!("type '{other}' does not support field selection"));
                Type::Dyn
            }
        };
        if optional { Type::optional(found) } else { found }
    }

    fn list(&mut self, expr: &Expr, list: &List) {
        let mut joined = None;
        for (index, element) in list.elements.iter().enumerate() {
            self.expr(element);
            let optional = list.optional.iter().any(|optional| *optional as usize == index);
            let type_ = self.element_type(element, optional);
            joined = Some(self.join(joined, type_));
        }
        let element = joined.unwrap_or_else(|| self.substitution.variable());
        self.set_literal_type(expr.id, Type::list(element));
    }

    fn map(&mut self, expr: &Expr, map: &Map) {
        let (mut keys, mut values) = (None, None);
        for entry in &map.entries {
            self.expr(&entry.key);
            let key = self.type_of(entry.key.id).clone();
            keys = Some(self.join(keys, key));
            self.expr(&entry.value);
            let value = self.element_type(&entry.value, entry.optional);
            values = Some(self.join(values, value));
        }
        let key = keys.unwrap_or_else(|| self.substitution.variable());
        let value = values.unwrap_or_else(|| self.substitution.variable());
        self.set_literal_type(expr.id, Type::map(key, value));
    }

    /// Returns the type that an element contributes to a literal: of one that is optional, what it may have.
    fn element_type(&mut self, element: &Expr, optional: bool) -> Type {
        let type_ = self.type_of(element.id);
        if !optional {
            return type_.clone();
        }
        if let Some(of) = type_.optional_of() {
            return of.clone();
        }
        let type_ = type_.clone();
        if !type_.is_dyn() {
            self.mismatch(element.id, &Type::optional(type_.clone()), &type_);
        }
        type_
    }

    /// Returns the type that takes two elements of a literal.
    fn join(&mut self, previous: Option<Type>, current: Type) -> Type {
        let Some(previous) = previous else { return current };
        if self.substitution.assignable(&previous, &current) {
            return self.substitution.most_general(&previous, &current).clone();
        }
        Type::Dyn
    }

    fn message(&mut self, expr: &Expr, message: &Struct) {
        let Some(found) = self.lookup(&message.type_name) else {
            self.undeclared(expr.id, &message.type_name);
            return;
        };
        self.set_reference(
            expr.id,
            Reference { name: Some(Arc::clone(&found.name)), ..Reference::default() },
        );
        let mut name = Arc::clone(&found.name);
        let mut result = Type::Error;
        match &found.type_ {
            Type::Error => {}
            Type::Type(of) => {
                let of = of.as_deref().unwrap_or(&Type::Dyn);
                if let Some(well_known) = well_known_message(of) {
                    name = well_known.into();
                    result = of.clone();
                } else if let Type::Object(object) = of {
                    name = Arc::clone(object);
                    result = of.clone();
                } else {
                    self.report(expr.id, format!("'{}' is not a message type", declared_name(of)));
                }
            }
            other => self.report(expr.id, format!("'{}' is not a type", declared_name(other))),
        }
        self.set_type(expr.id, result);
        for field in &message.fields {
            self.expr(&field.value);
            let expected = self.lookup_field(field.id, &name, &field.name).unwrap_or(Type::Error);
            let value = self.element_type(&field.value, field.optional);
            if !self.substitution.assignable(&expected, &value) {
                self.report(
                    field.id,
                    format!(
                        "expected type of field '{}' is '{expected}' but provided type is '{value}'",
                        field.name
                    ),
                );
            }
        }
    }

    fn comprehension(&mut self, expr: &Expr, comprehension: &Comprehension) {
        self.expr(&comprehension.iter_range);
        self.expr(&comprehension.accu_init);
        let range = self.substitution.substitute(self.type_of(comprehension.iter_range.id), false);
        let accu = self.type_of(comprehension.accu_init.id).clone();
        // Scopes of their own never had the list of what is not allowed.
        self.cross_type_comparisons = true;
        let (first, second) = match &range {
            Type::List(element) if comprehension.iter_var2.is_some() => (Type::Int, element.as_ref().clone()),
            Type::List(element) => (element.as_ref().clone(), Type::Error),
            Type::Map(entry) => entry.as_ref().clone(),
            Type::Dyn | Type::Error | Type::Var(_) | Type::Param(_) => {
                self.substitution.assignable(&Type::Dyn, &range);
                (Type::Dyn, Type::Dyn)
            }
            other => {
                self.report(
                    comprehension.iter_range.id,
                    format!(
                        "expression of type '{other}' cannot be range of a comprehension \
                         (must be list, map, or dynamic)"
                    ),
                );
                (Type::Error, Type::Error)
            }
        };
        let outside = self.scopes.len();
        self.scopes.push((Arc::clone(&comprehension.accu_var), accu.clone()));
        let with_accu = self.scopes.len();
        if let Some(name) = comprehension.iter_var2.as_ref().filter(|name| **name != comprehension.iter_var) {
            self.scopes.push((Arc::clone(name), second));
        }
        self.scopes.push((Arc::clone(&comprehension.iter_var), first));
        self.expr(&comprehension.loop_condition);
        self.expect(&comprehension.loop_condition, &Type::Bool);
        self.expr(&comprehension.loop_step);
        self.expect(&comprehension.loop_step, &accu);
        self.scopes.truncate(with_accu);
        self.expr(&comprehension.result);
        self.scopes.truncate(outside);
        let result = self.substitution.substitute(self.type_of(comprehension.result.id), false);
        self.set_type(expr.id, result);
    }

    /// Reports a mismatch unless an expression goes where a type is wanted.
    fn expect(&mut self, expr: &Expr, expected: &Type) {
        let found = self.type_of(expr.id).clone();
        if !self.substitution.assignable(expected, &found) {
            self.mismatch(expr.id, expected, &found);
        }
    }

    /// Finds what a name means, from the innermost comprehension to the environment.
    fn lookup(&self, name: &str) -> Option<VariableDecl> {
        self.env.container().resolve(name, |candidate| {
            let local = self.scopes.iter().rev().find(|(name, _)| **name == *candidate);
            match local {
                Some((name, type_)) => {
                    Some(VariableDecl { name: Arc::clone(name), type_: type_.clone(), value: None })
                }
                None => self.env.lookup_name(candidate),
            }
        })
    }

    /// Finds the type of an object's field, or reports that there is none.
    fn lookup_field(&mut self, id: ExprId, object: &str, field: &str) -> Option<Type> {
        let provider = self.env.provider();
        if provider.find_object(object).is_none() {
            self.report(id, format!("unexpected failed resolution of '{object}'"));
            return None;
        }
        let found = provider.find_field(object, field);
        if found.is_none() {
            self.report(id, format!("undefined field '{field}'"));
        }
        found
    }

    pub(super) fn undeclared(&mut self, id: ExprId, name: &str) {
        let container = self.env.container().name();
        self.report(id, format!("undeclared reference to '{name}' (in container '{container}')"));
        self.set_type(id, Type::Error);
    }

    pub(super) fn mismatch(&mut self, id: ExprId, expected: &Type, found: &Type) {
        self.report(id, format!("expected type '{expected}' but found '{found}'"));
    }

    pub(super) fn report(&mut self, id: ExprId, message: impl Into<String>) {
        let location = self.ast.info.spans.get(&id).map(|span| self.ast.info.source.location(span.start));
        self.errors.report(id, location, message);
    }

    /// Returns the type of a node that was checked.
    pub(super) fn type_of(&self, id: ExprId) -> &Type {
        self.types.get(id as usize).and_then(Option::as_ref).unwrap_or(&Type::Error)
    }

    pub(super) fn set_type(&mut self, id: ExprId, type_: Type) {
        put(&mut self.types, id, type_);
    }

    pub(super) fn set_reference(&mut self, id: ExprId, reference: Reference) {
        put(&mut self.references, id, reference);
    }

    fn set_literal_type(&mut self, id: ExprId, type_: Type) {
        if self.substitution.size(&type_, LARGEST_TYPE) >= LARGEST_TYPE {
            self.report(id, "the type of the literal is too large");
            self.set_type(id, Type::Error);
        } else {
            self.set_type(id, type_);
        }
    }

    fn set_variable(&mut self, id: ExprId, variable: VariableDecl) {
        let VariableDecl { name, type_, value } = variable;
        self.set_type(id, type_);
        self.set_reference(id, Reference { name: Some(name), value, overloads: Vec::new() });
    }
}

/// Sets an element of a table by node.
fn put<T>(table: &mut Vec<Option<T>>, id: ExprId, value: T) {
    let index = id as usize;
    if table.len() <= index {
        table.resize_with(index + 1, || None);
    }
    if let Some(slot) = table.get_mut(index) {
        *slot = Some(value);
    }
}

/// Returns the dotted name that an expression is written as, if it is one.
pub(super) fn qualified_name(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Ident(name) => Some(name.as_ref().to_owned()),
        ExprKind::Select(select) if !select.test_only => {
            let mut name = qualified_name(&select.operand)?;
            name.push('.');
            name.push_str(&select.field);
            Some(name)
        }
        _ => None,
    }
}

fn literal_type(literal: &Literal) -> Type {
    match literal {
        Literal::Null => Type::Null,
        Literal::Bool(_) => Type::Bool,
        Literal::Int(_) => Type::Int,
        Literal::Uint(_) => Type::Uint,
        Literal::Double(_) => Type::Double,
        Literal::String(_) => Type::String,
        Literal::Bytes(_) => Type::Bytes,
    }
}

/// Returns the message that is created where a type is named that is one of the well-known messages'.
fn well_known_message(type_: &Type) -> Option<&'static str> {
    Some(match type_ {
        Type::Any => "google.protobuf.Any",
        Type::Dyn => "google.protobuf.Value",
        Type::Null => "google.protobuf.NullValue",
        Type::Duration => "google.protobuf.Duration",
        Type::Timestamp => "google.protobuf.Timestamp",
        Type::Wrapper(of) => match of.as_ref() {
            Type::Bool => "google.protobuf.BoolValue",
            Type::Bytes => "google.protobuf.BytesValue",
            Type::Double => "google.protobuf.DoubleValue",
            Type::Int => "google.protobuf.Int64Value",
            Type::String => "google.protobuf.StringValue",
            Type::Uint => "google.protobuf.UInt64Value",
            _ => return None,
        },
        Type::List(element) if **element == Type::Dyn => "google.protobuf.ListValue",
        Type::Map(entry) if **entry == (Type::String, Type::Dyn) => "google.protobuf.Struct",
        _ => return None,
    })
}

/// Returns the name of a type as errors about messages have it.
fn declared_name(type_: &Type) -> String {
    match type_ {
        Type::Wrapper(of) => format!("wrapper({})", of.name()),
        other => other.name().to_owned(),
    }
}
