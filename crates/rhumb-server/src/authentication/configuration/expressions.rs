//! Expressions about claims and users: compiled once, and evaluated within limits for each token.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use rhumb_cel::ast::Expr;
use rhumb_cel::checker::CheckedAst;
use rhumb_cel::env::{Environment, EnvironmentError};
use rhumb_cel::eval::{Error, ErrorKind, Limits, Program};
use rhumb_cel::types::Type;
use rhumb_cel::value::Value;
use rhumb_cel_kubernetes::environment::{EnvironmentSet, Purpose, program_options};
use rhumb_cel_kubernetes::limits::PER_CALL_COST;
use rhumb_cel_kubernetes::schema::{Declared, Kind, Object};

/// The bytes that the evaluation of one expression may allocate.
const MEMORY: u64 = 16 << 20;

/// What an expression is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The claims of a token.
    Claims,
    /// The user that came of them.
    User,
}

impl Subject {
    /// The name of the variable.
    const fn variable(self) -> &'static str {
        match self {
            Subject::Claims => "claims",
            Subject::User => "user",
        }
    }

    /// Returns the variable with its value.
    pub(crate) fn with(self, value: Value<'_>) -> Variable<'_> {
        [(self.variable(), value)]
    }
}

/// The variable of an expression, with its value.
pub(crate) type Variable<'a> = [(&'static str, Value<'a>); 1];

/// What an expression must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// True or false.
    Condition,
    /// Anything: what claims are shows only when there are some.
    Mapping,
}

/// Why an expression can't be compiled.
pub(super) enum CompileError {
    /// It is wrong; in Kubernetes' words.
    Invalid(String),
    /// The environment is.
    Internal(String),
}

/// A compiled expression.
pub(crate) struct Expression {
    text: String,
    program: Program,
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl Expression {
    /// What was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Evaluates the expression about a [subject](Subject::with).
    ///
    /// # Errors
    /// If it has no value. What claims are is not told.
    pub(crate) fn evaluate<'a>(&'a self, subject: &'a Variable<'a>) -> Result<Value<'a>, String> {
        let limits = Limits { cost: Some(PER_CALL_COST), memory: MEMORY, ..Limits::default() };
        self.program
            .evaluate(subject, limits)
            .result
            .map_err(|error| format!("expression '{}' resulted in error: {}", self.text, self.told(&error)))
    }

    /// Returns an error without what claims are: of what an evaluation tells only what stands in the expression.
    fn told<'e>(&self, error: &'e Error) -> &'e str {
        let message = error.message();
        match error.kind() {
            ErrorKind::CostLimit | ErrorKind::MemoryLimit | ErrorKind::Interrupted => message,
            ErrorKind::NoOverload => "no such overload",
            _ => match message.strip_prefix("no such key: ") {
                Some(key) if !key.is_empty() && self.text.contains(key) => message,
                Some(_) => "no such key",
                None => "evaluation failed",
            },
        }
    }
}

/// Compiles expressions.
pub(super) struct Compiler {
    claims: Environment,
    user: Environment,
}

impl Compiler {
    /// Returns a compiler with Kubernetes' library.
    pub(super) fn new() -> Result<Self, EnvironmentError> {
        let base = EnvironmentSet::shared().map_err(Clone::clone)?;
        let claims = base.extend(&[], |builder| {
            builder.variable(Subject::Claims.variable(), Type::map(Type::String, Type::Any))
        })?;
        let declared = user_info();
        let user = base
            .extend(&[&declared], |builder| builder.variable(Subject::User.variable(), declared.type_()))?;
        let environment = |set: &EnvironmentSet| set.get(Purpose::Stored).clone();
        Ok(Compiler { claims: environment(&claims), user: environment(&user) })
    }

    /// Compiles an expression; its tree is given to `look`.
    pub(super) fn compile(
        &self,
        text: &str,
        subject: Subject,
        wanted: Wanted,
        look: impl FnOnce(&Expr),
    ) -> Result<Expression, CompileError> {
        let environment = match subject {
            Subject::Claims => &self.claims,
            Subject::User => &self.user,
        };
        let checked: CheckedAst = environment
            .compile(text)
            .map_err(|errors| CompileError::Invalid(format!("compilation failed: {errors}")))?;
        if wanted == Wanted::Condition && *checked.result() != Type::Bool {
            return Err(CompileError::Invalid("must evaluate to bool".to_owned()));
        }
        let program = Program::new(&checked, environment, program_options())
            .map_err(|error| CompileError::Internal(format!("program instantiation failed: {error}")))?;
        look(checked.root());
        Ok(Expression { text: text.to_owned(), program })
    }
}

/// Returns the type of users.
fn user_info() -> Declared {
    let plain = |type_| Declared { kind: Kind::Plain(type_), most: 0, shortest: 2 };
    let list = || Declared { kind: Kind::List(Box::new(plain(Type::String))), most: 0, shortest: 2 };
    let extra = Declared { kind: Kind::Map(Box::new(list())), most: 0, shortest: 2 };
    let fields: BTreeMap<Arc<str>, Declared> = [
        ("username".into(), plain(Type::String)),
        ("uid".into(), plain(Type::String)),
        ("groups".into(), list()),
        ("extra".into(), extra),
    ]
    .into();
    let object = Object { name: "kubernetes.UserInfo".into(), fields };
    Declared { kind: Kind::Object(object), most: 0, shortest: 2 }
}
