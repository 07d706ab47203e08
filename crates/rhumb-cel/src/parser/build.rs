//! Makes the nodes of a syntax tree: numbers them, keeps their places, expands macros.
//!
//! Numbers are given in the order in which nodes are asked for, and this order is what other tools see in a checked
//! expression: both readers keep to it.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Options, literal};
use crate::ast::{Ast, Call, Expr, ExprId, ExprKind, List, Literal, Select, SourceInfo, Span};
use crate::errors::Errors;
use crate::macros::{self, Context, Expansion, Macro};
use crate::source::Source;

/// Words that can't be names of variables or functions.
const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "namespace",
    "null",
    "package",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// The number of nodes after which no more macros are replaced: some copy what they are called on, and so a chain of
/// them doubles with each.
const MOST_NODES: ExprId = 1_000_000;

/// The tree as far as it is built, and what was found wrong.
pub(crate) struct Builder<'a> {
    pub(crate) options: &'a Options,
    source: &'a Arc<Source>,
    next: ExprId,
    spans: HashMap<ExprId, Span>,
    macro_calls: HashMap<ExprId, Expr>,
    errors: Errors,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(source: &'a Arc<Source>, options: &'a Options) -> Self {
        let errors = Errors::new(source.clone());
        Self { options, source, next: 1, spans: HashMap::new(), macro_calls: HashMap::new(), errors }
    }

    /// The tree, or what was found wrong with it.
    pub(crate) fn finish(self, expr: Expr) -> Result<Ast, Errors> {
        let info =
            SourceInfo { source: self.source.clone(), spans: self.spans, macro_calls: self.macro_calls };
        self.errors.or(Ast { expr, info })
    }

    /// What was found wrong, where there is no tree.
    pub(crate) fn stop(self) -> Errors {
        self.errors
    }

    pub(crate) fn source(&self) -> &'a Arc<Source> {
        self.source
    }

    pub(crate) fn errors(&mut self) -> &mut Errors {
        &mut self.errors
    }

    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }

    /// The number of the next node.
    pub(crate) fn id(&mut self, span: Option<Span>) -> ExprId {
        let id = self.next;
        self.next += 1;
        if let Some(span) = span {
            self.spans.insert(id, span);
        }
        id
    }

    /// Keeps the place of a node whose number was needed before its place was known.
    pub(crate) fn place(&mut self, id: ExprId, span: Span) {
        self.spans.insert(id, span);
    }

    /// Gives back a number that no node has in the end.
    fn release(&mut self, id: ExprId) {
        self.spans.remove(&id);
        if id + 1 == self.next {
            self.next = id;
        }
    }

    pub(crate) fn span(&self, id: ExprId) -> Option<Span> {
        self.spans.get(&id).copied()
    }

    /// Reports an error; in place of what is wrong stands a node that is nothing.
    pub(crate) fn report(&mut self, span: Option<Span>, message: impl Into<String>) -> Expr {
        let expr = self.node(span, ExprKind::Unspecified);
        let location = span.map(|span| self.source.location(span.start));
        self.errors.report(expr.id, location, message);
        expr
    }

    pub(crate) fn node(&mut self, span: Option<Span>, kind: ExprKind) -> Expr {
        Expr { id: self.id(span), kind }
    }

    pub(crate) fn literal(&mut self, span: Span, literal: Literal) -> Expr {
        self.node(Some(span), ExprKind::Literal(literal))
    }

    /// A variable, unless the word is reserved.
    pub(crate) fn ident(&mut self, span: Span, name_span: Span, dot: bool, name: &str) -> Expr {
        if is_reserved(name) {
            return self.report(Some(span), format!("reserved identifier: {name}"));
        }
        let name = if dot { format!(".{name}").into() } else { name.into() };
        self.node(Some(name_span), ExprKind::Ident(name))
    }

    pub(crate) fn select(&mut self, span: Span, operand: Expr, field: &str) -> Expr {
        let select = Select { operand: Box::new(operand), field: field.into(), test_only: false };
        self.node(Some(span), ExprKind::Select(select))
    }

    pub(crate) fn int(&mut self, span: Span, negative: bool, text: &str) -> Expr {
        match literal::int(negative, text) {
            Some(value) => self.literal(span, Literal::Int(value)),
            None => self.report(Some(span), "invalid int literal"),
        }
    }

    pub(crate) fn uint(&mut self, span: Span, text: &str) -> Expr {
        match literal::uint(text) {
            Some(value) => self.literal(span, Literal::Uint(value)),
            None => self.report(Some(span), "invalid uint literal"),
        }
    }

    pub(crate) fn double(&mut self, span: Span, negative: bool, text: &str) -> Expr {
        match literal::double(negative, text) {
            Some(value) => self.literal(span, Literal::Double(value)),
            None => self.report(Some(span), "invalid double literal"),
        }
    }

    pub(crate) fn string(&mut self, span: Span, text: &str) -> Expr {
        let value = literal::string(text).unwrap_or_else(|message| {
            self.report(Some(span), message);
            text.to_owned()
        });
        self.literal(span, Literal::String(value.into()))
    }

    pub(crate) fn bytes(&mut self, span: Span, text: &str) -> Expr {
        let value = literal::bytes(text.get(1..).unwrap_or_default()).unwrap_or_else(|message| {
            self.report(Some(span), message);
            Vec::new()
        });
        self.literal(span, Literal::Bytes(value.into()))
    }

    pub(crate) fn list(&mut self, id: ExprId, elements: Vec<Expr>, optional: Vec<u32>) -> Expr {
        Expr { id, kind: ExprKind::List(List { elements, optional }) }
    }

    /// A call of an operator, which is never a macro.
    pub(crate) fn operator(&mut self, id: ExprId, function: &str, args: Vec<Expr>) -> Expr {
        Expr { id, kind: ExprKind::Call(Call { target: None, function: function.into(), args }) }
    }

    /// `a && b && c` or the same with `||`: a balanced tree, so that long ones are not deep.
    pub(crate) fn logic(
        &mut self,
        function: &str,
        mut terms: Vec<Expr>,
        operators: &[ExprId],
    ) -> Option<Expr> {
        if self.options.variadic_logic && operators.len() > 1 {
            return operators.first().map(|id| self.operator(*id, function, terms));
        }
        if operators.is_empty() {
            return terms.pop();
        }
        let function: Arc<str> = function.into();
        balance(&function, &mut terms.into_iter(), operators)
    }

    /// A call of a function or of a method, unless it is a macro.
    pub(crate) fn call(&mut self, id: ExprId, function: &str, target: Option<Expr>, args: Vec<Expr>) -> Expr {
        let call = macros::Call { target, args };
        let macros::Call { target, args } = match find(&self.options.macros, function, &call) {
            Some(found) => match self.expand(id, found.expand, function, call) {
                Ok(expr) => return expr,
                Err(call) => call,
            },
            None => call,
        };
        let call = Call { target: target.map(Box::new), function: function.into(), args };
        Expr { id, kind: ExprKind::Call(call) }
    }

    fn expand(
        &mut self,
        id: ExprId,
        expand: macros::Expander,
        function: &str,
        call: macros::Call,
    ) -> Result<Expr, macros::Call> {
        if self.next > MOST_NODES {
            let span = self.span(id);
            return Ok(self.report(span, format!("expression has more than {MOST_NODES} nodes after macros")));
        }
        let written = self.options.macro_calls.then(|| self.written(function, &call));
        match expand(&mut Context { builder: self, id }, call) {
            Ok(Expansion::Expr(expr)) => {
                if let Some(written) = written {
                    self.macro_calls.insert(expr.id, written);
                }
                self.release(id);
                Ok(expr)
            }
            Ok(Expansion::None(call)) => Err(call),
            Err(macros::Error { expr_id, message }) => {
                let span = self.span(expr_id).map(|span| Span { end: span.start, ..span });
                self.release(id);
                Ok(self.report(span, message))
            }
        }
    }

    /// A macro call as it was written, in which other macro calls stand as nothing with their numbers.
    fn written(&self, function: &str, call: &macros::Call) -> Expr {
        let target = call.target.as_ref().map(|target| Box::new(self.shown(target)));
        let args = call.args.iter().map(|arg| self.shown(arg)).collect();
        Expr { id: 0, kind: ExprKind::Call(Call { target, function: function.into(), args }) }
    }

    fn shown(&self, expr: &Expr) -> Expr {
        if self.macro_calls.contains_key(&expr.id) {
            return Expr { id: expr.id, kind: ExprKind::Unspecified };
        }
        let all = |exprs: &[Expr]| exprs.iter().map(|expr| self.shown(expr)).collect();
        let kind = match &expr.kind {
            ExprKind::Call(call) => ExprKind::Call(Call {
                target: call.target.as_ref().map(|target| Box::new(self.shown(target))),
                function: call.function.clone(),
                args: all(&call.args),
            }),
            ExprKind::List(list) => {
                ExprKind::List(List { elements: all(&list.elements), optional: list.optional.clone() })
            }
            other => other.clone(),
        };
        Expr { id: expr.id, kind }
    }
}

/// Whether a word can't be the name of a variable or function.
pub fn is_reserved(name: &str) -> bool {
    RESERVED.binary_search(&name).is_ok()
}

fn find<'a>(macros: &'a [Macro], function: &str, call: &macros::Call) -> Option<&'a Macro> {
    let named = || {
        let fits = move |found: &&Macro| found.receiver == call.target.is_some() && found.name == function;
        macros.iter().rev().filter(fits)
    };
    let count = call.args.len();
    named().find(|found| found.args == Some(count)).or_else(|| named().find(|found| found.args.is_none()))
}

fn balance(
    function: &Arc<str>,
    terms: &mut impl Iterator<Item = Expr>,
    operators: &[ExprId],
) -> Option<Expr> {
    let (before, rest) = operators.split_at(operators.len() / 2);
    let Some((id, after)) = rest.split_first() else { return terms.next() };
    let left = balance(function, terms, before)?;
    let right = balance(function, terms, after)?;
    let call = Call { target: None, function: function.clone(), args: vec![left, right] };
    Some(Expr { id: *id, kind: ExprKind::Call(call) })
}
