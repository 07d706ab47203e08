//! Functions: overloads with their implementations and what a call of them costs.

use std::fmt;
use std::sync::Arc;

use crate::decls::OverloadDecl;
use crate::eval::{Context, Error};
use crate::types::Type;
use crate::value::Value;

/// Code that computes one call; the argument before the dot comes first.
///
/// Arguments have the parameters' types when it is called, as far as values show them: an element of a list that is
/// declared as `list(string)` may be anything if the list came in as `dyn`. An error among the arguments of a call is
/// not shown to the code.
pub type Implementation =
    Arc<dyn for<'a> Fn(&mut Context<'_>, &[Value<'a>]) -> Result<Value<'a>, Error> + Send + Sync>;

/// The cost of one call at run time, from its arguments and its result; `None` if the default holds. An argument that
/// is an error is given as null.
pub type CallCost = Arc<dyn for<'a> Fn(&[Value<'a>], &Result<Value<'a>, Error>) -> Option<u64> + Send + Sync>;

/// A question about an argument that is known before a program runs; the error is one of the program.
pub type ConstantCheck = fn(&Value<'_>) -> Result<(), String>;

/// One overload of a function with its implementation.
#[derive(Clone)]
pub struct Function {
    /// The function's name, shared by all of its overloads.
    pub name: Arc<str>,
    /// The declaration that the checker looks at.
    pub overload: OverloadDecl,
    /// The code; `None` for what the evaluator does itself, such as `&&`.
    pub implementation: Option<Implementation>,
    /// What a call costs, if not what cel-go takes for calls that it does not know.
    pub cost: Option<CallCost>,
    /// Whether the arguments' types are compared with the parameters' before the code runs.
    pub guarded: bool,
    /// What is asked of which argument, if it is constant.
    pub constant: Option<(usize, ConstantCheck)>,
}

impl Function {
    /// Declares an overload that is called as `name(arguments)`.
    pub fn global(name: &str, id: &str, params: Vec<Type>, result: Type) -> Self {
        Self::declare(name, id, false, params, result)
    }

    /// Declares an overload that is called as `receiver.name(arguments)`; the receiver is the first parameter.
    pub fn member(name: &str, id: &str, params: Vec<Type>, result: Type) -> Self {
        Self::declare(name, id, true, params, result)
    }

    /// Declares an overload of a function without code.
    pub fn declared(name: Arc<str>, overload: OverloadDecl) -> Self {
        Self { name, overload, implementation: None, cost: None, guarded: true, constant: None }
    }

    fn declare(name: &str, id: &str, member: bool, params: Vec<Type>, result: Type) -> Self {
        Self::declared(name.into(), OverloadDecl { id: id.into(), member, params, result })
    }

    /// Lets the code look at the arguments' types itself, which chooses other words for errors.
    #[must_use]
    pub fn unguarded(mut self) -> Self {
        self.guarded = false;
        self
    }

    /// Asks something of an argument, if it is constant, before a program is made.
    #[must_use]
    pub fn checking(mut self, argument: usize, check: ConstantCheck) -> Self {
        self.constant = Some((argument, check));
        self
    }

    /// Sets the code.
    #[must_use]
    pub fn with<F>(mut self, implementation: F) -> Self
    where
        F: for<'a> Fn(&mut Context<'_>, &[Value<'a>]) -> Result<Value<'a>, Error> + Send + Sync + 'static,
    {
        self.implementation = Some(Arc::new(implementation));
        self
    }

    /// Sets what a call costs.
    #[must_use]
    pub fn costing<F>(mut self, cost: F) -> Self
    where
        F: for<'a> Fn(&[Value<'a>], &Result<Value<'a>, Error>) -> Option<u64> + Send + Sync + 'static,
    {
        self.cost = Some(Arc::new(cost));
        self
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("name", &self.name)
            .field("overload", &self.overload)
            .finish_non_exhaustive()
    }
}
