//! The compiler of expressions: environments by what is declared, and the types that results must have.
//!
//! Environments are made once per set of declarations in the process. A policy adds a layer with the types of its
//! variables, which copies nothing of what is below.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use rhumb_cel::env::{Environment, EnvironmentError};
use rhumb_cel::eval::Program;
use rhumb_cel::provider::TypeProvider;
use rhumb_cel::types::Type;

use super::types::{self, VARIABLES};
use crate::environment::{EnvironmentSet, Purpose, program_options};

/// What expressions may use beside the object and the request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    /// Whether `params` is declared.
    pub params: bool,
    /// Whether `authorizer` is declared.
    pub authorizer: bool,
}

/// What an expression must evaluate to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A boolean, as of conditions.
    Bool,
    /// A text, as of messages.
    Text,
    /// A text or null, as of audit annotations.
    TextOrNull,
    /// Anything, as of variables.
    Any,
}

/// An expression that can be evaluated.
#[derive(Debug)]
pub struct Compiled {
    /// Its program.
    pub program: Program,
    /// The type of its value.
    pub type_: Type,
}

/// Why an expression can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    /// Whose fault it is.
    pub kind: CompileErrorKind,
    /// What is wrong.
    pub detail: String,
}

/// The kinds of [`CompileError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompileErrorKind {
    /// The expression is wrong.
    Invalid,
    /// No environment or no program could be made.
    Internal,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for CompileError {}

impl CompileError {
    fn invalid(detail: String) -> Self {
        Self { kind: CompileErrorKind::Invalid, detail }
    }

    fn internal(detail: String) -> Self {
        Self { kind: CompileErrorKind::Internal, detail }
    }

    fn environment(error: &EnvironmentError) -> Self {
        Self::internal(format!("unexpected error loading CEL environment: {error}"))
    }
}

impl Wanted {
    /// The types of which the value must have one exactly; empty if any will do.
    const fn types(self) -> &'static [Type] {
        match self {
            Self::Bool => &[Type::Bool],
            Self::Text => &[Type::String],
            Self::TextOrNull => &[Type::String, Type::Null],
            Self::Any => &[],
        }
    }

    fn check(self, found: &Type) -> Result<(), CompileError> {
        let types = self.types();
        if types.is_empty() || types.contains(found) {
            return Ok(());
        }
        let found = written(found);
        let wanted: Vec<String> = types.iter().map(written).collect();
        let wanted = wanted.join(" ");
        Err(CompileError::invalid(match types {
            [_] => format!("must evaluate to {wanted} but got {found}"),
            _ => format!("must evaluate to one of [{wanted}] but got {found}"),
        }))
    }
}

/// Writes a type as cel-go's types print themselves, which differs from what its checker writes.
fn written(type_: &Type) -> String {
    let within = |params: &[&Type]| {
        let params: Vec<String> = params.iter().map(|param| written(param)).collect();
        format!("{}({})", type_.name(), params.join(", "))
    };
    match type_ {
        Type::Wrapper(inner) => format!("wrapper({})", inner.name()),
        Type::List(element) => within(&[element]),
        Type::Map(entry) => within(&[&entry.0, &entry.1]),
        Type::Type(Some(of)) => within(&[of]),
        Type::Opaque(opaque) if !opaque.params.is_empty() => {
            within(&opaque.params.iter().collect::<Vec<&Type>>())
        }
        other => other.name().to_owned(),
    }
}

/// Compiles the expressions of one policy.
#[derive(Default)]
pub struct Compiler {
    /// The types of the variables so far, if the policy may compose expressions of any.
    variables: Option<Arc<Variables>>,
}

/// Types by the names of variables.
type Variables = RwLock<HashMap<Arc<str>, Type>>;

impl fmt::Debug for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiler").finish_non_exhaustive()
    }
}

impl Compiler {
    /// Returns a compiler of expressions without variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a compiler of expressions that may use `variables`.
    pub fn composing() -> Self {
        Self { variables: Some(Arc::default()) }
    }

    /// Compiles an expression.
    ///
    /// # Errors
    /// If the expression is wrong, or its value is not of the wanted type.
    pub fn compile(
        &self,
        expression: &str,
        wanted: Wanted,
        declarations: Declarations,
        purpose: Purpose,
    ) -> Result<Compiled, CompileError> {
        let environment = self.environment(declarations, purpose)?;
        let checked = environment
            .compile(expression)
            .map_err(|errors| CompileError::invalid(format!("compilation failed: {errors}")))?;
        wanted.check(checked.result())?;
        let program = Program::new(&checked, &environment, program_options())
            .map_err(|error| CompileError::internal(format!("program instantiation failed: {error}")))?;
        Ok(Compiled { program, type_: checked.result().clone() })
    }

