use std::sync::Arc;

use super::{Empty, ErrorKind, Evaluation, Limits, Options, Program};
use crate::env::Environment;
use crate::library::Standard;
use crate::types::Type;
use crate::value::Value;

fn environment() -> Environment {
    Environment::builder().library(&Standard).variable("x", Type::Dyn).build().unwrap()
}

fn program(text: &str) -> Program {
    let environment = environment();
    let checked = environment.compile(text).unwrap();
    Program::new(&checked, &environment, Options::default()).unwrap()
}

#[test]
fn a_sum_has_value_and_cost() {
    let program = program("1 + 2 == 3");
    let Evaluation { result, cost } = program.evaluate(&Empty, Limits::default());
    assert_eq!(result.unwrap().to_string(), "true");
    assert_eq!(cost, 2);
}

#[test]
fn a_value_of_the_caller_is_borrowed() {
    let text = String::from("hello");
    let program = program("x");
    let activation = [("x", Value::from(text.as_str()))];
    let evaluation = program.evaluate(&activation, Limits::default());
    assert!(matches!(evaluation.result, Ok(Value::String(crate::value::Str::Borrowed("hello")))));
}

#[test]
fn an_evaluation_ends_at_its_cost() {
    let program = program("[1, 2, 3].all(i, [1, 2, 3].all(j, i + j > 0))");
    let limits = Limits { cost: Some(30), ..Limits::default() };
    let Evaluation { result, cost } = program.evaluate(&Empty, limits);
    assert_eq!(result.unwrap_err().kind(), ErrorKind::CostLimit);
    assert_eq!(cost, 31);
}

#[test]
fn an_evaluation_ends_at_its_memory() {
    let program = program("x + x + x + x");
    let text = "x".repeat(1000);
    let activation = [("x", Value::from(text.as_str()))];
    let limits = Limits { memory: 4000, ..Limits::default() };
    assert_eq!(program.evaluate(&activation, limits).result.unwrap_err().kind(), ErrorKind::MemoryLimit);
}

#[test]
fn an_evaluation_ends_when_it_is_interrupted() {
    let program =
        program("[1,2,3,4].all(a, [1,2,3,4].all(b, [1,2,3,4].all(c, [1,2,3,4].all(d, true || true))))");
    let interrupt = || true;
    let limits = Limits { interrupt: Some(&interrupt), ..Limits::default() };
    let error = program.evaluate(&Empty, limits).result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    assert_eq!(error.to_string(), "operation interrupted");
}

#[test]
fn a_program_is_shared_between_threads() {
    let program = Arc::new(program("x + 1"));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let program = program.clone();
            scope.spawn(move || {
                let activation = [("x", Value::Int(thread))];
                let value = program.evaluate(&activation, Limits::default()).result.unwrap().to_string();
                assert_eq!(value, (thread + 1).to_string());
            });
        }
    });
}
