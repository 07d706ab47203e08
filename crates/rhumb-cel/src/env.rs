//! Environments: what expressions may use, and how they are checked.
//!
//! An environment is built once and never changes. Extending one adds a layer on top and copies nothing, so that a
//! thousand rules with their own variables share the libraries below.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use crate::ast::Ast;
use crate::checker::CheckedAst;
use crate::checker::Validator;
use crate::container::{Container, ContainerError};
use crate::decls::{FunctionDecl, OverloadDecl, VariableDecl};
use crate::errors::Errors;
use crate::functions::Function;
use crate::library::Library;
use crate::macros::Macro;
use crate::parser;
use crate::provider::{TypeProvider, WellKnownTypes};
use crate::source::Source;
use crate::types::Type;

mod overlap;
#[cfg(test)]
mod tests;

pub(crate) use overlap::{equivalent, takes};

/// Declarations and options, shared by all who hold a copy.
#[derive(Clone)]
pub struct Environment {
    top: Arc<Layer>,
}

/// What one builder added to the environment below.
struct Layer {
    below: Option<Arc<Layer>>,
    variables: HashMap<Arc<str>, VariableDecl>,
    functions: HashMap<Arc<str>, Arc<Overloads>>,
    overloads: HashMap<Arc<str>, (Arc<Overloads>, usize)>,
    libraries: HashSet<String>,
    container: Arc<Container>,
    provider: Arc<dyn TypeProvider>,
    options: Options,
}

/// A function with all its overloads, in the order in which they are tried.
#[derive(Debug)]
pub struct Overloads {
    /// The function's full name.
    pub name: Arc<str>,
    /// Its overloads.
    pub overloads: Vec<Function>,
    /// The names of the type parameters of each overload.
    params: Vec<Vec<Arc<str>>>,
}

impl Overloads {
    /// Visits the declarations, each with the names of its type parameters.
    pub(crate) fn declarations(&self) -> impl Iterator<Item = (&OverloadDecl, &[Arc<str>])> {
        self.overloads
            .iter()
            .zip(&self.params)
            .map(|(function, params)| (&function.overload, params.as_slice()))
    }
}

/// How expressions are parsed and checked.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// Whether numbers of different types compare: `1 < 2.0`.
    pub cross_type_comparisons: bool,
    /// How expressions are parsed. Macros are those that were added to the environment.
    pub parser: parser::Options,
    /// What is asked of an expression when its types are right.
    pub validators: Vec<Validator>,
}

/// Why an environment can't be built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// Two variables of one name have different types.
    OverlappingVariable(Arc<str>),
    /// A call could mean two overloads that are declared apart.
    OverlappingOverload {
        /// The function.
        function: Arc<str>,
        /// The overload that was there.
        existing: Arc<str>,
        /// The overload to add.
        added: Arc<str>,
    },
    /// An overload is declared twice, with different parameters.
    Redefined {
        /// The function.
        function: Arc<str>,
        /// The overload.
        overload: Arc<str>,
    },
    /// A function would hide behind a macro.
    OverlappingMacro {
        /// The name.
        name: Arc<str>,
        /// The number of parameters.
        args: usize,
    },
    /// The container's name can't be.
    Container(ContainerError),
}

impl fmt::Display for EnvironmentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OverlappingVariable(name) => write!(f, "overlapping identifier for name '{name}'"),
            Self::OverlappingOverload { function, existing, added } => {
                write!(
                    f,
                    "overload signature collision in function {function}: {existing} collides with {added}"
                )
            }
            Self::Redefined { function, overload } => {
                write!(
                    f,
                    "overload redefinition in function. {function}: {overload} has multiple definitions"
                )
            }
            Self::OverlappingMacro { name, args } => {
                write!(f, "overlapping macro for name '{name}' with {args} args")
            }
            Self::Container(_) => f.write_str("the container's name can't be used"),
        }
    }
}

impl std::error::Error for EnvironmentError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Container(error) => Some(error),
            _ => None,
        }
    }
}

impl Environment {
    /// Returns a builder of an environment without any declarations. The well-known messages can be named.
    pub fn builder() -> Builder {
        Builder {
            layer: Layer {
                below: None,
                variables: HashMap::new(),
                functions: HashMap::new(),
                overloads: HashMap::new(),
                libraries: HashSet::new(),
                container: Arc::default(),
                provider: Arc::new(WellKnownTypes),
                options: Options {
                    parser: parser::Options { macros: Arc::from([]), ..parser::Options::default() },
                    ..Options::default()
                },
            },
            macros: Vec::new(),
            error: None,
        }
    }

