//! Errors of an evaluation.

use std::borrow::Cow;
use std::fmt;

use crate::ast::ExprId;

/// What went wrong while an expression was evaluated.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    message: Cow<'static, str>,
    expr: Option<ExprId>,
}

/// The kinds of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The expression has no value for this input. `&&`, `||` and the loops made of them go on after it.
    Failed,
    /// No overload of an operator or function takes the arguments. Goes on like [`ErrorKind::Failed`].
    NoOverload,
    /// The limit of cost was passed.
    CostLimit,
    /// The limit of memory was passed.
    MemoryLimit,
    /// The caller asked to stop.
    Interrupted,
}

impl Error {
    /// Reports that the expression has no value for this input.
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self::of(ErrorKind::Failed, message)
    }

    /// Reports that no overload takes the arguments.
    pub fn no_such_overload() -> Self {
        Self::of(ErrorKind::NoOverload, "no such overload")
    }

    /// Reports that no overload takes the arguments of a call.
    pub fn no_overload(call: impl fmt::Display) -> Self {
        Self::of(ErrorKind::NoOverload, format!("no such overload: {call}"))
    }

    pub(crate) fn of(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner { kind, message: message.into(), expr: None }))
    }

    pub(crate) fn cost_limit() -> Self {
        Self::of(ErrorKind::CostLimit, "operation cancelled: actual cost limit exceeded")
    }

    pub(crate) fn memory_limit() -> Self {
        Self::of(ErrorKind::MemoryLimit, "operation cancelled: memory limit exceeded")
    }

    pub(crate) fn interrupted() -> Self {
        Self::of(ErrorKind::Interrupted, "operation interrupted")
    }

    /// Sets the node in which the error came up, unless it is known.
    pub(crate) fn at(mut self, expr: ExprId) -> Self {
        self.0.expr.get_or_insert(expr);
        self
    }

    /// Returns the kind.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the text.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the node in which the error came up, if it is known.
    pub fn expr(&self) -> Option<ExprId> {
        self.0.expr
    }

    /// Whether the evaluation ends here, whatever stands around.
    pub(crate) fn is_fatal(&self) -> bool {
        !matches!(self.0.kind, ErrorKind::Failed | ErrorKind::NoOverload)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("message", &self.0.message)
            .field("expr", &self.0.expr)
            .finish()
    }
}

impl std::error::Error for Error {}
