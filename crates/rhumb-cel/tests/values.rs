//! What cel-go answered of some thousand expressions, beside what we answer: values, the text of errors, costs.
//!
//! The expressions are in `data/values/expressions.txt`; `tools/record-cel-values` asks cel-go.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use rhumb_cel::env::Environment;
use rhumb_cel::eval::{Evaluation, Limits, Options, PlanError, Program};

#[path = "values/environment.rs"]
mod environment;
#[path = "values/json.rs"]
mod json;

use environment::Variables;

fn answer(program: Result<Program, PlanError>, variables: &Variables) -> String {
    let program = match program {
        Ok(program) => program,
        Err(error) => return format!("?{error}"),
    };
    let limits = Limits { cost: Some(1_000_000), ..Limits::default() };
    match program.evaluate(variables, limits) {
        Evaluation { result: Ok(value), cost } => format!("{cost} {value}"),
        Evaluation { result: Err(error), cost } => format!("{cost} !{error}"),
    }
}

fn answers(environment: &Environment, text: &str, variables: &Variables) -> [String; 3] {
    let kubernetes = || Options { fold_constants: true, presence_test_has_cost: false, ..Options::default() };
    let (checked, folded) = match environment.compile(text) {
        Ok(checked) => (
            answer(Program::new(&checked, environment, Options::default()), variables),
            answer(Program::new(&checked, environment, kubernetes()), variables),
        ),
        Err(_) => ("?".to_owned(), "?".to_owned()),
    };
    let loose = match environment.parse(text) {
        Ok(parsed) => answer(Program::unchecked(&parsed, environment, Options::default()), variables),
        Err(_) => "?".to_owned(),
    };
    [checked, folded, loose]
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        plain.push(match char {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                other => other.unwrap(),
            },
            other => other,
        });
    }
    plain
}

/// What differs on purpose.
const DIFFERENT: [(&str, &str); 3] = [
    (
        "[type(1), type(\"a\")].exists(k, k == string)",
        "cel-go takes a loop's variable for the name of a type, since it is a type",
    ),
    ("[?dyn(1)]", "a list that can't be is free in cel-go if it is constant"),
    ("{?\"a\": dyn(1)}", "likewise a map"),
];

/// The last words of errors that name Go's types of what is stored elsewhere.
const GO_TYPES: [&str; 3] = ["invalid qualifier type: ", "unsupported comprehension range type: ", "got '"];

#[test]
fn values_errors_and_costs_are_as_cel_go_has_them() {
    let environment = environment::environment();
    let variables = Variables::new();
    let mut different = Vec::new();
    let mut asked = 0;
    for line in include_str!("data/values/answers.txt").lines() {
        let fields: Vec<String> = line.split('\t').map(unescape).collect();
        let [text, recorded @ ..] = fields.as_slice() else { panic!("{line}") };
        let ours = answers(&environment, text, &variables);
        for ((way, theirs), ours) in ["checked", "folded", "loose"].iter().zip(recorded).zip(ours) {
            asked += 1;
            let go_type = |text: &str| {
                GO_TYPES.iter().find_map(|words| Some(text.split_once(words)?.0.to_owned() + words))
            };
            let on_purpose = DIFFERENT.iter().any(|(different, _)| different == text);
            if *theirs != ours
                && !on_purpose
                && (go_type(theirs).is_none() || go_type(theirs) != go_type(&ours))
            {
                different.push(format!("{way}: {text}\n  cel-go {theirs}\n  ours   {ours}"));
            }
        }
    }
    assert!(asked > 3500, "{asked} answers were compared");
    assert!(different.is_empty(), "{} of {asked} differ:\n{}", different.len(), different.join("\n"));
}