    /// Returns a builder of an environment that has all of this one, too.
    pub fn extend(&self) -> Builder {
        Builder {
            layer: Layer {
                below: Some(Arc::clone(&self.top)),
                variables: HashMap::new(),
                functions: HashMap::new(),
                overloads: HashMap::new(),
                libraries: HashSet::new(),
                container: Arc::clone(&self.top.container),
                provider: Arc::clone(&self.top.provider),
                options: self.top.options.clone(),
            },
            macros: Vec::new(),
            error: None,
        }
    }

    /// Parses an expression.
    pub fn parse(&self, text: &str) -> Result<Ast, Errors> {
        parser::parse(&Arc::new(Source::new(text)), &self.top.options.parser)
    }

    /// Parses and checks an expression.
    pub fn compile(&self, text: &str) -> Result<CheckedAst, Errors> {
        self.check(&Arc::new(self.parse(text)?))
    }

    /// Returns the namespace of names.
    pub fn container(&self) -> &Container {
        &self.top.container
    }

    /// Returns what is known of objects.
    pub fn provider(&self) -> &Arc<dyn TypeProvider> {
        &self.top.provider
    }

    /// Returns how expressions are parsed and checked.
    pub fn options(&self) -> &Options {
        &self.top.options
    }

    /// Returns the macros, those of one name in the order in which they were added.
    pub fn macros(&self) -> &[Macro] {
        &self.top.options.parser.macros
    }

    /// Finds a variable or constant by its full name.
    pub fn variable(&self, name: &str) -> Option<&VariableDecl> {
        self.top.layers().find_map(|layer| layer.variables.get(name))
    }

    /// Finds a function by its full name.
    pub fn function(&self, name: &str) -> Option<&Arc<Overloads>> {
        self.top.function(name)
    }

    /// Finds an overload by its name.
    pub fn overload(&self, id: &str) -> Option<&Function> {
        self.top
            .layers()
            .find_map(|layer| layer.overloads.get(id))
            .and_then(|(function, index)| function.overloads.get(*index))
    }

    /// Reports whether a library of this name was added.
    pub fn has_library(&self, name: &str) -> bool {
        self.top.layers().any(|layer| layer.libraries.contains(name))
    }

    /// Finds what a name in an expression means: a variable, a type or a constant of an enum.
    pub(crate) fn lookup_name(&self, candidate: &str) -> Option<VariableDecl> {
        if let Some(variable) = self.variable(candidate) {
            return Some(variable.clone());
        }
        let provider = &self.top.provider;
        if let Some(found) = provider.find_object(candidate).or_else(|| provider.find_type(candidate)) {
            return Some(VariableDecl { name: candidate.into(), type_: Type::type_of(found), value: None });
        }
        let value = provider.enum_value(candidate)?;
        Some(VariableDecl {
            name: candidate.into(),
            type_: Type::Int,
            value: Some(crate::ast::Literal::Int(value)),
        })
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("container", &self.top.container.name())
            .field("options", &self.top.options)
            .finish_non_exhaustive()
    }
}

impl Layer {
    /// Visits this layer and those below, from the top.
    fn layers(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |layer| layer.below.as_deref())
    }

    fn function(&self, name: &str) -> Option<&Arc<Overloads>> {
        self.layers().find_map(|layer| layer.functions.get(name))
    }
}

/// An environment that is being put together. The first mistake is told by [`Builder::build`].
pub struct Builder {
    layer: Layer,
    macros: Vec<Macro>,
    error: Option<EnvironmentError>,
}

impl Builder {
    /// Sets the namespace of names.
    #[must_use]
    pub fn container(mut self, container: Container) -> Self {
        self.layer.container = Arc::new(container);
        self
    }

    /// Sets what is known of objects. It answers in place of the provider that was there, and asks that one itself if
    /// it wants to; see [`Environment::provider`].
    #[must_use]
    pub fn provider(mut self, provider: Arc<dyn TypeProvider>) -> Self {
        self.layer.provider = provider;
        self
    }

