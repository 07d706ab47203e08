//! Compilation of the CEL rules in a definition, with bounds on what they can cost.

use std::collections::HashSet;

use rhumb_api::apiextensions::v1beta1::{CustomResourceDefinitionSpec, JSONSchemaProps};
use rhumb_cel_kubernetes::environment::Purpose;
use rhumb_cel_kubernetes::rules::{Purposes, Rule, RuleCompiler};
use rhumb_cel_kubernetes::schema::declare;
use rhumb_scheme::validation::{FieldErrors, FieldPath, Wanted};

use super::go_form;
use super::props::Props;
use super::tightened::any_within;

/// The most that one expression may cost, for all values that it is evaluated on.
const MOST_OF_ONE: u64 = 10_000_000;

/// The most that all expressions of a schema may cost.
const MOST_OF_ALL: u64 = 100_000_000;

/// How many of the most expensive rules are named.
const NAMED: usize = 4;

/// Expressions that were accepted before, which may use what no new ones may.
#[derive(Clone, Debug, Default)]
pub(super) struct Stored {
    rules: HashSet<String>,
    messages: HashSet<String>,
}

impl Stored {
    /// Returns the expressions of a definition.
    pub(super) fn of(spec: &CustomResourceDefinitionSpec) -> Self {
        let found = std::cell::RefCell::new(Self::default());
        any_within(spec, |schema| {
            for rule in &schema.x_kubernetes_validations {
                let mut found = found.borrow_mut();
                found.rules.insert(rule.rule.clone());
                if !rule.message_expression.is_empty() {
                    found.messages.insert(rule.message_expression.clone());
                }
            }
            false
        });
        found.into_inner()
    }

    /// Reports whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    fn purposes(&self, rule: &str, message: &str) -> Purposes {
        let purpose = |is_stored: bool| if is_stored { Purpose::Stored } else { Purpose::New };
        Purposes {
            rule: purpose(self.rules.contains(rule)),
            message: purpose(self.messages.contains(message)),
        }
    }
}

/// What is found about the rules of a schema.
#[derive(Default)]
pub(super) struct Findings {
    errors: FieldErrors,
    /// What all rules can cost.
    total: u64,
    /// The most expensive rules, the worst first.
    expensive: Vec<(FieldPath, u64)>,
}

impl Findings {
    /// Counts the cost of an expression.
    fn observe(&mut self, path: &FieldPath, cost: u64) {
        self.total = self.total.saturating_add(cost);
        if cost < MOST_OF_ALL / 100 {
            return;
        }
        let place = self.expensive.partition_point(|(_, other)| *other >= cost);
        self.expensive.insert(place, (path.clone(), cost));
        self.expensive.truncate(NAMED);
    }

    /// Returns the errors about rules, and those about the costs of all of them in a schema at a path.
    pub(super) fn into_errors(self, path: &FieldPath) -> (FieldErrors, FieldErrors) {
        let mut costs = FieldErrors::default();
        if self.total > MOST_OF_ALL {
            let detail =
                "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
            self.expensive.iter().for_each(|(path, _)| costs.forbidden(path, detail));
            let what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
            costs.forbidden(path, &too_expensive(what, self.total, MOST_OF_ALL));
        }
        (self.errors, costs)
    }
}

/// Where rules stand.
pub(super) struct Scope<'a> {
    /// Whether it is the root of a resource.
    pub(super) is_root: bool,
    /// The outermost schema whose values can't be found again in an older form of the object.
    pub(super) uncorrelated: Option<&'a FieldPath>,
    /// The most values that there can be; none if there is no bound but the size of a request.
    pub(super) cardinality: Option<u64>,
    /// Whether the schema was there before, so that what one expression costs is not held against it.
    pub(super) is_unchanged: bool,
    /// Expressions that were accepted before.
    pub(super) stored: &'a Stored,
}

/// Returns the most values that a schema can have below it, if it can have so many itself.
pub(super) fn cardinality_below(schema: &JSONSchemaProps, own: Option<u64>) -> Option<u64> {
    let count = |limit: i64| u64::try_from(limit).unwrap_or(0);
    let factor = match schema.type_.as_str() {
        "object" if schema.additional_properties.is_some() => count(schema.max_properties?),
        "array" => count(schema.max_items?),
        _ => 1,
    };
    own.map(|own| own.saturating_mul(factor))
}

/// Compiles the rules of a schema.
pub(super) fn check(schema: &JSONSchemaProps, scope: &Scope<'_>, path: &FieldPath, found: &mut Findings) {
    if schema.x_kubernetes_validations.is_empty() {
        return;
    }
    let path = path.child("x-kubernetes-validations");
    let Some(type_) = declare(&Props(schema), scope.is_root || schema.x_kubernetes_embedded_resource) else {
        let detail = "internal error: failed to construct type information for x-kubernetes-validations rules: unable \
                      to convert structural schema to CEL declarations";
        return found.errors.internal(&path, detail);
    };
    let mut compiler = RuleCompiler::new(&type_);
    for (index, it) in schema.x_kubernetes_validations.iter().enumerate().wanted() {
        let path = path.index(index);
        let (at_rule, at_message) = (path.child("rule"), path.child("messageExpression"));
        let rule = Rule {
            rule: &it.rule,
            message_expression: &it.message_expression,
            optional_old_self: it.optional_old_self == Some(true),
        };
        let compiled = compiler.compile(&rule, scope.stored.purposes(&it.rule, &it.message_expression));
        let times = scope.cardinality.unwrap_or_else(|| type_.most_in_a_request());
        let cost = compiled.cost.saturating_mul(times);
        if cost > MOST_OF_ONE && !scope.is_unchanged {
            found.errors.forbidden(&at_rule, &too_expensive("estimated rule cost", cost, MOST_OF_ONE));
        }
        found.observe(&at_rule, cost);
        if let Err(error) = &compiled.program {
            found.errors.invalid(&at_rule, &go_form::validation_rule(it), &error.to_string());
        }
        match &compiled.message {
            None => {}
            Some(Err(error)) => {
                found.errors.invalid(&at_message, &go_form::validation_rule(it), &error.to_string());
            }
            Some(Ok(message)) => {
                if message.cost > MOST_OF_ONE && !scope.is_unchanged {
                    let detail = too_expensive("estimated messageExpression cost", message.cost, MOST_OF_ONE);
                    found.errors.forbidden(&at_message, &detail);
                }
                found.observe(&at_message, message.cost);
            }
        }
        match (compiled.uses_old_self, scope.uncorrelated, it.optional_old_self) {
            (true, Some(outer), _) => {
                let detail = format!(
                    "oldSelf cannot be used on the uncorrelatable portion of the schema within {outer}"
                );
                found.errors.invalid(&at_rule, &it.rule, &detail);
            }
            (false, _, Some(optional)) => {
                let detail = "may not be set if oldSelf is not used in rule";
                found.errors.invalid(&path.child("optionalOldSelf"), &optional, detail);
            }
            _ => {}
        }
    }
}

/// Tells by how much a cost is above its limit.
fn too_expensive(what: &str, cost: u64, limit: u64) -> String {
    let factor = cost as f64 / limit as f64;
    let factor = if factor > 100.0 {
        "more than 100x".to_owned()
    } else if factor < 1.5 {
        format!("{factor:.6}x")
    } else {
        format!("{factor:.1}x")
    };
    format!(
        "{what} exceeds budget by factor of {factor} (try simplifying the rule, or adding maxItems, \
         maxProperties, and maxLength where arrays, maps, and strings are declared)"
    )
}
