//! The evaluation of a policy: a pure function from the values of a request to decisions and audit annotations.
//!
//! Conditions, validations, messages and audit annotations are evaluated in this order, each in a scope of their own:
//! variables are computed anew in each, because only conditions and validations have an authorizer.

use rhumb_cel::value::Value;
use rhumb_cel_kubernetes::limits::{MATCH_CONDITIONS_BUDGET, PER_CALL_COST, RUNTIME_BUDGET};
use rhumb_cel_kubernetes::policy::{Expression, Inputs, OUT_OF_BUDGET, Scope, Stop};

use super::definition::{Compiled, FailurePolicy, Validation};

/// The longest message that an expression may make, in bytes.
const LONGEST_MESSAGE: usize = 5 * 1024;

/// The most that one evaluation adds to what it is charged after its limit was passed.
const PER_CALL_MOST: u64 = 2 * PER_CALL_COST;

/// What a request brings.
pub(super) struct Request<'a> {
    /// The values that all expressions see.
    pub(super) inputs: Inputs<'a>,
    /// `request` as conditions see it: with the resource that was requested.
    pub(super) requested: Value<'a>,
    /// Asked now and then whether to stop.
    pub(super) interrupt: &'a (dyn Fn() -> bool + Sync),
}

/// What a validation comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// Nothing is said against the request.
    Admit,
    /// The request is to be refused.
    Deny {
        /// Why.
        message: String,
        /// The reason in one word, if there is one.
        reason: String,
    },
}

/// What an audit annotation comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Annotation {
    /// It is written.
    Publish {
        /// Its key, without the name of the policy.
        key: String,
        /// Its value.
        value: String,
    },
    /// It can't be made.
    Error(String),
}

/// What a policy says about a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Verdict {
    /// One for each validation, or one for the policy as a whole; none if its conditions don't hold.
    pub(super) decisions: Vec<Decision>,
    /// What the audit log is told.
    pub(super) annotations: Vec<Annotation>,
}

/// The evaluation was stopped.
#[derive(Debug)]
pub(super) struct Interrupted;

impl FailurePolicy {
    fn decide(self, message: String) -> Decision {
        match self {
            FailurePolicy::Fail => Decision::Deny { message, reason: String::new() },
            FailurePolicy::Ignore => Decision::Admit,
        }
    }

    fn verdict(self, message: impl Into<String>) -> Verdict {
        Verdict { decisions: vec![self.decide(message.into())], annotations: Vec::new() }
    }
}

/// Evaluates a policy.
pub(super) fn evaluate(
    policy: &Compiled,
    failure: FailurePolicy,
    request: &Request<'_>,
) -> Result<Verdict, Interrupted> {
    match conditions(policy, failure, request)? {
        Conditions::Hold => {}
        Conditions::DontHold => return Ok(Verdict::default()),
        Conditions::Failed(message) => return Ok(failure.verdict(message)),
    }
    let scope = Scope::new(request.inputs.clone(), &policy.variables, Some(request.interrupt));
    let mut budget = RUNTIME_BUDGET;
    let mut results: Vec<Result<bool, String>> = Vec::with_capacity(policy.validations.len());
    for validation in &policy.validations {
        match scope.evaluate(&validation.expression, &mut budget) {
            Ok(result) => results.push(result.map(|value| matches!(value, Value::Bool(true)))),
            Err(Stop::OutOfBudget) => return Ok(failure.verdict(OUT_OF_BUDGET)),
            Err(Stop::Interrupted) => return Err(Interrupted),
        }
    }
    let unauthorized = Inputs { authorizer: None, ..request.inputs.clone() };
    let messages = messages(policy, &results, &unauthorized, budget, request)?;
    let decisions = policy.validations.iter().zip(results).enumerate();
    let decisions = decisions.map(|(index, (validation, result))| match (&messages, result) {
        (_, Err(error)) => failure.decide(error),
        (Messages::OutOfBudget, _) => failure.decide(format!("failed messageExpression: {OUT_OF_BUDGET}")),
        (_, Ok(true)) => Decision::Admit,
        (Messages::Made(made), Ok(false)) => {
            let made = made.get(index).and_then(Option::as_deref);
            Decision::Deny { message: message(validation, made), reason: reason(validation) }
        }
    });
    let decisions = decisions.collect();
    let scope = Scope::new(unauthorized, &policy.variables, Some(request.interrupt));
    match annotations(policy, failure, &scope)? {
        Some(annotations) => Ok(Verdict { decisions, annotations }),
        None => Ok(failure.verdict(OUT_OF_BUDGET)),
    }
}

