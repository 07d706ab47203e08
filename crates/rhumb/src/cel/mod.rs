//! `rhumb cel`: checks and evaluates an expression as Kubernetes does, without a server.
//!
//! Documents are of type dyn: what they may contain is not read from schemas, so that the checker can't know their
//! fields, and estimates can't know their sizes.

mod inputs;
mod print;

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Result, bail};
use rhumb_cel::ast::Ast;
use rhumb_cel::cost::{Range, estimate};
use rhumb_cel::errors::Errors;
use rhumb_cel::eval::{Error, Evaluation, Limits, Program};
use rhumb_cel::types::Type;
use rhumb_cel::value::Value;
use rhumb_cel_kubernetes::costs::Estimator;
use rhumb_cel_kubernetes::environment::{EnvironmentSet, Purpose, program_options};
use rhumb_cel_kubernetes::limits::PER_CALL_COST;
use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::{Call, Failure, Outcome};

use self::inputs::Inputs;
use crate::command_line::{choice, finish};
use crate::output;

pub(crate) static COMMAND: Command = Command {
    name: "cel",
    family: Family::Rhumb,
    about: "Check and evaluate a CEL expression",
    long: "Check and evaluate a CEL expression with the functions, cost limit and messages that Kubernetes 1.36 has \
           for expressions that are newly written.\n\nThe document of --filename is self, as in validation rules of \
           custom resource definitions, and object, as in admission policies. The document of --old is oldSelf and \
           oldObject. With only one of the two files, the other of object and oldObject is null, as when an object is \
           created or deleted.\n\nPrinted are the expression's type, the cost that is estimated without a look at \
           the document, the cost of the evaluation, and the value. Documents are of type dyn: misspelled fields are \
           found when the expression is evaluated, not when it is checked, and estimates leave out what fields of a \
           document cost and how large they are. Time zones are known by offset, such as +02:00, and as UTC, not by \
           other names.\n\nThe exit code is 1 if the expression is wrong or has no value; a value of false is not an \
           error. Put -- before an expression that begins with a hyphen.",
    usage: "EXPRESSION [-f FILENAME] [--old FILENAME] [--check]",
    examples: &[
        ("Evaluate a validation rule for an object", "cel 'self.spec.replicas <= 5' -f web.yaml"),
        (
            "Evaluate a transition rule for an update",
            "cel 'self.spec.replicas >= oldSelf.spec.replicas' -f new.yaml --old web.yaml",
        ),
        (
            "Set a parameter of an admission policy",
            "cel 'object.spec.replicas <= params.max' -f web.yaml --var 'params={\"max\":5}'",
        ),
        (
            "Check an expression without evaluating it",
            "cel \"quantity(self.size).isLessThan(quantity('1Gi'))\" --check",
        ),
    ],
    flags: &[FLAGS],
    action: Action::Plain(run),
    stands_alone: true,
    ..Command::EMPTY
};

const FLAGS: &[Flag] = &[
    Flag::text("filename", "Document for self and object, in JSON or YAML; - reads standard input.")
        .short('f')
        .words(Words::Files),
    Flag::text("old", "Document for oldSelf and oldObject, in JSON or YAML; - reads standard input.")
        .words(Words::Files),
    Flag::array("var", "Further variable, as NAME=JSON; can be repeated."),
    Flag::bool("check", "Only check the expression; print its type and estimated cost."),
    Flag::text("output", "Output format.").short('o').default("text").choices(&["text", "json", "yaml"]),
];

/// What is told about an expression.
struct Report<'a> {
    type_: &'a Type,
    /// The cost that the expression can have whatever the documents are.
    estimate: Range,
    /// The value and what it cost, if it was asked for.
    evaluated: Option<(Value<'a>, u64)>,
}

fn run(call: &mut Call) -> Outcome {
    match answer(call) {
        // These say what they are, in the words that Kubernetes' own messages have.
        Err(error) if error.is::<Errors>() => Err(Failure::Plain(error.to_string())),
        done => finish(done),
    }
}

/// Checks, evaluates and prints.
fn answer(call: &Call) -> Result<()> {
    let format = choice(call, "output")?;
    let [expression] = call.args.as_slice() else {
        let what =
            if call.args.is_empty() { "is required" } else { "must be one argument; put it into quotes" };
        bail!("EXPRESSION {what}\nSee '{} --help' for usage.", call.path);
    };
    let inputs = Inputs::read(call)?;
    let set = EnvironmentSet::shared()?.extend(&[], |builder| {
        inputs.names().fold(builder, |builder, name| builder.variable(name, Type::Dyn))
    })?;
    let environment = set.get(Purpose::New);
    let checked = environment.compile(expression)?;
    let estimate = estimate(&checked, &Estimator::default());
    let program = Program::new(&checked, environment, program_options())?;
    let values = inputs.values();
    let evaluated = if call.flags.bool("check") {
        None
    } else {
        inputs::require(program.variables(), &values)?;
        Some(evaluate(&program, checked.ast(), &values)?)
    };
    let report = Report { type_: checked.result(), estimate, evaluated };
    output::bytes(&print::report(&report, format)?)
}

/// Returns the value of a program and its cost.
fn evaluate<'a>(
    program: &'a Program,
    ast: &Ast,
    variables: &'a HashMap<&str, Value<'a>>,
) -> Result<(Value<'a>, u64)> {
    let limits = Limits { cost: Some(PER_CALL_COST), ..Limits::default() };
    let Evaluation { result, cost } = program.evaluate(variables, limits);
    match result {
        Ok(value) => Ok((value, cost)),
        Err(error) => Err(at_place(error, ast)),
    }
}

/// Returns an error of an evaluation with the place in the expression, if it is known.
fn at_place(error: Error, ast: &Ast) -> anyhow::Error {
    let Some((id, span)) = error.expr().and_then(|id| Some((id, ast.info.spans.get(&id)?))) else {
        return error.into();
    };
    let source = &ast.info.source;
    let mut errors = Errors::new(Arc::clone(source));
    errors.report(id, Some(source.location(span.start)), error.message());
    errors.into()
}
