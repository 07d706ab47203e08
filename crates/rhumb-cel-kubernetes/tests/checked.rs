//! What cel-go answered of expressions in Kubernetes' environments, beside what we answer: types, the text of errors,
//! costs, and values of what has no variables.
//!
//! The expressions are in `data/checked/cases.json`, with the schemas that they are about; `tools/record-cel` asks
//! cel-go.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::sync::Arc;

use rhumb_cel::checker::CheckedAst;
use rhumb_cel::cost::estimate;
use rhumb_cel::env::Environment;
use rhumb_cel::eval::{Empty, Limits, Program};
use rhumb_cel::types::Type;
use rhumb_cel_kubernetes::costs::Estimator;
use rhumb_cel_kubernetes::environment::{EnvironmentSet, Purpose, program_options};
use rhumb_cel_kubernetes::schema::{Sizes, declare};
use serde_json::Value;

/// Returns the environment of rules about a resource with a schema, and its estimator.
fn environment(described: &Value) -> (Environment, Estimator) {
    let declared = declare(&&described["schema"], true).expect("the schema has a type");
    let named = declared.named("self.type");
    let variables: Vec<(&str, Type)> = described["variables"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, type_)| (name.as_str(), parse(type_.as_str().unwrap())))
        .collect();
    let set = EnvironmentSet::base(35).unwrap();
    let set = set
        .extend(&[&named], |builder| {
            let builder = builder.variable("self", named.type_());
            variables.iter().fold(builder, |builder, (name, type_)| builder.variable(name, type_.clone()))
        })
        .unwrap();
    let sizes = Sizes::of_every_variable(Arc::new(declared));
    (set.get(Purpose::Stored).clone(), Estimator { sizes })
}

fn parse(text: &str) -> Type {
    match text {
        "string" => Type::String,
        "int" => Type::Int,
        "dyn" => Type::Dyn,
        "list(string)" => Type::list(Type::String),
        "list(int)" => Type::list(Type::Int),
        name => Type::object(name),
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t")
}

/// Returns the value of an expression as JSON, or its error, and what it cost.
fn evaluate(env: &Environment, checked: &CheckedAst) -> String {
    let program = match Program::new(checked, env, program_options()) {
        Ok(program) => program,
        Err(error) => return format!("\t{}", escape(&error.to_string())),
    };
    let evaluation = program.evaluate(&Empty, Limits::default());
    let result = match evaluation.result {
        Ok(value) => json(&value).to_string(),
        Err(error) => error.to_string(),
    };
    format!("\t{}\t{}", escape(&result), evaluation.cost)
}

fn json(value: &rhumb_cel::value::Value<'_>) -> Value {
    use rhumb_cel::value::Value as Cel;
    match value {
        Cel::Bool(value) => Value::from(*value),
        Cel::Int(value) => Value::from(*value as f64),
        Cel::Uint(value) => Value::from(*value as f64),
        Cel::Double(value) => Value::from(*value),
        Cel::String(text) => Value::from(&**text),
        Cel::List(list) => list.iter().map(|element| json(&element)).collect(),
        Cel::Map(map) => {
            let entry = |(key, value)| (json(&key).as_str().unwrap().to_owned(), json(&value));
            Value::Object(map.iter().map(entry).collect())
        }
        other => panic!("{other:?}"),
    }
}

/// Returns a recorded line with its JSON written as ours is.
fn canonical(line: &str) -> String {
    let mut fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
    if let [_, _, _, _, value, _] = fields.as_mut_slice()
        && let Ok(parsed) = serde_json::from_str::<Value>(&value.replace("\\\\", "\\"))
    {
        *value = escape(&numbers(parsed).to_string());
    }
    fields.join("\t")
}

/// Returns JSON with each number as a fraction.
fn numbers(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::from(number.as_f64().unwrap()),
        Value::Array(items) => items.into_iter().map(numbers).collect(),
        Value::Object(entries) => entries.into_iter().map(|(key, value)| (key, numbers(value))).collect(),
        other => other,
    }
}

#[test]
fn types_errors_costs_and_values_are_as_kubernetes_has_them() {
    let cases: Value = serde_json::from_str(include_str!("data/checked/cases.json")).unwrap();
    let mut recorded = include_str!("data/checked/answers.txt").lines();
    let mut different = Vec::new();
    let mut asked = 0;
    for group in cases["cases"].as_array().unwrap() {
        let name = group["environment"].as_str().unwrap();
        let (env, estimator) = environment(&cases["environments"][name]);
        for expression in group["expressions"].as_array().unwrap() {
            let expression = expression.as_str().unwrap();
            let answer = match env.compile(expression) {
                Ok(checked) => {
                    let cost = estimate(&checked, &estimator);
                    let mut answer = format!("{}\t{}..{}", checked.result(), cost.min, cost.max);
                    if group["evaluate"] == true {
                        answer += &evaluate(&env, &checked);
                    }
                    answer
                }
                Err(errors) => escape(&errors.to_string()),
            };
            let ours = format!("{name}\t{}\t{answer}", escape(expression));
            let theirs = canonical(recorded.next().expect("cases.json has more cases than were recorded"));
            asked += 1;
            if ours != theirs {
                different.push(format!("cel-go {theirs}\nours   {ours}"));
            }
        }
    }
    assert_eq!(recorded.next(), None, "more was recorded than cases.json has");
    assert!(different.is_empty(), "{} of {asked} differ: {different:#?}", different.len());
}