enum Conditions {
    Hold,
    DontHold,
    Failed(String),
}

/// Looks at the conditions: one that is false decides, whatever went wrong with others.
fn conditions(
    policy: &Compiled,
    failure: FailurePolicy,
    request: &Request<'_>,
) -> Result<Conditions, Interrupted> {
    if policy.conditions.is_empty() {
        return Ok(Conditions::Hold);
    }
    let namespace = Value::Null;
    let inputs = Inputs { request: request.requested.clone(), namespace, ..request.inputs.clone() };
    let scope = Scope::new(inputs, &policy.variables, Some(request.interrupt));
    let mut budget = MATCH_CONDITIONS_BUDGET;
    let mut errors: Vec<String> = Vec::new();
    let mut holds = true;
    for condition in &policy.conditions {
        match scope.evaluate(condition, &mut budget) {
            Ok(Ok(value)) => holds &= !matches!(value, Value::Bool(false)),
            Ok(Err(error)) if errors.contains(&error) => {}
            Ok(Err(error)) => errors.push(error),
            // Without the rest nothing is known.
            Err(Stop::OutOfBudget) if failure == FailurePolicy::Ignore => return Ok(Conditions::DontHold),
            Err(Stop::OutOfBudget) => return Ok(Conditions::Failed(OUT_OF_BUDGET.to_owned())),
            Err(Stop::Interrupted) => return Err(Interrupted),
        }
    }
    Ok(match errors.as_slice() {
        _ if !holds => Conditions::DontHold,
        [] => Conditions::Hold,
        _ if failure == FailurePolicy::Ignore => Conditions::DontHold,
        [error] => Conditions::Failed(error.clone()),
        _ => Conditions::Failed(format!("[{}]", errors.join(", "))),
    })
}

enum Messages {
    /// What expressions have made, if they have made a text.
    Made(Vec<Option<String>>),
    OutOfBudget,
}

/// Evaluates the expressions of messages. All of them count, also those of validations that hold: that takes the time
/// of an evaluation only where they could use up what is left of the budget.
fn messages(
    policy: &Compiled,
    results: &[Result<bool, String>],
    inputs: &Inputs<'_>,
    mut budget: u64,
    request: &Request<'_>,
) -> Result<Messages, Interrupted> {
    let wanted = policy.validations.iter().filter(|each| each.message_expression.is_some()).count();
    let most = (wanted + policy.variables.len()) as u64 * PER_CALL_MOST;
    let is_needed = results.contains(&Ok(false)) || most > budget;
    if wanted == 0 || !is_needed {
        return Ok(Messages::Made(Vec::new()));
    }
    let scope = Scope::new(inputs.clone(), &policy.variables, Some(request.interrupt));
    let mut made = Vec::with_capacity(policy.validations.len());
    for validation in &policy.validations {
        let Some(expression) = &validation.message_expression else {
            made.push(None);
            continue;
        };
        made.push(match scope.evaluate(expression, &mut budget) {
            Ok(Ok(Value::String(text))) => Some(text.to_string()),
            Ok(_) => None,
            Err(Stop::OutOfBudget) => return Ok(Messages::OutOfBudget),
            Err(Stop::Interrupted) => return Err(Interrupted),
        });
    }
    Ok(Messages::Made(made))
}

/// The message of a validation that doesn't hold: the one that its expression made, else its own, else the expression.
fn message(validation: &Validation, made: Option<&str>) -> String {
    let made = made.map(str::trim).unwrap_or_default();
    if !made.is_empty() && made.len() <= LONGEST_MESSAGE && !made.contains('\n') {
        return made.to_owned();
    }
    match validation.message.as_str() {
        "" => format!("failed expression: {}", validation.expression.text.trim()),
        message => message.to_owned(),
    }
}

