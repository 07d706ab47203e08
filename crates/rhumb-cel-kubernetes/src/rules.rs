//! Validation rules of custom resource definitions: expressions about a value, and on updates about the one before it.

use std::fmt;
use std::sync::Arc;

use rhumb_cel::checker::CheckedAst;
use rhumb_cel::cost::estimate;
use rhumb_cel::env::{Environment, EnvironmentError};
use rhumb_cel::errors::Errors;
use rhumb_cel::eval::{PlanError, Program};
use rhumb_cel::types::Type;

use crate::costs::Estimator;
use crate::environment::{EnvironmentSet, Purpose, program_options};
use crate::schema::{Declared, Objects, Sizes};

/// The variable with the value that a rule is about.
pub const SELF: &str = "self";

/// The variable with the value that was there before an update.
pub const OLD_SELF: &str = "oldSelf";

/// The name in messages of the type of the value that a rule is about.
const SELF_TYPE: &str = "selfType";

/// A rule as a schema has it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rule<'a> {
    /// The expression that must be true.
    pub rule: &'a str,
    /// The expression for the message; empty if there is none.
    pub message_expression: &'a str,
    /// Whether the rule is evaluated, too, if there is no value from before.
    pub optional_old_self: bool,
}

/// Environments that the expressions of a rule are compiled in.
#[derive(Clone, Copy, Debug)]
pub struct Purposes {
    /// That of the rule.
    pub rule: Purpose,
    /// That of the expression for the message.
    pub message: Purpose,
}

impl Purposes {
    /// Environments for a rule that was accepted before.
    pub const STORED: Self = Self { rule: Purpose::Stored, message: Purpose::Stored };
}

/// A compiled rule.
#[derive(Debug)]
pub struct CompiledRule {
    /// The program of the rule, or why there is none.
    pub program: Result<Program, RuleError>,
    /// Whether the rule looks at the value from before.
    pub uses_old_self: bool,
    /// The most that one evaluation can cost.
    pub cost: u64,
    /// The expression for the message, if there is one.
    pub message: Option<Result<CompiledMessage, RuleError>>,
}

/// A compiled expression for a message.
#[derive(Debug)]
pub struct CompiledMessage {
    /// The program.
    pub program: Program,
    /// The most that one evaluation can cost.
    pub cost: u64,
}

/// Error of compiling a rule or the expression for its message, in Kubernetes' words.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RuleError {
    /// The expression is wrong.
    Compilation(Errors, Expression),
    /// The expression has another type than is asked for.
    Type(Expression),
    /// The expression can't become a program.
    Program(PlanError, Expression),
    /// The environment can't be built.
    Environment(EnvironmentError),
}