    /// Sets how expressions are parsed and checked.
    #[must_use]
    pub fn options(mut self, set: impl FnOnce(&mut Options)) -> Self {
        set(&mut self.layer.options);
        self
    }

    /// Declares a variable.
    #[must_use]
    pub fn variable(self, name: &str, type_: Type) -> Self {
        self.declare(VariableDecl { name: name.into(), type_, value: None })
    }

    /// Declares a variable or constant.
    #[must_use]
    pub fn declare(mut self, variable: VariableDecl) -> Self {
        let name = Arc::clone(&variable.name);
        let existing = self.layer.layers().find_map(|layer| layer.variables.get(&name));
        match existing.map(|existing| overlap::equivalent(&existing.type_, &variable.type_)) {
            Some(true) => {}
            Some(false) => self.fail(EnvironmentError::OverlappingVariable(name)),
            None => {
                self.layer.variables.insert(name, variable);
            }
        }
        self
    }

    /// Declares the overloads of a function, without code.
    #[must_use]
    pub fn declare_function(self, function: FunctionDecl) -> Self {
        let FunctionDecl { name, overloads } = function;
        overloads
            .into_iter()
            .fold(self, |builder, overload| builder.function(Function::declared(Arc::clone(&name), overload)))
    }

    /// Adds one overload of a function.
    #[must_use]
    pub fn function(mut self, function: Function) -> Self {
        if let Err(error) = self.add_function(function) {
            self.fail(error);
        }
        self
    }

    /// Adds a macro.
    #[must_use]
    pub fn macro_(mut self, added: Macro) -> Self {
        self.macros.push(added);
        self
    }

    /// Adds all of a library, unless one of its name is there already.
    #[must_use]
    pub fn library(mut self, library: &dyn Library) -> Self {
        let name = library.name();
        if self.layer.layers().any(|layer| layer.libraries.contains(name)) {
            return self;
        }
        self.layer.libraries.insert(name.to_owned());
        for variable in library.variables() {
            self = self.declare(variable);
        }
        for function in library.functions() {
            self = self.function(function);
        }
        self.macros.extend(library.macros());
        library.configure(&mut self.layer.options);
        self
    }

    /// Returns the environment, or the first mistake that was made.
    pub fn build(self) -> Result<Environment, EnvironmentError> {
        let Self { mut layer, macros, error } = self;
        if let Some(error) = error {
            return Err(error);
        }
        if !macros.is_empty() {
            let all = &mut layer.options.parser.macros;
            *all = all.iter().cloned().chain(macros).collect();
        }
        for function in layer.functions.values() {
            for (index, overload) in function.overloads.iter().enumerate() {
                layer.overloads.insert(Arc::clone(&overload.overload.id), (Arc::clone(function), index));
            }
        }
        Ok(Environment { top: Arc::new(layer) })
    }

    fn fail(&mut self, error: EnvironmentError) {
        self.error.get_or_insert(error);
    }

    /// Adds an overload to what is known of its function, or puts it in the place of the same overload without code.
    fn add_function(&mut self, function: Function) -> Result<(), EnvironmentError> {
        let name = Arc::clone(&function.name);
        if !self.layer.functions.contains_key(&name) {
            let below = self.layer.function(&name);
            let (overloads, params) =
                below.map_or_else(Default::default, |below| (below.overloads.clone(), below.params.clone()));
            let own = Overloads { name: Arc::clone(&name), overloads, params };
            self.layer.functions.insert(Arc::clone(&name), Arc::new(own));
        }
        // Nobody else holds what this builder made.
        let Some(own) = self.layer.functions.get_mut(&name).and_then(Arc::get_mut) else { return Ok(()) };
        for existing in &mut own.overloads {
            let (there, added) = (&existing.overload, &function.overload);
            if there.id == added.id {
                if !overlap::same_signature(there, added) {
                    return Err(EnvironmentError::Redefined {
                        function: name,
                        overload: Arc::clone(&added.id),
                    });
                }
                if function.implementation.is_some() {
                    *existing = function;
                }
                return Ok(());
            }
            if overlap::overlaps(there, added) {
                return Err(EnvironmentError::OverlappingOverload {
                    function: name,
                    existing: Arc::clone(&there.id),
                    added: Arc::clone(&added.id),
                });
            }
        }
        own.params.push(overlap::type_params(&function.overload));
        own.overloads.push(function);
        Ok(())
    }
}
