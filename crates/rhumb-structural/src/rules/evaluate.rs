//! Evaluation of rules, with Kubernetes' errors.
//!
//! An object has a budget for all its rules. What an update leaves as it was may break rules: that is told as a
//! warning, but for rules that compare with what was there before.

use std::cell::OnceCell;
use std::sync::Arc;

use rhumb_cel::eval::{Activation, Error, ErrorKind, Evaluation, Limits, Program};
use rhumb_cel::value::Value;
use rhumb_cel_kubernetes::limits::{PER_CALL_COST, RUNTIME_BUDGET};
use rhumb_cel_kubernetes::rules::{OLD_SELF, SELF};
use rhumb_schema::budget;
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{FieldError, FieldErrors, FieldPath, FieldProblem};
use serde_json::Value as Json;

use super::{Checks, Reason, Rule, RuleSet};
use crate::check::shown;
use crate::ratchet::{Keyed, Pair};

/// The size in bytes up to which the text of an expression is taken as a message.
const MAX_MESSAGE: usize = 5 * 1024;

/// What rules found.
#[derive(Debug)]
pub struct Findings {
    /// The rules that are broken, with warnings of those that an update did not break: it left the values as they
    /// were.
    pub errors: FieldErrors,
    /// What is left of the budget; less than nothing if there was not enough.
    pub budget: i64,
}

/// Budget of the rules of one object.
pub(crate) const BUDGET: i64 = RUNTIME_BUDGET as i64;

impl RuleSet {
    /// Evaluates the rules on an object that is to be made, or to take the place of an old one.
    pub fn validate(&self, new: &Json, old: Option<&Json>) -> Findings {
        let pair = old.map(|old| Pair { new, old, schema: &self.schema.root });
        let mut walk = Walk::new(BUDGET);
        // A broken budget has been told.
        let _ = walk.value(&self.root, &FieldPath::root(), new, old, &Place::root(pair));
        walk.findings()
    }

    /// Evaluates the rules on a value at a path. Nothing is forgiven.
    pub(crate) fn validate_value(
        &self,
        new: &Json,
        old: Option<&Json>,
        path: &FieldPath,
        budget: i64,
    ) -> Findings {
        let mut walk = Walk::new(budget);
        let _ = walk.value(&self.root, path, new, old, &Place::root(None));
        walk.findings()
    }
}

/// No further rules are evaluated.
struct Exhausted;

/// A value in an update, with the one that it takes the place of.
struct Place<'a> {
    /// The value and the old one; none if that can't be told.
    current: Option<Correlated<'a>>,
    /// The nearest value around that has an old one.
    nearest: Option<&'a Correlated<'a>>,
}

/// A pair with the answer to whether both are the same, which many rules ask.
struct Correlated<'a> {
    pair: Pair<'a>,
    same: OnceCell<bool>,
}

impl<'a> Correlated<'a> {
    fn new(pair: Pair<'a>) -> Self {
        Correlated { pair, same: OnceCell::new() }
    }

    fn is_same(&self) -> bool {
        *self.same.get_or_init(|| self.pair.is_same())
    }
}

impl<'a> Place<'a> {
    fn root(pair: Option<Pair<'a>>) -> Self {
        Place { current: pair.map(Correlated::new), nearest: None }
    }

    /// Whether what is wrong here was so before.
    fn is_unchanged(&self) -> bool {
        self.current.as_ref().or(self.nearest).is_some_and(Correlated::is_same)
    }

    /// Returns the place below this one, whose pair is found from that of this one.
    fn below(&'a self, find: impl FnOnce(&Pair<'a>) -> Option<Pair<'a>>) -> Place<'a> {
        match &self.current {
            None => Place { current: None, nearest: self.nearest },
            Some(current) => {
                Place { current: find(&current.pair).map(Correlated::new), nearest: Some(current) }
            }
        }
    }

    fn key(&'a self, name: &str) -> Place<'a> {
        // A change of version is not seen in what was stored.
        if self.current.is_some() && self.nearest.is_none() && matches!(name, "apiVersion" | "kind") {
            return Place { current: None, nearest: None };
        }
        self.below(|pair| pair.key(name))
    }
}

/// The variables of a rule.
struct Variables<'a> {
    own: Value<'a>,
    old: Option<Value<'a>>,
}