fn reason(validation: &Validation) -> String {
    if validation.reason.is_empty() { "Invalid".to_owned() } else { validation.reason.clone() }
}

/// Evaluates the audit annotations; nothing if the budget is used up.
fn annotations<'a>(
    policy: &'a Compiled,
    failure: FailurePolicy,
    scope: &'a Scope<'a>,
) -> Result<Option<Vec<Annotation>>, Interrupted> {
    let mut budget = RUNTIME_BUDGET;
    let mut made = Vec::new();
    for (key, expression) in &policy.annotations {
        match scope.evaluate(expression, &mut budget) {
            Ok(result) => made.extend(annotation(key, expression, failure, result)),
            Err(Stop::OutOfBudget) => return Ok(None),
            Err(Stop::Interrupted) => return Err(Interrupted),
        }
    }
    Ok(Some(made))
}

fn annotation(
    key: &str,
    expression: &Expression,
    failure: FailurePolicy,
    result: Result<Value<'_>, String>,
) -> Option<Annotation> {
    match result {
        Ok(Value::String(text)) if !text.trim().is_empty() => {
            Some(Annotation::Publish { key: key.to_owned(), value: text.trim().to_owned() })
        }
        Ok(Value::String(_) | Value::Null) => None,
        Ok(other) => Some(Annotation::Error(format!(
            "valueExpression '{}' resulted in unsupported return type: {}. Return type must be either string or null.",
            expression.text,
            other.type_().name()
        ))),
        Err(_) if failure == FailurePolicy::Ignore => None,
        Err(error) => Some(Annotation::Error(error)),
    }
}

#[cfg(test)]
mod tests {
    use rhumb_api::admissionregistration::v1::{self as api, ValidatingAdmissionPolicy};

    use super::super::definition::Policy;
    use super::*;

    fn validation(expression: &str, message_expression: &str) -> api::Validation {
        api::Validation {
            expression: expression.to_owned(),
            message_expression: message_expression.to_owned(),
            ..api::Validation::default()
        }
    }

    fn decisions(validations: Vec<api::Validation>, failure: FailurePolicy) -> Vec<Decision> {
        let spec = api::ValidatingAdmissionPolicySpec { validations, ..Default::default() };
        let policy = Policy::of(&ValidatingAdmissionPolicy { spec, ..Default::default() });
        let request = Request { inputs: Inputs::default(), requested: Value::Null, interrupt: &|| false };
        evaluate(policy.compiled(), failure, &request).expect("nobody interrupts").decisions
    }

    fn deny(message: &str, reason: &str) -> Decision {
        Decision::Deny { message: message.to_owned(), reason: reason.to_owned() }
    }

    #[test]
    fn validations_that_hold_fail_if_messages_use_up_the_budget() {
        let ten = "[0,1,2,3,4,5,6,7,8,9]";
        let costly = format!(
            "{ten}.all(a, {ten}.all(b, {ten}.all(c, {ten}.all(d, {ten}.all(e, a + b + c + d + e >= 0))))) ? 'a' : 'b'"
        );
        let many = |count: usize| vec![validation("true", &costly); count];
        assert_eq!(decisions(many(2), FailurePolicy::Fail), vec![Decision::Admit; 2]);
        let failed = deny(&format!("failed messageExpression: {OUT_OF_BUDGET}"), "");
        assert_eq!(decisions(many(12), FailurePolicy::Fail), vec![failed; 12]);
        assert_eq!(decisions(many(12), FailurePolicy::Ignore), vec![Decision::Admit; 12]);
    }

    #[test]
    fn each_validation_has_its_decision() {
        let validations =
            vec![validation("true", "'a'"), validation(" false ", ""), validation("false", "'no'")];
        let expected = [Decision::Admit, deny("failed expression: false", "Invalid"), deny("no", "Invalid")];
        assert_eq!(decisions(validations, FailurePolicy::Fail), expected);
        let wrong = vec![validation("1 / 0 == 1", "")];
        let error = deny("expression '1 / 0 == 1' resulted in error: division by zero", "");
        assert_eq!(decisions(wrong.clone(), FailurePolicy::Fail), [error]);
        assert_eq!(decisions(wrong, FailurePolicy::Ignore), [Decision::Admit]);
    }
}
