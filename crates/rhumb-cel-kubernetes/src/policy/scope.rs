//! The scope of one evaluation: the values of a request, and variables that are computed when first used.
//!
//! A scope is a pure function's state: it asks nothing but the authorizer that it was given, and can be thrown away
//! and made anew with the same outcome.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use rhumb_cel::eval::{Activation, Error, ErrorKind, Limits, Program};
use rhumb_cel::value::view::Computed;
use rhumb_cel::value::{Map, Value};

use super::compile::{CompileError, Compiled, Compiler, Declarations, Wanted};
use crate::environment::Purpose;
use crate::limits::PER_CALL_COST;

/// The error of expressions that come after the budget was used up.
pub const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// How deep variables that use variables may nest, counted in characters that nest within one expression.
const DEEPEST: usize = 2_000;

/// The most that one expression can nest.
const DEEPEST_EXPRESSION: usize = 1_000;

/// An expression with its text, which errors show.
#[derive(Debug)]
pub struct Expression {
    /// The text.
    pub text: String,
    /// The program, or what is wrong.
    pub compiled: Result<Compiled, CompileError>,
}

impl Expression {
    /// Compiles an expression that was stored.
    pub fn stored(compiler: &Compiler, text: &str, wanted: Wanted, declarations: Declarations) -> Self {
        let compiled = compiler.compile(text, wanted, declarations, Purpose::Stored);
        Self { text: text.to_owned(), compiled }
    }

    /// The names that the expression looks up.
    pub fn uses(&self) -> impl Iterator<Item = &str> {
        let program = self.compiled.as_ref().ok().map(|compiled| &compiled.program);
        program.into_iter().flat_map(Program::variables).map(|name| &**name)
    }
}

/// A variable: an expression that others use by its name.
#[derive(Debug)]
pub struct Variable {
    expression: Expression,
    /// An upper bound of how deep the expression nests.
    depth: usize,
}

/// The variables of a policy.
#[derive(Debug, Default)]
pub struct Composed {
    names: Vec<Arc<str>>,
    places: HashMap<Arc<str>, usize>,
    variables: Vec<Variable>,
}

impl Composed {
    /// Compiles variables that were stored, in their order.
    pub fn stored<'v>(
        compiler: &mut Compiler,
        variables: impl IntoIterator<Item = (&'v str, &'v str)>,
        declarations: Declarations,
    ) -> Self {
        let mut composed = Self::default();
        for (name, text) in variables {
            let compiled = compiler.add(name, text, declarations, Purpose::Stored);
            let expression = Expression { text: text.to_owned(), compiled };
            let nesting = text.bytes().filter(u8::is_ascii_punctuation).count();
            let variable = Variable { expression, depth: nesting.min(DEEPEST_EXPRESSION) + 1 };
            // Of two with one name the last is meant.
            let place = composed.places.get(name).copied();
            if let Some(known) = place.and_then(|place| composed.variables.get_mut(place)) {
                *known = variable;
                continue;
            }
            let name: Arc<str> = name.into();
            composed.places.insert(Arc::clone(&name), composed.variables.len());
            composed.names.push(name);
            composed.variables.push(variable);
        }
        composed
    }

    /// The number of variables.
    pub fn len(&self) -> usize {
        self.variables.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// The names that the variables' expressions look up.
    pub fn uses(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().flat_map(|variable| variable.expression.uses())
    }
}

/// The values of a request.
#[derive(Clone, Debug)]
pub struct Inputs<'a> {
    /// `object`
    pub object: Value<'a>,
    /// `oldObject`
    pub old_object: Value<'a>,
    /// `params`
    pub params: Value<'a>,
    /// `request`
    pub request: Value<'a>,
    /// `namespaceObject`
    pub namespace: Value<'a>,
    /// `authorizer` and `authorizer.requestResource`, if they are there.
    pub authorizer: Option<(Value<'a>, Value<'a>)>,
}

impl Default for Inputs<'_> {
    fn default() -> Self {
        Inputs {
            object: Value::Null,
            old_object: Value::Null,
            params: Value::Null,
            request: Value::Null,
            namespace: Value::Null,
            authorizer: None,
        }
    }
}

/// Why no more expressions are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The budget is used up.
    OutOfBudget,
    /// The caller asked to stop.
    Interrupted,
}

/// Asked now and then whether to stop.
type Interrupt<'a> = &'a (dyn Fn() -> bool + Sync);

/// What expressions are evaluated in.
pub struct Scope<'a> {
    inputs: Inputs<'a>,
    composed: &'a Composed,
    interrupt: Option<Interrupt<'a>>,
    computed: Vec<Slot<'a>>,
    /// What variables cost since it was last asked.
    cost: AtomicU64,
    depth: AtomicUsize,
    this: OnceLock<Names<'a>>,
}

/// The value of a variable.
#[derive(Default)]
struct Slot<'a> {
    value: OnceLock<Result<Value<'a>, Error>>,
    is_asked: AtomicBool,
}