impl Activation for Variables<'_> {
    fn find(&self, name: &str) -> Option<Result<Value<'_>, Error>> {
        match name {
            SELF => Some(Ok(self.own.clone())),
            OLD_SELF => self.old.clone().map(Ok),
            _ => None,
        }
    }
}

/// Evaluates a program within the limits of one call.
fn evaluate<'a>(program: &'a Program, variables: &'a dyn Activation) -> Evaluation<'a> {
    let interrupt = || budget::is_stopped();
    let limits = Limits { cost: Some(PER_CALL_COST), interrupt: Some(&interrupt), ..Limits::default() };
    program.evaluate(variables, limits)
}

/// A walk through a value and the rules of its schema.
struct Walk {
    errors: FieldErrors,
    budget: i64,
}

impl Walk {
    fn new(budget: i64) -> Self {
        Walk { errors: FieldErrors::default(), budget }
    }

    fn findings(self) -> Findings {
        Findings { errors: self.errors, budget: self.budget }
    }

    /// Ends the walk: there was not enough of the budget.
    fn exhausted(&mut self) -> Result<(), Exhausted> {
        self.budget = -1;
        Err(Exhausted)
    }

    /// Takes from the budget.
    fn spend(&mut self, cost: u64) -> bool {
        match i64::try_from(cost).ok().filter(|cost| *cost <= self.budget) {
            Some(cost) => {
                self.budget -= cost;
                true
            }
            None => false,
        }
    }

