//! Macros: calls that the parser replaces by other expressions. A macro is a row in a table: how it is called, and the
//! function that makes what it stands for.

use std::sync::Arc;

use crate::ast::{self, Comprehension, Expr, ExprId, ExprKind, List, Literal, Map, MapEntry, Select, Span};
use crate::operators;
use crate::parser::{Builder, OLD_ACCUMULATOR};

mod bindings;
mod lists;
mod math;
mod optional;
mod quantifiers;
mod two_variables;

pub use bindings::bindings;
pub use lists::lists;
pub use math::math;
pub use optional::optional;
pub use quantifiers::standard;
pub use two_variables::two_variables;

/// A call that the parser replaces.
#[derive(Clone, Copy, Debug)]
pub struct Macro {
    /// The function's name.
    pub name: &'static str,
    /// The number of arguments; none if any number goes.
    pub args: Option<usize>,
    /// Whether something stands before a dot.
    pub receiver: bool,
    /// Makes what the call stands for.
    pub expand: Expander,
}

/// Makes what a call stands for.
pub type Expander = fn(&mut Context<'_, '_>, Call) -> Result<Expansion, Error>;

/// A call, as a macro finds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// What stands before the dot.
    pub target: Option<Expr>,
    /// The arguments.
    pub args: Vec<Expr>,
}

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Expansion {
    /// This stands in its place.
    Expr(Expr),
    /// It stays as it is, since only its name is a macro's.
    None(Call),
}

/// What is wrong with a macro's arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The argument that is wrong.
    pub expr_id: ExprId,
    /// What is wrong with it.
    pub message: String,
}

impl Error {
    fn new(expr: &Expr, message: impl Into<String>) -> Self {
        Self { expr_id: expr.id, message: message.into() }
    }
}

/// A receiver-style macro.
const fn method(name: &'static str, args: usize, expand: Expander) -> Macro {
    Macro { name, args: Some(args), receiver: true, expand }
}

/// A loop before it has a number.
struct Loop {
    range: Expr,
    vars: (Arc<str>, Option<Arc<str>>),
    accumulator: Arc<str>,
    init: Expr,
    condition: Expr,
    step: Expr,
    result: Expr,
}

/// Makes nodes for a macro. Nodes are numbered in the order in which they are made, and stand where the call stands.
pub struct Context<'a, 'b> {
    pub(crate) builder: &'a mut Builder<'b>,
    /// The number of the call.
    pub(crate) id: ExprId,
}