/// A scope as programs see it.
struct Names<'a>(&'a Scope<'a>);

impl<'a> Scope<'a> {
    /// Returns the scope of a request.
    pub fn new(inputs: Inputs<'a>, composed: &'a Composed, interrupt: Option<Interrupt<'a>>) -> Self {
        let computed = composed.variables.iter().map(|_| Slot::default()).collect();
        let (cost, depth) = (AtomicU64::new(0), AtomicUsize::new(0));
        Self { inputs, composed, interrupt, computed, cost, depth, this: OnceLock::new() }
    }

    /// Evaluates an expression: its value, or what went wrong with it alone.
    ///
    /// # Errors
    /// If nothing more is to be evaluated.
    pub fn evaluate(
        &'a self,
        expression: &'a Expression,
        budget: &mut u64,
    ) -> Result<Result<Value<'a>, String>, Stop> {
        let program = match &expression.compiled {
            Ok(compiled) => &compiled.program,
            Err(error) => return Ok(Err(format!("compilation error: {error}"))),
        };
        let (result, cost) = self.run(program);
        if result.as_ref().is_err_and(|error| error.kind() == ErrorKind::Interrupted) {
            return Err(Stop::Interrupted);
        }
        let cost = self.cost.swap(0, Ordering::Relaxed).saturating_add(cost);
        *budget = budget.checked_sub(cost).ok_or(Stop::OutOfBudget)?;
        Ok(result.map_err(|error| format!("expression '{}' resulted in error: {error}", expression.text)))
    }

    fn run(&'a self, program: &'a Program) -> (Result<Value<'a>, Error>, u64) {
        let names = self.this.get_or_init(|| Names(self));
        let interrupt = self.interrupt.map(|interrupt| interrupt as &dyn Fn() -> bool);
        let limits = Limits { cost: Some(PER_CALL_COST), interrupt, ..Limits::default() };
        let evaluation = program.evaluate(names, limits);
        (evaluation.result, evaluation.cost)
    }

    /// Returns the value of a variable, computed the first time.
    fn variable(&'a self, name: &str) -> Result<Option<Value<'a>>, Error> {
        let Some(&index) = self.composed.places.get(name) else { return Ok(None) };
        let (Some(slot), Some(variable)) = (self.computed.get(index), self.composed.variables.get(index))
        else {
            return Ok(None);
        };
        if let Some(value) = slot.value.get() {
            return value.clone().map(Some);
        }
        if slot.is_asked.swap(true, Ordering::Relaxed) {
            return Err(fails(name, "evaluate", &"it refers to itself"));
        }
        let value = self.compute(name, variable);
        slot.value.get_or_init(|| value).clone().map(Some)
    }

    fn compute(&'a self, name: &str, variable: &'a Variable) -> Result<Value<'a>, Error> {
        let program = match &variable.expression.compiled {
            Ok(compiled) => &compiled.program,
            Err(error) => return Err(fails(name, "compile", error)),
        };
        // Each variable that uses another is a turn on the stack.
        let above = self.depth.fetch_add(variable.depth, Ordering::Relaxed);
        let (result, cost) = if above.saturating_add(variable.depth) > DEEPEST {
            (Err(Error::new("variables use each other too deeply")), 0)
        } else {
            self.run(program)
        };
        self.depth.fetch_sub(variable.depth, Ordering::Relaxed);
        self.cost.fetch_add(cost, Ordering::Relaxed);
        result.map_err(|error| match error.kind() {
            ErrorKind::Interrupted => error,
            _ => fails(name, "evaluate", &error),
        })
    }
}

fn fails(name: &str, what: &str, why: &dyn std::fmt::Display) -> Error {
    Error::new(format!("composited variable \"{name}\" fails to {what}: {why}"))
}

impl Activation for Names<'_> {
    fn find(&self, name: &str) -> Option<Result<Value<'_>, Error>> {
        let inputs = &self.0.inputs;
        let value = match name {
            "object" => inputs.object.clone(),
            "oldObject" => inputs.old_object.clone(),
            "params" => inputs.params.clone(),
            "request" => inputs.request.clone(),
            "namespaceObject" => inputs.namespace.clone(),
            "variables" => Value::Map(Map::Computed(self)),
            "authorizer" => inputs.authorizer.as_ref()?.0.clone(),
            "authorizer.requestResource" => inputs.authorizer.as_ref()?.1.clone(),
            _ => return None,
        };
        Some(Ok(value))
    }
}

impl Computed for Names<'_> {
    fn keys(&self) -> &[Arc<str>] {
        &self.0.composed.names
    }

    fn find(&self, key: &str) -> Result<Option<Value<'_>>, Error> {
        self.0.variable(key)
    }
}

impl std::fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scope").field("inputs", &self.inputs).finish_non_exhaustive()
    }
}