    /// Compiles a variable and declares it for the expressions that follow. One that is wrong is of type `dyn`.
    ///
    /// # Errors
    /// If the expression is wrong.
    pub fn add(
        &mut self,
        name: &str,
        expression: &str,
        declarations: Declarations,
        purpose: Purpose,
    ) -> Result<Compiled, CompileError> {
        let compiled = self.compile(expression, Wanted::Any, declarations, purpose);
        let type_ = compiled.as_ref().map_or(Type::Dyn, |compiled| field_type(&compiled.type_));
        let variables = self.variables.get_or_insert_default();
        variables.write().unwrap_or_else(PoisonError::into_inner).insert(name.into(), type_);
        compiled
    }

    fn environment(&self, declarations: Declarations, purpose: Purpose) -> Result<Environment, CompileError> {
        let shared = shared(declarations).as_ref().map_err(CompileError::environment)?.get(purpose);
        let Some(variables) = &self.variables else { return Ok(shared.clone()) };
        let fields = Fields { variables: Arc::clone(variables), others: Arc::clone(shared.provider()) };
        let builder =
            shared.extend().provider(Arc::new(fields)).variable("variables", Type::object(VARIABLES));
        builder.build().map_err(|error| CompileError::environment(&error))
    }
}

/// Returns the environments for a set of declarations, without variables.
fn shared(declarations: Declarations) -> &'static Result<EnvironmentSet, EnvironmentError> {
    static SHARED: [OnceLock<Result<EnvironmentSet, EnvironmentError>>; 4] = [const { OnceLock::new() }; 4];
    let [neither, params, authorizer, both] = &SHARED;
    let place = match (declarations.params, declarations.authorizer) {
        (false, false) => neither,
        (true, false) => params,
        (false, true) => authorizer,
        (true, true) => both,
    };
    place.get_or_init(|| {
        let base = EnvironmentSet::shared().map_err(Clone::clone)?;
        let (request, namespace) = (types::request(), types::namespace());
        base.extend(&[&request, &namespace], |builder| {
            let mut builder = builder
                .variable("object", Type::Dyn)
                .variable("oldObject", Type::Dyn)
                .variable("namespaceObject", namespace.type_())
                .variable("request", request.type_());
            if declarations.params {
                builder = builder.variable("params", Type::Dyn);
            }
            if declarations.authorizer {
                builder = builder
                    .variable("authorizer", Type::object("kubernetes.authorization.Authorizer"))
                    .variable(
                        "authorizer.requestResource",
                        Type::object("kubernetes.authorization.ResourceCheck"),
                    );
            }
            builder
        })
    })
}

/// Returns the type that a variable has for other expressions: what is neither plain nor a list or map is `dyn`.
fn field_type(type_: &Type) -> Type {
    match type_ {
        Type::Any
        | Type::Bool
        | Type::Bytes
        | Type::Double
        | Type::Duration
        | Type::Int
        | Type::Null
        | Type::String
        | Type::Timestamp
        | Type::Uint => type_.clone(),
        Type::List(element) => Type::list(field_type(element)),
        Type::Map(entry) => Type::map(field_type(&entry.0), field_type(&entry.1)),
        _ => Type::Dyn,
    }
}

/// The type of `variables`; what is no variable another provider is asked for.
struct Fields {
    variables: Arc<Variables>,
    others: Arc<dyn TypeProvider>,
}

impl TypeProvider for Fields {
    fn find_object(&self, name: &str) -> Option<Type> {
        if name == VARIABLES { Some(Type::object(VARIABLES)) } else { self.others.find_object(name) }
    }

    fn find_field(&self, object: &str, field: &str) -> Option<Type> {
        if object != VARIABLES {
            return self.others.find_field(object, field);
        }
        self.variables.read().unwrap_or_else(PoisonError::into_inner).get(field).cloned()
    }

    fn find_type(&self, name: &str) -> Option<Type> {
        self.others.find_type(name)
    }

    fn enum_value(&self, name: &str) -> Option<i64> {
        self.others.enum_value(name)
    }
}