    fn value(
        &mut self,
        checks: &Checks,
        path: &FieldPath,
        new: &Json,
        old: Option<&Json>,
        place: &Place<'_>,
    ) -> Result<(), Exhausted> {
        let old = old.filter(|old| !old.is_null());
        if new.is_null() {
            return Ok(());
        }
        if budget::is_stopped() {
            return self.exhausted();
        }
        self.rules(checks, path, new, old, place)?;
        match new {
            Json::Array(elements) => {
                let Some(items) = &checks.items else { return Ok(()) };
                let olds = old.and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
                let olds = Keyed::of(&checks.node, olds);
                let pairs = place.current.as_ref().and_then(|current| current.pair.elements());
                for (index, element) in elements.iter().enumerate() {
                    let old = olds.as_ref().and_then(|olds| olds.get(element));
                    let below = place.below(|_| pairs.as_ref().and_then(|pairs| pairs.at(index)));
                    self.value(items, &path.index(index), element, old, &below)?;
                }
            }
            Json::Object(fields) => {
                let old_of = |name: &str| old.and_then(|old| old.get(name));
                if let Some(additional) = &checks.additional {
                    for (name, value) in fields {
                        self.value(additional, &path.key(name), value, old_of(name), &place.key(name))?;
                    }
                }
                for (name, checks) in &checks.properties {
                    let Some(value) = fields.get(&**name) else { continue };
                    self.value(checks, &path.child(name), value, old_of(name), &place.key(name))?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Evaluates the rules of a value itself.
    fn rules(
        &mut self,
        checks: &Checks,
        path: &FieldPath,
        new: &Json,
        old: Option<&Json>,
        place: &Place<'_>,
    ) -> Result<(), Exhausted> {
        if checks.rules.is_empty() {
            return Ok(());
        }
        if self.budget <= 0 {
            self.errors.invalid(path, checks.type_name, OUT_OF_BUDGET);
            return self.exhausted();
        }
        let own = checks.look.value(new);
        let old = old.map(|old| checks.look.value(old));
        let plain = Variables { own: own.clone(), old: old.clone() };
        let optional = Variables { own, old: Some(Value::Optional(old.map(Arc::new))) };
        for rule in &checks.rules {
            if rule.uses_old_self && plain.old.is_none() && !rule.optional_old_self {
                continue;
            }
            let program = match &rule.program {
                Ok(program) => program,
                Err(error) => {
                    self.errors.invalid(path, checks.type_name, &format!("rule compile error: {error}"));
                    continue;
                }
            };
            let variables = if rule.optional_old_self { &optional } else { &plain };
            let Evaluation { result, cost } = evaluate(program, variables);
            if !self.spend(cost) {
                self.errors.invalid(path, checks.type_name, OUT_OF_BUDGET);
                return self.exhausted();
            }
            match result {
                Ok(Value::Bool(true)) => {}
                Ok(_) => self.broken(rule, checks, path, new, &plain, place)?,
                Err(error) => self.failed(rule, checks, path, &error)?,
            }
        }
        Ok(())
    }

    /// Tells that a rule has no value.
    fn failed(
        &mut self,
        rule: &Rule,
        checks: &Checks,
        path: &FieldPath,
        error: &Error,
    ) -> Result<(), Exhausted> {
        let name = &rule.name;
        let detail = match error.kind() {
            ErrorKind::NoOverload => format!(
                "'{error}': call arguments did not match a supported operator, function or macro signature for \
                 rule: {name}"
            ),
            ErrorKind::CostLimit => {
                format!(
                    "'{error}': no further validation rules will be run due to call cost exceeds limit for rule: {name}"
                )
            }
            _ => format!("{error} evaluating rule: {name}"),
        };
        self.errors.invalid(path, checks.type_name, &detail);
        match error.kind() {
            ErrorKind::CostLimit | ErrorKind::MemoryLimit | ErrorKind::Interrupted => self.exhausted(),
            _ => Ok(()),
        }
    }

    /// Tells that a rule is broken.
    fn broken(
        &mut self,
        rule: &Rule,
        checks: &Checks,
        path: &FieldPath,
        new: &Json,
        variables: &Variables<'_>,
        place: &Place<'_>,
    ) -> Result<(), Exhausted> {
        let at = if rule.field_path.is_empty() { path.clone() } else { path.child(&rule.field_path) };
        let is_forgiven = !rule.uses_old_self && place.is_unchanged();
        let detail = match self.message(rule, variables) {
            Ok(Some(message)) => message,
            Ok(None) => rule.message.to_string(),
            Err(detail) => {
                let value = quoted(checks.type_name);
                self.tell(
                    FieldError { problem: FieldProblem::Invalid, path: at, value, detail },
                    is_forgiven,
                );
                return self.exhausted();
            }
        };
        let value = match new {
            // Large values are not shown.
            _ if matches!(checks.type_name, "object" | "array") => String::new(),
            value => shown(value),
        };
        let (problem, detail) = match rule.reason {
            Reason::Invalid => (FieldProblem::Invalid, detail),
            Reason::Forbidden => (FieldProblem::Forbidden, detail),
            Reason::Required => (FieldProblem::Required, detail),
            Reason::Duplicate => (FieldProblem::Duplicate, String::new()),
        };
        self.tell(FieldError { problem, path: at, value, detail }, is_forgiven);
        Ok(())
    }

    fn tell(&mut self, error: FieldError, is_forgiven: bool) {
        if is_forgiven {
            self.errors.warn(&error);
        } else {
            self.errors.push(error);
        }
    }

    /// Returns the message that an expression makes; none if there is no such expression, or if it fails.
    ///
    /// # Errors
    /// If there is not enough of the budget.
    fn message(&mut self, rule: &Rule, variables: &Variables<'_>) -> Result<Option<String>, String> {
        let Some(program) = &rule.message_expression else { return Ok(None) };
        let Evaluation { result, cost } = evaluate(program, variables);
        if i64::try_from(cost).ok().is_none_or(|cost| cost > self.budget) {
            return Err("messageExpression evaluation failed due to running out of cost budget, no further \
                        validation rules will be run"
                .to_owned());
        }
        match result {
            Err(error) if error.kind() == ErrorKind::CostLimit => Err(format!(
                "no further validation rules will be run due to call cost exceeds limit for messageExpression: {}",
                quoted(&*rule.message_source)
            )),
            result => {
                self.spend(cost);
                let Ok(Value::String(text)) = result else { return Ok(None) };
                let text = text.trim();
                let is_good = !text.is_empty() && text.len() <= MAX_MESSAGE && !text.contains('\n');
                Ok(is_good.then(|| text.to_owned()))
            }
        }
    }
}

const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";