/// Which expression of a rule is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expression {
    /// The rule itself.
    Rule,
    /// The one for the message.
    Message,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compilation(errors, Expression::Rule) => write!(f, "compilation failed: {errors}"),
            Self::Compilation(errors, Expression::Message) => {
                write!(f, "messageExpression compilation failed: {errors}")
            }
            Self::Type(Expression::Rule) => f.write_str("cel expression must evaluate to a bool"),
            Self::Type(Expression::Message) => f.write_str("messageExpression must evaluate to a string"),
            Self::Program(error, Expression::Rule) => write!(f, "program instantiation failed: {error}"),
            Self::Program(error, Expression::Message) => {
                write!(f, "messageExpression instantiation failed: {error}")
            }
            Self::Environment(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RuleError {}

impl From<EnvironmentError> for RuleError {
    fn from(error: EnvironmentError) -> Self {
        Self::Environment(error)
    }
}

/// Compiles the rules that stand at one place of a schema.
#[derive(Debug)]
pub struct RuleCompiler {
    type_: Arc<Declared>,
    estimator: Estimator,
    /// Environments that were needed so far, with the purpose and whether the value from before is optional.
    environments: Vec<(Purpose, bool, Environment)>,
}

impl RuleCompiler {
    /// Creates a compiler of rules about values of a type.
    pub fn new(type_: &Declared) -> Self {
        let type_ = Arc::new(type_.named(SELF_TYPE));
        let sizes = Sizes::of_every_variable(Arc::clone(&type_));
        Self { type_, estimator: Estimator { sizes }, environments: Vec::new() }
    }

    /// Compiles a rule.
    pub fn compile(&mut self, rule: &Rule<'_>, purposes: Purposes) -> CompiledRule {
        let optional = rule.optional_old_self;
        let own = self.checked(rule.rule, purposes.rule, optional, Expression::Rule);
        let uses_old_self = own.as_ref().is_ok_and(|(checked, _)| uses_old_self(checked));
        let own =
            own.and_then(|(checked, environment)| self.planned(&checked, &environment, Expression::Rule));
        let (program, cost) = match own {
            Ok((program, cost)) => (Ok(program), cost),
            Err(error) => (Err(error), 0),
        };
        // A rule that is wrong is told alone.
        let has_message = program.is_ok() && !rule.message_expression.is_empty();
        let message = has_message.then(|| {
            let expression = Expression::Message;
            let (checked, environment) =
                self.checked(rule.message_expression, purposes.message, optional, expression)?;
            let (program, cost) = self.planned(&checked, &environment, expression)?;
            Ok(CompiledMessage { program, cost })
        });
        CompiledRule { program, uses_old_self, cost, message }
    }

    /// Checks an expression and its type.
    fn checked(
        &mut self,
        text: &str,
        purpose: Purpose,
        optional: bool,
        expression: Expression,
    ) -> Result<(CheckedAst, Environment), RuleError> {
        let environment = self.environment(purpose, optional)?;
        let checked =
            environment.compile(text).map_err(|errors| RuleError::Compilation(errors, expression))?;
        let wanted = match expression {
            Expression::Rule => Type::Bool,
            Expression::Message => Type::String,
        };
        if *checked.result() != wanted {
            return Err(RuleError::Type(expression));
        }
        Ok((checked, environment))
    }

    /// Returns the program of an expression and what it can cost.
    fn planned(
        &self,
        checked: &CheckedAst,
        environment: &Environment,
        expression: Expression,
    ) -> Result<(Program, u64), RuleError> {
        let program = Program::new(checked, environment, program_options())
            .map_err(|error| RuleError::Program(error, expression))?;
        Ok((program, estimate(checked, &self.estimator).max))
    }

    fn environment(&mut self, purpose: Purpose, optional: bool) -> Result<Environment, RuleError> {
        let found = self.environments.iter().find(|(of, with, _)| *of == purpose && *with == optional);
        if let Some((.., environment)) = found {
            return Ok(environment.clone());
        }
        let base = EnvironmentSet::shared().map_err(Clone::clone)?.get(purpose);
        let objects = Objects::new([&*self.type_], Arc::clone(base.provider()));
        let own = self.type_.type_();
        let before = if optional { Type::optional(own.clone()) } else { own.clone() };
        let environment = base
            .extend()
            .provider(Arc::new(objects))
            .variable(SELF, own)
            .variable(OLD_SELF, before)
            .build()?;
        self.environments.push((purpose, optional, environment.clone()));
        Ok(environment)
    }
}

fn uses_old_self(checked: &CheckedAst) -> bool {
    checked.names().any(|name| name == OLD_SELF)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::declare;

    fn compile(rule: &Rule<'_>) -> CompiledRule {
        let schema = json!({"type": "object", "properties": {
            "size": {"type": "integer"},
            "name": {"type": "string", "maxLength": 10},
            "tags": {"type": "array", "items": {"type": "string"}},
        }});
        let type_ = declare(&&schema, false).expect("a type");
        let purposes = Purposes { rule: Purpose::New, message: Purpose::New };
        RuleCompiler::new(&type_).compile(rule, purposes)
    }

    #[test]
    fn rules_are_compiled_with_costs() {
        let compiled = compile(&Rule { rule: "self.size > 3", ..Rule::default() });
        assert!(compiled.program.is_ok() && !compiled.uses_old_self && compiled.message.is_none());
        assert_eq!(compiled.cost, 3);
        let compiled = compile(&Rule { rule: "self.tags.all(t, t != self.name)", ..Rule::default() });
        assert!(compiled.cost > 1_000_000, "{}", compiled.cost);
    }

    #[test]
    fn rules_that_look_back_are_known() {
        assert!(compile(&Rule { rule: "self.size >= oldSelf.size", ..Rule::default() }).uses_old_self);
        let rule = "oldSelf.hasValue() || self.size > 0";
        let compiled = compile(&Rule { rule, optional_old_self: true, ..Rule::default() });
        assert!(compiled.uses_old_self && compiled.program.is_ok(), "{:?}", compiled.program);
        assert!(compile(&Rule { rule, ..Rule::default() }).program.is_err());
        assert!(!compile(&Rule { rule: "self.name != 'oldSelf'", ..Rule::default() }).uses_old_self);
    }

    #[test]
    fn mistakes_are_told() {
        let check = |rule: &str, message_expression: &str, expected: &str| {
            let compiled = compile(&Rule { rule, message_expression, optional_old_self: false });
            let message = compiled.message.and_then(Result::err);
            let error = compiled.program.err().or(message).map(|error| error.to_string());
            assert_eq!(error.as_deref(), Some(expected), "{rule} {message_expression}");
        };
        check("self.size", "", "cel expression must evaluate to a bool");
        check("true", "self.size", "messageExpression must evaluate to a string");
        check(
            "self.z",
            "1",
            "compilation failed: ERROR: <input>:1:5: undefined field 'z'\n | self.z\n | ....^",
        );
        check(
            "true",
            "self.z",
            "messageExpression compilation failed: ERROR: <input>:1:5: undefined field 'z'\n | self.z\n | ....^",
        );
    }
}