impl Context<'_, '_> {
    /// The name that loops gather under.
    pub fn accumulator(&self) -> &'static str {
        self.builder.options.accumulator()
    }

    /// Returns a node.
    pub fn node(&mut self, kind: ExprKind) -> Expr {
        Expr { id: self.id(), kind }
    }

    /// Returns a constant.
    pub fn literal(&mut self, literal: Literal) -> Expr {
        self.node(ExprKind::Literal(literal))
    }

    /// Returns a variable.
    pub fn ident(&mut self, name: &str) -> Expr {
        self.node(ExprKind::Ident(name.into()))
    }

    /// Returns the variable that a loop gathers under.
    pub fn gathered(&mut self) -> Expr {
        self.ident(self.accumulator())
    }

    /// Returns a list.
    pub fn list(&mut self, elements: Vec<Expr>) -> Expr {
        self.node(ExprKind::List(List { elements, optional: Vec::new() }))
    }

    /// Returns an empty map.
    pub fn map(&mut self) -> Expr {
        self.node(ExprKind::Map(Map { entries: Vec::new() }))
    }

    /// Returns a call of a function or operator.
    pub fn call(&mut self, function: &str, args: Vec<Expr>) -> Expr {
        self.node(ExprKind::Call(ast::Call { target: None, function: function.into(), args }))
    }

    /// Returns a call of a method.
    pub fn method(&mut self, function: &str, target: Expr, args: Vec<Expr>) -> Expr {
        self.node(ExprKind::Call(ast::Call {
            target: Some(Box::new(target)),
            function: function.into(),
            args,
        }))
    }

    /// Returns the question whether there is a field.
    pub fn presence(&mut self, operand: Box<Expr>, field: Arc<str>) -> Expr {
        self.node(ExprKind::Select(Select { operand, field, test_only: true }))
    }

    /// Returns a copy with numbers of its own.
    pub fn copy(&mut self, expr: &Expr) -> Expr {
        let span = self.builder.span(expr.id);
        let id = self.builder.id(span);
        let kind = match &expr.kind {
            ExprKind::Unspecified | ExprKind::Literal(_) | ExprKind::Ident(_) => expr.kind.clone(),
            ExprKind::Select(select) => ExprKind::Select(Select {
                operand: Box::new(self.copy(&select.operand)),
                field: select.field.clone(),
                test_only: select.test_only,
            }),
            ExprKind::Call(call) => {
                let args = self.copies(&call.args);
                let target = call.target.as_ref().map(|target| Box::new(self.copy(target)));
                ExprKind::Call(ast::Call { target, function: call.function.clone(), args })
            }
            ExprKind::List(list) => ExprKind::List(List {
                elements: self.copies(&list.elements),
                optional: list.optional.clone(),
            }),
            ExprKind::Map(map) => {
                let mut entries = Vec::with_capacity(map.entries.len());
                for entry in &map.entries {
                    let id = self.id();
                    let (key, value) = (self.copy(&entry.key), self.copy(&entry.value));
                    entries.push(MapEntry { id, key, value, optional: entry.optional });
                }
                ExprKind::Map(Map { entries })
            }
            ExprKind::Struct(message) => {
                let mut copy = ast::Struct { type_name: message.type_name.clone(), fields: Vec::new() };
                for field in &message.fields {
                    let id = self.id();
                    let (name, value) = (field.name.clone(), self.copy(&field.value));
                    copy.fields.push(ast::StructField { id, name, value, optional: field.optional });
                }
                ExprKind::Struct(copy)
            }
            ExprKind::Comprehension(fold) => ExprKind::Comprehension(Box::new(Comprehension {
                iter_var: fold.iter_var.clone(),
                iter_var2: fold.iter_var2.clone(),
                iter_range: self.copy(&fold.iter_range),
                accu_var: fold.accu_var.clone(),
                accu_init: self.copy(&fold.accu_init),
                loop_condition: self.copy(&fold.loop_condition),
                loop_step: self.copy(&fold.loop_step),
                result: self.copy(&fold.result),
            })),
        };
        Expr { id, kind }
    }

    fn copies(&mut self, exprs: &[Expr]) -> Vec<Expr> {
        exprs.iter().map(|expr| self.copy(expr)).collect()
    }

    fn id(&mut self) -> ExprId {
        let span = self.builder.span(self.id).map(|span| Span { end: span.start, ..span });
        self.builder.id(span)
    }

    fn fold(&mut self, parts: Loop) -> Expr {
        let Loop { range, vars, accumulator, init, condition, step, result } = parts;
        self.node(ExprKind::Comprehension(Box::new(Comprehension {
            iter_var: vars.0,
            iter_var2: vars.1,
            iter_range: range,
            accu_var: accumulator,
            accu_init: init,
            loop_condition: condition,
            loop_step: step,
            result,
        })))
    }

    /// A loop that gathers under the usual name and has what it gathered as its value.
    fn gather(
        &mut self,
        range: Expr,
        vars: (Arc<str>, Option<Arc<str>>),
        init: Expr,
        condition: Expr,
        step: Expr,
    ) -> Expr {
        let result = self.gathered();
        let accumulator = self.accumulator().into();
        self.fold(Loop { range, vars, accumulator, init, condition, step, result })
    }

    /// `var` with the value of `init` in `body`: a loop over nothing.
    fn bind(&mut self, range: Expr, var: &Arc<str>, init: Expr, body: Expr) -> Expr {
        let condition = self.literal(Literal::Bool(false));
        let step = self.ident(var);
        let vars = ("#unused".into(), None);
        self.fold(Loop { range, vars, accumulator: var.clone(), init, condition, step, result: body })
    }

    /// `condition ? step : gathered` if there is a condition.
    fn only_if(&mut self, condition: Option<Expr>, step: Expr) -> Expr {
        match condition {
            None => step,
            Some(condition) => {
                let unchanged = self.gathered();
                self.call(operators::CONDITIONAL, vec![condition, step, unchanged])
            }
        }
    }

    /// The name that an argument is, which elements then have in a loop.
    fn variable(&self, arg: &Expr, otherwise: &str) -> Result<Arc<str>, Error> {
        let ExprKind::Ident(name) = &arg.kind else { return Err(Error::new(arg, otherwise)) };
        self.not_gathered(arg, name)?;
        Ok(name.clone())
    }

    fn not_gathered(&self, arg: &Expr, name: &str) -> Result<(), Error> {
        if name == self.accumulator() || name == OLD_ACCUMULATOR {
            return Err(Error::new(arg, "iteration variable overwrites accumulator variable"));
        }
        Ok(())
    }
}

/// Whether what stands before the dot is just this name.
fn is_named(target: Option<&Expr>, name: &str) -> bool {
    matches!(target.map(|target| &target.kind), Some(ExprKind::Ident(ident)) if **ident == *name)
}
